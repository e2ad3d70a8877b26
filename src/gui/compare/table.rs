//! The table of runs: groups with their runs folded below. Only visible lines are drawn. The ticks and the arm stay in place
//! while the rest scrolls sideways.

use eframe::egui::scroll_area::ScrollAreaOutput;
use eframe::egui::style::ScrollStyle;
use eframe::egui::{
    CursorIcon, FontId, Id, Popup, PopupCloseBehavior, Rangef, Rect, ScrollArea, Sense, Stroke, Ui,
    UiBuilder, pos2, vec2,
};

use super::cells::{cell_ui, name_ui, pinned_ui};
use super::menu::{context_ui, group_ui};
use super::widths::{PADDING, Widths};
use super::{Compare, CompareResponse};
use crate::icons::Icon;
use crate::runs::Runs;
use crate::theme::{SMALL, present};
use crate::widgets;
use results::table::Row;
use results::table::columns::{Column, Sort};
use results::table::grouped::{Grouped, Line};
use results::table::view::Key;

/// Height of a line, in points.
const ROW: f32 = 28.0;
/// Height of the heading, in points.
const HEAD: f32 = 30.0;
/// Columns that stay in place take no larger share of the width; otherwise they scroll with the rest.
const MOST_PINNED: f32 = 0.6;

/// What the lines of a frame have in common.
pub struct Sheet<'a> {
    pub table: &'a Grouped,
    pub rows: &'a [Row],
    pub widths: Widths,
    pub runs: &'a Runs,
    /// How far the columns behind the arm are scrolled, in points.
    shift: f32,
    /// The left end of the table while nothing is scrolled, and the visible range.
    left: f32,
    visible: Rangef,
}

impl Sheet<'_> {
    fn is_pinned(&self) -> bool {
        let [arm, width] = self.widths.arm;
        arm + width <= MOST_PINNED * self.visible.span()
    }

    /// The place of a cell that stays, from its left end and width.
    fn staying(&self, [start, width]: [f32; 2]) -> Rangef {
        let shift = if self.is_pinned() { 0.0 } else { self.shift };
        let left = self.left + start - shift;
        Rangef::new(left, left + width)
    }

    /// The place of a cell that scrolls.
    fn scrolling(&self, [start, width]: [f32; 2]) -> Rangef {
        let left = self.left + start - self.shift;
        Rangef::new(left, left + width)
    }

    /// Where columns that scroll are visible.
    fn open(&self) -> Rangef {
        let [start, width] = self.widths.arm;
        let left = if self.is_pinned() { self.left + start + width } else { self.visible.min };
        Rangef::new(left, self.visible.max)
    }
}

/// Draws the rows that the filter leaves; what was pressed.
pub fn table_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) -> Option<CompareResponse> {
    let rows = compare.rows.clone(); // shared: a mark on one row changes others
    let table = compare.table();
    let wanted = wanted_line(&table, &rows, compare);
    let lines = table.lines(&compare.view.table.open);
    let widths = Widths::of(ui, compare, &table, &rows);
    let whole = ui.available_rect_before_wrap();
    let head = Rect::from_min_size(whole.min, vec2(whole.width(), HEAD));
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.allocate_rect(head, Sense::hover());
    // More columns than fit must be seen to be there.
    ui.spacing_mut().scroll = ScrollStyle::solid();
    let mut response = None;
    let area = ScrollArea::both().id_salt("runs table").auto_shrink(false);
    let ScrollAreaOutput { inner: sheet, .. } = area.show_viewport(ui, |ui, viewport| {
        let start = ui.max_rect().min;
        ui.set_min_size(vec2(widths.total, ROW * lines.len() as f32));
        let visible = ui.clip_rect().x_range();
        let sheet = Sheet {
            table: &table,
            rows: &rows,
            widths,
            runs,
            shift: viewport.left(),
            left: start.x + viewport.left(),
            visible,
        };
        let first = ((viewport.top() / ROW) as usize).min(lines.len());
        let last = ((viewport.bottom() / ROW).ceil() as usize).clamp(first, lines.len());
        for (place, line) in lines.iter().enumerate().take(last).skip(first) {
            let top = start.y + ROW * place as f32;
            let rect = Rect::from_x_y_ranges(visible, Rangef::new(top, top + ROW));
            response = line_ui(ui, &sheet, *line, rect, compare).or(response.take());
        }
        if let Some(place) = lines.iter().position(|line| Some(*line) == wanted) {
            let top = start.y + ROW * place as f32;
            let rect = Rect::from_x_y_ranges(visible, Rangef::new(top, top + ROW));
            ui.scroll_to_rect(rect, Some(eframe::egui::Align::Center));
        }
        sheet
    });
    head_ui(ui, &sheet, head, compare);
    response
}

/// The line of the runs that are to be shown, once the filter lets them through; their group is unfolded if it hides them.
fn wanted_line(table: &Grouped, rows: &[Row], compare: &mut Compare) -> Option<Line> {
    let (runs, are_rows) = compare.wanted.take()?;
    let is_wanted = |row: &&usize| runs.contains(&rows[**row].run);
    let found = table
        .groups
        .iter()
        .enumerate()
        .find_map(|(group, of)| Some((group, *of.rows.iter().find(is_wanted)?)));
    let Some((group, row)) = found else {
        let is_known = rows.iter().any(|row| runs.contains(&row.run));
        compare.wanted = Some((runs, are_rows)).filter(|_| is_known);
        return None;
    };
    if !table.keys.is_empty() && !are_rows {
        return Some(Line::Group(group));
    }
    if !table.keys.is_empty() {
        compare.view.table.open.insert(table.groups[group].name.clone());
    }
    Some(Line::Row(row))
}

fn head_ui(ui: &mut Ui, sheet: &Sheet<'_>, head: Rect, compare: &mut Compare) {
    let columns = sheet.table.columns.iter().zip(&sheet.widths.columns);
    let open = Rect::from_x_y_ranges(sheet.open(), head.y_range());
    for (column, place) in columns {
        let rect = Rect::from_x_y_ranges(sheet.scrolling(*place), head.y_range());
        heading_ui(ui, sheet, column, (rect, open), compare);
    }
    let rect = Rect::from_x_y_ranges(sheet.staying(sheet.widths.arm), head.y_range());
    heading_ui(ui, sheet, &Column::Arm, (rect, head), compare);
    ui.painter().hline(sheet.visible, head.bottom(), Stroke::new(1.0, present(ui).line));
    if sheet.shift > 0.0 && sheet.is_pinned() {
        let below = Rangef::new(head.top(), ui.max_rect().bottom());
        ui.painter().vline(open.left(), below, Stroke::new(1.0, present(ui).line));
    }
}

/// A heading; a click sorts, a second one reverses the order, a third one gives that of the document. Its right end is
/// dragged to size the column.
fn heading_ui(
    ui: &mut Ui,
    sheet: &Sheet<'_>,
    column: &Column,
    (rect, clip): (Rect, Rect),
    compare: &mut Compare,
) {
    if !rect.intersects(clip) {
        return;
    }
    let labels = compare.labels();
    let title = sheet.table.heading(column, &labels);
    let id = ui.scope_id().with(("heading", format!("{column:?}")));
    let seen = rect.intersect(clip);
    let response = ui.interact(seen, id, Sense::click());
    response.widget_info(|| {
        eframe::egui::WidgetInfo::labeled(eframe::egui::accesskit::Role::Button, true, title.clone())
    });
    let sort = &mut compare.view.sort;
    let is_sorted = sort.column.as_ref() == Some(column);
    let is_number = column.is_number();
    let colours = present(ui);
    let painter = ui.painter().with_clip_rect(seen);
    let ink = if response.hovered() || is_sorted { colours.text } else { colours.text2 };
    let inner = rect.shrink2(vec2(PADDING, 0.0));
    let arrow = if is_sorted { 14.0 } else { 0.0 };
    let galley = {
        let mut job =
            eframe::egui::text::LayoutJob::simple_singleline(title, FontId::proportional(SMALL), ink);
        job.wrap = eframe::egui::text::TextWrapping::truncate_at_width(inner.width() - arrow);
        painter.layout_job(job)
    };
    let width = galley.size().x;
    let left =
        if is_number && *column != Column::Delta { inner.right() - width - arrow } else { inner.left() };
    painter.galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, ink);
    if is_sorted {
        let icon = if sort.descending { Icon::ArrowDown } else { Icon::ArrowUp };
        icon.paint(&painter, pos2(left + width + 8.0, rect.center().y), 12.0, ink);
    }
    let help = format!("{}\nClick sorts by it; drag its right end to size it", column.help());
    if response.on_hover_text(help).clicked() {
        *sort = match (is_sorted, sort.descending) {
            // Of numbers, the largest are wanted first.
            (false, _) => Sort { column: Some(column.clone()), descending: is_number },
            (true, first) if first == is_number => Sort { descending: !first, ..sort.clone() },
            _ => Sort::default(),
        };
    }
    size_ui(ui, column, (rect, clip, id), compare);
}

/// The handle at the right end of a heading.
fn size_ui(ui: &Ui, column: &Column, (rect, clip, id): (Rect, Rect, Id), compare: &mut Compare) {
    let handle = Rect::from_x_y_ranges(Rangef::new(rect.right() - 4.0, rect.right() + 4.0), rect.y_range());
    if !clip.expand(4.0).contains(handle.center()) {
        return;
    }
    let response = ui.interact(handle, id.with("size"), Sense::drag());
    if response.dragged() {
        let width = (rect.width() + response.drag_delta().x).clamp(40.0, 900.0);
        compare.view.table.set_width(column, width);
    }
    if response.hovered() || response.dragged() {
        ui.painter().vline(rect.right(), rect.y_range(), Stroke::new(2.0, present(ui).focus));
    }
    response.on_hover_cursor(CursorIcon::ResizeHorizontal);
}

fn line_ui(
    ui: &mut Ui,
    sheet: &Sheet<'_>,
    line: Line,
    rect: Rect,
    compare: &mut Compare,
) -> Option<CompareResponse> {
    let id = match line {
        Line::Group(place) => ui.scope_id().with(("group", &sheet.table.groups[place].name)),
        Line::Row(place) => ui.scope_id().with(("run", &sheet.rows[place].run, sheet.rows[place].arm_index)),
    };
    let whole = ui.interact(rect, id, Sense::click());
    let colours = present(ui);
    let fill = if is_selected(sheet, line, compare) {
        colours.selection
    } else if whole.hovered() {
        colours.panel
    } else {
        ui.visuals().panel_fill.gamma_multiply(0.0)
    };
    ui.painter().rect_filled(rect, 0.0, fill);
    if is_owner(sheet, line, compare) {
        let bar = rect.with_max_x(rect.left() + 3.0);
        ui.painter().rect_filled(bar, 1.5, colours.link);
    }
    if matches!(line, Line::Group(_)) || sheet.table.keys.is_empty() {
        ui.painter().hline(rect.x_range(), rect.top(), Stroke::new(1.0, colours.line));
    }
    let open = Rect::from_x_y_ranges(sheet.open(), rect.y_range());
    for (nth, place) in sheet.widths.columns.iter().enumerate() {
        let cell = Rect::from_x_y_ranges(sheet.scrolling(*place), rect.y_range());
        if cell.intersects(open) {
            let mut inside = child(ui, id.with(nth), cell, open);
            cell_ui(&mut inside, sheet, line, nth, cell);
        }
    }
    let arm = Rect::from_x_y_ranges(sheet.staying(sheet.widths.arm), rect.y_range());
    let before = Rect::from_x_y_ranges(sheet.staying([0.0, sheet.widths.arm[0]]), rect.y_range());
    let mut inside = child(ui, id.with("pinned"), before, rect);
    pinned_ui(&mut inside, sheet, line, compare);
    let mut inside = child(ui, id.with("arm"), arm, rect);
    name_ui(&mut inside, sheet, line, whole.hovered(), compare);
    if whole.has_focus() {
        widgets::focus_ring(ui, rect);
    }
    line_response(sheet, line, &whole, compare)
}

/// Whether a line is selected: a run that is, or is ticked, or the group of the arm that is.
fn is_selected(sheet: &Sheet<'_>, line: Line, compare: &Compare) -> bool {
    match line {
        Line::Row(place) => {
            let run = &sheet.rows[place].run;
            compare.ticked.contains(run) || compare.selected.as_ref() == Some(run)
        }
        Line::Group(place) => {
            let mut rows = sheet.table.groups[place].rows.iter();
            sheet.table.keys.first() == Some(&Key::Arm)
                && compare.selected.is_none()
                && compare.selected_arm.is_some()
                && rows.all(|row| compare.selected_arm == Some(sheet.rows[*row].arm_index))
        }
    }
}

/// Whether a line is the group of the selected run.
fn is_owner(sheet: &Sheet<'_>, line: Line, compare: &Compare) -> bool {
    let Line::Group(place) = line else { return false };
    let mut rows = sheet.table.groups[place].rows.iter();
    compare.selected.is_some() && rows.any(|row| compare.selected.as_ref() == Some(&sheet.rows[*row].run))
}

fn child(ui: &mut Ui, id: Id, place: Rect, seen: Rect) -> Ui {
    let layout = eframe::egui::Layout::left_to_right(eframe::egui::Align::Center);
    let mut inside = ui.new_child(UiBuilder::new().id_salt(id).max_rect(place).layout(layout));
    inside.shrink_clip_rect(seen.intersect(place));
    inside.spacing_mut().item_spacing.x = 4.0;
    inside
}

/// A click on a group opens or folds it, one on a run selects it; both have a menu.
fn line_response(
    sheet: &Sheet<'_>,
    line: Line,
    whole: &eframe::egui::Response,
    compare: &mut Compare,
) -> Option<CompareResponse> {
    let mut response = None;
    // A menu with fields stays open while they are used.
    let menu = Popup::context_menu(whole).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    match line {
        Line::Group(place) => {
            let group = &sheet.table.groups[place];
            if whole.clicked() {
                fold(compare, &group.name);
            }
            menu.show(|ui| response = group_ui(ui, place, sheet, compare).or(response.take()));
        }
        Line::Row(place) => {
            let row = &sheet.rows[place];
            if whole.clicked() {
                response = Some(CompareResponse::Select { arm: row.arm_index, id: row.run.clone() });
            }
            menu.show(|ui| response = context_ui(ui, row, sheet.runs, compare).or(response.take()));
        }
    }
    response
}

/// Shows or hides the runs of a group.
pub fn fold(compare: &mut Compare, name: &str) {
    let open = &mut compare.view.table.open;
    if !open.remove(name) {
        open.insert(name.to_owned());
    }
}
