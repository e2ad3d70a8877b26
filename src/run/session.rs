//! One run in progress: its program, its networks, and what it emits. Its stages are in `run/stages/`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::campaign::CampaignProgress;
use super::checkpoint::Checkpoint;
use super::context::RunContext;
use super::error::RunError;
use super::faults::View;
use super::listener::{Listener, Table};
use super::program::{Op, ProgramStep, WorkPlan, program, steps};
use super::stages;
use super::state::{Snapshot, State, TrainProgress};
use super::stop::{StopFlag, StopKind};
use data::{Data, DataError, Dataset, Inventory};
use doc::file_names::{self, exported, filled};
use doc::plan::{FileUse, Reading, Sizes};
use doc::stage::{Branch, BranchInit, BranchOrder};
use doc::{Intervention, Stage, sets_of, targets};
use form::number::{counted, grouped};
use form::path::Place;
use net::{Network, TrainPass};
use results::event::{Clock, Progress, ReportLevel, StageBegan, place_of};
use results::network::shape_text;
use results::{Event, Point, Report, inventory};

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Done,
    /// It was stopped; it resumes from a checkpoint.
    Stopped,
}

/// The end of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageEnd {
    Done,
    Interrupted(TrainProgress),
}

/// A run under way.
pub struct Session<'a> {
    pub(super) context: Arc<RunContext>,
    pub(super) listener: &'a mut dyn Listener,
    stop: StopFlag,
    pub(super) program: Vec<ProgramStep>,
    work: WorkPlan,
    pub(super) next: usize,
    /// The progress of that step, when it was interrupted.
    inside: Option<TrainProgress>,
    pub(super) campaign: Option<CampaignProgress>,
    /// The main branch, and the branches within branches; the last one is the present one.
    stack: Vec<State>,
    data: Vec<Arc<Dataset>>,
    /// Checksums of the originals of the branches that were entered.
    originals: Vec<String>,
    began: Instant,
    paused_before: Duration,
    secs_before: f64,
    /// Length of the pauses before the last event with the time of day.
    clock_after: Option<Duration>,
    threads: usize,
    /// The gradients of the last mini-batch, by member; kept only where their norms are recorded.
    pub(super) last_passes: Vec<Option<TrainPass>>,
}

impl<'a> Session<'a> {
    /// Starts a run, or resumes it from a checkpoint.
    pub fn new(
        context: Arc<RunContext>,
        checkpoint: Option<Checkpoint>,
        threads: usize,
        stop: StopFlag,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let program = program(&context.spec.plan);
        let sizes = Sizes::from_data(&context.data);
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
            last_passes: Vec::new(),
        }
    }

    /// Carries out the remaining steps. The event of an error was emitted already.
    pub fn run(&mut self) -> Result<RunEnd, RunError> {
        let result = self.run_steps();
        match &result {
            Ok(RunEnd::Done) => self.emit(Event::Finished { secs: self.secs() })?,
            Ok(RunEnd::Stopped) => self.emit(Event::Stopped { secs: self.secs() })?,
            Err(error) => self.emit(Event::Failed { message: error.to_string() })?,
        }
        result
    }

    fn run_steps(&mut self) -> Result<RunEnd, RunError> {
        let resumed = self.next > 0 || self.inside.is_some();
        self.emit(Event::Started { resumed, threads: self.threads })?;
        self.emit_clock()?;
        self.read_branch_data()?;
        while self.next < self.program.len() {
            if self.stop_requested().is_some() {
                self.save_checkpoint(None)?;
                return Ok(RunEnd::Stopped);
            }
            let step = self.program[self.next].clone();
            let inside = self.inside.take();
            if inside.is_none() {
                let ProgramStep { op: _, stage, round, branch, label } = step.clone();
                let (number, of) = (self.next, self.program.len());
                self.emit(Event::Stage(StageBegan { number, of, stage, label, round, branch }))?;
            }
            let end = match &step.op {
                Op::Stage(stage) => stages::run(self, stage, inside.unwrap_or_default())?,
                Op::Enter(branch) => self.enter(branch).map(|()| StageEnd::Done)?,
                Op::Leave(name) => self.leave(name).map(|()| StageEnd::Done)?,
            };
            if let StageEnd::Interrupted(progress) = end {
                self.save_checkpoint(Some(progress))?;
                return Ok(RunEnd::Stopped);
            }
            self.next += 1;
            self.emit_progress(0)?;
            self.save_checkpoint(None)?;
        }
        Ok(RunEnd::Done)
    }

    /// Returns the network that the run ends with.
    pub fn network(&self) -> &Network {
        &self.stack[0].network
    }

    pub(super) fn state(&self) -> &State {
        self.stack.last().expect("the main branch is never left")
    }

    pub(super) fn state_mut(&mut self) -> &mut State {
        self.stack.last_mut().expect("the main branch is never left")
    }

    /// Returns the data that the present network sees.
    pub(super) fn data(&self) -> Arc<Dataset> {
        self.data.last().expect("the main branch is never left").clone()
    }

    /// Returns the pending request to stop; waits here while the run is paused.
    pub(super) fn stop_requested(&self) -> Option<StopKind> {
        self.stop.wait_while_paused();
        self.stop.requested()
    }

    /// Returns the seconds of work so far, without pauses.
    pub(super) fn secs(&self) -> f64 {
        let paused = self.stop.paused_for().saturating_sub(self.paused_before);
        self.secs_before + self.began.elapsed().saturating_sub(paused).as_secs_f64()
    }

    /// Returns what computes with the present network and its members in one pass, through the faults in place: one
    /// mini-batch, or one evaluation of a part of the data. The caller [closes](Self::close_reader) it after the pass.
    pub(super) fn reader(&self) -> View {
        View::new(self.context.clone(), self.state().faults.clone(), self.branch())
    }

    /// Stores what a reader counted, and logs its faults. Fails when a fault could not be drawn.
    pub(super) fn close_reader(&mut self, reader: View) -> Result<(), RunError> {
        let (faults, lines) = reader.close().map_err(|error| self.stage_error(error))?;
        self.state_mut().faults = faults;
        if lines.is_empty() { Ok(()) } else { self.listener.lines(Table::Faults, &lines) }
    }
}

/// The place of the present stage in the plan.
impl Session<'_> {
    /// Returns the number of the present step; random draws of a stage are derived from it.
    pub(super) fn number(&self) -> u64 {
        self.next as u64
    }

    fn present(&self) -> Option<&ProgramStep> {
        self.program.get(self.next)
    }

    /// Returns the place of the present stage in the plan.
    pub(super) fn stage(&self) -> String {
        self.present().map_or_else(String::new, |step| step.stage.clone())
    }

    /// Returns the branch of the present stage; empty for the main branch.
    pub(super) fn branch(&self) -> String {
        self.present().map_or_else(String::new, |step| step.branch.clone())
    }

    /// Returns the round of the innermost repetition around the present stage, from 1.
    pub(super) fn round(&self) -> Option<u64> {
        self.present().and_then(|step| step.round)
    }

    #[allow(clippy::needless_pass_by_value, reason = "callers make the message here")]
    pub(super) fn stage_error(&self, message: impl ToString) -> RunError {
        RunError::Stage { stage: self.stage_in_words(), message: message.to_string() }
    }

    /// Names the present stage for messages: `stage 3.1, round 2 (Train)`, as the plan numbers it.
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
}

impl Session<'_> {
    /// Fills the run's arm and seed into the placeholders of a file's name.
    pub(super) fn file_name(&self, file: &str) -> String {
        filled(file, &self.context.arm, self.context.spec.seed)
    }

    /// Finds a file that a stage reads: what a previous stage of this run has written, else the file next to the document.
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

    /// Returns the weight file from elsewhere of which the present network has all values, where nothing but interventions
    /// that keep values has happened since, and no test.
    pub(super) fn untested_import(&self) -> Option<String> {
        let keeps_values = |step: &&ProgramStep| {
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
        let last = self.program[..self.next].iter().rev().find(|step| !keeps_values(step))?;
        let Op::Stage(stage @ Stage::Do(Intervention::Import(_) | Intervention::Graft(_))) = &last.op else {
            return None;
        };
        let place = Place::default();
        let file = stage.rule().files(&place).into_iter().find_map(|used| match used {
            FileUse::Weights(used) | FileUse::Source(used) => {
                let is_whole = targets::is_whole(&self.context.structure, used.target);
                (used.reading == Reading::Copies && is_whole && file_names::is_file(used.file))
                    .then_some(used.file)
            }
            FileUse::Faults(..) | FileUse::Writes(_) | FileUse::Tables | FileUse::Keeps(_) => None,
        });
        file.map(|file| self.file_name(file))
            .filter(|name| self.input_path(name) == self.context.base.join(name))
    }

    /// Checks that a known set of a branch, which was just read, is what the run was made for, where that is known.
    fn check_set(&self, data: &Data) -> Result<(), RunError> {
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
}

/// Branches, and checks that originals and held entries stay unchanged.
impl Session<'_> {
    /// Continues with a clone; the original waits below it on the stack.
    fn enter(&mut self, branch: &Branch) -> Result<(), RunError> {
        let number = self.number();
        let data = self.data_of(branch)?;
        self.originals.push(self.state().network.checksum());
        let mut clone = self.state().clone();
        if branch.init == BranchInit::Fresh {
            let (network, optimizer) =
                (self.context.fresh_network(number + 1), self.context.spec.train.optimizer.clone());
            let State { trained, order, snapshots, .. } = clone;
            clone = State { trained, order, snapshots, ..State::new(network, optimizer) };
        }
        if branch.order == BranchOrder::Own {
            clone.order = number + 1;
        }
        if branch.data.is_some() {
            clone.position = clone.position.next_epoch();
        }
        let is_first = matches!(self.round(), None | Some(1));
        let own = branch.data.as_ref().filter(|_| is_first);
        let found = own.map(|own| inventory::report(&Inventory::from_read(own, &data)));
        self.stack.push(clone);
        self.data.push(data);
        found.map_or(Ok(()), |report| self.report(report))
    }

    /// Returns to the original, which is unchanged and keeps the clone under its name.
    fn leave(&mut self, name: &str) -> Result<(), RunError> {
        let clone = self.stack.pop().expect("a branch is left after it was entered");
        self.data.pop();
        let before = self.originals.pop();
        let after = self.state().network.checksum();
        let snapshot = Snapshot { network: clone.network, position: None };
        self.state_mut().snapshots.insert(name.to_owned(), snapshot);
        let Some(before) = before else { return Ok(()) };
        let [then, now] = [&before, &after].map(|checksum| &checksum[..16]);
        let summary = format!("the original has checksum {then} before {name} and {now} after it");
        self.report(Report { passed: Some(before == after), ..report("branch", summary) })
    }

    /// Reads the data of a branch: its own where it has them, the original's otherwise.
    fn data_of(&self, branch: &Branch) -> Result<Arc<Dataset>, RunError> {
        let Some(own) = &branch.data else { return Ok(self.data()) };
        let context = &self.context;
        let data = context.datasets.get(own, &context.spec.net, &context.base)?;
        self.check_set(own)?;
        let (here, there) = (&context.data, &data);
        if (there.shape(), there.classes) == (here.shape(), here.classes) {
            return Ok(data);
        }
        let same = if there.shape() == here.shape() { "with as many classes" } else { "of the same shape" };
        let about = |data: &Dataset| {
            let shape = data.shape();
            let shape = shape_text(&[shape.channels, shape.height, shape.width]);
            format!("samples of {shape} in {} classes", data.classes)
        };
        Err(self.stage_error(format!(
            "the data of branch {} have {}, the run's {}; a clone needs data {same}",
            branch.name,
            about(there),
            about(here)
        )))
    }

    /// Reads the data of the branches around a checkpoint.
    fn read_branch_data(&mut self) -> Result<(), RunError> {
        for number in 0..self.next {
            match self.program[number].op.clone() {
                Op::Enter(branch) => {
                    let data = self.data_of(&branch)?;
                    self.data.push(data);
                }
                Op::Leave(_) => drop(self.data.pop()),
                Op::Stage(_) => {}
            }
        }
        Ok(())
    }

    /// Compares every held entry of the members that trained with its value at the start of the stage, bit for bit.
    pub(super) fn check_held(&mut self) -> Result<(), RunError> {
        let before = std::mem::take(&mut self.state_mut().began_with);
        let members = || self.state().members().into_iter().zip(&before);
        let counts = members().map(|(now, then)| now.compare_held(then));
        let (held, changed) = counts.fold((0, 0), |sums, counts| (sums.0 + counts.0, sums.1 + counts.1));
        if held == 0 {
            return Ok(());
        }
        let pruned_in = |network: &Network| -> u64 {
            (0..network.len()).map(|index| network.mask_counts(index).pruned).sum()
        };
        let pruned: u64 = members().map(|(now, _)| pruned_in(now)).sum();
        let summary = match changed {
            0 => held_in_words(pruned, held - pruned),
            _ => format!(
                "{} of {} pruned or frozen weights changed; this is a bug, please report it",
                grouped(changed),
                grouped(held)
            ),
        };
        self.report(Report { passed: Some(changed == 0), ..report("held", summary) })
    }
}

impl Session<'_> {
    pub(super) fn emit(&mut self, event: Event) -> Result<(), RunError> {
        if !event.is_transient() && self.clock_after.is_some_and(|pauses| pauses != self.stop.paused_for()) {
            self.emit_clock()?;
        }
        self.listener.event(event)
    }

    /// Emits the time of day; done again after each pause.
    fn emit_clock(&mut self) -> Result<(), RunError> {
        self.clock_after = Some(self.stop.paused_for());
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (utc, secs) = (since_1970.as_millis() as f64 / 1e3, self.secs());
        self.listener.event(Event::Clock(Clock { utc, secs }))
    }

    /// Emits the progress, `done` mini-batches into the present step.
    pub(super) fn emit_progress(&mut self, done: u64) -> Result<(), RunError> {
        let (done, secs) = (self.work.share(self.next, done), self.secs());
        let position = self.state().position;
        let secs_left = (done > 0.0 && secs > 0.5).then(|| secs * (1.0 - done) / done);
        let (epoch, iteration) = (position.epochs(self.data().train.len()), position.iteration);
        self.emit(Event::Progress(Progress { done, epoch, iteration, secs, secs_left }))
    }

    /// Emits one value of one series, at the present position.
    pub(super) fn emit_point(&mut self, series: &str, value: f64) -> Result<(), RunError> {
        let point = self.new_point(series, value);
        self.emit(Event::Point(point))
    }

    /// Builds a point of a series at the present position.
    pub(super) fn new_point(&self, series: &str, value: f64) -> Point {
        let state = self.state();
        Point {
            series: series.to_owned(),
            value,
            stage: self.stage(),
            branch: self.branch(),
            round: self.round(),
            epoch: state.position.epochs(self.data().train.len()),
            iteration: state.position.iteration,
            trained: state.trained,
            remaining: state.network.remaining(),
            secs: self.secs(),
            ..Point::default()
        }
    }

    /// Emits what the present stage did, with its place.
    pub(super) fn report(&mut self, report: Report) -> Result<(), RunError> {
        let (stage, branch, round) = (self.stage(), self.branch(), self.round());
        let level = if report.passed == Some(false) { ReportLevel::Warning } else { report.level };
        self.emit(Event::Report(Report { stage, branch, round, level, ..report }))
    }

    /// Writes the present network into files of these names: its values, and what holds them.
    pub(super) fn save_network(&mut self, files: &[String; 2]) -> Result<(), RunError> {
        let network = self.state().network.clone();
        self.listener.network(files, &network)
    }

    /// Writes a checkpoint: before the next step, or inside it.
    pub(super) fn save_checkpoint(&mut self, inside: Option<TrainProgress>) -> Result<(), RunError> {
        let (next, campaign) = (self.next, self.campaign.clone());
        let (secs, stack) = (self.secs(), self.stack.clone());
        self.listener.checkpoint(&Checkpoint { next, inside, campaign, secs, stack })
    }
}

/// Builds a report without a table.
pub(super) fn report(kind: &str, summary: String) -> Report {
    Report { kind: kind.to_owned(), summary, ..Report::default() }
}

/// Builds a report with a table.
pub(super) fn table(kind: &str, summary: String, columns: &[&str], rows: Vec<Vec<String>>) -> Report {
    let columns = columns.iter().map(ToString::to_string).collect();
    Report { columns, rows, ..report(kind, summary) }
}

/// Counts in words what a training left as it was.
fn held_in_words(pruned: u64, frozen: u64) -> String {
    let pruned = (pruned > 0).then(|| counted(pruned, "pruned weight") + " kept at 0");
    let frozen = (frozen > 0).then(|| counted(frozen, "frozen weight") + " kept bit for bit");
    pruned.into_iter().chain(frozen).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_by_kind() {
        assert_eq!(held_in_words(9940, 0), "9,940 pruned weights kept at 0");
        assert_eq!(held_in_words(1, 2), "1 pruned weight kept at 0, 2 frozen weights kept bit for bit");
    }
}
