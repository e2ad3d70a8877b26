//! The image of a parameter on the screen, with square entries if there is space.

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Color32, ColorImage, Rect, Response, Sense, Stroke, StrokeKind, TextureFilter, TextureHandle,
    TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::values::{place_of, state_of};
use crate::plot::{colour, theme_of};
use crate::text;
use crate::theme::present;
use figure::cells::Cells;
use figure::mosaic::Mosaic;
use figure::network::image::{PRUNED_KIND, Shown};
use figure::palette::Theme;
use results::network::ParameterValues;
use results::number::fixed;

/// The smallest and the largest side of a cell that is one entry, in points.
const SIDES: [f32; 2] = [0.05, 64.0];
/// How far a small entry is stretched in one direction: to this side, and to so many times the other one.
const STRETCHED: [f32; 2] = [3.0, 4.0];
/// The least height and width of the whole image.
const LEAST: f32 = 24.0;

/// Entries have sharp edges; where they are smaller than a pixel, it is a mean of them.
const TEXTURE: TextureOptions =
    TextureOptions { minification: TextureFilter::Linear, ..TextureOptions::NEAREST };

/// The texture of the last image.
#[derive(Default)]
pub struct Picture {
    texture: Option<(Shown, Theme, TextureHandle)>,
}

impl Picture {
    /// Has to be called when the values change.
    pub fn forget(&mut self) {
        self.texture = None;
    }

    /// Draws the image in these colours into the available width, up to a height; the pointer reads the entry below it.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        (values, mosaic): (&ParameterValues, &Mosaic),
        (colours, shown): (&Cells, Shown),
        height: f32,
    ) {
        let theme = theme_of(ui);
        if self.texture.as_ref().is_none_or(|(kept, with, _)| *kept != shown || *with != theme) {
            let image = image(mosaic, colours, theme);
            let texture = ui.ctx().load_texture("parameter", image, TEXTURE);
            self.texture = Some((shown, theme, texture));
        }
        let size = size_of(mosaic.cells, vec2(ui.available_width(), height), ui.pixels_per_point());
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        if let Some((_, _, texture)) = &self.texture {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(texture.id(), rect, whole, Color32::WHITE);
        }
        let outline = Stroke::new(1.0, present(ui).line);
        ui.painter().rect_stroke(rect, 0.0, outline, StrokeKind::Outside);
        let name = format!("Image of the {}", shown.name());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        reading_ui(&response, rect, values, mosaic);
    }
}

fn reading_ui(response: &Response, rect: Rect, values: &ParameterValues, mosaic: &Mosaic) {
    let Some(pointer) = response.hover_pos() else { return };
    let [rows, columns] = mosaic.size;
    let share = (pointer - rect.min) / rect.size();
    let (row, column) = (position(share.y, rows), position(share.x, columns));
    let Some(tile) = mosaic.tiles.get(row * columns + column) else { return };
    let entry = mosaic.first_cell(row, column);
    let text = if mosaic.is_exact() {
        let state = state_of(values.entries[entry]);
        format!(
            "Entry {} at {}: {}, {state}",
            text::grouped(entry as u64),
            place_of(entry, &values.shape),
            values.values[entry]
        )
    } else {
        let [rows, columns] = mosaic.block;
        format!(
            "{rows}×{columns} entries from {}: mean {}, {} pruned",
            place_of(entry, &values.shape),
            fixed(tile.mean, 4),
            text::percent(f64::from(tile.shares[PRUNED_KIND]))
        )
    };
    response.clone().on_hover_text_at_pointer(text);
}

fn position(share: f32, count: usize) -> usize {
    ((share.clamp(0.0, 1.0) * count as f32) as usize).min(count.saturating_sub(1))
}

/// The largest size with square entries of whole pixels in some space. Where they would be small because there are many more
/// rows than columns, or the reverse, they are wider or higher.
pub fn size_of(cells: [usize; 2], space: Vec2, pixels: f32) -> Vec2 {
    let [rows, columns] = cells.map(|count| count.max(1) as f32);
    let room = vec2(space.x / columns, space.y / rows);
    let side = room.min_elem().clamp(SIDES[0], SIDES[1]);
    let most = STRETCHED[0].min(STRETCHED[1] * side).max(side);
    let whole = |side: f32| if side * pixels < 1.0 { side } else { (side * pixels).floor() / pixels };
    let [width, height] = [columns * whole(room.x.min(most)), rows * whole(room.y.min(most))];
    vec2(width.clamp(LEAST.min(space.x), space.x), height.clamp(LEAST, space.y.max(LEAST)))
}

/// The same pixels as in an exported file.
fn image(mosaic: &Mosaic, colours: &Cells, theme: Theme) -> ColorImage {
    let pixel = |pixel: Option<[u8; 3]>| pixel.map_or(Color32::TRANSPARENT, colour);
    let pixels = mosaic.pixels(colours, colours.range(), theme).into_iter().map(pixel).collect();
    ColorImage::new([mosaic.size[1], mosaic.size[0]], pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::mosaic::SIDE;
    use figure::network::image::{cells, colours};
    use results::network::Entry;

    fn values(shape: &[usize]) -> ParameterValues {
        let count = shape.iter().product();
        ParameterValues {
            shape: shape.to_vec(),
            values: vec![-1.0; count],
            entries: vec![Entry::Free; count],
        }
    }

    fn mosaic(shape: &[usize]) -> Mosaic {
        Mosaic::of(&cells(&values(shape), Shown::Values), SIDE)
    }

    #[test]
    fn the_screen_has_the_colours_of_the_file() {
        let all = cells(&values(&[2, 3]), Shown::Values);
        let colours = colours(2.0, [6, 0, 0], Shown::Values);
        let image = image(&mosaic(&[2, 3]), &colours, Theme::Light);
        let [red, green, blue] = all.paint([0, 0], all.range(), Theme::Light).unwrap();
        assert_eq!(image.size, [3, 2]);
        assert!(image.pixels.iter().all(|pixel| *pixel == Color32::from_rgb(red, green, blue)));
    }

    #[test]
    fn entries_are_square_where_there_is_room() {
        let size = |shape: &[usize], pixels: f32| size_of(mosaic(shape).cells, vec2(200.0, 200.0), pixels);
        assert_eq!(size(&[10, 20], 1.0), vec2(200.0, 100.0));
        assert_eq!(size(&[10, 30], 1.0), vec2(180.0, 60.0), "six whole pixels an entry");
        assert_eq!(size(&[10, 30], 1.5), vec2(200.0, 200.0 / 3.0), "ten of them at 150 %");
        assert_eq!(size(&[400, 50], 1.0), vec2(100.0, 200.0), "twice as wide as high");
        assert_eq!(size(&[400], 1.0), vec2(200.0, LEAST));
    }
}
