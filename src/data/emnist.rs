//! EMNIST: MNIST's format, with images that lie on their side.

use std::ops::RangeInclusive;
use std::path::Path;

use super::locate::KnownSet;
use super::{DataError, Parts, Samples, idx};

/// The files of one split.
macro_rules! split {
    ($name:literal) => {
        KnownSet {
            name: concat!("EMNIST (", $name, ")"),
            needed: &[
                concat!("emnist-", $name, "-train-images-idx3-ubyte"),
                concat!("emnist-", $name, "-train-labels-idx1-ubyte"),
                concat!("emnist-", $name, "-test-images-idx3-ubyte"),
                concat!("emnist-", $name, "-test-labels-idx1-ubyte"),
            ],
            optional: &[],
            folders: &["emnist", "EMNIST/raw", "EMNIST", "emnist/gzip", "gzip"],
            remedy: "Get gzip.zip from www.nist.gov/itl/products-and-services/emnist-dataset and unpack it, or let \
                     torchvision download it, then name the folder: Emnist(dir: \"…\")",
            first_labels: &[],
            origin: None,
        }
    };
}

/// The splits of EMNIST (Cohen et al. 2017).
pub static EMNIST: [KnownSet; 6] = [
    split!("balanced"),
    split!("byclass"),
    split!("bymerge"),
    split!("letters"),
    split!("digits"),
    split!("mnist"),
];

/// Reads a split of EMNIST from a folder; pixels are divided by 255. Rows and columns of its files change places, so that
/// the signs stand upright as MNIST's do.
///
/// # Errors
/// A missing, truncated or wrong file.
pub fn emnist(folder: &Path, set: &KnownSet, range: &RangeInclusive<u32>) -> Result<Parts, DataError> {
    let mut parts = idx::parts(folder, set, range)?;
    transpose(&mut parts.train);
    transpose(&mut parts.test);
    Ok(parts)
}

fn transpose(samples: &mut Samples) {
    let (rows, columns) = (samples.shape.height, samples.shape.width);
    for image in samples.in_memory().chunks_exact_mut(rows * columns) {
        let old = image.to_vec();
        for row in 0..rows {
            for column in 0..columns {
                image[column * rows + row] = old[row * columns + column];
            }
        }
    }
    (samples.shape.height, samples.shape.width) = (columns, rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, mutated};

    #[test]
    fn letters_stand_upright_and_count_from_0() {
        let folder = Folder::new("emnist");
        let images = [[0x0803_u32, 1, 2, 2].map(u32::to_be_bytes).concat(), vec![255, 51, 0, 102]].concat();
        let labels = [[0x0801_u32, 1].map(u32::to_be_bytes).concat(), vec![26]].concat();
        for (name, content) in EMNIST[3].needed.iter().zip([&images, &labels, &images, &labels]) {
            folder.write(name, content);
        }
        let parts = emnist(folder.path(), &EMNIST[3], &(1..=26)).unwrap();
        assert_eq!(
            (parts.train.values().unwrap().into_owned(), parts.train.labels, parts.classes),
            (vec![1.0, 0.0, 0.2, 0.4], vec![25], 26)
        );
        let message = emnist(folder.path(), &EMNIST[3], &(1..=25)).unwrap_err().to_string();
        assert!(message.contains("expected labels from 1 to 25, found label 26"), "{message}");
    }

    #[test]
    fn damaged_files_never_panic() {
        let folder = Folder::new("emnist-mutations");
        let images = [[0x0803_u32, 2, 2, 3].map(u32::to_be_bytes).concat(), vec![255; 12]].concat();
        let labels = [[0x0801_u32, 2].map(u32::to_be_bytes).concat(), vec![26, 1]].concat();
        let files = [&images, &labels, &images, &labels];
        for damaged in 0..2 {
            for (name, content) in EMNIST[3].needed.iter().zip(files) {
                folder.write(name, content);
            }
            mutated(files[damaged], 2000, |bytes| {
                folder.write(EMNIST[3].needed[damaged], bytes);
                if let Ok(parts) = emnist(folder.path(), &EMNIST[3], &(1..=26)) {
                    assert!(parts.train.labels.iter().all(|label| *label < 26));
                }
            });
        }
    }
}
