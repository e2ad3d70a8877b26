//! Checkpoints that PyTorch wrote, by tests/oracle/checkpoints.py, and files that are refused.

use std::path::PathBuf;

use super::*;

pub fn stored(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("tests/oracle/checkpoints")
        .join(format!("{name}.pth"))
}

fn read(name: &str) -> NamedTensors {
    read_tensors(&stored(name), false).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns what checkpoints.py computes from the names of tensors.
fn values(name: &str, shape: &[usize]) -> FileTensor {
    let count: usize = shape.iter().product();
    let value = |at: usize| ((at * 7 + name.len()) % 13) as f32 / 4.0 - 1.5;
    FileTensor { shape: shape.to_vec(), values: (0..count).map(value).collect() }
}

pub fn state(names: &[(&str, &[usize])], prefix: &str) -> BTreeMap<String, FileTensor> {
    names.iter().map(|(name, shape)| (format!("{prefix}{name}"), values(name, shape))).collect()
}

pub const NAMES: [(&str, &[usize]); 4] =
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
    assert_eq!(read_tensors(&stored("norm"), true).unwrap().tensors.len(), 6);
}

fn refusal(path: &Path) -> String {
    read_tensors(path, false).unwrap_err().to_string()
}

#[test]
fn pickles_that_name_anything_else_are_refused_unread() {
    for name in ["foreign", "legacy-foreign"] {
        let message = refusal(&stored(name));
        assert!(message.contains(" names posix.system, which weights do not need"), "{message}");
        let bytes = std::fs::read(stored(name)).unwrap();
        let at = bytes.windows(7).position(|bytes| bytes == b"cposix\n").unwrap();
        // A zip archive has the pickle behind its name and a filling.
        let start = if name == "foreign" {
            bytes.windows(2).position(|bytes| bytes == b"\x80\x02").unwrap()
        } else {
            0
        };
        assert!(message.contains(&format!("its pickle, byte {}: ", at - start)), "{message}");
        assert!(message.contains("torch.save(model.state_dict()"), "{message}");
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
        at = pickle::scan(&whole, at).unwrap().end;
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
    let most = (1_u64 << 61) - 1;
    let part = |at: u64| {
        let (start, end) = (at * most, (at + 1) * most);
        format!(r#""w{at}":{{"dtype":"U8","shape":[{most}],"data_offsets":[{start},{end}]}}"#)
    };
    let all = header(&format!("{{{}}}", (0..8).map(part).collect::<Vec<_>>().join(",")));
    for (bytes, problem) in [
        (claims, "its header claims 1099511627776 bytes"),
        (terabytes, "its tensors take 4398046511104 bytes, and the file has 4"),
        (short, "its tensors take 8 bytes, and the file has 4"),
        (all, "its tensors take 18446744073709551608 bytes, and the file has 4"),
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
        (b"<?xml version='1.0'?>", "it starts with “<?xml version='1”"),
        (b"\x89HDF\r\n\x1a\n", "it starts with the bytes 89 48 44 46 0d 0a 1a 0a"),
        (b"PK\x05\x06 and more", "its archive has no end"),
        (b"\x80\x02}.", "it is a pickle without tensors"),
    ] {
        let (_folder, path) = written(bytes);
        let message = refusal(&path);
        assert!(message.contains(problem), "{message}");
    }
}

#[test]
fn pointers_and_pages_are_called_that_whatever_their_names_are() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
    for (bytes, what) in [
        (&pointer[..], "is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"),
        (b"<!DOCTYPE html><html>", "is a web page, not the file itself; download it again"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x.pth", "x.pt", "x.th", "x.safetensors"] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let message = refusal(&path);
            assert!(message.contains(&format!("{name} {what}")), "{message}");
        }
    }
}

#[test]
fn tensors_that_are_not_read_are_left_out_with_a_note() {
    let left_out = [
        "1 complex128 tensor was left out",
        "1 complex64 tensor was left out",
        "1 float8 tensor was left out",
        "1 meta tensor was left out",
        "2 quantized tensors were left out",
        "2 sparse tensors were left out",
    ];
    let beside = ["the weights are those of state_dict", "left out beside state_dict: optimizer (8 tensors)"];
    for (name, expected) in [
        ("others", &left_out[..]),
        ("others-beside", &beside),
        ("legacy-sparse", &["1 sparse tensor was left out"]),
    ] {
        let NamedTensors { tensors, notes, .. } = read(name);
        assert_eq!(
            (tensors, notes),
            (state(&NAMES, ""), expected.iter().map(ToString::to_string).collect()),
            "{name}"
        );
    }
}

#[test]
fn weights_in_two_parts_are_computed_as_torch_does() {
    let NamedTensors { tensors, notes, order, .. } = read("pruned");
    let masked = |name: &str, shape: &[usize], kept: usize| {
        let FileTensor { shape, values } = values(name, shape);
        let value = |(at, value): (usize, f32)| if at % kept == 0 { value } else { value * 0.0 };
        FileTensor { shape, values: values.into_iter().enumerate().map(value).collect() }
    };
    assert_eq!(tensors["fc1.weight"], masked("fc1.weight", &[3, 4], 5));
    assert_eq!(tensors["fc1.bias"], masked("fc1.bias", &[3], 2));
    assert_eq!((tensors.len(), order.len()), (4, 4), "{order:?}");
    assert_eq!(notes, ["values times masks of torch.nn.utils.prune: fc1.bias, fc1.weight, fc2.weight"]);
    let mask = read_tensors(&stored("pruned"), true).unwrap().tensors;
    assert_eq!(mask["fc1.weight"].values, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    for name in ["norm-old", "norm-new", "norm-all"] {
        let NamedTensors { tensors: found, notes, .. } = read(name);
        assert_eq!(notes, ["directions of weight_norm in their lengths: fc1.weight, fc2.weight"], "{name}");
        for (key, tensor) in &read(&format!("{name}-weights")).tensors {
            let pairs = found[key].values.iter().zip(&tensor.values);
            let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(found[key].shape == tensor.shape && most < 1e-6, "{name}, {key}: {most}");
        }
    }
}

#[test]
fn other_parametrisations_are_named_and_not_computed() {
    for name in ["spectral", "orthogonal"] {
        let NamedTensors { tensors, notes, .. } = read(name);
        assert!(!tensors.contains_key("fc1.weight") && tensors.contains_key("fc2.weight"), "{name}");
        let note = "a spectral norm or another parametrisation that this program does not compute: fc1.weight; in Python, ";
        assert!(notes.iter().any(|found| found.starts_with(note)), "{notes:?}");
    }
}

#[test]
fn what_is_no_file_is_said_with_a_remedy() {
    let message = refusal(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));
    assert!(message.contains(" is a directory; choose a file that ends in .safetensors, "), "{message}");
    let folder = tempfile::tempdir().unwrap();
    let message = refusal(&folder.path().join("nothere.pth"));
    assert!(message.contains("nothere.pth: ") && message.ends_with("; check the path"), "{message}");
    let pipe = folder.path().join("pipe.pth");
    if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        let message = refusal(&pipe); // without waiting for who writes into it
        assert!(message.contains("pipe.pth is no regular file; choose "), "{message}");
    }
}

/// The parser looks for tar archives before it looks for legacy files; nothing would bound what it takes.
#[test]
fn tar_archives_that_begin_like_legacy_files_are_refused_unread() {
    let message = refusal(&stored("tar-bomb"));
    assert!(message.contains("it is a tar archive, as PyTorch wrote before version 0.1.10"), "{message}");
    let mut start = std::fs::read(stored("tar-bomb")).unwrap();
    assert_eq!(pytorch::form_of(&start[..512]), None);
    start[257] = 0;
    assert_eq!(pytorch::form_of(&start[..512]), Some(Form::Legacy));
}

#[test]
fn names_of_any_length_are_read_from_archives() {
    assert_eq!(read("twenty-one-characters").tensors, state(&NAMES, ""));
    let copy = |name: &str| {
        let file = File::open(stored(name)).unwrap();
        pytorch::readable_copy(&file, file.metadata().unwrap().len()).unwrap()
    };
    assert!(copy("zip").is_none() && copy("twenty-one-characters").is_some());
}

#[test]
fn the_order_of_a_state_dict_is_known() {
    let order = |name: &str| TensorFile::open(&stored(name)).unwrap().order;
    let names = NAMES.map(|(name, _)| name.to_owned());
    assert_eq!((order("zip"), order("legacy")), (names.to_vec(), names.to_vec()));
    assert_eq!(order("wrapped"), names.map(|name| format!("module.{name}")));
    let of_ordered: Vec<String> =
        order("ordered").iter().filter_map(|name| Some(name.strip_suffix(".bias")?.to_owned())).collect();
    assert_eq!(of_ordered, ["input", "hid", "output"]);
    assert_eq!(order("norm").len(), 6, "counts are not among them");
}

#[test]
fn whole_files_with_something_else_in_them_are_not_called_damaged() {
    let state_dict = "torch.save(model.state_dict(), \"weights.pth\")";
    for name in ["list", "default"] {
        let message = refusal(&stored(name));
        assert!(message.ends_with(state_dict), "{message}");
    }
    let (_folder, path) = written(&legacy(b"\x80\x02ctorch.nn.parameter\nParameter\n."));
    let message = refusal(&path);
    assert!(
        message.contains("it names torch.nn.parameter.Parameter, which weights do not need"),
        "{message}"
    );
    let mut other = std::fs::read(stored("legacy")).unwrap();
    let key = other.windows(13).position(|bytes| bytes == b"little_endian").unwrap();
    let value = key + other[key..].iter().position(|&byte| byte == 0x88).unwrap();
    other[value] = 0x89; // False
    let (_folder, path) = written(&other);
    let message = refusal(&path);
    assert!(
        message.contains("it was saved on a big-endian computer); in Python, load it on this"),
        "{message}"
    );
}

#[test]
fn a_program_is_called_so_whatever_its_pickle_names() {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in
        [("m/data.pkl", &b"\x80\x02c__torch__\nNet\n."[..]), ("m/code/__torch__.py", b"class Net")]
    {
        archive.start_file(name, stored).unwrap();
        archive.write_all(bytes).unwrap();
    }
    let (_folder, path) = written(&archive.finish().unwrap().into_inner());
    let message = refusal(&path);
    assert!(
        message.contains("it is a TorchScript program); in Python, load it with torch.jit.load"),
        "{message}"
    );
}

#[test]
fn a_file_that_is_not_whole_is_to_be_got_again() {
    let whole = std::fs::read(stored("legacy-wrapped")).unwrap();
    let (_folder, path) = written(&whole[..whole.len() / 2]);
    let message = refusal(&path);
    assert!(
        message.contains("it ends in") && message.ends_with("get it again, or choose another one"),
        "{message}"
    );
}

#[test]
fn values_beyond_float32_are_counted() {
    use safetensors::tensor::TensorView;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.safetensors");
    let wide: Vec<u8> = [1e200_f64, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let view = TensorView::new(Dtype::F64, vec![2], &wide).unwrap();
    std::fs::write(&path, safetensors::serialize([("w", view)], None).unwrap()).unwrap();
    let notes = read_tensors(&path, false).unwrap().notes;
    let expected = [
        "1 float64 tensor was converted to float32",
        "1 value of float64 became infinite: float32 ends at 3.4e38",
    ];
    assert_eq!(notes, expected);
}
