//! What the containers of checkpoints claim, compared with the size of the file, before a parser believes it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use zip::{CompressionMethod, ZipArchive};

use super::error::{AGAIN, STATE_DICT};
use super::pickle::scan;
use crate::form::number::grouped;

/// What is wrong with a file, and the remedy.
pub type Refusal = (String, &'static str);

/// Longest pickle, bytes. That of a network of a thousand layers has half a million.
const LONGEST_PICKLE: u64 = 64 << 20;
/// Bytes of the record at the end of a zip archive, which PyTorch writes without a comment.
const END: usize = 22;
/// Bytes of the reference to the record for large archives, before the end.
const LOCATOR: usize = 20;
/// Bytes of the record for large archives.
const END64: usize = 56;
/// Bytes that an entry of a zip archive takes at least, in the directory and before its contents.
const ENTRY: u64 = 76;

/// Refuses archives that PyTorch does not write: with compressed entries, which can grow to any size, or with more in them
/// than the file has; and pickles that [`scan`] refuses.
pub fn check_zip(file: &File, size: u64) -> Result<(), Refusal> {
    let damaged = |error: &dyn std::fmt::Display| (format!("its archive: {error}"), AGAIN);
    check_end(file, size)?;
    let copy = file.try_clone().map_err(|error| damaged(&error))?;
    let mut archive = ZipArchive::new(BufReader::new(copy)).map_err(|error| damaged(&error))?;
    let mut total = 0_u64;
    let mut has_pickle = false;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|error| damaged(&error))?;
        let name = entry.name().map_err(|error| damaged(&error))?.into_owned();
        if entry.compression() != CompressionMethod::Stored || entry.size() != entry.compressed_size() {
            let what = format!("its entry {name} is compressed, and torch.save compresses nothing");
            return Err((what, "unpack it, load it in Python, and save its weights again with torch.save"));
        }
        total = total.saturating_add(entry.size());
        if total > size {
            return Err((
                format!("its entries claim more than the {} bytes of the file", grouped(size)),
                AGAIN,
            ));
        }
        if name.contains("/code/") || name.starts_with("code/") {
            return Err(("it is a TorchScript program".to_owned(), STATE_DICT));
        }
        if name.ends_with("data.pkl") {
            has_pickle = true;
            let length = entry.size();
            scan(&within(entry, length)?).map_err(|problem| (problem, STATE_DICT))?;
        }
    }
    if has_pickle {
        return Ok(());
    }
    let what = "it is a zip archive without data.pkl, which torch.save writes";
    Err((what.to_owned(), "choose the file that torch.save wrote"))
}

/// Compares the numbers at the end of an archive with its size: the parser reserves memory by them.
fn check_end(file: &File, size: u64) -> Result<(), Refusal> {
    let cut = || ("its archive has no end, so the file is not whole".to_owned(), AGAIN);
    let end = at::<END>(file, size.checked_sub(END as u64).ok_or_else(cut)?)?;
    if !end.starts_with(b"PK\x05\x06") || end[20..] != [0, 0] {
        return Err(cut());
    }
    let (mut entries, mut length) = (number(&end[10..12]), number(&end[12..16]));
    let before = size.checked_sub((END + LOCATOR) as u64);
    let locator = before.map(|start| at::<LOCATOR>(file, start)).transpose()?;
    if let Some(locator) = locator.filter(|locator| locator.starts_with(b"PK\x06\x07")) {
        let start = number(&locator[8..16]);
        if start.checked_add(END64 as u64).is_none_or(|end| end > size) {
            return Err(cut());
        }
        let record = at::<END64>(file, start)?;
        if !record.starts_with(b"PK\x06\x06") {
            return Err(cut());
        }
        (entries, length) = (number(&record[32..40]), number(&record[40..48]));
    }
    if length > size || entries > size / ENTRY {
        let claim = format!("{} entries and {} bytes of names", grouped(entries), grouped(length));
        return Err((format!("its archive claims {claim}, and the file has {} bytes", grouped(size)), AGAIN));
    }
    Ok(())
}

/// Scans the pickles at the start of a legacy file: its number, version, system, contents, and the order of its storages.
pub fn check_legacy(file: &File) -> Result<(), Refusal> {
    let mut file = file;
    file.seek(SeekFrom::Start(0)).map_err(|error| unread(&error))?;
    let mut bytes = Vec::new();
    file.take(LONGEST_PICKLE).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
    let mut at = 0;
    for _ in 0..5 {
        at += scan(&bytes[at..]).map_err(|problem| (problem, STATE_DICT))?;
    }
    Ok(())
}

/// Reads this number of bytes, if they are not too many for a pickle.
fn within(reader: impl Read, length: u64) -> Result<Vec<u8>, Refusal> {
    if length > LONGEST_PICKLE {
        return Err((format!("its pickle has {} bytes, too many for weights", grouped(length)), STATE_DICT));
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
    Ok(bytes)
}

fn unread(error: &std::io::Error) -> Refusal {
    (error.to_string(), AGAIN)
}

/// The bytes of a file from this one on.
fn at<const N: usize>(mut file: &File, start: u64) -> Result<[u8; N], Refusal> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(start)).map_err(|error| unread(&error))?;
    file.read_exact(&mut bytes).map_err(|error| unread(&error))?;
    Ok(bytes)
}

/// A little-endian number of at most 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
