//! What is known of runs: their events and records, and what can be computed of several records together.

pub mod campaign;
pub mod colours;
pub mod confusion;
pub mod event;
pub mod facets;
pub mod inventory;
pub mod methods;
pub mod metric;
pub mod network;
pub mod number;
pub mod outline;
pub mod page;
pub mod points;
mod record;
pub mod rounds;
pub mod run_state;
pub mod statistics;
pub mod table;
pub mod tickets;
pub mod tiles;
pub mod view;
pub mod weights;

use std::collections::{BTreeMap, BTreeSet};

pub use colours::{arms_of, subject_of};
pub use event::{Event, INPUTS, Point, PointRef, Report, ReportLevel};
pub use points::Points;
pub use record::{EarlyStop, RunRecord, StepStart};
pub use run_state::{RunState, Split, end_in_words, ends_in_words, has_diverged};

/// Returns the items without repetitions, in order of appearance.
pub fn distinct<T: Ord + Clone>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

/// Groups items by their keys, in the order in which these first come.
pub fn by_key<K: Ord + Clone, T>(items: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    let mut places: BTreeMap<K, usize> = BTreeMap::new();
    for (key, item) in items {
        let place = *places.entry(key).or_insert_with_key(|key| {
            groups.push((key.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(item);
    }
    groups
}

/// Returns true for what files leave out: the default of its kind.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
