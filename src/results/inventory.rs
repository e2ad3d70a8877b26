//! What was found in the data of a run: how the run reports it, and what a paper says about what was not.

use std::collections::BTreeSet;

use super::event::ReportLevel;
use super::{Report, RunRecord};
use doc::{Inventory, SAMPLES_DIGEST, listed};
use form::number::{counted, grouped};

/// The kind of reports about data.
const KIND: &str = "data";
/// The columns of their tables. Those of earlier versions have one, with samples that could not be read.
const COLUMNS: [&str; 2] = ["what", "found"];
const BEGIN: &str = "Left out ";
/// The most samples that could not be read that are listed.
const MOST: usize = 1000;

/// Makes the report of a run about its data: for everybody where samples could not be read, else for who looks for it.
pub fn report(inventory: &Inventory) -> Report {
    let cells = |(label, text): (&str, String)| vec![label.to_owned(), text];
    let mut rows: Vec<Vec<String>> = inventory.lines(false).into_iter().map(cells).collect();
    let (mut summary, mut level) = (inventory.summary(), ReportLevel::Detail);
    if let Some(first) = inventory.unreadable.first() {
        let count = counted(inventory.unreadable.len(), "sample");
        summary = format!("{BEGIN}{count} that could not be read; the first: {first}");
        level = ReportLevel::Warning;
        rows.extend(inventory.unreadable.iter().take(MOST).map(|line| cells(("", line.clone()))));
    }
    let columns = COLUMNS.map(str::to_owned).to_vec();
    Report { kind: KIND.to_owned(), summary, level, columns, rows, ..Report::default() }
}

/// Returns true if a report says what was found in the data.
pub fn is_of_data(report: &Report) -> bool {
    report.kind == KIND && report.columns == COLUMNS
}

/// Returns how many samples a report says were left out.
fn count(report: &Report) -> Option<u64> {
    let rest = report.summary.strip_prefix(BEGIN).filter(|_| report.kind == KIND)?;
    rest.split_once(' ')?.0.replace(',', "").parse().ok()
}

/// Says what a paper needs from the records after it has given the sizes of the data, which count files: " Of these, 3 samples
/// could not be read and were left out.", and which samples they were, by their digest. Nothing where runs know of none.
pub fn sentences<'a>(records: impl IntoIterator<Item = &'a RunRecord>) -> String {
    let mut counts: [BTreeSet<u64>; 2] = Default::default();
    let mut digests: BTreeSet<&str> = BTreeSet::new();
    for report in records.into_iter().flat_map(RunRecord::reports) {
        counts[usize::from(!report.branch.is_empty())].extend(count(report));
        let rows = report.rows.iter().filter(|_| is_of_data(report) && report.branch.is_empty());
        digests.extend(rows.filter_map(|row| match row.as_slice() {
            [label, digest] if label == SAMPLES_DIGEST => Some(digest.trim_end_matches('…')),
            _ => None,
        }));
    }
    let of = |counts: &BTreeSet<u64>, of: &str| {
        let (Some(least), Some(most)) = (counts.first(), counts.last()) else { return String::new() };
        let count = if least == most {
            counted(*most, "sample")
        } else {
            format!("{} to {} samples", grouped(*least), grouped(*most))
        };
        let verb = if *most == 1 { "was" } else { "were" };
        format!(" Of {of}, {count} could not be read and {verb} left out.")
    };
    let digests: Vec<&str> = digests.into_iter().collect();
    let digests = match digests.as_slice() {
        [] => String::new(),
        [one] => format!(" The SHA-256 of all samples as runs saw them begins with {one}."),
        several => format!(" Runs saw different samples, whose SHA-256 begin with {}.", listed(several)),
    };
    of(&counts[0], "these") + &of(&counts[1], "the data of branches") + &digests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;
    use doc::RunSpec;

    fn inventory(count: usize) -> Inventory {
        let experiment = doc::Experiment::default();
        let spec = RunSpec::default();
        let inventory = experiment.looks.inventory(&spec.data, None).unwrap();
        let unreadable = (0..count).map(|at| format!("{at}.png: no picture")).collect();
        Inventory { unreadable, ..inventory }
    }

    fn record(count: usize, branch: &str) -> RunRecord {
        let report = Report { branch: branch.to_owned(), ..report(&inventory(count)) };
        RunRecord::from_events([Event::Report(report)])
    }

    #[test]
    fn a_report_has_a_row_for_each_line() {
        let inventory = inventory(0);
        let report = report(&inventory);
        assert_eq!((report.level, &report.summary), (ReportLevel::Detail, &inventory.summary()));
        assert_eq!(report.rows[1][0], "samples");
        assert_eq!(report.rows.len(), inventory.lines(false).len());
        assert!(is_of_data(&report) && count(&report).is_none());
        assert_eq!(report.place(), "Start");
    }

    #[test]
    fn a_report_counts_all_samples_that_could_not_be_read_and_lists_some() {
        let report = report(&inventory(1234));
        assert_eq!(
            report.summary,
            "Left out 1,234 samples that could not be read; the first: 0.png: no picture"
        );
        let listed = report.rows.iter().filter(|row| row[0].is_empty()).count();
        assert_eq!((listed, count(&report), report.level), (1000, Some(1234), ReportLevel::Warning));
    }

    #[test]
    fn a_paper_says_how_many_there_were() {
        assert_eq!(sentences(&[record(0, "")]), "");
        let same = [record(3, ""), record(3, "")];
        assert_eq!(sentences(&same), " Of these, 3 samples could not be read and were left out.");
        let several = [record(1, ""), record(2, ""), record(1, "noisy")];
        assert_eq!(
            sentences(&several),
            " Of these, 1 to 2 samples could not be read and were left out. Of the data of branches, 1 sample could \
             not be read and was left out."
        );
    }

    #[test]
    fn a_paper_says_which_samples_they_were_and_older_reports_stay_readable() {
        let with = |digest: &str| {
            let mut inventory = inventory(0);
            inventory.digest.samples = digest.to_owned();
            RunRecord::from_events([Event::Report(report(&inventory))])
        };
        let one = " The SHA-256 of all samples as runs saw them begins with 0123456789abcdef.";
        assert_eq!(sentences(&[with("0123456789abcdef0123"), with("0123456789abcdef0123")]), one);
        let two = " Runs saw different samples, whose SHA-256 begin with aa and bb.";
        assert_eq!(sentences(&[with("aa"), with("bb")]), two);
        let older = r#"{"event":"report","stage":"","kind":"data","summary":"Left out 1 sample that could not be read; the first: a","level":"Warning","columns":["left out"],"rows":[["a"]]}"#;
        let older = RunRecord::from_events([serde_json::from_str(older).unwrap()]);
        assert_eq!(sentences(&[older]), " Of these, 1 sample could not be read and was left out.");
    }
}
