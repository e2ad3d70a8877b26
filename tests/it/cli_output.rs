//! What becomes of results that standard output does not take.

use std::fs::File;
use std::process::{Output, Stdio};

use crate::support::bench::command;
use crate::support::tiny::TINY;
use crate::support::weight_file;

/// Everything that prints results without running anything for long.
const COMMANDS: &[&[&str]] = &[
    &["--help"],
    &["--version"],
    &["check", "x.ron"],
    &["show", "x.ron"],
    &["show", "x.ron", "--json"],
    &["show", "x.ron", "--reports"],
    &["status", "x.ron"],
    &["run", "x.ron"],
    &["submit", "x.ron", "--shards", "1", "--set", "seeds=[7]", "--dry-run"],
    &["inspect", "w.safetensors"],
    &["inspect", "w.safetensors", "--json"],
    &["data", "list"],
    &["man"],
    &["licences"],
    &["licences", "--texts"],
    &["completions", "bash"],
];

/// A folder with an experiment that has run, and a weight file.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.ron"), TINY).unwrap();
    std::fs::write(folder.path().join("w.safetensors"), weight_file([1, 1, 1], |_| 1.0)).unwrap();
    assert!(output(&folder, &["run", "x.ron"], Stdio::piped()).status.success());
    folder
}

fn output(folder: &tempfile::TempDir, arguments: &[&str], stdout: Stdio) -> Output {
    let mut command = command(folder.path(), arguments);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    command.stdout(stdout).spawn().unwrap().wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_a_full_disk_does_not_take_are_a_failure() {
    let folder = folder();
    for arguments in COMMANDS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = output(&folder, arguments, full.into());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(errors.contains("cannot write to standard output: "), "{arguments:?}: {errors}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_went_away_is_no_failure() {
    let folder = folder();
    for arguments in COMMANDS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = output(&folder, arguments, writer.into());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        assert!(!errors.lines().any(|line| line.starts_with("error:")), "{arguments:?}: {errors}");
    }
}
