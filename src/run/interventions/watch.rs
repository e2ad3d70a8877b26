//! Compares the network with that of some steps ago, on each mini-batch before the update.

use std::time::Instant;

use crate::context::RunContext;
use crate::error::RunError;
use crate::past::{Tally, Watch};
use crate::session::Session;
use crate::state::State;
use crate::train::MiniBatch;
use doc::intervention::Watch as Settings;
use doc::targets;
use form::number::grouped;
use net::{Gradients, LossValue, Network};

/// Begins to remember.
pub fn watch(state: &mut State, settings: &Settings) {
    state.watch = Some(Watch::new(settings.clone()));
}

/// Forgets the past networks; watching goes on.
pub fn clear(state: &mut State) {
    if let Some(watch) = &mut state.watch {
        watch.past.clear();
    }
}

/// The past, asked about one mini-batch.
pub struct Question<'a> {
    context: &'a RunContext,
    mini_batch: &'a MiniBatch<'a>,
    penalty: f64,
    /// The past network, or the present one with a part of the past.
    network: Network,
    /// Whether a parameter is of the past.
    is_past: Vec<bool>,
    answer: Option<Answer>,
}

/// What the past answered.
struct Answer {
    tally: Tally,
    /// Through the past part into the present rest.
    gradients: Option<Gradients>,
    secs: f64,
}

impl<'a> Question<'a> {
    /// The network of `lag` steps ago about this mini-batch; nothing where it is not watched, or not that old.
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
    pub fn ask(&mut self, logits: &[f32], value: &mut LossValue) {
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
            gradients = Some(self.of_the_present(pass.gradients));
        } else {
            past.extend(compute.training_logits(&self.network, &batch.inputs, batch.len(), dropout));
        }
        if share > 0.0 {
            for ((gradient, now), then) in value.gradient.iter_mut().zip(logits).zip(&past) {
                let distance = f64::from(*now) - f64::from(*then);
                value.mean += share * distance * distance;
                *gradient += pull(*now, *then) as f32;
            }
        }
        let tally = Tally::of(&self.context.loss, self.context.structure.outputs, logits, &past);
        self.answer = Some(Answer { tally, gradients, secs: began.elapsed().as_secs_f64() });
    }

    fn of_the_present(&self, gradients: Gradients) -> Gradients {
        let pairs = gradients.into_iter().zip(&self.is_past);
        pairs.map(|(gradient, is_past)| gradient.filter(|_| !is_past)).collect()
    }
}

/// Takes the answer in, adds its gradients, and remembers the network as it is before the update.
pub fn remember(state: &mut State, question: Option<Question>, gradients: &mut Gradients) {
    let Some(watch) = &mut state.watch else { return };
    if let Some(answer) = question.and_then(|question| question.answer) {
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
    session.point("past_distance", tally.distance())?;
    session.point("past_kl", tally.divergence())?;
    session.point("past_changed", tally.changed())
}

/// Reports what watching cost in this stage.
pub fn report(session: &mut Session) -> Result<(), RunError> {
    let Some(watch) = &mut session.state_mut().watch else { return Ok(()) };
    let (asked, secs) = (std::mem::take(&mut watch.asked), std::mem::take(&mut watch.secs));
    let (lag, kept) = (watch.settings.lag, watch.past.len());
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
        grouped(kept as u64),
        (bytes * kept) as f64 / 1e3
    );
    session.report(super::report("watch", summary))
}
