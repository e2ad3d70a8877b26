//! Colours, dashes and markers that are easy to distinguish, also for colour-blind eyes and in print.
//!
//! The eight colours are those of Okabe and Ito (<https://jfly.uni-koeln.de/color/>), strongest first. On white their
//! yellow has a contrast of 1.3 to 1 and is replaced by a dark brown, which simulated dichromacy keeps apart from the
//! other seven; on dark backgrounds a near white replaces their black.

use serde::{Deserialize, Serialize};

use crate::results::campaign::ImageOutcome;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Style {
    /// Index in the palette, taken modulo [`COLOURS`].
    pub colour: usize,
    /// The line's pattern.
    pub dash: Dash,
    /// The marker at its points.
    pub marker: Marker,
}

/// The pattern of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Dash {
    #[default]
    Solid,
    Dashed,
    Dotted,
    DashDotted,
}

/// A marker at the points of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Marker {
    #[default]
    None,
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Theme {
    /// A white background, as in papers.
    #[default]
    Light,
    /// A nearly black background, as on slides.
    Dark,
}

/// A colour as red, green and blue in 0..=255.
pub type Rgb = [u8; 3];

/// Number of colours; further lines differ in their dashes.
pub const COLOURS: usize = 8;

const LIGHT: [Rgb; COLOURS] = [
    [0x00, 0x72, 0xB2], // blue
    [0xD5, 0x5E, 0x00], // vermillion
    [0x00, 0x9E, 0x73], // bluish green
    [0xCC, 0x79, 0xA7], // reddish purple
    [0xE6, 0x9F, 0x00], // orange
    [0x56, 0xB4, 0xE9], // sky blue
    [0x00, 0x00, 0x00], // black
    [0x68, 0x38, 0x10], // brown, for yellow
];
const YELLOW: Rgb = [0xF0, 0xE4, 0x42];
const NEAR_WHITE: Rgb = [0xF2, 0xF2, 0xF2];

/// From this index on, colours are those of outcomes of faults, which no arm ever has: the nth of [`OUTCOMES`].
pub const OUTCOME: usize = 1000;

/// Masked, benign, SDC-1, SDC-5 and DUE on a light background, then on a dark one.
const OUTCOMES: [[Rgb; 5]; 2] = [
    [[0x8B, 0x92, 0x9D], [0x5B, 0x86, 0xAD], [0xC2, 0x3B, 0x32], [0x7A, 0x16, 0x1F], [0x7E, 0x57, 0xC2]],
    [[0x6B, 0x73, 0x80], [0x6C, 0x93, 0xB8], [0xE2, 0x63, 0x5A], [0xFF, 0xB0, 0xA0], [0xB7, 0x9A, 0xE6]],
];

/// The index of the colour of an outcome.
pub const fn of_outcome(outcome: ImageOutcome) -> usize {
    match outcome {
        ImageOutcome::Masked => OUTCOME,
        ImageOutcome::Benign => OUTCOME + 1,
        ImageOutcome::Sdc1 => OUTCOME + 2,
        ImageOutcome::Due => OUTCOME + 4,
    }
}

/// All patterns, in the order in which series take them.
pub const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDotted];
/// All markers, in the order in which series take them.
pub const MARKERS: [Marker; 6] =
    [Marker::None, Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross];

/// The style of the series with this index. Colours vary first, then dashes, then markers.
pub fn style_of(index: usize) -> Style {
    Style {
        colour: index % COLOURS,
        dash: DASHES[index / COLOURS % DASHES.len()],
        marker: MARKERS[index / (COLOURS * DASHES.len()) % MARKERS.len()],
    }
}

/// The colour with this index (modulo [`COLOURS`], from [`OUTCOME`] on that of an outcome) on the theme's background.
pub fn colour(index: usize, theme: Theme) -> Rgb {
    if let Some(outcome) = index.checked_sub(OUTCOME) {
        return OUTCOMES[usize::from(theme == Theme::Dark)][outcome % OUTCOMES[0].len()];
    }
    match (theme, index % COLOURS) {
        (Theme::Dark, 6) => NEAR_WHITE,
        (Theme::Dark, 7) => YELLOW,
        (_, index) => LIGHT[index],
    }
}

impl Style {
    /// The same style with a marker: a circle if it has none.
    pub fn with_marker(self) -> Self {
        let marker = if self.marker == Marker::None { Marker::Circle } else { self.marker };
        Self { marker, ..self }
    }
}

impl Dash {
    /// Lengths of strokes and gaps in line widths; empty if solid.
    pub fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[4.5, 2.2],
            Self::Dotted => &[1.2, 1.8],
            Self::DashDotted => &[5.5, 1.8, 1.2, 1.8],
        }
    }
}

impl Theme {
    /// The background.
    pub fn ground(self) -> Rgb {
        match self {
            Self::Light => [0xFF; 3],
            Self::Dark => [0x1B; 3],
        }
    }

    /// Text and axes.
    pub fn ink(self) -> Rgb {
        match self {
            Self::Light => [0x1A; 3],
            Self::Dark => [0xEC; 3],
        }
    }

    /// Small print and reference lines.
    pub fn muted(self) -> Rgb {
        match self {
            Self::Light => [0x55; 3],
            Self::Dark => [0xB4; 3],
        }
    }

    /// Less important areas, such as the share of masked faults.
    pub fn pale(self) -> Rgb {
        match self {
            Self::Light => [0xC9; 3],
            Self::Dark => [0x5A; 3],
        }
    }

    /// Grid lines.
    pub fn grid(self) -> Rgb {
        match self {
            Self::Light => [0xE4; 3],
            Self::Dark => [0x38; 3],
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The contrast of two colours, 1 to 21, as WCAG 2.2 defines it.
    pub fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    fn luminance(rgb: Rgb) -> f64 {
        let [red, green, blue] = rgb.map(|byte| {
            let share = f64::from(byte) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn all_styles_differ_until_they_repeat() {
        let styles: Vec<_> = (0..192).map(style_of).collect();
        for (index, style) in styles.iter().enumerate() {
            assert!(!styles[..index].contains(style), "{index}");
        }
        assert_eq!(style_of(192), style_of(0));
    }

    #[test]
    fn colours_come_first_then_dashes_then_markers() {
        assert_eq!(style_of(7), Style { colour: 7, dash: Dash::Solid, marker: Marker::None });
        assert_eq!(style_of(8), Style { colour: 0, dash: Dash::Dashed, marker: Marker::None });
        assert_eq!(style_of(32), Style { colour: 0, dash: Dash::Solid, marker: Marker::Circle });
    }

    #[test]
    fn every_colour_stands_out_from_its_ground() {
        for theme in [Theme::Light, Theme::Dark] {
            for index in 0..COLOURS {
                let ratio = contrast(colour(index, theme), theme.ground());
                assert!(ratio > 2.2, "colour {index} on {theme:?}: {ratio}");
            }
            for index in OUTCOME..OUTCOME + 5 {
                let own = colour(index, theme);
                assert!(contrast(own, theme.ground()) >= 3.0, "outcome {index} on {theme:?}");
                assert!(
                    (0..COLOURS).all(|arm| colour(arm, theme) != own),
                    "outcome {index} has the colour of an arm"
                );
            }
        }
    }

    #[test]
    fn text_has_a_contrast_of_at_least_four_and_a_half() {
        for theme in [Theme::Light, Theme::Dark] {
            assert!(contrast(theme.ink(), theme.ground()) > 4.5);
            assert!(contrast(theme.muted(), theme.ground()) > 4.5);
        }
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    }
}
