//! Weight files: safetensors with PyTorch's names and layouts, which are read and written, and PyTorch's own checkpoints,
//! which are read.
//!
//! [`TensorFile`] opens either. The form is recognized by the content, not by the name of the file; nothing is executed; and
//! no header or pickle can ask for more memory than a small multiple of the size of its file.

mod pickle;
mod pytorch;
mod tensors;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use data::stand_in;
use doc::file_names::weight_endings;
use safetensors::Dtype;
use safetensors::tensor::Metadata;
use tensors::{Rule, to_f32, to_mask, too_large};

pub use tensors::{dtype_name, f32_bytes, f32_values};
pub use write::{
    SCALING, WRITER, note_of_writer, read_held, tensors_of, write_held, write_state_dict, write_tensors,
};

/// A tensor of a file: its shape, and its values as float32.
#[derive(Clone, Debug, PartialEq)]
pub struct FileTensor {
    /// Shape as the file has it.
    pub shape: Vec<usize>,
    /// Values, row by row.
    pub values: Vec<f32>,
}

/// The layout of a weight file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A header in JSON, then the tensors.
    Safetensors,
    /// The format of `torch.save` since version 1.6.
    Zip,
    /// The format of `torch.save` before.
    Legacy,
}

impl Form {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Zip => "PyTorch, zip",
            Self::Legacy => "PyTorch, legacy",
        }
    }
}

/// The header of a tensor.
#[derive(Debug)]
pub struct Head {
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    place: Place,
}

/// Where the numbers of a tensor are.
#[derive(Debug)]
enum Place {
    /// This number of bytes, from this byte of the file.
    Bytes {
        start: u64,
        size: usize,
    },
    Storage(pytorch_reader::Tensor),
    /// In two tensors, from which it is computed.
    Parts(Rule, Box<[Head; 2]>),
}

/// A weight file whose header has been read: names, types and shapes. Values are read one tensor at a time.
#[derive(Debug)]
pub struct TensorFile {
    path: PathBuf,
    file: File,
    pub form: Form,
    /// Its tensors by name, without `num_batches_tracked`.
    pub heads: BTreeMap<String, Head>,
    /// Their names in the order in which the writer had them; empty where the file does not say it.
    pub order: Vec<String>,
    /// Notes that the writer left in it, by key.
    pub about: BTreeMap<String, String>,
    /// Sentences about what is computed or not read.
    pub notes: Vec<String>,
    /// Numbers of tensors of types that the parser does not read, by type; they are not among the heads.
    unread: BTreeMap<&'static str, usize>,
    /// A copy that is read in the place of the file; last, so that it goes after those who read it.
    _copy: Option<tempfile::TempPath>,
}

/// A tensor as float32.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    pub tensor: FileTensor,
    /// Number of values that float32 does not reach; they became infinite.
    pub too_large: usize,
}

/// The name of PyTorch's count of mini-batches in batch norms; nothing here depends on it.
pub const BATCHES_TRACKED: &str = "num_batches_tracked";

/// Tensors and notes of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedTensors {
    /// The tensors by name.
    pub tensors: BTreeMap<String, FileTensor>,
    /// As [`TensorFile::order`].
    pub order: Vec<String>,
    /// Notes that the writer left in it, by key.
    pub about: BTreeMap<String, String>,
    /// Sentences about what was converted or left out.
    pub notes: Vec<String>,
}

impl TensorFile {
    /// Reads the header of a weight file.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged or is no weight file.
    pub fn open(path: &Path) -> Result<Self, WeightFileError> {
        let io = |source| WeightFileError::Io { path: path.to_owned(), source };
        // Before it is opened: to open a pipe waits for who writes into it.
        let about = std::fs::metadata(path).map_err(io)?;
        if !about.is_file() {
            let what = if about.is_dir() { "a directory" } else { "no regular file" };
            return Err(WeightFileError::NoFile { path: path.to_owned(), what });
        }
        let mut file = File::open(path).map_err(io)?;
        let mut start = Vec::new();
        file.by_ref().take(512).read_to_end(&mut start).map_err(io)?;
        if let Some(what) = stand_in(&start) {
            return Err(WeightFileError::StandIn { path: path.to_owned(), what });
        }
        let mut opened = match form_of(&start, path) {
            Some(Form::Safetensors) => open_safetensors(path, file)?,
            Some(form @ (Form::Zip | Form::Legacy)) => pytorch::open(path, file, form)?,
            None => {
                let unknown = || WeightFileError::unknown(path, &start);
                let refused = |(what, remedy): (String, _)| WeightFileError::checkpoint(path, &what, remedy);
                return Err(pytorch::refusal(&start).map_or_else(unknown, refused));
            }
        };
        opened.heads.retain(|name, _| !is_count(name));
        opened.order.retain(|name| !is_count(name));
        tensors::combine(&mut opened);
        Ok(opened)
    }

    fn bytes(&self, head: &Head) -> Result<Vec<u8>, WeightFileError> {
        match &head.place {
            Place::Bytes { start, size } => self.range(*start, *size),
            Place::Storage(tensor) => tensor
                .read()
                .map_err(|error| WeightFileError::checkpoint(&self.path, &error.to_string(), AGAIN)),
            Place::Parts(..) => Ok(Vec::new()), // its parts have bytes
        }
    }

    /// Reads a range of the file, which its header was checked to be inside.
    fn range(&self, start: u64, size: usize) -> Result<Vec<u8>, WeightFileError> {
        let io = |source| WeightFileError::Io { path: self.path.clone(), source };
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        let mut bytes = vec![0; size];
        file.read_exact(&mut bytes).map_err(io)?;
        Ok(bytes)
    }

    /// Reads the values of a tensor as float32, or as a mask; none where it has no numbers of that kind.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn values(&self, name: &str, as_mask: bool) -> Result<Option<Converted>, WeightFileError> {
        let Some(head) = self.heads.get(name) else { return Ok(None) };
        match &head.place {
            Place::Parts(rule, parts) => rule.compute(self, parts, as_mask),
            Place::Bytes { .. } | Place::Storage(_) => self.plain(head, as_mask),
        }
    }

    fn plain(&self, head: &Head, as_mask: bool) -> Result<Option<Converted>, WeightFileError> {
        let convert = conversion(as_mask);
        if convert(head.dtype, &[]).is_none() {
            return Ok(None);
        }
        let bytes = self.bytes(head)?;
        let too_large = too_large(head.dtype, &bytes);
        let tensor = |values| FileTensor { shape: head.shape.clone(), values };
        Ok(convert(head.dtype, &bytes).map(|values| Converted { tensor: tensor(values), too_large }))
    }

    /// Returns the names and shapes of the tensors that can be read as values, or as masks.
    pub fn shapes(&self, as_mask: bool) -> BTreeMap<String, Vec<usize>> {
        let convert = conversion(as_mask);
        let readable = self.heads.iter().filter(|(_, head)| convert(head.dtype, &[]).is_some());
        readable.map(|(name, head)| (name.clone(), head.shape.clone())).collect()
    }

    /// Says what is converted to float32, and what is left out, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let converted = self.types(false, true);
        let converted =
            converted.iter().map(|(kind, count)| tensors_were(*count, kind, "converted to float32"));
        self.notes.iter().cloned().chain(self.left_out(false)).chain(converted).collect()
    }

    /// Says which types cannot be read as values, or as masks: `2 sparse tensors were left out`.
    pub fn left_out(&self, as_mask: bool) -> Vec<String> {
        let others = self.types(as_mask, false);
        self.unread
            .iter()
            .chain(&others)
            .map(|(kind, count)| tensors_were(*count, kind, "left out"))
            .collect()
    }

    /// Returns the numbers of tensors by type, of the types other than float32 that can or cannot be read.
    fn types(&self, as_mask: bool, can_be_read: bool) -> BTreeMap<&'static str, usize> {
        let convert = conversion(as_mask);
        let mut counts = BTreeMap::new();
        for dtype in self.heads.values().map(|head| head.dtype).filter(|dtype| *dtype != Dtype::F32) {
            if convert(dtype, &[]).is_some() == can_be_read {
                *counts.entry(dtype_name(dtype)).or_default() += 1;
            }
        }
        counts
    }
}

fn tensors_were(count: usize, kind: &str, what: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb} {what}", form::number::counted(count, &format!("{kind} tensor")))
}

/// Returns one sentence about values that float32 does not reach, if there are any.
pub fn note_on_infinite(count: usize) -> Option<String> {
    let values = || form::number::counted(count, "value");
    (count > 0).then(|| format!("{} of float64 became infinite: float32 ends at 3.4e38", values()))
}

/// Returns the function that turns bytes into values, or into a mask.
const fn conversion(as_mask: bool) -> fn(Dtype, &[u8]) -> Option<Vec<f32>> {
    if as_mask { to_mask } else { to_f32 }
}

fn is_count(name: &str) -> bool {
    name.rsplit('.').next() == Some(BATCHES_TRACKED)
}

/// Returns the form of a file that starts with these bytes. What is called safetensors and is none of the others is a
/// damaged one.
fn form_of(start: &[u8], path: &Path) -> Option<Form> {
    if start.get(8) == Some(&b'{') {
        return Some(Form::Safetensors);
    }
    let named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("safetensors"));
    pytorch::form_of(start).or_else(|| named.then_some(Form::Safetensors))
}

/// Reads all tensors of a file and its notes. float16, bfloat16 and float64 become float32; other types are left out. As
/// masks, integers and booleans are read too: 0 stays 0 and everything else becomes 1. They have no precision to lose, and so
/// no notes.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_tensors(path: &Path, as_mask: bool) -> Result<NamedTensors, WeightFileError> {
    let file = TensorFile::open(path)?;
    let (mut tensors, mut infinite) = (BTreeMap::new(), 0);
    for name in file.heads.keys() {
        if let Some(Converted { tensor, too_large }) = file.values(name, as_mask)? {
            tensors.insert(name.clone(), tensor);
            infinite += too_large;
        }
    }
    let mut notes = Vec::new();
    if !as_mask {
        notes = file.notes();
        notes.extend(note_on_infinite(infinite));
    }
    Ok(NamedTensors { tensors, order: file.order, about: file.about, notes })
}

/// Longest header of a safetensors file, bytes.
const LONGEST_HEADER: u64 = 100_000_000;
/// Bytes of the length before the header.
const LENGTH: u64 = 8;

/// Reads the header of a file, and checks it against the size of the file.
fn open_safetensors(path: &Path, mut file: File) -> Result<TensorFile, WeightFileError> {
    let io = |source| WeightFileError::Io { path: path.to_owned(), source };
    let damaged = |detail: String| WeightFileError::Damaged { path: path.to_owned(), detail };
    let size = file.metadata().map_err(io)?.len();
    let mut length = [0; LENGTH as usize];
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    if size < LENGTH {
        return Err(damaged(format!("it has {size} bytes, and its header has more")));
    }
    file.read_exact(&mut length).map_err(io)?;
    let length = u64::from_le_bytes(length);
    if length > size - LENGTH || length > LONGEST_HEADER {
        return Err(damaged(format!("its header claims {length} bytes, and the file has {size}")));
    }
    let mut header = Vec::new();
    file.by_ref().take(length).read_to_end(&mut header).map_err(io)?;
    // The parser checks that the tensors follow each other, and that their sizes are those of their shapes.
    let header: Metadata =
        serde_json::from_slice(&header).map_err(|error| damaged(format!("its header: {error}")))?;
    let (start, held) = (LENGTH + length, header.data_len() as u64);
    if start.checked_add(held) != Some(size) {
        return Err(damaged(format!("its tensors take {held} bytes, and the file has {}", size - start)));
    }
    let about = header.metadata().iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect();
    let heads = header.tensors().into_iter().map(|(name, info)| {
        let (from, to) = info.data_offsets;
        let place = Place::Bytes { start: start + from as u64, size: to - from };
        (name, Head { dtype: info.dtype, shape: info.shape.clone(), place })
    });
    let heads = heads.collect();
    Ok(TensorFile {
        path: path.to_owned(),
        file,
        form: Form::Safetensors,
        heads,
        order: Vec::new(),
        about,
        notes: Vec::new(),
        unread: BTreeMap::new(),
        _copy: None,
    })
}

/// Why a weight file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WeightFileError {
    #[error("{}: {source}; {}", path.display(), io_remedy(source))]
    Io { path: PathBuf, source: Error },
    #[error("{} is {what}; choose a file that ends in {}", path.display(), weight_endings())]
    NoFile { path: PathBuf, what: &'static str },
    #[error("{} is {what}", path.display())]
    StandIn { path: PathBuf, what: &'static str },
    #[error("{} is not a readable safetensors file ({detail}); write it again, or choose another one", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error("{} is not a readable PyTorch checkpoint ({detail}); {remedy}", path.display())]
    Checkpoint { path: PathBuf, detail: String, remedy: &'static str },
    #[error(
        "{} is no weight file: it starts with {start}. Choose a .safetensors file, or one that torch.save wrote",
        path.display()
    )]
    Unknown { path: PathBuf, start: String },
}

type Refusal = (String, &'static str);

/// Returns what to do about an error of the operating system.
fn io_remedy(source: &Error) -> &'static str {
    match source.kind() {
        ErrorKind::NotFound => "check the path",
        ErrorKind::StorageFull => "make room on the disk",
        _ => "check the path and the permissions",
    }
}

const AGAIN: &str = "get it again, or choose another one";
const STATE_DICT: &str =
    "in Python, load it and save its weights alone: torch.save(model.state_dict(), \"weights.pth\")";

impl WeightFileError {
    fn checkpoint(path: &Path, detail: &str, remedy: &'static str) -> Self {
        Self::Checkpoint { path: path.to_owned(), detail: detail.to_owned(), remedy }
    }

    fn unknown(path: &Path, start: &[u8]) -> Self {
        let first = &start[..start.len().min(16)];
        let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        let start = match first {
            [] => "nothing (it is empty)".to_owned(),
            text if text.iter().all(is_text) => format!("“{}”", String::from_utf8_lossy(text)),
            bytes => {
                let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("the bytes {}", bytes.join(" "))
            }
        };
        Self::Unknown { path: path.to_owned(), start }
    }
}
