use eframe::egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::plot::ListedFaults;
use crate::selection::Selection;
use crate::views::tests::{Shown, open, wait_for, wait_until};
use doc::file::parse;
use doc::runs;
use figure::plots::testing::{outcome, single_faults};
use results::campaign::CampaignBegan;
use run::read_records;
use run::testing::run_in;

/// Three trials; 0 and 2 are in one cell.
fn trials() -> Harness<'static, Shown> {
    let record = single_faults(vec![outcome(0, 30, 8), outcome(1, 2, 0), outcome(0, 30, 4)]);
    let mut harness = open("campaigns", record);
    harness.run_ok();
    let run = harness.state().results.join(&harness.state().listed[0].id);
    let faults = ",,0,,fc1.weight,3,30,3f000000,7f000000\n,,1,,fc2.weight,0,2,0,4\n\
        ,,2,,fc1.weight,5,30,3f000000,7f000000\n";
    std::fs::write(run.join("faults.csv"), faults).unwrap();
    let trials = ",,0,0,1,10,2,0,8,4,0,0,8,0.2\n,,1,0,1,10,10,0,0,0,0,0,0,1\n\
        ,,2,0,1,10,6,0,4,4,0,0,4,0.6\n";
    std::fs::write(run.join("trials.csv"), trials).unwrap();
    harness.state_mut().views = crate::views::Views::default();
    wait_for(&mut harness, "Show trial 0, seed 1");
    harness
}

#[test]
fn the_answer_of_a_replay_is_right_below_its_button() {
    let mut harness = trials();
    for size in [vec2(1150.0, 430.0), vec2(600.0, 900.0)] {
        harness.set_size(size);
        harness.get_by_label("Replay").click();
        harness.run_steps(2);
        let begun = std::time::Instant::now();
        let answer = loop {
            if let Some(answer) = harness.query_by_label_contains("The trial cannot be replayed") {
                break answer.rect();
            }
            assert!(begun.elapsed().as_secs() < 10, "no answer");
            std::thread::sleep(std::time::Duration::from_millis(5));
            harness.step();
        };
        let button = harness.get_by_label("Replay").rect();
        assert!(answer.top() - button.bottom() < 24.0, "{answer} far below {button}");
    }
}

#[test]
fn list_and_detail_share_the_width_and_bits_fit() {
    let mut harness = trials();
    harness.set_size(vec2(1150.0, 430.0));
    harness.run_steps(4);
    let button = harness.get_by_label("Replay").rect();
    assert!(button.right() > 1080.0, "{button} is at the right end");
    let bits = harness.get_by_label_contains("Bits before and after").rect();
    assert!((400.0..600.0).contains(&bits.width()), "{bits} fills its half");
    let summary = harness.get_by_label("3 of 3").rect();
    let part = harness.get_by_label("Conditions").rect();
    assert!(part.y_range().contains(summary.center().y), "the summary is beside the bar");
    harness.set_size(vec2(500.0, 430.0));
    harness.run_steps(4);
    let [summary, part] = [harness.get_by_label("3 of 3").rect(), harness.get_by_label("Conditions").rect()];
    assert!(summary.top() >= part.bottom(), "or below it");
}

#[test]
fn the_order_is_seen_and_stays_for_another_cell() {
    let mut harness = trials();
    harness.set_size(vec2(1150.0, 430.0));
    harness.run_steps(2);
    let above = |harness: &Harness<'_, Shown>, trials: [u64; 2]| {
        let [a, b] = trials.map(|trial| harness.get_by_label(&format!("Show trial {trial}, seed 1")).rect());
        a.top() < b.top()
    };
    assert!(above(&harness, [0, 2]) && above(&harness, [2, 1]), "the worst first");
    harness.get_by_label("Seed").click();
    harness.run_steps(2);
    assert!(above(&harness, [2, 1]) && above(&harness, [1, 0]), "descending");
    let id = harness.state().listed[0].id.clone();
    let faults = ListedFaults { layer: "fc1".to_owned(), bit: 30, campaign: String::new(), runs: vec![id] };
    let cell = TrialFilter::cell(faults, Selection::Arm(0));
    *harness.state_mut().views.store.of() = cell;
    wait_for(&mut harness, "2 of 3");
    harness.run_steps(2);
    let seen: Vec<_> = harness.query_all_by_label_contains("Show trial").map(|row| row.rect()).collect();
    assert!(above(&harness, [2, 0]), "in the same order: {seen:?}");
    harness.set_size(vec2(330.0, 700.0));
    harness.run_steps(4);
    assert!(harness.query_by_label("Seed").is_some(), "its column stays in a narrow list");
    assert!(harness.query_by_label("Before").is_none());
}

#[test]
fn a_click_on_the_row_of_a_trial_opens_it() {
    let mut harness = trials();
    harness.set_size(vec2(1150.0, 430.0));
    harness.run_steps(4);
    let mut missed = Vec::new();
    for (place, share) in [0.02, 0.15, 0.3, 0.5, 0.7, 0.85].into_iter().enumerate() {
        let trial = [2, 0, 1][place % 3];
        let rect = harness.get_by_label(&format!("Show trial {trial}, seed 1")).rect();
        let at = rect.lerp_inside(vec2(share, 0.5));
        harness.hover_at(at);
        harness.run_steps(2);
        harness.drag_at(at);
        harness.drop_at(at);
        harness.run_steps(4);
        if harness.query_by_label(&format!("Trial {trial}, seed 1")).is_none() {
            missed.push((share, at, rect));
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn one_click_leads_from_a_trial_to_the_samples_that_it_changed_in_the_data_of_its_run() {
    let text = "(data: Iris(), net: Mlp(hidden: [4]), arms: [(name: \"a\", plan: [Branch(name: \"b\", data: Iris(limit_test: 20),
        plan: [Campaign(fault: (bits: Bit(30), amount: Count(6)), trials: Fixed(2))])])])";
    let all = runs(&parse(text, std::path::Path::new("x.ron")).unwrap()).unwrap();
    let mut harness = open("campaigns", results::RunRecord::default());
    let results = harness.state().results.clone();
    run_in(&results, &all[0]);
    let record = read_records(&results, &all).remove(&all[0].id).unwrap();
    harness.state_mut().listed = all;
    harness.state_mut().set_record(record);
    harness.set_size(vec2(1150.0, 800.0));
    wait_for(&mut harness, "Show in Data");
    harness.run_steps(4); // it moves once, below what it is about
    harness.get_by_label("Show in Data").click();
    harness.run_steps(2);
    harness.state_mut().open = "data";
    wait_for(&mut harness, "Show all samples");
    assert!(harness.query_by_label_contains("changed by trial").is_some());
    // The branch has 20 test samples, the run 30.
    wait_until(&mut harness, "the samples", |harness| {
        harness.query_by_label("20 samples").is_some()
            || harness.query_by_label_contains("of 20 samples").is_some()
    });
    assert!(harness.query_by_label("Part").is_none());
}

#[test]
fn a_cell_of_the_heat_map_is_a_layer_and_a_bit() {
    let faults = ListedFaults {
        layer: "fc1".to_owned(),
        bit: 30,
        campaign: "faults in fc1".to_owned(),
        runs: vec!["x".to_owned()],
    };
    let cell = TrialFilter::cell(faults.clone(), Selection::Arm(0));
    assert_eq!(cell.place(&Selection::Arm(0)), Some(faults));
    let of = |layer: &str| {
        let layers = vec![layer.to_owned()];
        CampaignRecord::new(CampaignBegan { layers, ..CampaignBegan::default() })
    };
    assert!(cell.has(&of("fc1")) && !cell.has(&of("fc2")) && TrialFilter::default().has(&of("fc2")));
    let elsewhere = cell.place(&Selection::Arm(1)).unwrap();
    assert!(elsewhere.runs.is_empty(), "another selection has other runs");
    assert_eq!(cell.sought, FaultFilter { layer: Some("fc1".to_owned()), bit: Some(30) });
    assert!(cell.of.is_some() && TrialFilter::default().of.is_none());
}
