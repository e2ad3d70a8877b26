//! Settings that lie elsewhere: leading there, and paths that the user looks for.

use std::path::Path;

use eframe::egui;

use super::App;
use crate::form::path::{Place, reach};
use crate::form::{Field, Names, text};
use crate::gui::drop::as_written;
use crate::gui::files::{PathRequest, Purpose};
use crate::gui::inspector::{Browse, selection_of};

impl App {
    /// Shows a setting in the inspector and gives it the keyboard.
    pub(super) fn show_setting(&mut self, place: Place) {
        if let Some(selection) = selection_of(&place) {
            self.selection = selection;
        }
        self.settings.panels_mut().properties = true;
        self.focus = Some(place);
    }

    /// Asks for the path of a setting.
    pub(super) fn browse(&mut self, browse: Browse, ctx: &egui::Context) {
        let purpose = if browse.names == Names::Folder { Purpose::Folder } else { Purpose::File };
        self.browsed = Some(browse.place);
        let (name, subject) = (String::new(), String::new());
        self.ask(PathRequest { purpose, folder: self.document.base(), name, subject }, ctx);
    }

    /// Writes the path that was looked for into its setting.
    pub(super) fn take_browsed(&mut self, path: &Path) {
        let Some(place) = self.browsed.take() else { return };
        let written = as_written(path, &self.document.base());
        let field = Field::new("", "", "");
        reach(&mut self.document.experiment, &place.0, &mut |value| {
            let _ = text::set_text(value, &written, &field); // any text is a path
        });
        self.document.drafts.forget(&place);
    }
}
