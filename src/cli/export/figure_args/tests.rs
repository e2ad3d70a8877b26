use super::*;
use figure::plots::find;
use figure::{Axis, Category};
use results::Event;
use results::view::PlotView;

fn arguments(x: Option<&str>, y_range: Option<[f64; 2]>) -> FigureArgs {
    FigureArgs { band: Some(Spread::MinMax), x: x.map(str::to_owned), y_range, ..FigureArgs::default() }
}

fn records() -> BTreeMap<String, RunRecord> {
    let line = r#"{"event":"point","series":"train_loss","value":0.5,"stage":"0","epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":0.5}"#;
    let event: Event = serde_json::from_str(line).unwrap();
    BTreeMap::from([("a".to_owned(), RunRecord::of([event]))])
}

#[test]
fn what_is_asked_for_comes_before_what_was_kept() {
    let accuracy = find("accuracy").unwrap();
    let kept = PlotView { x: Some([3.0, 5.0]), ..PlotView::default() };
    let mut view = ViewSettings::default();
    view.plots.insert("accuracy".to_owned(), kept);
    arguments(Some("epochs"), None).apply(accuracy, &mut view, &records(), [&[]; 2]).unwrap();
    assert_eq!((view.options.band, view.plots["accuracy"].x), (Spread::MinMax, Some([3.0, 5.0])));
    arguments(Some("train_loss"), None).apply(accuracy, &mut view, &records(), [&[]; 2]).unwrap();
    assert_eq!(view.options.x, XAxis::Series("train_loss".to_owned()));
    assert_eq!(view.plots["accuracy"].x, None, "a part of another axis");
    let mut figure = Figure { y: Axis::percent("Accuracy"), ..Figure::default() };
    arguments(None, Some([85.0, 100.0])).cut(accuracy, &mut figure).unwrap();
    assert_eq!(figure.y.range, Some([0.85, 1.0]));
    figure.y = Axis::new("Loss", "");
    arguments(None, Some([85.0, 100.0])).cut(accuracy, &mut figure).unwrap();
    assert_eq!(figure.y.range, Some([85.0, 100.0]));
}

#[test]
fn panels_are_named_by_the_ends_of_settings() {
    let known = ["train.batch", "train.rate", "plan.0.rate", "plan.0.batch"].map(str::to_owned);
    let settings = [&known[..1], &known];
    let path = |path: &str| Column::Setting(path.to_owned());
    assert_eq!(facets("batch, train.rate", settings), Ok(vec![path("train.batch"), path("train.rate")]));
    assert_eq!(facets("seed,arm", settings), Ok(vec![Column::Seed, Column::Arm]));
    assert_eq!(facets("none", settings), Ok(Vec::new()));
    for (wrong, part) in [
        ("rate", "train.rate or plan.0.rate"),
        ("last", "is no setting"),
        ("depth", "is no setting"),
        ("arm,arm", "twice"),
        ("arm,seed,batch", "one setting, or two"),
    ] {
        assert!(facets(wrong, settings).unwrap_err().contains(part), "{wrong}");
    }
    let mut view = ViewSettings::default();
    let asked =
        FigureArgs { facets: Some("batch".to_owned()), axes: Some(FacetAxes::Free), ..FigureArgs::default() };
    asked.apply(find("loss").unwrap(), &mut view, &records(), settings).unwrap();
    let kept = &view.plots["loss"].facets;
    assert_eq!((kept.by.as_slice(), kept.axes), (&[path("train.batch")][..], FacetAxes::Free));
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let mut view = ViewSettings::default();
    let mut message = |plot: &str, x: &str| {
        arguments(Some(x), None)
            .apply(find(plot).unwrap(), &mut view, &records(), [&[]; 2])
            .unwrap_err()
            .to_string()
    };
    assert!(message("accuracy", "speed").ends_with("remaining, seconds, clock, train_loss"));
    assert!(message("remaining", "epochs").contains("its own horizontal axis (weights remaining)"));
    let cut = |y: Axis| {
        let mut figure = Figure { y, ..Figure::default() };
        arguments(None, Some([0.0, 1.0])).cut(find("accuracy").unwrap(), &mut figure).unwrap_err().to_string()
    };
    assert!(cut(Axis::new("Rate", "").log()).contains("start above 0"));
    assert!(cut(Axis::named("Layer", vec![Category::default()])).contains("no range of numbers"));
    for wrong in ["85", "100..85", "a..b", "1..1", "0..inf", ""] {
        assert!(range(wrong).is_err(), "{wrong}");
    }
    for wrong in ["some", "1,,2", ""] {
        assert!(rounds(wrong).is_err(), "{wrong}");
    }
    assert_eq!(rounds("1, 3"), Ok((Levels::Chosen, [1, 3].into())));
    assert_eq!(statistic("gradient-norm"), Ok(Measure::GradientNorm));
    assert!(statistic("sum").unwrap_err().contains("std, norm"));
    let arguments = |x: Option<&str>, statistic| FigureArgs {
        x: x.map(str::to_owned),
        rounds: Some((Levels::All, Numbers::default())),
        statistic,
        ..FigureArgs::default()
    };
    let mut view = ViewSettings::default();
    let mut applied = |figure: &str, arguments: FigureArgs| {
        let done = arguments.apply(find(figure).unwrap(), &mut view, &records(), [&[], &[]]);
        done.map_err(|why| why.to_string()).map(|()| (view.options.levels, view.options.weights.measure))
    };
    assert!(applied("accuracy", arguments(None, None)).unwrap_err().contains("add --x training"));
    assert_eq!(applied("accuracy", arguments(Some("training"), None)), Ok((Levels::All, Measure::Norm)));
    assert_eq!(applied("rounds", arguments(None, None)), Ok((Levels::All, Measure::Norm)));
    assert!(applied("remaining", arguments(None, None)).unwrap_err().contains("--figure rounds"));
    let mean = || arguments(Some("training"), Some(Measure::Mean));
    assert!(applied("accuracy", mean()).unwrap_err().contains("weight-statistics"));
    assert!(applied("weight-statistics", mean()).unwrap_err().contains("--parameter"));
    assert!(applied("metric", arguments(None, None)).unwrap_err().contains("--figure rounds"));
    for figure in ["members", "member-distance", "past"] {
        let refused = applied(figure, arguments(Some("training"), None)).unwrap_err();
        assert!(refused.contains("no lines over the epochs of each training"), "{refused}");
    }
    let hidden = || FigureArgs { seeds_shown: Some(false), ..FigureArgs::default() };
    assert!(applied("metric", hidden()).unwrap_err().contains("--individual-seeds"));
    assert!(applied("accuracy", hidden()).is_ok());
    view.options.weights.parameter = Some("fc1.weight".to_owned());
    let weights = find("weight-statistics").unwrap();
    assert!(mean().apply(weights, &mut view, &records(), [&[], &[]]).is_ok());
    assert_eq!(range("-0.5 .. 1e2"), Ok([-0.5, 100.0]));
    assert!(Spread::parse("wide").unwrap_err().contains("standard-error"));
}
