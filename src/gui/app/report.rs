//! The report that the window writes, in a thread.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use eframe::egui;

use super::App;
use crate::dialogs::PathUse;
use crate::files::{PathRequest, Purpose};
use doc::file::to_text;
use doc::{Experiment, Run};
use figure::write_file;
use publish::report::{ReportInput, html};
use results::view::ViewSettings;
use run::read_records;

/// What the thread needs.
struct Request {
    file: PathBuf,
    text: String,
    experiment: Experiment,
    runs: Vec<Run>,
    folder: PathBuf,
    view: ViewSettings,
}

impl App {
    /// Asks where the report goes.
    pub(super) fn ask_where_to_report(&mut self, ctx: &egui::Context) {
        let name = self.editor.document.suggested_file_name();
        let name = Path::new(&name).with_extension("html").to_string_lossy().into_owned();
        let request = PathRequest { purpose: Purpose::Report, folder: self.folder(), name };
        self.shell.ask(request, PathUse::Report, ctx);
    }

    /// Writes the report of the results on disk, as the window shows them.
    pub(super) fn write_report(&mut self, path: PathBuf, ctx: &egui::Context) {
        let document = &self.editor.document;
        let has_text = !document.is_unsaved() && document.path().is_some();
        let text = if has_text {
            Ok(document.text().to_owned())
        } else {
            to_text(&document.experiment, document.text())
        };
        let text = match text {
            Ok(text) => text,
            Err(error) => return self.fail("The report was not written", &error.to_string()),
        };
        let file = PathBuf::from(document.suggested_file_name());
        let (experiment, runs) = (document.experiment.clone(), document.runs().to_vec());
        let folder = self.editor.results();
        let (view, tiles) = self.workspace.shown();
        let view = ViewSettings { tiles: Some(tiles.clone()), ..view.clone() };
        let request = Request { file, text, experiment, runs, folder, view };
        self.log.info(format!("Writing the report to {}…", path.display()));
        let begun = self.workspace.begin_report(path, ctx, move |path| request.write(path));
        if let Err(failure) = begun {
            self.fail(failure.title, &failure.text);
        }
    }
}

impl Request {
    fn write(&self, path: &Path) -> Result<(), String> {
        let records = read_records(&self.folder, &self.runs);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let input = ReportInput {
            title: "",
            file: &self.file,
            text: &self.text,
            set: &[],
            experiment: &self.experiment,
            all: &self.runs,
            runs: &self.runs,
            records: &records,
            folder: &self.folder,
            view: &self.view,
            plots: None,
            made: i64::try_from(since.as_secs()).unwrap_or_default(),
        };
        let text = html(&input).map_err(|error| error.to_string())?;
        write_file(path, text.as_bytes()).map_err(|error| error.to_string())
    }
}
