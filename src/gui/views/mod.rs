//! The views beside plots: tables, networks, campaigns, notes.
//!
//! A view is one file with a constant [`ViewEntry`] and a type that implements [`View`], and one line in [`ALL`].

mod campaign;
mod data;
mod dry_run;
mod histograms;
mod network;
mod network_at_end;
mod notes;
mod offer;
mod queue;
pub(crate) mod reports;
mod table;
mod tickets;
mod values;
mod weights;

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::path::Path;

use eframe::egui::{
    Align, Color32, Label, Layout, Rect, Response, RichText, Sense, TextStyle, Ui, Vec2, pos2, vec2,
};

use super::compare::{Compare, CompareResponse};
use super::plot::Wanted;
use super::runs::{QueueRequest, Runs, Sharing};
use super::selection::Selection;
use super::table::width_of;
use super::{text, theme, widgets};
use crate::background::{Latest, LoadState};
use doc::intervention::Set;
use doc::{Experiment, Run};
use form::path::Place;
use results::tiles::Group;

pub use campaign::TrialFilter;
pub use dry_run::DryRun;
pub use network::ExperimentFor;
pub use offer::{Offers, Subject};
pub use queue::{TypedSharing, queue_entries_ui};

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
    notes::ENTRY,
];

/// A view in the registry: a tab that is no plot.
pub struct ViewEntry {
    /// Its name in files: "network". No plot has the same name.
    pub name: &'static str,
    /// Its name in the window: "Network".
    pub title: &'static str,
    pub group: Group,
    /// Its subject, its question, a manual and its needs, in two to six sentences. The first
    /// statement is also the tooltip.
    pub help: &'static str,
    make: fn() -> Box<dyn View>,
}

/// A view with its state between frames.
pub trait View {
    /// Draws it into all available space; returns what the window has to do.
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request>;
    /// Draws its controls into the head of its tile, from right to left.
    fn tools_ui(
        &mut self,
        _ui: &mut Ui,
        _input: &ViewInput<'_>,
        _shared: &mut Shared<'_>,
    ) -> Option<Request> {
        None
    }
    /// Draws what is rare into the menu of its tile.
    fn menu_ui(&mut self, _ui: &mut Ui, _shared: &mut Shared<'_>) -> Option<Request> {
        None
    }
    /// Returns which arm, setting and seeds it shows, where it shows only some.
    fn subject(&self, _input: &ViewInput<'_>, _store: &Store) -> String {
        String::new()
    }
    /// Returns true if it has something to show of the results.
    fn has_data(&self, _listed: &[Run], _runs: &Runs) -> bool {
        true
    }
    /// Returns the figure that it has for files and for the clipboard, as it was drawn last.
    fn offers(&self) -> Offers {
        Offers::Nothing
    }
}

#[cfg(test)]
fn find(name: &str) -> Option<&'static ViewEntry> {
    ALL.iter().find(|entry| entry.name == name)
}

#[derive(Clone, Copy)]
pub struct ViewInput<'a> {
    pub selection: &'a Selection,
    /// The document.
    pub experiment: &'a Experiment,
    /// Its runs, or while it has an error those before.
    pub listed: &'a [Run],
    /// True if it has an error since.
    pub is_behind: bool,
    /// Their records.
    pub runs: &'a Runs,
    /// The folder of their results.
    pub results: &'a Path,
    /// The folder that paths in the document are relative to.
    pub base: &'a Path,
}

impl<'a> ViewInput<'a> {
    /// Returns the selected run, or the runs of the selected setting or arm.
    fn selected(&self) -> impl Iterator<Item = &'a Run> {
        let selection = self.selection;
        self.listed.iter().filter(move |run| selection.covers_run(run))
    }
}

/// State that views share with each other and with the window, by its type.
#[derive(Default)]
pub struct Store(BTreeMap<TypeId, Box<dyn Any>>);

impl Store {
    /// Returns the state of a type, which begins with its default.
    pub fn of<T: Any + Default>(&mut self) -> &mut T {
        let state = self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        state.downcast_mut().expect("the key is its type")
    }

    /// Returns the state of a type, if there is one yet.
    pub fn known<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

/// The state around a view.
pub struct Shared<'a> {
    /// The table of runs, with the view settings of the document.
    pub compare: &'a mut Compare,
    /// The state that views share.
    pub store: &'a mut Store,
}

/// An action for the window.
#[derive(Clone, Debug)]
pub enum Request {
    /// Add a stage to the plan of the selected arm.
    AddStage(Set),
    /// An action of the table of runs.
    Compare(CompareResponse),
    /// Start, stop or move runs.
    Queue(QueueRequest),
    /// Change how runs share the machine.
    Sharing(Sharing),
    /// Export a figure.
    Take(Subject, Wanted),
    /// Show another view or plot.
    Show(&'static str),
    /// Open a setting in the inspector.
    Edit(Place),
    /// Show the runs of what is selected in their table.
    ShowInTable,
}

/// The state of all views between frames.
pub struct Views {
    drawn: Vec<(&'static str, Box<dyn View>)>,
    pub store: Store,
}

impl Default for Views {
    fn default() -> Self {
        let drawn = ALL.iter().map(|entry| (entry.name, (entry.make)())).collect();
        Self { drawn, store: Store::default() }
    }
}

impl Views {
    /// Returns the view with this name, and the state around it.
    pub fn get<'a>(
        &'a mut self,
        name: &str,
        compare: &'a mut Compare,
    ) -> Option<(&'a mut dyn View, Shared<'a>)> {
        let Self { drawn, store } = self;
        let (_, view) = drawn.iter_mut().find(|(known, _)| *known == name)?;
        Some((view.as_mut(), Shared { compare, store }))
    }

    /// Returns the views that have something to show.
    pub fn with_data<'a>(
        &'a self,
        listed: &'a [Run],
        runs: &'a Runs,
    ) -> impl Iterator<Item = &'static str> + 'a {
        self.drawn.iter().filter(|(_, view)| view.has_data(listed, runs)).map(|(name, _)| *name)
    }

    /// Returns the figure that the view with this name has for files; plots are no views.
    pub fn offers(&self, name: &str) -> Offers {
        let view = self.drawn.iter().find(|(known, _)| *known == name);
        view.map_or(Offers::Nothing, |(_, view)| view.offers())
    }
}

/// The reason of an empty view when nothing is selected.
const SELECT: &str = "Select an arm or a run on the left.";
/// The message while weights are read.
const WEIGHTS: &str = "Reading the weights…";

/// Says what is waited for.
fn waiting_ui(ui: &mut Ui, what: &str) {
    ui.horizontal(|ui| {
        ui.spinner();
        ui.label(what);
    });
}

/// Returns the answer to a question, or until it is there the last one if it is of the same thing, with its question.
/// Without one, says what is waited for or, after the words for a failure, why there is none.
fn loaded_ui<'a, K: Clone + PartialEq, T: Send + 'static>(
    ui: &mut Ui,
    (help, failure): (&str, &str),
    latest: &'a mut Latest<K, T>,
    key: &K,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
    is_same: impl Fn(&K) -> bool,
) -> Option<(&'a K, &'a T)> {
    if let LoadState::Failed(why) = latest.get(key, ui.ctx(), work) {
        nothing_ui(ui, help, &format!("{failure}: {why}."));
        return None;
    }
    let found = latest.last().filter(|(known, _)| is_same(known));
    if found.is_none() {
        waiting_ui(ui, WEIGHTS);
    }
    found
}

/// Draws the choice of a parameter.
fn parameter_ui<'a>(ui: &mut Ui, chosen: &mut String, names: impl Iterator<Item = &'a String>) {
    let label = ui.label("Parameter");
    let list = widgets::drop_down(ui.scope_id().with("parameter"), chosen).show_ui(ui, |ui| {
        for name in names {
            ui.selectable_value(chosen, name.clone(), name);
        }
    });
    list.response.labelled_by(label.id);
}

/// Draws the choice of the part of a view that is shown, each with its name and help.
fn parts_ui<T: Copy + PartialEq>(ui: &mut Ui, shown: &mut T, parts: &[(T, &str, &str)]) {
    for (part, name, help) in parts {
        let name = RichText::new(*name).font(theme::medium(theme::BODY));
        ui.selectable_value(shown, *part, name).on_hover_text(*help);
    }
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

/// Draws the meaning of a colour: a square and its name, which stay on one line together.
fn key_ui(ui: &mut Ui, colour: Color32, name: &str) -> Response {
    const SQUARE: f32 = 10.0;
    let text = width_of(ui, name, &TextStyle::Small.resolve(ui.style()));
    let height = ui.text_style_height(&TextStyle::Small);
    let size = vec2(SQUARE + theme::STEP / 2.0 + text.ceil() + 1.0, height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let square =
        Rect::from_center_size(pos2(rect.left() + SQUARE / 2.0, rect.center().y), Vec2::splat(SQUARE));
    ui.painter().rect_filled(square, 2.0, colour);
    let label = Label::new(RichText::new(name).small()).selectable(false).extend();
    response | ui.put(rect.with_min_x(rect.right() - text.ceil() - 1.0), label)
}

#[cfg(test)]
mod tests;
