//! Parts that are taken out of others: for validation, and for testing where the files have no test part.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{DataError, Samples, shuffled};

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

/// How many of `len` samples are for testing.
pub(super) fn test_count(len: usize, test: f64) -> Result<usize, DataError> {
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
///
/// # Errors
/// When nothing would be left to train on, or nothing to test on.
pub(super) fn stratified_test(labels: &[u32], test: f64) -> Result<Vec<u32>, DataError> {
    let count = test_count(labels.len(), test)?;
    let quotas = quotas(labels, count);
    let count = quotas.iter().sum();
    if count == 0 {
        let problem = "no class has a second sample, which could be for testing; add samples, or a test part";
        return Err(DataError::setting("test", problem));
    }
    Ok(stratified(TEST_KEY, labels, quotas, count))
}

/// The labels of the samples that stay for training, and of the `count` ones that are for testing.
pub(super) fn split_labels(labels: &[u32], count: usize) -> [Vec<u32>; 2] {
    parted(labels.iter().copied(), &chosen(TEST_KEY, labels.len(), count))
}

/// Returns what stays of these items, and those at ascending indices. Both keep their order.
pub(super) fn parted<T>(all: impl IntoIterator<Item = T>, taken: &[u32]) -> [Vec<T>; 2] {
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
        return Err(DataError::Setting { setting: "validation", problem });
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::Shape;

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
