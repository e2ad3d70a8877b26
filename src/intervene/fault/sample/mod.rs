//! How many sites are drawn, and which: exact draws whose cost follows the number drawn, not the number there are.

use std::collections::BTreeSet;

use crate::draw::{below, uniform_f64};
use rand::Rng;

/// How many of `trials` independent trials succeed, each with `probability`, which lies in [0, 1].
///
/// Adds up the failures before each success, which are geometric (Devroye, *Non-Uniform Random Variate Generation*,
/// 1986, X.4.3, first waiting time algorithm): exact for any number of trials and the smallest probabilities, in time
/// proportional to the successes. Above ½, failures are counted instead.
pub fn binomial(rng: &mut impl Rng, trials: u64, probability: f64) -> u64 {
    if probability > 0.5 {
        return trials - rare(rng, trials, 1.0 - probability);
    }
    rare(rng, trials, probability)
}

/// The successes where they are the rarer outcome.
fn rare(rng: &mut impl Rng, trials: u64, probability: f64) -> u64 {
    if probability <= 0.0 {
        return 0;
    }
    let failure = (-probability).ln_1p();
    let (mut successes, mut left) = (0, trials);
    loop {
        let failures = ((-uniform_f64(rng)).ln_1p() / failure) as u64;
        if failures >= left {
            return successes;
        }
        left -= failures + 1;
        successes += 1;
    }
}

/// `count` different numbers below `size`, ascending, every choice equally likely (Floyd's algorithm: Bentley and Floyd,
/// *Communications of the ACM* 30(9), 1987). One [`below`] each; memory for `count` numbers. All of them if `count` is
/// larger than `size`.
pub fn distinct(rng: &mut impl Rng, count: u64, size: u64) -> BTreeSet<u64> {
    let mut chosen = BTreeSet::new();
    for last in size.saturating_sub(count)..size {
        let number = below(rng, last + 1);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen
}

#[cfg(test)]
mod tests;
