//! Paints the lines of a figure over the grid.

use std::sync::Arc;

use eframe::egui::epaint::{BandPoint, BandShape};
use eframe::egui::{Color32, Mesh, Painter, Pos2, Rangef, Rect, Shape, Stroke, pos2, vec2};
use egui_plot::{PlotPoint, PlotTransform};

use super::axes::colour;
use super::sparse::sparse;
use super::thinning::{Extent, Piece, PlacePoint, ThinnedLine};
use crate::figure::marks::outline;
use crate::figure::model::{At, Figure, ReferenceLine};
use crate::figure::palette::{self, Dash, Marker, Style, Theme};

/// Widths and strengths, in points.
const LINE: f32 = 1.75;
const HIGHLIGHTED: f32 = 3.0;
const TRACE: f32 = 1.0;
const MARKER: f32 = 3.5;
/// Markers closer than this are left out.
const MARKER_DISTANCE: f32 = 20.0;
const TRACE_OPACITY: f32 = 0.28;
const BAND_OPACITY: f32 = 0.16;
const BAR_OPACITY: f32 = 0.6;
/// Strength of other lines while one is highlighted.
pub(super) const DIMMED: f32 = 0.25;

/// Where and how lines become shapes, on any thread.
#[derive(Clone, Copy)]
pub struct Pen<'a> {
    /// From places to the screen.
    pub transform: &'a PlotTransform,
    /// Light or dark.
    pub theme: Theme,
    /// The line below the pointer in the legend.
    pub highlighted: Option<&'a str>,
}

/// Paints on the screen.
pub struct Brush<'a> {
    /// Clipped to the plot.
    pub painter: &'a Painter,
    /// Where and how.
    pub pen: Pen<'a>,
}

impl Brush<'_> {
    /// Paints the cells and reference lines, which are below the lines.
    pub fn ground(&self, figure: &Figure, is_hidden: impl Fn(&str) -> bool) {
        if let Some(cells) = &figure.cells {
            self.cells(cells);
        }
        for reference in figure.reference_lines.iter().filter(|reference| !is_hidden(&reference.name)) {
            self.painter.extend(self.reference(figure, reference));
        }
    }

    /// A dot on a line, with a rim of background.
    pub fn dot(&self, at: Pos2, style: Style) {
        let theme = self.pen.theme;
        self.painter.circle_filled(at, MARKER + 1.5, colour(theme.ground()));
        self.painter.circle_filled(at, MARKER, line_colour(style.colour, theme));
    }

    fn reference(&self, figure: &Figure, reference: &ReferenceLine) -> Vec<Shape> {
        let Pen { transform, theme, .. } = self.pen;
        let frame = transform.frame();
        let ends = match reference.at {
            At::X(x) => figure.x.scale.forward(x).map(|x| {
                let x = transform.position_from_point_x(x);
                [pos2(x, frame.top()), pos2(x, frame.bottom())]
            }),
            At::Y(y) => figure.y.scale.forward(y).map(|y| {
                let y = transform.position_from_point_y(y);
                [pos2(frame.left(), y), pos2(frame.right(), y)]
            }),
        };
        let colour = reference.colour.map_or(colour(theme.muted()), |index| line_colour(index, theme));
        let stroke = self.pen.stroke(&reference.name, colour);
        ends.map(|ends| dashed(&ends, reference.dash, stroke)).unwrap_or_default()
    }
}

impl Pen<'_> {
    /// The shapes of the lines: bands at the back, then the single runs, then means, each in the order of the figure.
    pub fn lines(
        &self,
        figure: &Figure,
        drawn: &[ThinnedLine],
        is_hidden: impl Fn(&str) -> bool,
    ) -> Vec<Shape> {
        let mut shapes = Vec::new();
        let lines = || figure.lines.iter().zip(drawn).filter(|(line, _)| !is_hidden(&line.name));
        for (line, drawn) in lines() {
            let [band, bar] = [BAND_OPACITY, BAR_OPACITY].map(|it| self.faint(&line.name, line.style, it));
            shapes.extend(drawn.bands.iter().map(|extents| match extents.as_slice() {
                // The spread at a single x has no width.
                &[[x, low, high]] => {
                    let ends = self.positions(&[[x, low], [x, high]]);
                    Shape::line(ends, Stroke::new(LINE, bar))
                }
                _ => self.strip(extents, 0.0, band),
            }));
        }
        for (line, drawn) in lines() {
            let stroke = Stroke::new(TRACE, self.faint(&line.name, line.style, TRACE_OPACITY));
            for trace in &drawn.traces {
                match trace {
                    // Too faint for smooth edges, which would double their triangles.
                    Piece::Dense(extents) => shapes.push(self.strip(extents, stroke.width, stroke.color)),
                    Piece::Line(_) => self.piece(trace, Style::default(), stroke, &mut shapes),
                }
            }
        }
        for (line, drawn) in lines() {
            let stroke = self.stroke(&line.name, line_colour(line.style.colour, self.theme));
            drawn.pieces.iter().for_each(|piece| self.piece(piece, line.style, stroke, &mut shapes));
            for mark in self.positions(&drawn.interruptions) {
                shapes.extend(marker(mark, Marker::Cross, stroke.color));
            }
        }
        shapes
    }

    /// Whether another line is highlighted.
    pub fn is_dimmed(&self, name: &str) -> bool {
        self.highlighted.is_some_and(|highlighted| highlighted != name)
    }

    fn stroke(&self, name: &str, colour: Color32) -> Stroke {
        match self.highlighted {
            Some(highlighted) if highlighted == name => Stroke::new(HIGHLIGHTED, colour),
            Some(_) => Stroke::new(LINE, colour.gamma_multiply(DIMMED)),
            None => Stroke::new(LINE, colour),
        }
    }

    fn faint(&self, name: &str, style: Style, opacity: f32) -> Color32 {
        let opacity = if self.is_dimmed(name) { opacity * DIMMED } else { opacity };
        line_colour(style.colour, self.theme).gamma_multiply(opacity)
    }

    fn piece(&self, piece: &Piece, style: Style, stroke: Stroke, shapes: &mut Vec<Shape>) {
        match piece {
            Piece::Line(places) => {
                let positions = self.positions(places);
                shapes.extend(polyline(&positions, style.dash, stroke));
                shapes.extend(markers(&positions, style.marker, stroke.color));
            }
            Piece::Dense(extents) => {
                shapes.extend(self.dense(extents, style.dash, stroke));
                if style.marker != Marker::None {
                    let middles: Vec<PlacePoint> =
                        extents.iter().map(|&[x, low, high]| [x, f64::midpoint(low, high)]).collect();
                    shapes.extend(markers(&self.positions(&middles), style.marker, stroke.color));
                }
            }
        }
    }

    /// Columns as a band at least as thick as the line. Dashes run along x.
    fn dense(&self, extents: &[Extent], dash: Dash, stroke: Stroke) -> Vec<Shape> {
        let mut columns: Vec<BandPoint> =
            extents.iter().map(|extent| self.column(*extent, stroke.width)).collect();
        if columns.first().map(|column| column.x) > columns.last().map(|column| column.x) {
            columns.reverse();
        }
        let start = columns.first().map_or(0.0, |column| column.x);
        let is_inked = |column: &BandPoint| is_inked(dash, (column.x - start) / stroke.width);
        let dashes = columns.chunk_by(|a, b| is_inked(a) == is_inked(b)).filter(|run| is_inked(&run[0]));
        dashes.map(|run| BandShape::filled(sparse(run.to_vec()), stroke.color).into()).collect()
    }

    fn column(&self, [x, low, high]: Extent, thickness: f32) -> BandPoint {
        let [top, bottom] = [high, low].map(|y| self.transform.position_from_point_y(y));
        let y = Rangef::new(top.min(bottom) - thickness / 2.0, top.max(bottom) + thickness / 2.0);
        BandPoint { x: self.transform.position_from_point_x(x), y }
    }

    fn positions(&self, places: &[PlacePoint]) -> Vec<Pos2> {
        places.iter().map(|&[x, y]| self.transform.position_from_point(&PlotPoint { x, y })).collect()
    }

    /// Columns of at least this thickness.
    fn strip(&self, extents: &[Extent], thickness: f32, colour: Color32) -> Shape {
        quads(extents.iter().map(|extent| self.column(*extent, thickness)).collect(), colour)
    }
}

/// Quads between neighbours, each of them from its upper to its lower end: together they need not be convex.
fn quads(columns: Vec<BandPoint>, colour: Color32) -> Shape {
    let mut mesh = Mesh::default();
    for (index, BandPoint { x, y }) in (0_u32..).zip(sparse(columns)) {
        for end in [y.min, y.max] {
            mesh.colored_vertex(pos2(x, end), colour);
        }
        if index > 0 {
            let corner = 2 * index;
            mesh.add_triangle(corner - 2, corner - 1, corner);
            mesh.add_triangle(corner - 1, corner, corner + 1);
        }
    }
    Shape::Mesh(Arc::new(mesh))
}

fn polyline(positions: &[Pos2], dash: Dash, stroke: Stroke) -> Vec<Shape> {
    match positions {
        // A value between two gaps, or the first of a run.
        [alone] => vec![Shape::circle_filled(*alone, stroke.width, stroke.color)],
        _ => dashed(positions, dash, stroke),
    }
}

fn markers(positions: &[Pos2], shape: Marker, colour: Color32) -> Vec<Shape> {
    let mut last: Option<Pos2> = None;
    let mut shapes = Vec::new();
    for &at in positions.iter().filter(|_| shape != Marker::None) {
        if last.is_none_or(|last| last.distance(at) >= MARKER_DISTANCE) {
            shapes.extend(marker(at, shape, colour));
            last = Some(at);
        }
    }
    shapes
}

/// A slightly different clip rectangle: shapes with the same one become one list of triangles, and a short line after many
/// lines would move their megabytes once more.
pub fn unmerged(clip: Rect) -> Rect {
    clip.expand(1e-3)
}

/// The colour of a line in this theme.
pub fn line_colour(index: usize, theme: Theme) -> Color32 {
    colour(palette::colour(index, theme))
}

/// A polyline with the pattern of its dash, which is measured in widths of the line as in files.
pub fn dashed(positions: &[Pos2], dash: Dash, stroke: Stroke) -> Vec<Shape> {
    dashed_in(positions, dash, stroke, stroke.width)
}

/// The same with a pattern measured in another width.
pub fn dashed_in(positions: &[Pos2], dash: Dash, stroke: Stroke, width: f32) -> Vec<Shape> {
    let pattern = dash.pattern();
    if pattern.is_empty() {
        return vec![Shape::line(positions.to_vec(), stroke)];
    }
    let lengths = |offset: usize| -> Vec<f32> {
        pattern.iter().skip(offset).step_by(2).map(|widths| *widths as f32 * width).collect()
    };
    Shape::dashed_line_with_offset(positions, stroke, &lengths(0), &lengths(1), 0.0)
}

/// Whether a line has ink after so many widths of itself.
fn is_inked(dash: Dash, widths: f32) -> bool {
    let pattern = dash.pattern();
    let period: f64 = pattern.iter().sum();
    if period <= 0.0 {
        return true;
    }
    let mut rest = f64::from(widths).rem_euclid(period);
    let phase = pattern.iter().position(|length| {
        rest -= length;
        rest < 0.0
    });
    phase.is_none_or(|index| index % 2 == 0)
}

/// A marker at a point.
pub fn marker(at: Pos2, shape: Marker, colour: Color32) -> Vec<Shape> {
    let Some(outline) = outline(shape, f64::from(MARKER)) else { return Vec::new() };
    let corners: Vec<Pos2> = outline.iter().map(|[x, y]| at + vec2(*x as f32, *y as f32)).collect();
    if shape != Marker::Cross {
        return vec![Shape::convex_polygon(corners, colour, Stroke::NONE)];
    }
    let stroke = Stroke::new(LINE, colour);
    corners.chunks_exact(2).map(|ends| Shape::line_segment([ends[0], ends[1]], stroke)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_have_ink_first_and_then_a_gap() {
        assert!((0_u8..100).all(|at| is_inked(Dash::Solid, f32::from(at))));
        let inked: Vec<bool> = (0_u8..7).map(|at| is_inked(Dash::Dashed, f32::from(at))).collect();
        assert_eq!(inked, [true, true, true, true, true, false, false], "4.5 widths of ink, 2.2 without");
        assert!(is_inked(Dash::Dashed, 6.8));
    }
}
