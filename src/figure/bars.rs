//! Stacked bars: shares of classes for each category, or counts for each range of values.

use super::distinct::distinct;
use super::model::{Bars, Figure};
use super::palette::{Rgb, Theme, colour};

/// A part of one bar, in the coordinates of the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarPart<'a> {
    /// The series it belongs to.
    pub bars: &'a Bars,
    /// Both sides, along the axis of names.
    pub sides: [f64; 2],
    /// Foot and head, along the axis of values.
    pub ends: [f64; 2],
}

/// The share of a category's width that its bars fill.
const FILLED: f64 = 0.8;

impl Bars {
    /// Its colour on this theme's background.
    pub fn rgb(&self, theme: Theme) -> Rgb {
        self.colour.map_or(theme.pale(), |index| colour(index, theme))
    }
}

/// The names of the bars that are side by side, from left to right.
pub fn stacks(figure: &Figure) -> Vec<&str> {
    distinct(figure.bars.iter().map(|bars| bars.stack.as_str()))
}

/// All parts with a value, in the order of the figure.
pub fn parts(figure: &Figure) -> Vec<BarPart<'_>> {
    let stacks = stacks(figure);
    let categories = figure.bars.iter().map(|bars| bars.values.len()).max().unwrap_or_default();
    let mut heads = vec![vec![0.0; categories]; stacks.len()];
    let count = stacks.len().max(1) as f64;
    let mut parts = Vec::new();
    for bars in &figure.bars {
        let Some(stack) = stacks.iter().position(|name| *name == bars.stack) else { continue };
        for (category, &value) in bars.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let foot = heads[stack][category];
            heads[stack][category] = foot + value;
            let Some([start, width]) = extent_of(figure, category) else { continue };
            let (width, stack) = (width / count, stack as f64);
            let left = start + stack * width;
            let (sides, ends) = ([left, left + width], [foot, foot + value]);
            parts.push(BarPart { bars, sides, ends });
        }
    }
    parts
}

/// Where the bars of a category or range start, and their total width.
fn extent_of(figure: &Figure, category: usize) -> Option<[f64; 2]> {
    if figure.bins.is_empty() {
        return Some([category as f64 - FILLED / 2.0, FILLED]);
    }
    let (from, to) = figure.bins.get(category).zip(figure.bins.get(category + 1))?;
    Some([*from, to - from])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, stack: &str, values: &[f64]) -> Bars {
        Bars { name: name.to_owned(), stack: stack.to_owned(), colour: None, values: values.to_vec() }
    }

    #[test]
    fn parts_stand_on_each_other_and_arms_side_by_side() {
        let bars = vec![
            part("masked", "a", &[0.5, f64::NAN]),
            part("masked", "b", &[0.25, 0.25]),
            part("sdc", "a", &[0.25, 1.0]),
        ];
        let figure = Figure { bars, ..Figure::default() };
        let shown: Vec<_> = parts(&figure).iter().map(|part| (part.sides, part.ends)).collect();
        assert_eq!(
            shown,
            [
                ([-0.4, 0.0], [0.0, 0.5]),
                ([0.0, 0.4], [0.0, 0.25]),
                ([1.0, 1.4], [0.0, 0.25]),
                ([-0.4, 0.0], [0.5, 0.75]),
                ([0.6, 1.0], [0.0, 1.0]),
            ]
        );
    }

    #[test]
    fn bars_fill_the_ranges_that_they_stand_on() {
        let bars = vec![part("trained", "", &[1.0, 2.0]), part("held", "", &[3.0, f64::NAN])];
        let figure = Figure { bars, bins: vec![-1.0, 0.0, 2.0], ..Figure::default() };
        let shown: Vec<_> = parts(&figure).iter().map(|part| (part.sides, part.ends)).collect();
        assert_eq!(shown, [([-1.0, 0.0], [0.0, 1.0]), ([0.0, 2.0], [0.0, 2.0]), ([-1.0, 0.0], [1.0, 4.0])]);
    }
}
