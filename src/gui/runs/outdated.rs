//! Outdated runs: results with previous settings, which replace those of an arm and a seed until the current settings run.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;

use super::{DRAIN, RunNews, Runs};
use doc::{Run, RunSpec, changed_inputs};
use results::{RunRecord, RunState};
use run::StoredRun;

/// Arm, with its swept values, and seed.
pub type ArmSeed = (String, u64);

/// A run in the folder of results that the document does not list, with its record if it is the last one of an arm and a
/// seed without other results.
pub type FoundRun = (StoredRun, Option<RunRecord>);

/// The runs that the document does not list, or no longer lists.
#[derive(Default)]
pub(super) struct OutdatedRuns {
    /// Names of runs by identity.
    pub(super) names: HashMap<String, ArmSeed>,
    /// The runs of the document, as a set and in order.
    listed: HashSet<String>,
    order: Vec<String>,
    /// Settings of runs that the document has listed.
    specs: HashMap<String, Arc<RunSpec>>,
    /// Differences of inputs of outdated runs from those of runs of the document, by the identities of both; by that of the
    /// outdated one alone where it was found on the disk.
    differences: HashMap<String, HashMap<String, String>>,
    /// Runs in progress that the document no longer lists.
    strays: BTreeMap<ArmSeed, String>,
    pub(super) search: Option<Search>,
}

/// A thread that searches for runs that the document does not list.
pub(super) struct Search {
    found: Receiver<FoundRun>,
    all: usize,
    shown: usize,
    /// Those of the same settings and other inputs.
    changed: Vec<StoredRun>,
}

fn name(run: &Run) -> ArmSeed {
    (run.arm.clone(), run.seed)
}

fn has_points(record: &RunRecord) -> bool {
    !record.points().is_empty()
}

impl Runs {
    /// Remembers the runs of each arm and seed, so that their curves stay when settings change. A run that arms share is that
    /// of the first one: a copy of an arm has no history.
    pub fn remember(&mut self, runs: &[Run]) {
        let mut seen = HashSet::new();
        for run in runs {
            if seen.insert(&run.id) && self.records.get(&run.id).is_some_and(has_points) {
                self.remembered.insert(name(run), run.id.clone());
            }
        }
    }

    /// Notes the runs of the document. Names of other runs are kept as long as they have records or are in progress.
    pub fn list(&mut self, runs: &[Run]) {
        // Most edits change no run, or only the name of an arm.
        if !runs.iter().map(|run| &run.id).eq(&self.outdated.order) {
            let (records, open) = (&self.records, &self.open);
            self.outdated.names.retain(|id, _| records.contains_key(id) || open.contains(id));
            let names = &self.outdated.names;
            self.outdated.specs.retain(|id, _| names.contains_key(id));
            self.outdated.specs.extend(runs.iter().map(|run| (run.id.clone(), run.spec.clone())));
            self.compare_inputs(runs);
            self.outdated.order = runs.iter().map(|run| run.id.clone()).collect();
            self.outdated.listed = self.outdated.order.iter().cloned().collect();
        }
        for run in runs {
            let is_known = |(arm, seed): &ArmSeed| *arm == run.arm && *seed == run.seed;
            if !self.outdated.names.get(&run.id).is_some_and(is_known) {
                self.outdated.names.insert(run.id.clone(), name(run));
            }
        }
        self.find_strays();
    }

    /// Notes the runs in progress that the document does not list.
    pub(super) fn find_strays(&mut self) {
        let is_stray = |id: &&String| !self.outdated.listed.contains(*id);
        let named = |id: &String| Some((self.outdated.names.get(id)?.clone(), id.clone()));
        self.outdated.strays = self.open.iter().filter(is_stray).filter_map(named).collect();
    }

    /// Returns the run of the same arm and seed with previous settings that is in progress or waits, or has failed
    /// since the settings changed; `None` once the run itself has a record.
    pub fn stray(&self, run: &Run) -> Option<&str> {
        if self.outdated.strays.is_empty()
            || self.open.contains(&run.id)
            || self.records.contains_key(&run.id)
        {
            return None;
        }
        let id = self.outdated.strays.get(&name(run))?;
        let is_shown = self.open.contains(id) || matches!(self.state(id), RunState::Failed(_));
        is_shown.then_some(id)
    }

    /// Returns the name of a run that the document lists, or has listed.
    pub fn name(&self, run: &str) -> Option<String> {
        self.arm_seed(run).map(|(arm, seed)| doc::named(arm, *seed))
    }

    /// Returns the record that is shown for a run: its own, or, while it has no points, that of the same arm and seed
    /// with previous settings.
    pub fn shown(&self, run: &Run) -> Option<&RunRecord> {
        self.outdated(run).or_else(|| self.record(&run.id))
    }

    /// Returns true if the shown record belongs to previous settings.
    pub fn is_stale(&self, run: &Run) -> bool {
        self.outdated(run).is_some()
    }

    /// Returns the results of the same arm and seed with previous settings, while the run has no points and is not in
    /// progress.
    pub fn outdated(&self, run: &Run) -> Option<&RunRecord> {
        if self.open.contains(&run.id) || self.records.get(&run.id).is_some_and(has_points) {
            return None;
        }
        let record = |id: &str| self.records.get(id).filter(|record| has_points(record));
        let remembered = || self.remembered.get(&name(run)).filter(|id| **id != run.id);
        self.stray(run).and_then(record).or_else(|| record(remembered()?))
    }

    /// Says how the inputs of the outdated results differ from those of a run; none where its settings changed.
    pub fn changed_inputs(&self, run: &Run) -> Option<&str> {
        let id = self.stray(run).or_else(|| self.remembered.get(&name(run)).map(String::as_str))?;
        let known = self.outdated.differences.get(id)?;
        known.get(&run.id).or_else(|| known.get("")).map(String::as_str)
    }

    /// Compares outdated runs with those of the document once.
    fn compare_inputs(&mut self, runs: &[Run]) {
        let outdated = &mut self.outdated;
        for run in runs {
            let Some(id) = self.remembered.get(&name(run)).filter(|id| **id != run.id) else { continue };
            let Some(before) = outdated.specs.get(id) else { continue };
            let known = outdated.differences.entry(id.clone()).or_default();
            if !known.contains_key(&run.id)
                && let Some(difference) = changed_inputs(before, &run.spec)
            {
                known.insert(run.id.clone(), difference);
            }
        }
    }

    /// Takes runs that the document does not list, as a thread finds them.
    pub fn search(&mut self, found: Receiver<FoundRun>) {
        self.outdated.search = Some(Search { found, all: 0, shown: 0, changed: Vec::new() });
    }

    /// Returns true if a thread searches for runs that the document does not list.
    pub const fn is_searching(&self) -> bool {
        self.outdated.search.is_some()
    }

    /// Takes the runs that were found; returns their number after the last one.
    pub(super) fn take_found(&mut self) -> Option<RunNews> {
        let began = Instant::now();
        while began.elapsed() < DRAIN {
            let search = self.outdated.search.as_mut()?;
            match search.found.try_recv() {
                // What is known of the user's data may have come meanwhile, and is part of what a run is.
                Ok((StoredRun { id, .. }, record)) if self.outdated.listed.contains(&id) => {
                    if let Some(record) = record {
                        self.records.entry(id).or_insert(record);
                        self.revision += 1;
                    }
                }
                Ok((run, record)) => {
                    search.all += 1;
                    if let Some(difference) = &run.difference {
                        let known = self.outdated.differences.entry(run.id.clone()).or_default();
                        known.insert(String::new(), difference.clone());
                        search.changed.push(run.clone());
                    }
                    let StoredRun { id, arm, seed, .. } = run;
                    let Some(record) = record else { continue };
                    search.shown += 1;
                    self.outdated.names.insert(id.clone(), (arm.clone(), seed));
                    // Runs of this window are newer.
                    self.remembered.entry((arm, seed)).or_insert_with(|| id.clone());
                    self.records.entry(id).or_insert(record);
                    self.revision += 1;
                }
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    let Search { all, shown, changed, .. } = self.outdated.search.take()?;
                    return (all > 0).then_some(RunNews::Outdated { all, shown, changed });
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::file::parse;
    use results::{Event, Point};

    #[test]
    fn a_copy_of_an_arm_has_no_history() {
        let runs_of = |copy: &str| {
            let text = format!("(arms: [(name: \"dense\", plan: [Test]), (name: \"new\", plan: [{copy}])])");
            doc::runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap()
        };
        let before = runs_of("Test");
        assert_eq!(before[0].id, before[1].id, "equal arms share a run");
        let record = RunRecord::from_events([Event::Point(Point::default()), Event::Finished { secs: 1.0 }]);
        let mut runs = Runs::from_records(BTreeMap::from([(before[0].id.clone(), record)]));
        runs.list(&before);
        runs.remember(&before);
        let after = runs_of("Test, Test");
        runs.list(&after);
        assert!(!runs.is_stale(&after[1]), "the results are those of dense");
        let changed = Run { arm: "dense".to_owned(), ..after[1].clone() };
        assert!(runs.is_stale(&changed), "dense itself would keep its curve");
    }
}
