//! The difference between two arms, seed by seed.

use std::collections::BTreeMap;

use super::RunState;
use super::number::{fixed, plus_minus};
use super::statistics::{standard_deviation, student_t95};
use super::table::{Row, VALIDATION};

/// Mean difference over common seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Mean of second minus first.
    pub mean: f64,
    /// Half the width of the 95 % CI of the mean, with Student's t; `None` for one pair, which has no spread.
    pub half: Option<f64>,
    /// Pairs.
    pub n: usize,
}

impl Paired {
    /// Whether all pairs are equal, bit by bit: the runs are the same, or nothing came of their difference.
    pub fn is_identical(&self) -> bool {
        self.mean == 0.0 && self.half.is_none_or(|half| half == 0.0)
    }

    /// "identical in all 3 seeds".
    pub fn identical(&self) -> String {
        match self.n {
            1 => "identical in the one common seed".to_owned(),
            2 => "identical in both seeds".to_owned(),
            n => format!("identical in all {n} seeds"),
        }
    }
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
        format!("{} points, n = {}", self.number_of_points(), self.n)
    }

    /// The same in a table whose head says the rest: "+0.40 ± 0.20".
    pub fn number_of_points(&self) -> String {
        let sign = if self.mean > 0.0 { "+" } else { "" };
        let half = self.half.map(|half| plus_minus(half, &fixed(half * 100.0, 2)));
        let half = half.map_or_else(String::new, |half| format!(" {half}"));
        format!("{sign}{}{half}", fixed(self.mean * 100.0, 2))
    }

    /// Whether the interval leaves 0 out; `None` for a single pair.
    pub fn is_clear(&self) -> Option<bool> {
        self.half.map(|half| self.mean.abs() > half)
    }

    /// The conclusion from the interval.
    pub fn verdict(&self) -> &'static str {
        match self.is_clear() {
            None => "one pair says nothing about the spread",
            Some(true) => "the 95 % CI excludes 0",
            Some(false) => "the 95 % CI includes 0",
        }
    }
}

/// The accuracies of two groups of runs, compared over the seeds that are done in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Whether the accuracies are those on the validation data, since nothing was tested.
    pub validation: bool,
    /// Second minus first, of the last accuracies; none without a common seed.
    pub last: Option<Paired>,
    /// The same of the best ones.
    pub best: Option<Paired>,
    /// Runs of both groups that are compared.
    pub runs: usize,
    /// Runs of both groups that have an accuracy and are not compared: not done, or not wanted.
    pub left_out: usize,
    /// Of these, the ones that are done: the filter hides them.
    pub hidden: usize,
    /// Common seeds that are not compared, since a group was not tested with them.
    pub untested: usize,
}

impl Comparison {
    /// Compares two arms, the first with the second, in those of their runs that are done and wanted.
    pub fn of(rows: &[Row], [first, second]: [&str; 2], is_wanted: impl Fn(&Row) -> bool) -> Self {
        let of_arm = |arm: &str| -> Vec<&Row> { rows.iter().filter(|row| row.arm == arm).collect() };
        Self::between(&of_arm(first), &of_arm(second), is_wanted)
    }

    /// The same of two groups of runs. Several runs of a group with one seed count with their mean.
    pub fn between(first: &[&Row], second: &[&Row], is_wanted: impl Fn(&Row) -> bool) -> Self {
        let is_done = |row: &Row| row.last.is_some() && row.state == RunState::Done.word();
        let is_compared = |row: &Row| is_done(row) && is_wanted(row);
        let all = || first.iter().chain(second).filter(|row| row.last.is_some());
        let of_seed = |rows: &[&'_ Row]| -> BTreeMap<u64, Vec<usize>> {
            let mut found: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for (place, row) in rows.iter().enumerate().filter(|(_, row)| is_compared(row)) {
                found.entry(row.seed).or_default().push(place);
            }
            found
        };
        let (before, after) = (of_seed(first), of_seed(second));
        let pairs: Vec<[Vec<&Row>; 2]> = after
            .iter()
            .filter_map(|(seed, after)| {
                let before = before.get(seed)?.iter().map(|place| first[*place]).collect();
                Some([before, after.iter().map(|place| second[*place]).collect()])
            })
            .collect();
        let (comparable, validation) = on_the_same_data(&pairs);
        let between = |value: fn(&Row) -> Option<f64>| {
            let of = |side: usize| -> Vec<(u64, f64)> {
                let seed = |pair: &&[Vec<&Row>; 2]| Some((pair[side][0].seed, mean_of(&pair[side], value)?));
                comparable.iter().filter_map(seed).collect()
            };
            paired(&of(0), &of(1))
        };
        Self {
            validation,
            last: between(|row| row.last),
            best: between(|row| row.best),
            runs: all().filter(|row| is_compared(row)).count(),
            left_out: all().filter(|row| !is_compared(row)).count(),
            hidden: all().filter(|row| is_done(row) && !is_wanted(row)).count(),
            untested: pairs.len() - comparable.len(),
        }
    }
}

fn mean_of(rows: &[&Row], value: fn(&Row) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = rows.iter().map(|row| value(row)).collect();
    let values = values?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// Those pairs whose accuracies are on the same data, and whether these are the validation data: they are where no pair
/// was tested.
fn on_the_same_data<'a, 'b>(pairs: &'b [[Vec<&'a Row>; 2]]) -> (Vec<&'b [Vec<&'a Row>; 2]>, bool) {
    let on = |is_validation: bool| -> Vec<&'b [Vec<&'a Row>; 2]> {
        let is_on = |pair: &&[Vec<&Row>; 2]| {
            pair.iter().flatten().all(|row| (row.series == VALIDATION) == is_validation)
        };
        pairs.iter().filter(is_on).collect()
    };
    let (tested, validated) = (on(false), on(true));
    let validation = tested.is_empty() && !validated.is_empty();
    (if validation { validated } else { tested }, validation)
}

/// The difference of two means without pairs, with the interval of Welch (1947); `None` without values on both sides.
pub fn unpaired(first: &[f64], second: &[f64]) -> Option<Paired> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    if first.is_empty() || second.is_empty() || first.iter().chain(second).any(|value| !value.is_finite()) {
        return None;
    }
    // Squared standard error of the mean, and degrees of freedom.
    let spread = |values: &[f64]| {
        let n = values.len() as f64;
        Some((standard_deviation(values)?.powi(2) / n, n - 1.0))
    };
    let half = spread(first).zip(spread(second)).map(|((a, of_a), (b, of_b))| {
        let error = (a + b).sqrt();
        let degrees = (a + b).powi(2) / (a.powi(2) / of_a + b.powi(2) / of_b);
        if error > 0.0 { student_t95(degrees.floor() as usize) * error } else { 0.0 }
    });
    Some(Paired { mean: mean(second) - mean(first), half, n: first.len().min(second.len()) })
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
    fn without_pairs_the_interval_is_that_of_welch() {
        // Variances 1 and 4 over three values each: error √(5/3), degrees 25/9 / (1/18 + 16/18) = 2.94, so t(2) is used.
        let found = unpaired(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]).unwrap();
        assert_eq!((found.mean, found.n), (2.0, 3));
        assert!((found.half.unwrap() - 4.302_652_73 * (5.0_f64 / 3.0).sqrt()).abs() < 1e-6);
        assert_eq!(unpaired(&[1.0], &[3.0]), Some(Paired { mean: 2.0, half: None, n: 1 }));
        assert_eq!(unpaired(&[], &[1.0]), None);
    }

    #[test]
    fn equal_runs_are_called_identical() {
        let same = paired(&[(1, 0.5), (2, 0.25), (3, 0.75)], &[(1, 0.5), (2, 0.25), (3, 0.75)]).unwrap();
        assert!(same.is_identical());
        assert_eq!(same.identical(), "identical in all 3 seeds");
        assert!(!paired(&[(1, 0.5)], &[(1, 0.75)]).unwrap().is_identical());
    }

    #[test]
    fn one_pair_has_no_interval_and_none_has_no_difference() {
        let one = paired(&[(1, 0.75)], &[(1, 0.5)]).unwrap();
        assert_eq!((one.points().as_str(), one.is_clear()), ("−25.00 points, n = 1", None));
        assert_eq!(paired(&[(1, 0.5)], &[(2, 0.5)]), None);
        assert_eq!(paired(&[(1, f64::NAN)], &[(1, 0.5)]), None);
    }
}
