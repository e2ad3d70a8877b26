//! Criteria for tickets, all arms side by side: the overlap of the masks of seeds, and the early stop of each training.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Align, Layout, ScrollArea, Ui, vec2};

use super::network_at_end::{hint_ui, keeps_rounds, position_ui};
use super::offer::{Offer, Offers};
use super::{Request, Shared, View, ViewEntry, ViewInput, loaded_ui, nothing_ui, parts_ui};
use crate::background::Latest;
use crate::plot::{FigureView, figure_ui};
use crate::runs::Runs;
use crate::table::{Column, texts_ui};
use crate::{text, theme};
use doc::Run;
use figure::Figure;
use figure::early_stops::{early_stops, layer_overlaps, overlaps};
use results::number::{fixed, plus_minus};
use results::rounds::{level_text, rounds};
use results::statistics::mean_and_deviation;
use results::tickets::{LayerOverlap, MaskOverlap, Training, trainings};
use results::tiles::Group;
use results::{RunRecord, by_key};
use run::mask_overlaps;

/// The share of the width or of the height that the figure gets; the table has the rest.
const FIGURE: f32 = 0.62;
/// The table is beside the figure from this width on, and where the tile is so many times as wide as it is high.
const BESIDE: [f32; 2] = [760.0, 1.8];

/// An arm with its place among all arms, and what is known of it.
type OfArm<T> = (String, usize, Vec<T>);

/// Folder, and the runs of each arm with masks: those that are done, and those that keep rounds with the number of their
/// steps so far.
type Seeds = (PathBuf, Vec<(String, Vec<(String, usize)>)>);

/// The overlaps of all arms.
type Overlaps = Arc<Vec<OfArm<MaskOverlap>>>;

/// The measurements of a run so far: its identity, the number of points, and the time of the last one.
type Measured = (String, usize, Option<f64>);

/// The state of the view between frames.
#[derive(Default)]
pub struct Tickets {
    shown: Part,
    overlap: Latest<Seeds, Overlaps>,
    /// The moment of the overlap by layer; nothing for the last one.
    moment: Option<usize>,
    /// The last trainings, with the points that they come from.
    trainings: (Vec<Measured>, Arc<Vec<OfArm<Training>>>),
    /// The figure of what is shown, and what it was made of, with its view.
    figure: Option<(Source, Arc<Figure>)>,
    view: FigureView,
}

/// The part of the view that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Overlap,
    Layers,
    EarlyStops,
}

/// What a figure and its table are made of.
enum Source {
    Overlap(Overlaps),
    /// At this moment.
    Layers(Overlaps, String),
    EarlyStops(Arc<Vec<OfArm<Training>>>),
}

impl Source {
    /// Returns true if they are the same values, and not only equal ones.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Overlap(own), Self::Overlap(other)) => Arc::ptr_eq(own, other),
            (Self::Layers(own, moment), Self::Layers(other, of_other)) => {
                Arc::ptr_eq(own, other) && moment == of_other
            }
            (Self::EarlyStops(own), Self::EarlyStops(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }

    fn figure(&self) -> Figure {
        match self {
            Self::Overlap(arms) => overlaps(&borrowed(arms)),
            Self::Layers(arms, moment) => layer_overlaps(&borrowed(arms), moment),
            Self::EarlyStops(arms) => early_stops(&borrowed(arms)),
        }
    }

    fn table_ui(&self, ui: &mut Ui) {
        match self {
            Self::Overlap(arms) => overlaps_ui(ui, arms),
            Self::Layers(arms, moment) => layer_overlaps_ui(ui, arms, moment),
            Self::EarlyStops(arms) => early_stops_ui(ui, arms),
        }
    }
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
        let is_ticket = |record: &RunRecord| record.is_done() && record.points().is_pruned();
        let mut arms = BTreeSet::new();
        let tickets = listed.iter().filter(|run| runs.record(&run.id).is_some_and(is_ticket));
        tickets.map(|run| run.arm_index).any(|arm| !arms.insert(arm)) // masks of two seeds can be compared
    }

    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, _shared: &mut Shared<'_>) -> Option<Request> {
        let before = self.shown;
        let by_layer =
            "Where the masks agree: the same for each pruned layer, after any round whose networks were kept";
        let stops = "The iteration with the lowest validation loss of each training";
        let parts = [
            (Part::Overlap, "Overlap of masks", "How much the masks of an arm's seeds have in common"),
            (Part::Layers, "Overlap by layer", by_layer),
            (Part::EarlyStops, "Early stops", stops),
        ];
        ui.horizontal_wrapped(|ui| parts_ui(ui, &mut self.shown, &parts));
        if before != self.shown {
            (self.figure, self.view) = (None, FigureView::default());
        }
        let arms = arms_of(input.listed);
        match self.shown {
            Part::Overlap | Part::Layers => self.overlap_ui(ui, input, &arms),
            Part::EarlyStops => self.stops_ui(ui, input, &arms),
        }
        None
    }

    fn offers(&self) -> Offers {
        let no_masks = "Tickets has no masks to compare: two seeds of an arm must be done";
        let no_stop = "Tickets has no early stop to draw: no training has validation data";
        let (name, title, lack) = match self.shown {
            Part::Overlap => ("overlap", "overlap of masks", no_masks),
            Part::Layers => ("overlap-layers", "overlap of masks by layer", no_masks),
            Part::EarlyStops => ("early-stops", "early stops", no_stop),
        };
        let Some((_, figure)) = &self.figure else { return Offers::Later(lack) };
        Offers::Figure(Offer::visible(name.to_owned(), title.to_owned(), &self.view, figure))
    }
}

/// Returns the runs of each arm. The combinations of a sweep share the index of the arm, but not its name.
fn arms_of(listed: &[Run]) -> Vec<(&str, Vec<&Run>)> {
    let arms = by_key(listed.iter().map(|run| ((run.arm.as_str(), run.arm_index), run)));
    arms.into_iter().map(|((name, _), runs)| (name, runs)).collect()
}

/// Borrows what is known of each arm, as figures take it.
fn borrowed<T>(arms: &[OfArm<T>]) -> Vec<(&str, usize, &[T])> {
    arms.iter().map(|(name, place, known)| (name.as_str(), *place, known.as_slice())).collect()
}

impl Tickets {
    fn overlap_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, arms: &[(&str, Vec<&Run>)]) {
        let steps = |run: &Run| input.runs.record(&run.id).map_or(0, |record| record.steps().len());
        let has_masks = |run: &&&Run| input.runs.is_done(&run.id) || keeps_rounds(run, input.runs);
        let of_arm = |(name, runs): &(&str, Vec<&Run>)| -> (String, Vec<(String, usize)>) {
            let ids = runs.iter().filter(has_masks).map(|run| (run.id.clone(), steps(run)));
            ((*name).to_owned(), ids.collect())
        };
        let seeds: Vec<_> = arms.iter().map(of_arm).collect();
        if seeds.iter().all(|(_, ids)| ids.len() < 2) {
            return self.nothing(ui, "Masks can be compared when two seeds of an arm are done.");
        }
        let key = (input.results.to_owned(), seeds);
        let is_known = self.overlap.last().is_some_and(|(known, _)| *known == key);
        // The names of the trainings are those of the seed that is ahead of the others.
        let record = |(_, ids): &(String, Vec<(String, usize)>)| {
            let first = ids.iter().rev().max_by_key(|(_, steps)| *steps).filter(|_| !is_known);
            first.and_then(|(id, _)| input.runs.record(id)).cloned()
        };
        let records: Vec<Option<RunRecord>> = key.1.iter().map(record).collect();
        let asked = key.clone();
        let read = move || {
            let arms = asked.1.iter().zip(&records).enumerate().map(|(place, ((name, ids), record))| {
                let ids: Vec<&str> = ids.iter().map(|(id, _)| id.as_str()).collect();
                let trainings = record.as_ref().map(rounds).unwrap_or_default();
                (name.clone(), place, mask_overlaps(&asked.0, &ids, &trainings))
            });
            Ok(Arc::new(arms.collect()))
        };
        let words = (ENTRY.help, "They cannot be compared");
        // While runs go on, the last masks stay until new ones are read.
        let is_same = |known: &Seeds| known.0 == key.0;
        let Some((_, found)) = loaded_ui(ui, words, &mut self.overlap, &key, read, is_same) else {
            return self.figure = None;
        };
        let found = found.clone();
        if found.iter().all(|(.., moments)| moments.is_empty()) {
            return self.nothing(ui, "No two finished seeds of an arm end with a mask.");
        }
        match self.shown {
            Part::Layers => self.layers_ui(ui, input, arms, &found),
            Part::Overlap | Part::EarlyStops => {
                if found.iter().all(|(.., moments)| moments.len() < 2) && has_rounds(input, arms) {
                    hint_ui(ui);
                }
                self.figure_ui(ui, Source::Overlap(found));
            }
        }
    }

    /// Draws the overlap of each layer below a slider over the moments whose masks are there.
    fn layers_ui(
        &mut self,
        ui: &mut Ui,
        input: &ViewInput<'_>,
        arms: &[(&str, Vec<&Run>)],
        found: &Overlaps,
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
            hint_ui(ui);
        }
        let Some((moment, _)) = moments.get(at) else { return };
        self.figure_ui(ui, Source::Layers(found.clone(), moment.clone()));
    }

    fn stops_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, arms: &[(&str, Vec<&Run>)]) {
        self.update_trainings(input, arms);
        if self.trainings.1.iter().all(|(.., trainings)| trainings.is_empty()) {
            let why =
                "No training has validation data: set Validation in the experiment's data, and run again.";
            return self.nothing(ui, why);
        }
        self.figure_ui(ui, Source::EarlyStops(self.trainings.1.clone()));
    }

    fn nothing(&mut self, ui: &mut Ui, why: &str) {
        self.figure = None;
        nothing_ui(ui, ENTRY.help, why);
    }

    /// Draws the figure with its table below it, or beside it in a wide tile. An equal figure keeps what is known of it.
    fn figure_ui(&mut self, ui: &mut Ui, source: Source) {
        if self.figure.as_ref().is_none_or(|(known, _)| !known.is(&source)) {
            let figure = source.figure();
            let last = self.figure.take().map(|(_, last)| last).filter(|last| **last == figure);
            if last.is_none() {
                self.view.forget_figure();
            }
            self.figure = Some((source, last.unwrap_or_else(|| Arc::new(figure))));
        }
        let Some((source, figure)) = &self.figure else { return };
        let (space, view) = (ui.available_size(), &mut self.view);
        let is_wide = space.x > BESIDE[0] && space.x > BESIDE[1] * space.y;
        let share = if is_wide { vec2(FIGURE, 1.0) } else { vec2(1.0, FIGURE) };
        let layout = if is_wide { Layout::left_to_right(Align::Min) } else { Layout::top_down(Align::Min) };
        ui.with_layout(layout, |ui| {
            ui.allocate_ui(space * share, |ui| ui.vertical(|ui| figure_ui(ui, figure, view)));
            ui.add_space(theme::STEP);
            let id = ui.scope_id().with("table");
            ui.vertical(|ui| {
                let area = ScrollArea::vertical().id_salt(id).auto_shrink([false, false]);
                area.show(ui, |ui| source.table_ui(ui));
            });
        });
    }

    /// Updates the trainings of all arms; they are computed again only after a change of the points.
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
            self.trainings = (measured, Arc::new(arms.iter().enumerate().map(of).collect()));
        }
    }
}

/// Returns true if a run prunes in several rounds, whose networks could be kept.
fn has_rounds(input: &ViewInput<'_>, arms: &[(&str, Vec<&Run>)]) -> bool {
    let mut records = arms.iter().flat_map(|(_, runs)| runs).filter_map(|run| input.runs.record(&run.id));
    records.any(|record| {
        let pruned = rounds(record).into_iter().filter(|round| round.remaining < 1.0);
        pruned.map(|round| level_text(round.remaining)).collect::<BTreeSet<_>>().len() > 1
    })
}

/// Returns all that is known of the arms, each with the name of its arm.
fn each<T>(arms: &[OfArm<T>]) -> impl Iterator<Item = (&str, &T)> {
    arms.iter().flat_map(|(arm, _, known)| known.iter().map(move |one| (arm.as_str(), one)))
}

/// Returns the moments of all arms in their order, each with its name beside the slider.
fn moments(arms: &[OfArm<MaskOverlap>]) -> Vec<(String, String)> {
    let mut all: Vec<&MaskOverlap> = each(arms).map(|(_, overlap)| overlap).collect();
    // The order of an arm, except that the end comes last for all.
    all.sort_by_key(|overlap| overlap.moment == "final");
    let named = |(moment, overlaps): (&String, Vec<&MaskOverlap>)| {
        let name = if moment == "final" { "final masks" } else { moment };
        (moment.clone(), format!("{name}, {} remaining", level_text(overlaps[0].remaining)))
    };
    by_key(all.into_iter().map(|overlap| (&overlap.moment, overlap))).into_iter().map(named).collect()
}

/// The definition of the index.
const JACCARD: &str = "Weights that survive in both masks over those that survive in either: mean over pairs of seeds, with the \
    95 % CI over these pairs (Student's t). Pairs share seeds, so the interval is only a guide";

/// Draws a row for each arm and moment.
fn overlaps_ui(ui: &mut Ui, arms: &[OfArm<MaskOverlap>]) {
    let chance = "The index of random masks that keep as many weights of each layer: Σ ab/n over Σ (a + b − ab/n), where \
                  the masks keep a and b of the n weights of a layer. With the same share r in all layers it is r/(2 − r)";
    let columns = vec![
        Column::text("Arm", "The arm whose seeds are compared"),
        Column::text("Masks", "Final masks, those after a training, or those of a campaign within a round")
            .leaves(1),
        Column::number("Remaining", "Share of the weights that remain, in the parameters that are pruned"),
        Column::number("Pairs", "Pairs of seeds").leaves(0),
        Column::number("Jaccard ± 95 % CI", JACCARD),
        Column::number("By chance", chance),
    ];
    let row = |(arm, overlap): (&str, &MaskOverlap)| {
        let (remaining, pairs) = (text::percent(overlap.remaining), overlap.indices.len().to_string());
        let index = jaccard_text(overlap);
        [arm.to_owned(), overlap.moment.clone(), remaining, pairs, index, fixed(overlap.chance, 3)]
    };
    let rows: Vec<[String; 6]> = each(arms).map(row).collect();
    texts_ui(ui, "overlaps", columns, &rows, |_, _| String::new());
}

/// Draws a row for each arm and layer at a moment.
fn layer_overlaps_ui(ui: &mut Ui, arms: &[OfArm<MaskOverlap>], moment: &str) {
    let chance = "The index of random masks that keep as many weights of the layer: ab/n over a + b − ab/n, where the masks \
                  keep a and b of its n weights";
    let columns = vec![
        Column::text("Arm", "The arm whose seeds are compared"),
        Column::text("Parameter", "A parameter that is pruned in two seeds"),
        Column::number("Pairs", "Pairs of seeds").leaves(0),
        Column::number("Jaccard ± 95 % CI", JACCARD),
        Column::number("By chance", chance),
    ];
    let row = |arm: &str, layer: &LayerOverlap| {
        let own = MaskOverlap { indices: layer.indices.clone(), ..MaskOverlap::default() };
        let pairs = layer.indices.len().to_string();
        [arm.to_owned(), layer.parameter.clone(), pairs, jaccard_text(&own), fixed(layer.chance, 3)]
    };
    let here = each(arms).filter(|(_, overlap)| overlap.moment == moment);
    let rows = here.flat_map(|(arm, overlap)| overlap.layers.iter().map(move |layer| row(arm, layer)));
    texts_ui(ui, "layers", columns, &rows.collect::<Vec<_>>(), |_, _| String::new());
}

/// Returns "0.317 ± 0.021".
fn jaccard_text(overlap: &MaskOverlap) -> String {
    let half = overlap.half_width().map(|half| plus_minus(half, &fixed(half, 3)));
    let half = half.map_or_else(String::new, |half| format!(" {half}"));
    format!("{}{half}", fixed(overlap.mean(), 3))
}

/// Draws a row for each arm and training.
fn early_stops_ui(ui: &mut Ui, arms: &[OfArm<Training>]) {
    let stops = "The iteration with the lowest validation loss: mean over seeds ± standard deviation";
    let columns = vec![
        Column::text("Arm", "The arm"),
        Column::text("Training", "The place of the training in the plan"),
        Column::number("Remaining", "Share of the weights that remain").leaves(1),
        Column::number("Stops at (± SD)", stops),
        Column::number("Test accuracy there (± SD)", "Mean over seeds ± standard deviation").leaves(2),
        Column::number("Seeds", "Seeds with this training").leaves(0),
    ];
    let row = |(arm, training): (&str, &Training)| {
        let (place, remaining) = (training.place.clone(), text::percent(training.remaining));
        let stop = mean_and_deviation(&training.iterations(), 1.0, 0);
        let accuracy = mean_and_deviation(&training.accuracies(), 100.0, 2);
        let accuracy = if accuracy == "–" { accuracy } else { format!("{accuracy} %") };
        [arm.to_owned(), place, remaining, stop, accuracy, training.stops.len().to_string()]
    };
    let rows: Vec<[String; 6]> = each(arms).map(row).collect();
    texts_ui(ui, "early stops", columns, &rows, |_, _| String::new());
}
