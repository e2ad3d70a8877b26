//! Programs that answer as Slurm does.

use std::path::Path;
use std::process::Command;

/// Writes a script that can be started at once.
///
/// Another process writes it: a program that a process has open for writing, also one that was just forked, cannot start.
pub fn program(path: &Path, text: &str) {
    let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1.new\"; chmod 755 \"$1.new\"; mv \"$1.new\" \"$1\"";
    let status = Command::new("sh").args(["-c", write, "sh"]).arg(path).arg(text).status();
    assert!(status.unwrap().success());
}
