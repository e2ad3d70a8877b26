//! Writes a figure as SVG: the one drawing that PNG and PDF are made of.
//!
//! The same figure, size and theme give the same bytes. Lengths are points; text stays text in Roboto, or in Helvetica
//! or Arial where a viewer has no Roboto.

mod areas;
mod data;
mod image;
mod names;
mod parallel;
mod writer;

use super::font::{FAMILY, LINE_HEIGHT, Weight};
use super::layout::{Anchor, Layout, Ruler, TICK, Text, layout};
use super::legend::{Row, SAMPLE_EM, Sample};
use super::model::Figure;
use super::palette::{Rgb, Theme, colour};
use super::size::Size;
use writer::{Writer, hex, number, path};

/// Widths of lines in ems.
const LINE: f64 = 0.17;
const TRACE: f64 = 0.075;
const RULE: f64 = 0.11;
const GRID: f64 = 0.07;
const AXIS: f64 = 0.09;
const BAND_OPACITY: f64 = 0.18;
/// Of a band that is a bar at a single x.
const BAR_OPACITY: f64 = 0.6;
const TRACE_OPACITY: f64 = 0.35;
/// Radius of markers and of the sign at a gap, in ems.
const MARKER: f64 = 0.32;

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
        parallel::draw(&mut out, figure, &layout, theme);
    }
    texts(&mut out, &layout, theme);
    legend(&mut out, &layout, theme);
    out.line("</svg>");
    out.finish()
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

fn segments(out: &mut Writer, segments: &[[[f64; 2]; 2]], stroke: &str, width: f64) {
    let d: String = segments.iter().map(|ends| path(ends)).collect();
    if !d.is_empty() {
        let width = number(width);
        out.element(
            "path",
            &[("d", &d), ("fill", "none"), ("stroke", stroke), ("stroke-width", &width)],
            None,
        );
    }
}

fn places(ruler: &Ruler, labelled: bool) -> impl Iterator<Item = f64> {
    let chosen = ruler.ticks.iter().filter(move |tick| tick.label.is_some() == labelled);
    chosen.filter_map(|tick| ruler.mapping.place(tick.value))
}

/// Lines at the labels; none at names, which bars stand on.
fn grid(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let plot = layout.plot;
    let upright = places(&layout.x, true).map(|x| [[x, plot.top], [x, plot.bottom]]);
    let level = places(&layout.y, true).map(|y| [[plot.left, y], [plot.right, y]]);
    let upright = upright.filter(|_| figure.x.categories.is_empty());
    let lines: Vec<_> = upright.chain(level.filter(|_| figure.y.categories.is_empty())).collect();
    segments(out, &lines, &hex(theme.grid()), GRID * layout.font);
}

/// The two axes and their ticks, over the data, so that a line along an axis does not hide it.
fn axes(out: &mut Writer, layout: &Layout<'_>, theme: Theme) {
    let (plot, font) = (layout.plot, layout.font);
    let mut lines = vec![
        [[plot.left, plot.top], [plot.left, plot.bottom]],
        [[plot.left, plot.bottom], [plot.right, plot.bottom]],
    ];
    for (labelled, length) in [(true, TICK * font), (false, TICK * font * 0.6)] {
        lines.extend(places(&layout.x, labelled).map(|x| [[x, plot.bottom], [x, plot.bottom + length]]));
        lines.extend(places(&layout.y, labelled).map(|y| [[plot.left - length, y], [plot.left, y]]));
    }
    lines.extend(&layout.brackets);
    segments(out, &lines, &hex(theme.ink()), AXIS * font);
}

fn texts(out: &mut Writer, layout: &Layout<'_>, theme: Theme) {
    for text in &layout.texts {
        write_text(out, text, theme);
    }
}

fn write_text(out: &mut Writer, text: &Text, theme: Theme) {
    let [x, y] = text.at.map(number);
    let (size, fill) = (number(text.size), hex(if text.muted { theme.muted() } else { theme.ink() }));
    let turned = format!("rotate(-90 {x} {y})");
    let mut attributes = vec![("x", x.as_str()), ("y", &y), ("font-size", &size), ("fill", &fill)];
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => attributes.push(("text-anchor", "middle")),
        Anchor::End => attributes.push(("text-anchor", "end")),
    }
    if text.weight == Weight::Medium {
        attributes.push(("font-weight", "500"));
    }
    if text.upwards {
        attributes.push(("transform", &turned));
    }
    out.element("text", &attributes, Some(&text.content));
}

fn legend(out: &mut Writer, layout: &Layout<'_>, theme: Theme) {
    for row in &layout.legend.rows {
        sample(out, row, layout, theme);
        let [x, mut y] = [row.text[0] + layout.legend_at[0], row.text[1] + layout.legend_at[1]];
        for (nth, line) in row.lines.iter().enumerate() {
            let text = Text {
                content: line.clone(),
                at: [x, y],
                anchor: Anchor::Start,
                size: layout.font,
                weight: Weight::Regular,
                upwards: false,
                muted: nth >= row.name_lines,
            };
            write_text(out, &text, theme);
            y += LINE_HEIGHT * layout.font;
        }
    }
}

fn sample(out: &mut Writer, row: &Row<'_>, layout: &Layout<'_>, theme: Theme) {
    let font = layout.font;
    let [left, y] = [row.at[0] + layout.legend_at[0], row.at[1] + layout.legend_at[1]];
    let ends = [[left, y], [left + SAMPLE_EM * font, y]];
    match row.sample {
        Sample::Rule(rule) => data::stroke(out, &path(&ends), data::rule_pen(rule, font, theme)),
        Sample::Bars(bars) => swatch(out, ends, bars.rgb(theme), font),
        Sample::Kind(kind) => {
            if let Some(colour) = kind.ink.rgb(theme) {
                swatch(out, ends, colour, font);
            }
        }
        Sample::Line(line) => {
            if !line.band.is_empty() {
                let (top, bottom) = (y - 0.4 * font, y + 0.4 * font);
                let corners =
                    [[ends[0][0], top], [ends[1][0], top], [ends[1][0], bottom], [ends[0][0], bottom]];
                data::fill(out, &corners, colour(line.style.colour, theme), BAND_OPACITY);
            }
            data::stroke(out, &path(&ends), data::line_pen(line, font, theme));
            data::marker(out, line.style, [f64::midpoint(ends[0][0], ends[1][0]), y], font, theme);
        }
    }
}

/// A surface along the sample's middle line.
fn swatch(out: &mut Writer, [[left, y], [right, _]]: [[f64; 2]; 2], colour: Rgb, font: f64) {
    let half = 0.4 * font;
    let corners = [[left, y - half], [right, y - half], [right, y + half], [left, y + half]];
    data::fill(out, &corners, colour, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::model::{Axis, Line, Rule, Trace};
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
            rules: vec![Rule::level("dense level", 0.97)],
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
