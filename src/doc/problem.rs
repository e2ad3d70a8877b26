//! What is wrong with a document, where, and what to do.

use std::fmt;

use crate::form::path::Place;

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing can be run before it is mended.
    Error,
    /// Runs, but perhaps not as meant.
    Note,
}

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which setting.
    pub place: Place,
    /// What is wrong, and the remedy.
    pub message: String,
    /// How much it matters.
    pub severity: Severity,
}

impl Problem {
    /// A problem that prevents running.
    pub fn error(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), severity: Severity::Error }
    }

    /// Something worth knowing.
    pub fn note(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), severity: Severity::Note }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.0.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.place, self.message)
    }
}
