//! The views of faults follow what is selected: arm, setting of its sweep, seed.

use super::*;
use crate::tiles::LayoutChange;
use crate::views::TrialFilter;
use doc::fault::CellPlan;
use eframe::egui::accesskit::Role;
use figure::plots::testing::outcome;
use results::campaign::{CampaignBegan, CellState, Outcomes};

const TEXT: &str = "(data: Iris(), net: Mlp(hidden: [2]), seeds: [1, 2], arms: [
    (name: \"a\", sweep: { \"train.batch\": [8, 16] }, plan: [Test]), (name: \"b\", plan: [Test])])";

/// A window with the campaigns of all runs, a trial each.
fn window(folder: &Path) -> Window {
    let file = folder.join("x.ron");
    std::fs::write(&file, TEXT).unwrap();
    let mut window = Window::open(Some(file));
    window.execute(Command::RunAll);
    for job in 0..6 {
        let run = window.stage.borrow().jobs[job].run.clone();
        let of_run = folder.join("x.runs").join(&run.id);
        std::fs::create_dir_all(&of_run).unwrap();
        std::fs::write(of_run.join("faults.csv"), "1,,0,,fc1.weight,3,30,3f000000,7f000000\n").unwrap();
        std::fs::write(of_run.join("trials.csv"), "1,,0,0,1,10,2,0,8,4,0,0,8,0.2\n").unwrap();
        let began = CampaignBegan {
            campaign: "1".to_owned(),
            layers: vec!["fc1".to_owned()],
            cells: vec![CellPlan { trials: 1, ..CellPlan::default() }],
            ..CampaignBegan::default()
        };
        let state = CellState { trials: 1, outcomes: vec![outcome(0, 30, 8)], ..CellState::default() };
        for event in [started(), accuracy(0.5, 1.0), Event::CampaignBegan(began), Event::CampaignCell(state)]
        {
            window.say(job, event);
        }
    }
    window
}

/// A window with three arms: one has two campaigns, the next one of them in another stage, the last has none.
fn with_other_stages(folder: &Path) -> Window {
    let file = folder.join("x.ron");
    let text = "(data: Iris(), net: Mlp(hidden: [2]), arms: [(name: \"dense\", plan: [Test]),
        (name: \"pruned\", plan: [Test, Test]), (name: \"plain\", plan: [Test, Test, Test])])";
    std::fs::write(&file, text).unwrap();
    let mut window = Window::open(Some(file));
    window.execute(Command::RunAll);
    for job in 0..3 {
        window.say(job, started());
        window.say(job, accuracy(0.5, 1.0));
    }
    for (job, stage, layer, sdc1) in [(0, "2", "fc1", 8), (0, "4", "fc2", 2), (1, "4", "fc1", 4)] {
        let began = CampaignBegan {
            campaign: stage.to_owned(),
            stage: stage.to_owned(),
            layers: vec![layer.to_owned()],
            cells: vec![CellPlan { bit: Some(30), trials: 1, ..CellPlan::default() }],
            ..CampaignBegan::default()
        };
        let outcomes = vec![Outcomes { trials: 20, ..outcome(0, 30, sdc1) }];
        let state = CellState { trials: 20, outcomes, ..CellState::default() };
        window.say(job, Event::CampaignBegan(began));
        window.say(job, Event::CampaignCell(state));
    }
    window
}

fn show(window: &mut Window, view: &'static str) {
    window.harness.state_mut().workspace.tiles.change(LayoutChange::Show(view));
    window.harness.run_steps(4);
}

fn wait_for(window: &mut Window, text: &str) {
    for _ in 0..2000 {
        if window.sees(text) {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
        window.harness.step();
    }
    panic!("{text} never came");
}

fn setting(name: &str) -> Selection {
    Selection::Setting { arm: 0, name: name.to_owned() }
}

/// The runs whose trials are listed after a click on a cell.
fn listed(window: &Window) -> Vec<String> {
    let workspace = &window.harness.state().workspace;
    let filter = workspace.views.store.known::<TrialFilter>().expect("a cell is open");
    filter.place(&workspace.selection).expect("a cell is open").runs
}

fn ids(window: &Window, name: &str) -> Vec<String> {
    let runs = window.harness.state().editor.document.runs();
    runs.iter().filter(|run| run.arm == name).map(|run| run.id.clone()).collect()
}

#[test]
fn views_of_faults_follow_the_selected_arm_setting_and_seed_and_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let seed = Selection::Run { arm: 0, id: window.id(0, 2) };
    for view in ["vulnerability", "outcomes-bit", "outcomes-layer", "campaigns"] {
        show(&mut window, view);
        for (selection, subject) in [
            (Selection::Arm(0), "Shows a, 2 settings, seeds 1, 2"),
            (setting("a, batch 16"), "Shows a, batch 16, seeds 1, 2"),
            (seed.clone(), "Shows a, batch 8, seed 2"),
            (Selection::Arm(1), "Shows b, seeds 1, 2"),
        ] {
            window.select(selection);
            wait_for(&mut window, subject);
        }
    }
    window.harness.state_mut().workspace.plot.options.all_arms = true;
    show(&mut window, "vulnerability");
    wait_for(&mut window, "Shows 2 arms, seeds 1, 2");
}

#[test]
fn a_click_on_a_cell_lists_the_trials_that_it_counts_in_a_panel_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    window.select(Selection::Arm(0));
    show(&mut window, "vulnerability");
    for batch in ["batch 16", "batch 8"] {
        let panel = format!("Plot of Layer, {batch}");
        wait_for(&mut window, &panel);
        window.harness.get_by_label(&panel).click();
        window.harness.run_steps(4);
        wait_for(&mut window, "2 of 2");
        let name = format!("a, {batch}");
        assert_eq!(listed(&window), ids(&window, &name), "{panel}");
        assert!(window.sees(&format!("Shows {name}, seeds 1, 2")));
        show(&mut window, "vulnerability");
    }
    window.select(setting("a, batch 16"));
    wait_for(&mut window, "Plot of Layer");
    window.harness.get_by_label("Plot of Layer").click();
    window.harness.run_steps(4);
    wait_for(&mut window, "2 of 2");
    assert_eq!(listed(&window), ids(&window, "a, batch 16"));
    window.select(Selection::Arm(0));
    wait_for(&mut window, "Shows a, 2 settings, seeds 1, 2");
    wait_for(&mut window, "4 of 4");
    assert!(window.sees("Show trial 0, batch 16, seed 2"), "trials name their setting");
}

#[test]
fn the_vulnerability_of_a_network_is_that_of_its_setting() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    show(&mut window, "network");
    for (selection, text) in [
        (Selection::Arm(0), "Vulnerability: a, batch 8, seeds 1, 2"),
        (setting("a, batch 16"), "Vulnerability: a, batch 16, seeds 1, 2"),
        (Selection::Run { arm: 0, id: window.id(0, 2) }, "Vulnerability: a, batch 8, seed 2"),
    ] {
        window.select(selection);
        assert!(window.harness.query_by_label(text).is_some(), "{text}");
    }
}

#[test]
fn a_selected_setting_goes_with_its_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    window.select(setting("a, batch 16"));
    assert_eq!(window.harness.state().workspace.plot.treatment.as_deref(), Some("a, batch 16"));
    for (values, selection) in [("[8, 32]", setting("a, batch 32")), ("[8]", Selection::Arm(0))] {
        let arm = &mut window.harness.state_mut().editor.document.experiment.arms[0];
        arm.sweep.0.insert("train.batch".to_owned(), values.to_owned());
        window.harness.run();
        assert_eq!(window.harness.state().workspace.selection, selection);
    }
}

#[test]
fn an_export_offers_what_applies_to_a_heat_map_and_to_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    window.select(setting("a, batch 16"));
    show(&mut window, "vulnerability");
    wait_for(&mut window, "Plot of Layer");
    window.execute(Command::ExportFigure);
    wait_for(&mut window, "mean over single faults");
    window.click("SVG");
    for text in ["Marks", "Dashes", "Intervals", "Line ends", "Notes at arm names"] {
        assert!(!window.sees(text), "{text}");
    }
    assert!(window.sees("Preset") && window.sees("Footnote"));
    for format in ["CSV", "SVG", "PDF"] {
        window.click(format);
    }
    assert!(!window.sees("Preset") && !window.sees("Footnote") && window.sees("File name"));
}

#[test]
fn the_selector_has_the_campaigns_of_the_shown_arms_and_names_what_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_other_stages(folder.path());
    let chosen = |window: &Window, name: &str| -> Option<String> {
        let found = window.harness.query_by_role_and_label(Role::ComboBox, name);
        found.and_then(|choice| choice.value())
    };
    window.select(Selection::Arm(0));
    for view in ["outcomes-bit", "vulnerability"] {
        show(&mut window, view);
        wait_for(&mut window, "Shows dense, seed 1");
        window.harness.run_steps(2);
        assert_eq!(chosen(&window, "campaign").as_deref(), Some("bits of fc1"), "{view}");
    }
    window.harness.state_mut().workspace.plot.options.campaign = Some("Stage 5".to_owned());
    window.harness.run_steps(4);
    assert_eq!(chosen(&window, "campaign").as_deref(), Some("bits of fc2"), "a view file of before");
    window.harness.state_mut().workspace.plot.options.campaign = None;
    window.harness.run_steps(4);
    window.harness.get_by_role_and_label(Role::ComboBox, "campaign").click();
    window.harness.run_steps(4);
    assert!(window.sees("dense · bits of fc1"));
    window.harness.get_by_label("dense · bits of fc2").click();
    wait_for(&mut window, "fc2, b30");
    window.harness.run_steps(4); // the pointer may read this cell of the map before
    assert_eq!(chosen(&window, "campaign").as_deref(), Some("bits of fc2"));
    window.harness.state_mut().workspace.plot.options.campaign = Some("bits of fc1".to_owned());
    window.select(Selection::Arm(1));
    wait_for(&mut window, "Shows pruned, seed 1");
    wait_for(&mut window, "fc1, b30");
    assert_eq!(chosen(&window, "campaign"), None, "there is one");
    window.select(Selection::Arm(2));
    wait_for(&mut window, "Shows 2 arms, seed 1");
    window.harness.run_steps(2);
    assert_eq!(chosen(&window, "show").as_deref(), Some("2 arms (have single faults)"));
    window.select(Selection::Arm(0));
    show(&mut window, "campaigns");
    window.harness.get_by_role_and_label(Role::ComboBox, "campaign").click();
    window.harness.run_steps(4);
    assert!(window.sees("dense · bits of fc2"));
}

#[test]
fn masked_images_are_hidden_at_first_and_the_axis_fits_what_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_other_stages(folder.path());
    window.select(Selection::Arm(0));
    show(&mut window, "outcomes-bit");
    wait_for(&mut window, "Shows dense, seed 1");
    let shown = |window: &mut Window| {
        window.harness.run_steps(4);
        let plot = &mut window.harness.state_mut().workspace.plot;
        plot.choose("outcomes-bit");
        let figure = plot.shown_figure().unwrap();
        let names: Vec<String> = figure.bars.iter().map(|bars| bars.name.clone()).collect();
        (names, figure::ranges::ranges(&figure, figure::scene::Intervals::None)[1])
    };
    let (names, [low, high]) = shown(&mut window);
    assert_eq!(names, ["SDC-5", "SDC-1 only", "DUE", "benign"]);
    assert!(low == 0.0 && (0.8..0.9).contains(&high), "8 of 10 images: {low}..{high}");
    window.harness.get_by_role_and_label(Role::CheckBox, "SDC-5").click();
    let (_, [_, without]) = shown(&mut window);
    assert!(without < 0.5, "{without}");
    window.harness.get_by_role_and_label(Role::CheckBox, "masked").click();
    assert!(shown(&mut window).0.contains(&"masked".to_owned()));
    let mut kept = results::view::ViewSettings::default();
    window.harness.state().workspace.plot.give(&mut kept);
    assert_eq!(kept.plots["outcomes-bit"].hidden.iter().collect::<Vec<_>>(), ["SDC-5"]);
    assert!(!kept.plots.contains_key("outcomes-layer"), "nobody has changed it");
}
