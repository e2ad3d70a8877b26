//! `weightlab show`: the table of runs.

mod pairs;
mod reports;
mod tickets;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::document::{Document, DocumentArgs, SelectionArgs};
use super::failure::{Exit, Failure};
use super::number::{duration, percent};
use super::output::{print_err, print_out};
use super::table::table;
use crate::doc::Run;
use crate::results::table::{VOTE, test_series};
use crate::results::{RunRecord, RunState};
use crate::run::read_records;

/// Settings of `weightlab show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Folder of the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, value_name = "DIR", visible_alias = "into")]
    from: Option<PathBuf>,
    /// Write JSON, for programs
    #[arg(long)]
    json: bool,
    /// Also show when each training should have stopped by its validation loss, and how much the masks of an arm's seeds
    /// have in common
    #[arg(long, conflicts_with = "json")]
    tickets: bool,
    /// Also show what the stages reported: checks, remaining weights of each layer, copied names
    #[arg(long, conflicts_with = "json")]
    reports: bool,
    /// Also show how much the test accuracy of arm B differs from that of arm A, seed by seed; can be repeated
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pairs: Vec<String>,
}

/// What is shown of one run.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Row {
    run: String,
    arm: String,
    seed: u64,
    state: &'static str,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The last test accuracy, in [0, 1]; of an ensemble, that of the vote.
    test_accuracy: Option<f64>,
    /// The best test accuracy, in [0, 1].
    best_test_accuracy: Option<f64>,
    /// Whether both are those of an ensemble's vote.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    vote: bool,
    /// Share of the prunable weights that remain, in [0, 1].
    remaining: Option<f64>,
    /// Epochs trained in all.
    epochs: Option<f64>,
    /// Wall time, seconds.
    secs: f64,
}

/// Runs and differences between arms, for programs.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    runs: &'a [Row],
    pairs: &'a [pairs::Pair],
}

/// Prints a line for every arm and seed.
///
/// # Errors
/// What is wrong with the file or the arguments.
pub fn show(arguments: &ShowArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document)?;
    let runs = document.select(document.all_runs()?, &arguments.selection)?;
    let folder = document.runs_folder(arguments.from.as_ref());
    let records = read_records(&folder, &runs);
    let nothing = RunRecord::default();
    let rows: Vec<Row> = runs.iter().map(|run| row(run, records.get(&run.id).unwrap_or(&nothing))).collect();
    for note in document.idle_settings() {
        print_err(&note);
    }
    let pairs = pairs::pairs(&arguments.pairs, &rows)?;
    if arguments.json {
        print_out(&if pairs.is_empty() { json(&rows) } else { json(&Shown { runs: &rows, pairs: &pairs }) });
    } else {
        print_out(&(text(&rows) + &pairs::text(&pairs)));
    }
    if arguments.tickets {
        print_out(&tickets::text(&runs, &records, &folder));
    }
    if arguments.reports {
        print_out(&reports::text(&runs, &records));
    }
    Ok(Exit::Done)
}

fn row(run: &Run, record: &RunRecord) -> Row {
    let last = record.points().iter().rev().find(|point| point.branch.is_empty());
    let series = test_series(record);
    Row {
        run: run.id.clone(),
        arm: run.arm.clone(),
        seed: run.seed,
        state: record.state().word(),
        message: match record.state() {
            RunState::Failed(message) => Some(message.clone()),
            _ => None,
        },
        test_accuracy: record.latest(series),
        best_test_accuracy: record.best(series).map(|point| point.value),
        vote: series == VOTE,
        remaining: last.map(|point| point.remaining),
        epochs: last.map(|point| point.trained),
        secs: record.progress().secs,
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string_pretty(value).expect("rows hold nothing that JSON cannot write")
}

fn text(rows: &[Row]) -> String {
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
    let cells = |row: &Row| {
        vec![
            row.arm.clone(),
            row.seed.to_string(),
            row.state.to_owned(),
            share(row.test_accuracy) + if row.vote { " (vote)" } else { "" },
            share(row.best_test_accuracy),
            share(row.remaining),
            row.epochs.map_or_else(|| "–".to_owned(), |epochs| format!("{epochs:.1}")),
            if row.secs > 0.0 { duration(row.secs) } else { "–".to_owned() },
            row.run.clone(),
        ]
    };
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let head = ["arm", "seed", "state", "test accuracy", "best", "remaining", "epochs", "time", "run"];
    let reason =
        |row: &Row| Some(format!("{} (seed {}) failed: {}\n", row.arm, row.seed, row.message.as_ref()?));
    let reasons: Vec<String> = rows.iter().filter_map(reason).collect();
    table(&head, &cells, 1) + &reasons.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::RunSpec;
    use crate::results::Event;

    fn rows() -> Vec<Row> {
        let point = |value: f64, epochs: f64| -> Event {
            let line = format!(
                r#"{{"event":"point","series":"test_accuracy","value":{value},"stage":"0","epoch":{epochs},"iteration":1,"trained":{epochs},"remaining":0.8,"secs":0.5}}"#
            );
            serde_json::from_str(&line).unwrap()
        };
        let run = |seed| Run {
            id: format!("id{seed}"),
            arm: "dense".to_owned(),
            arm_index: 0,
            seed,
            spec: RunSpec::default().into(),
        };
        let done = RunRecord::of([point(0.9, 1.0), point(0.8, 2.0), Event::Finished { secs: 75.0 }]);
        let failed = RunRecord::of([Event::Failed { message: "no data".to_owned() }]);
        vec![row(&run(1), &done), row(&run(2), &failed), row(&run(3), &RunRecord::default())]
    }

    #[test]
    fn the_table_has_a_line_for_each_run_and_reasons_below() {
        let text = text(&rows());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1].join(" "), "dense 1 done 80.00 % 90.00 % 80.00 % 2.0 1 min 15 s id1");
        assert_eq!(lines[2].join(" "), "dense 2 failed – – – – – id2");
        assert_eq!(lines[3].join(" "), "dense 3 queued – – – – – id3");
        assert_eq!(lines[4].join(" "), "dense (seed 2) failed: no data");
    }

    #[test]
    fn of_an_ensemble_the_vote_is_shown() {
        let point = |series: &str, value: f64, member: &str| -> Event {
            let line = format!(
                r#"{{"event":"point","series":"{series}","value":{value},"stage":"0",{member}"epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":0.5}}"#
            );
            serde_json::from_str(&line).unwrap()
        };
        let members =
            [point("test_accuracy", 0.5, r#""member":1,"#), point("test_accuracy", 0.75, r#""member":2,"#)];
        let vote = members.into_iter().chain([point("vote_accuracy", 0.875, "")]);
        let mut record = RunRecord::of(vote);
        let run = Run {
            id: "a".to_owned(),
            arm: "a".to_owned(),
            arm_index: 0,
            seed: 1,
            spec: RunSpec::default().into(),
        };
        assert!(text(&[row(&run, &record)]).contains("87.50 % (vote)"));
        record.apply(point("test_accuracy", 0.625, ""));
        let after = row(&run, &record);
        assert_eq!((after.test_accuracy, after.vote), (Some(0.625), false));
    }

    #[test]
    fn json_has_the_numbers_as_they_are() {
        let value: serde_json::Value = serde_json::from_str(&json(&rows())).unwrap();
        assert_eq!(value[0]["test_accuracy"], 0.8);
        assert_eq!(value[0]["best_test_accuracy"], 0.9);
        assert_eq!(value[1]["message"], "no data");
        assert_eq!(value[2]["remaining"], serde_json::Value::Null);
    }
}
