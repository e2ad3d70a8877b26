//! A report: one HTML file that tells an experiment and its results. It needs no script, no other file and no network.
//!
//! Equal inputs give equal bytes; the time of making is one of them.

mod figures;
mod html;
mod material;
mod notes;
mod origin;
mod results;
mod settings;
mod stages;
mod style;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::path::Path;

use ::results::RunRecord;
use ::results::methods::methods;
use ::results::view::ViewSettings;
use doc::{Experiment, Problem, Run};
use figure::plots::Plot;
use html::Page;
pub(super) use html::escaped;
use material::Material;
use style::STYLE;

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
    pub made: i64,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The arms have mistakes.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Arms(Vec<Problem>),
    /// Nothing has run.
    #[error("there are no results in {0} yet; run the experiment first")]
    Nothing(String),
}

/// What a browser may load: nothing but the style and pictures within the file (Content Security Policy Level 3).
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The report as an HTML document.
///
/// # Errors
/// Mistakes of arms, and when no run has begun.
pub fn html(input: &ReportInput<'_>) -> Result<String, ReportError> {
    if !input.runs.iter().any(|run| input.records.contains_key(&run.id)) {
        return Err(ReportError::Nothing(input.folder.display().to_string()));
    }
    let text = methods(input.experiment, input.records.values()).map_err(ReportError::Arms)?;
    let material = Material::of(input);
    let mut page = Page::default();
    page.section("Results", |page| results::results(page, &material));
    page.section("Paired differences", |page| results::pairs(page, &material));
    page.section("Figures", |page| figures::figures(page, &material));
    page.section("Fault campaigns", |page| stages::campaigns(page, &material));
    page.section("Early stops and tickets", |page| stages::tickets(page, &material));
    page.section("What stages reported", |page| stages::reports(page, &material));
    page.section("Notes", |page| notes::notes(page, &material));
    page.section("Methods", |page| text.lines().for_each(|line| page.paragraph(line)));
    page.section("Data", |page| origin::data(page, &material));
    page.section("Settings", |page| settings::settings(page, &material));
    page.section("Runs", |page| origin::runs(page, &material));
    page.section("Environment", |page| origin::environment(page, &material));
    page.section("Experiment file", |page| origin::experiment(page, &material));
    Ok(document(&material, &page))
}

/// The whole document around its sections.
fn document(material: &Material<'_>, page: &Page) -> String {
    let title = escaped(&material.title());
    let link = |(id, title): &(String, String)| format!("<li><a href=\"#{id}\">{title}</a></li>\n");
    let contents: String = page.contents.iter().map(link).collect();
    let (file, made) = (escaped(&material.file_name()), origin::time(material.input.made));
    let [state, version] = [material.state(), origin::version()].map(|text| escaped(&text));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"{version}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the results</a>\n\
         <header>\n<h1 dir=\"auto\">{title}</h1>\n<p class=\"state\" dir=\"auto\">{state}</p>\n\
         <p class=\"soft\">Report on <bdi>{file}</bdi>, made on {made}</p>\n</header>\n\
         <nav aria-label=\"Contents\">\n<ul>\n{contents}</ul>\n</nav>\n<main id=\"main\" tabindex=\"-1\">\n{}</main>\n\
         <footer>\n<p>Made by {version} on {made}. This file needs no script and loads nothing.</p>\n</footer>\n</body>\n</html>\n",
        page.out
    )
}
