//! A figure as items: the one description of how figures look, for files and for the window.
//!
//! ```text
//! Figure + Surface (mappings, theme, what is hidden) → items → SVG
//!                                                        └──→ shapes of the window
//! ```
//!
//! [`drawn`](page::drawn) adds axes and texts, which the window has from its plot widget.

pub mod areas;
pub mod bands;
mod cell_texts;
pub mod ends;
mod gaps;
pub mod hit;
pub mod item;
pub mod legend;
mod lines;
mod marks;
pub mod page;
pub mod parallel;
mod sparse;
mod strokes;
pub mod thinning;

use std::collections::BTreeSet;

use super::layout::Rect;
use super::mapping::Mapping;
use super::model::{Figure, Line, Trace};
use super::palette::Theme;
pub use item::{Id, Image, Ink, Item, Mark, Pen, Point, Shape, pieces, segments};
pub use strokes::LINE;
pub use thinning::Detail;

/// At most so many averaged runs are drawn behind the means.
pub const MOST_TRACES: usize = 30;

/// A figure on a surface with axes.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// What is drawn.
    pub figure: &'a Figure,
    /// From values to points.
    pub x: Mapping,
    /// From values to points.
    pub y: Mapping,
    /// The rectangle of the data.
    pub area: Rect,
    /// Size of the text in points: the unit of all widths.
    pub em: f64,
    /// The colours.
    pub theme: Theme,
    /// What is shown.
    pub look: Look<'a>,
}

/// What is shown of a figure, and how fine.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Names that are not drawn.
    pub hidden: &'a BTreeSet<String>,
    /// The line at the pointer in the legend; all others are faint.
    pub highlighted: Option<&'a str>,
    /// The name of the selected arm, whose line is a little wider.
    pub selected: Option<&'a str>,
    /// How the spread around means is drawn.
    pub intervals: Intervals<'a>,
    /// How many columns lines are thinned to.
    pub detail: Detail,
}

/// How the spread around means is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intervals<'a> {
    /// Not at all.
    None,
    /// As bands of all lines.
    Bands,
    /// As the bands of the lines of one or two arms.
    BandsOf([Option<&'a str>; 2]),
    /// As bars at the markers, beside those of other lines.
    Bars,
}

impl<'a> Surface<'a> {
    /// The lines that are not hidden, with their indices.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a Line)> {
        let hidden = self.look.hidden;
        self.figure.lines.iter().enumerate().filter(move |(_, line)| !hidden.contains(&line.name))
    }

    /// The place of a point; y is NaN where one of its values cannot be shown.
    pub fn place(&self, [x, y]: Point) -> Point {
        match self.x.place(x) {
            Some(x) => [x, self.y.place(y).unwrap_or(f64::NAN)],
            None => [f64::NAN; 2],
        }
    }

    /// Whether a place is within the data area.
    pub fn holds(&self, [x, y]: Point) -> bool {
        let (slack, area) = (0.01, self.area);
        (area.left - slack..=area.right + slack).contains(&x)
            && (area.top - slack..=area.bottom + slack).contains(&y)
    }

    /// The single runs of lines that are drawn: unfinished ones, and all averaged ones unless there are many, then only those
    /// of the line that stands out.
    fn traced(&self) -> impl Iterator<Item = (usize, &'a Line, &'a [Trace])> {
        let running = |line: &Line| line.seeds.map_or(0, |seeds| seeds.running).min(line.traces.len());
        // Dots hide less than lines.
        let is_line = |trace: &&Trace| trace.points.len() > 1;
        let averaged = |line: &'a Line| line.traces[running(line)..].iter().filter(is_line).count();
        let count: usize = self.lines().map(|(_, line)| averaged(line)).sum();
        let chosen = self.look.highlighted.or(self.look.selected);
        self.lines().map(move |(index, line)| {
            let is_chosen = line.traces.len() <= MOST_TRACES && chosen.is_some_and(|own| own == line.name);
            let all = if count <= MOST_TRACES || is_chosen { line.traces.len() } else { running(line) };
            (index, line, &line.traces[..all])
        })
    }
}

/// The cells and bars: what is below the grid lines' level.
pub fn ground(surface: &Surface<'_>) -> Vec<Item> {
    let mut items = areas::cells(surface);
    items.extend(areas::bars(surface));
    items
}

/// The bands around means.
pub fn bands(surface: &Surface<'_>) -> Vec<Item> {
    if surface.figure.is_of_marks() { Vec::new() } else { bands::bands(surface) }
}

/// Lines and marks, with everything that is over the bands.
pub fn over(surface: &Surface<'_>) -> Vec<Item> {
    if surface.figure.is_of_marks() { marks::marks(surface) } else { lines::lines(surface) }
}
