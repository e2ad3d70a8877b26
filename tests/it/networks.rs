//! Every architecture against PyTorch: `tests/oracle/networks.py` has each network a second time, in torch's modules, and
//! wrote what it computes into `networks.json`. Both sides fill the parameters by one formula.

use std::sync::Arc;

use data::Shape;
use doc::structure::Role;
use doc::{Device, Loss, Net, Output, Structure};
use intervene::{BiasInit, Init};
use net::{BurnCompute, Compute, Initialisation, LossFunction, NativeCompute, Network, OptimizerState};
use optimize::{Optimizer, Sgd};
use serde::Deserialize;

const RESULTS: &str = include_str!("../oracle/networks.json");
const CLASSES: usize = 7;
/// Images of a mini-batch.
const BATCH: usize = 4;
const STEPS: usize = 2;
/// Values of a summary that are entries; the others are projections.
const ENTRIES: usize = 4;
const PROJECTIONS: usize = 8;
/// An error that does not matter, relative to the size of a parameter; a step moves most by a hundredth of it.
const FLOOR: f64 = 1e-6;

/// What PyTorch computed with a network.
#[derive(Deserialize)]
struct Case {
    net: String,
    shape: (usize, usize, usize),
    /// In evaluation mode, in float64.
    logits: Vec<Vec<f64>>,
    /// After two steps of training, by name; empty where it was not trained.
    parameters: std::collections::BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
struct Expected {
    /// Root mean square of PyTorch's float32 against its float64, over all entries.
    error: f64,
    /// Some entries and some projections in float64.
    values: Vec<f64>,
}

impl Case {
    fn network(&self) -> Network {
        let net: Net = form::ron_text::from_str(&self.net).unwrap();
        let (channels, height, width) = self.shape;
        let input = Shape { channels, height, width };
        filled(Structure::new(&net, input, CLASSES, &Loss::CrossEntropy).unwrap())
    }

    fn is_trained(&self) -> bool {
        !self.parameters.is_empty()
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_str(RESULTS).unwrap()
}

/// `SplitMix64` from the FNV-1a hash of a name.
fn stream(name: &str) -> impl Iterator<Item = u64> + use<> {
    let hash = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// In [-1, 1).
fn uniform(name: &str) -> impl Iterator<Item = f64> + use<> {
    stream(name).map(|number| (number >> 11) as f64 * 2.0f64.powi(-52) - 1.0)
}

fn filled(structure: Structure) -> Network {
    let initialisation = Initialisation { weights: Init::PyTorch, biases: BiasInit::Zeros };
    let mut network = Network::new(Arc::new(structure), initialisation, 1, 0);
    for index in 0..network.len() {
        let parameter = network.structure().parameters[index].clone();
        let spread = (6.0 / parameter.row() as f64).sqrt();
        let value = |x: f64| match parameter.role {
            Role::Weight => spread * x,
            Role::Bias | Role::Shift => 0.1 * x,
            Role::Scale => 1.0 + 0.2 * x,
            Role::RunningMean => 0.3 * x,
            Role::RunningVariance => 1.0 + 0.5 * x,
        };
        let values = uniform(&parameter.name).take(parameter.len());
        network.write(index, &values.map(|x| value(x) as f32).collect::<Vec<f32>>());
    }
    network
}

fn inputs(shape: Shape, count: usize) -> Vec<f32> {
    uniform("inputs").take(count * shape.len()).map(|x| x as f32).collect()
}

/// The recipe for an architecture asks for an entry there.
#[test]
fn every_architecture_is_compared() {
    let cases = cases();
    let kind = |text: &str| text.split('(').next().unwrap().to_owned();
    let compared: Vec<String> = cases.iter().map(|case| kind(&case.net)).collect();
    let differentiated = SMALL.map(|(text, _)| kind(text));
    for net in Net::all() {
        let is_in = |kinds: &[String]| kinds.iter().any(|kind| kind == net.key());
        assert!(is_in(&compared), "{} is not in tests/oracle/networks.py", net.key());
        assert!(is_in(&differentiated), "{} is not in SMALL", net.key());
    }
}

#[test]
fn logits_are_those_of_pytorch() {
    let (exact, burn) = (NativeCompute::exact(), BurnCompute::new(&Device::Cpu));
    for case in cases() {
        let network = case.network();
        let values = inputs(network.structure().input, case.logits.len());
        let expected: Vec<f64> = case.logits.concat();
        let size = expected.iter().fold(0.0f64, |size, logit| size.max(logit.abs()));
        let mut computes: Vec<(_, &dyn Compute)> = vec![("native", &exact)];
        if case.is_trained() {
            computes.push(("Burn", &burn)); // not optimised in tests; the others are larger networks of the same layers
        }
        for (name, compute) in computes {
            let found = compute.logits(&network, &values, case.logits.len());
            assert_eq!(found.len(), expected.len());
            let off =
                found.iter().zip(&expected).map(|(found, expected)| (f64::from(*found) - expected).abs());
            let off = off.fold(0.0, f64::max) / size;
            assert!(off < 1e-5, "{}, {name}: off by {off:e}", case.net);
        }
    }
}

/// Two steps with momentum and weight decay, and the running statistics.
fn trained(compute: &dyn Compute, mut network: Network) -> Network {
    let structure = network.structure().clone();
    let values = inputs(structure.input, STEPS * BATCH);
    let loss = LossFunction::new(Loss::CrossEntropy, Output::Linear, CLASSES);
    let rule = Optimizer::Sgd(Sgd { momentum: 0.9, weight_decay: 5e-4, ..Sgd::default() });
    let mut optimizer = OptimizerState::default();
    for (step, values) in values.chunks(BATCH * structure.input.len()).enumerate() {
        let labels: Vec<u32> =
            (0..BATCH).map(|image| ((step * BATCH + image) * 7 % CLASSES) as u32).collect();
        let pass = compute
            .train(&network, values, BATCH, None, &mut |logits| loss.evaluate(logits, &labels).gradient);
        network.follow(&pass.statistics);
        optimizer.step(&rule, 0.05, &mut network, &pass.gradients);
    }
    network
}

/// Some entries of a parameter, and projections of all on random signs.
fn summary(name: &str, values: &[f32]) -> Vec<f64> {
    let places = stream(&format!("{name} places")).take(ENTRIES);
    let mut found: Vec<f64> =
        places.map(|place| f64::from(values[(place % values.len() as u64) as usize])).collect();
    let mut sums = [0.0; PROJECTIONS];
    for (signs, value) in stream(&format!("{name} signs")).zip(values) {
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if signs >> bit & 1 == 1 { -f64::from(*value) } else { f64::from(*value) };
        }
    }
    found.extend(sums.map(|sum| sum / (values.len() as f64).sqrt()));
    found
}

fn root_mean_square(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(|value| value * value).sum::<f64>() / count).sqrt()
}

/// Not further off than PyTorch's own float32, times two. The errors of twelve values stand for those of all: a projection
/// on random signs is as large as the entries are on average.
fn assert_trains_as_pytorch(compute: &dyn Compute) {
    for case in cases().iter().filter(|case| case.is_trained()) {
        let network = trained(compute, case.network());
        let parameters = &network.structure().parameters;
        assert_eq!(parameters.len(), case.parameters.len(), "{}", case.net);
        for (index, name) in parameters.iter().map(|parameter| &parameter.name).enumerate() {
            let (values, expected) = (network.values(index), &case.parameters[name]);
            let found = summary(name, values);
            let pairs = found.iter().zip(&expected.values);
            let off = root_mean_square(pairs.map(|(found, expected)| found - expected));
            let size = root_mean_square(values.iter().map(|value| f64::from(*value)));
            let most = 2.0 * expected.error + FLOOR * size;
            assert!(off <= most, "{}, {name}: off by {off:e}, {most:e} at most", case.net);
        }
    }
}

#[test]
fn two_steps_with_direct_sums_are_those_of_pytorch() {
    assert_trains_as_pytorch(&NativeCompute::exact());
}

#[test]
fn two_steps_with_winograd_are_those_of_pytorch() {
    assert_trains_as_pytorch(&NativeCompute::fast());
}

#[test]
fn two_steps_with_burn_are_those_of_pytorch() {
    assert_trains_as_pytorch(&BurnCompute::new(&Device::Cpu));
}

/// Small instances of every kind of network, with the shape of their images.
const SMALL: [(&str, (usize, usize, usize)); 7] = [
    ("Mlp(hidden: [3], activation: Tanh, output: Sigmoid)", (1, 2, 2)),
    ("Vgg(depth: 11, width: 1)", (1, 32, 32)),
    ("LeNet5()", (1, 12, 12)),
    ("ConvNet(depth: 2)", (3, 4, 6)),
    ("ResNet(depth: 20)", (3, 8, 6)),
    (OPTION_B, (3, 14, 18)),
    (EVERYTHING, (3, 33, 29)),
];

/// A block of the kind that ResNet-50 has.
const OPTION_B: &str =
    "Sequential(layers: [Conv(channels: 4, kernel: 7, stride: 2, bias: false), BatchNorm(), Relu,
    MaxPool(window: 3, stride: 2, padding: 1), Residual(body: [
        Conv(channels: 3, kernel: 1, bias: false), BatchNorm(), Relu,
        Conv(channels: 3, stride: 2, bias: false), BatchNorm(), Relu,
        Conv(channels: 12, kernel: 1, bias: false), BatchNorm(),
    ], shortcut: Project()), Relu, GlobalAveragePool, Flatten, Linear()])";

const EVERYTHING: &str = "Sequential(layers: [Conv(channels: 4, kernel: 5, stride: 3, bias: false), Softsign,
    AveragePool(window: 3, stride: 2, padding: 1), Residual(body: [Conv(channels: 4), Tanh, BatchNorm()]), Sigmoid,
    Residual(body: [Conv(channels: 7, kernel: 1, stride: 2)], shortcut: PadSubsample), AdaptiveAveragePool(side: 2),
    Flatten, Linear(units: 6), BatchNorm(), Tanh, Linear()])";

/// Steps of differences, the longest first. A kink within a long step spoils one, rounding spoils a short one, and a wrong
/// gradient is wrong for all.
const LENGTHS: [f32; 3] = [1.0 / 256.0, 1.0 / 2048.0, 1.0 / 8192.0];

#[test]
fn gradients_are_those_of_central_differences() {
    const IMAGES: usize = 3;
    let compute = NativeCompute::exact();
    let labels = [1, 0, 5];
    for (text, (channels, height, width)) in SMALL {
        let net: Net = form::ron_text::from_str(text).unwrap();
        let structure =
            Structure::new(&net, Shape { channels, height, width }, CLASSES, &Loss::CrossEntropy).unwrap();
        let loss = LossFunction::new(Loss::CrossEntropy, structure.output.clone(), CLASSES);
        let network = filled(structure);
        let values = inputs(network.structure().input, IMAGES);
        let pass = compute
            .train(&network, &values, IMAGES, None, &mut |logits| loss.evaluate(logits, &labels).gradient);
        let trained = (0..network.len()).filter(|&index| pass.gradients[index].is_some());
        let trained: Vec<usize> = trained.collect();
        // Every parameter of small networks, and as many of larger ones.
        for &index in trained.iter().step_by(trained.len().div_ceil(16)) {
            let gradient = pass.gradients[index].as_ref().unwrap();
            let size = |entry: &usize| gradient[*entry].abs();
            let largest = (0..gradient.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
            for entry in [largest, gradient.len() / 2] {
                let loss = |shift: f32| {
                    let mut moved = network.clone();
                    let mut entries = moved.values(index).to_vec();
                    entries[entry] += shift;
                    moved.write(index, &entries);
                    loss.evaluate(&compute.training_forward(&moved, &values, IMAGES, None).logits, &labels)
                        .mean
                };
                let difference = |step: f32| (loss(step) - loss(-step)) / f64::from(2.0 * step);
                let most = 0.02 * f64::from(gradient[largest].abs()) + 1e-3;
                let found = f64::from(gradient[entry]);
                let fits = LENGTHS.iter().any(|step| (found - difference(*step)).abs() < most);
                let name = &network.structure().parameters[index].name;
                assert!(fits, "{text}, {name}: {found} and {:?}", LENGTHS.map(difference));
            }
        }
    }
}
