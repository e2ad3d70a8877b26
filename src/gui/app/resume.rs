//! Runs stopped by closing the window, to be resumed at the next start.

use std::path::Path;

use super::App;
use super::act::StartRequest;
use crate::gui::dialogs::Dialog;
use crate::gui::document::Document;
use crate::gui::files::absolute;
use crate::gui::recovery::UnsavedEdits;
use crate::gui::settings::Unfinished;
use crate::results::RunState;

impl App {
    /// What is needed to go on with the present runs at the next start; nothing when the document cannot be kept.
    pub(super) fn unfinished(&self) -> Option<Unfinished> {
        let path = self.document.path().map(Path::to_owned);
        let runs = self.runs.open().cloned().collect();
        if path.is_some() && !self.document.is_unsaved() {
            return Some(Unfinished { path, kept: None, runs });
        }
        Some(Unfinished { path, kept: Some(self.document.to_keep()?), runs })
    }

    /// Notes whether the present runs go on at the next start. Runs of another document that are noted already still do
    /// so, unless these take their place.
    pub(super) fn note_unfinished(&mut self, goes_on: bool) {
        let own = self.document.path();
        let is_replaced =
            |noted: &mut Unfinished| goes_on || (noted.path.is_some() && noted.path.as_deref() == own);
        let replaced = self.settings.unfinished.take_if(is_replaced);
        if goes_on {
            self.settings.unfinished = self.unfinished();
        }
        if let Some(kept) = replaced.and_then(|replaced| replaced.kept) {
            self.leave(&kept);
        }
    }

    /// Leaves a document, of which there is no other copy, to be offered at the next start as after a crash.
    fn leave(&mut self, kept: &UnsavedEdits) {
        let Some(recovery) = &self.recovery else { return };
        if let Err(error) = recovery.leave(kept) {
            self.log.error(format!("The edits to {} could not be kept: {error}", kept.title));
        }
    }

    /// Opens what the window begins with: a file, or the document whose runs were stopped when the last window was closed;
    /// whether there is one. Of that document the edits come back too, and going on with its runs is offered.
    pub(super) fn open_first(&mut self, file: Option<&Path>) -> bool {
        let file = file.map(absolute);
        let is_wanted = |noted: &mut Unfinished| file.is_none() || noted.path == file;
        let Some(Unfinished { path, kept, runs }) = self.settings.unfinished.take_if(is_wanted) else {
            return file.is_some_and(|file| self.open(&file));
        };
        let is_open = match &kept {
            Some(kept) => self.open_kept(kept),
            None => path.is_some_and(|path| self.open(&path)),
        };
        if is_open {
            self.offer_resume(&runs);
        }
        is_open || (kept.is_some() && file.is_some_and(|file| self.open(&file)))
    }

    fn open_kept(&mut self, kept: &UnsavedEdits) -> bool {
        match Document::recovered(kept) {
            Ok(document) => {
                self.document = document;
                self.take_document();
                true
            }
            Err(error) => {
                self.leave(kept);
                self.fail("The experiment with the stopped runs cannot be opened", &error.to_string());
                false
            }
        }
    }

    /// Offers to go on with those of these runs that are left to do.
    fn offer_resume(&mut self, runs: &[String]) {
        let is_left = |id: &&String| {
            let is_listed = self.document.runs().iter().any(|run| run.id == **id);
            is_listed && self.runs.state(id) != RunState::Done
        };
        let runs: Vec<String> = runs.iter().filter(is_left).cloned().collect();
        if !runs.is_empty() && self.document.first_error().is_none() {
            self.dialog = Some(Dialog::Resume { title: self.document.title(), runs });
        }
    }

    /// Goes on with these runs.
    pub(super) fn start_runs(&mut self, runs: Vec<String>) {
        self.start_request = Some(StartRequest::These(runs));
        self.start_queued();
    }
}
