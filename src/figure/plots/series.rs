//! Turns the points of a record into the curves of a run.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::distinct;
use results::points::{iterations_per_epoch, iterations_trained};
use results::view::XAxis;
use results::{PointRef, RunRecord};

/// Identifies a curve of a run: the main branch, a branch, or a member of an ensemble.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// Empty for the main branch.
    pub branch: String,
    /// Counted from 1.
    pub member: Option<usize>,
}

impl Path {
    fn from_point(point: &PointRef<'_>) -> Self {
        Self { branch: point.branch.to_owned(), member: point.member }
    }

    fn is_of(&self, point: &PointRef<'_>) -> bool {
        // Comparing two empty strings is slow on some processors, since an empty `String` points nowhere.
        let is_main = self.branch.is_empty() && point.branch.is_empty();
        self.member == point.member && (is_main || self.branch == point.branch)
    }

    /// Returns the curve's name: arm, branch, member.
    pub fn name(&self, arm: &str) -> String {
        let mut name = arm.to_owned();
        if !self.branch.is_empty() {
            name = format!("{name} / {}", self.branch);
        }
        if let Some(member) = self.member {
            name = format!("{name} / member {member}");
        }
        name
    }
}

/// Aligns points of different seeds: a value, and a number among the points at that value (a network is tested before and
/// after pruning).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Value on the axis along which seeds are aligned.
    pub at: f64,
    /// Counted from 0.
    pub nth: u32,
}

/// One curve of one run; `places` and `points` have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub seed: u64,
    /// The place of its run among those of the line.
    pub place: usize,
    /// Its name among the curves of a line: "seed 3".
    pub run: String,
    /// The places at which points align with those of other seeds.
    pub places: Vec<Place>,
    /// `[x, y]` in the order of the axis.
    pub points: Vec<[f64; 2]>,
}

/// Returns the curves of a series in a record: the main branch, then branches in the order of the plan. Points of fault campaigns
/// belong to cells, not to curves.
pub fn curves(seed: u64, record: &RunRecord, series: &str, x: &XAxis) -> Vec<(Path, Curve)> {
    let in_curve =
        |point: &PointRef<'_>| point.rate.is_none() && point.bit.is_none() && point.layer.is_none();
    let along = if let XAxis::Series(name) = x { along(record, name) } else { BTreeMap::new() };
    let per_epoch = iterations_per_epoch(record.points());
    let mut found: Vec<(Path, Curve)> = Vec::new();
    let mut here = 0;
    for point in record.points().of(series).filter(in_curve) {
        // Most points have the same path as the one before.
        if !found.get(here).is_some_and(|(path, _)| path.is_of(&point)) {
            here = found.iter().position(|(path, _)| path.is_of(&point)).unwrap_or_else(|| {
                found.push((Path::from_point(&point), Curve { seed, ..Curve::default() }));
                found.len() - 1
            });
        }
        let (path, curve) = &mut found[here];
        let (at, x) = match x {
            // Lines by round are made from trainings; a curve goes over all of them.
            XAxis::Epoch | XAxis::Training => (point.trained, point.trained),
            XAxis::Iteration => {
                let trained = iterations_trained(&point, per_epoch);
                (trained, trained)
            }
            XAxis::Remaining => (point.remaining, point.remaining),
            // Runs differ in speed, so seeds are aligned by the amount of training.
            XAxis::Seconds => (point.trained, point.secs),
            XAxis::Clock => (point.trained, record.clock_secs(point.secs).unwrap_or(f64::NAN)),
            XAxis::Series(_) => (point.trained, before(along.get(path), point.trained)),
        };
        curve.push(at, [x, point.value]);
    }
    if *x == XAxis::Remaining {
        let unfinished = unfinished_level(record);
        for (_, curve) in &mut found {
            curve.keep_last_of_each_level();
            if let Some(level) = unfinished {
                curve.points.retain(|point| point[0] > level);
                curve.places.retain(|place| place.at > level);
            }
        }
    } else {
        for (_, curve) in &mut found {
            curve.put_in_order();
        }
    }
    put_in_order_of_plan(&mut found);
    found
}

/// Returns the level at which an unfinished run still trains, once it has pruned: a value in the middle of a training says nothing
/// about the level.
fn unfinished_level(record: &RunRecord) -> Option<f64> {
    if !record.state().is_partial() {
        return None;
    }
    let lowest = record.points().iter().map(|point| point.remaining).fold(1.0, f64::min);
    (lowest < 1.0).then_some(lowest)
}

/// Sorts the main branch first, then branches in order of appearance, and members by number.
pub fn put_in_order_of_plan<T>(paths: &mut [(Path, T)]) {
    let main = std::iter::once(String::new());
    let branches = distinct(main.chain(paths.iter().map(|(path, _)| path.branch.clone())));
    paths.sort_by_key(|(path, _)| (branches.iter().position(|branch| *branch == path.branch), path.member));
}

impl Place {
    pub fn order(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then(self.nth.cmp(&other.nth))
    }
}

impl Curve {
    /// Returns the point at a place; moves `next` past it. Calls must follow the order of the axis.
    pub fn take(&self, place: Place, next: &mut usize) -> Option<[f64; 2]> {
        let mut found = None;
        while self.places.get(*next).is_some_and(|own| own.order(&place).is_le()) {
            found = Some(self.points[*next]);
            *next += 1;
        }
        found
    }

    /// Adds a point at a place behind all others.
    pub fn push(&mut self, at: f64, point: [f64; 2]) {
        let nth = match self.places.last() {
            Some(last) if last.at.total_cmp(&at).is_eq() => last.nth + 1,
            _ => 0,
        };
        self.places.push(Place { at, nth });
        self.points.push(point);
    }

    /// Sorts the points, of which some may have been written twice after a crash.
    fn put_in_order(&mut self) {
        if self.places.is_sorted_by(|a, b| a.order(b).is_le()) {
            return;
        }
        let mut both: Vec<_> = self.places.iter().copied().zip(self.points.iter().copied()).collect();
        both.sort_by(|a, b| a.0.order(&b.0));
        (self.places, self.points) = both.into_iter().unzip();
    }

    /// Keeps the last point at each x and sorts by x.
    pub fn keep_last_of_each_level(&mut self) {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|&a, &b| self.points[a][0].total_cmp(&self.points[b][0]).then(a.cmp(&b)));
        let is_last = |(i, &here): (usize, &usize)| {
            let next = order.get(i + 1).map(|&next| self.points[next][0]);
            (next != Some(self.points[here][0])).then_some(self.points[here])
        };
        self.points = order.iter().enumerate().filter_map(is_last).collect();
        self.places = self.points.iter().map(|point| Place { at: point[0], nth: 0 }).collect();
    }
}

/// Returns the values of a series by the amount of training, in order.
fn along(record: &RunRecord, series: &str) -> BTreeMap<Path, Vec<[f64; 2]>> {
    let mut found: BTreeMap<Path, Vec<[f64; 2]>> = BTreeMap::new();
    for point in record.points().of(series) {
        found.entry(Path::from_point(&point)).or_default().push([point.trained, point.value]);
    }
    for values in found.values_mut() {
        values.sort_by(|a, b| a[0].total_cmp(&b[0]));
    }
    found
}

/// Returns the last value after this amount of training; NaN before the first.
fn before(values: Option<&Vec<[f64; 2]>>, trained: f64) -> f64 {
    let Some(values) = values else { return f64::NAN };
    let known = values.partition_point(|value| value[0] <= trained);
    known.checked_sub(1).map_or(f64::NAN, |last| values[last][1])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, branch, record};
    use super::*;
    use results::Point;

    #[test]
    fn the_main_branch_and_each_branch_have_a_curve() {
        let record = record([
            at("test_accuracy", 1.0, 0.5),
            branch("reinitialized", at("test_accuracy", 1.0, 0.25)),
            at("test_accuracy", 2.0, 0.75),
            at("test_loss", 2.0, 7.0),
        ]);
        let curves = curves(3, &record, "test_accuracy", &XAxis::Epoch);
        let names: Vec<_> = curves.iter().map(|(path, _)| path.name("ticket")).collect();
        assert_eq!(names, ["ticket", "ticket / reinitialized"]);
        let points: Vec<_> = curves.iter().map(|(_, curve)| curve.points.clone()).collect();
        assert_eq!(points, [vec![[1.0, 0.5], [2.0, 0.75]], vec![[1.0, 0.25]]]);
    }

    #[test]
    fn branches_follow_the_main_branch_in_the_order_of_the_plan() {
        let member = |number, point: Point| Point { member: Some(number), ..point };
        let record = record([
            branch("twin", at("test_accuracy", 1.0, 0.5)),
            member(2, branch("control", at("test_accuracy", 1.0, 0.5))),
            member(1, branch("control", at("test_accuracy", 1.0, 0.5))),
            at("test_accuracy", 2.0, 0.75),
        ]);
        let curves = curves(3, &record, "test_accuracy", &XAxis::Epoch);
        let names: Vec<_> = curves.iter().map(|(path, _)| path.name("a")).collect();
        assert_eq!(names, ["a", "a / twin", "a / control / member 1", "a / control / member 2"]);
    }

    #[test]
    fn two_values_at_the_same_place_stay_apart() {
        let record = record([at("test_accuracy", 1.0, 0.5), at("test_accuracy", 1.0, 0.25)]);
        let curves = curves(0, &record, "test_accuracy", &XAxis::Epoch);
        assert_eq!(curves[0].1.places, [Place { at: 1.0, nth: 0 }, Place { at: 1.0, nth: 1 }]);
    }

    #[test]
    fn cells_of_a_fault_campaign_are_no_curve() {
        let mut cell = at("test_accuracy", 1.0, 0.1);
        cell.rate = Some(1e-3);
        assert!(curves(0, &record([cell]), "test_accuracy", &XAxis::Epoch).is_empty());
    }

    #[test]
    fn over_remaining_weights_the_last_value_of_each_level_counts() {
        let mut points = Vec::new();
        for (trained, remaining, value) in
            [(1.0, 1.0, 0.5), (2.0, 1.0, 0.9), (2.0, 0.5, 0.3), (3.0, 0.5, 0.8)]
        {
            let mut point = at("test_accuracy", trained, value);
            point.remaining = remaining;
            points.push(point);
        }
        let curves = curves(0, &record(points), "test_accuracy", &XAxis::Remaining);
        assert_eq!(curves[0].1.points, [[0.5, 0.8], [1.0, 0.9]]);
    }

    #[test]
    fn over_another_series_a_point_has_its_last_value() {
        let record = record([
            at("test_accuracy", 0.5, 0.125),
            at("past_distance", 1.0, 8.0),
            at("test_accuracy", 1.0, 0.25),
            at("test_accuracy", 2.0, 0.5),
            at("past_distance", 3.0, 4.0),
            at("test_accuracy", 3.0, 0.75),
        ]);
        let curves = curves(0, &record, "test_accuracy", &XAxis::Series("past_distance".to_owned()));
        let points = &curves[0].1.points;
        assert!(points[0][0].is_nan());
        assert_eq!(points[1..], [[8.0, 0.25], [8.0, 0.5], [4.0, 0.75]]);
    }

    #[test]
    fn iterations_go_on_when_the_network_is_rewound() {
        let mut points = Vec::new();
        for (trained, epoch, iteration) in [(1.0, 1.0, 10), (2.0, 2.0, 20), (3.0, 1.0, 10)] {
            let mut point = at("test_accuracy", trained, 0.5);
            (point.epoch, point.iteration) = (epoch, iteration);
            points.push(point);
        }
        let curves = curves(0, &record(points), "test_accuracy", &XAxis::Iteration);
        let xs: Vec<_> = curves[0].1.points.iter().map(|point| point[0]).collect();
        assert_eq!(xs, [10.0, 20.0, 30.0]);
    }
}
