//! The events of a campaign, and its record: the fold of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::by_key;
use super::event::place_of;
use super::number::fixed;
use doc::fault::{CellPlan, Format, Protect};
use intervene::fault::statistics::{Interval, wilson};

pub use intervene::fault::outcome::{ImageOutcome, Tally, definition};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignBegan {
    /// Its name in the column `campaign` of `faults.csv` and `trials.csv`: the place of the stage, followed by a number
    /// where the same place and round come again.
    pub campaign: String,
    /// Place of the stage in the plan, such as `2.1`.
    pub stage: String,
    /// The branch; empty for the main branch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The round of the innermost repetition, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The campaign as a sentence.
    pub label: String,
    /// Its cells, in the order in which they are worked on.
    pub cells: Vec<CellPlan>,
    /// Names of the layers that have sites, and of the residual blocks whose sums have; [`Outcomes::layer`] counts in this
    /// list.
    pub layers: Vec<String>,
    /// Number of entries of each of these layers that faults can hit; empty for faults in activations, and in logs of
    /// 2026-11-22 and before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layer_entries: Vec<u64>,
    /// The format of stored values.
    pub format: Format,
    /// True if the fault model changes whole values: a rate is one for each value then, not for each bit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strikes_values: bool,
    /// The protection of the network.
    pub protect: Protect,
    /// Images of every trial.
    pub images: u64,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// Accuracy without faults, in [0, 1]: in the format, with the protection. What faults are compared with.
    pub golden_accuracy: f64,
    /// Accuracy without faults in the format, without the protection.
    pub unprotected_accuracy: f64,
    /// Accuracy of the network as it was trained: float32, without the protection.
    pub float32_accuracy: f64,
}

impl CampaignBegan {
    /// Returns its stage as the plan numbers it, whatever the round: "Stage 4", "Stage 3.1, control".
    pub fn place(&self) -> String {
        place_of(&self.stage, None, &self.branch)
    }

    /// Returns what the format alone changes about the accuracy: "int8 loses 0.50", in percentage points; "gains" where
    /// it is higher than in float32.
    pub fn change_by_format(&self) -> String {
        let points = 100.0 * (self.float32_accuracy - self.unprotected_accuracy);
        let verb = if points < -0.005 { "gains" } else { "loses" };
        format!("{} {verb} {}", self.format.label(), fixed(points.abs(), 2))
    }
}

/// The outcomes of trials with a single fault, in one bit of one layer; where each image has another fault, each of these
/// counts as a trial with one image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    /// The layer, as its place in [`CampaignBegan::layers`].
    pub layer: usize,
    /// The bit, from the least significant; none for models of values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit: Option<u32>,
    /// Number of trials.
    pub trials: u64,
    /// Their images.
    pub tally: Tally,
}

/// A trial that did much harm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorstTrial {
    /// Its number; the column `trial` of `trials.csv` and `faults.csv`.
    pub trial: u64,
    /// Faults that it injected.
    pub faults: u64,
    /// The first of them, as `fc1.weight[17] b30: 3d23d70a → 7d23d70a`.
    pub first: String,
    /// The outcomes of its images.
    pub tally: Tally,
}

/// A share with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

impl Estimate {
    /// Returns a share over so many trials with Wilson's interval.
    pub fn wilson(share: f64, trials: u64, confidence: f64) -> Self {
        let Interval { low, high } = wilson(share, trials, confidence);
        Self { value: share, low, high }
    }
}

/// The progress of a cell, and its results so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellState {
    /// Its place in [`CampaignBegan::cells`].
    pub cell: usize,
    /// True if these are the same trials without the protection, next to the result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unprotected: bool,
    /// Trials so far, in whole blocks.
    pub trials: u64,
    /// True if no more follow.
    pub done: bool,
    /// True if the log leaves it out, since a later event repeats it with more trials.
    #[serde(skip)]
    pub live: bool,
    /// Faults of all trials together.
    pub faults: u64,
    /// Images of all trials together.
    pub tally: Tally,
    /// Mean share of images with SDC-1, with its Wilson interval (n = trials).
    pub sdc1: Estimate,
    /// Mean share of images with DUE, with its Wilson interval.
    pub due: Estimate,
    /// Mean share of masked images, with its Wilson interval.
    pub masked: Estimate,
    /// Mean accuracy with its bootstrap interval over trials.
    pub accuracy: Estimate,
    /// Median of the accuracies of trials.
    pub median: f64,
    /// Their 5th percentile.
    pub p5: f64,
    /// Their 95th percentile.
    pub p95: f64,
    /// Trials with a single fault by layer and bit, in this order; those that are not there were not hit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcomes>,
    /// The worst trials, worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<WorstTrial>,
}

/// A campaign is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignEnded {
    /// True if the network and what it is in the format have the same checksums and logits as before.
    pub intact: bool,
    /// Its checksum afterwards.
    pub checksum: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CampaignRecord {
    /// Its description.
    pub began: CampaignBegan,
    /// Its cells, in their order; with protection first the results, then the same cells unprotected.
    pub cells: Vec<CellState>,
    /// Its end; none while it runs, or where it was stopped.
    pub ended: Option<CampaignEnded>,
}

/// Number of the worst trials that are kept.
pub const WORST: usize = 20;

impl CampaignRecord {
    /// Returns a campaign without trials.
    pub fn new(began: CampaignBegan) -> Self {
        Self { began, ..Self::default() }
    }

    /// Replaces the state of a cell.
    pub fn take_in(&mut self, state: CellState) {
        let key = |state: &CellState| (state.unprotected, state.cell);
        match self.cells.binary_search_by_key(&key(&state), key) {
            Ok(at) => self.cells[at] = state,
            Err(at) => self.cells.insert(at, state),
        }
    }

    /// Returns the results, or those of the same trials without the protection.
    pub fn states(&self, unprotected: bool) -> impl Iterator<Item = &CellState> {
        self.cells.iter().filter(move |state| state.unprotected == unprotected)
    }

    /// Returns true if any trial has a single fault, so that there are outcomes by bit and layer.
    pub fn has_outcomes(&self) -> bool {
        self.states(false).any(|state| !state.outcomes.is_empty())
    }

    /// Counts the trials so far.
    pub fn trials(&self) -> u64 {
        self.states(false).map(|state| state.trials).sum()
    }

    /// Returns the most trials that it can take; intervals that get narrow enough end it earlier.
    pub fn planned(&self) -> u64 {
        self.began.cells.iter().map(|cell| cell.trials).sum()
    }

    /// Sums trials with a single fault by layer and bit, of all cells together.
    pub fn outcomes(&self) -> Vec<Outcomes> {
        self.gathered(|outcome| (outcome.layer, outcome.bit))
    }

    /// Sums trials with a single fault by layer; their bit is left out.
    pub fn by_layer(&self) -> Vec<Outcomes> {
        let layers = self.gathered(|outcome| outcome.layer);
        layers.into_iter().map(|outcome| Outcomes { bit: None, ..outcome }).collect()
    }

    /// Sums trials with a single fault by bit; their layer is 0.
    pub fn by_bit(&self) -> Vec<Outcomes> {
        let bits = self.gathered(|outcome| outcome.bit);
        bits.into_iter().map(|outcome| Outcomes { layer: 0, ..outcome }).collect()
    }

    /// Returns the worst trials of all cells, worst first.
    pub fn worst(&self) -> Vec<&WorstTrial> {
        let mut worst: Vec<&WorstTrial> = self.states(false).flat_map(|state| &state.worst).collect();
        worst.sort_by_key(|trial| trial.rank());
        worst.truncate(WORST);
        worst
    }

    fn gathered<K: Ord>(&self, key: impl Fn(&Outcomes) -> K) -> Vec<Outcomes> {
        let mut sums: BTreeMap<K, Outcomes> = BTreeMap::new();
        for outcome in self.states(false).flat_map(|state| &state.outcomes) {
            let empty = || Outcomes { trials: 0, tally: Tally::default(), ..outcome.clone() };
            let sum = sums.entry(key(outcome)).or_insert_with(empty);
            sum.trials += outcome.trials;
            sum.tally = sum.tally + outcome.tally;
        }
        sums.into_values().collect()
    }
}

/// The campaigns of one stage, with what the reader has to know about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OneStage<'a> {
    /// Those with single faults: of all runs and rounds.
    pub campaigns: Vec<&'a CampaignRecord>,
    /// Which stage it is where others have such campaigns too, and how many rounds are pooled: "Stage 4, 3 rounds pooled";
    /// empty where there is nothing to say.
    pub caption: String,
}

impl<'a> OneStage<'a> {
    /// Returns the campaigns with single faults of a stage, by its [place](CampaignBegan::place), or of the first one
    /// that has some. Stages are not pooled: they inject into other targets, or into another network.
    pub fn new(all: impl IntoIterator<Item = &'a CampaignRecord>, chosen: Option<&str>) -> Self {
        let all: Vec<_> = all.into_iter().filter(|campaign| campaign.has_outcomes()).collect();
        let places = stages(all.iter().copied());
        let is_chosen = |(place, _): &&(String, String)| chosen == Some(place);
        let Some((place, _)) = places.iter().find(is_chosen).or(places.first()) else {
            return Self::default();
        };
        let campaigns: Vec<_> = all.into_iter().filter(|campaign| campaign.began.place() == *place).collect();
        let rounds: BTreeSet<_> = campaigns.iter().filter_map(|campaign| campaign.began.round).collect();
        let mut caption = if places.len() > 1 { vec![place.clone()] } else { Vec::new() };
        caption.extend((rounds.len() > 1).then(|| format!("{} rounds pooled", rounds.len())));
        Self { campaigns, caption: caption.join(", ") }
    }

    /// Sums trials and their outcomes by key over the campaigns.
    pub fn sums<K: Ord>(
        &self,
        key: impl Fn(&CampaignRecord, &Outcomes) -> Option<K>,
    ) -> BTreeMap<K, (u64, Tally)> {
        let mut sums: BTreeMap<K, (u64, Tally)> = BTreeMap::new();
        for campaign in &self.campaigns {
            for outcome in campaign.outcomes() {
                let Some(key) = key(campaign, &outcome) else { continue };
                let (trials, tally) = sums.entry(key).or_default();
                *trials += outcome.trials;
                *tally = *tally + outcome.tally;
            }
        }
        sums
    }
}

/// Returns the stages that have campaigns with single faults, in the order of the plan, each with its sentence.
pub fn stages<'a>(all: impl IntoIterator<Item = &'a CampaignRecord>) -> Vec<(String, String)> {
    let all = all.into_iter().filter(|campaign| campaign.has_outcomes());
    let places = by_key(all.map(|campaign| (campaign.began.place(), &campaign.began.label)));
    places.into_iter().map(|(place, labels)| (place, labels[0].clone())).collect()
}

impl WorstTrial {
    /// Orders trials, the worst first: most images with SDC-1 or DUE, then the fewest right ones, then the earliest.
    pub const fn rank(&self) -> (std::cmp::Reverse<u64>, u64, u64) {
        (std::cmp::Reverse(self.tally.sdc1 + self.tally.due), self.tally.correct, self.trial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(layer: usize, bit: u32, sdc1: u64) -> Outcomes {
        Outcomes { layer, bit: Some(bit), trials: 1, tally: Tally { images: 10, sdc1, ..Tally::default() } }
    }

    #[test]
    fn a_cell_is_replaced_and_tables_sum_over_cells() {
        let mut record = CampaignRecord::new(CampaignBegan::default());
        record.take_in(CellState { cell: 1, outcomes: vec![outcome(0, 30, 9)], ..CellState::default() });
        record.take_in(CellState { cell: 0, trials: 1, ..CellState::default() });
        let outcomes = vec![outcome(0, 30, 5), outcome(1, 0, 0)];
        record.take_in(CellState { cell: 0, trials: 2, outcomes, ..CellState::default() });
        record.take_in(CellState { unprotected: true, trials: 2, ..CellState::default() });
        assert_eq!(record.cells.iter().map(|cell| cell.cell).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(record.trials(), 2);
        let by = |outcomes: Vec<Outcomes>| -> Vec<(u64, u64)> {
            outcomes.iter().map(|outcome| (outcome.trials, outcome.tally.sdc1)).collect()
        };
        assert_eq!(by(record.outcomes()), [(2, 14), (1, 0)]);
        assert_eq!(by(record.by_layer()), [(2, 14), (1, 0)]);
        assert_eq!(by(record.by_bit()), [(1, 0), (2, 14)]);
    }

    #[test]
    fn stages_are_not_pooled_and_rounds_are() {
        let campaign = |stage: &str, round, layer, sdc1| {
            let (stage, label) = (stage.to_owned(), format!("campaign {stage}"));
            let mut record =
                CampaignRecord::new(CampaignBegan { stage, round, label, ..CampaignBegan::default() });
            record.take_in(CellState { outcomes: vec![outcome(layer, 1, sdc1)], ..CellState::default() });
            record
        };
        let all = [campaign("2.0", Some(1), 0, 1), campaign("2.0", Some(2), 0, 3), campaign("3", None, 1, 5)];
        let none = CampaignRecord::new(CampaignBegan { stage: "1".to_owned(), ..CampaignBegan::default() });
        let of = |chosen| OneStage::new(all.iter().chain([&none]), chosen);
        assert_eq!((of(None).campaigns.len(), of(None).caption.as_str()), (2, "Stage 3.1, 2 rounds pooled"));
        let last = of(Some("Stage 4"));
        assert_eq!((last.campaigns, last.caption.as_str()), (vec![&all[2]], "Stage 4"));
        assert_eq!(of(Some("Stage 9")), of(None), "the stage of another plan");
        let alone = OneStage::new(&all[2..], None);
        assert_eq!(alone.caption, "", "there is nothing to choose from");
        assert_eq!(stages(&all)[1], ("Stage 4".to_owned(), "campaign 3".to_owned()));
    }

    #[test]
    fn the_worst_trials_come_first_and_the_earlier_one_of_equals() {
        let trial = |trial, sdc1, correct| WorstTrial {
            trial,
            tally: Tally { images: 10, sdc1, correct, ..Tally::default() },
            ..WorstTrial::default()
        };
        let mut record = CampaignRecord::default();
        let worst = vec![trial(3, 9, 1), trial(1, 5, 5)];
        record.take_in(CellState { worst, ..CellState::default() });
        record.take_in(CellState { cell: 1, worst: vec![trial(4, 9, 1)], ..CellState::default() });
        assert_eq!(record.worst().iter().map(|trial| trial.trial).collect::<Vec<_>>(), [3, 4, 1]);
    }
}
