//! How a run is asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// After the present mini-batch; the run goes on from there when it is resumed.
    Now,
    /// After the present stage.
    AfterStage,
}

/// A flag that all runs of a queue look at.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicU8>);

impl StopFlag {
    /// A flag that asks for nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all runs to stop.
    pub fn request(&self, kind: StopKind) {
        let code = match kind {
            StopKind::Now => 2,
            StopKind::AfterStage => 1,
        };
        self.0.fetch_max(code, Ordering::Relaxed);
    }

    /// What is asked for.
    #[must_use]
    pub fn requested(&self) -> Option<StopKind> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StopKind::AfterStage),
            _ => Some(StopKind::Now),
        }
    }

    /// Asks for nothing any more.
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}
