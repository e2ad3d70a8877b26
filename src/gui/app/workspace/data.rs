//! What plots and the table of runs are made of, and how they follow the runs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use eframe::egui;

use super::Workspace;
use crate::document::Document;
use crate::log::Log;
use crate::plot::{ArmInput, PlotInput, PlotState};
use crate::runs::Runs;
use crate::selection::Selection;
use crate::treatment::{Treatment, treatments};
use crate::views::TrialFilter;
use figure::plots::Plot;

/// The part of the runs that a plot of one arm shows, and what it was made of.
pub(super) struct Narrowed {
    selection: Selection,
    of: Arc<Vec<ArmInput>>,
    input: PlotInput,
}

impl Workspace {
    /// Forgets what was seen of another document, and loads the view settings stored beside the results.
    pub fn load(&mut self, results: &Path, log: &mut Log) {
        self.focus = None;
        self.keep_view(0.0, true, log);
        let options = self.plot.options.clone();
        self.plot = PlotState::default();
        self.plot.options = options;
        self.views.show_trials(TrialFilter::default());
        if let Err(why) = self.compare.load(results, &mut self.plot) {
            log.error(why);
        }
        self.forget_shown();
        self.with_data = None;
        self.tiles.take(self.compare.view.tiles.as_ref());
    }

    /// Rereads the document's arms and runs; arms keep their colours.
    pub fn take_treatments(&mut self, document: &Document) {
        self.forget_shown();
        self.treatments = treatments(&document.experiment, document.runs());
        for (old, new) in self.compare.take_treatments(&mut self.treatments) {
            self.plot.rename(&old, &new);
            if let Selection::Setting { name, .. } = &mut self.selection
                && *name == old
            {
                *name = new;
            }
        }
        self.plot.arms = self.treatments.iter().map(|treatment| treatment.name.clone()).collect();
        self.keep_setting();
        self.selection.limit(document.experiment.arms.len());
    }

    /// A selected setting that the sweep no longer has gives way to its arm.
    fn keep_setting(&mut self) {
        let Selection::Setting { arm, name } = &self.selection else { return };
        let is_it = |treatment: &Treatment| treatment.arm == *arm && treatment.name == *name;
        if !self.treatments.iter().any(is_it) {
            self.selection = Selection::Arm(*arm);
        }
    }

    /// Records change: those that nobody shares grow in place.
    pub fn release_records(&mut self) {
        self.forget_shown();
    }

    fn forget_shown(&mut self) {
        self.shown = None;
        self.narrowed.clear();
    }

    /// Updates the rows, and saves view settings once they stop changing.
    pub fn update(&mut self, runs: &Runs, log: &mut Log, ctx: &egui::Context) {
        let now = ctx.input(|input| input.time);
        let update = self.compare.update(&self.treatments, runs, now);
        let keep = self.keep_view(now, false, log);
        for secs in update.into_iter().chain(keep) {
            ctx.request_repaint_after(Duration::from_secs_f64(secs));
        }
    }

    /// Writes view settings that have changed; returns the time after which to look again, in seconds.
    pub fn keep_view(&mut self, now: f64, at_once: bool, log: &mut Log) -> Option<f64> {
        let kept = self.compare.keep(&self.plot, now, at_once);
        kept.unwrap_or_else(|why| {
            log.error(why);
            None
        })
    }

    /// Counts changes of what the plots are made of: records, and rows, which may come later.
    fn data_revision(&self, runs: &Runs) -> u64 {
        runs.revision() + self.compare.revision()
    }

    /// Returns true if the plot is out of date or its figure is being built.
    pub fn is_drawing(&self, runs: &Runs) -> bool {
        self.plot.is_behind(self.data_revision(runs))
    }

    /// Returns the input of all plots, rebuilt when something has changed.
    pub fn plot_input(&mut self, runs: &Runs) -> PlotInput {
        let revision = self.data_revision(runs);
        if let Some(input) = self.shown.as_ref().filter(|input| input.revision == revision) {
            return input.clone();
        }
        let arms = self.compare.arm_runs(&self.treatments, runs);
        let (grouping, remark) = (self.compare.grouping_note(), self.compare.outdated_note());
        let input = PlotInput::new(&arms, self.compare.filter_note(), revision);
        let input = PlotInput { grouping, remark, ..input };
        self.shown = Some(input.clone());
        input
    }

    /// Returns the input of one plot. A plot of faults shows what is selected, unless it is to show all arms: the
    /// only place that decides which arms and settings such a plot is about.
    pub fn input_of(&mut self, plot: &'static Plot, runs: &Runs) -> PlotInput {
        let input = self.plot_input(runs);
        self.narrowed(plot, input)
    }

    fn narrowed(&mut self, plot: &'static Plot, whole: PlotInput) -> PlotInput {
        if !plot.controls.one_arm {
            return whole;
        }
        let all = self.plot.options.all_arms;
        let selection = if all { Selection::Experiment } else { self.selection.clone() };
        let is_known =
            |known: &&Narrowed| known.selection == selection && Arc::ptr_eq(&known.of, &whole.arms);
        if let Some(known) = self.narrowed.get(plot.name).filter(is_known) {
            return known.input.clone();
        }
        let input = whole.narrowed(plot, |row| selection.covers(row.arm_index, &row.arm, &row.run));
        let narrowed = Narrowed { selection, of: whole.arms, input: input.clone() };
        self.narrowed.insert(plot.name, narrowed);
        input
    }

    /// Returns the input of the export of one plot.
    pub fn export_input_of(&mut self, plot: &'static Plot, runs: &Runs) -> PlotInput {
        let input = self.export_input(runs);
        self.narrowed(plot, input)
    }

    /// Returns the input of exports: without outdated runs, as on the command line.
    pub fn export_input(&mut self, runs: &Runs) -> PlotInput {
        if self.compare.outdated_count() == 0 {
            return self.plot_input(runs);
        }
        let arms = self.compare.own_runs(&self.treatments, runs);
        PlotInput::new(&arms, self.compare.filter_note(), self.data_revision(runs))
    }
}
