//! The legend of bars, marks, cells and parallel axes: a strip above the plot.

use std::collections::BTreeMap;

use eframe::egui::accesskit::Role;
use eframe::egui::scroll_area::ScrollBarVisibility::{AlwaysVisible, VisibleWhenNeeded};
use eframe::egui::{
    Align2, FontId, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};

use super::legend::{GAP, LegendNames, ROW, RowLook, SAMPLE, row_ui, wide};
use super::line_menu::LegendRows;
use crate::theme;
use figure::legend::samples;
use figure::model::Figure;
use figure::palette::Theme;

/// Between rows side by side, and from the strip down to the plot.
const BETWEEN: f32 = 18.0;
const BELOW: f32 = 4.0;
/// Room for a value after each name.
const VALUE: f32 = 44.0;
/// A strip of more lines scrolls.
const MOST_LINES: usize = 2;
/// Wider names lose their middle.
const WIDEST: f32 = 220.0;

/// The sizes of the rows.
pub type StripRows = LegendNames;

/// Values beside the names of a strip.
#[derive(Clone, Copy)]
pub struct StripValues<'a> {
    /// The selected arm.
    pub selected: Option<&'a str>,
    /// Where the values are, and what they are by name; `None` while there is no pointer.
    pub reading: Option<(&'a str, &'a BTreeMap<String, String>)>,
}

/// Draws the legend at the top of a space, with room for values if there are some; returns its height, and the name at the
/// pointer.
pub fn strip_ui(
    ui: &mut Ui,
    (figure, theme): (&Figure, Theme),
    rows: &mut LegendRows<'_>,
    names: &mut StripRows,
    space: Rect,
    values: Option<StripValues<'_>>,
) -> (f32, Option<String>) {
    let (known, _) = names.measure(figure);
    if known.is_empty() {
        return (0.0, None);
    }
    let room = if values.is_some() { VALUE } else { 0.0 };
    let (places, lines) =
        flow(known.iter().map(|(_, width)| SAMPLE + GAP + width.min(WIDEST) + room), space.width());
    let height = lines.min(MOST_LINES) as f32 * ROW;
    let selected = values.and_then(|values| values.selected);
    let look = RowLook { figure, theme, ground: theme::present(ui).canvas, selected, chosen: None };
    let reading = values.and_then(|values| values.reading);
    let end =
        places.last().filter(|_| lines == 1).map_or(space.width(), |(at, width)| at.x + width + BETWEEN);
    let first = space.with_max_y(space.top() + ROW);
    match reading {
        Some((place, values)) => head_ui(ui, first, end, place, values),
        None if figure.is_over_setting() => signs_ui(ui, first, end, &figure.x.title),
        None => {}
    }
    let mut pointed = None;
    let strip = space.with_max_y(space.top() + height);
    ui.scope_builder(UiBuilder::new().max_rect(strip), |ui| {
        let area = ScrollArea::vertical().id_salt("legend").auto_shrink(false).min_scrolled_height(0.0);
        let bar = if lines > MOST_LINES { AlwaysVisible } else { VisibleWhenNeeded };
        ui.spacing_mut().scroll.dormant_handle_opacity = 0.6;
        area.scroll_bar_visibility(bar).show_viewport(ui, |ui, seen| {
            ui.set_height(lines as f32 * ROW);
            let origin = ui.max_rect().min;
            for (sample, (at, width)) in samples(figure).iter().zip(&places) {
                // Rows close to the visible ones are there for the keyboard.
                if at.y + 3.0 * ROW > seen.top() && at.y < seen.bottom() + 2.0 * ROW {
                    let rect = Rect::from_min_size(origin + *at, vec2(*width, ROW));
                    pointed = row_ui(ui, rect, sample, look, rows, (sample.name(), f64::from(WIDEST)))
                        .or(pointed.take());
                    if let Some(value) = reading.and_then(|(_, values)| values.get(sample.name())) {
                        value_ui(ui, rect, value);
                    }
                }
            }
        });
    });
    (height + BELOW, pointed)
}

/// Writes where values are at the right end of the strip if there is room, and says all of them.
fn head_ui(ui: &Ui, rect: Rect, end: f32, place: &str, values: &BTreeMap<String, String>) {
    let response =
        ui.interact(rect.with_min_x(rect.right() - 1.0), ui.scope_id().with("reading"), Sense::hover());
    response.widget_info(|| {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        WidgetInfo::labeled(Role::Label, true, format!("{place}: {}", values.join("; ")))
    });
    if end + wide(place) <= rect.width() {
        let (font, ink) = (FontId::proportional(theme::SMALL), theme::present(ui).text2);
        ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, place, font, ink);
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
        let (font, at) = (FontId::proportional(theme::SMALL), pos2(right + SIGN + GAP / 2.0, middle.y));
        ui.painter().text(at, Align2::LEFT_CENTER, text, font, ink);
    }
}

/// Writes a value at the right end of a row.
fn value_ui(ui: &Ui, rect: Rect, value: &str) {
    let (font, ink) = (FontId::proportional(theme::SMALL), theme::present(ui).text2);
    ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, value, font, ink);
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
