//! The legend: its rows, and a layout in which long names neither overlap nor lose their ends.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::CellKind;
use super::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit, width};
use super::model::{Bars, Figure, Line, ReferenceLine};
use super::options::Options;

/// The subject of a legend row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sample<'a> {
    Line(&'a Line),
    Bars(&'a Bars),
    Kind(&'a CellKind),
    Reference(&'a ReferenceLine),
}

/// A row; positions are relative to the legend's upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendRow<'a> {
    /// Its subjects with the ends of their samples along x: one, or those of an arm's trainings side by side. None for the
    /// levels above them.
    pub samples: Vec<(Sample<'a>, [f64; 2])>,
    pub middle: f64,
    /// Left end of the first base line of its name.
    pub text: [f64; 2],
    /// The lines of the name, then those of its details.
    pub lines: Vec<String>,
    pub name_lines: usize,
}

/// A legend laid out for some width.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Legend<'a> {
    /// The rows, those of reference lines last.
    pub rows: Vec<LegendRow<'a>>,
    pub width: f64,
    pub height: f64,
    pub font: f64,
    pub omitted: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    Column,
    /// In as many columns as show all names on one line, otherwise in one.
    Columns,
}

/// Length of a sample in ems, of one of several side by side, and between those.
const SAMPLE_EM: f64 = 2.6;
const SHADE_EM: f64 = 1.4;
const SHADE_GAP_EM: f64 = 0.2;
/// Between the levels above the samples.
const LEVEL_GAP_EM: f64 = 0.8;
const SAMPLE_GAP_EM: f64 = 0.6;
const COLUMN_GAP_EM: f64 = 1.6;
const ROW_GAP_EM: f64 = 0.22;
const MOST_LINES: usize = 3;
const MOST_COLUMNS: usize = 4;

impl<'a> Sample<'a> {
    pub fn name(&self) -> &'a str {
        match self {
            Self::Line(line) => &line.name,
            Self::Bars(bars) => &bars.name,
            Self::Kind(kind) => &kind.name,
            Self::Reference(line) => &line.name,
        }
    }

    /// Returns the details after the name; mostly empty.
    pub fn detail<'b>(&self, figure: &'b Figure) -> &'b str {
        figure.details.get(self.name()).map_or("", String::as_str)
    }
}

struct Content<'a> {
    entries: Vec<Entry<'a>>,
    /// Samples side by side in a row.
    shades: usize,
    /// The first and the last level of lines by round.
    levels: Option<[String; 2]>,
}

struct Entry<'a> {
    /// The samples with their places among those side by side.
    samples: Vec<(Sample<'a>, usize)>,
    name: String,
    detail: &'a str,
}

impl<'a> Content<'a> {
    /// Returns a row for each sample; of lines by round, one for each arm with the shades of its trainings.
    fn new(figure: &'a Figure) -> Self {
        let Some(rounds) = Rounds::new(figure) else {
            let entry = |sample: Sample<'a>| Entry {
                samples: vec![(sample, 0)],
                name: figure.legend_name(sample.name()).into_owned(),
                detail: sample.detail(figure),
            };
            return Self {
                entries: samples(figure).into_iter().map(entry).collect(),
                shades: 1,
                levels: None,
            };
        };
        let place = |number: &usize| rounds.levels.iter().position(|(known, _)| known == number);
        let entry = |row: &RoundRow<'a>| {
            let sample = |(number, index): (&usize, &usize)| {
                Some((Sample::Line(&figure.lines[*index]), place(number)?))
            };
            let samples: Vec<_> = row.cells.iter().filter_map(sample).collect();
            let details = samples.iter().map(|(sample, _)| sample.detail(figure));
            let detail = details.into_iter().find(|detail| !detail.is_empty()).unwrap_or_default();
            Entry { name: rounds.name(row, figure), detail, samples }
        };
        let levels = rounds.levels.first().zip(rounds.levels.last()).filter(|_| rounds.is_common);
        Self {
            entries: rounds.rows.iter().map(entry).collect(),
            shades: rounds.levels.len(),
            levels: levels.map(|(first, last)| [first.1.clone(), last.1.clone()]),
        }
    }

    fn samples(&self, font: f64) -> f64 {
        if self.shades == 1 {
            return SAMPLE_EM * font;
        }
        let level = |text: &String| width(text, font, Weight::Regular);
        let levels = self
            .levels
            .as_ref()
            .map_or(0.0, |ends| ends.iter().map(level).sum::<f64>() + LEVEL_GAP_EM * font);
        (self.shades as f64 * SHADE_EM * font).max(levels)
    }
}

/// Returns all samples with a name, in the order of the figure; the first of several with one name.
pub fn samples(figure: &Figure) -> Vec<Sample<'_>> {
    // Runs across axes have the colours of their results.
    let lines = figure.lines.iter().filter(|_| figure.parallel.is_empty()).map(Sample::Line);
    let bars = figure.bars.iter().map(Sample::Bars);
    let kinds = figure.cells.iter().flat_map(|cells| &cells.kinds).filter(|kind| kind.is_in_legend());
    let references = figure.reference_lines.iter().map(Sample::Reference);
    let all = lines.chain(bars).chain(kinds.map(Sample::Kind)).chain(references);
    let mut seen = BTreeSet::new();
    all.filter(|sample| !sample.name().trim().is_empty() && seen.insert(sample.name())).collect()
}

/// Sizes of the text of a legend, in ems: a long one gets smaller.
const SIZES: [f64; 4] = [1.0, 0.9, 0.8, 0.7];

/// Lays out a legend within a width and a height. If it is too high, its text gets smaller; then rows are left out.
pub fn limited<'a>(
    figure: &'a Figure,
    options: &Options,
    arrangement: Arrangement,
    [width, height]: [f64; 2],
) -> Legend<'a> {
    let font = options.size.font_pt;
    let content = Content::new(figure);
    let of = |kept: usize, size: f64| match arrangement {
        Arrangement::Column => set(&content, kept, (size * font, options.notes), width, 1),
        Arrangement::Columns => columns(&content, kept, (size * font, options.notes), width),
    };
    let all = content.entries.len();
    let fits = |legend: &Legend<'_>| legend.height <= height;
    // Thousands of rows are not laid out to see that they are too high: each has a line at least.
    let can_fit = |kept: usize, size: f64| {
        let rows = kept.div_ceil(if arrangement == Arrangement::Column { 1 } else { MOST_COLUMNS }) as f64;
        let least = (rows * (LINE_HEIGHT + ROW_GAP_EM) - ROW_GAP_EM) * size * font;
        least <= height + 1e-6 // sums of many rows are rounded
    };
    let sizes = SIZES.into_iter().filter(|size| can_fit(all, *size));
    if let Some(legend) = sizes.map(|size| of(all, size)).find(fits) {
        return legend;
    }
    let smallest = SIZES[SIZES.len() - 1];
    let shorter = (1..all).rev().filter(|kept| can_fit(*kept, smallest));
    let shorter = shorter.map(|kept| (kept, of(kept, smallest))).find(|(_, legend)| fits(legend));
    let (kept, shorter) = shorter.unwrap_or_default();
    Legend { omitted: all - kept, ..shorter }
}

/// Lays it out in as many columns as show all names on one line, otherwise in one.
fn columns<'a>(content: &Content<'a>, kept: usize, (font, has_notes): (f64, bool), limit: f64) -> Legend<'a> {
    let entries = &content.entries[..kept];
    let detail = |entry: &Entry<'a>| if has_notes { entry.detail } else { "" };
    let texts = entries.iter().flat_map(|entry| [entry.name.as_str(), detail(entry)]);
    let widest = texts.map(|text| width(text, font, Weight::Regular)).fold(0.0, f64::max);
    let needed = widest + content.samples(font) + SAMPLE_GAP_EM * font;
    let most = MOST_COLUMNS.min(kept);
    let count = (2..=most).rev().find(|count| needed <= column_width(limit, font, *count)).unwrap_or(1);
    set(content, kept, (font, has_notes), limit, count)
}

fn column_width(limit: f64, font: f64, columns: usize) -> f64 {
    let columns = columns as f64;
    (limit - (columns - 1.0) * COLUMN_GAP_EM * font) / columns
}

/// Lays it out in columns, down which the rows run.
fn set<'a>(
    content: &Content<'a>,
    kept: usize,
    (font, has_notes): (f64, bool),
    limit: f64,
    columns: usize,
) -> Legend<'a> {
    let shown = content.samples(font);
    let indent = shown + SAMPLE_GAP_EM * font;
    let space = column_width(limit, font, columns) - indent;
    let mut legend = Legend { font, ..Legend::default() };
    let mut x = 0.0;
    for chunk in content.entries[..kept].chunks(kept.div_ceil(columns).max(1)) {
        let (mut y, mut widest) = (0.0, 0.0_f64);
        if let Some(levels) = &content.levels {
            legend.rows.extend(level_rows(levels, [x, x + shown], font));
            y += (LINE_HEIGHT + ROW_GAP_EM) * font;
        }
        for entry in chunk {
            let mut lines = fit(&entry.name, font, Weight::Regular, space, MOST_LINES);
            let name_lines = lines.len();
            if has_notes {
                lines.extend(fit(entry.detail, font, Weight::Regular, space, MOST_LINES));
            }
            widest = lines.iter().map(|line| width(line, font, Weight::Regular)).fold(widest, f64::max);
            let step = shown / content.shades as f64;
            let gap = if content.shades > 1 { SHADE_GAP_EM * font } else { 0.0 };
            let ends = |place: usize| [x + place as f64 * step, x + (place + 1) as f64 * step - gap];
            let samples = entry.samples.iter().map(|(sample, place)| (*sample, ends(*place))).collect();
            let (middle, base) = (y + font * LINE_HEIGHT / 2.0, base_line(y, font));
            y += (lines.len() as f64 * LINE_HEIGHT + ROW_GAP_EM) * font;
            legend.rows.push(LegendRow { samples, middle, text: [x + indent, base], lines, name_lines });
        }
        legend.width = x + indent + widest;
        legend.height = legend.height.max(y - ROW_GAP_EM * font);
        x = legend.width + COLUMN_GAP_EM * font;
    }
    legend
}

fn base_line(top: f64, font: f64) -> f64 {
    top + font * (LINE_HEIGHT + CAP_HEIGHT) / 2.0
}

/// Returns the first and the last level above the samples of their column, in a muted colour.
fn level_rows<'a>([first, last]: &[String; 2], [left, right]: [f64; 2], font: f64) -> [LegendRow<'a>; 2] {
    let row = |text: &String, x: f64| LegendRow {
        samples: Vec::new(),
        middle: font * LINE_HEIGHT / 2.0,
        text: [x, base_line(0.0, font)],
        lines: vec![text.clone()],
        name_lines: 0,
    };
    [row(first, left), row(last, right - SHADE_GAP_EM * font - width(last, font, Weight::Regular))]
}

/// The lines of a figure by arm and training.
#[derive(Debug)]
pub struct Rounds<'a> {
    pub levels: Vec<(usize, String)>,
    pub rows: Vec<RoundRow<'a>>,
    /// True if all arms have the same level in the same training.
    pub is_common: bool,
}

#[derive(Debug)]
pub struct RoundRow<'a> {
    /// The subject of its lines: "winning ticket", "winning ticket, validation".
    pub of: &'a str,
    /// The indices of its lines by training.
    pub cells: BTreeMap<usize, usize>,
}

impl<'a> Rounds<'a> {
    /// Returns the table; `None` where lines are not by round, or where a list is as short.
    pub fn new(figure: &'a Figure) -> Option<Self> {
        if !figure.reference_lines.is_empty() {
            return None;
        }
        let (mut levels, mut is_common) = (BTreeMap::new(), true);
        let mut rows: Vec<RoundRow<'_>> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, line) in figure.lines.iter().enumerate() {
            let round = line.round.as_ref()?;
            let level = levels.entry(round.number).or_insert_with(|| round.level());
            is_common &= *level == round.level();
            let place = *places.entry(&round.of).or_insert(rows.len());
            if place == rows.len() {
                rows.push(RoundRow { of: &round.of, cells: BTreeMap::new() });
            }
            rows[place].cells.insert(round.number, index);
        }
        let is_table = rows.len() > 1 && levels.len() > 1;
        is_table.then(|| Self { levels: levels.into_iter().collect(), rows, is_common })
    }

    /// Names an arm, with its first and last level where those of the arms differ.
    pub fn name(&self, row: &RoundRow<'_>, figure: &Figure) -> String {
        let level = |index: &usize| figure.lines[*index].round.as_ref().map(super::model::LineRound::level);
        let first = row.cells.values().next().and_then(level);
        let last = row.cells.values().next_back().and_then(level);
        match first.zip(last).filter(|_| !self.is_common) {
            Some((first, last)) if first == last => format!("{}, {first}", row.of),
            Some((first, last)) => format!("{}, {first} to {last}", row.of),
            None => row.of.to_owned(),
        }
    }
}

impl RoundRow<'_> {
    /// Counts the seeds that are done while others are to come: "2 of 3", as of the training that the fewest have reached.
    pub fn seeds(&self, figure: &Figure) -> String {
        let lines = self.cells.values().map(|index| &figure.lines[*index]);
        let fewest = lines.filter(|line| line.seeds.is_some());
        let fewest = fewest.min_by_key(|line| line.seeds.map(|seeds| seeds.done));
        fewest.map(Line::seeds_text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LineRound;
    use crate::style_of;

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
        let columns = |figure, limit| columns(&Content::new(figure), 4, (8.0, true), limit);
        let legend = columns(&figure, 400.0);
        assert!(legend.rows.iter().all(|row| row.middle < 8.0), "one line of four columns");
        assert!(legend.width <= 400.0);
        assert!(columns(&figure, 60.0).height > 3.0 * legend.height);
    }

    #[test]
    fn long_names_are_wrapped_in_a_narrow_column() {
        let name = "winning ticket, reset to its initial weights after each round, pruned per layer, seed";
        let figure = figure(&[name]);
        let legend = set(&Content::new(&figure), 2, (8.0, true), 140.0, 1);
        assert!((2..=3).contains(&legend.rows[0].lines.len()));
        assert!(legend.width <= 140.0 && legend.rows[1].text[1] > legend.rows[0].text[1] + 16.0);
    }

    #[test]
    fn what_tells_arms_apart_stands_below_their_names() {
        let mut figure = figure(&["a", "b"]);
        figure.details.insert("b".to_owned(), "rate 0.1".to_owned());
        let of = |has_notes| set(&Content::new(&figure), 3, (8.0, has_notes), 140.0, 1);
        let legend = of(true);
        let shown: Vec<_> = legend.rows.iter().map(|row| (row.lines.join("|"), row.name_lines)).collect();
        assert_eq!(shown[..2], [("a".to_owned(), 1), ("b|rate 0.1".to_owned(), 1)]);
        assert!(of(false).rows.iter().all(|row| row.lines.len() == 1), "notes can be left out");
    }

    #[test]
    fn a_figure_without_names_has_no_legend() {
        let empty = Figure::default();
        let nothing = columns(&Content::new(&empty), 0, (8.0, true), 200.0);
        assert_eq!((nothing.rows.len(), nothing.height <= 0.0), (0, true));
    }

    #[test]
    fn lines_by_round_have_a_row_for_each_arm_below_the_first_and_the_last_level() {
        let mut by_round = Figure::default();
        for (arm, number) in (0..6).flat_map(|arm| (1..=4).map(move |number| (arm, number))) {
            let round = LineRound {
                arm: format!("arm {arm}"),
                of: format!("arm {arm}"),
                number,
                remaining: Some(1.0 / number as f64),
            };
            let name = format!("arm {arm}, {}", round.level());
            let style = style_of(arm).with_shade(number as f64 / 4.0);
            by_round.lines.push(Line { round: Some(round), ..Line::new(&name, style, Vec::new()) });
        }
        let options = Options::default();
        let legend = limited(&by_round, &options, Arrangement::Column, [120.0, 80.0]);
        let texts: Vec<&str> = legend.rows.iter().flat_map(|row| &row.lines).map(String::as_str).collect();
        assert_eq!(texts[..4], ["100 %", "25.0 %", "arm 0", "arm 1"]);
        assert_eq!((texts.len(), legend.omitted), (8, 0));
        assert!(legend.rows[2..].iter().all(|row| row.samples.len() == 4));
        let ends: Vec<[f64; 2]> = legend.rows[2].samples.iter().map(|(_, ends)| *ends).collect();
        assert!(ends.windows(2).all(|two| two[0][1] < two[1][0]), "side by side: {ends:?}");
        assert!(legend.height < 80.0 && legend.width <= 120.0, "{} × {}", legend.width, legend.height);
        by_round.lines[3].round.as_mut().unwrap().remaining = Some(0.1);
        let legend = limited(&by_round, &options, Arrangement::Column, [200.0, 80.0]);
        assert_eq!(
            legend.rows[0].lines,
            ["arm 0, 100 % to 10.0 %"],
            "levels that differ are beside the names"
        );
    }

    #[test]
    fn of_many_rows_as_many_are_shown_as_a_search_from_the_last_one_finds() {
        let name = |number: usize| format!("{number}{}", " long name".repeat(number * number % 11));
        let names: Vec<String> = (0..60).map(name).collect();
        let figure = figure(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let (content, options) = (Content::new(&figure), Options::default());
        for (arrangement, height) in [(Arrangement::Column, 90.0), (Arrangement::Columns, 90.0)] {
            let of = |kept: usize, size: f64| {
                let text = (size * options.size.font_pt, options.notes);
                match arrangement {
                    Arrangement::Column => set(&content, kept, text, 300.0, 1),
                    Arrangement::Columns => columns(&content, kept, text, 300.0),
                }
            };
            let wanted = (1..content.entries.len()).rev().map(|kept| (kept, of(kept, 0.7)));
            let (kept, wanted) = wanted.into_iter().find(|(_, legend)| legend.height <= height).unwrap();
            let found = limited(&figure, &options, arrangement, [300.0, height]);
            assert_eq!(found, Legend { omitted: content.entries.len() - kept, ..wanted });
        }
    }
}
