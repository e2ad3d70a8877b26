//! Which run is next: the runs of a queue in their order, without threads.

use std::collections::{BTreeMap, BTreeSet};

use super::{Ended, Job, QueuedRun, QueuedState, WaitReason};
use crate::stop::{StopFlag, StopKind};

/// The runs of a queue. Of those that wait, the first in the list is next.
#[derive(Debug, Default)]
pub(super) struct Line {
    entries: Vec<Entry>,
    /// The position of each run in the list, by identity: to search among thousands takes longer than a short run.
    places: BTreeMap<String, usize>,
    /// The positions of those that wait.
    pub waiting: BTreeSet<usize>,
    /// Number of runs that go on.
    pub running: usize,
}

#[derive(Debug)]
struct Entry {
    job: Job,
    state: State,
}

#[derive(Debug)]
enum State {
    Waiting,
    Running {
        stop: StopFlag,
        threads: usize,
        /// True if it waits for another turn after it has stopped.
        returns: bool,
    },
    Ended(Ended),
}

impl Line {
    /// Adds jobs at the end. A run that waits or goes on is left as it is; one that has ended or was asked to stop gets another
    /// turn. A done run ends that turn at once, unless its results were archived since.
    pub fn add(&mut self, jobs: impl IntoIterator<Item = Job>) {
        for job in jobs {
            let at = *self.places.entry(job.run.id.clone()).or_insert(self.entries.len());
            let Some(known) = self.entries.get_mut(at) else {
                self.entries.push(Entry { job, state: State::Waiting });
                self.waiting.insert(at);
                continue;
            };
            match &mut known.state {
                State::Ended(_) => {
                    known.job = job;
                    self.set_state(at, State::Waiting);
                }
                State::Running { stop, returns, .. } => *returns |= stop.requested().is_some(),
                State::Waiting => {}
            }
        }
    }

    /// Changes the state of a run.
    fn set_state(&mut self, at: usize, state: State) {
        let entry = &mut self.entries[at];
        self.waiting.remove(&at);
        self.running -= usize::from(entry.is_running());
        entry.state = state;
        if entry.is_waiting() {
            self.waiting.insert(at);
        }
        self.running += usize::from(entry.is_running());
    }

    /// Takes the job that is next, which runs from now on with this flag and this many threads.
    pub fn take(&mut self, stop: StopFlag, threads: usize) -> Option<Job> {
        let next = *self.waiting.first()?;
        self.set_state(next, State::Running { stop, threads, returns: false });
        Some(self.entries[next].job.clone())
    }

    /// Notes the end of a run. One that was interrupted to make room waits for another turn, unless `all_stop`.
    pub fn end(&mut self, run: &str, ended: Ended, all_stop: bool) {
        let Some(at) = self.place(run) else { return };
        let returns = matches!(self.entries[at].state, State::Running { returns: true, .. });
        let waits = returns && ended == Ended::Stopped && !all_stop;
        self.set_state(at, if waits { State::Waiting } else { State::Ended(ended) });
    }

    /// Stops a run: at once if it waits.
    pub fn stop(&mut self, run: &str, kind: StopKind) {
        let Some(at) = self.place(run) else { return };
        match &mut self.entries[at].state {
            State::Waiting => self.set_state(at, State::Ended(Ended::Stopped)),
            State::Running { stop, returns, .. } => {
                *returns = false;
                stop.request(kind);
            }
            State::Ended(_) => {}
        }
    }

    /// Gives a run that has ended, but is not done, another turn; one that was asked to stop gets it once it has.
    pub fn retry(&mut self, run: &str) {
        let Some(at) = self.place(run) else { return };
        match &mut self.entries[at].state {
            State::Ended(ended) if *ended != Ended::Done => self.set_state(at, State::Waiting),
            State::Running { stop, returns, .. } => *returns |= stop.requested().is_some(),
            State::Waiting | State::Ended(_) => {}
        }
    }

    /// Moves a run in front of another one, or behind all others.
    pub fn move_before(&mut self, run: &str, other: Option<&str>) {
        if other == Some(run) {
            return;
        }
        let Some(from) = self.place(run) else { return };
        let entry = self.entries.remove(from);
        let to = other.and_then(|other| self.entries.iter().position(|known| known.job.run.id == other));
        self.entries.insert(to.unwrap_or(self.entries.len()), entry);
        let all = || self.entries.iter().enumerate();
        self.places = all().map(|(at, entry)| (entry.job.run.id.clone(), at)).collect();
        self.waiting = all().filter(|(_, entry)| entry.is_waiting()).map(|(at, _)| at).collect();
    }

    /// Interrupts runs for another turn: the last ones beyond `jobs`, and those with another number of threads.
    pub fn interrupt(&mut self, jobs: usize, threads: usize, kind: StopKind) {
        let running = self.entries.iter_mut().filter(|entry| entry.is_running());
        for (place, entry) in running.enumerate() {
            let State::Running { stop, threads: own, returns } = &mut entry.state else { continue };
            if (place >= jobs || *own != threads) && stop.requested().is_none() {
                *returns = true;
                stop.request(kind);
            }
        }
    }

    /// Lists the runs that go on, then those that wait, as they follow each other, then those that have ended.
    pub fn view(&self, why: WaitReason) -> Vec<QueuedRun> {
        let rank = |entry: &Entry| match entry.state {
            State::Running { .. } => 0,
            State::Waiting => 1,
            State::Ended(_) => 2,
        };
        let mut sorted: Vec<&Entry> = self.entries.iter().collect();
        sorted.sort_by_key(|entry| rank(entry));
        let mut position = 0;
        let queued = |entry: &Entry| {
            let state = match &entry.state {
                State::Waiting => {
                    position += 1;
                    QueuedState::Waiting { position, why }
                }
                State::Running { stop, threads, returns } => {
                    QueuedState::Running { stopping: stop.requested(), returns: *returns, threads: *threads }
                }
                State::Ended(ended) => QueuedState::Ended(ended.clone()),
            };
            QueuedRun { run: entry.job.run.id.clone(), state }
        };
        sorted.into_iter().map(queued).collect()
    }

    /// Returns every job, in the order of the list.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.entries.iter().map(|entry| &entry.job)
    }

    fn place(&self, run: &str) -> Option<usize> {
        self.places.get(run).copied()
    }
}

impl Entry {
    const fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting)
    }

    const fn is_running(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use doc::{Run, RunSpec};

    fn job(number: usize) -> Job {
        let (id, spec) = (number.to_string(), RunSpec::default().into());
        let run = Run { id, arm: "a".to_owned(), arm_index: 0, is_earlier: false, seed: 1, spec };
        Job { run, folder: PathBuf::from("runs"), base: PathBuf::from(".") }
    }

    /// What a model knows of a run beside its number.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Known {
        Waiting,
        Running { stops: bool, returns: bool },
        Over { done: bool },
    }

    #[derive(Clone, Debug)]
    enum Step {
        Add(usize),
        Move(usize, Option<usize>),
        Stop(usize),
        Retry(usize),
        Take,
        End(usize, bool),
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..8_usize).prop_map(Step::Add),
            (0..8_usize, prop::option::of(0..8_usize)).prop_map(|(run, other)| Step::Move(run, other)),
            (0..8_usize).prop_map(Step::Stop),
            (0..8_usize).prop_map(Step::Retry),
            Just(Step::Take),
            (0..8_usize, any::<bool>()).prop_map(|(run, done)| Step::End(run, done)),
        ]
    }

    fn retry(known: &mut Known) {
        match known {
            Known::Over { done: false } => *known = Known::Waiting,
            Known::Running { stops, returns } => *returns |= *stops,
            Known::Waiting | Known::Over { done: true } => {}
        }
    }

    /// The simplest list that does the same.
    fn carry_out(model: &mut Vec<(usize, Known)>, step: &Step) -> Option<usize> {
        let at = |model: &[(usize, Known)], run: usize| model.iter().position(|known| known.0 == run);
        match *step {
            Step::Add(run) => match at(model, run) {
                None => model.push((run, Known::Waiting)),
                Some(at) if matches!(model[at].1, Known::Over { .. }) => model[at].1 = Known::Waiting,
                Some(at) => retry(&mut model[at].1),
            },
            Step::Move(run, other) => {
                let from = at(model, run).filter(|_| other != Some(run))?;
                let moved = model.remove(from);
                let to = other.and_then(|other| at(model, other)).unwrap_or(model.len());
                model.insert(to, moved);
            }
            Step::Stop(run) => {
                let known = at(model, run).map(|at| &mut model[at].1);
                match known {
                    Some(known @ Known::Waiting) => *known = Known::Over { done: false },
                    Some(Known::Running { stops, returns }) => (*stops, *returns) = (true, false),
                    Some(Known::Over { .. }) | None => {}
                }
            }
            Step::Retry(run) => {
                if let Some(at) = at(model, run) {
                    retry(&mut model[at].1);
                }
            }
            Step::Take => {
                let next = model.iter_mut().find(|known| known.1 == Known::Waiting)?;
                next.1 = Known::Running { stops: false, returns: false };
                return Some(next.0);
            }
            Step::End(run, done) => {
                if let Some(at) = at(model, run)
                    && let Known::Running { returns, .. } = model[at].1
                {
                    model[at].1 = if returns && !done { Known::Waiting } else { Known::Over { done } };
                }
            }
        }
        None
    }

    proptest! {
        #[test]
        fn the_next_run_is_that_of_a_plain_list(steps in prop::collection::vec(any_step(), 0..40)) {
            let (mut line, mut model) = (Line::default(), Vec::new());
            for step in &steps {
                let wanted = carry_out(&mut model, step);
                let running = |line: &Line, run: &str| line.view(WaitReason::Turn).iter().any(|known| {
                    known.run == run && matches!(known.state, QueuedState::Running { .. })
                });
                match step {
                    Step::Add(run) => line.add([job(*run)]),
                    Step::Move(run, other) => {
                        line.move_before(&run.to_string(), other.map(|other| other.to_string()).as_deref());
                    }
                    Step::Stop(run) => line.stop(&run.to_string(), StopKind::Now),
                    Step::Retry(run) => line.retry(&run.to_string()),
                    Step::Take => {
                        let taken = line.take(StopFlag::new().for_one(), 1).map(|job| job.run.id);
                        prop_assert_eq!(taken, wanted.map(|run| run.to_string()));
                    }
                    Step::End(run, done) => if running(&line, &run.to_string()) {
                        line.end(&run.to_string(), if *done { Ended::Done } else { Ended::Stopped }, false);
                    },
                }
                let waiting: Vec<String> = line.view(WaitReason::Turn).into_iter()
                    .filter(|known| matches!(known.state, QueuedState::Waiting { .. }))
                    .map(|known| known.run).collect();
                let wanted = model.iter().filter(|known| known.1 == Known::Waiting);
                prop_assert_eq!(waiting, wanted.map(|known| known.0.to_string()).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_run_that_makes_room_waits_again_and_one_that_was_stopped_does_not() {
        let mut line = Line::default();
        line.add((0..3).map(job));
        let all = StopFlag::new();
        for _ in 0..3 {
            line.take(all.for_one(), 2).unwrap();
        }
        line.interrupt(2, 2, StopKind::Now);
        let stopping: Vec<bool> = line
            .view(WaitReason::Turn)
            .iter()
            .map(|run| matches!(run.state, QueuedState::Running { stopping: Some(_), returns: true, .. }))
            .collect();
        assert_eq!(stopping, [false, false, true], "the last one makes room");
        line.end("2", Ended::Stopped, false);
        assert_eq!(line.waiting.len(), 1);
        line.stop("0", StopKind::Now);
        line.interrupt(2, 1, StopKind::Now);
        line.end("0", Ended::Stopped, false);
        line.end("1", Ended::Stopped, true);
        let states = line.view(WaitReason::Turn);
        let ended = |run: &str| {
            states.iter().any(|known| known.run == run && known.state == QueuedState::Ended(Ended::Stopped))
        };
        assert!(ended("0") && ended("1"), "the user's stop and the stop of all are final: {states:?}");
    }
}
