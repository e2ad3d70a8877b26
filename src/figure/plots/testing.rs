//! Records for tests, with numbers that fit in the head.

use std::sync::Arc;

use super::ArmRuns;
use crate::{Axis, Facets, Figure, Head, Line, Panel, style_of};
use doc::fault::{CellPlan, Protect};
use results::campaign::{CampaignBegan, CellState, Estimate, Outcomes, Tally};
use results::facets::FacetAxes;
use results::table::Row;
use results::{Event, Point, RunRecord};

/// A point of the main branch after `trained` epochs of ten mini-batches and one second each, without pruning.
pub fn at(series: &str, trained: f64, value: f64) -> Point {
    Point {
        series: series.to_owned(),
        value,
        stage: "0".to_owned(),
        epoch: trained,
        iteration: (trained * 10.0) as u64,
        trained,
        remaining: 1.0,
        secs: trained,
        ..Point::default()
    }
}

pub fn branch(name: &str, point: Point) -> Point {
    Point { branch: name.to_owned(), ..point }
}

/// The same point with this share of weights left.
pub fn left(remaining: f64, point: Point) -> Point {
    Point { remaining, ..point }
}

pub fn record(points: impl IntoIterator<Item = Point>) -> RunRecord {
    RunRecord::from_events(points.into_iter().map(Event::Point))
}

/// An arm whose runs have the seeds 1, 2, and so on.
pub fn arm<'a>(name: &str, colour: usize, runs: impl IntoIterator<Item = &'a RunRecord>) -> ArmRuns {
    let runs = (1..).zip(runs.into_iter().cloned()).collect();
    ArmRuns { name: name.to_owned(), colour, runs, ..ArmRuns::default() }
}

/// Copies of these rows.
pub fn rows<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Arc<Row>> {
    rows.into_iter().cloned().map(Arc::new).collect()
}

/// Ten images, of which `sdc1` got another class, and the others did not change.
pub fn outcome(layer: usize, bit: u32, sdc1: u64) -> Outcomes {
    let tally = Tally { images: 10, masked: 10 - sdc1, sdc1, sdc5: sdc1 / 2, ..Tally::default() };
    Outcomes { layer, bit: Some(bit), trials: 1, tally }
}

/// A run with a campaign over rates; each rate has an accuracy with an interval of ± 0.125.
pub fn rates(cells: &[(f64, f64)], unprotected: &[(f64, f64)]) -> RunRecord {
    let plan = |(rate, _): &(f64, f64)| CellPlan { rate: Some(*rate), ..CellPlan::default() };
    let began = CampaignBegan {
        stage: "2".to_owned(),
        cells: cells.iter().map(plan).collect(),
        golden_accuracy: 0.875,
        protect: if unprotected.is_empty() { Protect::Nothing } else { Protect::Clip },
        ..CampaignBegan::default()
    };
    let state = |unprotected: bool| {
        move |(cell, (_, value)): (usize, &(f64, f64))| {
            let accuracy = Estimate { value: *value, low: value - 0.125, high: value + 0.125 };
            Event::CampaignCell(CellState {
                cell,
                unprotected,
                trials: 100,
                accuracy,
                ..CellState::default()
            })
        }
    };
    let protected = cells.iter().enumerate().map(state(false));
    let bare = unprotected.iter().enumerate().map(state(true));
    RunRecord::from_events([Event::CampaignBegan(began)].into_iter().chain(protected).chain(bare))
}

/// A run with a campaign of single faults in two layers.
pub fn single_faults(outcomes: Vec<Outcomes>) -> RunRecord {
    let layers = vec!["fc1".to_owned(), "fc2".to_owned()];
    let began = CampaignBegan {
        layers,
        layer_entries: vec![6400, 10],
        confidence: 0.95,
        cells: vec![CellPlan::default()],
        ..CampaignBegan::default()
    };
    let trials = outcomes.iter().map(|outcome| outcome.trials).sum();
    let state = CellState { trials, outcomes, ..CellState::default() };
    RunRecord::from_events([Event::CampaignBegan(began), Event::CampaignCell(state)])
}

/// Draws two arms in panels for these batch sizes; the accuracies of the nth panel reach n tenths higher.
pub fn by_batch(sizes: &[u32], axes: FacetAxes) -> Figure {
    let head = |size: &u32| Head { label: "batch size".to_owned(), value: size.to_string() };
    let line = |name: &str, index: usize, y: f64| {
        Line::new(name, style_of(index), vec![[0.0, y], [5.0, y + 0.05], [10.0, y + 0.1]])
    };
    let figure = |nth: usize| Figure {
        x: Axis::new("Epochs trained", ""),
        y: Axis::percent("Test accuracy"),
        lines: vec![line("dense", 0, 0.1 * nth as f64), line("winning ticket", 1, 0.1 * nth as f64 + 0.2)],
        ..Figure::default()
    };
    let panel = |(nth, size): (usize, &u32)| Panel {
        place: [0, nth],
        values: vec![size.to_string()],
        figure: Arc::new(figure(nth)),
    };
    let facets = Facets {
        keys: vec!["train.batch".to_owned()],
        columns: sizes.iter().map(head).collect(),
        panels: sizes.iter().enumerate().map(panel).collect(),
        axes,
        ..Facets::default()
    };
    let lines = figure(0).lines.iter().map(|line| Line::new(&line.name, line.style, Vec::new())).collect();
    Figure { lines, facets: Some(facets), ..figure(0) }
}
