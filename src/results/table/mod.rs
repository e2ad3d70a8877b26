//! Runs as rows of a table that is sorted, filtered, compared and copied.

pub mod columns;
pub mod filter;
pub mod grouped;
pub mod settings;
pub mod view;

pub use grouped::Delta;
pub use settings::Differing;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::metric::differing;
use crate::outline::Outline;
use crate::run_state::DIVERGED;
use crate::{PointRef, RunRecord, RunState, has_diverged};
use columns::{At, Column};
use doc::plan::words::{counted, uncapitalised};
use doc::{ClassNames, Run, Stage};
use settings::{NONE, Settings};

/// Marks of a person on a run or an arm. Never part of a run's identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// True if it has a star.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub starred: bool,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A remark.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its identity.
    pub run: String,
    /// Its arm, with swept values.
    pub arm: String,
    /// Position of the arm in the document.
    pub arm_index: usize,
    /// The arm's index for [`style_of`](super::style_of).
    pub colour: usize,
    /// The replicate.
    pub seed: u64,
    /// Its state in a word: "done".
    pub state: String,
    /// True if its training diverged, see [`has_diverged`].
    pub diverged: bool,
    /// The state of an outdated run that plots show in its place; empty without one.
    pub outdated_state: &'static str,
    /// The series of the accuracies: test, else validation; of an ensemble, the vote. Empty without any.
    pub series: &'static str,
    /// Best accuracy, in [0, 1].
    pub best: Option<f64>,
    /// Epochs trained when it was reached.
    pub best_epoch: Option<f64>,
    /// Last accuracy, in [0, 1].
    pub last: Option<f64>,
    /// Share of the prunable weights that remain, in [0, 1].
    pub remaining: Option<f64>,
    /// Epochs trained in all.
    pub epochs: Option<f64>,
    /// Wall time, seconds; 0 before the start.
    pub secs: f64,
    /// Its settings in which runs differ; rows of an arm share them.
    pub settings: Arc<Settings>,
    /// All of its settings; rows of an arm share them.
    pub all: Arc<Settings>,
    /// The names of settings and their values in the form; all rows share them.
    pub labels: Arc<Labels>,
    /// Its plan in words.
    pub outline: Outline,
    /// Its plan in a few words; rows of an arm share them.
    pub plan: Arc<str>,
    /// The values of columns over series, see [`Row::measured`].
    pub measured: Vec<(Column, Option<f64>)>,
    /// Marks of a person on it.
    pub mark: Mark,
    /// The names of its data's classes, in the order of their labels.
    pub classes: ClassNames,
}

/// The series of an ensemble's vote.
pub const VOTE: &str = "vote_accuracy";
/// The series that replaces the test accuracy where nothing was tested.
pub const VALIDATION: &str = "validation_accuracy";

/// Returns the series of a run's test accuracy: the vote while it is an ensemble, that of its network otherwise.
pub fn test_series(record: &RunRecord) -> &'static str {
    const TEST: &str = "test_accuracy";
    let is_one = |point: &PointRef<'_>| {
        let is_test = point.series == VOTE || point.series == TEST;
        is_test && point.branch.is_empty() && point.member.is_none()
    };
    let has_vote = record.points().latest(VOTE).is_some();
    let last = has_vote.then(|| record.points().iter().rev().find(is_one)).flatten();
    if last.is_some_and(|point| point.series == VOTE) { VOTE } else { TEST }
}

impl Row {
    /// Returns the row of a run with what is known of it.
    pub fn new(run: &Run, record: Option<&RunRecord>, state: &str, colour: usize) -> Self {
        let row = Self::default().called(run, state, colour);
        match record {
            Some(record) => Self { diverged: has_diverged(run, record), ..row.with_results(record) },
            None => row,
        }
    }

    /// Returns this row under what its run is called now.
    pub fn called(&self, run: &Run, state: &str, colour: usize) -> Self {
        Self {
            run: run.id.clone(),
            arm: run.arm.clone(),
            arm_index: run.arm_index,
            colour,
            seed: run.seed,
            state: state.to_owned(),
            classes: run.spec.data.class_names(),
            ..self.clone()
        }
    }

    /// Returns the value of a setting in which runs differ, as it is in the file.
    pub fn setting(&self, path: &str) -> &str {
        self.settings.get(path).map_or(NONE, String::as_str)
    }

    /// Returns its state in words: "done", "done (diverged)".
    pub fn state_in_words(&self) -> String {
        if self.diverged { format!("{} ({DIVERGED})", self.state) } else { self.state.clone() }
    }

    /// Returns true if its settings are known; those of outdated runs are not.
    pub fn has_settings(&self) -> bool {
        !(self.settings.is_empty() && self.all.is_empty())
    }

    /// Returns true if its run is finished, so that a mean counts it while others go on. A failed run is.
    pub fn is_finished(&self) -> bool {
        [RunState::Done, RunState::Failed(String::new())].iter().any(|state| state.word() == self.state)
    }

    fn with_results(mut self, record: &RunRecord) -> Self {
        // On the test data, else on the validation data.
        let accuracies = [test_series(record), VALIDATION];
        if let Some(series) = accuracies.into_iter().find(|series| record.points().latest(series).is_some()) {
            self.series = series;
            let best = record.points().best(series);
            self.best = best.map(|point| point.value);
            self.best_epoch = best.map(|point| point.trained);
            self.last = record.points().latest(series);
        }
        let last = record.points().iter().rev().find(|point| point.branch.is_empty());
        self.remaining = last.map(|point| point.remaining);
        self.epochs = last.map(|point| point.trained);
        self.secs = record.progress().secs.max(last.map_or(0.0, |point| point.secs));
        self
    }
}

/// The labels of settings, by their paths, and those of chosen alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    settings: BTreeMap<String, Label>,
    /// By path, then by the value as it is in the file.
    values: BTreeMap<String, BTreeMap<String, String>>,
    /// All of what is called by a few words, by the value as it is in the file.
    details: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Label {
    text: &'static str,
    /// Its unit; empty for none.
    unit: &'static str,
    /// The group that it belongs to, or its stage, counted from 1.
    of: String,
}

impl Labels {
    /// Notes what the setting at a path is called, and which part of the form it belongs to.
    fn name(&mut self, path: &str, [text, unit]: [&'static str; 2], of: &str) {
        if !self.settings.contains_key(path) {
            self.settings.insert(path.to_owned(), Label { text, unit, of: of.to_owned() });
        }
    }

    /// Notes what a value is called.
    fn name_value(&mut self, path: &str, value: &str, text: String) {
        match self.values.get_mut(path) {
            Some(known) if known.contains_key(value) => {}
            Some(known) => drop(known.insert(value.to_owned(), text)),
            None => drop(self.values.insert(path.to_owned(), [(value.to_owned(), text)].into())),
        }
    }

    /// Notes a few words for a long value, and all of it.
    fn shorten(&mut self, path: &str, value: &str, [text, details]: [String; 2]) {
        self.values.entry(path.to_owned()).or_default().insert(value.to_owned(), text);
        self.details.insert(value.to_owned(), details);
    }

    /// Returns all of a value that is called by a few words; nothing for others.
    pub fn details(&self, value: &str) -> Option<&str> {
        self.details.get(value).map(String::as_str)
    }

    /// Returns what the form calls a setting, with the part of the form before it where another setting has the same
    /// label: "Learning rate", "Stage 2, Learning rate". The last step of the path where it is not known.
    pub fn title(&self, path: &str) -> String {
        let Some(label) = self.settings.get(path) else {
            let last = path.rsplit('.').next().unwrap_or(path).replace('_', " ");
            return doc::capitalised(&last);
        };
        let in_plan = path.starts_with("plan.");
        let is_other = |(other, known): (&String, &Label)| {
            other != path && known.text == label.text && !other.starts_with("plan.")
        };
        if label.of.is_empty() || !in_plan && !self.settings.iter().any(is_other) {
            return label.text.to_owned();
        }
        format!("{}, {}", label.of, label.text)
    }

    /// Returns the unit of a setting; empty for none.
    pub fn unit(&self, path: &str) -> &'static str {
        self.settings.get(path).map_or("", |label| label.unit)
    }

    /// Returns what the form calls the value of a setting.
    pub fn value<'a>(&'a self, path: &str, value: &'a str) -> &'a str {
        self.values.get(path).and_then(|known| known.get(value)).map_or(value, String::as_str)
    }
}

/// Returns the settings and results of these runs that readings and parallel axes show: those of the chosen columns of
/// the table, or, while none were chosen, the settings in which the runs differ, the accuracies, columns over series
/// that were added, remaining weights where something was pruned, and the time.
pub fn facts(rows: &[&Row], chosen: Option<&[Column]>) -> Vec<Column> {
    if let Some(chosen) = chosen {
        return chosen.iter().filter(|column| column.is_fact()).cloned().collect();
    }
    let added = rows.iter().take(1).flat_map(|row| row.measured.iter().map(|(column, _)| column.clone()));
    let is_pruned = rows.iter().any(|row| row.remaining.is_some_and(|share| share < 1.0));
    let mut found: Vec<Column> = differing(rows).into_iter().map(Column::Setting).collect();
    found.extend([Column::Best, Column::Last].into_iter().chain(added));
    found.extend(is_pruned.then_some(Column::Remaining));
    found.push(Column::Duration);
    found
}

/// The cells of lines of a plot in some columns of the table, for readings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineFacts {
    /// The headings of the columns.
    pub heads: Vec<String>,
    /// The names of the lines' arms.
    pub names: Vec<String>,
    /// A cell for each column, by the place of the name: a mean with its interval, or what the runs have in common. Empty for
    /// outdated lines.
    pub cells: Vec<Vec<String>>,
}

impl LineFacts {
    /// Returns what these lines have, which come with their runs.
    pub fn new<R: Deref<Target = Row>>(lines: &[(&str, &[R])], chosen: Option<&[Column]>) -> Self {
        // The settings and results in outdated rows are not those of their lines.
        let is_present = |rows: &[R]| rows.iter().any(|row| row.outdated_state.is_empty());
        let known = lines.iter().filter(|(_, rows)| is_present(rows));
        let all: Vec<&Row> = known.flat_map(|(_, rows)| rows.iter().map(|row| &**row)).collect();
        let columns = facts(&all, chosen);
        let labels = all.first().map(|row| row.labels.clone()).unwrap_or_default();
        let cells = |(_, rows): &(&str, &[R])| {
            let cell = |column: &Column| {
                if !is_present(rows) {
                    return String::new();
                }
                grouped::cell_of(column, rows.iter().map(|row| &**row)).in_words()
            };
            columns.iter().map(cell).collect()
        };
        Self {
            heads: columns.iter().map(|column| column.heading(&labels)).collect(),
            names: lines.iter().map(|(name, _)| (*name).to_owned()).collect(),
            cells: lines.iter().map(cells).collect(),
        }
    }
}

/// Returns what a plan does to a network, without tests and snapshots: "train 12 epochs; 6 rounds: prune 20 %, graft
/// from init, train 12 epochs".
pub fn plan_words(plan: &[Stage]) -> String {
    let words = parts(plan);
    if words.is_empty() { "nothing".to_owned() } else { words }
}

fn parts(plan: &[Stage]) -> String {
    let mut text = String::new();
    let mut was_nested = false;
    for stage in plan {
        let (words, is_nested) = match stage.nested() {
            Some(nested) => {
                let head = match (nested.branch, nested.times) {
                    (Some(_), _) => clause(&stage.sentence()),
                    (None, 1) => uncapitalised(stage.label()),
                    (None, times) => counted(times, "round"),
                };
                (format!("{head}: {}", parts(nested.plan)), true)
            }
            None if stage.outline().is_some() => (clause(&stage.sentence()), false),
            None => continue,
        };
        if !text.is_empty() {
            text.push_str(if was_nested || is_nested { "; " } else { ", " });
        }
        text.push_str(&words);
        was_nested = is_nested;
    }
    text
}

/// Returns the first clause of a sentence, without what goes without saying.
fn clause(sentence: &str) -> String {
    let first = sentence.split(", ").next().unwrap_or_default();
    uncapitalised(first).replace(" by magnitude", "")
}

/// A level of remaining weights counts as the wanted one within this share of it. Levels of a lottery are further apart.
const NEAR: f64 = 0.05;

impl Row {
    /// Returns the row with its values in those of these columns that are over a series.
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
}

impl Column {
    /// Returns the number of a run, also of a series that is no column of the table.
    pub fn value_of(&self, row: &Row, record: &RunRecord) -> Option<f64> {
        match self {
            Self::Series { series, at } => at.value(record, series),
            other => other.value(row),
        }
    }
}

impl At {
    /// Returns the value of a series of the main branch here; of an ensemble, that of its first member.
    fn value(self, record: &RunRecord, series: &str) -> Option<f64> {
        let is_main =
            |point: &PointRef<'_>| point.branch.is_empty() && point.member.is_none_or(|member| member == 1);
        let points = || record.points().of(series).filter(is_main);
        match self {
            Self::Best => record.points().best(series).map(|point| point.value),
            Self::Last => record.points().latest(series),
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
    use std::sync::Arc;

    use super::*;
    use crate::Event;
    use form::ron_text;

    fn row(rate: &str, last: f64) -> Row {
        let settings = [("rate".to_owned(), rate.to_owned())].into();
        let state = "done".to_owned();
        Row { settings: Arc::new(settings), last: Some(last), state, ..Row::default() }
    }

    #[test]
    fn readings_have_the_chosen_columns_of_the_table_or_what_differs_with_the_results() {
        let rows = [row("0.1", 0.5), row("0.1", 0.75), row("0.2", 1.0)];
        let [first, second, third] = &rows;
        let lines: [(&str, &[&Row]); 2] = [("a", &[first, second]), ("b", &[third])];
        let usual = LineFacts::new(&lines, None);
        assert_eq!(usual.heads, ["Rate", "Best accuracy (%)", "Test accuracy (%)", "Time"]);
        let chosen = [Column::Star, Column::Last, Column::Setting("rate".to_owned())];
        let found = LineFacts::new(&lines, Some(&chosen));
        assert_eq!(found.heads, ["Test accuracy (%)", "Rate"]);
        assert!(found.cells[0][0].starts_with("62.50 ±"), "{:?}", found.cells);
        assert_eq!(
            (found.cells[0][1].as_str(), &found.cells[1][..]),
            ("0.1", &["100.00", "0.2"].map(str::to_owned)[..])
        );
    }

    #[test]
    fn a_line_of_earlier_settings_has_empty_cells_and_leaves_the_headings_to_the_others() {
        let mut labels = Labels::default();
        labels.name("rate", ["Learning rate", ""], "Training");
        let labels = Arc::new(labels);
        let rows = ["0.1", "0.2"].map(|rate| Row { labels: labels.clone(), ..row(rate, 0.5) });
        let bare = Row { outdated_state: "done", ..Row::default() };
        let [first, second] = &rows;
        let lines: [(&str, &[&Row]); 3] = [("outdated: a", &[&bare]), ("a", &[first]), ("b", &[second])];
        let found = LineFacts::new(&lines, None);
        assert_eq!(found.heads[0], "Learning rate");
        assert!(found.cells[0].iter().all(String::is_empty), "{:?}", found.cells);
        assert_eq!(found.cells[1][0], "0.1");
        let same: [(&str, &[&Row]); 2] = [("outdated: a", &[&bare]), ("a", &[first])];
        assert!(
            LineFacts::new(&same, None).heads.iter().all(|head| head != "Learning rate"),
            "no setting differs"
        );
    }

    fn words(plan: &str) -> String {
        plan_words(&ron_text::from_str::<Vec<Stage>>(&format!("[{plan}]")).unwrap())
    }

    #[test]
    fn a_plan_says_what_it_does_in_the_words_of_its_stages() {
        assert_eq!(words("Train(\"12ep\"), Test"), "train 12 epochs");
        let lottery = "Do(Snapshot(name: \"init\")), Train(\"12ep\"), Test, Repeat(times: 6, body: [
             Do(Prune(amount: Fraction(0.2))), Do(Reinitialize()), Train(\"12ep\"), Test])";
        let found = words(lottery);
        assert!(found.starts_with("train 12 epochs; 6 rounds: prune 20 %, "), "{found}");
        assert!(found.ends_with(", train 12 epochs"), "{found}");
        assert_eq!(words("Test"), "nothing");
    }

    #[test]
    fn a_series_is_read_at_its_best_its_end_an_iteration_and_a_level_of_weights() {
        let point = |value: f64, iteration: u64, remaining: f64| -> Event {
            let line = format!(
                r#"{{"event":"point","series":"test_accuracy","value":{value},"stage":"0","epoch":1,"iteration":{iteration},"trained":1,"remaining":{remaining},"secs":0.5}}"#
            );
            serde_json::from_str(&line).unwrap()
        };
        let record = RunRecord::from_events([
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
