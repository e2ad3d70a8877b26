//! From the parts of a reader to the data set that a run uses: limits, parts that are taken out of others, sizes of images.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{DataError, Dataset, Normalize, Parts, Samples, Shape, shuffled};

form::choice! {
    /// The kind of labels.
    pub enum Labels: "Labels" {
        Classes, "Classes", "The classes of the data";
        EvenOdd, "Even against odd", "Whether the number of the class is even (0) or odd (1)";
    }
}

/// Demands of an experiment on top of a reader.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Samples that are taken out of the training part.
    pub validation: usize,
    /// The first so many samples; the validation part is taken out of these.
    pub limit_train: Option<usize>,
    pub limit_test: Option<usize>,
    pub image_size: Option<usize>,
    pub labels: Labels,
    pub normalize: Normalize,
    /// A validation part that is taken out keeps the shares of the classes.
    pub is_stratified: bool,
}

/// Applies limits, takes the validation part out, resizes, standardises by what is left for training, and relabels.
///
/// # Errors
/// When nothing would be left to train on, or data without pixels are to be resized.
pub fn prepare(parts: Parts, options: &Options) -> Result<Dataset, DataError> {
    let Parts { mut train, validation, mut test, mut classes, standardise, left_out } = parts;
    train.truncate(options.limit_train.unwrap_or(usize::MAX).min(train.len()));
    test.truncate(options.limit_test.unwrap_or(usize::MAX).min(test.len()));
    check_one_validation(options.validation, validation.is_some())?;
    let validation = match validation {
        Some(own) => own,
        None => take_validation(&mut train, options.validation, options.is_stratified)?,
    };
    let mut all = [train, validation, test];
    if let Some(size) = options.image_size {
        if !all[0].shape.is_image() {
            return Err(DataError::setting("image_size", "these data are not images; remove it"));
        }
        all = all.map(|part| part.resized(size, size));
    }
    let scale = options.normalize.scale(&all[0], standardise)?;
    for part in &mut all {
        part.scale(scale.as_ref());
    }
    if options.labels == Labels::EvenOdd {
        all.iter_mut().flat_map(|part| &mut part.labels).for_each(|label| *label %= 2);
        classes = 2;
    }
    let [train, validation, test] = all;
    Ok(Dataset { train, validation, test, classes, left_out, details: Arc::default() })
}

/// Refuses a validation part that is asked for where the files have their own.
pub(crate) fn check_one_validation(asked: usize, has_own: bool) -> Result<(), DataError> {
    if asked > 0 && has_own {
        return Err(DataError::setting(
            "validation",
            "the files have a validation part of their own; remove it",
        ));
    }
    Ok(())
}

/// Key of the stream that chooses validation samples: the same for all seeds, so that runs of an experiment validate on
/// the same samples.
const KEY: [u8; 32] = *b"weightlab validation samples v1\0";

/// Key of the stream that chooses test samples, the same for all experiments.
const TEST_KEY: [u8; 32] = *b"weightlab test samples v1\0\0\0\0\0\0\0";

/// Takes the share `test` of the samples out, for testing: the number is rounded, ties away from 0, and at least 1; which
/// ones are the first of one fixed shuffle. Both parts keep their order.
///
/// # Errors
/// When nothing would be left to train on.
pub fn take_test(all: &mut Samples, test: f64) -> Result<Samples, DataError> {
    let count = test_count(all.len(), test)?;
    Ok(all.take_out(&chosen(TEST_KEY, all.len(), count)))
}

/// Returns how many of `len` samples are for testing: a rounded share, and at least 1.
pub(crate) fn test_count(len: usize, test: f64) -> Result<usize, DataError> {
    let count = ((len as f64 * test).round() as usize).max(1);
    if count >= len {
        let problem = format!(
            "{count} of {len} samples for testing would leave none to train on; take a smaller share"
        );
        return Err(DataError::setting("test", problem));
    }
    Ok(count)
}

/// Returns which samples of these classes are for testing, ascending, where each class keeps its share. Each keeps a sample for
/// training.
pub(crate) fn stratified_test(labels: &[u32], test: f64) -> Result<Vec<u32>, DataError> {
    let count = test_count(labels.len(), test)?;
    let quotas = quotas(labels, count);
    let count = quotas.iter().sum();
    if count == 0 {
        let problem = "no class has a second sample, which could be for testing; add samples, or a test part";
        return Err(DataError::setting("test", problem));
    }
    Ok(stratified(TEST_KEY, labels, quotas, count))
}

/// Returns the labels of the samples that stay for training, and of the `count` ones that are for testing.
pub(crate) fn split_labels(labels: &[u32], count: usize) -> [Vec<u32>; 2] {
    parted(labels.iter().copied(), &chosen(TEST_KEY, labels.len(), count))
}

/// Returns what stays of these items, and those at ascending indices. Both keep their order.
pub(crate) fn parted<T>(all: impl IntoIterator<Item = T>, taken: &[u32]) -> [Vec<T>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    let mut taken = taken.iter().copied().peekable();
    for (index, item) in (0_u32..).zip(all) {
        parts[usize::from(taken.next_if_eq(&index).is_some())].push(item);
    }
    parts
}

/// Returns the first `count` samples of one fixed shuffle, ascending.
fn chosen(key: [u8; 32], len: usize, count: usize) -> Vec<u32> {
    let mut order = shuffled(len, &mut ChaCha8Rng::from_seed(key));
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Returns `count` samples, ascending: of one fixed shuffle, the first of each class up to its quota, then, where all quotas
/// together are fewer, the first of the others.
fn stratified(key: [u8; 32], labels: &[u32], quotas: Vec<usize>, count: usize) -> Vec<u32> {
    let mut left = quotas;
    let order = shuffled(labels.len(), &mut ChaCha8Rng::from_seed(key));
    let (mut taken, others): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|index| {
        let left = &mut left[labels[*index as usize] as usize];
        let is_taken = *left > 0;
        *left -= usize::from(is_taken);
        is_taken
    });
    let more = count - taken.len();
    taken.extend(&others[..more]);
    taken.sort_unstable();
    taken
}

/// Returns of each class how many of `count` samples it gives, by the largest remainders: ⌊count · size / all⌋, and one more for
/// those with the largest remainders of that division, the first of equal ones, until there are `count`. A class keeps one
/// sample at least.
fn quotas(labels: &[u32], count: usize) -> Vec<usize> {
    let classes = labels.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sizes = vec![0_usize; classes];
    for label in labels {
        sizes[*label as usize] += 1;
    }
    let all = labels.len().max(1);
    let mut quotas: Vec<usize> = sizes.iter().map(|size| count * size / all).collect();
    let mut order: Vec<usize> = (0..classes).collect();
    order.sort_by_key(|class| std::cmp::Reverse(count * sizes[*class] % all));
    let more = count - quotas.iter().sum::<usize>();
    let may_give = |class: &&usize| quotas[**class] + 1 < sizes[**class];
    let giving: Vec<usize> = order.iter().filter(may_give).take(more).copied().collect();
    for class in giving {
        quotas[class] += 1;
    }
    quotas
}

/// Takes `count` samples out of the training part; with `is_stratified`, each class gives its share. Both keep their order.
///
/// # Errors
/// When nothing would be left to train on.
pub fn take_validation(train: &mut Samples, count: usize, is_stratified: bool) -> Result<Samples, DataError> {
    if count >= train.len() && count > 0 {
        let problem = format!(
            "{count} of {} training samples would leave none to train on; take fewer, or raise limit_train",
            train.len()
        );
        return Err(DataError::setting("validation", problem));
    }
    if count == 0 {
        return Ok(train.pick(&[]));
    }
    let labels = &train.labels;
    let indices = if is_stratified {
        stratified(KEY, labels, quotas(labels, count), count)
    } else {
        chosen(KEY, labels.len(), count)
    };
    Ok(train.take_out(&indices))
}

/// Resizes images, channel by channel, bilinear with half-pixel centres.
///
/// Output pixel i reads the input coordinate (i + ½)·in/out − ½, clamped to the image: what
/// `torch.nn.functional.interpolate(mode="bilinear", align_corners=False)` does.
pub(crate) fn resize(values: &[f32], old: Shape, new: Shape) -> Vec<f32> {
    let rows = taps(old.height, new.height);
    let columns = taps(old.width, new.width);
    let mut resized = Vec::with_capacity(values.len() / old.plane() * new.plane());
    for plane in values.chunks_exact(old.plane()) {
        for &Tap { first: top, second: bottom, share: down } in &rows {
            for &Tap { first: left, second: right, share: across } in &columns {
                let at = |row: usize, column: usize| plane[row * old.width + column];
                let above = at(top, left) * (1.0 - across) + at(top, right) * across;
                let below = at(bottom, left) * (1.0 - across) + at(bottom, right) * across;
                resized.push(above * (1.0 - down) + below * down);
            }
        }
    }
    resized
}

/// Two input positions, and the share of the second in an output position.
struct Tap {
    first: usize,
    second: usize,
    share: f32,
}

fn taps(input: usize, output: usize) -> Vec<Tap> {
    let scale = input as f32 / output as f32;
    let tap = |position: usize| {
        let centre = ((position as f32 + 0.5) * scale - 0.5).max(0.0);
        let first = (centre as usize).min(input - 1);
        Tap { first, second: (first + 1).min(input - 1), share: centre - first as f32 }
    };
    (0..output).map(tap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Standardisation, digits, iris};

    const PLAIN: Options = Options {
        validation: 0,
        limit_train: None,
        limit_test: None,
        image_size: None,
        labels: Labels::Classes,
        normalize: Normalize::None,
        is_stratified: false,
    };

    #[test]
    fn limits_come_before_validation() {
        let options = Options { validation: 20, limit_train: Some(100), limit_test: Some(7), ..PLAIN };
        let data = prepare(digits(), &options).unwrap();
        assert_eq!((data.train.len(), data.validation.len(), data.test.len()), (80, 20, 7));
    }

    #[test]
    fn digits_grow_to_the_size_of_a_vgg_and_test_images_keep_their_order() {
        let data = prepare(digits(), &Options { image_size: Some(32), ..PLAIN }).unwrap();
        assert_eq!(data.shape().len(), 1024);
        assert_eq!(data.test.labels, digits().test.labels);
    }

    #[test]
    fn even_against_odd_has_two_classes() {
        let data = prepare(digits(), &Options { labels: Labels::EvenOdd, ..PLAIN }).unwrap();
        assert_eq!(data.classes, 2);
        assert!(data.train.labels.iter().zip(digits().train.labels).all(|(new, old)| *new == old % 2));
    }

    #[test]
    fn iris_is_standardized_by_its_training_part() {
        let data = prepare(iris(), &PLAIN).unwrap();
        let standard = Standardisation::measure(&data.train).unwrap();
        assert!(standard.mean.iter().all(|mean| mean.abs() < 1e-5), "{standard:?}");
        assert!(standard.deviation.iter().all(|deviation| (deviation - 1.0).abs() < 1e-5));
        assert!(prepare(iris(), &Options { image_size: Some(8), ..PLAIN }).is_err());
    }
}

#[cfg(test)]
mod split_tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use crate::Shape;
    use crate::prepare::*;

    fn samples(count: u32) -> Samples {
        let values = (0..count).map(|value| value as f32).collect();
        Samples::new(Shape::new(1, 1, 1), values, (0..count).collect())
    }

    #[test]
    fn training_and_validation_share_nothing_and_lose_nothing() {
        let mut train = samples(100);
        let validation = take_validation(&mut train, 30, false).unwrap();
        assert_eq!((train.len(), validation.len()), (70, 30));
        assert!(validation.labels.is_sorted() && train.labels.is_sorted());
        let mut all = [train.labels, validation.labels].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..100));
    }

    #[test]
    fn labels_are_split_as_samples_are() {
        let mut train = samples(50);
        let test = take_test(&mut train, 0.2).unwrap();
        assert_eq!(split_labels(&samples(50).labels, 10), [train.labels, test.labels]);
    }

    #[test]
    fn the_choice_stays_the_one_that_another_program_makes() {
        // ChaCha8 and the rules of `shuffled`, written out in Python.
        assert_eq!(chosen(KEY, 20, 5), [2, 6, 11, 17, 18]);
        let of_mnist = chosen(KEY, 60_000, 5000);
        assert_eq!(of_mnist[..6], [7, 11, 13, 21, 25, 34]);
        assert_eq!(of_mnist.iter().sum::<u32>(), 149_065_008);
    }

    #[test]
    fn a_validation_part_must_leave_something_to_train_on() {
        let message = take_validation(&mut samples(10), 10, false).unwrap_err().to_string();
        assert!(message.contains("validation: 10 of 10"), "{message}");
        assert!(take_validation(&mut samples(10), 0, false).unwrap().is_empty());
    }

    /// Classes of samples: so many of the first, of the second and so on.
    fn classes(sizes: &[usize]) -> Vec<u32> {
        (0..).zip(sizes).flat_map(|(class, size)| std::iter::repeat_n(class, *size)).collect()
    }

    #[test]
    fn classes_keep_their_shares_as_another_program_computes_them() {
        // ChaCha8, `shuffled` and the rules of `quotas` and `stratified`, written out in Python.
        assert_eq!(stratified_test(&classes(&[10, 7, 3]), 0.2).unwrap(), [1, 9, 14, 18]);
        assert_eq!(stratified_test(&classes(&[1, 2, 1, 5]), 0.5).unwrap(), [1, 4, 6, 7]);
        let many = classes(&(0..100).map(|class| 100 + 7 * class).collect::<Vec<_>>());
        let test = stratified_test(&many, 0.2).unwrap();
        assert_eq!((test.len(), test.iter().sum::<u32>()), (8930, 199_401_147));
        assert_eq!(test[..8], [0, 1, 6, 18, 19, 29, 30, 33]);
        let validation = |sizes: &[usize], count| {
            let labels = classes(sizes);
            let values = (0..labels.len()).map(|value| value as f32).collect();
            let mut train = Samples::new(Shape::new(1, 1, 1), values, labels);
            take_validation(&mut train, count, true).unwrap().values().unwrap().to_vec()
        };
        assert_eq!(validation(&[10, 7, 3], 6), [2.0, 5.0, 6.0, 11.0, 15.0, 18.0]);
        // The number that is asked for counts more than what classes keep.
        assert_eq!(validation(&[1, 2, 1, 5], 7), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    }

    #[test]
    fn every_class_keeps_a_sample_for_training_and_gives_its_share() {
        let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new(config)
            .run(&(prop::collection::vec(0_usize..40, 2..9), 0.001..0.999), |(sizes, share)| {
                let labels = classes(&sizes);
                let Ok(test) = stratified_test(&labels, share) else { return Ok(()) };
                prop_assert!(test.is_sorted_by(|a, b| a < b));
                let count = test_count(labels.len(), share).unwrap();
                for (class, &size) in (0..).zip(&sizes) {
                    let given = test.iter().filter(|&&index| labels[index as usize] == class).count();
                    let exact = count * size / labels.len();
                    prop_assert!(given == exact || given == exact + 1);
                    prop_assert!(size == 0 || given < size);
                }
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn classes_of_one_sample_cannot_be_split() {
        let message = stratified_test(&[0, 1, 2], 0.3).unwrap_err().to_string();
        assert!(message.contains("no class has a second sample"), "{message}");
    }
}

#[cfg(test)]
mod resize_tests {
    use crate::prepare::*;

    #[test]
    fn two_pixels_become_four_as_torch_has_them() {
        assert_eq!(resize(&[0.0, 4.0], Shape::new(1, 1, 2), Shape::new(1, 1, 4)), [0.0, 1.0, 3.0, 4.0]);
    }

    #[test]
    fn a_square_becomes_smaller_by_averaging_its_middle() {
        let values: Vec<f32> = (0..16u8).map(f32::from).collect();
        assert_eq!(resize(&values, Shape::new(1, 4, 4), Shape::new(1, 2, 2)), [2.5, 4.5, 10.5, 12.5]);
    }

    #[test]
    fn the_same_size_changes_nothing() {
        let (shape, values) = (Shape::new(1, 2, 2), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(resize(&values, shape, shape), values);
    }
}
