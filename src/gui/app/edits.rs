//! The user's edits: noticed every frame, undone and redone.

use eframe::egui;

use super::{App, PATIENCE_FOR_MORE};
use crate::gui::form;
use crate::gui::history::{CurrentState, EditState, History, UndoTask};

impl App {
    /// Looks at the document again if it was edited, and notes what can be undone.
    pub(super) fn refresh(&mut self, ctx: &egui::Context) {
        let field = form::edited(ctx).or_else(|| ctx.dragged_id()).or_else(|| ctx.drag_stopped_id());
        self.history.at(field, ctx.input(|input| input.time));
        self.look_at_document();
        self.measure(ctx);
        self.note_edits();
    }

    /// Looks at the document again if it has changed; whether it had.
    fn look_at_document(&mut self) -> bool {
        if !self.document.has_changed() {
            return false;
        }
        self.runs.remember(self.document.runs());
        self.document.refresh();
        let results = self.results();
        let unknown: Vec<_> =
            self.document.runs().iter().filter(|run| self.runs.record(&run.id).is_none()).cloned().collect();
        if !unknown.is_empty() {
            let records = self.parts.worker.read(&results, &unknown);
            self.runs.read_more(records, PATIENCE_FOR_MORE);
        }
        self.take_treatments();
        self.selection.limit(self.document.experiment.arms.len());
        self.plan_cost();
        true
    }

    /// Starts a history at the saved document, so that edits recovered after a crash can be undone.
    pub(super) fn begin_history(&mut self) {
        self.plot.give(&mut self.compare.view);
        let (experiment, view) = (self.document.saved(), &self.compare.view);
        self.history =
            History::new(EditState::of(CurrentState { experiment, view, tiles: self.tiles.layout() }));
    }

    /// Notes what was edited since the last time.
    pub(super) fn note_edits(&mut self) {
        self.plot.give(&mut self.compare.view);
        let (experiment, view) = (&self.document.experiment, &self.compare.view);
        self.history.note(CurrentState { experiment, view, tiles: self.tiles.layout() });
    }

    /// Accepts changes that were not made by the user.
    pub(super) fn adopt_edits(&mut self) {
        self.plot.give(&mut self.compare.view);
        let (experiment, view) = (&self.document.experiment, &self.compare.view);
        self.history.adopt(CurrentState { experiment, view, tiles: self.tiles.layout() });
    }

    /// Takes the last edit back.
    pub(super) fn undo(&mut self) {
        self.note_edits();
        if let Some(task) = self.history.undo() {
            self.carry_out(task);
        }
    }

    /// Redoes the last undone edit.
    pub(super) fn redo(&mut self) {
        self.note_edits();
        if let Some(task) = self.history.redo() {
            self.carry_out(task);
        }
    }

    fn carry_out(&mut self, task: UndoTask) {
        match task {
            UndoTask::Take(state) => self.take_state(state),
            UndoTask::Archive(runs) => drop(self.move_to_trash(&runs)),
            UndoTask::Restore(runs) => drop(self.move_from_trash(&runs)),
        }
    }

    fn take_state(&mut self, state: EditState) {
        self.document.experiment = state.experiment.as_ref().clone();
        self.compare.take_view(&state.view);
        self.plot.take_edits(&state.view);
        self.tiles.arrange(state.tiles);
        if !self.look_at_document() {
            self.take_treatments();
        }
        self.adopt_edits(); // arms that were not there have got their colours
    }
}
