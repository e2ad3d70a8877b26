//! Figures that views have for files and for the clipboard, as plots do.

use std::fmt;
use std::sync::Arc;

use eframe::egui::Ui;
use eframe::egui::containers::menu::MenuButton;

use crate::plot::Wanted;
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

/// The figures of a view for exports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offers {
    /// It never has: exports write a plot.
    #[default]
    Nothing,
    /// Not yet, and why.
    Later(&'static str),
    Figure,
    /// It has several, each with its menu, and offers the one that was used last.
    Figures,
}

impl Offers {
    /// Returns true if there is something to export.
    pub const fn has_figure(self) -> bool {
        matches!(self, Self::Figure | Self::Figures)
    }
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
