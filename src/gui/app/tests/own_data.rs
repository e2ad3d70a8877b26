//! Data of the user's in the window: looked at in the background, when they are opened, dropped, changed or undone.

use super::citizen::{drop_on, until};
use super::dropped_weights::write_zeros;
use super::*;
use crate::dialogs::{Leaving, Next};
use data::Data;
use form::path::Place;

pub(super) const TABLE: &str = "a,b,kind\n1,2,cat\n3,4,dog\n5,6,cat\n7,8,cow\n9,1,dog\n";

pub(super) fn experiment(folder: &Path) -> PathBuf {
    std::fs::write(folder.join("t.csv"), TABLE).unwrap();
    let path = folder.join("x.ron");
    let text = "(data: Csv(file: \"t.csv\", label: \"kind\"), net: Mlp(hidden: [4]), arms: [(name: \"a\", plan: [Test])])";
    std::fs::write(&path, text).unwrap();
    path
}

fn classes(window: &Window) -> Vec<String> {
    let runs = window.harness.state().editor.document.runs();
    let names = runs.first().map(|run| run.spec.data.class_names()).unwrap_or_default();
    names.iter().map(str::to_owned).collect()
}

pub(super) fn is_known(window: &Window) -> bool {
    !classes(window).is_empty() && window.harness.state().editor.document.first_error().is_none()
}

#[test]
fn a_look_at_data_is_no_edit_and_undo_does_not_forget_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::open(Some(experiment(folder.path())));
    assert!(until(&mut window, is_known), "{:?}", window.harness.state().editor.document.problems());
    assert_eq!(classes(&window), ["cat", "cow", "dog"]);
    let document = &window.harness.state().editor.document;
    assert!(!document.is_unsaved());
    assert_eq!(window.harness.state().editor.history.undoes(), None);
    window.edit();
    window.execute(Command::Undo);
    assert!(until(&mut window, is_known) && classes(&window).len() == 3);
    let before = window.id(0, 1);
    window.harness.state_mut().editor.document.save(&folder.path().join("y.ron")).unwrap();
    let saved = std::fs::read_to_string(folder.path().join("y.ron")).unwrap();
    assert!(!saved.contains("found") && !saved.contains("cow"), "{saved}");
    assert_eq!(window.id(0, 1), before);
}

#[test]
fn what_is_found_in_data_is_logged_once_for_each_choice_and_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::open(Some(experiment(folder.path())));
    let count = |window: &Window, line: &str| window.log().matches(line).count();
    let table = "Table (CSV), t.csv: 4 for training, 0 for validation, 1 for testing; 3 classes";
    assert!(until(&mut window, |window| count(window, table) == 1), "{}", window.log());
    window.edit();
    std::fs::write(folder.path().join("t.csv"), TABLE.replace("9,1,dog", "9,1,emu")).unwrap();
    window.harness.state_mut().editor.document.forget_stamps();
    let changed = table.replace("3 classes", "4 classes");
    assert!(until(&mut window, |window| count(window, &changed) == 1), "{}", window.log());
    window.harness.state_mut().editor.document.experiment.data = Data::Iris(data::Iris::default());
    let iris = "Iris (built in): 120 for training, 0 for validation, 30 for testing; 3 classes";
    assert!(until(&mut window, |window| count(window, iris) == 1), "{}", window.log());
    assert_eq!(count(&window, table), 1, "{}", window.log());
    assert!(!Window::new().log().contains("for testing"), "an experiment that is opened has no news");
}

#[test]
fn data_that_are_gone_are_a_problem_until_they_are_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = experiment(folder.path());
    std::fs::rename(folder.path().join("t.csv"), folder.path().join("away")).unwrap();
    let mut window = Window::open(Some(path));
    let error = |window: &Window| {
        let error = window.harness.state().editor.document.first_error();
        error.map(ToString::to_string).unwrap_or_default()
    };
    assert!(
        until(&mut window, |window| error(window).contains("t.csv: cannot be found")),
        "{}",
        error(&window)
    );
    let Data::Csv(csv) = &mut window.harness.state_mut().editor.document.experiment.data else { panic!() };
    csv.file = "away".to_owned();
    assert!(until(&mut window, is_known), "{}", error(&window));
}

#[test]
fn a_table_that_is_dropped_becomes_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("animals.csv");
    std::fs::write(&path, TABLE).unwrap();
    let mut window = Window::new();
    drop_on(&mut window, &path);
    window.click("Use Table (CSV)");
    let Data::Csv(csv) = &window.harness.state().editor.document.experiment.data else { panic!() };
    assert_eq!((csv.file.as_str(), csv.label.as_str()), (&*path.to_string_lossy(), "kind"));
    assert!(until(&mut window, |window| classes(window).len() == 3));
    // The path leads to the table from every place of the experiment, also where another one has its name.
    std::fs::create_dir(folder.path().join("b")).unwrap();
    std::fs::write(folder.path().join("b/animals.csv"), TABLE.replace("dog", "emu")).unwrap();
    let whole = path.to_string_lossy().into_owned();
    let places = [
        ("x.ron", Command::Save, "animals.csv"),
        ("b/x.ron", Command::SaveAs, &whole),
        ("y.ron", Command::SaveAs, &whole),
    ];
    for (place, command, written) in places {
        window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.path().join(place)));
        window.execute(command);
        window.harness.run();
        let document = &window.harness.state().editor.document;
        assert!(!document.is_unsaved() && document.path() == Some(&folder.path().join(place)));
        let Data::Csv(csv) = &document.experiment.data else { panic!() };
        assert_eq!(csv.file, written, "{place}");
        assert!(until(&mut window, |window| classes(window) == ["cat", "cow", "dog"]), "{place}");
    }
    window.execute(Command::Undo);
    let data = &window.harness.state().editor.document.experiment.data;
    assert!(!data.needs_look(), "saving is no step to undo: {data:?}");
}

#[test]
fn files_of_the_same_length_and_age_are_told_from_those_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::open(Some(experiment(folder.path())));
    assert!(until(&mut window, is_known));
    let path = folder.path().join("t.csv");
    let before = path.metadata().unwrap().modified().unwrap();
    std::fs::write(&path, TABLE.replace("dog", "emu")).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
    assert!(seen(&mut window, |window| classes(window) == ["cat", "cow", "emu"]), "{:?}", classes(&window));
}

/// As [`until`], for changes of files, which the window looks for every two seconds.
fn seen(window: &mut Window, holds: impl Fn(&Window) -> bool) -> bool {
    until(window, &holds) || until(window, &holds)
}

#[test]
fn results_of_a_replaced_checkpoint_are_outdated_and_say_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let (file, weights) = (folder.path().join("x.ron"), folder.path().join("w.safetensors"));
    let text = "(data: Iris(), net: Mlp(hidden: [2]), arms: [(name: \"dense\", plan: [Do(Import(file: \"w.safetensors\")), Test])])";
    std::fs::write(&file, text).unwrap();
    let all: [(&str, &[usize]); 5] = [
        ("fc1.weight", &[2, 4]),
        ("fc1.bias", &[2]),
        ("fc2.weight", &[3, 2]),
        ("fc2.bias", &[3]),
        ("more", &[1]),
    ];
    write_zeros(&weights, &all);
    let mut window = Window::open(Some(file));
    let is_ready = |window: &Window| !window.harness.state().editor.document.is_looking();
    assert!(until(&mut window, is_ready));
    let before = window.id(0, 1);
    window.click("Run all");
    window.carry_out(0, &[0.5, 0.5]);
    window.hang_up();
    assert!(!window.sees("outdated"));
    write_zeros(&weights, &all[..4]);
    assert!(seen(&mut window, |window| window.id(0, 1) != before), "the file is seen to have changed");
    assert!(seen(&mut window, |window| window.sees("outdated")));
    let app = window.harness.state();
    let why = app.runner.runs.changed_inputs(&app.editor.document.runs()[0]).unwrap();
    assert!(why.starts_with("w.safetensors changed (SHA-256 begins "), "{why}");
    write_zeros(&weights, &all);
    assert!(seen(&mut window, |window| window.id(0, 1) == before), "the file is back");
    assert!(seen(&mut window, |window| !window.sees("outdated")));
}

/// Writes pictures of 12 pixels in two classes; returns their folder.
fn write_pictures(folder: &Path) -> PathBuf {
    let shapes = folder.join("shapes");
    for class in ["round", "square"] {
        std::fs::create_dir_all(shapes.join(class)).unwrap();
        for number in 0_u8..10 {
            let picture = [&b"P5\n12 12\n255\n"[..], &[number; 144]].concat();
            std::fs::write(shapes.join(class).join(format!("{number}.pgm")), picture).unwrap();
        }
    }
    shapes
}

fn pictures(window: &Window) -> data::Images {
    let Data::Images(images) = &window.harness.state().editor.document.experiment.data else { panic!() };
    images.clone()
}

#[test]
fn a_dropped_folder_is_found_by_runs_and_views_wherever_the_experiment_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let shapes = write_pictures(folder.path());
    let whole = shapes.to_string_lossy().into_owned();
    let mut window = Window::sized([1440.0, 1000.0], None);
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().proceed(Leaving::to(Next::New(doc::templates::BLANK)), &ctx);
    window.harness.run();
    drop_on(&mut window, &shapes);
    window.click("Use Folders of images");
    assert_eq!([pictures(&window).resize, pictures(&window).crop], [12, 12], "not enlarged");
    assert!(until(&mut window, is_known));
    window.click("Run all");
    let is_begun = |window: &Window| !window.stage.borrow().jobs.is_empty();
    assert!(until(&mut window, is_begun));
    let job = window.stage.borrow().jobs[0].clone();
    assert!(
        job.run.spec.data.check_files(&job.base).is_ok(),
        "{:?} in {}",
        job.run.spec.data,
        job.base.display()
    );
    window.carry_out(0, &[0.5, 0.5]);
    window.hang_up();
    // Dropped again, now that the experiment has an untitled file: the folder stays whole.
    drop_on(&mut window, &shapes);
    assert_eq!(pictures(&window).dir, whole);
    let sees_pictures = |window: &Window| window.sees("4 samples") && !window.sees("cannot be found");
    for place in ["here/x.ron", "x.ron", "there/x.ron"] {
        let path = folder.path().join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        window.stage.borrow_mut().answer = Some(PathAnswer::Path(path.clone()));
        window.execute(Command::SaveAs);
        let open = Leaving::to(Next::Open(path.clone()));
        window.harness.state_mut().proceed(open, &ctx);
        window.harness.run();
        assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
        assert!(
            until(&mut window, is_known),
            "{place}: {:?}",
            window.harness.state().editor.document.problems()
        );
        window.harness.state_mut().workspace.tiles.change(crate::tiles::LayoutChange::Show("data"));
        assert!(until(&mut window, sees_pictures), "{place}");
    }
}

#[test]
fn a_class_without_a_picture_for_testing_is_a_note_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let shapes = write_pictures(folder.path());
    std::fs::create_dir(shapes.join("tri")).unwrap();
    std::fs::copy(shapes.join("round/1.pgm"), shapes.join("tri/1.pgm")).unwrap();
    let mut window = Window::new();
    drop_on(&mut window, &shapes);
    window.click("Use Folders of images");
    assert!(until(&mut window, is_known));
    let problems = window.harness.state().editor.document.problems();
    let is_note = |problem: &doc::Problem| {
        problem.severity == doc::Severity::Note
            && problem.message.contains("tri has no sample in the test part")
    };
    assert!(problems.iter().any(is_note), "{problems:?}");
}

#[test]
fn a_folder_that_is_chosen_for_pictures_brings_their_size_along_once() {
    let folder = tempfile::tempdir().unwrap();
    let shapes = write_pictures(folder.path());
    let mut window = Window::new();
    let chosen = |window: &mut Window, path: &Path| {
        window.stage.borrow_mut().answer = Some(PathAnswer::Path(path.to_owned()));
        let ctx = window.harness.ctx.clone();
        let request = crate::inspector::InspectorRequest::Browse(
            Place::default().key("data").variant("Images").key("dir"),
            form::Names::Folder,
        );
        window.harness.state_mut().answer_inspector(request, &ctx);
        window.harness.step();
        assert!(until(window, |window| !window.harness.state().shell.dropping.is_busy()));
        window.harness.run();
        pictures(window)
    };
    window.harness.state_mut().editor.document.experiment.data = Data::Images(data::Images::default());
    window.harness.run();
    let found = chosen(&mut window, &shapes);
    assert_eq!([found.resize, found.crop], [12, 12]);
    assert_eq!(found.dir, shapes.to_string_lossy());
    // Another folder leaves settings as they are, and one without pictures says so at its field.
    let Data::Images(images) = &mut window.harness.state_mut().editor.document.experiment.data else {
        panic!()
    };
    images.resize = 16;
    window.harness.run();
    let moved = folder.path().join("moved");
    std::fs::rename(&shapes, &moved).unwrap();
    assert_eq!(chosen(&mut window, &moved).resize, 16);
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert_eq!(chosen(&mut window, &empty).dir, empty.to_string_lossy());
    assert!(until(&mut window, |window| window.sees("1 problem")));
}
