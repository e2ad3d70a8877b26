//! How an exported figure is laid out: its title, legend, lines and text.

use clap::Args;

use figure::{Figure, IntervalStyle, LegendPlace, Options};
use results::view::Preset;

/// Title, legend, look of lines and text of a figure.
#[derive(Debug, Default, Args)]
pub struct PageArgs {
    /// Title above the plot; "" for none [default: what the window has chosen, else none]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Place of the legend: inside (the emptiest corner), top-left, top-right, bottom-left, bottom-right, line-ends, right,
    /// below or none [default: what the window has chosen, else inside]
    #[arg(long, value_name = "PLACE", value_parser = LegendPlace::parse)]
    legend: Option<LegendPlace>,
    /// Size of the text in points [default: what the window has chosen, else 8, and 20 on a slide]
    #[arg(long, value_name = "POINTS")]
    font: Option<f64>,
    /// Spread around means: bars, bands, none, or auto: bars where lines have a few points, bands where they have more
    /// [default: what the window has chosen, else auto]
    #[arg(long, value_name = "STYLE", value_parser = IntervalStyle::parse)]
    intervals: Option<IntervalStyle>,
    /// One mark per arm: on or off [default: what the window has chosen, else on]
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    marks: Option<bool>,
    /// One dash pattern per arm: on, or off for solid lines [default: what the window has chosen, else on]
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    dashes: Option<bool>,
    /// Write the settings in which arms differ at their names; --notes=off does not [default: what the window has chosen,
    /// else off]
    #[arg(long, value_name = "SWITCH", value_parser = switch, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    notes: Option<bool>,
    /// Write the caption and remarks below the plot; --footnote=off does not [default: what the window has chosen, else off]
    #[arg(long, value_name = "SWITCH", value_parser = switch, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    footnote: Option<bool>,
}

/// Whether something is on.
pub fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_owned()),
    }
}

impl PageArgs {
    /// Whether all arguments are absent.
    pub fn is_empty(&self) -> bool {
        let Self { title, legend, font, intervals, marks, dashes, notes, footnote } = self;
        let switches = [marks, dashes, notes, footnote];
        title.is_none()
            && legend.is_none()
            && font.is_none()
            && intervals.is_none()
            && switches.iter().all(|switch| switch.is_none())
    }

    /// The options with these arguments, and with another size. A new size has its usual text, unless somebody chose another.
    pub fn apply(&self, mut options: Options, size: Option<Preset>) -> Options {
        let font = self.font.or(options.page().font_pt);
        if let Some(preset) = size {
            options.size = figure::Size { legend: options.size.legend, ..preset.size() };
        }
        options.size.legend = self.legend.unwrap_or(options.size.legend);
        options.size.font_pt = font.unwrap_or(options.size.font_pt);
        options.intervals = self.intervals.unwrap_or(options.intervals);
        options.marks = self.marks.unwrap_or(options.marks);
        options.dashes = self.dashes.unwrap_or(options.dashes);
        options.notes = self.notes.unwrap_or(options.notes);
        options.footnote = self.footnote.unwrap_or(options.footnote);
        options
    }

    /// Gives the figure the title.
    pub fn name(&self, figure: &mut Figure) {
        if let Some(title) = &self.title {
            figure.title.clone_from(title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_size_keeps_the_text_that_somebody_chose() {
        let font = |chosen: Option<f64>, asked: Option<f64>| {
            let mut options = Options::default();
            options.size.font_pt = chosen.unwrap_or(options.size.font_pt);
            let arguments = PageArgs { font: asked, ..PageArgs::default() };
            arguments.apply(options, Some(Preset::Slide)).size.font_pt
        };
        assert_eq!(
            [font(None, None), font(Some(12.0), None), font(Some(12.0), Some(16.0))],
            [20.0, 12.0, 16.0]
        );
    }
}
