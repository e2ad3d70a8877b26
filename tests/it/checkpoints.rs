//! Weights that go between PyTorch and here: imports of its checkpoints, exports for it, and what a file is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use doc::RunSpec;
use net::{Network, backend};
use results::Event;
use run::testing::Recorder;
use run::{Datasets, RunContext, RunError, Session, StopFlag};
use safetensors::{Dtype, SafeTensors};

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
        "stage 1 (Import): ",
        "does not fit this network, so nothing is copied. Choose a source of the same network",
        "2 of 4 parameters fit; these differ:",
        "3×3 here, 2×3 in the file",
        "3 here, 2 in the file",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn masks_that_do_not_fit_have_the_same_table() {
    let file = stored("wrapped.pth");
    for (stage, done) in [
        (format!("Import(file: \"{}\", content: Mask)", file.display()), "pruned"),
        (format!("Freeze(select: Mask(\"{}\"))", file.display()), "frozen"),
    ] {
        let message = failure(iris(&format!("Do({stage})")));
        for part in
            [&format!("so nothing is {done}."), "parameters fit; these differ:", "3×3 here, 2×3 in the file"]
        {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

#[test]
fn files_that_cannot_be_read_are_named_with_the_stage() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.pth");
    std::fs::write(&page, "<html>").unwrap();
    for (stage, label) in [
        (format!("Import(file: \"{}\")", page.display()), "Import"),
        (format!("Graft(from: \"{}\")", page.display()), "Graft"),
        (format!("Freeze(select: Mask(\"{}\"))", page.display()), "Freeze"),
    ] {
        let message = failure(iris(&format!("Test, Do({stage})")));
        assert!(message.starts_with(&format!("stage 2 ({label}): ")), "{message}");
        assert!(message.contains("page.pth is a web page, not the file itself"), "{message}");
    }
}

#[test]
fn layers_with_names_of_their_own_are_read_in_the_order_of_the_file() {
    let plan = format!("Do(Import(file: \"{}\"))", stored("ordered.pth").display());
    let text = format!("(data: Iris(), net: Mlp(hidden: [4, 4], classes: 4), arms: [(plan: [{plan}])])");
    let ended = run(spec(&text));
    let network = &ended.state.network;
    for (index, name) in
        ["input.weight", "input.bias", "hid.weight", "hid.bias", "output.weight"].iter().enumerate()
    {
        assert_eq!(network.values(index), quarters(name.len(), network.values(index).len()), "{name}");
    }
    let summary = &reports(&ended.events, "graft")[0].summary;
    assert!(summary.contains("hid is fc2 here, input is fc1 here, output is fc3 here"), "{summary}");
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
    ended_with_files(spec, folder).unwrap().0
}

fn ended_with_files(spec: RunSpec, folder: &Path) -> Result<(Network, Vec<Event>), RunError> {
    let data = Datasets::default().get(&spec.data, &spec.net, folder).unwrap();
    let compute = backend(&spec.device, &spec.train.kernels).unwrap();
    let folder = folder.to_owned();
    let context = RunContext::new(spec, "arm".to_owned(), data, compute, folder.clone(), folder).unwrap();
    let mut recorder = Recorder::default();
    let mut session = Session::new(Arc::new(context), None, 1, StopFlag::new(), &mut recorder);
    session.run()?;
    let network = session.network().clone();
    Ok((network, recorder.events))
}

#[test]
fn a_first_test_on_inputs_of_another_scale_is_reported_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let with = |normalize: &str, plan: &str| {
        let text = format!(
            "(data: Digits(limit_train: 512, limit_test: 200, normalize: {normalize}), train: (batch: 16), net: Sequential([Conv(channels: 4, bias: false),
                BatchNorm(), Relu, Flatten, Linear()]), arms: [(plan: [{plan}])])"
        );
        ended_with_files(spec(&text), folder.path()).unwrap()
    };
    let (trained, _) = with("None", "Train(\"4ep\"), Do(Export(file: \"w.safetensors\"))");
    std::fs::rename(folder.path().join("exports/w.safetensors"), folder.path().join("theirs.safetensors"))
        .unwrap();
    let plan = "Do(Import(file: \"theirs.safetensors\")), Test, Test";
    let scaled = "Given(mean: [0.25], deviation: [0.1])";
    for (normalize, reported) in [("None", 0), (scaled, 1)] {
        let (network, events) = with(normalize, plan);
        let found = reports(&events, "inputs");
        assert_eq!(found.len(), reported, "{normalize}: {found:?}");
        assert!(same_bits(&network, &trained));
    }
    let branch = |normalize: &str, plan: &str| {
        format!(
            "Branch(name: \"b\", data: Digits(limit_train: 512, limit_test: 200, normalize: {normalize}), plan: [{plan}])"
        )
    };
    for (normalize, own, reported) in [("None", scaled, 1), (scaled, "None", 0)] {
        let found = reports(&with(normalize, &branch(own, plan)).1, "inputs");
        assert_eq!(found.len(), reported, "{own} in a branch: {found:?}");
        let name = format!("than by normalize: {own};");
        assert!(found.iter().all(|report| report.summary.contains(&name)), "{found:?}");
    }
    let (_, events) = with(scaled, "Do(Import(file: \"theirs.safetensors\")), Train(\"1it\"), Test");
    assert!(reports(&events, "inputs").is_empty(), "it has trained on them");
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
    let read = |name: &str| std::fs::read(folder.path().join("exports").join(name)).unwrap();
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
    let plan = "Do(Import(file: \"exports/all.safetensors\")), Do(Import(file: \"exports/mask.safetensors\", content: Mask))";
    let imported = with_files(with(plan), folder.path());
    assert!(same_bits(&imported, &trained));
    assert!(!same_bits(&context(with("Test")).fresh_network(0), &trained));
}

#[test]
fn exports_do_not_follow_links_out_of_the_directory() {
    let folder = tempfile::tempdir().unwrap();
    let (run, outside) = (folder.path().join("run"), folder.path().join("victim"));
    let inside = run.join("exports");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::create_dir_all(&inside).unwrap();
    let victim = outside.join("w.safetensors");
    std::fs::write(&victim, "mine").unwrap();
    std::os::unix::fs::symlink(&victim, inside.join("file.safetensors")).unwrap();
    std::os::unix::fs::symlink(&outside, inside.join("folder")).unwrap();
    let refused = |name: &str, link: &str| {
        let spec = iris(&format!("Do(Export(file: \"{name}\"))"));
        let message = ended_with_files(spec, &run).unwrap_err().to_string();
        let part = format!("{link} is a link, and exports stay in the run's directory; ");
        assert!(message.contains(&part), "{message}");
    };
    refused("file.safetensors", "run/exports/file.safetensors");
    refused("folder/w.safetensors", "run/exports/folder");
    refused("folder/new/w.safetensors", "run/exports/folder");
    std::fs::remove_dir_all(&inside).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    refused("w.safetensors", "run/exports");
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "no folder was made");
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
    let (_, text) = inspected(&[&stored("list.pth").to_string_lossy()]);
    assert!(text.contains("found list") && text.contains("save its weights alone"), "{text}");
    assert_eq!(json["tensors"][0]["maximum"], 0.75);
    let (status, text) = inspected(&[&stored("foreign.pth").to_string_lossy()]);
    assert_eq!(status, 2);
    assert!(text.starts_with("error: ") && text.contains("names posix.system"), "{text}");
}

/// Public bug reports; skipped where they do not lie beside the project.
#[test]
fn cases_are_what_their_notes_call_right() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    if !cases.is_dir() {
        return;
    }
    let import = |data: &str, net: &str, file: &str| {
        let file = cases.join(file);
        let plan = format!("Do(Import(file: \"{}\"))", file.display());
        run(spec(&format!("(data: {data}, net: {net}, arms: [(plan: [{plan}])])")))
    };
    let (lenet, digits) = ("LeNet5()", "Digits(image_size: 28, limit_train: 64, limit_test: 32)");
    let [first, second] = ["backbone", "sequential_normalize"]
        .map(|name| import(digits, lenet, &format!("prefix/lenet_{name}.pth")).state.network);
    assert!(same_bits(&first, &second));
    let of_iris = |file: &str| import("Iris()", "Mlp(hidden: [8])", file);
    let [pruned, product] = ["pruned_not_removed", "pruned_oracle"]
        .map(|name| of_iris(&format!("torch-prune/{name}.pth")).state.network);
    assert!(same_bits(&pruned, &product));
    of_iris("torch-prune/weight_norm.pth");
    for name in ["args_path", "complex", "complex_optimizer", "datetime", "float8", "quantised", "sparse"] {
        let ended = import("Iris()", "Mlp(hidden: [8])", &format!("other-tensors/{name}.pth"));
        let summary = &reports(&ended.events, "graft")[0].summary;
        assert!(summary.starts_with("copied 4 parameters from "), "{name}: {summary}");
    }
    let ended = import("Iris()", "Mlp(hidden: [8, 8, 8])", "order-of-definition/defined_b_before_a.pth");
    let report = &reports(&ended.events, "graft")[0];
    assert!(report.summary.contains("nothing in the file says whether b or a computes first"), "{report:?}");
}
