//! The positions of all parts of a figure: the plot takes the space that the texts around it leave.
//!
//! All lengths are in points from the upper left corner. Gaps are multiples of the font size, so that slides and columns
//! have the same proportions. The page has exactly the requested size: a long legend gets smaller, then shorter.

mod blocks;
mod grid;
mod groups;
mod parts;
mod rulers;
mod scale_bar;
mod upright;

use super::axis::Axis;
use super::facets::Facets;
use super::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit};
use super::legend::{Arrangement, Legend, limited};
use super::mapping::Mapping;
use super::model::Figure;
use super::options::{IntervalStyle, Options};
use super::ranges::{Fit, ranges, ranges_of_panels};
use super::rounds::Rounds;
use std::collections::BTreeSet;

use super::scene::ends::{EndText, Ends};
use blocks::Blocks;
pub use grid::{Grid, grid, least};
pub use groups::{groups, height as groups_height};
pub use parts::{Anchor, LabelLook, Rect, Ruler, Text};
use results::page::{LegendPlace, Size};
pub use rulers::{label_height, names_ruler, width_beside, x_labels, y_labels, y_ruler};
use rulers::{left_of_plot, x_ruler};
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
    /// The panels of a figure that has some, in their order.
    pub panels: Vec<Layout<'a>>,
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
/// The plot keeps at least this share of the height, and this one where another place is free for a long legend.
const LEAST_PLOT: f64 = 0.4;
const USUAL_PLOT: f64 = 0.7;
/// A legend within the plot takes at most these shares of its width and height.
const INSIDE: [f64; 2] = [0.55, 0.5];

/// Lays out the figure on a page of exactly the requested size.
pub fn layout<'a>(figure: &'a Figure, options: &Options) -> Layout<'a> {
    if let Some(facets) = &figure.facets {
        return page_of_panels(figure, facets, options);
    }
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
            return outside(figure, options);
        }
        layout.legend = legend;
    }
    layout
}

/// The layout with the legend outside of the plot: below it, or beside it where one of many rounds would take the height of
/// the data.
pub fn outside<'a>(figure: &'a Figure, options: &Options) -> Layout<'a> {
    let size = Size { legend: LegendPlace::Below, ..options.size };
    let below = layout(figure, &Options { size, ..*options });
    let is_low = below.plot.bottom - below.plot.top < USUAL_PLOT * size.height_pt;
    if !is_low || Rounds::of(figure).is_none() {
        return below;
    }
    let right = arranged(figure, options, LegendPlace::Right);
    if right.legend.omitted > below.legend.omitted { below } else { right }
}

/// The layout with the legend at this place. Labels of x that are rotated need a second pass.
fn arranged<'a>(figure: &'a Figure, options: &Options, place: LegendPlace) -> Layout<'a> {
    let usual = CAP_HEIGHT * options.size.font_pt;
    let first = with_labels(figure, options, place, usual);
    let height = label_height(&first.x, first.font);
    if height <= usual { first } else { with_labels(figure, options, place, height) }
}

/// Bars at every point are whole; the ends of bands are not read.
fn fit_of(figure: &Figure, options: &Options) -> Fit {
    match options.intervals_of(figure) {
        IntervalStyle::Auto | IntervalStyle::Bars => Fit::Intervals,
        IntervalStyle::Bands | IntervalStyle::None => Fit::Lines,
    }
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
    let [x_range, y_range] = ranges(figure, fit_of(figure, options));
    let mut y = y_ruler(&figure.y, y_range, [bottom, top], font, NAME_SHARE * width);
    let y_title = fit(&figure.y.label(), font, Weight::Regular, bottom - top, 2);
    let left = left_of_plot(&y, &figure.y, y_title.len(), font);
    let cells = figure.cells.as_ref().filter(|cells| cells.has_scale());
    let scale = cells.map(|cells| UnplacedScaleBar::of(cells, [bottom, top], font));
    let ends = (place == LegendPlace::LineEnds).then(|| {
        let text = EndText::Names { most: NAME_SHARE * width };
        Ends::of(figure, &BTreeSet::default(), y.mapping, font, text)
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
        if parallel.is_empty() { x_labels(&x, plot, font) } else { names_of_axes(figure, &x, plot, font) };
    if parallel.is_empty() {
        texts.extend(y_labels(&y, &figure.y, plot, font));
    }
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
    let panels = Vec::new();
    Layout {
        page,
        font,
        plot,
        x,
        y,
        parallel,
        brackets,
        scale_bar,
        texts,
        legend,
        place,
        legend_at,
        ends,
        panels,
    }
}

/// A page of panels with one legend, beside or below them.
fn page_of_panels<'a>(figure: &'a Figure, facets: &Facets, options: &Options) -> Layout<'a> {
    let page @ [width, height] = [options.size.width_pt, options.size.height_pt];
    let place = match options.size.legend {
        place @ (LegendPlace::Right | LegendPlace::Hidden) => place,
        LegendPlace::Inside | LegendPlace::Corner(_) | LegendPlace::LineEnds | LegendPlace::Below => {
            LegendPlace::Below
        }
    };
    let blocks = Blocks::of(figure, options, place, CAP_HEIGHT * options.size.font_pt);
    let font = blocks.font;
    let top = if figure.title.is_empty() { MARGIN * font } else { blocks.top() };
    let below = blocks.bottom() - blocks.axis();
    let space =
        Rect { left: MARGIN * font, top, right: blocks.right_limit(width, 0.0), bottom: height - below };
    let grid = grid(figure, facets, &ranges_of_panels(figure, fit_of(figure, options), facets), space, font);
    let mut texts = grid.texts;
    texts.extend(blocks.title_texts(page));
    texts.extend(blocks.small_print(page));
    // The legend begins below the titles of x.
    let plot = Rect { bottom: space.bottom - blocks.axis(), ..grid.data };
    let legend_at = blocks.legend_at(width, plot);
    Layout {
        page,
        font,
        plot: grid.data,
        texts,
        scale_bar: grid.scale_bar,
        legend: blocks.legend,
        place: blocks.place,
        legend_at,
        panels: grid.panels,
        ..Layout::empty(grid.data, font)
    }
}

impl Layout<'_> {
    /// A layout with nothing but the rectangle of the data.
    fn empty(plot: Rect, font: f64) -> Self {
        let axis = |ends| Ruler {
            mapping: Mapping::new(&Axis::default(), [0.0, 1.0], ends),
            ticks: Vec::new(),
            labels: LabelLook::default(),
        };
        Self {
            page: [0.0; 2],
            font,
            plot,
            x: axis([plot.left, plot.right]),
            y: axis([plot.bottom, plot.top]),
            parallel: Vec::new(),
            brackets: Vec::new(),
            scale_bar: None,
            texts: Vec::new(),
            legend: Legend::default(),
            place: LegendPlace::Hidden,
            legend_at: [0.0; 2],
            ends: None,
            panels: Vec::new(),
        }
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
mod tests;
