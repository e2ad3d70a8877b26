//! What does the work: the queue of runs, behind a seam that tests put a script into.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::Receiver;

use crate::doc::{Run, RunRecord};
use crate::run::{self, Cost, Job, Message, Queue, QueueOptions, StopFlag, StopKind};

/// Starts runs and knows what they cost.
pub trait Worker {
    /// Begins the jobs in the background.
    fn start(&mut self, jobs: Vec<Job>) -> Work;
    /// What earlier runs left in a folder.
    fn records(&self, folder: &Path, runs: &[Run]) -> BTreeMap<String, RunRecord>;
    /// What a run will take.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn cost(&self, run: &Run) -> Result<Cost, String>;
}

/// Jobs that go on in the background. Their messages end when all of them are over.
pub struct Work {
    /// What they say, from a bounded channel: a slow reader slows the runs down, and loses nothing.
    pub messages: Receiver<Message>,
    /// Asks them to stop.
    pub stop: Box<dyn Fn(StopKind)>,
}

/// The real queue, in threads of this process.
pub struct Threads;

impl Worker for Threads {
    fn start(&mut self, jobs: Vec<Job>) -> Work {
        let options = QueueOptions { jobs: run::parallelism(), threads: 0 };
        let (queue, messages) = Queue::start(jobs, &options, StopFlag::new());
        Work { messages, stop: Box::new(move |kind| queue.stop(kind)) }
    }

    fn records(&self, folder: &Path, runs: &[Run]) -> BTreeMap<String, RunRecord> {
        run::read_records(folder, runs)
    }

    fn cost(&self, run: &Run) -> Result<Cost, String> {
        run::cost(run)
    }
}
