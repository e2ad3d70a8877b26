//! The first columns of the table of runs: they stay where they are while the others scroll sideways.

use eframe::egui::{Id, Rangef, Rect, Ui, UiBuilder, vec2};

use crate::figure::table::columns::Column;
use crate::gui::theme;

/// Of a narrower room they take too much, and scroll with the others.
const MOST: f32 = 0.6;

/// How far what stays is moved against what scrolls.
pub(super) struct Fixed {
    /// How far the others are scrolled, in points.
    shift: f32,
    /// What can be seen from left to right.
    visible: Rangef,
    /// Where what stays ends.
    end: f32,
    /// Widths of all columns, as they were drawn last.
    widths: Vec<f32>,
    gap: f32,
}

fn id() -> Id {
    Id::unique("widths of the table of runs")
}

/// Whether a column stays.
const fn stays(column: &Column) -> bool {
    matches!(column, Column::Star | Column::Arm)
}

/// So many columns stay: those of ticks, stars and arms.
const COUNT: usize = 3;

impl Fixed {
    /// What stays in a room that shows this part of a table with so many columns.
    pub(super) fn new(ui: &Ui, viewport: Rect, columns: usize) -> Self {
        let widths = ui.data(|data| data.get_temp::<Vec<f32>>(id())).unwrap_or_default();
        let widths = if widths.len() == columns { widths } else { vec![0.0; columns] };
        let visible = ui.clip_rect().x_range();
        let gap = ui.spacing().item_spacing.x;
        let own: f32 = widths.iter().take(COUNT).map(|width| width + gap).sum();
        let shift = if own <= MOST * viewport.width() { viewport.left().max(0.0) } else { 0.0 };
        let end = ui.max_rect().left() + shift + own - gap / 2.0;
        Self { shift, visible, end, widths, gap }
    }

    /// Notes where the heading of a column is.
    pub(super) fn note(&mut self, index: usize, heading: Rect) {
        self.widths[0] = super::table::TICK;
        self.widths[index] = heading.width();
        if index + 1 == COUNT {
            self.end = heading.right() + self.shift + self.gap / 2.0;
        }
    }

    /// The width of a column whose right border lies under what stays.
    pub(super) fn covered(&self, index: usize) -> Option<f32> {
        let end =
            |columns: usize| self.widths.iter().take(columns).map(|width| width + self.gap).sum::<f32>();
        let is_covered = self.shift > 0.0 && end(index + 1) < self.shift + end(COUNT);
        is_covered.then_some(self.widths[index]).filter(|width| *width > 0.0)
    }

    /// Draws a cell: in its place if it stays, else where it is not covered.
    pub(super) fn cell_ui(&self, ui: &mut Ui, column: &Column, draw: impl FnOnce(&mut Ui)) {
        if stays(column) {
            return self.fixed_ui(ui, draw);
        }
        if self.shift > 0.0 {
            ui.shrink_clip_rect(Rect::everything_right_of(self.end));
        }
        draw(ui);
    }

    /// Draws a cell that stays.
    pub(super) fn fixed_ui(&self, ui: &mut Ui, draw: impl FnOnce(&mut Ui)) {
        let place = ui.max_rect().translate(vec2(self.shift, 0.0));
        let seen = Rect::from_x_y_ranges(self.visible, ui.clip_rect().y_range());
        let mut inside = ui.new_child(UiBuilder::new().max_rect(place).layout(*ui.layout()));
        inside.set_clip_rect(seen.intersect(place));
        draw(&mut inside);
        // Its column is as wide as it needs, wherever it is drawn.
        ui.expand_to_include_rect(inside.min_rect().translate(vec2(-self.shift, 0.0)));
    }

    /// Draws where what stays ends, and remembers the widths.
    pub(super) fn end(self, ui: &Ui) {
        if self.shift > 0.0 {
            ui.painter().vline(self.end, ui.min_rect().y_range(), (1.0, theme::present(ui).muted));
        }
        ui.data_mut(|data| data.insert_temp(id(), self.widths));
    }
}
