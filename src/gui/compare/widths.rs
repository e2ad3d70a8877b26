//! How wide columns are: by their content at first, then as they are dragged.

use eframe::egui::{FontId, Ui};

use super::Compare;
use crate::theme::{self, BODY, SMALL};
use results::table::Row;
use results::table::columns::Column;
use results::table::grouped::Grouped;

/// Rows beyond this number are not measured.
const MEASURED: usize = 200;
/// Between the content of a cell and its ends, in points.
pub const PADDING: f32 = 8.0;
/// Of the part of a difference that draws its interval, in points.
pub const INTERVAL: f32 = 120.0;

/// Where the columns are, in points from the left end of the table.
pub struct Widths {
    /// The left end and the width of the arm.
    pub arm: [f32; 2],
    /// The same of the columns behind it.
    pub columns: Vec<[f32; 2]>,
    /// The right end.
    pub total: f32,
}

/// Of the ticks, and of the carets of groups.
pub const TICK: f32 = 36.0;
const CARET: f32 = 24.0;

impl Widths {
    /// The widths of this table.
    pub fn of(ui: &Ui, compare: &mut Compare, table: &Grouped, rows: &[Row]) -> Self {
        measure(ui, compare, table, rows);
        let natural = &compare.shown.natural;
        let width = |column: &Column| {
            let by_content = || natural.iter().find(|(known, _)| known == column).map(|(_, width)| *width);
            compare.view.table.width(column).or_else(by_content).unwrap_or(96.0)
        };
        let start = if table.keys.is_empty() { TICK } else { TICK + CARET };
        let arm = [start, width(&Column::Arm)];
        let mut end = arm[0] + arm[1];
        let mut columns = Vec::new();
        for column in &table.columns {
            let own = width(column);
            columns.push([end, own]);
            end += own;
        }
        Self { arm, columns, total: end }
    }
}

/// The narrowest and the widest that a column is by its content, in points.
const fn limits(column: &Column) -> [f32; 2] {
    match column {
        Column::Arm => [140.0, 420.0],
        Column::Plan => [160.0, 280.0],
        Column::Star | Column::Seed => [56.0, 120.0],
        Column::Delta => [INTERVAL + 160.0, INTERVAL + 190.0],
        Column::Note | Column::Tags => [80.0, 220.0],
        Column::State
        | Column::Best
        | Column::BestEpoch
        | Column::Last
        | Column::Remaining
        | Column::Epochs
        | Column::Duration
        | Column::Run
        | Column::Setting(_)
        | Column::Series { .. } => [64.0, 260.0],
    }
}

/// Measures what a new table shows. Widths only grow, so that columns do not move while results come in.
fn measure(ui: &Ui, compare: &mut Compare, table: &Grouped, rows: &[Row]) {
    if compare.shown.measured == Some(compare.shown.revision) {
        return;
    }
    compare.shown.measured = Some(compare.shown.revision);
    let labels = compare.labels();
    let wide = |text: &str, font: &FontId| {
        ui.painter().layout_no_wrap(text.to_owned(), font.clone(), ui.visuals().text_color()).size().x
    };
    let (body, strong, small) =
        (FontId::proportional(BODY), theme::medium(BODY), FontId::proportional(SMALL));
    let longest = |texts: &mut dyn Iterator<Item = String>, font: &FontId| -> f32 {
        let text = texts.take(MEASURED).max_by_key(|text| text.chars().count()).unwrap_or_default();
        wide(&text, font)
    };
    let all = std::iter::once(&Column::Arm).chain(&table.columns);
    for (place, column) in all.enumerate() {
        // A sorted column has an arrow.
        let heading = wide(&table.heading(column, &labels), &small) + 16.0;
        let cells = match place.checked_sub(1) {
            None => {
                let of_groups = longest(&mut table.groups.iter().map(|group| group.name.clone()), &strong);
                // A dot before the name, a star behind it.
                let of_rows = longest(&mut table.rows().map(|row| table.name(&rows[row])), &body);
                of_groups.max(of_rows) + 56.0 + if table.keys.is_empty() { 48.0 } else { 0.0 }
            }
            Some(place) => {
                let means =
                    longest(&mut table.groups.iter().map(|group| group.cells[place].text.clone()), &strong);
                let spreads =
                    longest(&mut table.groups.iter().map(|group| group.cells[place].spread.clone()), &body);
                let of_rows = longest(&mut table.rows().map(|row| column.text(&rows[row])), &body);
                let gap = if spreads > 0.0 { 5.0 } else { 0.0 };
                if column.is_measured() { means.max(of_rows) + gap + spreads } else { means.max(of_rows) }
            }
        };
        let [low, high] = limits(column);
        let width = (heading.max(cells) + 2.0 * PADDING).clamp(low, high);
        match compare.shown.natural.iter_mut().find(|(known, _)| known == column) {
            Some((_, known)) => *known = known.max(width),
            None => compare.shown.natural.push((column.clone(), width)),
        }
    }
}
