//! Past networks, and the distance between the answers of two networks to the same samples.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use doc::intervention::Watch as Settings;
use net::{LossFunction, Network, bits, top1};
use results::weights::l2_norm;

/// The past networks, and their answers since the last evaluation.
///
/// The ring is the only memory: clones share their arrays with the network that they were, and `lag` of them are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch<N = Network> {
    /// Its settings.
    pub settings: Settings,
    /// Networks before each of the last `lag` updates, the oldest first.
    pub past: VecDeque<N>,
    /// Answers since the last evaluation.
    pub tally: Tally,
    /// How often the past was asked in this stage.
    pub asked: u64,
    /// Time for that, seconds.
    #[serde(with = "bits")]
    pub secs: f64,
}

impl Watch {
    /// Nothing remembered yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, past: VecDeque::new(), tally: Tally::default(), asked: 0, secs: 0.0 }
    }
}

/// Sums over the samples of mini-batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of samples.
    pub samples: u64,
    /// Relative distances, times the samples of their mini-batch.
    #[serde(with = "bits")]
    pub distances: f64,
    /// Divergences of the predictions.
    #[serde(with = "bits")]
    pub divergences: f64,
    /// Samples whose predicted class is another one.
    pub changes: u64,
}

impl Tally {
    /// Compares the logits of one mini-batch, `[count, outputs]` each.
    pub fn of(loss: &LossFunction, outputs: usize, present: &[f32], past: &[f32]) -> Self {
        let samples = (present.len() / outputs) as u64;
        let mut tally = Self { samples, ..Self::default() };
        for (now, then) in present.chunks_exact(outputs).zip(past.chunks_exact(outputs)) {
            tally.changes += u64::from(top1(now) != top1(then));
            tally.divergences += divergence(&loss.probabilities(then), &loss.probabilities(now));
        }
        tally.distances = relative_distance(present, past) * samples as f64;
        tally
    }

    /// Mean over the mini-batches, weighted by their samples, of ‖z − z′‖ / ‖z′‖ with z′ of the past.
    pub fn distance(&self) -> f64 {
        self.distances / self.samples as f64
    }

    /// Mean divergence of the predictions, Σ p′ · ln(p′ / p) with p′ of the past, in nats.
    pub fn divergence(&self) -> f64 {
        self.divergences / self.samples as f64
    }

    /// Share of samples whose predicted class is another one.
    pub fn changed(&self) -> f64 {
        self.changes as f64 / self.samples as f64
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.samples += other.samples;
        self.distances += other.distances;
        self.divergences += other.divergences;
        self.changes += other.changes;
    }
}

/// ‖a − b‖ / ‖b‖ over all logits; 0 where they are equal.
pub fn relative_distance(a: &[f32], b: &[f32]) -> f64 {
    let distance: f64 = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
    if distance == 0.0 { 0.0 } else { distance.sqrt() / l2_norm(b) }
}

/// Kullback–Leibler divergence of `q` from `p`, in nats.
fn divergence(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| if *p == 0.0 { 0.0 } else { p * (p / q).ln() }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::{Loss, Output};

    #[test]
    fn equal_logits_are_no_distance_apart() {
        let loss = LossFunction::new(Loss::CrossEntropy, Output::Linear, 2);
        let tally = Tally::of(&loss, 2, &[0.0, 0.0, 1.0, 2.0], &[0.0, 0.0, 1.0, 2.0]);
        assert_eq!(
            (tally.samples, tally.distance(), tally.divergence(), tally.changed()),
            (2, 0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn distances_are_relative_to_the_past_and_divergences_in_nats() {
        let loss = LossFunction::new(Loss::CrossEntropy, Output::Linear, 2);
        let tally = Tally::of(&loss, 2, &[3f32.ln(), 0.0], &[0.0, 0.0]);
        // From a half each to 3/4 and 1/4: ½ ln(2/3) + ½ ln 2 = ½ ln(4/3).
        assert!((tally.divergence() - 0.5 * (4f64 / 3.0).ln()).abs() < 1e-6);
        assert_eq!(relative_distance(&[3.0, 0.0, 1.0], &[0.0, 0.0, 1.0]), 3.0);
        let changed = Tally::of(&loss, 2, &[0.0, 1.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0]);
        assert_eq!(changed.changed(), 0.5);
    }
}
