//! A list that is searched by a few letters and driven by the keyboard: all commands, or the files that were open before.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::path::PathBuf;

use eframe::egui::{self, Align2, Button, Frame, Id, Key, Modal, Modifiers, RichText, TextEdit, Ui, vec2};

use super::commands::{self, Command, CommandState};
use super::recent::{RecentFile, RecentState};
use super::text::{first_statement, shortened};
use super::tiles::{Pane, pane_named, panes};
use super::widgets::{self, FieldState, scroll_area};
use super::{plan, theme};

/// An action that a menu or the palette offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    Command(Command),
    Show(&'static str),
    /// To add a stage to the plan, by what menus call it.
    AddStage(&'static str),
    File(PathBuf),
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaletteEntry {
    pub text: String,
    pub detail: String,
    pub refusal: Option<String>,
    pub choice: Choice,
}

/// Which list is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaletteList {
    Commands,
    Files,
}

/// The most letters of what stands beside a name.
const LONGEST_DETAIL: usize = 60;

/// An open list.
pub struct Palette {
    pub list: PaletteList,
    typed: String,
    /// Position of the chosen line among those that fit.
    chosen: usize,
}

/// The end of an open list.
pub enum PaletteOutcome {
    Closed,
    Chosen(Choice),
}

impl Palette {
    pub const fn new(list: PaletteList) -> Self {
        Self { list, typed: String::new(), chosen: 0 }
    }

    /// Draws the list. Returns nothing as long as it stays open.
    pub fn ui(&mut self, ctx: &egui::Context, entries: &[PaletteEntry]) -> Option<PaletteOutcome> {
        let frame = Frame::popup(&ctx.global_style()).inner_margin(theme::STEP);
        let id = Id::unique("palette");
        let area = Modal::default_area(id).anchor(Align2::CENTER_TOP, vec2(0.0, 6.0 * theme::STEP));
        let response = Modal::new(id).area(area).frame(frame).show(ctx, |ui| {
            ui.set_width(560.0_f32.min(ctx.content_rect().width() - 4.0 * theme::STEP));
            self.content_ui(ui, entries)
        });
        let is_dismissed = response.should_close();
        response.inner.map(PaletteOutcome::Chosen).or_else(|| is_dismissed.then_some(PaletteOutcome::Closed))
    }

    fn content_ui(&mut self, ui: &mut Ui, entries: &[PaletteEntry]) -> Option<Choice> {
        let (steps, is_entered) = ui.input_mut(|input| {
            let mut pressed = |key| input.count_and_consume_key(Modifiers::NONE, key).cast_signed();
            let lines = pressed(Key::ArrowDown) - pressed(Key::ArrowUp);
            let pages = pressed(Key::PageDown) - pressed(Key::PageUp);
            (lines + 8 * pages, pressed(Key::Enter) > 0)
        });
        let (name, hint) = match self.list {
            PaletteList::Commands => ("Search commands", "What do you want to do?"),
            PaletteList::Files => ("Search files", "Which file?"),
        };
        let edit = TextEdit::singleline(&mut self.typed).hint_text(hint).desired_width(f32::INFINITY);
        let field = widgets::field_ui(ui, edit, FieldState::Plain).accessible_name(name);
        field.request_focus();
        if field.changed() {
            self.chosen = 0;
        }
        let fitting = fitting(&self.typed, entries);
        self.chosen = self.chosen.saturating_add_signed(steps).min(fitting.len().saturating_sub(1));
        let is_new = field.changed() || steps != 0;
        let mut clicked = None;
        scroll_area(ui, 400.0).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (position, entry) in fitting.iter().enumerate() {
                let is_chosen = position == self.chosen;
                let row = row_ui(ui, entry, is_chosen);
                if is_chosen && is_new {
                    row.scroll_to_me(None);
                }
                if row.clicked() {
                    clicked = Some(entry.choice.clone());
                }
            }
        });
        let entry = fitting.get(self.chosen);
        ui.label(RichText::new(below(entry.copied())).small().weak());
        let entered = entry.filter(|entry| is_entered && entry.refusal.is_none());
        clicked.or_else(|| entered.map(|entry| entry.choice.clone()))
    }
}

/// Returns the entries that fit what is typed, the best first; as they are listed when nothing is.
fn fitting<'a>(typed: &str, entries: &'a [PaletteEntry]) -> Vec<&'a PaletteEntry> {
    let mut ranked: Vec<_> = entries.iter().filter_map(|entry| Some((rank(typed, entry)?, entry))).collect();
    ranked.sort_by_key(|(rank, _)| Reverse(*rank));
    ranked.into_iter().map(|(_, entry)| entry).collect()
}

/// Ranks an entry, the greatest first; nothing where it does not fit. What cannot be done comes last. What is all of the name, or
/// of what stands before or behind a colon, comes before words that begin words of it, these before pieces of words, these
/// before letters in their order, and these before what stands beside the name; then views and commands with a key come before
/// rare commands, and short names before long ones.
fn rank(typed: &str, entry: &PaletteEntry) -> Option<(bool, usize, bool, Reverse<usize>)> {
    let can_be_chosen = entry.refusal.is_none();
    let (typed, name) = (typed.trim().to_lowercase(), entry.text.to_lowercase());
    if typed.is_empty() {
        return Some((can_be_chosen, 0, false, Reverse(0)));
    }
    let mut letters = name.chars();
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    let fits = [
        entry.detail.to_lowercase().contains(&typed),
        typed.chars().filter(|letter| !letter.is_whitespace()).all(|letter| letters.any(|own| own == letter)),
        name.contains(&typed),
        typed.split_whitespace().all(|start| words.any(|word| word.starts_with(start))),
        name.split(": ").any(|part| part == typed),
    ];
    let is_frequent = match entry.choice {
        Choice::Command(command) => command.shortcut().is_some(),
        Choice::Show(_) | Choice::File(_) => true,
        Choice::AddStage(_) => false,
    };
    let length = name.rsplit(": ").next().map_or(0, str::len);
    Some((can_be_chosen, fits.iter().rposition(|fits| *fits)?, is_frequent, Reverse(length)))
}

fn row_ui(ui: &mut Ui, entry: &PaletteEntry, is_chosen: bool) -> egui::Response {
    let button = Button::selectable(is_chosen, &entry.text)
        .shortcut_text(RichText::new(shortened(&entry.detail, LONGEST_DETAIL)).small())
        .truncate()
        .min_size(vec2(ui.available_width(), 3.0 * theme::STEP));
    let response = ui.add_enabled(entry.refusal.is_none(), button).accessible_name(&entry.text);
    match &entry.refusal {
        Some(why) => response.on_disabled_hover_text(why),
        None => response,
    }
}

/// Returns the line below the list: what the chosen entry does, or why it cannot be chosen.
fn below(entry: Option<&PaletteEntry>) -> String {
    let Some(entry) = entry else { return "No match".to_owned() };
    match (&entry.refusal, &entry.choice) {
        (Some(why), _) => format!("Not now: {why}"),
        (None, Choice::Command(command)) => command.tooltip().to_owned(),
        (None, Choice::Show(view)) => {
            pane_named(view).map(|pane| first_statement(pane.help).to_owned()).unwrap_or_default()
        }
        (None, Choice::AddStage(label)) => {
            let known = plan::entries().into_iter().find(|stage| stage.label == *label);
            known.map(|stage| stage.help.to_owned()).unwrap_or_default()
        }
        (None, Choice::File(path)) => path.display().to_string(),
    }
}

/// Returns all commands as entries; what switches something on says so.
pub fn command_entries(ctx: &egui::Context, state: &dyn Fn(Command) -> CommandState) -> Vec<PaletteEntry> {
    let entry = |command: Command| {
        let state = state(command);
        PaletteEntry {
            detail: state.mark_and_key(ctx),
            text: state.label,
            refusal: state.refusal.map(Cow::into_owned),
            choice: Choice::Command(command),
        }
    };
    commands::all().filter(|command| *command != Command::Palette).map(entry).collect()
}

/// Returns all plots and views as entries; what has a tab says so.
pub fn view_entries(has_tab: &dyn Fn(&str) -> bool) -> Vec<PaletteEntry> {
    let entry = |pane: Pane| PaletteEntry {
        text: format!("Show view: {}", pane.title),
        detail: if has_tab(pane.name) { "✓".to_owned() } else { String::new() },
        refusal: None,
        choice: Choice::Show(pane.name),
    };
    panes().map(entry).collect()
}

/// Returns all stages that can be added to the selected arm as entries.
pub fn stage_entries(refusal: Option<&str>) -> Vec<PaletteEntry> {
    let entry = |stage: plan::StageEntry| PaletteEntry {
        text: format!("Add stage: {}", stage.label),
        detail: String::new(),
        refusal: refusal.map(str::to_owned),
        choice: Choice::AddStage(stage.label),
    };
    plan::entries().into_iter().map(entry).collect()
}

/// Returns files as entries, with what is known of them; those that are not there any more say so.
pub fn file_entries(files: Vec<RecentFile>) -> Vec<PaletteEntry> {
    let entry = |file: RecentFile| {
        let is_missing = file.state == RecentState::Missing;
        let refusal = is_missing.then(|| format!("{} no longer exists", file.path.display()));
        let detail = [file.folder, file.day, file.state.words().1];
        let detail: Vec<String> = detail.into_iter().filter(|part| !part.is_empty()).collect();
        PaletteEntry {
            text: file.name, detail: detail.join(" · "), refusal, choice: Choice::File(file.path)
        }
    };
    files.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn entry(text: &str, choice: Choice, can_be_chosen: bool) -> PaletteEntry {
        let refusal = (!can_be_chosen).then(|| "Nothing is running".to_owned());
        PaletteEntry { text: text.to_owned(), detail: String::new(), refusal, choice }
    }

    fn best<'a>(typed: &str, names: &[&'a str]) -> Option<&'a str> {
        let entries: Vec<PaletteEntry> =
            names.iter().map(|name| entry(name, Choice::Show("x"), true)).collect();
        let first = fitting(typed, &entries).first().map(|entry| entry.text.clone())?;
        names.iter().copied().find(|name| *name == first)
    }

    #[test]
    fn letters_have_to_come_in_order() {
        assert_eq!(best("rnl", &["Run all"]), Some("Run all"));
        assert_eq!(best("lr", &["Run all"]), None);
        assert_eq!(best("rr", &["Run"]), None, "one letter counts once");
        assert_eq!(best("", &["Run all"]), Some("Run all"));
        assert_eq!(best("weights", &["Weight statistics", "Weights", "Weights over time"]), Some("Weights"));
    }

    #[test]
    fn beginnings_of_words_and_whole_pieces_count_more() {
        assert_eq!(best("sa", &["Stop after this stage", "Save as…", "Run all"]), Some("Save as…"));
        assert_eq!(best("sa ne", &["Stop now", "Save as a new file"]), Some("Save as a new file"));
        assert_eq!(
            best("stage", &["Set trace gamma", "Stop after this stage"]),
            Some("Stop after this stage")
        );
        assert_eq!(best("log", &["Duplicate long arm", "Copy log"]), Some("Copy log"));
        assert_eq!(best("UNDO", &["Undo", "Run and do"]), Some("Undo"));
    }

    #[test]
    fn words_that_begin_so_come_first_views_before_rare_commands_and_what_cannot_be_done_last() {
        let command = Choice::Command;
        let entries = [
            entry("Plan of the arm", command(Command::TogglePlan), true),
            entry("Stop the queue now", command(Command::StopNow), false),
            entry("Runs side by side and threads…", command(Command::Sharing), true),
            entry("Run all", command(Command::RunAll), true),
            entry("Next part of the window", command(Command::NextRegion), true),
            entry("Add stage: Campaign", Choice::AddStage("Campaign"), true),
            entry("Show view: Parallel coordinates", Choice::Show("parallel"), true),
            entry("Show view: Queue", Choice::Show("queue"), true),
            entry("Show view: Campaigns", Choice::Show("campaigns"), true),
            entry("Show view: Runs", Choice::Show("runs"), true),
        ];
        let found = |typed: &str| -> Vec<&str> {
            fitting(typed, &entries).into_iter().map(|entry| entry.text.as_str()).collect()
        };
        assert_eq!(found("par")[0], "Show view: Parallel coordinates");
        assert_eq!(found("queue"), ["Show view: Queue", "Stop the queue now"]);
        assert_eq!(found("runs")[0], "Show view: Runs");
        assert_eq!(found("camp")[..2], ["Show view: Campaigns", "Add stage: Campaign"]);
        assert_eq!(found("ad cam")[0], "Add stage: Campaign");
        assert_eq!(found("arall")[0], "Show view: Parallel coordinates", "inside a word");
        assert_eq!(found("").len(), entries.len());
    }

    #[test]
    fn a_missing_file_says_so_and_files_are_found_by_what_stands_beside_them() {
        let file = |path: &str, state| {
            let mut file = RecentFile::unknown(Path::new(path));
            file.state = state;
            file
        };
        let done = RecentState::Runs { done: 3, all: 3 };
        let entries = file_entries(vec![file("/a/x.ron", done), file("/b/y.ron", RecentState::Missing)]);
        assert_eq!((entries[0].text.as_str(), &entries[0].refusal), ("x.ron", &None));
        assert!(entries[1].refusal.as_ref().unwrap().contains("/b/y.ron no longer exists"));
        assert_eq!(entries[0].detail, "/a · 3 runs done");
        assert_eq!(fitting("3 runs", &entries), [&entries[0]]);
    }
}
