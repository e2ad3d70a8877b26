//! What some runs are called together: the arm and the setting that a view shows.

use std::collections::BTreeSet;

use super::colours::base;
use form::number::counted;

/// More seeds than this are counted, not listed.
const MOST_SEEDS: usize = 5;

/// What runs are called together, each with the position of its arm, the name of its arm with the swept values, and its
/// seed: "a, storage int8, seeds 1, 2, 3", "a, 3 settings, seed 1", "2 arms, 10 seeds". Empty without runs.
pub fn subject_of<'a>(runs: impl IntoIterator<Item = (usize, &'a str, u64)>) -> String {
    let (mut arms, mut names, mut seeds) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (arm, name, seed) in runs {
        arms.insert(arm);
        names.insert(name);
        seeds.insert(seed);
    }
    let names: Vec<&str> = names.into_iter().collect();
    let what = match (arms.len(), names.as_slice()) {
        (_, []) => return String::new(),
        (_, [only]) => (*only).to_owned(),
        (1, several) => format!("{}, {}", base(several), counted(several.len() as u64, "setting")),
        (count, _) => counted(count as u64, "arm"),
    };
    format!("{what}, {}", seeds_in_words(&seeds))
}

/// "seed 2", "seeds 1, 2, 3", "10 seeds".
fn seeds_in_words(seeds: &BTreeSet<u64>) -> String {
    let listed: Vec<String> = seeds.iter().map(u64::to_string).collect();
    match listed.len() {
        1 => format!("seed {}", listed[0]),
        few if few <= MOST_SEEDS => format!("seeds {}", listed.join(", ")),
        many => counted(many as u64, "seed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_called_after_their_arm_their_setting_and_their_seeds() {
        let of = |runs: &[(usize, &str, u64)]| subject_of(runs.iter().copied());
        assert_eq!(of(&[]), "");
        assert_eq!(of(&[(0, "a", 2)]), "a, seed 2");
        let swept = [(0, "a, format Int8", 1), (0, "a, format Int8", 2), (0, "a, format Float32", 1)];
        assert_eq!(of(&swept[..2]), "a, format Int8, seeds 1, 2");
        assert_eq!(of(&swept), "a, 2 settings, seeds 1, 2");
        let seeds: Vec<_> =
            (1..=10).map(|seed| (seed as usize % 2, ["a", "b"][seed as usize % 2], seed)).collect();
        assert_eq!(of(&seeds), "2 arms, 10 seeds");
    }
}
