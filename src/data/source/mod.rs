//! The datasets that a file can name. One is one file here, with its settings and what is known of it, and one line in
//! [`Data`]; its reader is a function beside, or shared.

use std::path::{Path, PathBuf};

use super::{DataError, Found, KnownSet, Looked, Normalize, Options, Parts, Shape};

/// Declares the settings of a dataset: those that all datasets share; a folder where a known set is read from files; the
/// path of data of the user's, what was found there, and how much memory they may take.
macro_rules! dataset {
    ($(#[$meta:meta])* $name:ident : $title:literal) => {
        dataset! { @all $(#[$meta])* $name : $title, normalize None {} hidden {} }
    };
    ($(#[$meta:meta])* $name:ident : $title:literal, files of $this:ident => $set:expr $(, { $($own:tt)* })?) => {
        dataset! { @all $(#[$meta])* $name : $title, normalize None {
                dir: Option<String> = None, "Folder", "Folder of the files, relative to the experiment \
                    file; default: the usual places", names Folder, unset "the usual places";
                $($($own)*)?
            } hidden {}
            fn files(&self) -> Option<(&'static $crate::KnownSet, &Option<String>)> {
                let $this = self;
                Some(($set, &$this.dir))
            }
            fn dir_mut(&mut self) -> Option<&mut Option<String>> {
                Some(&mut self.dir)
            }
        }
    };
    ($(#[$meta:meta])* $name:ident : $title:literal, files $set:ident $(, { $($own:tt)* })?) => {
        dataset! { $(#[$meta])* $name : $title, files of this => &$set $(, { $($own)* })? }
    };
    ($(#[$meta:meta])* $name:ident : $title:literal, in $path:ident $label:literal, $help:literal, $names:ident,
        normalize $normalize:ident { $($own:tt)* }) => {
        dataset! { @all $(#[$meta])* $name : $title, normalize $normalize {
                $path: String = String::new(), $label, $help, names $names;
                $($own)*
                memory: f64 = $crate::memory::DEFAULT, "Memory", "Largest amount of memory that the samples may take; pictures that \
                    do not fit are decoded again whenever they are needed, other data are refused", unit "GiB", range [0.001, 4096.0];
            } hidden {
                /// What the program found in the files; runs keep it, experiment files do not.
                found: Option<$crate::Found> = None;
            }
            fn user_data(&self) -> Option<$crate::source::UserData<'_>> {
                Some($crate::source::UserData { path: &self.$path, found: self.found.as_ref() })
            }
            fn user_data_mut(&mut self) -> Option<$crate::source::UserDataMut<'_>> {
                let Self { $path: path, found, memory, .. } = self;
                Some($crate::source::UserDataMut { path, found, memory })
            }
        }
    };
    (@all $(#[$meta:meta])* $name:ident : $title:literal, normalize $normalize:ident { $($own:tt)* } hidden { $($hidden:tt)* }
        $($place:item)*) => {
        form::form! {
            $(#[$meta])*
            pub struct $name: $title {
                $($own)*
                labels: $crate::Labels = $crate::Labels::Classes, "Labels", "What to classify";
                image_size: Option<usize> = None, "Image size", "Resizes images to this side; default: no \
                    resizing, but 32 for digits in a VGG", unit "pixels", range [1, 512], unset "original size";
                validation: usize = 0, "Validation", "Samples held out from the training part, the same for \
                    all seeds", unit "samples", range [0, 1e9];
                limit_train: Option<usize> = None, "Training samples", "Maximum number of samples, from the \
                    first", unit "samples", range [1, 1e9], unset "all";
                limit_test: Option<usize> = None, "Test samples", "Maximum number of samples, from the \
                    first", unit "samples", range [1, 1e9], unset "all";
                normalize: $crate::Normalize = $crate::Normalize::$normalize, "Normalization", "How values are scaled";
            } hidden { $($hidden)* }
        }
        impl $crate::source::Settings for $name {
            fn options(&self) -> $crate::Options {
                $crate::Options {
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
            fn normalize_mut(&mut self) -> &mut $crate::Normalize {
                &mut self.normalize
            }
            $($place)*
        }
    };
}

mod cifar10;
mod cifar100;
mod csv;
mod digits;
mod emnist;
mod facts;
mod fashion_mnist;
mod images;
mod iris;
mod kmnist;
mod mnist;
mod numpy;
mod svhn;

pub use cifar10::Cifar10;
pub use cifar100::Cifar100;
pub use csv::Csv;
pub use digits::Digits;
pub use emnist::{Emnist, EmnistSplit};
pub use facts::Facts;
pub use fashion_mnist::FashionMnist;
pub use images::{Damaged, Images};
pub use iris::Iris;
pub use kmnist::Kmnist;
pub use mnist::Mnist;
#[cfg(test)]
pub use numpy::ChannelAxis;
pub use numpy::Numpy;
pub use svhn::Svhn;

form::choice! {
    /// The datasets that a file can name.
    pub enum Data: "Data", each Source {
        Digits(Digits) = Digits::default(), "Digits (built in)", "1,797 handwritten digits of 8×8 pixels";
        Iris(Iris) = Iris::default(), "Iris (built in)", "150 flowers with 4 measures, 3 classes";
        Mnist(Mnist) = Mnist::default(), "MNIST", "70,000 handwritten digits of 28×28 pixels";
        FashionMnist(FashionMnist) = FashionMnist::default(), "Fashion-MNIST", "70,000 pieces of clothing of 28×28 pixels";
        Cifar10(Cifar10) = Cifar10::default(), "CIFAR-10", "60,000 photographs of 32×32 pixels in 10 classes";
        Cifar100(Cifar100) = Cifar100::default(), "CIFAR-100", "60,000 photographs of 32×32 pixels in 100 classes";
        Kmnist(Kmnist) = Kmnist::default(), "KMNIST", "70,000 Japanese signs of 28×28 pixels";
        Emnist(Emnist) = Emnist::default(), "EMNIST", "Handwritten digits and letters of 28×28 pixels";
        Svhn(Svhn) = Svhn::default(), "SVHN", "99,289 house numbers of 32×32 pixels";
        Images(Images) = Images::default(), "Folders of images", "Pictures in a folder for each class";
        Csv(Csv) = Csv::default(), "Table (CSV)", "A table with one sample per line";
        Numpy(Numpy) = Numpy::default(), "NumPy arrays", "Arrays of samples and labels (.npz or .npy)";
    }
}

/// What the settings of all datasets have in common; `dataset!` writes it.
pub trait Settings {
    /// What is asked for on top of the reader.
    fn options(&self) -> Options;

    /// Of how many training samples the first are taken.
    fn limit_train_mut(&mut self) -> &mut Option<usize>;

    /// How values are scaled, to be changed.
    fn normalize_mut(&mut self) -> &mut Normalize;

    /// The files that it is read from, and the setting that names their folder; none for data inside the program.
    fn files(&self) -> Option<(&'static KnownSet, &Option<String>)> {
        None
    }

    /// The setting that names the folder, to be changed.
    fn dir_mut(&mut self) -> Option<&mut Option<String>> {
        None
    }

    /// Where data of the user are, and what was found there; none for known sets.
    fn user_data(&self) -> Option<UserData<'_>> {
        None
    }

    /// The same, to be changed.
    fn user_data_mut(&mut self) -> Option<UserDataMut<'_>> {
        None
    }
}

/// Where data of the user are.
#[derive(Clone, Copy, Debug)]
pub struct UserData<'a> {
    /// The file or folder, relative to the experiment file.
    pub path: &'a str,
    /// What was found there.
    pub found: Option<&'a Found>,
}

/// Where data of the user are, to be changed.
pub struct UserDataMut<'a> {
    /// The file or folder.
    pub path: &'a mut String,
    /// What was found there.
    pub found: &'a mut Option<Found>,
    /// GiB that the samples may take: no result depends on it.
    pub memory: &'a mut f64,
}

/// A dataset.
pub trait Source: Settings {
    /// What is known of a known set; data of the user are looked at.
    fn original(&self) -> Option<Original> {
        None
    }

    /// Looks at data of the user at this path; other paths are relative to `base`.
    ///
    /// # Errors
    /// What cannot be read, and what to do about it.
    fn look(&self, path: &Path, base: &Path) -> Result<Looked, DataError> {
        let _ = (path, base);
        Ok(Looked::default())
    }

    /// Reads it, from this folder or file where it has one; other paths are relative to `base`.
    ///
    /// # Errors
    /// A missing, truncated or wrong file.
    fn read(&self, path: &Path, base: &Path) -> Result<Parts, DataError>;

    /// The files and folders whose change may be another dataset at this path; what is in the folders is looked at as well.
    fn watched(&self, path: &Path, base: &Path) -> Vec<PathBuf> {
        let _ = base;
        vec![path.to_owned()]
    }

    /// Whether a validation part that is taken out keeps the shares of the classes.
    fn is_stratified(&self) -> bool {
        false
    }

    /// Forgets where files are that were found: no result depends on that.
    fn forget_files(&mut self) {}

    /// Where the parts of a known set come from; for a user's data, it is in [`Details::split`](super::Details::split).
    fn split(&self) -> &'static str {
        if self.user_data().is_some() { "" } else { "the files of the set" }
    }

    /// Whether images have the size that the network asks for, where the settings name none.
    fn fits_network(&self) -> bool {
        false
    }

    /// A setting that does not go with the others, and why.
    fn problem(&self) -> Option<(&'static str, String)> {
        None
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

/// Where the parts of data inside the program come from.
const EVERY_FIFTH: &str = "every fifth sample for testing";

/// Names of ten digits.
const TEN_DIGITS: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

#[cfg(test)]
mod tests;
