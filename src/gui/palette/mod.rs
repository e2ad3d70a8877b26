//! A list that is searched by a few letters and driven by the keyboard: all commands, or the files that were open before.

mod fuzzy;

use std::path::PathBuf;

use eframe::egui::{self, Align2, Button, Frame, Id, Key, Modal, Modifiers, RichText, TextEdit, Ui, vec2};

use super::commands::{self, Command, CommandContext, mark_and_key};
use super::panes::{Pane, find, panes};
use super::plan;
use super::scroll::scroll_area;
use super::text::first_statement;
use super::theme;
use super::widgets::{self, FieldState};
use fuzzy::score;

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A command.
    Command(Command),
    /// To show a plot or view, by its name.
    Show(&'static str),
    /// To add a stage to the plan, by what menus call it.
    AddStage(&'static str),
    /// A file that was open before.
    File(PathBuf),
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaletteEntry {
    /// What it is called; this is searched.
    pub text: String,
    /// Key, or folder.
    pub detail: String,
    /// Why it cannot be chosen now.
    pub refusal: Option<String>,
    /// What it does.
    pub choice: Choice,
}

/// Which list is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaletteList {
    /// All commands.
    Commands,
    /// Files that were open before.
    Files,
}

/// An open list.
pub struct Palette {
    /// Which one.
    pub list: PaletteList,
    typed: String,
    /// Position of the chosen line among those that fit.
    chosen: usize,
}

/// What became of it.
pub enum PaletteOutcome {
    /// Closed without a choice.
    Closed,
    /// This one.
    Chosen(Choice),
}

impl Palette {
    /// An open list with nothing typed.
    pub const fn new(list: PaletteList) -> Self {
        Self { list, typed: String::new(), chosen: 0 }
    }

    /// Draws the list; nothing as long as it stays open.
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
        let keys = keys(ui);
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
        self.move_by(keys.steps, fitting.len());
        let is_new = field.changed() || keys.steps != 0;
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
        let entered = entry.filter(|entry| keys.entered && entry.refusal.is_none());
        clicked.or_else(|| entered.map(|entry| entry.choice.clone()))
    }

    fn move_by(&mut self, steps: isize, count: usize) {
        self.chosen = self.chosen.saturating_add_signed(steps).min(count.saturating_sub(1));
    }
}

/// What the keyboard asks for.
struct Keys {
    steps: isize,
    entered: bool,
}

fn keys(ui: &Ui) -> Keys {
    ui.input_mut(|input| {
        let mut pressed = |key| input.count_and_consume_key(Modifiers::NONE, key).cast_signed();
        let lines = pressed(Key::ArrowDown) - pressed(Key::ArrowUp);
        let pages = pressed(Key::PageDown) - pressed(Key::PageUp);
        Keys { steps: lines + 8 * pages, entered: pressed(Key::Enter) > 0 }
    })
}

/// The entries that fit what is typed, the best first; as they are listed when nothing is.
fn fitting<'a>(typed: &str, entries: &'a [PaletteEntry]) -> Vec<&'a PaletteEntry> {
    let mut scored: Vec<(i32, &PaletteEntry)> =
        entries.iter().filter_map(|entry| Some((score(typed, &entry.text)?, entry))).collect();
    scored.sort_by_key(|(score, _)| -score);
    scored.into_iter().map(|(_, entry)| entry).collect()
}

fn row_ui(ui: &mut Ui, entry: &PaletteEntry, is_chosen: bool) -> egui::Response {
    let button = Button::selectable(is_chosen, &entry.text)
        .shortcut_text(RichText::new(&entry.detail).small())
        .truncate()
        .min_size(vec2(ui.available_width(), 3.0 * theme::STEP));
    let response = ui.add_enabled(entry.refusal.is_none(), button).accessible_name(&entry.text);
    match &entry.refusal {
        Some(why) => response.on_disabled_hover_text(why),
        None => response,
    }
}

/// The line below the list: what the chosen entry does, or why it cannot be chosen.
fn below(entry: Option<&PaletteEntry>) -> String {
    let Some(entry) = entry else { return "No match".to_owned() };
    match (&entry.refusal, &entry.choice) {
        (Some(why), _) => format!("Not now: {why}"),
        (None, Choice::Command(command)) => command.tooltip().to_owned(),
        (None, Choice::Show(view)) => {
            find(view).map(|pane| first_statement(pane.help).to_owned()).unwrap_or_default()
        }
        (None, Choice::AddStage(label)) => {
            let known = plan::addable().find(|(known, _)| known == label);
            known.map(|(_, help)| help.to_owned()).unwrap_or_default()
        }
        (None, Choice::File(path)) => path.display().to_string(),
    }
}

/// All commands as entries; what switches something on says so.
pub fn command_entries(
    ctx: &egui::Context,
    context: &CommandContext,
    is_on: &dyn Fn(Command) -> Option<bool>,
) -> Vec<PaletteEntry> {
    let entry = |command: Command| PaletteEntry {
        text: command.label(context),
        detail: mark_and_key(ctx, command, is_on(command)),
        refusal: command.refusal(context),
        choice: Choice::Command(command),
    };
    commands::all().filter(|command| *command != Command::Palette).map(entry).collect()
}

/// All plots and views as entries; what has a tab says so.
pub fn view_entries(has_tab: &dyn Fn(&str) -> bool) -> Vec<PaletteEntry> {
    let entry = |pane: Pane| PaletteEntry {
        text: format!("Show view: {}", pane.title),
        detail: if has_tab(pane.name) { "✓".to_owned() } else { String::new() },
        refusal: None,
        choice: Choice::Show(pane.name),
    };
    panes().map(entry).collect()
}

/// All stages that can be added to the selected arm as entries.
pub fn stage_entries(context: &CommandContext) -> Vec<PaletteEntry> {
    let refusal = Command::DuplicateArm.refusal(context); // both need a selected arm
    let entry = |(label, _): (&'static str, &str)| PaletteEntry {
        text: format!("Add stage: {label}"),
        detail: String::new(),
        refusal: refusal.clone(),
        choice: Choice::AddStage(label),
    };
    plan::addable().map(entry).collect()
}

/// Files as entries; those that are not there any more say so.
pub fn file_entries(files: &[PathBuf], is_there: &[bool]) -> Vec<PaletteEntry> {
    let entry = |(path, is_there): (&PathBuf, &bool)| {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        let refusal = (!is_there).then(|| format!("{} no longer exists", path.display()));
        let detail = if *is_there { folder } else { format!("missing from {folder}") };
        PaletteEntry { text: name, detail, refusal, choice: Choice::File(path.clone()) }
    };
    files.iter().zip(is_there).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_command_is_in_the_palette() {
        let entries = command_entries(&egui::Context::default(), &CommandContext::default(), &|_| None);
        for command in commands::all().filter(|command| *command != Command::Palette) {
            assert!(entries.iter().any(|entry| entry.choice == Choice::Command(command)), "{command:?}");
        }
        assert!(entries.iter().any(|entry| entry.refusal.is_some()));
    }

    #[test]
    fn a_missing_file_says_so() {
        let files = [PathBuf::from("/a/x.ron"), PathBuf::from("/b/y.ron")];
        let entries = file_entries(&files, &[true, false]);
        assert_eq!((entries[0].text.as_str(), &entries[0].refusal), ("x.ron", &None));
        assert!(entries[1].refusal.as_ref().unwrap().contains("/b/y.ron no longer exists"));
    }
}
