//! Networks whose values are read differently from how they are stored.

use std::sync::Arc;

use super::Network;

impl Network {
    /// The same network as a view reads it: with these values, held entries included.
    ///
    /// # Panics
    /// When a parameter does not have as many values as before.
    pub fn reading_as(&self, values: Vec<Arc<Vec<f32>>>) -> Self {
        let sizes = |values: &[Arc<Vec<f32>>]| values.iter().map(|values| values.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&values), sizes(&self.values), "a view has the shapes of the network");
        Self { values, ..self.clone() }
    }

    /// Makes one entry of parameter `index` read as another value, held or not. For views only:
    /// networks that are trained or saved change through [`write`](Self::write).
    pub fn overlay(&mut self, index: usize, entry: usize, value: f32) {
        Arc::make_mut(&mut self.values[index])[entry] = value;
    }

    /// Whether both share all arrays, so that any result of one holds for the other.
    pub fn shares_arrays(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.values.iter().zip(&other.values).all(|(a, b)| Arc::ptr_eq(a, b))
            && self.masks.iter().zip(&other.masks).all(|pair| match pair {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (None, None) => true,
                _ => false,
            })
    }
}
