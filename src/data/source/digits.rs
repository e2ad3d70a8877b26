use std::path::Path;

use super::{EVERY_FIFTH, Original, Source, TEN_DIGITS};
use crate::{DataError, Parts, Shape, digits};

dataset! {
    /// Settings of UCI's handwritten digits.
    Digits: "Digits"
}

impl Source for Digits {
    fn original(&self) -> Option<Original> {
        Some(Original { shape: Shape::new(1, 8, 8), classes: TEN_DIGITS, train: 1437, test: 360 })
    }

    fn split(&self) -> &'static str {
        EVERY_FIFTH
    }

    fn read(&self, _: &Path, _: &Path) -> Result<Parts, DataError> {
        Ok(digits())
    }

    fn fits_network(&self) -> bool {
        true
    }
}
