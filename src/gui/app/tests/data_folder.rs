//! Data that are not found, and folders that are chosen for them or dropped.

use super::citizen::{drop_on, until};
use super::*;
use crate::dialogs::{Leaving, Next};
use data::{CIFAR10, Data, KnownSet, MNIST};
use doc::templates::Template;

/// A window on an experiment with MNIST in a folder without files.
fn window(folder: &Path) -> Window {
    let file = folder.join("x.ron");
    let dir = folder.join("none").display().to_string();
    let data = format!("Mnist(dir: {dir:?}, validation: 5000)");
    std::fs::write(&file, format!("(data: {data}, arms: [(name: \"a\", plan: [Test])])")).unwrap();
    Window::open(Some(file))
}

fn fill(folder: &Path, set: &KnownSet) -> PathBuf {
    let at = folder.join(set.folders[0]);
    std::fs::create_dir_all(&at).unwrap();
    for name in set.needed {
        std::fs::write(at.join(name), "").unwrap();
    }
    at
}

/// Chooses a folder for the data that are missing.
fn choose(window: &mut Window, folder: &Path) {
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.to_owned()));
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().ask_for_data(&ctx);
    window.harness.step();
    assert!(until(window, |window| !window.harness.state().shell.dropping.is_busy()));
    window.harness.run();
}

fn data(window: &Window) -> Data {
    window.harness.state().editor.document.experiment.data.clone()
}

#[test]
fn a_chosen_folder_with_other_data_leaves_the_experiment_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let before = data(&window);
    fill(&folder.path().join("other"), &CIFAR10);
    choose(&mut window, &folder.path().join("other"));
    assert_eq!(data(&window), before);
    assert!(window.sees("This folder holds CIFAR-10"));
    assert!(window.sees("The experiment needs MNIST: choose the folder with train-images-idx3-ubyte"));
    assert!(window.sees("Details"));
    // The next one is right, and only the folder changes.
    let right = fill(&folder.path().join("right"), &MNIST);
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.path().join("right")));
    let asked = window.stage.borrow().requests.len();
    window.harness.get_by_role_and_label(egui::accesskit::Role::Button, "Choose folder…").click();
    window.harness.step();
    assert_eq!(window.stage.borrow().requests.len(), asked + 1);
    let is_taken = |window: &Window| data(window) != before;
    assert!(until(&mut window, is_taken));
    let right = right.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
    assert_eq!(data(&window), before.clone().in_folder(right));
}

#[test]
fn a_chosen_folder_without_data_says_which_files_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let before = data(&window);
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    choose(&mut window, &empty);
    assert_eq!(data(&window), before);
    assert!(window.sees("This folder does not hold MNIST") && window.sees("t10k-labels-idx1-ubyte"));
    assert!(!window.sees(&empty.display().to_string()), "folded");
    window.click("Details");
    assert!(window.sees(&empty.display().to_string()) && !window.sees("Drop an experiment"));
    window.click("Not now");
    assert_eq!(data(&window), before);
}

#[test]
fn a_dropped_dataset_is_asked_about_before_it_changes_the_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let before = data(&window);
    let cifar = fill(&folder.path().join("other"), &CIFAR10);
    drop_on(&mut window, &cifar);
    assert!(window.sees("Use CIFAR-10 instead of MNIST?"));
    assert_eq!(data(&window), before);
    window.click("Cancel");
    assert_eq!(data(&window), before);
    drop_on(&mut window, &cifar);
    window.click("Use CIFAR-10");
    assert_eq!(data(&window).file_set(), Some("CIFAR-10"));
}

#[test]
fn data_that_are_missing_say_where_they_were_looked_for_and_plots_say_why_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    assert!(window.sees("Nothing can run yet. Data: MNIST not found"));
    assert!(!window.sees("Press Run: curves"));
    window.click("1 problem");
    assert!(window.sees("Choose folder…: Data") && window.sees("Download…: Data"));
    window.click("Details");
    assert!(!window.sees("Mnist(dir:"), "that is for people who write files");
    let looked = folder.path().join("none").display().to_string();
    assert!(window.sees(&looked) && window.sees("train-labels-idx1-ubyte"));
}

#[test]
fn a_template_whose_data_are_missing_asks_for_their_folder() {
    let with_files = |template: &Template| template.experiment().data.file_set().is_some();
    for template in doc::templates::all().into_iter().filter(with_files) {
        let mut window = Window::new();
        let ctx = window.harness.ctx.clone();
        window.harness.state_mut().proceed(Leaving::to(Next::New(template)), &ctx);
        window.harness.run();
        let app = window.harness.state();
        let is_missing = app.editor.document.problems().iter().any(|problem| problem.lacks_folder);
        let set = template.experiment().data.file_set().unwrap();
        assert_eq!(window.sees(&format!("This experiment needs {set}")), is_missing, "{}", template.name);
    }
}

#[test]
fn data_that_were_found_once_are_found_by_the_next_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let mnist = fill(&folder.path().join("right"), &MNIST);
    choose(&mut window, &mnist);
    assert!(window.harness.state().editor.document.first_error().is_none());
    let text = "(data: Mnist(), arms: [(name: \"a\", plan: [Test])])";
    let next = folder.path().join("next.ron");
    std::fs::write(&next, text).unwrap();
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().shell.dialog = None;
    let discarded = std::sync::Arc::new(window.harness.state().editor.document.experiment.clone());
    let leaving = Leaving { discarded: Some(discarded), ..Leaving::to(Next::Open(next.clone())) };
    window.harness.state_mut().proceed(leaving, &ctx);
    window.harness.run();
    let document = &window.harness.state().editor.document;
    assert_eq!(document.path(), Some(next.as_path()));
    assert!(document.first_error().is_none(), "{:?}", document.first_error());
    assert!(!document.is_unsaved() && window.log().contains("Took MNIST from "), "{}", window.log());
    // Folders of other machines are no use.
    std::fs::remove_dir_all(&mnist).unwrap();
    let app = window.harness.state_mut();
    app.editor.document.experiment.data = Data::all()[2].clone();
    window.harness.run();
    assert!(window.sees("1 problem"));
}
