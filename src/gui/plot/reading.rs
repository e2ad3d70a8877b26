//! Readings of curves: the values of all lines at one x, as the legend shows them.

use std::collections::BTreeSet;

use eframe::egui::{Align2, FontId, Painter, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};
use egui_plot::{PlotPoint, PlotTransform};

use super::legend::named;
use super::navigate::{ShownPlot, view_of};
use super::scene::EM;
use crate::text::shortened;
use crate::theme::{SMALL, colour};
use doc::capitalised;
use doc::plan::words::uncapitalised;
use figure::axis::{Axis, ends_of};
use figure::legend::Sample;
use figure::model::{At, FILLED, Figure, Line, ReferenceLine, stacks};
use figure::palette::{Marker, Theme};
use figure::scene::ends::last_of;
use figure::scene::{Ink, Item, LINE, Mark, Pen};
use results::number::{Digits, Format, readable, without_zeros};
use results::statistics::Spread;
use results::table::{Delta, LineFacts};

/// A line's own point counts as being at the pointer's x up to this distance, in points.
const REACH: f64 = 12.0;

/// The values of all lines at one x.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The x of the nearest point of any line.
    pub x: f64,
    pub rows: Vec<ReadingRow>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReadingRow {
    pub line: usize,
    pub point: [f64; 2],
    pub band: Option<[f64; 2]>,
    /// The number of runs with a value there; `None` for a line that is no mean.
    pub count: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub struct ReadingPlace {
    pub x: f64,
    /// The width of a point on the screen, in places of x.
    pub per_point: f64,
}

/// Reads off the lines near a place. Only measured values are shown, nothing is interpolated. `forward` says for each
/// line of the figure whether all of it goes forward along x, which allows a binary search.
pub fn read(
    figure: &Figure,
    forward: &[bool],
    is_hidden: impl Fn(&str) -> bool,
    at: ReadingPlace,
) -> Option<Reading> {
    let all = figure.lines.iter().enumerate();
    let all = all.map(|(index, line)| (index, line, forward.get(index).copied().unwrap_or_default()));
    let shown: Vec<(usize, &Line, bool)> = all.filter(|(_, line, _)| !is_hidden(&line.name)).collect();
    let candidates =
        shown.iter().filter_map(|(_, line, forward)| nearest(figure, &line.points, *forward, at.x));
    let found = candidates.min_by(|a, b| a.distance.total_cmp(&b.distance))?;
    let x = found.point[0];
    let at = ReadingPlace { x: figure.x.scale.forward(x)?, ..at };
    let rows = shown.iter().filter_map(|(index, line, forward)| row(figure, (*index, line), *forward, at));
    Some(Reading { x, rows: rows.collect() })
}

/// Returns the values without a pointer: the best one of a line over a setting, the last one of any other.
pub fn last(figure: &Figure, is_hidden: impl Fn(&str) -> bool) -> Vec<ReadingRow> {
    let shown = figure.lines.iter().enumerate().filter(|(_, line)| !is_hidden(&line.name));
    let row = |(index, line): (usize, &Line)| {
        let (point, band) = line.best_value().or_else(|| last_of(figure, line))?;
        Some(ReadingRow { line: index, point, band, count: line.counts.iter().max().copied() })
    };
    shown.filter(|(_, line)| line.names.is_empty()).filter_map(row).collect()
}

fn row(
    figure: &Figure,
    (index, line): (usize, &Line),
    forward: bool,
    at: ReadingPlace,
) -> Option<ReadingRow> {
    let is_near = |found: &Nearest| found.is_inside || found.distance <= REACH * at.per_point;
    let found = nearest(figure, &line.points, forward, at.x).filter(is_near)?;
    let x = found.point[0];
    let first = if forward { line.band.partition_point(|band| band.x < x) } else { 0 };
    let band = line.band[first..].iter().find(|band| band.x.total_cmp(&x).is_eq());
    Some(ReadingRow {
        line: index,
        point: found.point,
        band: band.map(|band| [band.low, band.high]),
        count: line.counts.get(found.index).copied(),
    })
}

/// The point of a line nearest to a place.
struct Nearest {
    distance: f64,
    point: [f64; 2],
    index: usize,
    /// True if the line has points on both sides of the place.
    is_inside: bool,
}

/// Returns the last of the points at the same distance. Points without a place on the axes are skipped.
fn nearest(figure: &Figure, points: &[[f64; 2]], forward: bool, place: f64) -> Option<Nearest> {
    let x = figure.x.scale.inverse(place);
    let distance = |point: &[f64; 2]| {
        figure.y.scale.forward(point[1])?;
        figure.x.scale.forward(point[0]).map(|own| (own - place).abs())
    };
    let all = || points.iter().enumerate().filter_map(|(index, point)| Some((index, distance(point)?)));
    let last_of_nearest = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
    let (index, distance) = if forward {
        let split = points.partition_point(|point| point[0] < x);
        let first = |index: usize| Some((index, distance(&points[index])?));
        let left = (0..split).rev().find_map(first);
        let right = (split..points.len()).find_map(first).map(|(index, found)| {
            let same = points[index..].iter().take_while(|point| point[0] <= points[index][0]);
            let last = same.enumerate().filter(|(_, point)| distance(point).is_some()).last();
            (index + last.map_or(0, |(offset, _)| offset), found)
        });
        left.into_iter().chain(right).min_by(last_of_nearest)?
    } else {
        all().min_by(last_of_nearest)?
    };
    let is_inside = if forward {
        points.first().is_some_and(|first| first[0] <= x) && points.last().is_some_and(|last| last[0] >= x)
    } else {
        points.iter().any(|point| point[0] <= x) && points.iter().any(|point| point[0] >= x)
    };
    Some(Nearest { distance, point: points[index], index, is_inside })
}

/// Paints a dotted line at the x of a reading, hollow marks at the lines and, with a painter around the plot, the value of x
/// in a box on the axis.
pub fn reading_ui(
    (painter, around): (&Painter, Option<&Painter>),
    figure: &Figure,
    reading: &Reading,
    transform: &PlotTransform,
    theme: Theme,
) {
    let Some(x) = figure.x.scale.forward(reading.x) else { return };
    let frame = *transform.frame();
    let across = transform.position_from_point_x(x);
    if !(frame.left() - 0.5..=frame.right() + 0.5).contains(&across) {
        return;
    }
    let ends = [pos2(across, frame.top()), pos2(across, frame.bottom())];
    painter.extend(Shape::dotted_line(&ends, colour(theme.muted()), 3.5, 0.8));
    let hollow = reading.rows.iter().filter_map(|row| {
        let style = figure.lines[row.line].style.with_marker();
        let [x, y] = row.point;
        let place = PlotPoint { x: figure.x.scale.forward(x)?, y: figure.y.scale.forward(y)? };
        let at = transform.position_from_point(&place);
        let own = Ink::new(style.rgb(theme));
        let (ink, marker) =
            if style.marker.has_strokes() { (own, Marker::Circle) } else { (own, style.marker) };
        let rim = Pen::new(ink, LINE * EM);
        let at = [f64::from(at.x), f64::from(at.y)];
        let mark = Mark { marker, at, radius: 0.36 * EM, ink: Ink::new(theme.ground()), rim };
        Some(figure::scene::Shape::Mark(mark).plain())
    });
    super::painter::paint(painter, &hollow.collect::<Vec<Item>>());
    let Some(around) = around else { return };
    let text = value_of_x(figure, reading.x);
    let galley = around.layout_no_wrap(text, FontId::proportional(SMALL), colour(theme.ground()));
    let size = galley.size() + vec2(12.0, 4.0);
    let place = Align2::CENTER_TOP.anchor_size(pos2(across, frame.bottom() + 2.0), size);
    let limits = around.clip_rect();
    let shift = (limits.left() - place.left()).max(0.0) - (place.right() - limits.right()).max(0.0);
    let place = place.translate(vec2(shift, 0.0));
    around.rect_filled(place, 3.0, colour(theme.ink()));
    around.galley(place.min + vec2(6.0, 2.0), galley, colour(theme.ground()));
}

/// The most letters of the baseline's name at the head of the differences.
const LONGEST_NAME: usize = 12;

/// The values in a legend: those at the pointer, or the last ones.
pub struct Table<'a> {
    figure: &'a Figure,
    /// The place of the values: "at 5 epochs trained".
    pub header: String,
    /// The names of the columns.
    pub heads: Vec<String>,
    /// True if means have fewer seeds than planned.
    counts_seeds: bool,
    /// Of a pinned reading, what the arms of lines have in the columns of the table of runs.
    pub facts: Option<&'a LineFacts>,
    rows: Vec<ReadingRow>,
    digits: Digits,
    /// The first reference line with a level.
    reference: Option<(&'a ReferenceLine, f64)>,
}

impl<'a> Table<'a> {
    /// Returns the table of a reading; of the last values without one.
    pub fn new(
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
        let name = reference.map_or_else(String::new, |(line, _)| shortened(&line.name, LONGEST_NAME));
        let difference = format!("Δ {name}").trim_end().to_owned();
        let values = rows.iter().map(|row| row.point[1]).chain(reference.map(|(_, level)| level));
        let digits = Digits::new(values, figure.y.format);
        let are_means = rows.iter().any(|row| row.count.is_some_and(|count| count > 1));
        let width = match spread {
            Spread::Interval95 => "95 % CI",
            Spread::StandardDeviation => "SD",
            Spread::StandardError => "SE",
            Spread::MinMax => "range",
            Spread::None => "",
        };
        let value = if are_means { "mean" } else { "value" };
        let counts_seeds = rows.iter().any(|row| !figure.lines[row.line].seeds_text().is_empty());
        let mut heads = vec![value.to_owned(), width.to_owned(), difference];
        heads.extend(counts_seeds.then(|| "seeds".to_owned()));
        heads.extend(facts.iter().flat_map(|facts| facts.heads.iter().cloned()));
        Self { figure, header, heads, counts_seeds, facts, rows, digits, reference }
    }

    /// Returns the value, its interval, difference and seeds, then the settings and results of a pinned reading, or empty
    /// texts.
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

    /// Returns the value of the line with this index; empty where there is none.
    pub fn value(&self, line: usize) -> String {
        let row = self.rows.iter().find(|row| row.line == line);
        row.map_or_else(String::new, |row| self.digits.bare(row.point[1]))
    }

    fn values(&self, sample: &Sample<'_>) -> [String; 3] {
        match sample {
            Sample::Line(line) => {
                let own = |row: &&ReadingRow| std::ptr::eq(&raw const self.figure.lines[row.line], *line);
                self.rows.iter().find(own).map(|row| self.of_row(row)).unwrap_or_default()
            }
            Sample::Reference(line) => match line.at {
                At::Y(y) => [self.digits.bare(y), self.interval(y, line.spread), String::new()],
                At::X(_) => Default::default(),
            },
            Sample::Bars(_) | Sample::Kind(_) => Default::default(),
        }
    }

    fn of_row(&self, row: &ReadingRow) -> [String; 3] {
        let value = row.point[1];
        let difference = self.reference.map(|(reference, level)| self.difference(row, reference, level));
        [self.digits.bare(value), self.interval(value, row.band), difference.unwrap_or_default()]
    }

    /// Returns the difference to the reference line over the seeds that both have. A figure without values by seed has the difference
    /// of the means.
    fn difference(&self, row: &ReadingRow, reference: &ReferenceLine, level: f64) -> String {
        let line = &self.figure.lines[row.line];
        let is_it = |point: &[f64; 2]| point.map(f64::to_bits) == row.point.map(f64::to_bits);
        let nth = line.points.iter().rposition(is_it).unwrap_or_default();
        let found = line.difference(nth, reference);
        let mean = found.difference().map_or(row.point[1] - level, |found| found.mean);
        let sign = if mean >= 0.0 { "+" } else { "" };
        let remark = if matches!(found, Delta::Unpaired(_)) { " unpaired" } else { "" };
        format!("{sign}{}{remark}", self.digits.bare(mean))
    }

    fn interval(&self, value: f64, band: Option<[f64; 2]>) -> String {
        band.map_or_else(String::new, |ends| self.figure.interval_text(value, ends, self.digits))
    }

    /// Returns what the head says of the line with this name, or of all of them: their values, with settings and results
    /// where the reading is pinned.
    pub fn head(&self, name: Option<&str>) -> HeadReading {
        let of = |name: &str| self.rows.iter().find(|row| self.figure.lines[row.line].name == name);
        match name.and_then(of) {
            Some(row) => HeadReading {
                name: self.figure.lines[row.line].name.clone(),
                text: in_sequence([self.in_words(row), self.header.clone(), self.facts_in_words(row)]),
                is_pinned: self.facts.is_some(),
            },
            None => HeadReading {
                name: capitalised(&self.header),
                text: self.lines_in_words(),
                is_pinned: self.facts.is_some(),
            },
        }
    }

    /// Returns the place of the values, and whether it is pinned.
    pub fn head_text(&self) -> String {
        format!("{}{}", self.header, if self.facts.is_some() { ", pinned" } else { "" })
    }

    /// Returns all of it in words, for screen readers.
    pub fn spoken(&self) -> String {
        format!("{}: {}", self.head_text(), self.lines_in_words())
    }

    fn lines_in_words(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            let name = &self.figure.lines[row.line].name;
            in_sequence([format!("{name} {}", self.in_words(row)), self.facts_in_words(row)])
        });
        let references = self.figure.reference_lines.iter().map(|line| {
            let [value, interval, _] = self.values(&Sample::Reference(line));
            format!("{} {value} {interval}", line.name)
        });
        rows.chain(references).map(|part| part.trim_end().to_owned()).collect::<Vec<_>>().join("; ")
    }

    /// Returns the value of a line with its interval, difference and seeds: "98.22 ± 0.18, Δ +0.20, 2 of 3 seeds".
    fn in_words(&self, row: &ReadingRow) -> String {
        let line = &self.figure.lines[row.line];
        let seeds = line.seeds_text();
        let seeds = if seeds.is_empty() { seeds } else { format!("{seeds} seeds") };
        let [value, interval, difference] = self.of_row(row);
        let difference = if difference.is_empty() { difference } else { format!("Δ {difference}") };
        in_sequence([format!("{value} {interval}").trim_end().to_owned(), difference, seeds])
    }

    fn facts_in_words(&self, row: &ReadingRow) -> String {
        self.facts.map(|facts| facts_of(facts, &self.figure.lines[row.line].name)).unwrap_or_default()
    }
}

/// Returns the settings and results of an arm, "Learning rate 0.1, Batch 64"; may be empty.
fn facts_of(facts: &LineFacts, name: &str) -> String {
    let cells = named(&facts.names, name).map_or(&[][..], |arm| &facts.cells[arm]);
    let pairs = facts.heads.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
    in_sequence(pairs.map(|(head, cell)| format!("{head} {cell}")))
}

/// Joins the parts that are not empty by commas.
fn in_sequence(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Names the place of a reading: "at 21.0 % weights remaining".
fn place(figure: &Figure, x: f64) -> String {
    format!("at {} {}", value_of_x(figure, x), uncapitalised(&figure.x.title))
}

fn value_of_x(figure: &Figure, x: f64) -> String {
    let text = match figure.x.format {
        Format::Percent => {
            let text = format!("{} %", results::number::fixed(100.0 * x, 1));
            text.replace(".0 %", " %")
        }
        Format::Number | Format::Power => without_zeros(&readable(x, figure.x.format)).to_owned(),
    };
    if figure.x.unit.is_empty() { text } else { format!("{text} {}", figure.x.unit) }
}

impl ShownPlot<'_> {
    /// Frames the cell at a place, or everything with its name or range.
    pub fn outline(&self, ui: &Ui, [x, y]: [f64; 2]) {
        let Self { figure, transform, theme, .. } = self;
        let column = match bin_at(figure, x) {
            Some(bin) => Some([figure.bins[bin], figure.bins[bin + 1]]),
            None => figure.x.category(x).map(ends_of),
        };
        let [all_x, all_y] = view_of(transform);
        let [x, y] = [column.unwrap_or(all_x), row_at(figure, y).unwrap_or(all_y)];
        let corner = |x: f64, y: f64| transform.position_from_point(&PlotPoint { x, y });
        let rect = Rect::from_two_pos(corner(x[0], y[0]), corner(x[1], y[1]));
        let rect = rect.intersect(*transform.frame()).shrink(0.5);
        let painter = ui.painter().with_clip_rect(transform.frame().expand(4.0));
        for (width, ink) in [(3.0, theme.ground()), (1.5, theme.ink())] {
            painter.rect_stroke(rect, 0.0, Stroke::new(width, colour(ink)), StrokeKind::Inside);
        }
    }
}

/// Returns the two ends of the row or the name at a place of the vertical axis.
fn row_at(figure: &Figure, place: f64) -> Option<[f64; 2]> {
    let Some(cells) = figure.cells.as_ref().filter(|cells| cells.span.is_some()) else {
        return figure.y.category(place).map(ends_of);
    };
    cells.row_at(&figure.y, place).map(|row| cells.ends_of_rows(row, row))
}

/// Returns the cell at a place, by row and column; `None` outside all cells.
pub fn cell_at(figure: &Figure, [x, y]: [f64; 2]) -> Option<[usize; 2]> {
    let cells = figure.cells.as_ref()?;
    let (column, row) = (figure.x.category(x)?, cells.row_at(&figure.y, y)?);
    cells.values.get(row)?.get(column).map(|_| [row, column])
}

/// Returns the index of the range of x at a place.
fn bin_at(figure: &Figure, x: f64) -> Option<usize> {
    let (first, last) = figure.bins.first().zip(figure.bins.last())?;
    let ends = figure.bins.partition_point(|end| *end <= x);
    (*first..=*last).contains(&x).then(|| ends.clamp(1, figure.bins.len() - 1) - 1)
}

/// What the head of a plot says about a place: "fc1, b30" and "20.7 % SDC-1".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadReading {
    pub name: String,
    pub text: String,
    pub is_pinned: bool,
}

/// Reads off the bars, markers or the cell at a place, with settings and results of their arm where it is pinned; `None` in a
/// figure without them. Of bars side by side, only those of the arm at the place are read, unless that is in their middle,
/// where the keyboard goes.
pub fn read_areas(figure: &Figure, place: [f64; 2], is_pinned: bool) -> Option<HeadReading> {
    let name = |axis: &Axis, place: f64| Some(axis.categories[axis.category(place)?].name.clone());
    let range = |axis: &Axis, ends: [f64; 2]| {
        let [low, high] = ends.map(|end| readable(end, axis.format));
        format!("{} {low} … {high}", axis.title)
    };
    if let Some(cells) = &figure.cells {
        let [row, column] = cell_at(figure, place)?;
        let y = match cells.span {
            Some(_) => range(&figure.y, cells.ends_of_rows(row, row)),
            None => name(&figure.y, place[1])?,
        };
        let value = cells.values[row][column];
        let own = cells.text(row, column).map(|text| text.reading.clone()).unwrap_or_default();
        let text = match own.as_str() {
            "" if value.is_finite() => format!("{} {}", cells.axis.title, readable(value, cells.axis.format)),
            "" => "not measured".to_owned(),
            _ => own,
        };
        // A map is of one arm.
        let arm = figure.facts.names.first().filter(|_| is_pinned && figure.facts.names.len() == 1);
        let facts = arm.map(|arm| facts_of(&figure.facts, arm)).unwrap_or_default();
        let name = format!("{y}, {}", name(&figure.x, place[0])?);
        return Some(HeadReading { name, text: in_sequence([text, facts]), is_pinned });
    }
    let (names, values) = if figure.is_lying() { (&figure.y, &figure.x) } else { (&figure.x, &figure.y) };
    let at = if figure.is_lying() { place[1] } else { place[0] };
    let bin = bin_at(figure, at);
    let ends = bin.map(|bin| [figure.bins[bin], figure.bins[bin + 1]]);
    let (index, title) = match ends {
        Some(ends) => (bin?, range(names, ends)),
        None => {
            (names.category(at)?, format!("{} {}", names.title, name(names, at)?).trim_start().to_owned())
        }
    };
    let text = |value: f64| readable(value, values.format);
    let stacks = stacks(figure);
    let has_arms = figure.bins.is_empty() && stacks.len() > 1;
    let is_there = |stack: &str| {
        let share = (at - index as f64 + FILLED / 2.0) / FILLED;
        let own = (share * stacks.len() as f64).clamp(0.0, stacks.len() as f64 - 1.0) as usize;
        !has_arms || at.fract() == 0.0 || stacks[own] == stack
    };
    let bars = figure.bars.iter().filter_map(|bars| {
        let value = bars.values.get(index).filter(|value| value.is_finite() && is_there(&bars.stack))?;
        let name = if has_arms { format!("{}, {}", bars.stack, bars.name) } else { bars.name.clone() };
        Some((bars.stack.as_str(), format!("{name} {}", text(*value)).trim_start().to_owned()))
    });
    let lines = figure.lines.iter().filter_map(|line| {
        let [x, value] = match ends {
            Some([low, high]) => line.points.iter().rfind(|point| point[0] <= f64::midpoint(low, high))?,
            None => line.points.iter().find(|point| names.category(point[0]) == Some(index))?,
        };
        let band = line.band_at(*x);
        let band = band.map(|band| format!(" [{}, {}]", text(band[0]), text(band[1])).replace(" %", ""));
        Some((line.name.as_str(), format!("{} {}{}", line.name, text(*value), band.unwrap_or_default())))
    });
    let rows: Vec<(&str, String)> = bars.chain(lines).collect();
    let arms: BTreeSet<&str> = rows.iter().map(|(arm, _)| *arm).filter(|_| is_pinned).collect();
    let facts = arms.iter().map(|arm| facts_of(&figure.facts, arm)).collect::<Vec<_>>();
    let parts = rows.iter().map(|(_, row)| row.clone()).chain(facts);
    (!rows.is_empty()).then(|| HeadReading { name: title, text: in_sequence(parts), is_pinned })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use figure::model::{Line, Seeds};
    use figure::{Axis, style_of};
    use results::statistics::Band;

    fn figure() -> Figure {
        let mut high =
            Line::new("high", style_of(0), vec![[1.0, 0.5], [2.0, 0.9], [2.0, 0.8], [3.0, f64::NAN]]);
        high.band = vec![Band { x: 2.0, low: 0.7, high: 0.95 }];
        let low = Line::new("low", style_of(1), vec![[1.0, 0.1], [3.0, 0.3]]);
        let early = Line::new("early", style_of(2), vec![[0.0, 1.0]]);
        Figure { lines: vec![low, high, early], ..Figure::default() }
    }

    fn at(x: f64) -> ReadingPlace {
        ReadingPlace { x, per_point: 0.001 }
    }

    #[test]
    fn the_line_snaps_to_a_point() {
        for forward in [[false; 3], [true; 3]] {
            let reading = read(&figure(), &forward, |_| false, at(2.2)).unwrap();
            assert!((reading.x - 2.0).abs() < 1e-12);
            let rows: Vec<_> = reading.rows.iter().map(|row| (row.line, row.point, row.band)).collect();
            assert_eq!(rows[1], (1, [2.0, 0.8], Some([0.7, 0.95])), "the last of two at the same x");
            assert_eq!(rows[0].0, 0);
            assert_eq!(rows.len(), 2, "a line that ended before has no value");
        }
    }

    #[test]
    fn hidden_lines_and_gaps_are_not_read() {
        let reading = read(&figure(), &[true; 3], |name| name == "low", at(3.0)).unwrap();
        assert!((reading.x - 2.0).abs() < 1e-12);
        assert_eq!(read(&figure(), &[true; 3], |_| true, at(3.0)), None);
    }

    proptest! {
        #[test]
        fn a_line_that_goes_forward_is_read_as_any_other(
            points in prop::collection::vec((0..6_i32, prop::option::of(-2.0..2.0_f64)), 0..12),
            place in -1.0..7.0_f64,
        ) {
            let mut points: Vec<_> = points.iter().map(|(x, y)| [f64::from(*x), y.unwrap_or(f64::NAN)]).collect();
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            let figure = Figure::default();
            let found = |forward: bool| {
                let found = nearest(&figure, &points, forward, place)?;
                Some((found.index, found.distance, found.is_inside))
            };
            prop_assert_eq!(found(true), found(false));
        }
    }

    #[test]
    fn seeds_are_counted_while_some_are_to_come() {
        let mut line = Line::new("ticket", style_of(1), vec![[1.0, 0.5]]);
        line.seeds = Some(Seeds { done: 2, planned: 3, running: 1 });
        let figure = |line: &Line| Figure { lines: vec![line.clone()], ..Figure::default() };
        let shown = figure(&line);
        let table = Table::new(&shown, None, |_| false, Spread::Interval95, false);
        assert_eq!(table.heads[3..], ["seeds"]);
        assert_eq!(table.cells(&Sample::Line(&shown.lines[0]))[3], "2 of 3");
        assert!(table.spoken().ends_with("2 of 3 seeds"), "{}", table.spoken());
        line.seeds = None;
        let done = figure(&line);
        assert_eq!(Table::new(&done, None, |_| false, Spread::Interval95, false).heads.len(), 3);
    }

    #[test]
    fn a_table_has_means_intervals_and_differences_and_ends_without_a_pointer() {
        let mut line = Line::new("ticket", style_of(1), vec![[0.512, 0.981], [0.21, 0.9822]]);
        line.band =
            line.points.iter().map(|[x, y]| Band { x: *x, low: y - 0.0018, high: y + 0.0018 }).collect();
        line.counts = vec![3, 3];
        let spread = Some([0.9792, 0.9812]);
        let reference = ReferenceLine { spread, ..ReferenceLine::level("dense", 0.9802, None) };
        let figure = Figure {
            x: Axis { reversed: true, ..Axis::percent("Weights remaining") },
            y: Axis::percent("Accuracy"),
            lines: vec![line],
            reference_lines: vec![reference],
            ..Figure::default()
        };
        let reading = read(&figure, &[false], |_| false, ReadingPlace { x: 0.21, per_point: 0.001 }).unwrap();
        let table = Table::new(&figure, Some(reading), |_| false, Spread::Interval95, false);
        assert_eq!(table.header, "at 21 % weights remaining");
        assert_eq!(table.heads, ["mean", "95 % CI", "Δ dense"]);
        assert_eq!(table.cells(&Sample::Line(&figure.lines[0])), ["98.22", "± 0.18", "+0.20"]);
        assert_eq!(table.cells(&Sample::Reference(&figure.reference_lines[0])), ["98.02", "± 0.10", ""]);
        let table = Table::new(&figure, None, |_| false, Spread::Interval95, false);
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
            let table = Table::new(figure, None, |_| false, Spread::Interval95, false);
            table.cells(&Sample::Line(&figure.lines[0]))[2].clone()
        };
        assert_eq!(of(&figure), "+1.00", "seed 2 alone is in both");
        figure.reference_lines[0].by_seed.pop();
        assert_eq!(of(&figure), "\u{2212}7.00 unpaired");
    }
}
