//! The histograms that a run has recorded of a parameter, over time.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{RichText, Ui};

use super::offer::{Offer, Offers};
use super::{Request, SELECT, Shared, View, ViewEntry, ViewInput, loaded_ui, nothing_ui, parameter_ui};
use crate::background::Latest;
use crate::plot::{FigureView, figure_ui};
use figure::Figure;
use figure::network::{histogram_parameters, histograms};
use results::RunRecord;
use results::weights::{WeightHistogram, parts};
use run::summary::read_histograms;

/// The folder of all runs, a run, and the number of its points.
type Recorded = (PathBuf, String, usize);

/// The state of the view between frames.
#[derive(Default)]
pub struct Histograms {
    parameter: String,
    read: Latest<Recorded, Arc<Vec<WeightHistogram>>>,
    /// The subject of the figure.
    shown: Option<(Recorded, String)>,
    figure: Arc<Figure>,
    view: FigureView,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "histograms",
    title: "Histograms over time",
    group: results::tiles::Group::Weights,
    help: "How does the distribution of a layer's weights change during training? Each column is an evaluation, each \
           row a range of values; the colour is the share of the remaining weights in it, on a logarithmic scale. \
           Brackets below the columns name the weights that remain. A distribution that widens without end shows a \
           learning rate that is too high, one that splits in two shows what magnitude pruning took from its middle. \
           It needs a run that recorded \u{201c}Histograms\u{201d}, under Training details, Weights over training.",
    make: || Box::<Histograms>::default(),
};

const LACKS: &str = "No run of the selected arm recorded histograms. Choose \u{201c}Histograms\u{201d} under \
    Training details, Weights over training, and run again.";

impl View for Histograms {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, _shared: &mut Shared<'_>) -> Option<Request> {
        let has_any = |record: &RunRecord| record.series().any(|name| parts(name).is_some());
        let recorded = input.selected().find_map(|run| {
            let record = input.runs.record(&run.id).filter(|record| has_any(record))?;
            Some((run, (input.results.to_owned(), run.id.clone(), record.points().len())))
        });
        let Some((run, key)) = recorded else {
            let is_selected = input.selection.run().is_some() || input.selection.arm().is_some();
            return self.nothing(ui, if is_selected { LACKS } else { SELECT });
        };
        let asked = key.clone();
        let read = move || Ok(Arc::new(read_histograms(&asked.0, &asked.1)));
        let words = (ENTRY.help, "They cannot be shown");
        // While a run goes on, the last columns stay until new ones are read.
        let is_same = |known: &Recorded| (&known.0, &known.1) == (&key.0, &key.1);
        let Some((known, found)) = loaded_ui(ui, words, &mut self.read, &key, read, is_same) else {
            self.shown = None;
            return None;
        };
        let (known, found) = (known.clone(), found.clone());
        let names = histogram_parameters(&found);
        let Some(first) = names.first() else { return self.nothing(ui, LACKS) };
        if !names.contains(&self.parameter) {
            self.parameter.clone_from(first);
        }
        let of = doc::named(&run.arm, run.seed);
        ui.horizontal_wrapped(|ui| {
            parameter_ui(ui, &mut self.parameter, names.iter());
            ui.label(RichText::new(&of).small().weak());
        });
        let shown = (known, self.parameter.clone());
        if self.shown.as_ref() != Some(&shown) {
            self.figure = Arc::new(histograms(&found, &self.parameter, &of));
            self.view.forget_figure();
            self.shown = Some(shown);
        }
        figure_ui(ui, &self.figure, &mut self.view);
        None
    }

    fn offers(&self) -> Offers {
        let Some((_, parameter)) = &self.shown else {
            return Offers::Later("No histograms of weights are shown yet");
        };
        let (name, title) =
            (format!("{parameter}-histograms"), format!("histograms of {parameter} over time"));
        Offers::Figure(Offer::visible(name, title, &self.view, &self.figure))
    }
}

impl Histograms {
    fn nothing(&mut self, ui: &mut Ui, why: &str) -> Option<Request> {
        self.shown = None;
        nothing_ui(ui, ENTRY.help, why);
        None
    }
}
