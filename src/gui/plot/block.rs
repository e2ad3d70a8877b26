//! The legend of curves: a block in a free corner of the plot, with the values at the pointer. Where no
//! corner is free, and for other figures, it is a strip above the plot.

use std::collections::BTreeMap;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align2, Color32, FontId, Link, Rect, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2,
    WidgetInfo, pos2, vec2,
};

use super::legend::{GAP, LegendNames, LegendRows, ROW, RowLook, SAMPLE, row_ui, text_ui, wide};
use super::painter::area;
use super::reading::Table;
use super::scene::EM;
use crate::theme::{self, SMALL};
use figure::font::{Weight, fit};
use figure::legend::{RoundRow, Rounds, Sample, samples};
use figure::model::Figure;
use figure::scene::Item;
use figure::scene::page::{MOST_COVERED, emptiest, in_corner};
use results::page::Corner;

/// Around the rows, and from the block to the axes.
const PADDING: f32 = 8.0;
const INSET: f32 = 10.0;
const COLUMN: f32 = 12.0;
/// Shares of the plot that the block takes at most.
const WIDEST: f32 = 0.62;
/// A pinned reading also has settings and results.
const WIDEST_PINNED: f32 = 0.9;
const HIGHEST: f32 = 0.4;
/// A frame that has changed by more than this in width or height is looked at again for a free corner, in points.
const RESIZED: f32 = 64.0;
/// The widest and the narrowest column of names.
const NAMES: [f32; 2] = [72.0, 200.0];

#[derive(Debug, Default)]
pub struct Block {
    names: LegendNames,
    /// Chosen again when the figure changes, but kept if it is nearly as empty as any.
    corner: Option<Corner>,
    is_old: bool,
    /// Widths of the columns: they never get narrower, so that the block is still while the pointer moves.
    widths: Vec<f32>,
    grid: GridWidths,
    head: f32,
    /// True if no corner has room for all of its rows: the strip above the plot has them.
    pub is_above: bool,
    /// The size of the frame when that was decided.
    judged: Vec2,
}

impl Block {
    pub const fn forget_figure(&mut self) {
        self.names.forget_figure();
        self.is_old = true;
    }

    /// Chooses the corner, or the place above the plot, when the figure or the frame has changed. Returns true if the legend
    /// leaves the corner, or comes back.
    fn judge(&mut self, frame: Rect, sizes: &Sizes, items: &[Item]) -> bool {
        let is_resized = (frame.size() - self.judged).abs().max_elem() > RESIZED;
        if !self.is_old && !is_resized && self.corner.is_some() {
            return false;
        }
        let wanted = [sizes.size.x, sizes.size.y].map(f64::from);
        let (corner, covered) = emptiest(items, area(frame.shrink(INSET)), wanted, self.corner);
        // It does not come back at once: the frame gets lower by leaving the corner.
        let most = if self.is_above { 0.3 } else { 1.0 } * MOST_COVERED * EM;
        let is_free = sizes.has_room && covered <= most;
        (self.corner, self.is_old, self.judged) = (Some(corner), false, frame.size());
        std::mem::replace(&mut self.is_above, !is_free) == is_free
    }
}

struct Sizes {
    names: f32,
    columns: usize,
    size: Vec2,
    /// True if all rows fit.
    has_room: bool,
}

/// Draws the block over a plot, unless the legend is above it, with the selected arm and the line that the keyboard has chosen;
/// returns the name at the pointer.
pub fn block_ui(
    ui: &mut Ui,
    figure: &Figure,
    (frame, items): (Rect, &[Item]),
    block: &mut Block,
    rows: &mut LegendRows<'_>,
    table: &Table<'_>,
    [selected, chosen]: [Option<&str>; 2],
) -> Option<String> {
    let samples = samples(figure);
    if samples.is_empty() || frame.width() < 120.0 || frame.height() < 80.0 {
        return None;
    }
    let mut sizes = measure(figure, frame, block, table);
    let most = frame.size() * vec2(WIDEST, HIGHEST) - Vec2::splat(2.0 * PADDING);
    // A pinned reading has columns of its own in a list, where that has room.
    let grid = Grid::new(figure).filter(|_| table.facts.is_none() || !sizes.has_room);
    let grid = grid.and_then(|grid| grid.within(most, table, &mut block.grid));
    if let Some(grid) = &grid {
        let size = grid.size() + Vec2::splat(2.0 * PADDING);
        sizes = Sizes { size, columns: 0, names: grid.widths.names - SAMPLE - GAP, has_room: true };
    }
    if block.judge(frame, &sizes, items) {
        ui.ctx().request_repaint();
    }
    if block.is_above {
        return None;
    }
    let size = [sizes.size.x, sizes.size.y].map(f64::from);
    let place = in_corner(area(frame.shrink(INSET)), block.corner.unwrap_or_default(), size);
    let (rect, colours) = (super::painter::rect(place), theme::present(ui));
    // A click on it is none in the plot.
    let ground = ui.interact(rect, ui.scope_id().with("legend block"), Sense::click_and_drag());
    ground.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Legend"));
    ui.painter().rect_filled(rect, 4.0, colours.panel);
    ui.painter().rect_stroke(rect, 4.0, Stroke::new(1.0, colours.line), StrokeKind::Inside);
    let inner = rect.shrink(PADDING);
    let mut top = inner.top();
    if sizes.columns > 0 || grid.is_some() {
        head_ui(ui, Rect::from_min_size(inner.min, vec2(inner.width(), ROW)), block, &sizes, table);
        top += ROW;
    }
    let look = RowLook { figure, ground: colours.panel, selected, chosen };
    if let Some(grid) = grid {
        return grid.ui(ui, inner, look, rows, table);
    }
    let mut pointed = None;
    for (index, sample) in samples.iter().enumerate() {
        let at = pos2(inner.left(), top + index as f32 * ROW);
        let rect = Rect::from_min_size(at, vec2(inner.width(), ROW));
        let text = (&*figure.legend_name(sample.name()), f64::from(sizes.names));
        pointed = row_ui(ui, rect, sample, look, rows, text).or(pointed.take());
        if !rows.hidden.contains(sample.name()) {
            let inks = [colours.text, colours.text2];
            cells_ui(ui, rect, &table.cells(sample), inks, block, &sizes);
        }
    }
    pointed
}

fn measure(figure: &Figure, frame: Rect, block: &mut Block, table: &Table<'_>) -> Sizes {
    let (known, are_new) = block.names.measure(figure);
    let (count, longest) = (known.len(), known.iter().map(|(_, width)| *width).fold(0.0, f32::max));
    if are_new {
        block.widths.clear();
        (block.grid, block.head) = (GridWidths::default(), 0.0);
    }
    block.head = block.head.max(wide(&table.head_text()));
    let count_of_columns = table.heads.len();
    block.widths.resize(count_of_columns, 0.0);
    // More rows would cost more than a glance is worth; their values are as wide.
    for sample in samples(figure).iter().take(40) {
        for ((widest, cell), head) in block.widths.iter_mut().zip(table.cells(sample)).zip(&table.heads) {
            if !cell.is_empty() {
                *widest = widest.max(wide(&cell)).max(wide(head));
            }
        }
    }
    let most = if table.facts.is_some() { WIDEST_PINNED } else { WIDEST } * frame.width();
    let around = SAMPLE + GAP + 2.0 * PADDING;
    let of_columns = |columns: usize| -> f32 {
        block.widths[..columns].iter().filter(|width| **width > 0.0).map(|width| width + COLUMN).sum()
    };
    let names = longest.clamp(NAMES[0].min(longest), NAMES[1]);
    let columns = (1..=count_of_columns)
        .rev()
        .find(|columns| around + names.min(2.0 * NAMES[0]) + of_columns(*columns) <= most);
    let columns = columns.unwrap_or(0);
    let names = names.min((most - around - of_columns(columns)).max(NAMES[0].min(longest)));
    // The head shares the line with the names' column.
    let names = if columns > 0 { names.max(block.head.min(NAMES[1]) - SAMPLE - GAP) } else { names };
    let head = if columns > 0 { ROW } else { 0.0 };
    let size = vec2(around + names + of_columns(columns), count as f32 * ROW + head + 2.0 * PADDING);
    let most = frame.shrink(INSET).size();
    let has_room = size.y <= (HIGHEST * frame.height()).max(2.0 * ROW + head + 2.0 * PADDING).min(most.y);
    Sizes { names, columns, size: size.min(most), has_room }
}

/// Writes the place of the values and the names of their columns.
fn head_ui(ui: &Ui, rect: Rect, block: &Block, sizes: &Sizes, table: &Table<'_>) {
    let ink = theme::present(ui).text2;
    let response = ui.interact(rect, ui.scope_id().with("reading"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, table.spoken()));
    let space = f64::from(SAMPLE + GAP + sizes.names).max(0.0);
    let mut head = table.head_text();
    if sizes.columns == 0 {
        head = fit(&head, EM, Weight::Regular, space, 1).join(" ");
    }
    text_ui(ui, rect.left_center(), Align2::LEFT_CENTER, head, ink);
    cells_ui(ui, rect, &table.heads, [ink; 2], block, sizes);
}

/// Writes values into their columns, aligned at the right; the first has another ink than the rest.
fn cells_ui(ui: &Ui, rect: Rect, cells: &[String], inks: [Color32; 2], block: &Block, sizes: &Sizes) {
    let mut right = rect.right();
    for column in (0..sizes.columns).rev().filter(|column| block.widths[*column] > 0.0) {
        let ink = inks[column.min(1)];
        text_ui(ui, pos2(right, rect.center().y), Align2::RIGHT_CENTER, &cells[column], ink);
        right -= block.widths[column] + COLUMN;
    }
}

const GRID_COLUMN: f32 = 10.0;
const GRID_NAMES: f32 = 150.0;
/// A value that has to have room, for the choice between the grid and a list.
const GRID_VALUE: &str = "00.00";

/// The lines of a figure by arm and training.
pub struct Grid<'a> {
    figure: &'a Figure,
    rounds: Rounds<'a>,
    /// The seeds of each arm that are done while others are to come: "2 of 3".
    seeds: Vec<String>,
    widths: GridWidths,
}

fn seeds_width(seeds: &str) -> f32 {
    if seeds.is_empty() { 0.0 } else { GAP + wide(seeds) }
}

/// The widths of the names and of each column of values. They never get narrower, so that the block is still while the
/// pointer moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct GridWidths {
    names: f32,
    values: f32,
}

impl<'a> Grid<'a> {
    /// Returns the grid; `None` where lines are not by round, arms have other levels in a training, or a list is as short.
    pub fn new(figure: &'a Figure) -> Option<Self> {
        let rounds = Rounds::new(figure).filter(|rounds| rounds.is_common)?;
        let seeds = rounds.rows.iter().map(|row| row.seeds(figure)).collect();
        Some(Self { figure, rounds, seeds, widths: GridWidths::default() })
    }

    fn rows(&self) -> impl Iterator<Item = (&RoundRow<'a>, &str)> {
        self.rounds.rows.iter().zip(self.seeds.iter().map(String::as_str))
    }

    /// Widens it for its texts and those before; `None` where it needs more than `most`, which does not depend on the
    /// values.
    pub fn within(mut self, most: Vec2, table: &Table<'_>, known: &mut GridWidths) -> Option<Self> {
        let levels = &self.rounds.levels;
        let columns = levels.len() as f32;
        let name = |(row, seeds): (&RoundRow<'_>, &str)| wide(row.of).min(GRID_NAMES) + seeds_width(seeds);
        let longest = self.rows().map(name).fold(0.0, f32::max);
        let level = levels.iter().map(|(_, level)| wide(level)).fold(0.0, f32::max);
        let narrowest = level.max(SAMPLE + GAP + wide(GRID_VALUE));
        let height = (1 + self.rounds.rows.len()) as f32 * ROW;
        if longest + columns * (GRID_COLUMN + narrowest) > most.x || height > most.y {
            return None;
        }
        let cells = self.rounds.rows.iter().flat_map(|row| row.cells.values());
        let values = cells.map(|line| SAMPLE + GAP + wide(&table.value(*line))).fold(narrowest, f32::max);
        let values = values.max(known.values).min((most.x - longest) / columns - GRID_COLUMN);
        let names = longest.max(wide(&table.head_text())).max(known.names);
        *known = GridWidths { names: names.min(most.x - columns * (GRID_COLUMN + values)), values };
        self.widths = *known;
        Some(self)
    }

    /// Returns width and height with the head, in points.
    pub fn size(&self) -> Vec2 {
        let columns = self.rounds.levels.len() as f32;
        let width = self.widths.names + columns * (GRID_COLUMN + self.widths.values);
        vec2(width, (1 + self.rounds.rows.len()) as f32 * ROW)
    }

    fn column(&self, position: usize, row: Rect) -> Rect {
        let GridWidths { names, values } = self.widths;
        let left = row.left() + names + GRID_COLUMN + position as f32 * (GRID_COLUMN + values);
        Rect::from_min_size(pos2(left, row.top()), vec2(values, ROW))
    }

    /// Draws levels, names and cells; a cell acts as a row of other legends does. Returns the name of the line at the pointer.
    pub fn ui(
        &self,
        ui: &Ui,
        space: Rect,
        look: RowLook<'_>,
        lines: &mut LegendRows<'_>,
        table: &Table<'_>,
    ) -> Option<String> {
        let colours = theme::present(ui);
        let row = |position: usize| {
            Rect::from_min_size(space.min + vec2(0.0, position as f32 * ROW), vec2(space.width(), ROW))
        };
        for (position, (_, level)) in self.rounds.levels.iter().enumerate() {
            let at = self.column(position, row(0)).right_center();
            text_ui(ui, at, Align2::RIGHT_CENTER, level, colours.text2);
        }
        let mut pointed = None;
        for (position, (arm, seeds)) in self.rows().enumerate() {
            let row = row(1 + position);
            self.name_ui(ui, row, (arm.of, seeds), look.selected);
            for (column, (number, _)) in self.rounds.levels.iter().enumerate() {
                let Some(index) = arm.cells.get(number) else { continue };
                let place = self.column(column, row);
                let sample = Sample::Line(&self.figure.lines[*index]);
                let width = f64::from(self.widths.values - SAMPLE - GAP);
                let value = table.value(*index);
                pointed = row_ui(ui, place, &sample, look, lines, (&value, width)).or(pointed.take());
            }
        }
        pointed
    }

    fn name_ui(&self, ui: &Ui, row: Rect, (arm, seeds): (&str, &str), selected: Option<&str>) {
        let colours = theme::present(ui);
        let space = f64::from(self.widths.names - seeds_width(seeds));
        let name = fit(arm, EM, Weight::Regular, space, 1);
        let font = if selected == Some(arm) { theme::medium(SMALL) } else { FontId::proportional(SMALL) };
        let text = name.join(" ");
        let drawn = ui.painter().text(row.left_center(), Align2::LEFT_CENTER, text, font, colours.text);
        let at = pos2(drawn.right() + GAP, row.center().y);
        text_ui(ui, at, Align2::LEFT_CENTER, seeds, colours.text2);
    }
}

/// Between rows side by side, and from the strip down to the plot.
const BETWEEN: f32 = 18.0;
const BELOW: f32 = 4.0;
/// Room for a value after each name.
const STRIP_VALUE: f32 = 44.0;
/// Shares of the height that a strip takes at most, first and when it was opened to show all rows.
const HIGHEST_STRIP: [f32; 2] = [0.3, 0.7];
/// Room for "12 more" at the end of its last line.
const MORE: f32 = 72.0;
/// Wider names lose their middle.
const WIDEST_NAME: f32 = 220.0;

/// Values beside the names of a strip.
#[derive(Clone, Copy)]
pub struct StripValues<'a> {
    pub selected: Option<&'a str>,
    /// The place of the values, and the values by name; `None` while there is no pointer.
    pub reading: Option<(&'a str, &'a BTreeMap<String, String>)>,
}

/// Draws the legend at the top of a space, with room for values if there are some; returns its height, and the name at the
/// pointer.
pub fn strip_ui(
    ui: &mut Ui,
    figure: &Figure,
    rows: &mut LegendRows<'_>,
    names: &mut LegendNames,
    space: Rect,
    values: Option<StripValues<'_>>,
) -> (f32, Option<String>) {
    let (known, _) = names.measure(figure);
    if known.is_empty() {
        return (0.0, None);
    }
    let room = if values.is_some() { STRIP_VALUE } else { 0.0 };
    let (places, lines) =
        flow(known.iter().map(|(_, width)| SAMPLE + GAP + width.min(WIDEST_NAME) + room), space.width());
    let most = |share: f32| ((share * space.height() / ROW).floor() as usize).max(1);
    names.is_open &= lines > most(HIGHEST_STRIP[0]);
    let shown = lines.min(most(HIGHEST_STRIP[usize::from(names.is_open)]));
    // The last line says how many are below it.
    let has_place = |(at, width): &&(Vec2, f32)| {
        let line = (at.y / ROW) as usize;
        line + 1 < shown || line < shown && (lines == shown || at.x + width + MORE <= space.width())
    };
    let count = places.iter().take_while(has_place).count();
    let height = (shown + usize::from(names.is_open)) as f32 * ROW;
    let selected = values.and_then(|values| values.selected);
    let look = RowLook { figure, ground: theme::present(ui).canvas, selected, chosen: None };
    let reading = values.and_then(|values| values.reading);
    let end =
        places.last().filter(|_| lines == 1).map_or(space.width(), |(at, width)| at.x + width + BETWEEN);
    let first = space.with_max_y(space.top() + ROW);
    match reading {
        Some((place, values)) => place_ui(ui, first, end, place, values),
        None if figure.is_over_setting() => signs_ui(ui, first, end, &figure.x.title),
        None => {}
    }
    let mut pointed = None;
    for (sample, (at, width)) in samples(figure).into_iter().zip(&places).take(count) {
        let rect = Rect::from_min_size(space.min + *at, vec2(*width, ROW));
        let text = (&*figure.legend_name(sample.name()), f64::from(WIDEST_NAME));
        pointed = row_ui(ui, rect, &sample, look, rows, text).or(pointed.take());
        if let Some(value) = reading.and_then(|(_, values)| values.get(sample.name())) {
            text_ui(ui, rect.right_center(), Align2::RIGHT_CENTER, value, theme::present(ui).text2);
        }
    }
    let below = places.len() - count;
    if below > 0 || names.is_open {
        let text = if below > 0 { format!("{below} more") } else { "Fewer".to_owned() };
        let at = space.right_top() + vec2(-MORE, height - ROW);
        let link = UiBuilder::new().max_rect(Rect::from_min_size(at, vec2(MORE, ROW)));
        let link = ui.scope_builder(link, |ui| ui.add(Link::new(RichText::new(text).size(SMALL))));
        if link.inner.clicked() {
            names.is_open = !names.is_open;
        }
    }
    (height + BELOW, pointed)
}

/// Writes where values are at the right end of the strip if there is room, and says all of them.
fn place_ui(ui: &Ui, rect: Rect, end: f32, place: &str, values: &BTreeMap<String, String>) {
    let response =
        ui.interact(rect.with_min_x(rect.right() - 1.0), ui.scope_id().with("reading"), Sense::hover());
    response.widget_info(|| {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        WidgetInfo::labeled(Role::Label, true, format!("{place}: {}", values.join("; ")))
    });
    if end + wide(place) <= rect.width() {
        text_ui(ui, rect.right_center(), Align2::RIGHT_CENTER, place, theme::present(ui).text2);
    }
}

/// Explains rings and dots at the right end of the strip if there is room.
fn signs_ui(ui: &Ui, rect: Rect, end: f32, setting: &str) {
    const SIGN: f32 = 16.0;
    let ink = theme::present(ui).text2;
    let texts = [format!("best {}", setting.to_lowercase()), "seeds".to_owned()];
    let wide = |text: &String| SIGN + wide(text) + BETWEEN;
    if end + texts.iter().map(wide).sum::<f32>() > rect.width() {
        return;
    }
    let mut right = rect.right();
    for (text, is_ring) in texts.iter().zip([true, false]).rev() {
        right -= wide(text);
        let middle = pos2(right + SIGN / 2.0, rect.center().y);
        if is_ring {
            ui.painter().circle_stroke(middle, 5.5, Stroke::new(1.5, ink));
        } else {
            for (across, down) in [(-5.0, 2.0), (0.0, -2.0), (5.0, 1.0)] {
                ui.painter().circle_filled(middle + vec2(across, down), 1.5, ink);
            }
        }
        text_ui(ui, pos2(right + SIGN + GAP / 2.0, middle.y), Align2::LEFT_CENTER, text, ink);
    }
}

/// Returns the places of rows beside each other within a width, with their own widths; and the number of lines.
fn flow(widths: impl Iterator<Item = f32>, space: f32) -> (Vec<(Vec2, f32)>, usize) {
    let (mut at, mut lines, mut places) = (Vec2::ZERO, 1, Vec::new());
    for width in widths {
        if at.x > 0.0 && at.x + width > space {
            at = vec2(0.0, at.y + ROW);
            lines += 1;
        }
        places.push((at, width));
        at.x += width + BETWEEN;
    }
    (places, lines)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::plot::{FigureView, figure_ui};
    use figure::axis::Axis;
    use figure::model::{Level, Line, LineRound, Seeds};
    use figure::style_of;
    use results::rounds::level_text;

    /// Lines that rise from the lower left to the upper right, so that two corners are free.
    fn rising(count: usize) -> Figure {
        let line = |index: usize| {
            let points = vec![[0.0, 0.1], [0.4, 0.2], [0.6, 0.8], [1.0, 0.9 + 0.01 * index as f64]];
            Line::new(&format!("arm {index}"), style_of(index), points)
        };
        Figure { y: Axis::percent("Loss"), lines: (0..count).map(line).collect(), ..Figure::default() }
    }

    fn place<T>(harness: &Harness<'_, T>, name: &str) -> Option<Rect> {
        harness.query_by_label(name).map(|found| found.rect())
    }

    #[test]
    fn a_free_corner_has_the_legend_and_without_one_it_is_above_with_all_rows() {
        let inside = harness(rising(3));
        let plot = place(&inside, "Plot of Loss").unwrap();
        assert!(plot.contains_rect(place(&inside, "Legend").unwrap()));
        let mut covered = rising(3);
        let zigzag = (0..200_u8).map(|step| [f64::from(step) / 200.0, f64::from(step % 2)]);
        covered.lines[2].points = zigzag.collect();
        for figure in [covered, rising(12)] {
            let count = figure.lines.len();
            let above = harness(figure);
            let plot = place(&above, "Plot of Loss").unwrap();
            assert!(place(&above, "Legend").is_none() && plot.height() > 300.0, "{plot}");
            let rows: Vec<Rect> =
                (0..count).map(|arm| place(&above, &format!("arm {arm}")).unwrap()).collect();
            assert!(rows.iter().all(|row| row.bottom() <= plot.top()), "{rows:?} above {plot}");
            assert!(above.query_by_label_contains("more").is_none(), "no row is left out, no line is empty");
            assert!(plot.top() - rows[count - 1].bottom() < ROW);
        }
    }

    #[test]
    fn a_small_plot_has_its_rows_above_too() {
        let mut harness = harness(rising(5));
        harness.set_size(vec2(420.0, 200.0));
        harness.run_steps(4);
        let plot = place(&harness, "Plot of Loss").unwrap();
        assert!((0..5).all(|arm| place(&harness, &format!("arm {arm}")).unwrap().bottom() <= plot.top()));
    }

    #[test]
    fn rows_without_room_are_counted_and_a_click_shows_them() {
        let mut harness = harness(rising(60));
        let count = |harness: &Harness<'_, FigureView>| {
            (0..60).filter(|arm| place(harness, &format!("arm {arm}")).is_some()).count()
        };
        let shown = count(&harness);
        assert!((12..60).contains(&shown), "{shown}");
        let link = format!("{} more", 60 - shown);
        let last = place(&harness, &format!("arm {}", shown - 1)).unwrap();
        assert!(last.right() <= place(&harness, &link).unwrap().left() && last.top() < 0.3 * 480.0);
        harness.get_by_label(&link).click();
        harness.run();
        assert_eq!(count(&harness), 60);
        harness.get_by_label("Fewer").click();
        harness.run();
        assert_eq!(count(&harness), shown);
    }

    fn by_round(arms: &[&str]) -> Figure {
        let remaining = |number: usize| Some(1.0 / number as f64);
        let level = |number: usize| Level { number, remaining: remaining(number), is_drawn: true };
        let round = |arm: usize, number: usize| {
            let [arm, of] = [arms[arm]; 2].map(str::to_owned);
            LineRound { arm, of, number, remaining: remaining(number) }
        };
        let line = |arm: usize, number: usize| Line {
            round: Some(round(arm, number)),
            ..Line::new(
                &format!("{}, {}", arms[arm], level_text(1.0 / number as f64)),
                style_of(arm),
                vec![[1.0, 0.5], [2.0, 0.9 + 0.01 * number as f64]],
            )
        };
        let numbers = |arm| (1..=4).filter(move |number| arm > 0 || *number == 1);
        Figure {
            x: Axis::new("Epochs in this training", ""),
            y: Axis::percent("Test accuracy"),
            lines: (0..arms.len())
                .flat_map(|arm| numbers(arm).map(move |number| line(arm, number)))
                .collect(),
            levels: (1..=4).map(level).collect(),
            ..Figure::default()
        }
    }

    fn harness(figure: Figure) -> Harness<'static, FigureView> {
        let figure = Arc::new(figure);
        let draw = move |ui: &mut Ui, view: &mut FigureView| drop(figure_ui(ui, &figure, view));
        let mut harness =
            Harness::builder().with_size(vec2(900.0, 480.0)).build_ui_state(draw, FigureView::default());
        harness.run();
        harness
    }

    #[test]
    fn each_arm_is_a_row_with_a_cell_below_its_level() {
        let mut harness = harness(by_round(&["dense", "ticket", "control"]));
        let place = |harness: &Harness<'_, _>, name: &str| harness.get_by_label(name).rect();
        let [dense, ticket, other] =
            ["dense, 100 %", "ticket, 100 %", "ticket, 25.0 %"].map(|name| place(&harness, name));
        assert_eq!((dense.left(), ticket.top()), (ticket.left(), other.top()));
        assert!(dense.top() < ticket.top() && ticket.right() < other.left());
        harness.get_by_label("control, 50.0 %").click();
        harness.run();
        let kept = harness.state().kept(results::view::PlotView::default());
        assert_eq!(kept.hidden.iter().collect::<Vec<_>>(), ["control, 50.0 %"]);
    }

    #[test]
    fn one_arm_has_a_list() {
        let harness = harness(by_round(&["dense", "ticket"][..1]));
        assert!(harness.query_by_label("dense, 100 %").is_some());
        assert!(Grid::new(&by_round(&["ticket"])).is_none());
    }

    #[test]
    fn arms_with_other_levels_in_the_same_training_have_a_list() {
        let mut figure = by_round(&["dense", "ticket", "control"]);
        assert!(Grid::new(&figure).is_some());
        let last = figure.lines.last_mut().unwrap();
        last.round.as_mut().unwrap().remaining = Some(0.3);
        assert!(Grid::new(&figure).is_none(), "30.0 % is not below 25.0 %");
    }

    #[test]
    fn seeds_that_are_to_come_are_counted_beside_the_arm() {
        let mut figure = by_round(&["dense", "ticket"]);
        for (index, line) in figure.lines.iter_mut().enumerate().skip(1) {
            line.seeds = Some(Seeds { done: 3 - index.min(2), planned: 3, running: 1 });
        }
        let grid = Grid::new(&figure).unwrap();
        assert_eq!(grid.seeds, ["", "1 of 3"]);
    }

    #[test]
    fn cells_are_still_while_the_pointer_moves() {
        let mut harness = harness(by_round(&["dense", "ticket", "control"]));
        let place = |harness: &Harness<'_, _>| harness.get_by_label("ticket, 25.0 %").rect();
        let plot = harness.get_by_label("Plot of Test accuracy").rect();
        let mut hover = |x: f32| {
            harness.hover_at(pos2(plot.left() + x * plot.width(), plot.top() + 0.3 * plot.height()));
            harness.run();
            place(&harness)
        };
        let wide = hover(0.1);
        harness.remove_cursor();
        harness.run();
        assert_eq!(place(&harness), wide, "the shorter head takes no room away");
    }

    #[test]
    fn rows_share_lines_as_far_as_they_fit() {
        let (places, lines) = flow([100.0, 100.0, 300.0].into_iter(), 250.0);
        assert_eq!(lines, 2);
        assert_eq!(places[1].0, vec2(100.0 + BETWEEN, 0.0));
        assert_eq!(places[2], (vec2(0.0, ROW), 300.0));
    }
}
