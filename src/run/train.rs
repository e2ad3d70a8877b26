//! The train loop: mini-batches in the seed's order, until the stage is over or the run is asked to stop.

use std::time::{Duration, Instant};

use super::error::RunError;
use super::session::{Session, StageEnd};
use super::stop::StopKind;
use crate::data::{Samples, augment, shuffled};
use crate::doc::{NonFinite, Train, Training};
use crate::form::{Steps, StepsUnit};
use crate::intervene::stream::{Purpose, stream};
use crate::net::{Score, correct};

/// How often progress is said, at most.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// How often a long training leaves a checkpoint.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// How far a training stage is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrainProgress {
    /// Mini-batches of this stage so far.
    pub done: u64,
    /// Loss and accuracy on training batches since the last evaluation.
    pub score: Score,
}

/// The settings of a stage: its own where it has them, the run's otherwise.
pub fn settings(train: &Train, run: &Training) -> Training {
    Training {
        optimizer: train.optimizer.clone().unwrap_or_else(|| run.optimizer.clone()),
        schedule: train.schedule.clone().unwrap_or_else(|| run.schedule.clone()),
        batch: train.batch.unwrap_or(run.batch),
        evaluate: train.evaluate.unwrap_or(run.evaluate),
        ..run.clone()
    }
}

/// Mini-batches of an epoch.
pub fn batches_per_epoch(samples: usize, batch: usize) -> u64 {
    samples.div_ceil(batch.max(1)) as u64
}

/// Trains the present network; goes on from `progress` when the stage was interrupted.
pub fn train(
    session: &mut Session,
    stage: &Train,
    mut progress: TrainProgress,
) -> Result<StageEnd, RunError> {
    let settings = settings(stage, &session.place.spec.train);
    let samples = session.place.data.train.len();
    check_last_batch(session, &settings)?;
    let total = stage.steps.to_iterations(batches_per_epoch(samples, settings.batch));
    session.adopt_optimizer(&settings.optimizer);
    let mut loop_ = Loop::new(session.state().position.epoch, session.state().order);
    let (mut said, mut kept) = (Instant::now(), Instant::now());
    while progress.done < total {
        if session.stop_requested() == Some(StopKind::Now) {
            return Ok(StageEnd::Interrupted(progress));
        }
        loop_.step(session, stage, &settings, &mut progress.score)?;
        progress.done += 1;
        let is_last = progress.done == total;
        if is_last || is_due(session, settings.evaluate) {
            session.say_training(&progress.score)?;
            session.evaluate_parts()?;
            progress.score = Score::default();
        }
        if said.elapsed() >= PROGRESS_EVERY {
            said = Instant::now();
            session.say_progress(progress.done)?;
        }
        if kept.elapsed() >= CHECKPOINT_EVERY && !is_last {
            kept = Instant::now();
            session.keep(Some(progress))?;
        }
    }
    Ok(StageEnd::Done)
}

/// Whether an evaluation is due at the present position.
fn is_due(session: &Session, every: Steps) -> bool {
    let position = session.state().position;
    match every.unit {
        StepsUnit::Iterations => position.iteration.is_multiple_of(every.count),
        StepsUnit::Epochs => position.sample == 0 && position.epoch.is_multiple_of(every.count),
    }
}

fn check_last_batch(session: &Session, settings: &Training) -> Result<(), RunError> {
    let samples = session.place.data.train.len();
    let lonely = samples % settings.batch == 1 || settings.batch == 1;
    if lonely && session.has_batch_norm() {
        return Err(RunError::LonelySample { batch: settings.batch, samples });
    }
    Ok(())
}

/// What a loop keeps between mini-batches: the order of the present epoch, and buffers.
struct Loop {
    epoch: u64,
    order_number: u64,
    order: Vec<u32>,
    inputs: Vec<f32>,
    labels: Vec<u32>,
}

impl Loop {
    fn new(epoch: u64, order_number: u64) -> Self {
        Self { epoch, order_number, order: Vec::new(), inputs: Vec::new(), labels: Vec::new() }
    }

    fn step(
        &mut self,
        session: &mut Session,
        stage: &Train,
        settings: &Training,
        score: &mut Score,
    ) -> Result<(), RunError> {
        let data = session.place.data.clone();
        let seed = session.place.spec.seed;
        let samples = data.train.len();
        let position = session.state().position;
        self.load(&data.train, settings, seed, position.epoch, position.sample);
        let next = position.after(position.sample + self.labels.len(), samples);
        let dropout = stream(seed, Purpose::Dropout, &[self.order_number, position.iteration]);

        let (mut loss, mut right) = (0.0, 0);
        let pass = session.place.compute.train(
            &session.state().network,
            &self.inputs,
            self.labels.len(),
            Some(dropout),
            &mut |logits| {
                let value = session.place.criterion.evaluate(logits, &self.labels);
                loss = value.mean;
                right = correct(logits, session.place.structure.outputs, &self.labels);
                value.slope
            },
        );
        if !loss.is_finite() && settings.non_finite == NonFinite::Stop {
            let epoch = position.epochs(samples);
            return Err(RunError::NonFinite {
                loss,
                iteration: position.iteration,
                epoch,
                stage: session.stage(),
            });
        }
        score.add(self.labels.len(), loss, right);

        let rate = stage.rate.unwrap_or_else(|| settings.optimizer.rule().rate());
        let rate = rate * settings.schedule.factor(position.moment(next, samples), settings.warm_up);
        let state = session.state_mut();
        state.memory.step(settings.optimizer.rule(), rate, &mut state.network, &pass.gradients);
        state.network.follow(&pass.statistics);
        state.trained += next.epochs(samples) - position.epochs(samples);
        state.position = next;
        Ok(())
    }

    /// Gathers the mini-batch from `sample` on, augmented.
    fn load(&mut self, train: &Samples, settings: &Training, seed: u64, epoch: u64, sample: usize) {
        if self.order.len() != train.len() || self.epoch != epoch {
            let mut rng = stream(seed, Purpose::Order, &[self.order_number, epoch]);
            self.order = shuffled(train.len(), &mut rng);
            self.epoch = epoch;
        }
        let end = (sample + settings.batch).min(train.len());
        let picked = &self.order[sample..end];
        self.inputs.clear();
        self.labels.clear();
        for &index in picked {
            self.inputs.extend_from_slice(train.sample(index as usize));
            self.labels.push(train.labels[index as usize]);
        }
        if !settings.augment.is_empty() {
            let mut rng = stream(seed, Purpose::Augment, &[self.order_number, epoch, sample as u64]);
            for image in self.inputs.chunks_mut(train.shape.len()) {
                augment(image, train.shape, &settings.augment, &mut rng);
            }
        }
    }
}
