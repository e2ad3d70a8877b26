//! Names of files in plans: placeholders, and what may be written where.

use std::path::{Component, Path};

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

/// Whether an exported file is inside the run's directory and none of the run's own files there.
pub fn stays_inside(file: &str) -> bool {
    let mut components = Path::new(file).components();
    let is_plain = components.clone().all(|part| matches!(part, Component::Normal(_)));
    let first = components.next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let own = ["weights.safetensors", "pins.safetensors", "checkpoint"];
    // Networks of single trainings.
    is_plain && !file.starts_with("rounds/step-") && first.is_some_and(|first| !own.contains(&first.as_str()))
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
        assert!(is_safetensors("a.SafeTensors") && !is_safetensors("a.pth"));
    }

    #[test]
    fn the_files_of_the_run_itself_are_no_exports() {
        assert!(!stays_inside(&filled("{arm}.safetensors", "weights", 1)));
        assert!(!stays_inside("../x.safetensors") && !stays_inside("/x.safetensors") && !stays_inside(""));
        assert!(stays_inside("a/x.safetensors"));
    }
}
