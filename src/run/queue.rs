//! Many runs, several in parallel, each with its own thread budget.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::context::RunContext;
use super::datasets::Datasets;
use super::directory::{RunDirectory, is_done, read_record};
use super::error::RunError;
use super::inputs::input_problems;
use super::listener::Listener;
use super::session::{RunEnd, Session};
use super::stop::{StopFlag, StopKind};
use crate::doc::{Run, RunSpec};
use crate::net::backend;
use crate::results::Event;

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
pub struct Queue {
    workers: Vec<JoinHandle<()>>,
    stop: StopFlag,
}

impl Queue {
    /// Starts the runs in their order. A run that is done already only sends its end. The receiver ends when all workers
    /// have.
    pub fn start(jobs: Vec<Job>, options: &QueueOptions, stop: StopFlag) -> (Self, Receiver<Message>) {
        let (sender, receiver) = sync_channel(WAITING_MESSAGES);
        let threads = options.threads_per_run();
        let waiting = Arc::new(Mutex::new(VecDeque::from(jobs)));
        let datasets = Datasets::default();
        let workers = (0..options.jobs.max(1)).filter_map(|number| {
            let (waiting, stop, sender, datasets) =
                (waiting.clone(), stop.clone(), sender.clone(), datasets.clone());
            let work = move || work(&waiting, threads, &stop, &sender, &datasets);
            std::thread::Builder::new().name(format!("run worker {number}")).spawn(work).ok()
        });
        let workers = workers.collect();
        (Self { workers, stop }, receiver)
    }

    /// Asks all runs to stop.
    pub fn stop(&self, kind: StopKind) {
        self.stop.request(kind);
    }

    /// Pauses all runs after their present mini-batch, or resumes them.
    pub fn pause(&self, paused: bool) {
        if paused { self.stop.pause() } else { self.stop.resume() }
    }

    /// Whether all workers have ended.
    pub fn is_finished(&self) -> bool {
        self.workers.iter().all(JoinHandle::is_finished)
    }

    /// Waits for all workers.
    pub fn join(self) {
        for worker in self.workers {
            let _ = worker.join(); // panics of runs are caught and sent as events
        }
    }
}

fn work(
    waiting: &Mutex<VecDeque<Job>>,
    threads: usize,
    stop: &StopFlag,
    sender: &SyncSender<Message>,
    datasets: &Datasets,
) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    loop {
        stop.wait_while_paused();
        if stop.requested().is_some() {
            return;
        }
        let Some(job) = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front() else { return };
        let run = job.run.id.clone();
        let carry_out = || carry_out(&job, threads, stop, sender, datasets);
        let result = catch_unwind(AssertUnwindSafe(|| match &pool {
            Ok(pool) => pool.install(carry_out),
            Err(_) => carry_out(), // the run uses the common pool
        }));
        let event = match result {
            Ok(Ok(())) => continue,
            Ok(Err(RunError::Claimed { owner, .. })) => Event::Elsewhere { owner },
            Ok(Err(error)) => Event::Failed { message: error.to_string() },
            Err(panic) => {
                let text = text_of(panic.as_ref());
                let message = format!("internal error: {text}; please report it");
                note_failure(&job, &message);
                Event::Failed { message }
            }
        };
        let _ = sender.send(Message { run, event }); // the receiver may be gone
    }
}

/// Writes a failure into the directory of a run whose session is gone.
fn note_failure(job: &Job, message: &str) {
    if let Ok(mut directory) = RunDirectory::claim(&job.folder, &job.run, Box::new(|_| {})) {
        let _ = directory.event(Event::Failed { message: message.to_owned() }); // `work` sends it in any case
        let _ = directory.fail(message);
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no details".to_owned())
}

/// Carries out one run in its directory. Returns an error that could not be emitted as an event.
fn carry_out(
    job: &Job,
    threads: usize,
    stop: &StopFlag,
    sender: &SyncSender<Message>,
    datasets: &Datasets,
) -> Result<(), RunError> {
    let Job { run, folder, base } = job;
    let (sender, id) = (sender.clone(), run.id.clone());
    let forward = move |event| {
        let _ = sender.send(Message { run: id.clone(), event }); // the receiver may be gone
    };
    if is_done(folder, &run.id) {
        if let Some(record) = read_record(folder, &run.id) {
            forward(Event::Finished { secs: record.progress().secs });
        }
        return Ok(());
    }
    let mut directory = RunDirectory::claim(folder, run, Box::new(forward.clone()))?;
    if is_done(folder, &run.id) {
        forward(Event::Finished { secs: 0.0 }); // another process was faster
        return Ok(());
    }
    let data = match datasets.get(&run.spec.data, &run.spec.net, base) {
        Ok(data) => data,
        Err(error) => return refuse(&mut directory, &error.to_string()),
    };
    directory.note_data(datasets.digest(&run.spec.data, &run.spec.net, base)?)?;
    let compute = backend(&run.spec.device, &run.spec.train.kernels);
    let output = directory.path().to_owned();
    let spec = RunSpec::clone(&run.spec);
    let context = RunContext::new(spec, run.arm.clone(), data, compute, base.clone(), output);
    let context = Arc::new(RunContext { datasets: datasets.clone(), ..context });
    let checkpoint = directory.resume(&context)?;
    if checkpoint.is_none()
        && let Some(problem) = input_problems(run, base).first()
    {
        return refuse(&mut directory, &problem.message);
    }
    let mut session = Session::new(context, checkpoint, threads, stop.clone(), &mut directory);
    match session.run() {
        Ok(RunEnd::Stopped) => Ok(()),
        Ok(RunEnd::Done) => {
            let network = session.network().clone();
            directory.finish(&network).inspect_err(|error| {
                let _ = directory.fail(&error.to_string()); // as below
            })
        }
        Err(error) => {
            let _ = directory.fail(&error.to_string()); // on a full disk this fails too, and the first error matters
            Err(error)
        }
    }
}

/// Ends a run before anything is trained.
fn refuse(directory: &mut RunDirectory, message: &str) -> Result<(), RunError> {
    directory.event(Event::Failed { message: message.to_owned() })?;
    directory.fail(message)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::doc::file::parse;
    use crate::doc::runs;
    use crate::results::RunState;

    const TEXT: &str = "(data: Digits(limit_train: 64, limit_test: 20), net: Mlp(hidden: [4]), seeds: [1],
        arms: [(name: \"a\", plan: [Test])])";

    #[test]
    fn a_run_whose_weights_find_no_room_fails_and_goes_on_when_there_is_some() {
        let folder = tempfile::tempdir().unwrap();
        let run = runs(&parse(TEXT, Path::new("x.ron")).unwrap()).unwrap().remove(0);
        let weights = super::super::directory::weights_path(folder.path(), &run.id);
        let run_once = || -> Vec<Event> {
            let job = Job { run: run.clone(), folder: folder.path().to_owned(), base: PathBuf::from(".") };
            let options = QueueOptions { jobs: 1, threads: 1 };
            let (queue, messages) = Queue::start(vec![job], &options, StopFlag::new());
            let events = messages.iter().map(|message| message.event).collect();
            queue.join();
            events
        };
        let state = || read_record(folder.path(), &run.id).unwrap().state().clone();
        let finished = |events: &[Event]| events.iter().any(|event| matches!(event, Event::Finished { .. }));

        std::fs::create_dir_all(&weights).unwrap(); // no file can be written there
        let first = run_once();
        let Some(Event::Failed { message }) = first.last() else { panic!("{first:?}") };
        assert!(!finished(&first), "nothing is done yet: {first:?}");
        assert_eq!(state(), RunState::Failed(message.clone()), "the same on the disk");
        std::fs::remove_dir(&weights).unwrap();
        let second = run_once();
        assert!(finished(&second), "{second:?}");
        assert!(weights.is_file() && is_done(folder.path(), &run.id));
        assert_eq!(state(), RunState::Done);
    }
}
