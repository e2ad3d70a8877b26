//! Plots and views in their tiles.

use std::path::Path;
use std::time::Duration;

use eframe::egui::Ui;

use super::Workspace;
use crate::doc::intervention::Set;
use crate::figure::plots::{self, Plot};
use crate::gui::compare::CompareResponse;
use crate::gui::document::Document;
use crate::gui::log::Log;
use crate::gui::plot::{PlotResponse, plot_panel};
use crate::gui::runs::Runs;
use crate::gui::selection::Selection;
use crate::gui::tiles::Pane;
use crate::gui::views::{Offers, Subject, TrialFilter, ViewInput, ViewResponse, Wanted};

/// What a plot or view asks the window for.
pub(in crate::gui::app) enum Request {
    /// A stage at the end of the plan of the selected arm.
    AddStage(Set),
    /// An action of the table of runs.
    Compare(CompareResponse),
    /// A figure, in a file or in the clipboard.
    Take(Subject, Wanted),
    /// Another plot or view.
    Show(&'static str),
}

impl Workspace {
    /// Whether a plot or view has a tab.
    pub fn has_view(&self, name: &str) -> bool {
        self.tiles.layout().views().contains(&name)
    }

    /// Adds tabs for plots that now have data; whether that changed the layout.
    pub fn offer(&mut self, runs: &Runs, ui: &Ui) -> bool {
        let now = ui.input(|input| input.time);
        let input = self.plot_input(runs);
        if let Some(secs) = self.plot.update_data(&input, now) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(secs.max(0.0)));
        }
        self.tiles.offer(self.plot.concerned())
    }

    /// Draws all visible tiles into all available space.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        runs: &Runs,
        results: &Path,
        log: &mut Log,
    ) -> Vec<Request> {
        // Panes are drawn by who owns their tiles.
        let mut tiles = std::mem::take(&mut self.tiles);
        let mut requests = Vec::new();
        tiles.ui(ui, &mut |ui, pane| {
            if let Some(plot) = pane.plot {
                requests.extend(self.plot_ui(ui, plot, runs, log));
                return;
            }
            if pane.name == "log" {
                log.see();
            }
            let listed = document.runs();
            let input = ViewInput { selection: &self.selection, listed, runs, results, log };
            let response = self.views.ui(ui, pane.name, &input, &mut self.compare);
            requests.extend(response.and_then(|response| self.request(pane, response)));
        });
        self.tiles = tiles;
        requests
    }

    fn request(&self, pane: Pane, response: ViewResponse) -> Option<Request> {
        Some(match response {
            ViewResponse::AddStage(set) => Request::AddStage(set),
            ViewResponse::Compare(response) => Request::Compare(response),
            ViewResponse::Take(wanted) => Request::Take(Subject::View(self.views.offer(pane.name)?), wanted),
            ViewResponse::Show(view) => Request::Show(view),
        })
    }

    fn plot_ui(&mut self, ui: &mut Ui, plot: &'static Plot, runs: &Runs, log: &mut Log) -> Option<Request> {
        let input = self.plot_input(runs);
        let response = plot_panel(ui, plot, &input, &mut self.plot);
        for trouble in self.plot.troubles() {
            log.error(trouble);
        }
        let response = response?;
        self.plot.choose(plot.name);
        match response {
            PlotResponse::ExportFigure => Some(Request::Take(Subject::Plot(plot), Wanted::File)),
            PlotResponse::CopyCsv => Some(Request::Take(Subject::Plot(plot), Wanted::Values)),
            PlotResponse::ClearFilter => {
                self.compare.view.filter.clear();
                None
            }
            PlotResponse::OpenFaults { layer, bit } => self.show_faults(layer, bit, runs, log),
        }
    }

    /// Makes the view Campaigns show the faults of a heat-map cell.
    fn show_faults(&mut self, layer: String, bit: u32, runs: &Runs, log: &mut Log) -> Option<Request> {
        let input = self.plot_input(runs);
        let arms = input.borrowed();
        let own = |arm: &plots::ArmRuns<'_>| -> Vec<(usize, String)> {
            let rows = arm.rows.iter().filter(|row| row.outdated_state.is_empty());
            rows.map(|row| (row.arm_index, row.run.clone())).collect()
        };
        let runs = plots::injected_arm(&arms).map(own).unwrap_or_default();
        let Some((first, _)) = runs.first() else {
            log.info(
                "The heat map shows runs with earlier settings; their faults are only in their run folders",
            );
            return None;
        };
        if !runs.iter().any(|(arm, _)| self.selection.arm() == Some(*arm)) {
            self.selection = Selection::Arm(*first);
        }
        let runs = runs.into_iter().map(|(_, run)| run).collect();
        self.views.show_trials(TrialFilter::cell(layer, bit, runs, self.selection.clone()));
        Some(Request::Show("campaigns"))
    }

    /// Notes where everything is, and which plot exports are about: the active one, or the first that is seen.
    pub fn follow_tiles(&mut self) {
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

    /// What exports are about: the figure of the active view, else the plot that was used last.
    pub fn subject(&self) -> Subject {
        let offer = self.views.offer(&self.tiles.layout().active);
        offer.map_or_else(|| Subject::Plot(self.plot.plot()), Subject::View)
    }

    /// Why nothing can be exported of what was used last.
    pub fn why_no_figure(&self, has_points: bool) -> Option<&'static str> {
        match self.views.offers(&self.tiles.layout().active) {
            Offers::Figure => None,
            Offers::Later(why) => Some(why),
            Offers::Nothing if has_points => None,
            Offers::Nothing => Some("There are no curves yet: press Run all"),
        }
    }
}
