//! Lines that lie on each other: where one covers others, its pen leaves gaps, so that all of them are seen.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Detail, Intervals, Look, Surface};
use crate::axis::Mapping;
use crate::layout::Rect;
use crate::model::Figure;
use crate::palette::Theme;
use crate::ranges::ranges;

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
    /// The index of the first line on which it lies from end to end.
    whole: Option<usize>,
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
        let (mut before, mut whole): (Vec<Spot>, Option<BTreeSet<usize>>) = (Vec::new(), None);
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
                whole = Some(whole.map_or(lines.clone(), |whole| &whole & &lines));
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
        let has_length = |other: &&usize| surface.figure.lines[order[**other]].points.len() == points.len();
        let whole = whole.unwrap_or_default().iter().find(has_length).map(|other| order[*other]);
        if depths.iter().any(|depth| *depth > 0) {
            found[line] = Below { depths, whole };
        }
    }
    found
}

/// Returns the lines that lie on an earlier one from end to end, with the name of that one: over the range of all data, on a
/// plot of usual size.
pub fn same(figure: &Figure) -> BTreeMap<String, String> {
    const SIZE: [f64; 2] = [600.0, 360.0];
    if !figure.has_curves() {
        return BTreeMap::new();
    }
    let [x, y] = ranges(figure, Intervals::None);
    let look = Look {
        hidden: &BTreeSet::new(),
        highlighted: None,
        selected: None,
        intervals: Intervals::None,
        detail: Detail::Print,
    };
    let area = Rect { left: 0.0, top: 0.0, right: SIZE[0], bottom: SIZE[1] };
    let (x, y) = (Mapping::new(&figure.x, x, [0.0, SIZE[0]]), Mapping::new(&figure.y, y, [SIZE[1], 0.0]));
    let surface = Surface { figure, x, y, area, em: 12.0, theme: Theme::Light, look };
    let lines: Vec<usize> = (0..figure.lines.len()).filter(|at| figure.lines[*at].names.is_empty()).collect();
    let name = |index: usize| figure.lines[index].name.clone();
    let below = below(&surface, &lines).into_iter().zip(lines);
    below.filter_map(|(below, index)| Some((name(index), name(below.whole?)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;
    use crate::scene::page::drawn;
    use crate::{Axis, Line, Options, style_of};

    fn figure(lines: &[(&str, &[f64])]) -> Figure {
        let line = |(at, (name, ys)): (usize, &(&str, &[f64]))| {
            let points = ys.iter().zip(0..).map(|(y, x)| [f64::from(x), *y]).collect();
            Line::new(name, style_of(at), points)
        };
        let lines = lines.iter().enumerate().map(line).collect();
        Figure { y: Axis { range: Some([0.0, 1.0]), ..Axis::default() }, lines, ..Figure::default() }
    }

    fn names(lines: &[(&str, &[f64])]) -> Vec<String> {
        let (figure, named) = (figure(lines), |(a, b)| format!("{a} = {b}"));
        same(&figure).into_iter().map(named).collect()
    }

    #[test]
    fn lines_that_lie_on_each_other_from_end_to_end_are_named() {
        let rises: &[f64] = &[0.25, 0.5, 0.75];
        assert_eq!(names(&[("a", rises), ("b", rises), ("c", &[0.25, 0.5, 0.5])]), ["b = a"]);
        assert_eq!(names(&[("a", rises), ("b", &[0.251, 0.499, 0.751])]), ["b = a"], "within a pixel");
        assert!(names(&[("a", rises), ("b", &[0.25, 0.51, 0.75])]).is_empty());
        assert!(names(&[("a", rises), ("b", &[0.25, 0.5])]).is_empty(), "it ends earlier");
        assert!(names(&[("a", &[0.5]), ("b", &[0.5])]).is_empty(), "one point alone says nothing");
        let nan = f64::NAN;
        assert!(names(&[("a", &[0.5, nan, 0.5]), ("b", &[0.5, nan, 0.25])]).is_empty());
        let mut both = figure(&[("a", rises), ("b", rises)]);
        assert_eq!(both.legend_name("b"), "b");
        both.same = same(&both);
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
