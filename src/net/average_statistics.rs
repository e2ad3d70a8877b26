//! Statistics of batch norms over many mini-batches.

use std::collections::BTreeMap;

use super::compute::BatchStatistics;
use super::network::Network;
use doc::structure::Role;

/// The mean of the statistics of mini-batches, in which each sample has the same weight.
///
/// Like running statistics, it has the means of the mini-batches and their unbiased variances, each around the mean of its
/// mini-batch. PyTorch has the same with `momentum=None`, except that a smaller mini-batch has the weight of a full one
/// there.
#[derive(Clone, Debug, Default)]
pub struct AverageStatistics {
    /// Of each batch norm, by its layer.
    sums: BTreeMap<usize, Sums>,
}

/// Sums over mini-batches, weighted by their number of values.
#[derive(Clone, Debug, Default)]
struct Sums {
    mean: Vec<f64>,
    variance: Vec<f64>,
    count: f64,
}

impl AverageStatistics {
    /// Adds a mini-batch.
    pub fn add(&mut self, statistics: &[BatchStatistics]) {
        for BatchStatistics { layer, mean, variance, count } in statistics {
            let count = *count as f64;
            let unbiased = count / (count - 1.0).max(1.0);
            let sums = self.sums.entry(*layer).or_default();
            add(&mut sums.mean, mean, count);
            add(&mut sums.variance, variance, count * unbiased);
            sums.count += count;
        }
    }

    /// Writes the means into the running statistics of a network; held entries keep theirs.
    pub fn write(&self, network: &mut Network) {
        for (layer, Sums { mean, variance, count }) in &self.sums {
            for (role, sums) in [(Role::RunningMean, mean), (Role::RunningVariance, variance)] {
                let position = network.structure().position(*layer, role);
                let values: Vec<f32> = sums.iter().map(|sum| (sum / count) as f32).collect();
                network.write(position.expect("a batch norm has running statistics"), &values);
            }
        }
    }
}

fn add(sums: &mut Vec<f64>, values: &[f32], weight: f64) {
    sums.resize(values.len(), 0.0);
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += weight * f64::from(*value);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Initialisation;
    use data::Shape;
    use doc::structure::{LayerKind, Structure};
    use doc::{Loss, Net, Vgg};
    use intervene::{BiasInit, Init};

    /// A network with two channels in its first batch norm, the layer of that, and the positions of its statistics.
    fn network() -> (Network, usize, [usize; 2]) {
        let net = Net::Vgg(Vgg { depth: 11, width: 2, ..Vgg::default() });
        let structure =
            Structure::new(&net, Shape { channels: 1, height: 32, width: 32 }, 10, &Loss::CrossEntropy)
                .unwrap();
        let layer = structure.layers.iter().position(|layer| layer.kind == LayerKind::BatchNorm).unwrap();
        let places =
            [Role::RunningMean, Role::RunningVariance].map(|role| structure.position(layer, role).unwrap());
        let initialisation = Initialisation { weights: Init::KaimingNormal, biases: BiasInit::Usual };
        (Network::new(Arc::new(structure), initialisation, 1, 0), layer, places)
    }

    fn of_batches(layer: usize) -> AverageStatistics {
        let mut average = AverageStatistics::default();
        for (mean, variance, count) in [([1.0, 4.0], [6.0, 0.0], 3), ([5.0, 0.0], [2.0, 4.0], 1)] {
            let (mean, variance) = (mean.to_vec(), variance.to_vec());
            average.add(&[BatchStatistics { layer, mean, variance, count }]);
        }
        average
    }

    #[test]
    fn each_sample_has_the_same_weight_and_variances_are_unbiased() {
        let (mut network, layer, [mean, variance]) = network();
        of_batches(layer).write(&mut network);
        assert_eq!(network.values(mean), [2.0, 3.0]);
        // 6 · 3/2 for three values; one value has no variance, and nothing corrects what it reports.
        assert_eq!(network.values(variance), [(3.0 * 9.0 + 2.0) / 4.0, 1.0]);
    }

    #[test]
    fn held_entries_and_other_batch_norms_keep_theirs() {
        let (mut network, layer, [mean, variance]) = network();
        let before = network.clone();
        network.freeze(mean, &[1], None);
        of_batches(layer).write(&mut network);
        assert_eq!(network.values(mean), [2.0, 0.0]);
        let others = (0..network.len()).filter(|index| ![mean, variance].contains(index));
        others.for_each(|index| assert_eq!(network.values(index), before.values(index)));
    }
}
