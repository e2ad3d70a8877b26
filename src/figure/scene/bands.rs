//! The bands around means: those of lines, and those of reference lines across the plot.

use super::item::{Id, Item, Pen, Shape};
use super::sparse::sparse;
use super::strokes::{BAND, BAR, WHISKER};
use super::thinning::{Columns, band_pieces};
use super::{Intervals, Surface};
use crate::layout::Rect;
use crate::model::{Line, ReferenceLine};

/// Bands, each behind the lines.
pub fn bands(surface: &Surface<'_>) -> Vec<Item> {
    let columns = Columns::of(surface, surface.lines().count(), false);
    let mut items: Vec<Item> = surface
        .figure
        .reference_lines
        .iter()
        .enumerate()
        .filter_map(|(index, reference)| reference_band(surface, index, reference))
        .collect();
    for (index, line) in surface.lines().filter(|(_, line)| has_band(surface, line)) {
        let own = surface.ink(&line.name, line.style);
        for piece in band_pieces(line, surface, columns) {
            let shape = if let [[x, top, bottom]] = *piece {
                // The spread at a single x has no width.
                Shape::Line(vec![[x, top], [x, bottom]], Pen::new(own.faint(BAR), WHISKER * surface.em))
            } else {
                Shape::Band(sparse(piece, super::lines::TOLERANCE * surface.em), own.faint(BAND))
            };
            items.push(shape.of(Id::Line(index)));
        }
    }
    // Of a part of the figure, they reach beyond the axes.
    if items.is_empty() { items } else { vec![Shape::Clip(surface.area, items).plain()] }
}

/// The interval of a reference line across the plot: it has no marks for bars.
fn reference_band(surface: &Surface<'_>, index: usize, reference: &ReferenceLine) -> Option<Item> {
    let is_shown = match surface.look.intervals {
        Intervals::None => false,
        Intervals::Bands | Intervals::Bars => true,
        Intervals::BandsOf(arms) => arms.into_iter().flatten().any(|arm| belongs_to(&reference.name, arm)),
    };
    let is_shown = is_shown && !surface.look.hidden.contains(&reference.name);
    let [low, high] = reference.spread.filter(|_| is_shown)?;
    let Rect { left, top, right, bottom } = surface.area;
    let [low, high] = [surface.y.place(low)?, surface.y.place(high)?].map(|y| y.clamp(top, bottom));
    let rect = Rect { left, top: low.min(high), right, bottom: low.max(high) };
    Some(Shape::Rect(rect, surface.reference_pen(reference).ink.faint(BAND), None).of(Id::Reference(index)))
}

fn has_band(surface: &Surface<'_>, line: &Line) -> bool {
    match surface.look.intervals {
        Intervals::None | Intervals::Bars => false,
        Intervals::Bands => true,
        Intervals::BandsOf(arms) => arms.into_iter().flatten().any(|arm| belongs_to(&line.name, arm)),
    }
}

/// Whether a line is that of an arm, or of one of its branches or series.
pub fn belongs_to(line: &str, arm: &str) -> bool {
    let rest = line.strip_prefix(arm);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", ") || rest.starts_with(" / "))
}

#[cfg(test)]
mod tests {
    use super::super::page::drawn;
    use super::*;
    use crate::axis::Axis;
    use crate::{Figure, IntervalStyle, Options, style_of};
    use results::statistics::Band;

    #[test]
    fn a_band_that_reaches_beyond_the_axes_is_clipped() {
        let band = [0.0, 1.0].map(|x| Band { x, low: 0.2, high: 0.8 });
        let line = Line { band: band.into(), ..Line::new("a", style_of(0), vec![[0.0, 0.5], [1.0, 0.5]]) };
        let y = Axis { range: Some([0.4, 0.6]), ..Axis::percent("Test accuracy") };
        let figure = Figure { y, lines: vec![line], ..Figure::default() };
        let options = Options { intervals: IntervalStyle::Bands, ..Options::default() };
        let is_band = |item: &Item| matches!(item.shape, Shape::Band(..));
        let clipped = |item: &Item| matches!(&item.shape, Shape::Clip(_, items) if items.iter().any(is_band));
        let items = drawn(&figure, &options).0;
        assert!(items.iter().any(clipped) && !items.iter().any(is_band));
    }
}
