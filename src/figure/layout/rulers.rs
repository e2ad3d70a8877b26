//! Axes with as many labels as fit.

use super::{
    AXIS_TITLE_GAP, Anchor, DESCENT, LABEL_GAP, LEGEND_GAP, LabelLook, MARGIN, Rect, Ruler, TICK, TICK_GAP,
    Text,
};
use crate::axis::{Axis, Mapping, Tick, ticks};
use crate::cells::Cells;
use crate::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit, width};
use crate::model::Figure;

/// Returns the y axis, with labels that do not touch; names are cut to the width `widest`.
pub fn y_ruler(axis: &Axis, range: [f64; 2], ends: [f64; 2], font: f64, widest: f64) -> Ruler {
    let mapping = Mapping::new(axis, range, ends);
    let height = (ends[0] - ends[1]) / font;
    if !axis.categories.is_empty() {
        let wanted = (height / NAME_HEIGHT).max(1.0) as usize;
        let ticks = shortened_ticks(axis, range, wanted, font, widest);
        return Ruler { mapping, ticks, labels: LabelLook::default() };
    }
    let space = height / 2.6;
    let wanted = [8_u8, 7, 6, 5, 4, 3].into_iter().find(|wanted| f64::from(*wanted) <= space).unwrap_or(2);
    Ruler { mapping, ticks: ticks(axis, range, usize::from(wanted)), labels: LabelLook::default() }
}

/// Distance between names beside the vertical axis, in ems.
const NAME_HEIGHT: f64 = 1.1;
/// Names below the horizontal axis keep at least this width, in ems.
const SHORTEST_NAME: f64 = 4.0;

/// Returns the ticks of an axis of names, with labels of at most this width.
fn shortened_ticks(axis: &Axis, range: [f64; 2], wanted: usize, font: f64, widest: f64) -> Vec<Tick> {
    let mut ticks = ticks(axis, range, wanted);
    for label in ticks.iter_mut().filter_map(|tick| tick.label.as_mut()) {
        *label = fit(label, font, Weight::Regular, widest, 1).join(" ");
    }
    ticks
}

pub fn widest_label(ticks: &[Tick], font: f64) -> f64 {
    ticks.iter().map(|tick| label_width(tick, font)).fold(0.0, f64::max)
}

fn label_width(tick: &Tick, font: f64) -> f64 {
    tick.label.as_ref().map_or(0.0, |label| width(label, font, Weight::Regular))
}

/// Rows of names with details are at least this high, in ems.
const DETAIL_ROW: f64 = 2.6;
/// Size of a detail, and half of its distance from the name, in ems.
const DETAIL: [f64; 2] = [0.8, 0.6];

/// Returns the details of the names beside the vertical axis, by their places; none where rows are too low for a second line.
fn details<'a>(y: &Ruler, axis: &'a Axis, font: f64) -> Vec<(f64, &'a str)> {
    let places: Vec<f64> = y.labelled().map(|(place, _)| place).collect();
    let is_low = places.windows(2).any(|two| (two[1] - two[0]).abs() < DETAIL_ROW * font);
    let labelled = y.ticks.iter().filter(|tick| tick.label.is_some() && !is_low);
    let detail = |tick: &Tick| {
        let category = axis.categories.get(axis.category(tick.value)?)?;
        let place = y.mapping.place(tick.value)?;
        (!category.detail.is_empty()).then_some((place, category.detail.as_str()))
    };
    labelled.filter_map(detail).collect()
}

/// Returns the width of the labels beside the vertical axis with their details.
pub fn width_beside(y: &Ruler, axis: &Axis, font: f64) -> f64 {
    let details = details(y, axis, font);
    let widths = details.iter().map(|(_, detail)| width(detail, DETAIL[0] * font, Weight::Regular));
    widths.fold(widest_label(&y.ticks, font), f64::max)
}

/// Returns the left end of the plot, right of the title and the labels of y.
pub fn left_of_plot(y: &Ruler, axis: &Axis, title_lines: usize, font: f64) -> f64 {
    let title = if title_lines > 0 { title_lines as f64 * LINE_HEIGHT + AXIS_TITLE_GAP } else { 0.0 };
    width_beside(y, axis, font) + (MARGIN + title + TICK + TICK_GAP) * font
}

/// Returns the x axis with as many labels as fit, and the right end of the plot. The last label stays within `limit`.
pub fn x_ruler(axis: &Axis, range: [f64; 2], left: f64, limit: f64, font: f64) -> (Ruler, f64) {
    if !axis.categories.is_empty() {
        let right = limit.max(left + font);
        return (names_ruler(axis, range, [left, right], font), right);
    }
    let ruler = |wanted: usize| {
        let ticks = ticks(axis, range, wanted);
        let right = (limit - widest_label(&ticks, font) / 2.0).max(left + font);
        let mapping = Mapping::new(axis, range, [left, right]);
        (Ruler { mapping, ticks, labels: LabelLook::default() }, right)
    };
    let fitting = (3..=9).rev().map(ruler).find(|(ruler, _)| crowded(ruler, font).is_empty());
    let (ruler, right) = fitting.unwrap_or_else(|| ruler(2));
    (uncrowded(ruler, font), right)
}

/// Returns the x axis between fixed ends, with as many labels as fit; none of them reaches further than `air` beyond the ends.
pub fn fixed_x_ruler(axis: &Axis, range: [f64; 2], ends: [f64; 2], air: f64, font: f64) -> Ruler {
    if !axis.categories.is_empty() {
        return names_ruler(axis, range, ends, font);
    }
    let mapping = Mapping::new(axis, range, ends);
    let ruler = |wanted: usize| {
        let mut ruler = Ruler { mapping, ticks: ticks(axis, range, wanted), labels: LabelLook::default() };
        let [low, high] = [ends[0] - air, ends[1] + air];
        for tick in &mut ruler.ticks {
            let half = label_width(tick, font) / 2.0;
            let fits = |place: f64| place - half >= low && place + half <= high;
            if !mapping.place(tick.value).is_some_and(fits) {
                tick.label = None;
            }
        }
        ruler
    };
    let fitting = (3..=9).rev().map(ruler).find(|ruler| crowded(ruler, font).is_empty());
    uncrowded(fitting.unwrap_or_else(|| ruler(2)), font)
}

/// Names smaller than this, in ems, are unreadable.
const SMALLEST_NAME: f64 = 0.7;
/// Rotated names are at most this long, in ems of the font.
const LONGEST_UPWARDS: f64 = 6.0;

/// Returns all names if they fit, smaller or rotated if necessary; otherwise shortened names if enough of them remains, otherwise
/// every nth.
pub fn names_ruler(axis: &Axis, range: [f64; 2], ends: [f64; 2], font: f64) -> Ruler {
    let mapping = Mapping::new(axis, range, ends);
    let ruler = |wanted: usize, widest: f64| Ruler {
        mapping,
        ticks: shortened_ticks(axis, range, wanted, font, widest),
        labels: LabelLook::default(),
    };
    let has_room_at = |ruler: &Ruler, font: f64| {
        let is_inside = |tick: &Tick| {
            let half = label_width(tick, font) / 2.0;
            let place = ruler.mapping.place(tick.value);
            place.is_none_or(|place| place - half >= MARGIN * font && place + half <= ends[1])
        };
        crowded(ruler, font).is_empty() && ruler.ticks.iter().all(is_inside)
    };
    let has_room = |ruler: &Ruler| has_room_at(ruler, font);
    let all = ruler(usize::MAX, f64::INFINITY);
    let widest = ends[1] - ends[0];
    let each = widest / all.ticks.len().max(1) as f64;
    if has_room(&all) {
        return all;
    }
    if has_room_at(&all, SMALLEST_NAME * font) {
        return Ruler { labels: LabelLook { size: SMALLEST_NAME, upwards: false }, ..all };
    }
    let size = SMALLEST_NAME.max((each / (1.3 * CAP_HEIGHT * font)).min(1.0));
    let longest = widest_label(&all.ticks, size * font);
    if each >= 1.25 * CAP_HEIGHT * SMALLEST_NAME * font && longest <= LONGEST_UPWARDS * font {
        return Ruler { labels: LabelLook { size, upwards: true }, ..all };
    }
    if each >= (SHORTEST_NAME + LABEL_GAP) * font {
        return ruler(usize::MAX, each - LABEL_GAP * font);
    }
    let fitting =
        (1..all.ticks.len()).rev().map(|wanted| ruler(wanted, widest.min(10.0 * font))).find(has_room);
    fitting.unwrap_or_else(|| ruler(1, each))
}

/// Leaves out labels that are too close to the one before.
fn uncrowded(mut ruler: Ruler, font: f64) -> Ruler {
    for index in crowded(&ruler, font) {
        ruler.ticks[index].label = None;
    }
    ruler
}

/// Returns the ticks whose labels are too close to the one before.
fn crowded(ruler: &Ruler, font: f64) -> Vec<usize> {
    let mut last: Option<[f64; 2]> = None;
    let mut crowded = Vec::new();
    for (index, tick) in ruler.ticks.iter().enumerate().filter(|(_, tick)| tick.label.is_some()) {
        let Some(place) = ruler.mapping.place(tick.value) else { continue };
        let half = label_width(tick, font) / 2.0;
        let near = |[start, end]: [f64; 2]| {
            place - half < end + LABEL_GAP * font && place + half > start - LABEL_GAP * font
        };
        if last.is_some_and(near) {
            crowded.push(index);
        } else {
            last = Some([place - half, place + half]);
        }
    }
    crowded
}

/// Returns the labels of the vertical axis, left of the plot.
pub fn y_labels(y: &Ruler, axis: &Axis, plot: Rect, font: f64) -> Vec<Text> {
    let end = plot.left - (TICK + TICK_GAP) * font;
    let half = CAP_HEIGHT * font / 2.0;
    let details = details(y, axis, font);
    let shift = DETAIL[1] * font;
    let names = y.labelled().map(|(place, label)| {
        let has_detail = details.iter().any(|(at, _)| at.total_cmp(&place).is_eq());
        let base = place + half - if has_detail { shift } else { 0.0 };
        Text::new(label, [end, base], Anchor::End, font)
    });
    let details = details.iter().map(|(place, detail)| {
        let at = [end, place + half * DETAIL[0] + shift];
        Text { muted: true, ..Text::new(detail, at, Anchor::End, DETAIL[0] * font) }
    });
    names.chain(details).collect()
}

pub fn x_labels(x: &Ruler, plot: Rect, font: f64) -> Vec<Text> {
    let (top, size) = (plot.bottom + (TICK + TICK_GAP) * font, x.labels.size * font);
    let label = |(place, label): (f64, &str)| {
        if x.labels.upwards {
            let at = [place + CAP_HEIGHT * size / 2.0, top];
            return Text { upwards: true, ..Text::new(label, at, Anchor::End, size) };
        }
        Text::new(label, [place, top + CAP_HEIGHT * font], Anchor::Middle, size)
    };
    x.labelled().map(label).collect()
}

pub fn label_height(x: &Ruler, font: f64) -> f64 {
    if x.labels.upwards { widest_label(&x.ticks, x.labels.size * font) } else { CAP_HEIGHT * font }
}

/// From the labels of the axis down to the bracket, in ems.
const BRACKET_GAP: f64 = 0.4;
/// From the bracket down to its name.
const GROUP_GAP: f64 = 0.35;
/// Free space at each end of a bracket, as a share of a category.
const INSET: f64 = 0.12;

/// Returns the height that groups need below the labels of the axis.
pub fn groups_height(axis: &Axis, font: f64) -> f64 {
    if axis.groups().is_empty() { 0.0 } else { (BRACKET_GAP + GROUP_GAP + CAP_HEIGHT + DESCENT) * font }
}

/// Returns brackets as lines, and the names below them. Names move aside so as not to touch; one is left out where all have
/// no room.
pub fn groups(axis: &Axis, ruler: &Ruler, plot: Rect, font: f64) -> (Vec<[[f64; 2]; 2]>, Vec<Text>) {
    let y = plot.bottom + (TICK + TICK_GAP + BRACKET_GAP) * font + label_height(ruler, font);
    let base = y + (GROUP_GAP + CAP_HEIGHT) * font;
    let (mut brackets, mut names): (Vec<[[f64; 2]; 2]>, Vec<(&str, [f64; 2])>) = (Vec::new(), Vec::new());
    for (name, [first, last]) in axis.groups() {
        let ends = [first as f64 - 0.5 + INSET, last as f64 + 0.5 - INSET];
        let [Some(from), Some(to)] = ends.map(|end| ruler.mapping.place(end)) else { continue };
        if from < plot.left - 0.01 || to > plot.right + 0.01 {
            continue;
        }
        brackets.push([[from, y], [to, y]]);
        let (middle, width) = (f64::midpoint(from, to), width(name, font, Weight::Regular));
        names.push((name, [middle - width / 2.0, width]));
    }
    let natural: Vec<f64> = names.iter().map(|(_, [left, _])| *left).collect();
    let widths: Vec<f64> = names.iter().map(|(_, [_, width])| *width).collect();
    let mut lefts = natural.clone();
    spread(&mut lefts, &widths, plot.right, font / 2.0);
    let is_out = |(left, natural): (&f64, &f64)| *left < natural.min(plot.left) - 0.01;
    if lefts.iter().zip(&natural).any(is_out) {
        lefts = natural; // all of them have no room
    }
    let mut end = f64::NEG_INFINITY;
    let mut texts = Vec::new();
    for ((name, [_, width]), left) in names.into_iter().zip(lefts) {
        if left >= end && left + width <= plot.right + 0.01 {
            texts.push(Text::new(name, [left + width / 2.0, base], Anchor::Middle, font));
            end = left + width + font / 2.0 - 0.01;
        }
    }
    (brackets, texts)
}

/// Moves texts of these widths aside, from left to right and then from the right end back, so that they do not touch.
fn spread(lefts: &mut [f64], widths: &[f64], right: f64, gap: f64) {
    let mut end = f64::NEG_INFINITY;
    for (left, width) in lefts.iter_mut().zip(widths) {
        *left = left.max(end);
        end = *left + width + gap;
    }
    let mut limit = right;
    for (left, width) in lefts.iter_mut().zip(widths).rev() {
        *left = left.min(limit - width);
        limit = *left - gap;
    }
}

/// The strip of colours with its axis.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleBar {
    /// The strip, with low values at the bottom.
    pub rect: Rect,
    pub ruler: Ruler,
}

const STRIP: f64 = 1.3;

/// A colour scale before the width of the plot is known.
pub struct UnplacedScaleBar {
    ruler: Ruler,
    title: Vec<String>,
    font: f64,
    labels: f64,
}

impl UnplacedScaleBar {
    pub fn new(cells: &Cells, ends: [f64; 2], font: f64) -> Self {
        let ruler = y_ruler(&cells.axis, cells.range(), ends, font, f64::INFINITY);
        let title = fit(&cells.axis.label(), font, Weight::Regular, ends[0] - ends[1], 1);
        let labels = widest_label(&ruler.ticks, font);
        Self { ruler, title, font, labels }
    }

    /// Returns the width that it needs at the right of the plot.
    pub fn width(&self) -> f64 {
        let title = if self.title.is_empty() { 0.0 } else { LINE_HEIGHT + AXIS_TITLE_GAP };
        self.labels + (LEGEND_GAP + STRIP + TICK + TICK_GAP + title) * self.font
    }

    /// Returns the strip beside a plot, and its texts.
    pub fn placed(self, plot: Rect) -> (ScaleBar, Vec<Text>) {
        let Self { font, labels, ruler, title } = self;
        let left = plot.right + LEGEND_GAP * font;
        let rect = Rect { left, right: left + STRIP * font, ..plot };
        let start = rect.right + (TICK + TICK_GAP) * font;
        let half = CAP_HEIGHT * font / 2.0;
        let text = |(place, label)| Text::new(label, [start + labels, place + half], Anchor::End, font);
        let mut texts: Vec<Text> = ruler.labelled().map(text).collect();
        let base = start + labels + (AXIS_TITLE_GAP + LINE_HEIGHT - DESCENT) * font;
        let middle = f64::midpoint(plot.top, plot.bottom);
        let title = title.iter().map(|line| Text::new(line, [base, middle], Anchor::Middle, font));
        texts.extend(title.map(|text| Text { upwards: true, ..text }));
        (ScaleBar { rect, ruler }, texts)
    }
}

/// One of several parallel axes on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Upright {
    pub x: f64,
    pub ruler: Ruler,
    /// The labels of its ticks, each with a patch of background that covers lines behind it.
    pub labels: Vec<(Rect, Text)>,
}

const SIZE: f64 = 0.85;
/// Distance from a label to the axis, in ems.
const GAP: f64 = 0.5;
/// Background around a label, in ems.
const RIM: f64 = 0.15;

/// Distance between rows of names, in ems.
const ROW: f64 = CAP_HEIGHT + 2.0 * TICK_GAP;
/// Gap between two names in a row, in ems.
const NAME_GAP: f64 = 0.8;

/// Returns the rows of names above this number of axes: with more than five, every other name is higher.
pub fn rows(axes: usize) -> u8 {
    if axes > 5 { 2 } else { 1 }
}

/// Returns the height of the names above this number of axes, in ems.
pub fn names_height(axes: usize) -> f64 {
    if axes == 0 { 0.0 } else { f64::from(rows(axes)) * ROW }
}

/// Returns the parallel axes of a figure at their positions along x.
pub fn uprights(figure: &Figure, x: &Ruler, plot: Rect, font: f64) -> Vec<Upright> {
    let space = (plot.right - plot.left) / figure.parallel.len().max(1) as f64;
    let upright = |(place, axis): (f64, &Axis)| {
        let x = x.mapping.place(place)?;
        // There is less space left of the first axis than between two.
        let space = if place > 0.0 { space } else { x - plot.left + RIM * font };
        let widest = space - (GAP + 2.0 * RIM) * font;
        let ruler = y_ruler(axis, axis.range.unwrap_or([0.0, 1.0]), [plot.bottom, plot.top], font, widest);
        let labels = upright_labels(&ruler, x, widest, font, !axis.categories.is_empty());
        Some(Upright { x, ruler, labels })
    };
    let places = (0_u32..).map(f64::from);
    places.zip(&figure.parallel).filter_map(upright).collect()
}

fn upright_labels(ruler: &Ruler, x: f64, widest: f64, font: f64, is_named: bool) -> Vec<(Rect, Text)> {
    let size = SIZE * font;
    let label = |(place, label): (f64, &str)| {
        let words = fit(label, size, Weight::Regular, widest, 1).join(" ");
        // A shortened number would be a different one.
        if !is_named && words != label {
            return None;
        }
        let right = x - GAP * font;
        let base = place + CAP_HEIGHT * size / 2.0;
        let rect = Rect {
            left: right - width(&words, size, Weight::Regular) - RIM * font,
            right: right + RIM * font,
            top: base - CAP_HEIGHT * size - RIM * font,
            bottom: base + RIM * font,
        };
        Some((rect, Text::new(&words, [right, base], Anchor::End, size)))
    };
    ruler.labelled().filter_map(label).collect()
}

/// Returns the names above the axes, shortened so that they do not touch.
pub fn names_of_axes(figure: &Figure, x: &Ruler, plot: Rect, font: f64) -> Vec<Text> {
    let axes = figure.parallel.len();
    let rows = rows(axes);
    let space = (plot.right - plot.left) / axes.max(1) as f64 * f64::from(rows) - NAME_GAP * font;
    let name = |(nth, axis): (u32, &Axis)| {
        let place = x.mapping.place(f64::from(nth))?;
        let row = nth % u32::from(rows);
        let base = plot.top - (2.0 * TICK_GAP + f64::from(row) * ROW) * font;
        let name = fit(&axis.label(), font, Weight::Regular, space, 1).join(" ");
        let half = width(&name, font, Weight::Regular) / 2.0;
        // The first and the last name stay on the page.
        let middle = place.max(plot.left + half).min((plot.right - half).max(plot.left + half));
        Some(Text::new(&name, [middle, base], Anchor::Middle, font))
    };
    (0..).zip(&figure.parallel).filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_touch_or_leave_the_figure_move_aside() {
        // "sign" and "exponent" over narrow groups, "mantissa" over a single bit at the right end.
        let (mut lefts, widths) = ([0.0, 10.0, 70.0], [15.0, 35.0, 36.0]);
        spread(&mut lefts, &widths, 100.0, 4.0);
        assert_eq!(lefts, [0.0, 19.0, 64.0]);
        let mut apart = [0.0, 40.0];
        spread(&mut apart, &[15.0, 20.0], 100.0, 4.0);
        assert_eq!(apart, [0.0, 40.0], "with room, each is below its bracket");
    }
}
