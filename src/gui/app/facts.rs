//! The state that decides which commands can be used.

use super::App;
use crate::doc::Run;
use crate::gui::commands::CommandContext;
use crate::gui::plan::Action;
use crate::results::RunState;
use crate::run::StopKind;

impl App {
    /// The state that decides which commands can be used.
    pub(super) fn command_context(&self) -> CommandContext {
        let runs = self.editor.document.runs();
        let arm = self.workspace.selection.arm();
        // Each state is looked for once: there can be hundreds, in every frame.
        let left: Vec<&Run> =
            runs.iter().filter(|run| self.runner.runs.state(&run.id) != RunState::Done).collect();
        let left_of = |arm: usize| left.iter().filter(|run| run.arm_index == arm).count();
        let has_figure = self.has_points();
        CommandContext {
            starting: self.shell.is_starting,
            running: self.runner.runs.is_running(),
            paused: self.runner.runs.is_paused(),
            stopping: self.runner.runs.stopping().is_some(),
            stopping_now: self.runner.runs.stopping() == Some(StopKind::Now),
            error: self.editor.document.first_error().map(ToString::to_string),
            left: left.len(),
            left_of_arm: arm.map(left_of),
            results_of_arm: arm.map_or(0, |arm| self.results_of(arm).len()),
            stage: self.why_no_stage(),
            run: self.workspace.selection.run().is_some(),
            why_not_archive: self
                .workspace
                .compare
                .why_not_archive(self.workspace.selection.run().into_iter()),
            resumable: left.iter().filter(|run| self.runner.runs.is_resumable(&run.id)).count(),
            arm,
            arms: self.editor.document.experiment.arms.len(),
            unsaved: self.editor.document.is_unsaved() || self.editor.document.path().is_none(),
            undoes: self.editor.history.undoes(),
            redoes: self.editor.history.redoes(),
            has_recent: !self.shell.settings.recent.files().is_empty(),
            has_figure,
            why_no_figure: self.workspace.why_no_figure(has_figure),
            tiles: self.workspace.tiles.layout().count(),
        }
    }

    fn has_points(&self) -> bool {
        let has_points = |run| self.runner.runs.shown(run).is_some_and(|record| !record.points().is_empty());
        self.editor.document.runs().iter().any(has_points)
    }

    /// What cannot be done with the selected stage, and why.
    fn why_no_stage(&self) -> [Option<&'static str>; Action::ALL.len()] {
        let selected = self.workspace.selection.stage();
        let arm = selected.and_then(|(arm, _)| self.editor.document.experiment.arms.get(arm));
        let plan = arm.map_or(&[][..], |arm| &arm.plan);
        Action::ALL.map(|action| action.why_not(plan, selected.map(|(_, path)| path)))
    }
}
