//! Lines of `faults.csv`, `trials.csv` and `logits.csv`.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::TrialResult;
use super::identity::Identity;
use super::setup::Setup;
use super::trial::{InjectedFaults, TrialOutcome};
use crate::tables::Table;
use intervene::fault::log::{LONGEST_TRIAL, Logged, LoggedFault, Row};

/// Lines of some trials, by table.
pub(super) type Lines = BTreeMap<Table, String>;

/// Adds a trial of a cell; `within` is its number there.
pub(super) fn add(
    lines: &mut Lines,
    setup: &Setup,
    cell: usize,
    [trial, within]: [u64; 2],
    result: &TrialResult,
) {
    let Identity { name, round, .. } = &setup.identity;
    let mut log = |image, logged| {
        let row = Row { campaign: name.into(), round: *round, trial, image, logged };
        writeln!(lines.entry(Table::Faults).or_default(), "{row}").expect("writing to a string");
    };
    let InjectedFaults { count, listed, .. } = &result.outcome.injected;
    if *count > LONGEST_TRIAL {
        log(None, Logged::Draw { faults: *count, stream: setup.counters(cell, within) });
    } else {
        for (image, fault) in listed {
            let name = setup.name_of(fault.site.parameter);
            log(*image, Logged::Fault(LoggedFault::new(name, fault)));
        }
    }
    let round = round.map_or_else(String::new, |round| round.to_string());
    let start = format!("{name},{round},{trial}");
    *lines.entry(Table::Trials).or_default() += &counts(&start, cell, &result.outcome);
    if let Some(outcome) = &result.unprotected {
        *lines.entry(Table::Unprotected).or_default() += &counts(&start, cell, outcome);
    }
    lines.entry(Table::Logits).or_default().extend([&start, ",", &result.outcome.hash, "\n"]);
}

/// The counts of a trial as a line.
fn counts(start: &str, cell: usize, outcome: &TrialOutcome) -> String {
    let tally = &outcome.tally;
    let faults = outcome.injected.faults;
    format!(
        "{start},{cell},{faults},{},{},{},{},{},{},{},{},{}\n",
        tally.images,
        tally.masked,
        tally.benign,
        tally.sdc1,
        tally.sdc5,
        tally.due,
        tally.corrected,
        tally.lost,
        tally.accuracy()
    )
}
