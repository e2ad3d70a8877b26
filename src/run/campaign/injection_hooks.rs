//! What happens to activations between two operations besides faults: rounding to a format, and protection.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::protection::Guard;
use crate::faults::stored::round;
use doc::fault::Format;

/// What happens after each operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InjectionHooks {
    /// How activations are stored where they are rounded.
    pub format: Format,
    /// Operations after which they are.
    pub rounded: BTreeSet<usize>,
    /// The protection after each non-linearity.
    pub guards: BTreeMap<usize, Guard>,
}

impl InjectionHooks {
    /// The operations of a range after which something happens, ascending.
    pub fn of(&self, range: Range<usize>) -> BTreeSet<usize> {
        let ops = self.rounded.iter().chain(self.guards.keys()).copied();
        ops.filter(|op| range.contains(op)).collect()
    }

    /// Rounds what an operation yields to the format that it is stored in.
    pub fn round(&self, op: usize, values: &mut [f32]) {
        if self.rounded.contains(&op) {
            round(self.format, values);
        }
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
