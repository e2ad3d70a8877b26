//! What `weightlab show --pairs` adds: the difference between two arms, seed by seed.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde::Serialize;

use crate::failure::Failure;
use form::number::counted;
use results::paired::{Comparison, Paired};
use results::table::Row;

/// Paired differences between two arms.
#[derive(Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The first arm.
    first: String,
    /// The arm that it is compared with.
    second: String,
    /// Whether the accuracies are those on the validation data, since nothing was tested.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    validation: bool,
    /// Of the last test accuracy; nothing without a seed that has one in both arms.
    test_accuracy: Option<Difference>,
    /// Of the best one.
    best_test_accuracy: Option<Difference>,
    /// Runs of both arms that have an accuracy and are not done: they are not compared.
    #[serde(skip_serializing_if = "is_none")]
    not_done: usize,
    /// Common seeds that are left out since an arm was not tested with them.
    #[serde(skip_serializing_if = "is_none")]
    untested: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands it over like this
const fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Second minus first, over common seeds, in shares.
#[derive(Debug, PartialEq, Serialize)]
struct Difference {
    mean: f64,
    /// Half the width of the 95 % CI of the mean, with Student's t; nothing for one pair.
    half_interval95: Option<f64>,
    n: usize,
    /// In words.
    #[serde(skip)]
    words: String,
}

impl From<Paired> for Difference {
    fn from(paired: Paired) -> Self {
        let words = format!("{}; {}", paired.points(), paired.verdict());
        Self { mean: paired.mean, half_interval95: paired.half, n: paired.n, words }
    }
}

/// The differences between arms: `names` are those of the first and the second arm, pair by pair.
///
/// # Errors
/// An arm that is not there, with those that are.
pub fn pairs(names: &[String], rows: &[Row]) -> Result<Vec<Pair>, Failure> {
    let arms: BTreeSet<&str> = rows.iter().map(|row| row.arm.as_str()).collect();
    if let Some(unknown) = names.iter().find(|name| !arms.contains(name.as_str())) {
        let known = arms.into_iter().collect::<Vec<_>>().join("\n  ");
        return Err(Failure::Input(format!("--pairs: there is no arm \"{unknown}\"; there are\n  {known}")));
    }
    let pair = |names: &[String]| {
        let [first, second] = [&names[0], &names[1]];
        let found = Comparison::of(rows, [first, second], |_| true);
        Pair {
            first: first.clone(),
            second: second.clone(),
            validation: found.validation,
            test_accuracy: found.last.map(Difference::from),
            best_test_accuracy: found.best.map(Difference::from),
            not_done: found.left_out,
            untested: found.untested,
        }
    };
    Ok(names.chunks_exact(2).map(pair).collect())
}

/// The differences in words.
pub fn text(pairs: &[Pair]) -> String {
    let mut out = String::new();
    for pair in pairs {
        // A string takes everything.
        let _ = writeln!(out, "\n{} minus {}, seed by seed", pair.second, pair.first);
        let both = [("last", &pair.test_accuracy), ("best", &pair.best_test_accuracy)];
        let data = if pair.validation { "validation" } else { "test" };
        let nothing = if pair.untested > 0 {
            "no seed is tested in both arms"
        } else {
            "no seed is done in both arms yet"
        };
        for (name, found) in both {
            let words = found.as_ref().map_or(nothing, |found| &found.words);
            let _ = writeln!(out, "{name} {data} accuracy: {words}");
        }
        if pair.not_done > 0 {
            let _ = writeln!(out, "left out: {} not done", counted(pair.not_done, "run"));
        }
        if pair.untested > 0 {
            let _ = writeln!(out, "left out: {} not tested in both arms", counted(pair.untested, "seed"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(arm: &str, seed: u64, accuracy: Option<f64>) -> Row {
        Row {
            arm: arm.to_owned(),
            seed,
            state: "done".to_owned(),
            last: accuracy,
            best: accuracy.map(|value| value + 0.25),
            ..Row::default()
        }
    }

    #[test]
    fn arms_are_compared_over_the_seeds_that_both_have() {
        // Differences 0.01, 0.02, 0.03: mean 0.02, deviation 0.01, t(2) = 4.302653, half = 4.302653·0.01/√3.
        let accuracies =
            [("a", 1, 0.5), ("a", 2, 0.5), ("a", 3, 0.5), ("b", 1, 0.51), ("b", 2, 0.52), ("b", 3, 0.53)];
        let mut rows: Vec<Row> = accuracies.map(|(arm, seed, value)| row(arm, seed, Some(value))).into();
        rows.push(row("b", 4, None));
        rows.push(Row { state: "running".to_owned(), ..row("a", 5, Some(0.9)) });
        rows.push(Row { state: "stopped".to_owned(), ..row("b", 5, Some(0.1)) });
        rows.push(row("waiting", 1, None));
        let names = ["a", "b", "waiting", "a"].map(str::to_owned);
        let found = pairs(&names, &rows).unwrap();
        assert_eq!(
            text(&found).lines().collect::<Vec<_>>(),
            [
                "",
                "b minus a, seed by seed",
                "last test accuracy: +2.00 ± 2.48 points, n = 3; the 95 % CI includes 0",
                "best test accuracy: +2.00 ± 2.48 points, n = 3; the 95 % CI includes 0",
                "left out: 2 runs not done",
                "",
                "a minus waiting, seed by seed",
                "last test accuracy: no seed is done in both arms yet",
                "best test accuracy: no seed is done in both arms yet",
                "left out: 1 run not done",
            ]
        );
        let json = serde_json::to_value(&found).unwrap();
        assert!((json[0]["test_accuracy"]["half_interval95"].as_f64().unwrap() - 0.024_841_38).abs() < 1e-7);
        assert_eq!(json[1]["test_accuracy"], serde_json::Value::Null);
        let wrong = pairs(&["a", "c"].map(str::to_owned), &rows).unwrap_err().to_string();
        assert_eq!(wrong, "error: --pairs: there is no arm \"c\"; there are\n  a\n  b\n  waiting");
    }
}
