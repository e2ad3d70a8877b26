//! The table of runs as a view.

use eframe::egui::Ui;

use super::{Request, Shared, View, ViewEntry, ViewInput};
use crate::compare::{menu_ui, runs_ui, tools_ui};
use results::tiles::Group;

/// The view settings of the document have its state.
#[derive(Default)]
pub struct Table;

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "runs",
    title: "Runs",
    group: Group::Runs,
    help: "Which arm is best, by how much, and in which settings do the runs differ? \
           A row for each arm with mean \u{b1} 95 % CI over its seeds, and its difference to the baseline, paired by \
           seed and by what both sweep; the caret shows the runs. Click a heading to sort by it; Columns adds any setting, and any series \
           at its best, its end, an iteration, or a level of remaining weights. The filter (\u{201c}batch = 64 \
           state:done\u{201d}) also drives the plots. Tick runs to compare, show alone or archive them: only visible \
           ticks count.",
    make: || Box::new(Table),
};

impl View for Table {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        runs_ui(ui, shared.compare, input.runs).map(Request::Compare)
    }

    fn tools_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        tools_ui(ui, shared.compare, input.runs).map(Request::Compare)
    }

    fn menu_ui(&mut self, ui: &mut Ui, shared: &mut Shared<'_>) -> Option<Request> {
        menu_ui(ui, shared.compare).map(Request::Compare)
    }
}
