//! `weightlab submit`, `status` and `cancel`: runs on a cluster with Slurm.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::document::{Document, DocumentArgs, by_arm, distinct};
use super::output::{Exit, Failure, print_err, print_out, refuse, table};
use cluster::{
    ClusterError, ClusterSettings, Request, RunPlace, Runs, Slurm, Status, cancel, prepare, submit, words,
};
use doc::Run;
use run::{StopFlag, folder_of, measure};

/// Settings of `weightlab submit`.
#[derive(Debug, Args)]
pub struct SubmitArgs {
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    slurm: ClusterSettings,
    /// Print the batch script, and neither write nor submit it
    #[arg(long)]
    dry_run: bool,
    /// Folder for the runs' directories, which all nodes can reach [default: beside the file, FILE.runs]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

/// Submits the runs that are neither done nor in the queue.
///
/// # Errors
/// What is wrong with the file or the arguments, and what Slurm refuses; nothing was submitted then.
pub fn submit_runs(arguments: &SubmitArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document, arguments.into.as_ref())?;
    let (runs, found) = document.runs()?;
    let runs = distinct(&found.measured(&runs));
    let absolute = |path: PathBuf| std::path::absolute(&path).map_err(Failure::write(&path));
    let folder = absolute(document.folder.clone())?;
    let file = absolute(arguments.document.file.clone())?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::Input(format!("the path of weightlab itself is not known: {error}")))?;
    let request = Request {
        runs: Runs { all: &runs, folder: &folder },
        file: &file,
        set: &arguments.document.set,
        program: &program,
        settings: &arguments.slurm,
    };
    let measure = |task: &_, options| measure(task, options, &StopFlag::new());
    let plan = prepare(&request, &Slurm::default(), &measure)?;
    for line in plan.summary() {
        print_err(&line);
    }
    if arguments.dry_run {
        if let Some(trouble) = &plan.trouble {
            print_err(&format!("note: {trouble}"));
            print_err(
                "note: the paths in the script are those of this computer; change program, experiment, results and --output in \
                    it where the cluster has others",
            );
        }
        if !plan.is_empty() {
            print_out(&plan.script.text())?;
        }
        return Ok(Exit::Done);
    }
    if plan.trouble.is_none() && plan.is_empty() {
        return Ok(Exit::Done);
    }
    let submitted = submit(plan, &Slurm::default())?;
    let printed = print_out(&format!("Submitted job {} with {}", submitted.job, submitted.script.display()));
    let file = arguments.document.file.to_string_lossy();
    let (logs, command) = (submitted.logs.display(), words(["weightlab", "status", &file]));
    print_err(&format!("Logs: {logs}\n{command} shows how far it is"));
    printed.map(|()| Exit::Done)
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        Self::Input(error.to_string())
    }
}

/// Settings of `weightlab status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// Go on until nothing runs or waits, with a line for every change
    #[arg(long)]
    watch: bool,
    /// Folder with the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, visible_alias = "into", value_name = "DIR")]
    from: Option<PathBuf>,
}

/// Between two looks of `--watch`: a queue is asked seldom.
const EVERY: Duration = Duration::from_secs(5);
/// Reasons of failed runs that are printed.
const MOST_REASONS: usize = 5;

/// Prints where the runs are.
///
/// # Errors
/// What is wrong with the file or the arguments.
pub fn status(arguments: &StatusArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document, arguments.from.as_ref())?;
    let runs = distinct(&document.all_runs()?);
    let folder = document.folder.clone();
    let slurm = Slurm::default();
    let look = || Status::read(Runs { all: &runs, folder: &folder }, &slurm);
    let mut status = look();
    for note in document.notes(&runs, &runs) {
        print_err(&note);
    }
    for path in &status.damaged {
        print_err(&format!("note: {} cannot be read", path.display()));
    }
    if arguments.watch {
        let mut said = Vec::new();
        while !status.is_over() {
            let lines = [vec![status.in_words()], status.queue_in_words()].concat();
            if lines != said {
                print_err(&lines.join("\n"));
                said = lines;
            }
            std::thread::sleep(EVERY);
            status = look();
        }
    }
    print_out(&text(&runs, &status, &folder))?;
    let has_failed = status.places.contains(&RunPlace::Failed);
    Ok(if arguments.watch && has_failed { Exit::RunFailed } else { Exit::Done })
}

/// Writes a line an arm and one for all runs, the queue, and why runs have failed.
fn text(runs: &[Run], status: &Status, folder: &Path) -> String {
    let places: BTreeMap<&str, RunPlace> =
        runs.iter().map(|run| run.id.as_str()).zip(status.places.iter().copied()).collect();
    let counts = status.counts();
    let columns: Vec<RunPlace> = RunPlace::ALL
        .into_iter()
        .filter(|place| *place == RunPlace::Done || counts.contains_key(place))
        .collect();
    let row = |name: &str, places: &[RunPlace]| {
        let count = |column: &RunPlace| places.iter().filter(|place| *place == column).count().to_string();
        let counts = columns.iter().map(count);
        [name.to_owned()].into_iter().chain(counts).chain([places.len().to_string()]).collect::<Vec<String>>()
    };
    let arms = by_arm(runs);
    let row_of = |(name, of_arm): &(&str, Vec<&Run>)| {
        row(name, &of_arm.iter().map(|run| places[run.id.as_str()]).collect::<Vec<_>>())
    };
    let mut rows: Vec<Vec<String>> = arms.iter().map(row_of).collect();
    if arms.len() > 1 {
        rows.push(row("all", &status.places));
    }
    let head: Vec<&str> =
        ["arm"].into_iter().chain(columns.iter().map(|column| column.word())).chain(["runs"]).collect();
    let mut lines = vec![table(&head, &rows, 1).trim_end().to_owned()];
    lines.extend(status.queue_in_words());
    if status.submissions == 0 {
        lines.push("Nothing was submitted to Slurm".to_owned());
    }
    let failed = runs.iter().filter(|run| places[run.id.as_str()] == RunPlace::Failed);
    let failed: Vec<&Run> = failed.collect();
    for run in failed.iter().take(MOST_REASONS) {
        let why = std::fs::read_to_string(folder.join(&run.id).join("FAILED")).unwrap_or_default();
        lines.push(format!("{} (seed {}) failed: {}", run.arm, run.seed, why.trim()));
    }
    if failed.len() > MOST_REASONS {
        lines.push(format!("{} more have failed", failed.len() - MOST_REASONS));
    }
    lines.join("\n")
}

/// Settings of `weightlab cancel`.
#[derive(Debug, Args)]
pub struct CancelArgs {
    /// Experiment file
    file: PathBuf,
    /// Folder with the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, visible_alias = "into", value_name = "DIR")]
    from: Option<PathBuf>,
}

/// Cancels the jobs of the experiment.
///
/// # Errors
/// When there is neither the file nor a folder of runs, and what Slurm refuses.
pub fn cancel_jobs(arguments: &CancelArgs) -> Result<Exit, Failure> {
    let folder = arguments.from.clone().unwrap_or_else(|| folder_of(&arguments.file));
    if !arguments.file.exists() && !folder.exists() {
        let (file, folder) = (arguments.file.display(), folder.display());
        return refuse(format!("there is neither {file} nor {folder}"));
    }
    let jobs = cancel(&folder, &Slurm::default())?;
    print_out(&match jobs.len() {
        0 => "No job of this experiment is in the queue".to_owned(),
        _ => format!("Cancelled job {}; what was running is saved and can be continued", jobs.join(", ")),
    })?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::RunSpec;

    #[test]
    fn arms_have_a_line_each_and_places_without_runs_no_column() {
        let run = |arm: &str, seed: u64| Run {
            id: format!("{arm}{seed}"),
            arm: arm.to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed,
            spec: RunSpec { seed, ..RunSpec::default() }.into(),
        };
        let runs = [run("dense", 1), run("dense", 2), run("ticket", 1)];
        let places = vec![RunPlace::Done, RunPlace::Pending, RunPlace::Failed];
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("ticket1")).unwrap();
        std::fs::write(folder.path().join("ticket1/FAILED"), "the disk is full\n").unwrap();
        let text = text(&runs, &Status { places, submissions: 1, ..Status::default() }, folder.path());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "arm      done   pending   failed   runs");
        assert_eq!(lines[1], "dense       1         1        0      2");
        assert_eq!(lines[3], "all         1         1        1      3");
        assert_eq!(lines[4], "ticket (seed 1) failed: the disk is full");
    }
}
