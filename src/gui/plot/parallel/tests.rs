//! Parallel coordinates, driven as a person drives them.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use eframe::egui::pos2;
use figure::axis::Category;
use figure::cells::Cells;
use figure::style_of;
use std::sync::Arc;

fn figure() -> Figure {
    let axis = |title, range| Axis { range: Some(range), ..Axis::new(title, "") };
    let trace = |seed: u32, value: f64| Trace {
        name: format!("seed {seed}"),
        points: vec![[0.0, value], [1.0, 1.0 - value]],
    };
    let traces = vec![trace(1, 0.1), trace(2, 0.5), trace(3, 0.9)];
    let names = ["rate", "best"].map(|name| Category { name: name.to_owned(), ..Category::default() });
    Figure {
        x: Axis::named("", names.to_vec()),
        parallel: vec![axis("rate", [0.0, 1.0]), axis("best", [0.0, 1.0])],
        run_scale: Some(Cells { axis: axis("best", [0.0, 1.0]), ..Cells::default() }),
        lines: vec![Line { traces, ..Line::new("a", style_of(0), Vec::new()) }],
        ..Figure::default()
    }
}

type Shown = (Figure, AxisBrushes, Option<HeadReading>);

fn harness() -> Harness<'static, Shown> {
    let draw = move |ui: &mut Ui, (figure, chosen, head): &mut Shown| {
        *head = parallel_ui(ui, figure, chosen);
    };
    let shown = (figure(), AxisBrushes::default(), None);
    let mut harness = Harness::builder().with_size(vec2(416.0, 338.0)).build_ui_state(draw, shown);
    harness.run();
    harness
}

fn runs(harness: &Harness<'_, Shown>, count: usize) -> bool {
    harness.query_by_label(&format!("Plot of settings and results of {count} runs")).is_some()
}

#[test]
fn a_drag_along_an_axis_leaves_the_runs_that_pass_and_a_click_lets_all_pass() {
    let mut harness = harness();
    assert!(runs(&harness, 3));
    let rect = harness.get_by_label_contains("Plot of settings").rect();
    let x = rect.left() + rect.width() / 4.0;
    let above = ABOVE + (names_height(2) * EM) as f32;
    let y = |height: f32| rect.bottom() - BELOW - height * (rect.height() - above - BELOW);
    harness.drag_at(pos2(x, y(0.3)));
    harness.run();
    harness.hover_at(pos2(x, y(0.5)));
    harness.run();
    harness.drop_at(pos2(x, y(0.7)));
    harness.run();
    assert!(runs(&harness, 1), "{:?}", harness.state().1);
    let [low, high] = harness.state().1.brushes["rate"];
    assert!((low - 0.3).abs() < 0.02 && (high - 0.7).abs() < 0.02, "{low} {high}");
    harness.drag_at(pos2(x, y(0.5)));
    harness.run();
    harness.drop_at(pos2(x, y(0.5)));
    harness.run();
    assert!(runs(&harness, 3), "{:?}", harness.state().1);
}

#[test]
fn the_run_at_the_pointer_is_told_with_its_values() {
    let mut harness = harness();
    let rect = harness.get_by_label_contains("Plot of settings").rect();
    let frame = Rect::from_min_max(rect.min + vec2(0.0, 2.0 * ABOVE), rect.max - vec2(0.0, BELOW));
    harness.hover_at(pos2(frame.center().x - 40.0, frame.center().y));
    harness.run();
    let read = harness.state().2.clone().expect("a run is there");
    assert_eq!((read.name.as_str(), read.is_pinned), ("a, seed 2", false));
    assert_eq!(read.text, "rate 0.5000, best 0.5000");
}

#[test]
fn another_figure_has_other_triangles_and_none_are_made_for_the_same_one() {
    let mut harness = harness();
    let mut change = |change: &dyn Fn(&mut Figure)| {
        let (figure, chosen, _) = harness.state_mut();
        change(figure);
        chosen.forget_figure();
        harness.run();
        let mesh = harness.state().1.run_mesh.as_ref().map(|run_mesh| run_mesh.layer.parts[0].0.clone());
        mesh.expect("runs were drawn")
    };
    let first = change(&|_| ());
    let moved = change(&|figure| figure.lines[0].traces[1].points[1][1] = 0.25);
    assert!(!Arc::ptr_eq(&first, &moved));
    let range = Some([0.0, 2.0]);
    let coloured = change(&|figure| figure.run_scale.as_mut().unwrap().axis.range = range);
    assert!(!Arc::ptr_eq(&moved, &coloured) && coloured.vertices.len() == moved.vertices.len());
    let fewer = change(&|figure| drop(figure.lines[0].traces.pop()));
    assert!(fewer.vertices.len() < coloured.vertices.len());
    harness.run();
    let again = harness.state().1.run_mesh.as_ref().unwrap().layer.parts[0].0.clone();
    assert!(Arc::ptr_eq(&fewer, &again));
}

#[test]
fn the_keyboard_chooses_an_axis_and_sizes_a_range_on_it() {
    use eframe::egui::{Key, Modifiers};
    let mut harness = harness();
    harness.key_press(Key::Tab);
    harness.run();
    let press = |harness: &mut Harness<'_, Shown>, modifiers: Modifiers, key: Key, count: usize| {
        for _ in 0..count {
            harness.key_press_modifiers(modifiers, key);
            harness.run();
        }
    };
    press(&mut harness, Modifiers::NONE, Key::B, 1);
    press(&mut harness, Modifiers::NONE, Key::ArrowUp, 2);
    assert!(runs(&harness, 1), "{:?}", harness.state().1.brushes);
    press(&mut harness, Modifiers::SHIFT, Key::ArrowUp, 8);
    let [low, high] = harness.state().1.brushes["rate"];
    assert!((low - 0.4).abs() < 1e-9 && (high - 0.55).abs() < 1e-9, "{low} {high}");
    press(&mut harness, Modifiers::NONE, Key::Escape, 1);
    assert!(runs(&harness, 3));
    press(&mut harness, Modifiers::NONE, Key::ArrowRight, 1);
    press(&mut harness, Modifiers::NONE, Key::B, 1);
    assert!(harness.state().1.brushes.contains_key("best"));
    press(&mut harness, Modifiers::NONE, Key::Home, 1);
    assert!(harness.state().1.brushes.is_empty());
}

#[test]
fn a_click_frames_nothing_and_a_key_frames_the_axis() {
    use eframe::egui::{Key, Shape};
    let mut harness = harness();
    let frames = |harness: &Harness<'_, Shown>| {
        let is_frame = |shape: &&eframe::egui::epaint::ClippedShape| matches!(&shape.shape, Shape::Rect(rect) if (rect.stroke.width - 2.0).abs() < 1e-6);
        harness.output().shapes.iter().filter(is_frame).count()
    };
    harness.get_by_label_contains("Plot of settings").click();
    harness.run();
    assert!(harness.get_by_label_contains("Plot of settings").is_focused());
    assert_eq!(frames(&harness), 0);
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert_eq!(frames(&harness), 2, "the plot, and its axis");
}

#[test]
fn a_click_on_a_run_pins_its_values() {
    let mut harness = harness();
    let rect = harness.get_by_label_contains("Plot of settings").rect();
    let above = ABOVE + (names_height(2) * EM) as f32;
    // Between the axes, where the second run passes.
    let at = pos2(rect.left() + 0.35 * rect.width(), (rect.top() + above + rect.bottom() - BELOW) / 2.0);
    let click = |harness: &mut Harness<'_, Shown>| {
        harness.hover_at(at);
        harness.run();
        harness.drag_at(at);
        harness.drop_at(at);
        harness.run();
        harness.remove_cursor();
        harness.run();
    };
    click(&mut harness);
    let is_read = |harness: &Harness<'_, Shown>| {
        harness.state().2.as_ref().is_some_and(|read| read.is_pinned && read.name == "a, seed 2")
    };
    assert!(is_read(&harness), "{:?}", harness.state().1.pinned);
    harness.run_steps(60);
    click(&mut harness);
    assert!(!is_read(&harness));
}
