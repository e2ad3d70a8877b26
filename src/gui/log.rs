//! What happened, newest last.

use std::path::PathBuf;

use chrono::{DateTime, Local};

use super::text::first_line;
use super::widgets::Tone;

/// Something that can be done about a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeAction {
    /// Open this file in the program of the desktop.
    Open(PathBuf),
    /// Show the folder that has this file.
    ShowInFolder(PathBuf),
}

impl NoticeAction {
    /// What its link says.
    pub const fn text(&self) -> &'static str {
        match self {
            Self::Open(_) => "Open",
            Self::ShowInFolder(_) => "Show in folder",
        }
    }
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// When, in local time: "14:32".
    pub time: String,
    /// How good or bad it is.
    pub tone: Tone,
    /// The whole text; its lines are shown behind one another as far as there is room, all of it on hover and in the copy.
    pub text: String,
    /// What can be done about it.
    pub actions: Vec<NoticeAction>,
    /// Whether the line at the bottom keeps what it shows.
    pub is_quiet: bool,
    /// Whether it is an error that has not been seen in the log.
    pub is_unseen: bool,
    /// Whether it is about something wrong in the document: once that is mended, it is quiet.
    pub awaits_remedy: bool,
}

/// The lines of the log; old ones are forgotten.
pub struct Log {
    entries: Vec<Notice>,
    /// Errors since somebody saw the newest lines.
    unseen: usize,
    /// Lines that were ever noted.
    noted: usize,
    clock: Clock,
}

/// Who says what time it is.
pub type Clock = fn() -> DateTime<Local>;

/// As many lines are kept.
const KEPT: usize = 2_000;

impl Log {
    /// A log without lines.
    pub const fn new(clock: Clock) -> Self {
        Self { entries: Vec::new(), unseen: 0, noted: 0, clock }
    }

    /// Notes something.
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(Tone::Info, text.into(), Vec::new());
    }

    /// Notes that something was done, and what can be done with it.
    pub fn done(&mut self, text: impl Into<String>, actions: Vec<NoticeAction>) {
        self.push(Tone::Good, text.into(), actions);
    }

    /// Notes something that replaces no message in the line at the bottom.
    pub fn note(&mut self, text: impl Into<String>) {
        self.push(Tone::Info, text.into(), Vec::new());
        if let Some(entry) = self.entries.last_mut() {
            entry.is_quiet = true;
        }
    }

    /// Notes something that deserves a look.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.push(Tone::Warning, text.into(), Vec::new());
    }

    /// Notes that something went wrong.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Tone::Bad, text.into(), Vec::new());
    }

    /// Notes what could not be done because of something wrong in the document.
    pub fn refuse(&mut self, tone: Tone, text: impl Into<String>) {
        self.push(tone, text.into(), Vec::new());
        if let Some(entry) = self.entries.last_mut() {
            entry.awaits_remedy = true;
        }
    }

    /// Notes that nothing is wrong in the document any more.
    pub fn settle(&mut self) {
        for entry in self.entries.iter_mut().filter(|entry| entry.awaits_remedy) {
            (entry.awaits_remedy, entry.is_quiet) = (false, true);
            self.unseen -= usize::from(std::mem::take(&mut entry.is_unseen));
        }
    }

    /// How many errors came since the lines were seen last, and the first line of the newest one.
    pub fn unseen(&self) -> Option<(usize, &str)> {
        let newest = self.entries.iter().rfind(|entry| entry.tone == Tone::Bad);
        newest.filter(|_| self.unseen > 0).map(|entry| (self.unseen, first_line(&entry.text)))
    }

    /// Notes that the newest lines are shown.
    pub fn see(&mut self) {
        self.unseen = 0;
        self.entries.iter_mut().for_each(|entry| entry.is_unseen = false);
    }

    fn push(&mut self, tone: Tone, text: String, actions: Vec<NoticeAction>) {
        self.unseen += usize::from(tone == Tone::Bad);
        self.noted += 1;
        if self.entries.len() >= KEPT {
            self.entries.drain(..KEPT / 4);
        }
        let time = (self.clock)().format("%H:%M").to_string();
        self.entries.push(Notice {
            time,
            tone,
            text,
            actions,
            is_quiet: false,
            awaits_remedy: false,
            is_unseen: tone == Tone::Bad,
        });
    }

    /// How many lines were ever noted.
    pub const fn count(&self) -> usize {
        self.noted
    }

    /// What the line at the bottom shows.
    pub fn latest(&self) -> Option<&Notice> {
        self.entries.iter().rfind(|entry| !entry.is_quiet)
    }

    /// All lines, oldest first.
    pub fn entries(&self) -> &[Notice] {
        &self.entries
    }

    /// All texts in full, one below the other.
    pub fn full_text(&self) -> String {
        self.entries.iter().flat_map(|entry| [entry.text.as_str(), "\n"]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_line_replaces_no_message() {
        let mut log = Log::new(Local::now);
        log.info("12 runs: 12 done");
        log.note("The notification failed");
        assert_eq!(log.latest().map(|entry| entry.text.as_str()), Some("12 runs: 12 done"));
        assert!(log.full_text().contains("The notification failed"));
    }

    #[test]
    fn what_was_refused_leaves_the_line_once_its_cause_is_gone() {
        let mut log = Log::new(Local::now);
        log.info("Opened");
        log.refuse(Tone::Bad, "Nothing started: no seed");
        assert_eq!((log.unseen().map(|(count, _)| count), log.latest().unwrap().tone), (Some(1), Tone::Bad));
        log.settle();
        assert_eq!((log.unseen(), log.latest().unwrap().text.as_str()), (None, "Opened"));
    }

    #[test]
    fn errors_are_new_until_they_are_seen() {
        let mut log = Log::new(Local::now);
        log.info("Saved");
        assert_eq!(log.unseen(), None);
        log.error("a failed: NaN\nIteration 12");
        log.error("b failed: no room\nmore");
        log.info("Saved");
        assert_eq!(log.unseen(), Some((2, "b failed: no room")));
        log.see();
        assert_eq!(log.unseen(), None);
    }
}
