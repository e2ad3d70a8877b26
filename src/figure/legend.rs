//! The legend: its rows, and a layout in which long names neither overlap nor lose their ends.

use super::cells::CellKind;
use super::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit, width};
use super::model::{Bars, Figure, Line, ReferenceLine};
use super::options::Options;

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
    /// Size of the text.
    pub font: f64,
    /// Number of rows that have no room.
    pub omitted: usize,
}

/// How the rows of a legend are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// One below the other.
    Column,
    /// In as many columns as show all names on one line, otherwise in one.
    Columns,
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

/// Sizes of the text of a legend, in ems: a long one gets smaller.
const SIZES: [f64; 4] = [1.0, 0.9, 0.8, 0.7];

/// A legend within a width and a height. If it is too high, its text gets smaller; then rows are left out.
pub fn limited<'a>(
    figure: &'a Figure,
    options: &Options,
    arrangement: Arrangement,
    [width, height]: [f64; 2],
) -> Legend<'a> {
    let font = options.size.font_pt;
    let of = |samples: &[Sample<'a>], size: f64| match arrangement {
        Arrangement::Column => set(figure, samples, (size * font, options.notes), width, 1),
        Arrangement::Columns => columns(figure, samples, (size * font, options.notes), width),
    };
    let all = samples(figure);
    let fits = |legend: &Legend<'_>| legend.height <= height;
    if let Some(legend) = SIZES.into_iter().map(|size| of(&all, size)).find(fits) {
        return legend;
    }
    let smallest = SIZES[SIZES.len() - 1];
    let shorter = (0..all.len()).rev().map(|kept| of(&all[..kept], smallest)).find(fits).unwrap_or_default();
    Legend { omitted: all.len() - shorter.rows.len(), ..shorter }
}

/// As many columns as show all names on one line, otherwise one column.
fn columns<'a>(
    figure: &Figure,
    samples: &[Sample<'a>],
    (font, has_notes): (f64, bool),
    limit: f64,
) -> Legend<'a> {
    let detail = |sample: &Sample<'_>| if has_notes { sample.detail(figure) } else { "" };
    let texts = samples.iter().flat_map(|sample| [sample.name(), detail(sample)]);
    let widest = texts.map(|text| width(text, font, Weight::Regular)).fold(0.0, f64::max);
    let needed = widest + (SAMPLE_EM + SAMPLE_GAP_EM) * font;
    let most = MOST_COLUMNS.min(samples.len());
    let count = (2..=most).rev().find(|count| needed <= column_width(limit, font, *count)).unwrap_or(1);
    set(figure, samples, (font, has_notes), limit, count)
}

fn column_width(limit: f64, font: f64, columns: usize) -> f64 {
    let columns = columns as f64;
    (limit - (columns - 1.0) * COLUMN_GAP_EM * font) / columns
}

/// Rows run down the columns, like a list.
fn set<'a>(
    figure: &Figure,
    samples: &[Sample<'a>],
    (font, has_notes): (f64, bool),
    limit: f64,
    columns: usize,
) -> Legend<'a> {
    let indent = (SAMPLE_EM + SAMPLE_GAP_EM) * font;
    let space = column_width(limit, font, columns) - indent;
    let mut legend = Legend { font, ..Legend::default() };
    let mut x = 0.0;
    for chunk in samples.chunks(samples.len().div_ceil(columns).max(1)) {
        let (mut y, mut widest) = (0.0, 0.0_f64);
        for &sample in chunk {
            let mut lines = fit(sample.name(), font, Weight::Regular, space, MOST_LINES);
            let name_lines = lines.len();
            if has_notes {
                lines.extend(fit(sample.detail(figure), font, Weight::Regular, space, MOST_LINES));
            }
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
        let columns = |figure, limit| columns(figure, &samples(figure), (8.0, true), limit);
        let legend = columns(&figure, 400.0);
        assert!(legend.rows.iter().all(|row| row.at[1] < 8.0), "one line of four columns");
        assert!(legend.width <= 400.0);
        assert!(columns(&figure, 60.0).height > 3.0 * legend.height);
    }

    #[test]
    fn long_names_are_wrapped_in_a_narrow_column() {
        let name = "winning ticket, reset to its initial weights after each round, pruned per layer, seed";
        let figure = figure(&[name]);
        let legend = set(&figure, &samples(&figure), (8.0, true), 140.0, 1);
        assert!((2..=3).contains(&legend.rows[0].lines.len()));
        assert!(legend.width <= 140.0 && legend.rows[1].text[1] > legend.rows[0].text[1] + 16.0);
    }

    #[test]
    fn what_tells_arms_apart_stands_below_their_names() {
        let mut figure = figure(&["a", "b"]);
        figure.details.insert("b".to_owned(), "rate 0.1".to_owned());
        let of = |has_notes| set(&figure, &samples(&figure), (8.0, has_notes), 140.0, 1);
        let legend = of(true);
        let shown: Vec<_> = legend.rows.iter().map(|row| (row.lines.join("|"), row.name_lines)).collect();
        assert_eq!(shown[..2], [("a".to_owned(), 1), ("b|rate 0.1".to_owned(), 1)]);
        assert!(of(false).rows.iter().all(|row| row.lines.len() == 1), "notes can be left out");
    }

    #[test]
    fn a_figure_without_names_has_no_legend() {
        let nothing = columns(&Figure::default(), &[], (8.0, true), 200.0);
        assert_eq!((nothing.rows.len(), nothing.height <= 0.0), (0, true));
    }
}
