//! The table of runs as a view.

use eframe::egui::Ui;

use super::{Shared, View, ViewEntry, ViewInput, ViewResponse};
use crate::gui::compare::runs_ui;
use crate::results::tiles::Group;

/// The view settings of the document have its state.
#[derive(Default)]
pub struct Table;

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "runs",
    title: "Runs",
    group: Group::Runs,
    help: "Which run is best, when was it, and in which settings do the runs differ? \
           All runs as a table: filter, sort, compare, note, archive. Click a heading to sort by it, or a row \
           to see the run's settings; the filter above (\u{201c}batch = 64 state:done\u{201d}) also drives the \
           plots. Below the table are paired differences of two arms over the seeds that both have, and ticked \
           runs side by side, only where they differ. If the table is wider than its tile, ticks, stars and \
           arms stay in place while the rest scrolls. Rows exist from the start; their numbers appear during \
           the runs.",
    make: || Box::new(Table),
};

impl View for Table {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        runs_ui(ui, shared.compare, input.runs).map(ViewResponse::Compare)
    }
}
