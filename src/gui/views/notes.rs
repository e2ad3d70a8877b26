//! What was noted: about the results, about arms and about runs.

use eframe::egui::Ui;

use super::{Shared, View, ViewInput, ViewResponse};
use crate::gui::compare::{Noting, notes_ui};

/// What is being typed.
#[derive(Default)]
pub struct Notes {
    noting: Noting,
}

impl View for Notes {
    const NAME: &'static str = "notes";
    const TITLE: &'static str = "Notes";
    const HELP: &'static str = "What did you find, and which runs matter? Notes on the results, and the \
        star, tags and note of every arm and run in one place. Write freely above; below, tags are words \
        separated by spaces, and a mark of an arm counts for all its runs. The filter of the table of runs \
        finds them: is:starred, tag:paper, or a word of a note. Notes are stored beside the results and \
        change no run.";

    fn ui(&mut self, ui: &mut Ui, _input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        notes_ui(ui, shared.compare, &mut self.noting);
        None
    }
}
