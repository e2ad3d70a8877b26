//! Colours, dashes and markers that are easy to distinguish, also for colour-blind eyes and in grey print.
//!
//! The hues are those of Okabe and Ito (<https://jfly.uni-koeln.de/color/>). Files have their original values; on the screen
//! some are lighter or darker, so that a line of two points has a contrast of at least 3 to 1. On white their yellow has a
//! contrast of 1.3 to 1 and is darkened in files too.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use results::campaign::ImageOutcome;
use results::colours::{is_muted, without_shade};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Style {
    /// Index in the palette, taken modulo [`COLOURS`].
    pub colour: usize,
    /// A shade of the colour in percent, from light (0) to dark (100); `None` for the colour itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shade: Option<u8>,
    pub dash: Dash,
    pub marker: Marker,
    /// True if it is an outdated line, which is thin and faint.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_muted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Dash {
    #[default]
    Solid,
    Dashed,
    Dotted,
    DashDotted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Marker {
    #[default]
    None,
    Circle,
    Square,
    Triangle,
    Diamond,
    Down,
    Pentagon,
    Plus,
    Cross,
}

/// Light or dark, for files or for the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Theme {
    /// A white background, as in papers.
    #[default]
    Light,
    /// A nearly black background, as on slides.
    Dark,
    LightScreen,
    DarkScreen,
}

/// A colour as red, green and blue in 0..=255.
pub type Rgb = [u8; 3];

/// Number of colours; further series differ in their markers and dashes.
pub const COLOURS: usize = 8;

/// Each colour in each theme.
const PALETTE: [[Rgb; 4]; COLOURS] = [
    [[0x00, 0x72, 0xB2], [0x00, 0x72, 0xB2], [0x00, 0x72, 0xB2], [0x3D, 0x9B, 0xD6]], // blue
    [[0xD5, 0x5E, 0x00], [0xD5, 0x5E, 0x00], [0xD5, 0x5E, 0x00], [0xE8, 0x72, 0x2A]], // vermilion
    [[0x00, 0x9E, 0x73], [0x00, 0x9E, 0x73], [0x00, 0x9E, 0x73], [0x18, 0xAE, 0x83]], // bluish green
    [[0xCC, 0x79, 0xA7], [0xCC, 0x79, 0xA7], [0xC2, 0x69, 0x9A], [0xD9, 0x8B, 0xB6]], // reddish purple
    [[0xE6, 0x9F, 0x00], [0xE6, 0x9F, 0x00], [0xB8, 0x7A, 0x00], [0xE6, 0x9F, 0x00]], // orange
    [[0x56, 0xB4, 0xE9], [0x56, 0xB4, 0xE9], [0x2F, 0x8F, 0xC7], [0x56, 0xB4, 0xE9]], // sky blue
    [[0x00, 0x00, 0x00], [0xF2, 0xF2, 0xF2], [0x1A, 0x1D, 0x22], [0xF2, 0xF2, 0xF2]], // black, or near white
    [[0x9A, 0x8C, 0x00], [0xF0, 0xE4, 0x42], [0x9A, 0x8C, 0x00], [0xF0, 0xE4, 0x42]], // yellow
];

/// From this index on, colours are those of outcomes of faults, which no arm ever has: the nth of [`OUTCOMES`].
pub const OUTCOME: usize = 1000;

/// Masked, benign, SDC-1, SDC-5 and DUE on a light background, then on a dark one.
const OUTCOMES: [[Rgb; 5]; 2] = [
    [[0x8B, 0x92, 0x9D], [0x5B, 0x86, 0xAD], [0xC2, 0x3B, 0x32], [0x7A, 0x16, 0x1F], [0x7E, 0x57, 0xC2]],
    [[0x6B, 0x73, 0x80], [0x6C, 0x93, 0xB8], [0xE2, 0x63, 0x5A], [0xFF, 0xB0, 0xA0], [0xB7, 0x9A, 0xE6]],
];

pub const fn of_outcome(outcome: ImageOutcome) -> usize {
    match outcome {
        ImageOutcome::Masked => OUTCOME,
        ImageOutcome::Benign => OUTCOME + 1,
        ImageOutcome::Sdc1 => OUTCOME + 2,
        ImageOutcome::Due => OUTCOME + 4,
    }
}

pub const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDotted];
/// All markers, in the order in which series take them, after none.
pub const MARKERS: [Marker; 9] = [
    Marker::None,
    Marker::Diamond,
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Down,
    Marker::Pentagon,
    Marker::Plus,
    Marker::Cross,
];
/// The dashes of the first series, as indices of [`DASHES`].
const SERIES_DASHES: [usize; COLOURS] = [0, 0, 1, 2, 3, 1, 2, 0];

/// Returns the style of the series with this index: hue, marker and dash vary together, so that series differ in grey print too.
pub fn style_of(index: usize) -> Style {
    let is_muted = is_muted(index);
    let (index, shade) = without_shade(index);
    let (colour, round) = (index % COLOURS, index / COLOURS);
    Style {
        colour,
        shade,
        dash: DASHES[(SERIES_DASHES[colour] + round) % DASHES.len()],
        marker: MARKERS[1 + (colour + round) % (MARKERS.len() - 1)],
        is_muted,
    }
}

/// Returns the index of the first style with this colour and marker.
pub fn index_of(colour: usize, marker: Marker) -> usize {
    let is_it = |index: &usize| {
        let style = style_of(*index);
        style.colour == colour % COLOURS && style.marker == marker
    };
    (0..COLOURS * (MARKERS.len() - 1)).find(is_it).unwrap_or(colour % COLOURS)
}

/// Returns the colour with this index (modulo [`COLOURS`], from [`OUTCOME`] on that of an outcome) on the theme's background.
pub fn colour(index: usize, theme: Theme) -> Rgb {
    if let Some(outcome) = index.checked_sub(OUTCOME) {
        return OUTCOMES[usize::from(theme.is_dark())][outcome % OUTCOMES[0].len()];
    }
    PALETTE[index % COLOURS][theme as usize]
}

impl Style {
    /// Returns the style with a marker: a circle if it has none.
    pub fn with_marker(self) -> Self {
        let marker = if self.marker == Marker::None { Marker::Circle } else { self.marker };
        Self { marker, ..self }
    }

    /// Returns the style with a shade of its colour, from light (0) to dark (1).
    pub fn with_shade(self, share: f64) -> Self {
        Self { shade: Some((share.clamp(0.0, 1.0) * 100.0).round() as u8), ..self }
    }

    pub fn rgb(self, theme: Theme) -> Rgb {
        let own = colour(self.colour, theme);
        self.shade.map_or(own, |percent| shade(own, f64::from(percent.min(100)) / 100.0, theme))
    }
}

/// Returns a shade of a colour, from light (0) to dark (1), that keeps its hue; the one nearest to the ground still has a
/// contrast of 3.3 to 1.
fn shade(own: Rgb, share: f64, theme: Theme) -> Rgb {
    const LEAST: f64 = 3.3;
    const FARTHEST: f64 = 0.3;
    let (near, far, away) =
        if theme.is_dark() { ([0; 3], [0xFF; 3], 0.35) } else { ([0xFF; 3], [0; 3], 0.325) };
    // From the ground back to the colour and, if it must be, beyond.
    let tones = (0..=40_u32).map(|step| match FARTHEST * (1.0 - f64::from(step) / 20.0) {
        toward if toward >= 0.0 => mix(own, near, toward),
        beyond => mix(own, far, -beyond),
    });
    let near = tones.into_iter().find(|tone| contrast(*tone, theme.ground()) >= LEAST).unwrap_or(own);
    let far = mix(own, far, away);
    if theme.is_dark() { mix(far, near, share) } else { mix(near, far, share) }
}

/// The colours of ground, ink, small print, axes, pale areas and grid in each theme.
const TONES: [[Rgb; 4]; 6] = [
    [[0xFF; 3], [0x1B; 3], [0xFF; 3], [0x15, 0x17, 0x1B]],
    [[0x1A; 3], [0xEC; 3], [0x1A, 0x1D, 0x22], [0xE8, 0xEA, 0xED]],
    [[0x55; 3], [0xB4; 3], [0x47, 0x4E, 0x59], [0xB1, 0xB7, 0xC1]],
    [[0x1A; 3], [0xEC; 3], [0xA7, 0xAD, 0xB8], [0x4A, 0x51, 0x5C]],
    [[0xC9; 3], [0x5A; 3], [0xC9; 3], [0x5A, 0x60, 0x6A]],
    [[0xE4; 3], [0x38; 3], [0xEC, 0xEE, 0xF1], [0x27, 0x2B, 0x32]],
];

impl Dash {
    /// Returns the lengths of strokes and gaps in line widths; empty if solid.
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
    pub const fn is_dark(self) -> bool {
        matches!(self, Self::Dark | Self::DarkScreen)
    }

    pub const fn ground(self) -> Rgb {
        TONES[0][self as usize]
    }

    pub const fn ink(self) -> Rgb {
        TONES[1][self as usize]
    }

    /// Returns the colour of small print and reference lines.
    pub const fn muted(self) -> Rgb {
        TONES[2][self as usize]
    }

    pub const fn axis(self) -> Rgb {
        TONES[3][self as usize]
    }

    /// Returns the colour of less important areas, such as the share of masked faults.
    pub const fn pale(self) -> Rgb {
        TONES[4][self as usize]
    }

    pub const fn grid(self) -> Rgb {
        TONES[5][self as usize]
    }
}

impl Marker {
    pub const fn has_strokes(self) -> bool {
        matches!(self, Self::Plus | Self::Cross)
    }
}

/// Returns the outline of a marker with this radius; `None` for no marker. Those with strokes have pairs of their ends, all others
/// are filled.
pub fn outline(marker: Marker, radius: f64) -> Option<Vec<[f64; 2]>> {
    let r = radius;
    // Scaled to look equally large: a square of the same radius would look larger than a circle.
    let corners = match marker {
        Marker::None => return None,
        Marker::Circle => circle(r),
        Marker::Square => polygon(&[[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]], r),
        Marker::Triangle => polygon(&[[0.0, -1.2], [1.1, 0.75], [-1.1, 0.75]], r),
        Marker::Diamond => polygon(&[[0.0, -1.25], [1.1, 0.0], [0.0, 1.25], [-1.1, 0.0]], r),
        Marker::Down => polygon(&[[0.0, 1.2], [1.1, -0.75], [-1.1, -0.75]], r),
        Marker::Pentagon => {
            polygon(&[[0.0, -1.1], [1.05, -0.34], [0.65, 0.89], [-0.65, 0.89], [-1.05, -0.34]], r)
        }
        Marker::Plus => polygon(&[[-1.1, 0.0], [1.1, 0.0], [0.0, -1.1], [0.0, 1.1]], r),
        Marker::Cross => polygon(&[[-0.85, -0.85], [0.85, 0.85], [0.85, -0.85], [-0.85, 0.85]], r),
    };
    Some(corners)
}

fn polygon(corners: &[[f64; 2]], radius: f64) -> Vec<[f64; 2]> {
    corners.iter().map(|corner| corner.map(|share| share * radius)).collect()
}

/// Returns 24 corners, which look round at the size of a marker.
fn circle(radius: f64) -> Vec<[f64; 2]> {
    let corner = |index: u32| {
        let (sin, cos) = (f64::from(index) * std::f64::consts::TAU / 24.0).sin_cos();
        [radius * cos, radius * sin]
    };
    (0..24).map(corner).collect()
}

/// Returns a shade for each colour without one, from light (0) to dark (1), as far apart as possible, in the order of their
/// greys.
pub fn shares(styles: impl Iterator<Item = Style>, theme: Theme) -> BTreeMap<usize, f64> {
    let plain: BTreeMap<usize, Style> =
        styles.filter(|style| style.shade.is_none()).map(|style| (style.colour, style)).collect();
    let mut order: Vec<Style> = plain.into_values().collect();
    order.sort_by(|a, b| grey(b.rgb(theme)).total_cmp(&grey(a.rgb(theme))));
    if theme.is_dark() {
        order.reverse(); // light is what is near to the ground
    }
    let last = order.len().saturating_sub(1).max(1) as f64;
    order.iter().enumerate().map(|(rank, style)| (style.colour, rank as f64 / last)).collect()
}

/// Returns the grey of a colour, from 0 to 255, as printers convert (ITU-R BT.601).
pub fn grey([red, green, blue]: Rgb) -> f64 {
    0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue)
}

/// Returns a mixture of two colours: the first one at 0, the second one at 1.
pub fn mix(from: [u8; 3], to: [u8; 3], share: f64) -> [u8; 3] {
    let tone = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
    std::array::from_fn(|index| tone(from[index], to[index]))
}

/// Returns the contrast of two colours, 1 to 21, as WCAG 2.2 defines it.
pub fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// Returns the relative luminance, 0 to 1, as WCAG 2.2 defines it.
pub fn luminance(rgb: [u8; 3]) -> f64 {
    let [red, green, blue] = rgb.map(|byte| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Theme; 4] = [Theme::Light, Theme::Dark, Theme::LightScreen, Theme::DarkScreen];

    #[test]
    fn all_styles_differ_until_they_repeat() {
        let styles: Vec<_> = (0..64).map(style_of).collect();
        for (index, style) in styles.iter().enumerate() {
            assert!(!styles[..index].contains(style), "{index}");
        }
        assert_eq!(style_of(64), style_of(0));
        assert_eq!(style_of(192), Style { shade: Some(0), ..style_of(0) }, "what follows are shades");
    }

    #[test]
    fn the_first_eight_series_differ_without_their_colours() {
        let marks: Vec<_> = (0..COLOURS).map(|index| style_of(index).marker).collect();
        let expected = [Marker::Diamond, Marker::Circle, Marker::Square, Marker::Triangle];
        assert_eq!(marks[..4], expected);
        assert!((0..COLOURS).all(|index| !marks[..index].contains(&marks[index])));
        let dashes = [1, 2, 3, 4].map(|index| style_of(index).dash);
        assert_eq!(dashes, DASHES, "neighbours differ in their dashes too");
    }

    #[test]
    fn every_colour_stands_out_from_its_ground() {
        for theme in ALL {
            let least = if matches!(theme, Theme::LightScreen | Theme::DarkScreen) { 3.0 } else { 2.2 };
            for index in 0..COLOURS {
                let ratio = contrast(colour(index, theme), theme.ground());
                assert!(ratio >= least, "colour {index} on {theme:?}: {ratio}");
            }
        }
        assert_eq!(colour(3, Theme::Light), [0xCC, 0x79, 0xA7], "files keep the original values");
    }

    #[test]
    fn shades_go_from_light_to_dark_and_stay_readable() {
        for theme in [Theme::LightScreen, Theme::DarkScreen, Theme::Light] {
            for index in (0..COLOURS).filter(|index| *index != 6) {
                let shades = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| style_of(index).with_shade(share));
                let tones = shades.map(|style| style.rgb(theme));
                assert!(tones.windows(2).all(|two| luminance(two[0]) > luminance(two[1])), "{tones:?}");
                let least = tones.iter().map(|tone| contrast(*tone, theme.ground())).fold(21.0, f64::min);
                assert!(least >= 3.25, "the weakest shade of {index} on {theme:?}: {least}");
                let apart = tones.windows(2).map(|two| contrast(two[0], two[1])).fold(21.0, f64::min);
                assert!(apart >= 1.06, "neighbours of {index} on {theme:?}: {apart}");
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

    /// The hue of a colour in degrees, and its saturation, 0 to 1.
    fn hue([red, green, blue]: Rgb) -> [f64; 2] {
        let [r, g, b] = [red, green, blue].map(f64::from);
        let (most, least) = (r.max(g).max(b), r.min(g).min(b));
        let angle = f64::atan2(3_f64.sqrt() * (g - b), 2.0 * r - g - b).to_degrees();
        [angle.rem_euclid(360.0), (most - least) / most]
    }

    #[test]
    fn shades_keep_the_hue_of_their_arm_at_both_ends() {
        for theme in ALL {
            for share in [0.0, 1.0] {
                // Blue, vermilion, green and orange.
                let hues = [0, 1, 2, 4].map(|index| {
                    let [angle, saturation] = hue(style_of(index).with_shade(share).rgb(theme));
                    assert!(saturation > 0.4, "{index} is grey at {share} on {theme:?}: {saturation}");
                    let own = hue(colour(index, theme))[0];
                    assert!((angle - own).abs() < 8.0, "{index} turns from {own} to {angle} on {theme:?}");
                    angle
                });
                for (at, a) in hues.iter().enumerate() {
                    let others = hues[at + 1..].iter();
                    assert!(others.map(|b| (a - b).abs()).all(|apart| apart > 12.0), "{hues:?} on {theme:?}");
                }
            }
        }
    }

    #[test]
    fn a_colour_and_a_marker_have_an_index() {
        for colour in 0..COLOURS {
            for marker in MARKERS.into_iter().skip(1) {
                let style = style_of(index_of(colour, marker));
                assert_eq!((style.colour, style.marker), (colour, marker));
            }
        }
    }

    #[test]
    fn text_has_a_contrast_of_at_least_four_and_a_half() {
        for theme in ALL {
            assert!(contrast(theme.ink(), theme.ground()) > 4.5);
            assert!(contrast(theme.muted(), theme.ground()) > 4.5);
        }
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn a_style_without_a_shade_is_read() {
        let style: Style = form::ron_text::from_str("(colour: 2, dash: Dotted, marker: Square)").unwrap();
        let known = Style { colour: 2, dash: Dash::Dotted, marker: Marker::Square, ..Style::default() };
        assert_eq!(style, known);
    }

    #[test]
    fn all_markers_but_none_have_an_outline_within_one_and_a_half_radii() {
        assert_eq!(outline(Marker::None, 2.0), None);
        for marker in crate::palette::MARKERS.into_iter().skip(1) {
            let corners = outline(marker, 2.0).unwrap();
            assert!(corners.len() >= 3 && corners.iter().flatten().all(|share| share.abs() <= 3.0));
        }
    }
}
