use std::path::Path;

use super::*;
use crate::Line;
use crate::plots::testing::{at, record};
use crate::plots::find;
use doc::{file::parse, runs};

fn listed() -> Vec<Run> {
    let text = "(sweep: { \"train.batch\": [128, 16] }, seeds: [1, 2], arms: [(name: \"a\", plan: [Test]), (name: \"b\", plan: [Train(\"1ep\")])])";
    runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap()
}

#[test]
fn values_of_a_setting_make_lines_in_their_order() {
    let runs = listed();
    let lines = groups(runs.iter().map(|run| (run, 7)), "train.batch");
    assert_eq!(lines[&runs[0].id], ("batch 128".to_owned(), 1));
    assert_eq!(lines[&runs[2].id], ("batch 16".to_owned(), 0));
    let record = record([at("test_accuracy", 1.0, 0.5)]);
    let rows: Vec<Row> = runs.iter().map(|run| Row::of(run, Some(&record), "done", 0)).collect();
    let drawn = runs.iter().zip(&rows).map(|(run, row)| {
        let (line, colour) = lines[&run.id].clone();
        Drawn { line, colour, seed: run.seed, record: Some(&record), row }
    });
    let drawn = lines_of(drawn, true);
    let shown: Vec<_> = drawn.iter().map(|line| (line.name.as_str(), line.colour, line.runs.len())).collect();
    assert_eq!(shown, [("batch 16", 0, 4), ("batch 128", 1, 4)]);
}

#[test]
fn runs_that_the_filter_leaves_out_are_counted_in_their_lines() {
    let runs = listed();
    let records: BTreeMap<String, RunRecord> = runs
        .iter()
        .map(|run| (run.id.clone(), record([at("test_accuracy", 1.0, 0.25 * run.seed as f64)])))
        .collect();
    let of = |filter: &str| {
        let mut view = ViewSettings { filter: filter.to_owned(), ..ViewSettings::default() };
        let figure = exported(find("accuracy").unwrap(), &mut view, &runs, &records, |_| true);
        let texts: Vec<String> = figure.lines.iter().map(Line::seeds_text).collect();
        (figure.lines[0].points.clone(), texts, figure.note.rest)
    };
    let (points, texts, _) = of("");
    assert_eq!((points, texts.concat()), (vec![[1.0, 0.375]], String::new()));
    let (points, texts, rest) = of("last > 0.3");
    assert_eq!(points, [[1.0, 0.5]]);
    assert!(texts.len() == 4 && texts.iter().all(|text| text == "1 of 2"), "{texts:?}");
    assert_eq!(rest, "filter: last > 0.3 (4 of 8 runs)");
}

#[test]
fn axes_and_titles_are_those_that_were_chosen_and_hidden_lines_are_not_seen() {
    let points = (1..=3).map(|epoch| at("test_accuracy", f64::from(epoch), 0.25 * f64::from(epoch)));
    let record = record(points);
    let arms = ["a", "b"].map(|name| ArmRuns {
        name: name.to_owned(),
        colour: 0,
        runs: vec![(1, &record)],
        ..ArmRuns::default()
    });
    let options = PlotOptions::default();
    let hidden = BTreeSet::from(["a".to_owned()]);
    let view = PlotView {
        y_title: "Hits".to_owned(),
        log_x: Some(true),
        log_y: Some(true),
        hidden,
        x: Some([1.0, 2.0]),
        ..PlotView::default()
    };
    let figure = whole(find("accuracy").unwrap(), &arms, &options, &view, "filter: a (1 of 2 runs)");
    assert!(figure.note.rest.ends_with("filter: a (1 of 2 runs)"), "{:?}", figure.note);
    assert_eq!((figure.x.scale, figure.y.scale), (Scale::Log10, Scale::Log10));
    assert_eq!(figure.y.label(), "Hits (%)");
    assert_eq!(figure.lines.len(), 2);
    let seen = seen(&figure, &view);
    assert_eq!((seen.lines.len(), seen.x.range, seen.y.range), (1, Some([1.0, 2.0]), None));
    assert_eq!(results::view::in_words("test_accuracy"), "Test accuracy");
}
