//! A plot with its controls below.

mod cell_head;

use std::time::Duration;

use eframe::egui::containers::menu::{MenuButton, MenuConfig, SubMenuButton, is_in_menu};
use eframe::egui::{
    Align, Button, Checkbox, ComboBox, DragValue, Frame, Layout, Panel, PopupCloseBehavior, Response,
    RichText, Slider, TextStyle, Ui, Vec2, vec2,
};

use super::figure_view::figure_ui;
use super::input::PlotInput;
use super::state::PlotState;
use crate::figure::plots::Plot;
use crate::figure::scale::Scale;
use crate::gui::form::note_edited;
use crate::gui::text::{first_statement, shortened};
use crate::gui::theme;
use crate::results::statistics::Spread;
use crate::results::view::{Preset, XAxis};
use cell_head::cell_head_ui;

/// In less space, in points, the controls fold into one menu, so that the plot stays readable.
const LEAST: Vec2 = vec2(360.0, 340.0);

/// Why band and single runs cannot be chosen.
const NO_MEANS: &str = "This plot has no means over seeds";

/// An action for the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotResponse {
    /// Write the figure to a file.
    ExportFigure,
    /// Copy the values of the figure as CSV.
    CopyCsv,
    /// Show all runs again.
    ClearFilter,
    /// Show the faults of a cell of the heat map.
    OpenFaults {
        /// Their layer.
        layer: String,
        /// Their bit.
        bit: u32,
    },
}

/// Draws a plot and its controls into all available space.
pub fn plot_panel(
    ui: &mut Ui,
    plot: &'static Plot,
    input: &PlotInput,
    state: &mut PlotState,
) -> Option<PlotResponse> {
    let now = ui.input(|input| input.time);
    if let Some(secs) = state.update(plot, input, ui.ctx(), now) {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(secs.max(0.0)));
    }
    let options = state.options.clone();
    let space = ui.available_size();
    let is_small = space.x < LEAST.x || space.y < LEAST.y;
    let controls =
        Panel::bottom(ui.scope_id().with("plot controls")).show_separator_line(false).resizable(false);
    let controls = controls.frame(Frame::NONE).show(ui, |ui| {
        ui.add_space(4.0);
        let row = |ui: &mut Ui| {
            let cleared = filter_ui(ui, &input.filter);
            let asked = if is_small { folded_ui(ui, plot, state) } else { entries_ui(ui, plot, state) };
            cleared.or(asked)
        };
        ui.horizontal_wrapped(row).inner
    });
    if options != state.options {
        ui.ctx().request_repaint();
    }
    let Some((figure, view)) = state.drawable(plot) else {
        nothing_ui(ui, plot, state.is_building(plot), !input.filter.is_empty());
        return controls.inner;
    };
    let before = view.x_range();
    view.opens = (plot.injected_at)(figure, [0, 0]).is_some();
    let cell = cell_head_ui(ui, figure, view);
    let cell = figure_ui(ui, figure, view).or(cell);
    let opened = cell.and_then(|cell| (plot.injected_at)(figure, cell));
    if view.x_range() != before && state.linked {
        state.link(plot);
    }
    let opened = opened.map(|(layer, bit)| PlotResponse::OpenFaults { layer, bit });
    controls.inner.or(opened)
}

/// Draws what will appear, and how, while there is no point.
fn nothing_ui(ui: &mut Ui, plot: &Plot, is_building: bool, is_filtered: bool) {
    let space = ui.available_size();
    ui.allocate_ui_with_layout(space, Layout::top_down(Align::Center), |ui| {
        ui.add_space(space.y * 0.36);
        let subject = plot.subject;
        ui.label(RichText::new(if is_building {
            format!("Drawing curves of {subject}…")
        } else if is_filtered {
            format!("The filter leaves no curves of {subject}")
        } else {
            format!("Press Run all: curves of {subject} appear here")
        }));
        ui.allocate_ui(vec2(ui.available_width().min(480.0), 0.0), |ui| {
            ui.label(RichText::new(first_statement(plot.help)).weak());
        });
    });
}

/// All controls in a menu that stays open.
fn folded_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) -> Option<PlotResponse> {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let menu = MenuButton::new("Controls").config(config).ui(ui, |ui| {
        ui.set_min_width(200.0);
        entries_ui(ui, plot, state)
    });
    menu.0.on_hover_text("Axes, band, smoothing and export of this plot");
    menu.1.and_then(|shown| shown.inner)
}

/// The filter, if there is one: a click clears it.
fn filter_ui(ui: &mut Ui, filter: &str) -> Option<PlotResponse> {
    const LONGEST: usize = 48;
    if filter.is_empty() {
        return None;
    }
    let colours = theme::present(ui);
    let text = RichText::new(format!("{} ×", shortened(filter, LONGEST))).color(colours.on_accent);
    let chip =
        ui.add(Button::new(text).fill(colours.accent).corner_radius(ui.spacing().interact_size.y / 2.0));
    let chip = chip.accessible_name(format!("Clear the {filter}"));
    chip.on_hover_text(format!("Only some runs are drawn. Click to show all.\n{filter}"))
        .clicked()
        .then_some(PlotResponse::ClearFilter)
}

fn entries_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) -> Option<PlotResponse> {
    x_ui(ui, plot, state);
    band_ui(ui, plot, state);
    let traces = Checkbox::new(&mut state.options.traces, "Single runs");
    theme::input_ui_if(ui, plot.controls.averages, traces)
        .on_hover_text("Draws each seed faintly behind the mean")
        .on_disabled_hover_text(NO_MEANS);
    smoothing_ui(ui, plot, state);
    let is_zoomed = state.view(plot).is_some_and(|view| view.is_zoomed());
    let fit = ui
        .add_enabled(is_zoomed, Button::new("Fit"))
        .on_hover_text("Shows all data, as does a double-click. Click to pin a reading (Shift+click in a heat map), Escape to release it");
    if fit.on_disabled_hover_text("All data are shown. Drag over the plot to zoom in").clicked()
        && let Some(view) = state.view(plot)
    {
        view.fit();
    }
    figure_menu_ui(ui, plot, state);
    commands_ui(ui, state.has_data(plot))
}

/// A choice from a list. Within a menu the list is a submenu, since a separate list would close the menu.
fn choice_ui(ui: &mut Ui, id: &str, label: &Response, chosen: &str, list: impl FnOnce(&mut Ui)) -> Response {
    if is_in_menu(ui) {
        return ui.menu_button(chosen, list).response.labelled_by(label.id);
    }
    let combo = ComboBox::from_id_salt(id).selected_text(chosen).show_ui(ui, list);
    combo.response.labelled_by(label.id)
}

fn x_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let own = plot.controls.own_x;
    let label = ui.label("x:");
    let chosen = own.map_or_else(|| state.options.x.label(), str::to_owned);
    let series = state.series().to_vec();
    let before = state.options.x.clone();
    let x = &mut state.options.x;
    let list = |ui: &mut Ui| {
        for known in XAxis::ALL {
            let label = known.label();
            ui.selectable_value(x, known, label);
        }
        ui.separator();
        for name in series {
            let other = XAxis::Series(name);
            let label = other.label();
            ui.selectable_value(x, other, label);
        }
    };
    let choice = ui.add_enabled_ui(own.is_none(), |ui| choice_ui(ui, "x axis", &label, &chosen, list));
    choice.inner.on_disabled_hover_text("This plot has a fixed horizontal axis");
    if state.options.x != before {
        state.forget_x();
    }
}

fn band_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let label = ui.label("Band:").on_hover_text("The spread around the mean over seeds");
    let band = &mut state.options.band;
    let chosen = band.label();
    let list = |ui: &mut Ui| {
        for spread in Spread::ALL {
            ui.selectable_value(band, spread, spread.label());
        }
    };
    let choice = ui.add_enabled_ui(plot.controls.averages, |ui| choice_ui(ui, "band", &label, chosen, list));
    choice.inner.on_disabled_hover_text(NO_MEANS);
}

fn smoothing_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    const TEXT: &str = "Smooth:";
    let smooths = plot.controls.smooths;
    // The label, the slider and its number wrap together.
    ui.spacing_mut().slider_width = 64.0;
    let font = TextStyle::Body.resolve(ui.style());
    let text = ui.painter().layout_no_wrap(TEXT.to_owned(), font, ui.visuals().text_color());
    let spacing = ui.spacing();
    let controls = spacing.slider_width + spacing.interact_size.x + 2.0 * spacing.item_spacing.x;
    if ui.available_size_before_wrap().x < text.size().x + controls {
        ui.end_row();
        ui.set_row_height(ui.spacing().interact_size.y);
    }
    let label = ui.label(TEXT);
    let slider = Slider::new(&mut state.options.smoothing, 0.0..=0.99).fixed_decimals(2);
    let response = ui.add_enabled(smooths, slider).labelled_by(label.id);
    response
        .on_hover_text("Weight of past values in a moving average; raw values stay faintly visible")
        .on_disabled_hover_text("This plot shows single evaluations, which are not smoothed");
}

/// Axes, ranges, titles and paper, in a menu that stays open.
fn figure_menu_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let contents = |ui: &mut Ui| {
        theme::outline_inputs(ui);
        ui.set_min_width(280.0);
        axes_ui(ui, plot, state);
        ui.separator();
        titles_ui(ui, plot, state);
        ui.separator();
        paper_ui(ui, state);
    };
    if is_in_menu(ui) {
        SubMenuButton::new("Axes and titles").config(config).ui(ui, contents);
    } else {
        MenuButton::new("Axes and titles").config(config).ui(ui, contents);
    }
}

fn axes_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let [x, y] = state
        .figure(plot)
        .map_or([false; 2], |figure| [&figure.x, &figure.y].map(|axis| axis.scale == Scale::Log10));
    let scales = state.titles(plot);
    for (name, now, chosen) in
        [("Logarithmic x axis", x, &mut scales.log_x), ("Logarithmic y axis", y, &mut scales.log_y)]
    {
        let mut is_on = chosen.unwrap_or(now);
        if ui
            .checkbox(&mut is_on, name)
            .on_hover_text("Zero and negative values cannot be shown on it")
            .changed()
        {
            *chosen = Some(is_on);
        }
    }
    ui.checkbox(&mut scales.ignore_outliers, "Ignore outliers")
        .on_hover_text("The vertical range leaves out the top and bottom 1 % of values");
    if ui
        .checkbox(&mut state.linked, "Same x range in all plots")
        .on_hover_text("Zooming along x zooms every plot with this axis")
        .changed()
        && state.linked
    {
        state.link(plot);
    }
    let mut fixed = state.view(plot).is_some_and(|view| view.is_zoomed());
    let fix = ui
        .checkbox(&mut fixed, "Keep this range")
        .on_hover_text("Keeps the range while data arrive instead of following them");
    if fix.changed()
        && let Some((figure, view)) = state.drawable(plot)
    {
        if fixed { view.fix(figure) } else { view.fit() }
    }
}

fn titles_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let own = state
        .figure(plot)
        .map(|figure| [figure.title.clone(), figure.x.title.clone(), figure.y.title.clone()]);
    let own = own.unwrap_or_default();
    let titles = state.titles(plot);
    let fields = [
        ("Title", &mut titles.title),
        ("Title of x", &mut titles.x_title),
        ("Title of y", &mut titles.y_title),
    ];
    for ((name, field), own) in fields.into_iter().zip(own) {
        ui.horizontal(|ui| {
            let label = ui.label(name);
            let field = theme::line_edit(field).hint_text(own).desired_width(200.0);
            note_edited(&ui.add(field).labelled_by(label.id));
        });
    }
}

/// The paper of exported figures, and the resolution of exported pictures.
fn paper_ui(ui: &mut Ui, state: &mut PlotState) {
    ui.label(RichText::new("Size of exported figures").small().weak());
    for size in Preset::ALL {
        ui.radio_value(&mut state.size, size, size.label());
    }
    let (mut width, mut height) = state.size.millimetres();
    let is_own = matches!(state.size, Preset::Own { .. });
    let mut changed = ui.radio(is_own, "Custom size").clicked();
    ui.horizontal(|ui| {
        for (name, side) in [("Width", &mut width), ("Height", &mut height)] {
            let label = ui.label(name);
            let field = ui.add(DragValue::new(side).range(26..=5080).suffix(" mm")).labelled_by(label.id);
            note_edited(&field);
            changed |= field.changed();
        }
    });
    if changed {
        state.size = Preset::Own { width, height };
    }
    ui.horizontal(|ui| {
        let label = ui.label("Resolution of images");
        let field = DragValue::new(&mut state.dpi).range(36..=1200).suffix(" dpi");
        let field = ui.add(field).labelled_by(label.id);
        note_edited(&field.on_hover_text("For PNG files and copied figures"));
    });
}

fn commands_ui(ui: &mut Ui, has_data: bool) -> Option<PlotResponse> {
    const WHY_NOT: &str = "Nothing to export yet: press Run all";
    let export = ui.add_enabled(has_data, Button::new("Export figure…"));
    let export =
        export.on_hover_text("Writes what you see as SVG, PDF, PNG or CSV").on_disabled_hover_text(WHY_NOT);
    let copy = ui.add_enabled(has_data, Button::new("Copy CSV"));
    let copy = copy.on_hover_text("Copies the values you see").on_disabled_hover_text(WHY_NOT);
    let exported = export.clicked().then_some(PlotResponse::ExportFigure);
    exported.or_else(|| copy.clicked().then_some(PlotResponse::CopyCsv))
}

#[cfg(test)]
mod tests;
