//! The state that decides which commands can be used.

use super::App;
use super::workspace::Workspace;
use crate::commands::CommandContext;
use crate::plan::Action;
use crate::text;
use results::RunState;
use run::StopKind;

/// Numbers of the document's runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunTotals {
    /// Those that are neither done nor archived.
    left: usize,
    /// Of these, those that nobody has started or given up.
    to_add: usize,
    /// Those that have failed.
    failed: usize,
    /// Those that were stopped or failed.
    resumable: usize,
    /// Those that are archived.
    archived: usize,
    /// Whether there is something to draw.
    has_points: bool,
}

impl App {
    /// The state that decides which commands can be used.
    pub(super) fn command_context(&self) -> CommandContext {
        let arm = self.workspace.selection.arm();
        let known = &self.runner.runs;
        let RunTotals { left, to_add, failed, resumable, archived: archived_here, has_points: has_figure } =
            self.totals();
        CommandContext {
            starting: self.shell.is_starting,
            running: self.runner.runs.is_running(),
            paused: self.runner.runs.is_paused(),
            stopping: self.runner.runs.stopping().is_some(),
            stopping_now: self.runner.runs.stopping() == Some(StopKind::Now),
            error: self.editor.document.first_error().map(ToString::to_string),
            looking: self.editor.document.is_looking(),
            // Seeds that are typed and not entered yet may be more.
            left: left.max(usize::from(self.editor.document.drafts.is_pending())),
            to_add,
            archived: self.workspace.compare.archived().len(),
            archived_here,
            failed,
            chosen: self.chosen_runs().map(|(name, runs)| (name, known.counts(runs))),
            has_results: arm.is_some_and(|arm| self.has_results(arm)),
            stage: self.why_no_stage(),
            run: self.workspace.selection.run().is_some(),
            why_not_archive: self
                .workspace
                .compare
                .why_not_archive(self.workspace.selection.run().into_iter()),
            resumable,
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

    /// The runs that commands are about, by identity: what is ticked in the table while that is seen, else the selected run
    /// or those of the selected setting or arm. With what they are called. Asked in every frame.
    pub(super) fn chosen_runs(&self) -> Option<(String, Vec<&String>)> {
        let Workspace { tiles, compare, selection, .. } = &self.workspace;
        if tiles.layout().seen().contains(&"runs") {
            let ticked = compare.ticked_runs();
            if !ticked.is_empty() {
                return Some((
                    format!("{} ticked", text::counted(ticked.len(), "run")),
                    ticked.into_iter().collect(),
                ));
            }
        }
        let runs = self.editor.document.runs();
        if let Some(id) = selection.run() {
            let run = runs.iter().find(|run| run.id == *id)?;
            return Some((format!("{}, seed {}", run.arm, run.seed), vec![&run.id]));
        }
        let arm = self.editor.document.experiment.arms.get(selection.arm()?)?;
        let name = selection.setting().unwrap_or(&arm.name).clone();
        // Archived ones come back or run again only if they are chosen themselves.
        let known = &self.runner.runs;
        let covered = runs.iter().filter(|run| selection.covers(run.arm_index, &run.arm, &run.id));
        Some((name, covered.map(|run| &run.id).filter(|run| !known.is_archived(run)).collect()))
    }

    /// The totals of the runs: with thousands of them, counted when something has changed and not in every frame.
    fn totals(&self) -> RunTotals {
        let revisions = [self.editor.document.revision(), self.runner.runs.revision()];
        if let Some((_, totals)) = self.totals.get().filter(|(of, _)| *of == revisions) {
            return totals;
        }
        let known = &self.runner.runs;
        let mut totals = RunTotals::default();
        for run in self.editor.document.runs() {
            totals.has_points |= known.shown(run).is_some_and(|record| !record.points().is_empty());
            totals.archived += usize::from(known.is_archived(&run.id));
            if !known.is_left(&run.id) {
                continue;
            }
            totals.left += 1;
            totals.to_add += usize::from(!known.is_open(&run.id) && !known.has_given_up(&run.id));
            totals.failed += usize::from(matches!(known.state(&run.id), RunState::Failed(_)));
            totals.resumable += usize::from(known.is_resumable(&run.id));
        }
        self.totals.set(Some((revisions, totals)));
        totals
    }

    /// What cannot be done with the selected stage, and why.
    fn why_no_stage(&self) -> [Option<&'static str>; Action::ALL.len()] {
        let selected = self.workspace.selection.stage();
        let arm = selected.and_then(|(arm, _)| self.editor.document.experiment.arms.get(arm));
        let plan = arm.map_or(&[][..], |arm| &arm.plan);
        Action::ALL.map(|action| action.why_not(plan, selected.map(|(_, path)| path)))
    }
}
