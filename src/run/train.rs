//! The train loop: mini-batches in the seed's order, until the stage is over or the run is asked to stop.

use std::time::{Duration, Instant};

use super::batches::Batch;
use super::context::RunContext;
use super::error::RunError;
use super::session::{Session, StageEnd};
use super::state::{Position, TrainProgress};
use super::stop::StopKind;
use doc::{NonFinite, Training};
use form::{Steps, StepsUnit};
use intervene::stream::{Purpose, Stream, stream};
use net::{Compute, LossValue, Network, NoTap, OptimizerState, Score, TrainPass, correct};

/// How often progress is emitted, at most.
pub(super) const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// How often a long training leaves a checkpoint.
const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);

/// A stretch of training.
pub struct Phase {
    /// Its settings.
    pub settings: Training,
    /// Learning rate before any schedule.
    pub rate: f64,
    /// How long it is.
    pub steps: Steps,
}

/// One mini-batch with its settings.
pub struct MiniBatch<'a> {
    /// Its samples.
    pub batch: &'a Batch,
    /// How networks train on it.
    pub settings: &'a Training,
    /// Learning rate of this mini-batch.
    pub rate: f64,
    /// Position of the training before it.
    pub position: Position,
    /// Samples of the training part.
    pub samples: usize,
    /// Stream of units that are dropped.
    pub dropout: Stream,
    /// What computes with the networks in training.
    pub compute: &'a dyn Compute,
}

/// What trains on mini-batches.
pub trait Trainer {
    /// Learns from one; adds to `score` how well it was known before.
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

    /// Whether the training ends here, `done` mini-batches after its start.
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
    session.adopt_optimizer(&settings.optimizer);
    let state = session.state_mut();
    state.position = state.position.within(samples);
    let mut batch = Batch::default();
    let (mut emitted, mut kept) = (Instant::now(), Instant::now());
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
        if kept.elapsed() >= CHECKPOINT_EVERY {
            kept = Instant::now();
            session.keep(Some(progress))?;
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
    session.put_back(reader)?;
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

/// Whether an evaluation is due at the present position.
fn is_due(session: &Session, every: Steps) -> bool {
    let position = session.state().position;
    match every.unit {
        StepsUnit::Iterations => position.iteration.is_multiple_of(every.count),
        StepsUnit::Epochs => position.sample == 0 && position.epoch.is_multiple_of(every.count),
    }
}

/// How well a mini-batch was known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    loss: f64,
    right: usize,
}

impl MiniBatch<'_> {
    /// One pass forward and backward; `also` gets the logits, and may add to the loss. Gradients of held entries are left out
    /// unless something `reads_held` ones.
    ///
    /// # Errors
    /// When a batch norm would see one value for each channel.
    pub fn pass(
        &self,
        context: &RunContext,
        network: &Network,
        dropout: Stream,
        reads_held: bool,
        mut also: impl FnMut(&[f32], &mut LossValue),
    ) -> Result<(TrainPass, Known), RunError> {
        if let Some(norm) = network.norm_of_one_value(self.batch.len()) {
            let (batch, samples) = (self.settings.batch, self.samples);
            return Err(RunError::LonelySample { batch, samples, norm: norm.to_owned() });
        }
        let mut known = Known::default();
        let mut gradient = |logits: &[f32]| {
            let mut value = context.loss.evaluate(logits, &self.batch.labels);
            also(logits, &mut value);
            known.loss = value.mean;
            known.right = correct(logits, context.structure.outputs, &self.batch.labels);
            value.gradient
        };
        let (inputs, count, mut tap) = (&self.batch.inputs, self.batch.len(), NoTap { reads_held });
        let pass = self.compute.train_tapped(network, inputs, count, Some(dropout), &mut tap, &mut gradient);
        Ok((pass, known))
    }

    /// Changes a network by the optimizer's step with the gradients of a pass, and by its statistics.
    pub fn learn(&self, network: &mut Network, memory: &mut OptimizerState, pass: &TrainPass) {
        memory.step(&self.settings.optimizer, self.rate, network, &pass.gradients);
        network.follow(&pass.statistics);
    }

    /// Counts how well the mini-batch was known.
    ///
    /// # Errors
    /// When the loss is not finite, unless the settings allow it.
    pub fn take_in(&self, session: &Session, known: Known, score: &mut Score) -> Result<(), RunError> {
        let Known { loss, right } = known;
        if !loss.is_finite() && self.settings.non_finite == NonFinite::Stop {
            let Position { iteration, .. } = self.position;
            let epoch = self.position.epochs(session.data().train.len());
            return Err(RunError::NonFinite { loss, iteration, epoch, stage: session.stage_in_words() });
        }
        score.add(self.batch.len(), loss, right);
        Ok(())
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
