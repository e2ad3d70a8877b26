//! The start page: what it lists, and the line below it.

use super::citizen::until;
use egui_kittest::kittest::NodeT;

use super::*;

#[test]
fn an_experiment_that_was_run_and_not_named_comes_back_from_the_start_page() {
    let home = tempfile::tempdir().unwrap();
    let open = |settings| Window::with([1280.0, 800.0], None, Some(home.path().to_owned()), settings);
    let mut window = open(Settings::default());
    let title = window.harness.state().editor.document.title();
    window.click("Run all");
    window.hang_up();
    drop(window);
    let mut window = open(Settings::default()); // also where the settings are lost
    window.execute(Command::New);
    for _ in 0..2000 {
        if window.sees(&title) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
        window.harness.step();
    }
    window.harness.get_all_by_label(&title).last().unwrap().click();
    window.harness.run();
    let app = window.harness.state();
    assert_eq!(app.editor.document.path(), Some(home.path().join("untitled/untitled-1.ron").as_path()));
    assert!(!app.shell.is_starting && app.editor.document.title() == title);
}

#[test]
fn many_experiments_are_searched_by_their_arms_on_the_start_page_and_in_the_list() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("untitled");
    std::fs::create_dir(&folder).unwrap();
    for number in 1..=20 {
        let text = format!("(name: \"mine\", arms: [(name: \"arm {number}\", plan: [Test])])");
        std::fs::write(folder.join(format!("untitled-{number}.ron")), text).unwrap();
    }
    let mut window = Window::with([1280.0, 800.0], None, Some(home.path().to_owned()), Settings::default());
    window.execute(Command::New);
    let count = |window: &Window| window.harness.query_all_by_label("mine").count();
    assert!(until(&mut window, |window| count(window) == 20));
    window.harness.get_by_label("Search recent files").focus();
    window.harness.run();
    window.harness.get_by_label("Search recent files").type_text("arm 17");
    window.harness.run();
    assert_eq!(count(&window), 1);
    window.execute(Command::OpenRecent);
    assert!(until(&mut window, |window| count(window) > 1));
    window.harness.get_by_label("Search files").type_text("arm 17");
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let path = window.harness.state().editor.document.path();
    assert_eq!(path, Some(folder.join("untitled-17.ron").as_path()));
}

#[test]
fn the_start_page_has_the_status_line_with_the_last_message() {
    let mut window = Window::new();
    window.execute(Command::New);
    window.harness.state_mut().log.info("Something new");
    window.harness.run();
    let line = window.harness.get_by_label("Something new").rect();
    assert!(line.top() > 800.0 - 24.0, "{line:?}");
    assert!(window.sees("New experiment") && !window.sees("12 runs"), "they are those of no open document");
    window.click("Log");
    assert!(window.harness.state().shell.settings.shows_log && window.sees("New experiment"));
}

#[test]
fn a_template_that_was_run_can_be_returned_to() {
    let mut window = Window::new();
    window.execute(Command::New);
    assert!(!window.sees("Back to"), "it was never used");
    window.harness.state_mut().shell.is_starting = false;
    window.harness.run();
    window.click("Run all");
    window.carry_out(0, &[0.5]);
    window.hang_up();
    window.execute(Command::New);
    assert!(window.sees("Back to"));
    window.harness.key_press(Key::Escape);
    window.harness.run();
    assert!(!window.harness.state().shell.is_starting);
}

#[test]
fn runs_behind_the_start_page_can_be_paused_and_stopped() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.execute(Command::New);
    window.execute(Command::Pause);
    assert!(window.harness.state().runner.runs.is_paused());
    window.execute(Command::Resume);
    assert!(!window.harness.state().runner.runs.is_paused());
    window.execute(Command::StopNow);
    assert_eq!(window.stage.borrow().stops, [StopKind::Now]);
    window.execute(Command::AddArm);
    assert_eq!(window.harness.state().editor.document.experiment.arms.len(), 4);
}

#[test]
fn eight_cards_links_and_recent_files_are_in_sight_and_the_rest_unfolds() {
    let mut window = Window::sized([1440.0, 900.0], None);
    window.execute(Command::New);
    let card = |window: &Window, name: &str| {
        let mut found = window.harness.query_all_by_label(name);
        found
            .find(|card| card.accesskit_node().role() != egui::accesskit::Role::Label)
            .map(|card| card.rect())
    };
    for name in ["Past and present on digits", "User guide", "Keys", "More templates", "Open…"] {
        assert!(card(&window, name).is_some_and(|it| it.bottom() < 860.0), "{name}");
    }
    assert!(card(&window, "VGG-16 on CIFAR-10").is_none());
    window.click("More templates");
    window.harness.run_ok();
    assert!(card(&window, "VGG-16 on CIFAR-10").is_some());
    let [recent, first] = ["Open…", "Lottery ticket on digits"].map(|name| card(&window, name).unwrap());
    window.harness.hover_at(first.center());
    window.harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, -200.0),
        phase: egui::TouchPhase::Move,
        modifiers: Modifiers::NONE,
        source: egui::MouseWheelSource::Wheel,
    });
    window.harness.run();
    assert!(card(&window, "Lottery ticket on digits").unwrap().top() < first.top());
    assert_eq!(card(&window, "Open…"), Some(recent), "it is pinned");
}
