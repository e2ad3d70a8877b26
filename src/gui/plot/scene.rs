//! The scene of a figure: its ranges and its triangles. For a large figure a thread computes it while the
//! last scene stays visible.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::emath::RectTransform;
use eframe::egui::epaint::{TessellationOptions, Vertex};
use eframe::egui::{Mesh, Rect, Ui};
use egui_plot::{PlotBounds, PlotPoint, PlotTransform};

use super::navigate::View;
use super::painter::{Layer, area};
use crate::theme::theme_of;
use figure::axis::{Axis, Mapping};
use figure::facets::Facets;
use figure::model::{Figure, FigureLook, Line};
use figure::palette::Theme;
use figure::ranges::ranges;
use figure::scene::{Detail, Item, Look, Surface, bands, ground, over};
use figure::view::without;

/// The scene of a figure with at most this many points takes a small part of a frame.
const SMALL: usize = 10_000;

#[derive(Clone, Debug, PartialEq)]
pub struct SceneRequest {
    pub hidden: BTreeSet<String>,
    /// The ranges of x and y that were chosen, as values.
    pub chosen: [Option<[f64; 2]>; 2],
    /// The visible places after zooming.
    pub zoom: Option<View>,
    pub look: FigureLook,
    /// The surface, once it was painted.
    pub viewport: Option<PlotViewport>,
    /// The requests of the panels, in their order.
    pub panels: Vec<Self>,
}

/// The part of a scene that depends on the data, the hidden lines and the chosen ranges.
#[derive(Debug)]
pub struct Analysis {
    pub hidden: BTreeSet<String>,
    /// The look whose intervals `fit` shows.
    pub look: FigureLook,
    /// The places that show all visible data.
    pub fit: View,
    /// The figure without hidden lines, if it is read off by areas and some are hidden.
    pub areas: Option<Figure>,
    /// True if the points of each line and its band only go forward along x.
    pub forward: Vec<bool>,
}

/// A figure, ready to be painted.
#[derive(Debug)]
pub struct Scene {
    pub request: SceneRequest,
    /// The part that does not depend on the zoom.
    pub kept: Arc<Analysis>,
    /// The triangles, once the plot has a surface.
    pub mesh: Option<PlotMesh>,
    pub panels: Vec<Self>,
}

/// Returns true if a thread computes the scene of a figure.
pub fn is_large(figure: &Figure) -> bool {
    figure.lines.iter().flat_map(Line::polylines).map(<[_]>::len).sum::<usize>() > SMALL
}

impl Scene {
    /// Computes the scene; `kept` is the analysis that was computed before, if it still holds.
    pub fn new(figure: &Figure, request: SceneRequest, kept: Option<Arc<Analysis>>) -> Self {
        let kept = kept.unwrap_or_else(|| Arc::new(Analysis::new(figure, &request)));
        if let Some(facets) = &figure.facets {
            let panels = scenes(facets, &request);
            return Self { request, kept, mesh: None, panels };
        }
        Self::with(figure, request, kept)
    }

    fn with(figure: &Figure, request: SceneRequest, kept: Arc<Analysis>) -> Self {
        let view = request.zoom.unwrap_or(kept.fit);
        let key = |viewport| MeshKey { viewport, view, hidden: request.hidden.clone() };
        let mesh = request.viewport.clone().map(|viewport| PlotMesh::new(figure, key(viewport)));
        Self { request, kept, mesh, panels: Vec::new() }
    }
}

/// Returns the scenes of panels, of which some axes have the same range.
fn scenes(facets: &Facets, request: &SceneRequest) -> Vec<Scene> {
    let own = |index: usize| {
        let known = request.panels.get(index).cloned();
        known.unwrap_or_else(|| SceneRequest { panels: Vec::new(), viewport: None, ..request.clone() })
    };
    let panels: Vec<_> =
        facets.panels.iter().enumerate().map(|(index, panel)| (&panel.figure, own(index))).collect();
    let kept: Vec<Analysis> = panels.iter().map(|(figure, request)| Analysis::new(figure, request)).collect();
    let fits = facets.shared(&kept.iter().map(|kept| kept.fit).collect::<Vec<_>>());
    let scenes = panels.into_iter().zip(kept).zip(fits).map(|(((figure, request), kept), fit)| {
        let zoomed = SceneRequest { zoom: Some(request.zoom.unwrap_or(fit)), ..request.clone() };
        Scene { request, ..Scene::with(figure, zoomed, Arc::new(kept)) }
    });
    scenes.collect()
}

impl Analysis {
    pub fn new(figure: &Figure, request: &SceneRequest) -> Self {
        let mut visible = without(figure, &request.hidden);
        let areas = (figure.is_of_areas() && !request.hidden.is_empty()).then(|| visible.clone());
        let [x, y] = request.chosen;
        (visible.x.range, visible.y.range) = (x.or(visible.x.range), y.or(visible.y.range));
        let [x, y] = ranges(&visible, request.look.intervals(&visible));
        let fit = [places(&figure.x, x), places(&figure.y, y)];
        let goes_forward = |line: &Line| {
            line.points.is_sorted_by(|a, b| a[0] <= b[0]) && line.band.is_sorted_by(|a, b| a.x <= b.x)
        };
        let forward = figure.lines.iter().map(goes_forward).collect();
        Self { hidden: request.hidden.clone(), look: request.look.clone(), fit, areas, forward }
    }
}

fn places(axis: &Axis, range: [f64; 2]) -> [f64; 2] {
    range.map(|end| axis.scale.forward(end).unwrap_or_default())
}

/// Size of the text of plots on the screen, in points.
pub const EM: f64 = 12.0;

/// The surface that lines are painted on.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotViewport {
    pub frame: Rect,
    /// Pixels for each point.
    pub pixels: f32,
    pub theme: Theme,
    /// The line at the pointer in the legend.
    pub highlighted: Option<String>,
    pub look: FigureLook,
    pub options: TessellationOptions,
    /// The number of visible plots of curves, with this one.
    pub plots: usize,
}

impl PlotViewport {
    /// Returns a plot at this place of the screen, one of `plots`.
    pub fn new(ui: &Ui, frame: Rect, plots: usize) -> Self {
        let theme = theme_of(ui);
        let options = ui.ctx().tessellation_options(|options| *options);
        let (highlighted, look) = (None, FigureLook::default());
        Self { frame, pixels: ui.pixels_per_point(), theme, highlighted, look, options, plots }
    }

    pub fn layer(&self, items: &[Item]) -> Layer {
        Layer::new(items, self.pixels, self.options, self.frame)
    }
}

/// Everything that decides how a figure looks.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshKey {
    pub viewport: PlotViewport,
    /// The places that it shows.
    pub view: View,
    pub hidden: BTreeSet<String>,
}

impl MeshKey {
    pub fn surface<'a>(&'a self, figure: &'a Figure) -> Surface<'a> {
        let PlotViewport { frame, pixels, theme, highlighted, look, plots, .. } = &self.viewport;
        let detail = Detail::Screen { pixels: f64::from(*pixels), plots: *plots };
        let (highlighted, selected) = (highlighted.as_deref(), look.selected.as_deref());
        let intervals = look.intervals(figure);
        let area = area(*frame);
        Surface {
            figure,
            x: Mapping::from_places(&figure.x, self.view[0], [area.left, area.right]),
            y: Mapping::from_places(&figure.y, self.view[1], [area.bottom, area.top]),
            area,
            em: EM,
            theme: *theme,
            look: Look { hidden: &self.hidden, highlighted, selected, intervals, detail },
        }
    }
}

/// The items and triangles that were painted last.
#[derive(Clone, Debug)]
pub struct PlotMesh {
    key: MeshKey,
    pub items: Arc<Vec<Item>>,
    layer: Layer,
}

impl PlotMesh {
    pub fn new(figure: &Figure, key: MeshKey) -> Self {
        let surface = key.surface(figure);
        let items = [ground(&surface), bands(&surface), over(&surface)].concat();
        let layer = key.viewport.layer(&items);
        Self { key, items: Arc::new(items), layer }
    }

    pub const fn key(&self) -> &MeshKey {
        &self.key
    }

    pub fn fits(&self, key: &MeshKey) -> bool {
        self.key == *key
    }

    /// Returns the triangles to paint. If another part of the figure is visible now, they are moved and stretched with it.
    pub fn layer(&self, figure: &Figure, key: &MeshKey) -> Layer {
        let frame = self.key.viewport.frame;
        if (frame, self.key.view) == (key.viewport.frame, key.view) || !frame.is_positive() {
            return self.layer.clone();
        }
        let moved = |(mesh, clips): &(Arc<Mesh>, bool)| (Arc::new(self.moved(mesh, figure, key)), *clips);
        Layer { parts: self.layer.parts.iter().map(moved).collect() }
    }

    fn moved(&self, mesh: &Mesh, figure: &Figure, key: &MeshKey) -> Mesh {
        let [[left, right], [bottom, top]] = key.view;
        let bounds = PlotBounds::from_min_max([left, bottom], [right, top]);
        let now = PlotTransform::new_with_invert_axis(
            key.viewport.frame,
            bounds,
            false,
            [figure.x.reversed, figure.y.reversed],
        );
        let [[left, right], [bottom, top]] = self.key.view;
        let there = now.rect_from_values(&PlotPoint::new(left, bottom), &PlotPoint::new(right, top));
        let moved = RectTransform::from_to(self.key.viewport.frame, there);
        let vertex = |vertex: &Vertex| Vertex { pos: moved.transform_pos(vertex.pos), ..*vertex };
        let vertices = mesh.vertices.iter().map(vertex).collect();
        Mesh { vertices, indices: mesh.indices.clone(), texture_id: mesh.texture_id }
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Pos2, pos2, vec2};

    use super::*;
    use figure::{Line, Style};

    fn figure() -> Figure {
        let place = |step: u8| f64::from(step) / 20.0;
        let parabola = (0..=20).map(|step| [place(step), place(step).powi(2)]).collect();
        Figure { lines: vec![Line::new("a", Style::default(), parabola)], ..Figure::default() }
    }

    fn key(view: View, width: f32) -> MeshKey {
        let viewport = PlotViewport {
            frame: Rect::from_min_size(pos2(10.0, 20.0), vec2(width, 100.0)),
            pixels: 1.0,
            theme: Theme::DarkScreen,
            highlighted: None,
            look: FigureLook::default(),
            options: TessellationOptions { feathering: false, ..TessellationOptions::default() },
            plots: 1,
        };
        MeshKey { viewport, view, hidden: BTreeSet::new() }
    }

    #[test]
    fn the_same_triangles_are_painted_again_while_nothing_changes() {
        let still = key([[0.0, 1.0], [0.0, 1.0]], 100.0);
        let mesh = PlotMesh::new(&figure(), still.clone());
        assert!(mesh.fits(&still) && !mesh.layer.parts[0].0.is_empty());
        assert!(Arc::ptr_eq(&mesh.layer(&figure(), &still).parts[0].0, &mesh.layer.parts[0].0));
        assert!(!mesh.fits(&key([[0.0, 0.5], [0.0, 1.0]], 100.0)));
    }

    /// Where the middle of the line is in each triangle: its width is not stretched in the new ones.
    fn middles(layer: &Layer) -> Vec<Pos2> {
        let corners = layer.parts[0].0.vertices.chunks_exact(2);
        corners
            .map(|ends| {
                pos2(f32::midpoint(ends[0].pos.x, ends[1].pos.x), f32::midpoint(ends[0].pos.y, ends[1].pos.y))
            })
            .collect()
    }

    #[test]
    fn triangles_that_are_moved_are_where_new_ones_would_be() {
        let old = PlotMesh::new(&figure(), key([[0.0, 1.0], [0.0, 1.0]], 100.0));
        for there in [key([[-0.25, 1.25], [-1.0, 1.0]], 100.0), key([[-0.5, 1.0], [0.0, 1.5]], 150.0)] {
            let new = PlotMesh::new(&figure(), there.clone());
            let (moved, made) = (middles(&old.layer(&figure(), &there)), middles(&new.layer));
            assert_eq!(moved.len(), made.len());
            for (moved, made) in moved.iter().zip(&made) {
                assert!(moved.distance(*made) < 1e-2, "{moved} {made}");
            }
        }
    }

    #[test]
    fn reversed_axes_stay_reversed() {
        let [from, to] = [[[0.0, 1.0], [0.0, 1.0]], [[0.0, 1.5], [0.0, 1.0]]].map(|view| key(view, 100.0));
        let mut reversed = figure();
        reversed.x.reversed = true;
        let (old, new) = (PlotMesh::new(&reversed, from), PlotMesh::new(&reversed, to.clone()));
        let layer = old.layer(&reversed, &to);
        let (moved, made) = (middles(&layer), middles(&new.layer));
        assert!(moved.iter().zip(&made).all(|(moved, made)| moved.distance(*made) < 1e-2));
    }
}
