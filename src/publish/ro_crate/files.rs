//! Which files of a run go into a crate, and what they are.

use std::path::{Path, PathBuf};

use crate::PublishError;

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    /// Its path in the run's directory, with `/` between the parts.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// The files of a run's directory in the order of their names. Left out are what only a writer needs – claim and
/// checkpoint –, what it had not finished, and links, which lead elsewhere.
///
/// # Errors
/// When a folder cannot be read.
pub fn files_of(directory: &Path) -> Result<Vec<RunFile>, PublishError> {
    let mut files = Vec::new();
    collect(directory, "", &mut files)?;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<RunFile>) -> Result<(), PublishError> {
    let fail = PublishError::reading(folder);
    for entry in std::fs::read_dir(folder).map_err(&fail)? {
        let entry = entry.map_err(&fail)?;
        let kind = entry.file_type().map_err(&fail)?;
        // A name that is no text has no place in the metadata.
        let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else { continue };
        if prefix.is_empty() && is_of_writer(&name) {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else if kind.is_file() && !is_unfinished(&name) {
            files.push(RunFile { name, path: entry.path() });
        }
    }
    Ok(())
}

fn is_of_writer(name: &str) -> bool {
    name == "checkpoint" || name.starts_with("claim") || name.starts_with("clock-")
}

/// Whether a file is being written: by `write_atomically`, or a checkpoint.
fn is_unfinished(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.starts_with(".weightlab-") || name.starts_with(".tmp"))
}

/// What a file of a run is, in a sentence for people.
pub fn description_of(name: &str) -> &'static str {
    match name {
        "run.ron" => {
            "Settings of the run, the program and the machine, the digest of the data, and how it ended"
        }
        "events.jsonl" => "Every point and report of the run, one JSON object on each line",
        "events.old.jsonl" => "Points and reports from before the run started over",
        "weights.safetensors" => "The network at the end of the run",
        "pins.safetensors" => "Which entries of that network are pruned (1) or frozen (2)",
        "faults.csv" => "Every fault, with the bits before and after",
        "trials.csv" => "The outcome of every trial of a fault campaign",
        "trials_unprotected.csv" => "The outcome of the same trials without the protection",
        "logits.csv" => "Hashes of the logits of every trial, for a replay",
        "histograms.jsonl" => "Histograms of the weights at each evaluation, one JSON object on each line",
        "DONE" => "Says that the run is done",
        "FAILED" => "Why the run failed",
        _ if name.starts_with("rounds/") => "A network after one of the trainings, or what holds its entries",
        _ if name.starts_with("campaign-") => "The network of a fault campaign, or what holds its entries",
        _ => "A file that the plan of the run has written",
    }
}

/// The media type of a file (RO-Crate 1.2, "File Data Entity": `encodingFormat`). Those of RON, JSON lines and safetensors
/// are not registered with IANA.
pub fn media_type(name: &str) -> &'static str {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "html" => "text/html",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "json" => "application/json",
        "jsonl" => "application/jsonl",
        "gz" => "application/gzip",
        "safetensors" | "mat" | "bin" => "application/octet-stream",
        // RON, and markers without an ending.
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_writer_needs_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for name in [
            "run.ron",
            "rounds/step-2.safetensors",
            "DONE",
            "claim",
            "claim.dead-1",
            "clock-x",
            "checkpoint/state.safetensors",
            ".weightlab-1",
            "mine/claim",
        ] {
            write(name);
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
        let found = files_of(folder.path()).unwrap();
        let names: Vec<&str> = found.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["DONE", "mine/claim", "rounds/step-2.safetensors", "run.ron"]);
        assert!(description_of(names[2]).contains("trainings") && media_type(names[2]).ends_with("stream"));
        assert_eq!((media_type("points.csv"), media_type("DONE")), ("text/csv", "text/plain"));
    }
}
