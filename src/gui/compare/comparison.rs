//! The comparison of ticked runs: how their arms differ seed by seed, then what differs between them side by side.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{CollapsingHeader, RichText, ScrollArea, Ui};

use super::Compare;
use crate::runs::Runs;
use crate::table::{self, texts_ui};
use crate::text::{counted, shortened};
use crate::theme::{self, BODY, SMALL, STEP, TITLE, present};
use results::statistics::Comparison;
use results::table::Row;
use results::table::columns::{Column, usual};
use results::table::grouped::{Grouped, cell_of, compared};
use results::table::settings::NONE;
use results::{Report, by_key, distinct};

/// Longer texts of cells and headings lose their middle.
const LONGEST: usize = 24;

/// What is shown of the visible ticked runs.
pub struct SideBySide {
    /// The table and the ticks that it was made of.
    table: Arc<Grouped>,
    ticked: BTreeSet<String>,
    /// The names of what differs, then arms of which all visible runs are ticked, and other ticked runs.
    pub columns: Vec<table::Column<'static>>,
    /// The differences between arms, with their names.
    differences: Vec<(String, Comparison)>,
    pub cells: Vec<Line>,
    pub reports: Vec<Line>,
}

impl Compare {
    /// Returns what is shown of the visible ticked runs; made only where something has changed.
    pub fn side_by_side(&mut self, runs: &Runs) -> Arc<SideBySide> {
        let table = self.table();
        let is_it =
            |known: &&Arc<SideBySide>| Arc::ptr_eq(&known.table, &table) && known.ticked == self.ticked;
        if let Some(known) = self.side_by_side.as_ref().filter(is_it) {
            return known.clone();
        }
        let of_arm = |row: &Row| (row.arm_index, row.arm.clone());
        let arms = by_key(self.ticked_rows().into_iter().map(|row| (of_arm(row), row)));
        let sides = arms.into_iter().flat_map(|(arm, rows)| {
            let is_of_arm = |row: &&Row| of_arm(row) == arm && self.is_visible(&row.run);
            let is_whole = self.rows.iter().filter(is_of_arm).count() == rows.len();
            if is_whole { vec![rows] } else { rows.into_iter().map(|row| vec![row]).collect() }
        });
        let sides: Vec<Vec<&Row>> = sides.collect();
        let column = |rows: &Vec<&Row>| {
            let (arm, count) = (&rows[0].arm, rows.len());
            let (title, help) = match rows.as_slice() {
                [row] => (row.seed.to_string(), doc::named(arm, row.seed)),
                _ => (shortened(arm, LONGEST), format!("{arm}, {}", counted(count, "run"))),
            };
            table::Column { mark: Some(rows[0].colour), ..table::Column::number(title, help) }
        };
        let made = Arc::new(SideBySide {
            columns: std::iter::once(table::Column::default()).chain(sides.iter().map(column)).collect(),
            differences: differences(self, &table, &sides),
            cells: differing_cells(&sides, &self.rows, &self.settings),
            reports: differing_reports(&sides, runs),
            ticked: self.ticked.clone(),
            table,
        });
        self.side_by_side = Some(made.clone());
        made
    }
}

/// Draws the differences between the arms of the visible ticked runs, and what else differs side by side.
pub fn comparison_ui(ui: &mut Ui, compare: &Compare, made: &SideBySide) {
    ScrollArea::vertical().id_salt("comparison").auto_shrink([false, false]).show(ui, |ui| {
        ui.label(RichText::new("Difference, seed by seed").font(theme::medium(TITLE - 2.0)));
        for (name, found) in &made.differences {
            difference_ui(ui, compare, name, found);
        }
        ui.add_space(1.5 * STEP);
        ui.label(RichText::new("Side by side, only what differs").color(present(ui).text2));
        ui.add_space(STEP / 2.0);
        cells_ui(ui, "side by side", made, &made.cells);
        if !made.reports.is_empty() {
            ui.add_space(STEP);
            let head = CollapsingHeader::new(format!("Reports that differ ({})", made.reports.len()));
            head.show(ui, |ui| cells_ui(ui, "reports", made, &made.reports));
        }
    });
}

fn cells_ui(ui: &mut Ui, id: &str, made: &SideBySide, lines: &[Line]) {
    let short = |line: &Line| line.iter().map(|text| shortened(text, LONGEST)).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = lines.iter().map(short).collect();
    texts_ui(ui, id, made.columns.clone(), &rows, |row, column| {
        let (whole, shown) = (&lines[row][column], &rows[row][column]);
        if whole == shown { String::new() } else { whole.clone() }
    });
}

/// Returns how the arms of these runs differ from the baseline, or from the first of them if they are neither its nor
/// alone, over all of their visible runs; each with its name.
fn differences(compare: &Compare, table: &Grouped, sides: &[Vec<&Row>]) -> Vec<(String, Comparison)> {
    let rows = &*compare.rows;
    let ticked = sides.iter().flatten().copied();
    let mut arms: Vec<&str> =
        by_key(ticked.map(|row| (row.arm.as_str(), ()))).into_iter().map(|arm| arm.0).collect();
    let of_arm = |arm: &str| -> Vec<&Row> {
        rows.iter().filter(|row| row.arm == arm && compare.is_visible(&row.run)).collect()
    };
    let is_base = |arm: &&str| table.base.iter().any(|row| rows[*row].arm == *arm);
    let has_base = arms.iter().any(is_base) || arms.len() == 1 && !table.base.is_empty();
    let (reference, base) = if has_base && !arms.iter().all(is_base) {
        arms.retain(|arm| !is_base(arm));
        (table.baseline.as_str(), table.base.iter().map(|row| &rows[*row]).collect())
    } else if arms.len() > 1 {
        let first = arms.remove(0);
        (first, of_arm(first))
    } else {
        return Vec::new();
    };
    let difference =
        |arm: &&str| (format!("{arm} − {reference}"), compared(rows, base.clone(), &of_arm(arm)));
    arms.iter().map(difference).collect()
}

fn difference_ui(ui: &mut Ui, compare: &Compare, name: &str, found: &Comparison) {
    ui.add_space(STEP / 2.0);
    let colours = present(ui);
    ui.label(RichText::new(name).color(colours.text2));
    let labels = compare.labels();
    let last = if found.validation { "Validation accuracy".to_owned() } else { Column::Last.title(&labels) };
    for (name, difference) in [(last, found.last), (Column::Best.title(&labels), found.best)] {
        let Some(difference) = difference else { continue };
        let points = if difference.is_identical() {
            difference.identical()
        } else {
            format!("{} points: {}", difference.number_of_points(), difference.verdict())
        };
        ui.label(RichText::new(points).font(theme::medium(BODY)));
        ui.label(RichText::new(format!("{name}, n = {}", difference.n)).size(SMALL).color(colours.text2));
    }
    let left_out = left_out(found);
    if !left_out.is_empty() {
        ui.label(RichText::new(left_out).size(SMALL).color(colours.text3));
    }
}

/// Returns what is not compared: "1 run not done, 2 pairs not tested in both"; empty for nothing.
pub fn left_out(found: &Comparison) -> String {
    if found.last.is_none() {
        return "No seed is done and tested in both yet".to_owned();
    }
    let parts = [(found.left_out, "run", "not done"), (found.untested, "pair", "not tested in both")];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    parts.map(|(count, what, why)| format!("{} {why}", counted(count, what))).collect::<Vec<_>>().join(", ")
}

/// A title, and a text for each column.
type Line = Vec<String>;

/// Returns true if some of these texts differ.
fn differ(texts: &[String]) -> bool {
    texts.iter().any(|text| *text != texts[0])
}

/// Returns the last report of each place and kind, as far as these runs differ in it; in the order of the plan.
fn differing_reports(sides: &[Vec<&Row>], runs: &Runs) -> Vec<Line> {
    let of = |row: &&Row| -> Vec<(String, String)> {
        let Some(record) = runs.record(&row.run) else { return Vec::new() };
        let title = |report: &Report| format!("{}: {}", record.place_of(report), report.kind);
        record.reports().iter().map(|report| (title(report), report.summary.clone())).collect()
    };
    let reports: Vec<_> = sides.iter().flatten().map(of).collect();
    let titles = distinct(reports.iter().flatten().map(|(title, _)| title.clone()));
    let line = |title: String| {
        let text = |own: &Vec<(String, String)>| -> String {
            own.iter().rfind(|(known, _)| *known == title).map_or(NONE, |(_, summary)| summary).to_owned()
        };
        let mut texts: Vec<String> = reports.iter().map(text).collect();
        let differ_at_all = differ(&texts);
        let of_side = |side: &Vec<&Row>| {
            let own: Vec<String> = texts.drain(..side.len()).collect();
            if differ(&own) { "differs by seed".to_owned() } else { own[0].clone() }
        };
        let cells: Line = sides.iter().map(of_side).collect();
        differ_at_all.then(|| std::iter::once(title).chain(cells).collect())
    };
    titles.into_iter().filter_map(line).collect()
}

/// Returns what these runs have in different cells, side by side; of several runs, their mean or what they have in common.
fn differing_cells(sides: &[Vec<&Row>], all: &[Row], settings: &[String]) -> Vec<Line> {
    let Some(first) = sides.first().and_then(|side| side.first()) else { return Vec::new() };
    let added = first.measured.iter().map(|(column, _)| column.clone());
    let mut columns = usual(all, settings, &[]);
    columns.push(Column::BestEpoch);
    columns.extend(added.filter(|column| !columns.contains(column)).collect::<Vec<_>>());
    let text = |column: &Column, side: &Vec<&Row>| match side.as_slice() {
        [row] => column.text(row),
        rows => cell_of(column, rows.iter().copied()).in_words(),
    };
    let is_compared = |column: &Column| !matches!(column, Column::Seed | Column::Delta);
    let line = |column: Column| -> Line {
        let texts = sides.iter().map(|side| text(&column, side));
        std::iter::once(column.heading(&first.labels)).chain(texts).collect()
    };
    columns.into_iter().filter(is_compared).map(line).filter(|line| differ(&line[1..])).collect()
}
