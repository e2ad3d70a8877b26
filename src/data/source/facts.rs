//! What is known of data before they are read, where they are, and how they are read.

use std::path::{Path, PathBuf};

use super::{Data, Original};
use crate::found::check_unchanged;
use crate::memory;
use crate::{
    ClassNames, DataError, Dataset, Details, Digests, Found, KnownSet, Labels, Looked, Normalize, Options,
    Origin, Places, Shape, prepare,
};

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

/// The version of the readers of users' data. The first one had tables in single precision and did not stratify pictures.
const READER: usize = 1;
/// Digits of the digest of a user's data.
const DIGITS: usize = 16;

impl Data {
    /// What the files hold: of a known set, or what was found.
    pub(crate) fn contents(&self) -> Option<Found> {
        let known = |original: Original| {
            let Original { shape, classes, train, test } = original;
            let shape = [shape.channels, shape.height, shape.width];
            Found { shape, classes: ClassNames::known(classes), train, test, ..Found::default() }
        };
        self.found().cloned().or_else(|| self.rule().original().map(known))
    }

    /// The names of the classes in the order of their labels, `[classes]`; none before the data of a user were looked at.
    pub fn class_names(&self) -> ClassNames {
        match self.rule().options().labels {
            Labels::Classes => self.contents().map(|found| found.classes).unwrap_or_default(),
            Labels::EvenOdd => ClassNames::known(&["even", "odd"]),
        }
    }

    /// The image size that applies: the one that is set, or `side`, where the data fit the network.
    fn image_size(&self, side: Option<usize>) -> Option<usize> {
        let set = self.rule().options().image_size;
        set.or_else(|| side.filter(|_| self.rule().fits_network()))
    }

    /// How values are scaled.
    pub fn normalize(&self) -> Normalize {
        self.rule().options().normalize
    }

    /// The same data with their values scaled like this.
    pub fn scaled(mut self, normalize: Normalize) -> Self {
        if let Some(rule) = self.rule_mut() {
            *rule.normalize_mut() = normalize;
        }
        self
    }

    /// What is known before the data are read; `side` is what the network asks of small built-in images. Nothing before
    /// the data of a user were looked at.
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
    /// What cannot be read, where it was looked for, and where to get it.
    pub fn read(&self, side: Option<usize>, base: &Path) -> Result<Dataset, DataError> {
        self.read_with(side, base, &Digests::open())
    }

    /// As [`Self::read`], with digests of files that are known already. What the settings say was found in the files must be
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
            let looked = self.look_with(base, digests)?;
            check_unchanged(found, looked.as_ref().map(|looked| &looked.found), &path)?;
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

    /// How many training samples the files hold, and how many the original has, where the files that were read hold fewer
    /// than the settings ask for: CIFAR-10 may lack some of its five training files.
    pub fn shortage(&self, read: &Dataset) -> Option<(usize, usize)> {
        let whole = self.rule().original()?.train;
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

    /// A setting that does not go with the others or with the data, and why.
    pub fn problem(&self) -> Option<(&'static str, String)> {
        let of_scaling = || {
            let channels = self.contents()?.shape().channels;
            Some(("normalize", self.rule().options().normalize.problem(channels)?))
        };
        self.rule().problem().or_else(of_scaling)
    }

    /// Whether what the data are is known only from the user's files.
    pub fn needs_look(&self) -> bool {
        self.rule().user_data().is_some()
    }

    /// Looks at the files of a user's data, which may be slow; paths are relative to `base`. Nothing for known sets.
    ///
    /// # Errors
    /// What cannot be read, and what to do about it.
    pub fn look(&self, base: &Path) -> Result<Option<Looked>, DataError> {
        self.look_with(base, &Digests::open())
    }

    /// As [`Self::look`], with digests of files that are known already.
    pub(crate) fn look_with(&self, base: &Path, digests: &Digests) -> Result<Option<Looked>, DataError> {
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

    /// The files of a known set in this folder, by name; none for data of users and inside the program.
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
        let Some((set, dir)) = self.files() else { return Ok(None) };
        let folder = folder(dir.as_deref(), base, set)?;
        set.check(&folder)?;
        digests.unpacked_content(&self.set_files(&folder).unwrap_or_default()).map(Some)
    }

    /// What was found in the files of a user's data.
    pub fn found(&self) -> Option<&Found> {
        self.rule().user_data()?.found
    }

    /// The same settings with this found in their files.
    pub fn with_found(&self, found: Option<Found>) -> Self {
        let mut data = self.clone();
        if let Some(user) = data.rule_mut().and_then(super::Settings::user_data_mut) {
            *user.found = found;
        }
        data
    }

    /// The files of the dataset, and the setting that names their folder; none for data inside the program and of users.
    pub(crate) fn files(&self) -> Option<(&'static KnownSet, &Option<String>)> {
        self.rule().files()
    }

    /// The datasets that can be downloaded, and from where.
    pub fn downloadable() -> Vec<(&'static KnownSet, Origin)> {
        let sets = Self::all().into_iter().filter_map(|data| data.files().map(|(set, _)| set));
        sets.filter_map(|set| Some((set, set.origin?))).collect()
    }

    /// Where its files can be downloaded from.
    pub fn origin(&self) -> Option<Origin> {
        self.files().and_then(|(set, _)| set.origin)
    }

    /// Whether its files can be downloaded.
    pub fn is_downloadable(&self) -> bool {
        self.origin().is_some()
    }

    /// Returns true if the samples are in files: of a known set or of the user.
    pub fn is_in_files(&self) -> bool {
        self.needs_look() || self.files().is_some()
    }

    /// The path of data of the user, as the settings name it.
    pub fn user_path(&self) -> Option<&str> {
        self.rule().user_data().map(|user| user.path)
    }

    /// Whether the samples are files of the user's own.
    pub fn is_of_user(&self) -> bool {
        self.rule().user_data().is_some()
    }

    /// The names of the files that it is read from, which may also end with `.gz`; none for data inside the program.
    pub fn file_names(&self) -> &'static [&'static str] {
        self.files().map_or(&[], |(set, _)| set.needed)
    }

    /// What people call the dataset, where it is read from files that others know.
    pub fn file_set(&self) -> Option<&'static str> {
        self.files().map(|(set, _)| set.name)
    }

    /// What people call the data, in the middle of a sentence.
    pub fn name(&self) -> &'static str {
        self.file_set().unwrap_or(self.label())
    }

    fn in_place(mut self, path: Option<String>) -> Self {
        let Some(data) = self.rule_mut() else { return self };
        if let Some(dir) = data.dir_mut() {
            *dir = path;
        } else if let Some(user) = data.user_data_mut() {
            *user.path = path.unwrap_or_default();
            *user.found = None;
        }
        self
    }

    /// The same settings for files in this folder, or for this file.
    pub fn in_folder(self, folder: String) -> Self {
        self.in_place(Some(folder))
    }

    /// The same data wherever they are, and in any amount of memory: the settings that a run's identity depends on.
    pub fn without_place(&self) -> Self {
        let mut data = self.clone().in_place(None).with_found(self.found().cloned());
        if let Some(user) = data.rule_mut().and_then(super::Settings::user_data_mut) {
            *user.memory = memory::DEFAULT;
        }
        if let Some(rule) = data.rule_mut() {
            rule.forget_files();
        }
        data
    }

    /// The folder or file that the data are in, relative to `base` when it is named; none for data inside the program.
    ///
    /// # Errors
    /// When no folder is named and none of the usual ones holds the files.
    pub fn place(&self, base: &Path) -> Result<Option<PathBuf>, DataError> {
        if let Some(user) = self.rule().user_data() {
            return Ok(Some(base.join(user.path)));
        }
        self.files().map(|(set, dir)| folder(dir.as_deref(), base, set)).transpose()
    }

    /// Checks that the files are there, without reading them.
    ///
    /// # Errors
    /// Every folder that was searched, and where to get the files.
    pub fn check_files(&self, base: &Path) -> Result<(), DataError> {
        if let Some(user) = self.rule().user_data() {
            return check_path(user.path, base, self.key());
        }
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

/// That the file or folder of a user's data is there.
fn check_path(path: &str, base: &Path, key: &'static str) -> Result<(), DataError> {
    if path.is_empty() {
        let problem =
            format!("no file or folder is named; write its path, relative to the experiment: {key}(\"…\")");
        return Err(DataError::Setting { setting: key, problem });
    }
    let path = base.join(path);
    match path.metadata() {
        Ok(_) => Ok(()),
        Err(source) => Err(DataError::NotThere { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digits;

    #[test]
    fn a_shortage_is_what_the_files_lack_of_what_is_asked_for() {
        let data = Data::Digits(Digits { validation: 100, ..Digits::default() });
        let mut read = data.read(None, Path::new(".")).unwrap();
        assert_eq!(data.shortage(&read), None);
        read.train.truncate(400);
        assert_eq!(data.shortage(&read), Some((500, 1437)));
        assert_eq!(data.limited_to(500).shortage(&read), None);
        assert_eq!(data.limited_to(500).facts(None).unwrap().train_samples, 400);
        assert_eq!(data.limited_to(500).limited_to(600), data.limited_to(500));
    }

    #[test]
    fn every_class_has_a_name_of_its_own() {
        let odd = Digits { labels: Labels::EvenOdd, ..Digits::default() };
        for data in Data::all().into_iter().chain([Data::Digits(odd)]) {
            let names = data.class_names();
            let distinct: std::collections::BTreeSet<_> = names.iter().collect();
            let known = data.facts(None).map_or(0, |facts| facts.classes);
            assert_eq!(distinct.len(), known, "{data:?}");
            assert_eq!(known == 0, data.needs_look());
        }
    }
}
