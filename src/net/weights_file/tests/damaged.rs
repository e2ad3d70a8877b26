//! Damaged copies of weight files: they are refused or read, and nothing panics.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::files::{NAMES, state, stored};
use super::*;

/// A change of a file: where, and what becomes of it.
#[derive(Clone, Debug)]
enum Damage {
    Set(usize, u8),
    Wide(usize, u64),
    Cut(usize),
    Repeat(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let huge = prop_oneof![Just(u64::MAX), Just(1 << 40), Just(i64::MAX as u64), any::<u64>()];
    prop_oneof![
        8 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        2 => (any::<usize>(), huge).prop_map(|(at, number)| Damage::Wide(at, number)),
        1 => any::<usize>().prop_map(Damage::Cut),
        1 => (any::<usize>(), 1..64_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
    ]
}

fn damaged(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for change in damages {
        let length = bytes.len().max(1);
        match *change {
            Damage::Set(at, byte) => bytes.iter_mut().skip(at % length).take(1).for_each(|old| *old = byte),
            Damage::Wide(at, number) => {
                let new = number.to_le_bytes();
                bytes.iter_mut().skip(at % length).zip(new).for_each(|(old, new)| *old = new);
            }
            Damage::Cut(at) => bytes.truncate(at % length),
            Damage::Repeat(at, count) => {
                let at = at % length;
                let part = bytes[at..length.min(at + count).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

/// Without checksums, so that changes of the pickle are seen.
fn without_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let entries: Vec<usize> =
        (0..bytes.len() - 20).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
    for at in entries {
        bytes[at + 16..at + 20].fill(0);
    }
    bytes
}

/// Reads a file to its end, or not: it never panics, and its tensors are never much larger than it.
fn survives(path: &Path, bytes: &[u8]) {
    let _ = std::fs::remove_file(path); // to write over a file would wait for the disk
    std::fs::write(path, bytes).unwrap();
    let Ok(file) = TensorFile::open(path) else { return };
    let mut total = 0;
    for (name, head) in &file.heads {
        total += head.shape.iter().product::<usize>();
        let _ = file.values(name, false);
    }
    assert!(total <= 4 * bytes.len() + 8, "{total} values of {} bytes", bytes.len());
}

/// Reads this many damaged copies of files.
fn damaged_copies(files: &[Vec<u8>], copies: u32) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pth");
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(copies) };
    let changes = (0..files.len(), prop::collection::vec(damage(), 1..5));
    let read = |(which, damages): (usize, Vec<Damage>)| {
        survives(&path, &damaged(files[which].clone(), &damages));
        Ok(())
    };
    TestRunner::new(config).run(&changes, read).unwrap();
}

#[test]
fn damaged_checkpoints_are_refused_or_read() {
    let read = |name: &str| std::fs::read(stored(name)).unwrap();
    let zip = [
        read("zip"),
        without_checksums(read("zip")),
        without_checksums(read("wrapped")),
        without_checksums(read("twenty-one-characters")),
        without_checksums(read("others")),
        without_checksums(read("pruned")),
        without_checksums(read("norm-all")),
    ];
    damaged_copies(&zip, 3000);
    damaged_copies(&[read("legacy-wrapped"), read("legacy-strided"), read("legacy-sparse")], 3000);
}

#[test]
fn damaged_headers_are_refused_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.safetensors");
    write_tensors(&path, &state(&NAMES, ""), Some(("seed", "1".to_owned()))).unwrap();
    damaged_copies(&[std::fs::read(&path).unwrap()], 3000);
}
