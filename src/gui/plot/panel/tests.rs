use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Context, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use eframe::egui::Key;

use super::*;
use crate::plot::FigureView;
use crate::{app, settings};
use figure::plots::testing::{arm, at, outcome, record, single_faults};
use figure::plots::{ALL, find};
use results::RunRecord;
use results::campaign::Outcomes;
use results::view::{PlotOptions, PlotView, Preset};

#[derive(Default)]
pub(super) struct Shown {
    pub record: RunRecord,
    pub revision: u64,
    pub plot: Option<&'static Plot>,
    pub state: PlotState,
    pub filter: &'static str,
    pub grouping: &'static str,
    pub remark: &'static str,
    pub faults: Option<ListedFaults>,
    pub response: Option<PlotResponse>,
}

pub(super) fn harness(shown: Shown) -> Harness<'static, Shown> {
    sized(vec2(1000.0, 480.0), shown)
}

fn sized(size: Vec2, shown: Shown) -> Harness<'static, Shown> {
    let mut is_first = true;
    let draw = move |ui: &mut Ui, shown: &mut Shown| {
        if std::mem::take(&mut is_first) {
            return theme::install(ui.ctx()); // its fonts can be used from the next frame on
        }
        let input = PlotInput {
            remark: shown.remark.to_owned(),
            faults: shown.faults.clone(),
            ..PlotInput::new(vec![arm("dense", 0, [&shown.record])], shown.filter.to_owned(), shown.revision)
        };
        let plot = shown.plot.unwrap_or(&ALL[0]);
        shown.state.update_data(&input, ui.input(|input| input.time));
        let tools = Layout::right_to_left(Align::Center);
        let size = vec2(ui.available_width(), 40.0);
        let pressed = ui.allocate_ui_with_layout(size, tools, |ui| {
            let (button, shown_menu) =
                MenuButton::new("Menu").ui(ui, |ui| menu_ui(ui, plot, &mut shown.state));
            button.accessible_name("Menu");
            let from_menu = shown_menu.and_then(|menu| menu.inner);
            tools_ui(ui, plot, [&input.filter, shown.grouping], &mut shown.state).or(from_menu)
        });
        let drawn = plot_ui(ui, plot, &input, &mut shown.state);
        shown.response = pressed.inner.or(drawn).or(shown.response.take());
    };
    let mut harness = Harness::builder().with_size(size).with_max_steps(8).build_ui_state(draw, shown);
    harness.run();
    harness
}

fn running() -> Shown {
    let record = record([at("test_accuracy", 1.0, 0.5), at("test_accuracy", 2.0, 0.75)]);
    Shown { record, ..Shown::default() }
}

#[test]
fn before_the_first_point_the_panel_says_how_to_get_curves() {
    let mut harness = harness(Shown::default());
    assert!(harness.query_by_label("Press Run: curves of test accuracy appear here").is_some());
    harness.state_mut().plot = find("loss");
    harness.run();
    assert!(harness.query_by_label("Press Run: curves of the loss appear here").is_some());
}

#[test]
fn a_filter_is_seen_beside_the_plot_and_a_click_clears_it() {
    for size in [vec2(1000.0, 480.0), vec2(280.0, 240.0)] {
        let mut harness = sized(size, running());
        assert!(harness.query_by_label_contains("Clear the filter").is_none());
        harness.state_mut().filter = "filter: seed>2 (1 of 3 runs)";
        harness.run();
        harness.get_by_label("Clear the filter: seed>2 (1 of 3 runs)").click();
        harness.run();
        assert_eq!(harness.state().response, Some(PlotResponse::ClearFilter), "{size}");
    }
    let mut harness = harness(Shown { filter: "filter: seed>2 (0 of 3 runs)", ..Shown::default() });
    assert!(harness.query_by_label("The filter leaves no curves of test accuracy").is_some());
    harness.state_mut().filter = "";
    harness.run();
    assert!(harness.query_by_label_contains("Press Run").is_some());
}

#[test]
fn grouping_by_a_setting_has_a_chip_that_ungroups() {
    let mut harness = harness(Shown { grouping: "grouped by learning rate", ..running() });
    harness.get_by_label("Ungroup: lines are grouped by learning rate").click();
    harness.run();
    assert_eq!(harness.state().response, Some(PlotResponse::Ungroup));
    harness.state_mut().grouping = "";
    harness.run();
    assert!(harness.query_by_label_contains("Ungroup").is_none());
}

#[test]
fn a_remark_is_in_the_explanation_and_no_filter() {
    const REMARK: &str = "1 outdated run shown here only";
    let mut harness = harness(Shown { remark: REMARK, ..running() });
    let state = &harness.state().state;
    assert!(state.explanation(state.plot()).is_some_and(|text| text.contains(REMARK)));
    assert!(harness.query_by_label_contains("Clear the").is_none());
    harness.state_mut().filter = "filter: seed>2 (1 of 3 runs)";
    harness.run();
    assert!(harness.query_by_label("Clear the filter: seed>2 (1 of 3 runs)").is_some());
    let harness = self::harness(Shown { remark: REMARK, ..Shown::default() });
    assert!(harness.query_by_label_contains("Press Run").is_some());
}

#[test]
fn two_plots_that_are_seen_are_both_kept_and_others_forgotten() {
    let shown = &mut running();
    let input = PlotInput::new(vec![arm("dense", 0, [&shown.record])], String::new(), 0);
    for plot in [find("accuracy").unwrap(), find("remaining").unwrap()] {
        shown.state.update(plot, &input, &Context::default(), 0.0);
        assert!(shown.state.has_data(plot), "{}", plot.name);
    }
    shown.state.choose("remaining");
    let remaining = shown.state.shown_figure().unwrap();
    shown.state.keep_only(&["accuracy"]);
    assert!(shown.state.shown_figure().is_none());
    shown.state.choose("accuracy");
    assert_ne!(shown.state.shown_figure().unwrap(), remaining);
    shown.state.choose("no plot");
    assert_eq!(shown.state.plot().name, "accuracy");
}

/// Clicks on an entry of the plot's menu, which opens first and stays open.
fn click_in_menu(harness: &mut Harness<'_, Shown>, entry: &str) {
    if harness.query_by_label("Axes and titles").is_none() {
        harness.get_by_label("Menu").click_accesskit();
        harness.run();
    }
    harness.get_by_label(entry).click_accesskit();
    harness.run();
}

#[test]
fn what_has_no_room_in_the_head_is_in_the_menu() {
    let mut harness = sized(vec2(240.0, 480.0), running());
    assert!(harness.query_by_role_and_label(Role::ComboBox, "x").is_none());
    click_in_menu(&mut harness, "Individual seeds");
    click_in_menu(&mut harness, "x");
    harness.get_by_label("Wall time").click_accesskit();
    harness.run();
    assert_eq!(harness.state().state.options.x, XAxis::Seconds);
}

#[test]
fn only_controls_that_apply_are_shown() {
    let mut harness = harness(Shown { plot: find("parallel"), ..running() });
    assert!(harness.query_by_role(Role::ComboBox).is_none());
    harness.get_by_label("Menu").click_accesskit();
    harness.run();
    for gone in ["Individual seeds", "Smooth", "x", "band"] {
        assert!(harness.query_by_label(gone).is_none(), "{gone}");
    }
}

#[test]
fn new_points_appear_and_nothing_is_built_without_them() {
    let mut harness = harness(running());
    let points =
        |harness: &Harness<'_, Shown>| harness.state().state.shown_figure().unwrap().lines[0].points.len();
    assert_eq!(points(&harness), 2);
    harness.state_mut().record = record((1..=3).map(|epoch| at("test_accuracy", f64::from(epoch), 0.5)));
    harness.run_steps(20);
    assert_eq!(points(&harness), 2, "the revision is the same");
    harness.state_mut().revision += 1;
    harness.run_steps(20);
    assert_eq!(points(&harness), 3);
}

#[test]
fn exporting_and_copying_are_left_to_the_window() {
    let mut harness = harness(running());
    harness.get_by_label("Export Accuracy…").click();
    harness.run();
    assert_eq!(harness.state_mut().response.take(), Some(PlotResponse::Take(Wanted::File)));
    click_in_menu(&mut harness, "Copy values");
    assert_eq!(harness.state_mut().response.take(), Some(PlotResponse::Take(Wanted::Values)));
}

#[test]
fn without_data_there_is_nothing_to_export() {
    let harness = harness(Shown::default());
    harness.get_by_label("Export Accuracy…").click();
    assert_eq!(harness.state().response, None);
    assert!(harness.state().state.shown_figure().is_none());
}

#[test]
fn the_axis_is_chosen_in_the_head() {
    let mut harness = harness(running());
    harness.get_by_role_and_label(Role::ComboBox, "x").click();
    harness.run();
    harness.get_by_label("Wall time").click();
    harness.run();
    assert_eq!(harness.state().state.options.x, XAxis::Seconds);
}

#[test]
fn a_special_plot_is_concerned_when_its_data_are_there() {
    let mut harness = harness(running());
    let is_concerned =
        |harness: &Harness<'_, Shown>| harness.state().state.concerned().any(|name| name == "past");
    assert!(!is_concerned(&harness));
    harness.state_mut().record = record([at("past_distance", 1.0, 0.5), at("past_distance", 2.0, 0.25)]);
    harness.state_mut().revision += 1;
    harness.run_steps(20);
    assert!(is_concerned(&harness));
}

#[test]
fn axes_and_titles_are_chosen_in_a_menu_that_stays_open() {
    let mut harness = harness(running());
    click_in_menu(&mut harness, "Axes and titles");
    for name in ["Logarithmic x axis", "Logarithmic y axis", "Ignore outliers", "Same x range in all plots"] {
        harness.get_by_label(name).click();
        harness.run();
    }
    let state = &mut harness.state_mut().state;
    let chosen = state.titles(&ALL[0]).clone();
    assert_eq!((chosen.log_x, chosen.log_y), (Some(true), Some(true)));
    assert!(chosen.ignore_outliers && state.linked);
    assert_eq!(*state.titles(&ALL[1]), PlotView::default(), "another plot has separate scales");
    for (name, text) in [("Title", "Tickets"), ("x-axis label", "Epochs"), ("y-axis label", "Hits")] {
        harness.get_by_role_and_label(Role::TextInput, name).focus();
        harness.run();
        harness.get_by_role_and_label(Role::TextInput, name).type_text(text);
        harness.run();
    }
    harness.get_by_label("Keep this range").click();
    harness.run();
    let state = &harness.state().state;
    let figure = state.shown_figure().unwrap();
    assert_eq!(
        (figure.title.as_str(), figure.x.title.as_str(), figure.y.label().as_str()),
        ("Tickets", "Epochs", "Hits (%)")
    );
    assert_eq!(figure.x.scale, Scale::Log10);
    assert!(figure.x.range.is_some(), "the range is fixed");
}

#[test]
fn another_horizontal_axis_shows_all_of_it() {
    let mut harness = harness(running());
    let state = &mut harness.state_mut().state;
    *state.titles(&ALL[0]) = PlotView {
        x_title: "Epochs".to_owned(),
        y_title: "Hits".to_owned(),
        log_x: Some(true),
        log_y: Some(true),
        ..PlotView::default()
    };
    state.view(&ALL[0]).unwrap().show_x(Some([1.0, 1.5]));
    harness.run();
    harness.get_by_role_and_label(Role::ComboBox, "x").click();
    harness.run();
    harness.get_by_label("Wall time").click();
    harness.run();
    let state = &mut harness.state_mut().state;
    assert_eq!(state.view(&ALL[0]).unwrap().chosen[0], None);
    let chosen = state.titles(&ALL[0]).clone();
    assert_eq!((chosen.x_title.as_str(), chosen.log_x), ("", None));
    assert_eq!((chosen.y_title.as_str(), chosen.log_y), ("Hits", Some(true)), "this one is the same");
}

#[test]
fn the_export_dialog_alone_has_the_size_of_the_paper() {
    let mut harness = harness(running());
    click_in_menu(&mut harness, "Axes and titles");
    for control in ["Custom size", "PNG resolution", "Width"] {
        assert!(harness.query_by_label(control).is_none(), "{control} is in the dialog");
    }
    let size = Preset::Own { width: 89.0, height: 70.0 }.size();
    let state = &mut harness.state_mut().state;
    state.set_paper(&figure::Options { size, ..state.paper() });
    let paper = state.paper();
    let (size, pixels) = figure::export::picture(&state.shown_figure().unwrap(), &paper).unwrap();
    assert_eq!(size[0], 1051, "89 mm at 300 dpi");
    assert_eq!(pixels.len(), 4 * size[0] * size[1]);
}

#[test]
fn the_cell_whose_trials_are_listed_is_framed_and_named() {
    use figure::plots::testing::{outcome, single_faults};
    let record =
        single_faults(vec![outcome(0, 30, 8), outcome(0, 2, 0), outcome(1, 30, 2), outcome(1, 2, 0)]);
    let mut harness = harness(Shown { record, plot: find("vulnerability"), ..Shown::default() });
    let frames = |harness: &Harness<'_, Shown>| {
        let is_frame = |shape: &eframe::egui::epaint::ClippedShape| {
            matches!(&shape.shape, eframe::egui::Shape::Rect(rect)
                if rect.stroke.width == 1.5 && rect.rect.width() > 60.0 && rect.rect.height() > 60.0)
        };
        harness.output().shapes.iter().filter(|shape| is_frame(shape)).count()
    };
    assert!(harness.query_by_label_contains("fc2, b2").is_none());
    let before = frames(&harness);
    let listed = ListedFaults { layer: "fc2".to_owned(), bit: 2, campaign: String::new(), runs: Vec::new() };
    harness.state_mut().faults = Some(listed);
    harness.run();
    assert!(harness.query_by_label_contains("fc2, b2: ").is_some(), "its reading is in the head");
    assert_eq!(frames(&harness), before + 1);
    harness.state_mut().faults = None;
    harness.run();
    assert!(harness.query_by_label_contains("fc2, b2").is_none());
    assert_eq!(frames(&harness), before);
}

#[test]
fn the_head_names_the_worst_cell_with_its_interval_and_opens_it() {
    let of = |layer, bit, sdc1| {
        let outcome = outcome(layer, bit, sdc1);
        let tally = std::iter::repeat_n(outcome.tally, 20).sum();
        Outcomes { trials: 20, tally, ..outcome }
    };
    let run = single_faults(vec![of(0, 30, 8), of(0, 2, 0), of(1, 30, 2), of(1, 2, 0)]);
    let figure = (find("vulnerability").unwrap().build)(&[arm("a", 0, [&run])], &PlotOptions::default());
    let draw = move |ui: &mut Ui, state: &mut (FigureView, Option<[usize; 2]>)| {
        app::prepare(ui.ctx(), &settings::Settings::default());
        state.1 = head_ui(ui, &figure, &mut state.0).or(state.1);
    };
    let mut harness =
        Harness::builder().with_size(vec2(600.0, 80.0)).build_ui_state(draw, (FigureView::default(), None));
    harness.run();
    let name = "Most vulnerable: fc1, b30: 80.0 % SDC-1, 95 % CI 58.4–91.9, n 20";
    harness.get_by_label(name).focus();
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().1, Some([0, 0]), "it is opened");
}
