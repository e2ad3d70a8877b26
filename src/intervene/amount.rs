//! How many entries an intervention takes.

use thiserror::Error;

/// Rounds to the nearest integer, halves to the even one: the rule for every amount. Negative numbers and NaN become 0.
fn round_half_even(value: f64) -> u64 {
    value.round_ties_even() as u64
}

/// `fraction` of `count`, rounded half to even.
///
/// The product is taken in `f64`, as any other program would; 0.57 of 50 is 28.499999999999996 and so 28.
pub(super) fn part_of(fraction: f64, count: u64) -> u64 {
    round_half_even(fraction * count as f64)
}

/// Checks that a fraction is in [0, 1].
///
/// # Errors
/// When it is not, or is NaN; `what` names the setting in the message.
pub(super) fn check_fraction(what: &'static str, fraction: f64) -> Result<(), AmountError> {
    if (0.0..=1.0).contains(&fraction) {
        Ok(())
    } else {
        Err(AmountError::NoFraction { what, value: fraction })
    }
}

form::choice! {
    /// How much of a target to prune.
    #[derive(Copy)]
    pub enum Amount: "Amount" {
        Fraction(f64) = 0.2, "Fraction", "Prunes this fraction of the remaining entries", unit "%", range [0.0, 1.0];
        Remaining(f64) = 0.5, "Remaining", "Keeps this fraction of the target's original size, without \
            frozen entries; prunes nothing if less remains already", unit "%", range [0.0, 1.0];
        Count(u64) = 1, "Count", "Prunes this many entries; with PerLayer, this many in each layer", unit "entries";
        Threshold(f64) = 0.01, "Threshold", "Prunes every entry with |w| below this, compared in float32; \
            ignores criterion and scope", range [0.0, 1e30];
    }
}

impl Amount {
    /// Checks the number inside.
    ///
    /// # Errors
    /// A fraction outside [0, 1], a threshold below 0, NaN.
    pub fn check(self) -> Result<(), AmountError> {
        match self {
            Self::Fraction(fraction) => check_fraction("Fraction", fraction),
            Self::Remaining(fraction) => check_fraction("Remaining", fraction),
            Self::Threshold(value) if value >= 0.0 => Ok(()),
            Self::Threshold(value) => Err(AmountError::NoThreshold { value }),
            Self::Count(_) => Ok(()),
        }
    }

    /// How many of `free` entries to remove from a target of `base` entries, frozen ones left out of both. `factor`
    /// multiplies a `Fraction`. A threshold has no count, and gives `None`.
    pub(super) fn removes(self, free: u64, base: u64, factor: f64) -> Option<u64> {
        match self {
            Self::Fraction(fraction) => Some(part_of(fraction * factor, free)),
            Self::Remaining(fraction) => Some(free.saturating_sub(part_of(fraction, base))),
            Self::Count(count) => Some(count),
            Self::Threshold(_) => None,
        }
    }
}

/// A number that is no amount.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum AmountError {
    /// A fraction outside [0, 1] or NaN.
    #[error("{what} is {value}; give a number from 0 to 1, such as 0.2 for 20 %")]
    NoFraction {
        /// The setting.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A threshold below 0 or NaN.
    #[error("Threshold is {value}; it is compared with |w|, so give 0 or more")]
    NoThreshold {
        /// Its value.
        value: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::{Amount, round_half_even};

    #[test]
    fn halves_round_to_the_even_neighbour() {
        let rounded = [0.5, 1.5, 2.5, 3.5, 2.4, 2.6, -3.0, f64::NAN].map(round_half_even);
        assert_eq!(rounded, [0, 2, 2, 4, 2, 3, 0, 0]);
    }

    #[test]
    fn a_fraction_is_of_what_remains_and_remaining_is_of_the_original_size() {
        assert_eq!(Amount::Fraction(0.5).removes(40, 100, 1.0), Some(20));
        assert_eq!(Amount::Remaining(0.3).removes(40, 100, 1.0), Some(10));
        assert_eq!(Amount::Remaining(0.5).removes(40, 100, 1.0), Some(0));
        assert_eq!(Amount::Count(7).removes(40, 100, 1.0), Some(7));
    }

    #[test]
    fn four_tenths_of_seventeen_are_seven() {
        assert_eq!(Amount::Fraction(0.4).removes(17, 17, 1.0), Some(7));
    }

    #[test]
    fn numbers_out_of_range_are_refused_and_the_bounds_are_not() {
        for amount in [Amount::Fraction(1.1), Amount::Remaining(-0.1), Amount::Fraction(f64::NAN)] {
            assert!(amount.check().is_err(), "{amount:?}");
        }
        assert!(Amount::Threshold(-1.0).check().is_err());
        assert!(Amount::Threshold(f64::NAN).check().is_err());
        for amount in
            [Amount::Fraction(0.0), Amount::Fraction(1.0), Amount::Count(u64::MAX), Amount::Threshold(0.0)]
        {
            assert_eq!(amount.check(), Ok(()));
        }
    }
}
