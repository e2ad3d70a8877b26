//! A paragraph for the methods section of a paper, made from the document: what was done, in full sentences.

use std::fmt::Write;

use super::number::fixed;
use crate::doc::{ExpandedArm, Experiment, Problem, RunSpec, Stage, Structure, expand_arms};
use crate::form::{Node, Value};

/// The paragraph, and a line for each arm.
///
/// # Errors
/// What is wrong with the arms.
pub fn methods(experiment: &Experiment) -> Result<String, Vec<Problem>> {
    let arms = expand_arms(experiment)?;
    let Some(first) = arms.first() else { return Ok("The experiment has no arms yet.\n".to_owned()) };
    let mut text = String::new();
    let shared = |same: fn(&RunSpec, &RunSpec) -> bool| arms.iter().all(|arm| same(&arm.spec, &first.spec));
    let net = shared(|a, b| a.net == b.net);
    let train = shared(|a, b| a.train == b.train);
    text.push_str(&data(&first.spec));
    if net {
        write!(text, " The network was {}.", network(&first.spec)).expect("writing to a string");
    }
    if train {
        write!(text, " Training: {}.", in_words(&mut first.spec.train.clone())).expect("writing to a string");
    }
    text.push_str(&replicates(experiment, arms.len()));
    text.push('\n');
    for arm in &arms {
        text.push_str(&of_arm(arm, net, train));
    }
    Ok(text)
}

fn data(spec: &RunSpec) -> String {
    let facts = spec.data.facts(spec.net.image_side());
    let counted = |number: usize| fixed(f64::from(u32::try_from(number).unwrap_or(u32::MAX)), 0);
    format!(
        "Data: {}; {} samples for training and {} for testing, {} classes.",
        in_words(&mut spec.data.without_place()),
        counted(facts.train_samples),
        counted(facts.test_samples),
        facts.classes
    )
}

fn network(spec: &RunSpec) -> String {
    let facts = spec.data.facts(spec.net.image_side());
    let structure = Structure::new(&spec.net, facts.shape, facts.classes, &spec.train.loss);
    let parameters = f64::from(u32::try_from(structure.trained_count()).unwrap_or(u32::MAX));
    format!("{}, with {} trained parameters", in_words(&mut spec.net.clone()), fixed(parameters, 0))
}

fn replicates(experiment: &Experiment, arms: usize) -> String {
    let seeds = &experiment.seeds;
    let list: Vec<String> = seeds.iter().map(ToString::to_string).collect();
    let seeds = if seeds.len() == 1 { "1 seed".to_owned() } else { format!("{} seeds", seeds.len()) };
    let arms = if arms == 1 { "1 arm was".to_owned() } else { format!("{arms} arms were") };
    let pairs = " Runs with the same seed share initial weights, order of the data and other random draws, so that arms are compared in pairs.";
    format!(
        " {arms} run with {seeds} each ({}).{} All runs used Weightlab {} in single precision.",
        list.join(", "),
        if experiment.seeds.len() > 1 { pairs } else { "" },
        env!("CARGO_PKG_VERSION")
    )
}

fn of_arm(arm: &ExpandedArm, net: bool, train: bool) -> String {
    let mut text = format!("Arm \"{}\": {}.", arm.name, plan(&arm.spec.plan));
    if !net {
        write!(text, " Its network was {}.", network(&arm.spec)).expect("writing to a string");
    }
    if !train {
        write!(text, " Its training: {}.", in_words(&mut arm.spec.train.clone()))
            .expect("writing to a string");
    }
    text + "\n"
}

/// Stages in their order, with those that they hold in brackets.
fn plan(stages: &[Stage]) -> String {
    let stage = |stage: &Stage| match stage {
        Stage::Repeat(repeat) => format!("{} ({})", stage.sentence(), plan(&repeat.body)),
        Stage::Branch(branch) => format!("{} ({})", stage.sentence(), plan(&branch.plan)),
        _ => stage.sentence(),
    };
    if stages.is_empty() {
        "nothing".to_owned()
    } else {
        stages.iter().map(stage).collect::<Vec<_>>().join("; ")
    }
}

/// A setting with all that it holds, by its labels; what is left out is not named.
fn in_words(value: &mut dyn Value) -> String {
    match value.node() {
        Node::Choice(choice) => {
            let label = choice.variants()[choice.selected()].label.to_owned();
            let inner = choice.payload().map(in_words).unwrap_or_default();
            if inner.is_empty() { label } else { format!("{label} ({inner})") }
        }
        Node::Group(group) => {
            let mut parts = Vec::new();
            for (index, field) in group.fields().iter().enumerate() {
                let text = in_words(group.value(index));
                if !text.is_empty() {
                    let unit = if field.unit.is_empty() { String::new() } else { format!(" {}", field.unit) };
                    parts.push(format!("{} {text}{unit}", field.label.to_lowercase()));
                }
            }
            parts.join(", ")
        }
        Node::List(list) => {
            let items: Vec<String> = (0..list.count()).map(|index| in_words(list.item(index))).collect();
            items.join(" and ")
        }
        Node::Optional(optional) => optional.value().map(in_words).unwrap_or_default(),
        Node::Text(text) => text.clone(),
        Node::Parsed(parsed) => parsed.text(),
        Node::Switch(on) => if *on { "yes" } else { "no" }.to_owned(),
        Node::Integer(number) => number.get().to_string(),
        Node::Number(number) => number.to_string(),
        Node::Overrides(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::doc::file::parse;

    fn text(document: &str) -> String {
        methods(&parse(document, Path::new("x.ron")).unwrap()).unwrap()
    }

    #[test]
    fn a_paper_can_say_what_was_done() {
        let text = text("(data: Digits(), net: Mlp(hidden: [30]), seeds: [1, 2], train: (optimizer: Sgd(rate: 0.25), batch: 60), arms: [(name: \"ticket\",
            plan: [Train(\"3ep\"), Repeat(times: 2, body: [Do(Prune(amount: Fraction(0.5))), Test])])])");
        for part in [
            "Digits",
            "1437 samples for training and 360 for testing, 10 classes",
            "hidden layers 30 units",
            "2 seeds each (1, 2)",
            "0.25",
            "batch size 60 samples",
            "Arm \"ticket\": Train 3 epochs; Repeat 2 times",
            "(Prune 50 %",
            "; Test).",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        // 64·30 + 30 + 30·10 + 10
        assert!(text.contains("2260 trained parameters"), "{text}");
    }

    #[test]
    fn what_differs_between_arms_is_said_of_each() {
        let text = text("(sweep: { \"train.batch\": [8, 16] }, arms: [(name: \"a\", plan: [Test])])");
        assert!(
            text.contains("Arm \"a, batch 8\": Test. Its training:")
                && text.contains("batch size 16 samples"),
            "{text}"
        );
        assert_eq!(text.matches("The network was").count(), 1);
    }
}
