//! Settings of the command line that change no run, because arms have other values.

use doc::{Experiment, RunSpec, expand_arms};
use form::path::assign;

/// Settings that an arm can have instead of the experiment's.
const OWN: [&str; 2] = ["net", "train"];
/// The first steps of settings that every run has.
const OF_RUNS: [&str; 4] = ["data", "net", "train", "device"];

/// Notes on those of the settings without which the runs would be the same, although the file has another value.
pub fn notes(file: &Experiment, experiment: &Experiment, set: &[(String, String)]) -> Vec<String> {
    let of_runs = |(key, _): &&(String, String)| OF_RUNS.contains(&first(key));
    if !set.iter().any(|setting| of_runs(&setting)) {
        return Vec::new();
    }
    let Some(with_all) = specs(experiment) else { return Vec::new() };
    let is_idle = |setting: &&(String, String)| {
        let mut without = file.clone();
        let others = set.iter().filter(|other| other != setting);
        let fits = others.clone().all(|(key, value)| assign(&mut without, key, value).is_ok());
        fits && without != *experiment && specs(&without).as_ref() == Some(&with_all)
    };
    set.iter().filter(of_runs).filter(is_idle).map(|setting| note(experiment, setting)).collect()
}

fn note(experiment: &Experiment, (key, value): &(String, String)) -> String {
    let first = first(key);
    let has_own = OWN.contains(&first)
        && experiment
            .arms
            .iter()
            .all(|arm| if first == "net" { arm.net.is_some() } else { arm.train.is_some() });
    if has_own {
        return format!(
            "note: --set {key}={value} changes no run: every arm has its own {first}; write arms.*.{key}={value}"
        );
    }
    format!(
        "note: --set {key}={value} changes no run: the arms have their own values, or set or sweep give \
            them"
    )
}

fn first(key: &str) -> &str {
    key.split('.').next().unwrap_or(key)
}

fn specs(experiment: &Experiment) -> Option<Vec<RunSpec>> {
    Some(expand_arms(experiment).ok()?.into_iter().map(|arm| arm.spec).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::file::parse;

    fn notes_of(arms: &str, set: &[(&str, &str)]) -> Vec<String> {
        let file = parse(&format!("(train: (batch: 32), arms: [{arms}])"), Path::new("x.ron")).unwrap();
        let mut experiment = file.clone();
        let set: Vec<(String, String)> =
            set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        for (key, value) in &set {
            assign(&mut experiment, key, value).unwrap();
        }
        notes(&file, &experiment, &set)
    }

    #[test]
    fn a_setting_that_every_arm_has_itself_is_noted() {
        let own =
            "(name: \"a\", train: (batch: 8), plan: [Test]), (name: \"b\", train: (batch: 4), plan: [Test])";
        assert_eq!(
            notes_of(own, &[("train.batch", "16")]),
            [
                "note: --set train.batch=16 changes no run: every arm has its own train; write arms.*.train.batch=16"
            ]
        );
        let swept = "(name: \"a\", sweep: { \"train.batch\": [8, 16] }, plan: [Test])";
        let note = notes_of(swept, &[("train.batch", "64"), ("data", "Iris()")]);
        assert!(note.len() == 1 && note[0].ends_with("set or sweep give them"), "{note:?}");
    }

    #[test]
    fn a_setting_that_changes_a_run_or_is_there_already_is_not_noted() {
        let plain = "(name: \"a\", train: (batch: 8), plan: [Test]), (name: \"b\", plan: [Test])";
        for set in [("train.batch", "16"), ("train.batch", "32"), ("arms.*.train.batch", "16"), ("name", "x")]
        {
            assert_eq!(notes_of(plain, &[set]), Vec::<String>::new(), "{set:?}");
        }
    }
}
