use super::*;
use crate::doc::{Loss, Mlp, Net, Vgg};
use crate::intervene::stream::{Purpose, stream};
use crate::intervene::{BiasInit, Init};
use crate::net::Initialisation;

const COUNT: usize = 5;

/// A perceptron on 6×6 images, a small VGG and a network with blocks, each with samples.
fn networks() -> [(Network, Vec<f32>); 3] {
    let blocks = "Sequential(layers: [Conv(channels: 4), Residual(body: [Conv(channels: 6, stride: 2), BatchNorm(), Relu, \
        Residual(body: [Conv(channels: 6)])], shortcut: Project()), Residual(body: [Conv(channels: 8, stride: 2)], shortcut: \
        PadSubsample), Relu, Flatten, Linear()])";
    let nets = [
        (crate::form::ron_text::from_str(blocks).unwrap(), 9),
        (Net::Mlp(Mlp { hidden: vec![7, 5], ..Mlp::default() }), 6),
        (Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() }), 32),
    ];
    nets.map(|(net, side)| {
        let input = Shape { channels: 1, height: side, width: side };
        let structure = Structure::new(&net, input, 10, &Loss::CrossEntropy).unwrap();
        let initialisation = Initialisation { weights: Init::default(), biases: BiasInit::default() };
        let mut rng = stream(3, Purpose::Init, &[9]);
        let inputs = (0..COUNT * input.len()).map(|_| uniform(&mut rng)).collect();
        (Network::new(structure.into(), initialisation, 1, 0), inputs)
    })
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn operations_that_are_cut_anywhere_give_the_bits_of_all_at_once() {
    for device in [doc::Device::Flex, doc::Device::Ndarray] {
        let compute = BurnCompute::new(&device);
        for (network, inputs) in networks() {
            let structure = network.structure().clone();
            let input = Activations::of_samples(structure.input, inputs);
            let whole = compute.logits(&network, &input.values, COUNT);
            let end = structure.ops.len();
            let mut step_by_step = input.clone();
            for op in 0..end {
                let rest = compute.forward(&network, op..end, &step_by_step);
                assert_eq!(bits(&rest.values), bits(&whole), "cut before operation {op}");
                assert_eq!(step_by_step.shape, structure.shapes()[op]);
                step_by_step = compute.forward(&network, op..op + 1, &step_by_step);
            }
            assert_eq!(bits(&step_by_step.values), bits(&whole));
            assert_eq!(compute.forward(&network, 2..2, &input), input);
        }
    }
}

#[test]
fn an_image_does_not_depend_on_the_others_of_its_batch() {
    let compute = BurnCompute::new(&doc::Device::Flex);
    for (network, inputs) in networks() {
        let size = inputs.len() / COUNT;
        let outputs = network.structure().outputs;
        let whole = compute.logits(&network, &inputs, COUNT);
        let mut others: Vec<f32> = inputs.iter().map(|value| 1.0 - value).collect();
        others[size..2 * size].copy_from_slice(&inputs[size..2 * size]);
        let among = compute.logits(&network, &others, COUNT);
        assert_eq!(bits(&among[outputs..2 * outputs]), bits(&whole[outputs..2 * outputs]));
        // A deep network that is not trained yet has hardly any signal left in its logits.
        let first = |inputs: &[f32]| {
            let input = Activations::of_samples(network.structure().input, inputs.to_vec());
            compute.forward(&network, 0..2, &input).values[..4].to_vec()
        };
        assert_ne!(bits(&first(&others)), bits(&first(&inputs)));
    }
}

/// Writes a constant after one operation.
struct Constant {
    op: usize,
    value: f32,
}

impl Tap for Constant {
    fn wants(&self, op: usize) -> bool {
        op == self.op
    }

    fn write(&mut self, _op: usize, activations: &mut Activations) {
        activations.values.fill(self.value);
    }
}

#[test]
fn no_gradient_goes_back_through_what_was_written() {
    let compute = BurnCompute::new(&doc::Device::Flex);
    // Through a shortcut, something goes back.
    for (network, inputs) in networks().into_iter().filter(|(net, _)| net.structure().blocks.is_empty()) {
        let structure = network.structure().clone();
        let op = structure.ops.iter().position(|op| matches!(op, Op::Activation(_))).unwrap();
        let mut gradient = |logits: &[f32]| logits.iter().map(|logit| 0.5 - logit).collect();
        let pass = compute.train_tapped(
            &network,
            &inputs,
            COUNT,
            None,
            &mut Constant { op, value: 0.25 },
            &mut gradient,
        );
        let is_zero = |index: usize| pass.gradients[index].iter().flatten().all(|gradient| *gradient == 0.0);
        assert!(is_zero(0) && is_zero(1), "the first layer is before it");
        assert!(!is_zero(network.len() - 2), "the last layer is after it");
        let mut seen = Vec::new();
        let mut gradient = |logits: &[f32]| {
            seen = logits.to_vec();
            vec![0.0; logits.len()]
        };
        let nothing = &mut Constant { op: usize::MAX, value: 0.0 };
        compute.train_tapped(&network, &inputs, COUNT, None, nothing, &mut gradient);
        assert_eq!(bits(&seen), bits(&compute.training_logits(&network, &inputs, COUNT, None)));
    }
}
