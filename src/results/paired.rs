//! The difference between two arms, seed by seed.

use std::collections::BTreeMap;

use super::RunState;
use super::number::fixed;
use super::statistics::{standard_deviation, student_t95};
use super::table::{Row, VALIDATION};

/// Mean difference over common seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Mean of second minus first.
    pub mean: f64,
    /// Half the width of the 95 % interval of the mean, with Student's t; `None` for one pair, which has no spread.
    pub half: Option<f64>,
    /// Pairs.
    pub n: usize,
}

/// Compares values of the same seed; `None` without a pair of finite values. Where a seed comes twice, its last value
/// counts.
pub fn paired(first: &[(u64, f64)], second: &[(u64, f64)]) -> Option<Paired> {
    let first: BTreeMap<u64, f64> = first.iter().copied().collect();
    let second: BTreeMap<u64, f64> = second.iter().copied().collect();
    let both = second.iter().filter_map(|(seed, after)| Some(after - first.get(seed)?));
    let differences: Vec<f64> = both.filter(|difference| difference.is_finite()).collect();
    if differences.is_empty() {
        return None;
    }
    let n = differences.len();
    let count = n as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let half =
        standard_deviation(&differences).map(|deviation| student_t95(n - 1) * deviation / count.sqrt());
    Some(Paired { mean, half, n })
}

impl Paired {
    /// The difference of two accuracies in [0, 1] in words: "+0.40 ± 0.20 points, n = 5".
    pub fn points(&self) -> String {
        let sign = if self.mean > 0.0 { "+" } else { "" };
        let half = self.half.map(|half| format!(" ± {}", fixed(half * 100.0, 2))).unwrap_or_default();
        format!("{sign}{}{half} points, n = {}", fixed(self.mean * 100.0, 2), self.n)
    }

    /// Whether the interval leaves 0 out; `None` for a single pair.
    pub fn is_clear(&self) -> Option<bool> {
        self.half.map(|half| self.mean.abs() > half)
    }

    /// The conclusion from the interval.
    pub fn verdict(&self) -> &'static str {
        match self.is_clear() {
            None => "one pair says nothing about the spread",
            Some(true) => "the 95 % interval excludes 0",
            Some(false) => "the 95 % interval includes 0",
        }
    }
}

/// The accuracies of two arms, compared over the seeds that are done in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Whether the accuracies are those on the validation data, since nothing was tested.
    pub validation: bool,
    /// Second minus first, of the last accuracies; none without a common seed.
    pub last: Option<Paired>,
    /// The same of the best ones.
    pub best: Option<Paired>,
    /// Runs of both arms that are compared.
    pub runs: usize,
    /// Runs of both arms that have an accuracy and are not compared: not done, or not wanted.
    pub left_out: usize,
    /// Common seeds that are not compared, since an arm was not tested with them.
    pub untested: usize,
}

impl Comparison {
    /// Compares two arms, the first with the second, in those of their runs that are done and wanted.
    pub fn of(rows: &[Row], [first, second]: [&str; 2], is_wanted: impl Fn(&Row) -> bool) -> Self {
        let is_measured = |row: &&Row| (row.arm == first || row.arm == second) && row.last.is_some();
        let is_compared = |row: &&Row| row.state == RunState::Done.word() && is_wanted(row);
        let (compared, others): (Vec<&Row>, Vec<&Row>) =
            rows.iter().filter(is_measured).partition(is_compared);
        let of = |arm: &str| -> BTreeMap<u64, &Row> {
            let of_arm = compared.iter().filter(|row| row.arm == arm);
            of_arm.map(|row| (row.seed, *row)).collect()
        };
        let (before, after) = (of(first), of(second));
        let both = after.iter().filter_map(|(seed, after)| Some([*before.get(seed)?, *after]));
        let pairs: Vec<[&Row; 2]> = both.collect();
        let (comparable, validation) = on_the_same_data(&pairs);
        let between = |value: fn(&Row) -> Option<f64>| {
            let of = |side: usize| -> Vec<(u64, f64)> {
                let rows = comparable.iter().map(|pair| pair[side]);
                rows.filter_map(|row| Some((row.seed, value(row)?))).collect()
            };
            paired(&of(0), &of(1))
        };
        Self {
            validation,
            last: between(|row| row.last),
            best: between(|row| row.best),
            runs: compared.len(),
            left_out: others.len(),
            untested: pairs.len() - comparable.len(),
        }
    }
}

/// Those pairs whose accuracies are on the same data, and whether these are the validation data: they are where no pair
/// was tested.
fn on_the_same_data<'a>(pairs: &[[&'a Row; 2]]) -> (Vec<[&'a Row; 2]>, bool) {
    let on = |is_validation: bool| -> Vec<[&'a Row; 2]> {
        let is_on = |pair: &&[&Row; 2]| pair.iter().all(|row| (row.series == VALIDATION) == is_validation);
        pairs.iter().filter(is_on).copied().collect()
    };
    let (tested, validated) = (on(false), on(true));
    let validation = tested.is_empty() && !validated.is_empty();
    (if validation { validated } else { tested }, validation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_common_seeds_are_compared() {
        // Differences 0.01, 0.02, 0.03: mean 0.02, deviation 0.01, t(2) = 4.302653, half = 4.302653·0.01/√3.
        let first = [(1, 0.5), (2, 0.5), (3, 0.5), (9, 0.1)];
        let second = [(3, 0.53), (1, 0.51), (2, 0.52), (8, 0.9)];
        let paired = paired(&first, &second).unwrap();
        assert_eq!(paired.n, 3);
        assert!((paired.mean - 0.02).abs() < 1e-12);
        assert!((paired.half.unwrap() - 0.024_841_38).abs() < 1e-7);
        assert_eq!(paired.points(), "+2.00 ± 2.48 points, n = 3");
        assert_eq!(paired.is_clear(), Some(false));
    }

    #[test]
    fn an_accuracy_on_the_test_data_is_never_compared_with_one_on_the_validation_data() {
        let row = |arm: &str, seed: u64, series: &'static str, last: f64| Row {
            arm: arm.to_owned(),
            seed,
            series,
            state: "done".to_owned(),
            last: Some(last),
            ..Row::default()
        };
        let rows = [
            row("a", 1, "test_accuracy", 0.5),
            row("b", 1, "vote_accuracy", 0.75),
            row("a", 2, "test_accuracy", 0.5),
            row("b", 2, VALIDATION, 1.0),
            row("a", 3, VALIDATION, 0.5),
            row("b", 3, VALIDATION, 0.625),
        ];
        let of = |rows: &[Row]| {
            let found = Comparison::of(rows, ["a", "b"], |_| true);
            (found.last.map(|last| (last.mean, last.n)), found.validation, found.untested)
        };
        assert_eq!(of(&rows), (Some((0.25, 1)), false, 2), "where one seed is tested, only those that are");
        assert_eq!(of(&rows[2..]), (Some((0.125, 1)), true, 1), "else on the validation data");
        assert_eq!(of(&rows[2..4]), (None, false, 1), "never mixed");
    }

    #[test]
    fn one_pair_has_no_interval_and_none_has_no_difference() {
        let one = paired(&[(1, 0.75)], &[(1, 0.5)]).unwrap();
        assert_eq!((one.points().as_str(), one.is_clear()), ("−25.00 points, n = 1", None));
        assert_eq!(paired(&[(1, 0.5)], &[(2, 0.5)]), None);
        assert_eq!(paired(&[(1, f64::NAN)], &[(1, 0.5)]), None);
    }
}
