//! The signs for missing values.

use super::Surface;
use super::item::{Id, Ink, Item, Mark, Pen, Point, Shape};
use super::strokes::{LINE, MARKER};
use crate::model::Line;
use crate::palette::Marker;

/// An × at the rim for a missing value: at the top for +∞, otherwise at the bottom. Of consecutive missing values, only
/// the first is marked.
pub fn gaps(surface: &Surface<'_>, index: usize, line: &Line, items: &mut Vec<Item>) {
    let ink = surface.ink(&line.name, line.style);
    for at in line.polylines().flat_map(|points| places(points, surface)) {
        items.push(Shape::Mark(cross(at, ink, surface.em)).of(Id::Line(index)));
    }
}

fn cross(at: Point, ink: Ink, em: f64) -> Mark {
    Mark { marker: Marker::Cross, at, radius: MARKER * em, ink, rim: Pen::new(ink, 0.8 * LINE * em) }
}

fn places(points: &[Point], surface: &Surface<'_>) -> Vec<Point> {
    let (area, inset) = (surface.area, MARKER * surface.em * 1.4);
    let missing = |point: &Point| surface.y.place(point[1]).is_none();
    let starts = points.iter().enumerate().filter(|(index, point)| {
        missing(point) && !index.checked_sub(1).is_some_and(|before| missing(&points[before]))
    });
    let sign = |(_, point): (usize, &Point)| {
        let x = surface.x.place(point[0])?;
        let y = if point[1] > 0.0 { area.top + inset } else { area.bottom - inset };
        surface.holds([x, y]).then_some([x, y])
    };
    starts.filter_map(sign).collect()
}
