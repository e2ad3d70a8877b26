//! A document with many runs.

use super::*;

#[test]
fn of_hundreds_of_runs_only_those_near_the_screen_have_rows_and_scrolling_brings_the_others() {
    let mut window = Window::new();
    window.harness.state_mut().editor.document.experiment.seeds = (1..=12).collect();
    for _ in 0..4 {
        window.execute(Command::DuplicateArm);
    }
    window.harness.run();
    let rows = |window: &Window| window.harness.query_all_by_label_contains("seed ").count();
    let all = window.harness.state().editor.document.runs().len();
    let before = rows(&window);
    assert!(all >= 90 && (12..all * 2 / 3).contains(&before), "{before} of {all}");
    let last = window.harness.query_all_by_label("seed 12").last().map(|row| row.rect().bottom());
    let seed = window.harness.get_all_by_label("seed 1").next().map(|row| row.rect().center());
    window.harness.hover_at(seed.unwrap());
    for _ in 0..40 {
        window.harness.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, -200.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        window.harness.run_steps(2);
    }
    window.harness.run();
    let after = window.harness.query_all_by_label("seed 12").last().map(|row| row.rect().bottom());
    assert!(after.is_some() && after != last, "another row is the last one now");
}
