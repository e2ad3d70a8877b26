//! The choices of single plots: trainings that have lines, and what is drawn of recorded weights.

use eframe::egui::{Checkbox, PopupCloseBehavior, Ui};

use crate::plot::PlotState;
use crate::text::shortened;
use crate::widgets::{choice_ui, listed_choice_ui};
use figure::model::training_text;
use figure::plots::Plot;
use results::rounds::Levels;
use results::view::PlotOptions;
use results::weights::Measure;

/// A choice that is drawn into a row of tools or into a menu.
pub type Choice = fn(&mut Ui, &mut PlotState, &Plot);

/// Characters of a parameter's name in the row of tools.
const LONGEST: usize = 20;
const OF_ARM: &str = "all of an arm";

/// The choices that apply to a plot now, the most important one first.
pub fn of(plot: &Plot, state: &PlotState) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    if plot.controls.one_arm {
        found.push(arms_ui);
    }
    if plot.controls.one_arm && state.stages().len() > 1 {
        found.push(stages_ui);
    }
    if plot.controls.weights && !state.parameters().is_empty() {
        found.extend([measure_ui as Choice, layer_ui]);
    }
    if state.figure(plot).is_some_and(|figure| figure.levels.len() > 1) {
        found.push(levels_ui);
    }
    found
}

/// Whether a plot of faults shows what is selected, or all arms.
fn arms_ui(ui: &mut Ui, state: &mut PlotState, _plot: &Plot) {
    const NAMES: [&str; 2] = ["selected", "all arms"];
    let all_arms = &mut state.options.all_arms;
    choice_ui(ui, "show", NAMES[usize::from(*all_arms)], |ui| {
        ui.selectable_value(all_arms, false, NAMES[0]).on_hover_text(
            "The arm, the setting or the run that is selected on the left; all arms while it has no such faults",
        );
        ui.selectable_value(all_arms, true, NAMES[1]).on_hover_text("A panel for each arm and each setting");
    });
}

/// Whose single faults a plot shows where several stages have campaigns.
fn stages_ui(ui: &mut Ui, state: &mut PlotState, _plot: &Plot) {
    let known = state.stages().to_vec();
    stage_choice_ui(ui, &known, &mut state.options.campaign);
}

/// A choice of one of these stages, each with the sentence of its campaign; the first one until another is chosen.
pub fn stage_choice_ui(ui: &mut Ui, known: &[(String, String)], chosen: &mut Option<String>) {
    let shown = known.iter().find(|(place, _)| Some(place) == chosen.as_ref()).or(known.first());
    let Some((shown, _)) = shown else { return };
    choice_ui(ui, "campaign", shown, |ui| {
        for (place, label) in known {
            if ui.selectable_label(place == shown, format!("{place}: {label}")).clicked() {
                *chosen = Some(place.clone());
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
    let known = state.parameters().to_vec();
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

/// Which trainings of a plan have lines: a list that stays open, with a tick for each.
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

#[cfg(test)]
mod tests {
    use eframe::egui::accesskit::Role;
    use egui_kittest::kittest::Queryable;

    use super::super::tests::{Shown, harness};
    use figure::plots::testing::{at, record};
    use figure::plots::{ALL, find};
    use results::Point;
    use results::rounds::Levels;
    use results::view::{PlotOptions, ViewSettings, XAxis};
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
        let text = kept.to_text();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("view.ron"), text).unwrap();
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
}
