//! A figure as items: the one description of how figures look, for files and for the window.
//!
//! ```text
//! Figure + Surface (mappings, theme, what is hidden) → items → SVG
//!                                                        └──→ shapes of the window
//! ```
//!
//! [`drawn`](page::drawn) adds axes and texts, which the window has from its plot widget.

pub mod areas;
pub mod ends;
pub mod lines;
pub mod page;
pub mod thinning;
mod turns;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::axis::Mapping;
use super::distinct;
use super::layout::{Rect, Text};
use super::model::{Figure, Line, ReferenceLine, Trace, belongs_to};
use super::palette::{Dash, Marker, Rgb, Style, Theme, colour};
pub use thinning::Detail;
pub use turns::name_equal;

/// At most so many averaged runs are drawn behind the means.
pub const MOST_TRACES: usize = 30;

/// A figure on a surface with axes.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    pub figure: &'a Figure,
    /// From values to points.
    pub x: Mapping,
    pub y: Mapping,
    pub area: Rect,
    /// Size of the text in points: the unit of all widths.
    pub em: f64,
    pub theme: Theme,
    pub look: Look<'a>,
}

/// The visible part of a figure, and its fineness.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Names that are not drawn.
    pub hidden: &'a BTreeSet<String>,
    /// The line at the pointer in the legend; all others are faint.
    pub highlighted: Option<&'a str>,
    /// The name of the selected arm, whose lines are a little wider and on top of others.
    pub selected: Option<&'a str>,
    pub intervals: Intervals<'a>,
    pub detail: Detail,
}

/// The drawing of the spread around means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intervals<'a> {
    None,
    Bands,
    /// As the band of the line of this arm.
    BandOf(&'a str),
    /// As bars at the markers, beside those of other lines.
    Bars,
    /// As bars at the markers of the line of this arm.
    BarsOf(&'a str),
}

impl Intervals<'_> {
    /// Returns true if they are bars, not bands.
    pub const fn are_bars(self) -> bool {
        matches!(self, Self::Bars | Self::BarsOf(_))
    }

    /// Returns which lines of a figure, by index, have intervals.
    pub fn filter(self, figure: &Figure) -> impl Fn(usize) -> bool + Copy + use<> {
        let (all, one) = match self {
            Self::None => (false, None),
            Self::Bands | Self::Bars => (true, None),
            Self::BandOf(arm) | Self::BarsOf(arm) => (false, figure.line_of(arm)),
        };
        move |index| all || one == Some(index)
    }

    /// Names them in small print; empty without any.
    pub const fn words(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Bands => "bands",
            Self::Bars => "bars",
            Self::BandOf(_) => "band of the selected arm",
            Self::BarsOf(_) => "bars of the selected arm",
        }
    }
}

/// Names the ways in which a figure or its panels draw intervals: "bars or the band of the selected arm".
pub fn words_of<'a>(figure: &Figure, intervals: impl Fn(&Figure) -> Intervals<'a>) -> String {
    let words = |part: &Figure| if part.is_of_marks() { "bars" } else { intervals(part).words() };
    let has_bands = |part: &&Figure| part.lines.iter().any(|line| !line.band.is_empty());
    let shown = figure.parts().into_iter().filter(has_bands).map(words);
    distinct(shown.filter(|words| !words.is_empty())).join(" or the ")
}

impl<'a> Surface<'a> {
    /// Returns the lines that are not hidden, with their indices.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a Line)> {
        let hidden = self.look.hidden;
        self.figure.lines.iter().enumerate().filter(move |(_, line)| !hidden.contains(&line.name))
    }

    /// Returns the place of a point; y is NaN where one of its values cannot be shown.
    pub fn place(&self, [x, y]: Point) -> Point {
        match self.x.place(x) {
            Some(x) => [x, self.y.place(y).unwrap_or(f64::NAN)],
            None => [f64::NAN; 2],
        }
    }

    /// Returns true if a place is within the data area.
    pub fn holds(&self, [x, y]: Point) -> bool {
        let (slack, area) = (0.01, self.area);
        (area.left - slack..=area.right + slack).contains(&x)
            && (area.top - slack..=area.bottom + slack).contains(&y)
    }

    /// Returns the indices of lines with the numbers of their first single runs that are drawn: unfinished ones, and
    /// averaged ones; of many, those of the line that stands out.
    fn traced(&self) -> impl Iterator<Item = (usize, usize)> {
        let running = |line: &Line| line.seeds.map_or(0, |seeds| seeds.running).min(line.traces.len());
        // Dots hide less than lines.
        let is_line = |trace: &&Trace| trace.points.len() > 1;
        let averaged = |line: &'a Line| line.traces[running(line)..].iter().filter(is_line).count();
        let count: usize = self.lines().map(|(_, line)| averaged(line)).sum();
        let chosen = self.look.highlighted.or(self.look.selected);
        self.lines().map(move |(index, line)| {
            let is_chosen = line.traces.len() <= MOST_TRACES && chosen.is_some_and(|own| own == line.name);
            let all = if count <= MOST_TRACES || is_chosen { line.traces.len() } else { running(line) };
            (index, all)
        })
    }
}

/// Returns the cells and bars: what is below the grid lines' level.
pub fn ground(surface: &Surface<'_>) -> Vec<Item> {
    let mut items = areas::cells(surface);
    items.extend(areas::bars(surface));
    items
}

pub fn bands(surface: &Surface<'_>) -> Vec<Item> {
    if surface.figure.is_of_marks() { Vec::new() } else { lines::bands(surface) }
}

/// Returns lines and marks, with everything that is over the bands. Lines on top, with their marks, follow those of others.
pub fn over(surface: &Surface<'_>) -> Vec<Item> {
    if surface.figure.is_of_marks() { lines::marks(surface) } else { lines::lines(surface) }
}

/// A place in points from the upper left corner.
pub type Point = [f64; 2];

/// Part of an area between two edges: x, the upper and the lower y.
pub type Column = [f64; 3];

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its subject, for the pointer; `None` for axes, texts and the like.
    pub id: Option<Id>,
    pub shape: Shape,
}

/// The subject of an item, by its index in the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    Line(usize),
    /// A single run: the indices of the line and of the trace in it.
    Run([usize; 2]),
    Reference(usize),
    Bars(usize),
    Cell([usize; 2]),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through points; one whose y is NaN interrupts it.
    Line(Vec<Point>, Pen),
    Band(Vec<Column>, Ink),
    Rect(Rect, Ink, Option<Pen>),
    Mark(Mark),
    Text(Text, Rgb),
    Image(Image),
    /// Items of which only the part within the rectangle is visible.
    Clip(Rect, Vec<Item>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ink {
    pub colour: Rgb,
    /// 0 to 1.
    pub opacity: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pen {
    pub ink: Ink,
    pub width: f64,
    pub dash: Dash,
    /// The unit of the pattern in points: mostly the width.
    pub unit: f64,
    /// The number of lines below, which its gaps show; 0 for its own dashes.
    pub below: u8,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    pub marker: Marker,
    pub at: Point,
    pub radius: f64,
    /// Its filling; the colour of the strokes of a marker that has only strokes.
    pub ink: Ink,
    /// Its rim; for a marker that has only strokes, their width.
    pub rim: Pen,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    pub rect: Rect,
    /// Rows and columns.
    pub size: [usize; 2],
    /// Colours row by row from the upper left corner; `None` is transparent.
    pub pixels: Arc<Vec<Option<Rgb>>>,
}

impl Ink {
    /// Returns an opaque colour.
    pub const fn new(colour: Rgb) -> Self {
        Self { colour, opacity: 1.0 }
    }

    /// Returns the colour with a part of the opacity.
    pub fn faint(self, share: f64) -> Self {
        Self { opacity: self.opacity * share, ..self }
    }
}

impl Pen {
    pub const fn new(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: Dash::Solid, unit: width, below: 0 }
    }

    pub const fn dashed(self, dash: Dash) -> Self {
        Self { dash, ..self }
    }

    /// Returns the lengths of strokes and gaps in points; empty if solid.
    pub fn pattern(&self) -> Vec<f64> {
        /// Length of its dashes over another line.
        const TURN: f64 = 4.0;
        let turns = [TURN, TURN * f64::from(self.below)];
        let pattern = if self.below > 0 { &turns } else { self.dash.pattern() };
        pattern.iter().map(|length| length * self.unit).collect()
    }
}

impl Mark {
    /// Returns a disc without a rim.
    pub const fn dot(at: Point, radius: f64, ink: Ink) -> Self {
        Self { marker: Marker::Circle, at, radius, ink, rim: Pen::new(ink, 0.0) }
    }
}

impl Shape {
    /// Returns the item of this shape that shows nothing of the figure.
    pub const fn plain(self) -> Item {
        Item { id: None, shape: self }
    }

    /// Returns the item of this shape that shows this subject.
    pub const fn of(self, id: Id) -> Item {
        Item { id: Some(id), shape: self }
    }
}

/// Returns the items cut at an area; nothing without any.
fn clipped(area: Rect, items: Vec<Item>) -> Vec<Item> {
    if items.is_empty() { items } else { vec![Shape::Clip(area, items).plain()] }
}

/// Joins separate lines to the points of one.
pub fn segments(lines: impl IntoIterator<Item = [Point; 2]>) -> Vec<Point> {
    let mut points = Vec::new();
    for ends in lines {
        if !points.is_empty() {
            points.push([f64::NAN; 2]);
        }
        points.extend(ends);
    }
    points
}

/// Returns the pieces of a line between its interruptions.
pub fn pieces(points: &[Point]) -> impl Iterator<Item = &[Point]> {
    points.split(|point| point[1].is_nan()).filter(|piece| !piece.is_empty())
}

/// Width of a line, of one that stands out, and of a reference line.
pub const LINE: f64 = 0.165;
const STRONG: f64 = 0.21;
const REFERENCE: f64 = 0.13;
/// Width of the line of a single run, and of lines that are no results yet, or no longer.
const TRACE: f64 = 0.08;
const THIN: f64 = 0.1;
/// Width of whiskers and error bars.
pub const WHISKER: f64 = 0.145;
/// Width of grid lines, and of axes with their ticks.
pub const GRID: f64 = 0.07;
pub const AXIS: f64 = 0.09;
/// Width of the line between bars, and around markers, in the colour of the ground.
pub const RIM: f64 = 0.06;
/// Radius of markers and of the sign at a gap, and of the dot of a single run.
pub const MARKER: f64 = 0.3;
pub const DOT: f64 = 0.14;
/// Radius of the ring around the best point of a line.
pub const RING: f64 = 0.62;
/// Opacity of bands, of individual runs as lines and as dots, and of a band at a single x, which is a bar.
pub const BAND: f64 = 0.18;
const FAINT: f64 = 0.32;
pub const FAINT_DOT: f64 = 0.45;
pub const BAR: f64 = 0.6;
/// Strength of lines of unfinished seeds, and of outdated lines.
const UNFINISHED: f64 = 0.75;
const MUTED: f64 = 0.5;
/// Strength of other lines and bars while one stands out.
const DIMMED: f64 = 0.25;

impl Style {
    /// Returns its colour, fainter for outdated lines.
    pub fn ink(self, theme: Theme) -> Ink {
        Ink::new(self.rgb(theme)).faint(if self.is_muted { MUTED } else { 1.0 })
    }
}

impl Surface<'_> {
    /// Returns the strength of what has this name: less while another name stands out.
    pub fn strength(&self, name: &str) -> f64 {
        if self.look.highlighted.is_some_and(|other| other != name) { DIMMED } else { 1.0 }
    }

    pub fn ink(&self, name: &str, style: Style) -> Ink {
        style.ink(self.theme).faint(self.strength(name))
    }

    /// Returns true if the line with this name is at the pointer in the legend, or of the selected arm.
    pub fn is_on_top(&self, name: &str) -> bool {
        self.look.highlighted == Some(name) || self.look.selected.is_some_and(|arm| belongs_to(name, arm))
    }

    pub fn line_pen(&self, line: &Line) -> Pen {
        let Line { name, style, .. } = line;
        let stands_out = self.is_on_top(name);
        let is_result = !style.is_muted && line.seeds.is_none_or(|seeds| seeds.done > 0);
        let width = if !is_result {
            THIN
        } else if stands_out {
            STRONG
        } else {
            LINE
        };
        Pen { unit: LINE * self.em, ..Pen::new(self.ink(name, *style), width * self.em).dashed(style.dash) }
    }

    /// Returns the pen of a single run of a line, by its place among these.
    pub fn trace_pen(&self, line: &Line, nth: usize) -> Pen {
        let ink = self.ink(&line.name, line.style);
        if line.seeds.is_some_and(|seeds| nth < seeds.running) {
            return Pen::new(ink.faint(UNFINISHED), THIN * self.em);
        }
        Pen::new(ink.faint(FAINT), TRACE * self.em)
    }

    pub fn reference_pen(&self, reference: &ReferenceLine) -> Pen {
        let own = reference.colour.map_or(self.theme.muted(), |index| colour(index, self.theme));
        Pen::new(Ink::new(own).faint(self.strength(&reference.name)), REFERENCE * self.em)
            .dashed(reference.dash)
    }
}
