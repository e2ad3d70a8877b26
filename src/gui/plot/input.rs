//! The input of plots: copies of arms that all plots and their threads share.

use std::sync::Arc;

use crate::figure::plots::ArmRuns;
use crate::results::RunRecord;
use crate::results::table::Row;

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
    /// The layer and the bit whose trials are listed.
    pub faults: Option<(String, u32)>,
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
        let (grouping, remark, blocked) = Default::default();
        Self { arms, filter, grouping, remark, blocked, revision, faults: None }
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
