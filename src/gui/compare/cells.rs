//! The cells of a line of the table. Numbers are never cut: a cell that is too narrow ends with an ellipsis.

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align, Checkbox, Label, Layout, Rangef, Rect, Response, RichText, Sense, Shape, Stroke, Ui, UiBuilder,
    Vec2, WidgetInfo, pos2, vec2,
};

use super::Compare;
use super::menu::star_ui;
use super::table::{Sheet, fold};
use super::widths::{INTERVAL, PADDING};
use crate::arm_look;
use crate::icons::Icon;
use crate::theme::{self, BODY, NAME, present};
use crate::widgets;
use figure::style_of;
use results::table::Delta;
use results::table::columns::Column;
use results::table::copy::{Numbers, row_cell};
use results::table::grouped::Line;
use results::table::settings::NONE;

/// Draws the tick of a line and the caret of a group.
pub fn pinned_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line, compare: &mut Compare) {
    ui.add_space(10.0);
    let positions: Vec<usize> = match line {
        Line::Group(place) => sheet.table.groups[place].rows.clone(),
        Line::Row(place) => vec![place],
    };
    let ticked = positions.iter().filter(|row| compare.ticked.contains(&sheet.rows[**row].run)).count();
    let mut all = ticked == positions.len();
    let is_partly = ticked > 0 && !all;
    let name = match line {
        Line::Group(place) => format!("Tick {}", sheet.table.groups[place].name),
        Line::Row(place) => format!("Tick {}, seed {}", sheet.rows[place].arm, sheet.rows[place].seed),
    };
    let tick = widgets::input_ui(ui, Checkbox::without_text(&mut all).indeterminate(is_partly));
    tick.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, all, &name));
    if tick.on_hover_text("Ticked runs can be compared and archived").changed() {
        for row in positions {
            let run = &sheet.rows[row].run;
            if all {
                compare.ticked.insert(run.clone());
            } else {
                compare.ticked.remove(run);
            }
        }
    }
    if let Line::Group(place) = line {
        let name = &sheet.table.groups[place].name;
        let is_open = compare.view.table.open.contains(name);
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(20.0), Sense::click());
        let text = format!("{} the runs of {name}", if is_open { "Hide" } else { "Show" });
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, text.clone()));
        let icon = if is_open { Icon::CaretDown } else { Icon::CaretRight };
        icon.paint(ui.painter(), rect.center(), 14.0, present(ui).text2);
        if response.on_hover_text(text).clicked() {
            fold(compare, name);
        }
    }
}

/// Draws the name of a group or of a run, with the mark of its arm and its star.
pub fn name_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line, is_pointed: bool, compare: &mut Compare) {
    let colours = present(ui);
    ui.add_space(2.0);
    match line {
        Line::Group(place) => {
            let group = &sheet.table.groups[place];
            if let Some(row) = group.rows.first().map(|row| &sheet.rows[*row]) {
                let of_line = compare.lines.get(&row.run).map(|(_, style)| *style);
                mark_ui(ui, of_line.unwrap_or(row.colour));
            }
            let name = RichText::new(&group.name).font(theme::medium(NAME));
            ui.add(Label::new(name).truncate().selectable(false));
        }
        Line::Row(place) => {
            let row = &sheet.rows[place];
            let is_flat = sheet.table.keys.is_empty();
            if is_flat {
                mark_ui(ui, row.colour);
            } else {
                ui.add_space(16.0);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(4.0);
                star_ui(ui, row, is_pointed, compare);
                if is_flat {
                    let seed = RichText::new(format!("seed {}", row.seed)).size(BODY).color(colours.text2);
                    ui.add(Label::new(seed).selectable(false));
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let name = RichText::new(sheet.table.name(row)).size(BODY);
                    let name = if is_flat { name } else { name.color(colours.text2) };
                    ui.add(Label::new(name).truncate().selectable(false));
                });
            });
        }
    }
}

fn mark_ui(ui: &mut Ui, style: usize) {
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(12.0), Sense::hover());
    arm_look::mark(ui.painter(), rect.center(), style_of(style), theme::arm_colour(ui, style));
}

/// Draws the cell of a line in the column at this position.
pub fn cell_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line, nth: usize, place: Rect) {
    let column = &sheet.table.columns[nth];
    if *column == Column::Delta {
        return delta_ui(ui, sheet, line, place);
    }
    let room =
        if column.is_measured() && !sheet.table.keys.is_empty() { sheet.table.spreads[nth] } else { 0 };
    let inner = place.shrink2(vec2(PADDING, 0.0));
    // Digits of Roboto have one width.
    let spread_width = if room == 0 { 0.0 } else { 7.2 * room as f32 };
    let ends = [inner.left(), (inner.right() - spread_width).max(inner.left())];
    let colours = present(ui);
    match line {
        Line::Group(group) => {
            let cell = &sheet.table.groups[group].cells[nth];
            let text = RichText::new(&cell.text);
            let is_mean = column.is_measured() && cell.text != NONE;
            let text = if is_mean { text.font(theme::medium(BODY)) } else { text.color(colours.text2) };
            text_ui(ui, text, Rangef::new(ends[0], ends[1]), column.is_number());
            if !cell.spread.is_empty() {
                let spread = RichText::new(&cell.spread).color(colours.text2);
                text_ui(ui, spread, Rangef::new(ends[1] + 4.0, inner.right() + 4.0), false);
            }
        }
        Line::Row(row) => {
            let row = &sheet.rows[row];
            // A group says what its runs have in common.
            let is_said = !sheet.table.keys.is_empty() && matches!(column, Column::Plan);
            let text =
                if is_said { String::new() } else { row_cell(column, row, &Delta::Unknown, Numbers::Shown) };
            if *column == Column::State && !row.outdated_state.is_empty() {
                let short = text_ui(ui, RichText::new("outdated"), Rangef::new(ends[0], ends[1]), false);
                short.on_hover_text(text);
                return;
            }
            let text =
                if text == NONE { RichText::new(text).color(colours.text3) } else { RichText::new(text) };
            let has_warning = *column == Column::State && row.diverged;
            let text = if has_warning { text.color(colours.warning) } else { text };
            let shown = text_ui(ui, text, Rangef::new(ends[0], ends[1]), column.is_number());
            if let Column::Setting(path) = column
                && let Some(details) = row.settings.get(path).and_then(|value| row.labels.details(value))
            {
                shown.on_hover_text(details);
            }
        }
    }
}

/// A text in this part of a cell, at its right end for numbers.
fn text_ui(ui: &mut Ui, text: RichText, part: Rangef, is_number: bool) -> Response {
    let place = Rect::from_x_y_ranges(part, ui.max_rect().y_range());
    let layout =
        if is_number { Layout::right_to_left(Align::Center) } else { Layout::left_to_right(Align::Center) };
    let mut inside = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
    let text = if text.text().is_empty() { RichText::new(" ") } else { text };
    inside.add(Label::new(text).truncate().selectable(false))
}

/// The difference to the baseline: an interval on the scale of the table, and the number.
fn delta_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line, place: Rect) {
    let (delta, style) = match line {
        Line::Group(place) => {
            let group = &sheet.table.groups[place];
            (&group.delta, group.rows.first().map_or(0, |row| sheet.rows[*row].colour))
        }
        Line::Row(row) => (&sheet.table.deltas[row], sheet.rows[row].colour),
    };
    let colours = present(ui);
    let inner = place.shrink2(vec2(PADDING, 0.0));
    let width = INTERVAL.min((inner.width() - 140.0).max(0.0));
    let part = Rect::from_min_size(inner.min, vec2(width, inner.height()));
    if width > 24.0 {
        interval_ui(ui, sheet, part.shrink2(vec2(10.0, 0.0)), (delta, matches!(line, Line::Group(_)), style));
    }
    let points = delta.points();
    let middle = part.right() + if points.is_empty() { 0.0 } else { 62.0 };
    if !points.is_empty() {
        let is_group = matches!(line, Line::Group(_));
        let text = RichText::new(points);
        let text = if is_group { text.font(theme::medium(BODY)) } else { text };
        text_ui(ui, text, Rangef::new(part.right(), middle), true);
    }
    let remark = RichText::new(delta.remark()).color(colours.text2);
    let icon = if matches!((delta, line), (Delta::Baseline, Line::Group(_))) { 18.0 } else { 0.0 };
    if icon > 0.0 {
        Icon::Pin.paint(ui.painter(), pos2(middle + 10.0, inner.center().y), 14.0, colours.text2);
    }
    let is_quiet = matches!((delta, line), (Delta::Baseline, Line::Row(_)));
    if !is_quiet {
        let text = text_ui(ui, remark, Rangef::new(middle + 6.0 + icon, inner.right()), false);
        text.on_hover_text(delta.help(&sheet.table.baseline));
    }
}

fn interval_ui(ui: &Ui, sheet: &Sheet<'_>, part: Rect, (delta, is_group, style): (&Delta, bool, usize)) {
    let colours = present(ui);
    let [low, high] = sheet.table.span;
    let span = if high > low { high - low } else { 1.0 };
    let at = |value: f64| part.left() + ((value - low) / span) as f32 * part.width();
    let zero = [pos2(at(0.0), part.top()), pos2(at(0.0), part.bottom())];
    ui.painter().extend(Shape::dotted_line(&zero, colours.axis, 4.0, 0.8));
    let Some(found) = delta.difference() else { return };
    let (ink, middle) = (theme::arm_colour(ui, style), pos2(at(found.mean), part.center().y));
    if let Some(half) = found.half {
        let ends = [at(found.mean - half), at(found.mean + half)];
        let stroke = Stroke::new(1.75, ink);
        ui.painter().hline(Rangef::new(ends[0], ends[1]), middle.y, stroke);
        for end in ends {
            ui.painter().vline(end, Rangef::new(middle.y - 4.0, middle.y + 4.0), stroke);
        }
    }
    let mark = if is_group { arm_look::mark } else { arm_look::hollow_mark };
    mark(ui.painter(), middle, style_of(style), ink);
}
