//! Figures that views have for files and for the clipboard, as plots do.

use std::fmt;
use std::sync::Arc;

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Button, Ui};

use crate::figure::Figure;

/// A figure that a view shows, to be made where it is written.
#[derive(Clone)]
pub struct Offer {
    /// What the name of its file ends with: `fc1.weight-mask`.
    pub name: String,
    /// What dialogs and the log call it: "mask of fc1.weight".
    pub title: String,
    make: Arc<dyn Fn() -> Figure + Send + Sync>,
}

impl Offer {
    /// A figure that is made by a function, on any thread.
    pub fn new(name: String, title: String, make: impl Fn() -> Figure + Send + Sync + 'static) -> Self {
        Self { name, title, make: Arc::new(make) }
    }

    /// Makes the figure.
    pub fn figure(&self) -> Figure {
        (self.make)()
    }
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offer").field("name", &self.name).field("title", &self.title).finish_non_exhaustive()
    }
}

/// Whether a view has a figure to export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offers {
    /// It never has: exports are about a plot.
    #[default]
    Nothing,
    /// Not now, and why.
    Later(&'static str),
    /// It has.
    Figure,
}

/// What a person wants of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A file.
    File,
    /// A picture in the clipboard.
    Picture,
    /// Its values in the clipboard, as CSV.
    Values,
}

/// A menu that takes a figure of the view along; what is wanted of it. `what` is "histogram".
pub fn take_ui(ui: &mut Ui, what: &str) -> Option<Wanted> {
    let menu = MenuButton::from_button(Button::new(format!("Export {what}")).small()).ui(ui, |ui| {
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
