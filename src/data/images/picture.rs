//! One picture: decoded, resized and cropped as torchvision does it with Pillow.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageReader, Limits, RgbImage};

use super::resample::resample;
use super::{MOST_BYTES, MOST_PIXELS, check_sides, gif, jpeg, pnm, tiff};
use crate::{Shape, stand_in};

/// How pictures become samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preparation {
    /// The shorter side after resizing.
    pub resize: usize,
    /// The side of the square that is cut out of the middle.
    pub crop: usize,
    /// Whether colours become grey.
    pub is_grey: bool,
}

impl Preparation {
    /// Channels of a sample.
    const fn channels(self) -> usize {
        if self.is_grey { 1 } else { 3 }
    }

    /// The shape of a sample.
    pub const fn shape(self) -> Shape {
        Shape::new(self.channels(), self.crop, self.crop)
    }

    /// The bytes of a picture, `[channels, crop, crop]`.
    ///
    /// # Errors
    /// Why it cannot be read.
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

/// Width and height after resizing the shorter side, as torchvision's `Resize` computes them: the other side is cut off to
/// a whole number.
fn resized(width: usize, height: usize, side: usize) -> [usize; 2] {
    let long = |long: usize, short: usize| ((side * long) as f64 / short as f64) as usize;
    if width <= height { [side, long(height, width)] } else { [long(width, height), side] }
}

/// Where the middle begins, as torchvision's `CenterCrop` rounds it: a half to the even number.
fn offset(length: usize, side: usize) -> usize {
    let rest = length.saturating_sub(side);
    let half = rest / 2;
    if rest % 2 == 1 && half % 2 == 1 { half + 1 } else { half }
}

/// Luma as Pillow's `convert("L")` rounds it.
fn grey(picture: &RgbImage) -> Vec<u8> {
    let luma = |[r, g, b]: [u32; 3]| ((r * 19_595 + g * 38_470 + b * 7_471 + 0x8000) >> 16) as u8;
    picture.pixels().map(|pixel| luma(pixel.0.map(u32::from))).collect()
}

/// Decodes a picture by its content, whatever its name ends in, to red, green and blue. What a camera notes about its
/// orientation is ignored, as torchvision's `ImageFolder` does; that of a TIFF is not, as Pillow does.
pub(super) fn decode(path: &Path) -> Result<RgbImage, String> {
    let words = |error: std::io::Error| error.to_string();
    let mut bytes = Vec::new();
    File::open(path).map_err(words)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(words)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("the file has more than {MOST_BYTES} bytes"));
    }
    match bytes[..] {
        [0xff, 0xd8, ..] => jpeg::decode(&bytes),
        [b'P', b'1'..=b'6', b' ' | b'#' | 9..=13, ..] => pnm::decode(&bytes),
        [b'G', b'I', b'F', b'8', ..] => gif::decode(&bytes),
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => tiff::decode(&bytes),
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
