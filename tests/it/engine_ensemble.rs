//! Ensembles with shared layers, replayed by hand.

use data::shuffled;
use doc::RunSpec;
use intervene::stream::{Purpose, stream};
use net::{Gradients, Network, OptimizerState};
use run::RunContext;

use crate::support::{
    self, assert_resumes, complaints, context, points, reports, run, same_bits, values, with_plan,
};

const SHARED: [usize; 2] = [0, 1];

fn toy(mode: &str) -> RunSpec {
    with_plan(&format!("Ensemble(members: 3, share: First(1), mode: {mode}, steps: \"4it\")"))
}

/// The three members at their start: the present network, and two fresh ones with its first layer.
fn members(context: &RunContext) -> Vec<(Network, OptimizerState)> {
    let first = context.fresh_network(0);
    let generation = |member: u64| if member == 0 { 0 } else { (member << 32) | 1 };
    let mut all: Vec<Network> = (0..3).map(|member| context.fresh_network(generation(member))).collect();
    for network in &mut all {
        give(&first, network);
    }
    all.into_iter().map(|network| (network, OptimizerState::default())).collect()
}

fn give(from: &Network, to: &mut Network) {
    for index in SHARED {
        to.write(index, from.values(index));
    }
}

fn gradients(context: &RunContext, network: &Network, step: usize) -> Gradients {
    let mut rng = stream(context.spec.seed, Purpose::Order, &[0, step as u64 / 3]);
    let batch = context.data.train.pick(&shuffled(192, &mut rng)[64 * (step % 3)..][..64]);
    let gradient = &mut |logits: &[f32]| context.loss.evaluate(logits, &batch.labels).gradient;
    context.compute.train(network, &batch.values().unwrap(), 64, None, gradient).gradients
}

fn update(context: &RunContext, (network, memory): &mut (Network, OptimizerState), gradients: &Gradients) {
    let rule = &context.spec.train.optimizer;
    memory.step(rule, rule.rate(), network, gradients);
}

fn assert_members(spec: RunSpec, expected: &[(Network, OptimizerState)]) {
    let ended = run(spec);
    let found = ended.state.members();
    assert_eq!(found.len(), expected.len());
    for (found, (expected, _)) in found.into_iter().zip(expected) {
        assert!(same_bits(found, expected));
    }
}

#[test]
fn a_hand_over_can_be_replayed_by_hand() {
    let context = context(toy("CopyInTurn"));
    let mut all = members(&context);
    for step in 0..4 {
        for member in 0..3 {
            let gradients = gradients(&context, &all[member].0, step);
            update(&context, &mut all[member], &gradients);
            let giver = all[member].0.clone();
            let receivers = if member < 2 { member + 1..member + 2 } else { 0..2 };
            receivers.for_each(|receiver| give(&giver, &mut all[receiver].0));
        }
    }
    assert_members(toy("CopyInTurn"), &all);
}

#[test]
fn tied_members_take_one_step_along_the_sum_of_their_gradients() {
    let context = context(toy("Tied"));
    let mut all = members(&context);
    for step in 0..4 {
        let mut each: Vec<Gradients> =
            all.iter().map(|(network, _)| gradients(&context, network, step)).collect();
        for index in SHARED {
            for member in 1..3 {
                let own = each[member][index].take().unwrap();
                for (sum, own) in each[0][index].as_mut().unwrap().iter_mut().zip(own) {
                    *sum += own;
                }
            }
        }
        for (member, gradients) in all.iter_mut().zip(&each) {
            update(&context, member, gradients);
        }
        let first = all[0].0.clone();
        all[1..].iter_mut().for_each(|(network, _)| give(&first, network));
    }
    assert_members(toy("Tied"), &all);
}

#[test]
fn shared_layers_have_the_same_bits_and_own_layers_differ() {
    let spec = |mode: &str| {
        support::spec(&format!(
            "(data: Digits(limit_train: 64, limit_test: 20), net: Vgg(depth: 11, width: 2),
              train: (optimizer: Sgd(rate: 0.05, momentum: 0.9), batch: 32),
              arms: [(plan: [Do(Prune(amount: Fraction(0.2))),
                Ensemble(members: 3, share: First(2), mode: {mode}, steps: \"2it\"), Test])])"
        ))
    };
    for mode in ["CopyInTurn", "Tied"] {
        let ended = run(spec(mode));
        let state = &ended.state;
        let structure = state.network.structure();
        for (index, parameter) in structure.parameters.iter().enumerate() {
            let bits = |network: &Network| -> Vec<u32> {
                network.values(index).iter().map(|value| value.to_bits()).collect()
            };
            let is_shared = structure.layers[parameter.layer].unit < 2;
            for other in &state.others {
                let equal = bits(&state.network) == bits(&other.network);
                assert!(!is_shared || equal, "{mode}: {}", parameter.name);
            }
        }
        let heads: Vec<&[f32]> =
            state.members().iter().map(|network| network.values(network.len() - 2)).collect();
        assert!(heads[0] != heads[1] && heads[1] != heads[2]);
        let report = &reports(&ended.events, "members")[0];
        assert_eq!(report.passed, Some(true), "{}", report.summary);
        assert!(report.summary.contains("share features.0, features.1, features.4"), "{}", report.summary);
    }
}

#[test]
fn one_member_trains_as_it_would_alone() {
    let alone = run(with_plan("Train(\"5it\")"));
    let ensemble = run(with_plan("Ensemble(members: 1, steps: \"5it\")"));
    assert!(same_bits(&alone.state.network, &ensemble.state.network));
}

#[test]
fn a_test_reports_each_member_the_vote_and_their_distance() {
    let ended = run(with_plan("Ensemble(members: 3, steps: \"2ep\"), Test"));
    let last: Vec<_> = points(&ended.events).into_iter().filter(|point| point.stage == "1").collect();
    let named = |series: &str| -> Vec<Option<usize>> {
        last.iter().filter(|point| point.series == series).map(|point| point.member).collect()
    };
    assert_eq!(named("test_accuracy"), [Some(1), Some(2), Some(3)]);
    assert_eq!((named("vote_accuracy"), named("member_distance")), (vec![None], vec![None]));
    let training = points(&ended.events);
    let training = training.iter().filter(|point| point.series == "train_loss");
    assert_eq!(training.count(), 6, "three members, two epochs");
    assert!(values(&ended.events, "member_distance").iter().all(|distance| *distance > 0.0));
}

#[test]
fn local_steps_are_taken_on_the_same_mini_batch() {
    let spec = with_plan("Ensemble(members: 1, local_steps: 2, steps: \"1it\")");
    let context = context(spec.clone());
    let mut alone = (context.fresh_network(0), OptimizerState::default());
    for _ in 0..2 {
        let gradients = gradients(&context, &alone.0, 0);
        update(&context, &mut alone, &gradients);
    }
    assert_members(spec, &[alone]);
}

#[test]
fn an_ensemble_ends_when_its_shared_layers_stand_still() {
    let plan = "Ensemble(members: 2, steps: \"9it\", until: Change(below: 1000.0, over: \"2it\"))";
    let ended = run(with_plan(plan));
    assert_eq!(ended.state.position.iteration, 2);
    let report = &reports(&ended.events, "members")[0];
    assert!(report.summary.contains("ended after 2 mini-batches"), "{}", report.summary);
    let moving = run(with_plan(&plan.replace("1000.0", "0.0")));
    assert_eq!(moving.state.position.iteration, 9);
}

#[test]
fn later_stages_reach_members_by_name() {
    let ended = run(with_plan(
        "Ensemble(members: 2, steps: \"3it\"), Connect(a: \"member 1\", b: \"member 2\", points: 3),
         Do(Graft(from: \"member 2\"))",
    ));
    let [first, second] = ended.state.members()[..] else { panic!("two members") };
    assert!(same_bits(first, second));
}

#[test]
fn a_run_that_is_stopped_inside_an_ensemble_goes_on_exactly() {
    for mode in ["CopyInTurn", "Tied"] {
        let mut spec = with_plan(&format!(
            "Do(Prune(amount: Fraction(0.3))), Train(\"1it\"), Ensemble(members: 2, mode: {mode}, steps: \"6it\", until: Change(below: 1e-9, over: \"2it\")), Test"
        ));
        spec.train.evaluate = "2it".parse().unwrap();
        assert_resumes(&spec, 7);
    }
}

/// Bits of a parameter of every member, and what holds it.
fn members_of(ended: &support::Ended, index: usize) -> Vec<(Vec<u32>, Vec<intervene::Entry>)> {
    let bits = |network: &Network| network.values(index).iter().map(|value| value.to_bits()).collect();
    ended.state.members().into_iter().map(|network| (bits(network), network.all_entries(index))).collect()
}

#[test]
fn an_intervention_acts_on_the_first_member_and_hands_shared_layers_on() {
    let plan = "Ensemble(members: 3, share: First(1), steps: \"2it\"), Do(Prune(amount: Fraction(0.5))), Do(Snapshot(name: \"k\"))";
    let ended = run(with_plan(plan));
    let [shared, own] = [0, 2].map(|index| members_of(&ended, index));
    assert!(shared.iter().all(|member| *member == shared[0]), "values and mask of the shared layer");
    assert_eq!(ended.state.others[0].network.mask_counts(0).pruned, 256);
    assert_eq!(ended.state.others[0].network.mask_counts(2).pruned, 0, "own layers of others are left alone");
    assert!(own[0] != own[1]);
    let said = reports(&ended.events, "members");
    assert_eq!(said.len(), 2, "of the ensemble and of the pruning; a snapshot changes nothing");
    assert!(
        said[1].summary.contains("member 1 of 3; shared layers handed over (fc1)"),
        "{}",
        said[1].summary
    );
    assert_eq!(said[1].passed, Some(true));

    let ended = run(with_plan(&format!("{plan}, Ensemble(members: 3, share: First(1), steps: \"2it\")")));
    let held = reports(&ended.events, "held");
    let entries = 3 * 256 + 24 + 30; // the shared mask three times, and those of member 1 alone
    assert_eq!(held[0].summary, format!("{entries} pruned weights kept at 0"));
    assert!(members_of(&ended, 0).iter().all(|member| *member == members_of(&ended, 0)[0]));

    let plan = plan.replace("Do(Prune(amount", "Do(Prune(target: (layers: Last(1)), amount");
    let said = reports(&run(with_plan(&plan)).events, "members");
    assert!(said[1].summary.contains("it changed no shared layer"), "{}", said[1].summary);
}

#[test]
fn what_cannot_be_shared_is_said() {
    let found = complaints("Ensemble(share: Only([\"fc9\"]))");
    assert!(found[0].contains("Ensemble, Shared layers: there is no layer"), "{found:?}");
    let found = complaints("Ensemble(mode: Tied, local_steps: 2)");
    assert!(found[0].contains("Ensemble, Local steps: tied members"), "{found:?}");
    let found = complaints("Ensemble(share: First(0), until: Change())");
    assert!(found[0].contains("no layer is shared"), "{found:?}");
}
