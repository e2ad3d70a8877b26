//! A request to a thread for the figure that an export writes.

use std::sync::Arc;

use super::input::PlotInput;
use crate::figure::model::Figure;
use crate::figure::plots::Plot;
use crate::figure::view::{seen, whole};
use crate::results::view::{PlotOptions, PlotView};

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
    /// Builds the figure without hidden lines, cut to the visible part; `None` without data.
    pub fn figure(&self) -> Option<Figure> {
        let figure = self.built.clone().unwrap_or_else(|| {
            let arms = self.input.borrowed();
            Arc::new(whole(self.plot, &arms, &self.options, &self.titles, &self.input.note()))
        });
        figure.has_data().then(|| seen(&figure, &self.seen))
    }
}
