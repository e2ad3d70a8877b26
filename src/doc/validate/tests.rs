use std::path::Path;

use super::*;
use crate::file::{describe, parse};
use crate::problem::Severity;

fn problems(text: &str) -> Vec<String> {
    let path = Path::new("x.ron");
    let experiment = parse(text, path).unwrap();
    validate(&experiment).iter().map(|problem| describe(problem, path, text)).collect()
}

fn with_plan(plan: &str) -> Vec<String> {
    problems(&format!("(arms: [(name: \"a\", plan: [\n{plan}\n])])"))
}

#[test]
fn a_short_correct_document_has_no_problems() {
    assert_eq!(with_plan("Train(\"1ep\"), Test"), Vec::<String>::new());
}

#[test]
fn each_mistake_is_named_with_line_and_column() {
    for (plan, line) in [
        (
            "Do(Prune(amount: Fraction(1.5)))",
            "x.ron:2:18: a, stage 1 Prune, Amount: Fraction is 150 %; it must be between 0 % and 100 % \
                (arms[0].plan[0].Do.Prune.amount.Fraction)",
        ),
        ("Do(Graft(from: \"start\"))", "x.ron:2:10: a, stage 1 Graft, From: there is no snapshot"),
        ("Train(\"0ep\")", "x.ron:2:1: a, stage 1 Train: "),
        (
            "Do(Prune(target: (layers: Only([\"fc9\"]))))",
            "x.ron:2:33: a, stage 1 Prune, Target, Layers: there is no layer \"fc9\"",
        ),
    ] {
        let found = with_plan(plan);
        assert!(found.iter().any(|problem| problem.starts_with(line)), "{found:#?} lacks {line}");
    }
}

#[test]
fn an_empty_plan_asks_for_a_stage() {
    let found = with_plan("");
    let message = "add a stage to the plan of \"a\", such as Train";
    assert!(found.len() == 1 && found[0].contains(message), "{found:?}");
}

#[test]
fn settings_that_change_nothing_are_noted_and_run() {
    let notes = |text: &str| {
        let experiment = parse(text, Path::new("x.ron")).unwrap();
        let found = validate(&experiment).into_iter();
        found.map(|it| (it.severity == Severity::Note, it.message)).collect::<Vec<_>>()
    };
    let no_step = (true, NO_STEP.to_owned());
    let of_all = "(train: (optimizer: Sgd(rate: 0.0)), arms: [(plan: [Train()])])";
    assert!(notes(of_all) == notes("(arms: [(plan: [Train(rate: 0.0)])])") && notes(of_all) == [no_step]);
    let frozen = notes("(arms: [(plan: [Do(Freeze()), Train()])])");
    assert!(frozen.len() == 1 && frozen[0].0 && frozen[0].1.contains("freezes everything"), "{frozen:?}");
    assert_eq!(notes("(arms: [(plan: [Do(Freeze(target: (layers: First(1)))), Train()])])"), []);
}

#[test]
fn plans_and_sweeps_without_end_are_refused_before_they_are_written_out() {
    let nested = with_plan(
        "Repeat(times: 1000, body: [Repeat(times: 1000, body: [Repeat(times: 1000, body: [Test])])])",
    );
    assert!(nested[0].contains("1000000000 steps"), "{nested:#?}");
    let values = vec!["0.1"; 400].join(", ");
    let sweep = problems(&format!(
        "(sweep: {{ \"train.optimizer.rate\": [{values}], \"train.batch\": [{values}] }}, arms: [(plan: [Test])])"
    ));
    assert!(sweep[0].contains("160,000 runs"), "{sweep:#?}");
}

#[test]
fn settings_that_cannot_go_together_are_named() {
    for (text, part) in [
        ("(data: Iris(), train: (augment: [Crop(4)]), arms: [(plan: [Test])])", "not images"),
        ("(train: (optimizer: Sgd(nesterov: true)), arms: [(plan: [Test])])", "momentum above 0"),
        ("(set: { \"seed\": 7 }, arms: [(plan: [Test])])", "seeds"),
        ("(data: Iris(), net: Vgg(), arms: [(plan: [Test])])", "not images"),
        (
            "(net: ResNet(), arms: [(plan: [Do(Freeze(target: (layers: Only([\"layer9.0\"]))))])])",
            "there are conv1, layer1.0.conv1, layer1.0.conv2, layer1.0, layer1.1.conv1",
        ),
        (
            "(data: Digits(limit_train: 1), net: ResNet(), arms: [(plan: [Do(Snapshot(name: \"a\")), Connect(a: \"a\", b: \"a\")])])",
            "measured on two training samples at least",
        ),
        ("(arms: [(plan: [Do(Export(file: \"../x.safetensors\"))])])", "go into the folder exports"),
        ("(arms: [(plan: [Do(Prune(criterion: Movement(since: \"nope\")))])])", "there is no snapshot"),
        ("(arms: [(plan: [Do(Freeze(target: (params: Activations)))])])", "only faults can target them"),
        ("(arms: [(plan: [Do(Freeze(target: (params: Norm)))])])", "matches no parameter of this network"),
        ("(arms: [(plan: [Do(Prune(target: (channels: [999])))])])", "there is no channel 999"),
    ] {
        let found = problems(text);
        assert!(found.iter().any(|problem| problem.contains(part)), "{text}: {found:#?}");
    }
}

#[test]
fn networks_and_data_must_fit() {
    let vgg = problems("(data: Mnist(), net: Vgg(depth: 12), arms: [(plan: [Test])])");
    assert!(vgg[0].contains("Depth is 12; it must be 11, 13, 16 or 19"), "{vgg:#?}");
    let vgg = problems("(data: Digits(image_size: Some(16)), net: Vgg(), arms: [(plan: [Test])])");
    assert!(vgg[0].contains("image_size: 32"), "{vgg:#?}");
    for (net, name) in
        [("LeNet5()", "LeNet-5"), ("ConvNet()", "convolutional network"), ("ResNet()", "ResNet")]
    {
        let found = problems(&format!("(data: Iris(), net: {net}, arms: [(plan: [Test])])"));
        let expected = format!("a {name} needs images, and these data are not images; choose an Mlp");
        assert!(found.len() == 1 && found[0].contains(&expected), "{found:#?}");
    }
    let rows = "(data: Iris(), net: Sequential(layers: [Conv(), Flatten, Linear()]), arms: [(plan: [Test])])";
    assert!(problems(rows)[0].contains("a row of 4 features comes in; choose data with images"));
    let loss = problems("(train: (loss: BinaryCrossEntropy), arms: [(plan: [Test])])");
    assert!(loss[0].contains("the data have 10"), "{loss:#?}");
}

#[test]
fn names_and_seeds_are_told_apart() {
    let found = problems("(seeds: [1, 1], arms: [(name: \"a\", plan: [Test]), (name: \"a\", plan: [Test])])");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("x.ron:1:52: a, Name: "), "{found:#?}");
}

/// Batch norms that would see one value, and what only further rounds of a repetition find.
mod one_value {
    use super::*;

    /// Returns the problems of batch norms with one value: on 120 samples, one feature each, unless the settings say otherwise.
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
        assert!(
            rest[0].contains("is left of an epoch; let the training before it end elsewhere"),
            "{rest:?}"
        );
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
        assert!(
            found.len() == 1 && found[0].contains("a fault drawn for every image is in place"),
            "{found:?}"
        );
    }
}
