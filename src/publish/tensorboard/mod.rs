//! Event files for TensorBoard, and for what reads its files.
//!
//! ```text
//! DIR/weightlab-export.json                   whose folders these are
//!     events.out.tfevents.0.weightlab         names of settings and metrics; methods and experiment as text
//!     ARM/seed-1/events.out.tfevents.0.weightlab   what one run has measured, in the order of time
//! ```
//!
//! The step of a point is the number of mini-batches that its network was trained with in all, so that it never goes back
//! when a network is rewound. Its wall time is the time of day.

mod event;
mod hparams;
mod tags;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::{PublishError, Selected};
use doc::Run;
use doc::file::write_atomically;
use doc::file_names::filled;
use event::{EventFile, When};
use hparams::Hparams;
use results::methods::methods;
use results::{PointRef, RunRecord};
use tags::{Tagged, Tags, histograms, path_of};

/// TensorBoard looks for `tfevents` in the names of files. A number that is the same each time lets an export replace an
/// earlier one.
const FILE: &str = "events.out.tfevents.0.weightlab";

/// The outcome of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub runs: usize,
    pub points: usize,
    pub histograms: usize,
    /// What could not be read and was left out.
    pub notes: Vec<String>,
}

/// Writes the event files of the selected runs into a folder, which is made where it is not there. Each file is replaced as
/// a whole; files of runs that are not selected stay.
///
/// # Errors
/// When the folder has something else in it, there are no results, or the disk refuses.
pub fn write(selected: &Selected<'_>, place: &Path) -> Result<Written, PublishError> {
    let begun: Vec<(&Run, &RunRecord)> = selected.begun().collect();
    if begun.is_empty() {
        return Err(PublishError::NoResults { folder: selected.folder.to_owned() });
    }
    let mut folders = Folders::read(place)?;
    let runs: Vec<Run> = begun.iter().map(|(run, _)| (*run).clone()).collect();
    let paths = folders.take(&runs);
    make(place)?;
    // First of all: what follows an interrupted export still finds its own folder.
    folders.write(place)?;
    let hparams = Hparams::new(selected.all);
    let mut written = Written::default();
    let mut earliest = f64::INFINITY;
    for ((run, record), folder) in begun.into_iter().zip(paths) {
        let tags = Tags::new(record, last_written(&selected.folder.join(&run.id)));
        earliest = earliest.min(tags.began());
        let bytes = of_run(selected, &hparams, (run, record), tags, &mut written);
        let folder = place.join(folder);
        make(&folder)?;
        store(&folder.join(FILE), &bytes)?;
        written.runs += 1;
    }
    store(&place.join(FILE), &of_all(selected, &hparams, earliest))?;
    Ok(written)
}

fn make(folder: &Path) -> Result<(), PublishError> {
    std::fs::create_dir_all(folder).map_err(PublishError::writing(folder))
}

fn store(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    write_atomically(path, bytes).map_err(PublishError::writing(path))
}

/// Returns the time when the log of a run was written last, seconds since 1970-01-01 00:00 UTC.
fn last_written(directory: &Path) -> f64 {
    let modified = std::fs::metadata(directory.join("events.jsonl")).and_then(|about| about.modified());
    let since = modified.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.unwrap_or_default().as_secs_f64()
}

/// Writes the file that holds for all runs: the names of settings and metrics, and the texts.
fn of_all(selected: &Selected<'_>, hparams: &Hparams, began: f64) -> Vec<u8> {
    let when = When { wall_time: began, step: 0 };
    let mut file = EventFile::new(began);
    hparams.write_experiment(&mut file, when, selected);
    let records = selected.begun().map(|(_, record)| record);
    if let Ok(text) = methods(selected.experiment, records) {
        file.text(when, "methods", &text.replace('\n', "\n\n"));
    }
    let fence = fence(selected.text);
    file.text(when, "experiment", &format!("{fence}rust\n{}\n{fence}\n", selected.text.trim_end()));
    file.into_bytes()
}

/// Returns a fence of Markdown that is longer than any in a text.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '~').map(str::len).max().unwrap_or_default();
    "~".repeat(3.max(1 + longest))
}

fn of_run(
    selected: &Selected<'_>,
    hparams: &Hparams,
    (run, record): (&Run, &RunRecord),
    mut tags: Tags<'_>,
    written: &mut Written,
) -> Vec<u8> {
    let began = When { wall_time: tags.began(), step: 0 };
    let mut file = EventFile::new(began.wall_time);
    hparams.write_start(&mut file, began, run);
    let (histograms, notes) = histograms(selected.folder, run, record, &tags);
    written.notes.extend(notes);
    written.histograms += histograms.len();
    let mut histograms = histograms.into_iter().peekable();
    let mut positions = BTreeMap::new();
    let mut last = began;
    for point in record.points().iter() {
        let (tag, when) = tags.next_point(&point);
        while let Some(Tagged { when, tag, value }) =
            histograms.next_if(|other| other.when.wall_time < when.wall_time)
        {
            file.histogram(when, &tag, &value);
        }
        write_position(&mut file, &point, tags.when(&point), &mut positions);
        file.scalar(when, &tag, point.value);
        last = when;
        written.points += 1;
    }
    for Tagged { when, tag, value } in histograms {
        file.histogram(when, &tag, &value);
    }
    file.text(last, "run", &about(run, record));
    let end = When { wall_time: tags.wall_time(record.progress().secs).max(last.wall_time), ..last };
    Hparams::write_end(&mut file, end, record);
    file.into_bytes()
}

/// Writes the position of a point in its training as curves, unless it is that of the one before; `known` has the last
/// position of each branch.
fn write_position(
    file: &mut EventFile,
    point: &PointRef<'_>,
    when: When,
    known: &mut BTreeMap<String, [u64; 3]>,
) {
    let own = [point.epoch.to_bits(), point.iteration, point.remaining.to_bits()];
    if point.member.is_some() || known.insert(point.branch.to_owned(), own) == Some(own) {
        return;
    }
    let values =
        [("epoch", point.epoch), ("iteration", point.iteration as f64), ("remaining", point.remaining)];
    for (name, value) in values {
        file.scalar(when, &format!("position/{name}{}", path_of(point.branch, None)), value);
    }
}

/// Describes a run and what its stages reported, in Markdown.
fn about(run: &Run, record: &RunRecord) -> String {
    let why = record.failure().map_or_else(String::new, |why| format!(" ({why})"));
    let state = record.state().word();
    let reports = record.reports().iter().map(|report| format!("\n- {}", report.summary));
    let head = format!("Arm **{}**, seed {}, run `{}`: {state}{why}.\n", run.arm, run.seed, run.id);
    std::iter::once(head).chain(reports).collect()
}

/// The file that makes a folder one of ours.
const MANIFEST: &str = "weightlab-export.json";

/// The most characters of an arm's name in that of a folder: file systems have 255 bytes for it.
const LONGEST: usize = 60;

/// The folders that exports have written, as [`MANIFEST`] keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Folders {
    format: String,
    /// Identities of runs by their folders, which are relative and have `/` between their parts.
    runs: BTreeMap<String, String>,
}

/// The value of [`Folders::format`].
const FORMAT: &str = "weightlab tensorboard 1";

impl Folders {
    /// Reads the folders of earlier exports to this place, which may be missing or empty.
    ///
    /// # Errors
    /// When something else is there.
    fn read(place: &Path) -> Result<Self, PublishError> {
        let foreign = || PublishError::Foreign { path: place.to_owned() };
        let new = || Self { format: FORMAT.to_owned(), runs: BTreeMap::new() };
        let mut files = match std::fs::read_dir(place) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(new()),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Err(foreign()),
            Err(error) => return Err(PublishError::reading(place)(error)),
        };
        if files.next().is_none() {
            return Ok(new());
        }
        let text = std::fs::read_to_string(place.join(MANIFEST)).map_err(|_| foreign())?;
        let known: Option<Self> = serde_json::from_str(&text).ok();
        known.filter(|known| known.format == FORMAT).ok_or_else(foreign)
    }

    /// Writes what [`read`](Self::read) reads.
    ///
    /// # Errors
    /// When the disk refuses.
    fn write(&self, place: &Path) -> Result<(), PublishError> {
        let text = serde_json::to_string_pretty(self).expect("names can be written") + "\n";
        store(&place.join(MANIFEST), text.as_bytes())
    }

    /// Returns the folder of each run, relative: `ARM/seed-1`. A folder belongs to the run that had it first, also where its arm has
    /// another name now. Another run of an arm and seed that read alike, of another version of the settings for instance,
    /// has its identity behind it. Arms that share a run have a folder each.
    fn take(&mut self, runs: &[Run]) -> Vec<PathBuf> {
        let known = self.runs.clone();
        let of_arm = |run: &Run| names_of(run).into_iter().find(|folder| known.get(folder) == Some(&run.id));
        let own: Vec<Option<String>> = runs.iter().map(of_arm).collect();
        let mut used: BTreeSet<String> = own.iter().flatten().cloned().collect();
        // Some systems do not tell A from a.
        let mut taken: BTreeSet<String> = known.keys().map(|folder| folder.to_lowercase()).collect();
        let mut of_run: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for (folder, id) in &known {
            of_run.entry(id).or_default().push(folder);
        }
        let folder = |(run, own): (&Run, Option<String>)| {
            let earlier = || of_run.get(run.id.as_str())?.iter().find(|folder| !used.contains(**folder));
            let folder = own.or_else(|| earlier().map(|folder| String::clone(folder))).unwrap_or_else(|| {
                let [plain, own] = names_of(run);
                if taken.contains(&plain.to_lowercase()) { own } else { plain }
            });
            used.insert(folder.clone());
            taken.insert(folder.to_lowercase());
            self.runs.insert(folder.clone(), run.id.clone());
            PathBuf::from(folder)
        };
        runs.iter().zip(own).map(folder).collect()
    }
}

/// Returns the folder of a run, and the one that it has where another run has that.
fn names_of(run: &Run) -> [String; 2] {
    let arm: String = filled("{arm}", &run.arm, run.seed).chars().take(LONGEST).collect();
    let arm = arm.trim_end_matches('.'); // Windows drops dots at the end
    let plain = format!("{}/seed-{}", if arm.is_empty() { "arm" } else { arm }, run.seed);
    let own = format!("{plain}-{}", run.id);
    [plain, own]
}

#[cfg(test)]
mod tests;
