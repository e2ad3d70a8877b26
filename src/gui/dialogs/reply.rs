//! What the user decides in dialogs, and what happens then.

use std::path::PathBuf;
use std::sync::Arc;

use crate::views::Subject;
use data::Recognised;
use doc::Experiment;
use doc::templates::Template;
use form::Names;
use form::path::Place;
use run::weight_files::Guess;

/// What takes the place of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A new experiment from this template becomes the document.
    New(Template),
    /// A file is chosen.
    ChooseFile,
    /// This file becomes the document.
    Open(PathBuf),
    /// Its own file, as another program has written it.
    Reload,
    /// The window closes.
    Quit,
}

/// A way out of the document, with the answers to the questions that were asked about it so far.
#[derive(Clone, Debug)]
pub struct Leaving {
    /// What comes then.
    pub to: Next,
    /// The edits that the user agreed to lose; later ones are asked about again.
    pub discarded: Option<Arc<Experiment>>,
    /// Whether the runs were asked to stop.
    pub is_stopping: bool,
}

impl Leaving {
    /// Nothing was asked yet.
    pub const fn to(to: Next) -> Self {
        Self { to, discarded: None, is_stopping: false }
    }
}

/// A form in which all results are handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Event files for TensorBoard.
    TensorBoard,
    /// An RO-Crate.
    Crate,
}

/// What a path is used for.
#[derive(Clone, Debug)]
pub enum PathUse {
    /// To open an experiment.
    Open(Leaving),
    /// To save the experiment, and go on with what made that necessary.
    Save(Option<Leaving>),
    /// To write a figure.
    Export(Subject),
    /// To write a report.
    Report,
    /// For the figure of the open export dialog.
    ExportFolder,
    /// To hand all results on.
    Share(Share),
    /// As a folder with the files of a data set.
    DataFolder,
    /// Write it into a setting, which names a folder or a file.
    Setting(Place, Names),
}

impl PathUse {
    /// Whether a file at the path is replaced. Results that are handed on replace only what they replaced before.
    pub const fn writes(&self) -> bool {
        match self {
            Self::Save(_) | Self::Export(_) | Self::Report => true,
            Self::Open(_) | Self::ExportFolder | Self::Share(_) | Self::DataFolder | Self::Setting(..) => {
                false
            }
        }
    }
}

/// What the user decided, with the data of the dialog that asked.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Nothing: everything stays as it is.
    Cancel,
    /// About unsaved edits.
    Unsaved(UnsavedReply, Leaving),
    /// About runs in progress.
    Running(RunningReply, Leaving),
    /// Resume these runs, by identity.
    Resume(Vec<String>),
    /// About the edits that a crash interrupted.
    Recover(RecoverReply),
    /// Add the stage that imports weights to the plan of an arm, by position.
    Import {
        /// The weight file.
        path: PathBuf,
        /// The arm, by position.
        arm: usize,
    },
    /// Make the network that weights are of that of an arm, and import them.
    UseNetwork {
        /// The weight file.
        path: PathBuf,
        /// The arm, by position.
        arm: usize,
        /// The network.
        guess: Box<Guess>,
    },
    /// Archive these runs, by identity.
    Archive(Vec<String>),
    /// Download data that were not found.
    DownloadData,
    /// Choose the folder of data that were not found.
    ChooseData,
    /// Make these the data of the experiment.
    UseData(Box<Recognised>),
    /// About a file that has what saving would lose, and what comes after saving.
    Rewrite(RewriteReply, Option<Leaving>),
    /// This path was typed.
    Path(PathUse, PathBuf),
    /// Use this path although a file is there.
    Overwrite(PathUse, PathBuf),
}

/// What becomes of unsaved edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsavedReply {
    /// They are saved first.
    Save,
    /// They are lost.
    Discard,
}

/// What becomes of runs in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningReply {
    /// They stop.
    Stop,
    /// They stop, and the next start offers to resume them.
    StopAndResumeLater,
}

/// What becomes of the edits that a crash interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverReply {
    /// They become the document.
    Restore,
    /// They are thrown away.
    Discard,
    /// The next start asks again.
    AskAgain,
}

/// What becomes of a file that has what saving would lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteReply {
    /// It is replaced.
    Replace(PathBuf),
    /// It stays, and the experiment gets another file.
    SaveAs,
}
