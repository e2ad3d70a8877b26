//! The right ends of lines: a whisker over the interval of the last value, and the value or the name beside it.

use std::collections::BTreeSet;

use super::lines::mark;
use super::{Id, Item, MARKER, Pen, Shape, WHISKER, segments};
use crate::axis::Mapping;
use crate::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit, width};
use crate::layout::{Anchor, Text};
use crate::model::{At, Figure, Line, belongs_to};
use crate::palette::{Marker, Style, Theme};
use results::number::{Digits, Format};
use results::statistics::Band;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EndText<'a> {
    /// The last value with its interval and, while some are to come, its seeds: "97.58 ± 0.24, 2 of 3". Of many lines, only those of
    /// the selected arm have one.
    Values { selected: Option<&'a str> },
    /// The name, at most this wide.
    Names {
        /// In points.
        most: f64,
    },
}

/// The ends of all lines, one below the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends {
    /// From the highest place to the lowest.
    pub rows: Vec<End>,
    pub width: f64,
    /// Whiskers beside each other.
    slots: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct End {
    id: Id,
    name: String,
    style: Style,
    /// The place of the last value, and of the ends of its interval.
    y: f64,
    interval: Option<[f64; 2]>,
    pub text_y: f64,
    /// The value or the name, and what follows in a muted colour.
    pub texts: [String; 2],
    slot: usize,
}

/// More lines have no names at their ends: they would be a list without order.
pub const MOST: usize = 8;
/// Of more lines, only those that are selected have values, so that each is close to its mark.
const MOST_VALUES: usize = 4;
/// The room for values of shares, so that a plot is still while they change.
const VALUES: [&str; 2] = ["00.00", " ± 00.00"];
/// Distance of whiskers, of the first one from the plot, and of texts from the last one, in ems.
const SLOT: f64 = 0.95;
const BEFORE: f64 = 0.9;
const AFTER: f64 = 0.55;
/// More whiskers cover each other.
const MOST_SLOTS: usize = 4;
/// Half the width of the ends of a whisker.
const CAP: f64 = 0.3;
/// Between a value and its interval.
const SPACE: f64 = 0.3;

impl Ends {
    /// Returns the ends of the lines that are not hidden and end within the plot; `None` if there are too many or none.
    pub fn new(
        figure: &Figure,
        hidden: &BTreeSet<String>,
        y: Mapping,
        em: f64,
        text: EndText<'_>,
    ) -> Option<Self> {
        let is_shown = |name: &String| !hidden.contains(name);
        let references = figure.reference_lines.iter().map(|line| &line.name);
        let lines = figure.lines.iter().map(|line| &line.name);
        let count = lines.chain(references).filter(|name| is_shown(name)).count();
        // Over a setting, the last value is that of the largest one, which says little.
        let (is_over_setting, most) = match text {
            EndText::Values { .. } => (figure.is_over_setting(), MOST_VALUES),
            EndText::Names { .. } => (false, MOST),
        };
        if !figure.has_curves() || is_over_setting {
            return None;
        }
        let mut rows = ends(figure, hidden, y);
        if count > most {
            let EndText::Values { selected } = text else { return None };
            rows.retain(|(end, _)| selected.is_some_and(|arm| belongs_to(&end.name, arm)));
        }
        let [top, bottom] = y.ends();
        let gap = LINE_HEIGHT * em;
        if rows.is_empty() || rows.len() > most || rows.len() as f64 * gap > bottom - top {
            return None;
        }
        rows.sort_by(|a, b| a.0.y.total_cmp(&b.0.y));
        let digits = Digits::new(rows.iter().map(|(_, (mean, _))| *mean), figure.y.format);
        let bare = |value| digits.bare(value);
        let mut ends: Vec<End> = Vec::new();
        for (mut end, (mean, interval)) in rows {
            end.texts = match text {
                EndText::Names { most } => {
                    [fit(&end.name, em, Weight::Regular, most, 1).join(" "), String::new()]
                }
                EndText::Values { .. } => {
                    let text = |ends| figure.interval_text(mean, ends, digits);
                    let parts = [interval.map(text).unwrap_or_default(), std::mem::take(&mut end.texts[1])];
                    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                    [bare(mean), parts.join(", ")]
                }
            };
            ends.push(end);
        }
        dodge(&mut ends, [top + gap / 2.0, bottom - gap / 2.0], gap);
        let slots = match text {
            // As many as the values may come to need.
            EndText::Values { .. } => slots(&mut ends, em).max(ends.len().min(MOST_SLOTS)),
            EndText::Names { .. } => slots(&mut ends, em),
        };
        let long = |end: &End| {
            let [value, rest] = &end.texts;
            let space = if rest.is_empty() { 0.0 } else { SPACE * em };
            width(value, em, Weight::Regular) + space + width(rest, em, Weight::Regular)
        };
        let room = match text {
            EndText::Values { .. } if figure.y.format == Format::Percent => {
                let has_intervals = figure.lines.iter().any(|line| !line.band.is_empty());
                VALUES[..=usize::from(has_intervals)]
                    .iter()
                    .map(|text| width(text, em, Weight::Regular))
                    .sum()
            }
            EndText::Values { .. } | EndText::Names { .. } => 0.0,
        };
        let widest = ends.iter().map(long).fold(room, f64::max);
        let width = (BEFORE + (slots as f64 - 1.0) * SLOT + MARKER + AFTER) * em + widest;
        Some(Self { rows: ends, width, slots })
    }

    /// Returns the items beside a plot that ends at `right`.
    pub fn items(&self, right: f64, em: f64, theme: Theme) -> Vec<Item> {
        let mut items = Vec::new();
        let text = right + (BEFORE + (self.slots as f64 - 1.0) * SLOT + MARKER + AFTER) * em;
        for end in &self.rows {
            let ink = end.style.ink(theme);
            let x = right + (BEFORE + end.slot as f64 * SLOT) * em;
            if let Some([low, high]) = end.interval {
                let caps = [low, high].map(|y| [[x - CAP * em, y], [x + CAP * em, y]]);
                let lines = segments(std::iter::once([[x, low], [x, high]]).chain(caps));
                items.push(Shape::Line(lines, Pen::new(ink, WHISKER * em)).of(end.id));
            }
            items.extend(
                mark(end.style, [x, end.y], ink, em, theme.ground()).map(|mark| Shape::Mark(mark).of(end.id)),
            );
            let base = end.text_y + CAP_HEIGHT * em / 2.0;
            let [value, rest] = &end.texts;
            let value_text = Text::new(value, [text, base], Anchor::Start, em);
            items.push(Shape::Text(value_text, end.style.rgb(theme)).of(end.id));
            if !rest.is_empty() {
                let after = text + width(value, em, Weight::Regular) + SPACE * em;
                let rest = Text { muted: true, ..Text::new(rest, [after, base], Anchor::Start, em) };
                items.push(Shape::Text(rest, theme.muted()).of(end.id));
            }
        }
        items
    }
}

/// Returns the last values with their intervals.
fn ends(figure: &Figure, hidden: &BTreeSet<String>, y: Mapping) -> Vec<(End, (f64, Option<[f64; 2]>))> {
    let [top, bottom] = y.ends();
    let end = |id: Id, name: &str, style: Style, value: f64, interval: Option<[f64; 2]>| {
        let place = y.place(value).filter(|place| (top..=bottom).contains(place))?;
        let whisker = interval.and_then(|[low, high]| Some([y.place(low)?, y.place(high)?]));
        let whisker = whisker.map(|ends| ends.map(|end| end.clamp(top, bottom)));
        let (name, texts) = (name.to_owned(), Default::default());
        let end = End { id, name, style, y: place, interval: whisker, text_y: place, texts, slot: 0 };
        Some((end, (value, interval)))
    };
    let mut found = Vec::new();
    let is_shown = |line: &Line| line.names.is_empty() && !hidden.contains(&line.name);
    for (index, line) in figure.lines.iter().enumerate().filter(|(_, line)| is_shown(line)) {
        if let Some(([_, value], interval)) = last_of(figure, line) {
            let end = end(Id::Line(index), &line.name, line.style.with_marker(), value, interval);
            let texts = [String::new(), line.seeds_text()];
            found.extend(end.map(|(end, value)| (End { texts, ..end }, value)));
        }
    }
    for (index, line) in figure.reference_lines.iter().enumerate() {
        if let At::Y(value) = line.at
            && !hidden.contains(&line.name)
        {
            let style =
                Style { colour: line.colour.unwrap_or(6), marker: Marker::Circle, ..Style::default() };
            found.extend(end(Id::Reference(index), &line.name, style, value, line.spread));
        }
    }
    found
}

/// Returns the point of a line with a value at its right end, and its interval. Lines over remaining weights have it first.
pub fn last_of(figure: &Figure, line: &Line) -> Option<([f64; 2], Option<[f64; 2]>)> {
    let has_value = |point: &&[f64; 2]| point[1].is_finite();
    let (first, last) = (line.points.iter().find(has_value)?, line.points.iter().rfind(has_value)?);
    let is_first = if figure.x.reversed { first[0] < last[0] } else { first[0] > last[0] };
    let point = if is_first { *first } else { *last };
    let is_here = |band: &&Band| band.x.total_cmp(&point[0]).is_eq();
    let band = if is_first { line.band.iter().find(is_here) } else { line.band.iter().rfind(is_here) };
    Some((point, band.map(|band| [band.low, band.high])))
}

/// Moves texts apart by at least a gap, each as little as possible.
fn dodge(ends: &mut [End], [top, bottom]: [f64; 2], gap: f64) {
    // Neighbours that touch form a group around the mean of their places (pool adjacent violators).
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (index, end) in ends.iter().enumerate() {
        let mut group = (end.y - index as f64 * gap, 1_usize);
        while let Some(&(before, count)) = groups.last()
            && before > group.0
        {
            groups.pop();
            let both = count + group.1;
            group = ((before * count as f64 + group.0 * group.1 as f64) / both as f64, both);
        }
        groups.push(group);
    }
    let last = ends.len().saturating_sub(1) as f64;
    let places = groups.into_iter().flat_map(|(place, count)| std::iter::repeat_n(place, count));
    for (index, (end, place)) in ends.iter_mut().zip(places).enumerate() {
        end.text_y = place.min(bottom - last * gap).max(top) + index as f64 * gap;
    }
}

/// Puts whiskers that would cover each other side by side; returns the number of places for them.
fn slots(ends: &mut [End], em: f64) -> usize {
    let mut taken: Vec<Vec<[f64; 2]>> = Vec::new();
    for end in ends {
        let [low, high] = end.interval.unwrap_or([end.y; 2]);
        let reach = [low.min(high).min(end.y - MARKER * em), low.max(high).max(end.y + MARKER * em)];
        let is_free =
            |others: &Vec<[f64; 2]>| others.iter().all(|[from, to]| reach[1] < *from || *to < reach[0]);
        end.slot = taken.iter().position(is_free).unwrap_or_else(|| taken.len().min(MOST_SLOTS - 1));
        if taken.len() <= end.slot {
            taken.push(Vec::new());
        }
        taken[end.slot].push(reach);
    }
    taken.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Seeds;
    use crate::{Axis, ReferenceLine, style_of};
    use results::statistics::Spread;

    fn figure(values: &[f64]) -> Figure {
        let line = |(index, value): (usize, &f64)| {
            let points = vec![[0.0, 0.5], [1.0, *value], [2.0, f64::NAN]];
            let band = vec![Band { x: 1.0, low: value - 0.01, high: value + 0.01 }];
            Line { band, ..Line::new(&format!("arm {index}"), style_of(index), points) }
        };
        Figure {
            y: Axis::percent("Accuracy"),
            lines: values.iter().enumerate().map(line).collect(),
            reference_lines: vec![ReferenceLine {
                spread: Some([0.979, 0.981]),
                ..ReferenceLine::level("dense", 0.98, None)
            }],
            ..Figure::default()
        }
    }

    fn mapping() -> Mapping {
        Mapping::new(&Axis::percent(""), [0.5, 1.0], [300.0, 0.0])
    }

    #[test]
    fn values_have_their_intervals_and_texts_keep_apart() {
        let ends = Ends::new(
            &figure(&[0.9758, 0.975, 0.9]),
            &BTreeSet::new(),
            mapping(),
            12.0,
            EndText::Values { selected: None },
        )
        .unwrap();
        let texts: Vec<String> = ends.rows.iter().map(|end| end.texts.join(" ")).collect();
        assert_eq!(texts, ["98.00 ± 0.10", "97.58 ± 1.00", "97.50 ± 1.00", "90.00 ± 1.00"]);
        let gaps = ends.rows.windows(2).map(|two| two[1].text_y - two[0].text_y);
        assert!(gaps.clone().all(|gap| gap >= LINE_HEIGHT * 12.0 - 1e-9), "{:?}", gaps.collect::<Vec<_>>());
        assert!(ends.rows[0].text_y >= 7.0 && (ends.rows[3].text_y - 60.0).abs() < 1.0, "{ends:?}");
        assert!(ends.slots >= 2, "whiskers side by side: {ends:?}");
    }

    #[test]
    fn an_interval_that_is_cut_at_the_end_of_the_axis_keeps_its_half_width() {
        let mut figure = figure(&[0.97]);
        figure.spread = Some(Spread::Interval95);
        figure.lines[0].band[0] = Band { x: 1.0, low: 0.97 - 0.0706, high: 1.0 };
        let ends = Ends::new(&figure, &BTreeSet::new(), mapping(), 12.0, EndText::Values { selected: None })
            .unwrap();
        assert!(ends.rows.iter().any(|end| end.texts == ["97.00", "± 7.06"]), "{ends:?}");
        figure.spread = Some(Spread::MinMax);
        let ends = Ends::new(&figure, &BTreeSet::new(), mapping(), 12.0, EndText::Values { selected: None })
            .unwrap();
        assert!(ends.rows.iter().any(|end| end.texts == ["97.00", "89.94–100.00"]), "{ends:?}");
    }

    #[test]
    fn a_mean_beside_unfinished_seeds_has_their_number_as_the_legend_has() {
        let mut figure = figure(&[0.9]);
        figure.lines[0].seeds = Some(Seeds { done: 2, planned: 3, running: 1 });
        let ends = Ends::new(&figure, &BTreeSet::new(), mapping(), 12.0, EndText::Values { selected: None })
            .unwrap();
        let end = ends.rows.iter().find(|end| end.name == "arm 0").unwrap();
        assert_eq!(end.texts.join(" "), "90.00 ± 1.00, 2 of 3");
    }

    #[test]
    fn on_a_reversed_axis_the_smallest_x_is_the_end() {
        let mut figure = figure(&[0.9]);
        assert_eq!(last_of(&figure, &figure.lines[0]).unwrap().0, [1.0, 0.9]);
        figure.x.reversed = true;
        assert_eq!(last_of(&figure, &figure.lines[0]).unwrap(), ([0.0, 0.5], None));
    }

    #[test]
    fn hidden_lines_and_those_out_of_sight_have_no_ends_and_of_many_lines_only_the_selected_one() {
        let of = |figure: &Figure, hidden: &[&str], selected| {
            let hidden = hidden.iter().map(|name| (*name).to_owned()).collect();
            let ends = Ends::new(figure, &hidden, mapping(), 12.0, EndText::Values { selected })?;
            Some(ends.rows.iter().map(|end| end.name.clone()).collect::<Vec<_>>())
        };
        assert_eq!(of(&figure(&[0.9; 4]), &[], None), None);
        assert_eq!(of(&figure(&[0.9; 4]), &[], Some("arm 2")), Some(vec!["arm 2".to_owned()]));
        assert_eq!(of(&figure(&[0.9, 0.1, 0.8]), &["arm 0"], None).unwrap().len(), 2);
    }

    #[test]
    fn values_have_the_colour_of_their_arm_and_a_gutter_that_does_not_change_with_them() {
        let ends = |values: &[f64]| {
            let text = EndText::Values { selected: None };
            Ends::new(&figure(values), &BTreeSet::new(), mapping(), 12.0, text).unwrap()
        };
        assert_eq!(ends(&[0.9, 0.8]).width, ends(&[0.9758, 0.6]).width);
        let theme = Theme::DarkScreen;
        let inks =
            ends(&[0.9]).items(0.0, 12.0, theme).into_iter().filter_map(|item| match (item.id, item.shape) {
                (Some(Id::Line(0)), Shape::Text(text, ink)) if !text.muted => Some(ink),
                _ => None,
            });
        assert_eq!(inks.collect::<Vec<_>>(), [style_of(0).rgb(theme)]);
    }
}
