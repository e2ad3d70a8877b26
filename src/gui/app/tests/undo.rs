//! Undo and redo of all that is edited: the document, how its results are looked at, the trash.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::history::{CurrentState, EditState};
use crate::tiles::LayoutChange;

fn undoes(window: &Window) -> Option<&'static str> {
    window.harness.state().editor.history.undoes()
}

/// All that can be undone, as it is now.
fn state(window: &Window) -> EditState {
    let app = window.harness.state();
    let (experiment, view) = (&app.editor.document.experiment, &app.workspace.compare.view);
    EditState::new(CurrentState { experiment, view, tiles: app.workspace.tiles.tiles(), typed: &[] })
}

/// Returns the part of the document that differs from before.
fn change(before: &EditState, window: &Window) -> Option<&'static str> {
    let now = state(window);
    before.change(CurrentState {
        experiment: &now.experiment,
        view: &now.view,
        tiles: &now.tiles,
        typed: &[],
    })
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.harness.key_press_modifiers(modifiers, key);
    window.harness.run();
}

#[test]
fn what_is_typed_and_chosen_about_views_is_taken_back_in_one_order_with_the_document() {
    let mut window = Window::new();
    window.harness.state_mut().workspace.tiles.change(LayoutChange::Show("runs"));
    window.harness.run();
    let before = state(&window);
    window.harness.get_by_label("Filter").focus();
    window.harness.run();
    for text in ["seed", " = 1"] {
        window.harness.event(egui::Event::Text(text.to_owned()));
        window.harness.run();
    }
    assert_eq!(window.harness.state().workspace.compare.view.filter, "seed = 1");
    assert_eq!(undoes(&window), Some("filter"));
    window.execute(Command::AddArm);
    window.execute(Command::CloseView);
    assert!(!window.harness.state().workspace.has_view("runs"));
    window.execute(Command::Undo);
    assert!(window.harness.state().workspace.has_view("runs") && undoes(&window) == Some("new arm"));
    window.execute(Command::Undo);
    assert_eq!(window.harness.state().editor.document.experiment.arms.len(), 4);
    window.harness.get_by_label("Filter").focus();
    window.harness.run();
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(
        window.harness.state().workspace.compare.view.filter,
        "",
        "typed in two pieces, taken back as one"
    );
    assert_eq!((undoes(&window), change(&before, &window)), (None, None));
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    }
    assert_eq!(window.harness.state().workspace.compare.view.filter, "seed = 1");
    assert!(!window.harness.state().workspace.has_view("runs") && undoes(&window) == Some("layout"));
    window.click("Edit");
    assert!(window.harness.query_by_label("Undo").is_some(), "what is undone is not part of the name");
}

#[test]
fn a_renamed_arm_takes_its_marks_and_hidden_lines_back_to_the_old_name() {
    let mut window = Window::new();
    let app = window.harness.state_mut();
    app.workspace.compare.view.marks.entry("arm:dense".to_owned()).or_default().note = "baseline".to_owned();
    window.harness.run();
    let before = state(&window);
    window.harness.state_mut().editor.document.experiment.arms[0].name = "full".to_owned();
    window.harness.run();
    assert_eq!(window.harness.state().workspace.compare.view.marks["arm:full"].note, "baseline");
    window.execute(Command::Undo);
    assert_eq!(change(&before, &window), None);
    assert_eq!(window.harness.state().workspace.compare.view.marks["arm:dense"].note, "baseline");
    window.execute(Command::Redo);
    assert!(!window.harness.state().workspace.compare.view.marks.contains_key("arm:dense"));
}

#[test]
fn what_comes_by_itself_is_no_edit() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    window.say(0, Event::Finished { secs: 1.0 });
    window.hang_up();
    window.execute(Command::ToggleLog);
    assert_eq!(undoes(&window), None);
}

/// Edits by what the app has: 0 to 9, with a number.
fn edit(window: &mut Window, kind: u8, size: u8) {
    let number = usize::from(size);
    let app = window.harness.state_mut();
    let arms = app.editor.document.experiment.arms.len();
    match kind {
        0 => app.editor.document.experiment.seeds.push(u64::from(size)),
        1 if arms > 0 => {
            app.editor.document.experiment.arms[number % arms].name = format!("arm {}", number % 7);
        }
        2 if arms > 0 => drop(app.editor.document.experiment.arms.remove(number % arms)),
        3 => app.execute(Command::AddArm, &egui::Context::default()),
        4 => app.workspace.compare.view.filter = format!("seed < {number}"),
        5 => {
            app.workspace.compare.view.marks.entry(format!("arm:arm {}", number % 7)).or_default().starred ^=
                true;
        }
        6 => app.workspace.compare.view.notes.push('x'),
        7 => app.workspace.plot.options.smoothing = f64::from(size % 90) / 100.0,
        8 => app.workspace.tiles.change(LayoutChange::CloseActive),
        _ => {
            app.workspace.tiles.change(LayoutChange::Show(["loss", "runs", "notes", "accuracy"][number % 4]));
        }
    }
    window.harness.run_steps(1);
}

#[test]
fn random_edits_are_all_taken_back_and_all_made_again() {
    let edits = prop::collection::vec((0_u8..10, 0_u8..100), 1..12);
    let mut runner = TestRunner::new(Config { cases: 6, failure_persistence: None, ..Config::default() });
    let property = |edits: Vec<(u8, u8)>| {
        let mut window = Window::new();
        let start = state(&window);
        for (kind, number) in edits {
            edit(&mut window, kind, number);
        }
        let end = state(&window);
        while undoes(&window).is_some() {
            window.harness.state_mut().step_history(History::undo);
            window.harness.run_steps(1);
        }
        prop_assert_eq!(change(&start, &window), None);
        while window.harness.state().editor.history.redoes().is_some() {
            window.harness.state_mut().step_history(History::redo);
            window.harness.run_steps(1);
        }
        prop_assert_eq!(change(&end, &window), None);
        Ok(())
    };
    runner.run(&edits, property).unwrap();
}

#[test]
fn a_moved_stage_stays_selected_when_the_move_is_undone() {
    let mut window = Window::new();
    let select = |window: &mut Window, path: &[usize]| {
        window.select(Selection::Stage { arm: 1, path: path.to_vec() });
    };
    let selected = |window: &Window| window.harness.state().workspace.selection.clone();
    let at = |path: &[usize]| Selection::Stage { arm: 1, path: path.to_vec() };
    select(&mut window, &[1]);
    window.execute(Command::MoveStageDown);
    assert_eq!(selected(&window), at(&[2]));
    window.execute(Command::Undo);
    assert_eq!(selected(&window), at(&[1]));
    window.execute(Command::Redo);
    assert_eq!(selected(&window), at(&[2]));
    window.select(Selection::Arm(1));
    window.execute(Command::MoveArmDown);
    window.execute(Command::Undo);
    window.execute(Command::Undo);
    assert_eq!(selected(&window), Selection::Arm(1), "the arm has its place again");
}
