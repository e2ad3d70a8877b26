use std::path::Path;

use super::*;
use crate::plots::find;
use crate::plots::testing::{at, record, rows as shared};
use crate::view::{Drawn, lines_of, whole};
use doc::file::parse;
use doc::{Run, runs};
use results::RunRecord;
use results::colours::Colours;
use results::table::Differing;
use results::view::{PlotOptions, PlotView};

const SWEPT: &str =
    "(sweep: { \"train.batch\": [128, 16], \"train.optimizer.rate\": [0.1, 1e-2] }, seeds: [1, 2],
    arms: [(name: \"a\", plan: [Test]), (name: \"b\", plan: [Train(\"1ep\")])])";

/// The figure of all runs of a document; an arm, a batch size and a rate each add to the accuracy.
fn figure(text: &str, by: &[Column]) -> Figure {
    let runs = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
    let rate = |run: &Run| if run.arm.contains("0.1") { 0.1 } else { 0.0 };
    let value = |run: &Run| 0.2 * run.arm_index as f64 + run.spec.train.batch as f64 / 1000.0 + rate(run);
    let records: Vec<RunRecord> = runs
        .iter()
        .map(|run| {
            record((1..=2).map(|epoch| at("test_accuracy", f64::from(epoch), value(run) / f64::from(epoch))))
        })
        .collect();
    let mut arms: Vec<(usize, &str)> = runs.iter().map(|run| (run.arm_index, run.arm.as_str())).collect();
    arms.dedup();
    let colours = Colours::default().assign_swept(&arms);
    let colour =
        |run: &Run| colours[arms.iter().position(|arm| *arm == (run.arm_index, run.arm.as_str())).unwrap()];
    let mut rows: Vec<Row> = runs
        .iter()
        .zip(&records)
        .map(|(run, record)| Row::new(run, Some(record), "done", colour(run)))
        .collect();
    Differing::default().give(&mut rows, &runs.iter().collect::<Vec<_>>());
    let drawn = runs.iter().zip(&records).zip(&rows).map(|((run, record), row)| Drawn {
        line: run.arm.clone(),
        colour: colour(run),
        seed: run.seed,
        record: Some(record),
        row,
    });
    let arms = lines_of(drawn, false);
    let facets = FacetSettings { by: by.to_vec(), ..FacetSettings::default() };
    let view = PlotView { facets, ..PlotView::default() };
    whole(find("accuracy").unwrap(), &arms, &PlotOptions::default(), &view, "")
}

fn setting(path: &str) -> Column {
    Column::Setting(path.to_owned())
}

fn names(figure: &Figure) -> Vec<&str> {
    figure.lines.iter().map(|line| line.name.as_str()).collect()
}

#[test]
fn values_are_in_order_and_leave_the_names_of_lines_which_look_alike_in_all_panels() {
    let figure = figure(SWEPT, &[setting("train.batch")]);
    let facets = figure.facets.as_ref().unwrap();
    let heads: Vec<String> = facets.columns.iter().map(Head::text).collect();
    assert_eq!(heads, ["batch size 16", "batch size 128"], "numbers by size");
    assert_eq!(facets.keys, ["train.batch"]);
    let lines = ["a, rate 0.1", "a, rate 1e-2", "b, rate 0.1", "b, rate 1e-2"];
    assert_eq!(names(&figure), lines);
    for panel in &facets.panels {
        assert_eq!(names(&panel.figure), lines);
        for (line, own) in panel.figure.lines.iter().zip(&figure.lines) {
            assert_eq!(line.style, own.style, "{}", line.name);
        }
        assert!(panel.figure.note == Note::default() && panel.figure.has_data());
    }
    assert_eq!(facets.panels[0].values, ["16"]);
    let first = |panel: usize| facets.panels[panel].figure.lines[1].points[0][1];
    assert!(
        (first(0) - 0.016).abs() < 1e-12 && (first(1) - 0.128).abs() < 1e-12,
        "the runs of this value alone"
    );
    assert!(figure.note.what.contains("2 seeds"), "{:?}", figure.note);
    assert!(figure.lines.iter().all(|line| line.points.is_empty()), "the whole has the legend alone");
}

#[test]
fn two_settings_make_columns_and_rows_and_leave_an_arm_its_style() {
    let figure = figure(SWEPT, &[setting("train.optimizer.rate"), setting("train.batch")]);
    let facets = figure.facets.as_ref().unwrap();
    assert_eq!(names(&figure), ["a", "b"]);
    assert_eq!(figure.lines.iter().map(|line| line.style.colour).collect::<Vec<_>>(), [0, 1]);
    let places: Vec<_> = facets.panels.iter().map(|panel| panel.place).collect();
    assert_eq!(places, [[0, 0], [0, 1], [1, 0], [1, 1]]);
    assert_eq!(facets.title(&facets.panels[1]), "learning rate 0.1, batch size 16");
    assert_eq!(facets.panels[1].values, ["0.1", "16"]);
}

#[test]
fn arms_and_seeds_have_panels_too() {
    let by_arm = figure(SWEPT, &[Column::Arm]);
    let facets = by_arm.facets.as_ref().unwrap();
    assert_eq!(facets.columns.iter().map(Head::text).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(facets.panels[1].figure.lines.len(), 4);
    let by_seed = figure(SWEPT, &[Column::Seed]);
    let facets = by_seed.facets.as_ref().unwrap();
    assert_eq!(facets.columns.iter().map(Head::text).collect::<Vec<_>>(), ["seed 1", "seed 2"]);
    assert_eq!(by_seed.lines.len(), 8);
}

#[test]
fn a_setting_that_no_run_has_makes_no_panels() {
    assert_eq!(figure(SWEPT, &[setting("no.such")]), figure(SWEPT, &[]));
}

#[test]
fn too_many_values_are_refused_with_their_number() {
    let values: Vec<String> = (1..=25).map(|batch| batch.to_string()).collect();
    let text = format!("(sweep: {{ \"train.batch\": [{}] }}, arms: [(plan: [Test])])", values.join(", "));
    let refused = figure(&text, &[setting("train.batch")]);
    assert_eq!(
        refused.refusal(),
        Some("There are 25 values of \"batch size\", and a figure has panels for up to 24")
    );
    assert!(!refused.has_data());
    let text = text.replace(", 23, 24, 25]", "]").replace("(sweep", "(seeds: [1, 2, 3], sweep");
    let refused = figure(&text, &[setting("train.batch"), Column::Seed]);
    assert_eq!(refused.refusal(), Some("These settings make 66 panels, and a figure has up to 48"));
}

#[test]
fn the_settings_in_which_runs_differ_can_be_chosen() {
    let row = |arm: usize, batch: &str| Row {
        arm_index: arm,
        settings: std::sync::Arc::new(
            [("train.batch".to_owned(), batch.to_owned()), ("plan".to_owned(), arm.to_string())].into(),
        ),
        ..Row::default()
    };
    let rows = [row(0, "8"), row(1, "16")];
    let of = |rows: &[Row]| {
        let arm = ArmRuns { rows: shared(rows), ..ArmRuns::default() };
        choices(&[arm]).into_iter().map(|(column, _)| column)
    };
    let found: Vec<Column> = of(&rows).collect();
    assert_eq!(found, [setting("train.batch"), Column::Arm]);
    assert_eq!(of(&rows[..1]).count(), 0);
    assert!(choices(&[]).is_empty());
}

#[test]
fn runs_that_have_not_begun_count_in_their_panel_and_unknown_settings_have_none() {
    let record = record([at("test_accuracy", 1.0, 0.5)]);
    let row = |seed: u64, batch: &str| Row {
        seed,
        settings: Arc::new([("train.batch".to_owned(), batch.to_owned())].into()),
        ..Row::default()
    };
    let rows = [row(1, "8"), row(2, "8"), row(3, "16"), Row { seed: 4, ..Row::default() }];
    let arms = [ArmRuns {
        runs: [1, 3, 4].map(|seed| (seed, record.clone())).to_vec(),
        rows: shared([&rows[0], &rows[2], &rows[3]]),
        waiting: shared([&rows[1]]),
        ..ArmRuns::default()
    }];
    let by = |column: Column| {
        let facets = FacetSettings { by: vec![column], ..FacetSettings::default() };
        let view = PlotView { facets, ..PlotView::default() };
        whole(find("accuracy").unwrap(), &arms, &PlotOptions::default(), &view, "").facets.unwrap()
    };
    let by_batch = by(setting("train.batch"));
    assert_eq!(by_batch.columns.iter().map(|head| head.value.as_str()).collect::<Vec<_>>(), ["8", "16"]);
    let planned = |facets: &Facets| -> Vec<Option<usize>> {
        let line = |panel: &Panel| panel.figure.lines[0].seeds.map(|seeds| seeds.planned);
        facets.panels.iter().map(line).collect()
    };
    assert_eq!(planned(&by_batch), [Some(2), None], "one of two has begun");
    assert_eq!(planned(&by(Column::Seed)), [None; 3], "the seed of a panel is its only one");
}

#[test]
fn panels_with_different_intervals_name_each() {
    let note =
        |interval: &str| Note { what: interval.to_owned(), interval: interval.to_owned(), ..Note::default() };
    let figure = |interval: &str| Figure {
        lines: vec![Line::new("a", crate::style_of(0), vec![[1.0, 1.0]])],
        note: note(interval),
        ..Figure::default()
    };
    let panels = (0..3).map(|at| Panel { place: [0, at], values: Vec::new(), figure: Arc::default() });
    let columns = ["1", "2", "3"].map(|value| Head { label: "seed".to_owned(), value: value.to_owned() });
    let facets = Facets { panels: panels.collect(), columns: columns.to_vec(), ..Facets::default() };
    let found = super::note(&facets, &[figure("95 % CI"), figure("min to max"), figure("")]);
    assert_eq!(found.interval, "95 % CI or min to max");
}

#[test]
fn lines_by_round_have_one_name_and_one_style_in_all_panels() {
    let lottery = |rate: f64, trainings: i32| {
        let point = |series: &str, nth: i32| results::Point {
            remaining: (1.0 - rate).powi(nth),
            stage: nth.to_string(),
            ..at(series, f64::from(1 + nth), 0.5)
        };
        record((0..trainings).flat_map(|nth| [point("train_loss", nth), point("test_accuracy", nth)]))
    };
    let records = [lottery(0.2, 3), lottery(0.5, 3), lottery(0.2, 2)];
    let row = |arm: usize| Row { arm: ["a", "b"][arm].to_owned(), arm_index: arm, ..Row::default() };
    let rows = [row(0), row(1), Row { seed: 2, ..row(0) }];
    let arm = |arm: usize, runs: &[usize]| ArmRuns {
        name: rows[runs[0]].arm.clone(),
        colour: arm,
        runs: runs.iter().map(|run| (rows[*run].seed, records[*run].clone())).collect(),
        rows: shared(runs.iter().map(|run| &rows[*run])),
        ..ArmRuns::default()
    };
    let of = |arms: &[ArmRuns], by: Column| {
        let facets = FacetSettings { by: vec![by], ..FacetSettings::default() };
        let view = PlotView { facets, ..PlotView::default() };
        whole(find("rounds").unwrap(), arms, &PlotOptions::default(), &view, "")
    };
    let by_arm = of(&[arm(0, &[0]), arm(1, &[1])], Column::Arm);
    assert_eq!(names(&by_arm), ["a, 100 %", "a, 80.0 %", "a, 64.0 %", "b, 100 %", "b, 50.0 %", "b, 25.0 %"]);
    assert_eq!(by_arm.lines[3].style.colour, 1);
    let levels: Vec<_> = by_arm.levels.iter().map(|level| level.remaining).collect();
    assert_eq!(levels, [Some(1.0), None, None]);
    let by_seed = of(&[arm(0, &[0, 2])], Column::Seed);
    assert_eq!(names(&by_seed), ["100 %", "80.0 %", "64.0 %"], "of one arm, in panels of three and two");
    assert_eq!(by_seed.levels.len(), 3);
}
