//! A whole page: data, grid, axes, texts and the legend.

use std::collections::BTreeSet;

use super::item::{Id, Ink, Item, Pen, Point, Shape, segments};
use super::legend::{SampleLook, sample};
use super::parallel::{self, RunLook};
use super::strokes::{AXIS, GRID};
use super::{Detail, Intervals, Look, Surface, areas, bands, ground, over};
use crate::font::LINE_HEIGHT;
use crate::layout::{Anchor, Layout, Rect, ScaleBar, TICK, Text, layout, outside};
use crate::model::Figure;
use crate::options::{IntervalStyle, Options};
use crate::palette::Theme;
use results::page::{Corner, LegendPlace};

/// Between a legend within the plot and the axes, in ems.
const INSET: f64 = 0.6;
/// Opacity of the ground behind such a legend.
const PATCH: f64 = 0.85;

/// The items of a figure on its page, and the size of the page. A legend that would cover data in every corner is below.
pub fn drawn(figure: &Figure, options: &Options) -> (Vec<Item>, [f64; 2]) {
    let (items, page, _) = placed(figure, options);
    (items, page)
}

/// What is on the page of a figure, as far as it depends on the room there.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PageFacts {
    /// Where the legend is: below or beside the plot where the place that was asked for has no room.
    pub legend: LegendPlace,
    /// The size of the smallest text in points; `None` without any.
    pub least_text: Option<f64>,
    /// Whether values are written in cells.
    pub has_cell_texts: bool,
}

/// What is on the page of a figure.
pub fn page_facts(figure: &Figure, options: &Options) -> PageFacts {
    let (items, _, legend) = placed(figure, options);
    let mut facts = PageFacts { legend, ..PageFacts::default() };
    note_texts(&items, &mut facts);
    facts
}

fn note_texts(items: &[Item], facts: &mut PageFacts) {
    for item in items {
        match &item.shape {
            Shape::Clip(_, items) => note_texts(items, facts),
            Shape::Text(text, _) => {
                facts.least_text = Some(facts.least_text.map_or(text.size, |least| least.min(text.size)));
                facts.has_cell_texts |= matches!(item.id, Some(Id::Cell(_)));
            }
            Shape::Line(..) | Shape::Band(..) | Shape::Rect(..) | Shape::Mark(_) | Shape::Image(_) => {}
        }
    }
}

fn placed(figure: &Figure, options: &Options) -> (Vec<Item>, [f64; 2], LegendPlace) {
    let figure = &*options.styled(figure);
    // Panels follow the whole figure, as the caption does.
    let options = &Options { intervals: options.intervals_of(figure), ..*options };
    let inside = layout(figure, options);
    let (items, covered) = page(figure, &inside, options);
    if options.size.legend != LegendPlace::Inside || covered <= MOST_COVERED * inside.font {
        return (items, inside.page, inside.place);
    }
    let beside = outside(figure, options);
    (page(figure, &beside, options).0, beside.page, beside.place)
}

/// The items of a page, and how much of the data its legend covers, as [`emptiest`] counts.
fn page(figure: &Figure, layout: &Layout<'_>, options: &Options) -> (Vec<Item>, f64) {
    let (font, theme) = (layout.font, options.theme);
    let whole = Rect { left: 0.0, top: 0.0, right: layout.page[0], bottom: layout.page[1] };
    let mut items = vec![Shape::Rect(whole, Ink::new(theme.ground()), None).plain()];
    let data = match &figure.facets {
        None => contents(figure, layout, options, &mut items),
        Some(facets) => {
            for (panel, layout) in facets.panels.iter().zip(&layout.panels) {
                contents(&panel.figure, layout, options, &mut items);
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
fn contents(figure: &Figure, layout: &Layout<'_>, options: &Options, items: &mut Vec<Item>) -> Vec<Item> {
    let theme = options.theme;
    if !figure.parallel.is_empty() {
        items.extend(runs(figure, layout, theme));
        items.extend(parallel::axes(&layout.parallel, layout.plot, layout.font, theme));
        return Vec::new();
    }
    let hidden = BTreeSet::new();
    let surface = surface(figure, layout, options, &hidden);
    items.extend(grid(figure, layout, theme));
    let data = [ground(&surface), bands(&surface), over(&surface)].concat();
    items.extend(data.clone());
    items.extend(scale_bar(figure, layout.scale_bar.as_ref(), layout.font, theme));
    items.push(axes(layout, theme));
    data
}

/// The colour scale of a heat map.
pub fn scale_bar(figure: &Figure, bar: Option<&ScaleBar>, font: f64, theme: Theme) -> Vec<Item> {
    match figure.cells.as_ref().zip(bar).filter(|_| figure.has_data()) {
        Some((cells, bar)) => areas::scale_bar(cells, bar, font, theme),
        None => Vec::new(),
    }
}

fn surface<'a>(
    figure: &'a Figure,
    layout: &Layout<'_>,
    options: &Options,
    hidden: &'a BTreeSet<String>,
) -> Surface<'a> {
    let intervals = match options.intervals {
        IntervalStyle::Auto | IntervalStyle::Bars => Intervals::Bars,
        IntervalStyle::Bands => Intervals::Bands,
        IntervalStyle::None => Intervals::None,
    };
    let look = Look { hidden, highlighted: None, selected: None, intervals, detail: Detail::Print };
    Surface {
        figure,
        x: layout.x.mapping,
        y: layout.y.mapping,
        area: layout.plot,
        em: layout.font,
        theme: options.theme,
        look,
    }
}

/// A text in its colour.
pub fn written(text: Text, theme: Theme) -> Item {
    let colour = if text.muted { theme.muted() } else { theme.ink() };
    Shape::Text(text, colour).plain()
}

/// Lines at labels, but not at names, and not below cells.
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

/// Both axes and their ticks, over the data, so that a line along an axis does not hide it.
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
    let lines = figure.lines.iter().enumerate();
    let traces = lines.flat_map(|(index, line)| {
        line.traces.iter().enumerate().map(move |(nth, trace)| (line, trace, [index, nth]))
    });
    traces.filter_map(|run| parallel::run(run, &layout.parallel, (layout.font, theme), look)).collect()
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
        LegendPlace::LineEnds | LegendPlace::Right | LegendPlace::Below | LegendPlace::Hidden => None,
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

/// A rectangle of this size in a corner of another one.
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
const MOST_COVERED: f64 = 3.0;

/// The corner where a rectangle of this size covers the fewest lines, and the points of lines that it covers; the
/// `preferred` corner if it is nearly as empty.
pub fn emptiest(items: &[Item], area: Rect, size: [f64; 2], preferred: Option<Corner>) -> (Corner, f64) {
    let rects = Corner::ALL.map(|corner| in_corner(area, corner, size));
    let mut covered = [0.0; 4];
    weigh(items, &rects, &mut covered);
    let least = covered.iter().copied().fold(f64::INFINITY, f64::min);
    let kept = preferred.and_then(|own| Corner::ALL.iter().position(|corner| *corner == own));
    // One that is nearly as empty stays, so that a legend does not jump while data arrive.
    let kept = kept.filter(|index| covered[*index] <= least + SLACK);
    let best = || covered.iter().position(|covered| *covered <= least);
    kept.or_else(best).map_or_else(Default::default, |index| (Corner::ALL[index], covered[index]))
}

/// Adds the length of lines within each rectangle; bands and single runs count less than means.
fn weigh(items: &[Item], rects: &[Rect; 4], covered: &mut [f64; 4]) {
    const STEP: f64 = 4.0;
    for item in items {
        match &item.shape {
            Shape::Clip(_, items) => weigh(items, rects, covered),
            Shape::Line(points, pen) => {
                for two in points.windows(2).filter(|two| two.iter().flatten().all(|end| end.is_finite())) {
                    let length = f64::hypot(two[1][0] - two[0][0], two[1][1] - two[0][1]).min(4e3);
                    let steps = (length / STEP).ceil().max(1.0);
                    for step in 0..steps as u32 {
                        let share = (f64::from(step) + 0.5) / steps;
                        let at = [0, 1].map(|axis| two[0][axis] + share * (two[1][axis] - two[0][axis]));
                        add(at, length / steps * pen.ink.opacity, rects, covered);
                    }
                }
            }
            Shape::Band(columns, ink) => {
                for [x, top, bottom] in columns {
                    for y in [*top, f64::midpoint(*top, *bottom), *bottom] {
                        add([*x, y], STEP * ink.opacity, rects, covered);
                    }
                }
            }
            Shape::Mark(mark) => add(mark.at, 2.0 * mark.radius * mark.ink.opacity, rects, covered),
            Shape::Rect(..) | Shape::Text(..) | Shape::Image(_) => {}
        }
    }
}

fn add([x, y]: Point, weight: f64, rects: &[Rect; 4], covered: &mut [f64; 4]) {
    for (rect, covered) in rects.iter().zip(covered) {
        if (rect.left..=rect.right).contains(&x) && (rect.top..=rect.bottom).contains(&y) {
            *covered += weight;
        }
    }
}
