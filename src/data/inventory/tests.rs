use std::path::{Path, PathBuf};

use super::*;
use crate::{Csv, Digests, Digits, Found, Images, Iris, Labels, Mnist, Numpy, digits};

/// The lines of data before they are read.
fn lines(data: &Data, details: &Details) -> Vec<(&'static str, String)> {
    Inventory::new(data, None, details).unwrap().lines(false)
}

fn assert_lines(found: &[(&'static str, String)], expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found.iter().map(|(label, text)| (*label, text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn built_in_and_known_data_are_told_without_reading_them() {
    let data = Data::Digits(Digits { validation: 100, limit_train: Some(1000), ..Digits::default() });
    let inventory = Inventory::new(&data, Some(32), &Details::default()).unwrap();
    assert_eq!(
        inventory.summary(),
        "Digits (built in): 900 for training, 100 for validation, 360 for testing; 10 classes"
    );
    let split = "every fifth sample for testing; the first 1,000 of 1,437 training samples; 100 of the training samples \
        held out for validation, the same for all seeds";
    assert_lines(
        &inventory.lines(false),
        &[
            ("classes", "10: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
            ("samples", "900 for training, 100 for validation, 360 for testing"),
            ("split", split),
            ("one sample", "32×32 pixels, 1 channel, resized from 8×8"),
        ],
    );
    let mnist = Data::Mnist(Mnist { dir: Some("digits".to_owned()), ..Mnist::default() });
    let mnist = Inventory::new(&mnist, None, &Details::default()).unwrap();
    assert_eq!(mnist.split, "the files of the set");
    let summary = "MNIST, digits: 60,000 for training, 0 for validation, 10,000 for testing; 10 classes";
    assert_eq!(mnist.summary(), summary);
}

#[test]
fn data_that_were_read_have_the_counts_of_their_classes() {
    let data = Data::Digits(Digits::default());
    let read = data.read(None, Path::new(".")).unwrap();
    let mut inventory = Inventory::from_read(&data, &read);
    inventory.digest.samples = read.digest(&Digests::open()).unwrap();
    let lines = inventory.lines(false);
    assert_lines(
        &lines,
        &[
            ("classes", "10: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
            ("samples", "1,437 for training, 0 for validation, 360 for testing"),
            // Counted in Python: 133 nines and 154 ones for training, 26 twos and 48 threes for testing.
            ("in each class", "133 to 154 for training, 26 to 48 for testing"),
            ("split", "every fifth sample for testing"),
            ("one sample", "8×8 pixels, 1 channel"),
            ("samples' SHA-256", "6bd38690af9dbed1…"), // hashlib's, of the bytes that `Dataset::digest` names
        ],
    );
    let sums = |part: &Part| part.by_class.iter().sum::<usize>();
    assert_eq!((sums(&inventory.train), sums(&inventory.test)), (1437, 360));
}

#[test]
fn labels_before_and_after_reading_are_the_same_under_every_setting() {
    let whole = digits();
    let details =
        Details { labels: [whole.train.labels, Vec::new(), whole.test.labels], ..Details::default() };
    let with = |validation, limit_train, limit_test, labels: Labels| {
        Data::Digits(Digits { labels, validation, limit_train, limit_test, ..Digits::default() })
    };
    for data in [
        with(0, None, None, Labels::Classes),
        with(200, None, Some(7), Labels::Classes),
        with(30, Some(100), None, Labels::EvenOdd),
    ] {
        let before = Inventory::new(&data, None, &details).unwrap();
        let after = Inventory::from_read(&data, &data.read(None, Path::new(".")).unwrap());
        assert_eq!(before, after);
    }
    let too_many = with(1437, None, None, Labels::Classes);
    assert_eq!(Inventory::new(&too_many, None, &details).unwrap().train.by_class, [0_usize; 0]);
}

fn found(classes: &[&str], sizes: [usize; 3], shape: [usize; 3]) -> Found {
    let classes = ClassNames::from(classes.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    let ([train, validation, test], content) = (sizes, "0123456789abcdef".to_owned());
    Found { shape, classes, train, validation, test, content, ..Found::default() }
}

#[test]
fn a_table_tells_its_columns_by_kind() {
    let found = found(&["cat", "cow", "dog"], [4, 0, 1], [4, 1, 1]);
    let data = Data::Csv(Csv { file: "pets.csv".to_owned(), found: Some(found), ..Csv::default() });
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let columns = Columns {
        numbers: names(&["age", "weight"]),
        words: vec![("colour".to_owned(), 2)],
        left_out: names(&["id"]),
    };
    let details = Details {
        labels: [vec![0, 2, 0, 1], Vec::new(), vec![2]],
        split: "20 % of the lines for testing, the same for all seeds".to_owned(),
        columns: Some(columns),
        ..Details::default()
    };
    let inventory = Inventory::new(&data, None, &details).unwrap();
    let note = "classes cat and cow have no samples in the test part, so that no accuracy tells of them; add samples of them, \
        or split the data in another way";
    assert_lines(
        &inventory.lines(false),
        &[
            ("classes", "3: cat, cow, dog"),
            ("samples", "4 for training, 0 for validation, 1 for testing"),
            ("in each class", "1 to 2 for training, 0 to 1 for testing"),
            ("split", "20 % of the lines for testing, the same for all seeds"),
            ("one sample", "4 features"),
            ("numbers", "2 columns: age, weight"),
            ("words", "1 column: colour (2 different)"),
            ("no features", "1 column: id"),
            ("note", note),
            ("files' SHA-256", "0123456789abcdef…"),
        ],
    );
    assert_eq!(
        inventory.sentences(),
        " A sample has 4 features; the classes are cat, cow, dog. Classes without samples: cat, cow in the test part. Its \
         features come from 2 columns of numbers and 1 column of words with 2 different words, a feature for each. \
         1 column was left out (id). The digest of the files is 0123456789abcdef."
    );
    assert_eq!(Inventory::new(&data.with_found(None), None, &details), None, "nobody has looked yet");
}

#[test]
fn pictures_tell_the_files_that_are_none_by_reason_and_ending() {
    let found = found(&["cat", "dog"], [6, 2, 2], [3, 224, 224]);
    let data = Data::Images(Images { dir: "../pets".to_owned(), found: Some(found), ..Images::default() });
    let left_out = |reason: &str, ending: &str, count: usize, first: &str| LeftOut {
        reason: reason.to_owned(),
        ending: ending.to_owned(),
        count,
        first: PathBuf::from(first),
    };
    let details = Details {
        labels: [vec![0, 0, 0, 1, 1, 1], vec![0, 1], vec![0, 1]],
        split: "the folders train, valid and test".to_owned(),
        left_out: vec![
            left_out("no format that this program reads", ".txt", 1200, "/home/a/../pets/train/cat/n.txt"),
            left_out("no ending of a picture", "", 1, "elsewhere/LICENCE"),
        ],
        ..Details::default()
    };
    let inventory = Inventory::new(&data, None, &details).unwrap();
    assert_lines(
        &inventory.lines(false)[1..6],
        &[
            ("samples", "6 for training, 2 for validation, 2 for testing"),
            ("in each class", "3 for training, 1 for validation, 1 for testing"),
            ("split", "the folders train, valid and test"),
            ("one sample", "224×224 pixels, 3 channels"),
            ("left out", "1,200 .txt files: no format that this program reads; the first: train/cat/n.txt"),
        ],
    );
    let (label, last) = &inventory.lines(false)[6];
    assert_eq!(
        (*label, last.as_str()),
        ("left out", "1 file: no ending of a picture; the first: elsewhere/LICENCE")
    );
    assert!(inventory.summary().ends_with("; 2 classes; 1,201 files left out"), "{}", inventory.summary());
    assert_eq!(
        inventory.sentences(),
        " A sample has 224×224 pixels, 3 channels; the classes are cat, dog. 1,201 files were left out (1,200 .txt files: no format that this program reads; 1 file: no ending of a picture). \
         The digest of the files is 0123456789abcdef."
    );
    let json = serde_json::to_value(&inventory).unwrap();
    assert_eq!(json["left_out"][0]["first"], "train/cat/n.txt");
    assert_eq!(json["train"]["by_class"], serde_json::json!([3, 3]));
}

#[test]
fn labels_with_gaps_and_classes_that_a_limit_cuts_off_are_notes() {
    let names: Vec<String> = (0..43).map(|label| label.to_string()).collect();
    let found = found(&names.iter().map(String::as_str).collect::<Vec<_>>(), [4, 0, 2], [2, 1, 1]);
    let arrays = Numpy { file: "set.npz".to_owned(), found: Some(found), ..Numpy::default() };
    let details = |test: &[u32]| Details {
        labels: [vec![7, 42, 7, 42], Vec::new(), test.to_vec()],
        ..Details::default()
    };
    let notes = |data: Numpy, test: &[u32]| {
        let lines = lines(&Data::Numpy(data), &details(test)).into_iter();
        lines.filter(|(label, _)| *label == NOTE).map(|(_, note)| note).collect::<Vec<_>>()
    };
    let gaps = "classes 0, 1, 2, 3, 4, 5, 6, 8, 9, 10 and 31 more have no samples in any part, and the network has an output \
        for each of them; number labels from 0 without gaps, or name only classes that there are";
    assert_eq!(notes(arrays.clone(), &[7, 42]), [gaps]);
    let seven = "class 7 has no sample in the test part, so that no accuracy tells of it; add samples of it, or split the \
        data in another way";
    assert_eq!(notes(arrays.clone(), &[42, 42]), [gaps, seven]);
    // A class that only the validation part has is not absent, and one that it lacks is reported.
    let with_validation =
        Details { labels: [vec![7, 42, 7, 42], vec![5, 42], vec![7, 42]], ..Details::default() };
    let inventory = Inventory::new(&Data::Numpy(arrays.clone()), None, &with_validation).unwrap();
    assert_eq!(
        inventory.notes,
        [
            gaps.replace("5, 6, 8, 9, 10 and 31", "6, 8, 9, 10, 11 and 30"),
            "class 5 has no sample in the training part, so that no network learns it; add samples of it, or split the data in \
             another way"
                .to_owned(),
            "class 7 has no sample in the validation part, so that no validation accuracy tells of it; add samples of it, or \
             split the data in another way"
                .to_owned(),
            "class 5 has no sample in the test part, so that no accuracy tells of it; add samples of it, or split the data in \
             another way"
                .to_owned(),
        ]
    );
    let without = inventory.sentences();
    assert!(without.starts_with(" A sample has 2 features; the classes are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 33 more. Classes without samples: 0, 1, 2, 3, 4, 5, 6, 8, 9, 10 and 31 more in the training part; 0, 1, 2, 3, 4, 6, 7, 8, 9, 10 and 31 more in the validation part; "), "{without}");
    let limited = Numpy { limit_test: Some(1), limit_train: Some(1), ..arrays };
    let found = notes(limited, &[7, 42]);
    assert!(found[0].starts_with("classes 0, 1, 2, 3, 4, 5, 6, 8, 9, 10 and 32 more"), "{found:?}");
    assert!(found[0].ends_with("; raise the limits of samples") && found.len() == 1, "{found:?}");
    let digits = Digits { limit_train: Some(9), limit_test: Some(300), ..Digits::default() };
    let read = Data::Digits(digits.clone()).read(None, Path::new(".")).unwrap();
    let inventory = Inventory::from_read(&Data::Digits(digits), &read);
    // The training part begins with 1, 2, 3, 4, 6, 7, 8, 9, 1.
    assert_eq!(
        inventory.notes,
        [
            "classes 0 and 5 have no samples in the training part, so that no network learns them; raise limit_train"
        ]
    );
}

#[test]
fn of_many_classes_the_first_are_named_and_all_where_there_is_room() {
    let names: Vec<String> = (0..12).map(|label| format!("class {label}")).collect();
    let found = found(&names.iter().map(String::as_str).collect::<Vec<_>>(), [60, 0, 20], [3, 4, 8]);
    let data = Data::Numpy(Numpy { found: Some(found), ..Numpy::default() });
    let inventory = Inventory::new(&data, None, &Details::default()).unwrap();
    let (_, classes) = &inventory.lines(false)[0];
    assert!(classes.starts_with("12: class 0, ") && classes.ends_with(", class 9 and 2 more"), "{classes}");
    assert!(inventory.lines(true)[0].1.ends_with(", class 10, class 11"));
    assert_eq!(
        inventory.lines(false)[2],
        ("one sample", "4×8 pixels (height × width), 3 channels".to_owned())
    );
    assert_eq!(inventory.title(), "NumPy arrays");
    let iris = lines(&Data::Iris(Iris::default()), &Details::default());
    assert_eq!(iris.last().unwrap(), &("one sample", "4 features".to_owned()));
}
