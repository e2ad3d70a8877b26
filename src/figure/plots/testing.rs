//! Records for tests, with numbers that fit in the head.

use std::sync::Arc;

use super::ArmRuns;
use crate::{Axis, Facets, Figure, Head, Line, Panel, style_of};
use doc::ClassNames;
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
    RunRecord::from_events(rate_events(cells, unprotected))
}

fn rate_events(cells: &[(f64, f64)], unprotected: &[(f64, f64)]) -> Vec<Event> {
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
    [Event::CampaignBegan(began)].into_iter().chain(protected).chain(bare).collect()
}

/// A run with a campaign of single faults in two layers.
pub fn single_faults(outcomes: Vec<Outcomes>) -> RunRecord {
    RunRecord::from_events(fault_events(outcomes))
}

fn fault_events(outcomes: Vec<Outcomes>) -> [Event; 2] {
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
    [Event::CampaignBegan(began), Event::CampaignCell(state)]
}

/// Three arms of a swept rate with three seeds each, whose results give every plot of the registry something to draw: three
/// trainings of six epochs with pruning between them, a past, two members, a line between networks, recorded weights, and
/// campaigns over rates and of single faults.
pub fn everything() -> Vec<ArmRuns> {
    const RATES: [&str; 3] = ["0.001", "0.01", "0.1"];
    let arm = |(index, rate): (usize, &&str)| {
        let name = format!("ticket, rate {rate}");
        let row = |seed: u64| {
            let last = 0.7 + 0.05 * index as f64 + 0.02 * seed as f64;
            let settings = [("plan", "ticket"), ("train.optimizer.rate", *rate)];
            Row {
                run: format!("{index} {seed}"),
                arm: name.clone(),
                arm_index: 0,
                seed,
                last: Some(last),
                best: Some(last + 0.01),
                remaining: Some(0.25),
                secs: 20.0 + seed as f64,
                classes: ClassNames::known(&["cat", "dog", "frog"]),
                settings: Arc::new(settings.map(|(path, value)| (path.to_owned(), value.to_owned())).into()),
                ..Row::default()
            }
        };
        let seeds = 1..=3_u64;
        ArmRuns {
            runs: seeds.clone().map(|seed| (seed, full_run(index as f64, seed as f64))).collect(),
            rows: seeds.map(|seed| Arc::new(row(seed))).collect(),
            ..self::arm(&name, index, [])
        }
    };
    RATES.iter().enumerate().map(arm).collect()
}

/// A run of [`everything`]; values differ by the place of the arm and by the seed.
fn full_run(arm: f64, seed: f64) -> RunRecord {
    let mut points = Vec::new();
    for (training, step) in (0..3_u8).flat_map(|training| (1..=6_u8).map(move |step| (training, step))) {
        let (pruned, epoch) = (f64::from(training), f64::from(step));
        let trained = 6.0 * pruned + epoch;
        let wave = 0.02 * (trained * (1.0 + 0.3 * seed)).sin();
        let high = 0.9 - 0.4 / epoch - 0.05 * pruned - 0.04 * arm + wave;
        let low = 0.4 + 2.0 / epoch + 0.1 * pruned + 0.2 * arm + 5.0 * wave;
        let values = [
            ("test_accuracy", high),
            ("train_loss", low),
            ("test_loss", 1.1 * low + 0.1),
            ("past_distance", 0.1 * low),
            ("past_kl", 0.01 * low),
            ("past_changed", 0.2 * (1.0 - high)),
            ("vote_accuracy", 0.5 * (1.0 + high)),
            ("member_distance", low),
            ("fc1.weight norm", 3.0 + low),
            ("fc2.weight norm", 1.0 + low),
        ];
        let classes = [high, 0.9 * high, 1.0 - 0.5 * high].map(Some).to_vec();
        let stage = training.to_string();
        let of = |point: Point| Point { stage: stage.clone(), ..left(0.5_f64.powf(pruned), point) };
        points.extend(values.map(|(series, value)| of(at(series, trained, value))));
        points.push(of(Point { classes, ..at("test_accuracy", trained, high) }));
        points.extend([1, 2].map(|member| {
            of(Point { member: Some(member), ..at("test_accuracy", trained, high - 0.03 * member as f64) })
        }));
    }
    for step in 0..=4_u8 {
        let along = f64::from(step) / 4.0;
        let bump = along * (1.0 - along) * (1.0 + 0.2 * seed + arm);
        for (series, value) in [("line_accuracy", 0.9 - bump), ("line_loss", 0.3 + 4.0 * bump)] {
            let stage = "9".to_owned();
            points.push(Point { along: Some(along), stage, ..at(series, 18.0, value) });
        }
    }
    let mut run = record(points);
    let outcomes = [(0, 30, 8), (0, 2, 1), (1, 30, 3), (1, 2, 0)].map(|(layer, bit, sdc1)| {
        let one = outcome(layer, bit, sdc1);
        Outcomes { trials: 20, tally: std::iter::repeat_n(one.tally, 20).sum(), ..one }
    });
    let of_rates = [(1e-6, 0.9 - 0.02 * seed), (1e-5, 0.8 - 0.02 * seed), (1e-4, 0.4 + 0.05 * arm)];
    let campaigns = rate_events(&of_rates, &[]).into_iter().chain(fault_events(outcomes.to_vec()));
    campaigns.for_each(|event| run.apply(event));
    run.apply(Event::Finished { secs: 20.0 + seed });
    run
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
