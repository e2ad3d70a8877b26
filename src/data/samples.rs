//! Containers: samples with their labels, the parts that a reader yields, the data set that a run uses.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::images::LazyPictures;
use crate::prepare::resize;
use crate::{DataError, Details, Standardisation};
use form::number::{first_of, grouped};

/// The shape of one sample. Images are `channels × height × width`; a vector of features has its length in
/// `channels`, with height and width 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub channels: usize,
    pub height: usize,
    pub width: usize,
}

impl Shape {
    pub const fn new(channels: usize, height: usize, width: usize) -> Self {
        Self { channels, height, width }
    }

    /// Returns the number of values of one sample.
    #[expect(clippy::len_without_is_empty, reason = "a shape is a size, not a container")]
    pub const fn len(self) -> usize {
        self.channels * self.plane()
    }

    /// Returns the number of values of one channel of one sample.
    pub const fn plane(self) -> usize {
        self.height * self.width
    }

    /// Returns false for a vector of features.
    pub const fn is_image(self) -> bool {
        self.plane() > 1
    }
}

/// `16×8×8`, or the number of features.
impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_image() {
            write!(f, "{}×{}×{}", self.channels, self.height, self.width)
        } else {
            write!(f, "{}", self.channels)
        }
    }
}

/// Samples with their labels, in a fixed order.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    pub shape: Shape,
    store: Store,
    /// The class of each sample, `[n]`.
    pub labels: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Store {
    /// In memory, `[n, channels, height, width]`, row-major.
    Values(Vec<f32>),
    /// In memory in double precision, before they are scaled.
    Exact(Exact),
    /// In files of pictures, which are decoded when they are needed.
    Pictures(LazyPictures),
}

impl Samples {
    /// Makes samples of values and labels.
    ///
    /// # Panics
    /// When `values` does not hold exactly one sample for each label.
    pub fn new(shape: Shape, values: Vec<f32>, labels: Vec<u32>) -> Self {
        assert_eq!(values.len(), shape.len() * labels.len(), "one sample for each label");
        Self { shape, store: Store::Values(values), labels }
    }

    pub(crate) fn exact(shape: Shape, values: Exact, labels: Vec<u32>) -> Self {
        assert_eq!(values.values.len(), shape.len() * labels.len(), "one sample for each label");
        Self { shape, store: Store::Exact(values), labels }
    }

    /// Returns what was subtracted from the values of each channel, `[channels]`, of values in double precision.
    pub(crate) fn origins(&self) -> Option<&[f64]> {
        match &self.store {
            Store::Exact(exact) => Some(&exact.origins),
            Store::Values(_) | Store::Pictures(_) => None,
        }
    }

    /// Says which of these channels, with what they are called, are too large for single precision as they are; nothing of
    /// values that are in it already.
    pub(crate) fn coarse(&self, channels: impl Iterator<Item = (usize, String)>) -> Option<String> {
        match &self.store {
            Store::Exact(exact) => exact.note(self.shape, channels),
            Store::Values(_) | Store::Pictures(_) => None,
        }
    }

    pub(crate) fn from_pictures(pictures: LazyPictures, labels: Vec<u32>) -> Self {
        Self { shape: pictures.shape, store: Store::Pictures(pictures), labels }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns the values in single precision, to be changed in place; none where there are no such values.
    pub(crate) fn in_memory(&mut self) -> &mut [f32] {
        match &mut self.store {
            Store::Values(values) => values,
            Store::Exact(_) | Store::Pictures(_) => &mut [],
        }
    }

    /// Returns true if some samples have to be read from files again whenever they are needed.
    pub fn is_streamed(&self) -> bool {
        match &self.store {
            Store::Values(_) | Store::Exact(_) => false,
            Store::Pictures(pictures) => pictures.is_streamed(),
        }
    }

    /// Returns the values of all samples, `[n, channels, height, width]`, row-major.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn values(&self) -> Result<Cow<'_, [f32]>, DataError> {
        self.range(0..self.len())
    }

    /// Returns the values of sample `index`, `[channels, height, width]`.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub fn sample(&self, index: usize) -> Result<Cow<'_, [f32]>, DataError> {
        self.range(index..index + 1)
    }

    /// Yields the samples in order, `size` at a time: values, `[size, channels, height, width]`, and labels. Pictures are
    /// decoded when a batch is asked for.
    pub fn batches(&self, size: usize) -> impl Iterator<Item = Result<(Cow<'_, [f32]>, &[u32]), DataError>> {
        self.labels.chunks(size).enumerate().map(move |(number, labels)| {
            let first = number * size;
            Ok((self.range(first..first + labels.len())?, labels))
        })
    }

    /// Returns the values of some samples in a row, `[range, channels, height, width]`.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub fn range(&self, range: Range<usize>) -> Result<Cow<'_, [f32]>, DataError> {
        match &self.store {
            Store::Values(values) => {
                let size = self.shape.len();
                Ok(Cow::Borrowed(&values[range.start * size..range.end * size]))
            }
            Store::Exact(exact) => Ok(Cow::Owned(exact.in_single(self.shape, range, None))),
            Store::Pictures(pictures) => {
                let mut values = Vec::new();
                pictures.gather(&range.map(|index| index as u32).collect::<Vec<_>>(), &mut values)?;
                Ok(Cow::Owned(values))
            }
        }
    }

    /// Appends the values of the samples at `indices`, in that order; an index may repeat.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub fn gather(&self, indices: &[u32], into: &mut Vec<f32>) -> Result<(), DataError> {
        match &self.store {
            Store::Values(values) => gather(values, self.shape.len(), indices, into),
            Store::Exact(_) => into.extend_from_slice(&self.pick(indices).values()?),
            Store::Pictures(pictures) => pictures.gather(indices, into)?,
        }
        Ok(())
    }

    /// Returns the first `count` samples, or all when there are fewer.
    pub fn first(&self, count: usize) -> Self {
        self.pick(&(0..count.min(self.len()) as u32).collect::<Vec<_>>())
    }

    /// Returns the samples at `indices`, in that order; an index may repeat.
    pub fn pick(&self, indices: &[u32]) -> Self {
        let size = self.shape.len();
        let store = match &self.store {
            Store::Values(values) => {
                let mut picked = Vec::with_capacity(indices.len() * size);
                gather(values, size, indices, &mut picked);
                Store::Values(picked)
            }
            Store::Exact(Exact { values, origins }) => {
                let mut picked = Vec::with_capacity(indices.len() * size);
                gather(values, size, indices, &mut picked);
                Store::Exact(Exact { values: picked, origins: origins.clone() })
            }
            Store::Pictures(pictures) => Store::Pictures(pictures.pick(indices)),
        };
        let labels = indices.iter().map(|&index| self.labels[index as usize]).collect();
        Self { shape: self.shape, store, labels }
    }

    /// Keeps the first `count` samples.
    pub fn truncate(&mut self, count: usize) {
        self.labels.truncate(count);
        match &mut self.store {
            Store::Values(values) => values.truncate(count * self.shape.len()),
            Store::Exact(exact) => exact.values.truncate(count * self.shape.len()),
            Store::Pictures(pictures) => pictures.pictures.truncate(count),
        }
    }

    /// Resizes the images; those in double precision are rounded first.
    pub(crate) fn resized(self, height: usize, width: usize) -> Self {
        let shape = Shape::new(self.shape.channels, height, width);
        let store = match self.store {
            Store::Values(values) if shape != self.shape => Store::Values(resize(&values, self.shape, shape)),
            Store::Exact(exact) if shape != self.shape => {
                let values = exact.in_single(self.shape, 0..self.labels.len(), None);
                drop(exact);
                Store::Values(resize(&values, self.shape, shape))
            }
            store @ (Store::Values(_) | Store::Exact(_)) => store,
            Store::Pictures(mut pictures) => {
                pictures.shape = shape;
                Store::Pictures(pictures)
            }
        };
        Self { shape, store, labels: self.labels }
    }

    /// Scales all values, if there is a scale, and rounds them to single precision.
    pub(crate) fn scale(&mut self, scale: Option<&Standardisation>) {
        match (&mut self.store, scale) {
            (Store::Exact(exact), scale) => {
                let scale = scale.map(|scale| [&*scale.mean, &*scale.deviation]);
                self.store = Store::Values(exact.in_single(self.shape, 0..self.labels.len(), scale));
            }
            (Store::Values(values), Some(scale)) => scale.apply(self.shape, values),
            (Store::Pictures(pictures), Some(scale)) => pictures.scale = Some(scale.clone()),
            (Store::Values(_) | Store::Pictures(_), None) => {}
        }
    }

    /// Removes the samples at `indices`, which ascend without repetition, and returns them. Both keep their order.
    ///
    /// The rest is moved within its own memory: a second copy of a large training part could be too much.
    pub fn take_out(&mut self, indices: &[u32]) -> Self {
        let taken = self.pick(indices);
        let size = self.shape.len();
        let mut removed = indices.iter().map(|&index| index as usize).peekable();
        let mut kept = 0;
        for index in 0..self.len() {
            if removed.next_if_eq(&index).is_some() {
                continue;
            }
            match &mut self.store {
                Store::Values(values) => values.copy_within(index * size..(index + 1) * size, kept * size),
                Store::Exact(exact) => {
                    exact.values.copy_within(index * size..(index + 1) * size, kept * size);
                }
                Store::Pictures(pictures) => pictures.pictures.swap(index, kept),
            }
            self.labels[kept] = self.labels[index];
            kept += 1;
        }
        self.truncate(kept);
        taken
    }
}

fn gather<T: Copy>(values: &[T], size: usize, indices: &[u32], into: &mut Vec<T>) {
    for &index in indices {
        into.extend_from_slice(&values[index as usize * size..][..size]);
    }
}

/// The output of a reader: both parts in the order of their files.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub train: Samples,
    /// That of the files themselves.
    pub validation: Option<Samples>,
    pub test: Samples,
    pub classes: usize,
    /// The set is standardised whatever the experiment asks for, as iris is.
    pub standardise: bool,
    /// Samples that could not be read, and why.
    pub left_out: Vec<String>,
}

impl Parts {
    /// Makes whole parts, to be scaled as the experiment asks for.
    pub const fn new(train: Samples, test: Samples, classes: usize) -> Self {
        Self { train, validation: None, test, classes, standardise: false, left_out: Vec::new() }
    }
}

/// The data of a run: parts of one shape and with the same classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    pub train: Samples,
    pub validation: Samples,
    pub test: Samples,
    pub classes: usize,
    pub left_out: Vec<String>,
    /// Facts about a user's files, without labels: those are in the parts.
    pub details: Arc<Details>,
}

impl Dataset {
    pub fn shape(&self) -> Shape {
        self.train.shape
    }
}

/// Whole numbers beyond it are not all numbers in double precision.
pub(crate) const WHOLE: f64 = (1_u64 << 53) as f64;

/// Values in double precision.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exact {
    /// `[n, channels, height, width]`, row-major, each less the origin of its channel.
    pub values: Vec<f64>,
    /// The number that was subtracted from the values of each channel, `[channels]`: 0, except where whole numbers beyond
    /// 2⁵³ would lose their differences.
    pub origins: Vec<f64>,
}

impl Exact {
    /// Returns the values of some samples, scaled by the mean and the deviation of each channel and rounded to single
    /// precision.
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

    /// Counts the different values of a channel in double and in single precision.
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
    use crate::samples::*;

    #[test]
    fn a_shape_counts_values_of_a_sample_and_of_a_channel() {
        let shape = Shape::new(3, 4, 5);
        assert_eq!((shape.len(), shape.plane()), (60, 20));
        assert!(shape.is_image());
        assert!(!Shape::new(4, 1, 1).is_image());
    }
}

#[cfg(test)]
mod samples_tests {
    use super::*;

    /// Four samples of two values: sample i holds 10i and 10i + 1, and has label i.
    fn four() -> Samples {
        let values = vec![0.0, 1.0, 10.0, 11.0, 20.0, 21.0, 30.0, 31.0];
        Samples::new(Shape::new(1, 1, 2), values, vec![0, 1, 2, 3])
    }

    #[test]
    fn picking_follows_the_indices_and_may_repeat() {
        let picked = four().pick(&[3, 0, 3]);
        assert_eq!(picked.values().unwrap()[..], [30.0, 31.0, 0.0, 1.0, 30.0, 31.0]);
        assert_eq!(picked.labels, [3, 0, 3]);
    }

    #[test]
    fn the_first_samples_are_at_most_all() {
        assert_eq!(four().first(1).sample(0).unwrap()[..], [0.0, 1.0]);
        assert_eq!(four().first(9), four());
    }

    #[test]
    fn taking_out_keeps_the_order_of_both() {
        let mut rest = four();
        let taken = rest.take_out(&[0, 2]);
        assert_eq!(
            (taken.labels.as_slice(), &taken.sample(1).unwrap()[..]),
            (&[0, 2][..], &[20.0, 21.0][..])
        );
        assert_eq!(
            (rest.labels.as_slice(), &rest.values().unwrap()[..]),
            (&[1, 3][..], &[10.0, 11.0, 30.0, 31.0][..])
        );
    }

    #[test]
    fn taking_out_nothing_changes_nothing() {
        let mut rest = four();
        assert!(rest.take_out(&[]).is_empty());
        assert_eq!(rest, four());
    }
}

#[cfg(test)]
mod exact_tests {
    use crate::samples::*;
    use crate::{Samples, Standardisation};

    fn column(values: &[f64], origin: f64) -> Samples {
        let exact = Exact { values: values.to_vec(), origins: vec![origin] };
        Samples::exact(Shape::new(1, 1, 1), exact, vec![0; values.len()])
    }

    fn standardised(values: &[f64], origin: f64) -> Vec<f32> {
        let mut samples = column(values, origin);
        let scale = Standardisation::measure(&samples).unwrap().divisible();
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
