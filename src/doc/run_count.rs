//! How many runs an experiment makes.

use super::Experiment;
use form::Overrides;

/// The most runs of one experiment: more are typing errors, and would fill the memory.
pub(super) const MOST_RUNS: usize = 100_000;

/// How many runs the sweeps and seeds make, without making them.
pub(super) fn count_runs(experiment: &Experiment) -> usize {
    let values = |overrides: &Overrides| -> usize {
        let counts = overrides.0.values().map(|list| Overrides::items(list).map_or(1, |items| items.len()));
        counts.fold(1, usize::saturating_mul)
    };
    let arms = experiment.arms.iter().map(|arm| values(&arm.sweep)).fold(0, usize::saturating_add);
    arms.saturating_mul(values(&experiment.sweep)).saturating_mul(experiment.seeds.len())
}
