//! Settings that lie elsewhere: leading there, paths that the user looks for, and data that are downloaded.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::App;
use super::workspace::{Request, Workspace};
use crate::dialogs::{Dialog, PathUse};
use crate::download::{DownloadDialog, DownloadResponse};
use crate::files::{PathRequest, Purpose, documents_folder, is_untitled};
use crate::inspector::{InspectorRequest, selection_of};
use crate::tiles::LayoutChange;
use crate::views::ExperimentFor;
use data::{Places, Recognised};
use doc::Run;
use form::path::{Place, reach};
use form::{Field, Names, text};

impl App {
    /// Shows a setting in the inspector and gives it the keyboard.
    pub(super) fn show_setting(&mut self, place: Place) {
        self.select(selection_of(&place));
        self.open_inspector();
        self.workspace.focus = Some(place);
    }

    /// Does what the inspector asks for.
    pub(super) fn answer_inspector(&mut self, request: InspectorRequest, ctx: &egui::Context) {
        match request {
            InspectorRequest::Browse(place, names) => self.browse(place, names, ctx),
            InspectorRequest::ShowNetwork(arm) => {
                let Workspace { views, selection, .. } = &mut self.workspace;
                views.store.of::<ExperimentFor>().0 = arm.is_none().then(|| selection.clone());
                self.take_request(Request::Show("network"), ctx);
                self.give_network_room();
            }
        }
    }

    /// Gives the network the tile of the weights before it, as long as no run has any.
    fn give_network_room(&mut self) {
        let has_weights = |run: &Run| self.runner.runs.is_done(&run.id);
        let views = self.workspace.tiles.layout().views();
        let at = |view: &str| views.iter().position(|known| *known == view);
        let is_below = at("weights").zip(at("network")).is_some_and(|(weights, network)| weights < network);
        if is_below && !self.editor.document.runs().iter().any(has_weights) {
            self.workspace.tiles.change(LayoutChange::Replace("weights", "network"));
        }
    }

    /// Asks for the path of a setting.
    fn browse(&mut self, place: Place, names: Names, ctx: &egui::Context) {
        let purpose = if names == Names::Folder { Purpose::Folder } else { Purpose::File };
        let (folder, name) = (self.folder(), String::new());
        let request = PathRequest { purpose, folder, name };
        self.shell.ask(request, PathUse::Setting(place), ctx);
    }

    /// Asks for the folder of data that were not found; it is used as a dropped one.
    pub(super) fn ask_for_data(&mut self, ctx: &egui::Context) {
        let (folder, name) = (self.folder(), String::new());
        let request = PathRequest { purpose: Purpose::Folder, folder, name };
        self.shell.ask(request, PathUse::DataFolder, ctx);
    }

    /// Returns the folder that file dialogs begin in: beside the document; where that is untitled, beside the one
    /// that was open last, else among the user's documents.
    pub(super) fn folder(&self) -> PathBuf {
        let document = &self.editor.document;
        if document.path().is_some_and(|path| !is_untitled(path)) {
            return document.base();
        }
        let mut recent = self.shell.settings.recent.files().iter();
        let last = recent.find(|file| !is_untitled(file)).and_then(|file| file.parent());
        let last = last.filter(|folder| folder.is_dir()).map(Path::to_owned);
        last.or_else(documents_folder).unwrap_or_else(|| document.base())
    }

    /// Writes a path into its setting, relative to the document where it is below that.
    pub(super) fn write_path(&mut self, place: &Place, path: &Path) {
        let document = &mut self.editor.document;
        let written = document.as_written(path);
        let field = Field::new("", "", "");
        reach(&mut document.experiment, &place.0, &mut |value| {
            let _ = text::set_text(value, &written, &field); // any text is a path
        });
        document.drafts.forget(place);
    }

    /// Opens the dialog, with the data of the experiment chosen.
    pub(super) fn open_download(&mut self) {
        let places = self.places();
        let wanted = self.editor.document.experiment.data.file_set().filter(|_| !self.shell.is_starting);
        self.shell.download = Some(DownloadDialog::new(&places, wanted));
    }

    fn places(&self) -> Places {
        Places::from_env(&self.editor.document.base())
    }

    /// Asks what to do about data of the experiment that are not there.
    pub(super) fn ask_about_missing(&mut self, title: String, text: String) {
        let is_downloadable = self.editor.document.experiment.data.origin().is_some();
        self.shell.dialog = Some(Dialog::missing_data(title, text, is_downloadable));
    }

    /// Draws the open dialog, and uses what has arrived.
    pub(super) fn download_ui(&mut self, ctx: &egui::Context) {
        let Some(mut dialog) = self.shell.download.take() else { return };
        match dialog.ui(ctx, &self.places()) {
            None => self.shell.download = Some(dialog),
            Some(DownloadResponse::Close) => {}
            Some(DownloadResponse::Arrived(set, folder)) => self.take_downloaded(set, folder),
        }
    }

    /// Says that data have arrived. An experiment that needs them and does not find them there gets their folder.
    fn take_downloaded(&mut self, set: &str, folder: PathBuf) {
        self.log.info(format!("Downloaded {set} to {}", folder.display()));
        let data = &self.editor.document.experiment.data;
        let base = self.editor.document.base();
        let needs_it = data.file_set() == Some(set) && !self.shell.is_starting;
        if needs_it && data.check_files(&base).is_err() {
            self.use_data(&Recognised { data: data.clone(), folder, others: Vec::new() });
        }
    }
}
