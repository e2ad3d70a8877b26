//! Forms of real settings, driven as a user would: by the names of their controls.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::{FormContext, value_ui};
use crate::doc::{Arm, Experiment, Loss, Mlp, Net, Problem, Stage, Train, Training};
use crate::form::path::Place;
use crate::form::{Steps, Value};

struct Form<T> {
    value: T,
    problems: Vec<Problem>,
    focus: Option<Place>,
    changes: usize,
}

fn form<'a, T: Value + 'a>(value: T) -> Harness<'a, Form<T>> {
    with_problems(value, Vec::new())
}

fn with_problems<'a, T: Value + 'a>(value: T, problems: Vec<Problem>) -> Harness<'a, Form<T>> {
    let draw = |ui: &mut eframe::egui::Ui, form: &mut Form<T>| {
        let mut context = FormContext::new(Place::default(), &form.problems);
        (context.focus, context.elsewhere) = (form.focus.take(), &["version", "plan", "arms"]);
        eframe::egui::ScrollArea::vertical().show(ui, |ui| {
            form.changes += usize::from(value_ui(ui, &mut form.value, &mut context));
        });
        form.focus = context.focus;
    };
    let form = Form { value, problems, focus: None, changes: 0 };
    Harness::builder().with_size(vec2(320.0, 900.0)).build_ui_state(draw, form)
}

/// Replaces the text of a field in one go.
fn write<T>(harness: &mut Harness<'_, Form<T>>, label: &str, text: &str) {
    harness.get_by_label(label).set_text_value_accesskit(text);
    harness.run();
}

fn click<T>(harness: &mut Harness<'_, Form<T>>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

/// Takes an alternative of a combo box.
fn choose<T>(harness: &mut Harness<'_, Form<T>>, label: &str, alternative: &str) {
    harness.get_by_role_and_label(Role::ComboBox, label).click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, alternative).click();
    harness.run();
}

#[test]
fn a_typed_number_is_in_the_document_at_once() {
    let mut harness = form(Training::default());
    write(&mut harness, "Batch size", "128");
    assert_eq!(harness.state().value.batch, 128);
    assert_eq!(harness.state().changes, 1);
}

#[test]
fn a_number_reached_by_key_is_replaced_by_what_is_typed_and_counted_by_arrows() {
    let mut harness = form(Training::default());
    harness.get_by_label("Batch size").focus();
    harness.run();
    harness.get_by_label("Batch size").type_text("32");
    harness.run();
    assert_eq!(harness.state().value.batch, 32);
    harness.key_press(Key::ArrowUp);
    harness.run();
    assert_eq!(harness.state().value.batch, 33);
}

#[test]
fn a_number_out_of_range_says_what_is_allowed() {
    let mut harness = form(Training::default());
    write(&mut harness, "Batch size", "0");
    assert_eq!(harness.state().value.batch, 0);
    harness.get_by_label("Allowed: 1 to 65,536");
    write(&mut harness, "Batch size", "8");
    assert!(harness.query_by_label_contains("Allowed").is_none());
}

#[test]
fn what_is_no_value_stays_as_typed_and_leaves_the_document_alone() {
    let mut harness = form(Training::default());
    harness.get_by_label("Evaluate every").focus();
    harness.run();
    harness.get_by_label("Evaluate every").type_text("5 apples");
    harness.run();
    assert_eq!(harness.state().value.evaluate, Steps::epochs(1));
    assert_eq!(harness.get_by_label("Evaluate every").value().unwrap(), "5 apples");
    harness.get_by_label_contains("is not a length of training");

    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.get_by_label("Evaluate every").value().unwrap(), "1ep");
    assert!(harness.query_by_label_contains("is not a length").is_none());
}

#[test]
fn choosing_an_alternative_replaces_the_settings_below() {
    let mut harness = form(Training::default());
    choose(&mut harness, "Loss", "Squared error");
    assert_eq!(harness.state().value.loss, Loss::SquaredError);
    choose(&mut harness, "Schedule", "Cosine");
    write(&mut harness, "Over", "7ep");
    assert!(harness.state().value.schedule.key() == "Cosine");
    choose(&mut harness, "Schedule", "Constant");
    assert!(harness.query_by_label("Over").is_none());
}

#[test]
fn a_changed_setting_has_a_button_that_gives_the_default_back() {
    let mut harness = form(Training { batch: 8, ..Training::default() });
    click(&mut harness, "Reset Batch size");
    assert_eq!(harness.state().value.batch, Training::default().batch);
    assert!(harness.query_by_label("Reset Batch size").is_none());
}

#[test]
fn a_setting_that_may_be_left_out_appears_with_its_checkbox() {
    let mut harness = form(Training::default());
    click(&mut harness, "Warm-up: set");
    assert_eq!(harness.state().value.warm_up, Some(Steps::epochs(1)));
    write(&mut harness, "Warm-up", "20it");
    assert_eq!(harness.state().value.warm_up, Some(Steps::iterations(20)));
    click(&mut harness, "Warm-up: set");
    assert_eq!(harness.state().value.warm_up, None);
}

#[test]
fn hidden_layers_are_added_changed_and_removed_on_their_line() {
    let mut harness = form(Net::Mlp(Mlp { hidden: vec![300, 100], ..Mlp::default() }));
    let hidden = |harness: &Harness<'_, Form<Net>>| match &harness.state().value {
        Net::Mlp(mlp) => mlp.hidden.clone(),
        Net::Vgg(_) => panic!("still an MLP"),
    };
    click(&mut harness, "Add to Hidden layers");
    assert_eq!(hidden(&harness), [300, 100, 100]);
    write(&mut harness, "Hidden layers 3", "0");
    assert_eq!(hidden(&harness), [300, 100, 0]);
    harness.get_by_label("No. 3: Allowed: 1 to 65,536");
    click(&mut harness, "Remove last of Hidden layers");
    harness.get_by_label("Hidden layers 1").click_secondary();
    harness.run();
    click(&mut harness, "Move down");
    assert_eq!(hidden(&harness), [100, 300]);
}

#[test]
fn items_with_settings_of_their_own_stand_on_lines() {
    let mut harness = form(Training::default());
    click(&mut harness, "Add to Augmentation");
    click(&mut harness, "Add to Augmentation");
    assert_eq!(harness.state().value.augment.len(), 2);
    click(&mut harness, "Remove Augmentation 1");
    click(&mut harness, "More for Augmentation 1");
    click(&mut harness, "Duplicate");
    assert_eq!(harness.state().value.augment.len(), 2);
}

#[test]
fn long_lists_of_numbers_are_one_line_of_text() {
    let mut harness = form(Experiment { seeds: (1..=40).collect(), ..Experiment::default() });
    write(&mut harness, "Seeds", "[1, 2");
    assert_eq!(harness.state().value.seeds.len(), 40);
    write(&mut harness, "Seeds", "[7, 8]");
    assert_eq!(harness.state().value.seeds, [7, 8]);
}

#[test]
fn overrides_are_added_changed_and_removed() {
    let mut harness = form(Arm::default());
    write(&mut harness, "Set: new path", "train.batch");
    write(&mut harness, "Set: new value", "8");
    click(&mut harness, "Add to Set");
    assert_eq!(harness.state().value.set.0["train.batch"], "8");
    write(&mut harness, "Set: train.batch", "[1,");
    assert_eq!(harness.state().value.set.0["train.batch"], "8");
    write(&mut harness, "Set: train.batch", "16");
    assert_eq!(harness.state().value.set.0["train.batch"], "16");
    click(&mut harness, "Remove train.batch");
    assert!(harness.state().value.set.0.is_empty());
}

#[test]
fn problems_stand_at_their_settings_and_lead_to_them() {
    let place = Place::default().key("batch");
    let problem = Problem::error(place.clone(), "There are only 30 samples");
    let mut harness = with_problems(Training::default(), vec![problem]);
    harness.get_by_label("There are only 30 samples");
    harness.state_mut().focus = Some(place);
    harness.run();
    assert!(harness.get_by_label("Batch size").is_focused());
    assert_eq!(harness.state().focus, None);
}

#[test]
fn a_folded_section_opens_for_the_setting_that_is_looked_for() {
    let stage = Stage::Do(crate::doc::intervention::Intervention::default());
    let mut harness = form(stage);
    assert!(harness.query_by_label("Layers").is_none());
    let place = Place::default().variant("Do").variant("Prune").key("target").key("layers");
    harness.state_mut().focus = Some(place);
    harness.run();
    harness.run();
    harness.get_by_label("Layers");
}

#[test]
fn every_alternative_of_every_stage_fits_into_a_narrow_panel() {
    for stage in crate::gui::plan::all_stages() {
        let harness = form(stage.clone());
        let widest = harness
            .root()
            .children_recursive()
            .filter(|node| node.accesskit_node().bounding_box().is_some())
            .map(|node| node.rect().right())
            .fold(0.0, f32::max);
        assert!(widest <= 321.0, "{}: {widest}", stage.sentence());
    }
}

#[test]
fn settings_that_have_an_editor_elsewhere_are_left_out() {
    let harness = form(Experiment::default());
    assert!(harness.query_by_label("Version").is_none());
    harness.get_by_label("Seeds 1");
}

#[test]
fn typing_in_a_stage_reaches_its_settings() {
    let mut harness = form(Stage::Train(Train::default()));
    write(&mut harness, "Length", "3ep");
    assert_eq!(harness.state().value, Stage::Train(Train::of(Steps::epochs(3))));
    harness.event(Event::Key {
        key: Key::Tab,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    });
    harness.run();
}

#[test]
fn names_of_layers_are_added_behind_the_choice_of_naming_them() {
    let mut harness = form(crate::doc::Target::default());
    choose(&mut harness, "Layers", "Only");
    click(&mut harness, "Add to Only");
    write(&mut harness, "Only 1", "fc1");
    let layers = crate::doc::intervention::Layers::Only(vec!["fc1".to_owned()]);
    assert_eq!(harness.state().value.layers, layers);
}

#[test]
fn numbers_of_a_list_have_their_menus_without_the_right_button_too() {
    let mut harness = form(Experiment { seeds: vec![5, 6, 7], ..Experiment::default() });
    let entry = |harness: &mut Harness<'_, Form<Experiment>>, number: &str, entry: &str| {
        harness.get_by_label("More for Seeds").focus();
        harness.key_press(Key::Enter);
        harness.run();
        click(harness, number);
        click(harness, entry);
    };
    entry(&mut harness, "Seeds 1: 5", "Move down");
    assert_eq!(harness.state().value.seeds, [6, 5, 7]);
    entry(&mut harness, "Seeds 3: 7", "Remove");
    assert_eq!(harness.state().value.seeds, [6, 5]);
    entry(&mut harness, "Seeds 1: 6", "Duplicate");
    assert_eq!(harness.state().value.seeds, [6, 6, 5]);
}
