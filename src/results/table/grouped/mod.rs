//! Rows in groups: the mean of each, its runs below it, and its difference to the baseline.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::columns::{Column, Sort};
use super::settings::{NONE, Settings, compare, compare_parsed, number_of, without_value};
use super::view::Baseline;
use super::{Labels, Row};
use crate::colours::{base, without_shade};
use crate::number::{Digits, Format, ROUNDING, plus_minus};
use crate::statistics::{Comparison, Paired, Spread, level, paired, unpaired};
use crate::{RunState, Split, by_key};
use doc::plan::words::counted;

/// The cell of a group lists no more values than this.
const MOST_VALUES: usize = 3;

/// The table: groups of rows, or single rows.
#[derive(Clone, Debug, Default)]
pub struct Grouped {
    /// The columns that group the rows, each within the groups of those before; none for single rows.
    pub keys: Vec<Column>,
    /// The columns behind the arm, in their order.
    pub columns: Vec<Column>,
    /// The groups in their order, each heading before what it heads; without keys those of the arms, for the baseline.
    pub groups: Vec<Group>,
    /// The difference of each row to the baseline.
    pub deltas: Vec<Delta>,
    /// The name of the baseline; empty without one.
    pub baseline: String,
    /// The arms that can be the baseline at the same settings; empty where none is swept.
    pub arms: Vec<String>,
    /// True if the filter hides runs of the baseline that others are compared with.
    pub is_baseline_hidden: bool,
    /// The smallest and the largest end of all differences and 0, in [−1, 1].
    pub span: [f64; 2],
    /// Number of characters of the longest half interval of each column.
    pub spreads: Vec<usize>,
    /// The rows of the baseline, by their position, those included that the filter hides.
    pub base: Vec<usize>,
    /// The visible rows in their order, without groups.
    flat: Vec<usize>,
}

/// Rows with the same values of the keys.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The values of its keys, which no other group has: "Learning rate 0.1, dense".
    pub name: String,
    /// What its headings do not say: "dense".
    pub label: String,
    /// The number of headings above it.
    pub depth: usize,
    /// True if it is a heading: it has groups below, and no means.
    pub is_heading: bool,
    /// The style of its arm; none where it has several.
    pub style: Option<usize>,
    /// What its means are over besides seeds: "over 3 arms"; empty for nothing.
    pub pooled: String,
    /// The visible rows, by their position, in the order of the table.
    pub rows: Vec<usize>,
    /// The rows that the filter hides.
    hidden: Vec<usize>,
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// The difference to the baseline.
    pub delta: Delta,
}

impl Group {
    fn all(&self) -> impl Iterator<Item = usize> + Clone {
        self.rows.iter().chain(&self.hidden).copied()
    }

    /// Returns its name below its headings, with what its means are over: "dense (over 3 settings)".
    pub fn title(&self) -> String {
        if self.pooled.is_empty() { self.label.clone() } else { format!("{} ({})", self.label, self.pooled) }
    }
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

impl Cell {
    /// Returns the mean with its interval, or what the runs have in common.
    pub fn in_words(&self) -> String {
        format!("{} {}", self.text, self.spread).trim().to_owned()
    }
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
        let swept = Swept::new(rows);
        let (mut groups, all) = (Vec::new(), (0..rows.len()).collect());
        nest(rows, &is_visible, (names, all), &Group::default(), &mut groups);
        let mut found = Self { keys, columns, ..Self::default() };
        found.deltas = vec![Delta::Unknown; rows.len()];
        found.take_baseline(rows, &groups, &swept, baseline);
        if !found.base.is_empty() {
            found.compare(rows, &mut groups, &swept, &is_visible);
        }
        groups.retain(|group| !group.rows.is_empty());
        for group in &mut groups {
            group.cells = found.columns.iter().map(|column| cell(column, group, rows)).collect();
            let own = group.rows.iter().map(|row| &rows[*row]);
            group.style = style(own.clone());
            group.pooled = if group.is_heading { String::new() } else { pooled(own) };
        }
        let longest = |nth: usize| groups.iter().map(|group| group.cells[nth].spread.chars().count()).max();
        found.spreads = (0..found.columns.len()).map(|nth| longest(nth).unwrap_or_default()).collect();
        found.groups = groups;
        found.sort(rows, sort);
        found.span = found.span_of();
        found
    }

    /// Returns the lines, with what is below the headings and groups that are open.
    pub fn lines(&self, is_open: impl Fn(&Group) -> bool) -> Vec<Line> {
        if self.keys.is_empty() {
            return self.flat.iter().copied().map(Line::Row).collect();
        }
        let mut lines = Vec::new();
        // The depth of the folded heading; what is deeper is below it.
        let mut folded = usize::MAX;
        for (place, group) in self.groups.iter().enumerate() {
            if group.depth > folded {
                continue;
            }
            lines.push(Line::Group(place));
            let is_open = is_open(group);
            folded = if group.is_heading && !is_open { group.depth } else { usize::MAX };
            if is_open && !group.is_heading {
                lines.extend(group.rows.iter().copied().map(Line::Row));
            }
        }
        lines
    }

    /// Returns the groups that are no headings.
    pub fn leaves(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| !group.is_heading)
    }

    /// Returns the visible rows in the order of the table.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        let flat = if self.keys.is_empty() { &self.flat[..] } else { &[] };
        let groups = self.leaves().filter(|_| !self.keys.is_empty());
        groups.flat_map(|group| &group.rows).chain(flat).copied()
    }

    /// Returns what a row is called below its group: "seed 1" where the group says the rest.
    pub fn name(&self, row: &Row) -> String {
        let arm = within(row, &self.keys);
        match self.keys.as_slice() {
            [] => arm,
            keys if keys.contains(&Column::Arm) => format!("seed {}", row.seed),
            keys if keys.contains(&Column::Seed) => arm,
            _ => doc::named(&arm, row.seed),
        }
    }

    /// Returns the heading of a column.
    pub fn heading(&self, column: &Column, labels: &Labels) -> String {
        match column {
            Column::Delta if self.is_baseline_hidden => {
                format!("Δ to {}, which the filter hides (points)", self.baseline)
            }
            Column::Delta if !self.baseline.is_empty() => format!("Δ to {} (points), 95 % CI", self.baseline),
            Column::Arm if !self.keys.is_empty() => {
                let titles: Vec<String> = self.keys.iter().map(|key| key.title(labels)).collect();
                titles.join(", ")
            }
            _ => column.heading(labels),
        }
    }

    /// Notes the rows of the baseline: those of a group, or of an arm with all values of its sweep, where no group has it
    /// among others.
    fn take_baseline(&mut self, rows: &[Row], groups: &[Group], swept: &Swept<'_>, baseline: &Baseline) {
        let leaves = || groups.iter().filter(|group| !group.is_heading);
        let is_apart = |arm: usize| {
            leaves().all(|group| {
                let mut is_own = group.all().map(|row| rows[row].arm_index == arm);
                let first = is_own.next();
                is_own.all(|is_own| Some(is_own) == first)
            })
        };
        let can_be = |arm: &&Arm<'_>| swept.arms.len() > 1 && is_apart(arm.index);
        let usable: Vec<&Arm<'_>> = swept.arms.iter().filter(can_be).collect();
        if swept.arms.iter().any(|arm| !arm.paths.is_empty()) {
            self.arms = usable.iter().map(|arm| arm.name.to_owned()).collect();
        }
        let (group, arm) = match baseline {
            Baseline::None => (None, None),
            Baseline::First => {
                let first = usable.first().filter(|arm| arm.index == swept.arms[0].index);
                let has_two = first.is_none() && leaves().count() > 1;
                (leaves().find(|group| has_two && group.all().any(|row| row == 0)), first)
            }
            Baseline::Group(name) => {
                // Earlier versions wrote the arm with values that other keys say too.
                let earlier =
                    |row: usize| self.keys.iter().map(|key| key.group(&rows[row])).collect::<Vec<_>>();
                let is_it = |group: &&Group| {
                    group.name == *name
                        || group.all().next().is_some_and(|row| earlier(row).join(", ") == *name)
                };
                let group = leaves().find(is_it);
                (group, usable.iter().find(|arm| group.is_none() && arm.name == *name))
            }
        };
        if let Some(group) = group {
            (self.base, self.baseline) = (group.all().collect(), group.name.clone());
        } else if let Some(arm) = arm {
            self.base = (0..rows.len()).filter(|row| rows[*row].arm_index == arm.index).collect();
            let others = if arm.paths.is_empty() { "" } else { ", same settings" };
            self.baseline = format!("{}{others}", arm.name);
        }
    }

    /// Notes how each group and each row differs from the baseline.
    fn compare(
        &mut self,
        rows: &[Row],
        groups: &mut [Group],
        swept: &Swept<'_>,
        is_visible: impl Fn(&Row) -> bool,
    ) {
        let base: BTreeSet<usize> = self.base.iter().copied().collect();
        let base_rows: Vec<&Row> = base.iter().map(|row| &rows[*row]).collect();
        let mut reference = Reference::new(base_rows.clone(), swept);
        let seeds: BTreeSet<u64> = reference.rows.iter().map(|row| row.seed).collect();
        let mut compare = |own: &[&Row]| {
            let alike = reference.alike(own);
            let partners = reference.partners(own, &alike);
            // A mean over some settings of a group would stand beside means over all of them.
            let settings: BTreeSet<_> = partners.iter().map(|row| setting(row, &alike)).collect();
            if own.iter().any(|row| is_done(row) && !settings.contains(&setting(row, &alike))) {
                return (None, alike);
            }
            self.is_baseline_hidden |= partners.iter().any(|row| !is_visible(row));
            (Comparison::between(&partners, own, |row| pair(row, &alike)).last, alike)
        };
        for group in groups.iter_mut().filter(|group| !group.is_heading && !group.rows.is_empty()) {
            if group.rows.iter().all(|row| base.contains(row)) {
                group.delta = Delta::Baseline;
                for row in &group.rows {
                    self.deltas[*row] = Delta::Baseline;
                }
                continue;
            }
            let own: Vec<&Row> = group.rows.iter().map(|row| &rows[*row]).collect();
            group.delta = match compare(&own) {
                (Some(found), _) => Delta::Paired(found),
                (None, _) if own.iter().any(|row| seeds.contains(&row.seed)) => Delta::Unknown,
                (None, alike) => means(&base_rows, &own, &alike).map_or(Delta::Unknown, Delta::Unpaired),
            };
            for &row in &group.rows {
                self.deltas[row] = compare(&[&rows[row]]).0.map_or(Delta::Unknown, Delta::Paired);
            }
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
        for group in &mut self.groups {
            sort(&mut group.rows, by.descending, of_row);
        }
        let place = self.columns.iter().position(|other| other == column);
        let value = |group: &Group| match (column, place) {
            (Column::Arm, _) => Value::of_text(group.label.clone()),
            (Column::Delta, _) => Value::of_number(group.delta.difference().map(|found| found.mean)),
            (_, Some(place)) => match group.cells[place].mean {
                Some(mean) => Value::of_number(Some(mean)),
                None => Value::of_text(group.cells[place].text.clone()),
            },
            // Sorted by a column that is not shown.
            (_, None) => group.rows.first().map_or(Value::of_number(None), of_row),
        };
        // Headings stay in the order of their keys.
        for together in self.groups.chunk_by_mut(|a, b| !a.is_heading && !b.is_heading) {
            sort(together, by.descending, value);
        }
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
fn sort<T: Default>(items: &mut [T], descending: bool, value: impl Fn(&T) -> Value) {
    let mut keyed: Vec<(Value, T)> =
        items.iter_mut().map(|item| (value(item), std::mem::take(item))).collect();
    keyed.sort_by(|(a, _), (b, _)| a.compare(b, descending));
    for (place, (_, item)) in items.iter_mut().zip(keyed) {
        *place = item;
    }
}

/// Adds the groups of these rows by the first of these keys, and below each those by the others.
fn nest(
    rows: &[Row],
    is_visible: &impl Fn(&Row) -> bool,
    (keys, own): (&[Column], Vec<usize>),
    above: &Group,
    groups: &mut Vec<Group>,
) {
    let [key, below @ ..] = &keys[above.depth..] else { return };
    let label = |row: &Row| if *key == Column::Arm { within(row, keys) } else { key.group(row) };
    let mut found = by_key(own.into_iter().map(|row| (label(&rows[row]), row)));
    if let Column::Setting(_) = key {
        found.sort_by(|(_, a), (_, b)| compare(&key.cell(&rows[a[0]]), &key.cell(&rows[b[0]])));
    }
    for (label, own) in found {
        let (shown, hidden) = own.iter().copied().partition(|row| is_visible(&rows[*row]));
        let name = if above.name.is_empty() { label.clone() } else { format!("{}, {label}", above.name) };
        let (depth, is_heading) = (above.depth, !below.is_empty());
        let group = Group { name, label, depth, is_heading, rows: shown, hidden, ..Group::default() };
        let inside = Group { name: group.name.clone(), depth: depth + 1, ..Group::default() };
        groups.push(group);
        nest(rows, is_visible, (keys, own), &inside, groups);
    }
}

/// Returns the name of a row's arm without the swept values that keys of the table say.
fn within(row: &Row, keys: &[Column]) -> String {
    keys.iter().fold(row.arm.clone(), |name, key| match key {
        Column::Setting(path) => without_value(&name, path, &key.cell(row)),
        _ => name,
    })
}

/// Returns the style that rows share, or that of their arm without the shades of its sweep.
fn style<'a>(mut rows: impl Iterator<Item = &'a Row> + Clone) -> Option<usize> {
    let first = rows.next()?;
    if rows.clone().all(|row| row.colour == first.colour) {
        return Some(first.colour);
    }
    rows.all(|row| row.arm_index == first.arm_index).then(|| without_shade(first.colour).0)
}

/// Returns what runs differ in besides their seeds: "over 3 arms", "over 3 arms, 6 settings"; empty for nothing.
fn pooled<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> String {
    let arms = rows.clone().map(|row| row.arm_index).collect::<BTreeSet<_>>().len();
    let settings = rows.map(|row| &row.arm).collect::<BTreeSet<_>>().len();
    let parts = [(arms, "arm", 1), (settings, "setting", arms)];
    let parts = parts.into_iter().filter(|(count, _, of)| count > of);
    let parts: Vec<String> = parts.map(|(count, what, _)| counted(count as u64, what)).collect();
    if parts.is_empty() { String::new() } else { format!("over {}", parts.join(", ")) }
}

/// The arms of the document in these rows, and what they sweep.
struct Swept<'a> {
    arms: Vec<Arm<'a>>,
    /// The paths that some arm sweeps.
    paths: BTreeSet<&'a str>,
}

struct Arm<'a> {
    /// Its position in the document.
    index: usize,
    /// Its name without swept values.
    name: &'a str,
    /// The paths of the settings that it sweeps.
    paths: Vec<&'a str>,
}

impl<'a> Swept<'a> {
    fn new(rows: &'a [Row]) -> Self {
        let arms = by_key(rows.iter().map(|row| (row.arm_index, row)));
        let arm = |(index, mut rows): (usize, Vec<&'a Row>)| {
            // The runs of a setting share its name.
            rows.dedup_by(|a, b| a.arm == b.arm);
            let names: Vec<&str> = rows.iter().map(|row| row.arm.as_str()).collect();
            // What runs differ in is among the few settings of rows, or below one of them.
            let can_differ = |path: &str| {
                let mut known = rows[0].settings.keys().filter_map(|known| path.strip_prefix(known.as_str()));
                known.any(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let is_swept = |(path, first): &(&'a String, &String)| {
                can_differ(path) && rows.iter().any(|row| row.all.get(*path) != Some(first))
            };
            let paths = rows[0].all.iter().filter(is_swept).map(|(path, _)| path.as_str()).collect();
            Arm { index, name: base(&names), paths }
        };
        let arms: Vec<Arm<'a>> = arms.into_iter().map(arm).collect();
        let paths = arms.iter().flat_map(|arm| arm.paths.iter().copied()).collect();
        Self { arms, paths }
    }
}

fn value<'a>(settings: &'a Settings, path: &str) -> &'a str {
    settings.get(path).map_or(NONE, String::as_str)
}

/// A group of runs that others are compared with in pairs: of one seed, of one arm where both have it, and with the same
/// value of each swept setting of which the group has several, or the one that it has.
struct Reference<'a> {
    rows: Vec<&'a Row>,
    arms: BTreeSet<usize>,
    /// The swept settings, and which values of it the group has.
    values: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// The rows by what a pair agrees in, for each of the choices of what that is.
    places: BTreeMap<Alike<'a>, BTreeMap<Pair<'a>, Vec<&'a Row>>>,
}

/// What a pair agrees in besides its seed: true for its arm, and paths of settings.
type Alike<'a> = (bool, Vec<&'a str>);
/// A seed, an arm and values of settings.
type Pair<'a> = (u64, usize, Vec<&'a str>);

fn pair<'a>(row: &'a Row, (has_arm, paths): &Alike<'_>) -> Pair<'a> {
    let arm = if *has_arm { row.arm_index } else { 0 };
    (row.seed, arm, paths.iter().map(|path| value(&row.all, path)).collect())
}

/// Returns what a pair agrees in besides its seed.
fn setting<'a>(row: &'a Row, alike: &Alike<'_>) -> (usize, Vec<&'a str>) {
    let (_, arm, values) = pair(row, alike);
    (arm, values)
}

fn is_done(row: &Row) -> bool {
    row.last.is_some() && row.state == RunState::Done.word()
}

impl<'a> Reference<'a> {
    fn new(mut rows: Vec<&'a Row>, swept: &Swept<'a>) -> Self {
        rows.retain(|row| is_done(row));
        let of = |path: &&'a str| (*path, rows.iter().map(|row| value(&row.all, path)).collect());
        Self {
            arms: rows.iter().map(|row| row.arm_index).collect(),
            values: swept.paths.iter().map(of).collect(),
            places: BTreeMap::new(),
            rows,
        }
    }

    /// Returns what pairs of these rows and those of the group agree in.
    fn alike(&self, own: &[&Row]) -> Alike<'a> {
        let is_used = |(path, values): &(&&str, &BTreeSet<&str>)| {
            values.len() > 1 || own.iter().any(|row| values.contains(value(&row.all, path)))
        };
        let paths = self.values.iter().filter(is_used).map(|(path, _)| *path).collect();
        (own.iter().any(|row| self.arms.contains(&row.arm_index)), paths)
    }

    /// Returns the rows of the group that these have as partners.
    fn partners(&mut self, own: &[&Row], alike: &Alike<'a>) -> Vec<&'a Row> {
        let of_pair: &BTreeMap<Pair<'_>, Vec<&'a Row>> =
            self.places.entry(alike.clone()).or_insert_with(|| {
                by_key(self.rows.iter().map(|row| (pair(row, alike), *row))).into_iter().collect()
            });
        let wanted: BTreeSet<Pair<'_>> = own.iter().map(|row| pair(row, alike)).collect();
        wanted.iter().filter_map(|pair| of_pair.get(pair)).flatten().copied().collect()
    }
}

/// Compares two groups of these rows, the first with the second, in pairs of one seed and the same settings.
pub fn compared<'a>(all: &'a [Row], first: Vec<&'a Row>, second: &[&'a Row]) -> Comparison {
    let undone: Vec<&Row> = first.iter().copied().filter(|row| !is_done(row)).collect();
    let mut reference = Reference::new(first, &Swept::new(all));
    let alike = reference.alike(second);
    let mut partners = reference.partners(second, &alike);
    // These are counted, not compared.
    let wanted: BTreeSet<_> = second.iter().map(|row| setting(row, &alike)).collect();
    partners.extend(undone.into_iter().filter(|row| wanted.contains(&setting(row, &alike))));
    Comparison::between(&partners, second, |row| pair(row, &alike))
}

/// Returns the difference of means where no seed is in both groups, over the rows whose settings are in both.
fn means(first: &[&Row], second: &[&Row], alike: &Alike<'_>) -> Option<Paired> {
    let of = |rows: &[&Row], others: &[&Row]| -> (Vec<f64>, BTreeSet<&'static str>) {
        let others = others.iter().filter(|row| is_done(row));
        let known: BTreeSet<_> = others.map(|row| setting(row, alike)).collect();
        let done = rows.iter().filter(|row| is_done(row) && known.contains(&setting(row, alike)));
        done.filter_map(|row| Some((row.last?, row.series))).unzip()
    };
    let ((a, of_a), (b, of_b)) = (of(first, second), of(second, first));
    let is_comparable = of_a == of_b && of_a.len() == 1;
    is_comparable.then(|| unpaired(&a, &b)).flatten()
}

/// Returns what the visible rows of a group have in a column.
fn cell(column: &Column, group: &Group, all: &[Row]) -> Cell {
    let rows = || group.rows.iter().map(|row| &all[*row]);
    if group.is_heading && !matches!(column, Column::Runs | Column::Seed) {
        return Cell::default();
    }
    if *column == Column::Delta {
        let found = group.delta.difference();
        let mean = found.map(|found| found.mean);
        let half = found.and_then(|found| found.half);
        return Cell { text: group.delta.points(), spread: group.delta.remark(), mean, half };
    }
    if matches!(column, Column::Runs | Column::Seed) {
        let is_finished = |row: &usize| all[*row].last.is_some() && all[*row].is_finished();
        let count = |rows: &mut dyn Iterator<Item = usize>| {
            if *column == Column::Seed {
                rows.map(|row| all[row].seed).collect::<BTreeSet<_>>().len()
            } else {
                rows.count()
            }
        };
        let finished = count(&mut group.rows.iter().copied().filter(is_finished));
        // A filter on a result leaves some seeds out of a mean, as those that go on are.
        let of = count(&mut group.all());
        let text = if finished == of { of.to_string() } else { format!("{finished} of {of}") };
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
    // "0.3 s ± < 1 s" says less than nothing.
    let is_shown = |half: &f64| *half > ROUNDING && (*column != Column::Duration || *half >= 0.05);
    let spread = half.filter(is_shown).map(|half| plus_minus(half, &text(half))).unwrap_or_default();
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
            Self::Unknown | Self::Baseline => None,
        }
    }

    /// Returns true if nothing differs at all.
    pub fn is_identical(&self) -> bool {
        matches!(self, Self::Paired(found) if found.is_identical())
    }

    /// Returns the difference in points, "−0.44"; empty where there is none.
    pub fn points(&self) -> String {
        self.difference().filter(|_| !self.is_identical()).map(Paired::mean_of_points).unwrap_or_default()
    }

    /// Returns what follows it: "± 0.29", "paired", "identical in all 3 seeds".
    pub fn remark(&self) -> String {
        match self {
            Self::Unknown => NONE.to_owned(),
            Self::Baseline => "baseline".to_owned(),
            Self::Paired(found) if found.is_identical() => found.identical(),
            Self::Paired(found) => found.half_of_points().unwrap_or_else(|| "paired".to_owned()),
            Self::Unpaired(found) => {
                let half = found.half_of_points().map_or_else(String::new, |half| half + " ");
                format!("{half}unpaired")
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
            Self::Unknown => {
                format!(
                    "Some run here has no partner: a done run of {baseline} with its seed and what both sweep"
                )
            }
            Self::Baseline => "Differences are to this".to_owned(),
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
