//! The scene of a figure: its ranges, small print, thinned lines and their triangles. For a large figure a thread computes
//! it while the last scene stays visible.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::Context;

use super::mesh::{LineMesh, MeshKey, PlotViewport};
use super::navigate::View;
use super::thinning::{ThinnedLine, draw};
use crate::figure::axis::Axis;
use crate::figure::model::{Figure, Line};
use crate::figure::ranges::ranges;
use crate::figure::view::without;
use crate::gui::background::{BackgroundTask, TaskState};

/// Up to so many points, a look takes a small part of a frame.
const SMALL: usize = 10_000;

/// The width of a plot that was never painted.
const PIXELS: f64 = 800.0;

/// What decides how a figure looks.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneRequest {
    /// Lines that are not drawn.
    pub hidden: BTreeSet<String>,
    /// The ranges of x and y that were chosen, as values.
    pub chosen: [Option<[f64; 2]>; 2],
    /// The places that are seen, where a person zoomed.
    pub zoom: Option<View>,
    /// What it is painted on, once it was painted.
    pub viewport: Option<PlotViewport>,
}

/// What changes with the data, the hidden lines and the chosen ranges.
#[derive(Debug)]
pub struct Analysis {
    /// The hidden lines.
    pub hidden: BTreeSet<String>,
    /// The places that the visible data need.
    pub fit: View,
    /// Small print below the plot.
    pub remarks: String,
    /// The figure without hidden lines, where it is read off by areas and some are hidden.
    pub areas: Option<Figure>,
    /// Whether the points of each line, its band and its single runs only go forward along x.
    pub forward: Vec<bool>,
}

/// What changes with the zoom and the width, besides.
#[derive(Clone, Debug)]
pub struct ThinnedLines {
    /// The places of x that were seen.
    pub range: [f64; 2],
    /// Width of the plot in pixels, and how many plots of curves are seen.
    pub room: (f64, usize),
    /// In the order of the figure's lines.
    pub lines: Arc<Vec<ThinnedLine>>,
}

/// A figure, as it is wished for.
#[derive(Debug)]
pub struct Scene {
    /// What was asked for.
    pub request: SceneRequest,
    /// What is kept of it while it is zoomed.
    pub kept: Arc<Analysis>,
    /// What is drawn of it.
    pub drawn: ThinnedLines,
    /// Its triangles, where they have a canvas.
    pub line_mesh: Option<LineMesh>,
}

/// Whether the looks of a figure come from a thread.
pub fn is_large(figure: &Figure) -> bool {
    figure.lines.iter().flat_map(Line::polylines).map(<[_]>::len).sum::<usize>() > SMALL
}

impl Scene {
    /// Computes the look; `kept` is what was computed before, where it still holds.
    pub fn of(figure: &Figure, request: SceneRequest, kept: Option<Arc<Analysis>>) -> Self {
        let kept = kept.unwrap_or_else(|| Arc::new(Analysis::of(figure, &request)));
        let view = request.zoom.unwrap_or(kept.fit);
        let room =
            request.viewport.as_ref().map_or((PIXELS, 1), |viewport| (viewport.width(), viewport.plots));
        let drawn = ThinnedLines::of(figure, &request.hidden, view[0], room);
        let key =
            request.viewport.clone().map(|viewport| MeshKey::new(figure, view, &request.hidden, viewport));
        let line_mesh = key.map(|key| LineMesh::of(figure, &drawn.lines, key));
        Self { request, kept, drawn, line_mesh }
    }
}

impl Analysis {
    /// Looks at the whole figure.
    pub fn of(figure: &Figure, request: &SceneRequest) -> Self {
        let mut visible =
            if request.hidden.is_empty() { figure.clone() } else { without(figure, &request.hidden) };
        let areas = (figure.is_of_areas() && !request.hidden.is_empty()).then(|| visible.clone());
        let [x, y] = request.chosen;
        (visible.x.range, visible.y.range) = (x.or(visible.x.range), y.or(visible.y.range));
        let [x, y] = ranges(&visible);
        let fit = [places(&figure.x, x), places(&figure.y, y)];
        let remarks = visible.remarks().join(" · ");
        let forward = figure.lines.iter().map(goes_forward).collect();
        Self { hidden: request.hidden.clone(), fit, remarks, areas, forward }
    }
}

impl ThinnedLines {
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
pub struct PendingScene {
    /// What it is to be.
    pub request: SceneRequest,
    figure: Arc<Figure>,
    scene: BackgroundTask<Scene>,
}

impl PendingScene {
    /// Begins in a thread, which wakes the window when it is done; `None` where the system refuses it.
    pub fn begin(
        figure: &Arc<Figure>,
        request: SceneRequest,
        kept: Option<Arc<Analysis>>,
        ctx: &Context,
    ) -> Option<Self> {
        let (own, asked) = (figure.clone(), request.clone());
        let scene = BackgroundTask::begin("look", ctx, move || Scene::of(&own, asked, kept))?;
        Some(Self { request, figure: figure.clone(), scene })
    }

    /// The look, once it is there; `None` when it is of another figure.
    pub fn take(&self, figure: &Arc<Figure>) -> TaskState<Option<Scene>> {
        let is_own = Arc::ptr_eq(figure, &self.figure);
        match self.scene.take() {
            TaskState::Running => TaskState::Running,
            TaskState::Done(scene) => TaskState::Done(Some(scene).filter(|_| is_own)),
            TaskState::Failed(why) => TaskState::Failed(why),
        }
    }
}
