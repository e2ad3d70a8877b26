//! Statistics of batch norms that are measured again, for networks that did not train with them.

use super::context::RunContext;
use super::error::RunError;
use data::{Samples, shuffled};
use intervene::stream::{Purpose, stream};
use net::{AverageStatistics, Network};

/// Measures the running statistics of a network in one pass over the training part, in training mode, without augmentation
/// and dropout, in mini-batches of one random order of the seed: of two samples where the training has one, since a batch
/// norm measures nothing on a single one. A last mini-batch of a single sample is left out.
///
/// After each mini-batch, `goes_on` receives its number of samples. Where that returns false, so does this, and the network
/// is as it was.
///
/// # Errors
/// Those of `goes_on`, and a picture that cannot be read.
pub fn reestimate(
    context: &RunContext,
    network: &mut Network,
    train: &Samples,
    goes_on: &mut dyn FnMut(usize) -> Result<bool, RunError>,
) -> Result<bool, RunError> {
    let size = context.spec.train.batch.max(2);
    // Batches of neighbours in a file would often be of one class.
    let order = shuffled(train.len(), &mut stream(context.spec.seed, Purpose::Statistics, &[]));
    let mut average = AverageStatistics::default();
    for indices in order.chunks(size).filter(|indices| indices.len() > 1) {
        let batch = train.pick(indices);
        let output = context.compute.training_forward(network, &batch.values()?, batch.len(), None);
        average.add(&output.statistics);
        if !goes_on(batch.len())? {
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
    use crate::datasets::Datasets;
    use data::Shape;
    use doc::structure::{LayerKind, Role};
    use doc::{Net, RunSpec, Vgg};
    use form::ron_text;
    use net::backend;

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
            let mut goes_on = |samples| {
                sizes.push(samples);
                Ok(true)
            };
            reestimate(&context, &mut network.clone(), &context.data.train, &mut goes_on).unwrap();
            assert_eq!(sizes, expected);
        }
    }

    #[test]
    fn a_measurement_that_is_stopped_changes_nothing() {
        let context = context(40);
        let network = context.fresh_network(0);
        let (mut stopped, mut passes) = (network.clone(), 0);
        let mut goes_on = |_| {
            passes += 1;
            Ok(passes < 2)
        };
        assert!(!reestimate(&context, &mut stopped, &context.data.train, &mut goes_on).unwrap());
        assert_eq!((passes, stopped), (2, network));
    }
}
