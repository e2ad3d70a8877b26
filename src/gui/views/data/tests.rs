use egui_kittest::kittest::Queryable;

use super::filter::{ChangedImages, Filter};
use crate::data::{Data, Digits, iris};
use crate::gui::views::tests::{done, open, wait_for};
use crate::results::RunRecord;
use crate::run::summary::Prediction;

fn prediction(class: u32) -> Prediction {
    Prediction { class: Some(class), confidence: 0.5 }
}

#[test]
fn a_filter_leaves_samples_of_a_class_wrong_ones_and_those_that_a_trial_changed() {
    let labels = [0, 1, 1, 0];
    let found = [0, 1, 0, 1].map(prediction);
    let list = |filter: Filter| filter.listed(&labels, Some(&found), None);
    assert_eq!(list(Filter::default()), [0, 1, 2, 3]);
    assert_eq!(list(Filter { class: Some(1), ..Filter::default() }), [1, 2]);
    assert_eq!(list(Filter { predicted: Some(1), ..Filter::default() }), [1, 3]);
    let wrong = Filter { is_wrong: true, ..Filter::default() };
    assert_eq!(list(wrong), [2, 3]);
    assert_eq!(wrong.listed(&labels, None, None), [0, 1, 2, 3], "nothing is wrong without predictions");
    let none = [Prediction { class: None, confidence: f64::NAN }];
    assert_eq!(wrong.listed(&labels[..1], Some(&none), None), [0]);
    let changed =
        ChangedImages { images: vec![(1, [Some(1), Some(0)]), (9, [None; 2])], ..ChangedImages::default() };
    assert_eq!(Filter::default().listed(&labels, Some(&found), Some(&changed)), [1], "others are not there");
    assert_eq!(changed.classes(1), Some([Some(1), Some(0)]));
}

#[test]
fn samples_without_pixels_have_their_classes_counts_and_predictions() {
    let mut harness = open("data", done());
    wait_for(&mut harness, "a, seed 1, final weights");
    let count = iris().test.len();
    wait_for(&mut harness, &format!("{count} samples"));
    for label in ["setosa", "Mean", "Wrong", "Confusion"] {
        assert!(harness.query_all_by_label(label).next().is_some(), "{label}");
    }
    assert!(harness.state().views.offers("data").has_figure());
    let table = crate::figure::csv::csv(&harness.state().views.offer("data").unwrap().figure());
    // 3 classes of the same size, each with 3 predicted ones, and the head.
    assert_eq!(table.lines().count(), 10, "{table}");
    harness.get_by_label("Wrong").click();
    harness.run();
    assert!(
        harness.query_by_label_contains(&format!(" of {count} samples")).is_some(),
        "an untrained network is wrong at times, not always"
    );
    harness.get_by_label("Confusion").click();
    harness.run();
    assert!(harness.query_by_label("Wrong").is_none());
}

#[test]
fn without_results_the_data_are_there_and_the_view_says_what_is_missing() {
    let mut harness = open("data", RunRecord::default());
    let mut spec = (*harness.state().listed[0].spec).clone();
    spec.data = Data::Digits(Digits::default());
    harness.state_mut().listed[0].spec = spec.into();
    wait_for(&mut harness, "360 samples");
    assert!(harness.query_by_label_contains("so there are no predictions").is_some());
    assert!(harness.query_by_label("Wrong").is_none());
    harness.get_by_label("Confusion").click();
    harness.run();
    assert!(harness.query_by_label("The confusion matrix needs a run that is done.").is_some());
}
