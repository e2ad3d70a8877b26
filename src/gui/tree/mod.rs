//! The list of arms and their runs: marks, states, results, progress.

mod state;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    self, Align, Align2, Color32, FontId, Id, Key, Label, Layout, Popup, PopupCloseBehavior, Rect, Response,
    RichText, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::arm_look::{self, palette_ui};
use super::commands::Command;
use super::compare::{Compare, arm_marks_ui, run_marks_ui};
use super::form::note_edited;
use super::icons::Icon;
use super::runs::{QueueRequest, Runs};
use super::selection::Selection;
use super::table::Ground;
use super::theme::{self, BODY, CONTROL, NAME, STEP, present};
use super::treatment::{Treatment, swept_labels};
use super::views::queue_entries_ui;
use super::widgets::{self, FieldState};
use doc::Experiment;
use figure::style_of;
use state::{mean_of, run_look, summary};

/// Height of the row of a seed or of a swept value, in points.
const SEED: f32 = 24.0;
/// Places of carets, marks and names of arms, in points.
const CARET: f32 = 9.0;
const MARK: f32 = 26.0;
const NAME_AT: f32 = 38.0;
/// Left end of names of seeds and settings, in points.
const SEED_AT: f32 = 42.0;
/// Place of the marks of swept values, in points.
const VALUE_AT: f32 = 58.0;
/// From the right end of a row to the icon of its state, in points.
const ICON_AT: f32 = 70.0;
/// Arms with more runs are folded at first.
const MOST_OPEN: usize = 12;

/// The input of the list.
pub struct TreeInput<'a> {
    /// The arms with their sweeps written out.
    pub treatments: &'a [Treatment],
    /// The experiment. While a field of it is edited, the arms above can be those of a moment ago.
    pub experiment: &'a Experiment,
    /// The states of runs.
    pub runs: &'a Runs,
    /// True if the runs are older than the settings, which have an error.
    pub is_behind: bool,
}

/// An action of the list.
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

/// The list while it is drawn.
struct Tree<'a> {
    input: &'a TreeInput<'a>,
    compare: &'a mut Compare,
    selection: &'a mut Selection,
    request: Option<TreeRequest>,
    /// Rows that can be selected, in order.
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
    /// Draws the row of an arm, and those of its runs or swept values.
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
        paint_icon(ui, &row, rect.left() + CARET, icon, colours.text2);
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
            paint_icon(ui, &row, at, icon, ink);
            row.end = at - STEP;
        }
        if let Some(share) = state.share {
            bar_ui(ui, &mut row, share as f32, indent + 44.0);
        }
        row.name_ui(ui, &look, if is_selected { colours.text } else { colours.text2 });
        self.rows.push((id, own.clone()));
        if row.response.clicked() {
            *self.selection = own.clone();
        }
        self.run_menu_ui(&row.response, own, run);
        row.response.on_hover_text(&state.hint);
    }

    /// Draws a field in place of the name while it is being changed; whether there is one.
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
                if widgets::entry_ui(ui, Icon::FolderOpen, "Open folder") {
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
        if widgets::entry_ui(ui, Icon::Table, "Show in table") {
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
            if widgets::entry_ui(ui, icon, command.text()) {
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
    /// The typed text; as long as it is empty, the arm keeps its last name.
    text: String,
}

fn renaming_id() -> Id {
    Id::unique("name of an arm that is being changed")
}

/// Commands of the menu of an arm.
const OF_ARM: [(Icon, Command); 6] = [
    (Icon::Pencil, Command::RenameArm),
    (Icon::Copy, Command::DuplicateArm),
    (Icon::ArrowUp, Command::MoveArmUp),
    (Icon::ArrowDown, Command::MoveArmDown),
    (Icon::Archive, Command::ArchiveArm),
    (Icon::Trash, Command::RemoveArm),
];
/// Commands of the menu of a run.
const OF_RUN: [(Icon, Command); 2] = [(Icon::Star, Command::StarRun), (Icon::Archive, Command::ArchiveRun)];

/// Returns the name of an arm without the values of its sweep.
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

/// The number of rows drawn beyond each end of the visible part of the list.
const BEYOND: f32 = 4.0;
/// Space at the right of a row, in points.
const END: f32 = 4.0;

struct RowLook<'a> {
    /// Identifies it; the same while the list changes around it.
    id: Id,
    /// Its name, for the eye and for screen readers.
    name: &'a str,
    /// Left end of the name, in points.
    indent: f32,
    /// The letters of the name.
    font: FontId,
    /// True if it is selected.
    is_selected: bool,
    /// True if what is selected belongs to it.
    is_owner: bool,
    /// True if it can be selected.
    is_target: bool,
}

/// A row whose ground is drawn.
struct Row {
    rect: Rect,
    /// The response to the pointer and the keyboard.
    response: Response,
    /// Left end of the text at the right.
    end: f32,
}

/// Leaves the room of a row; its place, if it is near the visible part of the list. Rows within a few heights of it can be
/// reached by the keyboard; of the others there can be thousands.
fn place(ui: &mut Ui, height: f32) -> Option<Rect> {
    let (_, rect) = ui.allocate_space(vec2(ui.available_width(), height));
    let seen = ui.clip_rect().expand2(vec2(0.0, BEYOND * height));
    seen.y_range().intersects(rect.y_range()).then_some(rect)
}

/// Draws the ground of a row, which is selected by a click, or by the arrow keys.
fn row_ui(ui: &Ui, rect: Rect, look: &RowLook<'_>) -> Row {
    let ground = Ground {
        id: look.id,
        name: look.name,
        role: Role::TreeItem,
        sense: if look.is_target { Sense::click() } else { Sense::hover() },
        is_selected: look.is_selected,
        is_owner: look.is_owner,
    };
    let response = ground.ui(ui, rect);
    if response.clicked() {
        response.request_focus(); // the keyboard goes on from here
    }
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    Row { rect, response, end: rect.right() - END }
}

impl Row {
    /// Draws a text at the right, which takes at most what `least` points of the name leave.
    fn right_ui(&mut self, ui: &mut Ui, text: RichText, least: f32) -> Response {
        let room = (self.end - self.rect.left() - least).max(0.0);
        let rect =
            Rect::from_min_max(pos2(self.end - room, self.rect.top()), pos2(self.end, self.rect.bottom()));
        let layout = Layout::right_to_left(Align::Center);
        let mut part = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
        // It cannot be selected, as in the table of runs: that would take as long as drawing it.
        // The row itself explains it.
        let label = Label::new(text.size(BODY)).selectable(false).truncate();
        let response = part.add(label.show_tooltip_when_elided(false));
        self.end = response.rect.left() - STEP;
        response
    }

    /// Draws the name, without its middle where it does not fit: names mostly differ at their ends.
    fn name_ui(&self, ui: &Ui, look: &RowLook<'_>, colour: Color32) {
        let left = self.rect.left() + look.indent;
        let shown = theme::fitted(ui.painter(), look.name, &look.font, (self.end - left).max(8.0));
        let at = pos2(left, self.rect.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, &shown, look.font.clone(), colour);
        if shown != look.name {
            self.response.clone().on_hover_text(look.name);
        }
    }

    /// Returns a button in the row, `at` points from its left.
    fn button(&self, ui: &Ui, at: f32, name: &str) -> Response {
        let centre = pos2(self.rect.left() + at, self.rect.center().y);
        let rect = Rect::from_center_size(centre, vec2(18.0, self.rect.height()));
        let response = ui.interact(rect, self.response.id.with(name), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
        if response.has_focus() {
            widgets::focus_ring(ui, rect);
        }
        response
    }
}

/// Paints an icon in a row; `at` is its centre in points from the left of the window.
fn paint_icon(ui: &Ui, row: &Row, at: f32, icon: Icon, colour: Color32) {
    icon.paint(ui.painter(), pos2(at, row.rect.center().y), 14.0, colour);
}

/// Paints how far a run is, from `from` points on.
fn bar_ui(ui: &Ui, row: &mut Row, share: f32, from: f32) {
    let left = (row.rect.left() + from).max(row.end - 58.0);
    if row.end - left < 8.0 {
        return;
    }
    let colours = present(ui);
    let middle = row.rect.center().y;
    let all = Rect::from_min_max(pos2(left, middle - 3.0), pos2(row.end, middle + 3.0));
    ui.painter().rect_filled(all, 3.0, colours.raised);
    let done = all.with_max_x(left + all.width() * share.clamp(0.0, 1.0));
    ui.painter().rect_filled(done, 3.0, colours.link);
    row.end = left - STEP;
}

impl Tree<'_> {
    /// Draws the settings that an arm sweeps, each with its values, and below them the runs.
    fn swept_ui(&mut self, ui: &mut Ui, id: Id, treatments: &[Treatment]) {
        let (labels, experiment) = (OnceCell::new(), self.input.experiment);
        let label = |setting: usize| {
            let labels = labels.get_or_init(|| swept_labels(experiment, treatments[0].arm));
            labels.get(setting).map_or("setting", String::as_str)
        };
        let settings = treatments[0].values.len();
        if settings == 1 {
            setting_ui(ui, id, || label(0), "");
            for (number, treatment) in treatments.iter().enumerate() {
                self.value_ui(ui, id.with(("value", number)), treatment);
            }
            return;
        }
        for setting in 0..settings {
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            let of_setting = treatments.iter().filter_map(|treatment| treatment.values.get(setting));
            let values: Vec<&String> = of_setting.filter(|value| seen.insert(value)).collect();
            let each = treatments.len() / values.len().max(1);
            setting_ui(ui, id, || label(setting), &format!("mean of {each}"));
            for value in values {
                let id = id.with(("value", setting, value));
                // Most rows are out of sight.
                if let Some(mut row) = value_row(ui, id, value, false, false) {
                    let with = |treatment: &&Treatment| {
                        treatment.values.get(setting).is_some_and(|own| own == value)
                    };
                    let of_value: Vec<&Treatment> = treatments.iter().filter(with).collect();
                    let mean = mean_of(&of_value, self.input.runs);
                    row.right_ui(ui, RichText::new(mean).color(present(ui).text2), VALUE_AT + 48.0);
                    row.name_ui(ui, &value_look(id, value, false, false), present(ui).text2);
                }
            }
        }
        setting_ui(ui, id, || "all combinations", &treatments.len().to_string());
        for (number, treatment) in treatments.iter().enumerate() {
            self.value_ui(ui, id.with(("combination", number)), treatment);
        }
    }

    /// Draws a swept value with its shade and mean; a click selects its setting and shows its runs, another one folds
    /// them.
    fn value_ui(&mut self, ui: &mut Ui, id: Id, treatment: &Treatment) {
        let mut is_open = fold(ui, id, false);
        let value = treatment.values.join(", ");
        let own = Selection::Setting { arm: treatment.arm, name: treatment.name.clone() };
        let is_selected = *self.selection == own;
        if let Some(mut row) = value_row(ui, id, &value, true, is_selected) {
            let (words, tone) = summary(&[treatment], self.input.runs);
            row.right_ui(ui, RichText::new(words).color(tone.colours(ui)[1]), VALUE_AT + 48.0);
            row.name_ui(ui, &value_look(id, &value, true, is_selected), present(ui).text2);
            let at = pos2(row.rect.left() + VALUE_AT, row.rect.center().y);
            arm_look::mark(
                ui.painter(),
                at,
                style_of(treatment.colour),
                theme::arm_colour(ui, treatment.colour),
            );
            self.rows.push((id, own.clone()));
            if row.response.clicked() {
                is_open = !(is_open && is_selected);
                *self.selection = own;
            }
            row.response.on_hover_text(&treatment.name);
        }
        set_fold(ui, id, is_open);
        if is_open {
            for run in &treatment.runs {
                self.run_ui(ui, id, run, VALUE_AT + STEP);
            }
        }
    }
}

/// Draws the name of a swept setting, which takes time to find.
fn setting_ui<'a>(ui: &mut Ui, parent: Id, label: impl FnOnce() -> &'a str, words: &str) {
    let Some(rect) = place(ui, SEED) else { return };
    let label = label();
    let look = RowLook {
        id: parent.with(("setting", label)),
        name: label,
        indent: SEED_AT,
        font: egui::FontId::proportional(BODY),
        is_selected: false,
        is_owner: false,
        is_target: false,
    };
    let mut row = row_ui(ui, rect, &look);
    row.right_ui(ui, RichText::new(words).color(present(ui).text3), SEED_AT + 48.0);
    row.name_ui(ui, &look, present(ui).text);
}

fn value_look(id: Id, value: &str, is_target: bool, is_selected: bool) -> RowLook<'_> {
    let indent = if is_target { VALUE_AT + 1.5 * STEP } else { VALUE_AT };
    let font = egui::FontId::proportional(BODY);
    RowLook { id, name: value, indent, font, is_selected, is_owner: false, is_target }
}

fn value_row(ui: &mut Ui, id: Id, value: &str, is_target: bool, is_selected: bool) -> Option<Row> {
    let rect = place(ui, SEED)?;
    Some(row_ui(ui, rect, &value_look(id, value, is_target, is_selected)))
}
