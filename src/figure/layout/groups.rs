//! Brackets with names below groups of categories, such as the fields of a number format.

use super::rulers::label_height;
use super::{Anchor, DESCENT, Rect, Ruler, TICK, TICK_GAP, Text};
use crate::figure::axis::Axis;
use crate::figure::font::{CAP_HEIGHT, Weight, width};

/// From the labels of the axis down to the bracket, in ems.
const BRACKET_GAP: f64 = 0.4;
/// From the bracket down to its name.
const NAME_GAP: f64 = 0.35;
/// Free space at each end of a bracket, as a share of a category.
const INSET: f64 = 0.12;

/// The height that groups need below the labels of the axis.
pub fn height(axis: &Axis, font: f64) -> f64 {
    if axis.groups().is_empty() { 0.0 } else { (BRACKET_GAP + NAME_GAP + CAP_HEIGHT + DESCENT) * font }
}

/// Brackets as lines, and the names below them. A name that would touch the one before it is left out.
pub fn groups(axis: &Axis, ruler: &Ruler, plot: Rect, font: f64) -> (Vec<[[f64; 2]; 2]>, Vec<Text>) {
    let y = plot.bottom + (TICK + TICK_GAP + BRACKET_GAP) * font + label_height(ruler, font);
    let base = y + (NAME_GAP + CAP_HEIGHT) * font;
    let (mut brackets, mut texts) = (Vec::new(), Vec::new());
    let mut end = f64::NEG_INFINITY;
    for (name, [first, last]) in axis.groups() {
        let ends = [first as f64 - 0.5 + INSET, last as f64 + 0.5 - INSET];
        let [Some(from), Some(to)] = ends.map(|end| ruler.mapping.place(end)) else { continue };
        if from < plot.left - 0.01 || to > plot.right + 0.01 {
            continue;
        }
        brackets.push([[from, y], [to, y]]);
        let (middle, half) = (f64::midpoint(from, to), width(name, font, Weight::Regular) / 2.0);
        if middle - half > end && middle + half <= plot.right.max(to) {
            texts.push(Text::new(name, [middle, base], Anchor::Middle, font));
            end = middle + half + font / 2.0;
        }
    }
    (brackets, texts)
}
