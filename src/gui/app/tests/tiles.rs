//! Views as tiles: opened, split, closed, maximized, kept.

use eframe::egui::accesskit::Role;

use super::accessible::all_are_named;
use super::*;
use crate::tiles::{HEAD, LayoutChange, pane_named, panes};
use results::tiles::{Group, Layout, Side, Tile};
use results::view::ViewSettings;

pub fn layout(window: &Window) -> Layout {
    window.harness.state().workspace.tiles.layout().clone()
}

fn active(window: &Window) -> String {
    layout(window).active
}

fn group(window: &Window) -> Group {
    window.harness.state().workspace.tiles.group()
}

/// Returns true if a tile has this title.
pub fn is_open(window: &Window, title: &str) -> bool {
    window.harness.query_by_label(&format!("Menu of {title}")).is_some()
}

pub fn change(window: &mut Window, change: LayoutChange) {
    window.harness.state_mut().workspace.tiles.change(change);
    window.harness.run_ok();
}

#[test]
fn every_plot_and_view_opens_by_its_name_and_explains_itself() {
    let mut window = Window::new();
    for pane in panes() {
        window.execute(Command::Palette);
        let name = format!("Show view: {}", pane.title);
        window.harness.get_by_label("Search commands").type_text(&name);
        window.harness.run_ok();
        window.harness.key_press(Key::Enter);
        window.harness.run_ok();
        assert_eq!(active(&window), pane.name);
        assert!(is_open(&window, pane.title), "{}", pane.name);
        all_are_named(&window, pane.name);
        window.click(&format!("Help on {}", pane.title));
        assert!(window.harness.query_by_label(pane.help).is_some(), "{}", pane.name);
        window.harness.key_press(Key::Escape);
        window.harness.run_ok();
    }
}

#[test]
fn the_head_of_a_tile_lists_views_and_its_menu_splits_and_closes() {
    let mut window = Window::sized([1440.0, 900.0], None);
    assert_eq!(layout(&window).views(), ["accuracy"]);
    window.execute(Command::SplitDown);
    assert_eq!(layout(&window).views(), ["accuracy", "loss"], "two tiles, one above the other");
    assert!(matches!(layout(&window).root, Some(Tile::Column(_))));
    window.harness.get_by_role_and_label(Role::Button, "Loss").click();
    window.harness.run_ok();
    window.click("Per-class accuracy");
    assert_eq!(layout(&window).views(), ["accuracy", "classes"]);
    window.click("Menu of Per-class accuracy");
    window.click("Split right");
    assert_eq!((layout(&window).count(), active(&window) != "classes"), (3, true));
    window.click("Maximize: Per-class accuracy");
    assert_eq!(layout(&window).seen(), ["classes"]);
    window.click("Menu of Per-class accuracy");
    window.click("Close view");
    assert_eq!(layout(&window).count(), 2);
    change(&mut window, LayoutChange::Reset);
    assert_eq!(layout(&window).views(), ["accuracy"]);
    assert_eq!(window.harness.state().workspace.tiles.kept(&[]), None);
}

#[test]
fn a_tile_is_dragged_by_its_head() {
    let mut window = Window::sized([1440.0, 900.0], None);
    window.execute(Command::SplitDown);
    let title = window.harness.get_by_label("Help on Loss").rect().right();
    let head = window.harness.get_by_label("Menu of Loss").rect();
    let from = egui::pos2(title + 40.0, head.center().y);
    let to = egui::pos2(head.right() - 20.0, 200.0);
    window.drag(from, to);
    assert_eq!(layout(&window).count(), 2);
    assert!(matches!(layout(&window).root, Some(Tile::Row(_))), "{:?}", layout(&window));
}

#[test]
fn groups_have_their_own_layouts_and_side_panels() {
    let mut window = Window::sized([1440.0, 900.0], None);
    let click = |window: &mut Window, group: Group| {
        window.harness.get_by_role_and_label(Role::Tab, group.name()).click();
        window.harness.run_ok();
    };
    click(&mut window, Group::Pruning);
    assert_eq!(layout(&window).views(), ["remaining"], "no tile is empty beside another one");
    change(&mut window, LayoutChange::Split(Side::Right));
    let split = layout(&window);
    let sides = |window: &Window| window.harness.state().sides();
    assert_eq!(sides(&window), [true, true]);
    click(&mut window, Group::Faults);
    assert_eq!(layout(&window).views(), ["vulnerability"]);
    assert_eq!(sides(&window), [true, false]);
    assert!(window.sees("Add arm"));
    window.execute(Command::ToggleInspector);
    click(&mut window, Group::Runs);
    assert_eq!(layout(&window).views(), ["runs"]);
    assert_eq!(sides(&window), [false, true]);
    click(&mut window, Group::Pruning);
    assert_eq!(layout(&window), split);
    click(&mut window, Group::Faults);
    assert_eq!(sides(&window), [true, true], "both switches are remembered");
    change(&mut window, LayoutChange::Show("notes"));
    assert_eq!(group(&window), Group::Notes);
}

#[test]
fn a_small_window_has_one_tile_until_somebody_splits_it() {
    let mut window = Window::sized([1280.0, 800.0], None);
    window.click("Run all");
    window.say(0, started());
    let Event::Point(point) = accuracy(0.5, 1.0) else { panic!("no point") };
    for series in ["test_accuracy", "train_loss"] {
        let series = series.to_owned();
        window.say(0, Event::Point(Point { series, remaining: 0.5, ..point.clone() }));
    }
    window.harness.run_steps(20);
    assert_eq!(layout(&window).views(), ["remaining"]);
    window.harness.set_size(egui::vec2(1440.0, 900.0));
    window.harness.run_ok();
    assert_eq!(layout(&window).views(), ["remaining", "rounds"], "those with data");
    window.harness.set_size(egui::vec2(1280.0, 800.0));
    window.harness.run_ok();
    window.execute(Command::SplitRight);
    assert_eq!(layout(&window).count(), 2);
}

#[test]
fn tiles_get_most_of_the_window() {
    for ([width, height], least) in
        [([1280.0, 800.0], 0.58), ([1440.0, 900.0], 0.6), ([1920.0, 1080.0], 0.65)]
    {
        let window = Window::sized([width, height], None);
        assert_eq!(window.harness.state().sides(), [true, true]);
        let left = window.harness.get_by_label("Accuracy").rect().left() - 8.0;
        let right = window.harness.get_by_label("Menu of Accuracy").rect().right() + 8.0;
        let top = window.harness.get_by_label("Menu of Accuracy").rect().center().y - HEAD / 2.0;
        let bottom = window.harness.get_by_label("Log").rect().top() - 2.0;
        let share = (right - left) * (bottom - top) / (width * height);
        assert!(share >= least, "{share} of {width} × {height}");
    }
}

#[test]
fn panels_keep_their_width_whatever_they_hold() {
    let mut window = Window::new();
    let width = |window: &Window| window.harness.get_by_label("Menu of Accuracy").rect().right();
    let before = width(&window);
    window.harness.state_mut().editor.document.experiment.arms[0].name = "a".repeat(300);
    window.harness.state_mut().workspace.selection = Selection::Arm(0);
    for place in [Selection::Experiment, Selection::Stage { arm: 1, path: vec![3, 0] }, Selection::Arm(0)] {
        window.harness.state_mut().workspace.selection = place;
        window.harness.run_ok();
        assert!((width(&window) - before).abs() < 0.5);
    }
}

#[test]
fn every_help_has_two_to_six_sentences() {
    for pane in panes() {
        let help = pane.help;
        let ends = help.match_indices(['.', '?', '!']).map(|(at, _)| &help[at + 1..]);
        let sentences = ends.filter(|rest| rest.is_empty() || rest.starts_with(' ')).count();
        assert!((2..=6).contains(&sentences), "{} has {sentences}", pane.name);
        assert!(help.ends_with(['.', ')']) && !help.contains("  "), "{}", pane.name);
    }
}

fn last_button<'a>(window: &'a Window, name: &'a str) -> egui_kittest::Node<'a> {
    let all = window.harness.query_all_by_role_and_label(Role::Button, name);
    all.last().unwrap_or_else(|| panic!("there is no button {name}"))
}

#[test]
fn views_are_opened_from_the_menu() {
    let mut window = Window::new();
    for title in ["Distance to past", "Notes"] {
        window.click("View");
        window.click("Views");
        // A long list scrolls.
        last_button(&window, title).scroll_to_me();
        window.harness.run_ok();
        last_button(&window, title).click();
        window.harness.run_ok();
        assert!(is_open(&window, title), "{title}");
    }
}

#[test]
fn keys_split_switch_maximize_and_close() {
    let mut window = Window::new();
    let press = |window: &mut Window, modifiers: Modifiers, key: Key| {
        window.harness.key_press_modifiers(modifiers, key);
        window.harness.run_ok();
    };
    let both = Modifiers::COMMAND.plus(Modifiers::SHIFT);
    press(&mut window, Modifiers::CTRL, Key::Tab);
    assert_eq!(active(&window), "loss");
    press(&mut window, Modifiers::COMMAND, Key::T);
    assert_eq!((layout(&window).count(), active(&window) != "loss"), (2, true));
    press(&mut window, both, Key::T);
    assert_eq!((layout(&window).count(), layout(&window).seen().len()), (3, 3));
    press(&mut window, Modifiers::COMMAND, Key::M);
    assert_eq!(layout(&window).seen().len(), 1);
    press(&mut window, Modifiers::COMMAND, Key::M);
    let gone = active(&window);
    press(&mut window, Modifiers::COMMAND, Key::W);
    assert!(layout(&window).count() == 2 && !layout(&window).views().contains(&gone.as_str()));
    press(&mut window, both, Key::M);
    assert_eq!(window.harness.state().workspace.tiles.kept(&[]), None, "all is as at first");
}

#[test]
fn a_key_that_deletes_a_word_closes_nothing() {
    let mut window = Window::new();
    change(&mut window, LayoutChange::Show("runs"));
    window.harness.get_by_label("Filter").focus();
    window.harness.run_ok();
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::W);
    window.harness.run_ok();
    assert!(is_open(&window, "Runs"));
}

#[test]
fn what_is_clicked_into_is_what_exports_are_about() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    change(&mut window, LayoutChange::Show("accuracy"));
    window.execute(Command::SplitRight);
    change(&mut window, LayoutChange::Replace("loss", "loss"));
    let plot = |window: &Window| window.harness.state().workspace.plot.plot().name;
    assert_eq!(plot(&window), "loss");
    let place = window.harness.get_by_label("Plot of Test accuracy").rect().center();
    window.harness.hover_at(place);
    window.harness.drag_at(place);
    window.harness.drop_at(place);
    window.harness.run_ok();
    assert_eq!((active(&window).as_str(), plot(&window)), ("accuracy", "accuracy"));
    let nothing = "Nothing to show yet: these runs have no results for it";
    let place = window.harness.get_by_label(nothing).rect().center();
    window.harness.hover_at(place);
    window.harness.drag_at(place);
    window.harness.drop_at(place);
    window.harness.run_ok();
    assert_eq!((active(&window).as_str(), plot(&window)), ("loss", "loss"));
    // A view that is no plot leaves exports to the plot that was used last.
    change(&mut window, LayoutChange::Show("runs"));
    assert_eq!((active(&window).as_str(), plot(&window)), ("runs", "loss"));
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().workspace.plot.choose("accuracy");
    window.harness.state_mut().act(Command::CopyValues, &ctx);
    let is_copied = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(2));
        window.harness.step();
        window.log().contains("Copied the values of Accuracy")
    });
    assert!(is_copied, "it is built behind another view: {}", window.log());
}

#[test]
fn a_layout_is_kept_with_the_document_and_what_a_newer_version_knows_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ron");
    std::fs::write(&file, "(data: Iris(), net: Mlp(hidden: [2]), arms: [(name: \"a\", plan: [Test])])")
        .unwrap();
    let results = folder.path().join("x.runs");
    let mut window = Window::open(Some(file.clone()));
    change(&mut window, LayoutChange::Show("notes"));
    window.execute(Command::SplitDown);
    change(&mut window, LayoutChange::Show("notes"));
    window.execute(Command::Maximize);
    let (role, name) = (Role::MultilineTextInput, "Notes on the results");
    window.harness.get_by_role_and_label(role, name).focus();
    window.harness.run_ok();
    window.harness.get_by_role_and_label(role, name).type_text("It holds.");
    window.harness.run_ok();
    window.harness.state_mut().finish();
    let kept = layout(&window);
    let view = ViewSettings::read(&results).unwrap();
    let tiles = view.tiles.clone().unwrap();
    assert_eq!(
        (tiles.group, tiles.layout(Group::Notes), view.notes.as_str()),
        (Group::Notes, Some(&kept), "It holds.")
    );
    let again = Window::open(Some(file.clone()));
    assert_eq!((layout(&again), group(&again)), (kept, Group::Notes));
}

#[test]
fn without_any_view_the_window_says_how_they_come_back() {
    let mut window = Window::new();
    while layout(&window).root.is_some() {
        window.execute(Command::CloseView);
    }
    assert!(window.sees("All views are closed") && window.sees("Ctrl+Shift+P"));
    all_are_named(&window, "no view");
    window.click("Open the default views");
    assert!(is_open(&window, "Accuracy") && !window.sees("All views are closed"));
}

#[test]
fn every_template_opens_on_the_views_that_answer_its_question_until_another_group_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy.ron");
    for template in doc::templates::all() {
        assert!(template.views.iter().all(|view| pane_named(view).is_some()), "{}", template.name);
        std::fs::write(&file, template.text).unwrap();
        let window = Window::open(Some(file.clone()));
        let first = pane_named(template.views[0]).unwrap();
        assert_eq!(
            (group(&window), active(&window).as_str()),
            (first.group, first.name),
            "{}",
            template.name
        );
        assert_eq!(window.harness.state().workspace.tiles.kept(template.views), None);
        assert_eq!(window.harness.state().workspace.tiles.kept(&[]).is_some(), first.group != Group::Curves);
    }
    let mut window = Window::open(Some(file.clone()));
    change(&mut window, LayoutChange::Group(Group::Curves));
    window.harness.state_mut().finish();
    assert_eq!(group(&Window::open(Some(file))), Group::Curves);
}

/// The groups with a dot.
fn new_groups(window: &Window) -> Vec<&'static str> {
    let groups = window.harness.state().workspace.groups();
    groups.into_iter().filter(|group| group.is_new).map(|group| group.name).collect()
}

#[test]
fn the_first_result_of_a_kind_brings_its_group_to_the_front_once_until_a_view_is_chosen() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    window.execute(Command::ToggleInspector);
    let sides = window.harness.state().sides();
    let Event::Point(point) = accuracy(0.5, 1.0) else { panic!("no point") };
    window.say(0, Event::Point(point.clone()));
    window.harness.run_steps(20);
    assert_eq!(group(&window), Group::Curves);
    let past = |trained| Event::Point(Point { series: "past_kl".to_owned(), trained, ..point.clone() });
    window.say(0, past(1.0));
    window.harness.run_steps(20);
    assert_eq!((group(&window), layout(&window).views()), (Group::Geometry, vec!["past"]));
    assert_eq!(window.harness.state().sides(), sides, "the panels stay");
    change(&mut window, LayoutChange::Group(Group::Curves));
    let pruned = Event::Point(Point { remaining: 0.5, trained: 2.0, epoch: 2.0, ..point.clone() });
    window.say(0, pruned);
    window.harness.run_steps(20);
    assert_eq!(group(&window), Group::Curves, "it was chosen");
    assert!(new_groups(&window).contains(&"Pruning"));
    change(&mut window, LayoutChange::Show("remaining"));
    assert!(!new_groups(&window).contains(&"Pruning"));
    assert!(!window.harness.state().workspace.tiles.is_new("remaining"));
    window.say(0, Event::Finished { secs: 1.0 });
    window.harness.run_steps(30);
    assert!(new_groups(&window).contains(&"Weights"), "a view that is no plot has its first data too");
    assert_eq!(group(&window), Group::Pruning, "and what every run has stays behind");
}

#[test]
fn an_empty_plot_says_that_runs_go_on_and_then_why_one_failed() {
    let mut window = Window::new();
    assert!(window.sees("Press Run: curves of test accuracy appear here"));
    window.click("Run all");
    assert!(window.sees("Running: first value after 1 epoch") && !window.sees("Press Run: curves"));
    window.say(0, started());
    window.say(0, Event::Failed { message: "The disk is full".to_owned() });
    window.hang_up();
    assert!(window.sees("dense, seed 1 failed: The disk is full") && !window.sees("Press Run: curves"));
}

#[test]
fn a_reading_that_was_pinned_stays_in_the_legend_and_floats_over_nothing() {
    let mut window = Window::new();
    window.execute(Command::RunAll);
    window.say(0, started());
    for trained in [1.0, 2.0, 3.0] {
        window.say(0, accuracy(0.5, trained));
    }
    window.hang_up();
    let is_read = |window: &Window| {
        window.harness.query_all_by(|node| node.value().is_some_and(|text| text.starts_with("at 2 "))).count()
            == 1
    };
    assert!(!is_read(&window));
    let plot = window.harness.get_by_label("Plot of Test accuracy").rect();
    window.harness.hover_at(plot.center());
    window.harness.run_ok();
    window.harness.drag_at(plot.center());
    window.harness.drop_at(plot.center());
    window.harness.run_ok();
    window.harness.remove_cursor();
    window.harness.run_ok();
    assert!(is_read(&window), "it stays");
    let has_pin = window.harness.output().shapes.iter().any(
        |shape| matches!(&shape.shape, egui::Shape::Text(text) if text.galley.text().contains('\u{E3E2}')),
    );
    assert!(has_pin, "and has its sign");
    let floats = window.harness.ctx.memory(|memory| {
        memory
            .layer_ids()
            .any(|layer| layer.order == egui::Order::Middle && memory.areas().is_visible(&layer))
    });
    assert!(!floats);
}

#[test]
fn the_table_of_runs_has_one_row_of_tools() {
    for width in [1440.0, 1280.0, 1000.0] {
        let mut window = Window::sized([width, 900.0], None);
        change(&mut window, LayoutChange::Show("runs"));
        let row = window.harness.get_by_label("Menu of Runs").rect().center().y;
        for (role, label) in [(Role::TextInput, "Filter"), (Role::Button, "Columns"), (Role::Button, "Copy")]
        {
            let place = window.harness.get_by_role_and_label(role, label).rect();
            assert!((place.center().y - row).abs() < 2.0, "{width}: {label} at {place}");
            assert!(place.left() > 0.0 && place.right() < width, "{width}: {label} at {place}");
        }
        window.click("Menu of Runs");
        for entry in ["group", "baseline"] {
            assert!(window.harness.query_all_by_label(entry).next().is_some(), "{width}: {entry}");
        }
    }
}
