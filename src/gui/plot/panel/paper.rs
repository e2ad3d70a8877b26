//! The paper of exported figures, in the menu of a plot.

use eframe::egui::{DragValue, RichText, Ui};

use crate::gui::form::note_edited;
use crate::gui::plot::PlotState;
use crate::results::view::Preset;

/// The paper of exported figures, and the resolution of exported pictures.
pub fn paper_ui(ui: &mut Ui, state: &mut PlotState) {
    ui.label(RichText::new("Size of exported figures").small().weak());
    for size in Preset::ALL {
        ui.radio_value(&mut state.size, size, size.label());
    }
    let (mut width, mut height) = state.size.millimetres();
    let is_own = matches!(state.size, Preset::Own { .. });
    let mut changed = ui.radio(is_own, "Custom size").clicked();
    ui.horizontal(|ui| {
        for (name, side) in [("Width", &mut width), ("Height", &mut height)] {
            let label = ui.label(name);
            let field = ui.add(DragValue::new(side).range(26.0..=5080.0).suffix(" mm")).labelled_by(label.id);
            note_edited(&field);
            changed |= field.changed();
        }
    });
    if changed {
        state.size = Preset::Own { width, height };
    }
    ui.horizontal(|ui| {
        let label = ui.label("PNG resolution");
        let field = DragValue::new(&mut state.dpi).range(36..=1200).suffix(" dpi");
        let field = ui.add(field).labelled_by(label.id);
        note_edited(&field.on_hover_text("For PNG files and copied figures"));
    });
}
