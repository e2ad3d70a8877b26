//! Undo and redo, in one order, of edits to the document and to the way its results are shown.
//!
//! Every frame compares the state with the last one; a difference is one step. Uninterrupted typing into one field, or
//! dragging of one control, is one step.

mod state;

use std::sync::Arc;

use eframe::egui::Id;

use doc::Experiment;
pub use state::{CurrentState, EditState};

/// The number of steps that are kept.
const KEPT: usize = 1_000;

/// A pause of this length separates two steps of typing, in seconds.
const BREAK: f64 = 3.0;

/// What undoes or redoes a step.
#[derive(Clone, Debug)]
pub enum UndoTask {
    /// To restore this state.
    Take(EditState),
    /// To move results of these runs to the trash, by identity.
    Archive(Vec<String>),
    /// To restore these runs from the trash.
    Restore(Vec<String>),
}

/// A task, and the name of its step in menus.
#[derive(Debug)]
struct Step {
    task: UndoTask,
    name: &'static str,
}

/// Typing or dragging without a pause.
#[derive(Debug)]
struct Typing {
    /// What it changes.
    name: &'static str,
    /// When it changed last, in seconds.
    at: f64,
}

/// The steps that can be undone and redone.
#[derive(Debug, Default)]
pub struct History {
    present: EditState,
    past: Vec<Step>,
    future: Vec<Step>,
    /// The field that has the keyboard or the pointer.
    field: Option<Id>,
    /// The last step, if it came from this field and further typing belongs to it.
    typing: Option<Typing>,
    /// In seconds.
    now: f64,
}

impl History {
    /// A history without steps.
    pub fn new(present: EditState) -> Self {
        Self { present, ..Self::default() }
    }

    /// Notes which field is being edited, if any. `now` in seconds.
    pub fn at(&mut self, field: Option<Id>, now: f64) {
        self.now = now;
        if self.field != field {
            self.field = field;
            self.typing = None;
        }
    }

    /// Notes the present state.
    pub fn note(&mut self, now: CurrentState<'_>) {
        let Some(name) = self.present.change(now) else {
            if self.present.tiles != *now.tiles {
                self.present.tiles.clone_from(now.tiles);
            }
            return;
        };
        let next = self.present.next(now);
        let before = std::mem::replace(&mut self.present, next);
        self.future.clear();
        let goes_on = |typing: &Typing| typing.name == name && self.now - typing.at < BREAK;
        if !self.typing.as_ref().is_some_and(goes_on) {
            self.push(Step { task: UndoTask::Take(before), name });
        }
        self.typing = self.field.map(|_| Typing { name, at: self.now });
    }

    /// Notes the present state, which differs from the last one through no edit of the user.
    pub fn adopt(&mut self, now: CurrentState<'_>) {
        self.present = self.present.next(now);
    }

    /// Changes the experiment in every state: its file has moved, and with it what its paths are relative to.
    pub fn change(&mut self, change: &dyn Fn(&Experiment) -> Experiment) {
        let steps = self.past.iter_mut().chain(&mut self.future);
        let states = steps.filter_map(|step| match &mut step.task {
            UndoTask::Take(state) => Some(state),
            UndoTask::Archive(_) | UndoTask::Restore(_) => None,
        });
        for state in states.chain([&mut self.present]) {
            let changed = change(&state.experiment);
            if changed != *state.experiment {
                state.experiment = Arc::new(changed);
            }
        }
    }

    /// Notes that results of these runs, if any, were moved to the trash, or restored.
    pub fn note_moved(&mut self, runs: Vec<String>, is_archived: bool) {
        if runs.is_empty() {
            return;
        }
        self.future.clear();
        self.typing = None;
        let (task, name) = if is_archived {
            (UndoTask::Restore(runs), "archiving")
        } else {
            (UndoTask::Archive(runs), "restoring archived runs")
        };
        self.push(Step { task, name });
    }

    fn push(&mut self, step: Step) {
        self.past.push(step);
        let forgotten = self.past.len().saturating_sub(KEPT);
        self.past.drain(..forgotten);
    }

    /// The name in menus of the step to undo; nothing when there is none.
    pub fn undoes(&self) -> Option<&'static str> {
        self.past.last().map(|step| step.name)
    }

    /// The name in menus of the step to redo; nothing when none was undone.
    pub fn redoes(&self) -> Option<&'static str> {
        self.future.last().map(|step| step.name)
    }

    /// Undoes the last step. Returns what the window does for it.
    pub fn undo(&mut self) -> Option<UndoTask> {
        self.typing = None;
        move_step(&mut self.past, &mut self.future, &mut self.present)
    }

    /// Redoes the step that was undone last. Returns what the window does for it.
    pub fn redo(&mut self) -> Option<UndoTask> {
        self.typing = None;
        move_step(&mut self.future, &mut self.past, &mut self.present)
    }
}

/// Moves the last step from one list to the other, with the task that reverses it.
fn move_step(from: &mut Vec<Step>, to: &mut Vec<Step>, present: &mut EditState) -> Option<UndoTask> {
    let Step { task, name } = from.pop()?;
    let back = match &task {
        UndoTask::Take(state) => UndoTask::Take(std::mem::replace(present, state.clone())),
        UndoTask::Archive(runs) => UndoTask::Restore(runs.clone()),
        UndoTask::Restore(runs) => UndoTask::Archive(runs.clone()),
    };
    to.push(Step { task: back, name });
    Some(task)
}

#[cfg(test)]
mod tests;
