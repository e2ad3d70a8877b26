//! Figures with the axes, titles, ranges and filter that the user has chosen.

pub mod facets;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::axis::Scale;
use super::distinct;
use super::model::{Figure, FigureLook, Trace};
use super::plots::{ArmRuns, Plot};
use super::ranges::inner_range;
use super::scene::name_equal;
use doc::Run;
use results::metric::differing;
use results::number::Format;
use results::outline::{Outline, differences};
use results::table::columns::Column;
use results::table::settings::NONE;
use results::table::{Differing, LineFacts, Row};
use results::view::{Brushes, PlotOptions, PlotView, ViewSettings, groups};
use results::{RunRecord, by_key};

#[derive(Clone, Debug)]
pub struct Drawn<'a> {
    pub line: String,
    pub colour: usize,
    pub seed: u64,
    /// Its results, once it has begun; none where the filter leaves it out.
    pub record: Option<&'a RunRecord>,
    pub row: &'a Row,
}

/// Groups runs into lines, in order of appearance, or in order of styles if lines stand for values of a setting.
pub fn lines_of<'a>(runs: impl IntoIterator<Item = Drawn<'a>>, by_style: bool) -> Vec<ArmRuns> {
    let line = |((name, colour), runs): ((String, usize), Vec<Drawn<'a>>)| {
        let mut line = ArmRuns { name, colour, ..ArmRuns::default() };
        for Drawn { seed, record, row, .. } in runs {
            let row = Arc::new(row.clone());
            if let Some(record) = record {
                line.runs.push((seed, record.clone()));
                line.rows.push(row);
            } else {
                line.waiting.push(row);
            }
        }
        line
    };
    let runs = runs.into_iter().map(|run| ((run.line.clone(), run.colour), run));
    let mut lines: Vec<ArmRuns> = by_key(runs).into_iter().map(line).collect();
    lines.retain(|line| !line.runs.is_empty());
    if by_style {
        lines.sort_by_key(|line| line.colour);
    }
    lines
}

/// Returns the complete figure of a plot, hidden lines too, with the chosen axes, titles and panels and a note about the
/// filter.
pub fn whole(plot: &Plot, arms: &[ArmRuns], options: &PlotOptions, view: &PlotView, filter: &str) -> Figure {
    let single = |arms: &[ArmRuns]| single(plot, arms, options, view, filter);
    let one_arm = plot.controls.one_arm;
    let is_about = |arm: &&ArmRuns| !one_arm || plot.concerns(arm.runs.iter().map(|(_, record)| record));
    let arms: Vec<ArmRuns> = arms.iter().filter(is_about).cloned().collect();
    facets::faceted(&arms, &view.facets, one_arm, single)
}

fn single(plot: &Plot, arms: &[ArmRuns], options: &PlotOptions, view: &PlotView, filter: &str) -> Figure {
    let mut figure = (plot.build)(arms, options);
    plot.title.clone_into(&mut figure.name);
    figure.details = details(&figure, arms);
    let lines: Vec<_> = arms.iter().map(|arm| (arm.name.as_str(), &arm.rows[..])).collect();
    figure.facts = LineFacts::new(&lines, options.columns.as_deref());
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
        figure.add_note("1 % of the values at each end may lie outside");
    }
    if !filter.is_empty() {
        figure.add_note(filter);
    }
    name_equal(&mut figure);
    figure
}

/// Cuts bands of shares at 0 and 1, beyond which Student's t and standard deviations may reach.
fn cut_bands(figure: &mut Figure) {
    for band in figure.lines.iter_mut().flat_map(|line| &mut line.band) {
        figure.cut[0] |= band.low < 0.0;
        figure.cut[1] |= band.high > 1.0;
        [band.low, band.high] = [band.low, band.high].map(|end| end.clamp(0.0, 1.0));
    }
    for spread in figure.reference_lines.iter_mut().filter_map(|reference| reference.spread.as_mut()) {
        *spread = spread.map(|end| end.clamp(0.0, 1.0));
    }
}

/// Returns the visible part of a figure, which exports write: without hidden lines, and cut to the chosen ranges.
pub fn seen(figure: &Figure, view: &PlotView) -> Figure {
    let mut seen = without(figure, &view.hidden);
    if let Some(facets) = &mut seen.facets {
        let titles: Vec<String> = facets.panels.iter().map(|panel| facets.title(panel)).collect();
        facets.change(|index, panel| {
            let [x, y] = view.facets.zooms.get(&titles[index]).copied().unwrap_or_default();
            cut(panel, &PlotView { x, y, brushes: view.brushes.clone(), ..PlotView::default() });
        });
    }
    cut(&mut seen, view);
    seen
}

fn cut(figure: &mut Figure, view: &PlotView) {
    if figure.facets.is_some() && !figure.parallel.is_empty() {
        return; // its panels have the runs
    }
    if figure.parallel.is_empty() {
        figure.x.range = view.x.or(figure.x.range);
        figure.y.range = view.y.or(figure.y.range);
    } else {
        brush(figure, &view.brushes);
    }
}

/// Returns true if a run lies within all brushed ranges. Ranges of axes that the figure lacks are ignored.
pub fn passes(figure: &Figure, trace: &Trace, brushes: &Brushes) -> bool {
    figure.parallel.iter().zip(&trace.points).all(|(axis, [_, value])| {
        brushes.get(&axis.label()).is_none_or(|[low, high]| (*low..=*high).contains(value))
    })
}

/// Removes the runs that do not pass, and arms without any run left.
fn brush(figure: &mut Figure, brushes: &Brushes) {
    if brushes.is_empty() {
        return;
    }
    let mut lines = std::mem::take(&mut figure.lines);
    for line in &mut lines {
        line.traces.retain(|trace| passes(figure, trace, brushes));
    }
    lines.retain(|line| !line.traces.is_empty());
    figure.lines = lines;
}

/// Returns the figure without these names.
pub fn without(figure: &Figure, hidden: &BTreeSet<String>) -> Figure {
    let mut left = figure.clone();
    left.lines.retain(|line| !hidden.contains(&line.name) || !figure.parallel.is_empty());
    left.bars.retain(|bars| !hidden.contains(&bars.name));
    left.reference_lines.retain(|reference| !hidden.contains(&reference.name));
    if let Some(facets) = left.facets.as_mut().filter(|_| !hidden.is_empty()) {
        facets.change(|_, panel| *panel = without(panel, hidden));
    }
    left
}

/// Returns the figure that the command line exports, as the window shows it with its saved settings. `all` are the runs of
/// the document in order, of which it shows those that are `asked` for and pass the filter.
pub fn exported(
    plot: &Plot,
    view: &mut ViewSettings,
    all: &[Run],
    records: &BTreeMap<String, RunRecord>,
    asked: impl Fn(&Run) -> bool,
) -> Figure {
    let arms = distinct(all.iter().map(|run| (run.arm_index, run.arm.as_str())));
    let colours: BTreeMap<(usize, &str), usize> =
        arms.iter().copied().zip(view.colours.assign_swept(&arms)).collect();
    let colour = |run: &Run| colours.get(&(run.arm_index, run.arm.as_str())).copied().unwrap_or(0);
    let measured = view.table.measured();
    let row = |run: &Run| {
        let record = records.get(&run.id);
        let state = record.map_or("not run", |record| record.state().word());
        let row = Row::new(run, record, state, colour(run)).measured(record, &measured);
        Row { mark: view.mark(&run.id, &run.arm), ..row }
    };
    let mut rows: Vec<Row> = all.iter().map(row).collect();
    let settings = Differing::default().give(&mut rows, &all.iter().collect::<Vec<_>>()).to_vec();
    let left_out = view.left_out(&rows, &settings);
    let styled = || all.iter().map(|run| (run, colour(run)));
    let lines = view.group.as_ref().map(|path| groups(styled(), path)).unwrap_or_default();
    let asked = all.iter().zip(&rows).filter(|(run, _)| asked(run));
    let drawn = asked.map(|(run, row)| {
        let record = records.get(&run.id).filter(|_| !left_out.contains(&run.id));
        let (line, colour) = lines.get(&run.id).cloned().unwrap_or((run.arm.clone(), colour(run)));
        Drawn { line, colour, seed: run.seed, record, row }
    });
    let kept = view.plots.get(plot.name).cloned().unwrap_or_else(|| plot.view());
    let filter = view.filter_note(&rows, &left_out);
    let options = PlotOptions { columns: view.table.columns.clone(), ..view.options.clone() };
    let figure = whole(plot, &lines_of(drawn, view.group.is_some()), &options, &kept, &filter);
    let look = FigureLook { bands: options.bands, ..FigureLook::default() };
    Figure { look, ..seen(&figure, &kept) }
}

/// Settings beyond this number are only counted.
const MOST: usize = 4;
/// Longer values, such as whole plans, are unreadable in a legend.
const LONGEST: usize = 24;

/// Returns the details for each name in the legend; names without details are left out.
pub fn details(figure: &Figure, arms: &[ArmRuns]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let references = figure.reference_lines.iter().map(|reference| &reference.name);
    let mut settings = settings_of(arms);
    let places: BTreeMap<&str, usize> =
        arms.iter().enumerate().map(|(place, arm)| (arm.name.as_str(), place)).collect();
    for name in figure.lines.iter().map(|line| &line.name).chain(references) {
        // Only the first line of an arm gets the details.
        let text = arm_of(name, &places).map(|arm| std::mem::take(&mut settings[arm])).unwrap_or_default();
        if !text.is_empty() {
            found.insert(name.clone(), text);
        }
    }
    found
}

/// Returns the arm of a line, the longest name that the line's begins with; `arms` has their places by their names.
fn arm_of(name: &str, arms: &BTreeMap<&str, usize>) -> Option<usize> {
    let mut ends: Vec<usize> = [", ", " / "]
        .into_iter()
        .flat_map(|separator| name.match_indices(separator).map(|(at, _)| at))
        .chain([name.len()])
        .collect();
    ends.sort_unstable();
    ends.into_iter().rev().find_map(|end| arms.get(&name[..end]).copied())
}

/// Returns the settings in which these arms differ, such as "learning rate 0.1, batch size 64", without those in the arm's name.
fn settings_of(arms: &[ArmRuns]) -> Vec<String> {
    let rows: Vec<&Row> = arms.iter().flat_map(|arm| &arm.rows).map(Arc::as_ref).collect();
    let differing = differing(&rows);
    let plans = if differing.iter().any(|path| path == "plan") { plans(arms) } else { Vec::new() };
    let text = |(index, arm): (usize, &ArmRuns)| {
        let setting = |path: &String| {
            let value = value_of(arm, path).filter(|value| !contains_word(&arm.name, value))?;
            let labels = &arm.rows.first()?.labels;
            Some(format!("{} {value}", facets::label(&Column::Setting(path.clone()), labels)))
        };
        let of_plan = plans.get(index).into_iter().flatten().cloned();
        let mut parts: Vec<String> = differing.iter().filter_map(setting).chain(of_plan).collect();
        if let Some(more @ 1..) = parts.len().checked_sub(MOST) {
            parts.truncate(MOST);
            parts.push(format!("{more} more"));
        }
        parts.join(", ")
    };
    arms.iter().enumerate().map(text).collect()
}

/// Describes how the plans of these arms differ; empty if the runs of a line have several plans.
fn plans(arms: &[ArmRuns]) -> Vec<Vec<String>> {
    let own = |arm: &ArmRuns| {
        let mut outlines = arm.rows.iter().map(|row| row.outline.clone());
        let first = outlines.next()?;
        outlines.all(|other| other == first).then_some(first)
    };
    let outlines: Option<Vec<Outline>> = arms.iter().map(own).collect();
    let outlines = outlines.unwrap_or_default();
    differences(&outlines.iter().collect::<Vec<_>>())
}

/// Returns the value that all runs of a line share, if it is short enough to read.
fn value_of<'a>(arm: &'a ArmRuns, path: &str) -> Option<&'a str> {
    let mut values = arm.rows.iter().map(|row| row.settings.get(path).map(String::as_str));
    let first = values.next()??;
    let is_readable = first != NONE && path != "plan" && first.chars().count() <= LONGEST;
    (is_readable && values.all(|value| value == Some(first))).then_some(first)
}

fn contains_word(name: &str, value: &str) -> bool {
    let (name, value) = (name.to_lowercase(), value.to_lowercase());
    let is_part =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '.');
    name.match_indices(&value).any(|(at, _)| {
        let (before, after) = (&name[..at], &name[at + value.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

#[cfg(test)]
mod tests;
