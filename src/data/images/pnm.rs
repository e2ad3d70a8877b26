//! PBM, PGM and PPM, as text or as bytes, as Pillow reads them.

use image::RgbImage;

use super::check_sides;

/// A picture's bytes behind its first two.
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
///
/// # Errors
/// Why it cannot be read.
pub(super) fn decode(bytes: &[u8]) -> Result<RgbImage, String> {
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
