//! `weightlab submit`: hands what is missing to Slurm, as one array of tasks.

use std::path::PathBuf;

use clap::Args;

use super::cluster_args::ClusterArgs;
use super::document::{Document, DocumentArgs, distinct};
use super::failure::{Exit, Failure};
use super::output::{print_err, print_out};
use cluster::{ClusterError, Request, Runs, Slurm, prepare, submit, words};
use run::{StopFlag, measure};

/// Settings of `weightlab submit`.
#[derive(Debug, Args)]
pub struct SubmitArgs {
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
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
    let (runs, notes, found) = document.runs()?;
    for note in &notes {
        print_err(note);
    }
    let runs = distinct(&found.measured(&runs));
    let absolute = |path: PathBuf| std::path::absolute(&path).map_err(Failure::write(&path));
    let folder = absolute(document.runs_folder())?;
    let file = absolute(arguments.document.file.clone())?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::Input(format!("the path of weightlab itself is not known: {error}")))?;
    let request = Request {
        runs: Runs { all: &runs, folder: &folder },
        file: &file,
        set: &arguments.document.set,
        program: &program,
        settings: &arguments.cluster.0,
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
    print_err(&format!(
        "Logs: {}\n{} shows how far it is",
        submitted.logs.display(),
        words(["weightlab", "status", &file])
    ));
    printed.map(|()| Exit::Done)
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        Self::Input(error.to_string())
    }
}
