//! Kills, suspended writers, containers and rights of new files, with the real binary.

#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::bench::{Bench, LONG, errors, events, points, wait_until};
use crate::support::tiny::TINY;
use crate::support::weight_file;

/// An import, many short stages, and files of every kind.
const EVENTFUL: &str = r#"(
    data: Digits(limit_train: 160, limit_test: 40),
    net: Mlp(hidden: [12]),
    train: (optimizer: Adam(rate: 0.001), batch: 4, record: (weights: Histograms)),
    seeds: [1],
    arms: [(name: "a", plan: [
        Do(Import(file: "w.safetensors")),
        Repeat(times: 40, body: [
            Train("2ep"),
            Do(Prune(amount: Fraction(0.02))),
            Do(Export(file: "{arm}.safetensors")),
            Campaign(fault: (amount: Count(2)), trials: Fixed(10), images: 10),
        ]),
        Do(Import(file: "a.safetensors")),
        Test,
    ])],
)"#;

/// Writes the weights that the experiment imports; those of different numbers differ.
fn write_weights(path: &Path, number: u8) {
    let value = |at: usize| ((at * 7 + usize::from(number)) % 13) as f32 / 40.0 - 0.15;
    std::fs::write(path, weight_file([64, 12, 10], value)).unwrap();
}

/// All files below a folder, by their paths in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), bytes);
            }
        }
    }
    found
}

/// What a run directory holds: its files, without wall times, and without what tells of interruptions.
fn results(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = files(run);
    for name in ["events.jsonl", "run.json"] {
        files.remove(Path::new(name)).unwrap();
    }
    files
}

/// The events of a log without wall times, and without those of starts.
fn said(log: &Path) -> Vec<Value> {
    let mut events = events(log);
    events.retain(|event| !["started", "clock", "finished"].contains(&event["event"].as_str().unwrap()));
    for event in &mut events {
        event["secs"] = Value::Null;
    }
    events
}

#[test]
fn forty_kills_lose_nothing() {
    let whole = Bench::new(EVENTFUL);
    write_weights(&whole.path("w.safetensors"), 0);
    whole.said(&["run", "x.ron", "--threads", "1"]);
    let uninterrupted = whole.run_directory();
    let whole_log = std::fs::metadata(uninterrupted.join("events.jsonl")).unwrap().len();
    let bench = Bench::new(EVENTFUL);
    let weights = bench.path("w.safetensors");
    write_weights(&weights, 0);
    let run = bench.run_directory();
    // With other weights before it starts, a process works on another run; with other ones since, the run refuses them.
    let (is_exchanged, is_disturbed) = (|kill: u64| kill % 5 == 4, |kill: u64| kill % 5 == 2);
    for kill in 0..40 {
        if is_exchanged(kill) {
            write_weights(&weights, 1);
        }
        let claims = || -> BTreeSet<Vec<u8>> {
            let runs = std::fs::read_dir(run.parent().unwrap()).into_iter().flatten();
            runs.filter_map(|run| std::fs::read(run.unwrap().path().join("claim")).ok()).collect()
        };
        let of_the_dead = claims();
        let mut command = bench.command(&["run", "x.ron", "--threads", "1"]);
        let mut child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while claims().is_subset(&of_the_dead) {
            assert!(began.elapsed() < Duration::from_mins(1), "nothing begins");
            assert_eq!(child.try_wait().unwrap(), None, "after {kill} kills");
            std::thread::sleep(Duration::from_millis(1));
        }
        if is_disturbed(kill) {
            write_weights(&weights, 1);
        }
        let (began, mut shortest) = (Instant::now(), u64::MAX);
        while began.elapsed() < Duration::from_millis(kill * 37 % 150) {
            // On a fast machine, forty kills need a run that is long enough.
            let length = std::fs::metadata(run.join("events.jsonl")).map_or(0, |about| about.len());
            shortest = shortest.min(length);
            if length > shortest + whole_log / 60 {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let has_ended = child.try_wait().unwrap().is_some();
        assert!(!has_ended || is_exchanged(kill) || is_disturbed(kill), "it ended before kill {kill}");
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        write_weights(&weights, 0);
    }
    bench.said(&["run", "x.ron"]);
    let (found, expected) = (results(&run), results(&uninterrupted));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected));
    for (name, bytes) in &expected {
        assert!(found[name] == *bytes, "{} differs", name.display());
    }
    let [found, expected] = [&run, &uninterrupted].map(|run| said(&run.join("events.jsonl")));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    let resumed = events(&run.join("events.jsonl")).iter().filter(|event| event["resumed"] == true).count();
    assert!(resumed > 0, "none of the kills came between two stages");
}

fn send(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

#[test]
fn a_suspended_writer_whose_run_was_taken_over_stops_before_its_next_byte() {
    let bench = Bench::new(&LONG.replace("times: 30", "times: 3000"));
    let child =
        bench.command(&["run", "x.ron"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let run = bench.run_directory();
    wait_until(|| !points(&run.join("events.jsonl")).is_empty());
    send("-STOP", child.id());
    std::fs::remove_file(run.join("claim")).unwrap();
    std::fs::write(run.join("claim"), "another host\n7\n1\n").unwrap();
    let before = files(&run);
    std::thread::sleep(Duration::from_millis(5100)); // instead of two minutes: so long, a claim needs no look
    send("-CONT", child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let message = errors(&output);
    assert!(message.contains("this process has lost"), "{message}");
    assert!(message.contains("process 7 on another host writes it now"), "{message}");
    let mut after = files(&run);
    // It may have been suspended in the middle of a checkpoint, of which it keeps nothing.
    after.retain(|name, bytes| before.get(name) != Some(bytes));
    assert_eq!(after, BTreeMap::new(), "{message}");
}

#[test]
fn a_writer_in_a_container_is_not_taken_for_dead() {
    let enter = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
    if !Command::new("unshare").args(enter).arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system lets nobody make namespaces");
        return;
    }
    let bench = Bench::new(&LONG.replace("times: 30", "times: 3000"));
    let run = bench.run_directory();
    let inner = bench.command(&["run", "x.ron"]);
    let mut command = Command::new("unshare");
    command.args(enter).arg(inner.get_program()).args(inner.get_args()).current_dir(bench.folder.path());
    let mut child =
        command.env_remove("DISPLAY").stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    wait_until(|| !points(&run.join("events.jsonl")).is_empty());
    assert_eq!(bench.shown(&[])[0]["state"], "running");
    let refused = || {
        let output = bench.weightlab(&["run", "x.ron"]);
        assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
        for part in ["is running elsewhere (process ", "last sign of life ", "start again two minutes after"]
        {
            assert!(errors(&output).contains(part), "{part}: {}", errors(&output));
        }
    };
    refused();
    child.kill().unwrap();
    child.wait().unwrap();
    refused(); // from here it cannot be seen that it is dead
    let claim = std::fs::File::options().write(true).open(run.join("claim")).unwrap();
    claim.set_modified(std::time::SystemTime::now() - Duration::from_mins(3)).unwrap();
    assert_eq!(bench.shown(&[])[0]["state"], "stopped");
}

#[test]
fn new_files_have_the_rights_that_the_umask_leaves() {
    use std::os::unix::fs::PermissionsExt;
    fn modes(folder: &Path, found: &mut BTreeMap<u32, Vec<PathBuf>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            found
                .entry(path.metadata().unwrap().permissions().mode() & 0o777)
                .or_default()
                .push(path.clone());
            if path.is_dir() {
                modes(&path, found);
            }
        }
    }
    let text = TINY.replace(
        "plan: [Train(\"5ep\"), Test]",
        "plan: [Train(\"1ep\"), Do(Export(file: \"w.safetensors\"))]",
    );
    for (umask, expected) in [("077", [0o600, 0o700]), ("027", [0o640, 0o750]), ("002", [0o664, 0o775])] {
        let bench = Bench::new(&text);
        let program = env!("CARGO_BIN_EXE_weightlab");
        let script = format!(
            "umask {umask} && '{program}' run x.ron --arm 'dense, plain' --seed 1 &&
                '{program}' export x.ron --to x.csv && '{program}' export x.ron --crate crate"
        );
        let output =
            Command::new("sh").args(["-c", &script]).current_dir(bench.folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        std::fs::remove_file(bench.path("x.ron")).unwrap();
        let mut found = BTreeMap::new();
        modes(bench.folder.path(), &mut found);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected, "umask {umask}: {found:#?}");
    }
}
