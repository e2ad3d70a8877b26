//! What is noted about an arm, and its results, archived and restored.

use eframe::egui::accesskit::Role;

use super::*;

/// A window with two arms of two runs, whose results lie in a folder: marks are written beside them.
fn window(folder: &Path) -> Window {
    let file = folder.join("x.ron");
    let arms = "(name: \"a\", plan: [Test]), (name: \"b\", plan: [Train(\"1ep\")])";
    std::fs::write(&file, format!("(seeds: [1, 2], arms: [{arms}])")).unwrap();
    let mut window = Window::open(Some(file));
    window.click("Run all");
    for run in [2, 3] {
        window.carry_out(run, &[0.5]);
    }
    window.hang_up();
    window
}

#[test]
fn an_arm_is_noted_in_its_menu_and_its_results_stay_when_the_question_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    window.harness.get_by_role_and_label(Role::TreeItem, "b").click_secondary();
    window.harness.run();
    window.harness.get_by_label("Note on the arm").focus();
    window.harness.run();
    window.harness.get_by_label("Note on the arm").type_text("baseline");
    window.harness.run();
    window.click("Star the arm");
    let mark = window.harness.state().workspace.compare.view.marks["arm:b"].clone();
    assert!(mark.starred && mark.note == "baseline", "{mark:?}");
    window.execute(Command::ArchiveArm);
    assert!(window.sees("Archive 2 runs?"));
    window.click("Cancel");
    assert_eq!(window.harness.state().results_of(1).len(), 2);
    window.harness.state_mut().workspace.selection = Selection::Arm(0);
    let refusal = window.harness.state().refusal(Command::ArchiveArm);
    assert_eq!(refusal.as_deref(), Some("The selected arm has no results"));
}

/// The window, with run directories of the second arm, which is then archived.
fn archived(folder: &Path) -> Window {
    let mut window = window(folder);
    let app = window.harness.state();
    let results = app.editor.results();
    for run in app.editor.document.runs().iter().filter(|run| run.arm_index == 1) {
        std::fs::create_dir_all(results.join(&run.id)).unwrap();
        let about = format!("(arm: \"b\", seed: {}, program: \"weightlab\", spec: ())", run.seed);
        std::fs::write(results.join(&run.id).join("run.ron"), about).unwrap();
    }
    window.harness.state_mut().workspace.selection = Selection::Arm(1);
    window.execute(Command::ArchiveArm);
    window.click("Archive");
    window
}

#[test]
fn archived_results_of_an_arm_leave_the_plots_and_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = archived(folder.path());
    let results = window.harness.state().editor.results();
    assert!(window.log().contains("Archived 2 runs"), "{}", window.log());
    assert!(window.harness.state().results_of(1).is_empty());
    assert_eq!(run::trashed(&results).len(), 2);
    window.execute(Command::Undo);
    assert!(run::trashed(&results).is_empty());
    window.execute(Command::Redo);
    assert_eq!(run::trashed(&results).len(), 2);
    window.click("Runs");
    window.click("Menu of Runs");
    window.click("Archived runs (2)");
    window.click("Restore b, seed 1");
    assert_eq!(run::trashed(&results).len(), 1);
}

#[test]
fn archived_runs_say_so_are_not_run_again_by_run_and_all_come_back_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = archived(folder.path());
    // Both runs of the first arm are left: only they would start.
    assert!(window.sees("archived") && window.sees("2 runs to do"), "{}", window.log());
    let second = window.id(1, 1);
    assert_eq!(window.harness.state().runner.runs.word(&second), "archived");
    window.click("Run all");
    let arms: Vec<usize> = window.stage.borrow().jobs.iter().map(|job| job.run.arm_index).collect();
    assert_eq!(arms, [0, 0]);
    for run in 0..2 {
        window.carry_out(run, &[0.5]);
    }
    window.hang_up();
    assert!(window.sees("All runs are done or archived"));
    let refusal = window.harness.state().refusal(Command::RunAll).unwrap();
    assert!(refusal.contains("archived"), "{refusal}");
    window.execute(Command::RestoreArchived);
    let results = window.harness.state().editor.results();
    assert!(run::trashed(&results).is_empty() && window.log().contains("Restored 2 runs"));
    let refusal = window.harness.state().refusal(Command::RestoreArchived);
    assert_eq!(refusal.as_deref(), Some("No run is archived"));
}

#[test]
fn an_archived_run_runs_again_only_when_it_is_chosen_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = archived(folder.path());
    window.select(Selection::Arm(1));
    assert!(window.harness.state().refusal(Command::RunSelected).is_some());
    let id = window.id(1, 2);
    window.select(Selection::Run { arm: 1, id });
    window.execute(Command::RunSelected);
    assert_eq!(window.stage.borrow().jobs.len(), 1);
}

#[test]
fn return_ends_no_line_of_a_note_on_an_arm() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    window.harness.get_by_role_and_label(Role::TreeItem, "b").click_secondary();
    window.harness.run();
    window.harness.get_by_label("Note on the arm").focus();
    window.harness.run();
    window.harness.get_by_label("Note on the arm").type_text("base");
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(window.harness.state().workspace.compare.view.marks["arm:b"].note, "base");
}
