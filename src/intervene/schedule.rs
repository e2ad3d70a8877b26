//! Pruning in several steps towards one goal.

use super::amount::part_of;

/// The fraction that remains after `step` of `steps` steps towards `goal`, a fraction in (0, 1]: goal^(step/steps).
///
/// The exponential schedule of SynFlow (Tanaka et al., NeurIPS 2020, algorithm 1), with the compression ratio
/// ρ = 1/goal. The last step gives `goal` itself.
fn density_at(goal: f64, step: u32, steps: u32) -> f64 {
    if step >= steps { goal } else { goal.powf(f64::from(step) / f64::from(steps)) }
}

/// How many of `free` entries are left after `step` of `steps` exponential steps that end with `left`: exact at both
/// ends, rounded half to even in between. A goal of 0 is approached as if it were 1, so that it comes last.
pub fn survivors_at(free: u64, left: u64, step: u32, steps: u32) -> u64 {
    if step >= steps {
        return left;
    }
    let goal = left.max(1).min(free) as f64 / free.max(1) as f64;
    part_of(density_at(goal, step, steps), free)
}

#[cfg(test)]
mod tests {
    use super::{density_at, survivors_at};

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
}
