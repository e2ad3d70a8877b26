//! What all sections of a report share: the rows of the runs and what they are called.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use super::ReportInput;
use doc::Run;
use form::number::{counted, grouped};
use results::table::columns::{Column, usual};
use results::table::{Differing, Labels, Row};
use results::{RunRecord, RunState};

/// The input with the rows of its runs.
pub struct Material<'a> {
    pub input: &'a ReportInput<'a>,
    /// A row for each run of the report, in their order.
    pub rows: Vec<Row>,
    pub labels: Arc<Labels>,
    /// The paths of the settings in which runs differ.
    pub differing: Vec<String>,
    /// The runs that the filter of the window leaves out.
    pub left_out: BTreeSet<String>,
}

impl<'a> Material<'a> {
    /// Reads the rows off the records.
    pub fn of(input: &'a ReportInput<'a>) -> Self {
        let measured = input.view.table.measured();
        let row = |run: &Run| {
            let record = input.records.get(&run.id);
            let state = record.map_or("not run", |record| record.state().word());
            let row = Row::of(run, record, state, 0).measured(record, &measured);
            Row { mark: input.view.mark(&run.id, &run.arm), ..row }
        };
        let mut rows: Vec<Row> = input.runs.iter().map(row).collect();
        let mut found = Differing::default();
        found.give(&mut rows, &input.all.iter().collect::<Vec<_>>());
        let left_out = input.view.left_out(&rows, found.known());
        let labels = rows.first().map(|row| row.labels.clone()).unwrap_or_default();
        Self { input, rows, labels, differing: found.paths().to_vec(), left_out }
    }

    /// The title of the report.
    pub fn title(&self) -> String {
        let named = [self.input.title, &self.input.experiment.name];
        let chosen = named.into_iter().find(|name| !name.trim().is_empty());
        chosen.map_or_else(|| self.file_name(), |name| name.trim().to_owned())
    }

    /// The name of the experiment file.
    pub fn file_name(&self) -> String {
        self.input.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The columns of the table of groups.
    pub fn columns(&self) -> Vec<Column> {
        let usual = || usual(&self.rows, &self.differing);
        let mut columns = self.input.view.table.columns.clone().unwrap_or_else(usual);
        columns.retain(|column| !matches!(column, Column::Arm | Column::Run | Column::Star));
        let has_arms = self.rows.iter().any(|row| row.arm != self.rows[0].arm);
        if has_arms && !columns.contains(&Column::Delta) {
            columns.push(Column::Delta);
        }
        columns
    }

    /// The record of a run.
    pub fn record(&self, run: &Run) -> Option<&'a RunRecord> {
        self.input.records.get(&run.id)
    }

    /// The names of the arms, in the order of the document.
    pub fn arms(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.rows.iter().map(|row| row.arm.as_str()).filter(|arm| seen.insert(*arm)).collect()
    }

    /// How far the experiment has come, in a sentence: "All 9 runs are done."
    pub fn state(&self) -> String {
        let of = |word: &str| self.rows.iter().filter(|row| row.state == word).count();
        let all = self.rows.len();
        let done = of(RunState::Done.word());
        let diverged = self.rows.iter().filter(|row| row.diverged).count();
        let mut text = match (all, done) {
            (1, 1) => "The only run is done".to_owned(),
            _ if done == all => format!("All {} runs are done", grouped(all as u64)),
            _ => format!("Preliminary: {} of {} done", grouped(done as u64), counted(all, "run")),
        };
        let mut others: Vec<&str> = self.rows.iter().map(|row| row.state.as_str()).collect();
        others.sort_unstable();
        others.dedup();
        for word in others.into_iter().filter(|word| *word != RunState::Done.word()) {
            let _ = write!(text, ", {} {word}", grouped(of(word) as u64));
        }
        if diverged > 0 {
            let _ = write!(text, "; {} diverged", grouped(diverged as u64));
        }
        text + "."
    }
}
