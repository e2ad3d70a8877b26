//! Readings of curves: the values of all lines at one x, as the legend shows them.

use eframe::egui::{Align2, FontId, Painter, Pos2, Shape, pos2, vec2};
use egui_plot::{PlotPoint, PlotTransform};

use super::axes::colour;
use super::mesh::EM;
use super::values::value_of_x;
use crate::theme::SMALL;
use figure::model::{Figure, Line};
use figure::palette::{Marker, Theme};
use figure::scene::ends::last_of;
use figure::scene::{Ink, Item, LINE, Mark, Pen};

/// A line's own point counts as being at the pointer's x up to this distance, in points.
const REACH: f64 = 12.0;

/// The values of all lines at one x.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The x of the nearest point of any line.
    pub x: f64,
    /// In the order of the figure.
    pub rows: Vec<ReadingRow>,
}

/// The value of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingRow {
    /// The index of the line.
    pub line: usize,
    /// Its nearest point.
    pub point: [f64; 2],
    /// The ends of the band there.
    pub band: Option<[f64; 2]>,
    /// The number of runs with a value there; `None` for a line that is no mean.
    pub count: Option<u32>,
}

/// The place of a reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadingPlace {
    /// The place on the x axis.
    pub x: f64,
    /// The width of a point on the screen, in places of x.
    pub per_point: f64,
}

/// Reads off the lines near a place. Only measured values are shown, nothing is interpolated. `forward` says for each
/// line of the figure whether all of it goes forward along x, which allows a binary search.
pub fn read(
    figure: &Figure,
    forward: &[bool],
    is_hidden: impl Fn(&str) -> bool,
    at: ReadingPlace,
) -> Option<Reading> {
    let all = figure.lines.iter().enumerate();
    let all = all.map(|(index, line)| (index, line, forward.get(index).copied().unwrap_or_default()));
    let shown: Vec<(usize, &Line, bool)> = all.filter(|(_, line, _)| !is_hidden(&line.name)).collect();
    let candidates =
        shown.iter().filter_map(|(_, line, forward)| nearest(figure, &line.points, *forward, at.x));
    let found = candidates.min_by(|a, b| a.distance.total_cmp(&b.distance))?;
    let x = found.point[0];
    let at = ReadingPlace { x: figure.x.scale.forward(x)?, ..at };
    let rows = shown.iter().filter_map(|(index, line, forward)| row(figure, (*index, line), *forward, at));
    Some(Reading { x, rows: rows.collect() })
}

/// What the legend shows without a pointer: the best value of a line over a setting, the last one of any other.
pub fn last(figure: &Figure, is_hidden: impl Fn(&str) -> bool) -> Vec<ReadingRow> {
    let shown = figure.lines.iter().enumerate().filter(|(_, line)| !is_hidden(&line.name));
    let row = |(index, line): (usize, &Line)| {
        let (point, band) = line.best_value().or_else(|| last_of(figure, line))?;
        Some(ReadingRow { line: index, point, band, count: line.counts.iter().max().copied() })
    };
    shown.filter(|(_, line)| line.names.is_empty()).filter_map(row).collect()
}

fn row(
    figure: &Figure,
    (index, line): (usize, &Line),
    forward: bool,
    at: ReadingPlace,
) -> Option<ReadingRow> {
    let found = nearest(figure, &line.points, forward, at.x).filter(|found| found.is_near(at))?;
    let x = found.point[0];
    let first = if forward { line.band.partition_point(|band| band.x < x) } else { 0 };
    let band = line.band[first..].iter().find(|band| band.x.total_cmp(&x).is_eq());
    Some(ReadingRow {
        line: index,
        point: found.point,
        band: band.map(|band| [band.low, band.high]),
        count: line.counts.get(found.index).copied(),
    })
}

/// The point of a line nearest to a place.
struct Nearest {
    distance: f64,
    point: [f64; 2],
    index: usize,
    /// Whether the line has points on both sides of the place.
    is_inside: bool,
}

impl Nearest {
    fn is_near(&self, at: ReadingPlace) -> bool {
        self.is_inside || self.distance <= REACH * at.per_point
    }
}

/// The last of the points at the same distance. Points without a place on the axes are skipped.
fn nearest(figure: &Figure, points: &[[f64; 2]], forward: bool, place: f64) -> Option<Nearest> {
    let x = figure.x.scale.inverse(place);
    let distance = |point: &[f64; 2]| {
        figure.y.scale.forward(point[1])?;
        figure.x.scale.forward(point[0]).map(|own| (own - place).abs())
    };
    let all = || points.iter().enumerate().filter_map(|(index, point)| Some((index, distance(point)?)));
    let last_of_nearest = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
    let (index, distance) = if forward {
        let split = points.partition_point(|point| point[0] < x);
        let first = |index: usize| Some((index, distance(&points[index])?));
        let left = (0..split).rev().find_map(first);
        let right = (split..points.len()).find_map(first).map(|(index, found)| {
            let same = points[index..].iter().take_while(|point| point[0] <= points[index][0]);
            let last = same.enumerate().filter(|(_, point)| distance(point).is_some()).last();
            (index + last.map_or(0, |(offset, _)| offset), found)
        });
        left.into_iter().chain(right).min_by(last_of_nearest)?
    } else {
        all().min_by(last_of_nearest)?
    };
    let is_inside = if forward {
        points.first().is_some_and(|first| first[0] <= x) && points.last().is_some_and(|last| last[0] >= x)
    } else {
        points.iter().any(|point| point[0] <= x) && points.iter().any(|point| point[0] >= x)
    };
    Some(Nearest { distance, point: points[index], index, is_inside })
}

/// Paints a dotted line at the x of a reading, hollow marks at the lines and, with a painter around the plot, the value of x
/// in a box on the axis.
pub fn reading_ui(
    (painter, around): (&Painter, Option<&Painter>),
    figure: &Figure,
    reading: &Reading,
    transform: &PlotTransform,
    theme: Theme,
) {
    let Some(x) = figure.x.scale.forward(reading.x) else { return };
    let frame = *transform.frame();
    let across = transform.position_from_point_x(x);
    if !(frame.left() - 0.5..=frame.right() + 0.5).contains(&across) {
        return;
    }
    let ends = [pos2(across, frame.top()), pos2(across, frame.bottom())];
    painter.extend(Shape::dotted_line(&ends, colour(theme.muted()), 3.5, 0.8));
    let hollow = reading.rows.iter().filter_map(|row| {
        let style = figure.lines[row.line].style.with_marker();
        let at = position(figure, transform, row.point)?;
        let own = Ink::new(style.rgb(theme));
        let (ink, marker) =
            if style.marker.has_strokes() { (own, Marker::Circle) } else { (own, style.marker) };
        let rim = Pen::new(ink, LINE * EM);
        let at = [f64::from(at.x), f64::from(at.y)];
        let mark = Mark { marker, at, radius: 0.36 * EM, ink: Ink::new(theme.ground()), rim };
        Some(figure::scene::Shape::Mark(mark).plain())
    });
    super::painter::paint(painter, &hollow.collect::<Vec<Item>>());
    let Some(around) = around else { return };
    let text = value_of_x(figure, reading.x);
    let galley = around.layout_no_wrap(text, FontId::proportional(SMALL), colour(theme.ground()));
    let size = galley.size() + vec2(12.0, 4.0);
    let place = Align2::CENTER_TOP.anchor_size(pos2(across, frame.bottom() + 2.0), size);
    let limits = around.clip_rect();
    let shift = (limits.left() - place.left()).max(0.0) - (place.right() - limits.right()).max(0.0);
    let place = place.translate(vec2(shift, 0.0));
    around.rect_filled(place, 3.0, colour(theme.ink()));
    around.galley(place.min + vec2(6.0, 2.0), galley, colour(theme.ground()));
}

fn position(figure: &Figure, transform: &PlotTransform, [x, y]: [f64; 2]) -> Option<Pos2> {
    let place = PlotPoint { x: figure.x.scale.forward(x)?, y: figure.y.scale.forward(y)? };
    Some(transform.position_from_point(&place))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use figure::style_of;
    use results::statistics::Band;

    fn figure() -> Figure {
        let mut high =
            Line::new("high", style_of(0), vec![[1.0, 0.5], [2.0, 0.9], [2.0, 0.8], [3.0, f64::NAN]]);
        high.band = vec![Band { x: 2.0, low: 0.7, high: 0.95 }];
        let low = Line::new("low", style_of(1), vec![[1.0, 0.1], [3.0, 0.3]]);
        let early = Line::new("early", style_of(2), vec![[0.0, 1.0]]);
        Figure { lines: vec![low, high, early], ..Figure::default() }
    }

    fn at(x: f64) -> ReadingPlace {
        ReadingPlace { x, per_point: 0.001 }
    }

    #[test]
    fn the_line_snaps_to_a_point() {
        for forward in [[false; 3], [true; 3]] {
            let reading = read(&figure(), &forward, |_| false, at(2.2)).unwrap();
            assert!((reading.x - 2.0).abs() < 1e-12);
            let rows: Vec<_> = reading.rows.iter().map(|row| (row.line, row.point, row.band)).collect();
            assert_eq!(rows[1], (1, [2.0, 0.8], Some([0.7, 0.95])), "the last of two at the same x");
            assert_eq!(rows[0].0, 0);
            assert_eq!(rows.len(), 2, "a line that ended before has no value");
        }
    }

    #[test]
    fn hidden_lines_and_gaps_are_not_read() {
        let reading = read(&figure(), &[true; 3], |name| name == "low", at(3.0)).unwrap();
        assert!((reading.x - 2.0).abs() < 1e-12);
        assert_eq!(read(&figure(), &[true; 3], |_| true, at(3.0)), None);
    }

    proptest! {
        #[test]
        fn a_line_that_goes_forward_is_read_as_any_other(
            points in prop::collection::vec((0..6_i32, prop::option::of(-2.0..2.0_f64)), 0..12),
            place in -1.0..7.0_f64,
        ) {
            let mut points: Vec<_> = points.iter().map(|(x, y)| [f64::from(*x), y.unwrap_or(f64::NAN)]).collect();
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            let figure = Figure::default();
            let found = |forward: bool| {
                let found = nearest(&figure, &points, forward, place)?;
                Some((found.index, found.distance, found.is_inside))
            };
            prop_assert_eq!(found(true), found(false));
        }
    }
}
