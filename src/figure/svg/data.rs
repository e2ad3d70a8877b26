//! What lies within the axes: bands, single runs, reference levels, lines, markers and the signs at gaps.

use super::writer::{Writer, hex, number, path};
use super::{BAND_OPACITY, BAR_OPACITY, LINE, MARKER, RULE, TRACE, TRACE_OPACITY, areas, names};
use crate::figure::layout::{Layout, Rect};
use crate::figure::marks::{marked, outline};
use crate::figure::model::{At, Figure, Line, Rule};
use crate::figure::palette::{Dash, Marker, Rgb, Style, Theme, colour};
use crate::figure::thin::thin;
use crate::results::statistics::Band;

/// Columns per point in which a line keeps its extremes: 288 to an inch.
const COLUMNS_PER_POINT: f64 = 4.0;

/// How a path is stroked.
#[derive(Debug, Clone, Copy)]
pub struct Pen {
    pub colour: Rgb,
    pub width: f64,
    pub dash: Dash,
    pub opacity: f64,
}

/// The pen of a line's points.
pub fn line_pen(line: &Line, font: f64, theme: Theme) -> Pen {
    Pen { colour: colour(line.style.colour, theme), width: LINE * font, dash: line.style.dash, opacity: 1.0 }
}

/// The pen of the single runs behind a line.
pub fn trace_pen(line: &Line, font: f64, theme: Theme) -> Pen {
    let pen = line_pen(line, font, theme);
    Pen { width: TRACE * font, dash: Dash::Solid, opacity: TRACE_OPACITY, ..pen }
}

/// The pen of a reference level.
pub fn rule_pen(rule: &Rule, font: f64, theme: Theme) -> Pen {
    let colour = rule.colour.map_or(theme.muted(), |index| colour(index, theme));
    Pen { colour, width: RULE * font, dash: rule.dash, opacity: 1.0 }
}

/// Strokes a path.
pub fn stroke(out: &mut Writer, d: &str, pen: Pen) {
    if d.is_empty() {
        return;
    }
    let (colour, width, opacity) = (hex(pen.colour), number(pen.width), number(pen.opacity));
    let dashes: Vec<_> = pen.dash.pattern().iter().map(|length| number(length * pen.width)).collect();
    let dashes = dashes.join(" ");
    let mut attributes = vec![
        ("d", d),
        ("fill", "none"),
        ("stroke", &colour),
        ("stroke-width", &width),
        ("stroke-linejoin", "round"),
    ];
    if !dashes.is_empty() {
        attributes.push(("stroke-dasharray", &dashes));
    }
    if pen.opacity < 1.0 {
        attributes.push(("stroke-opacity", &opacity));
    }
    out.element("path", &attributes, None);
}

/// Fills a polygon.
pub fn fill(out: &mut Writer, corners: &[[f64; 2]], colour: Rgb, opacity: f64) {
    let (d, colour, opacity) = (path(corners) + "Z", hex(colour), number(opacity));
    out.element("path", &[("d", &d), ("fill", &colour), ("fill-opacity", &opacity)], None);
}

/// The marker of a style, with a thin rim of the ground so that it stands out from lines.
pub fn marker(out: &mut Writer, style: Style, at: [f64; 2], font: f64, theme: Theme) {
    let Some(outline) = outline(style.marker, MARKER * font) else { return };
    let corners: Vec<_> = outline.iter().map(|[x, y]| [x + at[0], y + at[1]]).collect();
    let own = colour(style.colour, theme);
    if style.marker == Marker::Cross {
        return stroke(
            out,
            &cross(&corners),
            Pen { colour: own, width: LINE * font, dash: Dash::Solid, opacity: 1.0 },
        );
    }
    let (d, own, rim, width) = (path(&corners) + "Z", hex(own), hex(theme.ground()), number(0.06 * font));
    out.element("path", &[("d", &d), ("fill", &own), ("stroke", &rim), ("stroke-width", &width)], None);
}

fn cross(corners: &[[f64; 2]]) -> String {
    corners.chunks(2).map(path).collect()
}

/// All data. What is wide and faint comes first, so that nothing hides a line.
pub fn draw(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let font = layout.font;
    clip(out, layout);
    areas::cells(out, figure, layout, theme);
    areas::bars(out, figure, layout, theme);
    if figure.is_of_marks() {
        names::marks(out, figure, layout, theme);
        out.line("</g>");
        return;
    }
    for line in &figure.lines {
        band(out, line, layout, theme);
    }
    for line in &figure.lines {
        let pen = trace_pen(line, font, theme);
        for trace in &line.traces {
            polyline(out, &trace.points, layout, pen);
        }
    }
    for rule in &figure.rules {
        stroke(out, &rule_path(rule, layout), rule_pen(rule, font, theme));
    }
    for line in &figure.lines {
        polyline(out, &line.points, layout, line_pen(line, font, theme));
    }
    out.line("</g>");
    // Markers and signs at the rim stay whole.
    for (index, line) in figure.lines.iter().enumerate() {
        markers(out, index, line, layout, theme);
    }
    for line in &figure.lines {
        gaps(out, line, layout, theme);
    }
}

/// A little wider than the plot, so that a line along its rim keeps its width.
fn clip(out: &mut Writer, layout: &Layout<'_>) {
    let Rect { left, top, right, bottom } = layout.plot;
    let air = LINE * layout.font / 2.0;
    let [x, y] = [left - air, top - air].map(number);
    let [width, height] = [right - left + 2.0 * air, bottom - top + 2.0 * air].map(number);
    out.line("<clipPath id=\"plot\">");
    out.element("rect", &[("x", &x), ("y", &y), ("width", &width), ("height", &height)], None);
    out.line("</clipPath>");
    out.line("<g clip-path=\"url(#plot)\">");
}

/// The points on the paper; what has no place is NaN, which divides lines.
pub fn placed(points: &[[f64; 2]], layout: &Layout<'_>) -> Vec<[f64; 2]> {
    let place = |[x, y]: &[f64; 2]| match (layout.x.mapping.place(*x), layout.y.mapping.place(*y)) {
        (Some(x), Some(y)) => [x, y],
        (Some(x), None) => [x, f64::NAN],
        (None, _) => [f64::NAN; 2],
    };
    points.iter().map(place).collect()
}

/// The pieces between gaps.
fn pieces(places: &[[f64; 2]]) -> impl Iterator<Item = &[[f64; 2]]> {
    places.split(|place| place[1].is_nan()).filter(|piece| !piece.is_empty())
}

fn thinned(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    thin(places, |x| (x * COLUMNS_PER_POINT).floor())
}

fn polyline(out: &mut Writer, points: &[[f64; 2]], layout: &Layout<'_>, pen: Pen) {
    let places = thinned(&placed(points, layout));
    let d: String = pieces(&places).filter(|piece| piece.len() > 1).map(path).collect();
    stroke(out, &d, pen);
    for [at] in pieces(&places).filter_map(|piece| <&[_; 1]>::try_from(piece).ok()) {
        dot(out, *at, pen);
    }
}

/// A point without neighbours would be a line without length.
pub fn dot(out: &mut Writer, at: [f64; 2], pen: Pen) {
    let [x, y] = at.map(number);
    let (radius, colour, opacity) = (number(pen.width), hex(pen.colour), number(pen.opacity));
    let attributes =
        [("cx", x.as_str()), ("cy", &y), ("r", &radius), ("fill", &colour), ("fill-opacity", &opacity)];
    out.element("circle", &attributes, None);
}

fn rule_path(rule: &Rule, layout: &Layout<'_>) -> String {
    let Rect { left, top, right, bottom } = layout.plot;
    let ends = match rule.at {
        At::X(x) => layout.x.mapping.place(x).map(|x| [[x, top], [x, bottom]]),
        At::Y(y) => layout.y.mapping.place(y).map(|y| [[left, y], [right, y]]),
    };
    ends.map_or_else(String::new, |ends| path(&ends))
}

fn band(out: &mut Writer, line: &Line, layout: &Layout<'_>, theme: Theme) {
    let edge = |end: fn(&Band) -> f64| -> Vec<[f64; 2]> {
        placed(&line.band.iter().map(|band| [band.x, end(band)]).collect::<Vec<_>>(), layout)
    };
    let (lows, highs) = (edge(|band| band.low), edge(|band| band.high));
    let both: Vec<_> = lows.into_iter().zip(highs).collect();
    let own = colour(line.style.colour, theme);
    for piece in both.split(|(low, high)| low[1].is_nan() || high[1].is_nan()) {
        let (lows, mut highs): (Vec<_>, Vec<_>) = piece.iter().copied().unzip();
        if let [(low, high)] = piece {
            // The spread at a single x is a bar.
            let pen = Pen { colour: own, width: LINE * layout.font, dash: Dash::Solid, opacity: BAR_OPACITY };
            stroke(out, &path(&[*low, *high]), pen);
        } else if !piece.is_empty() {
            highs = thinned(&highs);
            highs.reverse();
            fill(out, &[thinned(&lows), highs].concat(), own, BAND_OPACITY);
        }
    }
}

/// Markers at points of the line within the plot; offset between lines, so that they do not cover each other.
fn markers(out: &mut Writer, index: usize, line: &Line, layout: &Layout<'_>, theme: Theme) {
    let places: Vec<_> =
        placed(&line.points, layout).into_iter().filter(|at| within(*at, layout.plot)).collect();
    let marked = marked(places.len(), index);
    for (_, at) in places.iter().enumerate().filter(|(nth, _)| marked(*nth)) {
        marker(out, line.style, *at, layout.font, theme);
    }
}

pub fn within([x, y]: [f64; 2], plot: Rect) -> bool {
    let slack = 0.01;
    x >= plot.left - slack && x <= plot.right + slack && y >= plot.top - slack && y <= plot.bottom + slack
}

/// An × at the rim where a value is missing: at the top for +∞, else at the bottom. Of missing values in a row, the
/// first has the sign.
pub fn gaps(out: &mut Writer, line: &Line, layout: &Layout<'_>, theme: Theme) {
    let own = hex(colour(line.style.colour, theme));
    let width = number(LINE * layout.font * 0.8);
    for polyline in line.polylines() {
        for at in gap_places(polyline, layout) {
            let radius = MARKER * layout.font;
            let outline = outline(Marker::Cross, radius).unwrap_or_default();
            let corners: Vec<_> = outline.iter().map(|[x, y]| [x + at[0], y + at[1]]).collect();
            let d = cross(&corners);
            let pen = [("stroke", own.as_str()), ("stroke-width", &width)];
            out.element("path", &[("class", "gap"), ("d", &d), ("fill", "none"), pen[0], pen[1]], None);
        }
    }
}

fn gap_places(points: &[[f64; 2]], layout: &Layout<'_>) -> Vec<[f64; 2]> {
    let (plot, inset) = (layout.plot, MARKER * layout.font * 1.4);
    let missing = |point: &[f64; 2]| layout.y.mapping.place(point[1]).is_none();
    let starts = points.iter().enumerate().filter(|(index, point)| {
        missing(point) && !index.checked_sub(1).is_some_and(|before| missing(&points[before]))
    });
    let sign = |(_, point): (usize, &[f64; 2])| {
        let x = layout.x.mapping.place(point[0])?;
        let y = if point[1] > 0.0 { plot.top + inset } else { plot.bottom - inset };
        within([x, y], plot).then_some([x, y])
    };
    starts.filter_map(sign).collect()
}
