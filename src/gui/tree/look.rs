//! The palette at the mark of an arm: its colour and its mark.

use eframe::egui::{
    Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, accesskit::Role,
};

use super::row::mark;
use crate::figure::palette::{MARKERS, index_of, style_of};
use crate::gui::theme::{self, SMALL, STEP, present};
use crate::gui::widgets;

/// The names of the hues, in their order; the one without a name is that of text, which no arm should be taken for.
const HUES: [&str; 8] = ["blue", "vermilion", "green", "purple", "orange", "sky", "", "yellow"];

/// Draws the palette; the index of the style that was chosen. `present_index` is that of the arm.
pub fn palette_ui(ui: &mut Ui, present_index: usize) -> Option<usize> {
    let own = style_of(present_index);
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
            mark(ui, rect.center(), style_of(index), theme::arm_colour(ui, index));
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
