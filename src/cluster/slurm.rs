//! The programs of Slurm: what they are asked, and what their answers mean.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ClusterError;

/// The programs of Slurm, on the path of the user.
#[derive(Clone, Debug, Default)]
pub struct Slurm {
    /// The folder that they are in, where they are not on the path.
    folder: Option<PathBuf>,
}

/// A task of an array that Slurm knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterTask {
    pub job: String,
    pub index: usize,
    /// What Slurm says of it, such as `RUNNING` or `PENDING`.
    pub state: String,
    /// Why it waits, such as `Resources`.
    pub reason: String,
    pub script: String,
}

impl ClusterTask {
    /// Returns true if a node works on it.
    pub fn is_running(&self) -> bool {
        ["RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"]
            .contains(&self.state.as_str())
    }

    /// Returns true if it waits for a node, for the first time or again.
    pub fn is_pending(&self) -> bool {
        ["PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT"]
            .contains(&self.state.as_str())
    }
}

impl Slurm {
    /// Uses the programs in a folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()) }
    }

    /// Calls a program without these variables of the environment.
    fn ask(
        &self,
        program: &'static str,
        arguments: &[&str],
        variables: &[String],
    ) -> Result<String, ClusterError> {
        let path = self.folder.as_ref().map_or_else(|| PathBuf::from(program), |folder| folder.join(program));
        let mut command = Command::new(path);
        command.args(arguments).env("LC_ALL", "C");
        // They leave out jobs, and have scancel ask questions (squeue(1), scancel(1)).
        let filters = |name: &str| name.starts_with("SQUEUE_") || name.starts_with("SCANCEL_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| filters(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        for name in variables {
            command.env_remove(name);
        }
        let output = command.output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => ClusterError::NoSlurm(program),
            _ => ClusterError::Refused { program, message: error.to_string() },
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let start = format!("{program}: ");
        let lines =
            said.lines().map(|line| line.trim_start_matches(&start).trim_start_matches("error: ").trim());
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let message = if lines.is_empty() { output.status.to_string() } else { lines.join("; ") };
        let away = ["Unable to contact slurm controller", "Could not establish a configuration source"];
        if away.iter().any(|words| message.contains(words)) {
            return Err(ClusterError::NoController(message));
        }
        Err(ClusterError::Refused { program, message })
    }

    /// Asks for the largest index that a task of an array can have: one less than `MaxArraySize` (`slurm.conf(5)`); nothing where
    /// Slurm does not say.
    ///
    /// # Errors
    /// When Slurm is not there or does not answer.
    pub fn largest_index(&self) -> Result<Option<usize>, ClusterError> {
        let config = self.ask("scontrol", &["show", "config"], &[])?;
        let values = config.lines().filter_map(|line| line.split_once('='));
        let mut sizes = values.filter(|(name, _)| name.trim() == "MaxArraySize");
        let size = sizes.find_map(|(_, value)| value.trim().parse::<usize>().ok());
        Ok(size.map(|size| size.saturating_sub(1)))
    }

    /// Submits a script; returns the number of the job. The options of the script count, also where variables of the environment say
    /// otherwise.
    ///
    /// # Errors
    /// When Slurm is not there or refuses it.
    pub fn submit(&self, script: &Path, options: &[String]) -> Result<String, ClusterError> {
        let variables: Vec<String> =
            options.iter().map(|option| variable_of(option)).chain(NOT_ASKED.map(str::to_owned)).collect();
        let words = ["--parsable", &script.to_string_lossy()];
        let said = self.ask("sbatch", &words, &variables)?;
        // With several clusters, its name follows.
        let job = said.lines().next_back().and_then(|line| line.split(';').next()).unwrap_or_default().trim();
        if job.is_empty() || !job.bytes().all(|letter| letter.is_ascii_digit()) {
            let message = format!("it gave no job number, but \"{}\"", said.trim());
            return Err(ClusterError::Refused { program: "sbatch", message });
        }
        Ok(job.to_owned())
    }

    /// Asks for the tasks of these jobs that are not over.
    ///
    /// # Errors
    /// When Slurm is not there or does not answer.
    pub fn queue(&self, jobs: &[String]) -> Result<Vec<ClusterTask>, ClusterError> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let jobs = format!("--jobs={}", jobs.join(","));
        // Without --all, it leaves out hidden partitions.
        let words = ["--noheader", "--all", "--array", &jobs, "--format=%F|%K|%T|%r|%o"];
        match self.ask("squeue", &words, &[]) {
            Ok(text) => Ok(text.lines().filter_map(task).collect()),
            // It has forgotten the only job that it was asked for.
            Err(ClusterError::Refused { message, .. }) if message.contains("Invalid job id") => {
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }

    /// Cancels jobs.
    ///
    /// # Errors
    /// When Slurm is not there or refuses it.
    pub fn cancel(&self, jobs: &[String]) -> Result<(), ClusterError> {
        let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
        self.ask("scancel", &jobs, &[]).map(drop)
    }
}

/// Variables that ask `sbatch` for what the script cannot have.
const NOT_ASKED: [&str; 3] = ["SBATCH_ERROR", "SBATCH_NO_REQUEUE", "SBATCH_WAIT"];

/// Returns the variable of the environment that wins over an option of a script (`sbatch(1)`, input environment variables).
fn variable_of(option: &str) -> String {
    let name = match option {
        "array" => "array-inx",
        "mem" => "mem-per-node",
        "time" => "timelimit",
        other => other,
    };
    format!("SBATCH_{}", name.to_ascii_uppercase().replace('-', "_"))
}

/// Reads a line of `squeue`: job, index, state, reason and script.
fn task(line: &str) -> Option<ClusterTask> {
    let mut fields = line.trim().splitn(5, '|');
    let mut next = || fields.next().map(str::to_owned);
    let (job, index, state, reason, script) = (next()?, next()?, next()?, next()?, next()?);
    let known = ClusterTask { job, index: index.parse().ok()?, state, reason, script };
    (known.is_running() || known.is_pending()).then_some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_the_variable_that_sbatch_reads() {
        let options = ["array", "mem", "time", "open-mode", "qos"];
        let variables = ["ARRAY_INX", "MEM_PER_NODE", "TIMELIMIT", "OPEN_MODE", "QOS"];
        assert_eq!(options.map(variable_of), variables.map(|name| format!("SBATCH_{name}")));
    }
}
