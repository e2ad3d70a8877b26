//! Settings that lie elsewhere: leading there, and paths that the user looks for.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::App;
use super::workspace::{Request, Workspace};
use crate::dialogs::PathUse;
use crate::files::{PathRequest, Purpose, documents_folder};
use crate::inspector::{Browse, InspectorRequest, selection_of};
use crate::tiles::LayoutChange;
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
            InspectorRequest::Browse(browse) => self.browse(browse, ctx),
            InspectorRequest::ShowNetwork(arm) => {
                let Workspace { views, selection, .. } = &mut self.workspace;
                views.show_network(arm.is_none(), selection);
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
    pub(super) fn browse(&mut self, Browse { place, names }: Browse, ctx: &egui::Context) {
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

    /// Where file dialogs begin: beside the document; without a file, beside the one that was open last, else among the
    /// user's documents.
    pub(super) fn folder(&self) -> PathBuf {
        let document = &self.editor.document;
        if document.path().is_some() {
            return document.base();
        }
        let last = self.shell.settings.recent.files().first().and_then(|file| file.parent());
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
}
