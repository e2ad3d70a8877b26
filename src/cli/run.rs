//! `weightlab run`: runs what is not done, and resumes what was interrupted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clap::Args;

use super::document::{Document, DocumentArgs, SelectionArgs, by_arm, distinct};
use super::export::write_overview;
use super::output::{Exit, Failure, print_err, print_out, table};
use super::progress::{ProgressLine, REDRAW_EVERY};
use cluster::Shard;
use doc::Run;
use results::statistics::mean_and_deviation;
use results::table::test_series;
use results::{RunRecord, RunState, ends_in_words, has_diverged};
use run::{
    Job, Message, Queue, QueueOptions, StopFlag, StopKind, convert_old_runs, is_marked_done, read_each,
};

/// Settings of `weightlab run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Runs side by side [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Threads per run [default: the runs share the cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Processors that the runs which are left share, where these are not all of the computer's
    #[arg(long, value_name = "N", conflicts_with_all = ["jobs", "threads"], value_parser = clap::value_parser!(u16).range(1..))]
    cpus: Option<u16>,
    /// Only the I-th of N parts of all runs, such as 1/4, to share them between machines [default: in an array of Slurm,
    /// PBS or Kubernetes, the part of the task]
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of parts, where a scheduler tells only which one this is
    #[arg(long, value_name = "N", conflicts_with_all = ["shard", "arm", "seed"], value_parser = clap::value_parser!(u32).range(1..))]
    shards: Option<u32>,
    /// Folder for the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

/// The points of more runs would fill the memory: no figure is drawn of them unasked.
const MOST_DRAWN: usize = 500;

/// Runs the selected runs that are not done.
///
/// # Errors
/// What is wrong with the file or the arguments; nothing ran then.
pub fn run(arguments: &RunArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document, arguments.into.as_ref())?;
    let (runs, found) = document.runs()?;
    let mut runs = distinct(&document.select(runs, &arguments.selection)?);
    let shard = chosen_shard(arguments, &|name| std::env::var(name).ok())?;
    let is_part = shard.is_some() || !arguments.selection.is_empty();
    if let Some(shard) = shard {
        runs = shard.pick(runs);
    }
    let folder = document.folder.clone();
    std::fs::create_dir_all(&folder).map_err(Failure::write(&folder))?;
    convert_old_runs(&folder);

    let mut ends = ends(&folder, &runs);
    let left: Vec<Run> = runs.iter().filter(|run| !is_done(&ends, run)).cloned().collect();
    let done = ends.iter().filter(|(_, end)| end.is_done()).map(|(run, end)| (run.clone(), end.secs));
    let line = ProgressLine::new(&found.measured(&runs), &done.collect());
    let arms: BTreeSet<&str> = left.iter().map(|run| run.arm.as_str()).collect();
    if !arms.is_empty() {
        print_err(&found.text(|arm| arms.contains(arm)));
    }
    let base = document.base();
    let job = |run: &Run| Job { run: run.clone(), folder: folder.clone(), base: base.clone() };
    let stop = stop_on_interrupt()?;
    let options = options(arguments, left.len());
    let (queue, messages) = Queue::start(left.iter().map(job).collect(), &options, stop.clone());
    let line = follow(&messages, line);
    queue.join();

    ends.extend(self::ends(&folder, &left));
    let printed = print_out(&summary(&runs, &ends, &folder));
    if stop.requested().is_some() {
        let waiting = RunState::Waiting;
        let state =
            |run: &Run| ends.get(&run.id).map_or((&waiting, false), |end| (&end.state, end.has_diverged));
        print_err(&ends_in_words(runs.iter().map(state)));
    }
    let exit = exit_of(&runs, &ends, (&line.failures(), &line.elsewhere()), &stop);
    for line in damaged(&runs, &ends, &folder, exit) {
        print_err(&line);
    }
    if exit == Exit::Done && !is_part && runs.len() <= MOST_DRAWN {
        match write_overview(&document.experiment, &runs, &folder) {
            Ok(Some(figure)) => print_out(&format!("Figure: {}", figure.display()))?,
            Ok(None) => {}
            Err(failure) => {
                let why = failure.to_string();
                print_err(&format!("note: no figure was written: {}", why.trim_start_matches("error: ")));
            }
        }
    }
    printed.map(|()| exit)
}

/// Chooses the shard that was named; where no runs were chosen either, that of the scheduler.
fn chosen_shard(
    arguments: &RunArgs,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Shard>, Failure> {
    if arguments.shard.is_some() || !arguments.selection.is_empty() {
        return Ok(arguments.shard);
    }
    let shards = arguments.shards.map(|shards| shards as usize);
    let taken = Shard::from_scheduler(variable, shards).map_err(Failure::Input)?;
    Ok(taken.map(|(shard, name)| {
        print_err(&format!("Part {} of {}, by {name}; --shard 1/1 runs everything", shard.index, shard.of));
        shard
    }))
}

/// The end of a run so far: of thousands of runs, the points would fill the memory.
#[derive(Debug)]
struct RunEnd {
    state: RunState,
    has_diverged: bool,
    secs: f64,
    /// The last test accuracy, in [0, 1]; of an ensemble, that of the vote.
    accuracy: Option<f64>,
}

impl RunEnd {
    fn new(run: &Run, record: &RunRecord) -> Self {
        Self {
            state: record.state().clone(),
            has_diverged: has_diverged(run, record),
            secs: record.progress().secs,
            accuracy: record.points().latest(test_series(record)),
        }
    }

    fn is_done(&self) -> bool {
        self.state == RunState::Done
    }
}

type RunEnds = BTreeMap<String, RunEnd>;

/// Reads how these runs have ended, as far as they have begun.
fn ends(folder: &Path, runs: &[Run]) -> RunEnds {
    let end = |run: &Run, record: Option<RunRecord>| Some((run.id.clone(), RunEnd::new(run, &record?)));
    read_each(folder, runs, end).into_iter().flatten().collect()
}

fn options(arguments: &RunArgs, runs: usize) -> QueueOptions {
    if let Some(cpus) = arguments.cpus {
        return QueueOptions::dividing(usize::from(cpus), runs);
    }
    QueueOptions::chosen(arguments.jobs.map(usize::from), arguments.threads.map(usize::from), runs)
}

/// Signals that come so soon after the first one are the same request: a cluster signals a task's script, which passes it
/// on, and all its processes too.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// Makes a flag that the first Ctrl-C raises; the second one ends the process at once.
fn stop_on_interrupt() -> Result<StopFlag, Failure> {
    let stop = StopFlag::new();
    let flag = stop.clone();
    let mut first: Option<Instant> = None;
    ctrlc::set_handler(move || {
        match first {
            Some(first) if first.elapsed() < SAME_REQUEST => return,
            Some(_) => std::process::exit(Exit::Interrupted as i32),
            None => first = Some(Instant::now()),
        }
        print_err("\nStopping at the next mini-batch; progress is kept. Press Ctrl-C again to abort at once");
        flag.request(StopKind::Now);
    })
    .map_err(|error| Failure::Input(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(stop)
}

/// Shows progress until all runs are over.
fn follow(messages: &Receiver<Message>, mut line: ProgressLine) -> ProgressLine {
    loop {
        match messages.recv_timeout(REDRAW_EVERY) {
            Ok(message) => line.apply(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        line.draw();
    }
    line.clear();
    line
}

fn is_done(ends: &RunEnds, run: &Run) -> bool {
    ends.get(&run.id).is_some_and(RunEnd::is_done)
}

/// Why runs failed, and the other processes that work on runs; both by the runs' ids.
type NotDone<'a> = (&'a BTreeMap<String, String>, &'a BTreeMap<String, String>);

/// Finds the exit status of all runs; prints what is not done.
fn exit_of(runs: &[Run], ends: &RunEnds, (failures, elsewhere): NotDone<'_>, stop: &StopFlag) -> Exit {
    for run in runs {
        if let Some(message) = failures.get(&run.id) {
            print_err(&format!("error: {} (seed {}) failed: {message}", run.arm, run.seed));
        }
        if let Some(owner) = elsewhere.get(&run.id) {
            print_err(&format!(
                "{} (seed {}) is running elsewhere ({owner}); left alone here. If that process is dead, start again \
                    two minutes after its last sign of life",
                run.arm, run.seed
            ));
        }
    }
    let mut own = runs.iter().filter(|run| !elsewhere.contains_key(&run.id));
    let all_done = own.all(|run| is_done(ends, run));
    match (failures.is_empty(), all_done, stop.requested()) {
        (true, true, _) if elsewhere.is_empty() => Exit::Done,
        (true, true, _) => Exit::Elsewhere,
        (true, false, Some(_)) => Exit::Interrupted,
        _ => Exit::RunFailed,
    }
}

/// Lists errors of runs with a mark of being done and a damaged log: nothing else explains why the command fails.
fn damaged(runs: &[Run], ends: &RunEnds, folder: &Path, exit: Exit) -> Vec<String> {
    let marked = runs.iter().filter(|run| exit == Exit::RunFailed && is_marked_done(folder, &run.id));
    let line = |run: &Run| {
        let directory = folder.join(&run.id);
        format!(
            "error: {} (seed {}) is marked as done, but its log is damaged; remove {} to run it again",
            run.arm,
            run.seed,
            directory.display()
        )
    };
    marked.filter(|run| !is_done(ends, run)).map(line).collect()
}

/// Writes a line for each arm (seeds done, mean and deviation of the last test accuracy), and the folder of the results.
fn summary(runs: &[Run], ends: &RunEnds, folder: &Path) -> String {
    let row = |(name, of_arm): (&str, Vec<&Run>)| {
        let known = of_arm.iter().filter_map(|run| ends.get(&run.id));
        let done: Vec<&RunEnd> = known.filter(|end| end.is_done()).collect();
        let accuracies: Vec<f64> = done.iter().filter_map(|end| end.accuracy).collect();
        vec![name.to_owned(), format!("{}/{}", done.len(), of_arm.len()), accuracy(&accuracies)]
    };
    let rows: Vec<Vec<String>> = by_arm(runs).into_iter().map(row).collect();
    let table = table(&["arm", "seeds done", "test accuracy"], &rows, 1);
    format!("{table}Results: {}\n", folder.display())
}

/// Writes `95.83 ± 0.42 %`.
fn accuracy(values: &[f64]) -> String {
    let text = mean_and_deviation(values, 100.0, 2);
    if values.is_empty() { text } else { text + " %" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::RunSpec;
    use results::Event;

    fn run(arm: &str, seed: u64) -> Run {
        let spec = RunSpec { seed, ..RunSpec::default() };
        Run {
            id: format!("{arm}{seed}"),
            arm: arm.to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed,
            spec: spec.into(),
        }
    }

    fn done(accuracy: f64) -> RunEnd {
        let point = format!(
            r#"{{"event":"point","series":"test_accuracy","value":{accuracy},"stage":"0","epoch":1.0,"iteration":1,"trained":1.0,"remaining":1.0,"secs":0.5}}"#
        );
        let record =
            RunRecord::from_events([serde_json::from_str(&point).unwrap(), Event::Finished { secs: 1.0 }]);
        RunEnd::new(&run("a", 1), &record)
    }

    fn waiting() -> RunEnd {
        RunEnd::new(&run("a", 1), &RunRecord::default())
    }

    #[test]
    fn the_summary_has_a_line_for_each_arm_with_mean_and_deviation() {
        let runs = [run("dense", 1), run("dense", 2), run("ticket", 1)];
        let ends = BTreeMap::from([("dense1".to_owned(), done(0.95)), ("dense2".to_owned(), done(0.97))]);
        let text = summary(&runs, &ends, Path::new("x.runs"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "dense           2/2   96.00 ± 1.41 %");
        assert_eq!(lines[2], "ticket          0/1                –");
        assert_eq!(lines[3], "Results: x.runs");
    }

    #[test]
    fn a_run_that_is_marked_as_done_without_a_whole_log_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let (runs, ends) = ([run("a", 1), run("b", 2)], BTreeMap::from([("a1".to_owned(), done(1.0))]));
        for run in &runs {
            std::fs::create_dir(folder.path().join(&run.id)).unwrap();
            std::fs::write(folder.path().join(&run.id).join("DONE"), "").unwrap();
        }
        let exit = exit_of(&runs, &ends, (&BTreeMap::new(), &BTreeMap::new()), &StopFlag::new());
        let lines = damaged(&runs, &ends, folder.path(), exit);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].starts_with("error: b (seed 2) is marked as done, but its log is damaged"),
            "{lines:?}"
        );
        assert!(lines[0].contains(&folder.path().join("b2").display().to_string()), "{lines:?}");
    }

    #[test]
    fn the_exit_status_is_the_worst_of_all_runs() {
        let runs = [run("a", 1), run("b", 1)];
        let all = |b: RunEnd| BTreeMap::from([("a1".to_owned(), done(1.0)), ("b1".to_owned(), b)]);
        let (none, one) = (BTreeMap::new(), BTreeMap::from([("b1".to_owned(), "no data".to_owned())]));
        let stop = StopFlag::new();
        let (failed, elsewhere, fine) = ((&one, &none), (&none, &one), (&none, &none));
        assert_eq!(exit_of(&runs, &all(done(1.0)), fine, &stop), Exit::Done);
        assert_eq!(exit_of(&runs, &all(waiting()), failed, &stop), Exit::RunFailed);
        assert_eq!(exit_of(&runs, &all(waiting()), elsewhere, &stop), Exit::Elsewhere);
        stop.request(StopKind::Now);
        assert_eq!(exit_of(&runs, &all(waiting()), fine, &stop), Exit::Interrupted);
        assert_eq!(exit_of(&runs, &all(waiting()), failed, &stop), Exit::RunFailed);
    }
}
