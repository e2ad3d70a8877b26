use super::*;
use crate::doc::{file::parse, runs};
use crate::figure::plots::testing::{at, record};
use crate::figure::plots::{find, in_words};

fn listed() -> Vec<Run> {
    let text = "(sweep: { \"train.batch\": [128, 16] }, seeds: [1, 2], arms: [(name: \"a\", plan: [Test]), (name: \"b\", plan: [Train(\"1ep\")])])";
    runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap()
}

#[test]
fn what_is_kept_is_read_again_and_nothing_is_the_default() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(ViewSettings::read(folder.path()), Ok(ViewSettings::default()));
    let mut view = ViewSettings {
        filter: "state:done".to_owned(),
        group: Some("train.batch".to_owned()),
        ..ViewSettings::default()
    };
    view.colours.assign(["a", "b"]);
    view.plots.insert(
        "loss".to_owned(),
        PlotView { title: "T".to_owned(), x: Some([0.1, 1e-300]), ..PlotView::default() },
    );
    view.marks
        .insert("arm:a".to_owned(), Mark { starred: true, tags: vec!["x".to_owned()], note: "n".to_owned() });
    std::fs::write(folder.path().join(FILE), view.to_text()).unwrap();
    assert_eq!(ViewSettings::read(folder.path()), Ok(view.clone()));
    assert_eq!(view.mark("id", "a").tags, ["x"]);
    std::fs::write(folder.path().join(FILE), "(filter: 3").unwrap();
    assert!(ViewSettings::read(folder.path()).unwrap_err().contains("damaged"));
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
        Drawn { line, colour, seed: run.seed, record: &record, row }
    });
    let drawn = lines_of(drawn, true);
    let told: Vec<_> = drawn.iter().map(|line| (line.name.as_str(), line.colour, line.runs.len())).collect();
    assert_eq!(told, [("batch 16", 0, 4), ("batch 128", 1, 4)]);
}

#[test]
fn plans_make_lines_that_are_called_after_their_arms_and_look_like_them() {
    let arm = |name: &str, epochs: u32| format!("(name: \"{name}\", plan: [Train(\"{epochs}ep\"), Test])");
    let text = format!("(seeds: [1], arms: [{}, {}, {}])", arm("a", 1), arm("b", 2), arm("c", 1));
    let runs = crate::doc::runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
    let lines = groups(runs.iter().zip([4, 0, 2]), "plan");
    let told: Vec<_> = runs.iter().map(|run| lines[&run.id].clone()).collect();
    assert_eq!(told[..2], [("a and c".to_owned(), 4), ("b".to_owned(), 0)]);
    assert_eq!(told[2], told[0]);
}

#[test]
fn the_filter_leaves_runs_out_and_an_unfinished_one_leaves_out_none() {
    let runs = listed();
    let mut rows: Vec<Row> = runs.iter().map(|run| Row::of(run, None, "done", 0)).collect();
    let settings = Differing::default().give(&mut rows, &runs.iter().collect::<Vec<_>>()).to_vec();
    let view = |filter: &str| ViewSettings { filter: filter.to_owned(), ..ViewSettings::default() };
    assert_eq!(view("batch = 16").left_out(&rows, &settings).len(), 4);
    assert_eq!(view("batch <").left_out(&rows, &settings).len(), 0);
    let row = |run: &str| Row { run: run.to_owned(), ..Row::default() };
    let rows = ["a", "b", "c", "b"].map(row);
    let note = |filter: &str, left_out: &[&str]| {
        view(filter).filter_note(&rows, &left_out.iter().map(|run| (*run).to_owned()).collect())
    };
    let told = "filter: batch = 16 (2 of 4 runs)";
    assert_eq!(note(" batch = 16 ", &["b"]), told, "two arms share one of the runs");
    assert_eq!(note("state:done", &[]), "", "nothing is missing");
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
    assert!(figure.note.ends_with("filter: a (1 of 2 runs)"), "{}", figure.note);
    assert_eq!((figure.x.scale, figure.y.scale), (Scale::Log10, Scale::Log10));
    assert_eq!(figure.y.label(), "Hits (%)");
    assert_eq!(figure.lines.len(), 2);
    let seen = seen(&figure, &view);
    assert_eq!((seen.lines.len(), seen.x.range, seen.y.range), (1, Some([1.0, 2.0]), None));
    assert_eq!(in_words("test_accuracy"), "Test accuracy");
}
