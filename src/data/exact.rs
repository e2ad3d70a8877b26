//! Values in double precision, as tables and arrays have them before they are scaled and rounded to single precision, once.

use std::ops::Range;

use super::Shape;
use form::number::{first_of, grouped};

/// Whole numbers beyond it are not all numbers in double precision.
pub(super) const WHOLE: f64 = (1_u64 << 53) as f64;

/// Values in double precision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exact {
    /// `[n, channels, height, width]`, row-major, each less the origin of its channel.
    pub values: Vec<f64>,
    /// What was subtracted from the values of each channel, `[channels]`: 0, except where whole numbers beyond 2⁵³ would
    /// lose their differences.
    pub origins: Vec<f64>,
}

impl Exact {
    /// The values of some samples, scaled by the mean and the deviation of each channel and rounded to single precision.
    pub fn in_single(&self, shape: Shape, samples: Range<usize>, scale: Option<[&[f64]; 2]>) -> Vec<f32> {
        let values = &self.values[samples.start * shape.len()..samples.end * shape.len()];
        let mut single = Vec::with_capacity(values.len());
        for (position, values) in values.chunks_exact(shape.plane()).enumerate() {
            let channel = position % shape.channels;
            let (add, divide) = match scale {
                None => (self.origins[channel], 1.0),
                Some([mean, deviation]) => (-mean[channel], deviation[channel]),
            };
            single.extend(values.iter().map(|value| ((value + add) / divide) as f32));
        }
        single
    }

    /// How many different values a channel has in double and in single precision.
    fn distinct(&self, shape: Shape, channel: usize) -> [usize; 2] {
        let planes = self.values.chunks_exact(shape.plane());
        let mut values: Vec<f64> =
            planes.skip(channel).step_by(shape.channels).flatten().map(|value| value + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        let single: Vec<f32> = values.iter().map(|value| (value + self.origins[channel]) as f32).collect();
        [values.chunk_by(|a, b| a == b).count(), single.chunk_by(|a, b| a == b).count()]
    }

    /// Says which of these channels, with what they are called, lose more than a tenth of their different values when they
    /// are rounded as they are.
    pub fn note(&self, shape: Shape, channels: impl Iterator<Item = (usize, String)>) -> Option<String> {
        const SHOWN: usize = 3;
        let lost = channels.filter_map(|(channel, name)| {
            let [double, single] = self.distinct(shape, channel);
            let left = [double, single].map(|count| grouped(count as u64));
            (10 * single < 9 * double)
                .then(|| format!("{name}, of whose {} different values {} are left", left[0], left[1]))
        });
        let lost = first_of(lost, SHOWN, "; ");
        (!lost.is_empty()).then(|| {
            format!(
                "Without scaling, single precision is too coarse for {lost}. Write normalize: Standard, which keeps differences."
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Samples, Standardisation};

    fn column(values: &[f64], origin: f64) -> Samples {
        let exact = Exact { values: values.to_vec(), origins: vec![origin] };
        Samples::exact(Shape::new(1, 1, 1), exact, vec![0; values.len()])
    }

    fn standardised(values: &[f64], origin: f64) -> Vec<f32> {
        let mut samples = column(values, origin);
        let scale = Standardisation::of(&samples).unwrap().divisible();
        samples.scale(Some(&scale));
        samples.values().unwrap().into_owned()
    }

    /// Expected numbers: `((x - x.mean()) / x.std()).astype("float32")` of NumPy, with x in float64.
    #[test]
    fn large_numbers_are_standardised_as_numpy_does_in_double_precision() {
        let tenths: Vec<f64> = (0..5).map(|tenth| format!("5761234.{tenth}").parse().unwrap()).collect();
        let [one, two] = [std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::SQRT_2];
        let expected = [-two, -one, 0.0, one, two];
        let close = |found: Vec<f32>| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-7);
        assert!(close(standardised(&tenths, 0.0)), "{:?}", standardised(&tenths, 0.0));
        // 2⁶² to 2⁶² + 4, less 2⁶²: in double precision all of them are 2⁶².
        assert!(close(standardised(&[0.0, 1.0, 2.0, 3.0, 4.0], 2_f64.powi(62))));
        assert_eq!(standardised(&[0.0, 2.0], WHOLE), [-1.0, 1.0]);
    }

    #[test]
    fn a_constant_is_0_whatever_its_sum_is_rounded_to() {
        // The mean of NumPy is 0.10000000000000002.
        assert_eq!(standardised(&[0.1; 3], 0.0), [0.0; 3]);
    }

    #[test]
    fn without_scaling_values_are_rounded_once_and_what_they_lose_is_said() {
        let mut samples = column(&[0.1, 16_777_217.0], 0.0);
        samples.scale(None);
        assert_eq!(samples.values().unwrap()[..], [0.1, 16_777_216.0]);
        let exact = Exact { values: vec![0.0, 1.0, 1.0, 2.0], origins: vec![16_777_216.0] };
        let note = |exact: &Exact| exact.note(Shape::new(1, 1, 1), [(0, "id".to_owned())].into_iter());
        assert!(note(&exact).unwrap().contains("id, of whose 3 different values 2 are left"));
        assert_eq!(note(&Exact { origins: vec![0.0], ..exact }), None);
    }
}
