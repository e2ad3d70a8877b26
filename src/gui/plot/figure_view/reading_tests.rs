//! Readings of every kind of figure are kept by a click, and cells are opened.

use std::sync::Arc;

use eframe::egui::{self, Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::plot::figure_ui;
use figure::{Axis, Bars, Category, Cells, Line, style_of};
use results::statistics::Band;
use results::table::LineFacts;

struct Shown {
    figure: Arc<Figure>,
    view: FigureView,
    opened: Vec<FigureAction>,
}

fn harness(figure: Figure, opens: bool) -> Harness<'static, Shown> {
    let view = FigureView { opens, ..FigureView::default() };
    let mut is_first = true;
    let draw = move |ui: &mut egui::Ui, shown: &mut Shown| {
        if std::mem::take(&mut is_first) {
            return crate::theme::install(ui.ctx()); // its fonts can be used from the next frame on
        }
        shown.opened.extend(figure_ui(ui, &shown.figure, &mut shown.view));
    };
    let shown = Shown { figure: Arc::new(figure), view, opened: Vec::new() };
    let mut harness =
        Harness::builder().with_size(vec2(900.0, 480.0)).with_step_dt(0.05).build_ui_state(draw, shown);
    harness.run();
    harness
}

fn named(title: &str, names: &[&str]) -> Axis {
    let category = |name: &&str| Category { name: (*name).to_owned(), ..Category::default() };
    Axis::named(title, names.iter().map(category).collect())
}

fn bars(values: &[f64]) -> Vec<Bars> {
    vec![Bars { name: "SDC".to_owned(), values: values.to_vec(), ..Bars::default() }]
}

fn heat_map() -> Figure {
    let cells =
        Cells { axis: Axis::percent("Images with SDC"), values: vec![vec![0.25]], ..Cells::default() };
    Figure { x: named("Bit", &["b30"]), y: named("Layer", &["fc1"]), cells: Some(cells), ..Figure::default() }
}

/// Figures of each kind, with what their plot is called; in the middle of each stands 25 %.
fn figures() -> Vec<(Figure, &'static str)> {
    let share = Axis { range: Some([0.0, 0.5]), ..Axis::percent("Share") };
    let standing =
        Figure { x: named("Bit", &["b30"]), y: share.clone(), bars: bars(&[0.25]), ..Figure::default() };
    let lying =
        Figure { x: share.clone(), y: named("Layer", &["fc1"]), bars: bars(&[0.25]), ..Figure::default() };
    let mut mark = Line::new("dense", style_of(16), vec![[0.0, 0.25]]);
    mark.band = vec![Band { x: 0.0, low: 0.125, high: 0.375 }];
    let marks =
        Figure { x: named("Class", &["cat"]), y: share.clone(), lines: vec![mark], ..Figure::default() };
    let bins = Figure {
        x: Axis::new("Value", ""),
        y: share,
        bars: bars(&[0.25]),
        bins: vec![-1.0, 1.0],
        ..Figure::default()
    };
    vec![
        (standing, "Plot of Share"),
        (lying, "Plot of Layer"),
        (marks, "Plot of Share"),
        (bins, "Plot of Share"),
        (heat_map(), "Plot of Layer"),
    ]
}

#[test]
fn readings_are_in_a_line_above_the_plot_and_never_over_it() {
    for (number, (figure, label)) in figures().into_iter().enumerate() {
        let mut harness = harness(figure, true);
        let plot = harness.get_by_label(label).rect();
        harness.hover_at(plot.center());
        harness.run();
        let read: Vec<_> = harness.query_all_by_label_contains("25.00 %").map(|node| node.rect()).collect();
        assert!(
            !read.is_empty() && read.iter().all(|rect| rect.bottom() <= plot.top()),
            "{number}: {read:?}"
        );
        assert_eq!(harness.get_by_label(label).rect(), plot, "{number}: the plot does not jump");
    }
}

#[test]
fn of_bars_side_by_side_only_those_at_the_pointer_are_read() {
    let bars = |stack: &str, value: f64| Bars {
        name: "SDC".to_owned(),
        stack: stack.to_owned(),
        values: vec![value],
        ..Bars::default()
    };
    let figure = Figure {
        x: named("Bit", &["b30"]),
        y: Axis::percent("Share"),
        bars: vec![bars("dense", 0.25), bars("ticket", 0.5)],
        ..Figure::default()
    };
    let text = |x: f64| crate::plot::reading::read_areas(&figure, [x, 0.1], false).unwrap().text;
    assert_eq!([text(-0.2), text(0.2)], ["dense, SDC 25.00 %", "ticket, SDC 50.00 %"]);
    assert_eq!(text(0.0), "dense, SDC 25.00 %, ticket, SDC 50.00 %", "the middle, where the keyboard goes");
}

fn click(harness: &mut Harness<'_, Shown>, label: &str, modifiers: Modifiers) {
    harness.get_by_label(label).click_modifiers(modifiers);
    harness.run();
    harness.remove_cursor();
    harness.run();
}

fn is_read(harness: &Harness<'_, Shown>) -> bool {
    harness.query_all_by_label_contains("25.00 %").next().is_some()
}

#[test]
fn a_click_keeps_what_is_read_off_areas_until_the_next_one_or_escape() {
    for (number, (figure, label)) in figures().into_iter().enumerate() {
        let mut harness = harness(figure, false);
        assert!(!is_read(&harness), "{number}");
        click(&mut harness, label, Modifiers::NONE);
        assert!(is_read(&harness), "{number} stays");
        harness.run_steps(20); // no double-click
        click(&mut harness, label, Modifiers::NONE);
        assert!(!is_read(&harness), "{number} is let go by a click");
        harness.run_steps(20);
        click(&mut harness, label, Modifiers::NONE);
        harness.key_press(Key::Escape);
        harness.run();
        assert!(!is_read(&harness), "{number} is let go by a key");
    }
}

#[test]
fn a_click_opens_a_cell_and_one_with_shift_keeps_its_reading() {
    let mut harness = harness(heat_map(), true);
    harness.hover_at(harness.get_by_label("Plot of Layer").rect().center());
    harness.run();
    assert!(is_read(&harness));
    click(&mut harness, "Plot of Layer", Modifiers::NONE);
    assert_eq!(harness.state().opened, [FigureAction::Open([0, 0])]);
    assert!(!is_read(&harness));
    harness.run_steps(20);
    click(&mut harness, "Plot of Layer", Modifiers::SHIFT);
    assert!(is_read(&harness) && harness.state().opened.len() == 1);
    harness.run_steps(20);
    click(&mut harness, "Plot of Layer", Modifiers::SHIFT);
    assert!(!is_read(&harness));
}

#[test]
fn arrow_keys_move_from_cell_to_cell_and_enter_opens() {
    let values = vec![vec![0.25, 0.5], vec![0.125, 0.0]];
    let cells = Cells { axis: Axis::percent("Images with SDC"), values, ..Cells::default() };
    let (x, y) = (named("Bit", &["b30", "b2"]), named("Layer", &["fc1", "fc2"]));
    let mut harness = harness(Figure { x, y, cells: Some(cells), ..Figure::default() }, true);
    harness.get_by_label("Plot of Layer").focus();
    harness.run();
    for (key, name) in
        [(Key::ArrowRight, "fc1, b30"), (Key::ArrowRight, "fc1, b2"), (Key::ArrowUp, "fc2, b2")]
    {
        harness.key_press(key);
        harness.run();
        assert!(harness.query_by_label(&format!("Pinned: {name}")).is_some(), "{name}");
    }
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().opened, [FigureAction::Open([1, 1])]);
}

#[test]
fn a_double_click_fits_a_map_that_was_zoomed_and_opens_nothing() {
    let mut harness = harness(heat_map(), true);
    let Shown { figure, view, .. } = harness.state_mut();
    view.fix(figure);
    let plot = harness.get_by_label("Plot of Layer");
    plot.click();
    plot.click();
    harness.run_steps(20);
    assert!(!harness.state().view.is_zoomed() && harness.state().opened.is_empty());
    let Shown { figure, view, .. } = harness.state_mut();
    view.fix(figure);
    harness.get_by_label("Plot of Layer").click();
    harness.step();
    assert!(harness.state().opened.is_empty(), "a second click may come");
    harness.run_steps(20);
    assert_eq!(harness.state().opened, [FigureAction::Open([0, 0])]);
}

fn facts(names: &[&str]) -> LineFacts {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let cells = names.iter().map(|name| vec![format!("rate of {name}")]).collect();
    LineFacts { heads: vec!["Learning rate".to_owned()], names, cells }
}

#[test]
fn a_pinned_reading_of_bars_has_the_chosen_columns() {
    let (mut figure, label) = figures().remove(0);
    figure.bars[0].stack = "ticket".to_owned();
    figure.facts = facts(&["ticket"]);
    let mut harness = harness(figure, false);
    harness.hover_at(harness.get_by_label(label).rect().center());
    harness.run();
    assert!(
        is_read(&harness) && harness.query_by_label_contains("Learning rate").is_none(),
        "not while it moves"
    );
    click(&mut harness, label, Modifiers::NONE);
    let text = "Pinned: Bit b30: SDC 25.00 %, Learning rate rate of ticket";
    assert!(harness.query_by_label(text).is_some());
}

#[test]
fn a_heat_map_has_its_scale_beside_it_however_narrow_it_is() {
    for width in [280.0, 510.0, 900.0] {
        let mut harness = harness(heat_map(), false);
        harness.set_size(vec2(width, 300.0));
        harness.run();
        let map = harness.get_by_label("Plot of Layer").rect();
        let texts = harness.output().shapes.iter().filter_map(|shape| match &shape.shape {
            egui::Shape::Text(text) => Some((text.galley.text(), text.visual_bounding_rect())),
            _ => None,
        });
        let scale: Vec<_> =
            texts.filter(|(text, _)| text.contains('%') || text.parse::<f64>().is_ok()).collect();
        assert!(scale.len() >= 2, "{width}: {scale:?}");
        assert!(
            scale.iter().all(|(_, place)| place.right() <= width && place.left() > map.center().x),
            "{width}: {scale:?}"
        );
    }
}
