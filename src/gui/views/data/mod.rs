//! The data as the network sees them: pictures with their classes, what the network of the selected run predicts, and the
//! confusion matrix.

mod pictures;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{
    Align, CollapsingHeader, Frame, Grid, Label, Layout, Panel, RichText, ScrollArea, Ui, vec2,
};

use super::network_at_end::{NetworkAtEnd, Source};
use super::offer::{Offer, Offers};
use super::{Request, Shared, View, ViewEntry, ViewInput, nothing_ui, waiting_ui};
use crate::background::{Latest, LoadState};
use crate::plot::{FigureView, figure_ui};
use crate::selection::Selection;
use crate::table::{Column, Table};
use crate::{text, theme, widgets};
use data::Inventory;
use doc::{ClassNames, RunSpec};
use figure::Figure;
use figure::confusion::confusion;
use form::Stored;
use pictures::Pictures;
use results::confusion::Confusion;
use results::number::fixed;
use results::tiles::Group;
use run::summary::{DataPart, Prediction, SeenSamples, predict, read_samples};

pub use pictures::texture;

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
    samples: Latest<Samples, Arc<SeenSamples>>,
    answers: Latest<(Source, DataPart), Arc<Answers>>,
    pictures: Pictures,
    pictures_of: Option<Samples>,
    /// The answers whose matrix was drawn last, and how it is shown.
    matrix: (Option<Arc<Answers>>, FigureView),
}

/// The predictions of a network for the samples of a part.
struct Answers {
    predictions: Vec<Prediction>,
    counts: Confusion,
    figure: Arc<Figure>,
    /// The network and the part.
    title: String,
}

impl Answers {
    /// Counts the predictions and makes the figure: for a thousand classes it has a million cells.
    fn new(predictions: Vec<Prediction>, seen: &SeenSamples, title: String) -> Self {
        let labels = seen.samples.labels.iter().copied();
        let pairs = labels.zip(predictions.iter().map(|prediction| prediction.class));
        let counts = Confusion::new(seen.classes.len(), pairs);
        let figure = Arc::new(confusion(&counts, &seen.classes, &title));
        Self { predictions, counts, figure, title }
    }
}

/// The part of the view that is shown.
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

/// The run whose predictions are shown, and its title.
type Predicting = (Source, String);

impl View for DataView {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        // What a trial changed is no answer to the question about other runs.
        let changed = changed_images(shared);
        changed.take_if(|changed| changed.selection != runs_of(input.selection));
        if changed.as_mut().is_some_and(|changed| std::mem::take(&mut changed.is_new)) {
            (self.shown, self.filter) = (Shown::Pictures, Filter::default());
        }
        let Some((spec, predicting)) = subject(ui, input, shared) else {
            nothing_ui(ui, ENTRY.help, "There are no runs yet: add an arm on the left.");
            return None;
        };
        let changed = changed_images(shared);
        let part = if changed.is_some() { DataPart::Test } else { self.part };
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
                self.choices_ui(ui, changed);
                widgets::message_ui(ui, widgets::Tone::Bad, &why);
                return None;
            }
        };
        if self.pictures_of.as_ref() != Some(&key) {
            self.pictures = Pictures::default();
            self.pictures_of = Some(key);
        }
        let answers = predicting.and_then(|predicting| self.predict(ui, predicting, &seen));
        if self.matrix.0.as_ref().map(Arc::as_ptr) != answers.as_ref().map(Arc::as_ptr) {
            self.matrix.0.clone_from(&answers);
            self.matrix.1.forget_figure();
        }
        self.bar_ui(ui, changed, &seen, answers.is_some());
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
        let changed = changed.as_ref();
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
        let (Some(answers), view) = &self.matrix else {
            return Offers::Later("No predictions are shown yet");
        };
        let title = format!("confusion matrix of {}", answers.title);
        Offers::Figure(Offer::visible("confusion".to_owned(), title, view, &answers.figure))
    }
}

/// Returns the pictures of a trial that are shown alone.
fn changed_images<'a>(shared: &'a mut Shared<'_>) -> &'a mut Option<ChangedImages> {
    shared.store.of()
}

/// Returns the settings of the shown run, and the run itself where its network is shown, below its title. What a trial
/// changed is of the run of that trial, and its network then has no predictions: those of the trial are there.
fn subject(
    ui: &mut Ui,
    input: &ViewInput<'_>,
    shared: &mut Shared<'_>,
) -> Option<(Arc<RunSpec>, Option<Predicting>)> {
    if let Some(changed) = changed_images(shared) {
        return Some((changed.spec.clone(), None));
    }
    let network: &mut NetworkAtEnd = shared.store.of();
    if let Some((spec, _)) = network.spec(ui.ctx(), input) {
        let read = network.ui(ui, ENTRY.help, input);
        return Some((spec, read.map(|read| (read.source, read.title))));
    }
    let run = input.selected().next().or(input.listed.first())?;
    ui.label(RichText::new("No run is selected that is done, so there are no predictions.").weak());
    Some((run.spec.clone(), None))
}

impl DataView {
    /// Returns the predictions of a run, once a thread has made them.
    fn predict(
        &mut self,
        ui: &mut Ui,
        (source, title): Predicting,
        seen: &Arc<SeenSamples>,
    ) -> Option<Arc<Answers>> {
        let (key, samples) = ((source.clone(), self.part), seen.clone());
        let title = format!("{title}, {} part", self.part.name().to_lowercase());
        let read = move || {
            let found = predict(&source.folder, &source.id, source.moment, &samples.samples)?;
            Ok(Arc::new(Answers::new(found, &samples, title)))
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

    fn part_ui(&mut self, ui: &mut Ui) {
        widgets::choice_ui(ui, "Part", self.part.name(), |ui| {
            for part in DataPart::ALL {
                ui.selectable_value(&mut self.part, part, part.name());
            }
        });
    }

    /// Draws the part; or what a trial changed, which is of the test part.
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

    /// Draws which part, pictures or matrix, and the filter.
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

/// The pictures that a trial of a campaign changed, with the classes without and with the fault.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedImages {
    /// Their title: "12 test samples changed by trial 7".
    pub title: String,
    /// Places in the test part, ascending, each with the class that was predicted without the fault, and with it.
    pub images: Vec<(usize, [Option<u32>; 2])>,
    /// The settings of the run of the trial, with the data that its campaign saw: the places mean nothing in others.
    pub spec: Arc<RunSpec>,
    /// The selection when they were asked for.
    selection: Selection,
    /// True if the view has not shown them yet.
    is_new: bool,
}

impl ChangedImages {
    /// Returns pictures that the view has not shown yet.
    pub fn new(title: String, images: Vec<(usize, [Option<u32>; 2])>, spec: Arc<RunSpec>) -> Self {
        Self { title, images, spec, selection: Selection::default(), is_new: true }
    }

    /// Returns the same, until something else is selected.
    pub fn under(self, selection: &Selection) -> Self {
        Self { selection: runs_of(selection), ..self }
    }

    /// Returns the two classes of a picture.
    pub fn classes(&self, image: usize) -> Option<[Option<u32>; 2]> {
        let at = self.images.binary_search_by_key(&image, |(image, _)| *image).ok()?;
        Some(self.images[at].1)
    }
}

/// Drops the stage of a selection: the runs of its arm are the same.
fn runs_of(selection: &Selection) -> Selection {
    match selection {
        Selection::Stage { arm, .. } => Selection::Arm(*arm),
        other @ (Selection::Experiment
        | Selection::Arm(_)
        | Selection::Setting { .. }
        | Selection::Run { .. }) => other.clone(),
    }
}

/// The conditions for listed samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub class: Option<u32>,
    /// This predicted class.
    pub predicted: Option<u32>,
    /// A wrong prediction.
    pub is_wrong: bool,
}

impl Filter {
    /// Returns the places of the samples that have all of it. Without predictions, only their classes count.
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
        let is_changed = |at: &usize| changed.is_none_or(|changed| changed.classes(*at).is_some());
        (0..labels.len()).filter(is_changed).filter(fits).collect()
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

/// The most channels that are listed: features are too many to read.
const CHANNELS: usize = 16;
/// Height of a line, and width of a number, in points.
const ROW: f32 = 20.0;
const NUMBER: f32 = 72.0;

/// The most of the height of a tile that the inventory takes; the rest is scrolled to.
const INVENTORY: f32 = 0.4;

/// Draws what was found in all parts of the data, whole and folded in a line.
pub fn inventory_ui(ui: &mut Ui, inventory: &Inventory) {
    let most = ui.available_height() * INVENTORY;
    let header = CollapsingHeader::new(RichText::new(inventory.summary()).size(theme::SMALL));
    header.id_salt("inventory").default_open(true).show(ui, |ui| {
        ScrollArea::vertical().id_salt("inventory").max_height(most).show(ui, |ui| {
            let colours = theme::present(ui);
            ui.spacing_mut().interact_size.y = 0.0; // rows are as high as their text
            Grid::new("inventory").num_columns(2).spacing([theme::STEP, 2.0]).show(ui, |ui| {
                for (label, text) in inventory.lines(true) {
                    ui.label(RichText::new(label).size(theme::SMALL).color(colours.text3));
                    ui.add(Label::new(RichText::new(text).size(theme::SMALL)).wrap());
                    ui.end_row();
                }
            });
        });
    });
}

/// Draws how many samples each class has and, with predictions, how many of them are right; and the values of channels.
pub fn summary_ui(ui: &mut Ui, seen: &SeenSamples, counts: Option<&Confusion>) {
    let number = |title: &'static str| Column { width: NUMBER, ..Column::number(title, "") };
    let classes = seen.counts.len();
    let all = seen.counts.iter().sum();
    let text = |row: usize, column: usize| match (column, row < classes) {
        (0, true) => seen.classes.name_of(Some(row as u32)),
        (0, false) => "All".to_owned(),
        (1, is_class) => text::grouped(if is_class { seen.counts[row] } else { all }),
        (_, is_class) => counts.map_or_else(String::new, |counts| {
            let right = |class: usize| counts.right(class);
            if is_class {
                share(right(row), seen.counts[row])
            } else {
                share((0..classes).map(right).sum(), all)
            }
        }),
    };
    let numbers: Vec<_> = [number("Samples")].into_iter().chain(counts.map(|_| number("Right"))).collect();
    let room = ui.available_width() - ui.spacing().scroll.allocated_width();
    let name = Column { width: room - numbers.len() as f32 * NUMBER, ..Column::text("Class", "") };
    let of_classes: Vec<_> = std::iter::once(name).chain(numbers).collect();
    // The channels keep their room below many classes.
    let most = (ui.available_height() - 5.0 * ROW).max(0.4 * ui.available_height());
    let (columns, rows) = (&of_classes[..], classes + 1);
    let text: &dyn Fn(usize, usize) -> String = &text;
    let table = Table {
        id: "classes",
        columns,
        rows,
        row_height: ROW,
        text: Some(text),
        is_low: true,
        ..Table::default()
    };
    ui.allocate_ui(vec2(ui.available_width(), most), |ui| {
        table.show(ui, &mut |ui, row, column| {
            if let Some(column) = column {
                ui.add(Label::new(text(row, column)).truncate()); // whole under the pointer
            }
        });
    });
    let list = |values: &[f64]| {
        values.iter().take(CHANNELS).map(|value| fixed(*value, 4)).collect::<Vec<_>>().join(", ")
    };
    let (mean, deviation) = (list(&seen.channels.mean), list(&seen.channels.deviation));
    let text =
        format!("Values as the network sees them: mean {mean}; deviation {deviation}; {}", remark(seen));
    let text = RichText::new(text.trim_end_matches("; ")).size(theme::SMALL).color(theme::present(ui).text3);
    ui.add(Label::new(text).wrap());
}

/// Says which channels and samples the values are not of; empty where they are of all.
fn remark(seen: &SeenSamples) -> String {
    let (measured, all) = (seen.measured, seen.samples.len());
    let of = format!("over {} of {}", text::grouped(measured as u64), text::counted(all, "sample"));
    let more = seen.channels.mean.len().saturating_sub(CHANNELS);
    let more = (more > 0).then(|| format!("and {more} more"));
    (measured < all).then_some(of).into_iter().chain(more).collect::<Vec<_>>().join("; ")
}

fn share(right: u64, samples: u64) -> String {
    if samples == 0 {
        "–".to_owned()
    } else {
        format!("{} %", fixed(100.0 * right as f64 / samples as f64, 1))
    }
}
