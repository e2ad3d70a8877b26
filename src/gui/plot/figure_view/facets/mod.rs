//! Draws the panels of a figure: one legend above, and a grid whose places are those of exported figures.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::scroll_area::ScrollSource;
use eframe::egui::{Rect, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo, vec2};

use super::{FigureAction, FigureView, PlotContext};
use crate::plot::axes::values;
use crate::plot::navigate::{ShownPlot, View, ViewChange, show, widget};
use crate::plot::painter::{area, paint, rect};
use crate::plot::parallel::{parallel_ui, space_of};
use crate::plot::reading::{HeadReading, Table};
use crate::plot::scene::{EM, Scene};
use crate::theme::theme_of;
use figure::facets::{Facets, Panel, Ranges};
use figure::layout::{Grid, Text, grid, least};
use figure::legend::samples;
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::Item;
use figure::scene::page::{axes, grid as grid_lines, scale_bar, written};

/// Draws all panels into all available space; returns what a person asks of them.
pub(super) fn facets_ui(
    ui: &mut Ui,
    (figure, facets): (&Arc<Figure>, &Facets),
    state: &mut FigureView,
) -> Option<FigureAction> {
    state.meet_panels(facets);
    let all = ui.available_rect_before_wrap();
    let read = state.panels.views.iter().zip(&state.panels.titles);
    let mut read = read.filter_map(|(view, title)| Some((view.reading.clone()?, title)));
    state.reading = read.next().map(|(reading, title)| PanelReading {
        place: format!("{}, {title}", reading.place),
        values: reading.values,
    });
    let (height, from_legend) = state.strip_ui(ui, figure, all);
    let space = all.with_min_y(all.top() + height);
    let wanted = least(facets, [f64::from(space.width()), f64::from(space.height())], EM);
    let wanted = vec2(wanted[0] as f32, wanted[1] as f32);
    let opened = ui.scope_builder(UiBuilder::new().max_rect(space), |ui| {
        if wanted.x <= space.width() + 0.5 && wanted.y <= space.height() + 0.5 {
            return grid_ui(ui, (figure, facets), state, space);
        }
        // Over the data, the wheel zooms.
        let is_free = ui.input(|input| input.pointer.hover_pos()).is_none_or(|at| {
            state.panels.views.iter().all(|view| !view.frame.is_some_and(|frame| frame.contains(at)))
        });
        let source = ScrollSource { mouse_wheel: is_free, ..ScrollSource::default() };
        let area = ScrollArea::both().id_salt("panels").auto_shrink(false).scroll_source(source);
        area.show(ui, |ui| {
            let (space, _) = ui.allocate_exact_size(wanted - Vec2::splat(1.0), Sense::hover());
            grid_ui(ui, (figure, facets), state, space)
        })
        .inner
    });
    ui.advance_cursor_after_rect(all);
    opened.inner.or(from_legend)
}

fn grid_ui(
    ui: &mut Ui,
    (figure, facets): (&Arc<Figure>, &Facets),
    state: &mut FigureView,
    space: Rect,
) -> Option<FigureAction> {
    let theme = theme_of(ui);
    let panels = || facets.panels.iter().enumerate();
    let fits: Vec<View> =
        panels().map(|(index, panel)| state.panels.views[index].prepare(&panel.figure, ui.ctx())).collect();
    let fits = facets.shared(&fits);
    let views: Vec<View> =
        fits.iter().zip(&state.panels.views).map(|(fit, view)| view.zoom.unwrap_or(*fit)).collect();
    state.panels.shown.clone_from(&views);
    let grid = laid_out((figure, facets), &mut state.panels, views.clone(), space);
    let shown = panels().map(|(index, panel)| {
        let plot = widget(("panel", index), &panel.figure).show_axes(false).show_grid(false);
        let place = rect(grid.panels[index].plot);
        show(ui, &panel.figure, plot, place, [views[index], fits[index]])
    });
    let shown: Vec<ShownPlot<'_>> = shown.collect();
    follow(facets, state, &shown);
    let (mut asked, brushes) = (None, state.parallel.brushes.clone());
    for (index, panel) in panels() {
        let view = &mut state.panels.views[index];
        let layout = &grid.panels[index];
        if !panel.figure.parallel.is_empty() {
            let space = space_of(&panel.figure, rect(layout.plot));
            let FigureView { parallel, head, .. } = &mut *view;
            ui.scope_builder(UiBuilder::new().max_rect(space).id_salt(("runs", index)), |ui| {
                *head = parallel_ui(ui, &panel.figure, parallel);
            });
            if view.parallel.brushes != brushes {
                state.parallel.brushes.clone_from(&view.parallel.brushes);
            }
            continue;
        }
        let title = &state.panels.titles[index];
        shown[index].response.widget_info(|| {
            WidgetInfo::labeled(Role::Figure, true, format!("Plot of {}, {title}", panel.figure.y.title))
        });
        let frame = rect(layout.plot);
        let seen = frame.intersect(ui.clip_rect());
        view.frame = Some(seen);
        let painter = ui.painter().with_clip_rect(seen);
        paint(&painter, &grid_lines(&panel.figure, layout, theme).into_iter().collect::<Vec<_>>());
        view.paint_data(ui, &panel.figure, views[index], frame);
        paint(ui.painter(), &[axes(layout, theme)]);
        paint(ui.painter(), &quiet(&layout.texts, theme));
        let (action, change) = view.act(ui, &shown[index]);
        if matches!(action, Some(FigureAction::Open(_))) {
            state.panels.opened = Some(index);
        }
        asked = action.or(asked);
        match change {
            ViewChange::None => continue,
            ViewChange::Show(part) => state.show_in(facets, index, part),
            ViewChange::Fit => state.fit(),
        }
        ui.ctx().request_repaint();
    }
    let read = state.panels.views.iter().zip(&state.panels.titles);
    let read = read.filter_map(|(view, title)| Some((view.head.clone()?, title)));
    // What the pointer reads comes before what is pinned.
    let read = read.min_by_key(|(head, _)| head.is_pinned);
    let head = read.map(|(head, title)| HeadReading { name: format!("{title}: {}", head.name), ..head });
    state.take_head(ui, head);
    paint(ui.painter(), &quiet(&grid.texts, theme));
    paint(ui.painter(), &scale_bar(figure, grid.scale_bar.as_ref(), EM, theme));
    asked
}

/// Returns the grid for what is visible, which is kept until something changes.
fn laid_out(
    (figure, facets): (&Arc<Figure>, &Facets),
    panels: &mut Panels,
    views: Vec<View>,
    space: Rect,
) -> Arc<Grid> {
    let whole = area(space);
    let key = (Arc::as_ptr(figure).addr(), views, [whole.left, whole.top, whole.right, whole.bottom]);
    if let Some((_, grid)) = panels.grid.as_ref().filter(|(known, _)| *known == key) {
        return grid.clone();
    }
    let ranges: Vec<Ranges> = facets
        .panels
        .iter()
        .zip(&key.1)
        .map(|(Panel { figure, .. }, [x, y])| [values(&figure.x, *x), values(&figure.y, *y)])
        .collect();
    let made = Arc::new(grid(figure, facets, &ranges, whole, EM));
    panels.grid = Some((key, made.clone()));
    made
}

/// Lets panels that share x read off the place at the pointer, or a pinned one, of another panel.
fn follow(facets: &Facets, state: &mut FigureView, plots: &[ShownPlot<'_>]) {
    let place = |plot: &ShownPlot<'_>| Some(plot.transform.value_from_position(plot.response.hover_pos()?).x);
    let pointed = plots.iter().find_map(place);
    let mut views = facets.panels.iter().zip(&state.panels.views);
    let pinned = || views.find_map(|(panel, view)| panel.figure.x.scale.forward(view.pinned?[0]));
    let place = pointed.or_else(pinned).filter(|_| state.panels.shares[0]);
    state.panels.views.iter_mut().for_each(|view| view.follows = place);
}

/// Mutes the texts of axes, as in other plots of the window; values stay strong.
fn quiet(texts: &[Text], theme: Theme) -> Vec<Item> {
    let is_strong = |text: &Text| text.weight == figure::font::Weight::Medium;
    texts.iter().map(|text| written(Text { muted: !is_strong(text), ..text.clone() }, theme)).collect()
}

/// The chosen ranges of panels by their titles.
type Zooms = BTreeMap<String, [Option<[f64; 2]>; 2]>;

/// The views of panels between frames. The view of the whole figure has the ranges of shared axes, hidden lines and what
/// stands out; a panel has the ranges of free axes, its reading and its triangles.
#[derive(Debug, Default)]
pub(super) struct Panels {
    pub views: Vec<FigureView>,
    pub titles: Vec<String>,
    /// Saved ranges of panels that were not drawn yet.
    pub saved: Zooms,
    /// True if the axes are shared.
    pub shares: [bool; 2],
    /// The visible parts in the last frame.
    pub shown: Vec<View>,
    /// The last grid, and what decided how it looks: the address of the figure, the visible parts, and the space.
    pub grid: Option<(GridKey, Arc<Grid>)>,
    /// The panel with the cell that was opened last.
    pub opened: Option<usize>,
}

/// The inputs of a grid: the address of the figure, the visible parts, and the space.
pub(super) type GridKey = (usize, Vec<View>, [f64; 4]);

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PanelReading {
    /// "at 5 epochs trained".
    pub place: String,
    /// Values by the names of their lines.
    pub values: BTreeMap<String, String>,
}

impl PanelReading {
    pub fn new(figure: &Figure, table: &Table<'_>) -> Self {
        let value = |sample: figure::legend::Sample<'_>| {
            let value = table.cells(&sample).into_iter().next()?;
            (!value.is_empty()).then(|| (sample.name().to_owned(), value))
        };
        let values = samples(figure).into_iter().filter_map(value).collect();
        Self { place: table.head_text(), values }
    }
}

impl Panels {
    /// Returns the ranges that were chosen in single panels.
    pub fn zooms(&self) -> Zooms {
        let own = |view: &FigureView| {
            let [x, y] = view.chosen;
            [x.filter(|_| !self.shares[0]), y.filter(|_| !self.shares[1])]
        };
        let zooms = self.titles.iter().zip(&self.views).map(|(title, view)| (title.clone(), own(view)));
        let drawn = zooms.filter(|(_, chosen)| *chosen != [None; 2]);
        self.saved.clone().into_iter().chain(drawn).collect()
    }

    pub fn forget_figure(&mut self) {
        self.views.iter_mut().for_each(FigureView::forget_figure);
        self.grid = None;
    }

    /// Shows all data again.
    pub fn fit(&mut self) {
        self.saved.clear();
        self.views.iter_mut().for_each(FigureView::fit);
    }

    pub fn begin(&mut self, figure: &Figure, scenes: Vec<Scene>) {
        let Some(facets) = &figure.facets else { return };
        self.meet(facets);
        for ((view, panel), scene) in self.views.iter_mut().zip(&facets.panels).zip(scenes) {
            view.begin(&panel.figure, scene);
        }
    }

    /// Makes a view for each panel; those that stay keep theirs.
    fn meet(&mut self, facets: &Facets) {
        let titles: Vec<String> = facets.panels.iter().map(|panel| facets.title(panel)).collect();
        self.shares = facets.shares();
        if titles == self.titles && self.views.len() == titles.len() {
            return;
        }
        let mut old: BTreeMap<String, FigureView> =
            std::mem::take(&mut self.titles).into_iter().zip(std::mem::take(&mut self.views)).collect();
        let view = |title: &String| {
            let fresh = || FigureView {
                is_panel: true,
                chosen: self.saved.remove(title).unwrap_or_default(),
                ..FigureView::default()
            };
            old.remove(title).unwrap_or_else(fresh)
        };
        self.views = titles.iter().map(view).collect();
        (self.titles, self.grid) = (titles, None);
    }
}

impl FigureView {
    /// Gives the views of panels what the whole figure decides: hidden lines, what stands out, and shared ranges.
    pub(super) fn meet_panels(&mut self, facets: &Facets) {
        self.panels.meet(facets);
        let shares = self.panels.shares;
        let count = facets.panels.len();
        for (view, panel) in self.panels.views.iter_mut().zip(&facets.panels) {
            if view.hidden != self.hidden {
                view.hidden.clone_from(&self.hidden);
            }
            if view.highlighted != self.highlighted {
                view.highlighted.clone_from(&self.highlighted);
            }
            view.around = PlotContext { plots: self.around.plots.max(1) * count, ..self.around.clone() };
            view.opens = self.opens;
            view.parallel.brushes.clone_from(&self.parallel.brushes);
            let chosen = [0, 1].map(|axis| if shares[axis] { self.chosen[axis] } else { view.chosen[axis] });
            if chosen != view.chosen {
                view.chosen = chosen;
                view.zoom = view.chosen_places(&panel.figure);
                view.refits |= view.zoom.is_none();
            }
        }
    }

    /// Shows a part in a panel; along shared axes in all panels.
    pub(super) fn show_in(&mut self, facets: &Facets, index: usize, part: View) {
        let figure = &facets.panels[index].figure;
        let view = &mut self.panels.views[index];
        view.show(figure, part);
        let chosen = view.chosen;
        for (axis, _) in self.panels.shares.iter().enumerate().filter(|(_, shares)| **shares) {
            self.chosen[axis] = chosen[axis];
        }
    }

    /// Returns the part of a figure whose cell was opened: a panel if it has some.
    pub(in crate::plot) fn part<'a>(&self, figure: &'a Figure) -> &'a Figure {
        let panels = figure.facets.as_ref().map(|facets| &facets.panels);
        let panel = panels.zip(self.panels.opened).and_then(|(panels, index)| panels.get(index));
        panel.map_or(figure, |panel| &panel.figure)
    }
}

#[cfg(test)]
mod tests;
