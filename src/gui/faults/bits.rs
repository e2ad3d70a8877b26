//! The bits of a number format as a row of cells, to choose from.

use eframe::egui::accesskit::Role;
use eframe::egui::{Align2, Color32, Rect, Sense, Stroke, StrokeKind, TextStyle, Ui, WidgetInfo, pos2, vec2};

use crate::doc::fault::{BitField, Bits, Fault, Format, Unit};
use crate::gui::theme;

const CELL: f32 = 22.0;
const FIELDS: [BitField; 3] = [BitField::Sign, BitField::Exponent, BitField::Mantissa];

/// Draws the number format with its fields, and lets bits be chosen.
pub fn bits_ui(ui: &mut Ui, fault: &mut Fault) {
    theme::heading_ui(ui, &format!("Bits of a {} value", fault.format.label()));
    if fault.model.unit() == Unit::Value {
        ui.label("This model changes whole values; there are no bits to choose.");
        return;
    }
    let format = fault.format;
    if let Some(bit) = row_ui(ui, format, fault.bits) {
        fault.bits = Bits::Bit(bit);
    }
    ui.horizontal_wrapped(|ui| {
        let mut offer = |bits: Bits, text: String, help: &str| {
            if ui.selectable_label(fault.bits == bits, text).on_hover_text(help).clicked() {
                fault.bits = bits;
            }
        };
        offer(Bits::All, "All bits".to_owned(), "Any bit can be faulty");
        for field in FIELDS {
            let ends = ends(format, field);
            if let Some([high, low]) = ends {
                let range = if high == low { format!("b{high}") } else { format!("b{high}–b{low}") };
                let text = format!("{} {range}", field.label());
                offer(Bits::Field(field), text, "Only the bits of this field can be faulty");
            }
        }
    });
}

/// Highest and lowest bit of a field; none if the format has no such field.
fn ends(format: Format, field: BitField) -> Option<[u32; 2]> {
    let mut own = (0..format.bits()).filter(|&bit| format.field(bit) == Some(field));
    let low = own.next()?;
    Some([own.next_back().unwrap_or(low), low])
}

fn is_chosen(bits: Bits, format: Format, bit: u32) -> bool {
    match bits {
        Bits::All => true,
        Bits::Bit(chosen) => chosen == bit,
        Bits::Field(field) => format.field(bit) == Some(field),
    }
}

/// The cells, highest bit first; the bit that was clicked on.
fn row_ui(ui: &mut Ui, format: Format, bits: Bits) -> Option<u32> {
    let count = format.bits();
    let width = (ui.available_width() / count as f32).clamp(6.0, CELL);
    let (row, _) = ui.allocate_exact_size(vec2(width * count as f32, CELL + 16.0), Sense::hover());
    let mut clicked = None;
    for position in 0..count {
        let bit = count - 1 - position;
        let left = row.left() + position as f32 * width;
        let cell = Rect::from_min_size(pos2(left, row.top()), vec2(width - 1.0, CELL));
        // Not in the tab order, where 32 cells would stand in the way: the form has the number too.
        let response = ui.interact(cell, ui.scope_id().with(("bit", bit)), Sense::CLICK | Sense::HOVER);
        let name = bit_name(format, bit);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        paint(ui, cell, format, bit, is_chosen(bits, format, bit), response.hovered());
        if response.on_hover_text(hint(format, bit, &name)).clicked() {
            clicked = Some(bit);
        }
    }
    numbers_ui(ui, row, format, width);
    clicked
}

/// The numbers of the highest and lowest bit of each field, each on its own side so that neighbours do not touch.
fn numbers_ui(ui: &Ui, row: Rect, format: Format, width: f32) {
    let font = TextStyle::Small.resolve(ui.style());
    let ink = theme::present(ui).text2;
    for field in FIELDS {
        let Some([high, low]) = ends(format, field) else { continue };
        let y = row.top() + CELL + 2.0;
        let left = |bit: u32| row.left() + (format.bits() - 1 - bit) as f32 * width;
        ui.painter().text(pos2(left(high) + 1.0, y), Align2::LEFT_TOP, high, font.clone(), ink);
        if low != high {
            ui.painter().text(pos2(left(low) + width - 2.0, y), Align2::RIGHT_TOP, low, font.clone(), ink);
        }
    }
}

fn paint(ui: &Ui, cell: Rect, format: Format, bit: u32, is_chosen: bool, is_hovered: bool) {
    let colours = theme::present(ui);
    let ink = field_colour(ui, format.field(bit).as_ref());
    let painter = ui.painter();
    if is_chosen {
        painter.rect_filled(cell, 2.0, ink);
    } else {
        painter.rect_stroke(cell, 2.0, Stroke::new(1.0, ink), StrokeKind::Inside);
    }
    if is_hovered {
        painter.rect_stroke(cell, 2.0, Stroke::new(2.0, colours.text), StrokeKind::Inside);
    }
}

/// The colour of a field, as an arm has it; name and numbers are beside it.
fn field_colour(ui: &Ui, field: Option<&BitField>) -> Color32 {
    let position = FIELDS.iter().position(|known| Some(known) == field).unwrap_or(0);
    theme::arm_colour(ui, [1, 0, 2][position])
}

fn bit_name(format: Format, bit: u32) -> String {
    format!("Bit {}", &format.bit_name(bit)[1..])
}

/// What a flip does to a usual weight.
fn hint(format: Format, bit: u32, name: &str) -> String {
    if format != Format::Float32 {
        return name.to_owned();
    }
    let flipped = f32::from_bits(0.5_f32.to_bits() ^ (1 << bit));
    format!("{name}: a flip turns 0.5 into {flipped:?}")
}

#[cfg(test)]
mod tests {
    use eframe::egui::vec2;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::doc::fault::FaultModel;
    use crate::gui::{app, settings};

    fn open(fault: Fault) -> Harness<'static, Fault> {
        let draw = |ui: &mut Ui, fault: &mut Fault| {
            app::prepare(ui.ctx(), &settings::Settings::default());
            bits_ui(ui, fault);
        };
        Harness::builder().with_size(vec2(320.0, 160.0)).build_ui_state(draw, fault)
    }

    #[test]
    fn a_click_on_a_cell_chooses_the_bit() {
        let mut harness = open(Fault::default());
        harness.step();
        harness.get_by_label("Bit 30, exponent").click();
        harness.step();
        harness.step();
        assert_eq!(harness.state().bits, Bits::Bit(30));
        harness.get_by_label("Mantissa b22–b0").click();
        harness.step();
        harness.step();
        assert_eq!(harness.state().bits, Bits::Field(BitField::Mantissa));
    }

    #[test]
    fn a_format_has_the_cells_of_its_bits() {
        let harness = open(Fault { format: Format::Int8, ..Fault::default() });
        assert!(harness.query_by_label("Bit 7, sign").is_some());
        assert!(harness.query_by_label("Bit 8").is_none());
        for model in FaultModel::all() {
            let harness = open(Fault { model, ..Fault::default() });
            let has_bits = harness.query_by_label("Bit 7, mantissa").is_some();
            assert_eq!(has_bits, model.unit() != Unit::Value, "{}", model.label());
        }
    }

    #[test]
    fn the_hint_says_what_a_flip_does() {
        assert_eq!(hint(Format::Float32, 30, "Bit 30"), "Bit 30: a flip turns 0.5 into 1.7014118e38");
        assert_eq!(hint(Format::Int8, 3, "Bit 3"), "Bit 3");
    }
}
