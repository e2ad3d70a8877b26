//! Differences: between two arms over their seeds, and between the runs that are ticked.

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{ComboBox, Grid, Label, RichText, ScrollArea, Ui, vec2};

use super::Compare;
use crate::gui::runs::Runs;
use crate::gui::text::counted;
use crate::gui::theme;
use crate::results::Report;
use crate::results::paired::Comparison;
use crate::results::table::Row;
use crate::results::table::columns::{Column, columns};
use crate::results::table::settings::NONE;

/// What the stages of ticked runs reported.
#[derive(Clone, Debug, Default)]
pub struct TickedReports {
    revision: u64,
    ticked: BTreeSet<String>,
    /// Stage with the kind of its report, and the result in a sentence; by run.
    reports: BTreeMap<String, Vec<(String, String)>>,
}

impl TickedReports {
    /// Takes in what is known of the ticked runs now.
    pub fn update(&mut self, ticked: &BTreeSet<String>, runs: &Runs) {
        if self.ticked == *ticked && self.revision == runs.revision() {
            return;
        }
        let told = |report: &Report| (format!("{}: {}", report.place(), report.kind), report.summary.clone());
        let of = |id: &String| {
            let reports = runs.record(id).map(|record| record.reports().iter().map(told).collect());
            (id.clone(), reports.unwrap_or_default())
        };
        self.reports = ticked.iter().map(of).collect();
        (self.ticked, self.revision) = (ticked.clone(), runs.revision());
    }

    /// The reports in which these runs differ, in the order of the plan.
    pub fn differing(&self, rows: &[&Row]) -> Vec<(String, Vec<String>)> {
        let of = |row: &Row| self.reports.get(&row.run).map(Vec::as_slice).unwrap_or_default();
        let mut keys: Vec<&String> = Vec::new();
        for (key, _) in rows.iter().flat_map(|row| of(row)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let text = |row: &Row, key: &String| {
            let found = of(row).iter().rev().find(|(own, _)| own == key);
            found.map_or_else(|| NONE.to_owned(), |(_, summary)| summary.clone())
        };
        let told = keys.into_iter().map(|key| (key.clone(), rows.iter().map(|row| text(row, key)).collect()));
        told.filter(|(_, texts): &(String, Vec<String>)| texts.iter().any(|text| *text != texts[0])).collect()
    }
}

/// Draws both below the table.
pub fn side_by_side_ui(ui: &mut Ui, compare: &mut Compare) {
    ScrollArea::both().id_salt("differences").auto_shrink([false, false]).show(ui, |ui| {
        pair_ui(ui, compare);
        ui.add_space(theme::STEP);
        ticked_ui(ui, compare);
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
    let text = format!("{name}: {chosen}");
    combo.response.on_hover_text(text);
}

/// What the ticked runs have in different cells, side by side.
pub fn differing_cells(rows: &[&Row], settings: &[String]) -> Vec<(String, Vec<String>)> {
    let skipped = |column: &Column| matches!(column, Column::Star | Column::Arm);
    let cells = columns(settings).into_iter().filter(|column| !skipped(column)).map(|column| {
        let texts: Vec<String> = rows.iter().map(|row| column.text(row)).collect();
        let title = if let Column::Setting(path) = &column { path.clone() } else { column.title(settings) };
        (title, texts)
    });
    cells.filter(|(_, texts)| texts.iter().any(|text| *text != texts[0])).collect()
}

fn ticked_ui(ui: &mut Ui, compare: &mut Compare) {
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
            for (title, texts) in cells.chain(compare.ticked_reports.differing(&rows)) {
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
