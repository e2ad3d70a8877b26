//! The settings of the experiment: seeds, and sections that fold.

use eframe::egui::{Align, Id, Ui};

use crate::document::Document;
use crate::form::{FormContext, fields_ui, value_ui};
use crate::form::{Heading, heading_ui};
use crate::swept::runs_text;
use crate::theme;
use data::Facts;
use doc::{Device, Experiment, Recording};
use form::Field;
use form::number::{counted, grouped};
use form::path::{Place, Segment};

/// A part of the settings that folds.
struct Section {
    title: &'static str,
    help: &'static str,
    summary: fn(&mut Experiment) -> String,
    /// Keys of settings of the experiment.
    keys: &'static [&'static str],
    /// Keys of settings of training. Those in no section are in the section Training.
    training: &'static [&'static str],
}

const SECTIONS: &[Section] = &[
    Section {
        title: "Data",
        help: "What the network learns from",
        summary: |experiment| {
            let train = facts(experiment).map(|facts| grouped(facts.train_samples as u64));
            let train = train.map_or_else(String::new, |train| format!(", {train} train"));
            format!("{}{train}", experiment.data.label())
        },
        keys: &["data"],
        training: &[],
    },
    Section {
        title: "Network",
        help: "The network to train",
        summary: network_summary,
        keys: &["net"],
        training: &[],
    },
    Section {
        title: TRAINING,
        help: "How to train it",
        summary: |experiment| {
            let optimizer = &mut experiment.train.optimizer;
            let label = optimizer.label();
            format!("{label}, {}", form::number::number(optimizer.rate()))
        },
        keys: &[],
        training: &[],
    },
    Section {
        title: "Training details",
        help: "The loss, augmentation, and what to record of the weights",
        summary: details_summary,
        keys: &[],
        training: &["loss", "augment", "non_finite", "record"],
    },
    Section {
        title: "Evaluation",
        help: "When and how to measure accuracy and loss",
        summary: |experiment| experiment.train.evaluation_sentence(),
        keys: &[],
        training: &["evaluate", "evaluation_batch", "top"],
    },
    Section {
        title: "Devices",
        help: "What runs the computations",
        summary: |experiment| match experiment.device {
            Device::Cpu => format!("{}, {}", experiment.device.label(), experiment.train.kernels.label()),
            Device::Ndarray | Device::Cuda | Device::Wgpu => experiment.device.label().to_owned(),
        },
        keys: &["device"],
        training: &["kernels"],
    },
    Section {
        title: "Name and notes",
        help: "What the experiment is called, and what you note about it",
        summary: |experiment| experiment.name.clone(),
        keys: &["name", "notes"],
        training: &[],
    },
];

/// The title of the section that is open at first.
const TRAINING: &str = "Training";

impl Section {
    fn id(&self) -> Id {
        Id::unique(("section", self.title))
    }

    fn has_of_training(&self, key: &str) -> bool {
        if self.title == TRAINING {
            return SECTIONS.iter().all(|other| !other.training.contains(&key));
        }
        self.training.contains(&key)
    }

    /// Returns true if the setting at a place is in it.
    fn holds(&self, place: &Place) -> bool {
        match place.0.as_slice() {
            [Segment::Key(train), Segment::Key(key), ..] if train == "train" => self.has_of_training(key),
            [Segment::Key(train), ..] if train == "train" => self.title == TRAINING,
            [Segment::Key(key), ..] => self.keys.contains(&key.as_str()),
            _ => false,
        }
    }

    fn draw(&self, ui: &mut Ui, experiment: &mut Experiment, context: &mut FormContext<'_>) {
        let inside = |key: &str| Segment::Key(key.to_owned());
        match self.keys {
            ["data"] => {
                context.elsewhere = experiment.data.idle();
                context.at(inside("data"), |context| value_ui(ui, &mut experiment.data, context));
                context.elsewhere = &[];
            }
            ["net"] => {
                context.at(inside("net"), |context| value_ui(ui, &mut experiment.net, context));
            }
            keys => {
                fields_ui(ui, experiment, |field| keys.contains(&field.key), context);
            }
        }
        let is_shown = |field: &Field| self.has_of_training(field.key);
        context.at(inside("train"), |context| fields_ui(ui, &mut experiment.train, is_shown, context));
    }
}

/// Draws the settings of the experiment.
pub(super) fn experiment_ui(ui: &mut Ui, document: &mut Document, context: &mut FormContext<'_>) {
    let experiment = &mut document.experiment;
    fields_ui(ui, experiment, |field| field.key == "seeds", context);
    for section in SECTIONS {
        section_ui(ui, section, experiment, context);
    }
    // A setting that is in no section is shown here, so that a new one is never missing.
    fields_ui(ui, experiment, |field| field.key == "set" || is_in_no_section(field), context);
    fields_ui(ui, experiment, |field| field.key == "sweep", context);
    if let Some(text) =
        runs_text(experiment, &context.about.swept, None).filter(|_| !experiment.sweep.0.is_empty())
    {
        super::hint_ui(ui, Some(&text));
    }
    if context.focus.as_ref().is_some_and(|focus| !focus.0.is_empty() && super::selection_of(focus).is_none())
    {
        context.focus = None; // it leads to no setting that is drawn
    }
}

/// Returns true if a setting of the experiment is drawn by no section, and nowhere else.
fn is_in_no_section(field: &Field) -> bool {
    let elsewhere = ["version", "seeds", "set", "sweep", "arms", "train"];
    !elsewhere.contains(&field.key) && SECTIONS.iter().all(|section| !section.keys.contains(&field.key))
}

fn section_ui(ui: &mut Ui, section: &Section, experiment: &mut Experiment, context: &mut FormContext<'_>) {
    let is_wrong = context.problems.iter().any(|it| it.is_mistake() && section.holds(&it.place));
    let is_wanted = context.focus.as_ref().is_some_and(|focus| section.holds(focus));
    let summary = (section.summary)(experiment);
    let heading =
        Heading { name: section.title, summary: &summary, help: section.help, is_wrong, is_title: true };
    let top = ui.cursor().min;
    let (is_open, heading_id) = heading_ui(ui, section.id(), &heading, section.title == TRAINING, is_wanted);
    if is_open {
        section.draw(ui, experiment, context);
        ui.add_space(theme::STEP / 2.0);
    }
    if is_wanted && context.focus.take().is_some() {
        ui.scroll_to_rect(
            eframe::egui::Rect::from_min_size(top, eframe::egui::vec2(1.0, 28.0)),
            Some(Align::Min),
        );
        ui.memory_mut(|memory| memory.request_focus(heading_id));
    }
}

/// Returns `784–300–100–10`, or what differs from the defaults of another network.
fn network_summary(experiment: &mut Experiment) -> String {
    let name = |facts: Facts| experiment.net.rule().name(facts.shape, facts.classes);
    facts(experiment).map_or_else(|| experiment.net.label().to_owned(), name)
}

fn facts(experiment: &Experiment) -> Option<Facts> {
    let mut data = experiment.data.clone();
    experiment.looks.fill(&mut data);
    data.facts(experiment.net.image_side())
}

/// Returns `Cross-entropy, 2 augmentations, records weights`.
fn details_summary(experiment: &mut Experiment) -> String {
    let train = &experiment.train;
    let mut parts = vec![train.loss.label().to_owned()];
    if !train.augment.is_empty() {
        parts.push(counted(train.augment.len() as u64, "augmentation"));
    }
    if train.record != Recording::default() {
        parts.push("records weights".to_owned());
    }
    parts.join(", ")
}
