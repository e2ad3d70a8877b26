//! One run: carries out its program step by step, and says what happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::checkpoint::Checkpoint;
use super::cost::{WorkPlan, work_plan};
use super::error::RunError;
use super::evaluate::evaluate;
use super::interventions;
use super::listener::Listener;
use super::program::{Op, Step, program};
use super::state::State;
use super::stop::{StopFlag, StopKind};
use super::train::{self, TrainProgress};
use crate::data::Dataset;
use crate::doc::event::{Progress, StageBegan};
use crate::doc::stage::{Branch, BranchInit, BranchOrder};
use crate::doc::structure::LayerKind;
use crate::doc::{Event, Net, Point, Report, RunSpec, Structure};
use crate::net::{Compute, Criterion, Initialisation, Network, Score};
use crate::optimize::Optimizer;

/// What a run works with; it changes none of it.
pub struct Workplace {
    /// What to do.
    pub spec: RunSpec,
    /// Name of the arm, for exported files.
    pub arm: String,
    /// The samples.
    pub data: Arc<Dataset>,
    /// Shapes and names.
    pub structure: Arc<Structure>,
    /// What training minimises.
    pub criterion: Criterion,
    /// What computes.
    pub compute: Box<dyn Compute>,
    /// Folder that paths of the document are relative to.
    pub base: PathBuf,
    /// Folder that exported files are relative to.
    pub output: PathBuf,
}

impl Workplace {
    /// The workplace of a run.
    #[must_use]
    pub fn new(
        spec: RunSpec,
        arm: String,
        data: Arc<Dataset>,
        compute: Box<dyn Compute>,
        base: PathBuf,
        output: PathBuf,
    ) -> Self {
        let structure = Arc::new(Structure::new(&spec.net, data.shape(), data.classes, &spec.train.loss));
        let criterion = Criterion::new(spec.train.loss.clone(), structure.output.clone(), structure.outputs);
        Self { spec, arm, data, structure, criterion, compute, base, output }
    }

    /// A network with initial weights of the run's seed.
    #[must_use]
    pub fn fresh_network(&self, generation: u64) -> Network {
        let initialisation = match &self.spec.net {
            Net::Mlp(mlp) => Initialisation { weights: mlp.init, biases: mlp.bias_init },
            Net::Vgg(vgg) => Initialisation { weights: vgg.init, biases: vgg.bias_init },
        };
        Network::new(self.structure.clone(), initialisation, self.spec.seed, generation)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All steps are done.
    Done,
    /// It was stopped; a checkpoint lets it go on.
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
    pub(super) place: Arc<Workplace>,
    listener: &'a mut dyn Listener,
    stop: StopFlag,
    program: Vec<Step>,
    work: WorkPlan,
    /// Number of the next step.
    next: usize,
    /// How far that step is already, when it was interrupted.
    inside: Option<TrainProgress>,
    /// The trunk, and the branches within branches; the last one is worked on.
    stack: Vec<State>,
    began: Instant,
    secs_before: f64,
    threads: usize,
}

impl<'a> Session<'a> {
    /// A run from its start, or from a checkpoint.
    pub fn new(
        place: Arc<Workplace>,
        checkpoint: Option<Checkpoint>,
        threads: usize,
        stop: StopFlag,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let program = program(&place.spec.plan);
        let work = work_plan(&program, &place.spec, &place.data);
        let checkpoint = checkpoint.unwrap_or_else(|| Checkpoint {
            next: 0,
            inside: None,
            secs: 0.0,
            stack: vec![State::new(place.fresh_network(0), place.spec.train.optimizer.clone())],
        });
        let Checkpoint { next, inside, secs, stack } = checkpoint;
        Self {
            place,
            listener,
            stop,
            program,
            work,
            next,
            inside,
            stack,
            began: Instant::now(),
            secs_before: secs,
            threads,
        }
    }

    /// Carries out what is left of the program.
    ///
    /// # Errors
    /// What ended it; it was said as an event already.
    pub fn run(&mut self) -> Result<Outcome, RunError> {
        let result = self.steps();
        match &result {
            Ok(Outcome::Done) => self.say(Event::Finished { secs: self.secs() })?,
            Ok(Outcome::Stopped) => self.say(Event::Stopped { secs: self.secs() })?,
            Err(error) => self.say(Event::Failed { message: error.to_string() })?,
        }
        result
    }

    /// The network that the run ends with.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.stack[0].network
    }

    fn steps(&mut self) -> Result<Outcome, RunError> {
        let resumed = self.next > 0 || self.inside.is_some();
        self.say(Event::Started { resumed, threads: self.threads })?;
        while self.next < self.program.len() {
            if self.stop_requested().is_some() {
                return self.stopped(None);
            }
            let step = self.program[self.next].clone();
            let inside = self.inside.take();
            if inside.is_none() {
                self.say_stage(&step)?;
            }
            if let StageEnd::Interrupted(progress) = self.step(&step, inside.unwrap_or_default())? {
                return self.stopped(Some(progress));
            }
            self.next += 1;
            self.say_progress(0)?;
            self.keep(None)?;
        }
        Ok(Outcome::Done)
    }

    fn stopped(&mut self, inside: Option<TrainProgress>) -> Result<Outcome, RunError> {
        self.keep(inside)?;
        Ok(Outcome::Stopped)
    }

    fn step(&mut self, step: &Step, inside: TrainProgress) -> Result<StageEnd, RunError> {
        match &step.op {
            Op::Train(stage) => return train::train(self, stage, inside),
            Op::Test => self.evaluate_parts()?,
            Op::Do(intervention) => interventions::carry_out(self, intervention)?,
            Op::Enter(branch) => self.enter(branch)?,
            Op::Leave(name) => self.leave(name)?,
            Op::Unknown(what) => {
                return Err(self.stage_error(format!("{what} is not there yet in this version")));
            }
        }
        Ok(StageEnd::Done)
    }

    /// Goes on with a clone; the original waits below it on the stack.
    fn enter(&mut self, branch: &Branch) -> Result<(), RunError> {
        let number = self.next as u64;
        let mut clone = self.state().clone();
        if branch.init == BranchInit::Fresh {
            let kept = std::mem::take(&mut clone.kept);
            clone = State {
                kept,
                trained: clone.trained,
                order: clone.order,
                ..State::new(self.place.fresh_network(number + 1), self.place.spec.train.optimizer.clone())
            };
        }
        if branch.order == BranchOrder::Own {
            clone.order = number + 1;
        }
        self.stack.push(clone);
        Ok(())
    }

    /// Back to the original, which remembers the clone by its name, and is as it was.
    fn leave(&mut self, name: &str) -> Result<(), RunError> {
        let clone = self.stack.pop().expect("a branch is left after it was entered");
        self.state_mut().kept.insert(name.to_owned(), clone.snapshot());
        Ok(())
    }

    pub(super) fn state(&self) -> &State {
        self.stack.last().expect("the trunk is never left")
    }

    pub(super) fn state_mut(&mut self) -> &mut State {
        self.stack.last_mut().expect("the trunk is never left")
    }

    /// Number of the present step; random draws of a stage are derived from it.
    pub(super) fn number(&self) -> u64 {
        self.next as u64
    }

    /// Place of the present stage in the plan.
    pub(super) fn stage(&self) -> String {
        self.program.get(self.next).map_or_else(String::new, |step| step.stage.clone())
    }

    pub(super) fn stage_error(&self, message: String) -> RunError {
        RunError::Stage { stage: self.stage(), message }
    }

    pub(super) fn stop_requested(&self) -> Option<StopKind> {
        self.stop.requested()
    }

    /// A stage with another optimizer starts with nothing remembered.
    pub(super) fn adopt_optimizer(&mut self, optimizer: &Optimizer) {
        let state = self.state_mut();
        if state.optimizer != *optimizer {
            state.optimizer = optimizer.clone();
            state.restart_optimizer();
        }
    }

    /// Whether some batch norm would see one value for each channel of a single sample.
    pub(super) fn has_lonely_norm(&self) -> bool {
        let structure = &self.place.structure;
        let has_norm = structure.layers.iter().any(|layer| layer.kind == LayerKind::BatchNorm);
        has_norm && structure.input.height.min(structure.input.width) < 64
    }

    pub(super) fn say(&mut self, event: Event) -> Result<(), RunError> {
        self.listener.event(event)
    }

    fn say_stage(&mut self, step: &Step) -> Result<(), RunError> {
        let Step { op: _, stage, round, branch, label } = step.clone();
        let (number, of) = (self.next, self.program.len());
        self.say(Event::Stage(StageBegan { number, of, stage, label, round, branch }))
    }

    /// Says how far the run is, `done` mini-batches into the present step.
    pub(super) fn say_progress(&mut self, done: u64) -> Result<(), RunError> {
        let share = self.work.share(self.next, done);
        let secs = self.secs();
        let position = self.state().position;
        let secs_left = (share > 0.0 && secs > 0.5).then(|| secs * (1.0 - share) / share);
        let epoch = position.epochs(self.place.data.train.len());
        self.say(Event::Progress(Progress {
            done: share,
            epoch,
            iteration: position.iteration,
            secs,
            secs_left,
        }))
    }

    pub(super) fn say_training(&mut self, score: &Score) -> Result<(), RunError> {
        self.point("train_loss", score.loss())?;
        self.point("train_accuracy", score.accuracy())
    }

    /// Evaluates the validation part, where there is one, and the test part.
    pub(super) fn evaluate_parts(&mut self) -> Result<(), RunError> {
        let place = self.place.clone();
        for (name, part) in [("validation", &place.data.validation), ("test", &place.data.test)] {
            if part.is_empty() {
                continue;
            }
            let batch = place.spec.train.evaluation_batch;
            let score =
                evaluate(place.compute.as_ref(), &self.state().network, &place.criterion, part, batch);
            self.point(&format!("{name}_loss"), score.loss())?;
            self.point(&format!("{name}_accuracy"), score.accuracy())?;
        }
        Ok(())
    }

    /// Says one value of one series, at the present position.
    pub(super) fn point(&mut self, series: &str, value: f64) -> Result<(), RunError> {
        let step = &self.program[self.next];
        let state = self.state();
        let point = Point {
            series: series.to_owned(),
            value,
            stage: step.stage.clone(),
            branch: step.branch.clone(),
            member: None,
            round: step.round,
            epoch: state.position.epochs(self.place.data.train.len()),
            iteration: state.position.iteration,
            trained: state.trained,
            remaining: state.network.remaining(),
            rate: None,
            bit: None,
            layer: None,
            secs: self.secs(),
        };
        self.say(Event::Point(point))
    }

    /// Says what the present stage did; its place is filled in.
    pub(super) fn report(&mut self, report: Report) -> Result<(), RunError> {
        let Step { stage, branch, round, .. } = self.program[self.next].clone();
        self.say(Event::Report(Report { stage, branch, round, ..report }))
    }

    /// Leaves a checkpoint: before the next step, or inside it.
    pub(super) fn keep(&mut self, inside: Option<TrainProgress>) -> Result<(), RunError> {
        let checkpoint = Checkpoint { next: self.next, inside, secs: self.secs(), stack: self.stack.clone() };
        self.listener.checkpoint(&checkpoint)
    }

    fn secs(&self) -> f64 {
        self.secs_before + self.began.elapsed().as_secs_f64()
    }
}
