//! PyTorch's checkpoints: their tensors, and which of them are the weights.
//!
//! The crate `pytorch-reader` parses the pickle and reads the tensors, without executing anything. Before it, what the
//! containers claim is compared with the size of the file, which bounds what the parser can be made to allocate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use form::number::{counted, grouped};
use pytorch_reader::{DType, PickleError, PickleValue, PytorchError, PytorchReader, Tensor};
use safetensors::Dtype;
use tempfile::NamedTempFile;
use zip::{CompressionMethod, ZipArchive};

use super::pickle::{Scanned, scan};
use super::{AGAIN, Form, Head, Place, Refusal, STATE_DICT, TensorFile, WeightFileError};

/// Bytes of tensors for each byte of the file. Tensors can share storages, and views can repeat their entries.
const MOST_PER_BYTE: u64 = 4;
/// Longest message of the parser that is passed on, characters.
const LONGEST_MESSAGE: usize = 300;

/// Where checkpoints keep their weights, beside what else they hold.
const WRAPPERS: [&str; 6] = ["state_dict", "model_state_dict", "model_state", "model", "net", "network"];

/// The number that legacy files begin with, in the encodings of pickles.
const LEGACY_BYTES: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
const LEGACY_TEXT: &[u8] = b"119547037146038801333356";
/// It begins within this number of bytes.
const LEGACY_START: usize = 64;

/// Returns the form of a checkpoint that starts with these bytes, in the order in which the parser looks for them.
pub fn form_of(start: &[u8]) -> Option<Form> {
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Some(Form::Zip);
    }
    if is_tar(start) {
        return None;
    }
    let start = &start[..start.len().min(LEGACY_START)];
    let has = |number: &[u8]| start.windows(number.len()).any(|bytes| bytes == number);
    (has(&LEGACY_BYTES) || has(LEGACY_TEXT)).then_some(Form::Legacy)
}

fn is_tar(start: &[u8]) -> bool {
    start.get(257..262) == Some(b"ustar")
}

/// Returns why a file that starts with these bytes is a checkpoint, and cannot be read.
pub fn refusal(start: &[u8]) -> Option<Refusal> {
    if is_tar(start) {
        let what = "it is a tar archive, as PyTorch wrote before version 0.1.10 of 2017";
        let remedy = "load it in Python, and save its weights again with torch.save";
        return Some((what.to_owned(), remedy));
    }
    (start.first() == Some(&0x80)).then(|| ("it is a pickle without tensors".to_owned(), STATE_DICT))
}

/// Reads names, types and shapes of a checkpoint's weights.
pub fn open(path: &Path, file: File, form: Form) -> Result<TensorFile, WeightFileError> {
    let refused = |(detail, remedy): Refusal| {
        let short: String = detail.chars().take(LONGEST_MESSAGE).collect();
        WeightFileError::checkpoint(path, &short, remedy)
    };
    let io = |source| WeightFileError::Io { path: path.to_owned(), source };
    let size = file.metadata().map_err(io)?.len();
    let copy = if form == Form::Zip { readable_copy(&file, size).map_err(refused)? } else { None };
    let file = copy.as_ref().map_or(Ok(file), NamedTempFile::reopen).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let texts = match form {
        Form::Zip => check_zip(&file, size).map_err(refused)?,
        Form::Legacy => check_legacy(&file).map_err(refused)?,
        Form::Safetensors => Texts::default(),
    };
    let patched = !texts.patches.is_empty();
    let patched = patched.then(|| patched_copy(&file, &texts.patches)).transpose().map_err(refused)?;
    let copy = patched.or(copy);
    let read = copy.as_ref().map_or(path, NamedTempFile::path);
    let root = PytorchReader::read_pickle_data(read, None).map_err(|error| refused(parsed(&error)))?;
    let all = PytorchReader::new(read).map_err(|error| refused(parsed(&error)))?;
    let all: BTreeMap<String, Tensor> = all.into_tensors().into_iter().collect();
    let mut chosen: Vec<String> = Vec::new();
    let mut notes = Vec::new();
    let mut at = &root;
    while let Some((key, inner, others)) = wrapped(at) {
        chosen.push(key);
        notes.extend(others);
        at = inner;
    }
    if tensors(&root) != all.len() {
        return Err(refused(("two of its tensors have one name".to_owned(), STATE_DICT)));
    }
    let mut prefix = chosen.join(".");
    if !chosen.is_empty() {
        prefix.push('.');
    }
    let mut heads = BTreeMap::new();
    let mut total = 0_u64;
    for (name, tensor) in all {
        let Some(name) = name.strip_prefix(&prefix) else { continue };
        total = total.saturating_add(tensor.byte_len() as u64);
        let (dtype, shape) = (dtype(tensor.dtype()), tensor.shape().to_vec());
        heads.insert(name.to_owned(), Head { dtype, shape, place: Place::Storage(tensor) });
    }
    if total / MOST_PER_BYTE > size {
        let detail = format!(
            "its tensors claim {} bytes, and the file has {}, so they repeat what is stored",
            grouped(total),
            grouped(size)
        );
        return Err(refused((detail, STATE_DICT)));
    }
    if heads.is_empty() {
        return Err(refused(("it holds no tensors".to_owned(), STATE_DICT)));
    }
    if let Some(last) = chosen.last() {
        notes.insert(0, format!("the weights are those of {last}"));
    }
    let mut unread = BTreeMap::new();
    count_unread(at, &mut unread);
    let (order, about) = (texts.order(heads.keys()), BTreeMap::new());
    let copy = copy.map(NamedTempFile::into_temp_path);
    Ok(TensorFile { path: path.to_owned(), file, form, heads, order, about, notes, unread, _copy: copy })
}

fn parsed(error: &PytorchError) -> Refusal {
    match error {
        PytorchError::InvalidFormat(what) if what.starts_with("Big-endian") => {
            let remedy = "in Python, load it on this computer and save it again with torch.save";
            ("it was saved on a big-endian computer".to_owned(), remedy)
        }
        // Whole files with something else in them than a dictionary of tensors.
        PytorchError::InvalidFormat(_)
        | PytorchError::Pickle(PickleError::UnsupportedType(_) | PickleError::UnexpectedOpCode(_)) => {
            (error.to_string(), STATE_DICT)
        }
        _ => (error.to_string(), AGAIN),
    }
}

/// Returns the entry of a dictionary that holds the weights: its key, what it holds, and which other tensors are beside it.
fn wrapped(value: &PickleValue) -> Option<(String, &PickleValue, Option<String>)> {
    let PickleValue::Dict(dict) = value else { return None };
    let is_wrapper =
        |key: &str| matches!(dict.get(key), Some(inner @ PickleValue::Dict(_)) if tensors(inner) > 0);
    let key = *WRAPPERS.iter().find(|key| is_wrapper(key))?;
    let mut others: Vec<String> = dict
        .iter()
        .map(|(other, inner)| (other, all_tensors(inner)))
        .filter(|(other, count)| *other != key && *count > 0)
        .map(|(other, count)| format!("{other} ({})", counted(count, "tensor")))
        .collect();
    others.sort();
    let others = (!others.is_empty()).then(|| format!("left out beside {key}: {}", others.join(", ")));
    Some((key.to_owned(), &dict[key], others))
}

/// Returns the number of tensors in a value, read or not.
fn all_tensors(value: &PickleValue) -> usize {
    let mut kinds = BTreeMap::new();
    count_unread(value, &mut kinds);
    tensors(value) + kinds.values().sum::<usize>()
}

fn count_unread(value: &PickleValue, kinds: &mut BTreeMap<&'static str, usize>) {
    if let Some(kind) = unread(value) {
        *kinds.entry(kind).or_default() += 1;
        return;
    }
    match value {
        PickleValue::Dict(dict) => dict.values().for_each(|inner| count_unread(inner, kinds)),
        PickleValue::List(list) => list.iter().for_each(|inner| count_unread(inner, kinds)),
        PickleValue::Unsupported(_)
        | PickleValue::None
        | PickleValue::Bool(_)
        | PickleValue::Int(_)
        | PickleValue::Float(_)
        | PickleValue::String(_)
        | PickleValue::Bytes(_) => {}
    }
}

/// Returns the kind of a tensor that is not read: the call that makes it is a tuple, or an object that stays closed.
fn unread(value: &PickleValue) -> Option<&'static str> {
    let name = |value: &PickleValue| match value {
        PickleValue::Unsupported(name) => name.strip_prefix("torch.").map(str::to_owned),
        _ => None,
    };
    let (call, arguments) = match value {
        PickleValue::List(list) => (name(list.first()?)?, list.get(1)),
        other => (name(other)?, None),
    };
    if !call.starts_with("_utils._rebuild_") && !call.starts_with("_tensor._rebuild_") {
        return None;
    }
    let has = |word: &str| {
        let is_so = |value: &PickleValue| name(value).is_some_and(|name| name.contains(word));
        call.contains(word) || arguments.is_some_and(|arguments| any(arguments, &is_so))
    };
    let kinds = [
        ("sparse", "sparse"),
        ("qtensor", "quantized"),
        ("nested", "nested"),
        ("meta_tensor", "meta"),
        ("ComplexFloat", "complex64"),
        ("ComplexDouble", "complex128"),
        ("float8", "float8"),
        ("float4", "float4"),
    ];
    Some(kinds.into_iter().find(|(word, _)| has(word)).map_or("other", |(_, kind)| kind))
}

/// Returns true if this holds for a value or for one in it.
fn any(value: &PickleValue, holds: &dyn Fn(&PickleValue) -> bool) -> bool {
    match value {
        PickleValue::List(list) => list.iter().any(|inner| any(inner, holds)),
        PickleValue::Dict(dict) => dict.values().any(|inner| any(inner, holds)),
        other => holds(other),
    }
}

/// Returns the number of tensors that are read in a value.
fn tensors(value: &PickleValue) -> usize {
    match value {
        PickleValue::Unsupported(name) => usize::from(name == "torch.Tensor"),
        PickleValue::Dict(dict) => dict.values().map(tensors).sum(),
        PickleValue::List(list) => list.iter().map(tensors).sum(),
        PickleValue::None
        | PickleValue::Bool(_)
        | PickleValue::Int(_)
        | PickleValue::Float(_)
        | PickleValue::String(_)
        | PickleValue::Bytes(_) => 0,
    }
}

const fn dtype(dtype: DType) -> Dtype {
    match dtype {
        DType::F64 => Dtype::F64,
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::I64 => Dtype::I64,
        DType::I32 => Dtype::I32,
        DType::I16 => Dtype::I16,
        DType::I8 => Dtype::I8,
        DType::U64 => Dtype::U64,
        DType::U32 => Dtype::U32,
        DType::U16 => Dtype::U16,
        DType::U8 => Dtype::U8,
        DType::Bool => Dtype::BOOL,
    }
}

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
const SCRIPT: &str = "in Python, load it with torch.jit.load and save its weights alone: \
    torch.save(model.state_dict(), \"weights.pth\")";

/// The remedy for files of before version 1.6 with tensors that are not read.
const NEWER: &str =
    "in Python, load it and save it again with torch.save: of a newer file the other tensors are read";

/// The texts of a pickle, and what keeps the parser from refusing it.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    places: Vec<(usize, usize)>,
    /// Bytes to replace before the file is parsed: their places, and what to put there.
    patches: Vec<(u64, u8)>,
}

impl Texts {
    /// Returns these names in the order of the pickle, which is that of a state dict; empty if it does not have all
    /// of them.
    fn order<'a>(&self, names: impl Iterator<Item = &'a String>) -> Vec<String> {
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
fn check_zip(file: &File, size: u64) -> Result<Texts, Refusal> {
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

/// Returns what stands before the names of all entries: of several pickles the parser reads the one with the shortest name.
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

/// Returns a copy of an archive that the reader would misunderstand, without what leads it astray; none for other archives.
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

fn patched_copy(mut file: &File, patches: &[(u64, u8)]) -> Result<NamedTempFile, Refusal> {
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
fn check_legacy(file: &File) -> Result<Texts, Refusal> {
    let mut file = file;
    file.seek(SeekFrom::Start(0)).map_err(|error| io_refusal(&error))?;
    let mut bytes = Vec::new();
    file.take(LONGEST_PICKLE).read_to_end(&mut bytes).map_err(|error| io_refusal(&error))?;
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
    reader.take(length).read_to_end(&mut bytes).map_err(|error| io_refusal(&error))?;
    Ok(bytes)
}

fn io_refusal(error: &std::io::Error) -> Refusal {
    (error.to_string(), AGAIN)
}

/// Reads the bytes of a file from this one on.
fn at<const N: usize>(mut file: &File, start: u64) -> Result<[u8; N], Refusal> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(start)).map_err(|error| io_refusal(&error))?;
    file.read_exact(&mut bytes).map_err(|error| io_refusal(&error))?;
    Ok(bytes)
}

/// Reads a little-endian number of at most 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
