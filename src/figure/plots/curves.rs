//! Turns the curves of individual runs into the lines of a figure: aligned over seeds, smoothed, averaged, styled.

use std::collections::BTreeSet;

use super::series::{Curve, Path, Place, curves, put_in_order_of_plan};
use super::{ArmRuns, rounds};
use crate::axis::Axis;
use crate::model::{Figure, Level, Line, Note, Trace};
use crate::palette::{DASHES, MARKERS, Style, style_of};
use results::by_key;
use results::number::readable;
use results::statistics::level;
use results::view::{PlotOptions, XAxis};

/// A series of the records, and how its lines differ from those of other series of the same arm.
pub struct Series<'a> {
    pub name: &'a str,
    /// Suffix to the arm's name in the legend; empty for the main series.
    pub suffix: &'a str,
    /// Its dash pattern; without one, that of the arm. A plot with several series tells them apart by their dashes, and
    /// the arms by hues and markers.
    pub dash: Option<usize>,
}

impl Series<'_> {
    /// Returns the dash pattern of its main branch for an arm of this style, as an index of [`DASHES`].
    pub fn first_dash(&self, own: Style) -> usize {
        self.dash.unwrap_or_else(|| DASHES.iter().position(|dash| *dash == own.dash).unwrap_or_default())
    }
}

/// A line and the number of runs that it averages.
pub struct Averaged {
    pub line: Line,
    pub counts: RunCounts,
    /// All trainings of its arm, where lines stand for trainings.
    pub trainings: Vec<Level>,
}

/// Returns the lines of an arm for a series: first the main branch, then branches and members.
pub fn lines(arm: &ArmRuns, series: &Series<'_>, options: &PlotOptions) -> Vec<Averaged> {
    if options.x == XAxis::Training {
        return rounds::lines(arm, series, options);
    }
    let paths = by_path(arm, series.name, options);
    let line = |(index, (path, curves)): (usize, (Path, Vec<Curve>))| {
        let name = format!("{}{}", path.name(&arm.name), series.suffix);
        averaged(arm, &name, style(arm, series, &path, index), curves, options)
    };
    paths.into_iter().enumerate().map(line).collect()
}

/// Returns the mean of curves of an arm with its spread, the single curves as traces, and the number of runs.
pub fn averaged(
    arm: &ArmRuns,
    name: &str,
    style: Style,
    curves: Vec<Curve>,
    options: &PlotOptions,
) -> Averaged {
    let mut split = arm.split(curves, |curve| curve.place);
    let seeds = arm.seeds(&split);
    let counts = RunCounts::new(arm, split.averaged.iter().map(|curve| curve.seed));
    // Raw values stay visible when they are smoothed, also for a single run.
    let has_traces = options.smoothing > 0.0 || (options.traces && split.averaged.len() > 1);
    let trace = |curve: &Curve| Trace { name: curve.run.clone(), points: curve.points.clone() };
    let behind: Vec<Trace> = if has_traces { split.averaged.iter().map(trace).collect() } else { Vec::new() };
    for curve in split.averaged.iter_mut().chain(&mut split.beside) {
        match options.x {
            // The number of weights only falls, so the past is at larger x.
            XAxis::Remaining => smooth(curve.points.iter_mut().rev(), options.smoothing),
            _ => smooth(curve.points.iter_mut(), options.smoothing),
        }
    }
    let traces = split.beside.iter().map(trace).chain(behind).collect();
    let options = &PlotOptions { band: split.spread(options.band), ..options.clone() };
    let line = match split.averaged.as_slice() {
        [only] => Line::new(name, style, only.points.clone()),
        several => mean(name, style, several, options),
    };
    let by_seed = by_seed(&line, &split.averaged, options);
    Averaged { line: Line { by_seed, traces, seeds, ..line }, counts, trainings: Vec::new() }
}

/// Returns the curves of all runs of an arm, by main branch and branches.
pub fn by_path(arm: &ArmRuns, series: &str, options: &PlotOptions) -> Vec<(Path, Vec<Curve>)> {
    let runs = arm.runs.iter().zip(arm.run_names()).enumerate();
    let mut paths = by_key(runs.flat_map(|(place, ((seed, record), run))| {
        let curves = curves(*seed, record, series, &options.x).into_iter();
        curves.map(move |(path, curve)| (path, Curve { place, run: run.clone(), ..curve }))
    }));
    put_in_order_of_plan(&mut paths);
    paths
}

/// Returns the style of a branch: the colour of its arm; the first branch is dashed, further ones also have markers.
pub fn style(arm: &ArmRuns, series: &Series<'_>, path: &Path, index: usize) -> Style {
    let own = style_of(arm.colour);
    let on_branch = *path != Path::default();
    let dash = DASHES[(series.first_dash(own) + usize::from(on_branch)) % DASHES.len()];
    let visible = &MARKERS[1..];
    let marker = if index >= 2 { visible[(index - 2) % visible.len()] } else { own.marker };
    Style { dash, marker, ..own }
}

/// Returns the mean and spread of curves at each place that any of them has.
fn mean(name: &str, style: Style, curves: &[Curve], options: &PlotOptions) -> Line {
    let goes_back = matches!(options.x, XAxis::Series(_));
    let mut line = Line::new(name, style, Vec::new());
    let mut next = vec![0; curves.len()];
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for place in all_places(curves) {
        xs.clear();
        ys.clear();
        for (curve, next) in curves.iter().zip(&mut next) {
            if let Some([x, y]) = curve.take(place, next) {
                xs.push(x);
                ys.push(y);
            }
        }
        // The mean of equal x is exactly that x; only times differ between seeds. They never go back, even where only
        // the fastest run has a point.
        let x = if xs.iter().all(|x| *x == xs[0]) { xs[0] } else { xs.iter().sum::<f64>() / xs.len() as f64 };
        let x = line.points.last().filter(|_| !goes_back).map_or(x, |last| x.max(last[0]));
        let level = level(x, &ys, options.band);
        line.push(level);
    }
    line
}

/// Returns the values at each point by seed over remaining weights, for differences to an arm that never prunes.
fn by_seed(line: &Line, curves: &[Curve], options: &PlotOptions) -> Vec<Vec<(u64, f64)>> {
    let at = |x: f64| {
        let here = |curve: &Curve| curve.points.iter().find(|point| point[0].total_cmp(&x).is_eq()).copied();
        curves.iter().filter_map(|curve| Some((curve.seed, here(curve)?[1]))).collect()
    };
    let points = line.points.iter().filter(|_| options.x == XAxis::Remaining);
    points.map(|point| at(point[0])).collect()
}

/// Returns all places of the curves in the order of the axis.
fn all_places(curves: &[Curve]) -> Vec<Place> {
    let (first, others) = curves.split_first().expect("a mean is over several curves");
    if others.iter().all(|curve| curve.places == first.places) {
        return first.places.clone();
    }
    let mut places: Vec<Place> = curves.iter().flat_map(|curve| curve.places.iter().copied()).collect();
    places.sort_by(Place::order);
    places.dedup_by(|a, b| a.order(b).is_eq());
    places
}

pub fn figure(x: Axis, y: Axis, mut drawn: Vec<Averaged>, options: &PlotOptions) -> Figure {
    let counted: Vec<_> = drawn.iter().map(|averaged| (&averaged.line, averaged.counts)).collect();
    let note = note(&counted, options);
    let levels = rounds::levels_of(&mut drawn);
    let lines = drawn.into_iter().map(|averaged| averaged.line).collect();
    by_name(Figure { x, y, lines, levels, note, spread: Some(options.band), ..Figure::default() })
}

/// Puts the names of lines on the x axis where all of them have one point, at the same x: as many dots above each other say
/// less than marks side by side.
fn by_name(mut figure: Figure) -> Figure {
    let points = || figure.lines.iter().flat_map(Line::polylines).flatten();
    let first = points().next().map(|point| point[0]).filter(|x| x.is_finite());
    let is_one = |line: &Line| line.points.len() == 1 && line.seeds.is_none();
    let is_first = |point: &[f64; 2]| first.is_some_and(|first| first.total_cmp(&point[0]).is_eq());
    let is_curve = !figure.x.categories.is_empty() || figure.is_over_setting();
    if is_curve || figure.lines.is_empty() || !figure.lines.iter().all(is_one) || !points().all(is_first) {
        return figure;
    }
    let Axis { title, unit, format, .. } = &figure.x;
    let value = first.map_or_else(String::new, |x| readable(x, *format));
    let title = format!("{title}: {value} {unit}");
    let names = figure.lines.iter().map(|line| line.name.clone());
    (figure.x, figure.only_x) = (Axis::of_names(title.trim(), names), first);
    for (place, line) in figure.lines.iter_mut().enumerate() {
        let place = place as f64;
        line.style = line.style.with_marker();
        line.points.iter_mut().for_each(|point| point[0] = place);
        line.band.iter_mut().for_each(|band| band.x = place);
        line.traces.iter_mut().flat_map(|trace| &mut trace.points).for_each(|point| point[0] = place);
    }
    figure
}

#[derive(Clone, Copy, Debug)]
pub struct RunCounts {
    pub runs: usize,
    pub seeds: usize,
    pub arms: usize,
}

impl RunCounts {
    pub fn new(arm: &ArmRuns, seeds: impl IntoIterator<Item = u64>) -> Self {
        let seeds: Vec<u64> = seeds.into_iter().collect();
        let different: BTreeSet<u64> = seeds.iter().copied().collect();
        Self { runs: seeds.len(), seeds: different.len(), arms: arm.pooled() }
    }
}

/// Returns the note about lines: "mean over 2 to 5 seeds", with their interval. Of pooled arms it counts runs, which are no
/// replicates: "mean over 6 runs (2 arms pooled, 3 seeds)".
pub fn note(drawn: &[(&Line, RunCounts)], options: &PlotOptions) -> Note {
    let count = |of: fn(&RunCounts) -> usize| Range::new(drawn.iter().map(|(_, counts)| of(counts)));
    let (runs, seeds, arms) =
        (count(|counts| counts.runs), count(|counts| counts.seeds), count(|counts| counts.arms));
    // Some runs may have fewer points so far; the mean is over those with a point.
    let thinnest = drawn.iter().flat_map(|(line, _)| &line.counts).min();
    let thinnest = thinnest.map_or(runs.fewest, |count| runs.fewest.min(*count as usize));
    let runs = Range { fewest: thinnest, ..runs };
    let mut note = Note::default();
    if runs.most > 1 {
        let is_pooled = arms.most > 1;
        note.what = if is_pooled {
            format!("mean over {} ({} pooled, {})", runs.text("run"), arms.text("arm"), seeds.text("seed"))
        } else {
            format!("mean over {}", runs.text("seed"))
        };
        if drawn.iter().any(|(line, _)| !line.band.is_empty()) {
            let of = if is_pooled { " over runs" } else { "" };
            note.interval = format!("{}{of}", options.band.label());
        }
    }
    let noun = if arms.most > 1 { "runs" } else { "seeds" };
    let mut rest = unfinished(drawn, noun).into_iter().collect::<Vec<_>>();
    if options.smoothing > 0.0 {
        rest.push(format!("moving average with weight {}, raw values faint", options.smoothing));
    }
    note.rest = rest.join(", ");
    note
}

/// Explains unfinished runs in the small print: their look, or that there are no others.
fn unfinished(drawn: &[(&Line, RunCounts)], noun: &str) -> Option<String> {
    let is_of_unfinished = |line: &Line| line.seeds.is_some_and(|seeds| seeds.done == 0);
    if !drawn.is_empty() && drawn.iter().all(|(line, _)| is_of_unfinished(line)) {
        return Some(format!("all {noun} unfinished"));
    }
    let running = |line: &Line| line.seeds.map_or(0, |seeds| seeds.running);
    let is_thin = |line: &Line| {
        is_of_unfinished(line) || line.traces.iter().take(running(line)).any(|trace| trace.points.len() > 1)
    };
    if drawn.iter().any(|(line, _)| is_thin(line)) {
        return Some(format!("thin lines: unfinished {noun}"));
    }
    drawn.iter().any(|(line, _)| running(line) > 0).then(|| format!("hollow: unfinished {noun}"))
}

/// The smallest and the largest of some counts.
struct Range {
    fewest: usize,
    most: usize,
}

impl Range {
    fn new(counts: impl Iterator<Item = usize> + Clone) -> Self {
        Self { fewest: counts.clone().min().unwrap_or_default(), most: counts.max().unwrap_or_default() }
    }

    /// Writes "2 to 5 seeds".
    fn text(&self, noun: &str) -> String {
        let plural = if self.most == 1 { "" } else { "s" };
        if self.fewest == self.most {
            format!("{} {noun}{plural}", self.most)
        } else {
            format!("{} to {} {noun}{plural}", self.fewest, self.most)
        }
    }
}

/// Replaces each y by the exponential moving average with the weight `past` in [0, 1), divided by the sum of weights so
/// far, so that the first value is unchanged (the bias correction of Kingma and Ba 2015, section 3).
///
/// Values that are not finite stay as they are and do not enter the average.
pub fn smooth<'a>(points: impl Iterator<Item = &'a mut [f64; 2]>, past: f64) {
    if past <= 0.0 {
        return;
    }
    let past = past.min(0.9999);
    let (mut sum, mut weight) = (0.0, 0.0);
    for [_, y] in points.filter(|point| point[1].is_finite()) {
        sum = past * sum + (1.0 - past) * *y;
        weight = past * weight + (1.0 - past);
        *y = sum / weight;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::testing::{arm, rows as shared};
    use super::*;
    use crate::model::{Note, Seeds};
    use crate::palette::Dash;
    use crate::plots::testing::{at, branch, record};
    use crate::plots::{accuracy, loss};
    use crate::ranges::ranges;
    use crate::scene::Intervals;
    use results::statistics::{Band, Spread};
    use results::table::Row;
    use results::{Event, RunRecord};

    fn options() -> PlotOptions {
        PlotOptions { band: Spread::MinMax, traces: true, ..PlotOptions::default() }
    }

    fn accuracies(values: &[(f64, f64)]) -> RunRecord {
        record(values.iter().map(|&(trained, value)| at("test_accuracy", trained, value)))
    }

    #[test]
    fn two_seeds_make_a_mean_with_its_band_and_traces() {
        let runs = [accuracies(&[(1.0, 0.5), (2.0, 0.75)]), accuracies(&[(1.0, 0.25), (2.0, 0.75)])];
        let figure = (accuracy::PLOT.build)(&[arm("dense", 1, &runs)], &options());
        let [line] = figure.lines.as_slice() else { panic!("one line") };
        assert_eq!(line.points, [[1.0, 0.375], [2.0, 0.75]]);
        let band = [Band { x: 1.0, low: 0.25, high: 0.5 }, Band { x: 2.0, low: 0.75, high: 0.75 }];
        assert_eq!(line.band, band);
        assert_eq!(
            line.traces[1],
            Trace { name: "seed 2".to_owned(), points: vec![[1.0, 0.25], [2.0, 0.75]] }
        );
        assert_eq!((line.name.as_str(), line.style), ("dense", style_of(1)));
        assert_eq!(figure.note.text("bars"), "mean over 2 seeds, bars: min to max");
        assert_eq!(figure.note.text(""), "mean over 2 seeds", "intervals that are not drawn");
        assert_eq!(figure.y.label(), "Test accuracy (%)");
    }

    #[test]
    fn where_one_seed_is_ahead_the_mean_is_over_that_one() {
        let runs = [accuracies(&[(1.0, 0.5), (2.0, 0.75)]), accuracies(&[(1.0, 0.25)])];
        let figure = (accuracy::PLOT.build)(&[arm("dense", 1, &runs)], &options());
        assert_eq!(figure.lines[0].counts, [2, 1]);
        assert_eq!(figure.note.text("bands"), "mean over 1 to 2 seeds, bands: min to max");
    }

    #[test]
    fn where_arms_are_pooled_runs_and_arms_are_counted_beside_seeds() {
        let runs = [0.5, 0.25, 0.75, 1.0].map(|value| accuracies(&[(1.0, value)]));
        let row = |arm: &str| Row { arm: arm.to_owned(), ..Row::default() };
        let rows = ["a", "a", "b", "b", "c"].map(row);
        let seeds = [1, 2, 1, 2];
        let pooled = ArmRuns {
            name: "batch 16".to_owned(),
            runs: seeds.into_iter().zip(runs.clone()).collect(),
            rows: shared(&rows[..4]),
            ..ArmRuns::default()
        };
        let alone = ArmRuns { rows: shared(&rows[4..]), ..arm("batch 64", 0, &runs[..1]) };
        let figure = (accuracy::PLOT.build)(std::slice::from_ref(&pooled), &options());
        let traces: Vec<_> = figure.lines[0].traces.iter().map(|trace| trace.name.as_str()).collect();
        assert_eq!(traces, ["a, seed 1", "a, seed 2", "b, seed 1", "b, seed 2"]);
        let note = |arms: &[ArmRuns]| (accuracy::PLOT.build)(arms, &options()).note.text("bars");
        assert_eq!(
            note(std::slice::from_ref(&pooled)),
            "mean over 4 runs (2 arms pooled, 2 seeds), bars: min to max over runs"
        );
        assert_eq!(
            note(&[pooled, alone]),
            "mean over 1 to 4 runs (1 to 2 arms pooled, 1 to 2 seeds), bars: min to max over runs"
        );
    }

    #[test]
    fn before_and_after_a_pruning_are_two_means_at_one_place() {
        let runs = [accuracies(&[(1.0, 0.5), (1.0, 0.25)]), accuracies(&[(1.0, 1.0), (1.0, 0.25)])];
        let figure = (accuracy::PLOT.build)(&[arm("ticket", 1, &runs)], &options());
        assert_eq!(figure.lines[0].points, [[1.0, 0.75], [1.0, 0.25]]);
    }

    #[test]
    fn a_seed_that_is_behind_counts_as_far_as_it_came() {
        let runs = [accuracies(&[(1.0, 0.5), (2.0, 1.0)]), accuracies(&[(1.0, 0.0)])];
        let figure = (accuracy::PLOT.build)(&[arm("dense", 1, &runs)], &options());
        assert_eq!(figure.lines[0].points, [[1.0, 0.25], [2.0, 1.0]]);
        assert_eq!(figure.lines[0].counts, [2, 1]);
        assert_eq!(figure.lines[0].band.len(), 1);
    }

    #[test]
    fn a_mean_is_over_the_seeds_that_are_done_beside_those_under_way() {
        let started = Event::Started { resumed: true, threads: 1 };
        let mut runs = [[0.5, 1.0], [0.25, 0.5], [0.0, 0.25]]
            .map(|[first, last]| accuracies(&[(1.0, first), (2.0, last)]));
        let to_come = Arc::new(Row::default());
        let of = |runs: &[RunRecord], waiting: usize| {
            let arm = ArmRuns { waiting: vec![Arc::clone(&to_come); waiting], ..arm("ticket", 1, runs) };
            (accuracy::PLOT.build)(&[arm], &PlotOptions { traces: false, ..options() })
        };
        assert_eq!(of(&runs, 0).lines[0].seeds, None, "all are done");
        runs[2].apply(started.clone());
        let figure = of(&runs, 1);
        let line = &figure.lines[0];
        assert_eq!(line.points, [[1.0, 0.375], [2.0, 0.75]]);
        assert_eq!(line.seeds, Some(Seeds { done: 2, planned: 4, running: 1 }));
        assert_eq!(line.traces.len(), 1);
        assert_eq!(line.traces[0].name, "seed 3");
        assert_eq!(figure.note.text(""), "mean over 2 seeds, thin lines: unfinished seeds");
        for run in &mut runs {
            run.apply(started.clone());
        }
        let figure = of(&runs, 0);
        let line = &figure.lines[0];
        assert_eq!(line.seeds, Some(Seeds { done: 0, planned: 3, running: 0 }), "a mean of what there is");
        assert_eq!((line.counts.as_slice(), line.band.len()), (&[3, 3][..], 0), "no interval");
        assert_eq!(figure.note.text("bars"), "mean over 3 seeds, all seeds unfinished");
    }

    #[test]
    fn a_branch_of_unfinished_seeds_alone_has_none_that_are_done() {
        let mut under_way = record([branch("late", at("test_accuracy", 1.0, 0.25))]);
        under_way.apply(Event::Started { resumed: true, threads: 1 });
        let runs = [accuracies(&[(1.0, 0.5)]), under_way];
        let figure = (accuracy::PLOT.build)(&[arm("ticket", 1, &runs)], &options());
        let late = figure.lines.iter().find(|line| line.name == "ticket / late").unwrap();
        assert_eq!(late.seeds, Some(Seeds { done: 0, planned: 2, running: 0 }));
    }

    #[test]
    fn a_line_that_pools_arms_has_no_number_of_seeds_even_while_one_arm_alone_has_begun() {
        let rows = ["a", "b"].map(|arm| Row { arm: arm.to_owned(), ..Row::default() });
        let runs = [accuracies(&[(1.0, 0.5)])];
        let pooled =
            ArmRuns { rows: shared(&rows[..1]), waiting: shared(&rows[1..]), ..arm("batch 16", 1, &runs) };
        let figure = (accuracy::PLOT.build)(&[pooled], &options());
        assert_eq!(figure.lines[0].seeds, Some(Seeds { done: 1, planned: 0, running: 0 }));
    }

    #[test]
    fn unfinished_runs_beside_a_smoothed_mean_are_smoothed_too() {
        let mut runs = [0.0, 0.5].map(|first| accuracies(&[(1.0, first), (2.0, 0.75)]));
        runs[1].apply(Event::Started { resumed: true, threads: 1 });
        let options = PlotOptions { smoothing: 0.5, ..options() };
        let figure = (accuracy::PLOT.build)(&[arm("dense", 1, &runs)], &options);
        let traces = &figure.lines[0].traces;
        assert!(traces[0].points[1][1] < 0.7, "{traces:?}");
        assert_eq!(traces[1].points, [[1.0, 0.0], [2.0, 0.75]], "raw values of the mean");
    }

    #[test]
    fn over_time_a_mean_stands_at_the_mean_time() {
        let mut slow = at("test_accuracy", 1.0, 0.5);
        slow.secs = 3.0;
        let runs = [accuracies(&[(1.0, 1.0)]), record([slow])];
        let options = PlotOptions { x: XAxis::Seconds, ..options() };
        let figure = (accuracy::PLOT.build)(&[arm("dense", 1, &runs)], &options);
        assert_eq!(figure.lines[0].points, [[2.0, 0.75]]);
        assert_eq!(figure.lines[0].traces[1].points, [[3.0, 0.5]]);
    }

    #[test]
    fn one_seed_is_its_own_line_and_arms_without_points_do_not_appear() {
        let runs = [accuracies(&[(1.0, 0.5), (2.0, f64::NAN)])];
        let figure = (accuracy::PLOT.build)(
            &[arm("dense", 1, &runs), arm("waiting", 1, &[RunRecord::default()])],
            &options(),
        );
        let [line] = figure.lines.as_slice() else { panic!("one line") };
        assert!(line.points[1][1].is_nan(), "a gap");
        assert!(line.band.is_empty() && line.traces.is_empty());
        assert_eq!(figure.note, Note::default());
    }

    #[test]
    fn over_remaining_weights_smoothing_follows_the_pruning() {
        let curve = Curve { points: vec![[0.25, 0.0], [0.5, 3.0], [1.0, 3.0]], ..Curve::default() };
        let options = PlotOptions { smoothing: 0.5, x: XAxis::Remaining, ..options() };
        let line = averaged(&ArmRuns::default(), "a", style_of(0), vec![curve], &options).line;
        assert_eq!(line.points[2], [1.0, 3.0], "the first value is itself");
        assert!(line.points[0][1] > 0.0 && line.points[1][1] == 3.0, "{:?}", line.points);
    }

    #[test]
    fn smoothing_keeps_the_raw_values_as_traces() {
        let runs = [accuracies(&[(1.0, 0.0), (2.0, 0.75)])];
        let options = PlotOptions { smoothing: 0.5, traces: false, ..options() };
        let figure = (accuracy::PLOT.build)(&[arm("dense", 1, &runs)], &options);
        assert_eq!(figure.lines[0].points, [[1.0, 0.0], [2.0, 0.5]]);
        assert_eq!(figure.lines[0].traces[0].points, [[1.0, 0.0], [2.0, 0.75]]);
        assert_eq!(figure.note.rest, "moving average with weight 0.5, raw values faint");
    }

    #[test]
    fn a_branch_is_a_dashed_line_of_its_own() {
        let runs = [record([
            at("test_accuracy", 1.0, 0.5),
            branch("reinitialized", at("test_accuracy", 1.0, 0.25)),
        ])];
        let figure = (accuracy::PLOT.build)(&[arm("winning ticket", 1, &runs)], &options());
        let shown: Vec<_> = figure.lines.iter().map(|line| (line.name.as_str(), line.style.dash)).collect();
        assert_eq!(
            shown,
            [("winning ticket", Dash::Solid), ("winning ticket / reinitialized", Dash::Dashed)]
        );
        assert!(figure.lines.iter().all(|line| line.style.colour == 1));
    }

    #[test]
    fn validation_and_training_have_lines_of_their_own() {
        let runs = [record([
            at("test_accuracy", 1.0, 0.5),
            at("validation_accuracy", 1.0, 0.5),
            at("train_loss", 1.0, 2.0),
            at("test_loss", 1.0, 3.0),
        ])];
        let accuracy = (accuracy::PLOT.build)(&[arm("dense", 1, &runs)], &options());
        assert_eq!(accuracy.y.title, "Accuracy");
        assert_eq!(accuracy.lines[1].name, "dense, validation");
        let loss = (loss::PLOT.build)(&[arm("dense", 1, &runs)], &options());
        let shown: Vec<_> = loss.lines.iter().map(|line| (line.name.as_str(), line.style.dash)).collect();
        assert_eq!(shown, [("dense, test", Dash::Solid), ("dense, training", Dash::Dotted)]);
    }

    fn smoothed(ys: &[f64], past: f64) -> Vec<f64> {
        let mut points: Vec<_> = ys.iter().map(|&y| [0.0, y]).collect();
        smooth(points.iter_mut(), past);
        points.iter().map(|point| point[1]).collect()
    }

    #[test]
    fn the_first_value_is_itself_and_a_level_stays_a_level() {
        assert_eq!(smoothed(&[3.0, 3.0, 3.0], 0.5), [3.0, 3.0, 3.0]);
    }

    #[test]
    fn half_of_the_past_counts_twice_the_half_before() {
        // (0·¼ + 3·½) / ¾
        assert_eq!(smoothed(&[0.0, 3.0], 0.5), [0.0, 2.0]);
        assert_eq!(smoothed(&[0.0, 3.0], 0.0), [0.0, 3.0]);
    }

    #[test]
    fn a_gap_stays_a_gap_and_does_not_spoil_what_follows() {
        let values = smoothed(&[0.0, f64::NAN, 3.0], 0.5);
        assert!(values[1].is_nan());
        assert!((values[2] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn one_evaluation_is_a_mark_for_each_arm_and_the_same_rows_of_a_table() {
        let arms = |values: &[(f64, f64)]| {
            let runs = [accuracies(values), accuracies(&[(1.0, 0.25)])];
            [arm("dense", 0, &runs), arm("pruned", 1, &runs[1..])]
        };
        let one = (accuracy::PLOT.build)(&arms(&[(1.0, 0.75)]), &options());
        let names: Vec<&str> = one.x.categories.iter().map(|category| category.name.as_str()).collect();
        assert_eq!((names, one.x.label().as_str()), (vec!["dense", "pruned"], "Epochs trained: 1"));
        assert_eq!((&one.lines[0].points, &one.lines[1].points), (&vec![[0.0, 0.5]], &vec![[1.0, 0.25]]));
        assert_eq!((one.lines[0].band[0].x, one.lines[0].traces.len()), (0.0, 2));
        let rows = crate::csv::csv(&one);
        assert!(
            rows.contains("line,dense,,1,0.5,0.25,0.75\n") && rows.contains("trace,dense,seed 2,1,0.25,,\n")
        );
        let mut zoomed = one.clone();
        zoomed.x.range = Some([2.0, 8.0]);
        assert_eq!(ranges(&zoomed, Intervals::Bars), ranges(&one, Intervals::Bars), "a kept zoom");
        let two = (accuracy::PLOT.build)(&arms(&[(1.0, 0.75), (2.0, 0.75)]), &options());
        assert!(two.x.categories.is_empty() && two.only_x.is_none());
    }
}
