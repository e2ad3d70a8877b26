//! CIFAR-10: binary batches of records, one byte for the label and 3,072 for the image, red, green and blue planes.

use std::path::Path;

use super::locate::KnownSet;
use super::{DataError, Origin, Parts, Remote, Samples, Shape, files, records};

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
    first_labels: &[],
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
};

/// CIFAR-100 (Krizhevsky 2009), the "binary version".
pub const CIFAR100: KnownSet = KnownSet {
    name: "CIFAR-100",
    needed: &["train.bin", "test.bin"],
    optional: &[],
    folders: &["cifar-100-binary", "cifar100", "cifar100/cifar-100-binary", "CIFAR100/cifar-100-binary"],
    remedy: "Get the binary version (torchvision's cifar-100-python is another format) from \
             www.cs.toronto.edu/~kriz/cifar.html, unpack it, then name its folder: Cifar100(dir: \"…\")",
    first_labels: &[],
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
};

const SHAPE: Shape = Shape::new(3, 32, 32);
const CLASSES: usize = 10;
/// Images of each file.
const BATCH: usize = 10_000;

/// Reads CIFAR-10 from a folder; pixels are divided by 255. The training part is those of its five files that are there,
/// in their order: `data_batch_2.bin` to `data_batch_5.bin` may be absent, and how many of the 50,000 images there are
/// is the length of the training part (see [`super::Data::shortage`]). A file that is there must be whole.
///
/// # Errors
/// A missing, truncated or wrong file.
pub fn cifar10(folder: &Path) -> Result<Parts, DataError> {
    read(folder, BATCH)
}

/// Reads files of `records` images each.
fn read(folder: &Path, records: usize) -> Result<Parts, DataError> {
    let mut train = bytes(&CIFAR10.file(folder, "data_batch_1.bin")?, records)?;
    for number in 2..=5 {
        if let Ok(path) = CIFAR10.file(folder, &format!("data_batch_{number}.bin")) {
            train.extend(bytes(&path, records)?);
        }
    }
    let test = bytes(&CIFAR10.file(folder, "test_batch.bin")?, records)?;
    let [train, test] = [train, test].map(|bytes| records::decode(&bytes, SHAPE, 255.0));
    Ok(Parts::new(train, test, CLASSES))
}

/// Reads CIFAR-100 from a folder, with the labels of its 100 classes or of 20 groups of them; pixels are divided by 255.
///
/// # Errors
/// A missing, truncated or wrong file.
pub fn cifar100(folder: &Path, is_coarse: bool) -> Result<Parts, DataError> {
    let train = with_groups(&CIFAR100.file(folder, "train.bin")?, 5 * BATCH, is_coarse)?;
    let test = with_groups(&CIFAR100.file(folder, "test.bin")?, BATCH, is_coarse)?;
    Ok(Parts::new(train, test, if is_coarse { 20 } else { 100 }))
}

/// Records of two labels, of the group and of the class, and an image.
fn with_groups(path: &Path, records: usize, is_coarse: bool) -> Result<Samples, DataError> {
    let record = 2 + SHAPE.len();
    let content = files::read(path, &CIFAR100, (records * record) as u64)?;
    if content.len() != records * record {
        let expected = format!("{} bytes, {records} images of {record}", records * record);
        return Err(CIFAR100.wrong(
            path,
            expected,
            format!("{} bytes, so get the file again", content.len()),
        ));
    }
    let (mut values, mut labels) = (Vec::with_capacity(records * SHAPE.len()), Vec::with_capacity(records));
    for record in content.chunks_exact(record) {
        let (label, classes) = if is_coarse { (record[0], 20) } else { (record[1], 100) };
        if label >= classes {
            return Err(CIFAR100.wrong(
                path,
                format!("labels from 0 to {}", classes - 1),
                format!("label {label}"),
            ));
        }
        labels.push(u32::from(label));
        values.extend(record[2..].iter().map(|&byte| f32::from(byte) / 255.0));
    }
    Ok(Samples::new(SHAPE, values, labels))
}

/// The bytes of a file of `records` images.
fn bytes(path: &Path, records: usize) -> Result<Vec<u8>, DataError> {
    let record = records::record_len(SHAPE);
    let expected = records * record;
    let content = files::read(path, &CIFAR10, expected as u64)?;
    if content.len() != expected {
        let expected = format!("{expected} bytes, {records} images of {record}");
        let found = format!(
            "{} bytes, {} whole images, so get the file again",
            content.len(),
            content.len() / record
        );
        return Err(CIFAR10.wrong(path, expected, found));
    }
    match content.iter().step_by(record).find(|&&label| usize::from(label) >= CLASSES) {
        Some(label) => Err(CIFAR10.wrong(path, "labels from 0 to 9", format!("label {label}"))),
        None => Ok(content),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Folder, gzip, mutated, real_data};
    use super::*;

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
    fn cifar_100_has_classes_and_groups() {
        let folder = Folder::new("cifar-100");
        let record = |group: u8, class: u8| [vec![group, class], vec![51; 3072]].concat();
        folder.write("train.bin", &[record(19, 99), record(3, 7)].concat());
        let path = folder.join("train.bin");
        assert_eq!(with_groups(&path, 2, false).unwrap().labels, [99, 7]);
        let groups = with_groups(&path, 2, true).unwrap();
        assert_eq!((groups.labels.as_slice(), groups.sample(1).unwrap()[3071]), (&[19, 3][..], 0.2));
        folder.write("train.bin", &record(20, 100));
        assert!(
            with_groups(&path, 1, false)
                .unwrap_err()
                .to_string()
                .contains("labels from 0 to 99, found label 100")
        );
        let message = cifar100(folder.path(), true).unwrap_err().to_string();
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
                    if let Ok(samples) = with_groups(&path, 2, is_coarse) {
                        assert!(samples.labels.iter().all(|label| *label < classes));
                    }
                }
            });
        }
    }

    #[test]
    fn sparse_giants_are_refused_unread() {
        let folder = Folder::new("cifar-giants");
        for name in ["train.bin", "data_batch_1.bin"] {
            std::fs::File::create(folder.join(name)).unwrap().set_len(100_000_000_000).unwrap();
        }
        let message = cifar100(folder.path(), false).unwrap_err().to_string();
        assert!(message.contains("at most 153,700,000 bytes, found 100,000,000,000 bytes"), "{message}");
        let message = cifar10(folder.path()).unwrap_err().to_string();
        assert!(message.contains("at most 30,730,000 bytes"), "{message}");
    }

    #[test]
    fn truncated_and_wrong_files_say_so() {
        let folder = Folder::new("cifar-bad");
        folder.write("data_batch_1.bin", &record(3));
        let message = cifar10(folder.path()).unwrap_err().to_string();
        let expected =
            "data_batch_1.bin: expected 30730000 bytes, 10000 images of 3073, found 3073 bytes, 1 whole";
        assert!(message.contains(expected) && message.contains("cifar.html"), "{message}");
        folder.write("data_batch_1.bin", &record(30));
        assert!(read(folder.path(), 1).unwrap_err().to_string().contains("label 30"));
    }

    #[test]
    fn real_cifar_has_a_thousand_test_images_of_each_class() {
        let Some(folder) = real_data("cifar-10-batches-bin") else { return };
        let parts = cifar10(&folder).unwrap();
        assert!(parts.train.len().is_multiple_of(10_000) && parts.test.len() == 10_000);
        for class in 0..10 {
            assert_eq!(parts.test.labels.iter().filter(|&&label| label == class).count(), 1000);
        }
        assert!(parts.train.values().unwrap().iter().all(|value| (0.0..=1.0).contains(value)));
    }
}
