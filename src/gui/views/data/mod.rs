//! The data as the network sees them: pictures with their classes, what the network of the selected run predicts, and the
//! confusion matrix.

mod filter;
mod pictures;
mod summary;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{Align, Frame, Layout, Panel, RichText, ScrollArea, Ui};

use super::loading::{LoadState, Loading, Source};
use super::offer::{Offer, Offers};
use super::{Shared, View, ViewEntry, ViewInput, ViewResponse, nothing_ui, waiting_ui};
use crate::doc::RunSpec;
use crate::figure::Figure;
use crate::figure::confusion::confusion;
use crate::form::Stored;
use crate::gui::plot::{FigureView, figure_ui};
use crate::gui::{text, theme, widgets};
use crate::results::confusion::Confusion;
use crate::results::tiles::Group;
use crate::run::summary::{DataPart, Prediction, SeenSamples, predict, read_samples};
pub use filter::ChangedImages;
use filter::Filter;
use pictures::Pictures;
pub use pictures::texture;
use summary::summary_ui;

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
    predictions: Loading<(Source, DataPart), Arc<Vec<Prediction>>>,
    pictures: Pictures,
    /// What the pictures are of.
    pictures_of: Option<Samples>,
    matrix: Matrix,
}

/// The confusion matrix, and what it is of.
#[derive(Default)]
struct Matrix {
    of: Option<(Source, DataPart)>,
    counts: Confusion,
    figure: Arc<Figure>,
    view: FigureView,
    title: String,
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
           class, and can be exported. From a trial in Campaigns, Show in Data leads to the pictures that its fault \
           changed. Pixels are those after resizing and normalization, stretched from the lowest value to the highest.",
    make: || Box::<DataView>::default(),
};

/// The run whose predictions are shown.
struct Predicting {
    source: Source,
    title: String,
}

impl View for DataView {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        let Some((spec, predicting)) = subject(ui, input, shared) else {
            nothing_ui(ui, ENTRY.help, "There are no runs yet: add an arm on the left.");
            return None;
        };
        if shared.changed.as_mut().is_some_and(|changed| std::mem::take(&mut changed.is_new)) {
            (self.part, self.shown, self.filter) = (DataPart::Test, Shown::Pictures, Filter::default());
        }
        if predicting.is_none() {
            ui.label(RichText::new("No run is selected that is done, so there are no predictions.").weak());
        }
        let base = input.results.parent().unwrap_or(Path::new("")).to_owned();
        let key = (format!("{} {:?}", spec.data.to_ron(), spec.net.image_side()), base, self.part);
        let (read, part) = ((spec, key.1.clone()), self.part);
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
                self.part_ui(ui);
                widgets::message_ui(ui, widgets::Tone::Bad, &why);
                return None;
            }
        };
        if self.pictures_of.as_ref() != Some(&key) {
            self.pictures.forget();
            self.pictures_of = Some(key);
        }
        let predictions = predicting.as_ref().and_then(|predicting| self.predict(ui, predicting, &seen));
        self.take_matrix(predicting.as_ref(), predictions.as_deref(), &seen);
        self.bar_ui(ui, shared.changed, &seen, predictions.is_some());
        if seen.samples.is_empty() {
            ui.label("This part of the data has no samples.");
            return None;
        }
        let counts = predictions.is_some().then_some(&self.matrix.counts);
        if ui.available_width() >= BESIDE {
            let panel = Panel::left(ui.scope_id().with("counts")).exact_size(COUNTS).resizable(false);
            let panel = panel.frame(Frame::NONE).show_separator_line(false);
            panel.show(ui, |ui| {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| summary_ui(ui, &seen, counts));
            });
        }
        match self.shown {
            Shown::Matrix if predictions.is_some() => {
                drop(figure_ui(ui, &self.matrix.figure, &mut self.matrix.view));
            }
            Shown::Matrix => drop(ui.label("The confusion matrix needs a run that is done.")),
            Shown::Pictures => {
                let changed = shared.changed.as_ref();
                let listed = self.filter.listed(
                    &seen.samples.labels,
                    predictions.as_deref().map(Vec::as_slice),
                    changed,
                );
                self.pictures.ui(ui, &seen, predictions.as_deref().map(Vec::as_slice), changed, &listed);
            }
        }
        None
    }

    fn offers(&self) -> Offers {
        if self.matrix.of.is_some() { Offers::Figure } else { Offers::Later("No predictions are shown yet") }
    }

    fn offer(&self) -> Option<Offer> {
        self.matrix.of.as_ref()?;
        let shown = self.matrix.view.shown(&self.matrix.figure);
        let title = format!("confusion matrix of {}", self.matrix.title);
        Some(Offer::new("confusion".to_owned(), title, move || shown.clone()))
    }
}

/// The settings of the shown run, and the run itself where it has a network; draws its title.
fn subject(
    ui: &mut Ui,
    input: &ViewInput<'_>,
    shared: &mut Shared<'_>,
) -> Option<(Arc<RunSpec>, Option<Predicting>)> {
    if let Some((spec, _)) = shared.network.spec(ui.ctx(), input) {
        let read = shared.network.ui(ui, ENTRY.help, input);
        return Some((spec, read.map(|read| Predicting { source: read.source, title: read.title })));
    }
    let run = input.selected().next().or(input.listed.first())?;
    Some((run.spec.clone(), None))
}

impl DataView {
    /// The predictions of a run, once a thread has made them.
    fn predict(
        &mut self,
        ui: &mut Ui,
        run: &Predicting,
        seen: &Arc<SeenSamples>,
    ) -> Option<Arc<Vec<Prediction>>> {
        let key = (run.source.clone(), self.part);
        let (source, samples) = (run.source.clone(), seen.clone());
        let read = move || predict(&source.folder, &source.id, source.moment, &samples.samples).map(Arc::new);
        match self.predictions.get(&key, ui.ctx(), read) {
            // Those of other samples do not fit.
            LoadState::Ready(found) if found.len() == seen.samples.len() => Some(found.clone()),
            LoadState::Ready(_) => {
                self.predictions.forget();
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

    /// Counts the predictions, once for each run and part.
    fn take_matrix(&mut self, run: Option<&Predicting>, found: Option<&Vec<Prediction>>, seen: &SeenSamples) {
        let of = run.zip(found).map(|(run, _)| (run.source.clone(), self.part));
        if of == self.matrix.of {
            return;
        }
        self.matrix.of = of;
        let Some((run, found)) = run.zip(found) else { return };
        let labels = seen.samples.labels.iter().copied();
        let pairs = labels.zip(found.iter().map(|prediction| prediction.class));
        self.matrix.counts = Confusion::of(seen.classes.len(), pairs);
        self.matrix.title = format!("{}, {} part", run.title, self.part.name().to_lowercase());
        self.matrix.figure = Arc::new(confusion(&self.matrix.counts, &seen.classes, &self.matrix.title));
        self.matrix.view.forget_figure();
    }

    fn part_ui(&mut self, ui: &mut Ui) {
        widgets::choice_ui(ui, "Part", self.part.name(), |ui| {
            for part in DataPart::ALL {
                ui.selectable_value(&mut self.part, part, part.name());
            }
        });
    }

    /// Which part, pictures or matrix, and the filter.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        changed: &mut Option<ChangedImages>,
        seen: &SeenSamples,
        has_predictions: bool,
    ) {
        ui.horizontal_wrapped(|ui| {
            ui.selectable_value(&mut self.shown, Shown::Pictures, "Pictures");
            ui.selectable_value(&mut self.shown, Shown::Matrix, "Confusion");
            ui.add_space(theme::STEP);
            ui.with_layout(Layout::right_to_left(Align::Center).with_main_wrap(false), |ui| {
                let count = text::counted(seen.samples.len(), "sample");
                ui.label(RichText::new(count).color(theme::present(ui).text3));
                if self.shown == Shown::Pictures {
                    self.filter.ui(ui, &seen.classes, has_predictions);
                }
                self.part_ui(ui);
            });
        });
        let mut ends = false;
        if let Some(changed) = changed {
            ui.horizontal(|ui| {
                ui.label(&changed.title);
                ends = ui.add(widgets::button(None, "Show all pictures")).clicked();
            });
        }
        if ends {
            *changed = None;
        }
    }
}
