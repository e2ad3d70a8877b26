//! The middle of the window when all views are closed.

use eframe::egui::{Align, Layout, RichText, Ui, vec2};

use super::LayoutChange;
use crate::panes::panes;
use crate::text::first_statement;
use crate::{theme, widgets};
use results::tiles::Group;

/// Says how to open views of a group, with a button for each; returns the pressed one.
pub fn empty_ui(ui: &mut Ui, group: Group) -> Option<LayoutChange> {
    let mut chosen = None;
    let space = ui.available_size();
    ui.allocate_ui_with_layout(space, Layout::top_down(Align::Center), |ui| {
        ui.add_space(space.y * 0.2);
        ui.label(RichText::new("All views are closed").strong());
        let how = "Open one here, from the View menu, or by name in the command palette (Ctrl+Shift+P)";
        ui.label(RichText::new(how).weak());
        ui.add_space(theme::STEP);
        if ui.add(widgets::button(None, "Open the default views")).clicked() {
            chosen = Some(LayoutChange::Reset);
        }
        ui.add_space(2.0 * theme::STEP);
        let width = (space.x - 4.0 * theme::STEP).clamp(120.0, 480.0);
        let layout = Layout::left_to_right(Align::Center).with_main_wrap(true);
        ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
            for pane in panes().filter(|pane| pane.group == group) {
                if ui
                    .add(widgets::button(None, pane.title))
                    .on_hover_text(first_statement(pane.help))
                    .clicked()
                {
                    chosen = Some(LayoutChange::Show(pane.name));
                }
            }
        });
    });
    chosen
}
