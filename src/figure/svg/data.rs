//! Everything within the axes: bands, single runs, reference lines, lines, markers and signs at gaps.

use super::pen::{
    BAND_OPACITY, BAR_OPACITY, LINE, Pen, dot, fill, line_pen, marker, reference_pen, stroke, trace_pen,
};
use super::points::{gaps, pieces, placed, visible};
use super::writer::{Writer, path};
use super::{areas, category_marks};
use crate::figure::layout::{Layout, Rect};
use crate::figure::marks::marked;
use crate::figure::model::{At, Figure, Line, ReferenceLine};
use crate::figure::palette::{Dash, Theme, colour};
use crate::figure::thin::thin;
use crate::results::statistics::Band;

/// Lines keep their extremes in each of these columns per point: 288 to an inch.
const COLUMNS_PER_POINT: f64 = 4.0;

/// All data. Wide and faint parts come first, so that nothing hides a line.
pub fn draw(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let font = layout.font;
    clip(out, layout);
    areas::cells(out, figure, layout, theme);
    areas::bars(out, figure, layout, theme);
    if figure.is_of_marks() {
        category_marks::marks(out, figure, layout, theme);
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
    for reference in &figure.reference_lines {
        stroke(out, &reference_path(reference, layout), reference_pen(reference, font, theme));
    }
    for line in &figure.lines {
        polyline(out, &line.points, layout, line_pen(line, font, theme));
    }
    out.line("</g>");
    // Markers and signs at the rim are not clipped.
    for (index, line) in figure.lines.iter().enumerate() {
        markers(out, index, line, layout, theme);
    }
    for line in &figure.lines {
        gaps(out, line, layout, theme);
    }
}

/// Clips a little outside the plot, so that lines along its rim keep their width.
fn clip(out: &mut Writer, layout: &Layout<'_>) {
    let Rect { left, top, right, bottom } = layout.plot;
    let air = LINE * layout.font / 2.0;
    let size = [right - left + 2.0 * air, bottom - top + 2.0 * air];
    out.line("<clipPath id=\"plot\">");
    out.area("rect", [left - air, top - air], size, &[]);
    out.line("</clipPath>");
    out.line("<g clip-path=\"url(#plot)\">");
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

fn reference_path(reference: &ReferenceLine, layout: &Layout<'_>) -> String {
    let Rect { left, top, right, bottom } = layout.plot;
    let ends = match reference.at {
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
            // A band at a single x is a bar.
            let pen = Pen { colour: own, width: LINE * layout.font, dash: Dash::Solid, opacity: BAR_OPACITY };
            stroke(out, &path(&[*low, *high]), pen);
        } else if !piece.is_empty() {
            highs = thinned(&highs);
            highs.reverse();
            fill(out, &[thinned(&lows), highs].concat(), own, BAND_OPACITY);
        }
    }
}

/// Markers at visible points, offset between lines, so that they do not cover each other.
fn markers(out: &mut Writer, index: usize, line: &Line, layout: &Layout<'_>, theme: Theme) {
    let places = visible(&line.points, layout);
    let marked = marked(places.len(), index);
    for (_, at) in places.iter().enumerate().filter(|(nth, _)| marked(*nth)) {
        marker(out, line.style, *at, layout.font, theme);
    }
}
