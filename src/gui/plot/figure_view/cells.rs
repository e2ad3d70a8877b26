//! The chosen cell of a heat map: that of the pinned reading.

use super::FigureView;
use crate::figure::model::Figure;
use crate::gui::plot::areas::cell_at;

impl FigureView {
    /// The cell whose reading is pinned, by row and column.
    pub(in crate::gui::plot) fn chosen_cell(&self, figure: &Figure) -> Option<[usize; 2]> {
        let [x, y] = self.pinned?;
        cell_at(figure, [figure.x.scale.forward(x)?, figure.y.scale.forward(y)?])
    }

    /// Pins the reading of a cell.
    pub(in crate::gui::plot) fn choose_cell(&mut self, figure: &Figure, [row, column]: [usize; 2]) {
        let [x, y] = [column, row].map(|index| index as f64);
        self.pinned = Some([figure.x.scale.inverse(x), figure.y.scale.inverse(y)]);
    }
}
