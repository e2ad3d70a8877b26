//! The error along the straight line between two networks.

use std::time::Instant;

use crate::context::RunContext;
use crate::error::RunError;
use crate::evaluate::evaluate;
use crate::session::{Session, StageEnd, table};
use crate::state::TrainProgress;
use crate::stop::StopKind;
use crate::train::PROGRESS_EVERY;
use data::{Samples, shuffled};
use doc::plan::Sizes;
use doc::stage::{Connect, LineStatistics, ONE_SAMPLE};
use intervene::stream::{Purpose, stream};
use net::{AverageStatistics, Network, Score};
use results::event::line_summary;
use results::number::fixed;
use results::{Event, Point, Report};

/// Evaluates networks W = (1 − t)·A + t·B on the test part, masks ignored; t takes `points` values from 0 to 1. Batch-norm
/// statistics are measured again for each of them, the ends too, or interpolated like weights.
///
/// The error barrier is the largest error along the line less the mean of the errors of its ends (Frankle et al. 2020,
/// "Linear mode connectivity and the lottery ticket hypothesis"). Interpolated statistics overstate it, since the variances
/// of activations shrink along the line (Jordan et al. 2023, "REPAIR").
pub fn connect(session: &mut Session, stage: &Connect) -> Result<StageEnd, RunError> {
    let ends = [end(session, &stage.a)?, end(session, &stage.b)?];
    let (context, data) = (session.context.clone(), session.data());
    let batch = context.spec.train.evaluation_batch;
    let samples = stage.samples(&context.structure, Sizes::from_data(&data));
    let mut scores = Vec::new();
    for number in 0..stage.points {
        // Nothing was emitted so far: the stage starts over when the run resumes.
        let interrupted = Ok(StageEnd::Interrupted(TrainProgress::default()));
        if session.stop_requested() == Some(StopKind::Now) {
            return interrupted;
        }
        let along = place_of(number, stage.points);
        let done = number as u64 * samples;
        let Some(network) = network_at(session, stage, &ends, along, done)? else { return interrupted };
        let compute = context.compute.as_ref();
        let mut proceed = |_| Ok(session.stop_requested() != Some(StopKind::Now));
        let tally = evaluate(compute, &network, &context.loss, &data.test, batch, &mut proceed)?;
        let Some(tally) = tally else { return interrupted };
        scores.push((along, tally.score));
        session.emit_progress(done + samples)?;
    }
    for (along, score) in &scores {
        for (series, value) in [("line_loss", score.loss()), ("line_accuracy", score.accuracy())] {
            let point = Point { along: Some(*along), ..session.new_point(series, value) };
            session.emit(Event::Point(point))?;
        }
    }
    let statistics = context.structure.has_batch_norm().then_some(&stage.statistics);
    session.report(report(stage, &scores, statistics))?;
    Ok(StageEnd::Done)
}

/// Builds the network at a place of the line, with its statistics; none if the run is to stop. `done` samples of the
/// stage came before it.
///
/// Statistics that are held in one of the ends were chosen, not measured: they are interpolated in any case.
fn network_at(
    session: &mut Session,
    stage: &Connect,
    [a, b]: &[Network; 2],
    along: f64,
    done: u64,
) -> Result<Option<Network>, RunError> {
    let mut network = a.between(b, along);
    network.hold_statistics_like(a);
    network.hold_statistics_like(b);
    if stage.statistics == LineStatistics::Interpolated || !network.has_free_norm() {
        return Ok(Some(network));
    }
    let (context, data) = (session.context.clone(), session.data());
    if data.train.len() < 2 {
        return Err(session.stage_error(ONE_SAMPLE.to_owned()));
    }
    let (mut done, mut emitted) = (done, Instant::now());
    let mut proceed = |samples: usize| {
        done += samples as u64;
        if emitted.elapsed() >= PROGRESS_EVERY {
            emitted = Instant::now();
            session.emit_progress(done)?;
        }
        Ok(session.stop_requested() != Some(StopKind::Now))
    };
    let is_measured = reestimate(&context, &mut network, &data.train, &mut proceed)?;
    Ok(is_measured.then_some(network))
}

fn place_of(number: usize, points: usize) -> f64 {
    number as f64 / (points - 1) as f64
}

fn end(session: &Session, name: &str) -> Result<Network, RunError> {
    let kept = session.state().snapshots.get(name);
    kept.map(|kept| kept.network.clone())
        .ok_or_else(|| session.stage_error(format!("there is no snapshot, branch or member \"{name}\"")))
}

fn report(stage: &Connect, scores: &[(f64, Score)], statistics: Option<&LineStatistics>) -> Report {
    let errors: Vec<f64> = scores.iter().map(|(_, score)| 1.0 - score.accuracy()).collect();
    let losses: Vec<f64> = scores.iter().map(|(_, score)| score.loss()).collect();
    let barrier_of_errors = fixed(100.0 * barrier(&errors), 2);
    let summary = line_summary([&stage.a, &stage.b], &barrier_of_errors, barrier(&losses), statistics);
    let rows = scores
        .iter()
        .map(|(along, score)| [*along, score.loss(), score.accuracy()].map(|value| value.to_string()).into());
    table("line", summary, &["along", "loss", "accuracy"], rows.collect())
}

/// Returns the largest value less the mean of the first and the last.
fn barrier(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ends = values.first().zip(values.last()).map_or(0.0, |(first, last)| f64::midpoint(*first, *last));
    largest - ends
}

/// Measures the running statistics of a network in one pass over the training part, in training mode, without augmentation
/// and dropout, in mini-batches of one random order of the seed: of two samples where the training has one, since a batch
/// norm measures nothing on a single one. A last mini-batch of a single sample is left out.
///
/// After each mini-batch, `proceed` receives its number of samples. Where that returns false, so does this, and the network
/// is as it was.
pub fn reestimate(
    context: &RunContext,
    network: &mut Network,
    train: &Samples,
    proceed: &mut dyn FnMut(usize) -> Result<bool, RunError>,
) -> Result<bool, RunError> {
    let size = context.spec.train.batch.max(2);
    // Batches of neighbours in a file would often be of one class.
    let order = shuffled(train.len(), &mut stream(context.spec.seed, Purpose::Statistics, &[]));
    let mut average = AverageStatistics::default();
    for indices in order.chunks(size).filter(|indices| indices.len() > 1) {
        let batch = train.pick(indices);
        let output = context.compute.training_forward(network, &batch.values()?, batch.len(), None);
        average.add(&output.statistics);
        if !proceed(batch.len())? {
            return Ok(false);
        }
    }
    average.write(network);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::context::Datasets;
    use data::Shape;
    use doc::structure::{LayerKind, Role};
    use doc::{Net, RunSpec, Vgg};
    use form::ron_text;
    use net::backend;

    #[test]
    fn a_barrier_is_measured_from_the_mean_of_the_ends() {
        assert_eq!(barrier(&[0.25, 1.0, 0.75]), 0.5);
        assert_eq!(barrier(&[0.5, 0.25, 0.5]), 0.0);
    }

    #[test]
    fn places_reach_from_one_end_to_the_other() {
        assert_eq!([place_of(0, 11), place_of(5, 11), place_of(10, 11)], [0.0, 0.5, 1.0]);
    }

    /// A VGG on this many digits, in mini-batches of 16.
    fn context(samples: usize) -> RunContext {
        let settings = format!(
            "(data: Digits(limit_train: {samples}, limit_test: 12), train: (batch: 16, evaluation_batch: 5))"
        );
        let spec: RunSpec = ron_text::from_str(&settings).unwrap();
        let net = Net::Vgg(Vgg { depth: 11, width: 2, ..Vgg::default() });
        let spec = RunSpec { net, ..spec };
        let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
        let compute = backend(&spec.device, &spec.train.kernels).unwrap();
        RunContext::new(spec, "arm".to_owned(), data, compute, PathBuf::new(), PathBuf::new()).unwrap()
    }

    fn measured(context: &RunContext, network: &Network) -> Network {
        let mut network = network.clone();
        assert!(reestimate(context, &mut network, &context.data.train, &mut |_| Ok(true)).unwrap());
        network
    }

    /// The first batch norm, and the positions of its running statistics.
    fn first_norm(context: &RunContext) -> (usize, [usize; 2]) {
        let structure = &context.structure;
        let norm = structure.layers.iter().position(|layer| layer.kind == LayerKind::BatchNorm).unwrap();
        let roles = [Role::RunningMean, Role::RunningVariance];
        (norm, roles.map(|role| structure.position(norm, role).unwrap()))
    }

    /// Outputs of a first 3×3 convolution with padding 1 on one image of one channel, one output channel.
    fn convolved(image: &[f32], shape: Shape, kernel: &[f32], bias: f32) -> Vec<f64> {
        let Shape { height, width, .. } = shape;
        // Rows and columns count from 1; those around the image are 0.
        let pixel = |row: usize, column: usize| {
            let is_inside = (1..=height).contains(&row) && (1..=width).contains(&column);
            if is_inside { f64::from(image[(row - 1) * width + column - 1]) } else { 0.0 }
        };
        let places = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let sum = |(row, column): (usize, usize)| {
            let window = (0..9).map(|at| pixel(row + at / 3, column + at % 3));
            f64::from(bias) + window.zip(kernel).map(|(x, w)| x * f64::from(*w)).sum::<f64>()
        };
        places.map(sum).collect()
    }

    #[test]
    fn the_first_batch_norm_has_the_statistics_of_plain_loops_over_the_mini_batches() {
        let context = context(40); // mini-batches of 16, 16 and 8
        let (network, (_, [mean, variance])) = (context.fresh_network(0), first_norm(&context));
        let found = measured(&context, &network);
        let train = &context.data.train;
        let order = shuffled(40, &mut stream(context.spec.seed, Purpose::Statistics, &[]));
        for channel in 0..2 {
            let (kernel, bias) = (&network.values(0)[9 * channel..][..9], network.values(1)[channel]);
            let (mut expected, mut weights) = ([0.0; 2], 0.0);
            for batch in order.chunks(16) {
                let images = batch.iter().map(|&index| train.sample(index as usize).unwrap());
                let values: Vec<f64> =
                    images.flat_map(|image| convolved(&image, train.shape, kernel, bias)).collect();
                let count = values.len() as f64;
                let mean = values.iter().sum::<f64>() / count;
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                expected[0] += count * mean;
                expected[1] += count * squares / (count - 1.0);
                weights += count;
            }
            for (index, expected) in [mean, variance].into_iter().zip(expected) {
                let (found, expected) = (f64::from(found.values(index)[channel]), expected / weights);
                assert!((found - expected).abs() < 1e-5 * expected.abs().max(0.1), "{found} {expected}");
            }
        }
    }

    #[test]
    fn running_statistics_change_and_nothing_else_does() {
        let context = context(40);
        let network = context.fresh_network(0);
        let found = measured(&context, &network);
        for (index, parameter) in context.structure.parameters.iter().enumerate() {
            let is_same = found.values(index) == network.values(index);
            assert_eq!(is_same, parameter.role.is_trained(), "{}", parameter.name);
        }
        assert_eq!(measured(&context, &found), found, "those before do not matter");
    }

    #[test]
    fn threads_and_the_size_of_evaluations_change_no_bit() {
        let mut context = context(40);
        let network = context.fresh_network(0);
        let expected = measured(&context, &network).checksum();
        context.spec.train.evaluation_batch = 256;
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| measured(&context, &network).checksum()), expected);
        }
    }

    #[test]
    fn held_statistics_and_those_of_fixed_norms_stay() {
        let context = context(40);
        let (norm, [mean, variance]) = first_norm(&context);
        let mut end = context.fresh_network(0);
        end.freeze(mean, &[1], None);
        let mut network = context.fresh_network(0);
        network.hold_statistics_like(&end);
        let found = measured(&context, &network);
        assert!(found.values(mean)[0] != 0.0 && found.values(mean)[1] == 0.0);
        end.fix_norms([norm]);
        network.hold_statistics_like(&end);
        let found = measured(&context, &network);
        assert_eq!([found.values(mean), found.values(variance)], [[0.0; 2], [1.0; 2]]);
        let next = context.structure.find("features.5.running_mean").unwrap();
        assert!(found.values(next) != network.values(next), "the next one is measured");
    }

    #[test]
    fn a_lonely_sample_is_left_out_and_no_mini_batch_is_of_one() {
        let mut context = context(33);
        let network = context.fresh_network(0);
        for (batch, expected) in [(16, vec![16, 16]), (1, vec![2; 16])] {
            context.spec.train.batch = batch;
            let mut sizes = Vec::new();
            let mut proceed = |samples| {
                sizes.push(samples);
                Ok(true)
            };
            reestimate(&context, &mut network.clone(), &context.data.train, &mut proceed).unwrap();
            assert_eq!(sizes, expected);
        }
    }

    #[test]
    fn a_measurement_that_is_stopped_changes_nothing() {
        let context = context(40);
        let network = context.fresh_network(0);
        let (mut stopped, mut passes) = (network.clone(), 0);
        let mut proceed = |_| {
            passes += 1;
            Ok(passes < 2)
        };
        assert!(!reestimate(&context, &mut stopped, &context.data.train, &mut proceed).unwrap());
        assert_eq!((passes, stopped), (2, network));
    }
}
