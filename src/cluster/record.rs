//! Submissions: one small file each in the folder of the runs, so that who submits again knows which runs are taken.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::ClusterError;
use super::shard::Shard;
use super::slurm::{ClusterTask, Slurm};
use form::ron_text;

/// The folder of scripts, submissions and logs, beside the run directories.
pub const FOLDER: &str = "cluster";

/// What was submitted once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Submission {
    /// The number of the job.
    pub job: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// Number of shards.
    pub shards: usize,
    /// Minutes per task, where the number of shards follows from them.
    pub minutes: Option<u64>,
    /// Processors of a task.
    pub cpus: usize,
    /// The indices that were handed out.
    pub tasks: Vec<usize>,
    /// All runs of the experiment by identity, in its order: what the shards are shards of.
    pub runs: Vec<String>,
    /// The name of the script, from that of the file.
    #[serde(skip)]
    pub script: String,
}

impl Submission {
    /// Whether a task of Slurm is one of this submission. Its number alone does not tell: another cluster, or this one
    /// after years, has jobs of the same number.
    pub fn has(&self, task: &ClusterTask) -> bool {
        task.job == self.job && task.script.ends_with(&format!("/{FOLDER}/{}", self.script))
    }

    /// The runs of a task.
    pub fn runs_of(&self, index: usize) -> Vec<&str> {
        if (1..=self.shards).contains(&index) {
            Shard { index, of: self.shards }.of(self.runs.iter().map(String::as_str))
        } else {
            Vec::new()
        }
    }
}

/// The file of a submission, beside its script.
pub fn record_of(script: &Path) -> PathBuf {
    script.with_extension("ron")
}

/// All submissions of a folder of runs, the first one first, and the files that cannot be read. What a damaged file said
/// costs at most a task that finds its runs taken.
pub fn submissions(folder: &Path) -> (Vec<Submission>, Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder.join(FOLDER)).into_iter().flatten().flatten();
    let number = |path: &Path| -> Option<u64> {
        let is_record = path.extension().is_some_and(|ending| ending == "ron");
        let stem = path.file_stem()?.to_str()?;
        stem.strip_prefix("submit-")?.parse().ok().filter(|_| is_record)
    };
    let mut files: Vec<(u64, PathBuf)> =
        entries.map(|entry| entry.path()).filter_map(|path| Some((number(&path)?, path))).collect();
    files.sort();
    let (mut known, mut damaged) = (Vec::new(), Vec::new());
    for (_, path) in files {
        let text = std::fs::read_to_string(&path).ok();
        let read = text.and_then(|text| ron_text::from_str::<Submission>(&text).ok());
        match read
            .filter(|read| !read.job.is_empty() && read.job.bytes().all(|letter| letter.is_ascii_digit()))
        {
            Some(submission) => {
                let script =
                    path.with_extension("sh").file_name().unwrap_or_default().to_string_lossy().into_owned();
                known.push(Submission { script, ..submission });
            }
            None => damaged.push(path),
        }
    }
    (known, damaged)
}

/// The tasks of these submissions that are not over, each with its submission.
///
/// # Errors
/// When Slurm is not there or does not answer.
pub(super) fn active_tasks<'a>(
    known: &'a [Submission],
    slurm: &Slurm,
) -> Result<Vec<(&'a Submission, ClusterTask)>, ClusterError> {
    let jobs: Vec<String> = known.iter().map(|submission| submission.job.clone()).collect();
    let tasks = slurm.queue(&jobs)?.into_iter();
    let of = |task: ClusterTask| known.iter().find(|known| known.has(&task)).map(|known| (known, task));
    Ok(tasks.filter_map(of).collect())
}
