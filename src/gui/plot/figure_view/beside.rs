//! What is beside a plot: the ends of its lines, or its colour scale.

use eframe::egui::{Rect, Ui};

use super::FigureView;
use crate::plot::mesh::EM;
use crate::plot::navigate::View;
use crate::plot::painter::{area, paint};
use figure::layout::UnplacedScaleBar;
use figure::mapping::Mapping;
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::areas::scale_bar;
use figure::scene::ends::{EndText, Ends};
use figure::scene::page::written;

/// Beside a plot for half of the last tick's label.
const BESIDE: f32 = 20.0;
/// The ends of lines take at most this share of the width.
const ENDS: f64 = 0.28;

/// What stands at the right of the plot.
pub(super) enum Beside {
    Nothing,
    Ends(Ends),
    Scale(UnplacedScaleBar),
}

impl Beside {
    pub(super) fn of(figure: &Figure, state: &FigureView, view: View, space: Rect) -> Self {
        let frame = state.frame.unwrap_or(space);
        let [top, bottom] = [frame.top(), frame.bottom()].map(f64::from);
        if let Some(cells) = figure.cells.as_ref().filter(|cells| cells.has_scale()) {
            return Self::Scale(UnplacedScaleBar::of(cells, [bottom, top], EM));
        }
        let y = Mapping::of_places(&figure.y, view[1], [bottom, top]);
        let ends = Ends::of(figure, &state.hidden, y, EM, EndText::Values);
        let fits = |ends: &Ends| ends.width <= ENDS * f64::from(space.width());
        ends.filter(fits).map_or(Self::Nothing, Self::Ends)
    }

    pub(super) fn width(&self) -> f32 {
        match self {
            Self::Nothing => BESIDE,
            Self::Ends(ends) => ends.width as f32 + 4.0,
            Self::Scale(scale) => scale.width() as f32 + 4.0,
        }
    }
}

/// Paints the ends of lines or the colour scale.
pub(super) fn beside_ui(ui: &Ui, figure: &Figure, beside: Beside, frame: Rect, theme: Theme) {
    match beside {
        Beside::Nothing => {}
        Beside::Ends(ends) => paint(ui.painter(), &ends.items(f64::from(frame.right()), EM, theme)),
        Beside::Scale(scale) => {
            let Some(cells) = &figure.cells else { return };
            let (bar, labels) = scale.placed(area(frame));
            let mut items = scale_bar(cells, &bar, EM, theme);
            items.extend(labels.into_iter().map(|text| written(text, theme)));
            paint(ui.painter(), &items);
        }
    }
}
