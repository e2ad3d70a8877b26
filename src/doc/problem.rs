//! What is wrong with a document, where, and what to do.

use std::fmt;

use data::{Data, Looks};
use form::path::Place;

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing can be run before it is mended.
    Error,
    /// Runs, but perhaps not as meant.
    Note,
}

/// What a window can offer against a problem, besides the way to its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// To choose the folder of the data that were not found.
    ChooseFolder,
}

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which setting.
    pub place: Place,
    /// The same in the words of the window, counted from 1: `winning ticket, stage 4.1 Prune, Amount`. Empty until
    /// [`Problem::locate`], and for the whole document.
    pub location: String,
    /// What is wrong, and the remedy, in one line.
    pub message: String,
    /// More lines, such as the folders that were searched; may be empty.
    pub details: String,
    /// What a window can offer.
    pub remedy: Option<Remedy>,
    /// How much it matters.
    pub severity: Severity,
}

impl Problem {
    /// What is wrong with data of which nothing is known: why they cannot be used, or that they were not looked at yet.
    pub fn of_data(data: &Data, looks: &Looks, place: &Place) -> Option<Self> {
        let error = looks.of(data).and_then(|look| look.error.clone());
        let is_unknown = data.needs_look() && data.facts(None).is_none();
        let message = error.or_else(|| is_unknown.then(|| "the data are being looked at".to_owned()))?;
        Some(Self::error(place.clone(), message))
    }

    /// Returns what a look at the files of a user's data found worth knowing: classes without samples, assumptions.
    pub fn notes_on_data(data: &Data, looks: &Looks, place: &Place) -> Vec<Self> {
        let known = looks.of(data).and_then(|_| looks.inventory(data, None));
        let notes = known.map(|found| found.notes).unwrap_or_default();
        notes.into_iter().map(|note| Self::note(place.clone(), note)).collect()
    }

    /// A problem that prevents running.
    pub fn error(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            location: String::new(),
            message: message.into(),
            details: String::new(),
            remedy: None,
            severity: Severity::Error,
        }
    }

    /// Something worth knowing.
    pub fn note(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(place, message) }
    }

    /// What is wrong, with all details.
    pub fn whole(&self) -> String {
        let Self { message, details, .. } = self;
        if details.is_empty() { message.clone() } else { format!("{message}\n{details}") }
    }

    /// The problem for those who edit the file by hand: with the path of its setting in brackets.
    pub fn with_path(&self) -> String {
        if self.place.0.is_empty() || self.location.is_empty() {
            return self.to_string();
        }
        format!("{self} ({})", self.place)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.location.as_str(), self.place.0.as_slice()) {
            ("", []) => f.write_str(&self.message),
            ("", _) => write!(f, "{}: {}", self.place, self.message),
            (location, _) => write!(f, "{location}: {}", self.message),
        }
    }
}
