//! The table of runs, driven as a person drives it.

mod choosing;
mod rows;
mod ticks;

use eframe::egui::{Align, Key, Layout, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::treatment::treatments;
use doc::{file::parse, runs};
use figure::plots::testing::{at, left};
use results::colours::without_shade;
use results::statistics::{Comparison, Paired};
use results::table::columns::{Column, Sort};
use results::table::view::Baseline;
use results::{Event, RunRecord};

struct Desk {
    compare: Compare,
    treatments: Vec<Treatment>,
    runs: Runs,
    responses: Vec<CompareResponse>,
}

const LONG: &str = "winning ticket with a name of eighty characters that says all about what it does";

/// Two arms with three seeds.
fn text() -> String {
    format!(
        "(seeds: [1, 2, 3], arms: [(name: \"dense\", plan: [Train(\"1ep\")]), (name: \"{LONG}\", set: {{ \"train.batch\": 16 }}, plan: [Train(\"1ep\")])])"
    )
}

/// Returns the second arm is better by 1, 2 and 3 points, and pruned.
fn shown() -> Desk {
    let experiment = parse(&text(), Path::new("x.ron")).unwrap();
    let listed = runs(&experiment).unwrap();
    let record = |run: &Run| {
        let gain = if run.arm == "dense" { 0.0 } else { 0.01 * run.seed as f64 };
        let remaining = if run.arm == "dense" { 1.0 } else { 0.125 };
        let points = [(1.0, 0.75 + gain), (2.0, 0.5 + gain)];
        let points =
            points.map(|(epoch, value)| Event::Point(left(remaining, at("test_accuracy", epoch, value))));
        let report = |kind: &str, summary: String| {
            let (stage, kind) = ("0".to_owned(), kind.to_owned());
            Event::Report(results::Report { stage, kind, summary, ..results::Report::default() })
        };
        let reports = [report("layers", format!("{remaining} left")), report("held", "all are".to_owned())];
        RunRecord::from_events(points.into_iter().chain(reports).chain([Event::Finished { secs: 75.0 }]))
    };
    let known = Runs::from_records(listed.iter().map(|run| (run.id.clone(), record(run))).collect());
    let mut treatments = treatments(&experiment, &listed);
    let mut compare = Compare::default();
    compare.take_treatments(&mut treatments);
    Desk { compare, treatments, runs: known, responses: Vec::new() }
}

/// The table below the head of its tile.
fn draw_table(ui: &mut Ui, shown: &mut Desk) {
    ui.horizontal(|ui| {
        ui.set_height(40.0);
        let right = Layout::right_to_left(Align::Center);
        let tools = ui.with_layout(right, |ui| tools_ui(ui, &mut shown.compare, &shown.runs));
        shown.responses.extend(tools.inner);
    });
    shown.responses.extend(runs_ui(ui, &mut shown.compare, &shown.runs));
}

fn harness() -> Harness<'static, Desk> {
    let mut is_dressed = false;
    let draw = move |ui: &mut Ui, shown: &mut Desk| {
        if !std::mem::replace(&mut is_dressed, true) {
            crate::theme::install(ui.ctx()); // its fonts have all signs
        }
        let now = ui.input(|input| input.time);
        shown.compare.update(&shown.treatments, &shown.runs, now);
        draw_table(ui, shown);
    };
    let mut harness = Harness::builder().with_size(vec2(2000.0, 560.0)).build_ui_state(draw, shown());
    harness.run();
    harness
}

fn arms(harness: &Harness<'_, Desk>) -> Vec<(String, usize)> {
    let shown = harness.state();
    let lines = shown.compare.arm_runs(&shown.treatments, &shown.runs);
    lines.iter().map(|line| (line.name.clone(), line.runs.len())).collect()
}

fn filter(harness: &mut Harness<'_, Desk>, text: &str) {
    harness.state_mut().compare.view.filter = text.to_owned();
    harness.run();
}

/// Copies by an entry of the menu.
fn copy(harness: &mut Harness<'_, Desk>, entry: &str) {
    harness.get_by_label("Copy").click();
    harness.run();
    harness.get_by_label(entry).click();
    harness.run();
}

/// Shows the runs of all groups.
fn unfold(harness: &mut Harness<'_, Desk>) {
    harness.state_mut().compare.view.table.open = ["dense".to_owned(), LONG.to_owned()].into();
    harness.run();
}

/// Does the same document with another setting of the second arm.
fn changed(shown: &mut Desk, from: &str, to: &str) {
    let experiment = parse(&text().replace(from, to), Path::new("x.ron")).unwrap();
    let listed = runs(&experiment).unwrap();
    let old: Vec<Run> = shown.treatments.iter().flat_map(|treatment| treatment.runs.clone()).collect();
    shown.runs.remember(&old);
    shown.runs.list(&listed);
    shown.treatments = treatments(&experiment, &listed);
    shown.compare.take_treatments(&mut shown.treatments);
}

#[test]
fn a_row_for_each_arm_has_mean_interval_n_and_the_difference_to_the_baseline() {
    let mut harness = harness();
    // 51, 52 and 53 %: deviation 1 over three, t(2)·1/√3 = 2.48.
    for text in
        ["50.00", "52.00", "± 2.48", "+2.00", "baseline", "12.50", "Batch size", "6 runs", "1 min 15 s"]
    {
        assert!(harness.query_all_by_label_contains(text).next().is_some(), "{text}");
    }
    assert!(harness.query_by_label("Learning rate").is_none(), "no arm differs in it");
    assert!(harness.query_by_label("seed 1").is_none(), "seeds are folded");
    harness.get_by_label("Show the runs of dense").click();
    harness.run();
    assert_eq!(harness.query_all_by_label("seed 1").count(), 1);
    unfold(&mut harness);
    assert_eq!(harness.query_all_by_label("paired").count(), 3);
}

#[test]
fn results_of_earlier_settings_are_in_no_row_no_group_no_difference_and_no_copy() {
    let mut harness = harness();
    changed(harness.state_mut(), "16", "32");
    harness.run();
    assert_eq!(arms(&harness), [("dense".to_owned(), 3), (format!("outdated: {LONG}"), 3)]);
    let shown = harness.state();
    assert_eq!(shown.compare.outdated_count(), 3);
    let own = shown.compare.own_runs(&shown.treatments, &shown.runs);
    assert_eq!(own.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["dense"]);
    assert!(shown.compare.rows[3].last.is_none() && shown.compare.rows[3].outdated_state == "done");
    let all = shown.compare.arm_runs(&shown.treatments, &shown.runs);
    assert!(all[1].rows.iter().all(|row| row.outdated_state == "done" && row.settings.is_empty()));
    assert!(harness.query_all_by_label_contains("+2.00").next().is_none(), "no difference either");
    unfold(&mut harness);
    let cell = harness.query_all_by_label("outdated").next().expect("where the state is").rect();
    harness.hover_at(cell.center());
    harness.run_steps(60);
    assert!(harness.query_all_by_label("not run, outdated done").count() > 1, "also as a tooltip");
    copy(&mut harness, "Copy as CSV");
    let [CompareResponse::Copy(text, 8)] = &harness.state().responses[..] else { panic!("eight lines") };
    assert!(text.contains("seed 1,1,not run,,,,,,,32,0"), "{text}");
    harness.state_mut().compare.view.group = Some("train.batch".to_owned());
    harness.run();
    assert_eq!(arms(&harness), [("batch 64".to_owned(), 3)]);
    changed(harness.state_mut(), "", "");
    harness.run();
    assert_eq!(arms(&harness), [("batch 16".to_owned(), 3), ("batch 64".to_owned(), 3)], "changed back");
}

#[test]
fn only_runs_that_are_done_and_wanted_are_compared_in_pairs() {
    let mut harness = harness();
    let of = |harness: &mut Harness<'_, Desk>| {
        let table = harness.state_mut().compare.table();
        table.groups.last().unwrap().delta.text()
    };
    assert_eq!(of(&mut harness), "+2.00 ± 2.48");
    filter(&mut harness, "seed < 3");
    assert_eq!(of(&mut harness), "+1.50 ± 6.35");
    filter(&mut harness, "arm:winning");
    assert_eq!(of(&mut harness), "+2.00 ± 2.48", "the baseline is one all the same");
    assert!(harness.query_by_label("Δ to dense, which the filter hides (points)").is_some());
    filter(&mut harness, "");
    let compare = &mut harness.state_mut().compare;
    std::sync::Arc::make_mut(&mut compare.rows)[0].state = "running".to_owned();
    compare.give_marks();
    assert_eq!(of(&mut harness), "+2.50 ± 6.35");
}

#[test]
fn what_only_one_choice_has_makes_no_lines() {
    let mut harness = harness();
    changed(harness.state_mut(), "\"train.batch\": 16", "\"train.optimizer\": Sgd(rate: 0.1)");
    harness.run();
    let compare = &harness.state().compare;
    assert!(compare.settings.iter().any(|path| path == "train.optimizer.beta1"), "{:?}", compare.settings);
    let offered = toolbar::groupable(compare);
    assert!(offered.contains(&Column::Setting("train.optimizer".to_owned())));
    let is_of_one = |key: &Column| matches!(key, Column::Setting(path) if path.contains("beta") || path.contains("momentum"));
    assert!(!offered.iter().any(is_of_one), "{offered:?}");
}

#[test]
fn the_filter_drives_the_plots_and_says_what_it_does_not_understand() {
    let mut harness = harness();
    assert_eq!(arms(&harness), [("dense".to_owned(), 3), (LONG.to_owned(), 3)]);
    filter(&mut harness, "remaining < 20 % seed > 1");
    assert_eq!(arms(&harness), [(LONG.to_owned(), 2)]);
    assert!(harness.query_by_label("2 of 6 runs").is_some());
    let colour = |harness: &Harness<'_, Desk>| {
        let shown = harness.state();
        shown.compare.arm_runs(&shown.treatments, &shown.runs)[0].colour
    };
    assert_eq!(colour(&harness), 1, "its colour is its own, whoever else is there");
    filter(&mut harness, "remainign < 20 %");
    assert!(harness.query_all_by_label_contains("there is no \"remainign\"").next().is_some());
    assert_eq!(arms(&harness).len(), 2);
}

#[test]
fn a_setting_groups_the_lines() {
    let mut harness = harness();
    harness.state_mut().compare.group_by(vec![Column::Setting("train.batch".to_owned())]);
    harness.run();
    assert_eq!(arms(&harness), [("batch 16".to_owned(), 3), ("batch 64".to_owned(), 3)]);
    let table = harness.state_mut().compare.table();
    let names: Vec<&str> = table.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(
        names,
        ["Batch size 16", "Batch size 64"],
        "the table has the groups of the plots, in their order"
    );
    assert_eq!(
        table.groups.iter().map(|group| group.style).collect::<Vec<_>>(),
        [Some(0), Some(1)],
        "and their marks"
    );
    harness.state_mut().compare.group_by(vec![Column::Seed]);
    harness.run();
    assert_eq!(harness.state_mut().compare.table().groups.len(), 3);
    assert_eq!(arms(&harness).len(), 2, "no plot has a line for a seed");
}

#[test]
fn headings_sort_and_a_third_click_gives_the_order_of_the_document() {
    let mut harness = harness();
    let first = |harness: &mut Harness<'_, Desk>| harness.state_mut().compare.table().groups[0].name.clone();
    assert_eq!(first(&mut harness), "dense");
    for expected in [LONG, "dense"] {
        harness.get_by_label("Test accuracy (%)").click();
        harness.run();
        assert_eq!(first(&mut harness), expected, "the best first");
    }
    harness.get_by_label("Test accuracy (%)").click();
    harness.run();
    assert_eq!(harness.state().compare.view.sort, Sort::default());
}

#[test]
fn a_star_is_noted_and_found_again() {
    let mut harness = harness();
    unfold(&mut harness);
    harness.get_by_label("Star dense, seed 2").click();
    harness.run();
    filter(&mut harness, "is:starred");
    assert_eq!(arms(&harness), [("dense".to_owned(), 1)]);
    harness.get_by_label("Unstar dense, seed 2").click();
    harness.run();
    assert!(harness.state().compare.view.marks.is_empty());
}

#[test]
fn the_table_is_copied_as_it_is_shown() {
    let mut harness = harness();
    filter(&mut harness, "arm:dense");
    copy(&mut harness, "Copy table");
    let [CompareResponse::Copy(text, 1)] = &harness.state().responses[..] else { panic!("one group") };
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("Arm\tSeeds\tTest accuracy (%)\tΔ to dense (points), 95 % CI\t"), "{text}");
    assert!(lines[1].starts_with("dense\t3\t50.00\tbaseline\t75.00\t100.00\t64\t"), "{text}");
    harness.state_mut().responses.clear();
    harness.state_mut().compare.group_by(Vec::new());
    harness.run();
    copy(&mut harness, "Copy as CSV");
    let [CompareResponse::Copy(text, 3)] = &harness.state().responses[..] else { panic!("three rows") };
    assert!(text.contains("dense,1,0.5,,0.75,1,64,75"), "{text}");
}

#[test]
fn view_settings_are_written_beside_the_runs_only_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut shown = shown();
    let mut plot = PlotState::default();
    shown.compare.load(folder.path(), &mut plot).unwrap();
    shown.compare.take_treatments(&mut shown.treatments);
    shown.compare.keep(&plot, 0.0, None).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was chosen");
    shown.compare.view.filter = "state:done".to_owned();
    plot.options.smoothing = 0.5;
    shown.compare.keep(&plot, 0.0, None).unwrap();
    let (mut again, mut plot) = (Compare::default(), PlotState::default());
    again.load(folder.path(), &mut plot).unwrap();
    assert_eq!((again.view.filter.as_str(), plot.options.smoothing), ("state:done", 0.5));
}

/// Opens the menu of the second row of the arm "dense".
fn open_menu(harness: &mut Harness<'_, Desk>) {
    unfold(harness);
    harness.query_all_by_label("75.00").nth(2).unwrap().click_secondary();
    harness.run();
}

#[test]
fn a_run_is_tagged_noted_starred_and_archived_from_the_menu_of_its_row() {
    let mut harness = harness();
    let id = harness.state().compare.rows[1].run.clone();
    open_menu(&mut harness);
    assert!(harness.query_by_label("dense, seed 2").is_some(), "what the menu is about");
    harness.get_by_label("Tag").click();
    harness.run();
    harness.get_by_label("Tag").type_text("for paper");
    harness.run();
    harness.get_by_label("Add tag").click();
    harness.run();
    harness.get_by_label("Note on the run").focus();
    harness.run();
    harness.get_by_label("Note on the run").type_text("the best one");
    harness.run();
    let marks = &harness.state().compare.view.marks;
    assert_eq!(
        (marks[&id].tags.as_slice(), marks[&id].note.as_str()),
        (&["for-paper".to_owned()][..], "the best one")
    );
    assert!(harness.query_all_by_label("for-paper").next().is_some(), "the table shows it");
    harness.get_by_label("for-paper ✗").click();
    harness.run();
    harness.get_by_label("Star the arm").click();
    harness.run();
    let marks = &harness.state().compare.view.marks;
    assert!(marks[&id].tags.is_empty() && marks["arm:dense"].starred);
    assert_eq!(harness.query_all_by_label_contains("Unstar dense").count(), 3, "all seeds of the arm");
    open_menu(&mut harness);
    harness.get_by_label("Archive this run…").click();
    harness.run();
    let name = "dense, seed 2".to_owned();
    assert_eq!(harness.state().responses, [CompareResponse::Archive { name, runs: vec![id] }]);
}

#[test]
fn settings_go_with_the_document_to_another_folder() {
    let root = tempfile::tempdir().unwrap();
    let [first, second, third] = ["a", "b", "c"].map(|name| root.path().join(name));
    let mut shown = shown();
    let plot = PlotState::default();
    shown.compare.set_folder(&first);
    shown.compare.keep(&plot, 0.0, None).unwrap();
    assert!(!first.exists(), "nothing was chosen");
    shown.compare.view.filter = "state:done".to_owned();
    shown.compare.set_folder(&second);
    shown.compare.keep(&plot, 0.0, None).unwrap();
    shown.compare.set_folder(&third);
    shown.compare.keep(&plot, 0.0, None).unwrap();
    for folder in [second, third] {
        assert_eq!(ViewSettings::read(&folder).unwrap().filter, "state:done");
    }
}

#[test]
fn what_is_noted_about_an_arm_goes_with_it_to_its_new_name() {
    let Desk { mut compare, mut treatments, .. } = shown();
    marks::edit(&mut compare, "arm:dense", |mark| mark.starred = true);
    for name in ["dens", LONG, "sparse"] {
        treatments[0].name = name.to_owned(); // on its way it is that of the other arm
        compare.take_treatments(&mut treatments);
    }
    let marks: Vec<_> = compare.view.marks.iter().map(|(key, mark)| (key.as_str(), mark.starred)).collect();
    assert_eq!(marks, [("arm:sparse", true)]);
}

#[test]
fn a_swept_arm_keeps_its_chosen_colour_under_another_name() {
    let mut compare = Compare::default();
    let take = |compare: &mut Compare, name: &str| -> Vec<usize> {
        let text = format!(
            "(sweep: {{ \"train.batch\": [8, 16] }}, arms: [(name: \"a\", plan: [Test]), (name: \"{name}\", plan: [Test])])"
        );
        let experiment = parse(&text, Path::new("x.ron")).unwrap();
        let mut found = treatments(&experiment, &runs(&experiment).unwrap());
        compare.take_treatments(&mut found);
        found.iter().map(|treatment| without_shade(treatment.colour).0).collect()
    };
    assert_eq!(take(&mut compare, "b"), [0, 0, 1, 1]);
    compare.view.colours.choose(&["b, batch 8", "b, batch 16"], 5);
    assert_eq!(take(&mut compare, "b"), [0, 0, 5, 5]);
    assert_eq!(take(&mut compare, "c"), [0, 0, 5, 5]);
}

#[test]
fn runs_and_pairs_that_are_not_compared_are_counted_each() {
    let last = Some(Paired { mean: 0.0, half: None, n: 1 });
    let of = |left_out, untested| {
        comparison::left_out(&Comparison { validation: false, last, best: None, left_out, untested })
    };
    assert_eq!(of(1, 2), "1 run not done, 2 pairs not tested in both");
    assert_eq!((of(0, 1).as_str(), of(0, 0).as_str()), ("1 pair not tested in both", ""));
}

#[test]
fn rows_that_are_behind_ask_for_a_look_and_count_when_they_are_made() {
    let Desk { mut compare, treatments, mut runs, .. } = shown();
    assert_eq!(compare.update(&treatments, &runs, 8.0), None);
    let revision = compare.revision;
    runs.forget("another");
    assert_eq!(compare.update(&treatments, &runs, 8.125), Some(0.125));
    assert_eq!(compare.revision, revision);
    assert_eq!(compare.update(&treatments, &runs, 8.25), None);
    assert_eq!(compare.revision, revision + 1);
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn an_arm_is_renamed_where_its_place_has_a_new_name_and_moving_renames_none() {
    let old = names(&["a", "b"]);
    assert_eq!(renamed(&old, &names(&["a", "c"])), [("b".to_owned(), "c".to_owned())]);
    assert_eq!(renamed(&old, &names(&["b", "a"])), []);
    assert_eq!(renamed(&old, &names(&["b", "c"])), [], "a was removed and c added");
    assert_eq!(renamed(&old, &names(&["a", "b", "c"])), []);
    assert!(are_distinct(&old) && !are_distinct(&names(&["a", "b", "a"])));
}

#[test]
fn notes_list_what_is_marked_and_the_search_adds_others_with_their_names_on_the_line_of_their_fields() {
    let mut is_dressed = false;
    let draw = move |ui: &mut Ui, (shown, noting): &mut (Desk, Noting)| {
        if !std::mem::replace(&mut is_dressed, true) {
            return crate::theme::install(ui.ctx());
        }
        notes_ui(ui, &mut shown.compare, noting);
    };
    let mut harness = Harness::new_ui_state(draw, (harness().into_state(), Noting::default()));
    harness.run();
    assert!(harness.query_by_label("Nothing is marked yet").is_some());
    assert!(harness.query_by_label("Note on dense").is_none());
    harness.get_by_label("Arm or run to note").focus();
    harness.run();
    harness.get_by_label("Arm or run to note").type_text("DENSE, seed 2");
    harness.run();
    let [name, field] =
        ["dense, seed 2", "Note on dense, seed 2"].map(|name| harness.get_by_label(name).rect());
    assert!((name.center().y - field.center().y).abs() < 1.0, "{name} {field}");
    harness.get_by_label("Note on dense, seed 2").focus();
    harness.run();
    harness.get_by_label("Note on dense, seed 2").type_text("odd");
    harness.run();
    harness.get_by_label("Arm or run to note").focus();
    harness.run();
    harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, Key::A);
    harness.key_press(Key::Delete);
    harness.run();
    assert!(harness.query_by_label("Note on dense, seed 2").is_some(), "it is marked");
    assert!(harness.query_by_label("Note on dense, seed 1").is_none());
}
