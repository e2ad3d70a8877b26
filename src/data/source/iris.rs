use std::path::Path;

use super::{EVERY_FIFTH, Original, Source};
use crate::{DataError, Parts, Shape, iris};

const SPECIES: &[&str] = &["setosa", "versicolor", "virginica"];

dataset! {
    /// Settings of Fisher's iris flowers.
    Iris: "Iris"
}

impl Source for Iris {
    fn original(&self) -> Option<Original> {
        Some(Original { shape: Shape::new(4, 1, 1), classes: SPECIES, train: 120, test: 30 })
    }

    fn split(&self) -> &'static str {
        EVERY_FIFTH
    }

    fn read(&self, _: &Path, _: &Path) -> Result<Parts, DataError> {
        Ok(iris())
    }
}
