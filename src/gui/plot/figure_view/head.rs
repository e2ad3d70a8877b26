//! The head line of a plot: what is read at the pointer, at the keyboard's cursor, or where the reading is pinned.

use eframe::egui::accesskit::Role;
use eframe::egui::{Align2, Button, Label, Rect, Response, RichText, Sense, Ui, Vec2, WidgetInfo};

use super::FigureView;
use crate::icons::Icon;
use crate::plot::legend::{GAP, text_ui, wide};
use crate::plot::reading::{HeadReading, cell_at};
use crate::plot::scene::EM;
use crate::{theme, widgets};
use figure::cells::Cells;
use figure::font::{Weight, fit};
use figure::legend::samples;
use figure::model::Figure;
use results::campaign::ImageOutcome;

impl FigureView {
    /// Takes what was read in this frame; the head was drawn before.
    pub(super) fn take_head(&mut self, ui: &Ui, head: Option<HeadReading>) {
        if self.head != head {
            ui.ctx().request_repaint();
            self.head = head;
        }
    }

    /// Returns true if the reading has a line of its own above the plot: the head of the tile has no room for it, and no legend
    /// is there at whose right end it can stand.
    pub(super) fn has_line(&self, figure: &Figure) -> bool {
        let is_of_trials = figure.cells.as_ref().is_some_and(|cells| !cells.texts.is_empty());
        !self.is_in_head && !figure.has_curves() && (is_of_trials || samples(figure).is_empty())
    }

    /// Draws the reading at the right end of a legend, over its rows where it has to be.
    pub(super) fn reading_over_ui(&self, ui: &Ui, figure: &Figure, row: Rect) {
        let Some(head) = &self.head else { return };
        if self.is_in_head || figure.has_curves() || self.has_line(figure) {
            return;
        }
        let pinned = if head.is_pinned { "Pinned: " } else { "" };
        let text = format!("{pinned}{}: {}", head.name, head.text);
        let rect = row.with_min_x((row.right() - wide(&text) - 2.0 * GAP).max(row.left()));
        let fitting = fit(&text, EM, Weight::Regular, f64::from(rect.width() - GAP), 1).join(" ");
        let response = ui.interact(rect, ui.scope_id().with("reading over"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
        ui.painter().rect_filled(rect, 0.0, theme::present(ui).canvas);
        text_ui(ui, rect.right_center(), Align2::RIGHT_CENTER, fitting, theme::present(ui).text2);
    }

    /// Returns the cell whose reading is pinned, by row and column.
    pub(super) fn chosen_cell(&self, figure: &Figure) -> Option<[usize; 2]> {
        cell_at(figure, self.pinned_place(figure)?)
    }
}

/// Draws the reading. A map of trials has that of a cell: the one that is pinned, at the pointer or opened or, before one is, the
/// one with the largest value. Returns the opened cell.
pub(in crate::plot) fn head_ui(ui: &mut Ui, figure: &Figure, view: &mut FigureView) -> Option<[usize; 2]> {
    if view.pinned.is_some() {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(16.0), Sense::hover());
        Icon::Pin.paint(ui.painter(), rect.center(), 14.0, theme::present(ui).text2);
    }
    let cells = figure.cells.as_ref().filter(|cells| !cells.texts.is_empty());
    let known = view.chosen_cell(figure).or(view.pointed_cell).or(view.opened);
    let found = cells.and_then(|cells| Some((cells, known.or_else(|| largest(cells))?)));
    let Some((cells, cell)) = found else {
        if let Some(HeadReading { name, text, is_pinned }) = &view.head {
            let name = if *is_pinned { format!("Pinned: {name}") } else { name.clone() };
            let help = format!("{name}\n{text}");
            let bold = RichText::new(name).font(theme::medium(theme::BODY));
            ui.add(Label::new(bold).selectable(false).truncate());
            value_ui(ui, text).on_hover_text(help);
        }
        return None;
    };
    let name = name_of(figure, cell)?;
    let reading = match cells.text(cell[0], cell[1]).map(|text| text.reading.as_str()) {
        None | Some("") => "not measured",
        Some(reading) => reading,
    };
    let what = match (known, view.pinned) {
        (None, _) => "Most vulnerable: ",
        (Some(_), Some(_)) => "Pinned: ",
        (Some(_), None) => "",
    };
    let text = RichText::new(format!("{what}{name}")).font(theme::medium(theme::BODY));
    let button = Button::new(text).frame_when_inactive(false).sense(Sense::click());
    let response = ui.add(button).accessible_name(format!("{what}{name}: {reading}"));
    value_ui(ui, reading);
    let help = "A click here or in the map opens the trials of the cell; Shift+click pins its reading, Escape releases it. In the \
                map, arrow keys move from cell to cell, and Enter opens";
    let response = response.on_hover_text(format!("{}\n{help}", ImageOutcome::Sdc1.definition()));
    if response.has_focus() {
        widgets::focus_ring(ui, response.rect);
    }
    response.clicked().then_some(cell)
}

fn value_ui(ui: &mut Ui, text: &str) -> Response {
    let text = RichText::new(text).size(theme::BODY).color(theme::present(ui).text2);
    ui.add(Label::new(text).selectable(false).truncate())
}

/// Names a cell: "fc1, b30".
fn name_of(figure: &Figure, [row, column]: [usize; 2]) -> Option<String> {
    let (y, x) = figure.y.categories.get(row).zip(figure.x.categories.get(column))?;
    Some(format!("{}, {}", y.name, x.name))
}

/// Returns the cell with the largest value, of those with enough data for a colour.
fn largest(cells: &Cells) -> Option<[usize; 2]> {
    let is_sure =
        |[row, column]: &[usize; 2]| cells.text(*row, *column).is_some_and(|text| !text.value.is_empty());
    let value = |[row, column]: &[usize; 2]| cells.values[*row][*column];
    cells.places().filter(is_sure).max_by(|a, b| value(a).total_cmp(&value(b)))
}
