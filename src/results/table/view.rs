//! How the table of runs is shown; kept in `view.json`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Row;
use super::columns::Column;
use super::grouped::Group;
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
    /// What groups the rows, each within the one before: arm, seed, tags, state and settings; none for the setting that makes
    /// the lines of plots, else the arm. An empty list is a table of individual runs.
    #[serde(deserialize_with = "groupable")]
    pub group: Option<Vec<Column>>,
    /// The baseline of differences.
    pub baseline: Baseline,
    /// The groups whose runs are shown, by their names.
    pub open: BTreeSet<String>,
    /// The headings whose groups are not shown, by their names.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub folded: BTreeSet<String>,
    /// Filters by their names.
    pub filters: BTreeMap<String, String>,
}

/// The baseline of differences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Baseline {
    /// The first arm at the same settings; where groups mix arms, the first group in the order of the document.
    #[default]
    First,
    /// The group of this name, or the arm at the same settings.
    Group(String),
    /// Nothing.
    None,
}

/// Reads what groups the rows, and refuses columns whose cells differ from run to run.
fn groupable<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<Column>>, D::Error> {
    let keys = Option::<Vec<Column>>::deserialize(from)?;
    match keys.iter().flatten().find(|column| !column.can_group()) {
        Some(column) => Err(serde::de::Error::custom(format!("{column:?} cannot group runs"))),
        None => Ok(keys),
    }
}

impl TableSettings {
    /// Returns what groups the rows; `lines` is the setting that makes the lines of plots.
    pub fn keys(&self, lines: Option<&String>) -> Vec<Column> {
        let first = lines.map_or(Column::Arm, |path| Column::Setting(path.clone()));
        match &self.group {
            None => vec![first],
            Some(keys) => {
                let mut keys = keys.clone();
                if let Some(key @ (Column::Arm | Column::Setting(_))) = keys.first_mut() {
                    *key = first; // one choice for the table and for plots
                }
                let mut found: Vec<Column> = Vec::new();
                for key in keys {
                    if !found.contains(&key) {
                        found.push(key);
                    }
                }
                found
            }
        }
    }

    /// Returns true if what is below a heading, or the runs of a group, are shown.
    pub fn is_open(&self, group: &Group) -> bool {
        if group.is_heading { !self.folded.contains(&group.name) } else { self.open.contains(&group.name) }
    }

    /// Shows or hides what is below a heading, or the runs of a group.
    pub fn fold(&mut self, group: &Group) {
        let names = if group.is_heading { &mut self.folded } else { &mut self.open };
        if !names.remove(&group.name) {
            names.insert(group.name.clone());
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

impl Column {
    /// Returns what a group of rows by this column is called, by one of them.
    pub fn group(&self, row: &Row) -> String {
        match self {
            Self::Seed => format!("seed {}", row.seed),
            Self::Tags if row.mark.tags.is_empty() => "no tag".to_owned(),
            // A plan is too long for a name.
            Self::Setting(path) if path == "plan" && self.text(row) != NONE => row.plan.to_string(),
            Self::Setting(_) => {
                let title = self.title(&row.labels);
                match self.text(row) {
                    text if text == NONE => format!("no {}", doc::plan::words::uncapitalised(&title)),
                    text => format!("{title} {text}"),
                }
            }
            other => other.cell(row),
        }
    }
}
