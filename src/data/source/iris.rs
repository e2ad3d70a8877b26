use std::path::Path;

use crate::files::embedded;
use crate::source::Source;
use crate::{DataError, Found, Parts, Shape};

const SPECIES: &[&str] = &["setosa", "versicolor", "virginica"];

dataset! { Iris: "Iris" }

/// Reads 150 irises with 4 measurements in centimetres, to be standardised; 120 for training and 30 for testing.
pub fn iris() -> Parts {
    Parts {
        standardise: true,
        ..embedded(include_bytes!("../../../assets/data/iris.bin.gz"), Shape::new(4, 1, 1), 10.0, 3)
    }
}

impl Source for Iris {
    fn original(&self) -> Option<Found> {
        Some(Found::known(Shape::new(4, 1, 1), SPECIES, 120, 30))
    }

    fn read(&self, _: &Path, _: &Path) -> Result<Parts, DataError> {
        Ok(iris())
    }
}
