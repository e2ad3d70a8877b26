//! How many entries an intervention takes, in how many steps, and which layers compete with each other.

use std::collections::BTreeMap;

use thiserror::Error;

/// Returns `fraction` of `count`, rounded to the nearest integer, halves to the even one: the rule for every amount.
/// Negative numbers and NaN become 0.
///
/// The product is taken in `f64`, as any other program would; 0.57 of 50 is 28.499999999999996 and so 28.
pub(crate) fn part_of(fraction: f64, count: u64) -> u64 {
    (fraction * count as f64).round_ties_even() as u64
}

/// Checks that a fraction is in [0, 1].
///
/// # Errors
/// When it is not, or is NaN; `what` names the setting in the message.
pub(crate) fn check_fraction(what: &'static str, fraction: f64) -> Result<(), AmountError> {
    if (0.0..=1.0).contains(&fraction) {
        Ok(())
    } else {
        Err(AmountError::NoFraction { what, value: fraction })
    }
}

form::choice! {
    /// The amount to prune of a target.
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

    /// Returns how many of `free` entries to remove from a target of `base` entries, frozen ones left out of both.
    /// `factor` multiplies a `Fraction`. A threshold has no count, and gives `None`.
    pub(crate) fn removes(self, free: u64, base: u64, factor: f64) -> Option<u64> {
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
    #[error("{what} is {value}; give a number from 0 to 1, such as 0.2 for 20 %")]
    NoFraction { what: &'static str, value: f64 },
    #[error("Threshold is {value}; it is compared with |w|, so give 0 or more")]
    NoThreshold { value: f64 },
}

/// Returns the fraction that remains after `step` of `steps` steps towards `goal`, a fraction in (0, 1]: goal^(step/steps).
///
/// The exponential schedule of SynFlow (Tanaka et al., NeurIPS 2020, algorithm 1), with the compression ratio
/// ρ = 1/goal. The last step gives `goal` itself.
fn density_at(goal: f64, step: u32, steps: u32) -> f64 {
    if step >= steps { goal } else { goal.powf(f64::from(step) / f64::from(steps)) }
}

/// Returns how many of `free` entries are left after `step` of `steps` exponential steps that end with `left`: exact
/// at both ends, rounded half to even in between. A goal of 0 is approached as if it were 1, so that it comes last.
pub fn survivors_at(free: u64, left: u64, step: u32, steps: u32) -> u64 {
    if step >= steps {
        return left;
    }
    let goal = left.max(1).min(free) as f64 / free.max(1) as f64;
    part_of(density_at(goal, step, steps), free)
}

form::choice! {
    /// The group within which entries are ranked, or moved: each layer, or all layers of a target.
    #[derive(Copy)]
    pub enum Scope: "Scope" {
        PerLayer, "Per layer", "Ranks each layer separately: its weight and, if included, its bias together";
        Global, "Global", "Ranks all parameters of the target together";
    }
}

impl Scope {
    /// Groups parameters, given by the layer of each, into those that are ranked together. Groups are in the order
    /// of their layer's number, the members of a group in the order given.
    pub(crate) fn groups(self, layers: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
        let mut groups = BTreeMap::<usize, Vec<usize>>::new();
        for (parameter, layer) in layers {
            let group = match self {
                Self::Global => 0,
                Self::PerLayer => layer,
            };
            groups.entry(group).or_default().push(parameter);
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, Scope, density_at, part_of, survivors_at};

    #[test]
    fn halves_round_to_the_even_neighbour() {
        let rounded = [0.5, 1.5, 2.5, 3.5, 2.4, 2.6, -3.0, f64::NAN].map(|value| part_of(value, 1));
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

    #[test]
    fn densities_fall_by_the_same_factor_at_each_step() {
        let densities: Vec<f64> = (0..=2).map(|step| density_at(0.01, step, 2)).collect();
        assert!((densities[1] - 0.1).abs() < 1e-15);
        assert_eq!((densities[0], densities[2]), (1.0, 0.01));
    }

    #[test]
    fn survivors_are_exact_at_both_ends_and_never_grow() {
        for (free, left) in [(1000, 10), (1000, 0), (5, 5), (0, 0), (7, 1)] {
            let counts: Vec<u64> = (0..=100).map(|step| survivors_at(free, left, step, 100)).collect();
            assert_eq!((counts[0], counts[100]), (free, left));
            assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
        }
        assert_eq!(survivors_at(1000, 10, 1, 2), 100);
    }

    #[test]
    fn a_goal_of_zero_comes_at_the_last_step_only() {
        assert_eq!(survivors_at(1000, 0, 99, 100), 1);
    }

    #[test]
    fn a_layers_weight_and_bias_are_one_group() {
        let layers = || [0, 0, 1, 1].into_iter().enumerate();
        assert_eq!(Scope::PerLayer.groups(layers()), [vec![0, 1], vec![2, 3]]);
        assert_eq!(Scope::Global.groups(layers()), [vec![0, 1, 2, 3]]);
    }
}
