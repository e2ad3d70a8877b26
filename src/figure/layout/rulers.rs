//! Axes with as many labels as fit.

use super::{AXIS_TITLE_GAP, Anchor, LABEL_GAP, LabelLook, MARGIN, Rect, Ruler, TICK, TICK_GAP, Text};
use crate::axis::Axis;
use crate::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit, width};
use crate::mapping::Mapping;
use crate::ticks::{Tick, ticks};

/// The y axis, with labels that do not touch; names are cut to the width `widest`.
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

/// The ticks of an axis of names, with labels of at most this width.
fn shortened_ticks(axis: &Axis, range: [f64; 2], wanted: usize, font: f64, widest: f64) -> Vec<Tick> {
    let mut ticks = ticks(axis, range, wanted);
    for label in ticks.iter_mut().filter_map(|tick| tick.label.as_mut()) {
        *label = fit(label, font, Weight::Regular, widest, 1).join(" ");
    }
    ticks
}

/// The width of the widest label.
pub fn widest_label(ticks: &[Tick], font: f64) -> f64 {
    ticks.iter().map(|tick| label_width(tick, font)).fold(0.0, f64::max)
}

/// The width of a tick's label; 0 without one.
fn label_width(tick: &Tick, font: f64) -> f64 {
    tick.label.as_ref().map_or(0.0, |label| width(label, font, Weight::Regular))
}

/// Rows of names with details are at least this high, in ems.
const DETAIL_ROW: f64 = 2.6;
/// Size of a detail, and half of its distance from the name, in ems.
const DETAIL: [f64; 2] = [0.8, 0.6];

/// The details of the names beside the vertical axis, by their places; none where rows are too low for a second line.
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

/// The width of the labels beside the vertical axis with their details.
pub fn width_beside(y: &Ruler, axis: &Axis, font: f64) -> f64 {
    let details = details(y, axis, font);
    let widths = details.iter().map(|(_, detail)| width(detail, DETAIL[0] * font, Weight::Regular));
    widths.fold(widest_label(&y.ticks, font), f64::max)
}

/// The left end of the plot, right of the title and the labels of y.
pub fn left_of_plot(y: &Ruler, axis: &Axis, title_lines: usize, font: f64) -> f64 {
    let title = if title_lines > 0 { title_lines as f64 * LINE_HEIGHT + AXIS_TITLE_GAP } else { 0.0 };
    width_beside(y, axis, font) + (MARGIN + title + TICK + TICK_GAP) * font
}

/// The x axis with as many labels as fit, and the right end of the plot. The last label stays within `limit`.
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
    fitting.unwrap_or_else(|| {
        let (mut sparse, right) = ruler(2);
        for index in crowded(&sparse, font) {
            sparse.ticks[index].label = None;
        }
        (sparse, right)
    })
}

/// The x axis between fixed ends, with as many labels as fit; none of them reaches further than `air` beyond the ends.
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
    let fitting = (2..=9).rev().map(ruler).find(|ruler| crowded(ruler, font).is_empty());
    fitting.unwrap_or_else(|| {
        let mut sparse = ruler(2);
        for index in crowded(&sparse, font) {
            sparse.ticks[index].label = None;
        }
        sparse
    })
}

/// Names smaller than this, in ems, are unreadable.
const SMALLEST_NAME: f64 = 0.7;
/// Rotated names are at most this long, in ems of the font.
const LONGEST_UPWARDS: f64 = 6.0;

/// All names if they fit, smaller or rotated if necessary; otherwise shortened names if enough of them remains, otherwise
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

/// The ticks whose labels are too close to the one before.
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

/// The labels of the vertical axis, left of the plot.
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

/// The labels of the horizontal axis.
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

/// The height of the labels of the horizontal axis.
pub fn label_height(x: &Ruler, font: f64) -> f64 {
    if x.labels.upwards { widest_label(&x.ticks, x.labels.size * font) } else { CAP_HEIGHT * font }
}
