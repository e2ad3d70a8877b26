//! What can be done with the stages of a plan: name, key, when it is possible, and what it does, in one place each.

use eframe::egui::KeyboardShortcut;

use super::outline::{above, below, has_stage, insert, relocate, stage_at_mut, take};
use crate::icons::Icon;
use crate::widgets;
use doc::Stage;

/// Something that can be done with the selected stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// One row up, into and out of nested plans.
    MoveUp,
    /// One row down.
    MoveDown,
    /// Puts a copy after it.
    Duplicate,
    /// Makes it the only stage of a repetition.
    Repeat,
    /// Takes it out.
    Remove,
}

impl Action {
    /// All of them, in the order in which menus have them.
    pub const ALL: [Self; 5] = [Self::MoveUp, Self::MoveDown, Self::Duplicate, Self::Repeat, Self::Remove];

    /// Name in menus.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MoveUp => "Move up",
            Self::MoveDown => "Move down",
            Self::Duplicate => "Duplicate",
            Self::Repeat => "Repeat this",
            Self::Remove => "Remove",
        }
    }

    /// Its icon in menus.
    pub(super) const fn icon(self) -> Icon {
        match self {
            Self::MoveUp => Icon::ArrowUp,
            Self::MoveDown => Icon::ArrowDown,
            Self::Duplicate => Icon::Copy,
            Self::Repeat => Icon::Repeat,
            Self::Remove => Icon::Trash,
        }
    }

    /// Its key, while a row of the plan has the keyboard.
    pub const fn shortcut(self) -> Option<KeyboardShortcut> {
        match self {
            Self::MoveUp => Some(widgets::MOVE_UP),
            Self::MoveDown => Some(widgets::MOVE_DOWN),
            Self::Duplicate => Some(widgets::DUPLICATE),
            Self::Remove => Some(widgets::REMOVE),
            Self::Repeat => None,
        }
    }

    /// Why it cannot be done to the stage at `path` now, if so.
    pub fn why_not(self, plan: &[Stage], path: Option<&[usize]>) -> Option<&'static str> {
        let Some(path) = path.filter(|path| has_stage(plan, path)) else {
            return Some("Select a stage first");
        };
        match self {
            Self::MoveUp if above(plan, path).is_none() => Some("It is the first stage"),
            Self::MoveDown if below(plan, path).is_none() => Some("It is the last stage"),
            Self::MoveUp | Self::MoveDown | Self::Duplicate | Self::Repeat | Self::Remove => None,
        }
    }

    /// Does it to the stage at `path`, and selects the stage that results. Where it is not possible, nothing changes.
    pub(super) fn apply(self, plan: &mut Vec<Stage>, path: &[usize], selected: &mut Option<Vec<usize>>) {
        let Some(stage) = stage_at_mut(plan, path) else { return };
        match self {
            Self::MoveUp | Self::MoveDown => {
                let to = if self == Self::MoveUp { above(plan, path) } else { below(plan, path) };
                if let Some(moved) = to.and_then(|to| relocate(plan, path, &to)) {
                    *selected = Some(moved);
                }
            }
            Self::Duplicate => {
                let copy = stage.clone();
                *selected = Some(insert_after(plan, Some(path), copy));
            }
            Self::Repeat => {
                let body = vec![stage.clone()];
                *stage = Stage::Repeat(doc::stage::Repeat { body, ..Default::default() });
                *selected = Some(path.to_vec());
            }
            Self::Remove => {
                take(plan, path);
                *selected = neighbour(plan, path);
            }
        }
    }
}

/// The stage to select when the one at `path` has been removed: the next one, else the one before, else the outer one.
fn neighbour(plan: &mut [Stage], path: &[usize]) -> Option<Vec<usize>> {
    let (&index, parent) = path.split_last()?;
    let before = [parent, &[index.saturating_sub(1)]].concat();
    let mut candidates = [path.to_vec(), before, parent.to_vec()].into_iter();
    candidates.find(|candidate| stage_at_mut(plan, candidate).is_some())
}

/// Puts a stage after the selected one, or into it where it holds an empty plan, or at the end. Returns its path.
pub(super) fn insert_after(plan: &mut Vec<Stage>, selected: Option<&[usize]>, stage: Stage) -> Vec<usize> {
    let is_empty = |stage: &mut Stage| stage.nested().is_some_and(|nested| nested.plan.is_empty());
    let path = match selected {
        Some(path) if stage_at_mut(plan, path).is_some_and(is_empty) => [path, &[0]].concat(),
        Some([parent @ .., index]) => [parent, &[index + 1]].concat(),
        _ => vec![plan.len()],
    };
    if insert(plan, &path, stage.clone()) {
        return path;
    }
    plan.push(stage);
    vec![plan.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::stage::Repeat;

    /// What is selected after an action.
    fn selected(action: Action, plan: &mut Vec<Stage>, path: &[usize]) -> Option<Vec<usize>> {
        let mut selected = None;
        action.apply(plan, path, &mut selected);
        selected
    }

    #[test]
    fn a_new_stage_goes_behind_the_selected_one_or_into_its_empty_plan() {
        let mut plan = vec![Stage::Repeat(Repeat::default()), Stage::Test];
        assert_eq!(insert_after(&mut plan, Some(&[0]), Stage::Test), [0, 0]);
        assert_eq!(insert_after(&mut plan, Some(&[0]), Stage::Test), [1]);
        assert_eq!(insert_after(&mut plan, None, Stage::Test), [3]);
        assert_eq!(insert_after(&mut plan, Some(&[7]), Stage::Test), [4]);
    }

    #[test]
    fn after_a_removal_a_neighbour_is_selected() {
        let mut plan =
            vec![Stage::Repeat(Repeat { body: vec![Stage::Test], ..Repeat::default() }), Stage::Test];
        assert_eq!(selected(Action::Remove, &mut plan, &[0, 0]), Some(vec![0]));
        assert_eq!(selected(Action::Remove, &mut plan, &[1]), Some(vec![0]));
        assert_eq!(selected(Action::Remove, &mut plan, &[0]), None);
        assert!(plan.is_empty());
        assert_eq!(selected(Action::Remove, &mut plan, &[0]), None);
    }

    #[test]
    fn what_is_impossible_says_why() {
        let mut plan = vec![Stage::Test];
        assert_eq!(Action::MoveUp.why_not(&plan, Some(&[0])), Some("It is the first stage"));
        assert_eq!(Action::Remove.why_not(&plan, None), Some("Select a stage first"));
        assert_eq!(Action::Remove.why_not(&plan, Some(&[0])), None);
        assert_eq!(selected(Action::Repeat, &mut plan, &[0]), Some(vec![0]));
        assert_eq!(plan[0].key(), "Repeat");
    }
}
