//! Rows of the list: their ground, marks and texts. Nothing in a row overlaps: the text at the right comes first, the name
//! gets what is left.

use eframe::egui::{
    Align, Align2, Color32, FontId, Id, Label, Layout, Rect, Response, RichText, Sense, Ui, UiBuilder,
    WidgetInfo, accesskit::Role, pos2, vec2,
};

use crate::icons::Icon;
use crate::theme::{self, BODY, STEP, present};
use crate::widgets;

/// The number of rows drawn beyond each end of the visible part of the list.
const BEYOND: f32 = 4.0;
/// Space at the right of a row, in points.
const END: f32 = 4.0;

/// What a row looks like.
pub struct RowLook<'a> {
    /// Identifies it; the same while the list changes around it.
    pub id: Id,
    /// What it is, for the eye and for screen readers.
    pub name: &'a str,
    /// Where the name begins, in points.
    pub indent: f32,
    /// The letters of the name.
    pub font: FontId,
    /// Whether it is selected.
    pub is_selected: bool,
    /// Whether what is selected belongs to it.
    pub is_owner: bool,
    /// Whether it can be selected.
    pub is_target: bool,
}

/// A row whose ground is drawn.
pub struct Row {
    /// All of it.
    pub rect: Rect,
    /// What the pointer and the keyboard do with it.
    pub response: Response,
    /// Where the text at the right begins.
    pub end: f32,
}

/// Leaves the room of a row; its place, if it is near the visible part of the list. Rows within a few heights of it can be
/// reached by the keyboard; of the others there can be thousands.
pub fn place(ui: &mut Ui, height: f32) -> Option<Rect> {
    let (_, rect) = ui.allocate_space(vec2(ui.available_width(), height));
    let seen = ui.clip_rect().expand2(vec2(0.0, BEYOND * height));
    seen.y_range().intersects(rect.y_range()).then_some(rect)
}

/// Draws the ground of a row, which is selected by a click, or by the arrow keys.
pub fn row_ui(ui: &Ui, rect: Rect, look: &RowLook<'_>) -> Row {
    let colours = present(ui);
    let response = ui.interact(rect, look.id, if look.is_target { Sense::click() } else { Sense::hover() });
    let name = look.name;
    response.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, look.is_selected, name));
    if response.clicked() {
        response.request_focus(); // the keyboard goes on from here
    }
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    let painter = ui.painter();
    if look.is_selected {
        painter.rect_filled(rect, 4.0, colours.selection);
    } else if response.hovered() && look.is_target {
        painter.rect_filled(rect, 4.0, colours.hover.gamma_multiply(0.5));
    }
    if look.is_owner {
        let bar = Rect::from_min_max(rect.min, pos2(rect.left() + 3.0, rect.bottom()));
        painter.rect_filled(bar, 1.5, colours.link);
    }
    if response.has_focus() {
        widgets::focus_ring(ui, rect);
    }
    Row { rect, response, end: rect.right() - END }
}

impl Row {
    /// Draws a text at the right, which takes at most what `least` points of the name leave.
    pub fn right_ui(&mut self, ui: &mut Ui, text: RichText, least: f32) -> Response {
        let room = (self.end - self.rect.left() - least).max(0.0);
        let rect =
            Rect::from_min_max(pos2(self.end - room, self.rect.top()), pos2(self.end, self.rect.bottom()));
        let layout = Layout::right_to_left(Align::Center);
        let mut part = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
        // It cannot be selected, as in the table of runs: that would take as long as drawing it.
        // The row itself explains it.
        let label = Label::new(text.size(BODY)).selectable(false).truncate();
        let response = part.add(label.show_tooltip_when_elided(false));
        self.end = response.rect.left() - STEP;
        response
    }

    /// Draws the name, without its middle where it does not fit: names mostly differ at their ends.
    pub fn name_ui(&self, ui: &Ui, look: &RowLook<'_>, colour: Color32) {
        let left = self.rect.left() + look.indent;
        let shown = theme::fitted(ui.painter(), look.name, &look.font, (self.end - left).max(8.0));
        let at = pos2(left, self.rect.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, &shown, look.font.clone(), colour);
        if shown != look.name {
            self.response.clone().on_hover_text(look.name);
        }
    }

    /// A button in the row, `at` points from its left.
    pub fn button(&self, ui: &Ui, at: f32, name: &str) -> Response {
        let centre = pos2(self.rect.left() + at, self.rect.center().y);
        let rect = Rect::from_center_size(centre, vec2(18.0, self.rect.height()));
        let response = ui.interact(rect, self.response.id.with(name), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
        if response.has_focus() {
            widgets::focus_ring(ui, rect);
        }
        response
    }
}

/// Paints an icon in a row; `at` is its centre in points from the left of the window.
pub fn icon(ui: &Ui, row: &Row, at: f32, icon: Icon, colour: Color32) {
    icon.paint(ui.painter(), pos2(at, row.rect.center().y), 14.0, colour);
}

/// Paints how far a run is, from `from` points on.
pub fn bar(ui: &Ui, row: &mut Row, share: f32, from: f32) {
    let left = (row.rect.left() + from).max(row.end - 58.0);
    if row.end - left < 8.0 {
        return;
    }
    let colours = present(ui);
    let middle = row.rect.center().y;
    let all = Rect::from_min_max(pos2(left, middle - 3.0), pos2(row.end, middle + 3.0));
    ui.painter().rect_filled(all, 3.0, colours.raised);
    let done = all.with_max_x(left + all.width() * share.clamp(0.0, 1.0));
    ui.painter().rect_filled(done, 3.0, colours.link);
    row.end = left - STEP;
}
