//! What stands in the place of the worker and of the desktop.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use eframe::egui;

use crate::background::BackgroundTask;
use crate::desktop::Desktop;
use crate::files::{PathAnswer, PathRequest};
use crate::runs::{ArmSeed, FoundRun};
use crate::worker::{RunQueue, RunningJobs, Worker};
use doc::Run;
use results::{Event, RunRecord};
use run::{
    Command, Cost, Ended, Job, Message, Pace, QueueOptions, QueueView, QueuedRun, QueuedState, StopFlag,
    StopKind, Task, WaitReason, cost,
};

/// What a test sees and does on the other side of the worker and the file dialogs.
#[derive(Default)]
pub(super) struct Stage {
    pub(super) jobs: Vec<Job>,
    /// What is read next; nothing when there is none.
    pub(super) results: Option<Receiver<(String, RunRecord)>>,
    /// What lies beside the listed runs.
    pub(super) outdated_runs: Option<Receiver<FoundRun>>,
    pub(super) sender: Option<SyncSender<Message>>,
    /// What the queue was asked.
    pub(super) commands: Vec<Command>,
    /// The runs of the queue in their order.
    pub(super) states: Vec<(String, Scripted)>,
    pub(super) options: Option<QueueOptions>,
    /// Why it stops by itself.
    pub(super) halted: Option<&'static str>,
    revision: u64,
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

/// What a run of the scripted queue does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scripted {
    Waiting,
    Running {
        is_stopping: bool,
    },
    /// It makes room, and returns.
    Returning,
    Ended(Ended),
}

impl Stage {
    /// Follows what a test says of a run.
    pub(super) fn hear(&mut self, run: &str, event: &Event) {
        let state = match event {
            Event::Started { .. } => Scripted::Running { is_stopping: false },
            Event::Finished { .. } => Scripted::Ended(Ended::Done),
            Event::Stopped { .. } if *self.state_of(run) == Scripted::Returning => Scripted::Waiting,
            Event::Stopped { .. } => Scripted::Ended(Ended::Stopped),
            Event::Failed { message } => Scripted::Ended(Ended::Failed(message.clone())),
            Event::Elsewhere { owner } => Scripted::Ended(Ended::Elsewhere(owner.clone())),
            _ => return,
        };
        *self.state_of(run) = state;
        self.revision += 1;
    }

    fn state_of(&mut self, run: &str) -> &mut Scripted {
        if !self.states.iter().any(|(known, _)| known == run) {
            self.states.push((run.to_owned(), Scripted::Waiting));
        }
        self.states.iter_mut().find(|(known, _)| known == run).map(|(_, state)| state).unwrap()
    }

    fn carry_out(&mut self, command: &Command) {
        match command {
            Command::Add(jobs) => {
                for job in jobs {
                    *self.state_of(&job.run.id) = Scripted::Waiting;
                    if !self.jobs.contains(job) {
                        self.jobs.push(job.clone());
                    }
                }
            }
            Command::Stop { run, .. } => {
                let state = self.state_of(run);
                *state = match state {
                    Scripted::Waiting => Scripted::Ended(Ended::Stopped),
                    Scripted::Running { .. } | Scripted::Returning => Scripted::Running { is_stopping: true },
                    Scripted::Ended(ended) => Scripted::Ended(ended.clone()),
                };
            }
            Command::Retry { run } => *self.state_of(run) = Scripted::Waiting,
            Command::Move { run, before } => {
                let from = self.states.iter().position(|(known, _)| known == run).unwrap();
                let moved = self.states.remove(from);
                let to = self.states.iter().position(|(known, _)| Some(known) == before.as_ref());
                self.states.insert(to.unwrap_or(self.states.len()), moved);
            }
            Command::Options { options, interrupt } => {
                self.options = Some(*options);
                for (_, state) in self.states.iter_mut().filter(|_| interrupt.is_some()) {
                    if matches!(state, Scripted::Running { .. }) {
                        *state = Scripted::Returning;
                    }
                }
            }
            Command::Pause(on) => self.pauses.push(*on),
            Command::StopAll(kind) => self.stops.push(*kind),
        }
    }
}

impl RunQueue for Script {
    fn command(&self, command: Command) -> bool {
        let mut stage = self.0.borrow_mut();
        if stage.sender.is_none() {
            return false;
        }
        stage.revision += 1;
        stage.carry_out(&command);
        stage.commands.push(command);
        true
    }

    fn revision(&self) -> u64 {
        self.0.borrow().revision
    }

    fn view(&self) -> QueueView {
        let stage = self.0.borrow();
        let mut position = 0;
        let queued = |(run, state): &(String, Scripted)| {
            let state = match state {
                Scripted::Waiting => {
                    position += 1;
                    QueuedState::Waiting { position, why: WaitReason::Turn }
                }
                Scripted::Running { is_stopping } => {
                    let stopping = is_stopping.then_some(StopKind::Now);
                    QueuedState::Running { stopping, returns: false, threads: 1 }
                }
                Scripted::Returning => {
                    QueuedState::Running { stopping: Some(StopKind::Now), returns: true, threads: 1 }
                }
                Scripted::Ended(ended) => QueuedState::Ended(ended.clone()),
            };
            QueuedRun { run: run.clone(), state }
        };
        let mut runs: Vec<QueuedRun> = stage.states.iter().map(queued).collect();
        runs.sort_by_key(|run| match run.state {
            QueuedState::Running { .. } => 0,
            QueuedState::Waiting { .. } => 1,
            QueuedState::Ended(_) => 2,
        });
        let options = stage.options.unwrap_or(QueueOptions { jobs: 1, threads: 1 });
        let is_over = stage.sender.is_none();
        QueueView { options, is_paused: false, stopping: None, halted: stage.halted, is_over, runs }
    }

    fn finish_order(&self, _patience: Duration) {}
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
    fn start(&mut self, jobs: Vec<Job>, options: QueueOptions) -> RunningJobs {
        let (sender, messages) = sync_channel(1_000);
        let mut stage = self.0.borrow_mut();
        stage.states = jobs.iter().map(|job| (job.run.id.clone(), Scripted::Waiting)).collect();
        stage.jobs = jobs;
        stage.options = Some(options);
        stage.revision += 1;
        stage.sender = Some(sender);
        RunningJobs { messages, queue: Box::new(Script(self.0.clone())) }
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
