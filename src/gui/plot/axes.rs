//! Axes and grid: the ticks of the figure, as the plot widget takes them, and what it cannot draw: titles and names.

use std::rc::Rc;

use eframe::egui::{Color32, Painter, Rangef, Rect, Stroke, TextStyle, Ui, Vec2};
use egui_plot::{AxisHints, GridMark, Plot};

use super::mesh::EM;
use super::navigate::View;
use super::painter::{area, paint};
use crate::text::shortened;
use crate::theme;
use figure::axis::Axis;
use figure::font::{Weight, fit, width};
use figure::layout::{
    Anchor, Ruler, TICK, TICK_GAP, Text, groups, groups_height, label_height, names_ruler, width_beside,
    x_labels, y_labels, y_ruler,
};
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::page::written;
use figure::scene::{Ink, Item, Pen, Shape, segments};
use figure::ticks::ticks;

/// Space for a label along each axis, in points.
const LABEL: [f32; 2] = [80.0, 44.0];
/// Height of a name beside the vertical axis.
const NAME: f32 = 17.0;
/// Characters of a name; longer ones lose their middle.
const LONGEST: usize = 24;
/// The width of names with details, in points.
const WIDEST_NAME: f64 = 160.0;
/// The widget fades marks by their distance; this one is drawn at full strength.
const STRONG: f32 = 200.0;
/// The strength of the small marks of a logarithmic axis.
const FAINT: f32 = 40.0;
/// Size of titles, and their distance from labels, in points.
const TITLE: f64 = theme::BODY as f64;
const TITLE_GAP: f64 = 6.0;
/// The widget's distance of labels from the axis, in points.
const MARGIN: f32 = 4.0;

/// The places of ticks with their labels; minor ticks have an empty one.
type Marks = Rc<[(f64, String)]>;

/// A plot without contents that shows this part of the figure with its axes, on a surface of about this size.
/// [`navigate`](super::navigate) does all navigation.
pub fn plot(ui: &mut Ui, figure: &Figure, view: View, size: Vec2, theme: Theme) -> Plot<'static> {
    ui.style_mut().text_styles.insert(TextStyle::Body, eframe::egui::FontId::proportional(theme::SMALL));
    let x = marks(&figure.x, view[0], size.x / LABEL[0]);
    let y = marks(&figure.y, view[1], size.y / if is_named(&figure.y) { NAME } else { LABEL[1] });
    let has_details = has_details(&figure.y);
    let beside = if has_details {
        let ruler = names_upright(&figure.y, view[1], [f64::from(size.y), 0.0]);
        (width_beside(&ruler, &figure.y, EM) + title_height(&figure.y)) as f32 + 2.0 * MARGIN
    } else {
        width_of_marks(&figure.y, &y)
    };
    let space = [height_below(figure, view[0], size.x), beside];
    let x_hints =
        hints(AxisHints::new_x(), if is_named(&figure.x) { Rc::default() } else { x.clone() }, theme);
    Plot::new("figure")
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .show_grid([!is_named(&figure.x), !is_named(&figure.y)])
        .show_background(false)
        .invert_x(figure.x.reversed)
        .invert_y(figure.y.reversed)
        .grid_spacing(Rangef::new(1.0, STRONG))
        .grid_color(colour(theme.grid()))
        .x_grid_spacer(spacer(x))
        .y_grid_spacer(spacer(y.clone()))
        .custom_x_axes(vec![x_hints.min_thickness(space[0])])
        .custom_y_axes(vec![
            hints(AxisHints::new_y(), if has_details { Rc::default() } else { y }, theme)
                .min_thickness(space[1]),
        ])
}

/// The height of labels and title below a plot of this width. The widget only reserves what they took in its last frame: in
/// the first frame and after a change they would overlap.
fn height_below(figure: &Figure, view: [f64; 2], width: f32) -> f32 {
    let axis = &figure.x;
    let title = title_height(axis);
    if !is_named(axis) {
        return (EM * 1.2 + f64::from(MARGIN) + title) as f32;
    }
    let labels = label_height(&names(axis, view, [0.0, f64::from(width)]), EM);
    ((TICK + TICK_GAP) * EM + labels + groups_height(axis, EM) + title + 4.0) as f32
}

/// The names of the visible part of an axis along a plot.
fn names(axis: &Axis, view: [f64; 2], ends: [f64; 2]) -> Ruler {
    names_ruler(axis, view.map(|place| axis.scale.inverse(place)), ends, EM)
}

/// Names with details, which the widget cannot draw, beside a plot between its bottom and its top.
fn names_upright(axis: &Axis, view: [f64; 2], ends: [f64; 2]) -> Ruler {
    y_ruler(axis, view.map(|place| axis.scale.inverse(place)), ends, EM, WIDEST_NAME)
}

fn has_details(axis: &Axis) -> bool {
    axis.categories.iter().any(|category| !category.detail.is_empty())
}

/// The width of labels and title beside a plot.
fn width_of_marks(axis: &Axis, marks: &Marks) -> f32 {
    let labels = marks.iter().map(|(_, label)| width(label, EM, Weight::Regular)).fold(0.0, f64::max);
    (labels + title_height(axis)) as f32 + 2.0 * MARGIN
}

fn title_height(axis: &Axis) -> f64 {
    if axis.label().trim().is_empty() { 0.0 } else { TITLE_GAP + TITLE }
}

/// Paints the axes' lines and titles around the data, within all the space of the plot; and names below it, which the widget
/// cannot rotate.
pub fn around_ui(painter: &Painter, figure: &Figure, view: View, (frame, space): (Rect, Rect), theme: Theme) {
    let ink = colour(theme.axis());
    let stroke = Stroke::new(1.0, ink);
    painter.hline(frame.x_range(), frame.bottom(), stroke);
    painter.vline(frame.left(), frame.y_range(), stroke);
    let (plot, mut items) = (area(frame), Vec::new());
    let mut title = |text: &str, at: [f64; 2], upwards: bool, most: f64| {
        let fitting = fit(text, TITLE, Weight::Regular, most, 1).join(" ");
        let text = Text { upwards, muted: true, ..Text::new(&fitting, at, Anchor::Middle, TITLE) };
        items.push(written(text, theme));
    };
    let [x, y] = [f64::from(frame.center().x), f64::from(frame.center().y)];
    let (wide, high) = (f64::from(space.width()), f64::from(space.height()));
    title(&figure.x.label(), [x, f64::from(space.bottom()) - 0.25 * TITLE], false, wide);
    title(&figure.y.label(), [f64::from(space.left()) + TITLE, y], true, high);
    if is_named(&figure.x) {
        let ruler = names(&figure.x, view[0], [plot.left, plot.right]);
        items.extend(
            x_labels(&ruler, plot, EM).into_iter().map(|text| written(Text { muted: true, ..text }, theme)),
        );
        let (brackets, texts) = groups(&figure.x, &ruler, plot, EM);
        let ticks = ruler.tick_places(true).map(|x| [[x, plot.bottom], [x, plot.bottom + TICK * EM]]);
        let pen = Pen::new(Ink::new(theme.axis()), 1.0);
        items.push(Shape::Line(segments(brackets.into_iter().chain(ticks)), pen).plain());
        items.extend(texts.into_iter().map(|text| written(Text { muted: true, ..text }, theme)));
    }
    if has_details(&figure.y) {
        let ruler = names_upright(&figure.y, view[1], [plot.bottom, plot.top]);
        let names = y_labels(&ruler, &figure.y, plot, EM).into_iter();
        items.extend(names.map(|text| written(Text { muted: true, ..text }, theme)));
    }
    let items: Vec<Item> = items;
    paint(painter, &items);
}

fn is_named(axis: &Axis) -> bool {
    !axis.categories.is_empty()
}

/// A colour of the figure for the screen.
pub const fn colour([red, green, blue]: [u8; 3]) -> Color32 {
    Color32::from_rgb(red, green, blue)
}

/// The theme of figures on the screen.
pub fn theme_of(ui: &Ui) -> Theme {
    if ui.visuals().dark_mode { Theme::DarkScreen } else { Theme::LightScreen }
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

fn hints(hints: AxisHints<'static>, marks: Marks, theme: Theme) -> AxisHints<'static> {
    let label = move |mark: GridMark, _: &_| {
        let found = marks.iter().find(|(value, _)| value.total_cmp(&mark.value).is_eq());
        found.map(|(_, label)| label.clone()).unwrap_or_default()
    };
    hints.formatter(label).label_spacing(Rangef::new(1.0, STRONG)).tick_label_color(colour(theme.muted()))
}
