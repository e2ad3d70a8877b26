//! Requests to stop or to pause runs.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time of a requested stop; stronger requests have larger numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// After the present mini-batch, from which the run resumes.
    Now = 2,
    /// After the present stage.
    AfterStage = 1,
}

/// A flag that all runs of a queue check. [`for_one`](Self::for_one) gives a run a request of its own beside that of all.
#[derive(Clone, Debug, Default)]
pub struct StopFlag {
    all: Arc<Shared>,
    own: Option<Arc<AtomicU8>>,
}

#[derive(Debug, Default)]
struct Shared {
    code: AtomicU8,
    /// True where `pause` has a start: checked after every mini-batch, so without a lock.
    is_paused: AtomicBool,
    pause: Mutex<Pause>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Pause {
    since: Option<Instant>,
    /// Length of the pauses that are over.
    over: Duration,
}

impl StopFlag {
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a flag for one run: requests to it concern this run alone, requests and pauses of the others concern it
    /// too.
    #[must_use]
    pub fn for_one(&self) -> Self {
        Self { all: self.all.clone(), own: Some(Arc::default()) }
    }

    /// Asks all runs to stop, paused ones too; a flag of one run asks that run alone, which does not wait for the end of a
    /// pause.
    pub fn request(&self, kind: StopKind) {
        if let Some(own) = &self.own {
            own.fetch_max(kind as u8, Ordering::Relaxed);
            let pause = self.lock(); // who is about to wait has seen the request, or is woken
            self.all.changed.notify_all();
            drop(pause);
        } else {
            self.all.code.fetch_max(kind as u8, Ordering::Relaxed);
            self.resume();
        }
    }

    /// Returns the pending request.
    pub fn requested(&self) -> Option<StopKind> {
        match self.all.code.load(Ordering::Relaxed).max(self.own_code()) {
            0 => None,
            1 => Some(StopKind::AfterStage),
            _ => Some(StopKind::Now),
        }
    }

    fn own_code(&self) -> u8 {
        self.own.as_ref().map_or(0, |own| own.load(Ordering::Relaxed))
    }

    /// Withdraws the request.
    pub fn clear(&self) {
        let code = self.own.as_deref().unwrap_or(&self.all.code);
        code.store(0, Ordering::Relaxed);
    }

    pub fn is_paused(&self) -> bool {
        self.all.is_paused.load(Ordering::Relaxed)
    }

    /// Pauses all runs after their mini-batch, unless they are to stop.
    pub fn pause(&self) {
        let mut pause = self.lock();
        if self.requested().is_none() && pause.since.is_none() {
            pause.since = Some(Instant::now());
            self.all.is_paused.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the pause.
    pub fn resume(&self) {
        let mut pause = self.lock();
        if let Some(since) = pause.since.take() {
            pause.over += since.elapsed();
            self.all.is_paused.store(false, Ordering::Relaxed);
            self.all.changed.notify_all();
        }
    }

    /// Waits for the end of the pause, if there is one.
    pub fn wait_while_paused(&self) {
        if !self.is_paused() {
            return;
        }
        let waits = |pause: &mut Pause| pause.since.is_some() && self.own_code() == 0;
        let guard = self.all.changed.wait_while(self.lock(), waits);
        drop(guard.unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the length of all pauses so far.
    pub fn paused_for(&self) -> Duration {
        let pause = self.lock();
        pause.over + pause.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Pause> {
        self.all.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if a thread that waits at the flag goes on within a moment.
    fn goes_on(flag: &StopFlag, then: impl FnOnce()) -> bool {
        let waiting = flag.clone();
        let thread = std::thread::Builder::new().spawn(move || waiting.wait_while_paused()).unwrap();
        then();
        let begun = Instant::now();
        while !thread.is_finished() && begun.elapsed() < Duration::from_millis(50) {
            std::thread::yield_now();
        }
        thread.is_finished()
    }

    #[test]
    fn who_waits_goes_on_when_told_to_or_asked_to_stop() {
        let flag = StopFlag::new();
        assert!(goes_on(&flag, || {}));
        flag.pause();
        assert!(!goes_on(&flag, || {}));
        assert!(goes_on(&flag, || flag.resume()));
        flag.pause();
        assert!(goes_on(&flag, || flag.request(StopKind::Now)));
        flag.pause();
        assert!(goes_on(&flag, || {}), "a run that is to stop does not wait");
    }

    #[test]
    fn a_request_to_one_run_concerns_no_other_and_wakes_it_from_a_pause() {
        let all = StopFlag::new();
        let (one, other) = (all.for_one(), all.for_one());
        one.request(StopKind::AfterStage);
        assert_eq!(
            (one.requested(), other.requested(), all.requested()),
            (Some(StopKind::AfterStage), None, None)
        );
        all.pause();
        assert!(goes_on(&one, || {}), "it is to stop");
        assert!(!goes_on(&other, || {}));
        assert!(goes_on(&other, || other.request(StopKind::Now)));
        assert!(all.is_paused() && !goes_on(&all, || {}), "the others still wait");
        all.request(StopKind::Now);
        one.clear();
        assert_eq!(one.requested(), Some(StopKind::Now), "all are to stop");
    }

    #[test]
    fn only_pauses_count_as_paused() {
        let flag = StopFlag::new();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(flag.paused_for(), Duration::ZERO);
        flag.pause();
        std::thread::sleep(Duration::from_millis(2));
        flag.resume();
        let paused = flag.paused_for();
        assert!(paused >= Duration::from_millis(2));
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(flag.paused_for(), paused);
    }
}
