//! What plots need to know about the runs, computed once for each change of their records.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::axis_columns::AxisColumns;
use super::input::{ArmSeeds, PlotInput};
use figure::plots::{ALL, campaign_stages, recorded_parameters};
use figure::view::facets::choices;
use results::RunRecord;
use results::table::columns::Column;

/// The parts of the input that all plots share.
#[derive(Clone, Debug)]
pub(super) struct PlotData {
    /// Styles and seeds, without names, which change nothing here.
    pub(super) arms: Vec<ArmSeeds>,
    pub(super) revision: u64,
    /// The plots with data in these runs.
    pub(super) concerned: Vec<&'static str>,
    /// Series that the runs have.
    pub(super) series: Vec<String>,
    /// Columns of the table of runs that can be axes.
    pub(super) columns: Arc<AxisColumns>,
    /// Parameters with recorded statistics, in the order of the network.
    pub(super) parameters: Vec<String>,
    /// The stages that have campaigns with single faults, each with its sentence.
    pub(super) stages: Vec<(String, String)>,
    /// What can split the runs into panels, with its name.
    pub(super) facets: Vec<(Column, String)>,
    /// The time of the computation, and its duration, in seconds.
    pub(super) at: f64,
    pub(super) took: f64,
}

/// What plots need to know about these runs.
pub(super) fn plot_data(input: &PlotInput, arms: Vec<ArmSeeds>, now: f64) -> PlotData {
    let began = std::time::Instant::now();
    let shown = input.borrowed();
    let records = || shown.iter().flat_map(|arm| &arm.runs).map(|(_, record)| *record);
    let concerned = ALL.iter().filter(|plot| plot.concerns(records())).map(|plot| plot.name).collect();
    let series: BTreeSet<&str> = records().flat_map(RunRecord::series).collect();
    let series: Vec<String> = series.into_iter().map(str::to_owned).collect();
    let columns = Arc::new(AxisColumns::of(&shown, &series));
    let (parameters, stages) = (recorded_parameters(&shown), campaign_stages(&shown));
    let (revision, took) = (input.revision, began.elapsed().as_secs_f64());
    let facets = choices(&shown);
    PlotData { arms, revision, concerned, series, columns, parameters, stages, facets, at: now, took }
}
