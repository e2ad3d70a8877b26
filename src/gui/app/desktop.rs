//! Desktop integration: a notification when long runs end, and staying awake while they run.

use std::time::{Duration, Instant};

use super::App;
use crate::gui::text;
use crate::results::RunState;

/// After runs of this length the user may have left.
const LONG: Duration = Duration::from_mins(1);

impl App {
    /// Logs what the desktop refused.
    pub(super) fn log_desktop_failures(&mut self) {
        while let Some(trouble) = self.parts.desktop.trouble() {
            self.log.info(trouble);
        }
    }

    /// Runs have started.
    pub(super) fn on_start(&mut self) {
        self.batch_began = Some(Instant::now());
        self.keep_awake_as_set();
    }

    /// Runs have ended.
    pub(super) fn on_end(&mut self) {
        self.keep_awake_as_set();
        let took = self.batch_began.take().map_or(Duration::ZERO, |began| began.elapsed());
        if took < LONG || !self.settings.notify {
            return;
        }
        let text = self.end_summary();
        self.parts.desktop.notify(&self.document.title(), &text);
    }

    /// "12 runs ended: 11 done, 1 failed".
    pub(super) fn end_summary(&self) -> String {
        let all = self.runs.batch().len();
        format!("{} ended: {}", text::counted(all, "run"), self.batch_summary())
    }

    /// "3 done, 1 failed, 2 running, 6 queued", for the runs started together.
    pub(super) fn batch_summary(&self) -> String {
        let states: Vec<RunState> = self.runs.batch().iter().map(|run| self.runs.state(run)).collect();
        let waiting = if self.runs.is_running() { "queued" } else { "not started" };
        let count = |is: fn(&RunState) -> bool| states.iter().filter(|state| is(state)).count();
        let parts = [
            (count(|state| *state == RunState::Done), "done"),
            (count(|state| matches!(state, RunState::Failed(_))), "failed"),
            (count(|state| *state == RunState::Stopped), "stopped"),
            (count(|state| *state == RunState::Running), "running"),
            (count(|state| *state == RunState::Waiting), waiting),
        ];
        let present = parts.iter().filter(|(count, _)| *count > 0);
        present.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }

    /// Keeps the computer awake while runs are in progress, if the user wants that.
    pub(super) fn keep_awake_as_set(&mut self) {
        let on = self.settings.keep_awake && self.runs.is_running();
        self.parts.desktop.keep_awake(on);
    }
}
