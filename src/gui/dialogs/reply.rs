//! What the user can decide in a dialog.

use std::path::PathBuf;

use crate::gui::files::Purpose;

/// The action that a question interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The template with this position becomes the document.
    New(usize),
    /// A file is chosen.
    ChooseFile,
    /// This file becomes the document.
    Open(PathBuf),
    /// The window closes.
    Quit,
}

/// What the user decided, with all that carrying it out takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Everything stays as it is.
    Cancel,
    /// A message was read.
    Close,
    /// Save, then continue.
    Save(Next),
    /// Continue without saving.
    Discard(Next),
    /// Stop the runs, then continue.
    Stop(Next),
    /// The same, and offer to resume them at the next start.
    StopAndResumeLater(Next),
    /// Resume these runs, by identity.
    Resume(Vec<String>),
    /// Restore the edits that a crash interrupted.
    Restore,
    /// Throw them away.
    DropEdits,
    /// Ask about them again at the next start.
    AskAgain,
    /// Add the stage that imports weights.
    Import {
        /// The weight file.
        path: PathBuf,
        /// The arm, by position.
        arm: usize,
    },
    /// Archive these runs, by identity.
    Archive(Vec<String>),
    /// Save to this file, whatever it holds.
    SaveTo(PathBuf),
    /// Save under another name.
    SaveAs,
    /// This path was typed.
    Path(Purpose, PathBuf),
    /// Use this path although a file is there.
    Overwrite(Purpose, PathBuf),
    /// Continue with this, after the questions that it needs.
    Proceed(Next),
}
