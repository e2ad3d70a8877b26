//! Files that people have, each read or refused as it should be.

use std::path::{Path, PathBuf};

use super::{Csv, Data, Numpy};
use crate::testing::real_data;
use crate::{Looked, Normalize};

/// Changes settings of a table or of arrays.
type Change = fn(&mut Csv, &mut Numpy);

/// Returns the description of a table with this label, or of arrays: the shape, the sizes and the names of classes, and the notes; or what is wrong.
fn said(path: &Path, change: impl FnOnce(&mut Csv, &mut Numpy)) -> String {
    let file = path.display().to_string();
    let mut csv = Csv { file: file.clone(), label: "y".to_owned(), ..Csv::default() };
    let mut numpy = Numpy { file, ..Numpy::default() };
    change(&mut csv, &mut numpy);
    let is_table = path.extension().is_some_and(|ending| ending == "csv");
    let data = if is_table { Data::Csv(csv) } else { Data::Numpy(numpy) };
    match data.look(Path::new(""), &crate::Digests::open()) {
        Ok(looked) => {
            let Looked { found, details } = looked.unwrap();
            let classes: Vec<&str> = found.classes.iter().take(3).collect();
            let sizes = [found.train, found.validation, found.test];
            format!(
                "{:?} {sizes:?} {} {classes:?} {}",
                found.shape,
                found.classes.len(),
                details.notes.join(" ")
            )
        }
        Err(error) => error.to_string(),
    }
}

/// The folder of a case; none where the cases are absent.
fn case(name: &str) -> Option<PathBuf> {
    real_data("../cases").map(|cases| cases.join(name))
}

fn check(folder: &str, expected: &[(&str, Change, &str)]) {
    let Some(folder) = case(folder) else { return };
    for (file, change, expected) in expected {
        let said = said(&folder.join(file), change);
        assert!(said.contains(expected), "{file}: {said} lacks {expected}");
    }
}

#[test]
fn tables_of_pandas_and_excel() {
    const READ: &str = "[2, 1, 1] [32, 0, 8] 2 [\"no\", \"yes\"] ";
    check(
        "tables",
        &[
            (
                "label_na.csv",
                |csv, _| csv.label = "country".to_owned(),
                "\"NA\". Fill it in or remove the line; or, if it is a word",
            ),
            (
                "label_na.csv",
                |csv, _| (csv.label, csv.words) = ("country".to_owned(), vec!["country".to_owned()]),
                "2 [\"DE\", \"NA\"]",
            ),
            (
                "label_none.csv",
                |csv, _| (csv.label, csv.words) = ("masonry".to_owned(), vec!["masonry".to_owned()]),
                "[\"Brick\", \"None\"]",
            ),
            ("pandas_index.csv", |_, _| {}, "leave_out: [\"Unnamed: 0\"]"),
            ("pandas_index.csv", |csv, _| csv.leave_out = vec!["Unnamed: 0".to_owned()], READ),
            ("trailing.csv", |_, _| {}, "leave_out: [\"Unnamed: 3\"]"),
            ("trailing.csv", |csv, _| csv.leave_out = vec!["Unnamed: 3".to_owned()], READ),
            (
                "label_float.csv",
                |_, _| {},
                "line 3, column \"y\": a class written as in the lines before, found \"0.0\"",
            ),
            ("label_float.csv", |csv, _| csv.words = vec!["y".to_owned()], " 4 [\"0\", \"0.0\", \"1\"]"),
            ("sep.csv", |_, _| {}, READ),
            ("pipe.csv", |_, _| {}, READ),
            (
                "space.csv",
                |_, _| {},
                "commas, semicolons, tabs or vertical bars between them, found one column \"a b y\"",
            ),
            ("comment.csv", |_, _| {}, "with the names of the columns in its first line"),
        ],
    );
}

#[test]
fn numbers_as_people_write_them() {
    const READ: &str = "[1, 1, 1]";
    const GROUPED: Change = |csv, _| csv.numbers = crate::table::NumberStyle::Grouped;
    const COMMA: Change = |csv, _| csv.numbers = crate::table::NumberStyle::DecimalComma;
    check(
        "thousands",
        &[
            ("accounting.csv", |_, _| {}, "line 2, column \"x\": a number with a decimal point"),
            ("accounting.csv", GROUPED, READ),
            ("apostrophe.csv", |_, _| {}, "read it as 1000000 with numbers: Grouped"),
            ("apostrophe.csv", GROUPED, READ),
            ("dollar.csv", |_, _| {}, "line 2, column \"income\": a number without signs of money"),
            ("german.csv", |_, _| {}, "read it as 1000000 with numbers: DecimalComma"),
            ("german.csv", COMMA, READ),
            ("german1k.csv", |_, _| {}, "every number with a point has three digits behind it"),
            ("german1k.csv", COMMA, READ),
            ("minus2.csv", |_, _| {}, "line 2, column \"x\": a number with a decimal point"),
            ("minus2.csv", GROUPED, READ),
            ("percent.csv", |_, _| {}, "line 2, column \"p\": a number without signs of money or per cent"),
            ("space.csv", |_, _| {}, "read it as 1000000 with numbers: Grouped"),
            ("thousands.csv", |_, _| {}, "line 2, column \"income\""),
            ("thousands.csv", GROUPED, READ),
            ("thousands31.csv", |_, _| {}, "read it as 1000000 with numbers: Grouped"),
            (
                "thousands_1k.csv",
                |_, _| {},
                "read it as 1000 with numbers: Grouped or read it as 1 with numbers: DecimalComma",
            ),
        ],
    );
    for file in ["int53.csv", "pressure.csv", "utm.csv"] {
        check(
            "large-numbers",
            &[
                (file, |_, _| {}, "[1, 1, 1]"),
                (
                    file,
                    |csv, _| csv.normalize = Normalize::None,
                    "single precision is too coarse for column \"x\"",
                ),
            ],
        );
    }
}

#[test]
fn arrays_of_keras_medmnist_and_python_2() {
    const LAST: Change = |_, numpy| numpy.channels = super::ChannelAxis::Last;
    check(
        "nhwc",
        &[
            ("keras_mnist.npz", |_, _| {}, "write channels: Last"),
            ("keras_mnist.npz", LAST, "[1, 28, 28] ["),
            ("medmnist_rgb.npz", |_, _| {}, "write channels: Last"),
            ("medmnist_rgb.npz", LAST, "[3, 28, 28] ["),
        ],
    );
    check(
        "numpy-oddities",
        &[
            ("python2.npz", |_, _| {}, "[5, 1, 1] [32, 0, 8]"),
            ("from1.npz", |_, _| {}, "begin with 1. Classes count from 0, so 3 are assumed"),
            ("sparse_labels.npz", |_, _| {}, "begin with 7. Classes count from 0, so 43 are assumed"),
        ],
    );
    check(
        "lfs-pointer",
        &[
            ("lfs.csv", |_, _| {}, "lfs.csv is a Git LFS pointer"),
            ("lfs.npz", |_, _| {}, "lfs.npz is a Git LFS pointer"),
        ],
    );
}

mod facts {
    use super::*;
    use crate::{Digits, Labels};

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
