//! Lines with their bands or error bars, their single runs, and reference lines.

use super::thinning::{Columns, Piece, band_pieces, line_pieces, marked, sparse};
use super::turns::{Below, below};
use super::{
    AXIS, BAND, BAR, Column, DOT, FAINT_DOT, Id, Ink, Item, LINE, MARKER, Mark, Pen, Point, RIM, RING, Shape,
    Surface, WHISKER, clipped, segments,
};
use crate::layout::{Rect, TICK, Upright};
use crate::model::{At, Figure, Line, ReferenceLine, Trace};
use crate::palette::{Marker, Rgb, Style, Theme, outline};
use results::statistics::Band;

/// The largest movement of an edge by simplifying, in ems.
pub const TOLERANCE: f64 = 0.016;
/// Distance between the error bars of neighbouring lines, and the most from the first to the last, in ems: a bar never leaves
/// its mark, which stays at its x.
const DODGE: f64 = 0.2;
const WIDEST_DODGE: f64 = 2.0 * MARKER;

/// Returns everything over the bands: faint parts come first, so that nothing hides a line.
pub fn lines(surface: &Surface<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let traces = surface.traced().map(|(_, count)| count).sum();
    let columns = Columns::new(surface, traces, true);
    for (index, count) in surface.traced() {
        let line = &surface.figure.lines[index];
        for (nth, trace) in line.traces.iter().take(count).enumerate() {
            let (pen, id) = (surface.trace_pen(line, nth), Id::Run([index, nth]));
            match trace.points.as_slice() {
                [only] => items.extend(dot(surface, line, *only, id)),
                several => polyline(several, surface, (columns, pen), id, &mut items),
            }
        }
    }
    items.extend(rules(surface, false));
    let mut order: Vec<usize> = surface.lines().map(|(index, _)| index).collect();
    order.sort_by_key(|index| surface.is_on_top(&surface.figure.lines[*index].name));
    let (columns, dodges) = (Columns::new(surface, order.len(), false), dodges(surface));
    let area = with_air(surface.area, surface.em);
    let (mut drawn, mut signs) = (Vec::new(), Vec::new());
    let mut is_below = true;
    for (index, below) in order.iter().zip(below(surface, &order)) {
        let line = &surface.figure.lines[*index];
        if is_below && surface.is_on_top(&line.name) {
            is_below = false;
            drawn.extend(clipped(area, std::mem::take(&mut items)));
            drawn.append(&mut signs);
        }
        if line.names.is_empty() {
            curve(surface, *index, &below, columns, &mut items);
        }
        markers(surface, *index, (&below, dodges[*index]), &mut signs);
        signs.extend(unfinished(surface, *index, line));
        gaps(surface, *index, line, &mut signs);
    }
    items.extend(rules(surface, true));
    // Markers and signs at the rim are not clipped.
    drawn.extend(clipped(area, items));
    drawn.append(&mut signs);
    drawn
}

/// Returns the reference lines, those on top or all others.
fn rules(surface: &Surface<'_>, are_on_top: bool) -> Vec<Item> {
    let Rect { left, top, right, bottom } = surface.area;
    let is_wanted = |(_, reference): &(usize, &ReferenceLine)| {
        let name = &reference.name;
        surface.is_on_top(name) == are_on_top && !surface.look.hidden.contains(name)
    };
    let rule = |(index, reference): (usize, &ReferenceLine)| {
        let ends = match reference.at {
            At::X(x) => surface.x.place(x).map(|x| vec![[x, top], [x, bottom]]),
            At::Y(y) => surface.y.place(y).map(|y| vec![[left, y], [right, y]]),
        };
        Some(Shape::Line(ends?, surface.reference_pen(reference)).of(Id::Reference(index)))
    };
    let all = surface.figure.reference_lines.iter().enumerate();
    all.filter(is_wanted).filter_map(rule).collect()
}

/// Draws the line through the points; where it covers others, its pen has gaps.
fn curve(surface: &Surface<'_>, index: usize, below: &Below, columns: Columns, items: &mut Vec<Item>) {
    let line = &surface.figure.lines[index];
    let (pen, id) = (surface.line_pen(line), Id::Line(index));
    // What is looked at shows half of its way, however many are below.
    let most = if surface.is_on_top(&line.name) { 1 } else { u8::MAX };
    if below.depths.is_empty() {
        return polyline(&line.points, surface, (columns, pen), id, items);
    }
    let mut start = 0;
    for pieces in below.depths.chunk_by(|a, b| a == b) {
        let end = start + pieces.len();
        let pen = Pen { below: pieces[0].min(most), ..pen };
        polyline(&line.points[start..=end], surface, (columns, pen), id, items);
        start = end;
    }
}

/// Returns a little more than the area, so that lines along its rim keep their width.
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

/// Returns the parts of a line near the area: places far outside, as of a zoomed view, have no exact numbers on the screen.
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

/// Thickens columns to a band at least as thick as the line. Dashes run along x.
fn filled(mut columns: Vec<Column>, pen: Pen) -> Vec<Vec<Column>> {
    let half = pen.width / 2.0;
    for [_, top, bottom] in &mut columns {
        (*top, *bottom) = (*top - half, *bottom + half);
    }
    if columns.first().map(|column| column[0]) > columns.last().map(|column| column[0]) {
        columns.reverse();
    }
    let start = columns.first().map_or(0.0, |column| column[0]);
    let is_inked = |column: &Column| is_inked(&pen.pattern(), column[0] - start);
    let dashes = columns.chunk_by(|a, b| is_inked(a) == is_inked(b)).filter(|run| is_inked(&run[0]));
    dashes.map(<[Column]>::to_vec).collect()
}

/// Returns true if a line of these strokes and gaps has ink after so many points.
fn is_inked(pattern: &[f64], length: f64) -> bool {
    let period: f64 = pattern.iter().sum();
    if period <= 0.0 {
        return true;
    }
    let mut rest = length.rem_euclid(period);
    let phase = pattern.iter().position(|length| {
        rest -= length;
        rest < 0.0
    });
    phase.is_none_or(|index| index % 2 == 0)
}

/// Adds the markers of a line, each over its error bar. Bars of several lines are side by side, marks stay at their x; where
/// lines cover each other, they have marks in turn.
fn markers(
    surface: &Surface<'_>,
    index: usize,
    (below, across): (&Below, Option<f64>),
    items: &mut Vec<Item>,
) {
    let line = &surface.figure.lines[index];
    let ink = surface.ink(&line.name, line.style);
    let mut bands = line.band.iter();
    let places = places_of_markers(surface, index, line);
    // Marks at every few points are at different ones anyway.
    let are_all = places.windows(2).all(|two| two[0].0 + 1 == two[1].0);
    for (nth, [x, y]) in places {
        if let Some(across) = across
            && let Some(ends) = bar(surface, line.points[nth][0], line, &mut bands)
        {
            let pen = Pen::new(ink, WHISKER * surface.em);
            items.push(Shape::Line(ends.map(|end| [x + across, end]).to_vec(), pen).of(Id::Line(index)));
        }
        let depth = below.depths.get(nth.min(below.depths.len().saturating_sub(1))).copied().unwrap_or(0);
        if !are_all || nth % (usize::from(depth) + 1) == usize::from(depth) {
            items.extend(marker(line.style, [x, y], ink, surface).map(|mark| mark.of(Id::Line(index))));
        }
    }
    items.extend(ring(surface, index, line));
}

/// Returns the indices and places of a line's markers. Each of several single runs has one.
fn places_of_markers(surface: &Surface<'_>, index: usize, line: &Line) -> Vec<(usize, Point)> {
    if line.names.is_empty() {
        return marked(&line.points, index, surface).collect();
    }
    let places = line.points.iter().map(|point| surface.place(*point)).enumerate();
    places.filter(|(_, at)| surface.holds(*at)).collect()
}

/// Returns the ring around the best point of a line.
pub fn ring(surface: &Surface<'_>, index: usize, line: &Line) -> Option<Item> {
    let [x, y] = line.best.and_then(|best| line.points.get(best)).map(|point| surface.place(*point))?;
    let outline = outline(Marker::Circle, RING * surface.em).filter(|_| surface.holds([x, y]))?;
    let closed = outline.iter().chain(outline.first()).map(|corner| [x + corner[0], y + corner[1]]);
    let pen = Pen::new(surface.ink(&line.name, line.style), WHISKER * surface.em);
    Some(Shape::Line(closed.collect(), pen).of(Id::Line(index)))
}

pub fn dot(surface: &Surface<'_>, line: &Line, point: Point, id: Id) -> Option<Item> {
    let at = surface.place(point);
    let ink = surface.ink(&line.name, line.style).faint(FAINT_DOT);
    surface.holds(at).then(|| Shape::Mark(Mark::dot(at, DOT * surface.em, ink)).of(id))
}

/// Returns the ends of the error bar at an x.
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
    let [low, high] = surface.figure.drawn_ends(band);
    let ends = [surface.y.place(low)?, surface.y.place(high)?];
    Some(ends.map(|end| end.clamp(surface.area.top, surface.area.bottom)))
}

/// Returns the offset of each line's error bars, so that they do not cover each other; `None` for lines without bars.
fn dodges(surface: &Surface<'_>) -> Vec<Option<f64>> {
    let intervals = surface.look.intervals;
    let has_bars = intervals.filter(surface.figure);
    let is_shown =
        |(index, line): &(usize, &Line)| intervals.are_bars() && has_bars(*index) && !line.band.is_empty();
    let shown: Vec<usize> = surface.lines().filter(is_shown).map(|(index, _)| index).collect();
    let last = shown.len().saturating_sub(1) as f64;
    let step = if last > 0.0 { DODGE.min(WIDEST_DODGE / last) } else { 0.0 };
    let mut offsets = vec![None; surface.figure.lines.len()];
    for (position, index) in shown.into_iter().enumerate() {
        offsets[index] = Some((position as f64 - last / 2.0) * step * surface.em);
    }
    offsets
}

/// Returns hollow marks for unfinished runs.
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

/// Returns a line's marker, with a thin rim in the colour of the ground, so that it stands out from lines.
pub fn marker(style: Style, at: Point, ink: Ink, surface: &Surface<'_>) -> Option<Shape> {
    mark(style, at, ink, surface.em, surface.theme.ground()).map(Shape::Mark)
}

/// Returns the marker on any ground.
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

/// Returns the bands, below all lines. They stay as they are while another line stands out.
pub fn bands(surface: &Surface<'_>) -> Vec<Item> {
    let intervals = surface.look.intervals;
    let has_band = intervals.filter(surface.figure);
    let columns = Columns::new(surface, surface.lines().count(), false);
    let mut items = Vec::new();
    for (index, line) in surface.lines().filter(|(index, _)| !intervals.are_bars() && has_band(*index)) {
        let own = line.style.ink(surface.theme);
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
    clipped(surface.area, items)
}

/// Adds an × at the rim for the first of consecutive missing values: at the top for +∞, otherwise at the bottom.
pub fn gaps(surface: &Surface<'_>, index: usize, line: &Line, items: &mut Vec<Item>) {
    let ink = surface.ink(&line.name, line.style);
    let (radius, rim) = (MARKER * surface.em, Pen::new(ink, 0.8 * LINE * surface.em));
    for at in line.polylines().flat_map(|points| missing(points, surface)) {
        items.push(Shape::Mark(Mark { marker: Marker::Cross, at, radius, ink, rim }).of(Id::Line(index)));
    }
}

fn missing(points: &[Point], surface: &Surface<'_>) -> Vec<Point> {
    let (area, inset) = (surface.area, MARKER * surface.em * 1.4);
    let is_missing = |point: &Point| surface.y.place(point[1]).is_none();
    let starts = points.iter().enumerate().filter(|(index, point)| {
        is_missing(point) && !index.checked_sub(1).is_some_and(|before| is_missing(&points[before]))
    });
    let sign = |(_, point): (usize, &Point)| {
        let x = surface.x.place(point[0])?;
        let y = if point[1] > 0.0 { area.top + inset } else { area.bottom - inset };
        surface.holds([x, y]).then_some([x, y])
    };
    starts.filter_map(sign).collect()
}

/// Returns all markers, each over its whisker and dots.
pub fn marks(surface: &Surface<'_>) -> Vec<Item> {
    let mut items = rules(surface, false);
    items.extend(rules(surface, true));
    for (index, line) in surface.lines() {
        marks_of(surface, index, line, &mut items);
    }
    clipped(surface.area, items)
}

fn marks_of(surface: &Surface<'_>, index: usize, line: &Line, items: &mut Vec<Item>) {
    let (ink, id) = (surface.ink(&line.name, line.style), Id::Line(index));
    for band in &line.band {
        let ends = surface.figure.drawn_ends(band).map(|end| surface.place([band.x, end]));
        if ends.iter().flatten().all(|place| place.is_finite()) {
            items.push(Shape::Line(ends.to_vec(), Pen::new(ink, WHISKER * surface.em)).of(id));
        }
    }
    let running = line.seeds.map_or(0, |seeds| seeds.running);
    let points = line.traces.iter().enumerate().skip(running);
    let points = points.flat_map(|(nth, trace)| trace.points.iter().map(move |point| (nth, point)));
    items.extend(points.filter_map(|(nth, point)| dot(surface, line, *point, Id::Run([index, nth]))));
    let places = line.points.iter().map(|point| surface.place(*point)).filter(|at| surface.holds(*at));
    items.extend(places.filter_map(|at| marker(line.style, at, ink, surface)).map(|mark| mark.of(id)));
    items.extend(unfinished(surface, index, line));
    items.extend(ring(surface, index, line));
    gaps(surface, index, line, items);
}

/// Width of a run's line in ems and its opacity, since many runs overlap; and the width of the run at the pointer.
const RUN: f64 = 0.11;
const POINTED: f64 = 0.25;
const OPACITY: f64 = 0.78;
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLook {
    /// Its strength: less while another one stands out.
    pub strength: f64,
    pub is_pointed: bool,
}

/// Returns all runs, by the indices of the line and of the run in it, those with the highest values last: on top.
pub fn in_drawing_order(figure: &Figure) -> Vec<[usize; 2]> {
    let lines = figure.lines.iter().enumerate();
    let mut runs: Vec<[usize; 2]> =
        lines.flat_map(|(index, line)| (0..line.traces.len()).map(move |nth| [index, nth])).collect();
    let value = |[index, nth]: &[usize; 2]| scaled(&figure.lines[*index].traces[*nth]).unwrap_or(f64::MIN);
    runs.sort_by(|a, b| value(a).total_cmp(&value(b)));
    runs
}

/// Returns the value that a run is coloured by.
fn scaled(trace: &Trace) -> Option<f64> {
    trace.points.last().map(|[_, value]| *value).filter(|value| value.is_finite())
}

/// Returns the colour of a run: that of its value, or grey without one.
pub fn run_colour(figure: &Figure, [index, nth]: [usize; 2], theme: Theme) -> Rgb {
    let value = scaled(&figure.lines[index].traces[nth]);
    let scale = figure.run_scale.as_ref().zip(value);
    scale.and_then(|(scale, value)| scale.colour(value, scale.range(), theme)).unwrap_or_else(|| theme.pale())
}

/// Returns the nth run of the line with this index across the axes; `None` if it has fewer than two values.
pub fn run(
    figure: &Figure,
    [index, nth]: [usize; 2],
    axes: &[Upright],
    em: f64,
    theme: Theme,
    look: RunLook,
) -> Option<Item> {
    let places = places_of_run(&figure.lines[index].traces[nth], axes);
    let opacity = if look.is_pointed { 1.0 } else { OPACITY * look.strength };
    let width = if look.is_pointed { POINTED } else { RUN };
    let ink = Ink::new(run_colour(figure, [index, nth], theme)).faint(opacity);
    let pen = Pen::new(ink, width * em);
    let pieces = super::pieces(&places).filter(|piece| piece.len() > 1);
    let points = pieces.collect::<Vec<_>>().join(&[f64::NAN; 2]);
    (!points.is_empty()).then(|| Shape::Line(points, pen).of(Id::Run([index, nth])))
}

/// Returns the places of a run on the axes; y is NaN where it has no value.
pub fn places_of_run(trace: &Trace, axes: &[Upright]) -> Vec<Point> {
    let place = |(axis, [_, value]): (&Upright, &Point)| {
        [axis.x, axis.ruler.mapping.place(*value).unwrap_or(f64::NAN)]
    };
    axes.iter().zip(&trace.points).map(place).collect()
}

/// Returns the axes over the runs, with labels on patches of ground.
pub fn parallel_axes(axes: &[Upright], plot: Rect, em: f64, theme: Theme) -> Vec<Item> {
    let upright = |axis: &Upright| {
        let ticks = axis.ruler.tick_places(true).map(|y| [[axis.x - TICK * em, y], [axis.x, y]]);
        std::iter::once([[axis.x, plot.top], [axis.x, plot.bottom]]).chain(ticks).collect::<Vec<_>>()
    };
    let pen = Pen::new(Ink::new(theme.axis()), AXIS * em);
    let mut items = vec![Shape::Line(segments(axes.iter().flat_map(upright)), pen).plain()];
    for (rect, label) in axes.iter().flat_map(|axis| &axis.labels) {
        items.push(Shape::Rect(*rect, Ink::new(theme.ground()), None).plain());
        items.push(Shape::Text(label.clone(), theme.ink()).plain());
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Axis;
    use crate::scene::page::drawn;
    use crate::{IntervalStyle, Options, style_of};
    use results::statistics::Band;

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
                // Where lines lie on each other they have marks in turn, but each has its bars.
                let points = &figure.lines[line].points;
                let xs: Vec<f64> = points.iter().filter_map(|[x, _]| layout.x.mapping.place(*x)).collect();
                for bar in strokes(WHISKER) {
                    let away = xs.iter().map(|x| (x - bar[0][0]).abs()).fold(f64::MAX, f64::min);
                    assert!(away <= MARKER * em + 1e-9, "{away}");
                }
            }
        }
    }

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
