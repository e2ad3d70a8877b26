//! Writes a figure as SVG, the drawing that PNG and PDF are made from.
//!
//! Equal figures, sizes and themes give equal bytes. Lengths are in points; text stays text in Roboto, or in Helvetica
//! or Arial where a viewer lacks Roboto.

mod areas;
mod category_marks;
mod data;
mod image;
mod parallel_axes;
mod pen;
mod points;
mod text;
mod writer;

use super::font::FAMILY;
use super::layout::{Layout, TICK, layout};
use super::model::Figure;
use super::palette::Theme;
use super::size::Size;
use pen::{AXIS, GRID, segments};
use text::{legend, text};
use writer::{Writer, hex, number};

/// The figure as an SVG document.
pub fn svg(figure: &Figure, size: &Size, theme: Theme) -> String {
    let layout = layout(figure, size);
    let mut out = Writer::default();
    open(&mut out, figure, &layout, theme);
    if figure.parallel.is_empty() {
        if figure.cells.is_none() {
            grid(&mut out, figure, &layout, theme);
        }
        data::draw(&mut out, figure, &layout, theme);
        areas::scale_bar(&mut out, figure, &layout, theme);
        axes(&mut out, &layout, theme);
    } else {
        parallel_axes::draw(&mut out, figure, &layout, theme);
    }
    for line in &layout.texts {
        text(&mut out, line, theme);
    }
    legend(&mut out, &layout, theme);
    out.line("</svg>");
    out.text
}

fn open(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let (width, height) = (number(layout.width), number(layout.height));
    out.line(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}pt\" height=\"{height}pt\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}, Helvetica, Arial, sans-serif\">"
    ));
    out.element("title", &[], Some(&figure.named()));
    let ground = hex(theme.ground());
    out.element("rect", &[("width", &width), ("height", &height), ("fill", &ground)], None);
}

/// Lines at labels, but not at names.
fn grid(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let plot = layout.plot;
    let upright = layout.x.tick_places(true).map(|x| [[x, plot.top], [x, plot.bottom]]);
    let level = layout.y.tick_places(true).map(|y| [[plot.left, y], [plot.right, y]]);
    let upright = upright.filter(|_| figure.x.categories.is_empty());
    let lines: Vec<_> = upright.chain(level.filter(|_| figure.y.categories.is_empty())).collect();
    segments(out, &lines, theme.grid(), GRID * layout.font);
}

/// Both axes and their ticks, over the data, so that a line along an axis does not hide it.
fn axes(out: &mut Writer, layout: &Layout<'_>, theme: Theme) {
    let (plot, font) = (layout.plot, layout.font);
    let mut lines = vec![
        [[plot.left, plot.top], [plot.left, plot.bottom]],
        [[plot.left, plot.bottom], [plot.right, plot.bottom]],
    ];
    for (labelled, length) in [(true, TICK * font), (false, TICK * font * 0.6)] {
        lines.extend(layout.x.tick_places(labelled).map(|x| [[x, plot.bottom], [x, plot.bottom + length]]));
        lines.extend(layout.y.tick_places(labelled).map(|y| [[plot.left - length, y], [plot.left, y]]));
    }
    lines.extend(&layout.brackets);
    segments(out, &lines, theme.ink(), AXIS * font);
}

#[cfg(test)]
mod tests {
    use super::pen::LINE;
    use super::*;
    use crate::figure::axis::Axis;
    use crate::figure::model::{Line, ReferenceLine, Trace};
    use crate::figure::palette::colour;
    use crate::figure::style_of;
    use crate::results::statistics::Band;
    use crate::results::view::Preset;

    fn example() -> Figure {
        let points = vec![[0.0, 0.5], [1.0, 0.8], [2.0, f64::NAN], [3.0, 0.9], [4.0, 0.95]];
        let band = vec![Band { x: 0.0, low: 0.4, high: 0.6 }, Band { x: 1.0, low: 0.7, high: 0.9 }];
        let traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.4], [1.0, 0.7]] }];
        let line = Line { band, traces, ..Line::new("tickets <20 %> & \"dense\"", style_of(0), points) };
        Figure {
            title: "Tickets & their levels".to_owned(),
            x: Axis::new("Epochs trained", ""),
            y: Axis::percent("Test accuracy"),
            lines: vec![line],
            reference_lines: vec![ReferenceLine::level("dense level", 0.97, None)],
            note: "mean over 3 seeds".to_owned(),
            ..Figure::default()
        }
    }

    fn drawn(figure: &Figure) -> String {
        svg(figure, &Preset::TwoColumns.size(), Theme::Light)
    }

    #[test]
    fn equal_figures_have_equal_bytes() {
        assert_eq!(drawn(&example()), drawn(&example().clone()));
    }

    #[test]
    fn text_stays_text_and_is_escaped() {
        let text = drawn(&example());
        for expected in [
            ">Tickets &amp; their levels</text>",
            ">tickets &lt;20 %&gt; &amp; \"dense\"</text>",
            ">Test accuracy (%)</text>",
            ">Epochs trained</text>",
            ">dense level</text>",
            ">mean over 3 seeds</text>",
            ">× interrupted: the value is not finite</text>",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn an_empty_figure_says_that_there_are_no_data() {
        let text = drawn(&Figure::default());
        assert!(text.contains(">No data yet</text>"));
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn a_gap_divides_the_line_and_is_marked() {
        let text = drawn(&example());
        let blue = hex(colour(0, Theme::Light));
        let pen = format!("stroke=\"{blue}\" stroke-width=\"{}\"", number(LINE * 8.0));
        let line = text.lines().find(|line| line.contains(&pen)).unwrap();
        assert_eq!(line.matches('M').count(), 2, "{line}");
        assert!(text.contains("class=\"gap\""));
        assert!(!text.contains("NaN"));
    }

    #[test]
    fn themes_differ_in_ground_and_ink() {
        let dark = svg(&example(), &Size::default(), Theme::Dark);
        assert!(dark.contains("#1b1b1b") && !dark.contains("#ffffff"));
    }

    #[test]
    fn hostile_names_make_no_broken_document() {
        let mut figure = example();
        figure.lines[0].name = "a\u{0}b\nc]]>\u{FFFF}\u{1F600}".to_owned();
        assert!(drawn(&figure).chars().all(|letter| letter == '\n' || !letter.is_control()));
    }
}
