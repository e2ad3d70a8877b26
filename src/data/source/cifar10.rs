use std::path::Path;

use super::{Original, Source};
use crate::{CIFAR10, DataError, Parts, Shape, cifar10};

const THINGS: &[&str] =
    &["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

dataset! {
    /// Settings of CIFAR-10.
    Cifar10: "CIFAR-10", files CIFAR10
}

impl Source for Cifar10 {
    fn original(&self) -> Option<Original> {
        Some(Original { shape: Shape::new(3, 32, 32), classes: THINGS, train: 50_000, test: 10_000 })
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        cifar10(folder)
    }
}
