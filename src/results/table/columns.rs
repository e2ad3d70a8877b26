//! The columns of the table of runs: how they are headed, written, sorted and copied. They serve the window's table,
//! `weightlab show`, and the axes of parallel coordinates alike.

use serde::{Deserialize, Serialize};

use super::grouped::{Cell, Grouped, Line};
use super::settings::{NONE, follows_from_another, number_of, value_of};
use super::{Delta, Labels, Row, VALIDATION, VOTE};
use crate::number::{Format, duration, fixed, plain, readable};
use crate::run_state::DEFINITION;
use crate::view::in_words;
use form::number::{grouped, share_in_percent};

#[derive(Clone, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
pub enum Column {
    Star,
    #[default]
    Arm,
    Seed,
    /// The number of runs of a group.
    Runs,
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
    /// The difference of the last accuracy to that of the baseline.
    Delta,
    /// The plan in a few words.
    Plan,
    /// A setting, by its path.
    Setting(String),
    /// A series of the runs, such as `test_loss`.
    Series {
        /// Its name.
        series: String,
        /// Which of its values.
        at: At,
    },
}

/// Which value of a series a column has.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
pub enum At {
    /// The best: the lowest loss, the highest of anything else.
    Best,
    #[default]
    Last,
    /// The last one up to an iteration, the first time that the run reaches it.
    Iteration(u64),
    /// The last one at a level of remaining weights, a share in (0, 1].
    Remaining(f64),
}

/// By which column rows are sorted; the order of the document when nothing is chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sort {
    pub column: Option<Column>,
    /// Largest first.
    pub descending: bool,
}

/// Returns what the table shows when nothing was chosen, besides the arm. `differing` are the paths of settings in
/// which the runs differ; what `keys` group by is in the names of groups.
pub fn usual(rows: &[Row], differing: &[String], keys: &[Column]) -> Vec<Column> {
    use Column as C;
    let any = |holds: &dyn Fn(&Row) -> bool| rows.iter().any(holds);
    let has_arms = any(&|row| row.arm != rows[0].arm);
    let is_plan = |path: &String| path == "plan" || path.starts_with("plan.");
    let shown = [
        (C::Runs, !keys.is_empty() && !keys.contains(&C::Arm)),
        (C::Seed, true),
        (C::State, any(&|row| row.state != "done" || row.diverged)),
        (C::Last, true),
        (C::Delta, has_arms),
        (C::Best, true),
        (C::Remaining, any(&|row| row.remaining.is_some_and(|share| share < 1.0))),
        (C::Plan, differing.iter().any(is_plan)),
    ];
    let settings = independent(rows, differing).into_iter().filter(|path| !is_plan(path));
    let settings = settings.map(|path| (C::Setting(path.clone()), true));
    let marks = [
        (C::Duration, true),
        (C::Tags, any(&|row| !row.mark.tags.is_empty())),
        (C::Note, any(&|row| !row.mark.note.is_empty())),
    ];
    let all = shown.into_iter().chain(settings).chain(marks);
    let shown = all.filter_map(|(column, is_shown)| is_shown.then_some(column));
    shown.filter(|column| *column == C::Seed || !keys.contains(column)).collect()
}

/// Returns the settings that do not only follow from another choice, such as the momentum of one of two optimizers.
pub fn independent<'a>(rows: &[Row], differing: &'a [String]) -> Vec<&'a String> {
    let follows = |path: &&String| {
        let texts: Vec<&str> = rows.iter().map(|row| row.setting(path)).collect();
        follows_from_another(path, &texts, differing)
    };
    differing.iter().filter(|path| !follows(path)).collect()
}

/// The columns of every table, in the order in which they are offered: the name on the command line, the title, and the help.
static FIXED: [(Column, [&str; 3]); 16] = {
    use Column as C;
    [
        (C::Arm, ["arm", "Arm", "The arm, with the values of its sweep"]),
        (
            C::Seed,
            [
                "seed",
                "Seeds",
                "The seed of a run; of a group, how many seeds are finished and have an accuracy",
            ],
        ),
        (C::Runs, ["runs", "Runs", "How many runs of a group are finished and have an accuracy"]),
        (C::State, ["state", "State", "The state of the run, and what plots show while it has no results."]),
        (C::Last, ["last", "Test accuracy", "Last test accuracy"]),
        (
            C::Delta,
            [
                "delta",
                "Δ to baseline",
                "Last test accuracy minus that of the baseline, over the seeds that are done in both",
            ],
        ),
        (C::Best, ["best", "Best accuracy", "Best test accuracy"]),
        (
            C::BestEpoch,
            ["best_epoch", "Best at epoch", "Epochs trained when the best test accuracy was reached"],
        ),
        (C::Remaining, ["remaining", "Weights remaining", "Share of the prunable weights that remain"]),
        (C::Plan, ["plan", "Plan", "The plan of the arm, without tests and snapshots"]),
        (C::Epochs, ["epochs", "Epochs trained", "Epochs trained in all"]),
        (C::Duration, ["secs", "Time", "Wall time"]),
        (C::Tags, ["tags", "Tags", "Words for finding runs"]),
        (C::Note, ["note", "Note", "Notes on the run"]),
        (C::Star, ["star", "Star", "Starred runs"]),
        (C::Run, ["run", "Run ID", "The ID of the run, which names its folder"]),
    ]
};

impl Column {
    /// Returns true if rows can be grouped by its cells.
    pub const fn can_group(&self) -> bool {
        matches!(self, Self::Arm | Self::Seed | Self::Tags | Self::State | Self::Setting(_))
    }

    /// Returns the columns that every table offers, besides settings, series and the arm.
    pub fn known() -> impl Iterator<Item = Self> {
        FIXED[1..].iter().map(|(column, _)| column.clone())
    }

    /// Returns the names of the columns of every table on the command line.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static Self)> {
        FIXED.iter().map(|(column, [name, ..])| (*name, column))
    }

    /// Returns name, title and help of a column of every table.
    fn words(&self) -> [&'static str; 3] {
        FIXED.iter().find(|(column, _)| column == self).map_or([""; 3], |(_, words)| *words)
    }

    /// Returns what heads the column in tables for programs.
    pub fn key(&self) -> String {
        match self {
            Self::Setting(path) => path.clone(),
            Self::Series { series, .. } => series.clone(),
            fixed => fixed.words()[0].to_owned(),
        }
    }

    /// Returns its name, without a unit.
    pub fn title(&self, labels: &Labels) -> String {
        match self {
            Self::Setting(path) => labels.title(path),
            Self::Series { series, at } => {
                format!("{}, {}", in_words(series), at.words())
            }
            fixed => fixed.words()[1].to_owned(),
        }
    }

    /// Returns what heads it: its name and unit.
    pub fn heading(&self, labels: &Labels) -> String {
        let unit = match (self, self.format()) {
            (Self::Delta, _) => " (points), 95 % CI",
            (_, Format::Percent) => " (%)",
            (_, Format::Number | Format::Power) => "",
        };
        self.title(labels) + unit
    }

    /// Returns what heads its numbers with all digits: its name and their unit.
    pub fn exact_heading(&self, labels: &Labels) -> String {
        let unit = match (self, self.format()) {
            (Self::Duration, _) => " (s)",
            (Self::Delta, _) | (_, Format::Percent) => " (share)",
            (_, Format::Number | Format::Power) => "",
        };
        self.title(labels) + unit
    }

    /// Returns its meaning, in a sentence.
    pub fn help(&self) -> String {
        match self {
            Self::Setting(path) => format!("The setting {path}"),
            Self::Series { series, at } => format!("The series {series}, {}", at.words()),
            Self::State => format!("{} {DEFINITION}", self.words()[2]),
            fixed => fixed.words()[2].to_owned(),
        }
    }

    /// Returns true if its cells are measured, so that a group has their mean.
    pub const fn is_measured(&self) -> bool {
        matches!(
            self,
            Self::Best
                | Self::BestEpoch
                | Self::Last
                | Self::Remaining
                | Self::Epochs
                | Self::Duration
                | Self::Series { .. }
        )
    }

    /// Returns true if its cells are numbers, which are aligned at the right and sorted with the largest first.
    pub const fn is_number(&self) -> bool {
        self.is_measured() || matches!(self, Self::Seed | Self::Runs | Self::Delta)
    }

    /// Returns how its numbers are written.
    pub fn format(&self) -> Format {
        let is_share = matches!(self, Self::Best | Self::Last | Self::Remaining)
            || matches!(self, Self::Series { series, .. } if series.ends_with("accuracy"));
        if is_share { Format::Percent } else { Format::Number }
    }

    /// Returns true if it has a setting or a result of a run, which readings and parallel axes can show.
    pub const fn is_fact(&self) -> bool {
        self.is_measured() || matches!(self, Self::Plan | Self::Setting(_))
    }

    /// Returns the number in a cell: shares in [0, 1], times in seconds; of a setting, if it is one.
    pub fn value(&self, row: &Row) -> Option<f64> {
        match self {
            Self::Seed => Some(row.seed as f64),
            Self::Best => row.best,
            Self::BestEpoch => row.best_epoch,
            Self::Last => row.last,
            Self::Remaining => row.remaining,
            Self::Epochs => row.epochs,
            Self::Duration => Some(row.secs).filter(|secs| *secs > 0.0),
            Self::Series { .. } => row.measured.iter().find(|(column, _)| column == self)?.1,
            Self::Setting(_) => number_of(&self.cell(row)),
            Self::Star
            | Self::Arm
            | Self::Runs
            | Self::State
            | Self::Run
            | Self::Tags
            | Self::Note
            | Self::Delta
            | Self::Plan => None,
        }
    }

    /// Returns a number of this column, for people.
    pub fn number(&self, value: f64) -> String {
        match (self, self.format()) {
            _ if !value.is_finite() => "not a number".to_owned(),
            (_, Format::Percent) => fixed(value * 100.0, 2),
            (Self::BestEpoch | Self::Epochs, _) => fixed(value, 1),
            (Self::Duration, _) => duration(value),
            (_, format) => readable(value, format),
        }
    }

    /// Returns the cell of a row, for people. The difference to the baseline takes more than one row, see
    /// [`Grouped`](super::grouped::Grouped).
    pub fn text(&self, row: &Row) -> String {
        if self.is_measured() {
            let number = self.value(row).map_or_else(|| NONE.to_owned(), |value| self.number(value));
            return if *self == Self::Last { number + row.kind() } else { number };
        }
        match self {
            Self::Star => if row.mark.starred { "yes" } else { "" }.to_owned(),
            Self::State if !row.outdated_state.is_empty() => {
                format!("{}, outdated {}", row.state_in_words(), row.outdated_state)
            }
            Self::Setting(path) => {
                let value = self.cell(row);
                number_of(&value).map_or_else(|| row.labels.value(path, &value).to_owned(), plain)
            }
            _ => self.cell(row),
        }
    }

    /// Returns the cell of a row, for programs: numbers with all their digits, shares in [0, 1], times in seconds.
    pub fn cell(&self, row: &Row) -> String {
        match self {
            Self::Star => row.mark.starred.to_string(),
            Self::Arm => row.arm.clone(),
            Self::Seed => row.seed.to_string(),
            Self::State => row.state_in_words(),
            Self::Run => row.run.clone(),
            Self::Duration => plain(row.secs),
            Self::Tags => row.mark.tags.join(" "),
            Self::Note => row.mark.note.clone(),
            Self::Plan => row.plan.to_string(),
            Self::Setting(path) => match row.settings.get(path) {
                Some(value) => value.clone(),
                None => value_of(&row.all, path),
            },
            Self::Delta | Self::Runs => String::new(),
            Self::Best
            | Self::BestEpoch
            | Self::Last
            | Self::Remaining
            | Self::Epochs
            | Self::Series { .. } => self.value(row).map(plain).unwrap_or_default(),
        }
    }
}

impl At {
    /// Returns "best", "at iteration 1000", "at 21 % weights remaining".
    pub fn words(self) -> String {
        match self {
            Self::Best => "best".to_owned(),
            Self::Last => "last".to_owned(),
            Self::Iteration(iteration) => format!("at iteration {}", grouped(iteration)),
            Self::Remaining(share) => format!("at {} weights remaining", share_in_percent(share)),
        }
    }
}

impl Row {
    /// Follows an accuracy that is not that of one network on the test data.
    pub fn kind(&self) -> &'static str {
        match self.series {
            VOTE => " (vote)",
            VALIDATION => " (validation)",
            _ => "",
        }
    }
}

/// Which numbers a copy has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As the window shows them: `97.58 ± 0.24`.
    Shown,
    /// With all digits, shares in [0, 1], and half intervals in a column of their own.
    Exact,
}

/// Returns these lines of the table with a heading, cell by cell.
pub fn cells(
    table: &Grouped,
    lines: &[Line],
    rows: &[Row],
    labels: &Labels,
    numbers: Numbers,
) -> Vec<Vec<String>> {
    let has_groups = !table.keys.is_empty();
    let is_wide = |column: &Column| {
        has_groups && numbers == Numbers::Exact && (column.is_measured() || *column == Column::Delta)
    };
    let mut head = vec![table.heading(&Column::Arm, labels)];
    if !has_groups && !table.columns.contains(&Column::Seed) {
        head.push("Seed".to_owned());
    }
    for column in &table.columns {
        let heading = match numbers {
            Numbers::Shown => table.heading(column, labels),
            Numbers::Exact => column.exact_heading(labels),
        };
        let half = is_wide(column).then(|| format!("{}, half 95 % CI", column.exact_heading(labels)));
        head.push(heading);
        head.extend(half);
    }
    let mut found = vec![head];
    let is_copied = |line: &&Line| !matches!(line, Line::Group(place) if numbers == Numbers::Exact && table.groups[*place].is_heading);
    for line in lines.iter().filter(is_copied) {
        found.push(match *line {
            Line::Group(place) => {
                let group = &table.groups[place];
                let mut cells = vec![match numbers {
                    Numbers::Shown => format!("{}{}", "  ".repeat(group.depth), group.title()),
                    Numbers::Exact => group.name.clone(),
                }];
                for (column, cell) in table.columns.iter().zip(&group.cells) {
                    cells.extend(group_cells(cell, numbers, is_wide(column)));
                }
                cells
            }
            Line::Row(place) => {
                let row = &rows[place];
                let mut cells = vec![table.name(row)];
                if !has_groups && !table.columns.contains(&Column::Seed) {
                    cells.push(row.seed.to_string());
                }
                for column in &table.columns {
                    cells.push(row_cell(column, row, &table.deltas[place], numbers));
                    cells.extend(is_wide(column).then(String::new));
                }
                cells
            }
        });
    }
    found
}

/// Returns these lines of the table as text.
pub fn text(table: &Grouped, lines: &[Line], rows: &[Row], labels: &Labels, numbers: Numbers) -> String {
    let separator = match numbers {
        Numbers::Shown => '\t',
        Numbers::Exact => ',', // as in RFC 4180
    };
    let quoted = |cell: &String| {
        let needs = cell.contains([separator, '"', '\n', '\r', '\t']);
        if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
    };
    let cells = cells(table, lines, rows, labels, numbers);
    let line =
        |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(&separator.to_string());
    cells.iter().map(|cells| line(cells) + "\n").collect()
}

fn group_cells(cell: &Cell, numbers: Numbers, is_wide: bool) -> Vec<String> {
    let number = |value: Option<f64>| value.map(plain).unwrap_or_default();
    match (numbers, cell.spread.is_empty()) {
        (Numbers::Exact, _) if is_wide => vec![number(cell.mean), number(cell.half)],
        (Numbers::Shown, false) => vec![cell.in_words()],
        (Numbers::Shown | Numbers::Exact, _) => vec![cell.text.clone()],
    }
}

/// Returns the cell of a run.
fn row_cell(column: &Column, row: &Row, delta: &Delta, numbers: Numbers) -> String {
    match (column, numbers) {
        (Column::Delta, Numbers::Shown) => delta.text(),
        (Column::Delta, Numbers::Exact) => {
            delta.difference().map(|found| plain(found.mean)).unwrap_or_default()
        }
        (_, Numbers::Shown) => column.text(row),
        (_, Numbers::Exact) => column.cell(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_unit_in_the_heading() {
        let row = Row { last: Some(0.981_25), ..Row::default() };
        assert_eq!(Column::Last.text(&row), "98.12");
        assert_eq!(Column::Last.cell(&row), "0.98125");
        assert_eq!(Column::Last.heading(&Labels::default()), "Test accuracy (%)");
        assert_eq!(Column::Best.text(&row), NONE);
        let of_series = Column::Series { series: "test_accuracy".to_owned(), at: At::Remaining(0.21) };
        assert_eq!(of_series.heading(&Labels::default()), "Test accuracy, at 21 % weights remaining (%)");
        let waiting = Row { state: "not run".to_owned(), outdated_state: "done", ..Row::default() };
        assert_eq!(Column::State.text(&waiting), "not run, outdated done");
    }
}
