//! The table of runs: groups with their runs folded below. Only visible lines are drawn. The ticks and the arm stay in place
//! while the rest scrolls sideways.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align, Checkbox, FontId, Frame, Id, Label, Layout, Margin, Panel, Popup, PopupCloseBehavior, Rangef,
    Rect, Response, RichText, Sense, Shape, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};

use super::marks::{context_ui, group_ui, star_ui};
use super::{Compare, CompareResponse, of_arms};
use crate::arm_look;
use crate::icons::Icon;
use crate::runs::{QueueAction, QueueRequest, Runs};
use crate::table::{self, Ground, Order, PADDING, Table, width_of};
use crate::theme::{self, BODY, NAME, SMALL, present};
use crate::widgets::{self, icon_button_ui};
use doc::named;
use results::table::columns::{Column, Sort};
use results::table::grouped::{Group, Grouped, Line};
use results::table::settings::NONE;
use results::table::{Delta, Row};

/// Height of a line, in points.
const ROW: f32 = 28.0;
/// Rows beyond this number are not measured.
const MEASURED: usize = 200;
/// Width of the part of a difference that draws its interval, in points.
const INTERVAL: f32 = 120.0;
/// Widths of the ticks, and of the carets of groups, in points.
const TICK: f32 = 36.0;
const CARET: f32 = 24.0;
/// Between what is at one depth and what is below it, in points.
const INDENT: f32 = 16.0;

/// The table and the runs of a frame.
pub struct Sheet<'a> {
    pub table: &'a Grouped,
    pub rows: &'a [Row],
    pub runs: &'a Runs,
}

/// Draws the rows that the filter leaves; returns what was pressed.
pub fn table_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) -> Option<CompareResponse> {
    let rows = compare.rows.clone(); // shared: a mark on one row changes others
    let grouped = compare.table();
    let wanted = wanted_line(&grouped, &rows, compare);
    let lines = grouped.lines(|group| compare.view.table.is_open(group));
    measure(ui, compare, &grouped, &rows);
    let known: Vec<&Column> = std::iter::once(&Column::Arm).chain(&grouped.columns).collect();
    let columns =
        columns(compare, &grouped, &known, ui.available_width() - ui.spacing().scroll.allocated_width());
    let place = |column: &Column| known.iter().position(|known| *known == column).map(|place| place + 1);
    let sort = &compare.view.sort;
    let before = Order { column: sort.column.as_ref().and_then(place), is_descending: sort.descending };
    let (mut order, mut pointed, mut response) = (before, None, None);
    let (list, sheet) = (ui.scope_id(), Sheet { table: &grouped, rows: &rows, runs });
    let table = Table {
        id: "runs",
        columns: &columns,
        pinned: 2,
        rows: lines.len(),
        row_height: ROW,
        order: Some(&mut order),
        target: lines.iter().position(|line| Some(*line) == wanted),
        is_sizable: true,
        ..Table::default()
    };
    let sized = table.show(ui, &mut |ui, row, column| match column {
        None => {
            let ground = ground_ui(ui, &sheet, lines[row], list, compare);
            if ground.hovered() {
                pointed = Some(row);
            }
            response = line_response(&sheet, lines[row], &ground, compare).or(response.take());
        }
        Some(0) => tick_ui(ui, &sheet, lines[row], compare),
        Some(1) => name_ui(ui, &sheet, lines[row], pointed == Some(row), compare),
        Some(column) => cell_ui(ui, &sheet, lines[row], column - 2),
    });
    if let Some((column @ 1.., width)) = sized {
        compare.view.table.set_width(known[column - 1], width);
    }
    if order != before {
        let column = order.column.map(|column| known[column - 1].clone());
        compare.view.sort = Sort { column, descending: order.is_descending };
    }
    response
}

/// Returns the columns: ticks, the arm, and those that are chosen, as wide as they are dragged or as their content. Where
/// that is more than the room, the widest texts and the intervals give way.
fn columns(compare: &Compare, table: &Grouped, known: &[&Column], room: f32) -> Vec<table::Column<'static>> {
    let labels = compare.labels();
    // A width, and how much of it can be given away.
    let width = |column: &Column| {
        let by_content = compare.shown.natural.iter().find(|(known, _)| known == column);
        let width = by_content.map_or(96.0, |(_, width)| *width);
        let given = (width - limits(column)[2]).max(0.0);
        compare.view.table.width(column).map_or([width, given], |width| [width, 0.0])
    };
    let ticks = if table.keys.is_empty() { TICK } else { TICK + CARET };
    let [all, given] = [0, 1].map(|nth| known.iter().map(|column| width(column)[nth]).sum::<f32>());
    let share = if given > 0.0 { ((ticks + all - room) / given).clamp(0.0, 1.0) } else { 0.0 };
    let ticks = table::Column { width: ticks, ..table::Column::default() };
    let column = |column: &&Column| table::Column {
        title: table.heading(column, &labels).into(),
        help: column.help().into(),
        is_number: column.is_number(),
        ends_right: column.is_number() && **column != Column::Delta,
        width: (width(column)[0] - share * width(column)[1]).floor(),
        ..table::Column::default()
    };
    std::iter::once(ticks).chain(known.iter().map(column)).collect()
}

/// Returns the line of the runs that are to be shown, once the filter lets them through; their group is unfolded if it
/// hides them.
fn wanted_line(table: &Grouped, rows: &[Row], compare: &mut Compare) -> Option<Line> {
    let (runs, are_rows) = compare.wanted.take()?;
    let is_wanted = |row: &&usize| runs.contains(&rows[**row].run);
    let found = table
        .groups
        .iter()
        .enumerate()
        .filter(|(_, of)| !of.is_heading)
        .find_map(|(group, of)| Some((group, *of.rows.iter().find(is_wanted)?)));
    let Some((group, row)) = found else {
        let is_known = rows.iter().any(|row| runs.contains(&row.run));
        compare.wanted = Some((runs, are_rows)).filter(|_| is_known);
        return None;
    };
    for heading in table.groups.iter().filter(|heading| heading.is_heading && heading.rows.contains(&row)) {
        compare.view.table.folded.remove(&heading.name);
    }
    if !table.keys.is_empty() && !are_rows {
        return Some(Line::Group(group));
    }
    if !table.keys.is_empty() {
        compare.view.table.open.insert(table.groups[group].name.clone());
    }
    Some(Line::Row(row))
}

fn ground_ui(ui: &Ui, sheet: &Sheet<'_>, line: Line, list: Id, compare: &Compare) -> Response {
    let id = match line {
        Line::Group(place) => list.with(("group", &sheet.table.groups[place].name)),
        Line::Row(place) => list.with(("run", &sheet.rows[place].run, sheet.rows[place].arm_index)),
    };
    let ground = Ground {
        id,
        name: "",
        role: Role::Row,
        sense: Sense::click(),
        is_selected: is_selected(sheet, line, compare),
        is_owner: is_owner(sheet, line, compare),
    };
    let rect = ui.max_rect();
    let response = ground.ui(ui, rect);
    if matches!(line, Line::Group(_)) || sheet.table.keys.is_empty() {
        ui.painter().hline(rect.x_range(), rect.top(), Stroke::new(1.0, present(ui).line));
    }
    response
}

/// Returns true if a line is selected: a run that is, or is ticked, or the group of the arm that is.
fn is_selected(sheet: &Sheet<'_>, line: Line, compare: &Compare) -> bool {
    match line {
        Line::Row(place) => {
            let run = &sheet.rows[place].run;
            compare.ticked.contains(run) || compare.selected.as_ref() == Some(run)
        }
        Line::Group(place) => {
            let mut rows = sheet.table.groups[place].rows.iter();
            sheet.table.keys.contains(&Column::Arm)
                && compare.selected.is_none()
                && compare.selected_arm.is_some()
                && rows.all(|row| compare.selected_arm == Some(sheet.rows[*row].arm_index))
        }
    }
}

/// Returns true if a line is the group of the selected run.
fn is_owner(sheet: &Sheet<'_>, line: Line, compare: &Compare) -> bool {
    let Line::Group(place) = line else { return false };
    let mut rows = sheet.table.groups[place].rows.iter();
    compare.selected.is_some() && rows.any(|row| compare.selected.as_ref() == Some(&sheet.rows[*row].run))
}

/// Draws the menu of a line. A click on a group opens or folds it, one on a run selects it.
fn line_response(
    sheet: &Sheet<'_>,
    line: Line,
    whole: &Response,
    compare: &mut Compare,
) -> Option<CompareResponse> {
    let mut response = None;
    // A menu with fields stays open while they are used.
    let menu = Popup::context_menu(whole).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    match line {
        Line::Group(place) => {
            let group = &sheet.table.groups[place];
            if whole.clicked() {
                compare.view.table.fold(group);
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

/// Draws the tick of a line and the caret of a group.
fn tick_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line, compare: &mut Compare) {
    ui.add_space(2.0);
    let positions: Vec<usize> = match line {
        Line::Group(place) => sheet.table.groups[place].rows.clone(),
        Line::Row(place) => vec![place],
    };
    let ticked = positions.iter().filter(|row| compare.ticked.contains(&sheet.rows[**row].run)).count();
    let mut all = ticked == positions.len();
    let is_partly = ticked > 0 && !all;
    let name = match line {
        Line::Group(place) => format!("Tick {}", sheet.table.groups[place].name),
        Line::Row(place) => format!("Tick {}", named(&sheet.rows[place].arm, sheet.rows[place].seed)),
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
        let group = &sheet.table.groups[place];
        let is_open = compare.view.table.is_open(group);
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(20.0), Sense::click());
        let (verb, what) =
            (if is_open { "Hide" } else { "Show" }, if group.is_heading { "groups" } else { "runs" });
        let text = format!("{verb} the {what} of {}", group.name);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, text.clone()));
        let icon = if is_open { Icon::CaretDown } else { Icon::CaretRight };
        icon.paint(ui.painter(), rect.center(), 14.0, present(ui).text2);
        if response.on_hover_text(text).clicked() {
            compare.view.table.fold(group);
        }
    }
}

/// Draws the name of a group or of a run, with the mark of its arm and its star.
fn name_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line, is_pointed: bool, compare: &mut Compare) {
    let colours = present(ui);
    match line {
        Line::Group(place) => {
            let group = &sheet.table.groups[place];
            ui.add_space(INDENT * group.depth as f32);
            mark_ui(ui, group.style);
            let name = RichText::new(&group.label).font(theme::medium(NAME));
            ui.add(Label::new(name).truncate().selectable(false));
            if !group.pooled.is_empty() {
                let pooled = RichText::new(&group.pooled).size(SMALL).color(colours.text2);
                let help =
                    "Means and intervals are over all of these runs; those of one seed are no replicates";
                ui.add(Label::new(pooled).truncate().selectable(false)).on_hover_text(help);
            }
        }
        Line::Row(place) => {
            let row = &sheet.rows[place];
            let is_flat = sheet.table.keys.is_empty();
            if is_flat {
                mark_ui(ui, Some(row.colour));
            } else {
                ui.add_space(INDENT * sheet.table.keys.len() as f32);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(4.0);
                if star_ui(ui, row.mark.starred, is_pointed, &named(&row.arm, row.seed)) {
                    compare.star(&row.run);
                }
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

fn mark_ui(ui: &mut Ui, style: Option<usize>) {
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(12.0), Sense::hover());
    if let Some(style) = style {
        arm_look::mark(ui, rect.center(), style, true);
    }
}

/// Draws the cell of a line in the column at this position.
fn cell_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line, nth: usize) {
    let column = &sheet.table.columns[nth];
    if *column == Column::Delta {
        return delta_ui(ui, sheet, line);
    }
    let spread = if column.is_measured() { spread_width(sheet.table, nth) } else { 0.0 };
    let inner = ui.max_rect();
    let ends = [inner.left(), (inner.right() - spread).max(inner.left())];
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
            let text = if is_said { String::new() } else { column.text(row) };
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

/// Returns the width of the half intervals of a column, in points: digits of Roboto have one width.
fn spread_width(table: &Grouped, column: usize) -> f32 {
    if table.keys.is_empty() { 0.0 } else { 7.2 * table.spreads[column] as f32 }
}

/// Draws a text in this part of a cell, at its right end for numbers.
fn text_ui(ui: &mut Ui, text: RichText, part: Rangef, is_number: bool) -> Response {
    let place = Rect::from_x_y_ranges(part, ui.max_rect().y_range());
    let mut inside = ui.new_child(UiBuilder::new().max_rect(place).layout(table::layout(is_number)));
    let text = if text.text().is_empty() { RichText::new(" ") } else { text };
    inside.add(Label::new(text).truncate().selectable(false))
}

/// Draws the difference to the baseline: an interval on the scale of the table, and the number.
fn delta_ui(ui: &mut Ui, sheet: &Sheet<'_>, line: Line) {
    let (delta, style) = match line {
        Line::Group(place) => {
            let group = &sheet.table.groups[place];
            if group.is_heading {
                return;
            }
            (&group.delta, group.style)
        }
        Line::Row(row) => (&sheet.table.deltas[row], Some(sheet.rows[row].colour)),
    };
    let colours = present(ui);
    let inner = ui.max_rect();
    let width = INTERVAL.min((inner.width() - 140.0).max(0.0));
    let part = Rect::from_min_size(inner.min, vec2(width, inner.height()));
    if width > 24.0 {
        interval_ui(ui, sheet, part.shrink2(vec2(10.0, 0.0)), line, delta, style);
    }
    let points = delta.points();
    let middle = part.right() + if points.is_empty() { 0.0 } else { 62.0 };
    if !points.is_empty() {
        let is_group = matches!(line, Line::Group(_));
        let text = RichText::new(points);
        let text = if is_group { text.font(theme::medium(BODY)) } else { text };
        text_ui(ui, text, Rangef::new(part.right(), middle), true);
    }
    let is_quiet = matches!((delta, line), (Delta::Baseline, Line::Row(_)));
    if !is_quiet {
        let remark = RichText::new(delta.remark()).color(colours.text2);
        let text = text_ui(ui, remark, Rangef::new(middle + 6.0, inner.right()), false);
        text.on_hover_text(delta.help(&sheet.table.baseline));
    }
}

/// Draws the interval of a difference on the scale of the table.
fn interval_ui(ui: &Ui, sheet: &Sheet<'_>, part: Rect, line: Line, delta: &Delta, style: Option<usize>) {
    let colours = present(ui);
    let [low, high] = sheet.table.span;
    let span = if high > low { high - low } else { 1.0 };
    let at = |value: f64| part.left() + ((value - low) / span) as f32 * part.width();
    let zero = [pos2(at(0.0), part.top()), pos2(at(0.0), part.bottom())];
    ui.painter().extend(Shape::dotted_line(&zero, colours.axis, 4.0, 0.8));
    let Some(found) = delta.difference() else { return };
    let ink = style.map_or(colours.text2, |style| theme::arm_colour(ui, style));
    let middle = pos2(at(found.mean), part.center().y);
    if let Some(half) = found.half {
        let ends = [at(found.mean - half), at(found.mean + half)];
        let stroke = Stroke::new(1.75, ink);
        ui.painter().hline(Rangef::new(ends[0], ends[1]), middle.y, stroke);
        for end in ends {
            ui.painter().vline(end, Rangef::new(middle.y - 4.0, middle.y + 4.0), stroke);
        }
    }
    match style {
        Some(style) => arm_look::mark(ui, middle, style, matches!(line, Line::Group(_))),
        None => drop(ui.painter().circle_filled(middle, 3.0, ink)),
    }
}

/// Returns the narrowest and the widest that a column is by its content, and how narrow it gets for want of room, in
/// points: numbers are never cut.
const fn limits(column: &Column) -> [f32; 3] {
    match column {
        Column::Arm => [140.0, 420.0, 320.0],
        Column::Plan => [160.0, 280.0, 100.0],
        Column::Star | Column::Seed | Column::Runs => [56.0, 120.0, 120.0],
        Column::Delta => [INTERVAL + 160.0, INTERVAL + 240.0, INTERVAL + 80.0],
        Column::Note | Column::Tags => [80.0, 220.0, 100.0],
        Column::State
        | Column::Best
        | Column::BestEpoch
        | Column::Last
        | Column::Remaining
        | Column::Epochs
        | Column::Duration
        | Column::Run
        | Column::Setting(_)
        | Column::Series { .. } => [64.0, 260.0, 260.0],
    }
}

/// Measures what a new table shows. Widths only grow, so that columns do not move while results come in.
fn measure(ui: &Ui, compare: &mut Compare, table: &Grouped, rows: &[Row]) {
    if std::mem::replace(&mut compare.shown.is_measured, true) {
        return;
    }
    let labels = compare.labels();
    let (body, strong, small) =
        (FontId::proportional(BODY), theme::medium(BODY), FontId::proportional(SMALL));
    let longest = |texts: &mut dyn Iterator<Item = String>, font: &FontId| -> f32 {
        let text = texts.take(MEASURED).max_by_key(|text| text.chars().count()).unwrap_or_default();
        width_of(ui, &text, font)
    };
    let all = std::iter::once(&Column::Arm).chain(&table.columns);
    for (place, column) in all.enumerate() {
        // A sorted column has an arrow.
        let heading = width_of(ui, &table.heading(column, &labels), &small) + 16.0;
        let cells = match place.checked_sub(1) {
            None => {
                let of_groups = longest(&mut table.groups.iter().map(Group::title), &strong);
                // A dot before the name, a star behind it.
                let of_rows = longest(&mut table.rows().map(|row| table.name(&rows[row])), &body);
                let around =
                    if table.keys.is_empty() { 104.0 } else { 40.0 + INDENT * table.keys.len() as f32 };
                of_groups.max(of_rows) + around
            }
            Some(place) => {
                let means =
                    longest(&mut table.groups.iter().map(|group| group.cells[place].text.clone()), &strong);
                let of_rows = longest(&mut table.rows().map(|row| column.text(&rows[row])), &body);
                means.max(of_rows) + if column.is_measured() { spread_width(table, place) } else { 0.0 }
            }
        };
        let [low, high, _] = limits(column);
        let width = (heading.max(cells) + 2.0 * PADDING).clamp(low, high);
        match compare.shown.natural.iter_mut().find(|(known, _)| known == column) {
            Some((_, known)) => *known = known.max(width),
            None => compare.shown.natural.push((column.clone(), width)),
        }
    }
}

/// Height of the bar, in points.
const HEIGHT: f32 = 44.0;

/// Draws the bar where runs are ticked.
pub fn selected_ui(ui: &mut Ui, compare: &mut Compare, known: &Runs) -> Option<CompareResponse> {
    let rows = compare.ticked_rows();
    if rows.is_empty() {
        return None;
    }
    let runs: BTreeSet<String> = rows.iter().map(|row| row.run.clone()).collect();
    let (count, of) = (runs.len(), of_arms(&rows));
    let counts = known.counts(&runs);
    let queue = |action: QueueAction| {
        let runs = runs.iter().cloned().collect();
        Some(CompareResponse::Queue(QueueRequest { action, runs }))
    };
    let refusal = known.why_not_archive(&runs);
    let colours = present(ui);
    let frame = Frame::new().fill(colours.selection).inner_margin(Margin::symmetric(12, 8));
    let bar = Panel::bottom(ui.scope_id().with("ticked runs")).exact_size(HEIGHT).frame(frame);
    let mut response = None;
    bar.show_separator_line(false).show(ui, |ui| {
        ui.horizontal_centered(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button_ui(ui, true, Icon::X, "Untick all").clicked() {
                    compare.ticked.clear();
                    compare.is_comparing = false;
                }
                let archive = widgets::button(Icon::Archive, &format!("Archive {count}…"));
                let archive = ui.add_enabled(refusal.is_none(), archive);
                let archive =
                    archive.on_hover_text("Moves these runs to the archived runs; nothing is deleted");
                if archive.on_disabled_hover_text(refusal.unwrap_or_default()).clicked() {
                    response = compare.archive_ticked(known);
                }
                let show = ui.add(widgets::button(Icon::Eye, "Show only these"));
                let help = "Turns the ticked runs into the filter, for the table and for plots";
                if show.on_hover_text(help).clicked() {
                    compare.view.filter =
                        format!("run:{}", runs.iter().map(String::as_str).collect::<Vec<_>>().join("|"));
                }
                let is_on = compare.is_comparing;
                let button = widgets::button(Icon::Compare, "Compare").selected(is_on);
                let button = ui.add_enabled(count > 1, button);
                let button = button.on_hover_text("Shows them side by side, only where they differ");
                if button.on_disabled_hover_text("Tick a second run").clicked() {
                    compare.is_comparing = !is_on;
                }
                let stop = "Stops these runs after their mini-batch; those that wait do not start";
                let run = "Runs those of them that are not done, beside others or after them";
                for (runs, icon, [text, name, help], action) in [
                    (counts.open, Icon::StopFill, ["Stop", "Stop ticked runs", stop], QueueAction::Stop),
                    (
                        counts.startable,
                        Icon::Play,
                        ["Run selected", "Run ticked runs", run],
                        QueueAction::Run,
                    ),
                ] {
                    let button = (runs > 0).then(|| ui.add(widgets::button(icon, text)));
                    if button.is_some_and(|it| it.accessible_name(name).on_hover_text(help).clicked()) {
                        response = queue(action);
                    }
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let text = RichText::new(format!("{count} selected")).font(theme::medium(BODY));
                    ui.add(Label::new(text).selectable(false));
                    let of = RichText::new(of).color(colours.text2);
                    ui.add(Label::new(of).selectable(false).truncate());
                });
            });
        });
    });
    response
}
