//! The legend of lines by round: a row for each arm, a column for each level of remaining weights.

use std::collections::BTreeMap;

use eframe::egui::{Align2, FontId, Rect, Ui, Vec2, pos2, vec2};

use super::legend::{GAP, ROW, RowLook, SAMPLE, row_ui, wide};
use super::line_menu::LegendRows;
use super::values::Table;
use crate::figure::font::{Weight, fit};
use crate::figure::legend::Sample;
use crate::figure::model::{Figure, Line};
use crate::gui::theme::{self, SMALL};
use crate::results::rounds::level_text;

/// Between columns.
const COLUMN: f32 = 10.0;
/// The widest column of names.
const NAMES: f32 = 150.0;

/// The lines of a figure by arm and training.
pub struct Grid<'a> {
    /// Number and level of each training that has a line.
    levels: Vec<(usize, String)>,
    rows: Vec<(&'a str, BTreeMap<usize, Cell<'a>>)>,
    names: f32,
    values: f32,
}

struct Cell<'a> {
    line: &'a Line,
    value: String,
}

impl<'a> Grid<'a> {
    /// `None` where lines are not by round, or where a list is as short.
    pub fn of(figure: &'a Figure, table: &Table<'_>) -> Option<Self> {
        if !figure.reference_lines.is_empty() || figure.levels.len() < 2 {
            return None;
        }
        let mut rows: Vec<(&str, BTreeMap<usize, Cell<'_>>)> = Vec::new();
        for line in &figure.lines {
            let round = line.round.as_ref()?;
            let value = table.cells(&Sample::Line(line)).into_iter().next().unwrap_or_default();
            let cell = (round.number, Cell { line, value });
            match rows.iter_mut().find(|(of, _)| *of == round.of) {
                Some((_, cells)) => drop(cells.insert(cell.0, cell.1)),
                None => rows.push((&round.of, [cell].into())),
            }
        }
        let is_drawn = |number: usize| rows.iter().any(|(_, cells)| cells.contains_key(&number));
        let drawn = figure.levels.iter().filter(|level| is_drawn(level.number));
        let levels: Vec<_> = drawn.map(|level| (level.number, level_text(level.remaining))).collect();
        let longest = rows.iter().map(|(of, _)| wide(of)).fold(0.0, f32::max).min(NAMES);
        let cells = rows.iter().flat_map(|(_, cells)| cells.values());
        let values = cells.map(|cell| SAMPLE + GAP + wide(&cell.value));
        let values = values.chain(levels.iter().map(|(_, level)| wide(level))).fold(0.0, f32::max);
        let grid = Self { levels, names: longest.max(wide(table.header())), values, rows };
        (grid.rows.len() > 1).then_some(grid)
    }

    /// Width and height with the head, in points.
    pub fn size(&self) -> Vec2 {
        let columns = self.levels.len() as f32;
        vec2(self.names + columns * (COLUMN + self.values), (1 + self.rows.len()) as f32 * ROW)
    }

    fn column(&self, position: usize, row: Rect) -> Rect {
        let left = row.left() + self.names + COLUMN + position as f32 * (COLUMN + self.values);
        Rect::from_min_size(pos2(left, row.top()), vec2(self.values, ROW))
    }

    /// Draws levels, names and cells; a cell acts as a row of other legends does. Returns the name of the line at the pointer.
    pub fn ui(&self, ui: &Ui, space: Rect, look: RowLook<'_>, lines: &mut LegendRows<'_>) -> Option<String> {
        let colours = theme::present(ui);
        let row = |position: usize| {
            Rect::from_min_size(space.min + vec2(0.0, position as f32 * ROW), vec2(space.width(), ROW))
        };
        for (position, (_, level)) in self.levels.iter().enumerate() {
            let at = self.column(position, row(0)).right_center();
            ui.painter().text(at, Align2::RIGHT_CENTER, level, FontId::proportional(SMALL), colours.text2);
        }
        let mut pointed = None;
        for (position, (of, cells)) in self.rows.iter().enumerate() {
            let row = row(1 + position);
            let name = fit(of, f64::from(SMALL), Weight::Regular, f64::from(self.names), 1).join(" ");
            let is_selected = look.selected == Some(*of);
            let font = if is_selected { theme::medium(SMALL) } else { FontId::proportional(SMALL) };
            ui.painter().text(row.left_center(), Align2::LEFT_CENTER, name, font, colours.text);
            for (column, (number, _)) in self.levels.iter().enumerate() {
                let Some(cell) = cells.get(number) else { continue };
                let place = self.column(column, row);
                let sample = Sample::Line(cell.line);
                let width = f64::from(self.values - SAMPLE - GAP);
                pointed = row_ui(ui, place, &sample, look, lines, (&cell.value, width)).or(pointed.take());
            }
        }
        pointed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::figure::model::{Level, LineRound};
    use crate::figure::{Axis, style_of};
    use crate::gui::plot::{FigureView, figure_ui};

    fn by_round(arms: &[&str]) -> Figure {
        let level = |number: usize| Level { number, remaining: 1.0 / number as f64, is_drawn: true };
        let line = |arm: usize, number: usize| Line {
            round: Some(LineRound { of: arms[arm].to_owned(), number }),
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
        let kept = harness.state().kept(crate::results::view::PlotView::default());
        assert_eq!(kept.hidden.iter().collect::<Vec<_>>(), ["control, 50.0 %"]);
    }

    #[test]
    fn one_arm_has_a_list() {
        let harness = harness(by_round(&["dense", "ticket"][..1]));
        assert!(harness.query_by_label("dense, 100 %").is_some());
        let figure = by_round(&["ticket"]);
        let table = Table::of(&figure, None, |_| false, crate::results::statistics::Spread::None, None);
        assert!(Grid::of(&figure, &table).is_none());
    }
}
