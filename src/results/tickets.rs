//! The overlap of the masks of an arm's seeds.

use super::event::place_of;
use super::statistics::{Spread, level};
use super::{EarlyStop, RunRecord, by_key};

/// Overlap of the masks of several runs at one moment, pair by pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaskOverlap {
    /// When: "final", or "round 3".
    pub moment: String,
    /// Share of the weights that remain in the compared parameters, in [0, 1]; mean over pairs.
    pub remaining: f64,
    /// The Jaccard index of each pair, over the parameters that both prune.
    pub indices: Vec<f64>,
    /// The index of random masks that keep as many weights of each parameter; mean over pairs.
    pub chance: f64,
    /// The same of single parameters, in the order of their names.
    pub layers: Vec<LayerOverlap>,
}

/// Overlap of the masks of several runs in one parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerOverlap {
    /// Torch's name, such as `fc1.weight`.
    pub parameter: String,
    /// The Jaccard index of each pair in which both prune it.
    pub indices: Vec<f64>,
    /// The index of random masks that keep as many of its weights; mean over pairs.
    pub chance: f64,
}

impl MaskOverlap {
    /// Returns the mean over the pairs.
    pub fn mean(&self) -> f64 {
        level(0.0, &self.indices, Spread::None).mean
    }

    /// Returns half of the 95 % CI of the mean over pairs (Student's t); none for one pair. Pairs share seeds, so it is only a
    /// guide.
    pub fn half_width(&self) -> Option<f64> {
        let level = level(0.0, &self.indices, Spread::Interval95);
        level.band.map(|band| (band.high - band.low) / 2.0)
    }
}

/// A training of an arm, over its seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// Its place in the plan: `Stage 3.1, round 3`.
    pub place: String,
    /// Its place without the round: the rounds of one training make a line.
    pub series: String,
    /// Share of the prunable weights that remained, in [0, 1]; of the first seed.
    pub remaining: f64,
    /// Seed by seed, where it should have stopped.
    pub stops: Vec<(u64, EarlyStop)>,
}

impl Training {
    /// Returns where its seeds should have stopped.
    pub fn iterations(&self) -> Vec<f64> {
        self.stops.iter().map(|(_, stop)| stop.iteration as f64).collect()
    }

    /// Returns the test accuracies there, in [0, 1], of those that were tested.
    pub fn accuracies(&self) -> Vec<f64> {
        self.stops.iter().filter_map(|(_, stop)| stop.test_accuracy).collect()
    }
}

/// Returns the trainings of an arm that were validated, in the order of the plan. `runs` are its seeds.
pub fn trainings<'a>(runs: impl IntoIterator<Item = (u64, &'a RunRecord)>) -> Vec<Training> {
    let stops = runs.into_iter().flat_map(|(seed, record)| {
        let keyed = move |stop: EarlyStop| (place_of(&stop.stage, stop.round, &stop.branch), (seed, stop));
        record.early_stops().into_iter().map(keyed)
    });
    let training = |(place, stops): (String, Vec<(u64, EarlyStop)>)| {
        let first = &stops[0].1;
        let (series, remaining) = (place_of(&first.stage, None, &first.branch), first.remaining);
        Training { place, series, remaining, stops }
    };
    by_key(stops).into_iter().map(training).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Point};

    #[test]
    fn the_interval_over_pairs_is_students() {
        let overlap = MaskOverlap { indices: vec![0.25, 0.5, 0.75], ..MaskOverlap::default() };
        assert_eq!(overlap.mean(), 0.5);
        // t(2) = 4.3027, standard error 0.25/√3.
        assert!((overlap.half_width().unwrap() - 4.3027 * 0.25 / 3.0_f64.sqrt()).abs() < 1e-4);
        assert_eq!(MaskOverlap { indices: vec![0.25], ..MaskOverlap::default() }.half_width(), None);
    }

    #[test]
    fn the_seeds_of_a_training_come_together_in_the_order_of_the_plan() {
        let point = |series: &str, round: u64, iteration: u64, value: f64| {
            let (series, stage) = (series.to_owned(), "1.0".to_owned());
            let round = Some(round);
            Event::Point(Point { series, stage, round, iteration, value, remaining: 0.5, ..Point::default() })
        };
        let record = |best: u64| {
            let of_round = |round: u64| {
                [
                    point("train_loss", round, 1, 1.0),
                    point("validation_loss", round, best, 0.25),
                    point("test_accuracy", round, best, 0.75),
                    point("validation_loss", round, best + 1, 0.5),
                ]
            };
            RunRecord::from_events([1, 2].into_iter().flat_map(of_round))
        };
        let found = trainings([(7, &record(10)), (8, &record(30))]);
        let places: Vec<_> = found.iter().map(|training| training.place.as_str()).collect();
        assert_eq!(places, ["Stage 2.1, round 1", "Stage 2.1, round 2"]);
        assert_eq!(found[0].series, "Stage 2.1");
        assert_eq!((found[1].iterations(), found[1].accuracies()), (vec![10.0, 30.0], vec![0.75, 0.75]));
        assert_eq!(found[0].stops[1].0, 8);
    }
}
