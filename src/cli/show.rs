//! `weightlab show`: the table of runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::document::{Document, DocumentArgs, SelectionArgs, by_arm};
use super::output::{Exit, Failure, print_err, print_out, refuse, table};
use doc::Run;
use form::number::{counted, grouped};
use results::inventory::is_of_data;
use results::number::{fixed, percent};
use results::statistics::{Comparison, Paired};
use results::table::columns::{Column, Numbers, Sort, cells, usual};
use results::table::grouped::Grouped;
use results::table::view::Baseline;
use results::table::{Differing, Row, VALIDATION, VOTE};
use results::tickets::trainings;
use results::view::ViewSettings;
use results::{Report, RunRecord, RunState};
use run::{mask_overlap, read_each};

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
    listing: ListingArgs,
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
    epochs: Option<f64>,
    secs: f64,
}

/// Runs and differences between arms, for programs.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    runs: &'a [RunJson<'a>],
    pairs: &'a [Pair],
}

/// Prints a line for every arm and seed.
///
/// # Errors
/// What is wrong with the file or the arguments.
pub fn show(arguments: &ShowArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document, arguments.from.as_ref())?;
    let all = document.all_runs()?;
    let runs = document.select(all.clone(), &arguments.selection)?;
    let folder = document.folder.clone();
    let mut differing = Differing::default();
    let listed: Vec<&Run> = runs.iter().collect();
    differing.give(&mut [], &listed);
    let chosen = arguments.listing.chosen(&differing)?;
    let Read { mut rows, records, failures } = read(arguments, &runs, &folder, &chosen.columns);
    differing.give(&mut rows, &listed);
    for note in document.notes(&all, &runs) {
        print_err(&note);
    }
    let pairs = pairs(&arguments.pairs, &rows)?;
    if arguments.json {
        let run_json: Vec<RunJson<'_>> = rows.iter().map(|row| run_json(row, &failures)).collect();
        let text = if pairs.is_empty() {
            serde_json::to_string_pretty(&run_json)
        } else {
            serde_json::to_string_pretty(&Shown { runs: &run_json, pairs: &pairs })
        };
        print_out(&text.expect("rows hold nothing that JSON cannot write"))?;
    } else {
        let listing = listing_text(&arguments.listing, chosen, rows, &differing, &folder)?;
        print_out(&(listing + &reasons(&runs, &failures) + &pairs_text(&pairs)))?;
    }
    if arguments.tickets {
        let arms = by_arm(&runs);
        print_out(&format!("\n{}\n{}", early_stops(&arms, &records), overlaps(&arms, &folder)))?;
    }
    if arguments.reports {
        print_out(&reports_text(&runs, &records))?;
    }
    Ok(Exit::Done)
}

/// The rows of the runs, and what else is shown of them.
struct Read {
    /// A row of each, with the values of the chosen columns.
    rows: Vec<Row>,
    /// Their records, where something else than the table is shown: those of thousands of runs fill the memory.
    records: BTreeMap<String, RunRecord>,
    failures: BTreeMap<String, String>,
}

fn read(arguments: &ShowArgs, runs: &[Run], folder: &Path, columns: &[Column]) -> Read {
    let keeps = arguments.tickets || arguments.reports;
    let known = |run: &Run, record: Option<RunRecord>| {
        let row = row(run, record.as_ref()).measured(record.as_ref(), columns);
        let failure = record.as_ref().and_then(RunRecord::failure).map(str::to_owned);
        (row, failure, record.filter(|_| keeps))
    };
    let mut read = Read { rows: Vec::new(), records: BTreeMap::new(), failures: BTreeMap::new() };
    for (row, failure, record) in read_each(folder, runs, known) {
        read.failures.extend(failure.map(|failure| (row.run.clone(), failure)));
        read.records.extend(record.map(|record| (row.run.clone(), record)));
        read.rows.push(row);
    }
    read
}

/// Makes the row of a run; of one that has never been started too.
fn row(run: &Run, record: Option<&RunRecord>) -> Row {
    let state = record.map_or(RunState::Waiting.word(), |record| record.state().word());
    Row::new(run, record, state, 0)
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

fn reasons(runs: &[Run], failures: &BTreeMap<String, String>) -> String {
    let reason = |run: &Run| {
        let message = failures.get(&run.id)?;
        Some(format!("{} (seed {}) failed: {message}\n", run.arm, run.seed))
    };
    runs.iter().filter_map(reason).collect()
}

const COLUMNS: &str = "The columns: seed, runs, state, last, best, best_epoch, remaining, epochs, secs, run, tags, note, delta, plan, \
    settings by their paths, and series such as test_loss:best, test_loss@1000 (an iteration) or test_accuracy@21% \
    (remaining weights)";

/// The look of the printed table.
#[derive(Clone, Debug, Default, Args)]
pub struct ListingArgs {
    /// Print a line for each group with mean ± 95 % CI: arm, seed, tags, state, a setting, or several, the later ones below
    /// the earlier ones (batch,arm)
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    group: Vec<String>,
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help = COLUMNS)]
    columns: Vec<String>,
    /// The arm, or another group, that differences are to; of an arm with a sweep, the runs with the same settings [default: the
    /// first arm]
    #[arg(long, value_name = "GROUP")]
    baseline: Option<String>,
    /// Print the runs of each group below it
    #[arg(long, requires = "group")]
    runs: bool,
}

/// Keys that group the table, and its columns.
#[derive(Debug)]
pub struct Chosen {
    keys: Vec<Column>,
    /// Without the arm; none where nothing was chosen.
    pub columns: Vec<Column>,
}

impl ListingArgs {
    /// Reads what was chosen, by the settings of the runs.
    ///
    /// # Errors
    /// A key or a column that is not there, with those that are.
    pub fn chosen(&self, differing: &Differing) -> Result<Chosen, Failure> {
        let known = differing.known();
        let keys: Vec<Column> = self.group.iter().map(|name| key(name, known)).collect::<Result<_, _>>()?;
        let chosen = self.columns.iter().map(|name| Column::parse(name, known));
        let mut columns: Vec<Column> =
            chosen.collect::<Result<_, _>>().map_err(|why| Failure::Input(format!("--columns: {why}")))?;
        columns.retain(|column| *column != Column::Arm);
        Ok(Chosen { keys, columns })
    }
}

/// Writes the table of these rows, which have the values of the chosen columns.
///
/// # Errors
/// A baseline that is not there, with those that are.
fn listing_text(
    arguments: &ListingArgs,
    Chosen { keys, mut columns }: Chosen,
    rows: Vec<Row>,
    differing: &Differing,
    folder: &Path,
) -> Result<String, Failure> {
    // Tags and notes are beside the runs.
    let view = ViewSettings::read(folder).unwrap_or_default();
    let marked = |row: Row| Row { mark: view.mark(&row.run, &row.arm), ..row };
    let rows: Vec<Row> = rows.into_iter().map(marked).collect();
    if columns.is_empty() {
        use Column as C;
        let of_runs = [C::Seed, C::State, C::Last, C::Best, C::Remaining, C::Epochs, C::Duration, C::Run];
        columns = if keys.is_empty() { of_runs.to_vec() } else { usual(&rows, differing.paths(), &keys) };
    }
    if arguments.baseline.is_some() && !columns.contains(&Column::Delta) {
        columns.push(Column::Delta);
    }
    let baseline = arguments.baseline.clone().map_or(Baseline::First, Baseline::Group);
    let found = Grouped::new(&rows, |_| true, columns, keys, &baseline, &Sort::default());
    if let Some(wanted) = arguments.baseline.as_ref().filter(|_| found.base.is_empty()) {
        let groups = found.leaves().map(|group| group.name.as_str());
        let known = found.arms.iter().map(String::as_str).chain(groups).collect::<BTreeSet<_>>();
        let known = known.into_iter().collect::<Vec<_>>().join("\n  ");
        return refuse(format!("--baseline: there is no group \"{wanted}\"; there are\n  {known}"));
    }
    let lines = found.lines(|group| group.is_heading || arguments.runs);
    let labels = rows.first().map(|row| row.labels.clone()).unwrap_or_default();
    let cells = cells(&found, &lines, &rows, &labels, Numbers::Shown);
    let (head, lines) = cells.split_first().expect("a table has a heading");
    Ok(table(&head.iter().map(String::as_str).collect::<Vec<_>>(), lines, 1))
}

/// Returns the column of this name, if it can group runs.
fn key(name: &str, settings: &[String]) -> Result<Column, Failure> {
    match Column::parse(if name == "tag" { "tags" } else { name }, settings) {
        Ok(column) if column.can_group() => Ok(column),
        Ok(_) => refuse(format!(
            "--group: \"{name}\" cannot group runs; write arm, seed, tags, state or a setting"
        )),
        Err(why) => refuse(format!("--group: {why}")),
    }
}

/// Paired differences between two arms.
#[derive(Debug, PartialEq, Serialize)]
pub struct Pair {
    first: String,
    /// The arm that it is compared with.
    second: String,
    /// Whether the accuracies are those on the validation data, since nothing was tested.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    validation: bool,
    /// Of the last test accuracy; nothing without a seed that has one in both arms.
    test_accuracy: Option<Difference>,
    best_test_accuracy: Option<Difference>,
    /// Runs of both arms that have an accuracy and are not done: they are not compared.
    #[serde(skip_serializing_if = "is_none")]
    not_done: usize,
    /// Common seeds that are left out since an arm was not tested with them.
    #[serde(skip_serializing_if = "is_none")]
    untested: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands it over like this
const fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Second minus first, over common seeds, in shares.
#[derive(Debug, PartialEq, Serialize)]
struct Difference {
    mean: f64,
    /// Half the width of the 95 % CI of the mean, with Student's t; nothing for one pair.
    half_interval95: Option<f64>,
    n: usize,
    #[serde(skip)]
    words: String,
}

impl From<Paired> for Difference {
    fn from(paired: Paired) -> Self {
        let words = format!("{}; {}", paired.points(), paired.verdict());
        Self { mean: paired.mean, half_interval95: paired.half, n: paired.n, words }
    }
}

/// Compares arms: `names` are those of the first and the second arm, pair by pair.
///
/// # Errors
/// An arm that is not there, with those that are.
pub fn pairs(names: &[String], rows: &[Row]) -> Result<Vec<Pair>, Failure> {
    let arms: BTreeSet<&str> = rows.iter().map(|row| row.arm.as_str()).collect();
    if let Some(unknown) = names.iter().find(|name| !arms.contains(name.as_str())) {
        let known = arms.into_iter().collect::<Vec<_>>().join("\n  ");
        return refuse(format!("--pairs: there is no arm \"{unknown}\"; there are\n  {known}"));
    }
    let pair = |names: &[String]| {
        let [first, second] = [&names[0], &names[1]];
        let found = Comparison::new(rows, [first, second], |_| true);
        Pair {
            first: first.clone(),
            second: second.clone(),
            validation: found.validation,
            test_accuracy: found.last.map(Difference::from),
            best_test_accuracy: found.best.map(Difference::from),
            not_done: found.left_out,
            untested: found.untested,
        }
    };
    Ok(names.chunks_exact(2).map(pair).collect())
}

fn pairs_text(pairs: &[Pair]) -> String {
    let mut out = String::new();
    for pair in pairs {
        // A string takes everything.
        let _ = writeln!(out, "\n{} minus {}, seed by seed", pair.second, pair.first);
        let both = [("last", &pair.test_accuracy), ("best", &pair.best_test_accuracy)];
        let data = if pair.validation { "validation" } else { "test" };
        let lacks = if pair.untested > 0 { "tested in both arms" } else { "done in both arms yet" };
        for (name, found) in both {
            let words =
                found.as_ref().map_or_else(|| format!("no seed is {lacks}"), |found| found.words.clone());
            let _ = writeln!(out, "{name} {data} accuracy: {words}");
        }
        if pair.not_done > 0 {
            let _ = writeln!(out, "left out: {} not done", counted(pair.not_done, "run"));
        }
        if pair.untested > 0 {
            let _ = writeln!(out, "left out: {} not tested in both arms", counted(pair.untested, "seed"));
        }
    }
    out
}

/// Writes the reports of the runs as text, run by run.
fn reports_text(runs: &[Run], records: &BTreeMap<String, RunRecord>) -> String {
    let mut out = String::new();
    for run in runs {
        let reports = records.get(&run.id).map_or(&[][..], RunRecord::reports);
        if !reports.is_empty() {
            let _ = writeln!(out, "\n{}, seed {}", run.arm, run.seed); // a string takes everything
        }
        for report in reports {
            out.push_str(&report_text(report));
        }
    }
    if !out.is_empty() {
        return out;
    }
    let is_done = |run: &Run| records.get(&run.id).is_some_and(RunRecord::is_done);
    let why = if !runs.is_empty() && runs.iter().all(is_done) {
        "the runs are done and have nothing to report: only checks, and stages that change weights or measure faults, report"
    } else {
        "no run has reported anything yet"
    };
    format!("\n{why}\n")
}

fn report_text(report: &Report) -> String {
    let verdict = match report.passed {
        Some(true) => "passed: ",
        Some(false) => "FAILED: ",
        None => "",
    };
    let line = format!("{}: {verdict}{}\n", report.place(), report.summary);
    if report.rows.is_empty() {
        return line;
    }
    let head: Vec<&str> = report.columns.iter().map(String::as_str).collect();
    let texts = if is_of_data(report) { 2 } else { 1 };
    table(&head, &report.rows, texts).lines().fold(line, |text, row| text + "    " + row + "\n")
}

fn early_stops(arms: &[(&str, Vec<&Run>)], records: &BTreeMap<String, RunRecord>) -> String {
    let mut rows = Vec::new();
    for (arm, runs) in arms {
        let seeds = runs.iter().filter_map(|run| Some((run.seed, records.get(&run.id)?)));
        for training in trainings(seeds) {
            for (seed, stop) in &training.stops {
                rows.push(vec![
                    (*arm).to_owned(),
                    training.place.clone(),
                    seed.to_string(),
                    percent(stop.remaining),
                    grouped(stop.iteration),
                    fixed(stop.validation_loss, 4),
                    stop.test_accuracy.map_or_else(|| "–".to_owned(), percent),
                ]);
            }
        }
    }
    if rows.is_empty() {
        return "early stop: no run has a validation part; set validation in data\n".to_owned();
    }
    let head =
        ["Early stop of", "Training", "Seed", "Remaining", "Iteration", "Validation loss", "Test accuracy"];
    table(&head, &rows, 2)
}

fn overlaps(arms: &[(&str, Vec<&Run>)], folder: &Path) -> String {
    let rows = arms.iter().filter_map(|(arm, runs)| {
        let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
        let overlap = mask_overlap(folder, &ids)?;
        let ci = overlap.half_width().map_or_else(|| "–".to_owned(), |half| fixed(half, 3));
        let [mean, chance] = [overlap.mean(), overlap.chance].map(|index| fixed(index, 3));
        Some(vec![(*arm).to_owned(), overlap.indices.len().to_string(), mean, ci, chance])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return "overlap of masks: no arm has two finished runs that prune\n".to_owned();
    }
    let head = ["Overlap of masks between seeds of", "Pairs", "Mean Jaccard index", "± 95 % CI", "By chance"];
    table(&head, &rows, 1)
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
        let done = RunRecord::from_events([point(0.9, 1.0), point(0.8, 2.0), Event::Finished { secs: 75.0 }]);
        let failed = RunRecord::from_events([Event::Failed { message: "no data".to_owned() }]);
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
        let (usual, differing) = (ListingArgs::default(), Differing::default());
        let chosen = usual.chosen(&differing).unwrap();
        listing_text(&usual, chosen, rows.to_vec(), &differing, Path::new("none")).unwrap()
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
        let mut record = RunRecord::from_events(vote);
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
        let value: serde_json::Value =
            serde_json::from_str(&serde_json::to_string_pretty(&run_json).unwrap()).unwrap();
        assert_eq!(value[0]["test_accuracy"], 0.8);
        assert_eq!(value[0]["best_test_accuracy"], 0.9);
        assert_eq!(value[1]["message"], "no data");
        assert_eq!(value[2]["remaining"], serde_json::Value::Null);
    }

    #[test]
    fn where_nothing_is_tested_the_validation_accuracy_is_shown_and_called_so() {
        let line = r#"{"event":"point","series":"validation_accuracy","value":0.5,"stage":"0","epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":0.5}"#;
        let record = RunRecord::from_events([serde_json::from_str(line).unwrap()]);
        let records = BTreeMap::from([("id1".to_owned(), record)]);
        let rows = rows(&records);
        assert!(text(&rows).contains("50.00 (validation)"));
        let none = BTreeMap::new();
        let run_json = run_json(&rows[0], &none);
        assert_eq!((run_json.test_accuracy, run_json.validation_accuracy), (None, Some(0.5)));
    }

    fn rows_of_two_arms() -> Vec<Row> {
        let row = |arm: &str, seed: u64, last: f64| Row {
            arm: arm.to_owned(),
            seed,
            state: "done".to_owned(),
            last: Some(last),
            ..Row::default()
        };
        vec![row("a", 1, 0.5), row("a", 2, 0.5), row("b", 1, 0.51), row("b", 2, 0.53)]
    }

    fn listed(arguments: &ListingArgs) -> Result<Vec<String>, String> {
        let differing = Differing::default();
        let chosen = arguments.chosen(&differing).map_err(|failure| failure.to_string())?;
        let found = listing_text(arguments, chosen, rows_of_two_arms(), &differing, Path::new("none"));
        let found = found.map_err(|failure| failure.to_string())?;
        Ok(found.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect())
    }

    #[test]
    fn groups_are_printed_with_means_and_differences() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let mut arguments = ListingArgs {
            group: words(&["arm"]),
            columns: words(&["seed", "last", "delta"]),
            ..ListingArgs::default()
        };
        let lines = listed(&arguments).unwrap();
        assert_eq!(lines[1], "a 2 50.00 baseline");
        // Deviation √2/100 over two: t(1)·0.01 = 0.127.
        assert_eq!(lines[2], "b 2 52.00 ± 12.71 +2.00 ± 12.71");
        arguments.baseline = Some("b".to_owned());
        arguments.runs = true;
        let lines = listed(&arguments).unwrap();
        assert_eq!(lines[2], "seed 1 1 50.00 −1.00 paired");
        arguments.baseline = Some("c".to_owned());
        assert!(listed(&arguments).unwrap_err().contains("there is no group \"c\"; there are\n  a\n  b"));
        (arguments.group, arguments.baseline) = (words(&["state", "arm"]), None);
        let lines = listed(&arguments).unwrap();
        assert_eq!(
            lines[1..4],
            ["done 2", "a 2 50.00 baseline", "seed 1 1 50.00 baseline"],
            "headings are above their groups"
        );
        arguments.group = words(&["arms"]);
        assert!(listed(&arguments).unwrap_err().contains("there is no column \"arms\""));
    }

    fn paired_row(arm: &str, seed: u64, accuracy: Option<f64>) -> Row {
        Row {
            arm: arm.to_owned(),
            seed,
            state: "done".to_owned(),
            last: accuracy,
            best: accuracy.map(|value| value + 0.25),
            ..Row::default()
        }
    }

    #[test]
    fn arms_are_compared_over_the_seeds_that_both_have() {
        // Differences 0.01, 0.02, 0.03: mean 0.02, deviation 0.01, t(2) = 4.302653, half = 4.302653·0.01/√3.
        let accuracies =
            [("a", 1, 0.5), ("a", 2, 0.5), ("a", 3, 0.5), ("b", 1, 0.51), ("b", 2, 0.52), ("b", 3, 0.53)];
        let mut rows: Vec<Row> =
            accuracies.map(|(arm, seed, value)| paired_row(arm, seed, Some(value))).into();
        rows.push(paired_row("b", 4, None));
        rows.push(Row { state: "running".to_owned(), ..paired_row("a", 5, Some(0.9)) });
        rows.push(Row { state: "stopped".to_owned(), ..paired_row("b", 5, Some(0.1)) });
        rows.push(paired_row("waiting", 1, None));
        let names = ["a", "b", "waiting", "a"].map(str::to_owned);
        let found = pairs(&names, &rows).unwrap();
        assert_eq!(
            pairs_text(&found).lines().collect::<Vec<_>>(),
            [
                "",
                "b minus a, seed by seed",
                "last test accuracy: +2.00 ± 2.48 points, n = 3; the 95 % CI includes 0",
                "best test accuracy: +2.00 ± 2.48 points, n = 3; the 95 % CI includes 0",
                "left out: 2 runs not done",
                "",
                "a minus waiting, seed by seed",
                "last test accuracy: no seed is done in both arms yet",
                "best test accuracy: no seed is done in both arms yet",
                "left out: 1 run not done",
            ]
        );
        let json = serde_json::to_value(&found).unwrap();
        assert!((json[0]["test_accuracy"]["half_interval95"].as_f64().unwrap() - 0.024_841_38).abs() < 1e-7);
        assert_eq!(json[1]["test_accuracy"], serde_json::Value::Null);
        let wrong = pairs(&["a", "c"].map(str::to_owned), &rows).unwrap_err().to_string();
        assert_eq!(wrong, "error: --pairs: there is no arm \"c\"; there are\n  a\n  b\n  waiting");
    }

    #[test]
    fn without_reports_it_says_whether_any_can_come() {
        let run = |id: &str| Run {
            id: id.to_owned(),
            arm: "a".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed: 1,
            spec: RunSpec::default().into(),
        };
        let records =
            BTreeMap::from([("done".to_owned(), RunRecord::from_events([Event::Finished { secs: 1.0 }]))]);
        assert!(reports_text(&[run("done")], &records).contains("have nothing to report"));
        assert!(reports_text(&[run("done"), run("waiting")], &records).contains("anything yet"));
    }

    #[test]
    fn a_report_is_its_sentence_and_its_table() {
        let report = Report {
            stage: "2.0".to_owned(),
            round: Some(3),
            summary: "pruned 2 of 4 entries".to_owned(),
            passed: Some(true),
            columns: vec!["parameter".to_owned(), "remaining".to_owned()],
            rows: vec![vec!["fc1.weight".to_owned(), "2".to_owned()]],
            ..Report::default()
        };
        let text = report_text(&report);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Stage 3.1, round 3: passed: pruned 2 of 4 entries");
        assert!(lines[1].starts_with("    parameter") && lines[2].contains("fc1.weight"), "{text}");
    }
}
