//! From scores to a mask: the one place that decides which entries go.
//!
//! Mistakes of other tools that are impossible here: pruning one entry too many and every tie with it (counts are exact,
//! ties go by index); scoring pruned entries again and bringing them back (only free entries are candidates); counting
//! layers outside the target in the base.

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::amount::survivors_at;
use crate::{Amount, AmountError, Entry, MaskCounts, Scope};

/// A parameter that may lose entries. The three slices are equally long, in the exported layout.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub name: &'a str,
    /// The layer that it belongs to, counted in the order of the network.
    pub layer: usize,
    /// True if that layer is the output layer.
    pub is_output: bool,
    pub weights: &'a [f32],
    /// The criterion's scores, the lowest go first; may be empty for a threshold, which asks for none.
    pub scores: &'a [f32],
    pub entries: &'a [Entry],
}

/// The amount to prune, and the groups in which entries compete.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PruningRule {
    pub amount: Amount,
    /// The groups that are ranked together.
    pub scope: Scope,
    /// Multiplies the fraction removed from the output layer, in [0, 1]. 1 treats it like any other layer, 0 takes it
    /// out of the ranking and of the base; in between, a global ranking ranks it alone.
    pub output_factor: f64,
}

impl PruningRule {
    /// Checks the numbers, without a network.
    ///
    /// # Errors
    /// As [`Amount::check`]; an output factor outside [0, 1], or between them with an amount that is no fraction.
    pub fn check(self) -> Result<(), PruneError> {
        let Self { amount, scope: _, output_factor } = self;
        amount.check()?;
        if !(0.0..=1.0).contains(&output_factor) {
            return Err(PruneError::OutputFactor { value: output_factor });
        }
        if self.splits_output() && !matches!(amount, Amount::Fraction(_)) {
            return Err(PruneError::OutputFactorNeedsFraction { value: output_factor });
        }
        Ok(())
    }

    /// Returns true if the output layer has its own fraction.
    fn splits_output(self) -> bool {
        self.output_factor > 0.0 && self.output_factor < 1.0
    }

    fn covers(self, target: &Target) -> bool {
        self.output_factor > 0.0 || !target.is_output
    }

    fn factor(self, target: &Target) -> f64 {
        if target.is_output { self.output_factor } else { 1.0 }
    }
}

/// Entries that are ranked together, and how many of them go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    /// Positions of the parameters in the list of targets, ascending.
    pub targets: Vec<usize>,
    /// Number of their free entries.
    pub free: u64,
    /// Number of those to remove.
    pub remove: u64,
}

impl Quota {
    /// Returns the part of this quota in `step` (from 1) of `steps` exponential steps, for a criterion that scores
    /// again in between. The parts add up to the quota.
    pub fn step(&self, step: u32, steps: u32) -> Self {
        let survivors = |step| survivors_at(self.free, self.free - self.remove, step, steps);
        let free = survivors(step.saturating_sub(1));
        Self { targets: self.targets.clone(), free, remove: free - survivors(step) }
    }
}

/// Returns the entries to prune: for each target the indices, ascending.
///
/// # Errors
/// As [`PruningRule::check`], [`quotas`] and [`lowest_of`].
pub fn prune(targets: &[Target], rule: PruningRule) -> Result<Vec<Vec<u32>>, PruneError> {
    match rule.amount {
        Amount::Threshold(threshold) => {
            rule.check()?;
            check_lengths(targets, false)?;
            Ok(below(targets, rule, threshold))
        }
        Amount::Fraction(_) | Amount::Remaining(_) | Amount::Count(_) => {
            lowest_of(targets, &quotas(targets, rule)?)
        }
    }
}

/// Returns how many entries go from each group of parameters that is ranked together. Only the states of the entries
/// matter.
///
/// # Errors
/// As [`PruningRule::check`]; a count larger than what is there; a threshold, which has no count.
pub fn quotas(targets: &[Target], rule: PruningRule) -> Result<Vec<Quota>, PruneError> {
    rule.check()?;
    groups(targets, rule).into_iter().map(|group| quota(targets, rule, group)).collect()
}

/// Returns the free entries with the lowest scores, as many as the quotas say; of equal scores the lower index goes
/// first, across parameters in the order of the targets.
///
/// # Errors
/// Slices of unequal length; a free entry whose score is NaN or infinite: NaN cannot be ranked, and infinite scores have
/// overflowed and are all equal, however different the entries are.
pub fn lowest_of(targets: &[Target], quotas: &[Quota]) -> Result<Vec<Vec<u32>>, PruneError> {
    check_lengths(targets, true)?;
    let mut removed = vec![Vec::new(); targets.len()];
    for quota in quotas {
        let members = || quota.targets.iter().map(|&position| &targets[position]);
        members().try_for_each(check_scores)?;
        let mut cut = Cut::after(
            members().flat_map(|target| free_scores(target).map(|(_, score)| score)),
            quota.remove,
        );
        for &position in &quota.targets {
            let taken = free_scores(&targets[position]).filter(|&(_, score)| cut.takes(score));
            removed[position] = taken.map(|(index, _)| index).collect();
        }
    }
    Ok(removed)
}

fn groups(targets: &[Target], rule: PruningRule) -> Vec<Vec<usize>> {
    let ranked_alone =
        |target: &Target| rule.scope == Scope::Global && rule.splits_output() && target.is_output;
    let group = |alone: bool| {
        let of_group =
            move |(_, target): &(usize, &Target)| rule.covers(target) && ranked_alone(target) == alone;
        rule.scope.groups(
            targets.iter().enumerate().filter(of_group).map(|(position, target)| (position, target.layer)),
        )
    };
    [group(false), group(true)].concat()
}

fn quota(targets: &[Target], rule: PruningRule, group: Vec<usize>) -> Result<Quota, PruneError> {
    let counts: MaskCounts = group.iter().map(|&position| MaskCounts::new(targets[position].entries)).sum();
    let first = &targets[group[0]];
    let remove = rule
        .amount
        .removes(counts.free, counts.free + counts.pruned, rule.factor(first))
        .ok_or(PruneError::ThresholdHasNoCount)?;
    if remove > counts.free {
        let place = match rule.scope {
            Scope::Global => "the target".to_owned(),
            Scope::PerLayer => format!("the layer of {}", first.name),
        };
        return Err(PruneError::TooMany { wanted: remove, available: counts.free, place });
    }
    Ok(Quota { targets: group, free: counts.free, remove })
}

fn below(targets: &[Target], rule: PruningRule, threshold: f64) -> Vec<Vec<u32>> {
    let threshold = threshold as f32;
    let of_target = |target: &Target| {
        let small =
            free_values(target.entries, target.weights).filter(|(_, weight)| weight.abs() < threshold);
        small.map(|(index, _)| index).collect()
    };
    targets.iter().map(|target| if rule.covers(target) { of_target(target) } else { Vec::new() }).collect()
}

fn free_scores(target: &Target) -> impl Iterator<Item = (u32, f32)> + Clone {
    free_values(target.entries, target.scores)
}

/// Returns the values of the free entries, each with its index.
pub(crate) fn free_values(entries: &[Entry], values: &[f32]) -> impl Iterator<Item = (u32, f32)> + Clone {
    (0..)
        .zip(entries.iter().zip(values))
        .filter(|(_, (entry, _))| entry.is_free())
        .map(|(at, (_, value))| (at, *value))
}

fn check_lengths(targets: &[Target], with_scores: bool) -> Result<(), PruneError> {
    let unequal = |target: &&Target| {
        let size = target.weights.len();
        target.entries.len() != size || with_scores && target.scores.len() != size
    };
    targets.iter().find(unequal).map_or(Ok(()), |target| {
        Err(PruneError::Lengths {
            parameter: target.name.to_owned(),
            weights: target.weights.len(),
            scores: target.scores.len(),
            entries: target.entries.len(),
        })
    })
}

fn check_scores(target: &Target) -> Result<(), PruneError> {
    free_scores(target).find(|(_, score)| !score.is_finite()).map_or(Ok(()), |(index, score)| {
        Err(PruneError::NoRank {
            parameter: target.name.to_owned(),
            index,
            score,
            weight: target.weights[index as usize],
        })
    })
}

/// Why nothing was pruned.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PruneError {
    #[error(transparent)]
    Amount(#[from] AmountError),
    #[error(
        "output_factor is {value}; give a number from 0 (leave the output layer alone) to 1 (like any other)"
    )]
    OutputFactor { value: f64 },
    #[error("output_factor is {value}, but only 0 and 1 work with an amount other than Fraction")]
    OutputFactorNeedsFraction { value: f64 },
    #[error("{wanted} entries are to be pruned, but {place} has {available} free ones; lower the count")]
    TooMany { wanted: u64, available: u64, place: String },
    #[error(
        "{parameter}[{index}] has a score of {score} (its weight is {weight}), which has no rank; find the \
            training step at which values stop being finite, or, with SynFlow, use fewer or smaller layers"
    )]
    NoRank { parameter: String, index: u32, score: f32, weight: f32 },
    #[error(
        "an amount of Threshold is not a count and cannot be reached in steps; use Fraction, Remaining or \
            Count"
    )]
    ThresholdHasNoCount,
    #[error("{parameter} has {weights} weights, but {scores} scores and {entries} states of entries")]
    Lengths { parameter: String, weights: usize, scores: usize, entries: usize },
}

// The n lowest: exact counts, ties by index, in linear time. A sort of VGG-16's 14.7 million scores would need an array of
// (score, index) pairs. Instead scores are counted by the upper and then by the lower half of their bits, which gives the n-th
// lowest score in two passes and half a megabyte; a last pass takes everything below it, and as many of its equals as are still
// missing, in order.

/// Number of different values of one half of a key.
const BUCKETS: usize = 1 << 16;

/// Returns a number that orders as the score does. −0.0 and +0.0 are equal; NaN is outside of the infinity of its sign.
fn key(score: f32) -> u32 {
    let bits = (score + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// Where the n lowest scores end: all below a score, and the first few that equal it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    key: u32,
    ties: u64,
}

impl Cut {
    /// Returns the cut after the `count` lowest of `scores`; after all of them if there are fewer.
    pub fn after(scores: impl Iterator<Item = f32> + Clone, count: u64) -> Self {
        if count == 0 {
            return Self { key: 0, ties: 0 };
        }
        Self::at_rank(scores.map(key), count).unwrap_or(Self { key: u32::MAX, ties: u64::MAX })
    }

    /// Returns the cut at the key of this rank, from 1; none if there are fewer keys.
    fn at_rank(keys: impl Iterator<Item = u32> + Clone, rank: u64) -> Option<Self> {
        let (high, rank) = bucket_of(keys.clone().map(|key| key >> 16), rank)?;
        let (low, ties) = bucket_of(keys.filter(|key| key >> 16 == high).map(|key| key & 0xffff), rank)?;
        Some(Self { key: high << 16 | low, ties })
    }

    /// Returns true if the next score is among the lowest. Asked once for each score, in the order of [`Cut::after`].
    pub fn takes(&mut self, score: f32) -> bool {
        let key = key(score);
        let tied = key == self.key && self.ties > 0;
        self.ties -= u64::from(tied);
        tied || key < self.key
    }
}

/// Returns the bucket in which the `count`-th lowest number falls, and which of that bucket's numbers it is (from 1).
fn bucket_of(numbers: impl Iterator<Item = u32>, count: u64) -> Option<(u32, u64)> {
    let mut histogram = vec![0_u64; BUCKETS];
    for number in numbers {
        histogram[number as usize] += 1;
    }
    let mut missing = count;
    for (bucket, held) in (0_u32..).zip(histogram) {
        if missing <= held {
            return Some((bucket, missing));
        }
        missing -= held;
    }
    None
}

/// Returns the indices of the `count` lowest scores in their order, each given with its index; of equal scores the
/// first ones.
pub fn lowest(scores: impl Iterator<Item = (u32, f32)> + Clone, count: u64) -> Vec<u32> {
    let mut cut = Cut::after(scores.clone().map(|(_, score)| score), count);
    scores.filter(|&(_, score)| cut.takes(score)).map(|(index, _)| index).collect()
}
