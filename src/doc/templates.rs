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
    /// The plots and views that answer its question, which are shown first, by their names. The first one has the picture
    /// on its card.
    pub views: &'static [&'static str],
    /// What a run of it gave: the first view as `weightlab export --figure` writes it into a `.csv` file.
    pub result: Option<&'static str>,
}

/// Declares templates of files under `experiments/`, those with `result` with a file under `assets/results/`.
macro_rules! templates {
    ($($file:literal $(, $result:ident)?, $name:literal, $title:literal, $description:literal, $views:expr;)+) => {
        [$(Template {
            name: $name,
            title: $title,
            description: $description,
            text: include_str!(concat!("../../experiments/", $file, ".ron")),
            views: &$views,
            result: templates!(@ $file $($result)?),
        }),+]
    };
    (@ $file:literal) => { None };
    (@ $file:literal result) => { Some(include_str!(concat!("../../assets/results/", $file, ".csv"))) };
}

const TEMPLATES: &[Template] = &templates! {
    "lottery_digits", result, "Lottery ticket on digits", "Lottery ticket",
        "Do pruned weights train as well from their first values?", ["remaining", "rounds"];
    "faults_digits", result, "Weight faults on digits", "Faults",
        "Which flipped bit changes the answer, and what protects?", ["vulnerability", "fault-rate"];
    "freezing_digits", result, "Partial freezing on digits", "Partial freezing",
        "Which weights can be held still while the rest trains?", ["accuracy"];
    "optimizers_digits", result, "Optimizers on digits", "Optimizers",
        "Sweep a setting and compare arms seed by seed.", ["metric", "accuracy"];
    "clones_digits", result, "Clones on digits", "Clones",
        "Do copies that train apart stay in one valley?", ["line", "line-loss"];
    "trunk_iris", result, "Shared trunk on iris", "Shared trunk",
        "What is left of networks that share their first layers?", ["member-distance", "members"];
    "past_digits", result, "Past and present on digits", "Past and present",
        "How far does a network move in one step, and in eight?", ["past", "accuracy"];
    "network_digits", result, "Your own network on digits", "Your own network",
        "Write a network as a list of layers. Do shortcuts help it?", ["accuracy"];
    "lenet_mnist", result, "LeNet-300-100 on MNIST", "LeNet on MNIST",
        "The lottery ticket with the settings of its paper.", ["remaining", "rounds"];
    "lenet5_mnist", "LeNet-5 on MNIST", "LeNet-5 on MNIST",
        "Winning tickets in a small convolutional network.", ["remaining", "rounds"];
    "conv6_cifar10", "Conv-6 on CIFAR-10", "Conv-6 on CIFAR-10",
        "Are tickets better when rewound to iteration 500?", ["remaining", "rounds"];
    "resnet20_cifar10", "ResNet-20 faults on CIFAR-10", "ResNet-20 faults",
        "Which bits and layers of a residual network are vulnerable?", ["vulnerability", "campaigns"];
    "vgg16_cifar10", "VGG-16 on CIFAR-10", "VGG-16 on CIFAR-10",
        "Late rewinding of a deep network.", ["remaining", "rounds"];
};

/// An experiment with one arm that trains and tests, on built-in data.
pub const BLANK: Template = Template {
    name: "New experiment",
    title: "Blank",
    description: "One arm that trains and tests. Add the rest yourself.",
    text: include_str!("../../assets/blank.ron"),
    views: &[],
    result: None,
};

/// Returns all templates; the first one is the document that a new window shows.
pub fn all() -> Vec<Template> {
    TEMPLATES.to_vec()
}

/// Returns the plots and views that answer the question of the template that an experiment was, by its name; nothing for
/// another experiment.
pub fn views_of(name: &str) -> &'static [&'static str] {
    TEMPLATES.iter().find(|template| template.name == name).map_or(&[], |template| template.views)
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
