//! The state of a run.

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    /// Not started.
    #[default]
    Waiting,
    /// Under way.
    Running,
    /// Stopped; it resumes where it was when it is started again.
    Stopped,
    /// All stages are done.
    Done,
    /// It failed, for this reason.
    Failed(String),
}

impl RunState {
    /// Whether it has begun and is not done: its last values are those of an unfinished stage.
    pub const fn is_partial(&self) -> bool {
        match self {
            Self::Running | Self::Stopped | Self::Failed(_) => true,
            Self::Waiting | Self::Done => false,
        }
    }

    /// Whether it has begun and gets further points.
    pub const fn goes_on(&self) -> bool {
        matches!(self, Self::Running | Self::Stopped)
    }

    /// One word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "queued",
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Failed(_) => "failed",
        }
    }
}
