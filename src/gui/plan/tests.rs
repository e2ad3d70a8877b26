//! Plans driven as a user would: by the names of rows, buttons and menus.

use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::{plan_ui, stages_of, *};
use crate::form::FormContext;
use crate::theme;
use doc::stage::Repeat;
use doc::{Intervention, Problem, Stage};
use form::path::Place;

#[derive(Default)]
struct Editor {
    plan: Vec<Stage>,
    selected: Option<Vec<usize>>,
    problems: Vec<Problem>,
    is_selection_new: bool,
}

impl Editor {
    fn keys(&self) -> Vec<&'static str> {
        self.plan.iter().map(Stage::key).collect()
    }
}

fn editor<'a>(plan: &str) -> Harness<'a, Editor> {
    let editor = Editor { plan: stages_of(plan).unwrap(), ..Editor::default() };
    let draw = |ui: &mut eframe::egui::Ui, editor: &mut Editor| {
        if !theme::is_installed(ui) {
            return;
        }
        let context = FormContext::new(Place::default().key("plan"), &editor.problems);
        editor.is_selection_new |= plan_ui(ui, "an arm", &mut editor.plan, &mut editor.selected, &context).0;
    };
    Harness::builder().with_size(vec2(288.0, 600.0)).build_ui_state(draw, editor)
}

fn click(harness: &mut Harness<'_, Editor>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

/// The accessible name of a row.
fn row(harness: &Harness<'_, Editor>, path: &[usize]) -> String {
    let mut plan = harness.state().plan.clone();
    let number: Vec<String> = path.iter().map(|index| (index + 1).to_string()).collect();
    format!("{} {}", number.join("."), super::stage_at_mut(&mut plan, path).unwrap().sentence())
}

fn click_row(harness: &mut Harness<'_, Editor>, path: &[usize]) {
    let name = row(harness, path);
    click(harness, &name);
}

/// Does something with the selected stage.
fn act(harness: &mut Harness<'_, Editor>, action: &str) {
    click(harness, "Stage actions");
    click(harness, action);
}

#[test]
fn a_stage_is_added_behind_the_selected_one_and_selected() {
    let mut harness = editor("[Test, Test]");
    click_row(&mut harness, &[0]);
    assert_eq!(harness.state().selected, Some(vec![0]));
    click(&mut harness, "Add stage");
    click(&mut harness, "Snapshot");
    let state = harness.state();
    assert_eq!((state.keys(), state.selected.clone()), (vec!["Test", "Do", "Test"], Some(vec![1])));
    assert!(state.is_selection_new);
}

#[test]
fn a_stage_is_moved_copied_repeated_and_removed() {
    let mut harness = editor("[Test, Train(\"1ep\")]");
    click_row(&mut harness, &[1]);
    act(&mut harness, "Move up");
    assert_eq!(harness.state().keys(), ["Train", "Test"]);
    act(&mut harness, "Duplicate");
    assert_eq!(harness.state().keys(), ["Train", "Train", "Test"]);
    act(&mut harness, "Repeat this");
    assert_eq!(harness.state().keys(), ["Train", "Repeat", "Test"]);
    click_row(&mut harness, &[1, 0]);
    act(&mut harness, "Remove");
    assert_eq!(harness.state().selected, Some(vec![1]));
    click(&mut harness, "Add stage to 2");
    click(&mut harness, "Prune");
    assert_eq!(harness.state().selected, Some(vec![1, 0]));
}

#[test]
fn keys_move_and_remove_the_selected_stage() {
    let mut harness = editor("[Test, Train(\"1ep\")]");
    click_row(&mut harness, &[0]);
    harness.key_press_modifiers(Modifiers::ALT, Key::ArrowDown);
    harness.run();
    assert_eq!(harness.state().keys(), ["Train", "Test"]);
    harness.key_press_modifiers(Modifiers::ALT, Key::ArrowUp);
    harness.run();
    assert_eq!(harness.state().keys(), ["Test", "Train"], "the row that moved keeps the keyboard");
    harness.key_press(Key::Delete);
    harness.run();
    assert_eq!(harness.state().keys(), ["Train"]);
}

#[test]
fn stages_are_pasted_as_they_stand_in_files() {
    let mut harness = editor("[Test]");
    click_row(&mut harness, &[0]);
    harness.event(Event::Paste("[Train(\"2ep\"), Test],".to_owned()));
    harness.run();
    assert_eq!(harness.state().keys(), ["Test", "Train", "Test"]);
    assert_eq!(harness.state().selected, Some(vec![2]));
    assert!(stages_of("no stage").is_err());
}

#[test]
fn a_stage_is_dragged_into_a_repetition() {
    let mut harness = editor("[Repeat(body: [Test]), Train(\"1ep\")]");
    let from = harness.get_by_label(&row(&harness, &[1])).rect().center();
    let target = harness.get_by_label(&row(&harness, &[0])).rect();
    let to = target.center() + vec2(0.0, target.height() * 0.3);
    harness.drag_at(from);
    harness.run();
    harness.hover_at(from + vec2(0.0, -8.0));
    harness.run();
    harness.hover_at(to);
    harness.run();
    harness.drop_at(to);
    harness.run();
    assert_eq!(harness.state().keys(), ["Repeat"]);
    assert_eq!(harness.state().selected, Some(vec![0, 0]));
}

#[test]
fn a_problem_is_told_at_the_innermost_stage_that_it_belongs_to() {
    let mut harness = editor("[Repeat(body: [Test])]");
    let place = Place::default().key("plan").index(0).variant("Repeat").key("body").index(0);
    harness.state_mut().problems = vec![Problem::error(place, "There is nothing to test")];
    harness.run();
    harness.get_by_label(&row(&harness, &[0, 0])).hover();
    harness.run();
    harness.get_by_label_contains("There is nothing to test");
}

#[test]
fn the_wrong_value_is_marked_in_its_sentence() {
    let plan = stages_of("Do(Prune(amount: Fraction(1.2)))").unwrap();
    let place = Place::default().variant("Do").variant("Prune").key("amount").variant("Fraction");
    let part = super::row::wrong_part(&plan[0], &plan[0].sentence(), &place.0).unwrap();
    assert_eq!(&plan[0].sentence()[part], "120 %");
    let plan = stages_of("Do(Graft(from: \"start\"))").unwrap();
    let place = Place::default().variant("Do").variant("Graft").key("from");
    let part = super::row::wrong_part(&plan[0], &plan[0].sentence(), &place.0).unwrap();
    assert_eq!(&plan[0].sentence()[part], "start");
    assert_eq!(super::row::wrong_part(&plan[0], "Rewind", &place.0), None, "it does not say it");
}

#[test]
fn an_empty_plan_says_what_to_do() {
    let mut harness = editor("[]");
    harness.get_by_label_contains("Add a first stage");
    click(&mut harness, "Add stage");
    click(&mut harness, "Train");
    assert_eq!(harness.state().keys(), ["Train"]);
}

#[test]
fn a_new_stage_goes_behind_the_selected_one_or_into_its_empty_plan() {
    let mut plan = vec![Stage::Repeat(Repeat::default()), Stage::Test];
    assert_eq!(insert_after(&mut plan, Some(&[0]), Stage::Test), [0, 0]);
    assert_eq!(insert_after(&mut plan, Some(&[0]), Stage::Test), [1]);
    assert_eq!(insert_after(&mut plan, None, Stage::Test), [3]);
    assert_eq!(insert_after(&mut plan, Some(&[7]), Stage::Test), [4]);
}

#[test]
fn a_stage_goes_to_its_place_in_another_plan_or_replaces_the_one_of_its_kind() {
    let from = stages_of("[Train(\"1ep\"), Do(Prune()), Train(\"2ep\"), Test]").unwrap();
    let mut to = stages_of("[Train(\"1ep\"), Train(\"9ep\")]").unwrap();
    assert_eq!(apply(&from, &[2], &mut to), Applied::Replaced, "the second training");
    assert_eq!(apply(&from, &[1], &mut to), Applied::Added);
    assert_eq!(apply(&from, &[3], &mut to), Applied::Added);
    assert_eq!(to, from);
    assert_eq!(apply(&from, &[1], &mut to), Applied::Same);
    let nested = stages_of("[Repeat(body: [Test])]").unwrap();
    let mut short = Vec::new();
    assert_eq!(apply(&nested, &[0, 0], &mut short), Applied::Added, "where there is no repetition");
    assert_eq!(short, [Stage::Test]);
}

#[test]
fn after_a_removal_a_neighbour_is_selected() {
    let mut plan = vec![Stage::Repeat(Repeat { body: vec![Stage::Test], ..Repeat::default() }), Stage::Test];
    assert_eq!(Action::Remove.apply(&mut plan, &[0, 0]), Some(vec![0]));
    assert_eq!(Action::Remove.apply(&mut plan, &[1]), Some(vec![0]));
    assert_eq!(Action::Remove.apply(&mut plan, &[0]), None);
    assert!(plan.is_empty());
    assert_eq!(Action::Remove.apply(&mut plan, &[0]), None);
}

#[test]
fn what_is_impossible_says_why() {
    let mut plan = vec![Stage::Test];
    assert_eq!(Action::MoveUp.why_not(&plan, Some(&[0])), Some("It is the first stage"));
    assert_eq!(Action::Remove.why_not(&plan, None), Some("Select a stage first"));
    assert_eq!(Action::Remove.why_not(&plan, Some(&[0])), None);
    assert_eq!(Action::Repeat.apply(&mut plan, &[0]), Some(vec![0]));
    assert_eq!(plan[0].key(), "Repeat");
}

#[test]
fn every_stage_and_every_intervention_can_be_added() {
    let entries = entries();
    assert_eq!(entries.len(), Stage::all().len() - 1 + Intervention::all().len());
    let mut labels: Vec<&str> = entries.iter().map(|entry| entry.label).collect();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), entries.len(), "no two entries are called the same");
}
