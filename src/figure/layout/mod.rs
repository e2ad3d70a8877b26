//! The positions of all parts of a figure: the plot takes the space that the texts around it leave.
//!
//! All lengths are in points from the upper left corner. Gaps are multiples of the font size, so that slides and columns
//! have the same proportions. The page has exactly the requested size: a long legend gets smaller, then shorter.

mod blocks;
mod groups;
mod parts;
mod rulers;
mod scale_bar;
mod upright;

use super::export::Options;
use super::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit};
use super::legend::{Arrangement, Legend, limited};
use super::model::Figure;
use super::ranges::ranges;
use super::scene::ends::{EndText, Ends};
use super::size::LegendPlace;
use blocks::Blocks;
pub use groups::{groups, height as groups_height};
pub use parts::{Anchor, LabelLook, Rect, Ruler, Text};
pub use rulers::{label_height, names_ruler, x_labels};
use rulers::{labels, left_of_plot, x_ruler, y_ruler};
pub use scale_bar::{ScaleBar, UnplacedScaleBar};
pub use upright::{Upright, height as names_height, names as names_of_axes, uprights};

/// A figure laid out on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout<'a> {
    /// Width and height of the page.
    pub page: [f64; 2],
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
    /// The rows of the legend.
    pub legend: Legend<'a>,
    /// The legend's place; one within the plot may be in any corner.
    pub place: LegendPlace,
    /// The upper left corner of a legend outside the plot.
    pub legend_at: [f64; 2],
    /// The intervals and names at the ends of lines.
    pub ends: Option<Ends>,
}

/// Gaps and lengths in ems.
const MARGIN: f64 = 0.5;
/// Length of a tick.
pub const TICK: f64 = 0.35;
/// From a tick to its label.
pub const TICK_GAP: f64 = 0.3;
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
/// Names beside the vertical axis, or at the ends of lines, take at most this share of the width.
const NAME_SHARE: f64 = 0.3;
/// The plot keeps at least this share of the height.
const LEAST_PLOT: f64 = 0.4;
/// A legend within the plot takes at most these shares of its width and height.
const INSIDE: [f64; 2] = [0.55, 0.5];

/// Lays out the figure on a page of exactly the requested size.
pub fn layout<'a>(figure: &'a Figure, options: &Options) -> Layout<'a> {
    let is_inside = matches!(options.size.legend, LegendPlace::Inside | LegendPlace::Corner(_));
    let place = match options.size.legend {
        // Areas have no free corner, and no ends of lines.
        LegendPlace::Inside | LegendPlace::Corner(_) | LegendPlace::LineEnds if !figure.has_curves() => {
            LegendPlace::Below
        }
        place => place,
    };
    let mut layout = arranged(figure, options, place);
    if place == LegendPlace::LineEnds && layout.ends.is_none() {
        layout = arranged(figure, options, LegendPlace::Below);
    }
    if is_inside && place != LegendPlace::Below {
        let Rect { left, top, right, bottom } = layout.plot;
        let limit = [INSIDE[0] * (right - left), INSIDE[1] * (bottom - top)];
        let legend = limited(figure, options, Arrangement::Column, limit);
        if legend.omitted > 0 {
            return arranged(figure, options, LegendPlace::Below);
        }
        layout.legend = legend;
    }
    layout
}

/// The layout with the legend at this place. Labels of x that are rotated need a second pass.
fn arranged<'a>(figure: &'a Figure, options: &Options, place: LegendPlace) -> Layout<'a> {
    let usual = CAP_HEIGHT * options.size.font_pt;
    let first = with_labels(figure, options, place, usual);
    let height = label_height(&first.x, first.font);
    if height <= usual { first } else { with_labels(figure, options, place, height) }
}

fn with_labels<'a>(
    figure: &'a Figure,
    options: &Options,
    place: LegendPlace,
    label_height: f64,
) -> Layout<'a> {
    let page @ [width, height] = [options.size.width_pt, options.size.height_pt];
    let blocks = Blocks::of(figure, options, place, label_height);
    let font = blocks.font;
    let top = blocks.top();
    let bottom = (height - blocks.bottom()).max(top + font);
    let [x_range, y_range] = ranges(figure);
    let mut y = y_ruler(&figure.y, y_range, [bottom, top], font, NAME_SHARE * width);
    let y_title = fit(&figure.y.label(), font, Weight::Regular, bottom - top, 2);
    let left = left_of_plot(&y, y_title.len(), font);
    let cells = figure.cells.as_ref().filter(|cells| cells.has_scale());
    let scale = cells.map(|cells| UnplacedScaleBar::of(cells, [bottom, top], font));
    let ends = (place == LegendPlace::LineEnds).then(|| {
        let text = EndText::Names { most: NAME_SHARE * width };
        Ends::of(figure, &Default::default(), y.mapping, font, text)
    });
    let ends = ends.flatten();
    let limit = blocks.right_limit(width, ends.as_ref().map_or(0.0, |ends| ends.width))
        - scale.as_ref().map_or(0.0, UnplacedScaleBar::width);
    let (mut x, right) = x_ruler(&figure.x, x_range, left, limit, font);
    let plot = Rect { left, top, right, bottom };
    if !figure.parallel.is_empty() {
        y.ticks.clear();
    }
    if !figure.has_data() {
        // Without data, ticks would be meaningless.
        x.ticks.clear();
        y.ticks.clear();
    }
    let parallel = uprights(figure, &x, plot, font);
    let mut texts =
        if parallel.is_empty() { labels(&x, &y, plot, font) } else { names_of_axes(figure, &x, plot, font) };
    let (brackets, names) = groups(&figure.x, &x, plot, font);
    texts.extend(names);
    let scale_bar = scale.map(|scale| {
        let (bar, labels) = scale.placed(plot);
        texts.extend(labels);
        bar
    });
    texts.extend(y_title_texts(&y_title, plot, font));
    texts.extend(blocks.texts(figure, plot, page));
    if !figure.has_data() {
        texts.push(no_data(plot, font));
    }
    let legend_at = blocks.legend_at(width, plot);
    let (legend, place) = (blocks.legend, blocks.place);
    Layout { page, font, plot, x, y, parallel, brackets, scale_bar, texts, legend, place, legend_at, ends }
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
    use crate::figure::{Bars, Cells, LegendPlace, Size, style_of};
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
        if matches!(layout.place, LegendPlace::Inside | LegendPlace::Corner(_)) {
            return rects; // within the data
        }
        for row in &layout.legend.rows {
            let mut at = [row.text[0] + layout.legend_at[0], row.text[1] + layout.legend_at[1]];
            for line in &row.lines {
                rects.push((rect(&Text::new(line, at, Anchor::Start, layout.legend.font)), line.clone()));
                at[1] += LINE_HEIGHT * layout.legend.font;
            }
        }
        rects
    }

    fn overlap(a: &Rect, b: &Rect) -> bool {
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    }

    fn options(size: Size) -> Options {
        Options { size, notes: true, footnote: true, ..Options::default() }
    }

    fn check(figure: &Figure, size: &Size) -> Result<(), String> {
        let layout = layout(figure, &options(*size));
        let rects = rects(&layout);
        for (index, (a, text)) in rects.iter().enumerate() {
            let inside = a.left >= -0.01 && a.top >= -0.01;
            if !inside || a.right > layout.page[0] + 0.01 || a.bottom > layout.page[1] + 0.01 {
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
    fn the_page_has_the_requested_size_and_a_long_legend_gets_smaller_then_shorter() {
        let long = figure(
            &(0..60).map(|i| format!("arm {i} with a name of some length")).collect::<Vec<_>>(),
            [0.0, 12.0],
        );
        let places = [LegendPlace::Inside, LegendPlace::Right, LegendPlace::Below, LegendPlace::LineEnds];
        for (preset, legend) in Preset::ALL.into_iter().flat_map(|preset| places.map(|place| (preset, place)))
        {
            let size = Size { legend, ..preset.size() };
            let layout = layout(&long, &options(size));
            assert_eq!(layout.page, [size.width_pt, size.height_pt]);
            let high = layout.plot.bottom - layout.plot.top;
            assert!(high >= (LEAST_PLOT - 0.06) * size.height_pt, "{preset:?} {legend:?}: {high}");
            assert_eq!(check(&long, &size), Ok(()), "{preset:?} {legend:?}");
            assert!(layout.legend.font < size.font_pt);
        }
    }

    #[test]
    fn one_column_of_six_arms_keeps_most_of_its_height_for_data() {
        let names: Vec<String> = (0..6).map(|i| format!("winning ticket {i}")).collect();
        let size = Size::millimetres(85.0, 60.0);
        let long = figure(&names, [0.0, 12.0]);
        for legend in [LegendPlace::Inside, LegendPlace::LineEnds, LegendPlace::Hidden] {
            let untitled = Figure { title: String::new(), ..long.clone() };
            let options = Options { size: Size { legend, ..size }, ..Options::default() };
            let layout = layout(&untitled, &options);
            let share = (layout.plot.bottom - layout.plot.top) / size.height_pt;
            assert!(share >= 0.7, "{legend:?}: {share}");
            assert_eq!(layout.legend.omitted, 0);
        }
    }

    #[test]
    fn all_bits_have_their_labels_in_one_column() {
        let bits: Vec<String> = (0..32).rev().map(|bit| format!("b{bit}")).collect();
        let figure = named_figure(1, &bits);
        let paper = layout(&figure, &options(Size::millimetres(85.0, 60.0)));
        assert!(bits.iter().all(|bit| paper.texts.iter().any(|text| text.content == *bit)));
        assert_eq!(check(&figure, &Size::millimetres(85.0, 60.0)), Ok(()));
    }

    #[test]
    fn an_empty_figure_says_so() {
        let empty = Figure::default();
        let layout = layout(&empty, &Options::default());
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
        let paper = layout(&figure, &options(Preset::TwoColumns.size()));
        let has = |name: &str| paper.texts.iter().any(|text| text.content == name);
        assert!(has("exponent") && has("mantissa") && has("b31") && paper.brackets.len() >= 3);
        let layers: Vec<String> = (0..16).map(|index| format!("features.{index}")).collect();
        let figure = named_figure(2, &layers);
        let paper = layout(&figure, &options(Preset::TwoColumns.size()));
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
