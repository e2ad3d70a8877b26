//! Histograms of weights: those that a run has recorded, and those of the networks that it has kept.

use std::collections::BTreeMap;
use std::path::Path;

use super::event::{HistogramValue, When};
use super::tags::{Tags, path_of};
use doc::Run;
use results::RunRecord;
use results::kept_rounds::kept_rounds;
use results::network::ParameterValues;
use results::weights::{Measure, WeightHistogram, series};
use run::summary::{Moment, read_all_values_at, read_histograms, stored_rounds};

/// A histogram with its tag and its place.
pub type Tagged = (When, String, HistogramValue);

/// What identifies an evaluation of a parameter: branch, member, stage, round, iteration, epochs trained.
type Evaluation<'a> = (&'a str, Option<usize>, &'a str, Option<u64>, u64, u64);

/// All histograms of a run in the order of time, with notes on files that cannot be read. A network that was kept right
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
                (tags.when(&last), tag, of_values(values))
            })),
            Err(why) => {
                notes.push(format!("{}, seed {}: {why}; its histogram is left out", run.arm, run.seed));
            }
        }
    }
    found.sort_by(|a, b| a.0.wall_time.total_cmp(&b.0.wall_time));
    (without_doubles(found), notes)
}

/// Those that were recorded with each evaluation. Their lines have no time: that is in the series of the same evaluation.
fn recorded(histograms: &[WeightHistogram], record: &RunRecord, tags: &Tags<'_>) -> Vec<Tagged> {
    let mut found = Vec::with_capacity(histograms.len());
    let mut known: BTreeMap<&str, BTreeMap<Evaluation<'_>, (When, [f64; 2])>> = BTreeMap::new();
    for histogram in histograms {
        let name = histogram.parameter.as_str();
        let evaluations = known.entry(name).or_insert_with(|| evaluations(name, record, tags));
        let own = (
            histogram.branch.as_str(),
            histogram.member,
            histogram.stage.as_str(),
            histogram.round,
            histogram.iteration,
            histogram.trained.to_bits(),
        );
        let Some((when, [mean, norm])) = evaluations.get(&own) else { continue };
        let entries = histogram.pruned + histogram.counts.iter().sum::<u64>();
        let tag = format!("weights/{name}{}", path_of(&histogram.branch, histogram.member));
        found.push((*when, tag, value_of(histogram, [mean * entries as f64, norm * norm])));
    }
    found
}

/// Place, mean and L2 norm of a parameter at each evaluation. Pruned entries are 0 and add nothing to either sum.
fn evaluations<'a>(
    parameter: &str,
    record: &'a RunRecord,
    tags: &Tags<'_>,
) -> BTreeMap<Evaluation<'a>, (When, [f64; 2])> {
    let [means, norms] = [Measure::Mean, Measure::Norm].map(|measure| series(parameter, measure));
    let points = record.points_of(&means).zip(record.points_of(&norms));
    let evaluation = points.map(|(mean, norm)| {
        let own = (mean.branch, mean.member, mean.stage, mean.round, mean.iteration, mean.trained.to_bits());
        (own, (tags.when(&mean), [mean.value, norm.value]))
    });
    evaluation.collect()
}

/// The bins as they are.
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
    value_of(&WeightHistogram::of(&values.values, Some(&values.entries)), sums)
}

/// Removes those that repeat the bins of the one before with the same tag at the same step.
fn without_doubles(all: Vec<Tagged>) -> Vec<Tagged> {
    let mut last: BTreeMap<String, (u64, [f64; 2], Vec<f64>)> = BTreeMap::new();
    let is_new = |(when, tag, value): &Tagged| {
        let own = (when.step, value.ends, value.counts.clone());
        last.insert(tag.clone(), own.clone()).is_none_or(|known| known != own)
    };
    let mut all = all;
    all.retain(is_new);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use intervene::Entry;
    use results::{Event, Point};

    #[test]
    fn recorded_bins_come_with_the_time_of_their_evaluation() {
        let point = |measure: Measure, value: f64| {
            let place = Point { stage: "0".to_owned(), iteration: 20, epoch: 2.0, ..Point::default() };
            let series = series("fc1.weight", measure);
            Event::Point(Point { series, value, trained: 2.0, secs: 1.5, ..place })
        };
        let record = RunRecord::of([point(Measure::Mean, 0.25), point(Measure::Norm, 2.0)]);
        let entries = [Entry::Free, Entry::Pruned, Entry::Free, Entry::Free];
        let histogram = WeightHistogram {
            parameter: "fc1.weight".to_owned(),
            stage: "0".to_owned(),
            iteration: 20,
            trained: 2.0,
            ..WeightHistogram::of(&[-1.0, 0.0, 0.5, 1.5], Some(&entries))
        };
        let other = WeightHistogram { iteration: 30, ..histogram.clone() };
        let tags = Tags::new(&record, 101.5);
        let found = recorded(&[histogram, other], &record, &tags);
        let [(when, tag, value)] = &found[..] else { panic!("one evaluation is known: {found:?}") };
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
        let at = |step: u64| (When { wall_time: 1.0, step }, "weights/a".to_owned(), value.clone());
        assert_eq!(without_doubles(vec![at(1), at(1), at(2)]).len(), 2);
    }
}
