//! Recently opened files: the list that is kept, and what is known of them. A thread looks them up, since a disk may be slow.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, Datelike, Local, NaiveDate};
use eframe::egui;
use serde::{Deserialize, Serialize};

use super::background::{Latest, LoadState};
use super::document::EXTENSION;
use super::files::{home_folder, is_untitled};
use super::recovery::UnsavedEdits;
use super::text::counted;
use super::widgets::{FieldState, Tone, field_ui};
use doc::{Experiment, file};
use results::{RunRecord, RunState};
use run::{self, read_record};

/// As many with a name of their own are remembered.
const KEPT: usize = 12;

/// From so many files on, the start page has a field to search them.
const MANY: usize = 8;

/// The list, kept between starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent(Vec<PathBuf>);

impl Recent {
    /// Puts a file first. An untitled one stays in the list while there are results beside it: it is hard to
    /// find otherwise.
    pub fn note(&mut self, path: &Path) {
        self.forget(path);
        let mut named = usize::from(!is_untitled(path));
        self.0.retain(|path| {
            let is_untitled = is_untitled(path);
            named += usize::from(!is_untitled);
            if is_untitled { run::folder_of(path).is_dir() } else { named <= KEPT }
        });
        self.0.insert(0, path.to_owned());
    }

    /// Makes files of the untitled experiments of version 0.1: it kept the edits of each as `ID.json` beside its results.
    pub fn adopt(folder: &Path) {
        for kept in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let is_one = kept.extension().is_some_and(|ending| ending == "json")
                && kept.with_extension("runs").is_dir();
            let path = kept.with_extension("ron");
            let read = || serde_json::from_slice::<UnsavedEdits>(&std::fs::read(&kept).ok()?).ok();
            let Some(edits) = Some(()).filter(|()| is_one).and_then(|()| read()) else { continue };
            if path.exists() || file::write_atomically(&path, edits.text.as_bytes()).is_ok() {
                let _ = std::fs::remove_file(&kept); // it would be adopted once more
            }
        }
    }

    /// Forgets a file.
    pub fn forget(&mut self, path: &Path) {
        self.0.retain(|known| known != path);
    }

    /// Returns the files, the last one first.
    pub fn files(&self) -> &[PathBuf] {
        &self.0
    }
}

/// Reading records takes time: at most so many are.
const LOOKED_AT: usize = 32;

/// A recent file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentFile {
    pub path: PathBuf,
    /// Its name, or that of the experiment where the file is untitled.
    pub name: String,
    /// Its folder, with `~` for the home; of an untitled one its arms, which tell it from others.
    pub folder: String,
    written: Option<SystemTime>,
    /// When it was written last: "today 14:32", "19 Nov 14:32".
    pub day: String,
    pub state: RecentState,
}

/// The state of the runs of a file.
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
    Runs { done: usize, all: usize },
}

impl RecentState {
    /// Returns its tone and its words.
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

/// The recent files, looked up each time the page opens: those that were opened, and all that are in the folders of untitled
/// ones.
#[derive(Default)]
pub struct RecentFiles {
    pub folders: Vec<PathBuf>,
    opened: usize,
    found: Latest<(usize, Vec<PathBuf>), Vec<RecentFile>>,
}

impl RecentFiles {
    /// Looks the files up again the next time.
    pub fn reopen(&mut self) {
        self.opened += 1;
    }

    /// Returns the files; days and states are added as soon as they are known.
    pub fn of(&mut self, paths: &[PathBuf], ctx: &egui::Context) -> Vec<RecentFile> {
        let (asked, folders) = (paths.to_vec(), self.folders.clone());
        match self.found.get(&(self.opened, paths.to_vec()), ctx, move || Ok(all(asked, &folders))) {
            LoadState::Ready(found) => found.clone(),
            LoadState::Pending | LoadState::Failed(_) => {
                paths.iter().map(|path| RecentFile::unknown(path)).collect()
            }
        }
    }
}

/// Draws a field to search many files; returns those that have what is typed in their words.
pub fn searched_ui<'a>(ui: &mut egui::Ui, files: &'a [RecentFile]) -> Vec<&'a RecentFile> {
    if files.len() <= MANY {
        return files.iter().collect();
    }
    let id = egui::Id::unique("what is searched in recent files");
    let mut typed: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let edit = egui::TextEdit::singleline(&mut typed).desired_width(f32::INFINITY);
    let edit = edit.hint_text(format!("Search {}", counted(files.len(), "experiment")));
    field_ui(ui, edit, FieldState::Plain).accessible_name("Search recent files");
    let wanted = typed.trim().to_lowercase();
    ui.data_mut(|data| data.insert_temp(id, typed));
    let is_wanted = |file: &&RecentFile| {
        let words = [&file.name, &file.folder, &file.day, &file.state.words().1];
        words.iter().any(|words| words.to_lowercase().contains(&wanted))
    };
    files.iter().filter(is_wanted).collect()
}

/// Looks files up, and all experiments in some folders; the latest come first, and what cannot be found last.
fn all(mut paths: Vec<PathBuf>, folders: &[PathBuf]) -> Vec<RecentFile> {
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let files = entries.map(|entry| entry.path());
    let new = files.filter(|path| path.extension().is_some_and(|it| it == EXTENSION));
    let new: Vec<PathBuf> = new.filter(|path| !paths.contains(path)).collect();
    paths.extend(new);
    let mut listed: Vec<RecentFile> = paths.iter().map(|path| looked_up(path)).collect();
    listed.retain(|file| file.state != RecentState::Missing || !is_untitled(&file.path));
    listed.sort_by_key(|file| Reverse(file.written));
    listed
}

impl RecentFile {
    /// Returns a file of which only the path is known.
    pub fn unknown(path: &Path) -> Self {
        let home = home_folder();
        let folder = path.parent().unwrap_or(path);
        let folder = match home.as_deref().and_then(|home| folder.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest).display().to_string(),
            None => folder.display().to_string(),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (path, day) = (path.to_owned(), String::new());
        Self { path, name, folder, written: None, day, state: RecentState::Unknown }
    }
}

fn looked_up(path: &Path) -> RecentFile {
    let written = std::fs::metadata(path).and_then(|about| about.modified());
    let day = written.as_ref().map(|moment| day_of((*moment).into(), Local::now())).unwrap_or_default();
    let mut found = RecentFile { day, written: written.ok(), ..RecentFile::unknown(path) };
    found.state = match read(path) {
        _ if found.written.is_none() => RecentState::Missing,
        None => RecentState::Unreadable,
        Some((experiment, state)) => {
            if is_untitled(path) {
                let arms: Vec<&str> = experiment.arms.iter().map(|arm| arm.name.as_str()).collect();
                found.folder = format!("{}: {}", counted(arms.len(), "arm"), arms.join(", "));
                found.name =
                    Some(experiment.name).filter(|name| !name.trim().is_empty()).unwrap_or(found.name);
            }
            state
        }
    };
    found
}

/// Reads an experiment and the state of its runs. Records are read only where no run is done.
fn read(path: &Path) -> Option<(Experiment, RecentState)> {
    let experiment = file::open(path).ok()?.experiment;
    let runs = doc::runs(&experiment).ok()?;
    let folder = run::folder_of(path);
    let done = runs.iter().filter(|run| run::is_marked_done(&folder, &run.id)).count();
    let begun = || runs.iter().filter(|run| folder.join(&run.id).is_dir());
    let is_failed = |record: RunRecord| matches!(record.state(), RunState::Failed(_));
    let state = if done > 0 || begun().next().is_none() {
        RecentState::Runs { done, all: runs.len() }
    } else if begun().take(LOOKED_AT).filter_map(|run| read_record(&folder, &run.id)).any(is_failed) {
        RecentState::Failed
    } else {
        RecentState::Interrupted
    };
    Some((experiment, state))
}

/// Returns a moment as people say it: with the time of day, or with the year if that is another one.
pub fn day_of(moment: DateTime<Local>, now: DateTime<Local>) -> String {
    let (day, today): (NaiveDate, NaiveDate) = (moment.date_naive(), now.date_naive());
    if day == today {
        return format!("today {}", moment.format("%H:%M"));
    }
    if Some(day) == today.pred_opt() {
        return format!("yesterday {}", moment.format("%H:%M"));
    }
    let pattern = if day.year() == today.year() { "%-d %b %H:%M" } else { "%-d %b %Y" };
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
        assert_eq!(days, ["today 09:05", "yesterday 09:05", "2 Mar 09:05", "31 Dec 2025"]);
    }

    #[test]
    fn what_an_earlier_version_kept_without_a_file_gets_one() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let kept =
            serde_json::json!({ "path": null, "title": "Untitled", "saved": "", "text": "Experiment()" });
        for name in ["a.json", "without.json"] {
            std::fs::write(place(name), kept.to_string()).unwrap();
        }
        std::fs::create_dir(place("a.runs")).unwrap();
        Recent::adopt(folder.path());
        let listed = all(Vec::new(), &[folder.path().to_owned()]);
        assert_eq!(listed.into_iter().map(|file| file.path).collect::<Vec<_>>(), [place("a.ron")]);
        assert_eq!(std::fs::read_to_string(place("a.ron")).unwrap(), "Experiment()");
        assert!(
            !place("a.json").exists() && place("without.json").exists() && !place("without.ron").exists()
        );
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
        let listed: Vec<String> = all(files.to_vec(), &[]).into_iter().map(|file| file.name).collect();
        assert_eq!(listed, ["b.ron", "a.ron"], "opened in the other order");
    }

    #[test]
    fn a_file_that_nobody_has_named_is_listed_by_its_experiment() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("untitled-3.ron");
        std::fs::write(&path, "(name: \"mine\", arms: [(name: \"a\", plan: [Test])])").unwrap();
        let found = looked_up(&path);
        assert_eq!([found.name, RecentFile::unknown(&path).name], ["mine", "untitled-3.ron"]);
        assert_eq!(found.folder, "1 arm: a", "not the folder, which all of them share");
    }

    #[test]
    fn a_file_is_listed_once_and_the_last_one_first() {
        let mut recent = Recent::default();
        for number in [1, 2, 1, 3] {
            recent.note(Path::new(&format!("{number}.ron")));
        }
        assert_eq!(recent.files(), ["3.ron", "1.ron", "2.ron"].map(PathBuf::from));
        for number in 0..40 {
            recent.note(Path::new(&format!("{number}.ron")));
        }
        assert_eq!(recent.files().len(), KEPT);
    }

    #[test]
    fn untitled_files_with_results_stay_in_the_list_and_take_no_place_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let untitled = |number: usize| folder.path().join(format!("untitled-{number}.ron"));
        let mut recent = Recent::default();
        recent.note(Path::new("mine.ron"));
        for number in 0..30 {
            std::fs::create_dir_all(run::folder_of(&untitled(number))).unwrap();
            recent.note(&untitled(number));
        }
        recent.note(&untitled(99));
        assert_eq!((recent.files().len(), recent.files().last()), (32, Some(&PathBuf::from("mine.ron"))));
        std::fs::remove_dir(run::folder_of(&untitled(3))).unwrap();
        recent.note(Path::new("0.ron"));
        let is_listed = |number| recent.files().contains(&untitled(number));
        assert!(is_listed(4) && !is_listed(3) && !is_listed(99), "they have no results");
    }

    #[test]
    fn all_untitled_files_are_found_again_also_when_the_list_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..30 {
            let path = folder.path().join(format!("untitled-{number}.ron"));
            std::fs::write(path, "(name: \"mine\", arms: [(name: \"a\", plan: [Test])])").unwrap();
        }
        let gone = folder.path().join("untitled-99.ron");
        assert_eq!(all(vec![gone], &[folder.path().to_owned()]).len(), 30);
    }
}
