//! What differs between runs: cells of the table, and what their stages reported.

use crate::runs::Runs;
use results::table::Row;
use results::table::columns::{Column, usual};
use results::table::settings::NONE;
use results::{Report, RunRecord};

/// A title, and a text for each run.
pub type Line = (String, Vec<String>);

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
pub fn differing_reports(rows: &[&Row], runs: &Runs) -> Vec<Line> {
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

/// What these runs have in different cells, side by side.
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
