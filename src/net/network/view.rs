//! Networks that are read otherwise than they are stored.

use std::sync::Arc;

use super::Network;

impl Network {
    /// The same network with other values for whole parameters, held entries too, as a view of it reads them.
    ///
    /// # Panics
    /// When a parameter does not have as many values as before.
    pub fn reading_as(&self, values: Vec<Arc<Vec<f32>>>) -> Self {
        let sizes = |values: &[Arc<Vec<f32>>]| values.iter().map(|values| values.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&values), sizes(&self.values), "a view has the shapes of the network");
        Self { values, ..self.clone() }
    }

    /// Lets one entry of parameter `index` read as another value, held or not; returns what it read as before. For views
    /// alone: a network that is trained or saved is changed by [`write`](Self::write).
    pub fn overlay(&mut self, index: usize, entry: usize, value: f32) -> f32 {
        std::mem::replace(&mut Arc::make_mut(&mut self.values[index])[entry], value)
    }

    /// Whether both read the same arrays, so that whatever was found out about one holds for the other.
    pub fn shares_arrays(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.values.iter().zip(&other.values).all(|(a, b)| Arc::ptr_eq(a, b))
            && self.entries.iter().zip(&other.entries).all(|pair| match pair {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (None, None) => true,
                _ => false,
            })
    }
}
