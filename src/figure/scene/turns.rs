//! Lines that lie on each other: where one covers others, its pen leaves gaps, so that all of them are seen.

use std::collections::{BTreeSet, HashMap};

use super::Surface;
use crate::model::{Figure, Line};

/// Lines lie on each other where they are this close, in ems: about a pixel of the screen.
const NEAR: f64 = 0.085;
/// So many lines are found below a piece.
const MOST: usize = 4;
/// Among more lines nobody could tell dashes apart.
const MOST_LINES: usize = 64;

/// A point of a line, by its place in the order of the lines and among their points.
#[derive(Clone, Copy)]
struct Spot {
    line: usize,
    point: usize,
    y: f64,
}

/// What lies below a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Below {
    /// The number of lines below the piece from each point to the next one; empty if there are none.
    pub depths: Vec<u8>,
}

/// Returns what lies below each of these lines, which are drawn in this order. Points of lines are compared at the same x,
/// with those that are as high.
pub fn below(surface: &Surface<'_>, order: &[usize]) -> Vec<Below> {
    let mut found = vec![Below::default(); order.len()];
    if !(2..=MOST_LINES).contains(&order.len()) {
        return found;
    }
    let near = NEAR * surface.em;
    let row_of = |y: f64| (y / near).floor() as i64;
    let mut spots: HashMap<(u64, i64), Vec<Spot>> = HashMap::new();
    for (line, index) in order.iter().enumerate() {
        let points = &surface.figure.lines[*index].points;
        let (mut own, mut depths) = (Vec::new(), vec![0; points.len().saturating_sub(1)]);
        let mut before: Vec<Spot> = Vec::new();
        for (point, at) in points.iter().enumerate() {
            let [x, y] = surface.place(*at);
            let (x, row) = (x.to_bits(), row_of(y));
            let rows = [row - 1, row, row + 1].into_iter().filter(|_| y.is_finite());
            let here = rows.filter_map(|row| spots.get(&(x, row))).flatten();
            let here: Vec<Spot> = here.filter(|spot| (spot.y - y).abs() <= near).copied().collect();
            let goes_on = |spot: &&Spot| {
                before.iter().any(|last| (last.line, last.point + 1) == (spot.line, spot.point))
            };
            let lines: BTreeSet<usize> = here.iter().filter(goes_on).map(|spot| spot.line).collect();
            if point > 0 {
                depths[point - 1] = u8::try_from(lines.len().min(MOST)).unwrap_or_default();
            }
            if y.is_finite() {
                own.push(((x, row), Spot { line, point, y }));
            }
            before = here;
        }
        for (key, spot) in own {
            let known = spots.entry(key).or_default();
            if known.len() < MOST {
                known.push(spot);
            }
        }
        if depths.iter().any(|depth| *depth > 0) {
            found[line] = Below { depths };
        }
    }
    found
}

/// Names the lines with exactly the points of an earlier one as equal to it in the legend.
pub fn name_equal(figure: &mut Figure) {
    for (name, other) in equal(figure) {
        let text = format!("{} = {}", figure.legend_name(&name), figure.legend_name(&other));
        figure.in_legend.insert(name, text);
    }
}

/// Returns the lines whose points have the bits of those of an earlier one, with the name of that one.
fn equal(figure: &Figure) -> Vec<(String, String)> {
    let is_curve = |line: &&Line| figure.has_curves() && line.names.is_empty() && line.points.len() > 1;
    let mut known: HashMap<Vec<[u64; 2]>, &str> = HashMap::new();
    let mut found = Vec::new();
    for line in figure.lines.iter().filter(is_curve) {
        let bits = line.points.iter().map(|point| point.map(f64::to_bits)).collect();
        let first = *known.entry(bits).or_insert(&line.name);
        if first != line.name {
            found.push((line.name.clone(), first.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;
    use crate::scene::page::drawn;
    use crate::{Axis, Options, style_of};

    fn figure(lines: &[(&str, &[f64])]) -> Figure {
        let line = |(at, (name, ys)): (usize, &(&str, &[f64]))| {
            let points = ys.iter().zip(0..).map(|(y, x)| [f64::from(x), *y]).collect();
            Line::new(name, style_of(at), points)
        };
        let lines = lines.iter().enumerate().map(line).collect();
        Figure { y: Axis { range: Some([0.0, 1.0]), ..Axis::default() }, lines, ..Figure::default() }
    }

    fn names(lines: &[(&str, &[f64])]) -> Vec<String> {
        let mut figure = figure(lines);
        name_equal(&mut figure);
        figure.in_legend.into_values().collect()
    }

    #[test]
    fn lines_of_equal_points_are_named_and_near_ones_are_not() {
        let rises: &[f64] = &[0.25, 0.5, 0.75];
        assert_eq!(names(&[("a", rises), ("b", rises), ("c", &[0.25, 0.5, 0.5])]), ["b = a"]);
        let near = &[0.251, 0.499, 0.751][..];
        assert!(names(&[("a", rises), ("b", near)]).is_empty(), "within a pixel");
        assert_eq!(gaps(&figure(&[("a", rises), ("b", near)])), [0, 1], "but with gaps");
        assert!(names(&[("a", rises), ("b", &[0.25, 0.51, 0.75])]).is_empty());
        assert!(names(&[("a", rises), ("b", &[0.25, 0.5])]).is_empty(), "it ends earlier");
        assert!(names(&[("a", &[0.5]), ("b", &[0.5])]).is_empty(), "one point alone says nothing");
        let nan = f64::NAN;
        assert!(names(&[("a", &[0.5, nan, 0.5]), ("b", &[0.5, nan, 0.25])]).is_empty());
        let mut both = figure(&[("a", rises), ("b", rises)]);
        assert_eq!(both.legend_name("b"), "b");
        name_equal(&mut both);
        assert_eq!(both.legend_name("b"), "b = a");
    }

    /// The widths of gaps of the pieces of each line, in drawing order.
    fn gaps(figure: &Figure) -> Vec<u8> {
        let mut found = Vec::new();
        for item in drawn(figure, &Options::default()).0 {
            if let Shape::Clip(_, items) = item.shape {
                found.extend(items.into_iter().filter_map(|item| match item.shape {
                    Shape::Line(_, pen) if item.id.is_some() => Some(pen.below),
                    _ => None,
                }));
            }
        }
        found
    }

    #[test]
    fn a_line_has_gaps_where_it_covers_others() {
        let (rises, falls) = (&[0.25, 0.5, 0.75, 1.0][..], &[0.25, 0.5, 0.75, 0.25][..]);
        assert_eq!(gaps(&figure(&[("a", rises), ("b", &[0.5, 0.5, 0.5, 0.5])])), [0, 0]);
        assert_eq!(gaps(&figure(&[("a", rises), ("b", rises), ("c", rises)])), [0, 1, 2]);
        assert_eq!(gaps(&figure(&[("a", rises), ("b", falls)])), [0, 1, 0], "as far as they go together");
    }

    #[test]
    fn thousands_of_points_are_compared_one_by_one() {
        let wave = |step: u32| f64::from(step.wrapping_mul(7919) % 997) / 1000.0;
        let ys: Vec<f64> = (0..20_000).map(wave).collect();
        assert_eq!(names(&[("a", &ys), ("b", &ys)]), ["b = a"]);
    }
}
