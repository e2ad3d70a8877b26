//! Draws a figure, and keeps what a person did to its view.

mod cells;
mod readings;
mod scenes;

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Label, Pos2, Rect, RichText, ScrollArea, TextStyle, Ui, UiBuilder, WidgetInfo};
use egui_plot::PlotBounds;

use super::areas::{SCALE, groups_ui, scale_ui};
use super::axes::{plot, theme_of};
use super::legend::{self, legend_ui};
use super::mesh::{LineMesh, PlotViewport};
use super::navigate::{View, ViewChange, navigate};
use super::paint::{Brush, Pen, unmerged};
use super::parallel::{AxisBrushes, parallel_ui};
use super::scene::{Analysis, PendingScene, Scene, SceneRequest, ThinnedLines};
use crate::figure::axis::Axis;
use crate::figure::model::Figure;
use crate::figure::palette::Theme;
use crate::figure::view::seen;
use crate::results::view::PlotView;
use readings::readings;

/// A legend below the plot that needs more than this scrolls.
const LEGEND_BELOW: f32 = 72.0;
/// In a low tile, it gets at most this share of the height.
const LEGEND_SHARE: f32 = 0.24;
const GAP: f32 = 8.0;

/// What a person did to the view of a figure: zoom, hidden lines, a pinned reading.
#[derive(Debug, Default)]
pub struct FigureView {
    /// The ranges of x and y that were chosen, as values; `None` fits the data, also while they grow.
    chosen: [Option<[f64; 2]>; 2],
    /// The same as places of the present figure, after zooming.
    zoom: Option<View>,
    hidden: BTreeSet<String>,
    /// Ranges on parallel axes.
    parallel: AxisBrushes,
    /// The place of a pinned reading: values of both axes, so that it stays there on another scale.
    pinned: Option<[f64; 2]>,
    /// Whether a click on a cell opens its faults.
    pub(super) opens: bool,
    /// A cell that was clicked, and when: a second click would fit the range.
    opening: Option<([usize; 2], f64)>,
    /// The start of a zoom box.
    drag: Option<Pos2>,
    /// The line below the pointer in the legend in the last frame.
    highlighted: Option<String>,
    /// The plot's rectangle in the last frame.
    frame: Option<Rect>,
    /// Whether the range has to be fitted again.
    refits: bool,
    kept: Option<Arc<Analysis>>,
    drawn: Option<ThinnedLines>,
    line_mesh: Option<LineMesh>,
    legend: legend::LegendRows,
    /// The last surface of lines.
    viewport: Option<PlotViewport>,
    pending: Option<PendingScene>,
    failed: Option<FailedScene>,
    /// The number of visible plots of curves, with this one.
    pub(super) plots: usize,
}

/// A scene that a thread could not compute.
#[derive(Debug)]
struct FailedScene {
    request: SceneRequest,
    /// Why, until it is reported.
    why: Option<String>,
}

impl FigureView {
    /// Has to be called when the figure changes: forgets what was computed for the last one. The chosen range stays, also
    /// if the scale of an axis has changed.
    pub fn forget_figure(&mut self) {
        self.refit();
        self.parallel.forget_figure();
        self.legend.forget_figure();
        self.opening = None;
        (self.kept, self.drawn, self.line_mesh, self.pending, self.failed) = (None, None, None, None, None);
    }

    /// Takes the scene of a new figure. A range that was chosen meanwhile is not part of this scene: it is kept.
    pub fn begin(&mut self, figure: &Figure, scene: Scene) {
        self.forget_figure();
        if scene.request.chosen != self.chosen {
            self.zoom = self.chosen_places(figure);
        }
        self.take(scene);
    }

    /// The chosen ranges as places of a figure; `None` if one of them fits the data, or has no place on its axis.
    fn chosen_places(&self, figure: &Figure) -> Option<View> {
        let places = |axis: &Axis, range: Option<[f64; 2]>| {
            let [low, high] = range?;
            Some([axis.scale.forward(low)?, axis.scale.forward(high)?])
        };
        let [x, y] = self.chosen;
        Some([places(&figure.x, x)?, places(&figure.y, y)?])
    }

    /// The request for the scene of another figure.
    pub fn request(&self) -> SceneRequest {
        SceneRequest {
            hidden: self.hidden.clone(),
            chosen: self.chosen,
            zoom: None,
            viewport: self.viewport.clone(),
        }
    }

    fn refit(&mut self) {
        self.zoom = None;
        self.refits = true;
    }

    /// A saved view.
    pub fn of(kept: &PlotView) -> Self {
        let parallel = AxisBrushes::of(kept.brushes.clone());
        Self { chosen: [kept.x, kept.y], hidden: kept.hidden.clone(), parallel, ..Self::default() }
    }

    /// The view as it is saved, with these titles.
    pub fn kept(&self, titles: PlotView) -> PlotView {
        let [x, y] = self.chosen;
        let brushes = self.parallel.brushes.clone();
        PlotView { hidden: self.hidden.clone(), x, y, brushes, ..titles }
    }

    /// Shows all data again.
    pub fn fit(&mut self) {
        self.chosen = [None; 2];
        self.parallel = AxisBrushes::default();
        self.refit();
    }

    /// Keeps the visible range, also while data grow.
    pub fn fix(&mut self, figure: &Figure) {
        if let Some(fit) = self.kept.as_ref().map(|kept| kept.fit) {
            self.show(figure, fit);
        }
    }

    fn show(&mut self, figure: &Figure, [x, y]: View) {
        self.zoom = Some([x, y]);
        self.chosen = [Some(values(&figure.x, x)), Some(values(&figure.y, y))];
    }

    /// The visible range of x, as values; `None` if it fits the data.
    pub const fn x_range(&self) -> Option<[f64; 2]> {
        self.chosen[0]
    }

    /// Shows this range of x, and all values of y within it.
    pub fn show_x(&mut self, x: Option<[f64; 2]>) {
        self.chosen = [x, None];
        self.refit();
    }

    /// Has to be called when the horizontal axis shows another quantity.
    pub(super) fn forget_x(&mut self) {
        self.chosen[0] = None;
        self.pinned = None;
        self.refit();
    }

    /// Whether only a part is visible.
    pub fn is_zoomed(&self) -> bool {
        self.chosen != [None; 2] || !self.parallel.brushes.is_empty()
    }

    /// Hides exactly these lines.
    pub(super) fn hide(&mut self, lines: BTreeSet<String>) {
        self.hidden = lines;
    }

    /// Renames a line; a hidden one stays hidden.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        if self.hidden.remove(old) {
            self.hidden.insert(new.to_owned());
        }
    }

    /// Whether the line with this name is hidden.
    pub fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }

    /// The figure whose bars, cells and markers are visible: without hidden lines.
    fn areas<'a>(&'a self, figure: &'a Figure) -> &'a Figure {
        self.kept.as_ref().and_then(|kept| kept.areas.as_ref()).unwrap_or(figure)
    }

    /// The visible figure, which an export writes: without hidden lines, cut to the visible part.
    pub fn shown(&self, figure: &Figure) -> Figure {
        seen(figure, &self.kept(PlotView::default()))
    }
}

fn values(axis: &Axis, places: [f64; 2]) -> [f64; 2] {
    places.map(|place| axis.scale.inverse(place))
}

/// Draws the figure into all available space: the plot, its legend beside or below it, and its small print. Returns the
/// cell, by row and column, that a person opens.
pub fn figure_ui(ui: &mut Ui, figure: &Arc<Figure>, state: &mut FigureView) -> Option<[usize; 2]> {
    let theme = theme_of(ui);
    let fit = state.prepare(figure, ui.ctx());
    let all = ui.available_rect_before_wrap();
    // Half of the uppermost tick's label is above the plot.
    let space = all.with_min_y(all.top() + GAP);
    let (plot_rect, legend_rect) = split(ui, figure, space, &mut state.legend);
    let legend_rect = match &figure.cells {
        Some(cells) if !legend::is_below(space.width()) => {
            let (scale, rest) = legend_rect.split_left_right_at_x(legend_rect.left() + SCALE);
            let strip =
                state.frame.map_or(scale, |frame| Rect::from_x_y_ranges(scale.x_range(), frame.y_range()));
            scale_ui(ui, cells, theme, strip);
            rest
        }
        _ => legend_rect,
    };
    ui.scope_builder(UiBuilder::new().max_rect(legend_rect), |ui| {
        let area = ScrollArea::vertical().id_salt("legend").auto_shrink(false);
        area.min_scrolled_height(0.0).show(ui, |ui| {
            ui.spacing_mut().item_spacing = legend::BETWEEN;
            let (hidden, rows) = (&mut state.hidden, &mut state.legend);
            let pointed = if legend::is_below(space.width()) {
                ui.horizontal_wrapped(|ui| legend_ui(ui, figure, theme, hidden, rows)).inner
            } else {
                legend_ui(ui, figure, theme, hidden, rows)
            };
            if state.highlighted != pointed {
                ui.ctx().request_repaint();
            }
            state.highlighted = pointed;
        });
    });
    let remarks = state.kept.as_ref().map(|kept| kept.remarks.clone()).unwrap_or_default();
    let (plot_rect, remarks_rect) =
        plot_rect.split_top_bottom_at_y(plot_rect.bottom() - height_of(ui, &remarks, plot_rect));
    let opened = ui.scope_builder(UiBuilder::new().max_rect(plot_rect), |ui| {
        if figure.parallel.is_empty() {
            return plot_ui(ui, figure, state, fit, theme);
        }
        let is_hidden = |name: &str| state.hidden.contains(name);
        let highlighted = state.highlighted.as_deref();
        parallel_ui(ui, figure, theme, &mut state.parallel, is_hidden, highlighted);
        None
    });
    if !remarks.is_empty() {
        let label = Label::new(RichText::new(remarks).small().weak()).wrap();
        ui.scope_builder(UiBuilder::new().max_rect(remarks_rect), |ui| ui.add(label));
    }
    ui.advance_cursor_after_rect(space);
    opened.inner
}

/// The rectangles of the plot and its legend.
fn split(ui: &Ui, figure: &Figure, space: Rect, rows: &mut legend::LegendRows) -> (Rect, Rect) {
    if legend::is_below(space.width()) {
        let limit = LEGEND_BELOW.min(space.height() * LEGEND_SHARE);
        let height = legend::height_below(ui, figure, space.width(), limit, rows);
        return space.split_top_bottom_at_y(space.bottom() - height);
    }
    let scale = if figure.cells.is_some() { SCALE } else { 0.0 };
    let width = legend::width(ui, figure, space.width(), rows) + scale;
    let (plot, legend) = space.split_left_right_at_x(space.right() - width);
    (plot.with_max_x(plot.right() - 2.0 * GAP), legend)
}

/// The height of the small print below the plot, with a gap above it.
fn height_of(ui: &Ui, remarks: &str, space: Rect) -> f32 {
    if remarks.is_empty() {
        return 0.0;
    }
    let font = TextStyle::Small.resolve(ui.style());
    let galley = ui.painter().layout(remarks.to_owned(), font, ui.visuals().text_color(), space.width());
    galley.size().y + GAP
}

fn plot_ui(
    ui: &mut Ui,
    figure: &Arc<Figure>,
    state: &mut FigureView,
    fit: View,
    theme: Theme,
) -> Option<[usize; 2]> {
    let view = state.zoom.unwrap_or(fit);
    let space = ui.available_size();
    let size = state.frame.map_or(space, |frame| frame.size());
    let widget = plot(ui, figure, view, size, theme).width(space.x).height(space.y);
    let shown = widget.show(ui, move |plot| {
        let [x, y] = view;
        plot.set_plot_bounds(PlotBounds::from_min_max([x[0], y[0]], [x[1], y[1]]));
    });
    let (response, transform) = (shown.response, shown.transform);
    let frame = *transform.frame();
    state.frame = Some(frame);
    if (frame.size() - size).abs().max_elem() > 1.0 {
        // The ticks were chosen for another size.
        ui.ctx().request_repaint();
    }
    groups_ui(ui, &figure.x, &transform);
    response.widget_info(|| WidgetInfo::labeled(Role::Figure, true, format!("Plot of {}", figure.y.title)));

    let painter = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
    let highlighted = state.highlighted.as_deref();
    let brush = Brush { painter: &painter, pen: Pen { transform: &transform, theme, highlighted } };
    let is_hidden = |name: &str| state.hidden.contains(name);
    brush.bars(state.areas(figure));
    brush.ground(figure, is_hidden);
    if figure.is_of_marks() {
        brush.marks(figure, is_hidden);
    } else {
        let viewport = PlotViewport::new(ui, frame, theme, highlighted, state.plots);
        painter.with_clip_rect(unmerged(painter.clip_rect())).add(state.lines(
            figure,
            ui.ctx(),
            view,
            viewport,
        ));
    }

    let opened = readings(ui, figure, state, &response, &transform, theme);
    match navigate(ui, &response, &transform, fit, &mut state.drag) {
        ViewChange::None => return opened,
        ViewChange::Show(view) => state.show(figure, view),
        ViewChange::Fit => state.fit(),
    }
    ui.ctx().request_repaint();
    opened
}

#[cfg(test)]
mod tests;
