//! Running on a cluster.

use eframe::egui;

use super::App;
use crate::cluster::{ClusterDialog, ClusterInput, ClusterResponse};

impl App {
    /// Opens the dialog.
    pub(super) fn open_cluster(&mut self) {
        self.shell.cluster = Some(ClusterDialog::new(self.shell.settings.cluster.clone()));
    }

    /// Draws the open dialog, and carries out what it wants.
    pub(super) fn cluster_ui(&mut self, ctx: &egui::Context) {
        let Some(mut dialog) = self.shell.cluster.take() else { return };
        // The tasks read what is on the disk.
        let is_changed_elsewhere = self.editor.is_changed_elsewhere(ctx.input(|input| input.time));
        let document = &self.editor.document;
        let file = document.path().filter(|_| !document.is_unsaved() && !is_changed_elsewhere);
        let (folder, runs) = (self.editor.results(), document.runs());
        let slurm = &self.shell.slurm;
        let response = dialog.ui(ctx, ClusterInput { file, folder: &folder, runs, slurm });
        if dialog.settings != self.shell.settings.cluster {
            self.shell.settings.cluster = dialog.settings.clone();
        }
        match response {
            Some(ClusterResponse::Close) => return,
            Some(ClusterResponse::Save) => self.save(None, ctx),
            Some(ClusterResponse::Note(text)) => self.log.info(text),
            None => {}
        }
        self.shell.cluster = Some(dialog);
    }
}
