//! The columns of the table of runs: how they are headed, written, sorted and copied.

use serde::{Deserialize, Serialize};

use super::Row;
use super::settings::{NONE, compare_parsed, number_of, short};
use super::{VALIDATION, VOTE};
use crate::results::number::{duration, fixed, percent, plain};

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)] // their titles describe them
pub enum Column {
    Star,
    #[default]
    Arm,
    Seed,
    State,
    Best,
    BestEpoch,
    Last,
    Remaining,
    Epochs,
    Duration,
    Run,
    Tags,
    Note,
    /// A setting in which runs differ, by its path.
    Setting(String),
}

/// By which column rows are sorted; the order of the document when nothing is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// The column.
    pub column: Option<Column>,
    /// Largest first.
    pub descending: bool,
}

/// The columns of a table with these differing settings.
pub fn columns(settings: &[String]) -> Vec<Column> {
    use Column as C;
    let known =
        [C::Star, C::Arm, C::Seed, C::State, C::Best, C::BestEpoch, C::Last, C::Remaining, C::Duration];
    let settings = settings.iter().cloned().map(C::Setting);
    known.into_iter().chain(settings).chain([C::Tags, C::Note]).collect()
}

impl Column {
    /// What heads it; `settings` are all differing ones.
    pub fn title(&self, settings: &[String]) -> String {
        let title = match self {
            Self::Star => "Star",
            Self::Arm => "Arm",
            Self::Seed => "Seed",
            Self::State => "State",
            Self::Best => "Best",
            Self::BestEpoch => "Best at",
            Self::Last => "Last",
            Self::Remaining => "Remaining",
            Self::Epochs => "Epochs",
            Self::Run => "Run",
            Self::Duration => "Duration",
            Self::Tags => "Tags",
            Self::Note => "Note",
            Self::Setting(path) => short(path, settings),
        };
        title.to_owned()
    }

    /// Its meaning, in a sentence.
    pub fn help(&self) -> String {
        let help = match self {
            Self::Star => "Starred runs",
            Self::Arm => "The arm, with the values of its sweep",
            Self::Seed => "The replicate",
            Self::State => "The state of the run, and what plots show while it has no results",
            Self::Best => "Best test accuracy",
            Self::BestEpoch => "Epochs trained when the best test accuracy was reached",
            Self::Last => "Last test accuracy",
            Self::Remaining => "Share of the prunable weights that remain",
            Self::Epochs => "Epochs trained in all",
            Self::Run => "The identity of the run, the name of its folder",
            Self::Duration => "Wall time",
            Self::Tags => "Words for finding runs",
            Self::Note => "Notes on the run",
            Self::Setting(path) => return format!("The setting {path}"),
        };
        help.to_owned()
    }

    /// Whether its cells are numbers, which are aligned at the right.
    pub const fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Seed
                | Self::Best
                | Self::BestEpoch
                | Self::Last
                | Self::Remaining
                | Self::Epochs
                | Self::Duration
        )
    }

    /// The cell of a row, for people.
    pub fn text(&self, row: &Row) -> String {
        let share = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), percent);
        let epochs = |epochs: Option<f64>| epochs.map_or_else(|| NONE.to_owned(), |epochs| fixed(epochs, 1));
        match self {
            Self::Star => if row.mark.starred { "yes" } else { "" }.to_owned(),
            Self::State if !row.outdated_state.is_empty() => {
                format!("{}, earlier settings {}", row.state, row.outdated_state)
            }
            Self::Best => share(row.best),
            Self::Last => share(row.last) + row.kind(),
            Self::Remaining => share(row.remaining),
            Self::BestEpoch => epochs(row.best_epoch),
            Self::Epochs => epochs(row.epochs),
            Self::Duration if row.secs > 0.0 => duration(row.secs),
            Self::Duration => NONE.to_owned(),
            _ => self.cell(row),
        }
    }

    /// The cell of a row, for programs: numbers with all their digits, shares in [0, 1], times in seconds.
    pub fn cell(&self, row: &Row) -> String {
        let number = |value: Option<f64>| value.map(plain).unwrap_or_default();
        match self {
            Self::Star => row.mark.starred.to_string(),
            Self::Arm => row.arm.clone(),
            Self::Seed => row.seed.to_string(),
            Self::State => row.state.clone(),
            Self::Best => number(row.best),
            Self::BestEpoch => number(row.best_epoch),
            Self::Last => number(row.last),
            Self::Remaining => number(row.remaining),
            Self::Epochs => number(row.epochs),
            Self::Run => row.run.clone(),
            Self::Duration => plain(row.secs),
            Self::Tags => row.mark.tags.join(" "),
            Self::Note => row.mark.note.clone(),
            Self::Setting(path) => row.settings.get(path).cloned().unwrap_or_default(),
        }
    }
}

impl Row {
    /// Follows an accuracy that is not that of one network on the test data.
    fn kind(&self) -> &'static str {
        match self.series {
            VOTE => " (vote)",
            VALIDATION => " (validation)",
            _ => "",
        }
    }
}

/// Sorts rows, those with an unknown value last; equal ones stay in the order of the document.
pub fn sort(rows: &mut [&Row], by: &Sort) {
    let Some(column) = &by.column else { return };
    let cell = |row: &Row| Some(column.cell(row)).filter(|cell| !cell.is_empty() && cell != NONE);
    let cells: Vec<Option<String>> = rows.iter().map(|row| cell(row)).collect();
    let keys = cells.iter().map(|cell| cell.as_deref().map(|cell| (cell, number_of(cell))));
    let mut keyed: Vec<_> = keys.zip(rows.iter().copied()).collect();
    keyed.sort_by(|(a, _), (b, _)| match (*a, *b) {
        (Some(a), Some(b)) if by.descending => compare_parsed(b, a),
        (Some(a), Some(b)) => compare_parsed(a, b),
        _ => a.is_none().cmp(&b.is_none()),
    });
    for (place, (_, row)) in rows.iter_mut().zip(keyed) {
        *place = row;
    }
}

/// The table for spreadsheets and programs, with `separator` between cells (RFC 4180 where it is a comma).
pub fn text_of(rows: &[&Row], settings: &[String], separator: char) -> String {
    let quoted = |cell: &str| {
        let needs = cell.contains([separator, '"', '\n', '\r', '\t']);
        if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
    };
    let names = [
        "starred",
        "arm",
        "seed",
        "state",
        "best_accuracy",
        "best_epoch",
        "last_accuracy",
        "remaining",
        "secs",
    ];
    let head = names.into_iter().chain(settings.iter().map(String::as_str)).chain(["tags", "note"]);
    let mut lines = vec![head.map(quoted).collect::<Vec<_>>()];
    let columns = columns(settings);
    lines.extend(rows.iter().map(|row| columns.iter().map(|column| quoted(&column.cell(row))).collect()));
    lines.iter().map(|cells| cells.join(&separator.to_string()) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(arm: &str, best: Option<f64>, rate: &str) -> Row {
        let settings = std::sync::Arc::new([("train.rate".to_owned(), rate.to_owned())].into());
        Row { arm: arm.to_owned(), best, settings, ..Row::default() }
    }

    #[test]
    fn rows_are_sorted_by_value_and_what_is_unknown_comes_last() {
        let rows = [row("a", Some(0.5), "10"), row("b", None, "9"), row("c", Some(0.75), "0.5")];
        let names = |by: &Sort| {
            let mut sorted: Vec<&Row> = rows.iter().collect();
            sort(&mut sorted, by);
            sorted.iter().map(|row| row.arm.as_str()).collect::<String>()
        };
        assert_eq!(names(&Sort::default()), "abc");
        assert_eq!(names(&Sort { column: Some(Column::Best), descending: true }), "cab");
        assert_eq!(names(&Sort { column: Some(Column::Best), descending: false }), "acb");
        let rate = Column::Setting("train.rate".to_owned());
        assert_eq!(names(&Sort { column: Some(rate), descending: false }), "cba", "as numbers, not as text");
    }

    #[test]
    fn the_copy_has_all_digits_and_the_table_what_people_read() {
        let rows = [row("a, b", Some(0.981_25), "1")];
        let settings = ["train.rate".to_owned()];
        let text = text_of(&[&rows[0]], &settings, ',');
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "starred,arm,seed,state,best_accuracy,best_epoch,last_accuracy,remaining,secs,train.rate,tags,note"
        );
        assert_eq!(lines[1], "false,\"a, b\",0,,0.98125,,,,0,1,,");
        assert!(text_of(&[&rows[0]], &settings, '\t').contains("\ta, b\t"));
        assert_eq!(Column::Best.text(&rows[0]), "98.12 %");
        let waiting = Row { state: "not run".to_owned(), outdated_state: "done", ..Row::default() };
        assert_eq!(Column::State.text(&waiting), "not run, earlier settings done");
        assert_eq!(Column::State.cell(&waiting), "not run", "as on the command line");
        assert_eq!(Column::Last.text(&rows[0]), NONE);
    }
}
