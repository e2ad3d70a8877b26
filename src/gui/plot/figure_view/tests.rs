//! The view of a figure, driven as a person drives it: by what can be seen and clicked.

use eframe::egui::{self, Modifiers, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::figure::{Line, ReferenceLine, style_of};

struct Shown {
    figure: Arc<Figure>,
    view: FigureView,
}

fn figure() -> Figure {
    let line = |name: &str, index: usize, y: f64| Line::new(name, style_of(index), vec![[0.0, y], [10.0, y]]);
    Figure {
        x: Axis::new("Epochs trained", ""),
        y: Axis::percent("Test accuracy"),
        lines: vec![line("dense", 0, 0.5), line("winning ticket", 1, 0.9)],
        reference_lines: vec![ReferenceLine::level("chance", 0.1, None)],
        note: "mean over 3 seeds".to_owned(),
        ..Figure::default()
    }
}

fn harness(width: f32) -> Harness<'static, Shown> {
    let shown = Shown { figure: Arc::new(figure()), view: FigureView::default() };
    let draw = |ui: &mut egui::Ui, shown: &mut Shown| {
        assert_eq!(figure_ui(ui, &shown.figure, &mut shown.view), None, "nothing can be opened");
    };
    let mut harness =
        Harness::builder().with_size(vec2(width, 480.0)).with_step_dt(0.05).build_ui_state(draw, shown);
    harness.run();
    harness
}

fn plot_rect(harness: &Harness<'_, Shown>) -> Rect {
    harness.get_by_label("Plot of Test accuracy").rect()
}

fn scroll(harness: &mut Harness<'_, Shown>, points: f32) {
    harness.hover_at(plot_rect(harness).center());
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run_steps(20); // wheels are smoothed over some frames
}

#[test]
fn the_legend_names_lines_and_rules_outside_of_the_plot() {
    for width in [900.0, 400.0] {
        let harness = harness(width);
        let plot = plot_rect(&harness);
        for name in ["dense", "winning ticket", "chance"] {
            assert!(!plot.intersects(harness.get_by_label(name).rect()), "{name} at {width}");
        }
        assert!(plot.width() > 200.0 && plot.height() > 250.0, "{plot} at {width}");
        assert!(harness.query_by_label("mean over 3 seeds").is_some());
    }
}

#[test]
fn a_click_in_the_legend_hides_a_line_and_fits_the_others() {
    let mut harness = harness(900.0);
    let before = harness.state().view.kept.as_ref().unwrap().fit;
    harness.get_by_label("winning ticket").click();
    harness.run();
    let state = harness.state();
    assert!(state.view.is_hidden("winning ticket"));
    assert!(state.view.kept.as_ref().unwrap().fit[1][1] < before[1][1]);
    assert!(state.view.drawn.as_ref().unwrap().lines[1].pieces.is_empty());
    let names: Vec<_> = state.view.shown(&state.figure).lines.into_iter().map(|line| line.name).collect();
    assert_eq!(names, ["dense"], "an export writes what is seen");
}

#[test]
fn a_click_with_alt_shows_a_line_alone() {
    let mut harness = harness(900.0);
    harness.get_by_label("dense").click_modifiers(Modifiers::ALT);
    harness.run();
    let view = &harness.state().view;
    assert!(!view.is_hidden("dense") && view.is_hidden("winning ticket") && view.is_hidden("chance"));
}

#[test]
fn scrolling_zooms_and_a_double_click_fits() {
    let mut harness = harness(900.0);
    scroll(&mut harness, 100.0);
    let [x, _] = harness.state().view.zoom.expect("zoomed in");
    assert!(x[1] - x[0] < 10.0);
    let range = harness.state().view.shown(&harness.state().figure).x.range;
    assert_eq!(range, Some(x), "an export is cut to what is seen");
    let plot = harness.get_by_label("Plot of Test accuracy");
    plot.click();
    plot.click();
    harness.run();
    assert!(!harness.state().view.is_zoomed());
}

#[test]
fn a_figure_from_a_thread_keeps_the_range_that_was_chosen_meanwhile() {
    let mut harness = harness(900.0);
    let request = harness.state().view.request();
    scroll(&mut harness, 100.0);
    let Shown { figure, view } = harness.state_mut();
    let seen = view.zoom.expect("zoomed in");
    view.begin(figure, Scene::of(figure, request.clone(), None));
    assert_eq!(view.zoom, Some(seen));
    let mut on_decades = Figure::clone(figure);
    on_decades.y.scale = crate::figure::scale::Scale::Log10;
    view.begin(&on_decades, Scene::of(&on_decades, request.clone(), None));
    assert_eq!(view.zoom, Some([seen[0], seen[1].map(f64::log10)]));
    view.fit();
    view.begin(figure, Scene::of(figure, request, None));
    assert!(view.zoom.is_none() && !view.refits);
}

#[test]
fn a_drag_along_x_zooms_x_and_leaves_y() {
    let mut harness = harness(900.0);
    let rect = plot_rect(&harness);
    let fit = harness.state().view.kept.as_ref().unwrap().fit;
    let at = |share: f32| pos2(rect.left() + rect.width() * share, rect.center().y);
    harness.hover_at(at(0.25));
    harness.run();
    harness.drag_at(at(0.25));
    harness.run();
    harness.hover_at(at(0.5));
    harness.run();
    harness.hover_at(at(0.75));
    harness.run();
    harness.drop_at(at(0.75));
    harness.run();
    let [x, y] = harness.state().view.zoom.expect("zoomed in");
    let share = (x[1] - x[0]) / (fit[0][1] - fit[0][0]);
    assert!((share - 0.5).abs() < 0.01, "{share}");
    assert!((y[1] - fit[1][1]).abs() < 1e-6);
}

#[test]
fn the_pointer_reads_off_all_lines_beside_it() {
    let mut harness = harness(900.0);
    let at = plot_rect(&harness).center();
    harness.hover_at(at);
    harness.run();
    let high = harness.get_by_label("90.00 %").rect();
    let low = harness.get_by_label("50.00 %").rect();
    assert!(high.top() < low.top(), "sorted");
    assert!((high.right() - low.right()).abs() < 1.0, "aligned");
    assert!(!high.expand(4.0).contains(at), "the table does not hide what is pointed at");
}

#[test]
fn a_click_pins_the_reading_until_the_next_one() {
    let mut harness = harness(900.0);
    let at = plot_rect(&harness).center();
    let click = |harness: &mut Harness<'_, Shown>| {
        harness.hover_at(at);
        harness.run();
        harness.drag_at(at);
        harness.drop_at(at);
        harness.run();
    };
    click(&mut harness);
    harness.remove_cursor();
    harness.run();
    assert!(harness.query_by_label("90.00 %").is_some());
    harness.run_steps(60);
    click(&mut harness);
    harness.remove_cursor();
    harness.run();
    assert!(harness.query_by_label("90.00 %").is_none());
}

#[test]
fn frames_without_changes_draw_nothing_anew() {
    let mut harness = harness(900.0);
    let pieces =
        |harness: &Harness<'_, Shown>| harness.state().view.drawn.as_ref().unwrap().lines[0].pieces.as_ptr();
    let before = pieces(&harness);
    harness.run_steps(3);
    assert_eq!(before, pieces(&harness));
}

/// So many points that looks come from a thread: noise around a line that rises, and another in the middle.
fn large() -> Figure {
    let noise = |step: u32| f64::from(step.wrapping_mul(7919) % 100) / 1000.0;
    let rises =
        (0..60_000_u32).map(|step| [f64::from(step), f64::from(step) / 60_000.0 + noise(step)]).collect();
    let lines = vec![
        Line::new("rises", style_of(0), rises),
        Line::new("stays", style_of(1), vec![[0.0, 0.5], [60_000.0, 0.5]]),
    ];
    Figure { lines, ..figure() }
}

/// Draws frames until threads have said what they have to say and nothing new is asked for.
fn settle(harness: &mut Harness<'_, Shown>) {
    let mut calm = 0;
    for _ in 0..1000 {
        harness.step();
        calm = if harness.state().view.pending.is_none() { calm + 1 } else { 0 };
        if calm == 5 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    panic!("the look never came");
}

#[test]
fn the_look_of_a_large_figure_comes_from_a_thread_and_is_what_a_small_one_computes_itself() {
    let mut harness = harness(900.0);
    harness.state_mut().figure = Arc::new(large());
    harness.state_mut().view.forget_figure();
    harness.step();
    assert!(harness.state().view.pending.is_none(), "there is nothing yet that could be shown until then");
    let whole = harness.state().view.drawn.clone().unwrap();
    scroll(&mut harness, 100.0);
    settle(&mut harness);
    harness.remove_cursor(); // the reading names the lines too
    harness.run();
    harness.get_by_label("rises").click();
    let is_asked = (0..5).any(|_| {
        harness.step();
        harness.state().view.pending.is_some()
    });
    assert!(is_asked, "another range is looked for");
    settle(&mut harness);
    let Shown { figure, view } = harness.state();
    let drawn = view.drawn.as_ref().unwrap();
    assert_ne!(drawn.range, whole.range);
    assert_eq!(drawn.lines, ThinnedLines::of(figure, &view.hidden, drawn.range, drawn.surface).lines);
    assert!(drawn.lines[0].pieces.is_empty() && !drawn.lines[1].pieces.is_empty());
    assert!(view.kept.as_ref().unwrap().hidden.contains("rises"));
}
