//! The positions of all parts of a figure: the plot takes the space that the texts around it leave.
//!
//! All lengths are in points from the upper left corner. Gaps are multiples of the font size, so that slides and columns
//! have the same proportions.

mod blocks;
mod groups;
mod parts;
mod rulers;
mod scale_bar;
mod upright;

use super::font::{LINE_HEIGHT, Weight, fit};
use super::legend::Legend;
use super::model::Figure;
use super::ranges::ranges;
use super::size::Size;
use blocks::Blocks;
pub use parts::{Anchor, Rect, Ruler, Text};
use rulers::{labels, left_of_plot, x_ruler, y_ruler};
pub use scale_bar::ScaleBar;
pub use upright::{Upright, rows as rows_of_names};

/// A figure laid out on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout<'a> {
    /// Width of the page.
    pub width: f64,
    /// Height of the page; more than requested if a long legend needs it.
    pub height: f64,
    /// Size of the text.
    pub font: f64,
    /// The rectangle of the data.
    pub plot: Rect,
    /// The horizontal axis.
    pub x: Ruler,
    /// The vertical axis.
    pub y: Ruler,
    /// Parallel axes, from left to right.
    pub parallel: Vec<Upright>,
    /// Brackets below groups of categories.
    pub brackets: Vec<[[f64; 2]; 2]>,
    /// The colour scale of a heat map.
    pub scale_bar: Option<ScaleBar>,
    /// All texts but those of the legend.
    pub texts: Vec<Text>,
    /// The rows of the legend, relative to `legend_at`.
    pub legend: Legend<'a>,
    /// The legend's upper left corner.
    pub legend_at: [f64; 2],
}

/// Gaps and lengths in ems.
const MARGIN: f64 = 0.5;
/// Length of a tick.
pub const TICK: f64 = 0.35;
const TICK_GAP: f64 = 0.3;
const AXIS_TITLE_GAP: f64 = 0.6;
const TITLE: f64 = 1.15;
const TITLE_GAP: f64 = 0.6;
const SMALL: f64 = 0.85;
const BLOCK_GAP: f64 = 0.7;
const LEGEND_GAP: f64 = 1.4;
/// Gap between labels.
const LABEL_GAP: f64 = 1.0;
/// Below a base line.
const DESCENT: f64 = 0.25;
/// A legend at the right takes at most this share of the width.
const LEGEND_SHARE: f64 = 0.34;
/// Names beside the vertical axis take at most this share of the width.
const NAME_SHARE: f64 = 0.3;
/// The plot keeps at least this share of the requested height.
const LEAST_PLOT: f64 = 0.4;

/// Lays out the figure on a page of this size.
pub fn layout<'a>(figure: &'a Figure, size: &Size) -> Layout<'a> {
    let blocks = Blocks::of(figure, size);
    let height = blocks.height(size);
    let (top, bottom) = (blocks.top(), height - blocks.bottom());
    let [x_range, y_range] = ranges(figure);
    let mut y = y_ruler(&figure.y, y_range, [bottom, top], blocks.font, NAME_SHARE * size.width_pt);
    let y_title = fit(&figure.y.label(), blocks.font, Weight::Regular, bottom - top, 2);
    let left = left_of_plot(&y, y_title.len(), blocks.font);
    let cells = figure.cells.as_ref().filter(|cells| cells.has_scale());
    let scale = cells.map(|cells| scale_bar::UnplacedScaleBar::of(cells, [bottom, top], blocks.font));
    let limit = blocks.right_limit(size) - scale.as_ref().map_or(0.0, scale_bar::UnplacedScaleBar::width);
    let (mut x, right) = x_ruler(&figure.x, x_range, left, limit, blocks.font);
    let plot = Rect { left, top, right, bottom };
    if !figure.parallel.is_empty() {
        y.ticks.clear();
    }
    if !figure.has_data() {
        // Without data, ticks would be meaningless.
        x.ticks.clear();
        y.ticks.clear();
    }
    let parallel = upright::uprights(figure, &x, plot, blocks.font);
    let mut texts = if parallel.is_empty() {
        labels(&x, &y, plot, blocks.font)
    } else {
        upright::names(figure, &x, plot, blocks.font)
    };
    let (brackets, names) = groups::groups(&figure.x, &x, plot, blocks.font);
    texts.extend(names);
    let scale_bar = scale.map(|scale| {
        let (bar, labels) = scale.placed(plot);
        texts.extend(labels);
        bar
    });
    texts.extend(y_title_texts(&y_title, plot, blocks.font));
    texts.extend(blocks.texts(figure, plot, size.width_pt, height));
    if !figure.has_data() {
        texts.push(no_data(plot, blocks.font));
    }
    let legend_at = blocks.legend_at(size, plot);
    Layout {
        width: size.width_pt,
        height,
        font: blocks.font,
        plot,
        x,
        y,
        parallel,
        brackets,
        scale_bar,
        texts,
        legend: blocks.legend,
        legend_at,
    }
}

fn y_title_texts(lines: &[String], plot: Rect, font: f64) -> Vec<Text> {
    let middle = f64::midpoint(plot.top, plot.bottom);
    let mut base = MARGIN * font - DESCENT * font;
    let mut texts = Vec::new();
    for line in lines {
        base += LINE_HEIGHT * font;
        texts.push(Text { upwards: true, ..Text::new(line, [base, middle], Anchor::Middle, font) });
    }
    texts
}

fn no_data(plot: Rect, font: f64) -> Text {
    let middle = [f64::midpoint(plot.left, plot.right), f64::midpoint(plot.top, plot.bottom)];
    Text { muted: true, ..Text::new("No data yet", middle, Anchor::Middle, font * TITLE) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::figure::axis::{Axis, Category};
    use crate::figure::font::{CAP_HEIGHT, width};
    use crate::figure::model::Line;
    use crate::figure::{Bars, Cells, LegendPlace, style_of};
    use crate::results::number::Format;
    use crate::results::view::Preset;

    /// The rectangle of a text, without the little that descenders need.
    fn rect(text: &Text) -> Rect {
        let (long, high) = (width(&text.content, text.size, text.weight), text.size * CAP_HEIGHT);
        let before = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => long / 2.0,
            Anchor::End => long,
        };
        let [x, y] = text.at;
        if text.upwards {
            let bottom = y + before;
            return Rect { left: x - high, right: x, top: bottom - long, bottom };
        }
        Rect { left: x - before, right: x - before + long, top: y - high, bottom: y }
    }

    /// All texts, also those of the legend.
    fn rects(layout: &Layout<'_>) -> Vec<(Rect, String)> {
        let mut rects: Vec<_> = layout.texts.iter().map(|text| (rect(text), text.content.clone())).collect();
        for row in &layout.legend.rows {
            let mut at = [row.text[0] + layout.legend_at[0], row.text[1] + layout.legend_at[1]];
            for line in &row.lines {
                rects.push((rect(&Text::new(line, at, Anchor::Start, layout.font)), line.clone()));
                at[1] += LINE_HEIGHT * layout.font;
            }
        }
        rects
    }

    fn overlap(a: &Rect, b: &Rect) -> bool {
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    }

    fn check(figure: &Figure, size: &Size) -> Result<(), String> {
        let layout = layout(figure, size);
        let rects = rects(&layout);
        for (index, (a, text)) in rects.iter().enumerate() {
            let inside = a.left >= -0.01 && a.top >= -0.01;
            if !inside || a.right > layout.width + 0.01 || a.bottom > layout.height + 0.01 {
                return Err(format!("{text:?} is not on the paper: {a:?}"));
            }
            if overlap(a, &layout.plot) && text != "No data yet" {
                return Err(format!("{text:?} covers data: {a:?} {:?}", layout.plot));
            }
            if let Some((_, other)) = rects[..index].iter().find(|(b, _)| overlap(a, b)) {
                return Err(format!("{text:?} overlaps {other:?}"));
            }
        }
        Ok(())
    }

    fn figure(names: &[String], ends: [f64; 2]) -> Figure {
        let points = vec![[ends[0], 0.1], [ends[1], 0.9]];
        let lines = names.iter().enumerate().map(|(i, name)| Line::new(name, style_of(i), points.clone()));
        Figure {
            title: "A figure".to_owned(),
            x: Axis::new("Epochs trained", ""),
            y: Axis::percent("Test accuracy"),
            lines: lines.collect(),
            note: "mean over 3 seeds, band: 95 % interval".to_owned(),
            ..Figure::default()
        }
    }

    #[test]
    fn long_names_overlap_nothing_at_any_size() {
        let names: Vec<String> =
            (0..12).map(|i| format!("{i} {}", "winning ticket reset ".repeat(4))).collect();
        for preset in Preset::ALL {
            for legend in [LegendPlace::Right, LegendPlace::Below, LegendPlace::Hidden] {
                let size = Size { legend, ..preset.size() };
                assert_eq!(check(&figure(&names, [0.0, 12.0]), &size), Ok(()), "{preset:?} {legend:?}");
            }
        }
    }

    #[test]
    fn a_long_legend_makes_the_figure_higher_and_never_the_plot_small() {
        let names: Vec<String> = (0..60).map(|i| format!("arm {i} with a name of some length")).collect();
        for preset in Preset::ALL {
            let size = preset.size();
            let long = figure(&names, [0.0, 12.0]);
            let layout = layout(&long, &size);
            assert!(layout.plot.bottom - layout.plot.top >= LEAST_PLOT * size.height_pt - 0.01);
            assert_eq!(check(&long, &size), Ok(()));
        }
    }

    #[test]
    fn a_short_legend_leaves_the_size_as_it_is() {
        let size = Preset::OneColumn.size();
        let short = figure(&["dense".to_owned(), "ticket".to_owned()], [0.0, 12.0]);
        assert!((layout(&short, &size).height - size.height_pt).abs() < 1e-9);
    }

    #[test]
    fn an_empty_figure_says_so() {
        let empty = Figure::default();
        let layout = layout(&empty, &Size::default());
        assert!(layout.texts.iter().any(|text| text.content == "No data yet"));
    }

    fn named(title: &str, names: &[String]) -> Axis {
        let group = |index: usize| ["sign", "exponent", "mantissa"][(index + 2) / 5 % 3].to_owned();
        let category = |(index, name): (usize, &String)| Category {
            name: name.clone(),
            group: group(index),
            ..Category::default()
        };
        Axis::named(title, names.iter().enumerate().map(category).collect())
    }

    /// A heat map, standing bars, or lying bars over these names.
    fn named_figure(kind: usize, names: &[String]) -> Figure {
        let axis = named("Bit", names);
        let values = vec![0.25; names.len()];
        let bars = ["masked", "SDC"].map(|name| Bars {
            name: name.to_owned(),
            values: values.clone(),
            ..Bars::default()
        });
        match kind {
            0 => {
                let values = vec![values; names.len()];
                let cells = Cells { axis: Axis::percent("SDC share"), values, ..Cells::default() };
                Figure {
                    x: axis.clone(),
                    y: Axis { reversed: true, ..axis },
                    cells: Some(cells),
                    ..Figure::default()
                }
            }
            1 => Figure { x: axis, y: Axis::percent("Share"), bars: bars.to_vec(), ..Figure::default() },
            _ => Figure {
                x: Axis::percent("Share"),
                y: Axis { reversed: true, ..axis },
                bars: bars.to_vec(),
                ..Figure::default()
            },
        }
    }

    #[test]
    fn thirty_two_bits_have_their_fields_below_and_all_layers_their_names() {
        let bits: Vec<String> = (0..32).rev().map(|bit| format!("b{bit}")).collect();
        let figure = named_figure(1, &bits);
        let paper = layout(&figure, &Preset::TwoColumns.size());
        let has = |name: &str| paper.texts.iter().any(|text| text.content == name);
        assert!(has("exponent") && has("mantissa") && has("b31") && paper.brackets.len() >= 3);
        let layers: Vec<String> = (0..16).map(|index| format!("features.{index}")).collect();
        let figure = named_figure(2, &layers);
        let paper = layout(&figure, &Preset::TwoColumns.size());
        assert!(layers.iter().all(|layer| paper.texts.iter().any(|text| text.content == *layer)));
    }

    proptest! {
        #[test]
        fn names_and_colour_scales_overlap_nothing(
            names in prop::collection::vec("[a-z0-9.]{1,60}", 1..40), kind in 0..3_usize, preset in 0..3_usize,
        ) {
            let size = Preset::ALL[preset].size();
            prop_assert_eq!(check(&named_figure(kind, &names), &size), Ok(()));
        }

        #[test]
        fn nothing_ever_overlaps(
            names in prop::collection::vec("[a-zA-Z0-9 _.,=-]{0,90}", 0..9),
            low in -1e7..1e7_f64, span in 1e-4..1e8_f64, log in any::<bool>(), power in any::<bool>(),
            right in any::<bool>(), preset in 0..3_usize,
        ) {
            let low = if log { low.abs() + 1e-6 } else { low };
            let mut figure = figure(&names, [low, low + span]);
            if log { figure.x = figure.x.log(); }
            if power { figure.x.format = Format::Power; }
            let legend = if right { LegendPlace::Right } else { LegendPlace::Below };
            let size = Size { legend, ..Preset::ALL[preset].size() };
            prop_assert_eq!(check(&figure, &size), Ok(()));
        }
    }
}
