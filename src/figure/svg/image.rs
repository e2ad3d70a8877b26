//! Many cells as an embedded image.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use resvg::tiny_skia::{ColorU8, Pixmap};

use super::writer::Writer;
use crate::figure::cells::Cells;
use crate::figure::layout::Layout;
use crate::figure::mosaic::{Mosaic, SIDE};
use crate::figure::palette::{Rgb, Theme};

/// Embeds the cells as a PNG file, with a pixel for each cell or block of cells.
pub fn image(out: &mut Writer, cells: &Cells, layout: &Layout<'_>, theme: Theme) {
    let mosaic = Mosaic::of(cells, SIDE);
    let pixels = mosaic.pixels(cells, cells.range(), theme);
    // The last tiles may extend beyond the last cells and the plot.
    let end = |axis: usize| (mosaic.size[axis] * mosaic.block[axis]) as f64 - 0.5;
    let (x, y) = (layout.x.places([-0.5, end(1)]), layout.y.places([-0.5, end(0)]));
    let (Some([left, right]), Some([top, bottom])) = (x, y) else { return };
    let Some(file) = packed(mosaic.size, &turned(pixels, mosaic.size, [top > bottom, left > right])) else {
        return;
    };
    let data = format!("data:image/png;base64,{}", STANDARD.encode(&file));
    let attributes = [("preserveAspectRatio", "none"), ("image-rendering", "optimizeSpeed"), ("href", &data)];
    let size = [(right - left).abs(), (bottom - top).abs()];
    out.area("image", [left.min(right), top.min(bottom)], size, &attributes);
}

/// Reverses rows or columns if an axis runs the other way.
fn turned(
    mut pixels: Vec<Option<Rgb>>,
    [_, columns]: [usize; 2],
    [rows_turn, columns_turn]: [bool; 2],
) -> Vec<Option<Rgb>> {
    let columns = columns.max(1);
    if columns_turn {
        pixels.chunks_mut(columns).for_each(<[_]>::reverse);
    }
    if rows_turn {
        pixels = pixels.chunks(columns).rev().flatten().copied().collect();
    }
    pixels
}

/// Pixels as a PNG file without a resolution; those without a colour are transparent. `None` without pixels.
fn packed([rows, columns]: [usize; 2], colours: &[Option<Rgb>]) -> Option<Vec<u8>> {
    let mut pixels = Pixmap::new(u32::try_from(columns).ok()?, u32::try_from(rows).ok()?)?;
    for (pixel, colour) in pixels.pixels_mut().iter_mut().zip(colours) {
        if let Some([red, green, blue]) = *colour {
            *pixel = ColorU8::from_rgba(red, green, blue, u8::MAX).premultiply();
        }
    }
    pixels.encode_png().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::axis::Axis;
    use crate::figure::export::{Options, picture};
    use crate::figure::model::Figure;
    use crate::figure::pdf::pdf;
    use crate::figure::svg::svg;

    #[test]
    fn an_axis_that_runs_the_other_way_turns_the_image() {
        let pixels: Vec<_> = (0..6_u8).map(|tone| Some([tone; 3])).collect();
        let tones = |turns| -> Vec<u8> {
            turned(pixels.clone(), [2, 3], turns).into_iter().flatten().map(|pixel| pixel[0]).collect()
        };
        assert_eq!(tones([false, false]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(tones([true, false]), [3, 4, 5, 0, 1, 2]);
        assert_eq!(tones([false, true]), [2, 1, 0, 5, 4, 3]);
    }

    /// A thousand columns of which the right half is high; a row more than fits into equal blocks.
    fn figure() -> Figure {
        let row = |_| (0..1000_u16).map(|column| if column < 500 { 0.0 } else { 1.0 }).collect();
        let cells = Cells { values: (0..7).map(row).collect(), ..Cells::default() };
        let axis =
            |title: &str, count: f64| Axis { range: Some([-0.5, count - 0.5]), ..Axis::new(title, "") };
        Figure { x: axis("Input", 1000.0), y: axis("Output", 7.0), cells: Some(cells), ..Figure::default() }
    }

    #[test]
    fn many_cells_are_one_image_in_every_kind_of_file() {
        let (figure, options) = (figure(), Options::default());
        let drawing = svg(&figure, &options.size, options.theme);
        assert_eq!(drawing.matches("<image").count(), 1);
        assert!(drawing.len() < 60_000, "{}", drawing.len());
        assert!(pdf(&drawing, "a").unwrap().windows(6).any(|bytes| bytes == b"/Image"));
        let ([width, height], pixels) = picture(&figure, &options).unwrap();
        let at = |x: usize, y: usize| &pixels[4 * (y * width + x)..][..3];
        let [low, high] = [0.0, 1.0].map(|share| {
            let range = figure.cells.as_ref().unwrap().range();
            figure.cells.as_ref().unwrap().colour(share, range, options.theme).unwrap()
        });
        assert_eq!(at(width / 3, height / 2), low);
        assert_eq!(at(width * 2 / 3, height / 2), high);
    }
}
