//! The columns that readings and parallel axes share with the table of runs.

use std::collections::BTreeSet;

use super::columns::Column;
use super::settings::{NONE, follows_from_another};
use super::{Labels, Row};

impl Column {
    /// Whether it has a setting or a result of a run, which readings and parallel axes can show.
    pub const fn is_fact(&self) -> bool {
        match self {
            Self::Star
            | Self::Arm
            | Self::Seed
            | Self::State
            | Self::Run
            | Self::Tags
            | Self::Note
            | Self::Delta => false,
            Self::Best
            | Self::BestEpoch
            | Self::Last
            | Self::Remaining
            | Self::Epochs
            | Self::Duration
            | Self::Plan
            | Self::Setting(_)
            | Self::Series { .. } => true,
        }
    }
}

/// The settings and results of these runs that readings and parallel axes show: those of the chosen columns of the table, or,
/// while none were chosen, the settings in which the runs differ, the accuracies, columns over series that were added,
/// remaining weights where something was pruned, and the time.
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

/// The paths of settings in which these runs differ, without those that only follow from another choice.
fn differing(rows: &[&Row]) -> Vec<String> {
    let paths: BTreeSet<&String> = rows.iter().flat_map(|row| row.settings.keys()).collect();
    let all: Vec<String> = paths.iter().map(|path| (*path).clone()).collect();
    let differs = |path: &String| {
        let texts: Vec<&str> =
            rows.iter().map(|row| row.settings.get(path).map_or(NONE, String::as_str)).collect();
        texts.iter().any(|text| *text != texts[0]) && !follows_from_another(path, &texts, &all)
    };
    all.iter().filter(|path| differs(path)).cloned().collect()
}

/// What lines of a plot have in some columns of the table, for readings.
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
    /// What these lines have, which come with their runs.
    pub fn of(lines: &[(&str, &[&Row])], chosen: Option<&[Column]>) -> Self {
        // The settings and results in outdated rows are not those of their lines.
        let is_present = |rows: &[&Row]| rows.iter().any(|row| row.outdated_state.is_empty());
        let known = lines.iter().filter(|(_, rows)| is_present(rows));
        let all: Vec<&Row> = known.flat_map(|(_, rows)| rows.iter().copied()).collect();
        let columns = facts(&all, chosen);
        let unknown = Labels::default();
        let labels = all.first().map_or(&unknown, |row| &row.labels);
        let cells = |(_, rows): &(&str, &[&Row])| {
            let cell = |column: &Column| {
                if !is_present(rows) {
                    return String::new();
                }
                let cell = super::grouped::cell_of(column, rows.iter().copied());
                format!("{} {}", cell.text, cell.spread).trim_end().to_owned()
            };
            columns.iter().map(cell).collect()
        };
        Self {
            heads: columns.iter().map(|column| column.heading(labels)).collect(),
            names: lines.iter().map(|(name, _)| (*name).to_owned()).collect(),
            cells: lines.iter().map(cells).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

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
        let usual = LineFacts::of(&lines, None);
        assert_eq!(usual.heads, ["Rate", "Best accuracy (%)", "Test accuracy (%)", "Time"]);
        let chosen = [Column::Star, Column::Last, Column::Setting("rate".to_owned())];
        let found = LineFacts::of(&lines, Some(&chosen));
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
        let found = LineFacts::of(&lines, None);
        assert_eq!(found.heads[0], "Learning rate");
        assert!(found.cells[0].iter().all(String::is_empty), "{:?}", found.cells);
        assert_eq!(found.cells[1][0], "0.1");
        let same: [(&str, &[&Row]); 2] = [("outdated: a", &[&bare]), ("a", &[first])];
        assert!(
            LineFacts::of(&same, None).heads.iter().all(|head| head != "Learning rate"),
            "no setting differs"
        );
    }
}
