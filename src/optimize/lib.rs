//! Optimizers and learning-rate schedules: formulas on host slices, with their settings.
//!
//! An optimizer is one file that implements [`UpdateRule`], and one line in `optimizers!`.

#![allow(
    clippy::inline_always,
    reason = "a formula must be inlined where the processor's features are enabled"
)]

mod adam;
mod schedule;
mod sgd;

pub use adam::{Adam, AdamW};
pub use schedule::{Cosine, Moment, Schedule, StepDecay};
pub use sgd::Sgd;

/// Most values that an optimizer may keep for an entry.
pub const MOST_SLOTS: usize = 3;

/// A rule by which an optimizer changes parameters.
pub trait UpdateRule {
    /// Returns the names of the values that it keeps for every entry, such as its momentum; [`MOST_SLOTS`] at most.
    fn slots(&self) -> &'static [&'static str];
    /// Returns a setting that does not go with the others, and why not.
    fn problem(&self) -> Option<(&'static str, &'static str)> {
        None
    }
    /// Does something with the formula of step number `step`, from 1.
    fn with_formula<W: WithFormula>(&self, step: u64, rate: f64, work: W) -> W::Result;
}

/// The formula of a step, with all numbers that are the same for every entry.
pub trait Formula: Sync {
    /// Changes `weights` by one step along `gradients`.
    ///
    /// `state` holds one slice for each of [`slots`](UpdateRule::slots), zeros before the first step; all slices have the
    /// same length, and an entry depends on its own values only, so a caller may split them anywhere.
    ///
    /// The function and everything it calls are `#[inline(always)]`, so that they are compiled for the vectors of each kind
    /// of processor; every product and every sum is rounded on all of them.
    fn update(&self, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]);
}

/// Something to be done with a formula: compiled for each of them, so that entries need not ask which it is.
pub trait WithFormula {
    type Result;

    fn run(self, formula: &impl Formula) -> Self::Result;
}

/// Declares the optimizers, one line each: the enum with their names in files, its learning rate, and its update rule.
macro_rules! optimizers {
    ($($name:ident, $label:literal, $help:literal;)+) => {
        form::choice! {
            /// The optimizers that a file can name.
            pub enum Optimizer: "Optimizer" {
                $($name($name) = $name::default(), $label, $help;)+
            }
        }

        impl Optimizer {
            /// Returns the learning rate before any schedule.
            pub fn rate(&self) -> f64 {
                match self { $(Self::$name(rule) => rule.rate,)+ }
            }

            /// Returns the learning rate before any schedule, to be changed.
            pub fn rate_mut(&mut self) -> &mut f64 {
                match self { $(Self::$name(rule) => &mut rule.rate,)+ }
            }
        }

        impl UpdateRule for Optimizer {
            fn problem(&self) -> Option<(&'static str, &'static str)> {
                match self { $(Self::$name(rule) => rule.problem(),)+ }
            }

            fn slots(&self) -> &'static [&'static str] {
                match self { $(Self::$name(rule) => rule.slots(),)+ }
            }

            fn with_formula<W: WithFormula>(&self, step: u64, rate: f64, work: W) -> W::Result {
                match self { $(Self::$name(rule) => rule.with_formula(step, rate, work),)+ }
            }
        }
    };
}

optimizers! {
    Adam, "Adam", "Steps scaled by running moments of the gradient";
    AdamW, "AdamW", "Adam with decoupled weight decay";
    Sgd, "SGD", "Stochastic gradient descent, optionally with momentum";
}

/// Returns a running mean, or 0 once it has decayed below `least`, the smallest normal number, 2⁻¹²⁶: many processors
/// take a hundred times as long for subnormal numbers.
#[inline(always)]
fn faded(mean: f32, least: f32) -> f32 {
    if mean.abs() < least { 0.0 } else { mean }
}

#[cfg(test)]
mod tests;
