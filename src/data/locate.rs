//! Where datasets are, when an experiment names no folder.

use std::path::{Path, PathBuf};

use super::DataError;
use super::Origin;
use super::error::Tried;

/// Names the folder that is searched first.
pub const DATA_VARIABLE: &str = "WEIGHTLAB_DATA";

/// A dataset in a folder.
#[derive(Clone, Copy, Debug)]
pub struct KnownSet {
    /// Its name in messages.
    pub name: &'static str,
    /// Files that must be there, without `.gz`.
    pub needed: &'static [&'static str],
    /// Files that are read where they are there.
    pub optional: &'static [&'static str],
    /// Folders that tools put it into, below their data folder.
    pub folders: &'static [&'static str],
    /// Where to get it, and how to name it.
    pub remedy: &'static str,
    /// How its training labels begin, where other sets have files of the same names.
    pub first_labels: &'static [u32],
    /// Where it can be downloaded from.
    pub origin: Option<Origin>,
}

impl KnownSet {
    /// The folder that a download makes: below the first of these places that there is.
    pub fn download_folder(&self, places: &Places) -> PathBuf {
        let home = || places.home.as_ref().map(|home| home.join("data"));
        let root = places.data.clone().or_else(home).unwrap_or_else(|| places.base.join("data"));
        root.join(self.folders[0])
    }

    /// The file of this name in a folder, raw or gzip, also with torchvision's dot for the first hyphen before `idx`.
    /// Burn keeps the training files in a folder `train` below it and the test files in `test`.
    ///
    /// # Errors
    /// When it is not there.
    pub fn file(&self, folder: &Path, name: &str) -> Result<PathBuf, DataError> {
        path_in(folder, name).ok_or_else(|| self.missing(vec![self.search(folder)]))
    }

    /// Checks that a folder holds all needed files.
    ///
    /// # Errors
    /// When one is not there.
    pub fn check(&self, folder: &Path) -> Result<(), DataError> {
        let searched = self.search(folder);
        if searched.missing.is_empty() { Ok(()) } else { Err(self.missing(vec![searched])) }
    }

    /// The folder that holds all needed files: this one, or one of those below it that tools put them into.
    pub(super) fn folder_at(&self, path: &Path) -> Option<PathBuf> {
        let below = self.folders.iter().map(|folder| path.join(folder));
        std::iter::once(path.to_owned()).chain(below).find(|folder| self.check(folder).is_ok())
    }

    /// Whether this is one of the needed files.
    pub(super) fn needs(&self, file: &Path) -> bool {
        let Some(folder) = file.parent() else { return false };
        self.needed.iter().any(|name| path_in(folder, name).as_deref() == Some(file))
    }

    /// Whether one of the needed files may have this name.
    pub(super) fn has_name(&self, file: &str) -> bool {
        self.needed.iter().any(|name| names_of(name).iter().any(|name| name == file))
    }

    /// Which of the needed files a folder holds.
    fn search(&self, folder: &Path) -> Tried {
        let (there, missing) = self.needed.iter().copied().partition(|name| path_in(folder, name).is_some());
        Tried { folder: folder.to_path_buf(), missing, there }
    }

    fn missing(&self, tried: Vec<Tried>) -> DataError {
        let remedy = format!("{}, or set {DATA_VARIABLE} to the folder above it.", self.remedy);
        DataError::Missing { set: self.name, files: self.needed.join(", "), tried, remedy }
    }

    /// The error of a file that is not what it should be.
    pub(super) fn wrong(&self, path: &Path, expected: impl Into<String>, found: String) -> DataError {
        let (path, expected) = (path.to_owned(), expected.into());
        DataError::WrongFile { path, expected, found, remedy: self.remedy.to_owned() }
    }
}

/// The names under which a file may be there.
fn names_of(name: &str) -> [String; 4] {
    let dotted = name.replace("-idx", ".idx");
    [name.to_owned(), format!("{name}.gz"), dotted.clone(), format!("{dotted}.gz")]
}

/// The first file of a folder that has one of these names.
fn path_in(folder: &Path, name: &str) -> Option<PathBuf> {
    names_of(name)
        .iter()
        .flat_map(|name| ["", "train", "test"].map(|part| folder.join(part).join(name)))
        .find(|path| path.is_file())
}

/// Where data may be on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Value of [`DATA_VARIABLE`].
    pub data: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The folder for what this program can make again.
    pub cache: Option<PathBuf>,
    /// The folder of the experiment.
    pub base: PathBuf,
}

impl Places {
    /// The places that the environment names.
    pub fn from_env(base: &Path) -> Self {
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
        let home = home.map(PathBuf::from);
        let named =
            |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let of_system = || match std::env::consts::OS {
            "windows" => named("LOCALAPPDATA"),
            "macos" => home.as_ref().map(|home| home.join("Library/Caches")),
            _ => home.as_ref().map(|home| home.join(".cache")),
        };
        let cache = named("XDG_CACHE_HOME").or_else(of_system).map(|cache| cache.join("weightlab"));
        Self { data: named(DATA_VARIABLE), home, cache, base: base.to_path_buf() }
    }

    /// The first folder that holds all files of a set: below `$WEIGHTLAB_DATA`, below `data` beside the experiment (where
    /// torchvision's examples keep theirs), then below the user's data and cache folders of torchvision and Burn. Each of
    /// these folders itself comes after those below it: MNIST and Fashion-MNIST have the same file names, and only the
    /// name of a folder tells them apart.
    ///
    /// # Errors
    /// Every folder that was searched, and where to get the files.
    pub fn find(&self, set: &KnownSet) -> Result<PathBuf, DataError> {
        let home = |below: &str| self.home.as_ref().map(|home| home.join(below));
        let roots = [
            self.data.clone(),
            Some(self.base.join("data")),
            home("data"),
            home(".cache/torch/datasets"),
            home(".cache/burn-dataset"),
        ];
        let mut tried = Vec::new();
        for root in roots.into_iter().flatten() {
            for folder in set.folders.iter().map(|folder| root.join(folder)).chain([root.clone()]) {
                let searched = set.search(&folder);
                if searched.missing.is_empty() {
                    return Ok(folder);
                }
                tried.push(searched);
            }
        }
        Err(set.missing(tried))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Folder;
    use super::super::{FASHION_MNIST, MNIST};
    use super::*;

    fn fill(folder: &Folder, below: &str) {
        for name in MNIST.needed {
            folder.write(&format!("{below}/{name}.gz"), b"");
        }
    }

    #[test]
    fn the_variable_comes_first_and_names_the_folder_or_the_one_above() {
        let folder = Folder::new("locate-variable");
        fill(&folder, "MNIST/raw");
        fill(&folder, "home/data/mnist");
        let places = Places {
            data: Some(folder.path().to_path_buf()),
            home: Some(folder.join("home")),
            base: folder.join("elsewhere"),
            ..Places::default()
        };
        assert_eq!(places.find(&MNIST).unwrap(), folder.join("MNIST/raw"));
        let named = Places { data: Some(folder.join("MNIST/raw")), ..places.clone() };
        assert_eq!(named.find(&MNIST).unwrap(), folder.join("MNIST/raw"));
        assert_eq!(Places { data: None, ..places }.find(&MNIST).unwrap(), folder.join("home/data/mnist"));
    }

    #[test]
    fn a_folder_with_the_name_of_the_set_comes_before_the_one_above() {
        let folder = Folder::new("locate-named-first");
        fill(&folder, ".");
        fill(&folder, "fashion-mnist");
        let places = Places { data: Some(folder.path().to_path_buf()), ..Places::default() };
        assert_eq!(places.find(&FASHION_MNIST).unwrap(), folder.join("fashion-mnist"));
        assert_eq!(places.find(&MNIST).unwrap(), folder.path());
    }

    #[test]
    fn burns_cache_has_a_folder_for_each_part() {
        let folder = Folder::new("locate-burn");
        for name in MNIST.needed {
            let part = if name.starts_with("train") { "train" } else { "test" };
            folder.write(&format!(".cache/burn-dataset/mnist/{part}/{name}"), b"");
        }
        let places = Places { home: Some(folder.path().to_path_buf()), ..Places::default() };
        let found = places.find(&MNIST).unwrap();
        assert_eq!(found, folder.join(".cache/burn-dataset/mnist"));
        assert_eq!(MNIST.file(&found, MNIST.needed[2]).unwrap(), found.join("test/t10k-images-idx3-ubyte"));
    }

    #[test]
    fn a_set_that_is_nowhere_lists_where_it_was_looked_for() {
        let places = Places { data: Some("/nowhere".into()), base: "/neither".into(), ..Places::default() };
        let message = places.find(&MNIST).unwrap_err().to_string();
        assert!(message.contains("MNIST was not found"), "{message}");
        assert!(
            message.contains("/nowhere/MNIST/raw (no such folder)") && message.contains("/neither/data"),
            "{message}"
        );
        assert!(message.contains("WEIGHTLAB_DATA"), "{message}");
    }

    #[test]
    fn files_that_are_missing_are_told_from_those_that_are_there() {
        let folder = Folder::new("locate-incomplete");
        for name in &MNIST.needed[1..] {
            folder.write(&format!("mnist/{name}.gz"), b"");
        }
        let rest = "(missing: train-images-idx3-ubyte; there: train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte)";
        let line = format!("{} {rest}", folder.join("mnist").display());
        let places = Places { data: Some(folder.path().to_path_buf()), ..Places::default() };
        let message = places.find(&MNIST).unwrap_err().to_string();
        assert!(message.contains(&line), "{message}");
        let message = MNIST.file(&folder.join("mnist"), MNIST.needed[0]).unwrap_err().to_string();
        assert!(message.contains(&line), "{message}");
    }
}
