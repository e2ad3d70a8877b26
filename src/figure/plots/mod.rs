//! The plots: figures that are built from the records of runs.
//!
//! A plot is one file with a type that implements [`Plot`], and one line in [`ALL`]. The window shows each as a tab,
//! `weightlab export --figure NAME` writes the same figure to a file.

mod accuracy;
mod campaigns;
mod classes;
mod curves;
mod fault_rate;
mod line;
mod loss;
mod members;
mod outcomes;
mod parallel;
mod past;
mod remaining;
mod series;
mod smooth;
mod vulnerability;

use std::collections::BTreeSet;

use super::model::{Axis, Figure};
use crate::doc::capitalised;
use crate::results::RunRecord;
use crate::results::table::Row;
use crate::results::view::{PlotOptions, XAxis};
pub use vulnerability::struck_arm;

/// The registry, in the order of the tabs.
pub const ALL: &[&dyn Plot] = &[
    &accuracy::Accuracy,
    &loss::Loss,
    &remaining::Remaining,
    &past::Past,
    &members::Members,
    &members::MemberDistance,
    &line::LineError,
    &line::LineLoss,
    &fault_rate::FaultRate,
    &outcomes::OutcomesByBit,
    &outcomes::OutcomesByLayer,
    &vulnerability::Vulnerability,
    &classes::Classes,
    &parallel::Parallel,
];

/// A kind of figure over runs.
pub trait Plot: Sync {
    /// What `--figure` calls it: "accuracy".
    fn name(&self) -> &'static str;
    /// What its tab says: "Accuracy".
    fn title(&self) -> &'static str;
    /// What its lines are, to end "curves of …": "test accuracy".
    fn subject(&self) -> &'static str;
    /// What it shows, which question it answers, how to read it and what it needs, in two to six sentences; what stands
    /// before the first full stop is the tooltip too.
    fn help(&self) -> &'static str;
    /// The figure of what is known by now. Arms without points do not appear; [`Figure::has_data`] is false when no
    /// arm has any.
    fn build(&self, arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure;
    /// What can be chosen about it.
    fn controls(&self) -> Controls {
        Controls::ALL
    }
    /// The series that its tab waits for, any of them; none for a plot of every experiment.
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }
    /// Whether a run has something for it: by default, points of a series that it needs.
    fn is_about(&self, record: &RunRecord) -> bool {
        self.needs().iter().any(|series| record.points_of(series).next().is_some())
    }
    /// The layer and the bit of a cell, by row and column of its figure, whose faults can be looked at.
    fn struck(&self, _figure: &Figure, _cell: [usize; 2]) -> Option<(String, u32)> {
        None
    }
    /// Why it would be empty for runs that it is not about.
    fn lacks(&self) -> &'static str {
        "these runs have no results for it"
    }
}

/// What can be chosen about a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controls {
    /// What its x axis is, where it is always the same; nothing where it can be chosen.
    pub own_x: Option<&'static str>,
    /// Whether its lines can be smoothed.
    pub smooths: bool,
    /// Whether it shows means over seeds with a band and single runs behind them.
    pub averages: bool,
}

impl Controls {
    /// Of curves: everything.
    pub const ALL: Self = Self { own_x: None, smooths: true, averages: true };

    /// Of means over an axis that is always the same.
    pub const fn of_means(own_x: &'static str) -> Self {
        Self { own_x: Some(own_x), smooths: false, averages: true }
    }

    /// Of what has neither curves nor means.
    pub const fn fixed(own_x: &'static str) -> Self {
        Self { own_x: Some(own_x), smooths: false, averages: false }
    }
}

/// Whether a plot has something to do with these arms: its tab is left out otherwise.
pub fn concerns(plot: &dyn Plot, arms: &[ArmRuns<'_>]) -> bool {
    let mut records = arms.iter().flat_map(|arm| &arm.runs);
    plot.needs().is_empty() || records.any(|(_, record)| plot.is_about(record))
}

/// The plot that `--figure` calls by this name.
pub fn find(name: &str) -> Option<&'static dyn Plot> {
    ALL.iter().copied().find(|plot| plot.name() == name)
}

/// The runs of a line: those of an arm, one for each seed, or of all arms with the same value of a setting.
#[derive(Clone, Debug, Default)]
pub struct ArmRuns<'a> {
    /// What the legend calls it.
    pub name: String,
    /// Its style in every figure: the index for [`style_of`](super::style_of).
    pub colour: usize,
    /// Seed and record.
    pub runs: Vec<(u64, &'a RunRecord)>,
    /// What the table says of each of the runs, in their order: settings, results, names of classes.
    pub rows: Vec<&'a Row>,
}

impl ArmRuns<'_> {
    /// How many arms of the document are behind it: more than one where a setting makes the lines.
    pub fn pooled(&self) -> usize {
        let names: BTreeSet<&str> = self.rows.iter().map(|row| row.arm.as_str()).collect();
        names.len().max(1)
    }

    /// What tells its runs apart: the seed, behind the arm where several are pooled.
    pub fn run_names(&self) -> Vec<String> {
        let is_pooled = self.pooled() > 1;
        let name = |(index, (seed, _)): (usize, &(u64, &RunRecord))| match self.rows.get(index) {
            Some(row) if is_pooled => format!("{}, seed {seed}", row.arm),
            _ => format!("seed {seed}"),
        };
        self.runs.iter().enumerate().map(name).collect()
    }
}

const REMAINING: &str = "Remaining weights";

impl XAxis {
    /// All that every run has, for menus.
    pub const ALL: [Self; 4] = [Self::Epoch, Self::Iteration, Self::Remaining, Self::Seconds];

    /// What menus and the axis call it.
    pub fn label(&self) -> String {
        match self {
            Self::Epoch => "Epochs trained".to_owned(),
            Self::Iteration => "Iterations trained".to_owned(),
            Self::Remaining => REMAINING.to_owned(),
            Self::Seconds => "Wall time".to_owned(),
            Self::Series(name) => in_words(name),
        }
    }

    /// The axis of a figure. Remaining weights are logarithmic and reversed, so that it reads from 100 % down.
    pub fn axis(&self) -> Axis {
        match self {
            Self::Remaining => Axis { reversed: true, ..Axis::percent(&self.label()).log() },
            Self::Seconds => Axis::new(&self.label(), "s"),
            Self::Series(name) if name.ends_with("accuracy") => Axis::percent(&self.label()),
            Self::Epoch | Self::Iteration | Self::Series(_) => Axis::new(&self.label(), ""),
        }
    }
}

/// The name of a series as people write it: "Test accuracy".
pub fn in_words(series: &str) -> String {
    capitalised(&series.replace('_', " "))
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plot_is_found_by_its_name_and_explains_itself() {
        for plot in ALL {
            assert_eq!(find(plot.name()).map(Plot::title), Some(plot.title()));
            assert!(plot.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
            assert!(plot.help().ends_with('.'));
        }
        assert!(find("nothing").is_none());
    }

    #[test]
    fn without_runs_every_plot_is_a_figure_without_data() {
        for plot in ALL {
            assert!(!plot.build(&[], &PlotOptions::default()).has_data(), "{}", plot.name());
        }
    }

    #[test]
    fn a_plot_of_special_series_concerns_only_those_who_have_them() {
        let plain = testing::record([testing::at("test_accuracy", 1.0, 0.5)]);
        let watched = testing::record([testing::at("past_kl", 1.0, 0.5)]);
        let concerned = |record| {
            let arms =
                [ArmRuns { name: "a".to_owned(), colour: 0, runs: vec![(1, record)], ..ArmRuns::default() }];
            let plots = ALL.iter().filter(|plot| concerns(**plot, &arms));
            plots.map(|plot| plot.name()).collect::<Vec<_>>()
        };
        assert_eq!(concerned(&plain), ["accuracy", "loss", "parallel"]);
        assert_eq!(concerned(&watched), ["accuracy", "loss", "past"]);
    }

    #[test]
    fn the_axis_of_remaining_weights_reads_from_a_hundred_percent_down() {
        let axis = XAxis::Remaining.axis();
        assert!(axis.reversed);
        assert_eq!(axis.label(), "Remaining weights (%)");
        assert_eq!(XAxis::Seconds.axis().label(), "Wall time (s)");
    }
}
