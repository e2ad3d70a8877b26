//! The scene of a figure: its ranges and its triangles. For a large figure a thread computes it while the
//! last scene stays visible.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::epaint::{TessellationOptions, Vertex};
use eframe::egui::{Mesh, Rect, Ui, pos2};

use super::navigate::View;
use super::painter::{Layer, area};
use figure::axis::{Axis, Mapping};
use figure::facets::Facets;
use figure::model::{Figure, Line};
use figure::palette::Theme;
use figure::ranges::{Fit, ranges};
use figure::scene::{Detail, Intervals, Item, Look, Surface, bands, ground, over};
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
    /// The surface, once it was painted.
    pub viewport: Option<PlotViewport>,
    /// The requests of the panels, in their order.
    pub panels: Vec<Self>,
}

/// The part of a scene that depends on the data, the hidden lines and the chosen ranges.
#[derive(Debug)]
pub struct Analysis {
    pub hidden: BTreeSet<String>,
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
        let key = |viewport: PlotViewport| MeshKey::new(figure, view, &request.hidden, viewport);
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
    pub selected: Option<String>,
    pub options: TessellationOptions,
    /// The number of visible plots of curves, with this one.
    pub plots: usize,
}

impl PlotViewport {
    /// Returns a plot at this place of the screen, one of `plots`.
    pub fn new(ui: &Ui, frame: Rect, theme: Theme, plots: usize) -> Self {
        let options = ui.ctx().tessellation_options(|options| *options);
        let (highlighted, selected) = (None, None);
        Self { frame, pixels: ui.pixels_per_point(), theme, highlighted, selected, options, plots }
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
    /// True if x and y grow to the left and downwards.
    reversed: [bool; 2],
    hidden: BTreeSet<String>,
}

impl MeshKey {
    /// Returns the key of a figure without hidden lines on a surface.
    pub fn new(figure: &Figure, view: View, hidden: &BTreeSet<String>, viewport: PlotViewport) -> Self {
        let reversed = [figure.x.reversed, figure.y.reversed];
        Self { viewport, view, reversed, hidden: hidden.clone() }
    }

    pub fn surface<'a>(&'a self, figure: &'a Figure, intervals: Intervals<'a>) -> Surface<'a> {
        let PlotViewport { frame, pixels, theme, highlighted, selected, plots, .. } = &self.viewport;
        let detail = Detail::Screen { pixels: f64::from(*pixels), plots: *plots };
        let (highlighted, selected) = (highlighted.as_deref(), selected.as_deref());
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
    /// All items but bands.
    pub items: Arc<Vec<Item>>,
    layer: Layer,
}

impl PlotMesh {
    /// Tessellates everything but the bands.
    pub fn new(figure: &Figure, key: MeshKey) -> Self {
        let intervals = if figure.is_over_setting() { Intervals::Bars } else { Intervals::None };
        let surface = key.surface(figure, intervals);
        let items = [ground(&surface), over(&surface)].concat();
        let layer = key.viewport.layer(&items);
        Self { key, items: Arc::new(items), layer }
    }

    pub fn of_bands(figure: &Figure, key: MeshKey, intervals: Intervals<'_>) -> Self {
        let items = bands(&key.surface(figure, intervals));
        // Bands never leave the plot.
        let layer =
            key.viewport.layer(&[figure::scene::Shape::Clip(area(key.viewport.frame), items).plain()]);
        Self { key, items: Arc::default(), layer }
    }

    #[cfg(test)]
    pub const fn key(&self) -> &MeshKey {
        &self.key
    }

    pub fn fits(&self, key: &MeshKey) -> bool {
        self.key == *key
    }

    /// Returns the triangles to paint. If another part of the figure is visible now, they are moved and stretched with it.
    pub fn layer(&self, key: &MeshKey) -> Layer {
        if (self.key.viewport.frame, self.key.view) == (key.viewport.frame, key.view) {
            return self.layer.clone();
        }
        let moved = |mesh: &Arc<Mesh>| Arc::new(self.moved(mesh, key));
        Layer { clipped: moved(&self.layer.clipped), free: moved(&self.layer.free) }
    }

    fn moved(&self, mesh: &Mesh, key: &MeshKey) -> Mesh {
        let across = |key: &MeshKey, place: f64| {
            let range = key.viewport.frame.x_range();
            along(
                place,
                key.view[0],
                if key.reversed[0] { [range.max, range.min] } else { [range.min, range.max] },
            )
        };
        let up = |key: &MeshKey, place: f64| {
            let range = key.viewport.frame.y_range();
            along(
                place,
                key.view[1],
                if key.reversed[1] { [range.min, range.max] } else { [range.max, range.min] },
            )
        };
        let [x, y] = self.key.view;
        let (width, right) = line_through(x.map(|end| [across(&self.key, end), across(key, end)]));
        let (height, above) = line_through(y.map(|end| [up(&self.key, end), up(key, end)]));
        let moved = |vertex: &Vertex| Vertex {
            pos: pos2(vertex.pos.x * width + right, vertex.pos.y * height + above),
            ..*vertex
        };
        let vertices = mesh.vertices.iter().map(moved).collect();
        Mesh { vertices, indices: mesh.indices.clone(), texture_id: mesh.texture_id }
    }
}

fn along(place: f64, [low, high]: [f64; 2], [from, to]: [f32; 2]) -> f32 {
    from + ((place - low) / (high - low)) as f32 * (to - from)
}

/// Returns gradient and height of the line through two points.
fn line_through([[from, to], [other_from, other_to]]: [[f32; 2]; 2]) -> (f32, f32) {
    let width = other_from - from;
    let gradient = if width == 0.0 { 1.0 } else { (other_to - to) / width };
    (gradient, to - gradient * from)
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Pos2, vec2};

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
            selected: None,
            options: TessellationOptions { feathering: false, ..TessellationOptions::default() },
            plots: 1,
        };
        MeshKey::new(&figure(), view, &BTreeSet::new(), viewport)
    }

    #[test]
    fn the_same_triangles_are_painted_again_while_nothing_changes() {
        let still = key([[0.0, 1.0], [0.0, 1.0]], 100.0);
        let mesh = PlotMesh::new(&figure(), still.clone());
        assert!(mesh.fits(&still) && !mesh.layer.clipped.is_empty());
        assert!(Arc::ptr_eq(&mesh.layer(&still).clipped, &mesh.layer.clipped));
        assert!(!mesh.fits(&key([[0.0, 0.5], [0.0, 1.0]], 100.0)));
    }

    /// Where the middle of the line is in each triangle: its width is not stretched in the new ones.
    fn middles(mesh: &Mesh) -> Vec<Pos2> {
        let corners = mesh.vertices.chunks_exact(2);
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
            let (moved, made) = (middles(&old.layer(&there).clipped), middles(&new.layer.clipped));
            assert_eq!(moved.len(), made.len());
            for (moved, made) in moved.iter().zip(&made) {
                assert!(moved.distance(*made) < 1e-2, "{moved} {made}");
            }
        }
    }

    #[test]
    fn reversed_axes_stay_reversed() {
        let [from, to] = [[[0.0, 1.0], [0.0, 1.0]], [[0.0, 1.5], [0.0, 1.0]]]
            .map(|view| MeshKey { reversed: [true, false], ..key(view, 100.0) });
        let reversed = |mut figure: Figure| {
            figure.x.reversed = true;
            figure
        };
        let (old, new) =
            (PlotMesh::new(&reversed(figure()), from), PlotMesh::new(&reversed(figure()), to.clone()));
        let layer = old.layer(&to);
        let (moved, made) = (middles(&layer.clipped), middles(&new.layer.clipped));
        assert!(moved.iter().zip(&made).all(|(moved, made)| moved.distance(*made) < 1e-2));
    }
}
