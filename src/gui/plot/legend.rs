//! The legend, outside the data: a click hides a line, a click with Alt shows it alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{
    FontId, Galley, Rect, Response, Sense, Shape, Stroke, TextStyle, Ui, Vec2, WidgetInfo, vec2,
};

use super::axes::colour;
use super::paint::{dashed, line_colour, marker};
use crate::figure::legend::{Sample, samples};
use crate::figure::model::Figure;
use crate::figure::palette::{Marker, Theme};

/// Between rows that stand beside or below each other.
pub const BETWEEN: Vec2 = vec2(16.0, 2.0);

/// Length of the sample of a line, and the gap behind it, in points.
const SAMPLE: f32 = 28.0;
const GAP: f32 = 8.0;
const ROW: f32 = 22.0;
/// A legend beside the plot takes at most this share of the width.
const WIDEST: f32 = 0.32;
/// With less room than this, the legend stands below the plot.
const NARROW: f32 = 520.0;

/// Whether the legend stands below the plot, as in a narrow column.
pub fn is_below(width: f32) -> bool {
    width < NARROW
}

/// The width of a legend beside a plot in so much room.
pub fn width(ui: &Ui, figure: &Figure, room: f32) -> f32 {
    let font = TextStyle::Small.resolve(ui.style());
    let text = |sample: Sample<'_>| width_of(ui, &font, &sample, figure);
    let widest = samples(figure).into_iter().map(text).fold(0.0, f32::max);
    if widest == 0.0 { 0.0 } else { (widest + SAMPLE + GAP + 8.0).min(room * WIDEST) }
}

/// What a name and its detail need beside each other.
fn width_of(ui: &Ui, font: &FontId, sample: &Sample<'_>, figure: &Figure) -> f32 {
    let width = |text: &str| {
        let galley = ui.painter().layout_no_wrap(text.to_owned(), font.clone(), ui.visuals().text_color());
        galley.size().x
    };
    let detail = sample.detail(figure);
    width(sample.name()) + if detail.is_empty() { 0.0 } else { GAP + width(detail) }
}

/// The height of a legend below a plot of this width: as many lines as its rows need, and at most `limit`.
pub fn height_below(ui: &Ui, figure: &Figure, room: f32, limit: f32) -> f32 {
    let font = TextStyle::Small.resolve(ui.style());
    let (mut lines, mut used) = (0_u8, f32::INFINITY);
    for sample in samples(figure) {
        let width = SAMPLE + GAP + width_of(ui, &font, &sample, figure);
        if used + width > room {
            (lines, used) = (lines.saturating_add(1), 0.0);
        }
        used += width + BETWEEN.x;
    }
    (f32::from(lines) * (ROW + BETWEEN.y)).min(limit)
}

/// Draws the rows into the room that there is, down a column or along lines; returns the name that is pointed at.
pub fn legend_ui(
    ui: &mut Ui,
    figure: &Figure,
    theme: Theme,
    hidden: &mut BTreeSet<String>,
) -> Option<String> {
    let samples = samples(figure);
    let names: Vec<&str> = samples.iter().map(Sample::name).collect();
    let mut pointed = None;
    for sample in &samples {
        let is_shown = !hidden.contains(sample.name());
        let response = row_ui(ui, sample, sample.detail(figure), theme, is_shown);
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

/// A click hides or shows; with Alt it shows the line alone, or all lines when it is alone already.
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
    let room = (ui.available_width() - SAMPLE - GAP).max(40.0);
    let name = line(ui, sample.name(), format, room);
    let told = (!detail.is_empty()).then(|| line(ui, detail, dim, room));
    let below = told.as_ref().is_some_and(|told| name.size().x + GAP + told.size().x > room);
    let width = told.as_ref().map_or(name.size().x, |told| {
        let beside = name.size().x + GAP + told.size().x;
        if below { name.size().x.max(told.size().x) } else { beside }
    });
    let height = ROW + if below { name.size().y } else { 0.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(SAMPLE + GAP + width, height), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_shown, sample.name()));
    if ui.is_rect_visible(rect) {
        if response.hovered() || response.has_focus() {
            ui.painter().rect_filled(rect.expand2(vec2(4.0, 0.0)), 4.0, ui.visuals().faint_bg_color);
        }
        sample_ui(ui, sample, theme, Rect::from_min_size(rect.min, vec2(SAMPLE, ROW)), is_shown);
        let at = rect.min + vec2(SAMPLE + GAP, (ROW - name.size().y) / 2.0);
        let behind = if below { vec2(0.0, name.size().y) } else { vec2(name.size().x + GAP, 0.0) };
        ui.painter().galley(at, name, ink);
        if let Some(told) = told {
            ui.painter().galley(at + behind, told, ink);
        }
    }
    let action = if is_shown { "Click hides it" } else { "Click shows it" };
    let told = if detail.is_empty() { String::new() } else { format!("\n{detail}") };
    response.on_hover_text(format!("{}{told}\n{action}, Alt-click shows it alone", sample.name()))
}

/// One line of text, cut where it does not fit.
fn line(ui: &Ui, text: &str, format: TextFormat, room: f32) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_owned(), format);
    job.wrap = TextWrapping::truncate_at_width(room);
    ui.painter().layout_job(job)
}

fn sample_ui(ui: &Ui, sample: &Sample<'_>, theme: Theme, rect: Rect, is_shown: bool) {
    let surface = match sample {
        Sample::Bars(bars) => Some(bars.rgb(theme)),
        Sample::Kind(kind) => kind.ink.rgb(theme),
        Sample::Line(_) | Sample::Rule(_) => None,
    };
    if let Some(surface) = surface {
        let full = colour(surface);
        let ink = if is_shown { full } else { full.gamma_multiply(0.3) };
        let part = Rect::from_center_size(rect.center(), vec2(SAMPLE, ROW * 0.5));
        ui.painter().rect_filled(part, 2.0, ink);
        return;
    }
    let (index, shape) = match sample {
        Sample::Line(line) => (Some(line.style.colour), line.style.marker),
        Sample::Rule(rule) => (rule.colour, Marker::None),
        Sample::Bars(_) | Sample::Kind(_) => (None, Marker::None),
    };
    let full = index.map_or(colour(theme.muted()), |index| line_colour(index, theme));
    let ink = if is_shown { full } else { full.gamma_multiply(0.3) };
    if let Sample::Line(line) = sample
        && !line.band.is_empty()
    {
        let band = Rect::from_center_size(rect.center(), vec2(SAMPLE, ROW * 0.45));
        ui.painter().add(Shape::rect_filled(band, 2.0, ink.gamma_multiply(0.16)));
    }
    ui.painter().extend(dashed(
        &[rect.left_center(), rect.right_center()],
        sample.dash(),
        Stroke::new(2.0, ink),
    ));
    ui.painter().extend(marker(rect.center(), shape, ink));
}

#[cfg(test)]
mod tests {
    use super::*;

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
