//! Exports and copies of plots and views, made in a thread so that the window stays responsive.

use std::path::{Path, PathBuf};
use std::time::Instant;

use eframe::egui;

use super::{App, PATIENCE};
use crate::figure::csv::csv;
use crate::figure::export::{Options, picture};
use crate::figure::plots::Plot;
use crate::figure::{Figure, FileKind, write};
use crate::gui::background::{BackgroundTask, TaskState};
use crate::gui::files::{PathRequest, Purpose};
use crate::gui::plot::FigureRequest;
use crate::gui::text;
use crate::gui::views::{Offer, Wanted};

/// What to make of a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Export {
    /// A file of this kind.
    File(PathBuf, FileKind),
    /// A picture in the clipboard.
    Picture,
    /// Values in the clipboard, as CSV.
    Values,
}

/// What a thread has made of a figure.
enum Exported {
    File(PathBuf),
    Picture([usize; 2], Vec<u8>),
    Values(String),
}

/// An export in progress.
pub(super) struct Exporting {
    export: Export,
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
                Ok(Exported::File(path))
            }
            Self::Picture => {
                let (size, pixels) = picture(figure, paper).map_err(|error| error.to_string())?;
                Ok(Exported::Picture(size, pixels))
            }
            Self::Values => Ok(Exported::Values(csv(figure))),
        }
    }
}

/// What is exported.
pub(super) enum Subject {
    /// A plot, as it is when the export starts.
    Plot(&'static Plot),
    /// The last figure of a view.
    View(Offer),
}

impl Subject {
    /// What the name of its file ends with.
    fn name(&self) -> &str {
        match self {
            Self::Plot(plot) => plot.name,
            Self::View(offer) => &offer.name,
        }
    }

    /// What dialogs and the log call it.
    fn title(&self) -> &str {
        match self {
            Self::Plot(plot) => plot.title,
            Self::View(offer) => &offer.title,
        }
    }
}

impl App {
    /// What exports are about: the figure of the active view, else the plot that was used last.
    pub(super) fn subject(&self) -> Subject {
        let offer = self.views.offer(&self.tiles.layout().active);
        offer.map_or_else(|| Subject::Plot(self.plot.plot()), Subject::View)
    }

    /// Does what is wanted of the figure of a view.
    pub(super) fn take_figure(&mut self, view: &str, wanted: Wanted, ctx: &egui::Context) {
        let Some(subject) = self.views.offer(view).map(Subject::View) else { return };
        match wanted {
            Wanted::File => self.ask_where_to_export(subject, ctx),
            Wanted::Picture => self.begin_export(Export::Picture, subject, ctx),
            Wanted::Values => self.begin_export(Export::Values, subject, ctx),
        }
    }

    /// Asks for the file of a figure, whose suggested name says of what.
    pub(super) fn ask_where_to_export(&mut self, subject: Subject, ctx: &egui::Context) {
        let name = self.document.suggested_file_name();
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}-{}.svg", subject.name());
        let request = PathRequest {
            purpose: Purpose::Export,
            folder: self.folder(),
            name,
            subject: subject.title().to_owned(),
        };
        self.pending_export = Some(subject);
        self.ask(request, ctx);
    }

    /// Writes what was asked for; the ending of the file says as what.
    pub(super) fn export(&mut self, path: &Path, ctx: &egui::Context) {
        let Some(subject) = self.pending_export.take() else { return };
        let Some(kind) = FileKind::of(path) else {
            let text = format!("{} is not a supported format. Use .svg, .pdf, .png or .csv.", path.display());
            return self.fail("The figure was not written", &text);
        };
        self.log.info(format!("Writing {} to {}…", subject.title(), path.display()));
        self.begin_export(Export::File(path.to_owned(), kind), subject, ctx);
    }

    /// Exports in a thread.
    pub(super) fn begin_export(&mut self, export: Export, subject: Subject, ctx: &egui::Context) {
        let (own, paper, title) = (export.clone(), self.plot.paper(), subject.title().to_owned());
        let made = match subject {
            Subject::View(offer) => {
                BackgroundTask::begin("export", ctx, move || own.make(&offer.figure(), &paper))
            }
            Subject::Plot(plot) => {
                let figure_request = self.request_of(plot, ctx);
                let figure = move || figure_request.figure().ok_or("The plot is empty. Press Run all first.");
                BackgroundTask::begin("export", ctx, move || own.make(&figure()?, &paper))
            }
        };
        match made {
            Some(made) => self.exports.push(Exporting { export, title, made }),
            None => self.fail(
                export.failure(),
                "The system refused to start a thread. Close other programs and try again.",
            ),
        }
    }

    /// What a plot shows, as the command line knows it.
    fn request_of(&mut self, plot: &'static Plot, ctx: &egui::Context) -> FigureRequest {
        self.update_comparison(ctx);
        let outdated = self.compare.outdated_count();
        if outdated > 0 {
            let runs = text::counted(outdated, "run");
            self.log
                .info(format!("Left out {runs} with earlier settings: exports hold current results only"));
        }
        let input = self.export_input();
        self.plot.figure_request(plot, input)
    }

    /// Takes what threads have exported.
    pub(super) fn take_exports(&mut self, ctx: &egui::Context) {
        for exporting in std::mem::take(&mut self.exports) {
            match exporting.made.take() {
                TaskState::Running => self.exports.push(exporting),
                TaskState::Done(Ok(made)) => self.take_export(made, &exporting.title, ctx),
                TaskState::Done(Err(why)) => self.fail(exporting.export.failure(), &why),
                TaskState::Failed(why) => {
                    let text = format!("{why}. This is a bug in Weightlab; please report it.");
                    self.fail(exporting.export.failure(), &text);
                }
            }
        }
    }

    fn take_export(&mut self, made: Exported, title: &str, ctx: &egui::Context) {
        match made {
            Exported::File(path) => self.log.info(format!("Wrote {title} to {}", path.display())),
            Exported::Picture(size, pixels) => {
                ctx.copy_image(egui::ColorImage::from_rgba_premultiplied(size, &pixels));
                let [width, height] = size;
                self.log.info(format!("Copied {title} as an image of {width} × {height} pixels"));
            }
            Exported::Values(text) => {
                ctx.copy_text(text);
                self.log.info(format!("Copied the values of {title} as CSV"));
            }
        }
    }

    /// Waits for files that are being written: the window closes.
    pub(super) fn finish_exports(&mut self) {
        let began = Instant::now();
        for exporting in self.exports.drain(..) {
            if matches!(exporting.export, Export::File(..)) {
                exporting.made.wait(PATIENCE.saturating_sub(began.elapsed()));
            }
        }
    }
}
