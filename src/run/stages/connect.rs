//! The error along the straight line between two networks.

use crate::doc::stage::Connect;
use crate::net::{Network, Score};
use crate::results::number::fixed;
use crate::results::report::line_summary;
use crate::results::{Event, Point, Report};
use crate::run::error::RunError;
use crate::run::evaluate::evaluate;
use crate::run::session::{Session, StageEnd};
use crate::run::state::TrainProgress;
use crate::run::stop::StopKind;

/// Evaluates networks W = (1 − t)·A + t·B on the test part, batch-norm statistics interpolated like weights, masks
/// ignored; t takes `points` values from 0 to 1.
///
/// The error barrier is the largest error along the line less the mean of the errors of its ends (Frankle et al. 2020,
/// "Linear mode connectivity and the lottery ticket hypothesis").
pub fn connect(session: &mut Session, stage: &Connect) -> Result<StageEnd, RunError> {
    let (a, b) = (end(session, &stage.a)?, end(session, &stage.b)?);
    let (context, data) = (session.context.clone(), session.data());
    let batch = context.spec.train.evaluation_batch;
    let mut scores = Vec::new();
    for number in 0..stage.points {
        // Nothing was emitted so far: the stage starts over when the run resumes.
        if session.stop_requested() == Some(StopKind::Now) {
            return Ok(StageEnd::Interrupted(TrainProgress::default()));
        }
        let along = place_of(number, stage.points);
        let network = a.between(&b, along);
        let (score, _) = evaluate(context.compute.as_ref(), &network, &context.loss, &data.test, batch);
        scores.push((along, score));
        session.emit_progress(number as u64 + 1)?;
    }
    for (along, score) in &scores {
        for (series, value) in [("line_loss", score.loss()), ("line_accuracy", score.accuracy())] {
            let point = Point { along: Some(*along), ..session.new_point(series, value) };
            session.emit(Event::Point(point))?;
        }
    }
    session.report(report(stage, &scores))?;
    Ok(StageEnd::Done)
}

fn place_of(number: usize, points: usize) -> f64 {
    number as f64 / (points - 1) as f64
}

fn end(session: &Session, name: &str) -> Result<Network, RunError> {
    let kept = session.state().kept.get(name);
    kept.map(|kept| kept.network.clone())
        .ok_or_else(|| session.stage_error(format!("there is no snapshot, branch or member \"{name}\"")))
}

fn report(stage: &Connect, scores: &[(f64, Score)]) -> Report {
    let errors: Vec<f64> = scores.iter().map(|(_, score)| 1.0 - score.accuracy()).collect();
    let losses: Vec<f64> = scores.iter().map(|(_, score)| score.loss()).collect();
    let barrier_of_errors = fixed(100.0 * barrier(&errors), 2);
    let summary = line_summary([&stage.a, &stage.b], &barrier_of_errors, barrier(&losses));
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
