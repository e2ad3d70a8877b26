//! MNIST and sets in its format: IDX files, raw or gzip.

use std::ops::RangeInclusive;
use std::path::Path;

use crate::locate::KnownSet;
use crate::{DataError, FASHION_MNIST, KMNIST, MNIST, Parts, Samples, Shape, files};

/// The common part of sets with files of these names.
pub const IDX: KnownSet = KnownSet { needed: &NAMES, ..KnownSet::EMPTY };

const NAMES: [&str; 4] = [
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
];

const IMAGES_MAGIC: u32 = 0x0803;
const LABELS_MAGIC: u32 = 0x0801;
/// The most samples of a set in this format, and the most pixels of one: more than any of them has.
const MOST_SAMPLES: u64 = 1_000_000;
const MOST_PIXELS: u64 = 32 * 32;

/// Sets whose files have the same names.
const ALIKE: [&KnownSet; 3] = [&MNIST, &FASHION_MNIST, &KMNIST];

/// Reads one of the sets of ten classes from a folder; pixels are divided by 255.
pub fn ten_classes(folder: &Path, set: &KnownSet) -> Result<Parts, DataError> {
    let parts = parts(folder, set, &(0..=9))?;
    let is_of =
        |other: &&&KnownSet| other.name != set.name && parts.train.labels.starts_with(other.first_labels);
    match ALIKE.iter().find(is_of) {
        Some(other) => {
            Err(set.wrong(folder, set.name, format!("{}, whose files have the same names", other.name)))
        }
        None => Ok(parts),
    }
}

/// Reads both parts of a set in four files, which it names in this order: images and labels for training, then for testing.
/// Labels count from the lowest one of the range.
pub(crate) fn parts(folder: &Path, set: &KnownSet, range: &RangeInclusive<u32>) -> Result<Parts, DataError> {
    let [train_images, train_labels, test_images, test_labels] = *set.needed else {
        unreachable!("a set of IDX files has four")
    };
    let train = part(folder, set, [train_images, train_labels], range)?;
    let test = part(folder, set, [test_images, test_labels], range)?;
    if test.shape != train.shape {
        let [expected, found] =
            [train.shape, test.shape].map(|s| format!("test images of {}×{} pixels", s.height, s.width));
        return Err(set.wrong(folder, expected, found));
    }
    Ok(Parts::new(train, test, (range.end() - range.start()) as usize + 1))
}

pub(crate) fn training_labels(folder: &Path, set: &KnownSet) -> Result<Vec<u32>, DataError> {
    labels(&set.file(folder, NAMES[1])?, set)
}

fn labels(path: &Path, set: &KnownSet) -> Result<Vec<u32>, DataError> {
    let file = Idx::read(path, LABELS_MAGIC, 1, MOST_SAMPLES, set)?;
    Ok(file.bytes.iter().map(|&label| u32::from(label)).collect())
}

fn part(
    folder: &Path,
    set: &KnownSet,
    [images, label_file]: [&str; 2],
    range: &RangeInclusive<u32>,
) -> Result<Samples, DataError> {
    let path = set.file(folder, label_file)?;
    let mut labels = labels(&path, set)?;
    if let Some(label) = labels.iter().find(|label| !range.contains(label)) {
        let expected = format!("labels from {} to {}", range.start(), range.end());
        return Err(set.wrong(&path, expected, format!("label {label}")));
    }
    for label in &mut labels {
        *label -= range.start();
    }
    let path = set.file(folder, images)?;
    let most = labels.len() as u64 * MOST_PIXELS;
    let Idx { sizes, bytes } = Idx::read(&path, IMAGES_MAGIC, 3, most, set)?;
    if sizes[0] != labels.len() {
        let expected = format!("{} images, one for each label", labels.len());
        return Err(set.wrong(&path, expected, sizes[0].to_string()));
    }
    let values = bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect();
    Ok(Samples::new(Shape::new(1, sizes[1], sizes[2]), values, labels))
}

struct Idx {
    sizes: Vec<usize>,
    bytes: Vec<u8>,
}

impl Idx {
    /// Reads a file of `most` bytes at most after its head.
    fn read(path: &Path, magic: u32, axes: usize, most: u64, set: &KnownSet) -> Result<Self, DataError> {
        let head = 4 * (1 + axes);
        let mut content = files::read(path, set, most + head as u64)?;
        let found = format!("{} bytes", content.len());
        let words = content.as_chunks::<4>().0.iter().take(1 + axes);
        let numbers: Vec<u32> = words.map(|word| u32::from_be_bytes(*word)).collect();
        if numbers.len() < 1 + axes {
            return Err(set.wrong(path, format!("a head of {head} bytes"), found));
        }
        if numbers[0] != magic {
            let found = format!("{:#06x}", numbers[0]);
            return Err(set.wrong(path, format!("the magic number {magic:#06x}"), found));
        }
        let sizes: Vec<usize> = numbers[1..].iter().map(|&size| size as usize).collect();
        let body = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        let expected = match body.and_then(|body| body.checked_add(head)) {
            Some(length) if length == content.len() && length > head => {
                content.drain(..head);
                return Ok(Self { sizes, bytes: content });
            }
            Some(length) if length > head => format!("{length} bytes"),
            Some(_) => "at least one sample".to_owned(),
            None => "a smaller set".to_owned(),
        };
        Err(set.wrong(path, expected, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, gzip, mutated, real_data};

    fn images(count: u32) -> Vec<u8> {
        let mut bytes = [IMAGES_MAGIC, count, 2, 2].map(u32::to_be_bytes).concat();
        bytes.extend((0..count * 4).map(|value| if value == 0 { 255 } else { 51 }));
        bytes
    }

    fn labels(labels: &[u8]) -> Vec<u8> {
        let count = u32::try_from(labels.len()).unwrap();
        [[LABELS_MAGIC, count].map(u32::to_be_bytes).concat(), labels.to_vec()].concat()
    }

    fn folder(name: &str) -> Folder {
        let folder = Folder::new(name);
        folder.write("train-images-idx3-ubyte.gz", &gzip(&images(3)));
        folder.write("train-labels-idx1-ubyte", &labels(&[7, 0, 9]));
        folder.write("t10k-images.idx3-ubyte", &images(1));
        folder.write("t10k-labels-idx1-ubyte.gz", &gzip(&labels(&[5])));
        folder
    }

    #[test]
    fn raw_gzip_and_torchvisions_names_are_read() {
        let parts = ten_classes(folder("idx-good").path(), &MNIST).unwrap();
        assert_eq!(parts.train.labels, [7, 0, 9]);
        assert_eq!(parts.train.values().unwrap()[..3], [1.0, 0.2, 0.2]);
        assert_eq!((parts.test.len(), parts.test.shape), (1, Shape::new(1, 2, 2)));
    }

    #[test]
    fn a_truncated_file_says_how_much_is_missing_and_what_to_do() {
        let folder = folder("idx-truncated");
        folder.write("train-images-idx3-ubyte.gz", &images(3)[..20]);
        let message = ten_classes(folder.path(), &MNIST).unwrap_err().to_string();
        assert!(
            message.contains("train-images-idx3-ubyte.gz: expected 28 bytes, found 20 bytes"),
            "{message}"
        );
        assert!(message.contains("torchvision"), "{message}");
    }

    #[test]
    fn another_file_and_a_missing_file_are_told_apart() {
        let folder = folder("idx-wrong");
        folder.write("train-labels-idx1-ubyte", &images(3));
        assert!(ten_classes(folder.path(), &MNIST).unwrap_err().to_string().contains("magic number 0x0801"));
        std::fs::remove_file(folder.join("train-labels-idx1-ubyte")).unwrap();
        let message = ten_classes(folder.path(), &MNIST).unwrap_err().to_string();
        assert!(
            message.contains("MNIST was not found") && message.contains("train-labels-idx1-ubyte"),
            "{message}"
        );
    }

    #[test]
    fn mnist_is_not_taken_for_fashion_mnist() {
        let folder = folder("idx-swapped");
        folder.write("train-labels-idx1-ubyte", &labels(&[5, 0, 4, 1, 9, 2, 1, 3, 1, 4]));
        folder.write("train-images-idx3-ubyte.gz", &images(10));
        assert!(ten_classes(folder.path(), &MNIST).is_ok());
        let message = ten_classes(folder.path(), &FASHION_MNIST).unwrap_err().to_string();
        assert!(message.contains("expected Fashion-MNIST, found MNIST"), "{message}");
    }

    #[test]
    fn empty_files_and_parts_of_two_sizes_are_refused() {
        let folder = folder("idx-sizes");
        folder.write(
            "t10k-images.idx3-ubyte",
            &[[IMAGES_MAGIC, 1, 1, 2].map(u32::to_be_bytes).concat(), vec![0; 2]].concat(),
        );
        let message = ten_classes(folder.path(), &MNIST).unwrap_err().to_string();
        assert!(
            message.contains("expected test images of 2×2 pixels, found test images of 1×2 pixels"),
            "{message}"
        );
        folder.write("t10k-labels-idx1-ubyte.gz", &labels(&[]));
        assert!(
            ten_classes(folder.path(), &MNIST)
                .unwrap_err()
                .to_string()
                .contains("expected at least one sample, found 8 bytes")
        );
    }

    #[test]
    fn a_packed_bomb_of_labels_is_refused() {
        let folder = folder("idx-bomb");
        let bomb = [[LABELS_MAGIC, 50_000_000].map(u32::to_be_bytes).concat(), vec![0; 50_000_000]].concat();
        folder.write("train-labels-idx1-ubyte", &gzip(&bomb));
        let message = training_labels(folder.path(), &MNIST).unwrap_err().to_string();
        assert!(message.contains("expected at most 1,000,008 bytes, found more"), "{message}");
    }

    #[test]
    fn damaged_files_never_panic() {
        let folder = folder("idx-mutations");
        for (name, whole) in [
            ("train-images-idx3-ubyte.gz", images(3)),
            ("train-images-idx3-ubyte.gz", gzip(&images(3))),
            ("train-labels-idx1-ubyte", labels(&[7, 0, 9])),
        ] {
            mutated(&whole, 2000, |bytes| {
                folder.write(name, bytes);
                if let Ok(parts) = ten_classes(folder.path(), &KMNIST) {
                    assert!(parts.train.labels.iter().all(|label| *label < 10));
                }
            });
            folder.write(name, &whole);
        }
    }

    #[test]
    fn real_mnist_begins_with_its_known_digits() {
        let Some(folder) = real_data("mnist") else { return };
        let parts = ten_classes(&folder, &MNIST).unwrap();
        assert_eq!((parts.train.len(), parts.test.len()), (60_000, 10_000));
        assert_eq!(parts.train.labels[..5], [5, 0, 4, 1, 9]);
        assert_eq!(parts.test.labels[..5], [7, 2, 1, 0, 4]);
        // Sums over the bytes of the files, taken with numpy.
        let bytes = |part: &Samples| {
            part.values().unwrap().iter().map(|&value| f64::from(value * 255.0).round()).sum::<f64>()
        };
        assert_eq!((bytes(&parts.train), bytes(&parts.test)), (1_567_298_545.0, 264_923_200.0));
    }
}
