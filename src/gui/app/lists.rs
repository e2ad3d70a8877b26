//! The lists that are searched: commands, and files that were open before.

use std::path::Path;

use eframe::egui;

use super::App;
use crate::gui::palette::{
    List, Outcome, Palette, command_entries, file_entries, stage_entries, view_entries,
};

impl App {
    /// Opens a list.
    pub(super) fn open_list(&mut self, list: List) {
        self.presence.reopen();
        self.palette = Some(Palette::new(list));
    }

    /// Draws the list that is open, and does what was chosen.
    pub(super) fn list_ui(&mut self, ctx: &egui::Context) {
        let Some(mut palette) = self.palette.take() else { return };
        let entries = match palette.list {
            List::Commands => {
                let facts = self.facts();
                let mut entries = command_entries(ctx, &facts, &|command| self.is_on(command));
                entries.extend(stage_entries(&facts));
                entries.extend(view_entries(&|view| self.has_view(view)));
                entries
            }
            List::Files => {
                let files = self.settings.recent.files();
                file_entries(files, &self.presence.of(files, ctx))
            }
        };
        match palette.ui(ctx, &entries) {
            None => self.palette = Some(palette),
            Some(Outcome::Closed) => {}
            Some(Outcome::Chosen(choice)) => self.choose(choice, ctx),
        }
    }

    /// Puts a file first in the list of recent ones.
    pub(super) fn note_recent(&mut self, path: &Path) {
        self.settings.recent.note(path);
    }
}
