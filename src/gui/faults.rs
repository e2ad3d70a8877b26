//! What the form of a fault or a campaign shows beside its settings: the bits of the number format, and what it will cost.

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align2, Color32, Rect, RichText, Sense, Stroke, StrokeKind, TextStyle, Ui, WidgetInfo, pos2, vec2,
};

use crate::text::{self, counted};
use crate::theme;
use doc::fault::{BitField, Bits, Campaign, CellPlan, Fault, FaultSource, Format, Unit, Vary};
use doc::{Intervention, Run, Stage};
use figure::font::{self, Weight};
use run::planned;

/// Draws what belongs to a stage that injects faults; nothing for others.
pub fn stage_ui(ui: &mut Ui, stage: &mut Stage, run: Option<&Run>) {
    let (fault, varied) = match stage {
        Stage::Do(Intervention::Fault(fault)) => (fault, None),
        Stage::Campaign(campaign) => {
            let varied = if let Vary::Bit(bits) = &mut campaign.vary { Some(bits) } else { None };
            (&mut campaign.fault, varied)
        }
        Stage::Do(_)
        | Stage::Train(_)
        | Stage::Test
        | Stage::Repeat(_)
        | Stage::Branch(_)
        | Stage::Connect(_)
        | Stage::Ensemble(_) => return,
    };
    ui.add_space(2.0 * theme::STEP);
    bits_ui(ui, fault, varied);
    if let (Stage::Campaign(campaign), Some(run)) = (stage, run) {
        ui.add_space(2.0 * theme::STEP);
        planned_ui(ui, campaign, run);
    }
}

const CELL: f32 = 22.0;
const GAP: f32 = 8.0;

/// Draws the number format with its fields, and lets bits be chosen: those that can be faulty or, where a campaign varies
/// the bit, those that it varies.
fn bits_ui(ui: &mut Ui, fault: &mut Fault, vary: Option<&mut Vec<u32>>) {
    theme::heading_ui(ui, &format!("Bits of a {} value", fault.format.label()));
    if fault.model.unit() == Unit::Value {
        ui.label("This model changes whole values; there are no bits to choose.");
        return;
    }
    let format = fault.format;
    if let Some(varied) = vary {
        return varied_ui(ui, format, varied);
    }
    let chosen = fault.bits.in_format(format);
    if let Some(bit) = row_ui(ui, format, |bit| chosen.contains(&bit)) {
        fault.bits = Bits::Bit(bit);
    }
    if let Some(bits) = fields_ui(ui, format, |bits| fault.bits == bits) {
        fault.bits = bits;
    }
}

/// Draws the bits that a campaign varies: a click adds a bit or takes it away, a field replaces all of them.
fn varied_ui(ui: &mut Ui, format: Format, varied: &mut Vec<u32>) {
    if let Some(bit) = row_ui(ui, format, |bit| varied.contains(&bit)) {
        match varied.iter().position(|known| *known == bit) {
            Some(at) => drop(varied.remove(at)),
            // Where the list goes from high to low, it stays so.
            None => varied.insert(varied.iter().position(|known| *known < bit).unwrap_or(varied.len()), bit),
        }
    }
    let of = |bits: Bits| bits.in_format(format).into_iter().rev().collect::<Vec<u32>>();
    if let Some(bits) = fields_ui(ui, format, |bits| *varied == of(bits)) {
        *varied = of(bits);
    }
    let text = format!("The campaign varies {}: one condition for each", counted(varied.len() as u64, "bit"));
    ui.label(RichText::new(text).small().weak());
}

/// Draws buttons for all bits and for each field. Returns the one that is clicked.
fn fields_ui(ui: &mut Ui, format: Format, is_chosen: impl Fn(Bits) -> bool) -> Option<Bits> {
    let mut clicked = None;
    ui.horizontal_wrapped(|ui| {
        let mut offer = |bits: Bits, text: String, help: &str| {
            if ui.selectable_label(is_chosen(bits), text).on_hover_text(help).clicked() {
                clicked = Some(bits);
            }
        };
        offer(Bits::All, "All bits".to_owned(), "All bits of the format");
        for (field, [high, low]) in fields_of(format) {
            let range = if high == low { format!("b{high}") } else { format!("b{high}–b{low}") };
            let text = format!("{} {range}", field.label());
            offer(Bits::Field(field), text, "Only the bits of this field");
        }
    });
    clicked
}

/// Returns the fields of a format with their highest and lowest bits, from left to right.
pub fn fields_of(format: Format) -> impl Iterator<Item = (BitField, [u32; 2])> {
    [BitField::Sign, BitField::Exponent, BitField::Mantissa].into_iter().filter_map(move |field| {
        let own = Bits::Field(field).in_format(format);
        Some((field, [*own.last()?, *own.first()?]))
    })
}

/// Draws the cells, highest bit first. Returns the bit that was clicked on.
fn row_ui(ui: &mut Ui, format: Format, is_chosen: impl Fn(u32) -> bool) -> Option<u32> {
    let count = format.bits();
    let gaps = left_of(format, 0, 0.0);
    let width = ((ui.available_width() - gaps) / count as f32).clamp(6.0, CELL);
    let whole = width * count as f32 + gaps;
    let (row, _) = ui.allocate_exact_size(vec2(whole, CELL + 16.0), Sense::hover());
    let mut clicked = None;
    for bit in (0..count).rev() {
        let cell = Rect::from_min_size(
            pos2(row.left() + left_of(format, bit, width), row.top()),
            vec2(width - 1.0, CELL),
        );
        // Not in the tab order, where 32 cells would stand in the way: the form has the number too.
        let response = ui.interact(cell, ui.scope_id().with(("bit", bit)), Sense::CLICK | Sense::HOVER);
        let name = bit_name(format, bit);
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen(bit), &name));
        paint(ui, cell, format, bit, is_chosen(bit), response.hovered());
        if response.on_hover_text(hint(format, bit, &name)).clicked() {
            clicked = Some(bit);
        }
    }
    let font = TextStyle::Small.resolve(ui.style());
    let ink = theme::present(ui).text2;
    for (bit, [left, _]) in numbers(format, width) {
        let at = pos2(row.left() + left, row.top() + CELL + 2.0);
        ui.painter().text(at, Align2::LEFT_TOP, bit, font.clone(), ink);
    }
    clicked
}

/// Returns the left side of a bit's cell of this width; there is a gap between two fields.
pub fn left_of(format: Format, bit: u32, width: f32) -> f32 {
    let gaps = fields_of(format).filter(|(_, [_, low])| *low > bit).count();
    (format.bits() - 1 - bit) as f32 * width + gaps as f32 * GAP
}

/// Returns the numbers below the highest and lowest bit of each field with their left and right sides; without those
/// that would touch one before them.
fn numbers(format: Format, width: f32) -> Vec<(u32, [f32; 2])> {
    let mut placed: Vec<(u32, [f32; 2])> = Vec::new();
    let ends = fields_of(format).flat_map(|(_, [high, low])| [(high, false), (low, true)]);
    for (bit, is_low) in ends {
        let text = font::width(&bit.to_string(), f64::from(theme::SMALL), Weight::Regular) as f32;
        let from = left_of(format, bit, width);
        // The first number of a field begins with it, the last one ends with it.
        let left = if is_low { from + width - 1.0 - text } else { from };
        let left = left.max(0.0);
        if placed.last().is_none_or(|(_, [_, end])| end + 2.0 <= left) {
            placed.push((bit, [left, left + text]));
        }
    }
    placed
}

fn paint(ui: &Ui, cell: Rect, format: Format, bit: u32, is_chosen: bool, is_hovered: bool) {
    let ink = field_colour(ui, format.field(bit));
    let painter = ui.painter();
    if is_chosen {
        painter.rect_filled(cell, 2.0, ink);
    } else {
        painter.rect_stroke(cell, 2.0, Stroke::new(1.0, ink), StrokeKind::Inside);
    }
    if is_hovered {
        painter.rect_stroke(cell, 2.0, Stroke::new(2.0, theme::present(ui).text), StrokeKind::Inside);
    }
}

/// Returns the colour of a field, as an arm has it; name and numbers are beside it.
fn field_colour(ui: &Ui, field: Option<BitField>) -> Color32 {
    let style = match field {
        Some(BitField::Sign) | None => 1,
        Some(BitField::Exponent) => 0,
        Some(BitField::Mantissa) => 2,
    };
    theme::arm_colour(ui, style)
}

fn bit_name(format: Format, bit: u32) -> String {
    format!("Bit {}", &format.bit_name(bit)[1..])
}

/// Returns what a flip does to a usual weight.
fn hint(format: Format, bit: u32, name: &str) -> String {
    if format != Format::Float32 {
        return name.to_owned();
    }
    let flipped = f32::from_bits(0.5_f32.to_bits() ^ (1 << bit));
    format!("{name}: a flip turns 0.5 into {flipped:?}")
}

fn planned_ui(ui: &mut Ui, campaign: &Campaign, run: &Run) {
    theme::heading_ui(ui, "Planned trials");
    if campaign.faults != FaultSource::Drawn {
        ui.label("The fault list sets the number of trials.");
        return;
    }
    let Ok(structure) = run.spec.structure() else { return };
    for line in lines(&planned(campaign, &structure)) {
        ui.label(line);
    }
    let note = "The number by Leveugle et al. (DATE 2009) estimates the share of critical faults within the \
        margin: ± 1 % at 95 % if the campaign sets none";
    ui.label(RichText::new(note).small().weak());
}

fn lines(cells: &[CellPlan]) -> Vec<String> {
    let most: u64 = cells.iter().map(|cell| cell.trials).sum();
    let possible = cells.iter().map(|cell| cell.possible).max().unwrap_or(0);
    let wanted = cells.iter().map(|cell| cell.planned).max().unwrap_or(0);
    let each = cells.first().map_or(0, |cell| cell.trials);
    let mut lines = Vec::new();
    if cells.len() > 1 && cells.iter().all(|cell| cell.trials == each) {
        let cells = text::counted(cells.len(), "cell");
        lines.push(format!("{cells} × {} = {} trials", text::grouped(each), text::grouped(most)));
    } else {
        lines.push(format!("{} trials at most", text::grouped(most)));
    }
    let cell = if cells.len() > 1 { " in a cell" } else { "" };
    lines.push(format!("{} possible single faults{cell}", text::grouped(possible)));
    lines.push(format!("{} trials{cell} by Leveugle", text::grouped(wanted)));
    lines
}

#[cfg(test)]
mod tests {
    use eframe::egui::vec2;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::{app, settings};
    use doc::fault::FaultModel;

    fn open(fault: Fault) -> Harness<'static, Fault> {
        let draw = |ui: &mut Ui, fault: &mut Fault| {
            app::prepare(ui.ctx(), &settings::Settings::default());
            bits_ui(ui, fault, None);
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
    fn the_strip_shows_and_sets_the_bits_that_a_campaign_varies() {
        let draw = |ui: &mut Ui, vary: &mut Vec<u32>| {
            app::prepare(ui.ctx(), &settings::Settings::default());
            bits_ui(ui, &mut Fault::default(), Some(vary));
        };
        let vary = vec![31, 30, 0];
        let mut harness = Harness::builder().with_size(vec2(320.0, 160.0)).build_ui_state(draw, vary);
        harness.step();
        for label in ["Bit 23, exponent", "Bit 30, exponent"] {
            harness.get_by_label(label).click();
            harness.run_steps(2);
        }
        assert_eq!(*harness.state(), [31, 23, 0]);
        assert!(harness.query_by_label_contains("The campaign varies 3 bits").is_some());
        harness.get_by_label("Sign b31").click();
        harness.run_steps(2);
        assert_eq!(*harness.state(), [31]);
    }

    #[test]
    fn numbers_of_bits_never_touch() {
        for format in Format::all() {
            for width in [6.0, 7.5, 9.0, 12.0, CELL] {
                let numbers = numbers(format, width);
                assert!(
                    numbers.windows(2).all(|pair| pair[0].1[1] + 2.0 <= pair[1].1[0]),
                    "{numbers:?} at {width}"
                );
                assert_eq!(numbers[0].0, format.bits() - 1);
            }
        }
        let float = numbers(Format::Float32, 9.0);
        assert_eq!(float.iter().map(|(bit, _)| *bit).collect::<Vec<_>>(), [31, 30, 23, 22, 0]);
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

    #[test]
    fn a_plan_says_trials_possible_faults_and_the_statistical_number() {
        let cell = CellPlan { trials: 100, possible: 8_518_400, planned: 9_593, ..CellPlan::default() };
        let found = lines(&[cell.clone(), cell.clone()]);
        assert_eq!(found[0], "2 cells × 100 = 200 trials");
        assert_eq!(found[1], "8,518,400 possible single faults in a cell");
        assert_eq!(lines(&[cell])[0], "100 trials at most");
    }
}
