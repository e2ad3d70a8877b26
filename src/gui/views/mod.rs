//! The views beside plots: tables, networks, campaigns, the log, notes.
//!
//! A view is one file with a type that implements [`View`], and one line in [`ALL`].

mod campaign;
mod dry_run;
mod histogram;
pub(in crate::gui) mod loading;
mod log;
mod network;
mod network_at_end;
mod notes;
mod offer;
mod picture;
pub(in crate::gui) mod reports;
mod table;
mod tickets;
mod values;
mod weights;

use std::path::Path;

use eframe::egui::{Align, Layout, Response, RichText, Ui, WidgetText};

pub use campaign::TrialFilter;
pub use dry_run::DryRun;
pub use offer::{Offer, Offers, Wanted};

use super::compare::{Compare, CompareResponse};
use super::log::Log;
use super::runs::Runs;
use super::selection::Selection;
use super::{text, theme};
use crate::doc::Run;
use crate::doc::intervention::Set;
use network_at_end::NetworkAtEnd;

/// The registry, in the order of the tabs.
pub const ALL: &[ViewEntry] = &[
    ViewEntry::of::<table::Table>(),
    ViewEntry::of::<network::NetworkView>(),
    ViewEntry::of::<weights::Weights>(),
    ViewEntry::of::<tickets::Tickets>(),
    ViewEntry::of::<campaign::Campaigns>(),
    ViewEntry::of::<log::LogView>(),
    ViewEntry::of::<notes::Notes>(),
];

/// Something that is no plot; the value holds what is kept between frames.
pub trait View: Default + 'static {
    /// What files call it: "network". No plot has the same name.
    const NAME: &'static str;
    /// What its tab says: "Network".
    const TITLE: &'static str;
    /// What it shows, which question it answers, how to read it and what it needs, in two to six sentences; what
    /// stands before the first full stop is the tooltip too.
    const HELP: &'static str;
    /// Draws it into all the room there is; what a person asked for that the window does.
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse>;
    /// Whether it has a figure for files and for the clipboard by now.
    fn offers(&self) -> Offers {
        Offers::Nothing
    }
    /// That figure, as it was drawn last.
    fn offer(&self) -> Option<Offer> {
        None
    }
}

/// A view in the registry.
pub struct ViewEntry {
    /// [`View::NAME`].
    pub name: &'static str,
    /// [`View::TITLE`].
    pub title: &'static str,
    /// [`View::HELP`].
    pub help: &'static str,
    make: fn() -> Box<dyn DynView>,
}

impl ViewEntry {
    const fn of<V: View>() -> Self {
        Self { name: V::NAME, title: V::TITLE, help: V::HELP, make: || Box::new(V::default()) }
    }
}

/// A view whose type is forgotten.
trait DynView {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse>;
    fn offers(&self) -> Offers;
    fn offer(&self) -> Option<Offer>;
}

impl<V: View> DynView for V {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        View::ui(self, ui, input, shared)
    }

    fn offers(&self) -> Offers {
        View::offers(self)
    }

    fn offer(&self) -> Option<Offer> {
        View::offer(self)
    }
}

/// The view with this name.
pub fn find(name: &str) -> Option<&'static ViewEntry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// What a view knows of the window.
#[derive(Clone, Copy)]
pub struct ViewInput<'a> {
    /// What is selected.
    pub selection: &'a Selection,
    /// Runs of the document.
    pub listed: &'a [Run],
    /// What is known of them.
    pub runs: &'a Runs,
    /// The folder of their results.
    pub results: &'a Path,
    /// What happened.
    pub log: &'a Log,
}

/// What several views use, and change.
pub struct Shared<'a> {
    /// The table of runs, with the view settings of the document.
    pub compare: &'a mut Compare,
    /// The network of the selected run.
    network: &'a mut NetworkAtEnd,
    /// The cell of the heat map whose faults are shown.
    trial_filter: &'a mut TrialFilter,
}

/// What a person asked for in a view that the window does.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewResponse {
    /// To add a stage to the plan of the selected arm.
    AddStage(Set),
    /// Something about runs.
    Compare(CompareResponse),
    /// To take the figure of the view along.
    Take(Wanted),
    /// To show another view or plot.
    Show(&'static str),
}

/// All views with what they keep between frames.
pub struct Views {
    drawn: Vec<(&'static str, Box<dyn DynView>)>,
    network: NetworkAtEnd,
    trial_filter: TrialFilter,
}

impl Default for Views {
    fn default() -> Self {
        let drawn = ALL.iter().map(|entry| (entry.name, (entry.make)())).collect();
        Self { drawn, network: NetworkAtEnd::default(), trial_filter: TrialFilter::default() }
    }
}

impl Views {
    /// Draws the view with this name into all the room there is.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        input: &ViewInput<'_>,
        compare: &mut Compare,
    ) -> Option<ViewResponse> {
        let (_, view) = self.drawn.iter_mut().find(|(known, _)| *known == name)?;
        view.ui(
            ui,
            input,
            &mut Shared { compare, network: &mut self.network, trial_filter: &mut self.trial_filter },
        )
    }

    /// Whether the view with this name has a figure for files; plots are no views.
    pub fn offers(&self, name: &str) -> Offers {
        self.view(name).map_or(Offers::Nothing, DynView::offers)
    }

    /// The figure of the view with this name, where it has one.
    pub fn offer(&self, name: &str) -> Option<Offer> {
        self.view(name)?.offer()
    }

    /// Makes the view of campaigns show the trials behind a cell of the heat map.
    pub fn show_trials(&mut self, trial_filter: TrialFilter) {
        self.trial_filter = trial_filter;
    }

    fn view(&self, name: &str) -> Option<&dyn DynView> {
        self.drawn.iter().find(|(known, _)| *known == name).map(|(_, view)| view.as_ref())
    }
}

fn waiting_ui(ui: &mut Ui) {
    ui.horizontal(|ui| {
        ui.spinner();
        ui.label("Reading the weights…");
    });
}

/// Why there is nothing to see, and what would be seen.
fn nothing_ui(ui: &mut Ui, help: &str, why: &str) {
    let room = ui.available_size();
    ui.allocate_ui_with_layout(room, Layout::top_down(Align::Center), |ui| {
        ui.add_space(room.y * 0.36);
        ui.label(why);
        ui.label(RichText::new(text::first_statement(help)).weak());
    });
}

/// A quiet line of a number and its meaning, right-aligned.
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
