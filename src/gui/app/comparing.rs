//! The plots and the table of runs, and how the window follows them.

use std::collections::BTreeSet;
use std::time::Duration;

use eframe::egui::{self, Ui};

use super::exporting::{Export, Subject};
use super::{App, PATIENCE_FOR_MORE};
use crate::figure::plots::{self, Plot};
use crate::gui::compare::CompareResponse;
use crate::gui::dialogs::Dialog;
use crate::gui::plot::{PlotInput, PlotResponse, plot_panel};
use crate::gui::selection::Selection;
use crate::gui::text;
use crate::gui::treatments::treatments;
use crate::gui::views::TrialFilter;
use crate::results::methods::methods;
use crate::run::trash::{archive, restore};

impl App {
    /// Whether results of earlier runs are still being read.
    pub const fn is_reading(&self) -> bool {
        self.runs.is_reading() || self.runs.is_searching()
    }

    /// Whether the plot is out of date or its figure is being built.
    pub fn is_drawing(&self) -> bool {
        self.plot.is_behind(self.data_revision())
    }

    /// Loads the view settings stored beside the results.
    pub(super) fn load_view(&mut self) {
        let results = self.results();
        if let Err(why) = self.compare.load(&results, &mut self.plot) {
            self.log.error(why);
        }
        self.shown = None;
        self.tiles.take(self.compare.view.tiles.as_ref());
    }

    /// Rereads the document's arms and runs; arms keep their colours.
    pub(super) fn take_treatments(&mut self) {
        self.shown = None;
        self.runs.list(self.document.runs());
        self.treatments = treatments(&self.document.experiment, self.document.runs());
        for (old, new) in self.compare.take_treatments(&mut self.treatments) {
            self.plot.rename(&old, &new);
        }
    }

    /// Updates the rows, and saves view settings once they stop changing.
    pub(super) fn update_comparison(&mut self, ctx: &egui::Context) {
        let now = ctx.input(|input| input.time);
        self.compare.set_folder(&self.results());
        let update = self.compare.update(&self.treatments, &self.runs, now);
        let keep = self.keep_view(now, false);
        for secs in update.into_iter().chain(keep) {
            ctx.request_repaint_after(Duration::from_secs_f64(secs));
        }
    }

    /// Writes view settings that have changed; returns the time after which to look again, in seconds.
    pub(super) fn keep_view(&mut self, now: f64, at_once: bool) -> Option<f64> {
        let kept = self.compare.keep(&self.plot, now, at_once);
        kept.unwrap_or_else(|why| {
            self.log.error(why);
            None
        })
    }

    /// Counts changes of what the plots are made of: records, and rows, which may come later.
    fn data_revision(&self) -> u64 {
        self.runs.revision() + self.compare.revision()
    }

    /// The input of all plots, rebuilt when something has changed.
    pub(super) fn plot_input(&mut self) -> PlotInput {
        let revision = self.data_revision();
        if let Some(input) = self.shown.as_ref().filter(|input| input.revision == revision) {
            return input.clone();
        }
        let arms = self.compare.arm_runs(&self.treatments, &self.runs);
        let remark = self.compare.outdated_note();
        let input = PlotInput { remark, ..PlotInput::new(&arms, self.compare.filter_note(), revision) };
        self.shown = Some(input.clone());
        input
    }

    /// The input of exports: without runs of earlier settings, as on the command line.
    pub(super) fn export_input(&mut self) -> PlotInput {
        if self.compare.outdated_count() == 0 {
            return self.plot_input();
        }
        let arms = self.compare.own_runs(&self.treatments, &self.runs);
        PlotInput::new(&arms, self.compare.filter_note(), self.data_revision())
    }

    /// Adds tabs for plots that now have data.
    pub(super) fn offer_views(&mut self, ui: &Ui) {
        let now = ui.input(|input| input.time);
        let input = self.plot_input();
        if let Some(secs) = self.plot.update_data(&input, now) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(secs.max(0.0)));
        }
        self.note_edits();
        if self.tiles.offer(self.plot.concerned()) {
            self.adopt_edits();
        }
    }

    /// Notes where everything is, and which plot exports are about: the active one, or the first that is seen.
    pub(super) fn follow_tiles(&mut self) {
        self.compare.view.tiles = self.tiles.kept();
        let layout = self.tiles.layout();
        let mut seen = layout.seen();
        if !seen.contains(&self.plot.plot().name) {
            let first = seen.iter().find(|view| plots::find(view).is_some());
            self.plot.choose(first.unwrap_or(&""));
        }
        self.plot.choose(&layout.active);
        seen.push(self.plot.plot().name);
        self.plot.keep_only(&seen);
    }

    pub(super) fn plot_ui(&mut self, ui: &mut Ui, plot: &'static Plot) {
        let ctx = ui.ctx().clone();
        let input = self.plot_input();
        let response = plot_panel(ui, plot, &input, &mut self.plot);
        for trouble in self.plot.troubles() {
            self.log.error(trouble);
        }
        let Some(response) = response else { return };
        self.plot.choose(plot.name);
        match response {
            PlotResponse::ExportFigure => self.ask_where_to_export(Subject::Plot(plot), &ctx),
            PlotResponse::CopyCsv => self.begin_export(Export::Values, Subject::Plot(plot), &ctx),
            PlotResponse::ClearFilter => self.compare.view.filter.clear(),
            PlotResponse::OpenFaults { layer, bit } => self.show_faults(layer, bit),
        }
    }

    /// Shows the faults of a heat-map cell in the view Campaigns.
    fn show_faults(&mut self, layer: String, bit: u32) {
        let input = self.plot_input();
        let arms = input.borrowed();
        let own = |arm: &plots::ArmRuns<'_>| -> Vec<(usize, String)> {
            let rows = arm.rows.iter().filter(|row| row.outdated_state.is_empty());
            rows.map(|row| (row.arm_index, row.run.clone())).collect()
        };
        let runs = plots::injected_arm(&arms).map(own).unwrap_or_default();
        let Some((first, _)) = runs.first() else {
            let why =
                "The heat map shows runs with earlier settings; their faults are only in their run folders";
            return self.log.info(why);
        };
        if !runs.iter().any(|(arm, _)| self.selection.arm() == Some(*arm)) {
            self.selection = Selection::Arm(*first);
        }
        let runs = runs.into_iter().map(|(_, run)| run).collect();
        self.views.show_trials(TrialFilter::cell(layer, bit, runs, self.selection.clone()));
        self.view_to_show = Some("campaigns");
    }

    /// Carries out a request from the table of runs.
    pub(super) fn answer(&mut self, response: CompareResponse, ctx: &egui::Context) {
        match response {
            CompareResponse::Select { arm, id } => self.selection = Selection::Run { arm, id },
            CompareResponse::Copy(text, rows) => {
                self.log.info(format!("Copied {}", text::counted(rows, "run")));
                ctx.copy_text(text);
            }
            CompareResponse::CopyMethods => match methods(&self.document.experiment) {
                Ok(text) => {
                    self.log.info("Copied a methods paragraph");
                    ctx.copy_text(text);
                }
                Err(problems) => {
                    self.log.error(problems.first().map(ToString::to_string).unwrap_or_default());
                }
            },
            CompareResponse::Archive(runs) => self.archive(&runs),
            CompareResponse::Restore(id) => {
                let restored = self.move_from_trash(&[id]);
                self.history.note_moved(restored, false);
            }
        }
    }

    /// The runs of an arm that have results, by identity, each once.
    pub(super) fn results_of(&self, arm: usize) -> BTreeSet<String> {
        let runs = self.document.runs().iter().filter(|run| run.arm_index == arm);
        runs.filter(|run| self.runs.record(&run.id).is_some()).map(|run| run.id.clone()).collect()
    }

    /// Asks whether all results of the selected arm go to the trash.
    pub(super) fn ask_to_archive(&mut self) {
        let Some(index) = self.selection.arm() else { return };
        let Some(arm) = self.document.experiment.arms.get(index) else { return };
        let runs = self.results_of(index).into_iter().collect();
        self.dialog = Some(Dialog::Archive { name: arm.name.clone(), runs });
    }

    /// Moves runs to the trash, which can be undone.
    pub(super) fn archive(&mut self, runs: &[String]) {
        let archived = self.move_to_trash(runs);
        self.history.note_moved(archived, true);
    }

    /// Moves runs to the trash; those that are there now.
    pub(super) fn move_to_trash(&mut self, runs: &[String]) -> Vec<String> {
        let results = self.results();
        let mut archived = Vec::new();
        for id in runs {
            match archive(&results, id) {
                Ok(()) => {
                    self.runs.forget(id);
                    self.compare.untick(id);
                    archived.push(id.clone());
                }
                Err(why) => self.log.error(why),
            }
        }
        if !archived.is_empty() {
            self.log.info(format!(
                "Moved {} to the trash; restore with Undo, or from the view Runs",
                text::counted(archived.len(), "run")
            ));
        }
        self.compare.look_into_trash();
        self.plan_cost();
        archived
    }

    /// Brings runs back from the trash; those that are back.
    pub(super) fn move_from_trash(&mut self, runs: &[String]) -> Vec<String> {
        let results = self.results();
        let mut restored = Vec::new();
        for id in runs {
            match restore(&results, id) {
                Ok(()) => {
                    self.log.info(format!("Restored {}", self.name_of(id)));
                    restored.push(id.clone());
                }
                Err(why) => self.log.error(why),
            }
        }
        let listed: Vec<_> =
            self.document.runs().iter().filter(|run| restored.contains(&run.id)).cloned().collect();
        self.runs.read_more(self.parts.worker.read(&results, &listed), PATIENCE_FOR_MORE);
        self.compare.look_into_trash();
        self.plan_cost();
        restored
    }
}
