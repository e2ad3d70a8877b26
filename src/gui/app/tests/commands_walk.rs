//! Every command by its name in its menu, as a person who has never read a manual finds it.

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::NodeT;

use super::*;

/// Where the bar at the top ends.
const BAR: f32 = 40.0;

/// Opens the menu of a command and clicks on its entry, if it can be used; whether it could.
fn choose(window: &mut Window, menu: Menu, command: Command) -> bool {
    window.click(menu.text());
    let refusal = window.harness.state().refusal(command);
    // The bar, and views further below, have buttons of the same names: the entry stands just below the bar.
    let named = window.harness.query_all_by_role_and_label(Role::Button, command.text());
    let below = named.filter(|node| node.rect().top() > BAR);
    let entry = below.min_by(|a, b| a.rect().top().total_cmp(&b.rect().top()));
    let entry = entry.unwrap_or_else(|| panic!("{command:?} is in no menu"));
    assert_eq!(entry.accesskit_node().is_disabled(), refusal.is_some(), "{command:?}: {refusal:?}");
    if refusal.is_none() {
        entry.click();
    } else {
        window.harness.key_press(Key::Escape);
    }
    window.harness.run_ok();
    refusal.is_none()
}

/// A window in which as much as possible can be done: edits, a result, an arm between two others.
fn busy() -> Window {
    let mut window = Window::new();
    window.click("Run all");
    window.carry_out(0, &[0.5]);
    window.say(1, started());
    window.say(1, Event::Stopped { secs: 1.0 });
    window.say(3, started());
    window.say(3, Event::Finished { secs: 1.0 });
    window.say(6, started());
    window.say(6, Event::Failed { message: "The loss is NaN.".to_owned() });
    window.hang_up();
    window.harness.state_mut().workspace.selection = Selection::Arm(1);
    window.harness.state_mut().shell.settings.recent.note(Path::new("/x.ron"));
    window.edit();
    window.edit();
    window.execute(Command::Undo);
    window.harness.state_mut().workspace.selection = Selection::Arm(1);
    window.harness.run();
    window
}

/// Selects what a command is about.
fn select_for(window: &mut Window, command: Command) {
    use Command as C;
    let app = window.harness.state_mut();
    match command {
        C::MoveStageUp
        | C::MoveStageDown
        | C::DuplicateStage
        | C::CopyStage
        | C::ApplyStage
        | C::RepeatStage
        | C::RemoveStage => {
            app.workspace.selection = Selection::Stage { arm: 0, path: vec![1] };
        }
        C::ArchiveArm => app.workspace.selection = Selection::Arm(0),
        C::StarRun | C::ArchiveRun => {
            let has_results = |run: &&Run| app.runner.runs.record(&run.id).is_some();
            let run = app.editor.document.runs().iter().find(has_results).unwrap().clone();
            app.workspace.selection = Selection::Run { arm: run.arm_index, id: run.id };
        }
        _ => return,
    }
    window.harness.run_ok();
}

#[test]
fn every_command_is_carried_out_from_its_menu() {
    let mut refused = Vec::new();
    for menu in Menu::ALL {
        let mut window = busy();
        for command in menu.groups().iter().copied().flatten() {
            select_for(&mut window, *command);
            if !choose(&mut window, menu, *command) {
                refused.push(*command);
            }
            window.harness.key_press(Key::Escape); // closes what it has opened
            window.harness.run_ok();
            if menu == Menu::Run {
                window = busy(); // runs that go on refuse others
            }
        }
    }
    let archived = refused.iter().position(|command| *command == Command::RestoreArchived);
    refused.remove(archived.expect("nothing is archived"));
    assert_eq!(
        refused,
        [Command::Pause, Command::StopSelected, Command::StopAfterStage, Command::StopNow,],
        "they need runs that go on"
    );
    for command in refused {
        let mut window = busy();
        window.execute(Command::RunAll);
        assert!(choose(&mut window, Menu::Run, command), "{command:?}");
        assert!(!window.stage.borrow().commands.is_empty(), "{command:?}");
    }
}

/// Entries of context menus that the palette calls otherwise.
const IN_THE_PALETTE: [(&str, &str); 24] = [
    ("Show in table", "Filter runs"),
    ("Move up", "Move stage up"),
    ("Move down", "Move stage down"),
    ("Duplicate", "Duplicate stage"),
    ("Copy", "Copy stage"),
    ("Paste below", "Paste stage"),
    ("Apply to all arms", "Apply stage to all arms"),
    ("Repeat this", "Repeat stage"),
    ("Remove", "Remove stage"),
    ("Star the arm", "Star arm"),
    ("Add tag", "Show view: Notes"),
    ("Archive this run…", "Archive run…"),
    ("Maximize", "Maximize view"),
    ("Run", "Run selected"),
    ("Retry", "Run selected"),
    ("Stop", "Stop selected"),
    ("Remove from queue", "Stop selected"),
    ("Run next", "Show view: Queue"),
    ("Move up in queue", "Show view: Queue"),
    ("Move down in queue", "Show view: Queue"),
    // How the table shows its groups is chosen in it.
    ("Show its runs", "Show view: Runs"),
    ("Use as baseline", "Show view: Runs"),
    ("Show all runs", "Show view: Runs"),
    ("Hide all runs", "Show view: Runs"),
];

/// The names of all buttons.
fn buttons(window: &Window) -> Vec<String> {
    let all = window.harness.query_all_by_role(Role::Button);
    all.filter_map(|node| node.accesskit_node().label()).collect()
}

#[test]
fn whatever_a_context_menu_has_is_in_the_palette() {
    let mut window = busy();
    let app = window.harness.state_mut();
    app.workspace.selection = Selection::Arm(0);
    app.shell.settings.shows_log = false; // its lines come when they want
    window.execute(Command::Palette);
    let offered = buttons(&window);
    window.harness.key_press(Key::Escape);
    window.harness.run();
    window.execute(Command::Filter);
    window.execute(Command::ToggleTree); // folded beside the table
    let arm = window.harness.query_all_by_role_and_label(Role::TreeItem, "dense").next().unwrap().rect();
    let names = window.harness.query_all_by_role_and_label(Role::Label, "dense");
    let in_table = names.map(|node| node.rect()).rfind(|at| at.right() < 900.0).unwrap();
    let stage = window.harness.get_by_label("1 Train 12 epochs").rect();
    for (place, count) in [(arm, 10), (in_table, 3), (stage, 8)] {
        let before = buttons(&window);
        window.harness.hover_at(place.center());
        window.harness.run();
        let (pos, modifiers) = (place.center(), Modifiers::NONE);
        for pressed in [true, false] {
            let button = egui::PointerButton::Secondary;
            window.harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
        }
        window.harness.run();
        let mut entries = buttons(&window);
        entries.retain(|entry| !entry.contains("new error")); // they come when they want
        for name in &before {
            // Buttons elsewhere may be called the same.
            if let Some(at) = entries.iter().position(|entry| entry == name) {
                entries.remove(at);
            }
        }
        assert!(entries.len() >= count, "{entries:?}");
        for entry in entries {
            let known = IN_THE_PALETTE.iter().find(|(name, _)| *name == entry);
            let name = known.map_or(entry.as_str(), |(_, name)| name);
            // Some say what they are about: "Run selected: dense".
            let is_offered =
                offered.iter().any(|offer| offer.split(": ").next() == Some(name) || offer == name);
            assert!(is_offered, "{entry} is not in the palette");
        }
        window.harness.key_press(Key::Escape);
        window.harness.run();
    }
}

#[test]
fn a_stage_is_added_from_the_palette_behind_the_selected_one() {
    let mut window = Window::new();
    window.harness.state_mut().workspace.selection = Selection::Stage { arm: 1, path: vec![0] };
    window.execute(Command::Palette);
    window.harness.get_by_label("Search commands").type_text("Add stage: Test");
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let app = window.harness.state();
    assert_eq!(app.editor.document.experiment.arms[1].plan[1], doc::Stage::Test);
    assert_eq!(app.workspace.selection, Selection::Stage { arm: 1, path: vec![1] });
}

#[test]
fn the_key_of_the_filter_goes_to_it() {
    let mut window = Window::new();
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::F);
    window.harness.run();
    window.harness.event(egui::Event::Text("seed = 1".to_owned()));
    window.harness.run();
    assert_eq!(window.harness.state().workspace.compare.view.filter, "seed = 1");
}

#[test]
fn switches_and_panels_keep_what_was_chosen() {
    let mut window = busy();
    for (menu, command) in Menu::ALL
        .into_iter()
        .flat_map(|menu| menu.groups().iter().copied().flatten().map(move |c| (menu, *c)))
    {
        let Some(before) = window.harness.state().state_of(command).is_on else { continue };
        choose(&mut window, menu, command);
        let after = window.harness.state().state_of(command).is_on.unwrap();
        let is_theme = command.text().contains("heme");
        assert!(after != before || (is_theme && after), "{command:?}");
    }
}

#[test]
fn what_cannot_be_done_now_says_why() {
    let refusal = |window: &Window, command| {
        window.harness.state().refusal(command).map_or_else(String::new, std::borrow::Cow::into_owned)
    };
    let mut window = Window::new();
    assert_eq!(refusal(&window, Command::StopNow), "Nothing is running");
    assert_eq!(refusal(&window, Command::RunAll), "");
    window.execute(Command::RunAll);
    assert_eq!(refusal(&window, Command::Pause), "");
    assert!(!refusal(&window, Command::Resume).is_empty());
    window.execute(Command::Pause);
    assert_eq!(refusal(&window, Command::Resume), "");
    assert_eq!(refusal(&window, Command::StopNow), "");
    assert!(refusal(&window, Command::Pause).contains("already paused"));
    let mut window = Window::new();
    window.harness.state_mut().editor.document.experiment.arms.clear();
    window.harness.run();
    let without_arms = refusal(&window, Command::RunAll);
    assert!(without_arms.contains("there is no arm; add one"), "{without_arms}");
    window.harness.state_mut().editor.document.experiment.seeds.clear();
    window.harness.run();
    assert!(refusal(&window, Command::RunAll).contains("The document has an error"));
    window.harness.state_mut().choose_template();
    for command in [Command::Save, Command::StopNow, Command::RunAll] {
        assert!(refusal(&window, command).contains("No experiment is open"), "{command:?}");
    }
    assert_eq!(refusal(&window, Command::Open), "");
}

#[test]
fn a_key_that_cannot_be_used_now_says_why() {
    let mut window = Window::new();
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::Period);
    window.harness.run();
    assert!(window.log().contains("Stop now: Nothing is running"), "{}", window.log());
}

#[test]
fn a_window_that_is_typed_into_draws_nothing_between_keys() {
    let mut window = Window::new();
    window.harness.run();
    window.harness.get_by_label("Batch size").focus();
    let frames = window.harness.run();
    assert!(frames < 10, "{frames}");
    let delay = window.harness.output().viewport_output[&ViewportId::ROOT].repaint_delay;
    assert_eq!(delay, Duration::MAX, "a blinking cursor costs two frames a second");
}

#[test]
fn escape_closes_what_is_above_the_guide_first_and_then_the_guide() {
    let mut window = Window::new();
    window.execute(Command::Guide);
    window.execute(Command::Palette);
    for expected in [true, false] {
        window.harness.key_press(Key::Escape);
        window.harness.run_ok();
        assert_eq!(window.sees("What each setting computes"), expected);
    }
}

#[test]
fn the_licences_are_a_page_of_the_guide_that_is_searched_until_escape() {
    let mut window = Window::new();
    window.execute(Command::Licences);
    window.harness.run_ok();
    assert!(window.sees("Licences") && !window.sees("option-ext 0."));
    window.harness.event(egui::Event::Text("option-ext".to_owned()));
    window.harness.run_ok();
    assert!(window.sees("Licences  (1)") && window.sees("option-ext 0."), "it is scrolled there");
    window.harness.key_press(Key::Escape);
    window.harness.run_ok();
    assert!(!window.sees("Licences  (1)"));
}
