//! The engine without files and windows: what a run says, and that it says the same however it is cut up.

use std::path::Path;
use std::sync::Arc;

use data::Shape;
use doc::file::parse;
use doc::{Loss, Net, RunSpec};
use net::{Compute, NativeCompute, Network};
use results::{Event, Point, RunRecord, RunState};
use run::testing::Recorder;
use run::{Checkpoint, Datasets, Listener, RunEnd, RunError, Session, StopFlag, StopKind, Table};

use crate::support::{self, context, points, spec, values};

fn with_plan(plan: &str) -> RunSpec {
    spec(&format!(
        "(net: Mlp(hidden: [20, 10], init: XavierNormal), train: (optimizer: Adam(rate: 0.002), batch: 60), arms: [(plan: [{plan}])])"
    ))
}

fn run(spec: RunSpec) -> (Network, Vec<Event>) {
    let ended = support::run(spec);
    (ended.state.network, ended.events)
}

#[test]
fn the_same_seed_gives_the_same_events_twice_and_another_seed_does_not() {
    let first = run(with_plan("Train(\"2ep\"), Test"));
    let second = run(with_plan("Train(\"2ep\"), Test"));
    assert_eq!(points(&first.1), points(&second.1));
    assert_eq!(first.0.checksum(), second.0.checksum());
    let other = run(RunSpec { seed: 2, ..with_plan("Train(\"2ep\"), Test") });
    assert_ne!(first.0.checksum(), other.0.checksum());
}

#[test]
fn a_training_may_be_cut_in_two_without_a_difference() {
    let whole = run(with_plan("Train(\"5ep\"), Test"));
    let cut = run(with_plan("Train(\"1ep\"), Test, Train(\"30it\"), Train(\"42it\"), Train(\"1ep\")"));
    assert_eq!(whole.0.checksum(), cut.0.checksum(), "24 batches an epoch: 1 + 30/24 + 42/24 + 1 = 5 epochs");
}

#[test]
fn a_named_network_and_the_list_of_its_layers_compute_the_same_numbers() {
    for (net, side) in
        [("Mlp(hidden: [7], activation: Tanh, output: Tanh)", 8), ("LeNet5()", 28), ("ResNet()", 8)]
    {
        let data = format!("Digits(limit_train: 20, limit_test: 10, image_size: {side})");
        let named = spec(&format!(
            "(data: {data}, net: {net}, train: (batch: 10), arms: [(plan: [Train(\"2it\"), Test])])"
        ));
        let facts = named.data.facts(named.net.image_side()).unwrap();
        let list = Net::Sequential(named.net.to_layers(facts.shape, facts.classes));
        let listed = RunSpec { net: list, ..named.clone() };
        let [named, listed] = [named, listed].map(run);
        assert_eq!(points(&named.1), points(&listed.1), "{net}");
        assert!(support::same_bits(&named.0, &listed.0), "{net}");
    }
}

#[test]
fn a_network_learns_digits() {
    let (_, events) = run(with_plan("Train(\"15ep\"), Test"));
    let accuracy = values(&events, "test_accuracy");
    assert!(accuracy.last().is_some_and(|last| *last > 0.9), "{accuracy:?}");
    let loss = values(&events, "train_loss");
    assert!(loss.len() == 15 && loss[14] < 0.3 * loss[0], "{loss:?}");
}

#[test]
fn augmentation_changes_the_images_and_not_their_order() {
    let learned = |augment: &str| {
        let train = format!("train: (batch: 64, augment: [{augment}])");
        let arms = "arms: [(plan: [Train(\"1ep\")])]";
        run(spec(&format!("(data: Digits(limit_train: 192), net: Mlp(hidden: [8]), {train}, {arms})")))
            .0
            .checksum()
    };
    assert_eq!(learned(""), learned("Crop(0)"), "cropped by nothing");
    assert_ne!(learned(""), learned("FlipHorizontal"));
}

#[test]
fn a_network_takes_room_for_values_gradients_two_moments_and_a_mini_batch() {
    let experiment = parse(
        "(net: Mlp(hidden: [8]), train: (optimizer: Adam(rate: 0.1)), arms: [(plan: [Test])])",
        Path::new("x.ron"),
    );
    let runs = doc::runs(&experiment.unwrap()).unwrap();
    let cost = run::cost(&runs[0]).unwrap();
    let parameters = 64 * 8 + 8 + 8 * 10 + 10;
    // The input as an image and as a row, and what each operation yields.
    let activations = runs[0].spec.train.batch * (64 + 64 + 8 + 8 + 10);
    assert_eq!((cost.parameters, cost.bytes), (parameters, 4 * (4 * parameters + activations) as u64));
}

#[test]
fn classes_weighed_by_their_samples_make_the_accuracy() {
    let spec = with_plan("Train(\"2ep\"), Test");
    let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
    let mut counts = [0.0; 10];
    for label in &data.test.labels {
        counts[*label as usize] += 1.0;
    }
    let (_, events) = run(spec);
    let points = points(&events);
    let evaluated = points.iter().filter(|point| point.series == "test_accuracy");
    assert!(evaluated.clone().count() >= 3);
    for point in evaluated {
        let right = counts.iter().zip(&point.classes).map(|(count, share)| count * share.unwrap());
        assert!((right.sum::<f64>() / 360.0 - point.value).abs() < 1e-12, "{point:?}");
    }
    assert!(points.iter().all(|point| point.classes.is_empty() == (point.series != "test_accuracy")));
}

/// Three mini-batches an epoch. A branch counts on from where it began, and so does the training after it.
#[test]
fn trained_epochs_add_up_over_trainings() {
    let training = "Train(steps: \"4it\", evaluate: \"1it\")";
    let plan = format!("{training}, Branch(name: \"b\", plan: [{training}]), {training}");
    let ended = support::run(support::with_plan(&plan));
    let points = points(&ended.events);
    let found = points.iter().filter(|point| point.series == "train_loss").map(|point| point.trained);
    let counted = (1..=4).chain(5..=8).chain(5..=8).map(|done| f64::from(done) / 3.0);
    let close = found.zip(counted.clone()).filter(|(found, expected)| (found - expected).abs() < 1e-12);
    assert_eq!(close.count(), counted.count());
}

#[test]
fn the_ladder_of_the_lottery_ticket_is_exact() {
    let spec = spec(
        "(net: Mlp(hidden: [300, 100], init: XavierNormal), train: (batch: 60), arms: [(plan: [
            Do(Snapshot(name: \"init\")), Train(\"1it\"),
            Repeat(times: 6, body: [
                Do(Prune(criterion: Magnitude, amount: Fraction(0.2), scope: PerLayer, output_factor: 0.5)),
                Do(Graft(from: \"init\")), Train(\"1it\"), Test,
            ]),
        ])])",
    );
    let (network, events) = run(spec);
    let total = 64.0 * 300.0 + 300.0 * 100.0 + 100.0 * 10.0;
    let remaining: Vec<f64> = points(&events)
        .iter()
        .filter(|point| point.series == "test_accuracy" && point.round.is_some() && point.stage == "2.3")
        .map(|point| (point.remaining * total).round())
        .collect();
    assert_eq!(remaining, [40260.0, 32298.0, 25919.0, 20808.0, 16711.0, 13428.0], "numbers of oracles.md");
    let pruned = network.values(0).iter().filter(|value| value.to_bits() == 0).count();
    assert_eq!(pruned as u64, network.mask_counts(0).pruned, "a pruned entry is +0.0");
}

#[test]
fn a_graft_of_the_whole_goes_back_to_values_position_and_order() {
    let straight = run(with_plan("Train(\"10it\"), Train(\"14it\")"));
    let rewound =
        run(with_plan("Train(\"10it\"), Do(Snapshot(name: \"k\")), Train(\"31it\"), Do(Graft(from: \"k\"))"));
    let start = run(with_plan("Train(\"10it\")"));
    assert_eq!(start.0.checksum(), rewound.0.checksum(), "graft after snapshot is the identity");
    assert_ne!(straight.0.checksum(), rewound.0.checksum());
    let batches: Vec<u64> = points(&rewound.1).iter().map(|point| point.iteration).collect();
    assert_eq!(batches.iter().max(), Some(&41));
}

#[test]
fn reinitialising_keeps_the_mask_and_draws_new_weights_every_time() {
    let (network, _) = run(with_plan("Do(Prune(amount: Fraction(0.5))), Do(Reinitialize()), Test"));
    let (again, _) =
        run(with_plan("Do(Prune(amount: Fraction(0.5))), Do(Reinitialize()), Do(Reinitialize()), Test"));
    assert_eq!(network.entries(0), again.entries(0));
    assert_ne!(network.values(0), again.values(0));
    assert_eq!(network.remaining(), 0.5);
}

#[test]
fn a_branch_leaves_the_original_as_it_is() {
    let plain = run(with_plan("Train(\"30it\"), Train(\"30it\")"));
    let branched = run(with_plan(
        "Train(\"30it\"),
         Branch(name: \"copy\", plan: [Do(Prune(amount: Fraction(0.9))), Train(\"17it\"), Test]),
         Branch(name: \"fresh\", init: Fresh, order: Own, plan: [Train(\"17it\"), Test]),
         Train(\"30it\")",
    ));
    assert_eq!(plain.0.checksum(), branched.0.checksum());
    let names: Vec<String> = points(&branched.1).into_iter().map(|point| point.branch).collect();
    assert!(names.contains(&"copy".to_owned()) && names.contains(&"fresh".to_owned()));
}

/// Stops a run when it has heard so many points, and keeps its last checkpoint.
struct Interrupter {
    recorder: Recorder,
    after: usize,
    stop: StopFlag,
}

impl Listener for Interrupter {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        self.recorder.event(event)?;
        if points(&self.recorder.events).len() >= self.after {
            self.stop.request(StopKind::Now);
        }
        Ok(())
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.recorder.checkpoint(checkpoint)
    }
    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        self.recorder.lines(table, lines)
    }
    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        self.recorder.network(files, network)
    }
}

#[test]
fn a_run_that_is_stopped_anywhere_goes_on_exactly() {
    let plan = "Do(Snapshot(name: \"init\")), Train(\"2ep\"),
        Repeat(times: 2, body: [
            Do(Prune(amount: Fraction(0.3))),
            Branch(name: \"other\", plan: [Do(Reinitialize()), Train(\"1ep\"), Test]),
            Do(Graft(from: \"init\")), Train(steps: \"2ep\", evaluate: \"7it\"), Test,
        ])";
    for (spec, every) in [(with_plan(plan), 9), (support::residual(plan), 40)] {
        let whole = run(spec.clone());
        let expected = points(&whole.1);
        for after in (1..expected.len()).step_by(every) {
            assert_goes_on(spec.clone(), after, &whole.0, &expected);
        }
    }
}

/// A run that is stopped after so many points leads to the same network and the same points.
fn assert_goes_on(spec: RunSpec, after: usize, whole: &Network, expected: &[Point]) {
    let context = context(spec);
    let stop = StopFlag::new();
    let mut first = Interrupter { recorder: Recorder::default(), after, stop: stop.clone() };
    let outcome = Session::new(context.clone(), None, 1, stop, &mut first).run().expect("it stops well");
    let mut events = first.recorder.events;
    let mut second = Recorder::default();
    let mut session = Session::new(context, first.recorder.checkpoint, 1, StopFlag::new(), &mut second);
    if outcome == RunEnd::Stopped {
        assert_eq!(session.run().expect("it goes on well"), RunEnd::Done);
    }
    assert_eq!(session.network().checksum(), whole.checksum(), "stopped after {after} points");
    drop(session);
    events.extend(second.events);
    assert_eq!(points(&events), expected, "stopped after {after} points");
    assert_eq!(RunRecord::from_events(events).state(), &RunState::Done);
}

#[test]
fn a_loss_that_is_no_number_stops_the_run_and_says_where() {
    let mut diverging = with_plan("Train(\"5ep\")");
    diverging.train = spec(
        "(train: (optimizer: Sgd(rate: 1e3, momentum: 0.9), loss: SquaredError), arms: [(plan: [Test])])",
    )
    .train;
    let mut recorder = Recorder::default();
    let error = Session::new(context(diverging), None, 1, StopFlag::new(), &mut recorder).run().unwrap_err();
    let message = error.to_string();
    assert!(message.contains("at iteration") && message.contains("learning rate"), "{message}");
    assert!(matches!(recorder.events.last(), Some(Event::Failed { .. })));
}

#[test]
fn cpu_and_ndarray_train_alike() {
    let plan = "Train(\"2ep\"), Test";
    let cpu = run(with_plan(plan));
    let reference = run(RunSpec { device: doc::Device::Ndarray, ..with_plan(plan) });
    for index in 0..cpu.0.len() {
        for (a, b) in cpu.0.values(index).iter().zip(reference.0.values(index)) {
            assert!((a - b).abs() < 1e-3, "{a} and {b}");
        }
    }
    let (a, b) = (values(&cpu.1, "test_accuracy"), values(&reference.1, "test_accuracy"));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 2.0 / 360.0), "{a:?} {b:?}");
}

#[test]
fn small_networks_with_batch_norm_train_on_both_devices() {
    for net in ["Vgg(depth: 11, width: 2)", support::RESIDUAL] {
        let text = format!(
            "(net: {net}, data: Digits(limit_train: 64, limit_test: 20),
              train: (optimizer: Sgd(rate: 0.05, momentum: 0.9), batch: 32), arms: [(plan: [Train(\"1it\"), Test])])"
        );
        let cpu = run(spec(&text));
        let reference = run(RunSpec { device: doc::Device::Ndarray, ..spec(&text) });
        for index in 0..cpu.0.len() {
            for (a, b) in cpu.0.values(index).iter().zip(reference.0.values(index)) {
                assert!(
                    (a - b).abs() < 2e-3 * (1.0 + a.abs()),
                    "{}: {a} and {b}",
                    cpu.0.structure().parameters[index].name
                );
            }
        }
    }
}

/// The toy of oracles.md: weights 0…9, ones in, target 40, squared error that is not halved, rate 0.01.
fn toy(masked: bool) -> (f32, f32, Vec<f32>) {
    let net: Net = form::ron_text::from_str("Mlp(hidden: [])").unwrap();
    let structure = doc::Structure::new(&net, Shape::new(10, 1, 1), 1, &Loss::CrossEntropy).unwrap();
    let init = net::Initialisation { weights: intervene::Init::PyTorch, biases: intervene::BiasInit::Zeros };
    let mut network = Network::new(Arc::new(structure), init, 1, 0);
    network.write(0, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    network.freeze(1, &[0], None);
    if masked {
        network.prune(0, &[1, 3, 5, 7, 9]);
    }
    let compute = NativeCompute::exact();
    let before = compute.logits(&network, &[1.0; 10], 1)[0];
    let pass = compute.train(&network, &[1.0; 10], 1, None, &mut |logits| vec![2.0 * (logits[0] - 40.0)]);
    let sgd = optimize::Optimizer::Sgd(optimize::Sgd::default());
    net::OptimizerState::default().step(&sgd, 0.01, &mut network, &pass.gradients);
    let after = compute.logits(&network, &[1.0; 10], 1)[0];
    (before, after, network.values(0).to_vec())
}

#[test]
fn the_toy_with_numbers_that_fit_in_the_head_steps_as_it_should() {
    let (before, after, _) = toy(false);
    assert_eq!((before, after.round()), (45.0, 44.0));
    let (before, after, weights) = toy(true);
    assert_eq!((before, after.round()), (20.0, 22.0));
    let expected = [0.4, 0.0, 2.4, 0.0, 4.4, 0.0, 6.4, 0.0, 8.4, 0.0];
    assert!(
        weights.iter().zip(expected).all(|(weight, expected)| (weight - expected).abs() < 1e-6),
        "{weights:?}"
    );
}

#[test]
fn clones_with_batch_norm_are_independent_in_both_directions() {
    let vgg = |plan: &str| {
        run(spec(&format!(
            "(net: Vgg(depth: 11, width: 2), data: Digits(limit_train: 64, limit_test: 20),
              train: (optimizer: Sgd(rate: 0.05, momentum: 0.9), batch: 32), arms: [(plan: [{plan}])])"
        )))
    };
    let plain = vgg("Train(\"1it\"), Train(\"1it\")").0;
    let cloned = vgg(
        "Train(\"1it\"), Branch(name: \"copy\", plan: [Train(\"1it\")]), Train(\"1it\"), Do(Snapshot(name: \"now\"))",
    );
    assert_eq!(plain.checksum(), cloned.0.checksum(), "running statistics are part of the checksum");
    let taken = vgg("Train(\"1it\"), Branch(name: \"copy\", plan: [Train(\"1it\")]), Train(\"5it\"), Do(Graft(from: \"copy\"))").0;
    assert_eq!(
        plain.checksum(),
        taken.checksum(),
        "the clone took one step, whatever its original did later"
    );
}

#[test]
fn a_position_beyond_the_data_of_a_branch_is_the_start_of_its_next_epoch() {
    // At the snapshot, 128 of 192 samples were seen; the branch has 64 in all.
    let (_, events) = run(support::with_plan(
        "Train(\"2it\"), Do(Snapshot(name: \"k\")), Branch(name: \"b\", data: Digits(limit_train: 64, limit_test: 40),
           plan: [Do(Graft(from: \"k\")), Train(\"1it\")])",
    ));
    let last = points(&events).into_iter().rfind(|point| point.branch == "b").unwrap();
    assert_eq!((last.iteration, last.epoch), (3, 2.0));
}

#[test]
fn training_is_exact_while_faults_act_and_fast_without_them() {
    let fault = "Do(Fault(target: (params: WeightsAndBiases), bits: Bit(22), amount: Count(1), draw: EveryForward)), ";
    let weights = |kernels: &str, fault: &str| {
        let spec = spec(&format!(
            "(data: Digits(limit_train: 16, limit_test: 8), net: Vgg(depth: 11, width: 32),
              train: (batch: 16, kernels: {kernels}), arms: [(plan: [{fault}Train(steps: \"1it\")])])"
        ));
        let (network, _) = run(spec);
        (0..network.len()).map(|index| network.values(index).to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(weights("Fast", fault), weights("Exact", fault));
    assert_ne!(weights("Fast", ""), weights("Exact", ""));
}
