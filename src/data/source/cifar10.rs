use std::path::Path;

use crate::locate::{KnownSet, Origin, Remote};
use crate::source::Source;
use crate::{DataError, Found, Parts, Samples, Shape, files};

/// CIFAR-10 (Krizhevsky 2009), the "binary version".
pub const CIFAR10: KnownSet = KnownSet {
    name: "CIFAR-10",
    needed: &["data_batch_1.bin", "test_batch.bin"],
    optional: &["data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"],
    folders: &[
        "cifar-10-batches-bin",
        "cifar10",
        "cifar10/cifar-10-batches-bin",
        "CIFAR10/cifar-10-batches-bin",
    ],
    remedy: "Get the binary version (torchvision's cifar-10-batches-py and Burn's images are other formats) from \
             www.cs.toronto.edu/~kriz/cifar.html, unpack it, then name its folder: Cifar10(dir: \"…\")",
    origin: Some(Origin {
        page: "www.cs.toronto.edu/~kriz/cifar.html",
        licence: "none stated; papers cite Krizhevsky (2009)",
        files: &[Remote {
            url: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
            bytes: 170_052_171,
            sha256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
            members: &[
                ("data_batch_1.bin", 30_730_000),
                ("data_batch_2.bin", 30_730_000),
                ("data_batch_3.bin", 30_730_000),
                ("data_batch_4.bin", 30_730_000),
                ("data_batch_5.bin", 30_730_000),
                ("test_batch.bin", 30_730_000),
            ],
        }],
    }),
    ..KnownSet::EMPTY
};

#[rustfmt::skip]
const THINGS: &[&str] = &["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];
/// Images of a file.
pub(crate) const BATCH: usize = 10_000;
const LAYOUT: Layout = Layout { set: &CIFAR10, labels: 1, label: 0, classes: 10 };

dataset! { Cifar10: "CIFAR-10", files CIFAR10 }

impl Source for Cifar10 {
    fn original(&self) -> Option<Found> {
        Some(Found::known(SHAPE, THINGS, 5 * BATCH, BATCH))
    }

    fn read(&self, folder: &Path, _: &Path) -> Result<Parts, DataError> {
        read(folder, BATCH)
    }
}

/// Reads files of `records` images each: as training part those of the five files that are there, in their order. How many
/// of the 50,000 images there are is the length of the training part, see [`Data::shortage`](crate::Data::shortage).
fn read(folder: &Path, records: usize) -> Result<Parts, DataError> {
    let train = [&CIFAR10.needed[..1], CIFAR10.optional].concat();
    let train = LAYOUT.samples(folder, &train, records)?;
    Ok(Parts::new(train, LAYOUT.samples(folder, &CIFAR10.needed[1..], records)?, 10))
}

pub(crate) const SHAPE: Shape = Shape::new(3, 32, 32);

/// The layout of the binary files of CIFAR: records of label bytes and an image, red, green and blue planes.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub set: &'static KnownSet,
    /// Label bytes of a record, and which of them counts.
    pub labels: usize,
    pub label: usize,
    pub classes: u8,
}

impl Layout {
    /// Reads the samples of files of `records` images, of which all but the first may be absent; pixels are divided by 255.
    pub fn samples(self, folder: &Path, files: &[&str], records: usize) -> Result<Samples, DataError> {
        let most = files.len() * records;
        let (mut values, mut labels) = (Vec::with_capacity(most * SHAPE.len()), Vec::with_capacity(most));
        for (number, name) in files.iter().enumerate() {
            let path = match self.set.file(folder, name) {
                Err(_) if number > 0 => continue,
                path => path?,
            };
            for record in self.bytes(&path, records)?.chunks_exact(self.labels + SHAPE.len()) {
                let label = record[self.label];
                if label >= self.classes {
                    let expected = format!("labels from 0 to {}", self.classes - 1);
                    return Err(self.set.wrong(&path, expected, format!("label {label}")));
                }
                labels.push(label.into());
                values.extend(record[self.labels..].iter().map(|&byte| f32::from(byte) / 255.0));
            }
        }
        Ok(Samples::new(SHAPE, values, labels))
    }

    fn bytes(self, path: &Path, records: usize) -> Result<Vec<u8>, DataError> {
        let record = self.labels + SHAPE.len();
        let content = files::read(path, self.set, (records * record) as u64)?;
        if content.len() == records * record {
            return Ok(content);
        }
        let expected = format!("{} bytes, {records} images of {record}", records * record);
        let (bytes, whole) = (content.len(), content.len() / record);
        let found = format!("{bytes} bytes, {whole} whole images, so get the file again");
        Err(self.set.wrong(path, expected, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, real_data};

    fn record(label: u8) -> Vec<u8> {
        let mut record = vec![51; 3073];
        record[0] = label;
        record
    }

    #[test]
    fn the_batches_that_are_there_are_read_in_order() {
        let folder = Folder::new("cifar-good");
        folder.write("data_batch_1.bin", &[record(3), record(1)].concat());
        folder.write("data_batch_3.bin", &[record(8), record(9)].concat());
        folder.write("test_batch.bin", &[record(2), record(0)].concat());
        let parts = read(folder.path(), 2).unwrap();
        assert_eq!(
            (parts.train.labels.as_slice(), parts.test.labels.as_slice()),
            (&[3, 1, 8, 9][..], &[2, 0][..])
        );
        assert_eq!(parts.train.sample(2).unwrap()[3071], 0.2);
    }

    #[test]
    fn sparse_giants_are_refused_unread() {
        let folder = Folder::new("cifar-giants");
        std::fs::File::create(folder.join("data_batch_1.bin")).unwrap().set_len(100_000_000_000).unwrap();
        let message = read(folder.path(), BATCH).unwrap_err().to_string();
        assert!(message.contains("at most 30,730,000 bytes, found 100,000,000,000 bytes"), "{message}");
    }

    #[test]
    fn truncated_and_wrong_files_say_so() {
        let folder = Folder::new("cifar-bad");
        folder.write("data_batch_1.bin", &record(3));
        let message = read(folder.path(), BATCH).unwrap_err().to_string();
        let expected =
            "data_batch_1.bin: expected 30730000 bytes, 10000 images of 3073, found 3073 bytes, 1 whole";
        assert!(message.contains(expected) && message.contains("cifar.html"), "{message}");
        folder.write("data_batch_1.bin", &record(30));
        assert!(read(folder.path(), 1).unwrap_err().to_string().contains("label 30"));
    }

    #[test]
    fn real_cifar_has_a_thousand_test_images_of_each_class() {
        let Some(folder) = real_data("cifar-10-batches-bin") else { return };
        let parts = read(&folder, BATCH).unwrap();
        assert!(parts.train.len().is_multiple_of(10_000) && parts.test.len() == 10_000);
        for class in 0..10 {
            assert_eq!(parts.test.labels.iter().filter(|&&label| label == class).count(), 1000);
        }
        assert!(parts.train.values().unwrap().iter().all(|value| (0.0..=1.0).contains(value)));
    }
}
