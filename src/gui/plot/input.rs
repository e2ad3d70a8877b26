//! The input of plots: copies of arms that all plots and their threads share.

use std::sync::Arc;

use figure::plots::{ArmRuns, Plot};
use results::table::Row;
use results::{RunRecord, subject_of};

/// The input of all plots.
#[derive(Clone, Debug)]
pub struct PlotInput {
    /// The arms with their runs, in the order of the document.
    pub arms: Arc<Vec<ArmInput>>,
    /// The note about the filter in the figures; empty if all runs pass.
    pub filter: String,
    /// The setting whose values the lines stand for: "grouped by learning rate"; empty for lines of arms.
    pub grouping: String,
    /// A further note about the runs; may be empty.
    pub remark: String,
    /// Why nothing can be run now; empty where something can.
    pub blocked: String,
    /// Changes whenever a record changes.
    pub revision: u64,
    /// The faults whose trials are listed.
    pub faults: Option<ListedFaults>,
    /// Of a plot that shows one arm, what it shows: "a, storage int8, seeds 1, 2"; empty for others.
    pub subject: String,
}

/// Single faults whose trials are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFaults {
    /// Their layer.
    pub layer: String,
    /// Their bit.
    pub bit: u32,
    /// The stage with their campaign: "Stage 4"; empty for all.
    pub stage: String,
    /// The runs, by identity; empty if they do not come from a figure.
    pub runs: Vec<String>,
}

/// An arm with copies of records and rows. Records share their contents with the originals until these change.
#[derive(Clone, Debug)]
pub struct ArmInput {
    name: String,
    colour: usize,
    runs: Vec<(u64, RunRecord)>,
    rows: Vec<Row>,
    waiting: Vec<Row>,
}

impl ArmInput {
    /// Its runs with these rows.
    fn narrowed(&self, is_kept: impl Fn(&Row) -> bool) -> Self {
        let (runs, rows) = self
            .runs
            .iter()
            .zip(&self.rows)
            .filter(|(_, row)| is_kept(row))
            .map(|(run, row)| (run.clone(), row.clone()))
            .unzip();
        let waiting = self.waiting.iter().filter(|row| is_kept(row)).cloned().collect();
        Self { name: self.name.clone(), colour: self.colour, runs, rows, waiting }
    }

    fn borrowed(&self) -> ArmRuns<'_> {
        let runs = self.runs.iter().map(|(seed, record)| (*seed, record)).collect();
        let (rows, waiting) = (self.rows.iter().collect(), self.waiting.iter().collect());
        ArmRuns { name: self.name.clone(), colour: self.colour, runs, rows, waiting }
    }
}

/// Name, style and seeds of an arm.
pub type ArmKey = (String, usize, Vec<u64>);

/// Style and seeds of an arm.
pub type ArmSeeds = (usize, Vec<u64>);

impl PlotInput {
    /// Copies of these arms, without a remark.
    pub fn new(arms: &[ArmRuns<'_>], filter: String, revision: u64) -> Self {
        let owned = |rows: &[&Row]| rows.iter().map(|row| (*row).clone()).collect();
        let own = |arm: &ArmRuns<'_>| ArmInput {
            name: arm.name.clone(),
            colour: arm.colour,
            runs: arm.runs.iter().map(|(seed, record)| (*seed, (*record).clone())).collect(),
            rows: owned(&arm.rows),
            waiting: owned(&arm.waiting),
        };
        let arms = Arc::new(arms.iter().map(own).collect());
        let (grouping, remark, blocked, subject) = Default::default();
        Self { arms, filter, grouping, remark, blocked, revision, faults: None, subject }
    }

    /// The part for a plot that shows one arm: the runs that are selected, or all while none of these has data for it.
    pub fn narrowed(&self, plot: &Plot, is_selected: impl Fn(&Row) -> bool) -> Self {
        let subject = |arms: &[ArmInput]| {
            let runs = arms.iter().flat_map(|arm| arm.runs.iter().zip(&arm.rows));
            let about = runs.filter(|((_, record), _)| plot.concerns(std::iter::once(record)));
            subject_of(about.map(|(_, row)| (row.arm_index, row.arm.as_str(), row.seed)))
        };
        let selected = self.arms.iter().map(|arm| arm.narrowed(&is_selected)).collect::<Vec<_>>();
        match subject(&selected) {
            nothing if nothing.is_empty() => Self { subject: subject(&self.arms), ..self.clone() },
            subject => Self { arms: Arc::new(selected), subject, ..self.clone() },
        }
    }

    /// The note in the small print of figures: filter and remark.
    pub fn note(&self) -> String {
        let parts = [self.filter.as_str(), self.remark.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The arms as plots take them.
    pub fn borrowed(&self) -> Vec<ArmRuns<'_>> {
        self.arms.iter().map(ArmInput::borrowed).collect()
    }

    /// Identifies the lines.
    pub(super) fn lines(&self) -> Vec<ArmKey> {
        let line = |arm: &ArmInput| {
            let seeds = arm.runs.iter().map(|run| run.0).collect();
            (arm.name.clone(), arm.colour, seeds)
        };
        self.arms.iter().map(line).collect()
    }

    /// The same without names.
    pub(super) fn seeds(&self) -> Vec<ArmSeeds> {
        self.arms.iter().map(|arm| (arm.colour, arm.runs.iter().map(|run| run.0).collect())).collect()
    }

    /// The number of points of all records.
    pub(super) fn points(&self) -> usize {
        self.arms.iter().flat_map(|arm| &arm.runs).map(|(_, record)| record.points().len()).sum()
    }
}
