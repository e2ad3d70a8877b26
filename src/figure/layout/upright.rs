//! Parallel vertical axes, with their names above and their ticks at the left.

use super::rulers::y_ruler;
use super::{Anchor, Rect, Ruler, TICK_GAP, Text};
use crate::axis::Axis;
use crate::font::{CAP_HEIGHT, Weight, fit, width};
use crate::model::Figure;

/// One of several parallel axes on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Upright {
    /// Its horizontal position.
    pub x: f64,
    /// Its ticks and mapping.
    pub ruler: Ruler,
    /// The labels of its ticks, each with a patch of background that covers lines behind it.
    pub labels: Vec<(Rect, Text)>,
}

/// Size of the labels in ems.
const SIZE: f64 = 0.85;
/// Distance from a label to the axis, in ems.
const GAP: f64 = 0.5;
/// Background around a label, in ems.
const RIM: f64 = 0.15;

/// Distance between rows of names, in ems.
const ROW: f64 = CAP_HEIGHT + 2.0 * TICK_GAP;
/// Gap between two names in a row, in ems.
const NAME_GAP: f64 = 0.8;

/// Rows of names above this number of axes: with more than five, every other name is higher.
pub fn rows(axes: usize) -> u8 {
    if axes > 5 { 2 } else { 1 }
}

/// The height of the names above this number of axes, in ems.
pub fn height(axes: usize) -> f64 {
    if axes == 0 { 0.0 } else { f64::from(rows(axes)) * ROW }
}

/// The parallel axes of a figure at their positions along x.
pub fn uprights(figure: &Figure, x: &Ruler, plot: Rect, font: f64) -> Vec<Upright> {
    let space = (plot.right - plot.left) / figure.parallel.len().max(1) as f64;
    let upright = |(place, axis): (f64, &Axis)| {
        let x = x.mapping.place(place)?;
        // There is less space left of the first axis than between two.
        let space = if place > 0.0 { space } else { x - plot.left + RIM * font };
        let widest = space - (GAP + 2.0 * RIM) * font;
        let ruler = y_ruler(axis, axis.range.unwrap_or([0.0, 1.0]), [plot.bottom, plot.top], font, widest);
        let labels = labels(&ruler, x, widest, font, !axis.categories.is_empty());
        Some(Upright { x, ruler, labels })
    };
    let places = (0_u32..).map(f64::from);
    places.zip(&figure.parallel).filter_map(upright).collect()
}

fn labels(ruler: &Ruler, x: f64, widest: f64, font: f64, is_named: bool) -> Vec<(Rect, Text)> {
    let size = SIZE * font;
    let label = |(place, label): (f64, &str)| {
        let words = fit(label, size, Weight::Regular, widest, 1).join(" ");
        // A shortened number would be a different one.
        if !is_named && words != label {
            return None;
        }
        let right = x - GAP * font;
        let base = place + CAP_HEIGHT * size / 2.0;
        let rect = Rect {
            left: right - width(&words, size, Weight::Regular) - RIM * font,
            right: right + RIM * font,
            top: base - CAP_HEIGHT * size - RIM * font,
            bottom: base + RIM * font,
        };
        Some((rect, Text::new(&words, [right, base], Anchor::End, size)))
    };
    ruler.labelled().filter_map(label).collect()
}

/// The names above the axes, shortened so that they do not touch.
pub fn names(figure: &Figure, x: &Ruler, plot: Rect, font: f64) -> Vec<Text> {
    let axes = figure.parallel.len();
    let rows = rows(axes);
    let space = (plot.right - plot.left) / axes.max(1) as f64 * f64::from(rows) - NAME_GAP * font;
    let name = |(nth, axis): (u32, &Axis)| {
        let place = x.mapping.place(f64::from(nth))?;
        let row = nth % u32::from(rows);
        let base = plot.top - (2.0 * TICK_GAP + f64::from(row) * ROW) * font;
        let name = fit(&axis.label(), font, Weight::Regular, space, 1).join(" ");
        let half = width(&name, font, Weight::Regular) / 2.0;
        // The first and the last name stay on the page.
        let middle = place.max(plot.left + half).min((plot.right - half).max(plot.left + half));
        Some(Text::new(&name, [middle, base], Anchor::Middle, font))
    };
    (0..).zip(&figure.parallel).filter_map(name).collect()
}
