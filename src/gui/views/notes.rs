//! Notes on the results, on arms and on runs.

use eframe::egui::Ui;

use super::{Request, Shared, View, ViewEntry, ViewInput};
use crate::compare::{Noting, notes_ui};
use results::tiles::Group;

/// The note in progress.
#[derive(Default)]
pub struct Notes {
    noting: Noting,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "notes",
    title: "Notes",
    group: Group::Notes,
    help: "What did you find, and which runs matter? Notes on the results, and the \
           star, tags and note of every arm and run in one place. Write freely above; below, tags are words \
           separated by spaces, and a mark of an arm counts for all its runs. The filter of the table of runs \
           finds them: is:starred, tag:paper, or a word of a note. Notes are stored beside the results and \
           change no run.",
    make: || Box::<Notes>::default(),
};

impl View for Notes {
    fn ui(&mut self, ui: &mut Ui, _input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        notes_ui(ui, shared.compare, &mut self.noting);
        None
    }
}
