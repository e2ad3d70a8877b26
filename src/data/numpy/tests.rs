use super::testing::{npy, npz};
use super::*;
use crate::testing::{Folder, mutated};
use crate::{Data, DataError, Looked, Normalize, Numpy};

/// Ten images of 1×2 bytes in two classes, and a test part.
fn small(method: zip::CompressionMethod) -> Vec<u8> {
    let pixels: Vec<u8> = (0..20).map(|value| value * 5).collect();
    let labels: Vec<u8> = (0..10_i64).flat_map(|row| (row % 2).to_le_bytes()).collect();
    let arrays = [
        ("x_train.npy", npy("|u1", "(10, 1, 2)", &pixels)),
        ("y_train.npy", npy("<i8", "(10,)", &labels)),
        ("x_test.npy", npy("|u1", "(1, 1, 2)", &[255, 0])),
        ("y_test.npy", npy("|u1", "(1,)", &[1])),
        ("../../outside.npy", npy("|u1", "(1,)", &[1])),
    ];
    npz(&arrays, method)
}

fn in_file(path: &Path) -> Data {
    Data::Numpy(Numpy { file: path.display().to_string(), ..Numpy::default() })
}

#[test]
fn an_archive_is_read_with_or_without_compression() {
    let folder = Folder::new("numpy-archive");
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        folder.write("set.npz", &small(method));
        let data = in_file(&folder.join("set.npz"));
        let found = data.look(Path::new(""), &crate::Digests::open()).unwrap().unwrap().found;
        assert_eq!((found.shape, found.train, found.test), ([1, 1, 2], 10, 1));
        assert_eq!(found.classes.iter().collect::<Vec<_>>(), ["0", "1"]);
        let read = data.with_found(Some(found)).read(None, Path::new("")).unwrap();
        assert_eq!(
            (&read.test.values().unwrap()[..], read.test.labels.as_slice()),
            (&[1.0, 0.0][..], &[1][..])
        );
        assert_eq!(read.train.values().unwrap()[3], 15.0 / 255.0);
    }
}

#[test]
fn a_folder_is_read_and_split_and_a_change_is_noticed() {
    let folder = Folder::new("numpy-folder");
    let numbers: Vec<u8> = (0..20).flat_map(|value| (value as f32).to_le_bytes()).collect();
    folder.write("x_train.npy", &npy("<f4", "(10, 2)", &numbers));
    folder.write("y_train.npy", &npy("|u1", "(10,)", &[0, 1, 2, 0, 1, 2, 0, 1, 2, 0]));
    let data = in_file(folder.path());
    let found = data.look(Path::new(""), &crate::Digests::open()).unwrap().unwrap().found;
    assert_eq!((found.shape, found.train, found.test), ([2, 1, 1], 8, 2));
    let read = data.read(None, Path::new("")).unwrap();
    assert_eq!((read.train.len(), read.test.len(), read.classes), (8, 2, 3));
    assert!(read.train.values().unwrap().chunks(2).all(|row| row[1] == row[0] + 1.0));
    folder.write("y_train.npy", &npy("|u1", "(10,)", &[0, 1, 2, 0, 1, 2, 0, 1, 2, 1]));
    let message = data.with_found(Some(found)).read(None, Path::new("")).unwrap_err().to_string();
    assert!(message.contains("expected the data that the run was made for"), "{message}");
}

#[test]
fn what_does_not_go_together_is_named() {
    let folder = Folder::new("numpy-wrong");
    let look = |arrays: &[(&str, Vec<u8>)]| {
        folder.write("set.npz", &npz(arrays, zip::CompressionMethod::Stored));
        in_file(&folder.join("set.npz")).look(Path::new(""), &crate::Digests::open()).unwrap_err().to_string()
    };
    let labels = ("y_train.npy", npy("|u1", "(2,)", &[0, 1]));
    for (arrays, part) in [
        (
            vec![labels.clone()],
            "expected the arrays x_train and y_train, found y_train. Known are x_train and y_train, x_val",
        ),
        (
            vec![labels.clone(), ("x_train.npy", npy("|u1", "(3, 1)", &[0; 3]))],
            "expected x_train: one sample for each label",
        ),
        (vec![labels.clone(), ("x_train.npy", npy("|u1", "(2,)", &[0; 2]))], "found the shape [2]"),
        (
            vec![labels.clone(), ("x_train.npy", npy("<f8", "(2, 999999999999)", &[0; 2]))],
            "as the header says",
        ),
        (vec![labels, ("x_train.npy", b"hello world".to_vec())], "a NumPy array"),
    ] {
        let message = look(&arrays);
        assert!(message.contains(part), "{message} lacks {part}");
    }
    folder.write("set.npz", b"no archive");
    let message = in_file(&folder.join("set.npz"))
        .look(Path::new(""), &crate::Digests::open())
        .unwrap_err()
        .to_string();
    assert!(message.contains("set.npz: expected an archive of NumPy"), "{message}");
    let nowhere = in_file(&folder.join("gone.npz"))
        .look(Path::new(""), &crate::Digests::open())
        .unwrap_err()
        .to_string();
    assert!(
        nowhere.contains("gone.npz: cannot be found") && nowhere.contains("Correct the path"),
        "{nowhere}"
    );
}

#[test]
fn large_arrays_are_refused_before_they_are_read() {
    let folder = Folder::new("numpy-large");
    folder.write("set.npz", &small(zip::CompressionMethod::Deflated));
    let file = folder.join("set.npz").display().to_string();
    let data = Data::Numpy(Numpy { file, memory: 1e-8, ..Numpy::default() });
    let message = data.look(Path::new(""), &crate::Digests::open()).unwrap_err().to_string();
    assert!(message.starts_with("memory: 11 samples of 2 values"), "{message}");
}

#[test]
fn a_flipped_byte_of_an_archive_is_noticed() {
    let folder = Folder::new("numpy-flipped");
    let whole = small(zip::CompressionMethod::Stored);
    let pixels: Vec<u8> = (0..20).map(|value| value * 5).collect();
    let at = whole.windows(20).position(|window| window == pixels).unwrap();
    for place in [at, at + 19] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        folder.write("set.npz", &bytes);
        let message = in_file(&folder.join("set.npz")).read(None, Path::new("")).unwrap_err().to_string();
        assert!(message.contains("x_train: an array that can be read, found damaged bytes"), "{message}");
    }
}

#[test]
fn a_half_named_part_is_named() {
    let folder = Folder::new("numpy-half");
    let (samples, labels) =
        (npy("|u1", "(10, 2)", &[7; 20]), npy("|u1", "(10,)", &[0, 1, 0, 1, 0, 1, 0, 1, 0, 1]));
    let look = |names: [&str; 3]| {
        let array = |name: &str| if name.starts_with('x') { samples.clone() } else { labels.clone() };
        let files = names.map(|name| format!("{name}.npy"));
        let arrays: Vec<_> = files.iter().map(|file| (file.as_str(), array(file))).collect();
        folder.write("set.npz", &npz(&arrays, zip::CompressionMethod::Stored));
        in_file(&folder.join("set.npz")).look(Path::new(""), &crate::Digests::open()).unwrap_err().to_string()
    };
    for (names, expected) in [
        (
            ["x_train", "y_train", "x_test"],
            "expected the array y_test beside x_test, found x_test alone. Write",
        ),
        (["x_train", "y_train", "test_labels"], "expected the array test_images beside test_labels"),
        (["x", "y", "x_train"], "expected the array y_train beside x_train"),
    ] {
        let message = look(names);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn names_of_classes_that_are_equal_become_distinct() {
    let folder = Folder::new("numpy-classes");
    folder.write("set.npz", &small(zip::CompressionMethod::Stored));
    let (file, classes) =
        (folder.join("set.npz").display().to_string(), ["crane", "crane"].map(str::to_owned).to_vec());
    let found = Data::Numpy(Numpy { file, classes, ..Numpy::default() })
        .look(Path::new(""), &crate::Digests::open())
        .unwrap()
        .unwrap()
        .found;
    assert_eq!(found.classes.iter().collect::<Vec<_>>(), ["crane", "crane (1)"]);
}

#[test]
fn sizes_of_0_hide_no_overflow() {
    let folder = Folder::new("numpy-zero");
    let huge = npy("<f4", "(0, 4294967296, 4294967296, 4294967296)", &[]);
    folder.write("x_train.npy", &huge);
    folder.write("y_train.npy", &npy("|u1", "(0,)", &[]));
    let message =
        in_file(folder.path()).look(Path::new(""), &crate::Digests::open()).unwrap_err().to_string();
    assert!(message.contains("x_train: a smaller array"), "{message}");
}

#[test]
fn damaged_archives_never_panic() {
    let folder = Folder::new("numpy-mutations");
    let path = folder.join("set.npz");
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        mutated(&small(method), 2000, |bytes| {
            std::fs::write(&path, bytes).unwrap();
            if let Ok(read) = in_file(&path).read(None, Path::new("")) {
                assert!(read.train.labels.iter().all(|label| (*label as usize) < read.classes));
            }
        });
    }
}

#[test]
fn damaged_folders_never_panic() {
    let folder = Folder::new("numpy-folder-mutations");
    let numbers: Vec<u8> = (0..20).flat_map(|value| (value as f32).to_le_bytes()).collect();
    let samples = npy("<f4", "(10, 2)", &numbers);
    let labels =
        npy("<i8", "(10,)", &(0..10_i64).flat_map(|row| (row % 2).to_le_bytes()).collect::<Vec<_>>());
    for (name, other) in
        [("x_train.npy", ("y_train.npy", &labels)), ("y_train.npy", ("x_train.npy", &samples))]
    {
        folder.write(other.0, other.1);
        let own = if name == "x_train.npy" { &samples } else { &labels };
        mutated(own, 2000, |bytes| {
            folder.write(name, bytes);
            if let Ok(read) = in_file(folder.path()).read(None, Path::new("")) {
                assert!(read.train.labels.iter().all(|label| (*label as usize) < read.classes));
            }
        });
    }
}

/// Looks at an archive of these arrays, with these settings.
fn look_at(arrays: &[(&str, Vec<u8>)], settings: Numpy) -> Result<Looked, DataError> {
    let folder = Folder::new(&format!("numpy-look-{:?}", std::thread::current().id()));
    folder.write("set.npz", &npz(arrays, zip::CompressionMethod::Stored));
    let file = folder.join("set.npz").display().to_string();
    Data::Numpy(Numpy { file, ..settings }).look(Path::new(""), &crate::Digests::open()).map(Option::unwrap)
}

#[test]
fn a_validation_part_is_used_and_never_ignored() {
    let folder = Folder::new("numpy-validation");
    let samples = |name: &str, values: &[u8]| {
        folder.write(name, &npy("|u1", &format!("({}, 1)", values.len()), values));
    };
    let labels =
        |name: &str, values: &[u8]| folder.write(name, &npy("|u1", &format!("({},)", values.len()), values));
    samples("x_train.npy", &[0, 255, 0, 255]);
    labels("y_train.npy", &[0, 1, 0, 1]);
    samples("X_valid.npy", &[51]);
    labels("y_valid.npy", &[2]);
    let data = in_file(folder.path());
    let Looked { found, details } = data.look(Path::new(""), &crate::Digests::open()).unwrap().unwrap();
    assert_eq!((found.train, found.validation, found.test, found.classes.len()), (3, 1, 1, 3));
    assert_eq!((details.labels[0].len(), &details.labels[1][..], details.labels[2].len()), (3, &[2][..], 1));
    let split = "the arrays x_train and y_train, X_valid and y_valid; 20 % of the samples for testing, the same for all seeds";
    assert_eq!(details.split, split);
    let read = data.with_found(Some(found)).read(None, Path::new("")).unwrap();
    assert_eq!(
        (&read.validation.values().unwrap()[..], read.validation.labels.as_slice()),
        (&[0.2][..], &[2][..])
    );
    let Data::Numpy(numpy) = &data else { panic!() };
    let asked = Data::Numpy(Numpy { validation: 1, ..numpy.clone() })
        .look(Path::new(""), &crate::Digests::open())
        .unwrap_err()
        .to_string();
    assert!(asked.contains("validation: the files have a validation part of their own"), "{asked}");
    // Under a name that is not known, neither validation nor test part is ignored; other arrays are noted.
    for (name, part) in
        [("x_eval.npy", "found x_eval. Known are x_train and y_train, x_val"), ("xtest.npy", "found xtest")]
    {
        for other in ["X_valid.npy", "y_valid.npy"] {
            let _ = std::fs::remove_file(folder.join(other));
        }
        samples(name, &[1]);
        let message = data.look(Path::new(""), &crate::Digests::open()).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
        std::fs::rename(folder.join(name), folder.join("ids.npy")).unwrap();
    }
    let notes = data.look(Path::new(""), &crate::Digests::open()).unwrap().unwrap().details.notes;
    assert_eq!(notes, ["Arrays that are of no part and not used: ids."]);
}

#[test]
fn axes_that_contradict_the_setting_are_refused() {
    use crate::source::ChannelAxis::{First, Last};
    let look = |shape: [usize; 3], channels| {
        let [a, b, c] = shape;
        let samples = npy("|u1", &format!("(2, {a}, {b}, {c})"), &vec![0; 2 * a * b * c]);
        let arrays = [("x_train.npy", samples), ("y_train.npy", npy("|u1", "(2,)", &[0, 1]))];
        look_at(&arrays, Numpy { channels, test: 0.5, ..Numpy::default() }).map(|looked| looked.found.shape)
    };
    for (shape, is_first, is_last) in [
        ([28, 28, 3], false, true),
        ([28, 28, 1], false, true),
        ([10, 20, 4], false, true),
        ([3, 28, 28], true, false),
        ([1, 28, 30], true, false),
        ([3, 32, 3], true, true),
        ([2, 5, 5], true, true),
        ([64, 1, 1], true, true),
        ([22, 1, 100], true, true),
    ] {
        assert_eq!((look(shape, First).is_ok(), look(shape, Last).is_ok()), (is_first, is_last), "{shape:?}");
    }
    let message = look([28, 28, 3], First).unwrap_err().to_string();
    assert!(
        message.starts_with("channels: x_train of ") && message.contains("[2, 28, 28, 3]: pictures"),
        "{message}"
    );
    assert!(message.contains("write channels: Last"), "{message}");
    assert!(look([3, 28, 28], Last).unwrap_err().to_string().contains("write channels: First"));
}

#[test]
fn labels_that_do_not_begin_with_0_are_noted() {
    let arrays = [("x.npy", npy("|u1", "(4, 1)", &[0; 4])), ("y.npy", npy("|u1", "(4,)", &[7, 42, 7, 42]))];
    let Looked { found, details } = look_at(&arrays, Numpy::default()).unwrap();
    assert_eq!(found.classes.len(), 43);
    assert!(
        details.notes[0].contains("The labels in y begin with 7. Classes count from 0, so 43 are assumed")
    );
}

/// Expected numbers: `((x - x.mean(0)) / x.std(0)).astype("float32")` of NumPy with float64, and for whole numbers beyond 2⁵³ in
/// Python's whole numbers.
#[test]
fn wide_numbers_are_standardised_in_double_precision() {
    let folder = Folder::new("numpy-wide");
    let floats = [5_761_234.0, 5_761_234.1, 5_761_234.2, 5_761_234.4_f64].map(f64::to_le_bytes).concat();
    let whole = [0, 1, 2, 5].map(|more| ((1_i64 << 62) + more).to_be_bytes()).concat();
    let last = ((1_i64 << 62) + 7).to_le_bytes();
    let expected = [
        [-1.183_216, -0.507_092_54, 0.169_030_84, 1.521_277_7],
        [-1.069_045, -0.534_522_5, 0.0, 1.603_567_5],
    ];
    for (descr, bytes, test, expected) in
        [("<f8", floats, 5_761_234.1_f64.to_le_bytes(), expected[0]), (">i8", whole, last, expected[1])]
    {
        folder.write("x_train.npy", &npy(descr, "(4, 1)", &bytes));
        folder.write("y_train.npy", &npy("|u1", "(4,)", &[0, 1, 0, 1]));
        folder.write("x_test.npy", &npy(&format!("<{}", &descr[1..]), "(1, 1)", &test));
        folder.write("y_test.npy", &npy("|u1", "(1,)", &[1]));
        let Data::Numpy(numpy) = in_file(folder.path()) else { panic!() };
        let plain = Data::Numpy(numpy.clone()).look(Path::new(""), &crate::Digests::open()).unwrap().unwrap();
        assert!(
            plain.details.notes[0].contains("too coarse for feature 0 of x_train"),
            "{:?}",
            plain.details.notes
        );
        let standard = Data::Numpy(Numpy { normalize: Normalize::Standard, ..numpy });
        assert_eq!(
            standard.look(Path::new(""), &crate::Digests::open()).unwrap().unwrap().details.notes,
            [""; 0]
        );
        let read = standard.read(None, Path::new("")).unwrap();
        let values = read.train.values().unwrap();
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-7), "{values:?}");
        // The test part is moved by the origin of the training part: 2⁶² + 7 is (7 − 2) / 1.8708 away.
        let test = read.test.values().unwrap()[0];
        let known = if descr == "<f8" { -0.507_092_54 } else { 5.0 / 3.5_f32.sqrt() };
        assert!((test - known).abs() < 1e-6, "{test}");
    }
}

#[test]
fn parts_with_bytes_and_without_them_do_not_go_together() {
    let labels = npy("|u1", "(2,)", &[0, 1]);
    let arrays = [
        ("x_train.npy", npy("|u1", "(2, 1)", &[0, 255])),
        ("y_train.npy", labels.clone()),
        ("x_test.npy", npy("<i2", "(2, 1)", &[0, 0, 255, 0])),
        ("y_test.npy", labels),
    ];
    let message = look_at(&arrays, Numpy::default()).unwrap_err().to_string();
    assert!(message.contains("x_test: bytes (u1) in all parts or in none"), "{message}");
}

#[test]
fn pointers_and_pages_are_called_that() {
    let folder = Folder::new("numpy-pointer");
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
    folder.write("set.npz", pointer);
    folder.write("x_train.npy", b"<!DOCTYPE html>");
    folder.write("y_train.npy", &npy("|u1", "(2,)", &[0, 1]));
    for (path, part) in [
        (folder.join("set.npz"), "set.npz is a Git LFS pointer"),
        (folder.path().to_owned(), "x_train.npy is a web page"),
    ] {
        let message = in_file(&path).look(Path::new(""), &crate::Digests::open()).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}
