//! What the curves of a run are called, and where their points are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::event::{HistogramValue, When};
use doc::{Run, stage_number};
use results::network::ParameterValues;
use results::points::{iterations_per_epoch, iterations_trained};
use results::rounds::kept_rounds;
use results::weights::{Measure, WeightHistogram, series};
use results::{PointRef, RunRecord, weights};
use run::summary::{Moment, read_all_values_at, read_histograms, stored_rounds};

/// Measures of predictions.
const METRICS: [&str; 2] = ["accuracy", "loss"];
/// Sets of samples that they are measured on.
const PARTS: [&str; 4] = ["train", "validation", "test", "vote"];

/// Returns the tag of a series: TensorBoard makes a group of what is before the first slash.
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

/// Returns the text that follows the tag of a series in a branch, and for a member of an ensemble.
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
    has_campaigns: bool,
    /// Points of each line between networks so far.
    along: BTreeMap<String, u64>,
}

impl<'a> Tags<'a> {
    /// Prepares those of a record. `written` is when its log was written last, for logs that do not tell the time of day.
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

    /// Returns the time when the run began, seconds since 1970-01-01 00:00 UTC.
    pub fn began(&self) -> f64 {
        self.wall_time(0.0)
    }

    /// Returns the time of day at a wall time of the run: that of the log, or else as if it had never paused.
    pub fn wall_time(&self, secs: f64) -> f64 {
        self.record.utc(secs).unwrap_or(self.began + secs)
    }

    /// Returns the place of a point of a training or of a test.
    pub fn when(&self, point: &PointRef<'_>) -> When {
        let step = iterations_trained(point, self.per_epoch) as u64;
        When { wall_time: self.wall_time(point.secs), step }
    }

    /// Returns the tag and the place of the next point. On a line between networks, the step counts the points of the line.
    pub fn next_point(&mut self, point: &PointRef<'_>) -> (String, When) {
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

/// A histogram with its tag and its place.
pub struct Tagged {
    pub when: When,
    pub tag: String,
    pub value: HistogramValue,
}

/// The identity of an evaluation of a parameter.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Evaluation<'a> {
    branch: &'a str,
    member: Option<usize>,
    stage: &'a str,
    round: Option<u64>,
    iteration: u64,
    trained_bits: u64,
}

/// Collects all histograms of a run in the order of time, with notes on files that cannot be read. A network that was kept right
/// after an evaluation is not there twice.
pub fn histograms(
    folder: &Path,
    run: &Run,
    record: &RunRecord,
    tags: &Tags<'_>,
) -> (Vec<Tagged>, Vec<String>) {
    let mut found = recorded(&read_histograms(folder, &run.id), record, tags);
    let mut notes = Vec::new();
    let kept = kept_rounds(record, &stored_rounds(folder, &run.id));
    let rounds = kept.iter().filter_map(|kept| {
        let steps = record.steps();
        let at = steps.iter().position(|step| step.number == kept.step)?;
        let end = steps.get(at + 1).map_or(record.points().len(), |next| next.points);
        let branch = steps[at].branch.as_deref().unwrap_or_default();
        Some((Moment::Round(kept.step), end, branch))
    });
    let end = record.is_done().then_some((Moment::End, record.points().len(), ""));
    for (moment, end, branch) in rounds.chain(end) {
        let Some(last) = end.checked_sub(1).and_then(|last| record.points().iter().nth(last)) else {
            continue;
        };
        match read_all_values_at(folder, &run.id, moment) {
            Ok(values) => found.extend(values.iter().map(|(name, values)| {
                let tag = format!("weights/{name}{}", path_of(branch, None));
                Tagged { when: tags.when(&last), tag, value: of_values(values) }
            })),
            Err(why) => {
                notes.push(format!("{}, seed {}: {why}; its histogram is left out", run.arm, run.seed));
            }
        }
    }
    found.sort_by(|a, b| a.when.wall_time.total_cmp(&b.when.wall_time));
    drop_doubles(&mut found);
    (found, notes)
}

/// Drops those that repeat the bins of the one before with the same tag at the same step.
fn drop_doubles(all: &mut Vec<Tagged>) {
    let mut last: BTreeMap<String, (u64, [f64; 2], Vec<f64>)> = BTreeMap::new();
    all.retain(|Tagged { when, tag, value }| {
        let own = (when.step, value.ends, value.counts.clone());
        last.insert(tag.clone(), own.clone()).is_none_or(|known| known != own)
    });
}

/// Reads those that were recorded with each evaluation. Their lines have no time: that is in the series of the same evaluation.
fn recorded(histograms: &[WeightHistogram], record: &RunRecord, tags: &Tags<'_>) -> Vec<Tagged> {
    let mut found = Vec::with_capacity(histograms.len());
    let mut known: BTreeMap<&str, BTreeMap<Evaluation<'_>, (When, [f64; 2])>> = BTreeMap::new();
    for histogram in histograms {
        let name = histogram.parameter.as_str();
        let evaluations = known.entry(name).or_insert_with(|| evaluations(name, record, tags));
        let own = Evaluation {
            branch: &histogram.branch,
            member: histogram.member,
            stage: &histogram.stage,
            round: histogram.round,
            iteration: histogram.iteration,
            trained_bits: histogram.trained.to_bits(),
        };
        let Some((when, [mean, norm])) = evaluations.get(&own) else { continue };
        let entries = histogram.pruned + histogram.counts.iter().sum::<u64>();
        let tag = format!("weights/{name}{}", path_of(&histogram.branch, histogram.member));
        let value = value_of(histogram, [mean * entries as f64, norm * norm]);
        found.push(Tagged { when: *when, tag, value });
    }
    found
}

/// Returns place, mean and L2 norm of a parameter at each evaluation. Pruned entries are 0 and add nothing to either sum.
fn evaluations<'a>(
    parameter: &str,
    record: &'a RunRecord,
    tags: &Tags<'_>,
) -> BTreeMap<Evaluation<'a>, (When, [f64; 2])> {
    let [means, norms] = [Measure::Mean, Measure::Norm].map(|measure| series(parameter, measure));
    let points = record.points().of(&means).zip(record.points().of(&norms));
    let evaluation = points.map(|(mean, norm)| {
        let PointRef { branch, member, stage, round, iteration, trained, .. } = mean;
        let own = Evaluation { branch, member, stage, round, iteration, trained_bits: trained.to_bits() };
        (own, (tags.when(&mean), [mean.value, norm.value]))
    });
    evaluation.collect()
}

/// Copies the bins of a histogram.
fn value_of(histogram: &WeightHistogram, sums: [f64; 2]) -> HistogramValue {
    HistogramValue {
        ends: [histogram.low, histogram.high].map(f64::from),
        sums,
        limits: histogram.edges().split_off(1),
        counts: histogram.counts.iter().map(|count| *count as f64).collect(),
    }
}

fn of_values(values: &ParameterValues) -> HistogramValue {
    let counted = values.values.iter().zip(&values.entries);
    let counted = counted.filter(|(value, entry)| value.is_finite() && entry.survives());
    let sums = counted.fold([0.0, 0.0], |[sum, squares], (value, _)| {
        let value = f64::from(*value);
        [sum + value, squares + value * value]
    });
    value_of(&WeightHistogram::new(&values.values, Some(&values.entries)), sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use intervene::Entry;
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
        let record = RunRecord::from_events(clocks.into_iter().chain(events.clone()));
        let mut tags = Tags::new(&record, 0.0);
        let found: Vec<When> = record.points().iter().map(|point| tags.next_point(&point).1).collect();
        let when = |wall_time: f64, step: u64| When { wall_time, step };
        assert_eq!(found, [when(1002.0, 20), when(5000.5, 30)], "it was rewound and interrupted");
        let older = RunRecord::from_events(events);
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
        let record = RunRecord::from_events(points.into_iter().map(Event::Point));
        let mut tags = Tags::new(&record, 0.0);
        let found: Vec<(String, u64)> = record
            .points()
            .iter()
            .map(|point| tags.next_point(&point))
            .map(|(tag, when)| (tag, when.step))
            .collect();
        let line = |step: u64| ("line/loss/stage 3/round 1".to_owned(), step);
        assert_eq!(found[0], ("campaign/accuracy/stage 2/rate 1e-5".to_owned(), 20));
        assert_eq!(found[1].0, "campaign/accuracy/stage 5.1/rate 1e-5");
        assert_eq!(found[2..], [line(0), line(1), line(2)]);
    }

    #[test]
    fn recorded_bins_come_with_the_time_of_their_evaluation() {
        let point = |measure: Measure, value: f64| {
            let place = Point { stage: "0".to_owned(), iteration: 20, epoch: 2.0, ..Point::default() };
            let series = series("fc1.weight", measure);
            Event::Point(Point { series, value, trained: 2.0, secs: 1.5, ..place })
        };
        let record = RunRecord::from_events([point(Measure::Mean, 0.25), point(Measure::Norm, 2.0)]);
        let entries = [Entry::Free, Entry::Pruned, Entry::Free, Entry::Free];
        let histogram = WeightHistogram {
            parameter: "fc1.weight".to_owned(),
            stage: "0".to_owned(),
            iteration: 20,
            trained: 2.0,
            ..WeightHistogram::new(&[-1.0, 0.0, 0.5, 1.5], Some(&entries))
        };
        let other = WeightHistogram { iteration: 30, ..histogram.clone() };
        let tags = Tags::new(&record, 101.5);
        let found = recorded(&[histogram, other], &record, &tags);
        let [Tagged { when, tag, value }] = &found[..] else {
            panic!("{} evaluations are known", found.len())
        };
        assert_eq!((*when, tag.as_str()), (When { wall_time: 101.5, step: 20 }, "weights/fc1.weight"));
        assert_eq!((value.ends, value.sums), ([-1.0, 1.5], [1.0, 4.0]), "0.25 · 4 entries, 2²");
        assert_eq!((value.limits.len(), value.limits[63]), (64, 1.5));
        assert_eq!(value.counts.iter().sum::<f64>(), 3.0);
    }

    #[test]
    fn a_network_that_was_kept_is_counted_and_not_shown_twice() {
        let values = ParameterValues {
            shape: vec![4],
            values: vec![1.0, 0.0, f32::NAN, -2.0],
            entries: vec![Entry::Free, Entry::Pruned, Entry::Free, Entry::Free],
        };
        let value = of_values(&values);
        assert_eq!((value.ends, value.sums), ([-2.0, 1.0], [-1.0, 5.0]));
        assert_eq!(value.counts.iter().sum::<f64>(), 2.0);
        let at = |step: u64| Tagged {
            when: When { wall_time: 1.0, step },
            tag: "weights/a".to_owned(),
            value: value.clone(),
        };
        let mut all = vec![at(1), at(1), at(2)];
        drop_doubles(&mut all);
        assert_eq!(all.len(), 2);
    }
}
