//! Adam (Kingma & Ba, ICLR 2015) and AdamW (Loshchilov & Hutter, ICLR 2019), as in `torch.optim`.

use super::{Formula, UpdateRule, WithFormula, faded};

enum Decay {
    /// The gradient: this share of each weight is added to it.
    Gradient(f64),
    /// The weight: it shrinks by this share of the learning rate before the step.
    Weight(f64),
}

/// Declares an optimizer that scales its steps by moments of the gradient: its settings and its update rule.
macro_rules! moments {
    ($(#[$meta:meta])* $name:ident, $title:literal, $decay:ident by $share:literal: $help:literal) => {
        form::form! {
            $(#[$meta])*
            pub struct $name: $title {
                rate: f64 = 0.001, "Learning rate", "Step length while gradients keep their sign", range [0.0, 1000.0];
                beta1: f64 = 0.9, "Beta 1", "Decay rate of the running mean of gradients", range [0.0, 0.999_999];
                beta2: f64 = 0.999, "Beta 2", "Decay rate of the running mean of squared gradients", range [0.0, 0.999_999_99];
                epsilon: f64 = 1e-8, "Epsilon", "Keeps the division finite", range [0.0, 1.0];
                weight_decay: f64 = $share, "Weight decay", $help, range [0.0, 10.0];
            }
        }

        impl UpdateRule for $name {
            fn slots(&self) -> &'static [&'static str] {
                &["mean", "square"]
            }

            fn with_formula<W: WithFormula>(&self, step: u64, rate: f64, work: W) -> W::Result {
                let Self { beta1, beta2, epsilon, weight_decay, .. } = *self;
                work.run(&Factors::new([beta1, beta2], epsilon, &Decay::$decay(weight_decay), step, rate))
            }
        }
    };
}

moments! {
    Adam, "Adam", Gradient by 0.0: "Adds this share of each weight to its gradient"
}

moments! {
    AdamW, "AdamW", Weight by 0.01: "Shrinks each weight by this times the learning rate"
}

struct Factors {
    shrink: f32,
    /// True if the share `coupled` of each weight is added to its gradient.
    couples: bool,
    coupled: f32,
    /// β₁, β₂.
    keep: [f32; 2],
    /// 1 − β₁, 1 − β₂.
    fresh: [f32; 2],
    /// Below this, m and v become 0.
    least: [f32; 2],
    step_size: f32,
    root_correction: f32,
    epsilon: f32,
}

impl Formula for Factors {
    #[inline(always)]
    fn update(&self, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
        if self.couples {
            self.apply::<true>(weights, gradients, state);
        } else {
            self.apply::<false>(weights, gradients, state);
        }
    }
}

impl Factors {
    fn new(betas: [f64; 2], epsilon: f64, decay: &Decay, step: u64, rate: f64) -> Self {
        let (coupled, shrink) = match *decay {
            Decay::Gradient(share) => (share, 1.0),
            Decay::Weight(share) => (0.0, 1.0 - rate * share),
        };
        let [beta1, beta2] = betas;
        let steps = step as f64;
        Self {
            shrink: shrink as f32,
            couples: coupled != 0.0,
            coupled: coupled as f32,
            keep: betas.map(|beta| beta as f32),
            fresh: betas.map(|beta| (1.0 - beta) as f32),
            least: [f32::MIN_POSITIVE, least_square(beta2, epsilon)],
            step_size: (rate / (1.0 - beta1.powf(steps))) as f32,
            root_correction: (1.0 - beta2.powf(steps)).sqrt() as f32,
            epsilon: epsilon as f32,
        }
    }

    /// Computes m ← β₁m + (1 − β₁)g; v ← β₂v + (1 − β₂)g²; w ← w − rate/(1 − β₁ᵗ) · m / (√v/√(1 − β₂ᵗ) + ε).
    ///
    /// Without `DECAY` the weight stays out of the gradient: 0 · ∞ would be NaN.
    #[inline(always)]
    fn apply<const DECAY: bool>(&self, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
        let [means, squares] = state else { unreachable!("Adam keeps two values for every entry") };
        let Self { shrink, coupled, keep, fresh, least, step_size, root_correction, epsilon, .. } = *self;
        let moments = means.iter_mut().zip(squares.iter_mut());
        for ((weight, gradient), (mean, square)) in weights.iter_mut().zip(gradients).zip(moments) {
            let shrunk = *weight * shrink;
            let gradient = if DECAY { gradient + coupled * shrunk } else { *gradient };
            *mean = faded(keep[0] * *mean + fresh[0] * gradient, least[0]);
            *square = faded(keep[1] * *square + fresh[1] * gradient * gradient, least[1]);
            *weight = shrunk - step_size * (*mean / (square.sqrt() / root_correction + epsilon));
        }
    }
}

/// Half a unit in the last place of an f32 is more than this share of the number.
const HALF_BIT: f64 = 1.0 / (1 << 25) as f64;

/// Returns the bound below which a mean of squares becomes 0. What is dropped below 2⁻¹²⁶, step by step, adds up to less
/// than 2⁻¹²⁶/(1 − β₂) in v/(1 − β₂ᵗ); where the root of that is rounded away next to ε, the divisor does not change.
fn least_square(beta2: f64, epsilon: f64) -> f32 {
    let root = (f64::from(f32::MIN_POSITIVE) / (1.0 - beta2)).sqrt();
    if root < epsilon * HALF_BIT { f32::MIN_POSITIVE } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::update;

    #[test]
    fn the_first_step_has_the_length_of_the_rate() {
        let (mut weight, mut mean, mut square) = ([1.0f32], [0.0f32], [0.0f32]);
        update(&Adam::default(), 1, 0.001, &mut weight, &[123.0], &mut [&mut mean, &mut square]);
        assert!((weight[0] - 0.999).abs() < 1e-7, "{}", weight[0]);
    }

    #[test]
    fn decay_shrinks_a_weight_without_gradient() {
        let (mut weight, mut mean, mut square) = ([1.0f32], [0.0f32], [0.0f32]);
        let rule = AdamW { weight_decay: 0.5, ..AdamW::default() };
        update(&rule, 1, 0.1, &mut weight, &[0.0], &mut [&mut mean, &mut square]);
        assert!((weight[0] - 0.95).abs() < 1e-7);
    }
}
