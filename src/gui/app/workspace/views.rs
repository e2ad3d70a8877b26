//! Plots and views in their tiles.

use std::path::Path;
use std::time::Duration;

use eframe::egui::containers::menu::{MenuConfig, SubMenuButton};
use eframe::egui::{PopupCloseBehavior, RichText, Ui};

use super::Workspace;
use crate::bar::GroupTab;
use crate::compare::columns_ui;
use crate::document::Document;
use crate::icons::Icon;
use crate::log::Log;
use crate::panes::Pane;
use crate::plot::{LineAction, ListedFaults, PlotInput, PlotResponse, arm_of, menu_ui, plot_ui, tools_ui};
use crate::runs::Runs;
use crate::selection::Selection;
use crate::tiles::{Contents, LayoutChange};
use crate::views::{Offers, Request, Subject, TrialFilter, ViewInput, Wanted};
use crate::widgets;
use doc::Run;
use figure::plots::{self, Plot};
use results::table::view::Key;
use results::tiles::Group;

/// What tiles are filled with, as they are drawn.
struct Drawn<'a> {
    workspace: &'a mut Workspace,
    document: &'a Document,
    runs: &'a Runs,
    results: &'a Path,
    base: &'a Path,
    log: &'a mut Log,
    requests: Vec<Request>,
}

impl Contents for Drawn<'_> {
    fn tools_ui(&mut self, ui: &mut Ui, pane: Pane) {
        if let Some(plot) = pane.plot {
            let input = self.workspace.plot_input(self.runs);
            let response = tools_ui(ui, plot, [&input.filter, &input.grouping], &mut self.workspace.plot);
            return self.take(plot, response);
        }
        if self.workspace.views.offers(pane.name) == Offers::Figure {
            let button = widgets::icon_button_ui(ui, true, Icon::Export, "Export figure…");
            if button.accessible_name(format!("Export {}…", pane.title)).clicked() {
                self.take_view(pane, Wanted::File);
            }
        }
        let Workspace { selection, views, compare, .. } = &mut *self.workspace;
        let (runs, results, base, log) = (self.runs, self.results, self.base, &*self.log);
        let input = view_input(self.document, selection, (runs, results, base, log));
        let request = views.tools_ui(ui, pane.name, &input, compare);
        self.requests.extend(request);
    }

    fn subject(&mut self, pane: Pane) -> String {
        if let Some(plot) = pane.plot {
            return self.workspace.input_of(plot, self.runs).subject;
        }
        let Workspace { selection, views, .. } = &mut *self.workspace;
        let (runs, results, base, log) = (self.runs, self.results, self.base, &*self.log);
        views.subject(pane.name, &view_input(self.document, selection, (runs, results, base, log)))
    }

    fn menu_ui(&mut self, ui: &mut Ui, pane: Pane) {
        if let Some(plot) = pane.plot {
            let response = menu_ui(ui, plot, &mut self.workspace.plot);
            self.take(plot, response);
            return self.columns_menu_ui(ui);
        }
        let request = self.workspace.views.menu_ui(ui, pane.name, &mut self.workspace.compare);
        self.requests.extend(request);
        if self.workspace.views.offers(pane.name).has_figure() {
            let entries = [
                ("Export figure…", Wanted::File),
                ("Copy figure", Wanted::Picture),
                ("Copy values", Wanted::Values),
            ];
            for (text, wanted) in entries {
                if ui.button(text).clicked() {
                    self.take_view(pane, wanted);
                    ui.close();
                }
            }
            ui.separator();
        }
    }

    fn help_ui(&mut self, ui: &mut Ui, pane: Pane) {
        let explanation = pane.plot.and_then(|plot| self.workspace.plot.explanation(plot));
        if let Some(explanation) = explanation.filter(|text| !text.is_empty()) {
            ui.separator();
            ui.label(RichText::new(explanation).small().weak());
        }
    }

    fn pane_ui(&mut self, ui: &mut Ui, pane: Pane) {
        if let Some(plot) = pane.plot {
            let faults = self.workspace.views.shown_faults(&self.workspace.selection);
            let blocked = self.document.first_error().map(ToString::to_string).unwrap_or_default();
            let input = PlotInput { blocked, faults, ..self.workspace.input_of(plot, self.runs) };
            let response = plot_ui(ui, plot, &input, &mut self.workspace.plot);
            for trouble in self.workspace.plot.troubles() {
                self.log.error(trouble);
            }
            return self.take(plot, response);
        }
        if pane.name == "log" {
            self.log.see();
        }
        let Workspace { selection, views, compare, .. } = &mut *self.workspace;
        let (runs, results, base, log) = (self.runs, self.results, self.base, &*self.log);
        let input = view_input(self.document, selection, (runs, results, base, log));
        let request = views.ui(ui, pane.name, &input, compare);
        self.requests.extend(request);
    }
}

fn view_input<'a>(
    document: &'a Document,
    selection: &'a Selection,
    (runs, results, base, log): (&'a Runs, &'a Path, &'a Path, &'a Log),
) -> ViewInput<'a> {
    let (experiment, listed, is_behind) = (&document.experiment, document.runs(), document.is_behind());
    ViewInput { selection, experiment, listed, is_behind, runs, results, base, log }
}

impl Drawn<'_> {
    /// The columns of the table of runs, which pinned readings and parallel axes share.
    fn columns_menu_ui(&mut self, ui: &mut Ui) {
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let contents = |ui: &mut Ui| {
            ui.set_width(264.0);
            columns_ui(ui, &mut self.workspace.compare, self.runs);
        };
        let button = SubMenuButton::new("Columns of readings").config(config).ui(ui, contents);
        button
            .0
            .on_hover_text("Settings and results of pinned readings, parallel axes and the table of runs");
        ui.separator();
    }

    /// Asks for an export of the figure of a view.
    fn take_view(&mut self, pane: Pane, wanted: Wanted) {
        let offer = self.workspace.views.offer(pane.name);
        self.requests.extend(offer.map(|offer| Request::Take(Subject::View(offer), wanted)));
    }

    fn take(&mut self, plot: &'static Plot, response: Option<PlotResponse>) {
        let Some(response) = response else { return };
        self.workspace.plot.choose(plot.name);
        let take = |wanted| Some(Request::Take(Subject::Plot(plot), wanted));
        let request = match response {
            PlotResponse::ExportFigure => take(Wanted::File),
            PlotResponse::CopyFigure => take(Wanted::Picture),
            PlotResponse::CopyCsv => take(Wanted::Values),
            PlotResponse::ClearFilter => {
                self.workspace.compare.view.filter.clear();
                None
            }
            PlotResponse::Ungroup => {
                self.workspace.compare.group_by(vec![Key::Arm]);
                None
            }
            PlotResponse::Line(name, action) => self.line(&name, action),
            PlotResponse::OpenFaults(faults) => {
                self.workspace.show_faults(faults, self.document.runs(), self.log)
            }
        };
        self.requests.extend(request);
    }
}

impl Drawn<'_> {
    /// Does something with the arm of a line.
    fn line(&mut self, name: &str, action: LineAction) -> Option<Request> {
        let workspace = &mut *self.workspace;
        let place = arm_of(&workspace.plot.arms, name)?;
        let treatment = workspace.treatments.get(place)?;
        let (arm, name) = (treatment.arm, treatment.name.clone());
        let is_swept = workspace.treatments.iter().filter(|other| other.arm == arm).count() > 1;
        let own = if is_swept { Selection::Setting { arm, name } } else { Selection::Arm(arm) };
        match action {
            LineAction::Select => workspace.selection = own,
            LineAction::ShowInTable => {
                workspace.selection = own;
                return Some(Request::ShowInTable);
            }
            LineAction::Restyle(index) => workspace.restyle(arm, index, self.document),
        }
        None
    }
}

impl Workspace {
    /// Gives an arm the style with this index.
    pub fn restyle(&mut self, arm: usize, index: usize, document: &Document) {
        let of_arm = self.treatments.iter().filter(|treatment| treatment.arm == arm);
        let names: Vec<&str> = of_arm.map(|treatment| treatment.name.as_str()).collect();
        self.compare.view.colours.choose(&names, index);
        self.take_treatments(document);
    }

    /// Shows the runs of what is selected in their table: the row of a run, the group of an arm.
    pub fn show_in_table(&mut self) {
        let run = self.selection.run().cloned();
        let all = self.treatments.iter().flat_map(|treatment| &treatment.runs);
        let chosen = all.filter(|run| self.selection.covers(run.arm_index, &run.arm, &run.id));
        let all = || chosen.map(|run| run.id.clone()).collect();
        let (is_run, runs) = (run.is_some(), run.map_or_else(all, |run| vec![run]));
        self.compare.show(runs, is_run);
        self.tiles.change(LayoutChange::Show("runs"));
    }

    /// Whether a plot or view has a tile.
    pub fn has_view(&self, name: &str) -> bool {
        self.tiles.layout().views().contains(&name)
    }

    /// The groups of views, for the bar.
    pub fn groups(&self) -> Vec<GroupTab> {
        let tab = |group: Group| GroupTab {
            name: group.name(),
            is_open: group == self.tiles.group(),
            is_new: self.tiles.is_new_group(group),
            help: group.help(),
        };
        Group::ALL.into_iter().map(tab).collect()
    }

    /// Finds out which plots and views now have data.
    fn offer(&mut self, document: &Document, runs: &Runs, ui: &Ui) {
        let now = ui.input(|input| input.time);
        let input = self.plot_input(runs);
        if let Some(secs) = self.plot.update_data(&input, now) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(secs.max(0.0)));
        }
        // Rows are made a few times a second while records grow.
        let revision = self.compare.revision();
        if self.with_data.as_ref().is_none_or(|(known, _)| *known != revision) {
            self.with_data = Some((revision, self.views.with_data(document.runs(), runs).collect()));
        }
        let views = self.with_data.iter().flat_map(|(_, views)| views.iter().copied());
        self.tiles.offer(self.plot.concerned().chain(views), runs.is_running());
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
        self.offer(document, runs, ui);
        let mut tiles = std::mem::take(&mut self.tiles);
        let arm = self.selection.arm().and_then(|arm| document.experiment.arms.get(arm));
        let all = self.treatments.iter().flat_map(|treatment| &treatment.runs);
        let mut chosen = all.filter(|run| self.selection.covers(run.arm_index, &run.arm, &run.id));
        let treatment = chosen.next().map(|run| run.arm.clone());
        let is_one = !matches!(self.selection, Selection::Arm(_) | Selection::Stage { .. });
        self.plot.selected = treatment.clone().filter(|_| is_one).or_else(|| arm.map(|arm| arm.name.clone()));
        self.plot.treatment = treatment;
        self.plot.columns.clone_from(&self.compare.view.table.columns);
        self.compare.selected = self.selection.run().cloned();
        self.compare.selected_arm = self.selection.arm();
        let base = &document.base();
        let mut drawn = Drawn { workspace: self, document, runs, results, base, log, requests: Vec::new() };
        tiles.ui(ui, &mut drawn);
        let requests = drawn.requests;
        self.tiles = tiles;
        requests
    }

    /// Makes the view Campaigns show the faults that a cell of a heat map counts.
    fn show_faults(&mut self, faults: ListedFaults, listed: &[Run], log: &mut Log) -> Option<Request> {
        let of_cell = || listed.iter().filter(|run| faults.runs.contains(&run.id));
        let Some(first) = of_cell().next() else {
            log.info("The heat map shows outdated runs; their faults are only in their run folders");
            return None;
        };
        if !of_cell().any(|run| self.selection.arm() == Some(run.arm_index)) {
            self.selection = Selection::Arm(first.arm_index);
        }
        self.views.show_trials(TrialFilter::cell(faults, self.selection.clone()));
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
            Offers::Figure | Offers::Figures => None,
            Offers::Later(why) => Some(why),
            Offers::Nothing if has_points => None,
            Offers::Nothing => Some("There are no curves yet: press Run"),
        }
    }
}
