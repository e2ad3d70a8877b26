//! The choices of single plots: trainings that have lines, and what is drawn of recorded weights.

use eframe::egui::containers::menu::is_in_menu;
use eframe::egui::{Button, Checkbox, PopupCloseBehavior, Ui};

use super::CHOICE;
use crate::plot::state::PlotState;
use crate::text::shortened;
use crate::widgets::{choice_ui, listed_choice_ui};
use figure::model::training_text;
use figure::plots::Plot;
use results::campaign::CampaignChoice;
use results::facets::{FacetAxes, FacetSettings};
use results::rounds::Levels;
use results::table::columns::Column;
use results::view::PlotOptions;
use results::weights::Measure;

/// A choice that is drawn into a row of tools or into a menu.
pub type Choice = fn(&mut Ui, &mut PlotState, &Plot);

/// Characters of a parameter's name in the row of tools.
const LONGEST: usize = 20;
const OF_ARM: &str = "all of an arm";

/// Returns the choices that apply to a plot now, the most important one first.
pub fn offered(plot: &Plot, state: &PlotState) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    if plot.controls.one_arm {
        found.push(arms_ui);
    }
    if state.built(plot).is_some_and(|built| !built.campaigns.is_empty()) {
        found.push(campaigns_ui);
    }
    if plot.controls.weights && !state.data.parameters.is_empty() {
        found.extend([measure_ui as Choice, layer_ui]);
    }
    if state.figure(plot).is_some_and(|figure| figure.levels.len() > 1) {
        found.push(levels_ui);
    }
    found
}

fn arms_ui(ui: &mut Ui, state: &mut PlotState, plot: &Plot) {
    const NAMES: [&str; 2] = ["selected", "all arms"];
    let stand_in = state.built(plot).map_or("", |built| &built.stand_in);
    let shown = match stand_in {
        "" => NAMES[usize::from(state.options.all_arms)].to_owned(),
        several if several.ends_with(" arms") => format!("{several} (have single faults)"),
        one => format!("{} (has single faults)", shortened(one, LONGEST)),
    };
    let all_arms = &mut state.options.all_arms;
    choice_ui(ui, "show", &shown, |ui| {
        ui.selectable_value(all_arms, false, NAMES[0]).on_hover_text(
            "The arm, the setting or the run that is selected on the left; all arms while it has no such faults",
        );
        ui.selectable_value(all_arms, true, NAMES[1]).on_hover_text("A panel for each arm and each setting");
    });
}

fn campaigns_ui(ui: &mut Ui, state: &mut PlotState, plot: &Plot) {
    let known = state.built(plot).map(|built| built.campaigns.clone()).unwrap_or_default();
    campaign_choice_ui(ui, &known, &mut state.options.campaign);
}

/// Draws a choice of campaigns by what they vary, with the arms that have them; the first one until another is chosen.
pub fn campaign_choice_ui(ui: &mut Ui, known: &[CampaignChoice], chosen: &mut Option<String>) {
    let Some(shown) = CampaignChoice::shown(known, chosen.as_deref()) else { return };
    choice_ui(ui, "campaign", &shortened(&shown.name, LONGEST_COLUMN), |ui| {
        for choice in known {
            let entry = ui.selectable_label(choice == shown, &choice.text);
            if entry.on_hover_text(&choice.sentence).clicked() {
                *chosen = Some(choice.name.clone());
            }
        }
    });
}

fn measure_ui(ui: &mut Ui, state: &mut PlotState, _plot: &Plot) {
    let measure = &mut state.options.weights.measure;
    choice_ui(ui, "statistic", measure.label(), |ui| {
        for known in Measure::ALL {
            ui.selectable_value(measure, known, known.label());
        }
    });
}

fn layer_ui(ui: &mut Ui, state: &mut PlotState, _plot: &Plot) {
    let known = state.data.parameters.clone();
    let parameter = &mut state.options.weights.parameter;
    // A parameter of other runs is not drawn.
    let shown = parameter.as_ref().filter(|parameter| known.contains(parameter));
    let name = shown.map_or(OF_ARM.to_owned(), |parameter| shortened(parameter, LONGEST));
    choice_ui(ui, "layer", &name, |ui| {
        ui.selectable_value(parameter, None, OF_ARM).on_hover_text(
            "A line for each layer of the selected arm; of the first one while none is selected",
        );
        ui.separator();
        for name in known {
            let entry = ui.selectable_value(parameter, Some(name.clone()), &name);
            entry.on_hover_text("A line for each arm");
        }
    });
}

/// Draws the choice of trainings that have lines: a list that stays open, with a tick for each.
fn levels_ui(ui: &mut Ui, state: &mut PlotState, plot: &Plot) {
    let Some(figure) = state.figure(plot) else { return };
    let all = figure.levels.clone();
    let PlotOptions { levels, rounds, .. } = &mut state.options;
    let name = match levels {
        Levels::Chosen => format!("{} of {}", all.iter().filter(|level| level.is_drawn).count(), all.len()),
        Levels::Spread | Levels::All | Levels::EverySecond => levels.label().to_owned(),
    };
    listed_choice_ui(ui, ("rounds", &name), PopupCloseBehavior::CloseOnClickOutside, |ui| {
        for simple in Levels::SIMPLE {
            ui.radio_value(levels, simple, simple.label());
        }
        ui.separator();
        for level in &all {
            let mut is_drawn = level.is_drawn;
            let others = all.iter().filter(|other| other.is_drawn && other.number != level.number);
            // Without any line there would be no plot to choose for.
            let is_free = !is_drawn || others.clone().next().is_some();
            let name = level.remaining.map_or("", |_| " remaining");
            let name = format!("{}{name}", training_text(level.number, level.remaining));
            let tick = ui.add_enabled(is_free, Checkbox::new(&mut is_drawn, name));
            if tick.on_disabled_hover_text("One training has to stay").changed() {
                *rounds = others.map(|other| other.number).chain(is_drawn.then_some(level.number)).collect();
                rounds.sort_unstable();
                *levels = Levels::Chosen;
            }
        }
    });
}

const LONGEST_COLUMN: usize = 26;

/// Draws the choice of x and y where a plot has them, as far as there is room.
pub fn columns_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    if !plot.controls.columns {
        return;
    }
    let offered = state.data.columns.clone();
    let drawn = state.figure(plot).map(|figure| figure.x.title.clone());
    let before = state.options.metric.clone();
    // Rows of tools go from right to left.
    let axes = if is_in_menu(ui) { ["x", "y"] } else { ["y", "x"] };
    for axis in axes {
        if !is_in_menu(ui) && ui.available_width() <= CHOICE {
            break;
        }
        let metric = &mut state.options.metric;
        let (chosen, settings) =
            if axis == "x" { (&mut metric.x, &offered.settings[..]) } else { (&mut metric.y, &[][..]) };
        let now = chosen.clone().or_else(|| offered.usual(axis == "x", drawn.as_deref()));
        let title = now.as_ref().map_or_else(|| "none".to_owned(), |column| offered.title(column));
        choice_ui(ui, axis, &shortened(&title, LONGEST_COLUMN), |ui| {
            for (place, (column, title)) in settings.iter().chain(&offered.results).enumerate() {
                if place > 0 && place == settings.len() {
                    ui.separator();
                }
                if ui.add(Button::selectable(now.as_ref() == Some(column), title)).clicked() {
                    *chosen = Some(column.clone());
                }
            }
        });
    }
    let after = &state.options.metric;
    let are_other = [before.x != after.x, before.y != after.y];
    if are_other != [false; 2] {
        state.forget_axes(plot, are_other);
    }
}

const NONE: &str = "none";

/// Columns that can split a plot, with their names.
type Choices = Vec<(Column, String)>;

/// Draws the choice: into a menu all of it, into a row of tools as far as there is room and, while nothing is chosen, only if
/// the runs differ in a setting.
pub(super) fn facets_ui(ui: &mut Ui, plot: &Plot, state: &mut PlotState) {
    let (choices, mut chosen) = (facet_choices(plot, state), state.titles(plot).facets.clone());
    let (is_menu, is_on) = (is_in_menu(ui), !chosen.by.is_empty());
    let has_settings = choices.iter().any(|(column, _)| matches!(column, Column::Setting(_)));
    // Rows of tools go from right to left.
    if !is_menu && is_on && ui.available_width() > 2.5 * CHOICE {
        shares_ui(ui, &mut chosen);
        facet_ui(ui, 1, &choices, &mut chosen);
    }
    if is_menu || (is_on || has_settings) && ui.available_width() > CHOICE {
        facet_ui(ui, 0, &choices, &mut chosen);
    }
    if is_menu && !chosen.by.is_empty() {
        facet_ui(ui, 1, &choices, &mut chosen);
        shares_ui(ui, &mut chosen);
    }
    state.titles(plot).facets = chosen;
}

/// Returns the columns that the runs offer, and those chosen for other runs.
fn facet_choices(plot: &Plot, state: &mut PlotState) -> Choices {
    let mut choices = state.data.facets.clone();
    for column in &state.titles(plot).facets.by {
        if choices.iter().all(|(known, _)| known != column) {
            choices.push((column.clone(), column.key()));
        }
    }
    choices
}

/// Draws the choice of the columns of panels, or of their rows (1), if there is something to choose.
fn facet_ui(ui: &mut Ui, index: usize, choices: &Choices, chosen: &mut FacetSettings) {
    let mut later = chosen.by.split_off(index).into_iter();
    let mut own = later.next();
    let others: Vec<_> = choices.iter().filter(|(column, _)| !chosen.by.contains(column)).collect();
    if others.is_empty() {
        return;
    }
    let known = others.iter().find(|(column, _)| Some(column) == own.as_ref());
    choice_ui(ui, ["facets", "rows"][index], known.map_or(NONE, |(_, name)| name), |ui| {
        ui.selectable_value(&mut own, None, NONE);
        ui.separator();
        for (column, name) in &others {
            ui.selectable_value(&mut own, Some(column.clone()), name);
        }
    });
    if let Some(own) = own {
        chosen.by.push(own.clone());
        chosen.by.extend(later.filter(|column| *column != own));
    }
}

fn shares_ui(ui: &mut Ui, chosen: &mut FacetSettings) {
    let mut is_shared = chosen.axes == FacetAxes::Shared;
    let tick = ui.checkbox(&mut is_shared, "Shared axes");
    if tick.on_hover_text("All panels have the same ranges; zooming in one zooms in all").changed() {
        chosen.axes = if is_shared { FacetAxes::Shared } else { FacetAxes::Free };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use eframe::egui::accesskit::Role;
    use eframe::egui::{Align, Layout, vec2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::plot::panel::tests::{Shown, harness};
    use crate::plot::{PlotInput, plot_ui, tools_ui};
    use crate::theme;
    use figure::axis::Scale;
    use figure::plots::testing::{arm, at, record};
    use figure::plots::{ALL, ArmRuns, find};
    use results::Point;
    use results::metric::MetricAxes;
    use results::rounds::Levels;
    use results::table::Row;
    use results::table::columns::At;
    use results::view::{PlotOptions, PlotView, ViewSettings, XAxis};
    use results::weights::Measure;

    fn lottery() -> Shown {
        let point = |series: &str, place: i32| Point {
            remaining: 0.8_f64.powi(place),
            stage: place.to_string(),
            ..at(series, f64::from(1 + place), 0.5)
        };
        let record = record((0..6).flat_map(|place| {
            let weights =
                ["b.weight norm", "a.weight norm", "b.weight zeros"].map(|series| point(series, place));
            [point("train_loss", place), point("test_accuracy", place)].into_iter().chain(weights)
        }));
        Shown { record, ..Shown::default() }
    }

    fn lines(harness: &egui_kittest::Harness<'_, Shown>) -> Vec<String> {
        let figure = harness.state().state.shown_figure().unwrap();
        figure.lines.iter().map(|line| line.name.clone()).collect()
    }

    #[test]
    fn the_rounds_that_have_lines_are_chosen_beside_the_plot_where_there_are_some() {
        let mut harness = harness(lottery());
        assert!(harness.query_by_role_and_label(Role::ComboBox, "rounds").is_none(), "x is all epochs");
        harness.state_mut().state.options.x = XAxis::Training;
        harness.run();
        assert_eq!(lines(&harness), ["100 %", "64.0 %", "51.2 %", "32.8 %"]);
        harness.get_by_role_and_label(Role::ComboBox, "rounds").click();
        harness.run();
        harness.get_by_label("every 2nd").click();
        harness.run();
        assert_eq!(lines(&harness), ["100 %", "64.0 %", "41.0 %"]);
        harness.get_by_label("32.8 % remaining").click();
        harness.run();
        harness.get_by_label("64.0 % remaining").click();
        harness.run();
        assert_eq!(lines(&harness), ["100 %", "41.0 %", "32.8 %"]);
        let options = &harness.state().state.options;
        assert_eq!((options.levels, options.rounds.as_slice()), (Levels::Chosen, &[1, 5, 6][..]));
        let mut kept = ViewSettings::default();
        harness.state().state.give(&mut kept);
        let folder = tempfile::tempdir().unwrap();
        kept.write(folder.path()).unwrap();
        let read = ViewSettings::read(folder.path()).unwrap();
        assert_eq!((read.options.levels, read.options.rounds), (Levels::Chosen, vec![1, 5, 6]));
    }

    #[test]
    fn rounds_of_other_runs_are_no_dead_end() {
        let mut shown = lottery();
        shown.state.options = PlotOptions {
            x: XAxis::Training,
            levels: Levels::Chosen,
            rounds: vec![40],
            ..PlotOptions::default()
        };
        let harness = harness(shown);
        assert_eq!(lines(&harness).len(), 4);
    }

    #[test]
    fn statistic_and_layer_of_recorded_weights_are_chosen_beside_their_plot() {
        let mut harness = harness(Shown { plot: find("weight-statistics"), ..lottery() });
        harness.state_mut().state.choose("weight-statistics");
        harness.run();
        assert_eq!(lines(&harness), ["b.weight", "a.weight"]);
        harness.get_by_role_and_label(Role::ComboBox, "statistic").click();
        harness.run();
        harness.get_by_label("Share of zeros").click();
        harness.run();
        assert_eq!(lines(&harness), ["b.weight"]);
        assert_eq!(harness.state().state.options.weights.measure, Measure::Zeros);
        harness.get_by_role_and_label(Role::ComboBox, "layer").click();
        harness.run();
        harness.get_by_role_and_label(Role::Button, "b.weight").click();
        harness.run();
        assert_eq!(lines(&harness), ["dense"]);
        harness.state_mut().plot = Some(&ALL[0]);
        harness.run();
        assert!(harness.query_by_role_and_label(Role::ComboBox, "statistic").is_none());
    }

    /// An arm with a swept rate and a swept batch size, a run for each value.
    fn columns_harness(values: &'static [(&'static str, &'static str)]) -> Harness<'static, PlotState> {
        let rows: Vec<Row> =
            values.iter().enumerate().map(|(nth, (rate, batch))| row(nth, rate, batch)).collect();
        let record = record([at("test_accuracy", 1.0, 0.5), at("train_loss", 1.0, 0.25)]);
        let arm = |row: Row| ArmRuns { rows: vec![Arc::new(row.clone())], ..arm(&row.arm, 0, [&record]) };
        let input = PlotInput::new(rows.into_iter().map(arm).collect(), String::new(), 0);
        let mut is_first = true;
        let draw = move |ui: &mut Ui, state: &mut PlotState| {
            if std::mem::take(&mut is_first) {
                return theme::install(ui.ctx());
            }
            let plot = find("metric").unwrap();
            state.choose(plot.name);
            state.update_data(&input, 0.0);
            let size = vec2(ui.available_width(), 40.0);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                tools_ui(ui, plot, [""; 2], state);
            });
            plot_ui(ui, plot, &input, state);
        };
        let builder = Harness::builder().with_size(vec2(1000.0, 480.0));
        let mut harness = builder.build_ui_state(draw, PlotState::default());
        harness.run();
        harness
    }

    fn row(nth: usize, rate: &str, batch: &str) -> Row {
        let settings = [("train.batch", batch), ("train.optimizer.rate", rate)];
        let settings = settings.map(|(path, value)| (path.to_owned(), value.to_owned()));
        Row {
            run: nth.to_string(),
            arm: format!("dense, rate {rate}, batch {batch}"),
            last: Some(0.5 + 0.125 * nth as f64),
            settings: Arc::new(settings.into()),
            ..Row::default()
        }
    }

    fn choose(harness: &mut Harness<'_, PlotState>, axis: &str, column: &str) {
        harness.get_by_role_and_label(Role::ComboBox, axis).click();
        harness.run();
        harness.get_by_label(column).click_accesskit(); // lists scroll
        harness.run();
    }

    #[test]
    fn x_and_y_are_chosen_in_the_head_and_kept() {
        let mut harness = columns_harness(&[("0.001", "8"), ("0.1", "8"), ("0.001", "16"), ("0.1", "16")]);
        let shown = |harness: &Harness<'_, PlotState>| harness.state().shown_figure().unwrap();
        let figure = shown(&harness);
        assert_eq!((figure.x.title.as_str(), figure.lines.len()), ("Batch", 2), "the first swept setting");
        assert!(harness.query_by_label_contains("best values: dense, rate 0.001 75.0").is_some());
        let titles =
            PlotView { x_title: "Images".to_owned(), y_title: "Hits".to_owned(), ..PlotView::default() };
        *harness.state_mut().titles(find("metric").unwrap()) = titles;
        choose(&mut harness, "x", "Rate");
        let figure = shown(&harness);
        assert_eq!((figure.x.title.as_str(), figure.x.scale), ("Rate", Scale::Log10));
        assert_eq!(figure.y.title, "Hits", "this one is the same");
        choose(&mut harness, "y", "Train loss, best");
        assert_eq!(shown(&harness).y.title, "Train loss, best");
        choose(&mut harness, "x", "Train loss, last");
        let figure = shown(&harness);
        assert_eq!((figure.lines.len(), figure.lines[0].names.len()), (1, 4), "a mark for each run");
        let mut kept = ViewSettings::default();
        harness.state().give(&mut kept);
        let column = |at: At| Some(Column::Series { series: "train_loss".to_owned(), at });
        assert_eq!(kept.options.metric, MetricAxes { x: column(At::Last), y: column(At::Best) });
        let written = serde_json::to_value(&kept).unwrap();
        assert_eq!(serde_json::from_value::<ViewSettings>(written).unwrap(), kept);
    }

    #[test]
    fn without_a_difference_the_tile_says_so() {
        let harness = columns_harness(&[("0.1", "8")]);
        assert!(harness.query_by_label("No setting differs between these runs").is_some());
        assert!(
            harness.query_by_role_and_label(Role::ComboBox, "y").is_some(),
            "a result can be chosen for x"
        );
    }
}
