//! Forms of real settings, driven as a user would: by the names of their controls.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::{About, Drafts, FormContext, FormRequest, value_ui};
use data::Augmentation;
use doc::{Arm, Experiment, Loss, Mlp, Net, Problem, Stage, Target, Train, Training};
use form::path::Place;
use form::{Steps, Value};

/// Width of the panel inside of its margins, in points.
const WIDTH: f32 = 240.0;

pub(super) struct Form<T> {
    pub(super) value: T,
    problems: Vec<Problem>,
    focus: Option<Place>,
    drafts: Drafts,
    requests: Vec<FormRequest>,
    notes: Vec<String>,
    changes: usize,
}

pub(super) fn form<'a, T: Value + 'a>(value: T) -> Harness<'a, Form<T>> {
    with_problems(value, Vec::new())
}

fn with_problems<'a, T: Value + 'a>(value: T, problems: Vec<Problem>) -> Harness<'a, Form<T>> {
    of_experiment(value, problems, About::default())
}

/// A form that knows an experiment with a perceptron of 784–300–100–10.
pub(super) fn of_experiment<'a, T: Value + 'a>(
    value: T,
    problems: Vec<Problem>,
    about: About,
) -> Harness<'a, Form<T>> {
    let mut has_fonts = false;
    let draw = move |ui: &mut eframe::egui::Ui, form: &mut Form<T>| {
        if !std::mem::replace(&mut has_fonts, true) {
            crate::theme::install(ui.ctx());
            return ui.ctx().request_repaint(); // they are there in the next frame
        }
        let mut context = FormContext::new(Place::default(), &form.problems);
        (context.about, context.drafts) = (about.clone(), std::mem::take(&mut form.drafts));
        (context.focus, context.elsewhere) = (form.focus.take(), &["version", "plan", "arms"]);
        eframe::egui::ScrollArea::vertical().show(ui, |ui| {
            form.changes += usize::from(value_ui(ui, &mut form.value, &mut context));
        });
        (form.focus, form.drafts) = (context.focus, context.drafts);
        form.requests.extend(context.requests);
        form.notes.extend(context.notes);
    };
    let (drafts, requests) = (Drafts::default(), Vec::new());
    let form = Form { value, problems, focus: None, drafts, requests, notes: Vec::new(), changes: 0 };
    Harness::builder().with_size(vec2(WIDTH, 1200.0)).build_ui_state(draw, form)
}

/// Replaces the text of a field in one go.
pub(super) fn write<T>(harness: &mut Harness<'_, Form<T>>, label: &str, text: &str) {
    harness.get_by_label(label).set_text_value_accesskit(text);
    harness.run();
}

pub(super) fn click<T>(harness: &mut Harness<'_, Form<T>>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

/// Takes an alternative of a combo box.
pub(super) fn choose<T>(harness: &mut Harness<'_, Form<T>>, label: &str, alternative: &str) {
    harness.get_by_role_and_label(Role::ComboBox, label).click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, alternative).click();
    harness.run();
}

/// Returns what a field says is wrong with its text.
fn said<T>(harness: &Harness<'_, Form<T>>, label: &str) -> String {
    let field = harness.get_all_by_role_and_label(Role::TextInput, label).next().unwrap();
    field.accesskit_node().description().unwrap_or_default()
}

#[test]
fn another_optimizer_says_that_the_learning_rate_is_another_one() {
    let mut harness = form(Training::default());
    choose(&mut harness, "Optimizer", "SGD");
    let notes = harness.state().notes.clone();
    assert_eq!(notes, ["SGD starts at its defaults: learning rate 0.1 instead of 0.001"]);
}

#[test]
fn a_text_that_is_no_number_is_told_apart_from_the_number_before() {
    let mut harness = form(Training::default());
    write(&mut harness, "Learning rate", "-1");
    assert!(said(&harness, "Learning rate").contains("-1 is below 0"));
    write(&mut harness, "Learning rate", "abc");
    let said = said(&harness, "Learning rate");
    assert!(said.contains("\"abc\" is not a number") && !said.contains("is below 0"), "{said}");
}

#[test]
fn a_typed_number_is_in_the_document_once_it_is_entered() {
    let mut harness = form(Training::default());
    harness.get_by_label("Batch size").focus();
    harness.run();
    harness.get_by_label("Batch size").type_text("128");
    harness.run();
    assert_eq!((harness.state().value.batch, harness.state().changes), (Training::default().batch, 0));
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!((harness.state().value.batch, harness.state().changes), (128, 1));
}

#[test]
fn a_number_reached_by_key_is_replaced_by_what_is_typed() {
    let mut harness = form(Training::default());
    harness.get_by_label("Batch size").focus();
    harness.run();
    harness.get_by_label("Batch size").type_text("32");
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().value.batch, 32);
}

#[test]
fn a_number_out_of_range_says_what_is_allowed() {
    let mut harness = form(Training::default());
    write(&mut harness, "Batch size", "0");
    assert_eq!(harness.state().value.batch, 0);
    assert_eq!(said(&harness, "Batch size"), "0 is below 1; allowed: 1 to 65,536");
    write(&mut harness, "Batch size", "8");
    assert_eq!(said(&harness, "Batch size"), "");
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
    assert_eq!(said(&harness, "Evaluate every"), "", "it may go on");

    // It stays after Enter and without the keyboard, and counts as a problem, until it is mended.
    harness.key_press(Key::Enter);
    harness.run();
    harness.get_by_label("Batch size").focus();
    harness.run();
    assert!(!harness.get_by_label("Evaluate every").is_focused());
    assert_eq!(harness.get_by_label("Evaluate every").value().unwrap(), "5 apples");
    assert!(said(&harness, "Evaluate every").contains("is not a length of training"));
    let problems = harness.state().drafts.problems();
    assert_eq!(problems[0].place.to_string(), "evaluate");
    assert!(problems[0].message.contains("5 apples"), "{problems:?}");

    harness.get_by_label("Evaluate every").focus();
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.get_by_label("Evaluate every").value().unwrap(), "1 epoch");
    assert_eq!(said(&harness, "Evaluate every"), "");
    assert_eq!(harness.state().drafts.problems(), []);
    write(&mut harness, "Evaluate every", "5 epochs");
    assert_eq!(harness.state().value.evaluate, Steps::epochs(5));
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
fn a_setting_that_may_be_left_out_is_empty_and_says_what_holds() {
    let mut harness = form(Training::default());
    write(&mut harness, "Warm-up", "1 epoch");
    assert_eq!(harness.state().value.warm_up, Some(Steps::epochs(1)));
    write(&mut harness, "Warm-up", "20it");
    assert_eq!(harness.state().value.warm_up, Some(Steps::iterations(20)));
    write(&mut harness, "Warm-up", "");
    assert_eq!(harness.state().value.warm_up, None);

    let mut about = About::default();
    about.spec.train.batch = 60;
    about.spec.train.optimizer =
        optimize::Optimizer::Adam(optimize::Adam { rate: 0.0012, ..Default::default() });
    let field = |key: &str| {
        let train = Train::default();
        *form::Group::fields(&train).iter().find(|field| field.key == key).unwrap()
    };
    let hints = ["rate", "batch", "optimizer"].map(|key| about.hint(&field(key)));
    assert_eq!(hints, ["inherits 0.0012", "inherits 60", "inherits Adam, learning rate 0.0012"]);
    let warm_up = *form::Group::fields(&Training::default()).iter().find(|it| it.key == "warm_up").unwrap();
    assert_eq!(about.hint(&warm_up), "none");
}

#[test]
fn what_is_set_begins_with_what_it_inherits() {
    let mut about = About::default();
    about.spec.net = Net::Mlp(Mlp { hidden: vec![7], ..Mlp::default() });
    let mut harness = of_experiment(Arm::default(), Vec::new(), about);
    choose(&mut harness, "Network", "MLP");
    assert_eq!(harness.state().value.net, Some(Net::Mlp(Mlp { hidden: vec![7], ..Mlp::default() })));
}

#[test]
fn hidden_layers_are_one_text() {
    let mut harness = form(Net::Mlp(Mlp { hidden: vec![300, 100], ..Mlp::default() }));
    let hidden = |harness: &Harness<'_, Form<Net>>| match &harness.state().value {
        Net::Mlp(mlp) => mlp.hidden.clone(),
        other => panic!("still an MLP, not {}", other.label()),
    };
    assert_eq!(harness.get_by_label("Hidden layers").value().unwrap(), "300, 100");
    write(&mut harness, "Hidden layers", "300, 100, 0");
    assert_eq!(hidden(&harness), [300, 100, 0]);
    assert_eq!(said(&harness, "Hidden layers"), "No. 3: 0 is below 1; allowed: 1 to 65,536");
    write(&mut harness, "Hidden layers", "100");
    assert_eq!(hidden(&harness), [100]);
}

#[test]
fn items_with_settings_of_their_own_stand_on_lines() {
    let mut harness = form(Training::default());
    for label in ["Add to Augmentation", "Flip", "Add to Augmentation", "Crop"] {
        click(&mut harness, label);
    }
    assert_eq!(harness.state().value.augment.len(), 2);
    for label in ["More for Augmentation 1", "Remove", "More for Augmentation 1", "Duplicate"] {
        click(&mut harness, label);
    }
    assert_eq!(harness.state().value.augment, [Augmentation::Crop(4), Augmentation::Crop(4)]);
}

#[test]
fn seeds_are_a_text_and_plus_adds_the_next_free_one() {
    let mut harness = form(Experiment { seeds: vec![3, 1, 2], ..Experiment::default() });
    let seeds = |harness: &Harness<'_, Form<Experiment>>| harness.state().value.seeds.clone();
    click(&mut harness, "Add to Seeds");
    click(&mut harness, "Add to Seeds");
    assert_eq!(seeds(&harness), [3, 1, 2, 4, 5]);
    write(&mut harness, "Seeds", "1-10");
    assert_eq!(seeds(&harness), (1..=10).collect::<Vec<u64>>());
    assert_eq!(harness.get_by_label("Seeds").value().unwrap(), "1-10");
    write(&mut harness, "Seeds", "[1, 2");
    assert_eq!(seeds(&harness).len(), 10);
    assert!(harness.state().drafts.problems().len() == 1 && !harness.state().drafts.is_pending());
    write(&mut harness, "Seeds", "7, 8");
    assert_eq!(seeds(&harness), [7, 8]);
}

#[test]
fn swept_settings_are_added_by_their_labels_and_written_as_values() {
    let mut harness = form(Arm::default());
    click(&mut harness, "Swept settings");
    click(&mut harness, "Add swept setting");
    harness.get_by_label("Search settings").type_text("batch");
    harness.run();
    click(&mut harness, "Batch size, Training");
    let batch = |harness: &Harness<'_, Form<Arm>>| harness.state().value.sweep.0.get("train.batch").cloned();
    assert_eq!(batch(&harness).unwrap(), "[64]");
    write(&mut harness, "Batch size", "16..64 log 3");
    assert_eq!(batch(&harness).unwrap(), "[16, 32, 64]");
    write(&mut harness, "Batch size", "16, many");
    assert_eq!(batch(&harness).unwrap(), "[16, 32, 64]");
    assert!(said(&harness, "Batch size").contains("\"many\" is not a whole number"));
    click(&mut harness, "Remove Batch size");
    assert_eq!(batch(&harness), None);
    assert_eq!(harness.state().drafts.problems(), []);
}

/// Describes a perceptron of 784–300–100–10, as forms know it.
pub(super) fn perceptron() -> About {
    let text = "(data: Mnist(), net: Mlp(hidden: [300, 100]), arms: [(name: \"a\", plan: [Test])])";
    About::new(&doc::file::parse(text, std::path::Path::new("x.ron")).unwrap(), Some(0))
}

#[test]
fn the_whole_heading_folds_its_settings() {
    let prune = doc::intervention::Prune::default();
    let mut harness = of_experiment(prune, Vec::new(), perceptron());
    let heading = harness.get_by_label("Target").rect();
    for (x, is_open) in
        [(heading.left() + 5.0, false), (heading.right() - 5.0, true), (heading.left() + 60.0, false)]
    {
        let at = eframe::egui::pos2(x, heading.center().y);
        harness.hover_at(at);
        harness.run();
        harness.drag_at(at);
        harness.run();
        harness.drop_at(at);
        harness.run();
        assert_eq!(harness.query_by_label("Output channels").is_some(), is_open, "at {x}");
    }
}

#[test]
fn summaries_are_words() {
    let summary = |ron: &str| {
        let mut training: Training = form::ron_text::from_str(ron).unwrap();
        form::text::summary(&mut training, &form::Field::new("", "", ""))
    };
    assert_eq!(summary("(optimizer: Sgd(momentum: 0.9), batch: 8)"), "SGD, momentum 0.9, batch size 8");
    let mut target: Target = form::ron_text::from_str("(layers: Only([\"fc1\"]))").unwrap();
    assert_eq!(form::text::summary(&mut target, &form::Field::new("", "", "")), "Only fc1");
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
    let stage = Stage::Do(doc::intervention::Intervention::default());
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
    for stage in crate::plan::entries().into_iter().map(|entry| entry.stage) {
        let harness = of_experiment(stage.clone(), Vec::new(), perceptron());
        let widest = harness
            .root()
            .children_recursive()
            .filter(|node| node.accesskit_node().bounding_box().is_some())
            .map(|node| node.rect().right())
            .fold(0.0, f32::max);
        assert!(widest <= WIDTH + 1.0, "{}: {widest}", stage.sentence());
    }
}

#[test]
fn settings_that_have_an_editor_elsewhere_are_left_out() {
    let harness = form(Experiment::default());
    assert!(harness.query_by_label("Version").is_none());
    harness.get_by_label("Seeds");
}

#[test]
fn typing_in_a_stage_reaches_its_settings() {
    let mut harness = form(Stage::Train(Train::default()));
    write(&mut harness, "Length", "3ep");
    assert_eq!(harness.state().value, Stage::Train(Train::new(Steps::epochs(3))));
    harness.event(Event::Key {
        key: Key::Tab,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    });
    harness.run();
}
