use std::path::Path;

use crate::locate::KnownSet;
use crate::numpy::Arrays;
use crate::source::{Source, TEN_DIGITS};
use crate::{DataError, Found, Parts, Samples, Shape};

/// Street View House Numbers (Netzer et al. 2011), cropped digits.
pub const SVHN: KnownSet = KnownSet {
    name: "SVHN",
    needed: &["train_32x32.npz", "test_32x32.npz"],
    folders: &["svhn", "SVHN"],
    remedy: "Get train_32x32.mat and test_32x32.mat from ufldl.stanford.edu/housenumbers, write each as .npz with Python: \
             numpy.savez(\"train_32x32.npz\", **{k: v for k, v in scipy.io.loadmat(\"train_32x32.mat\").items() if k in \"Xy\"}), \
             then name their folder: Svhn(dir: \"…\")",
    ..KnownSet::EMPTY
};

const SHAPE: Shape = Shape::new(3, 32, 32);
/// The most images of a file: those for training and the extra ones together are 604,388.
const MOST: usize = 700_000;

dataset! { Svhn: "SVHN", files SVHN }

impl Source for Svhn {
    fn original(&self) -> Option<Found> {
        Some(Found::known(SHAPE, TEN_DIGITS, 73_257, 26_032))
    }

    /// Gives the digit 0, whose label is 10, the label 0.
    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        let [train, test] = SVHN.needed else { unreachable!("it has two files") };
        Ok(Parts::new(part(&SVHN.file(folder, train)?)?, part(&SVHN.file(folder, test)?)?, 10))
    }
}

fn part(path: &Path) -> Result<Samples, DataError> {
    // MATLAB has [height, width, channels, n].
    let shape = |len| vec![SHAPE.height, SHAPE.width, SHAPE.channels, len];
    let mut arrays = Arrays::open(path, SVHN.remedy)?;
    let (mut labels, values) = arrays.pair(["X", "y"], &[3, 2, 0, 1], MOST, shape)?;
    if let Some(label) = labels.iter().find(|label| !(1..=10).contains(*label)) {
        return Err(SVHN.wrong(path, "labels from 1 to 10", format!("label {label}")));
    }
    for label in &mut labels {
        *label %= 10;
    }
    Ok(Samples::new(SHAPE, values, labels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numpy::testing::{npy, npz};
    use crate::testing::{Folder, mutated};

    /// Two images in MATLAB's order: pixel i of the first is i in its last digits, and of the second 255.
    fn file() -> Vec<u8> {
        let pixels: Vec<u8> = (0..32 * 32 * 3_u32).flat_map(|at| [(at % 251) as u8, 255]).collect();
        let arrays =
            [("X.npy", npy("|u1", "(32, 32, 3, 2)", &pixels)), ("y.npy", npy("|u1", "(2, 1)", &[10, 3]))];
        npz(&arrays, zip::CompressionMethod::Deflated)
    }

    #[test]
    fn images_turn_and_the_label_of_zero_is_0() {
        let folder = Folder::new("svhn");
        folder.write("train_32x32.npz", &file());
        folder.write("test_32x32.npz", &file());
        let parts = Svhn::default().read(folder.path(), Path::new("")).unwrap();
        assert_eq!((parts.train.labels.as_slice(), parts.test.len()), (&[0, 3][..], 2));
        let first = parts.train.sample(0).unwrap();
        // Row 0, column 1: red, green and blue lie beside each other in the file.
        assert_eq!([1, 1025, 2049].map(|at| (first[at] * 255.0).round()), [3.0, 4.0, 5.0]);
        assert!(parts.train.sample(1).unwrap().iter().all(|value| *value == 1.0));
    }

    #[test]
    fn headers_that_promise_another_set_are_refused_before_it_is_read() {
        let folder = Folder::new("svhn-wrong");
        let path = folder.join("train_32x32.npz");
        for (images, labels, expected) in [
            (
                npy("|u1", "(32, 32, 3, 1)", &[0; 3072]),
                npy("|u1", "(2,)", &[1; 2]),
                "X: the shape [32, 32, 3, 2]",
            ),
            (npy("<f8", "(32, 32, 3, 1)", &vec![0; 8 * 3072]), npy("|u1", "(1,)", &[1]), "X: bytes (u1)"),
            (npy("|u1", "(32, 32, 3, 1)", &[0; 3072]), npy("|u1", "(0,)", &[]), "y: 1 to 700,000 labels"),
            (npy("|u1", "(32, 32, 3, 1)", &[0; 3072]), npy("|u1", "(1,)", &[11]), "labels from 1 to 10"),
        ] {
            folder.write(
                "train_32x32.npz",
                &npz(&[("X.npy", images), ("y.npy", labels)], zip::CompressionMethod::Stored),
            );
            let message = part(&path).unwrap_err().to_string();
            assert!(
                message.contains(expected) && message.ends_with(SVHN.remedy),
                "{message} lacks {expected}"
            );
        }
        // A million labels in a small archive.
        let many = npy("|u1", "(1000000,)", &vec![1; 1_000_000]);
        let images = npy("|u1", "(32, 32, 3, 1)", &[0; 3072]);
        folder.write(
            "train_32x32.npz",
            &npz(&[("X.npy", images), ("y.npy", many)], zip::CompressionMethod::Deflated),
        );
        let message = part(&path).unwrap_err().to_string();
        assert!(message.contains("y: 1 to 700,000 labels, found 1000000"), "{message}");
    }

    #[test]
    fn damaged_archives_never_panic() {
        let folder = Folder::new("svhn-mutations");
        let path = folder.join("train_32x32.npz");
        mutated(&file(), 2000, |bytes| {
            std::fs::write(&path, bytes).unwrap();
            if let Ok(samples) = part(&path) {
                assert!(samples.labels.iter().all(|label| *label < 10));
            }
        });
    }
}
