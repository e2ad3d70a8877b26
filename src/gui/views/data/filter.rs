//! Which samples are listed.

use std::sync::Arc;

use eframe::egui::Ui;

use crate::selection::Selection;
use crate::widgets;
use doc::{ClassNames, RunSpec};
use run::summary::Prediction;

/// The pictures that a trial of a campaign changed, with the classes without and with the fault.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedImages {
    /// What they are: "12 test samples changed by trial 7".
    pub title: String,
    /// Places in the test part, ascending, each with the class that was predicted without the fault, and with it.
    pub images: Vec<(usize, [Option<u32>; 2])>,
    /// The settings of the run of the trial, with the data that its campaign saw: the places mean nothing in others.
    pub spec: Arc<RunSpec>,
    /// What was selected when they were asked for.
    selection: Selection,
    /// Whether the view has not shown them yet.
    is_new: bool,
}

impl ChangedImages {
    /// Pictures that the view has not shown yet.
    pub fn new(title: String, images: Vec<(usize, [Option<u32>; 2])>, spec: Arc<RunSpec>) -> Self {
        Self { title, images, spec, selection: Selection::default(), is_new: true }
    }

    /// The same, until something else is selected.
    pub fn under(self, selection: &Selection) -> Self {
        Self { selection: runs_of(selection), ..self }
    }

    /// Whether the same runs are still selected.
    pub fn is_under(&self, selection: &Selection) -> bool {
        self.selection == runs_of(selection)
    }

    /// Whether the view has not shown them yet; it has then.
    pub fn take_new(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// The two classes of a picture.
    pub fn classes(&self, image: usize) -> Option<[Option<u32>; 2]> {
        let at = self.images.binary_search_by_key(&image, |(image, _)| *image).ok()?;
        Some(self.images[at].1)
    }
}

/// Without the stage: the runs of its arm are the same.
fn runs_of(selection: &Selection) -> Selection {
    match selection {
        Selection::Stage { arm, .. } => Selection::Arm(*arm),
        other @ (Selection::Experiment
        | Selection::Arm(_)
        | Selection::Setting { .. }
        | Selection::Run { .. }) => other.clone(),
    }
}

/// What samples must have to be listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// This class.
    pub class: Option<u32>,
    /// This predicted class.
    pub predicted: Option<u32>,
    /// A wrong prediction.
    pub is_wrong: bool,
}

impl Filter {
    /// The places of the samples that have all of it. Without predictions, only their classes count.
    pub fn listed(
        &self,
        labels: &[u32],
        predictions: Option<&[Prediction]>,
        changed: Option<&ChangedImages>,
    ) -> Vec<usize> {
        let fits = |at: &usize| {
            let label = labels[*at];
            let prediction = predictions.map(|predictions| predictions[*at].class);
            self.class.is_none_or(|class| class == label)
                && prediction.is_none_or(|found| {
                    self.predicted.is_none_or(|class| found == Some(class))
                        && (!self.is_wrong || found != Some(label))
                })
        };
        match changed {
            Some(changed) => {
                let images = changed.images.iter().map(|(image, _)| *image);
                images.filter(|at| *at < labels.len()).filter(fits).collect()
            }
            None => (0..labels.len()).filter(fits).collect(),
        }
    }

    /// Draws the choices, from right to left.
    pub fn ui(&mut self, ui: &mut Ui, classes: &ClassNames, has_predictions: bool) {
        if has_predictions {
            ui.checkbox(&mut self.is_wrong, "Wrong").on_hover_text("Only samples with a wrong prediction");
            class_ui(ui, "Predicted", &mut self.predicted, classes);
        }
        class_ui(ui, "Class", &mut self.class, classes);
    }
}

fn class_ui(ui: &mut Ui, name: &str, chosen: &mut Option<u32>, classes: &ClassNames) {
    let class_name = |class: u32| classes.name_of(Some(class));
    let shown = chosen.map_or_else(|| "all".to_owned(), class_name);
    widgets::choice_ui(ui, name, &shown, |ui| {
        ui.selectable_value(chosen, None, "all");
        for class in (0..).take(classes.len()) {
            ui.selectable_value(chosen, Some(class), class_name(class));
        }
    });
}
