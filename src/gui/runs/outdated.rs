//! Outdated runs: results with earlier settings that stand in for an arm and a seed until the current settings have run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;

use super::{DRAIN, RunNews, Runs};
use crate::doc::Run;
use crate::results::{RunRecord, RunState};
use crate::run::OutdatedRun;

/// Arm, with its swept values, and seed.
pub type ArmSeed = (String, u64);

/// A run in the folder of results that the document does not list, with what it has to say where it is the last one of
/// an arm and a seed that have nothing else to show.
pub type FoundRun = (OutdatedRun, Option<RunRecord>);

/// What is known of runs that the document does not list, or not any more.
#[derive(Default)]
pub(super) struct OutdatedRuns {
    /// What runs are called, by identity.
    names: BTreeMap<String, ArmSeed>,
    /// The runs of the document, also in its order.
    listed: BTreeSet<String>,
    order: Vec<String>,
    /// Runs that went on when the document ceased to list them.
    strays: BTreeMap<ArmSeed, String>,
    search: Option<Search>,
}

/// A thread that looks for runs which the document does not list.
struct Search {
    found: Receiver<FoundRun>,
    all: usize,
    shown: usize,
}

fn name(run: &Run) -> ArmSeed {
    (run.arm.clone(), run.seed)
}

fn has_points(record: &RunRecord) -> bool {
    !record.points().is_empty()
}

impl Runs {
    /// Remembers which runs stood for their arm and seed, so that their curves stay when settings change.
    pub fn remember(&mut self, runs: &[Run]) {
        for run in runs {
            if self.records.get(&run.id).is_some_and(has_points) {
                self.earlier.insert(name(run), run.id.clone());
            }
        }
    }

    /// Notes which runs the document lists now. Names of others are kept as long as they have something to say.
    pub fn list(&mut self, runs: &[Run]) {
        // Most edits leave the runs what they are, and change the name of an arm at most.
        if !runs.iter().map(|run| &run.id).eq(&self.past.order) {
            let (records, open) = (&self.records, &self.open);
            self.past.names.retain(|id, _| records.contains_key(id) || open.contains(id));
            self.past.order = runs.iter().map(|run| run.id.clone()).collect();
            self.past.listed = self.past.order.iter().cloned().collect();
        }
        for run in runs {
            let is_known = |(arm, seed): &ArmSeed| *arm == run.arm && *seed == run.seed;
            if !self.past.names.get(&run.id).is_some_and(is_known) {
                self.past.names.insert(run.id.clone(), name(run));
            }
        }
        self.find_strays();
    }

    /// Notes which of the runs that go on the document does not list.
    pub(super) fn find_strays(&mut self) {
        let is_stray = |id: &&String| !self.past.listed.contains(*id);
        let named = |id: &String| Some((self.past.names.get(id)?.clone(), id.clone()));
        self.past.strays = self.open.iter().filter(is_stray).filter_map(named).collect();
    }

    /// The run of the same arm and seed that goes on or waits for its turn under earlier settings, or has failed since
    /// they were changed; as long as there is nothing of the run itself.
    pub fn stray(&self, run: &Run) -> Option<&str> {
        if self.past.strays.is_empty() || self.open.contains(&run.id) || self.records.contains_key(&run.id) {
            return None;
        }
        let id = self.past.strays.get(&name(run))?;
        let is_told = self.open.contains(id) || matches!(self.state(id), RunState::Failed(_));
        is_told.then_some(id)
    }

    /// What a run is called that the document does not list any more.
    pub fn name(&self, run: &str) -> Option<String> {
        let (arm, seed) = self.past.names.get(run)?;
        Some(format!("{arm}, seed {seed}"))
    }

    /// What is shown of a run: its record, or while it has no points that of the same arm and seed under earlier settings.
    pub fn shown(&self, run: &Run) -> Option<&RunRecord> {
        self.earlier(run).or_else(|| self.record(&run.id))
    }

    /// Whether what is shown belongs to earlier settings.
    pub fn is_stale(&self, run: &Run) -> bool {
        self.earlier(run).is_some()
    }

    /// The results of the same arm and seed under earlier settings that stand for a run while it has no points and does
    /// not go on.
    pub fn earlier(&self, run: &Run) -> Option<&RunRecord> {
        if self.open.contains(&run.id) || self.records.get(&run.id).is_some_and(has_points) {
            return None;
        }
        let record = |id: &str| self.records.get(id).filter(|record| has_points(record));
        let remembered = || self.earlier.get(&name(run)).filter(|id| **id != run.id);
        self.stray(run).and_then(record).or_else(|| record(remembered()?))
    }

    /// Takes runs that the document does not list, as they are found.
    pub fn search(&mut self, found: Receiver<FoundRun>) {
        self.past.search = Some(Search { found, all: 0, shown: 0 });
    }

    /// Forgets what was being looked for.
    pub(super) fn give_up_search(&mut self) {
        self.past.search = None;
    }

    /// Whether runs that the document does not list are being looked for.
    pub const fn is_searching(&self) -> bool {
        self.past.search.is_some()
    }

    /// Takes what was found; how many there are, once that was all.
    pub(super) fn take_found(&mut self) -> Option<RunNews> {
        let began = Instant::now();
        while began.elapsed() < DRAIN {
            let search = self.past.search.as_mut()?;
            match search.found.try_recv() {
                Ok((OutdatedRun { id, arm, seed }, record)) => {
                    search.all += 1;
                    let Some(record) = record else { continue };
                    search.shown += 1;
                    self.past.names.insert(id.clone(), (arm.clone(), seed));
                    // What was here in this window is newer.
                    self.earlier.entry((arm, seed)).or_insert_with(|| id.clone());
                    self.records.entry(id).or_insert(record);
                    self.revision += 1;
                }
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    let Search { all, shown, .. } = self.past.search.take()?;
                    return (all > 0).then_some(RunNews::Outdated { all, shown });
                }
            }
        }
        None
    }
}
