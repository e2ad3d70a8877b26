//! Controls of single values.

use eframe::egui::{Align, Checkbox, Key, Modifiers, TextEdit, Ui};

use super::draft::{FieldStyle, draft_ui};
use super::{FormContext, Slot};
use crate::form::{Integer, Parsed, Value};
use crate::gui::text::grouped;
use crate::gui::theme;

/// On or off.
pub(super) fn switch_ui(ui: &mut Ui, on: &mut bool, slot: &Slot, context: &mut FormContext) -> bool {
    let response = ui.add(Checkbox::without_text(on));
    context.note_input(&response);
    slot.name(response).changed()
}

/// A whole number; the arrow keys count it up and down.
pub(super) fn integer_ui(
    ui: &mut Ui,
    integer: &mut dyn Integer,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let range = slot.range;
    number_line_ui(ui, slot, context, &mut IntegerText { integer, range })
}

/// A real number; the arrow keys move its first digit.
pub(super) fn number_ui(ui: &mut Ui, number: &mut f64, slot: &Slot, context: &mut FormContext) -> bool {
    let range = slot.range;
    number_line_ui(ui, slot, context, &mut NumberText { number, range })
}

/// A number, as it is written and read.
trait NumberLine {
    fn text(&self) -> String;
    fn write(&mut self, text: &str) -> Result<(), String>;
    /// One step up or down, within the range.
    fn step(&mut self, up: bool);
    fn range_error(&self) -> Option<String>;
}

fn number_line_ui(ui: &mut Ui, slot: &Slot, context: &mut FormContext, line: &mut dyn NumberLine) -> bool {
    let id = context.id(ui, &slot.name);
    let mut changed = false;
    if ui.memory(|memory| memory.has_focus(id)) {
        let (up, down) = ui.input_mut(|input| {
            let none = Modifiers::NONE;
            (
                input.count_and_consume_key(none, Key::ArrowUp),
                input.count_and_consume_key(none, Key::ArrowDown),
            )
        });
        (0..up).for_each(|_| line.step(true));
        (0..down).for_each(|_| line.step(false));
        changed = up + down > 0;
    }
    if let Some(error) = line.range_error() {
        context.note_wrong(error);
    }
    let style = FieldStyle { align: Align::RIGHT, unit: slot.unit, width: ui.available_width() };
    let document = line.text();
    let response = draft_ui(ui, &document, style, slot, context, &mut |text| {
        line.write(text)?;
        Ok(line.text())
    });
    response.changed() || changed
}

struct IntegerText<'a> {
    integer: &'a mut dyn Integer,
    range: Option<[f64; 2]>,
}

impl NumberLine for IntegerText<'_> {
    fn text(&self) -> String {
        self.integer.get().to_string()
    }
    fn write(&mut self, text: &str) -> Result<(), String> {
        let value =
            parse_whole(text).ok_or_else(|| format!("Write a whole number{}", allowed_end(self.range)))?;
        self.integer.set(value);
        Ok(())
    }
    fn step(&mut self, up: bool) {
        let value = self.integer.get();
        let moved = if up { value.saturating_add(1) } else { value.saturating_sub(1) };
        let [low, high] = self.range.unwrap_or([0.0, f64::INFINITY]);
        self.integer.set(moved.clamp(low as u64, high as u64));
    }
    fn range_error(&self) -> Option<String> {
        range_error(self.integer.get() as f64, self.range)
    }
}

struct NumberText<'a> {
    number: &'a mut f64,
    range: Option<[f64; 2]>,
}

impl NumberLine for NumberText<'_> {
    fn text(&self) -> String {
        number_text(*self.number)
    }
    fn write(&mut self, text: &str) -> Result<(), String> {
        *self.number =
            parse_number(text).ok_or_else(|| format!("Write a number{}", allowed_end(self.range)))?;
        Ok(())
    }
    fn step(&mut self, up: bool) {
        let [low, high] = self.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        *self.number = stepped(*self.number, up).clamp(low, high);
    }
    fn range_error(&self) -> Option<String> {
        range_error(*self.number, self.range)
    }
}

/// Free text; notes over several lines.
pub(super) fn text_ui(ui: &mut Ui, text: &mut String, slot: &Slot, context: &mut FormContext) -> bool {
    let id = context.id(ui, &slot.name);
    let edit = match slot.key {
        "notes" => TextEdit::multiline(text).desired_rows(3),
        _ => theme::line_edit(text),
    };
    let response = ui.add(edit.id(id).desired_width(f32::INFINITY));
    if context.is_wrong() {
        super::marks::outline_wrong(ui, &response);
    }
    context.note_input(&response);
    slot.name(response).changed()
}

/// A value with a written form of its own.
pub(super) fn parsed_ui(
    ui: &mut Ui,
    parsed: &mut dyn Parsed,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let document = parsed.text();
    let style = FieldStyle { align: Align::RIGHT, unit: slot.unit, width: ui.available_width() };
    let response = draft_ui(ui, &document, style, slot, context, &mut |text| {
        parsed.set_text(text)?;
        Ok(parsed.text())
    });
    response.changed()
}

/// Any value as text of the file format: for what would be too long as single controls.
pub(super) fn ron_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    let document = value.to_ron();
    let response = draft_ui(ui, &document, FieldStyle::WIDE, slot, context, &mut |text| {
        value.set_ron(text)?;
        Ok(value.to_ron())
    });
    response.changed()
}

/// A number as short as it can be read back: 0.05, 1e-7, 100000.
fn number_text(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) || !size.is_finite() {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

fn parse_number(text: &str) -> Option<f64> {
    let text: String =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| if c == '−' { '-' } else { c }).collect();
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A whole number, also as 10 000, `10_000` or 1e4.
fn parse_whole(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    if let Ok(whole) = digits.parse() {
        return Some(whole);
    }
    let number: f64 = digits.parse().ok()?;
    ((0.0..9e15).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// One more or less in the first digit: 0.1 → 0.2, and 0.1 → 0.09.
fn stepped(value: f64, up: bool) -> f64 {
    if value == 0.0 {
        return if up { 0.1 } else { -0.1 };
    }
    let away_from_zero = up == (value > 0.0);
    let exponent = value.abs().log10().floor();
    let first_digit = 10f64.powf(exponent);
    let is_first_power = (value.abs() / first_digit - 1.0).abs() < 1e-9;
    let step = if is_first_power && !away_from_zero { first_digit / 10.0 } else { first_digit };
    let moved = if up { value + step } else { value - step };
    // Without this, 0.1 + 0.2 would read 0.30000000000000004.
    format!("{moved:.12e}").parse().unwrap_or(moved)
}

fn range_error(value: f64, range: Option<[f64; 2]>) -> Option<String> {
    if !value.is_finite() {
        return Some("Write a finite number".to_owned());
    }
    let [low, high] = range?;
    (!(low..=high).contains(&value)).then(|| format!("Allowed: {}", allowed(low, high)))
}

fn allowed_end(range: Option<[f64; 2]>) -> String {
    range.map_or_else(String::new, |[low, high]| format!("; allowed: {}", allowed(low, high)))
}

fn allowed(low: f64, high: f64) -> String {
    if high >= 1e9 {
        format!("at least {}", bound_text(low))
    } else {
        format!("{} to {}", bound_text(low), bound_text(high))
    }
}

fn bound_text(bound: f64) -> String {
    if bound.fract() == 0.0 && (1e4..1e15).contains(&bound) {
        grouped(bound as u64)
    } else {
        number_text(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_short_and_read_generously() {
        assert_eq!([0.05, 1e-7, 100_000.0, 0.0].map(number_text), ["0.05", "1e-7", "100000", "0"]);
        assert_eq!(["0.5", " −2 ", "1e-3"].map(parse_number), [Some(0.5), Some(-2.0), Some(0.001)]);
        assert_eq!(["inf", "NaN", "fast"].map(parse_number), [None; 3]);
        assert_eq!(["10 000", "10_000", "1e4"].map(parse_whole), [Some(10_000); 3]);
        assert_eq!(["-1", "2.5", ""].map(parse_whole), [None; 3]);
    }

    #[test]
    fn a_step_moves_the_first_digit() {
        assert_eq!([stepped(0.1, true), stepped(0.2, true), stepped(0.1, false)], [0.2, 0.3, 0.09]);
        assert_eq!([stepped(-0.1, false), stepped(-0.1, true), stepped(0.0, true)], [-0.2, -0.09, 0.1]);
    }

    #[test]
    fn what_is_allowed_is_said_in_words() {
        assert_eq!(range_error(0.0, Some([1.0, 65536.0])).unwrap(), "Allowed: 1 to 65,536");
        assert_eq!(range_error(0.0, Some([1.0, 1e9])).unwrap(), "Allowed: at least 1");
        assert_eq!(range_error(1.0, Some([1.0, 1e9])), None);
    }
}
