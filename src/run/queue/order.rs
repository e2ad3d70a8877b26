//! `queue.json` beside the runs: their order, which survives a restart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use doc::file::{read_kept, write_kept};

/// The file in the folder of an experiment's runs, without its ending.
const NAME: &str = "queue";

/// The order of an experiment's runs, as far as somebody chose one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOrder {
    /// Identities in their order. Runs that are not here follow in the order of the document.
    pub order: Vec<String>,
}

impl RunOrder {
    /// The order of the runs in a folder. Without a file, or with one that cannot be read, it is that of the document: an
    /// order changes no result.
    pub fn read(folder: &Path) -> Self {
        read_kept(folder, NAME).ok().flatten().unwrap_or_default()
    }

    /// Writes it into the folder of the runs.
    ///
    /// # Errors
    /// The system's error.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        write_kept(folder, NAME, self)
    }

    /// Puts what has these identities into this order.
    pub fn sort<T>(&self, items: &mut [T], run: impl Fn(&T) -> &str) {
        let places: BTreeMap<&str, usize> =
            self.order.iter().enumerate().map(|(place, run)| (run.as_str(), place)).collect();
        items.sort_by_key(|item| places.get(run(item)).copied().unwrap_or(usize::MAX)); // stable
    }

    /// Puts these runs first, in this order; others keep theirs and follow.
    pub fn put_first(&mut self, runs: Vec<String>) {
        let known: BTreeSet<&String> = runs.iter().collect();
        let mut others = std::mem::take(&mut self.order);
        others.retain(|run| !known.contains(run));
        self.order = runs;
        self.order.extend(others);
    }
}
