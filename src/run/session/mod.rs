//! One run in progress: its program, its networks, and what it emits.

mod branches;
mod emitting;
mod reading;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::campaign::{CampaignProgress, Identity, identity};
use super::checkpoint::Checkpoint;
use super::context::RunContext;
use super::error::RunError;
use super::listener::Listener;
use super::program::{Op, ProgramStep, program};
use super::state::{State, TrainProgress};
use super::stop::{StopFlag, StopKind};
use super::tables::Table;
use super::weights::LastPasses;
use super::work::{WorkPlan, steps};
use data::{Data, DataError, Dataset};
use doc::file_names::{self, exported, filled};
use doc::plan::{FileUse, Reading, Sizes};
use doc::{Intervention, Stage, sets_of, targets};
use form::path::Place;
use net::Network;
use optimize::Optimizer;
use results::event::place_of;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All steps are done.
    Done,
    /// It was stopped; it resumes from a checkpoint.
    Stopped,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageEnd {
    /// It is done.
    Done,
    /// It was stopped in the middle.
    Interrupted(TrainProgress),
}

/// A run under way.
pub struct Session<'a> {
    pub(super) context: Arc<RunContext>,
    listener: &'a mut dyn Listener,
    stop: StopFlag,
    pub(super) program: Vec<ProgramStep>,
    work: WorkPlan,
    /// Number of the next step.
    pub(super) next: usize,
    /// The progress of that step, when it was interrupted.
    pub(super) inside: Option<TrainProgress>,
    /// The progress of a campaign, when that step is one.
    pub(super) campaign: Option<CampaignProgress>,
    /// The main branch, and the branches within branches; the last one is the present one.
    stack: Vec<State>,
    /// The data of each of them.
    data: Vec<Arc<Dataset>>,
    /// Checksums of the originals of the branches that were entered.
    originals: Vec<String>,
    began: Instant,
    /// Pauses before it began.
    paused_before: Duration,
    secs_before: f64,
    /// Length of the pauses before the last event with the time of day.
    clock_after: Option<Duration>,
    pub(super) threads: usize,
    pub(super) last_passes: LastPasses,
}

impl<'a> Session<'a> {
    /// A run from its start, or from a checkpoint.
    pub fn new(
        context: Arc<RunContext>,
        checkpoint: Option<Checkpoint>,
        threads: usize,
        stop: StopFlag,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let program = program(&context.spec.plan);
        let sizes = Sizes::of_data(&context.data);
        let work = WorkPlan::new(&steps(&program, &context.spec, &context.structure, sizes));
        let checkpoint = checkpoint.unwrap_or_else(|| Checkpoint {
            next: 0,
            inside: None,
            campaign: None,
            secs: 0.0,
            stack: vec![State::new(context.fresh_network(0), context.spec.train.optimizer.clone())],
        });
        let Checkpoint { next, inside, campaign, secs, stack } = checkpoint;
        Self {
            paused_before: stop.paused_for(),
            data: vec![context.data.clone()],
            context,
            listener,
            stop,
            program,
            work,
            next,
            inside,
            campaign,
            originals: stack[..stack.len() - 1].iter().map(|state| state.network.checksum()).collect(),
            stack,
            began: Instant::now(),
            secs_before: secs,
            clock_after: None,
            threads,
            last_passes: LastPasses::new(),
        }
    }

    /// The network that the run ends with.
    pub fn network(&self) -> &Network {
        &self.stack[0].network
    }

    pub(super) fn state(&self) -> &State {
        self.stack.last().expect("the main branch is never left")
    }

    pub(super) fn state_mut(&mut self) -> &mut State {
        self.stack.last_mut().expect("the main branch is never left")
    }

    /// The data that the present network sees.
    pub(super) fn data(&self) -> Arc<Dataset> {
        self.data.last().expect("the main branch is never left").clone()
    }

    /// Number of the present step; random draws of a stage are derived from it.
    pub(super) fn number(&self) -> u64 {
        self.next as u64
    }

    /// The step to carry out next; none past the end.
    fn present(&self) -> Option<&ProgramStep> {
        self.program.get(self.next)
    }

    /// Place of the present stage in the plan.
    pub(super) fn stage(&self) -> String {
        self.present().map_or_else(String::new, |step| step.stage.clone())
    }

    /// The branch of the present stage; empty for the main branch.
    pub(super) fn branch(&self) -> String {
        self.present().map_or_else(String::new, |step| step.branch.clone())
    }

    /// Round of the innermost repetition around the present stage, from 1.
    pub(super) fn round(&self) -> Option<u64> {
        self.present().and_then(|step| step.round)
    }

    /// Place of the present stage in the plan, and its branch.
    pub(super) fn place_in_plan(&self) -> [String; 2] {
        [self.stage(), self.branch()]
    }

    /// The campaign that the present step is.
    pub(super) fn campaign_identity(&self) -> Identity {
        identity(&self.program, self.next)
    }

    pub(super) fn stage_error(&self, message: String) -> RunError {
        RunError::Stage { stage: self.stage_in_words(), message }
    }

    /// The present stage, for messages: `stage 3.1, round 2 (Train)`, as the plan numbers it.
    pub(super) fn stage_in_words(&self) -> String {
        let kind = match self.present().map(|step| &step.op) {
            Some(Op::Stage(Stage::Do(intervention))) => intervention.label(),
            Some(Op::Stage(stage)) => stage.label(),
            Some(Op::Enter(_) | Op::Leave(_)) => "Branch",
            None => "the end",
        };
        let place = place_of(&self.stage(), self.round(), &self.branch());
        format!("s{} ({kind})", place.trim_start_matches('S'))
    }

    /// The path of a file that a stage reads: what a previous stage of this run has written, else the file next to the document.
    pub(super) fn input_path(&self, file: &str) -> PathBuf {
        let (name, output) = (self.file_name(file), &self.context.output);
        let path = |used: &FileUse<'_>| match used {
            FileUse::Writes(file) if self.file_name(file) == name => Some(exported(output, &name)),
            FileUse::Tables if Table::ALL.iter().any(|table| table.file() == name) => {
                Some(output.join(&name))
            }
            FileUse::Weights(_)
            | FileUse::Source(_)
            | FileUse::Faults(..)
            | FileUse::Writes(_)
            | FileUse::Tables
            | FileUse::Keeps(_) => None,
        };
        let own = self.program[..self.next].iter().find_map(|step| match &step.op {
            Op::Stage(stage) => stage.rule().files(&Place::default()).iter().find_map(path),
            Op::Enter(_) | Op::Leave(_) => None,
        });
        own.unwrap_or_else(|| self.context.base.join(name))
    }

    /// The weight file from elsewhere of which the present network has all values, where nothing but interventions that keep values
    /// has happened since, and no test.
    pub(super) fn untested_import(&self) -> Option<String> {
        let kept = |step: &&ProgramStep| {
            let keeps = |intervention: &Intervention| match intervention {
                Intervention::Export(_)
                | Intervention::Snapshot(_)
                | Intervention::Freeze(_)
                | Intervention::Release(_)
                | Intervention::Watch(_) => true,
                Intervention::Import(_)
                | Intervention::Graft(_)
                | Intervention::Prune(_)
                | Intervention::Reinitialize(_)
                | Intervention::Set(_)
                | Intervention::ShuffleMask(_)
                | Intervention::Fault(_) => false,
            };
            matches!(&step.op, Op::Stage(Stage::Do(intervention)) if keeps(intervention))
        };
        let last = self.program[..self.next].iter().rev().find(|step| !kept(step))?;
        let Op::Stage(stage @ Stage::Do(Intervention::Import(_) | Intervention::Graft(_))) = &last.op else {
            return None;
        };
        let place = Place::default();
        let copied = stage.rule().files(&place).into_iter().find_map(|used| match used {
            FileUse::Weights(used) | FileUse::Source(used) => {
                let is_whole = targets::is_whole(&self.context.structure, used.target);
                (used.reading == Reading::Copies && is_whole && file_names::is_file(used.file))
                    .then_some(used.file)
            }
            FileUse::Faults(..) | FileUse::Writes(_) | FileUse::Tables | FileUse::Keeps(_) => None,
        });
        copied
            .map(|file| self.file_name(file))
            .filter(|name| self.input_path(name) == self.context.base.join(name))
    }

    /// Checks that a known set of a branch, which was just read, is what the run was made for, where that is known.
    ///
    /// # Errors
    /// When its files have changed since.
    pub(super) fn check_set(&self, data: &Data) -> Result<(), RunError> {
        let RunContext { spec, base, datasets, .. } = &*self.context;
        let known = sets_of(spec).into_iter().find(|(set, _)| *set == data && !data.needs_look());
        match known.filter(|_| !spec.inputs.sets.is_empty()) {
            Some((_, known)) if data.set_content(base, datasets.digests())?.as_deref() != Some(known) => {
                Err(DataError::changed(&data.place(base)?.unwrap_or_default()).into())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that a file which was just read is what the run was made for, where that is known.
    ///
    /// # Errors
    /// When it has changed since.
    pub(super) fn check_input(&self, file: &str, path: &Path) -> Result<(), RunError> {
        let Some(known) = self.context.spec.inputs.files.get(&self.file_name(file)) else { return Ok(()) };
        if path.starts_with(&self.context.output) || self.context.datasets.digests().file(path)? == *known {
            return Ok(());
        }
        Err(self.stage_error(format!(
            "{} has changed since the run was made; restore it, or start the experiment again: with other inputs its \
             runs are other runs",
            path.display()
        )))
    }

    /// The name of a file with the run's arm and seed for their placeholders.
    pub(super) fn file_name(&self, file: &str) -> String {
        filled(file, &self.context.arm, self.context.spec.seed)
    }

    /// The pending request to stop; waits here while the run is paused.
    pub(super) fn stop_requested(&self) -> Option<StopKind> {
        self.stop.wait_while_paused();
        self.stop.requested()
    }

    /// A stage with another optimizer starts with an empty state of it.
    pub(super) fn adopt_optimizer(&mut self, optimizer: &Optimizer) {
        let state = self.state_mut();
        if state.optimizer != *optimizer {
            state.optimizer = optimizer.clone();
            state.restart_optimizer();
        }
    }
}
