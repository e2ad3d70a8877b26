//! How results are shown: settings in `view.json` next to the runs, never part of a run's identity.
//!
//! The window writes it, and the command line reads it, so that both make the same figure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::colours::Colours;
use super::facets::FacetSettings;
use super::metric::MetricAxes;
use super::rounds::Levels;
use super::statistics::Spread;
use super::table::columns::{Column, Sort};
use super::table::filter::Filter;
use super::table::settings::{self, short};
use super::table::view::TableSettings;
use super::table::{Mark, Row};
use super::tiles::Tiles;
use super::weights::{WeightLines, parts};
use super::{by_key, is_default};
use doc::file::{read_kept, write_kept};
use doc::{Run, capitalised, listed};
use form::number::grouped;

pub use super::page::{PageStyle, Preset};

/// The file in the folder of the runs, without its ending.
pub const NAME: &str = "view";

/// The view settings of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewSettings {
    /// Axes, bands and smoothing of all plots.
    pub options: PlotOptions,
    /// The settings of single plots, by their names.
    pub plots: BTreeMap<String, PlotView>,
    /// Which runs are shown, as [`Filter`] reads it.
    pub filter: String,
    /// The order of the table of runs.
    pub sort: Sort,
    /// The columns, groups and named filters of the table of runs.
    pub table: TableSettings,
    /// The setting whose values make the lines of plots, by its path; arms do when there is none.
    pub group: Option<String>,
    /// True if zooming along x shows the same range in all plots.
    pub linked: bool,
    /// The paper of exported figures.
    pub size: Preset,
    /// Dots per inch of exported pictures; 300 when there is none.
    pub dpi: Option<u32>,
    /// Text, legend and look of exported figures.
    #[serde(skip_serializing_if = "is_default")]
    pub page: PageStyle,
    /// The styles of arms.
    pub colours: Colours,
    /// The names of the arms, with their swept values, that marks and colours are of: a file may be older or newer than the
    /// document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<String>,
    /// Marks of runs, by their identity, and of arms, by `arm:` and their name.
    pub marks: BTreeMap<String, Mark>,
    /// Notes on the whole experiment.
    pub notes: String,
    /// The layout of the views; nothing for the default.
    pub tiles: Option<Tiles>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlotOptions {
    /// The horizontal axis.
    pub x: XAxis,
    /// The spread in the band around a mean.
    pub band: Spread,
    /// The lines with a band in the window.
    pub bands: BandChoice,
    /// True if the single runs are drawn faintly behind their mean, if they are not too many.
    pub traces: bool,
    /// Weight of the past in the moving average, in [0, 1); 0 leaves the values as they are.
    pub smoothing: f64,
    /// The columns that were chosen for the table of runs, which readings and parallel axes show; kept with the table.
    #[serde(skip)]
    pub columns: Option<Vec<Column>>,
    /// Which trainings of a plan have lines where x is the epoch within a training.
    pub levels: Levels,
    /// With [`Levels::Chosen`], their numbers, from 1; those that a plan lacks do not matter.
    pub rounds: Vec<usize>,
    /// The axes of results over settings.
    pub metric: MetricAxes,
    /// The lines of the plot of recorded weights.
    pub weights: WeightLines,
    /// The arm of a plot that shows one; without, the first that has data. The window has the selected one here.
    #[serde(skip)]
    pub arm: Option<String>,
    /// True if plots of faults show all arms in the window, instead of what is selected there.
    pub all_arms: bool,
    /// The campaigns that plots of single faults show, by what they vary, such as "bits of conv1", or by their stage, such
    /// as "Stage 4"; the first ones where there are none of them.
    pub campaign: Option<String>,
}

impl PlotOptions {
    /// Returns the options for a plot that has no lines by round: over all epochs instead of those of a training.
    pub fn without_rounds(&self) -> Self {
        let x = if self.x == XAxis::Training { XAxis::Epoch } else { self.x.clone() };
        Self { x, ..self.clone() }
    }
}

/// The lines with a band in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BandChoice {
    /// None; the ends of the lines still have their intervals.
    None,
    /// Those of all arms at a few points, otherwise that of the selected arm.
    #[default]
    Selected,
    /// Those of all arms.
    All,
}

impl BandChoice {
    /// All, for menus.
    pub const ALL: [Self; 3] = [Self::Selected, Self::All, Self::None];

    /// Returns its name in menus.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "no arm",
            Self::Selected => "selected arm",
            Self::All => "all arms",
        }
    }
}

/// The horizontal axis of curves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum XAxis {
    /// Epochs trained in all; never goes back.
    #[default]
    Epoch,
    /// Epochs since the start of a training, with a line for each training of the plan.
    Training,
    /// Mini-batches trained in all; never goes back.
    Iteration,
    /// Share of the weights that remain: the last value at each level.
    Remaining,
    /// Wall time of the run; of several runs, the mean.
    Seconds,
    /// Time by the clock since the run began, with its pauses and interruptions.
    Clock,
    /// Another series of the same run, by its name: its last value when the point was measured.
    Series(String),
}

/// The title of the axis of [`XAxis::Remaining`].
pub const REMAINING: &str = "Weights remaining";

impl XAxis {
    /// The axes that every run has, for menus. The time by the clock is for the command line.
    pub const ALL: [Self; 5] = [Self::Epoch, Self::Training, Self::Iteration, Self::Remaining, Self::Seconds];

    /// Returns its name in menus and on the axis.
    pub fn label(&self) -> String {
        match self {
            Self::Epoch => "Epochs trained".to_owned(),
            Self::Training => "Epochs in this training".to_owned(),
            Self::Iteration => "Iterations trained".to_owned(),
            Self::Remaining => REMAINING.to_owned(),
            Self::Seconds => "Wall time".to_owned(),
            Self::Clock => "Time since the start".to_owned(),
            Self::Series(name) => in_words(name),
        }
    }
}

/// Returns the name of a series in words: "Test accuracy", "fc1.weight: L2 norm".
pub fn in_words(series: &str) -> String {
    if let Some(measure) = series.strip_prefix("campaign_") {
        let (measure, rest) = match measure.strip_suffix("_unprotected") {
            Some(measure) => (measure, ", unprotected"),
            None => (measure, ""),
        };
        let words = match measure {
            "sdc1" => "SDC-1 rate",
            "due" => "DUE rate",
            "masked" => "Masked rate",
            "accuracy" => "Accuracy under faults",
            _ => return capitalised(&series.replace('_', " ")),
        };
        return format!("{words}{rest}");
    }
    if let Some((parameter, measure)) = parts(series) {
        return format!("{parameter}: {}", measure.label());
    }
    capitalised(&series.replace('_', " "))
}

/// The view settings of one plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlotView {
    /// Above the plot.
    pub title: String,
    /// Instead of the plot's own title of x; empty for that.
    pub x_title: String,
    /// Instead of the plot's own title of y; empty for that.
    pub y_title: String,
    /// True for a logarithmic horizontal axis; `None` leaves that to the plot.
    pub log_x: Option<bool>,
    /// True for a logarithmic vertical axis.
    pub log_y: Option<bool>,
    /// True if the vertical range leaves out the outermost hundredths of the values.
    pub ignore_outliers: bool,
    /// The settings whose values have panels.
    #[serde(skip_serializing_if = "is_default")]
    pub facets: FacetSettings,
    /// Names in the legend that are not drawn.
    pub hidden: BTreeSet<String>,
    /// The visible range of x; nothing for all of it.
    pub x: Option<[f64; 2]>,
    /// The visible range of y.
    pub y: Option<[f64; 2]>,
    /// Of parallel axes by their label: runs that lie outside of these ranges are not drawn.
    #[serde(skip_serializing_if = "Brushes::is_empty")]
    pub brushes: Brushes,
}

/// Ranges of values by the label of a parallel axis.
pub type Brushes = BTreeMap<String, [f64; 2]>;

impl ViewSettings {
    /// Reads the file in a folder of runs; the default where there is none.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let read = read_kept(folder, NAME).map(Option::unwrap_or_default);
        read.map_err(|why| format!("{why}; view settings have their defaults"))
    }

    /// Writes the file in a folder of runs.
    ///
    /// # Errors
    /// The system's error.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        write_kept(folder, NAME, self)
    }

    /// Returns the marks of a run and of its arm together.
    pub fn mark(&self, run: &str, arm: &str) -> Mark {
        let mut mark = self.marks.get(run).cloned().unwrap_or_default();
        if let Some(of_arm) = self.marks.get(&arm_key(arm)) {
            mark.starred |= of_arm.starred;
            for tag in &of_arm.tags {
                if !mark.tags.contains(tag) {
                    mark.tags.push(tag.clone());
                }
            }
            if mark.note.is_empty() {
                mark.note.clone_from(&of_arm.note);
            }
        }
        mark
    }

    /// Returns the runs that the filter leaves out, by identity; none while the filter has an error.
    pub fn left_out(&self, rows: &[Row], settings: &[String]) -> BTreeSet<String> {
        let filter = Filter::parse(&self.filter, settings).unwrap_or_default();
        rows.iter().filter(|row| !filter.holds(row)).map(|row| row.run.clone()).collect()
    }

    /// Returns the note of figures on the filter where it leaves out some of these runs; otherwise empty.
    pub fn filter_note(&self, rows: &[Row], left_out: &BTreeSet<String>) -> String {
        if left_out.is_empty() {
            return String::new();
        }
        // Arms may share a run, which has a row in each.
        let left = rows.iter().filter(|row| !left_out.contains(&row.run)).count();
        let [left, all] = [left, rows.len()].map(|count| grouped(count as u64));
        format!("filter: {} ({left} of {all} runs)", self.filter.trim())
    }
}

/// Returns the key of an arm's marks.
pub fn arm_key(arm: &str) -> String {
    format!("arm:{arm}")
}

/// Which line a run belongs to: its name and the index of its style, by the run's identity.
pub type Lines = BTreeMap<String, (String, usize)>;

/// Returns the lines that the values of a setting make, in their order: numbers by size, then words. A group of
/// settings, such as a plan, is too long for a name: its lines have the names of its arms and the style of the first
/// one.
///
/// Runs come with the index of the style of their arm.
pub fn groups<'a>(runs: impl IntoIterator<Item = (&'a Run, usize)> + Clone, path: &str) -> Lines {
    let mut of_arm: BTreeMap<&str, String> = BTreeMap::new();
    let mut arms: Vec<(String, (&str, usize))> = Vec::new();
    let (mut is_single, below) = (false, format!("{path}."));
    for (run, colour) in runs.clone() {
        if of_arm.contains_key(run.arm.as_str()) {
            continue;
        }
        let own = settings::settings(&run.spec);
        is_single |= !own.keys().any(|key| key.starts_with(&below));
        let value = settings::value_of(&own, path);
        arms.push((value.clone(), (&run.arm, colour)));
        of_arm.insert(&run.arm, value);
    }
    let mut groups = by_key(arms);
    if is_single {
        groups.sort_by(|(a, _), (b, _)| settings::compare(a, b));
    }
    let places: BTreeMap<&str, usize> =
        groups.iter().enumerate().map(|(place, (value, _))| (value.as_str(), place)).collect();
    let line = |(run, _): (&Run, usize)| {
        let place = *places.get(of_arm.get(run.arm.as_str())?.as_str())?;
        let (value, arms) = &groups[place];
        let line = if is_single {
            (format!("{} {value}", short(path, &[])), place)
        } else {
            (listed(&arms.iter().map(|(arm, _)| *arm).collect::<Vec<_>>()), arms[0].1)
        };
        Some((run.id.clone(), line))
    };
    runs.into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Differing;
    use doc::{file::parse, runs};
    use form::ron_text;

    fn listed() -> Vec<Run> {
        let text = "(sweep: { \"train.batch\": [128, 16] }, seeds: [1, 2], arms: [(name: \"a\", plan: [Test]), (name: \"b\", plan: [Train(\"1ep\")])])";
        runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap()
    }

    #[test]
    fn what_is_kept_is_read_again_and_nothing_is_the_default() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ViewSettings::read(folder.path()), Ok(ViewSettings::default()));
        let mut view = ViewSettings {
            filter: "state:done".to_owned(),
            group: Some("train.batch".to_owned()),
            ..ViewSettings::default()
        };
        view.colours.assign(["a", "b"]);
        view.plots.insert(
            "loss".to_owned(),
            PlotView { title: "T".to_owned(), x: Some([0.1, 1e-300]), ..PlotView::default() },
        );
        view.marks.insert(
            "arm:a".to_owned(),
            Mark { starred: true, tags: vec!["x".to_owned()], note: "n".to_owned() },
        );
        view.write(folder.path()).unwrap();
        assert_eq!(ViewSettings::read(folder.path()), Ok(view.clone()));
        assert_eq!(view.mark("id", "a").tags, ["x"]);
        std::fs::write(folder.path().join("view.json"), "{").unwrap();
        assert!(ViewSettings::read(folder.path()).unwrap_err().contains("damaged"));
    }

    #[test]
    fn options_of_an_earlier_version_are_read() {
        let old = "(options: (x: Iteration, band: MinMax, traces: true, smoothing: 0.5, rounds: []))";
        let view: ViewSettings = ron_text::from_str(old).unwrap();
        assert_eq!((view.options.bands, view.options.traces), (BandChoice::Selected, true));
        assert_eq!((view.options.levels, view.options.weights), (Levels::Spread, WeightLines::default()));
    }

    #[test]
    fn plans_make_lines_that_are_called_after_their_arms_and_look_like_them() {
        let arm =
            |name: &str, epochs: u32| format!("(name: \"{name}\", plan: [Train(\"{epochs}ep\"), Test])");
        let text = format!("(seeds: [1], arms: [{}, {}, {}])", arm("a", 1), arm("b", 2), arm("c", 1));
        let runs = doc::runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        let lines = groups(runs.iter().zip([4, 0, 2]), "plan");
        let found: Vec<_> = runs.iter().map(|run| lines[&run.id].clone()).collect();
        assert_eq!(found[..2], [("a and c".to_owned(), 4), ("b".to_owned(), 0)]);
        assert_eq!(found[2], found[0]);
    }

    #[test]
    fn the_filter_leaves_runs_out_and_an_unfinished_one_leaves_out_none() {
        let runs = listed();
        let mut rows: Vec<Row> = runs.iter().map(|run| Row::new(run, None, "done", 0)).collect();
        let settings = Differing::default().give(&mut rows, &runs.iter().collect::<Vec<_>>()).to_vec();
        let view = |filter: &str| ViewSettings { filter: filter.to_owned(), ..ViewSettings::default() };
        assert_eq!(view("batch = 16").left_out(&rows, &settings).len(), 4);
        assert_eq!(view("batch <").left_out(&rows, &settings).len(), 0);
        let row = |run: &str| Row { run: run.to_owned(), ..Row::default() };
        let rows = ["a", "b", "c", "b"].map(row);
        let note = |filter: &str, left_out: &[&str]| {
            view(filter).filter_note(&rows, &left_out.iter().map(|run| (*run).to_owned()).collect())
        };
        let text = "filter: batch = 16 (2 of 4 runs)";
        assert_eq!(note(" batch = 16 ", &["b"]), text, "two arms share one of the runs");
        assert_eq!(note("state:done", &[]), "", "nothing is missing");
    }
}
