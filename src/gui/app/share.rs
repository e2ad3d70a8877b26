//! Hands the results of the whole experiment on: event files for TensorBoard, and a crate. Written in a thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui;

use super::App;
use crate::background::{BackgroundTask, TaskState};
use crate::dialogs::{PathUse, Share};
use crate::files::{PathRequest, Purpose};
use crate::log::NoticeAction;
use doc::{Experiment, Run, file};
use form::number::counted;
use publish::ro_crate::CrateOptions;
use publish::{Selected, ro_crate, tensorboard};
use results::RunRecord;

/// What threads are writing.
#[derive(Default)]
pub(super) struct Sharing(Vec<(Share, PathBuf, BackgroundTask<Result<Shared, String>>)>);

/// What was written: in a few words, and what somebody should know.
struct Shared {
    what: String,
    notes: Vec<String>,
}

/// All that a thread needs: the document may change meanwhile.
struct Source {
    experiment: Experiment,
    file: PathBuf,
    text: String,
    runs: Vec<Run>,
    records: BTreeMap<String, RunRecord>,
    folder: PathBuf,
}

impl Sharing {
    /// Waits for what is being written: the window closes.
    pub fn finish(&mut self, patience: Duration) {
        let began = Instant::now();
        for (_, _, task) in self.0.drain(..) {
            task.wait(patience.saturating_sub(began.elapsed()));
        }
    }
}

impl Share {
    const fn failure(self) -> &'static str {
        match self {
            Self::TensorBoard => "The event files were not written",
            Self::Crate => "The crate was not written",
        }
    }

    fn write(self, source: &Source, place: &Path) -> Result<Shared, String> {
        let selected = Selected {
            experiment: &source.experiment,
            file: &source.file,
            text: &source.text,
            all: &source.runs,
            runs: &source.runs,
            records: &source.records,
            folder: &source.folder,
        };
        match self {
            Self::TensorBoard => {
                let written = tensorboard::write(&selected, place).map_err(|error| error.to_string())?;
                let what = format!("event files of {}", counted(written.runs, "run"));
                Ok(Shared { what, notes: written.notes })
            }
            Self::Crate => {
                let options = CrateOptions::default();
                let written =
                    ro_crate::write(&selected, &options, place).map_err(|error| error.to_string())?;
                let what = format!("a crate of {}", counted(written.runs, "run"));
                Ok(Shared { what, notes: written.notes })
            }
        }
    }
}

impl App {
    /// Asks where to write.
    pub(super) fn ask_where_to_share(&mut self, share: Share, ctx: &egui::Context) {
        let name = self.editor.document.suggested_file_name();
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
        let (purpose, name) = match share {
            Share::TensorBoard => (Purpose::Folder, String::new()),
            Share::Crate => (Purpose::NewFolder, format!("{stem}-crate")),
        };
        let request = PathRequest { purpose, folder: self.folder(), name };
        self.shell.ask(request, PathUse::Share(share), ctx);
    }

    /// Writes, in a thread.
    pub(super) fn share(&mut self, share: Share, place: PathBuf, ctx: &egui::Context) {
        let source = match self.source() {
            Ok(source) => source,
            Err(text) => return self.fail(share.failure(), &text),
        };
        self.log.info(format!("Writing to {}…", place.display()));
        let own = place.clone();
        let Some(task) = BackgroundTask::begin("share", ctx, move || share.write(&source, &own)) else {
            let text = "The system refused to start a thread. Close other programs and try again.";
            return self.fail(share.failure(), text);
        };
        self.shell.sharing.0.push((share, place, task));
    }

    fn source(&self) -> Result<Source, String> {
        let document = &self.editor.document;
        let text = if document.is_unsaved() {
            file::to_text(&document.experiment, document.text()).map_err(|error| error.to_string())?
        } else {
            document.text().to_owned()
        };
        let runs = document.runs().to_vec();
        let record = |run: &Run| Some((run.id.clone(), self.runner.runs.record(&run.id)?.clone()));
        let records = runs.iter().filter_map(record).collect();
        let file =
            document.path().map_or_else(|| PathBuf::from(document.suggested_file_name()), Path::to_owned);
        let (experiment, folder) = (document.experiment.clone(), self.editor.results());
        Ok(Source { experiment, file, text, runs, records, folder })
    }

    /// Takes what threads have written.
    pub(super) fn take_shared(&mut self) {
        for (share, place, task) in std::mem::take(&mut self.shell.sharing.0) {
            match task.take() {
                TaskState::Running => self.shell.sharing.0.push((share, place, task)),
                TaskState::Done(Ok(Shared { what, notes })) => {
                    for note in notes {
                        self.log.note(note);
                    }
                    let text = format!("Wrote {what} to {}", place.display());
                    self.log.done(text, vec![NoticeAction::ShowInFolder(place)]);
                }
                TaskState::Done(Err(text)) => self.fail(share.failure(), &text),
                TaskState::Failed(why) => {
                    let text = format!("{why}. This is a bug in Weightlab; please report it.");
                    self.fail(share.failure(), &text);
                }
            }
        }
    }
}
