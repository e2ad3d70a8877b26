//! The legend, outside the data: a click hides a line, a click with Alt shows it alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{Color32, Galley, Rect, Response, Sense, Stroke, TextStyle, Ui, Vec2, WidgetInfo, vec2};

use super::axes::colour;
use super::paint::{dashed, line_colour, marker};
use crate::figure::legend::{Sample, samples};
use crate::figure::model::Figure;
use crate::figure::palette::{Dash, Theme};
use crate::gui::theme::fitted;

/// Spacing of rows beside or below each other.
pub const BETWEEN: Vec2 = vec2(16.0, 2.0);

/// Width of the sample of a line, in points.
pub const SAMPLE_WIDTH: f32 = 2.0;
/// Length of the sample of a line, and the gap after it, in points.
const SAMPLE: f32 = 28.0;
const GAP: f32 = 8.0;
const ROW: f32 = 22.0;
/// A legend beside the plot takes at most this share of the width.
const WIDEST: f32 = 0.32;
/// Below this width, the legend is below the plot.
const NARROW: f32 = 520.0;

/// Rows up to this distance outside the visible part are drawn too, so that the keyboard reaches them.
const BEYOND: f32 = 2.0 * ROW;

/// The cached sizes of the rows of a legend: no text is measured twice, and rows out of sight keep their space without being
/// drawn.
#[derive(Debug, Default)]
pub struct LegendRows {
    /// Pixels for each point when they were measured.
    pixels: Option<f32>,
    /// Whether the figure has changed since then.
    is_old: bool,
    /// The available width.
    space: f32,
    /// Whether details are shown on hovering only, since there is no space for them.
    is_terse: bool,
    known: Vec<LegendRow>,
}

/// The sizes of a row, which depend only on its texts, the pixels and the available width.
#[derive(Debug)]
struct LegendRow {
    name: String,
    detail: String,
    /// Width of the name alone, and with the detail beside it.
    widths: [f32; 2],
    /// Size of the row when it was drawn.
    size: Option<Vec2>,
}

impl LegendRows {
    /// Has to be called when the figure changes.
    pub const fn forget_figure(&mut self) {
        self.is_old = true;
    }

    /// Measures new rows.
    fn measure(&mut self, ui: &Ui, figure: &Figure) {
        let pixels = ui.pixels_per_point();
        let is_same = self.pixels == Some(pixels);
        if is_same && !self.is_old {
            return;
        }
        let font = TextStyle::Small.resolve(ui.style());
        let width = |text: &str| {
            let ink = ui.visuals().text_color();
            ui.painter().layout_no_wrap(text.to_owned(), font.clone(), ink).size().x
        };
        let mut last = std::mem::take(&mut self.known).into_iter();
        let known = samples(figure).into_iter().map(|sample| {
            let (name, detail) = (sample.name(), sample.detail(figure));
            let last = last.next().filter(|last| is_same && last.name == name && last.detail == detail);
            last.unwrap_or_else(|| {
                let alone = width(name);
                let both = if detail.is_empty() { alone } else { alone + GAP + width(detail) };
                let (name, detail) = (name.to_owned(), detail.to_owned());
                LegendRow { name, detail, widths: [alone, both], size: None }
            })
        });
        self.known = known.collect();
        (self.pixels, self.is_old) = (Some(pixels), false);
    }

    /// Sets the available width.
    fn fit(&mut self, space: f32) {
        if self.space.total_cmp(&space).is_ne() {
            self.space = space;
            self.known.iter_mut().for_each(|row| row.size = None);
        }
    }

    fn leave_out_details(&mut self, is_terse: bool) {
        if self.is_terse != is_terse {
            self.is_terse = is_terse;
            self.known.iter_mut().for_each(|row| row.size = None);
        }
    }

    /// The height of the rows below a plot of this width.
    fn height_below(&self, space: f32, is_terse: bool) -> f32 {
        let (mut lines, mut used) = (0_u8, f32::INFINITY);
        for row in &self.known {
            let width = SAMPLE + GAP + row.widths[usize::from(!is_terse)];
            if used + width > space {
                (lines, used) = (lines.saturating_add(1), 0.0);
            }
            used += width + BETWEEN.x;
        }
        f32::from(lines) * (ROW + BETWEEN.y)
    }
}

/// Whether the next row, of this size, is far out of sight.
fn is_far(ui: &Ui, size: Vec2) -> bool {
    let (seen, top) = (ui.clip_rect(), ui.cursor().top());
    top > seen.bottom() + BEYOND || top + size.y < seen.top() - BEYOND
}

/// Whether the legend is below the plot, as in a narrow column.
pub fn is_below(width: f32) -> bool {
    width < NARROW
}

/// The width of a legend beside a plot; `space` is their total width.
pub fn width(ui: &Ui, figure: &Figure, space: f32, rows: &mut LegendRows) -> f32 {
    rows.measure(ui, figure);
    rows.leave_out_details(false);
    let widest = rows.known.iter().map(|row| row.widths[1]).fold(0.0, f32::max);
    if widest == 0.0 { 0.0 } else { (widest + SAMPLE + GAP + 8.0).min(space * WIDEST) }
}

/// The height of a legend below a plot of this width: as many lines as its rows need, and at most `limit`. If that is too
/// little, details are left out.
pub fn height_below(ui: &Ui, figure: &Figure, space: f32, limit: f32, rows: &mut LegendRows) -> f32 {
    rows.measure(ui, figure);
    rows.leave_out_details(rows.height_below(space, false) > limit);
    rows.height_below(space, rows.is_terse).min(limit)
}

/// Draws the visible rows into the available space, down a column or along lines; returns the name below the pointer.
pub fn legend_ui(
    ui: &mut Ui,
    figure: &Figure,
    theme: Theme,
    hidden: &mut BTreeSet<String>,
    rows: &mut LegendRows,
) -> Option<String> {
    let samples = samples(figure);
    let names: Vec<&str> = samples.iter().map(Sample::name).collect();
    rows.measure(ui, figure);
    rows.fit(ui.max_rect().width());
    let mut pointed = None;
    let is_terse = rows.is_terse;
    for (sample, known) in samples.iter().zip(&mut rows.known) {
        if let Some(size) = known.size.filter(|size| is_far(ui, *size)) {
            ui.allocate_space(size);
            continue;
        }
        let is_shown = !hidden.contains(sample.name());
        let detail = sample.detail(figure);
        let response = row_ui(ui, sample, if is_terse { "" } else { detail }, theme, is_shown);
        let response = tip_ui(response, sample.name(), detail, is_shown);
        known.size = Some(response.rect.size());
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        if response.hovered() || response.has_focus() {
            pointed = is_shown.then(|| sample.name().to_owned());
        }
        if response.clicked() {
            let alone = ui.input(|input| input.modifiers.alt);
            click(sample.name(), &names, alone, hidden);
        }
    }
    pointed
}

/// A click hides or shows a line; with Alt it shows the line alone, or all lines if it is alone already.
fn click(name: &str, names: &[&str], alone: bool, hidden: &mut BTreeSet<String>) {
    if alone {
        let others: BTreeSet<String> =
            names.iter().filter(|other| **other != name).map(|&name| name.to_owned()).collect();
        *hidden = if *hidden == others { BTreeSet::new() } else { others };
    } else if !hidden.remove(name) {
        hidden.insert(name.to_owned());
    }
}

fn row_ui(ui: &mut Ui, sample: &Sample<'_>, detail: &str, theme: Theme, is_shown: bool) -> Response {
    let ink = if is_shown { ui.visuals().text_color() } else { ui.visuals().weak_text_color() };
    let mut format = TextFormat::simple(TextStyle::Small.resolve(ui.style()), ink);
    let dim = TextFormat::simple(format.font_id.clone(), ui.visuals().weak_text_color());
    if !is_shown {
        format.strikethrough = Stroke::new(1.0, ink);
    }
    let space = (ui.available_width() - SAMPLE - GAP).max(40.0);
    let name = line(ui, sample.name(), format, space);
    let detail = (!detail.is_empty()).then(|| line(ui, detail, dim, space));
    let beside = name.size().x + detail.as_ref().map_or(0.0, |detail| GAP + detail.size().x);
    let is_below = detail.is_some() && beside > space;
    let detail_width = detail.as_ref().map_or(0.0, |detail| detail.size().x);
    let width = if is_below { name.size().x.max(detail_width) } else { beside };
    let height = ROW + if is_below { name.size().y } else { 0.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(SAMPLE + GAP + width, height), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_shown, sample.name()));
    if ui.is_rect_visible(rect) {
        if response.hovered() || response.has_focus() {
            ui.painter().rect_filled(rect.expand2(vec2(4.0, 0.0)), 4.0, ui.visuals().faint_bg_color);
        }
        sample_ui(ui, sample, theme, Rect::from_min_size(rect.min, vec2(SAMPLE, ROW)), is_shown);
        let at = rect.min + vec2(SAMPLE + GAP, (ROW - name.size().y) / 2.0);
        let offset = if is_below { vec2(0.0, name.size().y) } else { vec2(name.size().x + GAP, 0.0) };
        ui.painter().galley(at, name, ink);
        if let Some(detail) = detail {
            ui.painter().galley(at + offset, detail, ink);
        }
    }
    response
}

/// The full texts of a row on hovering, and what a click does.
fn tip_ui(row: Response, name: &str, detail: &str, is_shown: bool) -> Response {
    let action = if is_shown { "Click to hide" } else { "Click to show" };
    let detail = if detail.is_empty() { String::new() } else { format!("\n{detail}") };
    row.on_hover_text(format!("{name}{detail}\n{action}, Alt+click to show it alone"))
}

/// One line of text. If it does not fit, it loses its middle: names mostly differ at their ends.
fn line(ui: &Ui, text: &str, format: TextFormat, space: f32) -> Arc<Galley> {
    let fitting = fitted(ui.painter(), text, &format.font_id, space);
    let mut job = LayoutJob::single_section(fitting, format);
    job.wrap = TextWrapping::truncate_at_width(space);
    ui.painter().layout_job(job)
}

fn sample_ui(ui: &Ui, sample: &Sample<'_>, theme: Theme, rect: Rect, is_shown: bool) {
    let dimmed = |full: Color32| if is_shown { full } else { full.gamma_multiply(0.3) };
    let swatch = |share: f32, ink: Color32| {
        let part = Rect::from_center_size(rect.center(), vec2(SAMPLE, ROW * share));
        ui.painter().rect_filled(part, 2.0, ink);
    };
    let stroke = |dash: Dash, ink: Color32| {
        let ends = [rect.left_center(), rect.right_center()];
        ui.painter().extend(dashed(&ends, dash, Stroke::new(SAMPLE_WIDTH, ink)));
    };
    match sample {
        Sample::Bars(bars) => swatch(0.5, dimmed(colour(bars.rgb(theme)))),
        Sample::Kind(kind) => {
            if let Some(own) = kind.ink.rgb(theme) {
                swatch(0.5, dimmed(colour(own)));
            }
        }
        Sample::Reference(line) => {
            let own = line.colour.map_or(colour(theme.muted()), |index| line_colour(index, theme));
            stroke(line.dash, dimmed(own));
        }
        Sample::Line(line) => {
            let ink = dimmed(line_colour(line.style.colour, theme));
            if !line.band.is_empty() {
                swatch(0.45, ink.gamma_multiply(0.16));
            }
            stroke(line.style.dash, ink);
            ui.painter().extend(marker(rect.center(), line.style.marker, ink));
        }
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Event, Modifiers, MouseWheelUnit, ScrollArea, TouchPhase};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::figure::model::Line;
    use crate::figure::style_of;

    fn figure(names: impl Iterator<Item = String>) -> Figure {
        let line = |name: String| Line::new(&name, style_of(0), Vec::new());
        Figure { lines: names.map(line).collect(), ..Figure::default() }
    }

    /// A legend in a column that is lower than it, with the rows of a figure that can be another one.
    fn harness(figure: Figure) -> Harness<'static, (Figure, LegendRows)> {
        let draw = |ui: &mut Ui, (figure, rows): &mut (Figure, LegendRows)| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                legend_ui(ui, figure, Theme::Light, &mut BTreeSet::new(), rows);
            });
        };
        let mut harness = Harness::builder()
            .with_size(vec2(200.0, 160.0))
            .build_ui_state(draw, (figure, LegendRows::default()));
        harness.run();
        harness
    }

    #[test]
    fn rows_out_of_sight_keep_their_room_and_are_drawn_when_they_come_into_sight() {
        let mut harness = harness(figure((0..60).map(|index| format!("arm {index}"))));
        assert!(harness.query_by_label("arm 1").is_some() && harness.query_by_label("arm 30").is_none());
        let top = |harness: &Harness<'_, _>, name: &str| harness.get_by_label(name).rect().top();
        let row = top(&harness, "arm 1") - top(&harness, "arm 0");
        harness.hover_at(eframe::egui::pos2(20.0, 80.0));
        harness.event(Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, -10_000.0),
            phase: TouchPhase::Move,
            source: eframe::egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        harness.run_steps(60); // until it has scrolled, and says what the row at the pointer is
        assert!(harness.query_by_label("arm 1").is_none());
        let (last, other) = (top(&harness, "arm 59"), top(&harness, "arm 55"));
        assert!(last < 160.0 && (last - other - 4.0 * row).abs() < 0.5, "{other} {last}");
    }

    #[test]
    fn a_row_with_another_name_is_measured_anew() {
        let mut harness = harness(figure(["a", "b"].map(str::to_owned).into_iter()));
        let width = |harness: &Harness<'_, _>, name: &str| harness.get_by_label(name).rect().width();
        let (a, b) = (width(&harness, "a"), width(&harness, "b"));
        let (shown, rows) = harness.state_mut();
        *shown = figure(["a", "a much longer name"].map(str::to_owned).into_iter());
        rows.forget_figure();
        harness.run();
        assert_eq!(width(&harness, "a").total_cmp(&a), std::cmp::Ordering::Equal);
        assert!(width(&harness, "a much longer name") > b + 20.0);
        let known: Vec<f32> = harness.state().1.known.iter().map(|row| row.widths[0]).collect();
        assert!(known[1] > known[0] + 20.0, "{known:?}");
    }

    #[test]
    fn rows_without_details_need_fewer_lines() {
        let row =
            || LegendRow { name: String::new(), detail: String::new(), widths: [50.0, 200.0], size: None };
        let rows = LegendRows { known: (0..4).map(|_| row()).collect(), ..LegendRows::default() };
        let lines = |is_terse| rows.height_below(400.0, is_terse) / (ROW + BETWEEN.y);
        assert_eq!((lines(false), lines(true)), (4.0, 1.0));
    }

    #[test]
    fn a_click_hides_and_shows_and_alt_isolates() {
        let mut hidden = BTreeSet::new();
        let names = ["a", "b", "c"];
        click("a", &names, false, &mut hidden);
        assert_eq!(hidden, BTreeSet::from(["a".to_owned()]));
        click("a", &names, false, &mut hidden);
        assert!(hidden.is_empty());
        click("b", &names, true, &mut hidden);
        assert_eq!(hidden, BTreeSet::from(["a".to_owned(), "c".to_owned()]));
        click("b", &names, true, &mut hidden);
        assert!(hidden.is_empty(), "alone already: all are shown again");
    }
}
