//! Many runs, several in parallel, each with its own thread budget.
//!
//! A window adds runs and changes their order with [`Command`]s, while workers carry runs out, and reads the
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
//! No call waits for a run; the order on disk is a small file, which a thread writes. Results do not depend on any of
//! them: a run that is interrupted resumes from its checkpoint, and bits do not depend on threads.

mod carry_out;
mod command;
mod line;
mod order;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::context::Datasets;
use super::stop::{StopFlag, StopKind};
use carry_out::carry_out;
pub use command::{Command, Ended, QueueView, QueuedRun, QueuedState, WaitReason};
use doc::Run;
use line::Line;
pub use order::RunOrder;
use results::Event;

/// Messages that may wait for the listener before workers wait for it.
const WAITING_MESSAGES: usize = 4096;

/// One run to carry out.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What it is.
    pub run: Run,
    /// Folder of the experiment's runs.
    pub folder: PathBuf,
    /// Folder that paths of the document are relative to.
    pub base: PathBuf,
}

/// How runs share the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueOptions {
    /// Runs side by side.
    pub jobs: usize,
    /// Threads of each run; 0 shares the machine among them.
    pub threads: usize,
}

impl QueueOptions {
    /// Runs side by side, as many as there are processors, which share the machine.
    pub fn sharing(runs: usize) -> Self {
        Self { jobs: parallelism().min(runs).max(1), threads: 0 }
    }

    /// Runs side by side that share these processors.
    pub fn dividing(cpus: usize, runs: usize) -> Self {
        let jobs = cpus.min(runs).max(1);
        Self { jobs, threads: (cpus / jobs).max(1) }
    }

    /// These runs side by side with these threads each; what is not chosen as [`sharing`](Self::sharing) has it.
    pub fn chosen(jobs: Option<usize>, threads: Option<usize>, runs: usize) -> Self {
        let usual = Self::sharing(runs);
        Self { jobs: jobs.unwrap_or(usual.jobs), threads: threads.unwrap_or(usual.threads) }
    }

    /// Threads of each run, at least one.
    pub fn threads_per_run(self) -> usize {
        if self.threads > 0 { self.threads } else { (parallelism() / self.jobs.max(1)).max(1) }
    }
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The run.
    pub run: String,
    /// What happened.
    pub event: Event,
}

/// Number of processors that this process may use.
pub fn parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs under way.
pub struct Queue(Arc<Shared>);

/// What workers share.
struct Shared {
    state: Mutex<State>,
    stop: StopFlag,
    datasets: Datasets,
}

struct State {
    line: Line,
    options: QueueOptions,
    /// Threads that carry out runs.
    workers: usize,
    /// Workers that were ever started, for their names.
    started: usize,
    handles: Vec<JoinHandle<()>>,
    /// Gone once the queue has ended, which ends the receiver.
    sender: Option<SyncSender<Message>>,
    /// Grows with every change.
    revision: u64,
    order: SavedOrder,
}

/// The order on disk: written by a thread, since disks can be slow.
#[derive(Default)]
struct SavedOrder {
    is_changed: bool,
    is_writing: bool,
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
            sender: Some(sender),
            revision: 0,
            order: SavedOrder::default(),
        };
        let shared = Shared { state: Mutex::new(state), stop, datasets: Datasets::default() };
        let queue = Self(Arc::new(shared));
        queue.fill(&mut queue.0.lock());
        (queue, receiver)
    }

    /// Carries out a command. Returns whether the queue has not ended yet; one that has takes no more runs.
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

    /// The queue at this moment.
    pub fn view(&self) -> QueueView {
        let state = self.0.lock();
        let (is_paused, stopping) = (self.0.stop.is_paused(), self.0.stop.requested());
        let why = match (stopping, is_paused) {
            (Some(_), _) => WaitReason::Stopping,
            (None, true) => WaitReason::Paused,
            (None, false) => WaitReason::Turn,
        };
        let (options, is_over) = (state.options, state.sender.is_none());
        QueueView { options, is_paused, stopping, is_over, runs: state.line.view(why) }
    }

    /// Asks all runs to stop.
    pub fn stop(&self, kind: StopKind) {
        self.command(Command::StopAll(kind));
    }

    /// Pauses all runs after their present mini-batch, or resumes them.
    pub fn pause(&self, paused: bool) {
        self.command(Command::Pause(paused));
    }

    /// Waits until the order is on disk, for so long at most; whether it is.
    pub fn finish_order(&self, patience: Duration) -> bool {
        let began = Instant::now();
        while self.0.lock().order.is_writing {
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
        let has_room =
            |state: &State| state.workers < state.options.jobs.max(1) && state.line.waiting() > state.idle();
        while self.0.stop.requested().is_none() && has_room(state) {
            let shared = self.0.clone();
            let work = move || shared.work();
            let name = format!("run worker {}", state.started);
            let Ok(handle) = std::thread::Builder::new().name(name).spawn(work) else { break };
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
        state.order.is_changed = true;
        if state.order.is_writing {
            return;
        }
        let shared = self.0.clone();
        let name = "order of runs".to_owned();
        if let Ok(handle) = std::thread::Builder::new().name(name).spawn(move || shared.write_order()) {
            state.order.is_writing = true;
            state.handles.push(handle);
        }
    }
}

impl State {
    /// Workers that are about to take a run.
    fn idle(&self) -> usize {
        self.workers.saturating_sub(self.line.running())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out one run after the other, as long as there are some and there is room.
    fn work(&self) {
        let mut pool = None;
        while let Some((job, threads, stop, sender)) = self.take() {
            // Threads may have changed since the last run.
            if pool.as_ref().is_none_or(|(known, _)| *known != threads) {
                pool = Some((threads, rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()));
            }
            let pool = pool.as_ref().and_then(|(_, pool)| pool.as_ref());
            let ended = carry_out(&job, pool, threads, &stop, &sender, &self.datasets);
            let mut state = self.lock();
            state.line.end(&job.run.id, ended, self.stop.requested().is_some());
            state.revision += 1;
            self.settle(&state);
        }
    }

    /// Ends a pause in which no run is left, and so the queue: nobody would end it.
    fn settle(&self, state: &State) {
        if state.line.waiting() + state.line.running() == 0 {
            self.stop.resume();
        }
    }

    /// The next run with its threads; nothing ends the worker, and the last one the queue.
    fn take(&self) -> Option<(Job, usize, StopFlag, SyncSender<Message>)> {
        self.stop.wait_while_paused();
        let mut state = self.lock();
        let (threads, stop) = (state.options.threads_per_run(), self.stop.of_one());
        if state.workers <= state.options.jobs.max(1)
            && self.stop.requested().is_none()
            && let Some(sender) = state.sender.clone()
            && let Some(job) = state.line.take(stop.clone(), threads)
        {
            state.revision += 1;
            return Some((job, threads, stop, sender));
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
            if !std::mem::take(&mut state.order.is_changed) {
                state.order.is_writing = false;
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
