//! Experiments to start from. A new one is a file under `experiments/`, and one entry here.

use std::path::Path;

use super::experiment::Experiment;
use super::file;

/// An experiment to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// What menus call it.
    pub name: &'static str,
    /// What it compares, and what it needs.
    pub description: &'static str,
    /// Its text, comments included.
    pub text: &'static str,
    /// What came out of it, once it was run.
    pub result: Option<Outcome>,
}

/// Lines of a figure of what an experiment led to, to be shown before anybody runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which figure, as `weightlab export --figure` calls it.
    pub figure: &'static str,
    /// Its lines, as that command writes them into a `.csv` file.
    pub values: &'static str,
}

const TEMPLATES: &[Template] = &[
    Template {
        name: "Lottery ticket on digits",
        description: "Winning tickets against new weights and random masks; built-in data, under a minute",
        text: include_str!("../../experiments/lottery_digits.ron"),
        result: Some(Outcome {
            figure: "remaining",
            values: include_str!("../../assets/results/lottery_digits.csv"),
        }),
    },
    Template {
        name: "Partial freezing on digits",
        description: "Half of a layer's weights frozen, then released; built-in data, seconds",
        text: include_str!("../../experiments/freezing_digits.ron"),
        result: Some(Outcome {
            figure: "accuracy",
            values: include_str!("../../assets/results/freezing_digits.csv"),
        }),
    },
    Template {
        name: "Shared trunk on iris",
        description: "Three networks that share their first layers, copied in turn or tied; built-in data, seconds",
        text: include_str!("../../experiments/trunk_iris.ron"),
        result: Some(Outcome {
            figure: "member-distance",
            values: include_str!("../../assets/results/trunk_iris.csv"),
        }),
    },
    Template {
        name: "Past and present on digits",
        description: "How far a network moves in one step and in eight; built-in data, seconds",
        text: include_str!("../../experiments/past_digits.ron"),
        result: Some(Outcome {
            figure: "past",
            values: include_str!("../../assets/results/past_digits.csv"),
        }),
    },
    Template {
        name: "Clones on digits",
        description: "Copies that train apart, and the error along the line between them; built-in data, \
            seconds",
        text: include_str!("../../experiments/clones_digits.ron"),
        result: Some(Outcome {
            figure: "accuracy",
            values: include_str!("../../assets/results/clones_digits.csv"),
        }),
    },
    Template {
        name: "Weight faults on digits",
        description: "Which bit matters, how many flips a network tolerates, what clipping saves; built-in \
            data, seconds",
        text: include_str!("../../experiments/faults_digits.ron"),
        result: Some(Outcome {
            figure: "fault-rate",
            values: include_str!("../../assets/results/faults_digits.csv"),
        }),
    },
    Template {
        name: "Optimizers on digits",
        description: "SGD, Adam and AdamW at two learning rates each; built-in data, seconds",
        text: include_str!("../../experiments/optimizers_digits.ron"),
        result: Some(Outcome {
            figure: "accuracy",
            values: include_str!("../../assets/results/optimizers_digits.csv"),
        }),
    },
    Template {
        name: "LeNet-300-100 on MNIST",
        description: "The lottery ticket with the settings of its paper; needs MNIST, minutes",
        text: include_str!("../../experiments/lenet_mnist.ron"),
        result: None,
    },
    Template {
        name: "VGG-16 on CIFAR-10",
        description: "Late rewinding of a deep network; needs CIFAR-10, long without a smaller width",
        text: include_str!("../../experiments/vgg16_cifar10.ron"),
        result: None,
    },
];

/// All templates; the first one is the document that a new window shows.
pub fn all() -> Vec<Template> {
    TEMPLATES.to_vec()
}

impl Template {
    /// The experiment that its text describes.
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
    use crate::doc::{Severity, runs, validate};

    #[test]
    fn every_template_opens_without_an_error_and_has_runs() {
        for template in all() {
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
        for template in all() {
            let experiment = template.experiment();
            let text = file::to_text(&experiment, file::header(template.text)).unwrap();
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
        assert_eq!(names, ["dense", "winning ticket", "reinitialised", "random mask"]);
        assert_eq!(experiment.seeds, [1, 2, 3]);
    }
}
