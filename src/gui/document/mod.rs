//! The document that is open: the experiment, its file, what was saved, and what is wrong with it.

mod looking;
mod paths;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use self::looking::{FileProblems, Looking};
use self::paths::Move;
use super::files::is_untitled;
use super::form::{Drafts, TypedText};
use super::recovery::UnsavedEdits;
use super::text;
use data::Data;
use doc::file::{self, FileError, Opened};
use doc::{self, Experiment, Problem, Run, Severity};
use form::path::Place;

/// The file extension of experiments.
pub const EXTENSION: &str = "ron";

/// Data that were missing are looked for again after this time.
const LOOK_FOR_DATA: Duration = Duration::from_secs(2);

/// Counts the edits of all documents, so that results computed for one never pass for another's.
static EDITS: AtomicU64 = AtomicU64::new(0);

/// One open experiment.
pub struct Document {
    pub experiment: Experiment,
    /// Typed texts that are no values yet; they prevent running, like other errors.
    pub drafts: Drafts,
    path: Option<PathBuf>,
    /// The text that it was opened from, or last saved as.
    text: String,
    saved: Experiment,
    /// Grows with every edit, and is never that of another document.
    revision: u64,
    checked: Option<Checked>,
    /// Data whose files are there, and the folder that their paths are relative to: these are not looked for again.
    present_data: (PathBuf, Vec<Data>),
    looking: Looking,
    files: FileProblems,
}

/// Consequences of the experiment; computed again only when it has changed.
struct Checked {
    experiment: Experiment,
    /// Errors first.
    problems: Vec<Problem>,
    /// Those of the problems that are drafts.
    drafts: Vec<Problem>,
    runs: Vec<Run>,
    /// True if the runs are those of settings before an error.
    is_behind: bool,
    /// Data whose files were not found.
    missing: Vec<Data>,
    at: Instant,
    /// True if more is known of the data by now.
    is_stale: bool,
}

impl Checked {
    /// Returns true if this is not about the experiment as it is now, or more is known of the data.
    fn is_outdated(&self, experiment: &Experiment, drafts: &Drafts) -> bool {
        self.is_stale || self.experiment != *experiment || self.drafts != drafts.problems()
    }

    /// Returns the runs, with their arms where they are now. Those of arms that are gone are left out.
    fn runs_in(&self, now: &Experiment) -> Vec<Run> {
        let before = &self.experiment.arms;
        let at = |index: usize| {
            let name = &before.get(index)?.name;
            let same = now.arms.iter().position(|arm| arm.name == *name);
            // An arm that is being renamed has its place.
            let is_renamed =
                before.len() == now.arms.len() && before.iter().all(|arm| arm.name != now.arms[index].name);
            same.or_else(|| is_renamed.then_some(index))
        };
        let places: Vec<Option<usize>> = (0..before.len()).map(at).collect();
        let placed = |run: &Run| Some(Run { arm_index: (*places.get(run.arm_index)?)?, ..run.clone() });
        self.runs.iter().filter_map(placed).collect()
    }
}

impl Document {
    /// Returns a new document without a file, from the text of a template.
    ///
    /// # Errors
    /// Where the text is wrong.
    pub fn untitled(name: &str, text: &str) -> Result<Self, FileError> {
        let experiment = file::parse(text, Path::new(name))?;
        Ok(Self::new(Opened { experiment, text: text.to_owned() }, None))
    }

    /// Reads a document from a file.
    ///
    /// # Errors
    /// What cannot be read, or where the text is wrong.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let opened = file::open(path)?;
        Ok(Self::new(opened, Some(path.to_owned())))
    }

    fn new(opened: Opened, path: Option<PathBuf>) -> Self {
        let Opened { experiment, text } = opened;
        let saved = experiment.clone();
        let (revision, present_data) = (next_revision(), (PathBuf::new(), Vec::new()));
        let (drafts, looking, files) = (Drafts::default(), Looking::default(), FileProblems::default());
        let checked = None;
        Self { experiment, drafts, path, text, saved, revision, checked, present_data, looking, files }
    }

    /// Returns the document that a crash interrupted, with the edits that were not saved. If its file can be read no
    /// more, it has none.
    ///
    /// # Errors
    /// Where the text that was kept is wrong.
    pub fn recovered(kept: &UnsavedEdits) -> Result<Self, FileError> {
        let name = Path::new("what was kept");
        let experiment = file::parse(&kept.text, name)?;
        let from_file = kept.path.as_deref().and_then(|path| Self::open(path).ok());
        let mut document = match from_file {
            Some(document) => document,
            None => Self::untitled(&experiment.name, &kept.saved)?,
        };
        document.experiment = experiment;
        document.drafts = Drafts::recovered(&kept.typed, &mut document.experiment);
        if document.path.is_some() {
            // The edits are edits of what was there then; whether that is still so is asked before it is replaced.
            document.text.clone_from(&kept.saved);
        }
        Ok(document)
    }

    /// Returns what a crash must not take; nothing when the experiment cannot be written.
    pub fn to_keep(&self) -> Option<UnsavedEdits> {
        let text = file::to_text(&self.experiment, &self.text).ok()?;
        let (path, saved, typed) = (self.path.clone(), self.text.clone(), self.drafts.to_keep());
        let (is_saved, runs) = (self.path.is_some() && !self.would_lose(), Vec::new());
        let (title, is_closed) = (self.title(), false);
        Some(UnsavedEdits { path, title, saved, text, typed, is_saved, runs, is_closed })
    }

    /// Grows with every edit, and is never that of another document.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the experiment as its file has it.
    pub const fn saved(&self) -> &Experiment {
        &self.saved
    }

    /// Returns its file, if it has one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the text of the file as it was opened or last saved.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the file, if somebody has named it.
    fn file_name(&self) -> Option<String> {
        let named = self.path.as_deref().filter(|path| !is_untitled(path));
        Some(named?.file_name()?.to_string_lossy().into_owned())
    }

    /// Returns the name that the window shows: that of the file, or of the experiment where the file is untitled.
    pub fn title(&self) -> String {
        if let Some(name) = self.file_name() {
            return name;
        }
        let name = self.experiment.name.trim();
        if name.is_empty() { "Untitled".to_owned() } else { name.to_owned() }
    }

    /// Returns a name for its file: the title in lower case, without what file systems dislike.
    pub fn suggested_file_name(&self) -> String {
        self.file_name().unwrap_or_else(|| format!("{}.{EXTENSION}", slug(&self.title())))
    }

    /// Returns that name without its ending.
    pub fn suggested_stem(&self) -> String {
        let name = self.suggested_file_name();
        Path::new(&name).file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns true if there is something that saving would keep.
    pub fn is_unsaved(&self) -> bool {
        self.experiment != self.saved
    }

    /// Returns true if something would be lost with the window: edits, or texts in its fields that are no values.
    pub fn would_lose(&self) -> bool {
        self.is_unsaved() || !self.drafts.wrong_texts().is_empty()
    }

    /// Returns true if another program has written its file since it was opened or last saved.
    pub fn is_changed_elsewhere(&self) -> bool {
        let text = self.path.as_deref().and_then(|path| std::fs::read_to_string(path).ok());
        text.is_some_and(|text| text != self.text)
    }

    /// Takes what another program has written as known, so that saving replaces it without a question.
    pub fn keep_mine(&mut self) {
        let text = self.path.as_deref().and_then(|path| std::fs::read_to_string(path).ok());
        self.text = text.unwrap_or_else(|| std::mem::take(&mut self.text));
    }

    /// Returns true if saving would lose comments that somebody wrote between the settings.
    pub fn would_lose_comments(&self, to: &Path) -> bool {
        self.path.as_deref() == Some(to) && file::has_other_comments(&self.text)
    }

    /// Writes the document, and keeps the path; its own paths lead to the same files from there. Returns what became of the
    /// paths.
    ///
    /// # Errors
    /// What could not be written; nothing has changed then.
    pub fn save(&mut self, to: &Path) -> Result<Move, FileError> {
        let moved = self.moving_to(to);
        let experiment = moved.of(&self.experiment);
        self.text = file::save(&experiment, &self.text, to)?;
        self.saved = experiment.clone();
        self.experiment = experiment;
        self.path = Some(to.to_owned());
        Ok(moved)
    }

    /// Takes the place of its data on this machine, which is no edit.
    pub fn find_data(&mut self, data: Data) {
        if self.saved.data == self.experiment.data {
            self.saved.data = data.clone();
        }
        self.experiment.data = data;
    }

    /// Writes typed values that wait to be entered into the experiment.
    pub fn enter_typed(&mut self) {
        self.drafts.enter(&mut self.experiment);
    }

    /// Takes back the texts that are no values, as an earlier state had them.
    pub fn take_typed(&mut self, typed: &[TypedText]) {
        if self.drafts.to_keep() != typed {
            self.drafts = Drafts::recovered(typed, &mut self.experiment);
        }
    }

    /// Returns true if the experiment has changed since the last look, or data that were missing may be there now.
    pub fn has_changed(&self) -> bool {
        self.checked.as_ref().is_none_or(|checked| {
            let rests = checked.at.elapsed() < LOOK_FOR_DATA;
            checked.is_outdated(&self.experiment, &self.drafts) || !(rests || checked.missing.is_empty())
        })
    }

    /// Looks at the experiment again if it has changed since the last look. Returns true if it had. While it has an
    /// error, its runs are those of before.
    pub fn refresh(&mut self) -> bool {
        let before = self.checked.take_if(|checked| checked.is_outdated(&self.experiment, &self.drafts));
        let base = self.base();
        if let Some(checked) = &mut self.checked {
            if checked.missing.is_empty() || checked.at.elapsed() < LOOK_FOR_DATA {
                return false;
            }
            checked.at = Instant::now();
            if checked.missing.iter().all(|data| data.check_files(&base).is_err()) {
                return false;
            }
        }
        let before = before.or_else(|| self.checked.take());
        self.revision = next_revision();
        let mut problems = doc::validate(&self.experiment);
        let has_error = |problems: &[Problem]| problems.iter().any(|it| it.severity == Severity::Error);
        let before = before.as_ref();
        let kept = before.filter(|_| has_error(&problems)).map(|before| before.runs_in(&self.experiment));
        let (runs, is_behind) = if let Some(runs) = kept.filter(|runs| !runs.is_empty()) {
            (runs, true)
        } else {
            let known = before.map_or(&[][..], |before| &before.runs);
            let runs = doc::runs_after(known, &self.experiment).unwrap_or_else(|found| {
                let new = found.into_iter().filter(|problem| !problems.contains(problem));
                problems.extend(new.collect::<Vec<_>>());
                Vec::new()
            });
            (runs, false)
        };
        problems.extend(doc::idle_sweeps(&self.experiment, &runs));
        let (missing, without_data) = self.missing_data(&runs);
        problems.extend(without_data);
        if !is_behind {
            problems.extend_from_slice(&self.files.problems);
        }
        self.drafts.keep_reachable(&mut self.experiment);
        let drafts = self.drafts.problems();
        // What is typed counts, not what was wrong with the value before.
        problems.retain(|problem| drafts.iter().all(|draft| draft.place != problem.place));
        problems.extend_from_slice(&drafts);
        problems.sort_by_key(|problem| problem.severity);
        Problem::locate(&mut problems, &self.experiment);
        let (experiment, at) = (self.experiment.clone(), Instant::now());
        let is_stale = false;
        self.checked = Some(Checked { experiment, problems, drafts, runs, is_behind, missing, at, is_stale });
        true
    }

    /// Returns the data that runs would not find now, and one error for each set.
    fn missing_data(&mut self, runs: &[Run]) -> (Vec<Data>, Vec<Problem>) {
        let base = self.base();
        if self.present_data.0 != base {
            self.present_data = (base.clone(), Vec::new());
        }
        let (mut missing, mut problems): (Vec<Data>, Vec<Problem>) = (Vec::new(), Vec::new());
        for run in runs {
            let data = &run.spec.data;
            // What is wrong with data of the user is known from looking at them.
            if data.needs_look() || missing.contains(data) || self.present_data.1.contains(data) {
                continue;
            }
            let Err(error) = data.check_files(&base) else {
                self.present_data.1.push(data.clone());
                continue;
            };
            missing.push(data.clone());
            let root = Place::default();
            let is_of_all = *data == self.experiment.data;
            let place = if is_of_all { root.key("data") } else { root.key("arms").index(run.arm_index) };
            let message = match data.file_set() {
                Some(set) if is_of_all => format!("{set} not found: choose the folder with its files"),
                Some(set) => format!("{set} not found"),
                None => text::first_line(&error.to_string()).to_owned(),
            };
            if problems.iter().all(|known| known.message != message) {
                let details = error.searched().unwrap_or_else(|| error.to_string());
                problems.push(Problem { details, lacks_folder: is_of_all, ..Problem::error(place, message) });
            }
        }
        (missing, problems)
    }

    /// Returns what was wrong at the last look, errors first.
    pub fn problems(&self) -> &[Problem] {
        self.checked.as_ref().map_or(&[], |checked| &checked.problems)
    }

    /// Returns the first problem that prevents running.
    pub fn first_error(&self) -> Option<&Problem> {
        self.problems().iter().find(|problem| problem.severity == Severity::Error)
    }

    /// Returns true if the runs are those of the last settings without an error.
    pub fn is_behind(&self) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.is_behind)
    }

    /// Returns the runs of the document as it was at the last look, or before it got an error.
    pub fn runs(&self) -> &[Run] {
        self.checked.as_ref().map_or(&[], |checked| &checked.runs)
    }

    /// Returns the one of them with this identity.
    pub fn run(&self, id: &str) -> Option<&Run> {
        self.runs().iter().find(|run| run.id == id)
    }
}

/// Returns a title in lower case, without what file systems dislike.
fn slug(title: &str) -> String {
    let title = title.to_lowercase();
    let words = title.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug: String = words.collect::<Vec<_>>().join("-").chars().take(60).collect();
    if slug.is_empty() { "experiment".to_owned() } else { slug }
}

fn next_revision() -> u64 {
    EDITS.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
