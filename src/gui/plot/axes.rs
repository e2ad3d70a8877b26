//! Axes on the screen: `egui_plot` draws ticks and grid. Painted here are names below the plot and names with details, which it
//! can neither rotate nor break, and titles, for which it would reserve room a frame too late.

use std::rc::Rc;

use eframe::egui::{FontId, Painter, Rangef, Rect, Stroke, Vec2};
use egui_plot::{AxisHints, GridInput, GridMark, Plot};

use super::navigate::{View, widget};
use super::painter::{area, paint};
use super::scene::EM;
use crate::text::shortened;
use crate::theme::{self, colour};
use figure::axis::{Axis, ticks};
use figure::font::{Weight, fit, width};
use figure::layout::{
    Anchor, Ruler, TICK, TICK_GAP, Text, groups, groups_height, label_height, names_ruler, width_beside,
    x_labels, y_labels, y_ruler,
};
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::page::written;
use figure::scene::{Ink, Item, Pen, Shape, segments};

/// Space for a label along each axis, in points.
const LABEL: [f32; 2] = [80.0, 44.0];
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
const MARGIN: f64 = 4.0;

/// The places of ticks with their labels; minor ticks have an empty one.
type Marks = Rc<[(f64, String)]>;

/// Returns the plot widget with the axes of this part of a figure, with a frame of about this size. The widget itself only
/// reserves what labels took in its last frame: in the first one, and after a change, they would overlap the title.
pub fn plot(figure: &Figure, view: View, frame: Vec2, theme: Theme) -> Plot<'static> {
    let Figure { x, y, .. } = figure;
    let x_marks = marks(x, view[0], frame.x / LABEL[0]);
    let y_marks = marks(y, view[1], frame.y / if is_named(y) { NAME } else { LABEL[1] });
    let below = if is_named(x) {
        let labels = label_height(&names(x, view[0], [0.0, f64::from(frame.x)]), EM);
        (TICK + TICK_GAP) * EM + labels + groups_height(x, EM)
    } else {
        EM * 1.2
    };
    let beside = if has_details(y) {
        width_beside(&names_upright(y, view[1], [f64::from(frame.y), 0.0]), y, EM)
    } else {
        y_marks.iter().map(|(_, label)| width(label, EM, Weight::Regular)).fold(0.0, f64::max)
    };
    let hints = |hints: AxisHints<'static>, axis: &Axis, marks: Option<Marks>, labels: f64| {
        let title = if axis.label().trim().is_empty() { 0.0 } else { TITLE_GAP + TITLE };
        let label = move |mark: GridMark, _: &_| {
            let mut marks = marks.iter().flat_map(|marks| marks.iter());
            let found = marks.find(|(value, _)| value.total_cmp(&mark.value).is_eq());
            found.map(|(_, label)| label.clone()).unwrap_or_default()
        };
        hints
            .formatter(label)
            .label_spacing(Rangef::new(1.0, STRONG))
            .tick_label_color(colour(theme.muted()))
            .tick_label_font(FontId::proportional(theme::SMALL))
            .min_thickness((labels + title) as f32)
    };
    let x_labels = (!is_named(x)).then(|| x_marks.clone());
    let y_labels = (!has_details(y)).then(|| y_marks.clone());
    widget("figure", figure)
        .show_grid([!is_named(x), !is_named(y)])
        .grid_spacing(Rangef::new(1.0, STRONG))
        .grid_color(colour(theme.grid()))
        .x_grid_spacer(spacer(x_marks))
        .y_grid_spacer(spacer(y_marks))
        .custom_x_axes(vec![hints(AxisHints::new_x(), x, x_labels, below + MARGIN)])
        .custom_y_axes(vec![hints(AxisHints::new_y(), y, y_labels, beside + 2.0 * MARGIN)])
}

/// Returns the values at places of an axis.
pub fn values(axis: &Axis, places: [f64; 2]) -> [f64; 2] {
    places.map(|place| axis.scale.inverse(place))
}

fn marks(axis: &Axis, range: [f64; 2], wanted: f32) -> Marks {
    let mark = |tick: figure::axis::Tick| {
        Some((axis.scale.forward(tick.value)?, shortened(&tick.label.unwrap_or_default(), LONGEST)))
    };
    ticks(axis, values(axis, range), wanted.round() as usize).into_iter().filter_map(mark).collect()
}

fn spacer(marks: Marks) -> impl Fn(GridInput) -> Vec<GridMark> {
    move |input| {
        let strength = |label: &str| f64::from(if label.is_empty() { FAINT } else { STRONG });
        let mark = |(value, label): &(f64, String)| GridMark {
            value: *value,
            step_size: strength(label) * input.base_step_size,
        };
        marks.iter().map(mark).collect()
    }
}

fn is_named(axis: &Axis) -> bool {
    !axis.categories.is_empty()
}

fn has_details(axis: &Axis) -> bool {
    axis.categories.iter().any(|category| !category.detail.is_empty())
}

fn names(axis: &Axis, view: [f64; 2], ends: [f64; 2]) -> Ruler {
    names_ruler(axis, values(axis, view), ends, EM)
}

fn names_upright(axis: &Axis, view: [f64; 2], ends: [f64; 2]) -> Ruler {
    y_ruler(axis, values(axis, view), ends, EM, WIDEST_NAME)
}

/// Paints the lines of the axes around the data, their titles within all the space of the plot, and the names that the widget
/// cannot draw.
pub fn around_ui(painter: &Painter, figure: &Figure, view: View, frame: Rect, space: Rect, theme: Theme) {
    let stroke = Stroke::new(1.0, colour(theme.axis()));
    painter.hline(frame.x_range(), frame.bottom(), stroke);
    painter.vline(frame.left(), frame.y_range(), stroke);
    let plot = area(frame);
    let mut items: Vec<Item> = Vec::new();
    let title = |axis: &Axis, at: [f32; 2], upwards: bool, most: f32| {
        let fitting = fit(&axis.label(), TITLE, Weight::Regular, f64::from(most), 1).join(" ");
        Text { upwards, ..Text::new(&fitting, at.map(f64::from), Anchor::Middle, TITLE) }
    };
    let (below, beside) = (space.bottom() - 0.25 * theme::BODY, space.left() + theme::BODY);
    let mut texts = vec![
        title(&figure.x, [frame.center().x, below], false, space.width()),
        title(&figure.y, [beside, frame.center().y], true, space.height()),
    ];
    if is_named(&figure.x) {
        let ruler = names(&figure.x, view[0], [plot.left, plot.right]);
        texts.extend(x_labels(&ruler, plot, EM));
        let (brackets, names) = groups(&figure.x, &ruler, plot, EM);
        texts.extend(names);
        let ticks = ruler.tick_places(true).map(|x| [[x, plot.bottom], [x, plot.bottom + TICK * EM]]);
        let pen = Pen::new(Ink::new(theme.axis()), 1.0);
        items.push(Shape::Line(segments(brackets.into_iter().chain(ticks)), pen).plain());
    }
    if has_details(&figure.y) {
        let ruler = names_upright(&figure.y, view[1], [plot.bottom, plot.top]);
        texts.extend(y_labels(&ruler, &figure.y, plot, EM));
    }
    items.extend(texts.into_iter().map(|text| written(Text { muted: true, ..text }, theme)));
    paint(painter, &items);
}
