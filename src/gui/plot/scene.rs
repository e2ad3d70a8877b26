//! The scene of a figure: its ranges and its triangles. For a large figure a thread computes it while the
//! last scene stays visible.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::Context;

use super::mesh::{MeshKey, PlotMesh, PlotViewport};
use super::navigate::View;
use crate::background::BackgroundTask;
use figure::axis::Axis;
use figure::facets::Facets;
use figure::model::{Figure, Line};
use figure::ranges::{Fit, ranges};
use figure::view::without;

/// The scene of a figure with at most this many points takes a small part of a frame.
const SMALL: usize = 10_000;

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
    /// The same of the panels, in their order.
    pub panels: Vec<Self>,
}

/// The part of a scene that depends on the data, the hidden lines and the chosen ranges.
#[derive(Debug)]
pub struct Analysis {
    /// The hidden lines.
    pub hidden: BTreeSet<String>,
    /// The places that show all visible data.
    pub fit: View,
    /// The figure without hidden lines, if it is read off by areas and some are hidden.
    pub areas: Option<Figure>,
    /// Whether the points of each line and its band only go forward along x.
    pub forward: Vec<bool>,
}

/// A figure, ready to be painted.
#[derive(Debug)]
pub struct Scene {
    /// What decided how it looks.
    pub request: SceneRequest,
    /// The part that does not depend on the zoom.
    pub kept: Arc<Analysis>,
    /// The triangles, once the plot has a surface.
    pub mesh: Option<PlotMesh>,
    /// The scenes of the panels, in their order.
    pub panels: Vec<Self>,
}

/// Whether a thread computes the scene of a figure.
pub fn is_large(figure: &Figure) -> bool {
    figure.lines.iter().flat_map(Line::polylines).map(<[_]>::len).sum::<usize>() > SMALL
}

impl Scene {
    /// Computes the scene; `kept` is the analysis that was computed before, if it still holds.
    pub fn of(figure: &Figure, request: SceneRequest, kept: Option<Arc<Analysis>>) -> Self {
        let kept = kept.unwrap_or_else(|| Arc::new(Analysis::of(figure, &request)));
        if let Some(facets) = &figure.facets {
            let panels = scenes(facets, &request);
            return Self { request, kept, mesh: None, panels };
        }
        Self::with(figure, request, kept)
    }

    fn with(figure: &Figure, request: SceneRequest, kept: Arc<Analysis>) -> Self {
        let view = request.zoom.unwrap_or(kept.fit);
        let key = |viewport: PlotViewport| MeshKey::new(figure, view, &request.hidden, viewport);
        let mesh = request.viewport.clone().map(|viewport| PlotMesh::of(figure, key(viewport)));
        Self { request, kept, mesh, panels: Vec::new() }
    }
}

/// The scenes of panels, of which some axes have the same range.
fn scenes(facets: &Facets, request: &SceneRequest) -> Vec<Scene> {
    let own = |index: usize| {
        let known = request.panels.get(index).cloned();
        known.unwrap_or_else(|| SceneRequest { panels: Vec::new(), viewport: None, ..request.clone() })
    };
    let panels: Vec<_> =
        facets.panels.iter().enumerate().map(|(index, panel)| (&panel.figure, own(index))).collect();
    let kept: Vec<Analysis> = panels.iter().map(|(figure, request)| Analysis::of(figure, request)).collect();
    let fits = facets.shared(&kept.iter().map(|kept| kept.fit).collect::<Vec<_>>());
    let scenes = panels.into_iter().zip(kept).zip(fits).map(|(((figure, request), kept), fit)| {
        let zoomed = SceneRequest { zoom: Some(request.zoom.unwrap_or(fit)), ..request.clone() };
        Scene { request, ..Scene::with(figure, zoomed, Arc::new(kept)) }
    });
    scenes.collect()
}

impl Analysis {
    /// Analyses the whole figure.
    pub fn of(figure: &Figure, request: &SceneRequest) -> Self {
        let mut visible = without(figure, &request.hidden);
        let areas = (figure.is_of_areas() && !request.hidden.is_empty()).then(|| visible.clone());
        let [x, y] = request.chosen;
        (visible.x.range, visible.y.range) = (x.or(visible.x.range), y.or(visible.y.range));
        let [x, y] = ranges(&visible, Fit::Lines);
        let fit = [places(&figure.x, x), places(&figure.y, y)];
        let forward = figure.lines.iter().map(goes_forward).collect();
        Self { hidden: request.hidden.clone(), fit, areas, forward }
    }
}

fn places(axis: &Axis, range: [f64; 2]) -> [f64; 2] {
    range.map(|end| axis.scale.forward(end).unwrap_or_default())
}

fn goes_forward(line: &Line) -> bool {
    line.points.is_sorted_by(|a, b| a[0] <= b[0]) && line.band.is_sorted_by(|a, b| a.x <= b.x)
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
