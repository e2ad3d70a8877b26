//! `weightlab check`: the errors of a file, or its size and expected time.

use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;

use super::document::{Document, DocumentArgs, distinct, word_of};
use super::found::UsedData;
use super::output::{Exit, Failure, print_out};
use doc::file::{self, FileError};
use doc::{Problem, Run, capitalised};
use form::number::{counted, grouped};
use results::RunRecord;
use results::number::{duration_range, span};
use run::{
    Cost, Costs, ExpectedTime, FinishedRun, Pace, Paces, QueueOptions, RemainingRun, RunProgress, StopFlag,
    Task, cost, expected, measure, read_each,
};

/// Settings of `weightlab check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// Measure how long the runs will take, even where that takes more than a second
    #[arg(long)]
    time: bool,
    /// Print JSON, for programs: what is wrong, and what is in the data
    #[arg(long, conflicts_with = "time")]
    json: bool,
}

/// The number of kinds of mini-batches that are measured in about a second.
const QUICK: usize = 3;

/// Prints that the file is valid, its size, what is in its data, and how long the runs take.
///
/// # Errors
/// What is wrong with the file, stages that this version cannot run included.
pub fn check(arguments: &CheckArgs) -> Result<Exit, Failure> {
    if arguments.json {
        return check_in_json(&arguments.document);
    }
    let document = Document::open(&arguments.document, None)?;
    let (runs, found) = document.runs()?;
    let arms = document.experiment.arms.len();
    let runs = distinct(&found.measured(&runs));
    let costs = Costs::new(&runs, cost);
    let size = size(arms, runs.len(), &costs);
    print_out(&format!("{} is valid: {size}", arguments.document.file.display()))?;
    print_out(&found.text(|_| true))?;
    let secs = |run: &Run, record: Option<RunRecord>| {
        let done = record.filter(RunRecord::is_done)?;
        Some((run.id.clone(), done.progress().secs))
    };
    let done = read_each(&document.folder, &runs, secs).into_iter().flatten().collect();
    let measure = |task: &Task, options| measure(task, options, &StopFlag::new());
    let most = if arguments.time { usize::MAX } else { QUICK };
    if let Some(left) = left(&runs, &costs, &done, &measure, most) {
        print_out(&left)?;
    }
    Ok(Exit::Done)
}

#[derive(Debug, Serialize)]
struct Checked {
    /// The file, as it was named.
    file: String,
    valid: bool,
    problems: Vec<CheckedProblem>,
    /// The number of arms as they are written.
    arms: usize,
    /// The number of different runs; 0 where it is not valid.
    runs: usize,
    /// What is in the data, each dataset once; empty where it is not valid.
    data: Vec<UsedData>,
}

#[derive(Debug, Default, Serialize)]
struct CheckedProblem {
    severity: &'static str,
    /// The path of the setting, such as `train.batch`; empty for the whole file.
    place: String,
    /// The same in the words of the window.
    location: String,
    /// The place in the file, both from 1.
    line: Option<usize>,
    column: Option<usize>,
    setting: Option<String>,
    message: String,
    /// More lines; may be empty.
    details: String,
}

/// Prints one object, whatever is wrong.
fn check_in_json(arguments: &DocumentArgs) -> Result<Exit, Failure> {
    let file = arguments.file.display().to_string();
    let opened = Document::open(arguments, None);
    let (checked, result) = match opened {
        Err(failure) => {
            let problems = vec![CheckedProblem::from_failure(&failure)];
            let (arms, runs, data) = (0, 0, Vec::new());
            (Checked { file, valid: false, problems, arms, runs, data }, Err(failure))
        }
        Ok(document) => {
            let super::document::Checked { problems: found, runs, found: data } = document.checked();
            let mut problems: Vec<CheckedProblem> =
                found.iter().map(|problem| CheckedProblem::new(problem, &document)).collect();
            let notes = document.notes(&runs, &runs).into_iter();
            let note = |note: String| {
                let message = note.strip_prefix("note: ").unwrap_or(&note).to_owned();
                CheckedProblem { severity: "note", message, ..CheckedProblem::default() }
            };
            problems.extend(notes.map(note));
            let arms = document.experiment.arms.len();
            let result = document.refuse(&found).map(|()| Exit::Done);
            let valid = result.is_ok();
            let (runs, data) = if valid { (distinct(&runs).len(), data.data) } else { (0, Vec::new()) };
            (Checked { file, valid, problems, arms, runs, data }, result)
        }
    };
    print_out(&serde_json::to_string_pretty(&checked).expect("it holds nothing that JSON cannot write"))?;
    result
}

impl CheckedProblem {
    fn new(problem: &Problem, document: &Document) -> Self {
        let setting = document.setting_of(problem);
        // A setting of the command line is nowhere in the file.
        let position = setting.is_none().then(|| file::locate(&document.text, &problem.place));
        let Problem { place, location, message, details, severity, .. } = problem;
        Self {
            severity: word_of(*severity),
            place: place.to_string(),
            location: location.clone(),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
            setting,
            message: message.clone(),
            details: details.clone(),
        }
    }

    /// Says why a file cannot be opened.
    fn from_failure(failure: &Failure) -> Self {
        let of_it = Self { severity: "error", message: failure.to_string(), ..Self::default() };
        let Failure::File(FileError::Syntax { line, column, message, .. }) = failure else { return of_it };
        Self { line: Some(*line), column: Some(*column), message: message.clone(), ..of_it }
    }
}

/// Returns the number of runs that are done, and the time of the others, where it is known or at most so many tasks are to be
/// measured. `done` has the seconds that runs took, by their identity.
fn left(
    runs: &[Run],
    costs: &Costs<'_>,
    done: &BTreeMap<String, f64>,
    measure: Measure<'_>,
    most: usize,
) -> Option<String> {
    let progress =
        |run: &Run| done.get(&run.id).map_or(RunProgress::Share(0.0), |secs| RunProgress::Done(*secs));
    let count = runs.iter().filter(|run| done.contains_key(&run.id)).count();
    if count == runs.len() {
        return Some("All of them are done".to_owned());
    }
    let over =
        (count > 0).then(|| format!("{} of {} are done", grouped(count as u64), counted(runs.len(), "run")));
    let Ok((done, left)) = costs.lists(runs, progress) else {
        return over; // of some, the size of the data is not known
    };
    let Some(over) = over else {
        return time("they", &left, &done, measure, most).map(|time| capitalised(&time));
    };
    let time = time("the others", &left, &done, measure, most);
    Some(time.map_or_else(|| over.clone(), |time| format!("{over}; {time}")))
}

type Measure<'a> = &'a dyn Fn(&Task, QueueOptions) -> Option<Pace>;

/// Says `they take 3–5 min, 2 runs side by side, from a quick measurement of 40 mini-batches`
fn time(
    they: &str,
    left: &[RemainingRun<'_>],
    done: &[FinishedRun<'_>],
    measure: Measure<'_>,
    most: usize,
) -> Option<String> {
    let options = QueueOptions::sharing(left.len());
    let mut paces = Paces::default();
    if let ExpectedTime::Needs(tasks) = expected(left, done, &paces, options) {
        if tasks.len() > most {
            return Some(format!("--time measures how long {they} take"));
        }
        for task in tasks {
            let pace = measure(&task, options);
            paces.add(task, options, pace);
        }
    }
    let ExpectedTime::Known(time) = expected(left, done, &paces, options) else { return None };
    let duration = duration_range(time.range);
    Some(format!("{they} take {duration}{}, {}", time.side_by_side(), time.basis()))
}

/// Says `4 arms, 12 runs, 266,610 parameters, 266,200 multiply-adds per sample, 144 to 1,008 iterations per run`, and the trials
/// of campaigns where there are some.
fn size(arms: usize, runs: usize, costs: &Costs<'_>) -> String {
    let costs: Vec<&Cost> = costs.all().collect();
    let mut parts = vec![counted(arms, "arm"), counted(runs, "run")];
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
    use doc::{runs, templates};

    #[test]
    fn the_size_of_an_experiment_is_given_in_one_line() {
        let experiment = templates::all()[0].experiment();
        let all = runs(&experiment).unwrap();
        let line = size(experiment.arms.len(), all.len(), &Costs::new(&all, cost));
        assert!(line.starts_with("4 arms, 12 runs, 50,610 parameters, "), "{line}");
        assert!(!line.contains("trials"), "{line}");
    }

    #[test]
    fn campaigns_are_given_by_their_trials() {
        let template =
            templates::all().into_iter().find(|template| template.text.contains("Campaign(")).unwrap();
        let experiment = template.experiment();
        let all = runs(&experiment).unwrap();
        let trials = cost(&all[0]).unwrap().trials;
        assert!(trials > 0);
        let line = size(experiment.arms.len(), all.len(), &Costs::new(&all, cost));
        assert!(line.ends_with(" fault trials per run"), "{line}");
    }

    fn time_of(runs: &[Run], done: &BTreeMap<String, f64>, most: usize, secs: f64) -> Option<String> {
        let pace = Pace { mini_batch: secs, sample: 0.0, interrupted: 1.0, measured: 4 };
        left(runs, &Costs::new(runs, cost), done, &|_, _| Some(pace), most)
    }

    #[test]
    fn time_is_given_by_the_pace_of_what_is_done_or_by_a_measurement() {
        let all = runs(&templates::all()[0].experiment()).unwrap();
        let mut done = BTreeMap::new();
        let text = time_of(&all, &done, 2, 0.0).unwrap();
        assert!(text.starts_with("They take < 1 min, "), "{text}");
        assert!(text.ends_with(", from a quick measurement of 8 mini-batches"), "{text}");
        let text = time_of(&all, &done, 1, 0.0).unwrap();
        assert_eq!(text, "--time measures how long they take");
        done.insert(all[0].id.clone(), 10.0);
        let text = time_of(&all, &done, 0, 0.0).unwrap();
        assert!(text.starts_with("1 of 12 runs are done; the others take "), "{text}");
        assert!(text.ends_with(", from the pace of 1 finished run"), "{text}");
        for run in &all {
            done.insert(run.id.clone(), 10.0);
        }
        assert_eq!(time_of(&all, &done, 0, 0.0).as_deref(), Some("All of them are done"));
    }
}
