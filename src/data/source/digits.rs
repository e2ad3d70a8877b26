use std::path::Path;

use crate::files::embedded;
use crate::source::{Source, TEN_DIGITS};
use crate::{DataError, Found, Parts, Shape};

dataset! { Digits: "Digits" }

/// Reads 1,797 handwritten digits of 1×8×8 pixels, 0 to 16 scaled to 0 to 1; 1,437 for training and 360 for testing.
pub fn digits() -> Parts {
    embedded(include_bytes!("../../../assets/data/digits.bin.gz"), Shape::new(1, 8, 8), 16.0, 10)
}

impl Source for Digits {
    fn original(&self) -> Option<Found> {
        Some(Found::known(Shape::new(1, 8, 8), TEN_DIGITS, 1437, 360))
    }

    fn read(&self, _: &Path, _: &Path) -> Result<Parts, DataError> {
        Ok(digits())
    }

    fn fits_network(&self) -> bool {
        true
    }
}
