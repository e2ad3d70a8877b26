//! The inspector in the window.

use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};

use super::Window;
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
fn the_form_of_an_arm_has_its_colour_and_mark() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    window.harness.state_mut().workspace.selection = Selection::Arm(1);
    window.harness.run();
    let role = eframe::egui::accesskit::Role::Button;
    window.harness.get_by_role_and_label(role, "Colour and mark").click();
    window.harness.run();
    window.click("purple");
    let treatments = &window.harness.state().workspace.treatments;
    assert_eq!(figure::style_of(treatments[1].colour).colour, 3);
}

#[test]
fn one_button_shows_all_settings_of_the_experiment_and_folds_them() {
    let mut window = Window::sized([1280.0, 1400.0], None);
    assert!(!window.sees("Hidden layers") && window.sees("Batch size"));
    window.click("Show all settings");
    assert!(window.sees("Hidden layers"));
    window.click("Fold all settings");
    assert!(!window.sees("Hidden layers") && !window.sees("Batch size"));
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
    assert!(window.harness.state().editor.document.first_error().is_some(), "no value is wrong at once");
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
