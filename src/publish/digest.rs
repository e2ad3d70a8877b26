//! Digests of files of any length, which are read in pieces.

use std::fs::File;
use std::io::{ErrorKind, Read, Result, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::form::number::hexadecimal;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Copies all there is; returns its length and its SHA-256 in hexadecimal.
///
/// # Errors
/// Those of reading and of writing.
pub fn copied(from: &mut dyn Read, to: &mut dyn Write) -> Result<(u64, String)> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut bytes = 0;
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return Ok((bytes, hexadecimal(&hash.finalize()))),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hash.update(&piece[..count]);
        to.write_all(&piece[..count])?;
        bytes += count as u64;
    }
}

/// The SHA-256 of what can be read, in hexadecimal.
///
/// # Errors
/// Those of reading.
pub fn digest(from: &mut dyn Read) -> Result<String> {
    copied(from, &mut std::io::sink()).map(|(_, digest)| digest)
}

/// The SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// When it cannot be read.
pub fn digest_of(path: &Path) -> Result<String> {
    digest(&mut File::open(path)?)
}
