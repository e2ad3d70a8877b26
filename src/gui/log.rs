//! What happened, newest last: the log with its panel, and the line at the bottom with the last message.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Local};
use eframe::egui::{
    self, Align, Button, FontId, Label, Layout, RichText, Sense, TextEdit, Ui, UiBuilder, Vec2, vec2,
};

use super::icons::Icon;
use super::table::width_of;
use super::text::{counted, first_line};
use super::theme::{self, SMALL, STEP, present};
use super::widgets::{self, FieldState, Tone};

/// An action that a notice offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeAction {
    Open(PathBuf),
    ShowInFolder(PathBuf),
    /// To go on with runs that were stopped or failed.
    Retry,
}

impl NoticeAction {
    /// Returns what its link says.
    pub const fn text(&self) -> &'static str {
        match self {
            Self::Open(_) => "Open",
            Self::ShowInFolder(_) => "Show in folder",
            Self::Retry => "Retry",
        }
    }

    /// Returns what the desktop opens.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Open(path) => Some(path),
            Self::ShowInFolder(path) => Some(path.parent().unwrap_or(path)),
            Self::Retry => None,
        }
    }
}

/// A message of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub time: String,
    pub tone: Tone,
    /// The whole text; its lines are shown behind one another as far as there is room, all of it on hover and in the copy.
    pub text: String,
    pub actions: Vec<NoticeAction>,
    pub is_quiet: bool,
    pub is_unseen: bool,
    /// True if it is about something wrong in the document: once that is mended, it is quiet.
    pub awaits_remedy: bool,
}

/// The lines of the log; old ones are forgotten.
pub struct Log {
    entries: Vec<Notice>,
    noted: usize,
    clock: Clock,
    /// Words that the listed lines have in them.
    search: String,
}

/// A source of the time of day.
pub type Clock = fn() -> DateTime<Local>;

/// The most lines that are kept.
const KEPT: usize = 2_000;

impl Log {
    pub const fn new(clock: Clock) -> Self {
        Self { entries: Vec::new(), noted: 0, clock, search: String::new() }
    }

    /// Notes something.
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(Tone::Info, text);
    }

    /// Notes something, and what can be done about it.
    pub fn offer(&mut self, tone: Tone, text: impl Into<String>, actions: Vec<NoticeAction>) {
        self.push(tone, text).actions = actions;
    }

    /// Notes something that replaces no message in the line at the bottom.
    pub fn note(&mut self, text: impl Into<String>) {
        self.push(Tone::Info, text).is_quiet = true;
    }

    /// Notes something that deserves a look.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.push(Tone::Warning, text);
    }

    /// Notes that something went wrong.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Tone::Bad, text);
    }

    /// Notes what could not be done because of something wrong in the document.
    pub fn refuse(&mut self, tone: Tone, text: impl Into<String>) {
        self.push(tone, text).awaits_remedy = true;
    }

    /// Notes that nothing is wrong in the document any more.
    pub fn settle(&mut self) {
        for entry in self.entries.iter_mut().filter(|entry| entry.awaits_remedy) {
            (entry.awaits_remedy, entry.is_quiet, entry.is_unseen) = (false, true, false);
        }
    }

    /// Counts the errors since the lines were seen last, with the first line of the newest one.
    pub fn unseen(&self) -> Option<(usize, &str)> {
        let mut unseen = self.entries.iter().filter(|entry| entry.is_unseen);
        let newest = unseen.next_back()?;
        Some((unseen.count() + 1, first_line(&newest.text)))
    }

    /// Notes that the newest lines are shown.
    pub fn see(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.is_unseen = false);
    }

    fn push(&mut self, tone: Tone, text: impl Into<String>) -> &mut Notice {
        self.noted += 1;
        if self.entries.len() >= KEPT {
            self.entries.drain(..KEPT / 4);
        }
        self.entries.push_mut(Notice {
            time: (self.clock)().format("%H:%M").to_string(),
            tone,
            text: text.into(),
            actions: Vec::new(),
            is_quiet: false,
            awaits_remedy: false,
            is_unseen: tone == Tone::Bad,
        })
    }

    /// Counts the lines that were ever noted.
    pub const fn count(&self) -> usize {
        self.noted
    }

    /// Returns what the line at the bottom shows.
    pub fn latest(&self) -> Option<&Notice> {
        self.entries.iter().rfind(|entry| !entry.is_quiet)
    }

    /// Returns all texts in full, one below the other.
    pub fn full_text(&self) -> String {
        self.entries.iter().flat_map(|entry| [entry.text.as_str(), "\n"]).collect()
    }

    /// Returns the lines that have all words of the search.
    fn found(&self) -> Vec<(usize, &Notice)> {
        let words = self.search.to_lowercase();
        let has = |text: &str| words.split_whitespace().all(|word| text.contains(word));
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| words.is_empty() || has(&entry.text.to_lowercase())).collect()
    }
}

const LINE: f32 = 20.0;

/// Draws the panel of the log.
pub fn log_ui(ui: &mut Ui, log: &mut Log) {
    ui.horizontal(|ui| {
        theme::heading_ui(ui, "Messages");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("Copy log").on_hover_text("Copies all lines in full").clicked() {
                ui.ctx().copy_text(log.full_text());
            }
            let field = TextEdit::singleline(&mut log.search).hint_text("Search").desired_width(160.0);
            widgets::field_ui(ui, field, FieldState::Plain).accessible_name("Search the log");
        });
    });
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.spacing_mut().interact_size.y = LINE;
    let area = egui::ScrollArea::vertical().id_salt("log").auto_shrink([false, false]).stick_to_bottom(true);
    let entries = log.found();
    // Only the lines that can be seen are drawn: a log has thousands.
    area.show_rows(ui, LINE, entries.len(), |ui, rows| {
        for (place, entry) in &entries[rows] {
            entry_ui(ui, entry, *place);
        }
    });
}

/// Draws one line of the log with a button at its end that copies all of it; `row` is its place in the log.
fn entry_ui(ui: &mut Ui, entry: &Notice, row: usize) {
    // Several lines stand behind one another: the first one alone may say little.
    let line = RichText::new(entry.text.replace('\n', " ")).small();
    let line = match entry.tone {
        Tone::Bad | Tone::Warning => line.color(entry.tone.colour(ui)),
        Tone::Good | Tone::Info => line,
    };
    let size = vec2(ui.available_width(), LINE);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        let button =
            Button::new(Icon::Copy.atom(12.0)).frame_when_inactive(false).min_size(Vec2::splat(LINE));
        let button = ui.add(button).accessible_name(format!("Copy line {}", row + 1));
        if button.on_hover_text("Copy this line in full").clicked() {
            ui.ctx().copy_text(entry.text.clone());
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.label(RichText::new(&entry.time).small().weak());
            let label = ui.add(Label::new(line).selectable(true).truncate());
            if entry.text.contains('\n') {
                label.on_hover_text(&entry.text);
            }
        });
    });
}

/// Height of the line, in points.
pub const STATUS_HEIGHT: f32 = 24.0;

/// An element of the line at the bottom that was pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusResponse {
    Action(NoticeAction),
    Log,
}

/// Draws the line at the bottom into the available rectangle: the last message, or `idle` without one; `fact` is a short
/// text at its right end.
pub fn status_line_ui(
    ui: &mut Ui,
    log: &Log,
    idle: &str,
    fact: Option<&str>,
    is_log_open: bool,
) -> Option<StatusResponse> {
    let colours = present(ui);
    let rect = ui.available_rect_before_wrap();
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, (1.0, colours.line));
    let inner = rect.shrink2(vec2(1.5 * STEP, 0.0));
    ui.spacing_mut().interact_size.y = STATUS_HEIGHT - 4.0;
    ui.spacing_mut().button_padding = vec2(STEP / 2.0, 0.0);
    let builder = UiBuilder::new().max_rect(inner).layout(Layout::right_to_left(Align::Center));
    let mut response = None;
    let right = ui.scope_builder(builder, |ui| {
        let button = Button::new((Icon::ListBullets.atom(14.0), RichText::new("Log").size(SMALL)));
        let button = ui.add(button.frame_when_inactive(is_log_open).selected(is_log_open));
        if button.on_hover_text("Shows or hides all messages").clicked() {
            response = Some(StatusResponse::Log);
        }
        if let Some((count, newest)) = log.unseen() {
            let text = RichText::new(count.to_string()).size(SMALL).color(colours.bad);
            let icon = Tone::Bad.icon().coloured(14.0, Some(colours.bad));
            let errors = ui.add(Button::new((icon, text)).frame_when_inactive(false));
            let errors = errors.accessible_name(counted(count, "new error"));
            if errors.on_hover_text(newest).clicked() {
                response = Some(StatusResponse::Log);
            }
        }
        ui.spacing_mut().item_spacing.x = 2.0 * STEP;
        if let Some(fact) = fact {
            ui.add(Label::new(RichText::new(fact).size(SMALL).color(colours.text2)).selectable(false));
        }
    });
    let actions = log.latest().map_or(&[][..], |notice| &notice.actions);
    let left = inner.with_max_x(right.response.rect.left() - STEP);
    // The actions keep their place; the text loses its end.
    let font = FontId::proportional(SMALL);
    let width: f32 = actions.iter().map(|action| width_of(ui, action.text(), &font) + 2.0 * STEP).sum();
    let builder = UiBuilder::new().layout(Layout::left_to_right(Align::Center));
    let place = builder.clone().max_rect(left.with_max_x(left.right() - width));
    let text = ui.scope_builder(place, |ui| text_ui(ui, log.latest(), idle)).response.rect;
    let at = egui::pos2(text.right() + STEP, left.top());
    let place = builder.max_rect(egui::Rect::from_min_size(at, vec2(width, left.height())));
    ui.scope_builder(place, |ui| {
        ui.spacing_mut().item_spacing.x = 1.5 * STEP;
        for action in actions {
            if ui.link(RichText::new(action.text()).size(SMALL).color(colours.link)).clicked() {
                response = Some(StatusResponse::Action(action.clone()));
            }
        }
    });
    response
}

fn text_ui(ui: &mut Ui, notice: Option<&Notice>, idle: &str) {
    let colours = present(ui);
    let Some(notice) = notice else {
        let label = Label::new(RichText::new(idle).size(SMALL).color(colours.text2));
        return drop(ui.add(label.truncate()));
    };
    let time = RichText::new(&notice.time).size(SMALL).color(colours.text3);
    ui.add(Label::new(time).selectable(false));
    let colour = match notice.tone {
        Tone::Bad | Tone::Warning => {
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
            notice.tone.icon().paint(ui.painter(), rect.center(), 14.0, notice.tone.colour(ui));
            notice.tone.colour(ui)
        }
        Tone::Good | Tone::Info => colours.text2,
    };
    let text = RichText::new(first_line(&notice.text)).size(SMALL).color(colour);
    let shown = ui.add(Label::new(text).truncate().show_tooltip_when_elided(false));
    shown.on_hover_text(&notice.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_line_replaces_no_message() {
        let mut log = Log::new(Local::now);
        log.info("12 runs: 12 done");
        log.note("The notification failed");
        assert_eq!(log.latest().map(|entry| entry.text.as_str()), Some("12 runs: 12 done"));
        assert!(log.full_text().contains("The notification failed"));
    }

    #[test]
    fn what_was_refused_leaves_the_line_once_its_cause_is_gone() {
        let mut log = Log::new(Local::now);
        log.info("Opened");
        log.refuse(Tone::Bad, "Nothing started: no seed");
        assert_eq!((log.unseen().map(|(count, _)| count), log.latest().unwrap().tone), (Some(1), Tone::Bad));
        log.settle();
        assert_eq!((log.unseen(), log.latest().unwrap().text.as_str()), (None, "Opened"));
    }

    #[test]
    fn errors_are_new_until_they_are_seen() {
        let mut log = Log::new(Local::now);
        log.info("Saved");
        assert_eq!(log.unseen(), None);
        log.error("a failed: NaN\nIteration 12");
        log.error("b failed: no room\nmore");
        log.info("Saved");
        assert_eq!(log.unseen(), Some((2, "b failed: no room")));
        log.see();
        assert_eq!(log.unseen(), None);
    }
}
