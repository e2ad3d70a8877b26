//! Standardisation: each channel with mean 0 and deviation 1 over the training part.

use super::exact::Exact;
use super::samples::Store;
use super::{DataError, Samples, Shape};

/// Samples at a time.
const BATCH: usize = 64;

/// Mean and deviation of each channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardisation {
    /// Mean of each channel, less its origin where values in double precision have one.
    pub mean: Vec<f64>,
    /// Population deviation of each channel; 0 where it is constant.
    pub deviation: Vec<f64>,
}

impl Standardisation {
    /// Of the samples, summed in f64 in their order.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn of(samples: &Samples) -> Result<Self, DataError> {
        if let Store::Exact(exact) = samples.store() {
            return Ok(Self::of_exact(samples.shape, exact));
        }
        let (channels, plane) = (samples.shape.channels, samples.shape.plane());
        let count = (samples.len() * plane).max(1) as f64;
        let means_of = |term: &dyn Fn(usize, f64) -> f64| -> Result<Vec<f64>, DataError> {
            let mut sums = vec![0.0; channels];
            for batch in samples.batches(BATCH) {
                for (position, values) in batch?.0.chunks_exact(plane).enumerate() {
                    let channel = position % channels;
                    let sum = &mut sums[channel];
                    for value in values {
                        *sum += term(channel, f64::from(*value));
                    }
                }
            }
            Ok(sums.into_iter().map(|sum| sum / count).collect())
        };
        let centres = means_of(&|_, value| value)?;
        let variances = means_of(&|channel, value| (value - centres[channel]).powi(2))?;
        let deviation = variances.into_iter().map(f64::sqrt).collect();
        Ok(Self { mean: centres, deviation })
    }

    /// Of values in double precision. Sums are of differences from the first value: those of a constant are exactly 0.
    fn of_exact(shape: Shape, exact: &Exact) -> Self {
        let (channels, plane) = (shape.channels, shape.plane());
        let count = (exact.values.len() / channels.max(1)).max(1) as f64;
        let first = |channel: usize| exact.values.get(channel * plane).copied().unwrap_or(0.0);
        let means_of = |term: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
            let mut sums = vec![0.0; channels];
            for (position, values) in exact.values.chunks_exact(plane).enumerate() {
                let channel = position % channels;
                let first = first(channel);
                sums[channel] += values.iter().map(|value| term(channel, value - first)).sum::<f64>();
            }
            sums.into_iter().map(|sum| sum / count).collect()
        };
        let centres = means_of(&|_, value| value);
        let variances = means_of(&|channel, value| (value - centres[channel]).powi(2));
        let mean = centres.iter().enumerate().map(|(channel, centre)| first(channel) + centre).collect();
        Self { mean, deviation: variances.into_iter().map(f64::sqrt).collect() }
    }

    /// For dividing: 1 in the place of a deviation that is 0 in single precision, so that a constant channel is only moved.
    pub(super) fn divisible(mut self) -> Self {
        self.deviation
            .iter_mut()
            .filter(|deviation| **deviation as f32 == 0.0)
            .for_each(|deviation| *deviation = 1.0);
        self
    }

    /// Applies it to whole samples of a shape, in single precision.
    pub(super) fn apply(&self, shape: Shape, values: &mut [f32]) {
        let (channels, plane) = (shape.channels, shape.plane());
        for (position, values) in values.chunks_exact_mut(plane).enumerate() {
            let channel = position % channels;
            let (mean, deviation) = (self.mean[channel] as f32, self.deviation[channel] as f32);
            for value in values {
                *value = (*value - mean) / deviation;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irises_have_the_mean_and_deviation_that_numpy_finds() {
        let found = Standardisation::of(&crate::iris().train).unwrap();
        let close =
            |found: &[f64], known: [f64; 4]| found.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close(&found.mean, [5.799_167, 3.035, 3.732_5, 1.183_333]), "{found:?}");
        assert!(close(&found.deviation, [0.808_651, 0.433_715, 1.745_144, 0.745_356]), "{found:?}");
    }

    #[test]
    fn each_channel_has_its_own_mean_and_deviation_and_a_constant_one_is_only_moved() {
        let mut samples = Samples::new(Shape::new(2, 1, 1), vec![1.0, 7.0, 3.0, 7.0], vec![0, 1]);
        let standard = Standardisation::of(&samples).unwrap();
        assert_eq!(
            (standard.mean.as_slice(), standard.deviation.as_slice()),
            (&[2.0, 7.0][..], &[1.0, 0.0][..])
        );
        samples.scale(Some(&standard.divisible()));
        assert_eq!(samples.values().unwrap()[..], [-1.0, 0.0, 1.0, 0.0]);
    }
}
