//! Lines between networks, and branches with data of their own.

use std::path::Path;

use weightlab::doc::file::parse;
use weightlab::doc::runs;
use weightlab::results::Event;

use crate::support::{
    assert_resumes, complaints, context, failure, points, reports, run, same_bits, values, with_plan,
};

const TWO_BRANCHES: &str = "Train(\"1ep\"),
    Branch(name: \"one\", order: Own, plan: [Train(\"2ep\"), Test]),
    Branch(name: \"two\", order: Own, plan: [Train(\"2ep\"), Test]),
    Connect(a: \"one\", b: \"two\", points: 5)";

#[test]
fn the_ends_of_a_line_are_the_two_networks() {
    let ended = run(with_plan(TWO_BRANCHES));
    let ends: Vec<f64> = points(&ended.events)
        .iter()
        .filter(|point| point.series == "test_loss" && (point.stage == "1.1" || point.stage == "2.1"))
        .map(|point| point.value)
        .collect();
    let line = values(&ended.events, "line_loss");
    assert_eq!((line.len(), ends.len()), (5, 2));
    assert_eq!([line[0].to_bits(), line[4].to_bits()], [ends[0].to_bits(), ends[1].to_bits()]);
    let along: Vec<f64> = points(&ended.events).iter().filter_map(|point| point.along).collect();
    assert_eq!(along[..4], [0.0, 0.0, 0.25, 0.25]);
}

#[test]
fn progress_ends_with_the_last_network_of_a_line() {
    let progress = run(with_plan(TWO_BRANCHES)).events.into_iter().filter_map(|event| match event {
        Event::Progress(progress) => Some(progress.done),
        _ => None,
    });
    let done: Vec<f64> = progress.collect();
    assert!(done.last().is_some_and(|last| (last - 1.0).abs() < 1e-9), "{done:?}");
}

#[test]
fn the_middle_of_a_line_is_the_mean_of_its_ends_and_pins_do_not_matter() {
    let plan = "Branch(name: \"one\", order: Own, plan: [Do(Prune(amount: Fraction(0.5))), Train(\"1ep\")]),
        Branch(name: \"two\", order: Own, plan: [Train(\"1ep\")]), Connect(a: \"one\", b: \"two\", points: 3)";
    let ended = run(with_plan(plan));
    let (one, two) = (&ended.state.kept["one"].network, &ended.state.kept["two"].network);
    let mut mean = two.clone();
    for index in 0..mean.len() {
        let pairs = one.values(index).iter().zip(two.values(index));
        let values: Vec<f32> =
            pairs.map(|(a, b)| (0.5 * f64::from(*a) + 0.5 * f64::from(*b)) as f32).collect();
        mean.write(index, &values);
    }
    assert!(same_bits(&one.between(two, 0.5), &mean));
    let context = context(with_plan(plan));
    let test = &context.data.test;
    let logits = context.compute.logits(&mean, &test.values, test.len());
    let loss = context.loss.evaluate(&logits, &test.labels).mean;
    assert!((values(&ended.events, "line_loss")[1] - loss).abs() < 1e-12);
}

#[test]
fn the_barrier_is_reported_and_names_are_checked() {
    let ended = run(with_plan(TWO_BRANCHES));
    let report = &reports(&ended.events, "line")[0];
    assert!(report.summary.starts_with("the error barrier between one and two is"), "{}", report.summary);
    assert_eq!(report.rows.len(), 5);
    let found = complaints("Do(Snapshot(name: \"one\")), Connect(a: \"one\", b: \"three\")");
    assert!(found.len() == 1 && found[0].contains("Connect, To network: there is no snapshot"), "{found:?}");
}

#[test]
fn a_branch_with_other_data_trains_and_tests_on_them() {
    let other = "Train(\"4it\"), Branch(name: \"other\", data: Digits(limit_train: 100, limit_test: 20),
        plan: [Train(\"2ep\"), Test]), Train(\"1ep\"), Test";
    let ended = run(with_plan(other));
    let inside: Vec<_> = points(&ended.events).into_iter().filter(|point| point.branch == "other").collect();
    let last = inside.last().expect("the branch is tested");
    assert_eq!((last.epoch, last.iteration), (4.0, 8), "from the next epoch on, two mini-batches an epoch");
    let wrong = last.value * 20.0;
    assert!((wrong - wrong.round()).abs() < 1e-9, "accuracy of 20 images: {}", last.value);
    let plain = run(with_plan("Train(\"4it\"), Train(\"1ep\"), Test"));
    assert!(same_bits(&ended.state.network, &plain.state.network), "the original goes on as it would");
    assert_resumes(&with_plan(other), 3);
}

#[test]
fn data_of_another_shape_are_refused() {
    let found = complaints("Branch(name: \"iris\", data: Iris(), plan: [Test])");
    assert!(found[0].contains("Branch, Data: a branch needs data of the same shape"), "{found:?}");
    // Files can turn out to hold something else than the check knew.
    let experiment =
        parse("(arms: [(plan: [Branch(name: \"iris\", data: Iris(), plan: [Test])])])", Path::new("x.ron"));
    let unchecked = runs(&experiment.unwrap()).unwrap().swap_remove(0);
    let message = failure(unchecked.spec.as_ref().clone());
    assert!(message.contains("a clone needs data of the same shape"), "{message}");
}

#[test]
fn a_line_is_measured_anew_when_its_run_was_stopped() {
    assert_resumes(&with_plan(TWO_BRANCHES), 4);
}
