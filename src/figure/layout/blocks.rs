//! The blocks of text above, below and beside the plot.

use super::{
    AXIS_TITLE_GAP, Anchor, BLOCK_GAP, DESCENT, LEAST_PLOT, LEGEND_GAP, LEGEND_SHARE, MARGIN, Rect, SMALL,
    TICK, TICK_GAP, TITLE, TITLE_GAP, Text,
};
use crate::figure::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit};
use crate::figure::legend::{Legend, column, columns};
use crate::figure::model::Figure;
use crate::figure::size::{LegendPlace, Size};

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
    /// The legend with its line breaks.
    pub legend: Legend<'a>,
    place: LegendPlace,
}

impl<'a> Blocks<'a> {
    pub fn of(figure: &'a Figure, size: &Size) -> Self {
        let font = size.font_pt;
        let space = size.width_pt - 2.0 * MARGIN * font;
        let small = |remark: &String| fit(remark, font * SMALL, Weight::Regular, space, 3);
        let legend = match size.legend {
            LegendPlace::Right => column(figure, font, size.width_pt * LEGEND_SHARE),
            LegendPlace::Below => columns(figure, font, space),
            LegendPlace::Hidden => Legend::default(),
        };
        Self {
            font,
            title: fit(&figure.title, font * TITLE, Weight::Medium, space, 2),
            remarks: figure.remarks().iter().flat_map(small).collect(),
            groups: super::groups::height(&figure.x, font),
            axes: figure.parallel.len(),
            has_x_title: !figure.x.label().trim().is_empty(),
            place: if legend.rows.is_empty() { LegendPlace::Hidden } else { size.legend },
            legend,
        }
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
    fn axis(&self) -> f64 {
        let title = if self.has_x_title { AXIS_TITLE_GAP + CAP_HEIGHT + DESCENT } else { 0.0 };
        if self.axes > 0 {
            // Names are above; half a label of an axis extends below.
            return (CAP_HEIGHT / 2.0 + title) * self.font;
        }
        (TICK + TICK_GAP + CAP_HEIGHT + title) * self.font + self.groups
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

    /// The requested height, or more if the plot and the legend need it.
    pub fn height(&self, size: &Size) -> f64 {
        let for_plot = self.top() + self.bottom() + LEAST_PLOT * size.height_pt;
        let legend = if self.place == LegendPlace::Right { self.legend.height } else { 0.0 };
        let for_legend = self.top() + legend + self.remarks() + MARGIN * self.font;
        size.height_pt.max(for_plot).max(for_legend)
    }

    /// The right limit of the plot and its labels.
    pub fn right_limit(&self, size: &Size) -> f64 {
        let legend =
            if self.place == LegendPlace::Right { self.legend.width + LEGEND_GAP * self.font } else { 0.0 };
        size.width_pt - MARGIN * self.font - legend
    }

    /// The legend's upper left corner.
    pub fn legend_at(&self, size: &Size, plot: Rect) -> [f64; 2] {
        let margin = MARGIN * self.font;
        let last = size.width_pt - margin - self.legend.width;
        match self.place {
            LegendPlace::Right | LegendPlace::Hidden => [last, plot.top],
            LegendPlace::Below => {
                [plot.left.min(last).max(margin), plot.bottom + self.axis() + BLOCK_GAP * self.font]
            }
        }
    }

    /// Title, title of x and small print.
    pub fn texts(&self, figure: &Figure, plot: Rect, paper: f64, height: f64) -> Vec<Text> {
        let font = self.font;
        let mut texts = Vec::new();
        let mut base = MARGIN * font;
        for line in &self.title {
            base += font * TITLE * LINE_HEIGHT;
            let at = [paper / 2.0, base - DESCENT * font];
            texts.push(Text { weight: Weight::Medium, ..Text::new(line, at, Anchor::Middle, font * TITLE) });
        }
        let middle = f64::midpoint(plot.left, plot.right);
        let base = plot.bottom + self.axis() - DESCENT * font;
        let x_title = fit(&figure.x.label(), font, Weight::Regular, plot.right - plot.left, 1);
        texts.extend(x_title.iter().map(|line| Text::new(line, [middle, base], Anchor::Middle, font)));
        let mut base = height - self.remarks() + BLOCK_GAP * font - MARGIN * font;
        for line in &self.remarks {
            base += font * SMALL * LINE_HEIGHT;
            let at = [MARGIN * font, base - DESCENT * font * SMALL];
            texts.push(Text { muted: true, ..Text::new(line, at, Anchor::Start, font * SMALL) });
        }
        texts
    }
}
