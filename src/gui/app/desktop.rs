//! The desktop around the window: a notification at the end of long runs, and staying awake meanwhile.

use std::time::{Duration, Instant};

use super::App;
use crate::gui::text;
use crate::results::RunState;

/// Runs that took this long may have been left alone.
const LONG: Duration = Duration::from_mins(1);

impl App {
    /// Tells what the desktop could not do after all.
    pub(super) fn log_desktop_failures(&mut self) {
        while let Some(trouble) = self.parts.desktop.trouble() {
            self.log.info(trouble);
        }
    }

    /// The runs begin.
    pub(super) fn on_start(&mut self) {
        self.batch_began = Some(Instant::now());
        self.keep_awake_as_set();
    }

    /// The runs are over.
    pub(super) fn on_end(&mut self) {
        self.keep_awake_as_set();
        let took = self.batch_began.take().map_or(Duration::ZERO, |began| began.elapsed());
        if took < LONG || !self.settings.notify {
            return;
        }
        let text = self.end_summary();
        self.parts.desktop.notify(&self.document.title(), &text);
    }

    /// "12 runs are over: 11 done, 1 failed".
    pub(super) fn end_summary(&self) -> String {
        let all = self.runs.batch().len();
        let verb = if all == 1 { "is" } else { "are" };
        format!("{} {verb} over: {}", text::counted(all, "run"), self.batch_summary())
    }

    /// "3 done, 1 failed, 2 running, 6 queued", of the runs that were started together.
    pub(super) fn batch_summary(&self) -> String {
        let states: Vec<RunState> = self.runs.batch().iter().map(|run| self.runs.state(run)).collect();
        let waiting = if self.runs.is_running() { "queued" } else { "not begun" };
        let count = |is: fn(&RunState) -> bool| states.iter().filter(|state| is(state)).count();
        let parts = [
            (count(|state| *state == RunState::Done), "done"),
            (count(|state| matches!(state, RunState::Failed(_))), "failed"),
            (count(|state| *state == RunState::Stopped), "stopped"),
            (count(|state| *state == RunState::Running), "running"),
            (count(|state| *state == RunState::Waiting), waiting),
        ];
        let told =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        told.collect::<Vec<_>>().join(", ")
    }

    /// Keeps the computer awake while runs go on, if that is wanted.
    pub(super) fn keep_awake_as_set(&mut self) {
        let on = self.settings.keep_awake && self.runs.is_running();
        self.parts.desktop.keep_awake(on);
    }
}
