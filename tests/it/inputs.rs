//! A result belongs to the content of what its run read: exchanged, truncated and touched inputs of finished runs.

use std::path::PathBuf;

use doc::{Run, file, runs};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use results::RunState;
use run::{Job, Looker, Queue, QueueOptions, StopFlag, folder_of, read_states};

use crate::support::bench::{printed, weightlab};
use crate::support::weight_file;

/// A folder with an experiment that reads data of one kind, weights, a mask and a list of faults.
struct Bench {
    folder: tempfile::TempDir,
    /// All that its run reads, with the original content.
    inputs: Vec<(PathBuf, Vec<u8>)>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Table,
    Pictures,
    Arrays,
    KnownSet,
}

const KINDS: [Kind; 4] = [Kind::Table, Kind::Pictures, Kind::Arrays, Kind::KnownSet];

fn npy(descr: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let len = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &len[..], text.as_bytes(), bytes].concat()
}

/// A file of MNIST's format: images of 2×2 pixels, or labels.
fn idx(sizes: &[u32], bytes: &[u8]) -> Vec<u8> {
    let magic = 0x0800 + sizes.len() as u32;
    let head = std::iter::once(&magic).chain(sizes).flat_map(|number| number.to_be_bytes());
    head.chain(bytes.iter().copied()).collect()
}

impl Bench {
    fn new(kind: Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut inputs = Vec::new();
        let mut add = |name: &str, content: Vec<u8>| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &content).unwrap();
            inputs.push((path, content));
        };
        let (data, features) = match kind {
            Kind::Table => {
                let line = |at: u32| {
                    format!("{at},{},{},1.5,{}\n", at * at, 90 - at, ["no", "yes"][at as usize % 2])
                };
                let lines: String = (10..30).map(line).collect();
                add("t.csv", format!("a,b,c,d,y\n{lines}").into_bytes());
                ("Csv(file: \"t.csv\", label: \"y\")", 4)
            }
            Kind::Pictures => {
                for (class, shade) in [("cat", 20), ("dog", 200)] {
                    for at in 0..5_u8 {
                        let pixels = [shade, shade + at, at, 7];
                        add(&format!("p/{class}/{at}.pgm"), [&b"P5\n2 2\n255\n"[..], &pixels].concat());
                    }
                }
                add("map.txt", b"dog 0 hound\ncat 1 tom\n".to_vec());
                ("Images(dir: \"p\", resize: 2, crop: 2, channels: Grey, label_map: Some(\"map.txt\"))", 4)
            }
            Kind::Arrays => {
                let values = (0..40_u8).flat_map(|value| f32::from(value).to_le_bytes()).collect::<Vec<_>>();
                add("n/x.npy", npy("<f4", "(10, 4)", &values));
                let labels = (0..10_i64).flat_map(|at| (at % 2).to_le_bytes()).collect::<Vec<_>>();
                add("n/y.npy", npy("<i8", "(10,)", &labels));
                ("Numpy(file: \"n\")", 4)
            }
            Kind::KnownSet => {
                for (part, count) in [("train", 20_u32), ("t10k", 10)] {
                    let pixels: Vec<u8> = (0..count * 784).map(|at| (at % 251) as u8).collect();
                    add(&format!("m/{part}-images-idx3-ubyte"), idx(&[count, 28, 28], &pixels));
                    let labels: Vec<u8> = (0..count).map(|at| (at % 10) as u8).collect();
                    add(&format!("m/{part}-labels-idx1-ubyte"), idx(&[count], &labels));
                }
                ("Mnist(dir: \"m\")", 784)
            }
        };
        let classes = if matches!(kind, Kind::KnownSet) { 10 } else { 2 };
        for (name, value) in [("w.safetensors", 0.25), ("g.safetensors", 0.5), ("m.safetensors", 1.0)] {
            add(name, weight_file([features, 2, classes], |_| value));
        }
        add("f.csv", b"parameter,index,bit\nfc1.weight,0,30\n".to_vec());
        let text = format!(
            "(data: {data}, net: Mlp(hidden: [2]), train: (batch: 4), arms: [(name: \"a\", plan: [
                Do(Import(file: \"w.safetensors\")), Do(Graft(from: \"g.safetensors\", target: (layers: First(1)))),
                Do(Freeze(select: Mask(\"m.safetensors\"))), Train(\"1it\"), Campaign(faults: File(\"f.csv\")), Test])])"
        );
        std::fs::write(folder.path().join("x.ron"), text).unwrap();
        Self { folder, inputs }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("x.ron")
    }

    fn results(&self) -> PathBuf {
        folder_of(&self.file())
    }

    /// The run as today's files make it.
    fn run(&self) -> Option<Run> {
        let mut experiment = file::open(&self.file()).unwrap().experiment;
        Looker::new(self.folder.path().to_owned(), self.results()).look_at_all(&mut experiment);
        runs(&experiment).ok()?.pop()
    }

    fn is_done(&self) -> bool {
        let Some(run) = self.run() else { return false };
        read_states(&self.results(), std::slice::from_ref(&run))[&run.id] == RunState::Done
    }

    /// Carries the run out; returns true if it came to its end.
    fn carry_out(&self) -> bool {
        let Some(run) = self.run() else { return false };
        let job = Job { run, folder: self.results(), base: self.folder.path().to_owned() };
        let (queue, messages) = Queue::start(vec![job], &QueueOptions::sharing(1), StopFlag::new());
        messages.iter().for_each(drop);
        queue.join();
        self.is_done()
    }

    /// Writes a file without changing its times, as `cp -p` does.
    fn write(&self, input: usize, content: &[u8]) {
        let path = &self.inputs[input].0;
        let modified = path.metadata().unwrap().modified().unwrap();
        std::fs::write(path, content).unwrap();
        std::fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
    }
}

/// What happens to an input between two looks.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Another last byte, which is no byte of a header, and the same length.
    Exchange,
    Truncate,
    Touch,
    Restore,
}

impl Change {
    fn carry_out(self, bench: &Bench, input: usize) {
        let (path, original) = &bench.inputs[input];
        match self {
            Self::Exchange => {
                let mut content = original.clone();
                let at = content.len() - if original.ends_with(b"\n") { 2 } else { 1 };
                content[at] ^= 1;
                bench.write(input, &content);
            }
            Self::Truncate => bench.write(input, &original[..original.len() - 3]),
            Self::Touch => {
                let times = std::fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
                std::fs::File::options().write(true).open(path).unwrap().set_times(times).unwrap();
            }
            Self::Restore => bench.write(input, original),
        }
    }
}

/// Only the inputs that a run was carried out with give its result.
fn check(kind: Kind, changes: &[(Change, usize)]) -> TestCaseResult {
    let bench = Bench::new(kind);
    prop_assert!(bench.carry_out(), "{kind:?} runs");
    for &(change, input) in changes {
        change.carry_out(&bench, input % bench.inputs.len());
        let is_original = bench.inputs.iter().all(|(path, content)| std::fs::read(path).unwrap() == *content);
        prop_assert_eq!(bench.is_done(), is_original, "{:?}: {:?}", kind, (change, input));
    }
    Ok(())
}

#[test]
fn every_input_of_every_kind_counts() {
    for kind in KINDS {
        let count = Bench::new(kind).inputs.len();
        for input in 0..count {
            let changes =
                [Change::Touch, Change::Exchange, Change::Restore, Change::Truncate, Change::Restore];
            check(kind, &changes.map(|change| (change, input)))
                .unwrap_or_else(|why| panic!("{kind:?} {input}: {why}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_changes_makes_an_old_result_a_new_one(
        kind in prop::sample::select(KINDS.to_vec()),
        changes in prop::collection::vec(
            (prop::sample::select(vec![Change::Exchange, Change::Truncate, Change::Touch, Change::Restore]), 0_usize..30), 1..12),
    ) {
        check(kind, &changes)?;
    }
}

#[test]
fn results_of_a_replaced_checkpoint_are_kept_and_named_and_run_again() {
    let bench = Bench::new(Kind::Table);
    let folder = bench.folder.path();
    assert!(weightlab(folder, &["run", "x.ron"]).status.success());
    assert!(!printed(&weightlab(folder, &["show", "x.ron"])).contains("outdated"));
    let weights = bench.inputs.iter().position(|(path, _)| path.ends_with("w.safetensors")).unwrap();
    Change::Exchange.carry_out(&bench, weights);
    let show = printed(&weightlab(folder, &["show", "x.ron"]));
    assert!(
        show.contains(
            "note: results of 1 run of arm \"a\" are outdated: w.safetensors changed (SHA-256 begins "
        ),
        "{show}"
    );
    assert!(!show.contains("done"), "{show}");
    let run = weightlab(folder, &["run", "x.ron"]);
    assert!(run.status.success() && !printed(&run).contains("0 left"), "{}", printed(&run));
    assert!(printed(&weightlab(folder, &["show", "x.ron"])).contains("done"));
    Change::Restore.carry_out(&bench, weights);
    assert!(printed(&weightlab(folder, &["show", "x.ron"])).contains("done"), "both results are kept");
}

#[test]
fn a_sweep_over_folders_runs_both_and_one_that_changes_nothing_is_refused() {
    let bench = Bench::new(Kind::KnownSet);
    let folder = bench.folder.path();
    let text = "(data: Mnist(dir: \"m\"), net: Mlp(hidden: [2]), sweep: { \"data.dir\": [\"m\", \"noisy\"] },
        arms: [(name: \"a\", plan: [Test])])";
    std::fs::write(folder.join("x.ron"), text).unwrap();
    std::fs::create_dir(folder.join("noisy")).unwrap();
    for (path, content) in bench.inputs.iter().filter(|(path, _)| path.parent().unwrap().ends_with("m")) {
        std::fs::write(folder.join("noisy").join(path.file_name().unwrap()), content).unwrap();
    }
    let refused = printed(&weightlab(folder, &["check", "x.ron"]));
    assert!(refused.contains("(sweep.data.dir)"), "{refused}");
    assert!(refused.contains("\"m\" and \"noisy\" give the same runs"), "{refused}");
    let name = "t10k-labels-idx1-ubyte";
    let original = std::fs::read(folder.join("m").join(name)).unwrap();
    let turned: Vec<u8> = original[..8].iter().chain(original[8..].iter().rev()).copied().collect();
    std::fs::write(folder.join("noisy").join(name), turned).unwrap();
    let run = weightlab(folder, &["run", "x.ron"]);
    assert!(run.status.success(), "{}", printed(&run));
    let entries = std::fs::read_dir(folder.join("x.runs")).unwrap();
    assert_eq!(entries.filter(|entry| entry.as_ref().unwrap().path().join("DONE").exists()).count(), 2);
}

#[test]
fn the_set_of_a_branch_counts_and_is_not_taken_for_the_data_of_the_run() {
    let bench = Bench::new(Kind::KnownSet);
    let text = "(data: Digits(image_size: Some(28), limit_train: 20, limit_test: 10), net: Mlp(hidden: [2]),
        arms: [(name: \"a\", plan: [Branch(name: \"b\", data: Some(Mnist(dir: \"m\")), plan: [Test])])])";
    std::fs::write(bench.file(), text).unwrap();
    assert!(bench.carry_out());
    let log =
        std::fs::read_to_string(bench.results().join(bench.run().unwrap().id).join("events.jsonl")).unwrap();
    let reports: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_data: Vec<&serde_json::Value> = reports.iter().filter(|event| event["kind"] == "data").collect();
    assert!(of_data[0]["summary"].as_str().unwrap().starts_with("Digits"), "{}", of_data[0]);
    assert!(!of_data[0]["rows"].to_string().contains("files' SHA-256"), "{}", of_data[0]);
    Change::Exchange.carry_out(&bench, 0);
    assert!(!bench.is_done());
    Change::Restore.carry_out(&bench, 0);
    assert!(bench.is_done());
}
