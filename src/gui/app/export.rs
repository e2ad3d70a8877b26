//! What leaves the window: figures by the export dialog or the clipboard, the report, event files and crates. Written in
//! threads, so that the window stays responsive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use eframe::egui::{self, ColorImage};

use super::App;
use super::chrome::open_on_desktop;
use crate::background::{Copied, WriteJob, Written};
use crate::dialogs::{Dialog, PathUse, Share};
use crate::export::{ExportDialog, ExportResponse, ExportSettings, FigureSettings};
use crate::files::{PathRequest, Purpose};
use crate::plot::Wanted;
use crate::text;
use crate::views::Subject;
use doc::{Experiment, Run, file, listed};
use figure::csv::csv;
use figure::export::{missing_characters, picture};
use figure::{Figure, FileKind, Options, write, write_file};
use form::number::counted;
use publish::report::{ReportInput, html};
use publish::ro_crate::CrateOptions;
use publish::{Selected, ro_crate, tensorboard};
use results::RunRecord;
use results::view::ViewSettings;
use run::read_records;

const FIGURE_FAILED: &str = "The figure was not written";

/// An open dialog with what it is about.
pub(super) struct OpenExport {
    dialog: ExportDialog,
    subject: Subject,
}

impl App {
    /// Opens the dialog for a figure, or copies it.
    pub(super) fn take_figure(&mut self, subject: Subject, wanted: Wanted, ctx: &egui::Context) {
        match wanted {
            Wanted::File => self.open_export(subject, ctx),
            Wanted::Picture => self.begin_export(vec![Export::Picture], &subject, ctx),
            Wanted::Values => self.begin_export(vec![Export::Values], &subject, ctx),
        }
    }

    fn open_export(&mut self, subject: Subject, ctx: &egui::Context) {
        let figure = self.shared_with_export(&subject);
        let remembered = &self.shell.settings;
        let folder = remembered.export_folder.clone().filter(|folder| folder.is_dir());
        let settings = ExportSettings {
            figure,
            kinds: remembered.export_kinds.clone(),
            folder: folder.unwrap_or_else(|| self.folder()),
        };
        let build = self.export_figure(&subject, ctx);
        let name = format!("{}-{}", self.editor.document.suggested_stem(), subject.name());
        let dialog = ExportDialog::new(subject.title(), &name, settings, ctx, build);
        self.shell.exporting = Some(OpenExport { dialog, subject });
    }

    /// Returns the work that makes a figure for the dialog or for an export, in a thread.
    fn export_figure(
        &mut self,
        subject: &Subject,
        ctx: &egui::Context,
    ) -> Box<dyn FnOnce() -> Result<Figure, String> + Send> {
        self.update_workspace(ctx);
        let experiment = self.editor.document.experiment.name.clone();
        match subject.clone() {
            Subject::View(offer) => Box::new(move || Ok(offer.figure().of_experiment(&experiment))),
            Subject::Plot(plot) => {
                let input = self.workspace.export_input_of(plot, &self.runner.runs);
                let figure = self.workspace.plot.visible_figure(plot, input);
                Box::new(move || figure().map(|figure| figure.of_experiment(&experiment)))
            }
        }
    }

    fn shared_with_export(&mut self, subject: &Subject) -> FigureSettings {
        let plots = &mut self.workspace.plot;
        let options = plots.paper();
        match subject {
            Subject::Plot(plot) => {
                let seeds = plot.controls.can_hide_seeds().then_some(plots.options.traces);
                FigureSettings { options, title: Some(plots.titles(plot).title.clone()), seeds }
            }
            Subject::View(_) => FigureSettings { options, title: None, seeds: None },
        }
    }

    /// Draws the open dialog, and does what was chosen.
    pub(super) fn export_ui(&mut self, ctx: &egui::Context) {
        if self.shell.dialog.is_some() {
            return; // a question about its file comes first
        }
        let Some(OpenExport { mut dialog, subject }) = self.shell.exporting.take() else { return };
        // Undo and Redo change what it shares with the window.
        let last = std::mem::replace(&mut dialog.settings.figure, self.shared_with_export(&subject));
        let now = &dialog.settings.figure;
        if (&last.title, last.seeds) != (&now.title, now.seeds) {
            dialog.rebuild(ctx, self.export_figure(&subject, ctx));
        }
        let response = dialog.ui(ctx);
        self.take_export_settings(&mut dialog, &subject, ctx);
        let (paths, folder) = (dialog.paths(), dialog.settings.folder.clone());
        let open = OpenExport { dialog, subject: subject.clone() };
        self.shell.exporting = Some(open).filter(|_| response != Some(ExportResponse::Close));
        match response {
            Some(ExportResponse::Write) => {
                self.shell.settings.export_folder = Some(folder);
                let existing: Vec<PathBuf> = paths.iter().filter(|path| path.exists()).cloned().collect();
                match existing.first() {
                    Some(first) => {
                        let usage = PathUse::Export(subject, paths);
                        self.shell.dialog = Some(Dialog::overwrite(first.clone(), usage, &existing));
                    }
                    None => self.export(paths, &subject, ctx),
                }
            }
            Some(ExportResponse::CopyPicture) => self.begin_export(vec![Export::Picture], &subject, ctx),
            Some(ExportResponse::CopyCaption(text)) => {
                ctx.copy_text(text);
                self.log.info("Copied the caption");
            }
            Some(ExportResponse::Show(folder)) => open_on_desktop(ctx, &folder),
            Some(ExportResponse::Browse) => {
                let request = PathRequest { purpose: Purpose::Folder, folder, name: String::new() };
                self.shell.ask(request, PathUse::ExportFolder, ctx);
            }
            Some(ExportResponse::Close) | None => {}
        }
    }

    /// Keeps what the dialog has; a figure with other lines or another title is built again.
    fn take_export_settings(&mut self, dialog: &mut ExportDialog, subject: &Subject, ctx: &egui::Context) {
        self.shell.settings.export_kinds.clone_from(&dialog.settings.kinds);
        let plots = &mut self.workspace.plot;
        plots.set_paper(&dialog.settings.figure.options);
        let Subject::Plot(plot) = subject else { return };
        let seeds = dialog.settings.figure.seeds.unwrap_or(plots.options.traces);
        let title = dialog.settings.figure.title.clone().unwrap_or_default();
        if title == plots.titles(plot).title && seeds == plots.options.traces {
            return;
        }
        plots.titles(plot).title = title;
        plots.options.traces = seeds;
        dialog.rebuild(ctx, self.export_figure(subject, ctx));
    }

    /// Takes the folder that was chosen for the open dialog.
    pub(super) fn take_export_folder(&mut self, folder: PathBuf) {
        if let Some(open) = &mut self.shell.exporting {
            open.dialog.settings.folder = folder;
        }
    }

    /// Writes a figure to files; the ending of each says as what.
    pub(super) fn export(&mut self, paths: Vec<PathBuf>, subject: &Subject, ctx: &egui::Context) {
        let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        self.log.info(format!("Writing {} to {}…", subject.title(), listed(&names)));
        if let Some(open) = &mut self.shell.exporting {
            open.dialog.begin(&paths);
        }
        let export = |path: PathBuf| FileKind::from_path(&path).map(|kind| Export::File(path, kind));
        self.begin_export(paths.into_iter().filter_map(export).collect(), subject, ctx);
    }

    fn begin_export(&mut self, exports: Vec<Export>, subject: &Subject, ctx: &egui::Context) {
        let outdated = self.workspace.compare.outdated_count();
        if matches!(subject, Subject::Plot(_)) && outdated > 0 {
            let runs = text::counted(outdated, "outdated run");
            self.log.info(format!("Left out {runs}: exports hold current results only"));
        }
        for export in exports {
            let figure = self.export_figure(subject, ctx);
            let (paper, label) = (self.workspace.plot.paper(), subject.title().to_owned());
            let (failure, path) = match &export {
                Export::File(path, _) => (FIGURE_FAILED, Some(path.clone())),
                Export::Picture => ("The figure was not copied", None),
                Export::Values => ("The values were not copied", None),
            };
            self.write(failure, path.as_deref(), ctx, move || export.make(&figure()?, &paper, label));
        }
    }

    /// Begins to write in a thread, or shows why that is not possible.
    fn write(
        &mut self,
        failure: &'static str,
        path: Option<&Path>,
        ctx: &egui::Context,
        work: impl FnOnce() -> Result<Written, String> + Send + 'static,
    ) {
        match WriteJob::begin(failure, path.map(Path::to_path_buf), ctx, work) {
            Ok(job) => self.workspace.writing.push(job),
            Err(why) => self.take_end(failure, path, Err(why)),
        }
    }

    /// Takes what threads have written.
    pub(super) fn take_written(&mut self, ctx: &egui::Context) {
        for job in std::mem::take(&mut self.workspace.writing) {
            match job.finish(&mut self.log, ctx) {
                Ok(false) => self.workspace.writing.push(job),
                end => self.take_end(job.failure, job.path.as_deref(), end.map(drop)),
            }
        }
    }

    /// Tells the export dialog about its files; a failure of anything else has a dialog of its own.
    fn take_end(&mut self, failure: &str, path: Option<&Path>, end: Result<(), String>) {
        let open = self.shell.exporting.as_mut().zip(path);
        let is_told = open.is_some_and(|(open, path)| open.dialog.end(path, &end));
        match end {
            Err(why) if is_told => self.log.error(format!("{failure}: {why}")),
            Err(why) => self.fail(failure, &why),
            Ok(()) => {}
        }
    }

    /// Waits for files that are being written: the window closes.
    pub(super) fn finish_writing(&mut self, patience: Duration) {
        let began = Instant::now();
        for job in self.workspace.writing.drain(..) {
            job.wait(patience.saturating_sub(began.elapsed()));
        }
    }

    /// Asks where the report goes.
    pub(super) fn ask_where_to_report(&mut self, ctx: &egui::Context) {
        let name = self.editor.document.suggested_file_name();
        let name = Path::new(&name).with_extension("html").to_string_lossy().into_owned();
        let request = PathRequest { purpose: Purpose::Report, folder: self.folder(), name };
        self.shell.ask(request, PathUse::Report, ctx);
    }

    /// Writes the report of the results on disk, as the window shows them.
    pub(super) fn write_report(&mut self, path: PathBuf, ctx: &egui::Context) {
        let failure = "The report was not written";
        let source = match self.source() {
            Ok(source) => source,
            Err(why) => return self.fail(failure, &why),
        };
        let (view, tiles) = self.workspace.shown();
        let view = ViewSettings { tiles: Some(tiles.clone()), ..view.clone() };
        self.log.info(format!("Writing the report to {}…", path.display()));
        self.write(failure, Some(&path.clone()), ctx, move || source.report(&view, &path));
    }

    /// Asks where results are handed on to.
    pub(super) fn ask_where_to_share(&mut self, share: Share, ctx: &egui::Context) {
        let (purpose, name) = match share {
            Share::TensorBoard => (Purpose::Folder, String::new()),
            Share::Crate => (Purpose::NewFolder, format!("{}-crate", self.editor.document.suggested_stem())),
        };
        let request = PathRequest { purpose, folder: self.folder(), name };
        self.shell.ask(request, PathUse::Share(share), ctx);
    }

    /// Hands the results of the whole experiment on.
    pub(super) fn share(&mut self, share: Share, place: PathBuf, ctx: &egui::Context) {
        let failure = match share {
            Share::TensorBoard => "The event files were not written",
            Share::Crate => "The crate was not written",
        };
        let source = match self.source() {
            Ok(source) => source,
            Err(why) => return self.fail(failure, &why),
        };
        self.log.info(format!("Writing to {}…", place.display()));
        self.write(failure, Some(&place.clone()), ctx, move || source.share(share, &place));
    }

    /// Copies what a thread needs of the document and its results.
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
        let name = PathBuf::from(document.suggested_file_name());
        let file = document.path().map_or_else(|| name.clone(), Path::to_owned);
        let (experiment, folder) = (document.experiment.clone(), self.editor.results());
        Ok(Source { experiment, file, name, text, runs, records, folder })
    }

    /// Returns the name of the file and the title of the open dialog.
    #[cfg(test)]
    pub(super) fn exporting(&self) -> Option<(&str, &str)> {
        self.shell.exporting.as_ref().map(|open| (open.dialog.name(), open.subject.title()))
    }

    /// Closes the open dialog by writing its figure to a path.
    #[cfg(test)]
    pub(super) fn export_to(&mut self, path: &Path, ctx: &egui::Context) {
        let OpenExport { subject, .. } = self.shell.exporting.take().expect("the dialog is open");
        self.export(vec![path.to_owned()], &subject, ctx);
    }
}

enum Export {
    File(PathBuf, FileKind),
    /// A picture in the clipboard.
    Picture,
    /// Values in the clipboard, as CSV.
    Values,
}

impl Export {
    fn make(self, figure: &Figure, paper: &Options, label: String) -> Result<Written, String> {
        let note = |kind| missing_characters(figure, kind, paper).map(|note| format!("{label}: {note}"));
        let (notes, copied) = match self {
            Self::File(path, kind) => {
                write(figure, &path, kind, paper).map_err(|error| error.to_string())?;
                (note(kind), None)
            }
            Self::Picture => {
                let (size, pixels) = picture(figure, paper).map_err(|error| error.to_string())?;
                let image = ColorImage::from_rgba_premultiplied(size, &pixels);
                (note(FileKind::Png), Some(Copied::Picture(image)))
            }
            Self::Values => (None, Some(Copied::Values(csv(figure)))),
        };
        Ok(Written { notes: notes.into_iter().collect(), copied, label })
    }
}

/// An experiment with its results as they were when something was asked for: the document may change meanwhile.
struct Source {
    experiment: Experiment,
    file: PathBuf,
    /// The name of the file, or the one that would be suggested.
    name: PathBuf,
    text: String,
    runs: Vec<Run>,
    records: BTreeMap<String, RunRecord>,
    folder: PathBuf,
}

impl Source {
    fn report(&self, view: &ViewSettings, path: &Path) -> Result<Written, String> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let input = ReportInput {
            title: "",
            selected: Selected {
                experiment: &self.experiment,
                file: &self.name,
                text: &self.text,
                all: &self.runs,
                runs: &self.runs,
                records: &read_records(&self.folder, &self.runs),
                folder: &self.folder,
            },
            set: &[],
            view,
            plots: None,
            made: i64::try_from(since.as_secs()).unwrap_or_default(),
        };
        let text = html(&input).map_err(|error| error.to_string())?;
        write_file(path, text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(Written { label: "the report".to_owned(), ..Written::default() })
    }

    fn share(&self, share: Share, place: &Path) -> Result<Written, String> {
        let selected = Selected {
            experiment: &self.experiment,
            file: &self.file,
            text: &self.text,
            all: &self.runs,
            runs: &self.runs,
            records: &self.records,
            folder: &self.folder,
        };
        let (what, runs, notes) = match share {
            Share::TensorBoard => {
                let written = tensorboard::write(&selected, place).map_err(|error| error.to_string())?;
                ("event files", written.runs, written.notes)
            }
            Share::Crate => {
                let options = CrateOptions::default();
                let written =
                    ro_crate::write(&selected, &options, place).map_err(|error| error.to_string())?;
                ("a crate", written.runs, written.notes)
            }
        };
        Ok(Written { label: format!("{what} of {}", counted(runs, "run")), notes, copied: None })
    }
}
