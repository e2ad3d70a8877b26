//! Text and the legend.

use super::pen::{BAND_OPACITY, fill, line_pen, marker, reference_pen, stroke};
use super::writer::{Writer, hex, number, path};
use crate::figure::font::{LINE_HEIGHT, Weight};
use crate::figure::layout::{Anchor, Layout, Text};
use crate::figure::legend::{LegendRow, SAMPLE_EM, Sample};
use crate::figure::palette::{Rgb, Theme, colour};

pub fn text(out: &mut Writer, text: &Text, theme: Theme) {
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

pub fn legend(out: &mut Writer, layout: &Layout<'_>, theme: Theme) {
    for row in &layout.legend.rows {
        sample(out, row, layout, theme);
        let [x, mut y] = [row.text[0] + layout.legend_at[0], row.text[1] + layout.legend_at[1]];
        for (nth, line) in row.lines.iter().enumerate() {
            let line = Text::new(line, [x, y], Anchor::Start, layout.font);
            text(out, &Text { muted: nth >= row.name_lines, ..line }, theme);
            y += LINE_HEIGHT * layout.font;
        }
    }
}

fn sample(out: &mut Writer, row: &LegendRow<'_>, layout: &Layout<'_>, theme: Theme) {
    let font = layout.font;
    let [left, y] = [row.at[0] + layout.legend_at[0], row.at[1] + layout.legend_at[1]];
    let ends = [[left, y], [left + SAMPLE_EM * font, y]];
    match row.sample {
        Sample::Reference(line) => stroke(out, &path(&ends), reference_pen(line, font, theme)),
        Sample::Bars(bars) => swatch(out, ends, font, bars.rgb(theme), 1.0),
        Sample::Kind(kind) => {
            if let Some(colour) = kind.ink.rgb(theme) {
                swatch(out, ends, font, colour, 1.0);
            }
        }
        Sample::Line(line) => {
            if !line.band.is_empty() {
                swatch(out, ends, font, colour(line.style.colour, theme), BAND_OPACITY);
            }
            stroke(out, &path(&ends), line_pen(line, font, theme));
            marker(out, line.style, [f64::midpoint(ends[0][0], ends[1][0]), y], font, theme);
        }
    }
}

/// A filled rectangle along the sample's middle line.
fn swatch(out: &mut Writer, [[left, y], [right, _]]: [[f64; 2]; 2], font: f64, colour: Rgb, opacity: f64) {
    let half = 0.4 * font;
    let corners = [[left, y - half], [right, y - half], [right, y + half], [left, y + half]];
    fill(out, &corners, colour, opacity);
}
