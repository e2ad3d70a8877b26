//! Headers of safetensors files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use safetensors::tensor::Metadata;

use super::{Form, Head, Place, TensorFile, WeightFileError};

/// Longest header of a safetensors file, bytes.
const LONGEST_HEADER: u64 = 100_000_000;
/// Bytes of the length before the header.
const LENGTH: u64 = 8;

/// Reads the header of a file, and checks it against the size of the file.
pub fn open(path: &Path, mut file: File) -> Result<TensorFile, WeightFileError> {
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
