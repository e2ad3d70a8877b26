//! The values in a legend: those of a reading, or the last ones.

use std::collections::BTreeMap;

use super::areas::{AreaReading, AreaRow};
use super::line_menu::named;
use super::reading::{Reading, ReadingRow, last};
use crate::text::shortened;
use figure::legend::Sample;
use figure::model::{At, Figure, ReferenceLine};
use figure::palette::Theme;
use results::number::{Digits, Format, readable, without_zeros};
use results::statistics::Spread;
use results::table::{Delta, LineFacts};

/// The most letters of the baseline's name at the head of the differences.
const LONGEST_NAME: usize = 12;

/// The values in a legend: those at the pointer, or the last ones.
pub struct Table<'a> {
    figure: &'a Figure,
    header: String,
    heads: Vec<String>,
    /// Whether means have fewer seeds than planned.
    counts_seeds: bool,
    /// Of a pinned reading, what the arms of lines have in the columns of the table of runs.
    facts: Option<&'a LineFacts>,
    rows: Vec<ReadingRow>,
    /// The places of lines in the rows.
    places: BTreeMap<usize, usize>,
    digits: Digits,
    /// The first reference line with a level.
    reference: Option<(&'a ReferenceLine, f64)>,
}

impl<'a> Table<'a> {
    /// The table of a reading; of the last values without one.
    pub fn of(
        figure: &'a Figure,
        reading: Option<Reading>,
        is_hidden: impl Fn(&str) -> bool,
        spread: Spread,
        is_pinned: bool,
    ) -> Self {
        let facts = is_pinned.then_some(&figure.facts);
        let header = reading
            .as_ref()
            .map_or_else(|| figure.values_shown().to_owned(), |reading| place(figure, reading.x));
        let rows = reading.map_or_else(|| last(figure, &is_hidden), |reading| reading.rows);
        let mut levels = figure.reference_lines.iter().filter(|line| !is_hidden(&line.name));
        let level = |at: At| if let At::Y(y) = at { Some(y) } else { None };
        let reference = levels.find_map(|line| Some((line, level(line.at)?)));
        let name = |(line, _): (&ReferenceLine, f64)| format!("Δ {}", shortened(&line.name, LONGEST_NAME));
        let difference = reference.map_or_else(|| "Δ".to_owned(), name);
        let values = rows.iter().map(|row| row.point[1]).chain(reference.map(|(_, level)| level));
        let digits = Digits::of(values, figure.y.format);
        let are_means = rows.iter().any(|row| row.count.is_some_and(|count| count > 1));
        let width = match spread {
            Spread::Interval95 => "95 % CI",
            Spread::StandardDeviation => "SD",
            Spread::StandardError => "SE",
            Spread::MinMax => "range",
            Spread::None => "",
        };
        let value = if are_means { "mean" } else { "value" };
        let more = facts.iter().flat_map(|facts| facts.heads.iter().cloned());
        let counts_seeds = rows.iter().any(|row| !figure.lines[row.line].seeds_text().is_empty());
        let seeds = counts_seeds.then_some("seeds");
        let heads = [value, width].map(str::to_owned).into_iter().chain([difference]);
        let heads = heads.chain(seeds.map(str::to_owned)).chain(more).collect();
        let places = rows.iter().enumerate().map(|(place, row)| (row.line, place)).collect();
        Self { figure, header, heads, counts_seeds, facts, rows, places, digits, reference }
    }

    /// Where the values are.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// What the columns are called.
    pub fn heads(&self) -> &[String] {
        &self.heads
    }

    /// Whether the settings and results of a pinned reading follow the values.
    pub const fn has_facts(&self) -> bool {
        self.facts.is_some()
    }

    /// The value, its interval, the difference to the reference line, and the seeds, then the settings and results of a pinned reading;
    /// empty where there is none.
    pub fn cells(&self, sample: &Sample<'_>) -> Vec<String> {
        let mut cells = self.values(sample).to_vec();
        if self.counts_seeds {
            cells.push(if let Sample::Line(line) = sample { line.seeds_text() } else { String::new() });
        }
        if let Some(facts) = self.facts {
            let of_arm = named(&facts.names, sample.name()).map(|arm| facts.cells[arm].clone());
            cells.extend(of_arm.unwrap_or_default());
        }
        cells.resize(self.heads.len(), String::new());
        cells
    }

    /// The value of the line with this index; empty where there is none.
    pub fn value(&self, line: usize) -> String {
        self.places.get(&line).map_or_else(String::new, |place| self.bare(self.rows[*place].point[1]))
    }

    fn values(&self, sample: &Sample<'_>) -> [String; 3] {
        match sample {
            Sample::Line(line) => {
                let own = |row: &&ReadingRow| std::ptr::eq(&raw const self.figure.lines[row.line], *line);
                self.rows.iter().find(own).map(|row| self.of_row(row)).unwrap_or_default()
            }
            Sample::Reference(line) => match line.at {
                At::Y(y) => [self.bare(y), self.interval(y, line.spread), String::new()],
                At::X(_) => Default::default(),
            },
            Sample::Bars(_) | Sample::Kind(_) => Default::default(),
        }
    }

    fn of_row(&self, row: &ReadingRow) -> [String; 3] {
        let value = row.point[1];
        let difference = self.reference.map(|(reference, level)| self.difference(row, reference, level));
        [self.bare(value), self.interval(value, row.band), difference.unwrap_or_default()]
    }

    /// The difference to the reference line over the seeds that both have. A figure without values by seed has the difference
    /// of the means.
    fn difference(&self, row: &ReadingRow, reference: &ReferenceLine, level: f64) -> String {
        let line = &self.figure.lines[row.line];
        let is_it = |point: &[f64; 2]| point.map(f64::to_bits) == row.point.map(f64::to_bits);
        let nth = line.points.iter().rposition(is_it).unwrap_or_default();
        let found = line.difference(nth, reference);
        let mean = found.difference().map_or(row.point[1] - level, |found| found.mean);
        let sign = if mean >= 0.0 { "+" } else { "" };
        let remark = if matches!(found, Delta::Unpaired(_)) { " unpaired" } else { "" };
        format!("{sign}{}{remark}", self.bare(mean))
    }

    fn bare(&self, value: f64) -> String {
        self.digits.bare(value)
    }

    fn interval(&self, value: f64, band: Option<[f64; 2]>) -> String {
        band.map_or_else(String::new, |ends| self.figure.interval_text(value, ends, self.digits))
    }

    /// The same for a popup, with the settings and results of a pinned reading.
    pub fn reading(&self, theme: Theme) -> AreaReading {
        let row = |row: &ReadingRow| {
            let line = &self.figure.lines[row.line];
            let [value, interval, _] = self.of_row(row);
            let value = format!("{value} {interval}").trim_end().to_owned();
            AreaRow::of(&line.name, &line.name, Some(line.style.rgb(theme)), value)
        };
        AreaReading {
            title: self.header.clone(),
            rows: self.rows.iter().map(row).collect(),
            heads: Vec::new(),
        }
        .with_facts(self.figure)
    }

    /// All of it in words, for screen readers.
    pub fn spoken(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            let name = &self.figure.lines[row.line].name;
            let seeds = self.figure.lines[row.line].seeds_text();
            let seeds = if seeds.is_empty() { seeds } else { format!(", {seeds} seeds") };
            let facts = self.facts.and_then(|facts| Some((facts, named(&facts.names, name)?)));
            let facts: String = facts.map_or_else(String::new, |(facts, arm)| {
                let pairs = facts.heads.iter().zip(&facts.cells[arm]).filter(|(_, cell)| !cell.is_empty());
                pairs.fold(String::new(), |all, (head, cell)| format!("{all}, {head} {cell}"))
            });
            let [value, interval, difference] = self.of_row(row);
            let difference = if difference.is_empty() { difference } else { format!(", Δ {difference}") };
            let text = format!("{name} {value} {interval}");
            format!("{}{difference}{seeds}{facts}", text.trim_end())
        });
        let references = self.figure.reference_lines.iter().map(|line| {
            let [value, interval, _] = self.values(&Sample::Reference(line));
            format!("{} {value} {interval}", line.name)
        });
        let parts: Vec<String> = rows.chain(references).map(|part| part.trim_end().to_owned()).collect();
        format!("{}: {}", self.header, parts.join("; "))
    }
}

/// Where a reading is: "at 21.0 % weights remaining".
fn place(figure: &Figure, x: f64) -> String {
    let title = &figure.x.title;
    let mut letters = title.chars();
    let lower: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    format!("at {} {lower}", value_of_x(figure, x))
}

/// A value of x with its unit.
pub fn value_of_x(figure: &Figure, x: f64) -> String {
    let text = match figure.x.format {
        Format::Percent => {
            let text = format!("{} %", results::number::fixed(100.0 * x, 1));
            text.replace(".0 %", " %")
        }
        Format::Number | Format::Power => without_zeros(&readable(x, figure.x.format)).to_owned(),
    };
    if figure.x.unit.is_empty() { text } else { format!("{text} {}", figure.x.unit) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::reading::{ReadingPlace, read};
    use figure::model::{Line, Seeds};
    use figure::{Axis, style_of};
    use results::statistics::Band;

    #[test]
    fn seeds_are_counted_while_some_are_to_come() {
        let mut line = Line::new("ticket", style_of(1), vec![[1.0, 0.5]]);
        line.seeds = Some(Seeds { done: 2, planned: 3, running: 1 });
        let figure = |line: &Line| Figure { lines: vec![line.clone()], ..Figure::default() };
        let shown = figure(&line);
        let table = Table::of(&shown, None, |_| false, Spread::Interval95, false);
        assert_eq!(table.heads()[3..], ["seeds"]);
        assert_eq!(table.cells(&Sample::Line(&shown.lines[0]))[3], "2 of 3");
        assert!(table.spoken().ends_with("2 of 3 seeds"), "{}", table.spoken());
        line.seeds = None;
        let done = figure(&line);
        assert_eq!(Table::of(&done, None, |_| false, Spread::Interval95, false).heads().len(), 3);
    }

    #[test]
    fn a_table_has_means_intervals_and_differences_and_ends_without_a_pointer() {
        let mut line = Line::new("ticket", style_of(1), vec![[0.512, 0.981], [0.21, 0.9822]]);
        line.band =
            line.points.iter().map(|[x, y]| Band { x: *x, low: y - 0.0018, high: y + 0.0018 }).collect();
        line.counts = vec![3, 3];
        let reference = ReferenceLine::level("dense", 0.9802, None).with_spread(Some([0.9792, 0.9812]));
        let figure = Figure {
            x: Axis { reversed: true, ..Axis::percent("Weights remaining") },
            y: Axis::percent("Accuracy"),
            lines: vec![line],
            reference_lines: vec![reference],
            ..Figure::default()
        };
        let reading = read(&figure, &[false], |_| false, ReadingPlace { x: 0.21, per_point: 0.001 }).unwrap();
        let table = Table::of(&figure, Some(reading), |_| false, Spread::Interval95, false);
        assert_eq!(table.header(), "at 21 % weights remaining");
        assert_eq!(table.heads(), ["mean", "95 % CI", "Δ dense"]);
        assert_eq!(table.cells(&Sample::Line(&figure.lines[0])), ["98.22", "± 0.18", "+0.20"]);
        assert_eq!(table.cells(&Sample::Reference(&figure.reference_lines[0])), ["98.02", "± 0.10", ""]);
        let table = Table::of(&figure, None, |_| false, Spread::Interval95, false);
        assert_eq!(table.spoken(), "last values: ticket 98.22 ± 0.18, Δ +0.20; dense 98.02 ± 0.10");
    }

    #[test]
    fn a_difference_is_over_the_seeds_that_both_have() {
        let line = Line {
            by_seed: vec![vec![(2, 0.91), (3, 0.93)]],
            ..Line::new("ticket", style_of(1), vec![[0.5, 0.92]])
        };
        let level = ReferenceLine {
            by_seed: vec![(1, 0.99), (2, 0.9)],
            ..ReferenceLine::level("dense", 0.945, None)
        };
        let y = Axis::percent("Accuracy");
        let mut figure = Figure { y, lines: vec![line], reference_lines: vec![level], ..Figure::default() };
        let of = |figure: &Figure| {
            let table = Table::of(figure, None, |_| false, Spread::Interval95, false);
            table.cells(&Sample::Line(&figure.lines[0]))[2].clone()
        };
        assert_eq!(of(&figure), "+1.00", "seed 2 alone is in both");
        figure.reference_lines[0].by_seed.pop();
        assert_eq!(of(&figure), "\u{2212}7.00 unpaired");
    }
}
