//! What the curves of a run are called, and where their points are.

use std::collections::{BTreeMap, BTreeSet};

use super::event::When;
use doc::stage_number;
use results::trained::{iterations_per_epoch, iterations_trained};
use results::weights;
use results::{PointRef, RunRecord};

/// What a run measures of its predictions.
const METRICS: [&str; 2] = ["accuracy", "loss"];
/// On what.
const PARTS: [&str; 4] = ["train", "validation", "test", "vote"];

/// The tag of a series: TensorBoard makes a group of what is before the first slash.
///
/// `test_accuracy` is `accuracy/test`, so that all accuracies are in one group; `past_kl` is `past/kl`, and
/// `fc1.weight std` is `weights std/fc1.weight`.
pub fn tag_of(series: &str) -> String {
    if let Some((parameter, measure)) = weights::parts(series) {
        return format!("weights {}/{parameter}", measure.name());
    }
    match series.split_once('_') {
        Some((part, metric)) if METRICS.contains(&metric) && PARTS.contains(&part) => {
            format!("{metric}/{part}")
        }
        Some((group, what)) => format!("{group}/{what}"),
        None => series.to_owned(),
    }
}

/// What follows the tag of a series in a branch, and for a member of an ensemble.
pub fn path_of(branch: &str, member: Option<usize>) -> String {
    let branch = if branch.is_empty() { String::new() } else { format!("/{branch}") };
    let member = member.map(|member| format!("/member {member}")).unwrap_or_default();
    branch + &member
}

/// The tags and the places of the points of one run, in their order.
pub struct Tags<'a> {
    record: &'a RunRecord,
    per_epoch: Option<f64>,
    /// When the run began, by the clock or by a guess: seconds since 1970-01-01 00:00 UTC.
    began: f64,
    /// Whether campaigns of several stages need to be told apart.
    has_campaigns: bool,
    /// Points of each line between networks so far.
    along: BTreeMap<String, u64>,
}

impl<'a> Tags<'a> {
    /// Those of a record. `written` is when its log was written last, for logs that do not tell the time of day.
    pub fn new(record: &'a RunRecord, written: f64) -> Self {
        let points = record.points();
        let last = points.last().map_or(0.0, |point| point.secs);
        let campaigns = points.iter().filter(is_of_campaign).map(|point| point.stage);
        Self {
            record,
            per_epoch: iterations_per_epoch(points),
            began: record.utc(last).unwrap_or(written) - last,
            has_campaigns: campaigns.collect::<BTreeSet<_>>().len() > 1,
            along: BTreeMap::new(),
        }
    }

    /// When the run began, seconds since 1970-01-01 00:00 UTC.
    pub fn began(&self) -> f64 {
        self.wall_time(0.0)
    }

    /// The time of day at a wall time of the run: that of the log, or else as if it had never paused.
    pub fn wall_time(&self, secs: f64) -> f64 {
        self.record.utc(secs).unwrap_or(self.began + secs)
    }

    /// Where a point of a training or of a test is.
    pub fn when(&self, point: &PointRef<'_>) -> When {
        let step = iterations_trained(point, self.per_epoch) as u64;
        When { wall_time: self.wall_time(point.secs), step }
    }

    /// The tag and the place of the next point. On a line between networks, the step counts the points of the line.
    pub fn of(&mut self, point: &PointRef<'_>) -> (String, When) {
        let mut parts = vec![tag_of(point.series)];
        let mut when = self.when(point);
        if point.along.is_some() || (self.has_campaigns && is_of_campaign(point)) {
            parts.push(format!("stage {}", stage_number(point.stage)));
        }
        parts.extend(point.rate.map(|rate| format!("rate {rate:e}")));
        parts.extend(point.bit.map(|bit| format!("bit {bit}")));
        parts.extend(point.layer.map(str::to_owned));
        if point.along.is_some() {
            parts.extend(point.round.map(|round| format!("round {round}")));
        }
        let tag = parts.join("/") + &path_of(point.branch, point.member);
        if point.along.is_some() {
            let next = self.along.entry(tag.clone()).or_default();
            when.step = *next;
            *next += 1;
        }
        (tag, when)
    }
}

fn is_of_campaign(point: &PointRef<'_>) -> bool {
    point.series.starts_with("campaign_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::event::Clock;
    use results::{Event, Point};

    #[test]
    fn tags_are_in_groups_that_read_well() {
        let found =
            ["test_accuracy", "train_loss", "vote_accuracy", "past_kl", "line_loss", "fc1.weight std"]
                .map(tag_of);
        let wanted = [
            "accuracy/test",
            "loss/train",
            "accuracy/vote",
            "past/kl",
            "line/loss",
            "weights std/fc1.weight",
        ];
        assert_eq!(found, wanted);
        assert_eq!(tag_of("campaign_accuracy_unprotected"), "campaign/accuracy_unprotected");
        assert_eq!(path_of("copy/inner", Some(2)), "/copy/inner/member 2");
    }

    fn point(series: &str, iteration: u64, trained: f64) -> Point {
        let epoch = iteration as f64 / 10.0;
        let (series, stage) = (series.to_owned(), "2".to_owned());
        Point { series, stage, iteration, epoch, trained, secs: trained, ..Point::default() }
    }

    #[test]
    fn steps_count_all_training_and_times_are_those_of_the_clock() {
        let events = [point("test_loss", 20, 2.0), point("test_loss", 10, 3.0)].map(Event::Point);
        let clock = |utc: f64, secs: f64| Event::Clock(Clock { utc, secs });
        let clocks = [clock(1000.0, 0.0), clock(5000.0, 2.5)];
        let record = RunRecord::of(clocks.into_iter().chain(events.clone()));
        let mut tags = Tags::new(&record, 0.0);
        let found: Vec<When> = record.points().iter().map(|point| tags.of(&point).1).collect();
        let when = |wall_time: f64, step: u64| When { wall_time, step };
        assert_eq!(found, [when(1002.0, 20), when(5000.5, 30)], "it was rewound and interrupted");
        let older = RunRecord::of(events);
        let tags = Tags::new(&older, 9000.0);
        assert_eq!((tags.began(), tags.wall_time(3.0)), (8997.0, 9000.0), "by the age of its log");
    }

    #[test]
    fn cells_have_tags_and_lines_count_their_points() {
        let cell = |stage: &str, rate: f64| Point {
            stage: stage.to_owned(),
            rate: Some(rate),
            ..point("campaign_accuracy", 20, 2.0)
        };
        let on_line =
            |along: f64| Point { along: Some(along), round: Some(1), ..point("line_loss", 20, 2.0) };
        let points = [cell("1", 1e-5), cell("4.0", 1e-5), on_line(0.0), on_line(0.5), on_line(1.0)];
        let record = RunRecord::of(points.into_iter().map(Event::Point));
        let mut tags = Tags::new(&record, 0.0);
        let found: Vec<(String, u64)> =
            record.points().iter().map(|point| tags.of(&point)).map(|(tag, when)| (tag, when.step)).collect();
        let line = |step: u64| ("line/loss/stage 3/round 1".to_owned(), step);
        assert_eq!(found[0], ("campaign/accuracy/stage 2/rate 1e-5".to_owned(), 20));
        assert_eq!(found[1].0, "campaign/accuracy/stage 5.1/rate 1e-5");
        assert_eq!(found[2..], [line(0), line(1), line(2)]);
    }
}
