//! Controls of single values.

use eframe::egui::{Checkbox, Key, Modifiers, TextEdit, Ui};

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

/// A number, as it is written and read.
pub(super) enum Number<'a> {
    Whole(&'a mut dyn Integer),
    Real(&'a mut f64),
}

impl Number<'_> {
    fn value(&self) -> f64 {
        match self {
            Self::Whole(integer) => integer.get() as f64,
            Self::Real(number) => **number,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Whole(integer) => integer.get().to_string(),
            Self::Real(number) => number_text(**number),
        }
    }

    fn write(&mut self, text: &str, range: Option<[f64; 2]>) -> Result<(), String> {
        let wanted = |what: &str| format!("Write a {what}{}", allowed_end(range));
        match self {
            Self::Whole(integer) => integer.set(parse_whole(text).ok_or_else(|| wanted("whole number"))?),
            Self::Real(number) => **number = parse_number(text).ok_or_else(|| wanted("number"))?,
        }
        Ok(())
    }

    /// One step up or down, within the range: of a whole number by one, of a real number in its first digit.
    fn step(&mut self, up: bool, range: Option<[f64; 2]>) {
        let [low, high] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        match self {
            Self::Whole(integer) => {
                let value = integer.get();
                let moved = if up { value.saturating_add(1) } else { value.saturating_sub(1) };
                integer.set(moved.clamp(low as u64, high as u64));
            }
            Self::Real(number) => **number = stepped(**number, up).clamp(low, high),
        }
    }
}

/// A number; the arrow keys move it up and down.
pub(super) fn number_ui(ui: &mut Ui, mut number: Number, slot: &Slot, context: &mut FormContext) -> bool {
    let id = context.id(ui, &slot.name);
    let mut changed = false;
    if ui.memory(|memory| memory.has_focus(id)) {
        let presses = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let (up, down) = (presses(Key::ArrowUp), presses(Key::ArrowDown));
        (0..up).for_each(|_| number.step(true, slot.range));
        (0..down).for_each(|_| number.step(false, slot.range));
        changed = up + down > 0;
    }
    if let Some(error) = range_error(number.value(), slot.range) {
        context.note_wrong(error);
    }
    let document = number.text();
    let is_written = draft_ui(ui, &document, FieldStyle::right(slot.unit), slot, context, &mut |text| {
        number.write(text, slot.range)?;
        Ok(number.text())
    });
    is_written || changed
}

/// Free text; notes over several lines.
pub(super) fn text_ui(ui: &mut Ui, text: &mut String, slot: &Slot, context: &mut FormContext) -> bool {
    let id = context.id(ui, &slot.name);
    let edit = match slot.key {
        "notes" => TextEdit::multiline(text).desired_rows(3),
        _ => theme::line_edit(text),
    };
    let response = ui.add(edit.id(id).desired_width(f32::INFINITY));
    context.finish_input(ui, slot, response).changed()
}

/// A value that is written as a text, such as `5ep`.
pub(super) fn parsed_ui(
    ui: &mut Ui,
    parsed: &mut dyn Parsed,
    slot: &Slot,
    context: &mut FormContext,
) -> bool {
    let document = parsed.text();
    draft_ui(ui, &document, FieldStyle::right(slot.unit), slot, context, &mut |text| {
        parsed.set_text(text)?;
        Ok(parsed.text())
    })
}

/// Any value as text of the file format: for what would be too long as single controls.
pub(super) fn ron_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    let document = value.to_ron();
    draft_ui(ui, &document, FieldStyle::WIDE, slot, context, &mut |text| {
        value.set_ron(text)?;
        Ok(value.to_ron())
    })
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
