//! The queue in the window: runs are added, moved, stopped and retried while others go on.

use std::time::Instant;

use eframe::egui::accesskit::Role;

use super::script::Scripted;
use super::*;
use crate::runs::{QueueAction, QueueRequest, Sharing};
use crate::worker::Threads;
use run::{Command as QueueCommand, QueueOptions, RunOrder};

/// The order of the runs that wait, as arm and seed.
fn waiting(window: &Window) -> Vec<(usize, u64)> {
    let stage = window.stage.borrow();
    let of = |id: &String| stage.jobs.iter().find(|job| job.run.id == *id).unwrap();
    let waits = stage.states.iter().filter(|(_, state)| *state == Scripted::Waiting);
    waits.map(|(id, _)| of(id)).map(|job| (job.run.arm_index, job.run.seed)).collect()
}

fn select_run(window: &mut Window, arm: usize, seed: u64) {
    let id = window.id(arm, seed);
    window.select(Selection::Run { arm, id });
}

/// The first template with one run in progress.
fn running() -> Window {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window
}

#[test]
fn a_seed_that_is_added_while_runs_go_on_joins_them() {
    let mut window = running();
    assert!(window.sees("0 of 12 runs") && !window.sees("Add 1"), "all are in the queue");
    window.edit();
    window.click("Add 4 runs");
    assert!(window.sees("0 of 16 runs"), "{}", window.log());
    assert_eq!(waiting(&window).len(), 15);
    assert_eq!(window.stage.borrow().jobs[12].run.seed, 99);
    window.say(12, started());
    window.say(12, Event::Finished { secs: 1.0 });
    assert!(window.sees("1 of 16 runs"));
}

#[test]
fn one_run_is_stopped_and_retried_while_another_goes_on() {
    let mut window = running();
    window.say(1, started());
    select_run(&mut window, 0, 1);
    window.execute(Command::StopSelected);
    assert!(window.sees("stopping…"));
    window.say(0, Event::Stopped { secs: 1.0 });
    assert!(window.sees("stopped") && window.sees("1 of 12 runs"));
    assert!(window.log().contains("dense, seed 1: interrupted after 1.0 s"), "{}", window.log());
    assert!(!window.sees("Add 1"), "what somebody stopped stays so");
    assert_eq!(window.stage.borrow().states[1].1, Scripted::Running { is_stopping: false });
    window.execute(Command::RunSelected);
    assert!(window.sees("0 of 12 runs"));
    assert!(waiting(&window).contains(&(0, 1)));
}

#[test]
fn failed_runs_get_another_turn_beside_the_others() {
    let mut window = running();
    window.say(0, Event::Failed { message: "The loss is NaN.".to_owned() });
    window.say(1, started());
    window.execute(Command::RetryFailed);
    assert!(waiting(&window).contains(&(0, 1)));
    window.execute(Command::RetryFailed);
    assert!(window.log().contains("Retry failed: No run has failed"), "{}", window.log());
}

#[test]
fn waiting_runs_are_moved_by_the_menus_of_arms_and_runs_and_removed() {
    let mut window = running();
    let ask = |window: &mut Window, of: &str, entry: &str| {
        let rows = window.harness.query_all_by_role_and_label(Role::TreeItem, of);
        rows.last().unwrap().click_secondary();
        window.harness.run();
        window.click(entry);
    };
    assert_eq!(waiting(&window)[..3], [(0, 2), (0, 3), (1, 1)]);
    ask(&mut window, "random mask", "Run next");
    assert_eq!(waiting(&window)[..4], [(3, 1), (3, 2), (3, 3), (0, 2)]);
    ask(&mut window, "seed 2", "Move up in queue");
    assert_eq!(waiting(&window)[..2], [(3, 2), (3, 1)]);
    ask(&mut window, "seed 2", "Move down in queue");
    assert_eq!(waiting(&window)[..2], [(3, 1), (3, 2)]);
    select_run(&mut window, 3, 2);
    window.execute(Command::StopSelected);
    assert_eq!(waiting(&window)[..2], [(3, 1), (3, 3)]);
    assert!(window.sees("1 of 12 runs"), "it counts as over");
}

#[test]
fn a_run_that_is_to_be_next_has_the_identity_of_edits_that_were_not_followed_yet() {
    let mut window = running();
    window.edit();
    let before = window.id(0, 99);
    let ctx = window.harness.ctx.clone();
    let app = window.harness.state_mut();
    app.editor.document.experiment.train.batch = 77;
    app.queue(&QueueRequest { action: QueueAction::Next, runs: vec![before.clone()] }, &ctx);
    assert_ne!(window.id(0, 99), before);
    assert_eq!(window.stage.borrow().jobs.last().unwrap().run.id, window.id(0, 99));
    assert_eq!(waiting(&window)[0], (0, 99));
}

fn show_queue(window: &mut Window) {
    window.execute(Command::Sharing);
    window.harness.run();
}

#[test]
fn the_view_shows_the_queue_and_its_buttons_change_it() {
    let mut window = running();
    show_queue(&mut window);
    assert!(window.sees("1 running, 11 queued"));
    window.click("Move up in queue: dense, seed 3");
    assert_eq!(waiting(&window)[..2], [(0, 3), (0, 2)]);
    window.click("Run next: winning ticket, seed 2");
    assert_eq!(waiting(&window)[0], (1, 2));
    window.click("Remove from queue: winning ticket, seed 2");
    window.click("Stop: dense, seed 1");
    window.say(0, Event::Stopped { secs: 1.0 });
    assert!(window.sees("10 queued, 1 stopped, 1 not run"));
    window.click("Retry: dense, seed 1");
    assert!(waiting(&window).contains(&(0, 1)));
}

#[test]
fn a_row_is_dragged_to_its_place() {
    let mut window = running();
    show_queue(&mut window);
    let row = |window: &Window, name: &str| {
        let row = window.harness.get_by_role_and_label(Role::ListItem, name);
        row.rect()
    };
    let from = row(&window, "winning ticket, seed 1").left_center() + egui::vec2(100.0, 0.0);
    let to = row(&window, "dense, seed 2").left_top() + egui::vec2(100.0, 4.0);
    window.drag(from, to);
    assert_eq!(waiting(&window)[..3], [(1, 1), (0, 2), (0, 3)]);
}

#[test]
fn runs_side_by_side_and_threads_are_chosen_while_runs_go_on_and_kept() {
    let mut window = running();
    show_queue(&mut window);
    assert!(window.harness.get_by_label("Runs side by side").is_focused());
    window.harness.get_by_label("Runs side by side").type_text("3");
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let options = QueueOptions { jobs: 3, threads: 0 };
    let expected = QueueCommand::Options { options, interrupt: Some(StopKind::Now) };
    assert_eq!(window.stage.borrow().commands.last(), Some(&expected));
    window.harness.get_by_label("Threads per run").focus();
    window.harness.run();
    window.harness.get_by_label("Threads per run").type_text("0");
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(window.stage.borrow().options, Some(options), "0 is no number of threads");
    let sharing = Sharing { jobs: Some(3), threads: None };
    let settings = window.harness.state().shell.settings.clone();
    assert_eq!(settings.sharing, sharing);
    let mut next = Window::with([1280.0, 800.0], None, None, settings);
    next.click("Run all");
    assert_eq!(next.stage.borrow().options, Some(options));
}

#[test]
fn a_typed_number_of_runs_counts_for_the_command_that_follows() {
    let mut window = Window::new();
    show_queue(&mut window);
    window.harness.get_by_label("Runs side by side").type_text("3");
    window.harness.run();
    assert_eq!(window.harness.state().shell.settings.sharing, Sharing::default(), "not entered yet");
    window.execute(Command::RunAll);
    assert_eq!(window.stage.borrow().options, Some(QueueOptions { jobs: 3, threads: 0 }));
    assert_eq!(window.harness.state().shell.settings.sharing.jobs, Some(3));
}

#[test]
fn a_run_that_makes_room_stays_in_the_queue() {
    let mut window = running();
    let (id, sharing) = (window.id(0, 1), Sharing { jobs: Some(2), threads: Some(1) });
    window.harness.state_mut().set_sharing(sharing);
    window.harness.run();
    // It stops, and goes on before the window looks at the queue again.
    let mut stage = window.stage.borrow_mut();
    let sender = stage.sender.clone().unwrap();
    sender.send(Message { run: id.clone(), event: Event::Stopped { secs: 1.0 } }).unwrap();
    stage.hear(&id, &Event::Started { resumed: true, threads: 1 });
    drop((stage, sender));
    window.harness.run();
    assert!(window.sees("0 of 12 runs") && !window.sees("Add 1"), "{}", window.log());
    assert!(!window.log().contains("interrupted"), "{}", window.log());
    window.say(0, Event::Finished { secs: 1.0 });
    assert!(window.sees("1 of 12 runs"));
}

#[test]
fn while_nothing_is_queued_the_view_has_one_note_below_how_runs_share_the_machine() {
    let mut window = Window::new();
    show_queue(&mut window);
    assert!(window.sees("Nothing is queued") && window.sees("Runs side by side"));
    assert_eq!(window.harness.query_all_by_role(Role::ListItem).count(), 0);
}

#[test]
fn ticked_runs_are_run_and_stopped_together() {
    let mut window = Window::new();
    window.execute(Command::Filter);
    window.click("Tick dense");
    window.click("Tick random mask");
    window.click("Run ticked runs");
    assert_eq!(window.stage.borrow().jobs.len(), 6);
    window.say(0, started());
    window.click("Stop ticked runs");
    assert!(waiting(&window).is_empty());
    assert_eq!(window.stage.borrow().states[0].1, Scripted::Running { is_stopping: true });
}

#[test]
fn the_end_is_told_in_the_words_of_the_command_line() {
    let mut window = running();
    window.say(0, accuracy(0.9743, 1.0));
    window.say(0, Event::Finished { secs: 12.0 });
    window.say(1, started());
    window.execute(Command::StopNow);
    window.say(1, Event::Stopped { secs: 1.0 });
    window.hang_up();
    let log = window.log();
    assert!(log.contains("dense, seed 1: done: test accuracy 97.43 %, 12 s"), "{log}");
    assert!(log.contains("Stopped: 1 done, 1 interrupted, 10 not started"), "{log}");
}

#[test]
fn runs_that_come_when_the_queue_has_just_ended_are_started_after_it() {
    let mut window = running();
    for run in 0..12 {
        window.carry_out(run, &[]);
    }
    window.harness.state_mut().editor.document.experiment.seeds.push(99);
    window.harness.run();
    // The queue has ended, and the window does not know yet.
    window.stage.borrow_mut().sender = None;
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().execute(Command::RunAll, &ctx);
    window.harness.run();
    assert_eq!(window.stage.borrow().jobs.len(), 4, "{}", window.log());
    assert!(window.sees("0 of 4 runs"));
}

#[test]
fn closing_the_window_leaves_nothing_that_begins_afterwards() {
    let home = tempfile::tempdir().unwrap();
    let mut window = Window::with([1280.0, 800.0], None, Some(home.path().to_owned()), Settings::default());
    window.click("Run all");
    window.say(0, started());
    let (sender, results) = sync_channel(1);
    window.stage.borrow_mut().results = Some(results);
    window.edit();
    window.execute(Command::RunAll);
    assert!(window.log().contains("Runs will start once earlier results"), "{}", window.log());
    window.ask_to_close();
    window.harness.run();
    window.click("Discard");
    window.click("Quit and resume at next start");
    drop(sender);
    window.say(0, Event::Stopped { secs: 1.0 });
    window.hang_up();
    assert_eq!(window.stage.borrow().jobs.len(), 12, "none of them was started");
    assert!(window.asked_viewport_to(&ViewportCommand::Close) || window.harness.state().shell.may_close);
    drop(window);
    let recovery = crate::recovery::Recovery::new(&home.path().join("recovery")).unwrap();
    let left = recovery.leftovers();
    assert!(left.len() == 1 && left[0].kept.is_closed);
    assert_eq!(left[0].kept.runs.len(), 16, "and all of them resume");
}

#[test]
fn a_queue_that_stops_itself_says_why_once_and_offers_to_go_on() {
    let mut window = running();
    window.stage.borrow_mut().halted = Some("no space is left on the disk");
    window.say(0, Event::Failed { message: "No space left on device".to_owned() });
    window.hang_up();
    let log = window.log();
    assert!(log.contains("Stopped: 1 failed, 11 not started: no space is left on the disk."), "{log}");
    window.harness.get_by_role_and_label(Role::Link, "Retry").click();
    window.harness.run();
    assert_eq!(window.stage.borrow().jobs.len(), 12, "the failed one and those that waited");
}

/// A window with the real queue.
fn real(folder: &Path) -> Harness<'static, App> {
    let path = folder.join("x.ron");
    let text = "(data: Digits(limit_train: 64, limit_test: 20), net: Mlp(hidden: [4]), train: (batch: 16), \
                seeds: [1, 2], arms: [(name: \"a\", plan: [Train(\"200ep\")]), (name: \"b\", plan: [Test, Train(\"200ep\")])])";
    std::fs::write(&path, text).unwrap();
    let picker: Picker = Box::new(|_, _| None);
    let desktop = Box::new(Around(Shared::default()));
    let untitled = folder.to_owned();
    let clock = chrono::Local::now;
    let parts = Parts { worker: Box::new(Threads), picker, desktop, untitled, home: None, clock };
    let settings = Settings { sharing: Sharing { jobs: Some(1), threads: Some(1) }, ..Settings::default() };
    Harness::builder().with_size([1280.0, 800.0]).with_max_steps(64).build_eframe(move |cc| {
        prepare(&cc.egui_ctx, &settings);
        App::new(parts, settings, Some(&path))
    })
}

fn wait_until(harness: &mut Harness<'static, App>, is: impl Fn(&App) -> bool) {
    let began = Instant::now();
    while !is(harness.state()) {
        assert!(began.elapsed() < Duration::from_mins(2), "{}", harness.state().log.full_text());
        std::thread::sleep(Duration::from_millis(5));
        harness.step();
    }
}

#[test]
fn the_real_queue_follows_the_window_and_keeps_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = real(folder.path());
    let ctx = harness.ctx.clone();
    harness.run_ok();
    let ids: Vec<String> = harness.state().editor.document.runs().iter().map(|run| run.id.clone()).collect();
    let app = harness.state_mut();
    app.execute(Command::RunAll, &ctx);
    app.execute(Command::Pause, &ctx);
    app.queue(&QueueRequest { action: QueueAction::Next, runs: vec![ids[3].clone()] }, &ctx);
    app.editor.document.experiment.seeds.push(3);
    app.refresh(&ctx);
    app.execute(Command::RunAll, &ctx);
    app.execute(Command::Resume, &ctx);
    wait_until(&mut harness, |app| app.log.full_text().contains("b, seed 2: running"));
    let sharing = Sharing { jobs: Some(2), threads: Some(1) };
    harness.state_mut().set_sharing(sharing);
    wait_until(&mut harness, |app| !app.runner.runs.is_running());
    let log = harness.state().log.full_text();
    let at = |text: &str| log.find(text).unwrap_or_else(|| panic!("{text}: {log}"));
    assert!(at("b, seed 2: running") < at("a, seed 2: running"), "{log}");
    assert!(at("a, seed 2: running") < at("b, seed 1: running"), "{log}");
    assert!(log.contains("6 runs: 6 done"), "{log}");
    let results = harness.state().editor.results();
    harness.state_mut().finish();
    let order = RunOrder::read(&results).order;
    let place = |run: usize| order.iter().position(|id| *id == ids[run]).unwrap();
    assert!(place(3) < place(1) && place(1) < place(2), "{order:?}");
}
