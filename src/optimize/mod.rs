//! Optimizers and learning-rate schedules: pure maths on host slices, with the settings beside the formulas.
//!
//! An optimizer is one file that implements [`Rule`], and one line in `optimizers!`.

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
    /// The same, to be changed.
    fn rate_mut(&mut self) -> &mut f64;
    /// Names of the values that it remembers for every entry, such as its momentum.
    fn slots(&self) -> &'static [&'static str];
    /// A setting that does not go with the others, and why not.
    fn problem(&self) -> Option<(&'static str, &'static str)> {
        None
    }
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

/// The registry, one line an optimizer. [`Rule`] is carried out without `dyn`, so that formulas are compiled for vectors.
macro_rules! optimizers {
    ($( $name:ident, $label:literal, $help:literal; )*) => {
        crate::choice! {
            /// The optimizers that a file can name.
            pub enum Optimizer: "Optimizer" { $( $name($name) = $name::default(), $label, $help; )* }
        }

        impl Rule for Optimizer {
            fn rate(&self) -> f64 {
                match self { $( Self::$name(rule) => rule.rate(), )* }
            }

            fn rate_mut(&mut self) -> &mut f64 {
                match self { $( Self::$name(rule) => rule.rate_mut(), )* }
            }

            fn slots(&self) -> &'static [&'static str] {
                match self { $( Self::$name(rule) => rule.slots(), )* }
            }

            fn problem(&self) -> Option<(&'static str, &'static str)> {
                match self { $( Self::$name(rule) => rule.problem(), )* }
            }

            #[inline(always)]
            fn update(&self, step: u64, rate: f64, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
                match self { $( Self::$name(rule) => rule.update(step, rate, weights, gradients, state), )* }
            }
        }
    };
}

optimizers! {
    Adam, "Adam", "Steps scaled by running moments of the gradient";
    AdamW, "AdamW", "Adam with weight decay apart from the gradient";
    Sgd, "SGD", "Plain gradient descent, with momentum if wanted";
}

/// A running mean as it is remembered. One that fades away ends at 0 once it is below `least`, the smallest normal number,
/// 2⁻¹²⁶: many processors take a hundred times as long to compute with what lies between.
#[inline(always)]
fn faded(mean: f32, least: f32) -> f32 {
    if mean.abs() < least { 0.0 } else { mean }
}

#[cfg(test)]
mod tests;
