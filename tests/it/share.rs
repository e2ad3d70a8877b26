//! `weightlab export --tensorboard` and `--crate`: what others get, by the binary.

use std::path::Path;

use serde_json::Value;

use crate::support::bench::weightlab;
use crate::support::tiny::TINY;

/// What a command that must succeed prints, on standard output and on standard error.
fn said(folder: &Path, arguments: &[&str]) -> [String; 2] {
    let output = weightlab(folder, arguments);
    let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", texts[1]);
    texts
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = weightlab(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_crate_of_some_runs_opens_elsewhere_with_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY).unwrap();
    said(folder, &["run", "x.ron", "--jobs", "2", "--threads", "1"]);
    let export =
        ["export", "x.ron", "--seed", "2", "--crate", "c", "--license", "CC0-1.0", "--author", "A B"];
    let [_, told] = said(folder, &export);
    assert!(told.contains("wrote 2 runs in ") && !told.contains("note"), "{told}");
    let text = std::fs::read_to_string(folder.join("c/ro-crate-metadata.json")).unwrap();
    let metadata: Value = serde_json::from_str(&text).unwrap();
    let graph = metadata["@graph"].as_array().unwrap();
    let root = graph.iter().find(|entity| entity["@id"] == "./").unwrap();
    let about = root["description"].as_str().unwrap();
    assert!(about.starts_with("2 runs of the 4 of the experiment, all of them done. "), "{about}");
    let machine = graph.iter().find(|entity| entity["name"] == "Machine").expect("run.json names it");
    assert!(machine["value"].as_str().unwrap().starts_with(std::env::consts::OS));
    let shown = |at: &Path| -> Value {
        serde_json::from_str(&said(at, &["show", "x.ron", "--seed", "2", "--json"])[0]).unwrap()
    };
    assert_eq!(shown(&folder.join("c")), shown(folder));
    assert!(shown(folder).as_array().unwrap().iter().all(|row| row["state"] == "done"));
    assert!(refused(folder, &export).contains("c is not empty; choose a new or an empty folder"));
}

#[test]
fn settings_of_the_command_line_are_those_of_the_crate() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY).unwrap();
    let set = ["--set", "arms.*.plan.**.Train=1ep", "--seed", "1"];
    said(folder, &[&["run", "x.ron"][..], &set].concat());
    let [_, told] = said(folder, &[&["export", "x.ron", "--crate", "c"][..], &set].concat());
    assert!(told.contains("note: no licence is named"), "{told}");
    let shown = said(&folder.join("c"), &["show", "x.ron", "--seed", "1", "--json"]);
    let rows: Value = serde_json::from_str(&shown[0]).unwrap();
    assert!(rows.as_array().unwrap().iter().all(|row| row["state"] == "done"), "{rows}");
}

#[test]
fn event_files_have_a_folder_for_each_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY).unwrap();
    assert!(refused(folder, &["export", "x.ron", "--tensorboard", "b"]).contains("no results in x.runs yet"));
    said(folder, &["run", "x.ron", "--jobs", "2", "--threads", "1"]);
    let [_, told] = said(folder, &["export", "x.ron", "--tensorboard", "b"]);
    assert!(told.contains("wrote 4 runs, ") && told.contains("tensorboard --logdir b"), "{told}");
    for run in ["dense__plain/seed-1", "dense__plain/seed-2", "pruned/seed-1", "pruned/seed-2", "."] {
        let files = std::fs::read_dir(folder.join("b").join(run)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| name.contains("tfevents")).count(), 1, "{run}");
    }
}

#[test]
fn one_place_is_named_and_only_options_that_belong_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY).unwrap();
    let export = |rest: &[&str]| refused(folder, &[&["export", "x.ron"][..], rest].concat());
    let missing = export(&[]);
    assert!(missing.contains("--tensorboard <DIR>") && missing.contains("--crate <DIR>"), "{missing}");
    for both in [
        &["--to", "a.csv", "--crate", "c"][..],
        &["--tensorboard", "b", "--crate", "c"],
        &["--crate", "c", "--figure", "accuracy"],
        &["--crate", "c", "--dashes", "off"],
        &["--tensorboard", "b", "--notes"],
        &["--crate", "c", "--footnote"],
        &["--tensorboard", "b", "--methods"],
        &["--to", "a.csv", "--license", "MIT"],
        &["--tensorboard", "b", "--author", "A"],
    ] {
        assert!(export(both).contains("cannot be used with"), "{both:?}");
    }
    assert!(export(&["--crate", "c", "--license", "all of it"]).contains("is no licence"));
    assert!(export(&["--crate", "c", "--author", "A <1>"]).contains("no ORCID"));
    assert!(!folder.join("c").exists());
}
