//! One picture: decoded, resized and cropped as torchvision does it with Pillow.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Cursor, Read};
use std::ops::Range;
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageReader, Limits, RgbImage};

use crate::images::formats::{decode_gif, decode_jpeg, decode_pnm, decode_tiff};
use crate::images::{MOST_BYTES, MOST_PIXELS, check_sides};
use crate::{Shape, stand_in};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preparation {
    /// The shorter side after resizing.
    pub resize: usize,
    /// The side of the square that is cut out of the middle.
    pub crop: usize,
    pub is_grey: bool,
}

impl Preparation {
    const fn channels(self) -> usize {
        if self.is_grey { 1 } else { 3 }
    }

    pub const fn shape(self) -> Shape {
        Shape::new(self.channels(), self.crop, self.crop)
    }

    /// Reads the bytes of a picture, `[channels, crop, crop]`.
    pub fn read(self, path: &Path) -> Result<Vec<u8>, String> {
        let pixels = decode(path)?;
        let [width, height] = resized(pixels.width() as usize, pixels.height() as usize, self.resize);
        if (width as u64).saturating_mul(height as u64) > MOST_PIXELS {
            return Err(format!("resized it would have {width}×{height} pixels"));
        }
        Ok(self.prepare(&pixels))
    }

    fn prepare(self, picture: &RgbImage) -> Vec<u8> {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let bytes: Cow<'_, [u8]> = if self.is_grey { grey(picture).into() } else { picture.as_raw().into() };
        let size = resized(width, height, self.resize);
        let window = size.map(|length| offset(length, self.crop)).map(|first| first..first + self.crop);
        let pixels = resample(&bytes, self.channels(), [width, height], size, window);
        let channel = |channel: usize| pixels.iter().skip(channel).step_by(self.channels());
        (0..self.channels()).flat_map(channel).copied().collect()
    }
}

/// Returns width and height after resizing the shorter side, as torchvision's `Resize` computes them: the other side is cut
/// off to a whole number.
fn resized(width: usize, height: usize, side: usize) -> [usize; 2] {
    let long = |long: usize, short: usize| ((side * long) as f64 / short as f64) as usize;
    if width <= height { [side, long(height, width)] } else { [long(width, height), side] }
}

/// Returns where the middle begins, as torchvision's `CenterCrop` rounds it: a half to the even number.
fn offset(length: usize, side: usize) -> usize {
    let rest = length.saturating_sub(side);
    let half = rest / 2;
    if rest % 2 == 1 && half % 2 == 1 { half + 1 } else { half }
}

/// Returns luma as Pillow's `convert("L")` rounds it.
fn grey(picture: &RgbImage) -> Vec<u8> {
    let luma = |[r, g, b]: [u32; 3]| ((r * 19_595 + g * 38_470 + b * 7_471 + 0x8000) >> 16) as u8;
    picture.pixels().map(|pixel| luma(pixel.0.map(u32::from))).collect()
}

/// Decodes a picture by its content, whatever its name ends in, to red, green and blue. What a camera notes about its
/// orientation is ignored, as torchvision's `ImageFolder` does; that of a TIFF is not, as Pillow does.
pub(crate) fn decode(path: &Path) -> Result<RgbImage, String> {
    let words = |error: std::io::Error| error.to_string();
    let mut bytes = Vec::new();
    File::open(path).map_err(words)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(words)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("the file has more than {MOST_BYTES} bytes"));
    }
    match bytes[..] {
        [0xff, 0xd8, ..] => decode_jpeg(&bytes),
        [b'P', b'1'..=b'6', b' ' | b'#' | 9..=13, ..] => decode_pnm(&bytes),
        [b'G', b'I', b'F', b'8', ..] => decode_gif(&bytes),
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => decode_tiff(&bytes),
        _ => by_library(&bytes),
    }
}

/// Decodes the formats whose colours the library has as Pillow has them, up to those of 16 bits.
fn by_library(bytes: &[u8]) -> Result<RgbImage, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let mut reader =
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|error| words(&error))?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    if reader.format().is_none() {
        let other = "no PNG, JPEG, BMP, WebP, GIF, TIFF, PPM, PGM or PBM picture";
        return Err(stand_in(bytes).unwrap_or(other).to_owned());
    }
    let decoder = reader.into_decoder().map_err(|error| words(&error))?;
    let (width, height) = decoder.dimensions();
    check_sides(width, height)?;
    if decoder.total_bytes() > MOST_BYTES {
        return Err(format!("it promises {} bytes of pixels", decoder.total_bytes()));
    }
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| words(&error))?;
    // Of 16 bits for a colour, Pillow takes the upper 8.
    let is_deep = matches!(
        picture,
        DynamicImage::ImageRgb16(_) | DynamicImage::ImageRgba16(_) | DynamicImage::ImageLumaA16(_)
    );
    if !is_deep {
        return Ok(picture.into_rgb8());
    }
    let upper = picture.to_rgb16().into_raw().into_iter().map(|value| (value >> 8) as u8).collect();
    Ok(RgbImage::from_raw(width, height, upper).expect("the same number of values"))
}

/// Fractional bits of the weights.
const BITS: u32 = 22;

/// A pixel of the result: the first of the old pixels in it, and their weights.
type Taps = (usize, Vec<i32>);

/// Returns a window of a picture in another size, `[height, width, channels]` of the window. `bytes` are `[height, width,
/// channels]` of the picture; sizes and window are width before height. The filter is a triangle that is as wide as the
/// scale. After the first direction, values are rounded to bytes.
pub(crate) fn resample(
    bytes: &[u8],
    channels: usize,
    [width, height]: [usize; 2],
    [new_width, new_height]: [usize; 2],
    [columns, rows]: [Range<usize>; 2],
) -> Vec<u8> {
    let across = taps(width, new_width, columns);
    let down = taps(height, new_height, rows);
    if is_down_first([width, height], [new_width, new_height]) {
        let low = resample_down(bytes, width * channels, &down);
        return resample_across(&low, width, channels, &across);
    }
    // Only the rows that the window needs.
    let first = down.first().map_or(0, |(first, _)| *first);
    let end = down.last().map_or(0, |(first, weights)| first + weights.len());
    let narrow =
        resample_across(&bytes[first * width * channels..end * width * channels], width, channels, &across);
    let down: Vec<Taps> = down.into_iter().map(|(at, weights)| (at - first, weights)).collect();
    resample_down(&narrow, across.len() * channels, &down)
}

/// Returns true if Pillow, from version 13, resizes the height before the width: where that removes more than twice as much.
fn is_down_first([width, height]: [usize; 2], [new_width, new_height]: [usize; 2]) -> bool {
    let [narrower, lower] =
        [(width, new_width), (height, new_height)].map(|(old, new)| old.cast_signed() - new.cast_signed());
    lower > 0 && lower > 2 * narrower
}

fn taps(old: usize, new: usize, window: Range<usize>) -> Vec<Taps> {
    let scale = old as f64 / new as f64;
    let support = scale.max(1.0);
    window
        .map(|at| {
            let centre = (at as f64 + 0.5) * scale;
            let first = (centre - support + 0.5).max(0.0) as usize;
            let end = ((centre + support + 0.5) as usize).min(old);
            let weight = |pixel: usize| {
                let distance = (pixel as f64 - centre + 0.5) * (1.0 / support);
                (1.0 - distance.abs()).max(0.0)
            };
            let weights: Vec<f64> = (first..end).map(weight).collect();
            let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
            let fixed = |weight: &f64| (0.5 + weight / sum * f64::from(1 << BITS)) as i32;
            (first, weights.iter().map(fixed).collect())
        })
        .collect()
}

fn rounded(sum: i32) -> u8 {
    (sum >> BITS).clamp(0, 255) as u8
}

/// Half of a byte's unit: the start of a sum.
const HALF: i32 = 1 << (BITS - 1);

/// Makes a pixel for each of the taps of each row, `width` pixels.
fn resample_across(bytes: &[u8], width: usize, channels: usize, taps: &[Taps]) -> Vec<u8> {
    match channels {
        1 => across::<1>(bytes, width, taps),
        _ => across::<3>(bytes, width, taps),
    }
}

fn across<const CHANNELS: usize>(bytes: &[u8], width: usize, taps: &[Taps]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len() / width * taps.len());
    for row in bytes.chunks_exact(width * CHANNELS) {
        for (first, weights) in taps {
            let mut sums = [HALF; CHANNELS];
            let pixels = row[first * CHANNELS..].chunks_exact(CHANNELS);
            for (pixel, weight) in pixels.zip(weights) {
                for (sum, byte) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(*byte) * weight;
                }
            }
            result.extend(sums.map(rounded));
        }
    }
    result
}

/// Makes a row of `row` bytes for each of the taps.
fn resample_down(bytes: &[u8], row: usize, taps: &[Taps]) -> Vec<u8> {
    let mut result = Vec::with_capacity(row * taps.len());
    let mut sums = vec![0; row];
    for (first, weights) in taps {
        sums.fill(HALF);
        for (pixels, weight) in bytes[first * row..].chunks_exact(row).zip(weights) {
            for (sum, byte) in sums.iter_mut().zip(pixels) {
                *sum += i32::from(*byte) * weight;
            }
        }
        result.extend(sums.iter().map(|&sum| rounded(sum)));
    }
    result
}

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::*;

    #[test]
    fn sizes_and_offsets_are_those_of_torchvision() {
        // From torchvision 0.29 with Pillow.
        assert_eq!(resized(500, 375, 256), [341, 256]);
        assert_eq!(resized(375, 500, 256), [256, 341]);
        assert_eq!(resized(100, 100, 256), [256, 256]);
        assert_eq!(resized(333, 100, 7), [23, 7]);
        assert_eq!([offset(341, 224), offset(256, 224), offset(227, 224), offset(229, 224)], [58, 16, 2, 2]);
        assert_eq!([offset(225, 224), offset(231, 224)], [0, 4]);
    }

    #[test]
    fn a_crop_is_the_middle_one_channel_after_the_other() {
        let picture = RgbImage::from_raw(4, 4, (0..4 * 4 * 3).collect()).unwrap();
        let preparation = Preparation { resize: 4, crop: 2, is_grey: false };
        let expected = [15, 18, 27, 30, 16, 19, 28, 31, 17, 20, 29, 32];
        assert_eq!(preparation.prepare(&picture), expected);
    }
}

#[cfg(test)]
mod resample_tests {
    use crate::images::picture::*;

    #[test]
    fn a_window_is_a_part_of_the_whole_and_the_same_size_changes_nothing() {
        let bytes: Vec<u8> = (0..7 * 5 * 3_u32).map(|at| (at * 37 % 251) as u8).collect();
        assert_eq!(resample(&bytes, 3, [7, 5], [7, 5], [0..7, 0..5]), bytes);
        for (from, to) in [([7, 5], [4, 3]), ([5, 7], [4, 5]), ([3, 11], [2, 7]), ([7, 5], [15, 11])] {
            let bytes = &bytes[..from[0] * from[1] * 3];
            let whole = resample(bytes, 3, from, to, [0..to[0], 0..to[1]]);
            let window = resample(bytes, 3, from, to, [1..2, 1..3]);
            let pixel = |column: usize, row: usize| &whole[(row * to[0] + column) * 3..][..3];
            assert_eq!(window, [pixel(1, 1), pixel(1, 2)].concat(), "{from:?} {to:?}");
        }
    }

    #[test]
    fn height_comes_first_where_much_more_of_it_goes() {
        // Found by comparing Pillow 13 with both orders.
        for (from, to, is_first) in [
            ([60, 120], [50, 100], false),
            ([60, 121], [50, 100], true),
            ([60, 150], [50, 128], true),
            ([60, 150], [44, 120], false),
            ([200, 150], [220, 120], true),
            ([100, 100], [110, 116], false),
        ] {
            assert_eq!(is_down_first(from, to), is_first, "{from:?} {to:?}");
        }
    }
}
