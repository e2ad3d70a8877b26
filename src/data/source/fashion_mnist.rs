use std::path::Path;

use crate::idx::{IDX, ten_classes};
use crate::locate::{KnownSet, Origin, Remote};
use crate::source::Source;
use crate::{DataError, Found, Parts, Shape};

/// Fashion-MNIST (Xiao, Rasul & Vollgraf 2017).
pub const FASHION_MNIST: KnownSet = KnownSet {
    name: "Fashion-MNIST",
    folders: &["fashion-mnist", "FashionMNIST/raw", "FashionMNIST", "fashion_mnist", "fashion"],
    remedy: "Get the four files from github.com/zalandoresearch/fashion-mnist or let torchvision download them, \
             then name their folder: FashionMnist(dir: \"…\")",
    first_labels: &[9, 0, 0, 3, 0, 2, 7, 2, 5, 5],
    origin: Some(Origin {
        page: "github.com/zalandoresearch/fashion-mnist",
        licence: "MIT",
        files: remotes! { "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/":
            "train-images-idx3-ubyte.gz" 26_421_880 "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84";
            "train-labels-idx1-ubyte.gz" 29_515 "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845";
            "t10k-images-idx3-ubyte.gz" 4_422_102 "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073";
            "t10k-labels-idx1-ubyte.gz" 5_148 "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5";
        },
    }),
    ..IDX
};

#[rustfmt::skip]
const CLOTHES: &[&str] = &[
    "T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot",
];

dataset! { FashionMnist: "Fashion-MNIST", files FASHION_MNIST }

impl Source for FashionMnist {
    fn original(&self) -> Option<Found> {
        Some(Found::known(Shape::new(1, 28, 28), CLOTHES, 60_000, 10_000))
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        ten_classes(folder, &FASHION_MNIST)
    }
}
