//! Figures that views have for files and for the clipboard, as plots do.

use std::fmt;
use std::sync::Arc;

use eframe::egui::Ui;
use eframe::egui::containers::menu::MenuButton;

use crate::plot::FigureView;
use crate::widgets;
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
    Figure(Offer),
    /// The one of several that was used last; each has its menu.
    Figures(Offer),
}

impl Offers {
    pub fn figure(self) -> Option<Offer> {
        match self {
            Self::Figure(offer) | Self::Figures(offer) => Some(offer),
            Self::Nothing | Self::Later(_) => None,
        }
    }
}

/// A way to export a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    File,
    /// A picture in the clipboard.
    Picture,
    /// Its values in the clipboard, as CSV.
    Values,
}

/// Draws a menu that exports one of several figures of the view, such as the "histogram"; returns the chosen way.
pub fn take_ui(ui: &mut Ui, what: &str) -> Option<Wanted> {
    let menu = MenuButton::from_button(widgets::button(None, &format!("Export {what}"))).ui(ui, |ui| {
        let entries = [
            ("Write to a file…", Wanted::File),
            ("Copy as an image", Wanted::Picture),
            ("Copy values as CSV", Wanted::Values),
        ];
        entries.into_iter().find(|(text, _)| ui.button(*text).clicked()).map(|(_, wanted)| wanted)
    });
    menu.0.on_hover_text(format!("Exports the {what} as SVG, PDF, PNG or CSV, or copies it"));
    menu.1.and_then(|shown| shown.inner)
}
