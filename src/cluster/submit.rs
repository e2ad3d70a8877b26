//! Submitting: one script, one call of `sbatch`, one record.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::error::ClusterError;
use super::prepare::Plan;
use super::record::{FOLDER, Submission, record_of};
use super::script::logs;
use super::slurm::Slurm;
use doc::file::write_atomically;
use form::ron_text;

/// What was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// The number of the job.
    pub job: String,
    /// The script.
    pub script: PathBuf,
    /// The folder of the tasks' logs.
    pub logs: PathBuf,
}

/// Submits what a plan hands out.
///
/// # Errors
/// When Slurm is not there or refuses it; nothing was submitted then. When the disk refuses; the message says whether
/// the job was submitted.
pub fn submit(plan: Plan, slurm: &Slurm) -> Result<Submitted, ClusterError> {
    if let Some(trouble) = plan.trouble {
        return Err(trouble);
    }
    let folder = &plan.script.folder;
    let script = new_script(folder, &plan.script.text())?;
    let job = slurm.submit(&script, &plan.script.option_names()).inspect_err(|_| {
        let _ = std::fs::remove_file(&script); // of no use, and in nobody's way
    })?;
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let record = Submission { job: job.clone(), at, ..plan.record };
    let path = record_of(&script);
    let text = ron_text::to_pretty(&record).map_err(std::io::Error::other);
    text.and_then(|text| write_atomically(&path, text.as_bytes())).map_err(|error| {
        let text = format!(
            "job {job} was submitted, but its record was not written ({error}), so that weightlab submit would hand its \
             runs out again; cancel it with scancel {job}"
        );
        ClusterError::disk(&path)(std::io::Error::other(text))
    })?;
    Ok(Submitted { job, script, logs: logs(folder) })
}

/// Writes a script under the next number that is free.
fn new_script(folder: &Path, text: &str) -> Result<PathBuf, ClusterError> {
    let logs = logs(folder);
    std::fs::create_dir_all(&logs).map_err(ClusterError::disk(&logs))?;
    let folder = folder.join(FOLDER);
    for number in 1_u64.. {
        let path = folder.join(format!("submit-{number}.sh"));
        if record_of(&path).exists() {
            continue;
        }
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).map_err(ClusterError::disk(&path))?;
                return Ok(path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(ClusterError::disk(&path)(error)),
        }
    }
    Err(ClusterError::Settings("there is no number left for the script".to_owned()))
}
