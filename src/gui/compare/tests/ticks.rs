//! The table itself: ticks, what is done with ticked runs, and where its cells are.

use super::*;

#[test]
fn ticked_runs_are_compared_side_by_side_and_shown_alone() {
    let mut harness = harness();
    assert!(harness.query_by_label("Compare").is_none(), "nothing is ticked");
    harness.state_mut().compare.view.table.open = ["dense".to_owned(), LONG.to_owned()].into();
    harness.run();
    harness.get_by_label("Tick dense, seed 1").click();
    harness.get_by_label(&format!("Tick {LONG}, seed 1")).click();
    harness.run();
    assert!(harness.query_by_label("2 selected").is_some());
    assert!(harness.query_by_label(&format!("1 of dense, 1 of {LONG}")).is_some());
    harness.get_by_label("Compare").click();
    harness.run();
    assert!(harness.query_by_label("2 runs, only what differs").is_some());
    let found = harness.query_all_by_label("−2.00 ± 2.48 points, n = 3").count();
    assert_eq!(found, 2, "last and best, over all seeds of both arms");
    let shown = harness.state();
    let rows = shown.compare.ticked_rows();
    let differing = comparison::differing_cells(&rows, &shown.compare.rows, &shown.compare.settings);
    let titles: Vec<&str> = differing.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["Test accuracy (%)", "Best accuracy (%)", "Weights remaining (%)", "Batch size"]);
    assert!(harness.query_by_label("Stage 1: layers").is_some(), "a report that differs");
    harness.get_by_label("Show only these").click();
    harness.run();
    assert_eq!(arms(&harness), [("dense".to_owned(), 1), (LONG.to_owned(), 1)]);
    harness.get_by_label("Archive 2…").click();
    harness.run();
    let [CompareResponse::Archive { name, runs }] = &harness.state().responses[..] else {
        panic!("a question")
    };
    assert_eq!((name, runs.len()), (&format!("1 of dense, 1 of {LONG}"), 2));
}

#[test]
fn runs_that_the_filter_hides_are_neither_counted_nor_archived() {
    let mut harness = harness();
    harness.get_by_label("Tick dense").click();
    harness.run();
    assert!(harness.query_by_label("3 selected").is_some(), "a group ticks its visible runs");
    filter(&mut harness, "arm:winning");
    assert!(harness.query_by_label_contains("selected").is_none());
    assert!(harness.query_by_label_contains("Archive").is_none());
    assert_eq!(harness.state().compare.archive_ticked(&harness.state().runs), None);
    filter(&mut harness, "seed:3");
    harness.get_by_label("Archive 1…").click();
    harness.run();
    let shown = harness.state();
    let visible = shown.compare.rows[2].run.clone();
    let name = "1 of dense".to_owned();
    assert_eq!(shown.responses, [CompareResponse::Archive { name, runs: vec![visible] }]);
    harness.get_by_label("Tick dense").click();
    harness.run();
    assert_eq!(harness.state().compare.ticked.len(), 2, "hidden ticks stay as they are");
}

#[test]
fn headings_and_cells_line_up_and_numbers_end_where_their_heading_ends() {
    let mut harness = harness();
    unfold(&mut harness);
    let right = |label: &str| harness.query_all_by_label(label).next().unwrap().rect().right();
    let heading = harness.get_by_label("Weights remaining (%)").rect();
    assert!((right("12.50") - right("100.00")).abs() < 0.5, "numbers are aligned at the right");
    assert!(right("12.50") <= heading.right() && right("12.50") > heading.left());
    let heading = harness.get_by_label("Batch size").rect();
    let cell = harness.query_all_by_label("64").next().unwrap().rect();
    assert!(cell.left() >= heading.left() && cell.right() <= heading.right(), "{cell} below {heading}");
}

#[test]
fn arms_stay_in_sight_while_the_table_scrolls_sideways() {
    let mut harness = harness();
    harness.set_size(vec2(640.0, 560.0));
    harness.state_mut().compare.view.table.set_width(&Column::Arm, 150.0);
    harness.run();
    unfold(&mut harness);
    let at =
        |harness: &Harness<'_, Desk>, label: &str| harness.query_all_by_label(label).next().unwrap().rect();
    let [arm, dense, tick, seed] =
        ["Arm", "dense", "Tick dense, seed 1", "Seeds"].map(|label| at(&harness, label));
    harness.hover_at(dense.center());
    harness.run();
    harness.event(eframe::egui::Event::MouseWheel {
        unit: eframe::egui::MouseWheelUnit::Point,
        delta: vec2(-150.0, 0.0),
        modifiers: eframe::egui::Modifiers::NONE,
        source: eframe::egui::MouseWheelSource::Wheel,
        phase: eframe::egui::TouchPhase::Move,
    });
    harness.run();
    assert!(
        harness.query_by_label("Seeds").is_none_or(|now| now.rect().width() < seed.width()),
        "the others have moved"
    );
    let now = ["Arm", "dense", "Tick dense, seed 1"].map(|label| at(&harness, label));
    for (now, before) in now.into_iter().zip([arm, dense, tick]) {
        assert!(now.center().distance(before.center()) < 0.5, "{now} is where {before} was");
    }
    harness.get_by_label("Tick dense, seed 1").click();
    harness.run();
    assert_eq!(harness.state().compare.ticked.len(), 1);
    harness.get_by_label("Arm").click();
    harness.run();
    assert_eq!(harness.state().compare.view.sort.column, Some(Column::Arm));
}
