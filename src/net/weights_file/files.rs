//! Checkpoints that PyTorch wrote, by tests/oracle/checkpoints.py, and damaged copies of them.

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/checkpoints").join(format!("{name}.pth"))
}

fn read(name: &str) -> NamedTensors {
    read_tensors(&stored(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What checkpoints.py computes from the names of tensors.
fn values(name: &str, shape: &[usize]) -> FileTensor {
    let count: usize = shape.iter().product();
    let value = |at: usize| ((at * 7 + name.len()) % 13) as f32 / 4.0 - 1.5;
    FileTensor { shape: shape.to_vec(), values: (0..count).map(value).collect() }
}

fn state(names: &[(&str, &[usize])], prefix: &str) -> BTreeMap<String, FileTensor> {
    names.iter().map(|(name, shape)| (format!("{prefix}{name}"), values(name, shape))).collect()
}

const NAMES: [(&str, &[usize]); 4] =
    [("fc1.weight", &[3, 4]), ("fc1.bias", &[3]), ("fc2.weight", &[2, 3]), ("fc2.bias", &[2])];

#[test]
fn both_forms_are_read_whatever_is_around_the_weights() {
    for (name, form, prefix) in [
        ("zip", Form::Zip, ""),
        ("protocol4", Form::Zip, ""),
        ("parameters", Form::Zip, ""),
        ("nested", Form::Zip, ""),
        ("wrapped", Form::Zip, "module."),
        ("legacy", Form::Legacy, ""),
        ("legacy-wrapped", Form::Legacy, "module."),
    ] {
        assert_eq!(read(name).tensors, state(&NAMES, prefix), "{name}");
        assert_eq!(TensorFile::open(&stored(name)).unwrap().form, form, "{name}");
    }
    assert_eq!(
        read("wrapped").notes,
        ["the weights are those of state_dict", "left out beside state_dict: optimizer (12 tensors)"]
    );
    let nested = ["the weights are those of state_dict", "left out beside model: ema (4 tensors)"];
    assert_eq!(read("nested").notes, nested);
}

#[test]
fn other_precisions_become_float32_with_a_note() {
    for (name, dtype) in [("half", "float16"), ("bfloat16", "bfloat16"), ("double", "float64")] {
        let NamedTensors { tensors, notes, .. } = read(name);
        assert_eq!(tensors, state(&NAMES, ""), "{name}");
        assert_eq!(notes, [format!("4 {dtype} tensors were converted to float32")]);
    }
}

#[test]
fn strides_and_shared_storages_are_followed() {
    for name in ["strided", "legacy-strided"] {
        let mut expected = state(&NAMES[..3], "");
        expected.insert("tied.bias".to_owned(), values("fc1.bias", &[3]));
        expected.insert("fc2.bias".to_owned(), FileTensor { shape: vec![2], values: vec![0.25; 2] });
        assert_eq!(read(name).tensors, expected, "{name}");
    }
}

#[test]
fn counts_of_batches_are_no_weights() {
    let names: [(&str, &[usize]); 6] = [
        ("conv1.weight", &[2, 1, 3, 3]),
        ("conv1.bias", &[2]),
        ("bn1.weight", &[2]),
        ("bn1.bias", &[2]),
        ("bn1.running_mean", &[2]),
        ("bn1.running_var", &[2]),
    ];
    let NamedTensors { tensors, notes, .. } = read("norm");
    assert_eq!((tensors, notes), (state(&names, ""), Vec::new()));
    assert_eq!(read_masks(&stored("norm")).unwrap().tensors.len(), 6);
}

fn refusal(path: &Path) -> String {
    read_tensors(path).unwrap_err().to_string()
}

#[test]
fn pickles_that_name_anything_else_are_refused_unread() {
    for name in ["foreign", "legacy-foreign"] {
        let message = refusal(&stored(name));
        assert!(message.contains(" names posix.system, which weights do not need"), "{message}");
        assert!(message.contains("its pickle, byte ") && message.contains("torch.save(model.state_dict()"));
    }
    assert!(!Path::new("weightlab-was-here").exists());
}

#[test]
fn compressed_archives_are_refused() {
    let message = refusal(&stored("compressed"));
    assert!(message.contains("is compressed, and torch.save compresses nothing"), "{message}");
}

/// A legacy file around a pickle.
fn legacy(pickle: &[u8]) -> Vec<u8> {
    let whole = std::fs::read(stored("legacy")).unwrap();
    let mut at = 0;
    for _ in 0..3 {
        at += pickle::scan(&whole[at..]).unwrap();
    }
    [&whole[..at], pickle].concat()
}

fn written(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pth");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn a_small_pickle_cannot_ask_for_much_memory() {
    let text = vec![b'x'; 60_000];
    let mut named = [b"\x80\x02X\x60\xea\x00\x00", &text[..], b"q\x00"].concat();
    named.extend(b"h\x00".repeat(1_000_000)); // the same text a million times
    let tuples = [b"\x80\x02(".to_vec(), b"N".repeat(20_000_000)].concat();
    for pickle in [named, tuples] {
        let (_folder, path) = written(&legacy(&pickle));
        let message = refusal(&path);
        assert!(message.contains("it asks for more than 512 MiB, beside the tensors"), "{message}");
    }
}

#[test]
fn opcodes_that_weights_do_not_need_are_refused() {
    for (pickle, problem) in [
        (&b"\x80\x02(i__builtin__\neval\n."[..], "opcode 0x69"),
        (b"\x80\x02\x82\x01.", "opcode 0x82"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "it names os.system"),
        (b"\x80\x02cbuiltins\neval\n.", "it names builtins.eval"),
        (b"\x80\x02h\x07.", "it fetches what it has not kept"),
        (b"\x80\x02X\xff\xff\xff\xff", "it ends in the middle"),
        (b"\x80\x02(0R.", "its stack is empty"),
    ] {
        let (_folder, path) = written(&legacy(pickle));
        let message = refusal(&path);
        assert!(message.contains(problem), "{message}");
    }
}

#[test]
fn headers_that_promise_more_than_the_file_has_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pth");
    let header = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes(), &[0; 4]].concat();
    let claims = [(1_u64 << 40).to_le_bytes().as_slice(), b"{}"].concat();
    let terabytes =
        header(r#"{"w":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}"#);
    let short = header(r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#);
    for (bytes, problem) in [
        (claims, "its header claims 1099511627776 bytes"),
        (terabytes, "its tensors take 4398046511104 bytes, and the file has 4"),
        (short, "its tensors take 8 bytes, and the file has 4"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let message = refusal(&path);
        assert!(
            message.contains("is not a readable safetensors file") && message.contains(problem),
            "{message}"
        );
    }
}

#[test]
fn what_is_no_weight_file_is_said_with_its_start() {
    for (bytes, problem) in [
        (&b""[..], "it starts with nothing (it is empty)"),
        (b"<!DOCTYPE html><html>", "it starts with “<!DOCTYPE html><”"),
        (b"\x89HDF\r\n\x1a\n", "it starts with the bytes 89 48 44 46 0d 0a 1a 0a"),
        (b"PK\x05\x06 and more", "its archive has no end"),
        (b"\x80\x02}.", "it is a pickle without tensors"),
    ] {
        let (_folder, path) = written(bytes);
        let message = refusal(&path);
        assert!(message.contains(problem), "{message}");
    }
    let message = refusal(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(message.contains("directory"), "{message}");
}

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
        let _ = file.values(name);
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
    let zip = [read("zip"), without_checksums(read("zip")), without_checksums(read("wrapped"))];
    damaged_copies(&zip, 3000);
    damaged_copies(&[read("legacy-wrapped"), read("legacy-strided")], 3000);
}

#[test]
fn damaged_headers_are_refused_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.safetensors");
    write_tensors(&path, &state(&NAMES, ""), Some(("seed", "1".to_owned()))).unwrap();
    damaged_copies(&[std::fs::read(&path).unwrap()], 3000);
}
