//! A crate: an experiment with its results and where they come from, as RO-Crate 1.2.
//!
//! ```text
//! ro-crate-metadata.json       what everything is, where it comes from, its digests
//! ro-crate-preview.html        the same for people
//! README.md                    how to read it
//! first.ron                    the experiment
//! first.runs/<run>/…           the results, as Weightlab reads them
//! report.html                  the report
//! points.csv                   all points
//! ```

mod address;
mod existing;
mod files;
mod metadata;
mod options;
mod preview;
mod readme;
mod sink;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Seek};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::report::{self, ReportInput};
use super::{PublishError, Selected, write_points};
use doc::Run;
use form::number::hexadecimal;
pub use options::{Author, CrateOptions, Licence};
use results::RunRecord;
use results::view::ViewSettings;
use run::Provenance;

use files::{RunFile, description_of, files_of};
use metadata::{Content, CratedRun, Part, document, graph, time};
use preview::preview;
use sink::{Sink, Stored};

/// The metadata.
const METADATA: &str = "ro-crate-metadata.json";
/// The page for people.
const PREVIEW: &str = "ro-crate-preview.html";
/// How to read a crate.
const README: &str = "README.md";
/// The report.
const REPORT: &str = "report.html";
/// All points.
const POINTS: &str = "points.csv";
/// How results are shown: a file in the folder of runs.
const VIEW: &str = "view.ron";

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Runs in the crate.
    pub runs: usize,
    /// Its files.
    pub files: usize,
    /// Their bytes, before they are packed.
    pub bytes: u64,
    /// What somebody should know before handing it on.
    pub notes: Vec<String>,
}

/// Writes a crate of the selected runs: an archive if the name of the place ends with `.zip`, a folder otherwise.
///
/// # Errors
/// When something else is there, there are no results, a file cannot be read, or the disk refuses.
pub fn write(selected: &Selected<'_>, options: &CrateOptions, place: &Path) -> Result<Written, PublishError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    write_at(selected, options, place, since.as_secs())
}

/// As [`write`], at a time: seconds since 1970-01-01 00:00 UTC.
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
    let mut writing = Writing { sink: Sink::new(place)?, written: Written::default() };
    let stem = selected.file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("experiment");
    let (experiment, folder) = (format!("{stem}.ron"), format!("{stem}.runs/"));
    let mut parts = vec![
        writing.text(&experiment, selected.text, "The experiment: every setting of all runs")?,
        writing.text(
            README,
            &readme::readme(selected, &experiment),
            "What is in this crate, and how to read it",
        )?,
    ];
    let report = report_of(selected, published)?;
    parts.push(writing.text(REPORT, &report, "The report: methods, figures and tables, for people")?);
    parts.push(writing.points(selected)?);
    if let Ok(view) = std::fs::read_to_string(selected.folder.join(VIEW)) {
        let about = "How Weightlab shows the results: views, colours, marks and notes";
        parts.push(writing.text(&format!("{folder}{VIEW}"), &view, about)?);
    }
    let mut runs = Vec::with_capacity(begun.len());
    for (run, record) in begun {
        runs.push(writing.run(selected, &folder, run, record)?);
    }
    writing.written.notes.extend(readme::private(selected));
    if options.licence.is_none() {
        writing
            .written
            .notes
            .push("no licence is named, so nobody may reuse it; name one with --license".to_owned());
    }
    let published = &time(published as f64).unwrap_or_default();
    let content = Content { selected: *selected, options, published, experiment, folder, parts, runs };
    let graph = graph(&content);
    let metadata = document(&graph);
    let page = preview(&graph, &hexadecimal(&Sha256::digest(&metadata)));
    writing.store(METADATA, &mut metadata.as_bytes())?;
    writing.store(PREVIEW, &mut page.as_bytes())?;
    writing.written.runs = content.runs.len();
    writing.sink.finish()?;
    Ok(writing.written)
}

fn report_of(selected: &Selected<'_>, made: u64) -> Result<String, PublishError> {
    let view = ViewSettings::read(selected.folder).unwrap_or_default();
    let input = ReportInput {
        title: "",
        file: selected.file,
        text: selected.text,
        set: &[],
        experiment: selected.experiment,
        all: selected.all,
        runs: selected.runs,
        records: selected.records,
        folder: selected.folder,
        view: &view,
        plots: None,
        made: i64::try_from(made).unwrap_or_default(),
    };
    report::html(&input).map_err(|error| PublishError::Option(error.to_string()))
}

/// A crate that is being written.
struct Writing {
    sink: Sink,
    written: Written,
}

impl Writing {
    fn store(&mut self, path: &str, content: &mut dyn std::io::Read) -> Result<Stored, PublishError> {
        let stored = self.sink.add(path, content)?;
        self.written.files += 1;
        self.written.bytes += stored.bytes;
        Ok(stored)
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
        let stored = self.store(POINTS, &mut file)?;
        let description = "Every value of every run, one on each line".to_owned();
        Ok(Part { stored, name: POINTS.to_owned(), description })
    }

    fn text(&mut self, path: &str, text: &str, description: &str) -> Result<Part, PublishError> {
        let stored = self.store(path, &mut text.as_bytes())?;
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        Ok(Part { stored, name, description: description.to_owned() })
    }

    fn run<'a>(
        &mut self,
        selected: &Selected<'a>,
        folder: &str,
        run: &'a Run,
        record: &'a RunRecord,
    ) -> Result<CratedRun<'a>, PublishError> {
        let mut parts = Vec::new();
        for RunFile { name, path } in files_of(&selected.folder.join(&run.id))? {
            let mut file = match File::open(&path) {
                // A run that goes on replaces and removes files.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                opened => opened.map_err(PublishError::reading(&path))?,
            };
            let stored = self.store(&format!("{folder}{}/{name}", run.id), &mut file)?;
            let description = description_of(&name).to_owned();
            parts.push(Part { stored, name, description });
        }
        let provenance = Provenance::read(selected.folder, &run.id).ok();
        Ok(CratedRun { run, record, provenance, parts })
    }
}

#[cfg(test)]
mod tests;
