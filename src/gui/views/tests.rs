use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::*;
use crate::{app, settings};
use doc::file::parse;
use doc::runs;
use figure::export::bytes;
use figure::plots::testing::{outcome, single_faults};
use figure::{FileKind, Options};
use results::{Event, Report, RunRecord};
use run::testing::write_done;

pub(super) struct Shown {
    pub views: Views,
    pub selection: Selection,
    experiment: Experiment,
    pub listed: Vec<Run>,
    is_behind: bool,
    runs: Runs,
    pub results: PathBuf,
    pub open: &'static str,
    compare: Compare,
    set: Option<Set>,
    _folder: tempfile::TempDir,
}

fn shown(record: RunRecord) -> Shown {
    let text = "(data: Iris(), net: Mlp(hidden: [2]), arms: [(name: \"a\", plan: [Test])])";
    let experiment = parse(text, Path::new("x.ron")).unwrap();
    let listed = runs(&experiment).unwrap();
    let folder = tempfile::tempdir().unwrap();
    write_done(folder.path(), &listed[0]);
    let runs = Runs::from_records([(listed[0].id.clone(), record)].into());
    let results = folder.path().to_owned();
    let selection = Selection::Arm(0);
    Shown {
        views: Views::default(),
        selection,
        experiment,
        listed,
        is_behind: false,
        runs,
        results,
        open: "network",
        compare: Compare::default(),
        set: None,
        _folder: folder,
    }
}

impl Shown {
    /// Replaces the record of the run.
    pub fn set_record(&mut self, record: RunRecord) {
        self.runs = Runs::from_records([(self.listed[0].id.clone(), record)].into());
    }
}

pub(super) fn done() -> RunRecord {
    let held = Report {
        kind: "held".to_owned(),
        summary: "all 7 entries".to_owned(),
        passed: Some(true),
        columns: vec!["parameter".to_owned()],
        rows: vec![vec!["fc2.bias".to_owned()]],
        ..Report::default()
    };
    RunRecord::from_events([Event::Report(held), Event::Finished { secs: 1.0 }])
}

pub(super) fn open(view: &'static str, record: RunRecord) -> Harness<'static, Shown> {
    let draw = |ui: &mut Ui, shown: &mut Shown| {
        app::prepare(ui.ctx(), &settings::Settings::default());
        let Shown {
            views, selection, experiment, listed, is_behind, runs, results, open, compare, set, ..
        } = shown;
        let (experiment, is_behind) = (&*experiment, *is_behind);
        let base = results.parent().unwrap();
        let input = ViewInput { selection, experiment, listed, is_behind, runs, results, base };
        let (view, mut shared) = views.get(open, compare).unwrap();
        if let Some(Request::AddStage(wanted)) = view.ui(ui, &input, &mut shared) {
            *set = Some(wanted);
        }
    };
    let mut shown = shown(record);
    shown.open = view;
    Harness::builder().with_size(vec2(900.0, 600.0)).build_ui_state(draw, shown)
}

/// Draws frames until a label is there.
pub(super) fn wait_for(harness: &mut Harness<'_, Shown>, label: &str) {
    wait_until(harness, label, |harness| harness.query_all_by_label(label).next().is_some());
}

/// Draws frames until something is so.
pub(super) fn wait_until(
    harness: &mut Harness<'_, Shown>,
    what: &str,
    is_so: impl Fn(&Harness<'_, Shown>) -> bool,
) {
    let begun = Instant::now();
    while !is_so(harness) {
        assert!(begun.elapsed() < Duration::from_secs(10), "{what} never appeared");
        std::thread::sleep(Duration::from_millis(5));
        harness.step();
    }
}

#[test]
fn the_network_shows_what_is_left_and_the_verdicts() {
    let mut harness = open("network", done());
    wait_for(&mut harness, "a, seed 1, final weights");
    for label in
        ["fc1", "fc2", "83.33 %", "92.86 %", "Pruned or frozen weights: bit-identical ✓", "all 7 entries"]
    {
        assert!(harness.query_all_by_label(label).next().is_some(), "{label}");
    }
    harness.get_by_label("Table: parameter").click();
    wait_for(&mut harness, "fc2.bias");
}

#[test]
fn entries_of_the_table_become_a_stage_that_sets_them() {
    let mut harness = open("weights", done());
    wait_for(&mut harness, "Image of the values");
    assert!(harness.query_by_label("Plot of Entries").is_some());
    for entry in ["3", "1"] {
        harness.get_by_role_and_label(Role::CheckBox, entry).click();
        harness.step();
    }
    harness.step();
    harness.get_by_label("Add to plan").click();
    harness.run_steps(2);
    let expected = Set { parameter: "fc1.weight".to_owned(), indices: vec![1, 3], value: 0.0 };
    assert_eq!(harness.state().set, Some(expected));
}

/// The tile of the weights, below its head, in a window of 1440×900 points.
const TILE: [f32; 2] = [944.0, 440.0];

#[test]
fn histogram_and_image_have_half_of_the_height_or_what_fills_their_width() {
    let mut harness = open("weights", done());
    for [width, height] in [TILE, [824.0, 700.0]] {
        harness.set_size(vec2(width, height));
        wait_for(&mut harness, "Image of the values");
        harness.run_steps(3);
        let histogram = harness.get_by_label("Plot of Entries").rect();
        assert!(histogram.height() >= 0.35 * height, "{histogram} at {height}");
        let image = harness.get_by_label("Image of the values").rect();
        let [entry, rows] = [image.width() / 4.0, image.height() / 2.0];
        assert!(entry == rows && entry.fract() == 0.0 && entry >= 48.0, "{image}: whole, square, large");
        let end = harness.get_by_label("Value").rect();
        assert!(image.bottom() <= height && end.right() <= width, "{image} and {end} in the tile");
    }
}

#[test]
fn the_mask_is_an_image_too() {
    let mut harness = open("weights", done());
    wait_for(&mut harness, "Mask");
    harness.get_by_label("Mask").click();
    harness.step();
    wait_for(&mut harness, "Image of the mask");
}

#[test]
fn histogram_and_image_are_offered_to_every_kind_of_file() {
    let mut harness = open("weights", RunRecord::default());
    harness.step();
    assert!(matches!(harness.state().views.offers("weights"), Offers::Later(_)));
    let mut harness = open("weights", done());
    wait_for(&mut harness, "Image of the values");
    harness.step();
    let figure = harness.state().views.offers("weights").figure().unwrap().figure();
    assert!(!figure.bins.is_empty() && figure.has_data());
    harness.get_by_label("Mask").click();
    harness.step();
    harness.get_by_label("Image of the mask").click();
    harness.run_steps(2);
    let offer = harness.state().views.offers("weights").figure().unwrap();
    assert_eq!((offer.name.as_str(), offer.title.as_str()), ("fc1.weight-mask", "mask of fc1.weight"));
    for kind in FileKind::ALL {
        assert!(bytes(&offer.figure(), kind, &Options::default()).unwrap().len() > 200, "{kind:?}");
    }
    assert!(matches!(harness.state().views.offers("runs"), Offers::Nothing));
}

#[test]
fn a_layer_and_a_bit_are_chosen_without_a_mouse() {
    let record = single_faults(vec![outcome(0, 30, 8), outcome(1, 2, 0)]);
    let mut harness = open("campaigns", record);
    harness.run_steps(4); // a spinner may turn
    let run = harness.state().results.join(&harness.state().listed[0].id);
    let faults = ",,0,,fc1.weight,3,30,3f000000,7f000000\n,,1,,fc2.weight,0,2,0,4\n";
    std::fs::write(run.join("faults.csv"), faults).unwrap();
    std::fs::write(run.join("trials.csv"), ",,0,0,1,10,2,0,8,4,0,0,8,0.2\n,,1,0,1,10,10,0,0,0,0,0,0,1\n")
        .unwrap();
    for (choice, value) in [("layer", "fc2"), ("bit", "b2")] {
        harness.get_by_role_and_label(Role::ComboBox, choice).focus();
        harness.run_steps(4);
        harness.key_press(Key::Enter);
        harness.run_steps(4);
        harness.get_by_role_and_label(Role::Button, value).focus();
        harness.run_steps(4);
        harness.key_press(Key::Enter);
        harness.run_steps(4); // not until it rests: a thread may still read what lies behind
    }
    wait_for(&mut harness, "Show trial 1, seed 1");
    assert!(harness.query_by_label("Show trial 0, seed 1").is_none());
    assert!(
        harness.query_by_label("Clear layer fc2").is_some()
            && harness.query_by_label("Clear bit b2").is_some()
    );
    assert!(
        harness.query_by_label_contains("1 trial: 100.00 % of images masked, 0.00 % with SDC-1").is_some()
    );
    assert!(harness.query_by_label("1 of 2").is_some());
}

#[test]
fn without_a_run_that_is_done_the_view_says_what_to_do() {
    let mut harness = open("weights", RunRecord::default());
    harness.step();
    let why = "No run of the selected arm is done yet. Press Run, or select another arm.";
    assert!(harness.query_by_label(why).is_some());
    harness.state_mut().selection = Selection::Experiment;
    harness.step();
    assert!(harness.query_by_label("Select an arm or a run on the left.").is_some());
}

#[test]
fn before_a_run_the_network_is_shown_as_the_plan_has_it() {
    let mut harness = open("network", RunRecord::default());
    harness.step();
    for label in ["a, initial weights", "Input", "Linear 4→2, ReLU", "Linear 2→3", "fc2", "100.00 %"] {
        assert!(harness.query_all_by_label(label).next().is_some(), "{label}");
    }
}

#[test]
fn layers_that_were_struck_say_how_vulnerable_they_are() {
    let record =
        single_faults(vec![outcome(0, 30, 8), outcome(0, 2, 0), outcome(0, 29, 8), outcome(0, 3, 0)]);
    let mut harness = open("network", record);
    harness.step();
    assert!(harness.query_by_label("40.00 % [10.26, 79.54]").is_some(), "0.4 over four trials");
    harness.set_size(vec2(560.0, 600.0));
    harness.run_steps(2);
    assert!(harness.query_by_label("40.00 %").is_some(), "without room for the interval");
}

/// Numbers that a table cuts off reach into the next column, or out of the view.
fn check_numbers(harness: &Harness<'_, Shown>, width: f32, what: &str) {
    let numbers: Vec<_> = harness
        .root()
        .children_recursive()
        .filter(|node| node.accesskit_node().role() == Role::Label)
        .filter_map(|node| Some((node.accesskit_node().value()?, node.rect())))
        .filter(|(text, _)| text.chars().any(|letter| letter.is_ascii_digit()))
        .collect();
    assert!(numbers.len() > 3, "{what} at {width} has no numbers");
    for (at, (text, rect)) in numbers.iter().enumerate() {
        assert!(rect.left() >= 0.0 && rect.right() <= width + 0.5, "{what} at {width}: {text} at {rect}");
        for (other, beside) in &numbers[..at] {
            let cut = rect.intersect(*beside);
            let is_over = cut.width() > 1.0 && cut.height() > 1.0;
            assert!(!is_over, "{what} at {width}: {text} covers {other}");
        }
    }
}

#[test]
fn no_table_cuts_a_number_however_narrow_it_is() {
    let campaign = || {
        let outcomes = vec![outcome(0, 30, 8), outcome(0, 2, 0), outcome(1, 29, 8), outcome(1, 3, 0)];
        let mut events = vec![Event::Finished { secs: 1.0 }];
        let record = single_faults(outcomes);
        let campaign = record.campaigns()[0].clone();
        events.push(Event::CampaignBegan(campaign.began));
        events.extend(campaign.cells.into_iter().map(Event::CampaignCell));
        RunRecord::from_events(events)
    };
    for (view, ready) in [("network", "fc2"), ("weights", "Image of the values"), ("campaigns", "Conditions")]
    {
        let mut harness = open(view, campaign());
        wait_for(&mut harness, ready);
        if view == "campaigns" {
            harness.get_by_label("Conditions").click();
        }
        for width in [420.0, 520.0, 700.0, 1100.0] {
            harness.set_size(vec2(width, 600.0));
            harness.run_steps(6);
            check_numbers(&harness, width, view);
        }
    }
}

#[test]
fn an_edit_of_the_plan_takes_nothing_from_the_screen() {
    let mut harness = open("network", done());
    wait_for(&mut harness, "a, seed 1, final weights");
    harness.state_mut().listed[0].id = "another".to_owned();
    harness.step();
    assert!(harness.query_by_label("a, seed 1, final weights · outdated").is_some());
}

#[test]
fn tickets_show_where_a_training_should_have_stopped() {
    let point = |series: &str, value: f64, iteration: u64| {
        let line = format!(
            r#"{{"event":"point","series":"{series}","value":{value},"stage":"3.1","round":2,"epoch":1.0,"iteration":{iteration},"trained":1.0,"remaining":0.5,"secs":0.5}}"#
        );
        serde_json::from_str::<Event>(&line).unwrap()
    };
    let events = [
        point("train_loss", 0.5, 100),
        point("validation_loss", 0.25, 100),
        point("validation_loss", 0.5, 200),
        Event::Finished { secs: 1.0 },
    ];
    let mut harness = open("tickets", RunRecord::from_events(events));
    harness.step();
    assert!(harness.query_by_label("Masks can be compared when two seeds of an arm are done.").is_some());
    assert!(matches!(harness.state().views.offers("tickets"), Offers::Later(_)));
    harness.get_by_label("Early stops").click();
    harness.run_steps(4);
    for label in ["Stage 4.2, round 2", "100", "Plot of Early-stop iteration"] {
        assert!(harness.query_all_by_label(label).next().is_some(), "{label}");
    }
    harness.set_size(vec2(TILE[0], TILE[1]));
    harness.run_steps(3);
    let plot = harness.get_by_label("Plot of Early-stop iteration").rect();
    assert!(plot.height() >= 0.6 * TILE[1], "{plot}");
    assert!(
        harness.get_by_label("Stage 4.2, round 2").rect().left() > plot.right(),
        "the table is beside it"
    );
    let offer = harness.state().views.offers("tickets").figure().unwrap();
    assert_eq!(
        (offer.name.as_str(), offer.figure().y.title.as_str()),
        ("early-stops", "Early-stop iteration")
    );
}

#[test]
fn every_view_has_a_name_of_its_own_and_explains_itself() {
    for (position, entry) in ALL.iter().enumerate() {
        assert_eq!(find(entry.name).map(|found| found.title), Some(entry.title));
        assert!(ALL[..position].iter().all(|other| other.name != entry.name && other.title != entry.title));
        assert!(figure::plots::find(entry.name).is_none(), "{} is a plot", entry.name);
    }
    assert!(find("nothing").is_none());
}

#[test]
fn every_view_can_be_drawn_without_a_run_and_with_one() {
    for entry in ALL {
        for record in [RunRecord::default(), done()] {
            let mut harness = open(entry.name, record);
            harness.run_steps(3);
            assert!(harness.root().children_recursive().count() > 2, "{} shows nothing", entry.name);
        }
    }
}
