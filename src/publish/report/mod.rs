//! A report: one HTML file that tells an experiment and its results. It needs no script, no other file and no network.
//!
//! Equal inputs give equal bytes; the time of making is one of them.

mod figures;
mod html;
mod origin;
mod results;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use html::{Page, STYLE, escaped};

use crate::Selected;
use ::results::methods::methods;
use ::results::table::columns::{Column, usual};
use ::results::table::{Differing, Labels, Row};
use ::results::view::ViewSettings;
use ::results::{RunRecord, RunState};
use doc::{Problem, Run};
use figure::plots::Plot;
use form::number::{counted, grouped};

/// The input of a report.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// Its title; where it is empty, that of the experiment, else the name of the file.
    pub title: &'a str,
    /// The runs that the report is about. The name of their file is in the report, not its folder.
    pub selected: Selected<'a>,
    /// Settings that were changed for this report, as keys and values of `--set`.
    pub set: &'a [(String, String)],
    /// How the window shows them.
    pub view: &'a ViewSettings,
    /// The plots to show; without a choice, all that have data.
    pub plots: Option<&'a [&'static Plot]>,
    /// When the report is made, in seconds since 1970 in UTC.
    pub made: i64,
}

/// The reason why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Arms(Vec<Problem>),
    #[error("there are no results in {0} yet; run the experiment first")]
    Nothing(String),
}

/// The policy of what a browser may load: nothing but the style and pictures within the file (Content Security Policy Level 3).
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// Writes the report as an HTML document.
///
/// # Errors
/// Mistakes of arms, and when no run has begun.
pub fn html(input: &ReportInput<'_>) -> Result<String, ReportError> {
    if input.selected.begun().next().is_none() {
        return Err(ReportError::Nothing(input.selected.folder.display().to_string()));
    }
    let text =
        methods(input.selected.experiment, input.selected.records.values()).map_err(ReportError::Arms)?;
    let material = Material::new(input);
    let mut page = Page::default();
    page.section("Results", |page| results::results(page, &material));
    page.section("Paired differences", |page| results::pairs(page, &material));
    page.section("Figures", |page| figures::figures(page, &material));
    page.section("Fault campaigns", |page| results::campaigns(page, &material));
    page.section("Early stops and tickets", |page| results::tickets(page, &material));
    page.section("What stages reported", |page| results::reports(page, &material));
    page.section("Notes", |page| results::notes(page, &material));
    page.section("Methods", |page| text.lines().for_each(|line| page.paragraph(line)));
    page.section("Data", |page| origin::data(page, &material));
    page.section("Settings", |page| results::settings(page, &material));
    page.section("Runs", |page| origin::runs(page, &material));
    page.section("Environment", |page| origin::environment(page, &material));
    page.section("Experiment file", |page| origin::experiment(page, &material));
    Ok(document(&material, &page))
}

/// Writes the whole document around its sections.
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

/// The input with the rows of its runs.
struct Material<'a> {
    pub input: &'a ReportInput<'a>,
    /// A row for each run of the report, in their order.
    pub rows: Vec<Row>,
    pub labels: Arc<Labels>,
    /// The paths of the settings in which runs differ.
    pub differing: Vec<String>,
    /// The runs that the filter of the window leaves out.
    pub left_out: BTreeSet<String>,
}

impl<'a> Material<'a> {
    /// Reads the rows off the records.
    pub fn new(input: &'a ReportInput<'a>) -> Self {
        let measured = input.view.table.measured();
        let row = |run: &Run| {
            let record = input.selected.records.get(&run.id);
            let state = record.map_or("not run", |record| record.state().word());
            let row = Row::new(run, record, state, 0).measured(record, &measured);
            Row { mark: input.view.mark(&run.id, &run.arm), ..row }
        };
        let mut rows: Vec<Row> = input.selected.runs.iter().map(row).collect();
        let mut found = Differing::default();
        found.give(&mut rows, &input.selected.all.iter().collect::<Vec<_>>());
        let left_out = input.view.left_out(&rows, found.known());
        let labels = rows.first().map(|row| row.labels.clone()).unwrap_or_default();
        Self { input, rows, labels, differing: found.paths().to_vec(), left_out }
    }

    pub fn title(&self) -> String {
        let named = [self.input.title, &self.input.selected.experiment.name];
        let chosen = named.into_iter().find(|name| !name.trim().is_empty());
        chosen.map_or_else(|| self.file_name(), |name| name.trim().to_owned())
    }

    pub fn file_name(&self) -> String {
        self.input.selected.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the columns of the table of groups.
    pub fn columns(&self) -> Vec<Column> {
        let view = self.input.view;
        let usual = || usual(&self.rows, &self.differing, &view.table.keys(view.group.as_ref()));
        let mut columns = view.table.columns.clone().unwrap_or_else(usual);
        columns.retain(|column| !matches!(column, Column::Arm | Column::Run | Column::Star));
        let has_arms = self.rows.iter().any(|row| row.arm != self.rows[0].arm);
        if has_arms && !columns.contains(&Column::Delta) {
            columns.push(Column::Delta);
        }
        columns
    }

    pub fn record(&self, run: &Run) -> Option<&'a RunRecord> {
        self.input.selected.records.get(&run.id)
    }

    /// Returns the names of the arms, in the order of the document.
    pub fn arms(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.rows.iter().map(|row| row.arm.as_str()).filter(|arm| seen.insert(*arm)).collect()
    }

    /// Says how far the experiment has come, in a sentence: "All 9 runs are done."
    pub fn state(&self) -> String {
        let of = |word: &str| self.rows.iter().filter(|row| row.state == word).count();
        let all = self.rows.len();
        let done = of(RunState::Done.word());
        let diverged = self.rows.iter().filter(|row| row.diverged).count();
        let mut text = match (all, done) {
            (1, 1) => "The only run is done".to_owned(),
            _ if done == all => format!("All {} runs are done", grouped(all as u64)),
            _ => format!("Preliminary: {} of {} done", grouped(done as u64), counted(all, "run")),
        };
        let mut others: Vec<&str> = self.rows.iter().map(|row| row.state.as_str()).collect();
        others.sort_unstable();
        others.dedup();
        for word in others.into_iter().filter(|word| *word != RunState::Done.word()) {
            let _ = write!(text, ", {} {word}", grouped(of(word) as u64));
        }
        if diverged > 0 {
            let _ = write!(text, "; {} diverged", grouped(diverged as u64));
        }
        text + "."
    }
}
