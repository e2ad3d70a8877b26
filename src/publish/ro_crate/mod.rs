//! A crate: a folder with an experiment, its results and where they come from, as RO-Crate 1.2.
//!
//! ```text
//! ro-crate-metadata.json       what everything is, where it comes from, its digests
//! README.md                    how to read it
//! first.ron                    the experiment
//! first.runs/<run>/…           the results, as Weightlab reads them
//! report.html                  the report
//! points.csv                   all points
//! ```

mod metadata;
mod options;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::report::{self, ReportInput};
use super::{PublishError, Selected, write_points};
use data::{Places, copied};
use doc::Run;
use doc::file::{UNFINISHED, kept_files};
pub use options::{Author, CrateOptions, Licence};
use results::RunRecord;
use results::view::{self, ViewSettings};
use run::Provenance;

use metadata::{Content, CratedRun, Part, document, graph, time};

const METADATA: &str = "ro-crate-metadata.json";
const README: &str = "README.md";
const REPORT: &str = "report.html";
const POINTS: &str = "points.csv";

/// The outcome of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub runs: usize,
    pub files: usize,
    pub bytes: u64,
    /// What somebody should know before handing it on.
    pub notes: Vec<String>,
}

/// Writes a crate of the selected runs into a folder, which must be new or empty.
///
/// # Errors
/// When something is there, there are no results, a file cannot be read, or the disk refuses.
pub fn write(selected: &Selected<'_>, options: &CrateOptions, place: &Path) -> Result<Written, PublishError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    write_at(selected, options, place, since.as_secs())
}

/// Writes a crate with its time of publication: seconds since 1970-01-01 00:00 UTC.
fn write_at(
    selected: &Selected<'_>,
    options: &CrateOptions,
    place: &Path,
    published: u64,
) -> Result<Written, PublishError> {
    let mut seen = BTreeSet::new();
    let begun: Vec<(&Run, &RunRecord)> =
        selected.begun().filter(|(run, _)| seen.insert(run.id.as_str())).collect();
    if begun.is_empty() {
        return Err(PublishError::NoResults { folder: selected.folder.to_owned() });
    }
    if place.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
        let why = format!("{} is no folder: a crate is one now, which zip -r packs", place.display());
        return Err(PublishError::Option(why));
    }
    let place = &place.canonicalize().unwrap_or_else(|_| place.to_owned()); // `.` has no parent to write beside
    let is_free = std::fs::read_dir(place).map_or_else(
        |error| error.kind() == std::io::ErrorKind::NotFound,
        |mut entries| entries.next().is_none(),
    );
    if !is_free {
        return Err(PublishError::NotEmpty { path: place.to_owned() });
    }
    let fail = PublishError::writing(place);
    let beside = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // It is in place at once, at the end.
    let growing = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(beside).map_err(&fail)?;
    let mut writing = Writing { folder: growing.path().join("crate"), written: Written::default() };
    let stem = selected.file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("experiment");
    let (experiment, folder) = (format!("{stem}.ron"), format!("{stem}.runs/"));
    let mut parts = vec![
        writing.text(&experiment, selected.text, "The experiment: every setting of all runs")?,
        writing.text(README, &readme(selected, &experiment), "What is in this crate, and how to read it")?,
    ];
    let report = report_of(selected, published)?;
    parts.push(writing.text(REPORT, &report, "The report: methods, figures and tables, for people")?);
    parts.push(writing.points(selected)?);
    for path in kept_files(selected.folder, view::NAME) {
        if let (Ok(view), Some(name)) = (std::fs::read_to_string(&path), path.file_name()) {
            let about = "How Weightlab shows the results: views, colours, marks and notes";
            parts.push(writing.text(&format!("{folder}{}", name.display()), &view, about)?);
        }
    }
    let mut runs = Vec::with_capacity(begun.len());
    for (run, record) in begun {
        runs.push(writing.run(selected, &folder, run, record)?);
    }
    writing.written.notes.extend(private(selected));
    if options.licence.is_none() {
        let note = "no licence is named, so nobody may reuse it; name one with --license";
        writing.written.notes.push(note.to_owned());
    }
    let published = &time(published as f64).unwrap_or_default();
    let content = Content { selected: *selected, options, published, experiment, folder, parts, runs };
    writing.text(METADATA, &document(&graph(&content)), "")?;
    writing.written.runs = content.runs.len();
    let _ = std::fs::remove_dir(place); // an empty folder gives way
    std::fs::rename(&writing.folder, place).map_err(&fail)?;
    Ok(writing.written)
}

fn report_of(selected: &Selected<'_>, made: u64) -> Result<String, PublishError> {
    let view = ViewSettings::read(selected.folder).unwrap_or_default();
    let input = ReportInput {
        title: "",
        selected: *selected,
        set: &[],
        view: &view,
        plots: None,
        made: i64::try_from(made).unwrap_or_default(),
    };
    report::html(&input).map_err(|error| PublishError::Option(error.to_string()))
}

struct Writing {
    folder: PathBuf,
    written: Written,
}

impl Writing {
    /// Adds a file, which is hashed on the way: a run that goes on may change it.
    fn store(
        &mut self,
        path: &str,
        name: &str,
        content: &mut dyn Read,
        description: &str,
    ) -> Result<Part, PublishError> {
        let file = self.folder.join(path);
        let fail = PublishError::writing(&file);
        std::fs::create_dir_all(file.parent().unwrap_or(&file)).map_err(&fail)?;
        let mut to = File::create(&file).map_err(&fail)?;
        let (bytes, sha256) = copied(content, &mut to).map_err(&fail)?;
        self.written.files += 1;
        self.written.bytes += bytes;
        let [path, name, description] = [path, name, description].map(str::to_owned);
        Ok(Part { path, bytes, sha256, name, description })
    }

    /// Adds all points, through a file without a name: those of thousands of runs would fill the memory.
    fn points(&mut self, selected: &Selected<'_>) -> Result<Part, PublishError> {
        let spooled = || -> std::io::Result<File> {
            let mut file = tempfile::tempfile()?;
            let mut buffered = BufWriter::new(&mut file);
            write_points(selected.folder, selected.runs, &mut buffered)?;
            buffered.into_inner().map_err(IntoInnerError::into_error)?;
            file.rewind()?;
            Ok(file)
        };
        let mut file = spooled().map_err(PublishError::writing(&std::env::temp_dir()))?;
        self.store(POINTS, POINTS, &mut file, "Every value of every run, one on each line")
    }

    fn text(&mut self, path: &str, text: &str, description: &str) -> Result<Part, PublishError> {
        self.store(path, path.rsplit('/').next().unwrap_or(path), &mut text.as_bytes(), description)
    }

    fn run<'a>(
        &mut self,
        selected: &Selected<'a>,
        folder: &str,
        run: &'a Run,
        record: &'a RunRecord,
    ) -> Result<CratedRun<'a>, PublishError> {
        let (directory, mut parts) = (selected.folder.join(&run.id), Vec::new());
        for name in files_of(&directory)? {
            let path = directory.join(&name);
            let mut file = match File::open(&path) {
                // A run that goes on replaces and removes files.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                opened => opened.map_err(PublishError::reading(&path))?,
            };
            let in_crate = format!("{folder}{}/{name}", run.id);
            parts.push(self.store(&in_crate, &name, &mut file, description_of(&name))?);
        }
        let provenance = Provenance::read(selected.folder, &run.id).ok();
        Ok(CratedRun { run, record, provenance, parts })
    }
}

/// Lists the files of a run's directory in the order of their paths in it, with `/` between the parts. Left out are what
/// only a writer needs – claim and checkpoint –, what it had not finished, and links, which lead elsewhere.
///
/// # Errors
/// When a folder cannot be read.
fn files_of(directory: &Path) -> Result<BTreeSet<String>, PublishError> {
    let mut files = BTreeSet::new();
    collect(directory, "", &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeSet<String>) -> Result<(), PublishError> {
    let fail = PublishError::reading(folder);
    for entry in std::fs::read_dir(folder).map_err(&fail)? {
        let entry = entry.map_err(&fail)?;
        let kind = entry.file_type().map_err(&fail)?;
        // A name that is no text has no place in the metadata.
        let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else { continue };
        let is_of_writer = name == "checkpoint" || name.starts_with("claim") || name.starts_with("clock-");
        // By `write_atomically`, or a checkpoint.
        let is_unfinished = [UNFINISHED, ".tmp"].iter().any(|start| name[prefix.len()..].starts_with(start));
        if prefix.is_empty() && is_of_writer {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else if kind.is_file() && !is_unfinished {
            files.insert(name);
        }
    }
    Ok(())
}

/// Says what a file of a run is, in a sentence for people.
fn description_of(name: &str) -> &'static str {
    match name {
        "run.json" | "run.ron" => {
            "Settings of the run, the program and the machine, the digest of the data, and how it ended"
        }
        "events.jsonl" => "Every point and report of the run, one JSON object on each line",
        "events.old.jsonl" => "Points and reports from before the run started over",
        "weights.safetensors" => "The network at the end of the run",
        "pins.safetensors" => "Which entries of that network are pruned (1) or frozen (2)",
        "faults.csv" => "Every fault, with the bits before and after",
        "trials.csv" => "The outcome of every trial of a fault campaign",
        "trials_unprotected.csv" => "The outcome of the same trials without the protection",
        "logits.csv" => "Hashes of the logits of every trial, for a replay",
        "histograms.jsonl" => "Histograms of the weights at each evaluation, one JSON object on each line",
        "DONE" => "Says that the run is done",
        "FAILED" => "Why the run failed",
        _ if name.starts_with("rounds/") => "A network after one of the trainings, or what holds its entries",
        _ if name.starts_with("campaign-") => "The network of a fault campaign, or what holds its entries",
        _ => "A file that the plan of the run has written",
    }
}

/// Returns the media type of a file (RO-Crate 1.2, "File Data Entity": `encodingFormat`). Those of RON, JSON lines and safetensors
/// are not registered with IANA.
fn media_type(name: &str) -> &'static str {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "html" => "text/html",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "json" => "application/json",
        "jsonl" => "application/jsonl",
        "gz" => "application/gzip",
        "safetensors" | "mat" | "bin" => "application/octet-stream",
        // RON, and markers without an ending.
        _ => "text/plain",
    }
}

/// Returns the name of an experiment, else that of its file.
fn name_of<'a>(selected: &Selected<'a>, experiment: &'a str) -> &'a str {
    let name = selected.experiment.name.trim();
    if name.is_empty() { experiment.trim_end_matches(".ron") } else { name }
}

/// Writes how to read a crate.
fn readme(selected: &Selected<'_>, experiment: &str) -> String {
    let (name, stem) = (name_of(selected, experiment), experiment.trim_end_matches(".ron"));
    format!(
        "# {name}

An experiment on the weights of neural networks with its results, made with Weightlab {version}.

| file | what it is |
|---|---|
| `{experiment}` | the experiment: every setting of all runs |
| `{stem}.runs/` | the results, one folder for each run: `run.json` (settings, program, machine, digest of the data), `events.jsonl` (every point and report), networks as `.safetensors` |
| `report.html` | methods, figures and tables, for people |
| `points.csv` | every value of every run, one on each line |
| `ro-crate-metadata.json` | what each file is, where it comes from, and its SHA-256 (RO-Crate 1.2) |

`weightlab {experiment}` opens the experiment and its results, `weightlab show {experiment}` prints the table of runs, and
`weightlab run {experiment}` computes what is missing. Without Weightlab, `points.csv` is a table, and safetensors read the
networks.
",
        version = env!("CARGO_PKG_VERSION")
    )
}

/// Notes what the copied files tell about the machine at which they were made: the home of the user.
fn private(selected: &Selected<'_>) -> Vec<String> {
    let base = selected.file.parent().unwrap_or(Path::new(""));
    let Some(home) = Places::from_env(base).home else { return Vec::new() };
    let home = home.to_string_lossy();
    if home.len() < 2 {
        return Vec::new();
    }
    // Files have backslashes twice.
    let quoted = home.replace('\\', "\\\\");
    let tells = |text: &str| text.contains(home.as_ref()) || text.contains(&quoted);
    let mut notes = Vec::new();
    if tells(selected.text) {
        notes.push(format!("the experiment names a path in {home}; name paths relative to its file instead"));
    }
    let is_in = |path: PathBuf| std::fs::read_to_string(path).is_ok_and(|text| tells(&text));
    if kept_files(selected.folder, view::NAME).into_iter().any(is_in) {
        notes.push(format!("the notes or the views of the window name a path in {home}"));
    }
    let is_told = selected.begun().any(|(run, record)| {
        let directory = selected.folder.join(&run.id);
        kept_files(&directory, "run").into_iter().any(is_in)
            || record.failure().is_some_and(tells)
            || record.reports().iter().any(|report| tells(&report.summary))
    });
    if is_told {
        notes.push(format!("files of the runs name a path in {home}, in settings or in reports"));
    }
    notes
}
