//! A document with many runs.

use super::super::runner::StartRequest;
use super::super::steps::Step;
use super::super::{LONGEST_WAIT, MANY_RUNS, PAUSE_WHILE_EDITING};
use super::citizen::until;
use super::own_data::{TABLE, experiment, is_known};
use super::*;

#[test]
fn of_hundreds_of_runs_only_those_near_the_screen_have_rows_and_scrolling_brings_the_others() {
    let mut window = Window::new();
    let experiment = &mut window.harness.state_mut().editor.document.experiment;
    experiment.seeds = (1..=10).collect();
    for number in 2..8 {
        experiment.arms.push(doc::Arm { name: format!("dense {number}"), ..experiment.arms[0].clone() });
    }
    window.harness.run();
    let rows = |window: &Window| window.harness.query_all_by_label_contains("seed ").count();
    let all = window.harness.state().editor.document.runs().len();
    let before = rows(&window);
    assert!(all >= 90 && (12..all * 2 / 3).contains(&before), "{before} of {all}");
    let last = window.harness.query_all_by_label("seed 10").last().map(|row| row.rect().bottom());
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
    let after = window.harness.query_all_by_label("seed 10").last().map(|row| row.rect().bottom());
    assert!(after.is_some() && after != last, "another row is the last one now");
}

#[test]
fn results_of_many_runs_follow_a_field_with_a_pause_and_a_command_at_once() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let app = window.harness.state_mut();
    app.editor.document.experiment.seeds = (1..=100).collect();
    app.workspace.selection = Selection::Arm(0);
    window.harness.run();
    assert!(window.harness.state().editor.document.runs().len() > MANY_RUNS);
    window.harness.key_press(Key::F2);
    window.harness.run();
    let began = window.harness.ctx.input(|input| input.time) + 1.0;
    let at = |window: &mut Window, secs: f64, text: &str| {
        window.harness.input_mut().time = Some(began + secs);
        if !text.is_empty() {
            window.harness.get_by_label("Name of the arm").type_text(text);
        }
        window.harness.run_steps(2);
        let document = &window.harness.state().editor.document;
        [&document.experiment.arms[0].name, &document.runs()[0].arm].map(|name| name.chars().last().unwrap())
    };
    let pauses = |count: f64| count * PAUSE_WHILE_EDITING;
    assert_eq!(at(&mut window, 0.0, "x"), ['x', 'e'], "the runs are still those of \"dense\"");
    assert_eq!(at(&mut window, pauses(0.9), "y"), ['y', 'e']);
    assert_eq!(at(&mut window, pauses(1.8), ""), ['y', 'e']);
    assert_eq!(at(&mut window, pauses(2.0), ""), ['y', 'y']);
    for step in 0..=5 {
        assert_eq!(at(&mut window, pauses(2.1 + 0.9 * f64::from(step)), "z"), ['z', 'y'], "step {step}");
    }
    assert_eq!(at(&mut window, pauses(2.2) + LONGEST_WAIT, "z"), ['z', 'z'], "without a pause");
    assert_eq!(at(&mut window, pauses(2.3) + LONGEST_WAIT, "w"), ['w', 'z']);
    window.execute(Command::Guide);
    assert_eq!(window.harness.state().editor.document.runs()[0].arm.chars().last(), Some('w'));
    let runs = window.harness.state().editor.document.runs().len();
    let arms = window.harness.state().editor.document.experiment.arms.len();
    window.execute(Command::AddArm);
    let after = window.harness.state().editor.document.runs().len();
    assert_eq!(after, runs / arms * (arms + 1), "a command waits for no pause, whatever has the focus");
}

#[test]
fn what_starts_while_a_field_is_edited_has_what_was_found_in_the_data_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::sized([1280.0, 1400.0], Some(experiment(folder.path())));
    let app = window.harness.state_mut();
    app.editor.document.experiment.seeds = (1..=MANY_RUNS as u64 + 1).collect();
    app.workspace.selection = Selection::Arm(0);
    assert!(until(&mut window, is_known));
    window.harness.run();
    window.harness.key_press(Key::F2);
    window.harness.run();
    let before = window.id(0, 1);
    let now = window.harness.ctx.input(|input| input.time);
    window.harness.input_mut().time = Some(now);
    std::fs::write(folder.path().join("t.csv"), TABLE.replace("9,1,dog", "9,1,emu")).unwrap();
    window.harness.state_mut().editor.document.forget_stamps();
    let waits = |window: &Window| {
        let document = &window.harness.state().editor.document;
        document.has_changed() && !document.is_looking()
    };
    assert!(until(&mut window, waits), "what was found waits for a pause");
    assert_eq!(window.id(0, 1), before);
    let ctx = window.harness.ctx.clone();
    let step = Step::Start(StartRequest::These(vec![before.clone()]));
    window.harness.state_mut().then(step, &ctx);
    let stage = window.stage.borrow();
    let started: Vec<&String> = stage.jobs.iter().map(|job| &job.run.id).collect();
    assert_eq!(started, [&window.id(0, 1)]);
    assert_ne!(*started[0], before);
}
