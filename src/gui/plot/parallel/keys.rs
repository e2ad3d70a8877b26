//! The keyboard on parallel axes: it chooses an axis, and starts, moves and grows the range on it.

use eframe::egui::{Response, Ui};

use super::{AxesFrame, AxisBrushes};
use crate::plot::keyboard::{PlotKey, pressed};
use crate::widgets;
use figure::brushing::{height, value_at};

/// A step of a range, as a share of the axis.
const STEP: f64 = 0.05;

/// Does what was pressed: left and right choose an axis, B starts a range on it, up and down move its upper end, with Shift
/// all of it, Escape removes it, and a key that fits removes all.
pub fn take_keys(ui: &Ui, frame: &AxesFrame<'_>, response: &Response, chosen: &mut AxisBrushes) {
    let last = frame.figure.parallel.len().saturating_sub(1);
    for key in pressed(ui, response) {
        let Some(axis) = frame.figure.parallel.get(chosen.axis.min(last)) else { return };
        let range = chosen.brushes.get(&axis.label()).copied();
        let heights = range.map(|ends| ends.map(|end| height(axis, end).unwrap_or_default()));
        let ends = match (key, heights) {
            (PlotKey::Step([x, _]), _) if x != 0.0 => {
                chosen.axis =
                    if x > 0.0 { (chosen.axis + 1).min(last) } else { chosen.axis.saturating_sub(1) };
                continue;
            }
            (PlotKey::Step([_, y]), Some([low, high])) => [low, (high + STEP * y).clamp(low, 1.0)],
            (PlotKey::Pan([_, y]), Some([low, high])) => {
                let by = (STEP * y).clamp(-low, 1.0 - high);
                [low + by, high + by]
            }
            (PlotKey::Box, _) => [0.0, STEP],
            (PlotKey::Fit, _) => {
                chosen.brushes.clear();
                continue;
            }
            (PlotKey::Escape, Some(_)) => {
                chosen.brushes.remove(&axis.label());
                continue;
            }
            (PlotKey::Escape, None) => {
                if chosen.pinned.take().is_none() {
                    response.surrender_focus();
                }
                continue;
            }
            (PlotKey::Step(_) | PlotKey::Pan(_), None) | (PlotKey::Zoom(_) | PlotKey::Enter, _) => continue,
        };
        chosen.brushes.insert(axis.label(), ends.map(|end| value_at(axis, end)));
    }
    if response.has_focus()
        && let Some(upright) = frame.axes.get(chosen.axis.min(last))
    {
        let axis = frame.rect.with_min_x(upright.x as f32 - 12.0).with_max_x(upright.x as f32 + 12.0);
        widgets::focus_ring(ui, axis);
    }
}
