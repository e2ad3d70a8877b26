//! What the start page says about recent files. A thread looks them up, since a disk may be slow.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Datelike, Local, NaiveDate};
use eframe::egui;

use crate::doc::{self, file};
use crate::gui::text::counted;
use crate::gui::views::loading::{LoadState, Loading};
use crate::gui::widgets::Tone;
use crate::run;

/// A recent file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its folder, with `~` for the home.
    pub folder: String,
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
    /// As many of so many runs are done.
    Runs {
        /// The runs that are done.
        done: usize,
        /// All runs of the file.
        all: usize,
    },
}

impl RecentState {
    /// How good that is, and in words.
    pub fn words(self) -> (Option<Tone>, String) {
        match self {
            Self::Unknown => (None, String::new()),
            Self::Missing => (Some(Tone::Bad), "file not found".to_owned()),
            Self::Unreadable => (Some(Tone::Bad), "cannot be read".to_owned()),
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
    found: Loading<(usize, Vec<PathBuf>), Vec<RecentFile>>,
}

impl RecentFiles {
    /// Looks the files up again the next time.
    pub fn reopen(&mut self) {
        self.opened += 1;
    }

    /// The files; their days and states are added as soon as they are known.
    pub fn of(&mut self, paths: &[PathBuf], ctx: &egui::Context) -> Vec<RecentFile> {
        let asked = paths.to_vec();
        let look_up = move || Ok(asked.iter().map(|path| looked_up(path)).collect());
        match self.found.get(&(self.opened, paths.to_vec()), ctx, look_up) {
            LoadState::Ready(found) => found.clone(),
            LoadState::Pending | LoadState::Failed(_) => paths.iter().map(|path| unknown(path)).collect(),
        }
    }
}

fn unknown(path: &Path) -> RecentFile {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    let folder = path.parent().unwrap_or(path);
    let folder = match home.as_deref().and_then(|home| folder.strip_prefix(home).ok()) {
        Some(rest) => Path::new("~").join(rest).display().to_string(),
        None => folder.display().to_string(),
    };
    RecentFile { path: path.to_owned(), folder, day: String::new(), state: RecentState::Unknown }
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
                RecentState::Runs { done, all: runs.len() }
            }
            Err(_) => RecentState::Unreadable,
        },
        Err(_) => RecentState::Unreadable,
    };
    RecentFile { day, state, ..unknown(path) }
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
}
