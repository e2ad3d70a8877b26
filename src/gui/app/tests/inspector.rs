//! The inspector in the window.

use eframe::egui::accesskit::Role;
use eframe::egui::{self, Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};

use super::Window;
use crate::commands::Command;
use crate::files::PathAnswer;
use crate::history::History;
use crate::selection::Selection;
use doc::Stage;
use doc::intervention::{Freeze, Layers};
use doc::{Intervention, Target};

fn fold(window: &mut Window, title: &str) {
    let all = window.harness.query_all_by_role(eframe::egui::accesskit::Role::DisclosureTriangle);
    let headings: Vec<_> =
        all.filter(|node| node.accesskit_node().label().as_deref() == Some(title)).collect();
    headings[headings.len() - 1].click();
    drop(headings);
    window.harness.run();
}

#[test]
fn looking_at_settings_never_changes_the_selection() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let run = window.harness.state().editor.document.runs()[0].clone();
    for selection in [Selection::Arm(1), Selection::Run { arm: 0, id: run.id }] {
        window.harness.state_mut().workspace.selection = selection.clone();
        window.harness.run();
        for title in ["Data", "Network", "Training", "Evaluation", "Devices", "Data", "Network", "Training"] {
            fold(&mut window, title);
            assert_eq!(window.harness.state().workspace.selection, selection, "{title}");
        }
        let batch = window.harness.get_by_label("Batch size");
        batch.focus();
        batch.type_text("32");
        window.harness.run();
        assert_eq!(window.harness.state().workspace.selection, selection);
    }
}

#[test]
fn what_is_rarely_changed_about_training_is_folded_and_opens_where_it_is_looked_for() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    assert!(window.harness.query_by_label("Batch size").is_some());
    assert!(window.harness.query_by_label("Augmentation").is_none());
    let place = form::path::Place::default().key("train").key("augment");
    window.harness.state_mut().show_setting(place);
    window.harness.run();
    assert!(window.harness.query_by_label("Augmentation").is_some());
}

#[test]
fn text_that_is_no_value_prevents_running_and_leads_to_its_field() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.harness.get_by_label("Batch size").focus();
    window.harness.run();
    window.harness.get_by_label("Batch size").type_text("many");
    window.harness.run();
    window.harness.get_by_label("Seeds").focus();
    window.harness.run();
    let app = window.harness.state();
    let problem = app.editor.document.first_error().cloned().unwrap();
    assert_eq!(problem.place.to_string(), "train.batch");
    assert!(problem.message.contains("many"), "{problem}");
    // Folded away, it is still there.
    fold(&mut window, "Training");
    assert!(window.harness.state().editor.document.first_error().is_some());
    window.harness.state_mut().show_setting(problem.place);
    window.harness.run();
    assert!(window.harness.get_by_label("Batch size").is_focused());
    window.harness.get_by_label("Batch size").set_text_value_accesskit("128");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(window.harness.state().editor.document.first_error(), None);
    assert_eq!(window.harness.state().editor.document.experiment.train.batch, 128);
}

#[test]
fn a_stage_that_goes_takes_its_wrong_texts_with_it() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.harness.state_mut().workspace.selection = Selection::Stage { arm: 0, path: vec![0] };
    window.harness.state_mut().editor.document.experiment.arms[0].plan =
        vec![doc::Stage::Train(doc::Train::default()), Stage::Test];
    window.harness.run();
    window.harness.get_by_label("Length").focus();
    window.harness.run();
    window.harness.get_by_label("Length").type_text("long");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert!(window.harness.state().editor.document.first_error().is_some());
    window.harness.state_mut().editor.document.experiment.arms[0].plan.remove(0);
    window.harness.run();
    assert_eq!(window.harness.state().editor.document.first_error(), None);
}

#[test]
fn a_setting_is_swept_at_its_field() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let sweep = |window: &Window| {
        window.harness.state().editor.document.experiment.sweep.0.get("train.batch").cloned()
    };
    let before = window.harness.state().editor.document.runs().len();
    window.click("Sweep Batch size");
    assert!(sweep(&window).is_some());
    let field = window.harness.get_all_by_label("Batch size").next().unwrap();
    field.set_text_value_accesskit("16, 64, 256");
    window.harness.run();
    assert_eq!(sweep(&window).unwrap(), "[16, 64, 256]");
    assert_eq!(window.harness.state().editor.document.runs().len(), 3 * before);
    window.click("Stop sweeping Batch size");
    assert_eq!(sweep(&window), None);

    window.harness.state_mut().editor.document.experiment.arms[1]
        .sweep
        .0
        .insert("train.batch".into(), "[8, 16]".into());
    window.harness.run();
    window.click("Batch size: swept, 2 values");
    assert_eq!(window.harness.state().workspace.selection, Selection::Arm(1));
    assert!(window.sees("2 settings ×"));
}

#[test]
fn a_long_row_does_not_widen_the_panel() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let left = |window: &Window| window.harness.get_by_label("Selected").rect().left();
    window.harness.state_mut().workspace.selection = Selection::Stage { arm: 0, path: vec![0] };
    window.harness.run();
    let before = left(&window);
    let name = "a_layer_with_a_name_that_is_longer_than_the_panel_is_wide".to_owned();
    let target = Target { layers: Layers::Only(vec![name.clone()]), ..Target::default() };
    let freeze = Freeze { target, ..Freeze::default() };
    let app = window.harness.state_mut();
    app.editor.document.experiment.arms[0].plan[0] = Stage::Do(Intervention::Freeze(freeze));
    app.editor.document.experiment.arms[0].name = name;
    window.harness.run();
    window.harness.run();
    assert_eq!(left(&window), before);
}

#[test]
fn a_folder_is_looked_for() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.harness.state_mut().editor.document.experiment.data = data::Data::Mnist(data::Mnist::default());
    let folder = tempfile::tempdir().unwrap();
    for name in data::MNIST.needed {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.path().to_owned()));
    window.harness.run();
    fold(&mut window, "Data");
    window.click("Browse for Folder");
    let named = folder.path().display().to_string();
    let is_taken = |window: &Window| {
        format!("{:?}", window.harness.state().editor.document.experiment.data).contains(&named)
    };
    assert!(super::citizen::until(&mut window, is_taken));
}

#[test]
fn seeds_are_taken_once_they_are_entered_and_before_a_command() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let seeds = |window: &Window| window.harness.state().editor.document.experiment.seeds.clone();
    let before = seeds(&window);
    let type_seeds = |window: &mut Window, letters: &[&str]| {
        window.harness.get_by_label("Seeds").focus();
        window.harness.run();
        for letter in letters {
            window.harness.get_by_label("Seeds").type_text(letter);
            window.harness.run();
        }
    };
    type_seeds(&mut window, &["1", "-", "1", "0"]);
    assert_eq!(seeds(&window), before, "typing changes no run");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(seeds(&window), (1..=10).collect::<Vec<u64>>());
    window.harness.state_mut().step_history(History::undo);
    window.harness.run();
    assert_eq!(seeds(&window), before, "one step");
    type_seeds(&mut window, &["3", "-"]);
    assert!(window.harness.state().editor.document.first_error().is_none(), "it may go on");
    type_seeds(&mut window, &["4"]);
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    window.harness.run();
    assert_eq!(seeds(&window), [3, 4], "a command takes what was typed before it");
}

#[test]
fn the_triangle_the_name_and_the_rest_of_the_row_fold_a_section() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let is_open = |window: &Window| window.harness.query_by_label("Batch size").is_some();
    for share in [0.02, 0.2, 0.98] {
        let before = is_open(&window);
        let row = {
            let all = window.harness.query_all_by_role(eframe::egui::accesskit::Role::DisclosureTriangle);
            let mut headings =
                all.filter(|node| node.accesskit_node().label().as_deref() == Some("Training"));
            headings.next_back().expect("the inspector has the section").rect()
        };
        let place = row.lerp_inside(eframe::egui::vec2(share, 0.5));
        window.harness.hover_at(place);
        window.harness.drag_at(place);
        window.harness.drop_at(place);
        window.harness.run();
        assert_ne!(is_open(&window), before, "{share} of the row from the left");
    }
}

#[test]
fn what_is_typed_is_part_of_what_the_next_click_does() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.harness.get_by_label("Seeds").focus();
    window.harness.run();
    window.harness.get_by_label("Seeds").type_text("1-4");
    window.harness.run();
    assert_ne!(window.harness.state().editor.document.experiment.seeds.len(), 4, "it is not entered yet");
    window.click("Run all");
    assert_eq!(window.harness.state().editor.document.experiment.seeds, [1, 2, 3, 4]);
    let runs = window.harness.state().editor.document.runs().len();
    assert_eq!(window.stage.borrow().jobs.len(), runs, "all of them were started");
}

#[test]
fn the_name_of_an_arm_is_in_the_document_while_it_is_typed() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.harness.state_mut().workspace.selection = Selection::Arm(0);
    window.harness.run();
    let name = |window: &Window| window.harness.state().editor.document.experiment.arms[0].name.clone();
    let before = name(&window);
    for (end, after) in [(Key::Enter, format!("{before} 2")), (Key::Escape, format!("{before} 2"))] {
        window.harness.key_press(Key::F2);
        window.harness.run();
        let typed = format!("{} 2", name(&window));
        window.harness.get_by_label("Name of the arm").type_text(&typed);
        window.harness.run();
        assert_eq!(name(&window), if end == Key::Enter { after.clone() } else { format!("{after} 2") });
        window.harness.key_press(end);
        window.harness.run();
        assert_eq!(name(&window), after);
    }
}

#[test]
fn a_criterion_by_gradients_prunes_over_all_layers_unless_told_otherwise() {
    use doc::intervention::Prune;
    use intervene::Scope;
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.harness.state_mut().editor.document.experiment.arms[0].plan =
        vec![Stage::Do(Intervention::Prune(Prune::default())), Stage::Test];
    window.select(Selection::Stage { arm: 0, path: vec![0] });
    let scope = |window: &Window| match &window.harness.state().editor.document.experiment.arms[0].plan[0] {
        Stage::Do(Intervention::Prune(prune)) => prune.scope,
        _ => panic!("the stage is gone"),
    };
    let combo = |window: &mut Window, label: &str, alternative: &str| {
        let role = eframe::egui::accesskit::Role::ComboBox;
        window.harness.get_by_role_and_label(role, label).click();
        window.harness.run();
        window.harness.get_by_role_and_label(eframe::egui::accesskit::Role::Button, alternative).click();
        window.harness.run();
    };
    combo(&mut window, "Criterion", "SNIP");
    assert_eq!(scope(&window), Scope::Global);
    combo(&mut window, "Criterion", "Magnitude");
    assert_eq!(scope(&window), Scope::PerLayer);
    combo(&mut window, "Criterion", "SynFlow");
    combo(&mut window, "Scope", "Per layer");
    combo(&mut window, "Criterion", "SNIP");
    assert_eq!(scope(&window), Scope::PerLayer, "it was chosen");
}

/// A window with a campaign that varies bits, selected.
fn bits() -> Window {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let stage = form::ron_text::from_str("Campaign(vary: Bit([31, 0]))").unwrap();
    window.harness.state_mut().editor.document.experiment.arms[0].plan = vec![stage];
    window.select(Selection::Stage { arm: 0, path: vec![0] });
    window
}

fn varied(window: &Window) -> Vec<u32> {
    let Stage::Campaign(campaign) = &window.harness.state().editor.document.experiment.arms[0].plan[0] else {
        panic!("no campaign")
    };
    let doc::fault::Vary::Bit(bits) = &campaign.vary else { panic!("no bits") };
    bits.clone()
}

fn input<'a>(window: &'a Window, name: &'a str) -> egui_kittest::Node<'a> {
    window.harness.get_all_by_role_and_label(Role::TextInput, name).next().unwrap()
}

fn type_into(window: &mut Window, name: &str, text: &str) {
    input(window, name).focus();
    window.harness.run();
    input(window, name).type_text(text);
    window.harness.run();
}

#[test]
fn a_typed_text_counts_once_it_is_entered_or_the_field_is_left() {
    let mut window = bits();
    type_into(&mut window, "Bit", "31");
    assert_eq!(varied(&window), [31, 0], "half typed");
    input(&window, "Bit").type_text("-29");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(varied(&window), [31, 30, 29], "a range may go down");
    type_into(&mut window, "Bit", "7");
    input(&window, "Images").focus();
    window.harness.run();
    assert_eq!(varied(&window), [7], "the field was left");
    type_into(&mut window, "Bit", "8");
    window.harness.key_press(Key::Escape);
    window.harness.run();
    assert_eq!(varied(&window), [7], "Escape gives it up");
    type_into(&mut window, "Bit", "9");
    window.select(Selection::Arm(1));
    window.select(Selection::Stage { arm: 0, path: vec![0] });
    assert_eq!(varied(&window), [9], "something else was selected");
    type_into(&mut window, "Bit", "10");
    window.execute(Command::ToggleLog);
    assert_eq!(varied(&window), [10], "a command is about what was typed");
}

#[test]
fn swept_values_count_once_they_are_entered_too() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.click("Sweep Batch size");
    let sweep =
        |window: &Window| window.harness.state().editor.document.experiment.sweep.0["train.batch"].clone();
    let before = sweep(&window);
    type_into(&mut window, "Batch size", "16, 32");
    assert_eq!(sweep(&window), before);
    window.execute(Command::ToggleLog);
    assert_eq!(sweep(&window), "[16, 32]", "a command is about what was typed");
    type_into(&mut window, "Batch size", "8, many");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(sweep(&window), "[16, 32]");
    assert!(window.harness.state().editor.document.first_error().unwrap().message.contains("many"));
    window.execute(Command::Undo);
    assert_eq!(window.harness.state().editor.document.first_error(), None);
}

#[test]
fn fields_stay_where_they_are_when_a_text_is_rejected() {
    let mut window = bits();
    let places = |window: &Window| ["Images", "Seeds"].map(|name| input(window, name).rect());
    let before = places(&window);
    for text in ["31-", "99"] {
        type_into(&mut window, "Bit", text);
        assert_eq!(places(&window), before, "{text}");
        window.harness.key_press(Key::Enter);
        window.harness.run();
        assert_eq!(places(&window), before, "{text}");
        let said = input(&window, "Bit").accesskit_node().description().unwrap_or_default();
        assert!(said.contains("has no end") || said.contains("above 31"), "{said}");
        input(&window, "Bit").focus();
        window.harness.run();
        assert!(window.sees(&said) && places(&window) == before, "it lies over what is below");
        window.harness.key_press(Key::Escape);
        window.harness.run();
    }
}

#[test]
fn undo_takes_back_a_rejected_text_in_every_field() {
    for (name, text) in
        [("Seeds", "1-"), ("Batch size", "many"), ("Learning rate", "fast"), ("Warm-up", "5 apples")]
    {
        let mut window = Window::sized([1280.0, 1400.0], None);
        let before = input(&window, name).value();
        type_into(&mut window, name, text);
        window.harness.key_press(Key::Enter);
        window.harness.run();
        assert_eq!(input(&window, name).value().unwrap(), text);
        assert!(window.harness.state().editor.document.first_error().is_some(), "{name}");
        window.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.harness.run();
        assert_eq!(input(&window, name).value(), before, "{name}");
        assert_eq!(window.harness.state().editor.document.first_error(), None, "{name}");
        window.execute(Command::Redo);
        assert_eq!(input(&window, name).value().unwrap(), text);
        window.execute(Command::Undo);
        assert_eq!(window.harness.state().editor.history.undoes(), None, "{name}");
    }
}

#[test]
fn a_rejected_text_that_is_mended_leaves_no_step() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    for text in ["1-", "1-4"] {
        type_into(&mut window, "Seeds", text);
        window.harness.key_press(Key::Enter);
        window.harness.run();
    }
    assert_eq!(window.harness.state().editor.document.experiment.seeds, [1, 2, 3, 4]);
    window.execute(Command::Undo);
    assert_eq!(window.harness.state().editor.document.experiment.seeds, [1, 2, 3]);
    assert_eq!(window.harness.state().editor.history.undoes(), None);
}

#[test]
fn what_has_to_be_chosen_first_is_no_mistake() {
    let mut mistakes = Vec::new();
    for entry in crate::plan::entries() {
        let mut window = Window::sized([1280.0, 1400.0], None);
        let train = Stage::Train(doc::Train::default());
        window.harness.state_mut().editor.document.experiment.arms[0].plan = vec![train, entry.stage];
        window.select(Selection::Stage { arm: 0, path: vec![1] });
        let problems = window.harness.state().editor.document.problems().to_vec();
        let wrong = problems.iter().filter(|problem| problem.is_mistake());
        mistakes.extend(wrong.map(|problem| format!("{}: {problem}", entry.label)));
        if entry.label == "Import" {
            assert!(window.sees("1 to choose") && window.sees("choose a weight file"));
            window.execute(Command::RunAll);
            assert!(window.stage.borrow().jobs.is_empty() && window.log().contains("choose a weight file"));
        }
    }
    assert_eq!(mistakes, Vec::<String>::new());
    for data in data::Data::all().into_iter().filter(data::Data::needs_look) {
        let mut window = Window::sized([1280.0, 1400.0], None);
        window.harness.state_mut().editor.document.experiment.data = data;
        window.harness.run_ok();
        assert!(window.sees("1 to choose") && !window.sees("problem"));
    }
}

#[test]
fn settings_without_use_for_the_data_are_not_there_unless_they_are_set() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    fold(&mut window, "Data");
    let seen = |window: &Window| {
        ["Labels", "Image size"].map(|name| window.harness.query_all_by_label(name).next().is_some())
    };
    assert_eq!(seen(&window), [true, true]);
    for (data, is_there) in [
        ("Iris()", [false, false]),
        ("Iris(labels: EvenOdd)", [true, false]),
        ("Cifar10()", [false, true]),
        ("Mnist()", [true, true]),
    ] {
        window.harness.state_mut().editor.document.experiment.data = form::ron_text::from_str(data).unwrap();
        window.harness.run_ok();
        assert_eq!(seen(&window), is_there, "{data}");
    }
}

#[test]
fn what_does_not_fit_at_rest_is_counted_or_shows_its_end() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let painted = |window: &Window, name: &str| {
        let rect = input(window, name).rect();
        let texts = super::narrow::texts(window).into_iter();
        let seen =
            texts.filter(|(at, text)| rect.contains(at.center()) && text.override_text_color.is_none());
        seen.map(|(_, text)| text.galley.text().to_owned()).last().unwrap_or_default()
    };
    window.click("Sweep Learning rate");
    type_into(&mut window, "Learning rate", "0.0003, 0.0012, 0.005, 0.02");
    input(&window, "Seeds").focus();
    window.harness.run();
    assert_eq!(painted(&window, "Learning rate"), "4 values");
    let folder = "/home/somebody/data/sets/of/mine/mnist".to_owned();
    window.harness.state_mut().editor.document.experiment.data =
        data::Data::Mnist(data::Mnist { dir: Some(folder), ..data::Mnist::default() });
    window.harness.run_ok();
    fold(&mut window, "Data");
    let shown = painted(&window, "Folder");
    assert!(shown.starts_with('…') && shown.ends_with("/mnist"), "{shown}");
}

#[test]
fn sweep_icons_are_seen_on_the_line_with_the_pointer_or_the_keyboard() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    let is_seen = |window: &Window| {
        let rect = window.harness.get_by_label("Sweep Batch size").rect();
        let texts = super::narrow::texts(window).into_iter().filter(|(at, _)| rect.contains(at.center()));
        let is_coloured =
            |section: &egui::text::LayoutSection| section.format.color != egui::Color32::TRANSPARENT;
        texts.flat_map(|(_, text)| text.galley.job.sections.clone()).any(|section| is_coloured(&section))
    };
    assert!(!is_seen(&window));
    window.harness.hover_at(input(&window, "Batch size").rect().center());
    window.harness.run();
    assert!(is_seen(&window));
    window.harness.hover_at(egui::pos2(5.0, 700.0));
    window.harness.run();
    assert!(!is_seen(&window));
    input(&window, "Batch size").focus();
    window.harness.run();
    window.harness.run();
    assert!(is_seen(&window));
}
