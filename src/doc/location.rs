//! The place of a setting in the words of the window: arm, stage (counted from 1), and labels of fields.

use super::experiment::{Arm, Experiment};
use super::problem::Problem;
use form::path::{Place, Segment};
use form::{Choice, Node, Value, name_of};

impl Problem {
    /// Names the places of problems in the words of the window.
    pub fn locate(problems: &mut [Self], experiment: &Experiment) {
        if problems.is_empty() {
            return;
        }
        let mut experiment = experiment.clone();
        for problem in problems.iter_mut().filter(|problem| problem.location.is_empty()) {
            problem.location = location(&mut experiment, &problem.place);
        }
    }
}

/// `winning ticket, stage 4.1 Prune, Amount`; empty for the whole document.
pub fn location(experiment: &mut Experiment, place: &Place) -> String {
    let mut words = Words::default();
    words.visit(experiment, &place.0);
    if let Some((path, at)) = words.override_path.take() {
        let label = label_of(experiment, at, &path).unwrap_or(path);
        words.parts.push(label);
    }
    words.parts.join(", ")
}

#[derive(Default)]
struct Words {
    parts: Vec<String>,
    /// The numbers of the stages so far, from 1.
    numbers: Vec<String>,
    /// The numbers of the layers so far, from 1.
    layers: Vec<String>,
    /// The arm that the place is in.
    arm: Option<usize>,
    /// The setting that an override changes, and its arm.
    override_path: Option<(String, Option<usize>)>,
}

impl Words {
    fn visit(&mut self, value: &mut dyn Value, segments: &[Segment]) {
        let Some((first, rest)) = segments.split_first() else { return };
        match (value.node(), first) {
            (Node::Optional(optional), _) => {
                if let Some(inner) = optional.value() {
                    self.visit(inner, segments);
                }
            }
            (Node::Group(group), Segment::Key(key)) => {
                let Some(index) = group.fields().iter().position(|field| field.key == key) else { return };
                // Arms, the stages of plans and layers have names and numbers instead.
                if !matches!(rest.first(), Some(Segment::Index(_))) || !holds_named(group.value(index)) {
                    self.push(group.fields()[index].label);
                }
                self.visit(group.value(index), rest);
            }
            (Node::List(list), Segment::Index(index)) if *index < list.count() => {
                let item = list.item(*index);
                match item.node() {
                    Node::Group(group) if group.title() == Arm::TITLE => {
                        let name = name_of(item).filter(|name| !name.trim().is_empty());
                        self.parts.push(name.unwrap_or_else(|| format!("arm {}", index + 1)));
                        self.arm = Some(*index);
                    }
                    Node::Choice(choice) if is_stage(choice) => self.stage(*index, choice, rest),
                    Node::Choice(choice) if choice.words().is_some() => self.layer(*index, choice.title()),
                    _ => {}
                }
                self.visit(item, rest);
            }
            (Node::Choice(choice), Segment::Variant(key)) if choice.variant().key == key => {
                if let Some(payload) = choice.payload() {
                    self.visit(payload, rest);
                }
            }
            (Node::Overrides(_), Segment::Key(path)) => self.override_path = Some((path.clone(), self.arm)),
            _ => {}
        }
    }

    /// The name of a stage gives way to that of a stage within it.
    fn stage(&mut self, index: usize, stage: &mut dyn Choice, rest: &[Segment]) {
        if !self.numbers.is_empty() {
            self.parts.pop();
        }
        self.numbers.push((index + 1).to_string());
        let mut label = stage.variant().label;
        // An intervention is called by its own name.
        if let (Some(Node::Choice(inner)), Some(Segment::Variant(_))) =
            (stage.payload().map(Value::node), rest.first())
        {
            label = inner.variant().label;
        }
        self.parts.push(format!("stage {} {label}", self.numbers.join(".")));
    }

    /// The number of a layer gives way to that of a layer within it.
    fn layer(&mut self, index: usize, title: &str) {
        if !self.layers.is_empty() {
            self.parts.pop();
        }
        self.layers.push((index + 1).to_string());
        self.parts.push(format!("{} {}", title.to_lowercase(), self.layers.join(".")));
    }

    fn push(&mut self, label: &str) {
        if self.parts.last().is_none_or(|last| last != label) {
            self.parts.push(label.to_owned());
        }
    }
}

fn is_stage(choice: &dyn Choice) -> bool {
    choice.title() == super::stage::Stage::TITLE
}

/// Whether a list holds arms, stages or layers.
fn holds_named(value: &mut dyn Value) -> bool {
    let Node::List(list) = value.node() else { return false };
    let mut sample = list.sample();
    match sample.node() {
        Node::Group(group) => group.title() == Arm::TITLE,
        Node::Choice(choice) => is_stage(choice) || choice.words().is_some(),
        _ => false,
    }
}

/// The label of the setting at the path of an override, in an arm or for all of them.
pub fn label_of(experiment: &mut Experiment, arm: Option<usize>, path: &str) -> Option<String> {
    let steps: Vec<&str> = path.split('.').collect();
    let own = arm.and_then(|arm| experiment.arms.get_mut(arm)).and_then(|arm| label(arm, &steps));
    own.or_else(|| label(experiment, &steps))
}

/// The label of the last step that names a setting; nothing where the path ends before its last step.
fn label(value: &mut dyn Value, steps: &[&str]) -> Option<String> {
    let (first, rest) = steps.split_first()?;
    match value.node() {
        Node::Group(group) => {
            let index = group.fields().iter().position(|field| field.key == *first)?;
            let own = group.fields()[index].label;
            if rest.is_empty() { Some(own.to_owned()) } else { label(group.value(index), rest) }
        }
        Node::Choice(choice) => {
            let is_named = choice.variant().key == *first;
            let own = choice.variant().label;
            match choice.payload() {
                Some(_) if is_named && rest.is_empty() => Some(own.to_owned()),
                Some(payload) => label(payload, if is_named { rest } else { steps }),
                None => None,
            }
        }
        Node::List(list) => {
            let index: usize = if *first == "*" { 0 } else { first.parse().ok()? };
            if index < list.count() { label(list.item(index), rest) } else { None }
        }
        Node::Optional(optional) => label(optional.value()?, steps),
        Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Parsed(_)
        | Node::Overrides(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::file::parse;
    use crate::validate;

    /// Where the first problem of a document is.
    fn first(text: &str) -> String {
        let experiment = parse(text, Path::new("x.ron")).unwrap();
        validate(&experiment)[0].location.clone()
    }

    #[test]
    fn problems_name_arm_stage_and_field_counted_from_1() {
        let in_plan = |plan: &str| first(&format!("(arms: [(plan: [Test]), (name: \"a\", plan: [{plan}])])"));
        assert_eq!(in_plan("Test, Do(Prune(amount: Fraction(1.2)))"), "a, stage 2 Prune, Amount");
        let nested = "Repeat(times: 2, body: [Test, Branch(plan: [Do(Graft(from: \"start\"))])])";
        assert_eq!(in_plan(nested), "a, stage 1.2.1 Graft, From");
        assert_eq!(
            in_plan("Do(Freeze(target: (layers: Only([\"x\"]))))"),
            "a, stage 1 Freeze, Target, Layers"
        );
        assert_eq!(in_plan(""), "a, Plan");
    }

    #[test]
    fn layers_have_numbers() {
        let in_layers =
            |layers: &str| first(&format!("(net: Sequential(layers: [{layers}]), arms: [(plan: [Test])])"));
        assert_eq!(in_layers("Flatten, Conv(), Linear()"), "Network, layer 2");
        let nested = "Residual(body: [Relu, Conv(kernel: 99)]), Flatten, Linear()";
        assert_eq!(in_layers(nested), "Network, layer 1.2, Kernel");
    }

    #[test]
    fn settings_outside_of_plans_have_their_labels() {
        assert_eq!(first("(seeds: [1, 2, 1], arms: [(plan: [Test])])"), "Seeds");
        assert_eq!(first("(net: Mlp(hidden: [0]), arms: [(plan: [Test])])"), "Network, Hidden layers");
        let sweep = "(sweep: { \"train.batch\": [16, 0] }, arms: [(plan: [Test])])";
        assert_eq!(first(sweep), "Swept settings, Batch size");
        let set = "(arms: [(name: \"b\", set: { \"train.bach\": 8 }, plan: [Test])])";
        assert_eq!(first(set), "b, Change settings, train.bach");
        assert_eq!(first("(arms: [(name: \" \", plan: [Test])])"), "arm 1, Name");
        assert_eq!(first("()"), "Arms");
    }
}
