use std::path::Path;

use super::{Original, Source, TEN_DIGITS};
use crate::{DataError, Parts, SVHN, Shape, svhn};

dataset! {
    /// Settings of Street View House Numbers.
    Svhn: "SVHN", files SVHN
}

impl Source for Svhn {
    fn original(&self) -> Option<Original> {
        Some(Original { shape: Shape::new(3, 32, 32), classes: TEN_DIGITS, train: 73_257, test: 26_032 })
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        svhn(folder)
    }
}
