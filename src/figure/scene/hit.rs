//! What is at the pointer.

use super::item::{Id, Item, Point, Shape};

/// The nearest line or run whose ink is at most `reach` points from a place.
pub fn nearest(items: &[Item], at: Point, reach: f64) -> Option<Id> {
    let mut found: Option<(f64, Id)> = None;
    visit(items, at, &mut |id, distance| {
        if distance <= reach && found.is_none_or(|(nearest, _)| distance < nearest) {
            found = Some((distance, id));
        }
    });
    found.map(|(_, id)| id)
}

fn visit(items: &[Item], at: Point, found: &mut impl FnMut(Id, f64)) {
    for item in items {
        let distance = match &item.shape {
            Shape::Clip(_, items) => {
                visit(items, at, found);
                continue;
            }
            Shape::Line(points, _) => {
                let ends = points.windows(2).map(|two| to_segment(at, two[0], two[1]));
                ends.fold(f64::INFINITY, f64::min) // NaN is ignored
            }
            Shape::Band(columns, ink) if ink.opacity >= 1.0 => {
                let beside = |[x, top, bottom]: &[f64; 3]| {
                    f64::hypot(x - at[0], (top - at[1]).max(at[1] - bottom).max(0.0))
                };
                columns.iter().map(beside).fold(f64::INFINITY, f64::min)
            }
            Shape::Mark(mark) => f64::hypot(mark.at[0] - at[0], mark.at[1] - at[1]),
            Shape::Band(..) | Shape::Rect(..) | Shape::Text(..) | Shape::Image(_) => continue,
        };
        if let Some(id) = item.id {
            found(id, distance);
        }
    }
}

/// The distance of a place from a segment; NaN if the segment has no place.
fn to_segment(at: Point, from: Point, to: Point) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0] * along[0] + along[1] * along[1];
    let share = ((at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]) / length;
    let share = if length > 0.0 { share.clamp(0.0, 1.0) } else { 0.0 };
    f64::hypot(from[0] + share * along[0] - at[0], from[1] + share * along[1] - at[1])
}

#[cfg(test)]
mod tests {
    use super::super::item::{Ink, Pen};
    use super::*;

    #[test]
    fn the_nearest_line_within_reach_is_found_also_beside_a_gap() {
        let pen = Pen::new(Ink::new([0; 3]), 2.0);
        let line = |points: &[Point], index| Shape::Line(points.to_vec(), pen).of(Id::Line(index));
        let items = [
            line(&[[0.0, 0.0], [100.0, 0.0], [f64::NAN; 2], [0.0, 50.0], [100.0, 50.0]], 0),
            line(&[[0.0, 20.0], [100.0, 20.0]], 1),
        ];
        assert_eq!(nearest(&items, [50.0, 12.0], 10.0), Some(Id::Line(1)));
        assert_eq!(nearest(&items, [50.0, 46.0], 10.0), Some(Id::Line(0)));
        assert_eq!(nearest(&items, [50.0, 35.0], 10.0), None);
    }
}
