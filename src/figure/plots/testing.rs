//! Records for tests, with numbers that fit in the head.

use super::ArmRuns;
pub use super::campaigns::testing::{outcome, rates, single_faults};
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
    RunRecord::of(points.into_iter().map(Event::Point))
}

/// An arm whose runs have the seeds 1, 2, and so on.
pub fn arm<'a>(name: &str, colour: usize, runs: impl IntoIterator<Item = &'a RunRecord>) -> ArmRuns<'a> {
    ArmRuns { name: name.to_owned(), colour, runs: (1..).zip(runs).collect(), ..ArmRuns::default() }
}
