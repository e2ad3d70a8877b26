//! Tells the program which commit it is built from. Only in release builds: elsewhere every commit would compile it again.

use std::process::Command;

fn main() {
    // Relative to the crate that it is the script of, in src/.
    println!("cargo:rerun-if-changed=../../packaging/build.rs");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if is_release { commit() } else { None };
    println!("cargo:rustc-env=WEIGHTLAB_COMMIT={}", commit.unwrap_or_default());
}

/// The commit of the sources; nothing where they are not in a repository.
fn commit() -> Option<String> {
    // It changes with every commit and every change of the branch.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if std::path::Path::new(&log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
