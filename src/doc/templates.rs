//! Experiments to start from. A new one is a file under `experiments/`, and one entry here.

use std::path::Path;

use crate::experiment::Experiment;
use crate::file;

/// An experiment to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    pub name: &'static str,
    /// In two words, as on its card.
    pub title: &'static str,
    pub description: &'static str,
    /// Its text, comments included.
    pub text: &'static str,
    pub result: Option<Outcome>,
}

/// Lines of a figure of what an experiment led to, to be shown before anybody runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// As `weightlab export --figure` calls it.
    pub figure: &'static str,
    /// Lines as that command writes them into a `.csv` file.
    pub values: &'static str,
}

/// Declares templates of files under `experiments/`, each with the figure whose lines are under `assets/results/`, if there
/// are any.
macro_rules! templates {
    ($($file:literal $(, figure $figure:literal)?, $name:literal, $title:literal, $description:literal;)+) => {
        [$(Template {
            name: $name,
            title: $title,
            description: $description,
            text: include_str!(concat!("../../experiments/", $file, ".ron")),
            result: [$(Outcome {
                figure: $figure,
                values: include_str!(concat!("../../assets/results/", $file, ".csv")),
            })?].first().copied(),
        }),+]
    };
}

const TEMPLATES: &[Template] = &templates! {
    "lottery_digits", figure "remaining", "Lottery ticket on digits", "Lottery ticket",
        "Do pruned weights train as well from their first values?";
    "faults_digits", figure "fault-rate", "Weight faults on digits", "Faults",
        "Which flipped bit changes the answer, and what protects?";
    "freezing_digits", figure "accuracy", "Partial freezing on digits", "Partial freezing",
        "Which weights can be held still while the rest trains?";
    "optimizers_digits", figure "accuracy", "Optimizers on digits", "Optimizers",
        "Sweep a setting and compare arms seed by seed.";
    "clones_digits", figure "accuracy", "Clones on digits", "Clones",
        "Do copies that train apart stay in one valley?";
    "trunk_iris", figure "member-distance", "Shared trunk on iris", "Shared trunk",
        "What is left of networks that share their first layers?";
    "past_digits", figure "past", "Past and present on digits", "Past and present",
        "How far does a network move in one step, and in eight?";
    "network_digits", figure "accuracy", "Your own network on digits", "Your own network",
        "Write a network as a list of layers. Do shortcuts help it?";
    "lenet_mnist", figure "remaining", "LeNet-300-100 on MNIST", "LeNet on MNIST",
        "The lottery ticket with the settings of its paper.";
    "lenet5_mnist", "LeNet-5 on MNIST", "LeNet-5 on MNIST",
        "Winning tickets in a small convolutional network.";
    "conv6_cifar10", "Conv-6 on CIFAR-10", "Conv-6 on CIFAR-10",
        "Are tickets better when rewound to iteration 500?";
    "resnet20_cifar10", "ResNet-20 faults on CIFAR-10", "ResNet-20 faults",
        "Which bits and layers of a residual network are vulnerable?";
    "vgg16_cifar10", "VGG-16 on CIFAR-10", "VGG-16 on CIFAR-10",
        "Late rewinding of a deep network.";
};

/// An experiment with one arm that trains and tests, on built-in data.
pub const BLANK: Template = Template {
    name: "New experiment",
    title: "Blank",
    description: "One arm that trains and tests. Add the rest yourself.",
    text: include_str!("../../assets/blank.ron"),
    result: None,
};

/// Returns all templates; the first one is the document that a new window shows.
pub fn all() -> Vec<Template> {
    TEMPLATES.to_vec()
}

impl Template {
    /// Reads the experiment.
    ///
    /// # Panics
    /// Never for those of [`all`], each of which a test opens.
    pub fn experiment(&self) -> Experiment {
        file::parse(self.text, Path::new(self.name)).expect("a test opens every template")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Severity, runs, validate};

    #[test]
    fn every_template_opens_without_an_error_and_has_runs() {
        for template in all().into_iter().chain([BLANK]) {
            let experiment = template.experiment();
            let errors: Vec<_> =
                validate(&experiment).into_iter().filter(|p| p.severity == Severity::Error).collect();
            assert_eq!(errors, [], "{}", template.name);
            assert_eq!(experiment.name, template.name);
            assert!(!runs(&experiment).unwrap().is_empty(), "{}", template.name);
        }
    }

    #[test]
    fn every_template_keeps_its_meaning_and_its_comment_when_saved() {
        for template in all().into_iter().chain([BLANK]) {
            let experiment = template.experiment();
            let text = file::to_text(&experiment, template.text).unwrap();
            assert!(text.starts_with("// "), "{} explains itself at its head", template.name);
            assert!(
                !file::has_other_comments(template.text),
                "saving {} would lose a comment",
                template.name
            );
            assert_eq!(file::parse(&text, Path::new("again")).unwrap(), experiment, "{text}");
        }
    }

    #[test]
    fn the_first_template_is_the_lottery_ticket_with_four_arms() {
        let experiment = all()[0].experiment();
        let names: Vec<&str> = experiment.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!(names, ["dense", "winning ticket", "reinitialized", "random mask"]);
        assert_eq!(experiment.seeds, [1, 2, 3]);
    }
}
