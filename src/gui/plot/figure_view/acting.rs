//! What a person does in a plot: with keys, with the pointer, and in its menu.

use eframe::egui::{Response, Ui};
use egui_plot::PlotTransform;

use super::FigureView;
use super::readings::readings;
use crate::plot::line_menu::{FigureAction, LegendRows, LineAction, line_menu_ui, plot_menu_ui, show_all_ui};
use crate::plot::navigate::{View, ViewChange, navigate};
use crate::theme;
use figure::model::Figure;
use figure::palette::Theme;

impl FigureView {
    /// Takes keys, clicks and drags, and draws readings with the legend; what is asked of the window, and the change of the
    /// view.
    pub(super) fn act(
        &mut self,
        ui: &mut Ui,
        figure: &Figure,
        (response, transform): (&Response, &PlotTransform),
        fit: View,
        theme: Theme,
    ) -> (Option<FigureAction>, ViewChange) {
        let keys = self.take_keys(ui, figure, response, transform, fit);
        let selected = keys.selected.map(|name| FigureAction::Line(name, LineAction::Select));
        let asked = readings(ui, figure, self, response, transform, theme);
        let (from_menu, fits) = self.context_menu(response, figure);
        let change = match navigate(ui, response, transform, fit, &mut self.drag) {
            _ if fits => ViewChange::Fit,
            ViewChange::None => keys.change,
            change => change,
        };
        (asked.or(selected).or(keys.opened.map(FigureAction::Open)).or(from_menu), change)
    }

    /// The menu of the plot, with the entries of the line that was at the pointer; whether all data are to be shown.
    fn context_menu(&mut self, plot: &Response, figure: &Figure) -> (Option<FigureAction>, bool) {
        if plot.secondary_clicked() {
            self.menu_line.clone_from(&self.hovered);
        }
        let (mut action, arms) = (None, self.around.arms.clone());
        let mut fits = false;
        plot.context_menu(|ui| {
            if let Some(name) = &self.menu_line {
                let mut rows = LegendRows { hidden: &mut self.hidden, arms: &arms, action: &mut action };
                theme::heading_ui(ui, name);
                line_menu_ui(ui, figure, name, &mut rows);
                ui.separator();
            } else {
                show_all_ui(ui, &mut self.hidden);
            }
            fits = plot_menu_ui(ui, self.around.exports, &mut action);
        });
        (action, fits)
    }
}
