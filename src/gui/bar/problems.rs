//! The problems of the document in the bar: a button with their number, which lists them.

use eframe::egui::{self, Align, Button, Layout, Popup, PopupCloseBehavior, RichText, Sense, Ui, Vec2, vec2};

use super::{BarProblem, text_width};
use crate::icons::Icon;
use crate::text::counted;
use crate::theme::{self, BODY, SMALL, STEP, present};
use crate::widgets::{self, Tone};

/// What the button of problems says, and its tone.
fn problems_text(problems: &[BarProblem]) -> (Tone, String) {
    match problems.iter().filter(|problem| problem.is_error).count() {
        0 => (Tone::Warning, counted(problems.len(), "note")),
        count => (Tone::Bad, counted(count, "problem")),
    }
}

/// The width that problems need at least: the sign alone, if there are none.
pub fn problems_width(ui: &Ui, problems: &[BarProblem]) -> f32 {
    if problems.is_empty() {
        return widgets::ICON;
    }
    let (_, text) = problems_text(problems);
    let spacing = ui.spacing();
    let around = 2.0 * spacing.button_padding.x + 2.0 * spacing.icon_spacing.max(STEP);
    text_width(ui, &text, egui::FontId::proportional(BODY)) + widgets::ICON + 12.0 + around
}

/// How many problems there are; a click lists them.
pub fn problems_ui(ui: &mut Ui, problems: &[BarProblem], is_running: bool) -> Option<usize> {
    if problems.is_empty() {
        let text = "no problems";
        if text_width(ui, text, egui::FontId::proportional(BODY)) + 3.0 * STEP <= ui.available_width() {
            ui.add(egui::Label::new(RichText::new(text).color(present(ui).text2)).selectable(false));
            ui.spacing_mut().item_spacing.x = STEP / 2.0;
        }
        let (rect, sign) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
        Icon::CheckCircle.paint(ui.painter(), rect.center(), 15.0, Tone::Good.colour(ui));
        sign.on_hover_text(text);
        return None;
    }
    let (tone, text) = problems_text(problems);
    let colour = tone.colour(ui);
    let icon = tone.icon().coloured(widgets::ICON, Some(colour));
    let caret = Icon::CaretDown.coloured(12.0, Some(colour));
    let button = Button::new((icon, RichText::new(&text).color(colour), caret))
        .fill(colour.gamma_multiply(0.2))
        .min_size(vec2(0.0, theme::CONTROL));
    let button = ui.add(button).accessible_name(&text);
    let list = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside).width(360.0);
    list.show(|ui| problem_list_ui(ui, problems, tone == Tone::Bad, is_running)).and_then(|shown| shown.inner)
}

fn problem_list_ui(
    ui: &mut Ui,
    problems: &[BarProblem],
    has_errors: bool,
    is_running: bool,
) -> Option<usize> {
    let mut chosen = None;
    egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
        for (index, problem) in problems.iter().enumerate() {
            if index > 0 {
                ui.separator();
            }
            if problem_ui(ui, problem) {
                chosen = Some(index);
                ui.close();
            }
        }
        if has_errors {
            ui.separator();
            let text = if is_running {
                "New runs wait until this is mended. Runs in progress keep the settings that they started with."
            } else {
                "Runs can start when this is mended."
            };
            widgets::message_ui(ui, Tone::Info, text);
        }
    });
    chosen
}

fn problem_ui(ui: &mut Ui, problem: &BarProblem) -> bool {
    let colours = present(ui);
    let tone = if problem.is_error { Tone::Bad } else { Tone::Warning };
    let mut is_chosen = false;
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(widgets::ICON), Sense::hover());
        tone.icon().paint(ui.painter(), rect.center(), widgets::ICON, tone.colour(ui));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let action = problem.action.unwrap_or("Go to field");
            let name = format!("{action}: {}", problem.place);
            is_chosen = ui.link(RichText::new(action).color(colours.link)).accessible_name(name).clicked();
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let place = RichText::new(&problem.place).font(theme::medium(BODY));
                ui.add(egui::Label::new(place).wrap());
            });
        });
    });
    ui.horizontal(|ui| {
        ui.add_space(widgets::ICON + ui.spacing().item_spacing.x);
        ui.vertical(|ui| {
            let line =
                |text: &str, colour| egui::Label::new(RichText::new(text).size(SMALL).color(colour)).wrap();
            ui.add(line(&problem.text, colours.text2));
            if !problem.details.is_empty() {
                ui.add(line(&problem.details, colours.text3));
            }
        });
    });
    is_chosen
}
