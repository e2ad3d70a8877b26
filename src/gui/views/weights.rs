//! One parameter of a network: its histogram, its image, its values.

use eframe::egui::{ComboBox, RichText, Ui, vec2};

use super::cells::Cells;
use super::histogram::histogram_ui;
use super::loading::{Answer, Loading, Source};
use super::picture::{Inks, Picture, Shown};
use super::values::Values;
use super::{Shared, View, ViewInput, ViewResponse, nothing_ui, waiting_ui};
use crate::doc::intervention::Set;
use crate::gui::{text, theme};
use crate::run::summary::{NetworkSummary, ParameterSummary, ParameterValues, read_values, shape_text};

/// Cells of an image, a side at most.
const MOST_CELLS: usize = 512;

/// What the view keeps between frames.
#[derive(Default)]
pub struct Weights {
    parameter: String,
    loaded: Loading<(Source, String), Loaded>,
    /// What table and image belong to.
    shown_of: Option<(Source, String)>,
    picture: Picture,
    shown: Shown,
    values: Values,
}

/// What is read of a parameter.
struct Loaded {
    values: ParameterValues,
    cells: Cells,
}

impl View for Weights {
    const NAME: &'static str = "weights";
    const TITLE: &'static str = "Weights";
    const HELP: &'static str = "Values of a parameter of the selected run: which are left, which are held, and where. The histogram \
         shows how the surviving and the held values are spread, beside those of the dense network where it is known. The \
         image shows every entry at its place, outputs from top to bottom, as a value or as a mask: rows and columns that \
         are empty are units that the pruning took away. Entries that are ticked in the list can be set to a value by a \
         stage of the plan. It needs a run that is done: select one at the left, or an arm for its first one.";

    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        let read = shared.network.ui(ui, Self::HELP, input)?;
        self.parameters_ui(ui, read.summary, &read.source, &read.arm).map(ViewResponse::AddStage)
    }
}

impl Weights {
    /// Draws the chosen parameter; a stage that is wanted in the plan of `arm`.
    fn parameters_ui(
        &mut self,
        ui: &mut Ui,
        summary: &NetworkSummary,
        source: &Source,
        arm: &str,
    ) -> Option<Set> {
        let parameter = self.choice_ui(ui, summary)?;
        histogram_ui(ui, parameter, (ui.available_height() * 0.28).clamp(72.0, 180.0));
        ui.add_space(theme::STEP);
        let key = (source.clone(), parameter.name.clone());
        if self.shown_of.as_ref() != Some(&key) {
            self.shown_of = Some(key.clone());
            self.picture.forget();
            self.values = Values::default();
        }
        let (from, name) = key.clone();
        let read = move || {
            let values = read_values(&from.folder, &from.id, &name)?;
            Ok(Loaded { cells: Cells::of(&values, MOST_CELLS), values })
        };
        let loaded = match self.loaded.get(&key, ui.ctx(), read) {
            Answer::Here(loaded) => loaded,
            Answer::Waiting => {
                waiting_ui(ui);
                return None;
            }
            Answer::Failed(why) => {
                nothing_ui(ui, Self::HELP, &format!("It cannot be shown: {why}."));
                return None;
            }
        };
        let room = ui.available_size();
        let (picture, shown, values) = (&mut self.picture, &mut self.shown, &mut self.values);
        let side = (room.x * 0.5 - theme::STEP).max(160.0);
        ui.horizontal_top(|ui| {
            ui.allocate_ui(vec2(side, room.y), |ui| ui.vertical(|ui| picture_ui(ui, picture, shown, loaded)));
            ui.allocate_ui(vec2(ui.available_width(), room.y), |ui| {
                ui.vertical(|ui| values.ui(ui, &parameter.name, &loaded.values, arm)).inner
            })
            .inner
        })
        .inner
    }

    fn choice_ui<'a>(&mut self, ui: &mut Ui, summary: &'a NetworkSummary) -> Option<&'a ParameterSummary> {
        let known = summary.parameters.iter().find(|parameter| parameter.name == self.parameter);
        let parameter = known.or_else(|| summary.parameters.first())?;
        self.parameter.clone_from(&parameter.name);
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Parameter:");
            let combo =
                ComboBox::from_id_salt("parameter").selected_text(&self.parameter).show_ui(ui, |ui| {
                    for parameter in &summary.parameters {
                        ui.selectable_value(&mut self.parameter, parameter.name.clone(), &parameter.name);
                    }
                });
            combo.response.labelled_by(label.id);
            let entries = parameter.shape.iter().product::<usize>() as u64;
            let facts = format!(
                "{} · {} entries · from {:.4} to {:.4}",
                shape_text(&parameter.shape),
                text::grouped(entries),
                parameter.minimum,
                parameter.maximum
            );
            ui.label(RichText::new(facts).small());
        });
        summary.parameters.iter().find(|parameter| parameter.name == self.parameter)
    }
}

fn picture_ui(ui: &mut Ui, picture: &mut Picture, shown: &mut Shown, loaded: &Loaded) {
    ui.horizontal_wrapped(|ui| {
        ui.selectable_value(shown, Shown::Values, "Values").on_hover_text("The values as colours");
        ui.selectable_value(shown, Shown::Mask, "Mask").on_hover_text("Which entries are left, held, pruned");
    });
    let height = (ui.available_height() - 48.0).max(48.0);
    picture.ui(ui, &loaded.values, &loaded.cells, *shown, height);
    ui.add_space(2.0);
    key_ui(ui, *shown, loaded);
}

/// What the colours of the image mean.
fn key_ui(ui: &mut Ui, shown: Shown, loaded: &Loaded) {
    let inks = Inks::present(ui);
    let full = loaded.cells.full;
    ui.horizontal_wrapped(|ui| {
        let mut key = |colour, text: String| {
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), eframe::egui::Sense::hover());
            ui.painter().rect_filled(rect, 2.0, colour);
            ui.small(text);
        };
        match shown {
            Shown::Values => {
                key(inks.positive, format!("{full:.3} and more"));
                key(inks.negative, format!("{:.3} and less", -full));
            }
            Shown::Mask => {
                key(inks.positive, "trained".to_owned());
                key(inks.held, "held".to_owned());
            }
        }
        key(inks.pruned, "pruned".to_owned());
        let outputs = if loaded.values.shape.len() > 1 { "Rows are outputs." } else { "" };
        let block = loaded.cells.block;
        let text = if loaded.cells.is_exact() {
            outputs.to_owned()
        } else {
            format!("{outputs} A pixel is the mean of {}×{} entries.", block[0], block[1])
        };
        ui.small(text);
    });
}
