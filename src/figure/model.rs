//! What a figure is made of. Plain data: cloned, compared and printed, never drawn here.

use std::collections::BTreeMap;

use super::bars::Bars;
use super::cells::Cells;
use super::palette::{Dash, Style};
use super::scale::Scale;
use crate::results::number::Format;
use crate::results::statistics::Band;

/// A figure over two axes: lines, stacked bars, or the cells of a heat map; or lines across parallel axes.
///
/// On an axis of names there is nothing between two points: a line is drawn as its marks there, its band as whiskers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// Above the plot; empty in most papers, where the caption says it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Upright axes instead of the vertical one, with their ranges: the nth belongs to the nth name of x, and the values
    /// of points there are its own. Empty in all figures but parallel coordinates, which draw the traces of their lines.
    pub parallel: Vec<Axis>,
    /// Coloured cells, below everything else.
    pub cells: Option<Cells>,
    /// The parts of stacked bars, from the axis outwards.
    pub bars: Vec<Bars>,
    /// The ends of the ranges of x that bars stand on, one more than there are bars; empty where they stand on names.
    pub bins: Vec<f64>,
    /// Drawn in this order, later ones on top.
    pub lines: Vec<Line>,
    /// Reference levels, such as the accuracy of the dense network.
    pub rules: Vec<Rule>,
    /// What the legend says behind a name, by the name: in which settings its arm differs from the others.
    pub details: BTreeMap<String, String>,
    /// Small print below the plot, such as "mean over 5 seeds, band: 95 % interval".
    pub note: String,
}

/// One axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What is measured, in words: "Test accuracy".
    pub title: String,
    /// Its unit, set in brackets after the title; empty for none (and "%" for [`Format::Percent`]).
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Fixed ends; `None` takes them from the data.
    pub range: Option<[f64; 2]>,
    /// How tick labels are written.
    pub format: Format,
    /// Large values come first, as in figures over shrinking networks.
    pub reversed: bool,
    /// Names instead of numbers, the nth at the place n; empty for an axis of numbers.
    pub categories: Vec<Category>,
}

/// A place on an axis of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Category {
    /// What its tick says: "b30".
    pub name: String,
    /// What it has in common with its neighbours, written once below the horizontal axis: "exponent". May be empty.
    pub group: String,
}

/// One series: a mean (or the only run) with what surrounds it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// What the legend calls it.
    pub name: String,
    /// Colour, dash and marker; an arm keeps its own in every figure.
    pub style: Style,
    /// `[x, y]` in drawing order. A value that is not finite interrupts the line.
    pub points: Vec<[f64; 2]>,
    /// Of how many runs each point is the mean; empty where it is none.
    pub counts: Vec<u32>,
    /// The spread around the points; empty for none.
    pub band: Vec<Band>,
    /// The single runs behind the mean, drawn faintly.
    pub traces: Vec<Trace>,
}

/// A single run behind a mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Which run: "seed 3".
    pub name: String,
    /// `[x, y]` in drawing order.
    pub points: Vec<[f64; 2]>,
}

/// A reference level across the whole plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// What the legend calls it.
    pub name: String,
    /// Which level of which axis.
    pub at: At,
    /// The colour of the arm that it belongs to, as in [`Style::colour`]; `None` is grey.
    pub colour: Option<usize>,
    /// Dashed by default; a second rule is easier to tell when it is dotted.
    pub dash: Dash,
}

/// The place of a [`Rule`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum At {
    /// A vertical line at this x.
    X(f64),
    /// A horizontal line at this y.
    Y(f64),
}

impl Axis {
    /// A linear axis with a title and a unit (empty for none).
    pub fn new(title: &str, unit: &str) -> Self {
        Self { title: title.to_owned(), unit: unit.to_owned(), ..Self::default() }
    }

    /// An axis of shares in 0..1, written as percent.
    pub fn percent(title: &str) -> Self {
        Self { format: Format::Percent, ..Self::new(title, "") }
    }

    /// The same axis with a logarithmic scale.
    pub fn log(self) -> Self {
        Self { scale: Scale::Log10, ..self }
    }

    /// An axis of names.
    pub fn named(title: &str, categories: Vec<Category>) -> Self {
        Self { categories, ..Self::new(title, "") }
    }

    /// The category around a place.
    pub fn category(&self, place: f64) -> Option<usize> {
        let nearest = place.round();
        let index = (0.0..1e6).contains(&nearest).then_some(nearest as usize)?;
        (index < self.categories.len()).then_some(index)
    }

    /// Neighbours of one group, as the group's name with its first and last category.
    pub fn groups(&self) -> Vec<(&str, [usize; 2])> {
        let mut first = 0;
        let groups = self.categories.chunk_by(|a, b| a.group == b.group).map(|group| {
            let ends = [first, first + group.len() - 1];
            first += group.len();
            (group[0].group.as_str(), ends)
        });
        groups.filter(|(name, _)| !name.is_empty()).collect()
    }

    /// The title with its unit in brackets.
    pub fn label(&self) -> String {
        let unit = match (self.unit.as_str(), self.format) {
            ("", Format::Percent) => "%",
            (unit, _) => unit,
        };
        match (self.title.is_empty(), unit.is_empty()) {
            (_, true) => self.title.clone(),
            (true, false) => unit.to_owned(),
            (false, false) => format!("{} ({unit})", self.title),
        }
    }
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
}

impl Rule {
    /// A dashed grey level of y.
    pub fn level(name: &str, y: f64) -> Self {
        Self { name: name.to_owned(), at: At::Y(y), colour: None, dash: Dash::Dashed }
    }
}

impl Figure {
    /// Whether a point can be drawn at all; otherwise the plot says "No data yet".
    pub fn has_data(&self) -> bool {
        let drawn =
            |point: &[f64; 2]| self.x.scale.forward(point[0]).and(self.y.scale.forward(point[1])).is_some();
        self.lines.iter().flat_map(Line::polylines).flatten().any(drawn)
            || self.bars.iter().flat_map(|bars| &bars.values).any(|value| value.is_finite())
            || self.cells.as_ref().is_some_and(Cells::has_data)
    }

    /// Whether lines are marks beside each other, since names have no places between them.
    pub fn is_of_marks(&self) -> bool {
        !self.x.categories.is_empty() && self.parallel.is_empty()
    }

    /// What to call the figure where it needs a name: its title, else what its y axis shows.
    pub fn named(&self) -> String {
        match &self.cells {
            _ if !self.title.trim().is_empty() => self.title.clone(),
            _ if !self.parallel.is_empty() => "Settings and results".to_owned(),
            Some(cells) => cells.axis.label(),
            None if self.is_lying() => self.x.label(),
            None => self.y.label(),
        }
    }

    /// Its axes and texts, without lines, bars and rules, which can be large.
    pub fn clone_without_data(&self) -> Self {
        let Self { title, x, y, parallel, cells, bars: _, bins, lines: _, rules: _, details, note } = self;
        let (title, x, y) = (title.clone(), x.clone(), y.clone());
        let (parallel, cells, bins) = (parallel.clone(), cells.clone(), bins.clone());
        let (details, note) = (details.clone(), note.clone());
        Self { title, x, y, parallel, cells, bins, details, note, ..Self::default() }
    }

    /// Whether a place in it is read off by the name or the range that it belongs to, not by the nearest point of a line.
    pub fn is_of_areas(&self) -> bool {
        self.is_of_marks() || self.is_lying() || !self.bins.is_empty()
    }

    /// Whether its bars lie: names stand beside the vertical axis, where long ones have room.
    pub fn is_lying(&self) -> bool {
        self.x.categories.is_empty() && !self.y.categories.is_empty()
    }

    /// The small print below the plot: the note, then what cannot be seen in the plot itself.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.note.trim().is_empty() {
            remarks.push(self.note.clone());
        }
        let (mut is_interrupted, mut lost) = (false, 0_usize);
        for [x, y] in self.lines.iter().flat_map(Line::polylines).flatten() {
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
        if let Some(cells) = self.cells.as_ref().filter(|cells| cells.has_data() && cells.has_holes()) {
            let why = if cells.kinds.is_empty() { "were not measured" } else { "are not finite" };
            remarks.push(format!("empty cells {why}"));
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::style_of;

    #[test]
    fn the_label_of_an_axis_has_its_unit_in_brackets() {
        assert_eq!(Axis::new("Epoch", "").label(), "Epoch");
        assert_eq!(Axis::new("Time", "s").label(), "Time (s)");
        assert_eq!(Axis::percent("Accuracy").label(), "Accuracy (%)");
        assert_eq!(Axis::new("", "s").label(), "s");
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let points = vec![[0.0, 1.0], [1.0, f64::NAN], [f64::NAN, 1.0]];
        let mut figure = Figure { lines: vec![Line::new("a", style_of(0), points)], ..Figure::default() };
        assert_eq!(
            figure.remarks(),
            ["× interrupted: the value is not finite", "1 point is not shown: the x value is not finite"]
        );
        figure.x.scale = Scale::Log10;
        assert_eq!(figure.remarks()[1], "2 points are not shown: the x value is not positive or not finite");
    }

    #[test]
    fn a_figure_of_gaps_has_no_data() {
        let line = Line::new("a", style_of(0), vec![[1.0, f64::NAN]]);
        assert!(!Figure { lines: vec![line], ..Figure::default() }.has_data());
        assert!(!Figure::default().has_data());
    }
}
