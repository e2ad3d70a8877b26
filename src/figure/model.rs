//! The parts of a figure, as plain data that can be cloned, compared and printed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::axis::Axis;
use super::cells::Cells;
use super::distinct;
use super::facets::Facets;
use super::palette::{Dash, Rgb, Style, Theme, colour};
use super::scene::Intervals;
use doc::listed;
use form::number::counted;
use results::number::{Digits, Format, plus_minus};
use results::rounds::level_text;
use results::statistics::{self, Band, Spread};
use results::table::{Delta, LineFacts};
use results::view::BandChoice;

/// A figure over two axes: lines, stacked bars, or the cells of a heat map; or lines across parallel axes.
///
/// On an axis of names, a line is drawn as separate marks, and its band as whiskers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// The experiment that it is of, and its name, in the properties of files: "Lottery tickets", "Accuracy". Either may be
    /// empty.
    pub experiment: String,
    pub name: String,
    /// Title above the plot; empty in most papers, which have captions.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// For parallel coordinates only: the axes that replace y, with their ranges. The nth belongs to the nth name of x and
    /// gives the scale of values there. Such figures draw the traces of their lines.
    pub parallel: Vec<Axis>,
    /// Of parallel coordinates, the scale of the colours of runs by their values on the last axis, without cells.
    pub run_scale: Option<Cells>,
    /// Coloured cells, below everything else.
    pub cells: Option<Cells>,
    /// The parts of stacked bars, from the axis outwards.
    pub bars: Vec<Bars>,
    /// The ends of the ranges of x for bars, one more than there are ranges; empty for bars over names.
    pub bins: Vec<f64>,
    /// Lines in drawing order, later ones on top.
    pub lines: Vec<Line>,
    /// Reference levels, such as the accuracy of the dense network.
    pub reference_lines: Vec<ReferenceLine>,
    /// The kind of the intervals around its means; `None` where they are of several kinds, or have uneven sides.
    pub spread: Option<Spread>,
    /// True if intervals that reach beyond 0 and beyond 1 were cut there.
    pub cut: [bool; 2],
    /// All trainings that can have lines, by number, where x is the epoch within a training.
    pub levels: Vec<Level>,
    /// Details for names in the legend: the settings in which an arm differs from the others.
    pub details: BTreeMap<String, String>,
    /// The settings and results of its arms, for readings.
    pub facts: LineFacts,
    /// Small print below the plot, such as "mean over 5 seeds, bars: 95 % CI".
    pub note: Note,
    /// The reason for an empty figure other than a want of results; mostly empty.
    pub lacks: String,
    /// The panels that have the values, if it is split.
    pub facets: Option<Facets>,
    /// The look of the whole figure in files: that of the window which it comes from.
    pub look: FigureLook,
    /// The names that are others in the legend: shorter ones, or "ticket = dense" for a line with the points of another one.
    pub in_legend: BTreeMap<String, String>,
    /// The one value of x that all points have, where x has the names of the lines instead.
    pub only_x: Option<f64>,
}

/// What a person looks at, which decides how lines and intervals are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FigureLook {
    /// The arm whose lines are on top.
    pub selected: Option<String>,
    /// The arms with intervals.
    pub bands: BandChoice,
}

impl FigureLook {
    /// Returns how the intervals of a figure or a panel are drawn: as bars at a few points, otherwise as the band of the
    /// selected arm. Bars of many lines, and any of lines by round, would be a thicket.
    pub fn intervals(&self, figure: &Figure) -> Intervals<'_> {
        const MOST_LINES: usize = 8;
        let banded = || figure.lines.iter().filter(|line| !line.band.is_empty());
        let are_few = figure.has_few_intervals();
        let is_by_round =
            || banded().any(|line| line.round.as_ref().is_some_and(|round| round.of != line.name));
        let selected = self.selected.as_deref().filter(|arm| figure.line_of(arm).is_some());
        match self.bands {
            BandChoice::None => Intervals::None,
            _ if figure.is_over_setting() => Intervals::Bars,
            BandChoice::All if are_few => Intervals::Bars,
            BandChoice::All => Intervals::Bands,
            BandChoice::Selected if is_by_round() => Intervals::None,
            BandChoice::Selected if !are_few && selected.is_some() => {
                selected.map_or(Intervals::None, Intervals::BandOf)
            }
            BandChoice::Selected if banded().count() <= MOST_LINES => Intervals::Bars,
            BandChoice::Selected => selected.map_or(Intervals::None, Intervals::BarsOf),
        }
    }
}

/// One series: a mean (or the only run) with its band and its single runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    pub name: String,
    /// Colour, dash and marker; the same for an arm in every figure.
    pub style: Style,
    /// `[x, y]` in drawing order. A value that is not finite interrupts the line.
    pub points: Vec<[f64; 2]>,
    /// The number of runs that each point averages; empty if it is no mean.
    pub counts: Vec<u32>,
    /// The values at each point by seed, for differences to a reference line; empty for others.
    pub by_seed: Vec<Vec<(u64, f64)>>,
    /// The spread around the points; empty for none.
    pub band: Vec<Band>,
    /// Single runs: first the unfinished ones beside the mean, then the averaged ones, drawn faintly.
    pub traces: Vec<Trace>,
    /// The runs that the points are where each is a single one, which no line joins; empty for a line through its points.
    pub names: Vec<String>,
    /// The index of the best point, which has a ring.
    pub best: Option<usize>,
    /// Its seeds, while some are to come, go on, or are left out.
    pub seeds: Option<Seeds>,
    /// Of a line by round, the training that it shows.
    pub round: Option<LineRound>,
}

/// The seeds of a mean while some are to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// Those that are done, of which the mean is; 0 for a mean of unfinished ones.
    pub done: usize,
    /// All of them; 0 where they have no common number, as in pooled arms and over a setting.
    pub planned: usize,
    /// The number of unfinished ones beside the mean: the first traces.
    pub running: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LineRound {
    pub arm: String,
    /// The subject of the line apart from the training: "winning ticket", "winning ticket, validation".
    pub of: String,
    /// Which training it is, from 1.
    pub number: usize,
    /// Share of the weights that remain in it, in [0, 1]; `None` where the arms of the line differ in it.
    pub remaining: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Which training it is, from 1.
    pub number: usize,
    /// Share of the weights that remain in it, in [0, 1]; `None` where arms differ in it.
    pub remaining: Option<f64>,
    pub is_drawn: bool,
}

/// Names a training by the weights that remain, "32.8 %", or by its number where that differs, "training 2".
pub fn training_text(number: usize, remaining: Option<f64>) -> String {
    remaining.map_or_else(|| format!("training {number}"), level_text)
}

/// A single run: one that a mean averages, an unfinished one beside a mean, or a line of parallel coordinates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Its name: "seed 3".
    pub name: String,
    /// `[x, y]` in drawing order; a single one is drawn as a dot.
    pub points: Vec<[f64; 2]>,
}

/// One part of all bars: a class, such as "masked", with its share in each category.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Its name in the legend. Parts with the same name share a row.
    pub name: String,
    /// The arm whose bar it belongs to, if a category has several bars side by side. Their order is that of the figure.
    pub stack: String,
    /// The colour, as in [`Style::colour`](super::Style::colour); `None` is grey.
    pub colour: Option<usize>,
    /// One value for each category or range; NaN where nothing was measured.
    pub values: Vec<f64>,
}

/// A line across the whole plot, such as the accuracy of the dense network.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceLine {
    pub name: String,
    pub at: At,
    /// The colour of its arm, as in [`Style::colour`]; `None` is grey.
    pub colour: Option<usize>,
    pub dash: Dash,
    /// The ends of the interval around its value, if it is a mean.
    pub spread: Option<[f64; 2]>,
    /// Its values by seed, for differences to it; may be empty.
    pub by_seed: Vec<(u64, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum At {
    X(f64),
    Y(f64),
}

impl Line {
    /// Returns a line without spread.
    pub fn new(name: &str, style: Style, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.to_owned(), style, points, ..Self::default() }
    }

    /// Returns the line through the means of levels, with their bands.
    pub fn from_levels(
        name: &str,
        style: Style,
        levels: impl IntoIterator<Item = statistics::Level>,
    ) -> Self {
        let mut line = Self::new(name, style, Vec::new());
        levels.into_iter().for_each(|level| line.push(level));
        line
    }

    /// Adds a point with its band.
    pub fn push(&mut self, level: statistics::Level) {
        self.points.push([level.x, level.mean]);
        self.counts.push(u32::try_from(level.n).unwrap_or(u32::MAX));
        self.band.extend(level.band);
    }

    /// Returns the ends of the first band at this x.
    pub fn band_at(&self, x: f64) -> Option<[f64; 2]> {
        let band = self.band.iter().find(|band| band.x.total_cmp(&x).is_eq())?;
        Some([band.low, band.high])
    }

    /// Returns all polylines of the line: its points, then its traces.
    pub fn polylines(&self) -> impl Iterator<Item = &[[f64; 2]]> {
        std::iter::once(self.points.as_slice()).chain(self.traces.iter().map(|trace| trace.points.as_slice()))
    }

    /// Counts the seeds that are done while others are to come or are left out: "2 of 3"; empty without a number.
    pub fn seeds_text(&self) -> String {
        let seeds = self.seeds.filter(|seeds| seeds.planned > 1);
        seeds.map_or_else(String::new, |seeds| format!("{} of {}", seeds.done, seeds.planned))
    }

    /// Returns the difference of its nth point to a reference line over the seeds that both have.
    pub fn difference(&self, nth: usize, reference: &ReferenceLine) -> Delta {
        self.by_seed.get(nth).map_or(Delta::Unknown, |own| Delta::between(&reference.by_seed, own))
    }

    /// Returns the best point with the ends of its band.
    pub fn best_value(&self) -> Option<([f64; 2], Option<[f64; 2]>)> {
        let point = *self.points.get(self.best?)?;
        Some((point, self.band_at(point[0])))
    }
}

/// Returns true if a line is that of an arm, or of one of its branches or series.
pub fn belongs_to(line: &str, arm: &str) -> bool {
    let rest = line.strip_prefix(arm);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", ") || rest.starts_with(" / "))
}

impl ReferenceLine {
    /// Returns a dashed line at this y.
    pub fn level(name: &str, y: f64, colour: Option<usize>) -> Self {
        let (name, at) = (name.to_owned(), At::Y(y));
        Self { name, at, colour, dash: Dash::Dashed, spread: None, by_seed: Vec::new() }
    }
}

impl Figure {
    /// Returns true if anything can be drawn; otherwise the plot shows "No data yet".
    pub fn has_data(&self) -> bool {
        if let Some(facets) = &self.facets {
            return facets.panels.iter().any(|panel| panel.figure.has_data());
        }
        let drawn =
            |point: &[f64; 2]| self.x.scale.forward(point[0]).and(self.y.scale.forward(point[1])).is_some();
        self.lines.iter().flat_map(Line::polylines).flatten().any(drawn)
            || self.bars.iter().flat_map(|bars| &bars.values).any(|value| value.is_finite())
            || self.cells.as_ref().is_some_and(Cells::has_data)
    }

    /// Returns the index of the line that stands for an arm: of its branches, members and series the first one.
    pub fn line_of(&self, arm: &str) -> Option<usize> {
        let own = self.lines.iter().position(|line| line.name == arm);
        own.or_else(|| self.lines.iter().position(|line| belongs_to(&line.name, arm)))
    }

    /// Returns the name of a line in the legend.
    pub fn legend_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        self.in_legend.get(name).map_or(Cow::Borrowed(name), |text| Cow::Owned(text.clone()))
    }

    /// Returns true if all intervals of each line have room as bars.
    pub fn has_few_intervals(&self) -> bool {
        self.lines.iter().all(|line| line.band.len() <= 12)
    }

    /// Returns the ends of a band as they are drawn: no loss is below 0.
    pub fn drawn_ends(&self, band: &Band) -> [f64; 2] {
        let least = if self.y.is_positive { 0.0 } else { f64::NEG_INFINITY };
        [band.low.max(least), band.high.max(least)]
    }

    /// Returns what its colours show, if they need a scale.
    pub fn scale(&self) -> Option<&Cells> {
        self.cells.as_ref().filter(|cells| cells.has_scale()).or(self.run_scale.as_ref())
    }

    /// Returns true if lines are drawn as separate marks, since x has names.
    pub fn is_of_marks(&self) -> bool {
        !self.x.categories.is_empty() && self.parallel.is_empty()
    }

    pub fn of_experiment(self, name: &str) -> Self {
        Self { experiment: name.trim().to_owned(), ..self }
    }

    /// Returns a name for its file's properties: "Lottery tickets – Accuracy".
    pub fn named(&self) -> String {
        let parts = [self.experiment.clone(), self.own_name()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" \u{2013} ")
    }

    /// Returns its title, otherwise the name of its plot, otherwise the label of an axis.
    fn own_name(&self) -> String {
        match &self.cells {
            _ if !self.title.trim().is_empty() => self.title.clone(),
            _ if !self.name.is_empty() => self.name.clone(),
            _ if !self.parallel.is_empty() => "Settings and results".to_owned(),
            Some(cells) => cells.axis.label(),
            None if self.is_lying() => self.x.label(),
            None => self.y.label(),
        }
    }

    /// Returns true if its lines are over values of a setting, each with a bar for its interval, of which one is the best.
    pub fn is_over_setting(&self) -> bool {
        self.parts().iter().flat_map(|part| &part.lines).any(|line| line.best.is_some())
    }

    /// Returns true if it consists of lines over two axes of numbers.
    pub fn has_curves(&self) -> bool {
        !self.lines.is_empty() && !self.is_of_areas() && self.parallel.is_empty() && self.cells.is_none()
    }

    /// Returns why nothing is drawn where that is not for want of results; of panels, why the first one is empty.
    pub fn why_empty(&self) -> &str {
        let first = self.facets.as_ref().and_then(|facets| facets.panels.first());
        first.map_or(&self.lacks, |panel| &panel.figure.lacks)
    }

    /// Names the values of its lines that the legend shows without a pointer.
    pub fn values_shown(&self) -> &'static str {
        let any = |holds: fn(&Line) -> bool| self.lines.iter().any(holds);
        match (any(|line| line.best.is_some()), any(|line| !line.names.is_empty())) {
            (true, _) => "best values",
            (false, true) => "a mark for each run",
            (false, false) => "last values",
        }
    }

    pub fn add_note(&mut self, text: &str) {
        let rest = &mut self.note.rest;
        if !rest.is_empty() {
            *rest += ", ";
        }
        *rest += text;
    }

    /// Returns true if the pointer selects a name or a range, not the nearest point of a line.
    pub fn is_of_areas(&self) -> bool {
        self.is_of_marks() || self.is_lying() || !self.bins.is_empty()
    }

    /// Returns true if its bars are horizontal: names are beside the vertical axis, where long ones have room.
    pub fn is_lying(&self) -> bool {
        self.x.categories.is_empty() && !self.y.categories.is_empty()
    }
}

/// A part of one bar, in the coordinates of the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarPart<'a> {
    pub bars: &'a Bars,
    /// Both sides, along the axis of names.
    pub sides: [f64; 2],
    /// Foot and head, along the axis of values.
    pub ends: [f64; 2],
}

/// The share of a category's width that its bars fill.
pub const FILLED: f64 = 0.8;

impl Bars {
    pub fn rgb(&self, theme: Theme) -> Rgb {
        self.colour.map_or(theme.pale(), |index| colour(index, theme))
    }
}

/// Returns the names of the bars that are side by side, from left to right.
pub fn stacks(figure: &Figure) -> Vec<&str> {
    distinct(figure.bars.iter().map(|bars| bars.stack.as_str()))
}

/// Returns all parts with a value, in the order of the figure.
pub fn bar_parts(figure: &Figure) -> Vec<BarPart<'_>> {
    let stacks = stacks(figure);
    let categories = figure.bars.iter().map(|bars| bars.values.len()).max().unwrap_or_default();
    let mut heads = vec![vec![0.0; categories]; stacks.len()];
    let count = stacks.len().max(1) as f64;
    let mut parts = Vec::new();
    for bars in &figure.bars {
        let Some(stack) = stacks.iter().position(|name| *name == bars.stack) else { continue };
        for (category, &value) in bars.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let foot = heads[stack][category];
            heads[stack][category] = foot + value;
            let Some([start, width]) = extent_of(figure, category) else { continue };
            let (width, stack) = (width / count, stack as f64);
            let left = start + stack * width;
            let (sides, ends) = ([left, left + width], [foot, foot + value]);
            parts.push(BarPart { bars, sides, ends });
        }
    }
    parts
}

/// Returns the start of the bars of a category or range, and their total width.
fn extent_of(figure: &Figure, category: usize) -> Option<[f64; 2]> {
    if figure.bins.is_empty() {
        return Some([category as f64 - FILLED / 2.0, FILLED]);
    }
    let (from, to) = figure.bins.get(category).zip(figure.bins.get(category + 1))?;
    Some([*from, to - from])
}

/// The small print of a figure. How its intervals are drawn is up to what draws it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Note {
    /// The subject: "mean over 5 seeds".
    pub what: String,
    /// In figures of faults, the trials that are drawn, by arm; panels add theirs up.
    pub trials: Vec<(String, u64)>,
    /// The kind of the intervals around means: "95 % CI". Empty without intervals.
    pub interval: String,
    pub rest: String,
}

impl Note {
    /// Returns the text for a figure whose intervals are drawn as `shown`: "bars"; empty where they are not drawn.
    pub fn text(&self, shown: &str) -> String {
        let interval = if self.interval.is_empty() || shown.is_empty() {
            String::new()
        } else {
            format!("{shown}: {}", self.interval)
        };
        let what = [self.what.trim().to_owned(), self.trials_in_words()];
        let what = what.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        let parts = [what.as_str(), interval.as_str(), self.rest.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Writes "a, storage int8 (1,500 trials); b (3 trials)"; adds many arms up.
    fn trials_in_words(&self) -> String {
        const MOST: usize = 6;
        if self.trials.len() > MOST {
            let all: u64 = self.trials.iter().map(|(_, trials)| trials).sum();
            return format!("{} arms and settings ({})", self.trials.len(), counted(all, "trial"));
        }
        let each = self.trials.iter().map(|(arm, trials)| format!("{arm} ({})", counted(*trials, "trial")));
        each.collect::<Vec<_>>().join("; ")
    }

    pub fn and_trials_of(mut self, other: &Self) -> Self {
        for (arm, trials) in &other.trials {
            match self.trials.iter_mut().find(|(known, _)| known == arm) {
                Some((_, sum)) => *sum += trials,
                None => self.trials.push((arm.clone(), *trials)),
            }
        }
        self
    }
}

impl<T: Into<String>> From<T> for Note {
    fn from(what: T) -> Self {
        Self { what: what.into(), ..Self::default() }
    }
}

impl Figure {
    /// Writes the remark about ends of intervals that are cut.
    fn cut_ends(parts: &[&Self]) -> Option<String> {
        // A line whose interval is cut may be hidden.
        let reaches = |is_there: fn(&Band) -> bool| {
            parts.iter().flat_map(|part| &part.lines).flat_map(|line| &line.band).any(is_there)
        };
        let is_cut = |end: usize| parts.iter().any(|part| part.cut[end]);
        let is_below = parts.iter().any(|part| part.y.is_positive) && reaches(|band| band.low < 0.0);
        let cut = [
            (is_below, "0"),
            (is_cut(0) && reaches(|band| band.low <= 0.0), "0 %"),
            (is_cut(1) && reaches(|band| band.high >= 1.0), "100 %"),
        ];
        let cut: Vec<&str> = cut.into_iter().filter(|(is_cut, _)| *is_cut).map(|(_, end)| end).collect();
        (!cut.is_empty()).then(|| format!("intervals are cut at {}", listed(&cut)))
    }

    /// Returns the small print below the plot: the note, then remarks about values that cannot be drawn. Intervals are drawn as
    /// `shown`, such as "bars"; empty where they are not drawn.
    pub fn remarks(&self, shown: &str) -> Vec<String> {
        let shown = if self.facets.is_none() && self.is_of_marks() { "bars" } else { shown };
        let mut remarks = vec![self.note.text(shown)];
        remarks.retain(|note| !note.is_empty());
        let (mut is_interrupted, mut lost) = (false, 0_usize);
        let parts = self.parts();
        if !shown.is_empty() {
            remarks.extend(Self::cut_ends(&parts));
        }
        for [x, y] in parts.iter().flat_map(|part| &part.lines).flat_map(Line::polylines).flatten() {
            if self.x.scale.forward(*x).is_none() {
                lost += 1;
            } else {
                is_interrupted |= self.y.scale.forward(*y).is_none();
            }
        }
        if is_interrupted && !self.parallel.is_empty() {
            remarks.push("a line has a gap where its run has no value".to_owned());
        } else if is_interrupted {
            remarks.push(format!("× interrupted: the value is {}", self.y.scale.refusal()));
        }
        if lost > 0 {
            let noun = if lost == 1 { "point is" } else { "points are" };
            let reason = self.x.scale.refusal();
            remarks.push(format!("{lost} {noun} not shown: the x value is {reason}"));
        }
        let mut cells = parts.iter().filter_map(|part| part.cells.as_ref());
        if let Some(cells) = cells.find(|cells| cells.has_data() && cells.has_holes()) {
            let why = if cells.kinds.is_empty() || !cells.texts.is_empty() {
                "were not measured"
            } else {
                "are not finite"
            };
            remarks.push(format!("empty cells {why}"));
        }
        remarks
    }

    /// Writes an interval, if it has a width: "± 0.24" where both sides are equal apart from a cut at the end of the axis, otherwise
    /// "50.00–92.00".
    pub fn interval_text(&self, value: f64, [low, high]: [f64; 2], digits: Digits) -> String {
        let bare = |value| digits.bare(value);
        let (below, above) = (value - low, high - value);
        let is_even = match self.spread {
            Some(Spread::Interval95 | Spread::StandardDeviation | Spread::StandardError) => true,
            // Equal apart from rounding errors of the ends.
            Some(Spread::None) | None => (above - below).abs() <= 1e-9 * above.abs().max(value.abs()),
            Some(Spread::MinMax) => false,
        };
        // Of an interval that is cut at both ends, no side is whole.
        let is_whole = self.y.format != Format::Percent || low > 0.0 || high < 1.0;
        let half = below.max(above);
        if half <= 1e-12 {
            String::new() // all values are equal
        } else if is_even && is_whole {
            plus_minus(half, &bare(half))
        } else {
            format!("{}–{}", bare(low), bare(high))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;
    use crate::{Axis, ReferenceLine, style_of};
    use results::statistics::Spread;

    #[test]
    fn a_figure_of_gaps_has_no_data() {
        let line = Line::new("a", style_of(0), vec![[1.0, f64::NAN]]);
        assert!(!Figure { lines: vec![line], ..Figure::default() }.has_data());
        assert!(!Figure::default().has_data());
    }

    fn part(name: &str, stack: &str, values: &[f64]) -> Bars {
        Bars { name: name.to_owned(), stack: stack.to_owned(), colour: None, values: values.to_vec() }
    }

    #[test]
    fn parts_stand_on_each_other_and_arms_side_by_side() {
        let bars = vec![
            part("masked", "a", &[0.5, f64::NAN]),
            part("masked", "b", &[0.25, 0.25]),
            part("sdc", "a", &[0.25, 1.0]),
        ];
        let figure = Figure { bars, ..Figure::default() };
        let shown: Vec<_> = bar_parts(&figure).iter().map(|part| (part.sides, part.ends)).collect();
        assert_eq!(
            shown,
            [
                ([-0.4, 0.0], [0.0, 0.5]),
                ([0.0, 0.4], [0.0, 0.25]),
                ([1.0, 1.4], [0.0, 0.25]),
                ([-0.4, 0.0], [0.5, 0.75]),
                ([0.6, 1.0], [0.0, 1.0]),
            ]
        );
    }

    #[test]
    fn bars_fill_the_ranges_that_they_stand_on() {
        let bars = vec![part("trained", "", &[1.0, 2.0]), part("held", "", &[3.0, f64::NAN])];
        let figure = Figure { bars, bins: vec![-1.0, 0.0, 2.0], ..Figure::default() };
        let shown: Vec<_> = bar_parts(&figure).iter().map(|part| (part.sides, part.ends)).collect();
        assert_eq!(shown, [([-1.0, 0.0], [0.0, 1.0]), ([0.0, 2.0], [0.0, 2.0]), ([-1.0, 0.0], [1.0, 4.0])]);
    }

    #[test]
    fn trials_of_the_same_arm_add_up_and_many_arms_are_counted() {
        let of = |trials: &[(&str, u64)]| Note {
            what: "share".to_owned(),
            trials: trials.iter().map(|(arm, trials)| ((*arm).to_owned(), *trials)).collect(),
            ..Note::default()
        };
        let both = of(&[("a", 1500)]).and_trials_of(&of(&[("a", 1500), ("b", 1)]));
        assert_eq!(both.text(""), "share: a (3,000 trials); b (1 trial)");
        let many = ["a", "b", "c", "d", "e", "f", "g"].map(|arm| (arm, 100));
        assert_eq!(of(&many).text(""), "share: 7 arms and settings (700 trials)");
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let points = vec![[0.0, 1.0], [1.0, f64::NAN], [f64::NAN, 1.0]];
        let mut figure = Figure { lines: vec![Line::new("a", style_of(0), points)], ..Figure::default() };
        assert_eq!(
            figure.remarks(""),
            ["× interrupted: the value is not finite", "1 point is not shown: the x value is not finite"]
        );
        figure.x.scale = Scale::Log10;
        assert_eq!(
            figure.remarks("")[1],
            "2 points are not shown: the x value is not positive or not finite"
        );
    }

    #[test]
    fn the_small_print_names_intervals_that_are_cut() {
        let mut line = Line::new("ticket", style_of(0), vec![[0.5, 0.97]]);
        line.band = vec![Band { x: 0.5, low: 0.9, high: 1.0 }];
        let dense = ReferenceLine { spread: Some([0.89, 0.91]), ..ReferenceLine::level("dense", 0.9, None) };
        let figure = Figure {
            y: Axis::percent("Accuracy"),
            lines: vec![line],
            reference_lines: vec![dense],
            spread: Some(Spread::Interval95),
            cut: [false, true],
            ..Figure::default()
        };
        assert_eq!(figure.remarks("bars"), ["intervals are cut at 100 %"]);
        assert!(figure.remarks("").is_empty());
        let whole = Figure { cut: [false; 2], ..figure.clone() };
        assert!(whole.remarks("bars").is_empty(), "an interval may end at 100 %");
        let mut loss = Figure { y: Axis::new("Loss", "").positive(), ..whole };
        assert!(loss.remarks("bars").is_empty());
        loss.lines[0].band[0].low = -0.25;
        assert_eq!(loss.remarks("bars"), ["intervals are cut at 0"]);
        assert_eq!(loss.drawn_ends(&loss.lines[0].band[0]), [0.0, 1.0]);
    }

    /// So many lines of arms `a`, `b` … with an interval at each of so many points.
    fn banded(lines: u8, points: u32) -> Figure {
        let line = |index: u8| {
            let name = char::from(b'a' + index).to_string();
            let points: Vec<_> = (0..points).map(|x| [f64::from(x), 0.5]).collect();
            let band = points.iter().map(|[x, _]| Band { x: *x, low: 0.25, high: 0.75 }).collect();
            Line { band, ..Line::new(&name, style_of(index.into()), points) }
        };
        Figure { lines: (0..lines).map(line).collect(), ..Figure::default() }
    }

    #[test]
    fn a_few_intervals_are_bars_and_of_many_the_selected_line_has_a_band() {
        let selected = FigureLook { selected: Some("a".to_owned()), ..FigureLook::default() };
        let none = FigureLook::default();
        let of = |look: &FigureLook, lines, points| format!("{:?}", look.intervals(&banded(lines, points)));
        assert_eq!(of(&selected, 3, 12), "Bars");
        assert_eq!(of(&selected, 3, 13), "BandOf(\"a\")");
        assert_eq!(of(&none, 3, 13), "Bars", "at the marked points");
        assert_eq!([&selected, &none].map(|look| of(look, 9, 12)), ["BarsOf(\"a\")", "None"]);
        let all = FigureLook { bands: BandChoice::All, ..selected.clone() };
        assert_eq!([12, 13].map(|points| of(&all, 9, points)), ["Bars", "Bands"]);
        let mut by_round = banded(3, 5);
        for line in &mut by_round.lines {
            let (arm, of) = (line.name.clone(), line.name.clone());
            line.round = Some(LineRound { arm, of, number: 1, remaining: Some(1.0) });
            line.name += ", 100 %";
        }
        assert_eq!(selected.intervals(&by_round), Intervals::None);
    }

    #[test]
    fn the_line_of_an_arm_is_its_own_or_the_first_of_its_branches() {
        let lines = ["a / b", "a, vote", "b, x", "b"].map(|name| Line::new(name, style_of(0), Vec::new()));
        let figure = Figure { lines: lines.into(), ..Figure::default() };
        assert_eq!(["a", "b", "c"].map(|arm| figure.line_of(arm)), [Some(0), Some(3), None]);
    }

    #[test]
    fn only_an_interval_with_equal_sides_is_written_as_half_its_width() {
        let text = |spread: Option<Spread>, value: f64, ends: [f64; 2]| {
            let y = Axis::percent("Accuracy");
            let digits = Digits::new([value], y.format);
            Figure { y, spread, ..Figure::default() }.interval_text(value, ends, digits)
        };
        let uneven = [0.5, 0.92];
        assert_eq!(text(Some(Spread::MinMax), 0.7733, uneven), "50.00–92.00");
        assert_eq!(text(None, 0.7733, uneven), "50.00–92.00", "of an unknown kind");
        assert_eq!(text(Some(Spread::MinMax), 0.5, [0.25, 0.75]), "25.00–75.00");
        assert_eq!(text(Some(Spread::StandardDeviation), 0.97, [0.8994, 1.0]), "± 7.06", "cut at 100 %");
        assert_eq!(text(Some(Spread::Interval95), 0.5, [0.0, 1.0]), "0.00–100.00", "cut at both ends");
        assert_eq!(text(None, 0.5, [0.25, 0.75]), "± 25.00");
        assert_eq!(text(Some(Spread::Interval95), 1.0, [1.0, 1.0]), "", "no ± 0.00");
    }
}
