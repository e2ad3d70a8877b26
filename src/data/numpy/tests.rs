use super::testing::{npy, npz};
use super::*;
use crate::data::testing::{Folder, mutated};
use crate::data::{Data, Numpy};

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
        let found = data.look(Path::new("")).unwrap().unwrap().found;
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
    let found = data.look(Path::new("")).unwrap().unwrap().found;
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
        in_file(&folder.join("set.npz")).look(Path::new("")).unwrap_err().to_string()
    };
    let labels = ("y_train.npy", npy("|u1", "(2,)", &[0, 1]));
    for (arrays, part) in [
        (
            vec![labels.clone()],
            "expected the arrays x_train and y_train, found y_train. Write the arrays again",
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
    let message = in_file(&folder.join("set.npz")).look(Path::new("")).unwrap_err().to_string();
    assert!(message.contains("set.npz: expected an archive of NumPy"), "{message}");
    let nowhere = in_file(&folder.join("gone.npz")).look(Path::new("")).unwrap_err().to_string();
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
    let message = data.look(Path::new("")).unwrap_err().to_string();
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
        in_file(&folder.join("set.npz")).look(Path::new("")).unwrap_err().to_string()
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
    let found =
        Data::Numpy(Numpy { file, classes, ..Numpy::default() }).look(Path::new("")).unwrap().unwrap().found;
    assert_eq!(found.classes.iter().collect::<Vec<_>>(), ["crane", "crane (1)"]);
}

#[test]
fn sizes_of_0_hide_no_overflow() {
    let folder = Folder::new("numpy-zero");
    let huge = npy("<f4", "(0, 4294967296, 4294967296, 4294967296)", &[]);
    folder.write("x_train.npy", &huge);
    folder.write("y_train.npy", &npy("|u1", "(0,)", &[]));
    let message = in_file(folder.path()).look(Path::new("")).unwrap_err().to_string();
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
