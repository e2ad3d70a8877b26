//! The window as a person meets it, with a script in the place of the worker.

mod accessible;
mod archive;
mod citizen;
mod commands_walk;
mod crowded;
mod data_folder;
mod diverged;
mod documents;
mod dropped_weights;
mod estimate;
mod exports;
mod faults;
mod idle;
mod inspector;
mod menus;
mod messages;
mod narrow;
mod network;
mod other_processes;
mod outdated;
mod own_data;
mod queue;
mod resume;
mod script;
mod sharing;
mod start;
mod tiles;
mod tiles_walk;
mod undo;

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use eframe::egui::{self, Key, Modifiers, ViewportCommand, ViewportEvent, ViewportId};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::{App, Parts, prepare};
use crate::background::BackgroundTask;
use crate::commands::{self, Command, Menu};
use crate::files::{PathAnswer, PathRequest, Picker};
use crate::history::History;
use crate::selection::Selection;
use crate::settings::Settings;
use doc::Run;
use results::event::Progress;
use results::{Event, Point, RunRecord};
use run::{Message, Pace, StopKind};
use script::{Around, Script, Shared};

/// The first template in a file.
fn saved_template(folder: &Path) -> PathBuf {
    let path = folder.join("mine.ron");
    std::fs::write(&path, doc::templates::all()[0].text).unwrap();
    path
}

struct Window {
    harness: Harness<'static, App>,
    stage: Shared,
    /// The folder of untitled experiments.
    _untitled: tempfile::TempDir,
}

impl Window {
    fn open(file: Option<PathBuf>) -> Self {
        Self::sized([1280.0, 800.0], file)
    }

    fn sized(size: [f32; 2], file: Option<PathBuf>) -> Self {
        Self::with(size, file, None, Settings::default())
    }

    fn with(size: [f32; 2], file: Option<PathBuf>, home: Option<PathBuf>, settings: Settings) -> Self {
        let stage = Shared::default();
        let (for_worker, for_picker) = (stage.clone(), stage.clone());
        let picker: Picker = Box::new(move |request, _| {
            let (sender, dialog) = BackgroundTask::scripted();
            let mut stage = for_picker.borrow_mut();
            stage.requests.push(request.clone());
            sender.send(Ok(stage.answer.clone().unwrap_or(PathAnswer::Cancelled))).unwrap();
            Some(dialog)
        });
        let desktop = Box::new(Around(stage.clone()));
        let worker = Box::new(Script(for_worker));
        // What one test does must not reach another.
        let temporary = tempfile::tempdir().unwrap();
        let untitled =
            home.as_ref().map_or_else(|| temporary.path().to_owned(), |home| home.join("untitled"));
        let parts = Parts { worker, picker, desktop, untitled, home, clock: chrono::Local::now };
        // What is read in the background asks for a few frames more.
        let builder = Harness::builder().with_size(size).with_max_steps(100);
        let harness = builder.build_eframe(move |cc| {
            prepare(&cc.egui_ctx, &settings);
            let mut app = App::new(parts, settings, file.as_deref());
            if file.is_none() {
                app.workspace.tiles.take(None, &[]); // on curves, as an experiment that was no template
            }
            app
        });
        Self { harness, stage, _untitled: temporary }
    }

    fn new() -> Self {
        Self::open(None)
    }

    fn sees(&self, text: &str) -> bool {
        self.harness.query_all_by_label_contains(text).next().is_some()
    }

    /// The identity of a run of the document.
    fn id(&self, arm: usize, seed: u64) -> String {
        let runs = self.harness.state().editor.document.runs();
        runs.iter().find(|run| run.arm_index == arm && run.seed == seed).unwrap().id.clone()
    }

    fn select(&mut self, selection: Selection) {
        self.harness.state_mut().workspace.selection = selection;
        self.harness.run();
    }

    fn click(&mut self, label: &str) {
        let is_menu = Menu::ALL.into_iter().any(|menu| menu.text() == label);
        if is_menu && self.harness.query_by_label(label).is_none() {
            self.click("Menu"); // in a narrow window the menus share one
        }
        self.harness.get_by_label(label).click();
        self.harness.run();
    }

    /// Drags what is at a place to another one.
    fn drag(&mut self, from: egui::Pos2, to: egui::Pos2) {
        self.harness.hover_at(from);
        self.harness.run_steps(2);
        self.harness.drag_at(from);
        for at in [from.lerp(to, 0.5), to] {
            self.harness.run_steps(2);
            self.harness.hover_at(at);
        }
        self.harness.run_steps(2);
        self.harness.drop_at(to);
        self.harness.run_ok();
    }

    fn say(&mut self, run: usize, event: Event) {
        let mut stage = self.stage.borrow_mut();
        let run = stage.jobs[run].run.id.clone();
        stage.hear(&run, &event);
        stage.sender.as_ref().unwrap().send(Message { run, event }).unwrap();
        drop(stage);
        self.harness.run();
    }

    /// A run begins, has these test accuracies after one epoch each, and ends.
    fn carry_out(&mut self, run: usize, accuracies: &[f64]) {
        self.say(run, started());
        for (epoch, value) in (1_u8..).zip(accuracies) {
            self.say(run, accuracy(*value, f64::from(epoch)));
        }
        self.say(run, Event::Finished { secs: 1.0 });
    }

    /// All workers end.
    fn hang_up(&mut self) {
        self.stage.borrow_mut().sender = None;
        self.harness.run();
    }

    fn execute(&mut self, command: Command) {
        let ctx = self.harness.ctx.clone();
        self.harness.state_mut().execute(command, &ctx);
        self.harness.run();
    }

    fn ask_to_close(&mut self) {
        let viewport = self.harness.input_mut().viewports.get_mut(&ViewportId::ROOT).unwrap();
        viewport.events.push(ViewportEvent::Close);
        self.harness.step();
    }

    fn asked_viewport_to(&self, command: &ViewportCommand) -> bool {
        self.harness.output().viewport_output[&ViewportId::ROOT].commands.contains(command)
    }

    fn log(&self) -> String {
        self.harness.state().log.full_text()
    }

    fn edit(&mut self) {
        self.harness.state_mut().editor.document.experiment.seeds.push(99);
        self.harness.run();
    }
}

fn started() -> Event {
    Event::Started { resumed: false, threads: 1 }
}

fn accuracy(value: f64, trained: f64) -> Event {
    Event::Point(Point {
        series: "test_accuracy".to_owned(),
        value,
        stage: "0".to_owned(),
        epoch: trained,
        iteration: 1,
        trained,
        remaining: 1.0,
        secs: trained,
        ..Point::default()
    })
}

#[test]
fn the_first_start_shows_the_arms_of_the_default_experiment() {
    let window = Window::new();
    for arm in ["dense", "winning ticket", "reinitialized", "random mask"] {
        assert!(window.harness.query_all_by_label(arm).next().is_some(), "{arm}");
    }
    assert!(window.sees("12 runs to do"));
    assert_eq!(window.harness.query_all_by_label("seed 1").count(), 4);
}

#[test]
fn run_starts_every_run_and_shows_states_and_numbers() {
    let mut window = Window::new();
    window.click("Run all");
    assert_eq!(window.stage.borrow().jobs.len(), 12);
    assert!(window.sees("queued") && window.sees("0 of 12 runs"));
    window.say(0, started());
    assert!(window.sees("running"));
    window.say(0, Event::Progress(Progress { done: 0.5, ..Progress::default() }));
    window.say(0, accuracy(0.981_23, 1.0));
    assert!(window.sees("0 of 3"));
    window.say(0, Event::Finished { secs: 3.0 });
    assert!(window.sees("98.12 %") && window.sees("1 of 12 runs") && window.sees("1 of 3"));
}

#[test]
fn a_failed_run_says_why_and_the_log_has_all_of_it() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.say(0, Event::Failed { message: "The loss is NaN.\nIteration 12.".to_owned() });
    assert!(window.sees("failed: The loss is NaN."));
    assert!(window.log().contains("Iteration 12."));
}

#[test]
fn a_worker_that_dies_leaves_its_run_failed_and_the_others_resumable() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.hang_up();
    assert!(window.sees("failed: The worker ended unexpectedly."));
    window.execute(Command::Resume);
    assert_eq!(window.stage.borrow().jobs.len(), 12);
}

#[test]
fn stopping_asks_the_worker_and_resume_goes_on_with_what_is_left() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.say(0, Event::Finished { secs: 1.0 });
    window.say(1, started());
    window.click("Stop now");
    assert_eq!(window.stage.borrow().stops, [StopKind::Now]);
    window.say(1, Event::Stopped { secs: 1.0 });
    window.hang_up();
    assert!(window.sees("stopped"));
    window.execute(Command::Resume);
    assert_eq!(window.stage.borrow().jobs.len(), 11);
}

#[test]
fn only_the_selected_arm_runs_when_asked_to() {
    let mut window = Window::new();
    window.harness.state_mut().workspace.selection = Selection::Arm(3);
    window.execute(Command::RunSelected);
    let stage = window.stage.borrow();
    assert_eq!(stage.jobs.iter().map(|job| job.run.arm.as_str()).collect::<Vec<_>>(), ["random mask"; 3]);
}

#[test]
fn every_command_stands_in_its_menu() {
    let mut window = Window::new();
    for menu in Menu::ALL {
        window.click(menu.text());
        for command in menu.groups().iter().copied().flatten() {
            assert!(window.sees(command.text()), "{command:?}");
        }
        window.harness.key_press(Key::Escape);
        window.harness.run();
    }
}

#[test]
fn every_command_can_be_carried_out_or_says_why_not() {
    for command in commands::all() {
        let mut window = Window::new();
        window.execute(command);
        window.harness.run();
    }
}

#[test]
fn keys_do_what_menus_do() {
    let mut window = Window::new();
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::N);
    window.harness.run();
    window.click("Partial freezing on digits");
    assert_eq!(window.harness.state().editor.document.experiment.name, "Partial freezing on digits");
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::R);
    window.harness.run();
    assert!(!window.stage.borrow().jobs.is_empty());
}

#[test]
fn a_problem_leads_to_its_setting() {
    let mut window = Window::new();
    window.harness.state_mut().editor.document.experiment.train.batch = 0;
    window.harness.run();
    window.click("1 problem");
    let place = window.harness.state().editor.document.problems()[0].location.clone();
    window.click(&format!("Go to field: {place}"));
    assert!(window.harness.get_by_label("Batch size").is_focused());
    window.execute(Command::RunAll);
    assert!(window.stage.borrow().jobs.is_empty() && window.log().contains("The document has an error"));
}

#[test]
fn nothing_is_drawn_while_nothing_happens() {
    let mut window = Window::new();
    window.harness.run();
    let delay = |window: &Window| window.harness.output().viewport_output[&ViewportId::ROOT].repaint_delay;
    assert_eq!(delay(&window), Duration::MAX);
    window.click("Run all");
    assert_eq!(delay(&window), super::PACE);
}

#[test]
fn arms_are_added_as_copies_named_moved_and_removed() {
    let mut window = Window::new();
    let names = |window: &Window| -> Vec<String> {
        window.harness.state().editor.document.experiment.arms.iter().map(|arm| arm.name.clone()).collect()
    };
    window.click("Add arm");
    assert_eq!(names(&window)[4], "dense 2");
    let app = window.harness.state();
    let arms = &app.editor.document.experiment.arms;
    assert!(arms[4].plan == arms[0].plan && app.workspace.selection == Selection::Arm(4));
    assert_eq!(app.editor.document.first_error(), None);
    assert!(!window.sees("Runs of the last settings"), "other arms stay as they are");
    // Its name is typed at once, in the place of the free one.
    window.harness.event(egui::Event::Text("sparse".to_owned()));
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(names(&window)[4], "sparse");
    window.select(Selection::Arm(1));
    window.execute(Command::AddArm);
    window.execute(Command::AddArm);
    assert_eq!(names(&window)[5..], ["winning ticket 2", "winning ticket 3"]);
    window.execute(Command::MoveArmUp);
    assert_eq!(names(&window)[5], "winning ticket 3");
    for _ in 0..3 {
        window.execute(Command::RemoveArm);
    }
    assert_eq!(names(&window).len(), 4);
    for _ in 0..4 {
        window.execute(Command::RemoveArm);
    }
    window.execute(Command::AddArm);
    assert_eq!(names(&window), ["baseline"], "without a model, an arm that trains and tests");
    assert_eq!(window.harness.state().editor.document.first_error(), None);
}

#[test]
fn a_stage_is_given_to_all_arms_and_taken_back_at_once() {
    let mut window = Window::new();
    let plans = |window: &Window| -> Vec<Vec<&'static str>> {
        let arms = &window.harness.state().editor.document.experiment.arms;
        arms.iter().map(|arm| arm.plan.iter().map(|stage| stage.about().label).collect()).collect()
    };
    let before = plans(&window);
    window.select(Selection::Arm(1));
    let campaign = doc::Stage::Campaign(doc::fault::Campaign::default());
    let plan = &mut window.harness.state_mut().editor.document.experiment.arms[1].plan;
    plan.insert(1, campaign.clone());
    window.select(Selection::Stage { arm: 1, path: vec![1] });
    window.harness.get_all_by_label_contains("2 Campaign").next().unwrap().click_secondary();
    window.harness.run();
    window.click("Apply to all arms");
    assert!(window.log().contains("Campaign of winning ticket: added to 3 arms"), "{}", window.log());
    let arms = &window.harness.state().editor.document.experiment.arms;
    assert!(arms.iter().all(|arm| arm.plan[1] == campaign));
    window.execute(Command::Undo);
    window.execute(Command::Undo);
    assert_eq!(plans(&window), before, "one step for all arms");
    window.execute(Command::Redo);
    window.execute(Command::Redo);
    window.harness.state_mut().editor.document.experiment.arms[2].plan.remove(1);
    if let doc::Stage::Campaign(changed) =
        &mut window.harness.state_mut().editor.document.experiment.arms[1].plan[1]
    {
        changed.images = Some(7);
    }
    window.select(Selection::Stage { arm: 1, path: vec![1] });
    window.execute(Command::ApplyStage);
    let log = window.log();
    assert!(log.contains("Campaign of winning ticket: added to 1 arm and replaced in 2 arms"), "{log}");
}

#[test]
fn copied_stages_are_pasted_from_menus_also_into_another_arm() {
    let mut window = Window::new();
    window.select(Selection::Stage { arm: 1, path: vec![0] });
    window.execute(Command::CopyStage);
    window.select(Selection::Arm(0));
    let plan = |window: &Window| window.harness.state().editor.document.experiment.arms[0].plan.clone();
    let before = plan(&window);
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().execute(Command::PasteStage, &ctx);
    window.harness.event(egui::Event::Paste("[Test, Train(\"2ep\")]".to_owned()));
    window.harness.run();
    assert_eq!(plan(&window).len(), before.len() + 2);
    let last = Selection::Stage { arm: 0, path: vec![before.len() + 1] };
    assert_eq!(window.harness.state().workspace.selection, last, "at the end, where no stage is selected");
    window.harness.state_mut().editor.document.experiment.arms[0].plan.clear();
    window.select(Selection::Arm(0));
    for text in ["Dance()", "Test"] {
        window.harness.state_mut().execute(Command::PasteStage, &ctx);
        window.harness.event(egui::Event::Paste(text.to_owned()));
        window.harness.run();
        assert!(window.log().contains("the clipboard holds no stage: "), "{}", window.log());
        assert_eq!(plan(&window).len(), usize::from(text == "Test"), "also into an empty plan");
    }
}

#[test]
fn in_a_small_window_everything_fits_and_grows_with_it() {
    let mut window = Window::sized([800.0, 600.0], None);
    let rect = |window: &Window, label: &str| window.harness.get_by_label(label).rect();
    assert!(!window.sees("Copy log") && !window.sees("Selected"), "folded, so that the plot has half of it");
    assert!(rect(&window, "Add arm").right() <= 400.0);
    // Room for five more stages.
    assert!(rect(&window, "2 Test").bottom() + 5.0 * 24.0 <= 600.0);
    window.execute(Command::ToggleInspector);
    window.harness.run();
    let settings = rect(&window, "Experiment");
    for label in ["Export Accuracy…", "Menu of Accuracy"] {
        assert!(rect(&window, label).right() <= settings.left(), "{label}");
    }
    assert!(rect(&window, "Stage actions").right() <= rect(&window, "Accuracy").left());
    let narrow = rect(&window, "1 Train 12 epochs").width();
    window.harness.set_size(egui::vec2(1440.0, 900.0));
    window.harness.run();
    assert!(rect(&window, "1 Train 12 epochs").width() > narrow + 20.0);
    assert!(rect(&window, "2 Test").bottom() + 5.0 * 24.0 <= rect(&window, "Log").top());
}
