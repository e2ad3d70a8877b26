//! Files of known sets, whole and up to a length, and what stands in the place of files.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use flate2::bufread::GzDecoder;

use crate::{DataError, KnownSet, Parts, Samples, Shape};
use form::number::grouped;

/// The first two bytes of every gzip stream (RFC 1952).
pub(crate) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Bytes of a gzip stream beside its content: headers, and blocks that do not compress.
const GZIP_MORE: u64 = 1 << 20;

/// Reads a file, unpacked when it begins as a gzip stream, whatever its name ends in: browsers unpack downloads without
/// renaming them, and some tools do the opposite. Keeps at most `most` bytes and one, whatever the file promises: small
/// gzip streams can unpack to any length, and sparse files have any length.
pub fn read(path: &Path, set: &KnownSet, most: u64) -> Result<Vec<u8>, DataError> {
    let unreadable = DataError::unreadable(path);
    let mut file = File::open(path).map_err(unreadable)?;
    let all = file.metadata().map_err(unreadable)?.len();
    let mut magic = Vec::new();
    file.by_ref().take(2).read_to_end(&mut magic).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let is_packed = magic == GZIP_MAGIC;
    let too_long = |found: String| set.wrong(path, format!("at most {} bytes", grouped(most)), found);
    if all > if is_packed { 2 * most + GZIP_MORE } else { most } {
        return Err(too_long(format!("{} bytes", grouped(all))));
    }
    let mut content = Vec::new();
    let file = BufReader::new(file);
    let read = if is_packed {
        GzDecoder::new(file).take(most + 1).read_to_end(&mut content)
    } else {
        file.take(most + 1).read_to_end(&mut content)
    };
    match read {
        Ok(_) if content.len() as u64 > most => Err(too_long("more".to_owned())),
        Ok(_) => Ok(content),
        Err(error) if is_packed => {
            let unpacked = content.len();
            let found = format!(
                "{all} bytes that are truncated or damaged: {unpacked} bytes could be unpacked ({error})"
            );
            Err(set.wrong(path, "a whole gzip stream", found))
        }
        Err(error) => Err(unreadable(error)),
    }
}

/// Returns samples out of whole records of a byte for the label and one byte per value; a value is its byte divided by
/// `divisor`, so that 16 becomes exactly 1. Bytes after the last whole record are ignored.
fn decode(bytes: &[u8], shape: Shape, divisor: f32) -> Samples {
    let records = bytes.chunks_exact(1 + shape.len());
    let mut labels = Vec::with_capacity(records.len());
    let mut values = Vec::with_capacity(records.len() * shape.len());
    for record in records {
        labels.push(u32::from(record[0]));
        values.extend(record[1..].iter().map(|&byte| f32::from(byte) / divisor));
    }
    Samples::new(shape, values, labels)
}

/// Says what stands in the place of a file, with the remedy, by its first bytes (128 are enough); none where they may be the file
/// itself. Every reader of the user's files asks this before it complains about a format. Fits behind "PATH is".
/// Git LFS: <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
pub fn stand_in(first: &[u8]) -> Option<&'static str> {
    if first.starts_with(b"version https://git-lfs.github.com/") {
        return Some(
            "a Git LFS pointer, not the file itself; fetch it with `git lfs pull` in its repository",
        );
    }
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let begins = |tag: &[u8]| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    let is_page = [&b"<!doctype html"[..], b"<html", b"<head"].into_iter().any(begins);
    is_page.then_some("a web page, not the file itself; download it again, from the link of the file")
}

/// Says what stands in the place of this file; nothing where it cannot be read, which is said where it is read.
pub(crate) fn stand_in_at(path: &Path) -> Option<&'static str> {
    let mut first = Vec::new();
    File::open(path).and_then(|file| file.take(128).read_to_end(&mut first)).ok()?;
    stand_in(&first)
}

/// Refuses a file that something else stands in the place of, by its first bytes.
pub(crate) fn refuse_stand_in(path: &Path) -> Result<(), DataError> {
    let refused = |what| Err(DataError::StandIn { path: path.to_owned(), what });
    stand_in_at(path).map_or(Ok(()), refused)
}

/// Unpacks the records of a set inside the binary. Every fifth sample is for testing: 0, 5, 10, … Where they come from, under
/// which licence, and how the files were made: `assets/data/README.md`.
pub fn embedded(packed: &[u8], shape: Shape, divisor: f32, classes: usize) -> Parts {
    const STRIDE: usize = 5;
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("the embedded file is a whole gzip stream");
    let mut all = decode(&bytes, shape, divisor);
    let indices: Vec<u32> = (0..).step_by(STRIDE).take(all.len().div_ceil(STRIDE)).collect();
    let test = all.take_out(&indices);
    Parts::new(all, test, classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MNIST;
    use crate::testing::{Folder, gzip};

    #[test]
    fn gzip_is_recognised_by_content_and_not_by_name() {
        let folder = Folder::new("gzip-by-content");
        folder.write("packed", &gzip(b"hello"));
        folder.write("plain.gz", b"hello");
        assert_eq!(read(&folder.join("packed"), &MNIST, 5).unwrap(), b"hello");
        assert_eq!(read(&folder.join("plain.gz"), &MNIST, 5).unwrap(), b"hello");
    }

    #[test]
    fn a_truncated_gzip_stream_is_named_with_its_path_and_the_remedy() {
        let folder = Folder::new("gzip-truncated");
        let packed = gzip(&[7; 1000]);
        folder.write("short.gz", &packed[..packed.len() - 4]);
        let message = read(&folder.join("short.gz"), &MNIST, 1000).unwrap_err().to_string();
        assert!(message.contains("short.gz: expected a whole gzip stream"), "{message}");
        assert!(message.contains("truncated or damaged") && message.ends_with(MNIST.remedy), "{message}");
    }

    #[test]
    fn a_file_that_is_not_there_is_unreadable() {
        let folder = Folder::new("not-there");
        let error = read(&folder.join("absent"), &MNIST, 9).unwrap_err();
        assert!(matches!(error, DataError::Unreadable { .. }));
    }

    #[test]
    fn bombs_and_giants_are_refused_before_they_fill_the_memory() {
        let folder = Folder::new("gzip-bomb");
        folder.write("bomb.gz", &gzip(&vec![0; 5_000_000]));
        let message = read(&folder.join("bomb.gz"), &MNIST, 1000).unwrap_err().to_string();
        assert!(message.contains("bomb.gz: expected at most 1,000 bytes, found more"), "{message}");
        assert!(message.ends_with(MNIST.remedy), "{message}");
        // Sparse: the disk has nothing of its 100 GB.
        let giant = std::fs::File::create(folder.join("giant")).unwrap();
        giant.set_len(100_000_000_000).unwrap();
        let message = read(&folder.join("giant"), &MNIST, 1000).unwrap_err().to_string();
        assert!(message.contains("found 100,000,000,000 bytes"), "{message}");
        std::fs::write(folder.join("head"), GZIP_MAGIC).unwrap();
        let packed = std::fs::File::options().write(true).open(folder.join("head")).unwrap();
        packed.set_len(100_000_000_000).unwrap();
        let message = read(&folder.join("head"), &MNIST, 1000).unwrap_err().to_string();
        assert!(message.contains("found 100,000,000,000 bytes"), "{message}");
    }
}

#[cfg(test)]
mod records_tests {
    use crate::files::*;

    #[test]
    fn a_record_is_a_label_and_scaled_values() {
        let samples = decode(&[7, 0, 255, 2, 51, 102], Shape::new(1, 1, 2), 255.0);
        assert_eq!(samples.labels, [7, 2]);
        assert_eq!(samples.values().unwrap()[..], [0.0, 1.0, 0.2, 0.4]);
    }
}

#[cfg(test)]
mod stand_in_tests {
    use crate::files::*;

    #[test]
    fn pointers_and_pages_are_told_from_files() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
        assert!(stand_in(pointer).unwrap().contains("git lfs pull"));
        for page in ["<!DOCTYPE html><html>", "\u{feff}  \n<HTML lang=en>", "<head>"] {
            assert!(stand_in(page.as_bytes()).unwrap().starts_with("a web page"), "{page}");
        }
        for file in ["version,https\n1,2", "a<html,b", "", "<h", "PK\u{3}\u{4}"] {
            assert_eq!(stand_in(file.as_bytes()), None, "{file}");
        }
    }
}

#[cfg(test)]
mod embedded_tests {
    use super::*;
    use crate::{digits, iris};

    fn count_by_class(parts: &Parts) -> Vec<usize> {
        let mut counts = vec![0; parts.classes];
        for &label in parts.train.labels.iter().chain(&parts.test.labels) {
            counts[label as usize] += 1;
        }
        counts
    }

    #[test]
    fn digits_have_the_counts_of_scikit_learn() {
        let digits = digits();
        assert_eq!(count_by_class(&digits), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!((digits.train.len(), digits.test.len()), (1437, 360));
        assert_eq!(digits.train.shape, Shape::new(1, 8, 8));
    }

    #[test]
    fn every_fifth_digit_is_for_testing() {
        let digits = digits();
        // The file begins with 0, 1, 2, …, 9, 0, 1, …
        assert_eq!(digits.test.labels[..4], [0, 5, 0, 5]);
        assert_eq!(digits.train.labels[..8], [1, 2, 3, 4, 6, 7, 8, 9]);
    }

    #[test]
    fn the_first_digit_is_scaled_by_16() {
        let first =
            digits().test.sample(0).unwrap()[..8].iter().map(|value| value * 16.0).collect::<Vec<_>>();
        assert_eq!(first, [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, 0.0, 0.0]);
        let digits = digits();
        let largest = digits.train.values().unwrap().iter().copied().fold(0.0, f32::max);
        assert!((largest - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn iris_holds_centimetres_and_asks_to_be_standardised() {
        let iris = iris();
        assert_eq!(count_by_class(&iris), [50, 50, 50]);
        assert_eq!((iris.train.len(), iris.test.len()), (120, 30));
        assert_eq!(iris.test.sample(0).unwrap()[..], [5.1, 3.5, 1.4, 0.2]);
        assert_eq!(iris.train.sample(0).unwrap()[..], [4.9, 3.0, 1.4, 0.2]);
        assert!(iris.standardise);
    }
}
