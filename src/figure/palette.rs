//! Colours, dashes and markers that are easy to distinguish, also for colour-blind eyes and in print.
//!
//! The eight colours are those of Okabe and Ito (<https://jfly.uni-koeln.de/color/>), strongest first. On white their
//! yellow has a contrast of 1.3 to 1 and is replaced by a dark brown, which simulated dichromacy keeps apart from the
//! other seven; on dark backgrounds a near white replaces their black.

use serde::{Deserialize, Serialize};

use crate::results::colours::without_shade;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Style {
    /// Index in the palette, taken modulo [`COLOURS`].
    pub colour: usize,
    /// A shade of the colour in percent, from light (0) to dark (100); `None` for the colour itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shade: Option<u8>,
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

/// All patterns, in the order in which series take them.
pub const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDotted];
/// All markers, in the order in which series take them.
pub const MARKERS: [Marker; 6] =
    [Marker::None, Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross];

/// The style of the series with this index. Colours vary first, then dashes, then markers.
pub fn style_of(index: usize) -> Style {
    let (index, shade) = without_shade(index);
    Style {
        shade,
        colour: index % COLOURS,
        dash: DASHES[index / COLOURS % DASHES.len()],
        marker: MARKERS[index / (COLOURS * DASHES.len()) % MARKERS.len()],
    }
}

/// The index of the first style with this colour and marker.
pub fn index_of(colour: usize, marker: Marker) -> usize {
    let is_it = |index: &usize| {
        let style = style_of(*index);
        style.colour == colour % COLOURS && style.marker == marker
    };
    (0..COLOURS * DASHES.len() * MARKERS.len()).find(is_it).unwrap_or(colour % COLOURS)
}

/// The colour with this index (modulo [`COLOURS`]) on the theme's background.
pub fn colour(index: usize, theme: Theme) -> Rgb {
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

    /// Its colour on this theme's background.
    pub fn rgb(self, theme: Theme) -> Rgb {
        let own = colour(self.colour, theme);
        self.shade.map_or(own, |percent| shade(own, f64::from(percent.min(100)) / 100.0, theme))
    }
}

/// A shade of a colour, from light (0) to dark (1). No shade has a contrast below 3 to 1.
fn shade(own: Rgb, share: f64, theme: Theme) -> Rgb {
    const LEAST: f64 = 3.05;
    let ground = theme.ground();
    // Towards the ground only as far as the contrast allows; away from it far enough that the ends differ clearly.
    let toward = |end: Rgb, most: f64| {
        let steps = (0..=20_u32).map(|step| mix(own, end, most * f64::from(20 - step) / 20.0));
        steps.into_iter().find(|tone| contrast(*tone, ground) >= LEAST).unwrap_or(own)
    };
    let (light, dark) = match theme {
        Theme::Dark => (mix(own, [0xFF; 3], 0.7), toward([0; 3], 0.6)),
        Theme::Light => (toward([0xFF; 3], 0.6), mix(own, [0; 3], 0.65)),
    };
    mix(light, dark, share)
}

/// A mixture of two colours: the first one at 0, the second one at 1.
pub fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    let tone = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
    std::array::from_fn(|index| tone(from[index], to[index]))
}

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
    pub use super::contrast;
    use super::*;

    #[test]
    fn all_styles_differ_until_they_repeat() {
        let styles: Vec<_> = (0..192).map(style_of).collect();
        for (index, style) in styles.iter().enumerate() {
            assert!(!styles[..index].contains(style), "{index}");
        }
        assert_eq!(style_of(192), Style { shade: Some(0), ..style_of(0) }, "what follows are shades");
    }

    #[test]
    fn colours_come_first_then_dashes_then_markers() {
        assert_eq!(style_of(7), Style { colour: 7, shade: None, dash: Dash::Solid, marker: Marker::None });
        assert_eq!(style_of(8), Style { colour: 0, shade: None, dash: Dash::Dashed, marker: Marker::None });
        assert_eq!(style_of(32), Style { colour: 0, shade: None, dash: Dash::Solid, marker: Marker::Circle });
    }

    #[test]
    fn every_colour_stands_out_from_its_ground() {
        for theme in [Theme::Light, Theme::Dark] {
            for index in 0..COLOURS {
                let ratio = contrast(colour(index, theme), theme.ground());
                assert!(ratio > 2.2, "colour {index} on {theme:?}: {ratio}");
            }
        }
    }

    #[test]
    fn a_colour_and_a_marker_have_an_index() {
        for colour in 0..COLOURS {
            for marker in MARKERS {
                let style = style_of(index_of(colour, marker));
                assert_eq!((style.colour, style.marker), (colour, marker));
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
