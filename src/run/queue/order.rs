//! `queue.ron` beside the runs: their order and priorities, so that both survive a restart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use doc::file::write_atomically;
use form::ron_text;

/// The file in the folder of an experiment's runs.
const FILE: &str = "queue.ron";

/// The order of an experiment's runs, as far as somebody chose one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOrder {
    /// Priorities by identity; runs that are not here have 0.
    pub priorities: BTreeMap<String, i32>,
    /// Identities in their order. Runs that are not here follow in the order of the document.
    pub order: Vec<String>,
}

impl RunOrder {
    /// The order of the runs in a folder. Without a file, or with one that cannot be read, it is that of the document: an
    /// order changes no result.
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(FILE)).ok();
        text.and_then(|text| ron_text::from_str(&text).ok()).unwrap_or_default()
    }

    /// Writes it into the folder of the runs.
    ///
    /// # Errors
    /// The system's error.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        let text = ron_text::to_pretty(self).map_err(std::io::Error::other)?;
        write_atomically(&folder.join(FILE), text.as_bytes())
    }

    /// The priority of a run.
    pub fn priority(&self, run: &str) -> i32 {
        self.priorities.get(run).copied().unwrap_or_default()
    }

    /// Puts what has these identities into this order; of what waits, the highest priority is next all the same.
    pub fn sort<T>(&self, items: &mut [T], run: impl Fn(&T) -> &str) {
        let places: BTreeMap<&str, usize> =
            self.order.iter().enumerate().map(|(place, run)| (run.as_str(), place)).collect();
        items.sort_by_key(|item| places.get(run(item)).copied().unwrap_or(usize::MAX)); // stable
    }

    /// Takes in the order of runs with their priorities; others keep theirs and follow.
    pub fn take_in<'a>(&mut self, runs: impl Iterator<Item = (&'a str, i32)>) {
        let mut order: Vec<String> = Vec::new();
        for (run, priority) in runs {
            order.push(run.to_owned());
            if priority == 0 {
                self.priorities.remove(run);
            } else {
                self.priorities.insert(run.to_owned(), priority);
            }
        }
        let others = std::mem::take(&mut self.order).into_iter();
        let known: BTreeSet<String> = order.iter().cloned().collect();
        self.order = order;
        self.order.extend(others.filter(|run| !known.contains(run)));
    }
}
