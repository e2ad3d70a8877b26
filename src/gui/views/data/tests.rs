use std::sync::Arc;

use egui_kittest::kittest::Queryable;

use super::{ChangedImages, Filter};
use crate::selection::Selection;
use crate::views::tests::{done, open, wait_for};
use data::{Data, Digits, iris};
use doc::RunSpec;
use results::RunRecord;
use run::summary::Prediction;

/// Returns the settings of a run on these data.
fn spec(data: Data) -> Arc<RunSpec> {
    Arc::new(RunSpec { data, ..RunSpec::default() })
}

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
    let images = vec![(1, [Some(1), Some(0)]), (9, [None; 2])];
    let changed = ChangedImages::new(String::new(), images, spec(Data::default()));
    assert_eq!(Filter::default().listed(&labels, Some(&found), Some(&changed)), [1], "others are not there");
    assert_eq!(changed.classes(1), Some([Some(1), Some(0)]));
}

#[test]
fn samples_without_pixels_have_their_classes_counts_and_predictions() {
    let mut harness = open("data", done());
    wait_for(&mut harness, "a, seed 1, final weights");
    let count = iris().test.len();
    wait_for(&mut harness, &format!("{count} samples"));
    for label in ["setosa", "Values as the network sees them: mean ", "Wrong", "Confusion"] {
        assert!(harness.query_all_by_label_contains(label).next().is_some(), "{label}");
    }
    assert!(harness.state().views.offers("data").figure().is_some());
    let table = figure::csv::csv(&harness.state().views.offers("data").figure().unwrap().figure());
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
fn what_was_found_in_all_parts_can_be_folded() {
    let mut harness = open("data", done());
    wait_for(&mut harness, "30 samples");
    let all = [
        "3: setosa, versicolor, virginica",
        "120 for training, 0 for validation, 30 for testing",
        "4 features",
    ];
    for text in all.into_iter().chain(["every fifth sample for testing", "classes", "split"]) {
        assert!(harness.query_by_label(text).is_some(), "{text}");
    }
    harness
        .get_by_label("Iris (built in): 120 for training, 0 for validation, 30 for testing; 3 classes")
        .click();
    harness.run();
    for text in all {
        assert!(harness.query_by_label(text).is_none(), "{text}");
    }
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

/// Returns the samples 3 and 5 of the test part of the digits, as a trial of another run changed them.
fn changed(selection: &Selection) -> ChangedImages {
    let images = vec![(3, [Some(3), Some(8)]), (5, [Some(5), None])];
    let title = "2 test samples changed by trial 7, seed 2".to_owned();
    ChangedImages::new(title, images, spec(Data::Digits(Digits::default()))).under(selection)
}

#[test]
fn what_a_trial_changed_is_shown_in_the_data_of_its_run_and_nothing_of_other_runs() {
    let mut harness = open("data", done());
    wait_for(&mut harness, "a, seed 1, final weights");
    wait_for(&mut harness, "Confusion");
    harness.get_by_label("Confusion").click();
    harness.run();
    *harness.state_mut().views.store.of() = Some(changed(&Selection::Arm(0)));
    wait_for(&mut harness, "2 of 360 samples");
    assert!(harness.query_by_label("2 test samples changed by trial 7, seed 2").is_some());
    for absent in ["Part", "Predicted", "Wrong", "Confusion", "a, seed 1, final weights", "setosa"] {
        assert!(harness.query_all_by_label(absent).next().is_none(), "{absent}");
    }
    assert!(harness.query_by_label_contains("No run is selected").is_none());
    for label in ["3 → 8", "5 → none", "Class"] {
        assert!(harness.query_all_by_label(label).next().is_some(), "{label}");
    }
    assert!(harness.state().views.offers("data").figure().is_none());
    harness.get_by_label("Show all samples").click();
    wait_for(&mut harness, "a, seed 1, final weights");
    wait_for(&mut harness, "30 samples");
    assert!(harness.query_by_label_contains("changed by trial").is_none());
}

#[test]
fn what_a_trial_changed_ends_with_the_selection() {
    let mut harness = open("data", done());
    let stage = Selection::Stage { arm: 0, path: vec![0] };
    *harness.state_mut().views.store.of() = Some(changed(&stage));
    wait_for(&mut harness, "2 of 360 samples");
    let id = harness.state().listed[0].id.clone();
    harness.state_mut().selection = Selection::Run { arm: 0, id };
    wait_for(&mut harness, "30 samples");
    assert!(harness.query_by_label_contains("changed by trial").is_none());
    assert_eq!(harness.state().views.store.known::<Option<ChangedImages>>(), Some(&None));
}

#[test]
fn a_run_that_is_done_is_never_said_to_be_missing() {
    let mut harness = open("data", done());
    for _ in 0..200 {
        assert!(harness.query_by_label_contains("No run is selected").is_none());
        if harness.query_by_label("30 samples").is_some() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
        harness.step();
    }
    panic!("the data were never there");
}
