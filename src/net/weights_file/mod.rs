//! Weight files: safetensors with PyTorch's names and layouts, which are read and written, and PyTorch's own checkpoints,
//! which are read.
//!
//! [`TensorFile`] opens either. The form is recognized by the content, not by the name of the file; nothing is executed; and
//! no header or pickle can ask for more memory than a small multiple of the size of its file.

mod container;
#[cfg(test)]
mod damaged;
mod error;
#[cfg(test)]
mod files;
mod numbers;
mod pickle;
mod pickled_names;
mod pytorch;
mod reparametrised;
mod safe;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use safetensors::Dtype;

use data::stand_in;

pub use error::WeightFileError;
pub use numbers::{dtype_name, f32_bytes, f32_values};
use numbers::{to_f32, to_mask, too_large};
use reparametrised::Rule;
pub(super) use write::write_views;
pub use write::{SCALING, WRITER, note_of_writer, tensors_of, write_state_dict, write_tensors};

/// A tensor of a file: its shape, and its values as float32.
#[derive(Clone, Debug, PartialEq)]
pub struct FileTensor {
    /// Shape as the file has it.
    pub shape: Vec<usize>,
    /// Values, row by row.
    pub values: Vec<f32>,
}

/// How a weight file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A header in JSON, then the tensors.
    Safetensors,
    /// What `torch.save` writes since version 1.6.
    Zip,
    /// What `torch.save` wrote before.
    Legacy,
}

impl Form {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Zip => "PyTorch, zip",
            Self::Legacy => "PyTorch, legacy",
        }
    }
}

/// What the header of a file says about a tensor.
#[derive(Debug)]
pub struct Head {
    /// The type of its numbers.
    pub dtype: Dtype,
    /// Its shape.
    pub shape: Vec<usize>,
    place: Place,
}

/// Where the numbers of a tensor are.
#[derive(Debug)]
enum Place {
    /// This number of bytes, from this byte of the file.
    Bytes { start: u64, size: usize },
    /// In a storage of a checkpoint.
    Storage(pytorch_reader::Tensor),
    /// In two tensors, from which it is computed.
    Parts(Rule, Box<[Head; 2]>),
}

/// A weight file whose header has been read: names, types and shapes. Values are read one tensor at a time.
#[derive(Debug)]
pub struct TensorFile {
    path: PathBuf,
    file: File,
    /// How it is laid out.
    pub form: Form,
    /// Its tensors by name, without `num_batches_tracked`.
    pub heads: BTreeMap<String, Head>,
    /// Their names in the order in which the writer had them; empty where the file does not say it.
    pub order: Vec<String>,
    /// Notes that the writer left in it, by key.
    pub about: BTreeMap<String, String>,
    /// What is computed or not read, in sentences.
    pub notes: Vec<String>,
    /// Numbers of tensors of types that the parser does not read, by type; they are not among the heads.
    unread: BTreeMap<&'static str, usize>,
    /// A copy that is read in the place of the file; last, so that it goes after those who read it.
    _copy: Option<tempfile::TempPath>,
}

/// A tensor as float32.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The tensor.
    pub tensor: FileTensor,
    /// Number of values that float32 does not reach; they became infinite.
    pub too_large: usize,
}

/// What PyTorch's batch norms count; nothing here depends on it.
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
    /// What was converted or left out, in sentences.
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
            Some(Form::Safetensors) => safe::open(path, file)?,
            Some(form @ (Form::Zip | Form::Legacy)) => pytorch::open(path, file, form)?,
            None => {
                let unknown = || WeightFileError::unknown(path, &start);
                let refused = |(what, remedy): (String, _)| WeightFileError::checkpoint(path, &what, remedy);
                return Err(pytorch::refusal(&start).map_or_else(unknown, refused));
            }
        };
        opened.heads.retain(|name, _| !is_count(name));
        opened.order.retain(|name| !is_count(name));
        reparametrised::combine(&mut opened);
        Ok(opened)
    }

    /// The bytes of a tensor.
    fn bytes(&self, head: &Head) -> Result<Vec<u8>, WeightFileError> {
        match &head.place {
            Place::Bytes { start, size } => self.range(*start, *size),
            Place::Storage(tensor) => tensor
                .read()
                .map_err(|error| WeightFileError::checkpoint(&self.path, &error.to_string(), error::AGAIN)),
            Place::Parts(..) => Ok(Vec::new()), // its parts have bytes
        }
    }

    /// A range of the file, which its header was checked to be inside.
    fn range(&self, start: u64, size: usize) -> Result<Vec<u8>, WeightFileError> {
        let io = |source| WeightFileError::Io { path: self.path.clone(), source };
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        let mut bytes = vec![0; size];
        file.read_exact(&mut bytes).map_err(io)?;
        Ok(bytes)
    }

    /// The values of a tensor as float32; none where it has no numbers of that kind.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn values(&self, name: &str) -> Result<Option<Converted>, WeightFileError> {
        self.converted(name, false)
    }

    fn converted(&self, name: &str, as_mask: bool) -> Result<Option<Converted>, WeightFileError> {
        let Some(head) = self.heads.get(name) else { return Ok(None) };
        match &head.place {
            Place::Parts(rule, parts) => rule.of(self, parts, as_mask),
            Place::Bytes { .. } | Place::Storage(_) => self.plain(head, as_mask),
        }
    }

    /// A tensor that is stored as it is.
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

    /// Names and shapes of the tensors that can be read as values, or as masks.
    pub fn shapes(&self, as_mask: bool) -> BTreeMap<String, Vec<usize>> {
        let convert = conversion(as_mask);
        let readable = self.heads.iter().filter(|(_, head)| convert(head.dtype, &[]).is_some());
        readable.map(|(name, head)| (name.clone(), head.shape.clone())).collect()
    }

    /// What is converted to float32, and what is left out, in sentences.
    pub fn notes(&self) -> Vec<String> {
        self.notes_of(false)
    }

    fn notes_of(&self, as_mask: bool) -> Vec<String> {
        let converted = self.types(as_mask, true);
        let converted =
            converted.iter().map(|(kind, count)| tensors_were(*count, kind, "converted to float32"));
        self.notes.iter().cloned().chain(self.left_out(as_mask)).chain(converted).collect()
    }

    /// Which types cannot be read as values, or as masks: `2 sparse tensors were left out`.
    pub fn left_out(&self, as_mask: bool) -> Vec<String> {
        let others = self.types(as_mask, false);
        self.unread
            .iter()
            .chain(&others)
            .map(|(kind, count)| tensors_were(*count, kind, "left out"))
            .collect()
    }

    /// Numbers of tensors by type, of the types other than float32 that can or cannot be read.
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

/// One sentence about values that float32 does not reach, if there are any.
pub fn note_on_infinite(count: usize) -> Option<String> {
    let values = || form::number::counted(count, "value");
    (count > 0).then(|| format!("{} of float64 became infinite: float32 ends at 3.4e38", values()))
}

/// What turns bytes into values, or into a mask.
const fn conversion(as_mask: bool) -> fn(Dtype, &[u8]) -> Option<Vec<f32>> {
    if as_mask { to_mask } else { to_f32 }
}

fn is_count(name: &str) -> bool {
    name.rsplit('.').next() == Some(BATCHES_TRACKED)
}

/// The form of a file that starts with these bytes. What is called safetensors and is none of the others is a damaged one.
fn form_of(start: &[u8], path: &Path) -> Option<Form> {
    if start.get(8) == Some(&b'{') {
        return Some(Form::Safetensors);
    }
    let named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("safetensors"));
    pytorch::form_of(start).or_else(|| named.then_some(Form::Safetensors))
}

/// Reads all tensors of a file and its notes. float16, bfloat16 and float64 become float32; other types are left out.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_tensors(path: &Path) -> Result<NamedTensors, WeightFileError> {
    read_as(path, false)
}

/// Reads all tensors of a file as masks: those of [`read_tensors`], and also integers and booleans, of which 0 stays 0 and
/// everything else becomes 1.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_masks(path: &Path) -> Result<NamedTensors, WeightFileError> {
    let read = read_as(path, true)?;
    Ok(NamedTensors { notes: Vec::new(), ..read }) // a mask has no precision to lose
}

fn read_as(path: &Path, as_mask: bool) -> Result<NamedTensors, WeightFileError> {
    let file = TensorFile::open(path)?;
    let (mut tensors, mut infinite) = (BTreeMap::new(), 0);
    for name in file.heads.keys() {
        if let Some(Converted { tensor, too_large }) = file.converted(name, as_mask)? {
            tensors.insert(name.clone(), tensor);
            infinite += too_large;
        }
    }
    let mut notes = file.notes_of(as_mask);
    notes.extend(note_on_infinite(infinite));
    Ok(NamedTensors { tensors, order: file.order, about: file.about, notes })
}
