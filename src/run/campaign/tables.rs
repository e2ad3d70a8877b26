//! Lines of `faults.csv`, `trials.csv` and `logits.csv`.

use std::fmt::Write;

use super::TrialResult;
use super::identity::Identity;
use super::setup::Setup;
use super::trial::{InjectedFaults, TrialOutcome};
use crate::intervene::fault::log::{LONGEST_TRIAL, Logged, LoggedFault, LongDraw, Row};
use crate::run::tables::Table;

/// Lines of some trials.
#[derive(Debug, Default)]
pub(super) struct Lines {
    faults: String,
    trials: String,
    unprotected: String,
    logits: String,
}

impl Lines {
    /// Adds a trial; `within` is its number in the cell.
    pub fn add(&mut self, setup: &Setup, cell: usize, trial: u64, within: u64, result: &TrialResult) {
        let Identity { name, round, .. } = &setup.identity;
        let mut log = |image, logged| {
            let row = Row { campaign: name.into(), round: *round, trial, image, logged };
            writeln!(self.faults, "{row}").expect("writing to a string");
        };
        let InjectedFaults { count, listed, .. } = &result.outcome.injected;
        if *count > LONGEST_TRIAL {
            log(None, Logged::Draw(LongDraw { faults: *count, stream: setup.counters(cell, within) }));
        } else {
            for (image, fault) in listed {
                let name = setup.name_of(fault.site.parameter);
                log(*image, Logged::Fault(LoggedFault::new(name, fault)));
            }
        }
        let round = round.map_or_else(String::new, |round| round.to_string());
        let start = format!("{name},{round},{trial}");
        self.trials += &counts(&start, cell, &result.outcome);
        if let Some(outcome) = &result.unprotected {
            self.unprotected += &counts(&start, cell, outcome);
        }
        self.logits.extend([&start, ",", &result.outcome.hash, "\n"]);
    }

    /// The tables with their lines, those that have none left out.
    pub fn tables(&self) -> impl Iterator<Item = (Table, &str)> {
        let all = [
            (Table::Faults, self.faults.as_str()),
            (Table::Trials, &self.trials),
            (Table::Unprotected, &self.unprotected),
            (Table::Logits, &self.logits),
        ];
        all.into_iter().filter(|(_, lines)| !lines.is_empty())
    }
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
