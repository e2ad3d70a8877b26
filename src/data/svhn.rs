//! SVHN: the arrays of its MATLAB files in archives of NumPy.

use std::path::Path;

use super::locate::KnownSet;
use super::numpy::Arrays;
use super::{DataError, Parts, Samples, Shape};

/// Street View House Numbers (Netzer et al. 2011), cropped digits.
pub const SVHN: KnownSet = KnownSet {
    name: "SVHN",
    needed: &["train_32x32.npz", "test_32x32.npz"],
    folders: &["svhn", "SVHN"],
    remedy: "Get train_32x32.mat and test_32x32.mat from ufldl.stanford.edu/housenumbers, write each as .npz with Python: \
             numpy.savez(\"train_32x32.npz\", **{k: v for k, v in scipy.io.loadmat(\"train_32x32.mat\").items() if k in \"Xy\"}), \
             then name their folder: Svhn(dir: \"…\")",
    first_labels: &[],
    origin: None,
};

const SHAPE: Shape = Shape::new(3, 32, 32);

/// Reads SVHN from a folder; pixels are divided by 255, and the digit 0, whose label is 10, gets the label 0.
///
/// # Errors
/// A missing, truncated or wrong file.
pub fn svhn(folder: &Path) -> Result<Parts, DataError> {
    let [train, test] = ["train_32x32.npz", "test_32x32.npz"].map(|name| part(&SVHN.file(folder, name)?));
    Ok(Parts::new(train?, test?, 10))
}

fn part(path: &Path) -> Result<Samples, DataError> {
    // MATLAB has [height, width, channels, n].
    let (shape, mut labels, values) = Arrays::open(path)?.pair(["X", "y"], &[3, 2, 0, 1])?;
    if shape != [labels.len(), SHAPE.channels, SHAPE.height, SHAPE.width] || labels.is_empty() {
        let expected = format!("images [32, 32, 3, {}], one for each label", labels.len());
        return Err(SVHN.wrong(path, expected, format!("{shape:?} as [n, channels, height, width]")));
    }
    if let Some(label) = labels.iter().find(|label| !(1..=10).contains(*label)) {
        return Err(SVHN.wrong(path, "labels from 1 to 10", format!("label {label}")));
    }
    for label in &mut labels {
        *label %= 10;
    }
    Ok(Samples::new(SHAPE, values, labels))
}
