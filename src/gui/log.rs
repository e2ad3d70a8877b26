//! What happened, newest last.

use super::text::first_line;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Good to know.
    Info,
    /// Something went wrong.
    Error,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// How much it matters.
    pub level: LogLevel,
    /// The whole text; its lines are shown behind one another as far as there is room, all of it on hover and in the copy.
    pub text: String,
}

/// The lines of the log; old ones are forgotten.
#[derive(Default)]
pub struct Log {
    entries: Vec<LogEntry>,
    /// Errors since somebody saw the newest lines.
    unseen: usize,
}

/// As many lines are kept.
const KEPT: usize = 2_000;

impl Log {
    /// Notes something.
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(LogLevel::Info, text.into());
    }

    /// Notes that something went wrong.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(LogLevel::Error, text.into());
    }

    /// How many errors came since the lines were seen last, and the first line of the newest one.
    pub fn unseen(&self) -> Option<(usize, &str)> {
        let newest = self.entries.iter().rfind(|entry| entry.level == LogLevel::Error);
        newest.filter(|_| self.unseen > 0).map(|entry| (self.unseen, first_line(&entry.text)))
    }

    /// Notes that the newest lines are shown.
    pub const fn see(&mut self) {
        self.unseen = 0;
    }

    fn push(&mut self, level: LogLevel, text: String) {
        self.unseen += usize::from(level == LogLevel::Error);
        if self.entries.len() >= KEPT {
            self.entries.drain(..KEPT / 4);
        }
        self.entries.push(LogEntry { level, text });
    }

    /// All lines, oldest first.
    pub fn entries(&self) -> &[LogEntry] {
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
    fn errors_are_new_until_they_are_seen() {
        let mut log = Log::default();
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
