//! The visible table as text, for spreadsheets and programs.

use super::columns::Column;
use super::grouped::{Cell, Grouped, Line};
use super::{Delta, Labels, Row};
use crate::number::plain;

/// Which numbers a copy has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As the window shows them: `97.58 ± 0.24`.
    Shown,
    /// With all digits, shares in [0, 1], and half intervals in a column of their own.
    Exact,
}

impl Numbers {
    /// What is between two cells: a tab, or a comma as in RFC 4180.
    const fn separator(self) -> char {
        match self {
            Self::Shown => '\t',
            Self::Exact => ',',
        }
    }
}

/// These lines of the table with a heading, cell by cell.
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
    for line in lines {
        found.push(match *line {
            Line::Group(place) => {
                let group = &table.groups[place];
                let mut cells = vec![group.name.clone()];
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

/// These lines of the table as text.
pub fn text(table: &Grouped, lines: &[Line], rows: &[Row], labels: &Labels, numbers: Numbers) -> String {
    let separator = numbers.separator();
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
        (Numbers::Shown, false) => vec![format!("{} {}", cell.text, cell.spread).trim().to_owned()],
        (Numbers::Shown | Numbers::Exact, _) => vec![cell.text.clone()],
    }
}

/// The cell of a run.
pub fn row_cell(column: &Column, row: &Row, delta: &Delta, numbers: Numbers) -> String {
    match (column, numbers) {
        (Column::Delta, Numbers::Shown) => delta.text(),
        (Column::Delta, Numbers::Exact) => {
            delta.difference().map(|found| plain(found.mean)).unwrap_or_default()
        }
        (_, Numbers::Shown) => column.text(row),
        (_, Numbers::Exact) => column.cell(row),
    }
}
