//! The heading of settings that fold away: the whole row is the target.

use eframe::egui::accesskit::Role;
use eframe::egui::collapsing_header::CollapsingState;
use eframe::egui::{Align2, FontId, Id, Rect, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::icons::Icon;
use crate::theme::{self, BODY, CONTROL, SMALL, fitted};
use crate::widgets;

/// What a heading shows.
pub struct Heading<'a> {
    /// The name of what folds.
    pub name: &'a str,
    /// What its settings are, in few words, at the right.
    pub summary: &'a str,
    /// What it is for.
    pub help: &'a str,
    /// Whether something inside is wrong.
    pub is_wrong: bool,
    /// Whether it is one of the parts of a panel.
    pub is_title: bool,
}

/// Draws a heading over the whole width; a click anywhere opens or folds it. Returns whether it is open, and its id.
pub fn heading_ui(
    ui: &mut Ui,
    id: Id,
    heading: &Heading<'_>,
    starts_open: bool,
    must_open: bool,
) -> (bool, Id) {
    let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, starts_open);
    if must_open {
        state.set_open(true);
    }
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), CONTROL), Sense::click());
    if response.clicked() {
        state.toggle(ui);
    }
    let is_open = state.is_open();
    state.store(ui.ctx());
    paint(ui, rect, heading, is_open);
    if response.has_focus() {
        widgets::focus_ring(ui, rect);
    }
    response.widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, true, is_open, heading.name));
    let id = response.id;
    if !heading.help.is_empty() {
        response.on_hover_text(heading.help);
    }
    (is_open, id)
}

fn paint(ui: &Ui, rect: Rect, heading: &Heading<'_>, is_open: bool) {
    let colours = theme::present(ui);
    let (painter, middle) = (ui.painter(), rect.center().y);
    let icon = if is_open { Icon::CaretDown } else { Icon::CaretRight };
    let colour = if heading.is_wrong && !is_open { colours.bad } else { colours.text };
    icon.paint(painter, pos2(rect.left() + 6.0, middle), 12.0, colour);
    let font = if heading.is_title { theme::medium(BODY) } else { FontId::proportional(BODY) };
    let small = FontId::proportional(SMALL);
    let left = rect.left() + 18.0;
    let name = fitted(painter, heading.name, &font, rect.right() - left);
    let name = painter.text(pos2(left, middle), Align2::LEFT_CENTER, name, font, colour);
    let room = rect.right() - name.right() - 12.0;
    if !is_open && room > 24.0 {
        let summary = fitted(painter, heading.summary, &small, room);
        painter.text(pos2(rect.right(), middle), Align2::RIGHT_CENTER, summary, small, colours.text3);
    }
}
