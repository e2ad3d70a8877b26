//! The whole path against Burn's.

mod fast;
mod held;

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::NativeCompute;
use crate::{Activations, BurnCompute, Compute, Initialisation, Layout, Network, NoTap, Tap, TrainPass};
use data::Shape;
use doc::structure::testing::GRAPHS;
use doc::structure::{Op, Structure, Window};
use doc::{Activation, Device, Head, Loss, Mlp, Net, Vgg};
use form::ron_text;
use intervene::stream::{Purpose, stream};
use intervene::{BiasInit, Init};
use kernels::testing::assert_same_bits;

fn network(net: &Net, input: Shape) -> Network {
    initialised(Structure::new(net, input, 5, &Loss::CrossEntropy).unwrap())
}

fn initialised(structure: Structure) -> Network {
    let initialisation = Initialisation { weights: Init::KaimingNormal, biases: BiasInit::Usual };
    let mut network = Network::new(Arc::new(structure), initialisation, 7, 0);
    for index in 0..network.len() {
        let values: Vec<f32> = network.values(index).to_vec();
        // Norms and biases that have an effect.
        let shaken = values.iter().enumerate().map(|(at, value)| value + 0.01 * (at % 7) as f32);
        network.write(index, &shaken.collect::<Vec<f32>>());
    }
    network
}

fn inputs(shape: Shape, count: usize) -> Vec<f32> {
    (0..count * shape.len()).map(|at| ((at * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect()
}

fn vgg(batch_norm: bool, head: Head, width: usize) -> Net {
    Net::Vgg(Vgg { depth: 11, width, batch_norm, head, ..Vgg::default() })
}

fn mlp(activation: Activation) -> Net {
    Net::Mlp(Mlp { hidden: vec![20, 9], activation, ..Mlp::default() })
}

/// A VGG whose linear layer reads 2 by 2 pixels of each channel.
fn several_pixels_flattened() -> Network {
    let image = Shape { channels: 3, height: 64, width: 64 };
    let mut structure = Structure::new(&vgg(false, Head::Linear, 3), image, 5, &Loss::CrossEntropy).unwrap();
    for op in &mut structure.ops {
        if let Op::AdaptiveAveragePool(side) = op {
            *side = 2;
        }
    }
    let classifier = structure.parameters.iter_mut().find(|parameter| parameter.name == "classifier.weight");
    classifier.expect("it has one").shape[1] *= 4;
    initialised(structure)
}

/// Networks of all kinds with their inputs.
fn networks() -> Vec<Network> {
    let image = Shape { channels: 3, height: 32, width: 32 };
    let odd = Shape { channels: 3, height: 33, width: 33 };
    let digit = Shape { channels: 1, height: 5, width: 4 };
    let mut networks = vec![
        network(&vgg(true, Head::Linear, 8), image),
        network(&vgg(true, Head::Linear, 5), odd),
        network(&vgg(false, Head::Linear, 8), image),
        several_pixels_flattened(),
    ];
    networks.extend(Activation::all().into_iter().map(|kind| network(&mlp(kind), digit)));
    networks.extend(GRAPHS.map(|(layers, input)| network(&sequential(layers), input)));
    networks
}

fn sequential(layers: &str) -> Net {
    ron_text::from_str(&format!("Sequential(layers: [{layers}])")).unwrap()
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1e-3f32, |size, value| size.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= 2e-4 * size, "{what} {at}: {found} instead of {expected}");
    }
}

fn train(compute: &dyn Compute, network: &Network, count: usize, tap: &mut dyn Tap) -> TrainPass {
    let values = inputs(network.structure().input, count);
    let dropout = stream(3, Purpose::Dropout, &[1]);
    compute.train_tapped(network, &values, count, Some(dropout), tap, &mut |logits| {
        logits.iter().enumerate().map(|(at, logit)| logit - (at % 3) as f32).collect()
    })
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn pass_bits(pass: &TrainPass) -> Vec<Vec<u32>> {
    let gradients = pass.gradients.iter().map(|gradient| gradient.as_deref().unwrap_or_default());
    let statistics = pass.statistics.iter().flat_map(|batch| [&batch.mean[..], &batch.variance]);
    gradients.chain(statistics).map(bits).collect()
}

fn assert_same(network: &Network, found: &TrainPass, expected: &TrainPass) {
    for (index, parameter) in network.structure().parameters.iter().enumerate() {
        // The gradient of a bias before a batch norm is nothing but rounding.
        let is_nothing = network.structure().layers.len() > 3
            && parameter.name.ends_with("bias")
            && expected.gradients[index].as_ref().is_some_and(|g| g.iter().all(|g| g.abs() < 1e-3));
        match (&found.gradients[index], &expected.gradients[index]) {
            (Some(found), Some(_)) if is_nothing => assert!(found.iter().all(|g| g.abs() < 1e-3)),
            (Some(found), Some(expected)) => assert_close(found, expected, &parameter.name),
            (found, expected) => assert_eq!(found.is_some(), expected.is_some(), "{}", parameter.name),
        }
    }
    assert_eq!(found.statistics.len(), expected.statistics.len());
    for (found, expected) in found.statistics.iter().zip(&expected.statistics) {
        assert_eq!((found.layer, found.count), (expected.layer, expected.count));
        assert_close(&found.mean, &expected.mean, "mean");
        assert_close(&found.variance, &expected.variance, "variance");
    }
}

#[test]
fn logits_and_gradients_are_those_of_burn() {
    let (own, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    for network in networks() {
        let values = inputs(network.structure().input, 6);
        assert_close(&own.logits(&network, &values, 6), &burn.logits(&network, &values, 6), "logit");
        let found = train(&own, &network, 6, &mut NoTap::all());
        assert_same(&network, &found, &train(&burn, &network, 6, &mut NoTap::all()));
        own.recycle(found);
        let again = train(&own, &network, 6, &mut NoTap::all());
        own.recycle(again.clone());
        let third = train(&own, &network, 6, &mut NoTap::all());
        assert_eq!(pass_bits(&third), pass_bits(&again), "used memory changes nothing");
    }
}

/// A perceptron or a VGG of any sizes on images of any sizes. Without batch norms: in a narrow network most of what goes
/// back through them is the rounding of zeros; those are compared in [`networks`] and in the kernels' own tests.
fn any_network() -> impl Strategy<Value = Network> {
    let sides = (1..8_usize, 1..8_usize).prop_map(|(height, width)| Shape { channels: 1, height, width });
    let perceptron =
        (prop::collection::vec(1..40_usize, 0..4), 0..4_usize, sides).prop_map(|(hidden, kind, input)| {
            let activation = Activation::all()[kind].clone();
            network(&Net::Mlp(Mlp { hidden, activation, ..Mlp::default() }), input)
        });
    let image = (1..4_usize, 32..39_usize, 32..39_usize).prop_map(|(channels, height, width)| Shape {
        channels,
        height,
        width,
    });
    let convolutional =
        (2..7_usize, image).prop_map(|(width, input)| network(&vgg(false, Head::Linear, width), input));
    prop_oneof![perceptron, convolutional]
}

#[test]
fn networks_of_any_sizes_are_those_of_burn() {
    let (own, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    // The same sizes at every call: a sum near a kink may fall to either side.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let check = |(network, count): (Network, usize)| {
        let values = inputs(network.structure().input, count);
        assert_close(&own.logits(&network, &values, count), &burn.logits(&network, &values, count), "logit");
        let expected = train(&burn, &network, count, &mut NoTap::all());
        assert_same(&network, &train(&own, &network, count, &mut NoTap::all()), &expected);
        Ok(())
    };
    TestRunner::new_with_rng(config, rng).run(&(any_network(), 3..9_usize), check).expect("they are equal");
}

#[test]
fn norms_that_are_fixed_use_their_running_statistics() {
    let (own, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    let mut network = network(&vgg(true, Head::Linear, 4), Shape { channels: 1, height: 32, width: 32 });
    network.fix_norms(0..6);
    let (found, expected) =
        (train(&own, &network, 3, &mut NoTap::all()), train(&burn, &network, 3, &mut NoTap::all()));
    assert_same(&network, &found, &expected);
}

/// The values of `torch.nn.BatchNorm2d` after one step on a single sample of 16 pixels.
#[test]
fn a_single_sample_has_the_statistics_of_its_pixels() {
    let net: Net = ron_text::from_str("Sequential(layers: [BatchNorm(), Flatten, Linear()])").unwrap();
    let network = network(&net, Shape::new(1, 4, 4));
    let pixels: Vec<f32> = (0..16).map(|at| at as f32 / 8.0 - 1.0).collect();
    for compute in [&NativeCompute::exact() as &dyn Compute, &BurnCompute::new(&Device::Cpu)] {
        let mut network = network.clone();
        network.write(2, &[0.0]);
        network.write(3, &[1.0]);
        network.follow(&compute.training_forward(&network, &pixels, 1, None).statistics);
        let [mean, variance] = [2, 3].map(|index| network.values(index)[0]);
        assert!(
            (mean + 0.006_25).abs() < 1e-7 && (variance - 0.935_416_64).abs() < 1e-6,
            "{mean} {variance}"
        );
    }
}

#[test]
fn a_pass_can_be_cut_anywhere_and_a_sample_stands_alone() {
    let own = NativeCompute::exact();
    for network in networks() {
        let (shape, ops) = (network.structure().input, network.structure().ops.len());
        let values = inputs(shape, 5);
        let logits = own.logits(&network, &values, 5);
        let activations = Activations::from_samples(shape, values.clone());
        for cut in 0..=ops {
            let middle = own.forward(&network, 0..cut, &activations);
            assert_eq!(middle.shape, network.structure().shapes()[cut]);
            assert_eq!(bits(&own.forward(&network, cut..ops, &middle).values), bits(&logits), "cut at {cut}");
        }
        let last = own.logits(&network, &values[4 * shape.len()..], 1);
        assert_eq!(bits(&last), bits(&logits[logits.len() - last.len()..]));
        assert!(own.logits(&network, &[], 0).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_samples_alone_have_the_bits_that_they_have_among_others(
        count in 1..15usize,
        chosen in prop::collection::vec(any::<bool>(), 15),
        seed in any::<u32>(),
    ) {
        let own = NativeCompute::fast();
        assert!(own.is_independent_of_batch());
        let chosen: Vec<usize> = (0..count).filter(|&sample| chosen[sample]).collect();
        for network in networks() {
            let ops = network.structure().ops.len();
            let moved = inputs(network.structure().input, count).into_iter().enumerate();
            let moved = moved.map(|(at, value)| value * (1.0 + (at as u32 ^ seed) as f32 % 97.0 / 31.0));
            let mut whole = Activations::from_samples(network.structure().input, moved.collect());
            for op in 0..ops {
                let found = own.forward(&network, op..op + 1, &whole.gathered(&chosen));
                whole = own.forward(&network, op..op + 1, &whole);
                let expected = whole.gathered(&chosen);
                prop_assert_eq!(bits(&found.values), bits(&expected.values), "{}", op);
                prop_assert_eq!(found.stack.len(), expected.stack.len());
                for (found, expected) in found.stack.iter().zip(&expected.stack) {
                    prop_assert_eq!(bits(&found.values), bits(&expected.values), "{}", op);
                }
            }
        }
    }
}

#[test]
fn activations_have_the_layout_that_they_name() {
    let (own, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    let network = network(&vgg(true, Head::Linear, 3), Shape { channels: 3, height: 32, width: 32 });
    let activations =
        Activations::from_samples(network.structure().input, inputs(network.structure().input, 2));
    let (found, expected) =
        (own.forward(&network, 0..4, &activations), burn.forward(&network, 0..4, &activations));
    assert_eq!((found.layout, expected.layout), (Layout::ChannelsLast, Layout::ChannelsFirst));
    for sample in 0..2 {
        for entry in 0..found.shape.len() {
            let (a, b) =
                (found.values[found.place(sample, entry)], expected.values[expected.place(sample, entry)]);
            assert!((a - b).abs() < 1e-4, "{sample} {entry}: {a} {b}");
        }
    }
}

/// Overwrites every third value after two operations.
struct Writer([usize; 2]);

impl Tap for Writer {
    fn wants(&self, op: usize) -> bool {
        self.0.contains(&op)
    }

    fn write(&mut self, _op: usize, activations: &mut Activations) {
        for sample in 0..activations.count {
            for entry in (0..activations.shape.len()).step_by(3) {
                let place = activations.place(sample, entry);
                activations.values[place] = 0.5;
            }
        }
    }
}

#[test]
fn nothing_goes_back_through_what_a_tap_wrote() {
    let (own, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    let network = network(&vgg(true, Head::Linear, 4), Shape { channels: 3, height: 32, width: 32 });
    // After a norm, before its ReLU, and after a pooling.
    let tap = || Writer([1, 7]);
    assert_eq!(network.structure().ops[7], Op::MaxPool(Window::HALVES));
    assert_same(&network, &train(&own, &network, 4, &mut tap()), &train(&burn, &network, 4, &mut tap()));
}

/// Reads everything and writes nothing.
struct Watcher;

impl Tap for Watcher {
    fn wants(&self, _op: usize) -> bool {
        true
    }

    fn write(&mut self, _op: usize, _activations: &mut Activations) {}

    fn needs_exact_sums(&self) -> bool {
        false
    }
}

/// Operations with a tap between them are not fused.
#[test]
fn what_is_done_at_once_trains_with_the_bits_of_what_is_done_one_by_one() {
    for own in [NativeCompute::exact(), NativeCompute::fast()] {
        for network in networks() {
            let [at_once, one_by_one] = [&mut NoTap::all() as &mut dyn Tap, &mut Watcher]
                .map(|tap| pass_bits(&train(&own, &network, 6, tap)));
            assert_eq!(at_once, one_by_one);
            assert!(at_once.iter().flatten().all(|bits| f32::from_bits(*bits).is_finite()));
        }
    }
}

#[test]
fn dropped_units_are_those_of_burn() {
    let mut structure =
        Structure::new(&mlp(Activation::Relu), Shape::new(1, 4, 4), 5, &Loss::CrossEntropy).unwrap();
    structure.ops.insert(3, Op::Dropout(0.4));
    let network = network(&mlp(Activation::Relu), Shape::new(1, 4, 4));
    let values = (0..network.len()).map(|index| Arc::new(network.values(index).to_vec())).collect();
    let network = network.with_structure(Arc::new(structure), values);
    let (own, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    assert_same(
        &network,
        &train(&own, &network, 8, &mut NoTap::all()),
        &train(&burn, &network, 8, &mut NoTap::all()),
    );
    let values = inputs(network.structure().input, 8);
    let dropout = || Some(stream(3, Purpose::Dropout, &[1]));
    let logits = own.training_forward(&network, &values, 8, dropout()).logits;
    assert_close(&logits, &burn.training_forward(&network, &values, 8, dropout()).logits, "logit");
}

#[test]
fn threads_change_no_bit() {
    let network = network(&vgg(true, Head::Linear, 16), Shape { channels: 3, height: 32, width: 32 });
    assert_same_bits(|| pass_bits(&train(&NativeCompute::exact(), &network, 8, &mut NoTap::all())));
}

#[test]
fn images_that_go_in_parts_have_the_bits_of_single_ones() {
    let (own, shape) = (NativeCompute::exact(), Shape { channels: 3, height: 32, width: 32 });
    let body = "Conv(channels: 16), Relu, Residual(body: [Conv(channels: 16), BatchNorm()]), Relu";
    let vgg = Net::Vgg(Vgg { depth: 13, width: 32, ..Vgg::default() });
    for network in [vgg, sequential(&format!("{body}, Flatten, Linear()"))].map(|net| network(&net, shape)) {
        let pool = network.structure().ops.iter().position(|op| *op == Op::MaxPool(Window::HALVES));
        let ops = 0..pool.map_or(network.structure().ops.len(), |pool| pool + 1);
        // Six images of the first network or four of the second go at a time, and one is left.
        let values = inputs(shape, 25);
        let whole = || own.forward(&network, ops.clone(), &Activations::from_samples(shape, values.clone()));
        assert_same_bits(|| bits(&whole().values));
        let whole = whole();
        for sample in [0, 5, 6, 23, 24] {
            let alone =
                Activations::from_samples(shape, values[sample * shape.len()..][..shape.len()].to_vec());
            let alone = own.forward(&network, ops.clone(), &alone);
            assert_eq!(bits(&alone.values), bits(whole.sample(sample)), "{sample}");
        }
    }
}

#[test]
fn special_values_come_out_as_with_burn() {
    let (own, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    let base = network(&vgg(true, Head::Linear, 4), Shape { channels: 3, height: 32, width: 32 });
    let values = inputs(base.structure().input, 3);
    for name in ["features.4.weight", "features.5.weight", "features.5.running_var", "classifier.weight"] {
        for special in [f32::INFINITY, f32::NAN, -1e38] {
            let mut network = base.clone();
            let index = network.structure().find(name).unwrap();
            let mut weights = network.values(index).to_vec();
            weights[1] = special;
            network.write(index, &weights);
            let (found, expected) = (own.logits(&network, &values, 3), burn.logits(&network, &values, 3));
            let kind = |x: &f32| (x.is_nan(), if x.is_infinite() { x.signum() } else { 0.0 });
            let kinds: [Vec<_>; 2] = [&found, &expected].map(|logits| logits.iter().map(kind).collect());
            assert_eq!(kinds[0], kinds[1], "{name} = {special}");
        }
    }
}
