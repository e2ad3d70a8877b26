//! The datasets that a file can name. One is one file here, with its settings and what is known of it, and one line in
//! [`Data`]; its reader is a function beside, or shared.

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
                memory: f64 = $crate::error::DEFAULT_MEMORY, "Memory (GiB)", "Largest amount of memory that the samples may take; pictures that \
                    do not fit are decoded again whenever they are needed, other data are refused", unit "GiB", range [0.001, 4096.0];
            } hidden {
                /// The content of the files; runs keep it, experiment files do not.
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
                limit_train: Option<usize> = None, "Train on", "Maximum number of training samples, from the \
                    first", unit "samples", range [1, 1e9], unset "all";
                limit_test: Option<usize> = None, "Test on", "Maximum number of test samples, from the \
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
                    is_stratified: $crate::source::Source::is_stratified(self),
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

/// Files of a download that are kept as they are, from one folder of a server.
macro_rules! remotes {
    ($base:literal : $($name:literal $bytes:literal $sha256:literal;)+) => {
        &[$( Remote { url: concat!($base, $name), bytes: $bytes, sha256: $sha256, members: &[] } ),+]
    };
}

mod cifar10;
mod cifar100;
mod csv;
mod digits;
mod emnist;
mod fashion_mnist;
mod images;
mod iris;
mod kmnist;
mod mnist;
mod numpy;
mod svhn;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::error::DEFAULT_MEMORY;
use crate::{
    ClassNames, DataError, Dataset, Details, Digests, Found, KnownSet, Labels, Looked, Normalize, Options,
    Origin, Parts, Places, Shape, prepare,
};

form::registry! {
    /// The datasets that a file can name.
    pub enum Data: "Data", each Source {
        digits::Digits, "Digits (built in)", "1,797 handwritten digits of 8×8 pixels";
        iris::Iris, "Iris (built in)", "150 flowers with 4 measures, 3 classes";
        mnist::Mnist, "MNIST", "70,000 handwritten digits of 28×28 pixels";
        fashion_mnist::FashionMnist, "Fashion-MNIST", "70,000 pieces of clothing of 28×28 pixels";
        cifar10::Cifar10, "CIFAR-10", "60,000 photographs of 32×32 pixels in 10 classes";
        cifar100::Cifar100, "CIFAR-100", "60,000 photographs of 32×32 pixels in 100 classes";
        kmnist::Kmnist, "KMNIST", "70,000 Japanese signs of 28×28 pixels";
        emnist::Emnist, "EMNIST", "Handwritten digits and letters of 28×28 pixels";
        svhn::Svhn, "SVHN", "99,289 house numbers of 32×32 pixels";
        images::Images, "Folders of images", "Pictures in a folder for each class";
        csv::Csv, "Table (CSV)", "A table with one sample per line";
        numpy::Numpy, "NumPy arrays", "Arrays of samples and labels (.npz or .npy)";
    }
}

/// The settings that all datasets have; `dataset!` writes it.
pub trait Settings {
    /// Returns what is asked for on top of the reader.
    fn options(&self) -> Options;

    fn limit_train_mut(&mut self) -> &mut Option<usize>;

    fn normalize_mut(&mut self) -> &mut Normalize;

    /// Returns the files that it is read from, and the setting that names their folder; none for data inside the program.
    fn files(&self) -> Option<(&'static KnownSet, &Option<String>)> {
        None
    }

    fn dir_mut(&mut self) -> Option<&mut Option<String>> {
        None
    }

    /// Returns where data of the user are, and what was found there; none for known sets.
    fn user_data(&self) -> Option<UserData<'_>> {
        None
    }

    fn user_data_mut(&mut self) -> Option<UserDataMut<'_>> {
        None
    }
}

#[derive(Clone, Copy, Debug)]
pub struct UserData<'a> {
    /// Relative to the experiment file.
    pub path: &'a str,
    pub found: Option<&'a Found>,
}

pub struct UserDataMut<'a> {
    pub path: &'a mut String,
    pub found: &'a mut Option<Found>,
    /// GiB that the samples may take: no result depends on it.
    pub memory: &'a mut f64,
}

/// A dataset.
pub trait Source: Settings {
    /// Describes a known set; data of the user are looked at.
    fn original(&self) -> Option<Found> {
        None
    }

    /// Looks at data of the user at this path; other paths are relative to `base`.
    ///
    /// # Errors
    /// Those of reading, with the remedy.
    fn look(&self, path: &Path, base: &Path) -> Result<Looked, DataError> {
        let _ = (path, base);
        Ok(Looked::default())
    }

    /// Reads it, from this folder or file where it has one; other paths are relative to `base`.
    ///
    /// # Errors
    /// A missing, truncated or wrong file.
    fn read(&self, path: &Path, base: &Path) -> Result<Parts, DataError>;

    /// Returns the files and folders whose change may be another dataset at this path; what is in the folders is looked at
    /// as well.
    fn watched(&self, path: &Path, base: &Path) -> Vec<PathBuf> {
        let _ = base;
        vec![path.to_owned()]
    }

    /// Returns true if a validation part that is taken out keeps the shares of the classes.
    fn is_stratified(&self) -> bool {
        false
    }

    /// Forgets where files are that were found: no result depends on that.
    fn forget_files(&mut self) {}

    /// Says where the parts of a known set come from; for a user's data, it is in [`Details::split`].
    fn split(&self) -> &'static str {
        match (self.user_data(), self.files()) {
            (Some(_), _) => "",
            (None, Some(_)) => "the files of the set",
            (None, None) => "every fifth sample for testing",
        }
    }

    /// Returns true if images have the size that the network asks for, where the settings name none.
    fn fits_network(&self) -> bool {
        false
    }

    /// Names a setting that does not go with the others, and why.
    fn problem(&self) -> Option<(&'static str, String)> {
        None
    }
}

const TEN_DIGITS: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The facts of a dataset before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub shape: Shape,
    pub classes: usize,
    /// Those that are left to train on.
    pub train_samples: usize,
    pub validation_samples: usize,
    pub test_samples: usize,
}

/// The version of the readers of users' data. The first one had tables in single precision and did not stratify pictures.
const READER: usize = 1;
/// Digits of the digest of a user's data.
const DIGITS: usize = 16;

impl Data {
    /// Returns the content of the files: of a known set, or what was found.
    pub(crate) fn contents(&self) -> Option<Found> {
        self.found().cloned().or_else(|| self.rule().original())
    }

    /// Returns the names of the classes in the order of their labels, `[classes]`; none before the data of a user were
    /// looked at.
    pub fn class_names(&self) -> ClassNames {
        match self.rule().options().labels {
            Labels::Classes => self.contents().map(|found| found.classes).unwrap_or_default(),
            Labels::EvenOdd => ClassNames::known(&["even", "odd"]),
        }
    }

    /// Returns the image size that is set, or `side`, where the data fit the network.
    fn image_size(&self, side: Option<usize>) -> Option<usize> {
        let set = self.rule().options().image_size;
        set.or_else(|| side.filter(|_| self.rule().fits_network()))
    }

    pub fn normalize(&self) -> Normalize {
        self.rule().options().normalize
    }

    pub fn scaled(mut self, normalize: Normalize) -> Self {
        if let Some(rule) = self.rule_mut() {
            *rule.normalize_mut() = normalize;
        }
        self
    }

    /// Returns what is known before the data are read; `side` is what the network asks of small built-in images. None
    /// before the data of a user were looked at.
    pub fn facts(&self, side: Option<usize>) -> Option<Facts> {
        let found = self.contents()?;
        let (mut shape, train, test) = (found.shape(), found.train, found.test);
        let options = self.rule().options();
        if let Some(size) = self.image_size(side).filter(|_| shape.is_image()) {
            shape = Shape::new(shape.channels, size, size);
        }
        let train = options.limit_train.map_or(train, |limit| limit.min(train));
        let test_samples = options.limit_test.map_or(test, |limit| limit.min(test));
        let taken = options.validation.min(train);
        Some(Facts {
            shape,
            classes: self.class_names().len(),
            train_samples: train - taken,
            validation_samples: taken + found.validation,
            test_samples,
        })
    }

    /// Reads the data; a folder is relative to `base`.
    ///
    /// # Errors
    /// Those of reading, with the places of the search and the source of the data.
    pub fn read(&self, side: Option<usize>, base: &Path) -> Result<Dataset, DataError> {
        self.read_with(side, base, &Digests::open())
    }

    /// Reads the data with digests of files that are known already. What the settings say was found in the files must be
    /// there before they are read, and afterwards.
    ///
    /// # Errors
    /// As [`Self::read`], and files that change meanwhile.
    pub fn read_with(
        &self,
        side: Option<usize>,
        base: &Path,
        digests: &Digests,
    ) -> Result<Dataset, DataError> {
        let options = Options { image_size: self.image_size(side), ..self.rule().options() };
        let path = self.place(base)?.unwrap_or_default();
        let mut details = Details::default();
        if let Some(found) = self.found() {
            let looked = self.look(base, digests)?;
            if looked.as_ref().map(|looked| &looked.found) != Some(found) {
                return Err(DataError::changed(&path));
            }
            details = looked.unwrap_or_default().details;
            details.labels = Default::default(); // those of the samples remain
        }
        let parts = self.rule().read(&path, base)?;
        if let Some(found) = self.found()
            && !digests.content(&details.files)?.starts_with(&found.content)
        {
            return Err(DataError::changed(&path));
        }
        let dataset = prepare(parts, &options)?;
        Ok(Dataset { details: details.into(), ..dataset })
    }

    /// Returns how many training samples the files hold, and how many the original has, where the files that were read hold
    /// fewer than the settings ask for: CIFAR-10 may lack some of its five training files.
    pub fn shortage(&self, read: &Dataset) -> Option<(usize, usize)> {
        let whole = self.rule().original()?.train;
        let wanted = self.rule().options().limit_train.map_or(whole, |limit| limit.min(whole));
        let found = read.train.len() + read.validation.len();
        (found < wanted).then_some((found, whole))
    }

    /// Limits the training samples to so many.
    pub fn limited_to(&self, samples: usize) -> Self {
        let mut data = self.clone();
        let limit = data.rule_mut().expect("every dataset has settings").limit_train_mut();
        *limit = Some(limit.map_or(samples, |limit| limit.min(samples)));
        data
    }

    /// Names a setting that does not go with the others or with the data, and why.
    pub fn problem(&self) -> Option<(&'static str, String)> {
        let of_scaling = || {
            let channels = self.contents()?.shape().channels;
            Some(("normalize", self.rule().options().normalize.problem(channels)?))
        };
        self.rule().problem().or_else(of_scaling)
    }

    /// Returns the keys of settings that these data have no use for and that are not set: what to classify where classes are no
    /// numbers, the size of images where there are none.
    pub fn idle(&self) -> &'static [&'static str] {
        let options = self.rule().options();
        let found = self.contents();
        let is_even_or_odd = |name: &str| name.parse::<u64>().is_ok();
        let has_numbers = found.as_ref().is_none_or(|found| found.classes.iter().all(is_even_or_odd));
        let has_images = found.as_ref().is_none_or(|found| found.shape().is_image());
        match (has_numbers || options.labels != Labels::Classes, has_images || options.image_size.is_some()) {
            (true, true) => &[],
            (false, true) => &["labels"],
            (true, false) => &["image_size"],
            (false, false) => &["labels", "image_size"],
        }
    }

    /// Returns true if what the data are is known only from the user's files.
    pub fn needs_look(&self) -> bool {
        self.rule().user_data().is_some()
    }

    /// Looks at the files of a user's data, which may be slow; paths are relative to `base`. None for known sets.
    ///
    /// # Errors
    /// Those of reading, with the remedy.
    pub(crate) fn look(&self, base: &Path, digests: &Digests) -> Result<Option<Looked>, DataError> {
        if !self.needs_look() {
            return Ok(None);
        }
        self.check_files(base)?;
        let path = self.place(base)?.unwrap_or_default();
        let mut looked = self.rule().look(&path, base)?;
        let Looked { found, details } = &mut looked;
        digests.content(&details.files)?[..DIGITS].clone_into(&mut found.content);
        found.reader = READER;
        Ok(Some(looked))
    }

    /// Returns the files of a known set in this folder, by name; none for data of users and inside the program.
    pub(crate) fn set_files(&self, folder: &Path) -> Option<Vec<(String, PathBuf)>> {
        let (set, _) = self.files()?;
        let all = set.needed.iter().chain(set.optional);
        let there = all.filter_map(|name| Some(((*name).to_owned(), set.file(folder, name).ok()?)));
        Some(there.collect())
    }

    /// Returns the SHA-256 of the files of a known set, unpacked, in hexadecimal: of a line with digest and name for each. None
    /// for data of users and inside the program.
    ///
    /// # Errors
    /// A file that is not there or cannot be read.
    pub fn set_content(&self, base: &Path, digests: &Digests) -> Result<Option<String>, DataError> {
        let (Some((set, _)), Some(folder)) = (self.files(), self.place(base)?) else { return Ok(None) };
        set.check(&folder)?;
        digests.unpacked_content(&self.set_files(&folder).unwrap_or_default()).map(Some)
    }

    /// Returns what was found in the files of a user's data.
    pub fn found(&self) -> Option<&Found> {
        self.rule().user_data()?.found
    }

    /// Sets what was found in their files.
    pub fn with_found(&self, found: Option<Found>) -> Self {
        let mut data = self.clone();
        if let Some(user) = data.rule_mut().and_then(Settings::user_data_mut) {
            *user.found = found;
        }
        data
    }

    pub(crate) fn files(&self) -> Option<(&'static KnownSet, &Option<String>)> {
        self.rule().files()
    }

    /// Returns the datasets that can be downloaded, and from where.
    pub fn downloadable() -> Vec<(&'static KnownSet, Origin)> {
        let sets = Self::all().into_iter().filter_map(|data| data.files().map(|(set, _)| set));
        sets.filter_map(|set| Some((set, set.origin?))).collect()
    }

    pub fn origin(&self) -> Option<Origin> {
        self.files().and_then(|(set, _)| set.origin)
    }

    /// Returns true if the samples are in files: of a known set or of the user.
    pub fn is_in_files(&self) -> bool {
        self.needs_look() || self.files().is_some()
    }

    pub fn user_path(&self) -> Option<&str> {
        self.rule().user_data().map(|user| user.path)
    }

    /// Returns the names of the files that it is read from, which may also end with `.gz`; none for data inside the
    /// program.
    pub fn file_names(&self) -> &'static [&'static str] {
        self.files().map_or(&[], |(set, _)| set.needed)
    }

    /// Returns the name of a dataset that is read from files that others know.
    pub fn file_set(&self) -> Option<&'static str> {
        self.files().map(|(set, _)| set.name)
    }

    /// Names the data, in the middle of a sentence.
    pub fn name(&self) -> &'static str {
        self.file_set().unwrap_or(self.label())
    }

    /// Sets the folder or file of the data; none stands for the usual places.
    pub fn in_folder(mut self, folder: impl Into<Option<String>>) -> Self {
        let folder = folder.into();
        let Some(data) = self.rule_mut() else { return self };
        if let Some(dir) = data.dir_mut() {
            *dir = folder;
        } else if let Some(user) = data.user_data_mut() {
            *user.path = folder.unwrap_or_default();
            *user.found = None;
        }
        self
    }

    /// Returns the settings that a run's identity depends on: the same data wherever they are, and in any amount of memory.
    pub fn without_place(&self) -> Self {
        let mut data = self.clone().in_folder(None::<String>).with_found(self.found().cloned());
        if let Some(user) = data.rule_mut().and_then(Settings::user_data_mut) {
            *user.memory = DEFAULT_MEMORY;
        }
        if let Some(rule) = data.rule_mut() {
            rule.forget_files();
        }
        data
    }

    /// Returns the folder or file that the data are in, relative to `base` when it is named; none for data inside the
    /// program.
    ///
    /// # Errors
    /// When no folder is named and none of the usual ones holds the files.
    pub fn place(&self, base: &Path) -> Result<Option<PathBuf>, DataError> {
        if let Some(user) = self.rule().user_data() {
            return Ok(Some(base.join(user.path)));
        }
        let Some((set, dir)) = self.files() else { return Ok(None) };
        match dir {
            Some(dir) => Ok(Some(base.join(dir))),
            None => Places::from_env(base).find(set).map(Some),
        }
    }

    /// Checks that the files are there, without reading them.
    ///
    /// # Errors
    /// Every folder that was searched, and where to get the files.
    pub fn check_files(&self, base: &Path) -> Result<(), DataError> {
        let Some(path) = self.user_path() else {
            let (Some((set, _)), Some(folder)) = (self.files(), self.place(base)?) else { return Ok(()) };
            return set.check(&folder);
        };
        let key = self.key();
        if path.is_empty() {
            let problem = format!(
                "no file or folder is named; write its path, relative to the experiment: {key}(\"…\")"
            );
            return Err(DataError::setting(key, problem));
        }
        let path = base.join(path);
        path.metadata().map(drop).map_err(|source| DataError::NotThere { path, source })
    }
}
