//! The settings of what is selected.

use std::path::Path;

use eframe::egui::{self, RichText, Ui};

use super::document::Document;
use super::form::{FormContext, value_ui};
use super::runs::Runs;
use super::selection::Selection;
use super::swept::swept;
use super::views::DryRun;
use super::{faults, plan, text, theme};
use crate::doc::{Problem, Run};
use crate::form::Value;
use crate::form::path::{Place, Segment};
use crate::results::RunState;
use crate::results::number::fixed;

/// Settings of the experiment with a separate tab or panel.
const OF_TABS: &[&str] = &["version", "data", "net", "train", "arms"];

/// Settings of an arm with a separate editor.
const OF_PLAN: &[&str] = &["plan"];

/// Draws the settings; `focus` is a setting to scroll to, and taken when it is reached.
pub fn properties_ui(
    ui: &mut Ui,
    document: &mut Document,
    runs: &Runs,
    selection: &mut Selection,
    focus: &mut Option<Place>,
    dry_run: &mut DryRun,
    results: &Path,
) {
    theme::heading_ui(ui, "Properties");
    tabs_ui(ui, document, selection);
    let selected = selection.clone();
    egui::ScrollArea::vertical()
        .id_salt(("properties", format!("{selected:?}")))
        .auto_shrink([false, false])
        .show(ui, |ui| {
            theme::outline_inputs(ui);
            if let Selection::Run { id, .. } = &selected {
                let run = document.runs().iter().find(|run| run.id == *id);
                return run_ui(ui, run, runs, results);
            }
            form_ui(ui, document, &selected, focus);
            sweep_ui(ui, document, &selected);
            if let Selection::Stage { arm, path } = &selected {
                let base = document.base();
                let run = document.runs().iter().find(|run| run.arm_index == *arm).cloned();
                let plan = document.experiment.arms.get_mut(*arm).map(|arm| &mut arm.plan);
                if let Some(stage) = plan.and_then(|plan| plan::stage_at_mut(plan, path)) {
                    faults::stage_ui(ui, stage, run.as_ref());
                    dry_run.ui(ui, stage, run.as_ref(), &base, results);
                }
            }
            if selected == Selection::Experiment {
                results_ui(ui, results);
            }
        });
}

fn tabs_ui(ui: &mut Ui, document: &Document, selection: &mut Selection) {
    ui.horizontal_wrapped(|ui| {
        let tabs = [
            (Selection::Experiment, "Experiment"),
            (Selection::Data, "Data"),
            (Selection::Network, "Network"),
            (Selection::Training, "Training"),
        ];
        for (tab, name) in tabs {
            let tab = ui.selectable_value(selection, tab, name);
            if tab.clicked() {
                tab.request_focus(); // the keyboard goes on from here
            }
        }
        let Some(index) = selection.arm() else { return };
        let Some(arm) = document.experiment.arms.get(index) else { return };
        let tab = ui.selectable_label(matches!(selection, Selection::Arm(_)), format!("Arm: {}", arm.name));
        if tab.clicked() {
            tab.request_focus();
            *selection = Selection::Arm(index);
        }
    });
    ui.add_space(theme::STEP);
}

fn form_ui(ui: &mut Ui, document: &mut Document, selected: &Selection, focus: &mut Option<Place>) {
    let problems: Vec<Problem> = document.problems().to_vec();
    let swept = swept(ui, document, selected);
    let root = Place::default();
    let experiment = &mut document.experiment;
    let (value, place, elsewhere): (&mut dyn Value, Place, &[&'static str]) = match selected {
        Selection::Data => (&mut experiment.data, root.key("data"), &[]),
        Selection::Network => (&mut experiment.net, root.key("net"), &[]),
        Selection::Training => (&mut experiment.train, root.key("train"), &[]),
        Selection::Arm(index) => match experiment.arms.get_mut(*index) {
            Some(arm) => (arm, root.key("arms").index(*index), OF_PLAN),
            None => return,
        },
        Selection::Stage { arm: index, path } => {
            let Some(arm) = experiment.arms.get_mut(*index) else { return };
            let place = root.key("arms").index(*index).key("plan");
            match plan::stage_at(&mut arm.plan, place, path) {
                Some((stage, place)) => (stage, place, plan::NESTED),
                None => return,
            }
        }
        Selection::Experiment | Selection::Run { .. } => (experiment, root, OF_TABS),
    };
    let mut context = FormContext::new(place, &problems);
    (context.elsewhere, context.swept, context.focus) = (elsewhere, swept, focus.take());
    value_ui(ui, value, &mut context);
    *focus = context.focus;
}

/// How many runs a sweep makes, before it makes them.
fn sweep_ui(ui: &mut Ui, document: &Document, selected: &Selection) {
    let experiment = &document.experiment;
    let arm = match selected {
        Selection::Experiment => None,
        Selection::Arm(index) => Some(*index),
        Selection::Data
        | Selection::Network
        | Selection::Training
        | Selection::Stage { .. }
        | Selection::Run { .. } => return,
    };
    let own = arm.and_then(|index| experiment.arms.get(index)).map(|arm| &arm.sweep);
    let is_swept = !experiment.sweep.0.is_empty()
        || own.is_some_and(|sweep| !sweep.0.is_empty())
        || (arm.is_none() && experiment.arms.iter().any(|arm| !arm.sweep.0.is_empty()));
    let runs = document.runs().iter().filter(|run| arm.is_none_or(|arm| run.arm_index == arm)).count();
    if let Some(text) = sweep_text(is_swept, runs, experiment.seeds.len()) {
        ui.add_space(2.0 * theme::STEP);
        theme::heading_ui(ui, "Sweep");
        ui.label(text);
    }
}

/// "4 combinations × 2 seeds = 8 runs".
fn sweep_text(is_swept: bool, runs: usize, seeds: usize) -> Option<String> {
    let combinations = runs / seeds.max(1);
    let text = || {
        let [combinations, seeds, runs] = [(combinations, "combination"), (seeds, "seed"), (runs, "run")]
            .map(|(n, noun)| text::counted(n, noun));
        format!("{combinations} × {seeds} = {runs}")
    };
    (is_swept && runs > 0).then(text)
}

fn results_ui(ui: &mut Ui, results: &Path) {
    ui.add_space(2.0 * theme::STEP);
    ui.label(RichText::new("Results folder").small().weak());
    let path = results.display().to_string();
    ui.add(egui::Label::new(RichText::new(&path).small()).truncate()).on_hover_text(&path);
    if ui.small_button("Copy path").clicked() {
        ui.ctx().copy_text(path);
    }
}

fn run_ui(ui: &mut Ui, run: Option<&Run>, runs: &Runs, results: &Path) {
    let Some(run) = run else {
        ui.label("This run has earlier settings. Select another one.");
        return;
    };
    let state = runs.state(&run.id);
    ui.label(RichText::new(format!("{}, seed {}", run.arm, run.seed)).strong());
    ui.label(format!("{} {}", text::sign(&state), runs.word(&run.id)));
    if let Some(id) = runs.stray(run) {
        ui.label(format!("With earlier settings: {} {}", text::sign(&runs.state(id)), runs.word(id)));
    }
    if let RunState::Failed(why) = &state {
        ui.add(egui::Label::new(RichText::new(why).color(theme::present(ui).bad)).wrap().selectable(true));
        if ui.button("Copy message").clicked() {
            ui.ctx().copy_text(why.clone());
        }
    }
    let Some(record) = runs.record(&run.id) else { return };
    egui::Grid::new("run").num_columns(2).spacing([2.0 * theme::STEP, theme::STEP / 2.0]).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.label(RichText::new(name).weak());
            ui.label(value);
            ui.end_row();
        };
        if state == RunState::Running {
            let progress = record.progress();
            let done = text::whole_percent(progress.done);
            row("Progress", format!("{done}, epoch {:.1} of its stage", progress.epoch));
            if let Some(secs) = progress.secs_left {
                row("Time left", text::duration(secs));
            }
        }
        for (series, name) in [("test", "Test accuracy"), ("validation", "Validation accuracy")] {
            let series = format!("{series}_accuracy");
            let Some(last) = record.latest(&series) else { continue };
            row(name, text::percent(last));
            if let Some(best) = record.best(&series) {
                row(
                    "  best",
                    format!("{} after {} epochs", text::percent(best.value), fixed(best.trained, 1)),
                );
            }
        }
        if let Some(point) = record.points().last() {
            row("Remaining weights", text::percent(point.remaining));
        }
        row("Duration", text::duration(record.progress().secs));
        row("Identity", run.id.clone());
    });
    let folder = results.join(&run.id).display().to_string();
    if ui.button("Copy path of results").on_hover_text(&folder).clicked() {
        ui.ctx().copy_text(folder);
    }
    ui.add_space(theme::STEP);
    for report in record.reports() {
        let check = match report.passed {
            Some(true) => "✓ ",
            Some(false) => "✗ ",
            None => "",
        };
        ui.label(RichText::new(format!("{check}{}", report.summary)).small());
    }
}

/// What is selected when a problem is clicked on.
pub fn selection_of(place: &Place) -> Selection {
    match place.0.as_slice() {
        [Segment::Key(key), ..] if key == "data" => Selection::Data,
        [Segment::Key(key), ..] if key == "net" => Selection::Network,
        [Segment::Key(key), ..] if key == "train" => Selection::Training,
        [Segment::Key(arms), Segment::Index(arm), Segment::Key(key), rest @ ..]
            if arms == "arms" && key == "plan" =>
        {
            let path: Vec<usize> = stage_path(rest);
            if path.is_empty() { Selection::Arm(*arm) } else { Selection::Stage { arm: *arm, path } }
        }
        [Segment::Key(arms), Segment::Index(arm), ..] if arms == "arms" => Selection::Arm(*arm),
        _ => Selection::Experiment,
    }
}

/// Positions of stages within stages.
fn stage_path(mut rest: &[Segment]) -> Vec<usize> {
    let mut path = Vec::new();
    while let [Segment::Index(index), inner @ ..] = rest {
        path.push(*index);
        rest = match inner {
            [Segment::Variant(_), Segment::Key(key), deeper @ ..] if plan::NESTED.contains(&key.as_str()) => {
                deeper
            }
            _ => &[],
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_says_how_many_runs_it_makes() {
        assert_eq!(sweep_text(true, 8, 2).as_deref(), Some("4 combinations × 2 seeds = 8 runs"));
        assert_eq!(sweep_text(false, 8, 2), None);
        assert_eq!(sweep_text(true, 0, 2), None);
    }

    #[test]
    fn a_problem_leads_to_what_it_belongs_to() {
        let root = Place::default();
        assert_eq!(selection_of(&root.key("train").key("batch")), Selection::Training);
        assert_eq!(selection_of(&root.key("seeds")), Selection::Experiment);
        assert_eq!(selection_of(&root.key("arms").index(2).key("name")), Selection::Arm(2));
        let inner = root.key("arms").index(1).key("plan").index(2).variant("Repeat").key("body").index(0);
        let place = inner.variant("Do").variant("Prune").key("amount");
        assert_eq!(selection_of(&place), Selection::Stage { arm: 1, path: vec![2, 0] });
    }
}
