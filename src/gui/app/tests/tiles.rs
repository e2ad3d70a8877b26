//! Views as tiles: opened, split, closed, maximised, kept.

use eframe::egui::accesskit::{Role, Toggled};
use egui_kittest::kittest::NodeT;
use proptest::prelude::*;

use super::accessible::all_are_named;
use super::*;
use crate::gui::tiles::{LayoutChange, panes};
use crate::results::tiles::{Part, Side, Tile, Tiles};
use crate::results::view::{FILE, ViewSettings};

fn layout(window: &Window) -> Tiles {
    window.harness.state().workspace.tiles.layout().clone()
}

fn active(window: &Window) -> String {
    layout(window).active
}

/// Whether a tab with this title is the open one of its tile.
fn is_open(window: &Window, title: &str) -> bool {
    let mut tabs = window.harness.query_all_by_role_and_label(Role::Tab, title);
    tabs.next().is_some_and(|tab| tab.accesskit_node().toggled() == Some(Toggled::True))
}

fn change(window: &mut Window, change: LayoutChange) {
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
fn a_tab_that_is_opened_is_scrolled_to_and_its_menu_splits_its_tile() {
    let mut window = Window::sized([900.0, 600.0], None);
    for (name, title) in [("notes", "Notes"), ("accuracy", "Accuracy"), ("past", "Past")] {
        change(&mut window, LayoutChange::Show(name));
        window.harness.run_steps(4);
        let tab = window.harness.get_by_role_and_label(Role::Tab, title).rect();
        let (left, right) = (window.harness.get_by_label("Add arm"), format!("Help on {title}"));
        let right = window.harness.get_by_label(&right).rect().left();
        assert!(tab.left() >= left.rect().right() - 1.0 && tab.right() <= right, "{name}: {tab:?}");
    }
    window.harness.get_by_role_and_label(Role::Tab, "Past").click_secondary();
    window.harness.run_ok();
    window.click("Move below");
    assert_eq!((layout(&window).count(), layout(&window).tabs("past")), (2, 1));
    window.click("Tile of Past");
    window.click("Maximise");
    assert_eq!(layout(&window).seen(), ["past"]);
}

#[test]
fn a_tab_that_is_dropped_in_the_lower_half_of_its_tile_gets_a_tile_below() {
    let mut window = Window::new();
    let before = layout(&window);
    let tab = window.harness.get_by_role_and_label(Role::Tab, "Loss").rect().center();
    let pane = window.harness.get_by_label("Press Run all: curves of test accuracy appear here").rect();
    let below = pane.center() + egui::vec2(0.0, 200.0);
    window.harness.hover_at(tab);
    window.harness.drag_at(tab);
    window.harness.run_steps(2);
    for at in [tab.lerp(below, 0.5), below] {
        window.harness.hover_at(at);
        window.harness.run_steps(2);
    }
    window.harness.drop_at(below);
    window.harness.run_ok();
    let Some(Tile::Column(parts)) = layout(&window).root else { panic!("{:?}", layout(&window)) };
    let left: Vec<&str> = before.views().into_iter().filter(|view| *view != "loss").collect();
    assert_eq!(parts[0].tile.views(), left);
    assert_eq!((parts.len(), parts[1].tile.views()), (2, vec!["loss"]));
    assert!(is_open(&window, "Accuracy") && is_open(&window, "Loss"));
    assert!(window.harness.query_by_role_and_label(Role::Tab, "").is_none(), "every tab has a name");
    change(&mut window, LayoutChange::Reset);
    assert_eq!(layout(&window), before);
    assert!(is_open(&window, "Accuracy") && !is_open(&window, "Loss"));
}

#[test]
fn the_open_tab_of_a_layout_that_is_taken_is_in_sight() {
    let mut window = Window::sized([900.0, 600.0], None);
    let mut kept = layout(&window);
    for name in ["past", "notes"] {
        kept.show(name);
    }
    window.harness.set_size(egui::vec2(1900.0, 800.0));
    window.harness.state_mut().workspace.tiles.take(Some(&kept));
    window.harness.run_steps(4);
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.harness.run_ok();
    let tab = window.harness.get_by_role_and_label(Role::Tab, "Notes").rect();
    let right = window.harness.get_by_label("Help on Notes").rect().left();
    let left = window.harness.get_by_label("Add arm").rect().right();
    assert!(tab.left() >= left - 1.0 && tab.center().x <= right, "{tab:?} in {left} to {right}");
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

#[test]
fn views_are_opened_from_the_menu() {
    let mut window = Window::new();
    for title in ["Past", "Notes"] {
        window.click("View");
        window.click("Views");
        let entry = window.harness.query_all_by_role_and_label(Role::Button, title).next();
        entry.unwrap_or_else(|| panic!("{title} is not in the menu")).click();
        window.harness.run_ok();
        assert!(is_open(&window, title), "{title}");
    }
}

#[test]
fn keys_split_move_maximise_and_close() {
    let mut window = Window::new();
    let press = |window: &mut Window, modifiers: Modifiers, key: Key| {
        window.harness.key_press_modifiers(modifiers, key);
        window.harness.run_ok();
    };
    let both = Modifiers::COMMAND.plus(Modifiers::SHIFT);
    press(&mut window, Modifiers::CTRL, Key::Tab);
    assert_eq!(active(&window), "loss");
    press(&mut window, Modifiers::COMMAND, Key::T);
    assert_eq!((layout(&window).count(), active(&window).as_str()), (2, "loss"));
    assert!(is_open(&window, "Accuracy") || is_open(&window, "Runs"));
    press(&mut window, Modifiers::CTRL.plus(Modifiers::SHIFT), Key::Tab);
    assert_ne!(active(&window), "loss");
    press(&mut window, both, Key::T);
    assert_eq!(layout(&window).count(), 3);
    assert_eq!(layout(&window).seen().len(), 3);
    press(&mut window, Modifiers::COMMAND, Key::M);
    assert_eq!(layout(&window).seen().len(), 1);
    press(&mut window, Modifiers::COMMAND, Key::M);
    let gone = active(&window);
    press(&mut window, Modifiers::COMMAND, Key::W);
    assert_eq!(layout(&window).count(), 2);
    assert!(layout(&window).closed.contains(&gone));
    press(&mut window, both, Key::W);
    assert_eq!(layout(&window).count(), 1);
    press(&mut window, both, Key::M);
    assert_eq!(window.harness.state().workspace.tiles.kept(), None, "all is as at first");
}

#[test]
fn a_key_that_deletes_a_word_closes_nothing() {
    let mut window = Window::new();
    window.click("Runs");
    window.harness.get_by_label("Filter:").focus();
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
    change(&mut window, LayoutChange::Show("loss"));
    window.execute(Command::SplitRight);
    let plot = |window: &Window| window.harness.state().workspace.plot.plot().name;
    assert_eq!(plot(&window), "loss");
    window.click("Accuracy");
    assert_eq!((active(&window).as_str(), plot(&window)), ("accuracy", "accuracy"));
    let place = window.harness.get_by_label("Press Run all: curves of the loss appear here").rect().center();
    window.harness.hover_at(place);
    window.harness.drag_at(place);
    window.harness.drop_at(place);
    window.harness.run_ok();
    assert_eq!((active(&window).as_str(), plot(&window)), ("loss", "loss"));
    // A view that is no plot leaves exports to the plot that is still seen.
    change(&mut window, LayoutChange::Show("runs"));
    assert_eq!((active(&window).as_str(), plot(&window)), ("runs", "loss"));
    change(&mut window, LayoutChange::Maximise);
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
    window.execute(Command::Maximise);
    let (role, name) = (Role::MultilineTextInput, "Notes on the results");
    window.harness.get_by_role_and_label(role, name).focus();
    window.harness.run_ok();
    window.harness.get_by_role_and_label(role, name).type_text("It holds.");
    window.harness.run_ok();
    window.harness.state_mut().finish();
    let kept = layout(&window);
    let mut view = ViewSettings::read(&results).unwrap();
    assert_eq!((view.tiles.as_ref(), view.notes.as_str()), (Some(&kept), "It holds."));
    let again = Window::open(Some(file.clone()));
    assert_eq!(layout(&again), kept);

    let unknown = Tile::tabs(vec!["hologram".to_owned()]);
    let root = kept.root.clone().unwrap();
    let parts = [unknown, root].map(|tile| Part { share: 1.0, tile });
    view.tiles = Some(Tiles { root: Some(Tile::Row(parts.into())), ..kept.clone() });
    std::fs::write(results.join(FILE), view.to_text()).unwrap();
    assert_eq!(layout(&Window::open(Some(file))), kept);
}

#[test]
fn without_any_view_the_window_says_how_they_come_back() {
    let mut window = Window::new();
    while layout(&window).root.is_some() {
        window.execute(Command::CloseTile);
    }
    assert!(window.sees("All views are closed") && window.sees("Ctrl+Shift+P"));
    all_are_named(&window, "no view");
    window.click("Weights");
    assert_eq!(layout(&window).views(), ["weights"]);
    window.execute(Command::CloseView);
    window.click("Open the default views");
    assert!(is_open(&window, "Accuracy") && !window.sees("All views are closed"));
}

#[test]
fn a_plot_gets_a_tab_when_its_data_come_and_none_once_it_was_closed() {
    let mut window = Window::new();
    window.click("Run all");
    window.say(0, started());
    assert!(!layout(&window).views().contains(&"past"));
    let Event::Point(point) = accuracy(0.5, 1.0) else { panic!("no point") };
    let past = |trained| Event::Point(Point { series: "past_kl".to_owned(), trained, ..point.clone() });
    window.say(0, past(1.0));
    window.harness.run_steps(20);
    assert_eq!(layout(&window).views()[..3], ["accuracy", "loss", "past"]);
    assert_eq!(window.harness.state().workspace.tiles.kept(), None, "nobody has moved anything");
    change(&mut window, LayoutChange::Close("past"));
    window.say(0, past(2.0));
    window.harness.run_steps(20);
    assert!(!layout(&window).views().contains(&"past"));
}

fn layout_change() -> impl Strategy<Value = LayoutChange> {
    let names: Vec<&'static str> = panes().map(|pane| pane.name).collect();
    prop_oneof![
        3 => prop::sample::select(names.clone()).prop_map(LayoutChange::Show),
        1 => prop::sample::select(names).prop_map(LayoutChange::Close),
        1 => Just(LayoutChange::CloseTile),
        4 => prop::sample::select(&[Side::Right, Side::Below][..]).prop_map(LayoutChange::Split),
        1 => any::<bool>().prop_map(LayoutChange::Cycle),
        1 => Just(LayoutChange::Maximise),
        1 => Just(LayoutChange::Reset),
    ]
}

/// What a person does to the layout: by a command, or by dragging one of the tabs.
#[derive(Clone, Debug)]
enum Deed {
    Change(LayoutChange),
    /// The tab by its number, and the place in the middle of the window where it is dropped, as shares.
    Drag(usize, [f32; 2]),
}

fn deed() -> impl Strategy<Value = Deed> {
    let to = [0.0..1.0_f32, 0.0..1.0_f32];
    prop_oneof![
        3 => layout_change().prop_map(Deed::Change),
        2 => (0..12_usize, to).prop_map(|(tab, to)| Deed::Drag(tab, to)),
    ]
}

/// Drags a tab with the mouse, if there is one.
fn drag(window: &mut Window, tab: usize, [right, down]: [f32; 2]) {
    let tabs: Vec<egui::Rect> = window.harness.query_all_by_role(Role::Tab).map(|tab| tab.rect()).collect();
    let Some(from) = tabs.get(tab % tabs.len().max(1)).map(egui::Rect::center) else { return };
    let to = egui::pos2(300.0 + 620.0 * right, 36.0 + 640.0 * down);
    window.harness.hover_at(from);
    window.harness.drag_at(from);
    for at in [from.lerp(to, 0.5), to] {
        window.harness.run_steps(2);
        window.harness.hover_at(at);
    }
    window.harness.run_steps(2);
    window.harness.drop_at(to);
    window.harness.run_ok();
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
    let floats = window.harness.ctx.memory(|memory| {
        memory
            .layer_ids()
            .any(|layer| layer.order == egui::Order::Middle && memory.areas().is_visible(&layer))
    });
    assert!(!floats);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]
    #[test]
    fn whatever_is_done_to_the_layout_every_view_that_is_seen_has_its_tab(
        deeds in prop::collection::vec(deed(), 1..12),
    ) {
        let mut window = Window::new();
        for deed in deeds {
            let sorted = |window: &Window| {
                let layout = layout(window);
                let mut views: Vec<String> = layout.views().into_iter().map(str::to_owned).collect();
                views.sort();
                views
            };
            let before = sorted(&window);
            match deed.clone() {
                Deed::Change(wish) => change(&mut window, wish),
                Deed::Drag(tab, to) => {
                    drag(&mut window, tab, to);
                    prop_assert_eq!(&sorted(&window), &before, "{:?} loses or doubles a view", deed);
                }
            }
            let layout = layout(&window);
            for name in layout.seen() {
                let pane = crate::gui::tiles::find(name).unwrap();
                prop_assert!(is_open(&window, pane.title), "{name} after {deed:?}: {layout:?}");
            }
            prop_assert!(!layout.seen().is_empty() || window.sees("All views are closed"));
            prop_assert!(window.harness.query_by_role_and_label(Role::Tab, "").is_none(), "{deed:?}");
        }
    }
}
