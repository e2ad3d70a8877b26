//! Campaigns in a run directory: that they resume, restore and replay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use doc::{Run, RunSpec};
use net::Network;
use results::Event;
use results::campaign::ImageOutcome;
use run::summary::{FaultFilter, FaultyTrial, SingleCells, read_faulty_trials};
use run::testing::Recorder;
use run::{
    Checkpoint, Datasets, Listener, Replay, RunContext, RunDirectory, RunEnd, RunError, Session, StopFlag,
    StopKind, Table, input_problems, replay,
};

use crate::support::{campaigns, known_run, reports, residual, with_plan};

/// Computes until it has been asked so often, and panics then.
struct Fragile {
    compute: net::BurnCompute,
    left: std::sync::atomic::AtomicUsize,
}

impl net::Compute for Fragile {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        self.compute.logits(network, inputs, count)
    }
    fn forward(
        &self,
        network: &Network,
        ops: std::ops::Range<usize>,
        input: &net::Activations,
    ) -> net::Activations {
        let left = self.left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        assert!(left > 1, "the device is gone");
        self.compute.forward(network, ops, input)
    }
    fn training_forward(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: net::DropoutStream,
    ) -> net::TrainingOutput {
        self.compute.training_forward(network, inputs, count, dropout)
    }
    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: net::DropoutStream,
        tap: &mut dyn net::Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> net::TrainPass {
        self.compute.train_tapped(network, inputs, count, dropout, tap, gradient)
    }
}

#[test]
fn a_fault_does_not_outlive_a_panic_in_its_trial_nor_a_stop() {
    let spec = with_plan("Campaign(fault: (bits: Bit(30), amount: Count(5)), trials: Fixed(40))");
    let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
    let compute = net::BurnCompute::new(&spec.device);
    let fragile = Fragile { compute, left: 30.into() };
    let context =
        RunContext::new(spec, "arm".to_owned(), data, Box::new(fragile), PathBuf::new(), PathBuf::new())
            .unwrap();
    let golden = context.fresh_network(0).checksum();
    let mut recorder = Recorder::default();
    let mut session = Session::new(Arc::new(context), None, 1, StopFlag::new(), &mut recorder);
    let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| session.run().is_ok()));
    assert!(end.is_err(), "the panic comes through");
    assert_eq!(session.network().checksum(), golden, "after a panic");

    let disk =
        OnDisk::new(with_plan("Campaign(fault: (bits: Bit(30), amount: Count(5)), trials: Fixed(640))"));
    let stopped = disk.go_on(64);
    assert_eq!(
        (stopped.outcome, stopped.checksum.as_str()),
        (RunEnd::Stopped, golden.as_str()),
        "after a stop"
    );
    let done = disk.go_on(usize::MAX);
    assert_eq!((done.outcome, done.checksum), (RunEnd::Done, golden), "after the campaign");
    assert!(reports(&done.events, "campaign_golden").iter().all(|report| report.passed == Some(true)));
}

/// A run in a directory, from its start or from where it was.
struct OnDisk {
    folder: tempfile::TempDir,
    spec: RunSpec,
}

/// Forwards to a directory, and asks to stop after so many lines of trials.
struct Stopper {
    directory: RunDirectory,
    after: usize,
    stop: StopFlag,
    events: Vec<Event>,
}

impl Listener for Stopper {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        self.events.push(event.clone());
        self.directory.event(event)
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.directory.checkpoint(checkpoint)
    }
    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        if table == Table::Trials {
            self.after = self.after.saturating_sub(lines.lines().count());
            if self.after == 0 {
                self.stop.request(StopKind::Now);
            }
        }
        self.directory.lines(table, lines)
    }
    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        self.directory.network(files, network)
    }
}

impl OnDisk {
    fn new(spec: RunSpec) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), spec }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("x.runs").join(self.spec.id())
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn go_on(&self, stop_after: usize) -> Part {
        let run = known_run(&self.spec);
        let folder = self.folder.path().join("x.runs");
        let directory = RunDirectory::claim(&folder, &run, Box::new(|_| {})).unwrap();
        let spec = self.spec.clone();
        let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
        let compute = net::backend(&spec.device, &spec.train.kernels).unwrap();
        let base = self.folder.path().to_owned();
        let context =
            Arc::new(RunContext::new(spec, "arm".to_owned(), data, compute, base, self.path()).unwrap());
        let stop = StopFlag::new();
        let mut stopper = Stopper { directory, after: stop_after, stop: stop.clone(), events: Vec::new() };
        let checkpoint = stopper.directory.resume(&context).unwrap();
        let mut session = Session::new(context, checkpoint, 1, stop, &mut stopper);
        let outcome = session.run().unwrap();
        let checksum = session.network().checksum();
        drop(session);
        Part { outcome, checksum, events: stopper.events }
    }
}

/// What a part of a run said, and the network that it left.
struct Part {
    outcome: RunEnd,
    checksum: String,
    events: Vec<Event>,
}

const TABLES: [&str; 3] = ["faults.csv", "trials.csv", "logits.csv"];

#[test]
fn a_campaign_that_is_stopped_goes_on_exactly() {
    let plan = "Train(\"1ep\"), Campaign(vary: Rate([1e-4, 1e-3]), trials: Fixed(130), images: 8), Test";
    let whole = OnDisk::new(with_plan(plan));
    assert_eq!(whole.go_on(usize::MAX).outcome, RunEnd::Done);
    let parts = OnDisk::new(with_plan(plan));
    let first = parts.go_on(64);
    assert_eq!(first.outcome, RunEnd::Stopped);
    assert_eq!(campaigns(&first.events)[0].trials(), 64, "what is there is kept");
    assert_eq!(parts.go_on(100).outcome, RunEnd::Stopped);
    assert_eq!(parts.go_on(usize::MAX).outcome, RunEnd::Done);
    for table in TABLES {
        assert_eq!(parts.file(table), whole.file(table), "{table}");
    }
    let logged = |disk: &OnDisk| disk.file("events.jsonl").matches("\"event\":\"campaign_cell\"").count();
    assert_eq!(logged(&whole), 2, "a line for each cell");
    assert!(logged(&parts) <= 4, "and for each stop one of the cell under way: {}", logged(&parts));
    let record =
        |disk: &OnDisk| run::read_record(&disk.folder.path().join("x.runs"), &disk.spec.id()).unwrap();
    let (parts, whole) = (record(&parts), record(&whole));
    assert_eq!(parts.campaigns(), whole.campaigns());
    assert_eq!(parts.points().len(), whole.points().len());
}

#[test]
fn the_log_applied_again_gives_the_same_logits() {
    let plan = "Train(\"1ep\"), Campaign(trials: Fixed(6), images: 9),
        Campaign(fault: (target: (params: Preactivations), amount: Count(2)), trials: Fixed(3), protect: Both),
        Campaign(fault: (draw: EveryImage, format: Bfloat16, amount: Rate(1e-3)), trials: Fixed(3), images: 5)";
    let [disk, _residual] = [with_plan(plan), residual(plan)].map(|spec| {
        let disk = OnDisk::new(spec);
        assert_eq!(disk.go_on(usize::MAX).outcome, RunEnd::Done);
        let replayed = replay(&disk.path(), &Replay::default()).unwrap();
        assert_eq!(replayed.len(), 12);
        assert!(replayed.iter().all(run::Replayed::is_equal), "{replayed:#?}");
        disk
    });
    let one = Replay { trial: Some(2), campaign: Some("1".to_owned()), ..Replay::default() };
    let by_stage = Replay { trial: Some(2), stage: Some("2".to_owned()), ..Replay::default() };
    assert_eq!(replay(&disk.path(), &by_stage), replay(&disk.path(), &one), "stages are counted from 1");
    let replayed = replay(&disk.path(), &one).unwrap();
    assert!(replayed.len() == 1 && replayed[0].images.is_empty());
    let replayed = replay(&disk.path(), &Replay { has_images: true, ..one }).unwrap();
    let images = &replayed[0].images;
    let trials = disk.file("trials.csv");
    let line = trials.lines().find(|line| line.starts_with("1,,2,")).unwrap();
    // campaign,round,trial,cell,faults,images,masked,benign,sdc1,sdc5,due,…
    let counts: Vec<usize> = line.split(',').skip(5).take(6).map(|cell| cell.parse().unwrap()).collect();
    let count = |outcome| images.iter().filter(|image| image.outcome == outcome).count();
    assert_eq!(
        [
            images.len(),
            count(ImageOutcome::Masked),
            count(ImageOutcome::Benign),
            count(ImageOutcome::Sdc1),
            count(ImageOutcome::Due)
        ],
        [counts[0], counts[1], counts[2], counts[3], counts[5]]
    );
    let is_changed = |image: &&run::ReplayedImage| image.golden != image.faulty;
    assert_eq!(
        images.iter().filter(is_changed).count(),
        count(ImageOutcome::Sdc1) + count(ImageOutcome::Due)
    );
    let pictures = &replayed[0].pictures;
    assert!(pictures.iter().all(|picture| picture.pixels.len() == picture.size[0] * picture.size[1]));

    let faults = disk.file("faults.csv");
    let line = faults.lines().nth(1).unwrap();
    let (start, after) = line.rsplit_once(',').unwrap();
    let flipped = u32::from_str_radix(after, 16).unwrap() ^ 1 << 30;
    std::fs::write(
        disk.path().join("faults.csv"),
        faults.replacen(line, &format!("{start},{flipped:08x}"), 1),
    )
    .unwrap();
    let replayed = replay(&disk.path(), &Replay::default()).unwrap();
    assert_eq!(replayed.iter().filter(|trial| !trial.is_equal()).count(), 1, "another fault, other logits");
    let none = Replay { trial: Some(99), ..Replay::default() };
    assert!(replay(&disk.path(), &none).unwrap_err().contains("no such trial"));
}

#[test]
fn a_plan_that_names_files_of_the_run_changes_none_of_them() {
    let exports = [
        "campaign-0.safetensors",
        "weights.safetensors",
        "CHECKPOINT/state.safetensors",
        "rounds/step-0.safetensors",
    ]
    .map(|name| format!("Do(Export(file: \"{name}\"))"));
    let plan = format!("Campaign(trials: Fixed(4), images: 5), Do(Reinitialize()), {}", exports.join(", "));
    let last = "Do(Set(parameter: \"fc1.bias\", indices: [0], value: 2.0)), Do(Import(file: \"CHECKPOINT/state.safetensors\"))";
    let disk = OnDisk::new(with_plan(&format!("{plan}, {last}")));
    let done = disk.go_on(usize::MAX);
    assert_eq!(done.outcome, RunEnd::Done);
    let replayed = replay(&disk.path(), &Replay::default()).unwrap();
    assert!(replayed.len() == 4 && replayed.iter().all(run::Replayed::is_equal));
    let exported = OnDisk::new(with_plan(&plan)).go_on(usize::MAX);
    assert_eq!(done.checksum, exported.checksum, "it was read where it was written");
    assert!(
        disk.path().join("exports/CHECKPOINT/state.safetensors").is_file()
            && disk.path().join("checkpoint").is_dir()
    );
}

#[test]
fn the_trials_behind_every_cell_of_the_heat_map_add_up_to_it() {
    let plan = "Campaign(fault: (amount: Count(1)), vary: Bit([0, 30]), trials: Fixed(40), images: 6),
        Campaign(fault: (amount: Rate(1e-4)), trials: Fixed(20), images: 4),
        Campaign(fault: (amount: Count(1), draw: EveryImage), trials: Fixed(3), images: 5)";
    let disk = OnDisk::new(with_plan(plan));
    assert_eq!(disk.go_on(usize::MAX).outcome, RunEnd::Done);
    let (folder, id) = (disk.folder.path().join("x.runs"), disk.spec.id());
    let record = run::read_record(&folder, &id).unwrap();
    let [shared, rates, images] = record.campaigns() else { panic!("three campaigns") };
    assert!(SingleCells::new(rates).cells.is_empty(), "of several faults nobody knows which one it was");
    let all = [(id.clone(), vec![SingleCells::new(rates)])];
    let listed = read_faulty_trials(&folder, &all, &FaultFilter::default(), 1000).unwrap();
    assert_eq!(listed.count, 20, "without a filter they are listed all the same");
    for campaign in [shared, images] {
        let runs = [(id.clone(), vec![SingleCells::new(campaign)])];
        assert!(campaign.outcomes().len() > 2);
        for outcome in campaign.outcomes() {
            let layer = Some(campaign.began.layers[outcome.layer].clone());
            let found =
                read_faulty_trials(&folder, &runs, &FaultFilter { layer, bit: outcome.bit }, 1000).unwrap();
            let hit: u64 = found.worst.iter().map(|trial| trial.images_hit.max(1) as u64).sum();
            assert_eq!(hit, outcome.trials, "{outcome:?}");
            let sum = |count: fn(&FaultyTrial) -> u64| found.worst.iter().map(count).sum::<u64>();
            if campaign.began.campaign == shared.began.campaign {
                let tally = outcome.tally;
                let counted = [sum(|trial| trial.images), sum(|trial| trial.sdc1), sum(|trial| trial.masked)];
                assert_eq!(counted, [tally.images, tally.sdc1, tally.masked], "{outcome:?}");
            }
        }
    }
}

#[test]
fn a_list_is_the_input_of_a_campaign() {
    let plan = "Campaign(faults: File(\"list.csv\"), images: 5)";
    let disk = OnDisk::new(with_plan(plan));
    let list = "trial,parameter,index,bit\n0,fc1.weight,3,30\n0,fc2.weight,0,31\n4,fc3.bias,9,3\n";
    let (begin, wrong) = (disk.folder.path().join("list.csv"), "parameter,index,bit\nfc1.weight,9999,30\n");
    std::fs::write(&begin, list).unwrap();
    assert_eq!(disk.go_on(usize::MAX).outcome, RunEnd::Done);
    assert_eq!(disk.file("trials.csv").lines().count(), 3);
    assert!(disk.file("faults.csv").contains("0,,0,,fc2.weight,0,31,"), "{}", disk.file("faults.csv"));
    let run = Run {
        id: String::new(),
        arm: "a".to_owned(),
        arm_index: 0,
        is_earlier: false,
        seed: 1,
        spec: disk.spec.clone().into(),
    };
    assert!(input_problems(std::slice::from_ref(&run), disk.folder.path()).is_empty());
    std::fs::write(&begin, wrong).unwrap();
    let problems = input_problems(std::slice::from_ref(&run), disk.folder.path());
    assert!(problems[0].message.contains("list.csv: line 2: fc1.weight has 512 entries"), "{problems:?}");
}

#[test]
fn a_draw_too_long_to_list_is_replayed_from_its_stream_in_the_form_of_now_and_in_that_of_before() {
    let plan = "Train(\"1it\"), Campaign(fault: (draw: EveryImage), vary: Rate([0.9, 0.8]), trials: Fixed(2), images: 8)";
    let disk = OnDisk::new(with_plan(plan));
    assert_eq!(disk.go_on(usize::MAX).outcome, RunEnd::Done);
    let log = disk.file("faults.csv");
    let rows: Vec<&str> = log.lines().skip(1).collect();
    let streams =
        ["1,,0,,stream 1 0 0,", "1,,1,,stream 1 0 1,", "1,,2,,stream 1 1 0,", "1,,3,,stream 1 1 1,"];
    assert_eq!(rows.len(), streams.len(), "{log}");
    assert!(
        rows.iter().zip(streams).all(|(row, start)| row.starts_with(start) && row.ends_with(",,,")),
        "{log}"
    );
    let is_equal = || {
        let replayed = replay(&disk.path(), &Replay::default()).unwrap();
        assert!(replayed.len() == 4 && replayed.iter().all(|trial| trial.faults > 100_000));
        replayed.iter().all(run::Replayed::is_equal)
    };
    assert!(is_equal());

    let path = disk.path().join("faults.csv");
    let head = log.lines().next().unwrap();
    std::fs::write(&path, format!("{head}\n{}\n", rows[0].replace("stream 1 0 0", "stream 2 0 0"))).unwrap();
    let error = replay(&disk.path(), &Replay::default()).unwrap_err();
    assert!(error.contains("the stream 2 0 0 of trial 0 does not belong to this campaign"), "{error}");
}
