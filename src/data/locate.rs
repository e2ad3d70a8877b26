//! Known sets: where their files are, where they can be downloaded from, and which dataset a file or folder holds.

use std::path::{Path, PathBuf};

use crate::error::Tried;
use crate::idx::training_labels;
use crate::{Csv, Data, DataError, Emnist, EmnistSplit, Images, Numpy, images, table};

/// The variable with the folder that is searched first.
pub const DATA_VARIABLE: &str = "WEIGHTLAB_DATA";

/// A dataset in a folder.
#[derive(Clone, Copy, Debug)]
pub struct KnownSet {
    pub name: &'static str,
    /// Files that must be there, without `.gz`.
    pub needed: &'static [&'static str],
    /// Files that are read where they are there.
    pub optional: &'static [&'static str],
    /// Folders that tools put it into, below their data folder.
    pub folders: &'static [&'static str],
    /// Where to get it, and how to name it.
    pub remedy: &'static str,
    /// The first training labels, where other sets have files of the same names.
    pub first_labels: &'static [u32],
    pub origin: Option<Origin>,
}

impl KnownSet {
    /// No set: what declarations leave out.
    pub const EMPTY: Self = Self {
        name: "",
        needed: &[],
        optional: &[],
        folders: &[],
        remedy: "",
        first_labels: &[],
        origin: None,
    };

    /// Returns the folder that a download makes: below the first of these places that there is.
    pub fn download_folder(&self, places: &Places) -> PathBuf {
        let home = || places.home.as_ref().map(|home| home.join("data"));
        let root = places.data.clone().or_else(home).unwrap_or_else(|| places.base.join("data"));
        root.join(self.folders[0])
    }

    /// Returns the file of this name in a folder, raw or gzip, also with torchvision's dot for the first hyphen before
    /// `idx`. Burn keeps the training files in a folder `train` below it and the test files in `test`.
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

    /// Returns the folder that holds all needed files: this one, or one of those below it that tools put them into.
    pub(crate) fn folder_at(&self, path: &Path) -> Option<PathBuf> {
        let below = self.folders.iter().map(|folder| path.join(folder));
        std::iter::once(path.to_owned()).chain(below).find(|folder| self.check(folder).is_ok())
    }

    /// Returns true if this is one of the needed files.
    pub(crate) fn needs(&self, file: &Path) -> bool {
        let Some(folder) = file.parent() else { return false };
        self.needed.iter().any(|name| path_in(folder, name).as_deref() == Some(file))
    }

    fn search(&self, folder: &Path) -> Tried {
        let (there, missing) = self.needed.iter().copied().partition(|name| path_in(folder, name).is_some());
        Tried { folder: folder.to_path_buf(), missing, there }
    }

    fn missing(&self, tried: Vec<Tried>) -> DataError {
        let remedy = format!("{}, or set {DATA_VARIABLE} to the folder above it.", self.remedy);
        DataError::Missing { set: self.name, files: self.needed.join(", "), tried, remedy }
    }

    pub(crate) fn wrong(&self, path: &Path, expected: impl Into<String>, found: String) -> DataError {
        let (path, expected) = (path.to_owned(), expected.into());
        DataError::WrongFile { path, expected, found, remedy: self.remedy.to_owned() }
    }
}

/// Returns the names under which a file may be there.
fn names_of(name: &str) -> [String; 4] {
    let dotted = name.replace("-idx", ".idx");
    [name.to_owned(), format!("{name}.gz"), dotted.clone(), format!("{dotted}.gz")]
}

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
    pub home: Option<PathBuf>,
    /// The folder for what this program can make again.
    pub cache: Option<PathBuf>,
    pub base: PathBuf,
}

impl Places {
    /// Reads the places from the environment.
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

    /// Returns the first folder that holds all files of a set: below `$WEIGHTLAB_DATA`, below `data` beside the experiment
    /// (where torchvision's examples keep theirs), then below the user's data and cache folders of torchvision and Burn.
    /// Each of these folders itself comes after those below it: MNIST and Fashion-MNIST have the same file names, and only
    /// the name of a folder tells them apart.
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

/// The source of the files of a dataset. Nothing here downloads them.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub page: &'static str,
    pub licence: &'static str,
    pub files: &'static [Remote<'static>],
}

impl Origin {
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// A file on a server.
#[derive(Clone, Copy, Debug)]
pub struct Remote<'a> {
    pub url: &'a str,
    pub bytes: u64,
    /// In hexadecimal digits.
    pub sha256: &'a str,
    /// The files that are taken out of it, where it is a `.tar.gz`, with their lengths in bytes; empty where it is kept as
    /// it is.
    pub members: &'a [(&'a str, u64)],
}

impl Remote<'_> {
    /// Returns the last part of the address.
    pub fn name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the names of the files that it becomes in the folder.
    pub fn results(&self) -> Vec<&str> {
        if self.members.is_empty() {
            vec![self.name()]
        } else {
            self.members.iter().map(|(name, _)| *name).collect()
        }
    }

    /// Returns the place where it grows.
    pub fn part_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.part", self.name()))
    }

    /// Returns true if a folder has all that it becomes.
    pub fn is_in(&self, folder: &Path) -> bool {
        self.results().iter().all(|name| folder.join(name).is_file())
    }
}

/// A dataset that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognised {
    /// The dataset with default settings; of EMNIST, with the split whose files are there.
    pub data: Data,
    pub folder: PathBuf,
    /// Other datasets that it could be as well, by name.
    pub others: Vec<&'static str>,
}

/// The fit of a folder to a dataset; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// No other dataset has such files.
    Certain,
    /// Another one has files of these names, but tools give this folder to this one.
    ByFolder,
    ByNames,
}

/// Finds the dataset in a folder, or in one below it that tools put datasets into; also known by one of its files. Where
/// there are several, or the files may be of several, it is the wanted one. What is no known set may be data of the user's:
/// a table, arrays, or folders of images.
pub fn recognise(path: &Path, wanted: &Data) -> Option<Recognised> {
    known_set(path, wanted).or_else(|| user_data(path))
}

fn user_data(path: &Path) -> Option<Recognised> {
    let found = |data, path: &Path| Some(Recognised { data, folder: path.to_owned(), others: Vec::new() });
    let has_arrays = |folder: &Path| folder.join("x_train.npy").is_file();
    if path.is_dir() {
        let pictures = || Images::of(&images::first_pictures(path)).map(Data::Images);
        let data = has_arrays(path).then(|| Data::Numpy(Numpy::default())).or_else(pictures)?;
        return found(data, path);
    }
    match images::ending(path).as_str() {
        "csv" | "tsv" => {
            let columns = table::columns(path).ok()?;
            let label = label_among(&columns)?.clone();
            let leave_out = columns.into_iter().filter(|name| name.starts_with(table::UNNAMED)).collect();
            found(Data::Csv(Csv { label, leave_out, ..Csv::default() }), path)
        }
        "npz" if path.is_file() => found(Data::Numpy(Numpy::default()), path),
        "npy" => path
            .parent()
            .filter(|folder| has_arrays(folder))
            .and_then(|folder| found(Data::Numpy(Numpy::default()), folder)),
        _ => None,
    }
}

/// Returns the column that may have the classes: one with a usual name, otherwise the last that has a name.
fn label_among(columns: &[String]) -> Option<&String> {
    const USUAL: [&str; 7] = ["label", "class", "target", "y", "species", "category", "quality"];
    let named = |name: &&str| columns.iter().find(|column| column.to_lowercase() == **name);
    let last = columns.iter().rfind(|name| !name.starts_with(table::UNNAMED));
    USUAL.iter().find_map(named).or(last)
}

/// Returns the datasets that are read from files, with default settings apart from the choice of files. The splits of
/// EMNIST lie in one folder and have different files; the wanted one comes first.
fn sets(wanted: &Data) -> Vec<(&'static KnownSet, Data)> {
    let splits = |data: Data| match data {
        Data::Emnist(_) => {
            let split = |split: EmnistSplit| Data::Emnist(Emnist { split, ..Emnist::default() });
            EmnistSplit::all().into_iter().map(split).collect()
        }
        data => vec![data],
    };
    let all = Data::all().into_iter().flat_map(splits);
    let mut sets: Vec<_> = all.filter_map(|data| Some((data.files()?.0, data))).collect();
    sets.sort_by_key(|(set, _)| wanted.file_set() != Some(set.name));
    sets
}

fn known_set(path: &Path, wanted: &Data) -> Option<Recognised> {
    let sets = || sets(wanted).into_iter();
    let is_file_of_a_set = sets().any(|(set, _)| set.needs(path));
    let path = if is_file_of_a_set { path.parent()? } else { path };
    let fitting = |(set, data): (&'static KnownSet, Data)| {
        let folder = set.folder_at(path)?;
        Some((fit(set, &folder, sets().map(|(set, _)| set))?, set.name, data, folder))
    };
    let mut found: Vec<_> = sets().filter_map(fitting).collect();
    found.sort_by_key(|(fit, _, data, _)| (data.key() != wanted.key(), *fit));
    let (best, _, data, folder) = (!found.is_empty()).then(|| found.remove(0))?;
    // Files elsewhere below the path are other ones.
    let is_other = |other: &Data| other.key() != data.key();
    let equal =
        found.into_iter().filter(|(fit, _, other, at)| *fit <= best && *at == folder && is_other(other));
    let others = equal.map(|(_, name, ..)| name).collect();
    Some(Recognised { data, folder, others })
}

/// Returns how well a folder with the files of a set fits it; none where the first labels are those of another set.
fn fit(set: &KnownSet, folder: &Path, mut all: impl Iterator<Item = &'static KnownSet>) -> Option<Fit> {
    if set.first_labels.is_empty() {
        return Some(Fit::Certain);
    }
    let labels = training_labels(folder, set).unwrap_or_default();
    if labels.starts_with(set.first_labels) {
        return Some(Fit::Certain);
    }
    let is_of = |other: &KnownSet| !other.first_labels.is_empty() && labels.starts_with(other.first_labels);
    if all.any(is_of) {
        return None;
    }
    let is_usual = set.folders.iter().any(|usual| folder.ends_with(usual));
    Some(if is_usual { Fit::ByFolder } else { Fit::ByNames })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;
    use crate::{FASHION_MNIST, MNIST};

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

#[cfg(test)]
mod recognise_tests {
    use crate::locate::*;
    use crate::testing::{Folder, gzip};
    use crate::{CIFAR10, EMNIST, FASHION_MNIST, MNIST};

    fn fill(folder: &Folder, below: &str, set: &KnownSet) {
        for name in set.needed {
            folder.write(&format!("{below}/{name}"), b"");
        }
    }

    /// The answer of somebody who needs no files.
    fn found_in(path: &Path) -> Option<Recognised> {
        recognise(path, &Data::all()[0])
    }

    /// The labels of a set in its file, packed.
    fn write_labels(folder: &Folder, below: &str, set: &KnownSet) {
        let count = u32::try_from(set.first_labels.len()).unwrap();
        let head = [0x0801_u32.to_be_bytes(), count.to_be_bytes()].concat();
        let labels = set.first_labels.iter().map(|label| u8::try_from(*label).unwrap());
        let file = head.into_iter().chain(labels).collect::<Vec<u8>>();
        folder.write(&format!("{below}/{}", set.needed[1]), &gzip(&file));
    }

    #[test]
    fn every_dataset_with_files_is_recognised_by_folder_file_and_content() {
        for data in Data::all() {
            let Some((set, _)) = data.files() else { continue };
            let root = Folder::new("recognise-each");
            for usual in set.folders {
                fill(&root, &format!("{usual}/root/{usual}"), set);
                let found = found_in(&root.join(&format!("{usual}/root"))).unwrap();
                assert_eq!((found.data.key(), found.others), (data.key(), vec![]), "{usual}");
            }
            fill(&root, "some", set);
            if !set.first_labels.is_empty() {
                write_labels(&root, "some", set);
            }
            let of_file = found_in(&root.join(&format!("some/{}", set.needed[0]))).unwrap();
            assert_eq!((of_file.data.key(), &of_file.folder), (data.key(), &root.join("some")));
            assert_eq!(found_in(&root.join("some")), Some(of_file));
        }
    }

    #[test]
    fn what_the_labels_say_counts_more_than_the_name_of_the_folder() {
        let root = Folder::new("recognise-labels");
        fill(&root, "fashion", &MNIST);
        write_labels(&root, "fashion", &MNIST);
        let found = found_in(&root.join("fashion")).unwrap();
        assert_eq!((found.data.key(), found.others), ("Mnist", vec![]));
    }

    #[test]
    fn a_folder_that_could_be_two_datasets_names_both() {
        let root = Folder::new("recognise-two");
        fill(&root, "old fashion", &FASHION_MNIST);
        let found = found_in(&root.join("old fashion")).unwrap();
        assert_eq!((found.data.key(), found.others), ("Mnist", vec!["Fashion-MNIST", "KMNIST"]));
        assert_eq!(found_in(root.path()), None);
        fill(&root, "cifar10", &CIFAR10);
        assert_eq!(found_in(root.path()).unwrap().data.key(), "Cifar10");
    }

    #[test]
    fn of_several_datasets_the_wanted_one_is_found() {
        let root = Folder::new("recognise-wanted");
        fill(&root, "mnist", &MNIST);
        fill(&root, "cifar10", &CIFAR10);
        for (wanted, name) in Data::all().iter().filter_map(|data| Some((data, data.file_set()?))) {
            let found = recognise(root.path(), wanted).unwrap();
            let expected = if name == "MNIST" { "Mnist" } else { "Cifar10" };
            assert_eq!(found.data.key(), expected, "{name}");
        }
        fill(&root, "plain", &FASHION_MNIST);
        let fashion = Data::all().into_iter().find(|data| data.file_set() == Some("Fashion-MNIST")).unwrap();
        let found = recognise(&root.join("plain"), &fashion).unwrap();
        assert_eq!((found.data.key(), found.others), (fashion.key(), vec!["MNIST", "KMNIST"]));
    }

    #[test]
    fn every_split_of_emnist_is_recognised_and_the_wanted_one_first() {
        let root = Folder::new("recognise-emnist");
        let split = |found: Option<Recognised>| match found.unwrap() {
            Recognised { data: Data::Emnist(emnist), others, .. } => {
                assert!(others.is_empty(), "{others:?}");
                emnist.split
            }
            other => panic!("{other:?}"),
        };
        fill(&root, "letters", &EMNIST[3]);
        assert!(split(found_in(&root.join("letters"))) == EmnistSplit::Letters);
        assert!(split(found_in(&root.join("letters").join(EMNIST[3].needed[1]))) == EmnistSplit::Letters);
        for set in &EMNIST {
            fill(&root, "gzip", set);
        }
        assert!(split(found_in(&root.join("gzip"))) == EmnistSplit::Balanced);
        let wanted = Data::Emnist(Emnist { split: EmnistSplit::Digits, ..Emnist::default() });
        assert!(split(recognise(&root.join("gzip"), &wanted)) == EmnistSplit::Digits);
    }

    #[test]
    fn data_of_the_users_are_recognised_by_their_form() {
        let root = Folder::new("recognise-own");
        root.write("wine.csv", b"acid,quality,name\n1,2,3\n");
        root.write("set.npz", b"");
        root.write("arrays/x_train.npy", b"");
        root.write("pictures/train/cat/a.JPEG", b"");
        root.write("one/cat/a.png", b"");
        root.write("kaggle/seg_train/seg_train/cat/a.GIF", b"");
        root.write("junk/__MACOSX/._a.png", b"");
        root.write("junk/cat/._a.png", b"");
        for (path, key, at) in [
            ("wine.csv", "Csv", "wine.csv"),
            ("set.npz", "Numpy", "set.npz"),
            ("arrays", "Numpy", "arrays"),
            ("arrays/x_train.npy", "Numpy", "arrays"),
            ("pictures", "Images", "pictures"),
            ("one", "Images", "one"),
            ("kaggle", "Images", "kaggle"),
        ] {
            let found = found_in(&root.join(path)).unwrap();
            assert_eq!((found.data.key(), found.folder), (key, root.join(at)), "{path}");
        }
        let Some(Recognised { data: Data::Csv(csv), .. }) = found_in(&root.join("wine.csv")) else {
            panic!()
        };
        assert_eq!(csv.label, "quality");
        // Small pictures are not enlarged, and large ones are made small as usual.
        let size_of = |side: usize| {
            let header = format!("P5\n{side} {}\n255\n", side + 1);
            root.write("sized/cat/a.pgm", &[header.as_bytes(), &vec![7; side * (side + 1)]].concat());
            let Data::Images(images) = found_in(&root.join("sized")).unwrap().data else { panic!() };
            [images.resize, images.crop]
        };
        assert_eq!([12, 223, 224, 300].map(size_of), [[12, 12], [223, 223], [256, 224], [256, 224]]);
        assert!(found_in(&root.join("pictures/train/cat")).is_none());
        assert!(found_in(&root.join("junk")).is_none());
    }
}
