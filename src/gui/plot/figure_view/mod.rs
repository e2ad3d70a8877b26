//! Draws a figure, and keeps what a person did to its view.

mod acting;
mod facets;
mod head;
mod scenes;

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Align, Layout, Pos2, Rect, Ui, UiBuilder, WidgetInfo, vec2};

use super::axes::{around_ui, plot, values};
use super::block::{Block, StripValues, block_ui, strip_ui};
use super::legend::{FigureAction, LegendNames, LegendRows, ROW};
use super::navigate::{View, ViewChange, show, view_of};
use super::painter::{area, paint};
use super::parallel::{AxisBrushes, axes_of, parallel_ui};
use super::reading::HeadReading;
use super::scene::{Analysis, EM, MeshKey, PlotMesh, PlotViewport, Scene, SceneRequest};
use crate::background::Latest;
use crate::theme::theme_of;
use acting::KeyboardState;
use facets::{PanelReading, Panels, facets_ui};
use figure::axis::{Axis, Mapping};
use figure::layout::UnplacedScaleBar;
use figure::model::Figure;
use figure::scene::ends::{EndText, Ends};
use figure::scene::page::{scale_bar, written};
use figure::scene::words_of;
use figure::view::seen;
pub(in crate::plot) use head::head_ui;
use results::facets::FacetSettings;
use results::statistics::Spread;
use results::view::{BandChoice, PlotView};

/// Above the plot for half of the uppermost tick's label.
const GAP: f32 = 8.0;

/// Window-wide options of plots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotContext {
    /// The selected arm: its band is drawn, and its line is a little wider.
    pub selected: Option<String>,
    pub bands: BandChoice,
    pub spread: Spread,
    /// The number of visible plots of curves, with this one.
    pub plots: usize,
    /// The names of arms, which lines have.
    pub arms: Arc<[String]>,
    /// True if the window can export the figure.
    pub exports: bool,
}

/// The view of a figure: zoom, hidden lines, a pinned reading.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub struct FigureView {
    /// The ranges of x and y that were chosen, as values; `None` fits the data, also while they grow.
    pub(super) chosen: [Option<[f64; 2]>; 2],
    /// The ranges as places of the present figure, after zooming.
    zoom: Option<View>,
    pub(super) hidden: BTreeSet<String>,
    parallel: AxisBrushes,
    /// The place of a pinned reading: values of both axes, so that it stays there on another scale.
    pinned: Option<[f64; 2]>,
    keyboard: KeyboardState,
    /// The line that the menu of the plot is about.
    menu_line: Option<String>,
    /// True if a click on a cell opens its faults.
    pub(super) opens: bool,
    /// The cells whose faults are shown, and at the pointer, by row and column.
    opened: Option<[usize; 2]>,
    pointed_cell: Option<[usize; 2]>,
    /// What was read in the last frame; true if the head of the tile shows it.
    head: Option<HeadReading>,
    pub(super) is_in_head: bool,
    /// A cell that was clicked, and when: a second click would fit the range.
    opening: Option<([usize; 2], f64)>,
    /// The start of a zoom box.
    drag: Option<Pos2>,
    /// The line at the pointer in the legend in the last frame.
    highlighted: Option<String>,
    /// The line at the pointer in the plot in the last frame.
    hovered: Option<String>,
    /// The plot's rectangle in the last frame.
    frame: Option<Rect>,
    /// True if the range has to be fitted again.
    refits: bool,
    kept: Option<Arc<Analysis>>,
    mesh: Option<PlotMesh>,
    /// The line at the pointer, over all others: its name and what it lies on.
    front: Option<((String, MeshKey), PlotMesh)>,
    block: Block,
    strip: LegendNames,
    /// The last surface of lines.
    viewport: Option<PlotViewport>,
    /// The scene that a thread computes, by its figure and inputs.
    work: Latest<(Arc<Figure>, SceneRequest), Scene>,
    pub(super) around: PlotContext,
    /// Width of what is beside the plot in the last frame, and the intervals there in the words of small print.
    beside: f32,
    ends: &'static str,
    panels: Panels,
    /// True for the view of a panel; what it reads if the pointer is in another one, and what it has read.
    is_panel: bool,
    follows: Option<f64>,
    reading: Option<PanelReading>,
}

impl FigureView {
    /// Forgets what was computed for the last figure. The chosen range stays, also if the scale of an axis has changed.
    pub fn forget_figure(&mut self) {
        self.refit();
        self.parallel.forget_figure();
        self.strip.forget_figure();
        self.block.forget_figure();
        self.opening = None;
        self.panels.forget_figure();
        (self.kept, self.mesh, self.front, self.work) = (None, None, None, Latest::default());
    }

    /// Takes the scene of a new figure. A range that was chosen meanwhile is not part of this scene: it is kept.
    pub fn begin(&mut self, figure: &Figure, mut scene: Scene) {
        self.forget_figure();
        if scene.request.chosen != self.chosen {
            self.zoom = self.chosen_places(figure);
        }
        self.panels.begin(figure, std::mem::take(&mut scene.panels));
        self.take(scene);
    }

    /// Returns the chosen ranges as places of a figure; `None` if one of them fits the data, or has no place on its axis.
    fn chosen_places(&self, figure: &Figure) -> Option<View> {
        let places = |axis: &Axis, range: Option<[f64; 2]>| {
            let [low, high] = range?;
            Some([axis.scale.forward(low)?, axis.scale.forward(high)?])
        };
        let [x, y] = self.chosen;
        let x = x.filter(|_| figure.only_x.is_none());
        Some([places(&figure.x, x)?, places(&figure.y, y)?])
    }

    pub fn request(&self) -> SceneRequest {
        SceneRequest {
            hidden: self.hidden.clone(),
            chosen: self.chosen,
            zoom: None,
            look: self.look(),
            viewport: self.viewport.clone(),
            panels: self.panels.views.iter().map(Self::request).collect(),
        }
    }

    fn refit(&mut self) {
        self.zoom = None;
        self.refits = true;
    }

    pub fn new(kept: &PlotView) -> Self {
        let mut parallel = AxisBrushes::default();
        parallel.brushes.clone_from(&kept.brushes);
        let panels = Panels { saved: kept.facets.zooms.clone(), ..Panels::default() };
        Self { chosen: [kept.x, kept.y], hidden: kept.hidden.clone(), parallel, panels, ..Self::default() }
    }

    pub fn kept(&self, titles: PlotView) -> PlotView {
        let [x, y] = self.chosen;
        let brushes = self.parallel.brushes.clone();
        let facets = FacetSettings { zooms: self.panels.zooms(), ..titles.facets };
        PlotView { hidden: self.hidden.clone(), x, y, brushes, facets, ..titles }
    }

    /// Shows all data again.
    pub fn fit(&mut self) {
        self.chosen = [None; 2];
        self.parallel = AxisBrushes::default();
        self.panels.fit();
        self.refit();
    }

    /// Keeps the visible range, also while data grow.
    pub fn fix(&mut self, figure: &Figure) {
        if let Some(facets) = &figure.facets {
            for (index, part) in self.panels.shown.clone().into_iter().enumerate().take(facets.panels.len()) {
                self.show_in(facets, index, part);
            }
            return;
        }
        if let Some(fit) = self.kept.as_ref().map(|kept| kept.fit) {
            self.show(figure, fit);
        }
    }

    fn show(&mut self, figure: &Figure, [x, y]: View) {
        self.zoom = Some([x, y]);
        // Places of names are no values of the quantity on x.
        let x = if figure.only_x.is_some() { self.chosen[0] } else { Some(values(&figure.x, x)) };
        self.chosen = [x, Some(values(&figure.y, y))];
    }

    /// Shows this range of x, and all values of y within it.
    pub fn show_x(&mut self, x: Option<[f64; 2]>) {
        self.chosen = [x, None];
        self.refit();
    }

    /// Forgets the ranges of axes that show another quantity.
    pub(super) fn forget_axes(&mut self, are_other: [bool; 2]) {
        for (chosen, _) in self.chosen.iter_mut().zip(are_other).filter(|(_, is_other)| *is_other) {
            *chosen = None;
        }
        (self.pinned, self.beside) = (None, 0.0);
        self.refit();
    }

    /// Returns true if only a part is visible.
    pub fn is_zoomed(&self) -> bool {
        let is_zoomed = self.chosen != [None; 2] || !self.parallel.brushes.is_empty();
        is_zoomed || self.panels.views.iter().any(Self::is_zoomed)
    }

    /// Renames a line; a hidden one stays hidden.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        if self.hidden.remove(old) {
            self.hidden.insert(new.to_owned());
        }
    }

    /// Returns the figure whose bars, cells and markers are visible: without hidden lines.
    fn areas<'a>(&'a self, figure: &'a Figure) -> &'a Figure {
        self.kept.as_ref().and_then(|kept| kept.areas.as_ref()).unwrap_or(figure)
    }

    /// Returns what makes the visible figure, which an export writes: without hidden lines, cut to the visible part.
    pub fn shown(&self, figure: &Arc<Figure>) -> impl Fn() -> Figure + Send + Sync + use<> {
        let (view, look, figure) = (self.kept(PlotView::default()), self.look(), figure.clone());
        move || Figure { look: look.clone(), ..seen(&figure, &view) }
    }
}

/// Returns the values of both axes at a place.
fn values_at(figure: &Figure, [x, y]: [f64; 2]) -> [f64; 2] {
    [figure.x.scale.inverse(x), figure.y.scale.inverse(y)]
}

/// Draws the figure into all available space: the plot with its legend in its emptiest corner, or above it. Returns what a
/// person asks of it. The caption is that of [`FigureView::explanation`].
pub fn figure_ui(ui: &mut Ui, figure: &Arc<Figure>, state: &mut FigureView) -> Option<FigureAction> {
    let fit = state.prepare(figure, ui.ctx());
    let mut action = None;
    if state.has_line(figure) {
        let size = vec2(ui.available_width(), ui.spacing().interact_size.y);
        let left = Layout::left_to_right(Align::Center);
        let opened = ui.allocate_ui_with_layout(size, left, |ui| {
            ui.set_min_size(size);
            head_ui(ui, figure, state)
        });
        action = opened.inner.map(FigureAction::Open);
    }
    if let Some(facets) = &figure.facets {
        return facets_ui(ui, (figure, facets), state).or(action);
    }
    let all = ui.available_rect_before_wrap();
    let mut space = all;
    if !figure.has_curves() || state.block.is_above {
        let (height, asked) = state.strip_ui(ui, figure, all);
        (space.min.y, action) = (space.top() + height, asked.or(action));
    }
    let space = space.with_min_y(space.top() + GAP);
    let opened = ui.scope_builder(UiBuilder::new().max_rect(space), |ui| {
        if figure.parallel.is_empty() {
            return plot_ui(ui, figure, state, fit);
        }
        let axes = axes_of(figure, space);
        let beside = Beside::of_scale(figure, axes).unwrap_or(Beside::Nothing);
        let place = space.with_max_x(space.right() - beside.width());
        let shown = ui.scope_builder(UiBuilder::new().max_rect(place), |ui| {
            parallel_ui(ui, figure, &mut state.parallel)
        });
        beside.ui(ui, figure, axes.with_max_x(place.right()));
        state.take_head(ui, shown.inner);
        None
    });
    ui.advance_cursor_after_rect(all);
    opened.inner.or(action)
}

impl FigureView {
    /// Returns the small print of the figure as it is drawn, and the remarks about values that are not drawn.
    pub fn explanation(&self, figure: &Figure) -> String {
        let look = self.look();
        let drawn = words_of(figure, |part| look.intervals(part));
        let ends = if figure.facets.is_none() && drawn != "bars" { self.ends } else { "" };
        let shown: Vec<&str> = [drawn.as_str(), ends].into_iter().filter(|part| !part.is_empty()).collect();
        figure.remarks(&shown.join(" and ")).join("\n")
    }

    /// Draws the legend above the plot or the panels, with the values at the pointer; returns its height, and what is asked of a row.
    fn strip_ui(&mut self, ui: &mut Ui, figure: &Figure, space: Rect) -> (f32, Option<FigureAction>) {
        let reading = self.reading.as_ref().map(|reading| (reading.place.as_str(), &reading.values));
        let selected = self.around.selected.as_deref();
        let values = figure.has_curves().then_some(StripValues { selected, reading });
        let mut action = None;
        let mut rows = LegendRows { hidden: &mut self.hidden, arms: &self.around.arms, action: &mut action };
        let (height, pointed) = strip_ui(ui, figure, &mut rows, &mut self.strip, space, values);
        self.highlight(ui, pointed);
        self.reading_over_ui(ui, figure, space.with_max_y(space.top() + ROW));
        (height, action)
    }

    fn highlight(&mut self, ui: &Ui, pointed: Option<String>) {
        if self.highlighted != pointed {
            ui.ctx().request_repaint();
            self.highlighted = pointed;
        }
    }
}

fn plot_ui(ui: &mut Ui, figure: &Arc<Figure>, state: &mut FigureView, fit: View) -> Option<FigureAction> {
    let theme = theme_of(ui);
    let view = state.zoom.unwrap_or(fit);
    let space = ui.available_rect_before_wrap();
    let beside = Beside::new(figure, state, view, space);
    // It gets no narrower while values change.
    let is_wider = state.beside > beside.width() && matches!(beside, Beside::Ends(_));
    state.beside = if is_wider { state.beside } else { beside.width() };
    state.ends = if let Beside::Ends(_) = beside { "bars at line ends" } else { "" };
    let place = space.with_max_x(space.right() - state.beside);
    let size = state.frame.map_or(place.size(), |frame| frame.size());
    let widget = plot(figure, view, size, theme);
    let shown = show(ui, figure, widget, place, [view, fit]);
    let (frame, now) = (*shown.transform.frame(), view_of(&shown.transform));
    state.frame = Some(frame);
    if (frame.size() - size).abs().max_elem() > 1.0 {
        // The ticks were chosen for another size.
        ui.ctx().request_repaint();
    }
    shown
        .response
        .widget_info(|| WidgetInfo::labeled(Role::Figure, true, format!("Plot of {}", figure.y.title)));

    state.paint_data(ui, figure, now, frame);
    around_ui(ui.painter(), figure, now, frame, place, theme);
    beside.ui(ui, figure, frame);

    let (asked, change) = state.act(ui, &shown);
    match change {
        ViewChange::None => {}
        ViewChange::Show(view) => state.show(figure, view),
        ViewChange::Fit => state.fit(),
    }
    if change != ViewChange::None {
        ui.ctx().request_repaint();
    }
    asked
}

impl FigureView {
    /// Frames the cells whose faults are shown, in a panel too; returns true if this changes what is drawn.
    pub(in crate::plot) fn frame_cells(
        &mut self,
        figure: &Figure,
        find: &dyn Fn(&Figure) -> Option<[usize; 2]>,
    ) -> bool {
        let cell = if figure.facets.is_none() { find(figure) } else { None };
        let mut changes = std::mem::replace(&mut self.opened, cell) != cell;
        let panels = figure.facets.iter().flat_map(|facets| &facets.panels);
        for (view, panel) in self.panels.views.iter_mut().zip(panels) {
            changes |= view.frame_cells(&panel.figure, find);
        }
        changes
    }
}

/// Beside a plot for half of the last tick's label.
const BESIDE: f32 = 20.0;
/// The ends of lines take at most this share of the width.
const ENDS: f64 = 0.28;

/// The part at the right of a plot: ends of lines, or the colour scale.
enum Beside {
    Nothing,
    Ends(Ends),
    Scale(UnplacedScaleBar),
}

impl Beside {
    fn new(figure: &Figure, state: &FigureView, view: View, space: Rect) -> Self {
        let frame = state.frame.unwrap_or(space);
        if let Some(scale) = Self::of_scale(figure, frame) {
            return scale;
        }
        let [top, bottom] = [frame.top(), frame.bottom()].map(f64::from);
        let y = Mapping::from_places(&figure.y, view[1], [bottom, top]);
        let selected = state.around.selected.as_deref();
        let ends = Ends::new(figure, &state.hidden, y, EM, EndText::Values { selected });
        let fits = |ends: &Ends| ends.width <= ENDS * f64::from(space.width());
        ends.filter(fits).map_or(Self::Nothing, Self::Ends)
    }

    /// Returns the colour scale beside a rectangle, if the figure has one.
    fn of_scale(figure: &Figure, frame: Rect) -> Option<Self> {
        let ends = [frame.bottom(), frame.top()].map(f64::from);
        figure.scale().map(|scale| Self::Scale(UnplacedScaleBar::new(scale, ends, EM)))
    }

    fn width(&self) -> f32 {
        match self {
            Self::Nothing => BESIDE,
            Self::Ends(ends) => ends.width as f32 + 4.0,
            Self::Scale(scale) => scale.width() as f32 + 4.0,
        }
    }

    fn ui(self, ui: &Ui, figure: &Figure, frame: Rect) {
        let theme = theme_of(ui);
        match self {
            Self::Nothing => {}
            Self::Ends(ends) => paint(ui.painter(), &ends.items(f64::from(frame.right()), EM, theme)),
            Self::Scale(scale) => {
                let (bar, labels) = scale.placed(area(frame));
                paint(ui.painter(), &scale_bar(figure, Some(&bar), EM, theme));
                paint(ui.painter(), &labels.into_iter().map(|text| written(text, theme)).collect::<Vec<_>>());
            }
        }
    }
}

#[cfg(test)]
mod keyboard_tests;
#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod tests;
