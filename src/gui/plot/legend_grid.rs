//! The legend of lines by round: a row for each arm, a column for each level of remaining weights.

use eframe::egui::{Align2, FontId, Rect, Ui, Vec2, pos2, vec2};

use super::legend::{GAP, ROW, RowLook, SAMPLE, row_ui, wide};
use super::line_menu::LegendRows;
use super::values::Table;
use crate::theme::{self, SMALL};
use figure::font::{Weight, fit};
use figure::legend::Sample;
use figure::model::Figure;
use figure::rounds::{RoundRow, Rounds};

/// Between columns.
const COLUMN: f32 = 10.0;
/// The widest column of names.
const NAMES: f32 = 150.0;
/// A value that has to have room, for the choice between the grid and a list.
const VALUE: &str = "00.00";

/// The lines of a figure by arm and training.
pub struct Grid<'a> {
    figure: &'a Figure,
    rounds: Rounds<'a>,
    /// How many seeds of each arm are done while others are to come: "2 of 3".
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
    /// `None` where lines are not by round, where arms have other levels in the same training, or where a list is as short.
    pub fn of(figure: &'a Figure) -> Option<Self> {
        let rounds = Rounds::of(figure).filter(|rounds| rounds.is_common)?;
        let seeds = rounds.rows.iter().map(|row| row.seeds(figure)).collect();
        Some(Self { figure, rounds, seeds, widths: GridWidths::default() })
    }

    fn rows(&self) -> impl Iterator<Item = (&RoundRow<'a>, &str)> {
        self.rounds.rows.iter().zip(self.seeds.iter().map(String::as_str))
    }

    /// The same with room for all its texts and those before; `None` where it needs more than `most` in width or height. That
    /// does not depend on the values, which change with the pointer.
    pub fn within(mut self, most: Vec2, table: &Table<'_>, known: &mut GridWidths) -> Option<Self> {
        let levels = &self.rounds.levels;
        let columns = levels.len() as f32;
        let name = |(row, seeds): (&RoundRow<'_>, &str)| wide(row.of).min(NAMES) + seeds_width(seeds);
        let longest = self.rows().map(name).fold(0.0, f32::max);
        let level = levels.iter().map(|(_, level)| wide(level)).fold(0.0, f32::max);
        let narrowest = level.max(SAMPLE + GAP + wide(VALUE));
        let height = (1 + self.rounds.rows.len()) as f32 * ROW;
        if longest + columns * (COLUMN + narrowest) > most.x || height > most.y {
            return None;
        }
        let cells = self.rounds.rows.iter().flat_map(|row| row.cells.values());
        let values = cells.map(|line| SAMPLE + GAP + wide(&table.value(*line))).fold(narrowest, f32::max);
        let values = values.max(known.values).min((most.x - longest) / columns - COLUMN);
        let names = longest.max(wide(table.header())).max(known.names);
        *known = GridWidths { names: names.min(most.x - columns * (COLUMN + values)), values };
        self.widths = *known;
        Some(self)
    }

    /// Width and height with the head, in points.
    pub fn size(&self) -> Vec2 {
        let columns = self.rounds.levels.len() as f32;
        let width = self.widths.names + columns * (COLUMN + self.widths.values);
        vec2(width, (1 + self.rounds.rows.len()) as f32 * ROW)
    }

    /// The width of the names, below the head.
    pub const fn names(&self) -> f32 {
        self.widths.names
    }

    fn column(&self, position: usize, row: Rect) -> Rect {
        let GridWidths { names, values } = self.widths;
        let left = row.left() + names + COLUMN + position as f32 * (COLUMN + values);
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
            ui.painter().text(at, Align2::RIGHT_CENTER, level, FontId::proportional(SMALL), colours.text2);
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

    /// Writes the name of an arm, and how many of its seeds are done.
    fn name_ui(&self, ui: &Ui, row: Rect, (arm, seeds): (&str, &str), selected: Option<&str>) {
        let colours = theme::present(ui);
        let space = f64::from(self.widths.names - seeds_width(seeds));
        let name = fit(arm, f64::from(SMALL), Weight::Regular, space, 1);
        let font = if selected == Some(arm) { theme::medium(SMALL) } else { FontId::proportional(SMALL) };
        let text = name.join(" ");
        let drawn = ui.painter().text(row.left_center(), Align2::LEFT_CENTER, text, font, colours.text);
        let at = pos2(drawn.right() + GAP, row.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, seeds, FontId::proportional(SMALL), colours.text2);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::plot::{FigureView, figure_ui};
    use figure::model::{Level, Line, LineRound, Seeds};
    use figure::{Axis, style_of};
    use results::rounds::level_text;

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
        assert!(Grid::of(&by_round(&["ticket"])).is_none());
    }

    #[test]
    fn arms_with_other_levels_in_the_same_training_have_a_list() {
        let mut figure = by_round(&["dense", "ticket", "control"]);
        assert!(Grid::of(&figure).is_some());
        let last = figure.lines.last_mut().unwrap();
        last.round.as_mut().unwrap().remaining = Some(0.3);
        assert!(Grid::of(&figure).is_none(), "30.0 % is not below 25.0 %");
    }

    #[test]
    fn seeds_that_are_to_come_are_counted_beside_the_arm() {
        let mut figure = by_round(&["dense", "ticket"]);
        for (index, line) in figure.lines.iter_mut().enumerate().skip(1) {
            line.seeds = Some(Seeds { done: 3 - index.min(2), planned: 3, running: 1 });
        }
        let grid = Grid::of(&figure).unwrap();
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
}
