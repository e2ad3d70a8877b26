//! Opening, saving and closing, with questions before anything is lost.

use super::*;
use crate::dialogs::{Dialog, Leaving, Next};
use crate::document::Document;
use crate::recovery::UnsavedEdits;

#[test]
fn an_edit_marks_the_title_and_closing_asks() {
    let mut window = Window::new();
    window.ask_to_close();
    assert!(!window.asked_viewport_to(&ViewportCommand::CancelClose), "nothing to lose, so it closes");
    let mut window = Window::new();
    assert!(!window.harness.state().shell.title.starts_with('●'));
    window.edit();
    assert!(window.harness.state().shell.title.starts_with('●'));
    window.ask_to_close();
    assert!(window.asked_viewport_to(&ViewportCommand::CancelClose));
    window.harness.run();
    window.click("Cancel");
    assert!(!window.sees("Discard"));
    window.ask_to_close();
    window.harness.run();
    window.harness.get_by_label("Discard").click();
    window.harness.step();
    window.harness.step();
    assert!(window.harness.state().shell.may_close);
}

#[test]
fn a_window_that_closes_without_a_question_finishes_files_and_notes() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let mut window = Window::open(Some(path.clone()));
    window.click("Run all");
    window.carry_out(0, &[0.5, 0.5]);
    window.hang_up();
    let figure = folder.path().join("figure.svg");
    let ctx = window.harness.ctx.clone();
    let app = window.harness.state_mut();
    app.export(vec![figure.clone()], &app.workspace.subject(), &ctx);
    app.workspace.compare.view.filter = "seed = 1".to_owned();
    eframe::App::on_exit(app, None);
    assert!(figure.is_file());
    let kept = results::view::ViewSettings::read(&run::folder_of(&path)).unwrap();
    assert_eq!(kept.filter, "seed = 1");
}

#[test]
fn closing_while_running_asks_and_waits_for_the_runs() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.ask_to_close();
    window.harness.run();
    window.click("Stop and quit");
    assert_eq!(window.stage.borrow().stops, [StopKind::Now]);
    assert!(!window.harness.state().shell.may_close && window.harness.state().steps.len() == 1);
    window.hang_up();
    assert!(window.harness.state().shell.may_close);
}

#[test]
fn saving_asks_for_a_path_once_and_then_closes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine");
    let mut window = Window::new();
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(path.clone()));
    window.edit();
    window.ask_to_close();
    window.harness.run();
    window.click("Save");
    assert!(path.with_extension("ron").is_file());
    assert!(window.harness.state().shell.may_close);
    assert_eq!(window.stage.borrow().requests.len(), 1);
}

#[test]
fn a_broken_file_is_refused_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.ron");
    std::fs::write(&path, "Experiment(\n    nmae: \"x\",\n)\n").unwrap();
    let window = Window::open(Some(path));
    assert!(window.sees("broken.ron:2:5"), "{}", window.log());
    assert!(window.sees("    nmae: \"x\",\n    ^"), "the line, with a mark below the column");
    assert!(window.sees("The file cannot be opened"));
}

#[test]
fn without_a_file_dialog_a_path_can_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typed.ron");
    std::fs::write(&path, doc::templates::all()[1].text).unwrap();
    let mut window = Window::new();
    window.stage.borrow_mut().answer = Some(PathAnswer::Unavailable);
    window.execute(Command::Open);
    let field = window.harness.get_by_label("Path");
    field.focus();
    field.type_text(&path.to_string_lossy());
    window.harness.run();
    // What was there before is the folder to begin with; the text is replaced as a person would.
    if let Some(Dialog::Path { text, .. }) = &mut window.harness.state_mut().shell.dialog {
        *text = path.to_string_lossy().into_owned();
    }
    window.harness.run();
    window.click("Open");
    assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
}

#[test]
fn a_typed_path_is_completed_and_is_that_of_a_folder_where_one_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["pictures/cat", "pictures/dog", "plain"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("pictures.zip"), "").unwrap();
    let mut window = Window::new();
    window.stage.borrow_mut().answer = Some(PathAnswer::Unavailable);
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().ask_for_data(&ctx);
    window.harness.run();
    assert!(window.sees("Type the path of the folder; Tab completes it."));
    if let Some(Dialog::Path { text, .. }) = &mut window.harness.state_mut().shell.dialog {
        *text = format!("{}/pi", folder.path().display());
    }
    window.harness.get_by_label("Path").focus();
    window.harness.run();
    window.harness.key_press(Key::Tab);
    window.harness.run();
    let typed = |window: &Window| match &window.harness.state().shell.dialog {
        Some(Dialog::Path { text, .. }) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(typed(&window), format!("{}/pictures/", folder.path().display()));
    window.harness.key_press(Key::Tab);
    window.harness.run();
    assert!(typed(&window).ends_with("/pictures/"), "cat and dog have nothing in common");
    window.harness.get_by_label("Path").type_text("d");
    window.harness.key_press(Key::Tab);
    window.harness.run();
    assert_eq!(typed(&window), format!("{}/pictures/dog/", folder.path().display()));
}

#[test]
fn the_name_of_an_experiment_follows_its_file_unless_somebody_gave_it_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::new();
    let save = |window: &mut Window, name: &str| {
        window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.path().join(name)));
        window.execute(Command::SaveAs);
        window.harness.state().editor.document.experiment.name.clone()
    };
    assert_eq!(save(&mut window, "mnist_own.ron"), "mnist_own");
    assert_eq!(save(&mut window, "again.ron"), "again");
    window.harness.state_mut().editor.document.experiment.name = "Mine".to_owned();
    window.harness.run();
    assert_eq!(save(&mut window, "third.ron"), "Mine");
}

#[test]
fn errors_of_an_experiment_are_not_counted_in_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::open(Some(saved_template(folder.path())));
    window.harness.state_mut().log.error("a failed");
    window.harness.run();
    assert!(window.sees("1 new error"));
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().proceed(Leaving::to(Next::New(doc::templates::BLANK)), &ctx);
    window.harness.run();
    assert!(!window.sees("1 new error"));
}

#[test]
fn comments_between_settings_are_asked_about_before_they_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ron");
    let text = doc::templates::all()[1].text.replacen("seeds", "/* few */ seeds", 1);
    std::fs::write(&path, &text).unwrap();
    let mut window = Window::open(Some(path.clone()));
    window.edit();
    window.execute(Command::Save);
    assert!(window.sees("Saving would lose comments"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    window.click("Save without them");
    assert!(!std::fs::read_to_string(&path).unwrap().contains("few"));
}

#[test]
fn enter_takes_the_typed_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typed.ron");
    std::fs::write(&path, doc::templates::all()[1].text).unwrap();
    let mut window = Window::new();
    window.stage.borrow_mut().answer = Some(PathAnswer::Unavailable);
    window.execute(Command::Open);
    if let Some(Dialog::Path { text, .. }) = &mut window.harness.state_mut().shell.dialog {
        *text = path.to_string_lossy().into_owned();
    }
    window.harness.get_by_label("Path").focus();
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
}

#[test]
fn an_extension_that_was_added_replaces_no_file_without_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.ron");
    std::fs::write(&path, "of somebody").unwrap();
    let mut window = Window::new();
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.path().join("mine")));
    window.execute(Command::SaveAs);
    assert!(window.sees("Replace the file?"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "of somebody");
    window.click("Replace");
    assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
}

#[test]
fn edits_while_a_file_is_chosen_are_asked_about_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.ron");
    std::fs::write(&path, doc::templates::all()[1].text).unwrap();
    let mut window = Window::new();
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(path.clone()));
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().execute(Command::Open, &ctx);
    window.edit();
    assert!(window.sees("Save changes to"));
    window.click("Discard");
    assert_eq!(window.harness.state().editor.document.path(), Some(path.as_path()));
    window.edit();
    window.execute(Command::Open);
    window.click("Discard");
    assert!(!window.sees("Save changes to") && !window.harness.state().editor.document.is_unsaved());
}

#[test]
fn after_saving_as_another_file_the_states_are_those_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("first.ron");
    std::fs::write(&path, doc::templates::all()[0].text).unwrap();
    let mut window = Window::open(Some(path));
    window.click("Run all");
    window.say(0, started());
    window.say(0, Event::Finished { secs: 1.0 });
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.path().join("second.ron")));
    window.execute(Command::SaveAs);
    assert!(window.sees("1 of 3"));
    window.hang_up();
    assert!(!window.sees("1 of 3") && window.sees("12 runs to do"));
}

#[test]
fn a_file_that_is_opened_at_the_start_is_all_that_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved_template(folder.path());
    let opened = |window: &Window| window.harness.state().editor.document.path().map(Path::to_owned);
    let window = Window::open(Some(path.clone()));
    assert!(opened(&window) == Some(path) && !window.log().contains("/nowhere"));
    let broken = Window::open(Some(folder.path().join("none.ron")));
    assert!(opened(&broken).is_none() && broken.sees("The file cannot be opened"));
}

#[test]
fn an_experiment_without_arms_says_what_to_do() {
    let mut window = Window::new();
    while !window.harness.state().editor.document.experiment.arms.is_empty() {
        window.harness.state_mut().workspace.selection = Selection::Arm(0);
        window.execute(Command::RemoveArm);
    }
    window.harness.run();
    assert!(window.sees("There are no arms yet") && window.sees("No arm yet"));
    assert!(!window.sees("All runs are done"));
}

#[test]
fn runs_that_are_asked_for_while_results_are_read_start_when_these_are_known() {
    let mut window = Window::new();
    let (sender, results) = sync_channel(1);
    window.stage.borrow_mut().results = Some(results);
    window.edit();
    window.execute(Command::RunAll);
    assert!(window.stage.borrow().jobs.is_empty(), "the window goes on meanwhile");
    let runs = window.harness.state().editor.document.runs();
    let (all, last) = (runs.len(), runs[runs.len() - 1].id.clone());
    sender.send((last, RunRecord::from_events([started(), Event::Finished { secs: 1.0 }]))).unwrap();
    drop(sender);
    window.harness.run();
    assert_eq!(window.stage.borrow().jobs.len(), all - 1, "one of them was done long ago");
}

#[test]
fn a_document_has_a_file_from_its_first_run_and_saving_as_renames_it_once_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("mine.ron");
    let mut window = Window::new();
    let title = window.harness.state().editor.document.title();
    let path = |window: &Window| window.harness.state().editor.document.path().map(Path::to_owned);
    assert_eq!(path(&window), None);
    window.click("Run all");
    let untitled = path(&window).unwrap();
    assert!(untitled.ends_with("untitled-1.ron") && untitled.is_file());
    let app = window.harness.state();
    assert!(app.editor.document.title() == title && !app.editor.document.is_unsaved());
    let run = window.stage.borrow().jobs[0].clone();
    assert_eq!(run.folder, untitled.with_extension("runs"));
    std::fs::create_dir_all(run.folder.join(&run.run.id)).unwrap();
    window.carry_out(0, &[0.5]);
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(to.clone()));
    window.execute(Command::SaveAs);
    assert!(path(&window) == Some(untitled.clone()) && !to.exists(), "runs write there");
    assert!(window.log().contains("once its runs have ended"), "{}", window.log());
    window.hang_up();
    assert_eq!(path(&window), Some(to.clone()));
    assert!(to.is_file() && to.with_extension("runs").join(&run.run.id).is_dir());
    assert!(!untitled.exists() && !untitled.with_extension("runs").exists());
    assert!(window.sees("1 of 3"), "they are the same runs");
    assert_eq!(window.harness.state().shell.settings.recent.files(), [to]);
}

#[test]
fn saving_as_keeps_a_file_that_nobody_has_named_where_its_results_cannot_follow() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("mine.ron");
    std::fs::create_dir(to.with_extension("runs")).unwrap();
    let mut window = Window::new();
    window.click("Run all");
    window.hang_up();
    let untitled = window.harness.state().editor.document.path().unwrap().to_owned();
    std::fs::create_dir_all(untitled.with_extension("runs")).unwrap();
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(to.clone()));
    window.execute(Command::SaveAs);
    assert!(to.is_file() && untitled.is_file());
    assert!(window.log().contains("mine.runs is there already"), "{}", window.log());
}

#[test]
fn without_a_folder_for_its_file_an_experiment_does_not_run() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("untitled"), "no folder").unwrap();
    let mut window = Window::with([1280.0, 800.0], None, Some(home.path().to_owned()), Settings::default());
    window.click("Run all");
    assert!(window.stage.borrow().jobs.is_empty());
    assert!(window.sees("Nothing started") && window.sees("Save the experiment in another folder first"));
}

#[test]
fn a_typed_path_that_cannot_be_used_stays_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typd.ron");
    let mut window = Window::new();
    window.stage.borrow_mut().answer = Some(PathAnswer::Unavailable);
    window.execute(Command::Open);
    if let Some(Dialog::Path { text, .. }) = &mut window.harness.state_mut().shell.dialog {
        *text = path.to_string_lossy().into_owned();
    }
    window.harness.run();
    window.click("Open");
    let Some(Dialog::Path { text, error, .. }) = &window.harness.state().shell.dialog else {
        panic!("the field is gone");
    };
    assert_eq!(*text, path.to_string_lossy());
    assert!(error.as_ref().is_some_and(|why| why.contains("typd.ron")), "{error:?}");
}

#[test]
fn a_document_without_a_file_browses_in_the_folder_that_was_used_last() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::new();
    window.harness.state_mut().shell.settings.recent.note(&folder.path().join("x.ron"));
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().ask_for_data(&ctx);
    assert_eq!(window.stage.borrow().requests.last().unwrap().folder, folder.path());
}

/// Types a text that is no value into the batch size.
fn type_wrong(window: &mut Window) {
    window.harness.get_by_label("Batch size").focus();
    window.harness.run();
    window.harness.get_by_label("Batch size").type_text("many");
    window.harness.run();
    window.harness.get_by_label("Seeds").focus();
    window.harness.run();
}

#[test]
fn a_text_that_is_no_value_is_asked_about_before_it_is_lost() {
    let mut window = Window::new();
    type_wrong(&mut window);
    assert!(!window.harness.state().editor.document.is_unsaved());
    window.ask_to_close();
    assert!(window.asked_viewport_to(&ViewportCommand::CancelClose));
    window.harness.run();
    assert!(window.sees("\"many\" in Batch size cannot be saved"));
    window.click("Keep editing");
    assert_eq!(window.harness.get_by_label("Batch size").value().unwrap(), "many");
    window.ask_to_close();
    window.harness.run();
    window.harness.get_by_label("Discard").click();
    window.harness.step();
    window.harness.step();
    assert!(window.harness.state().shell.may_close);
}

#[test]
fn a_text_that_is_no_value_is_backed_up() {
    let mut window = Window::new();
    type_wrong(&mut window);
    let kept = window.harness.state().editor.document.to_keep().unwrap();
    let written = serde_json::to_string(&kept).unwrap();
    let mut document = Document::recovered(&serde_json::from_str(&written).unwrap()).unwrap();
    document.refresh();
    assert_eq!(document.drafts.wrong_texts(), ["\"many\" in Batch size"]);
    assert_eq!(document.first_error().unwrap().place.to_string(), "train.batch");
    let older = written.replace(",\"typed\":", ",\"unknown\":");
    assert!(serde_json::from_str::<UnsavedEdits>(&older).unwrap().typed.is_empty());
}

#[test]
fn all_file_dialogs_begin_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::default();
    settings.recent.note(&saved_template(folder.path()));
    let mut window = Window::with([1280.0, 800.0], None, None, settings);
    window.execute(Command::Open);
    window.execute(Command::SaveAs);
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().ask_for_data(&ctx);
    let stage = window.stage.borrow();
    let folders: Vec<&Path> = stage.requests.iter().map(|request| request.folder.as_path()).collect();
    assert_eq!(folders, [folder.path(); 3], "beside the file that was open last");
}
