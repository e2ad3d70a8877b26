//! The parts of a figure, as plain data that can be cloned, compared and printed.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::cells::Cells;
use super::facets::Facets;
pub use super::note::Note;
use super::palette::{Dash, Style};
use results::rounds::level_text;
use results::statistics::{Band, Spread};
use results::table::{Delta, LineFacts};

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
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// For parallel coordinates only: the axes that replace y, with their ranges. The nth belongs to the nth name of x and
    /// gives the scale of values there. Such figures draw the traces of their lines.
    pub parallel: Vec<Axis>,
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
    /// What the intervals around its means are; `None` where they are of several kinds, or have uneven sides.
    pub spread: Option<Spread>,
    /// Whether intervals that reach beyond 0 and beyond 1 were cut there.
    pub cut: [bool; 2],
    /// Where x is the epoch within a training: all trainings that can have lines, by number.
    pub levels: Vec<Level>,
    /// Details for names in the legend: the settings in which an arm differs from the others.
    pub details: BTreeMap<String, String>,
    /// What its arms have in the columns of the table of runs, for readings.
    pub facts: LineFacts,
    /// Small print below the plot, such as "mean over 5 seeds, bars: 95 % CI".
    pub note: Note,
    /// Why nothing is drawn, where that is not for want of results; empty otherwise.
    pub lacks: String,
    /// The panels that have the values, if it is split.
    pub facets: Option<Facets>,
}

/// One series: a mean (or the only run) with its band and its single runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Its name in the legend.
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
    /// How many seeds it averages while others are to come, go on, or are left out.
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

/// The training that a line shows.
#[derive(Debug, Clone, PartialEq)]
pub struct LineRound {
    /// Its arm.
    pub arm: String,
    /// What the line is of apart from the training: "winning ticket", "winning ticket, validation".
    pub of: String,
    /// Which training it is, from 1.
    pub number: usize,
    /// Share of the weights that remain in it, in [0, 1]; `None` where the arms of the line differ in it.
    pub remaining: Option<f64>,
}

/// A training of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Which training it is, from 1.
    pub number: usize,
    /// Share of the weights that remain in it, in [0, 1]; `None` where arms differ in it.
    pub remaining: Option<f64>,
    /// Whether it has a line.
    pub is_drawn: bool,
}

/// What a training is called: by the weights that remain, "32.8 %", or by its number where that differs, "training 2".
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
    /// Its name in the legend.
    pub name: String,
    /// Its axis and value.
    pub at: At,
    /// The colour of its arm, as in [`Style::colour`]; `None` is grey.
    pub colour: Option<usize>,
    /// Its pattern.
    pub dash: Dash,
    /// The ends of the interval around its value, if it is a mean.
    pub spread: Option<[f64; 2]>,
    /// Its values by seed, for differences to it; may be empty.
    pub by_seed: Vec<(u64, f64)>,
}

/// The position of a [`ReferenceLine`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum At {
    /// A vertical line at this x.
    X(f64),
    /// A horizontal line at this y.
    Y(f64),
}

impl Line {
    /// A line without spread.
    pub fn new(name: &str, style: Style, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.to_owned(), style, points, ..Self::default() }
    }

    /// All polylines of the line: its points, then its traces.
    pub fn polylines(&self) -> impl Iterator<Item = &[[f64; 2]]> {
        std::iter::once(self.points.as_slice()).chain(self.traces.iter().map(|trace| trace.points.as_slice()))
    }

    /// How many of its seeds are done while others are to come or are left out: "2 of 3"; empty without a number.
    pub fn seeds_text(&self) -> String {
        let seeds = self.seeds.filter(|seeds| seeds.planned > 1);
        seeds.map_or_else(String::new, |seeds| format!("{} of {}", seeds.done, seeds.planned))
    }

    /// How much its nth point is above a reference line: over the seeds that both have.
    pub fn difference(&self, nth: usize, reference: &ReferenceLine) -> Delta {
        self.by_seed.get(nth).map_or(Delta::Unknown, |own| Delta::between(&reference.by_seed, own))
    }

    /// The best point with the ends of its band.
    pub fn best_value(&self) -> Option<([f64; 2], Option<[f64; 2]>)> {
        let point = *self.points.get(self.best?)?;
        let band = self.band.iter().find(|band| band.x.total_cmp(&point[0]).is_eq());
        Some((point, band.map(|band| [band.low, band.high])))
    }
}

impl ReferenceLine {
    /// A dashed line at this y.
    pub fn level(name: &str, y: f64, colour: Option<usize>) -> Self {
        let (name, at) = (name.to_owned(), At::Y(y));
        Self { name, at, colour, dash: Dash::Dashed, spread: None, by_seed: Vec::new() }
    }

    /// The same line with the interval around its value.
    pub fn with_spread(self, spread: Option<[f64; 2]>) -> Self {
        Self { spread, ..self }
    }
}

impl Figure {
    /// Whether anything can be drawn; otherwise the plot shows "No data yet".
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

    /// Whether lines are drawn as separate marks, since x has names.
    pub fn is_of_marks(&self) -> bool {
        !self.x.categories.is_empty() && self.parallel.is_empty()
    }

    /// The same figure of this experiment.
    pub fn of_experiment(self, name: &str) -> Self {
        Self { experiment: name.trim().to_owned(), ..self }
    }

    /// A name for its file's properties: "Lottery tickets – Accuracy".
    pub fn named(&self) -> String {
        let parts = [self.experiment.clone(), self.own_name()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" \u{2013} ")
    }

    /// Its title, otherwise the name of its plot, otherwise the label of an axis.
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

    /// Whether its lines are over values of a setting, each with a bar for its interval, of which one is the best.
    pub fn is_over_setting(&self) -> bool {
        self.parts().iter().flat_map(|part| &part.lines).any(|line| line.best.is_some())
    }

    /// Whether it consists of lines over two axes of numbers.
    pub fn has_curves(&self) -> bool {
        !self.lines.is_empty() && !self.is_of_areas() && self.parallel.is_empty() && self.cells.is_none()
    }

    /// Why nothing is drawn, where that is not for want of results; of panels, why the first one is empty.
    pub fn why_empty(&self) -> &str {
        let first = self.facets.as_ref().and_then(|facets| facets.panels.first());
        first.map_or(&self.lacks, |panel| &panel.figure.lacks)
    }

    /// Which values of its lines the legend shows without a pointer.
    pub fn values_shown(&self) -> &'static str {
        let any = |holds: fn(&Line) -> bool| self.lines.iter().any(holds);
        match (any(|line| line.best.is_some()), any(|line| !line.names.is_empty())) {
            (true, _) => "best values",
            (false, true) => "a mark for each run",
            (false, false) => "last values",
        }
    }

    /// Adds to the small print.
    pub fn add_note(&mut self, text: &str) {
        let rest = &mut self.note.rest;
        if !rest.is_empty() {
            *rest += ", ";
        }
        *rest += text;
    }

    /// Whether the pointer selects a name or a range, not the nearest point of a line.
    pub fn is_of_areas(&self) -> bool {
        self.is_of_marks() || self.is_lying() || !self.bins.is_empty()
    }

    /// Whether its bars are horizontal: names are beside the vertical axis, where long ones have room.
    pub fn is_lying(&self) -> bool {
        self.x.categories.is_empty() && !self.y.categories.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style_of;

    #[test]
    fn a_figure_of_gaps_has_no_data() {
        let line = Line::new("a", style_of(0), vec![[1.0, f64::NAN]]);
        assert!(!Figure { lines: vec![line], ..Figure::default() }.has_data());
        assert!(!Figure::default().has_data());
    }
}
