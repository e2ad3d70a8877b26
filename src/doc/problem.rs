//! What is wrong with a document, where in the words of the window, and what to do.

use std::fmt;

use crate::experiment::{Arm, Experiment};
use data::{Data, Looks};
use form::path::{Found, Place, Segment, each};
use form::{Choice, Node, Value, name_of};

/// The weight of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing can be run before it is mended.
    Error,
    /// Runs, but perhaps not as meant.
    Note,
}

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub place: Place,
    /// The place in the words of the window, counted from 1: `winning ticket, stage 4.1 Prune, Amount`. Empty until
    /// [`Problem::locate`], and for the whole document.
    pub location: String,
    /// The mistake and the remedy, in one line.
    pub message: String,
    /// More lines, such as the folders that were searched; may be empty.
    pub details: String,
    /// The folder of the data was not found: a window offers to choose another one.
    pub lacks_folder: bool,
    /// Nothing was chosen yet: it says what to choose before a run, and is no mistake.
    pub is_unset: bool,
    pub severity: Severity,
}

impl Problem {
    /// Says what is wrong with data of which nothing is known: why they cannot be used, or that they were not looked at
    /// yet.
    pub fn of_data(data: &Data, looks: &Looks, place: &Place) -> Option<Self> {
        let error = looks.of(data).and_then(|look| look.error.clone());
        if let Some("") = data.user_path() {
            let unset = Self::unset(place.clone(), "choose the file or folder of the data");
            return Some(Self { details: error.unwrap_or_default(), ..unset });
        }
        let is_unknown = data.needs_look() && data.facts(None).is_none();
        let message = error.or_else(|| is_unknown.then(|| "the data are being looked at".to_owned()))?;
        Some(Self::error(place.clone(), message))
    }

    /// Returns what is worth knowing in the files of a user's data: classes without samples, assumptions.
    pub fn notes_on_data(data: &Data, looks: &Looks, place: &Place) -> Vec<Self> {
        let known = looks.of(data).and_then(|_| looks.inventory(data, None));
        let notes = known.map(|found| found.notes).unwrap_or_default();
        notes.into_iter().map(|note| Self::note(place.clone(), note)).collect()
    }

    /// Makes a problem that prevents running.
    pub fn error(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            location: String::new(),
            message: message.into(),
            details: String::new(),
            lacks_folder: false,
            is_unset: false,
            severity: Severity::Error,
        }
    }

    /// Makes a problem that prevents running until something is chosen.
    pub fn unset(place: Place, message: impl Into<String>) -> Self {
        Self { is_unset: true, ..Self::error(place, message) }
    }

    /// Makes a problem that does not.
    pub fn note(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(place, message) }
    }

    /// Returns true if it has to be mended before a run: it prevents running, and not only since nothing was chosen yet.
    pub fn is_mistake(&self) -> bool {
        self.severity == Severity::Error && !self.is_unset
    }

    /// Returns message and details.
    pub fn whole(&self) -> String {
        let Self { message, details, .. } = self;
        if details.is_empty() { message.clone() } else { format!("{message}\n{details}") }
    }

    /// Writes the problem for those who edit the file by hand: with the path of its setting in brackets.
    pub fn with_path(&self) -> String {
        if self.place.0.is_empty() || self.location.is_empty() {
            return self.to_string();
        }
        format!("{self} ({})", self.place)
    }

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

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.location.as_str(), self.place.0.as_slice()) {
            ("", []) => f.write_str(&self.message),
            ("", _) => write!(f, "{}: {}", self.place, self.message),
            (location, _) => write!(f, "{location}: {}", self.message),
        }
    }
}

/// Returns `winning ticket, stage 4.1 Prune, Amount`; nothing for the whole document.
fn location(experiment: &mut Experiment, place: &Place) -> String {
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
    arm: Option<usize>,
    /// With its arm.
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

    /// Replaces the name of a stage by that of a stage within it.
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

    /// Replaces the number of a layer by that of a layer within it.
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
    choice.title() == crate::stage::Stage::TITLE
}

/// Returns true if a list holds arms, stages or layers.
fn holds_named(value: &mut dyn Value) -> bool {
    let Node::List(list) = value.node() else { return false };
    let mut sample = list.sample();
    match sample.node() {
        Node::Group(group) => group.title() == Arm::TITLE,
        Node::Choice(choice) => is_stage(choice) || choice.words().is_some(),
        _ => false,
    }
}

/// Returns the label of the setting at the path of an override, in an arm or for all of them; none for an item of a list.
pub fn label_of(experiment: &mut Experiment, arm: Option<usize>, path: &str) -> Option<String> {
    let own = arm.and_then(|arm| experiment.arms.get_mut(arm)).and_then(|arm| label(arm, path));
    own.or_else(|| label(experiment, path))
}

fn label(root: &mut dyn Value, path: &str) -> Option<String> {
    let mut label = None;
    let mut note = |_: &mut dyn Value, found: &Found| {
        if !matches!(found.place.0.last(), Some(Segment::Index(_))) {
            label = Some(found.field().label.to_owned());
        }
        Ok(())
    };
    each(root, path, &mut note).ok()?;
    label
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
