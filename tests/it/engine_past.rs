//! The network of some steps ago, computed a second time without the watch.

use std::ops::Range;

use data::shuffled;
use doc::{Intervention, RunSpec};
use form::Stored;
use intervene::stream::{Purpose, stream};
use net::Network;
use net::weights_file::{tensors_of, write_tensors};
use run::State;

use crate::support::{self, assert_resumes, complaints, context, reports, run, same_bits, values, with_plan};

const EVERY_STEP: &str = "Train(steps: \"7it\", evaluate: \"1it\")";

/// The network after so many steps of a training without a watch.
fn after(steps: u64) -> Network {
    if steps == 0 {
        return context(with_plan("Test")).fresh_network(0);
    }
    run(with_plan(&format!("Train(\"{steps}it\")"))).state.network
}

/// The samples of the mini-batch of a step, in the seed's order: 192 samples, 64 at a time.
fn batch(step: u64) -> (Vec<f32>, Vec<u32>) {
    let context = context(with_plan("Test"));
    let mut rng = stream(context.spec.seed, Purpose::Order, &[0, step / 3]);
    let order = shuffled(192, &mut rng);
    let picked = context.data.train.pick(&order[64 * (step as usize % 3)..][..64]);
    (picked.values().unwrap().into_owned(), picked.labels)
}

fn logits(network: &Network, step: u64) -> Vec<f32> {
    let context = context(with_plan("Test"));
    context.compute.training_forward(network, &batch(step).0, 64, None).logits
}

fn relative_distance(a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: Vec<f64>| values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let differences = a.iter().zip(b).map(|(a, b)| f64::from(*a) - f64::from(*b)).collect();
    norm(differences) / norm(b.iter().map(|&b| f64::from(b)).collect())
}

#[test]
fn the_past_at_a_step_is_the_present_of_the_step_before() {
    for lag in [1, 3] {
        let ended = run(with_plan(&format!("Do(Watch(lag: {lag})), {EVERY_STEP}")));
        let found = values(&ended.events, "past_distance");
        assert_eq!(found.len() as u64, 7 - lag, "silent for the first {lag} steps");
        for (step, found) in (lag..7).zip(found) {
            let expected = relative_distance(&logits(&after(step), step), &logits(&after(step - lag), step));
            assert!((found - expected).abs() < 1e-12, "step {step}: {found} and {expected}");
        }
    }
}

#[test]
fn watching_changes_nothing_bit_for_bit() {
    let plain = run(with_plan("Train(\"9it\")"));
    for watch in ["Watch(lag: 1)", "Watch(lag: 2, penalty: 0.0, layers: First(1))"] {
        let watched = run(with_plan(&format!("Do({watch}), Train(\"9it\")")));
        assert!(same_bits(&plain.state.network, &watched.state.network), "{watch}");
    }
}

#[test]
fn the_ring_holds_the_networks_of_the_last_steps_and_no_more() {
    let ended = run(with_plan("Do(Watch(lag: 2)), Train(\"5it\")"));
    let State { watch: Some(watch), .. } = &ended.state else { panic!("it is watched") };
    assert_eq!(watch.past.len(), 2);
    assert!(same_bits(&watch.past[0], &after(3)) && same_bits(&watch.past[1], &after(4)));
    let report = &reports(&ended.events, "watch")[0];
    assert!(report.summary.contains("ran the network of 2 steps ago 3 times"), "{}", report.summary);
}

#[test]
fn a_graft_or_release_clears_the_ring() {
    for clearing in ["Do(Snapshot(name: \"k\")), Do(Graft(from: \"k\"))", "Do(Release())"] {
        let plan = format!("Do(Watch(lag: 2)), {EVERY_STEP}, {clearing}, {EVERY_STEP}");
        let ended = run(with_plan(&plan));
        assert_eq!(values(&ended.events, "past_kl").len(), 5 + 5, "{clearing}");
    }
}

/// A plan with plain gradient descent at a rate of 1, so that a step is a gradient.
fn descending(plan: &str) -> RunSpec {
    let descent = support::spec("(train: (optimizer: Sgd(rate: 1.0)), arms: [(plan: [Test])])");
    let mut spec = with_plan(plan);
    spec.train.optimizer = descent.train.optimizer;
    spec
}

/// Gradients of the penalty alone, as the difference between a step with and one without, for plain gradient descent.
fn gradients_of_penalty(layers: &str) -> Vec<Vec<f64>> {
    let with = |watch: &str| run(descending(&format!("{watch} Train(\"2it\")"))).state.network;
    let (plain, pulled) = (with(""), with(&format!("Do(Watch(lag: 1, penalty: 3.0, layers: {layers})),")));
    let difference = |index: usize| {
        let pairs = plain.values(index).iter().zip(pulled.values(index));
        pairs.map(|(plain, pulled)| f64::from(*plain) - f64::from(*pulled)).collect()
    };
    (0..plain.len()).map(difference).collect()
}

/// 3 × the mean squared difference between the present logits and those of the past part with the present rest.
fn penalty(present: &Network, past: &Network, of_the_past: Range<usize>) -> f64 {
    let mut mixed = present.clone();
    for index in of_the_past {
        mixed.write(index, past.values(index));
    }
    let (now, then) = (logits(present, 1), logits(&mixed, 1));
    let squares = now.iter().zip(&then).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
    3.0 * squares.sum::<f64>() / now.len() as f64
}

#[test]
fn the_training_loss_has_the_penalty_in_it() {
    let losses = |watch: &str| {
        let plan = format!("{watch} Train(steps: \"2it\", evaluate: \"1it\")");
        values(&run(with_plan(&plan)).events, "train_loss")
    };
    let (plain, pulled) = (losses(""), losses("Do(Watch(lag: 1, penalty: 3.0)),"));
    assert_eq!((plain.len(), pulled[0]), (2, plain[0]), "there is no past in the first step");
    let expected = plain[1] + penalty(&after(1), &after(0), 0..6);
    assert!((pulled[1] - expected).abs() < 1e-9 && expected > plain[1], "{} and {expected}", pulled[1]);
}

#[test]
#[allow(clippy::needless_range_loop, reason = "the index names a parameter in three places")]
fn the_gradient_of_the_penalty_is_its_derivative_with_the_past_held() {
    let (past, present) = (after(0), run(descending("Train(\"1it\")")).state.network);
    for (layers, of_the_past) in [("All", 0..6), ("First(1)", 0..2), ("Last(1)", 4..6)] {
        let gradients = gradients_of_penalty(layers);
        for index in 0..present.len() {
            for entry in [0, 1, 5].into_iter().filter(|&entry| entry < present.values(index).len()) {
                let at = |shift: f32| {
                    let mut moved = present.clone();
                    let mut values = moved.values(index).to_vec();
                    values[entry] += shift;
                    moved.write(index, &values);
                    penalty(&moved, &past, of_the_past.clone())
                };
                let expected = (at(2e-3) - at(-2e-3)) / 4e-3;
                let found = gradients[index][entry];
                let close = (found - expected).abs() < 2e-3 * (1.0 + expected.abs());
                assert!(close, "{layers}, parameter {index}, entry {entry}: {found} and {expected}");
            }
        }
    }
}

#[test]
fn a_watched_run_goes_on_exactly() {
    assert_resumes(
        &with_plan(
            "Do(Watch(lag: 3, penalty: 0.5, layers: First(1))), Train(steps: \"8it\", evaluate: \"2it\")",
        ),
        2,
    );
}

#[test]
fn unknown_layers_are_named() {
    let found = complaints("Do(Watch(layers: Only([\"fc9\"]))), Train(\"1ep\")");
    assert!(found[0].contains("Watch, Layers: there is no layer \"fc9\""), "{found:?}");
}

/// How many of all values are other ones, as a share.
fn changed(a: &Network, b: &Network) -> f64 {
    let all =
        |network: &Network| (0..network.len()).flat_map(|index| network.values(index).to_vec()).collect();
    let (a, b): (Vec<f32>, Vec<f32>) = (all(a), all(b));
    a.iter().zip(&b).filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64 / a.len() as f64
}

#[test]
fn no_intervention_that_brings_other_values_keeps_the_past() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.safetensors");
    let other = context(with_plan("Test")).fresh_network(9);
    write_tensors(&file, &tensors_of(&other), None).unwrap();
    let trained = "Do(Snapshot(name: \"init\")), Do(Prune()), Do(Watch(lag: 2)), Train(\"3it\")";
    let before = run(with_plan(trained)).state.network;
    for intervention in Intervention::all() {
        let text = match intervention.key() {
            "Set" => "Set(parameter: \"fc1.bias\", indices: [0], value: 1.0)".to_owned(),
            "Import" => format!("Import(file: {file:?})"),
            "Export" => continue, // it writes a file, and no value
            _ => intervention.to_ron(),
        };
        let State { network, watch, .. } = run(with_plan(&format!("{trained}, Do({text})"))).state;
        let is_forgotten = watch.unwrap().past.is_empty();
        let ends_past = ["Graft", "Reinitialize", "Release", "Watch", "Import"].contains(&intervention.key());
        assert_eq!(is_forgotten, ends_past, "{text}");
        assert!(is_forgotten || changed(&before, &network) < 0.5, "{text}");
    }
}
