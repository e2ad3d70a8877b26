//! Columns of tables that never cut a number: those that find no room are left out whole.

use std::hash::Hash;

use eframe::egui::{
    Color32, FontId, Grid, Label, Rect, Response, RichText, ScrollArea, Sense, TextStyle, Ui, Vec2, pos2,
    vec2,
};

use super::number_ui;
use crate::theme;

/// Free space beside the text of a cell, both sides together, in points.
pub const CELL_MARGIN: f32 = 16.0;

/// Which columns of these widths fit into a space, with a gap between two of them. The columns of `expendable` go first, in
/// this order; the others stay in any case.
pub fn fitting<const N: usize>(widths: [f32; N], gap: f32, space: f32, expendable: &[usize]) -> [bool; N] {
    let mut shown = [true; N];
    let needed = |shown: &[bool; N]| -> f32 {
        let all = widths.iter().zip(shown).filter(|(_, is_shown)| **is_shown);
        all.map(|(width, _)| width + gap).sum::<f32>() - gap
    };
    for column in expendable {
        if needed(&shown) <= space {
            break;
        }
        shown[*column] = false;
    }
    shown
}

/// The width of a text in this font, in points.
pub fn width_of(ui: &Ui, text: &str, font: &FontId) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), font.clone(), ui.visuals().text_color()).size().x
}

/// The meaning of a colour: a square and its name, which stay on one line together.
pub fn key_ui(ui: &mut Ui, colour: Color32, name: &str) -> Response {
    const SQUARE: f32 = 10.0;
    let text = width_of(ui, name, &TextStyle::Small.resolve(ui.style()));
    let height = ui.text_style_height(&TextStyle::Small);
    let size = vec2(SQUARE + theme::STEP / 2.0 + text.ceil() + 1.0, height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let square =
        Rect::from_center_size(pos2(rect.left() + SQUARE / 2.0, rect.center().y), Vec2::splat(SQUARE));
    ui.painter().rect_filled(square, 2.0, colour);
    let label = Label::new(RichText::new(name).small()).selectable(false).extend();
    response | ui.put(rect.with_min_x(rect.right() - text.ceil() - 1.0), label)
}

/// A striped table of texts: names at the left of the first column, numbers at the right of the others. Columns that find
/// no room are left out, those of `expendable` in this order; what is still too wide scrolls.
pub fn fitted_grid_ui<const N: usize>(
    ui: &mut Ui,
    id: impl Hash + std::fmt::Debug,
    columns: [(&str, &str); N],
    expendable: &[usize],
    rows: &[[String; N]],
) {
    let (heading, body) = (FontId::proportional(theme::SMALL), TextStyle::Body.resolve(ui.style()));
    let widths: [f32; N] = std::array::from_fn(|column| {
        let texts = rows.iter().map(|row| width_of(ui, &row[column], &body));
        // A number has a step of air at its right.
        theme::STEP + texts.fold(width_of(ui, columns[column].0, &heading), f32::max)
    });
    let gap = 2.0 * theme::STEP;
    let shown = fitting(widths, gap, ui.available_width(), expendable);
    let id = ui.scope_id().with(id);
    ScrollArea::horizontal().id_salt(id).auto_shrink([false, true]).show(ui, |ui| {
        Grid::new(id.with("rows")).striped(true).spacing([gap, 0.5 * theme::STEP]).show(ui, |ui| {
            for (_, (name, help)) in shown.iter().zip(columns).filter(|(is_shown, _)| **is_shown) {
                theme::heading_ui(ui, name).on_hover_text(help);
            }
            ui.end_row();
            for row in rows {
                for (column, text) in row.iter().enumerate().filter(|(column, _)| shown[*column]) {
                    if column == 0 {
                        ui.label(text);
                    } else {
                        number_ui(ui, text);
                    }
                }
                ui.end_row();
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_find_no_room_go_in_their_order_and_the_others_stay() {
        let widths = [100.0, 50.0, 80.0];
        assert_eq!(fitting(widths, 10.0, 250.0, &[1, 2]), [true, true, true]);
        assert_eq!(fitting(widths, 10.0, 249.0, &[1, 2]), [true, false, true]);
        assert_eq!(fitting(widths, 10.0, 189.0, &[1, 2]), [true, false, false]);
        assert_eq!(fitting(widths, 10.0, 10.0, &[1, 2]), [true, false, false]);
    }
}
