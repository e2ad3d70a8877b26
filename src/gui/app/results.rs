//! Where the results are when the document gets another file.

use std::path::Path;

use super::{App, PATIENCE_FOR_MORE};
use crate::gui::files::move_results;
use crate::gui::text;

impl App {
    /// Saved as another file: what has run stays with the old one.
    pub(super) fn keep_results(&mut self, old: &Path, new: &Path) {
        if old.is_dir() {
            let (old, new) = (old.display(), new.display());
            self.log.info(format!("Earlier results stay in {old}; runs write to {new} from now on"));
        }
        self.reloads = self.runs.is_running();
        if !self.reloads {
            self.reload_records();
        }
    }

    /// Reads anew what the folder of results tells, after the document has got another one.
    pub(super) fn reload_records(&mut self) {
        let results = self.document.results(&self.parts.untitled);
        let records = self.parts.worker.read(&results, self.document.runs());
        if let Some(count) = self.runs.read(records, PATIENCE_FOR_MORE) {
            self.tell_read(count);
        }
    }

    /// Results of a document that has got a file move to it, as soon as nothing writes there.
    pub(super) fn move_results(&mut self) {
        if self.runs.is_running() {
            if let Some((from, _)) = &self.moving {
                self.log.info(format!(
                    "Results are in {} until the runs are over, then they move",
                    from.display()
                ));
            }
            return;
        }
        let Some((from, to)) = self.moving.take() else { return };
        match move_results(&from, &to) {
            Ok(0) => {}
            Ok(moved) => {
                self.log.info(format!(
                    "Moved results of {} to {}",
                    text::counted(moved, "run"),
                    to.display()
                ));
            }
            Err(error) => {
                let (from, to) = (from.display(), to.display());
                self.log.error(format!(
                    "Results stay in {from}: they could not be moved to {to} ({error}); move them by hand"
                ));
                self.reload_records();
            }
        }
    }
}
