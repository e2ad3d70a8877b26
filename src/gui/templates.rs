//! The templates, as cards.

use std::path::PathBuf;

use eframe::egui::{self, Align, Layout, RichText, Sense, Stroke, Ui, UiBuilder};

use super::dialogs::{Next, Reply, scroll_area};
use super::text::counted;
use super::theme;
use crate::doc::templates;

/// Draws the recent files and a card for each template; returns the choice.
pub fn cards_ui(ui: &mut Ui, recent: &[PathBuf]) -> Option<Reply> {
    let mut reply = recent_ui(ui, recent);
    ui.label(RichText::new("New experiment from a template").strong());
    scroll_area(ui, 520.0).show(ui, |ui| {
        for (position, template) in templates::all().iter().enumerate() {
            if card_ui(ui, position, template) {
                reply = Some(Reply::Proceed(Next::New(position)));
            }
        }
    });
    if ui.button("Cancel").clicked() {
        reply = Some(Reply::Cancel);
    }
    reply
}

fn recent_ui(ui: &mut Ui, recent: &[PathBuf]) -> Option<Reply> {
    if recent.is_empty() {
        return None;
    }
    ui.label(RichText::new("Open again").strong());
    let mut reply = None;
    ui.horizontal_wrapped(|ui| {
        for path in recent {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                reply = Some(Reply::Proceed(Next::Open(path.clone())));
            }
        }
    });
    reply
}

fn card_ui(ui: &mut Ui, position: usize, template: &templates::Template) -> bool {
    let colours = theme::present(ui);
    let frame = egui::Frame::new().fill(colours.canvas).corner_radius(4).inner_margin(theme::STEP);
    // A click anywhere on the card counts; the keyboard uses the button.
    let card = ui.scope_builder(UiBuilder::new().sense(Sense::CLICK), |ui| {
        ui.style_mut().interaction.selectable_labels = false;
        let shown = frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
                ui.with_layout(Layout::top_down(Align::Min), |ui| words_ui(ui, template, position == 0)).inner
            })
            .inner
        });
        (shown.inner, shown.response.rect)
    });
    let (is_pressed, rect) = card.inner;
    if card.response.contains_pointer() {
        let stroke = Stroke::new(1.0, colours.accent);
        ui.painter().rect_stroke(rect, 4.0, stroke, egui::StrokeKind::Inside);
    }
    card.response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() || is_pressed
}

fn words_ui(ui: &mut Ui, template: &templates::Template, is_first: bool) -> bool {
    let experiment = template.experiment();
    let button = ui.button(template.name).on_hover_text("Start from this experiment");
    if is_first && ui.memory(|memory| memory.focused().is_none()) {
        button.request_focus(); // the arrow keys go on from there, Enter takes it
        ui.ctx().request_repaint();
    }
    if button.gained_focus() {
        button.scroll_to_me(None);
    }
    let clicked = button.clicked();
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
}

/// A dot in an arm's colour.
pub fn dot_ui(ui: &mut Ui, colour: egui::Color32) {
    let (rect, _) = ui.allocate_exact_size(egui::Vec2::splat(theme::STEP * 1.25), egui::Sense::hover());
    ui.painter().circle_filled(rect.center(), theme::STEP * 0.5, colour);
}
