//! The table of a reading: a row for each line, and below that nearest to the pointer its single runs.

use eframe::egui::{Grid, Label, RichText, Sense, Stroke, Ui, vec2};

use super::{Reading, ReadingRow};
use crate::figure::model::Figure;
use crate::figure::palette::{Style, Theme};
use crate::gui::plot::paint::{dashed, line_colour, marker};
use crate::gui::text::shortened;
use crate::results::number::{Digits, readable};

/// Longer names would push the numbers off the screen.
const LONGEST: usize = 36;
/// Height of a row, and of the rest of the table, in points.
const ROW: f32 = 18.0;
const REST: f32 = 48.0;
/// Length of the sample of a line: its dashes differ.
const SAMPLE: f32 = 26.0;

/// The largest number of rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowLimits {
    lines: usize,
    /// Below the line that is nearest to the pointer.
    runs: usize,
}

impl RowLimits {
    /// As many as fit beside a plot of this height; single runs are left out first.
    fn of(height: f32, lines: usize) -> Self {
        let space = ((height - REST).max(0.0) / ROW) as usize;
        let lines = lines.min(space.clamp(4, 20));
        Self { lines, runs: space.saturating_sub(lines + 1).min(10) }
    }
}

/// All numbers in the row of a line.
fn values(row: &ReadingRow) -> impl Iterator<Item = f64> {
    let runs = row.runs.iter().map(|(_, value)| *value);
    [row.point[1]].into_iter().chain(row.band.into_iter().flatten()).chain(runs)
}

/// The line as it is drawn: colour, dashes and marker.
fn sample_ui(ui: &mut Ui, style: Option<Style>, theme: Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(SAMPLE, 10.0), Sense::hover());
    let Some(style) = style else { return };
    let ink = line_colour(style.colour, theme);
    let ends = [rect.left_center(), rect.right_center()];
    ui.painter().extend(dashed(&ends, style.dash, Stroke::new(2.0, ink)));
    ui.painter().extend(marker(rect.center(), style.marker, ink));
}

/// A text in the table, which cannot be selected.
fn text_ui(ui: &mut Ui, text: RichText) {
    ui.add(Label::new(text).selectable(false));
}

/// Draws the table beside a plot of this height, in points.
pub fn table_ui(ui: &mut Ui, figure: &Figure, reading: &Reading, theme: Theme, height: f32) {
    let unit = if figure.x.unit.is_empty() { String::new() } else { format!(" {}", figure.x.unit) };
    let at = readable(reading.x, figure.x.format);
    text_ui(ui, RichText::new(format!("{}: {at}{unit}", figure.x.title)).small());
    let most = RowLimits::of(height, reading.rows.len());
    let shown = &reading.rows[..reading.rows.len().min(most.lines)];
    let digits = Digits::of(shown.iter().flat_map(values), figure.y.format);
    let rows: Vec<TableRow> = shown.iter().flat_map(|row| cells(row, digits, most.runs)).collect();
    let widest = |column: fn(&TableRow) -> &String| rows.iter().map(|row| column(row).chars().count()).max();
    let [value, spread, count] =
        [widest(|row| &row.value), widest(|row| &row.spread), widest(|row| &row.count)]
            .map(Option::unwrap_or_default);
    Grid::new(ui.scope_id().with("values"))
        .num_columns(5)
        .min_col_width(0.0)
        .min_row_height(14.0)
        .spacing(vec2(8.0, 2.0))
        .show(ui, |ui| {
            for row in &rows {
                sample_ui(ui, row.style, theme);
                let name = RichText::new(shortened(&row.name, LONGEST)).small();
                text_ui(ui, if row.style.is_some() { name } else { name.weak() });
                let text = RichText::new(format!("{:>value$}", row.value)).monospace();
                text_ui(ui, if row.style.is_some() { text } else { text.weak() });
                for (cell, width) in [(&row.spread, spread), (&row.count, count)] {
                    if width > 0 {
                        text_ui(ui, RichText::new(format!("{cell:>width$}")).monospace().weak());
                    }
                }
                ui.end_row();
            }
        });
    if let Some(more @ 1..) = reading.rows.len().checked_sub(most.lines) {
        text_ui(ui, RichText::new(format!("… and {more} lower")).small());
    }
}

/// A row of the table as text; the style is that of a line, and single runs have none.
#[derive(Default)]
struct TableRow {
    style: Option<Style>,
    name: String,
    value: String,
    spread: String,
    count: String,
}

/// The row of a line, and below it those of its runs, at most `most_runs`.
fn cells(row: &ReadingRow, digits: Digits, most_runs: usize) -> Vec<TableRow> {
    let text = |value: f64| digits.text(value);
    let bare = |value: f64| text(value).replace(" %", "");
    let spread = row.band.map(|[low, high]| {
        let (below, above) = (row.point[1] - low, high - row.point[1]);
        // A band with equal distances from the mean, apart from rounding errors of its ends.
        let is_even = (above - below).abs() <= 1e-9 * above.abs().max(row.point[1].abs());
        if is_even { format!("± {}", bare(above)) } else { format!("{} … {}", bare(low), bare(high)) }
    });
    let line = TableRow {
        style: Some(row.style),
        name: row.name.clone(),
        value: text(row.point[1]),
        spread: spread.unwrap_or_default(),
        count: row.count.map(|count| format!("n = {count}")).unwrap_or_default(),
    };
    let single = |name: String, value: String| TableRow { name, value, ..TableRow::default() };
    let mut rows = vec![line];
    rows.extend(
        row.runs.iter().take(most_runs).map(|(name, value)| single(format!("   {name}"), text(*value))),
    );
    if let Some(more @ 1..) = row.runs.len().checked_sub(most_runs) {
        rows.push(single(format!("   … {more} more"), String::new()));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::super::tests::{at, mean};
    use super::*;

    #[test]
    fn a_mean_tells_its_spread_its_runs_and_how_many_more_there_are() {
        let figure = mean(13);
        let reading = read(&figure, &[true], |_| false, at(1.0)).unwrap();
        let texts: Vec<String> = cells(&reading.rows[0], Digits::of([], figure.y.format), 10)
            .into_iter()
            .map(|row| [row.name, row.value, row.spread, row.count].join("|"))
            .collect();
        assert_eq!(texts[0], "mean|50.00 %|± 10.00|n = 13");
        assert_eq!(texts[1], "   seed 13|13.00 %||", "the largest comes first");
        assert_eq!((texts.len(), texts[11].as_str()), (12, "   … 3 more|||"));
        assert!(reading.rows[0].runs[12].1.is_nan(), "a run that failed is the last, and not left out");
    }

    #[test]
    fn a_table_is_no_higher_than_its_plot_and_runs_are_the_first_to_go() {
        assert_eq!(RowLimits::of(800.0, 3), RowLimits { lines: 3, runs: 10 });
        assert_eq!(RowLimits::of(230.0, 6), RowLimits { lines: 6, runs: 3 });
        assert_eq!(RowLimits::of(120.0, 12), RowLimits { lines: 4, runs: 0 });
    }
}
