//! Zooming and moving: from the actions of a person to the visible part of the figure.

use eframe::egui::{PointerButton, Pos2, Rect, Response, Shape, Stroke, StrokeKind, Ui, Vec2, vec2};
use egui_plot::PlotTransform;

/// The visible part of a figure, as places: the range of x, then that of y, each increasing.
pub type View = [[f64; 2]; 2];

/// A box thinner than this zooms only along its length.
const THIN: f32 = 10.0;
/// Points of scrolling that zoom by a factor of e.
const SCROLL: f32 = 240.0;
/// The smallest visible share, within the precision of doubles, and the largest.
const NEAREST: f64 = 1e-9;
const FARTHEST: f64 = 1e3;

/// The change of the view in this frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ViewChange {
    /// Nothing.
    None,
    /// Show this part.
    Show(View),
    /// Show everything.
    Fit,
}

/// A double-click fits; a drag with the primary button zooms into a box, with another one moves; scrolling zooms around
/// the pointer, and horizontal scrolling (with Shift) moves. While a box is drawn, `drag` is its start.
pub fn navigate(
    ui: &Ui,
    response: &Response,
    transform: &PlotTransform,
    fit: View,
    drag: &mut Option<Pos2>,
) -> ViewChange {
    if response.double_clicked() {
        *drag = None;
        return ViewChange::Fit;
    }
    let view = view_of(transform);
    if let Some(zoomed) = drag_box(ui, response, transform, drag) {
        return limited(zoomed, fit);
    }
    let moves = response.dragged_by(PointerButton::Secondary) || response.dragged_by(PointerButton::Middle);
    if moves {
        return limited(moved(view, transform, response.drag_delta()), fit);
    }
    let Some(pointer) = response.hover_pos() else { return ViewChange::None };
    let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta, input.zoom_delta_2d()));
    let factor = pinch * f32::exp(scroll.y / SCROLL);
    if factor == vec2(1.0, 1.0) && scroll.x == 0.0 {
        return ViewChange::None;
    }
    let at = transform.value_from_position(pointer);
    let view = moved(view, transform, vec2(scroll.x, 0.0));
    limited(zoomed(view, [f64::from(factor.x), f64::from(factor.y)], [at.x, at.y]), fit)
}

/// The visible part.
pub fn view_of(transform: &PlotTransform) -> View {
    let (low, high) = (transform.bounds().min(), transform.bounds().max());
    [[low[0], high[0]], [low[1], high[1]]]
}

/// The view moved with the pointer by this distance on the screen.
pub fn moved(view: View, transform: &PlotTransform, delta: Vec2) -> View {
    let per_point = transform.dvalue_dpos();
    let by = [f64::from(delta.x) * per_point[0], f64::from(delta.y) * per_point[1]];
    [view[0].map(|end| end - by[0]), view[1].map(|end| end - by[1])]
}

/// The view enlarged by factors along x and y; the place `fixed` stays where it is.
pub fn zoomed(view: View, factor: [f64; 2], fixed: [f64; 2]) -> View {
    let along = |axis: usize| view[axis].map(|end| fixed[axis] + (end - fixed[axis]) / factor[axis]);
    [along(0), along(1)]
}

/// Keeps the old view if the new one cannot be shown.
pub fn limited(view: View, fit: View) -> ViewChange {
    let can_be = |axis: usize| {
        let share = (view[axis][1] - view[axis][0]) / (fit[axis][1] - fit[axis][0]);
        (NEAREST..=FARTHEST).contains(&share) && view[axis].iter().all(|end| end.is_finite())
    };
    if can_be(0) && can_be(1) { ViewChange::Show(view) } else { ViewChange::None }
}

fn drag_box(
    ui: &Ui,
    response: &Response,
    transform: &PlotTransform,
    drag: &mut Option<Pos2>,
) -> Option<View> {
    if response.drag_started_by(PointerButton::Primary) {
        *drag = ui.input(|input| input.pointer.press_origin());
    }
    let from = (*drag)?;
    let to = response.interact_pointer_pos().or_else(|| ui.input(|input| input.pointer.latest_pos()))?;
    let chosen = chosen(from, to, *transform.frame());
    if response.dragged_by(PointerButton::Primary) {
        if let Some(chosen) = chosen {
            show_box(ui, chosen);
        }
        return None;
    }
    *drag = None;
    chosen.map(|chosen| view_within(transform, chosen))
}

/// The part of the figure within a box.
pub fn view_within(transform: &PlotTransform, chosen: Rect) -> View {
    let corners = [chosen.left_bottom(), chosen.right_top()];
    let [a, b] = corners.map(|corner| transform.value_from_position(corner));
    [[a.x.min(b.x), a.x.max(b.x)], [a.y.min(b.y), a.y.max(b.y)]]
}

/// The box between two corners within the frame; a thin one has the whole height or width.
pub fn chosen(from: Pos2, to: Pos2, frame: Rect) -> Option<Rect> {
    let mut chosen = Rect::from_two_pos(frame.clamp(from), frame.clamp(to));
    let (wide, high) = (chosen.width() >= THIN, chosen.height() >= THIN);
    if !wide {
        chosen = Rect::from_x_y_ranges(frame.x_range(), chosen.y_range());
    }
    if !high {
        chosen = Rect::from_x_y_ranges(chosen.x_range(), frame.y_range());
    }
    (wide || high).then_some(chosen)
}

/// Draws a box that is being chosen.
pub fn show_box(ui: &Ui, chosen: Rect) {
    let accent = ui.visuals().hyperlink_color;
    ui.painter().add(Shape::rect_filled(chosen, 0.0, accent.gamma_multiply(0.12)));
    ui.painter().rect_stroke(chosen, 0.0, Stroke::new(1.0, accent), StrokeKind::Inside);
}

#[cfg(test)]
mod tests {
    use eframe::egui::pos2;

    use super::*;

    const FIT: View = [[0.0, 10.0], [0.0, 1.0]];

    #[test]
    fn zooming_keeps_the_place_under_the_pointer() {
        assert_eq!(zoomed(FIT, [2.0, 2.0], [10.0, 0.5]), [[5.0, 10.0], [0.25, 0.75]]);
    }

    #[test]
    fn a_view_that_cannot_be_shown_is_not_taken() {
        assert_eq!(limited([[0.0, 5.0], [0.0, 1.0]], FIT), ViewChange::Show([[0.0, 5.0], [0.0, 1.0]]));
        assert_eq!(limited([[0.0, 0.0], [0.0, 1.0]], FIT), ViewChange::None);
        assert_eq!(limited([[0.0, 1e9], [0.0, 1.0]], FIT), ViewChange::None);
        assert_eq!(limited([[f64::NAN, 1.0], [0.0, 1.0]], FIT), ViewChange::None);
    }

    #[test]
    fn a_thin_box_chooses_a_range_of_one_axis() {
        let frame = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 50.0));
        let range = chosen(pos2(20.0, 30.0), pos2(60.0, 31.0), frame).unwrap();
        assert_eq!(range, Rect::from_min_max(pos2(20.0, 0.0), pos2(60.0, 50.0)));
        assert_eq!(chosen(pos2(20.0, 30.0), pos2(22.0, 31.0), frame), None);
        let cut = chosen(pos2(20.0, 30.0), pos2(500.0, 500.0), frame).unwrap();
        assert_eq!(cut.max, pos2(100.0, 50.0));
    }
}
