//! The state that decides which commands can be used.

use super::App;
use crate::doc::Run;
use crate::gui::commands::CommandContext;
use crate::gui::plan::Action;
use crate::gui::views::Offers;
use crate::results::RunState;
use crate::run::StopKind;

impl App {
    /// The state that decides which commands can be used.
    pub(super) fn command_context(&self) -> CommandContext {
        let runs = self.document.runs();
        let arm = self.selection.arm();
        // Each state is looked for once: there can be hundreds, in every frame.
        let left: Vec<&Run> = runs.iter().filter(|run| self.runs.state(&run.id) != RunState::Done).collect();
        let left_of = |arm: usize| left.iter().filter(|run| run.arm_index == arm).count();
        let has_figure = self.has_points();
        CommandContext {
            running: self.runs.is_running(),
            paused: self.runs.is_paused(),
            stopping: self.runs.stopping().is_some(),
            stopping_now: self.runs.stopping() == Some(StopKind::Now),
            error: self.document.first_error().map(ToString::to_string),
            left: left.len(),
            left_of_arm: arm.map(left_of),
            results_of_arm: arm.map_or(0, |arm| self.results_of(arm).len()),
            stage: self.why_no_stage(),
            run: self.selection.run().is_some(),
            why_not_archive: self.compare.why_not_archive(self.selection.run().into_iter()),
            resumable: left.iter().filter(|run| self.runs.is_resumable(&run.id)).count(),
            arm,
            arms: self.document.experiment.arms.len(),
            unsaved: self.document.is_unsaved() || self.document.path().is_none(),
            undoes: self.history.undoes(),
            redoes: self.history.redoes(),
            has_recent: !self.settings.recent.files().is_empty(),
            has_figure,
            why_no_figure: self.why_no_figure(has_figure),
            tabs: self.tiles.layout().tabs(&self.tiles.layout().active),
            tiles: self.tiles.layout().count(),
            views: self.tiles.layout().views().len(),
        }
    }

    fn has_points(&self) -> bool {
        let has_points = |run| self.runs.shown(run).is_some_and(|record| !record.points().is_empty());
        self.document.runs().iter().any(has_points)
    }

    /// Why nothing can be exported of what was used last.
    fn why_no_figure(&self, has_points: bool) -> Option<&'static str> {
        match self.views.offers(&self.tiles.layout().active) {
            Offers::Figure => None,
            Offers::Later(why) => Some(why),
            Offers::Nothing if has_points => None,
            Offers::Nothing => Some("There are no curves yet: press Run all"),
        }
    }

    /// What cannot be done with the selected stage, and why.
    fn why_no_stage(&self) -> [Option<&'static str>; Action::ALL.len()] {
        let selected = self.selection.stage();
        let arm = selected.and_then(|(arm, _)| self.document.experiment.arms.get(arm));
        let plan = arm.map_or(&[][..], |arm| &arm.plan);
        Action::ALL.map(|action| action.why_not(plan, selected.map(|(_, path)| path)))
    }
}
