//! The lines that the rows make in plots.

use std::collections::BTreeMap;

use super::Compare;
use super::rows::listed;
use crate::runs::Runs;
use crate::text::counted;
use crate::treatment::Treatment;
use doc::Run;
use figure::plots::ArmRuns;
use figure::view::{Drawn, lines_of};
use results::RunRecord;
use results::colours::{OUTDATED, muted};
use results::table::columns::Column;

impl Compare {
    /// What plots show: the runs that the filter leaves, by arm or by the setting that groups them. Outdated runs
    /// that stand for others have separate lines; a setting does not group them, since they had another value of it.
    pub fn arm_runs<'a>(&'a self, treatments: &[Treatment], runs: &'a Runs) -> Vec<ArmRuns<'a>> {
        let shows_outdated = self.view.group.is_none();
        self.lines(treatments, runs, |run| runs.outdated(run).filter(|_| shows_outdated))
    }

    /// The same without outdated runs: what the command line finds.
    pub fn own_runs<'a>(&'a self, treatments: &[Treatment], runs: &'a Runs) -> Vec<ArmRuns<'a>> {
        self.lines(treatments, runs, |_| None)
    }

    fn lines<'a>(
        &'a self,
        treatments: &[Treatment],
        runs: &'a Runs,
        outdated: impl Fn(&Run) -> Option<&'a RunRecord>,
    ) -> Vec<ArmRuns<'a>> {
        // Outdated runs of one line have read the same files.
        let mut differences: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
        // Rows are those of the treatments, run by run.
        let drawn = listed(treatments).zip(&*self.rows).map(|((treatment, run), row)| {
            let (seed, is_left_out) = (run.seed, self.left_out.contains(&run.id));
            if let (Some(record), Some(row)) = (outdated(run), self.outdated.get(&run.id)) {
                // The mark comes before the name: the end of a long name is cut off.
                let (known, difference) =
                    (differences.entry(&treatment.name).or_default(), runs.changed_inputs(run));
                let place = known.iter().position(|known| *known == difference).unwrap_or_else(|| {
                    known.push(difference);
                    known.len() - 1
                });
                let which = if place == 0 { String::new() } else { format!(" (other files, {})", place + 1) };
                let line = format!("{OUTDATED}{}{which}", treatment.name);
                let record = Some(record).filter(|_| !is_left_out);
                return Drawn { line, colour: muted(treatment.colour), seed, record, row };
            }
            let record = runs.record(&run.id).filter(|_| !is_left_out);
            let own = || (treatment.name.clone(), treatment.colour);
            let (line, colour) = self.lines.get(&run.id).cloned().unwrap_or_else(own);
            Drawn { line, colour, seed, record, row }
        });
        lines_of(drawn, self.view.group.is_some())
    }

    /// How many of the runs that the filter leaves have outdated results only.
    pub fn outdated_count(&self) -> usize {
        self.outdated.keys().filter(|run| !self.left_out.contains(*run)).count()
    }

    /// The note about outdated runs in plots; empty where there are none.
    pub fn outdated_note(&self) -> String {
        let what = if self.view.group.is_some() { "left out" } else { "shown here only, not in exports" };
        match self.outdated_count() {
            0 => String::new(),
            count => format!("{} {what}", counted(count, "outdated run")),
        }
    }

    /// What makes the lines of plots, for a chip in them; empty for arms.
    pub fn grouping_note(&self) -> String {
        let column = self.view.group.clone().map(Column::Setting);
        column.map_or_else(String::new, |column| format!("grouped by {}", column.title(&self.labels())))
    }

    /// The note about the filter in figures.
    pub fn filter_note(&self) -> String {
        self.view.filter_note(&self.rows, &self.left_out)
    }
}
