//! Settings that lie elsewhere: leading there, paths that the user looks for, and data that are downloaded.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::App;
use super::workspace::{Request, Workspace};
use crate::dialogs::{Dialog, PathUse};
use crate::download::{DownloadDialog, DownloadResponse};
use crate::files::{PathRequest, Purpose, absolute, documents_folder, is_untitled};
use crate::inspector::{InspectorRequest, selection_of};
use crate::tiles::LayoutChange;
use crate::views::ExperimentFor;
use data::{Places, Recognised};
use doc::Run;
use form::number::megabytes;
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
        // What is in a folder of data decides on other settings too.
        let of_data = Place::default().key("data");
        if names == Names::Folder && place.0.starts_with(&of_data.0) {
            return self.ask_for_data(ctx);
        }
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

    /// Asks what to do about data of the experiment that are not there; `details` say where they were looked for.
    pub(super) fn ask_about_missing(&mut self, title: String, text: String, details: String) {
        let is_downloadable = self.editor.document.experiment.data.origin().is_some();
        self.shell.dialog = Some(Dialog::missing_data(title, text, details, is_downloadable));
    }

    /// Asks for the folder of the data of the experiment, if these are not found.
    pub(super) fn ask_if_missing(&mut self) {
        self.look_at_document();
        let document = &self.editor.document;
        let Some(problem) = document.problems().iter().find(|problem| problem.lacks_folder) else { return };
        let (data, details) = (&document.experiment.data, problem.details.clone());
        let title = format!("This experiment needs {}", data.name());
        let size = data.origin().map(|origin| format!(", or download them ({})", megabytes(origin.bytes())));
        let text = format!("Its files were not found. Choose their folder{}.", size.unwrap_or_default());
        self.ask_about_missing(title, text, details);
    }

    /// Takes the folder in which the data of an earlier experiment were, where those of this one are not found and none is
    /// named.
    pub(super) fn take_known_folder(&mut self) {
        let document = &mut self.editor.document;
        let data = &document.experiment.data;
        let known = data.file_set().and_then(|set| self.shell.settings.data_folders.get(set));
        let is_missing = document.problems().iter().any(|problem| problem.lacks_folder);
        if let Some(folder) = known.filter(|_| is_missing && *data == data.clone().in_folder(None)) {
            let found = data.clone().in_folder(document.as_written(folder));
            if found.check_files(&document.base()).is_ok() {
                self.log.note(format!("Took {} from {}, as the last time", found.name(), folder.display()));
                document.find_data(found);
                document.refresh();
            }
        }
    }

    /// Remembers where the data of the experiment are, for the next one.
    pub(super) fn note_data_folder(&mut self) {
        let document = &self.editor.document;
        let data = &document.experiment.data;
        if let (Some(set), Ok(Some(folder))) = (data.file_set(), data.place(&document.base())) {
            self.shell.settings.data_folders.insert(set.to_owned(), absolute(&folder));
        }
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
            let folder = folder.clone();
            self.use_data(&Recognised { data: data.clone(), folder, others: Vec::new() });
        }
        self.shell.settings.data_folders.insert(set.to_owned(), folder);
    }
}
