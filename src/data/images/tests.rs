use std::path::PathBuf;

use super::*;
use crate::data::testing::{Folder, mutated, mutated_in};
use crate::data::{Data, Dataset, Images, Normalize, Shape};

/// Pictures that `tests/oracle/image_folder.py` made, with what torchvision makes of them.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images")
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

/// 4:2:0 (also with an orientation, which is ignored), 4:4:4, 4:2:2, progressive with restarts, grey and CMYK.
#[test]
fn jpegs_have_the_bits_of_pillow() {
    for name in ["photo", "turned", "full", "half", "progressive", "grey", "print"] {
        let pixels = jpeg::decode(&fixture(&format!("{name}.jpg"))).unwrap().into_raw();
        assert_eq!(differences(&pixels, &fixture(&format!("{name}.jpg.pixels"))), (0, 0.0), "{name}");
    }
}

/// Where the frame header of a JPEG begins, after its marker and length.
fn frame(bytes: &[u8]) -> usize {
    bytes.windows(2).position(|pair| matches!(pair, [0xff, 0xc0 | 0xc2])).unwrap() + 4
}

#[test]
fn jpegs_that_are_not_read_say_why() {
    let whole = fixture("photo.jpg");
    let refused = |bytes: &[u8]| jpeg::decode(bytes).unwrap_err();
    assert_eq!(refused(&whole[..whole.len() / 2]), "unexpected end of data");
    let mut giant = whole.clone();
    giant[frame(&whole) + 1..][..4].copy_from_slice(&[60_000_u16.to_be_bytes(); 2].concat());
    assert!(refused(&giant).contains("60000×60000"));
    let mut deep = whole.clone();
    deep[frame(&whole)] = 12;
    assert!(refused(&deep).contains("12 bits"), "{}", refused(&deep));
    let mut print = fixture("print.jpg");
    let sampling = frame(&print) + 7;
    print[sampling] = 0x22;
    assert!(refused(&print).contains("CMYK"));
    // One scan again and again.
    let progressive = fixture("progressive.jpg");
    let last = progressive.windows(2).rposition(|pair| pair == [0xff, 0xda]).unwrap();
    let (before, scan) = progressive[..progressive.len() - 2].split_at(last);
    let bomb = [before, &scan.repeat(600), &[0xff, 0xd9]].concat();
    assert!(refused(&bomb).contains("500"), "{}", refused(&bomb));
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
    let found = data.look(Path::new("")).map_err(|error| error.to_string())?;
    data.with_found(found.map(|looked| looked.found)).read(None, Path::new("")).map_err(|error| error.to_string())
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
    let facts = facts.with_found(facts.look(Path::new("")).unwrap().map(|looked| looked.found)).facts(None).unwrap();
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
    let found = data.look(Path::new("")).unwrap().unwrap().found;
    assert_eq!(found.classes.iter().collect::<Vec<_>>(), ["tom", "1", "hound"]);
    assert_eq!(read_all(mapped.clone()).unwrap().test.labels, [0, 2]);
    folder.write("synsets.txt", b"dog\nbird\n");
    assert!(
        read_all(mapped).unwrap_err().contains("a folder that the label map names, found the folder \"cat\"")
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
    let skips = Images { damaged: crate::data::Damaged::Skip, ..images(folder.path()) };
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
        assert_eq!(streamed.digest().unwrap(), whole.digest().unwrap());
        // No more is kept than there is room for.
        assert!(streamed.train.is_streamed() || streamed.test.is_streamed());
    }
}

#[test]
fn a_digest_is_of_the_files_and_of_what_is_made_of_them() {
    let folder = folder("images-digest");
    let digest = |images: Images| read_all(images).unwrap().digest().unwrap();
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
    let skips = Images { damaged: crate::data::Damaged::Skip, ..streamed };
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
            .contains("the classes of the training part, found the folder \"bird\"")
    );
    let empty = Folder::new("images-empty");
    assert!(read_all(images(empty.path())).unwrap_err().contains("a folder for each class"));
    empty.write("a/x.txt", b"");
    empty.write("b/x.png", b"");
    assert!(read_all(images(empty.path())).unwrap_err().contains("expected pictures (png"));
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_folder_are_refused() {
    let (folder, outside) = (folder("images-links"), Folder::new("images-outside"));
    outside.write("x.png", &fixture("wide.png"));
    std::os::unix::fs::symlink(folder.join("train/dog/b.bmp"), folder.join("train/cat/inside.bmp")).unwrap();
    assert_eq!(read_all(images(folder.path())).unwrap().train.len(), 5);
    std::os::unix::fs::symlink(outside.join("x.png"), folder.join("train/cat/x.png")).unwrap();
    let message = read_all(images(folder.path())).unwrap_err();
    assert!(message.contains("train/cat/x.png: expected no link that leaves the folder"), "{message}");
}

#[test]
fn giants_are_refused_by_their_header() {
    let folder = Folder::new("images-giant");
    // A BMP that promises 60,000 × 60,000 pixels.
    let mut giant = fixture("tall.bmp");
    giant[18..22].copy_from_slice(&60_000_u32.to_le_bytes());
    giant[22..26].copy_from_slice(&60_000_u32.to_le_bytes());
    folder.write("giant.bmp", &giant);
    let message = SMALL.read(&folder.join("giant.bmp")).unwrap_err();
    assert!(message.contains("60000×60000"), "{message}");
    folder.write("row.ppm", &[b"P6 200000 1 255\n".as_slice(), &vec![0; 600_000]].concat());
    let tall = Preparation { resize: 4000, ..SMALL };
    assert!(tall.read(&folder.join("row.ppm")).unwrap_err().contains("resized it would have"));
}

#[test]
fn damaged_pictures_never_panic() {
    let folder = Folder::new("images-mutations");
    for name in ["small.ppm", "bits.png", "turned.jpg", "plain.webp", "tall.bmp"] {
        let path = folder.join(name);
        mutated(&fixture(name), 2000, |bytes| {
            std::fs::write(&path, bytes).unwrap();
            if let Ok(pixels) = SMALL.read(&path) {
                assert_eq!(pixels.len(), 1200);
            }
        });
    }
}

/// The decoder is young, and most pictures are JPEGs; so there are more cases than for other formats.
#[test]
fn damaged_jpegs_never_panic() {
    for name in ["photo.jpg", "half.jpg", "progressive.jpg", "grey.jpg", "print.jpg"] {
        let whole = fixture(name);
        // All tables of these are in the header.
        mutated_in(frame(&whole) + 400, &whole, 3000, |bytes| {
            if let Ok(picture) = jpeg::decode(bytes) {
                assert!(picture.width() > 0 && picture.height() > 0);
            }
        });
    }
}
