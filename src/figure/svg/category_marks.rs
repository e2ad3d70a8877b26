//! Lines over an axis of names: a marker at each name with its whisker, and single runs as dots.

use super::pen::{LINE, Pen, dot, line_pen, marker, stroke, trace_pen};
use super::points::{gaps, placed, visible};
use super::writer::{Writer, path};
use crate::figure::layout::Layout;
use crate::figure::model::Figure;
use crate::figure::palette::{Dash, Theme};

/// Width of whiskers in line widths.
const WHISKER: f64 = 0.7;

/// All markers, each over its whisker and dots.
pub fn marks(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let font = layout.font;
    for line in &figure.lines {
        let pen = Pen { width: WHISKER * LINE * font, dash: Dash::Solid, ..line_pen(line, font, theme) };
        for band in &line.band {
            let ends = placed(&[[band.x, band.low], [band.x, band.high]], layout);
            if ends.iter().flatten().all(|place| place.is_finite()) {
                stroke(out, &path(&ends), pen);
            }
        }
        let pen = Pen { width: 1.5 * LINE * font, ..trace_pen(line, font, theme) };
        for at in line.traces.iter().flat_map(|trace| visible(&trace.points, layout)) {
            dot(out, at, pen);
        }
        for at in visible(&line.points, layout) {
            marker(out, line.style, at, font, theme);
        }
        gaps(out, line, layout, theme);
    }
}

#[cfg(test)]
mod tests {
    use crate::figure::axis::{Axis, Category};
    use crate::figure::model::{Line, Trace};
    use crate::figure::svg::svg;
    use crate::figure::{Figure, Marker, Style, Theme, style_of};
    use crate::results::statistics::Band;
    use crate::results::view::Preset;

    #[test]
    fn names_have_marks_with_whiskers_and_no_line_between_them() {
        let names = ["cat", "dog"].map(|name| Category { name: name.to_owned(), ..Category::default() });
        let style = Style { marker: Marker::Circle, ..style_of(0) };
        let mut line = Line::new("a", style, vec![[0.0, 0.5], [1.0, 0.75]]);
        line.band = vec![Band { x: 0.0, low: 0.25, high: 0.75 }];
        line.traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.4], [1.0, f64::NAN]] }];
        let figure = Figure {
            x: Axis::named("Class", names.to_vec()),
            y: Axis::percent("Accuracy"),
            lines: vec![line],
            ..Figure::default()
        };
        let text = svg(&figure, &Preset::OneColumn.size(), Theme::Light);
        assert_eq!(text.matches("<circle").count(), 1, "the dot of the single run");
        let inside = &text[text.find("clip-path=").unwrap()..text.find("</g>").unwrap()];
        assert_eq!(inside.matches("fill=\"none\"").count(), 2, "a whisker and the sign of a gap: {inside}");
        assert!(!text.contains("NaN"));
    }
}
