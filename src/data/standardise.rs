//! Standardisation: each channel with mean 0 and deviation 1 over the training part.

use super::{DataError, Samples, Shape};

/// Samples at a time.
const BATCH: usize = 64;

/// Mean and deviation of each channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardisation {
    /// Mean of each channel.
    pub mean: Vec<f32>,
    /// Population deviation of each channel; 0 where it is constant.
    pub deviation: Vec<f32>,
}

impl Standardisation {
    /// Of the samples, summed in f64 in their order.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn of(samples: &Samples) -> Result<Self, DataError> {
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
        Ok(Self {
            mean: centres.iter().map(|centre| *centre as f32).collect(),
            deviation: variances.into_iter().map(|variance| variance.sqrt() as f32).collect(),
        })
    }

    /// For dividing: 1 in the place of a deviation of 0, so that a constant channel is only moved.
    pub(super) fn divisible(mut self) -> Self {
        self.deviation
            .iter_mut()
            .filter(|deviation| **deviation == 0.0)
            .for_each(|deviation| *deviation = 1.0);
        self
    }

    /// Applies it to whole samples of a shape.
    pub(super) fn apply(&self, shape: Shape, values: &mut [f32]) {
        let (channels, plane) = (shape.channels, shape.plane());
        for (position, values) in values.chunks_exact_mut(plane).enumerate() {
            let channel = position % channels;
            for value in values {
                *value = (*value - self.mean[channel]) / self.deviation[channel];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irises_have_the_mean_and_deviation_that_numpy_finds() {
        let found = Standardisation::of(&crate::data::iris().train).unwrap();
        let close =
            |found: &[f32], known: [f32; 4]| found.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-5);
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
        samples.scale(&standard.divisible());
        assert_eq!(samples.values().unwrap()[..], [-1.0, 0.0, 1.0, 0.0]);
    }
}
