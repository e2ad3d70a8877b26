//! Reading whole files up to a length, unpacking those that are gzip streams.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::{DataError, KnownSet};
use form::number::grouped;

/// The first two bytes of every gzip stream (RFC 1952).
pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What a gzip stream may have beside its content: headers, and blocks that do not compress.
const GZIP_MORE: u64 = 1 << 20;

/// The content of a file, unpacked when it begins as a gzip stream, whatever its name ends in: browsers unpack
/// downloads without renaming them, and some tools do the opposite. No more than `most` bytes and one are ever kept,
/// whatever the file promises: small gzip streams can unpack to any length, and sparse files have any length.
///
/// # Errors
/// When the file cannot be read, its gzip stream is truncated or damaged, or the content has more than `most` bytes.
pub fn read(path: &Path, set: &KnownSet, most: u64) -> Result<Vec<u8>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: path.to_path_buf(), source };
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

#[cfg(test)]
mod tests {
    use super::super::testing::{Folder, gzip};
    use super::*;
    use crate::MNIST;

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
