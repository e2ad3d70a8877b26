//! The values of columns over series, read from the records of runs.

use super::Row;
use super::columns::{At, Column};
use crate::{PointRef, RunRecord};

/// A level of remaining weights counts as the wanted one within this share of it. Levels of a lottery are further apart.
const NEAR: f64 = 0.05;

impl Row {
    /// The row with its values in those of these columns that are over a series.
    #[must_use]
    pub fn measured<'a>(
        mut self,
        record: Option<&RunRecord>,
        columns: impl IntoIterator<Item = &'a Column>,
    ) -> Self {
        let value = |column: &Column| match column {
            Column::Series { series, at } => {
                Some((column.clone(), record.and_then(|record| at.value(record, series))))
            }
            _ => None,
        };
        self.measured = columns.into_iter().filter_map(value).collect();
        self
    }

    /// The value of a column over a series.
    pub(super) fn value_over(&self, column: &Column) -> Option<f64> {
        self.measured.iter().find(|(known, _)| known == column)?.1
    }
}

impl Column {
    /// The number of a run, also of a series that is no column of the table.
    pub fn value_of(&self, row: &Row, record: &RunRecord) -> Option<f64> {
        match self {
            Self::Series { series, at } => at.value(record, series),
            other => other.value(row),
        }
    }
}

impl At {
    /// The value of a series of the main branch here; of an ensemble, that of its first member.
    fn value(self, record: &RunRecord, series: &str) -> Option<f64> {
        let is_main =
            |point: &PointRef<'_>| point.branch.is_empty() && point.member.is_none_or(|member| member == 1);
        let points = || record.points_of(series).filter(is_main);
        match self {
            Self::Best => record.best(series).map(|point| point.value),
            Self::Last => record.latest(series),
            Self::Iteration(wanted) => {
                // A rewound network passes an iteration again; the first time counts.
                let after = points().position(|point| point.iteration > wanted).unwrap_or(usize::MAX);
                let last = points().take(after).last()?;
                let is_reached = last.iteration == wanted || after != usize::MAX;
                is_reached.then_some(last.value)
            }
            Self::Remaining(wanted) => {
                let distance = |point: &PointRef<'_>| (point.remaining - wanted).abs();
                let nearest = points().map(|point| distance(&point)).min_by(f64::total_cmp)?;
                let last = points().rev().find(|point| distance(point) <= nearest)?;
                (nearest <= NEAR * wanted).then_some(last.value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;

    #[test]
    fn a_series_is_read_at_its_best_its_end_an_iteration_and_a_level_of_weights() {
        let point = |value: f64, iteration: u64, remaining: f64| -> Event {
            let line = format!(
                r#"{{"event":"point","series":"test_accuracy","value":{value},"stage":"0","epoch":1,"iteration":{iteration},"trained":1,"remaining":{remaining},"secs":0.5}}"#
            );
            serde_json::from_str(&line).unwrap()
        };
        let record = RunRecord::of([
            point(0.5, 10, 1.0),
            point(0.75, 20, 1.0),
            point(0.25, 10, 0.21),
            point(0.625, 20, 0.21),
        ]);
        let of = |at: At| at.value(&record, "test_accuracy");
        assert_eq!([of(At::Best), of(At::Last)], [Some(0.75), Some(0.625)]);
        assert_eq!([of(At::Iteration(10)), of(At::Iteration(15))], [Some(0.5), Some(0.5)]);
        assert_eq!(of(At::Iteration(5)), None, "nothing was measured by then");
        assert_eq!(of(At::Remaining(0.2097)), Some(0.625), "the last value at this level");
        assert_eq!(of(At::Remaining(0.5)), None, "the run never had half of its weights");
    }
}
