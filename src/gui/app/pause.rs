//! The pause that results of many runs wait for while a field is edited.

use std::time::Duration;

use eframe::egui;

use super::App;

/// While a field of an experiment with more runs than this is edited, results wait for a pause: following takes
/// several frames.
pub(super) const MANY_RUNS: usize = 300;

/// That pause, in seconds.
pub(super) const PAUSE_WHILE_EDITING: f64 = 0.2;

/// Without a pause, results follow after this time, in seconds.
pub(super) const LONGEST_WAIT: f64 = 1.0;

/// Edits of a field that results do not follow yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingEdits {
    /// The field.
    pub field: egui::Id,
    /// When the first and the last of them were made, in seconds.
    first: f64,
    last: f64,
}

impl App {
    pub(super) fn has_many_runs(&self) -> bool {
        self.editor.document.runs().len() > MANY_RUNS
    }

    /// How long the edits of a field still wait before results follow them.
    pub(super) fn wait_for_pause(&mut self, field: egui::Id, ctx: &egui::Context) -> Option<Duration> {
        if !self.has_many_runs() || !self.editor.document.has_changed() {
            return None;
        }
        let (now, is_busy) = ctx.input(|input| (input.time, !input.events.is_empty()));
        let waiting = self.waiting_edits.get_or_insert(WaitingEdits { field, first: now, last: now });
        if is_busy {
            waiting.last = now;
        }
        let left = (waiting.last + PAUSE_WHILE_EDITING).min(waiting.first + LONGEST_WAIT) - now;
        (left > 0.0).then(|| Duration::from_secs_f64(left))
    }
}
