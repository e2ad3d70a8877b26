//! Digests of files of any length, which are read in pieces.

use std::fs::File;
use std::io::{Read, Result};
use std::path::Path;

pub use data::copied;

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
