//! How long the remaining runs will take, shown beside Run before they start.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui;

use super::Runner;
use crate::background::{BackgroundTask, TaskState};
use crate::bar::Status;
use crate::document::Document;
use crate::text;
use doc::{Run, RunSpec};
use results::RunRecord;
use run::{
    Cost, Costs, ExpectedTime, Pace, Paces, QueueOptions, RemainingRun, RunProgress, StopFlag, StopKind,
    Task, expected,
};

/// The text of the bar while nothing runs, and the measurements for it.
#[derive(Default)]
pub(super) struct Estimate {
    pub(super) status: Status,
    paces: Paces,
    /// What the runs of each arm cost, with the settings of one of them: an edit leaves most arms as they are.
    costs: KnownCosts,
    /// What is to be measured next.
    needed: Option<MeasureRequest>,
    measuring: Option<Measuring>,
}

/// The cost of a run, and its settings, by the position of its arm and what that is called with its swept values.
type KnownCosts = BTreeMap<(usize, String), (Arc<RunSpec>, Result<Cost, String>)>;

/// A task, and how the runs that do it will share the machine.
type MeasureRequest = (Task, QueueOptions);

/// A measurement; dropping this stops it.
struct Measuring {
    question: MeasureRequest,
    stop: StopFlag,
    background: BackgroundTask<Option<Pace>>,
}

impl Drop for Measuring {
    fn drop(&mut self) {
        self.stop.request(StopKind::Now);
    }
}

impl Estimate {
    /// Gives up what is being measured.
    pub(super) fn stop_measuring(&mut self) {
        self.measuring = None;
    }
}

impl Runner {
    /// Estimates the remaining runs, for the bar at the top.
    pub fn plan_cost(&mut self, document: &Document) {
        let (status, needed) = self.estimate_rest(document);
        let estimate = &mut self.estimate;
        // The document may have changed since this was asked for.
        drop(estimate.measuring.take_if(|measuring| Some(&measuring.question) != needed.as_ref()));
        (estimate.status, estimate.needed) = (status, needed);
    }

    fn estimate_rest(&mut self, document: &Document) -> (Status, Option<MeasureRequest>) {
        let status_of = |text: &str| Status { text: text.to_owned(), ..Status::default() };
        if document.experiment.arms.is_empty() {
            return (status_of("No arm yet"), None);
        }
        // The problems are listed beside it: what is to do follows once they are mended.
        if let Some(problem) = document.first_error() {
            return (Status { detail: problem.to_string(), ..status_of("") }, None);
        }
        let mut seen = BTreeSet::new();
        let mut runs: Vec<&Run> = document.runs().iter().filter(|run| seen.insert(&run.id)).collect();
        let all = runs.len();
        runs.retain(|run| !self.runs.is_archived(&run.id));
        let far = |run: &Run| {
            let progress = self.runs.record(&run.id).map(RunRecord::progress).unwrap_or_default();
            let is_done = self.runs.is_done(&run.id);
            if is_done { RunProgress::Done(progress.secs) } else { RunProgress::Share(progress.done) }
        };
        let count = runs.iter().filter(|run| !self.runs.is_done(&run.id)).count();
        if count == 0 {
            let words = if runs.len() < all { "All runs are done or archived" } else { "All runs are done" };
            return (status_of(words), None);
        }
        let count = format!("{} to do", text::counted(count, "run"));
        let mut before = std::mem::take(&mut self.estimate.costs);
        let costs = Costs::new(runs.iter().copied(), |run| {
            let key = (run.arm_index, run.arm.clone());
            let is_same = |known: &Arc<RunSpec>| Arc::ptr_eq(known, &run.spec) || **known == *run.spec;
            let known = before.remove(&key).filter(|(spec, _)| is_same(spec));
            let now = || (run.spec.clone(), self.worker.cost(run));
            self.estimate.costs.entry(key).or_insert_with(|| known.unwrap_or_else(now)).1.clone()
        });
        let (done, left) = match costs.lists(runs.iter().copied(), far) {
            Ok(lists) => lists,
            Err(reason) => return (Status { detail: reason, ..status_of(&count) }, None),
        };
        let options = self.runs.sharing.options(left.len());
        let expected_time = expected(&left, &done, &self.estimate.paces, options);
        let needed = match &expected_time {
            ExpectedTime::Needs(tasks) => tasks.first().map(|task| (task.clone(), options)),
            ExpectedTime::Known(_) | ExpectedTime::Unknown => None,
        };
        (status(&count, &left, &expected_time), needed)
    }

    /// Takes the measurements that the estimate needs, one at a time, while nothing else runs.
    pub fn measure(&mut self, document: &Document, ctx: &egui::Context) {
        if let Some(measuring) = &self.estimate.measuring {
            let pace = match measuring.background.take() {
                TaskState::Running => return,
                TaskState::Done(pace) => pace,
                TaskState::Failed(_) => None, // a run would fail the same way, and report it
            };
            let (task, options) = measuring.question.clone();
            self.estimate.paces.add(task, options, pace);
            self.estimate.stop_measuring();
            self.plan_cost(document);
        }
        if self.runs.is_running() || self.is_reading() {
            return;
        }
        let Some(question) = self.estimate.needed.clone() else { return };
        let stop = StopFlag::new();
        let (task, options) = question.clone();
        match self.worker.measure(task, options, stop.clone(), ctx) {
            Some(background) => self.estimate.measuring = Some(Measuring { question, stop, background }),
            None => self.estimate.needed = None,
        }
    }
}

fn status(count: &str, left: &[RemainingRun<'_>], expected_time: &ExpectedTime) -> Status {
    let costs = || left.iter().map(|left| left.cost);
    let work = costs().map(|cost| cost.work.training_multiply_adds() as f64).sum();
    let work = format!("{} multiply-adds", text::short(work));
    let parameters = costs().map(|cost| cost.parameters).max().unwrap_or_default() as u64;
    let bytes = costs().map(|cost| cost.bytes).max().unwrap_or_default();
    let sum = |of: fn(&Cost) -> u64| text::grouped(costs().map(of).fold(0, u64::saturating_add));
    let mut lines = vec![
        format!("{} parameters", text::grouped(parameters)),
        format!("{} mini-batches over all runs", sum(|cost| cost.iterations)),
        format!("{work} for training"),
        format!(
            "up to {} MB per network with its optimizer and a mini-batch",
            text::grouped(bytes.div_ceil(1_000_000))
        ),
    ];
    if costs().any(|cost| cost.trials > 0) {
        lines.insert(2, format!("{} fault trials over all runs", sum(|cost| cost.trials)));
    }
    let time_or_work = match expected_time {
        ExpectedTime::Known(known) => {
            lines.push(format!("Time {}{}", known.basis(), known.side_by_side()));
            text::duration_range(known.range)
        }
        ExpectedTime::Needs(_) | ExpectedTime::Unknown => work,
    };
    Status { text: format!("{count} · {time_or_work}"), detail: lines.join("\n"), share: None }
}
