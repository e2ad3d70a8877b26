//! The window and the command line write the same bytes, also with a filter, titles and axes of one's own.

use std::path::Path;
use std::process::Command;

use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, LazyRenderer};
use figure::FileKind;
use gui::app::App;
use gui::worker::Threads;
use results::facets::{FacetAxes, FacetSettings};
use results::statistics::Spread;
use results::table::columns::Column;
use results::view::{PageStyle, PlotOptions, PlotView, Preset, ViewSettings};

use crate::support::tiny::TINY;
use crate::support::window::{Opening, export, show, wait_until};

fn weightlab(folder: &Path, arguments: &[&str]) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_weightlab")).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Opens the experiment in the window, and exports its first plot.
fn from_window(folder: &Path, name: &str, has_footnote: bool) -> Vec<u8> {
    from_prepared_window(folder, name, has_footnote, |_| {})
}

/// Opens the experiment in the window, does what `prepare` does there, and exports the figure that was used last.
fn from_prepared_window(
    folder: &Path,
    name: &str,
    has_footnote: bool,
    prepare: impl Fn(&mut Harness<'static, App>),
) -> Vec<u8> {
    let to = folder.join(name);
    let opening = Opening::new(&folder.join("untitled"));
    let opening = Opening { file: Some(folder.join("x.ron")), ..opening };
    let mut harness = opening.open(Threads, LazyRenderer::default());
    harness.run_steps(5);
    while harness.state().is_reading() {
        harness.step();
    }
    prepare(&mut harness);
    export(&mut harness, &to, has_footnote);
    std::fs::read(to).unwrap()
}

#[test]
fn the_window_and_the_command_line_write_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY.replacen('(', "(name: \"Tiny digits\",", 1)).unwrap();
    weightlab(folder, &["run", "x.ron"]);
    let chosen = ViewSettings {
        options: PlotOptions { band: Spread::MinMax, smoothing: 0.5, ..PlotOptions::default() },
        plots: [(
            "accuracy".to_owned(),
            PlotView {
                title: "Mine".to_owned(),
                log_x: Some(true),
                x: Some([1.0, 2.5]),
                ..PlotView::default()
            },
        )]
        .into(),
        filter: "-arm:pruned".to_owned(),
        size: Preset::TwoColumns,
        page: PageStyle { marks: false, font_pt: Some(7.0), ..PageStyle::default() },
        ..ViewSettings::default()
    };
    for (view, has_title) in [(None, false), (Some(chosen), true)] {
        if let Some(view) = &view {
            view.write(&folder.join("x.runs")).unwrap();
        }
        for kind in [FileKind::Svg, FileKind::Pdf, FileKind::Csv] {
            let [window, line] =
                ["window", "line"].map(|stem| format!("{stem}-{has_title}.{}", kind.ending()));
            let has_footnote = kind == FileKind::Svg;
            let window = from_window(folder, &window, has_footnote);
            let footnote = if has_footnote { &["--footnote"][..] } else { &[] };
            let export = ["export", "x.ron", "--figure", "accuracy", "--to", &line];
            weightlab(folder, &[&export[..], footnote].concat());
            assert!(window == std::fs::read(folder.join(&line)).unwrap(), "{line} differs");
            if has_footnote {
                let text = String::from_utf8(window).unwrap();
                let title = if has_title { "Mine" } else { "Accuracy" };
                assert!(text.contains(&format!("<title>Tiny digits – {title}</title>")), "{title}");
                assert_eq!(text.contains("filter: -arm:pruned (2 of 4 runs)"), has_title, "what is left out");
                assert_eq!((text.contains(">Mine<"), text.contains(">pruned<")), (has_title, !has_title));
            }
        }
    }
}

#[test]
fn panels_are_the_same_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY).unwrap();
    weightlab(folder, &["run", "x.ron"]);
    let zooms = [("seed 2".to_owned(), [Some([1.0, 3.0]), None])].into();
    let facets = FacetSettings { by: vec![Column::Seed], axes: FacetAxes::Free, zooms };
    let plots = [("accuracy".to_owned(), PlotView { facets, ..PlotView::default() })].into();
    let view = ViewSettings { plots, ..ViewSettings::default() };
    view.write(&folder.join("x.runs")).unwrap();
    for kind in [FileKind::Svg, FileKind::Pdf, FileKind::Csv] {
        let [window, line] = ["window", "line"].map(|stem| format!("{stem}-panels.{}", kind.ending()));
        let window = from_window(folder, &window, false);
        weightlab(folder, &["export", "x.ron", "--figure", "accuracy", "--to", &line]);
        assert!(window == std::fs::read(folder.join(&line)).unwrap(), "{line} differs");
        if kind == FileKind::Svg {
            assert_eq!(String::from_utf8(window).unwrap().matches(">seed<").count(), 2);
        }
    }
}

#[test]
fn classes_and_parallel_axes_with_a_chosen_range_are_the_same_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY).unwrap();
    weightlab(folder, &["run", "x.ron"]);
    let brushes = [("Remaining (%)".to_owned(), [0.9, 1.0])].into();
    let plots = [("parallel".to_owned(), PlotView { brushes, ..PlotView::default() })].into();
    let view = ViewSettings { plots, ..ViewSettings::default() };
    view.write(&folder.join("x.runs")).unwrap();
    for (title, figure, has_pruned) in
        [("Per-class accuracy", "classes", true), ("Parallel coordinates", "parallel", false)]
    {
        let name = format!("window-{figure}.svg");
        let window = from_prepared_window(folder, &name, false, |harness| show(harness, title));
        let line = format!("line-{figure}.svg");
        weightlab(folder, &["export", "x.ron", "--figure", figure, "--to", &line]);
        assert!(window == std::fs::read(folder.join(&line)).unwrap(), "{line} differs");
        let text = String::from_utf8(window).unwrap();
        // Parallel axes have no legend: runs have the colours of their results.
        assert_eq!(text.contains(">dense, plain<"), figure != "parallel");
        assert_eq!(text.contains(">pruned<"), has_pruned, "{figure}");
    }
}

const SWEPT: &str = r#"(
    data: Digits(limit_train: 100, limit_test: 50),
    net: Mlp(hidden: [8]),
    sweep: { "train.optimizer.rate": [0.0001, 0.01] },
    seeds: [1, 2],
    arms: [(name: "dense", plan: [Train("1ep"), Test]), (name: "two epochs", plan: [Train("2ep"), Test])],
)"#;

#[test]
fn results_over_a_setting_are_the_same_and_their_axes_are_options_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), SWEPT).unwrap();
    weightlab(folder, &["run", "x.ron"]);
    let export = |to: &str, axes: &[&str]| {
        weightlab(folder, &[&["export", "x.ron", "--figure", "metric", "--to", to][..], axes].concat());
        std::fs::read_to_string(folder.join(to)).unwrap()
    };
    for kind in ["svg", "csv"] {
        let window = format!("window.{kind}");
        let window =
            from_prepared_window(folder, &window, false, |harness| show(harness, "Metric over setting"));
        assert!(window == export(&format!("line.{kind}"), &[]).as_bytes(), "{kind} differs");
    }
    let csv = export("line.csv", &[]);
    let xs: Vec<&str> = csv
        .lines()
        .skip(1)
        .filter(|line| !line.contains("seed"))
        .map(|line| line.split(',').nth(3).unwrap())
        .collect();
    assert_eq!(xs, ["0.0001", "0.01", "0.0001", "0.01"], "a line for each arm: {csv}");
    let loss = export("loss.svg", &["--x", "rate", "--y", "test_loss:best"]);
    assert!(loss.contains(">Test loss, best<") && loss.contains(">Learning rate<"));
    let scatter = export("scatter.csv", &["--x", "train_loss", "--y", "best"]);
    assert_eq!(scatter.matches(", seed 2\",").count(), 4, "a mark for each run: {scatter}");
    let arguments = ["export", "x.ron", "--figure", "metric", "--to", "x.svg", "--y", "rate"];
    let refused = Command::new(env!("CARGO_BIN_EXE_weightlab")).args(arguments).current_dir(folder).output();
    let refused = String::from_utf8(refused.unwrap().stderr).unwrap();
    assert!(refused.contains("--y: \"rate\" is no result"), "{refused}");
}

/// Selects an arm in the tree and opens a view.
fn open_view(harness: &mut Harness<'static, App>, arm: &str, view: &str) {
    harness.query_all_by_label(arm).next().expect("the arm is in the tree").click();
    harness.run_steps(5);
    show(harness, view);
}

/// Waits until a label is there, and clicks it.
fn click_once_there(harness: &mut Harness<'static, App>, label: &str) {
    wait_until(harness, label, |harness| harness.query_by_label(label).is_some());
    harness.get_by_label(label).click();
    harness.run_steps(5);
}

/// The message of an export that is refused.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let all = [&["export", "x.ron", "--to", "y.svg"], arguments].concat();
    let output =
        Command::new(env!("CARGO_BIN_EXE_weightlab")).args(all).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

/// Runs the experiment with what figures of weights need.
fn run_recorded(folder: &Path) {
    let text = TINY.replace("limit_test: 100", "limit_test: 100, validation: 50");
    let text = text.replace("batch: 32", "batch: 32, record: (weights: Histograms, rounds: true)");
    std::fs::write(folder.join("x.ron"), text).unwrap();
    weightlab(folder, &["run", "x.ron"]);
}

#[test]
fn a_network_is_exported_as_it_was_after_a_training() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_recorded(folder);
    let pruned = |figure: &str, to: &str, round: &[&str]| {
        let export = ["export", "x.ron", "--figure", figure, "--to", to, "--arm", "pruned"];
        weightlab(folder, &[&export[..], round].concat());
        std::fs::read(folder.join(to)).unwrap()
    };
    for figure in ["mask", "values", "histogram", "layers"] {
        let [end, first] = [pruned(figure, "end.csv", &[]), pruned(figure, "first.csv", &["--round", "1"])];
        assert!(end != first, "{figure}: the pruning follows the training");
        assert!(first == pruned(figure, "named.csv", &["--round", "training 1"]), "{figure}");
    }
    let mask = String::from_utf8(pruned("mask", "first.csv", &["--round", "1"])).unwrap();
    assert!(!mask.contains("pruned\n"), "{mask}");
    let refused = |arguments: &[&str]| refused(folder, arguments);
    let said = refused(&["--figure", "mask", "--arm", "pruned", "--round", "2"]);
    assert!(
        said.contains("no network of \"2\" is kept; there are\n  seed 1: training 1, 100 % remaining"),
        "{said}"
    );
    assert!(refused(&["--figure", "loss", "--round", "1"]).contains("--round applies to"));
}

#[test]
fn figures_of_early_stops_and_of_the_network_are_the_same_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_recorded(folder);
    let prepare = |harness: &mut Harness<'static, App>, figure: &str| match figure {
        "early-stops" => {
            open_view(harness, "pruned", "Tickets");
            click_once_there(harness, "Early stops");
        }
        "overlap" => {
            open_view(harness, "pruned", "Tickets");
            wait_until(harness, "the overlap", |harness| harness.query_by_label("Export Tickets…").is_some());
        }
        "histograms" => {
            open_view(harness, "pruned", "Histograms over time");
            wait_until(harness, "them", |harness| {
                harness.query_by_label("Export Histograms over time…").is_some()
            });
        }
        "weight-statistics" => open_view(harness, "pruned", "Weight statistics"),
        "layers" => {
            open_view(harness, "pruned", "Network");
            wait_until(harness, "the network", |harness| {
                harness.query_by_label("pruned, seed 1, final weights").is_some()
            });
        }
        "mask" => {
            open_view(harness, "pruned", "Weights");
            click_once_there(harness, "Mask");
            click_once_there(harness, "Image of the mask");
        }
        "values" => {
            open_view(harness, "pruned", "Weights");
            click_once_there(harness, "Image of the values");
        }
        _ => {
            open_view(harness, "pruned", "Weights");
            wait_until(harness, "the histogram", |harness| {
                harness.query_by_label("Image of the values").is_some()
            });
        }
    };
    let of_all_arms = ["early-stops", "overlap"];
    let of_one_arm = ["layers", "histogram", "values", "mask", "histograms", "weight-statistics"];
    for figure in of_all_arms.into_iter().chain(of_one_arm) {
        for ending in ["svg", "csv"] {
            let [window, line] = ["window", "line"].map(|stem| format!("{stem}-{figure}.{ending}"));
            let window = from_prepared_window(folder, &window, false, |harness| prepare(harness, figure));
            let arm = if of_all_arms.contains(&figure) { &[][..] } else { &["--arm", "pruned"][..] };
            weightlab(folder, &[&["export", "x.ron", "--figure", figure, "--to", &line], arm].concat());
            assert!(window == std::fs::read(folder.join(&line)).unwrap(), "{line} differs");
        }
    }
    let bias = ["--figure", "histogram", "--parameter", "fc1.bias", "--seed", "2", "--to", "bias.csv"];
    weightlab(folder, &[&["export", "x.ron", "--arm", "pruned"], &bias[..]].concat());
    let refused = |arguments: &[&str]| refused(folder, arguments);
    let said = refused(&["--figure", "layers"]);
    assert!(said.contains("needs one arm; choose it with --arm:\n  dense, plain\n  pruned"), "{said}");
    let said = refused(&["--figure", "mask", "--arm", "pruned", "--parameter", "fc9"]);
    assert!(said.contains("has no \"fc9\"; there are\n  fc1.weight"), "{said}");
    assert!(refused(&["--figure", "loss", "--parameter", "fc1.bias"]).contains("--parameter applies to"));
    assert!(refused(&["--figure", "mask", "--arm", "pruned", "--band", "none"]).contains("--band"));
}

#[test]
fn results_of_earlier_settings_are_seen_in_the_window_and_in_no_export() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.ron"), TINY).unwrap();
    weightlab(folder, &["run", "x.ron"]);
    // One arm has other settings now: its results are those of runs that the file does not list.
    std::fs::write(folder.join("x.ron"), TINY.replace("Fraction(0.5)", "Fraction(0.25)")).unwrap();
    let opening = Opening { file: Some(folder.join("x.ron")), ..Opening::new(&folder.join("untitled")) };
    let mut harness = opening.open(Threads, LazyRenderer::default());
    let is_seen = |harness: &Harness<'static, App>| {
        harness.query_all_by_label_contains("outdated: pruned").next().is_some()
    };
    wait_until(&mut harness, "the legend's line of what lies in the folder", is_seen);
    let grouped = ViewSettings { group: Some("plan.1.amount".to_owned()), ..ViewSettings::default() };
    for (view, name) in [(ViewSettings::default(), "arms"), (grouped, "groups")] {
        view.write(&folder.join("x.runs")).unwrap();
        for ending in ["svg", "csv"] {
            let [window, line] = ["window", "line"].map(|stem| format!("{stem}-{name}.{ending}"));
            let window = from_window(folder, &window, false);
            weightlab(folder, &["export", "x.ron", "--figure", "accuracy", "--to", &line]);
            assert!(window == std::fs::read(folder.join(&line)).unwrap(), "{line} differs");
            let text = String::from_utf8(window).unwrap();
            assert!(!text.contains("earlier") && !text.contains(">pruned<"), "{text}");
        }
    }
}
