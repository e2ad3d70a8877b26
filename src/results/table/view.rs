//! How the table of runs is shown; kept in `view.json`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Row;
use super::columns::Column;
use super::settings::NONE;

/// The view settings of the table of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TableSettings {
    /// The columns behind the arm in their order; the usual ones while nothing was chosen.
    pub columns: Option<Vec<Column>>,
    /// The widths of columns that were dragged, in points.
    pub widths: Vec<(Column, f32)>,
    /// Columns over series that were added; they stay on offer while they are not shown.
    pub added: Vec<Column>,
    /// The keys that group the rows, one or two; none for the setting that makes the lines of plots, else the arm. An empty
    /// list is a table of individual runs.
    pub group: Option<Vec<Key>>,
    /// The baseline of differences.
    pub baseline: Baseline,
    /// The groups whose runs are shown, by their names.
    pub open: BTreeSet<String>,
    /// Filters by their names.
    pub filters: BTreeMap<String, String>,
}

/// A key that groups rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    #[default]
    Arm,
    Seed,
    /// The tags of the run and of its arm.
    Tags,
    State,
    /// A setting, by its path.
    Setting(String),
}

/// The baseline of differences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Baseline {
    /// The first group in the order of the document.
    #[default]
    First,
    /// The group of this name.
    Group(String),
    /// Nothing.
    None,
}

impl TableSettings {
    /// Returns what groups the rows; `lines` is the setting that makes the lines of plots.
    pub fn keys(&self, lines: Option<&String>) -> Vec<Key> {
        let first = lines.map_or(Key::Arm, |path| Key::Setting(path.clone()));
        match &self.group {
            None => vec![first],
            Some(keys) => {
                let mut keys = keys.clone();
                if let Some(key @ (Key::Arm | Key::Setting(_))) = keys.first_mut() {
                    *key = first; // one choice for the table and for plots
                }
                keys
            }
        }
    }

    /// Returns the width that was given to a column.
    pub fn width(&self, column: &Column) -> Option<f32> {
        self.widths.iter().find(|(known, _)| known == column).map(|(_, width)| *width)
    }

    /// Gives a column a width.
    pub fn set_width(&mut self, column: &Column, width: f32) {
        match self.widths.iter_mut().find(|(known, _)| known == column) {
            Some((_, known)) => *known = width,
            None => self.widths.push((column.clone(), width)),
        }
    }

    /// Returns the columns over series, shown or not: what has to be measured.
    pub fn measured(&self) -> Vec<Column> {
        let shown = self.columns.iter().flatten().filter(|column| matches!(column, Column::Series { .. }));
        let mut found = self.added.clone();
        for column in shown {
            if !found.contains(column) {
                found.push(column.clone());
            }
        }
        found
    }
}

impl Key {
    /// Returns the column that has its values.
    pub fn column(&self) -> Column {
        match self {
            Self::Arm => Column::Arm,
            Self::Seed => Column::Seed,
            Self::Tags => Column::Tags,
            Self::State => Column::State,
            Self::Setting(path) => Column::Setting(path.clone()),
        }
    }

    /// Returns the value of a row, for people: what its group is called.
    pub fn name(&self, row: &Row) -> String {
        match self {
            Self::Arm => row.arm.clone(),
            Self::Seed => format!("seed {}", row.seed),
            Self::Tags if row.mark.tags.is_empty() => "no tag".to_owned(),
            Self::Tags | Self::State => self.column().cell(row),
            Self::Setting(path) => {
                let column = self.column();
                let title = column.title(&row.labels);
                match column.text(row) {
                    text if text == NONE => format!("no {}", doc::plan::words::uncapitalised(&title)),
                    // A plan is too long for a name.
                    _ if path == "plan" => row.plan.to_string(),
                    text => format!("{title} {text}"),
                }
            }
        }
    }
}
