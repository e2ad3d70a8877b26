//! Run directories: one writer each, readers at any time.
//!
//! ```text
//! lottery.runs/<id>/run.json             what the run is, what computes it, digest of its data, how it ended
//!                   events.jsonl         append-only: one event on each line
//!                   checkpoint/state.safetensors   enough to resume exactly
//!                   checkpoint/state.older.safetensors   an earlier one, in case that one is damaged
//!                   weights.safetensors  the network at the end
//!                   pins.safetensors     what holds its entries: 0 free, 1 pruned, 2 frozen; only where any is held
//!                   faults.csv           every fault: where, and its bits before and after
//!                   trials.csv           what became of the images of every trial of a campaign
//!                   logits.csv           hashes of the logits of every trial, for a replay
//!                   histograms.jsonl     histograms of weights at each evaluation, where they are recorded
//!                   rounds/step-N.safetensors   the network after the training of step N, where it is recorded
//!                   campaign-*.safetensors   the network that a campaign injects faults into
//!                   exports/             the files that the plan has written
//!                   claim                who writes here: host, process, since when
//!                   DONE | FAILED        written last
//! ```

mod about;
mod claim;
mod generations;
mod process;
mod states;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::checkpoint::{self, Checkpoint, Lengths};
use super::context::RunContext;
use super::error::RunError;
use super::listener::{Listener, Table, Tables};
use super::session::report;
use about::{About, NO_BITS, RecordedEnd};
pub use about::{Machine, Provenance, StoredRun, convert_old_runs, provenance};
use claim::Claim;
pub use claim::{Hold, writer_of};
use doc::file::{remove_if_there, remove_unfinished, write_atomically};
use doc::{Inventory, Run, RunSpec};
use generations::{Generations, check_lengths, flush_folder};
use net::Network;
use net::weights_file::{note_of_writer, tensors_of, write_held, write_tensors};
use results::{Event, Report, RunRecord, RunState, inventory};
pub use states::{Stamp, read_states};

/// Returns the folder of an experiment's runs: `lottery.ron` has `lottery.runs`.
pub fn folder_of(file: &Path) -> PathBuf {
    file.with_extension("runs")
}

/// Returns the weights that a run ended with.
pub fn weights_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(id).join("weights.safetensors")
}

/// The file of the masks at the end.
pub(super) const MASKS: &str = "pins.safetensors";

/// Reads the settings of a run from its directory.
pub(super) fn spec_of(folder: &Path, id: &str) -> Result<RunSpec, String> {
    About::read(&folder.join(id)).map(|about| about.into_spec(id))
}

/// The directory of a run that this process writes.
pub struct RunDirectory {
    path: PathBuf,
    id: String,
    about: About,
    events: File,
    written: u64,
    tables: Tables,
    kept: Generations,
    /// Why the run starts over and what is in its data, to be reported once it has begun: a start clears the record.
    to_report: Vec<Report>,
    /// The event of the run's end, held back until its directory is complete.
    finished: Option<Event>,
    /// Asked before anything is written, and released on drop.
    claim: Claim,
    forward: Box<dyn FnMut(Event) + Send>,
}

impl RunDirectory {
    /// Claims the directory of a run, and makes it where it is not there yet. Every event is handed to `forward` too.
    pub fn claim(folder: &Path, run: &Run, forward: Box<dyn FnMut(Event) + Send>) -> Result<Self, RunError> {
        let path = folder.join(&run.id);
        std::fs::create_dir_all(&path).map_err(RunError::disk(&path))?;
        let claim = Claim::take(&path)?;
        remove_unfinished(&path);
        let about = About::again(run, &path);
        if !is_done(folder, &run.id) {
            about.write(&path).map_err(RunError::disk(&path))?;
        }
        let log = path.join("events.jsonl");
        let events = OpenOptions::new().create(true).append(true).open(log).map_err(RunError::disk(&path))?;
        let written = events.metadata().map_err(RunError::disk(&path))?.len();
        let (tables, kept) = (Tables::new(&path), Generations::new(&path));
        let (id, to_report, finished) = (run.id.clone(), Vec::new(), None);
        Ok(Self { path, id, about, events, written, tables, kept, to_report, finished, claim, forward })
    }

    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes which data the run uses, by their digest.
    pub fn note_data(&mut self, digest: String) -> Result<(), RunError> {
        self.about.data = Some(digest);
        self.write_about()
    }

    /// Notes which GPU computes, where one does.
    pub fn note_hardware(&mut self, hardware: Option<&str>) -> Result<(), RunError> {
        let (Some(hardware), Some(machine)) = (hardware, &mut self.about.machine) else { return Ok(()) };
        hardware.clone_into(&mut machine.gpu);
        NO_BITS.clone_into(&mut machine.bits);
        self.write_about()
    }

    fn write_about(&self) -> Result<(), RunError> {
        self.claim.confirm()?;
        self.about.write(&self.path).map_err(RunError::disk(&self.path))
    }

    fn note_outcome(&mut self, state: &str, message: &str) -> Result<(), RunError> {
        let end = RecordedEnd::read(&self.path, state, message).map_err(RunError::disk(&self.path))?;
        self.about.outcome = Some(end);
        self.write_about()
    }

    /// Reads the checkpoint to resume from. Cuts the log there, since the run repeats the events after it; without a checkpoint that
    /// can be used the run starts over with an empty log.
    pub fn resume(&mut self, context: &RunContext) -> Result<Option<Checkpoint>, RunError> {
        self.claim.confirm()?;
        let (checkpoint, lengths) = self.read_checkpoint(context)?.unzip();
        let lengths = lengths.unwrap_or_default();
        let log = self.log();
        let fail = RunError::disk(&log);
        self.written = lengths.events;
        self.events.set_len(self.written).map_err(&fail)?;
        self.tables.cut(&lengths.tables).map_err(&fail)?;
        for marker in ["DONE", "FAILED"] {
            remove_if_there(&self.path.join(marker)).map_err(&fail)?;
        }
        let [points, reports, campaigns] = count_events(&log).map_err(&fail)?;
        (self.forward)(Event::Rewound { points, reports, campaigns });
        Ok(checkpoint)
    }

    /// Reads the newest checkpoint that can be used, where there is one: it can be read, and the log and the tables are as long as they
    /// were. The run reports why it takes an older one. Where none can be used, the log is kept next to the new one, and the
    /// run starts over and reports why.
    fn read_checkpoint(&mut self, context: &RunContext) -> Result<Option<(Checkpoint, Lengths)>, RunError> {
        let log = self.log();
        let mut refused: Option<(PathBuf, String)> = None;
        for path in self.kept.paths() {
            let bytes = match std::fs::read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                read => read.map_err(RunError::disk(&path))?,
            };
            let read = checkpoint::read(&bytes, &self.id, context);
            let found = read.map_err(|error| format!("the checkpoint cannot be read ({error})"));
            match found.and_then(|found| check_lengths(&self.path, &found.1).map(|()| found)) {
                Ok(found) => {
                    if let Some((newest, why)) = refused {
                        remove_if_there(&newest).map_err(RunError::disk(&newest))?;
                        self.report_checkpoint(&why, "goes on from the checkpoint before it");
                    }
                    return Ok(Some(found));
                }
                Err(why) => refused = refused.or(Some((path, why))),
            }
        }
        if let Some((_, why)) = refused {
            std::fs::copy(&log, self.path.join("events.old.jsonl")).map_err(RunError::disk(&log))?;
            self.report_checkpoint(&why, "starts over, and events.old.jsonl keeps the earlier events");
            self.kept.remove();
        }
        Ok(None)
    }

    fn report_checkpoint(&mut self, why: &str, what: &str) {
        self.to_report.push(report("checkpoint", format!("{why}; the run {what}")).warning());
    }

    fn log(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    /// Waits until the log and the tables are on the disk.
    fn flush(&self) -> Result<(), RunError> {
        self.events.sync_data().map_err(RunError::disk(&self.log()))?;
        self.tables.flush().map_err(RunError::disk(&self.path))?;
        flush_folder(&self.path);
        Ok(())
    }

    /// Notes what was found in the data, to be reported when the run begins.
    pub fn note_inventory(&mut self, inventory: &Inventory) {
        self.to_report.push(inventory::report(inventory));
    }

    /// Writes the final weights, marks the run as done, removes the checkpoint, and sends the event of the end.
    pub fn finish(&mut self, network: &Network) -> Result<(), RunError> {
        self.write_network(["weights.safetensors", MASKS], network)?;
        self.note_outcome("done", "")?;
        self.flush()?;
        self.mark("DONE", "")?;
        self.kept.remove();
        if let Some(finished) = self.finished.take() {
            (self.forward)(finished);
        }
        Ok(())
    }

    /// Writes a network: its values, and what holds them.
    fn write_network(&self, files: [&str; 2], network: &Network) -> Result<(), RunError> {
        self.claim.confirm()?;
        let [values, masks] = files.map(|file| self.path.join(file));
        let folder = values.parent().unwrap_or(&self.path); // it may be one of a round
        std::fs::create_dir_all(folder).map_err(RunError::disk(folder))?;
        write_held(&masks, network)?;
        let note = note_of_writer(&[("run", self.id.as_str().into())], &self.about.spec.data);
        Ok(write_tensors(&values, &tensors_of(network), Some(note))?)
    }

    /// Marks the run as failed.
    pub fn fail(&mut self, message: &str) -> Result<(), RunError> {
        self.note_outcome("failed", message)?;
        self.mark("FAILED", message)
    }

    fn mark(&self, name: &str, text: &str) -> Result<(), RunError> {
        self.claim.confirm()?;
        let path = self.path.join(name);
        write_atomically(&path, text.as_bytes()).map_err(RunError::disk(&path))
    }
}

impl Listener for RunDirectory {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        if !event.is_transient() {
            let mut line = serde_json::to_vec(&event).expect("events are made of plain data");
            line.push(b'\n');
            self.claim.confirm()?;
            self.events.write_all(&line).map_err(RunError::disk(&self.log()))?;
            self.written += line.len() as u64;
        }
        if matches!(event, Event::Stopped { .. }) {
            self.note_outcome("stopped", "")?;
        }
        let is_start = matches!(event, Event::Started { .. });
        let reports = if is_start { std::mem::take(&mut self.to_report) } else { Vec::new() };
        if matches!(event, Event::Finished { .. }) {
            self.finished = Some(event); // the disk may yet be full when the weights are written
        } else {
            (self.forward)(event);
        }
        reports.into_iter().try_for_each(|report| self.event(Event::Report(report)))
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.claim.confirm()?;
        let lengths = Lengths { events: self.written, tables: self.tables.lengths() };
        let bytes = checkpoint::to_bytes(checkpoint, &self.id, &lengths)
            .map_err(|error| RunError::disk(&self.path)(std::io::Error::other(error)))?;
        let wait = self.kept.wait_begins();
        if wait.is_some() {
            self.flush()?;
        }
        self.kept.replace(&bytes, wait, || self.claim.confirm())
    }

    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        self.claim.confirm()?;
        self.tables.append(table, lines).map_err(RunError::disk(&self.tables.path(table)))
    }

    fn may_write(&mut self) -> Result<(), RunError> {
        self.claim.confirm()
    }

    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        self.write_network(files.each_ref().map(String::as_str), network)
    }
}

/// Counts the points, reports and campaigns in a log.
fn count_events(log: &Path) -> std::io::Result<[usize; 3]> {
    let log = std::fs::read(log)?;
    let count = |kind: &str| {
        let start = format!(r#"{{"event":"{kind}""#);
        log.split(|byte| *byte == b'\n').filter(|line| line.starts_with(start.as_bytes())).count()
    };
    Ok(["point", "report", "campaign_began"].map(count))
}

/// Returns true if a run is done, by its directory.
pub fn is_done(folder: &Path, id: &str) -> bool {
    folder.join(id).join("DONE").exists()
}

/// Reads the record that a previous or another process left of a run; nothing where there is no log. Skips a half-written last
/// line. A run counts as running until its directory is marked as done. Without a writer it counts as stopped, even where
/// only its last files are missing, since the checkpoint is still there then; it counts as failed where the directory has
/// the reason.
pub fn read_record(folder: &Path, id: &str) -> Option<RunRecord> {
    let path = folder.join(id);
    let log = std::fs::read(path.join("events.jsonl")).ok()?;
    let mut record = RunRecord::of_log(&log);
    let secs = record.points().last().map_or(0.0, |point| point.secs);
    match record.state() {
        RunState::Running if !Claim::is_alive(&path) => record.apply(Event::Stopped { secs }),
        RunState::Done => {
            // In this order: a process has written everything before it releases its claim.
            let is_alive = Claim::is_alive(&path);
            if !is_done(folder, id) {
                let why = std::fs::read_to_string(path.join("FAILED"));
                record.apply(match why {
                    _ if is_alive => Event::Started { resumed: true, threads: 0 }, // its last files are being written
                    Ok(message) => Event::Failed { message },
                    Err(_) => Event::Stopped { secs },
                });
            }
        }
        RunState::Waiting | RunState::Running | RunState::Stopped | RunState::Failed(_) => {}
    }
    (*record.state() != RunState::Waiting).then_some(record)
}

/// Reads the records that previous or other processes left of these runs, by id.
pub fn read_records(folder: &Path, runs: &[Run]) -> BTreeMap<String, RunRecord> {
    let records = read_each(folder, runs, |run, record| Some((run.id.clone(), record?)));
    records.into_iter().flatten().collect()
}

/// Reads each run, and returns what `known` makes of each of these runs and of the record that a previous or another process left of it, in the order of
/// the runs. No record is kept: those of thousands of runs with thousands of points would fill the memory.
pub fn read_each<T: Send>(
    folder: &Path,
    runs: &[Run],
    known: impl Fn(&Run, Option<RunRecord>) -> T + Sync,
) -> Vec<T> {
    runs.par_iter().map(|run| known(run, read_record(folder, &run.id))).collect()
}
