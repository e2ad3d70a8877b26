//! The first frame of a GIF, as Pillow reads it.

use gif::{DecodeOptions, MemoryLimit};
use image::{Rgb, RgbImage};

use super::{MOST_BYTES, check_sides};

/// Returns red, green and blue of each pixel; of transparent ones, those of their colour. What the frame does not cover has its
/// transparent colour, or without one its first.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn decode(bytes: &[u8]) -> Result<RgbImage, String> {
    let words = |error: gif::DecodingError| error.to_string();
    let mut options = DecodeOptions::new();
    options.set_memory_limit(MemoryLimit::Bytes(MOST_BYTES.try_into().expect("it is not 0")));
    let mut decoder = options.read_info(bytes).map_err(words)?;
    let [width, height] = [decoder.width(), decoder.height()].map(u32::from);
    let about = decoder.next_frame_info().map_err(words)?.ok_or("it has no picture")?;
    let [left, top] = [about.left, about.top].map(u32::from);
    let [across, down] = [about.width, about.height].map(u32::from);
    let (width, height) = (width.max(left + across), height.max(top + down));
    check_sides(width, height)?;
    let transparent = about.transparent;
    let palette = decoder.palette().map_err(words)?.to_vec();
    let colour = |index: u8| {
        let of = |channel| palette.get(usize::from(index) * 3 + channel).copied().unwrap_or(0);
        Rgb([of(0), of(1), of(2)])
    };
    let mut indices = vec![0; across as usize * down as usize];
    decoder.read_into_buffer(&mut indices).map_err(words)?;
    let mut picture = RgbImage::from_pixel(width, height, colour(transparent.unwrap_or(0)));
    for (place, index) in (0..).zip(indices) {
        picture.put_pixel(left + place % across, top + place / across, colour(index));
    }
    Ok(picture)
}
