//! One run of a queue, in its directory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use super::{Ended, Job, Message};
use crate::context::{Datasets, RunContext};
use crate::directory::{RunDirectory, is_done, read_record};
use crate::error::{RunError, panic_text};
use crate::inputs::{check_inputs, input_problems};
use crate::listener::Listener;
use crate::session::{RunEnd, Session};
use crate::stop::StopFlag;
use doc::{Inventory, RunSpec, Severity, sets_of};
use net::backend;
use results::Event;

/// The turn of a run.
pub(super) struct Turn {
    pub job: Job,
    pub threads: usize,
    pub stop: StopFlag,
    pub sender: SyncSender<Message>,
}

impl Turn {
    /// Runs the job with the threads of a pool, and sends its events. Without a pool, it uses the common one. Returns also
    /// why other runs would fail the same way, if so.
    pub fn run(
        &self,
        pool: Option<&rayon::ThreadPool>,
        datasets: &Datasets,
    ) -> (Ended, Option<&'static str>) {
        let run = || self.run_in_directory(datasets);
        let result = catch_unwind(AssertUnwindSafe(|| match pool {
            Some(pool) => pool.install(run),
            None => run(),
        }));
        let stops_all = if let Ok(Err(error)) = &result { error.stops_all(&self.job.folder) } else { None };
        let (event, ended) = match result {
            Ok(Ok(ended)) => return (ended, None),
            Ok(Err(RunError::Claimed { owner, .. })) => {
                (Event::Elsewhere { owner: owner.clone() }, Ended::Elsewhere(owner))
            }
            Ok(Err(error)) => failed(error.to_string()),
            Err(panic) => {
                let text = panic_text(panic.as_ref());
                let message = format!("internal error: {text}; please report it");
                note_failure(&self.job, &message);
                failed(message)
            }
        };
        let _ = self.sender.send(Message { run: self.job.run.id.clone(), event }); // the receiver may be gone
        (ended, stops_all)
    }

    /// Returns an error that could not be emitted as an event.
    fn run_in_directory(&self, datasets: &Datasets) -> Result<Ended, RunError> {
        let Job { run, folder, base } = &self.job;
        let (sender, id) = (self.sender.clone(), run.id.clone());
        let forward = move |event| {
            let _ = sender.send(Message { run: id.clone(), event }); // the receiver may be gone
        };
        if is_done(folder, &run.id) {
            if let Some(record) = read_record(folder, &run.id) {
                forward(Event::Finished { secs: record.progress().secs });
            }
            return Ok(Ended::Done);
        }
        let mut directory = RunDirectory::claim(folder, run, Box::new(forward.clone()))?;
        if is_done(folder, &run.id) {
            forward(Event::Finished { secs: 0.0 }); // another process was faster
            return Ok(Ended::Done);
        }
        if run.is_earlier {
            let why = "the results of an earlier version are gone; start the experiment again";
            return refuse(&mut directory, why);
        }
        let data = match datasets.get(&run.spec.data, &run.spec.net, base) {
            Ok(data) => data,
            Err(error) => return refuse(&mut directory, &error.to_string()),
        };
        if let Err(changes) = check_inputs(run, base, datasets.digests()) {
            return refuse(&mut directory, &changes);
        }
        let mut inventory = Inventory::from_read(&run.spec.data, &data);
        inventory.digest.samples = datasets.digest(&run.spec.data, &run.spec.net, base)?;
        if let Some((data, files)) = sets_of(&run.spec).first()
            && **data == run.spec.data
        {
            (*files).clone_into(&mut inventory.digest.files); // the first one may be of a branch
        }
        directory.note_data(inventory.digest.samples.clone())?;
        let compute = match backend(&run.spec.device, &run.spec.train.kernels) {
            Ok(compute) => compute,
            Err(error) => return refuse(&mut directory, &error.to_string()),
        };
        directory.note_hardware(compute.hardware())?;
        let output = directory.path().to_owned();
        let spec = RunSpec::clone(&run.spec);
        let context = match RunContext::new(spec, run.arm.clone(), data, compute, base.clone(), output) {
            Ok(context) => context,
            Err(misfit) => return refuse(&mut directory, &misfit.to_string()),
        };
        let context = Arc::new(RunContext { datasets: datasets.clone(), ..context });
        let checkpoint = directory.resume(&context)?;
        if checkpoint.is_none() {
            directory.note_inventory(&inventory);
        }
        if checkpoint.is_none()
            && let Some(problem) = input_problems(std::slice::from_ref(run), base)
                .iter()
                .find(|problem| problem.severity == Severity::Error)
        {
            return refuse(&mut directory, &problem.whole());
        }
        let mut session = Session::new(context, checkpoint, self.threads, self.stop.clone(), &mut directory);
        match session.run() {
            Ok(RunEnd::Stopped) => Ok(Ended::Stopped),
            Ok(RunEnd::Done) => {
                let network = session.network().clone();
                let finished = directory.finish(&network).inspect_err(|error| {
                    let _ = directory.fail(&error.to_string()); // as below
                });
                finished.map(|()| Ended::Done)
            }
            Err(error) => {
                let _ = directory.fail(&error.to_string()); // on a full disk this fails too, and the first error matters
                Err(error)
            }
        }
    }
}

fn failed(message: String) -> (Event, Ended) {
    (Event::Failed { message: message.clone() }, Ended::Failed(message))
}

/// Writes a failure into the directory of a run whose session is gone.
fn note_failure(job: &Job, message: &str) {
    if let Ok(mut directory) = RunDirectory::claim(&job.folder, &job.run, Box::new(|_| {})) {
        let _ = directory.event(Event::Failed { message: message.to_owned() }); // `Turn::run` sends it in any case
        let _ = directory.fail(message);
    }
}

/// Ends a run before anything is trained.
fn refuse(directory: &mut RunDirectory, message: &str) -> Result<Ended, RunError> {
    directory.event(Event::Failed { message: message.to_owned() })?;
    directory.fail(message)?;
    Ok(Ended::Failed(message.to_owned()))
}
