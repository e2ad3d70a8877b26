//! Undo and redo, in one order, of edits to the document and to the way its results are shown.
//!
//! Every frame compares the state with the last one; a difference is one step. Uninterrupted typing into one field, or
//! dragging of one control, is one step.

mod state;

use eframe::egui::Id;

pub use state::{CurrentState, EditState};

/// As many steps are kept.
const KEPT: usize = 1_000;

/// Typing that rests for so long has a break, in seconds.
const BREAK: f64 = 3.0;

/// What is to be done so that a step is taken back, or made again.
#[derive(Clone, Debug)]
pub enum UndoTask {
    /// To have all of this again.
    Take(EditState),
    /// To move results of these runs to the trash, by identity.
    Archive(Vec<String>),
    /// To bring these runs back from there.
    Restore(Vec<String>),
}

/// A task, and what menus call the step that it belongs to.
#[derive(Debug)]
struct Step {
    task: UndoTask,
    name: &'static str,
}

/// What is being typed or dragged without a break.
#[derive(Debug)]
struct Typing {
    /// What it changes.
    name: &'static str,
    /// When it changed last, in seconds.
    at: f64,
}

/// All that can be undone as it was, step by step.
#[derive(Debug, Default)]
pub struct History {
    present: EditState,
    past: Vec<Step>,
    future: Vec<Step>,
    /// The field that has the keyboard or the pointer.
    field: Option<Id>,
    /// Whether the last step came from this field, and further typing belongs to it.
    typing: Option<Typing>,
    /// In seconds.
    now: f64,
}

impl History {
    /// The history of what nobody has edited.
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

    /// Notes what is there now.
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

    /// Notes what is there now, and that nobody has edited it: it followed from something else.
    pub fn adopt(&mut self, now: CurrentState<'_>) {
        self.present = self.present.next(now);
    }

    /// Notes that results of these runs were moved to the trash, or brought back from there.
    pub fn note_moved(&mut self, runs: Vec<String>, is_archived: bool) {
        self.future.clear();
        self.typing = None;
        let (task, name) = if is_archived {
            (UndoTask::Restore(runs), "archiving")
        } else {
            (UndoTask::Archive(runs), "restoring from the trash")
        };
        self.push(Step { task, name });
    }

    fn push(&mut self, step: Step) {
        self.past.push(step);
        let forgotten = self.past.len().saturating_sub(KEPT);
        self.past.drain(..forgotten);
    }

    /// What menus call the step to take back; nothing when there is none.
    pub fn undoes(&self) -> Option<&'static str> {
        self.past.last().map(|step| step.name)
    }

    /// What menus call the step to make again; nothing when none was taken back.
    pub fn redoes(&self) -> Option<&'static str> {
        self.future.last().map(|step| step.name)
    }

    /// Takes the last step back: what is to be done for it.
    pub fn undo(&mut self) -> Option<UndoTask> {
        self.typing = None;
        move_step(&mut self.past, &mut self.future, &mut self.present)
    }

    /// Makes the step again that was taken back last: what is to be done for it.
    pub fn redo(&mut self) -> Option<UndoTask> {
        self.typing = None;
        move_step(&mut self.future, &mut self.past, &mut self.present)
    }
}

/// Moves the last step over to the other side, where it says how to come back here.
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
