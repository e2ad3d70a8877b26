//! The legend of curves: a block in the emptiest corner of the plot, with the values at the pointer. It can be dragged.

use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::scroll_area::ScrollBarVisibility::{AlwaysHidden, VisibleWhenNeeded};
use eframe::egui::{
    Align2, Color32, CursorIcon, FontId, Link, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui,
    UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};

use super::legend::{GAP, LegendNames, ROW, RowLook, SAMPLE, row_ui, wide};
use super::legend_grid::{Grid, GridWidths};
use super::line_menu::LegendRows;
use super::mesh::EM;
use super::painter::area;
use super::values::Table;
use crate::theme::{self, SMALL};
use figure::font::{Weight, fit};
use figure::legend::samples;
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::Item;
use figure::scene::page::{emptiest, in_corner};
use results::page::Corner;

/// Around the rows, and from the block to the axes.
const PADDING: f32 = 8.0;
const INSET: f32 = 10.0;
/// Between columns of values.
const COLUMN: f32 = 12.0;
/// Shares of the plot that the block takes at most.
const WIDEST: f32 = 0.62;
/// A pinned reading also has settings and results.
const WIDEST_PINNED: f32 = 0.9;
const HIGHEST: f32 = 0.4;
/// One that was opened to show all rows.
const HIGHEST_OPEN: f32 = 0.9;
/// The widest and the narrowest column of names.
const NAMES: [f32; 2] = [72.0, 200.0];

/// The block between frames.
#[derive(Debug, Default)]
pub struct Block {
    names: LegendNames,
    /// The corner; chosen again when the figure changes, but kept if it is nearly as empty as any.
    corner: Option<Corner>,
    is_old: bool,
    /// Where it was dragged to, as shares of the free space.
    moved: Option<Vec2>,
    /// Widths of the columns: they never get narrower, so that the block is still while the pointer moves.
    widths: Vec<f32>,
    grid: GridWidths,
    head: f32,
    /// Whether it shows the rows beyond the first few.
    is_open: bool,
}

impl Block {
    /// Has to be called when the figure changes.
    pub const fn forget_figure(&mut self) {
        self.names.forget_figure();
        self.is_old = true;
    }

    fn place(&mut self, frame: Rect, size: Vec2, items: &Arc<Vec<Item>>) -> Rect {
        let free = frame.shrink(INSET);
        if let Some(share) = self.moved {
            let room = (free.size() - size).max(Vec2::ZERO);
            return Rect::from_min_size(free.min + share * room, size);
        }
        let wanted = [f64::from(size.x), f64::from(size.y)];
        if self.corner.is_none() || self.is_old {
            self.corner = Some(emptiest(items, area(free), wanted, self.corner).0);
            self.is_old = false;
        }
        super::painter::rect(in_corner(area(free), self.corner.unwrap_or_default(), wanted))
    }
}

/// The sizes of the parts of a block.
struct Sizes {
    names: f32,
    /// Number of columns of values.
    columns: usize,
    /// How many rows there are, and how many of them are visible at once.
    rows: [usize; 2],
    size: Vec2,
}

/// Draws the block over a plot, with the selected arm and the line that the keyboard has chosen; returns the name at the
/// pointer.
pub fn block_ui(
    ui: &mut Ui,
    (figure, theme): (&Figure, Theme),
    (frame, items): (Rect, &Arc<Vec<Item>>),
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
    let grid = Grid::of(figure).filter(|_| !table.has_facts());
    let grid = grid.and_then(|grid| grid.within(most, table, &mut block.grid));
    if let Some(grid) = &grid {
        let size = grid.size() + Vec2::splat(2.0 * PADDING);
        sizes = Sizes { size, columns: 0, names: grid.names() - SAMPLE - GAP, ..sizes };
    }
    let rect = block.place(frame, sizes.size, items);
    let colours = theme::present(ui);
    let ground = ui.interact(rect, ui.scope_id().with("legend block"), Sense::click_and_drag());
    ground.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Legend"));
    if ground.dragged() {
        let free = frame.shrink(INSET);
        let room = (free.size() - sizes.size).max(Vec2::splat(1.0));
        let share = (rect.min + ground.drag_delta() - free.min) / room;
        block.moved = Some(share.clamp(Vec2::ZERO, Vec2::splat(1.0)));
        ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        if ground.drag_delta() != Vec2::ZERO {
            ui.ctx().request_repaint();
        }
    }
    ui.painter().rect_filled(rect, 4.0, colours.panel);
    ui.painter().rect_stroke(rect, 4.0, Stroke::new(1.0, colours.line), StrokeKind::Inside);
    let inner = rect.shrink(PADDING);
    let mut top = inner.top();
    if sizes.columns > 0 || grid.is_some() {
        head_ui(ui, Rect::from_min_size(inner.min, vec2(inner.width(), ROW)), block, &sizes, table);
        top += ROW;
    }
    let look = RowLook { figure, theme, ground: colours.panel, selected, chosen };
    if let Some(grid) = grid {
        return grid.ui(ui, inner, look, rows, table);
    }
    let mut pointed = None;
    let [all, visible] = sizes.rows;
    let list = Rect::from_min_size(pos2(inner.left(), top), vec2(inner.width(), visible as f32 * ROW));
    if all > visible || block.is_open {
        more_ui(ui, inner.with_min_y(list.bottom()), block, all.saturating_sub(visible));
    }
    ui.scope_builder(UiBuilder::new().max_rect(list.intersect(inner)), |ui| {
        let bar = if block.is_open { VisibleWhenNeeded } else { AlwaysHidden };
        ui.spacing_mut().scroll.dormant_handle_opacity = 0.6;
        let area = ScrollArea::vertical().id_salt("legend").auto_shrink(false).min_scrolled_height(0.0);
        area.scroll_bar_visibility(bar).show_viewport(ui, |ui, seen| {
            ui.set_height(samples.len() as f32 * ROW);
            let origin = ui.max_rect().min;
            // Rows close to the visible ones are there for the keyboard.
            let first = ((seen.top() / ROW).floor() as usize).saturating_sub(2);
            let last = ((seen.bottom() / ROW).ceil() as usize + 2).min(samples.len());
            for (index, sample) in samples.iter().enumerate().take(last).skip(first) {
                let at = origin + vec2(0.0, index as f32 * ROW);
                let rect = Rect::from_min_size(at, vec2(inner.width(), ROW));
                let text = (sample.name(), f64::from(sizes.names));
                pointed = row_ui(ui, rect, sample, look, rows, text).or(pointed.take());
                if !rows.hidden.contains(sample.name()) {
                    let inks = [colours.text, colours.text2];
                    cells_ui(ui, rect, &table.cells(sample), inks, block, &sizes);
                }
            }
        });
    });
    pointed
}

fn measure(figure: &Figure, frame: Rect, block: &mut Block, table: &Table<'_>) -> Sizes {
    let (known, are_new) = block.names.measure(figure);
    let (count, longest) = (known.len(), known.iter().map(|(_, width)| *width).fold(0.0, f32::max));
    if are_new {
        block.widths.clear();
        (block.grid, block.head) = (GridWidths::default(), 0.0);
    }
    block.head = block.head.max(wide(table.header()));
    let count_of_columns = table.heads().len();
    block.widths.resize(count_of_columns, 0.0);
    // More rows would cost more than a glance is worth; their values are as wide.
    for sample in samples(figure).iter().take(40) {
        for ((widest, cell), head) in block.widths.iter_mut().zip(table.cells(sample)).zip(table.heads()) {
            if !cell.is_empty() {
                *widest = widest.max(wide(&cell)).max(wide(head));
            }
        }
    }
    let most = if table.has_facts() { WIDEST_PINNED } else { WIDEST } * frame.width();
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
    // Whole rows: half a row looks like a mistake.
    let rows = |share: f32| ((share * frame.height() - head - 2.0 * PADDING) / ROW).floor().max(2.0) as usize;
    block.is_open &= count > rows(HIGHEST);
    let most = rows(if block.is_open { HIGHEST_OPEN } else { HIGHEST });
    // The last row says how many are below it, or closes the list.
    let is_cut = block.is_open || count > most;
    let visible = if is_cut { count.min(most - 1) } else { count };
    let height = (visible + usize::from(is_cut)) as f32 * ROW + head + 2.0 * PADDING;
    let size = vec2(around + names + of_columns(columns), height).min(frame.shrink(INSET).size());
    Sizes { names, columns, rows: [count, visible], size }
}

/// Says how many rows are below the visible ones; a click shows them, or the first few again.
fn more_ui(ui: &mut Ui, rect: Rect, block: &mut Block, below: usize) {
    let text = if block.is_open { "Fewer".to_owned() } else { format!("{below} more") };
    ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
        if ui.add(Link::new(RichText::new(text).size(SMALL))).clicked() {
            block.is_open = !block.is_open;
        }
    });
}

/// The place of the values and the names of their columns.
fn head_ui(ui: &Ui, rect: Rect, block: &Block, sizes: &Sizes, table: &Table<'_>) {
    let ink = theme::present(ui).text2;
    let response = ui.interact(rect, ui.scope_id().with("reading"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, table.spoken()));
    let font = FontId::proportional(SMALL);
    let space = f64::from(SAMPLE + GAP + sizes.names).max(0.0);
    let head = if sizes.columns == 0 {
        fit(table.header(), EM, Weight::Regular, space, 1).join(" ")
    } else {
        table.header().to_owned()
    };
    ui.painter().text(pos2(rect.left(), rect.center().y), Align2::LEFT_CENTER, head, font, ink);
    cells_ui(ui, rect, table.heads(), [ink; 2], block, sizes);
}

/// Writes values into their columns, aligned at the right; the first has another ink than the rest.
fn cells_ui(ui: &Ui, rect: Rect, cells: &[String], inks: [Color32; 2], block: &Block, sizes: &Sizes) {
    let mut right = rect.right();
    for column in (0..sizes.columns).rev().filter(|column| block.widths[*column] > 0.0) {
        let at = pos2(right, rect.center().y);
        ui.painter().text(
            at,
            Align2::RIGHT_CENTER,
            &cells[column],
            FontId::proportional(SMALL),
            inks[column.min(1)],
        );
        right -= block.widths[column] + COLUMN;
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::plot::{FigureView, figure_ui};
    use figure::axis::Axis;
    use figure::{Line, style_of};

    #[test]
    fn rows_below_the_visible_ones_are_counted_and_a_click_shows_them() {
        let line = |index: usize| {
            Line::new(&format!("arm {index}"), style_of(index), vec![[0.0, 0.5], [1.0, 0.1 * index as f64]])
        };
        let lines = (0..8).map(line).collect();
        let figure = Arc::new(Figure { y: Axis::percent("Loss"), lines, ..Figure::default() });
        let draw = move |ui: &mut Ui, view: &mut FigureView| drop(figure_ui(ui, &figure, view));
        let mut harness =
            Harness::builder().with_size(vec2(700.0, 340.0)).build_ui_state(draw, FigureView::default());
        harness.run();
        let place = |harness: &Harness<'_, FigureView>, name: &str| {
            harness.query_by_label(name).map(|found| found.rect())
        };
        let more = |harness: &Harness<'_, FigureView>| {
            (1..8).find(|count| place(harness, &format!("{count} more")).is_some())
        };
        let below = more(&harness).expect("some rows have no room");
        let link = place(&harness, &format!("{below} more")).unwrap();
        let last = place(&harness, &format!("arm {}", 7 - below)).unwrap();
        assert!(place(&harness, "Legend").unwrap().contains_rect(link), "{link}");
        assert!(last.bottom() <= link.top() + 1.0, "{last} is the last above {link}");
        harness.get_by_label(&format!("{below} more")).click();
        harness.run();
        let legend = place(&harness, "Legend").unwrap();
        assert!((0..8).all(|arm| legend.contains_rect(place(&harness, &format!("arm {arm}")).unwrap())));
        harness.get_by_label("Fewer").click();
        harness.run();
        assert_eq!(more(&harness), Some(below));
    }
}
