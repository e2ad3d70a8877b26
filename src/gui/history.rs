//! Undo and redo, in one order, of edits to the document and to the way its results are shown.
//!
//! Every frame compares the state with the last one; a difference is one step. Uninterrupted typing into one field, or
//! dragging of one control, is one step.

use std::sync::Arc;

use eframe::egui::Id;

use super::form::TypedText;
use doc::arch::Difference;
use doc::{Arm, Experiment, Net};
use results::tiles::Tiles;
use results::view::{PlotView, ViewSettings};

const KEPT: usize = 1_000;

/// The name of a step that leaves a text in a field that is no value.
const TYPED: &str = "typed text";

/// A pause of this length separates two steps of typing, in seconds.
const BREAK: f64 = 3.0;

/// A task that undoes or redoes a step.
#[derive(Clone, Debug)]
pub enum UndoTask {
    Take(EditState),
    /// To move results of these runs to the trash, by identity.
    Archive(Vec<String>),
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
    name: &'static str,
    at: f64,
}

/// The steps that can be undone and redone.
#[derive(Debug, Default)]
pub struct History {
    present: EditState,
    past: Vec<Step>,
    future: Vec<Step>,
    field: Option<Id>,
    /// The last step, if it came from this field and further typing belongs to it.
    typing: Option<Typing>,
    now: f64,
}

impl History {
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
            if self.present.typed != now.typed {
                self.present.typed = now.typed.to_vec();
                // Texts that were mended leave no step.
                while now.typed.is_empty() && self.past.pop_if(|step| step.name == TYPED).is_some() {}
            }
            return;
        };
        let next = self.present.next(now);
        let before = std::mem::replace(&mut self.present, next);
        self.future.clear();
        let continues = |typing: &Typing| typing.name == name && self.now - typing.at < BREAK;
        if !self.typing.as_ref().is_some_and(continues) {
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

    /// Returns the name in menus of the step to undo; nothing when there is none.
    pub fn undoes(&self) -> Option<&'static str> {
        self.past.last().map(|step| step.name)
    }

    /// Returns the name in menus of the step to redo; nothing when none was undone.
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

/// The state that can be undone: the experiment, and how its results are shown. Unchanged parts are shared with the
/// previous state. Not included: the zoomed range, the open tab, and which tile is maximized.
#[derive(Clone, Debug, Default)]
pub struct EditState {
    pub experiment: Arc<Experiment>,
    pub view: Arc<ViewSettings>,
    pub tiles: Tiles,
    /// Texts of fields that are no values.
    pub typed: Vec<TypedText>,
}

/// The present state, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct CurrentState<'a> {
    pub experiment: &'a Experiment,
    pub view: &'a ViewSettings,
    pub tiles: &'a Tiles,
    pub typed: &'a [TypedText],
}

impl EditState {
    /// Creates a copy of the present state.
    pub fn new(now: CurrentState<'_>) -> Self {
        Self::default().next(now)
    }

    /// Creates a copy of the present state that shares the unchanged parts of this one.
    pub(super) fn next(&self, now: CurrentState<'_>) -> Self {
        let experiment = if *self.experiment == *now.experiment {
            self.experiment.clone()
        } else {
            Arc::new(now.experiment.clone())
        };
        let is_same_view = change_of_view(&self.view, now.view).is_none();
        let view = if is_same_view { self.view.clone() } else { Arc::new(now.view.clone()) };
        Self { experiment, view, tiles: now.tiles.clone(), typed: now.typed.to_vec() }
    }

    /// Returns what was edited since, in a few words; nothing when nothing was. An edit of the document can also
    /// change the view, such as the colour of a new arm.
    pub fn change(&self, now: CurrentState<'_>) -> Option<&'static str> {
        if *self.experiment != *now.experiment {
            return Some(change_of_experiment(&self.experiment, now.experiment));
        }
        if !self.tiles.is_arranged_like(now.tiles) {
            return Some("layout");
        }
        if now.typed.iter().any(|text| !self.typed.contains(text)) {
            return Some(TYPED);
        }
        change_of_view(&self.view, now.view)
    }
}

fn change_of_experiment(old: &Experiment, new: &Experiment) -> &'static str {
    match new.arms.len().cmp(&old.arms.len()) {
        std::cmp::Ordering::Greater => return "new arm",
        std::cmp::Ordering::Less => return "removal of an arm",
        std::cmp::Ordering::Equal => {}
    }
    let pairs: Vec<(&Arm, &Arm)> = old.arms.iter().zip(&new.arms).filter(|(old, new)| old != new).collect();
    match pairs[..] {
        [] if old.name != new.name => "name of the experiment",
        [] if old.notes != new.notes => "notes of the experiment",
        [] if old.seeds != new.seeds => "seeds",
        [] if old.sweep != new.sweep => "sweep",
        [] if old.net != new.net => change_of_net(&old.net, &new.net),
        [] => "settings",
        [(old, new)] if old.name != new.name => "name of an arm",
        [(old, new)] if old.plan != new.plan => "plan",
        [(Arm { net: Some(old), .. }, Arm { net: Some(new), .. })] if old != new => change_of_net(old, new),
        [(old, new)] if old.sweep != new.sweep => "sweep",
        [_] => "settings of an arm",
        _ => "arms",
    }
}

fn change_of_net(old: &Net, new: &Net) -> &'static str {
    let lists = old.rule().written().zip(new.rule().written());
    match lists.and_then(|(old, new)| Difference::between(old, new)) {
        Some(Difference::Added(_)) => "new layer",
        Some(Difference::Removed) => "removal of a layer",
        Some(Difference::Moved) => "order of layers",
        Some(Difference::Changed(_)) => "settings of a layer",
        None => "network",
    }
}

/// Returns what differs between two ways to show results, if anything.
fn change_of_view(old: &ViewSettings, new: &ViewSettings) -> Option<&'static str> {
    // All fields by name, so that the compiler asks of a new one whether it can be undone.
    let ViewSettings {
        options,
        plots: _, // compared below, without ranges
        filter,
        sort,
        table,
        group,
        linked,
        size,
        dpi,
        page,
        colours,
        arms: _, // they follow the document
        marks,
        notes,
        tiles: _, // in `EditState::tiles`
    } = new;
    let titles = |plot: &PlotView| [plot.title.clone(), plot.x_title.clone(), plot.y_title.clone()];
    let scales = |plot: &PlotView| (plot.log_x, plot.log_y, plot.ignore_outliers);
    let has_other_axes = old.options != *options || old.linked != *linked || plots_differ(old, new, scales);
    let changes = [
        (old.notes != *notes, "notes"),
        (old.marks != *marks, "star, tag or note"),
        (old.filter != *filter, "filter"),
        (old.group != *group, "grouping"),
        (old.sort != *sort, "order of runs"),
        (old.table.filters != table.filters, "named filters"),
        (old.table.group != table.group, "grouping"),
        (old.table.baseline != table.baseline, "baseline"),
        (columns(old) != columns(new), "columns of runs"),
        (old.colours != *colours, "colours"),
        (plots_differ(old, new, titles), "titles of a figure"),
        (plots_differ(old, new, |plot| plot.hidden.clone()), "hide or show line"),
        (has_other_axes, "axes and bands of plots"),
        (old.size != *size || old.dpi != *dpi, "size of figures"),
        (old.page != *page, "look of exported figures"),
    ];
    changes.into_iter().find_map(|(is_other, name)| is_other.then_some(name))
}

/// Returns the columns of the table of runs; which groups are open is no edit.
fn columns(view: &ViewSettings) -> impl PartialEq + '_ {
    let table = &view.table;
    (&table.columns, &table.widths, &table.added)
}

/// Returns true if this part of what is kept about some plot differs.
fn plots_differ<T: PartialEq>(a: &ViewSettings, b: &ViewSettings, part: impl Fn(&PlotView) -> T) -> bool {
    if a.plots == b.plots {
        return false;
    }
    let none = PlotView::default();
    let of = |view: &ViewSettings, name: &str| part(view.plots.get(name).unwrap_or(&none));
    a.plots.keys().chain(b.plots.keys()).any(|name| of(a, name) != of(b, name))
}

#[cfg(test)]
mod tests;
