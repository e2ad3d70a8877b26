//! Criteria for tickets, all arms side by side: the overlap of the masks of seeds, and the early stop of each training.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{RichText, ScrollArea, Ui, vec2};

use super::columns::fitted_grid_ui;
use super::loading::{LoadState, Loading};
use super::offer::{Offer, Offers, take_ui};
use super::round_slider::{HINT, position_ui};
use super::{Shared, View, ViewEntry, ViewInput, ViewResponse, nothing_ui, waiting_ui};
use crate::doc::Run;
use crate::figure::Figure;
use crate::figure::early_stops::{early_stops, layer_overlaps, overlaps};
use crate::gui::plot::{FigureView, figure_ui};
use crate::gui::runs::Runs;
use crate::gui::{text, theme};
use crate::results::early_stops::{Training, trainings};
use crate::results::number::fixed;
use crate::results::rounds::{level_text, rounds};
use crate::results::statistics::mean_and_deviation;
use crate::results::tickets::{LayerOverlap, MaskOverlap};
use crate::results::tiles::Group;
use crate::results::{RunRecord, RunState};
use crate::run::mask_overlaps;

/// The share of the height that the figure gets; the table is below it.
const FIGURE: f32 = 0.62;

/// An arm with its place among all arms, and what is known of it.
type OfArm<T> = (String, usize, Vec<T>);

/// Folder, and the finished runs of each arm.
type Seeds = (PathBuf, Vec<(String, Vec<String>)>);

/// What a run has measured so far: its identity, the number of points, and the time of the last one.
type Measured = (String, usize, Option<f64>);

/// The state of the view between frames.
#[derive(Default)]
pub struct Tickets {
    shown: Part,
    overlap: Loading<Seeds, Arc<Vec<OfArm<MaskOverlap>>>>,
    /// The moment of the overlap by layer; nothing for the last one.
    moment: Option<usize>,
    /// The last trainings, with the points that they come from.
    trainings: (Vec<Measured>, Vec<OfArm<Training>>),
    /// The figure of what is shown, with its view.
    figure: Option<Arc<Figure>>,
    view: FigureView,
}

/// What the view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Overlap,
    Layers,
    EarlyStops,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "tickets",
    title: "Tickets",
    group: Group::Weights,
    help: "Do the seeds of an arm find the same ticket, and when should each training have stopped? Overlap compares \
           the masks of the seeds of each arm: the Jaccard index is 1 for equal masks, and the dotted line is the \
           index of random masks that keep as many weights of each layer; above it, pruning finds the same weights \
           again. ± is the 95 % CI over pairs of seeds (Student's t), a guide only, since pairs share seeds. Where the \
           networks after each training were kept, a slider goes through the rounds layer by layer. A training should \
           stop where the loss on the validation data is lowest; a winning ticket gets there earlier than the dense \
           network, and is at least as accurate there. Masks need two finished seeds of an arm, early stops need \
           validation data.",
    make: || Box::<Tickets>::default(),
};

impl View for Tickets {
    fn has_data(&self, listed: &[Run], runs: &Runs) -> bool {
        let is_ticket = |record: &RunRecord| {
            record.is_done() && record.points().iter().any(|point| point.remaining < 1.0)
        };
        let mut arms = BTreeSet::new();
        let tickets = listed.iter().filter(|run| runs.record(&run.id).is_some_and(is_ticket));
        tickets.map(|run| run.arm_index).any(|arm| !arms.insert(arm)) // masks of two seeds can be compared
    }

    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, _shared: &mut Shared<'_>) -> Option<ViewResponse> {
        let before = self.shown;
        let wanted = ui.horizontal_wrapped(|ui| {
            let parts = [
                (Part::Overlap, "Overlap of masks", "How much the masks of an arm's seeds have in common"),
                (
                    Part::Layers,
                    "Overlap by layer",
                    "Where the masks agree: the same for each pruned layer, after any round whose networks were kept",
                ),
                (
                    Part::EarlyStops,
                    "Early stops",
                    "The iteration with the lowest validation loss of each training",
                ),
            ];
            for (part, name, help) in parts {
                let name = RichText::new(name).font(theme::medium(theme::BODY));
                ui.selectable_value(&mut self.shown, part, name).on_hover_text(help);
            }
            self.figure.is_some().then(|| take_ui(ui, "figure")).flatten()
        });
        if before != self.shown {
            (self.figure, self.view) = (None, FigureView::default());
        }
        let arms = arms_of(input.listed);
        match self.shown {
            Part::Overlap | Part::Layers => self.overlap_ui(ui, input, &arms),
            Part::EarlyStops => self.stops_ui(ui, input, &arms),
        }
        wanted.inner.map(ViewResponse::Take)
    }

    fn offers(&self) -> Offers {
        match (&self.figure, self.shown) {
            (Some(_), _) => Offers::Figure,
            (None, Part::Overlap | Part::Layers) => {
                Offers::Later("Tickets has no masks to compare: two seeds of an arm must be done")
            }
            (None, Part::EarlyStops) => {
                Offers::Later("Tickets has no early stop to draw: no training has validation data")
            }
        }
    }

    fn offer(&self) -> Option<Offer> {
        let shown = self.view.shown(self.figure.as_ref()?);
        let (name, title) = match self.shown {
            Part::Overlap => ("overlap", "overlap of masks"),
            Part::Layers => ("overlap-layers", "overlap of masks by layer"),
            Part::EarlyStops => ("early-stops", "early stops"),
        };
        Some(Offer::new(name.to_owned(), title.to_owned(), move || shown.clone()))
    }
}

/// The runs of each arm. The combinations of a sweep share the index of the arm, but not its name.
fn arms_of(listed: &[Run]) -> Vec<(&str, Vec<&Run>)> {
    let mut arms: Vec<(&str, Vec<&Run>)> = Vec::new();
    for run in listed {
        match arms.iter_mut().find(|(name, runs)| *name == run.arm && runs[0].arm_index == run.arm_index) {
            Some((_, runs)) => runs.push(run),
            None => arms.push((&run.arm, vec![run])),
        }
    }
    arms
}

/// Borrows what is known of each arm, as figures take it.
fn borrowed<T>(arms: &[OfArm<T>]) -> Vec<(&str, usize, &[T])> {
    arms.iter().map(|(name, place, known)| (name.as_str(), *place, known.as_slice())).collect()
}

impl Tickets {
    fn overlap_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, arms: &[(&str, Vec<&Run>)]) {
        let done = |runs: &[&Run]| -> Vec<String> {
            let done = runs.iter().filter(|run| input.runs.state(&run.id) == RunState::Done);
            done.map(|run| run.id.clone()).collect()
        };
        let seeds: Vec<(String, Vec<String>)> =
            arms.iter().map(|(name, runs)| ((*name).to_owned(), done(runs))).collect();
        if seeds.iter().all(|(_, done)| done.len() < 2) {
            return self.nothing(ui, "Masks can be compared when two seeds of an arm are done.");
        }
        let record =
            |(_, ids): &(String, Vec<String>)| ids.first().and_then(|id| input.runs.record(id)).cloned();
        let records: Vec<Option<RunRecord>> = seeds.iter().map(record).collect();
        let key = (input.results.to_owned(), seeds);
        let asked = key.clone();
        let read = move || {
            let arms = asked.1.iter().zip(&records).enumerate().map(|(place, ((name, ids), record))| {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                let trainings = record.as_ref().map(rounds).unwrap_or_default();
                (name.clone(), place, mask_overlaps(&asked.0, &ids, &trainings))
            });
            Ok(Arc::new(arms.collect()))
        };
        let found = match self.overlap.get(&key, ui.ctx(), read) {
            LoadState::Pending => {
                self.figure = None;
                return waiting_ui(ui);
            }
            LoadState::Failed(why) => {
                let why = format!("They cannot be compared: {why}.");
                return self.nothing(ui, &why);
            }
            LoadState::Ready(found) => found.clone(),
        };
        if found.iter().all(|(.., moments)| moments.is_empty()) {
            return self.nothing(ui, "No two finished seeds of an arm end with a mask.");
        }
        match self.shown {
            Part::Layers => self.layers_ui(ui, input, arms, &found),
            Part::Overlap | Part::EarlyStops => {
                self.figure_ui(ui, overlaps(&borrowed(&found)));
                ScrollArea::vertical().id_salt("overlaps").auto_shrink([false, false]).show(ui, |ui| {
                    fitted_grid_ui(ui, "overlaps", OVERLAP, &[3, 1], &overlap_rows(&found));
                });
            }
        }
    }

    /// Draws the overlap of each layer below a slider over the moments whose masks are there.
    fn layers_ui(
        &mut self,
        ui: &mut Ui,
        input: &ViewInput<'_>,
        arms: &[(&str, Vec<&Run>)],
        found: &[OfArm<MaskOverlap>],
    ) {
        let is_pruned =
            |run: &Run| input.runs.record(&run.id).is_some_and(|record| record.points().is_pruned());
        let moments = moments(found);
        let last = moments.len().saturating_sub(1);
        let mut at = self.moment.map_or(last, |moment| moment.min(last));
        if last > 0 {
            let names: Vec<&str> = moments.iter().map(|(_, name)| name.as_str()).collect();
            position_ui(ui, &names, &mut at);
            self.moment = (at < last).then_some(at);
        } else if arms.iter().flat_map(|(_, runs)| runs).any(|run| is_pruned(run)) {
            ui.label(RichText::new(HINT).small().weak());
        }
        let Some((moment, _)) = moments.get(at) else { return };
        let figure = layer_overlaps(&borrowed(found), moment);
        self.figure_ui(ui, figure);
        ScrollArea::vertical().id_salt("layers").auto_shrink([false, false]).show(ui, |ui| {
            fitted_grid_ui(ui, "layers", LAYERS, &[2], &layer_rows(found, moment));
        });
    }

    fn stops_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, arms: &[(&str, Vec<&Run>)]) {
        self.update_trainings(input, arms);
        if self.trainings.1.iter().all(|(.., trainings)| trainings.is_empty()) {
            let why =
                "No training has validation data: set Validation in the experiment's data, and run again.";
            return self.nothing(ui, why);
        }
        let figure = early_stops(&borrowed(&self.trainings.1));
        self.figure_ui(ui, figure);
        ScrollArea::vertical().id_salt("early stops").auto_shrink([false, false]).show(ui, |ui| {
            fitted_grid_ui(ui, "early stops", STOPS, &[5, 2, 4], &stop_rows(&self.trainings.1));
        });
    }

    fn nothing(&mut self, ui: &mut Ui, why: &str) {
        self.figure = None;
        nothing_ui(ui, ENTRY.help, why);
    }

    /// Draws the figure above the table.
    fn figure_ui(&mut self, ui: &mut Ui, figure: Figure) {
        if self.figure.as_deref() != Some(&figure) {
            self.view.forget_figure();
            self.figure = Some(Arc::new(figure));
        }
        let Some(figure) = &self.figure else { return };
        let space = vec2(ui.available_width(), (FIGURE * ui.available_height()).max(160.0));
        ui.allocate_ui(space, |ui| figure_ui(ui, figure, &mut self.view));
        ui.add_space(theme::STEP);
    }

    /// The trainings of all arms; they are computed again only after a change of the points.
    fn update_trainings(&mut self, input: &ViewInput<'_>, arms: &[(&str, Vec<&Run>)]) {
        let measured = |run: &&Run| -> Option<Measured> {
            let points = input.runs.record(&run.id)?.points();
            Some((run.id.clone(), points.len(), points.last().map(|point| point.secs)))
        };
        let measured: Vec<Measured> = arms.iter().flat_map(|(_, runs)| runs).filter_map(measured).collect();
        if self.trainings.0 != measured {
            let of = |(place, (name, runs)): (usize, &(&str, Vec<&Run>))| {
                let records = runs.iter().filter_map(|run| Some((run.seed, input.runs.record(&run.id)?)));
                ((*name).to_owned(), place, trainings(records))
            };
            self.trainings = (measured, arms.iter().enumerate().map(of).collect());
        }
    }
}

/// Headings of the table of overlaps with what they mean.
const OVERLAP: [(&str, &str); 6] = [
    ("Arm", "The arm whose seeds are compared"),
    ("Masks", "Final masks, those after a training, or those of a campaign within a round"),
    ("Remaining", "Share of the weights that remain, in the parameters that are pruned"),
    ("Pairs", "Pairs of seeds"),
    (
        "Jaccard ± 95 % CI",
        "Weights that survive in both masks over those that survive in either: mean over pairs of seeds, with the 95 % CI \
         over these pairs (Student's t). Pairs share seeds, so the interval is only a guide",
    ),
    (
        "By chance",
        "The index of random masks that keep as many weights of each layer: Σ ab/n over Σ (a + b − ab/n), where the masks \
         keep a and b of the n weights of a layer. With the same share r in all layers it is r/(2 − r)",
    ),
];

fn overlap_rows(arms: &[OfArm<MaskOverlap>]) -> Vec<[String; 6]> {
    let row = |arm: &str, overlap: &MaskOverlap| {
        [
            arm.to_owned(),
            overlap.moment.clone(),
            text::percent(overlap.remaining),
            overlap.indices.len().to_string(),
            jaccard_text(overlap),
            fixed(overlap.chance, 3),
        ]
    };
    arms.iter().flat_map(|(arm, _, overlaps)| overlaps.iter().map(|overlap| row(arm, overlap))).collect()
}

/// The moments of all arms in their order, each with what the slider says of it.
fn moments(arms: &[OfArm<MaskOverlap>]) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut all: Vec<&MaskOverlap> = arms.iter().flat_map(|(.., overlaps)| overlaps).collect();
    // The order of an arm, except that the end comes last for all.
    all.sort_by_key(|overlap| overlap.moment == "final");
    for overlap in all {
        if found.iter().all(|(known, _)| *known != overlap.moment) {
            let moment = overlap.moment.clone();
            let name = if moment == "final" { "final masks".to_owned() } else { moment.clone() };
            found.push((moment, format!("{name}, {} remaining", level_text(overlap.remaining))));
        }
    }
    found
}

/// Headings of the table of overlaps by layer with what they mean.
const LAYERS: [(&str, &str); 5] = [
    ("Arm", "The arm whose seeds are compared"),
    ("Parameter", "A parameter that is pruned in two seeds"),
    ("Pairs", "Pairs of seeds"),
    OVERLAP[4],
    (
        "By chance",
        "The index of random masks that keep as many weights of the layer: ab/n over a + b − ab/n, where the masks keep a \
         and b of its n weights",
    ),
];

fn layer_rows(arms: &[OfArm<MaskOverlap>], moment: &str) -> Vec<[String; 5]> {
    let row = |arm: &str, layer: &LayerOverlap| {
        let own = MaskOverlap { indices: layer.indices.clone(), ..MaskOverlap::default() };
        let pairs = layer.indices.len().to_string();
        [arm.to_owned(), layer.parameter.clone(), pairs, jaccard_text(&own), fixed(layer.chance, 3)]
    };
    let here = |(arm, _, overlaps): &OfArm<MaskOverlap>| {
        let own =
            overlaps.iter().filter(|overlap| overlap.moment == moment).flat_map(|overlap| &overlap.layers);
        own.map(|layer| row(arm, layer)).collect::<Vec<_>>()
    };
    arms.iter().flat_map(here).collect()
}

/// "0.317 ± 0.021".
fn jaccard_text(overlap: &MaskOverlap) -> String {
    let half = overlap.half_width().map_or_else(String::new, |half| format!(" ± {}", fixed(half, 3)));
    format!("{}{half}", fixed(overlap.mean(), 3))
}

/// Headings of the table of early stops with what they mean.
const STOPS: [(&str, &str); 6] = [
    ("Arm", "The arm"),
    ("Training", "The place of the training in the plan"),
    ("Remaining", "Share of the weights that remain"),
    (
        "Stops at (± SD)",
        "The iteration with the lowest validation loss: mean over seeds ± standard deviation",
    ),
    ("Test accuracy there (± SD)", "Mean over seeds ± standard deviation"),
    ("Seeds", "Seeds with this training"),
];

fn stop_rows(arms: &[OfArm<Training>]) -> Vec<[String; 6]> {
    let row = |arm: &str, training: &Training| {
        let accuracy = mean_and_deviation(&training.accuracies(), 100.0, 2);
        [
            arm.to_owned(),
            training.place.clone(),
            text::percent(training.remaining),
            mean_and_deviation(&training.iterations(), 1.0, 0),
            if accuracy == "–" { accuracy } else { format!("{accuracy} %") },
            training.stops.len().to_string(),
        ]
    };
    arms.iter().flat_map(|(arm, _, trainings)| trainings.iter().map(|training| row(arm, training))).collect()
}
