use std::path::Path;

use crate::idx::{IDX, ten_classes};
use crate::locate::{KnownSet, Origin, Remote};
use crate::source::{Source, TEN_DIGITS};
use crate::{DataError, Found, Parts, Shape};

/// MNIST (`LeCun`, Cortes & Burges).
pub const MNIST: KnownSet = KnownSet {
    name: "MNIST",
    folders: &["mnist", "MNIST/raw", "MNIST", "mnist/MNIST/raw"],
    remedy: "Get the four files from the MNIST pages (yann.lecun.com/exdb/mnist) or let torchvision download them, \
             then name their folder: Mnist(dir: \"…\")",
    first_labels: &[5, 0, 4, 1, 9, 2, 1, 3, 1, 4],
    origin: Some(Origin {
        page: "yann.lecun.com/exdb/mnist",
        licence: "CC BY-SA 3.0",
        files: remotes! { "https://storage.googleapis.com/cvdf-datasets/mnist/":
            "train-images-idx3-ubyte.gz" 9_912_422 "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609";
            "train-labels-idx1-ubyte.gz" 28_881 "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c";
            "t10k-images-idx3-ubyte.gz" 1_648_877 "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6";
            "t10k-labels-idx1-ubyte.gz" 4_542 "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6";
        },
    }),
    ..IDX
};

dataset! { Mnist: "MNIST", files MNIST }

impl Source for Mnist {
    fn original(&self) -> Option<Found> {
        Some(Found::known(Shape::new(1, 28, 28), TEN_DIGITS, 60_000, 10_000))
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        ten_classes(folder, &MNIST)
    }
}
