//! Figures that views have for files and for the clipboard, as plots do.

use std::fmt;
use std::sync::Arc;

use crate::plot::FigureView;
use figure::Figure;
use figure::plots::Plot;

/// A figure that a view shows, which is made when it is written.
#[derive(Clone)]
pub struct Offer {
    /// The end of its file name: `fc1.weight-mask`.
    pub name: String,
    /// Its name in dialogs and in the log: "mask of fc1.weight".
    pub title: String,
    make: Arc<dyn Fn() -> Figure + Send + Sync>,
}

impl Offer {
    /// Returns a figure that a function makes, on any thread.
    pub fn new(name: String, title: String, make: impl Fn() -> Figure + Send + Sync + 'static) -> Self {
        Self { name, title, make: Arc::new(make) }
    }

    /// Returns the visible part of a figure in its view.
    pub fn visible(name: String, title: String, view: &FigureView, figure: &Arc<Figure>) -> Self {
        Self::new(name, title, view.shown(figure))
    }

    pub fn figure(&self) -> Figure {
        (self.make)()
    }
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offer").field("name", &self.name).field("title", &self.title).finish_non_exhaustive()
    }
}

/// The subject of an export.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A plot, as it is when the export starts.
    Plot(&'static Plot),
    /// The last figure of a view.
    View(Offer),
}

impl Subject {
    /// Returns what the name of its file ends with.
    pub fn name(&self) -> &str {
        match self {
            Self::Plot(plot) => plot.name,
            Self::View(offer) => &offer.name,
        }
    }

    /// Returns what dialogs and the log call it.
    pub fn title(&self) -> &str {
        match self {
            Self::Plot(plot) => plot.title,
            Self::View(offer) => &offer.title,
        }
    }
}

/// The figure of a view for exports.
#[derive(Clone, Debug)]
pub enum Offers {
    /// It never has one: exports write a plot.
    Nothing,
    /// Not yet, and why.
    Later(&'static str),
    /// The one of several that was used last.
    Figure(Offer),
}

impl Offers {
    pub fn figure(self) -> Option<Offer> {
        match self {
            Self::Figure(offer) => Some(offer),
            Self::Nothing | Self::Later(_) => None,
        }
    }
}
