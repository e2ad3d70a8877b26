//! How results are looked at: what is kept beside them in `view.ron`, and never part of a run's identity.
//!
//! The window writes it, and the command line reads it, so that both make the same figure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::apart::details;
use super::colours::Colours;
use super::export::Options;
use super::model::{Figure, Format};
use super::outliers::inner_range;
use super::plots::{ArmRuns, Plot, PlotOptions};
use super::scale::Scale;
use super::size::Preset;
use super::table::columns::Sort;
use super::table::settings::{self, short};
use super::table::{Differing, Mark, Row, filter::Filter};
use super::tiles::Tiles;
use crate::doc::{Run, RunRecord, listed};
use crate::form::number::grouped;
use crate::form::ron_text;

/// The file in the folder of the runs.
pub const FILE: &str = "view.ron";

/// How the results of a document are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewSettings {
    /// Axes, bands and smoothing of all plots.
    pub options: PlotOptions,
    /// What belongs to one plot, by its name.
    pub plots: BTreeMap<String, PlotView>,
    /// Which runs are looked at, as [`Filter`] reads it.
    pub filter: String,
    /// The order of the table of runs.
    pub sort: Sort,
    /// The setting whose values make the lines of plots, by its path; arms do when there is none.
    pub group: Option<String>,
    /// Whether zooming along x shows the same range in all plots.
    pub linked: bool,
    /// The paper of exported figures.
    pub size: Preset,
    /// Dots per inch of exported pictures; 300 when there is none.
    pub dpi: Option<u32>,
    /// The styles of arms.
    pub colours: Colours,
    /// What was noted about runs, by their identity, and about arms, by their name behind `arm:`.
    pub marks: BTreeMap<String, Mark>,
    /// What was noted about all of it.
    pub notes: String,
    /// Where the views are; as they are at first when there is nothing.
    pub tiles: Option<Tiles>,
}

/// How one plot is looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlotView {
    /// Above the plot.
    pub title: String,
    /// Instead of the plot's own title of x; empty for that.
    pub x_title: String,
    /// Instead of the plot's own title of y; empty for that.
    pub y_title: String,
    /// Whether the horizontal axis is logarithmic; `None` leaves that to the plot.
    pub log_x: Option<bool>,
    /// The same of the vertical axis.
    pub log_y: Option<bool>,
    /// Whether the vertical range leaves out the outermost hundredths of the values.
    pub ignore_outliers: bool,
    /// Names in the legend that are not drawn.
    pub hidden: BTreeSet<String>,
    /// The range of x that is seen; all of it when there is none.
    pub x: Option<[f64; 2]>,
    /// The range of y that is seen.
    pub y: Option<[f64; 2]>,
    /// Of parallel axes by their label: runs that lie outside of these ranges are not drawn.
    #[serde(skip_serializing_if = "Brushes::is_empty")]
    pub brushes: Brushes,
}

/// Ranges of values by the label of a parallel axis.
pub type Brushes = BTreeMap<String, [f64; 2]>;

impl ViewSettings {
    /// Reads what is kept in a folder of runs; the default where nothing is.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(format!("{} cannot be read: {error}", path.display())),
        };
        ron_text::from_str(&text).map_err(|error| {
            format!("{} is damaged ({error}); view settings have their defaults", path.display())
        })
    }

    /// As it is written to the file.
    pub fn to_text(&self) -> String {
        ron_text::to_pretty(self).expect("view settings are made of plain data")
    }

    /// How figures are exported.
    pub fn paper(&self) -> Options {
        let standard = Options::default();
        Options { size: self.size.size(), dpi: self.dpi.map_or(standard.dpi, f64::from), ..standard }
    }

    /// What was noted about a run and about its arm, together.
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

    /// The runs that the filter leaves out, by identity; all are wanted while the filter cannot be understood.
    pub fn left_out(&self, rows: &[Row], settings: &[String]) -> BTreeSet<String> {
        let filter = Filter::parse(&self.filter, settings).unwrap_or_default();
        rows.iter().filter(|row| !filter.holds(row)).map(|row| row.run.clone()).collect()
    }

    /// What figures say of the filter where it leaves out some of these runs; otherwise nothing.
    pub fn filter_note(&self, rows: &[Row], left_out: &BTreeSet<String>) -> String {
        if left_out.is_empty() {
            return String::new();
        }
        // Arms may share a run, which has a row in each.
        let left = rows.iter().filter(|row| !left_out.contains(&row.run)).count();
        {
            let [left, all] = [left, rows.len()].map(|count| grouped(count as u64));
            format!("filter: {} ({left} of {all} runs)", self.filter.trim())
        }
    }
}

/// The key of what was noted about an arm.
pub fn arm_key(arm: &str) -> String {
    format!("arm:{arm}")
}

/// Which line a run belongs to: its name and the index of its style, by the run's identity.
pub type Lines = BTreeMap<String, (String, usize)>;

/// The lines that the values of a setting make, in their order: numbers by size, then words. What is no single setting, such
/// as a plan, is too long for a name: its lines are called after the arms that have it, and look like the first of them.
///
/// Runs come with the index of the style of their arm.
pub fn groups<'a>(runs: impl IntoIterator<Item = (&'a Run, usize)> + Clone, path: &str) -> Lines {
    let mut of_arm: BTreeMap<&str, String> = BTreeMap::new();
    let mut groups: Vec<Group<'a>> = Vec::new();
    let (mut is_single, below) = (false, format!("{path}."));
    for (run, colour) in runs.clone() {
        if of_arm.contains_key(run.arm.as_str()) {
            continue;
        }
        let own = settings::settings(&run.spec);
        is_single |= !own.keys().any(|key| key.starts_with(&below));
        let value = settings::value_of(&own, path);
        match groups.iter_mut().find(|group| group.value == value) {
            Some(group) => group.arms.push(&run.arm),
            None => groups.push(Group { value: value.clone(), arms: vec![&run.arm], colour }),
        }
        of_arm.insert(&run.arm, value);
    }
    if is_single {
        groups.sort_by(|a, b| settings::compare(&a.value, &b.value));
    }
    let line = |(run, _): (&Run, usize)| {
        let value = of_arm.get(run.arm.as_str())?;
        let place = groups.iter().position(|group| group.value == *value)?;
        let group = &groups[place];
        let line = if is_single {
            (format!("{} {value}", short(path, &[])), place)
        } else {
            (listed(&group.arms), group.colour)
        };
        Some((run.id.clone(), line))
    };
    runs.into_iter().filter_map(line).collect()
}

/// The arms that have the same value.
struct Group<'a> {
    value: String,
    arms: Vec<&'a str>,
    /// The index of the style of the first.
    colour: usize,
}

/// A run that is drawn, and the line it belongs to.
#[derive(Clone, Debug)]
pub struct Drawn<'a> {
    /// The line's name.
    pub line: String,
    /// The index of its style.
    pub colour: usize,
    /// The replicate.
    pub seed: u64,
    /// What is known of the run.
    pub record: &'a RunRecord,
    /// What the table says of it.
    pub row: &'a Row,
}

/// The lines of these runs, in the order in which they appear, or of their styles where a setting makes them.
pub fn lines_of<'a>(runs: impl IntoIterator<Item = Drawn<'a>>, by_style: bool) -> Vec<ArmRuns<'a>> {
    let mut lines: Vec<ArmRuns<'a>> = Vec::new();
    for run in runs {
        match lines.iter_mut().find(|line| line.name == run.line && line.colour == run.colour) {
            Some(line) => {
                line.runs.push((run.seed, run.record));
                line.rows.push(run.row);
            }
            None => {
                lines.push(ArmRuns {
                    name: run.line,
                    colour: run.colour,
                    runs: vec![(run.seed, run.record)],
                    rows: vec![run.row],
                });
            }
        }
    }
    if by_style {
        lines.sort_by_key(|line| line.colour);
    }
    lines
}

/// The figure of a plot with what was chosen about its axes and titles, and what is to be said of the filter: all of it,
/// also what is hidden.
pub fn whole(
    plot: &dyn Plot,
    arms: &[ArmRuns<'_>],
    options: &PlotOptions,
    view: &PlotView,
    filter: &str,
) -> Figure {
    let mut figure = plot.build(arms, options);
    figure.details = details(&figure, arms);
    if figure.y.format == Format::Percent {
        cut_bands(&mut figure);
    }
    let has_parallel = !figure.parallel.is_empty();
    for (axis, log, title) in
        [(&mut figure.x, view.log_x, &view.x_title), (&mut figure.y, view.log_y, &view.y_title)]
    {
        if axis.categories.is_empty() && !has_parallel {
            axis.scale = log.map_or(axis.scale, |log| if log { Scale::Log10 } else { Scale::Linear });
        }
        if !title.trim().is_empty() {
            axis.title.clone_from(title);
        }
    }
    if !view.title.trim().is_empty() {
        figure.title.clone_from(&view.title);
    }
    if view.ignore_outliers
        && !has_parallel
        && let Some(range) = inner_range(&figure)
    {
        figure.y.range = Some(range);
        remark(&mut figure, "1 % of the values at each end may lie outside");
    }
    if !filter.is_empty() {
        remark(&mut figure, filter);
    }
    figure
}

/// Shares lie between 0 and 1, also where Student's t or a standard deviation reaches beyond: nothing is said of what
/// cannot be, on the screen, in files and in readings alike.
fn cut_bands(figure: &mut Figure) {
    for band in figure.lines.iter_mut().flat_map(|line| &mut line.band) {
        [band.low, band.high] = [band.low, band.high].map(|end| end.clamp(0.0, 1.0));
    }
}

fn remark(figure: &mut Figure, text: &str) {
    let gap = if figure.note.is_empty() { "" } else { ", " };
    figure.note = format!("{}{gap}{text}", figure.note);
}

/// What is seen of a figure: without what is hidden, cut to the chosen ranges. This is what an export writes.
pub fn seen(figure: &Figure, view: &PlotView) -> Figure {
    let mut seen = without(figure, &view.hidden);
    if !figure.parallel.is_empty() {
        super::parallel::brush(&mut seen, &view.brushes);
        return seen;
    }
    seen.x.range = view.x.or(seen.x.range);
    seen.y.range = view.y.or(seen.y.range);
    seen
}

/// The figure without what has these names.
pub fn without(figure: &Figure, hidden: &BTreeSet<String>) -> Figure {
    let mut left = figure.clone_without_data();
    left.lines.extend(figure.lines.iter().filter(|line| !hidden.contains(&line.name)).cloned());
    left.bars.extend(figure.bars.iter().filter(|bars| !hidden.contains(&bars.name)).cloned());
    left.rules.extend(figure.rules.iter().filter(|rule| !hidden.contains(&rule.name)).cloned());
    left
}

/// What the command line draws of a plot: the same as the window, from what the window has kept. `all` are the runs of
/// the document in its order, of which those are drawn that are `asked` for and that the filter leaves.
pub fn exported(
    plot: &dyn Plot,
    view: &mut ViewSettings,
    all: &[Run],
    records: &BTreeMap<String, RunRecord>,
    asked: impl Fn(&Run) -> bool,
) -> Figure {
    let mut arms: Vec<&str> = Vec::new();
    for run in all {
        if !arms.contains(&run.arm.as_str()) {
            arms.push(&run.arm);
        }
    }
    let colours = view.colours.assign(arms.iter().copied());
    let colour = |run: &Run| arms.iter().position(|arm| *arm == run.arm).map_or(0, |index| colours[index]);
    let row = |run: &Run| {
        let record = records.get(&run.id);
        let state = record.map_or("not run", |record| record.state().word());
        Row { mark: view.mark(&run.id, &run.arm), ..Row::of(run, record, state, colour(run)) }
    };
    let mut rows: Vec<Row> = all.iter().map(row).collect();
    let settings = Differing::default().give(&mut rows, &all.iter().collect::<Vec<_>>()).to_vec();
    let left_out = view.left_out(&rows, &settings);
    let styled = || all.iter().map(|run| (run, colour(run)));
    let lines = view.group.as_ref().map(|path| groups(styled(), path)).unwrap_or_default();
    let asked = all.iter().zip(&rows).filter(|(run, _)| asked(run) && !left_out.contains(&run.id));
    let drawn = asked.filter_map(|(run, row)| {
        let record = records.get(&run.id)?;
        let (line, colour) = lines.get(&run.id).cloned().unwrap_or((run.arm.clone(), colour(run)));
        Some(Drawn { line, colour, seed: run.seed, record, row })
    });
    let kept = view.plots.get(plot.name()).cloned().unwrap_or_default();
    let filter = view.filter_note(&rows, &left_out);
    let figure = whole(plot, &lines_of(drawn, view.group.is_some()), &view.options, &kept, &filter);
    seen(&figure, &kept)
}

#[cfg(test)]
mod tests;
