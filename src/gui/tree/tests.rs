//! The list driven as a user would: by the names of rows and buttons.

use std::collections::BTreeMap;
use std::path::Path;

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::{TreeInput, TreeRequest, tree_ui};
use crate::commands::Command;
use crate::compare::Compare;
use crate::runs::{QueueAction, QueueRequest, Runs};
use crate::selection::Selection;
use crate::theme;
use crate::treatment::{Treatment, treatments};
use doc::file::parse;
use doc::{Experiment, runs};
use figure::style_of;
use results::{Event, Point, RunRecord};

struct List {
    experiment: Experiment,
    treatments: Vec<Treatment>,
    runs: Runs,
    compare: Compare,
    selection: Selection,
    request: Option<TreeRequest>,
}

fn record(events: impl IntoIterator<Item = Event>) -> RunRecord {
    let started = Event::Started { resumed: false, threads: 1 };
    RunRecord::from_events(std::iter::once(started).chain(events))
}

fn done(accuracy: f64) -> RunRecord {
    let point = Point { series: "test_accuracy".to_owned(), value: accuracy, ..Point::default() };
    record([Event::Point(point), Event::Finished { secs: 1.0 }])
}

/// Returns the list of a document; `records` are those of its first runs.
fn list(text: &str, records: Vec<RunRecord>) -> Harness<'static, List> {
    let experiment = parse(text, Path::new("x.ron")).unwrap();
    let all = runs(&experiment).unwrap();
    let ids = all.iter().map(|run| run.id.clone());
    let runs = Runs::from_records(ids.zip(records).collect::<BTreeMap<_, _>>());
    let mut compare = Compare::default();
    let mut treatments = treatments(&experiment, &all);
    compare.take_treatments(&mut treatments);
    let selection = Selection::default();
    let list = List { experiment, treatments, runs, compare, selection, request: None };
    let draw = |ui: &mut eframe::egui::Ui, list: &mut List| {
        if !theme::is_installed(ui) {
            return;
        }
        let input = TreeInput {
            treatments: &list.treatments,
            experiment: &list.experiment,
            runs: &list.runs,
            is_behind: false,
            takes_keyboard: false,
        };
        let request = tree_ui(ui, &input, &mut list.compare, &mut list.selection);
        list.request = list.request.take().or(request);
    };
    Harness::builder().with_size(vec2(224.0, 700.0)).build_ui_state(draw, list)
}

const TWO: &str =
    "(seeds: [1, 2], arms: [(name: \"dense\", plan: [Test]), (name: \"ticket\", plan: [Train(\"1ep\")])])";

fn click(harness: &mut Harness<'_, List>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

#[test]
fn rows_say_states_and_results_and_nothing_covers_anything() {
    let failed = record([Event::Failed { message: "The loss is NaN, as it may be. And more".to_owned() }]);
    let mut harness = list(TWO, vec![done(0.9806), done(0.9798), failed]);
    harness.run();
    for text in ["98.02 ± 0.51", "98.06 %", "97.98 %", "1 of 2 failed", "not run"] {
        assert!(harness.query_by_label(text).is_some(), "{text}");
    }
    let row = harness.get_all_by_label("seed 1").nth(1).unwrap().rect();
    let text = harness.get_by_label_contains("failed: The loss").rect();
    assert!(text.left() > row.left() + 80.0 && text.right() <= row.right(), "{text:?} in {row:?}");
    assert_eq!(row.height(), 24.0);
    assert_eq!(harness.get_by_label("dense").rect().height(), 28.0);
}

#[test]
fn the_arrow_keys_move_the_selection_and_the_tab_key_only_the_focus() {
    let mut harness = list(TWO, Vec::new());
    click(&mut harness, "dense");
    assert_eq!(harness.state().selection, Selection::Arm(0));
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert!(harness.state().selection.run().is_some(), "{:?}", harness.state().selection);
    harness.key_press(Key::ArrowUp);
    harness.run();
    assert_eq!(harness.state().selection, Selection::Arm(0));
    harness.key_press(Key::Tab);
    harness.run();
    assert_eq!(harness.state().selection, Selection::Arm(0));
}

fn rows(harness: &Harness<'_, List>) -> usize {
    harness
        .query_all_by_label_contains("seed ")
        .filter(|node| node.accesskit_node().role() == Role::TreeItem)
        .count()
}

#[test]
fn above_ten_seeds_arms_are_folded_unless_somebody_unfolds_them_and_the_selected_run_is_seen() {
    let text = |seeds: u64| {
        let seeds: Vec<u64> = (1..=seeds).collect();
        format!("(seeds: {seeds:?}, arms: [(name: \"a\", plan: [Test]), (name: \"b\", plan: [Train()])])")
    };
    let mut harness = list(&text(10), Vec::new());
    harness.run();
    assert_eq!(rows(&harness), 20);
    let mut harness = list(&text(11), Vec::new());
    harness.run();
    assert_eq!(rows(&harness), 0);
    let run = harness.state().treatments[1].runs[6].clone();
    harness.state_mut().selection = Selection::Run { arm: 1, id: run.id };
    harness.run();
    assert!(rows(&harness) == 1 && harness.query_by_label("seed 7").is_some());
    click(&mut harness, "Unfold a");
    assert_eq!(rows(&harness), 12);
    click(&mut harness, "Fold a");
    click(&mut harness, "Unfold b");
    click(&mut harness, "Fold b");
    assert_eq!((rows(&harness), harness.state().selection.clone()), (0, Selection::Arm(1)));
}

#[test]
fn the_list_is_one_stop_of_the_tab_key_and_arrows_go_on_from_there() {
    let mut harness = list(TWO, Vec::new());
    harness.run();
    harness.state_mut().selection = Selection::Arm(1);
    let focused = |harness: &Harness<'_, List>| {
        let mut nodes = harness.root().children_recursive();
        nodes.find(|node| node.accesskit_node().is_focused()).and_then(|node| node.accesskit_node().label())
    };
    let mut passed = Vec::new();
    for _ in 0..5 {
        harness.key_press(Key::Tab);
        harness.run();
        passed.extend(focused(&harness));
    }
    assert_eq!(passed.iter().filter(|name| *name == "ticket").count(), 1, "{passed:?}");
    assert!(!passed.iter().any(|name| name.contains("seed") || name.contains("dense")), "{passed:?}");
    click(&mut harness, "ticket");
    let press = |harness: &mut Harness<'_, List>, key| {
        harness.key_press(key);
        harness.run();
        harness.state().selection.clone()
    };
    assert_eq!(press(&mut harness, Key::ArrowLeft), Selection::Arm(1), "folded");
    assert_eq!(rows(&harness), 2);
    press(&mut harness, Key::ArrowRight);
    assert_eq!(rows(&harness), 4);
    let seed = press(&mut harness, Key::ArrowRight);
    assert_eq!(seed.run(), Some(&harness.state().treatments[1].runs[0].id));
    assert_eq!(press(&mut harness, Key::ArrowLeft), Selection::Arm(1), "to the row around it");
    assert_eq!(focused(&harness).as_deref(), Some("ticket"));
}

#[test]
fn a_failed_run_offers_another_try() {
    let failed = record([Event::Failed { message: "no room".to_owned() }]);
    let mut harness = list(TWO, vec![done(0.98), failed]);
    harness.run();
    click(&mut harness, "Retry seed 2");
    let runs = vec![harness.state().treatments[0].runs[1].id.clone()];
    let request = QueueRequest { action: QueueAction::Run, runs };
    assert_eq!(harness.state().request, Some(TreeRequest::Queue(request)));
}

#[test]
fn a_click_on_the_mark_chooses_colour_and_mark() {
    let mut harness = list(TWO, Vec::new());
    click(&mut harness, "Colour and mark of ticket");
    click(&mut harness, "purple");
    let Some(TreeRequest::Restyle(1, index)) = harness.state().request else { panic!() };
    assert_eq!(style_of(index).colour, 3);
}

#[test]
fn an_arm_is_renamed_in_place() {
    let mut harness = list(TWO, Vec::new());
    super::begin_rename(&harness.ctx, 0, "dense");
    harness.run();
    harness.get_by_label("Name of the arm").type_text("net");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let expected = TreeRequest::Rename { arm: 0, name: "net".to_owned() };
    assert_eq!(harness.state().request, Some(expected));
}

#[test]
fn swept_values_have_rows_with_shades_below_their_setting() {
    let text =
        "(seeds: [1], arms: [(name: \"a\", sweep: { \"train.optimizer.rate\": [0.01, 0.1] }, plan: [Test])])";
    let mut harness = list(text, vec![done(0.97), done(0.98)]);
    harness.run();
    for text in ["a", "2 settings", "learning rate", "0.01", "0.1", "97.00 %", "98.00 %"] {
        assert!(harness.query_by_label(text).is_some(), "{text}");
    }
    assert!(harness.query_by_label("seed 1").is_none());
    click(&mut harness, "0.1");
    assert!(harness.query_by_label("seed 1").is_some(), "a value shows its runs");
    let name = harness.state().treatments[1].name.clone();
    assert_eq!(harness.state().selection, Selection::Setting { arm: 0, name });
    click(&mut harness, "0.1");
    assert!(harness.query_by_label("seed 1").is_none(), "and folds them");
    let styles = harness.state().treatments.iter().map(|treatment| style_of(treatment.colour));
    assert_eq!(
        styles.map(|style| (style.colour, style.shade)).collect::<Vec<_>>(),
        [(0, Some(0)), (0, Some(100))]
    );
    click(&mut harness, "Add arm");
    assert_eq!(harness.state().request, Some(TreeRequest::Do(Command::AddArm)));
}
