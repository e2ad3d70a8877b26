//! The bits of a value before and after a fault, by the fields of its format, with the flipped ones marked.

use eframe::egui::{
    Align2, Color32, FontId, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, accesskit::Role, pos2, vec2,
};

use crate::theme;
use doc::fault::{BitField, Format};

/// Height of a bit, and the space between rows.
const CELL: f32 = 20.0;
const GAP: f32 = 4.0;
/// Width of the words before the rows.
const WORDS: f32 = 48.0;
/// Space between two fields.
const FIELDS: f32 = 8.0;
/// Size of the numbers below the rows, at most and at least.
const NUMBERS: [f32; 2] = [11.0, 7.0];

/// Draws both rows, the names of the fields above them, and the numbers of all bits below.
pub fn bit_rows_ui(ui: &mut Ui, format: Format, [before, after]: [u32; 2]) {
    let count = format.bits();
    let fields = (0..count).rev().filter_map(|bit| format.field(bit)).collect::<Vec<_>>();
    let breaks = fields.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let width = ui.available_width();
    let cell = ((width - WORDS - breaks as f32 * FIELDS) / count as f32).clamp(7.0, 18.0);
    let height = CELL + 2.0 * (CELL + GAP) + CELL;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let flipped: Vec<u32> = (0..count).rev().filter(|bit| (before ^ after) >> bit & 1 == 1).collect();
    let names: Vec<String> = flipped.iter().map(|bit| format.bit_name(*bit)).collect();
    let words = format!("Bits before and after the fault; changed: {}", names.join("; "));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &words));
    response.on_hover_text(words.clone());
    let colours = theme::present(ui);
    let top = rect.top() + CELL;
    let small = FontId::proportional(theme::SMALL);
    for (row, word) in ["before", "after"].into_iter().enumerate() {
        let y = top + (row as f32 + 0.5) * (CELL + GAP);
        ui.painter().text(pos2(rect.left(), y), Align2::LEFT_CENTER, word, small.clone(), colours.text2);
    }
    let mut left = rect.left() + WORDS;
    let mut begun: Option<(BitField, f32)> = None;
    for position in 0..count {
        let bit = count - 1 - position;
        let field = format.field(bit);
        if begun.as_ref().map(|(field, _)| field) != field.as_ref() {
            if let Some((field, from)) = begun.take() {
                field_ui(ui, field, [from, left], rect.top());
                left += FIELDS;
            }
            begun = field.map(|field| (field, left));
        }
        let is_flipped = flipped.contains(&bit);
        for (row, bits) in [before, after].into_iter().enumerate() {
            let y = top + row as f32 * (CELL + GAP);
            let cell = Rect::from_min_size(pos2(left, y), vec2(cell - 1.5, CELL));
            digit_ui(ui, cell, bits >> bit & 1 == 1, is_flipped.then_some(row == 1));
        }
        let y = top + 2.0 * (CELL + GAP);
        let size = (0.62 * cell).clamp(NUMBERS[1], NUMBERS[0]);
        let ink = if is_flipped { colours.bad } else { colours.text3 };
        let at = pos2(left + (cell - 1.5) / 2.0, y);
        ui.painter().text(at, Align2::CENTER_TOP, bit, FontId::proportional(size), ink);
        left += cell;
    }
    if let Some((field, from)) = begun {
        field_ui(ui, field, [from, left], rect.top());
    }
}

/// The name of a field above a line over its bits.
fn field_ui(ui: &Ui, field: BitField, [from, to]: [f32; 2], top: f32) {
    let colours = theme::present(ui);
    let y = top + CELL - 4.0;
    ui.painter().line_segment([pos2(from, y), pos2(to - 1.5, y)], Stroke::new(2.0, colours.axis));
    let name = field.label().to_lowercase();
    let at = pos2(f32::midpoint(from, to), y - 2.0);
    ui.painter().text(at, Align2::CENTER_BOTTOM, name, FontId::proportional(theme::SMALL), colours.text2);
}

/// One bit: outlined, filled if it is 1; a flipped one has the colour of errors, full once it is flipped.
fn digit_ui(ui: &Ui, cell: Rect, is_one: bool, flipped: Option<bool>) {
    let colours = theme::present(ui);
    let (fill, rim, ink) = match flipped {
        Some(true) => (colours.bad, colours.bad, colours.canvas),
        Some(false) => (Color32::TRANSPARENT, colours.bad, colours.text),
        None if is_one => (colours.raised, colours.line, colours.text),
        None => (Color32::TRANSPARENT, colours.line, colours.text3),
    };
    ui.painter().rect(cell, 2.0, fill, Stroke::new(1.0, rim), StrokeKind::Inside);
    let size = (cell.width() * 0.8).clamp(6.0, theme::SMALL);
    let digit = if is_one { "1" } else { "0" };
    ui.painter().text(cell.center(), Align2::CENTER_CENTER, digit, FontId::proportional(size), ink);
}
