//! Axes and grid: the ticks of the figure, as the plot widget takes them.

use std::rc::Rc;

use eframe::egui::{Color32, Rangef, TextStyle, Ui, Vec2};
use egui_plot::{AxisHints, GridMark, Plot};

use super::navigate::View;
use crate::figure::axis::Axis;
use crate::figure::model::Figure;
use crate::figure::palette::Theme;
use crate::figure::ticks::ticks;
use crate::gui::text::shortened;
use crate::gui::theme::fitted;

/// Space for a label along each axis, in points.
const LABEL: [f32; 2] = [80.0, 44.0];
/// Height of a name beside the vertical axis.
const NAME: f32 = 17.0;
/// Characters of a name; longer ones lose their middle.
const LONGEST: usize = 24;
/// The widget fades marks by their distance; this one is drawn at full strength.
const STRONG: f32 = 200.0;
/// The strength of the small marks of a logarithmic axis.
const FAINT: f32 = 40.0;

/// Height of a title with its distance from the labels, in heights of its text, as the widget draws it.
const TITLE: f32 = 1.25;
/// The widget's distance of labels from the vertical axis, and from the title, in points.
const MARGIN: f32 = 4.0;

/// The places of ticks with their labels; minor ticks have an empty one.
type Marks = Rc<[(f64, String)]>;

/// A plot without contents that shows this part of the figure with its axes, on a surface of about this size.
/// [`navigate`](super::navigate) does all navigation.
pub fn plot(ui: &Ui, figure: &Figure, view: View, size: Vec2, theme: Theme) -> Plot<'static> {
    let x = marks(
        &figure.x,
        view[0],
        size.x / if is_named(&figure.x) { name_width(&figure.x) } else { LABEL[0] },
    );
    let y = marks(&figure.y, view[1], size.y / if is_named(&figure.y) { NAME } else { LABEL[1] });
    // A plot may be lower than its title is long.
    let beside = fitted(ui.painter(), &title(&figure.y), &TextStyle::Body.resolve(ui.style()), size.y);
    let space = [height_below(ui, &figure.x), width_beside(ui, &y)];
    Plot::new("figure")
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .show_grid([!is_named(&figure.x), !is_named(&figure.y)])
        .invert_x(figure.x.reversed)
        .invert_y(figure.y.reversed)
        .grid_spacing(Rangef::new(1.0, STRONG))
        .grid_color(colour(theme.grid()))
        .x_grid_spacer(spacer(x.clone()))
        .y_grid_spacer(spacer(y.clone()))
        .custom_x_axes(vec![hints(AxisHints::new_x(), title(&figure.x), x, theme).min_thickness(space[0])])
        .custom_y_axes(vec![hints(AxisHints::new_y(), beside, y, theme).min_thickness(space[1])])
}

/// The height of labels and title below a plot. The widget only reserves what they took in its last frame: in the first
/// frame and after a change they would overlap.
fn height_below(ui: &Ui, axis: &Axis) -> f32 {
    let title = title(axis).lines().count() as f32;
    ui.text_style_height(&TextStyle::Body) * (1.0 + TITLE * title)
}

/// The width of labels and title beside a plot.
fn width_beside(ui: &Ui, marks: &Marks) -> f32 {
    let font = TextStyle::Body.resolve(ui.style());
    let width = |label: &String| {
        ui.painter().layout_no_wrap(label.clone(), font.clone(), Color32::PLACEHOLDER).size().x
    };
    let labels = marks.iter().map(|(_, label)| width(label)).fold(0.0, f32::max);
    labels + 2.0 * MARGIN + TITLE * ui.text_style_height(&TextStyle::Body)
}

fn is_named(axis: &Axis) -> bool {
    !axis.categories.is_empty()
}

/// An estimate of the width of the longest name below the axis.
fn name_width(axis: &Axis) -> f32 {
    let longest =
        axis.categories.iter().map(|category| category.name.chars().count()).max().unwrap_or_default();
    longest.min(LONGEST) as f32 * 7.0 + 10.0
}

/// A colour of the figure for the screen.
pub const fn colour([red, green, blue]: [u8; 3]) -> Color32 {
    Color32::from_rgb(red, green, blue)
}

/// The theme of figures on the screen.
pub fn theme_of(ui: &Ui) -> Theme {
    if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light }
}

fn marks(axis: &Axis, range: [f64; 2], wanted: f32) -> Marks {
    let values = range.map(|place| axis.scale.inverse(place));
    let place = |value: f64| axis.scale.forward(value);
    let ticks = ticks(axis, values, wanted.round() as usize).into_iter();
    ticks
        .filter_map(|tick| Some((place(tick.value)?, shortened(&tick.label.unwrap_or_default(), LONGEST))))
        .collect()
}

fn spacer(marks: Marks) -> impl Fn(egui_plot::GridInput) -> Vec<GridMark> {
    move |input| {
        let strength = |label: &str| f64::from(if label.is_empty() { FAINT } else { STRONG });
        let mark = |(value, label): &(f64, String)| GridMark {
            value: *value,
            step_size: strength(label) * input.base_step_size,
        };
        marks.iter().map(mark).collect()
    }
}

fn hints(hints: AxisHints<'static>, title: String, marks: Marks, theme: Theme) -> AxisHints<'static> {
    let label = move |mark: GridMark, _: &_| {
        let found = marks.iter().find(|(value, _)| value.total_cmp(&mark.value).is_eq());
        found.map(|(_, label)| label.clone()).unwrap_or_default()
    };
    hints
        .label(title)
        .formatter(label)
        .label_spacing(Rangef::new(1.0, STRONG))
        .tick_label_color(colour(theme.muted()))
}

/// The title below or beside an axis; an empty line leaves space for the brackets of groups.
fn title(axis: &Axis) -> String {
    let above = if axis.groups().is_empty() { "" } else { " \n" };
    format!("{above}{}", axis.label())
}
