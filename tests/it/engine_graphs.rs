//! What the engine does beside training, on a network with residual blocks.

use data::shuffled;
use doc::RunSpec;
use doc::structure::{Parameter, Role};
use intervene::Entry;
use intervene::stream::{Purpose, stream};
use net::Network;

use crate::support::{context, points, reports, residual, run, same_bits, spec, values};

/// The network after so many steps of a training.
fn after(steps: u64) -> Network {
    if steps == 0 {
        return context(residual("Test")).fresh_network(0);
    }
    run(residual(&format!("Train(\"{steps}it\")"))).state.network
}

/// Logits in training mode on the mini-batch of a step of the first epoch.
fn logits(network: &Network, step: usize) -> Vec<f32> {
    let context = context(residual("Test"));
    let order = shuffled(192, &mut stream(context.spec.seed, Purpose::Order, &[0, 0]));
    let picked = context.data.train.pick(&order[64 * step..][..64]);
    context.compute.training_forward(network, &picked.values().unwrap(), 64, None).logits
}

fn relative_distance(a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    let differences = a.iter().zip(b).map(|(a, b)| f64::from(*a) - f64::from(*b));
    norm(&mut { differences }) / norm(&mut b.iter().map(|&b| f64::from(b)))
}

/// Whether a parameter is in one of these layers or blocks.
fn is_in(network: &Network, index: usize, names: &[&str]) -> bool {
    let name = &network.structure().parameters[index].name;
    names.iter().any(|known| name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.')))
}

#[test]
fn the_past_at_a_step_is_the_present_of_the_step_before() {
    let ended = run(residual("Do(Watch(lag: 1)), Train(steps: \"3it\", evaluate: \"1it\")"));
    let found = values(&ended.events, "past_distance");
    assert_eq!(found.len(), 2);
    for (step, found) in (1..3).zip(found) {
        let expected =
            relative_distance(&logits(&after(step), step as usize), &logits(&after(step - 1), step as usize));
        assert!((found - expected).abs() < 1e-12, "step {step}: {found} and {expected}");
    }
}

#[test]
fn the_past_of_a_block_is_that_block_in_the_present_network() {
    let losses = |watch: &str| {
        let plan = format!("{watch} Train(steps: \"2it\", evaluate: \"1it\")");
        values(&run(residual(&plan)).events, "train_loss")
    };
    let plain = losses("");
    for names in [&["3"][..], &["0", "5"]] {
        let pulled = losses(&format!("Do(Watch(lag: 1, penalty: 3.0, layers: Only({names:?}))),"));
        let (past, present) = (after(0), after(1));
        let mut mixed = present.clone();
        for index in (0..mixed.len()).filter(|&index| is_in(&present, index, names)) {
            mixed.write(index, past.values(index));
        }
        let (now, then) = (logits(&present, 1), logits(&mixed, 1));
        let squares = now.iter().zip(&then).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
        let penalty = 3.0 * squares.sum::<f64>() / now.len() as f64;
        assert!(
            penalty > 1e-6 && (pulled[1] - plain[1] - penalty).abs() < 1e-9,
            "{pulled:?} {plain:?} {penalty}"
        );
    }
}

#[test]
fn members_share_a_block_and_nothing_else() {
    let shared = ["0", "3"];
    for mode in ["CopyInTurn", "Tied"] {
        let ended = run(residual(&format!(
            "Ensemble(members: 3, share: Only({shared:?}), mode: {mode}, steps: \"3it\")"
        )));
        let members = ended.state.members();
        for index in 0..members[0].len() {
            let parameter = &members[0].structure().parameters[index];
            let is_equal = |other: &&Network| other.values(index) == members[0].values(index);
            if is_in(members[0], index, &shared) {
                assert!(members[1..].iter().all(is_equal), "{mode}: {}", parameter.name);
            } else if parameter.role == Role::Weight {
                assert!(!members[1..].iter().any(is_equal), "{mode}: {}", parameter.name);
            }
        }
        let report = &reports(&ended.events, "members")[0];
        assert_eq!(report.passed, Some(true), "{}", report.summary);
    }
}

#[test]
fn the_middle_of_a_line_is_the_mean_of_its_ends() {
    let plan = "Branch(name: \"one\", order: Own, plan: [Train(\"1ep\")]),
        Branch(name: \"two\", order: Own, plan: [Train(\"2ep\")]),
        Connect(a: \"one\", b: \"two\", points: 3, statistics: Interpolated), Connect(a: \"one\", b: \"two\", points: 3)";
    let ended = run(residual(plan));
    let (one, two) = (&ended.state.snapshots["one"].network, &ended.state.snapshots["two"].network);
    let context = context(residual(plan));
    let test = &context.data.test;
    let expected = [0.0, 0.5, 1.0].map(|along| {
        let logits = context.compute.logits(&one.between(two, along), &test.values().unwrap(), test.len());
        context.loss.evaluate(&logits, &test.labels).mean
    });
    let found = values(&ended.events, "line_loss");
    assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9), "{found:?}");
    assert!(
        found[3..].iter().all(|loss| loss.is_finite()) && found[4] != found[1],
        "measured again: {found:?}"
    );
}

/// A batch norm measures nothing on a mini-batch of one sample.
#[test]
fn a_line_is_measured_where_the_training_has_mini_batches_of_one_sample() {
    let plan = "Do(Snapshot(name: \"a\")), Train(steps: \"2it\", batch: 16), Do(Snapshot(name: \"b\")),
        Connect(a: \"a\", b: \"b\", points: 2)";
    let mut spec = residual(plan);
    spec.train.batch = 1;
    assert_eq!(values(&run(spec).events, "line_accuracy").len(), 2);
}

#[test]
fn criteria_that_look_at_gradients_prune_the_exact_count() {
    for criterion in ["Snip(batches: 3)", "SynFlow(steps: 7)", "Movement(since: \"init\")"] {
        let plan = format!(
            "Do(Snapshot(name: \"init\")), Train(\"1ep\"),
             Do(Prune(criterion: {criterion}, amount: Fraction(0.4), scope: Global))"
        );
        let network = run(residual(&plan)).state.network;
        let structure = network.structure();
        let weights = (0..structure.layers.len()).filter_map(|layer| structure.weight(layer));
        let total = weights.map(Parameter::len).sum::<usize>() as f64;
        let pruned: u64 = (0..network.len()).map(|index| network.mask_counts(index).pruned).sum();
        assert_eq!(pruned, (total * 0.4).round_ties_even() as u64, "{criterion}");
    }
}

#[test]
fn synflow_prunes_a_network_whose_flow_exceeds_float32() {
    let text = "(data: Digits(image_size: 8, limit_train: 8, limit_test: 1), net: ResNet(depth: 56),
        arms: [(plan: [Do(Prune(criterion: SynFlow(steps: 1), amount: Fraction(0.5)))])])";
    let network = run(spec(text)).state.network;
    let pruned: u64 = (0..network.len()).map(|index| network.mask_counts(index).pruned).sum();
    assert!(pruned > 400_000, "{pruned}");
}

#[test]
fn frozen_channels_of_a_block_and_its_projection_keep_their_bits() {
    let held = "Train(\"1it\"), Do(Freeze(target: (layers: Only([\"5\"]), channels: [1, 3])))";
    let train = |plan: &str| -> Network { run(residual(plan)).state.network };
    let (before, after) = (train(held), train(&format!("{held}, Train(\"1ep\")")));
    let mut frozen = 0;
    for index in 0..after.len() {
        let row = after.structure().parameters[index].row();
        for (at, entry) in after.all_entries(index).into_iter().enumerate() {
            let is_held = is_in(&after, index, &["5"]) && [1, 3].contains(&(at / row));
            assert_eq!(entry == Entry::Frozen, is_held, "{index}");
            let [then, now] = [&before, &after].map(|network| network.values(index)[at].to_bits());
            assert!(!is_held || then == now, "{index}");
            frozen += usize::from(is_held);
        }
    }
    // Two channels of a 3×3 convolution of 4 channels with biases, of its norm, of the projection and of its norm.
    assert_eq!(frozen, 2 * (4 * 9 + 1 + 4 + 4 + 4));
    assert!(!same_bits(&before, &after));
}

/// Names of the places in the log of a campaign are found again: with those of two places, this would fail.
#[test]
fn each_layer_of_a_campaign_in_activations_has_trials_of_its_own() {
    let net = "Sequential(layers: [Conv(channels: 4), Residual(body: [BatchNorm(), Relu, Conv(channels: 4)]), BatchNorm(),
        Relu, Flatten, Linear()])";
    let pre_activation = |plan: &str| -> RunSpec {
        spec(&format!("(data: Digits(limit_train: 32, limit_test: 8), net: {net}, arms: [(plan: [{plan}])])"))
    };
    let plan = "Campaign(fault: (target: (params: Activations)), vary: Layer, trials: Fixed(3), images: 4)";
    let ended = run(pre_activation(plan));
    let names = ["0", "1.0", "1.2", "1", "2", "5"];
    for (number, line) in ended.faults.lines().enumerate() {
        let place = line.split(',').nth(4).unwrap();
        assert_eq!(place, format!("{}.output", names[number / 12]), "{line}");
    }
    let cells: Vec<_> = points(&ended.events).iter().filter_map(|point| point.layer.clone()).collect();
    assert!(names.iter().all(|name| cells.iter().any(|cell| cell == name)), "{cells:?}");
}

#[test]
fn a_release_of_a_block_removes_faults_in_its_layers_and_in_its_sum() {
    let with_faults = |release: &str| -> std::collections::BTreeSet<String> {
        let fault = "Do(Fault(target: (params: Activations), amount: Rate(0.01), draw: EveryForward))";
        let lines = run(residual(&format!("{fault}, {release} Test"))).faults;
        lines.lines().map(|line| line.split(',').nth(4).unwrap().to_owned()).collect()
    };
    let all = [
        "0.output",
        "3.0.output",
        "3.3.output",
        "3.output",
        "5.0.output",
        "5.output",
        "5.shortcut.0.output",
        "9.output",
    ];
    assert_eq!(with_faults("").into_iter().collect::<Vec<_>>(), all);
    let rest = with_faults("Do(Release(target: (layers: Only([\"3\"])))),");
    assert_eq!(
        rest.into_iter().collect::<Vec<_>>(),
        ["0.output", "5.0.output", "5.output", "5.shortcut.0.output", "9.output"]
    );
    assert!(!with_faults("Do(Release(target: (layers: Only([\"3.3\"])))),").contains("3.3.output"));
    assert!(with_faults("Do(Release(target: (layers: Only([\"3.3\"])))),").contains("3.output"));
}
