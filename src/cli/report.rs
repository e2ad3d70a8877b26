//! `weightlab report`: one HTML file about an experiment and its results.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;

use super::document::{Document, DocumentArgs, SelectionArgs, view_of};
use super::output::{Exit, Failure, print_err, refuse};
use figure::plots::{ALL, Plot, find};
use figure::write_file;
use form::number::counted;
use publish::Selected;
use publish::report::{ReportInput, html};
use run::read_records;

/// Settings of `weightlab report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// File to write, such as report.html
    #[arg(long, value_name = "OUT")]
    to: PathBuf,
    /// Title of the report [default: the name of the experiment, else of its file]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    title: String,
    /// Figures to show, in this order [default: all that have data]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = names())]
    figures: Vec<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Folder of the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, value_name = "DIR", visible_alias = "into")]
    from: Option<PathBuf>,
}

fn names() -> Vec<&'static str> {
    ALL.iter().map(|plot| plot.name).collect()
}

/// Writes the report.
///
/// # Errors
/// What is wrong with the file or the arguments, results that are not there, and what cannot be written.
pub fn report(arguments: &ReportArgs) -> Result<Exit, Failure> {
    let ending = arguments.to.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["html", "htm"].iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return refuse("a report is an HTML file; give --to a name that ends with .html");
    }
    let document = Document::open(&arguments.document, arguments.from.as_ref())?;
    let folder = document.folder.clone();
    let (all, runs) = document.selected(&arguments.selection)?;
    let records = read_records(&folder, &runs);
    let view = view_of(&folder);
    let chosen: Vec<&'static Plot> = arguments.figures.iter().filter_map(|name| find(name)).collect();
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let input = ReportInput {
        title: &arguments.title,
        selected: Selected {
            experiment: &document.experiment,
            file: &document.path,
            text: &document.text,
            all: &all,
            runs: &runs,
            records: &records,
            folder: &folder,
        },
        set: &arguments.document.set,
        view: &view,
        plots: (!chosen.is_empty()).then_some(&chosen[..]),
        made: i64::try_from(since.as_secs()).unwrap_or_default(),
    };
    let text = html(&input).map_err(|error| Failure::Input(error.to_string()))?;
    write_file(&arguments.to, text.as_bytes())?;
    let runs = counted(records.len(), "run");
    print_err(&format!("wrote a report on {runs} to {}", arguments.to.display()));
    Ok(Exit::Done)
}
