use super::*;
use crate::{Initialisation, NativeCompute};
use data::Shape;
use doc::structure::{Op, Structure};
use doc::{Loss, Mlp, Net, Vgg};
use intervene::draw::uniform;
use intervene::stream::{Purpose, stream};
use intervene::{BiasInit, Init};

const COUNT: usize = 5;

/// A perceptron on 6×6 images, a small VGG and a network with blocks, each with samples.
fn networks() -> [(Network, Vec<f32>); 3] {
    let blocks = "Sequential(layers: [Conv(channels: 4), Residual(body: [Conv(channels: 6, stride: 2), BatchNorm(), Relu, \
        Residual(body: [Conv(channels: 6)])], shortcut: Project()), Residual(body: [Conv(channels: 8, stride: 2)], shortcut: \
        PadSubsample), Relu, Flatten, Linear()])";
    let nets = [
        (form::ron_text::from_str(blocks).unwrap(), 9),
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

/// The devices that this build and this machine have. A build for a GPU says when there is none.
fn devices() -> Vec<BurnCompute> {
    let built = doc::Device::all().into_iter().filter(doc::Device::is_built);
    let open = |device: doc::Device| match BurnCompute::open(&device) {
        Ok(compute) => Some(compute),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    };
    built.filter_map(open).collect()
}

impl BurnCompute {
    /// The same device with nothing on it.
    fn again(&self) -> Self {
        let (device, hardware) = (self.device.clone(), self.hardware.clone());
        Self { device, hardware, uploads: Uploads::default(), is_linear_convolved: self.is_linear_convolved }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn operations_that_are_cut_anywhere_give_the_bits_of_all_at_once() {
    for compute in devices() {
        for (network, inputs) in networks() {
            let structure = network.structure().clone();
            let input = Activations::from_samples(structure.input, inputs);
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
    let compute = BurnCompute::new(&doc::Device::Cpu);
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
            let input = Activations::from_samples(network.structure().input, inputs.to_vec());
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
    let compute = BurnCompute::new(&doc::Device::Cpu);
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
        assert_eq!(bits(&seen), bits(&compute.training_forward(&network, &inputs, COUNT, None).logits));
    }
}

/// Without batch norms that divide by tiny deviations, float32 is right to about 1e-4 of a typical value. Gradients that are
/// 0 in exact arithmetic, such as those of a bias in front of a batch norm, are noise.
fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    let size = expected.iter().map(|value| value.abs()).fold(0.1, f32::max);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 2e-3 * size, "{what}: {found} instead of {expected}");
    }
}

#[test]
fn every_device_computes_what_the_own_kernels_do() {
    let own = NativeCompute::exact();
    for compute in devices() {
        for is_linear_convolved in [false, true] {
            let compute = BurnCompute { is_linear_convolved, ..compute.again() };
            for (network, inputs) in networks() {
                let what = format!("{:?} {is_linear_convolved}", compute.hardware());
                let mut gradient = |logits: &[f32]| logits.iter().map(|logit| 0.5 - logit).collect();
                let found = compute.train(&network, &inputs, COUNT, None, &mut gradient);
                let expected = own.train(&network, &inputs, COUNT, None, &mut gradient);
                for (found, expected) in found.gradients.iter().zip(&expected.gradients) {
                    assert_eq!(found.is_some(), expected.is_some());
                    assert_close(found.as_deref().unwrap_or(&[]), expected.as_deref().unwrap_or(&[]), &what);
                }
                assert_eq!(found.statistics.len(), expected.statistics.len());
                for (found, expected) in found.statistics.iter().zip(&expected.statistics) {
                    assert_eq!((found.layer, found.count), (expected.layer, expected.count));
                    assert_close(&found.mean, &expected.mean, &what);
                    assert_close(&found.variance, &expected.variance, &what);
                }
                let [found, expected] =
                    [&compute as &dyn Compute, &own].map(|compute| compute.logits(&network, &inputs, COUNT));
                assert_close(&found, &expected, &what);
            }
        }
    }
}

#[test]
fn a_pass_sees_what_was_written_into_a_network_since_the_last_one() {
    for compute in devices() {
        for (network, inputs) in networks() {
            let mut written = network.clone();
            let before = compute.logits(&written, &inputs, COUNT);
            let last = written.len() - 1;
            let values: Vec<f32> = written.values(last).iter().map(|value| value + 1.0).collect();
            written.write(last, &values);
            let after = compute.logits(&written, &inputs, COUNT);
            let moved: Vec<f32> = before.iter().map(|logit| logit + 1.0).collect();
            assert_close(&after, &moved, "a bias that is larger by 1");
            // In place: the array is not shared now.
            drop(network);
            written.write(last, &values.iter().map(|value| value + 1.0).collect::<Vec<f32>>());
            let moved: Vec<f32> = before.iter().map(|logit| logit + 2.0).collect();
            assert_close(&compute.logits(&written, &inputs, COUNT), &moved, "a bias that is larger by 2");
        }
    }
}

#[test]
fn the_transfers_of_a_step_are_those_of_its_pass() {
    let copies = |network: &Network| -> Vec<usize> {
        network.arrays().0.iter().map(std::sync::Arc::weak_count).collect()
    };
    for compute in devices().iter().map(BurnCompute::again) {
        for (mut network, inputs) in networks() {
            network.fix_norms([1]); // its statistics do not come back
            let [last, all] = [network.len() - 1, network.len()];
            compute.move_evaluation(&network, &inputs, COUNT);
            assert_eq!(copies(&network), vec![1; all], "everything is on the device");
            network.write(last, &vec![0.75; network.values(last).len()]);
            assert_eq!(copies(&network)[last], 0, "what was written is not");
            let moved = compute.move_step(&network, &inputs, COUNT);
            assert_eq!(copies(&network), vec![1; all]);
            for (index, moved) in moved.iter().enumerate() {
                assert!(moved.iter().all(|moved| bits(moved) == bits(network.values(index))), "{index}");
            }
            let pass = compute.train(&network, &inputs, COUNT, None, &mut <[f32]>::to_vec);
            let statistics = pass.statistics.iter().flat_map(|norm| [&norm.mean, &norm.variance]);
            let mut found: Vec<usize> =
                pass.gradients.iter().flatten().chain(statistics).map(Vec::len).collect();
            let mut sizes: Vec<usize> = moved.iter().flatten().map(Vec::len).collect();
            found.sort_unstable();
            sizes.sort_unstable();
            assert_eq!(sizes, found, "as many values come back");
        }
    }
}

#[test]
fn threads_share_a_device_and_find_the_same_bits() {
    for compute in devices() {
        for (network, inputs) in networks() {
            let alone = bits(&compute.logits(&network, &inputs, COUNT));
            let side_by_side: Vec<Vec<u32>> = std::thread::scope(|scope| {
                let work = |_| {
                    let thread = std::thread::Builder::new().name("pass".to_owned());
                    let pass = || {
                        let fresh = compute.again();
                        [&fresh, &compute].map(|compute| bits(&compute.logits(&network, &inputs, COUNT)))
                    };
                    thread.spawn_scoped(scope, pass).unwrap()
                };
                let threads: Vec<_> = (0..3).map(work).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
            });
            assert!(side_by_side.iter().all(|found| *found == alone), "{:?}", compute.hardware());
        }
    }
}

/// Signs, infinities, subnormals, and NaNs quiet and signalling with a payload.
const PATTERNS: [u32; 12] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001, // the smallest subnormal
    0x807f_ffff, // the largest negative subnormal
    0x7f7f_ffff, // the largest finite number
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000, // the quiet NaN
    0xffc0_1234,
    0x7fa0_0000, // a signalling NaN with a payload
    0xff80_0001,
    0xbf80_0001,
];

#[test]
fn every_bit_pattern_survives_a_write_and_a_read() {
    for compute in devices() {
        let values: Vec<f32> = PATTERNS.into_iter().map(f32::from_bits).collect();
        let found: Vec<f32> = compute.tensor(&values).into_data().try_into_vec().unwrap();
        assert_eq!(found.into_iter().map(f32::to_bits).collect::<Vec<_>>(), PATTERNS);
    }
}

#[allow(deprecated)] // the reference device
fn upload(values: &[f32]) -> Tensor<1> {
    Tensor::from_floats(values, &Device::ndarray())
}

fn values_of(tensor: &Tensor<1>) -> Vec<f32> {
    tensor.clone().into_data().try_into_vec().unwrap()
}

#[test]
fn an_array_travels_once_and_again_after_it_was_written_in_place() {
    let uploads = Uploads::default();
    let mut array = Arc::new(vec![1.0, 2.0]);
    let never = |_: &[f32]| -> Tensor<1> { panic!("it is there") };
    assert_eq!(values_of(&uploads.get(3, &array, upload)), [1.0, 2.0]);
    assert_eq!(values_of(&uploads.get(3, &array.clone(), never)), [1.0, 2.0]);
    let buffer = array.as_ptr();
    Arc::make_mut(&mut array)[0] = 5.0;
    assert_eq!(
        array.as_ptr(),
        buffer,
        "the values stay where they are, only the allocation of the array moves"
    );
    assert_eq!(values_of(&uploads.get(3, &array, upload)), [5.0, 2.0]);
    assert_eq!(values_of(&uploads.get(3, &array, never)), [5.0, 2.0]);
    // The same array as another parameter is another copy.
    assert_eq!(values_of(&uploads.get(0, &array, upload)), [5.0, 2.0]);
}

#[test]
fn the_versions_that_were_used_last_stay_and_what_is_gone_goes_first() {
    let uploads = Uploads::default();
    let arrays: Vec<Arc<Vec<f32>>> = (0..=KEPT).map(|at| Arc::new(vec![at as f32])).collect();
    for array in &arrays[..KEPT] {
        uploads.get(0, array, upload);
    }
    let is_there = |array: &Arc<Vec<f32>>| {
        let mut is_there = true;
        uploads.get(0, array, |values| {
            is_there = false;
            upload(values)
        });
        is_there
    };
    assert!(is_there(&arrays[0]), "and so it was used last");
    drop(uploads.get(0, &arrays[KEPT], upload));
    assert!(is_there(&arrays[0]) && !is_there(&arrays[1]));
    let count = || uploads.with(0, |known| known.len());
    assert_eq!(count(), KEPT);
    drop(arrays);
    uploads.get(0, &Arc::new(vec![9.0]), upload);
    assert_eq!(count(), 1);
}
