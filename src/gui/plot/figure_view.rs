//! Draws a figure, and keeps what a person did to its view.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Label, Pos2, Rect, Response, RichText, ScrollArea, TextStyle, Ui, UiBuilder, WidgetInfo, vec2,
};
use egui_plot::{PlotBounds, PlotTransform};

use super::areas::{SCALE, area_reading_ui, groups_ui, read_areas, scale_ui};
use super::axes::plot;
use super::drawing::{DrawnLine, draw};
use super::legend::{self, legend_ui};
use super::navigate::{Change, View, navigate};
use super::paint::Brush;
use super::parallel::{Chosen, parallel_ui};
use super::reading::{read, reading_ui};
use crate::figure::model::{Axis, Figure};
use crate::figure::palette::Theme;
use crate::figure::scale::ranges;
use crate::figure::view::{PlotView, seen, without};

/// Rows of a legend below the plot before it scrolls.
const LEGEND_BELOW: f32 = 72.0;
const GAP: f32 = 8.0;

/// What a person did to the view of a figure: zoom, hidden lines, a pinned reading.
#[derive(Clone, Debug, Default)]
pub struct FigureView {
    /// The ranges of x and y that were chosen, as values; `None` fits the data, also while they grow.
    chosen: [Option<[f64; 2]>; 2],
    /// The same on the rulers of the present figure, where a person zoomed it.
    zoom: Option<View>,
    hidden: BTreeSet<String>,
    /// Ranges on parallel axes.
    parallel: Chosen,
    /// Place of the reading on the x axis.
    pinned: Option<f64>,
    /// Where a zoom box began.
    drag: Option<Pos2>,
    /// The line that the legend's pointer was on in the last frame.
    highlighted: Option<String>,
    /// The plot's rectangle in the last frame.
    frame: Option<Rect>,
    kept: Option<Kept>,
    drawn: Option<Drawn>,
}

/// What changes with the data and the hidden lines.
#[derive(Clone, Debug)]
struct Kept {
    hidden: BTreeSet<String>,
    fit: View,
    remarks: String,
}

/// What changes with the zoom and the width, besides.
#[derive(Clone, Debug)]
struct Drawn {
    range: [f64; 2],
    pixels: f64,
    lines: Vec<DrawnLine>,
}

impl FigureView {
    /// To be called whenever the figure is another one: what was computed for the last one is forgotten. The range that
    /// was chosen stays, also where an axis has another scale now.
    pub fn forget_figure(&mut self) {
        self.zoom = None;
        self.kept = None;
        self.drawn = None;
    }

    /// The view that was kept.
    #[must_use]
    pub fn of(kept: &PlotView) -> Self {
        let parallel = Chosen::of(kept.brushes.clone());
        Self { chosen: [kept.x, kept.y], hidden: kept.hidden.clone(), parallel, ..Self::default() }
    }

    /// What is to be kept of the view, beside its titles.
    #[must_use]
    pub fn kept(&self, titles: PlotView) -> PlotView {
        let [x, y] = self.chosen;
        let brushes = self.parallel.brushes.clone();
        PlotView { hidden: self.hidden.clone(), x, y, brushes, ..titles }
    }

    /// Shows all data again.
    pub fn fit(&mut self) {
        self.chosen = [None; 2];
        self.parallel = Chosen::default();
        self.forget_figure();
    }

    /// Keeps the range that is seen, also while data grow.
    pub fn fix(&mut self, figure: &Figure) {
        if let Some(fit) = self.kept.as_ref().map(|kept| kept.fit) {
            self.show(figure, fit);
        }
    }

    fn show(&mut self, figure: &Figure, [x, y]: View) {
        self.zoom = Some([x, y]);
        self.chosen = [Some(values(&figure.x, x)), Some(values(&figure.y, y))];
    }

    /// The range of x that is seen, as values; `None` when it fits the data.
    #[must_use]
    pub const fn x_range(&self) -> Option<[f64; 2]> {
        self.chosen[0]
    }

    /// Shows this range of x, and of y what there is in it.
    pub fn show_x(&mut self, x: Option<[f64; 2]>) {
        self.chosen = [x, None];
        self.forget_figure();
    }

    /// Whether only a part is seen.
    #[must_use]
    pub fn is_zoomed(&self) -> bool {
        self.chosen != [None; 2] || !self.parallel.brushes.is_empty()
    }

    /// Whether the line with this name is hidden.
    #[must_use]
    pub fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }

    /// What is on the screen: without hidden lines, cut to the part that is seen. This is what an export writes.
    #[must_use]
    pub fn shown(&self, figure: &Figure) -> Figure {
        seen(figure, &self.kept(PlotView::default()))
    }

    /// Brings up to date what is kept between frames.
    fn prepare(&mut self, figure: &Figure) -> View {
        if self.kept.as_ref().is_none_or(|kept| kept.hidden != self.hidden) {
            let mut visible = without(figure, &self.hidden);
            let [x, y] = self.chosen;
            (visible.x.range, visible.y.range) = (x.or(visible.x.range), y.or(visible.y.range));
            let [x, y] = ranges(&visible);
            let fit = [places(&figure.x, x), places(&figure.y, y)];
            self.kept =
                Some(Kept { hidden: self.hidden.clone(), fit, remarks: visible.remarks().join(" · ") });
            self.drawn = None;
        }
        self.kept.as_ref().map_or([[0.0, 1.0]; 2], |kept| kept.fit)
    }

    fn draw(&mut self, figure: &Figure, range: [f64; 2], pixels: f64) -> Vec<DrawnLine> {
        let fits = |drawn: &Drawn| drawn.range == range && drawn.pixels.total_cmp(&pixels).is_eq();
        let kept = self.drawn.take().filter(fits).map(|drawn| drawn.lines);
        kept.unwrap_or_else(|| draw(figure, |name| self.hidden.contains(name), range, pixels))
    }
}

fn values(axis: &Axis, places: [f64; 2]) -> [f64; 2] {
    places.map(|place| axis.scale.inverse(place))
}

fn places(axis: &Axis, range: [f64; 2]) -> [f64; 2] {
    range.map(|end| axis.scale.forward(end).unwrap_or_default())
}

/// Draws the figure into all the room there is: the plot, its legend beside or below it, and its small print.
pub fn figure_ui(ui: &mut Ui, figure: &Figure, state: &mut FigureView) {
    let theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
    let fit = state.prepare(figure);
    let all = ui.available_rect_before_wrap();
    // Half of the uppermost tick's label stands above the plot.
    let room = all.with_min_y(all.top() + GAP);
    let (plot_room, legend_room) = split(ui, figure, room);
    let legend_room = match &figure.cells {
        Some(cells) if !legend::is_below(room.width()) => {
            let (scale, rest) = legend_room.split_left_right_at_x(legend_room.left() + SCALE);
            let strip =
                state.frame.map_or(scale, |frame| Rect::from_x_y_ranges(scale.x_range(), frame.y_range()));
            scale_ui(ui, cells, strip);
            rest
        }
        _ => legend_room,
    };
    ui.scope_builder(UiBuilder::new().max_rect(legend_room), |ui| {
        ScrollArea::vertical().id_salt("legend").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(2.0 * GAP, 2.0);
            let pointed = if legend::is_below(room.width()) {
                ui.horizontal_wrapped(|ui| legend_ui(ui, figure, theme, &mut state.hidden)).inner
            } else {
                legend_ui(ui, figure, theme, &mut state.hidden)
            };
            if state.highlighted != pointed {
                ui.ctx().request_repaint();
            }
            state.highlighted = pointed;
        });
    });
    let remarks = state.kept.as_ref().map(|kept| kept.remarks.clone()).unwrap_or_default();
    let (plot_room, remarks_room) =
        plot_room.split_top_bottom_at_y(plot_room.bottom() - height_of(ui, &remarks, plot_room));
    ui.scope_builder(UiBuilder::new().max_rect(plot_room), |ui| {
        if figure.parallel.is_empty() {
            plot_ui(ui, figure, state, fit, theme);
        } else {
            let is_hidden = |name: &str| state.hidden.contains(name);
            let highlighted = state.highlighted.as_deref();
            parallel_ui(ui, figure, theme, &mut state.parallel, is_hidden, highlighted);
        }
    });
    if !remarks.is_empty() {
        let label = Label::new(RichText::new(remarks).small().weak()).wrap();
        ui.scope_builder(UiBuilder::new().max_rect(remarks_room), |ui| ui.add(label));
    }
    ui.advance_cursor_after_rect(room);
}

/// The rooms of the plot and its legend.
fn split(ui: &Ui, figure: &Figure, room: Rect) -> (Rect, Rect) {
    if legend::is_below(room.width()) {
        let height = LEGEND_BELOW.min(room.height() * 0.3);
        return room.split_top_bottom_at_y(room.bottom() - height);
    }
    let scale = if figure.cells.is_some() { SCALE } else { 0.0 };
    let width = legend::width(ui, figure, room.width()) + scale;
    let (plot, legend) = room.split_left_right_at_x(room.right() - width);
    (plot.with_max_x(plot.right() - 2.0 * GAP), legend)
}

/// What the small print below the plot needs, with a gap above it.
fn height_of(ui: &Ui, remarks: &str, room: Rect) -> f32 {
    if remarks.is_empty() {
        return 0.0;
    }
    let font = TextStyle::Small.resolve(ui.style());
    let galley = ui.painter().layout(remarks.to_owned(), font, ui.visuals().text_color(), room.width());
    galley.size().y + GAP
}

fn plot_ui(ui: &mut Ui, figure: &Figure, state: &mut FigureView, fit: View, theme: Theme) {
    let view = state.zoom.unwrap_or(fit);
    let room = ui.available_size();
    let size = state.frame.map_or(room, |frame| frame.size());
    let widget = plot(figure, view, size, theme).width(room.x).height(room.y);
    let shown = widget.show(ui, move |plot| {
        let [x, y] = view;
        plot.set_plot_bounds(PlotBounds::from_min_max([x[0], y[0]], [x[1], y[1]]));
    });
    let (response, transform) = (shown.response, shown.transform);
    let frame = *transform.frame();
    state.frame = Some(frame);
    groups_ui(ui, &figure.x, &transform);
    response.widget_info(|| WidgetInfo::labeled(Role::Figure, true, format!("Plot of {}", figure.y.title)));

    let pixels = f64::from((frame.width() * ui.ctx().pixels_per_point()).round().max(1.0));
    if !figure.bars.is_empty() {
        let painter = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
        let highlighted = state.highlighted.as_deref();
        Brush { painter: &painter, transform: &transform, theme, highlighted }
            .bars(&without(figure, &state.hidden));
    }
    let lines = if figure.is_of_marks() { Vec::new() } else { state.draw(figure, view[0], pixels) };
    let painter = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
    let highlighted = state.highlighted.as_deref();
    let brush = Brush { painter: &painter, transform: &transform, theme, highlighted };
    brush.figure(figure, &lines, |name| state.hidden.contains(name));
    if figure.is_of_marks() {
        brush.marks(figure, |name| state.hidden.contains(name));
    }
    state.drawn = Some(Drawn { range: view[0], pixels, lines });

    readings(ui, figure, state, &response, &transform, theme);
    match navigate(ui, &response, &transform, fit, &mut state.drag) {
        Change::None => return,
        Change::Show(view) => state.show(figure, view),
        Change::Fit => state.fit(),
    }
    ui.ctx().request_repaint();
}

/// The reading at the pointer, or the one that a click has pinned.
fn readings(
    ui: &Ui,
    figure: &Figure,
    state: &mut FigureView,
    response: &Response,
    transform: &PlotTransform,
    theme: Theme,
) {
    let hovered = response.hover_pos().filter(|_| state.drag.is_none());
    if let Some(pointer) = hovered.filter(|_| figure.is_of_marks() || figure.is_lying()) {
        let at = transform.value_from_position(pointer);
        let brush = Brush { painter: ui.painter(), transform, theme, highlighted: None };
        if let Some(reading) = read_areas(&without(figure, &state.hidden), [at.x, at.y], &brush) {
            area_reading_ui(ui, &reading, pointer);
            return;
        }
    }
    let place = hovered.map(|at| transform.value_from_position(at).x);
    if response.clicked() {
        state.pinned = if state.pinned.is_some() { None } else { place };
    }
    let Some(at) = state.pinned.or(place) else { return };
    let per_point = transform.dvalue_dpos()[0].abs();
    let Some(reading) = read(figure, |name| state.hidden.contains(name), at, per_point) else { return };
    let painter = ui.painter().with_clip_rect(transform.frame().expand(4.0));
    let brush = Brush { painter: &painter, transform, theme, highlighted: None };
    let height = hovered.map_or(transform.frame().center().y, |at| at.y);
    reading_ui(ui, figure, &reading, &brush, height);
}

#[cfg(test)]
mod tests;
