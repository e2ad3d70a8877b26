//! The chosen cell of a heat map: that of the pinned reading.

use super::FigureView;
use crate::plot::areas::cell_at;
use figure::model::Figure;

/// The cell of a heat map whose faults are shown.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::plot) struct OpenedCell {
    /// By row and column.
    pub cell: Option<[usize; 2]>,
    /// Whether the head of the tile names the chosen cell.
    pub is_in_head: bool,
}

impl FigureView {
    /// The cell whose reading is pinned, by row and column.
    pub(in crate::plot) fn chosen_cell(&self, figure: &Figure) -> Option<[usize; 2]> {
        let [x, y] = self.pinned?;
        cell_at(figure, [figure.x.scale.forward(x)?, figure.y.scale.forward(y)?])
    }

    /// Frames the cells whose faults are shown, in a panel too; whether this changes what is drawn.
    pub(in crate::plot) fn frame_cells(
        &mut self,
        figure: &Figure,
        find: &dyn Fn(&Figure) -> Option<[usize; 2]>,
    ) -> bool {
        let cell = if figure.facets.is_none() { find(figure) } else { None };
        let mut changes = std::mem::replace(&mut self.opened.cell, cell) != cell;
        let panels = figure.facets.iter().flat_map(|facets| &facets.panels);
        for (view, panel) in self.panels.views.iter_mut().zip(panels) {
            changes |= view.frame_cells(&panel.figure, find);
        }
        changes
    }

    /// Pins the reading of a cell.
    pub(in crate::plot) fn choose_cell(&mut self, figure: &Figure, [row, column]: [usize; 2]) {
        let [x, y] = [column, row].map(|index| index as f64);
        self.pinned = Some([figure.x.scale.inverse(x), figure.y.scale.inverse(y)]);
    }
}
