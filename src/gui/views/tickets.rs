//! What tickets are judged by: when each training should have stopped, and what the masks of an arm's seeds have in common.

use std::collections::BTreeMap;
use std::path::PathBuf;

use eframe::egui::{Grid, RichText, ScrollArea, Ui};

use super::loading::{LoadState, Loading};
use super::offer::{Offer, Offers, Wanted, take_ui};
use super::{Shared, View, ViewInput, ViewResponse, nothing_ui, number_ui, waiting_ui};
use crate::doc::Run;
use crate::figure::{Axis, Figure, Line, style_of};
use crate::gui::{text, theme};
use crate::results::statistics::{Spread, level, standard_deviation};
use crate::results::view::XAxis;
use crate::results::{EarlyStop, RunRecord, RunState};
use crate::run::{MaskOverlap, mask_overlap};

/// Folder and finished runs whose masks are compared.
type Seeds = (PathBuf, Vec<String>);

/// What the view keeps between frames.
#[derive(Default)]
pub struct Tickets {
    overlap: Loading<Seeds, Option<MaskOverlap>>,
    /// The trainings as they were found last, and in which points.
    found: (Vec<Said>, Vec<Training>),
    /// Whose they are.
    arm: String,
}

/// What a run has said by now: its identity, how many points, and when the last one.
type Said = (String, usize, Option<f64>);

/// A training of an arm, over its seeds.
#[derive(Clone, Debug, PartialEq)]
struct Training {
    place: String,
    /// Its place without the round: the rounds of one training make a line.
    series: String,
    remaining: f64,
    iterations: Vec<f64>,
    accuracies: Vec<f64>,
}

impl View for Tickets {
    const NAME: &'static str = "tickets";
    const TITLE: &'static str = "Tickets";
    const HELP: &'static str = "When each training of the selected arm should have stopped, and how much the masks of its seeds have \
         in common. A training should stop where the loss on the validation data is lowest; a winning ticket gets there \
         earlier than the dense network, and is at least as accurate there. The Jaccard index compares masks: 1 for equal \
         ones, about r/(2 − r) for independent ones with a share r left, so more than that means that pruning finds the \
         same weights again. Early stops can be exported as a figure over remaining weights. They need validation data, masks \
         two seeds of the arm that are done.";

    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, _shared: &mut Shared<'_>) -> Option<ViewResponse> {
        self.arm.clear();
        self.arm_ui(ui, input).map(ViewResponse::Take)
    }

    fn offers(&self) -> Offers {
        if self.arm.is_empty() {
            return Offers::Later("Tickets shows nothing yet: select an arm or a run");
        }
        if self.found.1.is_empty() {
            return Offers::Later("Tickets has no early stop to draw: no training was validated");
        }
        Offers::Figure
    }

    fn offer(&self) -> Option<Offer> {
        if self.offers() != Offers::Figure {
            return None;
        }
        let (arm, trainings) = (self.arm.clone(), self.found.1.clone());
        let title = format!("early stops of {arm}");
        Some(Offer::new("early-stops".to_owned(), title, move || figure(&arm, &trainings)))
    }
}

impl Tickets {
    /// Draws the view for the selected arm, or the arm of the selected run.
    fn arm_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>) -> Option<Wanted> {
        let selected = input.selection.run().and_then(|id| input.listed.iter().find(|run| run.id == *id));
        let of_arm = |arm: usize| input.listed.iter().find(|run| run.arm_index == arm);
        let Some(chosen) = selected.or_else(|| of_arm(input.selection.arm()?)) else {
            nothing_ui(ui, Self::HELP, "Select an arm or a run at the left.");
            return None;
        };
        // The combinations of a sweep share the arm's place, and have names of their own.
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
                let words = format!("Mean Jaccard index {:.3} over {pairs} of seeds", overlap.mean);
                ui.label(words).on_hover_text(
                    "Entries that survive in both masks over entries that survive in one of them: 1 for equal masks, about r/(2 − r) for independent ones with a share r left",
                );
            }
        }
    }
}

impl Tickets {
    /// The trainings of an arm; points are walked through again only where there are others.
    fn trainings(&mut self, input: &ViewInput<'_>, runs: &[&Run]) -> &[Training] {
        let said = |run: &&Run| -> Option<Said> {
            let points = input.runs.record(&run.id)?.points();
            Some((run.id.clone(), points.len(), points.last().map(|point| point.secs)))
        };
        let said: Vec<Said> = runs.iter().filter_map(said).collect();
        if self.found.0 != said {
            self.found = (said, trainings(input, runs));
        }
        &self.found.1
    }
}

/// The trainings of an arm that were validated, over its seeds, in the order of the plan.
fn trainings(input: &ViewInput<'_>, runs: &[&Run]) -> Vec<Training> {
    let mut order: Vec<String> = Vec::new();
    let mut found: BTreeMap<String, Training> = BTreeMap::new();
    let records = runs.iter().filter_map(|run| input.runs.record(&run.id));
    for stop in records.flat_map(RunRecord::early_stops) {
        let place = place_of(&stop);
        let training = found.entry(place.clone()).or_insert_with(|| {
            order.push(place.clone());
            let series = place_of(&EarlyStop { round: None, ..stop.clone() });
            let (iterations, accuracies) = (Vec::new(), Vec::new());
            Training { place, series, remaining: stop.remaining, iterations, accuracies }
        });
        training.iterations.push(stop.iteration as f64);
        training.accuracies.extend(stop.test_accuracy);
    }
    order.iter().filter_map(|place| found.remove(place)).collect()
}

fn place_of(stop: &EarlyStop) -> String {
    let place = super::reports::place_of(&stop.stage, stop.round);
    if stop.branch.is_empty() { place } else { format!("{place}, {}", stop.branch) }
}

/// Draws the table; what is wanted of its figure.
fn stops_ui(ui: &mut Ui, trainings: &[Training]) -> Option<Wanted> {
    theme::heading_ui(ui, "Early-stop iteration")
        .on_hover_text("The iteration of the lowest validation loss of each training, found afterwards");
    if trainings.is_empty() {
        ui.label("No training was validated: set Validation in the experiment's data, and run again.");
        return None;
    }
    let columns = ["Training", "Remaining", "Stops at iteration", "Test accuracy there", "Seeds"];
    Grid::new("early stops").striped(true).spacing([3.0 * theme::STEP, 0.5 * theme::STEP]).show(ui, |ui| {
        for column in columns {
            theme::heading_ui(ui, column);
        }
        ui.end_row();
        for training in trainings {
            ui.label(&training.place);
            number_ui(ui, text::percent(training.remaining));
            number_ui(ui, spread(&training.iterations, 1.0, 0));
            let accuracy = spread(&training.accuracies, 100.0, 2);
            number_ui(ui, if accuracy == "–" { accuracy } else { format!("{accuracy} %") });
            number_ui(ui, training.iterations.len().to_string());
            ui.end_row();
        }
    });
    ui.add_space(theme::STEP);
    take_ui(ui, "early stops")
}

/// The early-stop iteration over the weights that remain, its mean over seeds within a standard deviation: a line for the
/// rounds of each training.
fn figure(arm: &str, trainings: &[Training]) -> Figure {
    let mut series: Vec<&str> = Vec::new();
    for training in trainings {
        if !series.contains(&training.series.as_str()) {
            series.push(&training.series);
        }
    }
    let lines = series.iter().enumerate().map(|(index, own)| {
        let name = if series.len() == 1 { arm.to_owned() } else { format!("{arm}, {own}") };
        line(&name, index, trainings.iter().filter(|training| training.series == *own).collect())
    });
    let lines: Vec<Line> = lines.collect();
    let seeds = lines.iter().flat_map(|line| &line.counts).max().copied().unwrap_or_default();
    let has_band = lines.iter().any(|line| !line.band.is_empty());
    let band = if has_band { ", band: standard deviation" } else { "" };
    Figure {
        x: XAxis::Remaining.axis(),
        y: Axis::new("Early-stop iteration", ""),
        lines,
        note: format!("mean over {}{band}", text::counted(seeds as usize, "seed")),
        ..Figure::default()
    }
}

fn line(name: &str, index: usize, mut rounds: Vec<&Training>) -> Line {
    let mut line = Line::new(name, style_of(32 + index), Vec::new());
    rounds.sort_by(|a, b| b.remaining.total_cmp(&a.remaining));
    for training in rounds {
        let level = level(training.remaining, &training.iterations, Spread::StandardDeviation);
        line.points.push([level.x, level.mean]);
        line.counts.push(u32::try_from(level.n).unwrap_or(u32::MAX));
        line.band.extend(level.band_at(level.x));
    }
    line
}

/// Mean and standard deviation, times `scale`: `1250 ± 70`.
fn spread(values: &[f64], scale: f64, decimals: usize) -> String {
    if values.is_empty() {
        return "–".to_owned();
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64 * scale;
    match standard_deviation(values) {
        Some(deviation) => format!("{mean:.decimals$} ± {:.decimals$}", deviation * scale),
        None => format!("{mean:.decimals$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::statistics::Band;

    #[test]
    fn the_figure_goes_from_many_weights_to_few_with_the_spread_over_seeds() {
        let training = |series: &str, remaining: f64, iterations: &[f64]| Training {
            place: String::new(),
            series: series.to_owned(),
            remaining,
            iterations: iterations.to_vec(),
            accuracies: Vec::new(),
        };
        let rounds = [training("Stage 2", 0.5, &[100.0]), training("Stage 2", 1.0, &[200.0, 204.0, 208.0])];
        let control = training("Stage 2, control", 0.5, &[150.0]);
        let both = figure("ticket", &[rounds[0].clone(), control, rounds[1].clone()]);
        let names: Vec<_> = both.lines.iter().map(|line| (line.name.as_str(), line.points.len())).collect();
        assert_eq!(names, [("ticket, Stage 2", 2), ("ticket, Stage 2, control", 1)]);
        let figure = figure("ticket", &rounds);
        let line = &figure.lines[0];
        assert_eq!(
            (line.points.as_slice(), line.counts.as_slice()),
            (&[[1.0, 204.0], [0.5, 100.0]][..], &[3, 1][..])
        );
        assert_eq!(line.band, [Band { x: 1.0, low: 200.0, high: 208.0 }]);
        assert_eq!(figure.note, "mean over 3 seeds, band: standard deviation");
    }

    #[test]
    fn a_spread_is_that_of_the_sample() {
        assert_eq!(spread(&[100.0, 104.0, 108.0], 1.0, 0), "104 ± 4");
        assert_eq!(spread(&[0.9712], 100.0, 2), "97.12");
        assert_eq!(spread(&[], 1.0, 0), "–");
    }
}
