//! Optimizers and learning-rate schedules: pure maths on host slices, with the settings beside the formulas.
//!
//! An optimizer is one file that implements [`Rule`], and one line in [`Optimizer`].

#![allow(
    clippy::inline_always,
    reason = "a formula must land in the function that switches the processor's features on"
)]

mod adam;
mod adamw;
mod schedule;
mod sgd;

pub use adam::Adam;
pub use adamw::AdamW;
pub use schedule::{Cosine, Moment, Schedule, StepDecay};
pub use sgd::Sgd;

/// How an optimizer changes parameters.
pub trait Rule {
    /// Learning rate before any schedule.
    fn rate(&self) -> f64;
    /// Names of the values that it remembers for every entry, such as its momentum.
    fn slots(&self) -> &'static [&'static str];
    /// Changes `weights` by one step along `gradients`.
    ///
    /// `state` holds one slice for each of [`slots`](Self::slots), zeros before the first step; all slices have the
    /// same length, and an entry depends on nothing but its own values, so a caller may split them anywhere.
    /// `step` counts from 1.
    ///
    /// It and all that it calls are `#[inline(always)]`, so that it is compiled for the vectors of each kind of
    /// processor; products and sums are rounded one by one on all of them.
    fn update(&self, step: u64, rate: f64, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]);
}

crate::choice! {
    /// The optimizers that a file can name.
    pub enum Optimizer: "Optimizer" {
        Adam(Adam) = Adam::default(), "Adam", "Steps scaled by running moments of the gradient";
        AdamW(AdamW) = AdamW::default(), "AdamW", "Adam with weight decay apart from the gradient";
        Sgd(Sgd) = Sgd::default(), "SGD", "Plain gradient descent, with momentum if wanted";
    }
}

impl Rule for Optimizer {
    fn rate(&self) -> f64 {
        match self {
            Self::Adam(rule) => rule.rate(),
            Self::AdamW(rule) => rule.rate(),
            Self::Sgd(rule) => rule.rate(),
        }
    }

    fn slots(&self) -> &'static [&'static str] {
        match self {
            Self::Adam(rule) => rule.slots(),
            Self::AdamW(rule) => rule.slots(),
            Self::Sgd(rule) => rule.slots(),
        }
    }

    #[inline(always)]
    fn update(&self, step: u64, rate: f64, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
        match self {
            Self::Adam(rule) => rule.update(step, rate, weights, gradients, state),
            Self::AdamW(rule) => rule.update(step, rate, weights, gradients, state),
            Self::Sgd(rule) => rule.update(step, rate, weights, gradients, state),
        }
    }
}

/// A running mean as it is remembered. One that fades away ends at 0 once it is below the smallest normal number, 2⁻¹²⁶:
/// many processors take a hundred times as long to compute with what lies between, and no weight would feel it.
#[inline(always)]
fn faded(mean: f32) -> f32 {
    if mean.abs() < f32::MIN_POSITIVE { 0.0 } else { mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_that_fades_away_ends_at_zero_and_moves_no_weight() {
        for optimizer in [
            Optimizer::Adam(Adam::default()),
            Optimizer::AdamW(AdamW { weight_decay: 0.0, ..AdamW::default() }),
            Optimizer::Sgd(Sgd { momentum: 0.9, ..Sgd::default() }),
        ] {
            let (mut weight, mut mean, mut square) = ([0.5f32], [1.5e-38f32], [1e-6f32]);
            let state: &mut [&mut [f32]] = &mut [&mut mean, &mut square];
            for step in 2..9 {
                optimizer.update(step, 0.1, &mut weight, &[0.0], &mut state[..optimizer.slots().len()]);
                assert!(state[0][0] == 0.0 || state[0][0].is_normal(), "{}", optimizer.key());
            }
            assert_eq!((weight[0], state[0][0].to_bits()), (0.5, 0), "{}", optimizer.key());
        }
    }

    #[test]
    fn every_optimizer_minimises_a_parabola() {
        for optimizer in Optimizer::all() {
            let rule = &optimizer;
            let mut weight = [1.0f32];
            let mut state = vec![vec![0.0f32]; rule.slots().len()];
            for step in 1..=2000 {
                let gradient = [weight[0]];
                let mut slots: Vec<&mut [f32]> = state.iter_mut().map(Vec::as_mut_slice).collect();
                rule.update(step, rule.rate().max(0.01), &mut weight, &gradient, &mut slots);
            }
            assert!(weight[0].abs() < 0.02, "{} ends at {}", optimizer.key(), weight[0]);
        }
    }
}
