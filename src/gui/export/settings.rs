//! The settings of the export dialog: those that change something about the figure and the format.

use eframe::egui::{Checkbox, RichText, TextEdit, Ui};

use super::controls::{Applies, choice_ui, heading_ui, intervals_ui, legend_ui, row_ui, size_ui};
use super::{ExportDialog, ExportResponse};
use crate::form::note_edited;
use crate::theme::{SMALL, STEP};
use crate::widgets::{self, FieldState};
use figure::FileKind;

impl ExportDialog {
    /// Draws the settings that apply; what is asked of the window.
    pub(super) fn settings_ui(&mut self, ui: &mut Ui) -> Option<ExportResponse> {
        ui.spacing_mut().item_spacing.y = 0.625 * STEP;
        let applies = Applies::to(self.figure().map(|figure| &**figure));
        if self.settings.kind == FileKind::Csv {
            let text = "A CSV file has the values with their intervals; size and look do not apply";
            ui.label(RichText::new(text).size(SMALL));
        } else {
            heading_ui(ui, "Size");
            size_ui(ui, &mut self.settings.options.size);
            if applies.legend {
                heading_ui(ui, "Legend");
                legend_ui(ui, &mut self.settings.options.size.legend, applies.line_ends);
            }
        }
        if applies.lines {
            self.lines_ui(ui);
        }
        if self.settings.kind != FileKind::Csv {
            self.texts_ui(ui, applies);
        }
        heading_ui(ui, "File");
        self.file_ui(ui)
    }

    /// What applies to lines; single seeds are in tables too.
    fn lines_ui(&mut self, ui: &mut Ui) {
        let is_drawn = self.settings.kind != FileKind::Csv;
        if !is_drawn && self.settings.seeds.is_none() {
            return;
        }
        heading_ui(ui, "Lines");
        let options = &mut self.settings.options;
        if is_drawn {
            intervals_ui(ui, &mut options.intervals);
            choice_ui(ui, "Marks", &mut options.marks, ["One shape per arm", "No marks"]);
            choice_ui(ui, "Dashes", &mut options.dashes, ["One pattern per arm", "All lines solid"]);
            choice_ui(ui, "Shades", &mut options.shades, ["Darker and lighter", "Colours of the arms"]);
        }
        if let Some(seeds) = &mut self.settings.seeds {
            let help = "Draws each seed faintly behind the mean, in the window too";
            row_ui(ui, "Seeds", |ui| {
                widgets::input_ui(ui, Checkbox::new(seeds, "Individual seeds")).on_hover_text(help);
            });
        }
    }

    fn texts_ui(&mut self, ui: &mut Ui, applies: Applies) {
        heading_ui(ui, "Text around the figure");
        if let Some(title) = &mut self.settings.title {
            row_ui(ui, "Title", |ui| {
                let field =
                    TextEdit::singleline(title).hint_text("none").desired_width(ui.available_width() - STEP);
                note_edited(&widgets::field_ui(ui, field, FieldState::Plain).accessible_name("Title"));
            });
        }
        let options = &mut self.settings.options;
        if applies.notes {
            row_ui(ui, "Show", |ui| {
                let notes = "What differs between arms, after their names";
                widgets::input_ui(ui, Checkbox::new(&mut options.notes, "Notes at arm names"))
                    .on_hover_text(notes);
            });
        }
        row_ui(ui, if applies.notes { "" } else { "Show" }, |ui| {
            let footnote = "How many seeds a mean is of, what its interval is, and what cannot be drawn";
            widgets::input_ui(ui, Checkbox::new(&mut options.footnote, "Footnote")).on_hover_text(footnote);
        });
    }
}
