//! The lines of a plot as triangles, cached until something changes. For a large figure a thread makes them; until then the
//! last ones are moved and stretched into place.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::epaint::{TessellationOptions, Tessellator, Vertex};
use eframe::egui::{Mesh, Rect, Shape, Ui, pos2};
use egui_plot::{PlotBounds, PlotTransform};

use super::navigate::View;
use super::paint::Pen;
use super::thinning::ThinnedLine;
use crate::figure::model::Figure;
use crate::figure::palette::Theme;

/// The surface that lines are painted on.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotViewport {
    /// The plot on the screen.
    pub frame: Rect,
    /// Pixels for each point.
    pub pixels: f32,
    /// Light or dark.
    pub theme: Theme,
    /// The line below the pointer in the legend.
    pub highlighted: Option<String>,
    /// How shapes become triangles.
    pub options: TessellationOptions,
    /// The number of visible plots of curves, with this one.
    pub plots: usize,
}

impl PlotViewport {
    /// A plot at this place of the screen, one of `plots`.
    pub fn new(ui: &Ui, frame: Rect, theme: Theme, highlighted: Option<&str>, plots: usize) -> Self {
        let options = ui.ctx().tessellation_options(|options| *options);
        let highlighted = highlighted.map(str::to_owned);
        Self { frame, pixels: ui.pixels_per_point(), theme, highlighted, options, plots }
    }

    /// Width of the plot in pixels.
    pub fn width(&self) -> f64 {
        f64::from((self.frame.width() * self.pixels).round().max(1.0))
    }

    /// The triangles of shapes.
    pub fn triangles(&self, shapes: impl IntoIterator<Item = Shape>) -> Mesh {
        // Circles are triangles too: the atlas of prepared discs may change between frames.
        let mut tessellator = Tessellator::new(self.pixels, self.options, [1, 1], Vec::new());
        tessellator.set_clip_rect(self.frame);
        let mut mesh = Mesh::default();
        for shape in shapes {
            tessellator.tessellate_shape(shape, &mut mesh);
        }
        mesh
    }
}

/// All inputs of the triangles except the thinned lines.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshKey {
    viewport: PlotViewport,
    /// The places that it shows.
    view: View,
    /// Whether x and y grow to the left and downwards.
    reversed: [bool; 2],
    /// Lines that are not painted.
    hidden: BTreeSet<String>,
}

impl MeshKey {
    /// The key of a figure without hidden lines on a surface.
    pub fn new(figure: &Figure, view: View, hidden: &BTreeSet<String>, viewport: PlotViewport) -> Self {
        let reversed = [figure.x.reversed, figure.y.reversed];
        Self { viewport, view, reversed, hidden: hidden.clone() }
    }

    fn transform(&self) -> PlotTransform {
        let [x, y] = self.view;
        let bounds = PlotBounds::from_min_max([x[0], y[0]], [x[1], y[1]]);
        PlotTransform::new_with_invert_axis(self.viewport.frame, bounds, false, self.reversed)
    }
}

/// The triangles that were painted last.
#[derive(Clone, Debug)]
pub struct LineMesh {
    key: MeshKey,
    mesh: Arc<Mesh>,
}

impl LineMesh {
    /// The triangles of drawn lines.
    pub fn of(figure: &Figure, drawn: &[ThinnedLine], key: MeshKey) -> Self {
        let (viewport, transform) = (&key.viewport, key.transform());
        let pen = Pen {
            transform: &transform,
            theme: viewport.theme,
            highlighted: viewport.highlighted.as_deref(),
        };
        let mesh = viewport.triangles(pen.lines(figure, drawn, |name| key.hidden.contains(name)));
        Self { key, mesh: Arc::new(mesh) }
    }

    /// Whether its triangles have this key.
    pub fn fits(&self, key: &MeshKey) -> bool {
        self.key == *key
    }

    /// The shape to paint. If another part of the figure is visible now, the triangles are moved and stretched with it.
    pub fn shape(&self, key: &MeshKey) -> Shape {
        let is_there = (self.key.viewport.frame, self.key.view) == (key.viewport.frame, key.view);
        Shape::Mesh(if is_there { self.mesh.clone() } else { Arc::new(self.moved(key)) })
    }

    fn moved(&self, key: &MeshKey) -> Mesh {
        let (from, to) = (self.key.transform(), key.transform());
        let [x, y] = self.key.view;
        let (across, right) =
            line_through(x.map(|end| [&from, &to].map(|transform| transform.position_from_point_x(end))));
        let (up, above) =
            line_through(y.map(|end| [&from, &to].map(|transform| transform.position_from_point_y(end))));
        let moved = |vertex: &Vertex| Vertex {
            pos: pos2(vertex.pos.x * across + right, vertex.pos.y * up + above),
            ..*vertex
        };
        let vertices = self.mesh.vertices.iter().map(moved).collect();
        Mesh { vertices, indices: self.mesh.indices.clone(), texture_id: self.mesh.texture_id }
    }
}

/// Gradient and height of the line through two points.
fn line_through([[from, to], [other_from, other_to]]: [[f32; 2]; 2]) -> (f32, f32) {
    let width = other_from - from;
    let gradient = if width == 0.0 { 1.0 } else { (other_to - to) / width };
    (gradient, to - gradient * from)
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Pos2, vec2};

    use super::super::scene::ThinnedLines;
    use super::*;
    use crate::figure::{Line, style_of};

    fn figure() -> Figure {
        let place = |step: u8| f64::from(step) / 20.0;
        let parabola = (0..=20).map(|step| [place(step), place(step).powi(2)]).collect();
        Figure { lines: vec![Line::new("a", style_of(0), parabola)], ..Figure::default() }
    }

    fn key(view: View, width: f32) -> MeshKey {
        let viewport = PlotViewport {
            frame: Rect::from_min_size(pos2(10.0, 20.0), vec2(width, 100.0)),
            pixels: 1.0,
            theme: Theme::Dark,
            highlighted: None,
            options: TessellationOptions { feathering: false, ..TessellationOptions::default() },
            plots: 1,
        };
        MeshKey::new(&figure(), view, &BTreeSet::new(), viewport)
    }

    fn line_mesh(key: MeshKey) -> LineMesh {
        let drawn = ThinnedLines::of(&figure(), &BTreeSet::new(), [0.0, 1.0], (100.0, 1));
        LineMesh::of(&figure(), &drawn.lines, key)
    }

    fn mesh(shape: &Shape) -> &Arc<Mesh> {
        let Shape::Mesh(mesh) = shape else { panic!("triangles") };
        mesh
    }

    #[test]
    fn the_same_triangles_are_painted_again_while_nothing_changes() {
        let still = key([[0.0, 1.0], [0.0, 1.0]], 100.0);
        let line_mesh = line_mesh(still.clone());
        assert!(line_mesh.fits(&still) && !line_mesh.mesh.is_empty());
        assert!(Arc::ptr_eq(mesh(&line_mesh.shape(&still)), &line_mesh.mesh));
        assert!(!line_mesh.fits(&key([[0.0, 0.5], [0.0, 1.0]], 100.0)));
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
        let old = line_mesh(key([[0.0, 1.0], [0.0, 1.0]], 100.0));
        for there in [key([[0.25, 0.75], [-1.0, 1.0]], 100.0), key([[-0.5, 1.0], [0.0, 0.5]], 150.0)] {
            let new = line_mesh(there.clone());
            let shape = old.shape(&there);
            let (moved, made) = (middles(mesh(&shape)), middles(&new.mesh));
            assert_eq!(moved.len(), made.len());
            for (moved, made) in moved.iter().zip(&made) {
                assert!(moved.distance(*made) < 1e-2, "{moved} {made}");
            }
        }
    }

    #[test]
    fn reversed_axes_stay_reversed() {
        let [from, to] = [[[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.5], [0.0, 1.0]]]
            .map(|view| MeshKey { reversed: [true, false], ..key(view, 100.0) });
        let (old, new) = (line_mesh(from), line_mesh(to.clone()));
        let shape = old.shape(&to);
        let (moved, made) = (middles(mesh(&shape)), middles(&new.mesh));
        assert!(moved.iter().zip(&made).all(|(moved, made)| moved.distance(*made) < 1e-2));
    }
}
