//! The first columns of the table of runs: they stay where they are while the others scroll sideways.

use eframe::egui::{Id, Rangef, Rect, Ui, UiBuilder, vec2};
use egui_extras::TableRow;

use crate::gui::theme;

/// Where the fixed columns would take a larger share of the width, they scroll with the others.
const MOST: f32 = 0.6;

/// The positions of the fixed columns.
pub(super) struct Fixed {
    /// How far the others are scrolled, in points.
    shift: f32,
    /// The visible range from left to right.
    visible: Rangef,
    /// The right end of the fixed columns.
    end: f32,
    /// Widths of all columns in the last frame.
    widths: Vec<f32>,
    gap: f32,
}

fn id() -> Id {
    Id::unique("widths of the table of runs")
}

/// The number of fixed columns: ticks, stars and arms.
const COUNT: usize = 3;

impl Fixed {
    /// The fixed columns of a table with this number of columns, which is drawn into `part` of the window.
    pub(super) fn new(ui: &Ui, part: Rect, columns: usize) -> Self {
        let widths = ui.data(|data| data.get_temp::<Vec<f32>>(id())).unwrap_or_default();
        let widths = if widths.len() == columns { widths } else { vec![0.0; columns] };
        let visible = ui.clip_rect().x_range();
        let gap = ui.spacing().item_spacing.x;
        let own: f32 = widths.iter().take(COUNT).map(|width| width + gap).sum();
        let scrolled = (part.left() - ui.max_rect().left()).max(0.0);
        let shift = if own <= MOST * part.width() { scrolled } else { 0.0 };
        let end = ui.max_rect().left() + shift + own - gap / 2.0;
        Self { shift, visible, end, widths, gap }
    }

    /// Notes where the heading of a column is.
    fn note(&mut self, index: usize, heading: Rect) {
        self.widths[index] = heading.width();
        if index + 1 == COUNT {
            self.end = heading.right() + self.shift + self.gap / 2.0;
        }
    }

    /// The width of a column whose right border is under the fixed columns.
    pub(super) fn covered(&self, index: usize) -> Option<f32> {
        let end =
            |columns: usize| self.widths.iter().take(columns).map(|width| width + self.gap).sum::<f32>();
        let is_covered = self.is_scrolled() && end(index + 1) < self.shift + end(COUNT);
        is_covered.then_some(self.widths[index]).filter(|width| *width > 0.0)
    }

    fn is_scrolled(&self) -> bool {
        self.shift > 0.0
    }

    /// Draws the cells of a line, by their position. While others are scrolled, the fixed cells are drawn last, over the
    /// background that each cell draws.
    pub(super) fn line_ui(
        &mut self,
        line: &mut TableRow<'_, '_>,
        id: Id,
        is_heading: bool,
        draw: &mut dyn FnMut(&mut Ui, usize),
    ) {
        let mut places = [Rect::NOTHING; COUNT];
        let columns = self.widths.len();
        for index in 0..columns {
            line.col(|ui| {
                if is_heading {
                    self.note(index, ui.max_rect());
                }
                match places.get_mut(index) {
                    Some(place) if self.is_scrolled() => *place = ui.max_rect(),
                    Some(_) => self.staying_ui(ui, id.with(index), ui.max_rect(), |ui| draw(ui, index)),
                    None => self.scrolling_ui(ui, |ui| draw(ui, index)),
                }
                if index + 1 == columns && self.is_scrolled() {
                    for (index, place) in places.into_iter().enumerate() {
                        self.staying_ui(ui, id.with(index), place, |ui| draw(ui, index));
                    }
                }
            });
        }
    }

    /// Draws a cell that scrolls, as far as it is not covered.
    fn scrolling_ui(&self, ui: &mut Ui, draw: impl FnOnce(&mut Ui)) {
        let seen = ui.clip_rect();
        if self.is_scrolled() {
            ui.shrink_clip_rect(Rect::everything_right_of(self.end));
        }
        draw(ui);
        ui.set_clip_rect(seen);
    }

    /// Draws a fixed cell; `cell` is its place while nothing is scrolled.
    fn staying_ui(&self, ui: &mut Ui, id: Id, cell: Rect, draw: impl FnOnce(&mut Ui)) {
        let place = cell.translate(vec2(self.shift, 0.0));
        let seen = Rect::from_x_y_ranges(self.visible, ui.clip_rect().y_range());
        // The id does not depend on the parent, so that the cell keeps the focus.
        let mut inside = ui.new_child(UiBuilder::new().scope_id(id).max_rect(place).layout(*ui.layout()));
        inside.set_clip_rect(seen.intersect(place));
        draw(&mut inside);
        if !self.is_scrolled() {
            ui.expand_to_include_rect(inside.min_rect()); // a column is as wide as its cells
        }
    }

    /// Draws the line at the end of the fixed columns, and keeps the widths.
    pub(super) fn end(self, ui: &Ui) {
        if self.is_scrolled() {
            ui.painter().vline(self.end, ui.min_rect().y_range(), (1.0, theme::present(ui).text2));
        }
        ui.data_mut(|data| data.insert_temp(id(), self.widths));
    }
}
