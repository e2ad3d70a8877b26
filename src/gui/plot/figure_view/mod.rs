//! Draws a figure, and keeps what a person did to its view.

mod readings;
mod scenes;

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Label, Pos2, Rect, RichText, ScrollArea, TextStyle, Ui, UiBuilder, WidgetInfo};
use egui_plot::PlotBounds;

use super::areas::{SCALE, groups_ui, scale_ui};
use super::axes::plot;
use super::legend::{self, legend_ui};
use super::mesh::{LineMesh, PlotViewport};
use super::navigate::{View, ViewChange, navigate};
use super::paint::{Brush, apart};
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
    /// The same on the rulers of the present figure, where a person zoomed it.
    zoom: Option<View>,
    hidden: BTreeSet<String>,
    /// Ranges on parallel axes.
    parallel: AxisBrushes,
    /// Where a reading is kept: values of both axes, so that it stays there on another scale.
    pinned: Option<[f64; 2]>,
    /// Whether a click on a cell asks for what is behind it.
    pub(super) opens: bool,
    /// A cell that was clicked, and when: a second click would fit the range.
    opening: Option<([usize; 2], f64)>,
    /// Where a zoom box began.
    drag: Option<Pos2>,
    /// The line that the legend's pointer was on in the last frame.
    highlighted: Option<String>,
    /// The plot's rectangle in the last frame.
    frame: Option<Rect>,
    /// Whether the range is to be looked for anew.
    refits: bool,
    kept: Option<Arc<Analysis>>,
    drawn: Option<ThinnedLines>,
    line_mesh: Option<LineMesh>,
    legend: legend::LegendRows,
    /// What lines were painted on last.
    viewport: Option<PlotViewport>,
    pending: Option<PendingScene>,
    failed: Option<FailedScene>,
    /// As many plots of curves are seen, this one among them.
    pub(super) plots: usize,
}

/// A look that a thread could not compute.
#[derive(Debug)]
struct FailedScene {
    request: SceneRequest,
    /// Why, until it was told.
    why: Option<String>,
}

impl FigureView {
    /// To be called whenever the figure is another one: what was computed for the last one is forgotten. The range that
    /// was chosen stays, also where an axis has another scale now.
    pub fn forget_figure(&mut self) {
        self.refit();
        self.parallel.forget_figure();
        self.legend.forget_figure();
        self.opening = None;
        (self.kept, self.drawn, self.line_mesh, self.pending, self.failed) = (None, None, None, None, None);
    }

    /// The figure is another one, and this is how it looks. A range that was chosen meanwhile is not in this look: it is
    /// kept.
    pub fn begin(&mut self, figure: &Figure, scene: Scene) {
        self.forget_figure();
        if scene.request.chosen != self.chosen {
            self.zoom = self.chosen_places(figure);
        }
        self.take(scene);
    }

    /// The chosen ranges on the rulers of a figure; `None` where one of them fits the data, or has no place on its axis.
    fn chosen_places(&self, figure: &Figure) -> Option<View> {
        let places = |axis: &Axis, range: Option<[f64; 2]>| {
            let [low, high] = range?;
            Some([axis.scale.forward(low)?, axis.scale.forward(high)?])
        };
        let [x, y] = self.chosen;
        Some([places(&figure.x, x)?, places(&figure.y, y)?])
    }

    /// What a look at another figure is to be like.
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

    /// The view that was kept.
    pub fn of(kept: &PlotView) -> Self {
        let parallel = AxisBrushes::of(kept.brushes.clone());
        Self { chosen: [kept.x, kept.y], hidden: kept.hidden.clone(), parallel, ..Self::default() }
    }

    /// What is to be kept of the view, beside its titles.
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
    pub const fn x_range(&self) -> Option<[f64; 2]> {
        self.chosen[0]
    }

    /// Shows this range of x, and of y what there is in it.
    pub fn show_x(&mut self, x: Option<[f64; 2]>) {
        self.chosen = [x, None];
        self.refit();
    }

    /// The horizontal axis has other values now.
    pub(super) fn forget_x(&mut self) {
        self.chosen[0] = None;
        self.pinned = None;
        self.refit();
    }

    /// Whether only a part is seen.
    pub fn is_zoomed(&self) -> bool {
        self.chosen != [None; 2] || !self.parallel.brushes.is_empty()
    }

    /// Hides these lines and no others.
    pub(super) fn hide(&mut self, lines: BTreeSet<String>) {
        self.hidden = lines;
    }

    /// A line has another name: it stays hidden if it was.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        if self.hidden.remove(old) {
            self.hidden.insert(new.to_owned());
        }
    }

    /// Whether the line with this name is hidden.
    pub fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }

    /// The figure whose bars, cells and marks are seen: without hidden lines.
    fn areas<'a>(&'a self, figure: &'a Figure) -> &'a Figure {
        self.kept.as_ref().and_then(|kept| kept.areas.as_ref()).unwrap_or(figure)
    }

    /// What is on the screen: without hidden lines, cut to the part that is seen. This is what an export writes.
    pub fn shown(&self, figure: &Figure) -> Figure {
        seen(figure, &self.kept(PlotView::default()))
    }
}

fn values(axis: &Axis, places: [f64; 2]) -> [f64; 2] {
    places.map(|place| axis.scale.inverse(place))
}

/// Draws the figure into all the room there is: the plot, its legend beside or below it, and its small print. Returns the
/// cell, by row and column, of which a person wants to see what is behind it.
pub fn figure_ui(ui: &mut Ui, figure: &Arc<Figure>, state: &mut FigureView) -> Option<[usize; 2]> {
    let theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
    let fit = state.prepare(figure, ui.ctx());
    let all = ui.available_rect_before_wrap();
    // Half of the uppermost tick's label stands above the plot.
    let room = all.with_min_y(all.top() + GAP);
    let (plot_room, legend_room) = split(ui, figure, room, &mut state.legend);
    let legend_room = match &figure.cells {
        Some(cells) if !legend::is_below(room.width()) => {
            let (scale, rest) = legend_room.split_left_right_at_x(legend_room.left() + SCALE);
            let strip =
                state.frame.map_or(scale, |frame| Rect::from_x_y_ranges(scale.x_range(), frame.y_range()));
            scale_ui(ui, cells, theme, strip);
            rest
        }
        _ => legend_room,
    };
    ui.scope_builder(UiBuilder::new().max_rect(legend_room), |ui| {
        let area = ScrollArea::vertical().id_salt("legend").auto_shrink(false);
        area.min_scrolled_height(0.0).show(ui, |ui| {
            ui.spacing_mut().item_spacing = legend::BETWEEN;
            let (hidden, rows) = (&mut state.hidden, &mut state.legend);
            let pointed = if legend::is_below(room.width()) {
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
    let (plot_room, remarks_room) =
        plot_room.split_top_bottom_at_y(plot_room.bottom() - height_of(ui, &remarks, plot_room));
    let opened = ui.scope_builder(UiBuilder::new().max_rect(plot_room), |ui| {
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
        ui.scope_builder(UiBuilder::new().max_rect(remarks_room), |ui| ui.add(label));
    }
    ui.advance_cursor_after_rect(room);
    opened.inner
}

/// The rooms of the plot and its legend.
fn split(ui: &Ui, figure: &Figure, room: Rect, rows: &mut legend::LegendRows) -> (Rect, Rect) {
    if legend::is_below(room.width()) {
        let limit = LEGEND_BELOW.min(room.height() * LEGEND_SHARE);
        let height = legend::height_below(ui, figure, room.width(), limit, rows);
        return room.split_top_bottom_at_y(room.bottom() - height);
    }
    let scale = if figure.cells.is_some() { SCALE } else { 0.0 };
    let width = legend::width(ui, figure, room.width(), rows) + scale;
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

fn plot_ui(
    ui: &mut Ui,
    figure: &Arc<Figure>,
    state: &mut FigureView,
    fit: View,
    theme: Theme,
) -> Option<[usize; 2]> {
    let view = state.zoom.unwrap_or(fit);
    let room = ui.available_size();
    let size = state.frame.map_or(room, |frame| frame.size());
    let widget = plot(ui, figure, view, size, theme).width(room.x).height(room.y);
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

    if !figure.bars.is_empty() {
        let painter = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
        let highlighted = state.highlighted.as_deref();
        Brush { painter: &painter, transform: &transform, theme, highlighted }.bars(state.areas(figure));
    }
    let painter = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
    let highlighted = state.highlighted.clone();
    let hidden = state.hidden.clone();
    let is_hidden = |name: &str| hidden.contains(name);
    let brush =
        Brush { painter: &painter, transform: &transform, theme, highlighted: highlighted.as_deref() };
    brush.ground(figure, is_hidden);
    if figure.is_of_marks() {
        brush.marks(figure, is_hidden);
    } else {
        let options = ui.ctx().tessellation_options(|options| *options);
        let viewport = PlotViewport {
            frame,
            pixels: ui.pixels_per_point(),
            theme,
            highlighted,
            options,
            plots: state.plots,
        };
        painter.with_clip_rect(apart(painter.clip_rect())).add(state.lines(figure, ui.ctx(), view, viewport));
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
