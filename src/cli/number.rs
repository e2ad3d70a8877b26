//! Numbers and durations as a person reads them.

pub use crate::form::number::{grouped, percent};
use crate::results::statistics::{Spread, level, standard_deviation};

/// `1 run`, `12 runs`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count as u64))
}

/// `4,810` or, where they differ, `2,410 to 4,810`.
pub fn span(numbers: impl Iterator<Item = u64> + Clone) -> String {
    let (low, high) = (numbers.clone().min().unwrap_or_default(), numbers.max().unwrap_or_default());
    if low == high { grouped(low) } else { format!("{} to {}", grouped(low), grouped(high)) }
}

/// `8 s`, `1 min 20 s`, `2 h 5 min`.
pub fn duration(secs: f64) -> String {
    if secs < 10.0 {
        return format!("{secs:.1} s");
    }
    let secs = secs.round() as u64;
    match (secs / 3600, secs / 60 % 60, secs % 60) {
        (0, 0, secs) => format!("{secs} s"),
        (0, minutes, secs) => format!("{minutes} min {secs} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// Mean of some numbers, and their sample standard deviation where there are two or more.
pub fn mean_and_deviation(numbers: &[f64]) -> Option<(f64, Option<f64>)> {
    let mean = || level(0.0, numbers, Spread::None).mean;
    (!numbers.is_empty()).then(|| (mean(), standard_deviation(numbers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_noun() {
        assert_eq!(span([2410, 4810].into_iter()), "2,410 to 4,810");
        assert_eq!(span([7, 7].into_iter()), "7");
        assert_eq!((counted(1, "run"), counted(12, "run")), ("1 run".to_owned(), "12 runs".to_owned()));
    }

    #[test]
    fn durations_have_two_units_at_most() {
        assert_eq!(
            [0.25, 59.6, 80.0, 7500.0].map(duration),
            ["0.2 s", "1 min 0 s", "1 min 20 s", "2 h 5 min"]
        );
    }

    #[test]
    fn one_number_has_no_deviation() {
        assert_eq!(mean_and_deviation(&[]), None);
        assert_eq!(mean_and_deviation(&[0.5]), Some((0.5, None)));
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), Some((2.0, Some(2.0_f64.sqrt()))));
    }
}
