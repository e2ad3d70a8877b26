//! JPEG as Pillow's libjpeg-turbo decodes it, to the bit: with its fixed-point transform and its smooth upsampling.

use image::RgbImage;
use libjpeg_turbo_rs::{DecodeLimits, Decoder, FrameHeader, PixelFormat};

use super::{MOST_BYTES, check_sides};

/// A progressive picture has about ten scans. Each may touch all pixels, so many of them cost hours.
const MOST_SCANS: usize = 500;

/// Red, green and blue of each pixel. Data that end too early or have impossible codes are an error, where libjpeg-turbo
/// would fill in grey.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn decode(bytes: &[u8]) -> Result<RgbImage, String> {
    let limits = DecodeLimits {
        max_scans: MOST_SCANS,
        max_memory: Some(MOST_BYTES),
        // Those of libjpeg-turbo; `check_sides` has the number of pixels.
        ..DecodeLimits::default()
    };
    let mut decoder = Decoder::new_with_limits(bytes, limits).map_err(|error| error.to_string())?;
    let frame = decoder.header();
    let [width, height] = [frame.width, frame.height].map(u32::from);
    check_sides(width, height)?;
    if frame.precision != 8 {
        return Err(format!("it has {} bits for a colour of a pixel; of JPEGs, 8 are read", frame.precision));
    }
    check_sampling(frame)?;
    decoder.set_output_format(PixelFormat::Rgb);
    let picture = decoder.decode_image().map_err(|error| error.to_string())?;
    RgbImage::from_raw(width, height, picture.data).ok_or_else(|| "it has too few pixels".to_owned())
}

/// Refuses pictures for printing whose four colours have resolutions that the library gets wrong or panics at: it takes
/// black to be at full resolution and the second and third colour to be equal.
fn check_sampling(frame: &FrameHeader) -> Result<(), String> {
    let factors =
        frame.components.iter().map(|colour| [colour.horizontal_sampling, colour.vertical_sampling]);
    let [first, second, third, black] = factors.collect::<Vec<_>>()[..] else {
        return Ok(());
    };
    let [across, down] = second;
    let is_usual = [second, [across * 2, down], [across * 2, down * 2]].contains(&first);
    if second == third && black == first && is_usual {
        return Ok(());
    }
    Err("its four colours (CMYK) have resolutions that are not read".to_owned())
}
