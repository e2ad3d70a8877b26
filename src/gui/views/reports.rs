//! The reports of the stages of a run.

use eframe::egui::{Align, CollapsingHeader, Layout, RichText, Ui};

use crate::table::{Column, texts_ui};
use crate::{text, theme};
use form::number::in_groups;
use results::campaign::definition;
use results::{Report, RunRecord, RunState};

const ROW: f32 = 22.0;

/// Draws the reports of all stages of a run, in their order.
pub fn reports_ui(ui: &mut Ui, run: Option<&RunRecord>) {
    theme::heading_ui(ui, "What the stages reported");
    let reports = run.map_or(&[][..], RunRecord::reports);
    if reports.is_empty() {
        ui.label(RichText::new(nothing_reported(run.is_some_and(RunRecord::is_done))).weak());
    }
    for (position, report) in reports.iter().enumerate() {
        let place = run.map_or_else(|| report.place(), |run| run.place_of(report));
        report_ui(ui, &place, report, position);
    }
}

/// Returns why there are no reports.
const fn nothing_reported(is_done: bool) -> &'static str {
    if is_done {
        "Nothing: this plan only trains and tests."
    } else {
        "Nothing yet: reports appear when a run is done."
    }
}

fn report_ui(ui: &mut Ui, place: &str, report: &Report, position: usize) {
    let colours = theme::present(ui);
    ui.horizontal(|ui| {
        ui.allocate_ui_with_layout([120.0, ROW].into(), Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(120.0);
            ui.label(RichText::new(place).small().weak());
        });
        if let Some(verdict) = verdict(report) {
            let passed = report.passed == Some(true);
            let colour = if passed { colours.text } else { colours.bad };
            ui.label(RichText::new(verdict).color(colour).strong());
        }
        ui.add(eframe::egui::Label::new(&report.summary).wrap());
    });
    if !report.rows.is_empty() {
        rows_ui(ui, report, position);
    }
}

/// Draws the table of a report, folded, since a plan with many rounds has many.
fn rows_ui(ui: &mut Ui, report: &Report, position: usize) {
    let title = format!("Table: {}", report.columns.join(", "));
    CollapsingHeader::new(RichText::new(title).small()).id_salt(("report", position)).show(ui, |ui| {
        let cells = |row: &Vec<String>| -> Vec<String> {
            report.columns.iter().zip(row).map(|(column, cell)| shown(column, cell)).collect()
        };
        let rows: Vec<Vec<String>> = report.rows.iter().map(cells).collect();
        let columns = report
            .columns
            .iter()
            .map(|title| Column::text(title, definition(title).unwrap_or_default()))
            .collect();
        texts_ui(ui, &format!("report table {position}"), columns, &rows, |_, _| String::new());
    });
}

/// Returns the text of a cell: counts have commas, numbers that are names do not.
fn shown(column: &str, cell: &str) -> String {
    let is_count = column != "trial" && cell.bytes().all(|byte| byte.is_ascii_digit());
    if is_count { in_groups(cell) } else { cell.to_owned() }
}

/// Returns the verdict of a check in words: "pruned or frozen weights: bit-identical ✓".
fn verdict(report: &Report) -> Option<String> {
    let passed = report.passed?;
    let words = match (report.kind.as_str(), passed) {
        ("held", true) => "Pruned or frozen weights: bit-identical",
        ("held", false) => "Pruned or frozen weights: changed",
        ("branch", true) => "Original: untouched",
        ("branch", false) => "Original: changed",
        (_, true) => "Check passed",
        (_, false) => "Check failed",
    };
    let state = if passed { RunState::Done } else { RunState::Failed(String::new()) };
    Some(format!("{words} {}", text::sign(&state)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_table_have_commas_and_names_have_none() {
        let cells = [("entries", "50200"), ("remaining %", "19.80"), ("trial", "12345"), ("cell", "b31")];
        assert_eq!(cells.map(|(column, cell)| shown(column, cell)), ["50,200", "19.80", "12345", "b31"]);
    }

    #[test]
    fn without_reports_a_run_that_is_not_done_promises_them() {
        assert!(nothing_reported(true).contains("only trains and tests"));
        assert!(nothing_reported(false).starts_with("Nothing yet"));
    }

    #[test]
    fn a_verdict_says_what_was_checked() {
        let report = |kind: &str, passed| Report { kind: kind.to_owned(), passed, ..Report::default() };
        assert_eq!(
            verdict(&report("held", Some(true))).as_deref(),
            Some("Pruned or frozen weights: bit-identical ✓")
        );
        assert_eq!(verdict(&report("trunk", Some(false))).as_deref(), Some("Check failed ✗"));
        assert_eq!(verdict(&report("prune", None)), None);
    }
}
