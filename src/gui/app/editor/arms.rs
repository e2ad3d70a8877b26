//! Commands on arms and stages. Each returns what is selected afterwards.

use super::Editor;
use crate::commands::Command;
use crate::plan::{self, Action};
use crate::selection::Selection;
use doc::intervention::Set;
use doc::{Arm, Experiment, Intervention, Stage};

impl Editor {
    /// Adds, copies, removes or moves an arm.
    pub fn change_arms(&mut self, command: Command, selection: &Selection) -> Option<Selection> {
        let arms = &mut self.document.experiment.arms;
        let selected = selection.arm().filter(|arm| *arm < arms.len());
        let arm = match (command, selected) {
            (Command::AddArm, _) => {
                // Without a plan: that of another arm would show the results of that arm.
                arms.push(Arm { name: free_name(arms, "new arm"), ..Arm::default() });
                arms.len() - 1
            }
            (Command::DuplicateArm, Some(arm)) => {
                let name = free_name(arms, &format!("{} copy", arms[arm].name));
                // At the end, so that the others keep their colours.
                arms.push(Arm { name, ..arms[arm].clone() });
                arms.len() - 1
            }
            (Command::RemoveArm, Some(arm)) => {
                arms.remove(arm);
                arm.min(arms.len().saturating_sub(1))
            }
            (Command::MoveArmUp, Some(arm)) if arm > 0 => {
                arms.swap(arm, arm - 1);
                arm - 1
            }
            (Command::MoveArmDown, Some(arm)) if arm + 1 < arms.len() => {
                arms.swap(arm, arm + 1);
                arm + 1
            }
            _ => return None,
        };
        Some(if arms.is_empty() { Selection::Experiment } else { Selection::Arm(arm) })
    }

    /// Takes an earlier or a later state of the experiment. A selected arm or stage that is elsewhere there is followed.
    pub fn take_experiment(&mut self, experiment: &Experiment, selection: &Selection) -> Option<Selection> {
        let before = std::mem::replace(&mut self.document.experiment, experiment.clone());
        let index = selection.arm()?;
        let own = before.arms.get(index)?;
        let arm = experiment.arms.iter().position(|arm| arm.name == own.name).unwrap_or(index);
        Some(match selection {
            Selection::Experiment => return None,
            Selection::Arm(_) => Selection::Arm(arm),
            Selection::Setting { name, .. } => Selection::Setting { arm, name: name.clone() },
            Selection::Run { id, .. } => Selection::Run { arm, id: id.clone() },
            Selection::Stage { path, .. } => {
                let moved = plan::moved_to(&own.plan, &experiment.arms.get(arm)?.plan, path);
                Selection::Stage { arm, path: moved.unwrap_or_else(|| path.clone()) }
            }
        })
    }

    /// Changes the selected stage.
    pub fn change_stage(&mut self, action: Action, selection: &Selection) -> Option<Selection> {
        let (arm, path) = selection.stage()?;
        let plan = &mut self.document.experiment.arms.get_mut(arm)?.plan;
        let path = plan::act(plan, path, action);
        Some(path.map_or(Selection::Arm(arm), |path| Selection::Stage { arm, path }))
    }

    /// Adds a stage after the selected one, by what menus call it.
    pub fn add_stage_of(&mut self, label: &str, selection: &Selection) -> Option<Selection> {
        let arm = selection.arm()?;
        let plan = &mut self.document.experiment.arms.get_mut(arm)?.plan;
        let path = plan::add(plan, selection.stage().map(|(_, path)| path), label)?;
        Some(Selection::Stage { arm, path })
    }

    /// Adds a stage that sets entries at the end of the plan.
    pub fn add_set(&mut self, set: Set, selection: &Selection) -> Option<Selection> {
        let arm = selection.arm()?;
        let plan = &mut self.document.experiment.arms.get_mut(arm)?.plan;
        plan.push(Stage::Do(Intervention::Set(set)));
        Some(Selection::Stage { arm, path: vec![plan.len() - 1] })
    }
}

fn free_name(arms: &[Arm], wanted: &str) -> String {
    let is_taken = |name: &str| arms.iter().any(|arm| arm.name == name);
    if !is_taken(wanted) {
        return wanted.to_owned();
    }
    (2..=arms.len() + 2)
        .map(|number| format!("{wanted} {number}"))
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}
