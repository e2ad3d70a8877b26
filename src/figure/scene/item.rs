//! The parts of a drawing: what a writer of files and a painter of the screen have to know, and nothing else.

use std::sync::Arc;

use crate::layout::{Rect, Text};
use crate::palette::{Dash, Marker, Rgb};

/// A place in points from the upper left corner.
pub type Point = [f64; 2];

/// Part of an area between two edges: x, the upper and the lower y.
pub type Column = [f64; 3];

/// One part of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What it shows, for the pointer; `None` for axes, texts and the like.
    pub id: Option<Id>,
    /// What it looks like.
    pub shape: Shape,
}

/// The subject of an item, by its index in the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    /// A line, with its marks and its band.
    Line(usize),
    /// A single run: the indices of the line and of the trace in it.
    Run([usize; 2]),
    /// A reference line.
    Reference(usize),
    /// A part of bars.
    Bars(usize),
    /// A cell, by row and column.
    Cell([usize; 2]),
}

/// What an item looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through points; one whose y is NaN interrupts it.
    Line(Vec<Point>, Pen),
    /// The area between an upper and a lower edge.
    Band(Vec<Column>, Ink),
    /// A filled rectangle with an optional rim.
    Rect(Rect, Ink, Option<Pen>),
    /// A marker.
    Mark(Mark),
    /// A line of text and its colour.
    Text(Text, Rgb),
    /// Many cells.
    Image(Image),
    /// Items of which only the part within the rectangle is visible.
    Clip(Rect, Vec<Item>),
}

/// How an area is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ink {
    /// Its colour.
    pub colour: Rgb,
    /// 0 to 1.
    pub opacity: f64,
}

/// How a line is stroked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pen {
    /// Its colour and opacity.
    pub ink: Ink,
    /// Its width in points.
    pub width: f64,
    /// Its pattern.
    pub dash: Dash,
    /// The unit of the pattern in points: mostly the width.
    pub unit: f64,
}

/// A marker at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// Its outline.
    pub marker: Marker,
    /// Its middle.
    pub at: Point,
    /// Its radius in points.
    pub radius: f64,
    /// Its filling; the colour of the strokes of a marker that has only strokes.
    pub ink: Ink,
    /// Its rim; for a marker that has only strokes, their width.
    pub rim: Pen,
}

/// Many cells as one image.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// Its place.
    pub rect: Rect,
    /// Rows and columns.
    pub size: [usize; 2],
    /// Colours row by row from the upper left corner; `None` is transparent.
    pub pixels: Arc<Vec<Option<Rgb>>>,
}

impl Ink {
    /// An opaque colour.
    pub const fn new(colour: Rgb) -> Self {
        Self { colour, opacity: 1.0 }
    }

    /// The same colour with a part of the opacity.
    pub fn faint(self, share: f64) -> Self {
        Self { opacity: self.opacity * share, ..self }
    }
}

impl Pen {
    /// A solid line.
    pub const fn new(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: Dash::Solid, unit: width }
    }

    /// The same line with a pattern.
    pub const fn dashed(self, dash: Dash) -> Self {
        Self { dash, ..self }
    }

    /// Lengths of strokes and gaps in points; empty if solid.
    pub fn pattern(&self) -> Vec<f64> {
        self.dash.pattern().iter().map(|length| length * self.unit).collect()
    }
}

impl Mark {
    /// A disc without a rim.
    pub const fn dot(at: Point, radius: f64, ink: Ink) -> Self {
        Self { marker: Marker::Circle, at, radius, ink, rim: Pen::new(ink, 0.0) }
    }
}

impl Shape {
    /// The item of this shape that shows nothing of the figure.
    pub const fn plain(self) -> Item {
        Item { id: None, shape: self }
    }

    /// The item of this shape that shows this subject.
    pub const fn of(self, id: Id) -> Item {
        Item { id: Some(id), shape: self }
    }
}

/// Separate lines as the points of one.
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

/// The pieces of a line between its interruptions.
pub fn pieces(points: &[Point]) -> impl Iterator<Item = &[Point]> {
    points.split(|point| point[1].is_nan()).filter(|piece| !piece.is_empty())
}
