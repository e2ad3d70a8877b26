//! Run directories: one writer each, readers at any time.
//!
//! ```text
//! lottery.runs/<id>/run.ron              what the run is, the digest of its data, how it ended
//!                   events.jsonl         append-only: one event on each line
//!                   checkpoint/state.safetensors   enough to go on exactly
//!                   weights.safetensors  the network at the end
//!                   pins.safetensors     what holds its entries: 0 free, 1 pruned, 2 frozen; only where any is held
//!                   faults.csv           every fault: where, and its bits before and after
//!                   trials.csv           what became of the images of every trial of a campaign
//!                   logits.csv           hashes of the logits of every trial, for a replay
//!                   campaign-*.safetensors   the network that a campaign strikes
//!                   claim                who writes here: host, process, since when
//!                   DONE | FAILED        written last
//! ```

mod about;
pub(super) mod claim;
mod stamp;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::checkpoint::{self, Checkpoint, Lengths};
use super::context::RunContext;
use super::error::RunError;
use super::listener::Listener;
use super::tables::{Table, Tables};
use crate::doc::file::write_atomically;
use crate::doc::{Run, RunSpec};
use crate::net::Network;
use crate::net::mask_file::write_masks;
use crate::net::weights_file::{tensors_of, write_tensors};
use crate::results::{Event, Report, RunRecord, RunState};
use about::{About, Outcome};
use claim::Claim;
pub use stamp::Stamp;

/// The folder of an experiment's runs: `lottery.ron` has `lottery.runs`.
pub fn folder_of(file: &Path) -> PathBuf {
    file.with_extension("runs")
}

/// The weights that a run ended with.
pub fn weights_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(id).join("weights.safetensors")
}

/// The file of the masks at the end.
pub(super) const MASKS: &str = "pins.safetensors";

/// The folder of its checkpoint, as long as it has one.
const CHECKPOINT: &str = "checkpoint";

/// What the directory of a run says that it is.
///
/// # Errors
/// When its `run.ron` cannot be read.
pub(super) fn spec_of(folder: &Path, id: &str) -> Result<RunSpec, String> {
    About::read(&folder.join(id)).map(|about| about.spec)
}

/// The arm and the seed that the directory of a run names; `None` where it cannot be read.
pub(super) fn about_of(folder: &Path, id: &str) -> Option<(String, u64)> {
    let about = About::read(&folder.join(id)).ok()?;
    Some((about.arm, about.seed))
}

/// The directory of a run that this process writes.
pub struct RunDirectory {
    path: PathBuf,
    id: String,
    about: About,
    events: File,
    written: u64,
    tables: Tables,
    /// That the run has finished, until its directory says so too.
    finished: Option<Event>,
    /// Held as long as this lives.
    _claim: Claim,
    forward: Box<dyn FnMut(Event) + Send>,
}

impl RunDirectory {
    /// Claims the directory of a run, and makes it where it is not there yet. Every event is handed to `forward` too.
    ///
    /// # Errors
    /// When another process writes there, or the disk refuses.
    pub fn claim(folder: &Path, run: &Run, forward: Box<dyn FnMut(Event) + Send>) -> Result<Self, RunError> {
        let path = folder.join(&run.id);
        let fail = |source| RunError::Disk { path: path.clone(), source };
        std::fs::create_dir_all(&path).map_err(fail)?;
        let claim = Claim::take(&path)?;
        let about = About::again(run, &path);
        if !is_done(folder, &run.id) {
            about.write(&path).map_err(fail)?;
        }
        let log = path.join("events.jsonl");
        let events = OpenOptions::new().create(true).append(true).open(log).map_err(fail)?;
        let written = events.metadata().map_err(fail)?.len();
        let tables = Tables::of(&path);
        let (id, finished) = (run.id.clone(), None);
        Ok(Self { path, id, about, events, written, tables, finished, _claim: claim, forward })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes which data the run uses, by their digest.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn note_data(&mut self, digest: String) -> Result<(), RunError> {
        self.about.data = Some(digest);
        self.write_about()
    }

    fn write_about(&self) -> Result<(), RunError> {
        self.about.write(&self.path).map_err(|source| RunError::Disk { path: self.path.clone(), source })
    }

    /// Notes how the run ended.
    fn note_outcome(&mut self, state: &str, message: &str) -> Result<(), RunError> {
        let outcome = Outcome::of(&self.path, state, message);
        let outcome = outcome.map_err(|source| RunError::Disk { path: self.path.clone(), source })?;
        self.about.outcome = Some(outcome);
        self.write_about()
    }

    /// The checkpoint to go on from. What the log says beyond it is taken back, since it will be said again; without a
    /// readable checkpoint the run starts anew with an empty log.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn resume(&mut self, context: &RunContext) -> Result<Option<Checkpoint>, RunError> {
        let found = self.read_checkpoint(context)?;
        let nothing = Lengths::default();
        let lengths = found.as_ref().map_or(&nothing, |(_, lengths)| lengths);
        let keep = lengths.events;
        let fail = |source| RunError::Disk { path: self.path.join("events.jsonl"), source };
        self.events.set_len(keep.min(self.written)).map_err(fail)?;
        self.written = keep.min(self.written);
        self.tables.cut(&lengths.tables).map_err(fail)?;
        for marker in ["DONE", "FAILED"] {
            remove_if_there(&self.path.join(marker)).map_err(fail)?;
        }
        let [points, reports, campaigns] = self.count_said().map_err(fail)?;
        (self.forward)(Event::Rewound { points, reports, campaigns });
        Ok(found.map(|(checkpoint, _)| checkpoint))
    }

    /// The checkpoint, where there is one. When it cannot be read, the log that belongs to it is kept beside the new one,
    /// and the run starts anew and says why.
    fn read_checkpoint(&mut self, context: &RunContext) -> Result<Option<(Checkpoint, Lengths)>, RunError> {
        let path = self.checkpoint_path();
        if !path.exists() {
            return Ok(None);
        }
        let error = match checkpoint::read(&path, &self.id, context) {
            Ok(found) => return Ok(Some(found)),
            Err(error) => error,
        };
        let log = self.path.join("events.jsonl");
        std::fs::copy(&log, self.path.join("events.old.jsonl"))
            .map_err(|source| RunError::Disk { path: log, source })?;
        let summary = format!(
            "the checkpoint cannot be read ({error}); the run starts over, and events.old.jsonl keeps the \
                earlier events"
        );
        (self.forward)(Event::Report(Report { kind: "checkpoint".to_owned(), summary, ..Report::default() }));
        Ok(None)
    }

    /// How many points, reports and campaigns the log holds.
    fn count_said(&self) -> std::io::Result<[usize; 3]> {
        let log = std::fs::read(self.path.join("events.jsonl"))?;
        let lines = || log.split(|byte| *byte == b'\n');
        let count = |kind: &str| {
            let start = format!(r#"{{"event":"{kind}""#);
            lines().filter(|line| line.starts_with(start.as_bytes())).count()
        };
        Ok(["point", "report", "campaign_began"].map(count))
    }

    /// Writes the weights at the end, marks the run as done, says that it has finished, and takes the checkpoint away.
    ///
    /// # Errors
    /// When the disk refuses; the checkpoint is still there then, and nothing was said.
    pub fn finish(&mut self, network: &Network) -> Result<(), RunError> {
        let about = BTreeMap::from([("run".to_owned(), self.id.clone())]);
        write_masks(&self.path.join(MASKS), network)?;
        write_tensors(&self.path.join("weights.safetensors"), &tensors_of(network), &about)?;
        self.note_outcome("done", "")?;
        self.mark("DONE", "")?;
        let _ = std::fs::remove_dir_all(self.path.join(CHECKPOINT)); // a run that is done never reads it
        if let Some(finished) = self.finished.take() {
            (self.forward)(finished);
        }
        Ok(())
    }

    /// Marks the run as failed.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn fail(&mut self, message: &str) -> Result<(), RunError> {
        self.note_outcome("failed", message)?;
        self.mark("FAILED", message)
    }

    fn mark(&self, name: &str, text: &str) -> Result<(), RunError> {
        let path = self.path.join(name);
        write_atomically(&path, text.as_bytes()).map_err(|source| RunError::Disk { path, source })
    }

    fn checkpoint_path(&self) -> PathBuf {
        self.path.join(CHECKPOINT).join("state.safetensors")
    }
}

impl Listener for RunDirectory {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        if !event.is_passing() {
            let mut line = serde_json::to_vec(&event).expect("events are made of plain data");
            line.push(b'\n');
            self.events
                .write_all(&line)
                .map_err(|source| RunError::Disk { path: self.path.join("events.jsonl"), source })?;
            self.written += line.len() as u64;
        }
        if matches!(event, Event::Stopped { .. }) {
            self.note_outcome("stopped", "")?;
        }
        if matches!(event, Event::Finished { .. }) {
            self.finished = Some(event); // the weights may yet find no room on the disk
        } else {
            (self.forward)(event);
        }
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        let path = self.checkpoint_path();
        let disk = |source| RunError::Disk { path: path.clone(), source };
        let lengths = Lengths { events: self.written, tables: self.tables.lengths() };
        let bytes = checkpoint::to_bytes(checkpoint, &self.id, &lengths)
            .map_err(|error| disk(std::io::Error::other(error)))?;
        std::fs::create_dir_all(self.path.join(CHECKPOINT)).map_err(disk)?;
        replace(&path, &bytes).map_err(disk)
    }

    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        let written = self.tables.append(table, lines);
        written.map_err(|source| RunError::Disk { path: self.tables.path(table), source })?;
        Ok(())
    }

    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        let about = BTreeMap::from([("run".to_owned(), self.id.clone())]);
        let [values, masks] = files.each_ref().map(|file| self.path.join(file));
        write_masks(&masks, network)?;
        Ok(write_tensors(&values, &tensors_of(network), &about)?)
    }
}

/// Replaces a file as a whole, without waiting for the disk: after a power cut an older checkpoint, or none, is there.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).inspect_err(|_| {
        let _ = std::fs::remove_file(&new); // half a file is of no use, least of all on a full disk
    })?;
    std::fs::rename(&new, path)
}

fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a run is done, by its directory.
pub fn is_done(folder: &Path, id: &str) -> bool {
    folder.join(id).join("DONE").exists()
}

/// What an earlier or another process left of a run; nothing where there is no log. A half-written last line is passed
/// over. A run counts as running until its directory says that it is done; one that no one writes any more as stopped,
/// also where only its last files are not written: the checkpoint is still there then. It counts as failed where the
/// directory says why.
pub fn read_record(folder: &Path, id: &str) -> Option<RunRecord> {
    let path = folder.join(id);
    let log = std::fs::read(path.join("events.jsonl")).ok()?;
    let mut record = RunRecord::of_log(&log);
    let secs = record.points().last().map_or(0.0, |point| point.secs);
    match record.state() {
        RunState::Running if !Claim::is_alive(&path) => record.apply(Event::Stopped { secs }),
        RunState::Done => {
            // In this order: who gives a claim back has written all there is.
            let is_alive = Claim::is_alive(&path);
            if !is_done(folder, id) {
                let why = || std::fs::read_to_string(path.join("FAILED"));
                record.apply(if is_alive {
                    Event::Started { resumed: true, threads: 0 } // its last files are being written
                } else {
                    why().map_or(Event::Stopped { secs }, |message| Event::Failed { message })
                });
            }
        }
        RunState::Waiting | RunState::Running | RunState::Stopped | RunState::Failed(_) => {}
    }
    (*record.state() != RunState::Waiting).then_some(record)
}

/// What earlier or other processes left of these runs, by id.
pub fn read_records(folder: &Path, runs: &[Run]) -> BTreeMap<String, RunRecord> {
    let records = runs.iter().filter_map(|run| Some((run.id.clone(), read_record(folder, &run.id)?)));
    records.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::RunSpec;

    fn run() -> Run {
        Run {
            id: "run".to_owned(),
            arm: "arm".to_owned(),
            arm_index: 0,
            seed: 1,
            spec: RunSpec::default().into(),
        }
    }

    fn silent() -> Box<dyn FnMut(Event) + Send> {
        Box::new(|_| {})
    }

    #[test]
    fn a_run_whose_last_files_are_not_written_goes_on_or_is_stopped_or_failed_and_never_done() {
        let folder = tempfile::tempdir().unwrap();
        let run = run();
        let mut directory = RunDirectory::claim(folder.path(), &run, silent()).unwrap();
        directory.event(Event::Started { resumed: false, threads: 1 }).unwrap();
        directory.event(Event::Finished { secs: 1.0 }).unwrap();
        let state = || read_record(folder.path(), &run.id).unwrap().state().clone();
        assert_eq!(state(), RunState::Running, "its last files are still to be written");
        drop(directory); // as a kill does, but for the claim
        assert_eq!(state(), RunState::Stopped);
        std::fs::write(folder.path().join(&run.id).join("FAILED"), "no room").unwrap();
        assert_eq!(state(), RunState::Failed("no room".to_owned()));
        std::fs::write(folder.path().join(&run.id).join("DONE"), "").unwrap();
        assert_eq!(state(), RunState::Done);
    }

    #[test]
    fn a_finished_run_has_no_folder_for_checkpoints() {
        let folder = tempfile::tempdir().unwrap();
        let run = run();
        let structure = crate::run::sharing::testing::network(1).structure().clone();
        let network = crate::run::context::initial_network(&run.spec, structure, 0);
        let checkpoint = Checkpoint {
            next: 0,
            inside: None,
            campaign: None,
            secs: 0.0,
            stack: vec![crate::run::State::new(network.clone(), run.spec.train.optimizer.clone())],
        };
        let mut directory = RunDirectory::claim(folder.path(), &run, silent()).unwrap();
        let kept = folder.path().join(&run.id).join("checkpoint");
        assert!(!kept.exists());
        directory.checkpoint(&checkpoint).unwrap();
        assert!(kept.join("state.safetensors").exists());
        directory.finish(&network).unwrap();
        assert!(!kept.exists());
    }

    #[test]
    fn which_data_a_run_used_stays_known_as_long_as_it_is_the_same_run() {
        let folder = tempfile::tempdir().unwrap();
        let run = run();
        let data = |run: &Run| RunDirectory::claim(folder.path(), run, silent()).unwrap().about.data.clone();
        RunDirectory::claim(folder.path(), &run, silent()).unwrap().note_data("00ff".to_owned()).unwrap();
        assert_eq!(data(&run).as_deref(), Some("00ff"));
        let told = About::read(&folder.path().join(&run.id)).unwrap();
        assert_eq!(told.data.as_deref(), Some("00ff"), "in the file too");
        let mut other = run.clone();
        std::sync::Arc::make_mut(&mut other.spec).seed += 1;
        assert_eq!(data(&other), None);
    }
}
