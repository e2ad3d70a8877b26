//! Protection against faults, after every non-linearity.

use std::collections::BTreeMap;

use super::golden::{Golden, NO_RANGE, widen};
use super::thread_map::thread_map;
use data::{DataError, Samples};
use doc::fault::Protect;
use doc::structure::{Op, Structure};
use net::Activations;

/// The protection after one non-linearity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    /// NaN and infinity become 0.
    pub zero_non_finite: bool,
    /// Values are limited to this range; NaN passes.
    pub range: Option<[f32; 2]>,
}

impl Guard {
    /// The value that is read.
    pub fn apply(self, value: f32) -> f32 {
        let value = if self.zero_non_finite && !value.is_finite() { 0.0 } else { value };
        match self.range {
            Some([low, _]) if value < low => low,
            Some([_, high]) if value > high => high,
            _ => value,
        }
    }
}

/// The guards of a protection, with the ranges of activations that the training part has in the network without them.
///
/// # Errors
/// A picture that cannot be read.
pub fn guards(
    protect: &Protect,
    plain: &Golden,
    batch: usize,
    train: &Samples,
) -> Result<BTreeMap<usize, Guard>, DataError> {
    let (zero_non_finite, clips) = match protect {
        Protect::Nothing => return Ok(BTreeMap::new()),
        Protect::Clip => (false, true),
        Protect::ZeroNonFinite => (true, false),
        Protect::Both => (true, true),
    };
    let ranges = if clips { ranges(plain, batch, train)? } else { BTreeMap::new() };
    let guard = |op: usize| Guard { zero_non_finite, range: ranges.get(&op).copied() };
    Ok(non_linearities(plain.network.structure()).map(|op| (op, guard(op))).collect())
}

/// The smallest and largest finite value after each non-linearity.
fn ranges(plain: &Golden, batch: usize, train: &Samples) -> Result<BTreeMap<usize, [f32; 2]>, DataError> {
    let ops: Vec<usize> = non_linearities(plain.network.structure()).collect();
    let batch = batch.max(64);
    let ranges = thread_map(train.len().div_ceil(batch), |number| {
        let first = number * batch;
        let values = train.range(first..(first + batch).min(train.len()))?;
        let mut activations = Activations::of_samples(train.shape, values.into_owned());
        let mut at = 0;
        let range = |&op: &usize| {
            activations = plain.compute.forward(&plain.network, at..op + 1, &activations);
            plain.hooks.round(op, &mut activations.values);
            at = op + 1;
            let mut range = NO_RANGE;
            widen(&mut range, &activations.values);
            range
        };
        Ok(ops.iter().map(range).collect::<Vec<_>>())
    });
    let mut all: BTreeMap<usize, [f32; 2]> = ops.iter().map(|&op| (op, NO_RANGE)).collect();
    for part in ranges {
        all.values_mut().zip(part?).for_each(|(range, part)| widen(range, &part));
    }
    Ok(all)
}

/// The operations that are non-linearities.
fn non_linearities(structure: &Structure) -> impl Iterator<Item = usize> {
    let ops = structure.ops.iter().enumerate();
    ops.filter(|(_, op)| matches!(op, Op::Activation(_))).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_passes_a_clip_and_zero_on_nan_is_a_switch_of_its_own() {
        let apply = |zero_non_finite, range| {
            let guard = Guard { zero_non_finite, range };
            [f32::NAN, f32::INFINITY, -5.0, 0.5].map(|value| guard.apply(value).to_string())
        };
        assert_eq!(apply(false, Some([0.0, 2.0])), ["NaN", "2", "0", "0.5"]);
        assert_eq!(apply(true, None), ["0", "0", "-5", "0.5"]);
        assert_eq!(apply(true, Some([1.0, 2.0])), ["1"; 4]);
    }
}
