//! What is known of a run: the fold of its events.

use std::sync::Arc;

use super::campaign::CampaignRecord;
use super::event::{Event, PointRef, Progress, Report, StageBegan};
use super::points::Points;

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

/// Where a training should have stopped, found afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlyStop {
    /// Place of the training in the plan.
    pub stage: String,
    /// The branch; empty for the main branch.
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
///
/// A copy is cheap: the two share their data until one of them changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    state: RunState,
    stage: Option<StageBegan>,
    progress: Progress,
    points: Arc<Points>,
    reports: Arc<Vec<Report>>,
    campaigns: Arc<Vec<CampaignRecord>>,
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
            // A run that starts over has an empty log, and repeats all events.
            Event::Started { resumed: false, .. } => {
                *self = Self { state: RunState::Running, ..Self::default() };
            }
            Event::Started { resumed: true, .. } => self.state = RunState::Running,
            Event::Rewound { points, reports, campaigns } => {
                Arc::make_mut(&mut self.points).truncate(points);
                Arc::make_mut(&mut self.reports).truncate(reports);
                Arc::make_mut(&mut self.campaigns).truncate(campaigns);
            }
            Event::Stage(stage) => self.stage = Some(stage),
            Event::Point(point) => self.take_point(&point.borrowed()),
            Event::Report(report) => Arc::make_mut(&mut self.reports).push(report),
            Event::CampaignBegan(began) => {
                Arc::make_mut(&mut self.campaigns).push(CampaignRecord::new(began));
            }
            Event::CampaignCell(state) => {
                if let Some(campaign) = Arc::make_mut(&mut self.campaigns).last_mut() {
                    campaign.take_in(state);
                }
            }
            Event::CampaignEnded(ended) => {
                if let Some(campaign) = Arc::make_mut(&mut self.campaigns).last_mut() {
                    campaign.ended = Some(ended);
                }
            }
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
            Event::Elsewhere { .. } => {}
        }
    }

    /// Applies the event of a point without a copy of its texts.
    pub(super) fn take_point(&mut self, point: &PointRef<'_>) {
        Arc::make_mut(&mut self.points).push(point);
    }

    /// Frees memory that is reserved for further points.
    pub(super) fn shrink_to_fit(&mut self) {
        Arc::make_mut(&mut self.points).shrink_to_fit();
    }

    /// Its state.
    pub const fn state(&self) -> &RunState {
        &self.state
    }

    /// Whether all stages are done.
    pub fn is_done(&self) -> bool {
        self.state == RunState::Done
    }

    /// Why it failed; nothing for other states.
    pub fn failure(&self) -> Option<&str> {
        if let RunState::Failed(message) = &self.state { Some(message) } else { None }
    }

    /// The stage that began last.
    pub const fn stage(&self) -> Option<&StageBegan> {
        self.stage.as_ref()
    }

    /// Its latest progress.
    pub const fn progress(&self) -> Progress {
        self.progress
    }

    /// All points, in the order in which they came.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The names of all series that have points.
    pub fn series(&self) -> impl Iterator<Item = &str> {
        self.points.series()
    }

    /// The points of a series, in the order in which they came.
    pub fn points_of(&self, series: &str) -> impl DoubleEndedIterator<Item = PointRef<'_>> {
        self.points.of(series)
    }

    /// All reports, in the order in which they came.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// All campaigns, in the order in which they began.
    pub fn campaigns(&self) -> &[CampaignRecord] {
        &self.campaigns
    }

    /// The latest value of a series of the main branch.
    pub fn latest(&self, series: &str) -> Option<f64> {
        self.points.latest(series)
    }

    /// The early-stop iteration of every training that was validated, in the order of the trainings. Points of a training
    /// come in sequence, which separates the rounds of nested repetitions with equal numbers.
    pub fn early_stops(&self) -> Vec<EarlyStop> {
        let mut stops: Vec<EarlyStop> = Vec::new();
        let mut training = None;
        let mut best: Option<EarlyStop> = None;
        for point in self.points.iter().filter(|point| point.member.is_none()) {
            let key = (point.stage, point.branch, point.round);
            match point.series {
                "train_loss" if training != Some(key) => {
                    training = Some(key);
                    stops.extend(best.take());
                }
                // A separate test is no training.
                _ if training != Some(key) => {}
                "validation_loss" => take_lower(&mut best, &point),
                "test_accuracy" => {
                    if let Some(best) = best.as_mut().filter(|best| best.iteration == point.iteration) {
                        best.test_accuracy.get_or_insert(point.value);
                    }
                }
                _ => {}
            }
        }
        stops.extend(best);
        stops
    }

    /// The best value of a series of the main branch: lowest of losses, highest of the others.
    pub fn best(&self, series: &str) -> Option<PointRef<'_>> {
        self.points.best(series)
    }
}

/// Keeps the lower validation loss, the first of equal ones.
fn take_lower(best: &mut Option<EarlyStop>, point: &PointRef<'_>) {
    let is_lower = best.as_ref().is_none_or(|best| point.value < best.validation_loss);
    if point.value.is_finite() && is_lower {
        *best = Some(EarlyStop {
            stage: point.stage.to_owned(),
            branch: point.branch.to_owned(),
            round: point.round,
            iteration: point.iteration,
            validation_loss: point.value,
            test_accuracy: None,
            remaining: point.remaining,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Point;

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
        assert_eq!(record.series().collect::<Vec<_>>(), ["test_accuracy"]);
        assert_eq!(record.points_of("test_accuracy").count(), 4);
    }

    #[test]
    fn a_training_should_have_stopped_at_its_lowest_validation_loss() {
        let at = |series: &str, value: f64, round: u64, iteration: u64| {
            let Event::Point(point) = point(series, value, 1.0) else { panic!("a point") };
            Event::Point(Point { round: Some(round), iteration, ..point })
        };
        let record = RunRecord::of([
            at("train_loss", 0.5, 1, 100),
            at("validation_loss", 0.5, 1, 100),
            at("train_loss", 0.5, 1, 200),
            at("validation_loss", 0.25, 1, 200),
            at("test_accuracy", 0.875, 1, 200),
            at("train_loss", 0.5, 1, 300),
            at("validation_loss", 0.25, 1, 300),
            at("train_loss", 0.5, 2, 100),
            at("validation_loss", 0.75, 2, 100),
            at("validation_loss", 0.0, 3, 100),
            at("train_loss", 0.5, 1, 400),
            at("validation_loss", 0.5, 1, 400),
        ]);
        let stops = record.early_stops();
        let found: Vec<_> =
            stops.iter().map(|stop| (stop.round, stop.iteration, stop.test_accuracy)).collect();
        // The last one is the first round of another outer round.
        assert_eq!(found, [(Some(1), 200, Some(0.875)), (Some(2), 100, None), (Some(1), 400, None)]);
    }

    #[test]
    fn a_run_that_starts_over_forgets_what_it_said_and_one_that_goes_on_does_not() {
        let events = [point("test_accuracy", 0.5, 1.0), Event::Stopped { secs: 1.0 }];
        let mut record = RunRecord::of(events);
        record.apply(Event::Started { resumed: true, threads: 1 });
        assert_eq!((record.points().len(), record.state()), (1, &RunState::Running));
        record.apply(Event::Started { resumed: false, threads: 1 });
        assert_eq!((record.points().len(), record.state()), (0, &RunState::Running));
    }

    #[test]
    fn a_run_that_goes_on_says_nothing_twice() {
        let before = [point("test_accuracy", 0.5, 1.0), point("test_accuracy", 0.75, 2.0)];
        let mut record = RunRecord::of(before);
        record.apply(Event::Rewound { points: 1, reports: 0, campaigns: 0 });
        assert_eq!(record.latest("test_accuracy"), Some(0.5));
        record.apply(point("test_accuracy", 0.75, 2.0));
        assert_eq!((record.points().len(), record.points_of("test_accuracy").count()), (2, 2));
    }
}
