use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::setup::{Identity, Setup};
use super::thread_map;
use super::trial::{TrialFaults, hash};
use crate::context::{Datasets, RunContext};
use doc::fault::Campaign;
use doc::structure::Role;
use doc::{Net, RunSpec};
use form::ron_text;
use net::{Activations, Network, backend};

const MLP: &str = "Mlp(hidden: [8, 6])";
const VGG: &str = "Vgg(depth: 11, width: 2)";
const BLOCKS: &str = "Sequential(layers: [Residual(body: [Conv(channels: 3, stride: 2), BatchNorm(), Relu, Residual(body: [\
    Conv(channels: 3)])], shortcut: Project()), Relu, Flatten, Linear()])";

/// More channels than a vector has, an addition behind them, and a projection that reads all of them in a body without layers.
const WIDE: &str = "Sequential(layers: [Conv(channels: 36, stride: 2), BatchNorm(), Relu, Residual(body: [Conv(channels: \
    36)]), Residual(body: [Relu], shortcut: Project()), MaxPool(), Flatten, Linear()])";

/// Channels that never open in front of convolutions, some with a ReLU behind them.
const DEAD: &str = "Sequential(layers: [Conv(channels: 20), BatchNorm(), Relu, Conv(channels: 33), BatchNorm(), Relu, \
    Residual(body: [Conv(channels: 33), BatchNorm(), Relu, Conv(channels: 33), BatchNorm()]), Relu, MaxPool(), \
    Conv(channels: 17), Relu, Flatten, Linear()])";

/// A place with 12 test images, and a network whose norms have statistics of their own.
fn context(net: &str) -> (RunContext, Network) {
    let text = "(data: Digits(limit_train: 40, limit_test: 12), train: (evaluation_batch: 5))";
    let spec: RunSpec = ron_text::from_str(text).unwrap();
    let net: Net = ron_text::from_str(net).unwrap();
    let spec = RunSpec { net, ..spec };
    let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
    let compute = backend(&spec.device, &spec.train.kernels).unwrap();
    let context =
        RunContext::new(spec, "arm".to_owned(), data, compute, PathBuf::new(), PathBuf::new()).unwrap();
    let mut network = context.fresh_network(0);
    for index in 0..network.len() {
        let values = network.values(index).iter().enumerate();
        let moved: Vec<f32> = values.map(|(at, value)| value * 1.25 + 0.01 * (at % 3) as f32).collect();
        network.write(index, &moved);
        if network.structure().parameters[index].role == Role::Shift {
            let closed: Vec<f32> = moved
                .iter()
                .enumerate()
                .map(|(at, shift)| if at % 3 == 0 { -50.0 } else { *shift })
                .collect();
            network.write(index, &closed);
        }
    }
    network.prune(0, &[1, 2]);
    (context, network)
}

fn with<T>(net: &str, campaign: &str, work: impl FnOnce(&Setup, &RunContext, &Network) -> T) -> T {
    let (context, network) = context(net);
    let stage: Campaign = ron_text::from_str(campaign).unwrap_or_else(|error| panic!("{campaign}: {error}"));
    let identity = Identity { name: "0".to_owned(), round: None, step: 3 };
    let setup = Setup::new(&context, &context.data, &stage, &network, identity, None).unwrap();
    work(&setup, &context, &network)
}

/// Logits of every batch, computed from the images on by a network in which the faults were written, each operation by
/// itself: nothing is fused or left out.
fn naive(setup: &Setup, context: &RunContext, faults: TrialFaults) -> String {
    let golden = &setup.baseline.golden.network;
    let size = context.data.test.shape.len();
    let faulty = |mut injection| {
        let mut network = golden.clone();
        for fault in setup.baseline.in_parameters(&mut injection).unwrap() {
            network.overlay(fault.site.parameter, fault.site.index, fault.value);
        }
        network
    };
    let (batch, networks): (usize, Vec<Network>) = match faults {
        TrialFaults::Shared(injection) => (5, vec![faulty(injection); 3]),
        TrialFaults::PerImage(images) => (1, images.into_iter().map(faulty).collect()),
        TrialFaults::Activations(_) => panic!("faults are in parameters"),
    };
    let values = context.data.test.values().unwrap();
    let chunks = values.chunks(batch * size).zip(&networks);
    let ops = golden.structure().ops.len();
    let logits = chunks.flat_map(|(inputs, network)| {
        let input = Activations::from_samples(context.data.test.shape, inputs.to_vec());
        (0..ops).fold(input, |input, op| context.compute.forward(network, op..op + 1, &input)).values
    });
    hash(&logits.collect::<Vec<f32>>())
}

/// Compares the results of trials with everything kept, with nothing kept, and without any of that.
fn assert_same(net: &str, fault: &str, protect: &str) {
    let campaign = |memory: u64| format!("(fault: ({fault}), protect: {protect}, memory: {memory})");
    let results = |memory: u64| {
        with(net, &campaign(memory), |setup, context, _| {
            let trial = |trial: u64| {
                let faults = setup.faults(0, trial).unwrap();
                let naive = match faults {
                    TrialFaults::Activations(_) => None,
                    TrialFaults::Shared(_) | TrialFaults::PerImage(_) if protect != "Nothing" => None,
                    TrialFaults::Shared(_) | TrialFaults::PerImage(_) => {
                        Some(naive(setup, context, faults.clone()))
                    }
                };
                let outcome = setup.baseline.trial(faults).unwrap();
                assert!(naive.is_none_or(|naive| naive == outcome.hash), "{net} {fault} trial {trial}");
                (outcome.hash, outcome.tally, format!("{:?}", outcome.injected))
            };
            (0..6).map(trial).collect::<Vec<_>>()
        })
    };
    assert_eq!(results(64), results(0), "{net} {fault} {protect}");
}

#[test]
fn a_trial_that_begins_at_its_fault_has_the_bits_of_the_whole_network() {
    let kinds = ["Weights", "Biases", "Everything", "Activations", "Preactivations"];
    for net in [MLP, VGG, BLOCKS] {
        for kind in kinds {
            assert_same(net, &format!("target: (params: {kind}), amount: Count(2)"), "Nothing");
        }
    }
    for kind in ["Weights", "Biases", "Norm"] {
        assert_same(
            WIDE,
            &format!("target: (params: {kind}), amount: Count(1), bits: Field(Exponent)"),
            "Nothing",
        );
    }
    for kind in ["Weights", "Biases", "Norm", "RunningStatistics", "Activations"] {
        for bits in ["", ", bits: Field(Exponent)", ", model: RandomBits"] {
            assert_same(DEAD, &format!("target: (params: {kind}), amount: Count(1){bits}"), "Nothing");
        }
    }
    for kind in ["Norm", "RunningStatistics"] {
        assert_same(VGG, &format!("target: (params: {kind}), bits: Field(Exponent)"), "Nothing");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formats_models_draws_and_protection_change_nothing_of_that(
        format in prop::sample::select(vec!["Float32", "Float16", "Bfloat16", "Int8"]),
        model in prop::sample::select(vec!["Flip", "StuckAt1", "DoubleFlip", "Noise(0.5)", "RandomBits"]),
        draw in prop::sample::select(vec!["Once", "EveryImage"]),
        amount in prop::sample::select(vec!["Count(1)", "Rate(0.001)"]),
        protect in prop::sample::select(vec!["Nothing", "Clip", "Both"]),
        net in prop::sample::select(vec![MLP, VGG, BLOCKS, WIDE, DEAD]),
        pruned in prop::sample::select(vec!["Dense", "Sparse"]),
    ) {
        let fault = format!("format: {format}, model: {model}, draw: {draw}, amount: {amount}, pruned: {pruned}");
        assert_same(net, &fault, protect);
    }
}

#[test]
fn what_is_listed_is_injected_again() {
    for fault in [
        "",
        "draw: EveryImage",
        "target: (params: Activations), format: Float16",
        "format: Int8, model: Sign",
    ] {
        with(MLP, &format!("(fault: ({fault}))"), |setup, _, _| {
            for trial in 0..4 {
                let drawn = setup.baseline.trial(setup.drawn(0, trial).unwrap()).unwrap();
                let listed =
                    drawn.injected.listed.iter().map(|(image, fault)| intervene::fault::log::PlacedFault {
                        line: 2,
                        image: *image,
                        site: fault.site,
                        before: Some(fault.before),
                        after: Some(fault.after),
                    });
                let again = setup.listed(&listed.collect::<Vec<_>>(), 0, trial).unwrap();
                assert_eq!(setup.baseline.trial(again).unwrap().hash, drawn.hash, "{fault}");
            }
        });
    }
}

#[test]
fn a_list_for_other_weights_is_refused_with_its_line() {
    with(MLP, "()", |setup, _, _| {
        let mut list = intervene::fault::log::PlacedFault {
            line: 7,
            image: None,
            site: intervene::fault::Site { parameter: 2, index: 0, bit: Some(30) },
            before: Some(1),
            after: None,
        };
        let injected = |list| {
            let TrialFaults::Shared(mut injection) = setup.listed(&[list], 0, 0).unwrap() else {
                panic!("all images")
            };
            setup.baseline.in_parameters(&mut injection)
        };
        let problem = injected(list).unwrap_err();
        assert!(problem.contains("line 7"), "{problem}");
        list.before = None;
        let faults = injected(list).unwrap();
        assert_eq!(faults[0].after ^ faults[0].before, 1 << 30);
    });
}

#[test]
fn a_network_that_predicts_nan_is_refused() {
    let (context, mut network) = context(MLP);
    let values = vec![f32::NAN; network.values(1).len()];
    network.write(1, &values);
    let stage = Campaign::default();
    let identity = Identity { name: "0".to_owned(), round: None, step: 0 };
    let setup = Setup::new(&context, &context.data, &stage, &network, identity, None);
    let message = setup.err().expect("it is refused");
    assert!(message.contains("already predicts NaN or infinity for 12 of 12 images"), "{message}");
}

#[test]
fn golden_is_the_network_in_the_format_and_its_pruned_entries_have_sites_only_in_memory() {
    with(
        MLP,
        "(fault: (format: Int8, target: (layers: Only([\"fc1\"])), pruned: Sparse))",
        |setup, _, network| {
            let weights = network.values(0).len() as u64;
            assert_eq!(setup.cells[0].plan.possible, 8 * (weights - 2));
            assert_ne!(setup.baseline.golden.network.values(0), network.values(0));
            assert_eq!(setup.baseline.golden.network.values(1), network.values(1), "biases stay float32");
        },
    );
}

#[test]
fn faults_after_additions_count_for_their_block() {
    let net = "Sequential(layers: [Conv(channels: 2), Residual(body: [Conv(channels: 2), Relu]), Relu, Flatten, Linear()])";
    with(net, "(fault: (target: (params: Activations)))", |setup, _, _| {
        assert_eq!(setup.layers, ["0", "1.0", "1", "4"]);
        let sum = setup.places.values().find(|place| place.source == "1").unwrap();
        assert_eq!(setup.layer_of(sum.number), 2);
    });
    with(net, "(fault: (target: (params: WeightsAndBiases)))", |setup, _, _| {
        assert_eq!(setup.layers, ["0", "1.0", "4"]);
        // 2·9 weights and 2 biases, 2·2·9 and 2, then 128·10 and 10.
        assert_eq!(setup.layer_entries(), [20, 38, 1290]);
    });
}

#[test]
fn a_long_cell_leaves_few_lines_in_the_log() {
    let (mut logged, mut lines) = (0, 0);
    for trials in (64..=1_000_000).step_by(64) {
        if super::is_news(trials, logged) {
            (logged, lines) = (trials, lines + 1);
        }
    }
    assert_eq!(lines, 14, "64 trials, 128 and so on");
}

#[test]
fn results_come_in_order_whatever_the_threads_do() {
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| thread_map(5, |number| number * number)), [0, 1, 4, 9, 16]);
    }
    assert_eq!(thread_map(0, |number| number), Vec::<usize>::new());
}
