//! The fonts of exported figures, how wide text is in them, and how it is broken into lines.
//!
//! Figures bring their own fonts, so that they look the same on every machine and a legend never overlaps: widths are
//! read from the font files. Kerning is left out; it only makes text narrower.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Roboto Regular, a TrueType file.
pub const REGULAR: &[u8] = include_bytes!("../../assets/fonts/Roboto-Regular.ttf");
/// Roboto Medium, a TrueType file.
pub const MEDIUM: &[u8] = include_bytes!("../../assets/fonts/Roboto-Medium.ttf");
/// The name of the family in both files.
pub const FAMILY: &str = "Roboto";
/// Height of capital letters and digits as a share of the font's size.
pub const CAP_HEIGHT: f64 = 0.711;
/// From one base line to the next as a share of the font's size.
pub const LINE_HEIGHT: f64 = 1.2;

/// How heavy text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Weight {
    #[default]
    Regular,
    Medium,
}

/// Advance widths by character, in ems.
type Widths = BTreeMap<char, f64>;

static REGULAR_WIDTHS: LazyLock<Widths> = LazyLock::new(|| embedded(REGULAR));
static MEDIUM_WIDTHS: LazyLock<Widths> = LazyLock::new(|| embedded(MEDIUM));

fn embedded(file: &[u8]) -> Widths {
    widths(file).expect("the embedded fonts have the tables head, hhea, hmtx and a cmap of format 4")
}

/// Whether the embedded fonts have a shape for every character of the text.
pub fn covers(text: &str) -> bool {
    text.chars().all(|letter| letter.is_control() || REGULAR_WIDTHS.contains_key(&letter))
}

/// The width of a line of text of this size, in the unit of the size.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let widths = match weight {
        Weight::Regular => &*REGULAR_WIDTHS,
        Weight::Medium => &*MEDIUM_WIDTHS,
    };
    // What the font lacks comes from another one, where an em is the most that is usual.
    text.chars().map(|letter| widths.get(&letter).unwrap_or(&1.0)).sum::<f64>() * size
}

/// The text in at most `most` lines of at most this width. Spaces break lines, long words break anywhere; what is too
/// long for all lines loses its middle to an ellipsis, since names mostly differ at their ends.
pub fn fit(text: &str, size: f64, weight: Weight, limit: f64, most: usize) -> Vec<String> {
    let fits = |text: &str| Some(wrap(text, size, weight, limit)).filter(|lines| lines.len() <= most);
    if let Some(lines) = fits(text) {
        return lines;
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| {
        let head: String = letters[..kept.div_ceil(2)].iter().collect();
        let tail: String = letters[letters.len() - kept / 2..].iter().collect();
        format!("{}…{}", head.trim_end(), tail.trim_start())
    };
    // The longest that fits: between `fitting` and `failing` there is at most one step more.
    let (mut fitting, mut failing) = (0, letters.len());
    while failing - fitting > 1 {
        let middle = usize::midpoint(fitting, failing);
        if fits(&shortened(middle)).is_some() { fitting = middle } else { failing = middle }
    }
    wrap(&shortened(fitting), size, weight, limit)
}

/// Greedy lines; a line is wider than the limit only where a single character is.
fn wrap(text: &str, size: f64, weight: Weight, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&joined, size, weight) <= limit {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            if !line.is_empty() && width(&format!("{line}{letter}"), size, weight) > limit {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Reads the widths of a TrueType or OpenType file; `None` where it is not one.
fn widths(file: &[u8]) -> Option<Widths> {
    let units = f64::from(u16_at(table(file, *b"head")?, 18)?);
    let long_metrics = usize::from(u16_at(table(file, *b"hhea")?, 34)?);
    let metrics = table(file, *b"hmtx")?;
    // Glyphs after the last long metric share its advance.
    let advance = |glyph: u16| u16_at(metrics, usize::from(glyph).min(long_metrics.checked_sub(1)?) * 4);
    let in_ems = |(letter, glyph)| Some((letter, f64::from(advance(glyph)?) / units));
    glyphs(unicode_map(table(file, *b"cmap")?)?).into_iter().map(in_ems).collect()
}

fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(data.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(data: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?)).ok()
}

fn table(file: &[u8], tag: [u8; 4]) -> Option<&[u8]> {
    let count = usize::from(u16_at(file, 4)?);
    let record = (0..count).map(|index| 12 + index * 16).find(|at| file.get(*at..at + 4) == Some(&tag))?;
    let (offset, length) = (u32_at(file, record + 8)?, u32_at(file, record + 12)?);
    file.get(offset..offset.checked_add(length)?)
}

/// The part of `cmap` for Windows and Unicode's basic plane, in format 4.
fn unicode_map(cmap: &[u8]) -> Option<&[u8]> {
    let count = usize::from(u16_at(cmap, 2)?);
    let basic = |at: &usize| u16_at(cmap, *at) == Some(3) && u16_at(cmap, at + 2) == Some(1);
    let record = (0..count).map(|index| 4 + index * 8).find(basic)?;
    let map = cmap.get(u32_at(cmap, record + 4)?..)?;
    (u16_at(map, 0)? == 4).then_some(map)
}

/// The characters and glyphs of a map in format 4 (OpenType specification, table `cmap`).
fn glyphs(map: &[u8]) -> Vec<(char, u16)> {
    let segments = u16_at(map, 6).map_or(0, |twice| usize::from(twice) / 2);
    (0..segments).flat_map(|segment| segment_glyphs(map, segments, segment).unwrap_or_default()).collect()
}

fn segment_glyphs(map: &[u8], segments: usize, segment: usize) -> Option<Vec<(char, u16)>> {
    let column = |nth: usize| 14 + nth * segments * 2 + segment * 2 + if nth > 0 { 2 } else { 0 };
    let [end, start, delta, range] = [0, 1, 2, 3].map(|nth| u16_at(map, column(nth)));
    let (start, delta, range) = (start?, delta?, range?);
    let glyph = |code: u16| {
        if range == 0 {
            return Some(code.wrapping_add(delta));
        }
        let at = column(3) + usize::from(range) + usize::from(code - start) * 2;
        u16_at(map, at).filter(|glyph| *glyph != 0).map(|glyph| glyph.wrapping_add(delta))
    };
    let mapped =
        |code: u16| Some((char::from_u32(u32::from(code))?, glyph(code).filter(|glyph| *glyph != 0)?));
    Some((start..=end?).filter_map(mapped).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_digits_have_one_width() {
        for digit in '0'..='9' {
            assert!((width(&digit.to_string(), 2048.0, Weight::Regular) - 1151.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_fonts_have_what_figures_need() {
        assert!(covers("−0.5×10⁻⁶ ⁰¹²³⁴⁵⁶⁷⁸⁹ 98 % ± … – αβγ äöüß"));
        assert!(!covers("学習率"));
        let plain = width("Accuracy", 8.0, Weight::Regular);
        assert!(width("Accuracy", 8.0, Weight::Medium) > plain && plain > 25.0 && plain < 40.0);
    }

    #[test]
    fn what_is_no_font_has_no_widths() {
        assert!(widths(b"GIF89a").is_none());
        assert!(widths(&REGULAR[..2000]).is_none());
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        let wide = width("winning ticket", 8.0, Weight::Regular);
        assert_eq!(fit("winning  ticket", 8.0, Weight::Regular, wide + 0.1, 1), ["winning ticket"]);
        assert_eq!(fit("winning ticket", 8.0, Weight::Regular, wide - 0.1, 2), ["winning", "ticket"]);
        assert_eq!(
            fit("aaaa", 8.0, Weight::Regular, width("aa", 8.0, Weight::Regular) + 0.1, 2),
            ["aa", "aa"]
        );
        assert!(fit("  ", 8.0, Weight::Regular, 10.0, 2).is_empty());
    }

    #[test]
    fn what_is_too_long_keeps_both_ends() {
        let lines = fit("vgg16 pruned at initialisation with seed 3", 8.0, Weight::Regular, 60.0, 1);
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].starts_with("vgg16") && lines[0].contains('…') && lines[0].ends_with('3'),
            "{lines:?}"
        );
    }

    proptest! {
        #[test]
        fn lines_are_never_too_many_or_too_wide(text in "[a-z _é学]{0,120}", limit in 20.0..200.0_f64, most in 1..4_usize) {
            let lines = fit(&text, 8.0, Weight::Regular, limit, most);
            prop_assert!(lines.len() <= most);
            prop_assert!(lines.iter().all(|line| width(line, 8.0, Weight::Regular) <= limit));
        }
    }
}
