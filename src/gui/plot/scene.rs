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
use crate::gui::background::BackgroundTask;

/// The scene of a figure with at most this many points takes a small part of a frame.
const SMALL: usize = 10_000;

/// The assumed width of a plot before it is painted.
const PIXELS: f64 = 800.0;

/// What decides how a figure looks.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneRequest {
    /// Hidden lines.
    pub hidden: BTreeSet<String>,
    /// The ranges of x and y that were chosen, as values.
    pub chosen: [Option<[f64; 2]>; 2],
    /// The visible places after zooming.
    pub zoom: Option<View>,
    /// The surface, once it was painted.
    pub viewport: Option<PlotViewport>,
}

/// The part of a scene that depends on the data, the hidden lines and the chosen ranges.
#[derive(Debug)]
pub struct Analysis {
    /// The hidden lines.
    pub hidden: BTreeSet<String>,
    /// The places that show all visible data.
    pub fit: View,
    /// Small print below the plot.
    pub remarks: String,
    /// The figure without hidden lines, if it is read off by areas and some are hidden.
    pub areas: Option<Figure>,
    /// Whether the points of each line, its band and its single runs only go forward along x.
    pub forward: Vec<bool>,
}

/// The part of a scene that depends on the zoom and the width too.
#[derive(Clone, Debug)]
pub struct ThinnedLines {
    /// The visible places of x.
    pub range: [f64; 2],
    /// Width of the plot in pixels, and the number of visible plots of curves.
    pub surface: (f64, usize),
    /// In the order of the figure's lines.
    pub lines: Arc<Vec<ThinnedLine>>,
}

/// A figure, ready to be painted.
#[derive(Debug)]
pub struct Scene {
    /// What decided how it looks.
    pub request: SceneRequest,
    /// The part that does not depend on the zoom.
    pub kept: Arc<Analysis>,
    /// The thinned lines.
    pub drawn: ThinnedLines,
    /// Their triangles, once the plot has a surface.
    pub line_mesh: Option<LineMesh>,
}

/// Whether a thread computes the scene of a figure.
pub fn is_large(figure: &Figure) -> bool {
    figure.lines.iter().flat_map(Line::polylines).map(<[_]>::len).sum::<usize>() > SMALL
}

impl Scene {
    /// Computes the scene; `kept` is the analysis that was computed before, if it still holds.
    pub fn of(figure: &Figure, request: SceneRequest, kept: Option<Arc<Analysis>>) -> Self {
        let kept = kept.unwrap_or_else(|| Arc::new(Analysis::of(figure, &request)));
        let view = request.zoom.unwrap_or(kept.fit);
        let surface =
            request.viewport.as_ref().map_or((PIXELS, 1), |viewport| (viewport.width(), viewport.plots));
        let drawn = ThinnedLines::of(figure, &request.hidden, view[0], surface);
        let key =
            request.viewport.clone().map(|viewport| MeshKey::new(figure, view, &request.hidden, viewport));
        let line_mesh = key.map(|key| LineMesh::of(figure, &drawn.lines, key));
        Self { request, kept, drawn, line_mesh }
    }
}

impl Analysis {
    /// Analyses the whole figure.
    pub fn of(figure: &Figure, request: &SceneRequest) -> Self {
        let mut visible = without(figure, &request.hidden);
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
    /// Thins the visible lines for a plot of so many pixels, one of so many plots.
    pub fn of(figure: &Figure, hidden: &BTreeSet<String>, range: [f64; 2], surface: (f64, usize)) -> Self {
        let lines = draw(figure, |name| hidden.contains(name), range, surface);
        Self { range, surface, lines: Arc::new(lines) }
    }

    /// Whether it shows this range on this surface.
    pub fn fits(&self, range: [f64; 2], (pixels, plots): (f64, usize)) -> bool {
        self.range == range && self.surface.0.total_cmp(&pixels).is_eq() && self.surface.1 == plots
    }
}

fn places(axis: &Axis, range: [f64; 2]) -> [f64; 2] {
    range.map(|end| axis.scale.forward(end).unwrap_or_default())
}

fn goes_forward(line: &Line) -> bool {
    line.polylines().all(|points| points.is_sorted_by(|a, b| a[0] <= b[0]))
        && line.band.is_sorted_by(|a, b| a.x <= b.x)
}

/// A scene that a thread computes.
#[derive(Debug)]
pub struct PendingScene {
    /// What decides how it looks.
    pub request: SceneRequest,
    /// Its figure.
    pub figure: Arc<Figure>,
    /// The computation.
    pub scene: BackgroundTask<Scene>,
}

impl PendingScene {
    /// Begins in a thread, which wakes the window at its end; `None` if the system refuses a thread.
    pub fn begin(
        figure: &Arc<Figure>,
        request: SceneRequest,
        kept: Option<Arc<Analysis>>,
        ctx: &Context,
    ) -> Option<Self> {
        let (own, asked) = (figure.clone(), request.clone());
        let scene = BackgroundTask::begin("scene", ctx, move || Scene::of(&own, asked, kept))?;
        Some(Self { request, figure: figure.clone(), scene })
    }
}
