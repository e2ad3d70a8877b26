//! The middle of the window: plots and views in tiles, the table of runs that filters them, and what is selected.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use eframe::egui::containers::menu::{MenuConfig, SubMenuButton};
use eframe::egui::{self, PopupCloseBehavior, RichText, Ui};

use crate::background::WriteJob;
use crate::bar::GroupTab;
use crate::compare::{Compare, columns_ui};
use crate::document::Document;
use crate::icons::Icon;
use crate::inspector::{Inspector, selection_of};
use crate::log::Log;
use crate::plot::{
    LineAction, ListedFaults, PlotInput, PlotResponse, PlotState, Wanted, arm_of, menu_ui, plot_ui, tools_ui,
    wanted_ui,
};
use crate::runs::Runs;
use crate::selection::Selection;
use crate::text::{counted, first_line};
use crate::tiles::{Contents, LayoutChange, Pane, Tiling};
use crate::treatment::{Treatment, treatments};
pub(super) use crate::views::Request;
use crate::views::{DryRun, Offers, Shared, Subject, TrialFilter, View, ViewInput, Views};
use crate::widgets;
use doc::templates::views_of;
use doc::{Run, length, named};
use figure::plots::{self, ArmRuns, Plot};
use form::path::Place;
use results::RunState;
use results::table::columns::Column;
use results::tiles::{Group, Tiles};
use results::view::ViewSettings;
use results::{INPUTS, RunRecord};

/// The middle of the window.
#[derive(Default)]
pub(super) struct Workspace {
    pub tiles: Tiling,
    pub plot: PlotState,
    pub views: Views,
    pub compare: Compare,
    pub treatments: Vec<Treatment>,
    pub selection: Selection,
    /// The arm whose plan is shown: the one that was selected last.
    pub plan_arm: usize,
    /// The setting to scroll to after a click on its problem.
    pub focus: Option<Place>,
    pub inspector: Inspector,
    pub dry_run: DryRun,
    /// The input of the plots, as long as nothing about it has changed.
    shown: Option<PlotInput>,
    /// The parts of it for plots that show one arm, by their names.
    narrowed: BTreeMap<&'static str, Narrowed>,
    /// The views that have something to show, and the revision of the rows that this is of.
    with_data: Option<(u64, Vec<&'static str>)>,
    /// True if rows are older than records.
    is_behind: bool,
    /// Files and copies that threads make.
    pub writing: Vec<WriteJob>,
}

/// The part of the runs that a plot of one arm shows, and what it was made of.
struct Narrowed {
    selection: Selection,
    of: Arc<Vec<ArmRuns>>,
    input: PlotInput,
}

impl Workspace {
    /// Returns the settings that can be undone.
    pub fn shown(&mut self) -> (&ViewSettings, &Tiles) {
        self.plot.give(&mut self.compare.view);
        (&self.compare.view, self.tiles.tiles())
    }

    /// Takes back what was undone.
    pub fn take_shown(&mut self, view: &ViewSettings, tiles: Tiles) {
        self.compare.take_view(view);
        self.plot.take_edits(view);
        self.tiles.arrange(tiles);
    }

    /// Opens the layer that was undone or redone, if it is there and of what is selected, instead of those that are open.
    pub fn open_layer(&mut self, layer: Option<Place>) {
        self.inspector.closes_lines = true;
        let is_shown = |place: &Place| {
            let selection = selection_of(place);
            selection.is_none_or(|selection| selection.arm() == self.selection.arm())
        };
        self.focus = layer.filter(is_shown);
    }

    /// Returns the selected arm, or the one whose plan is shown.
    pub fn arm(&self) -> usize {
        self.selection.arm().unwrap_or(self.plan_arm)
    }

    /// Forgets what was seen of another document, and loads the view settings stored beside the results; without any, those
    /// of the template that the document was, by its name.
    pub fn load(&mut self, results: &Path, name: &str, log: &mut Log) {
        self.focus = None;
        self.keep_view(0.0, None, log);
        let options = self.plot.options.clone();
        self.plot = PlotState::default();
        self.plot.options = options;
        *self.views.store.of() = TrialFilter::default();
        if let Err(why) = self.compare.load(results, &mut self.plot) {
            log.error(why);
        }
        self.forget_shown();
        self.with_data = None;
        self.tiles.take(self.compare.view.tiles.as_ref(), views_of(name));
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
        // An arm that has gone gives way to the experiment, a setting that the sweep no longer has to its arm.
        if self.selection.arm().is_some_and(|arm| arm >= document.experiment.arms.len()) {
            self.selection = Selection::Experiment;
        } else if let Selection::Setting { arm, name } = &self.selection
            && !self.treatments.iter().any(|known| known.arm == *arm && known.name == *name)
        {
            self.selection = Selection::Arm(*arm);
        }
    }

    /// Forgets the input of the plots.
    pub fn forget_shown(&mut self) {
        self.shown = None;
        self.narrowed.clear();
    }

    /// Updates the rows, and saves view settings once they stop changing.
    pub fn update(&mut self, runs: &Runs, log: &mut Log, ctx: &egui::Context) {
        let now = ctx.input(|input| input.time);
        let update = self.compare.update(&self.treatments, runs, now);
        self.is_behind = update.is_some();
        let keep = self.keep_view(now, Some(ctx), log);
        for secs in update.into_iter().chain(keep) {
            ctx.request_repaint_after(Duration::from_secs_f64(secs));
        }
    }

    /// Writes view settings that have changed, without a context at once; returns the time after which to look again,
    /// in seconds.
    pub fn keep_view(&mut self, now: f64, ctx: Option<&egui::Context>, log: &mut Log) -> Option<f64> {
        let kept = self.compare.keep(&self.plot, now, ctx);
        kept.unwrap_or_else(|why| {
            log.error(why);
            None
        })
    }

    /// Counts changes of what the plots are made of: records, and rows, which may come later.
    fn data_revision(&self, runs: &Runs) -> u64 {
        runs.revision() + self.compare.revision
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
        let remarks = [self.compare.outdated_note(), inputs_note(&arms)];
        let remark = remarks.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(", ");
        let grouping = self.compare.grouping_note();
        let input = PlotInput::new(arms, self.compare.filter_note(), revision);
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
        PlotInput::new(arms, self.compare.filter_note(), self.data_revision(runs))
    }

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
        let chosen = all.filter(|run| self.selection.covers_run(run));
        let all = || chosen.map(|run| run.id.clone()).collect();
        let (is_run, runs) = (run.is_some(), run.map_or_else(all, |run| vec![run]));
        self.compare.show(runs, is_run);
        self.tiles.change(LayoutChange::Show("runs"));
    }

    /// Returns true if a plot or view has a tile.
    pub fn has_view(&self, name: &str) -> bool {
        self.tiles.layout().views().contains(&name)
    }

    /// Returns the groups of views, for the bar.
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
        let wait = self.plot.update_data(&input, now);
        if let Some(secs) = wait {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(secs.max(0.0)));
        }
        // Rows are made a few times a second while records grow.
        let revision = self.compare.revision;
        if self.with_data.as_ref().is_none_or(|(known, _)| *known != revision) {
            self.with_data = Some((revision, self.views.with_data(document.runs(), runs).collect()));
        }
        let views = self.with_data.iter().flat_map(|(_, views)| views.iter().copied());
        let is_known = wait.is_none() && !self.is_behind;
        self.tiles.offer(self.plot.concerned().chain(views), [runs.is_running(), is_known]);
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
        let mut chosen = all.filter(|run| self.selection.covers_run(run));
        let treatment = chosen.next().map(|run| run.arm.clone());
        let is_one = matches!(self.selection, Selection::Setting { .. } | Selection::Run { .. });
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
        *self.views.store.of() = TrialFilter::cell(faults, self.selection.clone());
        Some(Request::Show("campaigns"))
    }

    /// Notes where everything is, and which plot exports are about: the active one, or the first that is seen.
    pub fn follow_tiles(&mut self, name: &str) {
        self.compare.view.tiles = self.tiles.kept(views_of(name));
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

    /// Returns the subject of exports: the figure of the active view, else the plot that was used last.
    pub fn subject(&self) -> Subject {
        let offer = self.views.offers(&self.tiles.layout().active).figure();
        offer.map_or_else(|| Subject::Plot(self.plot.plot()), Subject::View)
    }

    /// Returns why nothing can be exported of what was used last.
    pub fn why_no_figure(&self, has_points: bool) -> Option<&'static str> {
        match self.views.offers(&self.tiles.layout().active) {
            Offers::Figure(_) => None,
            Offers::Later(why) => Some(why),
            Offers::Nothing if has_points => None,
            Offers::Nothing => Some("There are no curves yet: press Run"),
        }
    }
}

/// Counts the runs whose inputs are far from those that their imported weights were trained with; empty without any.
fn inputs_note(arms: &[ArmRuns]) -> String {
    let is_far = |(_, record): &&(u64, RunRecord)| record.reports().iter().any(|it| it.kind == INPUTS);
    match arms.iter().flat_map(|arm| &arm.runs).filter(is_far).count() {
        0 => String::new(),
        count => {
            format!("inputs of {} far from those that its weights were trained with", counted(count, "run"))
        }
    }
}

/// The contents of tiles, as they are drawn.
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
        if let Offers::Figure(_) = self.workspace.views.offers(pane.name) {
            let button = widgets::icon_button_ui(ui, true, Icon::Export, "Export figure…");
            if button.accessible_name(format!("Export {}…", pane.title)).clicked() {
                self.take_view(pane, Wanted::File);
            }
        }
        let request = self.with_view(pane, |view, input, shared| view.tools_ui(ui, input, shared));
        self.requests.extend(request.flatten());
    }

    fn subject(&mut self, pane: Pane) -> String {
        if let Some(plot) = pane.plot {
            return self.workspace.input_of(plot, self.runs).subject;
        }
        self.with_view(pane, |view, input, shared| view.subject(input, shared.store)).unwrap_or_default()
    }

    fn menu_ui(&mut self, ui: &mut Ui, pane: Pane) {
        if let Some(plot) = pane.plot {
            let response = menu_ui(ui, plot, &mut self.workspace.plot);
            self.take(plot, response);
            return self.columns_menu_ui(ui);
        }
        let request = self.with_view(pane, |view, _, shared| view.menu_ui(ui, shared));
        self.requests.extend(request.flatten());
        if self.workspace.views.offers(pane.name).figure().is_some() {
            if let Some(wanted) = wanted_ui(ui, true) {
                self.take_view(pane, wanted);
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
            let filter = self.workspace.views.store.known::<TrialFilter>();
            let faults = filter.and_then(|filter| filter.place(&self.workspace.selection));
            let is_drawn = self.workspace.plot.has_data(plot);
            let [instead, failed] = if is_drawn { Default::default() } else { self.states() };
            let input = PlotInput { instead, failed, faults, ..self.workspace.input_of(plot, self.runs) };
            let response = plot_ui(ui, plot, &input, &mut self.workspace.plot);
            for trouble in self.workspace.plot.troubles() {
                self.log.error(trouble);
            }
            return self.take(plot, response);
        }
        let request = self.with_view(pane, |view, input, shared| view.ui(ui, input, shared));
        self.requests.extend(request.flatten());
    }
}

impl Drawn<'_> {
    /// Returns what an empty plot says of runs that go on or cannot, and of one that failed.
    fn states(&self) -> [String; 2] {
        let blocked = self.document.first_error().map(|why| format!("Nothing can run yet. {why}"));
        let (listed, runs) = (self.document.runs(), self.runs);
        if runs.is_running() {
            let run = listed.iter().find(|run| runs.is_open(&run.id));
            let first =
                run.map(|run| format!("Running: first value after {}", length(run.spec.train.evaluate)));
            return [first.unwrap_or_default(), String::new()];
        }
        let failed = listed.iter().find_map(|run| match runs.state(&run.id) {
            RunState::Failed(why) => {
                Some(format!("{} failed: {}", named(&run.arm, run.seed), first_line(&why)))
            }
            RunState::Waiting | RunState::Running | RunState::Stopped | RunState::Done => None,
        });
        [blocked.unwrap_or_default(), failed.unwrap_or_default()]
    }

    /// Does something with the view of a tile, its input, and the state around it; nothing where it is a plot.
    fn with_view<R>(
        &mut self,
        pane: Pane,
        act: impl FnOnce(&mut dyn View, &ViewInput<'_>, &mut Shared<'_>) -> R,
    ) -> Option<R> {
        let Workspace { selection, views, compare, .. } = &mut *self.workspace;
        let input = ViewInput {
            selection,
            experiment: &self.document.experiment,
            listed: self.document.runs(),
            is_behind: self.document.is_behind(),
            runs: self.runs,
            results: self.results,
            base: self.base,
        };
        let (view, mut shared) = views.get(pane.name, compare)?;
        Some(act(view, &input, &mut shared))
    }

    /// Draws the columns of the table of runs, which pinned readings and parallel axes share.
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
        let offer = self.workspace.views.offers(pane.name).figure();
        self.requests.extend(offer.map(|offer| Request::Take(Subject::View(offer), wanted)));
    }

    fn take(&mut self, plot: &'static Plot, response: Option<PlotResponse>) {
        let Some(response) = response else { return };
        self.workspace.plot.choose(plot.name);
        let request = match response {
            PlotResponse::Take(wanted) => Some(Request::Take(Subject::Plot(plot), wanted)),
            PlotResponse::ClearFilter => {
                self.workspace.compare.view.filter.clear();
                None
            }
            PlotResponse::Ungroup => {
                self.workspace.compare.group_by(vec![Column::Arm]);
                None
            }
            PlotResponse::Line(name, action) => self.line(&name, action),
            PlotResponse::OpenFaults(faults) => {
                self.workspace.show_faults(faults, self.document.runs(), self.log)
            }
        };
        self.requests.extend(request);
    }

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
