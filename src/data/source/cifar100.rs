use std::path::Path;

use crate::locate::{KnownSet, Origin, Remote};
use crate::source::Source;
use crate::source::cifar10::{BATCH, Layout, SHAPE};
use crate::{DataError, Found, Parts};

/// CIFAR-100 (Krizhevsky 2009), the "binary version".
pub const CIFAR100: KnownSet = KnownSet {
    name: "CIFAR-100",
    needed: &["train.bin", "test.bin"],
    folders: &["cifar-100-binary", "cifar100", "cifar100/cifar-100-binary", "CIFAR100/cifar-100-binary"],
    remedy: "Get the binary version (torchvision's cifar-100-python is another format) from \
             www.cs.toronto.edu/~kriz/cifar.html, unpack it, then name its folder: Cifar100(dir: \"…\")",
    origin: Some(Origin {
        page: "www.cs.toronto.edu/~kriz/cifar.html",
        licence: "none stated; papers cite Krizhevsky (2009)",
        files: &[Remote {
            url: "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
            bytes: 168_513_733,
            sha256: "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
            members: &[("train.bin", 153_700_000), ("test.bin", 30_740_000)],
        }],
    }),
    ..KnownSet::EMPTY
};

#[rustfmt::skip]
const FINE: &[&str] = &[
    "apple", "aquarium fish", "baby", "bear", "beaver", "bed", "bee", "beetle", "bicycle", "bottle", "bowl",
    "boy", "bridge", "bus", "butterfly", "camel", "can", "castle", "caterpillar", "cattle", "chair",
    "chimpanzee", "clock", "cloud", "cockroach", "couch", "crab", "crocodile", "cup", "dinosaur", "dolphin",
    "elephant", "flatfish", "forest", "fox", "girl", "hamster", "house", "kangaroo", "keyboard", "lamp",
    "lawn mower", "leopard", "lion", "lizard", "lobster", "man", "maple tree", "motorcycle", "mountain",
    "mouse", "mushroom", "oak tree", "orange", "orchid", "otter", "palm tree", "pear", "pickup truck",
    "pine tree", "plain", "plate", "poppy", "porcupine", "possum", "rabbit", "raccoon", "ray", "road",
    "rocket", "rose", "sea", "seal", "shark", "shrew", "skunk", "skyscraper", "snail", "snake", "spider",
    "squirrel", "streetcar", "sunflower", "sweet pepper", "table", "tank", "telephone", "television",
    "tiger", "tractor", "train", "trout", "tulip", "turtle", "wardrobe", "whale", "willow tree", "wolf",
    "woman", "worm",
];
#[rustfmt::skip]
const COARSE: &[&str] = &[
    "aquatic mammals", "fish", "flowers", "food containers", "fruit and vegetables",
    "household electrical devices", "household furniture", "insects", "large carnivores",
    "large man-made outdoor things", "large natural outdoor scenes", "large omnivores and herbivores",
    "medium mammals", "non-insect invertebrates", "people", "reptiles", "small mammals", "trees",
    "vehicles 1", "vehicles 2",
];

dataset! {
    Cifar100: "CIFAR-100", files CIFAR100, {
        coarse: bool = false, "Coarse", "Classifies 20 groups in place of the 100 classes";
    }
}

/// Returns the layout of records with the label of the group, then that of the class.
const fn layout(is_coarse: bool) -> Layout {
    let (label, classes) = if is_coarse { (0, 20) } else { (1, 100) };
    Layout { set: &CIFAR100, labels: 2, label, classes }
}

impl Source for Cifar100 {
    fn original(&self) -> Option<Found> {
        let classes = if self.coarse { COARSE } else { FINE };
        Some(Found::known(SHAPE, classes, 5 * BATCH, BATCH))
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        let layout = layout(self.coarse);
        let part = |name, records| layout.samples(folder, &[name], records);
        Ok(Parts::new(part("train.bin", 5 * BATCH)?, part("test.bin", BATCH)?, layout.classes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, gzip, mutated};

    const FILE: &[&str] = &["train.bin"];

    #[test]
    fn cifar_100_has_classes_and_groups() {
        let folder = Folder::new("cifar-100");
        let record = |group: u8, class: u8| [vec![group, class], vec![51; 3072]].concat();
        folder.write("train.bin", &[record(19, 99), record(3, 7)].concat());
        assert_eq!(layout(false).samples(folder.path(), FILE, 2).unwrap().labels, [99, 7]);
        let groups = layout(true).samples(folder.path(), FILE, 2).unwrap();
        assert_eq!((groups.labels.as_slice(), groups.sample(1).unwrap()[3071]), (&[19, 3][..], 0.2));
        folder.write("train.bin", &record(20, 100));
        assert!(
            layout(false)
                .samples(folder.path(), FILE, 1)
                .unwrap_err()
                .to_string()
                .contains("labels from 0 to 99, found label 100")
        );
        let message = Cifar100::default().read(folder.path(), Path::new("")).unwrap_err().to_string();
        assert!(message.contains("expected 153700000 bytes, 50000 images of 3074"), "{message}");
    }

    #[test]
    fn damaged_files_of_cifar_100_never_panic() {
        let folder = Folder::new("cifar-100-mutations");
        let path = folder.join("train.bin");
        let whole = [vec![19, 99], vec![51; 3072], vec![3, 7], vec![51; 3072]].concat();
        for whole in [gzip(&whole), whole] {
            mutated(&whole, 2000, |bytes| {
                std::fs::write(&path, bytes).unwrap();
                for (is_coarse, classes) in [(false, 100), (true, 20)] {
                    if let Ok(samples) = layout(is_coarse).samples(folder.path(), FILE, 2) {
                        assert!(samples.labels.iter().all(|label| *label < classes));
                    }
                }
            });
        }
    }
}
