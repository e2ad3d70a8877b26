mod kinds;

use std::path::PathBuf;

use super::*;
use crate::testing::{Folder, mutated, mutated_in};
use crate::{Data, Dataset, Digests, Images, Normalize, Shape};

/// Pictures that `tests/oracle/image_folder.py` made, with what torchvision makes of them.
fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/images")
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(name)).unwrap()
}

/// The largest difference of two lists of bytes, and its mean.
fn differences(found: &[u8], expected: &[u8]) -> (u8, f64) {
    assert_eq!(found.len(), expected.len());
    let each = found.iter().zip(expected).map(|(a, b)| a.abs_diff(*b));
    let sum: u64 = each.clone().map(u64::from).sum();
    (each.max().unwrap(), sum as f64 / found.len() as f64)
}

const SMALL: Preparation = Preparation { resize: 25, crop: 20, is_grey: false };

#[test]
fn pictures_are_prepared_as_torchvision_does_with_pillow() {
    for name in [
        "wide.png",
        "tall.bmp",
        "small.ppm",
        "grey.png",
        "palette.png",
        "alpha.png",
        "grey_alpha.png",
        "bits.png",
        "plain.webp",
        "photo.jpg",
        "turned.jpg",
        "full.jpg",
        "half.jpg",
        "progressive.jpg",
        "grey.jpg",
        "print.jpg",
    ] {
        for (is_grey, ending) in [(false, "rgb"), (true, "grey")] {
            let found = Preparation { is_grey, ..SMALL }.read(&fixtures().join(name)).unwrap();
            assert_eq!(
                differences(&found, &fixture(&format!("{name}.{ending}"))),
                (0, 0.0),
                "{name}, {ending}"
            );
        }
    }
}

/// A folder with two classes in two parts.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    for (class, picture) in [("cat", "wide.png"), ("dog", "tall.bmp")] {
        for part in ["train", "val"] {
            folder.write(&format!("{part}/{class}/b.{}", &picture[5..]), &fixture(picture));
        }
        folder.write(&format!("train/{class}/a.JPG"), &fixture("photo.jpg"));
        folder.write(&format!("train/{class}/notes.txt"), b"no picture");
    }
    folder
}

fn images(dir: &Path) -> Images {
    Images { dir: dir.display().to_string(), resize: 25, crop: 20, ..Images::default() }
}

fn read_all(images: Images) -> Result<Dataset, String> {
    let data = Data::Images(images);
    let found = data.look(Path::new(""), &crate::Digests::open()).map_err(|error| error.to_string())?;
    data.with_found(found.map(|looked| looked.found))
        .read(None, Path::new(""))
        .map_err(|error| error.to_string())
}

#[test]
fn folders_are_classes_and_pictures_are_in_order() {
    let folder = folder("images-order");
    let data = read_all(images(folder.path())).unwrap();
    assert_eq!((data.train.labels.as_slice(), data.test.labels.as_slice()), (&[0, 0, 1, 1][..], &[0, 1][..]));
    let first: Vec<u8> =
        data.train.sample(1).unwrap().iter().map(|value| (value * 255.0).round() as u8).collect();
    assert!(differences(&first, &fixture("wide.png.rgb")).0 <= 1);
    let facts = Data::Images(images(folder.path()));
    let facts = facts
        .with_found(facts.look(Path::new(""), &crate::Digests::open()).unwrap().map(|looked| looked.found))
        .facts(None)
        .unwrap();
    assert_eq!((facts.shape, facts.train_samples, facts.test_samples), (Shape::new(3, 20, 20), 4, 2));
    let whole = Images { test: 0.5, ..images(&folder.join("train")) };
    let data = read_all(whole).unwrap();
    assert_eq!((data.train.len(), data.test.len()), (2, 2));
    // What limits cut off is not decoded, and takes no memory.
    folder.write("val/dog/z.png", b"no picture");
    let few = Images { limit_train: Some(2), limit_test: Some(2), memory: 2e-5, ..images(folder.path()) };
    let data = read_all(few).unwrap();
    assert_eq!((data.train.labels, data.test.labels), (vec![0, 0], vec![0, 1]));
    std::fs::remove_file(folder.join("val/dog/z.png")).unwrap();
    let scaled = Images { normalize: Normalize::ImageNet, ..images(folder.path()) };
    assert!(read_all(scaled).unwrap().train.values().unwrap().iter().any(|value| *value < 0.0));
}

#[test]
fn a_label_map_gives_folders_their_classes() {
    let folder = folder("images-map");
    folder.write("synsets.txt", b"dog 2 hound\ncat 0 tom\n");
    let label_map = Some(folder.join("synsets.txt").display().to_string());
    let mapped = Images { label_map, ..images(folder.path()) };
    let data = Data::Images(mapped.clone());
    let found = data.look(Path::new(""), &crate::Digests::open()).unwrap().unwrap().found;
    assert_eq!(found.classes.iter().collect::<Vec<_>>(), ["tom", "1", "hound"]);
    assert_eq!(read_all(mapped.clone()).unwrap().test.labels, [0, 2]);
    folder.write("synsets.txt", b"dog\nbird\n");
    assert!(
        read_all(mapped)
            .unwrap_err()
            .contains("folders that the label map names, found 1 other folder: \"cat\"")
    );
}

#[test]
fn damaged_pictures_are_named_and_may_be_left_out() {
    let folder = folder("images-damaged");
    folder.write("train/cat/c.png", &fixture("wide.png")[..900]);
    let message = read_all(images(folder.path())).unwrap_err();
    assert!(
        message.contains("train/cat/c.png: expected a picture") && message.contains("damaged: Skip"),
        "{message}"
    );
    let skips = Images { damaged: crate::Damaged::Skip, ..images(folder.path()) };
    let data = read_all(skips).unwrap();
    assert_eq!((data.train.len(), data.left_out.len()), (4, 1));
    assert!(data.left_out[0].contains("c.png"));
}

/// Bytes of so many pictures of a set, in GiB.
fn room(pictures: u32) -> f64 {
    f64::from(pictures * 1200 + 1) / f64::from(1 << 30)
}

#[test]
fn a_set_that_is_larger_than_its_memory_has_the_same_values_and_is_read_again() {
    let folder = folder("images-streamed");
    let settings = Images {
        normalize: Normalize::Standard,
        validation: 1,
        image_size: Some(7),
        ..images(folder.path())
    };
    let whole = read_all(settings.clone()).unwrap();
    assert!(!whole.train.is_streamed() && !whole.test.is_streamed());
    for pictures in [0, 2] {
        let streamed = read_all(Images { memory: room(pictures), ..settings.clone() }).unwrap();
        assert!(streamed.test.is_streamed());
        for (found, expected) in [
            (&streamed.train, &whole.train),
            (&streamed.validation, &whole.validation),
            (&streamed.test, &whole.test),
        ] {
            assert_eq!((found.shape, &found.labels), (expected.shape, &expected.labels));
            assert_eq!(found.values().unwrap(), expected.values().unwrap());
            let mut batches = Vec::new();
            for batch in found.batches(2) {
                batches.extend_from_slice(&batch.unwrap().0);
            }
            assert_eq!(batches[..], expected.values().unwrap()[..]);
            let picked = found.pick(&[0, 0]);
            assert_eq!(picked.values().unwrap(), expected.pick(&[0, 0]).values().unwrap());
        }
        let digests = Digests::open();
        assert_eq!(streamed.digest(&digests).unwrap(), whole.digest(&digests).unwrap());
        // No more is kept than there is room for.
        assert!(streamed.train.is_streamed() || streamed.test.is_streamed());
    }
}

#[test]
fn a_digest_is_of_the_files_and_of_what_is_made_of_them() {
    let folder = folder("images-digest");
    let digest = |images: Images| read_all(images).unwrap().digest(&Digests::open()).unwrap();
    let first = digest(images(folder.path()));
    assert_eq!(digest(Images { memory: room(0), ..images(folder.path()) }), first);
    assert_ne!(digest(Images { normalize: Normalize::ImageNet, ..images(folder.path()) }), first);
    assert_ne!(digest(Images { resize: 26, ..images(folder.path()) }), first);
    let mut other = fixture("tall.bmp");
    *other.last_mut().unwrap() ^= 1;
    folder.write("val/dog/b.bmp", &other);
    assert_ne!(digest(images(folder.path())), first);
}

#[test]
fn a_picture_that_is_read_late_is_named_when_it_is_damaged() {
    let folder = folder("images-late");
    let streamed = Images { memory: room(0), ..images(folder.path()) };
    let data = read_all(streamed.clone()).unwrap();
    folder.write("train/dog/a.JPG", b"no picture");
    let message = data.train.values().unwrap_err().to_string();
    assert!(message.contains("train/dog/a.JPG: expected a picture"), "{message}");
    // Those that are to be left out are looked for at once.
    let skips = Images { damaged: crate::Damaged::Skip, ..streamed };
    let data = read_all(skips).unwrap();
    assert_eq!((data.train.len(), data.left_out.len(), data.train.is_streamed()), (3, 1, true));
    assert_eq!(data.train.labels, [0, 0, 1]);
    data.train.values().unwrap();
}

#[test]
fn what_cannot_be_a_set_says_so() {
    let folder = folder("images-wrong");
    folder.write("val/bird/x.png", &fixture("wide.png"));
    assert!(
        read_all(images(folder.path()))
            .unwrap_err()
            .contains("the classes of the training part, found 1 other folder: \"bird\"")
    );
    let empty = Folder::new("images-empty");
    assert!(read_all(images(empty.path())).unwrap_err().contains("a folder for each class"));
    empty.write("a/x.txt", b"");
    empty.write("b/x.png", b"");
    assert!(read_all(images(empty.path())).unwrap_err().contains("expected pictures (png"));
}

#[test]
fn a_class_of_damaged_pictures_is_refused_even_where_they_are_left_out() {
    let folder = folder("images-class");
    for name in ["a.JPG", "b.bmp"] {
        folder.write(&format!("train/dog/{name}"), b"version https://git-lfs.github.com/spec/v1\n");
    }
    let look = |images: Images| {
        Data::Images(images).look(Path::new(""), &crate::Digests::open()).map(|_| ()).unwrap_err().to_string()
    };
    let message = look(images(folder.path()));
    assert!(message.contains("train/dog/a.JPG: expected a picture, found a Git LFS pointer"), "{message}");
    let skips = Images { damaged: crate::Damaged::Skip, ..images(folder.path()) };
    let message = read_all(skips).unwrap_err();
    assert!(message.contains("train/dog: expected a picture of its class"), "{message}");
    assert!(message.contains("a.JPG: a Git LFS pointer"), "{message}");
    folder.write("map.txt", b"<html>");
    let label_map = Some(folder.join("map.txt").display().to_string());
    assert!(
        look(Images { label_map, ..images(folder.path()) }).contains("map.txt: expected a text of folders")
    );
}

#[test]
fn a_third_part_is_for_validation_and_shares_are_of_each_class() {
    let folder = Folder::new("images-parts");
    for part in ["train", "valid", "test"] {
        for (class, count) in [("cat", 10), ("dog", 5)] {
            for index in 0..count {
                folder.write(&format!("{part}/{class}/{index}.png"), &fixture("wide.png"));
            }
        }
    }
    let look = |images: &Images| {
        Data::Images(images.clone()).look(Path::new(""), &crate::Digests::open()).unwrap().unwrap()
    };
    let three = images(folder.path());
    let looked = look(&three);
    assert_eq!((looked.found.train, looked.found.validation, looked.found.test), (15, 15, 15));
    assert_eq!(looked.details.labels[1], [[0; 10].as_slice(), &[1; 5]].concat());
    assert_eq!(looked.details.split, "the folders train, valid (for validation) and test (for testing)");
    let data = read_all(three.clone()).unwrap();
    assert_eq!((data.train.len(), data.validation.len(), data.test.len()), (15, 15, 15));
    assert!(
        read_all(Images { validation: 3, ..three }).unwrap_err().contains("validation part of their own")
    );
    let one = Images { validation: 3, ..images(&folder.join("train")) };
    let looked = look(&one);
    assert_eq!(looked.details.split, "20 % of the pictures of each class, the same for all seeds");
    assert_eq!(looked.details.labels[2], [0, 0, 1]);
    assert_eq!(read_all(one).unwrap().validation.labels, [0, 0, 1]);
}

/// Inputs that people reported, with what is right; skipped where they are not beside the project.
#[test]
fn folders_that_people_have_are_read() {
    let cases = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("../shared/cases");
    if !cases.is_dir() {
        return;
    }
    for (folder, classes, sizes) in [
        ("split-folders/training_testing", "a b c", [12, 0, 12]),
        ("split-folders/validation", "a b c", [12, 0, 21]),
        ("mac-archives/mac", "a b", [6, 0, 2]),
        ("mac-archives/mac_inline", "a b", [6, 0, 2]),
        ("left-out-pictures/tif", "a b", [18, 0, 4]),
    ] {
        let images = images(&cases.join(folder));
        let looked =
            Data::Images(images.clone()).look(Path::new(""), &crate::Digests::open()).unwrap().unwrap();
        let found = looked.found;
        assert_eq!([found.train, found.validation, found.test], sizes, "{folder}");
        assert_eq!(found.classes.iter().collect::<Vec<_>>().join(" "), classes, "{folder}");
        assert_eq!((looked.details.left_out, looked.details.notes), (vec![], vec![]), "{folder}");
        read_all(images).unwrap();
    }
    // Sums over values, and over values times their place modulo 251: of Pillow, but grey divided by 257.
    for (name, sums) in [
        ("rgb16.png", (76_048, 9_712_818)),
        ("ppm_maxval.ppm", (63_959, 8_169_700)),
        ("grey16.png", (96_459, 11_693_299)),
    ] {
        let pixels = picture::decode(&cases.join("pictures-one-level").join(name)).unwrap().into_raw();
        let weighted = pixels.iter().enumerate().map(|(place, value)| place as u64 % 251 * u64::from(*value));
        assert_eq!((pixels.iter().map(|value| u64::from(*value)).sum(), weighted.sum()), sums, "{name}");
    }
    assert!(picture::decode(&cases.join("lfs-pointer/f.jpg")).unwrap_err().contains("Git LFS pointer"));
}
