//! Stochastic gradient descent, as in `torch.optim.SGD`.

use super::{Formula, UpdateRule, WithFormula, faded};

form::form! {
    /// Settings of stochastic gradient descent.
    pub struct Sgd: "SGD" {
        rate: f64 = 0.1, "Learning rate", "Step length along the gradient", range [0.0, 1000.0];
        momentum: f64 = 0.0, "Momentum", "Share of the previous step that carries over", range [0.0, 0.9999];
        nesterov: bool = false, "Nesterov", "Looks ahead along the momentum before it steps";
        dampening: f64 = 0.0, "Dampening", "Share of the gradient that the momentum leaves out", range [0.0, 1.0];
        weight_decay: f64 = 0.0, "Weight decay", "Adds this share of each weight to its gradient", range [0.0, 10.0];
    }
}

impl UpdateRule for Sgd {
    fn slots(&self) -> &'static [&'static str] {
        if self.momentum > 0.0 { &["momentum"] } else { &[] }
    }

    fn problem(&self) -> Option<(&'static str, &'static str)> {
        let is_without_effect = self.nesterov && (self.momentum == 0.0 || self.dampening != 0.0);
        let message = "Nesterov needs momentum above 0 and no dampening";
        is_without_effect.then_some(("nesterov", message))
    }

    fn with_formula<W: WithFormula>(&self, step: u64, rate: f64, work: W) -> W::Result {
        work.run(&Factors {
            rate: rate as f32,
            decays: self.weight_decay != 0.0,
            decay: self.weight_decay as f32,
            momentum: self.momentum as f32,
            fresh: if step == 1 { 1.0 } else { 1.0 - self.dampening as f32 },
            nesterov: self.nesterov,
        })
    }
}

struct Factors {
    rate: f32,
    /// True if the share `coupled` of each weight is added to its gradient.
    decays: bool,
    decay: f32,
    momentum: f32,
    /// Share of the gradient in the velocity.
    fresh: f32,
    nesterov: bool,
}

impl Formula for Factors {
    #[inline(always)]
    fn update(&self, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
        if self.decays {
            self.apply::<true>(weights, gradients, state);
        } else {
            self.apply::<false>(weights, gradients, state);
        }
    }
}

impl Factors {
    /// Computes g ← g + decay·w; v ← momentum·v + (1 − dampening)·g (v ← g at the first step); w ← w − rate·v, or with
    /// Nesterov w − rate·(g + momentum·v). Without `DECAY` the weight stays out of the gradient: 0 · ∞ would be NaN.
    #[inline(always)]
    fn apply<const DECAY: bool>(&self, weights: &mut [f32], gradients: &[f32], state: &mut [&mut [f32]]) {
        let Self { rate, decay, momentum, fresh, nesterov, .. } = *self;
        let Some(velocities) = state.first_mut() else {
            for (weight, gradient) in weights.iter_mut().zip(gradients) {
                *weight -= rate * if DECAY { gradient + decay * *weight } else { *gradient };
            }
            return;
        };
        for ((weight, gradient), velocity) in weights.iter_mut().zip(gradients).zip(velocities.iter_mut()) {
            let gradient = if DECAY { gradient + decay * *weight } else { *gradient };
            *velocity = faded(momentum * *velocity + fresh * gradient, f32::MIN_POSITIVE);
            *weight -= rate * if nesterov { gradient + momentum * *velocity } else { *velocity };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::update;

    #[test]
    fn momentum_and_decay_follow_the_formula() {
        let rule = Sgd { momentum: 0.5, weight_decay: 0.5, ..Sgd::default() };
        let (mut weight, mut velocity) = ([2.0f32], [0.0f32]);
        update(&rule, 1, 1.0, &mut weight, &[1.0], &mut [&mut velocity]);
        assert_eq!((weight[0], velocity[0]), (0.0, 2.0)); // g = 1 + 0.5·2
        update(&rule, 2, 1.0, &mut weight, &[1.0], &mut [&mut velocity]);
        assert_eq!((weight[0], velocity[0]), (-2.0, 2.0)); // v = 0.5·2 + 1
    }

    #[test]
    fn nesterov_looks_ahead() {
        let rule = Sgd { momentum: 0.5, nesterov: true, ..Sgd::default() };
        let (mut weight, mut velocity) = ([0.0f32], [0.0f32]);
        update(&rule, 1, 1.0, &mut weight, &[1.0], &mut [&mut velocity]);
        assert_eq!(weight[0], -1.5);
    }
}
