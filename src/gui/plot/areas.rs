//! Surfaces on the screen: parts of bars, cells of a heat map, the strip of its colours, and what is read off them.

use eframe::egui::{
    Align2, Area, Frame, Grid, Order, Painter, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, TextStyle,
    Ui, pos2, vec2,
};
use egui_plot::{PlotPoint, PlotTransform};

use super::axes::colour;
use super::paint::Brush;
use crate::figure::bars::{parts, stacks};
use crate::figure::cells::{Cells, shade};
use crate::figure::model::{Axis, Figure};
use crate::figure::number::readable;
use crate::figure::palette::Rgb;
use crate::figure::ticks::ticks;
use crate::gui::text::shortened;

/// Colours of the strip.
const SHADES: u32 = 64;
/// Width of the strip, and of all that the scale of a heat map needs beside the plot.
const STRIP: f32 = 16.0;
pub const SCALE: f32 = 112.0;
/// Room for a label of the scale, along it.
const LABEL: f32 = 44.0;
/// Characters of a line's name in a reading.
const LONGEST: usize = 36;
/// From the plot down to the bracket of a group, in points.
const BRACKET: f32 = 21.0;

impl Brush<'_> {
    fn rectangle(&self, x: [f64; 2], y: [f64; 2]) -> Rect {
        let corner = |x: f64, y: f64| self.transform.position_from_point(&PlotPoint { x, y });
        Rect::from_two_pos(corner(x[0], y[0]), corner(x[1], y[1]))
    }

    /// Paints the parts of all bars that are shown. What is not pointed at in the legend steps back.
    pub fn bars(&self, figure: &Figure) {
        let rim = Stroke::new(0.75, colour(self.theme.ground()));
        for part in parts(figure) {
            let (x, y) = if figure.is_lying() { (part.ends, part.sides) } else { (part.sides, part.ends) };
            let is_dimmed = self.highlighted.is_some_and(|name| name != part.bars.name);
            let full = colour(part.bars.rgb(self.theme));
            let fill = if is_dimmed { full.gamma_multiply(0.3) } else { full };
            let rect = self.rectangle(x, y);
            self.painter.rect_filled(rect, 0.0, fill);
            self.painter.rect_stroke(rect, 0.0, rim, StrokeKind::Middle);
        }
    }

    /// Paints the cells of a heat map.
    #[allow(clippy::cast_precision_loss)] // counted in tens
    pub fn cells(&self, cells: &Cells) {
        let range = cells.range();
        let around = |index: usize| [index as f64 - 0.5, index as f64 + 0.5];
        for (row, values) in cells.values.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let Some(fill) = cells.colour(*value, range) else { continue };
                // Neighbours overlap by a hair, so that no ground shines through between them.
                let rect = self.rectangle(around(column), around(row)).expand(0.3);
                self.painter.rect_filled(rect, 0.0, colour(fill));
            }
        }
    }
}

/// Paints what neighbours on the horizontal axis have in common, below its labels.
#[allow(clippy::cast_precision_loss)] // counted in tens
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

/// Paints the strip of a heat map's colours with its labels into the upper left of a room.
pub fn scale_ui(ui: &Ui, cells: &Cells, room: Rect) {
    let painter = ui.painter();
    let range = cells.range();
    let strip = Rect::from_min_size(room.min, vec2(STRIP, room.height()));
    for step in 0..SHADES {
        #[allow(clippy::cast_precision_loss)] // 64
        let height = |step: u32| strip.bottom() - step as f32 / SHADES as f32 * strip.height();
        let rect =
            Rect::from_two_pos(pos2(strip.left(), height(step)), pos2(strip.right(), height(step + 1)));
        painter.rect_filled(rect, 0.0, colour(shade(f64::from(step) / f64::from(SHADES - 1))));
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

/// Labels the strip; where the labels end.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few labels
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

/// What stands at one place of a figure with names.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaReading {
    /// Where: "Bit: b30", with the layer in a heat map.
    pub title: String,
    /// Name, colour, and value as text.
    pub rows: Vec<(String, Option<Rgb>, String)>,
}

/// Reads off the bars, marks or the cell at a place; nothing in a figure without them.
#[must_use]
pub fn read_areas(figure: &Figure, place: [f64; 2], brush: &Brush<'_>) -> Option<AreaReading> {
    let at = |axis: &Axis, place: f64| {
        let index = axis.category(place)?;
        Some((index, format!("{}: {}", axis.title, axis.categories[index].name)))
    };
    if let Some(cells) = &figure.cells {
        let ((column, x), (row, y)) = at(&figure.x, place[0]).zip(at(&figure.y, place[1]))?;
        let value = *cells.values.get(row)?.get(column)?;
        let text =
            if value.is_finite() { readable(value, cells.axis.format) } else { "not measured".to_owned() };
        let rows = vec![(cells.axis.title.clone(), cells.colour(value, cells.range()), text)];
        return Some(AreaReading { title: format!("{y} · {x}"), rows });
    }
    let (names, values) = if figure.is_lying() { (&figure.y, &figure.x) } else { (&figure.x, &figure.y) };
    let (index, title) = at(names, if figure.is_lying() { place[1] } else { place[0] })?;
    let has_arms = stacks(figure).len() > 1;
    let row = |bars: &crate::figure::Bars| {
        let value = bars.values.get(index).filter(|value| value.is_finite())?;
        let name = if has_arms { format!("{}, {}", bars.stack, bars.name) } else { bars.name.clone() };
        Some((name, Some(bars.rgb(brush.theme)), readable(*value, values.format)))
    };
    let lines = figure.lines.iter().filter_map(|line| {
        let is_here = |point: &&[f64; 2]| names.category(point[0]) == Some(index);
        let [x, value] = line.points.iter().find(is_here)?;
        let colour = crate::figure::palette::colour(line.style.colour, brush.theme);
        let text = |value: f64| readable(value, values.format);
        let band = line.band.iter().find(|band| band.x.total_cmp(x).is_eq());
        let band = band.map(|band| format!(" [{}, {}]", text(band.low), text(band.high)).replace(" %", ""));
        Some((shortened(&line.name, LONGEST), Some(colour), text(*value) + &band.unwrap_or_default()))
    });
    let rows: Vec<_> = figure.bars.iter().filter_map(row).chain(lines).collect();
    (!rows.is_empty()).then_some(AreaReading { title, rows })
}

/// Draws a reading beside the pointer.
pub fn area_reading_ui(ui: &Ui, reading: &AreaReading, pointer: Pos2) {
    let is_left = pointer.x < ui.ctx().content_rect().center().x;
    let (pivot, side) = if is_left { (Align2::LEFT_CENTER, 16.0) } else { (Align2::RIGHT_CENTER, -16.0) };
    Area::new(ui.scope_id().with("reading"))
        .order(Order::Middle) // dialogs and menus stand before it
        .interactable(false)
        .fade_in(false)
        .pivot(pivot)
        .fixed_pos(pointer + vec2(side, 0.0))
        .constrain_to(ui.ctx().content_rect())
        .show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
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
            });
        });
}
