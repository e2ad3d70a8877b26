//! What the tests of this layer share: a scratch folder, gzip, and the place of the real data.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
#[cfg(test)]
use proptest::{prelude::*, test_runner::TestRunner};

/// An empty folder of one test, removed when it goes out of scope.
pub struct Folder(PathBuf);

impl Folder {
    /// `name` is unique among the tests.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weightlab-data-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file; `name` may lead through folders, which are made.
    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Hands on so many damaged copies of a file: some bytes are others, and the end may be cut off.
#[cfg(test)]
pub fn mutated(whole: &[u8], cases: u32, check: impl Fn(&[u8])) {
    mutated_in(64, whole, cases, check);
}

/// As [`mutated`], with about half of the changes among the first `head` bytes, because headers decide most.
#[cfg(test)]
pub fn mutated_in(head: usize, whole: &[u8], cases: u32, check: impl Fn(&[u8])) {
    let place = prop_oneof![0..whole.len().min(head), 0..whole.len()];
    let mutations = prop::collection::vec((place, any::<u8>()), 1..6);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&(mutations, 0..whole.len() * 2), |(mutations, end)| {
            let mut bytes = whole.to_vec();
            for (place, byte) in mutations {
                bytes[place] = byte;
            }
            bytes.truncate(end);
            check(&bytes);
            Ok(())
        })
        .unwrap();
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A folder of real data beside the crate; none, with a word on it, where it is absent.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("../shared/data").join(name);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}
