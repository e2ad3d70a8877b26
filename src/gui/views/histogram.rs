//! The histogram of a parameter with its view.

use std::sync::Arc;

use eframe::egui::{Ui, Vec2};

use super::offer::Offer;
use crate::plot::{FigureView, figure_ui};
use figure::Figure;
use figure::network::histogram;
use results::network::ParameterSummary;

/// A histogram with its view.
#[derive(Default)]
pub struct Histogram {
    figure: Option<Arc<Figure>>,
    view: FigureView,
}

impl Histogram {
    /// Has to be called when the parameter changes. Of another moment of the same parameter, the zoom stays.
    pub fn show(&mut self, parameter: &ParameterSummary, is_other_moment: bool) {
        self.figure = Some(Arc::new(histogram(parameter)));
        if is_other_moment {
            self.view.forget_figure();
        } else {
            self.view = FigureView::default();
        }
    }

    /// Draws it in this size; returns whether it is clicked.
    pub fn ui(&mut self, ui: &mut Ui, size: Vec2) -> bool {
        let Some(figure) = &self.figure else { return false };
        let draw = |ui: &mut Ui| ui.vertical(|ui| figure_ui(ui, figure, &mut self.view));
        let rect = ui.allocate_ui(size, draw).response.rect;
        ui.rect_contains_pointer(rect) && ui.input(|input| input.pointer.any_pressed())
    }

    /// The visible part, for files.
    pub fn offer(&self, parameter: &str) -> Option<Offer> {
        let shown = self.view.shown(self.figure.as_ref()?);
        let (name, title) = (format!("{parameter}-histogram"), format!("histogram of {parameter}"));
        Some(Offer::new(name, title, move || shown.clone()))
    }
}
