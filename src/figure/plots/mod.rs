//! The plots: figures built from the records of runs.
//!
//! A plot is one file with a constant [`Plot`], and one line in [`ALL`]. The window shows each plot as a tab;
//! `weightlab export --figure NAME` writes the same figure to a file.

mod accuracy;
mod campaigns;
mod classes;
mod curves;
mod fault_rate;
mod line;
mod loss;
mod members;
mod metric;
mod outcomes;
mod parallel_coordinates;
mod past;
mod remaining;
mod rounds;
mod series;
mod values;
mod vulnerability;
mod weights;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::axis::Axis;
use super::model::{Figure, Seeds};
pub use campaigns::campaign_choices;
use results::table::Row;
use results::tiles::Group;
use results::view::{PlotOptions, PlotView, REMAINING, XAxis};
use results::{RunRecord, Split};
pub use rounds::in_panels;
pub use weights::parameters as recorded_parameters;

/// The registry, in the order of the tabs.
pub static ALL: &[Plot] = &[
    accuracy::PLOT,
    loss::PLOT,
    metric::PLOT,
    remaining::PLOT,
    accuracy::BY_ROUND,
    past::PLOT,
    members::MEMBERS,
    members::MEMBER_DISTANCE,
    line::LINE_ERROR,
    line::LINE_LOSS,
    fault_rate::PLOT,
    outcomes::BY_BIT,
    outcomes::BY_LAYER,
    vulnerability::PLOT,
    classes::PLOT,
    parallel_coordinates::PLOT,
    weights::PLOT,
];

/// A kind of figure over runs.
#[derive(Debug)]
pub struct Plot {
    /// Its name for `--figure`: "accuracy".
    pub name: &'static str,
    pub title: &'static str,
    pub group: Group,
    /// The subject of its lines, to complete "curves of …": "test accuracy".
    pub subject: &'static str,
    /// Its question, how to read it and what it needs, in two to six sentences. The first statement is also the tooltip.
    pub help: &'static str,
    pub controls: Controls,
    /// The figure of the results so far. Arms without points do not appear; without any points, [`Figure::has_data`] is
    /// false.
    pub build: fn(&[ArmRuns], &PlotOptions) -> Figure,
    /// Names in its legend that are hidden until somebody shows them.
    pub hidden: &'static [&'static str],
    /// True if a run has data for it, which makes its tab appear; `None` for one that is always there.
    pub has_data_of: Option<fn(&RunRecord) -> bool>,
    /// The layer and bit of a cell, by row and column of the figure, whose trials can be opened.
    pub injected_at: fn(&Figure, [usize; 2]) -> Option<(String, u32)>,
    pub lacks: &'static str,
}

impl Plot {
    /// The values of fields that most plots leave out.
    pub const BASE: Self = Self {
        name: "",
        title: "",
        group: Group::Curves,
        subject: "",
        help: "",
        controls: Controls::ALL,
        build: |_, _| Figure::default(),
        hidden: &[],
        has_data_of: None,
        injected_at: |_, _| None,
        lacks: "these runs have no results for it",
    };

    /// Returns its view until somebody changes it.
    pub fn view(&self) -> PlotView {
        let hidden = self.hidden.iter().map(|name| (*name).to_owned()).collect();
        PlotView { hidden, ..PlotView::default() }
    }

    /// Returns true if it applies to any of these runs; otherwise its tab is hidden.
    pub fn concerns<'a>(&self, mut records: impl Iterator<Item = &'a RunRecord>) -> bool {
        self.has_data_of.is_none_or(|has| records.any(has))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each switch applies by itself")]
pub struct Controls {
    /// The title of its x axis if that is fixed.
    pub own_x: Option<&'static str>,
    pub smooths: bool,
    /// True if it shows means over seeds with bands and single runs.
    pub averages: bool,
    pub columns: bool,
    /// True if it can have a line for each training of a plan; of recorded weights, only where they are of one layer.
    pub rounds: bool,
    /// True if it shows a recorded statistic of weights, of one layer or of one arm.
    pub weights: bool,
    /// True if it shows the faults of one arm: what is selected, with a panel for each of several settings or arms; and
    /// one campaign of several.
    pub one_arm: bool,
}

impl Controls {
    pub const ALL: Self =
        Self { own_x: None, smooths: true, averages: true, rounds: true, ..Self::fixed("") };

    /// Returns those of means over a fixed axis.
    pub const fn of_means(own_x: &'static str) -> Self {
        Self { averages: true, ..Self::fixed(own_x) }
    }

    pub const OF_COLUMNS: Self = Self { columns: true, ..Self::of_means("Setting or result") };

    /// Returns those of plots with neither curves nor means.
    pub const fn fixed(own_x: &'static str) -> Self {
        Self {
            own_x: Some(own_x),
            smooths: false,
            averages: false,
            columns: false,
            rounds: false,
            weights: false,
            one_arm: false,
        }
    }

    /// Returns those of plots of the faults of one arm.
    pub const fn of_arm(own_x: &'static str) -> Self {
        Self { one_arm: true, ..Self::fixed(own_x) }
    }

    /// Returns true if single seeds are drawn only where somebody wants them; dots over a setting are always there.
    pub const fn can_hide_seeds(&self) -> bool {
        self.averages && !self.columns
    }
}

pub fn find(name: &str) -> Option<&'static Plot> {
    ALL.iter().find(|plot| plot.name == name)
}

/// The runs of a line: those of an arm, one for each seed, or those of all arms with the same value of a setting. A copy is
/// cheap: records and rows share their contents.
#[derive(Clone, Debug, Default)]
pub struct ArmRuns {
    pub name: String,
    /// The index of its style for [`style_of`](super::style_of), the same in every figure.
    pub colour: usize,
    pub runs: Vec<(u64, RunRecord)>,
    /// The rows of these runs in the table of runs, in the same order: settings, results, names of classes.
    pub rows: Vec<Arc<Row>>,
    /// The rows of its runs that no mean is over: they have not begun, or the filter leaves them out.
    pub waiting: Vec<Arc<Row>>,
}

impl ArmRuns {
    /// Returns the number of its arms: more than one if lines stand for values of a setting.
    pub fn pooled(&self) -> usize {
        let names: BTreeSet<&str> = self.rows.iter().map(|row| row.arm.as_str()).collect();
        names.len().max(1)
    }

    /// Splits values into those of the mean and those beside it. `run` is the place of a value's run in
    /// [`runs`](Self::runs).
    fn split<T>(&self, values: impl IntoIterator<Item = T>, run: impl Fn(&T) -> usize) -> Split<T> {
        let goes_on = |(_, record): &(u64, RunRecord)| record.state().goes_on();
        Split::new(values, |value| self.runs.get(run(value)).is_some_and(goes_on))
    }

    /// Returns the seeds of a mean while others are to come or are left out. Pooled arms have no number of them: runs with
    /// one seed are no replicates.
    fn seeds<T>(&self, split: &Split<T>) -> Option<Seeds> {
        let is_over =
            |(_, record): &&(u64, RunRecord)| !record.state().goes_on() && !record.points().is_empty();
        let over = self.runs.iter().filter(is_over).count();
        let all = self.runs.len() + self.waiting.len();
        let mut rows = self.rows.iter().chain(&self.waiting);
        let first = rows.next();
        let planned = if rows.all(|row| Some(&row.arm) == first.map(|first| &first.arm)) { all } else { 0 };
        (over < all).then(|| Seeds { done: split.finished(), planned, running: split.beside.len() })
    }

    /// Names its runs: the seed, after the arm if several are pooled.
    pub fn run_names(&self) -> Vec<String> {
        let is_pooled = self.pooled() > 1;
        let name = |(index, (seed, _)): (usize, &(u64, RunRecord))| match self.rows.get(index) {
            Some(row) if is_pooled => doc::named(&row.arm, *seed),
            _ => format!("seed {seed}"),
        };
        self.runs.iter().enumerate().map(name).collect()
    }
}

/// Returns the axis of a figure. Remaining weights are logarithmic and reversed: they start at 100 %.
pub fn x_axis(x: &XAxis) -> Axis {
    match x {
        XAxis::Remaining => Axis { reversed: true, ..Axis::percent(&x.label()).log() },
        XAxis::Seconds | XAxis::Clock => Axis::new(&x.label(), "s"),
        XAxis::Series(name) if name.ends_with("accuracy") => Axis::percent(&x.label()),
        XAxis::Epoch | XAxis::Training | XAxis::Iteration | XAxis::Series(_) => Axis::new(&x.label(), ""),
    }
}

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may stop with a panic and say why")]
pub mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plot_is_found_by_its_name_and_explains_itself() {
        for plot in ALL {
            assert_eq!(find(plot.name).map(|found| found.title), Some(plot.title));
            assert!(plot.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
            assert!(ALL.iter().filter(|other| other.name == plot.name).count() == 1, "{}", plot.name);
            assert!(![plot.name, plot.title, plot.subject].contains(&""), "{}", plot.name);
            assert!(plot.build as usize != Plot::BASE.build as usize, "{}", plot.name);
            assert!(plot.help.ends_with('.'));
        }
        assert!(find("nothing").is_none());
    }

    #[test]
    fn without_runs_every_plot_is_a_figure_without_data() {
        for plot in ALL {
            assert!(!(plot.build)(&[], &PlotOptions::default()).has_data(), "{}", plot.name);
        }
    }

    #[test]
    fn a_plot_of_special_series_concerns_only_those_who_have_them() {
        let plain = testing::record([testing::at("test_accuracy", 1.0, 0.5)]);
        let watched = testing::record([testing::at("past_kl", 1.0, 0.5)]);
        let concerned = |record| {
            let plots = ALL.iter().filter(|plot| plot.concerns(std::iter::once(record)));
            plots.map(|plot| plot.name).collect::<Vec<_>>()
        };
        assert_eq!(concerned(&plain), ["accuracy", "loss", "metric", "parallel"]);
        assert_eq!(concerned(&watched), ["accuracy", "loss", "metric", "past"]);
    }

    #[test]
    fn the_axis_of_remaining_weights_reads_from_a_hundred_percent_down() {
        let axis = x_axis(&XAxis::Remaining);
        assert!(axis.reversed);
        assert_eq!(axis.label(), "Weights remaining (%)");
        assert_eq!(x_axis(&XAxis::Seconds).label(), "Wall time (s)");
    }
}
