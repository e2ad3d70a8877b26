//! Lines over an axis of names: a marker at each name with its whisker, and single runs as dots.

use eframe::egui::{Color32, Pos2, Shape, Stroke};
use egui_plot::PlotPoint;

use super::paint::{Brush, DIMMED, line_colour, marker};
use crate::figure::model::Figure;
use crate::figure::palette::Marker;

/// Width of whiskers, and radius of the dots of single runs, in points.
const WHISKER: f32 = 1.25;
const DOT: f32 = 1.75;
const DOT_OPACITY: f32 = 0.45;

impl Brush<'_> {
    /// Paints the marks of all lines that are shown.
    pub fn marks(&self, figure: &Figure, is_hidden: impl Fn(&str) -> bool) {
        let position = |[x, y]: [f64; 2]| -> Option<Pos2> {
            let point = PlotPoint { x, y: figure.y.scale.forward(y)? };
            Some(self.pen.transform.position_from_point(&point))
        };
        let mut shapes = Vec::new(); // handed over at once: each call of the painter locks the window
        for line in figure.lines.iter().filter(|line| !is_hidden(&line.name)) {
            let full = line_colour(line.style.colour, self.pen.theme);
            let ink = if self.pen.is_dimmed(&line.name) { full.gamma_multiply(DIMMED) } else { full };
            for band in &line.band {
                if let Some(ends) = position([band.x, band.low]).zip(position([band.x, band.high])) {
                    shapes.push(Shape::line_segment([ends.0, ends.1], Stroke::new(WHISKER, ink)));
                }
            }
            let dot = ink.gamma_multiply(DOT_OPACITY);
            for at in line.traces.iter().flat_map(|trace| &trace.points).filter_map(|point| position(*point))
            {
                shapes.push(Shape::circle_filled(at, DOT, dot));
            }
            for [x, y] in &line.points {
                match position([*x, *y]) {
                    Some(at) => shapes.extend(marker(at, line.style.marker, ink)),
                    None => shapes.extend(self.missing(*x, ink)),
                }
            }
        }
        self.painter.extend(shapes);
    }

    /// A sign at the rim for a missing value.
    fn missing(&self, x: f64, ink: Color32) -> Vec<Shape> {
        let rim = self.pen.transform.frame().bottom() - 8.0;
        let at = Pos2::new(self.pen.transform.position_from_point_x(x), rim);
        marker(at, Marker::Cross, ink)
    }
}
