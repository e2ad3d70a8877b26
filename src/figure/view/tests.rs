use std::path::Path;

use super::*;
use crate::plots::find;
use crate::plots::testing::{self, arm, at, record};
use crate::{Axis, Line, style_of};
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
    let rows: Vec<Row> = runs.iter().map(|run| Row::new(run, Some(&record), "done", 0)).collect();
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
    assert_eq!((points, texts.concat()), (vec![[0.0, 0.375]], String::new()), "one evaluation");
    let (points, texts, rest) = of("last > 0.3");
    assert_eq!(points, [[1.0, 0.5]]);
    assert!(texts.len() == 4 && texts.iter().all(|text| text == "1 of 2"), "{texts:?}");
    assert_eq!(rest, "filter: last > 0.3 (4 of 8 runs)");
}

#[test]
fn axes_and_titles_are_those_that_were_chosen_and_hidden_lines_are_not_seen() {
    let points = (1..=3).map(|epoch| at("test_accuracy", f64::from(epoch), 0.25 * f64::from(epoch)));
    let record = record(points);
    let arms = ["a", "b"].map(|name| arm(name, 0, [&record]));
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
    let words = ["test_accuracy", "campaign_sdc1", "campaign_due", "campaign_accuracy_unprotected"];
    let expected = ["Test accuracy", "SDC-1 rate", "DUE rate", "Accuracy under faults, unprotected"];
    assert_eq!(words.map(results::view::in_words), expected);
}

fn parallel() -> Figure {
    let axis = |title, range| Axis { range: Some(range), ..Axis::new(title, "") };
    let trace = |name: &str, points: [f64; 2]| Trace {
        name: name.to_owned(),
        points: vec![[0.0, points[0]], [1.0, points[1]]],
    };
    let line = |name, traces| Line { traces, ..Line::new(name, style_of(0), Vec::new()) };
    Figure {
        parallel: vec![axis("rate", [0.01, 1.0]).log(), axis("best", [0.0, 4.0])],
        lines: vec![
            line("a", vec![trace("1", [0.1, 1.0]), trace("2", [1.0, 3.0])]),
            line("b", vec![trace("1", [0.01, f64::NAN])]),
        ],
        ..Figure::default()
    }
}

#[test]
fn runs_outside_of_a_chosen_range_are_taken_out_with_arms_of_which_none_is_left() {
    let left = |brushes: Brushes| -> Vec<(String, usize)> {
        let mut whole = parallel();
        brush(&mut whole, &brushes);
        whole.lines.iter().map(|line| (line.name.clone(), line.traces.len())).collect()
    };
    let [a, b] = ["a", "b"].map(str::to_owned);
    let gone = Brushes::from([("gone".to_owned(), [0.0, 0.1])]);
    assert_eq!(left(gone), [(a.clone(), 2), (b, 1)], "an axis that is no longer there chooses nothing");
    let best = Brushes::from([("best".to_owned(), [2.0, 4.0])]);
    assert_eq!(left(best), [(a, 1)], "what has no value lies in no range");
}

mod details_of_names {
    use super::*;
    use crate::style_of;
    use results::table::Row;

    fn row(settings: &[(&str, &str)]) -> Row {
        let settings = settings.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned()));
        Row { settings: std::sync::Arc::new(settings.collect()), ..Row::default() }
    }

    fn arm(name: &str, rows: &[Row]) -> ArmRuns {
        ArmRuns { rows: testing::rows(rows), ..testing::arm(name, 0, []) }
    }

    fn figure(lines: &[(&str, &[f64])]) -> Figure {
        let points = |ys: &[f64]| (0..).zip(ys).map(|(x, y)| [f64::from(x), *y]).collect();
        let line = |(name, ys): &(&str, &[f64])| Line::new(name, style_of(0), points(ys));
        Figure { lines: lines.iter().map(line).collect(), ..Figure::default() }
    }

    fn shown(figure: &Figure, arms: &[ArmRuns]) -> Vec<String> {
        details(figure, arms).into_iter().map(|(name, text)| format!("{name}: {text}")).collect()
    }

    #[test]
    fn the_first_line_of_an_arm_says_in_what_it_differs() {
        let plan = "0 Train, 0.steps 12ep";
        let rows = [
            [row(&[
                ("net.bias", "true"),
                ("train.batch", "8"),
                ("train.optimizer.rate", "0.1"),
                ("plan", plan),
            ])],
            [row(&[
                ("net.bias", "true"),
                ("train.batch", "16"),
                ("train.optimizer.rate", "0.2"),
                ("plan", "0 Test"),
            ])],
        ];
        let arms = [arm("small", &rows[0]), arm("small, rate 0.2", &rows[1])];
        let figure =
            figure(&[("small, test", &[0.5]), ("small / twin", &[0.5]), ("small, rate 0.2", &[0.5])]);
        assert_eq!(shown(&figure, &arms), ["small, rate 0.2: batch 16", "small, test: batch 8, rate 0.1"]);
        assert!(details(&figure, &arms[..1]).is_empty(), "an arm alone differs from none");
    }

    #[test]
    fn settings_of_the_other_choice_and_values_that_runs_do_not_share_are_left_out() {
        let adam = [("train.optimizer", "Adam"), ("train.optimizer.beta1", "0.9")];
        let sgd = [("train.optimizer", "Sgd"), ("train.optimizer.beta1", NONE)];
        let mixed = [row(&[("a", "1"), adam[0], adam[1]]), row(&[("a", "2"), adam[0], adam[1]])];
        let rows = [row(&[("a", "1"), sgd[0], sgd[1]])];
        let arms = [arm("mixed", &mixed), arm("plain SGD", &rows)];
        let figure = figure(&[("mixed", &[1.0]), ("plain SGD", &[2.0])]);
        assert_eq!(shown(&figure, &arms), ["mixed: optimizer Adam", "plain SGD: a 1"]);
    }

    #[test]
    fn of_many_settings_the_last_ones_are_counted() {
        let settings = |value: &'static str| ["a", "b", "c", "d", "e", "f"].map(|path| (path, value));
        let rows = [[row(&settings("1"))], [row(&settings("2"))]];
        let arms = [arm("x", &rows[0]), arm("y", &rows[1])];
        assert_eq!(shown(&figure(&[("x", &[1.0])]), &arms), ["x: a 1, b 1, c 1, d 1, 2 more"]);
    }

    #[test]
    fn a_name_says_a_value_as_a_word_of_its_own() {
        assert!(
            contains_word("arm, rate 0.1", "0.1")
                && contains_word("SGD, slow", "Sgd")
                && contains_word("(8)", "8")
        );
        assert!(
            !contains_word("rate 0.15", "0.1")
                && !contains_word("10.1", "0.1")
                && !contains_word("truely", "true")
        );
    }

    #[test]
    fn the_arm_of_a_line_is_that_with_the_longest_name_before_it() {
        let names = ["a", "a, rate 0.1", "a, rate 0.1, batch 8", "a / b", "b", "a, rate 0.1", "", "é, x 1"];
        let places: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
        let plain = |line: &str| {
            let belongs = |name: &&str| {
                let rest = line.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", ") || rest.starts_with(" / "))
            };
            let own = names.iter().enumerate().filter(|(_, name)| belongs(name));
            own.max_by_key(|(_, name)| name.len()).map(|(place, _)| place)
        };
        for line in [
            "a",
            "a, validation",
            "a / b / c",
            "a / b, validation",
            "a, rate 0.1, validation",
            "a, rate 0.12",
            "a, rate 0.1, batch 8 / member 2",
            "ab",
            "b, a",
            ", a",
            "é, x 1, 50 % left",
            "",
            "c",
        ] {
            assert_eq!(arm_of(line, &places), plain(line), "{line}");
        }
    }
}
