//! `weightlab check`: says what is wrong with a file, and what it would do.

use clap::Args;

use super::document::{Document, DocumentArgs, distinct};
use super::failure::{Exit, Failure};
use super::number::{counted, span};
use super::output::{complain, say};
use crate::doc::Run;
use crate::run::{Cost, cost};

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
    say(&format!("{} is valid: {}", arguments.document.file.display(), size(arms, &found.measured(&runs))));
    Ok(Exit::Done)
}

/// `4 arms, 12 runs, 266,610 parameters, 266,200 multiply-adds per sample, 144 to 1,008 iterations per run`.
fn size(arms: usize, runs: &[Run]) -> String {
    let runs = distinct(runs);
    let costs: Vec<Cost> = runs.iter().filter_map(|run| cost(run).ok()).collect();
    let mut parts = vec![counted(arms, "arm"), counted(runs.len(), "run")];
    if !costs.is_empty() {
        parts.push(format!("{} parameters", span(costs.iter().map(|cost| cost.parameters as u64))));
        parts.push(format!("{} multiply-adds per sample", span(costs.iter().map(|cost| cost.multiply_adds))));
        parts.push(format!("{} iterations per run", span(costs.iter().map(|cost| cost.iterations))));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{runs, templates};

    #[test]
    fn the_size_of_an_experiment_is_told_in_one_line() {
        let experiment = templates::all()[0].experiment();
        let line = size(experiment.arms.len(), &runs(&experiment).unwrap());
        assert!(line.starts_with("4 arms, 12 runs, 50,610 parameters, "), "{line}");
    }
}
