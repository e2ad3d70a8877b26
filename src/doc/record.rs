//! What is known of a run: the fold of its events.

use std::collections::{BTreeMap, BTreeSet};

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

/// Where a training should have stopped, found afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlyStop {
    /// Place of the training in the plan.
    pub stage: String,
    /// The branch; empty for the trunk.
    pub branch: String,
    /// The round of the innermost repetition, from 1.
    pub round: Option<u64>,
    /// Iteration of the lowest validation loss, the first one of equals (Frankle & Carbin 2019).
    pub iteration: u64,
    /// That loss.
    pub validation_loss: f64,
    /// Test accuracy at that iteration, in [0, 1].
    pub test_accuracy: Option<f64>,
    /// Share of the prunable weights that remained, in [0, 1].
    pub remaining: f64,
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

    /// The early-stop iteration of every training that was validated, in the order of the trainings.
    #[must_use]
    pub fn early_stops(&self) -> Vec<EarlyStop> {
        let of = |series: &'static str| {
            self.points.iter().filter(move |point| point.series == series && point.member.is_none())
        };
        let training = |point: &Point| (point.stage.clone(), point.branch.clone(), point.round);
        let trainings: BTreeSet<_> = of("train_loss").map(training).collect();
        let mut test = BTreeMap::new();
        for point in of("test_accuracy") {
            test.entry((training(point), point.iteration)).or_insert(point.value);
        }
        let mut stops: Vec<EarlyStop> = Vec::new();
        for point in of("validation_loss").filter(|point| point.value.is_finite()) {
            let key = training(point);
            if !trainings.contains(&key) {
                continue; // a test on its own is no training
            }
            let test_accuracy = test.get(&(key.clone(), point.iteration)).copied();
            let (stage, branch, round) = key;
            let (iteration, validation_loss, remaining) = (point.iteration, point.value, point.remaining);
            let stop =
                EarlyStop { stage, branch, round, iteration, validation_loss, test_accuracy, remaining };
            let same = |known: &&mut EarlyStop| {
                (&known.stage, &known.branch, known.round) == (&stop.stage, &stop.branch, stop.round)
            };
            match stops.iter_mut().find(same) {
                Some(known) if known.validation_loss <= stop.validation_loss => {}
                Some(known) => *known = stop,
                None => stops.push(stop),
            }
        }
        stops
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
    fn a_training_should_have_stopped_at_its_lowest_validation_loss() {
        let at = |series: &str, value: f64, round: u64, iteration: u64| {
            let Event::Point(point) = point(series, value, 1.0) else { panic!("a point") };
            Event::Point(Point { round: Some(round), iteration, ..point })
        };
        let record = RunRecord::of([
            at("train_loss", 0.5, 1, 100),
            at("train_loss", 0.5, 2, 100),
            at("validation_loss", 0.0, 3, 100),
            at("validation_loss", 0.5, 1, 100),
            at("validation_loss", 0.25, 1, 200),
            at("test_accuracy", 0.875, 1, 200),
            at("validation_loss", 0.25, 1, 300),
            at("validation_loss", 0.75, 2, 100),
        ]);
        let stops = record.early_stops();
        let found: Vec<_> =
            stops.iter().map(|stop| (stop.round, stop.iteration, stop.test_accuracy)).collect();
        assert_eq!(found, [(Some(1), 200, Some(0.875)), (Some(2), 100, None)]);
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
