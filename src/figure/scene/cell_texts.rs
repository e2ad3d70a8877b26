//! What is written in the cells of a heat map, and the hatching of those with too little data for a colour.

use super::Surface;
use super::item::{Id, Ink, Item, Pen, Point, Shape, segments};
use crate::cells::{Cells, Ink as CellInk, ink_on};
use crate::font::{CAP_HEIGHT, LINE_HEIGHT};
use crate::layout::{Anchor, Rect, Text};

/// Distance and width of the slanted lines, in ems.
pub(super) const HATCH: [f64; 2] = [0.6, 0.06];

/// The texts of these cells, all with the same detail, above the hatching.
pub fn cell_texts(surface: &Surface<'_>, cells: &Cells, rects: &[([usize; 2], Rect)]) -> Vec<Item> {
    let (em, theme, range) = (surface.em, surface.theme, cells.range());
    let size = |rect: &Rect| [rect.right - rect.left, rect.bottom - rect.top];
    let least = rects.iter().map(|(_, rect)| size(rect));
    let least = least.fold([f64::INFINITY; 2], |least, size| [least[0].min(size[0]), least[1].min(size[1])]);
    let look = cells.fitted(least, em);
    let mut items = Vec::new();
    for ([row, column], rect) in rects {
        let Some(fill) = cells.paint([*row, *column], range, theme) else { continue };
        if cells.kind(*row, *column).is_some_and(|kind| kind.ink == CellInk::Hatched) {
            let pen = Pen::new(Ink::new(theme.pale()), HATCH[1] * em);
            items.push(Shape::Line(hatching(*rect, HATCH[0] * em), pen).plain());
        }
        let Some(text) = cells.text(*row, *column) else { continue };
        let (lines, font) = (text.lines(look.detail), look.font);
        let middle = [f64::midpoint(rect.left, rect.right), f64::midpoint(rect.top, rect.bottom)];
        let first = -(lines.len() as f64 - 1.0) / 2.0 * LINE_HEIGHT * font + CAP_HEIGHT * font / 2.0;
        for (nth, line) in lines.into_iter().enumerate() {
            let base = first + nth as f64 * LINE_HEIGHT * font;
            let at = if look.upwards { [middle[0] + base, middle[1]] } else { [middle[0], middle[1] + base] };
            let text = Text { upwards: look.upwards, ..Text::new(line, at, Anchor::Middle, font) };
            items.push(Shape::Text(text, ink_on(fill)).of(Id::Cell([*row, *column])));
        }
    }
    items
}

/// Lines at 45° within a rectangle.
pub(super) fn hatching(rect: Rect, distance: f64) -> Vec<Point> {
    let Rect { left, top, right, bottom } = rect;
    let height = bottom - top;
    let count = ((right - left + height) / distance).floor() as u32;
    segments((1..=count).map(|step| {
        let x = left + f64::from(step) * distance;
        let (before, after) = ((left - (x - height)).max(0.0), (x - right).max(0.0));
        [[x - height + before, bottom - before], [x - after, top + after]]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatching_stays_in_its_cell() {
        let rect = Rect { left: 10.0, right: 50.0, top: 5.0, bottom: 25.0 };
        let points = hatching(rect, 4.0);
        assert!(points.len() > 30);
        for [x, y] in points.into_iter().chain(hatching(rect, 7.0)).filter(|point| !point[0].is_nan()) {
            assert!((9.99..=50.01).contains(&x) && (4.99..=25.01).contains(&y), "{x} {y}");
        }
    }
}
