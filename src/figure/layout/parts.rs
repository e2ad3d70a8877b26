//! The parts of a layout: axes, rectangles and texts.

use crate::font::Weight;
use crate::mapping::Mapping;
use crate::ticks::Tick;

/// An axis on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruler {
    /// From values to positions.
    pub mapping: Mapping,
    /// Its ticks.
    pub ticks: Vec<Tick>,
    /// How its labels are written.
    pub labels: LabelLook,
}

/// How the labels of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelLook {
    /// Their size in ems of the font.
    pub size: f64,
    /// Whether they are rotated, so that many names fit below the horizontal axis.
    pub upwards: bool,
}

impl Default for LabelLook {
    fn default() -> Self {
        Self { size: 1.0, upwards: false }
    }
}

/// A rectangle with `left < right` and `top < bottom`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[allow(missing_docs)]
pub struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// One line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The words.
    pub content: String,
    /// The anchor's position on the base line.
    pub at: [f64; 2],
    /// Which part of the text is at `at`.
    pub anchor: Anchor,
    /// Size of the font.
    pub size: f64,
    /// Font weight.
    pub weight: Weight,
    /// Rotated upwards, for the title of y.
    pub upwards: bool,
    /// Whether it is small print, in a muted colour.
    pub muted: bool,
}

/// The part of a text at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Ruler {
    /// The positions of two values; `None` if one cannot be shown.
    pub fn places(&self, values: [f64; 2]) -> Option<[f64; 2]> {
        Some([self.mapping.place(values[0])?, self.mapping.place(values[1])?])
    }

    /// The positions of ticks with labels, or of those without.
    pub fn tick_places(&self, labelled: bool) -> impl Iterator<Item = f64> {
        let chosen = self.ticks.iter().filter(move |tick| tick.label.is_some() == labelled);
        chosen.filter_map(|tick| self.mapping.place(tick.value))
    }

    /// The labels of ticks with their positions.
    pub fn labelled(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().filter_map(|tick| Some((self.mapping.place(tick.value)?, tick.label.as_deref()?)))
    }
}

impl Text {
    /// A line of regular text.
    pub fn new(content: &str, at: [f64; 2], anchor: Anchor, size: f64) -> Self {
        let weight = Weight::Regular;
        Self { content: content.to_owned(), at, anchor, size, weight, upwards: false, muted: false }
    }
}
