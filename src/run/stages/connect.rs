//! The error along the straight line between two networks.

use std::time::Instant;

use crate::error::RunError;
use crate::evaluate::evaluate;
use crate::reestimate::reestimate;
use crate::session::{Session, StageEnd};
use crate::state::TrainProgress;
use crate::stop::StopKind;
use crate::train::PROGRESS_EVERY;
use doc::plan::Sizes;
use doc::stage::{Connect, LineStatistics, ONE_SAMPLE};
use net::{Network, Score};
use results::number::fixed;
use results::report::line_summary;
use results::{Event, Point, Report};

/// Evaluates networks W = (1 − t)·A + t·B on the test part, masks ignored; t takes `points` values from 0 to 1. Batch-norm
/// statistics are measured again for each of them, the ends too, or interpolated like weights.
///
/// The error barrier is the largest error along the line less the mean of the errors of its ends (Frankle et al. 2020,
/// "Linear mode connectivity and the lottery ticket hypothesis"). Interpolated statistics overstate it, since the variances
/// of activations shrink along the line (Jordan et al. 2023, "REPAIR").
pub fn connect(session: &mut Session, stage: &Connect) -> Result<StageEnd, RunError> {
    let ends = [end(session, &stage.a)?, end(session, &stage.b)?];
    let (context, data) = (session.context.clone(), session.data());
    let batch = context.spec.train.evaluation_batch;
    let samples = stage.samples(&context.structure, Sizes::of_data(&data));
    let mut scores = Vec::new();
    for number in 0..stage.points {
        // Nothing was emitted so far: the stage starts over when the run resumes.
        let interrupted = Ok(StageEnd::Interrupted(TrainProgress::default()));
        if session.stop_requested() == Some(StopKind::Now) {
            return interrupted;
        }
        let along = place_of(number, stage.points);
        let done = number as u64 * samples;
        let Some(network) = network_at(session, stage, &ends, along, done)? else { return interrupted };
        let compute = context.compute.as_ref();
        let mut goes_on = |_| Ok(session.stop_requested() != Some(StopKind::Now));
        let tally = evaluate(compute, &network, &context.loss, &data.test, batch, &mut goes_on)?;
        let Some(tally) = tally else { return interrupted };
        scores.push((along, tally.score));
        session.emit_progress(done + samples)?;
    }
    for (along, score) in &scores {
        for (series, value) in [("line_loss", score.loss()), ("line_accuracy", score.accuracy())] {
            let point = Point { along: Some(*along), ..session.new_point(series, value) };
            session.emit(Event::Point(point))?;
        }
    }
    let statistics = context.structure.has_batch_norm().then_some(&stage.statistics);
    session.report(report(stage, &scores, statistics))?;
    Ok(StageEnd::Done)
}

/// The network at a place of the line, with its statistics; none if the run is to stop. `done` samples of the stage came
/// before it.
///
/// Statistics that are held in one of the ends were chosen, not measured: they are interpolated in any case.
fn network_at(
    session: &mut Session,
    stage: &Connect,
    [a, b]: &[Network; 2],
    along: f64,
    done: u64,
) -> Result<Option<Network>, RunError> {
    let mut network = a.between(b, along);
    network.hold_statistics_like(a);
    network.hold_statistics_like(b);
    if stage.statistics == LineStatistics::Interpolated || !network.has_free_norm() {
        return Ok(Some(network));
    }
    let (context, data) = (session.context.clone(), session.data());
    if data.train.len() < 2 {
        return Err(session.stage_error(ONE_SAMPLE.to_owned()));
    }
    let (mut done, mut emitted) = (done, Instant::now());
    let mut goes_on = |samples: usize| {
        done += samples as u64;
        if emitted.elapsed() >= PROGRESS_EVERY {
            emitted = Instant::now();
            session.emit_progress(done)?;
        }
        Ok(session.stop_requested() != Some(StopKind::Now))
    };
    let is_measured = reestimate(&context, &mut network, &data.train, &mut goes_on)?;
    Ok(is_measured.then_some(network))
}

fn place_of(number: usize, points: usize) -> f64 {
    number as f64 / (points - 1) as f64
}

fn end(session: &Session, name: &str) -> Result<Network, RunError> {
    let kept = session.state().kept.get(name);
    kept.map(|kept| kept.network.clone())
        .ok_or_else(|| session.stage_error(format!("there is no snapshot, branch or member \"{name}\"")))
}

fn report(stage: &Connect, scores: &[(f64, Score)], statistics: Option<&LineStatistics>) -> Report {
    let errors: Vec<f64> = scores.iter().map(|(_, score)| 1.0 - score.accuracy()).collect();
    let losses: Vec<f64> = scores.iter().map(|(_, score)| score.loss()).collect();
    let barrier_of_errors = fixed(100.0 * barrier(&errors), 2);
    let summary = line_summary([&stage.a, &stage.b], &barrier_of_errors, barrier(&losses), statistics);
    let rows = scores
        .iter()
        .map(|(along, score)| [*along, score.loss(), score.accuracy()].map(|value| value.to_string()).into());
    Report {
        kind: "line".to_owned(),
        summary,
        columns: ["along", "loss", "accuracy"].map(str::to_owned).into(),
        rows: rows.collect(),
        ..Report::default()
    }
}

/// The largest value less the mean of the first and the last.
fn barrier(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ends = values.first().zip(values.last()).map_or(0.0, |(first, last)| f64::midpoint(*first, *last));
    largest - ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_is_measured_from_the_mean_of_the_ends() {
        assert_eq!(barrier(&[0.25, 1.0, 0.75]), 0.5);
        assert_eq!(barrier(&[0.5, 0.25, 0.5]), 0.0);
    }

    #[test]
    fn places_reach_from_one_end_to_the_other() {
        assert_eq!([place_of(0, 11), place_of(5, 11), place_of(10, 11)], [0.0, 0.5, 1.0]);
    }
}
