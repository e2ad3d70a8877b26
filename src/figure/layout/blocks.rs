//! The blocks of text above, below and beside the plot.

use super::{
    AXIS_TITLE_GAP, Anchor, BLOCK_GAP, DESCENT, LEAST_PLOT, LEGEND_GAP, LEGEND_SHARE, MARGIN, Rect, SMALL,
    TICK, TICK_GAP, TITLE, TITLE_GAP, Text,
};
use crate::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit};
use crate::legend::{Arrangement, Legend, limited};
use crate::model::Figure;
use crate::options::Options;
use results::page::LegendPlace;

/// The blocks around the plot that do not depend on its width.
pub struct Blocks<'a> {
    /// Size of the text.
    pub font: f64,
    title: Vec<String>,
    remarks: Vec<String>,
    has_x_title: bool,
    /// Number of parallel axes.
    axes: usize,
    groups: f64,
    /// Height of the labels of x.
    labels: f64,
    /// The legend with its line breaks.
    pub legend: Legend<'a>,
    /// The place of the legend, which may differ from the one that was asked for.
    pub place: LegendPlace,
}

impl<'a> Blocks<'a> {
    /// The blocks with a legend at this place; `labels` is the height of the labels of x.
    pub fn of(figure: &'a Figure, options: &Options, place: LegendPlace, labels: f64) -> Self {
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
            groups: super::groups::height(&figure.x, font),
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
            LegendPlace::Below => {
                let height = size.height_pt * (1.0 - LEAST_PLOT) - around - BLOCK_GAP * font;
                limited(figure, options, Arrangement::Columns, [space, height])
            }
            LegendPlace::Hidden | LegendPlace::Inside | LegendPlace::Corner(_) | LegendPlace::LineEnds => {
                Legend::default()
            }
        };
        let is_gone = matches!(place, LegendPlace::Right | LegendPlace::Below) && legend.rows.is_empty();
        blocks.place = if is_gone { LegendPlace::Hidden } else { place };
        blocks.legend = legend;
        blocks
    }

    /// The height above the plot, at least half a label of y.
    pub fn top(&self) -> f64 {
        let title = if self.title.is_empty() {
            CAP_HEIGHT / 2.0
        } else {
            self.title.len() as f64 * LINE_HEIGHT * TITLE + TITLE_GAP
        };
        (MARGIN + title + super::upright::height(self.axes)) * self.font
    }

    /// The height of the x axis with labels and title, in points.
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

    /// The height below the plot.
    pub fn bottom(&self) -> f64 {
        let below = self.place == LegendPlace::Below;
        let legend = if below { self.legend.height + BLOCK_GAP * self.font } else { 0.0 };
        self.axis() + legend + self.remarks() + MARGIN * self.font
    }

    /// The right limit of the plot and its labels; `ends` is the width of texts at the ends of lines.
    pub fn right_limit(&self, width: f64, ends: f64) -> f64 {
        let legend =
            if self.place == LegendPlace::Right { self.legend.width + LEGEND_GAP * self.font } else { 0.0 };
        width - MARGIN * self.font - legend - ends
    }

    /// The upper left corner of a legend beside or below the plot.
    pub fn legend_at(&self, width: f64, plot: Rect) -> [f64; 2] {
        let margin = MARGIN * self.font;
        let last = width - margin - self.legend.width;
        if self.place == LegendPlace::Below {
            return [plot.left.min(last).max(margin), plot.bottom + self.axis() + BLOCK_GAP * self.font];
        }
        [last, plot.top]
    }

    /// Title, title of x and small print.
    pub fn texts(&self, figure: &Figure, plot: Rect, page: [f64; 2]) -> Vec<Text> {
        let mut texts = self.title_texts(page);
        texts.extend(self.x_title(figure, plot));
        texts.extend(self.small_print(page));
        texts
    }

    /// The title above the plot.
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

    /// The small print below everything.
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
