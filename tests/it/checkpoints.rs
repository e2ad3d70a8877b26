//! Weights that go between PyTorch and here: imports of its checkpoints, exports for it, and what a file is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors};
use weightlab::doc::RunSpec;
use weightlab::net::{Network, backend};
use weightlab::run::{Datasets, Recorder, RunContext, Session, StopFlag};

use crate::support::{context, failure, reports, run, same_bits, spec};

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/checkpoints").join(name)
}

fn iris(plan: &str) -> RunSpec {
    spec(&format!("(data: Iris(), net: Mlp(hidden: [3]), arms: [(plan: [{plan}])])"))
}

/// What checkpoints.py computes from a name of this length.
fn quarters(length: usize, count: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7 + length) % 13) as f32 / 4.0 - 1.5).collect()
}

#[test]
fn checkpoints_are_imported_whatever_is_around_the_weights() {
    for name in ["zip.pth", "wrapped.pth", "legacy-wrapped.pth", "half.pth", "nested.pth"] {
        let file = stored(name);
        for stage in ["Import(file", "Graft(from"] {
            let plan = format!("Do({stage}: \"{}\", target: (layers: First(1))))", file.display());
            let ended = run(iris(&plan));
            assert_eq!(ended.state.network.values(0), quarters(10, 12), "{name}");
            assert_eq!(ended.state.network.values(1), quarters(8, 3), "{name}");
            let summary = &reports(&ended.events, "graft")[0].summary;
            assert_eq!(
                summary.contains("left out beside state_dict: optimizer"),
                name == "wrapped.pth",
                "{summary}"
            );
            assert_eq!(summary.contains("4 float16 tensors were converted"), name == "half.pth", "{summary}");
        }
    }
}

#[test]
fn a_mismatch_lists_all_that_differs_and_writes_nothing() {
    let file = stored("wrapped.pth");
    let message = failure(iris(&format!("Do(Import(file: \"{}\"))", file.display())));
    for part in [
        "does not fit this network; nothing was copied",
        "2 of 4 parameters fit; these differ:",
        "3×3 here, 2×3 in the file",
        "3 here, 2 in the file",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn a_checkpoint_can_be_a_mask() {
    let plan = format!(
        "Do(Import(file: \"{}\", content: Mask, target: (layers: First(1))))",
        stored("legacy.pth").display()
    );
    let network = run(iris(&plan)).state.network;
    let zeros = quarters(10, 12).iter().filter(|value| **value == 0.0).count();
    assert_eq!((network.mask_counts(0).pruned, zeros), (1, 1));
}

/// A run with its files in a folder.
fn with_files(spec: RunSpec, folder: &Path) -> Network {
    let data = Datasets::default().get(&spec.data, &spec.net, folder).unwrap();
    let compute = backend(&spec.device, &spec.train.kernels);
    let folder = folder.to_owned();
    let context = RunContext::new(spec, "arm".to_owned(), data, compute, folder.clone(), folder).unwrap();
    let mut recorder = Recorder::default();
    let mut session = Session::new(Arc::new(context), None, 1, StopFlag::new(), &mut recorder);
    session.run().unwrap();
    session.network().clone()
}

#[test]
fn an_export_is_a_state_dict_of_pytorch_and_comes_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let with = |plan: &str| {
        spec(&format!(
            "(data: Digits(limit_train: 64, limit_test: 20), train: (batch: 32), net: Sequential([
                Conv(channels: 2), BatchNorm(), Relu, Flatten, Linear()]), arms: [(plan: [{plan}])])"
        ))
    };
    let exports = "Do(Export(file: \"all.safetensors\")), Do(Export(file: \"last.safetensors\", target: (layers: Last(1)))),
        Do(Prune(amount: Fraction(0.5))), Do(Export(file: \"mask.safetensors\", content: Mask))";
    let trained = with_files(with(&format!("Train(\"3it\"), {exports}")), folder.path());
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let all = read("all.safetensors");
    let file = SafeTensors::deserialize(&all).unwrap();
    let mut names = file.names();
    names.sort_unstable();
    let expected = [
        "0.bias",
        "0.weight",
        "1.bias",
        "1.num_batches_tracked",
        "1.running_mean",
        "1.running_var",
        "1.weight",
        "4.bias",
        "4.weight",
    ];
    assert_eq!(names, expected);
    let count = file.tensor("1.num_batches_tracked").unwrap();
    assert_eq!((count.dtype(), count.shape(), count.data()), (Dtype::I64, &[][..], &3_i64.to_le_bytes()[..]));
    for (name, tensors) in [("last.safetensors", 2), ("mask.safetensors", 8)] {
        assert_eq!(SafeTensors::deserialize(&read(name)).unwrap().len(), tensors, "{name}");
    }
    let plan = "Do(Import(file: \"all.safetensors\")), Do(Import(file: \"mask.safetensors\", content: Mask))";
    let imported = with_files(with(plan), folder.path());
    assert!(same_bits(&imported, &trained));
    assert!(!same_bits(&context(with("Test")).fresh_network(0), &trained));
}

fn inspected(arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weightlab"));
    let output = command.arg("inspect").args(arguments).env_remove("DISPLAY").output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn inspect_prints_tensors_statistics_and_the_network() {
    let file = stored("wrapped.pth").to_string_lossy().into_owned();
    let (status, text) = inspected(&[&file]);
    assert_eq!(status, 0, "{text}");
    for part in [
        "PyTorch, zip: 4 tensors, 23 values",
        "tensor              type      shape",
        "module.fc1.weight   float32     3×4",
        "left out beside state_dict: optimizer (12 tensors)",
        "The weights fit 4–3–2 for inputs of 4, 2 classes (the file does not say which activation the network has)",
        "    net: Mlp(hidden: [3], classes: 2),\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (_, text) = inspected(&[&file, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["net"], "Mlp(hidden: [3], classes: 2)");
    assert_eq!(json["tensors"][0]["name"], "module.fc1.bias");
    assert_eq!(json["tensors"][0]["maximum"], 0.75);
    let (status, text) = inspected(&[&stored("foreign.pth").to_string_lossy()]);
    assert_eq!(status, 2);
    assert!(text.starts_with("error: ") && text.contains("names posix.system"), "{text}");
}
