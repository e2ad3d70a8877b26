//! Exports and copies of plots and views, made in a thread so that the window stays responsive.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui;

use super::Workspace;
use crate::background::{BackgroundTask, TaskState};
use crate::log::{Log, NoticeAction};
use crate::runs::Runs;
use crate::text;
use crate::views::Subject;
use figure::Options;
use figure::csv::csv;
use figure::export::{missing_characters, picture};
use figure::{Figure, FileKind, write};

/// What to make of a figure.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) enum Export {
    /// A file of this kind.
    File(PathBuf, FileKind),
    /// A picture in the clipboard.
    Picture,
    /// Values in the clipboard, as CSV.
    Values,
}

/// What a thread has made of a figure.
enum Exported {
    /// A file, and what is to be known of it.
    File(PathBuf, Option<String>),
    /// An image, and what is to be known of it.
    Picture([usize; 2], Vec<u8>, Option<String>),
    Values(String),
}

/// An export in progress.
pub(super) struct Exporting {
    /// What is said where it does not work.
    failure: &'static str,
    /// Whether a file is written, which the window waits for when it closes.
    is_file: bool,
    /// Of what.
    title: String,
    made: BackgroundTask<Result<Exported, String>>,
}

impl Export {
    fn failure(&self) -> &'static str {
        match self {
            Self::File(..) => "The figure was not written",
            Self::Picture => "The figure was not copied",
            Self::Values => "The values were not copied",
        }
    }

    fn make(self, figure: &Figure, paper: &Options) -> Result<Exported, String> {
        match self {
            Self::File(path, kind) => {
                write(figure, &path, kind, paper).map_err(|error| error.to_string())?;
                let note = missing_characters(figure, kind, paper);
                Ok(Exported::File(path, note))
            }
            Self::Picture => {
                let (size, pixels) = picture(figure, paper).map_err(|error| error.to_string())?;
                Ok(Exported::Picture(size, pixels, missing_characters(figure, FileKind::Png, paper)))
            }
            Self::Values => Ok(Exported::Values(csv(figure))),
        }
    }
}

/// Something that did not work, for a dialog and the log.
pub(in crate::app) struct Failure {
    pub title: &'static str,
    pub text: String,
}

impl Workspace {
    /// Exports in a thread.
    pub fn begin_export(
        &mut self,
        export: Export,
        subject: Subject,
        (experiment, runs): (&str, &Runs),
        log: &mut Log,
        ctx: &egui::Context,
    ) -> Result<(), Failure> {
        let (failure, is_file) = (export.failure(), matches!(export, Export::File(..)));
        let (paper, title) = (self.plot.paper(), subject.title().to_owned());
        let outdated = self.compare.outdated_count();
        if matches!(subject, Subject::Plot(_)) && outdated > 0 {
            let runs = text::counted(outdated, "outdated run");
            log.info(format!("Left out {runs}: exports hold current results only"));
        }
        let figure = self.figure_of(subject, (experiment, runs));
        let made = BackgroundTask::begin("export", ctx, move || export.make(&figure()?, &paper));
        let text = "The system refused to start a thread. Close other programs and try again.";
        let made = made.ok_or_else(|| Failure { title: failure, text: text.to_owned() })?;
        self.exports.push(Exporting { failure, is_file, title, made });
        Ok(())
    }

    /// Writes a report in a thread; `write` says why where it does not work.
    pub fn begin_report(
        &mut self,
        path: PathBuf,
        ctx: &egui::Context,
        write: impl FnOnce(&Path) -> Result<(), String> + Send + 'static,
    ) -> Result<(), Failure> {
        let failure = "The report was not written";
        let made =
            BackgroundTask::begin("report", ctx, move || write(&path).map(|()| Exported::File(path, None)));
        let text = "The system refused to start a thread. Close other programs and try again.";
        let made = made.ok_or_else(|| Failure { title: failure, text: text.to_owned() })?;
        self.exports.push(Exporting { failure, is_file: true, title: "the report".to_owned(), made });
        Ok(())
    }

    /// What makes the figure of a plot or of a view, in a thread.
    pub fn figure_of(
        &mut self,
        subject: Subject,
        (experiment, runs): (&str, &Runs),
    ) -> Box<dyn FnOnce() -> Result<Figure, String> + Send> {
        let experiment = experiment.to_owned();
        match subject {
            Subject::View(offer) => Box::new(move || Ok(offer.figure().of_experiment(&experiment))),
            Subject::Plot(plot) => {
                let input = self.export_input_of(plot, runs);
                let request = self.plot.figure_request(plot, input);
                Box::new(move || request.figure().map(|figure| figure.of_experiment(&experiment)))
            }
        }
    }

    /// Whether a file is being written.
    pub fn is_writing(&self) -> bool {
        self.exports.iter().any(|exporting| exporting.is_file)
    }

    /// Takes what threads have exported; returns the files that were written, and what did not work.
    pub fn take_exports(&mut self, log: &mut Log, ctx: &egui::Context) -> (Vec<PathBuf>, Vec<Failure>) {
        let (mut written, mut failures) = (Vec::new(), Vec::new());
        for exporting in std::mem::take(&mut self.exports) {
            let title = exporting.failure;
            match exporting.made.take() {
                TaskState::Running => self.exports.push(exporting),
                TaskState::Done(Ok(made)) => written.extend(made.take(&exporting.title, log, ctx)),
                TaskState::Done(Err(text)) => failures.push(Failure { title, text }),
                TaskState::Failed(why) => {
                    let text = format!("{why}. This is a bug in Weightlab; please report it.");
                    failures.push(Failure { title, text });
                }
            }
        }
        (written, failures)
    }

    /// Waits for files that are being written: the window closes.
    pub fn finish_exports(&mut self, patience: Duration) {
        let began = Instant::now();
        for exporting in self.exports.drain(..) {
            if exporting.is_file {
                exporting.made.wait(patience.saturating_sub(began.elapsed()));
            }
        }
    }
}

impl Exported {
    /// Hands it over; returns the file, where it is one.
    fn take(self, title: &str, log: &mut Log, ctx: &egui::Context) -> Option<PathBuf> {
        match self {
            Self::File(path, note) => {
                let text = format!("Wrote {title} to {}", path.display());
                log.done(
                    text,
                    vec![NoticeAction::Open(path.clone()), NoticeAction::ShowInFolder(path.clone())],
                );
                note_missing(title, note, log);
                return Some(path);
            }
            Self::Picture(size, pixels, note) => {
                ctx.copy_image(egui::ColorImage::from_rgba_premultiplied(size, &pixels));
                let [width, height] = size;
                log.info(format!("Copied {title} as an image of {width} × {height} pixels"));
                note_missing(title, note, log);
            }
            Self::Values(text) => {
                ctx.copy_text(text);
                log.info(format!("Copied the values of {title} as CSV"));
            }
        }
        None
    }
}

fn note_missing(title: &str, note: Option<String>, log: &mut Log) {
    if let Some(note) = note {
        log.info(format!("{title}: {note}"));
    }
}
