//! Zooming and moving: the plot widget, and what pointer and keys do to the visible part of a figure.

use eframe::egui::{
    AsIdSalt, EventFilter, Key, Modifiers, PointerButton, Pos2, Rect, Response, Shape, Stroke, StrokeKind,
    Ui, UiBuilder, Vec2, vec2,
};
use egui_plot::{Plot, PlotBounds, PlotTransform, PlotUi};

use crate::theme::theme_of;
use crate::widgets;
use figure::model::Figure;
use figure::palette::Theme;

/// The visible part of a figure, as places: the range of x, then that of y, each increasing.
pub type View = [[f64; 2]; 2];

/// A box thinner than this zooms only along its length.
const THIN: f32 = 10.0;
/// Points of scrolling that zoom by a factor of e.
const SCROLL: f32 = 240.0;
/// The smallest visible share, within the precision of doubles, and the largest.
const NEAREST: f64 = 1e-9;
const FARTHEST: f64 = 1e3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ViewChange {
    None,
    Show(View),
    Fit,
}

/// Returns a plot widget without contents: a drag with the secondary button and horizontal scrolling (with Shift) pan.
pub fn widget(salt: impl AsIdSalt, figure: &Figure) -> Plot<'static> {
    Plot::new(salt)
        .pan_pointer_button(PointerButton::Secondary)
        .allow_scroll([true, false])
        .allow_zoom(false) // see `show`
        .allow_boxed_zoom(false) // see `drag_box`
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .show_background(false)
        .invert_x(figure.x.reversed)
        .invert_y(figure.y.reversed)
}

pub struct ShownPlot<'a> {
    pub figure: &'a Figure,
    pub response: Response,
    /// From places of the figure to the screen; after a pan or a zoom of this frame, it shows another part than `view`.
    pub transform: PlotTransform,
    pub view: View,
    /// The part with all visible data.
    pub fit: View,
    pub theme: Theme,
}

/// Shows a plot widget at a place with this part of its figure, which scrolling and pinching zoom around the pointer.
pub fn show<'a>(
    ui: &mut Ui,
    figure: &'a Figure,
    plot: Plot<'_>,
    place: Rect,
    [view, fit]: [View; 2],
) -> ShownPlot<'a> {
    let [[left, right], [bottom, top]] = view;
    let build = move |plot: &mut PlotUi<'_>| {
        plot.set_plot_bounds(PlotBounds::from_min_max([left, bottom], [right, top]));
        if plot.response().hover_pos().is_some() {
            let wanted = plot
                .ctx()
                .input(|input| input.zoom_delta_2d() * f32::exp(input.smooth_scroll_delta.y / SCROLL));
            // Rounding in a zoom by 1 would count as a change of the view.
            if wanted != Vec2::splat(1.0) {
                plot.zoom_bounds_around_hovered(possible(wanted, view, fit));
            }
        }
        if plot.response().dragged_by(PointerButton::Middle) {
            plot.translate_bounds(-plot.pointer_coordinate_drag_delta());
        }
    };
    let plot = plot.width(place.width()).height(place.height());
    let shown = ui.scope_builder(UiBuilder::new().max_rect(place), |ui| plot.show(ui, build)).inner;
    let theme = theme_of(ui);
    ShownPlot { figure, response: shown.response, transform: shown.transform, view, fit, theme }
}

/// Returns the change of the view by the pointer: a double-click fits, a drag with the primary button zooms into a box, and
/// the widget may have panned or zoomed. While a box is drawn, `drag` is its start.
pub fn navigate(ui: &Ui, plot: &ShownPlot<'_>, drag: &mut Option<Pos2>) -> ViewChange {
    let ShownPlot { response, transform, view, fit, .. } = plot;
    if response.double_clicked() {
        *drag = None;
        return ViewChange::Fit;
    }
    if response.drag_started_by(PointerButton::Primary) {
        *drag = ui.input(|input| input.pointer.press_origin());
    }
    let to = response.interact_pointer_pos().or_else(|| ui.input(|input| input.pointer.latest_pos()));
    if let Some((from, to)) = drag.zip(to) {
        let chosen = chosen(from, to, *transform.frame());
        if response.dragged_by(PointerButton::Primary) {
            if let Some(chosen) = chosen {
                show_box(ui, chosen);
            }
        } else {
            *drag = None;
            if let Some(chosen) = chosen {
                return limited(view_within(transform, chosen), *fit);
            }
        }
    }
    let now = view_of(transform);
    if now == *view || !transform.bounds().is_valid() { ViewChange::None } else { limited(now, *fit) }
}

pub fn view_of(transform: &PlotTransform) -> View {
    let (low, high) = (transform.bounds().min(), transform.bounds().max());
    [[low[0], high[0]], [low[1], high[1]]]
}

/// Returns the part that is visible after a step of this size on the screen.
pub fn moved(transform: &PlotTransform, step: Vec2) -> View {
    let mut moved = *transform;
    moved.translate_bounds((f64::from(step.x), f64::from(step.y)));
    view_of(&moved)
}

/// Returns the part that is visible after zooming around a position.
pub fn zoomed(transform: &PlotTransform, factor: Vec2, fixed: Pos2, fit: View) -> View {
    let mut zoomed = *transform;
    zoomed.zoom(possible(factor, view_of(transform), fit), fixed);
    view_of(&zoomed)
}

fn share_of(view: View, fit: View, axis: usize) -> f64 {
    (view[axis][1] - view[axis][0]) / (fit[axis][1] - fit[axis][0])
}

/// Limits the factors of a zoom to what can be shown.
fn possible(factor: Vec2, view: View, fit: View) -> Vec2 {
    let limit = |factor: f32, axis: usize| {
        let share = share_of(view, fit, axis);
        f64::from(factor).min(share / NEAREST).max(share / FARTHEST) as f32
    };
    vec2(limit(factor.x, 0), limit(factor.y, 1))
}

/// Keeps the old view if the new one cannot be shown.
pub fn limited(view: View, fit: View) -> ViewChange {
    let can_be = |axis: usize| {
        let share = share_of(view, fit, axis);
        (0.999 * NEAREST..=1.001 * FARTHEST).contains(&share) && view[axis].iter().all(|end| end.is_finite())
    };
    if can_be(0) && can_be(1) { ViewChange::Show(view) } else { ViewChange::None }
}

/// Returns the part of the figure within a box.
pub fn view_within(transform: &PlotTransform, chosen: Rect) -> View {
    let corners = [chosen.left_bottom(), chosen.right_top()];
    let [a, b] = corners.map(|corner| transform.value_from_position(corner));
    [[a.x.min(b.x), a.x.max(b.x)], [a.y.min(b.y), a.y.max(b.y)]]
}

/// Returns the box between two corners within the frame; a thin one has the whole height or width.
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

pub fn show_box(ui: &Ui, chosen: Rect) {
    let accent = ui.visuals().hyperlink_color;
    ui.painter().add(Shape::rect_filled(chosen, 0.0, accent.gamma_multiply(0.12)));
    ui.painter().rect_stroke(chosen, 0.0, Stroke::new(1.0, accent), StrokeKind::Inside);
}

/// The actions of keys in a focused plot, and the keys in words.
pub const KEYS: [(&str, &str); 12] = [
    ("Pin and release the reading", "Click"),
    ("In a map of faults: show those of a cell, pin its reading", "Click, Shift+click"),
    ("Move the reading", "Left, Right"),
    ("Choose a line, or a row of cells", "Up, Down"),
    ("Select the arm of the line, or open the cell", "Enter"),
    ("Pan", "Shift+arrow"),
    ("Zoom in and out", "+, -"),
    ("Zoom along x only", "Alt with +, -"),
    ("Start a zoom box: arrows grow it, Enter zooms", "B"),
    ("On parallel axes: start a range, which Up and Down size", "B"),
    ("Fit", "0, Home"),
    ("Drop the box, release the reading, leave the plot", "Esc"),
];

/// One press of a key zooms by this factor.
const ZOOM: f32 = 1.25;

/// The request of a key. Directions are those of the screen: right and up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlotKey {
    /// A step of the reading, of the choice of a line, or of the corner of a box.
    Step([f64; 2]),
    /// A move of the view in this direction.
    Pan([f64; 2]),
    Zoom([f32; 2]),
    Fit,
    Box,
    Enter,
    Escape,
}

const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const NONE: Modifiers = Modifiers::NONE;

/// More modifiers come first: a key without them also stands for those with Shift and Alt.
const BOUND: [(Modifiers, Key, PlotKey); 19] = [
    (SHIFT, Key::ArrowLeft, PlotKey::Pan([-1.0, 0.0])),
    (SHIFT, Key::ArrowRight, PlotKey::Pan([1.0, 0.0])),
    (SHIFT, Key::ArrowUp, PlotKey::Pan([0.0, 1.0])),
    (SHIFT, Key::ArrowDown, PlotKey::Pan([0.0, -1.0])),
    (ALT, Key::Plus, PlotKey::Zoom([ZOOM, 1.0])),
    (ALT, Key::Equals, PlotKey::Zoom([ZOOM, 1.0])),
    (ALT, Key::Minus, PlotKey::Zoom([1.0 / ZOOM, 1.0])),
    (NONE, Key::ArrowLeft, PlotKey::Step([-1.0, 0.0])),
    (NONE, Key::ArrowRight, PlotKey::Step([1.0, 0.0])),
    (NONE, Key::ArrowUp, PlotKey::Step([0.0, 1.0])),
    (NONE, Key::ArrowDown, PlotKey::Step([0.0, -1.0])),
    (NONE, Key::Plus, PlotKey::Zoom([ZOOM; 2])),
    (NONE, Key::Equals, PlotKey::Zoom([ZOOM; 2])),
    (NONE, Key::Minus, PlotKey::Zoom([1.0 / ZOOM; 2])),
    (NONE, Key::Num0, PlotKey::Fit),
    (NONE, Key::Home, PlotKey::Fit),
    (NONE, Key::B, PlotKey::Box),
    (NONE, Key::Enter, PlotKey::Enter),
    (NONE, Key::Escape, PlotKey::Escape),
];

/// Draws the focus ring of a plot, and takes the keys that were pressed while it has the focus. A click focuses it.
pub fn pressed(ui: &Ui, response: &Response) -> Vec<PlotKey> {
    if response.drag_started() || response.clicked_by(eframe::egui::PointerButton::Primary) {
        response.request_focus();
    }
    if !response.has_focus() {
        return Vec::new();
    }
    widgets::focus_ring(ui, response.rect);
    let filter = EventFilter { tab: false, horizontal_arrows: true, vertical_arrows: true, escape: true };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let take = |(modifiers, key, wanted): &(Modifiers, Key, PlotKey)| {
        let count = ui.input_mut(|input| input.count_and_consume_key(*modifiers, *key));
        std::iter::repeat_n(*wanted, count)
    };
    let found: Vec<PlotKey> = BOUND.iter().flat_map(take).collect();
    if !found.is_empty() {
        ui.ctx().request_repaint();
    }
    found
}

#[cfg(test)]
mod tests {
    use eframe::egui::pos2;

    use super::*;

    const FIT: View = [[0.0, 10.0], [0.0, 1.0]];

    #[test]
    fn zooming_keeps_the_place_under_the_pointer_and_ends_at_its_limits() {
        let bounds = PlotBounds::from_min_max([0.0, 0.0], [10.0, 1.0]);
        let frame = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 50.0));
        let transform = PlotTransform::new(frame, bounds, false);
        let zoomed = |factor: f32| super::zoomed(&transform, Vec2::splat(factor), pos2(100.0, 25.0), FIT);
        assert_eq!(zoomed(2.0), [[5.0, 10.0], [0.25, 0.75]]);
        let [[low, high], _] = zoomed(1e-6);
        assert!(((high - low) / 10.0 - FARTHEST).abs() < 1.0);
        assert_ne!(limited(zoomed(1e-6), FIT), ViewChange::None);
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
