//! What the start page says about recent files. A thread looks them up, since a disk may be slow.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, Datelike, Local, NaiveDate};
use eframe::egui;

use crate::files::home_folder;
use crate::recovery::UnsavedEdits;
use crate::text::counted;
use crate::untitled::{UntitledExperiment, has_failed, with_results};
use crate::views::loading::{LoadState, Loading};
use crate::widgets::Tone;
use doc::{self, file};

/// At most so many untitled experiments are listed.
const UNTITLED: usize = 5;

/// What a click on an entry opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecentTarget {
    /// This file.
    File(PathBuf),
    /// An experiment that has results and no file.
    Untitled(Box<UnsavedEdits>),
}

/// A recent file, or an untitled experiment with results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentFile {
    /// What it is.
    pub target: RecentTarget,
    /// Its folder, with `~` for the home.
    pub folder: String,
    /// When it was written last.
    written: Option<SystemTime>,
    /// When it was written last: "today 14:32", "19 Nov".
    pub day: String,
    /// How far its runs are.
    pub state: RecentState,
}

/// How far the runs of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecentState {
    /// Not looked up yet.
    Unknown,
    /// The file is not there.
    Missing,
    /// The file cannot be read.
    Unreadable,
    /// Runs have begun, and none is done.
    Interrupted,
    /// Runs have begun, none is done, and one has failed.
    Failed,
    /// As many of so many runs are done.
    Runs {
        /// The runs that are done.
        done: usize,
        /// All runs of the file.
        all: usize,
    },
}

impl RecentFile {
    /// What the list calls it: the name of its file, or of the experiment.
    pub fn name(&self) -> String {
        match &self.target {
            RecentTarget::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            RecentTarget::Untitled(kept) => kept.title.clone(),
        }
    }

    fn of_untitled(found: UntitledExperiment) -> Self {
        let UntitledExperiment { kept, written, done, all, has_failed } = found;
        Self {
            target: RecentTarget::Untitled(Box::new(kept)),
            folder: "untitled".to_owned(),
            written: Some(written),
            day: day_of(written.into(), Local::now()),
            state: RecentState::of(done, all, || true, || has_failed),
        }
    }
}

impl RecentState {
    /// The state of a file of which some runs are done; the rest is looked at only where none is.
    fn of(done: usize, all: usize, has_begun: impl Fn() -> bool, has_failed: impl Fn() -> bool) -> Self {
        match done {
            0 if has_begun() && has_failed() => Self::Failed,
            0 if has_begun() => Self::Interrupted,
            _ => Self::Runs { done, all },
        }
    }

    /// How good that is, and in words.
    pub fn words(self) -> (Option<Tone>, String) {
        match self {
            Self::Unknown => (None, String::new()),
            Self::Missing => (Some(Tone::Bad), "file not found".to_owned()),
            Self::Unreadable => (Some(Tone::Bad), "cannot be read".to_owned()),
            Self::Interrupted => (Some(Tone::Warning), "interrupted".to_owned()),
            Self::Failed => (Some(Tone::Bad), "failed".to_owned()),
            Self::Runs { done: 0, .. } => (None, "not run yet".to_owned()),
            Self::Runs { done, all } if done < all => {
                (Some(Tone::Warning), format!("{done} of {all} runs done"))
            }
            Self::Runs { all, .. } => (Some(Tone::Good), format!("{} done", counted(all, "run"))),
        }
    }
}

/// The recent files, looked up each time the page opens.
#[derive(Default)]
pub struct RecentFiles {
    opened: usize,
    found: Loading<(usize, Vec<PathBuf>, PathBuf), Vec<RecentFile>>,
}

impl RecentFiles {
    /// Looks the files up again the next time.
    pub fn reopen(&mut self) {
        self.opened += 1;
    }

    /// The files, and between them experiments with results below `untitled`; days, states and the latter are added as soon
    /// as they are known.
    pub fn of(&mut self, paths: &[PathBuf], untitled: &Path, ctx: &egui::Context) -> Vec<RecentFile> {
        let (asked, folder) = (paths.to_vec(), untitled.to_owned());
        let look_up = move || Ok(all(&asked, &folder));
        match self.found.get(&(self.opened, paths.to_vec(), untitled.to_owned()), ctx, look_up) {
            LoadState::Ready(found) => found.clone(),
            LoadState::Pending | LoadState::Failed(_) => paths.iter().map(|path| unknown(path)).collect(),
        }
    }
}

/// The latest first; what cannot be found comes last.
fn all(paths: &[PathBuf], untitled: &Path) -> Vec<RecentFile> {
    let files = paths.iter().map(|path| looked_up(path));
    let untitled = with_results(untitled).into_iter().take(UNTITLED).map(RecentFile::of_untitled);
    let mut listed: Vec<RecentFile> = files.chain(untitled).collect();
    listed.sort_by_key(|file| Reverse(file.written));
    listed
}

fn unknown(path: &Path) -> RecentFile {
    let home = home_folder();
    let folder = path.parent().unwrap_or(path);
    let folder = match home.as_deref().and_then(|home| folder.strip_prefix(home).ok()) {
        Some(rest) => Path::new("~").join(rest).display().to_string(),
        None => folder.display().to_string(),
    };
    let target = RecentTarget::File(path.to_owned());
    RecentFile { target, folder, written: None, day: String::new(), state: RecentState::Unknown }
}

fn looked_up(path: &Path) -> RecentFile {
    let written = std::fs::metadata(path).and_then(|about| about.modified());
    let day = written.as_ref().map(|moment| day_of((*moment).into(), Local::now())).unwrap_or_default();
    let state = match file::open(path) {
        _ if written.is_err() => RecentState::Missing,
        Ok(opened) => match doc::runs(&opened.experiment) {
            Ok(runs) => {
                let folder = run::folder_of(path);
                let done = runs.iter().filter(|listed| run::is_marked_done(&folder, &listed.id)).count();
                let has_begun = || runs.iter().any(|listed| folder.join(&listed.id).is_dir());
                RecentState::of(done, runs.len(), has_begun, || has_failed(&folder, &runs))
            }
            Err(_) => RecentState::Unreadable,
        },
        Err(_) => RecentState::Unreadable,
    };
    RecentFile { day, state, written: written.ok(), ..unknown(path) }
}

/// A moment as people say it: with the time if it is of today, with the year if it is of another one.
pub fn day_of(moment: DateTime<Local>, now: DateTime<Local>) -> String {
    let (day, today): (NaiveDate, NaiveDate) = (moment.date_naive(), now.date_naive());
    if day == today {
        return format!("today {}", moment.format("%H:%M"));
    }
    if Some(day) == today.pred_opt() {
        return "yesterday".to_owned();
    }
    let pattern = if day.year() == today.year() { "%-d %b" } else { "%-d %b %Y" };
    moment.format(pattern).to_string()
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn days_are_written_as_people_say_them() {
        let at = |year, month, day| Local.with_ymd_and_hms(year, month, day, 9, 5, 0).unwrap();
        let now = at(2026, 11, 22);
        let days = [at(2026, 11, 22), at(2026, 11, 21), at(2026, 3, 2), at(2025, 12, 31)];
        let days = days.map(|day| day_of(day, now));
        assert_eq!(days, ["today 09:05", "yesterday", "2 Mar", "31 Dec 2025"]);
    }

    #[test]
    fn a_file_that_is_gone_or_broken_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ron");
        assert_eq!(looked_up(&path).state, RecentState::Missing);
        std::fs::write(&path, "Experiment(").unwrap();
        assert_eq!(looked_up(&path).state, RecentState::Unreadable);
        std::fs::write(&path, doc::templates::all()[0].text).unwrap();
        let found = looked_up(&path);
        assert_eq!(found.state, RecentState::Runs { done: 0, all: 12 });
        assert!(found.day.starts_with("today ") && found.state.words().1 == "not run yet");
    }

    #[test]
    fn runs_that_failed_were_not_interrupted_and_the_latest_file_comes_first() {
        use results::Event;
        let folder = tempfile::tempdir().unwrap();
        let text = "(arms: [(name: \"a\", plan: [Test])])";
        let files = ["a.ron", "b.ron"].map(|name| folder.path().join(name));
        for (age, path) in files.iter().enumerate() {
            std::fs::write(path, text).unwrap();
            let moment = SystemTime::now() - std::time::Duration::from_secs(100 * (2 - age as u64));
            std::fs::File::options().write(true).open(path).unwrap().set_modified(moment).unwrap();
        }
        let run = &doc::runs(&file::open(&files[0]).unwrap().experiment).unwrap()[0];
        let directory = run::folder_of(&files[0]).join(&run.id);
        std::fs::create_dir_all(&directory).unwrap();
        assert_eq!(looked_up(&files[0]).state, RecentState::Interrupted);
        let failed = serde_json::to_string(&Event::Failed { message: "no".to_owned() }).unwrap();
        std::fs::write(directory.join("events.jsonl"), failed + "\n").unwrap();
        assert_eq!(looked_up(&files[0]).state, RecentState::Failed);
        let listed: Vec<String> = all(&files, folder.path()).iter().map(RecentFile::name).collect();
        assert_eq!(listed, ["b.ron", "a.ron"], "opened in the other order");
    }

    #[test]
    fn untitled_experiments_with_results_are_listed_by_their_time() {
        use crate::document::Document;
        use run::testing::write_done;
        let folder = tempfile::tempdir().unwrap();
        let template = &doc::templates::all()[0];
        let document = Document::of_template(template.name, template.text).unwrap();
        let run = &doc::runs(&document.experiment).unwrap()[0];
        write_done(&document.results(folder.path()), run);
        let [old, new] = [("old.ron", 100), ("new.ron", -100)].map(|(name, age): (&str, i64)| {
            let path = folder.path().join(name);
            std::fs::write(&path, template.text).unwrap();
            let now = SystemTime::now();
            let span = std::time::Duration::from_secs(age.unsigned_abs());
            let moment = if age > 0 { now - span } else { now + span };
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(moment).unwrap();
            path
        });
        let listed = all(&[new, old], folder.path());
        let names: Vec<String> = listed.iter().map(RecentFile::name).collect();
        assert_eq!(names, ["new.ron".to_owned(), document.title(), "old.ron".to_owned()]);
        assert_eq!(
            (listed[1].state, listed[1].folder.as_str()),
            (RecentState::Runs { done: 1, all: 12 }, "untitled")
        );
        assert!(listed[1].day.starts_with("today "));
    }
}
