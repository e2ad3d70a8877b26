//! The lines of a plot as triangles, which are made once and painted as long as nothing about them changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::epaint::{TessellationOptions, Tessellator};
use eframe::egui::{Mesh, Rect, Shape};

use crate::figure::palette::Theme;

/// All that the triangles depend on, beside the drawn lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The plot on the screen.
    pub frame: Rect,
    /// The places that it shows, of x and of y.
    pub view: [[f64; 2]; 2],
    /// Pixels for each point.
    pub pixels: f32,
    /// The ground.
    pub theme: Theme,
    /// The line that is pointed at in the legend.
    pub highlighted: Option<String>,
    /// Lines that are not painted.
    pub hidden: BTreeSet<String>,
}

/// What was painted last.
#[derive(Clone, Debug)]
pub struct Sheet {
    cause: Cause,
    mesh: Arc<Mesh>,
}

impl Sheet {
    /// The sheet of the last frame, or a new one with these shapes where something has changed.
    pub fn again(
        last: Option<Self>,
        cause: Cause,
        options: TessellationOptions,
        shapes: impl FnOnce() -> Vec<Shape>,
    ) -> Self {
        if let Some(last) = last.filter(|last| last.cause == cause) {
            return last;
        }
        // Circles are triangles too: the atlas of prepared discs may be another one in a later frame.
        let mut tessellator = Tessellator::new(cause.pixels, options, [1, 1], Vec::new());
        tessellator.set_clip_rect(cause.frame);
        let mut mesh = Mesh::default();
        for shape in shapes() {
            tessellator.tessellate_shape(shape, &mut mesh);
        }
        Self { cause, mesh: Arc::new(mesh) }
    }

    /// To be painted.
    pub fn shape(&self) -> Shape {
        Shape::Mesh(self.mesh.clone())
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Color32, Stroke, pos2, vec2};

    use super::*;

    fn cause(low: f64) -> Cause {
        Cause {
            frame: Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 100.0)),
            view: [[low, 1.0], [0.0, 1.0]],
            pixels: 1.0,
            theme: Theme::Dark,
            highlighted: None,
            hidden: BTreeSet::new(),
        }
    }

    #[test]
    fn triangles_are_made_again_only_for_another_view() {
        let line =
            || vec![Shape::line_segment([pos2(0.0, 0.0), pos2(9.0, 9.0)], Stroke::new(1.0, Color32::RED))];
        let again = |last, low| Sheet::again(last, cause(low), TessellationOptions::default(), line);
        let first = again(None, 0.0);
        assert!(!first.mesh.is_empty());
        let second = again(Some(first.clone()), 0.0);
        assert!(Arc::ptr_eq(&first.mesh, &second.mesh));
        assert!(!Arc::ptr_eq(&first.mesh, &again(Some(second), 0.5).mesh));
    }
}
