//! What Slurm's queue has of an experiment, for the view of the queue.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui;

use super::background::Latest;
use cluster::{FOLDER, Runs, Slurm, Status};

/// The queue is asked this often.
const ASK_EVERY: Duration = Duration::from_secs(10);

/// Asks Slurm's queue now and then, where something was submitted.
#[derive(Default)]
pub struct ClusterQueue {
    /// The folder of the runs, and when it was asked about last.
    asked: Option<(PathBuf, Instant)>,
    jobs: Latest<PathBuf, Vec<String>>,
}

impl ClusterQueue {
    /// Returns the jobs in the queue, a line each.
    pub fn lines(&mut self, results: &Path, slurm: &Slurm, ctx: &egui::Context) -> &[String] {
        let is_known = |(folder, at): &(PathBuf, Instant)| folder == results && at.elapsed() < ASK_EVERY;
        if !self.asked.as_ref().is_some_and(is_known) {
            self.asked = Some((results.to_owned(), Instant::now()));
            if results.join(FOLDER).is_dir() {
                let (folder, slurm) = (results.to_owned(), slurm.clone());
                self.jobs.ask(results.to_owned(), ctx, move || {
                    let status = Status::of(Runs { all: &[], folder: &folder }, &slurm);
                    Ok(if status.trouble.is_none() { status.queue_in_words() } else { Vec::new() })
                });
            }
        }
        self.jobs.poll();
        let lines = match self.jobs.newest() {
            Some((folder, Ok(lines))) if folder == results => lines,
            _ => return &[],
        };
        if !lines.is_empty() {
            ctx.request_repaint_after(ASK_EVERY);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster::testing::program;

    #[test]
    fn jobs_are_listed_where_something_was_submitted() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("x.runs");
        let answer = "echo '12|1|RUNNING|None|/lab/x.runs/cluster/submit-1.sh'";
        program(&folder.path().join("squeue"), answer);
        let slurm = Slurm::in_folder(folder.path());
        let ctx = egui::Context::default();
        let mut queue = ClusterQueue::default();
        assert!(queue.lines(&results, &slurm, &ctx).is_empty() && !queue.jobs.is_busy());
        std::fs::create_dir_all(results.join(FOLDER)).unwrap();
        std::fs::write(results.join(FOLDER).join("submit-1.ron"), "(job: \"12\", shards: 1)").unwrap();
        queue.asked = None;
        let began = Instant::now();
        while queue.lines(&results, &slurm, &ctx).is_empty() {
            assert!(began.elapsed() < Duration::from_mins(1));
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(queue.lines(&results, &slurm, &ctx), ["Slurm: job 12: 1 task running"]);
    }
}
