//! The legend: its rows, and a layout in which long names neither overlap nor lose their ends.

use super::cells::CellKind;
use super::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit, width};
use super::model::{Bars, Figure, Line, ReferenceLine};

/// The subject of a legend row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sample<'a> {
    /// A line with its band and marker.
    Line(&'a Line),
    /// A part of bars.
    Bars(&'a Bars),
    /// A kind of cells with one colour.
    Kind(&'a CellKind),
    /// A reference line.
    Reference(&'a ReferenceLine),
}

/// A row; positions are relative to the legend's upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendRow<'a> {
    /// Its subject.
    pub sample: Sample<'a>,
    /// Left end of the sample's middle line.
    pub at: [f64; 2],
    /// Left end of the first base line of its name.
    pub text: [f64; 2],
    /// The lines of the name, then those of its details.
    pub lines: Vec<String>,
    /// Number of lines of the name.
    pub name_lines: usize,
}

/// A legend laid out for some width.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Legend<'a> {
    /// The rows, those of reference lines last.
    pub rows: Vec<LegendRow<'a>>,
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
}

/// Length of a sample in ems.
pub const SAMPLE_EM: f64 = 2.6;
const SAMPLE_GAP_EM: f64 = 0.6;
const COLUMN_GAP_EM: f64 = 1.6;
const ROW_GAP_EM: f64 = 0.22;
const MOST_LINES: usize = 3;
const MOST_COLUMNS: usize = 4;

impl<'a> Sample<'a> {
    /// The name in the row.
    pub fn name(&self) -> &'a str {
        match self {
            Self::Line(line) => &line.name,
            Self::Bars(bars) => &bars.name,
            Self::Kind(kind) => &kind.name,
            Self::Reference(line) => &line.name,
        }
    }

    /// Details after the name; mostly empty.
    pub fn detail<'b>(&self, figure: &'b Figure) -> &'b str {
        figure.details.get(self.name()).map_or("", String::as_str)
    }
}

/// All samples with a name, in the order of the figure.
pub fn samples(figure: &Figure) -> Vec<Sample<'_>> {
    let lines = figure.lines.iter().map(Sample::Line);
    let is_first =
        |(index, bars): &(usize, &Bars)| figure.bars[..*index].iter().all(|other| other.name != bars.name);
    let bars = figure.bars.iter().enumerate().filter(is_first).map(|(_, bars)| Sample::Bars(bars));
    let kinds = figure.cells.iter().flat_map(|cells| &cells.kinds).filter(|kind| kind.is_in_legend());
    let references = figure.reference_lines.iter().map(Sample::Reference);
    let all = lines.chain(bars).chain(kinds.map(Sample::Kind)).chain(references);
    all.filter(|sample| !sample.name().trim().is_empty()).collect()
}

/// A legend of one column, at most as wide as `limit`.
pub fn column(figure: &Figure, font: f64, limit: f64) -> Legend<'_> {
    set(figure, &samples(figure), font, limit, 1)
}

/// A legend below the plot: as many columns as show all names on one line, otherwise one column.
pub fn columns(figure: &Figure, font: f64, limit: f64) -> Legend<'_> {
    let samples = samples(figure);
    let texts = samples.iter().flat_map(|sample| [sample.name(), sample.detail(figure)]);
    let widest = texts.map(|text| width(text, font, Weight::Regular)).fold(0.0, f64::max);
    let needed = widest + (SAMPLE_EM + SAMPLE_GAP_EM) * font;
    let most = MOST_COLUMNS.min(samples.len());
    let count = (2..=most).rev().find(|count| needed <= column_width(limit, font, *count)).unwrap_or(1);
    set(figure, &samples, font, limit, count)
}

fn column_width(limit: f64, font: f64, columns: usize) -> f64 {
    let columns = columns as f64;
    (limit - (columns - 1.0) * COLUMN_GAP_EM * font) / columns
}

/// Rows run down the columns, like a list.
fn set<'a>(figure: &Figure, samples: &[Sample<'a>], font: f64, limit: f64, columns: usize) -> Legend<'a> {
    let indent = (SAMPLE_EM + SAMPLE_GAP_EM) * font;
    let space = column_width(limit, font, columns) - indent;
    let mut legend = Legend::default();
    let mut x = 0.0;
    for chunk in samples.chunks(samples.len().div_ceil(columns).max(1)) {
        let (mut y, mut widest) = (0.0, 0.0_f64);
        for &sample in chunk {
            let mut lines = fit(sample.name(), font, Weight::Regular, space, MOST_LINES);
            let name_lines = lines.len();
            lines.extend(fit(sample.detail(figure), font, Weight::Regular, space, MOST_LINES));
            widest = lines.iter().map(|line| width(line, font, Weight::Regular)).fold(widest, f64::max);
            let (middle, base) = (y + font * LINE_HEIGHT / 2.0, y + font * (LINE_HEIGHT + CAP_HEIGHT) / 2.0);
            y += (lines.len() as f64 * LINE_HEIGHT + ROW_GAP_EM) * font;
            legend.rows.push(LegendRow {
                sample,
                at: [x, middle],
                text: [x + indent, base],
                lines,
                name_lines,
            });
        }
        legend.width = x + indent + widest;
        legend.height = legend.height.max(y - ROW_GAP_EM * font);
        x = legend.width + COLUMN_GAP_EM * font;
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::style_of;

    fn figure(names: &[&str]) -> Figure {
        let lines =
            names.iter().enumerate().map(|(i, name)| Line::new(name, style_of(i), Vec::new())).collect();
        Figure {
            lines,
            reference_lines: vec![ReferenceLine::level("dense level", 1.0, None)],
            ..Figure::default()
        }
    }

    #[test]
    fn reference_lines_come_last_and_nameless_lines_have_no_row() {
        let figure = figure(&["a", "", "b"]);
        let names: Vec<_> = samples(&figure).iter().map(Sample::name).collect();
        assert_eq!(names, ["a", "b", "dense level"]);
    }

    #[test]
    fn short_names_share_lines_below_the_plot() {
        let figure = figure(&["a", "b", "c"]);
        let legend = columns(&figure, 8.0, 400.0);
        assert!(legend.rows.iter().all(|row| row.at[1] < 8.0), "one line of four columns");
        assert!(legend.width <= 400.0);
        assert!(columns(&figure, 8.0, 60.0).height > 3.0 * legend.height);
    }

    #[test]
    fn long_names_are_wrapped_in_a_narrow_column() {
        let name = "winning ticket, reset to its initial weights after each round, pruned per layer, seed";
        let figure = figure(&[name]);
        let legend = column(&figure, 8.0, 140.0);
        assert!((2..=3).contains(&legend.rows[0].lines.len()));
        assert!(legend.width <= 140.0 && legend.rows[1].text[1] > legend.rows[0].text[1] + 16.0);
    }

    #[test]
    fn what_tells_arms_apart_stands_below_their_names() {
        let mut figure = figure(&["a", "b"]);
        figure.details.insert("b".to_owned(), "rate 0.1".to_owned());
        let legend = column(&figure, 8.0, 140.0);
        let shown: Vec<_> = legend.rows.iter().map(|row| (row.lines.join("|"), row.name_lines)).collect();
        assert_eq!(shown[..2], [("a".to_owned(), 1), ("b|rate 0.1".to_owned(), 1)]);
    }

    #[test]
    fn a_figure_without_names_has_no_legend() {
        assert_eq!(columns(&Figure::default(), 8.0, 200.0), Legend::default());
    }
}
