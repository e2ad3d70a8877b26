use std::ops::RangeInclusive;
use std::path::Path;

use crate::locate::KnownSet;
use crate::source::{Source, TEN_DIGITS};
use crate::{DataError, Found, Parts, Samples, Shape, idx};

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
            folders: &["emnist", "EMNIST/raw", "EMNIST", "emnist/gzip", "gzip"],
            remedy: "Get gzip.zip from www.nist.gov/itl/products-and-services/emnist-dataset and unpack it, or let \
                     torchvision download it, then name the folder: Emnist(dir: \"…\")",
            ..KnownSet::EMPTY
        }
    };
}

/// The splits of EMNIST (Cohen et al. 2017), in the order of [`EmnistSplit`].
pub static EMNIST: [KnownSet; 6] = [
    split!("balanced"),
    split!("byclass"),
    split!("bymerge"),
    split!("letters"),
    split!("digits"),
    split!("mnist"),
];

form::choice! {
    /// Parts of EMNIST, as its authors cut it.
    pub enum EmnistSplit: "Split" {
        Balanced, "Balanced", "47 classes of digits and letters, 131,600 images";
        ByClass, "By class", "62 classes: digits, capital and small letters, 814,255 images";
        ByMerge, "By merge", "47 classes: small letters that look like capitals are those, 814,255 images";
        Letters, "Letters", "26 letters, 145,600 images";
        Digits, "Digits", "Ten digits, 280,000 images";
        Mnist, "MNIST", "Ten digits, 70,000 images";
    }
}

#[rustfmt::skip]
const LETTERS: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u",
    "v", "w", "x", "y", "z",
];
#[rustfmt::skip]
const BY_MERGE: &[&str] = &[
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K",
    "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "a", "b", "d", "e", "f", "g",
    "h", "n", "q", "r", "t",
];
#[rustfmt::skip]
const BY_CLASS: &[&str] = &[
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K",
    "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "a", "b", "c", "d", "e", "f",
    "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z",
];

dataset! {
    Emnist: "EMNIST", files of emnist => emnist.set(), {
        split: EmnistSplit = EmnistSplit::Balanced, "Split", "Which of its splits";
    }
}

impl Emnist {
    fn set(&self) -> &'static KnownSet {
        let place = match self.split {
            EmnistSplit::Balanced => 0,
            EmnistSplit::ByClass => 1,
            EmnistSplit::ByMerge => 2,
            EmnistSplit::Letters => 3,
            EmnistSplit::Digits => 4,
            EmnistSplit::Mnist => 5,
        };
        &EMNIST[place]
    }
}

impl Source for Emnist {
    fn original(&self) -> Option<Found> {
        let (classes, train, test) = match self.split {
            EmnistSplit::Balanced => (BY_MERGE, 112_800, 18_800),
            EmnistSplit::ByClass => (BY_CLASS, 697_932, 116_323),
            EmnistSplit::ByMerge => (BY_MERGE, 697_932, 116_323),
            EmnistSplit::Letters => (LETTERS, 124_800, 20_800),
            EmnistSplit::Digits => (TEN_DIGITS, 240_000, 40_000),
            EmnistSplit::Mnist => (TEN_DIGITS, 60_000, 10_000),
        };
        Some(Found::known(Shape::new(1, 28, 28), classes, train, test))
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        let classes = self.original().map_or(0, |original| original.classes.len()) as u32;
        // Letters count from 1.
        let first = u32::from(self.split == EmnistSplit::Letters);
        emnist(folder, self.set(), &(first..=first + classes - 1))
    }
}

/// Reads a split of EMNIST from a folder; pixels are divided by 255. Rows and columns of its files change places, so that
/// the signs stand upright as MNIST's do.
fn emnist(folder: &Path, set: &KnownSet, range: &RangeInclusive<u32>) -> Result<Parts, DataError> {
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
