//! The list of arms and their runs: state in word and sign, result, progress.

use eframe::egui::{
    self, Align, Button, Label, Layout, Popup, PopupCloseBehavior, Rect, Response, RichText, TextStyle, Ui,
    collapsing_header::CollapsingState, vec2,
};

use super::commands::Command;
use super::compare::{Compare, arm_marks_ui};
use super::runs::Runs;
use super::selection::Selection;
use super::treatment::Treatment;
use super::widgets::dot_ui;
use super::{text, theme};
use crate::doc::Run;
use crate::results::{RunRecord, RunState};

const STALE: &str = "This curve has the settings from before your last change. Run again to update it.";
const STRAY: &str =
    "This run started before you changed the settings. Its results have the earlier settings.";

/// The number of rows drawn beyond each end of the visible part of the list.
const BEYOND: f32 = 4.0;

/// The accuracy in the row of a run.
pub fn result(record: &RunRecord) -> Option<f64> {
    ["test_accuracy", "validation_accuracy"].iter().find_map(|series| record.latest(series))
}

/// Draws the list; what was pressed.
pub fn tree_ui(
    ui: &mut Ui,
    treatments: &[Treatment],
    runs: &Runs,
    compare: &mut Compare,
    selection: &mut Selection,
) -> Option<Command> {
    let mut command = None;
    ui.horizontal(|ui| {
        theme::heading_ui(ui, "Arms and runs");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("+ Add arm").on_hover_text(Command::AddArm.tooltip()).clicked() {
                command = Some(Command::AddArm);
            }
        });
    });
    egui::ScrollArea::vertical().id_salt("tree").auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.spacing_mut().interact_size.y = 2.5 * theme::STEP;
        ui.spacing_mut().button_padding.y = 1.0;
        if treatments.is_empty() {
            ui.label("There are no arms yet. An arm is one treatment to compare with others: press Add arm.");
        }
        for (position, treatment) in treatments.iter().enumerate() {
            let chosen = treatment_ui(ui, position, treatment, runs, compare, selection);
            command = command.or(chosen);
        }
    });
    command
}

fn treatment_ui(
    ui: &mut Ui,
    position: usize,
    treatment: &Treatment,
    runs: &Runs,
    compare: &mut Compare,
    selection: &mut Selection,
) -> Option<Command> {
    let mut command = None;
    let id = ui.make_persistent_id(("treatment", position));
    CollapsingState::load_with_default_open(ui.ctx(), id, treatment.runs.len() <= 12)
        .show_header(ui, |ui| {
            dot_ui(ui, theme::arm_colour(ui, treatment.colour));
            let summary = summary(treatment, runs);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                text_ui(ui, RichText::new(summary).small().weak());
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let selected = selection.arm() == Some(treatment.arm) && selection.run().is_none();
                    let row = name_ui(ui, &treatment.name, selected);
                    if row.clicked() {
                        row.request_focus(); // the keyboard goes on from here
                        *selection = Selection::Arm(treatment.arm);
                    }
                    // A menu with fields stays open while they are used.
                    let menu =
                        Popup::context_menu(&row).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
                    menu.show(|ui| {
                        *selection = Selection::Arm(treatment.arm);
                        command = context_ui(ui, &OF_ARM).or(command);
                        ui.separator();
                        arm_marks_ui(ui, &treatment.name, compare);
                    });
                });
            });
        })
        .body_unindented(|ui| {
            for run in &treatment.runs {
                near_ui(ui, |ui| command = run_ui(ui, run, runs, selection).or(command));
            }
        });
    command
}

/// The name of an arm, without its middle where it does not fit: names mostly differ at their ends.
fn name_ui(ui: &mut Ui, name: &str, is_selected: bool) -> Response {
    let font = TextStyle::Button.resolve(ui.style());
    let width = ui.available_width() - 2.0 * ui.spacing().button_padding.x;
    let shown = theme::fitted(ui.painter(), name, &font, width);
    let row = ui.add(Button::selectable(is_selected, &shown).truncate()).accessible_name(name);
    if row.gained_focus() {
        row.scroll_to_me(None);
    }
    if shown == name { row } else { row.on_hover_text(name) }
}

/// Draws a row that is visible, or one of the next rows, so that the keyboard can reach it. For the others it only leaves
/// the height: there can be thousands.
fn near_ui(ui: &mut Ui, row_ui: impl FnOnce(&mut Ui)) {
    let id = egui::Id::unique("height of a run's row");
    let height = ui.data(|data| data.get_temp(id)).unwrap_or(ui.spacing().interact_size.y);
    let place = Rect::from_min_size(ui.cursor().min, vec2(1.0, height));
    let seen = ui.clip_rect();
    if seen.expand2(vec2(0.0, BEYOND * height)).y_range().intersects(place.y_range()) {
        let row = ui.scope(row_ui).response;
        ui.data_mut(|data| data.insert_temp(id, row.rect.height()));
    } else {
        ui.skip_ahead_auto_ids(1); // what follows keeps its identity, and with it the focus
        ui.allocate_space(vec2(0.0, height));
    }
}

/// What the menu of an arm offers.
const OF_ARM: [Command; 6] = [
    Command::RunArm,
    Command::DuplicateArm,
    Command::MoveArmUp,
    Command::MoveArmDown,
    Command::RemoveArm,
    Command::ArchiveArm,
];
/// What the menu of a run offers.
const OF_RUN: [Command; 2] = [Command::StarRun, Command::ArchiveRun];

fn context_ui(ui: &mut Ui, commands: &[Command]) -> Option<Command> {
    let mut chosen = None;
    for &command in commands {
        if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
            chosen = Some(command);
            ui.close();
        }
    }
    chosen
}

/// The state of all runs of a treatment in a few words.
pub fn summary(treatment: &Treatment, runs: &Runs) -> String {
    let total = treatment.runs.len();
    let strays = treatment.runs.iter().filter_map(|run| runs.stray(run));
    let active = strays.filter(|id| runs.is_open(id)).count();
    if active > 0 {
        return format!("{} {active} with earlier settings", text::sign(&RunState::Running));
    }
    let states: Vec<RunState> = treatment.runs.iter().map(|run| runs.state(&run.id)).collect();
    let failed = states.iter().filter(|state| matches!(state, RunState::Failed(_))).count();
    let done = states.iter().filter(|state| **state == RunState::Done).count();
    if failed > 0 {
        return format!("{} {failed} of {total} failed", text::sign(&RunState::Failed(String::new())));
    }
    if done < total {
        let goes_on = states.contains(&RunState::Running);
        return if goes_on || done > 0 { format!("{done} of {total} done") } else { String::new() };
    }
    let results: Vec<f64> = treatment.runs.iter().filter_map(|run| result(runs.record(&run.id)?)).collect();
    if results.is_empty() {
        return String::new();
    }
    let mean = results.iter().sum::<f64>() / results.len() as f64;
    format!("{} mean {}", text::sign(&RunState::Done), text::percent(mean))
}

fn run_ui(ui: &mut Ui, run: &Run, runs: &Runs, selection: &mut Selection) -> Option<Command> {
    let mut command = None;
    ui.horizontal(|ui| {
        ui.add_space(5.0 * theme::STEP);
        let shown = runs.stray(run).unwrap_or(&run.id);
        let selected = selection.run() == Some(&run.id);
        let row = ui.add(Button::selectable(selected, format!("Seed {}", run.seed)));
        if row.gained_focus() {
            row.scroll_to_me(None);
        }
        let own = || Selection::Run { arm: run.arm_index, id: run.id.clone() };
        if row.clicked() {
            row.request_focus();
            *selection = own();
        }
        row.context_menu(|ui| {
            *selection = own();
            command = context_ui(ui, &OF_RUN);
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let is_stray = shown != run.id;
            if is_stray {
                // Next to a progress bar only one word fits.
                let is_running = runs.state(shown) == RunState::Running;
                let mark = if is_running { "earlier" } else { "earlier settings" };
                text_ui(ui, RichText::new(mark).small().weak()).on_hover_text(STRAY);
            } else if let Some(accuracy) =
                runs.record(shown).filter(|record| !has_failed(record)).and_then(result)
            {
                let text = RichText::new(text::percent(accuracy)).small();
                text_ui(ui, text).on_hover_text("Latest test accuracy");
            }
            state_ui(ui, shown, runs);
            if !is_stray && runs.is_stale(run) {
                text_ui(ui, RichText::new("earlier settings").small().weak()).on_hover_text(STALE);
            }
        });
    });
    command
}

const fn has_failed(record: &RunRecord) -> bool {
    matches!(record.state(), RunState::Failed(_))
}

/// A text in the list. It cannot be selected, as in the table of runs: that would take as long as drawing it.
fn text_ui(ui: &mut Ui, text: RichText) -> Response {
    ui.add(Label::new(text).selectable(false))
}

/// The state of a run, and how far it is.
fn state_ui(ui: &mut Ui, run: &str, runs: &Runs) {
    let colours = theme::present(ui);
    let state = &runs.state(run);
    let sign = text::sign(state);
    let record = runs.record(run);
    if let RunState::Failed(why) = state {
        let line = format!("{sign} failed: {}", text::first_line(why));
        let label = Label::new(RichText::new(line).small().color(colours.bad)).truncate();
        ui.add(label.show_tooltip_when_elided(false)).on_hover_text(why);
        return;
    }
    if *state == RunState::Running {
        let progress = record.map(RunRecord::progress).unwrap_or_default();
        let bar =
            egui::ProgressBar::new(progress.done as f32).desired_width(56.0).desired_height(theme::STEP);
        ui.add(bar.fill(colours.accent)).on_hover_text(progress_text(progress, record));
    }
    text_ui(ui, RichText::new(format!("{sign} {}", runs.word(run))).small().color(colours.text2));
}

fn progress_text(progress: crate::results::event::Progress, record: Option<&RunRecord>) -> String {
    let stage = record.and_then(RunRecord::stage).map_or("", |stage| stage.label.as_str());
    let left = progress.secs_left.map(|secs| format!(", {} left", text::duration(secs))).unwrap_or_default();
    let done = text::whole_percent(progress.done);
    format!("{stage}\nEpoch {:.1}, {done} done{left}", progress.epoch)
}
