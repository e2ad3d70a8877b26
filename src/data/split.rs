//! Parts that are taken out of others: for validation, and for testing where the files have no test part.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{DataError, Samples, shuffled};

/// Key of the stream that chooses validation samples: the same for all seeds, so that runs of an experiment validate on
/// the same samples.
const KEY: [u8; 32] = *b"weightlab validation samples v1\0";

/// Key of the stream that chooses test samples, the same for all experiments.
const TEST_KEY: [u8; 32] = *b"weightlab test samples v1\0\0\0\0\0\0\0";

/// Which of `len` samples are for validation: the first `count` of one fixed shuffle, ascending.
fn validation_indices(len: usize, count: usize) -> Vec<u32> {
    chosen(KEY, len, count)
}

/// Takes the share `test` of the samples out, for testing: the number is rounded, ties away from 0, and at least 1; which
/// ones are the first of one fixed shuffle. Both parts keep their order.
///
/// # Errors
/// When nothing would be left to train on.
pub fn take_test(all: &mut Samples, test: f64) -> Result<Samples, DataError> {
    let count = test_count(all.len(), test)?;
    Ok(all.take_out(&test_indices(all.len(), count)))
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

/// Which of `len` samples are for testing, ascending.
pub(super) fn test_indices(len: usize, count: usize) -> Vec<u32> {
    chosen(TEST_KEY, len, count)
}

/// The labels of the samples that stay for training, and of the `count` ones that are for testing.
pub(super) fn split_labels(labels: &[u32], count: usize) -> [Vec<u32>; 2] {
    let mut parts = [Vec::with_capacity(labels.len() - count), Vec::with_capacity(count)];
    let mut tested = test_indices(labels.len(), count).into_iter().peekable();
    for (index, label) in labels.iter().enumerate() {
        parts[usize::from(tested.next_if_eq(&(index as u32)).is_some())].push(*label);
    }
    parts
}

fn chosen(key: [u8; 32], len: usize, count: usize) -> Vec<u32> {
    let mut order = shuffled(len, &mut ChaCha8Rng::from_seed(key));
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Takes `count` samples out of the training part. Both keep their order.
///
/// # Errors
/// When nothing would be left to train on.
pub fn take_validation(train: &mut Samples, count: usize) -> Result<Samples, DataError> {
    if count >= train.len() && count > 0 {
        let problem = format!(
            "{count} of {} training samples would leave none to train on; take fewer, or raise limit_train",
            train.len()
        );
        return Err(DataError::Setting { setting: "validation", problem });
    }
    let indices = validation_indices(train.len(), count);
    Ok(train.take_out(&indices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;

    fn samples(count: u32) -> Samples {
        let values = (0..count).map(|value| value as f32).collect();
        Samples::new(Shape::new(1, 1, 1), values, (0..count).collect())
    }

    #[test]
    fn training_and_validation_share_nothing_and_lose_nothing() {
        let mut train = samples(100);
        let validation = take_validation(&mut train, 30).unwrap();
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
        assert_eq!(validation_indices(20, 5), [2, 6, 11, 17, 18]);
        let of_mnist = validation_indices(60_000, 5000);
        assert_eq!(of_mnist[..6], [7, 11, 13, 21, 25, 34]);
        assert_eq!(of_mnist.iter().sum::<u32>(), 149_065_008);
    }

    #[test]
    fn a_validation_part_must_leave_something_to_train_on() {
        let message = take_validation(&mut samples(10), 10).unwrap_err().to_string();
        assert!(message.contains("validation: 10 of 10"), "{message}");
        assert!(take_validation(&mut samples(10), 0).unwrap().is_empty());
    }
}
