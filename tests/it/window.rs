//! The real window with the real worker: templates open, runs run, and what they say is there to be read.

use doc::templates;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, LazyRenderer};
use gui::app::App;
use gui::commands::Command;
use gui::worker::Threads;

use crate::support::tiny::TINY;
use crate::support::window::{Opening, execute, export, wait_until};

fn open(opening: Opening) -> Harness<'static, App> {
    opening.open(Threads, LazyRenderer::default())
}

fn sees(harness: &Harness<'static, App>, text: &str) -> bool {
    harness.query_all_by_label_contains(text).next().is_some()
}

/// Draws frames until something is seen.
fn wait_for(harness: &mut Harness<'static, App>, text: &str) {
    wait_until(harness, text, |harness| sees(harness, text));
}

#[test]
fn every_template_opens_from_its_card_ready_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(Opening::new(folder.path()));
    for template in templates::all() {
        execute(&mut harness, Command::New);
        if harness.query_by_role_and_label(Role::Button, "VGG-16 on CIFAR-10").is_none() {
            harness.get_by_label("More templates").click();
            harness.run_ok();
        }
        harness.get_by_role_and_label(Role::Button, template.name).click_accesskit();
        harness.run_ok();
        assert!(!sees(&harness, "New experiment"), "{} is open", template.name);
        for arm in template.experiment().arms {
            assert!(sees(&harness, &arm.name), "{} shows its arm {}", template.name, arm.name);
        }
        assert!(sees(&harness, "Run all"), "{}", template.name);
    }
}

#[test]
fn a_short_experiment_runs_to_its_end_and_gives_its_figure() {
    let folder = tempfile::tempdir().unwrap();
    let (file, figure) = (folder.path().join("tiny.ron"), folder.path().join("tiny.svg"));
    std::fs::write(&file, TINY).unwrap();
    let opening = Opening::new(&folder.path().join("untitled"));
    let mut harness = open(Opening { file: Some(file), ..opening });
    harness.get_by_label("Run all").click();
    harness.step();
    wait_for(&mut harness, "All runs are done");
    let runs = std::fs::read_dir(folder.path().join("tiny.runs")).unwrap();
    let done = runs.filter(|entry| entry.as_ref().unwrap().path().join("DONE").is_file());
    assert_eq!(done.count(), 4);

    export(&mut harness, &figure, false);
    wait_for(&mut harness, "Wrote ");
    harness.get_all_by_label("Close").last().unwrap().click();
    harness.run_ok();
    let drawn = std::fs::read_to_string(&figure).unwrap();
    assert!(drawn.contains(">pruned<"), "the legend names the arms");

    harness.get_by_role_and_label(Role::Tab, "Runs").click();
    harness.run_ok();
    for arm in ["dense, plain", "pruned"] {
        harness.get_by_label(&format!("Show the runs of {arm}")).click();
        harness.run_ok();
    }
    let seeds = |arm: &str| [1, 2].map(|seed| format!("Tick {arm}, seed {seed}"));
    let rows = ["dense, plain", "pruned"].map(seeds).concat();
    assert!(rows.iter().all(|row| harness.query_by_label(row).is_some()), "one row for each run");
}
