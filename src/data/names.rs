//! What classes are called.

use super::{Data, Labels};

const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
const SPECIES: [&str; 3] = ["setosa", "versicolor", "virginica"];
const CLOTHES: [&str; 10] = [
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
const THINGS: [&str; 10] =
    ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

impl Data {
    /// The names of the classes in the order of their labels, `[classes]`.
    pub fn class_names(&self) -> &'static [&'static str] {
        if *self.labels() == Labels::EvenOdd {
            return &["even", "odd"];
        }
        match self {
            Self::Digits(_) | Self::Mnist(_) => &DIGITS,
            Self::Iris(_) => &SPECIES,
            Self::FashionMnist(_) => &CLOTHES,
            Self::Cifar10(_) => &THINGS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cifar10, Digits, FashionMnist, Iris, Mnist};

    #[test]
    fn every_class_has_a_name_of_its_own() {
        let odd = Digits { labels: Labels::EvenOdd, ..Digits::default() };
        for data in [
            Data::Digits(Digits::default()),
            Data::Digits(odd),
            Data::Iris(Iris::default()),
            Data::Mnist(Mnist::default()),
            Data::FashionMnist(FashionMnist::default()),
            Data::Cifar10(Cifar10::default()),
        ] {
            let names: std::collections::BTreeSet<_> = data.class_names().iter().collect();
            assert_eq!(names.len(), data.facts(None).classes, "{data:?}");
        }
    }
}
