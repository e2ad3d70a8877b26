//! The first `Test` after an import: whether the activations are those that the batch norms were trained with.
//!
//! Weights trained on scaled inputs compute something without a word where the inputs are scaled otherwise. The running
//! statistics of batch norms know better: they are the mean and the variance that activations had in training.

use super::error::RunError;
use super::session::Session;
use data::Samples;
use doc::structure::{LayerKind, Op, Role};
use net::{Activations, Compute, Layout, NORM_EPSILON, Network};
use results::Report;

/// So many test samples are looked at, evenly apart, and at least so many; with fewer, variances say little.
const SAMPLES: usize = 256;
const LEAST: usize = 64;
/// The typical channel is far from its running statistics where its variance differs by more than this factor, or its mean by
/// more than so many deviations. docs/semantics.md has what was measured.
const FACTOR: f64 = 1.5;
const SHIFT: f64 = 0.5;

/// How far activations are from the running statistics of batch norms: medians over all channels of all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The larger variance over the smaller.
    pub factor: f64,
    /// Distance of the means, in deviations of the running statistics.
    pub shift: f64,
}

impl Distance {
    fn is_far(self) -> bool {
        // A network with numbers that are not finite is far too.
        !(self.factor <= FACTOR && self.shift <= SHIFT)
    }
}

/// Reports activations that are far from the running statistics of a network that was imported and is tested for the first
/// time. Costs a forward pass of 256 samples, and changes nothing.
///
/// # Errors
/// A picture that cannot be read, and a report that cannot be written.
pub fn compare(session: &mut Session) -> Result<(), RunError> {
    let Some(file) = session.untested_import() else { return Ok(()) };
    let (context, data) = (session.context.clone(), session.data());
    let state = session.state();
    if !state.faults.is_empty() || !state.others.is_empty() || data.test.len() < LEAST {
        return Ok(());
    }
    let batch = context.spec.train.evaluation_batch;
    let Some(distance) = distance(&*context.compute, &state.network, &data.test, batch)? else {
        return Ok(());
    };
    if !distance.is_far() {
        return Ok(());
    }
    let Distance { factor, shift } = distance;
    let summary = format!(
        "the activations of these data are far from those that the batch norms of {file} were trained with: in the typical \
            channel the variance differs by a factor of {factor:.1} and the mean by {shift:.1} deviations. Perhaps the inputs \
            were scaled otherwise in training than by normalize: {}; or the weights have fewer than about 100 steps behind them, \
            too few for these statistics",
        session.data_settings().normalize().text()
    );
    session.report(Report { kind: "inputs".to_owned(), summary, ..Report::default() }.warning())
}

/// How far activations on samples are from the running statistics, in evaluation mode; none without batch norms.
fn distance(
    compute: &dyn Compute,
    network: &Network,
    samples: &Samples,
    batch: usize,
) -> Result<Option<Distance>, RunError> {
    let structure = network.structure();
    let is_norm =
        |op: &Op| matches!(op, Op::Layer(layer) if structure.layers[*layer].kind == LayerKind::BatchNorm);
    let norms: Vec<usize> = (0..structure.ops.len()).filter(|&op| is_norm(&structure.ops[op])).collect();
    let count = SAMPLES.min(samples.len());
    let indices: Vec<u32> =
        (0..count).filter_map(|at| u32::try_from(at * samples.len() / count).ok()).collect();
    let mut moments: Vec<Vec<[f64; 3]>> = vec![Vec::new(); norms.len()];
    for indices in indices.chunks(batch.max(1)) {
        let picked = samples.pick(indices);
        let mut activations = Activations::of_samples(samples.shape, picked.values()?.into_owned());
        let mut done = 0;
        for (&op, moments) in norms.iter().zip(&mut moments) {
            activations = compute.forward(network, done..op, &activations);
            done = op;
            add(&activations, moments);
        }
    }
    let (mut factors, mut shifts) = (Vec::new(), Vec::new());
    for (op, moments) in norms.iter().zip(moments) {
        let Op::Layer(layer) = structure.ops[*op] else { continue };
        let [mean, variance] =
            [Role::RunningMean, Role::RunningVariance].map(|role| structure.position(layer, role));
        let (Some(mean), Some(variance)) = (mean, variance) else { continue };
        let running = network.values(mean).iter().zip(network.values(variance));
        for ([count, sum, squares], (mean, variance)) in moments.into_iter().zip(running) {
            let (here, there) = (sum / count, f64::from(*variance) + NORM_EPSILON);
            let spread = (squares / count - here * here).max(0.0) + NORM_EPSILON;
            factors.push((spread / there).max(there / spread));
            shifts.push((here - f64::from(*mean)).abs() / there.sqrt());
        }
    }
    Ok(median(factors).zip(median(shifts)).map(|(factor, shift)| Distance { factor, shift }))
}

/// Adds values to number, sum and sum of squares of each channel.
fn add(activations: &Activations, moments: &mut Vec<[f64; 3]>) {
    let Activations { values, shape, layout, .. } = activations;
    let area = shape.height * shape.width;
    moments.resize(shape.channels, [0.0; 3]);
    for (at, value) in values.iter().enumerate() {
        let channel = match layout {
            Layout::ChannelsFirst => at / area % shape.channels,
            Layout::ChannelsLast => at % shape.channels,
        };
        let value = f64::from(*value);
        let [count, sum, squares] = &mut moments[channel];
        *count += 1.0;
        *sum += value;
        *squares += value * value;
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
