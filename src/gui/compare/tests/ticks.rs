//! The table itself: ticks, what is done with ticked runs, and where its cells are.

use super::*;

fn side_by_side(harness: &mut Harness<'_, Desk>) -> Arc<SideBySide> {
    let Desk { compare, runs, .. } = harness.state_mut();
    compare.side_by_side(runs)
}

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
    assert!(harness.query_by_label("Side by side, only what differs").is_some());
    let found = harness.query_all_by_label("+2.00 ± 2.48 points: the 95 % CI includes 0").count();
    assert_eq!(found, 2, "last and best, over all seeds of both arms");
    for name in ["Test accuracy", "Best accuracy"] {
        assert!(harness.query_by_label(&format!("{name}, n = 3")).is_some(), "{name}");
    }
    let difference =
        harness.query_all_by_label("+2.00 ± 2.48 points: the 95 % CI includes 0").next().unwrap().rect();
    assert!(
        difference.top() < harness.get_by_label("Side by side, only what differs").rect().top(),
        "the answer first"
    );
    let made = side_by_side(&mut harness);
    let titles: Vec<&str> = made.cells.iter().map(|line| line[0].as_str()).collect();
    assert_eq!(titles, ["Test accuracy (%)", "Best accuracy (%)", "Weights remaining (%)", "Batch size"]);
    assert!(harness.query_by_label("Stage 1: layers").is_none(), "reports are folded");
    harness.get_by_label("Reports that differ (1)").click();
    harness.run_steps(30);
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

#[test]
fn a_whole_arm_has_one_column_of_means_in_the_comparison_and_single_runs_their_own() {
    let mut harness = harness();
    harness.get_by_label(&format!("Tick {LONG}")).click();
    harness.run();
    harness.get_by_label("Compare").click();
    harness.run();
    assert!(
        harness.query_by_label(&format!("{LONG} − dense")).is_some(),
        "one arm is compared with the baseline"
    );
    harness.state_mut().compare.view.table.open = ["dense".to_owned()].into();
    harness.run();
    harness.get_by_label("Tick dense, seed 2").click();
    harness.run();
    let made = side_by_side(&mut harness);
    assert!(Arc::ptr_eq(&made, &side_by_side(&mut harness)), "made once");
    let helps: Vec<&str> = made.columns[1..].iter().map(|column| &*column.help).collect();
    assert_eq!(helps, ["dense, seed 2", &format!("{LONG}, 3 runs")]);
    assert_eq!(made.cells[0], ["Test accuracy (%)", "50.00", "52.00 ± 2.48"]);
    assert_eq!(made.reports[0][1..], ["1 left", "0.125 left"]);
}

#[test]
fn groups_have_foldable_headings_and_a_caret_for_their_runs() {
    let mut harness = harness();
    harness.state_mut().compare.group_by(vec![Column::Setting("train.batch".to_owned()), Column::Arm]);
    harness.run();
    let at = |harness: &Harness<'_, Desk>, label: &str| harness.get_by_label(label).rect();
    let tops = ["Batch size 16", LONG, "Batch size 64", "dense"].map(|label| at(&harness, label).top());
    assert!(tops.is_sorted(), "{tops:?}");
    assert!(at(&harness, "dense").left() > at(&harness, "Batch size 64").left() + 10.0, "below its heading");
    assert_eq!(harness.query_all_by_label("+2.00").count(), 1, "headings have no difference");
    harness.get_by_label("Hide the groups of Batch size 64").click();
    harness.run();
    assert!(harness.query_by_label("dense").is_none() && harness.query_by_label(LONG).is_some());
    let view = &mut harness.state_mut().compare.view;
    assert_eq!(view.table.folded.iter().collect::<Vec<_>>(), ["Batch size 64"]);
    let runs = vec![harness.state().compare.rows[0].run.clone()];
    harness.state_mut().compare.show(runs, true);
    harness.run();
    assert!(harness.query_by_label("seed 1").is_some(), "what is looked for is unfolded");
    harness.state_mut().compare.group_by(vec![Column::Seed]);
    harness.run();
    assert_eq!(harness.query_all_by_label_contains("over 2 arms").count(), 3);
    assert!(harness.query_by_label("Runs").is_some(), "and how many runs that is");
}

#[test]
fn nothing_is_cut_mid_letter_where_columns_do_not_fit() {
    let mut harness = harness();
    for width in (420..1500).step_by(40) {
        harness.set_size(vec2(width as f32, 560.0));
        harness.run();
        let tree = harness.output();
        let texts = tree.shapes.iter().filter_map(|shape| match &shape.shape {
            eframe::egui::Shape::Text(text) => Some((shape.clip_rect, text)),
            _ => None,
        });
        for (clip, text) in texts {
            let ink = text.visual_bounding_rect();
            let is_seen = ink.intersects(clip.shrink(1.0)) && !text.galley.text().trim().is_empty();
            let is_cut = ink.right() > clip.right() + 1.5 || ink.left() < clip.left() - 1.5;
            assert!(
                !(is_seen && is_cut),
                "{width}: \u{201c}{}\u{201d} at {ink} in {clip}",
                text.galley.text()
            );
        }
    }
}
