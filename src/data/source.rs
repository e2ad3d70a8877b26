//! The datasets that a file can name. A new one is a reader in a file of its own, and one line in [`Data`].

use std::path::{Path, PathBuf};

use super::{
    CIFAR10, DataError, Dataset, FASHION_MNIST, KnownSet, Labels, MNIST, Normalize, Options, Parts, Places,
    Shape,
};
use super::{cifar10, digits, fashion_mnist, iris, mnist, prepare};

/// Declares the settings of a dataset: its own ones, then those that all datasets share.
macro_rules! dataset {
    ($(#[$meta:meta])* $name:ident : $title:literal { $($own:tt)* }) => {
        crate::form! {
            $(#[$meta])*
            pub struct $name: $title {
                $($own)*
                labels: Labels = Labels::Classes, "Labels", "What is to be told apart";
                image_size: Option<usize> = None, "Image size", "Images are resized to this side; left out: as they are, digits 32 for a VGG", unit "pixels", range [1, 512];
                validation: usize = 0, "Validation", "Samples taken out of the training part, the same ones for all seeds", unit "samples", range [0, 1e9];
                limit_train: Option<usize> = None, "Training samples", "Only the first so many", unit "samples", range [1, 1e9];
                limit_test: Option<usize> = None, "Test samples", "Only the first so many", unit "samples", range [1, 1e9];
                normalize: Normalize = Normalize::None, "Normalisation", "How values are scaled";
            }
        }
        impl $name {
            fn options(&self) -> Options {
                Options {
                    validation: self.validation,
                    limit_train: self.limit_train,
                    limit_test: self.limit_test,
                    image_size: self.image_size,
                    labels: self.labels.clone(),
                    normalize: self.normalize.clone(),
                }
            }
        }
    };
}

dataset! {
    /// Settings of UCI's handwritten digits.
    Digits: "Digits" {}
}
dataset! {
    /// Settings of Fisher's iris flowers.
    Iris: "Iris" {}
}
dataset! {
    /// Settings of MNIST.
    Mnist: "MNIST" {
        dir: Option<String> = None, "Folder", "Where the files are; relative to the experiment's file. Left out: the usual places";
    }
}
dataset! {
    /// Settings of Fashion-MNIST.
    FashionMnist: "Fashion-MNIST" {
        dir: Option<String> = None, "Folder", "Where the files are; relative to the experiment's file. Left out: the usual places";
    }
}
dataset! {
    /// Settings of CIFAR-10.
    Cifar10: "CIFAR-10" {
        dir: Option<String> = None, "Folder", "Where the files are; relative to the experiment's file. Left out: the usual places";
    }
}

crate::choice! {
    /// The datasets that a file can name.
    pub enum Data: "Data" {
        Digits(Digits) = Digits::default(), "Digits (built in)", "1,797 handwritten digits of 8×8 pixels";
        Iris(Iris) = Iris::default(), "Iris (built in)", "150 flowers with 4 measures, 3 classes";
        Mnist(Mnist) = Mnist::default(), "MNIST", "70,000 handwritten digits of 28×28 pixels";
        FashionMnist(FashionMnist) = FashionMnist::default(), "Fashion-MNIST", "70,000 pieces of clothing of 28×28 pixels";
        Cifar10(Cifar10) = Cifar10::default(), "CIFAR-10", "60,000 photographs of 32×32 pixels in 10 classes";
    }
}

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
    /// The settings that all datasets share.
    fn options(&self) -> Options {
        match self {
            Self::Digits(settings) => settings.options(),
            Self::Iris(settings) => settings.options(),
            Self::Mnist(settings) => settings.options(),
            Self::FashionMnist(settings) => settings.options(),
            Self::Cifar10(settings) => settings.options(),
        }
    }

    /// What is to be told apart.
    pub(super) const fn labels(&self) -> &Labels {
        match self {
            Self::Digits(settings) => &settings.labels,
            Self::Iris(settings) => &settings.labels,
            Self::Mnist(settings) => &settings.labels,
            Self::FashionMnist(settings) => &settings.labels,
            Self::Cifar10(settings) => &settings.labels,
        }
    }

    /// Shape, classes and size of the original.
    const fn original(&self) -> (Shape, usize, usize, usize) {
        match self {
            Self::Digits(_) => (Shape::new(1, 8, 8), 10, 1437, 360),
            Self::Iris(_) => (Shape::new(4, 1, 1), 3, 120, 30),
            Self::Mnist(_) | Self::FashionMnist(_) => (Shape::new(1, 28, 28), 10, 60_000, 10_000),
            Self::Cifar10(_) => (Shape::new(3, 32, 32), 10, 50_000, 10_000),
        }
    }

    /// The image size that holds: the one that is set, or `side` for digits.
    fn image_size(&self, side: Option<usize>) -> Option<usize> {
        let set = self.options().image_size;
        if matches!(self, Self::Digits(_)) { set.or(side) } else { set }
    }

    /// What is known before the data are read; `side` is what the network asks of small built-in images.
    pub fn facts(&self, side: Option<usize>) -> Facts {
        let (mut shape, mut classes, train, test) = self.original();
        let options = self.options();
        if let Some(size) = self.image_size(side).filter(|_| shape.is_image()) {
            shape = Shape::new(shape.channels, size, size);
        }
        if options.labels == Labels::EvenOdd {
            classes = 2;
        }
        let train = options.limit_train.map_or(train, |limit| limit.min(train));
        let test_samples = options.limit_test.map_or(test, |limit| limit.min(test));
        let validation_samples = options.validation.min(train);
        Facts { shape, classes, train_samples: train - validation_samples, validation_samples, test_samples }
    }

    /// Reads the data; a folder is relative to `base`.
    ///
    /// # Errors
    /// What cannot be read, where it was looked for, and where to get it.
    pub fn read(&self, side: Option<usize>, base: &Path) -> Result<Dataset, DataError> {
        let options = Options { image_size: self.image_size(side), ..self.options() };
        prepare(self.parts(base)?, &options)
    }

    /// How many training samples the files hold, and how many the original has, where the files that were read hold fewer
    /// than the settings ask for: CIFAR-10 may lack some of its five training files.
    pub fn shortage(&self, read: &Dataset) -> Option<(usize, usize)> {
        let (_, _, whole, _) = self.original();
        let wanted = self.options().limit_train.map_or(whole, |limit| limit.min(whole));
        let found = read.train.len() + read.validation.len();
        (found < wanted).then_some((found, whole))
    }

    /// The same settings for `samples` training samples at most.
    pub fn limited_to(&self, samples: usize) -> Self {
        let mut data = self.clone();
        let limit = match &mut data {
            Self::Digits(settings) => &mut settings.limit_train,
            Self::Iris(settings) => &mut settings.limit_train,
            Self::Mnist(settings) => &mut settings.limit_train,
            Self::FashionMnist(settings) => &mut settings.limit_train,
            Self::Cifar10(settings) => &mut settings.limit_train,
        };
        *limit = Some(limit.map_or(samples, |limit| limit.min(samples)));
        data
    }

    /// The files of the dataset, and the setting that names their folder; none for data inside the program.
    pub(super) const fn files(&self) -> Option<(&'static KnownSet, &Option<String>)> {
        match self {
            Self::Digits(_) | Self::Iris(_) => None,
            Self::Mnist(settings) => Some((&MNIST, &settings.dir)),
            Self::FashionMnist(settings) => Some((&FASHION_MNIST, &settings.dir)),
            Self::Cifar10(settings) => Some((&CIFAR10, &settings.dir)),
        }
    }

    /// What people call the dataset, where it is read from files.
    pub fn file_set(&self) -> Option<&'static str> {
        self.files().map(|(set, _)| set.name)
    }

    const fn dir_mut(&mut self) -> Option<&mut Option<String>> {
        match self {
            Self::Digits(_) | Self::Iris(_) => None,
            Self::Mnist(Mnist { dir, .. })
            | Self::FashionMnist(FashionMnist { dir, .. })
            | Self::Cifar10(Cifar10 { dir, .. }) => Some(dir),
        }
    }

    /// The same settings for files in this folder.
    pub fn in_folder(mut self, folder: String) -> Self {
        if let Some(dir) = self.dir_mut() {
            *dir = Some(folder);
        }
        self
    }

    /// The folder that the files are in, relative to `base` when it is named; none for data inside the program.
    ///
    /// # Errors
    /// When no folder is named and none of the usual ones holds the files.
    pub fn place(&self, base: &Path) -> Result<Option<PathBuf>, DataError> {
        self.files().map(|(set, dir)| folder(dir.as_deref(), base, set)).transpose()
    }

    /// Looks whether the files are there, without reading them.
    ///
    /// # Errors
    /// Every folder that was looked into, and where to get the files.
    pub fn look(&self, base: &Path) -> Result<(), DataError> {
        self.files().map_or(Ok(()), |(set, dir)| set.look(&folder(dir.as_deref(), base, set)?))
    }

    fn parts(&self, base: &Path) -> Result<Parts, DataError> {
        match self {
            Self::Digits(_) => Ok(digits()),
            Self::Iris(_) => Ok(iris()),
            Self::Mnist(Mnist { dir, .. }) => mnist(&folder(dir.as_deref(), base, &MNIST)?),
            Self::FashionMnist(FashionMnist { dir, .. }) => {
                fashion_mnist(&folder(dir.as_deref(), base, &FASHION_MNIST)?)
            }
            Self::Cifar10(Cifar10 { dir, .. }) => cifar10(&folder(dir.as_deref(), base, &CIFAR10)?),
        }
    }

    /// The same data wherever they are: the settings that a run's identity depends on.
    pub fn without_place(&self) -> Self {
        let mut data = self.clone();
        if let Some(dir) = data.dir_mut() {
            *dir = None;
        }
        data
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
}
