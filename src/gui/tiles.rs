//! The middle of the window: groups of views and plots in tiles, which can be moved, split, maximized and closed.
//!
//! [`Tiles`] has the layouts, which all commands change. The library that draws tiles gets a tree made from one of them in
//! each frame, and changes by dragging are read back from it.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{
    self, Align, Button, Color32, FontId, Frame, Id, PopupCloseBehavior, Rect, RichText, Sense, Stroke,
    Style, Ui, UiBuilder, Vec2, Visuals, WidgetInfo, WidgetText, vec2,
};
use egui_tiles::{Behavior, Container, Linear, LinearDir, ResizeState, TileId, Tree, UiResponse};

use super::views;
use crate::icons::Icon;
use crate::text::first_statement;
use crate::theme::{self, NAME, STEP, present};
use crate::widgets;
use figure::plots::{self, Plot};
use results::tiles::{Group, Layout, Part, Side, Tile, Tiles};

/// In a smaller window, in points, a group has one tile at first.
const LARGE: Vec2 = vec2(1360.0, 840.0);

/// The contents of panes.
pub trait Contents {
    /// Returns which arm, setting and seeds a pane shows, where it shows only some; may be empty.
    fn subject(&mut self, pane: Pane) -> String;
    /// Draws the controls of a pane into its head, from right to left, as far as there is room.
    fn tools_ui(&mut self, ui: &mut Ui, pane: Pane);
    fn menu_ui(&mut self, ui: &mut Ui, pane: Pane);
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
    CloseActive,
    /// Open another view at a side of the active one.
    Split(Side),
    /// Show the next view of the group in the place of the active one, or the previous one.
    Cycle(bool),
    Maximize,
    Reset,
    Group(Group),
}

/// The state of the tiles between frames.
pub struct Tiling {
    /// The layouts that a person has changed.
    kept: Tiles,
    /// The views that answer the question of the document, if it was a template: the default of their group.
    first: &'static [&'static str],
    /// The group that a person chose last, whose panels are open.
    chosen: Group,
    layout: Layout,
    /// The default of this group in this window.
    usual: Layout,
    /// The size of the area of tiles, and whether the window has room for several.
    area: Vec2,
    is_large: bool,
    offered: Vec<&'static str>,
    /// Plots and views that have got their first data since they were on the screen, and groups since they were.
    new: BTreeSet<&'static str>,
    new_groups: BTreeSet<Group>,
    /// The groups that were brought to the front.
    brought: BTreeSet<Group>,
    /// True while new data are those of runs, and not of a document that is being read.
    has_news: bool,
    /// True if a person has chosen or used a view since the start of the runs.
    is_used: bool,
    focused: Option<Id>,
}

impl Default for Tiling {
    fn default() -> Self {
        let mut tiling = Self {
            kept: Tiles::default(),
            first: &[],
            chosen: Group::default(),
            layout: Layout::default(),
            usual: Layout::default(),
            area: LARGE,
            is_large: true,
            offered: Vec::new(),
            new: BTreeSet::new(),
            new_groups: BTreeSet::new(),
            brought: BTreeSet::new(),
            has_news: false,
            is_used: false,
            focused: None,
        };
        tiling.settle(true);
        tiling
    }
}

impl Tiling {
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    pub const fn group(&self) -> Group {
        self.kept.group
    }

    pub const fn tiles(&self) -> &Tiles {
        &self.kept
    }

    /// Returns the group that a person chose last: another one may have come to the front since, but the panels stay.
    pub const fn chosen(&self) -> Group {
        self.chosen
    }

    /// Returns the layouts to save; `None` for the default ones, where these are the `first` views by its present name.
    pub fn kept(&self, first: &[&str]) -> Option<Tiles> {
        (self.kept != Tiles { group: home_of(first), ..Tiles::default() }).then(|| self.kept.clone())
    }

    /// Takes the layouts of a document, or the default ones: those of its template, if there are `first` views of one.
    pub fn take(&mut self, kept: Option<&Tiles>, first: &'static [&'static str]) {
        self.first = first;
        self.kept = kept.cloned().unwrap_or_else(|| Tiles { group: home_of(self.first), ..Tiles::default() });
        self.chosen = self.kept.group;
        (self.offered, self.new, self.new_groups, self.brought) = Default::default();
        for layout in self.kept.layouts.values_mut() {
            layout.limit(|view| pane_named(view).is_some());
        }
        self.settle(true);
    }

    /// Restores layouts, and shows the group that they change.
    pub fn arrange(&mut self, tiles: Tiles) {
        let root = |tiles: &Tiles, group| tiles.layout(group).map(|layout| layout.root.clone());
        let is_other = |group: &Group| root(&tiles, *group) != root(&self.kept, *group);
        let group = Group::ALL.into_iter().find(is_other).unwrap_or(self.kept.group);
        self.kept = Tiles { group, ..tiles };
        self.chosen = group;
        self.settle(true);
    }

    /// Notes which plots and views have data. Those of a document that is being read are no news. While runs go on, and until
    /// what they gave `is_known`, the first of a kind bring their group to the front, once, unless a person has chosen or
    /// used a view since the start.
    pub fn offer(&mut self, views: impl Iterator<Item = &'static str>, [is_running, is_known]: [bool; 2]) {
        self.is_used &= self.has_news || !is_running;
        let has_news = is_running || self.has_news;
        self.has_news = is_running || (self.has_news && !is_known);
        let before = std::mem::replace(&mut self.offered, views.collect());
        let is_news = |view: &&&str| has_news && !before.contains(*view);
        let news: Vec<Pane> =
            self.offered.iter().filter(is_news).filter_map(|view| pane_named(view)).collect();
        let mut is_other = false;
        for Pane { name, group, .. } in news {
            self.new.insert(name);
            self.new_groups.insert(group);
            let is_answer = group.is_special() || group == home_of(self.first);
            if is_answer && !self.is_used && self.brought.insert(group) {
                is_other |= group != self.kept.group;
                self.kept.group = group;
            }
        }
        self.new_groups.remove(&self.group());
        self.settle(is_other);
    }

    /// Returns true if a view has something that was not on the screen yet.
    pub fn is_new(&self, view: &str) -> bool {
        self.new.contains(view)
    }

    /// Returns true if a group has something that was not on the screen yet.
    pub fn is_new_group(&self, group: Group) -> bool {
        self.new_groups.contains(&group)
    }

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
        let has_data = |view: &&&str| self.offered.contains(*view);
        let group = self.kept.group;
        let (shares, mut tiles): (Vec<f32>, Vec<&[&str]>) = group.defaults().iter().copied().unzip();
        if group == home_of(self.first) && !self.first.is_empty() {
            tiles = self.first.chunks(1).collect();
        }
        let of = |views: &&'static [&'static str]| views.iter().find(has_data).copied();
        let most = if self.is_large { usize::MAX } else { 1 };
        let mut views: Vec<&str> = tiles.iter().filter_map(of).take(most).collect();
        if views.is_empty() {
            views.extend(tiles.first().and_then(|views| views.first())); // it says what there will be
        }
        let side = if self.area.x > 2.0 * self.area.y { Side::Right } else { Side::Below };
        Layout::new(&views, side).with_shares(&shares)
    }

    fn keep(&mut self) {
        let is_usual = self.layout.is_arranged_like(&self.usual);
        self.kept.keep(self.kept.group, (!is_usual).then(|| self.layout.clone()));
    }

    /// Applies an action.
    pub fn change(&mut self, change: LayoutChange) {
        self.is_used = true;
        match change {
            LayoutChange::Show(view) => {
                let group = pane_named(view).map_or(self.group(), |pane| pane.group);
                if !self.layout.views().contains(&view) && group != self.group() {
                    self.change(LayoutChange::Group(group));
                }
                self.layout.show(view);
            }
            LayoutChange::Replace(old, new) => self.layout.replace(old, new),
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
                (self.kept.group, self.chosen) = (group, group);
                self.new_groups.remove(&group);
                self.settle(true);
            }
        }
        self.keep();
    }

    /// Returns the next view of the group that has no tile, or the previous one; one with data, if there is one.
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
            if empty_ui(ui) {
                self.change(LayoutChange::Reset);
                ui.ctx().request_repaint();
            }
            return;
        }
        let focused = ui.memory(egui::Memory::focused);
        let is_new_focus = focused != self.focused;
        self.focused = focused;
        for view in self.layout.seen() {
            self.new.remove(view);
        }
        let shown = self.layout.shown();
        let mut tree = tree_of(shown.as_ref());
        let focused = focused.filter(|_| is_new_focus);
        let mut drawing = Drawing { tiling: self, focused, contents, used: None, asked: Vec::new() };
        tree.ui(&mut drawing, ui);
        let Drawing { used, asked, .. } = drawing;
        let (drawn, before) = (layout_of(&tree), self.layout.clone());
        if shown != drawn {
            self.layout.put(drawn);
            self.keep();
        }
        if let Some(used) = used {
            self.is_used = true;
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

/// Returns the group in which a document with these first views opens.
fn home_of(first: &[&str]) -> Group {
    first.first().and_then(|view| pane_named(view)).map_or_else(Group::default, |pane| pane.group)
}

/// The input for drawing tiles, and the actions of a person in this frame.
struct Drawing<'a> {
    tiling: &'a Tiling,
    /// The widget that has received the keyboard focus in this frame.
    focused: Option<Id>,
    contents: &'a mut dyn Contents,
    /// The view that was clicked or has received the keyboard focus.
    used: Option<&'static str>,
    asked: Vec<LayoutChange>,
}

impl Drawing<'_> {
    /// Returns true if a view is used in this frame: a click on a window above it does not count.
    fn is_used(&self, ui: &Ui, rect: Rect) -> bool {
        let is_pressed = ui.input(|input| input.pointer.any_pressed()) && ui.rect_contains_pointer(rect);
        let has_focus = || {
            let response = self.focused.and_then(|id| ui.ctx().read_response(id));
            response.is_some_and(|it| it.layer_id == ui.layer_id() && rect.contains_rect(it.rect))
        };
        is_pressed || has_focus()
    }
}

impl Behavior<Pane> for Drawing<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, theme::present(ui).canvas);
        let (head, body) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        let is_dragged = head_ui(ui, head, *pane, self.tiling, self.contents, &mut self.asked);
        ui.scope_builder(UiBuilder::new().max_rect(body), |ui| {
            let margin = egui::Margin { left: 8, right: 8, top: 0, bottom: 8 };
            Frame::new().inner_margin(margin).show(ui, |ui| self.contents.pane_ui(ui, *pane));
        });
        if self.is_used(ui, rect) {
            self.used = Some(pane.name);
        }
        if is_dragged { UiResponse::DragStarted } else { UiResponse::None }
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        pane.title.into()
    }

    fn resize_stroke(&self, style: &Style, state: ResizeState) -> Stroke {
        match state {
            ResizeState::Idle => style.visuals.widgets.noninteractive.bg_stroke,
            ResizeState::Hovering | ResizeState::Dragging => style.visuals.widgets.hovered.bg_stroke,
        }
    }

    fn drag_preview_stroke(&self, visuals: &Visuals) -> Stroke {
        visuals.widgets.hovered.bg_stroke
    }

    fn drag_preview_color(&self, visuals: &Visuals) -> Color32 {
        visuals.selection.bg_fill.gamma_multiply(0.5)
    }

    fn min_size(&self) -> f32 {
        8.0 * theme::STEP
    }

    fn cycle_tabs_with_keyboard(&self) -> bool {
        false // a command does it
    }
}

/// Says how to open views; returns true if those of the beginning are wanted.
fn empty_ui(ui: &mut Ui) -> bool {
    let space = ui.available_size();
    ui.allocate_ui_with_layout(space, egui::Layout::top_down(Align::Center), |ui| {
        ui.add_space(space.y * 0.2);
        ui.label(RichText::new("All views are closed").strong());
        let how = "Open one from the View menu, or by name in the command palette (Ctrl+Shift+P)";
        ui.label(RichText::new(how).weak());
        ui.add_space(theme::STEP);
        ui.add(widgets::button(None, "Open the default views")).clicked()
    })
    .inner
}

pub const HEAD: f32 = 40.0;

/// The largest share of the room beside the title for what a view shows.
const SUBJECT: f32 = 0.4;

const HELP: f32 = 360.0;

/// Draws the head of a tile. Returns true while it is dragged.
fn head_ui(
    ui: &mut Ui,
    rect: Rect,
    pane: Pane,
    tiling: &Tiling,
    contents: &mut dyn Contents,
    asked: &mut Vec<LayoutChange>,
) -> bool {
    let ground = ui.interact(rect, ui.scope_id().with("head"), Sense::click_and_drag());
    let inner = rect.shrink2(vec2(STEP, 0.0));
    let left = UiBuilder::new().max_rect(inner).layout(egui::Layout::left_to_right(Align::Center));
    let left = ui.scope_builder(left, |ui| {
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        views_ui(ui, pane, tiling, asked);
        help_ui(ui, pane, contents);
        subject_ui(ui, &contents.subject(pane));
    });
    let rest = inner.with_min_x(left.response.rect.right() + STEP);
    let right = UiBuilder::new().max_rect(rest).layout(egui::Layout::right_to_left(Align::Center));
    ui.scope_builder(right, |ui| {
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        menu_ui(ui, pane, tiling, contents, asked);
        if tiling.layout.count() > 1 {
            let is_large = tiling.layout.maximized;
            let (icon, name) =
                if is_large { (Icon::ArrowsIn, "Show all tiles") } else { (Icon::ArrowsOut, "Maximize") };
            let button = widgets::icon_button_ui(ui, true, icon, name);
            if button.accessible_name(format!("{name}: {}", pane.title)).clicked() {
                asked.extend([LayoutChange::Show(pane.name), LayoutChange::Maximize]);
            }
        }
        contents.tools_ui(ui, pane);
    });
    ground.drag_started()
}

/// Draws the title, which lists the views of the group, and those of the others below "More".
fn views_ui(ui: &mut Ui, pane: Pane, tiling: &Tiling, asked: &mut Vec<LayoutChange>) {
    let is_active = tiling.layout.active == pane.name || tiling.layout.count() < 2;
    let colours = present(ui);
    let ink = if is_active { colours.text } else { colours.text2 };
    let title = RichText::new(pane.title).font(theme::medium(NAME)).color(ink);
    let button = Button::new((title, Icon::CaretDown.atom(12.0))).frame_when_inactive(false);
    let (button, _) = MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_min_width(200.0);
        let mut entry = |ui: &mut Ui, other: Pane| {
            let text = RichText::new(other.title);
            let text = if tiling.has_data(other) { text } else { text.color(colours.text3) };
            let mark = if tiling.is_new(other.name) { "•" } else { "" };
            let button = Button::selectable(other.name == pane.name, text).shortcut_text(mark);
            let button = ui.add(button).accessible_name(other.title);
            if button.on_hover_text(first_statement(other.help)).clicked() {
                asked.push(LayoutChange::Replace(pane.name, other.name));
                ui.close();
            }
        };
        let group = tiling.group();
        panes().filter(|other| other.group == group).for_each(|other| entry(ui, other));
        ui.separator();
        ui.menu_button("More", |ui| {
            panes().filter(|other| other.group != group).for_each(|other| entry(ui, other));
        });
    });
    button.accessible_name(pane.title).on_hover_text(first_statement(pane.help));
}

/// Draws which arm, setting and seeds the view shows; without its middle where it does not fit.
fn subject_ui(ui: &mut Ui, subject: &str) {
    if subject.is_empty() {
        return;
    }
    let font = FontId::proportional(theme::SMALL);
    let shown = theme::fitted(ui.painter(), subject, &font, SUBJECT * ui.available_width());
    let galley = ui.painter().layout_no_wrap(shown, font, present(ui).text2);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    ui.painter().galley(rect.min, galley, present(ui).text2);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Shows {subject}")));
    response.on_hover_text(subject);
}

/// Draws a popup with the help of a view.
fn help_ui(ui: &mut Ui, pane: Pane, contents: &mut dyn Contents) {
    let icon = Icon::Question.coloured(widgets::ICON, Some(present(ui).text3));
    let button = Button::new(icon).frame_when_inactive(false);
    let (button, _) = MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_width(HELP.min(ui.ctx().content_rect().width() - 4.0 * STEP));
        ui.with_layout(egui::Layout::top_down(Align::Min), |ui| {
            ui.label(RichText::new(pane.title).font(theme::medium(NAME)));
            ui.label(pane.help);
            contents.help_ui(ui, pane);
        });
    });
    button.accessible_name(format!("Help on {}", pane.title)).on_hover_text("What this view shows");
}

fn menu_ui(
    ui: &mut Ui,
    pane: Pane,
    tiling: &Tiling,
    contents: &mut dyn Contents,
    asked: &mut Vec<LayoutChange>,
) {
    let button = Button::new(Icon::DotsThree.atom(widgets::ICON)).frame_when_inactive(false);
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (button, _) = MenuButton::from_button(button).config(config).ui(ui, |ui| {
        ui.set_min_width(200.0);
        contents.menu_ui(ui, pane);
        let maximize = if tiling.layout.maximized { "Show all tiles" } else { "Maximize" };
        let has_others = tiling.layout.count() > 1;
        for (text, is_possible, change) in [
            ("Split right", true, LayoutChange::Split(Side::Right)),
            ("Split down", true, LayoutChange::Split(Side::Below)),
            (maximize, has_others, LayoutChange::Maximize),
            ("Close view", true, LayoutChange::CloseActive),
        ] {
            let button = ui.add_enabled(is_possible, Button::new(text));
            if button.on_disabled_hover_text("There is no other tile").clicked() {
                asked.extend([LayoutChange::Show(pane.name), change]);
                ui.close();
            }
        }
    });
    button.accessible_name(format!("Menu of {}", pane.title)).on_hover_text("More");
}

/// Identities of tiles with several views start here; smaller ones are indices of views in the registry.
const CONTAINERS: u64 = 1_000;

/// Returns the tree of a layout, or an empty one. A view has the same identity in every tree, so that it keeps its
/// state when other tiles move. Unknown views are left out.
fn tree_of(tile: Option<&Tile>) -> Tree<Pane> {
    let mut tree = Tree::empty(Id::unique("tiles"));
    let mut next = CONTAINERS;
    tree.root = tile.and_then(|tile| insert(&mut tree, tile, &mut next));
    tree.tiles.recompute_next_tile_id();
    tree
}

fn insert(tree: &mut Tree<Pane>, tile: &Tile, next: &mut u64) -> Option<TileId> {
    let (dir, parts) = match tile {
        Tile::View(view) => {
            let pane = pane_named(view)?;
            let id = TileId::from_u64(place(pane));
            tree.tiles.insert(id, egui_tiles::Tile::Pane(pane));
            return Some(id);
        }
        Tile::Row(parts) => (LinearDir::Horizontal, parts),
        Tile::Column(parts) => (LinearDir::Vertical, parts),
    };
    let id = TileId::from_u64(*next);
    *next += 1;
    let mut linear = Linear::new(dir, Vec::new());
    for part in parts {
        let Some(child) = insert(tree, &part.tile, next) else { continue };
        linear.add_child(child);
        linear.shares.set_share(child, part.share);
    }
    tree.tiles.insert(id, egui_tiles::Tile::Container(Container::Linear(linear)));
    Some(id)
}

fn place(pane: Pane) -> u64 {
    panes().position(|known| known.name == pane.name).unwrap_or_default() as u64
}

/// Returns the layout of a tree; `None` without views. A drop on the middle of a view makes tabs, which no layout has: it
/// comes beside that view.
fn layout_of(tree: &Tree<Pane>) -> Option<Tile> {
    tile_of(tree, tree.root?)
}

fn tile_of(tree: &Tree<Pane>, id: TileId) -> Option<Tile> {
    let container = match tree.tiles.get(id)? {
        egui_tiles::Tile::Pane(pane) => return Some(Tile::View(pane.name.to_owned())),
        egui_tiles::Tile::Container(container) => container,
    };
    let share = |child: &TileId| match container {
        Container::Linear(linear) => linear.shares[*child],
        Container::Tabs(_) | Container::Grid(_) => 1.0,
    };
    let part = |child: &TileId| Some(Part { share: share(child), tile: tile_of(tree, *child)? });
    let parts: Vec<Part> = container.children().filter_map(part).collect();
    match container {
        _ if parts.is_empty() => None,
        Container::Linear(Linear { dir: LinearDir::Vertical, .. }) => Some(Tile::Column(parts)),
        Container::Linear(_) | Container::Tabs(_) | Container::Grid(_) => Some(Tile::Row(parts)),
    }
}

/// A plot or a view.
#[derive(Clone, Copy)]
pub struct Pane {
    pub name: &'static str,
    pub title: &'static str,
    pub group: Group,
    pub help: &'static str,
    pub plot: Option<&'static Plot>,
}

/// Returns all plots, then all views, in the order of their registries.
pub fn panes() -> impl Iterator<Item = Pane> {
    let of_plot = |plot: &'static Plot| {
        let Plot { name, title, group, help, .. } = *plot;
        Pane { name, title, group, help, plot: Some(plot) }
    };
    let of_view = |view: &views::ViewEntry| {
        let views::ViewEntry { name, title, group, help, .. } = *view;
        Pane { name, title, group, help, plot: None }
    };
    plots::ALL.iter().map(of_plot).chain(views::ALL.iter().map(of_view))
}

/// Returns the plot or view with this name.
pub fn pane_named(name: &str) -> Option<Pane> {
    panes().find(|pane| pane.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::tiles::{Layout, Side};

    #[test]
    fn a_layout_is_the_same_when_it_comes_back() {
        let mut layout = Layout::new(&["accuracy", "loss"], Side::Below);
        for (view, side) in [("runs", Side::Right), ("network", Side::Below), ("notes", Side::Right)] {
            layout.split(side, view);
            assert_eq!(layout_of(&tree_of(layout.root.as_ref())), layout.root);
        }
        assert_eq!(layout_of(&tree_of(None)), None);
    }

    #[test]
    fn what_is_dropped_on_the_middle_of_a_view_comes_beside_it() {
        let mut tree = tree_of(Layout::new(&["accuracy", "loss"], Side::Below).root.as_ref());
        let children: Vec<TileId> =
            ["accuracy", "loss"].map(|name| TileId::from_u64(place(pane_named(name).unwrap()))).into();
        tree.root = Some(tree.tiles.insert_tab_tile(children));
        assert_eq!(layout_of(&tree), Layout::new(&["accuracy", "loss"], Side::Right).root);
    }

    #[test]
    fn results_that_were_there_bring_nothing_to_the_front_and_those_of_runs_do_even_if_read_late() {
        let mut tiling = Tiling::default();
        let mut offer = |views: &[&'static str], is_running, is_known| {
            tiling.offer(views.iter().copied(), [is_running, is_known]);
            (tiling.group(), tiling.is_new("past"))
        };
        assert_eq!(offer(&["accuracy", "past"], false, true), (Group::Curves, false));
        assert_eq!(offer(&["accuracy", "past"], true, true), (Group::Curves, false));
        assert_eq!(offer(&["accuracy"], false, true), (Group::Curves, false));
        assert_eq!(offer(&["accuracy", "past"], false, true), (Group::Curves, false), "another document's");
        assert_eq!(offer(&["accuracy"], true, false), (Group::Curves, false));
        assert_eq!(offer(&["accuracy"], false, false), (Group::Curves, false), "the runs are over");
        assert_eq!(offer(&["accuracy", "past"], false, true), (Group::Geometry, true));
        tiling.change(LayoutChange::Group(Group::Curves));
        tiling.offer(["accuracy"].into_iter(), [true, true]);
        tiling.offer(["accuracy", "past"].into_iter(), [true, true]);
        assert_eq!(tiling.group(), Group::Curves, "once");
    }

    #[test]
    fn every_view_has_a_number_of_its_own_below_those_of_containers() {
        let places: Vec<u64> = panes().map(place).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]) && places.last() < Some(&CONTAINERS));
    }
}
