//! The legend of bars, marks, cells and parallel axes: a strip above the plot.

use eframe::egui::{Rect, ScrollArea, Ui, UiBuilder, Vec2, vec2};

use super::legend::{GAP, LegendNames, ROW, RowLook, SAMPLE, row_ui};
use super::line_menu::LegendRows;
use crate::figure::legend::samples;
use crate::figure::model::Figure;
use crate::figure::palette::Theme;
use crate::gui::theme;

/// Between rows side by side, and from the strip down to the plot.
const BETWEEN: f32 = 18.0;
const BELOW: f32 = 4.0;
/// A strip of more lines scrolls.
const MOST_LINES: usize = 2;
/// Wider names lose their middle.
const WIDEST: f32 = 220.0;

/// The sizes of the rows.
pub type StripRows = LegendNames;

/// Draws the legend at the top of a space; returns its height, and the name at the pointer.
pub fn strip_ui(
    ui: &mut Ui,
    figure: &Figure,
    theme: Theme,
    rows: &mut LegendRows<'_>,
    names: &mut StripRows,
    space: Rect,
) -> (f32, Option<String>) {
    let (known, _) = names.measure(figure);
    if known.is_empty() {
        return (0.0, None);
    }
    let (places, lines) =
        flow(known.iter().map(|(_, width)| SAMPLE + GAP + width.min(WIDEST)), space.width());
    let height = lines.min(MOST_LINES) as f32 * ROW;
    let look = RowLook { figure, theme, ground: theme::present(ui).canvas, selected: None, chosen: None };
    let mut pointed = None;
    let strip = space.with_max_y(space.top() + height);
    ui.scope_builder(UiBuilder::new().max_rect(strip), |ui| {
        let area = ScrollArea::vertical().id_salt("legend").auto_shrink(false).min_scrolled_height(0.0);
        area.show_viewport(ui, |ui, seen| {
            ui.set_height(lines as f32 * ROW);
            let origin = ui.max_rect().min;
            for (sample, (at, width)) in samples(figure).iter().zip(&places) {
                // Rows close to the visible ones are there for the keyboard.
                if at.y + 3.0 * ROW > seen.top() && at.y < seen.bottom() + 2.0 * ROW {
                    let rect = Rect::from_min_size(origin + *at, vec2(*width, ROW));
                    pointed = row_ui(ui, rect, sample, look, rows, WIDEST).or(pointed.take());
                }
            }
        });
    });
    (height + BELOW, pointed)
}

/// The places of rows beside each other within a width, with their own widths; and the number of lines.
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
    use super::*;

    #[test]
    fn rows_share_lines_as_far_as_they_fit() {
        let (places, lines) = flow([100.0, 100.0, 300.0].into_iter(), 250.0);
        assert_eq!(lines, 2);
        assert_eq!(places[1].0, vec2(100.0 + BETWEEN, 0.0));
        assert_eq!(places[2], (vec2(0.0, ROW), 300.0));
    }
}
