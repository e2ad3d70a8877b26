//! The fonts of exported figures, text widths, and line breaks.
//!
//! Fonts are embedded, so that figures look the same on every machine. Widths come from the font files, so that legends
//! never overlap. Kerning is ignored; it only makes text narrower.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ttf_parser::Face;

pub const REGULAR: &[u8] = include_bytes!("../../assets/fonts/Roboto-Regular.ttf");
pub const MEDIUM: &[u8] = include_bytes!("../../assets/fonts/Roboto-Medium.ttf");
pub const FAMILY: &str = "Roboto";
/// Height of capital letters and digits in ems.
pub const CAP_HEIGHT: f64 = 0.711;
/// Distance between base lines in ems.
pub const LINE_HEIGHT: f64 = 1.2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weight {
    #[default]
    Regular,
    Medium,
}

/// Advance widths by character, in ems.
type Widths = BTreeMap<char, f64>;

static REGULAR_WIDTHS: LazyLock<Widths> = LazyLock::new(|| widths(REGULAR));
static MEDIUM_WIDTHS: LazyLock<Widths> = LazyLock::new(|| widths(MEDIUM));

/// Reads all widths at once: a lookup in the font takes three times as long, and legends are laid out often.
fn widths(file: &[u8]) -> Widths {
    let face = Face::parse(file, 0).expect("the embedded fonts are TrueType files");
    let maps = face.tables().cmap.iter().flat_map(|cmap| cmap.subtables);
    let mut letters = Vec::new();
    for map in maps.filter(ttf_parser::cmap::Subtable::is_unicode) {
        map.codepoints(|code| letters.extend(char::from_u32(code)));
    }
    let in_ems = |letter| {
        // Glyph 0 is the sign for missing characters.
        let glyph = face.glyph_index(letter).filter(|glyph| glyph.0 != 0)?;
        Some((letter, f64::from(face.glyph_hor_advance(glyph)?) / f64::from(face.units_per_em())))
    };
    letters.into_iter().filter_map(in_ems).collect()
}

/// Returns true if the embedded fonts have a glyph for every character of the text.
pub fn covers(text: &str) -> bool {
    text.chars().all(|letter| letter.is_control() || REGULAR_WIDTHS.contains_key(&letter))
}

/// Returns the width of a line of text of this size, in the unit of the size.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let widths = match weight {
        Weight::Regular => &*REGULAR_WIDTHS,
        Weight::Medium => &*MEDIUM_WIDTHS,
    };
    // Missing letters come from another font, where they are hardly ever wider than an em.
    text.chars().map(|letter| widths.get(&letter).unwrap_or(&1.0)).sum::<f64>() * size
}

/// Breaks text into at most `most` lines of at most this width, at spaces and within long words. If it does not fit, an
/// ellipsis replaces its middle, since names mostly differ at their ends.
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
    // Bisects for the longest text that fits.
    let (mut fitting, mut failing) = (0, letters.len());
    while failing - fitting > 1 {
        let middle = usize::midpoint(fitting, failing);
        if fits(&shortened(middle)).is_some() { fitting = middle } else { failing = middle }
    }
    wrap(&shortened(fitting), size, weight, limit)
}

/// Breaks lines greedily; a line exceeds the limit only if a single character does.
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
