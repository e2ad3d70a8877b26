//! Areas: bars, the cells of a heat map, and its colour scale.

use std::sync::Arc;

use super::{AXIS, Id, Image, Ink, Item, Pen, Point, RIM, Shape, Surface, clipped, segments};
use crate::axis::{Mapping, ends_of};
use crate::cells::{Cells, Ink as CellInk, Mosaic, SIDE, block, ink_on};
use crate::font::{CAP_HEIGHT, LINE_HEIGHT};
use crate::layout::{Anchor, Rect, ScaleBar, TICK, Text};
use crate::model::bar_parts;
use crate::palette::{Rgb, Theme};

/// Colours of the colour scale; more are indistinguishable.
const SHADES: u32 = 64;
/// Overlap of neighbouring cells in points, so that no background shows between them.
const SEAM: f64 = 0.2;
/// More cells than this are drawn as an image.
const MOST: usize = 4096;

/// Returns the rectangle between two corners in any order; `None` if it is too small to be seen.
fn between(x: [f64; 2], y: [f64; 2]) -> Option<Rect> {
    let [left, right] = [x[0].min(x[1]), x[0].max(x[1])];
    let [top, bottom] = [y[0].min(y[1]), y[0].max(y[1])];
    (right - left >= 0.005 && bottom - top >= 0.005).then_some(Rect { left, top, right, bottom })
}

fn places(mapping: Mapping, values: [f64; 2]) -> Option<[f64; 2]> {
    Some([mapping.place(values[0])?, mapping.place(values[1])?])
}

fn seamless(rect: Rect, fill: Rgb) -> Shape {
    let ink = Ink::new(fill);
    Shape::Rect(rect, ink, Some(Pen::new(ink, SEAM)))
}

/// Returns the parts of all bars, each with a thin rim in the colour of the ground; those of other names are faint while one stands
/// out.
pub fn bars(surface: &Surface<'_>) -> Vec<Item> {
    let without;
    let figure = if surface.look.hidden.is_empty() {
        surface.figure
    } else {
        // Other parts stand in the place of hidden ones.
        without = crate::view::without(surface.figure, surface.look.hidden);
        &without
    };
    let rim = Pen::new(Ink::new(surface.theme.ground()), RIM * surface.em);
    let items = bar_parts(figure).into_iter().filter_map(|part| {
        let (x, y) = if figure.is_lying() { (part.ends, part.sides) } else { (part.sides, part.ends) };
        let rect = between(places(surface.x, x)?, places(surface.y, y)?)?;
        let ink = Ink::new(part.bars.rgb(surface.theme)).faint(surface.strength(&part.bars.name));
        let index = surface
            .figure
            .bars
            .iter()
            .position(|bars| (&bars.name, &bars.stack) == (&part.bars.name, &part.bars.stack))?;
        Some(Shape::Rect(rect, ink, Some(rim)).of(Id::Bars(index)))
    });
    clipped(surface.area, items.collect())
}

/// Returns the coloured cells: rectangles, or one image if there are many.
pub fn cells(surface: &Surface<'_>) -> Vec<Item> {
    let Some(cells) = &surface.figure.cells else { return Vec::new() };
    let size = cells.size();
    if size[0] * size[1] > MOST || block(size, SIDE) != [1, 1] {
        return clipped(surface.area, image(surface, cells).into_iter().collect());
    }
    let range = cells.range();
    let (mut items, mut rects) = (Vec::new(), Vec::new());
    for (row, values) in cells.values.iter().enumerate() {
        let Some(y) = places(surface.y, cells.ends_of_rows(row, row)) else { continue };
        for column in 0..values.len() {
            let fill = cells.paint([row, column], range, surface.theme);
            let rect = places(surface.x, ends_of(column)).and_then(|x| between(x, y));
            let Some((rect, fill)) = rect.zip(fill) else { continue };
            items.push(seamless(rect, fill).of(Id::Cell([row, column])));
            rects.push(([row, column], rect));
        }
    }
    items.extend(cell_texts(surface, cells, &rects));
    clipped(surface.area, items)
}

/// Returns the cells as an image with a pixel for each cell or block of cells.
fn image(surface: &Surface<'_>, cells: &Cells) -> Option<Item> {
    let mosaic = Mosaic::new(cells, SIDE);
    let pixels = mosaic.pixels(cells, cells.range(), surface.theme);
    // The last tiles may extend beyond the last cells and the plot.
    let [rows, columns] = [0, 1].map(|axis| mosaic.size[axis] * mosaic.block[axis]);
    let x = places(surface.x, [-0.5, columns as f64 - 0.5])?;
    let y = places(surface.y, cells.ends_of_rows(0, rows.saturating_sub(1)))?;
    let pixels = Arc::new(turned(pixels, mosaic.size, [y[0] > y[1], x[0] > x[1]]));
    Some(Shape::Image(Image { rect: between(x, y)?, size: mosaic.size, pixels }).plain())
}

/// Reverses rows or columns if an axis runs the other way.
fn turned(
    mut pixels: Vec<Option<Rgb>>,
    [_, columns]: [usize; 2],
    [rows_turn, columns_turn]: [bool; 2],
) -> Vec<Option<Rgb>> {
    let columns = columns.max(1);
    if columns_turn {
        pixels.chunks_mut(columns).for_each(<[_]>::reverse);
    }
    if rows_turn {
        pixels = pixels.chunks(columns).rev().flatten().copied().collect();
    }
    pixels
}

/// Returns the colour scale with its rim and ticks; the layout has its labels.
pub fn scale_bar(cells: &Cells, bar: &ScaleBar, em: f64, theme: Theme) -> Vec<Item> {
    let Rect { left, top, right, bottom } = bar.rect;
    let share = |step: u32| bottom - f64::from(step) / f64::from(SHADES) * (bottom - top);
    let strip = (0..SHADES).filter_map(|step| {
        let rect = between([left, right], [share(step), share(step + 1)])?;
        Some(seamless(rect, cells.shade(f64::from(step) / f64::from(SHADES - 1), theme)).plain())
    });
    let mut items: Vec<Item> = strip.collect();
    let rim: [[Point; 2]; 4] = [
        [[left, top], [right, top]],
        [[right, top], [right, bottom]],
        [[right, bottom], [left, bottom]],
        [[left, bottom], [left, top]],
    ];
    let ticks = bar.ruler.tick_places(true).map(|y| [[right, y], [right + TICK * em, y]]);
    let pen = Pen::new(Ink::new(theme.axis()), AXIS * em);
    items.push(Shape::Line(segments(rim.into_iter().chain(ticks)), pen).plain());
    items
}

/// Distance and width of the slanted lines, in ems.
pub(super) const HATCH: [f64; 2] = [0.6, 0.06];

/// Returns the texts of these cells, all with the same detail, above the hatching.
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

/// Returns lines at 45° within a rectangle.
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
    fn an_axis_that_runs_the_other_way_turns_the_image() {
        let pixels: Vec<_> = (0..6_u8).map(|tone| Some([tone; 3])).collect();
        let tones = |turns| -> Vec<u8> {
            turned(pixels.clone(), [2, 3], turns).into_iter().flatten().map(|pixel| pixel[0]).collect()
        };
        assert_eq!(tones([false, false]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(tones([true, false]), [3, 4, 5, 0, 1, 2]);
        assert_eq!(tones([false, true]), [2, 1, 0, 5, 4, 3]);
    }

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
