//! Figures with the axes, titles, ranges and filter that the user has chosen.

pub mod facets;

use std::collections::{BTreeMap, BTreeSet};

use super::distinct::distinct;
use super::legend_details::details;
use super::model::Figure;

use super::outliers::inner_range;
use super::plots::{ArmRuns, Plot};
use super::scale::Scale;
use doc::Run;
use facets::Panels;
use results::RunRecord;
use results::number::Format;
use results::table::{Differing, LineFacts, Row};
use results::view::{PlotOptions, PlotView, ViewSettings, groups};

/// A run and its line.
#[derive(Clone, Debug)]
pub struct Drawn<'a> {
    /// The line's name.
    pub line: String,
    /// The index of its style.
    pub colour: usize,
    /// The replicate.
    pub seed: u64,
    /// Its results, once it has begun; none where the filter leaves it out.
    pub record: Option<&'a RunRecord>,
    /// Its row in the table of runs.
    pub row: &'a Row,
}

/// Groups runs into lines, in order of appearance, or in order of styles if lines stand for values of a setting.
pub fn lines_of<'a>(runs: impl IntoIterator<Item = Drawn<'a>>, by_style: bool) -> Vec<ArmRuns<'a>> {
    let mut lines: Vec<ArmRuns<'a>> = Vec::new();
    let mut places: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for run in runs {
        let place = *places.entry((run.line, run.colour)).or_insert_with_key(|(name, colour)| {
            lines.push(ArmRuns { name: name.clone(), colour: *colour, ..ArmRuns::default() });
            lines.len() - 1
        });
        let line = &mut lines[place];
        match run.record {
            Some(record) => {
                line.runs.push((run.seed, record));
                line.rows.push(run.row);
            }
            None => line.waiting.push(run.row),
        }
    }
    lines.retain(|line| !line.runs.is_empty());
    if by_style {
        lines.sort_by_key(|line| line.colour);
    }
    lines
}

/// The complete figure of a plot, including hidden lines, with the chosen axes, titles and panels and a note about the
/// filter.
pub fn whole(
    plot: &Plot,
    arms: &[ArmRuns<'_>],
    options: &PlotOptions,
    view: &PlotView,
    filter: &str,
) -> Figure {
    let single = |arms: &[ArmRuns<'_>]| single(plot, arms, options, view, filter);
    if plot.controls.one_arm {
        let is_about = |arm: &&ArmRuns<'_>| plot.concerns(arm.runs.iter().map(|(_, record)| *record));
        let arms: Vec<ArmRuns<'_>> = arms.iter().filter(is_about).cloned().collect();
        return facets::faceted(&arms, &view.facets, Panels::OfArms, single);
    }
    facets::faceted(arms, &view.facets, Panels::OfSettings, single)
}

/// The figure without panels.
fn single(plot: &Plot, arms: &[ArmRuns<'_>], options: &PlotOptions, view: &PlotView, filter: &str) -> Figure {
    let mut figure = (plot.build)(arms, options);
    plot.title.clone_into(&mut figure.name);
    figure.details = details(&figure, arms);
    let lines: Vec<(&str, &[&Row])> = arms.iter().map(|arm| (arm.name.as_str(), &arm.rows[..])).collect();
    figure.facts = LineFacts::of(&lines, options.columns.as_deref());
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

/// The visible part of a figure, which exports write: without hidden lines, and cut to the chosen ranges.
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

/// Cuts a figure to the chosen ranges.
fn cut(figure: &mut Figure, view: &PlotView) {
    if figure.facets.is_some() && !figure.parallel.is_empty() {
        return; // its panels have the runs
    }
    if figure.parallel.is_empty() {
        figure.x.range = view.x.or(figure.x.range);
        figure.y.range = view.y.or(figure.y.range);
    } else {
        super::brushing::brush(figure, &view.brushes);
    }
}

/// The figure without these names.
pub fn without(figure: &Figure, hidden: &BTreeSet<String>) -> Figure {
    let mut left = figure.clone();
    left.lines.retain(|line| !hidden.contains(&line.name));
    left.bars.retain(|bars| !hidden.contains(&bars.name));
    left.reference_lines.retain(|reference| !hidden.contains(&reference.name));
    if let Some(facets) = left.facets.as_mut().filter(|_| !hidden.is_empty()) {
        facets.change(|_, panel| *panel = without(panel, hidden));
    }
    left
}

/// The figure that the command line exports: the same as in the window, with the settings that the window has saved.
/// `all` are the runs of the document in order; the figure shows those that are `asked` for and pass the filter.
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
        let row = Row::of(run, record, state, colour(run)).measured(record, &measured);
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
    let kept = view.plots.get(plot.name).cloned().unwrap_or_default();
    let filter = view.filter_note(&rows, &left_out);
    let options = PlotOptions { columns: view.table.columns.clone(), ..view.options.clone() };
    let figure = whole(plot, &lines_of(drawn, view.group.is_some()), &options, &kept, &filter);
    seen(&figure, &kept)
}

#[cfg(test)]
mod tests;
