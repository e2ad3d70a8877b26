//! Distinct items in order of appearance.

use std::collections::BTreeSet;

/// The items without repetitions, in order of appearance.
pub fn distinct<T: Ord + Clone>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}
