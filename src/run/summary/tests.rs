use super::*;
use crate::testing;
use doc::file::parse;
use doc::{Run, runs};
use intervene::Entry::{Free, Frozen, Pruned};
use results::network::BINS;

fn run() -> Run {
    let text = "(data: Iris(), net: Mlp(hidden: [2]), arms: [(name: \"a\", plan: [Test])])";
    runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap().remove(0)
}

#[test]
fn a_summary_counts_what_is_left_of_each_layer() {
    let (folder, run) = (tempfile::tempdir().unwrap(), run());
    testing::write_done(folder.path(), &run);
    let summary = read_summary_at(folder.path(), &run.id, Moment::End).unwrap();
    let [first, last] = summary.layers.as_slice() else { panic!("two layers") };
    assert_eq!((first.shape.as_str(), first.parameters, first.remaining, first.frozen), ("2×4", 10, 8, 0));
    let expected = LayerSummary {
        name: "fc2".to_owned(),
        kind: "Linear",
        shape: "3×2".to_owned(),
        parameters: 9,
        weights: 6,
        remaining: 5,
        frozen: 1,
        multiply_adds: 6,
        surviving_multiply_adds: 5,
    };
    assert_eq!(*last, expected);
    let weight = &summary.parameters[2];
    assert_eq!(
        (weight.name.as_str(), weight.pruned, weight.frozen, weight.maximum),
        ("fc2.weight", 1, 1, 2.0)
    );
}

#[test]
fn before_a_run_the_network_is_there_whole() {
    let (planned, misfit) = planned_summary(&run().spec);
    assert_eq!(misfit, None);
    let counts: Vec<_> =
        planned.layers.iter().map(|layer| (layer.parameters, layer.weights, layer.remaining)).collect();
    assert_eq!(counts, [(10, 8, 8), (9, 6, 6)]);
    assert_eq!(
        planned.chain.last().map(|link| (link.what.as_str(), link.layer)),
        Some(("Linear 2→3", Some(1)))
    );
    assert_eq!(planned.layers[1].surviving_multiply_adds, 6);
}

#[test]
fn values_come_with_what_holds_them() {
    let (folder, run) = (tempfile::tempdir().unwrap(), run());
    testing::write_done(folder.path(), &run);
    let values = read_values_at(folder.path(), &run.id, "fc2.weight", Moment::End).unwrap();
    assert_eq!((values.shape.as_slice(), values.values[0], values.values[2]), (&[3, 2][..], 0.0, 2.0));
    assert_eq!(values.entries, [Pruned, Frozen, Free, Free, Free, Free]);
    let error = read_values_at(folder.path(), &run.id, "fc9.weight", Moment::End).unwrap_err();
    assert_eq!(error, "the run has no parameter fc9.weight");
}

#[test]
fn a_run_that_is_not_done_says_so() {
    let folder = tempfile::tempdir().unwrap();
    assert!(read_summary_at(folder.path(), "0", Moment::End).unwrap_err().starts_with("the run is not done"));
}

#[test]
fn a_histogram_keeps_pruned_and_held_entries_apart() {
    let histogram =
        Histogram::measure(&[0.0, 3.0, -3.0, 3.0, f32::NAN], &[Pruned, Frozen, Free, Free, Free], &[]).0;
    assert_eq!((histogram.edges[0], histogram.edges[BINS]), (-3.0, 3.0));
    assert_eq!((histogram.free[0], histogram.free[BINS - 1]), (1, 1));
    assert_eq!((histogram.frozen[BINS - 1], histogram.pruned[BINS / 2]), (1, 1));
    assert_eq!(histogram.free.iter().sum::<u64>(), 2);
}

#[test]
fn a_histogram_of_equal_values_has_room_around_them() {
    let histogram = Histogram::measure(&[1.0, 1.0], &[Free, Free], &[]).0;
    assert_eq!((histogram.edges[0], histogram.edges[BINS], histogram.free[BINS / 2]), (0.5, 1.5, 2));
}

#[test]
fn the_dense_network_is_in_the_same_bins() {
    let histogram = Histogram::measure(&[0.0, 1.0], &[Pruned, Free], &[-3.0, 3.0]).0;
    assert_eq!((histogram.edges[0], histogram.edges[BINS]), (-3.0, 3.0));
    assert_eq!((histogram.dense[0], histogram.dense[BINS - 1]), (1, 1));
    let (folder, run) = (tempfile::tempdir().unwrap(), run());
    testing::write_done(folder.path(), &run);
    let summary = read_summary_at(folder.path(), &run.id, Moment::End).unwrap();
    assert_eq!(summary.parameters[2].histogram.dense.iter().sum::<u64>(), 6);
}
