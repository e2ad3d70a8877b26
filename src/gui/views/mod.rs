//! The views beside plots: tables, networks, campaigns, the log, notes.
//!
//! A view is one file with a constant [`ViewEntry`] and a type that implements [`View`], and one line in [`ALL`].

mod campaign;
mod columns;
mod data;
mod dry_run;
mod histogram;
mod histograms;
pub(crate) mod loading;
mod log;
mod network;
mod network_at_end;
mod notes;
mod offer;
mod picture;
mod queue;
pub(crate) mod reports;
mod round_slider;
mod sharing;
mod table;
mod tickets;
mod values;
mod weights;

use std::path::Path;

use eframe::egui::{Align, Grid, Layout, Response, RichText, Ui, WidgetText};

pub use campaign::TrialFilter;
pub use dry_run::DryRun;
pub use offer::{Offer, Offers, Subject, Wanted};

use super::compare::{Compare, CompareResponse};
use super::log::Log;
use super::plot::ListedFaults;
use super::runs::{QueueRequest, Runs, Sharing};
use super::selection::Selection;
use super::{text, theme};
use data::ChangedImages;
use doc::intervention::Set;
use doc::{Experiment, Run};
use form::path::Place;
use network_at_end::NetworkAtEnd;
use results::campaign::definition;
use results::tiles::Group;
use sharing::TypedSharing;

/// The registry, in the order of the tabs.
pub const ALL: &[ViewEntry] = &[
    table::ENTRY,
    queue::ENTRY,
    data::ENTRY,
    network::ENTRY,
    weights::ENTRY,
    histograms::ENTRY,
    tickets::ENTRY,
    campaign::ENTRY,
    log::ENTRY,
    notes::ENTRY,
];

/// A view in the registry: a tab that is no plot.
pub struct ViewEntry {
    /// Its name in files: "network". No plot has the same name.
    pub name: &'static str,
    /// What the window calls it: "Network".
    pub title: &'static str,
    /// The group of views that it belongs to.
    pub group: Group,
    /// What it shows, which question it answers, how to read it and what it needs, in two to six sentences. The first
    /// statement is also the tooltip.
    pub help: &'static str,
    make: fn() -> Box<dyn View>,
}

/// What a view keeps between frames.
trait View {
    /// Draws it into all available space; returns what the window has to do.
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse>;
    /// Draws its controls into the head of its tile, from right to left.
    fn tools_ui(
        &mut self,
        _ui: &mut Ui,
        _input: &ViewInput<'_>,
        _shared: &mut Shared<'_>,
    ) -> Option<ViewResponse> {
        None
    }
    /// Draws what is rare into the menu of its tile.
    fn menu_ui(&mut self, _ui: &mut Ui, _shared: &mut Shared<'_>) -> Option<ViewResponse> {
        None
    }
    /// Which arm, setting and seeds it shows, where it shows only some.
    fn subject(&self, _input: &ViewInput<'_>, _trial_filter: &TrialFilter) -> String {
        String::new()
    }
    /// Whether it has something to show of the results.
    fn has_data(&self, _listed: &[Run], _runs: &Runs) -> bool {
        true
    }
    /// Whether it has a figure for files and for the clipboard now.
    fn offers(&self) -> Offers {
        Offers::Nothing
    }
    /// That figure, as it was drawn last.
    fn offer(&self) -> Option<Offer> {
        None
    }
}

/// The view with this name.
pub fn find(name: &str) -> Option<&'static ViewEntry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// The input of a view.
#[derive(Clone, Copy)]
pub struct ViewInput<'a> {
    /// The selection.
    pub selection: &'a Selection,
    /// The document.
    pub experiment: &'a Experiment,
    /// Its runs, or while it has an error those before.
    pub listed: &'a [Run],
    /// Whether it has an error since.
    pub is_behind: bool,
    /// Their records.
    pub runs: &'a Runs,
    /// The folder of their results.
    pub results: &'a Path,
    /// The folder that paths in the document are relative to.
    pub base: &'a Path,
    /// The log.
    pub log: &'a Log,
}

impl<'a> ViewInput<'a> {
    /// The selected run, or the runs of the selected setting or arm.
    fn selected(&self) -> impl Iterator<Item = &'a Run> {
        let selection = self.selection;
        self.listed.iter().filter(move |run| selection.covers(run.arm_index, &run.arm, &run.id))
    }
}

/// The state that several views share.
pub struct Shared<'a> {
    /// The table of runs, with the view settings of the document.
    pub compare: &'a mut Compare,
    /// The network of the selected run.
    network: &'a mut NetworkAtEnd,
    /// The place whose faults are shown.
    trial_filter: &'a mut TrialFilter,
    /// What is typed for how runs share the machine.
    sharing: &'a mut TypedSharing,
    /// The pictures of a trial that the view of data shows alone.
    changed: &'a mut Option<ChangedImages>,
    /// The selection for which the network of the experiment is drawn, instead of that of what is selected.
    experiment_for: &'a mut Option<Selection>,
}

/// An action for the window.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewResponse {
    /// Add a stage to the plan of the selected arm.
    AddStage(Set),
    /// An action of the table of runs.
    Compare(CompareResponse),
    /// Start, stop or move runs.
    Queue(QueueRequest),
    /// Change how runs share the machine.
    Sharing(Sharing),
    /// Export the figure of the view.
    Take(Wanted),
    /// Show another view or plot.
    Show(&'static str),
    /// Open a setting in the inspector.
    Edit(Place),
}

/// The state of all views between frames.
pub struct Views {
    drawn: Vec<(&'static str, Box<dyn View>)>,
    network: NetworkAtEnd,
    trial_filter: TrialFilter,
    sharing: TypedSharing,
    changed: Option<ChangedImages>,
    experiment_for: Option<Selection>,
}

impl Default for Views {
    fn default() -> Self {
        let drawn = ALL.iter().map(|entry| (entry.name, (entry.make)())).collect();
        Self {
            drawn,
            network: NetworkAtEnd::default(),
            trial_filter: TrialFilter::default(),
            sharing: TypedSharing::default(),
            changed: None,
            experiment_for: None,
        }
    }
}

impl Views {
    /// Draws the view with this name into all available space.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        input: &ViewInput<'_>,
        compare: &mut Compare,
    ) -> Option<ViewResponse> {
        let (view, mut shared) = self.shared(name, compare)?;
        view.ui(ui, input, &mut shared)
    }

    /// Draws the controls of the view with this name into the head of its tile, from right to left.
    pub fn tools_ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        input: &ViewInput<'_>,
        compare: &mut Compare,
    ) -> Option<ViewResponse> {
        let (view, mut shared) = self.shared(name, compare)?;
        view.tools_ui(ui, input, &mut shared)
    }

    /// Draws what is rare of the view with this name into the menu of its tile.
    pub fn menu_ui(&mut self, ui: &mut Ui, name: &str, compare: &mut Compare) -> Option<ViewResponse> {
        let (view, mut shared) = self.shared(name, compare)?;
        view.menu_ui(ui, &mut shared)
    }

    fn shared<'a>(
        &'a mut self,
        name: &str,
        compare: &'a mut Compare,
    ) -> Option<(&'a mut dyn View, Shared<'a>)> {
        let Self { drawn, network, trial_filter, sharing, changed, experiment_for } = self;
        let (_, view) = drawn.iter_mut().find(|(known, _)| *known == name)?;
        Some((view.as_mut(), Shared { compare, network, trial_filter, sharing, changed, experiment_for }))
    }

    /// Gives the keyboard to how runs share the machine, as soon as the queue is drawn.
    pub const fn choose_sharing(&mut self) {
        self.sharing.wants_focus = true;
    }

    /// Enters what is typed for how runs share the machine.
    pub fn enter_typed(&mut self, sharing: &mut Sharing) {
        self.sharing.enter(sharing);
    }

    /// The views that have something to show.
    pub fn with_data<'a>(
        &'a self,
        listed: &'a [Run],
        runs: &'a Runs,
    ) -> impl Iterator<Item = &'static str> + 'a {
        self.drawn.iter().filter(|(_, view)| view.has_data(listed, runs)).map(|(name, _)| *name)
    }

    /// Whether the view with this name has a figure for files; plots are no views.
    pub fn offers(&self, name: &str) -> Offers {
        self.view(name).map_or(Offers::Nothing, View::offers)
    }

    /// The figure of the view with this name, if it has one.
    pub fn offer(&self, name: &str) -> Option<Offer> {
        self.view(name)?.offer()
    }

    /// Which arm, setting and seeds the view with this name shows, where it shows only some.
    pub fn subject(&self, name: &str, input: &ViewInput<'_>) -> String {
        self.view(name).map(|view| view.subject(input, &self.trial_filter)).unwrap_or_default()
    }

    /// The faults whose trials the view of campaigns shows, if their layer and bit are chosen.
    pub fn shown_faults(&self, selection: &Selection) -> Option<ListedFaults> {
        self.trial_filter.place(selection)
    }

    /// Makes the view of campaigns show the trials of a cell of the heat map.
    pub fn show_trials(&mut self, trial_filter: TrialFilter) {
        self.trial_filter = trial_filter;
    }

    /// Makes the view of networks draw the network of the experiment until something else is selected, or that of what is
    /// selected.
    pub fn show_network(&mut self, is_of_experiment: bool, selection: &Selection) {
        self.experiment_for = is_of_experiment.then(|| selection.clone());
    }

    fn view(&self, name: &str) -> Option<&dyn View> {
        self.drawn.iter().find(|(known, _)| *known == name).map(|(_, view)| view.as_ref())
    }
}

/// What most views wait for.
const WEIGHTS: &str = "Reading the weights…";

/// Says what is waited for.
fn waiting_ui(ui: &mut Ui, what: &str) {
    ui.horizontal(|ui| {
        ui.spinner();
        ui.label(what);
    });
}

/// Says why a view is empty, and what it shows.
fn nothing_ui(ui: &mut Ui, help: &str, why: &str) {
    let space = ui.available_size();
    ui.allocate_ui_with_layout(space, Layout::top_down(Align::Center), |ui| {
        ui.add_space(space.y * 0.36);
        ui.label(why);
        ui.label(RichText::new(text::first_statement(help)).weak());
    });
}

/// A striped table with headings; its spacing is in steps. `rows` draws the rows and ends each of them.
fn grid_ui<C: AsRef<str>>(
    ui: &mut Ui,
    id: impl std::hash::Hash + std::fmt::Debug,
    spacing: [f32; 2],
    columns: &[C],
    rows: impl FnOnce(&mut Ui),
) {
    let spacing = spacing.map(|steps| steps * theme::STEP);
    Grid::new(id).striped(true).spacing(spacing).show(ui, |ui| {
        for column in columns {
            let heading = theme::heading_ui(ui, column.as_ref());
            if let Some(definition) = definition(column.as_ref()) {
                heading.on_hover_text(definition);
            }
        }
        ui.end_row();
        rows(ui);
    });
}

/// A right-aligned number.
fn number_ui(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let right = Layout::right_to_left(Align::Center);
    let shown = ui.with_layout(right, |ui| {
        ui.add_space(theme::STEP);
        ui.label(text.into())
    });
    shown.inner
}

#[cfg(test)]
mod tests;
