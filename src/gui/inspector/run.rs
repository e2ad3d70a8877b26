//! A run: its state, its results, and what its stages reported.

use std::path::Path;

use eframe::egui::{self, Label, RichText, Ui};

use crate::icons::Icon;
use crate::runs::Runs;
use crate::{text, theme, widgets};
use doc::Run;
use results::RunState;
use results::run_state::DEFINITION;

/// Draws what is known of a run, with its cells in the table of runs; `run` is none where the document no longer has it.
pub(super) fn run_ui(
    ui: &mut Ui,
    run: Option<&Run>,
    runs: &Runs,
    (results, details): (&Path, &[(String, String)]),
) {
    let Some(run) = run else {
        ui.label("This run has outdated settings. Select another one.");
        return;
    };
    let state = runs.state(&run.id);
    ui.label(format!("{} {}", text::sign(&state), runs.word(&run.id)));
    if let Some(id) = runs.stray(run) {
        ui.label(format!("Outdated results: {} {}", text::sign(&runs.state(id)), runs.word(id)));
    }
    if runs.has_diverged(run) {
        widgets::message_ui(ui, widgets::Tone::Warning, DEFINITION);
    }
    if let RunState::Failed(why) = &state {
        ui.add(Label::new(RichText::new(why).color(theme::present(ui).bad)).wrap().selectable(true));
        if ui.add(widgets::button(Icon::Copy, "Copy message")).clicked() {
            ui.ctx().copy_text(why.clone());
        }
    }
    let Some(record) = runs.record(&run.id) else { return };
    egui::Grid::new("run").num_columns(2).spacing([2.0 * theme::STEP, theme::STEP / 2.0]).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.label(RichText::new(name).weak());
            ui.add(Label::new(&value).truncate());
            ui.end_row();
        };
        if state == RunState::Running {
            let progress = record.progress();
            let done = text::whole_percent(progress.done);
            row("Progress", format!("{done}, {} of its stage", record.position()));
            if let Some(secs) = progress.secs_left {
                row("Time left", text::duration(secs));
            }
        }
        for (name, value) in details {
            row(name, value.clone());
        }
        row("Run ID", run.id.clone());
    });
    let folder = results.join(&run.id).display().to_string();
    if ui.add(widgets::button(Icon::Copy, "Copy path of results")).on_hover_text(&folder).clicked() {
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
