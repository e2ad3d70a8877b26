//! What is computed of a figure before it is painted: its range, its small print, its lines thinned to pixels, their
//! triangles. Of a large figure that takes longer than a frame may, so it comes from a thread, and the last look stays
//! until then.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::Context;

use super::drawing::{DrawnLine, draw};
use super::navigate::View;
use super::sheet::{Canvas, Cause, Sheet};
use crate::figure::axis::Axis;
use crate::figure::model::{Figure, Line};
use crate::figure::ranges::ranges;
use crate::figure::view::without;
use crate::gui::working::{Answer, Working};

/// Up to so many points, a look takes a small part of a frame.
const SMALL: usize = 10_000;

/// The width of a plot that was never painted.
const PIXELS: f64 = 800.0;

/// What decides how a figure looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// Lines that are not drawn.
    pub hidden: BTreeSet<String>,
    /// The ranges of x and y that were chosen, as values.
    pub chosen: [Option<[f64; 2]>; 2],
    /// The places that are seen, where a person zoomed.
    pub zoom: Option<View>,
    /// What it is painted on, once it was painted.
    pub canvas: Option<Canvas>,
}

/// What changes with the data, the hidden lines and the chosen ranges.
#[derive(Debug)]
pub struct Kept {
    /// The hidden lines.
    pub hidden: BTreeSet<String>,
    /// The places that the visible data need.
    pub fit: View,
    /// Small print below the plot.
    pub remarks: String,
    /// Whether the points of each line, its band and its single runs only go forward along x.
    pub forward: Vec<bool>,
}

/// What changes with the zoom and the width, besides.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The places of x that were seen.
    pub range: [f64; 2],
    /// Width of the plot in pixels, and how many plots of curves are seen.
    pub room: (f64, usize),
    /// In the order of the figure's lines.
    pub lines: Arc<Vec<DrawnLine>>,
}

/// A figure, as it is wished for.
#[derive(Debug)]
pub struct Look {
    /// What was asked for.
    pub wish: Wish,
    /// What is kept of it while it is zoomed.
    pub kept: Arc<Kept>,
    /// What is drawn of it.
    pub drawn: Drawn,
    /// Its triangles, where they have a canvas.
    pub sheet: Option<Sheet>,
}

/// Whether the looks of a figure come from a thread.
pub fn is_large(figure: &Figure) -> bool {
    figure.lines.iter().flat_map(Line::polylines).map(<[_]>::len).sum::<usize>() > SMALL
}

impl Look {
    /// Computes the look; `kept` is what was computed before, where it still holds.
    pub fn of(figure: &Figure, wish: Wish, kept: Option<Arc<Kept>>) -> Self {
        let kept = kept.unwrap_or_else(|| Arc::new(Kept::of(figure, &wish)));
        let view = wish.zoom.unwrap_or(kept.fit);
        let room = wish.canvas.as_ref().map_or((PIXELS, 1), |canvas| (canvas.width(), canvas.plots));
        let drawn = Drawn::of(figure, &wish.hidden, view[0], room);
        let cause = wish.canvas.clone().map(|canvas| Cause::new(figure, view, &wish.hidden, canvas));
        let sheet = cause.map(|cause| Sheet::of(figure, &drawn.lines, cause));
        Self { wish, kept, drawn, sheet }
    }
}

impl Kept {
    /// Looks at the whole figure.
    pub fn of(figure: &Figure, wish: &Wish) -> Self {
        let with_hidden = || without(figure, &wish.hidden);
        let mut visible = if wish.hidden.is_empty() { figure.clone() } else { with_hidden() };
        let [x, y] = wish.chosen;
        (visible.x.range, visible.y.range) = (x.or(visible.x.range), y.or(visible.y.range));
        let [x, y] = ranges(&visible);
        let fit = [places(&figure.x, x), places(&figure.y, y)];
        let remarks = visible.remarks().join(" · ");
        let forward = figure.lines.iter().map(goes_forward).collect();
        Self { hidden: wish.hidden.clone(), fit, remarks, forward }
    }
}

impl Drawn {
    /// Thins the visible lines for a plot of so many pixels beside so many others.
    pub fn of(figure: &Figure, hidden: &BTreeSet<String>, range: [f64; 2], room: (f64, usize)) -> Self {
        let lines = draw(figure, |name| hidden.contains(name), range, room);
        Self { range, room, lines: Arc::new(lines) }
    }

    /// Whether this is what is to be seen.
    pub fn fits(&self, range: [f64; 2], (pixels, plots): (f64, usize)) -> bool {
        self.range == range && self.room.0.total_cmp(&pixels).is_eq() && self.room.1 == plots
    }
}

fn places(axis: &Axis, range: [f64; 2]) -> [f64; 2] {
    range.map(|end| axis.scale.forward(end).unwrap_or_default())
}

fn goes_forward(line: &Line) -> bool {
    line.polylines().all(|points| points.is_sorted_by(|a, b| a[0] <= b[0]))
        && line.band.is_sorted_by(|a, b| a.x <= b.x)
}

/// A look that a thread works at.
#[derive(Debug)]
pub struct Going {
    /// What it is to be.
    pub wish: Wish,
    figure: Arc<Figure>,
    look: Working<Look>,
}

impl Going {
    /// Begins in a thread, which wakes the window when it is done; `None` where the system refuses it.
    pub fn begin(figure: &Arc<Figure>, wish: Wish, kept: Option<Arc<Kept>>, ctx: &Context) -> Option<Self> {
        let (own, asked) = (figure.clone(), wish.clone());
        let look = Working::begin("look", ctx, move || Look::of(&own, asked, kept))?;
        Some(Self { wish, figure: figure.clone(), look })
    }

    /// The look, once it is there; `None` when it is of another figure.
    pub fn take(&self, figure: &Arc<Figure>) -> Answer<Option<Look>> {
        let is_own = Arc::ptr_eq(figure, &self.figure);
        match self.look.take() {
            Answer::Waiting => Answer::Waiting,
            Answer::Here(look) => Answer::Here(Some(look).filter(|_| is_own)),
            Answer::Lost(why) => Answer::Lost(why),
        }
    }
}
