//! How an exported figure is laid out: its legend, intervals and text.

use clap::Args;

use crate::figure::{IntervalStyle, LegendPlace, Options};

/// Legend, intervals and text of a figure.
#[derive(Debug, Default, Args)]
pub struct PageArgs {
    /// Place of the legend: inside (the emptiest corner), top-left, top-right, bottom-left, bottom-right, line-ends, right,
    /// below or none [default: inside]
    #[arg(long, value_name = "PLACE", value_parser = LegendPlace::parse)]
    legend: Option<LegendPlace>,
    /// Size of the text in points [default: 8, and 20 on a slide]
    #[arg(long, value_name = "POINTS")]
    font: Option<f64>,
    /// Spread around means: bars, bands or none [default: bars]
    #[arg(long, value_name = "STYLE", value_parser = IntervalStyle::parse)]
    intervals: Option<IntervalStyle>,
    /// Write the settings in which arms differ at their names
    #[arg(long)]
    notes: bool,
    /// Write the caption and remarks below the plot
    #[arg(long)]
    footnote: bool,
}

impl PageArgs {
    /// Whether all arguments are absent.
    pub fn is_empty(&self) -> bool {
        self.legend.is_none()
            && self.font.is_none()
            && self.intervals.is_none()
            && !self.notes
            && !self.footnote
    }

    /// The options with these arguments.
    pub fn apply(&self, mut options: Options) -> Options {
        options.size.legend = self.legend.unwrap_or(options.size.legend);
        options.size.font_pt = self.font.unwrap_or(options.size.font_pt);
        options.intervals = self.intervals.unwrap_or(options.intervals);
        options.notes |= self.notes;
        options.footnote |= self.footnote;
        options
    }
}
