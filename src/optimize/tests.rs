//! Optimizers against their formulas in float64, and at the edges of float32.

use super::*;

/// One step of some entries.
pub fn update(
    rule: &impl UpdateRule,
    step: u64,
    rate: f64,
    weights: &mut [f32],
    gradients: &[f32],
    state: &mut [&mut [f32]],
) {
    rule.with_formula(step, rate, Entries { weights, gradients, state });
}

struct Entries<'a, 'b> {
    weights: &'a mut [f32],
    gradients: &'a [f32],
    state: &'a mut [&'b mut [f32]],
}

impl WithFormula for Entries<'_, '_> {
    type Result = ();

    fn run(self, formula: &impl Formula) {
        formula.update(self.weights, self.gradients, self.state);
    }
}

/// Steps on one entry from the given state; each step has its learning rate.
fn steps(optimizer: &Optimizer, weight: f32, state: &[f32], gradients: &[(f64, f32)]) -> (f32, Vec<f32>) {
    let (mut weight, mut state) = ([weight], state.to_vec());
    for (step, (rate, gradient)) in (1..).zip(gradients) {
        let mut slots: Vec<&mut [f32]> = state.chunks_mut(1).take(optimizer.slots().len()).collect();
        update(optimizer, step, *rate, &mut weight, &[*gradient], &mut slots);
    }
    (weight[0], state)
}

/// The same in float64, after the formulas in docs/semantics.md; no mean becomes 0.
fn exact(optimizer: &Optimizer, weight: f32, state: &[f32], gradients: &[(f64, f32)]) -> f64 {
    let (mut w, mut state) =
        (f64::from(weight), [0, 1].map(|slot| state.get(slot).copied().map_or(0.0, f64::from)));
    for (t, (r, g)) in (1..).zip(gradients) {
        let g = f64::from(*g);
        match optimizer {
            Optimizer::Sgd(Sgd { momentum, nesterov, dampening, weight_decay, .. }) => {
                let g = g + weight_decay * w;
                state[0] = if t == 1 {
                    momentum * state[0] + g
                } else {
                    momentum * state[0] + (1.0 - dampening) * g
                };
                w -= r * match (*momentum > 0.0, nesterov) {
                    (false, _) => g,
                    (true, true) => g + momentum * state[0],
                    (true, false) => state[0],
                };
            }
            Optimizer::Adam(Adam { beta1, beta2, epsilon, weight_decay, .. }) => {
                w -= r * moments([*beta1, *beta2], *epsilon, t, g + weight_decay * w, &mut state);
            }
            Optimizer::AdamW(AdamW { beta1, beta2, epsilon, weight_decay, .. }) => {
                w *= 1.0 - r * weight_decay;
                w -= r * moments([*beta1, *beta2], *epsilon, t, g, &mut state);
            }
        }
    }
    w
}

fn moments([beta1, beta2]: [f64; 2], epsilon: f64, t: i32, g: f64, [m, v]: &mut [f64; 2]) -> f64 {
    *m = beta1 * *m + (1.0 - beta1) * g;
    *v = beta2 * *v + (1.0 - beta2) * g * g;
    *m / (1.0 - beta1.powi(t)) / (v.sqrt() / (1.0 - beta2.powi(t)).sqrt() + epsilon)
}

/// Every optimizer with settings of every kind.
fn variants() -> Vec<Optimizer> {
    let mut all = Vec::new();
    for (weight_decay, momentum, dampening) in
        [0.0, 0.02].into_iter().flat_map(|decay| [(decay, 0.0, 0.0), (decay, 0.9, 0.0), (decay, 0.6, 0.3)])
    {
        for nesterov in [false, true] {
            all.push(Optimizer::Sgd(Sgd { momentum, nesterov, dampening, weight_decay, ..Sgd::default() }));
        }
        for (beta1, beta2, epsilon) in
            [(0.9, 0.999, 1e-8), (0.0, 0.999, 1e-3), (0.5, 0.7, 1e-8), (0.9, 0.99, 1.0)]
        {
            all.push(Optimizer::Adam(Adam { beta1, beta2, epsilon, weight_decay, ..Adam::default() }));
            all.push(Optimizer::AdamW(AdamW { beta1, beta2, epsilon, weight_decay, ..AdamW::default() }));
        }
    }
    all
}

/// 50 steps whose gradients turn, grow and fall, at a rate that falls.
fn fifty(phase: f32) -> Vec<(f64, f32)> {
    (0..50_u8)
        .map(f32::from)
        .map(|at| (0.05 / (1.0 + f64::from(at)), (at * 0.7 + phase).sin() * (0.1 + phase)))
        .collect()
}

#[test]
fn fifty_steps_are_those_of_the_formula() {
    for optimizer in variants() {
        for (phase, weight) in [(0.0, 1.0), (0.3, -0.2), (1.7, 0.0), (4.0, 2.5)] {
            let gradients = fifty(phase);
            let found = f64::from(steps(&optimizer, weight, &[0.0; 2], &gradients).0);
            let expected = exact(&optimizer, weight, &[0.0; 2], &gradients);
            // 50 roundings of a weight below 4 could add up to eight times that.
            assert!((found - expected).abs() < 1.5e-6, "{found}, not {expected}: {optimizer:?}");
        }
    }
}

#[test]
fn a_weight_stays_infinite_where_no_decay_is_wanted() {
    for optimizer in [
        Optimizer::Sgd(Sgd::default()),
        Optimizer::Sgd(Sgd { momentum: 0.9, ..Sgd::default() }),
        Optimizer::Sgd(Sgd { momentum: 0.9, nesterov: true, ..Sgd::default() }),
        Optimizer::Adam(Adam::default()),
        Optimizer::AdamW(AdamW::default()),
    ] {
        let (weight, state) = steps(&optimizer, f32::NEG_INFINITY, &[0.0; 2], &fifty(0.3));
        assert_eq!(weight, f32::NEG_INFINITY, "{optimizer:?}");
        assert!(state.iter().all(|value| value.is_finite()), "{optimizer:?}");
    }
}

#[test]
fn a_mean_that_fades_away_ends_at_zero_and_moves_a_weight_no_more() {
    let bound = f64::from(f32::MIN_POSITIVE);
    for (optimizer, divisor) in [
        (Optimizer::Adam(Adam::default()), 1e-8),
        (Optimizer::AdamW(AdamW { weight_decay: 0.0, ..AdamW::default() }), 1e-8),
        (Optimizer::Sgd(Sgd { momentum: 0.9, ..Sgd::default() }), 1.0),
    ] {
        // Two means that are kept, and six that are not; docs/semantics.md bounds the error of a step.
        let (start, gradients) = ([1.5e-38, 0.0], [(0.1, 0.0); 8]);
        let (weight, state) = steps(&optimizer, 0.0, &start, &gradients);
        assert_eq!(state[0].to_bits(), 0, "{optimizer:?}");
        let (kept, _) = steps(&optimizer, 0.0, &start, &gradients[..2]);
        assert!(kept < 0.0, "what is large enough is felt: {optimizer:?}");
        assert_eq!(weight.to_bits(), kept.to_bits(), "{optimizer:?}");
        let lost = f64::from(weight) - exact(&optimizer, 0.0, &start, &gradients);
        assert!(lost > 0.0 && lost < 6.0 * 0.1 / (1.0 - 0.9) * bound / divisor, "{lost}: {optimizer:?}");
    }
}

#[test]
fn a_mean_of_squares_that_fades_away_ends_at_zero_where_the_divisor_does_not_feel_it() {
    let gradients: Vec<(f64, f32)> = (0..60).map(|step| (0.1, if step < 59 { 0.0 } else { 1e-9 })).collect();
    for (epsilon, ends) in [(1e-8, true), (1.2e-10, true), (1e-10, false), (0.0, false)] {
        let optimizer = Optimizer::Adam(Adam { epsilon, ..Adam::default() });
        let (_, state) = steps(&optimizer, 0.0, &[0.0, 1.2e-38], &gradients[..59]);
        assert!(if ends { state[1] == 0.0 } else { state[1].is_subnormal() }, "{epsilon}: {}", state[1]);
        let expected = exact(&optimizer, 0.0, &[0.0, 1.2e-38], &gradients);
        let (weight, _) = steps(&optimizer, 0.0, &[0.0, 1.2e-38], &gradients);
        assert!(
            (f64::from(weight) - expected).abs() < 1e-6 * expected.abs(),
            "{weight}, not {expected}: {epsilon}"
        );
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
            update(rule, step, rule.rate().max(0.01), &mut weight, &gradient, &mut slots);
        }
        assert!(weight[0].abs() < 0.02, "{} ends at {}", optimizer.key(), weight[0]);
    }
}
