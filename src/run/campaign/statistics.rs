//! What the trials of a cell add up to, and how far a campaign is, as a checkpoint keeps it.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::trial::TrialOutcome;
use intervene::fault::Tally;
use intervene::fault::log::LoggedFault;
use intervene::fault::statistics::{Interval, mean_interval, median, percentile, wilson};
use intervene::stream::Stream;
use results::campaign::{CellState, Estimate, Outcomes, WORST, WorstTrial};

/// How far a campaign is: whole blocks only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignProgress {
    /// The cells that began.
    pub(super) cells: Vec<CellProgress>,
}

/// The trials of a cell so far, with the protection and without it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CellProgress {
    pub(super) result: CellStatistics,
    pub(super) unprotected: Option<CellStatistics>,
    pub(super) done: bool,
}

/// The trials of a cell so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellStatistics {
    /// Faults of all trials.
    faults: u64,
    /// Images of all trials.
    tally: Tally,
    /// Right images of every trial, in the order drawn.
    correct: Vec<u64>,
    /// Single faults, by layer and bit: of trials, or of images with separate faults.
    outcomes: Vec<Outcomes>,
    worst: Vec<WorstTrial>,
}

/// A trial with its number in the campaign, and names for where its faults are.
pub struct CountedTrial<'a> {
    /// Its number.
    pub trial: u64,
    /// What became of it.
    pub outcome: &'a TrialOutcome,
    /// Whether every trial of its cell has one fault, so that its trials can be sorted by layer and bit.
    pub is_single: bool,
    /// Place of the layer or residual block of a parameter (or of activations) in the list of those with sites.
    pub layer: &'a dyn Fn(usize) -> usize,
    /// Name of a parameter (or of activations).
    pub name: &'a dyn Fn(usize) -> &'a str,
}

impl CellStatistics {
    /// Trials so far.
    pub fn trials(&self) -> u64 {
        self.correct.len() as u64
    }

    /// Adds a trial.
    pub fn add(&mut self, counted: &CountedTrial) {
        let TrialOutcome { tally, injected, .. } = counted.outcome;
        self.faults += injected.faults;
        self.tally = self.tally + *tally;
        self.correct.push(tally.correct);
        for (fault, tally) in counted.outcome.singles.iter().filter(|_| counted.is_single) {
            self.add_outcome((counted.layer)(fault.site.parameter), fault.site.bit, *tally);
        }
        if tally.sdc1 + tally.due > 0 {
            self.add_worst(counted);
        }
    }

    fn add_outcome(&mut self, layer: usize, bit: Option<u32>, tally: Tally) {
        let key = (layer, bit);
        let at = self.outcomes.binary_search_by_key(&key, |outcome| (outcome.layer, outcome.bit));
        let at = at.unwrap_or_else(|at| {
            self.outcomes.insert(at, Outcomes { layer, bit, ..Outcomes::default() });
            at
        });
        let outcome = &mut self.outcomes[at];
        outcome.trials += 1;
        outcome.tally = outcome.tally + tally;
    }

    fn add_worst(&mut self, counted: &CountedTrial) {
        let TrialOutcome { tally, injected, .. } = counted.outcome;
        let harm = Reverse(tally.sdc1 + tally.due);
        let is_milder =
            self.worst.last().is_some_and(|last| last.rank() <= (harm, tally.correct, counted.trial));
        if self.worst.len() >= WORST && is_milder {
            return;
        }
        let first = injected.listed.first().map_or_else(String::new, |(image, fault)| {
            LoggedFault::new((counted.name)(fault.site.parameter), fault).described(*image)
        });
        let trial = WorstTrial { trial: counted.trial, faults: injected.faults, first, tally: *tally };
        let at = self.worst.partition_point(|known| known.rank() < trial.rank());
        self.worst.insert(at, trial);
        self.worst.truncate(WORST);
    }

    /// The interval of SDC-1 so far: Wilson with n = number of trials, which is conservative, since a share in [0, 1] has
    /// a variance of at most p(1 − p).
    pub fn sdc1(&self, confidence: f64) -> Interval {
        wilson(self.share(self.tally.sdc1), self.trials(), confidence)
    }

    /// The results of the cell so far. The bootstrap draws from the stream.
    pub fn state(&self, cell: usize, confidence: f64, stream: &mut Stream) -> CellState {
        let trials = self.trials();
        let estimate = |count: u64| {
            let value = self.share(count);
            let Interval { low, high } = wilson(value, trials, confidence);
            Estimate { value, low, high }
        };
        let state = CellState {
            cell,
            trials,
            faults: self.faults,
            tally: self.tally,
            sdc1: estimate(self.tally.sdc1),
            due: estimate(self.tally.due),
            masked: estimate(self.tally.masked),
            outcomes: self.outcomes.clone(),
            worst: self.worst.clone(),
            ..CellState::default()
        };
        if trials == 0 {
            return state;
        }
        let images = self.tally.images as f64 / trials as f64;
        let accuracies: Vec<f64> = self.correct.iter().map(|&correct| correct as f64 / images).collect();
        let Interval { low, high } = mean_interval(&accuracies, confidence, stream);
        let value = self.share(self.tally.correct);
        let [p5, median, p95] =
            [percentile(&accuracies, 0.05), median(&accuracies), percentile(&accuracies, 0.95)];
        CellState { accuracy: Estimate { value, low, high }, median, p5, p95, ..state }
    }

    fn share(&self, count: u64) -> f64 {
        if self.tally.images == 0 { 0.0 } else { self.tally.share(count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::trial::InjectedFaults;
    use intervene::fault::{Injected, Site};
    use intervene::stream::{Purpose, stream};

    fn add(cell: &mut CellStatistics, trial: u64, sdc1: u64, bit: u32) {
        let site = Site { parameter: 4, index: 2, bit: Some(bit) };
        let fault = Injected { site, before: 0, after: 1 << bit, value: 2.0 };
        let tally = Tally { images: 10, sdc1, benign: 10 - sdc1, correct: 10 - sdc1, ..Tally::default() };
        let outcome = TrialOutcome {
            tally,
            hash: String::new(),
            injected: InjectedFaults { count: 1, faults: 1, listed: vec![(None, fault)] },
            singles: vec![(fault, tally)],
        };
        let (layer, name) = (|_| 1, |_| "fc2.weight");
        cell.add(&CountedTrial { trial, outcome: &outcome, is_single: true, layer: &layer, name: &name });
    }

    #[test]
    fn shares_are_means_over_trials_and_single_faults_are_told_apart_by_layer_and_bit() {
        let mut cell = CellStatistics::default();
        for (trial, (sdc1, bit)) in [(10, 30), (0, 3), (2, 30), (0, 2)].into_iter().enumerate() {
            add(&mut cell, trial as u64, sdc1, bit);
        }
        let state = cell.state(0, 0.95, &mut stream(1, Purpose::Bootstrap, &[0, 0]));
        assert_eq!((state.trials, state.faults, state.sdc1.value, state.accuracy.value), (4, 4, 0.3, 0.7));
        assert_eq!((state.median, state.p95), (0.9, 1.0));
        assert!(state.accuracy.low < 0.7 && state.accuracy.high > 0.7 && state.sdc1.low > 0.0);
        let bits: Vec<_> = state.outcomes.iter().map(|o| (o.layer, o.bit, o.trials, o.tally.sdc1)).collect();
        assert_eq!(bits, [(1, Some(2), 1, 0), (1, Some(3), 1, 0), (1, Some(30), 2, 12)]);
        let worst: Vec<_> = state.worst.iter().map(|trial| trial.trial).collect();
        assert_eq!(worst, [0, 2]);
        assert_eq!(state.worst[0].first, "fc2.weight[2] b30: 00000000 → 40000000");
    }

    #[test]
    fn only_the_worst_are_kept() {
        let mut cell = CellStatistics::default();
        (0..60).for_each(|trial| add(&mut cell, trial, 1 + trial % 7, 1));
        assert_eq!(cell.worst.len(), WORST);
        assert!(cell.worst.is_sorted_by_key(WorstTrial::rank));
        assert_eq!((cell.worst[0].tally.sdc1, cell.worst[0].trial), (7, 6));
    }
}
