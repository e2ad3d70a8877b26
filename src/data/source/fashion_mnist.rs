use std::path::Path;

use super::{Original, Source};
use crate::{DataError, FASHION_MNIST, Parts, Shape, fashion_mnist};

const CLOTHES: &[&str] = &[
    "T-shirt/top",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
];

dataset! {
    /// Settings of Fashion-MNIST.
    FashionMnist: "Fashion-MNIST", files FASHION_MNIST
}

impl Source for FashionMnist {
    fn original(&self) -> Option<Original> {
        Some(Original { shape: Shape::new(1, 28, 28), classes: CLOTHES, train: 60_000, test: 10_000 })
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        fashion_mnist(folder)
    }
}
