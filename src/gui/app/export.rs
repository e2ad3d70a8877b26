//! The export dialog: which figure, how it looks, and where it goes.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::App;
use super::workspace::Export;
use crate::dialogs::PathUse;
use crate::export::{ExportDialog, ExportResponse, ExportSettings};
use crate::files::{PathRequest, Purpose};
use crate::views::{Subject, Wanted};
use figure::{Figure, FileKind, Options};

/// The dialog, while it is open.
#[derive(Default)]
pub(super) struct Exporting {
    open: Option<OpenExport>,
}

/// An open dialog with what it is about.
struct OpenExport {
    dialog: ExportDialog,
    subject: Subject,
    /// What the window had of its settings in the last frame: Undo and Redo change it.
    known: Shared,
}

/// What a dialog shares with the window: the look of the paper, the title, whether each seed is drawn.
type Shared = (Options, Option<String>, Option<bool>);

impl Exporting {
    /// Whether the dialog is open.
    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

impl App {
    /// Opens the dialog for a figure, or copies it.
    pub(super) fn take_figure(&mut self, subject: Subject, wanted: Wanted, ctx: &egui::Context) {
        match wanted {
            Wanted::File => self.open_export(subject, ctx),
            Wanted::Picture => self.begin_export(Export::Picture, subject, ctx),
            Wanted::Values => self.begin_export(Export::Values, subject, ctx),
        }
    }

    fn open_export(&mut self, subject: Subject, ctx: &egui::Context) {
        let name = self.editor.document.suggested_file_name();
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
        let known = self.shared_with_export(&subject);
        let (options, title, seeds) = known.clone();
        let remembered = &self.shell.settings;
        let folder = remembered.export_folder.clone().filter(|folder| folder.is_dir());
        let settings = ExportSettings {
            options,
            title,
            seeds,
            kind: remembered.export_kind.unwrap_or(FileKind::Pdf),
            folder: folder.unwrap_or_else(|| self.folder()),
        };
        let build = self.export_figure(&subject, ctx);
        let name = format!("{stem}-{}", subject.name());
        let dialog = ExportDialog::new(subject.title(), &name, settings, ctx, build);
        self.shell.exporting.open = Some(OpenExport { dialog, subject, known });
    }

    /// What makes the figure of the dialog, in a thread.
    fn export_figure(
        &mut self,
        subject: &Subject,
        ctx: &egui::Context,
    ) -> impl FnOnce() -> Result<Figure, String> + Send + use<> {
        self.update_workspace(ctx);
        let experiment = &self.editor.document.experiment.name;
        self.workspace.figure_of(subject.clone(), (experiment, &self.runner.runs))
    }

    fn shared_with_export(&mut self, subject: &Subject) -> Shared {
        let plots = &mut self.workspace.plot;
        let paper = plots.paper();
        match subject {
            Subject::Plot(plot) => {
                let seeds = plot.controls.can_hide_seeds().then_some(plots.options.traces);
                (paper, Some(plots.titles(plot).title.clone()), seeds)
            }
            Subject::View(_) => (paper, None, None),
        }
    }

    /// Draws the open dialog, and does what was chosen.
    pub(super) fn export_ui(&mut self, ctx: &egui::Context) {
        if self.shell.dialog.is_some() {
            return; // a question about its file comes first
        }
        let Some(OpenExport { mut dialog, subject, known }) = self.shell.exporting.open.take() else {
            return;
        };
        let shown = self.shared_with_export(&subject);
        if shown != known {
            let is_other_figure = (&shown.1, shown.2) != (&known.1, known.2);
            (dialog.settings.options, dialog.settings.title, dialog.settings.seeds) = shown;
            if is_other_figure {
                dialog.rebuild(ctx, self.export_figure(&subject, ctx));
            }
        }
        dialog.is_writing = self.workspace.is_writing();
        let response = dialog.ui(ctx);
        self.take_export_settings(&mut dialog, &subject, ctx);
        match response {
            Some(ExportResponse::Close) => return,
            Some(ExportResponse::Write(path)) => {
                self.shell.settings.export_folder = Some(dialog.settings.folder.clone());
                self.use_path(PathUse::Export(subject.clone()), path, ctx);
            }
            Some(ExportResponse::CopyPicture) => self.begin_export(Export::Picture, subject.clone(), ctx),
            Some(ExportResponse::CopyCaption(text)) => {
                ctx.copy_text(text);
                self.log.info("Copied the caption");
            }
            Some(ExportResponse::Browse) => {
                let request = PathRequest {
                    purpose: Purpose::Folder,
                    folder: dialog.settings.folder.clone(),
                    name: String::new(),
                };
                self.shell.ask(request, PathUse::ExportFolder, ctx);
            }
            None => {}
        }
        let known = self.shared_with_export(&subject);
        self.shell.exporting.open = Some(OpenExport { dialog, subject, known });
    }

    /// Takes what threads have exported. The dialog stays open until its file is written.
    pub(super) fn take_exports(&mut self, ctx: &egui::Context) {
        let (written, failures) = self.workspace.take_exports(&mut self.log, ctx);
        self.shell.exporting.open.take_if(|open| written.contains(&open.dialog.path()));
        for failure in failures {
            self.fail(failure.title, &failure.text);
        }
    }

    /// Keeps what the dialog has; a figure with other lines or another title is built again.
    fn take_export_settings(&mut self, dialog: &mut ExportDialog, subject: &Subject, ctx: &egui::Context) {
        self.shell.settings.export_kind = Some(dialog.settings.kind);
        let plots = &mut self.workspace.plot;
        plots.set_paper(&dialog.settings.options);
        let Subject::Plot(plot) = subject else { return };
        let seeds = dialog.settings.seeds.unwrap_or(plots.options.traces);
        let title = dialog.settings.title.clone().unwrap_or_default();
        if title == plots.titles(plot).title && seeds == plots.options.traces {
            return;
        }
        plots.titles(plot).title = title;
        plots.options.traces = seeds;
        dialog.rebuild(ctx, self.export_figure(subject, ctx));
    }

    /// Takes the folder that was chosen for the open dialog.
    pub(super) fn take_export_folder(&mut self, folder: PathBuf) {
        if let Some(open) = &mut self.shell.exporting.open {
            open.dialog.settings.folder = folder;
        }
    }

    /// Writes a figure; the ending of the file says as what.
    pub(super) fn export(&mut self, path: &Path, subject: Subject, ctx: &egui::Context) {
        let Some(kind) = FileKind::from_path(path) else {
            let text = format!("{} is not a supported format. Use .svg, .pdf, .png or .csv.", path.display());
            return self.fail("The figure was not written", &text);
        };
        self.log.info(format!("Writing {} to {}…", subject.title(), path.display()));
        self.begin_export(Export::File(path.to_owned(), kind), subject, ctx);
    }

    fn begin_export(&mut self, export: Export, subject: Subject, ctx: &egui::Context) {
        self.update_workspace(ctx);
        let shown = (self.editor.document.experiment.name.as_str(), &self.runner.runs);
        let begun = self.workspace.begin_export(export, subject, shown, &mut self.log, ctx);
        if let Err(failure) = begun {
            self.fail(failure.title, &failure.text);
        }
    }

    /// The name of the file and the title of the open dialog.
    #[cfg(test)]
    pub(super) fn exporting(&self) -> Option<(&str, &str)> {
        self.shell.exporting.open.as_ref().map(|open| (open.dialog.name(), open.subject.title()))
    }

    /// Closes the open dialog by writing its figure to a path.
    #[cfg(test)]
    pub(super) fn export_to(&mut self, path: &Path, ctx: &egui::Context) {
        let OpenExport { subject, .. } = self.shell.exporting.open.take().expect("the dialog is open");
        self.use_path(PathUse::Export(subject), path.to_owned(), ctx);
    }
}
