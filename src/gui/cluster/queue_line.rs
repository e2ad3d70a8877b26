//! What Slurm's queue has of an experiment, for the view of the queue.

use std::path::{Path, PathBuf};
use std::time::Instant;

use eframe::egui;

use super::ASK_EVERY;
use crate::background::{BackgroundTask, TaskState};
use cluster::{FOLDER, Runs, Slurm, Status};

/// Asks now and then, in a thread, where something was submitted.
#[derive(Default)]
pub struct ClusterQueue {
    /// The folder of the runs that it is about, and when it was looked at last.
    asked: Option<(PathBuf, Instant)>,
    asking: Option<BackgroundTask<Vec<String>>>,
    lines: Vec<String>,
}

impl ClusterQueue {
    /// The jobs in the queue, a line each.
    pub fn lines(&mut self, results: &Path, slurm: &Slurm, ctx: &egui::Context) -> &[String] {
        if let Some(task) = self.asking.take() {
            match task.take() {
                TaskState::Running => self.asking = Some(task),
                TaskState::Done(lines) => self.lines = lines,
                TaskState::Failed(_) => self.lines.clear(), // the next time it may go well
            }
        }
        let is_known = |(folder, at): &(PathBuf, Instant)| folder == results && at.elapsed() < ASK_EVERY;
        if self.asking.is_none() && !self.asked.as_ref().is_some_and(is_known) {
            if self.asked.as_ref().is_none_or(|(folder, _)| folder != results) {
                self.lines.clear();
            }
            self.asked = Some((results.to_owned(), Instant::now()));
            if results.join(FOLDER).is_dir() {
                let (folder, slurm) = (results.to_owned(), slurm.clone());
                let work = move || {
                    let status = Status::of(Runs { all: &[], folder: &folder }, &slurm);
                    if status.trouble.is_none() { status.queue_in_words() } else { Vec::new() }
                };
                self.asking = BackgroundTask::begin("cluster queue", ctx, work);
            }
        }
        if !self.lines.is_empty() {
            ctx.request_repaint_after(ASK_EVERY);
        }
        &self.lines
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        assert!(queue.lines(&results, &slurm, &ctx).is_empty() && queue.asking.is_none());
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
