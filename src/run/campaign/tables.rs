//! Lines of `faults.csv`, `trials.csv` and `logits.csv`.

use std::fmt::Write;

use super::Done;
use super::setup::{Identity, Setup};
use super::trial::{Outcome, Strikes};
use crate::intervene::fault::FaultRecord;
use crate::run::tables::Table;

/// More faults of one trial are not listed: the stream that they are drawn from is named instead.
pub(super) const LISTED: usize = 100_000;
/// What is said in their place.
pub(super) const TOO_MANY: &str = "faults are too many to be listed";

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
    pub fn add(&mut self, setup: &Setup, cell: usize, trial: u64, within: u64, done: &Done) {
        let Identity { name, round, step } = &setup.identity;
        let round_text = round.map_or_else(String::new, |round| round.to_string());
        let start = format!("{name},{round_text},{trial}");
        let Strikes { count, listed, .. } = &done.result.strikes;
        if *count > LISTED as u64 {
            let line = format!(
                "# {start}: {count} {TOO_MANY}; they are the draw of the stream fault {step}, {cell}, {within}\n"
            );
            self.faults += &line;
        } else {
            for (image, strike) in listed {
                let parameter = setup.name_of(strike.site.parameter);
                let record = FaultRecord::new(name, *round, trial, *image, &parameter, strike);
                writeln!(self.faults, "{record}").expect("writing to a string");
            }
        }
        self.trials += &counts(&start, cell, &done.result);
        if let Some(outcome) = &done.unprotected {
            self.unprotected += &counts(&start, cell, outcome);
        }
        self.logits.extend([&start, ",", &done.result.hash, "\n"]);
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
fn counts(start: &str, cell: usize, outcome: &Outcome) -> String {
    let tally = &outcome.tally;
    let faults = outcome.strikes.faults;
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
