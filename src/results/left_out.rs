//! Samples that could not be read and were left out: how a run reports them, and what a paper says about them.

use std::collections::BTreeSet;

use super::event::ReportLevel;
use super::{Report, RunRecord};
use crate::form::number::{counted, grouped};

/// What reports about them are about.
const KIND: &str = "data";
const BEGIN: &str = "Left out ";
/// The most that are listed.
const MOST: usize = 1000;

/// The report of a run about samples that were left out, given by path and reason; nothing where none was.
pub fn report(left_out: &[String]) -> Option<Report> {
    let first = left_out.first()?;
    let count = counted(left_out.len() as u64, "sample");
    let summary = format!("{BEGIN}{count} that could not be read; the first: {first}");
    let rows = left_out.iter().take(MOST).map(|line| vec![line.clone()]).collect();
    let (kind, columns, level) = (KIND.to_owned(), vec!["left out".to_owned()], ReportLevel::Warning);
    Some(Report { kind, summary, level, columns, rows, ..Report::default() })
}

/// How many samples a report says were left out.
fn count(report: &Report) -> Option<u64> {
    let rest = report.summary.strip_prefix(BEGIN).filter(|_| report.kind == KIND)?;
    rest.split_once(' ')?.0.replace(',', "").parse().ok()
}

/// What a paper says about them after it has given the sizes of the data, which count files: " Of these, 3 samples could not
/// be read and were left out.". Nothing where none was.
pub fn sentence<'a>(records: impl IntoIterator<Item = &'a RunRecord>) -> String {
    let mut counts: [BTreeSet<u64>; 2] = Default::default();
    for report in records.into_iter().flat_map(RunRecord::reports) {
        counts[usize::from(!report.branch.is_empty())].extend(count(report));
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
    of(&counts[0], "these") + &of(&counts[1], "the data of branches")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Event;

    fn record(count: usize, branch: &str) -> RunRecord {
        let left_out: Vec<String> = (0..count).map(|at| format!("{at}.png: no picture")).collect();
        let report = report(&left_out).map(|report| Report { branch: branch.to_owned(), ..report });
        RunRecord::of(report.map(Event::Report))
    }

    #[test]
    fn a_report_counts_all_and_lists_some() {
        let report = report(&vec!["a.png: no picture".to_owned(); 1234]).unwrap();
        assert_eq!(
            report.summary,
            "Left out 1,234 samples that could not be read; the first: a.png: no picture"
        );
        assert_eq!((report.rows.len(), count(&report)), (1000, Some(1234)));
        assert_eq!(super::report(&[]), None);
    }

    #[test]
    fn a_paper_says_how_many_there_were() {
        assert_eq!(sentence(&[record(0, "")]), "");
        let same = [record(3, ""), record(3, "")];
        assert_eq!(sentence(&same), " Of these, 3 samples could not be read and were left out.");
        let several = [record(1, ""), record(2, ""), record(1, "noisy")];
        assert_eq!(
            sentence(&several),
            " Of these, 1 to 2 samples could not be read and were left out. Of the data of branches, 1 sample could \
             not be read and was left out."
        );
    }
}
