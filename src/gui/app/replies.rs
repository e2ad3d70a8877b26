//! What follows from dialogs: of the window, and of the system for paths.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui;

use super::App;
use super::runner::StartRequest;
use super::steps::Step;
use crate::dialogs::{Dialog, Leaving, Next, PathUse, Reply, dialog_ui};
use crate::files::{PathAnswer, PathRequest, Purpose, absolute, with_extension};
use crate::selection::Selection;

impl App {
    /// Draws the open dialog, and carries out the decision.
    pub(super) fn dialog_ui(&mut self, ctx: &egui::Context) {
        if let Some(Dialog::Running { runs, leaving, .. }) = self.shell.dialog.as_mut() {
            *runs = self.runner.runs.open().count(); // they go on behind the question
            if !self.runner.runs.is_running() {
                let leaving = leaving.clone();
                self.shell.dialog = None;
                self.proceed(leaving, ctx);
            }
        }
        let dialog = self.shell.dialog.as_mut();
        let Some(reply) = dialog.and_then(|dialog| dialog_ui(ctx, dialog)) else { return };
        let asked = self.shell.dialog.take();
        match reply {
            Reply::Cancel => {}
            Reply::Save(leaving) => self.save(Some(leaving), ctx),
            Reply::Discard(leaving) => {
                let discarded = Some(Arc::new(self.editor.document.experiment.clone()));
                self.proceed(Leaving { discarded, ..leaving }, ctx);
            }
            Reply::Stop(leaving) => self.stop_and_leave(false, leaving, ctx),
            Reply::StopAndResumeLater(leaving) => self.stop_and_leave(true, leaving, ctx),
            Reply::Resume(runs) => self.then(Step::Start(StartRequest::These(runs)), ctx),
            Reply::Restore => self.restore(ctx),
            Reply::GiveUp => self.editor.give_up_leftover(&mut self.log),
            Reply::AskAgain => drop(self.editor.leftovers.pop()), // they stay for the next start
            Reply::Import { path, arm, guess, normalize } => {
                let mut selection = self.workspace.selection.clone();
                if let Some(guess) = guess {
                    self.editor.use_network(&guess, arm, &mut self.log);
                    selection = Selection::Arm(arm);
                }
                if let Some(normalize) = normalize {
                    let data = &mut self.editor.document.experiment.data;
                    *data = data.clone().scaled(normalize);
                }
                let selected = self.editor.import(&path, arm, &selection, &mut self.log);
                self.select(selected);
                self.ask_if_missing();
            }
            Reply::Archive(runs) => self.archive(&runs),
            Reply::DownloadData => self.open_download(),
            Reply::ChooseData => self.ask_for_data(ctx),
            Reply::UseData(found) => self.use_data(&found),
            Reply::Replace(path, then) => self.save_to(&path, then, ctx),
            Reply::SaveAs(then) => self.ask_where_to_save(then, ctx),
            Reply::Path(usage, path) => {
                self.use_path(usage, path, ctx);
                self.keep_typed(asked);
            }
            Reply::Overwrite(usage, path) => self.take_path(usage, path, ctx),
        }
    }

    /// Keeps the field for a path open after a failure, with what was typed and why that could not be used.
    fn keep_typed(&mut self, asked: Option<Dialog>) {
        if let Some(Dialog::Message { text: why, .. }) = &self.shell.dialog
            && let Some(Dialog::Path { request, usage, text, .. }) = asked
        {
            let error = Some(why.clone());
            self.shell.dialog = Some(Dialog::Path { request, usage, text, error });
        }
    }

    /// Takes the answer of the system's dialog, if there is one.
    pub(super) fn take_answer(&mut self, ctx: &egui::Context) {
        let Some((request, usage, answer)) = self.shell.answer() else { return };
        match answer {
            // The system's dialog has asked about a file that is there, but it did not know the extension.
            PathAnswer::Path(path) => {
                let named = with_extension(path.clone(), request.purpose);
                if named == path {
                    self.take_path(usage, named, ctx);
                } else {
                    self.use_path(usage, named, ctx);
                }
            }
            PathAnswer::Cancelled => {}
            PathAnswer::Unavailable => self.shell.dialog = Some(Dialog::path_field(request, usage)),
        }
    }

    /// Uses a path, after a question about a file that would be replaced.
    pub(super) fn use_path(&mut self, usage: PathUse, path: PathBuf, ctx: &egui::Context) {
        if usage.writes() && path.exists() {
            self.shell.dialog = Some(Dialog::overwrite(path.clone(), usage, &[path]));
        } else {
            self.take_path(usage, path, ctx);
        }
    }

    fn take_path(&mut self, usage: PathUse, path: PathBuf, ctx: &egui::Context) {
        match usage {
            PathUse::Open(leaving) => self.proceed(Leaving { to: Next::Open(path), ..leaving }, ctx),
            PathUse::Save(then) => self.save_to(&path, then, ctx),
            PathUse::Export(subject, paths) => self.export(paths, &subject, ctx),
            PathUse::Report => self.write_report(path, ctx),
            PathUse::ExportFolder => self.take_export_folder(path),
            PathUse::Share(share) => self.share(share, path, ctx),
            PathUse::DataFolder => {
                self.shell.identify_chosen(path, self.editor.document.experiment.data.clone(), ctx);
            }
            PathUse::Setting(place) => self.write_path(&place, &path),
        }
    }

    /// Saves under the known path, or asks for one; `then` comes afterwards.
    pub(super) fn save(&mut self, then: Option<Leaving>, ctx: &egui::Context) {
        let document = &self.editor.document;
        let Some(path) = document.path().map(Path::to_owned) else {
            return self.ask_where_to_save(then, ctx);
        };
        if document.is_changed_elsewhere() {
            self.shell.dialog = Some(Dialog::changed(path, then));
        } else if document.would_lose_comments(&path) {
            self.shell.dialog = Some(Dialog::comments(path, then));
        } else {
            self.save_to(&path, then, ctx);
        }
    }

    pub(super) fn ask_where_to_save(&mut self, then: Option<Leaving>, ctx: &egui::Context) {
        let (folder, name) = (self.folder(), self.editor.document.suggested_file_name());
        let request = PathRequest { purpose: Purpose::Save, folder, name };
        self.shell.ask(request, PathUse::Save(then), ctx);
    }

    /// Saves the document there. An untitled file is removed then, and its results get the new name.
    fn save_to(&mut self, path: &Path, then: Option<Leaving>, ctx: &egui::Context) {
        let path = absolute(path);
        let untitled = self.editor.untitled().filter(|untitled| *untitled != path).map(Path::to_owned);
        if untitled.is_some() {
            if self.runner.runs.is_running() {
                return self.then(Step::Rename(path, then), ctx);
            }
            self.workspace.keep_view(0.0, None, &mut self.log); // the folder is to be at rest
        }
        let from = self.editor.results();
        if let Err(error) = self.editor.save(&path) {
            return self.fail("The experiment was not saved", &error.to_string());
        }
        self.log.info(format!("Saved {}", path.display()));
        self.shell.settings.recent.note(&path);
        let to = self.editor.results();
        let renamed = untitled.map(|untitled| {
            let renamed = self.editor.rename_from(&untitled);
            if renamed.is_ok() {
                self.shell.settings.recent.forget(&untitled);
            }
            renamed
        });
        if to != from && renamed != Some(Ok(())) {
            if from.is_dir() {
                let (old, new) = (from.display(), to.display());
                let why = renamed.and_then(Result::err).map(|why| format!(" ({why})")).unwrap_or_default();
                let text = format!("Earlier results stay in {old}{why}; new runs write to {new}");
                if why.is_empty() { self.log.info(text) } else { self.log.warn(text) }
            }
            self.then(Step::Reread, ctx);
        }
        if let Some(leaving) = then {
            self.proceed(leaving, ctx);
        }
    }
}
