//! What is known of a run: the fold of its events.

use std::sync::Arc;

use super::campaign::CampaignRecord;
use super::event::{Clock, Event, PointRef, Progress, Report, StageBegan};
use super::number::fixed;
use super::points::Points;
use super::run_state::RunState;
use form::number::grouped;

/// A run that has worked for less than this begins, seconds.
const NO_TIME: f64 = 1.0;

/// The end that a training should have had, found afterwards.
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
    pub validation_loss: f64,
    /// Test accuracy at that iteration, in [0, 1].
    pub test_accuracy: Option<f64>,
    /// Share of the prunable weights that remained, in [0, 1].
    pub remaining: f64,
}

/// The record of a run. It changes only through [`apply`](Self::apply).
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
    /// In ascending order of the run's wall time.
    clocks: Arc<Vec<Clock>>,
    steps: Arc<Vec<StepStart>>,
}

/// The begin of a step of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepStart {
    /// Its number in the order of execution, from 0.
    pub number: usize,
    /// The branch that it belongs to; nothing for the main branch.
    pub branch: Option<Box<str>>,
    /// Points before it.
    pub points: usize,
}

impl RunRecord {
    /// Returns where a report comes from: the name of the campaign that it is of, otherwise its stage.
    pub fn place_of(&self, report: &Report) -> String {
        let own = |campaign: &&CampaignRecord| {
            let began = &campaign.began;
            (&began.stage, began.round, &began.branch) == (&report.stage, report.round, &report.branch)
        };
        let campaign = self.campaigns().iter().find(own).filter(|_| report.kind.starts_with("campaign"));
        campaign.map_or_else(|| report.place(), CampaignRecord::title)
    }

    /// Returns the fold of a stream of events.
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Self {
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
            Event::Clock(clock) => {
                let clocks = Arc::make_mut(&mut self.clocks);
                clocks.retain(|known| known.secs < clock.secs); // those after a checkpoint that a run resumes from
                clocks.push(clock);
            }
            Event::Rewound { points, reports, campaigns } => {
                // A step that began at the cut stays: if it begins once more, it replaces itself.
                Arc::make_mut(&mut self.steps).retain(|step| step.points <= points);
                Arc::make_mut(&mut self.points).truncate(points);
                Arc::make_mut(&mut self.reports).truncate(reports);
                Arc::make_mut(&mut self.campaigns).truncate(campaigns);
            }
            Event::Stage(stage) => {
                let (number, points) = (stage.number, self.points.len());
                let steps = Arc::make_mut(&mut self.steps);
                steps.retain(|step| step.number < number);
                let branch = (!stage.branch.is_empty()).then(|| stage.branch.as_str().into());
                steps.push(StepStart { number, branch, points });
                self.stage = Some(stage);
            }
            Event::Point(point) => self.take_point(&point.borrowed()),
            Event::Report(report) => Arc::make_mut(&mut self.reports).push(report),
            Event::CampaignBegan(began) => {
                let campaign = CampaignRecord::after(&self.campaigns, began);
                Arc::make_mut(&mut self.campaigns).push(campaign);
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

    /// Returns its state.
    pub const fn state(&self) -> &RunState {
        &self.state
    }

    /// Returns true if all stages are done.
    pub fn is_done(&self) -> bool {
        self.state == RunState::Done
    }

    /// Returns why it failed; nothing for other states.
    pub fn failure(&self) -> Option<&str> {
        if let RunState::Failed(message) = &self.state { Some(message) } else { None }
    }

    /// Returns the stage that began last.
    pub const fn stage(&self) -> Option<&StageBegan> {
        self.stage.as_ref()
    }

    /// Returns its latest progress.
    pub const fn progress(&self) -> Progress {
        self.progress
    }

    /// Returns the campaign that goes on, or with which the run would go on.
    pub fn open_campaign(&self) -> Option<&CampaignRecord> {
        self.campaigns.last().filter(|campaign| campaign.ended.is_none())
    }

    /// Returns where it is, in words: "epoch 3.5", in a campaign "1,500 of 4,500 trials".
    pub fn position(&self) -> String {
        match self.open_campaign() {
            Some(campaign) => {
                format!("{} of {} trials", grouped(campaign.trials()), grouped(campaign.planned()))
            }
            None => format!("epoch {}", fixed(self.progress.epoch, 1)),
        }
    }

    /// Returns where it is, as short as a tree has room for: "epoch 4", in a pruning loop "round 2", in a campaign
    /// "trial 1,500".
    pub fn short_position(&self) -> String {
        if let Some(campaign) = self.open_campaign() {
            return format!("trial {}", grouped(campaign.trials()));
        }
        match (self.stage().and_then(|stage| stage.round), self.progress.epoch) {
            (Some(round), _) => format!("round {round}"),
            (None, epoch) if epoch > 0.0 => format!("epoch {}", epoch.ceil()),
            (None, _) => "running".to_owned(),
        }
    }

    /// Returns all points, in the order in which they came.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Returns the names of all series that have points.
    pub fn series(&self) -> impl Iterator<Item = &str> {
        self.points.series()
    }

    /// Returns all reports, in the order in which they came.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Returns all campaigns, in the order in which they began.
    pub fn campaigns(&self) -> &[CampaignRecord] {
        &self.campaigns
    }

    /// Returns the time of day at a wall time of the run, in seconds since 1970-01-01 00:00 UTC. `None` for what an
    /// earlier version computed.
    pub fn utc(&self, secs: f64) -> Option<f64> {
        let after = self.clocks.partition_point(|clock| clock.secs <= secs);
        let clock = self.clocks[..after].last()?;
        Some(clock.utc + (secs - clock.secs))
    }

    /// Returns when the run began, in seconds since 1970-01-01 00:00 UTC. `None` where its log does not tell.
    pub fn began(&self) -> Option<f64> {
        self.clocks.first().filter(|clock| clock.secs < NO_TIME).map(|clock| clock.utc)
    }

    /// Returns the seconds by the clock since the run began, pauses and interruptions included, at a wall time of the run.
    pub fn clock_secs(&self, secs: f64) -> Option<f64> {
        Some(self.utc(secs)? - self.began()?)
    }

    /// Returns where the steps of the plan began, in their order.
    pub fn steps(&self) -> &[StepStart] {
        &self.steps
    }

    /// Returns the early-stop iteration of every training that was validated, in the order of the trainings. Points of
    /// a training come in sequence, which separates the rounds of nested repetitions with equal numbers.
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
    use crate::Point;

    fn point(series: &str, value: f64, trained: f64) -> Event {
        let line = format!(
            r#"{{"event":"point","series":"{series}","value":{value},"stage":"0","epoch":{trained},"iteration":1,"trained":{trained},"remaining":1.0,"secs":0.5}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn a_record_is_the_fold_of_its_events() {
        let record = RunRecord::from_events([
            Event::Started { resumed: false, threads: 1 },
            point("test_accuracy", 0.5, 1.0),
            point("test_accuracy", 0.75, 2.0),
            point("test_accuracy", 0.75, 3.0),
            point("test_accuracy", 0.625, 4.0),
            Event::Finished { secs: 2.0 },
        ]);
        assert_eq!(record.state(), &RunState::Done);
        assert_eq!(record.points().latest("test_accuracy"), Some(0.625));
        assert_eq!(record.points().best("test_accuracy").map(|point| point.trained), Some(2.0));
        assert_eq!(record.points().len(), 4);
        assert_eq!(record.series().collect::<Vec<_>>(), ["test_accuracy"]);
        assert_eq!(record.points().of("test_accuracy").count(), 4);
    }

    #[test]
    fn a_training_should_have_stopped_at_its_lowest_validation_loss() {
        let at = |series: &str, value: f64, round: u64, iteration: u64| {
            let Event::Point(point) = point(series, value, 1.0) else { panic!("a point") };
            Event::Point(Point { round: Some(round), iteration, ..point })
        };
        let record = RunRecord::from_events([
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
        let mut record = RunRecord::from_events(events);
        record.apply(Event::Started { resumed: true, threads: 1 });
        assert_eq!((record.points().len(), record.state()), (1, &RunState::Running));
        record.apply(Event::Started { resumed: false, threads: 1 });
        assert_eq!((record.points().len(), record.state()), (0, &RunState::Running));
    }

    #[test]
    fn the_clock_goes_on_while_a_run_is_interrupted() {
        let clock = |utc: f64, secs: f64| Event::Clock(Clock { utc, secs });
        let started = |resumed| Event::Started { resumed, threads: 1 };
        let mut record = RunRecord::from_events([started(false), clock(1000.0, 0.0), clock(1500.0, 100.0)]);
        assert_eq!(record.began(), Some(1000.0));
        let at = [0.0, 99.0, 100.0, 160.0];
        assert_eq!(at.map(|secs| record.clock_secs(secs)), [0.0, 99.0, 500.0, 560.0].map(Some));
        // It resumes from a checkpoint before the second start.
        record.apply(started(true));
        record.apply(clock(3000.0, 50.0));
        assert_eq!([49.0, 100.0].map(|secs| record.utc(secs)), [1049.0, 3050.0].map(Some));
        let older = RunRecord::from_events([started(false), started(true), clock(1500.0, 100.0)]);
        assert_eq!((older.began(), older.utc(99.0), older.clock_secs(100.0)), (None, None, None));
    }

    #[test]
    fn a_run_that_goes_on_says_nothing_twice() {
        let before = [point("test_accuracy", 0.5, 1.0), point("test_accuracy", 0.75, 2.0)];
        let mut record = RunRecord::from_events(before);
        record.apply(Event::Rewound { points: 1, reports: 0, campaigns: 0 });
        assert_eq!(record.points().latest("test_accuracy"), Some(0.5));
        record.apply(point("test_accuracy", 0.75, 2.0));
        assert_eq!((record.points().len(), record.points().of("test_accuracy").count()), (2, 2));
    }
}
