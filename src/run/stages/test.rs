//! `Test`, and at the first one after an import the check that activations are those that batch norms were trained with.
//!
//! Weights trained on scaled inputs compute something without a word where the inputs are scaled otherwise. The running
//! statistics of batch norms know better: they are the mean and the variance that activations had in training.

use crate::error::RunError;
use crate::evaluate::spread;
use crate::expected::upper_median;
use crate::faults;
use crate::program::data_settings;
use crate::session::{Session, StageEnd, report};
use data::Samples;
use doc::structure::{LayerKind, Op, Role};
use net::{Activations, Compute, Layout, NORM_EPSILON, Network};
use results::INPUTS;

/// Number of test samples that are looked at, evenly apart, and the least; with fewer, variances say little.
const SAMPLES: usize = 256;
const LEAST: usize = 64;
/// The typical channel is far from its running statistics where its variance differs by more than this factor, or its mean by
/// more than so many deviations. docs/semantics.md has what was measured.
const FACTOR: f64 = 1.5;
const SHIFT: f64 = 0.5;

/// Evaluates the present network, and warns where its activations are far from its running statistics.
pub fn test(session: &mut Session) -> Result<StageEnd, RunError> {
    let end = faults::test(session)?;
    if end == StageEnd::Done {
        check_activations(session)?;
    }
    Ok(end)
}

/// Reports activations that are far from the running statistics of a network that was imported and is tested for the first
/// time. Costs a forward pass of 256 samples, and changes nothing.
fn check_activations(session: &mut Session) -> Result<(), RunError> {
    let Some(file) = session.untested_import() else { return Ok(()) };
    let (context, data) = (session.context.clone(), session.data());
    let state = session.state();
    if !state.faults.is_empty() || !state.others.is_empty() || data.test.len() < LEAST {
        return Ok(());
    }
    let batch = context.spec.train.evaluation_batch;
    let Some([factor, shift]) = distance(&*context.compute, &state.network, &data.test, batch)? else {
        return Ok(());
    };
    if factor <= FACTOR && shift <= SHIFT {
        return Ok(()); // numbers that are not finite are far too
    }
    let summary = format!(
        "the activations of these data are far from those that the batch norms of {file} were trained with: in the typical \
            channel the variance differs by a factor of {factor:.1} and the mean by {shift:.1} deviations. Perhaps the inputs \
            were scaled otherwise in training than by normalize: {}; or the weights have fewer than about 100 steps behind them, \
            too few for these statistics",
        data_settings(&context.spec, &session.program[..session.next]).normalize().text()
    );
    session.report(report(INPUTS, summary).warning())
}

/// Measures how far activations on samples are from the running statistics, in evaluation mode: medians over the channels of
/// all batch norms of the larger variance over the smaller, and of the distance of the means in running deviations; none
/// without batch norms.
fn distance(
    compute: &dyn Compute,
    network: &Network,
    samples: &Samples,
    batch: usize,
) -> Result<Option<[f64; 2]>, RunError> {
    let structure = network.structure();
    let norm = |(at, op): (usize, &Op)| {
        let Op::Layer(layer) = *op else { return None };
        (structure.layers[layer].kind == LayerKind::BatchNorm).then_some((at, layer))
    };
    let norms: Vec<(usize, usize)> = structure.ops.iter().enumerate().filter_map(norm).collect();
    let mut moments = vec![Vec::new(); norms.len()];
    for part in spread(samples, SAMPLES.min(samples.len())).batches(batch) {
        let mut activations = Activations::from_samples(samples.shape, part?.0.into_owned());
        let mut done = 0;
        for (&(op, _), moments) in norms.iter().zip(&mut moments) {
            activations = compute.forward(network, done..op, &activations);
            done = op;
            add_moments(&activations, moments);
        }
    }
    let (mut factors, mut shifts) = (Vec::new(), Vec::new());
    for ((_, layer), moments) in norms.into_iter().zip(moments) {
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
    Ok((!factors.is_empty()).then(|| [upper_median(&mut factors), upper_median(&mut shifts)]))
}

/// Adds values to number, sum and sum of squares of each channel.
fn add_moments(activations: &Activations, moments: &mut Vec<[f64; 3]>) {
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
