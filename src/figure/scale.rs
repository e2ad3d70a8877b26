//! Linear and logarithmic scales.

use serde::{Deserialize, Serialize};

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scale {
    /// Equal steps are equally far apart.
    #[default]
    Linear,
    /// Equal factors are equally far apart; only positive values have a place.
    Log10,
}

/// Values beyond this have no place, so that differences of two of them stay finite.
const LARGEST: f64 = 1e300;
impl Scale {
    /// Where the value lies on a straight ruler; `None` where it has no place: not finite, or not positive on a
    /// logarithmic axis.
    pub fn forward(self, value: f64) -> Option<f64> {
        let placed = value.abs() < LARGEST && (self == Self::Linear || value > 0.0);
        placed.then(|| if self == Self::Linear { value } else { value.log10() })
    }

    /// The value at a place: the inverse of [`Self::forward`].
    pub fn inverse(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Log10 => 10f64.powf(place),
        }
    }

    /// Why [`Self::forward`] refuses a value, to end "the value is …".
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
