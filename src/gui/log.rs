//! What happened, newest last.

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Good to know.
    Info,
    /// Something went wrong.
    Error,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How much it matters.
    pub weight: Weight,
    /// The whole text; its first line is shown, the rest on hover and in the copy.
    pub text: String,
}

/// The lines of the log; old ones are forgotten.
#[derive(Default)]
pub struct Log {
    entries: Vec<Entry>,
}

/// As many lines are kept.
const KEPT: usize = 2_000;

impl Log {
    /// Notes something.
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(Weight::Info, text.into());
    }

    /// Notes that something went wrong.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Weight::Error, text.into());
    }

    fn push(&mut self, weight: Weight, text: String) {
        if self.entries.len() >= KEPT {
            self.entries.drain(..KEPT / 4);
        }
        self.entries.push(Entry { weight, text });
    }

    /// All lines, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All texts in full, one below the other.
    #[must_use]
    pub fn full_text(&self) -> String {
        self.entries.iter().flat_map(|entry| [entry.text.as_str(), "\n"]).collect()
    }
}
