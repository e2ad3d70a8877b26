//! Draws tiles: tabs, their menus and their contents.

use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{
    Align, Color32, Frame, Id, Layout, PointerButton, Rect, Response, RichText, Sense, Stroke, Style,
    TextStyle, TextWrapMode, Ui, Visuals, WidgetInfo, WidgetText, pos2, vec2,
};
use egui_tiles::{Behavior, ResizeState, SimplificationOptions, TabState, Tabs, TileId, UiResponse};

use super::{LayoutChange, Pane, panes};
use crate::gui::form::sign::{self, Sign};
use crate::gui::text::first_statement;
use crate::gui::theme;
use crate::results::tiles::{Side, Tiles};

/// Height of the row of tabs, in points.
const BAR: f32 = 28.0;
/// A narrower row of tabs, in points, has only the menu, which has the entries of all buttons.
const NARROW: f32 = 200.0;
/// The most attempts to scroll a row of tabs to the open one, since a tab may be wider than its row.
const TRIES: u8 = 8;
/// Width of a help text, in points.
const HELP: f32 = 360.0;

/// The input for drawing tiles, and the actions of a person in this frame.
pub struct Drawing<'a> {
    layout: &'a Tiles,
    /// The widget that has received the keyboard focus in this frame.
    focused: Option<Id>,
    draw: &'a mut dyn FnMut(&mut Ui, Pane),
    /// The view that was clicked or has received the keyboard focus.
    used: Option<&'static str>,
    asked: Vec<LayoutChange>,
    /// Width of the current row of tabs, in points.
    row: f32,
}

impl<'a> Drawing<'a> {
    /// Before drawing.
    pub fn new(layout: &'a Tiles, focused: Option<Id>, draw: &'a mut dyn FnMut(&mut Ui, Pane)) -> Self {
        Self { layout, focused, draw, used: None, asked: Vec::new(), row: 0.0 }
    }

    /// The view that was used, and the actions.
    pub fn finish(self) -> (Option<&'static str>, Vec<LayoutChange>) {
        (self.used, self.asked)
    }

    /// Whether a view is used in this frame: a click on a window above it does not count.
    fn is_used(&self, ui: &Ui, rect: Rect) -> bool {
        let is_pressed = ui.input(|input| input.pointer.any_pressed()) && ui.rect_contains_pointer(rect);
        let has_focus = || {
            let response = self.focused.and_then(|id| ui.ctx().read_response(id));
            response.is_some_and(|it| it.layer_id == ui.layer_id() && rect.contains_rect(it.rect))
        };
        is_pressed || has_focus()
    }

    /// The menu entries of a view and its tile.
    fn entries_ui(&mut self, ui: &mut Ui, pane: Pane) {
        let tabs = self.layout.tabs(pane.name);
        let mut entry = |ui: &mut Ui, text: &str, is_possible: bool, why_not: &str, change: LayoutChange| {
            let button = ui.add_enabled(is_possible, eframe::egui::Button::new(text));
            if button.on_disabled_hover_text(why_not).clicked() {
                self.asked.extend([LayoutChange::Show(pane.name), change]);
                ui.close();
            }
        };
        let alone = "It is already alone in its tile";
        entry(ui, "Move to the right", tabs > 1, alone, LayoutChange::Split(Side::Right));
        entry(ui, "Move below", tabs > 1, alone, LayoutChange::Split(Side::Below));
        let maximise = if self.layout.maximised { "Show all tiles" } else { "Maximise" };
        entry(ui, maximise, self.layout.count() > 1, "There is no other tile", LayoutChange::Maximise);
        entry(ui, "Close this view", true, "", LayoutChange::CloseActive);
    }

    fn menu_ui(&mut self, ui: &mut Ui, pane: Pane, tabs: &[Pane]) {
        ui.set_min_width(180.0);
        if tabs.len() > 1 {
            for tab in tabs {
                if ui.radio(tab.name == pane.name, tab.title).clicked() {
                    self.asked.push(LayoutChange::Show(tab.name));
                    ui.close();
                }
            }
            ui.separator();
        }
        self.entries_ui(ui, pane);
        ui.separator();
        ui.menu_button("What it shows", |ui| help_text_ui(ui, pane));
        ui.menu_button("Open here", |ui| {
            for other in panes().filter(|other| !tabs.iter().any(|tab| tab.name == other.name)) {
                if ui.button(other.title).on_hover_text(first_statement(other.help)).clicked() {
                    // In this tile, even if it was in another one.
                    self.asked.extend([LayoutChange::Close(other.name), LayoutChange::Show(pane.name)]);
                    self.asked.push(LayoutChange::Show(other.name));
                    ui.close();
                }
            }
        });
    }
}

/// A popup with the help of a view.
fn help_ui(ui: &mut Ui, pane: Pane) {
    let button = MenuButton::from_button(sign::text_button("?"));
    let (response, _) = button.ui(ui, |ui| help_text_ui(ui, pane));
    response.accessible_name(format!("Help on {}", pane.title)).on_hover_text("What this view shows");
}

fn help_text_ui(ui: &mut Ui, pane: Pane) {
    ui.set_width(HELP.min(ui.ctx().content_rect().width() - 4.0 * theme::STEP));
    ui.with_layout(Layout::top_down(Align::Min), |ui| {
        ui.label(RichText::new(pane.title).strong());
        ui.label(pane.help);
    });
}

impl Behavior<Pane> for Drawing<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, theme::present(ui).canvas);
        let frame = Frame::new().inner_margin(theme::STEP);
        frame.show(ui, |ui| (self.draw)(ui, *pane));
        if self.is_used(ui, rect) {
            self.used = Some(pane.name);
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        pane.title.into()
    }

    fn tab_ui(
        &mut self,
        tiles: &mut egui_tiles::Tiles<Pane>,
        ui: &mut Ui,
        id: Id,
        tile: TileId,
        state: &TabState,
    ) -> Response {
        let pane = tiles.get_pane(&tile).copied();
        let is_active = pane.is_some_and(|pane| pane.name == self.layout.active);
        let title = pane.map_or("", |pane| pane.title);
        let response = tab_ui(ui, id, title, state, is_active && self.layout.count() > 1);
        let Some(pane) = pane else { return response };
        if state.active {
            scroll_to(ui, &response, OpenedTab { tile, row: self.row });
        }
        if response.clicked() {
            self.used = Some(pane.name);
        }
        if response.clicked_by(PointerButton::Middle) {
            self.asked.push(LayoutChange::Close(pane.name));
        }
        response.context_menu(|ui| self.entries_ui(ui, pane));
        response.on_hover_text(first_statement(pane.help))
    }

    fn top_bar_right_ui(
        &mut self,
        tiles: &egui_tiles::Tiles<Pane>,
        ui: &mut Ui,
        _tile: TileId,
        tabs: &Tabs,
        scroll_offset: &mut f32,
    ) {
        self.row = ui.max_rect().width();
        if let Some(active) = tabs.active {
            *scroll_offset += ui.data_mut(|data| data.remove_temp::<f32>(hidden(active))).unwrap_or_default();
        }
        let of = |id: &TileId| tiles.get_pane(id).copied();
        let Some(pane) = tabs.active.as_ref().and_then(of) else { return };
        let all: Vec<Pane> = tabs.children.iter().filter_map(of).collect();
        ui.spacing_mut().item_spacing.x = 0.5 * theme::STEP;
        let is_narrow = ui.available_width() < NARROW;
        if !is_narrow {
            let close = ui.add(Sign::Cross.button()).accessible_name(format!("Close {}", pane.title));
            if close.on_hover_text(format!("Closes {}; reopen it from the View menu", pane.title)).clicked() {
                self.asked.push(LayoutChange::Close(pane.name));
            }
        }
        let menu = MenuButton::from_button(Sign::More.button());
        let (more, _) = menu.ui(ui, |ui| self.menu_ui(ui, pane, &all));
        more.accessible_name(format!("Tile of {}", pane.title))
            .on_hover_text("All views, and where to put this one");
        if !is_narrow {
            help_ui(ui, pane);
        }
    }

    fn tab_bar_height(&self, _style: &Style) -> f32 {
        BAR
    }

    fn tab_bar_color(&self, visuals: &Visuals) -> Color32 {
        visuals.panel_fill
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

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
    }
}

/// The key of the stored distance that the open tab is out of sight, in points.
fn hidden(tab: TileId) -> Id {
    Id::unique(("hidden part of a tab", tab.0))
}

/// An open tab in a row of this width, in points.
#[derive(Clone, Copy, PartialEq)]
struct OpenedTab {
    tile: TileId,
    row: f32,
}

/// Scrolls to an opened tab until it is visible, and not afterwards, so that a person can scroll on.
fn scroll_to(ui: &Ui, tab: &Response, opened: OpenedTab) {
    let key = ui.scope_id().with("opened tab");
    let last = ui.data(|data| data.get_temp::<(OpenedTab, u8)>(key));
    let left = last.filter(|last| last.0 == opened).map_or(TRIES, |last| last.1);
    if left == 0 {
        return;
    }
    let (seen, rect) = (ui.clip_rect(), tab.rect);
    // The buttons at both ends of the row need space too.
    let margin = (0.5 * (seen.width() - rect.width())).clamp(0.0, 1.5 * BAR);
    let beyond = f32::max(rect.right() - seen.right(), 0.0) - f32::max(seen.left() - rect.left(), 0.0);
    let is_seen = beyond.abs() <= 1.0;
    if !is_seen {
        let far = beyond + beyond.signum() * margin;
        ui.data_mut(|data| data.insert_temp(hidden(opened.tile), far));
        ui.ctx().request_repaint();
    }
    // The row gets its buttons after its first frame, so a tab has to be visible twice.
    let left = left.saturating_sub(if is_seen { TRIES / 2 } else { 1 });
    ui.data_mut(|data| data.insert_temp(key, (opened, left)));
}

/// Draws a tab: the open one has the background of its contents, that of the active view a coloured line above.
fn tab_ui(ui: &mut Ui, id: Id, title: &str, state: &TabState, is_active: bool) -> Response {
    let font = TextStyle::Button.resolve(ui.style());
    let galley = WidgetText::from(title).into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, font);
    let (_, rect) = ui.allocate_space(vec2(galley.size().x + 2.0 * theme::STEP, ui.available_height()));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::selected(Role::Tab, ui.is_enabled(), state.active, title));
    if state.is_being_dragged || !ui.is_rect_visible(rect) {
        return response;
    }
    let colours = theme::present(ui);
    let ground = match (state.active, response.hovered()) {
        (true, _) => colours.canvas,
        (false, true) => colours.raised,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, 0.0, ground);
    if state.active {
        let line = if is_active { colours.accent } else { colours.line };
        ui.painter().hline(rect.x_range(), rect.top() + 1.0, Stroke::new(2.0, line));
    }
    if response.has_focus() {
        let stroke = Stroke::new(1.0, colours.accent);
        ui.painter().rect_stroke(rect.shrink(2.0), 2.0, stroke, eframe::egui::StrokeKind::Inside);
    }
    let at = pos2(rect.left() + theme::STEP, rect.center().y - galley.size().y / 2.0);
    let ink = if state.active { colours.text } else { colours.text2 };
    ui.painter().galley(at, galley, ink);
    response
}
