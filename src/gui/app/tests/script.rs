//! What stands in the place of the worker and of the desktop.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use eframe::egui;

use crate::doc::Run;
use crate::gui::background::BackgroundTask;
use crate::gui::desktop::Desktop;
use crate::gui::files::{PathAnswer, PathRequest};
use crate::gui::runs::{ArmSeed, FoundRun};
use crate::gui::worker::{RunningJobs, Worker};
use crate::results::RunRecord;
use crate::run::{Cost, Job, Message, Pace, QueueOptions, StopFlag, StopKind, Task, cost};

/// What a test sees and does on the other side of the worker and the file dialogs.
#[derive(Default)]
pub(super) struct Stage {
    pub(super) jobs: Vec<Job>,
    /// What is read next; nothing when there is none.
    pub(super) results: Option<Receiver<(String, RunRecord)>>,
    /// What lies beside the listed runs.
    pub(super) outdated_runs: Option<Receiver<FoundRun>>,
    pub(super) sender: Option<SyncSender<Message>>,
    pub(super) stops: Vec<StopKind>,
    pub(super) pauses: Vec<bool>,
    pub(super) answer: Option<PathAnswer>,
    pub(super) requests: Vec<PathRequest>,
    pub(super) notes: Vec<String>,
    pub(super) is_awake: bool,
    /// How often results of other processes are looked for.
    pub(super) watch: Option<Duration>,
    pub(super) trouble: Option<String>,
    /// Whether something can be measured, and what was to be.
    pub(super) measures: bool,
    pub(super) asked: Vec<Asked>,
}

/// A measurement that the window waits for.
pub(super) struct Asked {
    pub(super) options: QueueOptions,
    pub(super) stop: StopFlag,
    pub(super) answer: SyncSender<Result<Option<Pace>, String>>,
}

pub(super) type Shared = Rc<RefCell<Stage>>;

pub(super) struct Script(pub(super) Shared);

impl Worker for Script {
    fn start(&mut self, jobs: Vec<Job>) -> RunningJobs {
        let (sender, messages) = sync_channel(1_000);
        let mut stage = self.0.borrow_mut();
        stage.jobs = jobs;
        stage.sender = Some(sender);
        let (stopped, paused) = (self.0.clone(), self.0.clone());
        RunningJobs {
            messages,
            stop: Box::new(move |kind| stopped.borrow_mut().stops.push(kind)),
            pause: Box::new(move |on| paused.borrow_mut().pauses.push(on)),
        }
    }

    fn read(&self, _folder: &Path, _runs: &[Run]) -> Receiver<(String, RunRecord)> {
        let nothing = || sync_channel(1).1;
        self.0.borrow_mut().results.take().unwrap_or_else(nothing)
    }

    fn watch_every(&self) -> Option<Duration> {
        self.0.borrow().watch
    }

    fn search(&self, _folder: &Path, _listed: &[Run], _wanted: BTreeSet<ArmSeed>) -> Receiver<FoundRun> {
        let nothing = || sync_channel(1).1;
        self.0.borrow_mut().outdated_runs.take().unwrap_or_else(nothing)
    }

    fn cost(&self, run: &Run) -> Result<Cost, String> {
        cost(run)
    }

    fn measure(
        &self,
        _task: Task,
        options: QueueOptions,
        stop: StopFlag,
        _ctx: &egui::Context,
    ) -> Option<BackgroundTask<Option<Pace>>> {
        let mut stage = self.0.borrow_mut();
        let (answer, background) = BackgroundTask::scripted();
        stage.asked.push(Asked { options, stop, answer });
        stage.measures.then_some(background)
    }
}

/// The desktop as the test sees it.
pub(super) struct Around(pub(super) Shared);

impl Desktop for Around {
    fn notify(&mut self, title: &str, text: &str) {
        self.0.borrow_mut().notes.push(format!("{title}: {text}"));
    }

    fn keep_awake(&mut self, on: bool) {
        self.0.borrow_mut().is_awake = on;
    }

    fn trouble(&mut self) -> Option<String> {
        self.0.borrow_mut().trouble.take()
    }
}
