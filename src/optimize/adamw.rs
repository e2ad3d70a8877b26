//! AdamW (Loshchilov & Hutter, ICLR 2019), as in `torch.optim.AdamW`.

use super::{Rule, adam::Moments};

crate::form! {
    /// Settings of AdamW.
    pub struct AdamW: "AdamW" {
        rate: f64 = 0.001, "Learning rate", "Length of a step while gradients keep their sign", range [0.0, 1000.0];
        beta1: f64 = 0.9, "Beta 1", "Memory of the running mean of gradients", range [0.0, 0.999_999];
        beta2: f64 = 0.999, "Beta 2", "Memory of the running mean of squared gradients", range [0.0, 0.999_999_99];
        epsilon: f64 = 1e-8, "Epsilon", "Keeps the division finite", range [0.0, 1.0];
        weight_decay: f64 = 0.01, "Weight decay", "Shrinks each weight by this share of the learning rate", range [0.0, 10.0];
    }
}

impl Rule for AdamW {
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
            0.0,
            self.weight_decay,
            weights,
            gradients,
            state,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_shrinks_a_weight_without_gradient() {
        let (mut weight, mut mean, mut square) = ([1.0f32], [0.0f32], [0.0f32]);
        let rule = AdamW { weight_decay: 0.5, ..AdamW::default() };
        rule.update(1, 0.1, &mut weight, &[0.0], &mut [&mut mean, &mut square]);
        assert!((weight[0] - 0.95).abs() < 1e-7);
    }
}
