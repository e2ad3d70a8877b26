use std::path::Path;

use super::{Original, Source};
use crate::{DataError, KMNIST, Parts, Shape, kmnist};

/// One sign of each row of the syllabary, in Latin letters.
const SYLLABLES: &[&str] = &["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"];

dataset! {
    /// Settings of Kuzushiji-MNIST.
    Kmnist: "KMNIST", files KMNIST
}

impl Source for Kmnist {
    fn original(&self) -> Option<Original> {
        Some(Original { shape: Shape::new(1, 28, 28), classes: SYLLABLES, train: 60_000, test: 10_000 })
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        kmnist(folder)
    }
}
