//! The positions of all parts of a figure: the plot takes the space that the texts around it leave.
//!
//! All lengths are in points from the upper left corner. Gaps are multiples of the font size, so that slides and columns
//! have the same proportions. The page has exactly the requested size: a long legend gets smaller, then shorter.

mod grid;
mod rulers;

use std::collections::BTreeSet;

use super::axis::{Mapping, Tick};
use super::facets::Facets;
use super::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit};
use super::legend::{Arrangement, Legend, Rounds, limited};
use super::model::Figure;
use super::options::Options;
use super::ranges::{ranges, ranges_of_panels};
use super::scene::ends::{EndText, Ends};
pub use grid::{Grid, grid, least};
use results::page::{LegendPlace, Size};
pub use rulers::{
    ScaleBar, UnplacedScaleBar, Upright, groups, groups_height, label_height, names_height, names_of_axes,
    names_ruler, uprights, width_beside, x_labels, y_labels, y_ruler,
};
use rulers::{left_of_plot, x_ruler};

/// A figure laid out on a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout<'a> {
    pub page: [f64; 2],
    pub font: f64,
    pub plot: Rect,
    pub x: Ruler,
    pub y: Ruler,
    /// Parallel axes, from left to right.
    pub parallel: Vec<Upright>,
    /// Brackets below groups of categories.
    pub brackets: Vec<[[f64; 2]; 2]>,
    pub scale_bar: Option<ScaleBar>,
    /// All texts but those of the legend.
    pub texts: Vec<Text>,
    pub legend: Legend<'a>,
    /// The legend's place; one within the plot may be in any corner.
    pub place: LegendPlace,
    /// The upper left corner of a legend outside the plot.
    pub legend_at: [f64; 2],
    /// The intervals and names at the ends of lines.
    pub ends: Option<Ends>,
    pub panels: Vec<Layout<'a>>,
}

/// Gaps and lengths in ems.
const MARGIN: f64 = 0.5;
pub const TICK: f64 = 0.35;
pub const TICK_GAP: f64 = 0.3;
const AXIS_TITLE_GAP: f64 = 0.6;
const TITLE: f64 = 1.15;
const TITLE_GAP: f64 = 0.6;
const SMALL: f64 = 0.85;
const BLOCK_GAP: f64 = 0.7;
const LEGEND_GAP: f64 = 1.4;
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
            LegendPlace::Above
        }
        place => place,
    };
    let mut layout = arranged(figure, options, place);
    if place == LegendPlace::LineEnds && layout.ends.is_none() {
        layout = arranged(figure, options, LegendPlace::Above);
    }
    if is_inside && place != LegendPlace::Above {
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

/// Returns the layout with the legend outside of the plot: above it, or beside it where one of many rounds would take the height of
/// the data.
pub fn outside<'a>(figure: &'a Figure, options: &Options) -> Layout<'a> {
    let size = Size { legend: LegendPlace::Above, ..options.size };
    let above = layout(figure, &Options { size, ..*options });
    let is_low = above.plot.bottom - above.plot.top < USUAL_PLOT * size.height_pt;
    if !is_low || Rounds::new(figure).is_none() {
        return above;
    }
    let right = arranged(figure, options, LegendPlace::Right);
    if right.legend.omitted > above.legend.omitted { above } else { right }
}

/// Returns the layout with the legend at this place. Labels of x that are rotated need a second pass.
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
    let blocks = Blocks::new(figure, options, place, label_height);
    let font = blocks.font;
    let top = blocks.top();
    let bottom = (height - blocks.bottom()).max(top + font);
    let [x_range, y_range] = ranges(figure, options.intervals_of(&figure.look, figure));
    let mut y = y_ruler(&figure.y, y_range, [bottom, top], font, NAME_SHARE * width);
    let y_title = fit(&figure.y.label(), font, Weight::Regular, bottom - top, 2);
    let left = left_of_plot(&y, &figure.y, y_title.len(), font);
    let scale = figure.scale().map(|cells| UnplacedScaleBar::new(cells, [bottom, top], font));
    let ends = (place == LegendPlace::LineEnds).then(|| {
        let text = EndText::Names { most: NAME_SHARE * width };
        Ends::new(figure, &BTreeSet::default(), y.mapping, font, text)
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
    let Blocks { legend, place, .. } = blocks;
    let rest = Layout { page, font, plot, ..Layout::default() };
    Layout { x, y, parallel, brackets, scale_bar, texts, legend, place, legend_at, ends, ..rest }
}

/// Returns a page of panels with one legend, above, beside or below them.
fn page_of_panels<'a>(figure: &'a Figure, facets: &Facets, options: &Options) -> Layout<'a> {
    let page @ [width, height] = [options.size.width_pt, options.size.height_pt];
    let place = match options.size.legend {
        place @ (LegendPlace::Right | LegendPlace::Below | LegendPlace::Hidden) => place,
        LegendPlace::Inside | LegendPlace::Corner(_) | LegendPlace::LineEnds | LegendPlace::Above => {
            LegendPlace::Above
        }
    };
    let blocks = Blocks::new(figure, options, place, CAP_HEIGHT * options.size.font_pt);
    let font = blocks.font;
    let top = if figure.title.is_empty() { MARGIN * font + blocks.legend_above() } else { blocks.top() };
    let below = blocks.bottom() - blocks.axis();
    let space =
        Rect { left: MARGIN * font, top, right: blocks.right_limit(width, 0.0), bottom: height - below };
    let shown = |panel: &Figure| options.intervals_of(&figure.look, panel);
    let grid = grid(figure, facets, &ranges_of_panels(figure, shown, facets), space, font);
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
        ..Layout::default()
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

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ruler {
    pub mapping: Mapping,
    pub ticks: Vec<Tick>,
    pub labels: LabelLook,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelLook {
    /// Their size in ems of the font.
    pub size: f64,
    /// True if they are rotated, so that many names fit below the horizontal axis.
    pub upwards: bool,
}

impl Default for LabelLook {
    fn default() -> Self {
        Self { size: 1.0, upwards: false }
    }
}

/// A rectangle with `left < right` and `top < bottom`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub content: String,
    /// The anchor's position on the base line.
    pub at: [f64; 2],
    /// Which part of the text is at `at`.
    pub anchor: Anchor,
    pub size: f64,
    pub weight: Weight,
    /// Rotated upwards, for the title of y.
    pub upwards: bool,
    /// True if it is small print, in a muted colour.
    pub muted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Ruler {
    /// Returns the positions of ticks with labels, or of those without.
    pub fn tick_places(&self, labelled: bool) -> impl Iterator<Item = f64> {
        let chosen = self.ticks.iter().filter(move |tick| tick.label.is_some() == labelled);
        chosen.filter_map(|tick| self.mapping.place(tick.value))
    }

    pub fn labelled(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().filter_map(|tick| Some((self.mapping.place(tick.value)?, tick.label.as_deref()?)))
    }
}

impl Text {
    pub fn new(content: &str, at: [f64; 2], anchor: Anchor, size: f64) -> Self {
        let weight = Weight::Regular;
        Self { content: content.to_owned(), at, anchor, size, weight, upwards: false, muted: false }
    }
}

/// The blocks around the plot that do not depend on its width.
pub struct Blocks<'a> {
    pub font: f64,
    title: Vec<String>,
    remarks: Vec<String>,
    has_x_title: bool,
    axes: usize,
    groups: f64,
    labels: f64,
    pub legend: Legend<'a>,
    /// The place of the legend, which may differ from the one that was asked for.
    pub place: LegendPlace,
}

impl<'a> Blocks<'a> {
    /// Returns the blocks with a legend at this place; `labels` is the height of the labels of x.
    pub fn new(figure: &'a Figure, options: &Options, place: LegendPlace, labels: f64) -> Self {
        let size = &options.size;
        let font = size.font_pt;
        let space = size.width_pt - 2.0 * MARGIN * font;
        let small = |remark: &String| fit(remark, font * SMALL, Weight::Regular, space, 3);
        let remarks = if options.footnote { options.remarks(figure) } else { Vec::new() };
        let mut remarks: Vec<String> = remarks.iter().flat_map(small).collect();
        remarks.truncate((size.height_pt * 0.2 / (font * SMALL * LINE_HEIGHT)) as usize);
        let mut blocks = Self {
            font,
            title: fit(&figure.title, font * TITLE, Weight::Medium, space, 2),
            remarks,
            groups: groups_height(&figure.x, font),
            axes: figure.parallel.len(),
            labels,
            has_x_title: !figure.x.label().trim().is_empty(),
            place: LegendPlace::Hidden,
            legend: Legend::default(),
        };
        let around = blocks.top() + blocks.bottom();
        let legend = match place {
            LegendPlace::Right => {
                let height = size.height_pt - blocks.top() - blocks.remarks() - MARGIN * font;
                limited(figure, options, Arrangement::Column, [size.width_pt * LEGEND_SHARE, height])
            }
            LegendPlace::Above | LegendPlace::Below => {
                let height = size.height_pt * (1.0 - LEAST_PLOT) - around - BLOCK_GAP * font;
                limited(figure, options, Arrangement::Columns, [space, height])
            }
            LegendPlace::Hidden | LegendPlace::Inside | LegendPlace::Corner(_) | LegendPlace::LineEnds => {
                Legend::default()
            }
        };
        let is_outside = matches!(place, LegendPlace::Right | LegendPlace::Above | LegendPlace::Below);
        blocks.place = if is_outside && legend.rows.is_empty() { LegendPlace::Hidden } else { place };
        blocks.legend = legend;
        blocks
    }

    /// Returns the height of the title with its gap, in ems.
    fn title(&self) -> f64 {
        if self.title.is_empty() {
            return 0.0;
        }
        self.title.len() as f64 * LINE_HEIGHT * TITLE + TITLE_GAP
    }

    /// Returns the height that a legend takes above the plot.
    fn legend_above(&self) -> f64 {
        if self.place == LegendPlace::Above { self.legend.height + BLOCK_GAP * self.font } else { 0.0 }
    }

    /// Returns the height above the plot, at least half a label of y.
    pub fn top(&self) -> f64 {
        let title = if self.title.is_empty() { CAP_HEIGHT / 2.0 } else { self.title() };
        (MARGIN + title + names_height(self.axes)) * self.font + self.legend_above()
    }

    /// Returns the height of the x axis with labels and title, in points.
    pub fn axis(&self) -> f64 {
        let title = if self.has_x_title { AXIS_TITLE_GAP + CAP_HEIGHT + DESCENT } else { 0.0 };
        if self.axes > 0 {
            // Names are above; half a label of an axis extends below.
            return (CAP_HEIGHT / 2.0 + title) * self.font;
        }
        (TICK + TICK_GAP + title) * self.font + self.labels + self.groups
    }

    fn remarks(&self) -> f64 {
        if self.remarks.is_empty() {
            return 0.0;
        }
        (self.remarks.len() as f64 * LINE_HEIGHT * SMALL + BLOCK_GAP) * self.font
    }

    /// Returns the height below the plot.
    pub fn bottom(&self) -> f64 {
        let below = self.place == LegendPlace::Below;
        let legend = if below { self.legend.height + BLOCK_GAP * self.font } else { 0.0 };
        self.axis() + legend + self.remarks() + MARGIN * self.font
    }

    /// Returns the right limit of the plot and its labels; `ends` is the width of texts at the ends of lines.
    pub fn right_limit(&self, width: f64, ends: f64) -> f64 {
        let legend =
            if self.place == LegendPlace::Right { self.legend.width + LEGEND_GAP * self.font } else { 0.0 };
        width - MARGIN * self.font - legend - ends
    }

    /// Returns the upper left corner of a legend above, beside or below the plot.
    pub fn legend_at(&self, width: f64, plot: Rect) -> [f64; 2] {
        let margin = MARGIN * self.font;
        let last = width - margin - self.legend.width;
        let left = plot.left.min(last).max(margin);
        match self.place {
            LegendPlace::Above => [left, margin + self.title() * self.font],
            LegendPlace::Below => [left, plot.bottom + self.axis() + BLOCK_GAP * self.font],
            LegendPlace::Inside
            | LegendPlace::Corner(_)
            | LegendPlace::LineEnds
            | LegendPlace::Right
            | LegendPlace::Hidden => [last, plot.top],
        }
    }

    /// Returns the title, the title of x and the small print.
    pub fn texts(&self, figure: &Figure, plot: Rect, page: [f64; 2]) -> Vec<Text> {
        let mut texts = self.title_texts(page);
        texts.extend(self.x_title(figure, plot));
        texts.extend(self.small_print(page));
        texts
    }

    pub fn title_texts(&self, [width, _]: [f64; 2]) -> Vec<Text> {
        let font = self.font;
        let mut texts = Vec::new();
        let mut base = MARGIN * font;
        for line in &self.title {
            base += font * TITLE * LINE_HEIGHT;
            let at = [width / 2.0, base - DESCENT * font];
            texts.push(Text { weight: Weight::Medium, ..Text::new(line, at, Anchor::Middle, font * TITLE) });
        }
        texts
    }

    fn x_title(&self, figure: &Figure, plot: Rect) -> Vec<Text> {
        let font = self.font;
        let middle = f64::midpoint(plot.left, plot.right);
        let base = plot.bottom + self.axis() - DESCENT * font;
        let x_title = fit(&figure.x.label(), font, Weight::Regular, plot.right - plot.left, 1);
        x_title.iter().map(|line| Text::new(line, [middle, base], Anchor::Middle, font)).collect()
    }

    pub fn small_print(&self, [_, height]: [f64; 2]) -> Vec<Text> {
        let (font, mut texts) = (self.font, Vec::new());
        let mut base = height - self.remarks() + BLOCK_GAP * font - MARGIN * font;
        for line in &self.remarks {
            base += font * SMALL * LINE_HEIGHT;
            let at = [MARGIN * font, base - DESCENT * font * SMALL];
            texts.push(Text { muted: true, ..Text::new(line, at, Anchor::Start, font * SMALL) });
        }
        texts
    }
}

#[cfg(test)]
mod tests;
