use std::sync::Arc;

use super::super::testing::{arm, at, record, rows as shared};
use super::*;
use crate::axis::Scale;
use crate::csv::csv;
use results::metric::MetricAxes;
use results::statistics::{Band, Spread, student_t95};
use results::table::columns::At;

/// A run of a swept arm: its arm, rate, batch size and seed, and its last accuracy.
fn row(arm: (usize, &str), rate: &str, batch: &str, seed: u64, last: f64) -> Row {
    let settings = [("plan", arm.1), ("train.batch", batch), ("train.optimizer.rate", rate)];
    let settings = settings.map(|(path, value)| (path.to_owned(), value.to_owned())).into();
    Row {
        run: format!("{} {rate} {batch} {seed}", arm.1),
        arm: format!("{}, rate {rate}, batch {batch}", arm.1),
        arm_index: arm.0,
        seed,
        last: Some(last),
        secs: 100.0 * last,
        settings: Arc::new(settings),
        ..Row::default()
    }
}

/// An arm for each combination of swept values, as the window and the command line make them.
fn arms(rows: &[Row], record: &RunRecord) -> Vec<ArmRuns> {
    let mut arms: Vec<ArmRuns> = Vec::new();
    for row in rows {
        if arms.last().is_none_or(|arm| arm.name != row.arm) {
            arms.push(ArmRuns { name: row.arm.clone(), colour: row.arm_index, ..ArmRuns::default() });
        }
        let arm = arms.last_mut().unwrap();
        arm.runs.push((row.seed, record.clone()));
        arm.rows.push(Arc::new(row.clone()));
    }
    arms
}

fn setting(path: &str) -> Column {
    Column::Setting(path.to_owned())
}

fn over(x: Option<Column>, y: Option<Column>) -> PlotOptions {
    PlotOptions { metric: MetricAxes { x, y }, ..PlotOptions::default() }
}

const A: (usize, &str) = (0, "a");
const B: (usize, &str) = (1, "b");

#[test]
fn a_line_joins_what_differs_in_x_and_seed_alone_with_mean_interval_and_ring() {
    let rows = [
        row(A, "0.001", "8", 1, 0.25),
        row(A, "0.001", "8", 2, 0.5),
        row(A, "0.1", "8", 1, 0.5),
        row(A, "0.1", "8", 2, 1.0),
        row(B, "0.1", "8", 1, 0.125),
    ];
    let run = RunRecord::default();
    let figure = build(&arms(&rows, &run), &over(None, None));
    let [a, b] = figure.lines.as_slice() else { panic!("two arms: {:?}", figure.lines) };
    assert_eq!((a.name.as_str(), a.points.as_slice()), ("a", &[[0.001, 0.375], [0.1, 0.75]][..]));
    assert_eq!((a.counts.as_slice(), a.best, a.style.shade), (&[2, 2][..], Some(1), None));
    // The deviation of 0.25 and 0.5 is 0.125·√2, so the standard error is 0.125.
    let half = student_t95(1) * 0.125;
    let Band { x, low, high } = a.band[0];
    assert!((x - 0.001).abs() < 1e-12 && (low - 0.375 + half).abs() < 1e-9, "{low}");
    assert!((high - 0.375 - half).abs() < 1e-9);
    assert_eq!((b.name.as_str(), b.points.as_slice(), b.best), ("b", &[[0.1, 0.125]][..], None));
    assert_eq!((figure.x.title.as_str(), figure.x.scale), ("Rate", Scale::Log10));
    assert_eq!(figure.y.label(), "Test accuracy (%)");
    assert_eq!(figure.note.text("bars"), "mean over 1 to 2 seeds, bars: 95 % CI, ring: the best mean");
    assert_eq!(a.traces.len(), 4, "a dot for each seed");
}

#[test]
fn unfinished_runs_are_dots_beside_the_mean_and_have_no_ring() {
    let rows = [
        row(A, "1", "8", 1, 0.5),
        row(A, "1", "8", 2, 0.0),
        row(A, "2", "8", 1, 0.25),
        row(A, "3", "8", 1, 1.0),
    ];
    let (done, mut going) = (RunRecord::default(), RunRecord::default());
    going.apply(results::Event::Started { resumed: false, threads: 1 });
    let of = |records: [&RunRecord; 4]| {
        let arm = |(row, record): (&Row, &RunRecord)| ArmRuns {
            runs: vec![(row.seed, record.clone())],
            rows: shared([row]),
            ..arm(&row.arm, 0, [])
        };
        build(&rows.iter().zip(records).map(arm).collect::<Vec<_>>(), &over(None, None))
    };
    let figure = of([&done, &going, &done, &going]);
    let line = &figure.lines[0];
    assert_eq!((line.points.as_slice(), line.best), (&[[1.0, 0.5], [2.0, 0.25]][..], Some(0)));
    assert_eq!(line.traces.iter().map(|dot| dot.points[0]).collect::<Vec<_>>(), [[1.0, 0.0], [3.0, 1.0]]);
    assert_eq!(line.seeds.map(|seeds| seeds.running), Some(2));
    assert_eq!(figure.note.rest, "hollow: unfinished seeds, ring: the best mean");
    assert!(of([&going; 4]).note.rest.starts_with("all seeds unfinished"));
}

#[test]
fn arms_that_differ_in_x_alone_are_one_line_and_a_run_that_they_share_counts_once() {
    let mut rows = [row(A, "1", "8", 1, 0.5), row(B, "2", "8", 1, 0.75), row(B, "2", "8", 1, 0.75)];
    for (row, name) in rows.iter_mut().zip(["slow", "fast", "again"]) {
        row.arm = name.to_owned();
        Arc::make_mut(&mut row.settings).insert("plan".to_owned(), "same".to_owned());
    }
    rows[2].arm_index = 2;
    let run = RunRecord::default();
    let figure = build(&arms(&rows, &run), &over(None, None));
    let [line] = figure.lines.as_slice() else { panic!("one line") };
    assert_eq!((line.name.as_str(), line.counts.as_slice()), ("slow, fast and again", &[1, 1][..]));
}

#[test]
fn another_swept_setting_makes_shades_in_the_order_of_its_values() {
    let rows: Vec<Row> = [("1", "16", 0.5), ("1", "8", 0.25), ("2", "16", 0.75), ("2", "8", 0.5)]
        .map(|(rate, batch, last)| row(A, rate, batch, 1, last))
        .into();
    let run = RunRecord::default();
    let shown = |x: &str| -> Vec<(String, Vec<[f64; 2]>, Option<u8>)> {
        let figure = build(&arms(&rows, &run), &over(Some(setting(x)), None));
        figure.lines.into_iter().map(|line| (line.name, line.points, line.style.shade)).collect()
    };
    let line = |name: &str, points: [[f64; 2]; 2], shade: u8| (name.to_owned(), points.to_vec(), Some(shade));
    assert_eq!(
        shown("train.optimizer.rate"),
        [
            line("a, batch 16", [[1.0, 0.5], [2.0, 0.75]], 100),
            line("a, batch 8", [[1.0, 0.25], [2.0, 0.5]], 0)
        ]
    );
    assert_eq!(
        shown("train.batch"),
        [
            line("a, rate 1", [[8.0, 0.25], [16.0, 0.5]], 0),
            line("a, rate 2", [[8.0, 0.5], [16.0, 0.75]], 100)
        ]
    );
}

#[test]
fn seeds_are_dots_and_the_csv_has_means_intervals_and_runs() {
    let rows = [row(A, "1", "8", 1, 0.25), row(A, "1", "8", 2, 0.75), row(A, "2", "8", 1, 0.5)];
    let run = RunRecord::default();
    let options = PlotOptions { band: Spread::MinMax, ..over(None, None) };
    let figure = build(&arms(&rows, &run), &options);
    assert_eq!(
        csv(&figure),
        "kind,series,run,x,y,low,high\n\
         line,a,,1,0.5,0.25,0.75\n\
         line,a,,2,0.5,,\n\
         trace,a,seed 1,1,0.25,,\n\
         trace,a,seed 2,1,0.75,,\n"
    );
    assert_eq!(figure.lines[0].best, Some(0), "the first of equals");
}

#[test]
fn a_loss_is_best_at_its_lowest_and_is_read_without_a_column_of_the_table() {
    let rows = [row(A, "1", "8", 1, 0.5), row(A, "2", "8", 1, 0.5)];
    let records = [[4.0, 2.0], [3.0, 1.0]]
        .map(|[first, last]| record([at("train_loss", 1.0, first), at("train_loss", 2.0, last)]));
    let arm =
        |(row, record): (&Row, &RunRecord)| ArmRuns { rows: shared([row]), ..arm(&row.arm, 0, [record]) };
    let arms: Vec<ArmRuns> = rows.iter().zip(&records).map(arm).collect();
    let y = Column::Series { series: "train_loss".to_owned(), at: At::Last };
    let figure = build(&arms, &over(None, Some(y)));
    assert_eq!(
        (figure.lines[0].points.as_slice(), figure.lines[0].best),
        (&[[1.0, 2.0], [2.0, 1.0]][..], Some(1))
    );
    assert_eq!(figure.y.label(), "Train loss, last");
}

#[test]
fn words_are_names_beside_each_other() {
    let rows = [row(A, "1", "8", 1, 0.5), row(A, "2ep", "8", 1, 0.25), row(B, "1", "8", 1, 0.75)];
    let run = RunRecord::default();
    let figure = build(&arms(&rows, &run), &over(Some(setting("train.optimizer.rate")), None));
    let names: Vec<&str> = figure.x.categories.iter().map(|name| name.name.as_str()).collect();
    assert_eq!(names, ["1", "2ep"]);
    let [a, b] = figure.lines.as_slice() else { panic!("two lines") };
    assert!(a.points[0][0] < 0.0 && b.points[0][0] > 0.0, "side by side");
    assert!(figure.is_of_marks());
}

#[test]
fn over_a_result_each_run_is_a_mark_of_its_arm() {
    let rows = [row(A, "1", "8", 1, 0.5), row(A, "2", "8", 2, 0.25), row(B, "1", "8", 1, 1.0)];
    let run = RunRecord::default();
    let figure = build(&arms(&rows, &run), &over(Some(Column::Duration), None));
    let [a, b] = figure.lines.as_slice() else { panic!("two arms") };
    assert_eq!(a.points, [[25.0, 0.25], [50.0, 0.5]]);
    let names = ["a, rate 2, batch 8, seed 2", "a, rate 1, batch 8, seed 1"].map(str::to_owned);
    assert_eq!((a.name.as_str(), a.names.as_slice(), a.style.shade), ("a", &names[..], None));
    assert_eq!((b.names.as_slice(), b.style.colour), (&["seed 1".to_owned()][..], 1));
    assert_eq!((figure.x.label().as_str(), figure.x.scale, a.best), ("Time (s)", Scale::Linear, None));
    assert!(csv(&figure).contains("\nline,a,\"a, rate 2, batch 8, seed 2\",25,0.25,,\n"));
}

#[test]
fn lines_of_a_chosen_setting_stay_unless_it_is_along_x() {
    let rows = [
        row(A, "1", "8", 1, 0.5),
        row(A, "2", "8", 1, 0.75),
        row(B, "1", "8", 1, 1.0),
        row(A, "1", "16", 1, 0.25),
    ];
    let run = RunRecord::default();
    let pooled = |name: &str, colour: usize, rows: &[Row]| ArmRuns {
        runs: rows.iter().map(|row| (row.seed, run.clone())).collect(),
        rows: shared(rows),
        ..arm(name, colour, [])
    };
    let by_batch = [pooled("batch 8", 0, &rows[..3]), pooled("batch 16", 1, &rows[3..])];
    let names = |x: &str| -> Vec<String> {
        build(&by_batch, &over(Some(setting(x)), None)).lines.into_iter().map(|line| line.name).collect()
    };
    let figure = build(&by_batch, &over(Some(setting("train.optimizer.rate")), None));
    assert_eq!(figure.lines[0].points, [[1.0, 0.75], [2.0, 0.75]], "the mean over both arms");
    assert!(figure.note.what.starts_with("mean over 1 to 2 runs (1 to 2 arms pooled"), "{:?}", figure.note);
    assert_eq!(names("train.optimizer.rate"), ["batch 8", "batch 16"]);
    assert_eq!(names("train.batch"), ["a, rate 1", "a, rate 2", "b, rate 1"]);
}

#[test]
fn why_nothing_is_drawn_is_said() {
    let run = RunRecord::default();
    let rows = [row(A, "1", "8", 1, 0.5), row(A, "2", "8", 1, 0.5)];
    let lacks = |rows: &[Row], options: &PlotOptions| build(&arms(rows, &run), options).lacks;
    assert_eq!(lacks(&rows[..1], &over(None, None)), "No setting differs between these runs");
    assert_eq!(
        lacks(&rows, &over(None, Some(Column::Best))),
        "No run has a value of \u{201c}Best accuracy\u{201d}"
    );
    assert_eq!(
        lacks(&rows, &over(Some(setting("net.depth")), None)),
        "No run has a value of \u{201c}Depth\u{201d}"
    );
    assert_eq!(lacks(&[], &over(None, None)), "", "results are still missing");
    assert_eq!(lacks(&rows, &over(None, None)), "");
}

#[test]
fn runs_without_a_value_are_counted_and_runs_of_earlier_settings_are_no_part_of_it() {
    let mut rows = vec![row(A, "1", "8", 1, 0.5), row(A, "2", "8", 1, 0.5), row(A, "2", "8", 2, 0.5)];
    rows[2].last = None;
    rows.push(Row { arm: "old".to_owned(), ..Row::default() });
    let run = RunRecord::default();
    let figure = build(&arms(&rows, &run), &over(None, None));
    assert_eq!(figure.lines.len(), 1);
    assert_eq!(figure.note.rest, "ring: the best mean, 1 run without a value left out");
}

mod names_of_lines {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_best_is_the_first_of_the_highest_or_the_lowest() {
        let points = [[1.0, 0.5], [2.0, f64::NAN], [3.0, 0.75], [4.0, 0.75], [5.0, 0.25]];
        assert_eq!((best(&points, false), best(&points, true)), (Some(2), Some(4)));
        assert_eq!(best(&points[1..2], false), None);
    }

    fn named(x: &str, lines: &[&[&str]]) -> Vec<String> {
        let settings =
            ["train.rate", "net.hidden", "train.batch"].map(|path| (path.to_owned(), String::new()));
        let settings = Arc::new(settings.into());
        let row =
            |arm: &&str| Row { arm: (*arm).to_owned(), settings: Arc::clone(&settings), ..Row::default() };
        let rows: Vec<Vec<Row>> = lines.iter().map(|arms| arms.iter().map(row).collect()).collect();
        names(&rows.iter().map(|rows| rows.iter().collect()).collect::<Vec<_>>(), x)
    }

    #[test]
    fn a_line_is_called_by_its_arm_and_the_swept_values_that_others_do_not_have() {
        let line = |batch: u32| [1, 2].map(|rate| format!("a, rate {rate}, batch {batch}"));
        let (small, large) = (line(8), line(16));
        let [small, large] = [&small, &large].map(|line| line.each_ref().map(String::as_str));
        assert_eq!(named("train.rate", &[&small, &large]), ["a, batch 8", "a, batch 16"]);
        assert_eq!(named("train.rate", &[&small]), ["a"], "the batch size is that of all lines");
        let other = ["b, rate 1, batch 8"];
        assert_eq!(named("train.rate", &[&small, &other]), ["a", "b"], "one value of x is no name either");
        assert_eq!(
            named("net.hidden", &[&["a, hidden [8], rate 1", "a, hidden [16, 8], rate 1"], &["b"]])[0],
            "a, rate 1"
        );
    }

    #[test]
    fn commas_in_the_names_of_arms_are_no_values() {
        assert_eq!(
            named("train.rate", &[&["dense, plain"], &["dense, wide, rate 1"]]),
            ["dense, plain", "dense, wide"]
        );
        assert_eq!(named("train.rate", &[&["a"], &["b", "c", "d", "e"]]), ["a", "b, c, d and 1 more"]);
    }
}
