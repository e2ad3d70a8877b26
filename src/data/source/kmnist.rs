use std::path::Path;

use crate::idx::{IDX, ten_classes};
use crate::locate::KnownSet;
use crate::source::Source;
use crate::{DataError, Found, Parts, Shape};

/// Kuzushiji-MNIST (Clanuwat et al. 2018).
pub const KMNIST: KnownSet = KnownSet {
    name: "KMNIST",
    folders: &["kmnist", "KMNIST/raw", "KMNIST"],
    remedy: "Get the four files from codh.rois.ac.jp/kmnist or let torchvision download them, then name their folder: \
             Kmnist(dir: \"…\")",
    first_labels: &[8, 7, 0],
    ..IDX
};

/// One sign of each row of the syllabary, in Latin letters.
const SYLLABLES: &[&str] = &["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"];

dataset! { Kmnist: "KMNIST", files KMNIST }

impl Source for Kmnist {
    fn original(&self) -> Option<Found> {
        Some(Found::known(Shape::new(1, 28, 28), SYLLABLES, 60_000, 10_000))
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        ten_classes(folder, &KMNIST)
    }
}
