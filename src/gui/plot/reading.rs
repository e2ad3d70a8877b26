//! Reading values off: one vertical line, and what all lines have there.

use eframe::egui::{
    Align2, Area, Frame, Grid, Id, Order, Pos2, Rect, RichText, Sense, Stroke, Ui, pos2, vec2,
};
use egui_plot::{PlotPoint, PlotTransform};

use super::axes::colour;
use super::paint::{Brush, line_colour};
use crate::figure::model::{Figure, Line};
use crate::figure::number::readable;
use crate::figure::palette::{Style, Theme};

/// A line's own point counts as being at the pointer's x up to this distance, in points.
const REACH: f64 = 12.0;
/// Between the vertical line and the table, so that no point on it is hidden.
const DISTANCE: f32 = 16.0;
/// A table with more rows would not fit onto the screen.
const MOST_ROWS: usize = 20;

/// What all lines have at one x.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The x of the nearest point of any line.
    pub x: f64,
    /// Largest value first.
    pub rows: Vec<Row>,
}

/// The value of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The line.
    pub name: String,
    /// As it is drawn.
    pub style: Style,
    /// Its own point that is nearest.
    pub point: [f64; 2],
    /// The ends of the band there.
    pub band: Option<[f64; 2]>,
}

/// Reads off the lines near a place on the x axis; `per_point` is the width of a point on the screen there. Only values
/// that were measured are shown, nothing is interpolated.
pub fn read(
    figure: &Figure,
    is_hidden: impl Fn(&str) -> bool,
    place: f64,
    per_point: f64,
) -> Option<Reading> {
    let shown: Vec<&Line> = figure.lines.iter().filter(|line| !is_hidden(&line.name)).collect();
    let candidates = shown.iter().filter_map(|line| nearest(figure, &line.points, place));
    let found = candidates.min_by(|a, b| a.distance.total_cmp(&b.distance))?;
    let (x, at) = (found.point[0], figure.x.scale.forward(found.point[0])?);
    let row = |line: &&Line| {
        let Nearest { distance, point, is_inside } = nearest(figure, &line.points, at)?;
        let band = line
            .band
            .iter()
            .find(|band| band.x.total_cmp(&point[0]).is_eq())
            .map(|band| [band.low, band.high]);
        let row = Row { name: line.name.clone(), style: line.style, point, band };
        (is_inside || distance <= REACH * per_point).then_some(row)
    };
    let mut rows: Vec<Row> = shown.iter().filter_map(row).collect();
    rows.sort_by(|a, b| b.point[1].total_cmp(&a.point[1]));
    Some(Reading { x, rows })
}

/// The point of a line nearest to a place.
struct Nearest {
    distance: f64,
    point: [f64; 2],
    /// Whether the line has points on both sides of the place.
    is_inside: bool,
}

/// The last of the points at the same distance. Points without a place on the axes are passed over.
fn nearest(figure: &Figure, points: &[[f64; 2]], place: f64) -> Option<Nearest> {
    let x = figure.x.scale.inverse(place);
    let mut best: Option<Nearest> = None;
    let (mut is_before, mut is_behind) = (false, false);
    for point in points {
        is_before |= point[0] <= x;
        is_behind |= point[0] >= x;
        if figure.y.scale.forward(point[1]).is_none() {
            continue;
        }
        let Some(distance) = figure.x.scale.forward(point[0]).map(|own| (own - place).abs()) else {
            continue;
        };
        if best.as_ref().is_none_or(|best| distance <= best.distance) {
            best = Some(Nearest { distance, point: *point, is_inside: false });
        }
    }
    best.map(|best| Nearest { is_inside: is_before && is_behind, ..best })
}

/// Draws the vertical line, a dot on each line, and the table beside them.
pub fn reading_ui(ui: &Ui, figure: &Figure, reading: &Reading, brush: &Brush<'_>, height: f32) {
    let (transform, theme) = (brush.transform, brush.theme);
    let Some(x) = figure.x.scale.forward(reading.x) else { return };
    let frame = *transform.frame();
    let across = transform.position_from_point_x(x);
    let stroke = Stroke::new(1.0, colour(theme.muted()));
    brush.painter.line_segment([pos2(across, frame.top()), pos2(across, frame.bottom())], stroke);
    for row in &reading.rows {
        if let Some(at) = position(figure, transform, row.point) {
            brush.dot(at, row.style);
        }
    }
    // On the side with more room; a table is never under the pointer.
    let is_left = across < frame.center().x;
    let (pivot, side) =
        if is_left { (Align2::LEFT_CENTER, DISTANCE) } else { (Align2::RIGHT_CENTER, -DISTANCE) };
    Area::new(ui.scope_id().with("reading"))
        .order(Order::Tooltip)
        .interactable(false)
        .fade_in(false)
        .pivot(pivot)
        .fixed_pos(pos2(across + side, height))
        .constrain_to(ui.ctx().content_rect())
        .show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).show(ui, |ui| table_ui(ui, ui.scope_id(), figure, reading, theme));
        });
}

fn position(figure: &Figure, transform: &PlotTransform, [x, y]: [f64; 2]) -> Option<Pos2> {
    let place = PlotPoint { x: figure.x.scale.forward(x)?, y: figure.y.scale.forward(y)? };
    Some(transform.position_from_point(&place))
}

fn table_ui(ui: &mut Ui, id: Id, figure: &Figure, reading: &Reading, theme: Theme) {
    let unit = if figure.x.unit.is_empty() { String::new() } else { format!(" {}", figure.x.unit) };
    let at = readable(reading.x, figure.x.format);
    ui.label(RichText::new(format!("{}: {at}{unit}", figure.x.title)).small());
    let text = |row: &Row| readable(row.point[1], figure.y.format);
    let band = |row: &Row| {
        let ends = row.band.map(|ends| ends.map(|end| readable(end, figure.y.format).replace(" %", "")));
        ends.map(|[low, high]| format!("{low} … {high}")).unwrap_or_default()
    };
    let rows: Vec<_> = reading.rows.iter().take(MOST_ROWS).map(|row| (row, text(row), band(row))).collect();
    let widest =
        |column: &dyn Fn(&(&Row, String, String)) -> usize| rows.iter().map(column).max().unwrap_or_default();
    let (value, spread) = (widest(&|row| row.1.chars().count()), widest(&|row| row.2.chars().count()));
    Grid::new(id.with("values")).num_columns(4).min_col_width(0.0).spacing(vec2(8.0, 2.0)).show(ui, |ui| {
        for (row, text, band) in &rows {
            let (rect, _) = ui.allocate_exact_size(vec2(14.0, 10.0), Sense::hover());
            let stripe = Rect::from_center_size(rect.center(), vec2(14.0, 3.0));
            ui.painter().rect_filled(stripe, 1.0, line_colour(row.style.colour, theme));
            ui.label(RichText::new(shortened(&row.name)).small());
            ui.label(RichText::new(format!("{text:>value$}")).monospace());
            if spread > 0 {
                ui.label(RichText::new(format!("{band:>spread$}")).monospace().weak());
            }
            ui.end_row();
        }
    });
    if let Some(more @ 1..) = reading.rows.len().checked_sub(MOST_ROWS) {
        ui.label(RichText::new(format!("… and {more} lower")).small());
    }
}

/// Names of 80 characters would push the numbers off the screen.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 36;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let head: String = name.chars().take(LONGEST - 1).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Band, style_of};

    fn figure() -> Figure {
        let mut high =
            Line::new("high", style_of(0), vec![[1.0, 0.5], [2.0, 0.9], [2.0, 0.8], [3.0, f64::NAN]]);
        high.band = vec![Band { x: 2.0, low: 0.7, high: 0.95 }];
        let low = Line::new("low", style_of(1), vec![[1.0, 0.1], [3.0, 0.3]]);
        let early = Line::new("early", style_of(2), vec![[0.0, 1.0]]);
        Figure { lines: vec![low, high, early], ..Figure::default() }
    }

    #[test]
    fn the_line_snaps_to_a_point_and_values_are_sorted() {
        let reading = read(&figure(), |_| false, 2.2, 0.001).unwrap();
        assert!((reading.x - 2.0).abs() < 1e-12);
        let rows: Vec<_> = reading.rows.iter().map(|row| (row.name.as_str(), row.point, row.band)).collect();
        assert_eq!(rows[0], ("high", [2.0, 0.8], Some([0.7, 0.95])), "the last of two at the same x");
        assert_eq!(rows[1].0, "low");
        assert_eq!(rows.len(), 2, "a line that ended before has no value");
    }

    #[test]
    fn hidden_lines_and_gaps_are_not_read() {
        let reading = read(&figure(), |name| name == "low", 3.0, 0.001).unwrap();
        assert!((reading.x - 2.0).abs() < 1e-12);
        assert_eq!(read(&figure(), |_| true, 3.0, 0.001), None);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened("dense"), "dense");
        assert_eq!(shortened(&"x".repeat(80)).chars().count(), 36);
    }
}
