//! The middle of the window: views and plots as tabs of tiles, which can be moved, split, maximised and closed.
//!
//! [`Tiles`] is the layout, which all commands change. The library that draws tiles gets a copy, and changes by dragging are
//! read back from it.

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

/// A plot or a view as a tab.
#[derive(Clone, Copy)]
pub struct Pane {
    /// Its name in files.
    pub name: &'static str,
    /// The title of its tab.
    pub title: &'static str,
    /// Its help text.
    pub help: &'static str,
    /// The plot, if it is one.
    pub plot: Option<&'static Plot>,
}

/// All plots, then all views, in the order of their registries.
pub fn panes() -> impl Iterator<Item = Pane> {
    let of_plot =
        |plot: &'static Plot| Pane { name: plot.name, title: plot.title, help: plot.help, plot: Some(plot) };
    let of_view =
        |view: &views::ViewEntry| Pane { name: view.name, title: view.title, help: view.help, plot: None };
    plots::ALL.iter().map(of_plot).chain(views::ALL.iter().map(of_view))
}

/// The plot or view with this name.
pub fn find(name: &str) -> Option<Pane> {
    panes().find(|pane| pane.name == name)
}

/// An action of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutChange {
    /// Show this view.
    Show(&'static str),
    /// Close it.
    Close(&'static str),
    /// Close the active view.
    CloseActive,
    /// Close all views in its tile.
    CloseTile,
    /// Move the active view into a new tile.
    Split(Side),
    /// Activate the next tab, or the previous one.
    Cycle(bool),
    /// Maximise its tile, or show all tiles again.
    Maximise,
    /// Restore the default layout.
    Reset,
}

/// The state of the tiles between frames.
pub struct Tiling {
    layout: Tiles,
    /// Whether the document has the default layout.
    is_new: bool,
    /// Plots that apply to the data, and all views.
    offered: Vec<&'static str>,
    tree: Tree<Pane>,
    /// The layout of the tree; `None` if it has to be rebuilt.
    drawn: Option<Tile>,
    /// The focused widget of the last frame.
    focused: Option<eframe::egui::Id>,
}

impl Default for Tiling {
    fn default() -> Self {
        let (layout, tree) = (Tiles::default(), tree_of(None));
        Self { layout, is_new: true, offered: Vec::new(), tree, drawn: None, focused: None }
    }
}

impl Tiling {
    /// The layout.
    pub const fn layout(&self) -> &Tiles {
        &self.layout
    }

    /// Takes the layout of a document, or the default one.
    pub fn take(&mut self, kept: Option<&Tiles>) {
        self.is_new = kept.is_none();
        self.layout = kept.cloned().unwrap_or_default();
        self.layout.limit(|view| find(view).is_some());
    }

    /// The layout to save; `None` for the default one.
    pub fn kept(&self) -> Option<Tiles> {
        (self.layout != Tiles::of(&self.offered)).then(|| self.layout.clone())
    }

    /// Restores a layout.
    pub fn arrange(&mut self, layout: Tiles) {
        self.layout = layout;
    }

    /// Adds tabs for all views and for `plots`, those that apply to the data. Returns whether that changed the layout.
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

    /// Applies an action.
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

    /// Draws all visible tiles into all available space; `draw` draws their contents.
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
        let (used, asked) = drawing.finish();
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
