//! Formats of pictures that are decoded as Pillow does, to the bit.

use std::io::Cursor;

use gif::{DecodeOptions, MemoryLimit};
use image::metadata::Orientation;
use image::{DynamicImage, Rgb, RgbImage};
use libjpeg_turbo_rs::{DecodeLimits, Decoder, FrameHeader, PixelFormat};
use tiff::decoder::{Decoder as TiffDecoder, DecodingResult, Limits};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError};

use crate::images::{MOST_BYTES, check_sides};

/// Returns red, green and blue of each pixel; of transparent ones, those of their colour. What the frame does not cover has its
/// transparent colour, or without one its first.
pub(crate) fn decode_gif(bytes: &[u8]) -> Result<RgbImage, String> {
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

/// A progressive picture has about ten scans. Each may touch all pixels, so many of them cost hours.
const MOST_SCANS: usize = 500;

/// Returns red, green and blue of each pixel. Data that end too early or have impossible codes are an error, where
/// libjpeg-turbo would fill in grey.
pub(crate) fn decode_jpeg(bytes: &[u8]) -> Result<RgbImage, String> {
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

/// The bytes behind the first two.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// Returns the next byte that is in no comment; a comment goes from `#` to the end of its line.
    fn byte(&mut self) -> Option<u8> {
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            if byte != b'#' {
                return Some(byte);
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.0 = end.map_or(&[], |end| &rest[end + 1..]);
        }
    }

    /// Reads the next number and the white space behind it.
    fn number(&mut self) -> Result<u32, String> {
        let mut digits = String::new();
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | 9..=13 if digits.is_empty() => {}
                b' ' | 9..=13 => break,
                byte => digits.push(char::from(byte)),
            }
            if digits.len() > 10 {
                break;
            }
        }
        digits.parse().map_err(|_| format!("\"{digits}\" in place of a number"))
    }
}

/// Returns red, green and blue of each pixel of a file that begins with `P1` to `P6`. A value v of at most `most` becomes
/// v / most · 255, rounded, a half to the even number.
pub(crate) fn decode_pnm(bytes: &[u8]) -> Result<RgbImage, String> {
    let mut rest = Rest(&bytes[2..]);
    let [width, height] = [rest.number()?, rest.number()?];
    check_sides(width, height)?;
    let (is_text, kind) = (bytes[1] < b'4', (bytes[1] - b'1') % 3);
    let most = if kind == 0 { 1 } else { rest.number()? };
    if !(1..65_536).contains(&most) {
        return Err(format!("its largest value is {most}; 1 to 65,535 are read"));
    }
    let channels = if kind == 2 { 3 } else { 1 };
    let [columns, pixels] = [width as usize, width as usize * height as usize];
    let ends = || "it ends too early".to_owned();
    let scaled = |value: u32| (f64::from(value.min(most)) / f64::from(most) * 255.0).round_ties_even() as u8;
    let values: Vec<u8> = match (is_text, kind) {
        (true, 0) => {
            let mut dots = std::iter::from_fn(|| rest.byte()).filter(|byte| !byte.is_ascii_whitespace());
            let mut dot = || dots.next().filter(|byte| matches!(byte, b'0' | b'1'));
            (0..pixels).map(|_| Some((b'1' - dot()?) * 255)).collect::<Option<_>>().ok_or_else(ends)?
        }
        (true, _) => {
            let above = || format!("it has values above its largest one, {most}");
            let mut value =
                || rest.number().and_then(|value| if value > most { Err(above()) } else { Ok(value) });
            (0..pixels * channels).map(|_| value().map(scaled)).collect::<Result<_, _>>()?
        }
        (false, 0) => {
            let row = columns.div_ceil(8);
            let dots = rest.0.get(..row * height as usize).ok_or_else(ends)?;
            let dot = |row: &[u8], x: usize| (1 - (row[x / 8] >> (7 - x % 8) & 1)) * 255;
            dots.chunks(row).flat_map(|row| (0..columns).map(move |x| dot(row, x))).collect()
        }
        (false, _) if most < 256 => {
            let bytes = rest.0.get(..pixels * channels).ok_or_else(ends)?;
            bytes.iter().map(|byte| scaled(u32::from(*byte))).collect()
        }
        (false, _) => {
            let words = rest.0.get(..pixels * channels * 2).ok_or_else(ends)?;
            words.chunks_exact(2).map(|word| scaled(u32::from(word[0]) << 8 | u32::from(word[1]))).collect()
        }
    };
    let bytes = values.into_iter().flat_map(|value| std::iter::repeat_n(value, 3 / channels)).collect();
    RgbImage::from_raw(width, height, bytes).ok_or_else(ends)
}

/// Returns red, green and blue of each pixel, rotated and mirrored as the file says. Of 16 bits for a colour, the upper 8 count;
/// 16 bits of grey are divided by 257.
pub(crate) fn decode_tiff(bytes: &[u8]) -> Result<RgbImage, String> {
    let words = |error: TiffError| format!("a TIFF that is not read: {error}");
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MOST_BYTES as usize;
    limits.intermediate_buffer_size = MOST_BYTES as usize;
    let mut decoder = TiffDecoder::new(Cursor::new(bytes)).map_err(words)?.with_limits(limits);
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
