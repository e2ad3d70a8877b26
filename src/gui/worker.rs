//! The worker: the queue of runs, behind a trait that tests replace by a script.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use eframe::egui::Context;

use super::background::BackgroundTask;
use super::runs::{ArmSeed, FoundRun};
use doc::Run;
use results::RunRecord;
use run::{self, Command, Cost, Job, Message, Pace, Queue, QueueOptions, QueueView, StopFlag, Task};

/// Starts runs and knows what they cost.
pub trait Worker {
    /// Begins the jobs in the background; the options say how they share the machine.
    fn start(&mut self, jobs: Vec<Job>, options: QueueOptions) -> RunningJobs;
    /// Reads what earlier runs left in a folder, in the background: each run as soon as it is read. The channel closes at
    /// the end.
    fn read(&self, folder: &Path, runs: &[Run]) -> Receiver<(String, RunRecord)>;
    /// Returns how often to look for results that other processes write; nothing where there are none.
    fn watch_every(&self) -> Option<Duration> {
        None
    }
    /// Looks for runs that a folder has beside those that are listed, in the background; reads what they tell of the
    /// `wanted` arms and seeds. By default there are none.
    fn search(&self, _folder: &Path, _listed: &[Run], _wanted: BTreeSet<ArmSeed>) -> Receiver<FoundRun> {
        sync_channel(1).1
    }
    /// Returns the cost of a run.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn cost(&self, run: &Run) -> Result<Cost, String>;
    /// Measures how long a task takes, in the background, until it is asked to stop. By default nothing is measured.
    fn measure(
        &self,
        _task: Task,
        _options: QueueOptions,
        _stop: StopFlag,
        _ctx: &Context,
    ) -> Option<BackgroundTask<Option<Pace>>> {
        None
    }
}

/// Jobs that go on in the background. Their messages end when all of them are over.
pub struct RunningJobs {
    /// Their messages, from a bounded channel: a slow reader slows the runs down, and loses nothing.
    pub messages: Receiver<Message>,
    /// Their order, and how they are added, moved and stopped.
    pub queue: Box<dyn RunQueue>,
}

/// The queue as the window sees it; none of this waits for a run. See [`Queue`].
pub trait RunQueue {
    /// Carries out a command. Returns true if the queue has not ended yet.
    fn command(&self, command: Command) -> bool;
    /// Grows whenever the queue has changed.
    fn revision(&self) -> u64;
    /// Returns the queue at this moment.
    fn view(&self) -> QueueView;
    /// Waits until the order is on disk, for so long at most.
    fn finish_order(&self, patience: Duration);
}

impl RunQueue for Queue {
    fn command(&self, command: Command) -> bool {
        self.command(command)
    }

    fn revision(&self) -> u64 {
        self.revision()
    }

    fn view(&self) -> QueueView {
        self.view()
    }

    fn finish_order(&self, patience: Duration) {
        self.finish_order(patience); // an order that cannot be written costs no result
    }
}

/// Records that are read before the window takes them, which keeps them: over thousands of runs a frame takes long, and
/// who reads them is not to wait for it.
const READ_AHEAD: usize = 2048;

/// Nothing is measured before what is to be measured has been the same for so long.
const QUIET: Duration = Duration::from_millis(400);

/// Results of other processes are looked for this often.
const WATCH: Duration = Duration::from_secs(3);

/// The real queue, in threads of this process.
pub struct Threads;

impl Worker for Threads {
    fn start(&mut self, jobs: Vec<Job>, options: QueueOptions) -> RunningJobs {
        let (queue, messages) = Queue::start(jobs, &options, StopFlag::new());
        RunningJobs { messages, queue: Box::new(queue) }
    }

    fn read(&self, folder: &Path, runs: &[Run]) -> Receiver<(String, RunRecord)> {
        let (sender, read) = sync_channel(READ_AHEAD);
        let ids: Arc<Vec<String>> = Arc::new(runs.iter().map(|run| run.id.clone()).collect());
        let next = Arc::new(AtomicUsize::new(0));
        for number in 0..run::parallelism().min(ids.len()) {
            let (folder, ids, next, sender) = (folder.to_owned(), ids.clone(), next.clone(), sender.clone());
            let work = move || {
                while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(record) = run::read_record(&folder, id) else { continue };
                    if sender.send((id.clone(), record)).is_err() {
                        return; // another document is open by now
                    }
                }
            };
            let thread = std::thread::Builder::new().name(format!("reader {number}"));
            if thread.spawn(work.clone()).is_err() {
                work(); // better late than never
            }
        }
        read
    }

    fn watch_every(&self) -> Option<Duration> {
        Some(WATCH)
    }

    fn search(&self, folder: &Path, listed: &[Run], wanted: BTreeSet<ArmSeed>) -> Receiver<FoundRun> {
        let (sender, found) = sync_channel(READ_AHEAD);
        let folder = folder.to_owned();
        let listed = listed.to_vec();
        let work = move || {
            let mut wanted = wanted;
            for run in run::outdated_runs(&folder, &listed) {
                let name = (run.arm.clone(), run.seed);
                let read = || run::read_record(&folder, &run.id).filter(|record| !record.points().is_empty());
                let record = if wanted.contains(&name) { read() } else { None };
                if record.is_some() {
                    wanted.remove(&name); // those that follow are older
                }
                if sender.send((run, record)).is_err() {
                    return; // another document is open by now
                }
            }
        };
        // Without a thread nothing is found, and nothing is lost.
        let _ = std::thread::Builder::new().name("earlier results".to_owned()).spawn(work);
        found
    }

    fn cost(&self, run: &Run) -> Result<Cost, String> {
        run::cost(run)
    }

    fn measure(
        &self,
        task: Task,
        options: QueueOptions,
        stop: StopFlag,
        ctx: &Context,
    ) -> Option<BackgroundTask<Option<Pace>>> {
        BackgroundTask::begin("measurement", ctx, move || {
            let began = Instant::now();
            while began.elapsed() < QUIET {
                if stop.requested().is_some() {
                    return None;
                }
                std::thread::sleep(QUIET / 20);
            }
            run::measure(&task, options, &stop)
        })
    }
}
