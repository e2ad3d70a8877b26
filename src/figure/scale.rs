//! Linear and logarithmic scales.

use serde::{Deserialize, Serialize};

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scale {
    /// Equal differences have equal distances.
    #[default]
    Linear,
    /// Equal ratios have equal distances; only positive values can be shown.
    Log10,
}

/// Larger values cannot be shown, so that differences between two values stay finite.
const LARGEST: f64 = 1e300;
impl Scale {
    /// The position of a value; `None` if it is not finite, or not positive on a logarithmic axis.
    pub fn forward(self, value: f64) -> Option<f64> {
        let placed = value.abs() < LARGEST && (self == Self::Linear || value > 0.0);
        placed.then(|| if self == Self::Linear { value } else { value.log10() })
    }

    /// The value at a position: the inverse of [`Self::forward`].
    pub fn inverse(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Log10 => 10f64.powf(place),
        }
    }

    /// Why [`Self::forward`] rejects a value, to complete "the value is …".
    pub fn refusal(self) -> &'static str {
        match self {
            Self::Linear => "not finite",
            Self::Log10 => "not positive or not finite",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_a_place_are_refused() {
        assert_eq!(Scale::Linear.forward(f64::NAN), None);
        assert_eq!(Scale::Linear.forward(f64::INFINITY), None);
        assert_eq!(Scale::Log10.forward(0.0), None);
        assert_eq!(Scale::Log10.forward(0.01), Some(-2.0));
    }
}
