//! Brackets with names below groups of categories, such as the fields of a number format.

use super::rulers::label_height;
use super::{Anchor, DESCENT, Rect, Ruler, TICK, TICK_GAP, Text};
use crate::axis::Axis;
use crate::font::{CAP_HEIGHT, Weight, width};

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

/// Brackets as lines, and the names below them. Names that would touch or leave the figure move aside; one is left out only
/// where there is no room for all of them.
pub fn groups(axis: &Axis, ruler: &Ruler, plot: Rect, font: f64) -> (Vec<[[f64; 2]; 2]>, Vec<Text>) {
    let y = plot.bottom + (TICK + TICK_GAP + BRACKET_GAP) * font + label_height(ruler, font);
    let base = y + (NAME_GAP + CAP_HEIGHT) * font;
    let (mut brackets, mut names): (Vec<[[f64; 2]; 2]>, Vec<(&str, [f64; 2])>) = (Vec::new(), Vec::new());
    for (name, [first, last]) in axis.groups() {
        let ends = [first as f64 - 0.5 + INSET, last as f64 + 0.5 - INSET];
        let [Some(from), Some(to)] = ends.map(|end| ruler.mapping.place(end)) else { continue };
        if from < plot.left - 0.01 || to > plot.right + 0.01 {
            continue;
        }
        brackets.push([[from, y], [to, y]]);
        let (middle, width) = (f64::midpoint(from, to), width(name, font, Weight::Regular));
        names.push((name, [middle - width / 2.0, width]));
    }
    let natural: Vec<f64> = names.iter().map(|(_, [left, _])| *left).collect();
    let widths: Vec<f64> = names.iter().map(|(_, [_, width])| *width).collect();
    let mut lefts = natural.clone();
    spread(&mut lefts, &widths, plot.right, font / 2.0);
    let is_out = |(left, natural): (&f64, &f64)| *left < natural.min(plot.left) - 0.01;
    if lefts.iter().zip(&natural).any(is_out) {
        lefts = natural; // all of them have no room
    }
    let mut end = f64::NEG_INFINITY;
    let mut texts = Vec::new();
    for ((name, [_, width]), left) in names.into_iter().zip(lefts) {
        if left >= end && left + width <= plot.right + 0.01 {
            texts.push(Text::new(name, [left + width / 2.0, base], Anchor::Middle, font));
            end = left + width + font / 2.0 - 0.01;
        }
    }
    (brackets, texts)
}

/// Moves texts of these widths aside, from left to right and then from the right end back, so that they do not touch.
fn spread(lefts: &mut [f64], widths: &[f64], right: f64, gap: f64) {
    let mut end = f64::NEG_INFINITY;
    for (left, width) in lefts.iter_mut().zip(widths) {
        *left = left.max(end);
        end = *left + width + gap;
    }
    let mut limit = right;
    for (left, width) in lefts.iter_mut().zip(widths).rev() {
        *left = left.min(limit - width);
        limit = *left - gap;
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn names_that_would_touch_or_leave_the_figure_move_aside() {
        // "sign" and "exponent" over narrow groups, "mantissa" over a single bit at the right end.
        let (mut lefts, widths) = ([0.0, 10.0, 70.0], [15.0, 35.0, 36.0]);
        spread(&mut lefts, &widths, 100.0, 4.0);
        assert_eq!(lefts, [0.0, 19.0, 64.0]);
        let mut apart = [0.0, 40.0];
        spread(&mut apart, &[15.0, 20.0], 100.0, 4.0);
        assert_eq!(apart, [0.0, 40.0], "with room, each is below its bracket");
    }
}
