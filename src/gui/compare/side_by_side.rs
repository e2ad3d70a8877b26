//! Differences: between two arms over their seeds, and between the runs that are ticked.

use eframe::egui::{ComboBox, Grid, Label, RichText, ScrollArea, Ui, vec2};

use super::Compare;
use crate::gui::runs::Runs;
use crate::gui::text::counted;
use crate::gui::theme;
use crate::results::paired::Comparison;
use crate::results::table::Row;
use crate::results::table::columns::{Column, columns};
use crate::results::table::settings::NONE;
use crate::results::{Report, RunRecord};

/// A title, and a text for each run.
type Line = (String, Vec<String>);

/// Whether some runs have different texts in a line.
fn differs((_, texts): &Line) -> bool {
    texts.iter().any(|text| *text != texts[0])
}

/// What makes reports of several runs the same line: stage, round, branch and kind.
type ReportTitle<'a> = (&'a str, Option<u64>, &'a str, &'a str);

fn title_of(report: &Report) -> ReportTitle<'_> {
    (&report.stage, report.round, &report.branch, &report.kind)
}

/// The last report of each stage and kind, as far as these runs differ in it; in the order of the plan.
fn differing_reports(rows: &[&Row], runs: &Runs) -> Vec<Line> {
    let reports: Vec<&[Report]> =
        rows.iter().map(|row| runs.record(&row.run).map_or(&[][..], RunRecord::reports)).collect();
    let mut titles: Vec<ReportTitle<'_>> = Vec::new();
    for title in reports.iter().copied().flatten().map(title_of) {
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let line = |title: &ReportTitle<'_>| {
        let last = |own: &&'_ [Report]| own.iter().rposition(|report| title_of(report) == *title);
        let found: Vec<Option<&Report>> =
            reports.iter().map(|own| last(own).map(|position| &own[position])).collect();
        let texts: Vec<&str> =
            found.iter().map(|report| report.map_or(NONE, |report| report.summary.as_str())).collect();
        let is_equal = texts.iter().all(|text| *text == texts[0]);
        let any = found.iter().flatten().next().filter(|_| !is_equal)?;
        let title = format!("{}: {}", any.place(), any.kind);
        Some((title, texts.into_iter().map(str::to_owned).collect()))
    };
    titles.iter().filter_map(line).collect()
}

/// Draws both below the table.
pub fn side_by_side_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    ScrollArea::both().id_salt("differences").auto_shrink([false, false]).show(ui, |ui| {
        pair_ui(ui, compare);
        ui.add_space(theme::STEP);
        ticked_ui(ui, compare, runs);
    });
}

fn arms(rows: &[Row]) -> Vec<String> {
    let mut arms: Vec<String> = Vec::new();
    for row in rows {
        if !arms.contains(&row.arm) {
            arms.push(row.arm.clone());
        }
    }
    arms
}

/// The two chosen arms, compared in their runs that the filter leaves.
pub fn comparison(compare: &Compare) -> Comparison {
    let [first, second] = &compare.pair;
    Comparison::of(&compare.rows, [first, second], |row| !compare.left_out.contains(&row.run))
}

fn pair_ui(ui: &mut Ui, compare: &mut Compare) {
    theme::heading_ui(ui, "Difference between two arms, seed by seed");
    let arms = arms(&compare.rows);
    if arms.len() < 2 {
        ui.label(RichText::new("A second arm is needed").weak());
        return;
    }
    for (position, chosen) in compare.pair.iter_mut().enumerate() {
        if !arms.contains(chosen) {
            chosen.clone_from(&arms[position]);
        }
    }
    ui.horizontal_wrapped(|ui| {
        let [first, second] = &mut compare.pair;
        arm_ui(ui, "Second arm", second, &arms);
        ui.label("minus");
        arm_ui(ui, "First arm", first, &arms);
    });
    let found = comparison(compare);
    for (name, difference) in [("Last accuracy", found.last), ("Best accuracy", found.best)] {
        let Some(difference) = difference else { continue };
        ui.horizontal(|ui| {
            ui.label(format!("{name}:"));
            ui.label(RichText::new(difference.points()).strong());
            ui.label(RichText::new(difference.verdict()).weak());
        });
    }
    if found.last.is_none() {
        let nothing = if found.untested > 0 {
            "No seed is tested in both arms"
        } else {
            "No seed is done in both arms yet"
        };
        ui.label(RichText::new(nothing).weak());
    } else if found.untested > 0 {
        let text = format!("{} not compared: not tested in both arms", counted(found.untested, "seed"));
        ui.label(RichText::new(text).weak());
    }
    if found.left_out > 0 {
        let text = format!("{} not compared: not done, or not in the filter", counted(found.left_out, "run"));
        ui.label(RichText::new(text).weak());
    }
}

fn arm_ui(ui: &mut Ui, name: &str, chosen: &mut String, arms: &[String]) {
    let combo = ComboBox::from_id_salt(name).width(180.0).truncate().selected_text(chosen.clone()).show_ui(
        ui,
        |ui| {
            for arm in arms {
                ui.selectable_value(chosen, arm.clone(), arm);
            }
        },
    );
    combo.response.on_hover_text(format!("{name}: {chosen}"));
}

/// What the ticked runs have in different cells, side by side.
pub fn differing_cells(rows: &[&Row], settings: &[String]) -> Vec<Line> {
    let skipped = |column: &Column| matches!(column, Column::Star | Column::Arm);
    let cells = columns(settings).into_iter().filter(|column| !skipped(column)).map(|column| {
        let title = if let Column::Setting(path) = &column { path.clone() } else { column.title(settings) };
        (title, rows.iter().map(|row| column.text(row)).collect())
    });
    cells.filter(differs).collect()
}

fn ticked_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    theme::heading_ui(ui, "Ticked runs, only what differs");
    let rows: Vec<&Row> = compare.rows.iter().filter(|row| compare.ticked.contains(&row.run)).collect();
    if rows.len() < 2 {
        ui.label(RichText::new("Tick two or more runs in the table to see them side by side").weak());
        return;
    }
    let only = ui.button("Show only these in the plots");
    let is_wanted =
        only.on_hover_text("Turns the ticked runs into the filter; Clear shows all again").clicked();
    Grid::new("side by side").num_columns(rows.len() + 1).striped(true).spacing(vec2(24.0, 4.0)).show(
        ui,
        |ui| {
            ui.label("");
            for row in &rows {
                let name = RichText::new(format!("{}, seed {}", row.arm, row.seed)).strong();
                ui.add_sized([140.0, 18.0], Label::new(name).truncate());
            }
            ui.end_row();
            let cells = differing_cells(&rows, &compare.settings).into_iter();
            for (title, texts) in cells.chain(differing_reports(&rows, runs)) {
                ui.label(RichText::new(title).weak());
                for text in texts {
                    ui.add(Label::new(text).truncate());
                }
                ui.end_row();
            }
        },
    );
    if is_wanted {
        let ids: Vec<&str> = compare.ticked.iter().map(String::as_str).collect();
        compare.view.filter = format!("run:{}", ids.join("|"));
    }
}
