//! What happens to activations between two operations, apart from faults: rounding to a format, and protection.

use std::collections::{BTreeMap, BTreeSet};

use super::protection::Guard;
use crate::doc::fault::Format;
use crate::run::faults::stored::round;

/// What happens behind each operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InjectionHooks {
    /// How activations are stored where they are rounded.
    pub format: Format,
    /// Operations behind which they are.
    pub rounded: BTreeSet<usize>,
    /// The protection behind each non-linearity.
    pub guards: BTreeMap<usize, Guard>,
}

impl InjectionHooks {
    /// Operations behind which something happens, before position `to` and from `from` on.
    pub fn between(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let mut ops: Vec<usize> = self.rounded.iter().chain(self.guards.keys()).copied().collect();
        ops.sort_unstable();
        ops.dedup();
        ops.into_iter().filter(move |op| (from..to).contains(op))
    }

    /// Rounds what an operation yields to the format that it is stored in.
    pub fn round(&self, op: usize, values: &mut [f32]) {
        if self.rounded.contains(&op) {
            round(self.format, values);
        }
    }

    /// Whether a protection changes what an operation yields before it is read.
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
