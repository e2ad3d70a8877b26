//! Names of files in plans: placeholders, and what may be written where.

use std::path::{Component, Path, PathBuf};

/// The name of a file with a run's arm and seed for their placeholders.
///
/// Characters of the arm's name other than letters, digits, `-`, `_` and `.` become `_`, and so does a dot at its start,
/// so that no name leads to another folder.
pub fn filled(file: &str, arm: &str, seed: u64) -> String {
    let plain = |(at, c): (usize, char)| {
        let fits = c.is_alphanumeric() || "-_".contains(c) || at > 0 && c == '.';
        if fits { c } else { '_' }
    };
    let arm: String = arm.chars().enumerate().map(plain).collect();
    file.replace("{arm}", &arm).replace("{seed}", &seed.to_string())
}

/// The names of the tables of a run.
pub const TABLES: [&str; 5] =
    ["faults.csv", "trials.csv", "trials_unprotected.csv", "logits.csv", "histograms.jsonl"];

/// The ending of weight files that are written here.
const SAFETENSORS: &str = "safetensors";
/// The endings of weight files that are read. The content decides how.
const WEIGHTS: [&str; 7] = [SAFETENSORS, "pth", "pt", "th", "ckpt", "pth.tar", "pt.tar"];

/// The endings of weight files that are read: `.safetensors, .pth or .pt`, and the others.
pub fn weight_endings() -> String {
    let [others @ .., last] = WEIGHTS.map(|ending| format!(".{ending}"));
    format!("{} or {last}", others.join(", "))
}

/// Whether a source of weights is a file rather than a name.
pub fn is_file(from: &str) -> bool {
    WEIGHTS.iter().any(|ending| ends_with(from, ending))
}

/// Whether a file has the ending of those that are written.
pub fn is_safetensors(file: &str) -> bool {
    ends_with(file, SAFETENSORS)
}

fn ends_with(file: &str, ending: &str) -> bool {
    let name = file.to_ascii_lowercase();
    name.strip_suffix(ending).and_then(|name| name.strip_suffix('.')).is_some_and(|stem| !stem.is_empty())
}

/// The folder in a run's directory that its plan writes files into. Nothing else is there, so that no name is that of one of the
/// run's own files, on no disk.
pub const EXPORTS: &str = "exports";

/// Whether an exported file is inside the folder that it belongs into.
pub fn stays_inside(file: &str) -> bool {
    let mut components = Path::new(file).components();
    !file.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
}

/// The path of a file that a run has exported. Those of earlier versions are beside the run's own files.
pub fn exported(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(EXPORTS).join(name);
    if path.exists() { path } else { directory.join(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_an_arm_leads_out_of_the_directory() {
        for arm in ["..", ".", "../..", "a/../..", "/etc"] {
            for file in ["{arm}/x.safetensors", "{arm}{arm}/x.safetensors", "{arm}./x.safetensors"] {
                let name = filled(file, arm, 1);
                assert!(stays_inside(&name), "{name}");
            }
        }
        assert_eq!(filled("{arm}-{seed}.safetensors", "a b, rate 0.1", 3), "a_b__rate_0.1-3.safetensors");
    }

    #[test]
    fn weight_files_are_told_from_names_by_their_endings() {
        for file in ["a.safetensors", "b/model_best.PTH.tar", "resnet20-12fca82f.th", "{arm}.pt", "x.ckpt"] {
            assert!(is_file(file), "{file}");
        }
        for name in ["k", "after round 3", "pt", ".pth", "cifar.tar", "data.bin"] {
            assert!(!is_file(name), "{name}");
        }
        assert_eq!(weight_endings(), ".safetensors, .pth, .pt, .th, .ckpt, .pth.tar or .pt.tar");
        assert!(is_safetensors("a.SafeTensors") && !is_safetensors("a.pth"));
    }

    #[test]
    fn exports_stay_in_their_folder() {
        for name in
            ["", "/x.safetensors", "../x.safetensors", "a/../../x.safetensors", "./x.safetensors", "a/.."]
        {
            assert!(!stays_inside(name), "{name}");
        }
        for name in
            ["a/x.safetensors", "DONE", "claim", "weights.safetensors", "..x.safetensors", "a\\b.safetensors"]
        {
            assert!(stays_inside(name), "{name}");
        }
    }

    #[test]
    fn exports_of_earlier_versions_are_found_beside_the_files_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(EXPORTS)).unwrap();
        let paths = [folder.path().join("x.safetensors"), folder.path().join(EXPORTS).join("x.safetensors")];
        for path in paths {
            std::fs::write(&path, "").unwrap();
            assert_eq!(exported(folder.path(), "x.safetensors"), path);
        }
    }
}
