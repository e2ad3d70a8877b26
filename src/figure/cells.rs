//! The cells of a heat map, and the colours of their values.

use super::model::Axis;
use super::palette::Rgb;
use super::scale::range;

/// Values over two axes of names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cells {
    /// What the colours show, with its range if it is fixed.
    pub axis: Axis,
    /// Row by row, a row for each category of y; NaN where nothing was measured.
    pub values: Vec<Vec<f64>>,
}

/// Anchors of viridis, evenly spaced, made by Stéfan van der Walt and Nathaniel Smith for matplotlib: perceptually
/// uniform, brighter from end to end, and told apart by colour-blind eyes (<https://bids.github.io/colormap/>).
const VIRIDIS: [Rgb; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2D, 0x7B],
    [0x3B, 0x52, 0x8B],
    [0x2C, 0x72, 0x8E],
    [0x21, 0x91, 0x8C],
    [0x28, 0xAE, 0x80],
    [0x5E, 0xC9, 0x62],
    [0xAD, 0xDC, 0x30],
    [0xFD, 0xE7, 0x25],
];

impl Cells {
    /// Whether any cell has a value.
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.values.iter().flatten().any(|value| value.is_finite())
    }

    /// Whether any cell has none.
    #[must_use]
    pub fn has_holes(&self) -> bool {
        self.values.iter().flatten().any(|value| self.axis.scale.forward(*value).is_none())
    }

    /// The range of the colours.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        range(&self.axis, self.values.iter().flatten().copied())
    }

    /// The colour of a value on a scale of this range; `None` where it has no place.
    #[must_use]
    pub fn colour(&self, value: f64, range: [f64; 2]) -> Option<Rgb> {
        let place = |value| self.axis.scale.forward(value);
        let [low, high] = [place(range[0])?, place(range[1])?];
        Some(shade((place(value)? - low) / (high - low)))
    }
}

/// The colour at a share in [0, 1] of the scale.
#[must_use]
pub fn shade(share: f64) -> Rgb {
    let steps = VIRIDIS.len() - 1;
    #[allow(clippy::cast_precision_loss)] // eight
    let at = share.clamp(0.0, 1.0) * steps as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 7
    let before = (at.floor() as usize).min(steps - 1);
    let [from, to] = [VIRIDIS[before], VIRIDIS[before + 1]];
    #[allow(clippy::cast_precision_loss)]
    let rest = at - before as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between two bytes
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * rest).round() as u8;
    [mix(from[0], to[0]), mix(from[1], to[1]), mix(from[2], to[2])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::palette::contrast;

    #[test]
    fn the_scale_grows_brighter_so_that_no_eye_needs_its_hues() {
        let brightness: Vec<f64> =
            (0..=64).map(|step| contrast(shade(f64::from(step) / 64.0), [0; 3])).collect();
        assert!(brightness.windows(2).all(|pair| pair[0] < pair[1]), "{brightness:?}");
        assert!(brightness[64] / brightness[0] > 8.0);
    }

    #[test]
    fn ends_have_the_colours_of_the_ends_and_holes_have_none() {
        let axis = Axis { range: Some([0.0, 1.0]), ..Axis::percent("SDC") };
        let cells = Cells { axis, values: vec![vec![0.0, 0.5, f64::NAN]] };
        assert_eq!(cells.range(), [0.0, 1.0]);
        assert_eq!(cells.colour(0.0, [0.0, 1.0]), Some(VIRIDIS[0]));
        assert_eq!(cells.colour(0.5, [0.0, 1.0]), Some(VIRIDIS[4]));
        assert_eq!(cells.colour(9.0, [0.0, 1.0]), Some(VIRIDIS[8]));
        assert_eq!(cells.colour(f64::NAN, [0.0, 1.0]), None);
        assert!(cells.has_data() && cells.has_holes());
    }
}
