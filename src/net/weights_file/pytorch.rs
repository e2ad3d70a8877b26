//! PyTorch's checkpoints: their tensors, and which of them are the weights.
//!
//! The crate `pytorch-reader` parses the pickle and reads the tensors, without executing anything. Before it,
//! `container` bounds what it can be made to allocate.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use pytorch_reader::{DType, PickleError, PickleValue, PytorchError, PytorchReader, Tensor};
use safetensors::Dtype;
use tempfile::NamedTempFile;

use super::container::{Texts, check_legacy, check_zip, patched_copy, readable_copy};
use super::error::{AGAIN, Refusal, STATE_DICT};
use super::{Form, Head, Place, TensorFile, WeightFileError};
use form::number::{counted, grouped};

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

/// The form of a checkpoint that starts with these bytes, in the order in which the parser looks for them.
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

/// Why a file that starts with these bytes is a checkpoint, and cannot be read.
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

/// The parser's message, and the remedy.
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

/// The entry of a dictionary that holds the weights: its key, what it holds, and which other tensors are beside it.
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

/// Number of tensors in a value, read or not.
fn all_tensors(value: &PickleValue) -> usize {
    let mut kinds = BTreeMap::new();
    count_unread(value, &mut kinds);
    tensors(value) + kinds.values().sum::<usize>()
}

/// Counts the tensors of a value that are not read, by their kinds.
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

/// The kind of a tensor that is not read: the call that makes it is a tuple, or an object that stays closed.
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

/// Whether this holds for a value or for one in it.
fn any(value: &PickleValue, holds: &dyn Fn(&PickleValue) -> bool) -> bool {
    match value {
        PickleValue::List(list) => list.iter().any(|inner| any(inner, holds)),
        PickleValue::Dict(dict) => dict.values().any(|inner| any(inner, holds)),
        other => holds(other),
    }
}

/// Number of tensors that are read in a value.
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
