//! Containers: samples with their labels, the parts that a reader yields, the data set that a run uses.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::exact::Exact;
use super::images::LazyPictures;
use super::{DataError, Details, Shape, Standardisation, resize};

/// Samples with their labels, in a fixed order.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    pub shape: Shape,
    store: Store,
    /// The class of each sample, `[n]`.
    pub labels: Vec<u32>,
}

/// Where the values of samples are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Store {
    /// In memory, `[n, channels, height, width]`, row-major.
    Values(Vec<f32>),
    /// In memory in double precision, before they are scaled.
    Exact(Exact),
    /// In files of pictures, which are decoded when they are needed.
    Pictures(LazyPictures),
}

impl Samples {
    /// # Panics
    /// When `values` does not hold exactly one sample for each label.
    pub fn new(shape: Shape, values: Vec<f32>, labels: Vec<u32>) -> Self {
        assert_eq!(values.len(), shape.len() * labels.len(), "one sample for each label");
        Self { shape, store: Store::Values(values), labels }
    }

    /// Values in double precision with their classes, one label for each sample.
    pub(super) fn exact(shape: Shape, values: Exact, labels: Vec<u32>) -> Self {
        assert_eq!(values.values.len(), shape.len() * labels.len(), "one sample for each label");
        Self { shape, store: Store::Exact(values), labels }
    }

    /// What was subtracted from the values of each channel, `[channels]`, of values in double precision.
    pub(super) fn origins(&self) -> Option<&[f64]> {
        match &self.store {
            Store::Exact(exact) => Some(&exact.origins),
            Store::Values(_) | Store::Pictures(_) => None,
        }
    }

    /// Says which of these channels, with what they are called, are too large for single precision as they are; nothing of
    /// values that are in it already.
    pub(super) fn coarse(&self, channels: impl Iterator<Item = (usize, String)>) -> Option<String> {
        match &self.store {
            Store::Exact(exact) => exact.note(self.shape, channels),
            Store::Values(_) | Store::Pictures(_) => None,
        }
    }

    /// Pictures with their classes, one label for each.
    pub(super) fn of_pictures(pictures: LazyPictures, labels: Vec<u32>) -> Self {
        Self { shape: pictures.shape(), store: Store::Pictures(pictures), labels }
    }

    /// Where the values are.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The values in single precision, to be changed in place; none where there are no such values.
    pub(super) fn in_memory(&mut self) -> &mut [f32] {
        match &mut self.store {
            Store::Values(values) => values,
            Store::Exact(_) | Store::Pictures(_) => &mut [],
        }
    }

    /// Whether some samples have to be read from files again whenever they are needed.
    pub fn is_streamed(&self) -> bool {
        match &self.store {
            Store::Values(_) | Store::Exact(_) => false,
            Store::Pictures(pictures) => pictures.is_streamed(),
        }
    }

    /// The values of all samples, `[n, channels, height, width]`, row-major.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn values(&self) -> Result<Cow<'_, [f32]>, DataError> {
        self.range(0..self.len())
    }

    /// The values of sample `index`, `[channels, height, width]`.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub fn sample(&self, index: usize) -> Result<Cow<'_, [f32]>, DataError> {
        self.range(index..index + 1)
    }

    /// The samples in order, `size` at a time: values, `[size, channels, height, width]`, and labels. Pictures are decoded
    /// when a batch is asked for.
    pub fn batches(&self, size: usize) -> impl Iterator<Item = Result<(Cow<'_, [f32]>, &[u32]), DataError>> {
        self.labels.chunks(size).enumerate().map(move |(number, labels)| {
            let first = number * size;
            Ok((self.range(first..first + labels.len())?, labels))
        })
    }

    /// The values of some samples in a row, `[range, channels, height, width]`.
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

    /// The first `count` samples, or all when there are fewer.
    pub fn first(&self, count: usize) -> Self {
        self.pick(&(0..count.min(self.len()) as u32).collect::<Vec<_>>())
    }

    /// The samples at `indices`, in that order; an index may repeat.
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
            Store::Pictures(pictures) => pictures.truncate(count),
        }
    }

    /// The same images in another size; those in double precision are rounded first.
    pub(super) fn resized(self, height: usize, width: usize) -> Self {
        let shape = Shape::new(self.shape.channels, height, width);
        let store = match self.store {
            Store::Values(values) if shape != self.shape => Store::Values(resize(&values, self.shape, shape)),
            Store::Exact(exact) if shape != self.shape => {
                let values = exact.in_single(self.shape, 0..self.labels.len(), None);
                drop(exact);
                Store::Values(resize(&values, self.shape, shape))
            }
            store @ (Store::Values(_) | Store::Exact(_)) => store,
            Store::Pictures(pictures) => Store::Pictures(pictures.resized(shape)),
        };
        Self { shape, store, labels: self.labels }
    }

    /// Scales all values, if there is a scale, and rounds them to single precision.
    pub(super) fn scale(&mut self, scale: Option<&Standardisation>) {
        match (&mut self.store, scale) {
            (Store::Exact(exact), scale) => {
                let scale = scale.map(|scale| [&*scale.mean, &*scale.deviation]);
                self.store = Store::Values(exact.in_single(self.shape, 0..self.labels.len(), scale));
            }
            (Store::Values(values), Some(scale)) => scale.apply(self.shape, values),
            (Store::Pictures(pictures), Some(scale)) => pictures.scale(scale),
            (Store::Values(_) | Store::Pictures(_), None) => {}
        }
    }

    /// Removes the samples at `indices`, which ascend without repetition, and returns them. Both keep their order.
    ///
    /// What stays is moved within its own memory: a second copy of a large training part could be too much.
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
                Store::Pictures(pictures) => pictures.swap(index, kept),
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

/// What a reader yields: both parts in the order of their files.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub train: Samples,
    /// The validation part that the files themselves have.
    pub validation: Option<Samples>,
    pub test: Samples,
    pub classes: usize,
    /// Whether the set is standardised whatever the experiment asks for, as iris is.
    pub standardise: bool,
    /// Whether a validation part that is taken out keeps the shares of the classes.
    pub is_stratified: bool,
    /// What could not be read and was left out, and why.
    pub left_out: Vec<String>,
}

impl Parts {
    /// Whole parts, to be scaled as the experiment asks for.
    pub const fn new(train: Samples, test: Samples, classes: usize) -> Self {
        Self {
            train,
            validation: None,
            test,
            classes,
            standardise: false,
            is_stratified: false,
            left_out: Vec::new(),
        }
    }
}

/// What a run uses: parts of one shape and with the same classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    pub train: Samples,
    /// Empty unless asked for.
    pub validation: Samples,
    pub test: Samples,
    pub classes: usize,
    /// What could not be read and was left out, and why.
    pub left_out: Vec<String>,
    /// What the source knows of a user's files, without labels: those are in the parts.
    pub details: Arc<Details>,
}

impl Dataset {
    /// The shape of one sample, the same in all parts.
    pub fn shape(&self) -> Shape {
        self.train.shape
    }
}

#[cfg(test)]
mod tests {
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
