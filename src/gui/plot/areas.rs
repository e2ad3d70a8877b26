//! Areas on the screen: parts of bars, cells of a heat map, its colour scale, and readings of them.

use eframe::egui::{
    Align2, Grid, Painter, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, TextStyle, Ui, pos2, vec2,
};
use egui_plot::{PlotPoint, PlotTransform};

use super::axes::colour;
use super::paint::{Brush, Pen};
use super::reading::popup_ui;
use crate::figure::axis::{Axis, ends_of};
use crate::figure::bars::{parts, stacks};
use crate::figure::cells::Cells;
use crate::figure::model::Figure;
use crate::figure::palette::{self, Rgb, Theme};
use crate::figure::ticks::ticks;
use crate::gui::text::shortened;
use crate::results::number::readable;

/// Colours of the strip.
const SHADES: u32 = 64;
/// Width of the strip, and of the whole colour scale beside the plot.
const STRIP: f32 = 16.0;
pub const SCALE: f32 = 112.0;
/// Space for a label along the scale.
const LABEL: f32 = 44.0;
/// Characters of a line's name in a reading.
const LONGEST: usize = 36;
/// From the plot down to the bracket of a group, in points.
const BRACKET: f32 = 21.0;

impl Brush<'_> {
    fn rectangle(&self, x: [f64; 2], y: [f64; 2]) -> Rect {
        let corner = |x: f64, y: f64| self.pen.transform.position_from_point(&PlotPoint { x, y });
        Rect::from_two_pos(corner(x[0], y[0]), corner(x[1], y[1]))
    }

    /// Paints the parts of all bars; those of other names are faint while one is highlighted.
    pub fn bars(&self, figure: &Figure) {
        let theme = self.pen.theme;
        let rim = Stroke::new(0.75, colour(theme.ground()));
        for part in parts(figure) {
            let (x, y) = if figure.is_lying() { (part.ends, part.sides) } else { (part.sides, part.ends) };
            let full = colour(part.bars.rgb(theme));
            let fill = if self.pen.is_dimmed(&part.bars.name) { full.gamma_multiply(0.3) } else { full };
            let rect = self.rectangle(x, y);
            self.painter.rect_filled(rect, 0.0, fill);
            self.painter.rect_stroke(rect, 0.0, rim, StrokeKind::Middle);
        }
    }

    /// Frames the cell at a place, or everything with its name or range.
    pub fn outline(&self, figure: &Figure, [x, y]: [f64; 2]) {
        let Pen { transform, theme, .. } = self.pen;
        let (low, high) = (transform.bounds().min(), transform.bounds().max());
        let (x, y) = (
            match bin_at(figure, x) {
                Some(bin) => Some([figure.bins[bin], figure.bins[bin + 1]]),
                None => figure.x.category(x).map(ends_of),
            },
            figure.y.category(y).map(ends_of),
        );
        let rect = self.rectangle(x.unwrap_or([low[0], high[0]]), y.unwrap_or([low[1], high[1]]));
        let rect = rect.intersect(*transform.frame()).shrink(0.5);
        for (width, ink) in [(3.0, theme.ground()), (1.5, theme.ink())] {
            self.painter.rect_stroke(rect, 0.0, Stroke::new(width, colour(ink)), StrokeKind::Inside);
        }
    }

    /// Paints the cells of a heat map.
    pub fn cells(&self, cells: &Cells) {
        let range = cells.range();
        for (row, values) in cells.values.iter().enumerate() {
            for column in 0..values.len() {
                let Some(fill) = cells.paint([row, column], range, self.pen.theme) else { continue };
                // Neighbours overlap a little, so that no background shows between them.
                let rect = self.rectangle(ends_of(column), ends_of(row)).expand(0.3);
                self.painter.rect_filled(rect, 0.0, colour(fill));
            }
        }
    }
}

/// The cell at a place, by row and column; `None` outside all cells.
pub fn cell_at(figure: &Figure, [x, y]: [f64; 2]) -> Option<[usize; 2]> {
    let cells = figure.cells.as_ref()?;
    let [column, row] = [figure.x.category(x)?, figure.y.category(y)?];
    cells.values.get(row)?.get(column).map(|_| [row, column])
}

/// The index of the range of x at a place.
fn bin_at(figure: &Figure, x: f64) -> Option<usize> {
    let (first, last) = figure.bins.first().zip(figure.bins.last())?;
    let ends = figure.bins.partition_point(|end| *end <= x);
    (*first..=*last).contains(&x).then(|| ends.clamp(1, figure.bins.len() - 1) - 1)
}

/// Paints the groups of neighbours on the horizontal axis, below its labels.
pub fn groups_ui(ui: &Ui, axis: &Axis, transform: &PlotTransform) {
    let frame = transform.frame();
    let (ink, font) = (ui.visuals().weak_text_color(), TextStyle::Small.resolve(ui.style()));
    let y = frame.bottom() + BRACKET;
    let mut end = f32::NEG_INFINITY;
    for (name, [first, last]) in axis.groups() {
        let [from, to] =
            [first as f64 - 0.4, last as f64 + 0.4].map(|place| transform.position_from_point_x(place));
        let (from, to) = (from.max(frame.left()), to.min(frame.right()));
        if from >= to {
            continue;
        }
        ui.painter().line_segment([pos2(from, y), pos2(to, y)], Stroke::new(1.0, ink));
        let galley = ui.painter().layout_no_wrap(name.to_owned(), font.clone(), ink);
        let left = f32::midpoint(from, to) - galley.size().x / 2.0;
        if left > end {
            end = left + galley.size().x + 4.0;
            ui.painter().galley(pos2(left, y + 1.0), galley, ink);
        }
    }
}

/// Paints the colour scale of a heat map with its labels, at the left of a rectangle.
pub fn scale_ui(ui: &Ui, cells: &Cells, theme: Theme, rect: Rect) {
    let painter = ui.painter();
    let range = cells.range();
    let strip = Rect::from_min_size(rect.min, vec2(STRIP, rect.height()));
    for step in 0..SHADES {
        let height = |step: u32| strip.bottom() - step as f32 / SHADES as f32 * strip.height();
        let rect =
            Rect::from_two_pos(pos2(strip.left(), height(step)), pos2(strip.right(), height(step + 1)));
        painter.rect_filled(rect, 0.0, colour(cells.shade(f64::from(step) / f64::from(SHADES - 1), theme)));
    }
    let ink = ui.visuals().text_color();
    painter.rect_stroke(strip, 0.0, Stroke::new(1.0, ui.visuals().weak_text_color()), StrokeKind::Outside);
    let end = labels_ui(ui, painter, cells, range, strip);
    let font = TextStyle::Body.resolve(ui.style());
    let title = painter.layout_no_wrap(cells.axis.label(), font, ink);
    let at = pos2(end + 6.0, strip.center().y + title.size().x / 2.0);
    let turned =
        eframe::egui::epaint::TextShape::new(at, title, ink).with_angle(-std::f32::consts::FRAC_PI_2);
    painter.add(turned);
}

/// Labels the strip; returns the right end of the labels.
fn labels_ui(ui: &Ui, painter: &Painter, cells: &Cells, range: [f64; 2], strip: Rect) -> f32 {
    let place = |value: f64| cells.axis.scale.forward(value);
    let (Some(low), Some(high)) = (place(range[0]), place(range[1])) else { return strip.right() };
    let (font, ink) = (TextStyle::Small.resolve(ui.style()), ui.visuals().weak_text_color());
    let mut end = strip.right();
    for tick in ticks(&cells.axis, range, (strip.height() / LABEL) as usize) {
        let Some((label, place)) = tick.label.zip(place(tick.value)) else { continue };
        let y = strip.bottom() - ((place - low) / (high - low)) as f32 * strip.height();
        let drawn = painter.text(pos2(strip.right() + 6.0, y), Align2::LEFT_CENTER, label, font.clone(), ink);
        end = end.max(drawn.right());
    }
    end
}

/// The values at one place of a figure with names.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaReading {
    /// Where: "Bit: b30", with the layer in a heat map.
    pub title: String,
    /// Name, colour, and value as text.
    pub rows: Vec<(String, Option<Rgb>, String)>,
}

/// Reads off the bars, markers or the cell at a place; `None` in a figure without them.
pub fn read_areas(figure: &Figure, place: [f64; 2], theme: Theme) -> Option<AreaReading> {
    if !figure.bins.is_empty() {
        return read_bin(figure, place[0], theme);
    }
    let at = |axis: &Axis, place: f64| {
        let index = axis.category(place)?;
        Some((index, format!("{}: {}", axis.title, axis.categories[index].name)))
    };
    if let Some(cells) = &figure.cells {
        let ((column, x), (row, y)) = at(&figure.x, place[0]).zip(at(&figure.y, place[1]))?;
        let value = *cells.values.get(row)?.get(column)?;
        let text =
            if value.is_finite() { readable(value, cells.axis.format) } else { "not measured".to_owned() };
        let rows = vec![(cells.axis.title.clone(), cells.paint([row, column], cells.range(), theme), text)];
        return Some(AreaReading { title: format!("{y} · {x}"), rows });
    }
    let (names, values) = if figure.is_lying() { (&figure.y, &figure.x) } else { (&figure.x, &figure.y) };
    let (index, title) = at(names, if figure.is_lying() { place[1] } else { place[0] })?;
    let has_arms = stacks(figure).len() > 1;
    let row = |bars: &crate::figure::Bars| {
        let value = bars.values.get(index).filter(|value| value.is_finite())?;
        let name = if has_arms { format!("{}, {}", bars.stack, bars.name) } else { bars.name.clone() };
        Some((name, Some(bars.rgb(theme)), readable(*value, values.format)))
    };
    let lines = figure.lines.iter().filter_map(|line| {
        let is_here = |point: &&[f64; 2]| names.category(point[0]) == Some(index);
        let [x, value] = line.points.iter().find(is_here)?;
        let colour = palette::colour(line.style.colour, theme);
        let text = |value: f64| readable(value, values.format);
        let band = line.band.iter().find(|band| band.x.total_cmp(x).is_eq());
        let band = band.map(|band| format!(" [{}, {}]", text(band.low), text(band.high)).replace(" %", ""));
        Some((shortened(&line.name, LONGEST), Some(colour), text(*value) + &band.unwrap_or_default()))
    });
    let rows: Vec<_> = figure.bars.iter().filter_map(row).chain(lines).collect();
    (!rows.is_empty()).then_some(AreaReading { title, rows })
}

/// The values of bars and lines in the range of x at a place.
fn read_bin(figure: &Figure, x: f64, theme: Theme) -> Option<AreaReading> {
    let bin = bin_at(figure, x)?;
    let [low, high] = [figure.bins[bin], figure.bins[bin + 1]].map(|end| readable(end, figure.x.format));
    let text = |value: f64| readable(value, figure.y.format);
    let bars = figure.bars.iter().filter_map(|bars| {
        let value = bars.values.get(bin).filter(|value| value.is_finite())?;
        Some((bars.name.clone(), Some(bars.rgb(theme)), text(*value)))
    });
    let middle = f64::midpoint(figure.bins[bin], figure.bins[bin + 1]);
    let lines = figure.lines.iter().filter_map(|line| {
        let [_, value] = line.points.iter().rfind(|point| point[0] <= middle)?;
        let own = palette::colour(line.style.colour, theme);
        Some((shortened(&line.name, LONGEST), Some(own), text(*value)))
    });
    let rows: Vec<_> = bars.chain(lines).collect();
    let title = format!("{}: {low} … {high}", figure.x.title);
    (!rows.is_empty()).then_some(AreaReading { title, rows })
}

/// Draws a reading beside a place on the screen and within `limits`; the hint names further actions there.
pub fn area_reading_ui(ui: &Ui, reading: &AreaReading, hint: &str, pointer: Pos2, limits: Rect) {
    popup_ui(ui, pointer, pointer.x < limits.center().x, limits, |ui| {
        ui.label(RichText::new(&reading.title).small());
        Grid::new(ui.scope_id().with("values"))
            .num_columns(3)
            .min_col_width(0.0)
            .spacing(vec2(8.0, 2.0))
            .show(ui, |ui| {
                for (name, fill, value) in &reading.rows {
                    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
                    if let Some(fill) = fill {
                        ui.painter().rect_filled(rect, 2.0, colour(*fill));
                    }
                    ui.label(RichText::new(name).small());
                    ui.label(RichText::new(format!("{value:>9}")).monospace());
                    ui.end_row();
                }
            });
        if !hint.is_empty() {
            ui.label(RichText::new(hint).small().weak());
        }
    });
}
