//! How long many runs take, without the window: `cargo bench --bench runs -- 100 1000 10000`.
//!
//! For each number and each of two shapes it writes an experiment with its runs, 100 points each, as a finished training of 25
//! epochs leaves them. The shape `seeds` has ten arms, and the seeds of each make up the number. The shape `settings` has ten
//! arms, a swept setting and ten seeds, so that every ten runs have settings of their own. It prints one line of JSON for each:
//!
//! - `validate_s`, `expand_s`, `inputs_s`: to check the document, to write its runs out with their identities, and to look
//!   for the files that they read. `after_edit_s`: to write the runs out again when nothing but a name has changed.
//! - `records_s`: to read all records in all threads, as the window does; `one_thread_s`: the same in one thread.
//! - `again_s`: to look which of them have changed. `states_s`: to tell which are done, failed or written by a process.
//! - `other_settings_s`: to list the runs of a folder that a document does not list.
//! - `queue_s`: to put all runs into a paused queue and look at it; `turns_s`: to let a queue of done runs end.
//! - `check_s`, `run_s`, `shard_s` and the others that end so with a `…_mb`: seconds of a command of `weightlab` and the peak of
//!   its memory, 10⁶ bytes: a command without options is named by itself, `shard` is `run --shard 3/100`, and `group`, `json`,
//!   `pairs`, `reports` and `tickets` are options of `show`. `points` and `figure` export to CSV and SVG.
//!
//! A number with `x`, such as `10000x1000`, gives each run so many points. `commands` leaves out all but the commands. The
//! files are in the page cache.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use doc::file::parse;
use doc::{Experiment, Run, runs, runs_after, validate};
use run::{
    Job, Queue, QueueOptions, RunDirectory, Stamp, StopFlag, StopKind, input_problems, outdated_runs,
    read_record, read_records, read_states,
};

/// Arms of the experiment.
const ARMS: usize = 10;
/// Seeds of each setting in the shape of many settings.
const SEEDS: usize = 10;
/// Points of a run.
const POINTS: usize = 100;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = |text: &String| {
        let (runs, points) = text.split_once('x').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
        Some((runs.parse().ok()?, points.map_or(Some(POINTS), |points| points.parse().ok())?))
    };
    let mut sizes: Vec<(usize, usize)> = arguments.iter().filter_map(size).collect();
    if sizes.is_empty() {
        sizes = [100, 1000, 10_000].map(|runs| (runs, POINTS)).to_vec();
    }
    let only_commands = arguments.iter().any(|argument| argument == "commands");
    for (count, points) in sizes {
        for shape in [Shape::Seeds, Shape::Settings] {
            measure(shape, count, points, only_commands);
        }
    }
}

/// What makes up the number of runs.
#[derive(Clone, Copy)]
enum Shape {
    Seeds,
    Settings,
}

impl Shape {
    const fn name(self) -> &'static str {
        match self {
            Self::Seeds => "seeds",
            Self::Settings => "settings",
        }
    }

    fn document(self, count: usize) -> String {
        let arm = |arm: usize| {
            format!(
                "(name: \"arm {arm}\", set: {{ \"train.batch\": {} }}, plan: [Train(\"25ep\"), Test])",
                16 + arm
            )
        };
        let arms = (0..ARMS).map(arm).collect::<Vec<_>>().join(", ");
        let (seeds, values) = match self {
            Self::Seeds => (count.div_ceil(ARMS), 0),
            Self::Settings => (SEEDS, count.div_ceil(ARMS * SEEDS)),
        };
        let seeds: Vec<usize> = (1..=seeds).collect();
        let values: Vec<String> = (1..=values).map(|value| format!("{:.4}", value as f64 / 1e4)).collect();
        let values = if values.is_empty() { "0.001".to_owned() } else { values.join(", ") };
        format!(
            "(net: Mlp(hidden: [4]), seeds: {seeds:?}, sweep: {{ \"train.optimizer.rate\": [{values}] }}, arms: [{arms}])"
        )
    }
}

fn measure(shape: Shape, count: usize, points: usize, only_commands: bool) {
    let place = tempfile::tempdir().expect("there is room");
    let (file, folder) = (place.path().join("bench.ron"), place.path().join("bench.runs"));
    let text = shape.document(count);
    std::fs::write(&file, &text).expect("there is room");
    let experiment = parse(&text, &file).expect("the document is right");
    let all = runs(&experiment).expect("it expands");
    let files = files_of_a_run(place.path(), &all[0], points);
    for run in &all {
        write_run(&folder, run, &files);
    }
    let mut line = format!("{{\"runs\":{},\"shape\":\"{}\",\"points\":{points}", all.len(), shape.name());
    if !only_commands {
        planning(&mut line, &experiment, &all);
        folders(&mut line, &folder, &all);
    }
    commands(&mut line, &file, &all);
    println!("{line}}}");
}

fn planning(line: &mut String, experiment: &Experiment, all: &[Run]) {
    note(line, "validate_s", || assert!(validate(experiment).is_empty()));
    note(line, "expand_s", || assert_eq!(runs(experiment).as_deref(), Ok(all)));
    note(line, "inputs_s", || assert!(input_problems(all, Path::new("")).is_empty()));
    let mut renamed = experiment.clone();
    "renamed".clone_into(&mut renamed.arms[0].name);
    note(line, "after_edit_s", || runs_after(all, &renamed).expect("it expands"));
}

fn folders(line: &mut String, folder: &Path, all: &[Run]) {
    note(line, "records_s", || assert_eq!(read_records(folder, all).len(), all.len()));
    note(line, "one_thread_s", || all.iter().filter_map(|run| read_record(folder, &run.id)).count());
    note(line, "again_s", || all.iter().filter_map(|run| Stamp::read(folder, &run.id)).count());
    note(line, "states_s", || assert_eq!(read_states(folder, all).len(), all.len()));
    note(line, "other_settings_s", || outdated_runs(folder, &[]).len());
    note(line, "queue_s", || queue(folder, all, true));
    note(line, "turns_s", || queue(folder, all, false));
}

/// Does something and adds the least time of three tries, seconds.
fn note<T>(line: &mut String, name: &str, work: impl Fn() -> T) {
    let secs = || {
        let began = Instant::now();
        std::hint::black_box(work());
        began.elapsed().as_secs_f64()
    };
    let least = (0..3).map(|_| secs()).fold(f64::INFINITY, f64::min);
    let _ = write!(line, ",\"{name}\":{least:.4}"); // a string takes everything
}

/// What a run leaves in its directory: its settings, its log, and the mark of its end.
struct Files {
    about: String,
    log: String,
}

fn files_of_a_run(place: &Path, run: &Run, points: usize) -> Files {
    let folder = place.join("template");
    drop(RunDirectory::claim(&folder, run, Box::new(|_| {})).expect("the folder is free"));
    let about = std::fs::read_to_string(folder.join(&run.id).join("run.json")).expect("it was written");
    let mut log = String::from(
        "{\"event\":\"started\",\"resumed\":false,\"threads\":1}\n\
         {\"event\":\"stage\",\"number\":0,\"of\":2,\"stage\":\"0\",\"label\":\"Train 25 epochs\"}\n",
    );
    for evaluation in 1..=points / 4 {
        let epoch = evaluation as f64 * 100.0 / points as f64;
        for series in ["train_loss", "train_accuracy", "test_loss", "test_accuracy"] {
            let value = 0.5 + epoch / 100.0;
            let _ = writeln!(
                log,
                "{{\"event\":\"point\",\"series\":\"{series}\",\"value\":{value}SEED,\"stage\":\"0\",\
                 \"epoch\":{epoch},\"iteration\":{},\"trained\":{epoch},\"remaining\":1.0,\
                 \"secs\":{}}}",
                evaluation * 23,
                epoch / 50.0
            );
        }
    }
    log += "{\"event\":\"finished\",\"secs\":0.6}\n";
    Files { about, log }
}

fn write_run(folder: &Path, run: &Run, files: &Files) {
    let directory = folder.join(&run.id);
    std::fs::create_dir_all(&directory).expect("there is room");
    let about = files.about.replace("\"seed\": 1", &format!("\"seed\": {}", run.seed));
    // The value of each run ends with digits of its own.
    let log = files.log.replace("SEED", &format!("{:06}", run.seed));
    std::fs::write(directory.join("run.json"), about).expect("there is room");
    std::fs::write(directory.join("events.jsonl"), log).expect("there is room");
    std::fs::write(directory.join("DONE"), "").expect("there is room");
}

/// A queue of all runs: one that is paused and looked at, or one that ends.
fn queue(folder: &Path, runs: &[Run], is_paused: bool) {
    let job = |run: &Run| Job { run: run.clone(), folder: folder.to_owned(), base: PathBuf::new() };
    let stop = StopFlag::new();
    if is_paused {
        stop.pause();
    }
    let options = QueueOptions { jobs: 1, threads: 1 };
    let (queue, messages) = Queue::start(runs.iter().map(job).collect(), &options, stop);
    if is_paused {
        assert_eq!(queue.view().runs.len(), runs.len());
        queue.command(run::Command::StopAll(StopKind::Now));
    } else {
        assert_eq!(messages.iter().count(), runs.len());
    }
    queue.join();
}

fn commands(line: &mut String, file: &Path, all: &[Run]) {
    let to = |name: &str| file.with_file_name(name).display().to_string();
    let (csv, svg) = (to("points.csv"), to("figure.svg"));
    let (first, last) = (all[0].arm.as_str(), all[all.len() - 1].arm.as_str());
    for (name, command, options) in [
        ("check", "check", &[][..]),
        ("run", "run", &[]),
        ("shard", "run", &["--shard", "3/100"]),
        ("status", "status", &[]),
        ("show", "show", &[]),
        ("group", "show", &["--group", "arm"]),
        ("json", "show", &["--json"]),
        ("pairs", "show", &["--pairs", first, last]),
        ("reports", "show", &["--reports"]),
        ("tickets", "show", &["--tickets"]),
        ("points", "export", &["--to", &csv]),
        ("figure", "export", &["--figure", "accuracy", "--to", &svg]),
    ] {
        let run = || carry_out(file, command, options);
        let (secs, megabytes) = (0..3)
            .map(|_| run())
            .fold((f64::INFINITY, 0), |(secs, most), (own, peak)| (own.min(secs), peak.max(most)));
        let _ = write!(line, ",\"{name}_s\":{secs:.3},\"{name}_mb\":{megabytes}");
    }
}

/// Carries out a command; its seconds, and the peak of its memory, 10⁶ bytes.
fn carry_out(file: &Path, command: &str, options: &[&str]) -> (f64, u64) {
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_weightlab"))
        .arg(command)
        .arg(file)
        .args(options)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program is there");
    let mut peak = 0;
    let status = loop {
        peak = peak_mb(child.id()).max(peak);
        match child.try_wait().expect("it is a child") {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    assert!(status.success(), "{command} {options:?}");
    (began.elapsed().as_secs_f64(), peak)
}

/// Peak of a process's memory, 10⁶ bytes; 0 where the system does not tell.
fn peak_mb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024 / 1_000_000
}
