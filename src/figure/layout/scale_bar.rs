//! The colour scale of a heat map, at the right of the plot.

use super::rulers::{widest_label, y_ruler};
use super::{AXIS_TITLE_GAP, Anchor, DESCENT, LEGEND_GAP, Rect, Ruler, TICK, TICK_GAP, Text};
use crate::cells::Cells;
use crate::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit};

/// The strip of colours with its axis.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleBar {
    /// The strip, with low values at the bottom.
    pub rect: Rect,
    /// Its axis.
    pub ruler: Ruler,
}

/// Width of the strip, in ems.
const STRIP: f64 = 1.3;

/// A colour scale before the width of the plot is known.
pub struct UnplacedScaleBar {
    ruler: Ruler,
    title: Vec<String>,
    font: f64,
    /// Width of its labels.
    labels: f64,
}

impl UnplacedScaleBar {
    pub fn of(cells: &Cells, ends: [f64; 2], font: f64) -> Self {
        let ruler = y_ruler(&cells.axis, cells.range(), ends, font, f64::INFINITY);
        let title = fit(&cells.axis.label(), font, Weight::Regular, ends[0] - ends[1], 1);
        let labels = widest_label(&ruler.ticks, font);
        Self { ruler, title, font, labels }
    }

    /// The width that it needs at the right of the plot.
    pub fn width(&self) -> f64 {
        let title = if self.title.is_empty() { 0.0 } else { LINE_HEIGHT + AXIS_TITLE_GAP };
        self.labels + (LEGEND_GAP + STRIP + TICK + TICK_GAP + title) * self.font
    }

    /// The strip beside a plot, and its texts.
    pub fn placed(self, plot: Rect) -> (ScaleBar, Vec<Text>) {
        let Self { font, labels, ruler, title } = self;
        let left = plot.right + LEGEND_GAP * font;
        let rect = Rect { left, right: left + STRIP * font, ..plot };
        let start = rect.right + (TICK + TICK_GAP) * font;
        let half = CAP_HEIGHT * font / 2.0;
        let text = |(place, label)| Text::new(label, [start + labels, place + half], Anchor::End, font);
        let mut texts: Vec<Text> = ruler.labelled().map(text).collect();
        let base = start + labels + (AXIS_TITLE_GAP + LINE_HEIGHT - DESCENT) * font;
        let middle = f64::midpoint(plot.top, plot.bottom);
        let title = title.iter().map(|line| Text::new(line, [base, middle], Anchor::Middle, font));
        texts.extend(title.map(|text| Text { upwards: true, ..text }));
        (ScaleBar { rect, ruler }, texts)
    }
}
