//! Readings of bars, marks and cells: what is at one place of a figure with names.

use std::collections::BTreeSet;

use eframe::egui::{
    Align2, Area, Frame, Grid, Order, Painter, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2,
    vec2,
};
use egui_plot::{PlotPoint, PlotTransform};

use super::axes::colour;
use super::line_menu::named;
use crate::text::shortened;
use figure::axis::{Axis, ends_of};
use figure::bars::stacks;
use figure::model::Figure;
use figure::palette::{Rgb, Theme};
use results::number::readable;

/// Characters of a line's name in a reading.
const LONGEST: usize = 36;
/// Between the place of a reading and its popup.
const DISTANCE: f32 = 16.0;

/// Frames the cell at a place, or everything with its name or range.
pub fn outline(
    painter: &Painter,
    figure: &Figure,
    [x, y]: [f64; 2],
    transform: &PlotTransform,
    theme: Theme,
) {
    let (low, high) = (transform.bounds().min(), transform.bounds().max());
    let (x, y) = (
        match bin_at(figure, x) {
            Some(bin) => Some([figure.bins[bin], figure.bins[bin + 1]]),
            None => figure.x.category(x).map(ends_of),
        },
        row_at(figure, y),
    );
    let [x, y] = [x.unwrap_or([low[0], high[0]]), y.unwrap_or([low[1], high[1]])];
    let corner = |x: f64, y: f64| transform.position_from_point(&PlotPoint { x, y });
    let rect = Rect::from_two_pos(corner(x[0], y[0]), corner(x[1], y[1]));
    let rect = rect.intersect(*transform.frame()).shrink(0.5);
    for (width, ink) in [(3.0, theme.ground()), (1.5, theme.ink())] {
        painter.rect_stroke(rect, 0.0, Stroke::new(width, colour(ink)), StrokeKind::Inside);
    }
}

/// The two ends of the row or the name at a place of the vertical axis.
fn row_at(figure: &Figure, place: f64) -> Option<[f64; 2]> {
    let Some(cells) = figure.cells.as_ref().filter(|cells| cells.span.is_some()) else {
        return figure.y.category(place).map(ends_of);
    };
    cells.row_at(&figure.y, place).map(|row| cells.ends_of_rows(row, row))
}

/// The cell at a place, by row and column; `None` outside all cells.
pub fn cell_at(figure: &Figure, [x, y]: [f64; 2]) -> Option<[usize; 2]> {
    let cells = figure.cells.as_ref()?;
    let (column, row) = (figure.x.category(x)?, cells.row_at(&figure.y, y)?);
    cells.values.get(row)?.get(column).map(|_| [row, column])
}

/// The index of the range of x at a place.
fn bin_at(figure: &Figure, x: f64) -> Option<usize> {
    let (first, last) = figure.bins.first().zip(figure.bins.last())?;
    let ends = figure.bins.partition_point(|end| *end <= x);
    (*first..=*last).contains(&x).then(|| ends.clamp(1, figure.bins.len() - 1) - 1)
}

/// The values at one place of a figure with names.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaReading {
    /// Where: "Bit: b30", with the layer in a heat map.
    pub title: String,
    /// The values.
    pub rows: Vec<AreaRow>,
    /// What the settings and results of a pinned reading are called.
    pub heads: Vec<String>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaRow {
    /// The line or the bar that it is of, and their arm.
    name: String,
    arm: String,
    colour: Option<Rgb>,
    value: String,
    /// Settings and results of the arm, in its first row of a pinned reading.
    facts: Vec<String>,
}

impl AreaRow {
    /// A row of this arm, without settings and results.
    pub fn of(name: &str, arm: &str, colour: Option<Rgb>, value: String) -> Self {
        Self { name: shortened(name, LONGEST), arm: arm.to_owned(), colour, value, facts: Vec::new() }
    }
}

impl AreaReading {
    /// The reading with the settings and results of its arms, as it is pinned.
    pub fn with_facts(mut self, figure: &Figure) -> Self {
        let mut seen = BTreeSet::new();
        for row in &mut self.rows {
            let arm = named(&figure.facts.names, &row.arm).filter(|arm| seen.insert(*arm));
            row.facts = arm.map(|arm| figure.facts.cells[arm].clone()).unwrap_or_default();
        }
        if !seen.is_empty() {
            self.heads.clone_from(&figure.facts.heads);
        }
        self
    }
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
        let range = |[low, high]: [f64; 2]| {
            let [low, high] = [low, high].map(|end| readable(end, figure.y.format));
            (
                cells.row_at(&figure.y, place[1]).unwrap_or_default(),
                format!("{}: {low} … {high}", figure.y.title),
            )
        };
        let row =
            if cells.span.is_some() { row_at(figure, place[1]).map(range) } else { at(&figure.y, place[1]) };
        let ((column, x), (row, y)) = at(&figure.x, place[0]).zip(row)?;
        let value = *cells.values.get(row)?.get(column)?;
        let text =
            if value.is_finite() { readable(value, cells.axis.format) } else { "not measured".to_owned() };
        let reading = cells.text(row, column).map(|text| text.reading.clone());
        let text = reading.filter(|reading| !reading.is_empty()).unwrap_or(text);
        // A map is of one arm.
        let arm = figure.facts.names.first().filter(|_| figure.facts.names.len() == 1);
        let ink = cells.paint([row, column], cells.range(), theme);
        let rows = vec![AreaRow::of(&cells.axis.title, arm.map_or("", String::as_str), ink, text)];
        return Some(AreaReading { title: format!("{y} · {x}"), rows, heads: Vec::new() });
    }
    let (names, values) = if figure.is_lying() { (&figure.y, &figure.x) } else { (&figure.x, &figure.y) };
    let (index, title) = at(names, if figure.is_lying() { place[1] } else { place[0] })?;
    let has_arms = stacks(figure).len() > 1;
    let row = |bars: &figure::Bars| {
        let value = bars.values.get(index).filter(|value| value.is_finite())?;
        let name = if has_arms { format!("{}, {}", bars.stack, bars.name) } else { bars.name.clone() };
        Some(AreaRow::of(&name, &bars.stack, Some(bars.rgb(theme)), readable(*value, values.format)))
    };
    let lines = figure.lines.iter().filter_map(|line| {
        let is_here = |point: &&[f64; 2]| names.category(point[0]) == Some(index);
        let [x, value] = line.points.iter().find(is_here)?;
        let colour = line.style.rgb(theme);
        let text = |value: f64| readable(value, values.format);
        let band = line.band.iter().find(|band| band.x.total_cmp(x).is_eq());
        let band = band.map(|band| format!(" [{}, {}]", text(band.low), text(band.high)).replace(" %", ""));
        let value = text(*value) + &band.unwrap_or_default();
        Some(AreaRow::of(&line.name, &line.name, Some(colour), value))
    });
    let rows: Vec<_> = figure.bars.iter().filter_map(row).chain(lines).collect();
    (!rows.is_empty()).then_some(AreaReading { title, rows, heads: Vec::new() })
}

/// The values of bars and lines in the range of x at a place.
fn read_bin(figure: &Figure, x: f64, theme: Theme) -> Option<AreaReading> {
    let bin = bin_at(figure, x)?;
    let [low, high] = [figure.bins[bin], figure.bins[bin + 1]].map(|end| readable(end, figure.x.format));
    let text = |value: f64| readable(value, figure.y.format);
    let bars = figure.bars.iter().filter_map(|bars| {
        let value = bars.values.get(bin).filter(|value| value.is_finite())?;
        Some(AreaRow::of(&bars.name, &bars.stack, Some(bars.rgb(theme)), text(*value)))
    });
    let middle = f64::midpoint(figure.bins[bin], figure.bins[bin + 1]);
    let lines = figure.lines.iter().filter_map(|line| {
        let [_, value] = line.points.iter().rfind(|point| point[0] <= middle)?;
        let own = line.style.rgb(theme);
        Some(AreaRow::of(&line.name, &line.name, Some(own), text(*value)))
    });
    let rows: Vec<_> = bars.chain(lines).collect();
    let title = format!("{}: {low} … {high}", figure.x.title);
    (!rows.is_empty()).then_some(AreaReading { title, rows, heads: Vec::new() })
}

/// Draws a reading beside a place on the screen and within `limits`; the hint names further actions there.
pub fn area_reading_ui(ui: &Ui, reading: &AreaReading, hint: &str, pointer: Pos2, limits: Rect) {
    popup_ui(ui, pointer, limits, |ui| {
        ui.label(RichText::new(&reading.title).small());
        Grid::new(ui.scope_id().with("values"))
            .num_columns(3 + reading.heads.len())
            .min_col_width(0.0)
            .spacing(vec2(8.0, 2.0))
            .show(ui, |ui| {
                if !reading.heads.is_empty() {
                    (0..3).for_each(|_| drop(ui.label("")));
                    reading.heads.iter().for_each(|head| drop(ui.label(RichText::new(head).small().weak())));
                    ui.end_row();
                }
                for row in &reading.rows {
                    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
                    if let Some(fill) = row.colour {
                        ui.painter().rect_filled(rect, 2.0, colour(fill));
                    }
                    ui.label(RichText::new(&row.name).small());
                    ui.label(RichText::new(format!("{:>9}", row.value)).monospace());
                    row.facts.iter().for_each(|fact| drop(ui.label(RichText::new(fact).small())));
                    ui.end_row();
                }
            });
        if !hint.is_empty() {
            ui.label(RichText::new(hint).small().weak());
        }
    });
}

/// Draws a popup within `limits`, right or left of a place on the screen, so that it never covers the pointer.
fn popup_ui(ui: &Ui, at: Pos2, limits: Rect, contents: impl FnOnce(&mut Ui)) {
    let is_right = at.x < limits.center().x;
    let (pivot, side) =
        if is_right { (Align2::LEFT_CENTER, DISTANCE) } else { (Align2::RIGHT_CENTER, -DISTANCE) };
    Area::new(ui.scope_id().with("reading"))
        .order(Order::Middle) // below dialogs and menus
        .interactable(false)
        .fade_in(false)
        .pivot(pivot)
        .fixed_pos(pos2(at.x + side, at.y))
        .constrain_to(limits)
        .show(ui.ctx(), |ui| Frame::popup(ui.style()).show(ui, contents));
}
