//! Requests to stop or to pause runs.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// After the present mini-batch, from which the run resumes.
    Now,
    /// After the present stage.
    AfterStage,
}

/// A flag that all runs of a queue check.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    code: AtomicU8,
    /// Whether `pause` has a start: checked after every mini-batch, so without a lock.
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
    /// A flag without a request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all runs to stop, paused ones too.
    pub fn request(&self, kind: StopKind) {
        let code = match kind {
            StopKind::Now => 2,
            StopKind::AfterStage => 1,
        };
        self.0.code.fetch_max(code, Ordering::Relaxed);
        self.resume();
    }

    /// The pending request.
    pub fn requested(&self) -> Option<StopKind> {
        match self.0.code.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StopKind::AfterStage),
            _ => Some(StopKind::Now),
        }
    }

    /// Withdraws the request.
    pub fn clear(&self) {
        self.0.code.store(0, Ordering::Relaxed);
    }

    /// Pauses all runs after their mini-batch, unless they are to stop.
    pub fn pause(&self) {
        let mut pause = self.lock();
        if self.requested().is_none() && pause.since.is_none() {
            pause.since = Some(Instant::now());
            self.0.is_paused.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the pause.
    pub fn resume(&self) {
        let mut pause = self.lock();
        if let Some(since) = pause.since.take() {
            pause.over += since.elapsed();
            self.0.is_paused.store(false, Ordering::Relaxed);
            self.0.changed.notify_all();
        }
    }

    /// Waits for the end of the pause, if there is one.
    pub fn wait_while_paused(&self) {
        if !self.0.is_paused.load(Ordering::Relaxed) {
            return;
        }
        let guard = self.0.changed.wait_while(self.lock(), |pause| pause.since.is_some());
        drop(guard.unwrap_or_else(PoisonError::into_inner));
    }

    /// The length of all pauses so far.
    pub fn paused_for(&self) -> Duration {
        let pause = self.lock();
        pause.over + pause.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Pause> {
        self.0.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a thread that waits at the flag has gone on within a moment.
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
