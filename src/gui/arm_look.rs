//! The look of an arm: its mark as in legends, and the palette that changes its colour and mark.

use eframe::egui::{
    Pos2, Rect, Response, RichText, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, accesskit::Role,
    vec2,
};

use super::theme::{self, SMALL, STEP, present};
use super::widgets;
use figure::palette::outline;
use figure::palette::{Dash, MARKERS, Marker, Style, index_of, style_of};

/// The names of the hues, in their order; the one without a name is that of text, which no arm should be taken for.
const HUES: [&str; 8] = ["blue", "vermilion", "green", "purple", "orange", "sky", "", "yellow"];

/// Draws the palette with the style of an arm. Returns the index of the style that was chosen.
pub fn palette_ui(ui: &mut Ui, own: Style) -> Option<usize> {
    let mut chosen = None;
    let heading = |ui: &mut Ui, text: &str| {
        ui.label(RichText::new(text).size(SMALL).color(present(ui).text2));
    };
    heading(ui, "Colour");
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        for (hue, name) in HUES.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let index = index_of(hue, own.marker);
            let (rect, response) = swatch_ui(ui, name, own.colour == hue);
            ui.painter().rect_filled(rect.shrink(5.0), 3.0, theme::arm_colour(ui, index));
            if response.clicked() {
                chosen = Some(index);
            }
        }
    });
    heading(ui, "Mark");
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        for marker in MARKERS.into_iter().skip(1) {
            let index = index_of(own.colour, marker);
            let (rect, response) = swatch_ui(ui, &format!("{marker:?}").to_lowercase(), own.marker == marker);
            mark(ui, rect.center(), index, true);
            if response.clicked() {
                chosen = Some(index);
            }
        }
    });
    chosen
}

fn swatch_ui(ui: &mut Ui, name: &str, is_chosen: bool) -> (Rect, Response) {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(3.0 * STEP), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_chosen, name));
    let colours = present(ui);
    if is_chosen || response.hovered() {
        let ink = if is_chosen { colours.text } else { colours.edge };
        ui.painter().rect_stroke(rect, 4.0, Stroke::new(1.5, ink), StrokeKind::Inside);
    }
    if response.has_focus() {
        widgets::focus_ring(ui, rect);
    }
    (rect, response.on_hover_text(name))
}

/// Paints the mark of an arm with this style: the marker of its line, or the line itself where it has none. That of one of
/// several runs of an arm is hollow.
pub fn mark(ui: &Ui, centre: Pos2, style: usize, is_full: bool) {
    let (painter, colour, style) = (ui.painter(), theme::arm_colour(ui, style), style_of(style));
    if style.marker == Marker::None && style.dash != Dash::Solid {
        let ends = [-5.5, -0.5, 0.5, 5.5].map(|x| centre + vec2(x, 0.0));
        painter.line_segment([ends[0], ends[1] - vec2(1.0, 0.0)], Stroke::new(2.5, colour));
        painter.line_segment([ends[2] + vec2(1.0, 0.0), ends[3]], Stroke::new(2.5, colour));
        return;
    }
    let marker = if style.marker == Marker::None { Marker::Circle } else { style.marker };
    let corners: Vec<Pos2> = outline(marker, if is_full { 5.0 } else { 4.0 })
        .unwrap_or_default()
        .into_iter()
        .map(|[x, y]| centre + vec2(x as f32, y as f32))
        .collect();
    if is_stroked(marker) {
        for ends in corners.chunks_exact(2) {
            painter.line_segment([ends[0], ends[1]], Stroke::new(2.0, colour));
        }
    } else if is_full {
        painter.add(Shape::convex_polygon(corners, colour, Stroke::NONE));
    } else {
        painter.add(Shape::closed_line(corners, Stroke::new(1.5, colour)));
    }
}

fn is_stroked(marker: Marker) -> bool {
    marker == Marker::Cross
}
