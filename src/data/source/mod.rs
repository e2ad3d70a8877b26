//! The datasets that a file can name. One is one file here, with its settings and what is known of it, and one line in
//! [`Data`]; its reader is a function beside, or shared.

use std::path::{Path, PathBuf};

use super::{DataError, Dataset, KnownSet, Labels, Options, Origin, Parts, Places, Shape, prepare};

/// Declares the settings of a dataset: those that all datasets share, and a folder where it is read from files.
macro_rules! dataset {
    ($(#[$meta:meta])* $name:ident : $title:literal) => {
        dataset! { $(#[$meta])* $name : $title {} }
    };
    ($(#[$meta:meta])* $name:ident : $title:literal, files $set:expr) => {
        dataset! { $(#[$meta])* $name : $title {
                dir: Option<String> = None, "Folder", "Folder of the files, relative to the experiment \
                    file; default: the usual places", names Folder, unset "the usual places";
            }
            fn files(&self) -> Option<(&'static $crate::data::KnownSet, &Option<String>)> {
                Some((&$set, &self.dir))
            }
            fn dir_mut(&mut self) -> Option<&mut Option<String>> {
                Some(&mut self.dir)
            }
        }
    };
    ($(#[$meta:meta])* $name:ident : $title:literal { $($own:tt)* } $($place:item)*) => {
        $crate::form! {
            $(#[$meta])*
            pub struct $name: $title {
                $($own)*
                labels: $crate::data::Labels = $crate::data::Labels::Classes, "Labels", "What to classify";
                image_size: Option<usize> = None, "Image size", "Resizes images to this side; default: no \
                    resizing, but 32 for digits in a VGG", unit "pixels", range [1, 512], unset "original size";
                validation: usize = 0, "Validation", "Samples held out from the training part, the same for \
                    all seeds", unit "samples", range [0, 1e9];
                limit_train: Option<usize> = None, "Training samples", "Maximum number of samples, from the \
                    first", unit "samples", range [1, 1e9], unset "all";
                limit_test: Option<usize> = None, "Test samples", "Maximum number of samples, from the \
                    first", unit "samples", range [1, 1e9], unset "all";
                normalize: $crate::data::Normalize = $crate::data::Normalize::None, "Normalization", "How values are scaled";
            }
        }
        impl $crate::data::source::Settings for $name {
            fn options(&self) -> $crate::data::Options {
                $crate::data::Options {
                    validation: self.validation,
                    limit_train: self.limit_train,
                    limit_test: self.limit_test,
                    image_size: self.image_size,
                    labels: self.labels.clone(),
                    normalize: self.normalize.clone(),
                }
            }
            fn limit_train_mut(&mut self) -> &mut Option<usize> {
                &mut self.limit_train
            }
            $($place)*
        }
    };
}

mod cifar10;
mod digits;
mod fashion_mnist;
mod iris;
mod mnist;

pub use cifar10::Cifar10;
pub use digits::Digits;
pub use fashion_mnist::FashionMnist;
pub use iris::Iris;
pub use mnist::Mnist;

crate::choice! {
    /// The datasets that a file can name.
    pub enum Data: "Data", each Source {
        Digits(Digits) = Digits::default(), "Digits (built in)", "1,797 handwritten digits of 8×8 pixels";
        Iris(Iris) = Iris::default(), "Iris (built in)", "150 flowers with 4 measures, 3 classes";
        Mnist(Mnist) = Mnist::default(), "MNIST", "70,000 handwritten digits of 28×28 pixels";
        FashionMnist(FashionMnist) = FashionMnist::default(), "Fashion-MNIST", "70,000 pieces of clothing of 28×28 pixels";
        Cifar10(Cifar10) = Cifar10::default(), "CIFAR-10", "60,000 photographs of 32×32 pixels in 10 classes";
    }
}

/// What the settings of all datasets have in common; `dataset!` writes it.
pub trait Settings {
    /// What is asked for on top of the reader.
    fn options(&self) -> Options;

    /// Of how many training samples the first are taken.
    fn limit_train_mut(&mut self) -> &mut Option<usize>;

    /// The files that it is read from, and the setting that names their folder; none for data inside the program.
    fn files(&self) -> Option<(&'static KnownSet, &Option<String>)> {
        None
    }

    /// The setting that names the folder, to be changed.
    fn dir_mut(&mut self) -> Option<&mut Option<String>> {
        None
    }
}

/// A dataset.
pub trait Source: Settings {
    /// What is known of the original.
    fn original(&self) -> Original;

    /// Reads it, from this folder where it has files.
    ///
    /// # Errors
    /// A missing, truncated or wrong file.
    fn read(&self, folder: &Path) -> Result<Parts, DataError>;

    /// Whether images have the size that the network asks for, where the settings name none.
    fn fits_network(&self) -> bool {
        false
    }
}

/// What is known of a dataset as others know it.
pub struct Original {
    /// Shape of one sample.
    pub shape: Shape,
    /// Names of the classes, in the order of their labels.
    pub classes: &'static [&'static str],
    /// Size of the training part.
    pub train: usize,
    /// Size of the test part.
    pub test: usize,
}

/// Names of ten digits.
const TEN_DIGITS: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// What is known of a dataset before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Shape of one sample.
    pub shape: Shape,
    /// Number of classes.
    pub classes: usize,
    /// Size of the training part that is left to train on.
    pub train_samples: usize,
    /// Size of the validation part.
    pub validation_samples: usize,
    /// Size of the test part.
    pub test_samples: usize,
}

impl Data {
    /// The names of the classes in the order of their labels, `[classes]`.
    pub fn class_names(&self) -> &'static [&'static str] {
        match self.rule().options().labels {
            Labels::Classes => self.rule().original().classes,
            Labels::EvenOdd => &["even", "odd"],
        }
    }

    /// The image size that applies: the one that is set, or `side`, where the data fit the network.
    fn image_size(&self, side: Option<usize>) -> Option<usize> {
        let set = self.rule().options().image_size;
        set.or_else(|| side.filter(|_| self.rule().fits_network()))
    }

    /// What is known before the data are read; `side` is what the network asks of small built-in images.
    pub fn facts(&self, side: Option<usize>) -> Facts {
        let Original { mut shape, classes: _, train, test } = self.rule().original();
        let options = self.rule().options();
        if let Some(size) = self.image_size(side).filter(|_| shape.is_image()) {
            shape = Shape::new(shape.channels, size, size);
        }
        let train = options.limit_train.map_or(train, |limit| limit.min(train));
        let test_samples = options.limit_test.map_or(test, |limit| limit.min(test));
        let validation_samples = options.validation.min(train);
        Facts {
            shape,
            classes: self.class_names().len(),
            train_samples: train - validation_samples,
            validation_samples,
            test_samples,
        }
    }

    /// Reads the data; a folder is relative to `base`.
    ///
    /// # Errors
    /// What cannot be read, where it was looked for, and where to get it.
    pub fn read(&self, side: Option<usize>, base: &Path) -> Result<Dataset, DataError> {
        let options = Options { image_size: self.image_size(side), ..self.rule().options() };
        let parts = self.rule().read(&self.place(base)?.unwrap_or_default())?;
        prepare(parts, &options)
    }

    /// How many training samples the files hold, and how many the original has, where the files that were read hold fewer
    /// than the settings ask for: CIFAR-10 may lack some of its five training files.
    pub fn shortage(&self, read: &Dataset) -> Option<(usize, usize)> {
        let whole = self.rule().original().train;
        let wanted = self.rule().options().limit_train.map_or(whole, |limit| limit.min(whole));
        let found = read.train.len() + read.validation.len();
        (found < wanted).then_some((found, whole))
    }

    /// The same settings for `samples` training samples at most.
    pub fn limited_to(&self, samples: usize) -> Self {
        let mut data = self.clone();
        let limit = data.rule_mut().expect("every dataset has settings").limit_train_mut();
        *limit = Some(limit.map_or(samples, |limit| limit.min(samples)));
        data
    }

    /// The files of the dataset, and the setting that names their folder; none for data inside the program.
    pub(super) fn files(&self) -> Option<(&'static KnownSet, &Option<String>)> {
        self.rule().files()
    }

    /// The datasets that can be downloaded, and from where.
    pub fn downloadable() -> Vec<(&'static KnownSet, Origin)> {
        let sets = Self::all().into_iter().filter_map(|data| data.files().map(|(set, _)| set));
        sets.filter_map(|set| Some((set, set.origin?))).collect()
    }

    /// Whether its files can be downloaded.
    pub fn is_downloadable(&self) -> bool {
        self.files().is_some_and(|(set, _)| set.origin.is_some())
    }

    /// The names of the files that it is read from, which may also end with `.gz`; none for data inside the program.
    pub fn file_names(&self) -> &'static [&'static str] {
        self.files().map_or(&[], |(set, _)| set.needed)
    }

    /// What people call the dataset, where it is read from files.
    pub fn file_set(&self) -> Option<&'static str> {
        self.files().map(|(set, _)| set.name)
    }

    fn in_place(mut self, folder: Option<String>) -> Self {
        if let Some(dir) = self.rule_mut().and_then(|data| data.dir_mut()) {
            *dir = folder;
        }
        self
    }

    /// The same settings for files in this folder.
    pub fn in_folder(self, folder: String) -> Self {
        self.in_place(Some(folder))
    }

    /// The same data wherever they are: the settings that a run's identity depends on.
    pub fn without_place(&self) -> Self {
        self.clone().in_place(None)
    }

    /// The folder that the files are in, relative to `base` when it is named; none for data inside the program.
    ///
    /// # Errors
    /// When no folder is named and none of the usual ones holds the files.
    pub fn place(&self, base: &Path) -> Result<Option<PathBuf>, DataError> {
        self.files().map(|(set, dir)| folder(dir.as_deref(), base, set)).transpose()
    }

    /// Checks that the files are there, without reading them.
    ///
    /// # Errors
    /// Every folder that was searched, and where to get the files.
    pub fn check_files(&self, base: &Path) -> Result<(), DataError> {
        self.files().map_or(Ok(()), |(set, dir)| set.check(&folder(dir.as_deref(), base, set)?))
    }
}

/// The folder that is named, or the first of the usual places that holds the files.
fn folder(named: Option<&str>, base: &Path, set: &KnownSet) -> Result<PathBuf, DataError> {
    match named {
        Some(dir) => Ok(base.join(dir)),
        None => Places::from_env(base).find(set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_what_the_files_lack_of_what_is_asked_for() {
        let data = Data::Digits(Digits { validation: 100, ..Digits::default() });
        let mut read = data.read(None, Path::new(".")).unwrap();
        assert_eq!(data.shortage(&read), None);
        read.train.truncate(400);
        assert_eq!(data.shortage(&read), Some((500, 1437)));
        assert_eq!(data.limited_to(500).shortage(&read), None);
        assert_eq!(data.limited_to(500).facts(None).train_samples, 400);
        assert_eq!(data.limited_to(500).limited_to(600), data.limited_to(500));
    }

    #[test]
    fn every_class_has_a_name_of_its_own() {
        let odd = Digits { labels: Labels::EvenOdd, ..Digits::default() };
        for data in Data::all().into_iter().chain([Data::Digits(odd)]) {
            let names: std::collections::BTreeSet<_> = data.class_names().iter().collect();
            assert_eq!(names.len(), data.facts(None).classes, "{data:?}");
        }
    }
}
