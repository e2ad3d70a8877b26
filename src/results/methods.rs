//! A paragraph for the methods section of a paper, made from the document: what was done, in full sentences.

use std::fmt::Write;

use super::table::settings::{NONE, Settings, differing, settings, short, value_of};
use super::{RunRecord, inventory};
use doc::{ExpandedArm, Experiment, Kernels, Problem, RunSpec, Stage, Training, expand_arms, listed};
use form::number::grouped;
use form::{Group, Node, Value};

/// Returns the paragraph, and a line for each arm. The paragraph describes data, network and training of the first arm;
/// the lines of the other arms give their differences. `records` are of its runs: they know the samples.
///
/// # Errors
/// The problems of the arms.
pub fn methods<'a>(
    experiment: &Experiment,
    records: impl IntoIterator<Item = &'a RunRecord>,
) -> Result<String, Vec<Problem>> {
    let arms = expand_arms(experiment)?;
    let Some(first) = arms.first() else { return Ok("The experiment has no arms yet.\n".to_owned()) };
    let mut text = format!(
        "{} was trained on {} {} {}\n",
        network(&first.spec),
        data(experiment, &first.spec, &inventory::sentences(records)),
        training(&first.spec),
        replicates(experiment, arms.len())
    );
    // The text gives plans in sentences.
    let without_plan = |arm: &ExpandedArm| settings(&RunSpec { plan: Vec::new(), ..arm.spec.clone() });
    let all: Vec<Settings> = arms.iter().map(without_plan).collect();
    let differing = differing(&all);
    for (arm, settings) in arms.iter().zip(&all) {
        text.push_str(&of_arm(arm, (&first.spec, &all[0]), settings, &differing));
    }
    Ok(text)
}

/// Returns "MNIST (60,000 samples for training, 0 for validation, 10,000 for testing; split: the files of the set; 10
/// classes).", then sentences about what could not be read, classes, columns and files.
fn data(experiment: &Experiment, spec: &RunSpec, of_runs: &str) -> String {
    // Without the brackets at its end.
    let name = spec.data.label().split(" (").next().unwrap_or_default();
    let found = experiment.looks.inventory(&spec.data, spec.net.image_side());
    let Some(found) = found else { return format!("{name}.{of_runs}") };
    let sizes = found.sizes().replacen(" for", " samples for", 1);
    let split = (!found.split.is_empty()).then(|| format!("split: {}", found.split));
    let classes = format!("{} classes", grouped(found.classes.len() as u64));
    let chosen = Some(changed(&mut spec.data.without_place())).filter(|chosen| !chosen.is_empty());
    let parts: Vec<String> =
        std::iter::once(sizes).chain(split).chain(std::iter::once(classes)).chain(chosen).collect();
    format!("{name} ({}).{of_runs}{}", parts.join("; "), found.sentences())
}

/// Returns "A multi-layer perceptron with hidden layers of 300 and 100 units and ReLU (266,610 trained parameters, …)".
fn network(spec: &RunSpec) -> String {
    let parameters = spec.structure().map_or(0, |structure| structure.trained_count());
    let parameters = grouped(parameters as u64);
    let (weights, biases) = spec.net.rule().initial();
    let biases = match biases.label() {
        "PyTorch default" => String::new(),
        biases => format!(", initial biases {}", biases.to_lowercase()),
    };
    let (shape, weights) = (spec.net.rule().description(), weights.label());
    format!("{shape} ({parameters} trained parameters, initial weights {weights}{biases})")
}

/// Returns "Training minimized the cross-entropy with SGD (…) in mini-batches of 64 samples."
fn training(spec: &RunSpec) -> String {
    let RunSpec { train, device, .. } = spec;
    let Training { optimizer, batch, loss, augment, kernels, .. } = train;
    let mut text = format!(
        "Training minimized the {} with {} in mini-batches of {batch}",
        loss.label().to_lowercase(),
        in_words(&mut optimizer.clone())
    );
    text.push_str(&train.rate_sentence());
    if !augment.is_empty() {
        let changes: Vec<String> =
            augment.iter().map(|change| in_words(&mut change.clone()).to_lowercase()).collect();
        write!(text, "; images were augmented by {}", listed(&changes)).expect(STRING);
    }
    write!(text, ". Networks were evaluated {}.", train.evaluation_sentence()).expect(STRING);
    if let Some(sentence) = device.sentence() {
        return text + " " + &sentence;
    }
    match kernels {
        Kernels::Fast if spec.has_fast_convolutions() => {
            text.push_str(" Training computed wide 3×3 convolutions by Winograd's algorithm.");
        }
        Kernels::Fast | Kernels::Exact => {}
        Kernels::Burn => text.push_str(" Networks were computed by Burn."),
    }
    text
}

const STRING: &str = "a string can be written to";

fn replicates(experiment: &Experiment, arms: usize) -> String {
    let seeds = &experiment.seeds;
    let list: Vec<String> = seeds.iter().map(ToString::to_string).collect();
    let seeds = if seeds.len() == 1 { "1 seed".to_owned() } else { format!("{} seeds", seeds.len()) };
    let (arms, each) =
        if arms == 1 { ("1 arm was".to_owned(), "") } else { (format!("{arms} arms were"), " each") };
    let pairs = " Runs with the same seed share initial weights, data order and other random draws, so that arms are compared in pairs.";
    format!(
        "{arms} run with {seeds}{each} ({}).{} All runs used Weightlab {} in single precision.",
        list.join(", "),
        if experiment.seeds.len() > 1 { pairs } else { "" },
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns the plan of an arm, and its settings where they are not those of the first one.
fn of_arm(
    arm: &ExpandedArm,
    (spec, first): (&RunSpec, &Settings),
    own: &Settings,
    differing: &[String],
) -> String {
    let mut text = format!("Arm \"{}\": {}.", arm.name, plan(&arm.spec.plan));
    if let Ok(structure) = arm.spec.structure()
        && any(&arm.spec.plan, &|stage| matches!(stage, Stage::Connect(line) if line.reestimates(&structure)))
    {
        text.push_str(REESTIMATED);
    }
    // Another list of layers is described, rather than its settings one by one.
    let is_whole = |path: &String| path == "net" || path == "net.layers";
    let has_other_layers = arm.spec.net != spec.net && differing.iter().any(is_whole);
    if has_other_layers {
        write!(text, " Network: {}.", network(&arm.spec)).expect(STRING);
    }
    let set = |path: &String| {
        if has_other_layers && path.starts_with("net") {
            return None;
        }
        let value = value_of(own, path);
        let name = || short(path, differing).replace(['_', '.'], " ");
        (value != value_of(first, path) && value != NONE).then(|| format!("{} {value}", name()))
    };
    let set: Vec<String> = differing.iter().filter_map(set).collect();
    if !set.is_empty() {
        write!(text, " Here: {}.", listed(&set)).expect(STRING);
    }
    text + "\n"
}

/// Lists stages in their order, with those that they hold in brackets.
fn plan(stages: &[Stage]) -> String {
    let stage = |stage: &Stage| match stage.nested() {
        Some(nested) => format!("{} ({})", stage.sentence(), plan(nested.plan)),
        None => stage.sentence(),
    };
    if stages.is_empty() {
        "nothing".to_owned()
    } else {
        stages.iter().map(stage).collect::<Vec<_>>().join("; ")
    }
}

/// The sentence about an arm with such lines between networks.
const REESTIMATED: &str = " Along the line, batch-norm statistics were measured again for each network, over the \
    training part without augmentation.";

fn any(stages: &[Stage], holds: &dyn Fn(&Stage) -> bool) -> bool {
    stages.iter().any(|stage| holds(stage) || stage.nested().is_some_and(|nested| any(nested.plan, holds)))
}

/// Returns the settings of a choice that do not have their defaults, by their labels.
fn changed(value: &mut dyn Value) -> String {
    match value.node() {
        Node::Choice(choice) => choice.payload().map(changed).unwrap_or_default(),
        Node::Group(group) => parts(group, false),
        _ => String::new(),
    }
}

/// Returns a setting with all that it holds, by its labels; what is left out is not named.
fn in_words(value: &mut dyn Value) -> String {
    match value.node() {
        Node::Choice(choice) => {
            let label = choice.variant().label.to_owned();
            let inner = choice.payload().map(in_words).unwrap_or_default();
            if inner.is_empty() { label } else { format!("{label} ({inner})") }
        }
        Node::Group(group) => parts(group, true),
        Node::List(list) => {
            let items: Vec<String> = (0..list.count()).map(|index| in_words(list.item(index))).collect();
            if items.is_empty() { String::new() } else { listed(&items) }
        }
        Node::Optional(optional) => optional.value().map(in_words).unwrap_or_default(),
        Node::Text(text) => text.clone(),
        Node::Length(length) => length.to_string(),
        Node::Switch(on) => if *on { "yes" } else { "no" }.to_owned(),
        Node::Integer(number) => grouped(number.get()),
        Node::Number(number) => number.to_string(),
        Node::Overrides(_) => String::new(),
    }
}

/// Returns the settings of a group, all of them or those that do not have their defaults. A switch that is off is not
/// named.
fn parts(group: &mut dyn Group, all: bool) -> String {
    let mut parts = Vec::new();
    for (index, field) in group.fields().iter().enumerate() {
        if !all && group.is_default(index) {
            continue;
        }
        let label = field.label.to_lowercase();
        let is_switch = matches!(group.value(index).node(), Node::Switch(_));
        let text = in_words(group.value(index));
        match text.as_str() {
            "" => {}
            "no" if is_switch => {}
            "yes" if is_switch => parts.push(label),
            // "samples 300", not "samples 300 samples"
            _ if field.unit.is_empty() || label.contains(field.unit) => parts.push(format!("{label} {text}")),
            _ => parts.push(format!("{label} {text} {}", field.unit)),
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::file::parse;

    fn text(document: &str) -> String {
        methods(&parse(document, Path::new("x.ron")).unwrap(), []).unwrap()
    }

    #[test]
    fn a_paper_can_say_what_was_done() {
        let text = text("(data: Digits(limit_train: 300), net: Mlp(hidden: [30]), seeds: [1, 2], train: (optimizer: Sgd(rate: 0.25), batch: 60, schedule: Cosine(over: \"3ep\")), arms: [(name: \"ticket\",
            plan: [Train(\"3ep\"), Repeat(times: 2, body: [Do(Prune(amount: Fraction(0.5))), Test])])])");
        // 64·30 + 30 + 30·10 + 10
        let begin = "A multi-layer perceptron with one hidden layer of 30 units and ReLU (2,260 trained parameters, initial weights PyTorch default) was trained on Digits (300 samples for training, 0 for validation, 360 for testing; split: every fifth sample for testing; the first 300 of 1,437 training samples; 10 classes; train on 300 samples). A sample has 8×8 pixels, 1 channel; the classes are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9. Training minimized the cross-entropy with SGD (";
        assert!(text.starts_with(begin), "{text}");
        for part in [
            "rate 0.25",
            ") in mini-batches of 60, the learning rate falling along half a cosine over 3 epochs. Networks were evaluated every epoch. 1 arm was run with 2 seeds (1, 2). ",
            "Arm \"ticket\": Train 3 epochs; Repeat 2 times (Prune 50 %",
            "; Test).",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn what_was_left_out_of_the_data_is_counted() {
        let experiment =
            parse("(data: Iris(), arms: [(name: \"a\", plan: [Test])])", Path::new("x.ron")).unwrap();
        let mut found = experiment.looks.inventory(&experiment.data, None).unwrap();
        found.unreadable = vec!["a.png: no picture".to_owned()];
        let record = RunRecord::from_events([crate::Event::Report(inventory::report(&found))]);
        let text = methods(&experiment, [&record]).unwrap();
        assert!(
            text.contains("3 classes). Of these, 1 sample could not be read and was left out. A sample has 4 features; the classes are setosa, versicolor, virginica. Training"),
            "{text}"
        );
    }

    #[test]
    fn a_convolutional_network_is_told_with_what_it_was_trained_on() {
        let text = text("(data: Cifar10(), net: Vgg(depth: 11, width: 16), train: (augment: [FlipHorizontal, Crop(4)], evaluate: \"100it\"),
            arms: [(name: \"a\", plan: [Test])])");
        assert!(text.starts_with("A VGG-11 of width 16 with batch norm and a linear head ("), "{text}");
        for part in [
            " was trained on CIFAR-10 (50,000 samples for training, 0 for validation, 10,000 for testing; split: the files of the set; 10 classes). A sample has 32×32 pixels, 3 channels; the classes are airplane, ",
            "; images were augmented by flip and crop (4). Networks were evaluated every 100 iterations. ",
            "by Winograd's algorithm.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn what_a_gpu_does_not_promise_is_told_and_kernels_are_not() {
        let text = text("(device: Wgpu, train: (kernels: Burn), arms: [(name: \"a\", plan: [Test])])");
        let sentence = doc::Device::Wgpu.sentence().unwrap();
        assert!(text.contains(&format!("every epoch. {sentence} 1 arm was run")), "{text}");
    }

    #[test]
    fn statistics_along_a_line_are_named_where_there_are_some() {
        let with = |net: &str, statistics: &str| {
            let line = format!("Connect(a: \"a\", b: \"b\", statistics: {statistics})");
            text(&format!("(net: {net}, arms: [(plan: [Repeat(times: 2, body: [{line}])])])"))
        };
        let reestimated = with("Vgg()", "Reestimated");
        assert!(
            reestimated.contains("at 11 points). Along the line, batch-norm statistics were measured again")
        );
        let interpolated = with("Vgg()", "Interpolated");
        assert!(
            interpolated.ends_with("at 11 points, batch-norm statistics interpolated).\n"),
            "{interpolated}"
        );
        assert!(with("Mlp()", "Reestimated").ends_with("at 11 points).\n"));
    }

    #[test]
    fn networks_of_other_layers_are_described() {
        let text = text("(data: Digits(), net: Sequential(layers: [Conv(channels: 4, stride: 2, bias: false), Relu, Flatten, Linear()]),
            arms: [(name: \"a\", plan: [Test]), (name: \"b\", net: LeNet5(), plan: [Test])])");
        // 4·9 + 64·10 + 10
        let begin = "A network of the layers [conv 4, 3×3, stride 2, no bias; ReLU; flatten; linear to classes] (686 trained \
            parameters, initial weights PyTorch default) was trained on";
        assert!(text.starts_with(begin), "{text}");
        assert!(
            text.contains(
                "Arm \"b\": Test. Network: A LeNet-5 with ReLU and max pooling (61,706 trained parameters"
            ),
            "{text}"
        );
    }

    #[test]
    fn of_an_arm_only_what_differs_is_said() {
        let text = text("(sweep: { \"train.batch\": [8, 16] }, arms: [(name: \"a\", plan: [Test])])");
        assert!(text.contains("in mini-batches of 8."), "{text}");
        assert!(
            text.ends_with("Arm \"a, batch 8\": Test.\nArm \"a, batch 16\": Test. Here: batch 16.\n"),
            "{text}"
        );
        assert_eq!(text.matches("Training minimized").count(), 1);
    }
}
