//! The middle of the window: views and plots as tabs of tiles, which can be moved, split, maximised and closed.
//!
//! [`Tiles`] says where everything is, and every command changes it; the library that draws tiles gets a copy, and what
//! a person drags there comes back.

mod drawing;
mod empty;
mod tree;

use eframe::egui::Ui;
use egui_tiles::Tree;

use super::views;
use crate::figure::plots::{self, Plot};
use crate::results::tiles::{Side, Tile, Tiles};
use drawing::Drawing;
use empty::empty_ui;
use tree::{is_nested, layout_of, tree_of};

/// A plot or a view, as a tab has it.
#[derive(Clone, Copy)]
pub struct Pane {
    /// What files call it.
    pub name: &'static str,
    /// What its tab says.
    pub title: &'static str,
    /// What it shows, and how to read it.
    pub help: &'static str,
    /// The plot, if it is one.
    pub plot: Option<&'static dyn Plot>,
}

/// All plots, then all views, in the order of their registries.
pub fn panes() -> impl Iterator<Item = Pane> {
    let of_plot = |plot: &&'static dyn Plot| Pane {
        name: plot.name(),
        title: plot.title(),
        help: plot.about().help,
        plot: Some(*plot),
    };
    let of_view =
        |view: &views::ViewEntry| Pane { name: view.name, title: view.title, help: view.help, plot: None };
    plots::ALL.iter().map(of_plot).chain(views::ALL.iter().map(of_view))
}

/// The plot or view with this name.
pub fn find(name: &str) -> Option<Pane> {
    panes().find(|pane| pane.name == name)
}

/// What a person asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutChange {
    /// To see this view.
    Show(&'static str),
    /// To see it no more.
    Close(&'static str),
    /// To see the active view no more.
    CloseActive,
    /// To see none of the views in its tile any more.
    CloseTile,
    /// To give the active view a tile of its own.
    Split(Side),
    /// To go on to the next tab, or back to the previous one.
    Cycle(bool),
    /// To give its tile all the room, or to give the others theirs back.
    Maximise,
    /// To have everything where it is at first.
    Reset,
}

/// What is kept between frames.
pub struct Tiling {
    layout: Tiles,
    /// Whether the layout of the document is the one at first.
    is_new: bool,
    /// Plots that have to do with the data, and all views.
    offered: Vec<&'static str>,
    tree: Tree<Pane>,
    /// The layout that the tree has; nothing when it is to be made anew.
    drawn: Option<Tile>,
    /// What had the keyboard in the last frame.
    focused: Option<eframe::egui::Id>,
}

impl Default for Tiling {
    fn default() -> Self {
        let (layout, tree) = (Tiles::default(), tree_of(None));
        Self { layout, is_new: true, offered: Vec::new(), tree, drawn: None, focused: None }
    }
}

impl Tiling {
    /// Where everything is.
    pub const fn layout(&self) -> &Tiles {
        &self.layout
    }

    /// Takes the layout of a document; without one, everything is where it is at first.
    pub fn take(&mut self, kept: Option<&Tiles>) {
        self.is_new = kept.is_none();
        self.layout = kept.cloned().unwrap_or_default();
        self.layout.limit(|view| find(view).is_some());
    }

    /// What is to be kept; nothing while everything is where it is at first.
    pub fn kept(&self) -> Option<Tiles> {
        (self.layout != Tiles::of(&self.offered)).then(|| self.layout.clone())
    }

    /// Puts everything where it was before.
    pub fn arrange(&mut self, layout: Tiles) {
        self.layout = layout;
    }

    /// Gives tabs to views that have none: `plots` are those that have to do with the data. Whether that made another
    /// layout.
    pub fn offer(&mut self, plots: impl Iterator<Item = &'static str>) -> bool {
        let before = self.layout.clone();
        self.offered = plots.chain(views::ALL.iter().map(|view| view.name)).collect();
        if std::mem::take(&mut self.is_new) {
            self.layout = Tiles::of(&self.offered);
        }
        let order: Vec<&str> = panes().map(|pane| pane.name).collect();
        for view in &self.offered {
            self.layout.offer(view, &order);
        }
        self.layout != before
    }

    /// Does what a person asked for.
    pub fn change(&mut self, change: LayoutChange) {
        match change {
            LayoutChange::Show(view) => self.layout.show(view),
            LayoutChange::Close(view) => self.layout.close(view),
            LayoutChange::CloseActive => {
                let active = self.layout.active.clone();
                self.layout.close(&active);
            }
            LayoutChange::CloseTile => self.layout.close_tile(),
            LayoutChange::Split(side) => self.layout.split(side),
            LayoutChange::Cycle(forward) => self.layout.cycle(forward),
            LayoutChange::Maximise => self.layout.maximise(),
            LayoutChange::Reset => self.layout = Tiles::of(&self.offered),
        }
    }

    /// Draws all tiles that are seen into all the room there is; `draw` draws what is in them.
    pub fn ui(&mut self, ui: &mut Ui, draw: &mut dyn FnMut(&mut Ui, Pane)) {
        if self.layout.root.is_none() {
            if let Some(change) = empty_ui(ui) {
                self.change(change);
                ui.ctx().request_repaint();
            }
            return;
        }
        if self.layout.shown() != self.drawn.as_ref() {
            self.tree = tree_of(self.layout.shown());
        }
        let focused = ui.memory(eframe::egui::Memory::focused);
        let is_new_focus = focused != self.focused;
        self.focused = focused;
        let mut drawing = Drawing::new(&self.layout, focused.filter(|_| is_new_focus), draw);
        self.tree.ui(&mut drawing, ui);
        let (used, asked) = drawing.over();
        self.drawn = layout_of(&self.tree, self.layout.shown());
        let before = self.layout.clone();
        if self.layout.shown() != self.drawn.as_ref() {
            self.layout.put(self.drawn.clone());
        }
        if is_nested(&self.tree) {
            self.drawn = None;
            ui.ctx().request_repaint();
        }
        if let Some(used) = used {
            self.layout.activate(used);
        }
        for change in asked {
            self.change(change);
        }
        if self.layout != before {
            ui.ctx().request_repaint();
        }
    }
}
