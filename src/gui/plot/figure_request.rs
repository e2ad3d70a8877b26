//! What a plot shows, as an order for a thread: the figure that an export writes.

use std::sync::Arc;

use super::input::PlotInput;
use crate::figure::model::Figure;
use crate::figure::plots::Plot;
use crate::figure::view::{seen, whole};
use crate::results::view::{PlotOptions, PlotView};

/// All that decides what a plot shows.
pub struct FigureRequest {
    pub(super) plot: &'static dyn Plot,
    pub(super) options: PlotOptions,
    pub(super) titles: PlotView,
    /// The part that is seen, and what is hidden.
    pub(super) seen: PlotView,
    pub(super) input: PlotInput,
    /// The figure, where it is there already.
    pub(super) built: Option<Arc<Figure>>,
}

impl FigureRequest {
    /// Builds the figure without hidden lines, cut to the part that is seen. `None` when there is nothing to see yet.
    pub fn figure(&self) -> Option<Figure> {
        let figure = self.built.clone().unwrap_or_else(|| {
            let arms = self.input.borrowed();
            Arc::new(whole(self.plot, &arms, &self.options, &self.titles, &self.input.note()))
        });
        figure.has_data().then(|| seen(&figure, &self.seen))
    }
}
