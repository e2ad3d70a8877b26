//! Rows in groups: the mean of each, its runs below it, and its difference to the baseline.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::columns::{Column, Sort};
use super::settings::{NONE, compare_parsed, number_of};
use super::view::Baseline;
use super::{Labels, Row};
use crate::number::{Digits, Format, fixed, plus_minus};
use crate::statistics::{Comparison, Paired, Spread, level, paired, unpaired};
use crate::{RunState, Split};

/// The cell of a group lists no more values than this.
const MOST_VALUES: usize = 3;

/// The table: groups of rows, or single rows.
#[derive(Clone, Debug, Default)]
pub struct Grouped {
    /// The columns that group the rows; none for single rows.
    pub keys: Vec<Column>,
    /// The columns behind the arm, in their order.
    pub columns: Vec<Column>,
    /// The groups in their order; without keys those of the arms, for the baseline.
    pub groups: Vec<Group>,
    /// The difference of each row to the baseline.
    pub deltas: Vec<Delta>,
    /// The name of the baseline; empty without one.
    pub baseline: String,
    /// The smallest and the largest end of all differences and 0, in [−1, 1].
    pub span: [f64; 2],
    /// Number of characters of the longest half interval of each column.
    pub spreads: Vec<usize>,
    /// The visible rows in their order, without groups.
    flat: Vec<usize>,
}

/// Rows with the same values of the keys.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub name: String,
    /// The visible rows, by their position, in the order of the table.
    pub rows: Vec<usize>,
    /// The rows that the filter hides.
    hidden: Vec<usize>,
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// The difference to the baseline.
    pub delta: Delta,
}

/// The cell of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The mean, or what the runs have in common.
    pub text: String,
    /// Half of the 95 % confidence interval: "± 0.24"; empty without one.
    pub spread: String,
    pub mean: Option<f64>,
    /// Half of the interval.
    pub half: Option<f64>,
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A group, by its position.
    Group(usize),
    /// A row, by its position, below its group if there are groups.
    Row(usize),
}

impl Grouped {
    /// Groups the visible ones of these rows.
    pub fn new(
        rows: &[Row],
        is_visible: impl Fn(&Row) -> bool,
        columns: Vec<Column>,
        keys: Vec<Column>,
        baseline: &Baseline,
        sort: &Sort,
    ) -> Self {
        let names: &[Column] = if keys.is_empty() { &[Column::Arm] } else { &keys };
        let mut groups: Vec<Group> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (position, row) in rows.iter().enumerate() {
            let name = names.iter().map(|key| key.group(row)).collect::<Vec<_>>().join(", ");
            let place = *places.entry(name).or_insert_with_key(|name| {
                groups.push(Group { name: name.clone(), ..Group::default() });
                groups.len() - 1
            });
            let group = &mut groups[place];
            if is_visible(row) { &mut group.rows } else { &mut group.hidden }.push(position);
        }
        let base = match baseline {
            Baseline::None => None,
            Baseline::First => (groups.len() > 1).then_some(0),
            Baseline::Group(name) => places.get(name).copied(),
        };
        let mut found = Self { keys, columns, ..Self::default() };
        found.deltas = vec![Delta::Unknown; rows.len()];
        if let Some(base) = base {
            found.compare(rows, &mut groups, base);
        }
        groups.retain(|group| !group.rows.is_empty());
        for group in &mut groups {
            group.cells = found.columns.iter().map(|column| cell(column, group, rows)).collect();
        }
        let longest = |nth: usize| groups.iter().map(|group| group.cells[nth].spread.chars().count()).max();
        found.spreads = (0..found.columns.len()).map(|nth| longest(nth).unwrap_or_default()).collect();
        found.groups = groups;
        found.sort(rows, sort);
        found.span = found.span_of();
        found
    }

    /// Returns the lines, with the rows of those groups that are open.
    pub fn lines(&self, open: &BTreeSet<String>) -> Vec<Line> {
        if self.keys.is_empty() {
            return self.flat.iter().copied().map(Line::Row).collect();
        }
        let mut lines = Vec::new();
        for (place, group) in self.groups.iter().enumerate() {
            lines.push(Line::Group(place));
            if open.contains(&group.name) {
                lines.extend(group.rows.iter().copied().map(Line::Row));
            }
        }
        lines
    }

    /// Returns the visible rows in the order of the table.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        let groups = if self.keys.is_empty() { &[][..] } else { &self.groups };
        let flat = if self.keys.is_empty() { &self.flat[..] } else { &[] };
        groups.iter().flat_map(|group| &group.rows).chain(flat).copied()
    }

    /// Returns what a row is called below its group: "seed 1" where the group says the rest.
    pub fn name(&self, row: &Row) -> String {
        match self.keys.as_slice() {
            [] => row.arm.clone(),
            keys if keys.contains(&Column::Arm) => format!("seed {}", row.seed),
            keys if keys.contains(&Column::Seed) => row.arm.clone(),
            _ => doc::named(&row.arm, row.seed),
        }
    }

    /// Returns the heading of a column.
    pub fn heading(&self, column: &Column, labels: &Labels) -> String {
        match column {
            Column::Delta if !self.baseline.is_empty() => format!("Δ to {} (points), 95 % CI", self.baseline),
            Column::Arm if !self.keys.is_empty() => {
                let titles: Vec<String> = self.keys.iter().map(|key| key.title(labels)).collect();
                titles.join(", ")
            }
            _ => column.heading(labels),
        }
    }

    /// Notes how each group and each row differs from the baseline.
    fn compare(&mut self, rows: &[Row], groups: &mut [Group], base: usize) {
        self.baseline.clone_from(&groups[base].name);
        let is_done = |row: &Row| row.last.is_some() && row.state == RunState::Done.word();
        let of = |positions: &[usize]| -> Vec<&Row> { positions.iter().map(|row| &rows[*row]).collect() };
        let (shown, hidden) = (of(&groups[base].rows), of(&groups[base].hidden));
        let mut of_seed: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
        for row in shown.iter().copied().filter(|row| is_done(row)) {
            of_seed.entry(row.seed).or_default().push(row);
        }
        let hidden_seeds: BTreeSet<u64> =
            hidden.iter().filter(|row| is_done(row)).map(|row| row.seed).collect();
        for (place, group) in groups.iter_mut().enumerate() {
            if place == base {
                group.delta = Delta::Baseline;
                for row in &group.rows {
                    self.deltas[*row] = Delta::Baseline;
                }
                continue;
            }
            for &position in &group.rows {
                let row = &rows[position];
                let partners = of_seed.get(&row.seed);
                let found =
                    partners.and_then(|partners| Comparison::between(partners, &[row], |_| true).last);
                self.deltas[position] = match found {
                    Some(found) => Delta::Paired(found),
                    None if is_done(row) && hidden_seeds.contains(&row.seed) => Delta::Hidden,
                    None => Delta::Unknown,
                };
            }
            let own = of(&group.rows);
            group.delta = match Comparison::between(&shown, &own, |_| true).last {
                Some(found) => Delta::Paired(found),
                None if own.iter().any(|row| is_done(row)) && !hidden_seeds.is_empty() => Delta::Hidden,
                None => means(&shown, &own).map_or(Delta::Unknown, Delta::Unpaired),
            };
        }
    }

    fn span_of(&self) -> [f64; 2] {
        let of_groups = self.groups.iter().map(|group| &group.delta);
        let of_rows = self.rows().map(|row| &self.deltas[row]);
        let ends = of_groups.chain(of_rows).filter_map(Delta::difference).flat_map(|found| {
            let half = found.half.unwrap_or_default();
            [found.mean - half, found.mean + half]
        });
        ends.filter(|end| end.is_finite()).fold([0.0, 0.0], |[low, high], end| [low.min(end), high.max(end)])
    }

    fn sort(&mut self, rows: &[Row], by: &Sort) {
        self.flat = self.groups.iter().flat_map(|group| group.rows.iter().copied()).collect();
        self.flat.sort_unstable();
        let Some(column) = &by.column else { return };
        let of_row = |row: &usize| match column {
            Column::Delta => Value::of_number(self.deltas[*row].difference().map(|found| found.mean)),
            _ => Value::of_text(column.cell(&rows[*row])),
        };
        sort(&mut self.flat, by.descending, of_row);
        let mut groups = std::mem::take(&mut self.groups);
        for group in &mut groups {
            sort(&mut group.rows, by.descending, of_row);
        }
        let place = self.columns.iter().position(|other| other == column);
        sort(&mut groups, by.descending, |group| match (column, place) {
            (Column::Arm, _) => Value::of_text(group.name.clone()),
            (Column::Delta, _) => Value::of_number(group.delta.difference().map(|found| found.mean)),
            (_, Some(place)) => match group.cells[place].mean {
                Some(mean) => Value::of_number(Some(mean)),
                None => Value::of_text(group.cells[place].text.clone()),
            },
            // Sorted by a column that is not shown.
            (_, None) => group.rows.first().map_or(Value::of_number(None), of_row),
        });
        self.groups = groups;
    }
}

/// A value to sort by; nothing where it is unknown.
struct Value(Option<(String, Option<f64>)>);

impl Value {
    fn of_number(value: Option<f64>) -> Self {
        Self(value.map(|value| (String::new(), Some(value))))
    }

    fn of_text(text: String) -> Self {
        let is_known = !text.is_empty() && text != NONE;
        let number = number_of(&text);
        Self(is_known.then_some((text, number)))
    }

    fn compare(&self, other: &Self, descending: bool) -> Ordering {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => {
                let [a, b] = if descending { [b, a] } else { [a, b] };
                compare_parsed((&a.0, a.1), (&b.0, b.1))
            }
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
}

/// Sorts, those with an unknown value last; equal ones stay in their order.
fn sort<T>(items: &mut Vec<T>, descending: bool, value: impl Fn(&T) -> Value) {
    let mut keyed: Vec<(Value, T)> = items.drain(..).map(|item| (value(&item), item)).collect();
    keyed.sort_by(|(a, _), (b, _)| a.compare(b, descending));
    items.extend(keyed.into_iter().map(|(_, item)| item));
}

/// Returns the difference of means where no seed is in both groups.
fn means(first: &[&Row], second: &[&Row]) -> Option<Paired> {
    let is_done = |row: &&&Row| row.state == RunState::Done.word();
    let of = |rows: &[&Row]| -> (Vec<f64>, BTreeSet<&'static str>) {
        let done = || rows.iter().filter(is_done);
        (done().filter_map(|row| row.last).collect(), done().map(|row| row.series).collect())
    };
    let ((a, of_a), (b, of_b)) = (of(first), of(second));
    let is_comparable = of_a == of_b && of_a.len() == 1;
    is_comparable.then(|| unpaired(&a, &b)).flatten()
}

/// Returns what the visible rows of a group have in a column.
fn cell(column: &Column, group: &Group, rows: &[Row]) -> Cell {
    let rows = || group.rows.iter().map(|row| &rows[*row]);
    if *column == Column::Delta {
        let found = group.delta.difference();
        let mean = found.map(|found| found.mean);
        let half = found.and_then(|found| found.half);
        return Cell { text: group.delta.points(), spread: group.delta.remark(), mean, half };
    }
    if *column == Column::Seed {
        let finished = rows().filter(|row| row.last.is_some() && row.is_finished()).count();
        // A filter on a result leaves some seeds out of a mean, as those that go on are.
        let all = group.rows.len() + group.hidden.len();
        let text = if finished == all { all.to_string() } else { format!("{finished} of {all}") };
        return Cell { text, mean: Some(finished as f64), ..Cell::default() };
    }
    cell_of(column, rows())
}

/// Returns what these rows have in a column that is neither the seed nor a difference: their mean, which is over
/// finished runs once there is one, or what they have in common.
pub fn cell_of<'a>(column: &Column, rows: impl Iterator<Item = &'a Row>) -> Cell {
    if column.is_measured() {
        let values = rows.filter_map(|row| Some((row.is_finished(), column.value(row)?)));
        let split = Split::new(values, |(is_finished, _)| !is_finished);
        let spread = split.spread(Spread::Interval95);
        return mean_cell(
            column,
            &split.averaged.into_iter().map(|(_, value)| value).collect::<Vec<_>>(),
            spread,
        );
    }
    Cell { text: common(rows.map(|row| column.text(row))), ..Cell::default() }
}

fn mean_cell(column: &Column, values: &[f64], spread: Spread) -> Cell {
    if values.is_empty() {
        return Cell { text: NONE.to_owned(), ..Cell::default() };
    }
    let found = level(0.0, values, spread);
    let half = found.band.map(|band| band.high - found.mean);
    let is_plain = column.format() == Format::Number && matches!(column, Column::Series { .. });
    let digits = Digits::new([found.mean], Format::Number);
    let text = |value: f64| if is_plain { digits.text(value) } else { column.number(value) };
    let spread = half.map(|half| plus_minus(half, &text(half))).unwrap_or_default();
    Cell { text: text(found.mean), spread, mean: Some(found.mean), half }
}

/// Returns what these texts have in common, or which there are.
fn common(texts: impl Iterator<Item = String>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for text in texts {
        match counts.iter().position(|(known, _)| *known == text) {
            Some(place) => counts[place].1 += 1,
            None if counts.len() == MOST_VALUES => return "several".to_owned(),
            None => counts.push((text, 1)),
        }
    }
    match counts.as_slice() {
        [(only, _)] => only.clone(),
        several => {
            let parts = several.iter().filter(|(text, _)| !text.is_empty());
            parts.map(|(text, count)| format!("{text} ×{count}")).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests;

/// The difference of a group or a run to the baseline, in its last accuracy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Delta {
    /// There is nothing to compare yet.
    #[default]
    Unknown,
    Baseline,
    /// The filter hides what it would be compared with.
    Hidden,
    /// Over the seeds that both have.
    Paired(Paired),
    /// Between means of runs without a common seed.
    Unpaired(Paired),
}

impl Delta {
    /// Returns how much the values of one group are above those of another, each with its seed: over the seeds that both have, else
    /// between the means. Several values of a group with one seed count with their mean.
    pub fn between(first: &[(u64, f64)], second: &[(u64, f64)]) -> Self {
        let means = |values: &[(u64, f64)]| -> Vec<(u64, f64)> {
            let mut of_seed: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
            for (seed, value) in values {
                of_seed.entry(*seed).or_default().push(*value);
            }
            let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
            of_seed.into_iter().map(|(seed, values)| (seed, mean(values))).collect()
        };
        let alone = |values: &[(u64, f64)]| values.iter().map(|(_, value)| *value).collect::<Vec<_>>();
        match paired(&means(first), &means(second)) {
            Some(found) => Self::Paired(found),
            None => unpaired(&alone(first), &alone(second)).map_or(Self::Unknown, Self::Unpaired),
        }
    }

    /// Returns the numbers, where there are some.
    pub const fn difference(&self) -> Option<&Paired> {
        match self {
            Self::Paired(found) | Self::Unpaired(found) => Some(found),
            Self::Unknown | Self::Baseline | Self::Hidden => None,
        }
    }

    /// Returns true if nothing differs at all.
    pub fn is_identical(&self) -> bool {
        matches!(self, Self::Paired(found) if found.is_identical())
    }

    /// Returns the difference in points, "−0.44"; empty where there is none.
    pub fn points(&self) -> String {
        let Some(found) = self.difference().filter(|_| !self.is_identical()) else { return String::new() };
        let sign = if found.mean > 0.0 { "+" } else { "" };
        format!("{sign}{}", fixed(found.mean * 100.0, 2))
    }

    /// Returns what follows it: "± 0.29", "paired", "identical in all 3 seeds".
    pub fn remark(&self) -> String {
        let half = |found: &Paired| found.half.map(|half| plus_minus(half, &fixed(half * 100.0, 2)));
        match self {
            Self::Unknown => NONE.to_owned(),
            Self::Baseline => "baseline".to_owned(),
            Self::Hidden => "hidden by the filter".to_owned(),
            Self::Paired(found) if found.is_identical() => found.identical(),
            Self::Paired(found) => half(found).unwrap_or_else(|| "paired".to_owned()),
            Self::Unpaired(found) => {
                half(found).map_or_else(|| "unpaired".to_owned(), |half| format!("{half} unpaired"))
            }
        }
    }

    /// Returns both in one text.
    pub fn text(&self) -> String {
        let (points, remark) = (self.points(), self.remark());
        if points.is_empty() { remark } else { format!("{points} {remark}") }
    }

    /// Returns a sentence about it.
    pub fn help(&self, baseline: &str) -> String {
        match self {
            Self::Unknown => format!("No seed is done here and in {baseline} yet"),
            Self::Baseline => "Differences are to this group".to_owned(),
            Self::Hidden => {
                format!("The filter hides the runs of {baseline} that this would be compared with")
            }
            Self::Paired(found) if found.is_identical() => {
                format!("The last accuracy is that of {baseline}, {}", found.identical())
            }
            Self::Paired(found) => {
                format!("To {baseline}, seed by seed: {}; {}", found.points(), found.verdict())
            }
            Self::Unpaired(found) => {
                format!(
                    "To {baseline}, between means, since no seed is in both: {}; {}",
                    found.points(),
                    found.verdict()
                )
            }
        }
    }
}
