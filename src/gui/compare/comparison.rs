//! The comparison of ticked runs: how their arms differ seed by seed, then what differs between them side by side.

use eframe::egui::{CollapsingHeader, FontId, Label, RichText, ScrollArea, TextStyle, Ui};

use super::Compare;
use crate::runs::Runs;
use crate::table::{self, Table, width_of};
use crate::text::counted;
use crate::theme::{self, SMALL, STEP, TITLE, present};
use results::number::fixed;
use results::statistics::{Comparison, Paired};
use results::table::Row;
use results::table::columns::{Column, usual};
use results::table::grouped::{Grouped, cell_of, compared};
use results::table::settings::NONE;
use results::{Report, RunRecord, by_key};

/// Width of a column in a new panel, and the widest that a column and the names of what differs are by their content, in
/// points.
const CELL: f32 = 112.0;
const WIDEST: f32 = 220.0;
const NAME: f32 = 140.0;

/// Returns the width that a comparison of this many columns needs.
pub fn width(columns: usize) -> f32 {
    NAME + columns as f32 * CELL + 2.0 * STEP
}

/// Returns the runs of each column: an arm of which all visible runs are ticked has one, other ticked runs have their own.
pub fn sides(compare: &Compare) -> Vec<Vec<&Row>> {
    let of_arm = |row: &Row| (row.arm_index, row.arm.clone());
    let arms = by_key(compare.ticked_rows().into_iter().map(|row| (of_arm(row), row)));
    let sides = arms.into_iter().flat_map(|(arm, rows)| {
        let is_of_arm = |row: &&Row| of_arm(row) == arm && compare.is_visible(&row.run);
        let is_whole = compare.rows.iter().filter(is_of_arm).count() == rows.len();
        if is_whole { vec![rows] } else { rows.into_iter().map(|row| vec![row]).collect() }
    });
    sides.collect()
}

/// Draws the differences between the arms of the visible ticked runs, and what else differs side by side.
pub fn comparison_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    let table = compare.table();
    let sides = sides(compare);
    ScrollArea::vertical().id_salt("comparison").auto_shrink([false, false]).show(ui, |ui| {
        ui.label(RichText::new("Difference, seed by seed").font(theme::medium(TITLE - 2.0)));
        for (name, found) in differences(compare, &table, &sides) {
            difference_ui(ui, compare, &name, &found);
        }
        ui.add_space(1.5 * STEP);
        let count: usize = sides.iter().map(Vec::len).sum();
        let head = format!("{}, only what differs", counted(count, "run"));
        ui.label(RichText::new(head).color(present(ui).text2));
        ui.add_space(STEP / 2.0);
        cells_ui(ui, "side by side", &sides, &differing_cells(&sides, &compare.rows, &compare.settings));
        let reports = differing_reports(&sides, runs);
        if !reports.is_empty() {
            ui.add_space(STEP);
            let head = CollapsingHeader::new(format!("Reports that differ ({})", reports.len()));
            head.show(ui, |ui| cells_ui(ui, "reports", &sides, &reports));
        }
    });
}

fn cells_ui(ui: &mut Ui, id: &str, sides: &[Vec<&Row>], lines: &[Line]) {
    let (body, small) = (TextStyle::Body.resolve(ui.style()), FontId::proportional(SMALL));
    let column = |(place, rows): (usize, &Vec<&Row>)| {
        let (title, help) = match rows.as_slice() {
            [row] => (row.seed.to_string(), doc::named(&row.arm, row.seed)),
            rows => (rows[0].arm.clone(), format!("{}, {}", rows[0].arm, counted(rows.len(), "run"))),
        };
        let widest = lines.iter().map(|(_, texts)| width_of(ui, &texts[place], &body)).fold(56.0, f32::max);
        let column = table::Column::number(title, help).fits(ui, widest.min(WIDEST));
        // A mark before the heading.
        table::Column { mark: Some(rows[0].colour), width: column.width.min(WIDEST) + 2.0 * STEP, ..column }
    };
    let name = lines.iter().map(|(name, _)| width_of(ui, name, &small)).fold(0.0, f32::max).min(WIDEST);
    let names = table::Column::default().fits(ui, name);
    let columns: Vec<_> = std::iter::once(names).chain(sides.iter().enumerate().map(column)).collect();
    let text = |row: usize, column: usize| {
        let (title, texts): &Line = &lines[row];
        column.checked_sub(1).map_or(title, |side| &texts[side]).clone()
    };
    let table = Table {
        id,
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
    let (reference, base) = if has_base {
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
        let (number, interval) = words(&difference);
        ui.label(RichText::new(number).font(theme::medium(TITLE - 2.0)));
        ui.label(RichText::new(format!("{name}{interval}")).size(SMALL).color(colours.text2));
    }
    let mut notes = Vec::new();
    if found.last.is_none() {
        notes.push(
            if found.untested > 0 { "No seed is tested in both" } else { "No seed is done in both yet" }
                .to_owned(),
        );
    } else if found.untested > 0 {
        notes.push(format!("{} not compared: not tested in both", counted(found.untested, "pair")));
    }
    if found.left_out > 0 {
        notes.push(format!("{} not done", counted(found.left_out, "run")));
    }
    for note in notes {
        ui.label(RichText::new(note).size(SMALL).color(colours.text3));
    }
}

/// Returns the difference with what it says about 0, and its interval and seeds.
fn words(difference: &Paired) -> (String, String) {
    let seeds = format!(", n = {}", difference.n);
    if difference.is_identical() {
        return (difference.identical(), String::new());
    }
    let number = format!("{} points", difference.number_of_points());
    match difference.half {
        None => (number, format!("{seeds}: {}", difference.verdict())),
        Some(half) => {
            let [low, high] =
                [difference.mean - half, difference.mean + half].map(|end| fixed(end * 100.0, 2));
            let verdict = if difference.is_clear() == Some(true) { "excludes" } else { "includes" };
            (format!("{number}, {verdict} 0"), format!(", 95 % CI {low} to {high}{seeds}"))
        }
    }
}

/// A title, and a text for each column.
pub type Line = (String, Vec<String>);

/// Returns true if some of these texts differ.
fn differ(texts: &[String]) -> bool {
    texts.iter().any(|text| *text != texts[0])
}

/// Returns the last report of each stage and kind, as far as these runs differ in it; in the order of the plan.
pub fn differing_reports(sides: &[Vec<&Row>], runs: &Runs) -> Vec<Line> {
    let of = |row: &&Row| runs.record(&row.run).map_or(&[][..], RunRecord::reports);
    let reports: Vec<&[Report]> = sides.iter().flatten().map(of).collect();
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
        let mut texts: Vec<String> = reports.iter().map(text).collect();
        let differ_at_all = differ(&texts);
        let of_side = |side: &Vec<&Row>| {
            let own: Vec<String> = texts.drain(..side.len()).collect();
            if differ(&own) { "differs by seed".to_owned() } else { own[0].clone() }
        };
        let cells = sides.iter().map(of_side).collect();
        differ_at_all.then(|| (format!("{}: {}", kind.place(), kind.kind), cells))
    };
    kinds.iter().filter_map(line).collect()
}

/// Returns what these runs have in different cells, side by side; of several runs, their mean or what they have in common.
pub fn differing_cells(sides: &[Vec<&Row>], all: &[Row], settings: &[String]) -> Vec<Line> {
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
    let cells = columns.into_iter().filter(is_compared).map(|column| {
        (column.heading(&first.labels), sides.iter().map(|side| text(&column, side)).collect::<Vec<_>>())
    });
    cells.filter(|(_, texts)| differ(texts)).collect()
}
