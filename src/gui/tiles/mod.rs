//! The middle of the window: groups of views and plots in tiles, which can be moved, split, maximized and closed.
//!
//! [`Tiles`] has the layouts, which all commands change. The library that draws tiles gets a copy, and changes by dragging are
//! read back from it.

mod drawing;
mod empty;
mod head;
mod tree;

use std::collections::BTreeSet;

use eframe::egui::{Ui, Vec2, vec2};
use egui_tiles::Tree;

use super::panes::{Pane, find, panes};
use drawing::Drawing;
use empty::empty_ui;
pub use head::HEIGHT as HEAD;
use results::tiles::{Group, Layout, Side, Tile, Tiles};
use tree::{has_tabs, layout_of, tree_of};

/// In a smaller window, in points, a group has one tile at first.
const LARGE: Vec2 = vec2(1360.0, 840.0);

/// What panes are filled with.
pub trait Contents {
    /// Which arm, setting and seeds a pane shows, where it shows only some; may be empty.
    fn subject(&mut self, pane: Pane) -> String;
    /// Draws the controls of a pane into its head, from right to left, as far as there is room.
    fn tools_ui(&mut self, ui: &mut Ui, pane: Pane);
    /// Draws the entries of a pane into its menu.
    fn menu_ui(&mut self, ui: &mut Ui, pane: Pane);
    /// Draws the explanation of a pane.
    fn help_ui(&mut self, ui: &mut Ui, pane: Pane);
    /// Draws a pane into all available space.
    fn pane_ui(&mut self, ui: &mut Ui, pane: Pane);
}

/// An action of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutChange {
    /// Show this view, in its group or where it is.
    Show(&'static str),
    /// Show the second view in the place of the first.
    Replace(&'static str, &'static str),
    /// Close it.
    Close(&'static str),
    /// Close the active view.
    CloseActive,
    /// Open another view at a side of the active one.
    Split(Side),
    /// Show the next view of the group in the place of the active one, or the previous one.
    Cycle(bool),
    /// Maximize the active view, or show all tiles again.
    Maximize,
    /// Restore the default layout of the group.
    Reset,
    /// Show another group.
    Group(Group),
}

/// The state of the tiles between frames.
pub struct Tiling {
    /// The layouts that a person has changed.
    kept: Tiles,
    /// The layout on the screen.
    layout: Layout,
    /// The default of this group in this window.
    usual: Layout,
    /// The size of the area of tiles, and whether the window has room for several.
    area: Vec2,
    is_large: bool,
    /// Plots and views that have data.
    offered: Vec<&'static str>,
    /// Plots and views that have got their first data since they were on the screen, and groups since they were.
    new: BTreeSet<&'static str>,
    new_groups: BTreeSet<Group>,
    tree: Tree<Pane>,
    /// The layout of the tree; `None` if it has to be rebuilt.
    drawn: Option<Tile>,
    /// The focused widget of the last frame.
    focused: Option<eframe::egui::Id>,
}

impl Default for Tiling {
    fn default() -> Self {
        let mut tiling = Self {
            kept: Tiles::default(),
            layout: Layout::default(),
            usual: Layout::default(),
            area: LARGE,
            is_large: true,
            offered: Vec::new(),
            new: BTreeSet::new(),
            new_groups: BTreeSet::new(),
            tree: tree_of(None),
            drawn: None,
            focused: None,
        };
        tiling.settle(true);
        tiling
    }
}

impl Tiling {
    /// The layout on the screen.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The group on the screen.
    pub const fn group(&self) -> Group {
        self.kept.group
    }

    /// All layouts that a person has changed.
    pub const fn tiles(&self) -> &Tiles {
        &self.kept
    }

    /// The layouts to save; `None` for the default ones.
    pub fn kept(&self) -> Option<Tiles> {
        (self.kept != Tiles::default()).then(|| self.kept.clone())
    }

    /// Takes the layouts of a document, or the default ones.
    pub fn take(&mut self, kept: Option<&Tiles>) {
        self.kept = kept.cloned().unwrap_or_default();
        (self.offered, self.new, self.new_groups) = Default::default();
        for layout in self.kept.layouts.values_mut() {
            layout.limit(|view| find(view).is_some());
        }
        self.settle(true);
    }

    /// Restores layouts, and shows the group that they change.
    pub fn arrange(&mut self, tiles: Tiles) {
        let is_other = |group: &Group| match (tiles.layout(*group), self.kept.layout(*group)) {
            (Some(new), Some(old)) => !new.is_arranged_like(old),
            (new, old) => new.is_some() || old.is_some(),
        };
        let group = Group::ALL.into_iter().find(is_other).unwrap_or(self.kept.group);
        self.kept = Tiles { group, ..tiles };
        self.settle(true);
    }

    /// Notes which plots and views have data. Those of a document that is being read are no news.
    pub fn offer(&mut self, views: impl Iterator<Item = &'static str>, is_news: bool) {
        let before = std::mem::replace(&mut self.offered, views.collect());
        for view in self.offered.iter().filter(|view| is_news && !before.contains(*view)) {
            self.new.insert(*view);
            self.new_groups.extend(find(view).map(|pane| pane.group));
        }
        self.new_groups.remove(&self.group());
        self.settle(false);
    }

    /// Whether a view has something that was not on the screen yet.
    pub fn is_new(&self, view: &str) -> bool {
        self.new.contains(view)
    }

    /// The same of a group.
    pub fn is_new_group(&self, group: Group) -> bool {
        self.new_groups.contains(&group)
    }

    /// Whether a view has data, as far as that is known.
    pub fn has_data(&self, pane: Pane) -> bool {
        self.offered.contains(&pane.name)
    }

    /// Finds the default for the group, and takes it unless a person has changed it.
    fn settle(&mut self, is_other: bool) {
        let usual = self.default_layout();
        if let Some(kept) = self.kept.layout(self.kept.group) {
            if is_other {
                self.layout = kept.clone();
            }
        } else if is_other || usual != self.usual {
            let before = std::mem::replace(&mut self.layout, usual.clone());
            self.layout.activate(&before.active);
            self.layout.maximized = !is_other && before.maximized && self.layout.count() > 1;
        }
        self.usual = usual;
    }

    fn default_layout(&self) -> Layout {
        let is_known =
            |view: &&&str| self.offered.contains(*view) || find(view).is_some_and(|it| it.plot.is_none());
        let of = |views: &&'static [&'static str]| views.iter().find(is_known).or(views.first()).copied();
        let most = if self.is_large { usize::MAX } else { 1 };
        let views: Vec<&str> = self.kept.group.defaults().iter().filter_map(of).take(most).collect();
        let side = if self.area.x > 2.0 * self.area.y { Side::Right } else { Side::Below };
        Layout::of(&views, side).with_shares(self.kept.group.shares())
    }

    /// Keeps what a person has changed.
    fn keep(&mut self) {
        let is_usual = self.layout.is_arranged_like(&self.usual);
        self.kept.keep(self.kept.group, (!is_usual).then(|| self.layout.clone()));
    }

    /// Applies an action.
    pub fn change(&mut self, change: LayoutChange) {
        match change {
            LayoutChange::Show(view) => {
                let group = find(view).map_or(self.group(), |pane| pane.group);
                if !self.layout.views().contains(&view) && group != self.group() {
                    self.change(LayoutChange::Group(group));
                }
                self.layout.show(view);
            }
            LayoutChange::Replace(old, new) => self.layout.replace(old, new),
            LayoutChange::Close(view) => self.layout.close(view),
            LayoutChange::CloseActive => {
                let active = self.layout.active.clone();
                self.layout.close(&active);
            }
            LayoutChange::Split(side) => {
                let shown = |pane: &Pane| self.layout.views().contains(&pane.name);
                let any = || panes().find(|pane| !shown(pane)).map(|pane| pane.name);
                if let Some(view) = self.other(true).or_else(any) {
                    self.layout.split(side, view);
                }
            }
            LayoutChange::Cycle(forward) => {
                if let Some(view) = self.other(forward) {
                    let active = self.layout.active.clone();
                    self.layout.replace(&active, view);
                }
            }
            LayoutChange::Maximize => self.layout.maximize(),
            LayoutChange::Reset => self.layout = self.usual.clone(),
            LayoutChange::Group(group) => {
                self.kept.group = group;
                self.new_groups.remove(&group);
                self.settle(true);
            }
        }
        self.keep();
    }

    /// The next view of the group that has no tile, or the previous one; one with data, if there is one.
    fn other(&self, forward: bool) -> Option<&'static str> {
        let all: Vec<Pane> = panes().filter(|pane| pane.group == self.group()).collect();
        let at = all.iter().position(|pane| pane.name == self.layout.active).unwrap_or_default();
        let mut others: Vec<Pane> = all[at..].iter().chain(&all[..at]).copied().collect();
        if !forward {
            others.reverse();
        }
        others.retain(|pane| !self.layout.views().contains(&pane.name));
        others.sort_by_key(|pane| !self.has_data(*pane));
        others.first().map(|pane| pane.name)
    }

    /// Draws all visible tiles into all available space.
    pub fn ui(&mut self, ui: &mut Ui, contents: &mut dyn Contents) {
        let window = ui.ctx().content_rect().size();
        (self.area, self.is_large) = (ui.available_size(), window.x >= LARGE.x && window.y >= LARGE.y);
        self.settle(false);
        if self.layout.root.is_none() {
            if let Some(change) = empty_ui(ui, self.group()) {
                self.change(change);
                ui.ctx().request_repaint();
            }
            return;
        }
        let shown = self.layout.shown();
        if shown != self.drawn {
            self.tree = tree_of(shown.as_ref());
        }
        let focused = ui.memory(eframe::egui::Memory::focused);
        let is_new_focus = focused != self.focused;
        self.focused = focused;
        for view in self.layout.seen() {
            self.new.remove(view);
        }
        let mut tree = std::mem::replace(&mut self.tree, tree_of(None));
        let mut drawing = Drawing::new(self, focused.filter(|_| is_new_focus), contents);
        tree.ui(&mut drawing, ui);
        let (used, asked) = drawing.finish();
        self.tree = tree;
        self.drawn = layout_of(&self.tree);
        let before = self.layout.clone();
        if shown != self.drawn {
            self.layout.put(self.drawn.clone());
            self.keep();
        }
        if has_tabs(&self.tree) {
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
