//! Adam (Kingma & Ba, ICLR 2015), as in `torch.optim.Adam`.

use super::{Rule, faded};

crate::form! {
    /// Settings of Adam.
    pub struct Adam: "Adam" {
        rate: f64 = 0.001, "Learning rate", "Length of a step while gradients keep their sign", range [0.0, 1000.0];
        beta1: f64 = 0.9, "Beta 1", "Memory of the running mean of gradients", range [0.0, 0.999_999];
        beta2: f64 = 0.999, "Beta 2", "Memory of the running mean of squared gradients", range [0.0, 0.999_999_99];
        epsilon: f64 = 1e-8, "Epsilon", "Keeps the division finite", range [0.0, 1.0];
        weight_decay: f64 = 0.0, "Weight decay", "Adds this share of each weight to its gradient", range [0.0, 10.0];
    }
}

impl Rule for Adam {
    fn rate(&self) -> f64 {
        self.rate
    }

    fn rate_mut(&mut self) -> &mut f64 {
        &mut self.rate
    }

    fn slots(&self) -> &'static [&'static str] {
        &["mean", "square"]
    }

    #[inline(always)]
    fn update(&self, step: u64, rate: f64, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
        Moments { beta1: self.beta1, beta2: self.beta2, epsilon: self.epsilon }.update(
            step,
            rate,
            self.weight_decay,
            0.0,
            weights,
            gradients,
            state,
        );
    }
}

/// What Adam and AdamW share.
pub(super) struct Moments {
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
}

impl Moments {
    /// m ← β₁m + (1 − β₁)g; v ← β₂v + (1 − β₂)g²; w ← w − rate/(1 − β₁ᵗ) · m / (√v/√(1 − β₂ᵗ) + ε).
    ///
    /// `coupled` decay is added to the gradient (Adam), `decoupled` decay shrinks the weight before the step (AdamW).
    #[allow(clippy::too_many_arguments)] // the formula has that many letters
    #[inline(always)]
    pub fn update(
        &self,
        step: u64,
        rate: f64,
        coupled: f64,
        decoupled: f64,
        weights: &mut [f32],
        gradients: &[f32],
        state: &mut [&mut [f32]],
    ) {
        let steps = step as f64;
        let factors = Factors {
            shrink: (1.0 - rate * decoupled) as f32,
            coupled: coupled as f32,
            keep: [self.beta1, self.beta2].map(|beta| beta as f32),
            fresh: [self.beta1, self.beta2].map(|beta| (1.0 - beta) as f32),
            least: [f32::MIN_POSITIVE, self.least_square()],
            step_size: (rate / (1.0 - self.beta1.powf(steps))) as f32,
            root_correction: (1.0 - self.beta2.powf(steps)).sqrt() as f32,
            epsilon: self.epsilon as f32,
        };
        if coupled == 0.0 {
            factors.apply::<false>(weights, gradients, state);
        } else {
            factors.apply::<true>(weights, gradients, state);
        }
    }

    /// Below what a mean of squares becomes 0. What is left out below 2⁻¹²⁶, step by step, adds up to less than
    /// 2⁻¹²⁶/(1 − β₂) in v/(1 − β₂ᵗ): where the root of that is lost beside ε, the divisor is the same without it.
    #[inline(always)]
    fn least_square(&self) -> f32 {
        let root = (f64::from(f32::MIN_POSITIVE) / (1.0 - self.beta2)).sqrt();
        if root < self.epsilon * HALF_BIT { f32::MIN_POSITIVE } else { 0.0 }
    }
}

/// Half of the last bit of a number in f32 is more than this share of it.
const HALF_BIT: f64 = 1.0 / (1 << 25) as f64;

/// What the formula multiplies by, in f32.
struct Factors {
    shrink: f32,
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

impl Factors {
    /// Without `DECAY` the weight stays out of the gradient: 0 · ∞ would be NaN.
    #[inline(always)]
    fn apply<const DECAY: bool>(&self, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
        let [means, squares] = state else { unreachable!("Adam keeps two values for every entry") };
        let Self { shrink, coupled, keep, fresh, least, step_size, root_correction, epsilon } = *self;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_length_of_the_rate() {
        let (mut weight, mut mean, mut square) = ([1.0f32], [0.0f32], [0.0f32]);
        Adam::default().update(1, 0.001, &mut weight, &[123.0], &mut [&mut mean, &mut square]);
        assert!((weight[0] - 0.999).abs() < 1e-7, "{}", weight[0]);
    }
}
