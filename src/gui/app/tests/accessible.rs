//! Who does not see the window, or does not use a mouse.

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::NodeT;

use super::*;
// The module has a `Stage` of its own: what a test sees on the other side.
use crate::dialogs::{Dialog, Leaving, Next, PathUse};
use crate::files::Purpose;
use crate::importing::{Importing, Weights};
use data::{Data, Shape};
use doc::{Loss, Net, Stage, Structure};
use form::{Node, Value};
use run::weight_files::{FileShapes, guess};

const INPUTS: &[Role] = &[
    Role::TextInput,
    Role::MultilineTextInput,
    Role::SearchInput,
    Role::NumberInput,
    Role::CheckBox,
    Role::RadioButton,
    Role::Switch,
    Role::ComboBox,
    Role::Slider,
    Role::SpinButton,
    Role::Button,
    Role::Tab,
    Role::Link,
];

/// Asserts that every input that is shown has a name.
pub(super) fn all_are_named(window: &Window, place: &str) {
    let mut inputs = 0;
    for node in window.harness.root().children_recursive() {
        let node = node.accesskit_node();
        if INPUTS.contains(&node.role()) {
            inputs += 1;
            let name = node.label().unwrap_or_default();
            assert!(
                !name.trim().is_empty(),
                "{place}: a {:?} at {:?} has no name",
                node.role(),
                node.bounding_box()
            );
        }
    }
    assert!(inputs > 5, "{place} has only {inputs} inputs");
}

/// Opens all settings of the experiment that fold; the training is open.
fn open_sections(window: &mut Window) {
    for title in ["Data", "Network", "Evaluation", "Devices", "Name and notes"] {
        let all = window.harness.query_all_by_role(Role::DisclosureTriangle);
        let headings: Vec<_> =
            all.filter(|node| node.accesskit_node().label().as_deref() == Some(title)).collect();
        headings[headings.len() - 1].click();
        drop(headings);
        window.harness.run_ok();
    }
}

#[test]
fn every_input_of_every_form_has_a_name() {
    for template in doc::templates::all() {
        let mut window = Window::sized([1280.0, 2000.0], None);
        let ctx = window.harness.ctx.clone();
        window.harness.state_mut().leave(Leaving::to(Next::New(template)), &ctx);
        window.harness.state_mut().open_inspector();
        window.harness.run_ok();
        open_sections(&mut window);
        let mut places = vec![Selection::Experiment, Selection::Arm(0)];
        let last = window.harness.state().editor.document.experiment.arms.len() - 1;
        let stages = window.harness.state().editor.document.experiment.arms[last].plan.len();
        places.extend((0..stages).map(|stage| Selection::Stage { arm: last, path: vec![stage] }));
        for place in places {
            window.harness.state_mut().workspace.selection = place.clone();
            window.harness.run_ok();
            all_are_named(&window, &format!("{} {place:?}", template.name));
        }
    }
}

/// The question about weights of the default network, for an arm with another one or the same.
fn importing(path: &Path, net: &str) -> Dialog {
    let structure = |net: &str| {
        let net: Net = form::ron_text::from_str(net).unwrap();
        Structure::new(&net, Shape::new(1, 8, 8), 10, &Loss::CrossEntropy).unwrap()
    };
    let parameters = structure("Mlp()").parameters.into_iter();
    let shapes = parameters.map(|parameter| (parameter.name, parameter.shape)).collect();
    let file = FileShapes { shapes, ..FileShapes::default() };
    let weights = Weights { path: path.to_owned(), guess: guess(&file), shapes: file };
    let arm = (0, "a".to_owned());
    Dialog::Import(Box::new(Importing::new(weights, arm, "a", Some(&structure(net)), &Data::all()[0])))
}

fn dialogs() -> Vec<Dialog> {
    let (path, title) = (PathBuf::from("/x.ron"), "x".to_owned());
    let (leaving, usage) = (Leaving::to(Next::Quit), PathUse::Save(None));
    let kept = Window::new().harness.state().editor.document.to_keep().unwrap();
    let request = PathRequest { purpose: Purpose::Save, folder: "/".into(), name: "x.ron".into() };
    vec![
        Dialog::unsaved(&title, &[], leaving.clone()),
        Dialog::unsaved(&title, &["\"x\" in Seeds".to_owned()], leaving.clone()),
        Dialog::Running { runs: 2, leaving, comes_back: true },
        Dialog::resume(&title, vec!["ab".to_owned(), "cd".to_owned()], None),
        Dialog::recover(&kept, "today 14:03, 40 s ago"),
        importing(&path, "Mlp()"),
        importing(&path, "Mlp(hidden: [2])"),
        Dialog::comments(path.clone(), None),
        Dialog::changed(path.clone(), None),
        Dialog::overwrite(path.clone(), usage.clone(), &[path]),
        Dialog::path_field(request, usage),
        Dialog::Message { title, text: "What, where, what to do".to_owned() },
        Dialog::Shortcuts,
        Dialog::About,
    ]
}

#[test]
fn every_input_of_every_dialog_has_a_name_and_escape_closes_it() {
    for dialog in dialogs() {
        let mut window = Window::new();
        window.harness.state_mut().shell.dialog = Some(dialog.clone());
        window.harness.run_ok();
        all_are_named(&window, &format!("{dialog:?}"));
        window.harness.key_press(Key::Escape);
        window.harness.run_ok();
        assert!(window.harness.state().shell.dialog.is_none(), "{dialog:?}");
    }
}

#[test]
fn every_line_of_the_palette_has_a_name() {
    for command in [Command::Palette, Command::OpenRecent] {
        let mut window = Window::new();
        window.harness.state_mut().shell.settings.recent.note(Path::new("/x.ron"));
        window.execute(command);
        all_are_named(&window, command.text());
    }
}

#[test]
fn tab_goes_through_a_form_from_top_to_bottom() {
    let mut window = Window::new();
    window.harness.run();
    window.harness.get_by_label("Batch size").focus();
    window.harness.run();
    let mut heights = Vec::new();
    for _ in 0..6 {
        let focused =
            window.harness.root().children_recursive().find(|node| node.accesskit_node().is_focused());
        heights.push(focused.expect("something has the keyboard").rect().center().y);
        window.harness.key_press(Key::Tab);
        window.harness.run();
    }
    assert!(heights.windows(2).all(|pair| pair[0] <= pair[1] + 4.0), "{heights:?}");
    assert!(heights[5] > heights[0] + 40.0, "{heights:?}");
}

#[test]
fn tab_goes_through_the_window_as_one_reads_it() {
    let mut window = Window::new();
    let panel = |window: &Window, at: egui::Pos2| {
        let plan = window.harness.get_by_label("Plan").rect().top();
        match at {
            at if at.y < 40.0 => "bar",
            at if at.y > 800.0 - 24.0 => "log",
            at if at.x < 216.0 && at.y < plan => "arms",
            at if at.x < 216.0 => "plan",
            at if at.x > 1280.0 - 240.0 => "properties",
            _ => "middle",
        }
    };
    let mut passed: Vec<&str> = Vec::new();
    for _ in 0..300 {
        window.harness.key_press(Key::Tab);
        window.harness.step();
        window.harness.step();
        let mut nodes = window.harness.root().children_recursive();
        let Some(focused) = nodes.find(|node| node.accesskit_node().is_focused()) else { continue };
        if focused.accesskit_node().role() == Role::Splitter {
            continue; // between two panels
        }
        let here = panel(&window, focused.rect().center());
        if passed.last() != Some(&here) {
            passed.push(here);
        }
        if passed.len() > 6 {
            break;
        }
    }
    assert_eq!(passed, ["bar", "arms", "plan", "middle", "properties", "log", "bar"]);
}

#[test]
fn f6_goes_between_the_parts_of_the_window_and_f10_opens_the_menu() {
    let mut window = Window::sized([1440.0, 900.0], None);
    let focused = |window: &Window| {
        let mut nodes = window.harness.root().children_recursive();
        let node = nodes.find(|node| node.accesskit_node().is_focused())?;
        let name = node.accesskit_node().label().or_else(|| node.accesskit_node().value());
        Some((name.unwrap_or_default(), node.rect().center()))
    };
    let press = |window: &mut Window, modifiers, key| {
        window.harness.key_press_modifiers(modifiers, key);
        window.harness.run();
        focused(window).expect("something has the keyboard")
    };
    let (tree, _) = press(&mut window, Modifiers::NONE, Key::F6);
    assert_eq!(tree, "dense");
    let (plan, _) = press(&mut window, Modifiers::NONE, Key::F6);
    assert_eq!(plan, "1 Train 12 epochs");
    let (_, tiles) = press(&mut window, Modifiers::NONE, Key::F6);
    assert!(tiles.x > 240.0 && tiles.x < 1184.0, "{tiles}");
    let (_, inspector) = press(&mut window, Modifiers::NONE, Key::F6);
    assert!(inspector.x > 1184.0, "{inspector}");
    let (bar, at) = press(&mut window, Modifiers::NONE, Key::F6);
    assert!(bar == "File" && at.y < 40.0, "{bar} at {at}");
    let (_, back) = press(&mut window, Modifiers::SHIFT, Key::F6);
    assert!(back.x > 1184.0, "{back}");
    for expected in ["New…", "Undo"] {
        press(&mut window, Modifiers::NONE, if expected == "New…" { Key::F10 } else { Key::ArrowRight });
        assert!(window.sees(expected), "{expected}");
    }
    window.harness.key_press(Key::ArrowDown);
    window.harness.run();
    assert_eq!(focused(&window).map(|(name, _)| name).as_deref(), Some("Add arm"), "nothing can be undone");
}

/// All alternatives of a choice, each with its default settings.
fn alternatives<T: Value + Clone + Default>() -> Vec<T> {
    let mut value = T::default();
    let Node::Choice(choice) = value.node() else { panic!("no choice") };
    let count = choice.variants().len();
    let of = |index| {
        let mut value = T::default();
        if let Node::Choice(choice) = value.node() {
            choice.select(index);
        }
        value
    };
    (0..count).map(of).collect()
}

#[test]
fn every_alternative_of_stages_data_and_networks_has_named_inputs() {
    let mut window = Window::sized([1280.0, 2000.0], None);
    let place = Selection::Stage { arm: 0, path: vec![0] };
    let stages = alternatives::<Stage>().into_iter();
    for stage in stages.chain(alternatives().into_iter().map(Stage::Do)) {
        let app = window.harness.state_mut();
        app.editor.document.experiment.arms[0].plan = vec![stage.clone()];
        app.workspace.selection = place.clone();
        window.harness.run_ok();
        all_are_named(&window, &format!("{stage:?}"));
    }
    open_sections(&mut window);
    for data in alternatives() {
        window.harness.state_mut().editor.document.experiment.data = data;
        window.harness.run_ok();
        all_are_named(&window, "data");
    }
    for net in alternatives() {
        window.harness.state_mut().editor.document.experiment.net = net;
        window.harness.run_ok();
        all_are_named(&window, "network");
    }
}
