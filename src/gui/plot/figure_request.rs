//! A request to a thread for the figure that an export writes.

use std::sync::Arc;

use super::input::PlotInput;
use figure::model::Figure;
use figure::plots::Plot;
use figure::view::{seen, whole};
use results::view::{PlotOptions, PlotView};

/// All inputs of the visible figure of a plot.
pub struct FigureRequest {
    pub(super) plot: &'static Plot,
    pub(super) options: PlotOptions,
    pub(super) titles: PlotView,
    /// The visible part, and hidden names.
    pub(super) seen: PlotView,
    pub(super) input: PlotInput,
    /// The figure, if it is built already.
    pub(super) built: Option<Arc<Figure>>,
}

impl FigureRequest {
    /// Builds the figure without hidden lines, cut to the visible part.
    ///
    /// # Errors
    /// Without data, or with too many panels.
    pub fn figure(&self) -> Result<Figure, String> {
        let figure = self.built.clone().unwrap_or_else(|| {
            let arms = self.input.borrowed();
            Arc::new(whole(self.plot, &arms, &self.options, &self.titles, &self.input.note()))
        });
        if let Some(why) = figure.refusal() {
            return Err(format!("{why}. Choose another setting, or filter the runs."));
        }
        if !figure.has_data() {
            return Err("The plot is empty. Press Run first.".to_owned());
        }
        Ok(seen(&figure, &self.seen))
    }
}
