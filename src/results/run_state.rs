//! The state of a run, and which runs a mean is over while some go on.

use super::statistics::Spread;

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

/// What a mean is over and what is beside it, while some runs of an arm are finished and others are not: the values of
/// finished runs, else all that there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Split<T> {
    /// What the mean is over.
    pub averaged: Vec<T>,
    /// What unfinished runs have beside a mean of finished ones.
    pub beside: Vec<T>,
    /// Whether the mean is of finished runs.
    pub is_of_finished: bool,
}

impl<T> Split<T> {
    /// Splits the values of runs by whether their runs are unfinished. A failed run is finished: it gets no further values.
    pub fn of(values: impl IntoIterator<Item = T>, is_unfinished: impl Fn(&T) -> bool) -> Self {
        let (unfinished, finished): (Vec<T>, Vec<T>) = values.into_iter().partition(is_unfinished);
        if finished.is_empty() {
            let is_of_finished = unfinished.is_empty();
            return Self { averaged: unfinished, beside: Vec::new(), is_of_finished };
        }
        Self { averaged: finished, beside: unfinished, is_of_finished: true }
    }

    /// The interval around the mean: values in the middle of a training have none.
    pub const fn spread(&self, chosen: Spread) -> Spread {
        if self.is_of_finished { chosen } else { Spread::None }
    }

    /// How many finished runs the mean is over.
    pub const fn finished(&self) -> usize {
        if self.is_of_finished { self.averaged.len() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_over_what_is_finished_else_over_all() {
        let split = |values: &[i32]| Split::of(values.to_vec(), |value| *value < 0);
        let some = split(&[1, -2, 3]);
        assert_eq!(
            (some.averaged.as_slice(), some.beside.as_slice(), some.finished()),
            (&[1, 3][..], &[-2][..], 2)
        );
        let none = split(&[-1, -2]);
        assert_eq!((none.averaged.len(), none.beside.len(), none.finished()), (2, 0, 0));
        assert!(!none.is_of_finished && split(&[]).is_of_finished);
        assert_eq!([some, none].map(|split| split.spread(Spread::MinMax)), [Spread::MinMax, Spread::None]);
    }
}
