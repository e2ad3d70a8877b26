//! The open document: its edits with their history, and their backup against a crash.

mod arms;
mod backup;
mod imports;

use std::path::{Path, PathBuf};

use crate::document::Document;
use crate::files::interrupted_move;
use crate::history::{CurrentState, EditState, History};
use crate::log::Log;
use crate::recovery::{Leftover, Recovery};
use crate::untitled;
use doc::file::FileError;
use doc::templates;
use results::tiles::Tiles;
use results::view::ViewSettings;

pub use imports::of_data;

/// The file of the document is looked at this often, in seconds.
const LOOK_AGAIN: f64 = 3.0;

/// The document with what was done to it.
pub(super) struct Editor {
    pub document: Document,
    pub history: History,
    pub recovery: Option<Recovery>,
    /// Unsaved edits of crashed windows, the newest last.
    pub leftovers: Vec<Leftover>,
    /// Folder for the results of documents without a file.
    untitled: PathBuf,
    /// When the file was looked at last, in seconds, and whether another program had written it.
    looked: Option<(f64, bool)>,
}

/// How results are shown, which can be undone as edits of the document can.
pub(super) type Shown<'a> = (&'a ViewSettings, &'a Tiles);

impl Editor {
    /// The default document, and a backup in the app's own folder.
    pub fn new(untitled: PathBuf, home: Option<&Path>, log: &mut Log) -> Self {
        let template = &templates::all()[0];
        let document = Document::untitled(template.name, template.text).expect("a test opens every template");
        let (history, recovery) = (History::default(), None);
        let mut editor = Self { document, history, recovery, leftovers: Vec::new(), untitled, looked: None };
        if let Some(home) = home {
            editor.begin_backup(&home.join("recovery"), log);
        }
        editor
    }

    /// The folder of the document's results.
    pub fn results(&self) -> PathBuf {
        self.document.results(&self.untitled)
    }

    /// The folder for the results of documents without a file.
    pub fn untitled(&self) -> &Path {
        &self.untitled
    }

    /// Keeps what a document without a file is, since it is about to have results.
    pub fn keep_untitled(&self) {
        if self.document.path().is_none()
            && let Some(kept) = self.document.to_keep()
        {
            // Where this cannot be written, the results cannot either, and the runs report it.
            untitled::keep(&self.untitled, &kept).ok();
        }
    }

    /// Where results are that a window was going to move here when it ended.
    pub fn interrupted_move(&self, to: &Path) -> Option<PathBuf> {
        interrupted_move(&self.untitled, to)
    }

    /// Whether another program has written the document's file. `now` in seconds; it is looked at every few seconds, when
    /// the window is drawn.
    pub fn is_changed_elsewhere(&mut self, now: f64) -> bool {
        let is_due = self.looked.is_none_or(|(at, _)| now - at >= LOOK_AGAIN || now < at);
        if is_due {
            self.looked = Some((now, self.document.is_changed_elsewhere()));
        }
        self.looked.is_some_and(|(_, is_changed)| is_changed)
    }

    /// Takes what another program has written as known: saving asks no more.
    pub fn keep_mine(&mut self) {
        self.document.keep_mine();
        self.looked = None;
    }

    /// Looks at the file again: the document was opened or saved.
    pub fn look_again(&mut self) {
        self.looked = None;
    }

    /// Writes the document. What can be undone gets its paths from there too.
    ///
    /// # Errors
    /// What could not be written; nothing has changed then.
    pub fn save(&mut self, to: &Path) -> Result<(), FileError> {
        let has_results = self.results().is_dir();
        let moved = self.document.save(to, has_results)?;
        self.history.change(&|experiment| moved.of(experiment));
        self.look_again();
        Ok(())
    }

    /// Starts a history at the saved document, so that edits recovered after a crash can be undone.
    pub fn begin_history(&mut self, (view, tiles): Shown<'_>) {
        let experiment = self.document.saved();
        self.history = History::new(EditState::new(CurrentState { experiment, view, tiles }));
    }

    /// Notes what was edited since the last time.
    pub fn note_edits(&mut self, (view, tiles): Shown<'_>) {
        let experiment = &self.document.experiment;
        self.history.note(CurrentState { experiment, view, tiles });
    }

    /// Accepts changes that were not made by the user.
    pub fn adopt_edits(&mut self, (view, tiles): Shown<'_>) {
        let experiment = &self.document.experiment;
        self.history.adopt(CurrentState { experiment, view, tiles });
    }
}
