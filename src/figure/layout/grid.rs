//! A grid of panels: the places of their data, axes, labels and heads, for pages and for the window alike.

use std::collections::BTreeSet;

use super::rulers::{
    fixed_x_ruler, groups_height, label_height, names_height, widest_label, y_labels, y_ruler,
};
use super::{
    AXIS_TITLE_GAP, Anchor, DESCENT, Layout, MARGIN, NAME_SHARE, Rect, Ruler, ScaleBar, TICK, TICK_GAP, Text,
    UnplacedScaleBar, groups, names_of_axes, no_data, uprights, x_labels,
};
use crate::axis::Axis;
use crate::facets::{Facets, Head, Panel, Ranges};
use crate::font::{CAP_HEIGHT, LINE_HEIGHT, Weight, fit, width};
use crate::model::Figure;

#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The panels in their order: data, axes, labels.
    pub panels: Vec<Layout<'static>>,
    /// Heads of panels and titles of axes.
    pub texts: Vec<Text>,
    pub scale_bar: Option<ScaleBar>,
    /// The rectangle around the data of all panels.
    pub data: Rect,
}

/// Between panels, in ems.
const GAP: [f64; 2] = [1.6, 0.8];
/// From a head to its panel, in ems.
const HEAD_GAP: f64 = 0.45;
/// The proportions of panels that a wrapped grid comes close to.
const PROPORTION: f64 = 1.35;
/// Sizes of labels and heads in ems, each for panels at least so many ems wide.
const SIZES: [(f64, f64); 3] = [(16.0, 1.0), (11.0, 0.9), (0.0, 0.8)];
/// The smallest panels that can be read, with their labels, in ems.
const LEAST: [f64; 2] = [12.0, 9.5];
/// On a page, where nothing scrolls, panels may be as narrow as this, in ems.
const NARROWEST: f64 = 7.0;

/// Returns the rows and columns of the grid in a space of this size, with panels at least so many ems wide.
fn size_of(facets: &Facets, [width, height]: [f64; 2], font: f64, narrowest: f64) -> [usize; 2] {
    if !facets.is_wrapped() {
        return [facets.rows.len(), facets.columns.len()];
    }
    let count = facets.panels.len().max(1);
    let most = ((width / (narrowest * font)) as usize).clamp(1, count);
    let cost = |columns: &usize| {
        let rows = count.div_ceil(*columns);
        let (wide, high) = (width / *columns as f64, (height / rows as f64 - 2.0 * font).max(font));
        let empty = (rows * columns - count) as f64 / count as f64;
        let narrow = (LEAST[0] * font / wide).ln().max(0.0);
        (wide / high / PROPORTION).ln().abs() + empty + 2.0 * narrow
    };
    let columns = (1..=most).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(1);
    [count.div_ceil(columns), columns]
}

/// Returns the width and height that a grid needs at least to be read in a space; more than that of the space if it is too small.
pub fn least(facets: &Facets, space: [f64; 2], font: f64) -> [f64; 2] {
    let [rows, columns] = size_of(facets, space, font, LEAST[0]).map(|count| count as f64);
    let least = [columns * LEAST[0] * font, (rows * (LEAST[1] + LINE_HEIGHT) + 2.0) * font];
    [space[0].max(least[0]), space[1].max(least[1])]
}

/// Lays out the panels within a space, each with its ranges of x and y.
pub fn grid(figure: &Figure, facets: &Facets, ranges: &[Ranges], space: Rect, font: f64) -> Grid {
    let usual = CAP_HEIGHT * font;
    let (grid, height) = Frame::new(figure, facets, ranges, space, font, usual).grid();
    if height <= usual { grid } else { Frame::new(figure, facets, ranges, space, font, height).grid().0 }
}

struct Frame<'a> {
    figure: &'a Figure,
    facets: &'a Facets,
    ranges: &'a [Ranges],
    space: Rect,
    /// Size of titles, and that of labels and heads.
    fonts: [f64; 2],
    size: [usize; 2],
    shares: [bool; 2],
    places: Vec<[usize; 2]>,
    taken: BTreeSet<[usize; 2]>,
    y_title: Vec<String>,
    /// Width of the labels of y, and height of those of x with their ticks.
    labels: [f64; 2],
    head: f64,
    /// Width and height of the data of a panel.
    panel: [f64; 2],
}

impl<'a> Frame<'a> {
    fn new(
        figure: &'a Figure,
        facets: &'a Facets,
        ranges: &'a [Ranges],
        space: Rect,
        font: f64,
        label_height: f64,
    ) -> Self {
        let [wide, high] = [space.right - space.left, space.bottom - space.top];
        let size = size_of(facets, [wide, high], font, NARROWEST);
        let each = wide / size[1].max(1) as f64 / font;
        let small = SIZES.iter().find(|(least, _)| each >= *least).map_or(1.0, |(_, size)| *size) * font;
        let places = facets.places(size[1].max(1));
        let parallel = facets.panels.iter().map(|panel| panel.figure.parallel.len()).max().unwrap_or(0);
        let groups =
            facets.panels.iter().map(|panel| groups_height(&panel.figure.x, small)).fold(0.0, f64::max);
        let x_labels = if parallel > 0 {
            CAP_HEIGHT / 2.0 * small
        } else {
            (TICK + TICK_GAP) * small + label_height + groups
        };
        let mut frame = Self {
            figure,
            facets,
            ranges,
            space,
            fonts: [font, small],
            size,
            shares: facets.shares(),
            taken: places.iter().copied().collect(),
            places,
            y_title: fit(&figure.y.label(), font, Weight::Regular, high, 1),
            labels: [0.0, x_labels],
            head: (LINE_HEIGHT + HEAD_GAP + names_height(parallel)) * small,
            panel: [small; 2],
        };
        if parallel > 0 {
            frame.y_title.clear();
        }
        frame.panel[1] = frame.height();
        frame.labels[0] = frame.widest(each * font);
        frame.panel[0] = frame.width();
        frame
    }

    fn height(&self) -> f64 {
        let rows = self.size[0].max(1) as f64;
        let heads = if self.facets.is_wrapped() { rows } else { 1.0 };
        let labels = if self.shares[0] { 1.0 } else { rows };
        let free =
            self.space.bottom - self.space.top - self.x_title() - heads * self.head - labels * self.labels[1];
        ((free - (rows - 1.0) * self.gap(1)) / rows).max(self.fonts[1])
    }

    fn width(&self) -> f64 {
        let columns = self.size[1].max(1) as f64;
        let labels = if self.shares[1] { 1.0 } else { columns };
        let free = self.right() - self.left() - labels * self.labels[0];
        ((free - (columns - 1.0) * self.gap(0)) / columns).max(self.fonts[1])
    }

    fn gap(&self, axis: usize) -> f64 {
        GAP[axis] * self.fonts[1]
    }

    fn x_title(&self) -> f64 {
        let has_title = !self.figure.x.label().trim().is_empty() && self.figure.parallel.is_empty();
        if has_title { (AXIS_TITLE_GAP + CAP_HEIGHT + DESCENT) * self.fonts[0] } else { 0.0 }
    }

    /// Returns the left end of everything but the title of y.
    fn left(&self) -> f64 {
        let title = if self.y_title.is_empty() { 0.0 } else { LINE_HEIGHT + AXIS_TITLE_GAP / 2.0 };
        self.space.left + title * self.fonts[0]
    }

    fn right(&self) -> f64 {
        let heads = if self.facets.is_wrapped() { 0.0 } else { LINE_HEIGHT + HEAD_GAP };
        let scale = self.scale_bar([1.0, 0.0]).map_or(0.0, |scale| scale.width());
        self.space.right - MARGIN * self.fonts[0] - heads * self.fonts[1] - scale
    }

    fn scale_bar(&self, ends: [f64; 2]) -> Option<UnplacedScaleBar> {
        let cells = self.figure.scale().filter(|_| self.figure.has_data())?;
        Some(UnplacedScaleBar::new(cells, ends, self.fonts[1]))
    }

    /// Tells if a panel has the labels of x, and those of y.
    fn labelled(&self, [row, column]: [usize; 2]) -> [bool; 2] {
        let below = self.taken.contains(&[row + 1, column]);
        let before = column > 0 && self.taken.contains(&[row, column - 1]);
        [!self.shares[0] || !below, !self.shares[1] || !before]
    }

    /// Returns the width of the widest labels of y, in panels of about this width.
    fn widest(&self, each: f64) -> f64 {
        let font = self.fonts[1];
        let panels = self.facets.panels.iter().zip(self.ranges).zip(&self.places);
        let widths = panels.filter(|(_, place)| self.labelled(**place)[1]).map(|((panel, ranges), _)| {
            if !panel.figure.parallel.is_empty() {
                return 0.0;
            }
            let ruler = y_ruler(&panel.figure.y, ranges[1], [self.panel[1], 0.0], font, NAME_SHARE * each);
            widest_label(&ruler.ticks, font) + (TICK + TICK_GAP) * font
        });
        widths.fold(0.0, f64::max)
    }

    fn rect(&self, [row, column]: [usize; 2]) -> Rect {
        let [wide, high] = self.panel;
        let (row, column) = (row as f64, column as f64);
        let labels = if self.shares[1] { 0.0 } else { self.labels[0] };
        let left = self.left() + self.labels[0] + column * (wide + self.gap(0) + labels);
        let head = if self.facets.is_wrapped() { self.head } else { 0.0 };
        let labels = if self.shares[0] { 0.0 } else { self.labels[1] };
        let top = self.space.top + self.head + row * (high + self.gap(1) + head + labels);
        Rect { left, top, right: left + wide, bottom: top + high }
    }

    /// Returns the grid, and the height that the labels of x need.
    fn grid(&self) -> (Grid, f64) {
        let [rows, columns] = self.size.map(|count| count.max(1));
        let (first, last) = (self.rect([0, 0]), self.rect([rows - 1, columns - 1]));
        let data = Rect { right: last.right, bottom: last.bottom, ..first };
        let panels: Vec<_> = (0..self.places.len()).map(|index| self.layout(index)).collect();
        let heights = panels
            .iter()
            .filter(|panel| panel.parallel.is_empty())
            .map(|panel| label_height(&panel.x, self.fonts[1]));
        let height = heights.fold(0.0, f64::max);
        let mut texts = self.heads();
        texts.extend(self.titles(data));
        let scale_bar = self.scale_bar([data.bottom, data.top]).map(|scale| {
            let heads = if self.facets.is_wrapped() { 0.0 } else { LINE_HEIGHT + HEAD_GAP };
            let (bar, labels) = scale.placed(Rect { right: data.right + heads * self.fonts[1], ..data });
            texts.extend(labels);
            bar
        });
        (Grid { panels, texts, scale_bar, data }, height)
    }

    fn layout(&self, index: usize) -> Layout<'static> {
        let (figure, place, font) = (&*self.facets.panels[index].figure, self.places[index], self.fonts[1]);
        let plot = self.rect(place);
        let [x_range, y_range] = self.ranges[index];
        let air = self.gap(0) / 2.0;
        let mut layout = Layout { font, plot, ..Layout::default() };
        layout.x = fixed_x_ruler(&figure.x, x_range, [plot.left, plot.right], air, font);
        let names = NAME_SHARE * (plot.right - plot.left + self.labels[0]);
        layout.y = y_ruler(&figure.y, y_range, [plot.bottom, plot.top], font, names);
        spread(&mut layout.y, font);
        if !figure.has_data() {
            layout.texts.push(no_data(plot, font));
            if self.shares != [true; 2] || !self.figure.has_data() {
                layout.x.ticks.clear();
                layout.y.ticks.clear();
            }
        }
        if !figure.parallel.is_empty() {
            layout.y.ticks.clear();
            layout.parallel = uprights(figure, &layout.x, plot, font);
            layout.texts.extend(names_of_axes(figure, &layout.x, plot, font));
            return layout;
        }
        let [has_x, has_y] = self.labelled(place);
        if has_x {
            layout.texts.extend(x_labels(&layout.x, plot, font));
            let (brackets, texts) = groups(&figure.x, &layout.x, plot, font);
            layout.brackets = brackets;
            layout.texts.extend(texts);
        }
        if has_y {
            // Panels are low: names go without their details.
            layout.texts.extend(y_labels(&layout.y, &Axis::default(), plot, font));
        }
        layout
    }

    /// Writes the heads of the panels, or of the columns and the rows.
    fn heads(&self) -> Vec<Text> {
        let font = self.fonts[1];
        let above = self.head - LINE_HEIGHT * font;
        if self.facets.is_wrapped() {
            let heads = self.facets.columns.iter().zip(&self.places).zip(&self.facets.panels);
            let words = |((head, place), panel): ((&Head, &[usize; 2]), &Panel)| {
                words(head, &panel.figure.seeds(), self.rect(*place), above, font)
            };
            return heads.flat_map(words).collect();
        }
        let columns = self.facets.columns.iter().enumerate().flat_map(|(index, head)| {
            let panels = self.facets.panels.iter().filter(|panel| panel.place[1] == index);
            let seeds: BTreeSet<String> = panels.map(|panel| panel.figure.seeds()).collect();
            let seeds = seeds.first().filter(|_| seeds.len() == 1).cloned().unwrap_or_default();
            words(head, &seeds, self.rect([0, index]), above, font)
        });
        let rows = self.facets.rows.iter().enumerate().flat_map(|(index, head)| {
            let rect = self.rect([index, self.size[1] - 1]);
            let text = fit(&head.text(), font, Weight::Regular, rect.bottom - rect.top, 1);
            let at = [
                rect.right + (HEAD_GAP + LINE_HEIGHT - DESCENT) * font,
                f64::midpoint(rect.top, rect.bottom),
            ];
            text.into_iter()
                .map(move |text| Text { upwards: true, ..Text::new(&text, at, Anchor::Middle, font) })
        });
        columns.chain(rows).collect()
    }

    fn titles(&self, data: Rect) -> Vec<Text> {
        let font = self.fonts[0];
        let middle = [f64::midpoint(data.left, data.right), f64::midpoint(data.top, data.bottom)];
        let base = self.space.left + (LINE_HEIGHT - DESCENT) * font;
        let y = self
            .y_title
            .iter()
            .map(|line| Text { upwards: true, ..Text::new(line, [base, middle[1]], Anchor::Middle, font) });
        let base = self.space.bottom - DESCENT * font;
        let has_title = self.x_title() > 0.0;
        let label = if has_title {
            fit(&self.figure.x.label(), font, Weight::Regular, data.right - data.left, 1)
        } else {
            Vec::new()
        };
        let x = label.iter().map(|line| Text::new(line, [middle[0], base], Anchor::Middle, font));
        y.chain(x).collect()
    }
}

/// Leaves out labels of y that would touch those before: panels may be lower than two labels.
fn spread(y: &mut Ruler, font: f64) {
    let mut last = f64::INFINITY;
    for index in 0..y.ticks.len() {
        let tick = &y.ticks[index];
        let Some(place) = y.mapping.place(tick.value).filter(|_| tick.label.is_some()) else { continue };
        if (place - last).abs() < CAP_HEIGHT * 1.2 * font {
            y.ticks[index].label = None;
        } else {
            last = place;
        }
    }
}

/// Writes the head of a panel: the setting in a quiet colour, cut or left out where it is long, the value and, where there
/// is room, the seeds.
fn words(head: &Head, seeds: &str, plot: Rect, above: f64, font: f64) -> Vec<Text> {
    const BETWEEN: f64 = 0.35;
    let most = plot.right - plot.left;
    let value = fit(&head.value, font, Weight::Medium, most, 1).join(" ");
    let taken = width(&value, font, Weight::Medium) + BETWEEN * font;
    let room = most - taken;
    let label = if room > 2.0 * font {
        fit(&head.label, font, Weight::Regular, room, 1).join(" ")
    } else {
        String::new()
    };
    let base = plot.top - above - DESCENT * font;
    let mut left = plot.left;
    let mut texts = Vec::new();
    if !label.is_empty() {
        texts.push(Text { muted: true, ..Text::new(&label, [left, base], Anchor::Start, font) });
        left += width(&label, font, Weight::Regular) + BETWEEN * font;
    }
    texts.push(Text { weight: Weight::Medium, ..Text::new(&value, [left, base], Anchor::Start, font) });
    let end = left + taken + 2.0 * BETWEEN * font;
    if !seeds.is_empty() && end + width(seeds, font, Weight::Regular) <= plot.right {
        texts.push(Text { muted: true, ..Text::new(seeds, [plot.right, base], Anchor::End, font) });
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::testing::by_batch;
    use results::facets::FacetAxes;

    #[test]
    fn four_panels_stand_two_by_two_without_a_hole() {
        let of = |batches: &[u32], space| {
            let facets = by_batch(batches, FacetAxes::Shared).facets.expect("it has panels");
            size_of(&facets, space, 12.0, LEAST[0])
        };
        for space in [[900.0, 380.0], [1130.0, 700.0], [560.0, 330.0]] {
            assert_eq!(of(&[8, 16, 32, 64], space), [2, 2], "in {space:?}");
        }
        assert_eq!(of(&[8, 16, 32], [900.0, 250.0]), [1, 3]);
    }
}
