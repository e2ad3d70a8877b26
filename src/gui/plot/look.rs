//! What is computed of a figure before it is painted: its range, its small print, its lines thinned to pixels. Of a
//! large figure that takes longer than a frame may, so it comes from a thread, and the last look stays until then.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use eframe::egui::Context;

use super::drawing::{DrawnLine, draw};
use super::navigate::View;
use crate::figure::model::{Axis, Figure, Line};
use crate::figure::scale::ranges;
use crate::figure::view::without;

/// Up to so many points, a look takes a small part of a frame.
const SMALL: usize = 50_000;

/// What decides how a figure looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// Lines that are not drawn.
    pub hidden: BTreeSet<String>,
    /// The ranges of x and y that were chosen, as values.
    pub chosen: [Option<[f64; 2]>; 2],
    /// The places of x that are seen, where a person zoomed.
    pub zoom: Option<[f64; 2]>,
    /// Width of the plot.
    pub pixels: f64,
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
    /// Width of the plot.
    pub pixels: f64,
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
}

/// Whether the looks of a figure come from a thread.
pub fn is_large(figure: &Figure) -> bool {
    figure.lines.iter().flat_map(Line::polylines).map(<[_]>::len).sum::<usize>() > SMALL
}

impl Look {
    /// Computes the look; `kept` is what was computed before, where it still holds.
    pub fn of(figure: &Figure, wish: Wish, kept: Option<Arc<Kept>>) -> Self {
        let kept = kept.unwrap_or_else(|| Arc::new(Kept::of(figure, &wish)));
        let drawn = Drawn::of(figure, &wish.hidden, wish.zoom.unwrap_or(kept.fit[0]), wish.pixels);
        Self { wish, kept, drawn }
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
    /// Thins the visible lines.
    pub fn of(figure: &Figure, hidden: &BTreeSet<String>, range: [f64; 2], pixels: f64) -> Self {
        let lines = draw(figure, |name| hidden.contains(name), range, pixels);
        Self { range, pixels, lines: Arc::new(lines) }
    }

    /// Whether this is what is to be seen.
    pub fn fits(&self, range: [f64; 2], pixels: f64) -> bool {
        self.range == range && self.pixels.total_cmp(&pixels).is_eq()
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
    figure: Arc<Figure>,
    look: Receiver<Look>,
}

impl Going {
    /// Begins in a thread, which wakes the window when it is done; `None` where the system refuses it.
    pub fn begin(figure: &Arc<Figure>, wish: Wish, kept: Option<Arc<Kept>>, ctx: &Context) -> Option<Self> {
        let (sender, look) = sync_channel(1);
        let (own, ctx) = (figure.clone(), ctx.clone());
        let work = move || {
            let _ = sender.try_send(Look::of(&own, wish, kept)); // nobody waits when the window is gone
            ctx.request_repaint();
        };
        std::thread::Builder::new().name("look".to_owned()).spawn(work).ok()?;
        Some(Self { figure: figure.clone(), look })
    }

    /// The look, once it is there: `Err` while it is not, `None` when it is of another figure or was lost.
    pub fn take(&self, figure: &Arc<Figure>) -> Result<Option<Look>, ()> {
        match self.look.try_recv() {
            Ok(look) => Ok(Some(look).filter(|_| Arc::ptr_eq(figure, &self.figure))),
            Err(TryRecvError::Disconnected) => Ok(None),
            Err(TryRecvError::Empty) => Err(()),
        }
    }
}
