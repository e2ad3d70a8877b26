//! The first picture of a TIFF, as Pillow reads it.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, Rgb, RgbImage};
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError};

use super::{MOST_BYTES, check_sides};

/// Returns red, green and blue of each pixel, rotated and mirrored as the file says. Of 16 bits for a colour, the upper 8 count;
/// 16 bits of grey are divided by 257.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn decode(bytes: &[u8]) -> Result<RgbImage, String> {
    let words = |error: TiffError| format!("a TIFF that is not read: {error}");
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MOST_BYTES as usize;
    limits.intermediate_buffer_size = MOST_BYTES as usize;
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(words)?.with_limits(limits);
    let (width, height) = decoder.dimensions().map_err(words)?;
    check_sides(width, height)?;
    let mut tag = |tag| decoder.find_tag_unsigned_vec::<u16>(tag).map_err(words);
    let [fill, turned, extra] = [tag(Tag::FillOrder)?, tag(Tag::Orientation)?, tag(Tag::ExtraSamples)?];
    let first = |values: Option<Vec<u16>>| values.and_then(|values| values.first().copied());
    if first(fill) == Some(2) {
        return Err("a TIFF that is not read: the bits of its bytes are in reverse order".to_owned());
    }
    let kind = decoder.colortype().map_err(words)?;
    let mut values = DecodingResult::U8(Vec::new());
    let layout = decoder.read_image_to_buffer(&mut values).map_err(words)?;
    let (columns, pixels) = (width as usize, width as usize * height as usize);
    let values = match (kind, values) {
        (ColorType::Gray(bits @ (1 | 2 | 4)), DecodingResult::U8(packed)) => unpacked(&packed, columns, bits),
        (_, DecodingResult::U8(values)) if kind.bit_depth() == 8 => values,
        (ColorType::Gray(16), DecodingResult::U16(values)) => {
            values.into_iter().map(|value| ((u32::from(value) + 128) / 257) as u8).collect()
        }
        (_, DecodingResult::U16(values)) if kind.bit_depth() == 16 => {
            values.into_iter().map(|value| (value >> 8) as u8).collect()
        }
        (kind, _) => return Err(format!("a TIFF that is not read: its colours are {kind:?}")),
    };
    let channels = kind.num_samples() as usize;
    if values.len() < pixels * channels {
        return Err("a TIFF with too few pixels".to_owned());
    }
    let value = |pixel: usize, channel: usize| {
        let place = if layout.planes > 1 { channel * pixels + pixel } else { pixel * channels + channel };
        values[place]
    };
    let is_premultiplied = first(extra) == Some(1);
    let colour = |pixel: usize| match kind {
        ColorType::Gray(_) | ColorType::Multiband { num_samples: 2, .. } => Some([value(pixel, 0); 3]),
        ColorType::RGBA(_) if is_premultiplied => {
            let alpha = u32::from(value(pixel, 3));
            let full = |value: u8| (u32::from(value) * 255).checked_div(alpha).unwrap_or(0).min(255) as u8;
            Some([0, 1, 2].map(|channel| full(value(pixel, channel))))
        }
        ColorType::RGB(_) | ColorType::RGBA(_) => Some([0, 1, 2].map(|channel| value(pixel, channel))),
        ColorType::CMYK(8) => Some([0, 1, 2].map(|channel| printed(value(pixel, channel), value(pixel, 3)))),
        _ => None,
    };
    if colour(0).is_none() {
        return Err(format!("a TIFF that is not read: its colours are {kind:?}"));
    }
    let at = |x: u32, y: u32| Rgb(colour(y as usize * columns + x as usize).unwrap_or_default());
    let mut picture = DynamicImage::from(RgbImage::from_fn(width, height, at));
    let turn = first(turned).and_then(|turn| Orientation::from_exif(u8::try_from(turn).ok()?));
    picture.apply_orientation(turn.unwrap_or(Orientation::NoTransforms));
    Ok(picture.into_rgb8())
}

/// Returns values of so many bits, which fill bytes from the upper end, in rows that begin with a byte, as ones of 8 bits.
fn unpacked(packed: &[u8], columns: usize, bits: u8) -> Vec<u8> {
    let most = (1_u16 << bits) - 1;
    let each = usize::from(8 / bits);
    let value = |row: &[u8], x: usize| {
        let value = u16::from(row[x / each]) >> (8 - usize::from(bits) * (x % each + 1)) & most;
        (value * 255 / most) as u8
    };
    let rows = packed.chunks_exact(columns.div_ceil(each));
    rows.flat_map(|row| (0..columns).map(move |x| value(row, x))).collect()
}

/// Returns what an ink and black leave of light: Pillow's product of bytes, rounded.
fn printed(ink: u8, black: u8) -> u8 {
    let light = u32::from(255 - black);
    let product = u32::from(ink) * light + 128;
    light.saturating_sub((product + (product >> 8)) >> 8) as u8
}
