//! The program's icon, drawn for this project, in the sizes that windows and desktops request.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::draw_error::DrawError;

/// The drawing.
pub const SVG: &str = include_str!("../../assets/icons/weightlab.svg");

/// The icon as `side`×`side` pixels, as straight (not premultiplied) RGBA.
///
/// # Errors
/// When `side` is 0 or too large for the memory.
pub fn pixels(side: u32) -> Result<Vec<u8>, DrawError> {
    let straight = |pixel: &resvg::tiny_skia::PremultipliedColorU8| {
        let colour = pixel.demultiply();
        [colour.red(), colour.green(), colour.blue(), colour.alpha()]
    };
    Ok(draw(side)?.pixels().iter().flat_map(straight).collect())
}

/// The icon as a PNG file of `side`×`side` pixels.
///
/// # Errors
/// When `side` is 0 or too large for the memory.
pub fn png(side: u32) -> Result<Vec<u8>, DrawError> {
    draw(side)?.encode_png().map_err(|error| DrawError::Png(error.to_string()))
}

fn draw(side: u32) -> Result<Pixmap, DrawError> {
    let tree = Tree::from_str(SVG, &Options::default())?;
    let mut pixels =
        Pixmap::new(side, side).ok_or_else(|| DrawError::Png(format!("no icon has {side} pixels")))?;
    let size = tree.size();
    let [x, y] = [size.width(), size.height()].map(|length| side as f32 / length);
    resvg::render(&tree, Transform::from_scale(x, y), &mut pixels.as_mut());
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_icon_fills_every_size_and_has_round_corners() {
        for side in [16, 48, 256] {
            let pixels = pixels(side).unwrap();
            assert_eq!(pixels.len(), (4 * side * side) as usize);
            assert!(pixels[3] < 64, "the corner is clear");
            let middle = (4 * (side / 2 * side + side / 2)) as usize;
            assert_eq!(pixels[middle + 3], 255, "the middle is not");
        }
        assert!(png(16).unwrap().starts_with(b"\x89PNG"));
        assert!(pixels(0).is_err());
    }
}
