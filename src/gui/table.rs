//! The table of the window, on `egui_table`: columns are data, and every table sorts, sizes, scrolls and copies alike. A
//! number is never cut: columns that find no room are left out whole, and what is still too wide scrolls.

use std::borrow::Cow;

use eframe::egui::accesskit::Role;
use eframe::egui::style::ScrollStyle;
use eframe::egui::text::{LayoutJob, TextWrapping};
use eframe::egui::{
    Align, CursorIcon, FontId, Id, Label, Layout, Popup, Rangef, Rect, Response, Sense, Stroke, TextStyle,
    Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_table::{CellInfo, HeaderCellInfo, HeaderRow, TableDelegate, TableState};

use super::arm_look;
use super::icons::Icon;
use super::theme::{SMALL, STEP, present};
use super::widgets;

/// Between the content of a cell and its ends, in points.
pub const PADDING: f32 = STEP;
/// Between two things in a cell, in points.
pub const GAP: f32 = 4.0;
/// Height of the headings, in points.
const HEAD: f32 = 30.0;
/// Height of the rows of a table of texts, in points.
const ROW: f32 = 22.0;
/// Room for the arrow of a sorted column, in points.
pub const ARROW: f32 = 14.0;
/// Pinned columns take no larger share of the width; otherwise they scroll with the rest.
const MOST_PINNED: f32 = 0.6;

/// A column of a table.
#[derive(Clone, Debug, Default)]
pub struct Column<'a> {
    /// The heading.
    pub title: Cow<'a, str>,
    /// The style of the arm whose mark is before the heading.
    pub mark: Option<usize>,
    /// The explanation of the heading.
    pub help: Cow<'a, str>,
    pub is_number: bool,
    pub ends_right: bool,
    /// Width with the padding, in points.
    pub width: f32,
    /// A narrow table leaves out the columns with the lowest numbers first; those without one stay.
    pub leaves: Option<usize>,
}

impl<'a> Column<'a> {
    /// Returns a column of texts.
    pub fn text(title: impl Into<Cow<'a, str>>, help: impl Into<Cow<'a, str>>) -> Self {
        Self { title: title.into(), help: help.into(), ..Self::default() }
    }

    /// Returns a column of numbers.
    pub fn number(title: impl Into<Cow<'a, str>>, help: impl Into<Cow<'a, str>>) -> Self {
        Self { is_number: true, ends_right: true, ..Self::text(title, help) }
    }

    /// Makes it leave a narrow table, in this order.
    pub fn leaves(self, order: usize) -> Self {
        Self { leaves: Some(order), ..self }
    }

    /// Makes it as wide as its heading and contents of this width.
    pub fn fits(self, ui: &Ui, content: f32) -> Self {
        let mark = if self.mark.is_some() { 2.0 * STEP } else { 0.0 };
        let heading = width_of(ui, &self.title, &FontId::proportional(SMALL)) + mark;
        Self { width: heading.max(content).ceil() + 2.0 * PADDING, ..self }
    }
}

/// The order of the rows of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The column that they are sorted by; none for their own order.
    pub column: Option<usize>,
    pub is_descending: bool,
}

impl Order {
    /// Returns the order after a click on a heading: of numbers, the largest come first. A second click reverses the order,
    /// a third one gives that of the rows.
    fn after(self, column: usize, is_number: bool) -> Self {
        match (self.column == Some(column), self.is_descending == is_number) {
            (false, _) => Self { column: Some(column), is_descending: is_number },
            (true, true) => Self { is_descending: !is_number, ..self },
            (true, false) => Self::default(),
        }
    }
}

#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Table<'a> {
    /// Tells it from others beside it.
    pub id: &'a str,
    pub columns: &'a [Column<'a>],
    /// Number of the first columns that stay in place while the others scroll.
    pub pinned: usize,
    pub rows: usize,
    /// Height of a row, in points.
    pub row_height: f32,
    /// The order, which a click on a heading changes.
    pub order: Option<&'a mut Order>,
    /// A row to scroll to.
    pub target: Option<usize>,
    /// The text of a cell, for copies.
    pub text: Option<&'a dyn Fn(usize, usize) -> String>,
    pub has_no_head: bool,
    pub is_striped: bool,
    pub is_sizable: bool,
    pub is_low: bool,
}

impl Table<'_> {
    /// Draws the table. `draw` draws the ground of a row, without a column, and cells; the ground comes first. Returns the
    /// new width of a column that is being sized.
    pub fn show(
        self,
        ui: &mut Ui,
        draw: &mut dyn FnMut(&mut Ui, usize, Option<usize>),
    ) -> Option<(usize, f32)> {
        let bar = ui.spacing().scroll.allocated_width();
        let sorted = self.order.as_ref().and_then(|order| order.column);
        let shown = fitting(self.columns, sorted, ui.available_width() - bar);
        let width_of =
            |count: usize| -> f32 { shown[..count].iter().map(|at| self.columns[*at].width).sum() };
        let total = width_of(shown.len());
        let pinned = self.pinned.min(shown.len());
        let pinned = if width_of(pinned) <= MOST_PINNED * ui.available_width() { pinned } else { 0 };
        let head = if self.has_no_head { 0.0 } else { HEAD };
        let is_wide = total > ui.available_width();
        let rows_height = self.row_height * self.rows as f32;
        let below = if is_wide { ScrollStyle::solid().allocated_width() } else { 0.0 };
        let space = ui.available_height();
        let height = if self.is_low { space.min(head + rows_height + below) } else { space };
        let edge = width_of(pinned);
        let mut sized = None;
        ui.allocate_ui(vec2(ui.available_width(), height), |ui| {
            ui.push_id(self.id, |ui| {
                if is_wide {
                    // More columns than fit must be seen to be there.
                    ui.spacing_mut().scroll = ScrollStyle::solid();
                }
                ui.spacing_mut().item_spacing = vec2(GAP, 0.0);
                let space = ui.available_rect_before_wrap();
                let bar =
                    if head + rows_height > height { ui.spacing().scroll.allocated_width() } else { 0.0 };
                let column = |at: &usize| {
                    let width = self.columns[*at].width;
                    egui_table::Column::new(width).range(Rangef::point(width)).resizable(false)
                };
                let headers = if self.has_no_head { Vec::new() } else { vec![HeaderRow::new(HEAD)] };
                let mut table = egui_table::Table::new()
                    .num_rows(self.rows as u64)
                    .columns(shown.iter().map(column).collect::<Vec<_>>())
                    .num_sticky_cols(pinned)
                    .headers(headers);
                if let Some(target) = self.target {
                    table = table.scroll_to_row(target as u64, None);
                }
                let id = table.get_id(ui);
                if TableState::load(ui.ctx(), id).is_none() {
                    // Widths are known: no frame is spent on measuring them.
                    TableState::default().store(ui.ctx(), id);
                }
                let (is_sizable, has_head) = (self.is_sizable, !self.has_no_head);
                let visible = Rangef::new(space.left(), space.right() - bar);
                let mut drawing =
                    Drawing { id, table: self, shown: &shown, visible, draw, last: None, heads: Vec::new() };
                table.show(ui, &mut drawing);
                let heads = drawing.heads;
                if !has_head {
                    return;
                }
                let line = Stroke::new(1.0, present(ui).line);
                ui.painter().hline(space.x_range(), space.top() + HEAD, line);
                let first = heads.iter().find(|head| Some(&head.column) == shown.get(pinned));
                let is_shifted = first.is_none_or(|head| head.rect.left() < space.left() + edge - 0.5);
                if pinned > 0 && is_shifted {
                    ui.painter().vline(space.left() + edge, space.y_range(), line);
                }
                if is_sizable {
                    let width = |head: &Head| Some((head.column, head.size_ui(ui, id)?));
                    sized = heads.iter().rev().find_map(width);
                }
            });
        });
        sized
    }

    /// Returns headings and rows with tabs between cells, for a spreadsheet.
    fn copied(&self, text: &dyn Fn(usize, usize) -> String) -> String {
        let titles = self.columns.iter().map(|column| column.title.to_string()).collect::<Vec<_>>();
        let row = |row: usize| (0..self.columns.len()).map(|column| text(row, column)).collect::<Vec<_>>();
        let lines = std::iter::once(titles).chain((0..self.rows).map(row));
        lines.map(|cells| cells.join("\t") + "\n").collect()
    }
}

/// Returns the columns that fit into a space; the others leave it in their order, but not the sorted one.
fn fitting(columns: &[Column<'_>], sorted: Option<usize>, space: f32) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let mut leaving: Vec<usize> =
        shown.iter().copied().filter(|at| columns[*at].leaves.is_some() && sorted != Some(*at)).collect();
    leaving.sort_by_key(|at| columns[*at].leaves);
    for column in leaving {
        if shown.iter().map(|at| columns[*at].width).sum::<f32>() <= space {
            break;
        }
        shown.retain(|at| *at != column);
    }
    shown
}

/// A table as it is drawn.
struct Drawing<'a, 't> {
    id: Id,
    table: Table<'t>,
    /// The columns that find room.
    shown: &'a [usize],
    visible: Rangef,
    draw: &'a mut dyn FnMut(&mut Ui, usize, Option<usize>),
    /// The last row with a ground.
    last: Option<u64>,
    heads: Vec<Head>,
}

/// A heading that was drawn.
struct Head {
    column: usize,
    rect: Rect,
    clip: Rect,
}

impl TableDelegate for Drawing<'_, '_> {
    fn default_row_height(&self) -> f32 {
        self.table.row_height
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        let column = self.shown[cell.col_range.start];
        self.heads.push(Head { column, rect: ui.max_rect(), clip: ui.clip_rect() });
        self.heading_ui(ui, column);
    }

    fn row_ui(&mut self, ui: &mut Ui, row: u64) {
        // Rows are drawn twice, with the columns that scroll and with those that stay; the ground is that of both.
        if self.last.is_some_and(|last| row <= last) {
            return;
        }
        self.last = Some(row);
        let rect = Rect::from_x_y_ranges(self.visible, ui.max_rect().y_range());
        let mut ground = ui.new_child(UiBuilder::new().max_rect(rect));
        ground.set_clip_rect(Rect::from_x_y_ranges(self.visible, ui.clip_rect().y_range()));
        if self.table.is_striped && row % 2 == 1 {
            ground.painter().rect_filled(rect, 0.0, ground.visuals().faint_bg_color);
        }
        (self.draw)(&mut ground, row as usize, None);
    }

    fn cell_ui(&mut self, ui: &mut Ui, cell: &CellInfo) {
        let (row, column) = (cell.row_nr as usize, self.shown[cell.col_nr]);
        let mut place = ui.max_rect().shrink2(vec2(PADDING, 0.0));
        let (seen, known) = (ui.clip_rect().x_range(), &self.table.columns[column]);
        let layout = layout(known.ends_right);
        if place.left() < seen.min - 0.5 || place.right() > seen.max + 0.5 && known.is_number {
            return; // a part of a number is another number
        }
        place.max.x = place.right().min(seen.max);
        let mut inside = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
        (self.draw)(&mut inside, row, Some(column));
    }
}

/// Returns the layout of a cell.
pub fn layout(ends_right: bool) -> Layout {
    if ends_right { Layout::right_to_left(Align::Center) } else { Layout::left_to_right(Align::Center) }
}

impl Drawing<'_, '_> {
    /// Draws a heading; a click sorts, and its menu copies the table.
    fn heading_ui(&mut self, ui: &Ui, at: usize) {
        let column = &self.table.columns[at];
        if column.title.is_empty() {
            return;
        }
        let rect = ui.max_rect();
        let order = self.table.order.as_deref().copied();
        let is_sorted = order.is_some_and(|order| order.column == Some(at));
        let (role, sense) =
            if order.is_some() { (Role::Button, Sense::click()) } else { (Role::Label, Sense::CLICK) };
        let response = ui.interact(rect, self.id.with(("heading", at)), sense);
        response.widget_info(|| WidgetInfo::labeled(role, true, &column.title));
        let colours = present(ui);
        let is_pointed = order.is_some() && response.hovered();
        let ink = if is_pointed || is_sorted { colours.text } else { colours.text2 };
        let mut inner = rect.shrink2(vec2(PADDING, 0.0));
        let seen = ui.clip_rect().x_range();
        (inner.min.x, inner.max.x) = (inner.left().max(seen.min), inner.right().min(seen.max));
        if inner.width() < 2.0 * PADDING {
            return;
        }
        let arrow = if is_sorted { ARROW } else { 0.0 };
        let mut job =
            LayoutJob::simple_singleline(column.title.to_string(), FontId::proportional(SMALL), ink);
        job.wrap = TextWrapping::truncate_at_width(inner.width() - arrow + 1.0);
        let galley = ui.painter().layout_job(job);
        let size = galley.size();
        let left = if column.ends_right { inner.right() - size.x - arrow } else { inner.left() };
        ui.painter().galley(pos2(left, rect.center().y - size.y / 2.0), galley, ink);
        if let Some(style) = column.mark {
            arm_look::mark(ui, pos2(left - 1.5 * STEP, rect.center().y), style, true);
        }
        if let Some(order) = order.filter(|_| is_sorted) {
            let icon = if order.is_descending { Icon::ArrowDown } else { Icon::ArrowUp };
            icon.paint(ui.painter(), pos2(left + size.x + 8.0, rect.center().y), 12.0, ink);
        }
        let help = match (order.is_some(), self.table.is_sizable) {
            (true, true) => format!("{}\nClick sorts by it; drag its right end to size it", column.help),
            (true, false) => format!("{}\nClick sorts by it", column.help),
            (false, _) => column.help.to_string(),
        };
        let response = if help.is_empty() { response } else { response.on_hover_text(help) };
        if let Some(text) = self.table.text {
            Popup::context_menu(&response).show(|ui| {
                if ui.button("Copy table").clicked() {
                    ui.ctx().copy_text(self.table.copied(text));
                    ui.close();
                }
            });
        }
        if let Some(order) = self.table.order.as_deref_mut().filter(|_| response.clicked()) {
            *order = order.after(at, column.is_number);
        }
    }
}

impl Head {
    /// Draws the handle at the right end; returns the new width while it is dragged.
    fn size_ui(&self, ui: &Ui, table: Id) -> Option<f32> {
        let Self { column, rect, clip } = *self;
        let ends = Rangef::new(rect.right() - 4.0, rect.right() + 4.0);
        let handle = Rect::from_x_y_ranges(ends, rect.y_range());
        if !clip.expand(4.0).contains(handle.center()) {
            return None;
        }
        let response = ui.interact(handle, table.with(("size", column)), Sense::drag());
        if response.hovered() || response.dragged() {
            ui.painter().vline(rect.right(), rect.y_range(), Stroke::new(2.0, present(ui).focus));
        }
        let width = response.dragged().then(|| (rect.width() + response.drag_delta().x).clamp(40.0, 900.0));
        response.on_hover_cursor(CursorIcon::ResizeHorizontal);
        width
    }
}

/// Draws a table of texts, as high as its rows. `hint` explains cells on hovering.
pub fn texts_ui(
    ui: &mut Ui,
    id: &str,
    columns: Vec<Column<'_>>,
    rows: &[impl AsRef<[String]>],
    hint: impl Fn(usize, usize) -> String,
) {
    let body = TextStyle::Body.resolve(ui.style());
    let fitted = columns.into_iter().enumerate().map(|(at, column)| {
        let widths = rows.iter().map(|row| width_of(ui, &row.as_ref()[at], &body));
        let widest = widths.fold(0.0, f32::max);
        column.fits(ui, widest)
    });
    let columns: Vec<Column<'_>> = fitted.collect();
    let text = |row: usize, column: usize| rows[row].as_ref()[column].clone();
    let table = Table {
        id,
        columns: &columns,
        pinned: 1,
        rows: rows.len(),
        row_height: ROW,
        text: Some(&text),
        is_striped: true,
        is_low: true,
        ..Table::default()
    };
    table.show(ui, &mut |ui, row, column| {
        if let Some(column) = column {
            let (cell, hint) = (ui.add(Label::new(text(row, column)).extend()), hint(row, column));
            if !hint.is_empty() {
                cell.on_hover_text(hint);
            }
        }
    });
}

pub fn width_of(ui: &Ui, text: &str, font: &FontId) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), font.clone(), ui.visuals().text_color()).size().x
}

/// The ground of a row that can be chosen.
pub struct Ground<'a> {
    /// Identifies it; the same while rows change around it.
    pub id: Id,
    /// Its name for screen readers; empty where its cells have it.
    pub name: &'a str,
    pub role: Role,
    pub sense: Sense,
    pub is_selected: bool,
    pub is_owner: bool,
}

impl Ground<'_> {
    /// Draws the ground, with what the pointer and the keyboard do with it.
    pub fn ui(&self, ui: &Ui, rect: Rect) -> Response {
        let colours = present(ui);
        let response = ui.interact(rect, self.id, self.sense);
        if !self.name.is_empty() {
            response.widget_info(|| WidgetInfo::selected(self.role, true, self.is_selected, self.name));
        }
        if self.is_selected {
            ui.painter().rect_filled(rect, 4.0, colours.selection);
        } else if self.sense.interactive() && (response.hovered() || response.dragged()) {
            ui.painter().rect_filled(rect, 4.0, colours.hover.gamma_multiply(0.5));
        }
        if self.is_owner {
            ui.painter().rect_filled(rect.with_max_x(rect.left() + 3.0), 1.5, colours.link);
        }
        if response.has_focus() {
            widgets::focus_ring(ui, rect);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_find_no_room_leave_in_their_order_and_the_others_stay() {
        let column = |width, leaves| Column { width, leaves, ..Column::default() };
        let columns = [column(110.0, None), column(60.0, Some(0)), column(80.0, Some(1))];
        assert_eq!(fitting(&columns, None, 250.0), [0, 1, 2]);
        assert_eq!(fitting(&columns, None, 249.0), [0, 2]);
        assert_eq!(fitting(&columns, None, 189.0), [0]);
        assert_eq!(fitting(&columns, None, 10.0), [0]);
        assert_eq!(fitting(&columns, Some(1), 10.0), [0, 1], "the sign of the order is seen");
    }

    #[test]
    fn clicks_on_a_heading_sort_reverse_and_end_the_order() {
        let clicked = |order: Order| order.after(1, true);
        let first = clicked(Order::default());
        assert_eq!(first, Order { column: Some(1), is_descending: true });
        assert_eq!(clicked(first), Order { column: Some(1), is_descending: false });
        assert_eq!(clicked(clicked(first)), Order::default());
        assert!(!first.after(0, false).is_descending, "names begin with A");
    }
}
