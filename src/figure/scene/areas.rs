//! Areas: bars, the cells of a heat map, and its colour scale.

use std::sync::Arc;

use super::Surface;
use super::cell_texts::cell_texts;
use super::item::{Id, Image, Ink, Item, Pen, Point, Shape, segments};
use super::strokes::{AXIS, RIM};
use crate::axis::ends_of;
use crate::bars::parts;
use crate::cells::Cells;
use crate::layout::{Rect, ScaleBar, TICK};
use crate::mapping::Mapping;
use crate::mosaic::{Mosaic, SIDE, block};
use crate::palette::{Rgb, Theme};

/// Colours of the colour scale; more are indistinguishable.
const SHADES: u32 = 64;
/// Overlap of neighbouring cells in points, so that no background shows between them.
const SEAM: f64 = 0.2;
/// More cells than this are drawn as an image.
const MOST: usize = 4096;

/// The rectangle between two corners in any order; `None` if it is too small to be seen.
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

/// The parts of all bars, each with a thin rim in the colour of the ground; those of other names are faint while one stands
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
    let items = parts(figure).into_iter().filter_map(|part| {
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
    clipped(surface, items.collect())
}

/// The coloured cells: rectangles, or one image if there are many.
pub fn cells(surface: &Surface<'_>) -> Vec<Item> {
    let Some(cells) = &surface.figure.cells else { return Vec::new() };
    let size = cells.size();
    if size[0] * size[1] > MOST || block(size, SIDE) != [1, 1] {
        return clipped(surface, image(surface, cells).into_iter().collect());
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
    clipped(surface, items)
}

fn clipped(surface: &Surface<'_>, items: Vec<Item>) -> Vec<Item> {
    if items.is_empty() { items } else { vec![Shape::Clip(surface.area, items).plain()] }
}

/// The cells as an image with a pixel for each cell or block of cells.
fn image(surface: &Surface<'_>, cells: &Cells) -> Option<Item> {
    let mosaic = Mosaic::of(cells, SIDE);
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

/// The colour scale with its rim and ticks; the layout has its labels.
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
}
