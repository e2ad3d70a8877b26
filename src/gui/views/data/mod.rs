//! The data as the network sees them: pictures with their classes, what the network of the selected run predicts, and the
//! confusion matrix.

mod filter;
mod pictures;
mod summary;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Align, Frame, Layout, Panel, RichText, Ui};

use super::loading::{LoadState, Loading, Source};
use super::offer::{Offer, Offers};
use super::{Shared, View, ViewEntry, ViewInput, ViewResponse, nothing_ui, waiting_ui};
use crate::plot::{FigureView, figure_ui};
use crate::{text, theme, widgets};
use doc::RunSpec;
use figure::Figure;
use figure::confusion::confusion;
pub use filter::ChangedImages;
use filter::Filter;
use form::Stored;
use pictures::Pictures;
pub use pictures::texture;
use results::confusion::Confusion;
use results::tiles::Group;
use run::summary::{DataPart, Prediction, SeenSamples, predict, read_samples};
use summary::{inventory_ui, summary_ui};

/// Width of the counts beside the pictures, and the least width of the tile that has them there.
const COUNTS: f32 = 260.0;
const BESIDE: f32 = 640.0;

/// Settings of the data and their part, and the folder that paths are relative to.
type Samples = (String, PathBuf, DataPart);

/// The state of the view between frames.
#[derive(Default)]
pub struct DataView {
    part: DataPart,
    shown: Shown,
    filter: Filter,
    samples: Loading<Samples, Arc<SeenSamples>>,
    answers: Loading<(Source, DataPart), Arc<Answers>>,
    pictures: Pictures,
    /// What the pictures are of.
    pictures_of: Option<Samples>,
    /// The answers whose matrix was drawn last, and how it is shown.
    matrix: (Option<Arc<Answers>>, FigureView),
}

/// What a network predicts for the samples of a part.
struct Answers {
    predictions: Vec<Prediction>,
    counts: Confusion,
    figure: Arc<Figure>,
    /// The network and the part.
    title: String,
}

impl Answers {
    /// Counts the predictions and makes the figure: for a thousand classes it has a million cells.
    fn of(predictions: Vec<Prediction>, seen: &SeenSamples, title: String) -> Self {
        let labels = seen.samples.labels.iter().copied();
        let pairs = labels.zip(predictions.iter().map(|prediction| prediction.class));
        let counts = Confusion::of(seen.classes.len(), pairs);
        let figure = Arc::new(confusion(&counts, &seen.classes, &title));
        Self { predictions, counts, figure, title }
    }
}

/// What the view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shown {
    #[default]
    Pictures,
    Matrix,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "data",
    title: "Data",
    group: Group::Runs,
    help: "What does the network see, and what does it get wrong? Each picture has its class and, once a run is done, \
           what its network predicts and with which probability. The list chooses a class or a predicted class; Wrong \
           leaves only the wrong predictions. Confusion has a row for each class and a column for each predicted \
           class, and can be exported. From a trial in Campaigns, Show in Data leads to the test samples that its fault \
           changed, in the data of its run. Pixels are those after resizing and normalization, stretched from the lowest value to the highest; \
           the line above them opens and folds what was found in the data.",
    make: || Box::<DataView>::default(),
};

/// The run whose predictions are shown.
struct Predicting {
    source: Source,
    title: String,
}

impl View for DataView {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        // What a trial changed is no answer to the question about other runs.
        shared.changed.take_if(|changed| !changed.is_under(input.selection));
        if shared.changed.as_mut().is_some_and(ChangedImages::take_new) {
            (self.shown, self.filter) = (Shown::Pictures, Filter::default());
        }
        let Some((spec, predicting)) = subject(ui, input, shared) else {
            nothing_ui(ui, ENTRY.help, "There are no runs yet: add an arm on the left.");
            return None;
        };
        let part = if shared.changed.is_some() { DataPart::Test } else { self.part };
        let base = input.base.to_owned();
        let key = (format!("{} {:?}", spec.data.to_ron(), spec.net.image_side()), base, part);
        let read = (spec, key.1.clone());
        let samples =
            self.samples.get(&key, ui.ctx(), move || Ok(Arc::new(read_samples(&read.0, &read.1, part)?)));
        let seen = match samples {
            LoadState::Ready(seen) => seen.clone(),
            LoadState::Pending => {
                waiting_ui(ui, "Reading the data…");
                return None;
            }
            LoadState::Failed(why) => {
                let why = why.to_owned();
                self.choices_ui(ui, shared.changed);
                widgets::message_ui(ui, widgets::Tone::Bad, &why);
                return None;
            }
        };
        if self.pictures_of.as_ref() != Some(&key) {
            self.pictures.forget();
            self.pictures_of = Some(key);
        }
        let answers = predicting.as_ref().and_then(|predicting| self.predict(ui, predicting, &seen));
        self.take_matrix(answers.as_ref());
        self.bar_ui(ui, shared.changed, &seen, answers.is_some());
        inventory_ui(ui, &seen.inventory);
        if seen.samples.is_empty() {
            ui.label("This part of the data has no samples.");
            return None;
        }
        let counts = answers.as_ref().map(|answers| &answers.counts);
        if ui.available_width() >= BESIDE {
            let panel = Panel::left(ui.scope_id().with("counts")).exact_size(COUNTS).resizable(false);
            let panel = panel.frame(Frame::NONE).show_separator_line(false);
            panel.show(ui, |ui| summary_ui(ui, &seen, counts));
        }
        let changed = shared.changed.as_ref();
        match (self.shown, &answers) {
            (Shown::Matrix, Some(answers)) if changed.is_none() => {
                drop(figure_ui(ui, &answers.figure, &mut self.matrix.1));
            }
            (Shown::Matrix, None) if changed.is_none() => {
                ui.label("The confusion matrix needs a run that is done.");
            }
            (Shown::Matrix | Shown::Pictures, _) => {
                let predictions = answers.as_ref().map(|answers| answers.predictions.as_slice());
                let listed = self.filter.listed(&seen.samples.labels, predictions, changed);
                self.pictures.ui(ui, &seen, predictions, changed, &listed);
            }
        }
        None
    }

    fn offers(&self) -> Offers {
        if self.matrix.0.is_some() { Offers::Figure } else { Offers::Later("No predictions are shown yet") }
    }

    fn offer(&self) -> Option<Offer> {
        let answers = self.matrix.0.as_ref()?;
        let shown = self.matrix.1.shown(&answers.figure);
        let title = format!("confusion matrix of {}", answers.title);
        Some(Offer::new("confusion".to_owned(), title, move || shown.clone()))
    }
}

/// The settings of the shown run, and the run itself where its network is shown, below its title. What a trial changed is of
/// the run of that trial, and its network then has no predictions: those of the trial are there.
fn subject(
    ui: &mut Ui,
    input: &ViewInput<'_>,
    shared: &mut Shared<'_>,
) -> Option<(Arc<RunSpec>, Option<Predicting>)> {
    if let Some(changed) = shared.changed {
        return Some((changed.spec.clone(), None));
    }
    if let Some((spec, _)) = shared.network.spec(ui.ctx(), input) {
        let read = shared.network.ui(ui, ENTRY.help, input);
        return Some((spec, read.map(|read| Predicting { source: read.source, title: read.title })));
    }
    let run = input.selected().next().or(input.listed.first())?;
    ui.label(RichText::new("No run is selected that is done, so there are no predictions.").weak());
    Some((run.spec.clone(), None))
}

impl DataView {
    /// The predictions of a run, once a thread has made them.
    fn predict(&mut self, ui: &mut Ui, run: &Predicting, seen: &Arc<SeenSamples>) -> Option<Arc<Answers>> {
        let key = (run.source.clone(), self.part);
        let (source, samples) = (run.source.clone(), seen.clone());
        let title = format!("{}, {} part", run.title, self.part.name().to_lowercase());
        let read = move || {
            let found = predict(&source.folder, &source.id, source.moment, &samples.samples)?;
            Ok(Arc::new(Answers::of(found, &samples, title)))
        };
        match self.answers.get(&key, ui.ctx(), read) {
            // Those of other samples do not fit.
            LoadState::Ready(found) if found.predictions.len() == seen.samples.len() => Some(found.clone()),
            LoadState::Ready(_) => {
                self.answers.forget();
                None
            }
            LoadState::Pending => {
                waiting_ui(ui, "Predicting…");
                None
            }
            LoadState::Failed(why) => {
                widgets::message_ui(ui, widgets::Tone::Bad, &format!("There are no predictions: {why}"));
                None
            }
        }
    }

    /// Takes the matrix of these predictions.
    fn take_matrix(&mut self, answers: Option<&Arc<Answers>>) {
        let is_same = match (&self.matrix.0, answers) {
            (Some(last), Some(answers)) => Arc::ptr_eq(last, answers),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !is_same {
            self.matrix.0 = answers.cloned();
            self.matrix.1.forget_figure();
        }
    }

    fn part_ui(&mut self, ui: &mut Ui) {
        widgets::choice_ui(ui, "Part", self.part.name(), |ui| {
            for part in DataPart::ALL {
                ui.selectable_value(&mut self.part, part, part.name());
            }
        });
    }

    /// The part; or what a trial changed, which is of the test part.
    fn choices_ui(&mut self, ui: &mut Ui, changed: &mut Option<ChangedImages>) {
        let Some(shown) = changed else { return self.part_ui(ui) };
        let mut ends = false;
        ui.horizontal_wrapped(|ui| {
            ui.label(&shown.title);
            ends = ui.add(widgets::button(None, "Show all samples")).clicked();
        });
        if ends {
            *changed = None;
        }
    }

    /// Which part, pictures or matrix, and the filter.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        changed: &mut Option<ChangedImages>,
        seen: &SeenSamples,
        has_predictions: bool,
    ) {
        let is_of_trial = changed.is_some();
        ui.horizontal_wrapped(|ui| {
            if !is_of_trial {
                ui.selectable_value(&mut self.shown, Shown::Pictures, "Pictures");
                ui.selectable_value(&mut self.shown, Shown::Matrix, "Confusion");
                ui.add_space(theme::STEP);
            }
            ui.with_layout(Layout::right_to_left(Align::Center).with_main_wrap(false), |ui| {
                let count = text::counted(seen.samples.len(), "sample");
                ui.label(RichText::new(count).color(theme::present(ui).text3));
                if is_of_trial || self.shown == Shown::Pictures {
                    self.filter.ui(ui, &seen.classes, has_predictions);
                }
                if !is_of_trial {
                    self.part_ui(ui);
                }
            });
        });
        if is_of_trial {
            self.choices_ui(ui, changed);
        }
    }
}
