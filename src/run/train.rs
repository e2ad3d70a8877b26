//! The train loop: mini-batches in the seed's order, until the stage is over or the run is asked to stop.

use std::time::{Duration, Instant};

use super::error::RunError;
use super::session::{Session, StageEnd};
use super::state::{Position, TrainProgress};
use super::stop::StopKind;
use data::{DataError, Samples, augment, shuffled};
use doc::{NonFinite, Training};
use form::{Steps, StepsUnit};
use intervene::stream::{Purpose, Stream, stream};
use net::{Compute, LossValue, Network, NoTap, OptimizerState, Score, TrainPass, correct};

/// Shortest time between two events of progress.
pub(super) const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// Time between two checkpoints of a long stage.
pub(super) const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);

/// A stretch of training.
pub struct Phase {
    pub settings: Training,
    /// Learning rate before any schedule.
    pub rate: f64,
    pub steps: Steps,
}

pub struct MiniBatch<'a> {
    pub batch: &'a Batch,
    pub settings: &'a Training,
    pub rate: f64,
    /// Position of the training before it.
    pub position: Position,
    pub samples: usize,
    /// Stream of units that are dropped.
    pub dropout: Stream,
    pub compute: &'a dyn Compute,
}

/// An algorithm that trains on mini-batches.
pub trait Trainer {
    /// Learns from a mini-batch; adds to `score` how well it was known before.
    fn step(
        &mut self,
        session: &mut Session,
        mini_batch: &MiniBatch,
        score: &mut Score,
    ) -> Result<(), RunError>;

    /// Emits what it measured since the last evaluation; another one follows.
    fn emit(&mut self, _session: &mut Session) -> Result<(), RunError> {
        Ok(())
    }

    /// Returns true if the training ends here, `done` mini-batches after its start.
    fn is_over(&mut self, _session: &mut Session, _done: u64) -> bool {
        false
    }
}

/// Passes mini-batch after mini-batch to the trainer, and evaluates as often as the settings require.
pub fn run(
    session: &mut Session,
    phase: &Phase,
    trainer: &mut dyn Trainer,
    mut progress: TrainProgress,
) -> Result<StageEnd, RunError> {
    let settings = &phase.settings;
    let samples = session.data().train.len();
    let total = phase.steps.to_iterations(settings.batches_per_epoch(samples));
    let state = session.state_mut();
    if state.optimizer != settings.optimizer {
        state.optimizer = settings.optimizer.clone();
        state.restart_optimizer();
    }
    state.position = state.position.within(samples);
    let mut batch = Batch::default();
    let (mut emitted, mut saved) = (Instant::now(), Instant::now());
    while progress.done < total {
        if session.stop_requested() == Some(StopKind::Now) {
            return Ok(StageEnd::Interrupted(progress));
        }
        step(session, phase, trainer, &mut batch, &mut progress.score)?;
        progress.done += 1;
        let is_last = progress.done == total || trainer.is_over(session, progress.done);
        if is_last || is_due(session, settings.evaluate) {
            session.emit_training(&progress.score)?;
            trainer.emit(session)?;
            session.evaluate_parts()?;
            progress.score = Score::default();
        }
        if is_last {
            session.last_passes.clear();
            break;
        }
        if emitted.elapsed() >= PROGRESS_EVERY {
            emitted = Instant::now();
            session.emit_progress(progress.done)?;
        }
        if saved.elapsed() >= CHECKPOINT_EVERY {
            saved = Instant::now();
            session.save_checkpoint(Some(progress))?;
        }
    }
    Ok(StageEnd::Done)
}

fn step(
    session: &mut Session,
    phase: &Phase,
    trainer: &mut dyn Trainer,
    batch: &mut Batch,
    score: &mut Score,
) -> Result<(), RunError> {
    let Phase { settings, rate, .. } = phase;
    let data = session.data();
    let seed = session.context.spec.seed;
    let samples = data.train.len();
    let (position, order) = (session.state().position, session.state().order);
    batch.load(&data.train, settings, seed, order, position)?;
    let next = position.after(position.sample + batch.len(), samples);
    let rate = rate * settings.schedule.factor(position.moment(next, samples), settings.warm_up);
    let dropout = stream(seed, Purpose::Dropout, &[order, position.iteration]);
    let reader = session.reader();
    let mini_batch = MiniBatch { batch, settings, rate, position, samples, dropout, compute: &reader };
    trainer.step(session, &mini_batch, score)?;
    session.close_reader(reader)?;
    let state = session.state_mut();
    state.trained = whole(state.trained + next.epochs(samples) - position.epochs(samples));
    state.position = next;
    Ok(())
}

/// Removes the rounding errors of many additions from a whole number of epochs.
fn whole(epochs: f64) -> f64 {
    let nearest = epochs.round();
    if (epochs - nearest).abs() < 1e-9 { nearest } else { epochs }
}

/// Returns true if an evaluation is due at the present position.
fn is_due(session: &Session, every: Steps) -> bool {
    let position = session.state().position;
    match every.unit {
        StepsUnit::Iterations => position.iteration.is_multiple_of(every.count),
        StepsUnit::Epochs => position.sample == 0 && position.epoch.is_multiple_of(every.count),
    }
}

impl MiniBatch<'_> {
    /// Passes forward and backward, and adds to `score` how well the mini-batch was known; `also` gets the logits, and may add
    /// to the loss. Gradients of held entries are left out unless something `reads_held` ones. Fails when a batch norm would
    /// see one value for each channel, and when the loss is not finite, unless the settings allow it.
    pub fn pass(
        &self,
        session: &Session,
        network: &Network,
        dropout: Stream,
        reads_held: bool,
        score: &mut Score,
        mut also: impl FnMut(&[f32], &mut LossValue),
    ) -> Result<TrainPass, RunError> {
        if let Some(norm) = network.norm_of_one_value(self.batch.len()) {
            let (batch, samples) = (self.settings.batch, self.samples);
            return Err(RunError::LonelySample { batch, samples, norm: norm.to_owned() });
        }
        let context = &session.context;
        let (mut loss, mut right) = (0.0, 0);
        let mut gradient = |logits: &[f32]| {
            let mut value = context.loss.evaluate(logits, &self.batch.labels);
            also(logits, &mut value);
            loss = value.mean;
            right = correct(logits, context.structure.outputs, &self.batch.labels);
            value.gradient
        };
        let (inputs, count, mut tap) = (&self.batch.inputs, self.batch.len(), NoTap { reads_held });
        let pass = self.compute.train_tapped(network, inputs, count, Some(dropout), &mut tap, &mut gradient);
        if !loss.is_finite() && self.settings.non_finite == NonFinite::Stop {
            let Position { iteration, .. } = self.position;
            let epoch = self.position.epochs(session.data().train.len());
            return Err(RunError::NonFinite { loss, iteration, epoch, stage: session.stage_in_words() });
        }
        score.add(count, loss, right);
        Ok(pass)
    }

    /// Changes a network by the optimizer's step with the gradients of a pass, and by its statistics.
    pub fn learn(&self, network: &mut Network, memory: &mut OptimizerState, pass: &TrainPass) {
        memory.step(&self.settings.optimizer, self.rate, network, &pass.gradients);
        network.follow(&pass.statistics);
    }
}

/// The mini-batch at a position, and the order of the epoch that it belongs to.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Samples in sequence.
    pub inputs: Vec<f32>,
    pub labels: Vec<u32>,
    order: Vec<u32>,
    /// The epoch that `order` is of, and the number of that order of data.
    ordered: (u64, u64),
}

impl Batch {
    /// Gathers the mini-batch at `position`, augmented; `order` 0 is the seed's own data order.
    pub fn load(
        &mut self,
        train: &Samples,
        settings: &Training,
        seed: u64,
        order: u64,
        position: Position,
    ) -> Result<(), DataError> {
        let Position { epoch, sample, .. } = position;
        if self.order.len() != train.len() || self.ordered != (epoch, order) {
            let mut rng = stream(seed, Purpose::Order, &[order, epoch]);
            self.order = shuffled(train.len(), &mut rng);
            self.ordered = (epoch, order);
        }
        let end = (sample + settings.batch).min(train.len());
        self.inputs.clear();
        self.labels.clear();
        let indices = &self.order[sample..end];
        train.gather(indices, &mut self.inputs)?;
        self.labels.extend(indices.iter().map(|&index| train.labels[index as usize]));
        if !settings.augment.is_empty() {
            let mut rng = stream(seed, Purpose::Augment, &[order, epoch, sample as u64]);
            for image in self.inputs.chunks_mut(train.shape.len()) {
                augment(image, train.shape, &settings.augment, &mut rng);
            }
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }
}

#[cfg(test)]
mod tests {
    /// What holds or changes an entry is the business of the network and of the stages around the loop.
    #[test]
    fn the_train_loop_knows_no_intervention() {
        let (product, _) = include_str!("train.rs").split_once("#[cfg(test)]").unwrap();
        let words = product.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
        let starts = ["prun", "freez", "froz", "fault", "watch", "intervention"];
        let found: Vec<_> = words.filter(|word| starts.iter().any(|start| word.starts_with(start))).collect();
        assert_eq!(found, Vec::<String>::new());
    }
}
