//! Held entries under every optimizer: equal bytes after many steps, while every free entry that has a gradient moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use doc::RunSpec;
use intervene::Entry;
use net::{Network, backend};
use results::{Event, Report};
use run::testing::Recorder;
use run::{Datasets, RunContext, RunEnd, Session, StopFlag};

use crate::support;

const OPTIMIZERS: [&str; 5] = [
    "Sgd(rate: 0.05, weight_decay: 0.01)",
    "Sgd(rate: 0.05, momentum: 0.9, weight_decay: 0.01)",
    "Sgd(rate: 0.05, momentum: 0.9, nesterov: true, weight_decay: 0.01)",
    "Adam(rate: 0.001, weight_decay: 0.01)",
    "AdamW(rate: 0.001, weight_decay: 0.01)",
];

const MLP: &str = "net: Mlp(hidden: [16, 12], init: XavierNormal)";

fn spec(optimizer: &str, plan: &str) -> RunSpec {
    spec_of(MLP, optimizer, plan)
}

fn spec_of(network: &str, optimizer: &str, plan: &str) -> RunSpec {
    support::spec(&format!(
        "({network}, train: (optimizer: {optimizer}, batch: 32), arms: [(name: \"a b\", plan: [{plan}])])"
    ))
}

fn run(spec: RunSpec, folder: &Path) -> (Network, Vec<Report>) {
    let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
    let compute = backend(&spec.device, &spec.train.kernels).unwrap();
    let context =
        RunContext::new(spec, "a b".to_owned(), data, compute, PathBuf::new(), folder.to_owned()).unwrap();
    let mut recorder = Recorder::default();
    let mut session = Session::new(Arc::new(context), None, 1, StopFlag::new(), &mut recorder);
    assert_eq!(session.run().unwrap(), RunEnd::Done);
    let network = session.network().clone();
    drop(session);
    let reports = recorder.events.into_iter().filter_map(|event| match event {
        Event::Report(report) => Some(report),
        _ => None,
    });
    (network, reports.collect())
}

fn ends_with(optimizer: &str, before: &str, after: &str) -> (Network, Network, Vec<Report>) {
    network_ends_with(MLP, optimizer, before, after)
}

fn network_ends_with(
    network: &str,
    optimizer: &str,
    before: &str,
    after: &str,
) -> (Network, Network, Vec<Report>) {
    let folder = tempfile::tempdir().unwrap();
    let (first, _) = run(spec_of(network, optimizer, before), folder.path());
    let (last, reports) = run(spec_of(network, optimizer, &format!("{before}, {after}")), folder.path());
    (first, last, reports)
}

/// 45 mini-batches of the digits an epoch: three epochs are 135 steps. Residual networks take fewer, since those take long.
#[test]
fn held_entries_keep_their_bytes_under_every_optimizer_and_free_ones_move() {
    let sequential = format!("net: {}, data: Digits(limit_train: 320, limit_test: 1)", support::RESIDUAL);
    let resnet = "net: ResNet(), data: Digits(image_size: 8, limit_train: 8, limit_test: 1)";
    let residual = [(&*sequential, OPTIMIZERS[2]), (&*sequential, OPTIMIZERS[4]), (resnet, OPTIMIZERS[1])];
    for (network, optimizer) in OPTIMIZERS.map(|optimizer| (MLP, optimizer)).into_iter().chain(residual) {
        let held = "Train(\"1ep\"), Do(Prune(amount: Fraction(0.3))), Do(Freeze(target: (params: WeightsAndBiases), select: Random(0.5)))";
        let (before, after, reports) = network_ends_with(network, optimizer, held, "Train(\"3ep\")");
        for index in 0..after.len() {
            let entries = after.all_entries(index);
            for ((then, now), entry) in before.values(index).iter().zip(after.values(index)).zip(entries) {
                if entry.is_free() {
                    // Weight decay gives every entry but 0 a gradient, at edge pixels too, which are always 0.
                    assert!(
                        *then == 0.0 || then.to_bits() != now.to_bits(),
                        "{network}, {optimizer}: a free entry stood"
                    );
                } else {
                    assert_eq!(then.to_bits(), now.to_bits(), "{network}, {optimizer}");
                }
                assert!(entry != Entry::Pruned || now.to_bits() == 0, "a pruned entry is +0.0");
            }
        }
        let verdict = reports.iter().rfind(|report| report.kind == "held").unwrap();
        assert_eq!(verdict.passed, Some(true), "{}", verdict.summary);
    }
}

#[test]
fn a_release_goes_on_from_the_held_value_and_then_moves() {
    let held = "Train(\"1ep\"), Do(Freeze(target: (layers: Only([\"fc1\"])), at: Value(0.125)))";
    let (_, released, _) = ends_with("Adam()", held, "Train(\"1ep\"), Do(Release())");
    assert!(released.values(0).iter().all(|value| *value == 0.125));
    assert!(released.entries(0).is_none());
    let (_, moved, _) = ends_with("Adam()", held, "Train(\"1ep\"), Do(Release()), Train(\"1it\")");
    let largest = moved.values(0).iter().map(|value| (value - 0.125).abs()).fold(0.0, f32::max);
    assert!(largest > 0.0 && largest < 0.01, "one step of Adam, no jump: {largest}");
}

#[test]
fn entries_can_be_held_at_zero_at_a_snapshot_and_by_a_mask_file() {
    let plan = "Do(Snapshot(name: \"init\")), Train(\"1ep\"), Do(Export(file: \"{arm}-{seed}.safetensors\")),
        Do(Freeze(target: (layers: Only([\"fc1\"])), at: Zero)),
        Do(Freeze(target: (layers: Only([\"fc2\"]), params: Weights), at: Snapshot(\"init\"))),
        Do(Freeze(target: (layers: Only([\"fc3\"]), params: Weights), select: Mask(\"a_b-1.safetensors\"))), Train(\"1ep\")";
    let folder = tempfile::tempdir().unwrap();
    let (network, _) = run(spec("Adam()", plan), folder.path());
    assert!(folder.path().join("exports/a_b-1.safetensors").is_file());
    assert!(network.values(0).iter().all(|value| value.to_bits() == 0));
    assert_eq!(network.values(2), network.initial_values(2, 1, 0), "the values of the snapshot");
    assert_eq!(network.mask_counts(4).frozen, 120);
}

#[test]
fn values_are_set_by_hand_and_masks_move_and_travel_in_files() {
    let plan = "Do(Set(parameter: \"fc2.bias\", indices: [3], value: 2.0)), Do(Prune(amount: Fraction(0.5), scope: Global)),
        Do(Export(file: \"mask.safetensors\", content: Mask)), Do(ShuffleMask(scope: Global)),
        Do(Release(what: [Pruned])), Do(Import(file: \"mask.safetensors\", content: Mask))";
    let folder = tempfile::tempdir().unwrap();
    let (there_and_back, _) = run(spec("Adam()", plan), folder.path());
    let (straight, _) = run(spec("Adam()", "Do(Prune(amount: Fraction(0.5), scope: Global))"), folder.path());
    let (shuffled, _) = run(
        spec("Adam()", "Do(Prune(amount: Fraction(0.5), scope: Global)), Do(ShuffleMask())"),
        folder.path(),
    );
    assert_eq!(there_and_back.values(3)[3], 2.0);
    for index in [0, 2, 4] {
        assert_eq!(
            there_and_back.entries(index),
            straight.entries(index),
            "the mask came back from its file"
        );
        assert_eq!(
            shuffled.mask_counts(index),
            straight.mask_counts(index),
            "a shuffled mask has as many zeros in each layer"
        );
        assert_ne!(shuffled.entries(index), straight.entries(index));
    }
}

#[test]
fn criteria_that_look_at_gradients_prune_the_exact_count() {
    for criterion in ["Snip(batches: 3)", "SynFlow(steps: 7)", "Movement(since: \"init\")"] {
        let plan = format!(
            "Do(Snapshot(name: \"init\")), Train(\"1ep\"), Do(Prune(criterion: {criterion}, amount: Fraction(0.4), scope: Global))"
        );
        let folder = tempfile::tempdir().unwrap();
        let (network, reports) = run(spec("Adam()", &plan), folder.path());
        let pruned: u64 = (0..network.len()).map(|index| network.mask_counts(index).pruned).sum();
        let total = f64::from(64 * 16 + 16 * 12 + 12 * 10);
        assert_eq!(pruned, (total * 0.4).round_ties_even() as u64, "{criterion}");
        assert!(reports[0].kind == "prune" && reports[0].rows.len() == 3, "{criterion}");
    }
}

#[test]
fn channels_restrict_what_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "Do(Prune(target: (layers: Only([\"fc2\"]), channels: [1]), amount: Fraction(1.0)))";
    let (network, _) = run(spec("Adam()", plan), folder.path());
    let zeros: Vec<usize> = (0..192).filter(|entry| network.values(2)[*entry] == 0.0).collect();
    assert_eq!(zeros, (16..32).collect::<Vec<_>>(), "row 1 of 12 rows of 16");
}
