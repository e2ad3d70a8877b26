//! The list of arms and their runs: marks, states, results, progress.

mod row;
mod state;
mod swept;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use eframe::egui::{
    self, Align, Id, Key, Layout, Popup, PopupCloseBehavior, Rect, Response, RichText, Ui, pos2,
};

use super::arm_look::{self, palette_ui};
use super::commands::Command;
use super::compare::{Compare, arm_marks_ui, run_marks_ui};
use super::form::note_edited;
use super::icons::Icon;
use super::queue_menu::queue_entries_ui;
use super::runs::{QueueRequest, Runs};
use super::selection::Selection;
use super::theme::{self, BODY, CONTROL, NAME, STEP, present};
use super::treatment::Treatment;
use super::widgets::{self, FieldState};
use doc::Experiment;
use figure::style_of;
use row::{Row, RowLook, place, row_ui};
use state::{run_look, summary};

/// Height of the row of a seed or of a swept value, in points.
const SEED: f32 = 24.0;
/// Where carets, marks and names of arms are, in points.
const CARET: f32 = 9.0;
const MARK: f32 = 26.0;
const NAME_AT: f32 = 38.0;
/// Where names of seeds and settings begin, in points.
const SEED_AT: f32 = 42.0;
/// Where the marks of swept values are, in points.
const VALUE_AT: f32 = 58.0;
/// From the right end of a row to the icon of its state, in points.
const ICON_AT: f32 = 70.0;
/// Arms with more runs are folded at first.
const MOST_OPEN: usize = 12;

/// What the list shows.
pub struct TreeInput<'a> {
    /// The arms with their sweeps written out.
    pub treatments: &'a [Treatment],
    /// The experiment. While a field of it is edited, the arms above can be those of a moment ago.
    pub experiment: &'a Experiment,
    /// The states of runs.
    pub runs: &'a Runs,
    /// Whether the runs are older than the settings, which have an error.
    pub is_behind: bool,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum TreeRequest {
    /// A command.
    Do(Command),
    /// Another name for an arm.
    Rename {
        /// Its position.
        arm: usize,
        /// Its new name.
        name: String,
    },
    /// The colours or marks of arms have changed.
    Recolour,
    /// To show the runs of what is selected in their table.
    ShowInTable,
    /// To open the folder of a run, by identity.
    OpenFolder(String),
    /// To start, stop or move runs.
    Queue(QueueRequest),
}

/// What the list reads, and what it may change.
struct Tree<'a> {
    input: &'a TreeInput<'a>,
    compare: &'a mut Compare,
    selection: &'a mut Selection,
    request: Option<TreeRequest>,
    /// What can be selected, in order.
    rows: Vec<(Id, Selection)>,
}

/// Draws the list; what was asked for.
pub fn tree_ui(
    ui: &mut Ui,
    input: &TreeInput<'_>,
    compare: &mut Compare,
    selection: &mut Selection,
) -> Option<TreeRequest> {
    let mut tree = Tree { input, compare, selection, request: None, rows: Vec::new() };
    ui.horizontal(|ui| {
        widgets::title_ui(ui, "Arms");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for (icon, command) in [(Icon::Plus, Command::AddArm), (Icon::Filter, Command::Filter)] {
                if widgets::icon_button_ui(ui, true, icon, command.text()).clicked() {
                    tree.request = Some(TreeRequest::Do(command));
                }
            }
        });
    });
    egui::ScrollArea::vertical().id_salt("tree").auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        if input.treatments.is_empty() {
            ui.label("There are no arms yet. An arm is one treatment to compare with others: press +.");
        }
        if input.is_behind {
            let text = "Runs as before the error: they change once it is fixed.";
            widgets::message_ui(ui, widgets::Tone::Info, text);
            ui.multiply_opacity(0.6);
        }
        let mut first = 0;
        while let Some(treatment) = input.treatments.get(first) {
            let of_arm = input.treatments[first..].iter().take_while(|other| other.arm == treatment.arm);
            let count = of_arm.count();
            tree.arm_ui(ui, &input.treatments[first..first + count]);
            first += count;
        }
    });
    let ids: Vec<Id> = tree.rows.iter().map(|(id, _)| *id).collect();
    if let Some(target) = widgets::arrow_target(ui, &ids) {
        *tree.selection = tree.rows[target].1.clone();
    }
    tree.request
}

impl Tree<'_> {
    /// The row of an arm, and those of its runs or swept values.
    fn arm_ui(&mut self, ui: &mut Ui, treatments: &[Treatment]) {
        let first = &treatments[0];
        let id = ui.scope_id().with(("arm", first.arm));
        let runs: usize = treatments.iter().map(|treatment| treatment.runs.len()).sum();
        let is_swept = treatments.len() > 1;
        let mut is_open = fold(ui, id, is_swept || runs <= MOST_OPEN);
        if let Some(rect) = place(ui, CONTROL) {
            self.arm_row_ui(ui, rect, id, treatments, &mut is_open);
        }
        set_fold(ui, id, is_open);
        if !is_open {
            return;
        }
        if is_swept {
            self.swept_ui(ui, id, treatments);
        } else {
            for run in &first.runs {
                self.run_ui(ui, id, run, SEED_AT);
            }
        }
    }

    fn arm_row_ui(&mut self, ui: &mut Ui, rect: Rect, id: Id, treatments: &[Treatment], is_open: &mut bool) {
        let first = &treatments[0];
        let colours = present(ui);
        let name = if treatments.len() > 1 { base_name(first) } else { first.name.as_str() };
        let is_selected = *self.selection == Selection::Arm(first.arm);
        let is_owner = !is_selected && self.selection.arm() == Some(first.arm);
        let font =
            if is_owner || is_selected { theme::medium(NAME) } else { egui::FontId::proportional(NAME) };
        let look = RowLook { id, name, indent: NAME_AT, font, is_selected, is_owner, is_target: true };
        let mut row = row_ui(ui, rect, &look);
        let all: Vec<&Treatment> = treatments.iter().collect();
        let (words, tone) = if treatments.len() > 1 {
            (format!("{} settings", treatments.len()), state::RunTone::Quiet)
        } else {
            summary(&all, self.input.runs)
        };
        row.right_ui(ui, RichText::new(words).color(tone.colours(ui)[1]), NAME_AT + 48.0);
        let verb = if *is_open { "Fold" } else { "Unfold" };
        let caret = row.button(ui, CARET, &format!("{verb} {name}"));
        let icon = if *is_open { Icon::CaretDown } else { Icon::CaretRight };
        row::icon(ui, &row, rect.left() + CARET, icon, colours.text2);
        if caret.clicked() || row.response.double_clicked() {
            *is_open ^= true;
        }
        let mark = row.button(ui, MARK, &format!("Colour and mark of {name}"));
        arm_look::mark(
            ui.painter(),
            mark.rect.center(),
            style_of(first.colour),
            theme::arm_colour(ui, first.colour),
        );
        self.palette_ui(&mark, treatments);
        if !self.rename_ui(ui, &row, first.arm, name) {
            row.name_ui(ui, &look, colours.text);
        }
        self.rows.push((id, Selection::Arm(first.arm)));
        if row.response.clicked() {
            *self.selection = Selection::Arm(first.arm);
        }
        self.arm_menu_ui(&row.response, first);
    }

    fn run_ui(&mut self, ui: &mut Ui, parent: Id, run: &doc::Run, indent: f32) {
        let Some(rect) = place(ui, SEED) else { return };
        let id = parent.with(("run", run.seed));
        let own = Selection::Run { arm: run.arm_index, id: run.id.clone() };
        let name = format!("seed {}", run.seed);
        let is_selected = *self.selection == own;
        let look = RowLook {
            id,
            name: &name,
            indent,
            font: egui::FontId::proportional(BODY),
            is_selected,
            is_owner: false,
            is_target: true,
        };
        let mut row = row_ui(ui, rect, &look);
        let colours = present(ui);
        let state = run_look(run, self.input.runs);
        let [ink, words_ink] = state.tone.colours(ui);
        let words_ink = if is_selected && !state.tone.is_loud() { colours.text2 } else { words_ink };
        let least = indent + 44.0 + if state.icon.is_some() { 20.0 } else { 36.0 };
        let words = RichText::new(&state.words).color(words_ink);
        row.right_ui(ui, words, least);
        if let Some(icon) = state.icon {
            let at = (rect.right() - ICON_AT).min(row.end - STEP / 2.0);
            row::icon(ui, &row, at, icon, ink);
            row.end = at - STEP;
        }
        if let Some(share) = state.share {
            row::bar(ui, &mut row, share as f32, indent + 44.0);
        }
        row.name_ui(ui, &look, if is_selected { colours.text } else { colours.text2 });
        self.rows.push((id, own.clone()));
        if row.response.clicked() {
            *self.selection = own.clone();
        }
        self.run_menu_ui(&row.response, own, run);
        row.response.on_hover_text(&state.hint);
    }

    /// A field in place of the name while it is being changed; whether there is one.
    fn rename_ui(&mut self, ui: &mut Ui, row: &Row, arm: usize, name: &str) -> bool {
        let known = ui.data(|data| data.get_temp::<Renaming>(renaming_id()));
        let Some(mut renaming) = known.filter(|renaming| renaming.arm == arm) else { return false };
        let name = self.input.experiment.arms.get(arm).map_or(name, |arm| arm.name.as_str());
        let left = row.rect.left() + NAME_AT - STEP;
        let rect = Rect::from_min_max(pos2(left, row.rect.top()), row.rect.max);
        let mut part = ui.new_child(egui::UiBuilder::new().max_rect(rect));
        let id = renaming_id().with("field");
        if !renaming.text.trim().is_empty() {
            // Undo may have changed it.
            name.clone_into(&mut renaming.text);
        }
        let edit =
            egui::TextEdit::singleline(&mut renaming.text).id(id).desired_width(rect.width() - 2.0 * STEP);
        let field = widgets::field_ui(&mut part, edit, FieldState::Plain).accessible_name("Name of the arm");
        note_edited(&field);
        let is_given_up = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape));
        let wanted = if is_given_up { &renaming.before } else { &renaming.text };
        if wanted != name && !wanted.trim().is_empty() {
            self.request = Some(TreeRequest::Rename { arm, name: wanted.clone() });
        }
        if field.lost_focus() {
            ui.data_mut(|data| data.remove_temp::<Renaming>(renaming_id()));
        } else {
            if !field.has_focus() {
                field.request_focus();
            }
            ui.data_mut(|data| data.insert_temp(renaming_id(), renaming));
        }
        true
    }

    fn arm_menu_ui(&mut self, row: &Response, treatment: &Treatment) {
        // A menu with fields stays open while they are used.
        let menu = Popup::context_menu(row).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        menu.show(|ui| {
            *self.selection = Selection::Arm(treatment.arm);
            self.table_ui(ui);
            let of_arm = self.input.treatments.iter().filter(|other| other.arm == treatment.arm);
            let runs: BTreeSet<String> =
                of_arm.flat_map(|treatment| &treatment.runs).map(|run| run.id.clone()).collect();
            self.queue_ui(ui, &runs.into_iter().collect::<Vec<_>>());
            self.commands_ui(ui, &OF_ARM);
            ui.separator();
            arm_marks_ui(ui, &treatment.name, self.compare);
        });
    }

    fn run_menu_ui(&mut self, row: &Response, own: Selection, run: &doc::Run) {
        let menu = Popup::context_menu(row).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        menu.show(|ui| {
            *self.selection = own;
            self.queue_ui(ui, std::slice::from_ref(&run.id));
            let has_folder = self.input.runs.record(&run.id).is_some();
            ui.add_enabled_ui(has_folder, |ui| {
                if entry_ui(ui, Icon::FolderOpen, "Open folder") {
                    self.request = Some(TreeRequest::OpenFolder(run.id.clone()));
                }
            });
            self.table_ui(ui);
            self.commands_ui(ui, &OF_RUN);
            ui.separator();
            run_marks_ui(ui, &run.id, self.compare);
        });
    }

    fn table_ui(&mut self, ui: &mut Ui) {
        if entry_ui(ui, Icon::Table, "Show in table") {
            self.request = Some(TreeRequest::ShowInTable);
        }
    }

    fn queue_ui(&mut self, ui: &mut Ui, runs: &[String]) {
        if let Some(request) = queue_entries_ui(ui, self.input.runs, runs) {
            self.request = Some(TreeRequest::Queue(request));
        }
    }

    fn commands_ui(&mut self, ui: &mut Ui, commands: &[(Icon, Command)]) {
        for &(icon, command) in commands {
            if entry_ui(ui, icon, command.text()) {
                self.request = Some(TreeRequest::Do(command));
            }
        }
    }

    fn palette_ui(&mut self, mark: &Response, treatments: &[Treatment]) {
        let names: Vec<&str> = treatments.iter().map(|treatment| treatment.name.as_str()).collect();
        let present = treatments[0].colour;
        let popup = Popup::menu(mark).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let chosen = popup.show(|ui| palette_ui(ui, style_of(present))).and_then(|shown| shown.inner);
        if let Some(index) = chosen {
            self.compare.view.colours.choose(&names, index);
            self.request = Some(TreeRequest::Recolour);
        }
    }
}

/// Puts a field in the place of an arm's name, in the next frame.
pub fn begin_rename(ctx: &egui::Context, arm: usize, name: &str) {
    let [before, text] = [name; 2].map(str::to_owned);
    ctx.data_mut(|data| data.insert_temp(renaming_id(), Renaming { arm, before, text }));
    ctx.request_repaint();
}

/// A name that is being changed in place.
#[derive(Clone, Default)]
struct Renaming {
    arm: usize,
    /// The name that Escape brings back.
    before: String,
    /// What is typed; as long as it is empty, the arm keeps its last name.
    text: String,
}

fn renaming_id() -> Id {
    Id::unique("name of an arm that is being changed")
}

/// What the menu of an arm offers.
const OF_ARM: [(Icon, Command); 6] = [
    (Icon::Pencil, Command::RenameArm),
    (Icon::Copy, Command::DuplicateArm),
    (Icon::ArrowUp, Command::MoveArmUp),
    (Icon::ArrowDown, Command::MoveArmDown),
    (Icon::Archive, Command::ArchiveArm),
    (Icon::Trash, Command::RemoveArm),
];
/// What the menu of a run offers.
const OF_RUN: [(Icon, Command); 2] = [(Icon::Star, Command::StarRun), (Icon::Archive, Command::ArchiveRun)];

/// An entry of a menu; whether it was chosen, which closes the menu.
fn entry_ui(ui: &mut Ui, icon: Icon, text: &str) -> bool {
    let chosen = ui.add(widgets::ghost(icon, text)).accessible_name(text).clicked();
    if chosen {
        ui.close();
    }
    chosen
}

/// The name of an arm without the values of its sweep.
fn base_name(treatment: &Treatment) -> &str {
    let mut name = treatment.name.as_str();
    for value in treatment.values.iter().rev() {
        let Some(rest) = name.strip_suffix(value.as_str()) else { break };
        let Some((rest, _)) = rest.rsplit_once(", ") else { break };
        name = rest;
    }
    name
}

fn fold(ui: &Ui, id: Id, is_open_at_first: bool) -> bool {
    ui.data(|data| data.get_temp(id.with("open"))).unwrap_or(is_open_at_first)
}

fn set_fold(ui: &Ui, id: Id, is_open: bool) {
    ui.data_mut(|data| data.insert_temp(id.with("open"), is_open));
}
