//! Scrolled parts of menus and dialogs.

use eframe::egui::{self, Ui};

use super::theme;

/// Entries of a menu, which can be scrolled where the window is lower than all of them.
pub fn scrolled_ui(ui: &mut Ui, entries_ui: impl FnOnce(&mut Ui)) {
    let height = ui.ctx().content_rect().bottom() - ui.cursor().top() - 2.0 * theme::STEP;
    let height = height.max(12.0 * theme::STEP);
    egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, entries_ui);
}

/// A part of a dialog that scrolls: as high as its content, up to `height` and to what the window has. It has this
/// height at once; without a least height it would grow frame by frame, away from under the pointer.
pub fn scroll_area(ui: &Ui, height: f32) -> egui::ScrollArea {
    let height = height.min(ui.ctx().content_rect().height() - 20.0 * theme::STEP);
    egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height)
}
