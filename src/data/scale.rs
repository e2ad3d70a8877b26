//! How values are scaled before they enter a network.

use crate::samples::{Exact, Store};
use crate::{DataError, Samples, Shape};
use form::Stored;

form::choice! {
    /// The scale of values.
    pub enum Normalize: "Normalization" {
        None, "None", "Pixels are between 0 and 1; iris is standardized anyway";
        Standard, "Standardized", "Mean 0 and deviation 1 for each channel, measured on the training part";
        Given(GivenScale) = GivenScale::default(), "Given", "Mean and deviation that are given, as a checkpoint wants them";
        ImageNet, "ImageNet", "Mean [0.485, 0.456, 0.406] and deviation [0.229, 0.224, 0.225], as torchvision's checkpoints want them";
    }
}

form::form! {
    /// Numbers that values are scaled by: (value − mean) / deviation.
    pub struct GivenScale: "Given normalization" {
        mean: Vec<f64> = vec![0.5], "Mean", "What is subtracted: a number for each channel, or one for all", written always;
        deviation: Vec<f64> = vec![0.5], "Deviation", "What is divided by: a number for each channel, or one for all", written always;
    }
}

/// Those of ImageNet's training images, as torchvision's checkpoints take them.
const IMAGENET: [[f64; 3]; 2] = [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]];

impl Normalize {
    /// Returns the setting as people write it: `ImageNet`.
    pub fn text(&self) -> String {
        self.to_ron().replace("r#", "") // RON writes it before a variant `None`, which is not the missing value
    }

    /// Returns mean and deviation of each of so many channels, where they are given rather than measured.
    fn given(&self, channels: usize) -> Option<[Vec<f64>; 2]> {
        let of_each = |numbers: &[f64]| numbers.iter().copied().cycle().take(channels).collect();
        match self {
            Self::None | Self::Standard => None,
            Self::Given(GivenScale { mean, deviation }) => Some([of_each(mean), of_each(deviation)]),
            Self::ImageNet => Some(IMAGENET.map(|numbers| of_each(&numbers))),
        }
    }

    /// Returns true if it scales values of so many channels as another setting does.
    pub fn is_same(&self, other: &Self, channels: usize) -> bool {
        let numbers = self.given(channels);
        self == other || numbers.is_some() && numbers == other.given(channels)
    }

    /// Says what is wrong with it for data of so many channels.
    pub fn problem(&self, channels: usize) -> Option<String> {
        match self {
            Self::None | Self::Standard => None,
            Self::ImageNet => (channels != 3).then(|| format!(
                "ImageNet's numbers are for 3 channels, and these data have {channels}; write Given(mean: […], deviation: […])"
            )),
            Self::Given(GivenScale { mean, deviation }) => {
                let fits = |numbers: &[f64]| numbers.len() == 1 || numbers.len() == channels;
                let is_usable = |number: &f64| (*number as f32).is_finite();
                if !fits(mean) || !fits(deviation) {
                    return Some(format!(
                        "mean and deviation need 1 number or {channels}, one for each channel; they have {} and {}",
                        mean.len(),
                        deviation.len()
                    ));
                }
                let is_fine = mean.iter().all(is_usable)
                    && deviation.iter().all(|number| is_usable(number) && *number as f32 > 0.0);
                (!is_fine).then(|| "every deviation must be above 0, and every number finite".to_owned())
            }
        }
    }

    /// Returns what the parts are scaled by; `standardise` is for data that are standardised unless something else is asked
    /// for.
    pub(crate) fn scale(
        &self,
        train: &Samples,
        standardise: bool,
    ) -> Result<Option<Standardisation>, DataError> {
        let channels = train.shape.channels;
        if let Some(problem) = self.problem(channels) {
            return Err(DataError::setting("normalize", problem));
        }
        if let Some([mut mean, deviation]) = self.given(channels) {
            mean.iter_mut()
                .zip(train.origins().into_iter().flatten())
                .for_each(|(mean, origin)| *mean -= origin);
            return Ok(Some(Standardisation { mean, deviation }));
        }
        let is_measured = *self == Self::Standard || standardise;
        is_measured.then(|| Ok(Standardisation::measure(train)?.divisible())).transpose()
    }
}

const BATCH: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub struct Standardisation {
    /// Less the origin of the channel where values in double precision have one.
    pub mean: Vec<f64>,
    /// Population deviation; 0 where a channel is constant.
    pub deviation: Vec<f64>,
}

impl Standardisation {
    /// Measures the samples, summed in f64 in their order.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn measure(samples: &Samples) -> Result<Self, DataError> {
        if let Store::Exact(exact) = samples.store() {
            return Ok(Self::measure_exact(samples.shape, exact));
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

    /// Measures values in double precision. Sums are of differences from the first value: those of a constant are exactly
    /// 0.
    fn measure_exact(shape: Shape, exact: &Exact) -> Self {
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

    /// Puts 1 in the place of a deviation that is 0 in single precision, so that a constant channel is only moved.
    pub(crate) fn divisible(mut self) -> Self {
        self.deviation
            .iter_mut()
            .filter(|deviation| **deviation as f32 == 0.0)
            .for_each(|deviation| *deviation = 1.0);
        self
    }

    /// Scales whole samples of a shape, in single precision.
    pub(crate) fn apply(&self, shape: Shape, values: &mut [f32]) {
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
    use crate::Shape;
    use crate::scale::*;

    fn pixels(channels: usize) -> Samples {
        Samples::new(Shape::new(channels, 1, 2), vec![0.5; 2 * channels], vec![0])
    }

    #[test]
    fn given_numbers_are_for_each_channel_or_for_all() {
        let scaled = |normalize: &Normalize, channels: usize| {
            let mut samples = pixels(channels);
            let scale = normalize.scale(&samples, true).unwrap().unwrap();
            samples.scale(Some(&scale));
            samples.values().unwrap().into_owned()
        };
        let one = Normalize::Given(GivenScale { mean: vec![0.25], deviation: vec![0.5] });
        assert_eq!(scaled(&one, 2), [0.5; 4]);
        let two = Normalize::Given(GivenScale { mean: vec![0.25, 0.5], deviation: vec![0.5] });
        assert_eq!(scaled(&two, 2), [0.5, 0.5, 0.0, 0.0]);
        // (0.5 − 0.485) / 0.229 in float32.
        assert_eq!(scaled(&Normalize::ImageNet, 3)[0], (0.5_f32 - 0.485) / 0.229);
    }

    #[test]
    fn settings_are_the_same_where_their_numbers_are() {
        let given = |mean: &[f64], deviation: &[f64]| {
            Normalize::Given(GivenScale { mean: mean.to_vec(), deviation: deviation.to_vec() })
        };
        let image_net = given(&IMAGENET[0], &IMAGENET[1]);
        assert!(image_net.is_same(&Normalize::ImageNet, 3) && Normalize::ImageNet.is_same(&image_net, 3));
        assert!(given(&[0.5], &[0.2]).is_same(&given(&[0.5; 3], &[0.2; 3]), 3));
        assert!(!given(&[0.5], &[0.2]).is_same(&given(&[0.5, 0.5, 0.4], &[0.2]), 3));
        assert!(!given(&[0.5], &[0.2]).is_same(&given(&[0.5], &[0.3]), 1));
        assert!(Normalize::None.is_same(&Normalize::None, 3));
        assert!(
            !Normalize::None.is_same(&Normalize::Standard, 3),
            "neither has numbers before the data are read"
        );
    }

    #[test]
    fn numbers_that_cannot_be_used_are_refused() {
        let given = |mean: &[f64], deviation: &[f64]| {
            Normalize::Given(GivenScale { mean: mean.to_vec(), deviation: deviation.to_vec() }).problem(3)
        };
        assert_eq!(given(&[0.1, 0.2, 0.3], &[1.0]), None);
        for (mean, deviation, part) in [
            (&[0.1, 0.2][..], &[1.0][..], "they have 2 and 1"),
            (&[], &[1.0], "they have 0 and 1"),
            (&[0.1], &[0.0], "above 0"),
            (&[f64::NAN], &[1.0], "finite"),
            (&[0.1], &[1e-60], "above 0"),
        ] {
            assert!(given(mean, deviation).unwrap().contains(part), "{mean:?} {deviation:?}");
        }
        assert!(Normalize::ImageNet.problem(1).unwrap().contains("3 channels"));
        assert!(Normalize::ImageNet.scale(&pixels(1), false).is_err());
    }
}

#[cfg(test)]
mod standardise_tests {
    use crate::scale::*;

    #[test]
    fn irises_have_the_mean_and_deviation_that_numpy_finds() {
        let found = Standardisation::measure(&crate::iris().train).unwrap();
        let close =
            |found: &[f64], known: [f64; 4]| found.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close(&found.mean, [5.799_167, 3.035, 3.732_5, 1.183_333]), "{found:?}");
        assert!(close(&found.deviation, [0.808_651, 0.433_715, 1.745_144, 0.745_356]), "{found:?}");
    }

    #[test]
    fn each_channel_has_its_own_mean_and_deviation_and_a_constant_one_is_only_moved() {
        let mut samples = Samples::new(Shape::new(2, 1, 1), vec![1.0, 7.0, 3.0, 7.0], vec![0, 1]);
        let standard = Standardisation::measure(&samples).unwrap();
        assert_eq!(
            (standard.mean.as_slice(), standard.deviation.as_slice()),
            (&[2.0, 7.0][..], &[1.0, 0.0][..])
        );
        samples.scale(Some(&standard.divisible()));
        assert_eq!(samples.values().unwrap()[..], [-1.0, 0.0, 1.0, 0.0]);
    }
}
