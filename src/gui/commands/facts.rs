//! What can be done now, and why the rest cannot.

use super::Command;
use crate::plan::Action;
use crate::runs::QueueCounts;

/// What decides whether a command can be used now.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub struct CommandContext {
    /// No document is shown, but the start page.
    pub starting: bool,
    /// Runs go on.
    pub running: bool,
    /// They are paused, until Resume.
    pub paused: bool,
    /// They were asked to stop now.
    pub stopping_now: bool,
    /// They were asked to stop after their stage.
    pub stopping: bool,
    /// The first error of the document.
    pub error: Option<String>,
    /// The files that runs read are still being looked at.
    pub looking: bool,
    /// Runs of the document that are not done.
    pub left: usize,
    /// Runs that *Run all* would start, or add to those that go on.
    pub to_add: usize,
    /// Runs that are archived, also those that the experiment does not have any more.
    pub archived: usize,
    /// Those of the experiment.
    pub archived_here: usize,
    /// Runs that have failed.
    pub failed: usize,
    /// The ticked or selected runs: what they are called, and what can be done with them.
    pub chosen: Option<(String, QueueCounts)>,
    /// The selected arm has runs with results.
    pub has_results: bool,
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
    /// The name of the edit that Undo takes back.
    pub undoes: Option<&'static str>,
    /// The name of the edit that Redo makes again.
    pub redoes: Option<&'static str>,
    /// Files were open before.
    pub has_recent: bool,
    /// Tiles in the middle of the window.
    pub tiles: usize,
}

impl Command {
    /// Why it cannot be used now; nothing when it can.
    #[allow(clippy::too_many_lines, reason = "every command is named")]
    pub fn refusal(self, context: &CommandContext) -> Option<String> {
        let refuse_if = |refused: bool, reason: &str| refused.then(|| reason.to_owned());
        let no_arm = "Select an arm in the list on the left first";
        let no_run = "Select a run in the list on the left first";
        let no_view = "No view is open: open one from the View menu";
        let no_file = "No file has been opened or saved yet";
        let is_of_runs = context.running && self.is_of_runs(context.paused);
        if context.starting && !self.is_of_program() && !is_of_runs {
            return Some("No experiment is open: choose one on this page".to_owned());
        }
        match self {
            Self::OpenRecent | Self::ClearRecent => refuse_if(!context.has_recent, no_file),
            Self::Save => refuse_if(!context.unsaved, "There are no changes to save"),
            Self::ExportFigure | Self::CopyFigure | Self::CopyValues => {
                context.why_no_figure.map(str::to_owned)
            }
            Self::ExportTensorBoard | Self::ExportCrate => {
                refuse_if(!context.has_figure, "There are no results yet: press Run")
            }
            Self::FitFigure => refuse_if(!context.has_figure, "There are no curves yet: press Run"),
            Self::Undo => refuse_if(context.undoes.is_none(), "Nothing to undo"),
            Self::Redo => refuse_if(context.redoes.is_none(), "Nothing to redo"),
            Self::WriteReport => refuse_if(!context.has_figure, "There are no results yet: press Run"),
            Self::CopyTable => refuse_if(context.arms == 0, "There are no arms yet: add one on the left"),
            Self::DuplicateArm | Self::RenameArm | Self::RemoveArm | Self::StarArm => {
                refuse_if(context.arm.is_none(), no_arm)
            }
            Self::ArchiveArm => refuse_if(context.arm.is_none(), no_arm)
                .or_else(|| {
                    refuse_if(context.running, "Runs are in progress: stop them or wait until they finish")
                })
                .or_else(|| refuse_if(!context.has_results, "The selected arm has no results")),
            Self::MoveArmUp => refuse_if(context.arm.is_none(), no_arm)
                .or_else(|| refuse_if(context.arm == Some(0), "The selected arm is the first one")),
            Self::MoveArmDown => refuse_if(context.arm.is_none(), no_arm).or_else(|| {
                refuse_if(
                    context.arm.is_some_and(|arm| arm + 1 >= context.arms),
                    "The selected arm is the last one",
                )
            }),
            Self::MoveStageUp => of_stage(context, Action::MoveUp),
            Self::MoveStageDown => of_stage(context, Action::MoveDown),
            Self::DuplicateStage => of_stage(context, Action::Duplicate),
            Self::RepeatStage => of_stage(context, Action::Repeat),
            Self::RemoveStage => of_stage(context, Action::Remove),
            Self::StarRun => refuse_if(!context.run, no_run),
            Self::ArchiveRun => {
                refuse_if(!context.run, no_run).or_else(|| context.why_not_archive.map(str::to_owned))
            }
            Self::RestoreArchived => refuse_if(context.archived == 0, "No run is archived"),
            Self::RunAll => cannot_start(context)
                .or_else(|| refuse_if(context.arms == 0, "There are no arms yet: add one on the left"))
                .or_else(|| {
                    refuse_if(
                        context.left == 0 && context.archived_here > 0,
                        "All runs are done or archived: restore those, change a setting or add a seed",
                    )
                })
                .or_else(|| {
                    refuse_if(
                        context.left == 0,
                        "All runs are done: change a setting or add a seed to run more",
                    )
                })
                .or_else(|| {
                    refuse_if(
                        context.to_add == 0,
                        "All runs are in the queue: change a setting or add a seed to run more",
                    )
                }),
            Self::RunSelected => cannot_start(context).or_else(|| {
                of_chosen(
                    context,
                    |counts| counts.startable,
                    "They are done, archived, or in the queue already",
                )
            }),
            Self::RetryFailed => {
                cannot_start(context).or_else(|| refuse_if(context.failed == 0, "No run has failed"))
            }
            Self::RunNext => cannot_move(context).or_else(|| cannot_start(context)).or_else(|| {
                let count = |counts: QueueCounts| counts.startable + counts.waiting;
                of_chosen(context, count, "They are done, or running already")
            }),
            Self::QueueUp | Self::QueueDown => cannot_move(context)
                .or_else(|| of_chosen(context, |counts| counts.waiting, "None of them waits in the queue")),
            Self::StopSelected => cannot_stop(context, context.stopping_now)
                .or_else(|| of_chosen(context, |counts| counts.open, "None of them is running or waits")),
            Self::Pause => cannot_stop(context, context.stopping).or_else(|| {
                refuse_if(context.paused, "The runs are already paused; press Resume to continue")
            }),
            Self::Resume if context.paused => None,
            Self::Resume => cannot_start(context)
                .or_else(|| refuse_if(context.resumable == 0, "No run is stopped or failed")),
            Self::StopAfterStage => cannot_stop(context, context.stopping),
            Self::StopNow => cannot_stop(context, context.stopping_now),
            Self::SplitRight | Self::SplitDown | Self::NextView | Self::PreviousView | Self::CloseView => {
                refuse_if(context.tiles == 0, no_view)
            }
            Self::Maximize => refuse_if(context.tiles < 2, "There is only one tile; Split makes another"),
            Self::New
            | Self::Open
            | Self::SaveAs
            | Self::CopyMethods
            | Self::CopyResultsFolder
            | Self::DownloadData
            | Self::Quit
            | Self::AddArm
            | Self::Sharing
            | Self::Notify
            | Self::KeepAwake
            | Self::ToggleTree
            | Self::TogglePlan
            | Self::ToggleInspector
            | Self::ToggleLog
            | Self::ThemeSystem
            | Self::ThemeLight
            | Self::ThemeDark
            | Self::ZoomIn
            | Self::ZoomOut
            | Self::ZoomReset
            | Self::Filter
            | Self::ResetLayout
            | Self::Palette
            | Self::Shortcuts
            | Self::CopyLog
            | Self::Guide
            | Self::Licences
            | Self::About => None,
        }
    }
}

impl Command {
    /// Whether it is about the runs that go on, which can be seen behind the start page too.
    const fn is_of_runs(self, are_paused: bool) -> bool {
        matches!(self, Self::Pause | Self::StopAfterStage | Self::StopNow)
            || (are_paused && matches!(self, Self::Resume))
    }

    /// Whether it is about the program, not about the document.
    const fn is_of_program(self) -> bool {
        matches!(
            self,
            Self::New
                | Self::Open
                | Self::OpenRecent
                | Self::ClearRecent
                | Self::DownloadData
                | Self::Quit
                | Self::Notify
                | Self::KeepAwake
                | Self::ThemeSystem
                | Self::ThemeLight
                | Self::ThemeDark
                | Self::ZoomIn
                | Self::ZoomOut
                | Self::ZoomReset
                | Self::Guide
                | Self::Palette
                | Self::Shortcuts
                | Self::CopyLog
                | Self::Licences
                | Self::About
        )
    }
}

fn of_stage(context: &CommandContext, action: Action) -> Option<String> {
    context.stage[action as usize].map(str::to_owned)
}

fn cannot_start(context: &CommandContext) -> Option<String> {
    if context.running && context.stopping {
        return Some("The runs are stopping: start others once they have stopped".to_owned());
    }
    let error = context.error.as_ref().map(|error| format!("The document has an error: {error}"));
    let wait = || "The files that the runs read are being looked at: wait a moment".to_owned();
    error.or_else(|| context.looking.then(wait))
}

fn cannot_move(context: &CommandContext) -> Option<String> {
    (!context.running).then(|| "Nothing is running".to_owned())
}

/// Why nothing can be done with the ticked or selected runs: none of them is one that `count` counts.
fn of_chosen(context: &CommandContext, count: impl Fn(QueueCounts) -> usize, none: &str) -> Option<String> {
    match &context.chosen {
        None => Some("Select an arm or a run on the left, or tick runs in the table".to_owned()),
        Some((_, counts)) => (count(*counts) == 0).then(|| none.to_owned()),
    }
}

fn cannot_stop(context: &CommandContext, is_stopping: bool) -> Option<String> {
    if !context.running {
        return Some("Nothing is running".to_owned());
    }
    is_stopping.then(|| "The runs are already stopping".to_owned())
}
