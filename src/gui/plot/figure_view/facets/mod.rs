//! Draws the panels of a figure: one legend above, and a grid whose places are those of exported figures.

use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::scroll_area::ScrollSource;
use eframe::egui::{Rect, Response, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo, vec2};
use egui_plot::{PlotBounds, PlotTransform};

use super::{FigureAction, FigureView, LegendRows, Panels};
use crate::plot::mesh::EM;
use crate::plot::navigate::{View, ViewChange};
use crate::plot::painter::{area, paint, rect};
use crate::plot::parallel::{parallel_ui, space_of};
use crate::plot::strip::{StripValues, strip_ui};
use figure::facets::{Facets, Panel, Ranges};
use figure::layout::{Grid, Layout, Text, grid, least};
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::Item;
use figure::scene::page::{axes, grid as grid_lines, scale_bar, written};

/// Draws all panels into all available space; returns what a person asks of them.
pub(super) fn facets_ui(
    ui: &mut Ui,
    (figure, facets): (&Arc<Figure>, &Facets),
    state: &mut FigureView,
    theme: Theme,
) -> Option<FigureAction> {
    state.meet_panels(facets);
    let all = ui.available_rect_before_wrap();
    let (height, from_legend) = legend_ui(ui, figure, state, theme, all);
    let space = all.with_min_y(all.top() + height);
    let wanted = least(facets, [f64::from(space.width()), f64::from(space.height())], EM);
    let wanted = vec2(wanted[0] as f32, wanted[1] as f32);
    let opened = ui.scope_builder(UiBuilder::new().max_rect(space), |ui| {
        if wanted.x <= space.width() + 0.5 && wanted.y <= space.height() + 0.5 {
            return grid_ui(ui, (figure, facets), state, theme, space);
        }
        // Over the data, the wheel zooms.
        let is_free = ui.input(|input| input.pointer.hover_pos()).is_none_or(|at| {
            state.panels.views.iter().all(|view| !view.frame.is_some_and(|frame| frame.contains(at)))
        });
        let source = ScrollSource { mouse_wheel: is_free, ..ScrollSource::default() };
        let area = ScrollArea::both().id_salt("panels").auto_shrink(false).scroll_source(source);
        area.show(ui, |ui| {
            let (space, _) = ui.allocate_exact_size(wanted - Vec2::splat(1.0), Sense::hover());
            grid_ui(ui, (figure, facets), state, theme, space)
        })
        .inner
    });
    ui.advance_cursor_after_rect(all);
    opened.inner.or(from_legend)
}

/// Draws the legend of all panels with the values at the pointer; returns its height, and what is asked of a row.
fn legend_ui(
    ui: &mut Ui,
    figure: &Figure,
    state: &mut FigureView,
    theme: Theme,
    all: Rect,
) -> (f32, Option<FigureAction>) {
    let read = state.panels.views.iter().zip(&state.panels.titles);
    let mut read = read.filter_map(|(view, title)| Some((view.reading.as_ref()?, title)));
    let reading =
        read.next().map(|(reading, title)| (format!("{}, {title}", reading.place), reading.values.clone()));
    let selected = state.around.selected.clone();
    let reading = reading.as_ref().map(|(place, values)| (place.as_str(), values));
    let values = figure.has_curves().then_some(StripValues { selected: selected.as_deref(), reading });
    let (mut action, arms) = (None, state.around.arms.clone());
    let mut rows = LegendRows { hidden: &mut state.hidden, arms: &arms, action: &mut action };
    let (height, pointed) = strip_ui(ui, (figure, theme), &mut rows, &mut state.strip, all, values);
    state.highlight(ui, pointed);
    (height, action)
}

fn grid_ui(
    ui: &mut Ui,
    (figure, facets): (&Arc<Figure>, &Facets),
    state: &mut FigureView,
    theme: Theme,
    space: Rect,
) -> Option<FigureAction> {
    let panels = || facets.panels.iter().enumerate();
    let fits: Vec<View> =
        panels().map(|(index, panel)| state.panels.views[index].prepare(&panel.figure, ui.ctx())).collect();
    let fits = facets.shared(&fits);
    let views: Vec<View> =
        fits.iter().zip(&state.panels.views).map(|(fit, view)| view.zoom.unwrap_or(*fit)).collect();
    state.panels.shown.clone_from(&views);
    let grid = laid_out((figure, facets), &mut state.panels, views.clone(), space);
    let hosts: Vec<(Response, PlotTransform)> =
        panels().map(|(index, panel)| host(ui, &grid.panels[index], (index, panel), &views[index])).collect();
    follow(facets, state, &hosts);
    let (mut asked, brushes) = (None, state.parallel.brushes.clone());
    for (index, panel) in panels() {
        let view = &mut state.panels.views[index];
        let layout = &grid.panels[index];
        if !panel.figure.parallel.is_empty() {
            runs_ui(ui, (index, panel), view, theme, layout);
            if view.parallel.brushes != brushes {
                state.parallel.brushes.clone_from(&view.parallel.brushes);
            }
            continue;
        }
        let (response, transform) = &hosts[index];
        let title = &state.panels.titles[index];
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Figure, true, format!("Plot of {}, {title}", panel.figure.y.title))
        });
        panel_ui(ui, &panel.figure, view, views[index], layout, theme);
        let (action, change) = view.act(ui, &panel.figure, (response, transform), fits[index], theme);
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
    paint(ui.painter(), &quiet(&grid.texts, theme));
    paint(ui.painter(), &scale_bar(figure, grid.scale_bar.as_ref(), EM, theme));
    asked
}

/// The grid for what is visible, which is kept until something changes.
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
        .map(|(Panel { figure, .. }, [x, y])| [super::values(&figure.x, *x), super::values(&figure.y, *y)])
        .collect();
    let made = Arc::new(grid(figure, facets, &ranges, whole, EM));
    panels.grid = Some((key, made.clone()));
    made
}

/// The actions of a person in a panel, and the places of its values.
fn host(
    ui: &Ui,
    layout: &Layout<'_>,
    (index, panel): (usize, &Panel),
    [x, y]: &View,
) -> (Response, PlotTransform) {
    let frame = rect(layout.plot);
    let response = ui.interact(
        frame.intersect(ui.clip_rect()),
        ui.scope_id().with(("panel", index)),
        Sense::click_and_drag(),
    );
    let bounds = PlotBounds::from_min_max([x[0], y[0]], [x[1], y[1]]);
    let inverted = [panel.figure.x.reversed, panel.figure.y.reversed];
    (response, PlotTransform::new_with_invert_axis(frame, bounds, [false; 2], inverted))
}

/// Has the panels that share x read off the place at the pointer, or a pinned one, of another panel.
fn follow(facets: &Facets, state: &mut FigureView, hosts: &[(Response, PlotTransform)]) {
    let pointed = hosts
        .iter()
        .find_map(|(response, transform)| response.hover_pos().map(|at| transform.value_from_position(at).x));
    let mut views = facets.panels.iter().zip(&state.panels.views);
    let pinned = || views.find_map(|(panel, view)| panel.figure.x.scale.forward(view.pinned?[0]));
    let place = pointed.or_else(pinned).filter(|_| state.panels.shares[0]);
    state.panels.views.iter_mut().for_each(|view| view.follows = place);
}

/// Draws the data and the axes of a panel.
fn panel_ui(
    ui: &Ui,
    figure: &Arc<Figure>,
    view: &mut FigureView,
    part: View,
    layout: &Layout<'_>,
    theme: Theme,
) {
    let frame = rect(layout.plot);
    view.frame = Some(frame.intersect(ui.clip_rect()));
    let painter = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
    paint(&painter, &grid_lines(figure, layout, theme).into_iter().collect::<Vec<_>>());
    view.paint_data(ui, figure, part, frame, theme);
    paint(ui.painter(), &[axes(layout, theme)]);
    paint(ui.painter(), &quiet(&layout.texts, theme));
}

/// Draws a panel of parallel axes.
fn runs_ui(
    ui: &mut Ui,
    (index, panel): (usize, &Panel),
    view: &mut FigureView,
    theme: Theme,
    layout: &Layout<'_>,
) {
    let space = space_of(&panel.figure, rect(layout.plot));
    let hidden = view.hidden.clone();
    let highlighted = view.highlighted.clone();
    ui.scope_builder(UiBuilder::new().max_rect(space).id_salt(("runs", index)), |ui| {
        let is_hidden = |name: &str| hidden.contains(name);
        parallel_ui(ui, &panel.figure, theme, &mut view.parallel, is_hidden, highlighted.as_deref());
    });
}

/// The texts of axes, as quiet as those of other plots of the window; values stay strong.
fn quiet(texts: &[Text], theme: Theme) -> Vec<Item> {
    let is_strong = |text: &Text| text.weight == figure::font::Weight::Medium;
    texts.iter().map(|text| written(Text { muted: !is_strong(text), ..text.clone() }, theme)).collect()
}

#[cfg(test)]
mod tests;
