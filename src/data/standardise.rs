//! Standardisation: each channel with mean 0 and deviation 1 over the training part.

use super::Samples;

/// Mean and deviation of each channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardisation {
    /// Mean of each channel.
    pub mean: Vec<f32>,
    /// Population deviation of each channel; 1 where it is constant.
    pub deviation: Vec<f32>,
}

impl Standardisation {
    /// Of the samples, summed in f64.
    pub fn of(samples: &Samples) -> Self {
        let (channels, plane) = (samples.shape.channels, samples.shape.plane());
        let count = (samples.len() * plane).max(1) as f64;
        let sum_of = |channel: usize, term: &dyn Fn(f64) -> f64| -> f64 {
            let planes = samples.values.chunks_exact(plane).skip(channel).step_by(channels);
            planes.flatten().map(|&value| term(f64::from(value))).sum()
        };
        let mut mean = Vec::with_capacity(channels);
        let mut deviation = Vec::with_capacity(channels);
        for channel in 0..channels {
            let centre = sum_of(channel, &|value| value) / count;
            let variance = sum_of(channel, &|value| (value - centre).powi(2)) / count;
            mean.push(centre as f32);
            deviation.push(if variance > 0.0 { variance.sqrt() as f32 } else { 1.0 });
        }
        Self { mean, deviation }
    }

    /// Applies it.
    pub fn apply(&self, samples: &mut Samples) {
        let (channels, plane) = (samples.shape.channels, samples.shape.plane());
        for (position, values) in samples.values.chunks_exact_mut(plane).enumerate() {
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
    use crate::data::Shape;

    #[test]
    fn irises_have_the_mean_and_deviation_that_numpy_finds() {
        let found = Standardisation::of(&crate::data::iris().train);
        let close =
            |found: &[f32], known: [f32; 4]| found.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close(&found.mean, [5.799_167, 3.035, 3.732_5, 1.183_333]), "{found:?}");
        assert!(close(&found.deviation, [0.808_651, 0.433_715, 1.745_144, 0.745_356]), "{found:?}");
    }

    #[test]
    fn each_channel_has_its_own_mean_and_deviation_and_a_constant_one_is_only_moved() {
        let mut samples = Samples::new(Shape::new(2, 1, 1), vec![1.0, 7.0, 3.0, 7.0], vec![0, 1]);
        let standard = Standardisation::of(&samples);
        assert_eq!(
            (standard.mean.as_slice(), standard.deviation.as_slice()),
            (&[2.0, 7.0][..], &[1.0, 1.0][..])
        );
        standard.apply(&mut samples);
        assert_eq!(samples.values, [-1.0, 0.0, 1.0, 0.0]);
    }
}
