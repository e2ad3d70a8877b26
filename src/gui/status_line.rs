//! The line at the bottom: the last message with what can be done about it, counts, and the way to the log.

use eframe::egui::{self, Align, Layout, RichText, Sense, Ui, UiBuilder, Vec2, vec2};

use super::icons::Icon;
use super::text::counted;
use super::theme::{SMALL, STEP, present};
use super::widgets::Tone;

/// Height of the line, in points.
pub const HEIGHT: f32 = 24.0;

/// The last message.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// When it came: "14:32".
    pub time: &'a str,
    /// Its first line.
    pub text: &'a str,
    /// All of it.
    pub full: &'a str,
    /// How good or bad it is.
    pub tone: Tone,
    /// What can be done about it: "Open", "Show in folder".
    pub actions: Vec<&'a str>,
}

/// What was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusResponse {
    /// An action of the message, by position.
    Action(usize),
    /// The log.
    Log,
}

/// Draws the line into the available rectangle; `facts` are short texts at its right end, `unseen` the
/// number of errors since the log was open, with the first line of the newest one.
pub fn status_line_ui(
    ui: &mut Ui,
    message: Option<Message<'_>>,
    facts: &[String],
    unseen: Option<(usize, &str)>,
    is_log_open: bool,
) -> Option<StatusResponse> {
    let colours = present(ui);
    let rect = ui.available_rect_before_wrap();
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, (1.0, colours.line));
    let inner = rect.shrink2(vec2(1.5 * STEP, 0.0));
    ui.spacing_mut().interact_size.y = HEIGHT - 4.0;
    ui.spacing_mut().button_padding = vec2(STEP / 2.0, 0.0);
    let builder = UiBuilder::new().max_rect(inner).layout(Layout::right_to_left(Align::Center));
    let mut response = None;
    let right = ui.scope_builder(builder, |ui| {
        let log = egui::Button::new((Icon::ListBullets.atom(14.0), RichText::new("Log").size(SMALL)));
        let log = ui.add(log.frame_when_inactive(is_log_open).selected(is_log_open));
        if log.on_hover_text("Shows or hides all messages").clicked() {
            response = Some(StatusResponse::Log);
        }
        if let Some((count, newest)) = unseen {
            let text = RichText::new(count.to_string()).size(SMALL).color(colours.bad);
            let icon = Tone::Bad.icon().coloured(14.0, Some(colours.bad));
            let errors = ui.add(egui::Button::new((icon, text)).frame_when_inactive(false));
            let errors = errors.accessible_name(counted(count, "new error"));
            if errors.on_hover_text(newest).clicked() {
                response = Some(StatusResponse::Log);
            }
        }
        ui.spacing_mut().item_spacing.x = 2.0 * STEP;
        for fact in facts.iter().rev() {
            ui.add(egui::Label::new(RichText::new(fact).size(SMALL).color(colours.text2)).selectable(false));
        }
    });
    let Some(message) = message else { return response };
    let left = inner.with_max_x(right.response.rect.left() - STEP);
    let builder = UiBuilder::new().max_rect(left).layout(Layout::right_to_left(Align::Center));
    ui.scope_builder(builder, |ui| {
        // The actions keep their place; the text loses its end.
        let widths = message.actions.iter().map(|action| width_of(ui, action) + 2.0 * STEP);
        let width = widths.sum::<f32>();
        let builder = UiBuilder::new()
            .max_rect(left.with_max_x(left.right() - width))
            .layout(Layout::left_to_right(Align::Center));
        let text = ui.scope_builder(builder, |ui| text_ui(ui, &message)).response.rect;
        let at = egui::pos2(text.right() + STEP, left.top());
        let at = egui::Rect::from_min_size(at, vec2(width, left.height()));
        let builder = UiBuilder::new().max_rect(at).layout(Layout::left_to_right(Align::Center));
        ui.scope_builder(builder, |ui| {
            ui.spacing_mut().item_spacing.x = 1.5 * STEP;
            for (nth, action) in message.actions.iter().enumerate() {
                if ui.link(RichText::new(*action).size(SMALL).color(colours.link)).clicked() {
                    response = Some(StatusResponse::Action(nth));
                }
            }
        });
    });
    response
}

fn text_ui(ui: &mut Ui, message: &Message<'_>) {
    let colours = present(ui);
    if !message.time.is_empty() {
        ui.add(
            egui::Label::new(RichText::new(message.time).size(SMALL).color(colours.text3)).selectable(false),
        );
    }
    let colour = match message.tone {
        Tone::Bad | Tone::Warning => {
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
            message.tone.icon().paint(ui.painter(), rect.center(), 14.0, message.tone.colour(ui));
            message.tone.colour(ui)
        }
        Tone::Good | Tone::Info => colours.text2,
    };
    let text = RichText::new(message.text).size(SMALL).color(colour);
    let shown = ui.add(egui::Label::new(text).truncate().show_tooltip_when_elided(false));
    shown.on_hover_text(message.full);
}

fn width_of(ui: &Ui, text: &str) -> f32 {
    let font = egui::FontId::proportional(SMALL);
    ui.painter().layout_no_wrap(text.to_owned(), font, egui::Color32::WHITE).size().x
}
