//! From the parts of a reader to the data set that a run uses.

use std::sync::Arc;

use super::{DataError, Dataset, Normalize, Parts, Samples, take_validation};

form::choice! {
    /// What is to be told apart.
    pub enum Labels: "Labels" {
        Classes, "Classes", "The classes of the data";
        EvenOdd, "Even against odd", "Whether the number of the class is even (0) or odd (1)";
    }
}

/// What an experiment asks for on top of a reader.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Samples that are taken out of the training part for validation.
    pub validation: usize,
    /// The training part is its first so many samples; the validation part is taken out of these.
    pub limit_train: Option<usize>,
    /// The test part is its first so many samples.
    pub limit_test: Option<usize>,
    /// Side of the images.
    pub image_size: Option<usize>,
    /// What is to be told apart.
    pub labels: Labels,
    /// How values are scaled.
    pub normalize: Normalize,
}

/// Applies limits, takes the validation part out, resizes, standardises by what is left for training, and relabels.
///
/// # Errors
/// When nothing would be left to train on, or data without pixels are to be resized.
pub fn prepare(parts: Parts, options: &Options) -> Result<Dataset, DataError> {
    let Parts { mut train, validation, mut test, mut classes, standardise, is_stratified, left_out } = parts;
    train.truncate(options.limit_train.unwrap_or(usize::MAX).min(train.len()));
    test.truncate(options.limit_test.unwrap_or(usize::MAX).min(test.len()));
    check_one_validation(options.validation, validation.is_some())?;
    let validation = match validation {
        Some(own) => own,
        None => take_validation(&mut train, options.validation, is_stratified)?,
    };
    let mut all = [train, validation, test];
    if let Some(size) = options.image_size {
        if !all[0].shape.is_image() {
            let problem = "these data are not images; remove it".to_owned();
            return Err(DataError::Setting { setting: "image_size", problem });
        }
        all = all.map(|part| part.resized(size, size));
    }
    let scale = options.normalize.scale(&all[0], standardise)?;
    for part in &mut all {
        part.scale(scale.as_ref());
    }
    if options.labels == Labels::EvenOdd {
        all.iter_mut().for_each(even_odd);
        classes = 2;
    }
    let [train, validation, test] = all;
    Ok(Dataset { train, validation, test, classes, left_out, details: Arc::default() })
}

/// That no validation part is asked for where the files have their own.
pub(super) fn check_one_validation(asked: usize, has_own: bool) -> Result<(), DataError> {
    if asked > 0 && has_own {
        return Err(DataError::setting(
            "validation",
            "the files have a validation part of their own; remove it",
        ));
    }
    Ok(())
}

fn even_odd(part: &mut Samples) {
    part.labels.iter_mut().for_each(|label| *label %= 2);
}

#[cfg(test)]
mod tests {
    use super::super::{Standardisation, digits, iris};
    use super::*;

    const PLAIN: Options = Options {
        validation: 0,
        limit_train: None,
        limit_test: None,
        image_size: None,
        labels: Labels::Classes,
        normalize: Normalize::None,
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
        let standard = Standardisation::of(&data.train).unwrap();
        assert!(standard.mean.iter().all(|mean| mean.abs() < 1e-5), "{standard:?}");
        assert!(standard.deviation.iter().all(|deviation| (deviation - 1.0).abs() < 1e-5));
        assert!(prepare(iris(), &Options { image_size: Some(8), ..PLAIN }).is_err());
    }
}
