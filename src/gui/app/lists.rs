//! The lists that are searched: commands, and files that were open before.

use eframe::egui;

use super::App;
use crate::gui::palette::{
    Palette, PaletteList, PaletteOutcome, command_entries, file_entries, stage_entries, view_entries,
};

impl App {
    /// Opens a list.
    pub(super) fn open_list(&mut self, list: PaletteList) {
        self.presence.reopen();
        self.palette = Some(Palette::new(list));
    }

    /// Draws the list that is open, and does what was chosen.
    pub(super) fn list_ui(&mut self, ctx: &egui::Context) {
        let Some(mut palette) = self.palette.take() else { return };
        let entries = match palette.list {
            PaletteList::Commands => {
                let command_context = self.command_context();
                let mut entries = command_entries(ctx, &command_context, &|command| self.is_on(command));
                entries.extend(stage_entries(&command_context));
                entries.extend(view_entries(&|view| self.has_view(view)));
                entries
            }
            PaletteList::Files => {
                let files = self.settings.recent.files();
                file_entries(files, &self.presence.of(files, ctx))
            }
        };
        match palette.ui(ctx, &entries) {
            None => self.palette = Some(palette),
            Some(PaletteOutcome::Closed) => {}
            Some(PaletteOutcome::Chosen(choice)) => self.choose(choice, ctx),
        }
    }
}
