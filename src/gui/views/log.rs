//! The log with all its lines, to be searched and copied.

use eframe::egui::{Checkbox, ScrollArea, TextEdit, Ui};

use super::{Request, Shared, View, ViewEntry, ViewInput};
use crate::icons::Icon;
use crate::log::Notice;
use crate::log::{LINE, entry_ui};
use crate::text;
use crate::widgets::{self, FieldState, Tone};
use results::tiles::Group;

/// The search.
#[derive(Default)]
pub struct LogView {
    words: String,
    errors_only: bool,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "log",
    title: "Log",
    group: Group::Notes,
    help: "What did a run report, and why did one fail? Everything since the window \
           opened, newest last. Type words to find the lines that contain all of them, or show errors only. \
           Point at a cut line to read the rest; the button at its end copies all of it, the one above copies \
           all lines found. The strip at the bottom of the window has the same lines, and the problems of the \
           document.",
    make: || Box::<LogView>::default(),
};

impl View for LogView {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, _shared: &mut Shared<'_>) -> Option<Request> {
        let entries = input.log.entries();
        let found: Vec<(usize, &Notice)> =
            entries.iter().enumerate().filter(|(_, entry)| self.wants(entry)).collect();
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Find:");
            let field =
                TextEdit::singleline(&mut self.words).hint_text("failed winning").desired_width(160.0);
            let field = widgets::field_ui(ui, field, FieldState::Plain).labelled_by(label.id);
            field.on_hover_text("Words in a line, in any order");
            widgets::input_ui(ui, Checkbox::new(&mut self.errors_only, "Errors only"));
            let copy = ui.add(widgets::button(Icon::Copy, "Copy found lines"));
            if copy.on_hover_text("Copies the matching lines in full").clicked() {
                let lines: String = found.iter().flat_map(|(_, entry)| [entry.text.as_str(), "\n"]).collect();
                ui.ctx().copy_text(lines);
            }
            let all = text::counted(entries.len(), "line");
            let count = if found.len() == entries.len() {
                all
            } else {
                format!("{} of {all}", text::grouped(found.len() as u64))
            };
            ui.weak(count);
        });
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.spacing_mut().interact_size.y = LINE;
        let area =
            ScrollArea::vertical().id_salt("log view").auto_shrink([false, false]).stick_to_bottom(true);
        area.show_rows(ui, LINE, found.len(), |ui, rows| {
            for (position, entry) in &found[rows] {
                entry_ui(ui, entry, *position);
            }
        });
        None
    }
}

impl LogView {
    fn wants(&self, entry: &Notice) -> bool {
        let text = entry.text.to_lowercase();
        let has = |word: &str| text.contains(&word.to_lowercase());
        (!self.errors_only || entry.tone == Tone::Bad) && self.words.split_whitespace().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_must_be_there_and_errors_can_be_asked_for() {
        let entry = |tone, text: &str| Notice {
            time: String::new(),
            tone,
            text: text.to_owned(),
            actions: Vec::new(),
            is_quiet: false,
            awaits_remedy: false,
            is_unseen: false,
        };
        let mut view = LogView { words: "SEED failed".to_owned(), errors_only: false };
        assert!(view.wants(&entry(Tone::Info, "dense, seed 1 failed: NaN")));
        assert!(!view.wants(&entry(Tone::Info, "dense, seed 1: done")));
        view.errors_only = true;
        assert!(!view.wants(&entry(Tone::Info, "dense, seed 1 failed: NaN")));
        assert!(LogView { errors_only: true, ..LogView::default() }.wants(&entry(Tone::Bad, "x")));
    }
}
