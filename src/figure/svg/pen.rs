//! Widths, opacities, strokes, filled areas and markers.

use super::writer::{Writer, hex, number, path};
use crate::figure::marks::outline;
use crate::figure::model::{Line, ReferenceLine};
use crate::figure::palette::{Dash, Marker, Rgb, Style, Theme, colour};

/// Widths of lines in ems.
pub const LINE: f64 = 0.17;
pub const TRACE: f64 = 0.075;
const REFERENCE: f64 = 0.11;
pub const GRID: f64 = 0.07;
pub const AXIS: f64 = 0.09;
pub const BAND_OPACITY: f64 = 0.18;
/// Opacity of a band at a single x, which is a bar.
pub const BAR_OPACITY: f64 = 0.6;
const TRACE_OPACITY: f64 = 0.35;
/// Radius of markers and of the sign at a gap, in ems.
pub const MARKER: f64 = 0.32;

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

/// The pen of the single runs of a line.
pub fn trace_pen(line: &Line, font: f64, theme: Theme) -> Pen {
    let pen = line_pen(line, font, theme);
    Pen { width: TRACE * font, dash: Dash::Solid, opacity: TRACE_OPACITY, ..pen }
}

/// The pen of a reference line.
pub fn reference_pen(reference: &ReferenceLine, font: f64, theme: Theme) -> Pen {
    let colour = reference.colour.map_or(theme.muted(), |index| colour(index, theme));
    Pen { colour, width: REFERENCE * font, dash: reference.dash, opacity: 1.0 }
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

/// Strokes straight lines of one colour, such as axes with their ticks.
pub fn segments(out: &mut Writer, segments: &[[[f64; 2]; 2]], colour: Rgb, width: f64) {
    let d: String = segments.iter().map(|ends| path(ends)).collect();
    if !d.is_empty() {
        thin_stroke(out, &d, colour, width);
    }
}

/// Strokes a path whose corners need no rounding.
pub fn thin_stroke(out: &mut Writer, d: &str, colour: Rgb, width: f64) {
    let (stroke, width) = (hex(colour), number(width));
    out.element("path", &[("d", d), ("fill", "none"), ("stroke", &stroke), ("stroke-width", &width)], None);
}

/// Fills a polygon.
pub fn fill(out: &mut Writer, corners: &[[f64; 2]], colour: Rgb, opacity: f64) {
    let (d, colour, opacity) = (path(corners) + "Z", hex(colour), number(opacity));
    out.element("path", &[("d", &d), ("fill", &colour), ("fill-opacity", &opacity)], None);
}

/// Draws a marker, with a thin rim in the background colour, so that it stands out from lines.
pub fn marker(out: &mut Writer, style: Style, at: [f64; 2], font: f64, theme: Theme) {
    let own = colour(style.colour, theme);
    if style.marker == Marker::Cross {
        let pen = Pen { colour: own, width: LINE * font, dash: Dash::Solid, opacity: 1.0 };
        return stroke(out, &cross(at, font), pen);
    }
    let Some(outline) = outline(style.marker, MARKER * font) else { return };
    let corners = moved(&outline, at);
    let (d, own, rim, width) = (path(&corners) + "Z", hex(own), hex(theme.ground()), number(0.06 * font));
    out.element("path", &[("d", &d), ("fill", &own), ("stroke", &rim), ("stroke-width", &width)], None);
}

/// The path of an × at a place.
pub fn cross(at: [f64; 2], font: f64) -> String {
    let outline = outline(Marker::Cross, MARKER * font).unwrap_or_default();
    moved(&outline, at).chunks(2).map(path).collect()
}

fn moved(outline: &[[f64; 2]], at: [f64; 2]) -> Vec<[f64; 2]> {
    outline.iter().map(|[x, y]| [x + at[0], y + at[1]]).collect()
}

/// Draws a point without neighbours, which would be a line without length.
pub fn dot(out: &mut Writer, at: [f64; 2], pen: Pen) {
    let [x, y] = at.map(number);
    let (radius, colour, opacity) = (number(pen.width), hex(pen.colour), number(pen.opacity));
    let attributes =
        [("cx", x.as_str()), ("cy", &y), ("r", &radius), ("fill", &colour), ("fill-opacity", &opacity)];
    out.element("circle", &attributes, None);
}
