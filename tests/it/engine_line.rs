//! Lines between networks, and branches with data of their own.

use std::path::Path;

use data::shuffled;
use doc::file::parse;
use doc::structure::Role;
use doc::{RunSpec, runs};
use intervene::stream::{Purpose, stream};
use net::{BatchStatistics, Network};
use results::{Event, Point, Report};
use run::testing::Recorder;
use run::{Checkpoint, Listener, RunContext, RunEnd, RunError, Session, StopFlag, StopKind, Table};

use crate::support::{
    assert_resumes, complaints, context, failure, points, reports, run, same_bits, spec, values, with_plan,
};

const TWO_BRANCHES: &str = "Train(\"1ep\"),
    Branch(name: \"one\", order: Own, plan: [Train(\"2ep\"), Test]),
    Branch(name: \"two\", order: Own, plan: [Train(\"2ep\"), Test]),
    Connect(a: \"one\", b: \"two\", points: 5)";

#[test]
fn the_ends_of_a_line_are_the_two_networks() {
    let ended = run(with_plan(TWO_BRANCHES));
    let ends: Vec<f64> = points(&ended.events)
        .iter()
        .filter(|point| point.series == "test_loss" && (point.stage == "1.1" || point.stage == "2.1"))
        .map(|point| point.value)
        .collect();
    let line = values(&ended.events, "line_loss");
    assert_eq!((line.len(), ends.len()), (5, 2));
    assert_eq!([line[0].to_bits(), line[4].to_bits()], [ends[0].to_bits(), ends[1].to_bits()]);
    let along: Vec<f64> = points(&ended.events).iter().filter_map(|point| point.along).collect();
    assert_eq!(along[..4], [0.0, 0.0, 0.25, 0.25]);
}

#[test]
fn progress_ends_with_the_last_network_of_a_line() {
    let progress = run(with_plan(TWO_BRANCHES)).events.into_iter().filter_map(|event| match event {
        Event::Progress(progress) => Some(progress.done),
        _ => None,
    });
    let done: Vec<f64> = progress.collect();
    assert!(done.last().is_some_and(|last| (last - 1.0).abs() < 1e-9), "{done:?}");
}

#[test]
fn the_middle_of_a_line_is_the_mean_of_its_ends_and_pins_do_not_matter() {
    let plan = "Branch(name: \"one\", order: Own, plan: [Do(Prune(amount: Fraction(0.5))), Train(\"1ep\")]),
        Branch(name: \"two\", order: Own, plan: [Train(\"1ep\")]), Connect(a: \"one\", b: \"two\", points: 3)";
    let ended = run(with_plan(plan));
    let (one, two) = (&ended.state.snapshots["one"].network, &ended.state.snapshots["two"].network);
    let mut mean = two.clone();
    for index in 0..mean.len() {
        let pairs = one.values(index).iter().zip(two.values(index));
        let values: Vec<f32> =
            pairs.map(|(a, b)| (0.5 * f64::from(*a) + 0.5 * f64::from(*b)) as f32).collect();
        mean.write(index, &values);
    }
    assert!(same_bits(&one.between(two, 0.5), &mean));
    let context = context(with_plan(plan));
    let test = &context.data.test;
    let logits = context.compute.logits(&mean, &test.values().unwrap(), test.len());
    let loss = context.loss.evaluate(&logits, &test.labels).mean;
    assert!((values(&ended.events, "line_loss")[1] - loss).abs() < 1e-12);
}

#[test]
fn the_barrier_is_reported_and_names_are_checked() {
    let ended = run(with_plan(TWO_BRANCHES));
    let report = &reports(&ended.events, "line")[0];
    assert!(report.summary.starts_with("the error barrier between one and two is"), "{}", report.summary);
    assert_eq!(report.rows.len(), 5);
    let found = complaints("Do(Snapshot(name: \"one\")), Connect(a: \"one\", b: \"three\")");
    assert!(found.len() == 1 && found[0].contains("Connect, To network: there is no snapshot"), "{found:?}");
}

#[test]
fn a_branch_with_other_data_trains_and_tests_on_them() {
    let other = "Train(\"4it\"), Branch(name: \"other\", data: Digits(limit_train: 100, limit_test: 20),
        plan: [Train(\"2ep\"), Test]), Train(\"1ep\"), Test";
    let ended = run(with_plan(other));
    let inside: Vec<_> = points(&ended.events).into_iter().filter(|point| point.branch == "other").collect();
    let last = inside.last().expect("the branch is tested");
    assert_eq!((last.epoch, last.iteration), (4.0, 8), "from the next epoch on, two mini-batches an epoch");
    let wrong = last.value * 20.0;
    assert!((wrong - wrong.round()).abs() < 1e-9, "accuracy of 20 images: {}", last.value);
    let plain = run(with_plan("Train(\"4it\"), Train(\"1ep\"), Test"));
    assert!(same_bits(&ended.state.network, &plain.state.network), "the original goes on as it would");
    assert_resumes(&with_plan(other), 3);
}

#[test]
fn data_of_another_shape_are_refused() {
    let found = complaints("Branch(name: \"iris\", data: Iris(), plan: [Test])");
    assert!(found[0].contains("Branch, Data: a branch needs data of the same shape"), "{found:?}");
    // Files can turn out to hold something else than the check knew.
    let experiment =
        parse("(arms: [(plan: [Branch(name: \"iris\", data: Iris(), plan: [Test])])])", Path::new("x.ron"));
    let unchecked = runs(&experiment.unwrap()).unwrap().swap_remove(0);
    let message = failure(unchecked.spec.as_ref().clone());
    assert!(message.contains("a clone needs data of the same shape"), "{message}");
}

/// The same line with re-estimated statistics, which are the default, and with interpolated ones.
const BOTH_LINES: &str = "Connect(a: \"one\", b: \"two\", points: 3),
    Connect(a: \"one\", b: \"two\", points: 3, statistics: Interpolated)";

/// The values of a series along both lines.
fn on_both_lines(events: &[Event], series: &str) -> [[f64; 3]; 2] {
    let values = values(events, series);
    [0, 3].map(|first| values[first..][..3].try_into().expect("two lines of three points"))
}

/// Two small VGGs on digits that train in different orders, before further stages.
fn two_vggs(settings: &str, training: &str, then: &str) -> RunSpec {
    let branch = |name| format!("Branch(name: \"{name}\", order: Own, plan: [{training}])");
    let plan = format!("{}, {}, {then}", branch("one"), branch("two"));
    spec(&format!("({settings}, arms: [(plan: [{plan}])])"))
}

const STEP: &str = "Train(\"1it\")";

/// Networks that are small enough for tests, and barely trained.
fn tiny(training: &str, then: &str) -> RunSpec {
    let settings =
        "data: Digits(limit_train: 40, limit_test: 8), net: Vgg(depth: 11, width: 2), train: (batch: 16)";
    two_vggs(settings, training, then)
}

/// The network with the statistics of one pass over the training part: means over its mini-batches, which are of one size.
fn measured(context: &RunContext, network: &Network) -> Network {
    let (train, batch) = (&context.data.train, context.spec.train.batch);
    let order = shuffled(train.len(), &mut stream(context.spec.seed, Purpose::Statistics, &[]));
    let batches: Vec<_> = order.chunks(batch).map(|indices| train.pick(indices)).collect();
    let passes = batches.iter().map(|batch| {
        context.compute.training_forward(network, &batch.values().unwrap(), batch.len(), None).statistics
    });
    let passes: Vec<_> = passes.collect();
    let mut measured = network.clone();
    for (norm, first) in passes[0].iter().enumerate() {
        let unbiased = first.count as f64 / (first.count as f64 - 1.0);
        let mean = |value: &dyn Fn(&BatchStatistics) -> f64| {
            passes.iter().map(|pass| value(&pass[norm])).sum::<f64>() / passes.len() as f64
        };
        let channels = 0..first.mean.len();
        let means: Vec<f32> =
            channels.clone().map(|channel| mean(&|pass| f64::from(pass.mean[channel])) as f32).collect();
        let variances: Vec<f32> = channels
            .map(|channel| mean(&|pass| unbiased * f64::from(pass.variance[channel])) as f32)
            .collect();
        for (role, values) in [(Role::RunningMean, means), (Role::RunningVariance, variances)] {
            let index = network.structure().position(first.layer, role).unwrap();
            measured.write(index, &values);
        }
    }
    measured
}

#[test]
fn interpolated_statistics_overstate_the_barrier() {
    let settings = "data: Digits(limit_train: 64, limit_test: 20), net: Vgg(depth: 11, width: 3),
        train: (optimizer: Sgd(rate: 0.2), batch: 16, kernels: Exact)";
    let spec = two_vggs(settings, "Train(\"4ep\")", BOTH_LINES);
    let ended = run(spec.clone());
    let barrier = |values: [f64; 3]| values[1] - f64::midpoint(values[0], values[2]);
    let losses = on_both_lines(&ended.events, "line_loss");
    let [reestimated, interpolated] = losses.map(barrier);
    assert!(reestimated > 0.3 && interpolated > reestimated + 0.2, "{reestimated} {interpolated}");
    let accuracies = on_both_lines(&ended.events, "line_accuracy");
    assert!(accuracies[0][0] >= 0.7 && accuracies[0][2] >= 0.7, "{accuracies:?}");
    let [reestimated, interpolated] = accuracies.map(|values| -barrier(values));
    // One of 20 samples is 0.05, and which are right depends on the processor's rounding.
    assert!(interpolated > reestimated, "{reestimated} {interpolated}");
    let reports = reports(&ended.events, "line");
    let statistics: Vec<_> = reports.iter().map(|report| report.line_statistics().unwrap()).collect();
    assert_eq!(statistics, ["re-estimated", "interpolated"]);
    assert!(reports.iter().all(|report| report.line_ends() == Some(["one", "two"])));

    let (context, kept) = (context(spec), &ended.state.snapshots);
    let test = &context.data.test;
    let loss = |network: &Network| {
        let logits = context.compute.logits(network, &test.values().unwrap(), test.len());
        context.loss.evaluate(&logits, &test.labels).mean
    };
    for (at, along) in [0.0, 0.5, 1.0].into_iter().enumerate() {
        let network = kept["one"].network.between(&kept["two"].network, along);
        let found = [&measured(&context, &network), &network].map(loss);
        for (found, expected) in found.into_iter().zip(losses) {
            assert!((found - expected[at]).abs() < 1e-5, "{found} {}", expected[at]);
        }
    }
}

#[test]
fn without_batch_norm_both_lines_have_the_same_bits() {
    let ended = run(with_plan(&TWO_BRANCHES.replace("points: 5)", &format!("points: 3), {BOTH_LINES}"))));
    let losses = values(&ended.events, "line_loss").into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!((losses.len(), &losses[3..6]), (9, &losses[6..]));
    assert!(reports(&ended.events, "line").iter().all(|report| report.line_statistics().is_none()));
}

#[test]
fn statistics_that_are_held_are_interpolated_in_any_case() {
    let held = "Train(\"1it\"), Do(Freeze(target: (params: RunningStatistics))), Train(\"1it\")";
    let held = run(tiny(held, BOTH_LINES));
    let [reestimated, interpolated] = on_both_lines(&held.events, "line_loss");
    assert_eq!(reestimated.map(f64::to_bits), interpolated.map(f64::to_bits));
    let [reestimated, interpolated] = on_both_lines(&run(tiny(STEP, BOTH_LINES)).events, "line_loss");
    assert!(reestimated != interpolated);
}

/// Records a run, and stops it at its first progress within the stage at this place.
struct StopWithin {
    stage: &'static str,
    is_there: bool,
    stop: StopFlag,
    recorder: Recorder,
}

impl Listener for StopWithin {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        if let Event::Stage(began) = &event {
            self.is_there = began.stage == self.stage;
        }
        if self.is_there && matches!(event, Event::Progress(_)) {
            self.stop.request(StopKind::Now);
        }
        self.recorder.event(event)
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.recorder.checkpoint(checkpoint)
    }
    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        self.recorder.lines(table, lines)
    }
    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        self.recorder.network(files, network)
    }
}

/// The points along the line and its reports, when its measurement is stopped once and resumes.
fn resumed(spec: RunSpec) -> (Vec<Point>, Vec<Report>) {
    let stop = StopFlag::new();
    let recorder = Recorder::default();
    let mut listener = StopWithin { stage: "2", is_there: false, stop: stop.clone(), recorder };
    let end = Session::new(context(spec.clone()), None, 1, stop, &mut listener).run().unwrap();
    assert_eq!((end, values(&listener.recorder.events, "line_loss").len()), (RunEnd::Stopped, 0));
    let checkpoint = listener.recorder.checkpoint.unwrap();
    let mut rest = Recorder::default();
    let end = Session::new(context(spec), Some(checkpoint), 1, StopFlag::new(), &mut rest).run().unwrap();
    let begins = rest.events.iter().any(|event| matches!(event, Event::Stage(_)));
    assert!(end == RunEnd::Done && !begins, "it resumes within the stage");
    (points(&rest.events), reports(&rest.events, "line"))
}

#[test]
fn a_measurement_of_statistics_resumes_and_threads_and_other_runs_change_no_bit() {
    let spec = || tiny(STEP, "Connect(a: \"one\", b: \"two\", points: 3)");
    let whole = run(spec());
    let on_line = |points: Vec<Point>| -> Vec<Point> {
        points.into_iter().filter(|point| point.along.is_some()).collect()
    };
    let expected = (on_line(points(&whole.events)), reports(&whole.events, "line"));
    assert_eq!(expected.0.len(), 6);
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (points, reports) = pool.install(|| resumed(spec()));
        (on_line(points), reports)
    };
    let found = std::thread::scope(|scope| {
        [1, 3].map(|threads| scope.spawn(move || with_threads(threads))).map(|run| run.join().unwrap())
    });
    assert_eq!(found, [expected.clone(), expected]);
    let progress = whole.events.iter().filter_map(|event| match event {
        Event::Progress(progress) => Some(progress.done),
        _ => None,
    });
    let done: Vec<f64> = progress.collect();
    assert!(done.is_sorted() && (done[done.len() - 1] - 1.0).abs() < 1e-9, "{done:?}");
}

#[test]
fn a_line_is_measured_anew_when_its_run_was_stopped() {
    assert_resumes(&with_plan(TWO_BRANCHES), 4);
}
