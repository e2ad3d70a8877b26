//! What the guide says about files is so: the lines of Python find what they name in a real run directory.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const GUIDE: &str = include_str!("../../docs/guide.md");

const RESULTS: &str = include_str!("../../docs/guide/results.md");

/// What `weightlab.read` returns in Python.
const MODULE: &str = include_str!("../../packaging/wheel/python/weightlab/_results.py");

const TINY: &str = r#"(
    data: Digits(limit_train: 100, limit_test: 50),
    net: Mlp(hidden: [8]),
    arms: [(name: "a", plan: [Train("1ep"), Test])],
)"#;

/// The points of the only run, as JSON.
fn points(folder: &Path) -> Vec<Value> {
    std::fs::write(folder.join("lottery.ron"), TINY).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_weightlab"))
        .args(["run", "lottery.ron"])
        .current_dir(folder)
        .output();
    assert!(run.unwrap().status.success());
    let entries = std::fs::read_dir(folder.join("lottery.runs")).unwrap();
    let runs: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    let [only] = runs.as_slice() else { panic!("one run: {runs:?}") };
    assert!(only.join("run.json").is_file());
    let log = std::fs::read_to_string(only.join("events.jsonl")).unwrap();
    let events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["event"] == "point").collect()
}

/// Words in back quotes of a paragraph of the guide.
fn quoted(start: &str) -> Vec<&'static str> {
    let paragraph = &GUIDE[GUIDE.find(start).unwrap()..];
    let sentence = &paragraph[..paragraph.find(';').unwrap()];
    sentence.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_guide_reads_a_run_directory_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let points = points(folder.path());
    let keys: BTreeSet<&String> = points.iter().flat_map(|point| point.as_object().unwrap().keys()).collect();
    let named = quoted("Every point has ");
    assert!(named.len() >= 8, "{named:?}");
    for key in named {
        assert!(points.iter().all(|point| point.get(key).is_some()), "{key} is not in every point: {keys:?}");
    }
    let code = &GUIDE[GUIDE.find("```python\nimport glob").unwrap()..];
    let code = &code[..code[3..].find("```").unwrap()];
    for name in [
        "events.jsonl",
        "\"event\"",
        "\"point\"",
        "\"series\"",
        "\"test_accuracy\"",
        "\"value\"",
        "\"trained\"",
    ] {
        assert!(code.contains(name), "{name} is not in the guide's lines");
    }
    assert!(points.iter().any(|point| point["series"] == "test_accuracy" && point["value"].is_number()));
    assert!(code.lines().filter(|line| !line.trim().is_empty()).count() <= 13, "about ten lines");
}

#[test]
fn the_page_on_results_lists_the_frames_that_the_python_module_has() {
    let page = &RESULTS[RESULTS.find("## In Python").unwrap()..];
    let listed: BTreeSet<&str> =
        page.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0)).collect();
    let is_frame = |line: &&str| line.ends_with("-> pd.DataFrame:");
    let has: BTreeSet<&str> = MODULE
        .lines()
        .filter(is_frame)
        .filter_map(|line| Some(line.trim_start().strip_prefix("def ")?.split_once('(')?.0))
        .collect();
    assert!(listed.len() > 9, "{listed:?}");
    assert_eq!(listed, has);
    for name in ["select", "weights", "masks", "steps", "current"] {
        assert!(page.contains(name) && MODULE.contains(&format!("def {name}(")), "{name}");
    }
}
