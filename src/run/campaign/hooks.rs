//! What happens to values between two operations, apart from faults: rounding to a format, and protection.

use std::collections::BTreeMap;

use crate::doc::fault::Protect;
use crate::doc::structure::{Op, Structure};
use crate::intervene::fault::Storage;

/// What happens behind each operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hooks {
    /// How what flows behind an operation is stored, where it is not float32.
    pub stored: BTreeMap<usize, Storage>,
    /// The protection behind each non-linearity.
    pub guards: BTreeMap<usize, Guard>,
}

/// The protection behind one non-linearity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    /// NaN and infinity become 0.
    pub zero_non_finite: bool,
    /// Values are limited to this range; NaN passes.
    pub range: Option<[f32; 2]>,
}

impl Hooks {
    /// Operations behind which something happens, before position `to` and from `from` on.
    pub fn between(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let mut ops: Vec<usize> = self.stored.keys().chain(self.guards.keys()).copied().collect();
        ops.sort_unstable();
        ops.dedup();
        ops.into_iter().filter(move |op| (from..to).contains(op))
    }

    /// Rounds what an operation yields to the format that it is stored in.
    pub fn round(&self, op: usize, values: &mut [f32]) {
        if let Some(storage) = self.stored.get(&op) {
            // Activations have no scale of their own, so that any entry stands for all.
            for value in values {
                *value = storage.read_back(0, *value);
            }
        }
    }

    /// Whether what an operation yields is changed by a protection before it is read.
    pub fn is_guarded(&self, op: usize) -> bool {
        self.guards.contains_key(&op)
    }

    /// Protects the readers of what an operation yields.
    pub fn protect(&self, op: usize, values: &mut [f32]) {
        if let Some(guard) = self.guards.get(&op) {
            for value in values {
                *value = guard.apply(*value);
            }
        }
    }
}

impl Guard {
    fn apply(self, value: f32) -> f32 {
        let value = if self.zero_non_finite && !value.is_finite() { 0.0 } else { value };
        match self.range {
            Some([low, _]) if value < low => low,
            Some([_, high]) if value > high => high,
            _ => value,
        }
    }
}

/// The guards of a protection; `ranges` has what was seen behind each non-linearity.
pub fn guards(
    protect: &Protect,
    structure: &Structure,
    ranges: &BTreeMap<usize, [f32; 2]>,
) -> BTreeMap<usize, Guard> {
    let (zero_non_finite, clips) = match protect {
        Protect::Nothing => return BTreeMap::new(),
        Protect::Clip => (false, true),
        Protect::ZeroNonFinite => (true, false),
        Protect::Both => (true, true),
    };
    let guard =
        |op: usize| Guard { zero_non_finite, range: if clips { ranges.get(&op).copied() } else { None } };
    non_linearities(structure).map(|op| (op, guard(op))).collect()
}

/// The operations that are non-linearities.
pub fn non_linearities(structure: &Structure) -> impl Iterator<Item = usize> {
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
