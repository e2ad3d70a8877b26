//! The document that is open: the experiment, its file, what was saved, and what is wrong with it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use super::form::Drafts;
use super::recovery::UnsavedEdits;
use crate::data::Data;
use crate::doc::file::{self, FileError, Opened};
use crate::doc::{self, Experiment, Problem, Run, Severity};
use crate::form::path::Place;

/// The file extension of experiments.
pub const EXTENSION: &str = "ron";

/// Counts the edits of all documents, so that results computed for one never pass for another's.
static EDITS: AtomicU64 = AtomicU64::new(0);

/// One open experiment.
pub struct Document {
    /// What the user edits, in place.
    pub experiment: Experiment,
    /// What was typed and is no value yet; it prevents running, like other errors.
    pub drafts: Drafts,
    path: Option<PathBuf>,
    /// The text that it was opened from, or last saved as.
    text: String,
    saved: Experiment,
    /// Names the folder of results as long as there is no file.
    identity: String,
    /// Grows with every edit, and is never that of another document.
    revision: u64,
    checked: Option<Checked>,
    /// Data whose files are there, and the folder that their paths are relative to: these are not looked for again.
    present_data: (PathBuf, Vec<Data>),
}

/// What follows from the experiment; computed again only when it has changed.
struct Checked {
    experiment: Experiment,
    problems: Vec<Problem>,
    /// Those of the problems that are drafts.
    drafts: Vec<Problem>,
    runs: Vec<Run>,
}

impl Document {
    /// A document without a file, from the text of a template.
    ///
    /// # Errors
    /// Where the text is wrong.
    pub fn untitled(name: &str, text: &str) -> Result<Self, FileError> {
        let experiment = file::parse(text, Path::new(name))?;
        let opened = Opened { experiment, text: text.to_owned() };
        Ok(Self::new(opened, None, identity(name, text)))
    }

    /// Reads a document from a file.
    ///
    /// # Errors
    /// What cannot be read, or where the text is wrong.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let opened = file::open(path)?;
        Ok(Self::new(opened, Some(path.to_owned()), String::new()))
    }

    fn new(opened: Opened, path: Option<PathBuf>, identity: String) -> Self {
        let Opened { experiment, text } = opened;
        let saved = experiment.clone();
        let (revision, present_data) = (next_revision(), (PathBuf::new(), Vec::new()));
        let drafts = Drafts::default();
        Self { experiment, drafts, path, text, saved, identity, revision, checked: None, present_data }
    }

    /// The document that a crash interrupted, with the edits that were not saved. If its file can be read no more, it
    /// has none.
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
        if document.path.is_none() && !kept.identity.is_empty() {
            document.identity.clone_from(&kept.identity);
        }
        document.experiment = experiment;
        if document.path.is_some() {
            // The edits are edits of what was there then; whether that is still so is asked before it is replaced.
            document.text.clone_from(&kept.saved);
        }
        Ok(document)
    }

    /// What a crash must not take; nothing when the experiment cannot be written.
    pub fn to_keep(&self) -> Option<UnsavedEdits> {
        let text = file::to_text(&self.experiment, file::header(&self.text)).ok()?;
        let (path, identity) = (self.path.clone(), self.identity.clone());
        Some(UnsavedEdits { path, identity, title: self.title(), saved: self.text.clone(), text })
    }

    /// Grows with every edit, and is never that of another document.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The experiment as its file has it.
    pub const fn saved(&self) -> &Experiment {
        &self.saved
    }

    /// Its file, if it has one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The text of the file as it was opened or last saved.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the window calls it: the name of its file, or of the experiment.
    pub fn title(&self) -> String {
        if let Some(name) = self.path.as_deref().and_then(Path::file_name) {
            return name.to_string_lossy().into_owned();
        }
        let name = self.experiment.name.trim();
        if name.is_empty() { "Untitled".to_owned() } else { name.to_owned() }
    }

    /// A name for its file: the title in lower case, without what file systems dislike.
    pub fn suggested_file_name(&self) -> String {
        match self.path.as_deref().and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!("{}.{EXTENSION}", slug(&self.title())),
        }
    }

    /// Whether there is something that saving would keep.
    pub fn is_unsaved(&self) -> bool {
        self.experiment != self.saved
    }

    /// The folder that its runs are written to: beside its file, or under `untitled` while it has none.
    pub fn results(&self, untitled: &Path) -> PathBuf {
        match &self.path {
            Some(path) => crate::run::folder_of(path),
            None => untitled.join(format!("{}.runs", self.identity)),
        }
    }

    /// The folder that paths of data are relative to.
    pub fn base(&self) -> PathBuf {
        match self.path.as_deref().and_then(Path::parent) {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        }
    }

    /// Whether its file has other contents than when it was opened or last saved: another program has written it.
    pub fn is_changed_elsewhere(&self) -> bool {
        let text = self.path.as_deref().and_then(|path| std::fs::read_to_string(path).ok());
        text.is_some_and(|text| text != self.text)
    }

    /// Takes what another program has written as known, so that saving replaces it without a question.
    pub fn keep_mine(&mut self) {
        let text = self.path.as_deref().and_then(|path| std::fs::read_to_string(path).ok());
        self.text = text.unwrap_or_else(|| std::mem::take(&mut self.text));
    }

    /// Whether saving would lose comments that somebody wrote between the settings.
    pub fn would_lose_comments(&self, to: &Path) -> bool {
        self.path.as_deref() == Some(to) && file::has_other_comments(&self.text)
    }

    /// Writes the document, and keeps the path.
    ///
    /// # Errors
    /// What could not be written; nothing has changed then.
    pub fn save(&mut self, to: &Path) -> Result<(), FileError> {
        let header = file::header(&self.text).to_owned();
        file::save(&self.experiment, &header, to)?;
        self.text = file::to_text(&self.experiment, &header).unwrap_or_default();
        self.saved = self.experiment.clone();
        self.path = Some(to.to_owned());
        Ok(())
    }

    /// Whether the experiment has changed since the last look.
    pub fn has_changed(&self) -> bool {
        let is_new =
            |known: &Checked| known.experiment != self.experiment || known.drafts != self.drafts.problems();
        self.checked.as_ref().is_none_or(is_new)
    }

    /// Looks at the experiment again if it has changed since the last look; tells whether it had.
    pub fn refresh(&mut self) -> bool {
        if !self.has_changed() {
            return false;
        }
        self.revision = next_revision();
        let mut problems = doc::validate(&self.experiment);
        let runs = doc::runs_after(self.runs(), &self.experiment).unwrap_or_else(|found| {
            for problem in found {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            Vec::new()
        });
        problems.extend(self.missing_data(&runs));
        self.drafts.keep_reachable(&mut self.experiment);
        let drafts = self.drafts.problems();
        problems.extend_from_slice(&drafts);
        self.checked = Some(Checked { experiment: self.experiment.clone(), problems, drafts, runs });
        true
    }

    /// Data that runs would not find now. They are no errors: the folder may be filled before the start.
    fn missing_data(&mut self, runs: &[Run]) -> Vec<Problem> {
        let base = self.base();
        if self.present_data.0 != base {
            self.present_data = (base.clone(), Vec::new());
        }
        let (mut missing, mut problems): (Vec<&Data>, Vec<Problem>) = (Vec::new(), Vec::new());
        for run in runs {
            let data = &run.spec.data;
            if missing.contains(&data) || self.present_data.1.contains(data) {
                continue;
            }
            let Err(error) = data.check_files(&base) else {
                self.present_data.1.push(data.clone());
                continue;
            };
            missing.push(data);
            let root = Place::default();
            let is_of_all = *data == self.experiment.data;
            let place = if is_of_all { root.key("data") } else { root.key("arms").index(run.arm_index) };
            let message = error.to_string();
            if problems.iter().all(|known| known.message != message) {
                problems.push(Problem::note(place, message));
            }
        }
        problems
    }

    /// What was wrong at the last look.
    pub fn problems(&self) -> &[Problem] {
        self.checked.as_ref().map_or(&[], |checked| &checked.problems)
    }

    /// The first problem that prevents running.
    pub fn first_error(&self) -> Option<&Problem> {
        self.problems().iter().find(|problem| problem.severity == Severity::Error)
    }

    /// The runs of the document as it was at the last look.
    pub fn runs(&self) -> &[Run] {
        self.checked.as_ref().map_or(&[], |checked| &checked.runs)
    }
}

fn next_revision() -> u64 {
    EDITS.fetch_add(1, Ordering::Relaxed)
}

/// A name that stays the same for the same template, so that its results are found again at the next start.
fn identity(name: &str, text: &str) -> String {
    let digest = Sha256::digest(text);
    let [a, b, c, d, ..] = <[u8; 32]>::from(digest);
    format!("{}-{a:02x}{b:02x}{c:02x}{d:02x}", slug(name))
}

fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.to_lowercase().chars() {
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug: String = slug.trim_end_matches('-').chars().take(60).collect();
    if slug.is_empty() { "experiment".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "// Why.\nExperiment(name: \"A / b\", seeds: [1, 2], arms: [(name: \"x\", plan: [Train(\"1ep\")])])";

    #[test]
    fn an_edit_makes_the_document_unsaved_and_saving_ends_that() {
        let folder = tempfile::tempdir().unwrap();
        let mut document = Document::untitled("A b", TEXT).unwrap();
        assert!(!document.is_unsaved());
        document.experiment.seeds.push(3);
        assert!(document.is_unsaved());
        let path = folder.path().join(document.suggested_file_name());
        assert!(path.ends_with("a-b.ron"));
        document.save(&path).unwrap();
        assert!(!document.is_unsaved());
        assert_eq!(document.title(), "a-b.ron");
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("// Why.\n"));
    }

    #[test]
    fn the_experiment_is_looked_at_only_when_it_has_changed() {
        let mut document = Document::untitled("A b", TEXT).unwrap();
        assert!(document.refresh());
        assert_eq!(document.runs().len(), 2);
        assert!(!document.refresh());
        document.experiment.seeds.push(3);
        assert!(document.refresh());
        assert_eq!(document.runs().len(), 3);
    }

    #[test]
    fn data_that_are_not_there_are_told_before_the_start_and_prevent_none() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().display().to_string();
        let text = format!("(data: Mnist(dir: {dir:?}), seeds: [1, 2], arms: [(name: \"x\", plan: [Test])])");
        let mut document = Document::untitled("A", &text).unwrap();
        document.refresh();
        let [problem] = document.problems() else { panic!("{:?}", document.problems()) };
        assert!(problem.message.contains(&dir) && problem.place == Place::default().key("data"));
        assert_eq!(document.first_error(), None);
        for name in crate::data::MNIST.needed {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        document.experiment.seeds.push(3);
        document.refresh();
        assert_eq!(document.problems(), []);
        // Found once, they are not looked for with every edit.
        std::fs::remove_file(folder.path().join(crate::data::MNIST.needed[0])).unwrap();
        document.experiment.seeds.push(4);
        document.refresh();
        assert_eq!(document.problems(), []);
    }

    #[test]
    fn no_two_documents_have_the_same_revision() {
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..2 {
            let mut document = Document::untitled("A b", TEXT).unwrap();
            assert!(seen.insert(document.revision()));
            document.refresh();
            assert!(seen.insert(document.revision()));
            document.refresh();
            assert!(!seen.insert(document.revision()), "nothing was edited");
        }
    }

    #[test]
    fn results_lie_beside_the_file_or_under_the_identity() {
        let mut document = Document::untitled("A b", TEXT).unwrap();
        let untitled = document.results(Path::new("/data"));
        assert!(untitled.starts_with("/data") && untitled.to_string_lossy().contains("a-b-"), "{untitled:?}");
        document.experiment.seeds.push(3);
        assert_eq!(document.results(Path::new("/data")), untitled);
        document.path = Some(PathBuf::from("/x/lottery.ron"));
        assert_eq!(document.results(Path::new("/data")), Path::new("/x/lottery.runs"));
    }

    #[test]
    fn what_another_program_has_written_is_noticed_also_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ron");
        std::fs::write(&path, TEXT).unwrap();
        let mut document = Document::open(&path).unwrap();
        document.experiment.seeds.push(3);
        assert!(!document.is_changed_elsewhere());
        let kept = document.to_keep().unwrap();
        assert!(!Document::recovered(&kept).unwrap().is_changed_elsewhere());
        std::fs::write(&path, TEXT.replace("A / b", "B")).unwrap();
        assert!(document.is_changed_elsewhere());
        let recovered = Document::recovered(&kept).unwrap();
        assert!(recovered.is_changed_elsewhere() && recovered.is_unsaved());
        document.save(&path).unwrap();
        assert!(!document.is_changed_elsewhere());
        std::fs::remove_file(&path).unwrap();
        assert!(!document.is_changed_elsewhere(), "nothing would be replaced");
    }

    #[test]
    fn comments_are_asked_about_only_where_they_would_be_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ron");
        std::fs::write(&path, TEXT.replace("seeds", "/* two */ seeds")).unwrap();
        let document = Document::open(&path).unwrap();
        assert!(document.would_lose_comments(&path));
        assert!(!document.would_lose_comments(&folder.path().join("y.ron")));
    }
}
