//! Plots, driven with the keyboard alone.

use eframe::egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::*;
use crate::plot::legend::{LineAction, Wanted};
use crate::theme;
use figure::{Line, style_of};

struct Shown {
    figure: Arc<Figure>,
    view: FigureView,
    action: Option<FigureAction>,
}

fn harness() -> Harness<'static, Shown> {
    let line = |name: &str, index: usize, y: f64| {
        let points = [0.0, 2.5, 5.0, 10.0].map(|x| [x, y]).to_vec();
        Line::new(name, style_of(index), points)
    };
    let figure = Figure {
        x: Axis::new("Epochs trained", ""),
        // With room for the legend, which comes before the plot where it is above.
        y: Axis { range: Some([-1.0, 1.0]), ..Axis::percent("Test accuracy") },
        lines: vec![line("dense", 0, 0.5), line("ticket", 1, 0.9)],
        ..Figure::default()
    };
    let mut is_first = true;
    let draw = move |ui: &mut Ui, shown: &mut Shown| {
        if std::mem::take(&mut is_first) {
            return theme::install(ui.ctx()); // its fonts can be used from the next frame on
        }
        let action = figure_ui(ui, &shown.figure, &mut shown.view);
        shown.action = action.or(shown.action.take());
    };
    let shown = Shown { figure: Arc::new(figure), view: FigureView::default(), action: None };
    let mut harness = Harness::builder().with_size(vec2(900.0, 480.0)).build_ui_state(draw, shown);
    harness.run();
    harness.key_press(Key::Tab);
    harness.run();
    assert!(harness.get_by_label("Plot of Test accuracy").is_focused(), "the Tab key leads to the plot");
    harness
}

fn press(harness: &mut Harness<'_, Shown>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run();
}

fn x(harness: &Harness<'_, Shown>) -> Option<f64> {
    harness.state().view.pinned.map(|[x, _]| x)
}

fn spread(harness: &Harness<'_, Shown>) -> [f64; 2] {
    let view = &harness.state().view;
    let shown = view.zoom.unwrap_or(view.kept.as_ref().unwrap().fit);
    shown.map(|[low, high]| high - low)
}

#[test]
fn arrows_move_the_reading_from_point_to_point_and_the_legend_has_its_values() {
    let mut harness = harness();
    let mut found = Vec::new();
    for key in [Key::ArrowRight, Key::ArrowRight, Key::ArrowRight, Key::ArrowLeft] {
        press(&mut harness, Modifiers::NONE, key);
        found.extend(x(&harness));
    }
    assert_eq!(found, [0.0, 2.5, 5.0, 2.5]);
    let head = harness.get_by_label_contains("dense 50.00");
    let text = head.accesskit_node().value().unwrap_or_default();
    assert!(text.starts_with("at 2.5 epochs trained"), "{text}");
}

#[test]
fn up_and_down_choose_a_line_and_enter_selects_it() {
    let mut harness = harness();
    press(&mut harness, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(x(&harness), Some(10.0), "at the last values");
    assert_eq!(harness.state().view.keyboard.line.as_deref(), Some("dense"));
    press(&mut harness, Modifiers::NONE, Key::ArrowUp);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let select = FigureAction::Line("ticket".to_owned(), LineAction::Select);
    assert_eq!(harness.state().action, Some(select));
    assert_eq!(x(&harness), Some(10.0), "Enter is no click, which would release the reading");
}

#[test]
fn keys_zoom_pan_and_fit() {
    let mut harness = harness();
    let whole = spread(&harness);
    press(&mut harness, Modifiers::ALT, Key::Plus);
    let narrow = spread(&harness);
    assert!(narrow[0] < 0.9 * whole[0] && (narrow[1] - whole[1]).abs() < 1e-9, "along x only");
    press(&mut harness, Modifiers::NONE, Key::Plus);
    assert!(spread(&harness)[1] < 0.9 * whole[1]);
    let before = harness.state().view.zoom.unwrap();
    press(&mut harness, Modifiers::SHIFT, Key::ArrowRight);
    press(&mut harness, Modifiers::SHIFT, Key::ArrowUp);
    let after = harness.state().view.zoom.unwrap();
    assert!(after[0][0] > before[0][0] && after[1][0] > before[1][0], "what was beyond the edge is seen");
    press(&mut harness, Modifiers::NONE, Key::Minus);
    assert!(spread(&harness)[0] > narrow[0] / 1.3);
    press(&mut harness, Modifiers::NONE, Key::Home);
    assert!(!harness.state().view.is_zoomed());
}

#[test]
fn a_box_grows_with_the_arrows_and_enter_zooms_into_it() {
    let mut harness = harness();
    let whole = spread(&harness);
    press(&mut harness, Modifiers::NONE, Key::B);
    for _ in 0..5 {
        press(&mut harness, Modifiers::NONE, Key::ArrowRight);
    }
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let [x, y] = spread(&harness);
    assert!((x / whole[0] - 0.25).abs() < 0.01 && (y - whole[1]).abs() < 1e-9, "{x} {y}");
    press(&mut harness, Modifiers::NONE, Key::B);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!((spread(&harness)[0] - x).abs() < 1e-9, "Escape drops the box");
}

#[test]
fn escape_releases_the_reading_and_then_leaves() {
    let mut harness = harness();
    press(&mut harness, Modifiers::NONE, Key::ArrowRight);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert_eq!(x(&harness), None);
    assert!(harness.get_by_label("Plot of Test accuracy").is_focused());
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!harness.get_by_label("Plot of Test accuracy").is_focused());
}

#[test]
fn the_reading_goes_from_name_to_name_of_bars() {
    let mut harness = harness();
    let bars = figure::Bars { name: "masked".to_owned(), values: vec![0.2, 0.5], ..Default::default() };
    let figure = Figure {
        x: Axis::of_names("Bit", ["b30", "b2"].map(str::to_owned)),
        y: Axis::percent("Share"),
        bars: vec![bars],
        ..Figure::default()
    };
    harness.state_mut().figure = Arc::new(figure);
    harness.state_mut().view = FigureView::default();
    harness.run();
    harness.get_by_label("Plot of Share").focus();
    harness.run();
    for expected in [0.0, 1.0, 1.0] {
        press(&mut harness, Modifiers::NONE, Key::ArrowRight);
        assert_eq!(x(&harness), Some(expected));
    }
    assert!(harness.query_by_label_contains("Pinned: Bit b2: ").is_some());
}

#[test]
fn the_menu_of_a_line_hides_it_shows_it_alone_and_leads_to_its_arm() {
    let mut harness = harness();
    harness.state_mut().view.around.arms = Arc::new(["dense".to_owned(), "ticket".to_owned()]);
    let choose = |harness: &mut Harness<'_, Shown>, line: &str, entry: &str| {
        harness.get_by_label(line).click_secondary();
        harness.run();
        harness.get_by_label(entry).click();
        harness.run();
    };
    choose(&mut harness, "dense", "Hide");
    assert!(harness.state().view.hidden.contains("dense"));
    choose(&mut harness, "dense", "Show");
    choose(&mut harness, "ticket", "Show only this");
    assert!(harness.state().view.hidden.contains("dense") && !harness.state().view.hidden.contains("ticket"));
    choose(&mut harness, "ticket", "Show all");
    assert!(!harness.state().view.hidden.contains("dense"));
    for (entry, action) in [("Select arm", LineAction::Select), ("Show in table", LineAction::ShowInTable)] {
        choose(&mut harness, "ticket", entry);
        assert_eq!(harness.state_mut().action.take(), Some(FigureAction::Line("ticket".to_owned(), action)));
    }
    harness.get_by_label("ticket").click_secondary();
    harness.run();
    harness.get_by_label_contains("Colour and mark").click();
    harness.run();
    harness.get_by_label("purple").click();
    harness.run();
    let Some(FigureAction::Line(_, LineAction::Restyle(index))) = harness.state().action else { panic!() };
    assert_eq!(style_of(index).colour, 3);
}

#[test]
fn the_menu_of_a_plot_exports_where_the_window_can_and_fits() {
    let mut harness = harness();
    let menu = |harness: &mut Harness<'_, Shown>| {
        let at = harness.get_by_label("Plot of Test accuracy").rect().left_top() + vec2(300.0, 200.0);
        harness.hover_at(at);
        harness.run();
        for pressed in [true, false] {
            harness.event(eframe::egui::Event::PointerButton {
                pos: at,
                button: eframe::egui::PointerButton::Secondary,
                pressed,
                modifiers: Modifiers::NONE,
            });
            harness.run();
        }
    };
    press(&mut harness, Modifiers::NONE, Key::Plus);
    menu(&mut harness);
    assert!(harness.query_by_label("Copy values").is_none(), "a figure within a view");
    harness.get_by_label("Fit").click();
    harness.run();
    assert!(!harness.state().view.is_zoomed());
    harness.state_mut().view.around.exports = true;
    menu(&mut harness);
    harness.get_by_label("Copy values").click();
    harness.run();
    assert_eq!(harness.state().action, Some(FigureAction::Take(Wanted::Values)));
}

#[test]
fn every_outcome_in_a_legend_has_its_definition_under_the_pointer() {
    let mut harness = harness();
    let names = ["masked", "benign", "SDC-1 only", "SDC-5", "DUE"];
    let bars = names.map(|name| figure::Bars {
        name: name.to_owned(),
        values: vec![0.2, 0.2],
        ..Default::default()
    });
    let figure = Figure {
        x: Axis::of_names("Bit", ["b30", "b2"].map(str::to_owned)),
        y: Axis::percent("Share"),
        bars: bars.to_vec(),
        ..Figure::default()
    };
    harness.state_mut().figure = Arc::new(figure);
    harness.state_mut().view = FigureView::default();
    harness.run();
    for name in names {
        harness.get_by_label(name).hover();
        harness.run_steps(40);
        let definition = results::campaign::definition(name).unwrap();
        assert_eq!(harness.query_all_by_label_contains(definition).count(), 1, "{name}, said once");
    }
}
