//! What can be done now, and why the rest cannot.

use super::Command;
use crate::gui::plan::Action;

/// What decides whether a command can be used now.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub struct Facts {
    /// Runs go on.
    pub running: bool,
    /// They are held, until they are told to go on.
    pub paused: bool,
    /// They were asked to stop now.
    pub stopping_now: bool,
    /// They were asked to stop after their stage.
    pub stopping: bool,
    /// The first error of the document.
    pub error: Option<String>,
    /// Runs of the document that are not done.
    pub left: usize,
    /// Runs of the selected arm that are not done; nothing when no arm is selected.
    pub left_of_arm: Option<usize>,
    /// Runs of the selected arm that have results.
    pub results_of_arm: usize,
    /// Why nothing can be done with a stage, by [`Action`]; nothing where it can.
    pub stage: [Option<&'static str>; Action::ALL.len()],
    /// A run is selected.
    pub run: bool,
    /// Why that run cannot go to the trash.
    pub why_not_archive: Option<&'static str>,
    /// Runs that were stopped or failed.
    pub resumable: usize,
    /// Position of the selected arm.
    pub arm: Option<usize>,
    /// Number of arms.
    pub arms: usize,
    /// There is something to save.
    pub unsaved: bool,
    /// There is a curve.
    pub has_figure: bool,
    /// Why nothing can be exported of the view that was used last; nothing where something can.
    pub why_no_figure: Option<&'static str>,
    /// What the edit is about that can be taken back.
    pub undoes: Option<&'static str>,
    /// What the edit is about that was taken back last.
    pub redoes: Option<&'static str>,
    /// Files were open before.
    pub has_recent: bool,
    /// Tabs of the tile that was used last.
    pub tabs: usize,
    /// Tiles in the middle of the window.
    pub tiles: usize,
    /// Their tabs in all.
    pub views: usize,
}

impl Command {
    /// Why it cannot be used now; nothing when it can.
    pub fn refusal(self, facts: &Facts) -> Option<String> {
        let say = |refused: bool, reason: &str| refused.then(|| reason.to_owned());
        let no_arm = "No arm is selected: click on one in the list at the left";
        let no_run = "No run is selected: click on one in the list at the left";
        let no_view = "No view is open: the menu View has them all";
        let no_file = "No file has been opened or saved yet";
        match self {
            Self::OpenRecent | Self::ClearRecent => say(!facts.has_recent, no_file),
            Self::Save => say(!facts.unsaved, "There are no changes to save"),
            Self::ExportFigure | Self::CopyFigure | Self::CopyValues => {
                facts.why_no_figure.map(str::to_owned)
            }
            Self::FitFigure => say(!facts.has_figure, "There is no curve yet: press Run all"),
            Self::Undo => say(facts.undoes.is_none(), "There is no edit to take back"),
            Self::Redo => say(facts.redoes.is_none(), "No edit was taken back"),
            Self::CopyTable => say(facts.arms == 0, "There is no arm yet: add one at the left"),
            Self::DuplicateArm | Self::RemoveArm | Self::StarArm => say(facts.arm.is_none(), no_arm),
            Self::ArchiveArm => say(facts.arm.is_none(), no_arm)
                .or_else(|| say(facts.running, "Runs are going on: stop them first, or wait for their end"))
                .or_else(|| say(facts.results_of_arm == 0, "The selected arm has no results")),
            Self::MoveArmUp => say(facts.arm.is_none(), no_arm)
                .or_else(|| say(facts.arm == Some(0), "The selected arm is the first one")),
            Self::MoveArmDown => say(facts.arm.is_none(), no_arm).or_else(|| {
                say(facts.arm.is_some_and(|arm| arm + 1 >= facts.arms), "The selected arm is the last one")
            }),
            Self::MoveStageUp => of_stage(facts, Action::MoveUp),
            Self::MoveStageDown => of_stage(facts, Action::MoveDown),
            Self::DuplicateStage => of_stage(facts, Action::Duplicate),
            Self::RepeatStage => of_stage(facts, Action::Repeat),
            Self::RemoveStage => of_stage(facts, Action::Remove),
            Self::StarRun => say(!facts.run, no_run),
            Self::ArchiveRun => say(!facts.run, no_run).or_else(|| facts.why_not_archive.map(str::to_owned)),
            Self::RunAll => cannot_start(facts)
                .or_else(|| say(facts.arms == 0, "There is no arm yet: add one at the left"))
                .or_else(|| {
                    say(facts.left == 0, "All runs are done: change a setting or add a seed to run more")
                }),
            Self::RunArm => cannot_start(facts)
                .or_else(|| say(facts.left_of_arm.is_none(), no_arm))
                .or_else(|| say(facts.left_of_arm == Some(0), "All runs of this arm are done")),
            Self::Pause => cannot_stop(facts, facts.stopping)
                .or_else(|| say(facts.paused, "The runs are paused: Resume lets them go on")),
            Self::Resume if facts.paused => None,
            Self::Resume => {
                cannot_start(facts).or_else(|| say(facts.resumable == 0, "No run was stopped or failed"))
            }
            Self::StopAfterStage => cannot_stop(facts, facts.stopping),
            Self::StopNow => cannot_stop(facts, facts.stopping_now),
            Self::SplitRight | Self::SplitDown => say(facts.views == 0, no_view).or_else(|| {
                say(facts.tabs < 2, "The open tab is alone in its tile: show another view there")
            }),
            Self::Maximise => say(facts.tiles < 2, "There is no other tile: Split makes one"),
            Self::NextTab | Self::PreviousTab => say(facts.views < 2, "There is no other tab"),
            Self::CloseView | Self::CloseTile => say(facts.views == 0, no_view),
            _ => None,
        }
    }
}

fn of_stage(facts: &Facts, action: Action) -> Option<String> {
    facts.stage[action as usize].map(str::to_owned)
}

fn cannot_start(facts: &Facts) -> Option<String> {
    if facts.running {
        return Some("Runs are going on: stop them first, or wait for their end".to_owned());
    }
    facts.error.as_ref().map(|error| format!("The document has an error: {error}"))
}

fn cannot_stop(facts: &Facts, is_stopping: bool) -> Option<String> {
    if !facts.running {
        return Some("Nothing is running".to_owned());
    }
    is_stopping.then(|| "The runs are about to stop".to_owned())
}
