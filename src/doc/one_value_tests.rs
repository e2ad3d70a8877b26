//! Batch norms that would see one value, and what only further rounds of a repetition find.

use std::path::Path;

use super::validate;
use crate::file::{describe, parse};

fn problems(text: &str) -> Vec<String> {
    let path = Path::new("x.ron");
    validate(&parse(text, path).unwrap()).iter().map(|problem| describe(problem, path, text)).collect()
}

/// What is said of batch norms with one value: on 120 samples, one feature each, unless the settings say otherwise.
fn one_value(batch: usize, plan: &str) -> Vec<String> {
    let found = problems(&format!(
        "(data: Iris(), net: Sequential(layers: [Linear(8), BatchNorm(), Relu, Linear()]), train: (batch: {batch}), \
            arms: [(name: \"a\", plan: [{plan}])])"
    ));
    found.into_iter().filter(|problem| problem.contains("one value for each channel")).collect()
}

#[test]
fn a_batch_norm_that_would_see_one_value_is_refused_where_its_training_gets_there() {
    let found = one_value(17, "Train(\"2ep\")");
    let message = "batch norm 1 would see one value for each channel, which it cannot normalize: 120 training samples \
        in mini-batches of 17 leave one of a single sample; choose another batch size, such as 18";
    assert!(found.len() == 1 && found[0].contains(message), "{found:?}");
    let rest = one_value(16, "Train(steps: \"1it\", batch: Some(119)), Train(\"1it\")");
    assert!(rest[0].contains("is left of an epoch; let the training before it end elsewhere"), "{rest:?}");
    let seventh = "Train(\"7it\")"; // all but the last mini-batch of an epoch
    for (batch, plan) in [
        (17, "Train(\"8it\")"),
        (1, "Train(\"1it\")"),
        (16, "Train(steps: \"1ep\", batch: Some(119))"),
        (17, &format!("{seventh}, Train(\"1it\")")),
        (17, "Repeat(times: 4, body: [Train(\"2it\")])"),
        (17, "Ensemble(members: 2, steps: \"1ep\")"),
        (17, "Do(Prune(criterion: Snip(batches: 8)))"),
        (17, "Do(Freeze(use_statistics: true)), Do(Release()), Train(\"1ep\")"),
        (17, "Do(Freeze(use_statistics: true)), Ensemble(members: 2, share: First(0), steps: \"1ep\")"),
        (17, "Do(Freeze(use_statistics: true)), Branch(init: Fresh, plan: [Train(\"1ep\")])"),
        // 18 of an epoch are left for mini-batches of 17.
        (17, "Train(steps: \"1it\", batch: Some(102)), Train(\"2it\")"),
        (20, "Branch(data: Some(Iris(limit_train: Some(41))), plan: [Train(\"1ep\")])"),
        (20, "Branch(data: Some(Iris(validation: 19)), plan: [Train(\"1ep\")])"),
        (
            17,
            &format!(
                "Do(Snapshot(name: \"s\")), Train(\"1it\"), Do(Graft(from: \"s\")), {seventh}, Train(\"1it\")"
            ),
        ),
    ] {
        assert_eq!(one_value(batch, plan).len(), 1, "{batch}: {plan}: {:?}", one_value(batch, plan));
    }
    for (batch, plan) in [
        (16, "Train(\"3ep\")"),
        (17, seventh),
        (17, "Repeat(times: 7, body: [Train(\"1it\")])"),
        (17, "Train(steps: \"9ep\", batch: Some(20))"),
        (17, "Do(Freeze(use_statistics: true)), Train(\"1ep\")"),
        (17, "Do(Prune(criterion: Snip(batches: 7)))"),
        (17, &format!("Do(Snapshot(name: \"s\")), {seventh}, Do(Graft(from: \"s\")), {seventh}")),
        (17, &format!("{seventh}, Branch(init: Fresh, plan: [{seventh}])")),
        (
            17,
            "Train(steps: \"1it\", batch: Some(102)), Train(steps: \"2it\", batch: Some(9)), Train(\"7it\")",
        ),
        (20, "Branch(data: Some(Iris(limit_train: Some(40))), plan: [Train(\"1ep\")])"),
    ] {
        assert_eq!(one_value(batch, plan), Vec::<String>::new(), "{batch}: {plan}");
    }
}

#[test]
fn a_batch_norm_of_maps_trains_on_one_sample() {
    let found = |layers: &str| {
        problems(&format!(
            "(data: Digits(limit_train: Some(33)), net: Sequential(layers: [{layers}]), train: (batch: 32), \
                arms: [(plan: [Train(\"1ep\")])])"
        ))
    };
    let maps = "Conv(channels: 4), BatchNorm(), Relu, GlobalAveragePool, Flatten, Linear()";
    assert_eq!(found(maps), Vec::<String>::new());
    // The last map has one pixel.
    let pixel = "Conv(channels: 4), BatchNorm(), AdaptiveAveragePool(1), BatchNorm(), Flatten, Linear()";
    assert!(found(pixel).len() == 1 && found(pixel)[0].contains("batch norm 3 would see one value"));
}

#[test]
fn further_rounds_find_what_the_first_one_left() {
    let body = "Train(\"1ep\"), Do(Fault(draw: EveryImage))";
    assert_eq!(
        problems(&format!("(arms: [(plan: [Repeat(times: 1, body: [{body}])])])")),
        Vec::<String>::new()
    );
    let found = problems(&format!("(arms: [(plan: [Repeat(times: 9, body: [{body}])])])"));
    assert!(found.len() == 1 && found[0].contains("a fault drawn for every image is in place"), "{found:?}");
}
