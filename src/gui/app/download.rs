//! Downloading data, and what follows for the experiment.

use std::path::PathBuf;

use eframe::egui;

use super::App;
use crate::dialogs::Dialog;
use crate::download::{DownloadDialog, DownloadResponse};
use data::{Places, Recognised};

impl App {
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
        let is_downloadable = self.editor.document.experiment.data.is_downloadable();
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
