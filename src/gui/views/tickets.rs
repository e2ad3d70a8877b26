//! Criteria for tickets: the early stop of each training, and the overlap of the masks of an arm's seeds.

use std::path::PathBuf;

use eframe::egui::{RichText, ScrollArea, Ui};

use super::loading::{LoadState, Loading};
use super::offer::{Offer, Offers, Wanted, take_ui};
use super::{Shared, View, ViewEntry, ViewInput, ViewResponse, grid_ui, nothing_ui, number_ui, waiting_ui};
use crate::doc::Run;
use crate::figure::early_stops::early_stops;
use crate::gui::{text, theme};
use crate::results::RunState;
use crate::results::early_stops::{Training, trainings};
use crate::results::number::fixed;
use crate::results::statistics::mean_and_deviation;
use crate::results::tiles::Group;
use crate::run::{MaskOverlap, mask_overlap};

/// Folder and finished runs whose masks are compared.
type Seeds = (PathBuf, Vec<String>);

/// The state of the view between frames.
#[derive(Default)]
pub struct Tickets {
    overlap: Loading<Seeds, Option<MaskOverlap>>,
    /// The last trainings, with the points that they come from.
    found: (Vec<Measured>, Vec<Training>),
    /// Their arm.
    arm: String,
}

/// What a run has measured so far: its identity, the number of points, and the time of the last one.
type Measured = (String, usize, Option<f64>);

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "tickets",
    title: "Tickets",
    group: Group::Weights,
    help: "When should each training of the selected arm have stopped, and how much do \
           the masks of its seeds overlap? A training should stop where the loss on the validation data is \
           lowest; a winning ticket gets there earlier than the dense network, and is at least as accurate \
           there. The Jaccard index compares masks: 1 for equal ones, about r/(2 − r) for independent ones with \
           a share r remaining, so more than that means that pruning finds the same weights again. Early stops \
           can be exported as a figure over remaining weights. They need validation data; masks need two \
           finished seeds of the arm.",
    make: || Box::<Tickets>::default(),
};

impl View for Tickets {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, _shared: &mut Shared<'_>) -> Option<ViewResponse> {
        self.arm.clear();
        self.arm_ui(ui, input).map(ViewResponse::Take)
    }

    fn offers(&self) -> Offers {
        if self.arm.is_empty() {
            return Offers::Later("Tickets shows nothing yet: select an arm or a run");
        }
        if self.found.1.is_empty() {
            return Offers::Later("Tickets has no early stop to draw: no training has validation data");
        }
        Offers::Figure
    }

    fn offer(&self) -> Option<Offer> {
        if self.offers() != Offers::Figure {
            return None;
        }
        let (arm, trainings) = (self.arm.clone(), self.found.1.clone());
        let title = format!("early stops of {arm}");
        Some(Offer::new("early-stops".to_owned(), title, move || early_stops(&arm, &trainings)))
    }
}

impl Tickets {
    /// Draws the view for the selected arm, or the arm of the selected run.
    fn arm_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>) -> Option<Wanted> {
        let selected = input.selection.run().and_then(|id| input.listed.iter().find(|run| run.id == *id));
        let of_arm = |arm: usize| input.listed.iter().find(|run| run.arm_index == arm);
        let Some(chosen) = selected.or_else(|| of_arm(input.selection.arm()?)) else {
            nothing_ui(ui, ENTRY.help, "Select an arm or a run on the left.");
            return None;
        };
        // The combinations of a sweep share the index of the arm, but not its name.
        let (arm, name) = (chosen.arm_index, chosen.arm.as_str());
        let is_replicate = |run: &&Run| run.arm_index == arm && run.arm == name;
        let runs: Vec<&Run> = input.listed.iter().filter(is_replicate).collect();
        name.clone_into(&mut self.arm);
        let area = ScrollArea::vertical().id_salt("tickets view").auto_shrink([false, false]);
        let shown = area.show(ui, |ui| {
            ui.label(RichText::new(format!("{name}, over its seeds")).strong());
            ui.add_space(theme::STEP);
            self.overlap_ui(ui, input, &runs);
            ui.add_space(2.0 * theme::STEP);
            stops_ui(ui, self.trainings(input, &runs))
        });
        shown.inner
    }

    fn overlap_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, runs: &[&Run]) {
        theme::heading_ui(ui, "Masks of the seeds");
        let is_done = |run: &&&Run| input.runs.state(&run.id) == RunState::Done;
        let ids: Vec<String> = runs.iter().filter(is_done).map(|run| run.id.clone()).collect();
        if ids.len() < 2 {
            ui.label("Masks can be compared when two seeds of the arm are done.");
            return;
        }
        let key = (input.results.to_owned(), ids);
        let asked = key.clone();
        let read = move || {
            let ids: Vec<&str> = asked.1.iter().map(String::as_str).collect();
            Ok(mask_overlap(&asked.0, &ids))
        };
        match self.overlap.get(&key, ui.ctx(), read) {
            LoadState::Pending => waiting_ui(ui),
            LoadState::Failed(why) => drop(ui.label(format!("They cannot be compared: {why}."))),
            LoadState::Ready(None) => drop(ui.label("No two finished runs of the arm end with a mask.")),
            LoadState::Ready(Some(overlap)) => {
                let pairs = text::counted(overlap.pairs, "pair");
                let words = format!("Mean Jaccard index {} over {pairs} of seeds", fixed(overlap.mean, 3));
                ui.label(words).on_hover_text(
                    "Entries that survive in both masks over entries that survive in one of them: 1 for equal masks, about r/(2 − r) for independent ones with a share r left",
                );
            }
        }
    }
}

impl Tickets {
    /// The trainings of an arm; they are computed again only after a change of the points.
    fn trainings(&mut self, input: &ViewInput<'_>, runs: &[&Run]) -> &[Training] {
        let measured = |run: &&Run| -> Option<Measured> {
            let points = input.runs.record(&run.id)?.points();
            Some((run.id.clone(), points.len(), points.last().map(|point| point.secs)))
        };
        let measured: Vec<Measured> = runs.iter().filter_map(measured).collect();
        if self.found.0 != measured {
            let records = runs.iter().filter_map(|run| Some((run.seed, input.runs.record(&run.id)?)));
            self.found = (measured, trainings(records));
        }
        &self.found.1
    }
}

/// Draws the table; returns the chosen export of its figure.
fn stops_ui(ui: &mut Ui, trainings: &[Training]) -> Option<Wanted> {
    theme::heading_ui(ui, "Early-stop iteration")
        .on_hover_text("The iteration with the lowest validation loss of each training");
    if trainings.is_empty() {
        ui.label("No training has validation data: set Validation in the experiment's data, and run again.");
        return None;
    }
    let columns = ["Training", "Remaining", "Stops at iteration", "Test accuracy there", "Seeds"];
    grid_ui(ui, "early stops", [3.0, 0.5], &columns, |ui| {
        for training in trainings {
            ui.label(&training.place);
            number_ui(ui, text::percent(training.remaining));
            number_ui(ui, mean_and_deviation(&training.iterations(), 1.0, 0));
            let accuracy = mean_and_deviation(&training.accuracies(), 100.0, 2);
            number_ui(ui, if accuracy == "–" { accuracy } else { format!("{accuracy} %") });
            number_ui(ui, training.stops.len().to_string());
            ui.end_row();
        }
    });
    ui.add_space(theme::STEP);
    take_ui(ui, "early stops")
}
