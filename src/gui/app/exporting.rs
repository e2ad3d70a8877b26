//! Writing and copying what a plot shows: a thread builds and draws it, so that the window goes on.

use std::path::{Path, PathBuf};
use std::time::Instant;

use eframe::egui;

use super::{App, PATIENCE};
use crate::figure::csv::csv;
use crate::figure::export::{Options, picture};
use crate::figure::{Figure, FileKind, write};
use crate::gui::plot::Order;
use crate::gui::text;
use crate::gui::working::{Answer, Working};

/// What becomes of a figure.
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
enum Made {
    File(PathBuf),
    Picture([usize; 2], Vec<u8>),
    Values(String),
}

/// An export that a thread works at.
pub(super) struct Exporting {
    export: Export,
    made: Working<Result<Made, String>>,
}

impl Export {
    fn failure(&self) -> &'static str {
        match self {
            Self::File(..) => "The figure was not written",
            Self::Picture => "The figure was not copied",
            Self::Values => "The values were not copied",
        }
    }

    fn make(self, figure: &Figure, paper: &Options) -> Result<Made, String> {
        match self {
            Self::File(path, kind) => {
                write(figure, &path, kind, paper).map_err(|error| error.to_string())?;
                Ok(Made::File(path))
            }
            Self::Picture => {
                let (size, pixels) = picture(figure, paper).map_err(|error| error.to_string())?;
                Ok(Made::Picture(size, pixels))
            }
            Self::Values => Ok(Made::Values(csv(figure))),
        }
    }
}

fn make(order: &Order, export: Export, paper: &Options) -> Result<Made, String> {
    let figure = order.figure().ok_or("The plot shows nothing yet: press Run all.")?;
    export.make(&figure, paper)
}

impl App {
    /// Writes what the plot shows; the ending of the file says as what.
    pub(super) fn export(&mut self, path: &Path, ctx: &egui::Context) {
        let Some(kind) = FileKind::of(path) else {
            let text = format!(
                "{} is no kind of figure. End the name with .svg, .pdf, .png or .csv.",
                path.display()
            );
            return self.fail("The figure was not written", &text);
        };
        self.log.info(format!("Writing {}…", path.display()));
        self.begin_export(Export::File(path.to_owned(), kind), ctx);
    }

    /// Copies what the plot shows as a picture.
    pub(super) fn copy_figure(&mut self, ctx: &egui::Context) {
        self.begin_export(Export::Picture, ctx);
    }

    /// Copies the values of what the plot shows.
    pub(super) fn copy_values(&mut self, ctx: &egui::Context) {
        self.begin_export(Export::Values, ctx);
    }

    fn begin_export(&mut self, export: Export, ctx: &egui::Context) {
        self.update_comparison(ctx);
        let earlier = self.compare.earlier_count();
        if earlier > 0 {
            let runs = text::counted(earlier, "run");
            self.log.info(format!(
                "Left out {runs} of earlier settings: exports hold results of the present ones"
            ));
        }
        let input = self.own_input();
        let order = self.plot.order(input);
        let (own, paper) = (export.clone(), self.plot.paper());
        match Working::begin("export", ctx, move || make(&order, own, &paper)) {
            Some(made) => self.exports.push(Exporting { export, made }),
            None => self.fail(export.failure(), "No thread could be started for it: close other programs."),
        }
    }

    /// Takes what threads have exported.
    pub(super) fn take_exports(&mut self, ctx: &egui::Context) {
        for exporting in std::mem::take(&mut self.exports) {
            match exporting.made.take() {
                Answer::Waiting => self.exports.push(exporting),
                Answer::Here(Ok(made)) => self.take_export(made, ctx),
                Answer::Here(Err(why)) => self.fail(exporting.export.failure(), &why),
                Answer::Lost(why) => {
                    let text = format!("{why}. This is an error of Weightlab, please report it.");
                    self.fail(exporting.export.failure(), &text);
                }
            }
        }
    }

    fn take_export(&mut self, made: Made, ctx: &egui::Context) {
        match made {
            Made::File(path) => self.log.info(format!("Wrote {}", path.display())),
            Made::Picture(size, pixels) => {
                ctx.copy_image(egui::ColorImage::from_rgba_premultiplied(size, &pixels));
                self.log.info(format!("Copied the plot as a picture of {} × {} pixels", size[0], size[1]));
            }
            Made::Values(text) => {
                ctx.copy_text(text);
                self.log.info("Copied the values of the plot as CSV");
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
