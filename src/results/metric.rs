//! Results over settings: what the axes of "Metric over setting" can show, and which runs differ in nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::table::Row;
use super::table::columns::{At, Column};
use super::table::settings::{NONE, follows_from_another, value_of};

/// The columns of the table of runs that the axes show; nothing for the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricAxes {
    /// A setting or a result; the first swept setting when nothing was chosen.
    pub x: Option<Column>,
    /// A result; the last accuracy when nothing was chosen.
    pub y: Option<Column>,
}

/// Returns the settings in which these runs differ: those that arms sweep first, plans as a whole last.
pub fn settings(rows: &[&Row]) -> Vec<Column> {
    let mut found = differing(rows);
    found.sort_by_cached_key(|path| (path == "plan", !is_swept(rows, path)));
    found.into_iter().map(Column::Setting).collect()
}

/// Returns the paths of settings in which these runs differ, without those that only follow from another choice.
pub fn differing(rows: &[&Row]) -> Vec<String> {
    // The runs of an arm share their settings.
    let mut rows = rows.to_vec();
    rows.dedup_by(|a, b| Arc::ptr_eq(&a.settings, &b.settings));
    let all = paths(&rows);
    let differs = |path: &&String| {
        let texts = texts(&rows, path);
        texts.iter().any(|text| *text != texts[0]) && !follows_from_another(path, &texts, &all)
    };
    all.iter().filter(differs).cloned().collect()
}

/// Returns the results of these runs: those of the table, the columns that were added to it, and the last and best
/// values of `series`.
pub fn results<'a>(rows: &[&Row], series: impl IntoIterator<Item = &'a String>) -> Vec<Column> {
    let known = Column::known().filter(Column::is_measured);
    let added =
        rows.first().into_iter().flat_map(|row| row.measured.iter().map(|(column, _)| column.clone()));
    // The usual columns have the accuracy already.
    let is_usual = |series: &str| rows.iter().all(|row| row.series == series);
    let of_series = series.into_iter().filter(|series| !is_usual(series)).flat_map(|series| {
        let column = |at: At| Column::Series { series: series.clone(), at };
        let best = column(At::Best);
        let best = is_best_low(&best).map(|_| best);
        std::iter::once(column(At::Last)).chain(best)
    });
    let mut found: Vec<Column> = Vec::new();
    for column in known.chain(added).chain(of_series) {
        if !found.contains(&column) {
            found.push(column);
        }
    }
    found
}

/// Returns true if the lowest value of a result is the best one; nothing where none is better than another.
pub fn is_best_low(column: &Column) -> Option<bool> {
    let Column::Series { series, .. } = column else {
        return matches!(column, Column::Best | Column::Last).then_some(false);
    };
    let is_loss = series.ends_with("loss");
    (is_loss || series.ends_with("accuracy")).then_some(is_loss)
}

/// Returns the paths of the settings that tell lines apart: all but x and what follows from it.
pub fn other_settings(rows: &[&Row], x: &Column) -> Vec<String> {
    let Column::Setting(x) = x else { return paths(rows) };
    let mut all = paths(rows);
    let (own, below) = (vec![x.clone()], format!("{x}."));
    let follows = |path: &String| {
        path == x || path.starts_with(&below) && follows_from_another(path, &texts(rows, path), &own)
    };
    all.retain(|path| !follows(path));
    all
}

/// Returns the value of a setting of a run, as it is in the file; nothing for a run that made another choice, which has
/// no such setting.
pub fn setting<'a>(row: &'a Row, path: &str) -> Option<std::borrow::Cow<'a, str>> {
    let is_of_a_choice = |other: &String| path.starts_with(&format!("{other}."));
    match row.settings.get(path) {
        Some(value) if value == NONE && row.settings.keys().any(is_of_a_choice) => None,
        Some(value) => Some(value.as_str().into()),
        None => Some(value_of(&row.all, path)).filter(|value| value != NONE).map(Into::into),
    }
}

/// Returns the paths of all settings of these runs.
pub fn paths(rows: &[&Row]) -> Vec<String> {
    let paths: BTreeSet<&String> = rows.iter().flat_map(|row| row.settings.keys()).collect();
    paths.into_iter().cloned().collect()
}

fn texts<'a>(rows: &[&'a Row], path: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row.setting(path)).collect()
}

/// Returns true if runs of one arm differ in a setting.
fn is_swept(rows: &[&Row], path: &str) -> bool {
    let mut first: BTreeMap<usize, &str> = BTreeMap::new();
    rows.iter()
        .any(|row| *first.entry(row.arm_index).or_insert_with(|| row.setting(path)) != row.setting(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(arm_index: usize, settings: &[(&str, &str)]) -> Row {
        let settings = settings.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned()));
        Row { arm_index, settings: std::sync::Arc::new(settings.collect()), ..Row::default() }
    }

    #[test]
    fn swept_settings_come_first_and_what_follows_from_a_choice_is_left_out() {
        let rows = [
            row(
                0,
                &[("data.limit", "10"), ("plan", "a"), ("o", "Sgd"), ("o.momentum", "0.9"), ("rate", "1")],
            ),
            row(
                0,
                &[("data.limit", "10"), ("plan", "a"), ("o", "Sgd"), ("o.momentum", "0.9"), ("rate", "2")],
            ),
            row(
                1,
                &[("data.limit", "20"), ("plan", "b"), ("o", "Adam"), ("o.momentum", NONE), ("rate", "1")],
            ),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let named = |columns: Vec<Column>| -> Vec<String> {
            let path = |column| if let Column::Setting(path) = column { path } else { panic!("a setting") };
            columns.into_iter().map(path).collect()
        };
        assert_eq!(named(settings(&rows)), ["rate", "data.limit", "o", "plan"]);
        assert!(settings(&rows[..1]).is_empty());
        let others = other_settings(&rows, &Column::Setting("o".to_owned()));
        assert_eq!(others, ["data.limit", "plan", "rate"], "the momentum follows from the optimizer");
        assert_eq!(setting(rows[2], "o.momentum"), None);
        assert_eq!(setting(rows[0], "o.momentum").as_deref(), Some("0.9"));
        assert_eq!(setting(rows[0], "nothing"), None);
    }

    #[test]
    fn a_choice_with_swept_settings_of_its_own_keeps_them_apart() {
        let optimizer = |name: &str, rate: &str| row(0, &[("o", name), ("o.rate", rate)]);
        let rows = [("Sgd", "1"), ("Sgd", "2"), ("Adam", "1")].map(|(name, rate)| optimizer(name, rate));
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(other_settings(&rows, &Column::Setting("o".to_owned())), ["o.rate"]);
    }

    #[test]
    fn results_are_those_of_the_table_then_series_and_only_some_have_a_best() {
        let series = ["test_accuracy", "train_loss", "weight_norm"].map(str::to_owned);
        let added = Column::Series { series: "train_loss".to_owned(), at: At::Last };
        let measured = vec![(added.clone(), None)];
        let row = Row { series: "test_accuracy", measured, ..Row::default() };
        let found = results(&[&row], &series);
        assert_eq!(found[..2], [Column::Last, Column::Best]);
        assert_eq!(found.iter().filter(|column| **column == added).count(), 1);
        let of = |series: &str, at: At| Column::Series { series: series.to_owned(), at };
        assert!(found.contains(&of("train_loss", At::Best)) && !found.contains(&of("weight_norm", At::Best)));
        assert!(!found.contains(&of("test_accuracy", At::Best)), "it is there as the best accuracy");
        assert_eq!(is_best_low(&added), Some(true));
        assert_eq!((is_best_low(&Column::Last), is_best_low(&Column::Duration)), (Some(false), None));
    }
}
