//! Which dataset a file or folder holds.

use std::path::{Path, PathBuf};

use super::idx::training_labels;
use super::{Csv, Data, Digits, Emnist, EmnistSplit, Images, KnownSet, Numpy, images, table};

/// A dataset that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognised {
    /// The dataset with default settings; of EMNIST, with the split whose files are there.
    pub data: Data,
    /// The folder with its files, or its file.
    pub folder: PathBuf,
    /// Other datasets that it could be as well, by name.
    pub others: Vec<&'static str>,
}

/// How well a folder fits a dataset; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// No other dataset has such files.
    Certain,
    /// Another one has files of these names, but tools give this folder to this one.
    ByFolder,
    /// The names of the files fit.
    ByNames,
}

/// The dataset in a folder, or in one below it that tools put datasets into; also known by one of its files. Where there
/// are several, or the files may be of several, it is the wanted one. What is no known set may be data of the user's: a
/// table, arrays, or folders of images.
pub fn recognise(path: &Path, wanted: &Data) -> Option<Recognised> {
    known_set(path, wanted).or_else(|| user_data(path))
}

/// A table, an archive or a folder of arrays, or folders of images.
fn user_data(path: &Path) -> Option<Recognised> {
    let found = |data, path: &Path| Some(Recognised { data, folder: path.to_owned(), others: Vec::new() });
    let has_arrays = |folder: &Path| folder.join("x_train.npy").is_file();
    if path.is_dir() {
        let is_numpy = has_arrays(path);
        let data = if is_numpy { Data::Numpy(Numpy::default()) } else { Data::Images(Images::default()) };
        return if is_numpy || images::is_like_pictures(path) { found(data, path) } else { None };
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

/// The column that may have the classes: one with a usual name, otherwise the last that has a name.
fn label_among(columns: &[String]) -> Option<&String> {
    const USUAL: [&str; 7] = ["label", "class", "target", "y", "species", "category", "quality"];
    let named = |name: &&str| columns.iter().find(|column| column.to_lowercase() == **name);
    let last = columns.iter().rfind(|name| !name.starts_with(table::UNNAMED));
    USUAL.iter().find_map(named).or(last)
}

/// The datasets that are read from files, with default settings apart from the choice of files. The splits of EMNIST lie
/// in one folder and have different files; the wanted one comes first.
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

/// Whether a file has a name that a known set gives to one of its files.
pub fn is_named_like_data(file: &str) -> bool {
    sets(&Data::Digits(Digits::default())).iter().any(|(set, _)| set.has_name(file))
}

/// How well a folder with the files of a set fits it; `None` where the first labels are those of another set.
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
    use super::super::testing::{Folder, gzip};
    use super::super::{CIFAR10, EMNIST, FASHION_MNIST, MNIST};
    use super::*;

    fn fill(folder: &Folder, below: &str, set: &KnownSet) {
        for name in set.needed {
            folder.write(&format!("{below}/{name}"), b"");
        }
    }

    /// What is found by somebody who needs no files.
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
        assert!(is_named_like_data("emnist-byclass-test-labels-idx1-ubyte.gz"));
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
        assert!(found_in(&root.join("pictures/train/cat")).is_none());
        assert!(found_in(&root.join("junk")).is_none());
    }
}
