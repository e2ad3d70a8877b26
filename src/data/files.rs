//! Reading whole files, unpacking those that are gzip streams.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

use super::{DataError, KnownSet};

/// The first two bytes of every gzip stream (RFC 1952).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The content of a file, unpacked when it begins as a gzip stream, whatever its name ends in: browsers unpack
/// downloads without renaming them, and some tools do the opposite.
///
/// # Errors
/// When the file cannot be read, or its gzip stream is truncated or damaged.
pub fn read(path: &Path, set: &KnownSet) -> Result<Vec<u8>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: path.to_path_buf(), source };
    let stored = fs::read(path).map_err(unreadable)?;
    if !stored.starts_with(&GZIP_MAGIC) {
        return Ok(stored);
    }
    let mut content = Vec::new();
    match GzDecoder::new(stored.as_slice()).read_to_end(&mut content) {
        Ok(_) => Ok(content),
        Err(error) => {
            let (all, unpacked) = (stored.len(), content.len());
            let found = format!(
                "{all} bytes that are truncated or damaged: {unpacked} bytes could be unpacked ({error})"
            );
            Err(set.wrong(path, "a whole gzip stream", found))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Folder, gzip};
    use super::*;
    use crate::data::MNIST;

    #[test]
    fn gzip_is_recognised_by_content_and_not_by_name() {
        let folder = Folder::new("gzip-by-content");
        folder.write("packed", &gzip(b"hello"));
        folder.write("plain.gz", b"hello");
        assert_eq!(read(&folder.join("packed"), &MNIST).unwrap(), b"hello");
        assert_eq!(read(&folder.join("plain.gz"), &MNIST).unwrap(), b"hello");
    }

    #[test]
    fn a_truncated_gzip_stream_is_named_with_its_path_and_the_remedy() {
        let folder = Folder::new("gzip-truncated");
        let packed = gzip(&[7; 1000]);
        folder.write("short.gz", &packed[..packed.len() - 4]);
        let message = read(&folder.join("short.gz"), &MNIST).unwrap_err().to_string();
        assert!(message.contains("short.gz: expected a whole gzip stream"), "{message}");
        assert!(message.contains("truncated or damaged") && message.ends_with(MNIST.remedy), "{message}");
    }

    #[test]
    fn a_file_that_is_not_there_is_unreadable() {
        let folder = Folder::new("not-there");
        let error = read(&folder.join("absent"), &MNIST).unwrap_err();
        assert!(matches!(error, DataError::Unreadable { .. }));
    }
}
