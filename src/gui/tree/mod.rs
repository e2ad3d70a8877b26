//! The list of arms and their runs: marks, states, results, progress.

mod state;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    self, Align, Align2, Color32, FontId, Id, Key, Label, Layout, Popup, PopupCloseBehavior, Rect, Response,
    RichText, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::arm_look;
use super::commands::Command;
use super::compare::{Compare, arm_marks_ui, run_marks_ui};
use super::form::{note_edited, select_all};
use super::icons::Icon;
use super::runs::{QueueAction, QueueRequest, Runs};
use super::selection::Selection;
use super::table::Ground;
use super::theme::{self, BODY, CONTROL, NAME, STEP, present};
use super::treatment::{Treatment, swept_labels};
use super::views::queue_entries_ui;
use super::widgets::{self, FieldState};
use doc::Experiment;
use figure::style_of;
use results::colours::base;
use state::{RunTone, run_look, summary};

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
const MOST_OPEN: usize = 10;

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
    /// True if the keyboard is to come to the list.
    pub takes_keyboard: bool,
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
    /// Another colour and mark for an arm: its position, and the index of the style.
    Restyle(usize, usize),
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
    rows: Vec<TreeRow>,
}

/// A row that can be selected.
struct TreeRow {
    id: Id,
    own: Selection,
    /// True if its rows are shown below it, false if they are folded.
    is_open: Option<bool>,
}

/// Draws the list; returns what was asked for.
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
        ui.ctx().accesskit_node_builder(ui.unique_id(), |node| node.set_role(Role::Tree));
        if input.takes_keyboard {
            widgets::focus_next(ui);
        }
        if input.treatments.is_empty() {
            ui.label("There are no arms yet. An arm is one treatment to compare with others: press +.");
        }
        if input.is_behind {
            let text = "Runs of the last settings that could run";
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
    let ids: Vec<Id> = tree.rows.iter().map(|row| row.id).collect();
    if let Some(target) = widgets::arrow_target(ui, &ids).or_else(|| tree.sideways(ui)) {
        *tree.selection = tree.rows[target].own.clone();
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
        let is_open = fold(ui, id, is_swept || runs <= MOST_OPEN);
        let is_stop = match &*self.selection {
            Selection::Experiment => self.rows.is_empty(),
            Selection::Arm(arm) | Selection::Stage { arm, .. } => *arm == first.arm,
            Selection::Setting { arm, .. } => *arm == first.arm && !is_open,
            // Its row is the one, unless an edit has taken it away.
            Selection::Run { arm, .. } => {
                let mut runs = treatments.iter().flat_map(|treatment| &treatment.runs);
                *arm == first.arm && !runs.any(|run| self.is_selected(run))
            }
        };
        if let Some(rect) = place(ui, CONTROL, is_stop) {
            self.arm_row_ui(ui, rect, id, treatments, [is_open, is_stop]);
        }
        if !is_open {
            // What is selected stays in sight.
            let mut runs = treatments.iter().flat_map(|treatment| &treatment.runs);
            if let Some(run) = runs.find(|run| self.is_selected(run)) {
                self.run_ui(ui, id, run, SEED_AT);
            }
        } else if is_swept {
            self.swept_ui(ui, id, treatments);
        } else {
            for run in &first.runs {
                self.run_ui(ui, id, run, SEED_AT);
            }
        }
    }

    fn is_selected(&self, run: &doc::Run) -> bool {
        matches!(&*self.selection, Selection::Run { arm, id } if *arm == run.arm_index && *id == run.id)
    }

    /// Folds a row, or shows what is below it. What is selected below an arm gives way to that.
    fn set_fold(&mut self, ui: &Ui, id: Id, is_open: bool, owner: &Selection) {
        ui.data_mut(|data| data.insert_temp(id.with("open"), is_open));
        ui.ctx().request_repaint();
        if !is_open
            && let Selection::Arm(own) = owner
            && let Selection::Run { arm, .. } | Selection::Setting { arm, .. } = &*self.selection
            && arm == own
        {
            *self.selection = owner.clone();
        }
    }

    /// Folds or unfolds the row that has the keyboard where the arrow keys at the sides ask for it. Returns the row around it, or
    /// the first one below it, that they lead to instead.
    fn sideways(&mut self, ui: &Ui) -> Option<usize> {
        let focused = ui.memory(egui::Memory::focused)?;
        let at = self.rows.iter().position(|row| row.id == focused)?;
        let arrows =
            egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(focused, arrows));
        let is_pressed = |key| ui.input(|input| input.modifiers.is_none() && input.key_pressed(key));
        let opens = is_pressed(Key::ArrowRight);
        if !opens && !is_pressed(Key::ArrowLeft) {
            return None;
        }
        let (own, is_open) = (self.rows[at].own.clone(), self.rows[at].is_open);
        if is_open == Some(!opens) {
            self.set_fold(ui, focused, opens, &own);
            return None;
        }
        // A run is below a setting or an arm, a setting below an arm.
        let is_around = |row: &TreeRow| match &own {
            Selection::Run { .. } => row.is_open.is_some(),
            Selection::Setting { .. } => matches!(row.own, Selection::Arm(_)),
            Selection::Experiment | Selection::Arm(_) | Selection::Stage { .. } => false,
        };
        let target = match is_open {
            Some(true) if opens => at + 1,
            _ if opens => return None,
            _ => self.rows[..at].iter().rposition(is_around)?,
        };
        let id = self.rows.get(target)?.id;
        ui.memory_mut(|memory| memory.request_focus(id));
        ui.ctx().request_repaint();
        Some(target)
    }

    fn arm_row_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        id: Id,
        treatments: &[Treatment],
        [is_open, is_stop]: [bool; 2],
    ) {
        let first = &treatments[0];
        let colours = present(ui);
        let names: Vec<&str> = treatments.iter().map(|treatment| treatment.name.as_str()).collect();
        let name = base(&names);
        let own = Selection::Arm(first.arm);
        let is_owner = *self.selection != own && self.selection.arm() == Some(first.arm);
        let is_chosen = self.selection.arm() == Some(first.arm);
        let font = if is_chosen { theme::medium(NAME) } else { FontId::proportional(NAME) };
        let look = RowLook { font, is_owner, is_stop, ..RowLook::new(id, name, NAME_AT, colours.text) };
        let mut row = self.row_ui(ui, rect, &look, Some((own.clone(), Some(is_open))));
        let all: Vec<&Treatment> = treatments.iter().collect();
        let (words, tone) = if treatments.len() > 1 {
            (format!("{} settings", treatments.len()), RunTone::Quiet)
        } else {
            summary(&all, self.input.runs)
        };
        row.right_ui(ui, RichText::new(words).color(tone.colours(ui)[1]), NAME_AT + 48.0);
        let verb = if is_open { "Fold" } else { "Unfold" };
        let caret = row.button(ui, CARET, &format!("{verb} {name}"));
        let icon = if is_open { Icon::CaretDown } else { Icon::CaretRight };
        icon.paint(ui.painter(), caret.rect.center(), 14.0, colours.text2);
        if caret.clicked() || row.response.double_clicked() {
            self.set_fold(ui, id, !is_open, &own);
        }
        let mark = row.button(ui, MARK, &format!("Colour and mark of {name}"));
        arm_look::mark(ui, mark.rect.center(), first.colour, true);
        let palette = Popup::menu(&mark).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let chosen = palette.show(|ui| arm_look::palette_ui(ui, style_of(first.colour)));
        if let Some(index) = chosen.and_then(|shown| shown.inner) {
            self.request = Some(TreeRequest::Restyle(first.arm, index));
        }
        if !self.rename_ui(ui, &row, first.arm, name) {
            row.name_ui(ui, &look);
        }
        self.arm_menu_ui(&row.response, first);
    }

    fn run_ui(&mut self, ui: &mut Ui, parent: Id, run: &doc::Run, indent: f32) {
        let Some(rect) = place(ui, SEED, self.is_selected(run)) else { return };
        let own = Selection::Run { arm: run.arm_index, id: run.id.clone() };
        let name = format!("seed {}", run.seed);
        let is_selected = *self.selection == own;
        let colours = present(ui);
        let ink = if is_selected { colours.text } else { colours.text2 };
        let look = RowLook::new(parent.with(("run", run.seed)), &name, indent, ink);
        let mut row = self.row_ui(ui, rect, &look, Some((own.clone(), None)));
        let state = run_look(run, self.input.runs);
        let [ink, words_ink] = state.tone.colours(ui);
        let is_loud = matches!(state.tone, RunTone::Warning | RunTone::Bad);
        let words_ink = if is_selected && !is_loud { colours.text2 } else { words_ink };
        let least = indent + 44.0 + if state.icon.is_some() { 20.0 } else { 36.0 };
        if state.tone == RunTone::Bad {
            let link = row.right_ui(ui, RichText::new("Retry").color(colours.link), least);
            let retry = ui.interact(link.rect, row.response.id.with("retry"), Sense::CLICK);
            retry.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Retry {name}")));
            if retry.on_hover_text("Runs it once more, from its last checkpoint").clicked() {
                let request = QueueRequest { action: QueueAction::Run, runs: vec![run.id.clone()] };
                self.request = Some(TreeRequest::Queue(request));
            }
        }
        row.right_ui(ui, RichText::new(&state.words).color(words_ink), least);
        if let Some(icon) = state.icon {
            let at = (rect.right() - ICON_AT).min(row.end - STEP / 2.0);
            icon.paint(ui.painter(), pos2(at, rect.center().y), 14.0, ink);
            row.end = at - STEP;
        }
        if let Some(share) = state.share {
            bar_ui(ui, &mut row, share as f32, indent + 44.0);
        }
        row.name_ui(ui, &look);
        self.run_menu_ui(&row.response, own, run);
        row.response.on_hover_text(&state.hint);
    }

    /// Draws a field in place of the name while it is being changed; returns true if there is one.
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
                field.scroll_to_me(None);
                select_all(ui, id, &renaming.text);
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
const OF_ARM: [(Icon, Command); 7] = [
    (Icon::Pencil, Command::RenameArm),
    (Icon::Copy, Command::AddArm),
    (Icon::Plus, Command::PasteStage),
    (Icon::ArrowUp, Command::MoveArmUp),
    (Icon::ArrowDown, Command::MoveArmDown),
    (Icon::Archive, Command::ArchiveArm),
    (Icon::Trash, Command::RemoveArm),
];
/// Commands of the menu of a run.
const OF_RUN: [(Icon, Command); 2] = [(Icon::Star, Command::StarRun), (Icon::Archive, Command::ArchiveRun)];

/// Returns whether a row was folded or unfolded by somebody, else what it is at first.
fn fold(ui: &Ui, id: Id, is_open_at_first: bool) -> bool {
    ui.data(|data| data.get_temp(id.with("open"))).unwrap_or(is_open_at_first)
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
    font: FontId,
    ink: Color32,
    /// True if what is selected belongs to it.
    is_owner: bool,
    /// True if the Tab key leads to it, though something else is selected.
    is_stop: bool,
}

impl<'a> RowLook<'a> {
    fn new(id: Id, name: &'a str, indent: f32, ink: Color32) -> Self {
        let font = FontId::proportional(BODY);
        Self { id, name, indent, font, ink, is_owner: false, is_stop: false }
    }
}

/// A row whose ground is drawn.
struct Row {
    rect: Rect,
    /// The response to the pointer and the keyboard.
    response: Response,
    /// Left end of the text at the right.
    end: f32,
}

/// Leaves the room of a row; returns its place if it is near the visible part of the list, or is the one that the Tab key leads
/// to. Rows within a few heights can be reached by the arrow keys; of the others there can be thousands.
fn place(ui: &mut Ui, height: f32, is_stop: bool) -> Option<Rect> {
    let (_, rect) = ui.allocate_space(vec2(ui.available_width(), height));
    let seen = ui.clip_rect().expand2(vec2(0.0, BEYOND * height));
    (is_stop || seen.y_range().intersects(rect.y_range())).then_some(rect)
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
    fn name_ui(&self, ui: &Ui, look: &RowLook<'_>) {
        let left = self.rect.left() + look.indent;
        let shown = theme::fitted(ui.painter(), look.name, &look.font, (self.end - left).max(8.0));
        let at = pos2(left, self.rect.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, &shown, look.font.clone(), look.ink);
        if shown != look.name {
            self.response.clone().on_hover_text(look.name);
        }
    }

    /// Returns a button in the row, `at` points from its left. The Tab key passes it: keys of the row do the same.
    fn button(&self, ui: &Ui, at: f32, name: &str) -> Response {
        let centre = pos2(self.rect.left() + at, self.rect.center().y);
        let rect = Rect::from_center_size(centre, vec2(18.0, self.rect.height()));
        let response = ui.interact(rect, self.response.id.with(name), Sense::CLICK);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
        response
    }
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
    /// Draws the settings that an arm sweeps, their values, and below those the runs.
    fn swept_ui(&mut self, ui: &mut Ui, id: Id, treatments: &[Treatment]) {
        if let Some(rect) = place(ui, SEED, false) {
            let labels = swept_labels(self.input.experiment, treatments[0].arm).join(" × ");
            let look = RowLook::new(id.with("settings"), &labels, SEED_AT, present(ui).text);
            self.row_ui(ui, rect, &look, None).name_ui(ui, &look);
        }
        for (number, treatment) in treatments.iter().enumerate() {
            self.value_ui(ui, id.with(("value", number)), treatment);
        }
    }

    /// Draws a swept value with its shade and mean; a click selects its setting and shows its runs, another one folds
    /// them.
    fn value_ui(&mut self, ui: &mut Ui, id: Id, treatment: &Treatment) {
        let is_open = fold(ui, id, false);
        let own = Selection::Setting { arm: treatment.arm, name: treatment.name.clone() };
        let is_selected = *self.selection == own;
        if let Some(rect) = place(ui, SEED, is_selected) {
            let value = treatment.values.join(", ");
            let (words, tone) = summary(&[treatment], self.input.runs);
            let words = RichText::new(words).color(tone.colours(ui)[1]);
            let look = RowLook::new(id, &value, VALUE_AT + 1.5 * STEP, present(ui).text2);
            let mut row = self.row_ui(ui, rect, &look, Some((own.clone(), Some(is_open))));
            row.right_ui(ui, words, look.indent + 48.0);
            row.name_ui(ui, &look);
            arm_look::mark(ui, pos2(rect.left() + VALUE_AT, rect.center().y), treatment.colour, true);
            if row.response.clicked() {
                self.set_fold(ui, id, !(is_open && is_selected), &own);
            }
            row.response.on_hover_text(&treatment.name);
        }
        for run in &treatment.runs {
            if is_open || self.is_selected(run) {
                self.run_ui(ui, id, run, VALUE_AT + STEP);
            }
        }
    }

    /// Draws the ground of a row. A row with a selection of its `own` is selected by a click, or by the arrow keys; with it
    /// comes whether rows are shown below it.
    fn row_ui(
        &mut self,
        ui: &Ui,
        rect: Rect,
        look: &RowLook<'_>,
        own: Option<(Selection, Option<bool>)>,
    ) -> Row {
        let is_selected = own.as_ref().is_some_and(|(own, _)| *own == *self.selection);
        let ground = Ground {
            id: look.id,
            name: look.name,
            role: Role::TreeItem,
            sense: match own {
                Some(_) => widgets::row_sense(ui, look.id, is_selected || look.is_stop, Sense::click()),
                None => Sense::hover(),
            },
            is_selected,
            is_owner: look.is_owner,
        };
        let response = ground.ui(ui, rect);
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        if let Some((own, is_open)) = own {
            let level = if matches!(own, Selection::Arm(_)) { 1 } else { 2 };
            ui.ctx().accesskit_node_builder(look.id, |node| {
                node.set_level(level);
                if let Some(is_open) = is_open {
                    node.set_expanded(is_open);
                }
            });
            self.rows.push(TreeRow { id: look.id, own: own.clone(), is_open });
            if response.clicked() {
                response.request_focus(); // the keyboard goes on from here
                *self.selection = own;
            }
        }
        Row { rect, response, end: rect.right() - END }
    }
}
