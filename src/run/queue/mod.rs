//! Many runs, several in parallel, each with its own thread budget.
//!
//! A window adds runs and changes their order with [`Command`]s, while workers run them, and reads the
//! [`QueueView`]:
//!
//! | to | call |
//! |---|---|
//! | start runs | [`Queue::start`]; the receiver ends with the last run |
//! | add runs | [`Command::Add`]; refused once the queue has ended |
//! | change the order | [`Command::Move`]; kept in `queue.json` beside the runs |
//! | stop or retry one run | [`Command::Stop`], [`Command::Retry`] |
//! | change runs side by side, or threads | [`Command::Options`] |
//! | pause or stop everything | [`Command::Pause`], [`Command::StopAll`] |
//! | show it | [`Queue::view`], again when [`Queue::revision`] has changed |
//!
//! Where a disk is full or may not be written, the queue stops itself at the first run that fails so.
//!
//! No call waits for a run; the order on disk is a small file, which a thread writes. Results do not depend on any of
//! them: a run that is interrupted resumes from its checkpoint, and bits do not depend on threads.

mod job;
mod line;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::context::Datasets;
use super::stop::{StopFlag, StopKind};
use doc::Run;
use doc::file::{read_kept, write_kept};
use job::Turn;
use line::Line;
use results::Event;

/// Messages that may wait for the listener before workers wait for it.
const WAITING_MESSAGES: usize = 4096;
/// The file of the order in the folder of an experiment's runs, without its ending.
const ORDER: &str = "queue";

/// A run with its folders.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub run: Run,
    /// Folder of the experiment's runs.
    pub folder: PathBuf,
    /// Folder that paths of the document are relative to.
    pub base: PathBuf,
}

/// The share of each run in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueOptions {
    pub jobs: usize,
    /// Threads of each run; 0 shares the machine among them.
    pub threads: usize,
}

impl QueueOptions {
    /// Lets as many runs go on side by side as there are processors, which share the machine.
    pub fn sharing(runs: usize) -> Self {
        Self { jobs: parallelism().min(runs).max(1), threads: 0 }
    }

    /// Divides these processors among runs side by side.
    pub fn dividing(cpus: usize, runs: usize) -> Self {
        let jobs = cpus.min(runs).max(1);
        Self { jobs, threads: (cpus / jobs).max(1) }
    }

    /// Takes what is chosen, and the rest of [`sharing`](Self::sharing).
    pub fn chosen(jobs: Option<usize>, threads: Option<usize>, runs: usize) -> Self {
        let usual = Self::sharing(runs);
        Self { jobs: jobs.unwrap_or(usual.jobs), threads: threads.unwrap_or(usual.threads) }
    }

    /// Returns the threads of each run, at least one.
    pub fn threads_per_run(self) -> usize {
        if self.threads > 0 { self.threads } else { (parallelism() / self.jobs.max(1)).max(1) }
    }
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub run: String,
    pub event: Event,
}

/// Returns the number of processors that this process may use.
pub fn parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A request to a queue. Identities that it does not know change nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Adds runs at the end. A run that waits or goes on stays as it is; one that has ended or was asked to stop gets
    /// another turn. A done run ends that turn at once, unless its results were archived since.
    Add(Vec<Job>),
    /// Moves a run in front of another one, or behind all others.
    Move {
        run: String,
        /// The run that is to follow it.
        before: Option<String>,
    },
    /// Stops one run; one that waits does not start.
    Stop { run: String, kind: StopKind },
    /// Gives a run that was stopped or has failed another turn; one that still stops gets it afterwards.
    Retry { run: String },
    /// Changes the options: for runs that start from now on, and, with a moment, for those that go on. They
    /// are then interrupted at that moment where they are too many or have another number of threads, and resume in turn.
    Options {
        options: QueueOptions,
        /// When runs that go on are interrupted; never by default.
        interrupt: Option<StopKind>,
    },
    /// Pauses all runs after their present mini-batch, or resumes them.
    Pause(bool),
    /// Stops all runs, which ends the queue.
    StopAll(StopKind),
}

/// A state of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    pub options: QueueOptions,
    pub is_paused: bool,
    pub stopping: Option<StopKind>,
    /// Why it has stopped by itself: the others would have failed as one did.
    pub halted: Option<&'static str>,
    /// True once it has ended, and takes no more runs.
    pub is_over: bool,
    /// The runs that go on, then those that wait, as they follow each other, then those that have ended.
    pub runs: Vec<QueuedRun>,
}

/// A run in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedRun {
    pub run: String,
    pub state: QueuedState,
}

/// The state of a run in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueuedState {
    /// It has not begun, or was interrupted and resumes.
    Waiting {
        /// Its place among those that wait, from 1.
        position: usize,
        why: WaitReason,
    },
    Running {
        /// The request to stop.
        stopping: Option<StopKind>,
        /// True if it waits for another turn after it has stopped.
        returns: bool,
        threads: usize,
    },
    Ended(Ended),
}

/// A reason to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// As many runs as may go on side by side do.
    Turn,
    Paused,
    /// All runs stop, so it does not start.
    Stopping,
}

impl WaitReason {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Turn => "waits for its turn",
            Self::Paused => "waits for the end of the pause",
            Self::Stopping => "does not start: all runs stop",
        }
    }
}

/// The end of a run of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Done,
    /// It was stopped, or was to start when it was.
    Stopped,
    Failed(String),
    /// Another process works on it.
    Elsewhere(String),
}

/// The order of an experiment's runs, as far as somebody chose one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOrder {
    /// Identities in their order. Runs that are not here follow in the order of the document.
    pub order: Vec<String>,
}

impl RunOrder {
    /// Reads the order of the runs in a folder. Without a file, or with one that cannot be read, it is that of the document:
    /// an order changes no result.
    pub fn read(folder: &Path) -> Self {
        read_kept(folder, ORDER).ok().flatten().unwrap_or_default()
    }

    /// Writes it into the folder of the runs.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        write_kept(folder, ORDER, self)
    }

    /// Puts what has these identities into this order.
    pub fn sort<T>(&self, items: &mut [T], run: impl Fn(&T) -> &str) {
        let places: BTreeMap<&str, usize> =
            self.order.iter().enumerate().map(|(place, run)| (run.as_str(), place)).collect();
        items.sort_by_key(|item| places.get(run(item)).copied().unwrap_or(usize::MAX)); // stable
    }

    /// Puts these runs first, in this order; others keep theirs and follow.
    pub fn put_first(&mut self, runs: Vec<String>) {
        let known: BTreeSet<&String> = runs.iter().collect();
        let mut others = std::mem::take(&mut self.order);
        others.retain(|run| !known.contains(run));
        self.order = runs;
        self.order.extend(others);
    }
}

/// Runs under way.
pub struct Queue(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    stop: StopFlag,
    datasets: Datasets,
}

struct State {
    line: Line,
    options: QueueOptions,
    workers: usize,
    /// Workers that were ever started, for their names.
    started: usize,
    handles: Vec<JoinHandle<()>>,
    halted: Option<&'static str>,
    /// Gone once the queue has ended, which ends the receiver.
    sender: Option<SyncSender<Message>>,
    /// Grows with every change.
    revision: u64,
    /// True where the order on disk is another one; a thread writes it, since disks can be slow.
    is_order_changed: bool,
    is_writing_order: bool,
}

impl Queue {
    /// Starts the runs in their order: that of `queue.json` in their folder, as far as it has them. A run that is done already
    /// only sends its end. The receiver ends when no run goes on and none waits.
    pub fn start(jobs: Vec<Job>, options: &QueueOptions, stop: StopFlag) -> (Self, Receiver<Message>) {
        let (sender, receiver) = sync_channel(WAITING_MESSAGES);
        let mut line = Line::default();
        line.add(in_order(jobs));
        let state = State {
            line,
            options: *options,
            workers: 0,
            started: 0,
            handles: Vec::new(),
            halted: None,
            sender: Some(sender),
            revision: 0,
            is_order_changed: false,
            is_writing_order: false,
        };
        let shared = Shared { state: Mutex::new(state), stop, datasets: Datasets::default() };
        let queue = Self(Arc::new(shared));
        queue.fill(&mut queue.0.lock());
        (queue, receiver)
    }

    /// Obeys a command. Returns false if the queue has ended; it takes no more runs then.
    pub fn command(&self, command: Command) -> bool {
        let mut state = self.0.lock();
        if state.sender.is_none() {
            return false;
        }
        state.revision += 1;
        self.apply(&mut state, command);
        self.fill(&mut state);
        self.0.settle(&state);
        true
    }

    fn apply(&self, state: &mut State, command: Command) {
        match command {
            Command::Add(jobs) => state.line.add(in_order(jobs)),
            Command::Move { run, before } => {
                state.line.move_before(&run, before.as_deref());
                self.save_order(state);
            }
            Command::Stop { run, kind } => state.line.stop(&run, kind),
            Command::Retry { run } => state.line.retry(&run),
            Command::Options { options, interrupt } => {
                state.options = options;
                if let Some(kind) = interrupt {
                    state.line.interrupt(options.jobs.max(1), options.threads_per_run(), kind);
                }
            }
            Command::Pause(true) => self.0.stop.pause(),
            Command::Pause(false) => self.0.stop.resume(),
            Command::StopAll(kind) => self.0.stop.request(kind),
        }
    }

    /// Grows whenever [`view`](Self::view) has changed, but for requests to the flag that the queue was started with.
    pub fn revision(&self) -> u64 {
        self.0.lock().revision
    }

    /// Returns the present state.
    pub fn view(&self) -> QueueView {
        let state = self.0.lock();
        let (is_paused, stopping) = (self.0.stop.is_paused(), self.0.stop.requested());
        let why = match (stopping, is_paused) {
            (Some(_), _) => WaitReason::Stopping,
            (None, true) => WaitReason::Paused,
            (None, false) => WaitReason::Turn,
        };
        let (options, halted, is_over) = (state.options, state.halted, state.sender.is_none());
        QueueView { options, is_paused, stopping, halted, is_over, runs: state.line.view(why) }
    }

    /// Waits until the order is on disk, for so long at most. Returns true if it is.
    pub fn finish_order(&self, patience: Duration) -> bool {
        let began = Instant::now();
        while self.0.lock().is_writing_order {
            if began.elapsed() > patience {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// Waits for the end of the queue and its last file.
    pub fn join(self) {
        loop {
            let handles = std::mem::take(&mut self.0.lock().handles);
            if handles.is_empty() {
                return;
            }
            for handle in handles {
                let _ = handle.join(); // panics of runs are caught and sent as events
            }
        }
    }

    /// Starts workers for runs that wait, as long as there is room.
    fn fill(&self, state: &mut State) {
        let has_room = |state: &State| {
            // Some workers are about to take a run.
            let idle = state.workers.saturating_sub(state.line.running);
            state.workers < state.options.jobs.max(1) && state.line.waiting.len() > idle
        };
        while self.0.stop.requested().is_none() && has_room(state) {
            let shared = self.0.clone();
            let thread = std::thread::Builder::new().name(format!("run worker {}", state.started));
            let Ok(handle) = thread.spawn(move || shared.work()) else { break };
            state.workers += 1;
            state.started += 1;
            state.handles.retain(|handle| !handle.is_finished());
            state.handles.push(handle);
        }
        if state.workers == 0 {
            state.sender = None; // nothing to do, or the system refuses threads
        }
    }

    /// Writes the order into the folders of the runs, in a thread.
    fn save_order(&self, state: &mut State) {
        state.is_order_changed = true;
        if state.is_writing_order {
            return;
        }
        let shared = self.0.clone();
        let name = "order of runs".to_owned();
        if let Ok(handle) = std::thread::Builder::new().name(name).spawn(move || shared.write_order()) {
            state.is_writing_order = true;
            state.handles.push(handle);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one job after the other, as long as there are some and there is room.
    fn work(&self) {
        let mut pool = None;
        while let Some(turn) = self.take() {
            // Threads may have changed since the last run.
            if pool.as_ref().is_none_or(|(known, _)| *known != turn.threads) {
                let builder = rayon::ThreadPoolBuilder::new().num_threads(turn.threads);
                pool = Some((turn.threads, builder.build().ok()));
            }
            let pool = pool.as_ref().and_then(|(_, pool)| pool.as_ref());
            let (ended, stops_all) = turn.run(pool, &self.datasets);
            let mut state = self.lock();
            if stops_all.is_some() {
                state.halted = state.halted.or(stops_all);
                self.stop.request(StopKind::Now); // those that wait stay as they are
            }
            state.line.end(&turn.job.run.id, ended, self.stop.requested().is_some());
            state.revision += 1;
            self.settle(&state);
        }
    }

    /// Ends a pause in which no run is left: the queue could not end otherwise.
    fn settle(&self, state: &State) {
        if state.line.waiting.len() + state.line.running == 0 {
            self.stop.resume();
        }
    }

    /// Takes the next run; none ends the worker, and the last one the queue.
    fn take(&self) -> Option<Turn> {
        self.stop.wait_while_paused();
        let mut state = self.lock();
        let (threads, stop) = (state.options.threads_per_run(), self.stop.for_one());
        if state.workers <= state.options.jobs.max(1)
            && self.stop.requested().is_none()
            && let Some(sender) = state.sender.clone()
            && let Some(job) = state.line.take(stop.clone(), threads)
        {
            state.revision += 1;
            return Some(Turn { job, threads, stop, sender });
        }
        state.workers -= 1;
        if state.workers == 0 {
            state.sender = None;
            state.revision += 1;
        }
        None
    }

    /// Writes the order until nothing has changed meanwhile.
    fn write_order(&self) {
        loop {
            let mut state = self.lock();
            if !std::mem::take(&mut state.is_order_changed) {
                state.is_writing_order = false;
                return;
            }
            let mut orders = BTreeMap::<PathBuf, Vec<String>>::new();
            for job in state.line.jobs() {
                orders.entry(job.folder.clone()).or_default().push(job.run.id.clone());
            }
            drop(state);
            for (folder, runs) in orders {
                let mut order = RunOrder::read(&folder);
                order.put_first(runs);
                // A disk that refuses costs the order after a restart, and no result.
                let _ = std::fs::create_dir_all(&folder).and_then(|()| order.write(&folder));
            }
        }
    }
}

/// Puts jobs into the order of `queue.json` in their folder.
fn in_order(mut jobs: Vec<Job>) -> Vec<Job> {
    let mut orders = BTreeMap::<PathBuf, RunOrder>::new();
    for job in &jobs {
        orders.entry(job.folder.clone()).or_insert_with(|| RunOrder::read(&job.folder));
    }
    for order in orders.values() {
        order.sort(&mut jobs, |job| &job.run.id);
    }
    jobs
}
