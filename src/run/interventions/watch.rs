//! Compares the network with that of some steps ago, on each mini-batch before the update.

use std::collections::VecDeque;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::context::RunContext;
use crate::error::RunError;
use crate::session::{Session, report};
use crate::state::State;
use crate::train::MiniBatch;
use doc::intervention::Watch as Settings;
use doc::targets;
use form::number::grouped;
use net::{Gradients, LossFunction, LossValue, Network, bits, top1};
use results::weights::l2_norm;

/// The past networks, and their answers since the last evaluation.
///
/// The ring is the only memory: clones share their arrays with the network that they were, and `lag` of them are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch<N = Network> {
    pub settings: Settings,
    /// Networks before each of the last `lag` updates, the oldest first.
    pub past: VecDeque<N>,
    pub tally: Tally,
    /// Number of mini-batches that the past was asked about in this stage.
    pub asked: u64,
    #[serde(with = "bits")]
    pub secs: f64,
}

impl Watch {
    pub fn new(settings: Settings) -> Self {
        Self { settings, past: VecDeque::new(), tally: Tally::default(), asked: 0, secs: 0.0 }
    }
}

/// Sums over the samples of mini-batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub samples: u64,
    /// Relative distances, times the samples of their mini-batch.
    #[serde(with = "bits")]
    pub distances: f64,
    /// Divergences of the predictions.
    #[serde(with = "bits")]
    pub divergences: f64,
    /// Samples whose predicted class is another one.
    pub changes: u64,
}

impl Tally {
    /// Compares the logits of one mini-batch, `[count, outputs]` each.
    fn new(loss: &LossFunction, outputs: usize, present: &[f32], past: &[f32]) -> Self {
        let samples = (present.len() / outputs) as u64;
        let mut tally = Self { samples, ..Self::default() };
        for (now, then) in present.chunks_exact(outputs).zip(past.chunks_exact(outputs)) {
            tally.changes += u64::from(top1(now) != top1(then));
            tally.divergences += divergence(&loss.probabilities(then), &loss.probabilities(now));
        }
        tally.distances = relative_distance(present, past) * samples as f64;
        tally
    }

    /// Returns the mean over the mini-batches, weighted by their samples, of ‖z − z′‖ / ‖z′‖ with z′ of the past.
    fn distance(&self) -> f64 {
        self.distances / self.samples as f64
    }

    /// Returns the mean divergence of the predictions, Σ p′ · ln(p′ / p) with p′ of the past, in nats.
    fn divergence(&self) -> f64 {
        self.divergences / self.samples as f64
    }

    /// Returns the share of samples whose predicted class is another one.
    fn changed(&self) -> f64 {
        self.changes as f64 / self.samples as f64
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.samples += other.samples;
        self.distances += other.distances;
        self.divergences += other.divergences;
        self.changes += other.changes;
    }
}

/// Returns ‖a − b‖ / ‖b‖ over all logits; 0 where they are equal.
fn relative_distance(a: &[f32], b: &[f32]) -> f64 {
    let distance: f64 = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
    if distance == 0.0 { 0.0 } else { distance.sqrt() / l2_norm(b) }
}

/// Returns the Kullback–Leibler divergence of `q` from `p`, in nats.
fn divergence(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| if *p == 0.0 { 0.0 } else { p * (p / q).ln() }).sum()
}

/// Forgets the past networks, and keeps watching.
pub fn clear(state: &mut State) {
    if let Some(watch) = &mut state.watch {
        watch.past.clear();
    }
}

/// A comparison with the past network on one mini-batch.
pub struct Comparison<'a> {
    context: &'a RunContext,
    mini_batch: &'a MiniBatch<'a>,
    penalty: f64,
    /// The past network, or the present one with a part of the past.
    network: Network,
    /// True for each parameter that is of the past.
    is_past: Vec<bool>,
    answer: Option<Answer>,
}

/// The past answers, counted.
struct Answer {
    tally: Tally,
    /// Through the past part into the present rest.
    gradients: Option<Gradients>,
    secs: f64,
}

impl<'a> Comparison<'a> {
    /// Prepares the network of `lag` steps ago for this mini-batch; none where it is not watched, or not that old.
    pub fn new(session: &Session, context: &'a RunContext, mini_batch: &'a MiniBatch<'a>) -> Option<Self> {
        let state = session.state();
        let watch = state.watch.as_ref()?;
        let past = watch.past.front().filter(|_| watch.past.len() == watch.settings.lag)?;
        let structure = &context.structure;
        let is_past: Vec<bool> = structure
            .parameters
            .iter()
            .map(|parameter| targets::has_layer(structure, &watch.settings.layers, parameter.layer))
            .collect();
        let mut network = state.network.clone(); // and with it the mode of its batch norms
        for index in (0..network.len()).filter(|&index| is_past[index]) {
            network.adopt(index, past);
        }
        Some(Self { context, mini_batch, penalty: watch.settings.penalty, network, is_past, answer: None })
    }

    /// Compares its logits with the present ones; a penalty is added to the loss and its gradient.
    ///
    /// The penalty is `penalty` × the mean over all logits of (z − z′)², with z′ of the past. With a part of the past, the
    /// same pass goes backward through it into the present rest; gradients of past weights are dropped.
    pub fn compare(&mut self, logits: &[f32], value: &mut LossValue) {
        let began = Instant::now();
        let share = self.penalty / logits.len() as f64;
        let pull = |present: f32, past: f32| 2.0 * share * (f64::from(present) - f64::from(past));
        let MiniBatch { batch, dropout, .. } = self.mini_batch;
        let (compute, dropout) = (&self.context.compute, Some(dropout.clone()));
        let (mut past, mut gradients) = (Vec::new(), None);
        if share > 0.0 && self.is_past.contains(&false) {
            let mut gradient = |answer: &[f32]| {
                past = answer.to_vec();
                logits.iter().zip(answer).map(|(now, then)| -pull(*now, *then) as f32).collect()
            };
            let pass = compute.train(&self.network, &batch.inputs, batch.len(), dropout, &mut gradient);
            let pairs = pass.gradients.into_iter().zip(&self.is_past);
            gradients = Some(pairs.map(|(gradient, is_past)| gradient.filter(|_| !is_past)).collect());
        } else {
            past.extend(compute.training_forward(&self.network, &batch.inputs, batch.len(), dropout).logits);
        }
        if share > 0.0 {
            for ((gradient, now), then) in value.gradient.iter_mut().zip(logits).zip(&past) {
                let distance = f64::from(*now) - f64::from(*then);
                value.mean += share * distance * distance;
                *gradient += pull(*now, *then) as f32;
            }
        }
        let tally = Tally::new(&self.context.loss, self.context.structure.outputs, logits, &past);
        self.answer = Some(Answer { tally, gradients, secs: began.elapsed().as_secs_f64() });
    }
}

/// Counts the answer, adds its gradients, and remembers the network as it is before the update.
pub fn remember(state: &mut State, comparison: Option<Comparison>, gradients: &mut Gradients) {
    let Some(watch) = &mut state.watch else { return };
    if let Some(answer) = comparison.and_then(|comparison| comparison.answer) {
        watch.tally += answer.tally;
        watch.asked += 1;
        watch.secs += answer.secs;
        for (sum, through) in gradients.iter_mut().zip(answer.gradients.unwrap_or_default()) {
            for (sum, through) in sum.iter_mut().flatten().zip(through.unwrap_or_default()) {
                *sum += through;
            }
        }
    }
    watch.past.push_back(state.network.clone());
    if watch.past.len() > watch.settings.lag {
        watch.past.pop_front();
    }
}

/// Emits the means of the answers since the last evaluation.
pub fn emit(session: &mut Session) -> Result<(), RunError> {
    let Some(watch) = &mut session.state_mut().watch else { return Ok(()) };
    let tally = std::mem::take(&mut watch.tally);
    if tally.samples == 0 {
        return Ok(());
    }
    session.emit_point("past_distance", tally.distance())?;
    session.emit_point("past_kl", tally.divergence())?;
    session.emit_point("past_changed", tally.changed())
}

/// Reports what watching cost in this stage.
pub fn report_cost(session: &mut Session) -> Result<(), RunError> {
    let Some(watch) = &mut session.state_mut().watch else { return Ok(()) };
    let (asked, secs) = (std::mem::take(&mut watch.asked), std::mem::take(&mut watch.secs));
    let (lag, networks) = (watch.settings.lag, watch.past.len());
    if asked == 0 {
        return Ok(());
    }
    let network = &session.state().network;
    let bytes: usize = (0..network.len()).map(|index| 4 * network.values(index).len()).sum();
    let ago = if lag == 1 { "1 step".to_owned() } else { format!("{lag} steps") };
    let summary = format!(
        "ran the network of {ago} ago {} times, {:.2} ms each; networks in memory: {}, {:.1} kB in total",
        grouped(asked),
        1e3 * secs / asked as f64,
        grouped(networks as u64),
        (bytes * networks) as f64 / 1e3
    );
    session.report(report("watch", summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::{Loss, Output};

    #[test]
    fn equal_logits_are_no_distance_apart() {
        let loss = LossFunction::new(Loss::CrossEntropy, Output::Linear, 2);
        let tally = Tally::new(&loss, 2, &[0.0, 0.0, 1.0, 2.0], &[0.0, 0.0, 1.0, 2.0]);
        assert_eq!(
            (tally.samples, tally.distance(), tally.divergence(), tally.changed()),
            (2, 0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn distances_are_relative_to_the_past_and_divergences_in_nats() {
        let loss = LossFunction::new(Loss::CrossEntropy, Output::Linear, 2);
        let tally = Tally::new(&loss, 2, &[3f32.ln(), 0.0], &[0.0, 0.0]);
        // From a half each to 3/4 and 1/4: ½ ln(2/3) + ½ ln 2 = ½ ln(4/3).
        assert!((tally.divergence() - 0.5 * (4f64 / 3.0).ln()).abs() < 1e-6);
        assert_eq!(relative_distance(&[3.0, 0.0, 1.0], &[0.0, 0.0, 1.0]), 3.0);
        let changed = Tally::new(&loss, 2, &[0.0, 1.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0]);
        assert_eq!(changed.changed(), 0.5);
    }
}
