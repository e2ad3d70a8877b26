//! Positions of points, and the signs for missing values.

use super::pen::{LINE, MARKER, cross};
use super::writer::{Writer, hex, number};
use crate::figure::layout::{Layout, Rect};
use crate::figure::model::Line;
use crate::figure::palette::{Theme, colour};

/// The positions of points; NaN for those that cannot be shown, which interrupts lines.
pub fn placed(points: &[[f64; 2]], layout: &Layout<'_>) -> Vec<[f64; 2]> {
    let place = |[x, y]: &[f64; 2]| match (layout.x.mapping.place(*x), layout.y.mapping.place(*y)) {
        (Some(x), Some(y)) => [x, y],
        (Some(x), None) => [x, f64::NAN],
        (None, _) => [f64::NAN; 2],
    };
    points.iter().map(place).collect()
}

/// The positions of points within the plot.
pub fn visible(points: &[[f64; 2]], layout: &Layout<'_>) -> Vec<[f64; 2]> {
    placed(points, layout).into_iter().filter(|at| is_within(*at, layout.plot)).collect()
}

/// The pieces between gaps.
pub fn pieces(places: &[[f64; 2]]) -> impl Iterator<Item = &[[f64; 2]]> {
    places.split(|place| place[1].is_nan()).filter(|piece| !piece.is_empty())
}

fn is_within([x, y]: [f64; 2], plot: Rect) -> bool {
    let slack = 0.01;
    x >= plot.left - slack && x <= plot.right + slack && y >= plot.top - slack && y <= plot.bottom + slack
}

/// An × at the rim for a missing value: at the top for +∞, otherwise at the bottom. Of consecutive missing values, only
/// the first is marked.
pub fn gaps(out: &mut Writer, line: &Line, layout: &Layout<'_>, theme: Theme) {
    let own = hex(colour(line.style.colour, theme));
    let width = number(LINE * layout.font * 0.8);
    for at in line.polylines().flat_map(|points| gap_places(points, layout)) {
        let d = cross(at, layout.font);
        let pen = [("stroke", own.as_str()), ("stroke-width", &width)];
        out.element("path", &[("class", "gap"), ("d", &d), ("fill", "none"), pen[0], pen[1]], None);
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
        is_within([x, y], plot).then_some([x, y])
    };
    starts.filter_map(sign).collect()
}
