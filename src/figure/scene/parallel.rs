//! Parallel coordinates: a line for each run across vertical axes.

use super::item::{Id, Ink, Item, Pen, Point, Shape, segments};
use super::strokes::{AXIS, LINE};
use crate::layout::{Rect, TICK, Upright};
use crate::model::{Line, Trace};
use crate::palette::Theme;

/// Width of a run's line in ems and its opacity, since many runs overlap; and the width of the run at the pointer.
const RUN: f64 = 0.11;
const POINTED: f64 = 0.25;
const OPACITY: f64 = 0.78;
/// Opacity of the ground behind labels.
const PATCH: f64 = 0.8;

/// How a run is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLook {
    /// Its strength: less while another one stands out.
    pub strength: f64,
    /// Whether it is at the pointer.
    pub is_pointed: bool,
}

/// The line of a run, with its places on the axes; `None` if it has fewer than two values.
pub fn run(
    (line, trace, id): (&Line, &Trace, [usize; 2]),
    axes: &[Upright],
    (em, theme): (f64, Theme),
    look: RunLook,
) -> Option<Item> {
    let places = places(trace, axes);
    let opacity = if look.is_pointed { 1.0 } else { OPACITY * look.strength };
    let width = if look.is_pointed { POINTED } else { RUN };
    let pen = Pen::new(Ink::new(line.style.rgb(theme)).faint(opacity), width * em).dashed(line.style.dash);
    // Dashes are as long as in the legend, so that they differ even in hundreds of thin lines.
    let pen = Pen { unit: LINE * em, ..pen };
    let pieces = super::pieces(&places).filter(|piece| piece.len() > 1);
    let points = pieces.collect::<Vec<_>>().join(&[f64::NAN; 2]);
    (!points.is_empty()).then(|| Shape::Line(points, pen).of(Id::Run(id)))
}

/// The places of a run on the axes; y is NaN where it has no value.
pub fn places(trace: &Trace, axes: &[Upright]) -> Vec<Point> {
    let place = |(axis, [_, value]): (&Upright, &Point)| {
        [axis.x, axis.ruler.mapping.place(*value).unwrap_or(f64::NAN)]
    };
    axes.iter().zip(&trace.points).map(place).collect()
}

/// The axes over the runs, with labels on patches of ground.
pub fn axes(axes: &[Upright], plot: Rect, em: f64, theme: Theme) -> Vec<Item> {
    let upright = |axis: &Upright| {
        let ticks = axis.ruler.tick_places(true).map(|y| [[axis.x - TICK * em, y], [axis.x, y]]);
        std::iter::once([[axis.x, plot.top], [axis.x, plot.bottom]]).chain(ticks).collect::<Vec<_>>()
    };
    let pen = Pen::new(Ink::new(theme.axis()), AXIS * em);
    let mut items = vec![Shape::Line(segments(axes.iter().flat_map(upright)), pen).plain()];
    for (rect, label) in axes.iter().flat_map(|axis| &axis.labels) {
        items.push(Shape::Rect(*rect, Ink::new(theme.ground()).faint(PATCH), None).plain());
        items.push(Shape::Text(label.clone(), theme.ink()).plain());
    }
    items
}
