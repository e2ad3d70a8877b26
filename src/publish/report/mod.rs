//! A report: one HTML file that tells an experiment and its results. It needs no script, no other file and no network.
//!
//! Equal inputs give equal bytes; the time of making is one of them.

mod html;

use std::collections::BTreeMap;
use std::path::Path;

use crate::doc::{Experiment, Problem, Run};
use crate::figure::plots::Plot;
use crate::results::RunRecord;
use crate::results::methods::methods;
use crate::results::view::ViewSettings;
use html::escaped;

/// What a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// Its title; where it is empty, that of the experiment, else the name of the file.
    pub title: &'a str,
    /// The file of the experiment: its name is in the report, not its folder.
    pub file: &'a Path,
    /// What is in that file.
    pub text: &'a str,
    /// Settings that were changed for this report, as keys and values of `--set`.
    pub set: &'a [(String, String)],
    /// The experiment with these settings.
    pub experiment: &'a Experiment,
    /// All runs of the document: colours of arms follow from them.
    pub all: &'a [Run],
    /// The runs that the report is about.
    pub runs: &'a [Run],
    /// Their records, by identity.
    pub records: &'a BTreeMap<String, RunRecord>,
    /// The folder of the runs' directories.
    pub folder: &'a Path,
    /// How the window shows them.
    pub view: &'a ViewSettings,
    /// The plots to show; without a choice, all that have data.
    pub plots: Option<&'a [&'static Plot]>,
    /// When the report is made, in seconds since 1970 in UTC.
    pub made: u64,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The arms have mistakes.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Arms(Vec<Problem>),
}

/// The report as an HTML document.
///
/// # Errors
/// Mistakes of arms.
pub fn html(input: &ReportInput<'_>) -> Result<String, ReportError> {
    let text = methods(input.experiment, input.records.values()).map_err(ReportError::Arms)?;
    let title = escaped(input.title);
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head><body><main><h1>{title}</h1><p>{}</p></main></body></html>\n",
        escaped(&text)
    ))
}
