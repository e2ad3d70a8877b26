//! A plot, and its controls for the head and the menu of its tile.

mod choices;

use std::time::Duration;

use eframe::egui::containers::menu::{MenuConfig, SubMenuButton};
use eframe::egui::{Align, Button, Layout, PopupCloseBehavior, RichText, Slider, TextEdit, Ui, vec2};

use super::builder::{ListedFaults, PlotInput};
use super::figure_view::{figure_ui, head_ui};
use super::legend::{FigureAction, LineAction, WHY_NOT, Wanted, wanted_ui};
use super::state::PlotState;
use crate::form::note_edited;
use crate::icons::Icon;
use crate::text::{first_statement, shortened};
use crate::widgets::{FieldState, choice_ui};
use crate::{theme, widgets};
pub use choices::campaign_choice_ui;
use choices::{columns_ui, facets_ui};
use figure::axis::Scale;
use figure::cells::Cells;
use figure::model::Figure;
use figure::plots::Plot;
use results::statistics::Spread;
use results::view::{BandChoice, XAxis};

/// Room that a choice in the head of a tile needs, in points.
const CHOICE: f32 = 168.0;

const FIT: &str = "Shows all data, as does a double-click. Click to pin a reading (Shift+click in a heat map), Escape to release it. Keys: F1";

/// An action for the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotResponse {
    Take(Wanted),
    /// Something about the arm of the line with this name.
    Line(String, LineAction),
    /// Show all runs again.
    ClearFilter,
    /// Make a line of each arm again.
    Ungroup,
    OpenFaults(ListedFaults),
}

/// Draws a plot into all available space.
pub fn plot_ui(
    ui: &mut Ui,
    plot: &'static Plot,
    input: &PlotInput,
    state: &mut PlotState,
) -> Option<PlotResponse> {
    let now = ui.input(|input| input.time);
    if let Some(secs) = state.update(plot, input, ui.ctx(), now) {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(secs.max(0.0)));
    }
    let Some((figure, view)) = state.drawable(plot) else {
        nothing_ui(ui, plot, input, state);
        return None;
    };
    let before = view.chosen[0];
    view.opens = (plot.injected_at)(figure, [0, 0]).is_some();
    let listed = |part: &Figure| cell_of(plot, part, input.faults.as_ref()?);
    if view.frame_cells(figure, &listed) {
        ui.ctx().request_repaint(); // the head of the tile is drawn before
    }
    let response = figure_ui(ui, figure, view).and_then(|action| match action {
        FigureAction::Open(cell) => faults_of(plot, view.part(figure), cell),
        FigureAction::Line(name, action) => Some(PlotResponse::Line(name, action)),
        FigureAction::Take(wanted) => Some(PlotResponse::Take(wanted)),
    });
    if view.chosen[0] != before && state.linked {
        state.link(plot);
    }
    response
}

/// Draws the controls that apply to a plot in one row, from right to left; what has no room is in its menu. A chip names what
/// filters the runs, and a setting whose values the lines stand for. The reading is at the left.
pub fn tools_ui(
    ui: &mut Ui,
    plot: &Plot,
    [filter, grouping]: [&str; 2],
    state: &mut PlotState,
) -> Option<PlotResponse> {
    let export = widgets::icon_button_ui(ui, state.has_data(plot), Icon::Export, "Export figure…");
    let export = export.accessible_name(format!("Export {}…", plot.title)).on_disabled_hover_text(WHY_NOT);
    let exported = export.clicked().then_some(PlotResponse::Take(Wanted::File));
    let (options, facets) = (state.options.clone(), state.titles(plot).facets.clone());
    let is_zoomed = state.view(plot).is_some_and(|view| view.is_zoomed());
    if is_zoomed && ui.add(widgets::ghost(None, "Fit")).on_hover_text(FIT).clicked() {
        state.fit(plot);
    }
    let own = choices::offered(plot, state);
    // With choices of its own, a plot may have no room for the band.
    let first = if own.is_empty() { 0.0 } else { CHOICE };
    for choose in own {
        if ui.available_width() > CHOICE {
            choose(ui, state, plot);
        }
    }
    if plot.controls.averages && ui.available_width() > CHOICE + first {
        band_ui(ui, plot, state);
    }
    if plot.controls.own_x.is_none() && ui.available_width() > CHOICE {
        x_ui(ui, state);
    }
    columns_ui(ui, plot, state);
    facets_ui(ui, plot, state);
    if options != state.options || facets != state.titles(plot).facets {
        ui.ctx().request_repaint();
    }
    let all = "Only some runs are drawn. Click to show all.";
    let filter = chip_ui(ui, filter, ["Clear the", all]).then_some(PlotResponse::ClearFilter);
    let pooled = "Each line pools the arms that have the same value. Click for a line of each arm.";
    let grouping = chip_ui(ui, grouping, ["Ungroup: lines are", pooled]).then_some(PlotResponse::Ungroup);
    exported.or(filter).or(grouping).or(head_tool_ui(ui, plot, state))
}

pub fn menu_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) -> Option<PlotResponse> {
    let options = state.options.clone();
    let response = wanted_ui(ui, state.has_data(plot)).map(PlotResponse::Take);
    ui.separator();
    if plot.controls.own_x.is_none() {
        x_ui(ui, state);
    }
    columns_ui(ui, plot, state);
    for choose in choices::offered(plot, state) {
        choose(ui, state, plot);
    }
    if plot.controls.averages {
        band_ui(ui, plot, state);
    }
    facets_ui(ui, plot, state);
    if plot.controls.can_hide_seeds() {
        ui.checkbox(&mut state.options.traces, "Individual seeds")
            .on_hover_text("Draws each seed faintly behind the mean");
    }
    if plot.controls.smooths {
        smoothing_ui(ui, state);
    }
    if ui.button("Fit").on_hover_text(FIT).clicked() {
        state.fit(plot);
    }
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    SubMenuButton::new("Axes and titles").config(config).ui(ui, |ui| {
        widgets::outline_inputs(ui);
        ui.set_min_width(280.0);
        axes_ui(ui, plot, state);
        ui.separator();
        titles_ui(ui, plot, state);
    });
    ui.separator();
    if options != state.options {
        ui.ctx().request_repaint();
    }
    response
}

/// Draws what will appear, and how, while there is no point.
fn nothing_ui(ui: &mut Ui, plot: &Plot, input: &PlotInput, state: &PlotState) {
    let figure = state.figure(plot);
    let lacks = figure.map_or("", Figure::why_empty);
    let space = ui.available_size();
    ui.allocate_ui_with_layout(space, Layout::top_down(Align::Center), |ui| {
        ui.add_space(space.y * 0.36);
        let subject = plot.subject;
        ui.label(RichText::new(if state.is_building(plot) {
            format!("Drawing curves of {subject}…")
        } else if let Some(why) = figure.and_then(Figure::refusal) {
            format!("{why}. Choose another setting, or filter the runs")
        } else if !lacks.is_empty() {
            lacks.to_owned()
        } else if !input.filter.is_empty() {
            format!("The filter leaves no curves of {subject}")
        } else if !input.failed.is_empty() {
            input.failed.clone()
        } else if input.points() > 0 {
            let yet = if input.instead.is_empty() { "" } else { " yet" };
            format!("Nothing to show{yet}: {}", plot.lacks)
        } else if !input.instead.is_empty() {
            input.instead.clone()
        } else {
            format!("Press Run: curves of {subject} appear here")
        }));
        ui.allocate_ui(vec2(ui.available_width().min(480.0), 0.0), |ui| {
            ui.label(RichText::new(first_statement(plot.help)).weak());
        });
    });
}

/// Draws a decision of the table of runs about all plots, if there is one; returns true if a click takes it back.
fn chip_ui(ui: &mut Ui, text: &str, [action, help]: [&str; 2]) -> bool {
    const LONGEST: usize = 48;
    if text.is_empty() {
        return false;
    }
    let colours = theme::present(ui);
    let short = RichText::new(format!("{} ×", shortened(text, LONGEST))).color(colours.on_accent);
    let chip =
        ui.add(Button::new(short).fill(colours.accent).corner_radius(ui.spacing().interact_size.y / 2.0));
    chip.accessible_name(format!("{action} {text}")).on_hover_text(format!("{help}\n{text}")).clicked()
}

fn x_ui(ui: &mut Ui, state: &mut PlotState) {
    let series = state.data.series.clone();
    let before = state.options.x.clone();
    let x = &mut state.options.x;
    let list = |ui: &mut Ui| {
        let known = XAxis::ALL.len();
        for (place, axis) in XAxis::ALL.into_iter().chain(series.into_iter().map(XAxis::Series)).enumerate() {
            if place == known {
                ui.separator();
            }
            let label = axis.label();
            ui.selectable_value(x, axis, label);
        }
    };
    choice_ui(ui, "x", &before.label(), list);
    if state.options.x != before {
        state.forget_x();
    }
}

/// Draws the choice of bands; over a setting, of the bars of means.
fn band_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let has_bars = plot.controls.columns;
    let (bands, band) = (&mut state.options.bands, &mut state.options.band);
    let (name, chosen) = if has_bars { ("intervals", band.label()) } else { ("band", bands.label()) };
    choice_ui(ui, name, chosen, |ui| {
        if !has_bars {
            for choice in BandChoice::ALL {
                ui.selectable_value(bands, choice, choice.label());
            }
            ui.separator();
        }
        for spread in Spread::ALL {
            ui.selectable_value(band, spread, spread.label());
        }
    });
}

fn smoothing_ui(ui: &mut Ui, state: &mut PlotState) {
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = 64.0;
        let label = ui.label("Smooth");
        let slider = Slider::new(&mut state.options.smoothing, 0.0..=0.99).fixed_decimals(2);
        ui.add(slider)
            .labelled_by(label.id)
            .on_hover_text("Weight of past values in a moving average; raw values stay faintly visible");
    });
}

fn axes_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let are_log = |figure: &Figure| [&figure.x, &figure.y].map(|axis| axis.scale == Scale::Log10);
    let [x, y] = state.figure(plot).map(are_log).unwrap_or_default();
    let scales = state.titles(plot);
    for (name, now, chosen) in
        [("Logarithmic x axis", x, &mut scales.log_x), ("Logarithmic y axis", y, &mut scales.log_y)]
    {
        let mut is_on = chosen.unwrap_or(now);
        let tick = ui.checkbox(&mut is_on, name);
        if tick.on_hover_text("Zero and negative values cannot be shown on it").changed() {
            *chosen = Some(is_on);
        }
    }
    ui.checkbox(&mut scales.ignore_outliers, "Ignore outliers")
        .on_hover_text("The vertical range leaves out the top and bottom 1 % of values");
    let tick = ui.checkbox(&mut state.linked, "Same x range in all plots");
    if tick.on_hover_text("Zooming along x zooms every plot with this axis").changed() && state.linked {
        state.link(plot);
    }
    let mut fixed = state.view(plot).is_some_and(|view| view.is_zoomed());
    let tick = ui.checkbox(&mut fixed, "Keep this range");
    if tick.on_hover_text("Keeps the range while data arrive instead of following them").changed()
        && let Some((figure, view)) = state.drawable(plot)
    {
        if fixed { view.fix(figure) } else { view.fit() }
    }
}

fn titles_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let own = |figure: &Figure| [&figure.title, &figure.x.title, &figure.y.title].map(String::clone);
    let own = state.figure(plot).map(own).unwrap_or_default();
    let titles = state.titles(plot);
    let fields = [
        ("Title", &mut titles.title),
        ("x-axis label", &mut titles.x_title),
        ("y-axis label", &mut titles.y_title),
    ];
    for ((name, field), own) in fields.into_iter().zip(own) {
        ui.horizontal(|ui| {
            let label = ui.label(name);
            let field = TextEdit::singleline(field).hint_text(own).desired_width(200.0);
            note_edited(&widgets::field_ui(ui, field, FieldState::Plain).labelled_by(label.id));
        });
    }
}

/// Room that a reading needs in the head of a tile, in points: the legend of curves has it too, other plots have a line of
/// their own.
const ROOM: [f32; 2] = [160.0, 400.0];

/// Returns the cell of a heat map that counts these faults.
pub fn cell_of(plot: &Plot, figure: &Figure, faults: &ListedFaults) -> Option<[usize; 2]> {
    let cells = figure.cells.as_ref()?;
    // Runs that have joined since are no reason to look elsewhere.
    if faults.runs.iter().any(|run| !cells.runs.contains(run)) {
        return None;
    }
    if ![&cells.campaign, ""].contains(&faults.campaign.as_str()) {
        return None;
    }
    let wanted = Some((faults.layer.clone(), faults.bit));
    cells.places().find(|cell| (plot.injected_at)(figure, *cell) == wanted)
}

/// Returns the faults that a cell of a figure counts, in its runs.
pub fn faults_of(plot: &Plot, figure: &Figure, cell: [usize; 2]) -> Option<PlotResponse> {
    let (layer, bit) = (plot.injected_at)(figure, cell)?;
    let Cells { runs, campaign, .. } = figure.cells.clone()?;
    Some(PlotResponse::OpenFaults(ListedFaults { layer, bit, campaign, runs }))
}

/// Draws the reading between title and controls of its tile, where there is room.
fn head_tool_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) -> Option<PlotResponse> {
    let (figure, view) = state.drawable(plot)?;
    view.is_in_head = ui.available_width() > ROOM[usize::from(!figure.has_curves())];
    if !view.is_in_head {
        return None;
    }
    let left = Layout::left_to_right(Align::Center);
    let cell = ui.with_layout(left, |ui| head_ui(ui, figure, view)).inner?;
    faults_of(plot, figure, cell)
}

#[cfg(test)]
mod facet_tests;
#[cfg(test)]
mod tests;
