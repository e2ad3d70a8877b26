//! `weightlab show`: the table of runs.

mod listing;
mod pairs;
mod reports;
mod tickets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::document::{Document, DocumentArgs, SelectionArgs};
use super::failure::{Exit, Failure};
use super::output::{print_err, print_out};
use doc::Run;
use results::table::columns::Column;
use results::table::{Differing, Row, VALIDATION, VOTE};
use results::{RunRecord, RunState};
use run::read_each;

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
    #[command(flatten)]
    listing: listing::ListingArgs,
    /// Write JSON, for programs
    #[arg(long, conflicts_with_all = ["group", "columns", "baseline", "runs"])]
    json: bool,
    /// Also show early-stop iterations by validation loss, and the overlap of masks between the seeds of an arm
    #[arg(long, conflicts_with = "json")]
    tickets: bool,
    /// Also show what the stages reported: checks, remaining weights of each layer, copied names
    #[arg(long, conflicts_with = "json")]
    reports: bool,
    /// Also show how the test accuracy of arm B differs from that of arm A, seed by seed; can be repeated
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pairs: Vec<String>,
}

/// One run in the JSON of `show`.
#[derive(Debug, Serialize)]
struct RunJson<'a> {
    run: &'a str,
    arm: &'a str,
    seed: u64,
    state: &'a str,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    /// The last test accuracy, in [0, 1]; of an ensemble, that of the vote.
    test_accuracy: Option<f64>,
    /// The best test accuracy, in [0, 1].
    best_test_accuracy: Option<f64>,
    /// Whether both are those of an ensemble's vote.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    vote: bool,
    /// The last validation accuracy, in [0, 1], where nothing was tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_accuracy: Option<f64>,
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
    runs: &'a [RunJson<'a>],
    pairs: &'a [pairs::Pair],
}

/// Prints a line for every arm and seed.
///
/// # Errors
/// What is wrong with the file or the arguments.
pub fn show(arguments: &ShowArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document, arguments.from.as_ref())?;
    let all = document.all_runs()?;
    let runs = document.select(all.clone(), &arguments.selection)?;
    let folder = document.runs_folder();
    let mut differing = Differing::default();
    let listed: Vec<&Run> = runs.iter().collect();
    differing.give(&mut [], &listed);
    let chosen = arguments.listing.chosen(&differing)?;
    let Read { mut rows, records, failures } = read(arguments, &runs, &folder, &chosen.columns);
    differing.give(&mut rows, &listed);
    for note in document.notes(&all, &runs) {
        print_err(&note);
    }
    let pairs = pairs::pairs(&arguments.pairs, &rows)?;
    if arguments.json {
        let run_json: Vec<RunJson<'_>> = rows.iter().map(|row| run_json(row, &failures)).collect();
        print_out(&if pairs.is_empty() {
            json(&run_json)
        } else {
            json(&Shown { runs: &run_json, pairs: &pairs })
        })?;
    } else {
        let listing = listing::text(&arguments.listing, chosen, rows, &differing, &folder)?;
        print_out(&(listing + &reasons(&runs, &failures) + &pairs::text(&pairs)))?;
    }
    if arguments.tickets {
        print_out(&tickets::text(&runs, &records, &folder))?;
    }
    if arguments.reports {
        print_out(&reports::text(&runs, &records))?;
    }
    Ok(Exit::Done)
}

/// What was read of the runs.
struct Read {
    /// A row of each, with the values of the chosen columns.
    rows: Vec<Row>,
    /// Their records, where something else than the table is shown: those of thousands of runs fill the memory.
    records: BTreeMap<String, RunRecord>,
    /// Why runs failed, by their identity.
    failures: BTreeMap<String, String>,
}

fn read(arguments: &ShowArgs, runs: &[Run], folder: &Path, columns: &[Column]) -> Read {
    let keeps = arguments.tickets || arguments.reports;
    let known = |run: &Run, record: Option<RunRecord>| {
        let row = row(run, record.as_ref()).measured(record.as_ref(), columns);
        let failure = record.as_ref().and_then(RunRecord::failure).map(str::to_owned);
        (row, failure, record.filter(|_| keeps))
    };
    let (mut rows, mut records, mut failures) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for (row, failure, record) in read_each(folder, runs, known) {
        failures.extend(failure.map(|failure| (row.run.clone(), failure)));
        records.extend(record.map(|record| (row.run.clone(), record)));
        rows.push(row);
    }
    Read { rows, records, failures }
}

/// The row of a run; of one that has never been started too.
fn row(run: &Run, record: Option<&RunRecord>) -> Row {
    let state = record.map_or(RunState::Waiting.word(), |record| record.state().word());
    Row::of(run, record, state, 0)
}

fn run_json<'a>(row: &'a Row, failures: &'a BTreeMap<String, String>) -> RunJson<'a> {
    let is_validation = row.series == VALIDATION;
    let of_test = |value: Option<f64>| value.filter(|_| !is_validation);
    RunJson {
        run: &row.run,
        arm: &row.arm,
        seed: row.seed,
        state: &row.state,
        message: failures.get(&row.run).map(String::as_str),
        test_accuracy: of_test(row.last),
        best_test_accuracy: of_test(row.best),
        vote: row.series == VOTE,
        validation_accuracy: row.last.filter(|_| is_validation),
        remaining: row.remaining,
        epochs: row.epochs,
        secs: row.secs,
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string_pretty(value).expect("rows hold nothing that JSON cannot write")
}

/// Why runs failed, a line for each.
fn reasons(runs: &[Run], failures: &BTreeMap<String, String>) -> String {
    let reason = |run: &Run| {
        let message = failures.get(&run.id)?;
        Some(format!("{} (seed {}) failed: {message}\n", run.arm, run.seed))
    };
    runs.iter().filter_map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::RunSpec;
    use results::Event;

    fn records() -> BTreeMap<String, RunRecord> {
        let point = |value: f64, epochs: f64| -> Event {
            let line = format!(
                r#"{{"event":"point","series":"test_accuracy","value":{value},"stage":"0","epoch":{epochs},"iteration":1,"trained":{epochs},"remaining":0.8,"secs":0.5}}"#
            );
            serde_json::from_str(&line).unwrap()
        };
        let done = RunRecord::of([point(0.9, 1.0), point(0.8, 2.0), Event::Finished { secs: 75.0 }]);
        let failed = RunRecord::of([Event::Failed { message: "no data".to_owned() }]);
        BTreeMap::from([("id1".to_owned(), done), ("id2".to_owned(), failed)])
    }

    fn runs() -> [Run; 3] {
        let run = |seed| Run {
            id: format!("id{seed}"),
            arm: "dense".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed,
            spec: RunSpec::default().into(),
        };
        [1, 2, 3].map(run)
    }

    fn rows(records: &BTreeMap<String, RunRecord>) -> Vec<Row> {
        runs().iter().map(|run| row(run, records.get(&run.id))).collect()
    }

    fn text(rows: &[Row]) -> String {
        let (usual, differing) = (listing::ListingArgs::default(), Differing::default());
        let chosen = usual.chosen(&differing).unwrap();
        listing::text(&usual, chosen, rows.to_vec(), &differing, Path::new("none")).unwrap()
    }

    /// Of [`records`].
    fn failures() -> BTreeMap<String, String> {
        BTreeMap::from([("id2".to_owned(), "no data".to_owned())])
    }

    #[test]
    fn the_table_has_a_line_for_each_run_and_reasons_below() {
        let records = records();
        let text = text(&rows(&records)) + &reasons(&runs(), &failures());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1].join(" "), "dense 1 done 80.00 90.00 80.00 2.0 1 min 15 s id1");
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
            is_earlier: false,
            seed: 1,
            spec: RunSpec::default().into(),
        };
        assert!(text(&[row(&run, Some(&record))]).contains("87.50 (vote)"));
        record.apply(point("test_accuracy", 0.625, ""));
        let (after, none) = (row(&run, Some(&record)), BTreeMap::new());
        let after = run_json(&after, &none);
        assert_eq!((after.test_accuracy, after.vote), (Some(0.625), false));
    }

    #[test]
    fn json_has_the_numbers_as_they_are() {
        let records = records();
        let (rows, failures) = (rows(&records), failures());
        let run_json: Vec<_> = rows.iter().map(|row| run_json(row, &failures)).collect();
        let value: serde_json::Value = serde_json::from_str(&json(&run_json)).unwrap();
        assert_eq!(value[0]["test_accuracy"], 0.8);
        assert_eq!(value[0]["best_test_accuracy"], 0.9);
        assert_eq!(value[1]["message"], "no data");
        assert_eq!(value[2]["remaining"], serde_json::Value::Null);
    }

    #[test]
    fn where_nothing_is_tested_the_validation_accuracy_is_shown_and_called_so() {
        let line = r#"{"event":"point","series":"validation_accuracy","value":0.5,"stage":"0","epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":0.5}"#;
        let record = RunRecord::of([serde_json::from_str(line).unwrap()]);
        let records = BTreeMap::from([("id1".to_owned(), record)]);
        let rows = rows(&records);
        assert!(text(&rows).contains("50.00 (validation)"));
        let none = BTreeMap::new();
        let run_json = run_json(&rows[0], &none);
        assert_eq!((run_json.test_accuracy, run_json.validation_accuracy), (None, Some(0.5)));
    }
}
