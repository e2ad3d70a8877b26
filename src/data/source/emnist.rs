use std::path::Path;

use super::{Original, Source, TEN_DIGITS};
use crate::{DataError, EMNIST, KnownSet, Parts, Shape, emnist};

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

const LETTERS: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u",
    "v", "w", "x", "y", "z",
];
const BY_MERGE: &[&str] = &[
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K",
    "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "a", "b", "d", "e", "f", "g",
    "h", "n", "q", "r", "t",
];
const BY_CLASS: &[&str] = &[
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K",
    "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "a", "b", "c", "d", "e", "f",
    "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z",
];

dataset! {
    /// Settings of EMNIST.
    Emnist: "EMNIST", files of emnist => emnist.set(), {
        split: EmnistSplit = EmnistSplit::Balanced, "Split", "Which of its splits";
    }
}

impl Emnist {
    /// The files of its split.
    fn set(&self) -> &'static KnownSet {
        let index = match self.split {
            EmnistSplit::Balanced => 0,
            EmnistSplit::ByClass => 1,
            EmnistSplit::ByMerge => 2,
            EmnistSplit::Letters => 3,
            EmnistSplit::Digits => 4,
            EmnistSplit::Mnist => 5,
        };
        &EMNIST[index]
    }
}

impl Source for Emnist {
    fn original(&self) -> Option<Original> {
        let (classes, train, test) = match self.split {
            EmnistSplit::Balanced => (BY_MERGE, 112_800, 18_800),
            EmnistSplit::ByClass => (BY_CLASS, 697_932, 116_323),
            EmnistSplit::ByMerge => (BY_MERGE, 697_932, 116_323),
            EmnistSplit::Letters => (LETTERS, 124_800, 20_800),
            EmnistSplit::Digits => (TEN_DIGITS, 240_000, 40_000),
            EmnistSplit::Mnist => (TEN_DIGITS, 60_000, 10_000),
        };
        Some(Original { shape: Shape::new(1, 28, 28), classes, train, test })
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        let classes = self.original().map_or(0, |original| original.classes.len()) as u32;
        // Letters count from 1.
        let first = u32::from(self.split == EmnistSplit::Letters);
        emnist(folder, self.set(), &(first..=first + classes - 1))
    }
}
