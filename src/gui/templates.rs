//! What an experiment can start from, as cards.

use eframe::egui::{self, RichText, Ui};

use super::dialogs::{Reply, scroll_area};
use super::text::counted;
use super::theme;
use crate::doc::templates;

/// One card for each template; the choice, once there is one.
pub fn cards_ui(ui: &mut Ui) -> Option<Reply> {
    let mut reply = None;
    ui.label(RichText::new("New experiment from a template").strong());
    scroll_area(ui, 480.0).show(ui, |ui| {
        for (position, template) in templates::all().iter().enumerate() {
            if card_ui(ui, template) {
                reply = Some(Reply::Template(position));
            }
        }
    });
    if ui.button("Cancel").clicked() {
        reply = Some(Reply::Cancel);
    }
    reply
}

fn card_ui(ui: &mut Ui, template: &templates::Template) -> bool {
    let experiment = template.experiment();
    let frame = egui::Frame::new().fill(theme::present(ui).field).corner_radius(4).inner_margin(theme::STEP);
    let inner = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let clicked = ui.button(template.name).on_hover_text("Starts with this experiment").clicked();
        ui.label(template.description);
        ui.horizontal_wrapped(|ui| {
            for (arm, settings) in experiment.arms.iter().enumerate() {
                dot_ui(ui, theme::arm_colour(ui, arm));
                ui.label(RichText::new(&settings.name).small());
            }
            let seeds = counted(experiment.seeds.len(), "seed");
            ui.label(RichText::new(format!("· {seeds}")).small().weak());
        });
        clicked
    });
    inner.inner
}

/// A dot in an arm's colour.
pub fn dot_ui(ui: &mut Ui, colour: egui::Color32) {
    let (rect, _) = ui.allocate_exact_size(egui::Vec2::splat(theme::STEP * 1.25), egui::Sense::hover());
    ui.painter().circle_filled(rect.center(), theme::STEP * 0.5, colour);
}
