//! What the containers of checkpoints claim, compared with the size of the file, before a parser believes it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

use tempfile::NamedTempFile;
use zip::{CompressionMethod, ZipArchive};

use super::error::{AGAIN, Refusal, STATE_DICT};
use super::pickle::{Scanned, scan};
use form::number::grouped;

/// Longest pickle, bytes. That of a network of a thousand layers has half a million.
const LONGEST_PICKLE: u64 = 64 << 20;
/// Bytes of the record at the end of a zip archive, which PyTorch writes without a comment.
const END: usize = 22;
/// Bytes of the reference to the record for large archives, before the end.
const LOCATOR: usize = 20;
/// Bytes of the record for large archives.
const END64: usize = 56;
/// Where an entry of the directory has its checksum.
const CHECKSUM: u64 = 16;
/// Bytes that an entry of a zip archive takes at least, in the directory and before its contents.
const ENTRY: u64 = 76;
/// The pickle with the contents of a legacy file, counted from 0.
const CONTENTS: usize = 3;
/// The remedy for programs.
const SCRIPT: &str = "in Python, load it with torch.jit.load and save its weights alone: \
    torch.save(model.state_dict(), \"weights.pth\")";

/// The remedy for files of before version 1.6 with tensors that are not read.
const NEWER: &str =
    "in Python, load it and save it again with torch.save: of a newer file the other tensors are read";

/// The texts of a pickle, and what keeps the parser from refusing it.
#[derive(Default)]
pub struct Texts {
    bytes: Vec<u8>,
    places: Vec<(usize, usize)>,
    /// Bytes to replace before the file is parsed: their places, and what to put there.
    pub patches: Vec<(u64, u8)>,
}

impl Texts {
    /// These names in the order of the pickle, which is that of a state dict; empty if it does not have all of them.
    pub fn order<'a>(&self, names: impl Iterator<Item = &'a String>) -> Vec<String> {
        let mut left: BTreeSet<&str> = names.map(String::as_str).collect();
        let mut order = Vec::new();
        for &(start, end) in &self.places {
            let Ok(text) = std::str::from_utf8(&self.bytes[start..end]) else { continue };
            if left.remove(text) {
                order.push(text.to_owned());
            }
        }
        if left.is_empty() { order } else { Vec::new() }
    }
}

/// Refuses archives that PyTorch does not write: with compressed entries, which can grow to any size, or with more in them
/// than the file has; and pickles that [`scan`] refuses. Returns the texts of the pickle that is read.
pub fn check_zip(file: &File, size: u64) -> Result<Texts, Refusal> {
    let damaged = |error: &dyn std::fmt::Display| (format!("its archive: {error}"), AGAIN);
    check_end(file, size)?;
    let copy = file.try_clone().map_err(|error| damaged(&error))?;
    let mut archive = ZipArchive::new(BufReader::new(copy)).map_err(|error| damaged(&error))?;
    let names: Vec<String> = archive.file_names().flatten().map(|name| name.to_string()).collect();
    let Some(root) = root_of(&names) else {
        let what = "it is a zip archive without data.pkl, which torch.save writes";
        return Err((what.to_owned(), "choose the file that torch.save wrote"));
    };
    if names.iter().any(|name| name.strip_prefix(root).is_some_and(|name| name.starts_with("code/"))) {
        return Err(("it is a TorchScript program".to_owned(), SCRIPT));
    }
    let mut total = 0_u64;
    let mut texts = Texts::default();
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
        if name.ends_with("data.pkl") {
            let (length, start, header) = (entry.size(), entry.data_start(), entry.central_header_start());
            let bytes = within(entry, length)?;
            let Scanned { texts: places, patches, .. } = scan(&bytes, 0)?;
            if name.strip_suffix("data.pkl") == Some(root) {
                let start = start.filter(|_| !patches.is_empty());
                let patched = patches.into_iter().filter_map(|(at, byte)| Some((start? + at as u64, byte)));
                // Without a checksum, which would be that of the bytes before.
                let checksum = start.map(|_| (header + CHECKSUM..).take(4).map(|at| (at, 0)));
                let patches = patched.chain(checksum.into_iter().flatten()).collect();
                texts = Texts { bytes, places, patches };
            }
        }
    }
    Ok(texts)
}

/// What stands before the names of all entries: of several pickles the parser reads the one with the shortest name.
fn root_of(names: &[String]) -> Option<&str> {
    let roots = names.iter().filter_map(|name| name.strip_suffix("data.pkl"));
    roots.filter(|root| root.is_empty() || root.ends_with('/')).min_by_key(|root| root.len())
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

/// A copy of an archive that the reader would misunderstand, without what leads it astray; none for other archives.
///
/// PyTorch writes the records for large archives into small ones too. The crate `zip` counts back from the end by the length
/// of the directory, as if they were not there, and comes out one entry too late if the first entry has just their length:
/// if `torch.save` writes to a name of 21 characters.
pub fn readable_copy(mut file: &File, size: u64) -> Result<Option<NamedTempFile>, Refusal> {
    let Some(records) = size.checked_sub((END + LOCATOR + END64) as u64) else { return Ok(None) };
    let end = at::<END>(file, size - END as u64)?;
    let locator = at::<LOCATOR>(file, size - (END + LOCATOR) as u64)?;
    let (count, length, start) = (number(&end[10..12]), number(&end[12..16]), number(&end[16..20]));
    let is_large = count == 0xffff || length == 0xffff_ffff || start == 0xffff_ffff;
    let has_records = locator.starts_with(b"PK\x06\x07") && number(&locator[8..16]) == records;
    let taken = (size - END as u64).checked_sub(length).filter(|taken| *taken > start);
    let Some(taken) = taken.filter(|_| has_records && !is_large) else { return Ok(None) };
    if !at::<4>(file, taken)?.starts_with(b"PK\x01\x02") {
        return Ok(None);
    }
    let mut copy = || -> std::io::Result<NamedTempFile> {
        let mut copy = NamedTempFile::new()?;
        file.seek(SeekFrom::Start(0))?;
        std::io::copy(&mut file.take(records), &mut copy)?;
        copy.write_all(&end)?;
        Ok(copy)
    };
    let failed = |error| {
        let what = format!("the names in its archive make a copy necessary, and that failed: {error}");
        (what, "in Python, load it and save it under a name of another length")
    };
    copy().map(Some).map_err(failed)
}

/// A copy of a file with other bytes in some places.
pub fn patched_copy(mut file: &File, patches: &[(u64, u8)]) -> Result<NamedTempFile, Refusal> {
    let mut copy = || -> std::io::Result<NamedTempFile> {
        let mut copy = NamedTempFile::new()?;
        file.seek(SeekFrom::Start(0))?;
        std::io::copy(&mut file, &mut copy)?;
        for (at, byte) in patches {
            copy.seek(SeekFrom::Start(*at))?;
            copy.write_all(&[*byte])?;
        }
        Ok(copy)
    };
    let failed = |error| {
        let what = format!("it has tensors that make a copy necessary, and that failed: {error}");
        (what, STATE_DICT)
    };
    copy().map_err(failed)
}

/// Scans the pickles at the start of a legacy file: its number, version, system, contents, and the order of its storages.
/// Returns the texts of its contents.
pub fn check_legacy(file: &File) -> Result<Texts, Refusal> {
    let mut file = file;
    file.seek(SeekFrom::Start(0)).map_err(|error| unread(&error))?;
    let mut bytes = Vec::new();
    file.take(LONGEST_PICKLE).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
    let (mut at, mut places, mut patches) = (0, Vec::new(), Vec::new());
    for number in 0..5 {
        let scanned = scan(&bytes, at)?;
        at = scanned.end;
        if number == CONTENTS {
            // Only the references to storages say where each begins in the file: without one nothing can be read.
            if scanned.hides_storages {
                let what = "it has complex, quantized or float8 tensors, in the form of before PyTorch 1.6";
                return Err((what.to_owned(), NEWER));
            }
            places = scanned.texts;
            patches = scanned.patches.into_iter().map(|(at, byte)| (at as u64, byte)).collect();
        }
    }
    Ok(Texts { bytes, places, patches })
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
