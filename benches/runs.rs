//! How long the results of many runs take to read: `cargo bench --bench runs -- 100 1000 10000`.
//!
//! For each number it writes a folder of runs with 100 points each, as a finished training of 25 epochs leaves them, and
//! prints one line of JSON: `records_s` to read all records in all threads, as the window and `show` do, `one_thread_s` the
//! same in one thread, `again_s` to look which of them have changed, `other_settings_s` to list the runs of a folder that a
//! document does not list, `queue_s` to put all runs into a paused queue and look at
//! it, and `peak_mb`, the peak of memory so far. The files are in the page cache.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use weightlab::doc::file::parse;
use weightlab::doc::{Run, runs};
use weightlab::run::{
    Job, Queue, QueueOptions, RunDirectory, Stamp, StopFlag, StopKind, outdated_runs, read_record,
    read_records,
};

/// Arms of the experiment; the seeds of each make up the number.
const ARMS: usize = 10;

fn main() {
    let counts = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let mut counts: Vec<usize> = counts.collect();
    if counts.is_empty() {
        counts = vec![100, 1000, 10_000];
    }
    for count in counts {
        measure(count);
    }
}

fn measure(count: usize) {
    let folder = tempfile::tempdir().expect("there is room");
    let runs = experiment(count);
    for run in &runs {
        write_run(folder.path(), run);
    }
    let (records, records_s) = timed(|| read_records(folder.path(), &runs));
    let (_, one_thread_s) =
        timed(|| runs.iter().filter_map(|run| read_record(folder.path(), &run.id)).count());
    let (_, again_s) = timed(|| runs.iter().filter_map(|run| Stamp::of(folder.path(), &run.id)).count());
    let (_, other_settings_s) = timed(|| outdated_runs(folder.path(), &BTreeSet::new()).len());
    let ((), queue_s) = timed(|| queue(folder.path(), &runs));
    assert_eq!(records.len(), runs.len());
    println!(
        "{{\"runs\":{count},\"records_s\":{records_s:.3},\"one_thread_s\":{one_thread_s:.3},\
         \"again_s\":{again_s:.3},\"other_settings_s\":{other_settings_s:.3},\
         \"queue_s\":{queue_s:.3},\"peak_mb\":{}}}",
        peak_mb()
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let began = Instant::now();
    let result = work();
    (result, began.elapsed().as_secs_f64())
}

fn experiment(count: usize) -> Vec<Run> {
    let mut arms = String::new();
    for arm in 0..ARMS {
        let _ = write!(
            arms,
            "(name: \"arm {arm}\", set: {{ \"train.batch\": {} }}, plan: [Train(\"25ep\"), Test]),",
            16 + arm
        );
    }
    let seeds: Vec<usize> = (1..=count.div_ceil(ARMS)).collect();
    let text = format!("(net: Mlp(hidden: [4]), seeds: {seeds:?}, arms: [{arms}])");
    let experiment = parse(&text, Path::new("bench.ron")).expect("the document is right");
    let mut all = runs(&experiment).expect("it expands");
    all.truncate(count);
    all
}

/// What a run leaves: its settings, its log, and the mark of its end.
fn write_run(folder: &Path, run: &Run) {
    drop(RunDirectory::claim(folder, run, Box::new(|_| {})).expect("the folder is free"));
    let mut log = String::from(
        "{\"event\":\"started\",\"resumed\":false,\"threads\":1}\n\
         {\"event\":\"stage\",\"number\":0,\"of\":2,\"stage\":\"0\",\"label\":\"Train 25 epochs\"}\n",
    );
    for epoch in 1..=25_u32 {
        for series in ["train_loss", "train_accuracy", "test_loss", "test_accuracy"] {
            let value = 0.5 + f64::from(epoch) / 100.0 + run.seed as f64 * 1e-6;
            let _ = writeln!(
                log,
                "{{\"event\":\"point\",\"series\":\"{series}\",\"value\":{value},\"stage\":\"0\",\
                 \"epoch\":{epoch}.0,\"iteration\":{},\"trained\":{epoch}.0,\"remaining\":1.0,\
                 \"secs\":{}}}",
                epoch * 23,
                f64::from(epoch) / 50.0
            );
        }
    }
    log += "{\"event\":\"finished\",\"secs\":0.6}\n";
    let directory = folder.join(&run.id);
    std::fs::write(directory.join("events.jsonl"), log).expect("there is room");
    std::fs::write(directory.join("DONE"), "").expect("there is room");
}

fn queue(folder: &Path, runs: &[Run]) {
    let job = |run: &Run| Job { run: run.clone(), folder: folder.to_owned(), base: PathBuf::new() };
    let stop = StopFlag::new();
    stop.pause();
    let options = QueueOptions { jobs: 1, threads: 1 };
    let (queue, _messages) = Queue::start(runs.iter().map(job).collect(), &options, stop);
    assert_eq!(queue.view().runs.len(), runs.len());
    queue.stop(StopKind::Now);
    queue.join();
}

/// Peak of this process's memory, 10⁶ bytes; 0 where the system does not tell.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024 / 1_000_000
}
