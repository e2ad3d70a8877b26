//! What neighbours on an axis of names have in common, such as the field of a number format: a bracket and a name.

use super::{Anchor, DESCENT, Rect, Ruler, TICK, TICK_GAP, Text};
use crate::figure::font::{CAP_HEIGHT, Weight, width};
use crate::figure::model::Axis;

/// From the labels of the axis down to the bracket, in ems.
const BRACKET_GAP: f64 = 0.4;
/// From the bracket down to its name.
const NAME_GAP: f64 = 0.35;
/// What a bracket leaves free at each end, as a share of a category.
const INSET: f64 = 0.12;

/// What the groups of an axis need below its labels.
pub fn height(axis: &Axis, font: f64) -> f64 {
    if axis.groups().is_empty() { 0.0 } else { (BRACKET_GAP + NAME_GAP + CAP_HEIGHT + DESCENT) * font }
}

/// Brackets as lines, and the names below them. A name that would run into the one before it is left out.
pub fn groups(axis: &Axis, ruler: &Ruler, plot: Rect, font: f64) -> (Vec<[[f64; 2]; 2]>, Vec<Text>) {
    let y = plot.bottom + (TICK + TICK_GAP + CAP_HEIGHT + BRACKET_GAP) * font;
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
