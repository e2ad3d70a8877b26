//! Lines with their bands or error bars, their single runs, and reference lines.

use super::gaps::gaps;
use super::item::{Column, Id, Ink, Item, Mark, Pen, Point, Shape};
use super::sparse::sparse;
use super::strokes::{DOT, FAINT_DOT, MARKER, RIM, RING, WHISKER};
use super::thinning::{Columns, Piece, line_pieces, marked};
use super::{Intervals, Surface};
use crate::layout::Rect;
use crate::marks::outline;
use crate::model::{At, Line, ReferenceLine, Trace};
use crate::palette::{Dash, Marker, Style};
use results::statistics::Band;

/// The largest movement of an edge by simplifying, in ems.
pub const TOLERANCE: f64 = 0.016;
/// Distance between the error bars of neighbouring lines, and the most from the first to the last, in ems: a bar never leaves
/// its mark, which stays at its x.
const DODGE: f64 = 0.2;
const WIDEST_DODGE: f64 = 2.0 * MARKER;

/// Everything over the bands: faint parts come first, so that nothing hides a line.
pub fn lines(surface: &Surface<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let traces = surface.traced().map(|(.., traces)| traces.len()).sum();
    let columns = Columns::of(surface, traces, true);
    for (index, line, traces) in surface.traced() {
        for (nth, trace) in traces.iter().enumerate() {
            let (pen, id) = (surface.trace_pen(line, nth), Id::Run([index, nth]));
            match trace.points.as_slice() {
                [only] => items.extend(dot(surface, line, *only, id)),
                several => polyline(several, surface, (columns, pen), id, &mut items),
            }
        }
    }
    for (index, reference) in surface.figure.reference_lines.iter().enumerate() {
        if !surface.look.hidden.contains(&reference.name) {
            items.extend(rule(surface, index, reference));
        }
    }
    let columns = Columns::of(surface, surface.lines().count(), false);
    for (index, line) in surface.lines().filter(|(_, line)| line.names.is_empty()) {
        let pen = surface.line_pen(line);
        polyline(&line.points, surface, (columns, pen), Id::Line(index), &mut items);
    }
    let mut signs = Vec::new();
    for (index, line) in surface.lines() {
        markers(surface, index, line, &mut signs);
    }
    for (index, line) in surface.lines() {
        signs.extend(unfinished(surface, index, line));
        gaps(surface, index, line, &mut signs);
    }
    let area = with_air(surface.area, surface.em);
    let clipped = (!items.is_empty()).then(|| Shape::Clip(area, items).plain());
    // Markers and signs at the rim are not clipped.
    clipped.into_iter().chain(signs).collect()
}

/// A little more than the area, so that lines along its rim keep their width.
pub fn with_air(area: Rect, em: f64) -> Rect {
    let air = super::LINE * em / 2.0;
    Rect { left: area.left - air, top: area.top - air, right: area.right + air, bottom: area.bottom + air }
}

fn polyline(
    points: &[Point],
    surface: &Surface<'_>,
    (columns, pen): (Columns, Pen),
    id: Id,
    items: &mut Vec<Item>,
) {
    let mut through: Vec<Point> = Vec::new();
    let (mut dense, mut alone) = (Vec::new(), Vec::new());
    for piece in line_pieces(points, surface, columns) {
        match piece {
            // A value between two gaps, or the first of a run: a line without length.
            Piece::Line(places) if places.len() == 1 => alone.push(Mark::dot(places[0], pen.width, pen.ink)),
            Piece::Line(places) => {
                for part in within(places, surface.area) {
                    if !through.is_empty() {
                        through.push([f64::NAN; 2]);
                    }
                    through.extend(part);
                }
            }
            Piece::Dense(columns) => dense.extend(filled(columns, pen)),
        }
    }
    if !through.is_empty() {
        items.push(Shape::Line(through, pen).of(id));
    }
    items.extend(
        dense.into_iter().map(|columns| Shape::Band(sparse(columns, TOLERANCE * surface.em), pen.ink).of(id)),
    );
    items.extend(alone.into_iter().map(|dot| Shape::Mark(dot).of(id)));
}

/// The parts of a line near the area: places far outside, as of a zoomed view, have no exact numbers on the screen.
fn within(places: Vec<Point>, area: Rect) -> Vec<Vec<Point>> {
    let (width, height) = (area.right - area.left, area.bottom - area.top);
    let low = [area.left - width, area.top - height];
    let high = [area.right + width, area.bottom + height];
    let is_near = |place: &Point| (0..2).all(|axis| (low[axis]..=high[axis]).contains(&place[axis]));
    if places.iter().all(is_near) {
        return vec![places];
    }
    let mut parts: Vec<Vec<Point>> = Vec::new();
    for two in places.windows(2) {
        let (from, to) = (two[0], two[1]);
        // The shares of the segment within both pairs of sides (Liang and Barsky).
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for axis in 0..2 {
            let run = to[axis] - from[axis];
            let ends = [(low[axis] - from[axis]) / run, (high[axis] - from[axis]) / run];
            if run != 0.0 {
                (enters, leaves) = (enters.max(ends[0].min(ends[1])), leaves.min(ends[0].max(ends[1])));
            } else if !(low[axis]..=high[axis]).contains(&from[axis]) {
                leaves = -1.0;
            }
        }
        if enters > leaves {
            continue;
        }
        let at = |share: f64| [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
        let (start, end) = (at(enters), at(leaves));
        match parts.last_mut().filter(|part| enters == 0.0 && part.last() == Some(&start)) {
            Some(part) => part.push(end),
            None => parts.push(vec![start, end]),
        }
    }
    parts
}

/// Columns as a band at least as thick as the line. Dashes run along x.
fn filled(mut columns: Vec<Column>, pen: Pen) -> Vec<Vec<Column>> {
    let half = pen.width / 2.0;
    for [_, top, bottom] in &mut columns {
        (*top, *bottom) = (*top - half, *bottom + half);
    }
    if columns.first().map(|column| column[0]) > columns.last().map(|column| column[0]) {
        columns.reverse();
    }
    let start = columns.first().map_or(0.0, |column| column[0]);
    let is_inked = |column: &Column| is_inked(pen.dash, (column[0] - start) / pen.unit);
    let dashes = columns.chunk_by(|a, b| is_inked(a) == is_inked(b)).filter(|run| is_inked(&run[0]));
    dashes.map(<[Column]>::to_vec).collect()
}

/// Whether a line has ink after so many units of its pattern.
fn is_inked(dash: Dash, units: f64) -> bool {
    let pattern = dash.pattern();
    let period: f64 = pattern.iter().sum();
    if period <= 0.0 {
        return true;
    }
    let mut rest = units.rem_euclid(period);
    let phase = pattern.iter().position(|length| {
        rest -= length;
        rest < 0.0
    });
    phase.is_none_or(|index| index % 2 == 0)
}

fn rule(surface: &Surface<'_>, index: usize, reference: &ReferenceLine) -> Option<Item> {
    let Rect { left, top, right, bottom } = surface.area;
    let ends = match reference.at {
        At::X(x) => surface.x.place(x).map(|x| vec![[x, top], [x, bottom]])?,
        At::Y(y) => surface.y.place(y).map(|y| vec![[left, y], [right, y]])?,
    };
    Some(Shape::Line(ends, surface.reference_pen(reference)).of(Id::Reference(index)))
}

/// The markers of a line, each over its error bar. Bars of several lines are side by side, marks are not: their x is read.
fn markers(surface: &Surface<'_>, index: usize, line: &Line, items: &mut Vec<Item>) {
    let ink = surface.ink(&line.name, line.style);
    let has_bars = surface.look.intervals == Intervals::Bars;
    let across = if has_bars { dodge(surface, index) } else { 0.0 };
    let mut bands = line.band.iter();
    for (nth, [x, y]) in places_of_markers(surface, index, line) {
        if has_bars && let Some(ends) = bar(surface, line.points[nth][0], line, &mut bands) {
            let pen = Pen::new(ink, WHISKER * surface.em);
            items.push(Shape::Line(ends.map(|end| [x + across, end]).to_vec(), pen).of(Id::Line(index)));
        }
        items.extend(marker(line.style, [x, y], ink, surface).map(|mark| mark.of(Id::Line(index))));
    }
    items.extend(ring(surface, index, line));
}

/// Where a line has markers. Each of several single runs has one.
fn places_of_markers(surface: &Surface<'_>, index: usize, line: &Line) -> Vec<(usize, Point)> {
    if line.names.is_empty() {
        return marked(&line.points, index, surface).collect();
    }
    let places = line.points.iter().map(|point| surface.place(*point)).enumerate();
    places.filter(|(_, at)| surface.holds(*at)).collect()
}

/// The ring around the best point of a line.
pub fn ring(surface: &Surface<'_>, index: usize, line: &Line) -> Option<Item> {
    let [x, y] = line.best.and_then(|best| line.points.get(best)).map(|point| surface.place(*point))?;
    let outline = outline(Marker::Circle, RING * surface.em).filter(|_| surface.holds([x, y]))?;
    let closed = outline.iter().chain(outline.first()).map(|corner| [x + corner[0], y + corner[1]]);
    let pen = Pen::new(surface.ink(&line.name, line.style), WHISKER * surface.em);
    Some(Shape::Line(closed.collect(), pen).of(Id::Line(index)))
}

/// The dot of a single run.
pub fn dot(surface: &Surface<'_>, line: &Line, point: Point, id: Id) -> Option<Item> {
    let at = surface.place(point);
    let ink = surface.ink(&line.name, line.style).faint(FAINT_DOT);
    surface.holds(at).then(|| Shape::Mark(Mark::dot(at, DOT * surface.em, ink)).of(id))
}

/// The ends of the error bar at an x.
fn bar<'b>(
    surface: &Surface<'_>,
    x: f64,
    line: &'b Line,
    rest: &mut std::slice::Iter<'b, Band>,
) -> Option<[f64; 2]> {
    let is_here = |band: &&Band| band.x.total_cmp(&x).is_eq();
    // Bands mostly are in the order of the points.
    let band = rest.find(is_here).or_else(|| {
        *rest = line.band.iter();
        rest.find(is_here)
    })?;
    let ends = [surface.y.place(band.low)?, surface.y.place(band.high)?];
    Some(ends.map(|end| end.clamp(surface.area.top, surface.area.bottom)))
}

/// The offset of a line's error bars, so that they do not cover each other.
fn dodge(surface: &Surface<'_>, index: usize) -> f64 {
    let shown: Vec<usize> =
        surface.lines().filter(|(_, line)| !line.band.is_empty()).map(|(index, _)| index).collect();
    let position = shown.iter().position(|other| *other == index);
    let last = shown.len().saturating_sub(1) as f64;
    let step = if last > 0.0 { DODGE.min(WIDEST_DODGE / last) } else { 0.0 };
    position.map_or(0.0, |position| (position as f64 - last / 2.0) * step * surface.em)
}

/// Hollow marks where unfinished runs are.
pub fn unfinished(surface: &Surface<'_>, index: usize, line: &Line) -> Vec<Item> {
    let running = line.seeds.map_or(0, |seeds| seeds.running);
    let ink = surface.ink(&line.name, line.style);
    let rim = Pen::new(ink, WHISKER * surface.em);
    let hollow = |(nth, trace): (usize, &Trace)| {
        let last = trace.points.iter().map(|point| surface.place(*point)).rfind(|at| surface.holds(*at))?;
        let mark = mark(line.style.with_marker(), last, ink, surface.em, surface.theme.ground())?;
        let mark = Mark { ink: Ink::new(surface.theme.ground()), rim, ..mark };
        Some(Shape::Mark(mark).of(Id::Run([index, nth])))
    };
    line.traces.iter().take(running).enumerate().filter_map(hollow).collect()
}

/// A line's marker, with a thin rim in the colour of the ground, so that it stands out from lines.
pub fn marker(style: Style, at: Point, ink: Ink, surface: &Surface<'_>) -> Option<Shape> {
    mark(style, at, ink, surface.em, surface.theme.ground()).map(Shape::Mark)
}

/// The same on any ground.
pub fn mark(style: Style, at: Point, ink: Ink, em: f64, ground: crate::palette::Rgb) -> Option<Mark> {
    let rim = match style.marker {
        Marker::None => return None,
        Marker::Cross | Marker::Plus => Pen::new(ink, super::LINE * em),
        Marker::Circle
        | Marker::Square
        | Marker::Triangle
        | Marker::Diamond
        | Marker::Down
        | Marker::Pentagon => Pen::new(Ink::new(ground), RIM * em),
    };
    Some(Mark { marker: style.marker, at, radius: MARKER * em, ink, rim })
}

#[cfg(test)]
mod tests {
    use super::super::page::drawn;
    use super::*;
    use crate::axis::Axis;
    use crate::{Figure, IntervalStyle, Options, style_of};

    /// Lines with an interval at each of so many epochs.
    fn curves(lines: usize, epochs: u32) -> Figure {
        let line = |index: usize| {
            let y = |x: u32| 0.5 + 0.4 * (1.0 - 1.0 / (1.0 + f64::from(x) + 0.1 * index as f64));
            let points: Vec<Point> = (1..=epochs).map(|x| [f64::from(x), y(x)]).collect();
            let band = points.iter().map(|[x, y]| Band { x: *x, low: y - 0.02, high: y + 0.02 }).collect();
            Line { band, ..Line::new(&format!("arm {index}"), style_of(index), points) }
        };
        Figure {
            x: Axis::new("Epochs trained", ""),
            y: Axis::percent("Test accuracy"),
            lines: (0..lines).map(line).collect(),
            ..Figure::default()
        }
    }

    /// All items of the lines, with those that are clipped.
    fn of_lines(items: &[Item], found: &mut Vec<(usize, Shape)>) {
        for item in items {
            match (&item.shape, item.id) {
                (Shape::Clip(_, items), _) => of_lines(items, found),
                (shape, Some(Id::Line(index))) => found.push((index, shape.clone())),
                _ => {}
            }
        }
    }

    fn distance(at: Point, [from, to]: [Point; 2]) -> f64 {
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0].powi(2) + along[1].powi(2);
        let share = ((at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]) / length;
        let share = share.clamp(0.0, 1.0);
        f64::hypot(from[0] + share * along[0] - at[0], from[1] + share * along[1] - at[1])
    }

    #[test]
    fn marks_are_on_their_lines_at_their_x_and_bars_touch_their_marks() {
        for (lines, epochs) in [(6, 10), (6, 40), (2, 200)] {
            let figure = curves(lines, epochs);
            let options = Options { intervals: IntervalStyle::Bars, ..Options::default() };
            let em = options.size.font_pt;
            let mut found = Vec::new();
            of_lines(&drawn(&figure, &options).0, &mut found);
            let layout = crate::layout::layout(&figure, &options);
            for line in 0..lines {
                let own = || found.iter().filter(|(index, _)| *index == line).map(|(_, shape)| shape);
                let marks: Vec<Point> = own()
                    .filter_map(|shape| if let Shape::Mark(mark) = shape { Some(mark.at) } else { None })
                    .collect();
                let strokes = |wanted: f64| {
                    own().filter_map(move |shape| match shape {
                        Shape::Line(points, pen) if (pen.width - wanted * em).abs() < 1e-9 => Some(points),
                        _ => None,
                    })
                };
                let through: Vec<[Point; 2]> = strokes(crate::scene::LINE)
                    .flat_map(|points| points.windows(2).map(|two| [two[0], two[1]]))
                    .collect();
                assert!(marks.len() > 2 && !through.is_empty(), "{lines} lines, {epochs} epochs");
                for mark in &marks {
                    let nearest = through.iter().map(|two| distance(*mark, *two)).fold(f64::MAX, f64::min);
                    assert!(nearest < 0.5, "{nearest} from its line, {epochs} epochs");
                    let x =
                        figure.lines[line].points.iter().filter_map(|point| layout.x.mapping.place(point[0]));
                    assert!(x.map(|x| (x - mark[0]).abs()).fold(f64::MAX, f64::min) < 0.5, "{mark:?}");
                }
                for bar in strokes(WHISKER) {
                    let away = marks.iter().map(|mark| (mark[0] - bar[0][0]).abs()).fold(f64::MAX, f64::min);
                    assert!(away <= MARKER * em + 1e-9, "{away}");
                }
            }
        }
    }
}
