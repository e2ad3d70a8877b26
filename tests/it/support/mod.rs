//! What tests of the engine share: runs without files, and runs that are cut up.

pub mod bench;
pub mod screen;
pub mod tiny;
pub mod window;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use doc::file::parse;
use doc::{Run, RunSpec, Severity, runs};
use net::weights_file::f32_bytes;
use net::{Network, backend};
use results::campaign::CampaignRecord;
use results::{Event, Point, Report, RunRecord};
use run::testing::Recorder;
use run::{
    Checkpoint, Datasets, Listener, RunContext, RunDirectory, RunEnd, RunError, Session, State, StopFlag,
    StopKind, Table,
};
use safetensors::tensor::{Dtype, TensorView};

/// The spec of the only arm of a document.
pub fn spec(text: &str) -> RunSpec {
    let experiment = parse(text, Path::new("test.ron")).expect("the test's document is right");
    let mut problems = doc::validate(&experiment);
    problems.retain(|problem| problem.severity == Severity::Error);
    assert_eq!(problems, []);
    doc::RunSpec::clone(&runs(&experiment).expect("it expands").swap_remove(0).spec)
}

/// A weight file of a perceptron with one hidden layer, by its numbers of inputs, hidden units and classes; `value` gives a
/// number by its position in its tensor.
pub fn weight_file([features, hidden, classes]: [usize; 3], value: impl Fn(usize) -> f32) -> Vec<u8> {
    let shapes = [
        ("fc1.weight", vec![hidden, features]),
        ("fc1.bias", vec![hidden]),
        ("fc2.weight", vec![classes, hidden]),
        ("fc2.bias", vec![classes]),
    ];
    let tensors = shapes.map(|(name, shape)| {
        let count: usize = shape.iter().product();
        let values: Vec<f32> = (0..count).map(&value).collect();
        (name, shape, f32_bytes(&values))
    });
    let views = tensors
        .each_ref()
        .map(|(name, shape, bytes)| (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
    safetensors::serialize(views, None).unwrap()
}

/// A run of an experiment with this spec.
pub fn known_run(spec: &RunSpec) -> Run {
    Run {
        id: spec.id(),
        arm: "arm".to_owned(),
        arm_index: 0,
        is_earlier: false,
        seed: spec.seed,
        spec: spec.clone().into(),
    }
}

/// A small residual network with both kinds of shortcuts between images of other shapes.
pub const RESIDUAL: &str = "Sequential(layers: [
    Conv(channels: 3, bias: false), BatchNorm(), Relu,
    Residual(body: [
        Conv(channels: 4, stride: 2, bias: false), BatchNorm(), Relu, Conv(channels: 4, kernel: 1),
    ], shortcut: PadSubsample), Relu,
    Residual(body: [Conv(channels: 5, stride: 2), BatchNorm()], shortcut: Project()), Relu,
    GlobalAveragePool, Flatten, Linear(),
])";

/// A small perceptron on the first 192 digits, three mini-batches an epoch.
pub fn with_plan(plan: &str) -> RunSpec {
    on_digits("Mlp(hidden: [8, 6])", plan)
}

/// The same with [`RESIDUAL`].
pub fn residual(plan: &str) -> RunSpec {
    on_digits(RESIDUAL, plan)
}

fn on_digits(net: &str, plan: &str) -> RunSpec {
    spec(&format!(
        "(data: Digits(limit_train: 192, limit_test: 40), net: {net},
          train: (optimizer: Adam(rate: 0.002), batch: 64), arms: [(plan: [{plan}])])"
    ))
}

/// What a validation says about a plan.
pub fn complaints(plan: &str) -> Vec<String> {
    let experiment = parse(&format!("(arms: [(plan: [{plan}])])"), Path::new("test.ron")).unwrap();
    doc::validate(&experiment).iter().map(ToString::to_string).collect()
}

pub fn context(spec: RunSpec) -> Arc<RunContext> {
    let data =
        Datasets::default().get(&spec.data, &spec.net, Path::new(".")).expect("embedded data are there");
    let compute = backend(&spec.device, &spec.train.kernels).unwrap();
    Arc::new(RunContext::new(spec, "arm".to_owned(), data, compute, PathBuf::new(), PathBuf::new()).unwrap())
}

/// How a run ended: its main branch, and all that it said.
pub struct Ended {
    pub state: State,
    pub events: Vec<Event>,
    /// Lines of `faults.csv`.
    pub faults: String,
}

pub fn run(spec: RunSpec) -> Ended {
    let mut recorder = Recorder::default();
    let mut session = Session::new(context(spec), None, 1, StopFlag::new(), &mut recorder);
    assert_eq!(session.run().expect("the run ends well"), RunEnd::Done);
    let checkpoint = recorder.checkpoint.expect("each stage leaves a checkpoint");
    let faults = recorder.tables.remove(&Table::Faults).unwrap_or_default();
    Ended { state: checkpoint.stack[0].clone(), events: recorder.events, faults }
}

/// The message of a run that fails.
pub fn failure(spec: RunSpec) -> String {
    let mut recorder = Recorder::default();
    Session::new(context(spec), None, 1, StopFlag::new(), &mut recorder).run().unwrap_err().to_string()
}

/// Points without their wall time.
pub fn points(events: &[Event]) -> Vec<Point> {
    let points = events.iter().filter_map(|event| match event {
        Event::Point(point) => Some(Point { secs: 0.0, ..point.clone() }),
        _ => None,
    });
    points.collect()
}

pub fn values(events: &[Event], series: &str) -> Vec<f64> {
    points(events).iter().filter(|point| point.series == series).map(|point| point.value).collect()
}

pub fn reports(events: &[Event], kind: &str) -> Vec<Report> {
    let reports = events.iter().filter_map(|event| match event {
        Event::Report(report) if report.kind == kind => Some(report.clone()),
        _ => None,
    });
    reports.collect()
}

/// All reports but those that hold wall times.
fn said(events: &[Event]) -> Vec<Report> {
    let reports = events.iter().filter_map(|event| match event {
        Event::Report(report) if report.kind != "watch" => Some(report.clone()),
        _ => None,
    });
    reports.collect()
}

/// What is known of the campaigns of a run.
pub fn campaigns(events: &[Event]) -> Vec<CampaignRecord> {
    RunRecord::from_events(events.iter().cloned()).campaigns().to_vec()
}

/// Whether two networks have the same bits everywhere.
pub fn same_bits(a: &Network, b: &Network) -> bool {
    a.checksum() == b.checksum()
}

/// Stops a run when it has heard so many points.
struct Interrupter {
    directory: RunDirectory,
    events: Vec<Event>,
    after: usize,
    stop: StopFlag,
}

impl Listener for Interrupter {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        self.events.push(event.clone());
        if points(&self.events).len() >= self.after {
            self.stop.request(StopKind::Now);
        }
        self.directory.event(event)
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.directory.checkpoint(checkpoint)
    }
    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        self.directory.lines(table, lines)
    }
    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        self.directory.network(files, network)
    }
}

/// Stops a run after every so many points, goes on from the checkpoint on disk each time, and asserts that nothing
/// differs from the run in one piece.
pub fn assert_resumes(spec: &RunSpec, every: usize) {
    let whole = run(spec.clone());
    let expected = points(&whole.events);
    let mut stops = 0;
    for after in (1..expected.len()).step_by(every) {
        let folder = tempfile::tempdir().expect("there is room");
        let known = known_run(spec);
        let context = context(spec.clone());
        let directory = || RunDirectory::claim(folder.path(), &known, Box::new(|_| {})).expect("it is free");
        let stop = StopFlag::new();
        let mut first = Interrupter { directory: directory(), events: Vec::new(), after, stop: stop.clone() };
        let outcome = Session::new(context.clone(), None, 1, stop, &mut first).run().expect("it stops well");
        let mut events = first.events;
        let log = folder.path().join(&known.id).join(Table::Faults.file());
        let logged = || std::fs::read_to_string(&log).unwrap_or_default();
        let without_head =
            |text: String| text.split_once('\n').map_or_else(String::new, |(_, rest)| rest.to_owned());
        let mut faults = without_head(logged());
        if outcome == RunEnd::Stopped {
            stops += 1;
            drop(first.directory);
            let checkpoint = directory().resume(&context).expect("the disk is there");
            assert!(checkpoint.is_some(), "the checkpoint can be read");
            let mut second = Recorder::default();
            let mut session = Session::new(context, checkpoint, 1, StopFlag::new(), &mut second);
            assert_eq!(session.run().expect("it goes on well"), RunEnd::Done);
            assert!(same_bits(session.network(), &whole.state.network), "stopped after {after} points");
            drop(session);
            events.extend(second.events);
            faults = without_head(logged()) + second.tables.get(&Table::Faults).map_or("", String::as_str);
        }
        assert_eq!(points(&events), expected, "stopped after {after} points");
        assert_eq!(said(&events), said(&whole.events), "stopped after {after} points");
        assert!(faults == whole.faults, "stopped after {after} points, another log of faults");
    }
    assert!(stops > 0, "no stop came before the end");
}
