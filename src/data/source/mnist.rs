use std::path::Path;

use super::{Original, Source, TEN_DIGITS};
use crate::{DataError, MNIST, Parts, Shape, mnist};

dataset! {
    /// Settings of MNIST.
    Mnist: "MNIST", files MNIST
}

impl Source for Mnist {
    fn original(&self) -> Option<Original> {
        Some(Original { shape: Shape::new(1, 28, 28), classes: TEN_DIGITS, train: 60_000, test: 10_000 })
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        mnist(folder)
    }
}
