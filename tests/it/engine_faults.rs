//! Faults that are in place, computed a second time from their log.

use std::ops::Range;

use data::shuffled;
use doc::RunSpec;
use intervene::stream::{Purpose, stream};
use net::{Activations, Network};
use run::testing::Recorder;
use run::{RunContext, Session, StopFlag};

use crate::support::{
    Ended, assert_resumes, complaints, context, reports, residual, run, same_bits, spec, values, with_plan,
};

/// A line of `faults.csv`.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    campaign: String,
    trial: u64,
    image: Option<usize>,
    parameter: String,
    index: usize,
    bit: Option<u32>,
    before: f32,
    after: f32,
}

fn lines(log: &str) -> Vec<Line> {
    let bits = |text: &str| f32::from_bits(u32::from_str_radix(text, 16).unwrap());
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), 9, "{line}");
        Line {
            campaign: cells[0].to_owned(),
            trial: cells[2].parse().unwrap(),
            image: cells[3].parse().ok(),
            parameter: cells[4].to_owned(),
            index: cells[5].parse().unwrap(),
            bit: cells[6].parse().ok(),
            before: bits(cells[7]),
            after: bits(cells[8]),
        }
    };
    log.lines().map(line).collect()
}

/// The network with the faults of these lines, which are all in parameters.
fn faulty<'a>(network: &Network, lines: impl IntoIterator<Item = &'a Line>) -> Network {
    let mut view = network.clone();
    for line in lines {
        let index = network.structure().find(&line.parameter).expect("the log names parameters");
        assert_eq!(view.values(index)[line.index].to_bits(), line.before.to_bits());
        view.overlay(index, line.index, line.after);
    }
    view
}

/// Loss on the test part, sample by sample or as one batch.
fn loss(context: &RunContext, logits: &[f32]) -> f64 {
    context.loss.evaluate(logits, &context.data.test.labels).mean
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(1.0)
}

fn test_losses(ended: &Ended) -> Vec<f64> {
    values(&ended.events, "test_loss")
}

const TRAINED: &str = "Train(steps: \"6it\", evaluate: \"100ep\")";

#[test]
fn what_is_drawn_once_holds_until_it_is_released() {
    let plan = format!(
        "{TRAINED}, Test, Do(Fault(bits: Field(Exponent), amount: Count(3))), Test, Test,
         Do(Release(what: [Faults])), Test"
    );
    let ended = run(with_plan(&plan));
    let [_, golden, first, second, last] = test_losses(&ended)[..] else { panic!("five evaluations") };
    assert_eq!((golden, first), (last, second));
    assert_ne!(golden, first);
    let log = lines(&ended.faults);
    assert_eq!(log.len(), 3);
    let context = context(with_plan(&plan));
    let (view, values) = (faulty(&ended.state.network, &log), context.data.test.values().unwrap());
    assert!(close(loss(&context, &context.compute.logits(&view, &values, 40)), first));
    assert!(same_bits(&ended.state.network, &run(with_plan(TRAINED)).state.network));
    let said = reports(&ended.events, "fault");
    assert!(said[0].summary.contains("3 faults hold until they are released"), "{}", said[0].summary);
    assert_eq!((said[1].passed, said[2].passed), (Some(true), Some(true)));
}

const EACH_IMAGE: &str = "Do(Fault(bits: Field(Mantissa), amount: Rate(0.01), draw: EveryImage))";

#[test]
fn every_image_sees_a_network_of_its_own_and_every_test_other_ones() {
    let plan = format!("{TRAINED}, Test, {EACH_IMAGE}, Test, Test, Do(Release(what: [Faults])), Test");
    let ended = run(with_plan(&plan));
    let [_, golden, first, second, last] = test_losses(&ended)[..] else { panic!("five evaluations") };
    assert_eq!(golden, last, "to the last image");
    let log = lines(&ended.faults);
    let context = context(with_plan(&plan));
    let mut tests = Vec::new();
    for (trial, expected) in [first, second].into_iter().enumerate() {
        let lines: Vec<&Line> = log.iter().filter(|line| line.trial == trial as u64).collect();
        let logits = (0..40).flat_map(|image| {
            let of_image = lines.iter().copied().filter(|line| line.image == Some(image));
            let view = faulty(&ended.state.network, of_image);
            context.compute.logits(&view, &context.data.test.sample(image).unwrap(), 1)
        });
        assert!(close(loss(&context, &logits.collect::<Vec<f32>>()), expected), "test {trial}");
        tests.push(lines.iter().map(|line| (line.image, line.index, line.bit)).collect::<Vec<_>>());
    }
    assert_ne!(tests[0], tests[1]);
    assert_ne!(first, second);
    let again = run(with_plan(&plan));
    assert_eq!((&again.faults, test_losses(&again)), (&ended.faults, test_losses(&ended)));
}

/// More than 10,000 faults of a draw are one line, with their number and the counters of their stream.
#[test]
fn a_draw_too_long_to_list_is_a_line_with_its_stream() {
    let fault = |draw: &str| format!("Do(Fault(amount: Count(10001), draw: {draw}))");
    let log = |draw: &str| run(with_plan(&format!("Test, {}, Test", fault(draw)))).faults;
    assert_eq!(log("Once"), "1,,0,,stream 1,10001,,,\n");
    assert_eq!(log("EveryForward"), "1,,0,,stream 1 0 0,10001,,,\n");
    let images = log("EveryImage");
    let line = |image: usize| format!("1,,0,{image},stream 1 0 {image},10001,,,\n");
    assert_eq!(images, (0..40).map(line).collect::<String>());
}

/// Draws for an image do not depend on how many images are evaluated at once, and those for a batch do.
#[test]
fn batches_matter_to_faults_of_batches_alone() {
    let log = |draw: &str, batch: usize| {
        let text = format!(
            "(data: Digits(limit_train: 192, limit_test: 40), net: Mlp(hidden: [8]), train: (evaluation_batch: {batch}),
              arms: [(plan: [Do(Fault(amount: Count(2), draw: {draw})), Test, Test])])"
        );
        run(spec(&text)).faults
    };
    assert_eq!(log("EveryImage", 40), log("EveryImage", 7));
    assert_eq!(lines(&log("EveryForward", 40)).len(), 4);
    let trials: Vec<u64> = lines(&log("EveryForward", 25)).iter().map(|line| line.trial).collect();
    assert_eq!(trials, [0, 0, 1, 1, 2, 2, 3, 3], "two batches in each of two tests");
}

/// A draw for all images keeps its one place in the log beside draws for each image.
#[test]
fn a_draw_for_a_whole_batch_is_logged_once_beside_those_for_images() {
    let fault = |draw: &str| format!("Do(Fault(amount: Count(2), draw: {draw}))");
    let ended = run(with_plan(&format!("{}, {}, Test", fault("EveryImage"), fault("EveryForward"))));
    let log = lines(&ended.faults);
    let of_images = |image: Option<usize>| log.iter().filter(|line| line.image == image).count();
    assert!((0..40).all(|image| of_images(Some(image)) == 2));
    assert_eq!(of_images(None), 2);
}

/// A network with a block that adds its input to itself: only the sum, 4 channels of 4 by 4 pixels, has faults.
fn doubling(plan: &str) -> RunSpec {
    spec(&format!(
        "(data: Digits(limit_train: 192, limit_test: 40),
          net: Sequential(layers: [Conv(channels: 4, stride: 2), Relu, Residual(body: []), Relu, Flatten, Linear()]),
          train: (optimizer: Adam(rate: 0.002), batch: 64), arms: [(plan: [{plan}])])"
    ))
}

#[test]
fn activations_have_faults_behind_the_non_linearity_or_in_front_of_it() {
    let with_plan: (fn(&str) -> RunSpec, _, _) = (with_plan, "fc1", 8);
    let doubling: (fn(&str) -> RunSpec, _, _) = (doubling, "2", 64);
    for ((spec_of, layer, size), params, suffix, behind) in [
        (with_plan, "Activations", "output", 3),
        (with_plan, "Preactivations", "preactivation", 2),
        (doubling, "Activations", "output", 5),
        (doubling, "Preactivations", "preactivation", 4),
    ] {
        let plan = format!(
            "{TRAINED}, Do(Fault(target: (layers: Only([\"{layer}\"]), params: {params}), model: StuckAt1, bits: Bit(30),
               amount: Count(2), draw: EveryForward)), Test"
        );
        let ended = run(spec_of(&plan));
        let log = lines(&ended.faults);
        assert_eq!(log.len(), 80, "two of each of 40 images");
        assert!(log.iter().all(|line| line.parameter == format!("{layer}.{suffix}") && line.index < size));
        let context = context(spec_of(&plan));
        let network = &ended.state.network;
        let test = &context.data.test;
        let input = Activations::from_samples(test.shape, test.values().unwrap().into_owned());
        let mut activations = context.compute.forward(network, 0..behind, &input);
        for line in &log {
            let at = activations.place(line.image.unwrap(), line.index);
            assert_eq!(activations.values[at].to_bits(), line.before.to_bits());
            assert_eq!(line.after.to_bits(), line.before.to_bits() | 1 << 30);
            activations.values[at] = line.after;
        }
        let logits =
            context.compute.forward(network, behind..network.structure().ops.len(), &activations).values;
        let (expected, found) = (loss(&context, &logits), test_losses(&ended)[1]);
        assert!(close(expected, found) || expected.to_string() == found.to_string(), "{expected}, {found}");
    }
}

/// The samples of a mini-batch of the first epoch: 192 samples, 64 at a time.
fn batch(context: &RunContext, step: usize) -> (Vec<f32>, Vec<u32>) {
    let mut rng = stream(context.spec.seed, Purpose::Order, &[0, 0]);
    let order = shuffled(192, &mut rng);
    let picked = context.data.train.pick(&order[64 * step..][..64]);
    (picked.values().unwrap().into_owned(), picked.labels)
}

fn plain_descent(plan: &str) -> RunSpec {
    spec(&format!(
        "(data: Digits(limit_train: 192, limit_test: 40), net: Mlp(hidden: [8, 6]),
          train: (optimizer: Sgd(rate: 0.5), batch: 64), arms: [(plan: [{plan}])])"
    ))
}

#[test]
fn training_takes_the_gradient_of_the_faulty_network_and_steps_on_the_stored_one() {
    let fault = "Do(Fault(target: (params: WeightsAndBiases), bits: Bit(22), amount: Rate(0.05), draw: EveryForward))";
    let plan = format!("{fault}, Train(steps: \"2it\", evaluate: \"100ep\"), Do(Release(what: [Faults]))");
    let ended = run(plain_descent(&plan));
    let context = context(plain_descent(&plan));
    let log = lines(&ended.faults);
    let mut network = context.fresh_network(0);
    for step in 0..2 {
        let (inputs, labels) = batch(&context, step);
        let view = faulty(&network, log.iter().filter(|line| line.trial == step as u64));
        let gradient = &mut |logits: &[f32]| context.loss.evaluate(logits, &labels).gradient;
        let pass = context.compute.train(&view, &inputs, 64, None, gradient);
        for index in 0..network.len() {
            let gradient = pass.gradients[index].clone().unwrap();
            let values = network.values(index).iter().zip(gradient);
            let stepped: Vec<f32> = values.map(|(value, gradient)| value - 0.5 * gradient).collect();
            network.write(index, &stepped);
        }
    }
    assert!(!log.is_empty() && log.iter().all(|line| line.bit == Some(22) && line.image.is_none()));
    let differ =
        |index| network.values(index).iter().zip(ended.state.network.values(index)).any(|(a, b)| a != b);
    assert!(!(0..network.len()).any(differ), "the same steps by hand");
    assert!(reports(&ended.events, "fault").iter().any(|report| report.summary.contains("steps those")));
}

#[test]
fn an_overwritten_activation_passes_no_gradient_on() {
    let silent = "Do(Fault(target: (layers: Only([\"fc2\"]), params: Activations), model: Zero, amount: Rate(1.0), draw: EveryForward))";
    let ended = run(plain_descent(&format!("{silent}, Train(\"1it\")")));
    let before = context(plain_descent("Test")).fresh_network(0);
    let moved = |name: &str| {
        let index = before.structure().find(name).unwrap();
        before.values(index) != ended.state.network.values(index)
    };
    for name in ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight"] {
        assert!(!moved(name), "{name} sees no gradient through zeros");
    }
    assert!(moved("fc3.bias"));
}

#[test]
fn interrupted_runs_go_on_with_the_same_faults_and_the_same_log() {
    let faults = "Do(Fault(target: (params: Biases), model: Noise(0.5), amount: Count(2))),
        Do(Fault(bits: Bit(20), amount: Rate(0.01), draw: EveryForward)),
        Do(Fault(target: (layers: First(1), params: Activations), bits: Bit(10), amount: Count(1), draw: EveryForward))";
    let plan = format!(
        "{faults}, Train(\"2ep\"), Test, Branch(name: \"b\", plan: [Train(\"1ep\"), Test]), Train(\"1ep\"),
         Do(Release(what: [Faults])), {EACH_IMAGE}, Test, Test"
    );
    assert_resumes(&with_plan(&plan), 4);
    assert_resumes(&residual(&plan), 16);
}

#[test]
fn a_branch_takes_faults_along_and_leaves_those_of_the_original_as_they_are() {
    let fault = "Do(Fault(amount: Count(1), bits: Bit(29), draw: EveryForward))";
    let branch = "Branch(name: \"b\", plan: [Test, Do(Release()), Test])";
    let with = run(with_plan(&format!("{fault}, Test, {branch}, Test")));
    let without = run(with_plan(&format!("{fault}, Test, Test")));
    let names: Vec<String> = lines(&with.faults).into_iter().map(|line| line.campaign).collect();
    assert_eq!(names, ["0", "0@b", "0"]);
    assert_eq!(test_losses(&without)[..], [test_losses(&with)[0], test_losses(&with)[3]]);
    assert_eq!(test_losses(&with)[2], test_losses(&run(with_plan("Test")))[0], "released in the branch");
    let fresh = run(with_plan(&format!("{fault}, Branch(name: \"b\", init: Fresh, plan: [Test])")));
    assert_eq!(fresh.faults, "", "a fresh branch has no faults");
}

#[test]
fn a_format_is_read_by_the_whole_network_even_without_any_fault() {
    for (format, largest) in [("Float16", 1e-3), ("Bfloat16", 1e-2), ("Int8", 1e-1)] {
        let plan = format!("{TRAINED}, Test, Do(Fault(format: {format}, amount: Count(0))), Test");
        let ended = run(with_plan(&plan));
        let losses = test_losses(&ended);
        assert!(losses[1] != losses[2] && (losses[1] - losses[2]).abs() < largest, "{format}: {losses:?}");
        let said = &reports(&ended.events, "fault")[0].summary;
        assert!(said.contains("without faults, the test accuracy is"), "{said}");
    }
    let two = run_error(with_plan("Do(Fault(format: Int8)), Do(Fault())"));
    assert!(two.contains("one format"), "{two}");
}

fn run_error(spec: RunSpec) -> String {
    let mut recorder = Recorder::default();
    let mut session = Session::new(context(spec), None, 1, StopFlag::new(), &mut recorder);
    session.run().expect_err("it cannot be done").to_string()
}

#[test]
fn sparse_memory_and_channels_limit_the_sites() {
    let plan = "Do(Prune(amount: Fraction(0.9))),
        Do(Fault(target: (layers: Only([\"fc1\"]), channels: [2, 5]), bits: Bit(3), amount: Rate(0.9), draw: EveryForward, pruned: Sparse)), Test";
    let ended = run(with_plan(plan));
    let log = lines(&ended.faults);
    let entries = ended.state.network.entries(0).unwrap();
    assert!(log.len() > 2, "{}", log.len());
    assert!(log.iter().all(|line| [2, 5].contains(&(line.index / 64)) && entries[line.index].survives()));
}

#[test]
fn a_part_of_a_fault_can_be_let_go() {
    let fault = "Do(Fault(amount: Rate(0.001), draw: EveryForward))";
    let all = run(with_plan(&format!("{fault}, Test")));
    let release = "Do(Release(target: (layers: First(1)), what: [Faults]))";
    let part = run(with_plan(&format!("{fault}, {release}, Test")));
    let rest: Vec<Line> =
        lines(&all.faults).into_iter().filter(|line| line.parameter != "fc1.weight").collect();
    assert!(!rest.is_empty() && rest.len() < lines(&all.faults).len());
    assert_eq!(lines(&part.faults), rest);
    let gone = run(with_plan(&format!("{fault}, {release}, Do(Release(target: (layers: Last(2)))), Test")));
    assert!(gone.state.faults.is_empty() && gone.faults.is_empty());
}

#[test]
fn faults_that_cannot_be_are_refused() {
    let first = |plan: &str| complaints(plan).into_iter().next().unwrap_or_default();
    let each = "Do(Fault(draw: EveryImage))";
    assert!(first(&format!("{each}, Train(\"1ep\")")).contains("training works on mini-batches"));
    assert!(complaints(&format!("{each}, Test, Do(Release(what: [Faults])), Train(\"1ep\")")).is_empty());
    assert!(complaints(&format!("Branch(plan: [{each}]), Train(\"1ep\")")).is_empty());
    assert!(first("Do(Fault(format: Int8, target: (params: Activations)))").contains("no int8 scale"));
    assert!(first("Do(Fault(format: Int8, bits: Bit(30)))").contains("none of these bits"));
    assert!(first("Do(Fault(target: (params: Norm)))").contains("no parameter"));
    assert!(first("Do(Fault(bits: Bit(3), amount: Count(900000)))").contains("50,200 sites"));
    assert!(first("Do(Fault()), Campaign()").contains("a fault is in place"));
    let late = first(&format!("Repeat(times: 2, body: [Train(\"1it\"), {each}])"));
    assert!(late.contains("drawn for every image") && late.contains("stage 1.1"), "{late}");
}

#[test]
fn members_of_an_ensemble_are_read_through_the_same_faults() {
    let fault = "Do(Fault(bits: Bit(21), amount: Count(5)))";
    let plan = format!("{fault}, Ensemble(members: 2, share: First(1), steps: \"2it\"), Test");
    let ended = run(with_plan(&plan));
    assert_eq!(values(&ended.events, "member_distance").len(), 2);
    assert_resumes(&with_plan(&plan), 3);
}

/// The past is read as it was stored.
#[test]
fn a_watch_compares_with_the_stored_past() {
    let watch = "Do(Watch(lag: 1)), Do(Fault(bits: Bit(22), amount: Rate(0.1), draw: EveryForward))";
    let ended = run(with_plan(&format!("{watch}, Train(steps: \"2it\", evaluate: \"1it\")")));
    let context = context(with_plan("Test"));
    let inputs = batch(&context, 1).0;
    let logits = |network: &Network| context.compute.training_forward(network, &inputs, 64, None).logits;
    let past = logits(&context.fresh_network(0));
    // The passes of a step: the mini-batch, then the evaluation of the test part.
    let first = run(with_plan(&format!("{watch}, Train(steps: \"1it\", evaluate: \"1it\")")));
    let log = lines(&ended.faults);
    let present = logits(&faulty(&first.state.network, log.iter().filter(|line| line.trial == 2)));
    let norm = |values: Vec<f64>| values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let differences = present.iter().zip(&past).map(|(a, b)| f64::from(*a) - f64::from(*b)).collect();
    let expected = norm(differences) / norm(past.iter().map(|&value| f64::from(value)).collect());
    let found = values(&ended.events, "past_distance")[0];
    assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
}

#[test]
fn both_devices_draw_the_same_sites_of_a_vgg() {
    let text = |device: &str, plan: &str| {
        format!(
            "(data: Digits(image_size: 32, limit_train: 64, limit_test: 6), net: Vgg(depth: 11, width: 2), device: {device},
              train: (batch: 32, evaluation_batch: 4), arms: [(plan: [{plan}])])"
        )
    };
    let plan = "Do(Fault(target: (layers: First(2), params: Activations), bits: Bit(22), amount: Count(2), draw: EveryForward)),
        Do(Fault(bits: Bit(22), amount: Count(3), draw: EveryImage)), Test";
    let places = |device: &str| {
        let log = run(spec(&text(device, plan))).faults;
        lines(&log)
            .into_iter()
            .map(|line| (line.trial, line.image, line.parameter, line.index))
            .collect::<Vec<_>>()
    };
    let found = places("Cpu");
    assert_eq!((found.len(), &found), (6 * 5, &places("Ndarray")));
    let of_image: Range<usize> = 0..5;
    assert!(found[of_image].iter().all(|place| place.1 == Some(0)), "{found:?}");
}
