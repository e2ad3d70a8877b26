//! A parameter as an image: rows are outputs, columns everything else.

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Color32, ColorImage, Rect, Response, Sense, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, lerp,
    pos2, vec2,
};

use super::cells::{Cell, Cells};
use super::values::{place_of, state_of};
use crate::gui::{text, theme};
use crate::run::summary::ParameterValues;

/// The smallest and the largest side of a cell that is one entry, in points.
const SIDES: [f32; 2] = [0.05, 24.0];
/// The least height and width of the whole image.
const LEAST: f32 = 24.0;

/// What an image shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Values, with pruned entries in grey.
    #[default]
    Values,
    /// Which entries are left, held or pruned.
    Mask,
}

/// The colours of an image in the present theme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inks {
    /// Zero, and the ground.
    pub zero: Color32,
    /// Positive values, and entries that are left.
    pub positive: Color32,
    /// Negative values.
    pub negative: Color32,
    /// Entries that are held.
    pub held: Color32,
    /// Entries that are pruned.
    pub pruned: Color32,
}

impl Inks {
    /// The colours of the present theme; they stay apart for colour-blind eyes.
    pub fn present(ui: &Ui) -> Self {
        let colours = theme::present(ui);
        let pruned = colours.field.lerp_to_gamma(colours.muted, 0.45);
        Self {
            zero: colours.field,
            positive: theme::arm_colour(ui, 0),
            negative: theme::arm_colour(ui, 1),
            held: theme::arm_colour(ui, 4),
            pruned,
        }
    }
}

/// The texture of the last image.
#[derive(Default)]
pub struct Picture {
    texture: Option<(Shown, Inks, TextureHandle)>,
}

impl Picture {
    /// To be called when the values are others.
    pub fn forget(&mut self) {
        self.texture = None;
    }

    /// Draws the image into the room there is, up to a height; the pointer reads the entry below it.
    pub fn ui(&mut self, ui: &mut Ui, values: &ParameterValues, cells: &Cells, shown: Shown, height: f32) {
        let inks = Inks::present(ui);
        if self.texture.as_ref().is_none_or(|(kept, with, _)| *kept != shown || *with != inks) {
            let texture =
                ui.ctx().load_texture("parameter", image(cells, shown, &inks), TextureOptions::NEAREST);
            self.texture = Some((shown, inks, texture));
        }
        let Some((_, _, texture)) = &self.texture else { return };
        let size = size_of(cells, vec2(ui.available_width(), height));
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(texture.id(), rect, whole, Color32::WHITE);
        let outline = eframe::egui::Stroke::new(1.0, theme::present(ui).line);
        ui.painter().rect_stroke(rect, 0.0, outline, eframe::egui::StrokeKind::Outside);
        let name = if shown == Shown::Mask { "Image of the mask" } else { "Image of the values" };
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
        reading_ui(&response, rect, values, cells);
    }
}

fn reading_ui(response: &Response, rect: Rect, values: &ParameterValues, cells: &Cells) {
    let Some(pointer) = response.hover_pos() else { return };
    let [rows, columns] = cells.size;
    let share = (pointer - rect.min) / rect.size();
    let (row, column) = (position(share.y, rows), position(share.x, columns));
    let cell = cells.all[row * columns + column];
    let entry = cells.first_entry(row, column);
    let text = if cells.is_exact() {
        let state = state_of(values.entries[entry]);
        format!(
            "Entry {} at {}: {}, {state}",
            text::grouped(entry as u64),
            place_of(entry, &values.shape),
            values.values[entry]
        )
    } else {
        let [rows, columns] = cells.block;
        format!(
            "{rows}×{columns} entries from {}: mean {:.4}, {} pruned",
            place_of(entry, &values.shape),
            cell.mean,
            text::percent(f64::from(cell.pruned))
        )
    };
    response.clone().on_hover_text_at_pointer(text);
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // a cell of an image
fn position(share: f32, count: usize) -> usize {
    ((share.clamp(0.0, 1.0) * count as f32) as usize).min(count.saturating_sub(1))
}

/// The largest size with square entries; a row of few or very many is drawn higher than that.
#[allow(clippy::cast_precision_loss)] // an image
fn size_of(cells: &Cells, room: Vec2) -> Vec2 {
    let [rows, columns] = cells.entries.map(|count| count.max(1) as f32);
    let side = (room.x / columns).min(room.y / rows).clamp(SIDES[0], SIDES[1]);
    vec2((columns * side).clamp(LEAST.min(room.x), room.x), (rows * side).clamp(LEAST, room.y.max(LEAST)))
}

fn image(cells: &Cells, shown: Shown, inks: &Inks) -> ColorImage {
    let paint = |cell: &Cell| match shown {
        Shown::Values => value_colour(*cell, cells.full, inks),
        Shown::Mask => mask_colour(*cell, inks),
    };
    let pixels = cells.all.iter().map(paint).collect();
    ColorImage::new([cells.size[1], cells.size[0]], pixels)
}

fn value_colour(cell: Cell, full: f32, inks: &Inks) -> Color32 {
    let share = if full > 0.0 { (cell.mean / full).clamp(-1.0, 1.0) } else { 0.0 };
    let ink = if share < 0.0 { inks.negative } else { inks.positive };
    mix(mix(inks.zero, ink, share.abs()), inks.pruned, cell.pruned)
}

fn mask_colour(cell: Cell, inks: &Inks) -> Color32 {
    let left = (1.0 - cell.pruned).max(f32::EPSILON);
    mix(mix(inks.positive, inks.held, cell.frozen / left), inks.pruned, cell.pruned)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between two bytes
fn mix(from: Color32, to: Color32, share: f32) -> Color32 {
    let share = share.clamp(0.0, 1.0);
    let tone = |a: u8, b: u8| lerp(f32::from(a)..=f32::from(b), share).round() as u8;
    Color32::from_rgb(tone(from.r(), to.r()), tone(from.g(), to.g()), tone(from.b(), to.b()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INKS: Inks = Inks {
        zero: Color32::WHITE,
        positive: Color32::BLUE,
        negative: Color32::RED,
        held: Color32::YELLOW,
        pruned: Color32::GRAY,
    };

    #[test]
    fn colours_say_sign_and_state() {
        let cell = |mean, pruned, frozen| Cell { mean, pruned, frozen };
        assert_eq!(value_colour(cell(3.0, 0.0, 0.0), 3.0, &INKS), Color32::BLUE);
        assert_eq!(value_colour(cell(-9.0, 0.0, 0.0), 3.0, &INKS), Color32::RED);
        assert_eq!(value_colour(cell(0.0, 1.0, 0.0), 3.0, &INKS), Color32::GRAY);
        assert_eq!(mask_colour(cell(0.0, 0.0, 1.0), &INKS), Color32::YELLOW);
        assert_eq!(mask_colour(cell(0.0, 1.0, 0.0), &INKS), Color32::GRAY);
    }

    #[test]
    fn entries_are_square_where_there_is_room() {
        let values = ParameterValues { shape: vec![10, 20], values: vec![0.0; 200], entries: vec![0; 200] };
        assert_eq!(size_of(&Cells::of(&values, 64), vec2(200.0, 200.0)), vec2(200.0, 100.0));
        let bias = ParameterValues { shape: vec![400], values: vec![0.0; 400], entries: vec![0; 400] };
        assert_eq!(size_of(&Cells::of(&bias, 64), vec2(200.0, 200.0)), vec2(200.0, LEAST));
    }
}
