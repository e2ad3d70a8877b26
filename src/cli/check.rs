//! `weightlab check`: says what is wrong with a file, and what it would do.

use std::collections::BTreeMap;

use clap::Args;

use super::document::{Document, DocumentArgs, distinct};
use super::failure::{Exit, Failure};
use super::number::{counted, duration, mean_and_deviation, span};
use super::output::{complain, say};
use crate::doc::{Run, RunRecord, RunState};
use crate::run::{Cost, cost, read_records};

/// Settings of `weightlab check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    document: DocumentArgs,
}

/// Prints problems, or that there are none and what would run.
///
/// # Errors
/// What is wrong with the file, stages that this version cannot run included.
pub fn check(arguments: &CheckArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document)?;
    let (runs, notes, found) = document.runs()?;
    for note in &notes {
        complain(note);
    }
    let arms = document.experiment().arms.len();
    let runs = distinct(&found.measured(&runs));
    say(&format!("{} is valid: {}", arguments.document.file.display(), size(arms, &runs)));
    let records = read_records(&document.runs_folder(None), &runs);
    if let Some(left) = left(&runs, &records) {
        say(&left);
    }
    Ok(Exit::Done)
}

/// `4 of 12 runs are done; the others take about 3 min 20 s one after the other, by their pace`, where anything is known.
fn left(runs: &[Run], records: &BTreeMap<String, RunRecord>) -> Option<String> {
    let secs_of = |run: &Run| {
        let record = records.get(&run.id).filter(|record| *record.state() == RunState::Done)?;
        Some(record.progress().secs)
    };
    let done: Vec<(&Run, f64)> = runs.iter().filter_map(|run| Some((run, secs_of(run)?))).collect();
    let over = match (done.len(), runs.len()) {
        (0, _) => return None,
        (done, all) if done == all => return Some("All of them are done".to_owned()),
        (done, all) => format!("{done} of {} are done", counted(all, "run")),
    };
    let pace = pace(&done);
    let others = runs.iter().filter(|run| secs_of(run).is_none());
    let secs: Option<f64> = others.map(|run| expected(run, &done, pace)).sum();
    Some(match secs {
        Some(secs) => {
            format!("{over}; the others take about {} one after the other, by their pace", duration(secs))
        }
        None => over,
    })
}

/// Seconds for a multiply-add of training, of runs that do little else.
#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn pace(done: &[(&Run, f64)]) -> Option<f64> {
    let costs = done.iter().filter_map(|(run, secs)| Some((training(run)?, *secs)));
    let (work, secs) = costs.fold((0.0, 0.0), |(work, secs), (own, took)| (work + own as f64, secs + took));
    (work > 0.0).then(|| secs / work)
}

/// Multiply-adds of the training of a run without campaigns.
fn training(run: &Run) -> Option<u64> {
    cost(run).ok().filter(|cost| cost.trials == 0).map(|cost| cost.training_multiply_adds)
}

/// How long a run will take, in seconds: as those of its arm, or as its training at this pace.
#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn expected(run: &Run, done: &[(&Run, f64)], pace: Option<f64>) -> Option<f64> {
    let of_arm: Vec<f64> =
        done.iter().filter(|(known, _)| known.arm == run.arm).map(|(_, secs)| *secs).collect();
    if let Some((mean, _)) = mean_and_deviation(&of_arm) {
        return Some(mean);
    }
    Some(pace? * training(run)? as f64)
}

/// `4 arms, 12 runs, 266,610 parameters, 266,200 multiply-adds per sample, 144 to 1,008 iterations per run`, and the trials
/// of campaigns where there are some.
fn size(arms: usize, runs: &[Run]) -> String {
    let costs: Vec<Cost> = runs.iter().filter_map(|run| cost(run).ok()).collect();
    let mut parts = vec![counted(arms, "arm"), counted(runs.len(), "run")];
    if !costs.is_empty() {
        parts.push(format!("{} parameters", span(costs.iter().map(|cost| cost.parameters as u64))));
        parts.push(format!("{} multiply-adds per sample", span(costs.iter().map(|cost| cost.multiply_adds))));
        parts.push(format!("{} iterations per run", span(costs.iter().map(|cost| cost.iterations))));
        if costs.iter().any(|cost| cost.trials > 0) {
            parts.push(format!("{} fault trials per run", span(costs.iter().map(|cost| cost.trials))));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Event, runs, templates};

    #[test]
    fn the_size_of_an_experiment_is_told_in_one_line() {
        let experiment = templates::all()[0].experiment();
        let line = size(experiment.arms.len(), &runs(&experiment).unwrap());
        assert!(line.starts_with("4 arms, 12 runs, 50,610 parameters, "), "{line}");
        assert!(!line.contains("trials"), "{line}");
    }

    #[test]
    fn campaigns_are_told_by_their_trials() {
        let template =
            templates::all().into_iter().find(|template| template.text.contains("Campaign(")).unwrap();
        let experiment = template.experiment();
        let all = runs(&experiment).unwrap();
        let trials = cost(&all[0]).unwrap().trials;
        assert!(trials > 0);
        let line = size(experiment.arms.len(), &all);
        assert!(line.ends_with(" fault trials per run"), "{line}");
    }

    #[test]
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    fn time_is_told_by_the_pace_of_what_is_done() {
        let all = runs(&templates::all()[0].experiment()).unwrap();
        let of_first = all.iter().filter(|run| run.arm == all[0].arm).count() as f64;
        let done = |secs| RunRecord::of([Event::Finished { secs }]);
        let mut records = BTreeMap::new();
        assert_eq!(left(&all, &records), None);
        records.insert(all[0].id.clone(), done(10.0));
        let own = training(&all[0]).unwrap() as f64;
        let others = all.iter().filter(|run| run.arm != all[0].arm);
        let work: f64 = others.map(|run| training(run).unwrap() as f64).sum();
        let secs = duration(10.0 * (of_first - 1.0) + 10.0 * work / own);
        assert_eq!(
            left(&all, &records),
            Some(format!(
                "1 of 12 runs are done; the others take about {secs} one after the other, by their pace"
            ))
        );
        for run in &all {
            records.insert(run.id.clone(), done(10.0));
        }
        assert_eq!(left(&all, &records).as_deref(), Some("All of them are done"));
    }
}
