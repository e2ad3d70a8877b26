//! What `weightlab show --reports` adds: what the stages of each run reported, with their tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::table::table;
use doc::Run;
use results::inventory::is_of_data;
use results::{Report, RunRecord};

/// The reports of the runs as text, run by run.
pub fn text(runs: &[Run], records: &BTreeMap<String, RunRecord>) -> String {
    let mut out = String::new();
    for run in runs {
        let reports = records.get(&run.id).map_or(&[][..], RunRecord::reports);
        if !reports.is_empty() {
            let _ = writeln!(out, "\n{}, seed {}", run.arm, run.seed); // a string takes everything
        }
        for report in reports {
            out.push_str(&one(report));
        }
    }
    if !out.is_empty() {
        return out;
    }
    let is_done = |run: &Run| records.get(&run.id).is_some_and(RunRecord::is_done);
    if !runs.is_empty() && runs.iter().all(is_done) {
        return "\nthe runs are done and have nothing to report: only checks, and stages that change weights \
            or measure faults, report\n"
            .to_owned();
    }
    "\nno run has reported anything yet\n".to_owned()
}

fn one(report: &Report) -> String {
    let verdict = match report.passed {
        Some(true) => "passed: ",
        Some(false) => "FAILED: ",
        None => "",
    };
    let line = format!("{}: {verdict}{}\n", report.place(), report.summary);
    if report.rows.is_empty() {
        return line;
    }
    let head: Vec<&str> = report.columns.iter().map(String::as_str).collect();
    let texts = if is_of_data(report) { 2 } else { 1 };
    table(&head, &report.rows, texts).lines().fold(line, |text, row| text + "    " + row + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::RunSpec;
    use results::Event;

    #[test]
    fn without_reports_it_says_whether_any_can_come() {
        let run = |id: &str| Run {
            id: id.to_owned(),
            arm: "a".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed: 1,
            spec: RunSpec::default().into(),
        };
        let records = BTreeMap::from([("done".to_owned(), RunRecord::of([Event::Finished { secs: 1.0 }]))]);
        assert!(text(&[run("done")], &records).contains("have nothing to report"));
        assert!(text(&[run("done"), run("waiting")], &records).contains("anything yet"));
    }

    #[test]
    fn a_report_is_its_sentence_and_its_table() {
        let report = Report {
            stage: "2.0".to_owned(),
            round: Some(3),
            summary: "pruned 2 of 4 entries".to_owned(),
            passed: Some(true),
            columns: vec!["parameter".to_owned(), "remaining".to_owned()],
            rows: vec![vec!["fc1.weight".to_owned(), "2".to_owned()]],
            ..Report::default()
        };
        let text = one(&report);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Stage 3.1, round 3: passed: pruned 2 of 4 entries");
        assert!(lines[1].starts_with("    parameter") && lines[2].contains("fc1.weight"), "{text}");
    }
}
