//! The comparison of ticked runs: what differs between them, and between their arms seed by seed.

use eframe::egui::{Label, RichText, ScrollArea, Ui};

use super::Compare;
use crate::runs::Runs;
use crate::table::{self, Table};
use crate::text::counted;
use crate::theme::{self, BODY, SMALL, STEP, TITLE, present};
use results::number::fixed;
use results::statistics::{Comparison, Paired};
use results::table::Row;
use results::table::columns::{Column, usual};
use results::table::settings::NONE;
use results::{Report, RunRecord};

/// Widths of a run's column and of the names of what differs, in points.
const CELL: f32 = 96.0;
const NAME: f32 = 120.0;

/// Returns the width that a comparison of this many runs needs.
pub fn width(runs: usize) -> f32 {
    NAME + runs as f32 * CELL + 2.0 * STEP
}

/// Draws the visible ticked runs side by side, only where they differ, and the differences between their arms.
pub fn comparison_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    let table = compare.table();
    let rows = compare.ticked_rows();
    ScrollArea::vertical().id_salt("comparison").auto_shrink([false, false]).show(ui, |ui| {
        let head = format!("{}, only what differs", counted(rows.len(), "run"));
        ui.label(RichText::new(head).color(present(ui).text2));
        ui.add_space(STEP / 2.0);
        cells_ui(ui, compare, &rows, runs);
        ui.add_space(1.5 * STEP);
        ui.label(RichText::new("Difference, seed by seed").font(theme::medium(TITLE - 2.0)));
        for (second, first) in pairs(&rows, &table.baseline) {
            difference_ui(ui, compare, second, first);
        }
    });
}

fn cells_ui(ui: &mut Ui, compare: &Compare, rows: &[&Row], runs: &Runs) {
    let lines = differing_cells(rows, &compare.rows, &compare.settings).into_iter();
    let lines: Vec<Line> = lines.chain(differing_reports(rows, runs)).collect();
    let of_run = |row: &&Row| {
        let column = table::Column::number(row.seed.to_string(), doc::named(&row.arm, row.seed));
        table::Column { mark: Some(row.colour), width: CELL, ..column }
    };
    let names = table::Column { width: NAME, ..table::Column::default() };
    let columns: Vec<_> = std::iter::once(names).chain(rows.iter().map(of_run)).collect();
    let text = |row: usize, column: usize| {
        let (title, texts): &Line = &lines[row];
        column.checked_sub(1).map_or(title, |run| &texts[run]).clone()
    };
    let table = Table {
        id: "side by side",
        columns: &columns,
        pinned: 1,
        rows: lines.len(),
        row_height: 2.5 * STEP,
        text: Some(&text),
        is_low: true,
        ..Table::default()
    };
    table.show(ui, &mut |ui, row, column| {
        let Some(column) = column else { return };
        let cell = RichText::new(text(row, column));
        let is_name = column == 0;
        let cell = if is_name { cell.size(SMALL).color(present(ui).text2) } else { cell };
        ui.add(Label::new(cell).truncate());
    });
}

/// Returns the arms whose difference is shown: the first of these runs minus each other, or one arm minus the baseline.
fn pairs<'a>(rows: &[&'a Row], baseline: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut arms: Vec<&str> = Vec::new();
    for row in rows {
        if !arms.contains(&row.arm.as_str()) {
            arms.push(&row.arm);
        }
    }
    match arms.as_slice() {
        [only] if *only != baseline && !baseline.is_empty() => vec![(only, baseline)],
        [first, others @ ..] => others.iter().map(|other| (*first, *other)).collect(),
        [] => Vec::new(),
    }
}

fn difference_ui(ui: &mut Ui, compare: &Compare, second: &str, first: &str) {
    let found = Comparison::new(&compare.rows, [first, second], |row| compare.is_visible(&row.run));
    ui.add_space(STEP / 2.0);
    let colours = present(ui);
    ui.label(RichText::new(format!("{second} − {first}")).color(colours.text2));
    for (name, difference) in [("last", found.last), ("best", found.best)] {
        let Some(difference) = difference else { continue };
        let (number, interval) = words(&difference);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = STEP / 2.0;
            ui.label(RichText::new(number).font(theme::medium(BODY)));
            ui.label(RichText::new(format!("{name} accuracy")).size(SMALL).color(colours.text2));
            ui.label(RichText::new(interval).size(SMALL).color(colours.text2));
        });
    }
    let mut notes = Vec::new();
    if found.last.is_none() && found.hidden > 0 {
        notes.push("Hidden by the filter".to_owned());
    } else if found.last.is_none() && found.untested > 0 {
        notes.push("No seed is tested in both arms".to_owned());
    } else if found.last.is_none() {
        notes.push("No seed is done in both arms yet".to_owned());
    } else if found.untested > 0 {
        notes.push(format!("{} not compared: not tested in both arms", counted(found.untested, "seed")));
    }
    if found.hidden > 0 && found.last.is_some() {
        notes.push(format!("{} hidden by the filter", counted(found.hidden, "run")));
    }
    if found.left_out > found.hidden {
        notes.push(format!("{} not done", counted(found.left_out - found.hidden, "run")));
    }
    for note in notes {
        ui.label(RichText::new(note).size(SMALL).color(colours.text3));
    }
}

/// Returns the difference, and its interval in words.
fn words(difference: &Paired) -> (String, String) {
    if difference.is_identical() {
        return (difference.identical(), String::new());
    }
    let interval = match difference.half {
        None => difference.verdict().to_owned(),
        Some(half) => {
            let [low, high] =
                [difference.mean - half, difference.mean + half].map(|end| fixed(end * 100.0, 2));
            let verdict = if difference.is_clear() == Some(true) { "excludes" } else { "includes" };
            format!("95 % CI {low} to {high}, {verdict} 0")
        }
    };
    (difference.points(), interval)
}

/// A title, and a text for each run.
pub type Line = (String, Vec<String>);

/// Returns true if some runs have different texts in a line.
fn differs((_, texts): &Line) -> bool {
    texts.iter().any(|text| *text != texts[0])
}

/// Returns the last report of each stage and kind, as far as these runs differ in it; in the order of the plan.
pub fn differing_reports(rows: &[&Row], runs: &Runs) -> Vec<Line> {
    let reports: Vec<&[Report]> =
        rows.iter().map(|row| runs.record(&row.run).map_or(&[][..], RunRecord::reports)).collect();
    let is_alike = |a: &Report, b: &Report| {
        (&a.stage, a.round, &a.branch, &a.kind) == (&b.stage, b.round, &b.branch, &b.kind)
    };
    let mut kinds: Vec<&Report> = Vec::new();
    for report in reports.iter().copied().flatten() {
        if !kinds.iter().any(|known| is_alike(known, report)) {
            kinds.push(report);
        }
    }
    let line = |kind: &&Report| {
        let text = |own: &&[Report]| -> String {
            let last = own.iter().rfind(|report| is_alike(report, kind));
            last.map_or(NONE, |report| &report.summary).to_owned()
        };
        (format!("{}: {}", kind.place(), kind.kind), reports.iter().map(text).collect())
    };
    kinds.iter().map(line).filter(differs).collect()
}

/// Returns what these runs have in different cells, side by side.
pub fn differing_cells(rows: &[&Row], all: &[Row], settings: &[String]) -> Vec<Line> {
    let Some(first) = rows.first() else { return Vec::new() };
    let added = first.measured.iter().map(|(column, _)| column.clone());
    let mut columns = usual(all, settings);
    columns.push(Column::BestEpoch);
    columns.extend(added.filter(|column| !columns.contains(column)).collect::<Vec<_>>());
    let is_compared = |column: &Column| !matches!(column, Column::Seed | Column::Delta);
    let cells = columns.into_iter().filter(is_compared).map(|column| {
        (column.heading(&first.labels), rows.iter().map(|row| column.text(row)).collect::<Vec<_>>())
    });
    cells.filter(differs).collect()
}
