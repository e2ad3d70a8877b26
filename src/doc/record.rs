//! What is known of a run: the fold of its events.

use std::collections::BTreeMap;

use super::event::{Event, Point, Progress, Report, StageBegan};

/// Whether a run goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    /// Not begun.
    #[default]
    Waiting,
    /// Going on.
    Running,
    /// Stopped; it goes on where it was when it is started again.
    Stopped,
    /// All stages are done.
    Done,
    /// It failed, for this reason.
    Failed(String),
}

impl RunState {
    /// One word for it.
    #[must_use]
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

/// What is known of a run. It changes only through [`apply`](Self::apply).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    state: RunState,
    stage: Option<StageBegan>,
    progress: Progress,
    points: Vec<Point>,
    reports: Vec<Report>,
    latest: BTreeMap<String, f64>,
}

impl RunRecord {
    /// The fold of a stream of events.
    pub fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let mut record = Self::default();
        for event in events {
            record.apply(event);
        }
        record
    }

    /// Takes in one event.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Started { .. } => self.state = RunState::Running,
            Event::Rewound { points, reports } => self.rewind(points, reports),
            Event::Stage(stage) => self.stage = Some(stage),
            Event::Point(point) => {
                self.note_latest(&point);
                self.points.push(point);
            }
            Event::Report(report) => self.reports.push(report),
            Event::Progress(progress) => self.progress = progress,
            Event::Finished { secs } => {
                self.state = RunState::Done;
                self.progress = Progress { done: 1.0, secs, secs_left: None, ..self.progress };
            }
            Event::Stopped { secs } => {
                self.state = RunState::Stopped;
                self.progress = Progress { secs, secs_left: None, ..self.progress };
            }
            Event::Failed { message } => self.state = RunState::Failed(message),
        }
    }

    /// Forgets what will be said again.
    fn rewind(&mut self, points: usize, reports: usize) {
        self.points.truncate(points);
        self.reports.truncate(reports);
        self.latest.clear();
        for point in std::mem::take(&mut self.points) {
            self.note_latest(&point);
            self.points.push(point);
        }
    }

    fn note_latest(&mut self, point: &Point) {
        // An ensemble's first member is the network of the run.
        if point.branch.is_empty() && point.member.is_none_or(|member| member == 1) {
            self.latest.insert(point.series.clone(), point.value);
        }
    }

    /// Whether it goes on.
    #[must_use]
    pub const fn state(&self) -> &RunState {
        &self.state
    }

    /// The stage that began last.
    #[must_use]
    pub const fn stage(&self) -> Option<&StageBegan> {
        self.stage.as_ref()
    }

    /// How far it is.
    #[must_use]
    pub const fn progress(&self) -> Progress {
        self.progress
    }

    /// All points, in the order in which they came.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// All reports, in the order in which they came.
    #[must_use]
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The latest value of a series of the trunk.
    #[must_use]
    pub fn latest(&self, series: &str) -> Option<f64> {
        self.latest.get(series).copied()
    }

    /// The best value of a series of the trunk: lowest of losses, highest of the others.
    #[must_use]
    pub fn best(&self, series: &str) -> Option<&Point> {
        let points = self.points.iter().filter(|point| point.series == series && point.branch.is_empty());
        let finite = points.filter(|point| point.value.is_finite());
        if series.ends_with("loss") {
            finite.min_by(|a, b| a.value.total_cmp(&b.value))
        } else {
            finite.rev().max_by(|a, b| a.value.total_cmp(&b.value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(series: &str, value: f64, trained: f64) -> Event {
        let line = format!(
            r#"{{"event":"point","series":"{series}","value":{value},"stage":"0","epoch":{trained},"iteration":1,"trained":{trained},"remaining":1.0,"secs":0.5}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn a_record_is_the_fold_of_its_events() {
        let record = RunRecord::of([
            Event::Started { resumed: false, threads: 1 },
            point("test_accuracy", 0.5, 1.0),
            point("test_accuracy", 0.75, 2.0),
            point("test_accuracy", 0.75, 3.0),
            point("test_accuracy", 0.625, 4.0),
            Event::Finished { secs: 2.0 },
        ]);
        assert_eq!(record.state(), &RunState::Done);
        assert_eq!(record.latest("test_accuracy"), Some(0.625));
        assert_eq!(record.best("test_accuracy").map(|point| point.trained), Some(2.0));
        assert_eq!(record.points().len(), 4);
    }

    #[test]
    fn a_run_that_goes_on_says_nothing_twice() {
        let before = [point("test_accuracy", 0.5, 1.0), point("test_accuracy", 0.75, 2.0)];
        let mut record = RunRecord::of(before);
        record.apply(Event::Rewound { points: 1, reports: 0 });
        assert_eq!(record.latest("test_accuracy"), Some(0.5));
        record.apply(point("test_accuracy", 0.75, 2.0));
        assert_eq!(record.points().len(), 2);
    }
}
