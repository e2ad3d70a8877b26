//! Gradients of the flow from the inputs to the logits, for SynFlow.
//!
//! In a deep network the flow exceeds float32. It is then multiplied by a power of two wherever the stack is empty: every path
//! from an input to a logit crosses each of these places, so all scores have the same factor, and their order stays.

use std::sync::Arc;

use doc::structure::{Layer, LayerKind, Op, Parameter, Role};
use doc::{Activation, Structure};
use net::{Activations, Compute, Network};

/// Computes gradients of the sum of all logits for one sample of ones, with the absolute values of all weights, biases
/// of 0, and nothing normalised; where they and the weights have products beyond float32, those of the scaled flow.
pub fn gradients(compute: &dyn Compute, network: &Network) -> Vec<Vec<f32>> {
    let network = flow_network(network);
    let plain = through(compute, &network, network.len());
    // Biases are 0, and so are their scores.
    let is_finite = |(index, gradient): (usize, &Vec<f32>)| {
        let mut pairs = network.values(index).iter().zip(gradient);
        pairs.all(|(weight, gradient)| *weight == 0.0 || (weight * gradient).is_finite())
    };
    if plain.iter().enumerate().all(is_finite) { plain } else { scaled_gradients(compute, &network) }
}

/// Computes gradients of the first `count` parameters.
fn through(compute: &dyn Compute, network: &Network, count: usize) -> Vec<Vec<f32>> {
    let inputs = vec![1.0; network.structure().input.len()];
    let pass = compute.train(network, &inputs, 1, None, &mut |logits| vec![1.0; logits.len()]);
    let gradients = pass.gradients.into_iter().enumerate().take(count);
    let or_zeros = |(index, gradient): (usize, Option<Vec<f32>>)| {
        gradient.unwrap_or_else(|| vec![0.0; network.values(index).len()])
    };
    gradients.map(or_zeros).collect()
}

/// Builds the network that the flow goes through: without batch norms and dropout, rectified, all weights positive.
fn flow_network(network: &Network) -> Network {
    let old = network.structure();
    let keeps = |op: &Op| match op {
        Op::Layer(_) => old.is_unit(op),
        Op::Dropout(_) => false,
        Op::Activation(_)
        | Op::MaxPool(_)
        | Op::AveragePool(_)
        | Op::AdaptiveAveragePool(_)
        | Op::Flatten
        | Op::Fork
        | Op::Swap
        | Op::Subsample { .. }
        | Op::Add(_) => true,
    };
    let ops = old.ops.iter().filter(|op| keeps(op)).map(|op| match op {
        Op::Activation(_) => Op::Activation(Activation::Relu),
        other => other.clone(),
    });
    let structure = Arc::new(Structure { ops: ops.collect(), ..old.as_ref().clone() });
    let values = (0..network.len()).map(|index| {
        let values = network.values(index).iter();
        match structure.parameters[index].role {
            Role::Weight => Arc::new(values.map(|value| value.abs()).collect::<Vec<f32>>()),
            Role::Bias | Role::Scale | Role::Shift | Role::RunningMean | Role::RunningVariance => {
                Arc::new(vec![0.0; values.len()])
            }
        }
    });
    network.with_structure(structure.clone(), values.collect())
}

/// Computes gradients of the flow that is scaled to a largest value between 1 and 2 behind every layer or block with an
/// empty stack.
fn scaled_gradients(compute: &dyn Compute, network: &Network) -> Vec<Vec<f32>> {
    let old = network.structure();
    let alive = old.alive();
    let structure = Structure { ops: Vec::new(), ..old.as_ref().clone() };
    let values = (0..network.len()).map(|index| Arc::new(network.values(index).to_vec())).collect();
    let mut scaled = Scaled { structure, values, norms: Vec::new() };
    let mut flow = Activations::from_samples(old.input, vec![1.0; old.input.len()]);
    let mut from = 0;
    for (at, op) in old.ops.iter().enumerate() {
        scaled.structure.ops.push(op.clone());
        if op.yields().is_none() || alive[at + 1].len() > 1 {
            continue;
        }
        flow = compute.forward(network, from..at + 1, &flow);
        from = at + 1;
        let factor = factor(&flow.values);
        for value in &mut flow.values {
            *value *= factor;
        }
        scaled.multiply(factor, &flow);
    }
    let mut with_factors = network.with_structure(Arc::new(scaled.structure), scaled.values);
    with_factors.fix_norms(scaled.norms);
    through(compute, &with_factors, network.len())
}

/// Returns the power of two that takes the largest value to one between 1 and 2; 1 where there is none.
fn factor(values: &[f32]) -> f32 {
    let largest = values.iter().copied().fold(0.0, f32::max);
    let factor = (-largest.log2().floor()).exp2();
    if factor.is_normal() { factor } else { 1.0 }
}

/// A network with factors, which are batch norms that measure nothing.
struct Scaled {
    structure: Structure,
    values: Vec<Arc<Vec<f32>>>,
    norms: Vec<usize>,
}

impl Scaled {
    /// Multiplies the activations, which have the shape of `flow`, by a factor.
    fn multiply(&mut self, factor: f32, flow: &Activations) {
        let Structure { layers, parameters, ops, .. } = &mut self.structure;
        let (layer, output) = (layers.len(), flow.shape);
        let name = format!("scale {layer}");
        let first = parameters.len();
        let variance = 1.0 - 1e-5; // together with what a norm adds to it, 1
        for (role, value) in [
            (Role::Scale, factor),
            (Role::Shift, 0.0),
            (Role::RunningMean, 0.0),
            (Role::RunningVariance, variance),
        ] {
            let name = format!("{name}.{}", role.suffix());
            parameters.push(Parameter { name, layer, role, shape: vec![output.channels] });
            self.values.push(Arc::new(vec![value; output.channels]));
        }
        let parameters = (first..parameters.len()).collect();
        let kind = LayerKind::BatchNorm;
        layers.push(Layer { name, kind, parameters, output, unit: 0, is_output: false });
        ops.push(Op::Layer(layer));
        self.norms.push(layer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Shape;
    use doc::structure::testing::GRAPHS;
    use doc::{Device, Loss, Net, ResNet};
    use form::ron_text;
    use intervene::{BiasInit, Init};
    use net::{BurnCompute, Initialisation, NativeCompute};

    fn network(net: &Net, input: Shape) -> Network {
        let structure = Structure::new(net, input, 10, &Loss::CrossEntropy).unwrap();
        let initialisation = Initialisation { weights: Init::KaimingNormal, biases: BiasInit::Usual };
        Network::new(Arc::new(structure), initialisation, 7, 0)
    }

    #[test]
    fn a_scaled_flow_multiplies_every_score_by_one_number() {
        for (layers, input) in GRAPHS {
            let net: Net = ron_text::from_str(&format!("Sequential(layers: [{layers}])")).unwrap();
            let network = flow_network(&network(&net, input));
            for compute in [&NativeCompute::exact() as &dyn Compute, &BurnCompute::new(&Device::Cpu)] {
                let plain = through(compute, &network, network.len());
                let scaled = scaled_gradients(compute, &network);
                let scores = |gradients: &[Vec<f32>]| -> Vec<f32> {
                    let of = |index: usize| {
                        network
                            .values(index)
                            .iter()
                            .zip(&gradients[index])
                            .map(|(weight, gradient)| weight * gradient)
                    };
                    (0..gradients.len()).flat_map(of).collect()
                };
                let (plain, scaled) = (scores(&plain), scores(&scaled));
                let pairs = || plain.iter().zip(&scaled);
                let (most, its) = pairs().max_by(|a, b| a.0.total_cmp(b.0)).unwrap();
                let factor = its / most;
                assert!(factor > 0.0 && factor.is_finite(), "{layers}");
                for (plain, scaled) in pairs() {
                    let off = (plain * factor - scaled).abs();
                    assert!(off <= 1e-5 * its.abs(), "{layers}: {plain} × {factor} is not {scaled}");
                }
            }
        }
    }

    #[test]
    fn the_flow_of_a_deep_residual_network_has_scores() {
        let network = network(&Net::ResNet(ResNet { depth: 56, ..ResNet::default() }), Shape::new(1, 8, 8));
        let compute = NativeCompute::exact();
        let flow = flow_network(&network);
        let is_finite = |all: &[Vec<f32>]| all.iter().flatten().all(|gradient| gradient.is_finite());
        assert!(!is_finite(&through(&compute, &flow, flow.len())), "float32 is too small");
        let found = gradients(&compute, &network);
        assert!(is_finite(&found));
        // The flow is the sum of the scores of the first layer, and of those of the last one.
        let total = |index: usize| -> f64 {
            let scores = flow.values(index).iter().zip(&found[index]);
            scores.map(|(weight, gradient)| f64::from(*weight) * f64::from(*gradient)).sum()
        };
        let last = network.structure().position(network.structure().layers.len() - 1, Role::Weight).unwrap();
        let (first, last) = (total(0), total(last));
        assert!(first > 0.0 && (first / last - 1.0).abs() < 1e-3, "{first} and {last}");
    }

    #[test]
    fn powers_of_two_take_values_between_1_and_2() {
        for (largest, expected) in [(1.5, 1.0), (3.0, 0.5), (0.3, 4.0), (2.0f32.powi(100), 2.0f32.powi(-100))]
        {
            assert_eq!(factor(&[0.0, largest]), expected);
        }
        for none in [[0.0, 0.0], [1.0, f32::INFINITY]] {
            assert_eq!(factor(&none), 1.0);
        }
    }
}
