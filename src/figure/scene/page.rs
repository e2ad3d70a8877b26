//! A whole page: data, grid, axes, texts and the legend.

use std::collections::BTreeSet;

use super::areas::{HATCH, hatching};
use super::lines::{RunLook, in_drawing_order, mark, parallel_axes, run};
use super::{
    AXIS, Detail, GRID, Id, Ink, Item, LINE, Look, MARKER, Pen, Point, Shape, Surface, areas, bands, ground,
    over, segments,
};
use crate::cells::Ink as CellInk;
use crate::font::LINE_HEIGHT;
use crate::layout::{Anchor, Layout, Rect, ScaleBar, TICK, Text, layout, outside};
use crate::legend::Sample;
use crate::model::{Figure, FigureLook};
use crate::options::Options;
use crate::palette::{Marker, Rgb, Theme, colour};
use results::page::{Corner, LegendPlace};

/// Between a legend within the plot and the axes, in ems.
const INSET: f64 = 0.6;
/// Opacity of the ground behind such a legend.
const PATCH: f64 = 0.85;

/// Returns the items of a figure on its page, and the size of the page. A legend that would cover data in every corner is above.
pub fn drawn(figure: &Figure, options: &Options) -> (Vec<Item>, [f64; 2]) {
    let Placed { items, page, .. } = placed(figure, options);
    (items, page)
}

/// Facts about a page that depend on its room.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PageFacts {
    /// The place of the legend, which is above or beside the plot if the chosen one has no room.
    pub legend: LegendPlace,
    /// The size of the smallest text in points; `None` without any.
    pub least_text: Option<f64>,
    pub has_cell_texts: bool,
}

pub fn page_facts(figure: &Figure, options: &Options) -> PageFacts {
    let Placed { items, legend, .. } = placed(figure, options);
    let mut facts = PageFacts { legend, ..PageFacts::default() };
    for item in flat(&items) {
        if let Shape::Text(text, _) = &item.shape {
            facts.least_text = Some(facts.least_text.map_or(text.size, |least| least.min(text.size)));
            facts.has_cell_texts |= matches!(item.id, Some(Id::Cell(_)));
        }
    }
    facts
}

struct Placed {
    items: Vec<Item>,
    page: [f64; 2],
    legend: LegendPlace,
}

fn placed(figure: &Figure, options: &Options) -> Placed {
    let figure = &*options.styled(figure);
    let mut layout = layout(figure, options);
    let (mut items, covered) = page(figure, &layout, options);
    if options.size.legend == LegendPlace::Inside && covered > MOST_COVERED * layout.font {
        layout = outside(figure, options);
        items = page(figure, &layout, options).0;
    }
    Placed { items, page: layout.page, legend: layout.place }
}

/// Returns the items of a page, and how much of the data its legend covers, as [`emptiest`] counts.
fn page(figure: &Figure, layout: &Layout<'_>, options: &Options) -> (Vec<Item>, f64) {
    let (font, theme) = (layout.font, options.theme);
    let whole = Rect { left: 0.0, top: 0.0, right: layout.page[0], bottom: layout.page[1] };
    let mut items = vec![Shape::Rect(whole, Ink::new(theme.ground()), None).plain()];
    let data = match &figure.facets {
        None => contents(figure, layout, (options, &figure.look), &mut items),
        Some(facets) => {
            for (panel, layout) in facets.panels.iter().zip(&layout.panels) {
                contents(&panel.figure, layout, (options, &figure.look), &mut items);
                items.extend(layout.texts.iter().map(|text| written(text.clone(), theme)));
            }
            items.extend(scale_bar(figure, layout.scale_bar.as_ref(), font, theme));
            Vec::new()
        }
    };
    items.extend(layout.texts.iter().map(|text| written(text.clone(), theme)));
    if let Some(ends) = &layout.ends {
        items.extend(ends.items(layout.plot.right, font, theme));
    }
    let (legend, covered) = legend(figure, layout, theme, &data);
    items.extend(legend);
    (items, covered)
}

/// Adds the data and the axes of a figure or of a panel; returns the data.
fn contents(
    figure: &Figure,
    layout: &Layout<'_>,
    (options, look): (&Options, &FigureLook),
    items: &mut Vec<Item>,
) -> Vec<Item> {
    let theme = options.theme;
    if !figure.parallel.is_empty() {
        items.extend(runs(figure, layout, theme));
        items.extend(parallel_axes(&layout.parallel, layout.plot, layout.font, theme));
        items.extend(scale_bar(figure, layout.scale_bar.as_ref(), layout.font, theme));
        return Vec::new();
    }
    let hidden = BTreeSet::new();
    let (intervals, selected) = (options.intervals_of(look, figure), look.selected.as_deref());
    let (area, em) = (layout.plot, layout.font);
    let look = Look { hidden: &hidden, highlighted: None, selected, intervals, detail: Detail::Print };
    let surface = Surface { figure, x: layout.x.mapping, y: layout.y.mapping, area, em, theme, look };
    items.extend(grid(figure, layout, theme));
    let data = [ground(&surface), bands(&surface), over(&surface)].concat();
    items.extend(data.clone());
    items.extend(scale_bar(figure, layout.scale_bar.as_ref(), layout.font, theme));
    items.push(axes(layout, theme));
    data
}

/// Returns the colour scale of a heat map, or of runs.
pub fn scale_bar(figure: &Figure, bar: Option<&ScaleBar>, font: f64, theme: Theme) -> Vec<Item> {
    match figure.scale().zip(bar).filter(|_| figure.has_data()) {
        Some((cells, bar)) => areas::scale_bar(cells, bar, font, theme),
        None => Vec::new(),
    }
}

pub fn written(text: Text, theme: Theme) -> Item {
    let colour = if text.muted { theme.muted() } else { theme.ink() };
    Shape::Text(text, colour).plain()
}

/// Returns the grid: lines at labels, but not at names, and not below cells.
pub fn grid(figure: &Figure, layout: &Layout<'_>, theme: Theme) -> Option<Item> {
    if figure.cells.is_some() {
        return None;
    }
    let plot = layout.plot;
    let upright = layout.x.tick_places(true).map(|x| [[x, plot.top], [x, plot.bottom]]);
    let level = layout.y.tick_places(true).map(|y| [[plot.left, y], [plot.right, y]]);
    let upright = upright.filter(|_| figure.x.categories.is_empty());
    let points = segments(upright.chain(level.filter(|_| figure.y.categories.is_empty())));
    let pen = Pen::new(Ink::new(theme.grid()), GRID * layout.font);
    (!points.is_empty()).then(|| Shape::Line(points, pen).plain())
}

/// Returns both axes and their ticks, over the data, so that a line along an axis does not hide it.
pub fn axes(layout: &Layout<'_>, theme: Theme) -> Item {
    let (plot, font) = (layout.plot, layout.font);
    let mut lines = vec![
        [[plot.left, plot.top], [plot.left, plot.bottom]],
        [[plot.left, plot.bottom], [plot.right, plot.bottom]],
    ];
    for (labelled, length) in [(true, TICK * font), (false, TICK * font * 0.6)] {
        lines.extend(layout.x.tick_places(labelled).map(|x| [[x, plot.bottom], [x, plot.bottom + length]]));
        lines.extend(layout.y.tick_places(labelled).map(|y| [[plot.left - length, y], [plot.left, y]]));
    }
    lines.extend(&layout.brackets);
    Shape::Line(segments(lines), Pen::new(Ink::new(theme.axis()), AXIS * font)).plain()
}

fn runs(figure: &Figure, layout: &Layout<'_>, theme: Theme) -> Vec<Item> {
    let look = RunLook { strength: 1.0, is_pointed: false };
    let runs = in_drawing_order(figure).into_iter();
    runs.filter_map(|id| run(figure, id, &layout.parallel, layout.font, theme, look)).collect()
}

fn legend(figure: &Figure, layout: &Layout<'_>, theme: Theme, data: &[Item]) -> (Vec<Item>, f64) {
    let legend = &layout.legend;
    if legend.rows.is_empty() {
        return (Vec::new(), 0.0);
    }
    let (font, mut covered) = (legend.font, 0.0);
    let size = [legend.width + 2.0 * INSET * font, legend.height + 2.0 * INSET * font];
    let corner = match layout.place {
        LegendPlace::Corner(corner) => Some((corner, 0.0)),
        LegendPlace::Inside => Some(emptiest(data, layout.plot, size, None)),
        LegendPlace::LineEnds
        | LegendPlace::Right
        | LegendPlace::Above
        | LegendPlace::Below
        | LegendPlace::Hidden => None,
    };
    let [left, top] = corner.map_or(layout.legend_at, |(corner, weight)| {
        covered = weight;
        let rect = in_corner(layout.plot, corner, size);
        [rect.left + INSET * font, rect.top + INSET * font]
    });
    let mut items = Vec::new();
    if corner.is_some() {
        let air = 0.3 * font;
        let rect = Rect {
            left: left - air,
            top: top - air,
            right: left + legend.width + air,
            bottom: top + legend.height + air,
        };
        items.push(Shape::Rect(rect, Ink::new(theme.ground()).faint(PATCH), None).plain());
    }
    let ground = theme.ground();
    let look = SampleLook { em: font, theme, ground, strength: 1.0, is_of_marks: figure.is_of_marks() };
    for row in &legend.rows {
        for (one, ends) in &row.samples {
            items.extend(sample(one, ends.map(|x| [x + left, row.middle + top]), look));
        }
        let [x, mut y] = [row.text[0] + left, row.text[1] + top];
        for (nth, line) in row.lines.iter().enumerate() {
            let text = Text::new(line, [x, y], Anchor::Start, font);
            items.push(written(Text { muted: nth >= row.name_lines, ..text }, theme));
            y += LINE_HEIGHT * font;
        }
    }
    (items, covered)
}

/// Returns a rectangle of this size in a corner of another one.
pub fn in_corner(area: Rect, corner: Corner, [width, height]: [f64; 2]) -> Rect {
    let (is_left, is_top) = match corner {
        Corner::BottomRight => (false, false),
        Corner::BottomLeft => (true, false),
        Corner::TopRight => (false, true),
        Corner::TopLeft => (true, true),
    };
    let left = if is_left { area.left } else { area.right - width };
    let top = if is_top { area.top } else { area.bottom - height };
    Rect { left, top, right: left + width, bottom: top + height }
}

/// Points of lines that a corner may cover more than the emptiest one, before a legend leaves it.
const SLACK: f64 = 40.0;

/// A legend in a corner covers at most so much, in ems of lines.
pub const MOST_COVERED: f64 = 1.0;

/// Returns the corner where a rectangle of this size covers the fewest lines, and the points of lines that it covers; the
/// `preferred` corner if it is nearly as empty.
pub fn emptiest(items: &[Item], area: Rect, size: [f64; 2], preferred: Option<Corner>) -> (Corner, f64) {
    let rects = Corner::ALL.map(|corner| in_corner(area, corner, size));
    let covered = weigh(items, &rects);
    let least = covered.iter().copied().fold(f64::INFINITY, f64::min);
    let kept = preferred.and_then(|own| Corner::ALL.iter().position(|corner| *corner == own));
    // One that is nearly as empty stays, so that a legend does not jump while data arrive.
    let kept = kept.filter(|index| covered[*index] <= least + SLACK);
    let best = || covered.iter().position(|covered| *covered <= least);
    kept.or_else(best).map_or_else(Default::default, |index| (Corner::ALL[index], covered[index]))
}

/// Returns the length of lines within each rectangle; bands and single runs count less than means.
fn weigh(items: &[Item], rects: &[Rect; 4]) -> [f64; 4] {
    const STEP: f64 = 4.0;
    let mut covered = [0.0; 4];
    let mut add = |[x, y]: Point, weight: f64| {
        for (rect, covered) in rects.iter().zip(&mut covered) {
            if (rect.left..=rect.right).contains(&x) && (rect.top..=rect.bottom).contains(&y) {
                *covered += weight;
            }
        }
    };
    for item in flat(items) {
        match &item.shape {
            Shape::Line(points, pen) => {
                for two in points.windows(2).filter(|two| two.iter().flatten().all(|end| end.is_finite())) {
                    let length = f64::hypot(two[1][0] - two[0][0], two[1][1] - two[0][1]).min(4e3);
                    let steps = (length / STEP).ceil().max(1.0);
                    for step in 0..steps as u32 {
                        let share = (f64::from(step) + 0.5) / steps;
                        let at = [0, 1].map(|axis| two[0][axis] + share * (two[1][axis] - two[0][axis]));
                        add(at, length / steps * pen.ink.opacity);
                    }
                }
            }
            Shape::Band(columns, ink) => {
                for [x, top, bottom] in columns {
                    for y in [*top, f64::midpoint(*top, *bottom), *bottom] {
                        add([*x, y], STEP * ink.opacity);
                    }
                }
            }
            Shape::Mark(mark) => add(mark.at, 2.0 * mark.radius * mark.ink.opacity),
            Shape::Rect(..) | Shape::Text(..) | Shape::Image(_) | Shape::Clip(..) => {}
        }
    }
    covered
}

/// The size of the text, the colours, and the ground of a legend.
#[derive(Clone, Copy, Debug)]
pub struct SampleLook {
    pub em: f64,
    pub theme: Theme,
    pub ground: Rgb,
    /// Less for what is hidden.
    pub strength: f64,
    /// True if x has names: lines are separate marks.
    pub is_of_marks: bool,
}

/// Returns a sample between two ends of its middle line.
pub fn sample(sample: &Sample<'_>, [from, to]: [Point; 2], look: SampleLook) -> Vec<Item> {
    let SampleLook { em, theme, ground, strength, is_of_marks } = look;
    let swatch = |rgb: Rgb| {
        let half = 0.4 * em;
        let rect = Rect { left: from[0], right: to[0], top: from[1] - half, bottom: from[1] + half };
        vec![Shape::Rect(rect, Ink::new(rgb).faint(strength), None).plain()]
    };
    match sample {
        Sample::Bars(bars) => swatch(bars.rgb(theme)),
        Sample::Kind(kind) => {
            let mut items = kind.ink.rgb(theme).map(swatch).unwrap_or_default();
            if let (CellInk::Hatched, Some(Shape::Rect(rect, ..))) =
                (kind.ink, items.first().map(|item| &item.shape))
            {
                let ink = Ink::new(theme.pale()).faint(strength);
                let lines = hatching(*rect, HATCH[0] * em);
                items.push(Shape::Line(lines, Pen::new(ink, HATCH[1] * em)).plain());
            }
            items
        }
        Sample::Reference(line) => {
            let own = line.colour.map_or(theme.muted(), |index| colour(index, theme));
            let pen = Pen::new(Ink::new(own).faint(strength), LINE * em).dashed(line.dash);
            vec![Shape::Line(vec![from, to], pen).plain()]
        }
        Sample::Line(line) => {
            let ink = line.style.ink(theme).faint(strength);
            let middle = [f64::midpoint(from[0], to[0]), from[1]];
            let mark = mark(line.style, middle, ink, em, ground);
            let pen = Pen::new(ink, LINE * em).dashed(line.style.dash);
            let through = if (is_of_marks || !line.names.is_empty()) && line.style.marker != Marker::None {
                None
            } else if mark.is_some() {
                // The pattern starts at the marker on both sides, so that a short sample shows it.
                let inset = MARKER * em * 1.1;
                let (left, right) = ([middle[0] - inset, from[1]], [middle[0] + inset, from[1]]);
                Some(super::segments([[left, from], [right, to]]))
            } else {
                Some(vec![from, to])
            };
            let line = through.map(|points| Shape::Line(points, pen).plain());
            line.into_iter().chain(mark.map(|mark| Shape::Mark(mark).plain())).collect()
        }
    }
}

/// Returns the nearest line or run whose ink is at most `reach` points from a place.
pub fn nearest(items: &[Item], at: Point, reach: f64) -> Option<Id> {
    let distance = |item: &Item| match &item.shape {
        Shape::Line(points, _) => {
            let ends = points.windows(2).map(|two| to_segment(at, two[0], two[1]));
            Some(ends.fold(f64::INFINITY, f64::min)) // NaN is ignored
        }
        Shape::Band(columns, ink) if ink.opacity >= 1.0 => {
            let beside = |[x, top, bottom]: &[f64; 3]| {
                f64::hypot(x - at[0], (top - at[1]).max(at[1] - bottom).max(0.0))
            };
            Some(columns.iter().map(beside).fold(f64::INFINITY, f64::min))
        }
        Shape::Mark(mark) => Some(f64::hypot(mark.at[0] - at[0], mark.at[1] - at[1])),
        Shape::Band(..) | Shape::Rect(..) | Shape::Text(..) | Shape::Image(_) | Shape::Clip(..) => None,
    };
    let found = flat(items).filter_map(|item| Some((distance(item)?, item.id?)));
    let near = found.filter(|(distance, _)| *distance <= reach);
    near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
}

/// Returns all items, those within clips instead of these.
fn flat(items: &[Item]) -> Box<dyn Iterator<Item = &Item> + '_> {
    Box::new(items.iter().flat_map(|item| {
        if let Shape::Clip(_, items) = &item.shape { flat(items) } else { Box::new(std::iter::once(item)) }
    }))
}

/// Returns the distance of a place from a segment; NaN if the segment has no place.
fn to_segment(at: Point, from: Point, to: Point) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0] * along[0] + along[1] * along[1];
    let share = ((at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]) / length;
    let share = if length > 0.0 { share.clamp(0.0, 1.0) } else { 0.0 };
    f64::hypot(from[0] + share * along[0] - at[0], from[1] + share * along[1] - at[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::CellKind;
    use crate::scene::{Ink, Pen};

    #[test]
    fn the_sample_of_hatched_cells_is_hatched() {
        let look = SampleLook {
            em: 8.0,
            theme: Theme::Light,
            ground: Theme::Light.ground(),
            strength: 1.0,
            is_of_marks: false,
        };
        let items = |ink: CellInk| {
            let kind = CellKind { name: "n < 10".to_owned(), ink, count: 1 };
            sample(&Sample::Kind(&kind), [[0.0, 0.0], [20.0, 0.0]], look)
        };
        assert!(matches!(items(CellInk::Hatched)[..], [_, Item { shape: Shape::Line(..), .. }]));
        assert_eq!(items(CellInk::Pale).len(), 1);
    }

    #[test]
    fn the_nearest_line_within_reach_is_found_also_beside_a_gap() {
        let pen = Pen::new(Ink::new([0; 3]), 2.0);
        let line = |points: &[Point], index| Shape::Line(points.to_vec(), pen).of(Id::Line(index));
        let items = [
            line(&[[0.0, 0.0], [100.0, 0.0], [f64::NAN; 2], [0.0, 50.0], [100.0, 50.0]], 0),
            line(&[[0.0, 20.0], [100.0, 20.0]], 1),
        ];
        assert_eq!(nearest(&items, [50.0, 12.0], 10.0), Some(Id::Line(1)));
        assert_eq!(nearest(&items, [50.0, 46.0], 10.0), Some(Id::Line(0)));
        assert_eq!(nearest(&items, [50.0, 35.0], 10.0), None);
    }
}
